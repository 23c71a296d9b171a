// SPDX-License-Identifier: Apache-2.0
// Linking (JVMS 5.4): supers first, then verification and the method tables. The thread that
// links a class is noted in Class.init_thread while the state is LOADED; others wait on
// init_cond in a safe state. init_lock is never held while anything runs that collects. A
// thread that comes back to a class it is linking (through a loader's Java code) links it on
// the spot.
#include "class/assumption.h"
#include "class/class_fill.h"
#include "class/loader_internal.h"
#include "class/vm_classes.h"
#include "event/event.h"
#include "java/exception.h"

static uint64_t tables_remade; // written with the world stopped

uint64_t class_tables_remade(void)
{
    return tables_remade;
}

static void remake_tables(Class *c)
{
    if (c->vtable)
        vtable_remake(c);
    if (c->vtable || class_is_interface(c))
        itables_remake(c);
    layout_find_finalizer(c);
}

void class_remake_tables(Thread *self, bool (*is_affected)(const Class *c))
{
    ASSERT_WORLD_STOPPED();
    const Class *top = CLS(Object);
    tables_remade++;
    assumption_break(self, ASSUME_TABLES, NULL);
    for (Class *c = class_next_below(top, top); c; c = class_next_below(c, top))
        if (is_affected(c))
            remake_tables(c);
}

static bool build_tables(Thread *self, Class *c)
{
    if (class_is_interface(c))
        return itables_build(self, c);
    if (!vtable_build(self, c))
        return false;
    if (itables_build(self, c))
        return true;
    vm_free(c->vtable);
    c->vtable = NULL;
    c->vtable_len = 0;
    return false;
}

bool class_build_tables(Thread *self, Class *c)
{
    ASSERT_MAY_GC(self);
    if (c->vtable)
        return true;
    if (c->super && !class_build_tables(self, c->super))
        return false;
    uint64_t before = tables_remade;
    if (!build_tables(self, c))
        return false;
    if (tables_remade == before)
        return true;
    world_stop(self); // what was read of the supers may be what it was before they changed
    remake_tables(c);
    world_resume(self);
    return true;
}

static bool has_jsr(const Method *m)
{
    CodeInfo code = method_code(m);
    for (uint32_t bci = 0, n; bci < code.code_len; bci += n) {
        if (code.code[bci] < BC_COUNT && (bytecode_info[code.code[bci]].flags & BCF_JSR))
            return true;
        n = bytecode_length(code.code, code.code_len, bci);
        if (!n)
            return false;
    }
    return false;
}

void class_mark_jsr(Class *c)
{
    if (c->cf->major >= 51)
        return;
    METHOD_EACH (m, c) {
        if (method_has_code(m) && has_jsr(m))
            m->flags |= METHOD_HAS_JSR;
    }
}

static bool link_supers(Thread *self, Class *c)
{
    if (c->super && !class_link(self, c->super))
        return false;
    for (int i = 0; i < c->interface_count; i++)
        if (!class_link(self, c->interfaces[i]))
            return false;
    return true;
}

// False: linked already. Otherwise this thread is the one to link it.
static bool claim(Thread *self, Class *c)
{
    thread_lock(self, &c->init_lock);
    while (class_state(c) == CLASS_LOADED && c->init_thread && c->init_thread != self)
        thread_cond_wait(self, &c->init_cond, &c->init_lock, -1);
    bool mine = class_state(c) == CLASS_LOADED;
    bool outer = mine && !c->init_thread;
    if (outer)
        c->init_thread = self;
    mutex_unlock(&c->init_lock);
    return mine;
}

// True: this call made it linked.
static bool release(Thread *self, Class *c, bool linked, bool outer)
{
    thread_lock(self, &c->init_lock);
    bool mine = class_state(c) == CLASS_LOADED;
    if (mine && linked)
        atomic_store_explicit(&c->state, CLASS_LINKED, memory_order_release);
    if (mine && (linked || outer)) {
        c->init_thread = NULL;
        cond_broadcast(&c->init_cond);
    }
    mutex_unlock(&c->init_lock);
    return mine && linked;
}

bool class_link(Thread *self, Class *c)
{
    ASSERT_NO_LOCKS();
    ASSERT_MAY_GC(self);
    if (LIKELY(class_state(c) != CLASS_LOADED))
        return true;
    HANDLE_SCOPE(self);
    bool outer = c->init_thread != self;
    if (!link_supers(self, c))
        return false;
    if (!claim(self, c))
        return true;
    bool linked = (c->verified || class_verify(self, c, c->cf))
                  && (class_state(c) != CLASS_LOADED || class_build_tables(self, c));
    if (linked) {
        class_mark_jsr(c);
        class_join_hierarchy(self, c);
    }
    if (!release(self, c, linked, outer))
        return linked;
    event_post(self, CLASS_PREPARE, .cls = c);
    return !exception_pending(self); // of a listener: the class stays linked
}
