// SPDX-License-Identifier: Apache-2.0
// What the core of the agent shares among its own files: bytes, rings, connections,
// definitions. Parts that watch a program need lens.h alone. The words AGENT, ATTACHED, HEAP
// and SIGNAL are explained there.
#ifndef LENS_AGENT_H
#define LENS_AGENT_H

#include "lens.h"

#include <signal.h>

enum {
    LENS_TYPES = 32, // block types are below
    LENS_KINDS = 8,  // LensDef are below
    LENS_VARINT_MAX = 10,
    LENS_CONNECTIONS = 16 // at once, a file among them
};
#define LENS_ID(kind, id)      ((uint32_t)(kind) << 28 | (id))
#define LENS_ID_KIND(packed)   ((LensDef)((packed) >> 28))
#define LENS_ID_NUMBER(packed) ((packed)&0x0fffffffu)
#define LENS_MS                1000000ull // in ns
#define LENS_SECOND            1000000000ull

// ---- bytes (buffer.c) -----------------------------------------------------------------------

uint64_t lens_zigzag(int64_t value); // SIGNAL
// Copies UTF-8 with U+FFFD for each byte that is not of a well-formed character, as many whole
// characters as `room` takes; returns the bytes used. SIGNAL.
size_t lens_clean_utf8(uint8_t *to, size_t room, const char *utf8, size_t len);
void lens_buffer_text(LensBuffer *buffer, const char *utf8); // ended by NUL. HEAP
uint32_t lens_crc(const void *bytes, size_t len);            // CRC-32C. SIGNAL

typedef struct LensReader {
    const uint8_t *at, *end;
    bool failed; // something did not end or was too long; what was read is 0 or NULL
} LensReader;
uint64_t lens_read_u(LensReader *reader);
// Malloc'd, without NUL inside; NULL when it failed
char *lens_read_s(LensReader *reader, size_t most);

bool lens_events_load(void); // events.c: installs the callbacks; all events are off

// ---- rings (ring.c) -------------------------------------------------------------------------

// Head of a record in a ring; `ids` and `bytes` follow.
typedef struct LensRingRecord {
    _Atomic uint32_t size; // with head and padding; 0: not whole yet
    uint32_t order;
    uint64_t time;
    uint16_t len;
    uint8_t type, ids_len;
    uint32_t reserved;
} LensRingRecord;
enum { LENS_RAW_SAMPLE = LENS_TYPES - 1 }; // a type of rings alone: a LensRawSample

bool lens_rings_open(void); // before the first order; false when memory ends. AGENT
void lens_rings_idle(void); // gives their memory back, when nobody writes any more. AGENT
// Puts a record into the ring of the processor (METRICS and THREADS: into the first). False when it is full (counted) or closed.
// SIGNAL.
bool lens_ring_write(const LensRingRecord *head, const uint32_t *ids, const void *bytes);
void lens_ring_lost(unsigned type); // counts a dropped record. SIGNAL
// Takes what is whole in ring `number` and gives each record to `each`. Returns whether a good
// part of the ring was in use. AGENT.
bool lens_ring_drain(unsigned number, void (*each)(const LensRingRecord *record, void *data),
                     void *data);
uint32_t lens_ring_take_lost(unsigned number, unsigned type); // since the last call. AGENT
unsigned lens_ring_count(void);

// ---- definitions ----------------------------------------------------------------------------

bool lens_defs_init(void);         // at load
bool lens_defs_begin(JNIEnv *jni); // before the first order after idleness. AGENT
void lens_defs_idle(JNIEnv *jni);  // forgets stacks and threads. AGENT
// Appends the definition of (kind, id) to `to` (kind, then fields); false when there is none.
// `needs` gets at most two packed ids that must be told before (0: none). HEAP
bool lens_def_write(LensDef kind, uint32_t id, LensBuffer *to, uint32_t needs[2]);
// Ids whose definition changed since `*seen` (a number that counts changes): told again where
// they were told. HEAP
uint32_t lens_thread_renamed_since(uint64_t *seen, uint32_t *ids, uint32_t room);

// Definitions that are kept as bytes (defs.c): all kinds but stacks. `bytes` are the fields
// after the id; copied. The id, or 0. HEAP
uint32_t lens_def_add(LensDef kind, const LensBuffer *fields, const char *name, uint32_t need,
                      uint32_t need_2);
bool lens_def_replace(LensDef kind, uint32_t id, const LensBuffer *fields); // HEAP
// Of what is gone, when no record names it any more: its id is not used again. AGENT
void lens_def_forget(LensDef kind, uint32_t id);
// NULL: there is none. AGENT
jfieldID lens_field(JNIEnv *jni, const char *class_name, const char *name, const char *type);
// A class as on the wire; malloc'd, NULL when memory ends
char *lens_readable_class(const char *signature);
// The id that an object was tagged with, 0: none. ATTACHED
uint32_t lens_tagged(jobject object, LensDef kind);
// Returns id; 0 does nothing. ATTACHED
uint32_t lens_tag(jobject object, LensDef kind, uint32_t id);
const char *lens_def_name(LensDef kind, uint32_t id); // "" where there is none. SIGNAL
uint32_t lens_def_need(LensDef kind, uint32_t id);    // its first need, packed. SIGNAL

// defs_stack.c
// HEAP; 0 when the table is full
uint32_t lens_stack_java(uint32_t caller, uint32_t method, int32_t bci);
uint32_t lens_stack_native(uint32_t caller, uint32_t module, uint64_t offset);
uint32_t lens_stack_named(uint32_t caller, const char *text);
#define LENS_DEEPER "deeper frames" // named so: what lies below was not looked at
// Names one of an unloaded class so. ATTACHED
uint32_t lens_stack_frame(JNIEnv *jni, uint32_t caller, jmethodID method, int32_t bci);
bool lens_stack_write(uint32_t id, LensBuffer *to, uint32_t needs[2]);
void lens_stack_idle(void);

// native.c: the module and offset of an address in the process; 0 where there is none. `offset`
// is in the file's own terms. AGENT
uint32_t lens_module_of(uint64_t address, uint64_t *offset);

// defs_thread.c
// Learns where JNIEnv and Thread meet; follows begins and ends. AGENT
bool lens_threads_begin(JNIEnv *jni);
void lens_threads_idle(void); // AGENT
// The thread with this system id: a Java thread found by its JNIEnv, or one of the VM or native
// (env NULL, or not to be found). NULL when memory ends. AGENT
LensThread *lens_thread_by_tid(JNIEnv *jni, int tid, JNIEnv *env);
// The rings were drained: what threads that ended before it began have left there is out. AGENT
void lens_threads_drained(void);
bool lens_thread_is_system(const LensThread *thread);   // of the VM or native
const char *lens_thread_name(const LensThread *thread); // AGENT
void lens_threads_sweep(JNIEnv *jni); // meets all threads that live, learns new names. AGENT
// All threads that live but the agent's own; given back by lens_threads_release. Empty where
// the VM refuses. AGENT and workers
typedef struct LensThreadList {
    jthread *threads;
    jint len;
} LensThreadList;
LensThreadList lens_threads_get(JNIEnv *jni);
void lens_threads_release(JNIEnv *jni, LensThreadList *list);
void lens_thread_set_tid(LensThread *thread, int tid); // 0: nothing. HEAP
// thread_state.c
LensThreadState lens_state_of(jint state);         // of GetThreadState
LensThreadState lens_thread_state(jthread thread); // ATTACHED
// Its CPU time in ns, by the system or the VM; 0 where neither tells. ATTACHED
uint64_t lens_thread_cpu(const LensThread *thread, jthread java);
// Finds the system ids of threads that were there before the agent: by their CPU time, which is
// to the nanosecond theirs alone. Some may stay unknown. AGENT and workers
void lens_threads_find_tids(JNIEnv *jni, const LensThreadList *list);
void lens_thread_own(JNIEnv *jni, bool begins); // the calling thread is one of the agent's

// ---- connections (conn.c, conn_socket.c) ---------------------------------------

typedef struct LensIndexEntry {
    uint64_t offset, time;
    uint8_t type;
} LensIndexEntry;

typedef struct LensPending { // records of one type that wait for the end of a drain
    LensBuffer bytes;
    uint64_t base;
    uint32_t lost;
} LensPending;

struct LensConnection {
    int fd;
    bool is_file;
    char *path; // of a file
    // Guards what is written: all down to `sequence`. Nothing else is locked after it but
    // definitions
    pthread_mutex_t lock;
    LensBuffer out; // of a socket
    size_t out_at;
    uint64_t wrote; // when the last byte went
    bool is_broken; // to be closed
    LensBuffer defs;
    LensPending pending[LENS_TYPES];
    LensBuffer told[LENS_KINDS]; // bits by id
    uint64_t renamed_seen;
    uint64_t position; // bytes written so far
    LensIndexEntry *index;
    size_t index_len, index_cap;
    uint32_t index_step; // of so many blocks one is in the index
    uint32_t sequence;
    // Of the agent's thread:
    LensBuffer in;
    uint64_t heard;
    int descriptor;  // that came and belongs to the next order, -1: none
    uint64_t blocks; // types that its orders want of all
};

extern LensConnection *lens_connections[LENS_CONNECTIONS]; // AGENT

// All AGENT unless it says otherwise.
// Path NULL: a socket. NULL when there is no room
LensConnection *lens_connection_new(int fd, const char *path);
// Its orders have ended
void lens_connection_close(LensConnection *connection, const char *bye);
void lens_connection_hello(LensConnection *connection);
// Appends a record that was drained from ring `source`.
void lens_connection_add(LensConnection *connection, uint16_t source,
                         const LensRingRecord *record, const uint32_t *ids,
                         const uint8_t *bytes);
// Pending records become blocks. `lost` says by type what the ring has dropped.
void lens_connection_flush(LensConnection *connection, uint16_t source,
                           const uint32_t lost[LENS_TYPES]);
// A whole block. Any thread.
bool lens_connection_block(LensConnection *connection, LensBlockType type, const void *payload,
                           size_t len);
bool lens_connection_write(LensConnection *connection); // what the socket takes now
// Whether little waits to be written. Any thread
bool lens_connection_room(LensConnection *connection);
void lens_connection_tell(LensConnection *connection, uint32_t packed); // Any thread
// conn_socket.c
bool lens_socket_open(void);  // makes the folder and listens; true where it does already
void lens_socket_close(void); // and removes it
int lens_socket_fd(void);     // -1: not listening
LensConnection *lens_socket_accept(void);
// Takes what came and gives orders to lens_order_arrives; false at its end.
bool lens_connection_read(LensConnection *connection, JNIEnv *jni);
void lens_connections_forked(void); // in the child of fork: closes all descriptors
// hello.c
void lens_hello_write(LensBuffer *to);
void lens_clock_write(LensBuffer *to); // payload of LENS_CLOCK
// When the process began, field 22 of its stat (conn_socket.c)
unsigned long long lens_start_ticks(void);

// ---- what the VM can (env.c) ----------------------------------------------------------------

bool lens_env_load(JavaVM *vm); // makes lens.jvmti; at load
bool lens_env_is_own(const jvmtiEnv *env);
// Adds what only agents that are there from the start get, but on a VM that gives all of it
// late.
void lens_capabilities_at_load(void);
void lens_capabilities_idle(void); // gives back all but at_start. AGENT
// Writes cap.NAME = had, can or no, each by `put`.
void lens_capabilities_write(LensBuffer *to,
                             void (*put)(LensBuffer *to, const char *name, const char *value));
// A system property of the VM, malloc'd UTF-8; NULL where there is none
char *lens_property(const char *name);

// ---- orders (orders.c) ----------------------------------------------------------------------

void lens_order_arrives(LensConnection *connection, LensReader *payload, JNIEnv *jni);
// An order that the agent gives itself (record=); all texts are copied.
void lens_order_begin(LensConnection *connection, uint32_t id, const char *verb,
                      char *const *names, char *const *values, uint32_t len, JNIEnv *jni);
bool lens_verb_exists(const char *name);
void lens_orders_tick(JNIEnv *jni, uint64_t now);
void lens_orders_end(LensConnection *connection, JNIEnv *jni); // NULL: all
bool lens_orders_any(void);
uint64_t lens_orders_next(void); // when tick wants to be called, UINT64_MAX: at no time
LensConnection *lens_order_connection(uint32_t uid); // NULL: it has ended
LensOrder *lens_orders_first(void);                  // the newest that runs, then by next_order

// ---- the agent's thread (loop.c) ------------------------------------------------------------

bool lens_loop_start(void); // any thread of the program, live phase
void lens_loop_stop(void);  // ends all orders, says farewell, joins. Not from its own thread
void lens_loop_wake(void);  // SIGNAL
bool lens_loop_is_ending(void);   // the VM ends: what is set in it need not be undone. SIGNAL
void lens_loop_detach(void);      // after the current order: says farewell to all fronts. AGENT
void lens_drain(JNIEnv *jni);     // takes what the rings hold, AGENT
void lens_own_thread_begin(void); // marks the calling thread as the agent's
// The calling thread, as a daemon of the agent's own; NULL after a message
JNIEnv *lens_attach(const char *name);
void lens_detach(JNIEnv *jni);    // undoes lens_attach, and counts what the thread has used
uint64_t lens_thread_nanos(void); // CPU time of the calling thread (metrics.c). SIGNAL
void lens_block_signals(sigset_t *old); // NULL allowed

// Adds what the calling thread has used since its last call to LENS_AGENT_NANOS (metrics.c).
void lens_count_own_time(void);
// gc.c: collections are counted; counted itself. False where the VM refuses. AGENT
bool lens_gc_want(bool on);
// ---- code.c ----
// Counts the bytes of compiled code while somebody wants it. False: the VM does not tell. AGENT.
bool lens_code_want(bool on);

// ---- what uses the rings
// -------------------------------------------------------------------------------------------

bool lens_has_async_trace(void); // sample.c
bool lens_has_perf_events(void); // sample_timer.c
// CPU time of a thread of this process, 0 where it is gone. SIGNAL
uint64_t lens_clock_of(int tid);
// System ids of all threads (sample_timer.c). HEAP
void lens_tasks_each(void (*each)(int tid, void *data), void *data);
void lens_samples_forked(void);
// sample_resolve.c: makes a record of a raw sample of `len` bytes. False when memory ends.
// AGENT
bool lens_sample_resolve(const uint8_t *raw, size_t len, uint64_t time, LensRecord *to,
                         JNIEnv *jni);
// record_option.c: parses the agent's options (false after a message); begins what record= asks
// for. AGENT
bool lens_record_option(const char *options);
void lens_record_start(JNIEnv *jni);

#endif
