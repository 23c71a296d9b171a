// SPDX-License-Identifier: Apache-2.0
// The parts of the hprof agent. Everything here is guarded by hprof.lock, a raw monitor that the
// thread of a collection takes in GC_START and gives back in GC_FINISH: the handlers between,
// which may not block, own it already. Calls of the VM are made before the lock is taken, but for
// requests of dumps.
#ifndef HPROF_H
#define HPROF_H

#include <assert.h>
#include <jvmpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// ---- options ----
typedef enum CpuMode { CPU_OFF, CPU_SAMPLES, CPU_TIMES, CPU_OLD } CpuMode;
typedef struct Options {
    bool sites, dump;
    CpuMode cpu;
    bool monitor, binary, line_numbers, threads, dump_on_exit;
    char *file, *net;
    int depth, interval; // frames; ms
    double cutoff;
} Options;

typedef struct Hprof {
    JVMPI_Interface *vm;
    JavaVM *java_vm;
    Options options;
    JVMPI_RawMonitor lock;
    bool ended;
} Hprof;
extern Hprof hprof;

// How often the calling thread has the lock, for assertions.
extern _Thread_local int hprof_held;
#define ASSERT_LOCKED()     assert(hprof_held > 0)
#define ASSERT_NOT_LOCKED() assert(hprof_held == 0)

static inline void hprof_enter(void)
{
    hprof.vm->RawMonitorEnter(hprof.lock);
    hprof_held++;
}
static inline void hprof_exit(void)
{
    ASSERT_LOCKED();
    hprof_held--;
    hprof.vm->RawMonitorExit(hprof.lock);
}

// ---- hprof_map.c: a word to a pointer and a number ----
typedef struct MapEntry {
    uintptr_t key;
    void *value;
    uint64_t number;
} MapEntry;
typedef struct Map {
    MapEntry *entries;
    size_t size, used, live;
} Map;
MapEntry *map_find(const Map *m, uintptr_t key); // NULL: absent
void *map_get(const Map *m, uintptr_t key);      // the pointer, NULL when absent
void map_put(Map *m, uintptr_t key, void *value, uint64_t number);
bool map_remove(Map *m, uintptr_t key);
// malloc and strdup that end the process with a line when memory is out.
void *must_alloc(size_t size); // zeroed
char *must_copy(const char *text);

// ---- hprof_names.c: classes, methods, threads, traces ----
typedef struct FieldName {
    char *name;
    uint8_t type; // JVMPI_CLASS, JVMPI_INT ...
} FieldName;
typedef struct ClassName {
    jobjectID id;
    uint32_t serial;
    char *name, *source; // java/lang/String; source NULL: unknown
    int interfaces, static_count, field_count;
    FieldName *statics, *fields;
    jobjectID super, loader; // of the last dump
    struct ClassName *array; // of arrays of it, once looked for in the last dump
    const void *written;     // the id it has in the output so far
    struct ClassName *next;
} ClassName;
typedef struct MethodName {
    ClassName *cls;
    char *name, *signature;
} MethodName;
typedef struct TraceFrame {
    const MethodName *method;
    jint line;
} TraceFrame;
typedef struct Trace {
    uint32_t serial, thread; // thread 0: any
    int count;
    uint64_t samples;                    // CPU
    uint64_t calls, nanos, total_nanos;  // CPU, total: with callees
    uint64_t contended, contended_nanos; // monitors
    const ClassName *monitor;
    bool written;
    struct Trace *next; // in its bucket
    TraceFrame frames[];
} Trace;
typedef struct CallGraph CallGraph; // of a thread: hprof_times.c
typedef struct ThreadName {
    JNIEnv *env;
    jobjectID object;
    uint32_t serial;
    char *name, *group, *parent;
    CallGraph *graph; // NULL: it called nothing yet
    Trace *blocked_at;
    jlong blocked_since;
    struct ThreadName *next;
} ThreadName;

extern ClassName *all_classes;  // loaded now
extern ThreadName *all_threads; // alive now
extern Trace **all_traces;      // by serial - 1
extern uint32_t trace_count;

void class_add(const JVMPI_Event *e);
void class_remove(jobjectID id);
void class_moved(jobjectID from, jobjectID to);
ClassName *class_find(jobjectID id);           // NULL: unknown
ClassName *class_of_array(ClassName *element); // of arrays of it, in a dump; NULL: none
const MethodName *method_find(jmethodID id);
ThreadName *thread_add(const JVMPI_Event *e);
void thread_remove(JNIEnv *env);
ThreadName *thread_find(JNIEnv *env);
void thread_moved(jobjectID from, jobjectID to);
// The trace of these frames, always the same; `thread` only counts with thread=y.
Trace *trace_of(const JVMPI_CallFrame *frames, int count, const ThreadName *thread);
Trace *trace_of_frames(const TraceFrame *frames, int count, const ThreadName *thread);
enum { DEPTH_MAX = 256 };
// The trace of the whole stack of a thread, of its youngest DEPTH_MAX frames, with its serial.
Trace *trace_of_thread(const JVMPI_CallTrace *stack);
// The stack of the current thread, as deep as the option says. Without the lock.
int stack_take(JNIEnv *env, JVMPI_CallFrame *frames);

// ---- hprof_output.c ----
bool output_open(void); // false after a line on stderr
void output_flush(void);
void output_close(void);
void print(const char *format, ...) __attribute__((format(printf, 1, 2)));
const char *output_date(void);
// Binary only. A class is written when it is needed, and again when it has moved since: tools
// take the ids of a dump for addresses of the moment.
void write_class(ClassName *c);
void write_class_end(ClassName *c);
void write_thread(const ThreadName *t);
void write_thread_end(const ThreadName *t);
void write_trace(Trace *t); // unless that was done
// "%-8s": "class.method" of the youngest frame.
void print_method(const Trace *t);
// Binary records: begun, filled by put_*, ended.
void record_begin(uint8_t tag);
void record_end(void);
size_t record_size(void);
void put_u1(uint32_t v);
void put_u2(uint32_t v);
void put_u4(uint32_t v);
void put_u8(uint64_t v);
void put_id(const void *id);
void put_bytes(const void *bytes, size_t size);
const void *string_id(
    const char *text); // writes the string the first time; not inside a record

enum {
    TAG_STRING = 0x01,
    TAG_LOAD_CLASS = 0x02,
    TAG_UNLOAD_CLASS = 0x03,
    TAG_FRAME = 0x04,
    TAG_TRACE = 0x05,
    TAG_ALLOC_SITES = 0x06,
    TAG_START_THREAD = 0x0A,
    TAG_END_THREAD = 0x0B,
    TAG_CPU_SAMPLES = 0x0D,
    TAG_CONTROL_SETTINGS = 0x0E,
    TAG_HEAP_DUMP_SEGMENT = 0x1C,
    TAG_HEAP_DUMP_END = 0x2C,
};

// ---- hprof_sites.c ----
void site_alloc(const JVMPI_Event *e, const JVMPI_CallFrame *frames, int count);
void site_moved(jobjectID from, jobjectID to);
void site_free(jobjectID id);
uint32_t site_trace(jobjectID id); // serial of the trace of its allocation, 0: unknown
void sites_write(void);

// ---- hprof_cpu.c ----
void cpu_start(void); // once threads can be made
void cpu_write(void);

// ---- hprof_times.c ----
// A call of the current thread begins, ends. Without the lock.
void times_enter(JNIEnv *env, jmethodID method);
void times_leave(JNIEnv *env, jmethodID method);
void times_add_up(void);       // into the traces, of all threads
void times_end(ThreadName *t); // adds up, frees
void times_print_old(void);    // after times_add_up

// ---- hprof_monitor.c ----
void monitor_enter(const JVMPI_Event *e, const JVMPI_CallFrame *frames, int count);
void monitor_entered(const JVMPI_Event *e, jobjectID class_id);
void monitors_write(void);
void monitor_dump_write(const JVMPI_Event *e);

// ---- hprof_dump.c ----
void heap_dump_write(const JVMPI_Event *e);

#endif
