// SPDX-License-Identifier: Apache-2.0
// A sampler over AsyncGetCallTrace: a thread that sends SIGPROF to the sampled threads in turn, ten thousand times a second, and
// judges what they leave. A trace is good when its indices lie in their methods and, if it has the thread's work, it also has
// where the thread began.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <jvmti.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "jnitest.h"

typedef struct {
    jint lineno;
    jmethodID method_id;
} CallFrame;
typedef struct {
    JNIEnv *env_id;
    jint num_frames;
    CallFrame *frames;
} CallTrace;

enum { DEPTH = 64, SAMPLES = 256, THREADS = 8, INTERVAL_NS = 100000, LEAST_CODE = -10 };

// FREE -> (handler) BUSY -> DONE -> (sampler) FREE
enum { FREE, BUSY, DONE };
static struct {
    _Atomic int state;
    jint num_frames;
    CallFrame frames[DEPTH];
} samples[SAMPLES];
static _Atomic unsigned next_sample;

static void (*async_get_call_trace)(CallTrace *, jint, void *);
static JavaVM *vm;
static jvmtiEnv *ti;
static pid_t sampled[THREADS];
static _Atomic int sampled_count;
static _Atomic bool over;
static pthread_t sampler;
static jmethodID work, run;
static jint sent, taken, good, wrong;

static void sample(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info;
    JNIEnv *env;
    int at = (int)(atomic_fetch_add(&next_sample, 1) % SAMPLES), expected = FREE;
    if ((*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_6) != JNI_OK
        || !atomic_compare_exchange_strong(&samples[at].state, &expected, BUSY))
        return;
    CallTrace trace = {env, 0, samples[at].frames};
    async_get_call_trace(&trace, DEPTH, context);
    samples[at].num_frames = trace.num_frames;
    atomic_store(&samples[at].state, DONE);
}

static bool is_inside(const CallFrame *f)
{
    jlocation first, last;
    jboolean native = JNI_FALSE;
    if (!f->method_id || (*ti)->IsMethodNative(ti, f->method_id, &native) || native)
        return true;
    return (*ti)->GetMethodLocation(ti, f->method_id, &first, &last) != JVMTI_ERROR_NONE
           || (f->lineno >= first && f->lineno <= last);
}

static void judge(const CallFrame *frames, int n)
{
    int works = 0, runs = 0;
    bool inside = n >= LEAST_CODE;
    for (int i = 0; i < n; i++) {
        works += frames[i].method_id == work;
        runs += frames[i].method_id == run;
        inside = inside && is_inside(&frames[i]);
    }
    taken++;
    good += works && runs && inside;
    wrong += !inside || (works && !runs && n < DEPTH);
}

static void judge_done(void)
{
    for (int i = 0; i < SAMPLES; i++)
        if (atomic_load(&samples[i].state) == DONE) {
            judge(samples[i].frames, samples[i].num_frames);
            atomic_store(&samples[i].state, FREE);
        }
}

static void *send_signals(void *unused)
{
    (void)unused;
    JNIEnv *env;
    struct timespec at;
    (*vm)->AttachCurrentThreadAsDaemon(vm, (void **)&env, NULL);
    clock_gettime(CLOCK_MONOTONIC, &at);
    while (!atomic_load(&over)) {
        at.tv_nsec += INTERVAL_NS;
        at.tv_sec += at.tv_nsec / 1000000000;
        at.tv_nsec %= 1000000000;
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
        int count = atomic_load(&sampled_count);
        if (count)
            syscall(SYS_tgkill, getpid(), sampled[sent++ % count], SIGPROF);
        judge_done();
    }
    (*vm)->DetachCurrentThread(vm);
    return NULL;
}

static void want_ids(jvmtiEnv *env, jclass c)
{
    jint n;
    jmethodID *methods;
    if ((*env)->GetClassMethods(env, c, &n, &methods) == JVMTI_ERROR_NONE)
        (*env)->Deallocate(env, (unsigned char *)methods);
}
static void JNICALL prepared(jvmtiEnv *env, JNIEnv *jni, jthread thread, jclass c)
{
    (void)jni, (void)thread;
    want_ids(env, c);
}
static void JNICALL loaded(jvmtiEnv *env, JNIEnv *jni, jthread thread, jclass c)
{
    (void)env, (void)jni, (void)thread, (void)c; // HotSpot answers only where the event is on
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *java_vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    vm = java_vm;
    (*vm)->GetEnv(vm, (void **)&ti, JVMTI_VERSION_1_2);
    jvmtiEventCallbacks callbacks = {.ClassPrepare = prepared, .ClassLoad = loaded};
    (*ti)->SetEventCallbacks(ti, &callbacks, sizeof callbacks);
    (*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, JVMTI_EVENT_CLASS_PREPARE, NULL);
    (*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, JVMTI_EVENT_CLASS_LOAD, NULL);
    *(void **)&async_get_call_trace = dlsym(RTLD_DEFAULT, "AsyncGetCallTrace");
    return async_get_call_trace ? JNI_OK : JNI_ERR;
}

EXPORT(void, Java_AsyncTrace_start, JNIEnv *env, jclass c)
{
    jint n;
    jclass *classes;
    (*ti)->GetLoadedClasses(ti, &n, &classes);
    for (jint i = 0; i < n; i++)
        want_ids(ti, classes[i]);
    (*ti)->Deallocate(ti, (unsigned char *)classes);
    work = NEED((*env)->GetStaticMethodID(env, c, "work", "(I)I"));
    run = NEED((*env)->GetMethodID(env, c, "run", "()V"));
    struct sigaction action = {.sa_sigaction = sample, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigaction(SIGPROF, &action, NULL);
    pthread_create(&sampler, NULL, send_signals, NULL);
}

// The calling thread is sampled from now on.
EXPORT(void, Java_AsyncTrace_join, JNIEnv *env, jclass c)
{
    (void)env, (void)c;
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    sampled[sampled_count] = (pid_t)syscall(SYS_gettid);
    atomic_fetch_add(&sampled_count, 1);
    pthread_mutex_unlock(&lock);
}

EXPORT(jboolean, Java_AsyncTrace_hasEnough, JNIEnv *env, jclass c)
{
    (void)env, (void)c;
    return __atomic_load_n(&taken, __ATOMIC_RELAXED) > 100
           && __atomic_load_n(&good, __ATOMIC_RELAXED) > 50;
}

// Signals that were sent, samples taken, good ones with the program's work, wrong ones.
EXPORT(jintArray, Java_AsyncTrace_stop, JNIEnv *env, jclass c)
{
    (void)c;
    atomic_store(&over, true);
    pthread_join(sampler, NULL);
    signal(SIGPROF, SIG_IGN);
    jintArray result = (*env)->NewIntArray(env, 4);
    (*env)->SetIntArrayRegion(env, result, 0, 4, (jint[]){sent, taken, good, wrong});
    return result;
}
