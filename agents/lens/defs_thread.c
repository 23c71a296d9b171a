// SPDX-License-Identifier: Apache-2.0
// Threads that the agent has met. A Java thread is known by the address that its Thread object
// holds while it lives (Thread.eetop), which lies at a fixed distance from its JNIEnv: so the
// signal handler's JNIEnv leads to it. Threads of the VM and native ones are known by their
// system id. All are forgotten when the agent is idle; the tag of a Thread object keeps its id.
//
// A thread that has ended stays in the table until its last samples are out of the rings: the
// next thread often has the same address, so a sample is of the one that has its system id, too.
//
// `lock` guards the table, the list and what changes in a thread; no call of the VM is made
// under it.
#define _GNU_SOURCE
#include "agent.h"
#include "verbs.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { BUCKETS = 4096, RENAMED_KEPT = 1024, OWN_MOST = 64, DAEMON = 1, SYSTEM = 2 };
#define SYSTEM_KEY (1ll << 62) // in the key of a thread that is known by its system id
#define SWEEP_REST (100 * LENS_MS)

typedef struct Met {
    LensThread public; // first
    jlong key;
    char *name, *group;
    unsigned flags;
    struct Met *chain; // of the bucket, until its samples are drained
    struct Met *next_ended;
} Met;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Met *buckets[BUCKETS];
static LensThread *all;
// Threads that ended since the rings were drained last; and those before
static Met *ended, *ended_before;
static uint32_t renamed[RENAMED_KEPT];
static uint64_t renamed_count;
static _Atomic unsigned generation = 1; // grows when all are forgotten
static jfieldID eetop;
static jlong env_distance;          // JNIEnv less eetop
static _Atomic jlong own[OWN_MOST]; // keys of the agent's threads
static uint64_t last_sweep;

static __thread __attribute__((tls_model("initial-exec"))) Met *self;
static __thread __attribute__((tls_model("initial-exec"))) unsigned self_generation;

// ---- the table, under the lock ----

static Met **bucket_of(jlong key)
{
    ASSERT_HELD(&lock);
    return &buckets[agent_mix((uint64_t)key) % BUCKETS];
}

// Where the thread with this key is that lives, or would be.
static Met **place_of(jlong key)
{
    Met **p = bucket_of(key);
    while (*p != NULL && ((*p)->key != key || atomic_load(&(*p)->public.has_ended))) {
        p = &(*p)->chain;
    }
    return p;
}

static void take_out(const Met *t)
{
    assert(atomic_load(&t->public.has_ended));
    Met **p = bucket_of(t->key);
    while (*p != NULL && *p != t) {
        p = &(*p)->chain;
    }
    if (*p != NULL) {
        *p = t->chain;
    }
}

static void put_fields(LensBuffer *to, const Met *t)
{
    lens_buffer_text(to, t->name);
    lens_buffer_u(to, t->flags);
    lens_buffer_u(to, (uint64_t)atomic_load(&t->public.tid));
    lens_buffer_text(to, t->group);
}

static void tell_again(const Met *t)
{
    ASSERT_HELD(&lock);
    LensBuffer fields = {0};
    put_fields(&fields, t);
    if (lens_def_replace(LENS_DEF_THREAD, t->public.id, &fields)) {
        renamed[renamed_count++ % RENAMED_KEPT] = t->public.id;
    }
    lens_buffer_free(&fields);
}

static void set_tid(Met *t, int tid)
{
    if (tid != 0 && atomic_load(&t->public.tid) != tid) {
        atomic_store(&t->public.tid, tid);
        tell_again(t);
    }
}

void lens_thread_set_tid(LensThread *thread, int tid)
{
    pthread_mutex_lock(&lock);
    set_tid((Met *)thread, tid);
    pthread_mutex_unlock(&lock);
}

uint32_t lens_thread_renamed_since(uint64_t *seen, uint32_t *ids, uint32_t room)
{
    uint32_t n = 0;
    pthread_mutex_lock(&lock);
    assert(*seen <= renamed_count);
    if (renamed_count - *seen > RENAMED_KEPT) {
        *seen = renamed_count - RENAMED_KEPT;
    }
    while (n < room && *seen < renamed_count) {
        ids[n++] = renamed[(*seen)++ % RENAMED_KEPT];
    }
    pthread_mutex_unlock(&lock);
    return n;
}

// ---- meeting ----

static void free_met(Met *t)
{
    if (t != NULL) {
        free(t->name);
        free(t->group);
        free(t);
    }
}

// Takes over `fresh`, unless another thread was quicker. NULL when memory ends.
static Met *put(Met *fresh)
{
    if (fresh == NULL || fresh->name == NULL || fresh->group == NULL) {
        free_met(fresh);
        return NULL;
    }
    LensBuffer fields = {0};
    put_fields(&fields, fresh);
    pthread_mutex_lock(&lock);
    Met **place = place_of(fresh->key), *there = *place;
    if (there == NULL) {
        if (fresh->public.id == 0) {
            fresh->public.id = lens_def_add(LENS_DEF_THREAD, &fields, "", 0, 0);
        } else {
            tell_again(fresh);
        }
        fresh->public.next = all;
        all = &fresh->public;
        *place = there = fresh;
        fresh = NULL;
    }
    pthread_mutex_unlock(&lock);
    lens_buffer_free(&fields);
    free_met(fresh);
    return there;
}

static char *group_name(JNIEnv *jni, jthreadGroup group)
{
    jvmtiThreadGroupInfo info = {0};
    if (group == NULL
        || (*lens.jvmti)->GetThreadGroupInfo(lens.jvmti, group, &info) != JVMTI_ERROR_NONE) {
        return strdup("");
    }
    char *name = info.name != NULL ? agent_utf8(info.name) : strdup("");
    agent_deallocate(lens.jvmti, info.name);
    if (info.parent != NULL) {
        (*jni)->DeleteLocalRef(jni, info.parent);
    }
    return name;
}

static Met *meet(JNIEnv *jni, jthread thread, jlong key, int tid)
{
    assert(key != 0);
    jvmtiThreadInfo info = {0};
    if ((*lens.jvmti)->GetThreadInfo(lens.jvmti, thread, &info) != JVMTI_ERROR_NONE) {
        return NULL;
    }
    Met *fresh = agent_alloc(sizeof *fresh);
    if (fresh != NULL) {
        fresh->key = key;
        fresh->name = info.name != NULL ? agent_utf8(info.name) : strdup("");
        fresh->group = group_name(jni, info.thread_group);
        fresh->flags = info.is_daemon ? DAEMON : 0;
        fresh->public.id = lens_tagged(thread, LENS_DEF_THREAD);
        atomic_store(&fresh->public.tid, tid);
    }
    agent_deallocate(lens.jvmti, info.name);
    if (info.thread_group != NULL) {
        (*jni)->DeleteLocalRef(jni, info.thread_group);
    }
    if (info.context_class_loader != NULL) {
        (*jni)->DeleteLocalRef(jni, info.context_class_loader);
    }
    Met *t = put(fresh);
    if (t != NULL) {
        lens_tag(thread, LENS_DEF_THREAD, t->public.id);
    }
    return t;
}

static Met *find(jlong key)
{
    pthread_mutex_lock(&lock);
    Met *t = *place_of(key);
    pthread_mutex_unlock(&lock);
    return t;
}

// The one with this key that had this system id, though it may have ended; else who lives there.
static Met *find_sampled(jlong key, int tid)
{
    pthread_mutex_lock(&lock);
    Met *t = *bucket_of(key);
    while (t != NULL && (t->key != key || atomic_load(&t->public.tid) != tid)) {
        t = t->chain;
    }
    t = t != NULL ? t : *place_of(key);
    pthread_mutex_unlock(&lock);
    return t;
}

static Met *find_or_meet(JNIEnv *jni, jthread thread, int tid)
{
    jlong key = thread != NULL && eetop != NULL ? (*jni)->GetLongField(jni, thread, eetop) : 0;
    Met *t = key != 0 ? find(key) : NULL;
    return t != NULL || key == 0 ? t : meet(jni, thread, key, tid);
}

static Met *current(JNIEnv *jni)
{
    unsigned now = atomic_load(&generation);
    if (self != NULL && self_generation == now) {
        return self;
    }
    jthread thread = NULL;
    if ((*lens.jvmti)->GetCurrentThread(lens.jvmti, &thread) != JVMTI_ERROR_NONE) {
        return NULL;
    }
    int tid = (int)syscall(SYS_gettid);
    Met *t = find_or_meet(jni, thread, tid);
    (*jni)->DeleteLocalRef(jni, thread);
    if (t != NULL) {
        lens_thread_set_tid(&t->public, tid);
        self = t;
        self_generation = now;
    }
    return t;
}

LensThread *lens_thread(JNIEnv *jni, jthread thread)
{
    Met *t = thread == NULL ? current(jni) : find_or_meet(jni, thread, 0);
    return t != NULL ? &t->public : NULL;
}

uint32_t lens_thread_id(JNIEnv *jni, jthread thread)
{
    const LensThread *t = lens_thread(jni, thread);
    return t != NULL ? t->id : 0;
}

void lens_threads_each(void (*each)(LensThread *thread, void *data), void *data)
{
    pthread_mutex_lock(&lock);
    for (LensThread *t = all; t != NULL; t = t->next) {
        each(t, data);
    }
    pthread_mutex_unlock(&lock);
}

bool lens_thread_is_system(const LensThread *thread)
{
    return (((const Met *)thread)->flags & SYSTEM) != 0;
}

const char *lens_thread_name(const LensThread *thread)
{
    ASSERT_AGENT_THREAD();
    return ((const Met *)thread)->name;
}

// ---- begin and end of threads ----

static void JNICALL on_thread_start(jvmtiEnv *ti, JNIEnv *jni, jthread thread)
{
    (void)ti, (void)thread;
    self = NULL; // a native thread may come back as another one
    current(jni);
}

// The thread's own structure stays reachable from its last events.
static void JNICALL on_thread_end(jvmtiEnv *ti, JNIEnv *jni, jthread thread)
{
    (void)ti, (void)thread;
    Met *t = current(jni);
    if (t == NULL) {
        return;
    }
    pthread_mutex_lock(&lock);
    if (!atomic_exchange(&t->public.has_ended, true)) {
        t->next_ended = ended;
        ended = t;
    }
    pthread_mutex_unlock(&lock);
}

void lens_threads_drained(void)
{
    ASSERT_AGENT_THREAD();
    pthread_mutex_lock(&lock);
    for (; ended_before != NULL; ended_before = ended_before->next_ended) {
        take_out(ended_before);
    }
    ended_before = ended;
    ended = NULL;
    pthread_mutex_unlock(&lock);
}

void lens_part_defs(void)
{
    LENS_LISTEN(JVMTI_EVENT_THREAD_START, on_thread_start);
    LENS_LISTEN(JVMTI_EVENT_THREAD_END, on_thread_end);
}

// ---- threads by system id ----

static Met *meet_system(int tid)
{
    char path[64], name[32] = "";
    snprintf(path, sizeof path, "/proc/self/task/%d/comm", tid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t len = fd >= 0 ? read(fd, name, sizeof name - 1) : 0;
    if (fd >= 0) {
        close(fd);
    }
    name[len > 0 ? len : 0] = '\0';
    name[strcspn(name, "\n")] = '\0';
    Met *fresh = agent_alloc(sizeof *fresh);
    if (fresh != NULL) {
        fresh->key = SYSTEM_KEY | tid;
        fresh->name = strdup(name);
        fresh->group = strdup("");
        fresh->flags = DAEMON | SYSTEM;
        atomic_store(&fresh->public.tid, tid);
    }
    return put(fresh);
}

LensThread *lens_thread_by_tid(JNIEnv *jni, int tid, JNIEnv *env)
{
    ASSERT_AGENT_THREAD();
    assert(tid > 0);
    Met *t = NULL;
    if (env != NULL && eetop != NULL) {
        jlong key = (jlong)(intptr_t)env - env_distance;
        t = find_sampled(key, tid);
        if (t == NULL && lens_now() - last_sweep > SWEEP_REST) {
            lens_threads_sweep(jni);
            t = find_sampled(key, tid);
        }
    }
    if (t != NULL) {
        lens_thread_set_tid(&t->public, tid);
        return &t->public;
    }
    t = find(SYSTEM_KEY | tid);
    t = t != NULL ? t : meet_system(tid);
    return t != NULL ? &t->public : NULL;
}

// ---- all of them ----

void lens_thread_own(JNIEnv *jni, bool begins)
{
    jlong key = (jlong)(intptr_t)jni, expected = begins ? 0 : key;
    for (size_t i = 0; i < OWN_MOST; i++) {
        jlong found = expected;
        if (atomic_compare_exchange_strong(&own[i], &found, begins ? key : 0)) {
            return;
        }
    }
}

static bool is_own(JNIEnv *jni, jthread thread)
{
    jlong key = eetop != NULL ? (*jni)->GetLongField(jni, thread, eetop) + env_distance : 0;
    for (size_t i = 0; i < OWN_MOST && key != 0; i++) {
        if (atomic_load(&own[i]) == key) {
            return true;
        }
    }
    return false;
}

LensThreadList lens_threads_get(JNIEnv *jni)
{
    ASSERT_OWN_THREAD();
    LensThreadList list = {0};
    if ((*lens.jvmti)->GetAllThreads(lens.jvmti, &list.len, &list.threads)
        != JVMTI_ERROR_NONE) {
        return (LensThreadList){0};
    }
    jint kept = 0;
    for (jint i = 0; i < list.len; i++) {
        if (is_own(jni, list.threads[i])) {
            (*jni)->DeleteLocalRef(jni, list.threads[i]);
        } else {
            list.threads[kept++] = list.threads[i];
        }
    }
    list.len = kept;
    return list;
}

void lens_threads_release(JNIEnv *jni, LensThreadList *list)
{
    for (jint i = 0; i < list->len; i++) {
        (*jni)->DeleteLocalRef(jni, list->threads[i]);
    }
    agent_deallocate(lens.jvmti, list->threads);
    *list = (LensThreadList){0};
}

static void learn_name(JNIEnv *jni, jthread thread)
{
    Met *t = find_or_meet(jni, thread, 0);
    char *name = t != NULL ? agent_thread_name(lens.jvmti, jni, thread) : NULL;
    if (name == NULL || strcmp(name, t->name) == 0) {
        free(name);
        return;
    }
    pthread_mutex_lock(&lock);
    char *old = t->name;
    t->name = name;
    tell_again(t);
    pthread_mutex_unlock(&lock);
    free(old);
}

void lens_threads_sweep(JNIEnv *jni)
{
    ASSERT_AGENT_THREAD();
    last_sweep = lens_now();
    LensThreadList list = lens_threads_get(jni);
    for (jint i = 0; i < list.len; i++) {
        learn_name(jni, list.threads[i]);
    }
    lens_threads_release(jni, &list);
}

static const jvmtiEvent EVENTS[] = {JVMTI_EVENT_THREAD_START, JVMTI_EVENT_THREAD_END};

bool lens_threads_begin(JNIEnv *jni)
{
    ASSERT_AGENT_THREAD();
    if (eetop == NULL) {
        eetop = lens_field(jni, "java/lang/Thread", "eetop", "J");
        jthread thread = NULL;
        if (eetop != NULL
            && (*lens.jvmti)->GetCurrentThread(lens.jvmti, &thread) == JVMTI_ERROR_NONE) {
            env_distance = (jlong)(intptr_t)jni - (*jni)->GetLongField(jni, thread, eetop);
            (*jni)->DeleteLocalRef(jni, thread);
        }
    }
    if (!lens_want_events(EVENTS, sizeof EVENTS / sizeof EVENTS[0], true)) {
        return false;
    }
    lens_threads_sweep(jni);
    return true;
}

void lens_threads_idle(void)
{
    ASSERT_AGENT_THREAD();
    lens_want_events(EVENTS, sizeof EVENTS / sizeof EVENTS[0], false);
    // Where a thread stands in a callback all that it may hold is left as it is.
    bool may_free = lens_wait_for_listeners();
    pthread_mutex_lock(&lock);
    atomic_fetch_add(&generation, 1);
    memset(buckets, 0, sizeof buckets);
    for (LensThread *t = may_free ? all : NULL, *next; t != NULL; t = next) {
        next = t->next;
        // Those of the VM are met anew, as nothing keeps their ids
        if (atomic_load(&t->has_ended) || lens_thread_is_system(t)) {
            lens_def_forget(LENS_DEF_THREAD, t->id);
        }
        free_met((Met *)t);
    }
    all = NULL;
    ended = ended_before = NULL;
    pthread_mutex_unlock(&lock);
}
