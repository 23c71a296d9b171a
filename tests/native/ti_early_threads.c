// SPDX-License-Identifier: Apache-2.0
// For tests/agents/EarlyThreads.java: two environments, the first with can_generate_early_vmstart. Which threads they are sent
// ThreadStart of, and thread-local storage from VMStart to VMInit.
#include <stdbool.h>

#include "ti_common.h"

static jvmtiEnv *early;
static char storage[2];

static int number_of(const jvmtiEnv *env)
{
    return env == early ? 1 : 2;
}

static void *get(jvmtiEnv *env, jthread thread)
{
    void *value = storage;
    MUST((*env)->GetThreadLocalStorage(env, thread, &value));
    return value;
}

static void JNICALL on_start(jvmtiEnv *env, JNIEnv *jni)
{
    jthread thread = NULL;
    jclass c = (*jni)->FindClass(jni, "java/lang/Object");
    void *value;
    MUST((*env)->GetCurrentThread(env, &thread));
    say("environment %d starts: thread %s, storage %s", number_of(env),
        thread ? "there" : "not yet there", get(env, NULL) ? "set" : "not set");
    MUST((*env)->SetThreadLocalStorage(env, NULL, &storage[env == early]));
    say("  storage %s", get(env, NULL) == &storage[env == early] ? "set" : "not set");
    say("  of what is no thread: %d", (int)(*env)->GetThreadLocalStorage(env, c, &value));
}

static void JNICALL on_init(jvmtiEnv *env, JNIEnv *jni, jthread thread)
{
    (void)jni;
    say("environment %d, live: storage %s, %s", number_of(env),
        get(env, NULL) == &storage[env == early] ? "kept" : "lost",
        get(env, thread) == get(env, NULL) ? "the thread's" : "another");
}

// Those that the VM starts before VMInit. GetThreadInfo is of the live phase.
static const char *const names[] = {"Reference Handler", "Finalizer", "Signal Dispatcher"};
static _Atomic int started; // a bit for each of them

static void JNICALL on_thread(jvmtiEnv *env, JNIEnv *jni, jthread thread)
{
    jclass c = (*jni)->FindClass(jni, "java/lang/Thread");
    jfieldID field = (*jni)->GetFieldID(jni, c, "name", "Ljava/lang/String;");
    jstring string = (*jni)->GetObjectField(jni, thread, field);
    const char *name = (*jni)->GetStringUTFChars(jni, string, NULL);
    for (int i = 0; i < 3 && env == early; i++)
        if (strcmp(name, names[i]) == 0)
            started |= 1 << i;
    if (strcmp(name, "main") == 0)
        say("environment %d: %s", number_of(env), name);
    (*jni)->ReleaseStringUTFChars(jni, string, name);
}

EXPORT(jboolean, Java_EarlyThreads_started, JNIEnv *jni, jclass c, jint which)
{
    (void)jni, (void)c;
    return (started >> which & 1) != 0;
}

static jvmtiEnv *make_env(JavaVM *vm, bool is_early)
{
    jvmtiEnv *env = new_env(vm, JVMTI_VERSION_11);
    jvmtiCapabilities caps = {.can_generate_early_vmstart = is_early};
    jvmtiEventCallbacks calls = {
        .VMStart = on_start, .VMInit = on_init, .ThreadStart = on_thread};
    MUST((*env)->AddCapabilities(env, &caps));
    MUST((*env)->SetEventCallbacks(env, &calls, sizeof calls));
    enable(env, JVMTI_EVENT_VM_START);
    enable(env, JVMTI_EVENT_VM_INIT);
    enable(env, JVMTI_EVENT_THREAD_START);
    return env;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    early = make_env(vm, true);
    make_env(vm, false);
    return JNI_OK;
}
