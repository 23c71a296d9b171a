// SPDX-License-Identifier: Apache-2.0
// The list of threads and their life: attaching, starting, ending; ids; Java stacks; statistics.
//
// The list changes with safepoint_lock and threads_lock both held (in that order), so either
// keeps it still. A thread leaves it only when nobody stops the world or suspends the thread. The
// struct lives until its last pin is gone; the list has one.
#include <stdlib.h>

#include "thread/monitor.h"
#include "thread/thread_internal.h"

#include "base/alloc.h"
#include "base/log.h"
#include "base/recent.h"

enum {
    ID_MAX = 65535,
    STACK_RESERVE = 16 * 1024,      // of the Java stack, to handle its overflow in
    C_STACK_HEADROOM = 1024 * 1024, // beside what -Xss asks for
    C_STACK_RESERVE = 256 * 1024,   // where C code stops recursing into Java
    DEFAULT_JAVA_STACK = 1024 * 1024,
};
static const int64_t recheck_nanos = 100ll * 1000 * 1000;

Mutex threads_lock = MUTEX_INIT(RANK_THREADS);
Thread *threads_first;
ThreadHooks thread_hooks;
void (*thread_bound)(Thread *self);

static Thread *_Atomic by_id[ID_MAX + 1];
static uint32_t last_id; // threads_lock, as all below
static Thread *threads_last;
static Cond list_changed;
static size_t default_stack = DEFAULT_JAVA_STACK;
__thread Thread *thread_current_;

static pthread_key_t native_key;        // thread_native of the current thread
static const void *const kind_table[6]; // as many words of it as profilers compare

static void set_current(Thread *t)
{
    thread_current_ = t;
    pthread_setspecific(native_key, thread_native(t));
}

void threads_init(size_t default_java_stack)
{
    VM_CHECK(pthread_key_create(&native_key, NULL) == 0);
    if (default_java_stack)
        default_stack = default_java_stack;
    cond_init(&list_changed);
    states_init();
}

void thread_set_hooks(const ThreadHooks *hooks)
{
    thread_hooks = *hooks;
}

// ---- structs and stacks ----

unsigned thread_java_stacks = 1;

static bool java_stack_make(Thread *t, size_t size)
{
    size = ALIGN_UP((size ? size : default_stack) + STACK_RESERVE, os_page_size());
    char *p = os_reserve(size * thread_java_stacks, os_page_size());
    if (!p)
        return false;
    if (!os_commit(p, size * thread_java_stacks)) {
        os_release(p, size * thread_java_stacks);
        return false;
    }
    t->stack_first = t->stack_base = (Slot *)(void *)p;
    t->stack_end = (Slot *)(void *)(p + size);
    t->stack_limit = (Slot *)(void *)(p + size - STACK_RESERVE);
    return true;
}

const struct JNINativeInterface_ *thread_jni_table;
_Atomic bool thread_contention_timing;

static Thread *thread_make(size_t java_stack)
{
    Thread *t = calloc(1, sizeof(*t));
    if (!t || !java_stack_make(t, java_stack)) {
        vm_free(t);
        return NULL;
    }
    handle_stack_init(&t->mutator.handles);
    mutex_init(&t->park_lock, RANK_PARK);
    cond_init(&t->park_cond);
    t->spins = thread_spins_at_first();
    atomic_init(&t->state, THREAD_NEW);
    t->pins = 1;
    t->kind = kind_table;
    return t;
}

static void thread_free(Thread *t)
{
    while (atomic_load(&t->wakers) > 0)
        os_yield();
    size_t stack = (size_t)((char *)t->stack_end - (char *)t->stack_base);
    os_release(t->stack_first, stack * thread_java_stacks);
    handle_stack_free(&t->mutator.handles);
    vm_free(t->call_cache);
    vec_free(&t->jni_frames);
    vec_free(&t->jni_monitors);
    vm_free(t->held.base);
    mutex_destroy(&t->park_lock);
    cond_destroy(&t->park_cond);
    vm_free(t);
}

static Thread *spare; // for the thread that ends the VM

// The calling OS thread becomes t.
static void thread_bind(Thread *t)
{
    OsStack stack = os_current_stack();
    os_guard_stack(&stack);
    size_t reserve = (size_t)C_STACK_RESERVE * C_STACK_SCALE;
    reserve = MIN_OF(reserve, (size_t)(stack.high - stack.low) / 3);
    t->c_stack_high = stack.high;
    mutex_lock(&threads_lock);
    t->pthread = pthread_self();
    t->os_id = os_thread_id();
    t->start_nanos = os_nanos();
    mutex_unlock(&threads_lock);
    safepoint_bound(t, stack.low + reserve);
    set_current(t);
    if (thread_bound)
        thread_bound(t);
}

// ---- the list ----

// A free id, round robin so that a stale one is not met again soon; 0 when there is none.
// threads_lock is held.
static uint32_t id_take(Thread *t)
{
    ASSERT_HELD(&threads_lock);
    for (uint32_t tries = 0; tries < ID_MAX; tries++) {
        last_id = last_id % ID_MAX + 1;
        if (!atomic_load_explicit(&by_id[last_id], memory_order_relaxed)) {
            atomic_store_explicit(&by_id[last_id], t, memory_order_release);
            return last_id;
        }
    }
    return 0;
}

// Both locks are held. False when ids are exhausted.
static bool list_add(Thread *t)
{
    t->id = id_take(t);
    if (t->id == 0)
        return false;
    t->prev = threads_last;
    *(threads_last ? &threads_last->next : &threads_first) = t;
    threads_last = t;
    recent_add(RECENT_THREADS, "Thread added: id=%u", t->id);
    t->listed = true;
    t->jni = thread_jni_table; // whoever changes that goes through the list under the same lock
    safepoint_adopt(t);
    return true;
}

static void list_remove(Thread *t)
{
    *(t->prev ? &t->prev->next : &threads_first) = t->next;
    *(t->next ? &t->next->prev : &threads_last) = t->prev;
    t->next = t->prev = NULL;
    t->listed = false;
    atomic_store_explicit(&by_id[t->id], NULL, memory_order_release);
    atomic_store(&t->state, THREAD_ENDED);
    cond_broadcast(&list_changed);
}

// Takes t off the list once nobody looks at it; the caller is in a safe state.
static void thread_unlist(Thread *t)
{
    mutex_lock(&safepoint_lock);
    safepoint_await_quiet(t);
    mutex_lock(&threads_lock);
    list_remove(t);
    mutex_unlock(&threads_lock);
    safepoint_changed();
    mutex_unlock(&safepoint_lock);
    thread_unpin(t);
}

Thread *thread_by_id(uint32_t id)
{
    return id <= ID_MAX ? atomic_load_explicit(&by_id[id], memory_order_acquire) : NULL;
}

Thread *thread_of_java(Object *java_thread)
{
    return java_thread && thread_hooks.get_eetop ? thread_hooks.get_eetop(java_thread) : NULL;
}

Thread *thread_pin(jobject java_thread)
{
    mutex_lock(&threads_lock);
    Thread *t = thread_of_java(deref(java_thread));
    if (t)
        t->pins++;
    mutex_unlock(&threads_lock);
    return t;
}

bool thread_pin_listed(Thread *t)
{
    bool found = false;
    mutex_lock(&threads_lock);
    THREAD_EACH(at)
    found |= at == t;
    if (found)
        t->pins++;
    mutex_unlock(&threads_lock);
    return found;
}

void thread_unpin(Thread *t)
{
    mutex_lock(&threads_lock);
    VM_CHECK(t->pins > 0);
    bool last = --t->pins == 0;
    mutex_unlock(&threads_lock);
    if (last)
        thread_free(t);
}

void threads_each_mutator(void (*visit)(void *ctx, Mutator *m), void *ctx)
{
    THREAD_EACH(t)
    visit(ctx, &t->mutator);
}

uint64_t threads_allocated(Thread *self)
{
    ASSERT_MAY_GC(self);
    world_stop(self);
    uint64_t total = heap_ended_allocated();
    THREAD_EACH(t)
    total += heap_thread_allocated(&t->mutator);
    world_resume(self);
    return total;
}

// ---- attaching and ending ----

// What the calling thread does, in HotSpot's words.
static void log_thread(const char *what)
{
    LOG(LOG_THREAD, LOG_INFO, "%s (tid: %lu, pthread id: %lu).", what,
        (unsigned long)os_thread_id(), (unsigned long)pthread_self());
}

// Frees t where it can't be listed, and gives NULL.
static Thread *thread_attach(Thread *t)
{
    VM_ASSERT(!thread_current_);
    thread_bind(t);
    thread_leave_vm(t, THREAD_BLOCKED);
    mutex_lock(&safepoint_lock);
    safepoint_await_quiet(NULL);
    mutex_lock(&threads_lock);
    bool ok = list_add(t);
    mutex_unlock(&threads_lock);
    mutex_unlock(&safepoint_lock);
    if (!ok) {
        set_current(NULL);
        thread_free(t);
        return NULL;
    }
    log_thread("Thread attached");
    thread_enter_vm(t);
    return t;
}

Thread *thread_attach_current(size_t java_stack)
{
    Thread *t = thread_make(java_stack);
    return t ? thread_attach(t) : NULL;
}

bool threads_keep_spare(void)
{
    spare = thread_make(0);
    return spare != NULL;
}

Thread *thread_attach_last(void)
{
    Thread *t = thread_make(0);
    if (!t) {
        t = spare;
        spare = NULL;
    }
    return t ? thread_attach(t) : NULL;
}

// Lets go of what the ending (or never begun) thread has in the heap. The caller is IN_VM.
static void thread_drop_references(Thread *t)
{
    mutex_lock(&threads_lock);
    jobject java = t->java_thread;
    if (java && thread_hooks.set_eetop && thread_of_java(deref(java)) == t)
        thread_hooks.set_eetop(deref(java), NULL);
    t->java_thread = NULL;
    mutex_unlock(&threads_lock);
    mutex_lock(&safepoint_lock);
    jobject async = t->async_exception;
    t->async_exception = NULL;
    mutex_unlock(&safepoint_lock);
    if (java)
        global_delete(java);
    if (async)
        global_delete(async);
    if (t->forced_object)
        global_delete(t->forced_object);
    t->exception = NULL;
}

void thread_detach_current(Thread *self)
{
    ASSERT_MAY_GC(self);
    VM_ASSERT(self == thread_current_ && thread_in_vm(self));
    VM_ASSERT(self->held.top == self->held.base); // as no frame is left
    monitors_release_all(self);
    heap_thread_detach(&self->mutator);
    thread_drop_references(self);
    recent_add(RECENT_THREADS, "Thread exited: id=%u", self->id);
    thread_leave_vm(self, THREAD_BLOCKED);
    set_current(NULL);
    os_unguard_stack();
    thread_unlist(self);
}

// ---- starting ----

typedef struct Start {
    Thread *t;
    void (*body)(Thread *self, void *arg);
    void *arg;
} Start;

static void *thread_run(void *p)
{
    Start start = *(Start *)p;
    vm_free(p);
    thread_bind(start.t);
    log_thread("Thread is alive");
    thread_enter_vm(start.t);
    start.body(start.t, start.arg);
    LOG(LOG_THREAD, LOG_INFO, "JavaThread exiting (tid: %lu).", (unsigned long)os_thread_id());
    thread_detach_current(start.t);
    log_thread("Thread finished");
    return NULL;
}

// Links and lists a thread that another one starts; the caller is IN_VM.
static bool thread_introduce(Thread *t, jobject java_thread)
{
    t->started = true;
    t->java_thread = global_new(deref(java_thread));
    t->hidden = t->daemon = !t->java_thread;
    mutex_lock(&safepoint_lock);
    mutex_lock(&threads_lock);
    if (t->java_thread && thread_hooks.set_eetop)
        thread_hooks.set_eetop(deref(t->java_thread), t);
    bool ok = list_add(t);
    mutex_unlock(&threads_lock);
    mutex_unlock(&safepoint_lock);
    return ok;
}

// Undoes thread_introduce when the system refused.
static void thread_withdraw(Thread *self, Thread *t)
{
    thread_drop_references(t);
    if (!t->listed) {
        thread_unpin(t);
        return;
    }
    thread_leave_vm(self, THREAD_BLOCKED);
    thread_unlist(t);
    thread_enter_vm(self);
}

bool thread_start(Thread *self, jobject java_thread, size_t stack,
                  void (*body)(Thread *self, void *arg), void *arg)
{
    ASSERT_MAY_GC(self);
    ASSERT_HANDLE(java_thread);
    Thread *t = thread_make(stack);
    if (!t) {
        LOG(LOG_THREAD, LOG_WARNING,
            "Failed to start thread \"Unknown thread\" - no address space for its Java stack: "
            "%zuk.",
            stack >> 10);
        return false;
    }
    if (!thread_introduce(t, java_thread)) {
        thread_withdraw(self, t);
        return false;
    }
    Start *start = vm_malloc(sizeof(*start));
    *start = (Start){t, body, arg};
    size_t c_stack = MAX_OF(stack, default_stack) + C_STACK_HEADROOM;
    c_stack = ALIGN_UP(c_stack * C_STACK_SCALE, os_page_size());
    pthread_t id;
    if (os_thread_start(&id, c_stack, thread_run, start)) {
        LOG(LOG_THREAD, LOG_INFO,
            "Thread \"Unknown thread\" started (pthread id: %lu, attributes: stacksize: %zuk, "
            "guardsize: %zuk, detached). ",
            (unsigned long)id, c_stack >> 10, os_page_size() >> 10);
        return true;
    }
    vm_free(start);
    thread_withdraw(self, t);
    LOG(LOG_THREAD, LOG_WARNING,
        "Failed to start thread \"Unknown thread\" - pthread_create failed (EAGAIN) for "
        "attributes: stacksize: %zuk, guardsize: 0k, detached.",
        c_stack >> 10);
    return false;
}

// ---- the end ----

// threads_lock is held.
static int count_non_daemons(void)
{
    ASSERT_HELD(&threads_lock);
    int n = 0;
    THREAD_EACH(t)
    n += !t->hidden && !t->daemon;
    return n;
}

void threads_wait_for_others(Thread *self)
{
    ASSERT_MAY_GC(self);
    thread_lock(self, &threads_lock);
    int own = !self->hidden && !self->daemon;
    while (count_non_daemons() > own)
        thread_cond_wait(self, &list_changed, &threads_lock, recheck_nanos);
    mutex_unlock(&threads_lock);
}
