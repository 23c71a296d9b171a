// SPDX-License-Identifier: Apache-2.0
// What CompiledEvents.java asks of two environments that listen to CompiledMethodLoad and Unload. Of "hot" and "inner" it is looked whether
// what is sent makes sense.
#include <jvmti.h>
#include <jvmticmlr.h>
#include <pthread.h>
#include <stdbool.h>

#include "ti_common.h"

static jvmtiEnv *envs[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int loads[2], wrong, unloads, of_unloaded;
static const void *dropped; // the code of "inner"
static jmethodID dropped_method;
static _Thread_local bool generating;
static const void *generated[20000]; // the code of the events of one GenerateEvents
static int generated_count;

static void complain(const char *what, const char *name)
{
    say("%s: %s", name, what);
    wrong++;
}

static void check_map(jvmtiEnv *env, const char *name, jmethodID method, const char *code,
                      jint size, jint length, const jvmtiAddrLocationMap *map)
{
    jlocation first, last;
    MUST((*env)->GetMethodLocation(env, method, &first, &last));
    if (!code || size <= 0 || length <= 0)
        complain("no code", name);
    for (jint i = 0; i < length; i++) {
        const char *at = map[i].start_address;
        if (at < code || at > code + size)
            complain("an address outside", name);
        if (map[i].location < -1 || map[i].location > last)
            complain("no location of the method", name);
    }
}

static void check_info(const char *name, jmethodID method, const char *code, jint size,
                       const jvmtiCompiledMethodLoadRecordHeader *header)
{
    int inlining = 0;
    for (; header; header = header->next) {
        if (header->kind != JVMTI_CMLR_INLINE_INFO)
            continue;
        inlining++;
        const jvmtiCompiledMethodLoadInlineRecord *r = (const void *)header;
        if (header->majorinfoversion != 1 || r->numpcs <= 0)
            complain("an empty record", name);
        for (jint i = 0; i < r->numpcs; i++) {
            const PCStackInfo *p = &r->pcinfo[i];
            if ((const char *)p->pc < code || (const char *)p->pc > code + size
                || p->numstackframes < 1 || p->methods[p->numstackframes - 1] != method)
                complain("a record of another method", name);
        }
    }
    if (inlining != 1)
        complain("not one record of inlining", name);
}

static void JNICALL on_load(jvmtiEnv *env, jmethodID method, jint size, const void *code,
                            jint length, const jvmtiAddrLocationMap *map, const void *info)
{
    char *name;
    if (generating && of_unloaded && method == dropped_method)
        complain("sent again", "an unloaded method");
    if ((*env)->GetMethodName(env, method, &name, NULL, NULL) != JVMTI_ERROR_NONE)
        return;
    pthread_mutex_lock(&lock);
    if (generating && generated_count < 20000)
        generated[generated_count++] = code;
    if (strcmp(name, "hot") == 0 || strcmp(name, "inner") == 0) {
        check_map(env, name, method, code, size, length, map);
        check_info(name, method, code, size, info);
        loads[env == envs[1]] += name[0] == 'h';
        if (name[0] == 'i') {
            dropped = code;
            dropped_method = method;
        }
    }
    pthread_mutex_unlock(&lock);
    release(env, name);
}

static void JNICALL on_unload(jvmtiEnv *env, jmethodID method, const void *code)
{
    (void)method;
    pthread_mutex_lock(&lock);
    unloads += env == envs[0];
    of_unloaded += env == envs[0] && code == dropped;
    pthread_mutex_unlock(&lock);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    const jvmtiCapabilities wanted = {.can_generate_compiled_method_load_events = 1};
    jvmtiEventCallbacks callbacks = {.CompiledMethodLoad = on_load,
                                     .CompiledMethodUnload = on_unload};
    for (int i = 0; i < 2; i++) {
        envs[i] = new_env(vm, JVMTI_VERSION_11);
        MUST((*envs[i])->AddCapabilities(envs[i], &wanted));
        MUST((*envs[i])->SetEventCallbacks(envs[i], &callbacks, sizeof callbacks));
        for (int e = JVMTI_EVENT_COMPILED_METHOD_LOAD; e <= JVMTI_EVENT_COMPILED_METHOD_UNLOAD;
             e++)
            MUST((*envs[i])->SetEventNotificationMode(envs[i], JVMTI_ENABLE, (jvmtiEvent)e,
                                                      NULL));
    }
    return JNI_OK;
}

// Of "hot", by env.
EXPORT(jint, Java_CompiledEvents_loads, JNIEnv *jni, jclass cls, jint env)
{
    (void)jni, (void)cls;
    pthread_mutex_lock(&lock);
    jint n = loads[env];
    pthread_mutex_unlock(&lock);
    return n;
}

// Of "inner".
EXPORT(jboolean, Java_CompiledEvents_isLoaded, JNIEnv *jni, jclass cls)
{
    (void)jni, (void)cls;
    pthread_mutex_lock(&lock);
    jboolean is = dropped != NULL;
    pthread_mutex_unlock(&lock);
    return is;
}

EXPORT(jboolean, Java_CompiledEvents_isUnloaded, JNIEnv *jni, jclass cls)
{
    (void)jni, (void)cls;
    pthread_mutex_lock(&lock);
    jboolean is = of_unloaded > 0;
    pthread_mutex_unlock(&lock);
    return is;
}

EXPORT(jint, Java_CompiledEvents_wrong, JNIEnv *jni, jclass cls)
{
    (void)jni, (void)cls;
    return wrong;
}

static int compare(const void *a, const void *b)
{
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    return (x > y) - (x < y);
}

// How many events were sent, on this thread before the call returned; each of another piece of code.
EXPORT(jint, Java_CompiledEvents_generate, JNIEnv *jni, jclass cls, jint env)
{
    (void)jni, (void)cls;
    generating = true;
    generated_count = 0;
    MUST((*envs[env])->GenerateEvents(envs[env], JVMTI_EVENT_COMPILED_METHOD_LOAD));
    generating = false;
    qsort(generated, (size_t)generated_count, sizeof *generated, compare);
    for (int i = 1; i < generated_count; i++)
        if (generated[i] == generated[i - 1])
            complain("sent twice", "some code");
    return generated_count;
}
