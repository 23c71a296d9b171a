// SPDX-License-Identifier: Apache-2.0
// What the parts of the Lens agent share. The wire's side of it is lens_wire.h.
//
// Threads. The agent has one thread, "Lens": it sleeps in poll, reads orders, starts and stops
// them, drains the rings, resolves and tells definitions, writes to the fronts. Long work of an
// order runs in a worker (below). Everything else runs in the program's threads: event
// callbacks and signal handlers. No lock of the agent is held over a JVM TI or JNI call.
//
// Where a function may be called stands in its contract by one of these words:
//   AGENT     in the agent's thread alone
//   ATTACHED  AGENT, in a worker, and in every event callback in which JNI is allowed
//   HEAP      everywhere in ATTACHED, also in callbacks of the heap and the collector: no JNI,
//             no JVM TI, no wait
//   SIGNAL    everywhere in HEAP and in signal handlers: lock-free, no memory taken, errno kept
#ifndef LENS_H
#define LENS_H

#include "../common/agentlib.h"
#include "lens_wire.h"

#include <pthread.h>
#include <stdatomic.h>

#define LIKELY(x)   __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

// ---- the agent (lens.c) ---------------------------------------------------------------------

typedef struct Lens {
    JavaVM *vm;
    // The environment of all events and tags below; others are made by lens_env_new
    jvmtiEnv *jvmti;
    bool is_late;               // loaded into a running VM
    _Atomic bool is_live;       // between VMInit and VMDeath: outside of it no JNI, no orders
    jvmtiCapabilities at_start; // those that idling does not give back
} Lens;
extern Lens lens;

// CLOCK_MONOTONIC in ns. SIGNAL.
uint64_t lens_now(void);
// Another environment with `capabilities`, for the length of an order: its tags are its own,
// and all of them go with it. NULL where the VM refuses. ATTACHED.
jvmtiEnv *lens_env_new(const jvmtiCapabilities *capabilities);
void lens_env_dispose(jvmtiEnv *env);
// The extension function of the VM with this id (pellucid_jvmti.h), NULL where there is none:
// to be cast to its type. Any thread.
jvmtiExtensionFunction lens_extension(const char *id);
// A JNIEnv of the calling thread, NULL where it is not attached. SIGNAL.
JNIEnv *lens_jni(void);
// Whether the calling thread is of the agent: the dispatcher of events has already left out its
// events. SIGNAL.
bool lens_is_own_thread(void);

// Whether it is the one that takes orders, or inside a callback of ours. SIGNAL.
bool lens_is_agent_thread(void);
bool lens_is_listening(void);
// AGENT; AGENT or a worker; a listener.
#define ASSERT_AGENT_THREAD() assert(lens_is_agent_thread())
#define ASSERT_OWN_THREAD()   assert(lens_is_own_thread())
#define ASSERT_LISTENER()     assert(lens_is_listening())

// ---- orders (orders.c, verbs.def) -----------------------------------------------------------

typedef struct LensOrder LensOrder;
typedef struct LensConnection LensConnection;

typedef enum LensStarted {
    // It was answered ACCEPTED by the caller of start, unless start has answered itself; `stop`
    // will be called
    LENS_RUNS,
    LENS_OVER, // start has answered DONE or FAILED: nothing is left of it, `stop` is not called
} LensStarted;

// A verb: a row LENS_VERB(name) in verbs.def and `const LensVerb lens_verb_NAME` in one of the
// files. All in AGENT.
typedef struct LensVerb {
    const char *name;
    LensStarted (*start)(LensOrder *order, JNIEnv *jni);
    // Undoes all that start has done: events, breakpoints, tags, workers, memory. Called once,
    // also at the end of the connection and at VMDeath (with the VM still live). Afterwards
    // nothing writes records of this order.
    void (*stop)(LensOrder *order, JNIEnv *jni);
    // NULL, or called each `order->every` ns (0: at no time).
    void (*tick)(LensOrder *order, JNIEnv *jni, uint64_t now);
    // The blocks that go to all connections with such an order, as a set of 1 << LensBlockType;
    // 0 where records are written for their order alone.
    uint64_t blocks;
} LensVerb;

struct LensOrder {
    uint32_t uid; // of the agent, never used again
    uint32_t id;  // of the front
    const LensVerb *verb;
    LensConnection *connection;
    void *data;            // the verb's own
    uint64_t every, next;  // of tick
    uint64_t ends;         // lens_now() at which `seconds` are over, 0: never
    int descriptor;        // that came with the order, -1: none; closed after stop
    bool is_accepted;      // it was answered ACCEPTED
    _Atomic bool is_over;  // it was answered DONE or FAILED: the agent's thread ends it
    _Atomic bool stopping; // a worker looks at it: true as soon as the order is to end
    pthread_t worker;
    bool has_worker;
    _Atomic bool worker_done;
    uint32_t args_len;
    struct LensArg {
        char *name, *value; // UTF-8, ended by NUL
    } * args;
    LensOrder *next_order;
};

// The value of an argument, `otherwise` where it was not given. Any thread while the order
// lives.
const char *lens_arg(const LensOrder *order, const char *name, const char *otherwise);
// A number in [least, most]. False after answering FAILED where it is none or lies outside:
// start then returns LENS_OVER. AGENT.
bool lens_arg_number(LensOrder *order, const char *name, uint64_t otherwise, uint64_t least,
                     uint64_t most, uint64_t *value);
// 0 or 1, likewise. AGENT.
bool lens_arg_flag(LensOrder *order, const char *name, bool otherwise, bool *value);

typedef struct LensValue {
    const char *name, *value;
} LensValue;

// Answers; text is one sentence, or "". ATTACHED. lens_fail may be called by a running order,
// too: it is then stopped.
void lens_accept(LensOrder *order, const char *text, const LensValue *values, size_t len);
void lens_progress(LensOrder *order, unsigned permille, uint64_t milliseconds_left,
                   const char *text);
void lens_done(LensOrder *order, const char *text, const LensValue *values, size_t len);
void lens_fail(LensOrder *order, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Runs `run` in a thread of its own, attached to the VM, with no events and no signals. It
// looks at order->stopping at least each 50 ms, and answers with lens_done or lens_fail at its
// end (an order that goes on by `every` need not). False after lens_fail. AGENT.
bool lens_worker_start(LensOrder *order, void (*run)(LensOrder *order, JNIEnv *jni));
// For `stop`: sets stopping and waits until the worker has ended; nothing where there is none.
// AGENT.
void lens_worker_join(LensOrder *order);

// Gets the capabilities that are not had yet. False after answering FAILED with `what`
// ("Watching calls") in the sentence: "Watching calls needs can_generate_breakpoint_events,
// which this VM gives only from the start: ... -agentpath". They are given back when no order
// is left. AGENT.
bool lens_need(LensOrder *order, const jvmtiCapabilities *wanted, const char *what);

// ---- events (events.c) ----------------------------------------------------------------------

// Adds a listener to an event: `function` has the type of that event's callback in
// jvmtiEventCallbacks. At most LENS_LISTENERS for each event; they stay. Called by a row of
// parts.def, before any event. Each listener sees all events of its kind while anybody wants
// it: it must ask whether it is concerned. Left out are events of the agent's own threads,
// those outside the live phase (but VMInit, VMDeath), and those that a listener itself causes
// in its thread.
enum { LENS_LISTENERS = 6 };
#define LENS_LISTEN(event, function) lens_listen((event), (void (*)(void))(function))
void lens_listen(jvmtiEvent event, void (*function)(void));
// Counts who wants the event; the first switches it on for all threads, the last off. False
// where the VM refuses (a capability is missing). Also after `off` an event that is under way
// may still be heard. ATTACHED.
bool lens_want_event(jvmtiEvent event, bool on);
// The same of several: all or, where one is refused, none.
bool lens_want_events(const jvmtiEvent *events, size_t len, bool on);
// For one thread (single steps, frame pops); not counted. ATTACHED.
bool lens_want_event_in(jvmtiEvent event, bool on, jthread thread);
// GenerateEvents: listeners hear what there is already, in this thread. ATTACHED.
bool lens_ask_for_events(jvmtiEvent event);
// Returns when no listener runs any more that began before the call: what listeners use may
// then be freed. False after 2 s (a debugger has suspended a thread in one): then it must not
// be freed. Not from a listener. AGENT and workers.
bool lens_wait_for_listeners(void);

// ---- definitions (defs.c, defs_thread.c, defs_stack.c)
// ----------------------------------------------------------

// Ids, made at first sight; 0 where memory ends or the thing is gone. What a record names by
// lens_put_id is told on each connection before that record. ATTACHED (not HEAP). `jni` is of
// the calling thread.
uint32_t lens_class_id(JNIEnv *jni, jclass class);
uint32_t lens_method_id(JNIEnv *jni, jmethodID method); // its class is then known, too
// It has been redefined: it gets a new id and definition
void lens_method_changed(JNIEnv *jni, jmethodID method);
uint32_t lens_method_class(uint32_t method); // the class of a method's id. SIGNAL
// As on the wire; lives as long as the agent. "" for 0
const char *lens_class_name(uint32_t class);
// Frames[0] is the innermost; no more than LENS_DEPTH
uint32_t lens_stack_id(JNIEnv *jni, const jvmtiFrameInfo *frames, jint len);
// GetStackTrace and lens_stack_id; NULL: this thread
uint32_t lens_stack_of(JNIEnv *jni, jthread thread, jint depth);
uint32_t lens_point_id(const LensOrder *order, const char *text); // a new LENS_DEF_POINT
enum { LENS_DEPTH = 2048 };

// A Java thread that the agent has met. One for each, from its first sight to the time when all
// is idle.
typedef enum LensSlot {
    LENS_SLOT_LOCKS,
    LENS_SLOT_POINTS,
    LENS_SLOT_EXACT,
    LENS_SLOT_DEBUGGER,
    LENS_SLOTS
} LensSlot;
typedef struct LensThread {
    uint32_t id;     // of its LENS_DEF_THREAD
    _Atomic int tid; // of the system, 0: not known
    _Atomic bool has_ended;
    // For a part that keeps something for each thread. Written by the thread itself in its
    // callbacks. The part frees it in its listener of ThreadEnd (want that event!), and that of
    // threads that still live at the stop of its last order, by lens_threads_each.
    void *slot[LENS_SLOTS];
    struct LensThread *next;
} LensThread;
// NULL: the calling thread. NULL where the thread does not live or memory ends. ATTACHED.
LensThread *lens_thread(JNIEnv *jni, jthread thread);
uint32_t lens_thread_id(JNIEnv *jni, jthread thread); // its id, or 0
// Under a lock: short, no JNI. HEAP
void lens_threads_each(void (*each)(LensThread *thread, void *data), void *data);

// ---- records (record.c, ring.c) -------------------------------------------------------------

// A record is put together on the stack and goes into a ring of fixed size; the agent's thread
// takes it from there, within 100 ms. Where a ring is full the record is dropped and counted.
// Nothing waits.
enum { LENS_RECORD_BYTES = 4000, LENS_RECORD_IDS = 60 };
typedef struct LensRecord {
    // lens_now() of begin; may be changed before the end. What has a `dt` gets it from this
    uint64_t time;
    uint32_t order; // uid, 0: all connections whose orders have this type in their blocks
    uint8_t type;   // LensBlockType
    uint8_t ids_len;
    bool is_cut; // something did not fit: it is written as lost
    uint32_t len;
    uint32_t ids[LENS_RECORD_IDS]; // LensDef << 28 | id: to be told before
    uint8_t bytes[LENS_RECORD_BYTES];
} LensRecord;

// All of these: SIGNAL (what they write must be had: ids are got by ATTACHED functions). The
// fields follow in the order of lens_wire.h, without `dt`, which the agent's thread adds to
// types that have it.
// Order NULL: to all who asked for the type
void lens_record_begin(LensRecord *record, LensBlockType type, const LensOrder *order);
void lens_put_u(LensRecord *record, uint64_t value);
void lens_put_z(LensRecord *record, int64_t value);
// A `u` that names a definition (0: none)
void lens_put_id(LensRecord *record, LensDef kind, uint32_t id);
// Whole characters up to 1,000 bytes of it
void lens_put_s(LensRecord *record, const char *utf8, size_t len);
// The same of JNI's modified UTF-8. HEAP (not SIGNAL)
void lens_put_modified(LensRecord *record, const char *modified);
bool lens_record_end(LensRecord *record); // false: it was dropped

// A whole payload for the order's connection, at most LENS_MAX_PAYLOAD, records that begin with
// what the type wants (without definitions: they have no ids or ids told by lens_tell). Waits
// up to 2 s for room; false when the connection is closed or slow. Workers (never while the
// program stands).
bool lens_send(LensOrder *order, LensBlockType type, const void *payload, size_t len);
// The same for callers that will name a definition by lens_send: tells it on the order's
// connection before what follows. Workers, AGENT.
void lens_tell(LensOrder *order, LensDef kind, uint32_t id);

// A growing buffer for payloads: varints as on the wire. `failed` is set when memory ends, all
// later calls do nothing. HEAP.
typedef struct LensBuffer {
    uint8_t *bytes;
    size_t len, cap;
    bool failed;
} LensBuffer;
void lens_buffer_u(LensBuffer *buffer, uint64_t value);
void lens_buffer_z(LensBuffer *buffer, int64_t value);
void lens_buffer_s(LensBuffer *buffer, const char *utf8, size_t len);
void lens_buffer_bytes(LensBuffer *buffer, const void *bytes, size_t len);
void lens_buffer_free(LensBuffer *buffer);
// Writes `value` at `to` (room for 10 bytes), returns the bytes used. SIGNAL.
size_t lens_varint(uint8_t *to, uint64_t value);

// ---- patterns (patterns.c) ------------------------------------------------------------------

// PATTERNS of lens_wire.h. A name matches when one of those without `-` does (or there is none)
// and none of those with it does.
typedef struct LensPatterns LensPatterns;
LensPatterns *lens_patterns_new(const char *text); // NULL when memory ends
// Java.lang.String. HEAP
bool lens_patterns_match(const LensPatterns *patterns, const char *class_name);
void lens_patterns_free(LensPatterns *patterns);

// ---- counters that metrics sends (metrics.c)
// --------------------------------------------------------------------------

// Adds to a cumulative metric that belongs to no thread; it is sent from then on by `metrics`.
// SIGNAL.
void lens_count(LensMetric metric, int64_t add);

#endif
