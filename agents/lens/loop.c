// SPDX-License-Identifier: Apache-2.0
// The agent's thread: asleep in poll until a front comes, an order is due or the rings are to
// be drained. With no order it sleeps without a time limit. It takes no signals and is a daemon
// of the VM.
#define _GNU_SOURCE
#include "agent.h"

#include <errno.h>
#include <poll.h>
#include <semaphore.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#define DRAIN_EVERY (100 * LENS_MS)
#define DRAIN_SOON  (15 * LENS_MS) // when a good part of a ring was in use
#define SILENCE     (10 * LENS_SECOND)
#define SLOW        (10 * LENS_SECOND) // a front that has taken nothing for so long is closed
#define CLOCK_EVERY LENS_SECOND
#define LONGEST_END (30 * LENS_SECOND)

static pthread_t thread;
static bool is_running; // of who starts and stops it: Agent_OnAttach, VMInit, VMDeath
static _Atomic bool is_stopping, is_detaching, is_reopening;
static sem_t begun; // the socket listens, what record= asks for runs
static int wake_fd = -1;
static uint64_t next_drain, next_clock;
static __thread __attribute__((tls_model("initial-exec"))) bool is_here; // in this thread

bool lens_is_agent_thread(void)
{
    return is_here;
}

void lens_loop_wake(void)
{
    int kept = errno;
    uint64_t one = 1;
    if (wake_fd >= 0 && write(wake_fd, &one, sizeof one) < 0) {
        // the counter is full: it is awake
    }
    errno = kept;
}

void lens_loop_detach(void)
{
    ASSERT_AGENT_THREAD();
    atomic_store(&is_detaching, true);
}

void lens_block_signals(sigset_t *old)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, old);
}

JNIEnv *lens_attach(const char *name)
{
    assert(!lens_is_own_thread()); // it is new
    lens_own_thread_begin();
    pthread_setname_np(pthread_self(), name);
    JavaVMAttachArgs args = {.version = JNI_VERSION_1_6, .name = (char *)name};
    JNIEnv *jni = NULL;
    if ((*lens.vm)->AttachCurrentThreadAsDaemon(lens.vm, (void **)&jni, &args) != JNI_OK) {
        agent_message("the VM does not take the agent's thread");
        return NULL;
    }
    lens_thread_own(jni, true);
    return jni;
}

void lens_detach(JNIEnv *jni)
{
    ASSERT_OWN_THREAD();
    lens_thread_own(jni, false);
    lens_count_own_time();
    (*lens.vm)->DetachCurrentThread(lens.vm);
}

// ---- draining ----

typedef struct Drain {
    JNIEnv *jni;
    uint16_t ring;
} Drain;

static void deliver(const LensRingRecord *record, const uint32_t *ids, const uint8_t *bytes,
                    uint16_t ring)
{
    const LensConnection *only =
        record->order != 0 ? lens_order_connection(record->order) : NULL;
    for (size_t i = 0; i < LENS_CONNECTIONS; i++) {
        LensConnection *c = lens_connections[i];
        if (c != NULL
            && (record->order != 0 ? c == only : (c->blocks >> record->type & 1) != 0)) {
            lens_connection_add(c, ring, record, ids, bytes);
        }
    }
}

static void take(const LensRingRecord *record, void *data)
{
    assert(record->ids_len <= LENS_RECORD_IDS);
    const Drain *drain = data;
    const uint32_t *ids = (const uint32_t *)(record + 1);
    const uint8_t *bytes = (const uint8_t *)(ids + record->ids_len);
    if (record->type != LENS_RAW_SAMPLE) {
        deliver(record, ids, bytes, drain->ring);
        return;
    }
    LensRecord sample;
    if (lens_sample_resolve(bytes, record->len, record->time, &sample, drain->jni)) {
        LensRingRecord head = {.time = sample.time,
                               .type = sample.type,
                               .ids_len = sample.ids_len,
                               .len = (uint16_t)sample.len};
        deliver(&head, sample.ids, sample.bytes, drain->ring);
    }
}

static void drain_ring(Drain *drain)
{
    uint32_t lost[LENS_TYPES];
    if (lens_ring_drain(drain->ring, take, drain)) {
        next_drain = lens_now() + DRAIN_SOON;
    }
    for (unsigned type = 0; type < LENS_TYPES; type++) {
        lost[type] = lens_ring_take_lost(drain->ring, type);
    }
    lost[LENS_SAMPLES] += lost[LENS_RAW_SAMPLE];
    for (size_t i = 0; i < LENS_CONNECTIONS; i++) {
        if (lens_connections[i] != NULL) {
            lens_connection_flush(lens_connections[i], drain->ring, lost);
        }
    }
}

void lens_drain(JNIEnv *jni)
{
    ASSERT_AGENT_THREAD();
    Drain drain = {.jni = jni};
    next_drain = lens_now() + DRAIN_EVERY;
    for (; drain.ring < lens_ring_count(); drain.ring++) {
        drain_ring(&drain);
    }
    lens_threads_drained();
}

static void write_clocks(void)
{
    LensBuffer clocks = {0};
    lens_clock_write(&clocks);
    for (size_t i = 0; i < LENS_CONNECTIONS; i++) {
        if (lens_connections[i] != NULL) {
            lens_connection_block(lens_connections[i], LENS_CLOCK, clocks.bytes, clocks.len);
        }
    }
    lens_buffer_free(&clocks);
}

static void do_what_is_due(JNIEnv *jni, uint64_t now)
{
    lens_orders_tick(jni, now);
    if (!lens_orders_any()) {
        return;
    }
    if (now >= next_drain) {
        lens_drain(jni);
    }
    if (now >= next_clock) {
        write_clocks();
        next_clock = now + CLOCK_EVERY;
    }
}

// ---- fronts ----

static void drop(LensConnection *c, JNIEnv *jni, const char *bye)
{
    c->is_broken |= bye == NULL;
    lens_orders_end(c, jni);
    lens_connection_close(c, bye);
}

static void drop_all(JNIEnv *jni, const char *bye)
{
    lens_orders_end(NULL, jni);
    for (size_t i = 0; i < LENS_CONNECTIONS; i++) {
        if (lens_connections[i] != NULL) {
            drop(lens_connections[i], jni, bye);
        }
    }
}

// A disk that is full ends what is recorded there.
static void drop_broken_files(JNIEnv *jni)
{
    for (size_t i = 0; i < LENS_CONNECTIONS; i++) {
        LensConnection *c = lens_connections[i];
        if (c != NULL && c->is_file && c->is_broken) {
            drop(c, jni, NULL);
        }
    }
}

static bool is_silent(const LensConnection *c)
{
    uint64_t now = lens_now();
    return !c->is_file && (now - c->heard > SILENCE || now - c->wrote > SLOW);
}

static void serve(LensConnection *c, short events, JNIEnv *jni)
{
    bool good = (events & (POLLIN | POLLHUP | POLLERR)) == 0 || lens_connection_read(c, jni);
    good = good && lens_connection_write(c);
    if (good
        && is_silent(
            c)) { // this thread may have stood with the world: what came meanwhile is read first
        good = lens_connection_read(c, jni) && !is_silent(c);
    }
    if (!good) {
        drop(c, jni, NULL);
    }
}

static void welcome(void)
{
    LensConnection *c = lens_socket_accept();
    if (c != NULL) {
        lens_connection_hello(c);
    }
}

typedef struct Sleep {
    struct pollfd fds[LENS_CONNECTIONS + 2];
    LensConnection *connections[LENS_CONNECTIONS + 2];
    nfds_t len;
    bool any_front;
} Sleep;

static void gather(Sleep *sleep)
{
    *sleep = (Sleep){.len = 2};
    sleep->fds[0] = (struct pollfd){.fd = wake_fd, .events = POLLIN};
    sleep->fds[1] = (struct pollfd){.fd = lens_socket_fd(), .events = POLLIN};
    for (size_t i = 0; i < LENS_CONNECTIONS; i++) {
        LensConnection *c = lens_connections[i];
        if (c == NULL || c->is_file) {
            continue;
        }
        pthread_mutex_lock(&c->lock);
        short events = (short)(POLLIN | (c->out_at < c->out.len ? POLLOUT : 0));
        pthread_mutex_unlock(&c->lock);
        sleep->fds[sleep->len] = (struct pollfd){.fd = c->fd, .events = events};
        sleep->connections[sleep->len++] = c;
        sleep->any_front = true;
    }
}

// How long nothing is due, in ms; -1: for ever.
static int time_to_sleep(const Sleep *sleep)
{
    uint64_t now = lens_now(), until = lens_orders_next();
    if (lens_orders_any() && next_drain < until) {
        until = next_drain;
    }
    if (sleep->any_front && now + LENS_SECOND < until) {
        until = now + LENS_SECOND; // looks who is silent
    }
    return until == UINT64_MAX ? -1
           : until <= now      ? 0
                               : (int)((until - now + LENS_MS - 1) / LENS_MS);
}

static void turn(JNIEnv *jni)
{
    Sleep sleep;
    gather(&sleep);
    if (poll(sleep.fds, sleep.len, time_to_sleep(&sleep)) > 0 && sleep.fds[0].revents != 0) {
        uint64_t count;
        if (read(wake_fd, &count, sizeof count) > 0 && atomic_exchange(&is_reopening, false)) {
            lens_socket_open();
        }
    }
    if ((sleep.fds[1].revents & POLLIN) != 0) {
        welcome();
    }
    do_what_is_due(jni, lens_now());
    for (nfds_t i = 2; i < sleep.len; i++) {
        serve(sleep.connections[i], sleep.fds[i].revents, jni);
    }
    drop_broken_files(jni);
    if (atomic_exchange(&is_detaching, false)) {
        drop_all(jni, "detached");
    }
}

static void *run(void *unused)
{
    (void)unused;
    is_here = true;
    JNIEnv *jni = lens_attach("Lens");
    if (jni == NULL) {
        sem_post(&begun);
        return NULL;
    }
    lens_socket_open();
    lens_record_start(jni);
    sem_post(&begun);
    while (!atomic_load(&is_stopping)) {
        (*jni)->PushLocalFrame(jni, 64);
        turn(jni);
        (*jni)->PopLocalFrame(jni, NULL);
    }
    drop_all(jni, "VMDeath");
    lens_socket_close();
    lens_detach(jni);
    return NULL;
}

bool lens_loop_is_ending(void)
{
    return atomic_load(&is_stopping);
}

bool lens_loop_start(void)
{
    if (is_running) { // the folder of sockets may have been cleaned meanwhile
        atomic_store(&is_reopening, true);
        lens_loop_wake();
        return true;
    }
    wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    sem_init(&begun, 0, 0);
    sigset_t old;
    lens_block_signals(&old);
    is_running = wake_fd >= 0 && pthread_create(&thread, NULL, run, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (!is_running) {
        agent_message("no thread could be made");
        return false;
    }
    while (sem_wait(&begun) != 0) {
        // a signal came
    }
    return true;
}

// A debugger may have suspended the agent's thread: the end does not wait for it for ever.
void lens_loop_stop(void)
{
    assert(!is_here); // it could not wait for itself
    if (is_running) {
        uint64_t until = lens_now() + LONGEST_END;
        struct timespec end = {.tv_sec = (time_t)(until / LENS_SECOND),
                               .tv_nsec = (long)(until % LENS_SECOND)};
        atomic_store(&is_stopping, true);
        lens_loop_wake();
        if (pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, &end) != 0) {
            agent_message("the agent's thread does not end: what it still held is lost");
        }
        is_running = false;
    }
}
