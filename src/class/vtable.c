// SPDX-License-Identifier: Apache-2.0
// Virtual method tables. A slot belongs to the method that introduced it and holds what
// overrides it (JVMS 5.4.5). A method takes every slot it overrides; package-private methods of
// several packages with one name therefore have slots of their own. Interface methods have no
// slots: calls that resolve to them are selected through the itables (itable.c).
#include "class/loader_internal.h"
#include "class/metadata.h"
#include "java/exception.h"

static bool is_virtual(const Method *m)
{
    return !(m->access & (ACC_STATIC | ACC_PRIVATE)) && m->name != SYM(init);
}

static bool overrides_directly(const Method *m, const Method *below)
{
    if (below->access & (ACC_PUBLIC | ACC_PROTECTED))
        return true;
    return class_same_package(m->cls, below->cls);
}

// Whether m of c overrides slot i, looking at all that held it: that a method overrides what
// another one overrides that it overrides is so since version 51.
static bool overrides_slot(const Class *c, const Method *m, uint32_t i)
{
    if (c->cf->major < 51)
        return overrides_directly(m, c->super->vtable[i]);
    const Method *seen = NULL;
    for (const Class *s = c->super; s && i < s->vtable_len; s = s->super) {
        if (s->vtable[i] != seen && overrides_directly(m, s->vtable[i]))
            return true;
        seen = s->vtable[i];
    }
    return false;
}

static bool throw_overrides_final(Thread *self, const Class *c, const Method *m)
{
    char *a = class_external_name(c), *b = class_external_name(m->cls);
    throw_new(self, "java/lang/IncompatibleClassChangeError",
              "class %s overrides final method %s.%s%s", a, b, m->name->s, m->desc->s);
    vm_free(a);
    vm_free(b);
    return false;
}

bool vtable_check_finals(Thread *self, const Class *c)
{
    ASSERT_MAY_GC(self);
    for (const Class *s = c->super; s; s = s->super) {
        METHOD_EACH (below, s) {
            if (!(below->access & ACC_FINAL) || !is_virtual(below))
                continue;
            METHOD_EACH (m, c) {
                if (m->name == below->name && m->desc == below->desc && is_virtual(m)
                    && overrides_directly(m, below))
                    return throw_overrides_final(self, c, below);
            }
        }
    }
    return true;
}

typedef struct Table {
    Method **slots;
    uint32_t len, inherited;
} Table;

// self NULL: the constraints of loaders were checked.
static bool place(Thread *self, Class *c, Method *m, Table *t)
{
    int taken = 0;
    bool own_slot = false;
    for (uint32_t i = 0; i < t->inherited; i++) {
        const Method *below = c->super->vtable[i];
        if (below->name != m->name || below->desc != m->desc || !overrides_slot(c, m, i))
            continue;
        if (self && !constraints_check_override(self, c, m, below, false))
            return false;
        t->slots[i] = m;
        if (!taken++)
            m->table_index = (int32_t)i;
        if (!(m->access & (ACC_PUBLIC | ACC_PROTECTED))
            && (taken > 1 || (below->access & (ACC_PUBLIC | ACC_PROTECTED))))
            own_slot = true;
    }
    if (!taken || own_slot) {
        m->table_index = (int32_t)t->len;
        t->slots[t->len++] = m;
    }
    return true;
}

static bool build(Thread *self, Class *c)
{
    Table t = {0};
    t.len = t.inherited = c->super ? c->super->vtable_len : 0;
    t.slots = vm_malloc((t.len + c->method_count + 1u) * sizeof *t.slots);
    if (t.len)
        memcpy(t.slots, c->super->vtable, t.len * sizeof *t.slots);
    METHOD_EACH (m, c) {
        if (!is_virtual(m) || place(self, c, m, &t))
            continue;
        vm_free(t.slots);
        return false;
    }
    // never NULL: that it is there says that the tables are made
    size_t bytes = (t.len ? t.len : 1) * sizeof *t.slots;
    metadata_count(c, bytes);
    c->vtable_len = t.len;
    c->vtable = vm_realloc(t.slots, bytes);
    return true;
}

bool vtable_build(Thread *self, Class *c)
{
    VM_ASSERT(!c->vtable);
    return build(self, c);
}

void vtable_remake(Class *c)
{
    ASSERT_WORLD_STOPPED();
    VM_ASSERT(c->vtable);
    metadata_uncount(c, (c->vtable_len ? c->vtable_len : 1) * sizeof *c->vtable);
    vm_free(c->vtable);
    (void)!build(NULL, c);
}
