// SPDX-License-Identifier: Apache-2.0
// src/thread and src/event over the real heap: monitors, waits, parking, holds, stops,
// suspension, raw monitors, life cycle. "java.lang.Thread" is a class of three fields. Meant to
// be run under the thread and address sanitizers too.
#include "death.h"
#include "event/event.h"
#include "thread/monitor.h"
#include "thread/raw_monitor.h"
#include "thread/thread.h"

enum { EETOP = 16, INTERRUPTED = 24, STATUS = 28, MS = 1000 * 1000 };

static Thread *self; // the main thread
static Layout *plain_class, *thread_class;
static const void *normal_handlers[1], *watched_handlers[1], *polling_handlers[1];

// ---- the world around ----

static void set_eetop(Object *java, Thread *t)
{
    object_set_long(java, EETOP, (int64_t)(intptr_t)t);
}

static Thread *get_eetop(Object *java)
{
    return (Thread *)(intptr_t)object_get_long(java, EETOP);
}

static bool take_interrupt(Thread *t, bool clear)
{
    bool is =
        __atomic_load_n((int *)object_at(deref(t->java_thread), INTERRUPTED), __ATOMIC_SEQ_CST);
    if (is && clear)
        __atomic_store_n((int *)object_at(deref(t->java_thread), INTERRUPTED), 0,
                         __ATOMIC_SEQ_CST);
    return is;
}

static void set_status(Thread *t, int status)
{
    __atomic_store_n((int *)object_at(deref(t->java_thread), STATUS), status, __ATOMIC_SEQ_CST);
}

static int status_of(jobject java)
{
    return __atomic_load_n((int *)object_at(deref(java), STATUS), __ATOMIC_SEQ_CST);
}

static void interrupt(jobject java)
{
    __atomic_store_n((int *)object_at(deref(java), INTERRUPTED), 1, __ATOMIC_SEQ_CST);
    Thread *t = thread_pin(java);
    if (!t)
        return;
    thread_interrupt(t);
    thread_unpin(t);
}

static Layout *class_new(uint32_t size)
{
    Layout *p = class_space_alloc(sizeof *p);
    VM_CHECK(p);
    *p = (Layout){.shape = SHAPE_INSTANCE, .instance_size = size};
    return p;
}

static jobject new_object(Layout *c)
{
    Object *o = heap_alloc(thread_current(), c, c->instance_size);
    VM_CHECK(o);
    return global_new(o);
}

static _Atomic int event_counts[EVENT_COUNT];

static void listen(Thread *t, EventId id, const void *payload)
{
    (void)t;
    (void)payload;
    event_counts[id]++;
}

static void start(void)
{
    static const HeapWorld world = {.stop = world_stop_to_collect,
                                    .resume = world_resume,
                                    .each_mutator = threads_each_mutator,
                                    .visit_roots = threads_visit_roots,
                                    .block = thread_block,
                                    .unblock = thread_unblock};
    static const ThreadHooks hooks = {.set_eetop = set_eetop,
                                      .get_eetop = get_eetop,
                                      .take_interrupt = take_interrupt,
                                      .set_status = set_status};
    if (self)
        return;
    HeapOptions o = {.initial = 8 << 20, .max = 32 << 20, .young = 1 << 20};
    char error[200];
    VM_CHECK(heap_init(&o, error, sizeof error));
    VM_CHECK(class_space_init(1 << 30, PLACEMENT_LOW));
    heap_set_world(&world);
    thread_set_hooks(&hooks);
    threads_init(256 * 1024);
    monitors_init();
    thread_set_dispatch(normal_handlers, watched_handlers, polling_handlers);
    plain_class = class_new(16);
    thread_class = class_new(32);
    self = thread_attach_current(0);
    VM_CHECK(self);
    self->java_thread = new_object(thread_class);
    set_eetop(deref(self->java_thread), self);
    event_subscribe(listen);
}

static void nap(Thread *t, int64_t nanos)
{
    thread_leave_vm(t, THREAD_IN_NATIVE);
    os_sleep_nanos(nanos);
    thread_enter_vm(t);
}

// Waits, for 20 seconds at most, until *n is `value`.
static bool await(_Atomic int *n, int value)
{
    for (int i = 0; i < 20000 && *n != value; i++)
        nap(thread_current(), MS);
    return *n == value;
}

static bool await_status(jobject java, int status)
{
    for (int i = 0; i < 20000 && status_of(java) != status; i++)
        nap(thread_current(), MS);
    return status_of(java) == status;
}

static _Atomic int ended;

// A thread with a Java object; the caller deletes the handle.
static jobject run(void (*body)(Thread *, void *), void *arg)
{
    jobject java = new_object(thread_class);
    VM_CHECK(thread_start(thread_current(), java, 0, body, arg));
    return java;
}

static void run_all(int n, void (*body)(Thread *, void *))
{
    jobject java[16];
    ended = 0;
    for (int i = 0; i < n; i++)
        java[i] = run(body, (void *)(intptr_t)i);
    EXPECT(await(&ended, n));
    for (int i = 0; i < n; i++)
        global_delete(java[i]);
}

// ---- monitors ----

static jobject lock;
static long guarded; // by the monitor of lock
static _Atomic bool go_on;

static void contend(Thread *t, void *arg)
{
    int own = (int)(intptr_t)arg;
    for (int i = 0; i < 5000; i++) {
        if (!monitor_enter_fast(t, deref(lock)))
            monitor_enter(t, lock);
        if ((i + own) % 3 == 0)
            monitor_enter(t, lock);
        guarded++;
        if ((i + own) % 3 == 0)
            VM_CHECK(monitor_exit(t, lock));
        if ((i + own) % 64 == 0)
            thread_poll(t);
        if (!monitor_exit_fast(t, deref(lock)))
            VM_CHECK(monitor_exit(t, lock));
        if (thread_poll_wanted(t))
            thread_poll(t);
    }
    ended++;
}

static void collect(Thread *t, void *arg)
{
    (void)arg;
    for (int i = 0; go_on; i++) {
        heap_collect(t, GC_SYSTEM_GC, i % 4 == 0);
        nap(t, MS);
    }
}

TEST(contention)
{
    start();
    lock = new_object(plain_class);
    guarded = 0;
    run_all(8, contend);
    EXPECT_INT(8 * 5000, guarded);
    EXPECT(monitor_owner(deref(lock), NULL) == NULL);
    global_delete(lock);
}

TEST(contention_with_collections)
{
    start();
    lock = new_object(plain_class);
    uint32_t hash = object_identity_hash(deref(lock));
    guarded = 0;
    go_on = true;
    jobject collector = run(collect, NULL);
    run_all(8, contend);
    go_on = false;
    EXPECT_INT(8 * 5000, guarded);
    EXPECT_INT(hash, object_identity_hash(deref(lock)));
    global_delete(collector);
    global_delete(lock);
}

TEST(recursion_and_ownership)
{
    start();
    jobject o = new_object(plain_class);
    EXPECT(!monitor_exit(self, o));
    EXPECT(!monitor_notify(self, o, false));
    EXPECT_INT(WAIT_NOT_OWNER, monitor_wait(self, o, 1));
    for (int i = 0; i < 1000; i++)
        monitor_enter(self, o);
    uint32_t count;
    EXPECT(monitor_owner(deref(o), &count) == self);
    EXPECT_INT(1000, count);
    EXPECT_INT(MARK_INFLATED, MARK_STATE(deref(o)->mark));
    EXPECT_INT(WAIT_TIMED_OUT, monitor_wait(self, o, 1));
    monitor_owner(deref(o), &count);
    EXPECT_INT(1000, count);
    for (int i = 0; i < 1000; i++)
        EXPECT(monitor_exit(self, o));
    EXPECT(!monitor_exit(self, o));
    uint32_t hash = object_identity_hash(deref(o));
    world_stop(self);
    EXPECT_INT(MARK_UNLOCKED, MARK_STATE(deref(o)->mark));
    world_resume(self);
    EXPECT_INT(hash, object_identity_hash(deref(o)));
    global_delete(o);
}

TEST(jni_monitors)
{
    start();
    jobject a = new_object(plain_class), b = new_object(plain_class);
    monitor_jni_enter(self, a);
    monitor_jni_enter(self, b);
    monitor_jni_enter(self, a);
    EXPECT(monitor_jni_exit(self, a));
    EXPECT_INT(2, self->jni_monitors.len);
    monitors_release_all(self);
    EXPECT(!monitor_is_held(self, deref(a)) && !monitor_is_held(self, deref(b)));
    global_delete(a);
    global_delete(b);
}

static int turn; // of ping-pong; by the monitor of lock

static void ping_pong(Thread *t, void *arg)
{
    int own = (int)(intptr_t)arg;
    for (int i = 0; i < 2000; i++) {
        monitor_enter(t, lock);
        while (turn != own)
            VM_CHECK(monitor_wait(t, lock, 0) == WAIT_DONE);
        turn = !own;
        VM_CHECK(monitor_notify(t, lock, false));
        VM_CHECK(monitor_exit(t, lock));
    }
    ended++;
}

TEST(wait_notify_ping_pong)
{
    start();
    lock = new_object(plain_class);
    turn = 0;
    go_on = true;
    jobject collector = run(collect, NULL);
    run_all(2, ping_pong);
    go_on = false;
    global_delete(collector);
    global_delete(lock);
}

static int order[8], order_count; // by the monitor of lock
static _Atomic int waiting;

static void wait_in_order(Thread *t, void *arg)
{
    monitor_enter(t, lock);
    waiting++;
    VM_CHECK(monitor_wait(t, lock, 0) == WAIT_DONE);
    order[order_count++] = (int)(intptr_t)arg;
    monitor_exit(t, lock);
    ended++;
}

TEST(notify_order)
{
    start();
    lock = new_object(plain_class);
    jobject java[8];
    waiting = ended = order_count = 0;
    for (int i = 0; i < 8; i++) {
        java[i] = run(wait_in_order, (void *)(intptr_t)i);
        await(&waiting, i + 1);
        EXPECT(await_status(java[i], STATUS_WAITING));
    }
    monitor_enter(self, lock);
    world_stop(self);
    MonitorInfo info;
    monitor_info(deref(lock), &info);
    EXPECT_INT(8, info.notify_count);
    EXPECT(info.owner == self && info.entry_count == 1);
    EXPECT(monitor_waiting_object(info.notify_waiters[0]) == deref(lock));
    vm_free(info.waiters);
    vm_free(info.notify_waiters);
    world_resume(self);
    monitor_exit(self, lock);
    for (int i = 0; i < 3; i++) {
        monitor_enter(self, lock);
        monitor_notify(self, lock, false);
        EXPECT_INT(STATUS_BLOCKED, status_of(java[i]));
        monitor_exit(self, lock);
        EXPECT(await(&ended, i + 1));
    }
    monitor_enter(self, lock);
    monitor_notify(self, lock, true);
    monitor_exit(self, lock);
    EXPECT(await(&ended, 8));
    for (int i = 0; i < 8; i++) {
        EXPECT_MSG(i >= 3 || order[i] == i, "(%d)", order[i]);
        global_delete(java[i]);
    }
    global_delete(lock);
}

TEST(timed_wait)
{
    start();
    jobject o = new_object(plain_class);
    monitor_enter(self, o);
    int64_t began = os_nanos();
    EXPECT_INT(WAIT_TIMED_OUT, monitor_wait(self, o, 20));
    EXPECT(os_nanos() - began >= 20 * MS);
    EXPECT(monitor_is_held(self, deref(o)));
    interrupt(self->java_thread);
    EXPECT_INT(WAIT_INTERRUPTED, monitor_wait(self, o, 0));
    EXPECT_INT(WAIT_TIMED_OUT, monitor_wait(self, o, 1));
    EXPECT_INT(STATUS_RUNNABLE, status_of(self->java_thread));
    EXPECT(monitor_exit(self, o));
    global_delete(o);
}

// Many waiters with short times against one notifier: every notify finds its way or there was
// nobody.
static void wait_short(Thread *t, void *arg)
{
    for (int i = 0; i < 300; i++) {
        monitor_enter(t, lock);
        WaitResult r = monitor_wait(t, lock, 1 + (i + (int)(intptr_t)arg) % 2);
        VM_CHECK(r == WAIT_DONE || r == WAIT_TIMED_OUT || r == WAIT_INTERRUPTED);
        guarded++;
        VM_CHECK(monitor_exit(t, lock));
    }
    ended++;
}

static void notify_much(Thread *t, void *arg)
{
    for (int i = 0; go_on; i++) {
        monitor_enter(t, lock);
        monitor_notify(t, lock, i % 5 == 0);
        monitor_exit(t, lock);
        if (i % 7 == 0)
            interrupt((jobject)arg);
        nap(t, MS / 10);
    }
    ended++;
}

TEST(timed_wait_storm)
{
    start();
    lock = new_object(plain_class);
    guarded = 0;
    go_on = true;
    ended = 0;
    jobject java[6];
    for (int i = 0; i < 4; i++)
        java[i] = run(wait_short, (void *)(intptr_t)i);
    java[4] = run(notify_much, java[0]);
    java[5] = run(collect, NULL);
    EXPECT(await(&ended, 4));
    go_on = false;
    EXPECT(await(&ended, 5));
    EXPECT_INT(1200, guarded);
    for (int i = 0; i < 6; i++)
        global_delete(java[i]);
    global_delete(lock);
}

static void enter_once(Thread *t, void *arg)
{
    (void)arg;
    monitor_enter(t, lock);
    guarded++;
    monitor_exit(t, lock);
    ended++;
}

TEST(events)
{
    start();
    lock = new_object(plain_class);
    EventId ids[] = {EVENT_MONITOR_ENTER, EVENT_MONITOR_ENTERED, EVENT_MONITOR_WAIT,
                     EVENT_MONITOR_WAITED};
    for (int i = 0; i < 4; i++) {
        event_counts[ids[i]] = 0;
        event_want(ids[i], 1);
    }
    ended = 0;
    monitor_enter(self, lock);
    jobject java = run(enter_once, NULL);
    EXPECT(await(&event_counts[EVENT_MONITOR_ENTER], 1));
    EXPECT(await_status(java, STATUS_BLOCKED));
    EXPECT_INT(0, event_counts[EVENT_MONITOR_ENTERED]);
    monitor_exit(self, lock);
    EXPECT(await(&event_counts[EVENT_MONITOR_ENTERED], 1));
    EXPECT(await(&ended, 1));
    monitor_enter(self, lock);
    monitor_wait(self, lock, 1);
    monitor_exit(self, lock);
    for (int i = 0; i < 4; i++) {
        EXPECT_INT(1, event_counts[ids[i]]);
        event_want(ids[i], -1);
    }
    global_delete(java);
    global_delete(lock);
}

// ---- park and sleep ----

static _Atomic int results;

static void park_three_times(Thread *t, void *arg)
{
    (void)arg;
    for (int i = 0; i < 3; i++) {
        thread_park(t, false, 0);
        results++;
    }
    ended++;
}

static void sleep_long(Thread *t, void *arg)
{
    (void)arg;
    results = thread_sleep(t, 100000ll * MS);
    ended++;
}

TEST(park_and_sleep)
{
    start();
    thread_park(self, false, 1); // an earlier interrupt may have left a permit
    int64_t began = os_nanos();
    thread_park(self, false, 10 * MS);
    EXPECT(os_nanos() - began >= 10 * MS);
    thread_park(self, true, os_wall_millis() + 5);
    thread_unpark(self);
    thread_park(self, false, 0);
    results = ended = 0;
    jobject java = run(park_three_times, NULL);
    for (int i = 0; i < 3; i++) {
        EXPECT(await_status(java, STATUS_PARKED));
        Thread *t = thread_pin(java);
        EXPECT(t != NULL);
        thread_unpark(t);
        thread_unpin(t);
        EXPECT(await(&results, i + 1));
    }
    EXPECT(await(&ended, 1));
    global_delete(java);
    ended = 0;
    java = run(sleep_long, NULL);
    EXPECT(await_status(java, STATUS_SLEEPING));
    interrupt(java);
    EXPECT(await(&ended, 1));
    EXPECT_INT(WAIT_INTERRUPTED, results);
    EXPECT_INT(WAIT_DONE, thread_sleep(self, MS));
    global_delete(java);
}

// ---- stopping ----

static _Atomic long progress[16];

static void loop_and_poll(Thread *t, void *arg)
{
    int own = (int)(intptr_t)arg;
    for (unsigned i = 0; go_on; i++) {
        progress[own]++;
        if (thread_poll_wanted(t))
            thread_poll(t);
        if (i % 1000 == 0) {
            thread_leave_vm(t, THREAD_IN_NATIVE);
            thread_enter_vm(t);
        }
    }
    ended++;
}

TEST(hold_and_release)
{
    start();
    go_on = true;
    ended = 0;
    jobject java = run(loop_and_poll, (void *)0);
    Thread *t = thread_pin(java);
    for (int i = 0; i < 300; i++) {
        thread_handshake(self, t);
        thread_handshake(self, t);
        long before = progress[0];
        thread_handshake_end(self, t);
        if (i % 50 == 0)
            os_sleep_nanos(MS);
        else
            os_yield();
        EXPECT_INT(before, progress[0]);
        EXPECT(t->dispatch == polling_handlers);
        thread_handshake_end(self, t);
    }
    long before = progress[0];
    for (int i = 0; i < 20000 && progress[0] == before; i++)
        nap(self, MS);
    EXPECT(progress[0] != before);
    go_on = false;
    EXPECT(await(&ended, 1));
    thread_unpin(t);
    global_delete(java);
}

static jobject peers[8];
static _Atomic int exclusive;

static void hold_peers(Thread *t, void *arg)
{
    uint32_t own = (uint32_t)(intptr_t)arg, seed = own + 1;
    for (int i = 0; i < 300; i++) {
        seed = seed * 1103515245 + 12345;
        uint32_t other = (seed >> 16) % 6;
        Thread *peer = thread_pin(peers[other]);
        progress[own]++;
        if (peer) {
            thread_handshake(t, peer);
            long before = progress[other];
            if (i % 16 == 0)
                os_yield();
            VM_CHECK(progress[other] == before);
            if (i % 16 == 0) {
                world_stop(t);
                VM_CHECK(exclusive++ == 0);
                VM_CHECK(exclusive-- == 1);
                world_resume(t);
            }
            thread_handshake_end(t, peer);
            thread_unpin(peer);
        }
        thread_poll(t);
    }
    ended++;
    while (go_on)
        nap(t, MS);
    ended++;
}

TEST(mutual_holds)
{
    start();
    ended = 0;
    go_on = true;
    for (int i = 0; i < 6; i++)
        peers[i] = new_object(thread_class);
    for (int i = 0; i < 6; i++)
        VM_CHECK(thread_start(self, peers[i], 0, hold_peers, (void *)(intptr_t)i));
    EXPECT(await(&ended, 6));
    go_on = false;
    EXPECT(await(&ended, 12));
    for (int i = 0; i < 6; i++)
        global_delete(peers[i]);
}

static long unguarded; // changed by stoppers only

static void stop_storm(Thread *t, void *arg)
{
    (void)arg;
    for (int i = 0; i < 200; i++) {
        world_stop(t);
        world_stop(t);
        VM_CHECK(world_is_stopped());
        unguarded++;
        world_resume(t);
        world_resume(t);
        thread_poll(t);
    }
    ended++;
}

TEST(stop_storm)
{
    start();
    unguarded = 0;
    go_on = true;
    jobject a = run(loop_and_poll, (void *)1), b = run(loop_and_poll, (void *)2);
    run_all(4, stop_storm);
    EXPECT_INT(800, unguarded);
    world_stop(self);
    long before = progress[1] + progress[2];
    os_sleep_nanos(2 * MS);
    EXPECT_INT(before, progress[1] + progress[2]);
    world_resume(self);
    ended = 0;
    go_on = false;
    EXPECT(await(&ended, 2));
    global_delete(a);
    global_delete(b);
}

// Who stops the world over and over does not keep others waiting all the time: some 280 turns, 29 beside what needs both processors,
// and at most 4 where nobody waits for them.
TEST(turns_between_stops)
{
    enum { STOPS = 2000, FEW = STOPS / 200 };
    start();
    ended = 0;
    go_on = true;
    jobject java = run(loop_and_poll, (void *)3);
    for (long began = progress[3]; progress[3] == began;)
        nap(self, MS);
    int turns = 0;
    for (int i = 0; i < STOPS; i++) {
        long before = progress[3];
        world_stop(self);
        turns += progress[3] != before;
        for (int64_t end = os_nanos() + MS / 10; os_nanos() < end;)
            ;
        world_resume(self);
    }
    go_on = false;
    EXPECT(await(&ended, 1));
    fprintf(stderr, "turns %d\n", turns);
    EXPECT(turns > FEW);
    global_delete(java);
}

static void collect_often(Thread *t, void *unused)
{
    (void)unused;
    for (; go_on; progress[4]++)
        heap_collect(t, GC_SYSTEM_GC, false);
    ended++;
}

// Collections that come one after another let those enter that wait for the GC locker.
TEST(critical_between_collections)
{
    enum { COLLECTORS = 3, ENTRIES = 50, MOST = 20000 };
    start();
    ended = 0;
    go_on = true;
    jobject java[COLLECTORS];
    for (int i = 0; i < COLLECTORS; i++)
        java[i] = run(collect_often, NULL);
    int entries = 0;
    for (long began = progress[4]; entries < ENTRIES && progress[4] - began < MOST; entries++) {
        heap_critical_enter(self);
        heap_critical_exit();
    }
    go_on = false;
    EXPECT(await(&ended, COLLECTORS));
    EXPECT_INT(ENTRIES, entries);
    for (int i = 0; i < COLLECTORS; i++)
        global_delete(java[i]);
}

TEST(dispatch_tables)
{
    start();
    EXPECT(self->dispatch == normal_handlers);
    thread_request(self, POLL_STEP);
    thread_poll(self);
    EXPECT(self->dispatch == polling_handlers);
    EXPECT_INT(POLL_STEP, self->poll);
    thread_unrequest(self, POLL_STEP);
    EXPECT(self->dispatch == normal_handlers);
}

static void suspend_self(Thread *t, void *arg)
{
    (void)arg;
    results = thread_suspend(t, t);
    ended++;
}

TEST(suspension)
{
    start();
    go_on = true;
    ended = 0;
    jobject java = run(loop_and_poll, (void *)3);
    Thread *t = thread_pin(java);
    EXPECT(thread_suspend(self, t));
    EXPECT(!thread_suspend(self, t));
    long before = progress[3];
    thread_handshake(self, t);
    thread_handshake_end(self, t);
    nap(self, 2 * MS);
    EXPECT_INT(before, progress[3]);
    EXPECT(thread_resume(self, t));
    EXPECT(!thread_resume(self, t));
    go_on = false;
    EXPECT(await(&ended, 1));
    thread_unpin(t);
    global_delete(java);

    ended = results = 0;
    java = run(suspend_self, NULL);
    t = thread_pin(java);
    for (int i = 0; i < 20000 && !thread_resume(self, t); i++)
        nap(self, MS);
    EXPECT(await(&ended, 1));
    EXPECT_INT(1, results);
    thread_unpin(t);
    global_delete(java);
}

TEST(suspended_does_not_acquire)
{
    start();
    lock = new_object(plain_class);
    guarded = 0;
    ended = 0;
    monitor_enter(self, lock);
    jobject first = run(enter_once, NULL);
    EXPECT(await_status(first, STATUS_BLOCKED));
    jobject second = run(enter_once, NULL);
    EXPECT(await_status(second, STATUS_BLOCKED));
    nap(self, 5 * MS);
    Thread *t = thread_pin(first);
    EXPECT(thread_suspend(self, t));
    monitor_exit(self, lock);
    EXPECT(await(&ended, 1)); // the second one, past the first
    nap(self, 5 * MS);
    EXPECT_INT(1, ended);
    EXPECT(thread_resume(self, t));
    EXPECT(await(&ended, 2));
    thread_unpin(t);
    global_delete(first);
    global_delete(second);
    global_delete(lock);
}

static void await_exception(Thread *t, void *arg)
{
    (void)arg;
    while (!t->exception) {
        thread_sleep(t, 100000ll * MS);
        thread_poll(t);
    }
    results = t->exception == deref(lock);
    t->exception = NULL;
    ended++;
}

TEST(async_exception)
{
    start();
    lock = new_object(plain_class);
    ended = results = 0;
    jobject java = run(await_exception, NULL);
    EXPECT(await_status(java, STATUS_SLEEPING));
    Thread *t = thread_pin(java);
    thread_throw_async(self, t, lock);
    EXPECT(await(&ended, 1));
    EXPECT_INT(1, results);
    thread_unpin(t);
    global_delete(java);
    global_delete(lock);
}

// ---- life ----

static void come_and_go(Thread *t, void *arg)
{
    jobject monitor = (jobject)arg;
    monitor_jni_enter(t, monitor); // released by the end of the thread
    ended++;
}

TEST(life)
{
    start();
    jobject monitor = new_object(plain_class);
    ended = 0;
    for (int i = 0; i < 200; i++) {
        jobject java = run(come_and_go, monitor);
        if (i % 8 == 0)
            await(&ended, i + 1);
        Thread *t = thread_pin(java);
        if (t) {
            EXPECT(t->id > 0 && t->id <= 65535);
            thread_unpin(t);
        }
        global_delete(java);
    }
    EXPECT(await(&ended, 200));
    threads_wait_for_others(self);
    EXPECT(monitor_owner(deref(monitor), NULL) == NULL);
    EXPECT(thread_by_id(self->id) == self);
    global_delete(monitor);
}

static void *attach_and_detach(void *arg)
{
    (void)arg;
    for (int i = 0; i < 50; i++) {
        Thread *t = thread_attach_current(64 * 1024);
        VM_CHECK(t && thread_current() == t);
        VM_CHECK(t->stack_limit > t->stack_base && t->stack_end > t->stack_limit);
        t->stack_end[-1].raw = 1;
        thread_poll(t);
        thread_detach_current(t);
        VM_CHECK(!thread_current());
    }
    ended++;
    return NULL;
}

TEST(attach_storm)
{
    start();
    ended = 0;
    pthread_t id;
    for (int i = 0; i < 4; i++)
        VM_CHECK(os_thread_start(&id, 0, attach_and_detach, NULL));
    for (int i = 0; i < 50; i++) {
        world_stop(self);
        int listed = 0;
        THREAD_EACH(t)
        listed++;
        EXPECT(listed >= 1 && listed <= 6);
        world_resume(self);
        nap(self, MS / 4);
    }
    EXPECT(await(&ended, 4));
}

TEST(freeze)
{
    start();
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        go_on = true;
        run(loop_and_poll, (void *)4);
        nap(self, 5 * MS);
        threads_freeze_others(self);
        long before = progress[4];
        os_sleep_nanos(5 * MS);
        world_stop(self);
        world_resume(self);
        os_sleep_nanos(5 * MS);
        _exit(before == progress[4] ? 0 : 3);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_INT(0, status);
}

// ---- raw monitors ----

static RawMonitor *raw;

static void raw_contend(Thread *t, void *arg)
{
    (void)arg;
    for (int i = 0; i < 3000; i++) {
        if (i % 2)
            thread_leave_vm(t, THREAD_IN_NATIVE);
        raw_monitor_enter(t, raw);
        raw_monitor_enter(t, raw);
        guarded++;
        VM_CHECK(raw_monitor_exit(t, raw) && raw_monitor_exit(t, raw));
        if (i % 2)
            thread_enter_vm(t);
        thread_poll(t);
    }
    ended++;
}

static void raw_ping_pong(Thread *t, void *arg)
{
    int own = (int)(intptr_t)arg;
    for (int i = 0; i < 1000; i++) {
        raw_monitor_enter(t, raw);
        while (turn != own)
            VM_CHECK(raw_monitor_wait(t, raw, 0) == WAIT_DONE);
        turn = !own;
        VM_CHECK(raw_monitor_notify(raw, i % 2));
        VM_CHECK(raw_monitor_exit(t, raw));
    }
    ended++;
}

static void *raw_unattached(void *arg)
{
    (void)arg;
    raw_monitor_enter(NULL, raw);
    while (turn != 7)
        raw_monitor_wait(NULL, raw, 0);
    turn = 8;
    raw_monitor_notify(raw, true);
    raw_monitor_exit(NULL, raw);
    return NULL;
}

static void raw_wait_long(Thread *t, void *arg)
{
    (void)arg;
    thread_leave_vm(t, THREAD_IN_NATIVE);
    raw_monitor_enter(t, raw);
    waiting++;
    int r = raw_monitor_wait(t, raw, 0);
    raw_monitor_exit(t, raw);
    thread_enter_vm(t);
    results = r;
    ended++;
}

// Who had asked whether it is valid before it was destroyed does not keep what is made in its place.
TEST(raw_monitors_destroyed)
{
    for (int by_thread = 0; by_thread < 2; by_thread++) {
        Thread *t = by_thread ? self : NULL;
        RawMonitor *m = raw_monitor_new("first");
        raw_monitor_enter(t, m);
        EXPECT(raw_monitor_stays(m));
        raw_monitor_exit(t, m);
        EXPECT(raw_monitor_free(m));
        raw_monitor_enter(t, m);
        raw_monitor_enter(t, m);
        EXPECT(!raw_monitor_stays(m));
        RawMonitor *next = raw_monitor_new("second");
        EXPECT(next == m && raw_monitor_entries(next) == 0);
        EXPECT(!raw_monitor_exit(t, next));
        EXPECT(raw_monitor_free(next));
    }
}

TEST(raw_monitors)
{
    start();
    raw = raw_monitor_new("test");
    EXPECT(raw_monitor_is_valid(raw));
    EXPECT(!raw_monitor_is_valid((RawMonitor *)((char *)raw + 8)));
    EXPECT(!raw_monitor_is_valid(NULL));
    EXPECT_STR("test", raw_monitor_name(raw));
    EXPECT(!raw_monitor_exit(self, raw));
    EXPECT_INT(WAIT_NOT_OWNER, raw_monitor_wait(self, raw, 1));
    guarded = 0;
    go_on = true;
    jobject collector = run(collect, NULL);
    run_all(6, raw_contend);
    EXPECT_INT(18000, guarded);
    turn = 0;
    run_all(2, raw_ping_pong);
    go_on = false;
    global_delete(collector);

    raw_monitor_enter(self, raw);
    EXPECT(raw_monitor_owner(raw) == self);
    EXPECT_INT(WAIT_TIMED_OUT, raw_monitor_wait(self, raw, 5));
    pthread_t id;
    VM_CHECK(os_thread_start(&id, 0, raw_unattached, NULL));
    turn = 7;
    while (turn != 8) {
        raw_monitor_notify(raw, false);
        raw_monitor_wait(self, raw, 1);
    }
    raw_monitor_exit(self, raw);

    ended = waiting = 0;
    jobject java = run(raw_wait_long, NULL);
    EXPECT(await(&waiting, 1));
    raw_monitor_enter(self, raw); // it waits now
    EXPECT(!raw_monitor_free(raw));
    raw_monitor_exit(self, raw);
    interrupt(java);
    EXPECT(await(&ended, 1));
    EXPECT_INT(WAIT_INTERRUPTED, results);
    raw_monitor_enter(self, raw);
    EXPECT(raw_monitor_free(raw));
    EXPECT(!raw_monitor_is_valid(raw));
    global_delete(java);
}

// ---- the checks of debug builds ----

static Mutex some_lock = MUTEX_INIT(RANK_LOG);

static void poll_in_native(void)
{
    thread_leave_vm(self, THREAD_IN_NATIVE);
    thread_poll(self);
}

static void poll_with_a_lock(void)
{
    mutex_lock(&some_lock);
    thread_poll(self);
}

static void leave_twice(void)
{
    thread_leave_vm(self, THREAD_IN_NATIVE);
    thread_leave_vm(self, THREAD_IN_NATIVE);
}

static void stop_from_native(void)
{
    thread_leave_vm(self, THREAD_IN_NATIVE);
    world_stop(self);
}

static void allocate_with_a_lock(void)
{
    mutex_lock(&some_lock);
    for (int i = 0; i < 1 << 15; i++) // the thread's buffer is full some time
        VM_CHECK(heap_alloc(self, plain_class, plain_class->instance_size));
}

static void post_with_a_lock(void)
{
    mutex_lock(&some_lock);
    event_fire(self, EVENT_GC_START, NULL);
}

// ---- no-GC scopes ----

static void allocate_in_a_scope(void)
{
    NO_GC_SCOPE();
    VM_CHECK(heap_alloc(self, plain_class, plain_class->instance_size)); // the buffer has room
}

static void poll_in_a_scope(void)
{
    NO_GC_SCOPE();
    thread_poll(self);
}

static void leave_in_a_scope(void)
{
    NO_GC_SCOPE();
    thread_leave_vm(self, THREAD_IN_NATIVE);
}

static void throw_away_inner_scope(void)
{
    NO_GC_SCOPE();
    {
        NO_GC_SCOPE();
    }
    thread_handshake(self, self);
}

static int sum_in_a_scope(int n)
{
    NO_GC_SCOPE();
    if (n == 0)
        return 0;
    return n + sum_in_a_scope(n - 1);
}

TEST(no_gc_scopes)
{
    start();
    EXPECT_CHECKED(allocate_in_a_scope,
                   "may collect, in the no-GC scope of allocate_in_a_scope");
    EXPECT_CHECKED(poll_in_a_scope, "may collect, in the no-GC scope of poll_in_a_scope");
    EXPECT_CHECKED(leave_in_a_scope, "may collect, in the no-GC scope of leave_in_a_scope");
    EXPECT_CHECKED(throw_away_inner_scope, "in the no-GC scope of throw_away_inner_scope");
    EXPECT(sum_in_a_scope(3) == 6);
    thread_poll(self); // the scopes are closed on each way out
}

TEST(checked_states)
{
    start();
    EXPECT_CHECKED(poll_in_native, "THREAD_IN_VM");
    EXPECT_CHECKED(poll_with_a_lock, "locks_none_held()");
    EXPECT_CHECKED(leave_twice, "THREAD_IN_VM");
    EXPECT_CHECKED(stop_from_native, "thread_in_vm(self)");
    EXPECT_CHECKED(allocate_with_a_lock, "locks_none_held()");
    EXPECT_CHECKED(post_with_a_lock, "locks_none_held()");
}
