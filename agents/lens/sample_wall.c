// SPDX-License-Identifier: Apache-2.0
// Wall time: a thread of the agent looks at all Java threads in turn. Who has not run since the
// last look (by its CPU clock) is where it was. Who runs now gets a signal and samples itself.
// Of all others the VM tells state and stack: nobody is woken from a wait.
#define _GNU_SOURCE
#include "sample.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define REFRESH_EVERY (200 * LENS_MS)
#define GATHER        (50 * LENS_MS) // samples of a thread that stands still become one
enum { REST_FACTOR = 4 };            // rests at least so many times as long as a round took

typedef struct Watched {
    jthread thread;
    LensThread *met;
    uint64_t cpu, time; // of its clock; of its last sample
    uint32_t stack;     // 0: not known
    LensThreadState state;
} Watched;

static pthread_t sampler;
static bool is_running;
static _Atomic bool is_stopping;
static unsigned rate, depth;

static LensThreadList list;
static Watched *watched; // of `list`, sorted by id of thread
static size_t watched_len;

// ---- who there is ----

static int compare(const void *a, const void *b)
{
    const Watched *x = a, *y = b;
    return (x->met->id > y->met->id) - (x->met->id < y->met->id);
}

static void carry_over(Watched *fresh, size_t len)
{
    for (size_t i = 0, old = 0; i < len && old < watched_len;) {
        if (watched[old].met->id < fresh[i].met->id) {
            old++;
        } else {
            if (watched[old].met->id == fresh[i].met->id) {
                jthread thread = fresh[i].thread;
                fresh[i] = watched[old];
                fresh[i].thread = thread;
            }
            i++;
        }
    }
}

static void refresh(JNIEnv *jni)
{
    ASSERT_OWN_THREAD();
    LensThreadList next = lens_threads_get(jni);
    Watched *fresh = agent_alloc(((size_t)next.len + 1) * sizeof *fresh);
    size_t len = 0;
    for (jint i = 0; i < next.len && fresh != NULL; i++) {
        LensThread *met = lens_thread(jni, next.threads[i]);
        if (met != NULL) {
            fresh[len++] = (Watched){.thread = next.threads[i], .met = met, .time = lens_now()};
        }
    }
    lens_threads_find_tids(jni, &next);
    qsort(fresh, len, sizeof *fresh, compare);
    carry_over(fresh, len);
    lens_threads_release(jni, &list);
    free(watched);
    list = next;
    watched = fresh;
    watched_len = len;
}

// ---- one look ----

typedef struct Task {
    char state;         // the system's letter: 'R' runs or wants to
    bool has_signalled; // a signal of ours still waits to be heard
} Task;

// Field 3 is the state, field 31 the set of signals that wait, without real-time ones: those
// are queued, while another that comes to one that waits is lost.
static Task task_of(int tid)
{
    enum { STATE = 3, WAITING = 31 };
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", tid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t len = fd >= 0 ? read(fd, text, sizeof text - 1) : 0;
    if (fd >= 0) {
        close(fd);
    }
    text[len > 0 ? len : 0] = '\0';
    const char *p = strrchr(text, ')');
    if (p == NULL || p[1] != ' ') {
        return (Task){.state = '?'};
    }
    Task task = {.state = p[2]};
    p += 2;
    for (int field = STATE; field < WAITING && p != NULL; field++) {
        p = strchr(p + 1, ' ');
    }
    unsigned long waiting = p != NULL ? strtoul(p, NULL, 10) : 0;
    task.has_signalled = (waiting >> (lens_handler_signal() - 1) & 1) != 0;
    return task;
}

// The weight goes with the signal.
static bool signal_thread(int tid, uint64_t weight)
{
    assert(tid > 0 && weight > 0);
    siginfo_t info = {.si_code = SI_QUEUE, .si_signo = lens_handler_signal()};
    info.si_pid = getpid();
    info.si_uid = getuid();
    info.si_value.sival_ptr = (void *)(uintptr_t)weight;
    return syscall(SYS_rt_tgsigqueueinfo, getpid(), tid, lens_handler_signal(), &info) == 0;
}

bool lens_wall_weight(const siginfo_t *info, uint64_t *weight)
{
    *weight = (uint64_t)(uintptr_t)info->si_value.sival_ptr;
    return info->si_pid == getpid() && *weight > 0 && *weight < 60 * LENS_SECOND;
}

static void emit(Watched *w, uint64_t now)
{
    assert(now >= w->time);
    LensRecord record;
    lens_record_begin(&record, LENS_SAMPLES, NULL);
    lens_put_id(&record, LENS_DEF_THREAD, w->met->id);
    lens_put_id(&record, LENS_DEF_STACK, w->stack);
    lens_put_u(&record, LENS_SAMPLE_WALL);
    lens_put_u(&record, now - w->time);
    lens_put_u(&record, w->state);
    lens_put_u(&record, 0);
    lens_record_end(&record);
    w->time = now;
}

static void look(Watched *w, JNIEnv *jni)
{
    uint64_t now = lens_now();
    int tid = atomic_load(&w->met->tid);
    uint64_t cpu = lens_thread_cpu(w->met, w->thread);
    if (cpu != 0 && cpu == w->cpu && w->stack != 0) {
        if (now - w->time >= GATHER) {
            emit(w, now);
        }
        return;
    }
    if (w->stack != 0) {
        emit(w, now); // up to now it stood there
    }
    w->cpu = cpu;
    w->state = lens_thread_state(w->thread);
    bool may_run = w->state == LENS_RUNNING || w->state == LENS_IN_NATIVE;
    Task task = may_run && tid != 0 ? task_of(tid) : (Task){0};
    if (task.state == 'R') {
        w->stack = 0;
        // Where one waits it has its weight; what came since goes with the next.
        if (!task.has_signalled && now > w->time && signal_thread(tid, now - w->time)) {
            w->time = now;
        }
        return;
    }
    w->state = may_run && tid != 0 ? LENS_IN_NATIVE : w->state;
    w->stack = w->state != LENS_NEW && w->state != LENS_ENDED
                   ? lens_stack_of(jni, w->thread, (jint)depth)
                   : 0;
}

// ---- the thread ----

static void rest(uint64_t until)
{
    struct timespec t = {.tv_sec = (time_t)(until / LENS_SECOND),
                         .tv_nsec = (long)(until % LENS_SECOND)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR) {
        // once more
    }
}

static void *run(void *unused)
{
    (void)unused;
    JNIEnv *jni = lens_attach("Lens sampler");
    if (jni == NULL) {
        return NULL;
    }
    uint64_t next = lens_now(), next_refresh = 0, period = LENS_SECOND / rate;
    while (!atomic_load(&is_stopping)) {
        uint64_t began = lens_now();
        if (began >= next_refresh) {
            refresh(jni);
            lens_count_own_time();
            next_refresh = began + REFRESH_EVERY;
        }
        for (size_t i = 0; i < watched_len && !atomic_load(&is_stopping); i++) {
            look(&watched[i], jni);
        }
        uint64_t ended = lens_now(), rested = ended + (ended - began) * REST_FACTOR;
        next = next + period > ended ? next + period : ended;
        next = next > rested ? next : rested;
        rest(next);
    }
    lens_threads_release(jni, &list);
    free(watched);
    watched = NULL;
    watched_len = 0;
    lens_detach(jni);
    return NULL;
}

bool lens_wall_begin(unsigned hz, unsigned frames)
{
    ASSERT_AGENT_THREAD();
    assert(hz > 0 && !is_running);
    static const jvmtiCapabilities TIMES = {.can_get_thread_cpu_time = 1};
    // Without it some threads are looked at by the VM alone
    (*lens.jvmti)->AddCapabilities(lens.jvmti, &TIMES);
    rate = hz;
    depth = frames;
    atomic_store(&is_stopping, false);
    sigset_t old;
    lens_block_signals(&old);
    is_running = pthread_create(&sampler, NULL, run, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return is_running;
}

void lens_wall_end(void)
{
    ASSERT_AGENT_THREAD();
    if (is_running) {
        atomic_store(&is_stopping, true);
        pthread_join(sampler, NULL);
        is_running = false;
    }
}
