// SPDX-License-Identifier: Apache-2.0
// What the files of this folder share: environments, phases, per-thread data, and the helpers
// of the function bodies.
//
// A function of the interface is one row of spec/jvmti_functions.def. tools/gen_jvmti.py makes
// of it the entry that checks phase, thread, environment, capability and parameters
// (generated/entries.c), and the prototype of the body, ti_<Name> (generated/decl.h), which
// gets the checked and converted parameters and runs IN_VM (rows marked `native`: in the
// caller's state).
#ifndef JVMTI_ENV_TI_H
#define JVMTI_ENV_TI_H

#include <jvmti.h>

#include "class/loader.h"
#include "class/method_id.h"
#include "event/event.h"
#include "frame/frame_cursor.h"
#include "java/exception.h"
#include "jni/jni_vm.h"
#include "pellucid_jvmti.h"

enum {
    TI_MAGIC = 0x71EE,
    TI_MAGIC_DISPOSED = 0xDEFC,
    TI_SLOT = 0, // of Thread.tool_data
    TI_EVENT_COUNT = JVMTI_MAX_EVENT_TYPE_VAL - JVMTI_MIN_EVENT_TYPE_VAL + 1,
};
_Static_assert(TI_EVENT_COUNT <= 64, "event masks are 64 bits");
#define TI_EVENT_BIT(event) (1ull << ((event)-JVMTI_MIN_EVENT_TYPE_VAL))
#define TI_CALL_EVENTS \
    (TI_EVENT_BIT(JVMTI_EVENT_METHOD_ENTRY) | TI_EVENT_BIT(JVMTI_EVENT_METHOD_EXIT))

typedef void (*TiCallback)(void);

// What an environment has cost. A thread counts in its TiThread, where nobody else writes; where it has
// none, and once it has ended, it is counted in the TiEnv.
typedef struct TiCost {
    _Atomic int64_t events, callback_ticks;
    _Atomic int64_t agent_bytes; // given to the agent, and not back
} TiCost;

// A breakpoint where no instruction starts: it is never hit (TI_ANY_INDEX).
typedef struct TiIdleBreakpoint {
    const Method *method;
    uint32_t bci;
} TiIdleBreakpoint;

// An environment. Never freed, as events may be under way in it; a disposed one has the other
// magic.
// Whether an environment can retransform is settled for ever when its ClassFileLoadHook is first
// enabled (JVM TI, can_retransform_classes).
typedef enum TiHookKind { TI_HOOK_UNSETTLED, TI_HOOK_INCAPABLE, TI_HOOK_CAPABLE } TiHookKind;

typedef struct TiEnv {
    const struct jvmtiInterface_1_ *functions; // a jvmtiEnv * points here
    _Atomic uint32_t magic;
    jint version;                   // asked for
    jvmtiCapabilities capabilities; // owned; changed under ti_lock
    TiCallback _Atomic callbacks[TI_EVENT_COUNT];
    _Atomic uint64_t enabled;        // globally, by event bit
    _Atomic uint64_t thread_enabled; // events enabled for at least one thread
    void *local_storage;
    char **prefixes; // native method prefixes
    jint prefix_count;
    _Atomic bool started;          // VM_START was posted to it
    _Atomic bool redefines_freely; // PELLUCID_SET_ENHANCED_REDEFINITION
    _Atomic uint8_t hook_kind;     // TiHookKind
    struct TiTags *tags;           // made on the first tag
    VEC(TiIdleBreakpoint) idle;    // world stopped
    VEC(Field *) watches[2];       // of accesses, of modifications; ti_lock, world stopped
    _Atomic jint sample_interval;  // mean distance of allocation samples, bytes
    _Atomic uint32_t sample_round; // changes when threads must choose their next sample anew
    TiCallback _Atomic *agent_callbacks;      // of a checked environment, whose own are ours
    jvmtiExtensionEvent _Atomic class_unload; // callback of the extension event
    TiCost cost;
    struct TiEnv *_Atomic next; // order of creation
} TiEnv;

// Small blocks that a thread has given back and keeps for what it asks next, by size (ti_memory.c).
enum { TI_BLOCK_SIZES = 17 };
typedef struct TiBlocks {
    struct TiBlock *first[TI_BLOCK_SIZES];
    uint8_t count[TI_BLOCK_SIZES];
} TiBlocks;

// What an environment keeps of a thread: a list in Thread.tool_data[TI_SLOT], which only grows
// until the thread ends.
typedef struct TiThread {
    TiEnv *env;
    _Atomic uint64_t enabled;
    void *local_storage;
    TiCost cost; // written by the thread itself
    int64_t
        untimed_before; // none of its callbacks from now to that number is timed; the thread itself
    TiBlocks blocks;   // the thread's own
    VEC(FrameId) pops; // the frames whose pop is to be posted; ti_lock
    uint64_t
        sample_at; // of allocated bytes: the next sample; the thread's own, as the next two
    uint32_t sample_round;  // TiEnv.sample_round when it was chosen
    uint64_t sample_random; // state of its random numbers
    struct TiThread *next;
} TiThread;

// The data of env for thread t: NULL when there is none. The caller is t, or holds ti_lock.
static inline TiThread *ti_thread_find(Thread *t, const TiEnv *env)
{
    TiThread *at = __atomic_load_n(&t->tool_data[TI_SLOT], __ATOMIC_ACQUIRE);
    while (at && UNLIKELY(at->env != env))
        at = at->next;
    return at;
}

extern Mutex ti_lock; // RANK_AGENTS: environments, capabilities, enabling
extern TiEnv *_Atomic ti_envs;
#define TI_ENV_EACH(env) \
    for (TiEnv *env = atomic_load(&ti_envs); env; env = atomic_load(&(env)->next))
static inline bool ti_env_is_valid(TiEnv *env)
{
    return atomic_load_explicit(&env->magic, memory_order_relaxed) == TI_MAGIC;
}
// Whether it sees class files among those that can retransform, after the others.
static inline bool ti_retransforms(const TiEnv *env)
{
    return atomic_load(&env->hook_kind) == TI_HOOK_CAPABLE;
}
// Shared by all environments, and writable: tools put hooks of their own into it.
extern struct jvmtiInterface_1_ ti_function_table;

// ---- phase.c ----
extern _Atomic uint32_t ti_phase_now; // jvmtiPhase
static inline jvmtiPhase ti_phase(void)
{
    return (jvmtiPhase)atomic_load_explicit(&ti_phase_now, memory_order_acquire);
}
void ti_phase_set(jvmtiPhase phase);
// Whether no thread can be attached: in OnLoad, and when the start failed there.
bool ti_before_threads(void);
// The phase as an environment sees it: with can_generate_early_vmstart the start phase begins
// earlier.
static inline jvmtiPhase ti_env_phase(const TiEnv *env)
{
    jvmtiPhase phase = ti_phase();
    return phase == JVMTI_PHASE_PRIMORDIAL && atomic_load(&env->started) ? JVMTI_PHASE_START
                                                                         : phase;
}

// ---- env.c ----
void ti_env_init(void);
// The same, made when absent; NULL when t has ended. Under ti_lock.
TiThread *ti_thread_get(Thread *t, TiEnv *env);
// Finds again which events env has enabled for at least one thread. Under ti_lock.
void ti_threads_recount(TiEnv *env);
// Frees what all environments know of the thread; nothing is added afterwards.
void ti_thread_forget(Thread *t);
// A disposed environment gives back what it holds.
void ti_env_dispose(Thread *self, TiEnv *env);

// ---- capability.c ----
// Bit fields are laid out from the lowest bit of each byte on little-endian machines, from the
// highest on the others.
static inline uint8_t ti_bit_mask(int bit)
{
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? (uint8_t)(1u << bit % 8)
                                                     : (uint8_t)(0x80u >> bit % 8);
}
static inline bool ti_has_bit(const jvmtiCapabilities *set, int bit)
{
    return (__atomic_load_n((const uint8_t *)set + bit / 8, __ATOMIC_RELAXED)
            & ti_bit_mask(bit))
           != 0;
}

// ---- events.c ----
void ti_events_init(void);
// Recounts which events anybody listens to, after callbacks, enabling or environments changed.
// No lock held.
void ti_events_changed(void);
// No environment is called for METHOD_ENTRY or METHOD_EXIT without a look at the phase, until ti_events_changed. Under ti_lock.
void ti_events_forget_sole(void);
// Posts VM_START to the environments that wait for it (`early`: those with
// can_generate_early_vmstart).
MAY_GC void ti_post_vm_start(Thread *self, bool early);
MAY_GC void ti_post_vm_init(Thread *self);

// The callback for an event on thread self, NULL when env does not want it now.
TiCallback ti_event_callback(Thread *self, TiEnv *env, jvmtiEvent event);

// ---- costs ----
// Where self, not NULL, counts what env costs.
typedef struct TiCounters {
    TiCost *cost;
    bool own; // self's alone
} TiCounters;
static inline TiCounters ti_counters(Thread *self, TiEnv *env)
{
    TiThread *t = ti_thread_find(self, env);
    return t ? (TiCounters){&t->cost, true} : (TiCounters){&env->cost, false};
}
static inline void ti_count(TiCounters m, _Atomic int64_t *counter, int64_t n)
{
    if (m.own)
        atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + n,
                              memory_order_relaxed);
    else
        atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}
// The same, after the place where self counts was made, if it may have one. No lock held.
COLD TiCounters ti_counters_make(Thread *self, TiEnv *env);
static inline TiCounters ti_own_counters(Thread *self, TiEnv *env)
{
    TiCounters m = ti_counters(self, env);
    return LIKELY(m.own) ? m : ti_counters_make(self, env);
}
// Memory that was given to the agent (negative: that came back). self NULL: in the OnLoad phase.
static inline void ti_count_bytes(Thread *self, TiEnv *env, int64_t bytes)
{
    TiCounters m = self ? ti_counters(self, env) : (TiCounters){&env->cost, false};
    ti_count(m, &m.cost->agent_bytes, bytes);
}
// The sum over all threads.
typedef struct TiCosts {
    int64_t events, callback_ticks, agent_bytes;
} TiCosts;
TiCosts ti_costs(TiEnv *env);

// Counts a callback and its time. Reading the clock costs as much as several small callbacks: of many, one stands for the others, every
// 61st, and of very many every 127th.
static inline int64_t ti_timed_every(int64_t n)
{
    return n < 1000 ? 1 : n < 1000000 ? 61 : 127;
}
typedef struct TiTiming {
    TiCounters counters;
    int64_t began, weight; // ticks; how many callbacks this one stands for
} TiTiming;
// The weight of the callback that is the n-th: 0: it is not timed.
static inline int64_t ti_timing_weight(int64_t n)
{
    int64_t every = ti_timed_every(n);
    return n % every == 0 ? every : 0;
}
static inline TiTiming ti_timing_begin(TiCounters counters)
{
    TiTiming t = {.counters = counters};
    int64_t n = atomic_load_explicit(&t.counters.cost->events, memory_order_relaxed);
    ti_count(t.counters, &t.counters.cost->events, 1);
    t.weight = ti_timing_weight(n);
    t.began = t.weight ? (int64_t)os_ticks() : 0;
    return t;
}
static inline void ti_timing_end(TiTiming t)
{
    if (t.weight)
        ti_count(t.counters, &t.counters.cost->callback_ticks,
                 ((int64_t)os_ticks() - t.began) * t.weight);
}

// Calls an agent's callback with the world stopped, and counts it.
#define TI_CALL_COUNTED(counters, call)               \
    do {                                              \
        TiTiming timing_ = ti_timing_begin(counters); \
        call;                                         \
        ti_timing_end(timing_);                       \
    } while (0)
#define TI_CALL_STOPPED(self, env, call) TI_CALL_COUNTED(ti_counters(self, env), call)
// The same IN_NATIVE, from IN_VM.
#define TI_CALL(self, env, call)                           \
    do {                                                   \
        TiCounters counters_ = ti_own_counters(self, env); \
        thread_leave_vm(self, THREAD_IN_NATIVE);           \
        TI_CALL_COUNTED(counters_, call);                  \
        thread_enter_vm(self);                             \
    } while (0)

// ---- ti_extension.c ----
// Sets the callback for unloaded classes; NULL: none.
void ti_unload_listen(TiEnv *env, jvmtiExtensionEvent callback);

// ---- ti_memory.c ----
// Notifies -Xcheck:jvmti of memory that is given to the agent. NULL: it is off.
extern void (*ti_given)(void *memory);
// Memory that the agent frees by Deallocate. NULL for size 0 (and when there is no memory).
void *ti_alloc(size_t size);
// A copy; *out NULL for NULL. OUT_OF_MEMORY.
NODISCARD jvmtiError ti_copy_string(const char *s, char **out);
NODISCARD jvmtiError ti_copy_bytes(Bytes b,
                                   char **out); // with a NUL at the end; b.p NULL: *out NULL
// The modified UTF-8 text of a java.lang.String in memory of the agent. NO_GC.
char *ti_string_copy(const Object *string);
void ti_blocks_free(TiBlocks *blocks);

// ---- helpers of the bodies, env.c ----
// The environment whose function this thread is in.
extern __thread TiEnv *ti_calling __attribute__((tls_model("initial-exec")));
// Whether o stands for an object, and one of that class. NO_GC.
bool ti_is_instance(jobject o, const Class *c);
// Gives an array of `count` local references of the current frame from a list of handles (any
// kind).
NODISCARD jvmtiError ti_give_handles(Thread *self, const jobject *handles, size_t count,
                                     jint *count_out, jobject **out);
typedef VEC(jobject) TiHandles;
// Local handles of all living threads' objects. NO_GC.
void ti_threads_list(Thread *self, TiHandles *out);
// JVMTI_THREAD_STATE_* of a thread object. NO_GC.
jint ti_thread_state(Thread *self, jthread thread);
// Gives a list of local handles of the current frame as they are, and empties it.
NODISCARD jvmtiError ti_give_list(TiHandles *list, jint *count_out, jobject **out);
// Runs Java code with no exception pending and restores what was pending: between begin and
// end. end gives whether Java threw, and clears that. Exceptions of StopThread wait until the
// function has returned to the program: they are not this code's.
typedef struct TiUpcall {
    ExceptionAside pending;
    bool deferred;
} TiUpcall;
void ti_upcall_begin(Thread *self, TiUpcall *u);
bool ti_upcall_end(Thread *self, TiUpcall *u);

// ---- ti_breakpoint.c ----
// Removes all environments' breakpoints in the methods of a class, old versions included. World
// stopped.
void ti_breakpoints_clear(Class *c);
// Forgets what is kept of those of a class that is unloaded. World stopped.
void ti_breakpoints_forget(const Class *dead);
// Removes all breakpoints of an environment. MAY_GC
MAY_GC void ti_breakpoints_dispose(Thread *self, TiEnv *env);
// PellucidSetBreakpoints (`sets`) or PellucidClearBreakpoints, with at least `count` locations; results may be NULL. OUT_OF_MEMORY:
// nothing was done. MAY_GC
MAY_GC jvmtiError ti_breakpoints_change(Thread *self, TiEnv *env, size_t count,
                                        const PellucidLocation *locations, jvmtiError *results,
                                        bool sets);

// ---- ti_watch.c ----
// Whether env watches a field, `use` as FieldUse.
bool ti_watch_is_set(TiEnv *env, const Field *f, int use);
// Forgets those of the fields of a class that is unloaded. World stopped.
void ti_watches_forget(const Class *dead);
// Removes all watches of an environment. MAY_GC
MAY_GC void ti_watches_dispose(Thread *self, TiEnv *env);

// ---- ti_sample.c ----
enum { TI_SAMPLE_INTERVAL = 512 * 1024 }; // until it is set
// What an environment's samples depend on has changed. self NULL: before there are threads.
MAY_GC void ti_sample_changed(Thread *self);
// ---- ti_compiled.c ----
// Posts CompiledMethodLoad.
MAY_GC void ti_compiled_post_load(Thread *self, const struct Event_COMPILED_LOAD *e);

// Posts SampledObjectAlloc to the environments whose sample the object is.
MAY_GC void ti_sample_post(Thread *self, JNIEnv *jni, jthread thread,
                           const struct Event_SAMPLED_ALLOC *e);

// ---- ti_step.c ----
// Requests single-stepping of the threads that some environment steps. No lock held.
void ti_step_update(void);
// The same of the threads whose calls are watched: those for which alone MethodEntry or MethodExit is enabled.
void ti_calls_update(void);
// Whether env asked for the pop event of this frame of self; it is posted once.
bool ti_frame_pop_take(Thread *self, TiEnv *env, FrameId frame);

// ---- agent.c ----
// Calls Agent_OnUnload of all agents. The thread is not in the VM.
void ti_agents_unload(void);
// Whether this thread is in one of them.
bool ti_agents_are_unloading(void);
// agent_commands.c: registers what other processes load agents by.
void ti_commands_init(void);
// A function of any agent's library: natives of boot classes may be there. NULL when none has it.
void *ti_agents_find(const char *symbol);
// Whether an agent of this name (as in -agentlib) is loaded, and its function; NULL without one.
bool ti_agent_find_function(const char *name, const char *function, void **found);

#endif
