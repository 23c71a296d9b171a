// SPDX-License-Identifier: Apache-2.0
// What is known of the program: everything that blocks said, decoded into arrays that the queries read. One thread (the loop).
//
// Definitions have dense ids of the model's own from 1; 0 is "none". Ids of the wire are translated on arrival; a new HELLO begins a
// new numbering of the wire's. Equal frames and equal stacks of several connections are one. Times are ticks of 100 microseconds since
// the origin (the first HELLO's `monotonic`); they saturate after 119 hours.
#ifndef LENS_MODEL_H
#define LENS_MODEL_H

#include "wire.h"

#define TICK_NS      100000u
#define TICKS_PER_MS 10u
#define SAMPLE_CHUNK 65536u

typedef struct ModelClass {
    uint32_t name, source; // names
    uint32_t package;      // name of its package ("" for none)
    uint32_t loader;       // loaders' index
    uint32_t modifiers;
} ModelClass;

typedef struct ModelLine {
    uint32_t bci, line;
} ModelLine;

typedef struct ModelMethod {
    uint32_t class;
    uint32_t name, signature; // names
    uint32_t label;           // name: Class.method, lambdas' numbers left out
    uint32_t modifiers, bytes;
    uint32_t lines, line_count; // of Model.lines
    uint64_t wire;              // its id on the present connection; 0: none
} ModelMethod;

typedef struct ModelThread {
    uint32_t name, group;
    uint32_t flags, tid;
    uint32_t first, last; // ticks between which it was seen
    uint64_t wire;        // its id on the present connection; 0: none
    uint8_t state;        // LensThreadState, the latest
} ModelThread;

typedef struct ModelFrame {
    uint8_t kind;   // LensFrameKind
    uint32_t owner; // method, module, or name
    int32_t at;     // bci, or offset (as uint32_t)
    uint32_t label; // name
    uint32_t group; // name: package, "native", "vm"
} ModelFrame;

typedef struct ModelStack {
    uint32_t parent, frame; // parent: the caller's, less than the own id
} ModelStack;

typedef struct ModelModule {
    uint32_t path, build_id; // names
} ModelModule;

typedef struct ModelPoint {
    uint32_t order; // the front's id
    uint32_t text;
    uint64_t hits, suppressed;
} ModelPoint;

typedef struct ModelLoader {
    uint32_t name, class;
} ModelLoader;

// Samples, in chunks of columns: 16 bytes each.
typedef struct SampleChunk {
    uint32_t count, first, last; // ticks: the least and the greatest
    uint32_t time[SAMPLE_CHUNK], stack[SAMPLE_CHUNK], weight[SAMPLE_CHUNK], what[SAMPLE_CHUNK];
} SampleChunk;
#define SAMPLE_THREAD(what) ((what)&0xffffffu)
#define SAMPLE_KIND(what)   ((what) >> 24 & 1) // LensSampleKind
#define SAMPLE_FAILED(what) ((what) >> 25 & 1)
#define SAMPLE_STATE(what)  ((what) >> 26 & 15) // LensThreadState

typedef struct ModelMetric {
    uint32_t time;
    uint32_t thread; // threads' index (or environment's number); 0: of the process
    int64_t value;
} ModelMetric;
#define METRIC_KINDS (LENS_OTHER_AGENT_EVENTS + 1)

typedef struct ModelStateChange {
    uint32_t time, thread, stack;
    uint8_t state;
} ModelStateChange;

typedef struct ModelAlloc {
    uint32_t time, freed; // freed: UINT32_MAX as long as it lives
    uint32_t thread, stack, class;
    bool followed; // the agent tells when it is freed
    uint64_t size, weight;
} ModelAlloc;

typedef struct ModelWait {
    uint32_t time; // of the end
    uint8_t kind;  // LensLockKind
    uint32_t thread, stack, class, owner, owner_stack;
    uint64_t ns, monitor;
} ModelWait;

typedef struct ModelCollection {
    uint32_t time;
    uint64_t ns;
} ModelCollection;

typedef struct ModelValue {
    uint32_t name, value; // names
} ModelValue;

typedef struct ModelException {
    uint32_t time, thread, stack, class, message, catcher;
    uint64_t
        count; // itself, and those at the same place that were only counted since the last that was told
    uint32_t values, value_count; // of Model.values
} ModelException;

typedef struct ModelHit {
    uint32_t time, point, thread, stack;
    uint8_t kind; // LensWatchKind
    uint64_t ns, suppressed;
    uint32_t values, value_count;
} ModelHit;

typedef struct ModelCovered {
    uint32_t method, bci;
    uint32_t target; // of a way: bci of the target; UINT32_MAX: a place
    uint32_t time;   // first seen
    uint64_t count;
} ModelCovered;

typedef struct ModelExact {
    uint32_t stack;
    uint64_t calls, self, total;
} ModelExact;

typedef struct ModelDump {
    uint32_t time;
    uint64_t order;
    char *text;
} ModelDump;

typedef struct ModelAnswer {
    uint64_t order;
    LensState state;
    uint32_t permille;
    uint64_t left_ms;
    uint32_t text; // name
    ARRAY(ModelValue) values;
} ModelAnswer;

typedef enum ModelView { // what new records belong to: bits of Model.changed
    VIEW_METRICS,
    VIEW_CPU,
    VIEW_ALLOC,
    VIEW_LOCKS,
    VIEW_THREADS,
    VIEW_EXCEPTIONS,
    VIEW_WATCH,
    VIEW_COVERAGE,
    VIEW_EXACT,
    VIEW_COUNT
} ModelView;

typedef struct Model Model;
struct Model {
    Names names;
    ARRAY(ModelValue) hello;
    uint64_t origin;   // ns, monotonic
    uint64_t realtime; // ns since 1970 at the origin
    uint32_t now;      // the latest time that a block told
    uint64_t lost;     // records that the agent dropped
    uint64_t refused;  // records beyond the limits here
    uint64_t damaged;  // blocks that did not decode
    uint32_t said_bye; // name: why; 0: it did not
    uint64_t view_count[VIEW_COUNT];

    ARRAY(ModelClass) classes;
    ARRAY(ModelMethod) methods;
    ARRAY(ModelLine) lines;
    ARRAY(ModelThread) threads;
    ARRAY(ModelFrame) frames;
    ARRAY(ModelStack) stacks;
    ARRAY(ModelModule) modules;
    ARRAY(ModelPoint) points;
    ARRAY(ModelLoader) loaders;

    ARRAY(SampleChunk *) samples;
    uint64_t samples_forgotten; // dropped from memory, the oldest first
    ARRAY(ModelMetric) metrics[METRIC_KINDS];
    ARRAY(ModelStateChange) states;
    ARRAY(ModelAlloc) allocs;
    ARRAY(uint32_t)
    follow_ends; // times from which the ends of what was allocated before are not told
    ARRAY(ModelWait) waits;
    ARRAY(ModelCollection) collections;
    ARRAY(ModelException) exceptions;
    ARRAY(ModelHit) hits;
    ARRAY(ModelCovered) covered;
    ARRAY(ModelExact) exact;
    ARRAY(ModelValue) values;
    ARRAY(ModelDump) dumps;

    // Told of what the model only passes on; each may be NULL.
    void (*on_answer)(void *context, const ModelAnswer *answer);
    void (*on_metrics)(void *context, uint32_t time);
    void (*on_hit)(void *context, const ModelHit *hit);
    // The name of a native frame, or NULL; asked once for each module and offset that no LENS_SYMBOLS named.
    const char *(*symbol)(void *context, const char *path, const char *build_id,
                          uint64_t offset);
    void *context;
    // Symbols that were asked for since the owner emptied it: payload of a LENS_SYMBOLS block.
    Bytes new_symbols;

    struct ModelIds *ids;
};

Model *model_new(void);
void model_free(Model *model);
// Takes a block, uncompressed. False: it did not decode to its end (what came before the fault is kept).
bool model_take(Model *model, const LensBlock *block, const uint8_t *payload);

const char *model_name(const Model *model, uint32_t name);
// A value of HELLO, or "".
const char *model_hello(const Model *model, const char *name);
bool model_hello_is(const Model *model, const char *name, const char *value);
// The line of a bci, 0: unknown.
uint32_t model_line(const Model *model, const ModelMethod *method, int32_t bci);
// "com.acme" of "com.acme.Order$Item[]".
uint32_t model_package(Model *model, const char *class_name);
// Whether what was allocated is known to live at that time, or when it was followed for the last time before.
bool model_lives(const Model *model, const ModelAlloc *alloc, uint32_t when);
static inline double tick_ms(uint32_t tick)
{
    return tick / (double)TICKS_PER_MS;
}
uint32_t model_tick(const Model *model, uint64_t monotonic_ns);
uint64_t model_wall_ns(const Model *model, uint32_t tick); // ns since 1970

extern const char *const metric_names[METRIC_KINDS];
bool metric_is_cumulative(LensMetric metric);
extern const char *const state_names[LENS_ENDED + 1];

#endif
