// SPDX-License-Identifier: Apache-2.0
// See class_version.h. `replaced` lists the replaced versions of all classes; it changes while the
// world is stopped.
#include "redefine/class_version.h"

#include "class/assumption.h"
#include "class/metadata.h"
#include "class/method_id.h"
#include "class/vm_classes.h"
#include "frame/frame_cursor.h"
#include "link/resolve.h"

typedef struct OwnedBlock {
    struct OwnedBlock *next;
    uint64_t data[];
} OwnedBlock;
typedef struct PoolRef {
    struct PoolRef *next;
    _Atomic(jobject) ref;  // NULL: given back
    LoaderDataOwner owner; // OWNER_CODE: of pool_constant, never given back
} PoolRef;

static ConstantPool *replaced;
static uint64_t retired_count; // written with the world stopped
static void (*forget_code)(Method *m);
static Invalidate *watch_accesses;
static void (*relink_code)(bool (*is_affected)(const Class *c));

void version_set_engine(void (*forget)(Method *m), Invalidate *watch,
                        void (*relink)(bool (*is_affected)(const Class *c)))
{
    VM_ASSERT(!forget_code);
    forget_code = forget;
    watch_accesses = watch;
    relink_code = relink;
}

void versions_relink(bool (*is_affected)(const Class *c))
{
    ASSERT_WORLD_STOPPED();
    relink_code(is_affected);
}

// ---- making and freeing ----
static void count(ConstantPool *pool, size_t bytes)
{
    metadata_count(pool->cls, bytes);
    atomic_fetch_add_explicit(&pool->native_bytes, bytes, memory_order_relaxed);
}

enum { RANK_BITS = 64 };
static uint32_t rank_count(const ClassFile *cf)
{
    return (cf->cp_count + RANK_BITS - 1u) / RANK_BITS;
}
static uint32_t group_count(const ConstantPool *pool)
{
    const PoolRank *last = &pool->ranks[rank_count(pool->cf) - 1];
    uint32_t n = last->before + bits_count(last->resolvable);
    return (n + POOL_GROUP - 1) / POOL_GROUP;
}

static bool is_resolvable(uint8_t tag)
{
    uint32_t tags = 1u << CP_CLASS | 1u << CP_STRING | 1u << CP_FIELDREF | 1u << CP_METHODREF
                    | 1u << CP_INTERFACE_METHODREF | 1u << CP_METHOD_HANDLE
                    | 1u << CP_METHOD_TYPE | 1u << CP_DYNAMIC | 1u << CP_INVOKE_DYNAMIC;
    return (tags >> tag & 1) != 0;
}

static void fill_ranks(ConstantPool *pool)
{
    const ClassFile *cf = pool->cf;
    uint32_t before = 0;
    for (uint32_t i = 0; i < cf->cp_count; i++) {
        PoolRank *r = &pool->ranks[i / RANK_BITS];
        if (i % RANK_BITS == 0)
            r->before = before;
        if (!is_resolvable(cf_tag(cf, (uint16_t)i)))
            continue;
        r->resolvable |= (uint64_t)1 << i % RANK_BITS;
        before++;
    }
}

ConstantPool *constant_pool_new(Class *c, ClassFile *cf)
{
    size_t size = sizeof(ConstantPool) + rank_count(cf) * sizeof(PoolRank);
    ConstantPool *pool = vm_calloc(1, size);
    pool->cls = c;
    pool->cf = cf;
    pool->accesses.invalidate = watch_accesses;
    atomic_init(&pool->this_class, c);
    fill_ranks(pool);
    uint32_t groups = group_count(pool);
    pool->groups = vm_calloc(groups, sizeof *pool->groups);
    count(pool, cf->arena.total + size + groups * sizeof *pool->groups);
    return pool;
}

static bool is_slot(const ConstantPool *pool, uint32_t index)
{
    const PoolRank *r = &pool->ranks[index / RANK_BITS];
    return (r->resolvable >> index % RANK_BITS & 1) != 0;
}

// The number of a resolvable entry among its like.
static uint32_t slot_number(const ConstantPool *pool, uint32_t index)
{
    const PoolRank *r = &pool->ranks[index / RANK_BITS];
    uint64_t in_front = r->resolvable & (((uint64_t)1 << index % RANK_BITS) - 1);
    VM_ASSERT(index < pool->cf->cp_count && is_slot(pool, index));
    return r->before + bits_count(in_front);
}

static PoolGroup *make_group(ConstantPool *pool, PoolGroup *_Atomic *at)
{
    PoolGroup *made = vm_calloc(1, sizeof *made), *there = NULL;
    if (!atomic_compare_exchange_strong(at, &there, made)) {
        vm_free(made);
        return there;
    }
    count(pool, sizeof *made);
    return made;
}

_Atomic(void *) *pool_slot(ConstantPool *pool, uint16_t index)
{
    if (index == pool->cf->this_class)
        return &pool->this_class;
    uint32_t n = slot_number(pool, index);
    PoolGroup *_Atomic *at = &pool->groups[n / POOL_GROUP];
    PoolGroup *g = atomic_load_explicit(at, memory_order_acquire); // pairs with make_group
    if (!g)
        g = make_group(pool, at);
    return &g->resolved[n % POOL_GROUP];
}

void *pool_resolved(ConstantPool *pool, uint16_t index)
{
    if (index == pool->cf->this_class)
        return pool->cls;
    if (!is_slot(pool, index))
        return NULL;
    uint32_t n = slot_number(pool, index);
    PoolGroup *g = atomic_load_explicit(&pool->groups[n / POOL_GROUP], memory_order_acquire);
    return g ? atomic_load_explicit(&g->resolved[n % POOL_GROUP], memory_order_acquire) : NULL;
}

static void release(ConstantPool *pool)
{
    dependent_remove(&pool->accesses);
    for (uint32_t i = 0, n = group_count(pool); i < n; i++)
        vm_free(pool->groups[i]);
    vm_free((void *)pool->groups);
    for (OwnedBlock *b = pool->owned, *next; b; b = next) {
        next = b->next;
        vm_free(b);
    }
    vm_free(pool->original);
    vm_free(pool->interfaces);
    classfile_free(pool->cf);
    vm_free(pool);
}

static void give_back_refs(ConstantPool *pool)
{
    ClassLoaderData *data = class_loader_data(pool->cls);
    for (uint32_t i = 1; i < pool->cf->cp_count; i++)
        loader_data_unref(data, constant_handle(pool, (uint16_t)i));
    for (PoolRef *r = pool->refs; r; r = r->next)
        loader_data_unref_of(data, r->owner, r->ref);
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

static jobject add_ref(ConstantPool *pool, Object *o, LoaderDataOwner owner)
{
    PoolRef *r = pool_alloc(pool, sizeof *r);
    r->owner = owner;
    jobject ref = loader_data_ref_of(class_loader_data(pool->cls), owner, o);
    atomic_init(&r->ref, ref);
    r->next = atomic_load(&pool->refs);
    while (!atomic_compare_exchange_weak(&pool->refs, &r->next, r))
        ;
    return ref;
}

jobject pool_ref(ConstantPool *pool, Object *o)
{
    return o ? add_ref(pool, o, OWNER_METADATA) : NULL;
}

jobject pool_constant(ConstantPool *pool, Object *o)
{
    VM_ASSERT(o);
    for (const PoolRef *r = atomic_load(&pool->refs); r; r = r->next)
        if (r->owner == OWNER_CODE && deref(r->ref) == o)
            return r->ref;
    return add_ref(pool, o, OWNER_CODE);
}

void pool_unref(ConstantPool *pool, jobject ref)
{
    PoolRef *r = atomic_load(&pool->refs);
    while (r && r->ref != ref)
        r = r->next;
    if (!r || !ref)
        return;
    r->ref = NULL;
    loader_data_unref(class_loader_data(pool->cls), ref);
}

void pool_depend(ConstantPool *pool, const Class *on)
{
    if (class_loader_data(on) != class_loader_data(pool->cls)
        && !class_loader_data(on)->immortal)
        pool_ref(pool, class_mirror(on));
}

// ---- replaced versions ----
void version_retire(ConstantPool *pool)
{
    ASSERT_WORLD_STOPPED();
    pool->replaced = true;
    pool->next = replaced;
    replaced = pool;
    retired_count++;
}

void version_count(const Class *c)
{
    ASSERT_WORLD_STOPPED();
    Object *mirror = class_mirror(c);
    object_set_int(mirror, OFF(Class, classRedefinedCount),
                   object_get_int(mirror, OFF(Class, classRedefinedCount)) + 1);
}

uint64_t versions_retired(void)
{
    return retired_count;
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
    if (method_is_deleted(current) && !class_loader_data(m->cls)->dead)
        method_id_move(m, current);
    else
        method_id_forget(m);
}

static void old_method_free(OldMethod *o)
{
    method_take_code(&o->method);
    release_id(&o->method);
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

static void mark_version(void *unused, Method *m)
{
    (void)unused;
    if (m->pool)
        m->pool->in_use = true;
}

static void mark_all(void)
{
    for (ConstantPool *pool = replaced; pool; pool = pool->next)
        pool->in_use = false;
    THREAD_EACH(t)
    {
        FRAMES_EACH(f, t)
        cursor_each_method(&f, mark_version, NULL);
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
        if (pool->in_use && !class_loader_data(pool->cls)->dead) {
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
