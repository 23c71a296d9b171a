// SPDX-License-Identifier: Apache-2.0
// CPU usage: samples of the running threads' stacks (cpu=samples), and the reports of these and of
// the times that hprof_times.c measures.
#include <stdlib.h>

#include "hprof/hprof.h"

enum { THREADS_MAX = 4096, NANOS_PER_MS = 1000 * 1000 };

// ---- samples ----
static uint64_t sample_total;
static JVMPI_RawMonitor timer;

typedef struct Sample {
    JNIEnv *env;
    int count;
    JVMPI_CallFrame frames[DEPTH_MAX];
} Sample;

static int threads_list(JNIEnv **envs)
{
    int n = 0;
    hprof_enter();
    for (const ThreadName *t = all_threads; t && n < THREADS_MAX; t = t->next)
        envs[n++] = t->env;
    hprof_exit();
    return n;
}

// Of a thread that runs. It is suspended: nothing may block until it is resumed.
static bool sample_one(JNIEnv *env, Sample *s)
{
    ASSERT_NOT_LOCKED(); // the suspended thread may have it
    JVMPI_Interface *vm = hprof.vm;
    if ((vm->GetThreadStatus(env) & ~JVMPI_THREAD_INTERRUPTED) != JVMPI_THREAD_RUNNABLE)
        return false;
    jint failed = 0;
    vm->SuspendThreadList(1, &env, &failed);
    if (failed)
        return false; // it has ended
    bool ran = vm->ThreadHasRun(env);
    s->env = env;
    s->count = ran ? stack_take(env, s->frames) : 0;
    vm->ResumeThread(env);
    return ran && s->count > 0;
}

static void sample_all(JNIEnv *own, JNIEnv **envs)
{
    int n = threads_list(envs);
    for (int i = 0; i < n; i++) {
        Sample s;
        if (envs[i] == own)
            continue;
        hprof.vm->DisableGC();
        bool sampled = sample_one(envs[i], &s);
        hprof.vm->EnableGC();
        if (!sampled)
            continue;
        hprof_enter();
        trace_of(s.frames, s.count, thread_find(s.env))->samples++;
        sample_total++;
        hprof_exit();
    }
}

static void run_sampler(void *unused)
{
    (void)unused;
    JNIEnv *own = NULL;
    (*hprof.java_vm)->GetEnv(hprof.java_vm, (void **)&own, JNI_VERSION_1_2);
    JNIEnv **envs = must_alloc(THREADS_MAX * sizeof *envs);
    while (!hprof.ended) {
        hprof.vm->RawMonitorEnter(timer);
        hprof.vm->RawMonitorWait(timer, hprof.options.interval);
        hprof.vm->RawMonitorExit(timer);
        sample_all(own, envs);
    }
    free(envs);
}

void cpu_start(void)
{
    if (hprof.options.cpu != CPU_SAMPLES)
        return;
    timer = hprof.vm->RawMonitorCreate("_hprof timer");
    if (hprof.vm->CreateSystemThread("HPROF CPU profiler", JVMPI_MAXIMUM_PRIORITY, run_sampler)
        != JNI_OK)
        fprintf(stderr, "HPROF ERROR: no thread to sample with\n");
}

// ---- reports ----
// Samples, or ns.
static uint64_t weight(const Trace *t)
{
    return hprof.options.cpu == CPU_SAMPLES ? t->samples : t->nanos;
}

static int by_weight(const void *a, const void *b)
{
    const Trace *x = *(Trace *const *)a, *y = *(Trace *const *)b;
    uint64_t v = weight(x), w = weight(y);
    if (v != w)
        return v < w ? 1 : -1;
    return x->calls < y->calls ? 1 : x->calls > y->calls ? -1 : 0;
}

static void print_traces(Trace **list, size_t count, uint64_t total)
{
    bool samples = hprof.options.cpu == CPU_SAMPLES;
    const char *title = samples ? "CPU SAMPLES" : "CPU TIME (ms)";
    double sum = 0;
    print("%s BEGIN (total = %llu) %s\n", title,
          (unsigned long long)(samples ? total : total / NANOS_PER_MS), output_date());
    print("rank   self  accum   count trace method\n");
    for (size_t i = 0; i < count; i++) {
        double self = total ? 100.0 * (double)weight(list[i]) / (double)total : 0;
        sum += self;
        print("%4zu %5.2f%% %5.2f%% %7llu %5u ", i + 1, self, sum,
              (unsigned long long)(samples ? list[i]->samples : list[i]->calls),
              list[i]->serial);
        print_method(list[i]);
    }
    print("%s END\n", title);
}

static void write_traces(Trace **list, size_t count, uint64_t total)
{
    record_begin(TAG_CPU_SAMPLES);
    put_u4((uint32_t)total);
    put_u4((uint32_t)count);
    for (size_t i = 0; i < count; i++) {
        put_u4((uint32_t)weight(list[i]));
        put_u4(list[i]->serial);
    }
    record_end();
}

void cpu_write(void)
{
    ASSERT_LOCKED();
    times_add_up();
    if (hprof.options.cpu == CPU_OLD) {
        times_print_old();
        return;
    }
    uint64_t total = 0;
    for (uint32_t i = 0; i < trace_count; i++)
        total += weight(all_traces[i]);
    Trace **list = must_alloc(trace_count * sizeof *list);
    size_t n = 0;
    for (uint32_t i = 0; i < trace_count; i++) {
        bool used = all_traces[i]->samples || all_traces[i]->calls;
        if (used && (double)weight(all_traces[i]) >= hprof.options.cutoff * (double)total)
            list[n++] = all_traces[i];
    }
    qsort(list, n, sizeof *list, by_weight);
    for (size_t i = 0; i < n; i++)
        write_trace(list[i]);
    if (hprof.options.binary)
        write_traces(list, n, total);
    else
        print_traces(list, n, total);
    free(list);
}
