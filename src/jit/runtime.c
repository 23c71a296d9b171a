// SPDX-License-Identifier: Apache-2.0
// See runtime.h.
#include "jit/runtime.h"

#include "base/alloc.h"
#include "class/assumption.h"
#include "class/loader.h"
#include "class/unload.h"
#include "code/compiled_code.h"
#include "frame/held_monitors.h"
#include "interp/breakpoint.h"
#include "interp/interp.h"
#include "interp/trace.h"
#include "interp/watch.h"
#include "java/exception.h"
#include "java/java_object.h"

// ---- allocation ----

// Compiled code leaves out the barrier of stores into what it has just made.
static uint64_t made(Object *o)
{
    if (o)
        heap_expect_stores(o);
    return (uintptr_t)o;
}

uint64_t runtime_new(Thread *self, uint64_t *outgoing)
{
    ASSERT_MAY_GC(self);
    return made(object_new_raw(self, (Class *)(uintptr_t)outgoing[0]));
}

uint64_t runtime_new_array(Thread *self, uint64_t *outgoing)
{
    ASSERT_MAY_GC(self);
    return made(array_new_raw(self, (Class *)(uintptr_t)outgoing[0], (int32_t)outgoing[1]));
}

uint64_t runtime_new_multi(Thread *self, uint64_t *outgoing)
{
    ASSERT_MAY_GC(self);
    int32_t lengths[UINT8_MAX];
    int count = (int)outgoing[1];
    VM_ASSERT(count > 0 && count <= UINT8_MAX);
    for (int i = 0; i < count; i++)
        lengths[i] = (int32_t)outgoing[2 + i];
    return (uintptr_t)array_new_multi(self, (Class *)(uintptr_t)outgoing[0], count, lengths);
}

// ---- exceptions of instructions ----

uint64_t runtime_throw_null(Thread *self, uint64_t *outgoing)
{
    (void)outgoing;
    throw_null(self, "java/lang/NullPointerException");
    return 0;
}

uint64_t runtime_throw_zero(Thread *self, uint64_t *outgoing)
{
    (void)outgoing;
    throw_new(self, "java/lang/ArithmeticException", "/ by zero");
    return 0;
}

uint64_t runtime_throw_index(Thread *self, uint64_t *outgoing)
{
    throw_index_of_length(self, (int32_t)outgoing[0], (int32_t)outgoing[1]);
    return 0;
}

uint64_t runtime_throw_size(Thread *self, uint64_t *outgoing)
{
    throw_new(self, "java/lang/NegativeArraySizeException", "%d", (int32_t)outgoing[0]);
    return 0;
}

uint64_t runtime_throw_cast(Thread *self, uint64_t *outgoing)
{
    throw_class_cast(self, object_class((const Object *)(uintptr_t)outgoing[0]),
                     (Class *)(uintptr_t)outgoing[1]);
    return 0;
}

// ---- monitors ----

uint64_t runtime_enter_monitor(Thread *self, uint64_t *outgoing)
{
    ASSERT_MAY_GC(self);
    if (!held_enter_compiled(self, (Object *)(uintptr_t)outgoing[0])) {
        throw_stack_overflow(self);
        return 0;
    }
    if (!exception_pending(self))
        return 1;
    (void)!held_exit_compiled(self, self->held.top[-1]); // Thread.stop came meanwhile
    return 0;
}

uint64_t runtime_exit_monitor(Thread *self, uint64_t *outgoing)
{
    ASSERT_MAY_GC(self);
    if (held_exit_compiled(self, (const Object *)(uintptr_t)outgoing[0]))
        return 1;
    throw_monitor_state(self);
    return 0;
}

// ---- breakpoints, watched fields ----

static Method *reported_method(const uint64_t *outgoing)
{
    return (Method *)(uintptr_t)outgoing[REPORT_METHOD];
}

static const Insn *reported_insn(const uint64_t *outgoing)
{
    return (const Insn *)(uintptr_t)outgoing[REPORT_INSN];
}

uint64_t runtime_breakpoint(Thread *self, uint64_t *outgoing)
{
    ASSERT_MAY_GC(self);
    breakpoint_post(self, reported_method(outgoing), reported_insn(outgoing));
    return !exception_pending(self);
}

static MAY_GC uint64_t report_access(Thread *self, const uint64_t *outgoing, const Slot *value)
{
    Field *f = (Field *)(uintptr_t)outgoing[REPORT_FIELD];
    const Slot object = {.raw = outgoing[REPORT_OBJECT]};
    watch_report(self, reported_method(outgoing), reported_insn(outgoing), f,
                 f->access & ACC_STATIC ? NULL : &object, value);
    return !exception_pending(self);
}

uint64_t runtime_get_watched(Thread *self, uint64_t *outgoing)
{
    ASSERT_MAY_GC(self);
    return report_access(self, outgoing, NULL);
}

uint64_t runtime_put_watched(Thread *self, uint64_t *outgoing)
{
    ASSERT_MAY_GC(self);
    const Slot value = {.raw = outgoing[REPORT_VALUE]};
    return report_access(self, outgoing, &value);
}

// ---- classes ----

uint64_t runtime_is_subclass(Thread *self, uint64_t *outgoing)
{
    (void)self;
    return class_is_subclass((const Class *)(uintptr_t)outgoing[0],
                             (const Class *)(uintptr_t)outgoing[1]);
}

uint64_t runtime_trace(Thread *self, uint64_t *outgoing)
{
    (void)outgoing;
    trace_youngest(self);
    return 0;
}

// ---- interface calls ----
// What was found is kept in a table by class and method, so that a call between several classes makes nothing new.

enum { FOUND_BUCKETS = 4096, FOUND_MOST = 1 << 16 };
typedef struct Found {
    InterfaceFound found; // first
    const Method *method;
    struct Found *next;
} Found;

static Mutex caches_lock = MUTEX_INIT(RANK_STUBS);
static const InterfaceFound nothing_found; // of no class: objects of class 0 do not exist
static Found *_Atomic buckets[FOUND_BUCKETS];
static uint32_t found_count;
static InterfaceCache *caches;

static size_t bucket_of(uint32_t klass, const Method *m)
{
    return (klass * 0x9E3779B1u ^ (uint32_t)((uintptr_t)m >> 4)) % FOUND_BUCKETS;
}

InterfaceCache *interface_cache_new(const Method *m)
{
    InterfaceCache *c = attempt_result(sizeof *c);
    for (size_t i = 0; i < CACHE_ENTRIES; i++)
        atomic_init(&c->found[i], &nothing_found);
    c->method = (Method *)(uintptr_t)m;
    return c;
}

void interface_cache_keep(InterfaceCache *c)
{
    mutex_lock(&caches_lock);
    c->next = caches;
    if (caches)
        caches->prev = c;
    caches = c;
    mutex_unlock(&caches_lock);
}

void interface_cache_free(InterfaceCache *c)
{
    mutex_lock(&caches_lock);
    if (c->next)
        c->next->prev = c->prev;
    if (c->prev)
        c->prev->next = c->next;
    else
        caches = c->next;
    mutex_unlock(&caches_lock);
    vm_free(c);
}

static const InterfaceFound *find(uint32_t klass, const Method *m)
{
    Found *f =
        atomic_load_explicit(&buckets[bucket_of(klass, m)], memory_order_acquire); // remember
    while (f && (f->found.klass != klass || f->method != m))
        f = f->next;
    return f ? &f->found : NULL;
}

static Invalidate forget_selected;
static Dependent selected_by_tables = {.invalidate = forget_selected};

// What is found is forgotten when tables are made anew.
static void depend_on_tables(Thread *self)
{
    static _Atomic bool depends;
    if (atomic_load_explicit(&depends, memory_order_relaxed))
        return;
    Assumption tables = {ASSUME_TABLES, NULL, ASSUMED_NUMBER(class_tables_remade())};
    (void)!assume(self, &selected_by_tables, &tables, 1, NULL); // self is IN_VM: it holds
    atomic_store_explicit(&depends, true, memory_order_relaxed);
}

// NULL: the table is full.
static const InterfaceFound *remember(Thread *self, uint32_t klass, const Method *m,
                                      Method *selected)
{
    depend_on_tables(self);
    mutex_lock(&caches_lock);
    const InterfaceFound *there = find(klass, m);
    if (!there && found_count < FOUND_MOST) {
        Found *f = vm_calloc(1, sizeof *f);
        *f = (Found){{klass, selected}, m, atomic_load(&buckets[bucket_of(klass, m)])};
        atomic_store_explicit(&buckets[bucket_of(klass, m)], f, memory_order_release); // find
        found_count++;
        there = &f->found;
    }
    mutex_unlock(&caches_lock);
    return there;
}

static SavedRegisters *registers_of(uint64_t *outgoing)
{
    return (SavedRegisters *)(void *)(outgoing - 1) - 1; // below the return address
}

uint64_t runtime_select(Thread *self, uint64_t *outgoing)
{
    enum { RECEIVER = 7, CACHE = 0 }; // rdi, rax
    const SavedRegisters *r = registers_of(outgoing);
    const Object *receiver = (const Object *)(uintptr_t)r->at[RECEIVER];
    InterfaceCache *cache = (InterfaceCache *)(uintptr_t)r->at[CACHE];
    ASSERT_OBJECT(receiver);
    uint32_t klass = receiver->klass;
    const InterfaceFound *found = find(klass, cache->method);
    if (!found) {
        Method *selected = interface_select_class(self, object_class(receiver), cache->method);
        if (!selected)
            return 0;
        found = remember(self, klass, cache->method, selected);
        if (!found)
            return (uintptr_t)selected;
    }
    atomic_store_explicit(&cache->found[interface_cache_index(klass)], found,
                          memory_order_release); // compiled code
    return (uintptr_t)found->selected;
}

// World stopped; but the compiler may be making caches.
static void forget_all(void)
{
    ASSERT_WORLD_STOPPED();
    mutex_lock(&caches_lock);
    for (InterfaceCache *c = caches; c; c = c->next)
        for (size_t i = 0; i < CACHE_ENTRIES; i++)
            atomic_store(&c->found[i], &nothing_found);
    for (size_t i = 0; i < FOUND_BUCKETS; i++)
        for (Found *f = atomic_exchange(&buckets[i], NULL), *next; f; f = next) {
            next = f->next;
            vm_free(f);
        }
    found_count = 0;
    mutex_unlock(&caches_lock);
}

// Classes are unloaded.
static void forget(Class *dead)
{
    if (!dead)
        forget_all();
}

static bool forget_selected(Dependent *d, AssumptionKind kind, const void *object)
{
    VM_ASSERT(kind == ASSUME_TABLES && !object);
    (void)d;
    (void)kind;
    (void)object;
    forget_all();
    return true;
}

void runtime_init(void)
{
    unload_add_hook(forget);
}
