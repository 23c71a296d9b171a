// SPDX-License-Identifier: Apache-2.0
// A JVM TI agent with every capability it can have and every event, to run beside others: counts
// what it is told and says at the end whether that was plausible. Runs several times in one process.
#include <unistd.h>

#include "ti_common.h"

enum { FIRST = JVMTI_MIN_EVENT_TYPE_VAL, LAST = JVMTI_MAX_EVENT_TYPE_VAL, AGENTS = 4 };
typedef struct Counts {
    char name[16];
    long entries, exits, allocations, starts, ends, prepared, gc_starts, gc_finishes;
} Counts;
static Counts counts[AGENTS];
static int agents;

static Counts *of(jvmtiEnv *env)
{
    void *c = NULL;
    MUST((*env)->GetEnvironmentLocalStorage(env, &c));
    return c;
}

#define COUNT(env, field) __atomic_fetch_add(&of(env)->field, 1, __ATOMIC_RELAXED)

static void JNICALL on_entry(jvmtiEnv *env, JNIEnv *jni, jthread t, jmethodID m)
{
    (void)jni, (void)t, (void)m;
    COUNT(env, entries);
}

static void JNICALL on_exit_method(jvmtiEnv *env, JNIEnv *jni, jthread t, jmethodID m,
                                   jboolean by, jvalue v)
{
    (void)jni, (void)t, (void)m, (void)by, (void)v;
    COUNT(env, exits);
}

static void JNICALL on_step(jvmtiEnv *env, JNIEnv *jni, jthread t, jmethodID m, jlocation at)
{
    (void)env, (void)jni, (void)t, (void)m, (void)at;
}

static void JNICALL on_alloc(jvmtiEnv *env, JNIEnv *jni, jthread t, jobject o, jclass c,
                             jlong size)
{
    (void)jni, (void)t, (void)o, (void)c, (void)size;
    COUNT(env, allocations);
}

static void JNICALL on_start(jvmtiEnv *env, JNIEnv *jni, jthread t)
{
    (void)jni, (void)t;
    COUNT(env, starts);
}

static void JNICALL on_end(jvmtiEnv *env, JNIEnv *jni, jthread t)
{
    (void)jni, (void)t;
    COUNT(env, ends);
}

static void JNICALL on_prepare(jvmtiEnv *env, JNIEnv *jni, jthread t, jclass c)
{
    (void)jni, (void)t, (void)c;
    COUNT(env, prepared);
}

static void JNICALL on_monitor(jvmtiEnv *env, JNIEnv *jni, jthread t, jobject o)
{
    (void)env, (void)jni, (void)t, (void)o;
}

static void JNICALL on_exception(jvmtiEnv *env, JNIEnv *jni, jthread t, jmethodID m,
                                 jlocation at, jobject e, jmethodID catcher, jlocation catch_at)
{
    (void)env, (void)jni, (void)t, (void)m, (void)at, (void)e, (void)catcher, (void)catch_at;
}

static void JNICALL on_gc_start(jvmtiEnv *env)
{
    COUNT(env, gc_starts);
}

static void JNICALL on_gc_finish(jvmtiEnv *env)
{
    COUNT(env, gc_finishes);
}

static void JNICALL on_death(jvmtiEnv *env, JNIEnv *jni)
{
    (void)jni;
    const Counts *c = of(env);
    while (__atomic_load_n(&c->gc_starts, __ATOMIC_SEQ_CST)
           != __atomic_load_n(&c->gc_finishes, __ATOMIC_SEQ_CST))
        usleep(1000); // another thread collects
    say("%s: methods %s, threads %s, classes %s, collections %s", c->name,
        c->entries > 1000 && c->exits > 1000 ? "ok" : "WRONG",
        c->starts > 20 && c->ends >= 20 ? "ok" : "WRONG", c->prepared > 20 ? "ok" : "WRONG",
        c->gc_starts > 0 ? "ok" : "WRONG");
}

EXPORT(jint, Agent_OnLoad, JavaVM *vm, char *options, void *reserved)
{
    (void)reserved;
    jvmtiEnv *env = new_env(vm, JVMTI_VERSION_11);
    Counts *c = &counts[agents++ % AGENTS];
    snprintf(c->name, sizeof c->name, "%s", options);
    MUST((*env)->SetEnvironmentLocalStorage(env, c));
    jvmtiCapabilities all;
    MUST((*env)->GetPotentialCapabilities(env, &all));
    MUST((*env)->AddCapabilities(env, &all));
    jvmtiEventCallbacks callbacks = {.MethodEntry = on_entry,
                                     .MethodExit = on_exit_method,
                                     .SingleStep = on_step,
                                     .VMObjectAlloc = on_alloc,
                                     .ThreadStart = on_start,
                                     .ThreadEnd = on_end,
                                     .ClassPrepare = on_prepare,
                                     .MonitorContendedEnter = on_monitor,
                                     .MonitorContendedEntered = on_monitor,
                                     .Exception = on_exception,
                                     .GarbageCollectionStart = on_gc_start,
                                     .GarbageCollectionFinish = on_gc_finish,
                                     .VMDeath = on_death};
    MUST((*env)->SetEventCallbacks(env, &callbacks, sizeof callbacks));
    for (int event = FIRST; event <= LAST; event++)
        (*env)->SetEventNotificationMode(env, JVMTI_ENABLE, (jvmtiEvent)event, NULL);
    return JNI_OK;
}
