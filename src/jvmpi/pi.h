// SPDX-License-Identifier: Apache-2.0
// Shared by the files of the JVMPI layer: agents, what is kept of a thread, delivery of events,
// object IDs. docs/JVMPI.md has the decisions.
//
// A jobjectID is the address of the object. It holds while the thread that uses it keeps
// collections away (heap_critical_enter), or the world is stopped.
#ifndef JVMPI_PI_H
#define JVMPI_PI_H

#include <jvmpi.h>

#include "class/loader.h"
#include "class/method_id.h"
#include "event/event.h"
#include "jni/jni_vm.h"

enum {
    PI_AGENTS = 8,
    PI_SLOT = 1, // of Thread.tool_data
    PI_LINE_NATIVE = -3,
};

// An agent: a library that asked for the interface. Never freed.
typedef struct PiAgent {
    JVMPI_Interface table;        // first: what GetEnv gives
    const void *library;          // where it is loaded
    _Atomic uint64_t enabled;     // bit of each event type
    _Atomic bool reported_arenas; // the arenas that were there before it asked
    bool in_collection;           // got the event of the beginning of the one that runs
} PiAgent;
extern PiAgent pi_agents[PI_AGENTS];
extern _Atomic int pi_agent_count;
#define PI_AGENT_EACH(a) \
    for (PiAgent *a = pi_agents, *end_ = a + atomic_load(&pi_agent_count); a < end_; a++)

static inline uint64_t pi_bit(jint type)
{
    return 1ull << type;
}
static inline bool pi_agent_wants(const PiAgent *a, jint type)
{
    return (atomic_load_explicit(&a->enabled, memory_order_relaxed) & pi_bit(type))
           && a->table.NotifyEvent;
}
bool pi_is_wanted(jint type); // by some agent

// ---- pi_table.c ----
extern const JVMPI_Interface pi_tables[PI_AGENTS]; // with NotifyEvent left to the agent

// ---- pi_check.c ----
enum { ANYWHERE = 0, GC_OFF = 1, GC_ON = 2, RUNNING = 4, OUTSIDE = 8 };
void pi_check(const char *function, int where); // -Xcheck:jvmpi
typedef enum PiRule {
#define PI_RULE(name, wrong, rule, remedy) PI_##name,
#include "spec/jvmpi_check_rules.def"
#undef PI_RULE
} PiRule;
void pi_report(PiRule rule, const char *function); // if it is checked at all
bool pi_is_in_collection(void); // the caller is a handler of an event of a collection
void pi_check_started(void);    // the agents of -Xrun, when the VM is initialized

// ---- threads, pi_thread.c ----
typedef struct PiThread {
    void *_Atomic storage[PI_AGENTS];
    int64_t wait_began;           // os_nanos
    int64_t cpu_last, cpu_before; // CPU time when it was suspended last, and the time before
    bool in_raw_event;
    _Atomic uint64_t suspended_by; // os_id of the thread that did it last; 0: none, or itself
} PiThread;
// What is kept of a thread; NULL when it has ended. NO_GC.
PiThread *pi_thread(Thread *t);
void pi_thread_forget(Thread *self);
// The thread of an env, pinned; NULL when there is none. NO_GC.
Thread *pi_thread_pin(JNIEnv *env);
// Up to depth frames of a thread that is self or held, or in a stopped world. NO_GC.
jint pi_trace(Thread *t, JVMPI_CallFrame *frames, jint depth);
jint pi_thread_status(Thread *t); // IN_VM. NO_GC
// The java.lang.Thread of t, which is pinned, NULL when it has ended. IN_VM. NO_GC.
Object *pi_thread_object(const Thread *t);
// How many the current thread has suspended that nobody has resumed yet.
uint32_t pi_threads_suspended(void);
// Sends THREAD_START of t, which is pinned or self, and has this Thread object. `only` as in pi_send.
MAY_GC void pi_send_thread_start(Thread *self, Thread *t, jobject java_thread, PiAgent *only);

// ---- calls from agents ----
// The agent may be in native code, not attached, or in a handler of a stopped world, where it is
// IN_VM already. self is IN_VM until the end of the block, or NULL.
typedef struct PiCall {
    Thread *self;
    bool entered;
} PiCall;
MAY_GC PiCall pi_call_begin(void);
void pi_call_end(PiCall *call);
#define PI_CALL                                                           \
    __attribute__((cleanup(pi_call_end))) PiCall call_ = pi_call_begin(); \
    UNUSED Thread *self = call_.self

// ---- delivery, pi_event.c ----
void pi_events_start(void); // with the first agent
// The agents' wishes changed. The caller is IN_VM or not attached.
void pi_events_changed(void);
extern _Atomic bool pi_initialized; // JVM_INIT_DONE has been, or would have been, posted
// Sends an event, whose type and fields are set, to those that want it; `only`: as requested by
// that agent alone. The caller is IN_VM. MAY_GC.
MAY_GC void pi_send(Thread *self, PiAgent *only, JVMPI_Event *e);
// Events with object IDs: begin, fill in raw addresses, send. Sending ends what was begun.
MAY_GC void pi_begin_gc_off(Thread *self);
MAY_GC void pi_send_gc_off(Thread *self, PiAgent *only, JVMPI_Event *e);

// ---- objects, pi_object.c ----
static inline jobjectID pi_id(const Object *o)
{
    return (jobjectID)(uintptr_t)o;
}
// The object of an ID, NULL when it is none as far as that can be seen. GC disabled. NO_GC.
Object *pi_object(jobjectID id);
Class *pi_class_of_id(jobjectID id); // of a class object; NULL: it is none. NO_GC
jint pi_type_of(const Object *o);    // JVMPI_NORMAL_OBJECT ...; NO_GC
jint pi_type_of_kind(char kind);     // of a value
MAY_GC void pi_send_alloc(Thread *self, jobject o, PiAgent *only);
bool pi_is_unreported(const Object *o); // its OBJECT_ALLOC is still to come. World stopped

// ---- classes, pi_class.c ----
MAY_GC void pi_send_class_load(Thread *self, Class *c, PiAgent *only);
// Sends CLASS_LOAD unless that was done: of a new class, and before an event that names one.
MAY_GC void pi_report_class(Thread *self, Class *c, bool is_new);
// Whether agents can know the class: not when it was thrown away before it was reported.
bool pi_class_is_known(const Class *c);
// Classes that are there when the first agent comes late are not reported.
void pi_classes_start(bool from_the_start);

// ---- the functions of the interface, see jvmpi.h ----
#define AGENT_PARAM                                             PiAgent *agent,
#define PI_FUNCTION(result, name, parameters, arguments, where) result pi_##name parameters;
#include "spec/jvmpi_functions.def"
#undef PI_FUNCTION
#undef AGENT_PARAM

#endif
