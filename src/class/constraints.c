// SPDX-License-Identifier: Apache-2.0
// Loader constraints (JVMS 5.3.4): sets of loaders that must agree on what a name means. A set
// is reached from each of its loaders' Loader.constraints; loader_lock guards all of them.
#include "class/loader_internal.h"
#include "java/describe.h"
#include "java/exception.h"

typedef struct LoaderConstraint {
    Class *cls; // what the name means, once one of the loaders knows
    VEC(Loader *) loaders;
} LoaderConstraint;

Class *constraint_conflict(Loader *l, Symbol *name, Class *c)
{
    ASSERT_HELD(&loader_lock);
    LoaderConstraint *k = ptrmap_get(&l->constraints, (uintptr_t)name);
    if (!k)
        return NULL;
    if (k->cls && k->cls != c)
        return k->cls;
    k->cls = c;
    return NULL;
}

void constraints_forget(Loader *l)
{
    ASSERT_WORLD_STOPPED();
    uintptr_t key;
    void *value;
    for (size_t i = 0; ptrmap_next(&l->constraints, &i, &key, &value);) {
        LoaderConstraint *k = value;
        size_t kept = 0;
        for (size_t j = 0; j < k->loaders.len; j++)
            if (k->loaders.at[j] != l)
                k->loaders.at[kept++] = k->loaders.at[j];
        k->loaders.len = kept;
        if (k->cls && class_loader_data(k->cls)->dead)
            k->cls = NULL;
        if (kept > 1)
            continue;
        if (kept == 1) // which has nobody to agree with any more
            ptrmap_remove(&k->loaders.at[0]->constraints, key);
        vec_free(&k->loaders);
        vm_free(k);
    }
    ptrmap_free(&l->constraints);
}

static bool agree(Class *candidate, Class **cls)
{
    if (candidate && *cls && candidate != *cls)
        return false;
    if (candidate)
        *cls = candidate;
    return true;
}

static void join(LoaderConstraint *k, Loader *l, Symbol *name)
{
    LoaderConstraint *other = ptrmap_get(&l->constraints, (uintptr_t)name);
    if (other == k)
        return;
    if (!other) {
        vec_push(&k->loaders, l);
        ptrmap_put(&l->constraints, (uintptr_t)name, k);
        return;
    }
    for (size_t i = 0; i < other->loaders.len; i++) {
        vec_push(&k->loaders, other->loaders.at[i]);
        ptrmap_put(&other->loaders.at[i]->constraints, (uintptr_t)name, k);
    }
    vec_free(&other->loaders);
    vm_free(other);
}

static bool constrain_locked(Symbol *name, Loader *a, Loader *b)
{
    LoaderConstraint *ka = ptrmap_get(&a->constraints, (uintptr_t)name);
    LoaderConstraint *kb = ptrmap_get(&b->constraints, (uintptr_t)name);
    Class *cls = NULL;
    if (!agree(ptrmap_get(&a->classes, (uintptr_t)name), &cls)
        || !agree(ptrmap_get(&b->classes, (uintptr_t)name), &cls)
        || !agree(ka ? ka->cls : NULL, &cls) || !agree(kb ? kb->cls : NULL, &cls))
        return false;
    LoaderConstraint *k = ka ? ka : kb ? kb : vm_calloc(1, sizeof *k);
    join(k, a, name);
    join(k, b, name);
    k->cls = cls;
    return true;
}

// The class name inside an array name; NULL for arrays of primitives.
static Symbol *element_name(Symbol *name)
{
    const char *s = name->s;
    if (*s != '[')
        return name;
    while (*s == '[')
        s++;
    return *s == 'L' ? symbol_intern_n(s + 1, strlen(s) - 2) : NULL;
}

bool loader_constrain(Thread *self UNUSED, Symbol *class_name, Loader *a, Loader *b)
{
    Symbol *name = a == b ? NULL : element_name(class_name);
    if (!name)
        return true;
    mutex_lock(&loader_lock);
    bool ok = constrain_locked(name, a, b);
    mutex_unlock(&loader_lock);
    return ok;
}

const Symbol *loader_constrain_method(Thread *self, const Method *m, Loader *a, Loader *b)
{
    ASSERT_MAY_GC(self);
    DescriptorWalk w = descriptor_walk(m->desc->s, m->desc->len, 0);
    while (descriptor_walk_next(&w)) {
        Symbol *y = w.kind == 'L'   ? symbol_intern_n(w.type + 1, w.len - 2)
                    : w.kind == '[' ? symbol_intern_n(w.type, w.len)
                                    : NULL;
        if (y && !loader_constrain(self, y, a, b))
            return y;
    }
    const char *ret = w.next + 1;
    if (*ret != 'L' && *ret != '[')
        return NULL;
    Symbol *y = *ret == 'L' ? symbol_intern_n(ret + 1, strlen(ret) - 2) : symbol_intern(ret);
    return loader_constrain(self, y, a, b) ? NULL : y;
}

// ---- overriding (JVMS 5.4.2, 5.4.5) ----
static void throw_violation(Thread *self, const Class *c, const Method *selected,
                            const Method *overridden, const Symbol *type, bool itable)
{
    StrBuf la = {0}, lb = {0};
    describe_loader(&la, selected->cls->loader);
    describe_loader(&lb, overridden->cls->loader);
    char *cls = class_external_name(c),
         *method = method_external_name(itable ? overridden : selected);
    char *a = class_external_name(selected->cls), *b = class_external_name(overridden->cls);
    char *place_a = describe_place(selected->cls), *place_b = describe_place(overridden->cls);
    char *type_name = describe_class_name(type), *text;
    if (itable)
        text = vm_asprintf("loader constraint violation in interface itable initialization for "
                           "class %s: when selecting method '%s' the class loader %s for super "
                           "interface %s, and the class loader %s of the selected method's %s, "
                           "%s have different Class objects for the type %s used in the "
                           "signature (%s; %s)",
                           cls, method, lb.s, b, la.s,
                           class_is_interface(selected->cls) ? "interface" : "class", a,
                           type_name, place_b, place_a);
    else
        text =
            vm_asprintf("loader constraint violation for class %s: when selecting overriding "
                        "method '%s' the class loader %s of the selected method's type %s, "
                        "and the class loader %s for its super type %s have different Class "
                        "objects for the type %s used in the signature (%s; %s)",
                        cls, method, la.s, a, lb.s, b, type_name, place_a, place_b);
    throw_new(self, "java/lang/LinkageError", "%s", text);
    char *owned[] = {cls, method, a, b, place_a, place_b, type_name, text, la.s, lb.s};
    for (size_t i = 0; i < ARRAY_LEN(owned); i++)
        vm_free(owned[i]);
}

bool constraints_check_override(Thread *self, const Class *c, const Method *selected,
                                const Method *overridden, bool itable)
{
    Loader *a = selected->cls->loader, *b = overridden->cls->loader;
    if (a == b)
        return true;
    const Symbol *type = loader_constrain_method(self, selected, a, b);
    if (!type)
        return true;
    throw_violation(self, c, selected, overridden, type, itable);
    return false;
}
