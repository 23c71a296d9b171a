// SPDX-License-Identifier: Apache-2.0
// The call tracer's data. Each Java thread owns one Recorder, which only that thread writes
// while the program runs: a shadow stack, a tree of calling contexts and a row per method. So
// the hot path (calltrace_record.c) takes no lock. When recording stops, calltrace.c waits
// until no thread is inside a callback; from then on the reporting files read everything
// freely.
#ifndef CALLTRACE_H
#define CALLTRACE_H

#include "../common/agentlib.h"

#include <pthread.h>
#include <stdatomic.h>

#define LIKELY(x)   __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

enum {
    NO_METHOD = UINT32_MAX,       // index of a method that the filters leave out
    OTHER_METHOD = UINT32_MAX - 1 // of the node that stands for contexts dropped as too small
};

// ---- call trees (calltrace_tree.c)
// ------------------------------------------------------------

// A calling context. A parent's index is always smaller than its children's; 0 is the root.
typedef struct Node {
    uintptr_t key; // jmethodID in a Recorder's tree, method index + 1 in a merged one
    uint32_t parent;
    uint32_t method; // index of the method table, NO_METHOD for the root
    uint32_t last;   // the child entered most recently, 0 if none
    uint32_t then;   // the sibling entered after this one the last time, 0 if none
    uint64_t calls;
    uint64_t self; // nanoseconds
} Node;

// A slot of a tree's index. Most slots that do not match differ in `tag`, part of the hash, so
// that their nodes need not be looked at.
typedef struct Slot {
    uint32_t tag;
    uint32_t node; // 0: free
} Slot;

typedef struct CallTree {
    Node *nodes;
    uint32_t len, cap;
    Slot *index; // open addressing by (parent, key)
    uint32_t index_cap;
    uint32_t limit;   // most nodes
    uint64_t dropped; // contexts joined into their callers' (other) node to make room
    bool full;        // no more memory, or the limit of nodes is reached and nothing is small
} CallTree;

// A tree of at most `nodes`.
bool tree_init(CallTree *tree, uint64_t nodes);
void tree_free(CallTree *tree);
// The child of `parent` with `key`, 0 when there is none.
uint32_t tree_find(const CallTree *tree, uint32_t parent, uintptr_t key);
// A new child; 0 and `full` set when there is no room.
uint32_t tree_add(CallTree *tree, uint32_t parent, uintptr_t key, uint32_t method);
// Whether the next tree_add may need room that only tree_prune can make.
bool tree_is_at_limit(const CallTree *tree);
// Joins the contexts with the least time and calls, half of all at least, each into one (other)
// node under its caller. Nodes that `kept` marks (by index) stay. Returns where each node is
// now, by its old index (malloc'd; dropped ones: 0); NULL with `full` set when there was no
// way.
uint32_t *tree_prune(CallTree *tree, const bool *kept);
// Adds all nodes of `from` into `to`, a tree keyed by method. False when memory ends.
bool tree_merge(CallTree *to, const CallTree *from);

// ---- methods (calltrace_methods.c)
// --------------------------------------------------------------

// Which classes are followed: all that match `include` (all if empty) and not `exclude`.
// Called before recording begins. False when memory ends.
bool methods_init(const AgentList *include, const AgentList *exclude);
// Forgets what the filter said, when no callback runs any more; names and numbers stay.
void methods_end(void);
// The index of `id`'s method, named at its first use (slow then); NO_METHOD if it is filtered
// out. Methods with equal names (hidden classes, class loaders) share an index.
uint32_t method_index(jvmtiEnv *jvmti, JNIEnv *jni, jmethodID id);
uint32_t methods_count(void);
const char *method_name(uint32_t index); // "class.method(descriptor)"
bool method_is_waiting(uint32_t index);  // only waits: Object.wait, Unsafe.park, …

// ---- recorders (calltrace_record.c)
// -------------------------------------------------------------

typedef struct Frame {
    jmethodID id;
    uint32_t node; // the nearest recorded context
    uint32_t method;
    bool lost;       // the call has no node of its own: its time goes to `node`
    uint64_t start;  // time of the recorder's clock
    uint64_t inside; // nanoseconds in callees
} Frame;

typedef struct MethodRow {
    uint64_t calls, self, total; // total counts the outermost of recursive calls alone
    uint32_t active;             // calls now on the stack
    uint32_t thrown : 31;        // calls that ended by an exception
    uint32_t waiting : 1;        // the time of these calls does not count
} MethodRow;

enum { ROWS_PER_PAGE = 128 };

typedef struct Recorder {
    // Whose thread this is; a native thread may come back with another. NULL: recording has
    // stopped, the tables are gone. Looked at by the thread while it is busy.
    _Atomic(JNIEnv *) jni;
    char *name;
    struct Recorder *next;
    atomic_bool busy;       // inside a callback
    _Atomic uint64_t calls; // written by the owner alone
    Frame *frames;          // frames[0] is the root and not a call
    uint32_t depth, frames_cap;
    CallTree tree;
    MethodRow **pages;
    uint32_t pages_len;
    uint64_t skipped;   // nanoseconds that the clock left out: waiting, slow paths of the agent
    uint64_t waited;    // of these: waiting
    uint64_t unmatched; // exits of calls entered before recording began
    uint64_t lost;      // calls without a node of their own
    bool ended;         // its thread has ended
    bool broken;        // memory ended: calls are missing
} Recorder;

typedef struct RecordLimits {
    uint64_t nodes; // of a thread's tree
    uint64_t depth; // frames deeper than this get no node
    bool count_waiting;
    bool filtering; // some methods may be left out
} RecordLimits;
extern RecordLimits record_limits; // set before recording begins

Recorder *recorder_new(JNIEnv *jni, char *name, uint64_t nodes); // takes over `name`
// What its thread has recorded, while that is in no callback. NULL when memory ends.
Recorder *recorder_copy(const Recorder *r);
void recorder_free(Recorder *r);
// Frees the tables alone: a thread that still runs may look at its recorder once more.
void recorder_clear(Recorder *r);
void recorder_enter(Recorder *r, jvmtiEnv *jvmti, JNIEnv *jni, jmethodID id);
void recorder_exit(Recorder *r, jvmtiEnv *jvmti, JNIEnv *jni, jmethodID id, bool thrown);
// Ends all calls still on the stack at `when` (agent_now()); returns how many.
uint32_t recorder_finish(Recorder *r, uint64_t when);
// The row of a method; NULL when out of memory.
MethodRow *recorder_row(Recorder *r, uint32_t method);
// Adds the rows and counters of `from` to `to`, without the tree. False when memory ends.
bool recorder_add_rows(Recorder *to, const Recorder *from);

// ---- the report (calltrace_report.c, calltrace_table.c, calltrace_flame.c)
// ------------------------

enum { MAX_NOTES = 8 };

typedef struct Report {
    const char *title;
    const char *vm;     // name and version of the VM
    Recorder *all;      // the rows and counters of all threads; its tree is empty
    Recorder **threads; // their trees keyed by method, most time first
    size_t threads_len;
    uint64_t threads_seen; // before the smallest were joined
    uint64_t node_limit;
    uint64_t when; // agent_now() of what it shows
    uint64_t elapsed;
    uint64_t time; // sum of all self times
    char *notes[MAX_NOTES];
    size_t notes_len;
} Report;

// Makes of all recorders (finished and cleared by this) what the writers below want. `title`,
// `vm`, `threads_seen`, `node_limit`, `when` and `elapsed` are set before. False when memory ends.
bool report_build(Report *report, Recorder *recorders);
void report_note(Report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));
void report_free(Report *report);
// The index of every method that was called, the greatest figure first; malloc'd, `*len` of
// them.
typedef uint64_t (*RowFigure)(const MethodRow *row);
uint32_t *report_sort(const Report *report, RowFigure figure, size_t *len);

void table_write(FILE *out, const Report *report, size_t top);
void counts_write(FILE *out, const Report *report);
void flame_write(FILE *out, const Report *report);

// ---- progress (calltrace_progress.c)
// --------------------------------------------------------------

typedef struct Progress {
    uint64_t calls, methods, threads, elapsed;
} Progress;
// Starts a thread that prints a line on stderr every `seconds`. `sample` runs on that thread.
bool progress_start(double seconds, void (*sample)(Progress *now));
void progress_stop(void);

// ---- timers (calltrace_timer.c)
// --------------------------------------------------------------

typedef struct Timer {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool stopping; // guarded by lock
    bool running;  // of the starting and stopping thread
    uint64_t interval;
    void (*tick)(void);
} Timer;
// Starts a thread of its own that calls `tick` every `seconds`, and rests longer where that takes
// long: at most a twentieth of all time goes there. It is not attached to the VM and takes no
// signals, so the VM does not know of it.
bool timer_start(Timer *timer, double seconds, void (*tick)(void));
// Returns when `tick` runs no more. Nothing is done where the timer does not run.
void timer_stop(Timer *timer);

#endif
