// SPDX-License-Identifier: Apache-2.0
// The signal handler of sampling. It takes no memory and no lock; stacks go into buffers that
// were made before, then into a ring. It stays installed for ever, as a signal may come late;
// `is_on` says whether it does anything.
#define _GNU_SOURCE
#include "sample.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

typedef struct CallTrace {
    JNIEnv *env;
    jint num_frames;
    LensCallFrame *frames;
} CallTrace;

enum { BUFFERS = 32 };

static void (*async_trace)(CallTrace *trace, jint depth, void *context);
static int signal_number;
static _Atomic bool is_on;
static _Atomic int inside; // handlers that run
static struct {
    _Atomic bool is_taken;
    uint8_t *memory; // a LensRawSample, then frames
} buffers[BUFFERS];
static unsigned depth;

bool lens_has_async_trace(void)
{
    if (async_trace == NULL) {
        async_trace =
            (void (*)(CallTrace *, jint, void *))dlsym(RTLD_DEFAULT, "AsyncGetCallTrace");
    }
    if (async_trace == NULL) { // libjvm.so need not be among the global libraries
        Dl_info vm;
        void *library = dladdr((void *)(*lens.vm)->GetEnv, &vm) != 0
                            ? dlopen(vm.dli_fname, RTLD_LAZY | RTLD_NOLOAD)
                            : NULL;
        async_trace =
            library != NULL
                ? (void (*)(CallTrace *, jint, void *))dlsym(library, "AsyncGetCallTrace")
                : NULL;
    }
    return async_trace != NULL;
}

static uint64_t pc_of(const void *context)
{
    const ucontext_t *u = context;
#if defined __x86_64__
    return (uint64_t)u->uc_mcontext.gregs[REG_RIP];
#elif defined __aarch64__
    return u->uc_mcontext.pc;
#else
    return u != NULL ? 0 : 0;
#endif
}

static int take_buffer(void)
{
    static _Atomic unsigned turn;
    unsigned from = atomic_fetch_add_explicit(&turn, 1, memory_order_relaxed);
    for (unsigned i = 0; i < BUFFERS; i++) {
        bool free = false;
        if (atomic_compare_exchange_strong(&buffers[(from + i) % BUFFERS].is_taken, &free,
                                           true)) {
            return (int)((from + i) % BUFFERS);
        }
    }
    return -1;
}

static void put(const LensRawSample *sample, size_t len, uint64_t time)
{
    LensRingRecord head = {.time = time, .type = LENS_RAW_SAMPLE, .len = (uint16_t)len};
    lens_ring_write(&head, NULL, sample);
}

// Takes the stack of this thread and puts it into the ring.
static void sample_here(LensRawSample *sample, uint64_t time, void *context)
{
    int buffer = take_buffer();
    if (buffer < 0) {
        sample->frames = LENS_NO_ROOM;
        put(sample, sizeof *sample, time);
        return;
    }
    uint8_t *memory = buffers[buffer].memory;
    assert(memory != NULL); // handlers that run keep them
    CallTrace trace = {.env = sample->env,
                       .frames = (LensCallFrame *)(memory + sizeof *sample)};
    if (sample->env != NULL) {
        async_trace(&trace, (jint)depth, context);
    }
    sample->frames = trace.num_frames;
    memcpy(memory, sample, sizeof *sample);
    size_t frames = trace.num_frames > 0 ? (size_t)trace.num_frames : 0;
    put((const LensRawSample *)memory, sizeof *sample + frames * sizeof(LensCallFrame), time);
    atomic_store(&buffers[buffer].is_taken, false);
}

static void handle(int number, siginfo_t *info, void *context)
{
    (void)number;
    int kept = errno;
    atomic_fetch_add(&inside, 1);
    if (atomic_load(&is_on) && !lens_is_own_thread()) {
        uint64_t began = lens_thread_nanos();
        LensRawSample sample = {
            .tid = (int)syscall(SYS_gettid), .pc = pc_of(context), .state = LENS_RUNNING};
        bool is_wall = info->si_code == SI_QUEUE;
        sample.kind = is_wall ? LENS_SAMPLE_WALL : LENS_SAMPLE_CPU;
        if (is_wall ? lens_wall_weight(info, &sample.weight)
                    : lens_timer_weight(info, sample.tid, &sample.weight)) {
            sample.env = lens_jni();
            sample_here(&sample, lens_now(), context);
        }
        lens_count(LENS_AGENT_NANOS, (int64_t)(lens_thread_nanos() - began));
    }
    atomic_fetch_sub(&inside, 1);
    errno = kept;
}

// SIGPROF, unless a profiler has it: then the first real-time signal from above that is free.
static int free_signal(void)
{
    for (int number = SIGPROF; number >= SIGRTMIN || number == SIGPROF;
         number = number == SIGPROF ? SIGRTMAX - 2 : number - 1) {
        struct sigaction now;
        if (sigaction(number, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) == 0
            && (now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN)) {
            return number;
        }
    }
    return 0;
}

bool lens_handler_install(void)
{
    ASSERT_AGENT_THREAD();
    if (signal_number != 0) {
        return true;
    }
    int number = free_signal();
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_RESTART};
    if (number != 0 && sigaction(number, &action, NULL) == 0) {
        signal_number = number;
    }
    return signal_number != 0;
}

int lens_handler_signal(void)
{
    return signal_number;
}

bool lens_handler_begin(unsigned wanted)
{
    ASSERT_AGENT_THREAD();
    assert(signal_number != 0 && !atomic_load(&is_on));
    assert(wanted > 0 && wanted <= LENS_DEPTH);
    depth = wanted;
    for (size_t i = 0; i < BUFFERS; i++) {
        buffers[i].memory = agent_alloc(sizeof(LensRawSample) + depth * sizeof(LensCallFrame));
        if (buffers[i].memory == NULL) {
            return false;
        }
    }
    atomic_store(&is_on, true);
    return true;
}

void lens_handler_end(void)
{
    ASSERT_AGENT_THREAD();
    uint64_t until = lens_now() + LENS_SECOND;
    atomic_store(&is_on, false);
    while (atomic_load(&inside) > 0 && lens_now() < until) {
        nanosleep(&(struct timespec){.tv_nsec = LENS_MS}, NULL);
    }
    for (size_t i = 0; i < BUFFERS && atomic_load(&inside) == 0; i++) {
        free(buffers[i].memory);
        buffers[i].memory = NULL;
    }
}

void lens_samples_forked(void)
{
    atomic_store(&is_on, false);
}
