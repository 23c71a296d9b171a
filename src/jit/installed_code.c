// SPDX-License-Identifier: Apache-2.0
// See installed_code.h.
#include "jit/installed_code.h"

#include "jit/compiled_events.h"

#include "code/compiled_frame.h"

static InstalledHooks hooks;
static Mutex lock = MUTEX_INIT(RANK_COMPILE);
static InstalledCode *live;    // under lock
static InstalledCode *retired; // likewise: no dependent is freed while it is told of a change

void installed_init(const InstalledHooks *h)
{
    VM_ASSERT(h->switch_entry && h->retired);
    hooks = *h;
}

static void list_add(InstalledCode *c)
{
    ASSERT_HELD(&lock);
    c->next = live;
    if (live)
        live->prev = c;
    live = c;
}

static void list_remove(InstalledCode *c)
{
    ASSERT_HELD(&lock);
    if (c->next)
        c->next->prev = c->prev;
    if (c->prev)
        c->prev->next = c->next;
    else
        live = c->next;
}

// ---- retiring ----

static bool is_dead(const Method *m)
{
    return class_loader_data(m->cls)->dead;
}

// Of a record that is in no list.
static void retire(InstalledCode *c, RetireReason why)
{
    if (is_dead(c->task.method))
        compiled_events_unloaded(c);
    else
        (void)!hooks.switch_entry(&c->task,
                                  NULL); // false: a redefinition was there before
    hooks.retired(c, why);
    mutex_lock(&lock);
    c->next = retired;
    retired = c;
    mutex_unlock(&lock);
}

// The dependent's: it is registered with nothing any more.
static bool invalidate(Dependent *d, AssumptionKind kind, const void *object)
{
    ASSERT_WORLD_STOPPED();
    (void)object;
    InstalledCode *c = (InstalledCode *)(void *)d;
    mutex_lock(&lock);
    list_remove(c);
    mutex_unlock(&lock);
    compiled_hook_frames(c->code);
    retire(c, (RetireReason)kind);
    return false;
}

// Takes the record of the code, which nobody else finds from then on. NULL: it was retired.
static InstalledCode *take(const CompiledCode *code)
{
    mutex_lock(&lock);
    InstalledCode *c = live;
    while (c && c->code != code)
        c = c->next;
    if (c)
        list_remove(c);
    mutex_unlock(&lock);
    return c;
}

bool installed_retire(Thread *self, const CompiledCode *code)
{
    ASSERT_IN_VM(self);
    (void)self;
    InstalledCode *c = take(code);
    if (!c)
        return false;
    dependent_remove(&c->dependent); // nothing is invalidated meanwhile: the world runs
    retire(c, RETIRED_LEAVES);
    return true;
}

static void free_retired(void)
{
    mutex_lock(&lock);
    InstalledCode *first = retired;
    retired = NULL;
    mutex_unlock(&lock);
    for (InstalledCode *c = first, *next; c; c = next) {
        next = c->next;
        VM_ASSERT(!c->dependent.first);
        vm_free(c);
    }
}

// ---- publishing ----

// All holds.
static void switch_on(Dependent *d)
{
    InstalledCode *c = (InstalledCode *)(void *)d;
    if (!hooks.switch_entry(&c->task, c->code))
        c->code = NULL;
}

PublishResult installed_publish(Thread *self, const CompiledCode *code, const CompileTask *task,
                                const Assumptions *made_for)
{
    ASSERT_IN_VM(self);
    VM_ASSERT(code && made_for->len > 0 && made_for->at[0].kind == ASSUME_METHOD_BODY);
    free_retired();
    InstalledCode *c = vm_calloc(1, sizeof *c);
    c->dependent.invalidate = invalidate;
    c->code = code;
    c->task = *task;
    if (!assume(self, &c->dependent, made_for->at, made_for->len, switch_on)) {
        vm_free(c);
        return PUBLISH_CHANGED;
    }
    if (!c->code) {
        dependent_remove(&c->dependent);
        vm_free(c);
        return PUBLISH_NO_ROOM;
    }
    mutex_lock(&lock);
    list_add(c);
    mutex_unlock(&lock);
    compiled_events_loaded(self, code);
    return PUBLISHED;
}

void installed_each(Thread *self, void (*visit)(void *ctx, const InstalledCode *installed),
                    void *ctx)
{
    ASSERT_IN_VM(self);
    (void)self;
    mutex_lock(&lock);
    for (const InstalledCode *c = live; c; c = c->next)
        visit(ctx, c);
    mutex_unlock(&lock);
}
