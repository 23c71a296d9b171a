// SPDX-License-Identifier: Apache-2.0
// See assumption.h. A registration is an entry of one array; entries with one hash of (kind, object) form a list, those of
// one dependent another one. Indices, not addresses: the array moves when it grows, and an index has 4 bytes. Index 0 is none.
// Locks: deps_lock (RANK_DEPS) guards the array, and the marks of the class hierarchy (Class.joined, Class.extended).
#include "class/assumption.h"

#include "class/loader.h"
#include "class/vm_classes.h"
#include "event/event.h"

typedef struct Registration {
    const void *object;
    Dependent *dependent; // NULL: a free entry
    uint32_t next, prev;  // of those with its hash; prev 0: the first. Free ones: next
    uint32_t sibling;     // the next of its dependent
    uint32_t kind;
} Registration;
_Static_assert(sizeof(Registration) == 32, "there may be many");

static Mutex deps_lock = MUTEX_INIT(RANK_DEPS);
static Registration *entries; // entries[0] is not used
static uint32_t *heads;       // by hash; capacity of them, a power of two
static uint32_t capacity, used, free_list;
static uint32_t kind_counts[ASSUMPTION_COUNT];

static uint64_t (*breakpoints_set)(void);

// ---- the table; deps_lock is held ----
static uint32_t *head_of(AssumptionKind kind, const void *object)
{
    VM_ASSERT(capacity && kind < ASSUMPTION_COUNT);
    uint64_t h = ((uint64_t)(uintptr_t)object ^ (uint64_t)kind << 56) * 0x9E3779B97F4A7C15u;
    return &heads[(h >> 32) & (capacity - 1)];
}

static void enter_list(uint32_t i)
{
    Registration *r = &entries[i];
    VM_ASSERT(r->dependent); // a free one is on its list alone
    uint32_t *head = head_of(r->kind, r->object);
    r->prev = 0;
    r->next = *head;
    if (r->next)
        entries[r->next].prev = i;
    *head = i;
}

static void leave_list(uint32_t i)
{
    const Registration *r = &entries[i];
    if (r->prev)
        entries[r->prev].next = r->next;
    else
        *head_of(r->kind, r->object) = r->next;
    if (r->next)
        entries[r->next].prev = r->prev;
}

static void grow(void)
{
    enum { FIRST_CAPACITY = 64 };
    uint32_t old = capacity;
    capacity = old ? old * 2 : FIRST_CAPACITY;
    entries = vm_realloc(entries, capacity * sizeof *entries);
    vm_free(heads);
    heads = vm_calloc(capacity, sizeof *heads);
    if (!old)
        entries[0] = (Registration){0};
    for (uint32_t i = 1; i < old; i++)
        if (entries[i].dependent) // others are free
            enter_list(i);
    for (uint32_t i = old ? old : 1; i < capacity; i++) {
        entries[i] = (Registration){.next = free_list};
        free_list = i;
    }
}

// So many entries are free.
static void reserve(size_t count)
{
    while (capacity < used + count + 1) // entry 0
        grow();
}

static bool has(const Dependent *d, AssumptionKind kind, const void *object)
{
    for (uint32_t i = d->first; i; i = entries[i].sibling)
        if (entries[i].object == object && entries[i].kind == kind)
            return true;
    return false;
}

// The same for one that had none before: what it has been given since comes first in the lists.
static bool has_just_added(const Dependent *d, AssumptionKind kind, const void *object)
{
    for (uint32_t i = *head_of(kind, object); i && entries[i].dependent == d;
         i = entries[i].next)
        if (entries[i].object == object && entries[i].kind == kind)
            return true;
    return false;
}

static void add(Dependent *d, AssumptionKind kind, const void *object)
{
    ASSERT_HELD(&deps_lock);
    uint32_t i = free_list;
    VM_ASSERT(i);
    free_list = entries[i].next;
    entries[i] =
        (Registration){.object = object, .dependent = d, .sibling = d->first, .kind = kind};
    d->first = i;
    enter_list(i);
    used++;
    kind_counts[kind]++;
}

// Entry i is on no list of its dependent any more.
static void free_entry(uint32_t i)
{
    VM_ASSERT(entries[i].dependent && used);
    leave_list(i);
    kind_counts[entries[i].kind]--;
    entries[i] = (Registration){.next = free_list};
    free_list = i;
    used--;
}

static void remove_all(Dependent *d)
{
    ASSERT_HELD(&deps_lock);
    for (uint32_t i = d->first, next; i; i = next) {
        next = entries[i].sibling;
        free_entry(i);
    }
    d->first = 0;
}

// ---- what holds ----
static const void *call_site_key(const Object *site)
{
    return ASSUMED_NUMBER(object_identity_hash((Object *)(uintptr_t)site));
}

// The same for two objects now and then: one is invalidated for the other then.
static const void *key_of(const Assumption *a)
{
    return a->kind == ASSUME_CALL_SITE ? call_site_key(deref((jobject)(uintptr_t)a->object))
                                       : a->object;
}

static bool has_body(const Method *m, const ConstantPool *pool)
{
    if (method_is_native(m) && method_entry_kind(m) == ENTRY_NATIVE)
        return false; // what was bound meanwhile has no intrinsic
    return m->pool == pool && !(m->flags & METHOD_OLD) && !method_is_deleted(m);
}

static bool has_target(const Assumption *a)
{
    Object *site = deref((jobject)(uintptr_t)a->object);
    return object_get_ref_volatile(site, OFF(CallSite, target))
           == deref((jobject)(uintptr_t)a->value);
}

static bool is_final(const Field *f)
{
    return (f->access & ACC_FINAL)
           && !atomic_load_explicit(&f->final_changes, memory_order_relaxed);
}

// deps_lock is held, which what breaks one takes after it has made it false; loader_lock for METHOD_UNIQUE.
static bool holds(const Assumption *a)
{
    ASSERT_HELD(&deps_lock);
    switch (a->kind) {
    case ASSUME_CLASS_LEAF: return !((const Class *)a->object)->extended;
    case ASSUME_METHOD_UNIQUE:
        return class_unique_implementation((Method *)(uintptr_t)a->object) == a->value;
    case ASSUME_METHOD_BODY: return has_body(a->object, a->value);
    case ASSUME_METHOD_BREAKPOINTS: return breakpoints_set() == (uintptr_t)a->value;
    case ASSUME_FIELD_UNWATCHED:
        return !(((const Field *)a->object)->watch & (uintptr_t)a->value);
    case ASSUME_FIELD_FINAL: return is_final(a->object);
    case ASSUME_CALL_SITE: return has_target(a);
    case ASSUME_EVENT_OFF: return !event_is_wanted((EventId)(uintptr_t)a->object);
    case ASSUME_TABLES: return class_tables_remade() == (uintptr_t)a->value;
    case ASSUME_CLASS_ALIVE: return !class_loader_data((const Class *)a->object)->dead;
    case ASSUMPTION_COUNT: break;
    }
    return false;
}

// ---- registering ----
static bool asks_hierarchy(const Assumption *a, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (a[i].kind == ASSUME_METHOD_UNIQUE)
            return true;
    return false;
}

bool assume(Thread *self, Dependent *d, const Assumption *a, size_t count,
            void (*publish)(Dependent *d))
{
    ASSERT_IN_VM(self);
    VM_ASSERT(d->invalidate);
    bool hierarchy = asks_hierarchy(a, count), all = true;
    if (hierarchy)
        mutex_lock(&loader_lock);
    mutex_lock(&deps_lock);
    for (size_t i = 0; i < count && all; i++)
        all = holds(&a[i]);
    bool (*has_it)(const Dependent *, AssumptionKind, const void *) =
        d->first ? has : has_just_added;
    reserve(count);
    for (size_t i = 0; i < count && all; i++)
        if (!has_it(d, a[i].kind, key_of(&a[i])))
            add(d, a[i].kind, key_of(&a[i]));
    if (all && publish)
        publish(d);
    mutex_unlock(&deps_lock);
    if (hierarchy)
        mutex_unlock(&loader_lock);
    return all;
}

void dependent_remove(Dependent *d)
{
    mutex_lock(&deps_lock);
    remove_all(d);
    mutex_unlock(&deps_lock);
}

size_t assumptions_registered(void)
{
    mutex_lock(&deps_lock);
    size_t n = used;
    mutex_unlock(&deps_lock);
    return n;
}

size_t assumptions_bytes(void)
{
    mutex_lock(&deps_lock);
    size_t bytes = capacity * (sizeof *entries + sizeof *heads);
    mutex_unlock(&deps_lock);
    return bytes;
}

// ---- breaking ----
// The first entry of (kind, object) from i on, in the list of its hash; 0: none.
static uint32_t entry_from(uint32_t i, AssumptionKind kind, const void *object)
{
    ASSERT_HELD(&deps_lock);
    while (i && (entries[i].object != object || entries[i].kind != kind))
        i = entries[i].next;
    return i;
}

static uint32_t first_entry(AssumptionKind kind, const void *object)
{
    return kind_counts[kind] ? entry_from(*head_of(kind, object), kind, object) : 0;
}

static bool has_dependents(AssumptionKind kind, const void *object)
{
    mutex_lock(&deps_lock);
    bool any = first_entry(kind, object) != 0;
    mutex_unlock(&deps_lock);
    return any;
}

// The world is stopped, so that nobody registers; the lock is held before and after, not meanwhile.
static void invalidate_entry(uint32_t i)
{
    ASSERT_HELD(&deps_lock);
    Dependent *d = entries[i].dependent;
    AssumptionKind kind = entries[i].kind;
    const void *object = entries[i].object;
    mutex_unlock(&deps_lock);
    bool stays = d->invalidate(d, kind, object);
    mutex_lock(&deps_lock);
    if (!stays)
        remove_all(d);
}

static void invalidate(AssumptionKind kind, const void *object)
{
    ASSERT_WORLD_STOPPED();
    mutex_lock(&deps_lock);
    for (uint32_t i = first_entry(kind, object), next; i; i = next) {
        next = entry_from(entries[i].next, kind, object); // of another dependent
        invalidate_entry(i);
    }
    mutex_unlock(&deps_lock);
}

void assumption_break(Thread *self, AssumptionKind kind, const void *object)
{
    if (!has_dependents(kind, object))
        return;
    bool stopped = world_is_stopped();
    if (!stopped)
        world_stop(self);
    invalidate(kind, object);
    if (!stopped)
        world_resume(self);
}

void assumption_break_call_site(Thread *self, jobject site)
{
    ASSERT_MAY_GC(self);
    ASSERT_HANDLE(site);
    mutex_lock(&deps_lock);
    bool any = kind_counts[ASSUME_CALL_SITE] > 0;
    mutex_unlock(&deps_lock);
    if (any)
        assumption_break(self, ASSUME_CALL_SITE, call_site_key(deref(site)));
}

void assumption_break_final(Thread *self, Field *f)
{
    ASSERT_MAY_GC(self);
    VM_ASSERT(f->access & ACC_FINAL);
    // Also behind another thread that has begun to: nobody writes before the code is gone.
    atomic_store_explicit(&f->final_changes, true, memory_order_relaxed);
    assumption_break(self, ASSUME_FIELD_FINAL, f);
}

static void on_event_switch(EventId id, bool on)
{
    if (on)
        assumption_break(thread_current(), ASSUME_EVENT_OFF, ASSUMED_NUMBER(id));
}

void assumptions_init(uint64_t (*set)(void))
{
    VM_ASSERT(set && !breakpoints_set);
    breakpoints_set = set;
    event_on_switch(on_event_switch);
}

// ---- unloading ----
// The class that an assumption is about; NULL: of no class.
static const Class *class_assumed(AssumptionKind kind, const void *object)
{
    switch (kind) {
    case ASSUME_CLASS_LEAF:
    case ASSUME_CLASS_ALIVE: return object;
    case ASSUME_METHOD_UNIQUE:
    case ASSUME_METHOD_BODY:
    case ASSUME_METHOD_BREAKPOINTS: return ((const Method *)object)->cls;
    case ASSUME_FIELD_UNWATCHED:
    case ASSUME_FIELD_FINAL: return ((const Field *)object)->cls;
    case ASSUME_CALL_SITE:
    case ASSUME_EVENT_OFF:
    case ASSUME_TABLES:
    case ASSUMPTION_COUNT: break;
    }
    return NULL;
}

static bool is_about_dead(const Registration *r)
{
    const Class *c = class_assumed(r->kind, r->object);
    return c && class_loader_data(c)->dead;
}

// Takes those out of d's registrations that are about dead classes.
static void remove_dead(Dependent *d)
{
    for (uint32_t *at = &d->first; *at;) {
        uint32_t i = *at;
        if (!is_about_dead(&entries[i])) {
            at = &entries[i].sibling;
            continue;
        }
        *at = entries[i].sibling;
        free_entry(i);
    }
}

void assumptions_forget_dead(void)
{
    ASSERT_WORLD_STOPPED();
    mutex_lock(&deps_lock);
    for (uint32_t i = 1; kind_counts[ASSUME_CLASS_ALIVE] && i < capacity; i++)
        if (entries[i].dependent && entries[i].kind == ASSUME_CLASS_ALIVE
            && is_about_dead(&entries[i]))
            invalidate_entry(i);
    for (uint32_t i = 1; used && i < capacity; i++)
        if (entries[i].dependent && is_about_dead(&entries[i]))
            remove_dead(entries[i].dependent);
    mutex_unlock(&deps_lock);
}

// ---- the class hierarchy ----
enum { HIERARCHY_MAX = 256 }; // classes that are looked at for one method

// What class_unique_implementation says. *linked: one of the classes is linked, so that there may be receivers.
static Method *unique_implementation(const Method *m, bool *linked)
{
    VM_ASSERT(method_in_vtable(m));
    ASSERT_HELD(&loader_lock);
    Method *unique = NULL;
    int seen = 0;
    *linked = false;
    for (const Class *c = m->cls; c; c = class_next_below(c, m->cls)) {
        if (++seen > HIERARCHY_MAX)
            return NULL;
        if (!c->joined || c->access & ACC_ABSTRACT)
            continue;
        Method *selected = c->vtable[m->table_index];
        if (method_is_abstract(selected) || (unique && selected != unique))
            return NULL;
        unique = selected;
        *linked |= class_state(c) >= CLASS_LINKED;
    }
    return unique;
}

Method *class_unique_implementation(Method *m)
{
    bool linked;
    return unique_implementation(m, &linked);
}

// Whether a call of m selects for c, which is not linked yet, what it selects for all others. If there are no others, what was made for
// those that were unloaded may be left.
static bool selects_the_same(const Class *c, const Method *m)
{
    bool linked;
    mutex_lock(&loader_lock);
    bool same = unique_implementation(m, &linked) == c->vtable[m->table_index] && linked;
    mutex_unlock(&loader_lock);
    return same;
}

// Whether c may select in a slot of its superclass what the classes above do not. An abstract class has no receivers: neither it nor
// what it leaves as it is in its own superclass was selected yet.
static bool changes_slot(const Class *c, uint32_t slot)
{
    return (c->super->access & ACC_ABSTRACT) || c->vtable[slot] != c->super->vtable[slot];
}

static void break_slot(Thread *self, const Class *c, uint32_t slot)
{
    const Method *last = NULL;
    for (const Class *s = c->super; s && slot < s->vtable_len; s = s->super) {
        const Method *m = s->vtable[slot];
        if (m != last && has_dependents(ASSUME_METHOD_UNIQUE, m) && !selects_the_same(c, m))
            assumption_break(self, ASSUME_METHOD_UNIQUE, m);
        last = m;
    }
}

// True: somebody depends on what some method selects.
static bool join(Class *c)
{
    mutex_lock(&deps_lock);
    c->joined = true;
    if (c->super)
        c->super->extended = true;
    bool any = kind_counts[ASSUME_METHOD_UNIQUE] > 0;
    mutex_unlock(&deps_lock);
    return any;
}

void class_join_hierarchy(Thread *self, Class *c)
{
    ASSERT_MAY_GC(self);
    ASSERT_NO_LOCKS();
    if (class_is_interface(c) || class_is_array(c))
        return;
    VM_ASSERT(c->vtable);
    bool any = join(c);
    if (!c->super)
        return;
    assumption_break(self, ASSUME_CLASS_LEAF, c->super);
    any &= !(c->access & ACC_ABSTRACT);
    for (uint32_t i = 0; any && i < c->super->vtable_len; i++)
        if (changes_slot(c, i))
            break_slot(self, c, i);
}
