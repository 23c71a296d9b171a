// SPDX-License-Identifier: Apache-2.0
// See class_version.h. `replaced` lists the replaced versions of all classes; it changes while the
// world is stopped.
#include "runtime/class_version.h"

#include "runtime/metadata.h"
#include "runtime/method_id.h"
#include "runtime/resolve.h"

typedef struct OwnedBlock {
    struct OwnedBlock *next;
    uint64_t data[];
} OwnedBlock;
typedef struct PoolRef {
    struct PoolRef *next;
    _Atomic(jobject) ref; // NULL: given back
} PoolRef;

static ConstantPool *replaced;
static void (*forget_code)(Method *m);

void version_set_forget_code(void (*forget)(Method *m))
{
    forget_code = forget;
}

// ---- making and freeing ----
static void count(ConstantPool *pool, size_t bytes)
{
    metadata_count(pool->cls, bytes);
    atomic_fetch_add_explicit(&pool->native_bytes, bytes, memory_order_relaxed);
}

ConstantPool *constant_pool_new(Class *c, ClassFile *cf)
{
    size_t size = sizeof(ConstantPool) + cf->cp_count * sizeof(_Atomic(void *));
    ConstantPool *pool = vm_calloc(1, size);
    pool->cls = c;
    pool->cf = cf;
    atomic_init(&pool->resolved[cf->this_class], c);
    count(pool, cf->arena.total + size);
    return pool;
}

static void release(ConstantPool *pool)
{
    for (OwnedBlock *b = pool->owned, *next; b; b = next) {
        next = b->next;
        vm_free(b);
    }
    vm_free(pool->original);
    classfile_free(pool->cf);
    vm_free(pool);
}

static void give_back_refs(ConstantPool *pool)
{
    ClassUnit *unit = class_unit(pool->cls);
    for (uint32_t i = 1; i < pool->cf->cp_count; i++)
        unit_unref(unit, constant_handle(pool, i));
    for (PoolRef *r = pool->refs; r; r = r->next)
        unit_unref(unit, r->ref);
}

void constant_pool_free(ConstantPool *pool)
{
    give_back_refs(pool);
    metadata_uncount(pool->cls, pool->native_bytes);
    release(pool);
}

// ---- what lives as long as a version ----
void *pool_alloc(ConstantPool *pool, size_t size)
{
    OwnedBlock *b = vm_calloc(1, sizeof *b + size);
    count(pool, sizeof *b + size);
    b->next = atomic_load(&pool->owned);
    while (!atomic_compare_exchange_weak(&pool->owned, &b->next, b))
        ;
    return b->data;
}

jobject pool_ref(ConstantPool *pool, Object *o)
{
    if (!o)
        return NULL;
    PoolRef *r = pool_alloc(pool, sizeof *r);
    jobject ref = unit_ref(class_unit(pool->cls), o);
    atomic_init(&r->ref, ref);
    r->next = atomic_load(&pool->refs);
    while (!atomic_compare_exchange_weak(&pool->refs, &r->next, r))
        ;
    return ref;
}

void pool_unref(ConstantPool *pool, jobject ref)
{
    PoolRef *r = atomic_load(&pool->refs);
    while (r && r->ref != ref)
        r = r->next;
    if (!r || !ref)
        return;
    r->ref = NULL;
    unit_unref(class_unit(pool->cls), ref);
}

void pool_depend(ConstantPool *pool, const Class *on)
{
    if (class_unit(on) != class_unit(pool->cls) && !class_unit(on)->immortal)
        pool_ref(pool, class_mirror(on));
}

// ---- replaced versions ----
void version_retire(ConstantPool *pool)
{
    pool->replaced = true;
    pool->next = replaced;
    replaced = pool;
}

OldMethod *version_find_method(const Class *c, uint32_t slot, uint32_t version)
{
    for (OldMethod *o = c->old_methods; o; o = o->next)
        if (o->method.slot == slot && o->method.pool->version == version)
            return o;
    return NULL;
}

Method *method_of_version(Method *m, uint32_t version)
{
    if (m->pool ? m->pool->version == version : !method_is_deleted(m))
        return m;
    OldMethod *o = version_find_method(m->cls, m->slot, version);
    return o ? &o->method : NULL;
}

void method_take_code(Method *m)
{
    if (atomic_load(&m->code))
        forget_code(m);
    atomic_store(&m->code, NULL);
    atomic_store(&m->oop_maps, NULL);
}

// The id that a deleted method left to its last version goes back to it.
static void release_id(Method *m)
{
    Method *current = method_current(m);
    if (method_is_deleted(current) && !class_unit(m->cls)->dead)
        method_id_move(m, current);
    else
        method_id_forget(m);
}

static void old_method_free(OldMethod *o)
{
    method_take_code(&o->method);
    release_id(&o->method);
    vm_free(atomic_load(&o->method.native_call));
    vm_free(o);
}

static void old_methods_free(const ConstantPool *pool)
{
    for (OldMethod **at = &pool->cls->old_methods; *at;) {
        OldMethod *o = *at;
        if (o->method.pool != pool) {
            at = &o->next;
            continue;
        }
        *at = o->next;
        old_method_free(o);
    }
}

// A pin may be older than the death of its class: what it points to need not be there.
static void mark_pinned(void *pinned)
{
    ConstantPool *pool = replaced;
    while (pool && pool != pinned)
        pool = pool->next;
    if (pool)
        pool->in_use = true;
}

static void mark_all(void)
{
    for (ConstantPool *pool = replaced; pool; pool = pool->next)
        pool->in_use = false;
    THREAD_EACH(t)
    {
        for (const Frame *f = t->frame; f; f = f->prev)
            if (f->method && f->method->pool)
                f->method->pool->in_use = true;
        handle_stack_visit_pins(&t->mutator.handles, PIN_VERSION, mark_pinned);
    }
}

void versions_sweep(void)
{
    if (!replaced)
        return;
    mark_all();
    for (ConstantPool **at = &replaced; *at;) {
        ConstantPool *pool = *at;
        if (pool->in_use && !class_unit(pool->cls)->dead) {
            at = &pool->next;
            continue;
        }
        *at = pool->next;
        old_methods_free(pool);
        constant_pool_free(pool);
    }
}

void version_free_last(Class *c)
{
    VM_ASSERT(!c->old_methods);
    if (c->pool)
        release(c->pool);
}
