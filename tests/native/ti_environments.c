// SPDX-License-Identifier: Apache-2.0
// For Environments: makes environments, uses them and disposes of them.
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "ti_common.h"

enum { SEEN_MAX = 4096 };

static JavaVM *vm;
static jvmtiEnv *kept; // told of every call to the end
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static jvmtiEnv *seen[SEEN_MAX];
static int made, different, told, kept_told;
static bool all_new = true;

static void JNICALL kept_entry(jvmtiEnv *ti, JNIEnv *jni, jthread thread, jmethodID method)
{
    (void)ti, (void)jni, (void)thread, (void)method;
    __atomic_add_fetch(&kept_told, 1, __ATOMIC_SEQ_CST);
}

static void note(jvmtiEnv *ti)
{
    int i = 0;
    pthread_mutex_lock(&lock);
    made++;
    while (i < different && seen[i] != ti)
        i++;
    if (i == different && different < SEEN_MAX)
        seen[different++] = ti;
    pthread_mutex_unlock(&lock);
}

static bool is_new(jvmtiEnv *ti, jobject tagged)
{
    jvmtiCapabilities capabilities, none = {0}, tags = {.can_tag_objects = 1};
    void *data;
    jlong tag = 0;
    MUST((*ti)->GetCapabilities(ti, &capabilities));
    bool clean = memcmp(&capabilities, &none, sizeof none) == 0;
    MUST((*ti)->GetEnvironmentLocalStorage(ti, &data));
    clean = clean && !data;
    MUST((*ti)->GetThreadLocalStorage(ti, NULL, &data));
    clean = clean && !data;
    MUST((*ti)->AddCapabilities(ti, &tags));
    MUST((*ti)->GetTag(ti, tagged, &tag));
    return clean && tag == 0;
}

static void JNICALL entry(jvmtiEnv *ti, JNIEnv *jni, jthread thread, jmethodID method)
{
    (void)jni, (void)thread, (void)method;
    void *data;
    __atomic_add_fetch(&told, 1, __ATOMIC_SEQ_CST);
    MUST((*ti)->GetEnvironmentLocalStorage(ti, &data));
    if (!data)
        return;
    // Disposed of in its callback, another made there.
    MUST((*ti)->DisposeEnvironment(ti));
    jvmtiEnv *next = new_env(vm, JVMTI_VERSION);
    note(next);
    MUST((*next)->DisposeEnvironment(next));
}

static void use(jvmtiEnv *ti, JNIEnv *jni, jclass self, jobject tagged, bool in_callback)
{
    jmethodID called = (*jni)->GetStaticMethodID(jni, self, "called", "()V");
    jvmtiCapabilities capabilities = {.can_generate_method_entry_events = 1,
                                      .can_generate_breakpoint_events = 1};
    jvmtiEventCallbacks callbacks = {.MethodEntry = entry};
    MUST((*ti)->SetEnvironmentLocalStorage(ti, in_callback ? ti : NULL));
    MUST((*ti)->SetThreadLocalStorage(ti, NULL, ti));
    MUST((*ti)->SetTag(ti, tagged, 7));
    MUST((*ti)->AddCapabilities(ti, &capabilities));
    MUST((*ti)->SetBreakpoint(ti, called, 0));
    MUST((*ti)->SetEventCallbacks(ti, &callbacks, sizeof callbacks));
    jthread current;
    MUST((*ti)->GetCurrentThread(ti, &current));
    MUST((*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, JVMTI_EVENT_METHOD_ENTRY, current));
    (*jni)->DeleteLocalRef(jni, current);
    (*jni)->CallStaticVoidMethod(jni, self, called);
}

EXPORT(void, Java_Environments_churn, JNIEnv *jni, jclass self, jobject tagged, jint rounds)
{
    for (int i = 0; i < rounds; i++) {
        jvmtiEnv *ti = new_env(vm, JVMTI_VERSION);
        note(ti);
        if (!is_new(ti, tagged))
            all_new = false;
        use(ti, jni, self, tagged, i % 5 == 0);
        if (i % 5 != 0)
            MUST((*ti)->DisposeEnvironment(ti));
    }
}

EXPORT(void, Java_Environments_report, JNIEnv *jni, jclass self)
{
    (void)jni, (void)self;
    jvmtiPhase phase;
    jvmtiEnv *ti = new_env(vm, JVMTI_VERSION);
    MUST((*ti)->DisposeEnvironment(ti));
    say("disposed of, then asked: %d, %d", (*ti)->GetPhase(ti, &phase),
        (*ti)->DisposeEnvironment(ti));
    say("%s", all_new ? "all were new" : "an environment was not new");
    say("%d made, memory of %s", made, different < made / 2 ? "few" : "many");
    say("told %d, the one that was kept %s", told, kept_told >= 800 ? "of all" : "of some");
}

EXPORT(jint, Agent_OnLoad, JavaVM *java_vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    vm = java_vm;
    for (int i = 0; i < 40; i++) { // before there are threads
        jvmtiEnv *ti = new_env(vm, JVMTI_VERSION);
        MUST((*ti)->DisposeEnvironment(ti));
    }
    kept = new_env(vm, JVMTI_VERSION);
    jvmtiCapabilities capabilities = {.can_generate_method_entry_events = 1};
    jvmtiEventCallbacks callbacks = {.MethodEntry = kept_entry};
    MUST((*kept)->AddCapabilities(kept, &capabilities));
    MUST((*kept)->SetEventCallbacks(kept, &callbacks, sizeof callbacks));
    MUST((*kept)->SetEventNotificationMode(kept, JVMTI_ENABLE, JVMTI_EVENT_METHOD_ENTRY, NULL));
    return JNI_OK;
}
