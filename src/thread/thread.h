// SPDX-License-Identifier: Apache-2.0
// Threads: life cycle, states, polls, the list of threads, stopping the world and holding one
// thread.
//
// A thread is IN_VM (running Java or VM code: may touch the heap, must poll) or in a safe state
// (IN_NATIVE, BLOCKED: may not touch the heap, the world may be stopped around it). Leaving a
// safe state blocks while somebody stops the world or holds the thread. A running thread
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

enum {                  // requests, in Thread.poll
    POLL_SAFEPOINT = 1, // the world is being stopped
    POLL_HOLD = 2,      // somebody holds (inspects, suspends) this thread
    POLL_ASYNC = 4,     // an exception to throw: Thread.stop, StopThread
    POLL_STEP = 8,      // single-stepping: stays set
    POLL_LEAVE = 16,    // the top frame is FRAME_LEAVE
    POLL_TRACE = 32,    // every instruction of all threads is told: stays set
};

// How often and how long a thread was kept waiting. Written by the thread itself, IN_VM.
typedef struct WaitFigures {
    uint64_t count;
    int64_t nanos; // while thread_contention_timing was on
    int64_t since; // os_nanos() when the wait under way began; 0: none, or not timed
} WaitFigures;
extern _Atomic bool thread_contention_timing;

// Objects whose monitors Java frames have entered: see frame/held_monitors.h.
typedef struct HeldMonitors {
    Object **base, **top, **end; // from vm_realloc; all NULL at first
} HeldMonitors;

struct Thread {
    Mutator mutator; // first
    // ---- the engine ----
    const void *const *_Atomic dispatch; // the table the engine runs by
    // top frame, NULL when none; valid whenever the thread is in a safe state
    Frame *frame;
    // Java stack; above stack_limit only with the reserve for handling an overflow
    Slot *stack_base, *stack_limit, *stack_end;
    Slot *stack_first;          // memory of all its Java stacks, see thread_java_stacks
    uint32_t stack_epoch;       // how often frames have moved
    HeldMonitors held;          // roots
    Object *exception;          // pending; a root
    Object *exception_reported; // last one posted as EXCEPTION; a root
    // the engine's, of interface calls; from vm_calloc, freed with the thread
    struct CallCache *call_cache;
    Slot forced_result;    // of the frame that is FRAME_RETURN; a reference:
    jobject forced_object; // global handle
    char *c_stack_limit;   // C code that recurses into Java checks against this
    int32_t upcall_depth;
    uint64_t last_frame_id; // Frame.id of the frame that was pushed last
    // Stepping tells nothing of what runs to link an instruction, unless it began in there:
    _Atomic uint32_t linking;         // so many instructions, one for the sake of the other
    _Atomic uint32_t linking_stepped; // so many of them when stepping began
    // Where the thread stood when stepping began: stepping tells what comes after that. NULL: it
    // stood before no instruction, or has gone on.
    const struct Insn *_Atomic step_insn;
    _Atomic uint64_t step_frame; // Frame.id of the frame of step_insn
    // ---- JNI ----
    const void *const *kind;               // see thread_native; the same for all threads
    const struct JNINativeInterface_ *jni; // &thread->jni is the JNIEnv
    VEC(HandleMark) jni_frames;            // PushLocalFrame
    int32_t critical_depth;
    // ---- identity ----
    uint32_t id;         // 1..65535, in the mark word of thin locks; reused
    jobject java_thread; // global handle of the java.lang.Thread; NULL before it exists
    pthread_t pthread;
    uint64_t os_id;
    bool daemon, hidden /* VM's own: not listed */;
    bool started;        // by thread_start; others were attached
    const char *vm_name; // of VM threads
    // ---- state ----
    _Atomic uint32_t state;  // ThreadState
    _Atomic uint32_t poll;   // POLL_*
    int32_t hold_count;      // RANK_SAFEPOINT lock
    bool suspended;          // counted in hold_count: by Thread.suspend or SuspendThread
    _Atomic bool exiting;    // can't be suspended any more; set under the RANK_SAFEPOINT lock
    bool frozen;             // counted in hold_count: by a profiler
    jobject async_exception; // global handle, RANK_SAFEPOINT lock
    bool defers_async;       // it waits until the thread is back in the program's own code
    // ---- blocking ----
    Mutex park_lock;
    Cond park_cond;
    _Atomic bool park_permit;
    _Atomic bool asleep; // on park_cond, or about to be: who changes what it waits for wakes it
    _Atomic uint32_t
        wakers;     // threads that have yet to wake it, having picked it under another lock
    uint32_t spins; // looks before it sleeps, as many as paid lately
    bool wake;      // an interrupt or notify is to end the current wait
    struct Monitor *_Atomic waiting_on; // Object.wait
    struct Monitor *_Atomic blocked_on; // monitor enter
    struct Class
        *initializing; // whose initialization by another it waits for; its own to write
    struct RawMonitor *_Atomic raw_waiting_on, *_Atomic raw_blocked_on; // the same of raw ones
    struct Thread *wait_next;                                           // queue of a monitor
    bool notified;
    int64_t start_nanos;
    WaitFigures blocked, waited; // to enter monitors; in Object.wait, park and sleep
    uint32_t defined_classes;    // by this thread
    // ---- tools ----
    void *tool_data[4]; // of the event subscribers, by their index
    uint32_t
        tool_depth; // events that agents are being told on this thread, and their functions that it is in
    // ---- list ----
    struct Thread *next, *prev;
    // ---- private to src/thread ----
    VEC(jobject) jni_monitors; // global handles of the monitors entered through JNI, in order
    uint32_t pins;             // RANK_THREADS lock; the list's own included
    bool listed;               // RANK_THREADS lock
    int32_t holding;           // holds that this thread has on others; RANK_SAFEPOINT lock
    bool hold_waiting;         // stands before taking one; RANK_SAFEPOINT lock
    _Atomic uint32_t queue_state; // its place in a monitor's queues, see monitor_internal.h
    struct Thread *wait_prev;
};

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
    return native ? (Thread *)(void *)((char *)native - offsetof(Thread, kind)) : NULL;
}

// ---- states ----
// Into native or out of the VM: the heap may not be touched until thread_enter_vm. Native code is
// entered from IN_VM only.
static inline void thread_leave_vm(Thread *self, ThreadState safe)
{
    VM_ASSERT(safe != THREAD_IN_NATIVE || atomic_load(&self->state) == THREAD_IN_VM);
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
           & (POLL_SAFEPOINT | POLL_HOLD);
}
COLD void thread_wait_to_enter(Thread *self);
// Back IN_VM; blocks while the world is stopped or the thread is held. MAY_GC.
MAY_GC ALWAYS_INLINE void thread_enter_vm(Thread *self)
{
    if (UNLIKELY(thread_return(self)))
        thread_wait_to_enter(self);
}
// A safepoint: serves whatever is requested. May set a pending exception (POLL_ASYNC). MAY_GC.
MAY_GC void thread_poll(Thread *self);
static inline bool thread_poll_wanted(Thread *self)
{
    return UNLIKELY(atomic_load_explicit(&self->poll, memory_order_relaxed) != 0);
}
// The same two steps as functions, for HeapWorld.block and unblock.
void thread_block(Thread *self);
MAY_GC void thread_unblock(Thread *self);
// unblock for one that nobody may hold from here to thread_undisturbed_end (a holder waits).
// False: it is held already, or the world is stopped; still blocked.
bool thread_unblock_undisturbed(Thread *self);
void thread_undisturbed_end(Thread *self);
// Locks a mutex that may be held across a safepoint: waits in a safe state. self is NULL before
// there are threads. MAY_GC.
MAY_GC void thread_lock(Thread *self, Mutex *m);
MAY_GC bool thread_cond_wait(Thread *self, Cond *c, Mutex *m,
                             int64_t nanos); // < 0: forever; false: time-out

// The engine registers its tables: `normal` for threads without requests, `polling` for the others.
void thread_set_dispatch(const void *const *normal, const void *const *polling);
const void *const *thread_normal_dispatch(void);
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
// Holds one other thread in a safe state (its frames can then be read and changed); nests, by
// count. self may hold itself: no effect.
MAY_GC void thread_hold(Thread *self, Thread *t);
void thread_release(Thread *self, Thread *t);
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
// threads_lock is held or the thread is held or the world is stopped.
Thread *thread_of_java(Object *java_thread);
// The thread with an id as in the mark word, NULL when there is none. Same validity.
Thread *thread_by_id(uint32_t id);
// For HeapWorld.each_mutator: every listed thread. World stopped.
void threads_each_mutator(void (*visit)(void *ctx, Mutator *m), void *ctx);
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
