// SPDX-License-Identifier: Apache-2.0
// Threads: life cycle, states, polls, the list of threads, stopping the world and stopping one
// thread.
//
// A thread is IN_VM (running Java or VM code: may touch the heap, must poll) or in a safe state
// (IN_NATIVE, BLOCKED: may not touch the heap, the world may be stopped around it). Leaving a
// safe state blocks while somebody stops the world or suspends the thread. A running thread
// notices requests at polls: the engine's dispatch table is swapped to one whose every entry
// polls.
#ifndef THREAD_THREAD_H
#define THREAD_THREAD_H

#include <jni.h>

#include "base/vec.h"
#include "heap/heap.h"
#include "platform/platform.h"
#include "thread/slot.h"

typedef enum ThreadState {
    THREAD_NEW,
    THREAD_IN_VM,
    THREAD_IN_NATIVE,
    THREAD_BLOCKED, // by a monitor, a lock of the VM, somebody who stops it; in Object.wait, parked
    THREAD_WAITING, // in the VM for something to come: a class's initialization, work to do
    THREAD_ENDED
} ThreadState;

enum {                    // requests, in Thread.poll
    POLL_SAFEPOINT = 1,   // the world is being stopped
    POLL_SUSPEND = 2,     // a handshake or a suspension stops this thread
    POLL_ASYNC = 4,       // an exception to throw: Thread.stop, StopThread
    POLL_STEP = 8,        // single-stepping: stays set
    POLL_FRAME_EXIT = 16, // the top frame has FRAME_EXIT_REQUESTED
    POLL_TRACE = 32,      // every instruction of all threads is posted: stays set
    POLL_COLLECT = 64,    // frames of it took of the heap's reserve: heap_alloc_still
};

// Thread.jit_limit while compiled code is to give way: something is requested of the thread, or its calls are watched.
#define JIT_LIMIT_ASKED UINTPTR_MAX
// Bytes of C stack that C code has more than compiled code.
enum { JIT_STACK_RESERVE = 16 * 1024 };

// How often and how long a thread was kept waiting. Written by the thread itself, IN_VM.
typedef struct WaitStatistics {
    uint64_t count;
    int64_t nanos; // while thread_contention_timing was on
    int64_t since; // os_nanos() when the wait under way began; 0: none, or not timed
} WaitStatistics;
extern _Atomic bool thread_contention_timing;

// Objects whose monitors Java frames have entered: see frame/held_monitors.h.
typedef struct HeldMonitors {
    Object **base, **top, **end; // from vm_realloc; all NULL at first
} HeldMonitors;
enum {
    HELD_UNMADE = 1
}; // added to the address of the compiled frame that has not made the object of a record
static inline bool held_is_unmade(const Object *record)
{
    return ((uintptr_t)record & HELD_UNMADE) != 0;
}

typedef enum ThreadFieldAccess { // who may write and read a field: spec/thread_fields.def
    THREAD_FIELD_OWN,
    THREAD_FIELD_ATOMIC,
    THREAD_FIELD_PUBLISH,
    THREAD_FIELD_START,
    THREAD_FIELD_SAFEPOINT,
    THREAD_FIELD_THREADS,
    THREAD_FIELD_PARK,
    THREAD_FIELD_QUEUE,
} ThreadFieldAccess;

struct Thread {
#define FIELD(type, name, access, text)         type name;
#define ARRAY(type, name, length, access, text) type name[length];
#include "spec/thread_fields.def"
#undef FIELD
#undef ARRAY
};

// Where each field lies, for code that is no C. A row with an unknown access does not compile.
enum {
#define FIELD(type, name, access, text) \
    THREAD_OFFSET_##name = offsetof(struct Thread, name) + 0 * THREAD_FIELD_##access,
#define ARRAY(type, name, length, access, text) FIELD(type, name, access, text)
#include "spec/thread_fields.def"
#undef FIELD
#undef ARRAY
};
_Static_assert(THREAD_OFFSET_mutator == 0, "code finds it without an offset");
_Static_assert(THREAD_OFFSET_jni == THREAD_OFFSET_kind + sizeof(void *),
               "native profilers look there");

// Closes the frames of local references (JNI PushLocalFrame) that native code has left open beyond the first `len`; who frees the code's
// handles frees theirs. NO_GC.
static inline void jni_frames_close(struct Thread *self, size_t len)
{
    if (UNLIKELY(self->jni_frames.len > len))
        self->jni_frames.len = len;
}

// The JNI function table that new threads start with; set by the JNI layer before the first thread.
extern const struct JNINativeInterface_ *thread_jni_table;

extern __thread Thread *thread_current_ __attribute__((tls_model("initial-exec")));
// The current thread or NULL when it is not attached. NO_GC.
static inline Thread *thread_current(void)
{
    return thread_current_;
}
// What Thread.eetop holds, and a pthread key in the thread itself. Native profilers go by how
// HotSpot's objects look: they search the key that has eetop's value, take the threads whose first
// word leads to the same table as those that run Java, and find a JNIEnv always as far behind.
static inline void *thread_native(Thread *t)
{
    return t ? &t->kind : NULL;
}
static inline Thread *thread_of_native(void *native)
{
    return native ? (Thread *)(void *)((char *)native - THREAD_OFFSET_kind) : NULL;
}

// ---- assertions ----
// The calling thread is self, and may touch the heap.
#define ASSERT_IN_VM(self)               \
    VM_ASSERT((self) == thread_current() \
              && atomic_load_explicit(&(self)->state, memory_order_relaxed) == THREAD_IN_VM)
// The calling thread is self, in a safe state: it may block for as long as it likes.
#define ASSERT_SAFE(self)                \
    VM_ASSERT((self) == thread_current() \
              && atomic_load_explicit(&(self)->state, memory_order_relaxed) != THREAD_IN_VM)
// What a MAY_GC function asks of its caller, whether or not this call will collect: docs/GC.md.
#define ASSERT_MAY_GC(self) \
    do {                    \
        ASSERT_IN_VM(self); \
        ASSERT_GC_MAY();    \
    } while (0)
#define ASSERT_WORLD_STOPPED() VM_ASSERT(world_is_stopped())
// t's frames and fields stand still: it is self, in a handshake or suspended, or the world is stopped.
#define ASSERT_STILL(t)        VM_ASSERT(thread_is_still(t))

// ---- states ----
// Into native or out of the VM: the heap may not be touched until thread_enter_vm. Native code is
// entered from IN_VM only.
static inline void thread_leave_vm(Thread *self, ThreadState safe)
{
    VM_ASSERT(safe != THREAD_IN_NATIVE || atomic_load(&self->state) == THREAD_IN_VM);
    ASSERT_GC_MAY();
    atomic_store_explicit(&self->state, safe, memory_order_release);
}
// The safe state that is left by a plain store: IN_NATIVE, or none (ENDED) where the system has no process
// barrier. Set before there are threads.
extern ThreadState thread_plain_return;
// Stores IN_VM, then gives what is requested that keeps self from running: either this sees a
// request, or who makes it sees IN_VM. How that is had without a barrier: state.c.
ALWAYS_INLINE uint32_t thread_return(Thread *self)
{
    if (LIKELY(atomic_load_explicit(&self->state, memory_order_relaxed)
               == thread_plain_return)) {
        atomic_store_explicit(&self->state, THREAD_IN_VM, memory_order_relaxed);
        atomic_signal_fence(memory_order_seq_cst); // the compiler keeps the order
    } else {
        atomic_store_explicit(&self->state, THREAD_IN_VM, memory_order_seq_cst);
    }
    return atomic_load_explicit(&self->poll, memory_order_seq_cst)
           & (POLL_SAFEPOINT | POLL_SUSPEND);
}
COLD void thread_wait_to_enter(Thread *self);
// Back IN_VM; blocks while the world is stopped or the thread is suspended. MAY_GC.
MAY_GC ALWAYS_INLINE void thread_enter_vm(Thread *self)
{
    if (UNLIKELY(thread_return(self)))
        thread_wait_to_enter(self);
}
// A safepoint: serves whatever is requested. May set a pending exception (POLL_ASYNC). MAY_GC.
MAY_GC void thread_poll(Thread *self);
// Within a long operation of the VM: lets others stop the world or self, and does nothing else that is requested. MAY_GC.
MAY_GC void thread_poll_within(Thread *self);
static inline bool thread_poll_wanted(Thread *self)
{
    return UNLIKELY(atomic_load_explicit(&self->poll, memory_order_relaxed) != 0);
}
// Whether compiled code of self is to give way: it polls, and leaves if the thread still has something to act on.
static inline bool thread_jit_is_asked(const Thread *self)
{
    return atomic_load_explicit(&self->jit_limit, memory_order_relaxed) == JIT_LIMIT_ASKED;
}
// The same two steps as functions, for HeapWorld.block and unblock.
void thread_block(Thread *self);
MAY_GC void thread_unblock(Thread *self);
// unblock for one that nobody may stop from here to thread_undisturbed_end (who wants to waits).
// False: it is suspended already, or the world is stopped; still blocked.
bool thread_unblock_undisturbed(Thread *self);
void thread_undisturbed_end(Thread *self);
// Locks a mutex that may be held across a safepoint: waits in a safe state. self is NULL before
// there are threads. MAY_GC.
MAY_GC void thread_lock(Thread *self, Mutex *m);
// The same for a mutex over whose holding self may leave the VM, to stop the world: nobody suspends it before thread_unlock_undisturbed, as
// who suspends it may want the mutex. MAY_GC.
MAY_GC void thread_lock_undisturbed(Thread *self, Mutex *m);
void thread_unlock_undisturbed(Thread *self, Mutex *m);
MAY_GC bool thread_cond_wait(Thread *self, Cond *c, Mutex *m,
                             int64_t nanos); // < 0: forever; false: time-out

// The engine registers its tables: `normal` for threads without requests, which may run compiled code, `watched` for those whose calls
// are watched, which may not, `polling` for all with requests.
void thread_set_dispatch(const void *const *normal, const void *const *watched,
                         const void *const *polling);
// The table by which self runs while nothing is requested of it.
const void *const *thread_normal_dispatch(const Thread *self);
// From now on the calls of each listed thread that `wants` says so of are watched (Thread.calls_watched), and of no others. It is called
// under RANK_SAFEPOINT.
void threads_watch_calls_where(bool (*wants)(Thread *t));
// Sets or clears request bits of a thread and its table. Thread-safe.
void thread_request(Thread *t, uint32_t bits);
void thread_unrequest(Thread *t, uint32_t bits);
// Begins or goes on to step (POLL_STEP) each listed thread that `wants` says so of, and no
// others. Both functions run under RANK_SAFEPOINT; `begin` notes where a thread stands that is stepped from
// now on (frames_begin_step).
void threads_step_where(bool (*wants)(Thread *t), void (*begin)(Thread *t));
// Sets or clears bits of all threads, those that come later included, as `wanted` says (called
// under RANK_SAFEPOINT).
void threads_request_all(bool (*wanted)(void), uint32_t bits);

// ---- stopping ----
// Nests on one thread; returns with all others in safe states. `operation`: a word for
// -Xlog:safepoint, a constant; world_stop says the function that calls it.
MAY_GC void world_stop_for(Thread *self, const char *operation);
#define world_stop(self) world_stop_for((self), __func__)
MAY_GC void world_stop_to_collect(Thread *self); // HeapWorld.stop
void world_resume(Thread *self);
bool world_is_stopped(void);
// Whether nothing of t runs as long as the caller does: it is the current thread, it is suspended or in a handshake, or the
// world is stopped. For assertions. NO_GC.
bool thread_is_still(const Thread *t);
// A handshake: stops one other thread in a safe state (its frames can then be read and changed) until
// thread_handshake_end; waits until no other thread has one with it. Nests with the same thread, by count; within it there is none with
// another. With self: no effect.
MAY_GC void thread_handshake(Thread *self, Thread *t);
void thread_handshake_end(Thread *self, Thread *t);
// Suspension as tools and Thread.suspend want it. suspend of self blocks until resumed. False:
// already (not) suspended, or exiting: what is suspended stays alive until it is resumed. The
// caller has pinned t, here and for thread_throw_async (which also ends t's sleep, park or
// wait), thread_unpark, thread_interrupt.
MAY_GC bool thread_suspend(Thread *self, Thread *t);
bool thread_resume(Thread *self, Thread *t);
// The current thread is about to end: waits while it is suspended, then is `exiting`.
MAY_GC void thread_begin_exit(Thread *self);
// The same for profilers: a flag of its own, which neither of the two above sees.
MAY_GC bool thread_freeze(Thread *self, Thread *t);
bool thread_thaw(Thread *t);
MAY_GC void thread_throw_async(Thread *self, Thread *t, jobject exception);
// Whether an exception has come by thread_throw_async for self that it is to throw now. NO_GC.
bool thread_async_is_due(const Thread *self);

// ---- the list; lock RANK_THREADS ----
extern Mutex threads_lock;
extern Thread *threads_first; // the oldest; under threads_lock or with the world stopped
#define THREAD_EACH(t) for (Thread *t = threads_first; t; t = t->next)
// The thread of a java.lang.Thread, NULL when not alive. The result stays valid while
// threads_lock is held, the thread is in a handshake or suspended, or the world is stopped.
Thread *thread_of_java(Object *java_thread);
// The thread with an id as in the mark word, NULL when there is none. Same validity.
Thread *thread_by_id(uint32_t id);
// For HeapWorld.each_mutator: every listed thread. World stopped.
void threads_each_mutator(void (*visit)(void *ctx, Mutator *m), void *ctx);
// Bytes that all threads have allocated so far, those that have ended included. Stops the world.
MAY_GC uint64_t threads_allocated(Thread *self);
// Keeps a Thread struct from being freed while a tool looks at it without the lock.
Thread *thread_pin(jobject java_thread); // NULL when not alive
bool thread_pin_listed(Thread *t);       // t may be anything; false: no thread's
void thread_unpin(Thread *t);

// ---- life cycle ----
// Bytes of a Java stack when a thread names no size (-Xss); 0: the VM's default.
void threads_init(size_t default_java_stack);
// Java stacks of each thread that is made from now on, one behind the other: 1, but where frames move
// (frame/move_stack.h).
extern unsigned thread_java_stacks;
// Whether p points into a Java stack of t.
static inline bool thread_stack_has(const Thread *t, const void *p)
{
    size_t bytes = (size_t)((char *)t->stack_end - (char *)t->stack_base) * thread_java_stacks;
    return (size_t)((const char *)p - (const char *)t->stack_first) < bytes;
}
// A Thread for the calling OS thread: allocated, listed, IN_VM, current. NULL when memory or
// ids are exhausted.
MAY_GC Thread *thread_attach_current(size_t java_stack);
// Memory for one thread is put aside. False: there is none.
NODISCARD bool threads_keep_spare(void);
// thread_attach_current for the end of the VM: with what was put aside where there is no other memory.
MAY_GC Thread *thread_attach_last(void);
// Takes the current thread off the list and frees it. Its Java side has ended already.
MAY_GC void thread_detach_current(Thread *self);
// Starts a new OS thread that runs body(new thread, arg) IN_VM, then thread_detach_current. The
// Java thread object is linked before it runs: the new thread gets a global handle of its own
// to what java_thread (any handle, or NULL for a hidden daemon thread of the VM) stands for,
// and hooks.set_eetop is called for it under threads_lock before it is listed: the place to set
// t->daemon. thread_detach_current deletes t->java_thread. False when the system refuses (eetop
// is NULL again).
MAY_GC bool thread_start(Thread *self, jobject java_thread, size_t stack,
                         void (*body)(Thread *self, void *arg), void *arg);
// Waits until at most `count` non-daemon threads are left (DestroyJavaVM waits for 1: itself).
MAY_GC void threads_wait_for_others(Thread *self);
// After this no thread but self returns from a safe state any more (VM exit).
void threads_freeze_others(Thread *self);

// How layers above let the lists and the collector see into a thread: registered once.
typedef struct ThreadHooks {
    // all slots of all frames that hold references
    void (*visit_frames)(Thread *t, RefVisitor visit, void *ctx);
    void (*visit_classes)(Thread *t, void (*reach)(Layout *l)); // of the methods of all frames
    void (*set_eetop)(Object *java_thread, Thread *t);          // links Thread.eetop
    Thread *(*get_eetop)(Object *java_thread);
    bool (*take_interrupt)(Thread *self, bool clear); // reads (and clears) Thread.interrupted
    void (*set_status)(Thread *self, int status);     // Thread.threadStatus
    char *(*type_name)(const Object *o);              // the name of o's class, to be freed
} ThreadHooks;
void thread_set_hooks(const ThreadHooks *hooks);
extern ThreadHooks thread_hooks;
// Optional, set before the first thread: the calling OS thread has become self, which is
// current and not IN_VM yet.
extern void (*thread_bound)(Thread *self);
// Roots of all threads: frames, pending exceptions, sync objects. For HeapWorld.visit_roots.
void threads_visit_roots(RefVisitor visit, void *ctx);

// The classes of the methods that threads run. For HeapWorld.visit_classes.
void threads_visit_classes(void (*reach)(Layout *l));

// threadStatus values (= JVM TI thread state bits)
enum {
    STATUS_NEW = 0,
    STATUS_RUNNABLE = 0x5,
    STATUS_SLEEPING = 0xE1,
    STATUS_WAITING = 0x191,
    STATUS_WAITING_TIMED = 0x1A1,
    STATUS_PARKED = 0x291,
    STATUS_PARKED_TIMED = 0x2A1,
    STATUS_BLOCKED = 0x401,
    STATUS_TERMINATED = 0x2,
};

// ---- park, sleep, interrupt ----
MAY_GC void thread_park(Thread *self, bool absolute, int64_t time); // Unsafe.park
void thread_unpark(Thread *t);
typedef enum WaitResult {
    WAIT_DONE,
    WAIT_TIMED_OUT,
    WAIT_INTERRUPTED,
    WAIT_NOT_OWNER
} WaitResult;
MAY_GC WaitResult thread_sleep(Thread *self, int64_t nanos); // INTERRUPTED clears the flag
void thread_interrupt(Thread *t); // wakes park, sleep, wait; the flag was set by Java

#endif
