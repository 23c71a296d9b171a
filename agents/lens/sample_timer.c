// SPDX-License-Identifier: Apache-2.0
// Timers of CPU time, one for each thread of the process: a perf event of the system's CPU
// clock, where that is allowed and there are descriptors; else a POSIX timer of the thread's
// CPU clock, which the kernel looks at once a tick; above that rate one of the monotonic clock,
// whose samples weigh what the thread has used since the last. Every sample weighs so: what the
// clock missed is in the next.
//
// `lock` guards slots and timers: the agent's thread and beginning and ending threads take it.
// The handler reads its slot without it: a slot is of the thread whose id it has.
#define _GNU_SOURCE
#include "sample.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { SLOTS = 1 << 14, BUCKETS = 1 << 12, DESCRIPTORS = 1 << 16, TICK_HZ = 250, NONE = -1 };

typedef struct Slot {
    _Atomic int tid; // 0: free
    int next;        // in the bucket, or among the free ones
    int fd;          // of the perf event, NONE: it is a timer
    timer_t timer;
    bool is_armed;
    bool was_seen;     // by the look that goes on
    uint64_t last_cpu; // of its thread, in the handler
} Slot;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Slot *slots;
static int buckets[BUCKETS], first_free, used; // slots below `used` have been in use
static _Atomic int slot_of_fd[DESCRIPTORS];
static _Atomic unsigned rate; // 0: off
static bool use_perf;
static unsigned events_open,
    events_most; // descriptors: at most a quarter of what the program may have
static unsigned kernel_excluded;

// ---- clocks ----

uint64_t lens_clock_of(int tid)
{
    struct timespec t;
    // CPUCLOCK_SCHED of one thread, as pthread_getcpuclockid makes it
    clockid_t clock = (clockid_t)((~(unsigned)tid << 3) | 6);
    if (clock_gettime(clock, &t) != 0) {
        return 0;
    }
    return (uint64_t)t.tv_sec * LENS_SECOND + (uint64_t)t.tv_nsec;
}

uint64_t lens_thread_nanos(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * LENS_SECOND + (uint64_t)t.tv_nsec;
}

// ---- perf events ----

static unsigned descriptors_to_use(void)
{
    struct rlimit limit = {.rlim_cur = 1024};
    getrlimit(RLIMIT_NOFILE, &limit);
    return (unsigned)(limit.rlim_cur / 4 < DESCRIPTORS / 2 ? limit.rlim_cur / 4
                                                           : DESCRIPTORS / 2);
}

static int open_event(int tid, unsigned hz)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
                                   .size = sizeof attr,
                                   .config = PERF_COUNT_SW_CPU_CLOCK,
                                   .sample_period = LENS_SECOND / hz,
                                   .wakeup_events = 1,
                                   .disabled = 1,
                                   .exclude_kernel = kernel_excluded,
                                   .exclude_hv = 1};
    return (int)syscall(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

// Whether the system allows them; with kernel_excluded where it must be.
static bool try_events(void)
{
    for (kernel_excluded = 0; kernel_excluded < 2; kernel_excluded++) {
        int fd = open_event(0, 1);
        if (fd >= 0) {
            close(fd);
            return true;
        }
    }
    return false;
}

bool lens_has_perf_events(void)
{
    static int known = NONE;
    if (known == NONE) {
        known = try_events();
    }
    return known != 0;
}

static bool arm_event(Slot *s, int tid, unsigned hz)
{
    assert(s->fd == NONE);
    struct f_owner_ex owner = {.type = F_OWNER_TID, .pid = tid};
    int fd = events_open < events_most ? open_event(tid, hz) : NONE;
    if (fd < 0 || fd >= DESCRIPTORS || fcntl(fd, F_SETFL, O_ASYNC) != 0
        || fcntl(fd, F_SETSIG, lens_handler_signal()) != 0
        || fcntl(fd, F_SETOWN_EX, &owner) != 0) {
        if (fd >= 0) {
            close(fd);
        }
        return false;
    }
    s->fd = fd;
    events_open++;
    atomic_store(&slot_of_fd[fd], (int)(s - slots));
    if (ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) == 0) {
        return true;
    }
    close(fd);
    events_open--;
    s->fd = NONE;
    return false;
}

// ---- POSIX timers ----

static bool arm_timer(Slot *s, int tid, unsigned hz)
{
    clockid_t clock = hz > TICK_HZ ? CLOCK_MONOTONIC : (clockid_t)((~(unsigned)tid << 3) | 6);
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID,
                             .sigev_signo = lens_handler_signal()};
    event.sigev_value.sival_int = (int)(s - slots);
    event._sigev_un._tid = tid;
    if (timer_create(clock, &event, &s->timer) != 0) {
        return false;
    }
    struct timespec period = {.tv_sec = hz == 1,
                              .tv_nsec = hz == 1 ? 0 : (long)(LENS_SECOND / hz)};
    struct itimerspec spec = {.it_interval = period, .it_value = period};
    if (timer_settime(s->timer, 0, &spec, NULL) != 0) {
        timer_delete(s->timer);
        return false;
    }
    return true;
}

// ---- slots, under the lock ----

static int *bucket_of(int tid)
{
    return &buckets[(unsigned)tid % BUCKETS];
}

static Slot *find(int tid)
{
    ASSERT_HELD(&lock);
    for (int i = *bucket_of(tid); i != NONE; i = slots[i].next) {
        if (atomic_load(&slots[i].tid) == tid) {
            return &slots[i];
        }
    }
    return NULL;
}

static void disarm(Slot *s)
{
    ASSERT_HELD(&lock);
    assert(atomic_load(&s->tid) != 0);
    if (s->is_armed && s->fd != NONE) {
        assert(events_open > 0);
        close(s->fd);
        events_open--;
    } else if (s->is_armed) {
        timer_delete(s->timer);
    }
    s->is_armed = false;
    for (int *p = bucket_of(atomic_load(&s->tid)); *p != NONE; p = &slots[*p].next) {
        if (*p == s - slots) {
            *p = s->next;
            break;
        }
    }
    atomic_store(&s->tid, 0);
    s->next = first_free;
    first_free = (int)(s - slots);
}

static void arm(int tid)
{
    ASSERT_HELD(&lock);
    assert(tid > 0);
    unsigned hz = atomic_load(&rate);
    if (hz == 0 || first_free == NONE || find(tid) != NULL) {
        return;
    }
    Slot *s = &slots[first_free];
    first_free = s->next;
    used = s - slots >= used ? (int)(s - slots) + 1 : used;
    *s = (Slot){
        .fd = NONE, .next = *bucket_of(tid), .last_cpu = lens_clock_of(tid), .was_seen = true};
    atomic_store(&s->tid, tid);
    *bucket_of(tid) = (int)(s - slots);
    s->is_armed = (use_perf && arm_event(s, tid, hz)) || arm_timer(s, tid, hz);
}

void lens_timer_arm(int tid)
{
    if (atomic_load(&rate) != 0) {
        pthread_mutex_lock(&lock);
        arm(tid);
        pthread_mutex_unlock(&lock);
    }
}

void lens_timer_disarm(int tid)
{
    if (atomic_load(&rate) != 0) {
        pthread_mutex_lock(&lock);
        Slot *s = find(tid);
        if (s != NULL) {
            disarm(s);
        }
        pthread_mutex_unlock(&lock);
    }
}

// ---- all threads ----

void lens_tasks_each(void (*each)(int tid, void *data), void *data)
{
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *d; tasks != NULL && (d = readdir(tasks)) != NULL;) {
        int tid = atoi(d->d_name);
        if (tid > 0) {
            each(tid, data);
        }
    }
    if (tasks != NULL) {
        closedir(tasks);
    }
}

static void see(int tid, void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    Slot *s = find(tid);
    if (s == NULL) {
        arm(tid);
    } else {
        s->was_seen = true;
    }
    pthread_mutex_unlock(&lock);
}

void lens_timers_look(void)
{
    ASSERT_AGENT_THREAD();
    pthread_mutex_lock(&lock);
    for (int i = 0; i < used; i++) {
        slots[i].was_seen = false;
    }
    pthread_mutex_unlock(&lock);
    lens_tasks_each(see, NULL);
    pthread_mutex_lock(&lock);
    for (int i = 0; i < used; i++) {
        if (atomic_load(&slots[i].tid) != 0 && !slots[i].was_seen) {
            disarm(&slots[i]);
        }
    }
    pthread_mutex_unlock(&lock);
}

bool lens_timers_begin(unsigned hz)
{
    ASSERT_AGENT_THREAD();
    assert(hz > 0);
    if (slots == NULL) { // kept: a late signal may still name one
        slots = agent_alloc(SLOTS * sizeof *slots);
        if (slots == NULL) {
            return false;
        }
    }
    pthread_mutex_lock(&lock);
    for (int i = 0; i < BUCKETS; i++) {
        buckets[i] = NONE;
    }
    for (int i = 0; i < SLOTS; i++) {
        slots[i] = (Slot){.next = i + 1 < SLOTS ? i + 1 : NONE, .fd = NONE};
    }
    first_free = used = 0;
    use_perf = lens_has_perf_events();
    events_most = descriptors_to_use();
    atomic_store(&rate, hz);
    pthread_mutex_unlock(&lock);
    lens_timers_look();
    return true;
}

void lens_timers_end(void)
{
    ASSERT_AGENT_THREAD();
    pthread_mutex_lock(&lock);
    atomic_store(&rate, 0);
    for (int i = 0; i < used; i++) {
        if (atomic_load(&slots[i].tid) != 0) {
            disarm(&slots[i]);
        }
    }
    assert(events_open == 0);
    pthread_mutex_unlock(&lock);
}

const char *lens_timers_how(void)
{
    unsigned hz = atomic_load(&rate);
    return use_perf       ? kernel_excluded != 0 ? "perf events of the CPU clock, in user mode"
                                                 : "perf events of the CPU clock"
           : hz > TICK_HZ ? "timers of the monotonic clock, weighted by CPU time"
                          : "timers of the CPU clock, at most one sample a tick of the kernel";
}

// ---- in the handler ----

bool lens_timer_weight(const siginfo_t *info, int tid, uint64_t *weight)
{
    int number = NONE;
    if (info->si_code == SI_TIMER) {
        number = info->si_value.sival_int;
    } else if (info->si_code > 0 && info->si_fd >= 0 && info->si_fd < DESCRIPTORS) {
        number = atomic_load_explicit(&slot_of_fd[info->si_fd], memory_order_relaxed);
    }
    if (slots == NULL || number < 0 || number >= SLOTS
        || atomic_load(&slots[number].tid) != tid) {
        return false;
    }
    uint64_t cpu = lens_thread_nanos(), last = slots[number].last_cpu;
    slots[number].last_cpu = cpu;
    *weight = cpu > last ? cpu - last : 0;
    return *weight > 0;
}
