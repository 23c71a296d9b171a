// SPDX-License-Identifier: Apache-2.0
// The VM's own performance counters: the constant ones, and those whose values a thread of the
// VM copies out of the VM's state again and again (as HotSpot's does, PerfDataSamplingInterval).
// Names are HotSpot's, for jstat and jps know no others.
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>

#include "base/log.h"
#include "base/strbuf.h"
#include "class/unload.h"
#include "java/call.h"
#include "java/java_thread.h"
#include "java/string.h"
#include "jit/broker.h"
#include "options/options.h"
#include "platform/platform.h"
#include "service/management/memory_pools.h"
#include "service/perf/perf_data.h"

enum { NANOS_PER_MS = 1000 * 1000, SAMPLER_STACK = 128 * 1024, CAUSE_MAX = 81 };

typedef struct Sample {
#define PERF_SAMPLED(field, name, units, variability) int64_t field;
#include "spec/perf_sampled.def"
#undef PERF_SAMPLED
} Sample;
static const struct {
    const char *name;
    uint8_t units, variability;
    size_t offset;
} sampled[] = {
#define PERF_SAMPLED(field, name, units, variability) \
    {name, PERF_##units, PERF_##variability, offsetof(Sample, field)},
#include "spec/perf_sampled.def"
#undef PERF_SAMPLED
};
static int64_t *places[ARRAY_LEN(sampled)]; // NULL: there is no such counter
static char *gc_cause, *gc_last_cause, *last_method, *last_failed;
static _Atomic bool begun; // places are set

// ---- sampling ----

static void take_classes(Sample *s)
{
    PoolUsage pools[POOL_COUNT];
    pool_usages(pools);
    s->metaspace_used = pools[POOL_METASPACE].used;
    s->metaspace_capacity = pools[POOL_METASPACE].committed;
    s->class_space_used = pools[POOL_CLASS_SPACE].used;
    s->class_space_capacity = pools[POOL_CLASS_SPACE].committed;
    s->class_space_max = s->metaspace_max = pools[POOL_CLASS_SPACE].max;
}

static void take_threads(Sample *s)
{
    JavaThreadCounts n;
    java_thread_counts(&n);
    s->threads_started = n.started;
    s->threads_live = n.live;
    s->threads_peak = n.peak;
    s->threads_daemon = n.daemon;
}

static void take_collections(Sample *s)
{
    const GcRecord *young = gc_last_record(MANAGER_COPY),
                   *full = gc_last_record(MANAGER_COMPACT);
    s->young_entry = young->start_nanos;
    s->young_exit = young->end_nanos;
    s->full_entry = full->start_nanos;
    s->full_exit = full->end_nanos;
}

static void take_compilations(Sample *s)
{
    CompileTotals t;
    broker_totals(&t);
    s->compiles = (int64_t)t.compiled;
    s->bailouts = (int64_t)t.refused;
    s->retired = (int64_t)t.retired;
    s->compile_time = (int64_t)t.nanos;
    s->last_size = t.last_size;
    s->last_type = t.compiled > 0; // 1: all of a method
    if (last_method)
        snprintf(last_method, COMPILED_NAME_MAX, "%s", t.last);
    if (last_failed)
        snprintf(last_failed, COMPILED_NAME_MAX, "%s", t.last_refused);
}

static void take(Sample *s)
{
    HeapStats h;
    heap_stats(&h);
    const HeapPool *eden = &h.pools[0], *survivor = &h.pools[1], *old = &h.pools[2];
    *s = (Sample){.ticks = log_uptime_nanos(),
                  .eden_used = (int64_t)eden->used,
                  .eden_capacity = (int64_t)eden->committed,
                  .eden_max = (int64_t)eden->max,
                  .from_used = (int64_t)survivor->used,
                  .from_capacity = (int64_t)survivor->committed,
                  .from_max = (int64_t)survivor->max,
                  .to_capacity = (int64_t)survivor->committed,
                  .to_max = (int64_t)survivor->max,
                  .old_used = (int64_t)old->used,
                  .old_capacity = (int64_t)old->committed,
                  .old_generation = (int64_t)old->committed,
                  .old_max = (int64_t)old->max,
                  .young_runs = (int64_t)h.young_count,
                  .young_time = h.young_nanos,
                  .full_runs = (int64_t)h.full_count,
                  .full_time = h.full_nanos,
                  .classes_loaded = (int64_t)atomic_load(&classes_loaded),
                  .classes_unloaded = (int64_t)class_unloaded_count(),
                  .class_bytes_unloaded = (int64_t)class_unloaded_bytes(),
                  .class_bytes = (int64_t)atomic_load(&class_bytes_loaded),
                  .class_time = (int64_t)atomic_load(&class_load_nanos)};
    s->young_generation = s->eden_capacity + s->from_capacity + s->to_capacity;
    take_classes(s);
    take_threads(s);
    take_collections(s);
    take_compilations(s);
}

void perf_sample(void)
{
    if (!atomic_load(&begun))
        return;
    Sample s;
    take(&s);
    for (size_t i = 0; i < ARRAY_LEN(sampled); i++) {
        const int64_t *value = (const void *)((const char *)&s + sampled[i].offset);
        // Other processes read it at any time.
        if (places[i])
            __atomic_store_n(places[i], *value, __ATOMIC_RELAXED);
    }
}

void perf_note_gc(const char *cause)
{
    ASSERT_WORLD_STOPPED();
    if (!atomic_load(&begun))
        return;
    snprintf(gc_cause, CAUSE_MAX, "%s", cause ? cause : "No GC");
    if (cause)
        snprintf(gc_last_cause, CAUSE_MAX, "%s", cause);
    perf_sample();
}

static void *run_sampler(void *unused)
{
    os_thread_set_name("VM Periodic Task Thread");
    for (;;) {
        os_sleep_nanos(vm_options.perf_interval * NANOS_PER_MS);
        // A collection changes the counters, and samples them at its end.
        heap_critical_enter(NULL);
        perf_sample();
        heap_critical_exit();
    }
    return unused;
}

// ---- the counters ----

static void add_long(const char *name, PerfUnits units, PerfVariability variability,
                     int64_t value)
{
    (void)!perf_add_long(name, units, variability, value);
}

static void add_text(const char *name, const char *value)
{
    (void)!perf_add_text(name, PERF_CONSTANT, value ? value : "", 0);
}

static void add_heap_layout(void)
{
    HeapStats h;
    heap_stats(&h);
    int64_t young = (int64_t)(h.pools[0].max + 2 * h.pools[1].max),
            old = (int64_t)h.pools[2].max;
    add_text("sun.gc.policy.name", "Copy:MSC");
    add_text("sun.gc.generation.0.name", "new");
    add_text("sun.gc.generation.0.space.0.name", "eden");
    add_text("sun.gc.generation.0.space.1.name", "s0");
    add_text("sun.gc.generation.0.space.2.name", "s1");
    add_text("sun.gc.generation.1.name", "old");
    add_text("sun.gc.generation.1.space.0.name", "old");
    add_text("sun.gc.collector.0.name", "Serial young collection pauses");
    add_text("sun.gc.collector.1.name", "Serial full collection pauses");
    const struct {
        const char *name;
        PerfUnits units;
        int64_t value;
    } rows[] = {
        {"sun.gc.policy.collectors", PERF_NONE, 2},
        {"sun.gc.policy.generations", PERF_NONE, 2},
        {"sun.gc.generation.0.spaces", PERF_NONE, 3},
        {"sun.gc.generation.1.spaces", PERF_NONE, 1},
        {"sun.gc.generation.0.minCapacity", PERF_BYTES, 0},
        {"sun.gc.generation.0.maxCapacity", PERF_BYTES, young},
        {"sun.gc.generation.1.minCapacity", PERF_BYTES, 0},
        {"sun.gc.generation.1.maxCapacity", PERF_BYTES, old},
        {"sun.gc.generation.0.space.0.initCapacity", PERF_BYTES, (int64_t)h.pools[0].init},
        {"sun.gc.generation.0.space.1.initCapacity", PERF_BYTES, (int64_t)h.pools[1].init},
        {"sun.gc.generation.0.space.2.initCapacity", PERF_BYTES, (int64_t)h.pools[1].init},
        {"sun.gc.generation.1.space.0.initCapacity", PERF_BYTES, (int64_t)h.pools[2].init},
        {"sun.cls.sharedLoadedBytes", PERF_BYTES, 0}, // there is no archive
        {"sun.cls.sharedUnloadedBytes", PERF_BYTES, 0},
        {"java.cls.sharedLoadedClasses", PERF_EVENTS, 0},
        {"java.cls.sharedUnloadedClasses", PERF_EVENTS, 0},
        {"sun.gc.metaspace.minCapacity", PERF_BYTES, 0},
        {"sun.gc.compressedclassspace.minCapacity", PERF_BYTES, 0}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        add_long(rows[i].name, rows[i].units, PERF_CONSTANT, rows[i].value);
}

// There are no counters of a compiler where nothing is compiled.
static void add_compiler(void)
{
    if (broker_state() == BROKER_OFF)
        return;
    add_long("sun.ci.lastFailedType", PERF_EVENTS, PERF_VARIABLE, 0);
    last_method = perf_add_text("sun.ci.lastMethod", PERF_VARIABLE, "", COMPILED_NAME_MAX);
    last_failed =
        perf_add_text("sun.ci.lastFailedMethod", PERF_VARIABLE, "", COMPILED_NAME_MAX);
}

static void add_command_line(void)
{
    StrBuf args = {0};
    for (size_t i = 0; i < vm_options.args.len; i++)
        sb_printf(&args, "%s%s", i ? " " : "", vm_options.args.at[i]);
    add_text("java.rt.vmFlags", "");
    add_text("java.rt.vmArgs", args.s);
    add_text("sun.rt.javaCommand", vm_options.java_command);
    sb_free(&args);
    char capabilities[65];
    memset(capabilities, '0', 64);
    capabilities[64] = '\0';
    capabilities[0] = vm_options.disable_attach ? '0' : '1'; // can be attached to
    capabilities[1] = '1';                                   // as HotSpot: the server VM
    add_text("sun.rt.jvmCapabilities", capabilities);
}

static bool add_properties(Thread *self)
{
    static const char *const keys[] = {"java.vm.specification.name",
                                       "java.vm.specification.version",
                                       "java.vm.specification.vendor",
                                       "java.vm.version",
                                       "java.vm.name",
                                       "java.vm.vendor",
                                       "java.vm.info",
                                       "java.version",
                                       "java.library.path",
                                       "java.class.path",
                                       "java.home",
                                       "jdk.debug",
                                       "sun.boot.library.path"};
    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        HANDLE_SCOPE(self);
        jobject key = string_from_mutf8(self, keys[i]);
        jvalue value;
        if (!key
            || !java_call_static(self, "java/lang/System", "getProperty",
                                 "(Ljava/lang/String;)Ljava/lang/String;",
                                 (jvalue[]){{.l = key}}, &value))
            return false;
        char *text = string_to_utf8(deref(value.l)),
             *name = vm_asprintf(
                 i + 1 < ARRAY_LEN(keys) ? "java.property.%s" : "sun.property.%s", keys[i]);
        add_text(name, text);
        vm_free(name);
        vm_free(text);
    }
    return true;
}

bool perf_data_start(Thread *self)
{
    ASSERT_MAY_GC(self);
    add_long("sun.rt.createVmEndTime", PERF_NONE, PERF_VARIABLE, os_wall_millis());
    add_long("sun.os.hrt.frequency", PERF_HERTZ, PERF_CONSTANT, 1000000000);
    add_heap_layout();
    add_compiler();
    add_command_line();
    if (!add_properties(self))
        return false;
    bool compiles = broker_state() != BROKER_OFF;
    for (size_t i = 0; i < ARRAY_LEN(sampled); i++)
        if (compiles || !strstr(sampled[i].name, ".ci."))
            places[i] = perf_add_long(sampled[i].name, (PerfUnits)sampled[i].units,
                                      (PerfVariability)sampled[i].variability, 0);
    gc_cause = perf_add_text("sun.gc.cause", PERF_VARIABLE, "No GC", CAUSE_MAX);
    gc_last_cause = perf_add_text("sun.gc.lastCause", PERF_VARIABLE, "No GC", CAUSE_MAX);
    atomic_store(&begun, true);
    perf_sample();
    pthread_t ignored;
    if (vm_options.use_perf_data
        && !os_thread_start(&ignored, SAMPLER_STACK, run_sampler, NULL))
        vm_warning("performance data are not updated: no thread could be started");
    return true;
}
