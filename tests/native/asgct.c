// SPDX-License-Identifier: Apache-2.0
// A sampler over AsyncGetCallTrace: SIGPROF by a timer of the process's CPU time. A trace is good when
// it ends at a thread's first method, holds the thread's work, and its indices lie in their methods.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <jvmti.h>
#include <signal.h>
#include <sys/time.h>

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

enum { DEPTH = 64, SAMPLES = 20000 };

static void (*async_get_call_trace)(CallTrace *, jint, void *);
static JavaVM *vm;
static jvmtiEnv *ti;
static struct {
    jint num_frames;
    CallFrame frames[DEPTH];
} samples[SAMPLES];
static volatile int taken;
static jmethodID work, run;

static void sample(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info;
    JNIEnv *env;
    int at = __atomic_fetch_add(&taken, 1, __ATOMIC_RELAXED);
    if (at >= SAMPLES || (*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_6) != JNI_OK)
        return;
    CallTrace trace = {env, 0, samples[at].frames};
    async_get_call_trace(&trace, DEPTH, context);
    samples[at].num_frames = trace.num_frames;
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

static void set_timer(int microseconds)
{
    struct itimerval timer = {{0, microseconds}, {0, microseconds}};
    setitimer(ITIMER_PROF, &timer, NULL);
}

EXPORT(void, Java_AsyncTrace_start, JNIEnv *env, jclass c, jint microseconds)
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
    set_timer(microseconds);
}

static int is_good(int at)
{
    int n = samples[at].num_frames, works = 0, runs = 0;
    for (int i = 0; i < n; i++) {
        CallFrame *f = &samples[at].frames[i];
        jlocation first, last;
        works += f->method_id == work;
        runs += f->method_id == run;
        jboolean native = JNI_FALSE;
        if (!f->method_id || (*ti)->IsMethodNative(ti, f->method_id, &native) || native)
            continue;
        if ((*ti)->GetMethodLocation(ti, f->method_id, &first, &last) == JVMTI_ERROR_NONE
            && (f->lineno < first || f->lineno > last))
            return 0;
    }
    return works > 0 && runs > 0;
}

EXPORT(jint, Java_AsyncTrace_taken, JNIEnv *env, jclass c)
{
    (void)env, (void)c;
    return taken;
}

// {samples, good ones, in work() at its loop, bad ones}: of those whose threads run this program's work.
EXPORT(jintArray, Java_AsyncTrace_stop, JNIEnv *env, jclass c)
{
    (void)c;
    set_timer(0);
    signal(SIGPROF, SIG_IGN);
    int all = taken < SAMPLES ? taken : SAMPLES;
    jint counts[3] = {all};
    for (int i = 0; i < all; i++) {
        int n = samples[i].num_frames, ours = 0;
        for (int k = 0; k < n; k++)
            ours |= samples[i].frames[k].method_id == work;
        counts[1] += ours && is_good(i);
        counts[2] += ours && !is_good(i);
    }
    jintArray result = (*env)->NewIntArray(env, 3);
    (*env)->SetIntArrayRegion(env, result, 0, 3, counts);
    return result;
}
