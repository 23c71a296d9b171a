// SPDX-License-Identifier: Apache-2.0
// For tests/agents/ShortNatives.java.
#include "ti_common.h"

static jvmtiEnv *ti;
static JNIEnv *counted; // of the thread that asked: others call natives too
static int entries, exits;

static int is_counted(JNIEnv *jni, jmethodID m)
{
    if (jni != counted)
        return 0;
    const char *name = method_name(ti, jni, m);
    return strncmp(name, "Ljava/lang/StrictMath;", 22) == 0
           || strncmp(name, "Ljava/lang/Thread;.currentThread", 32) == 0;
}

static void JNICALL method_entry(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID m)
{
    (void)env, (void)thread;
    entries += is_counted(jni, m);
}

static void JNICALL method_exit(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID m,
                                jboolean popped, jvalue value)
{
    (void)env, (void)thread, (void)popped, (void)value;
    exits += is_counted(jni, m);
}

static jdouble JNICALL forty_two(JNIEnv *jni, jclass c, jdouble x)
{
    (void)jni, (void)c, (void)x;
    return 42;
}

static void JNICALL native_bind(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID m,
                                void *address, void **new_address)
{
    (void)env, (void)thread, (void)address;
    if (jni && strcmp(method_name(ti, jni, m), "Ljava/lang/StrictMath;.tan(D)D") == 0)
        *new_address = (void *)forty_two;
}

EXPORT(void, Java_ShortNatives_count, JNIEnv *jni, jclass c, jboolean on)
{
    (void)c;
    counted = jni;
    jvmtiEventMode mode = on ? JVMTI_ENABLE : JVMTI_DISABLE;
    MUST((*ti)->SetEventNotificationMode(ti, mode, JVMTI_EVENT_METHOD_ENTRY, NULL));
    MUST((*ti)->SetEventNotificationMode(ti, mode, JVMTI_EVENT_METHOD_EXIT, NULL));
    if (!on)
        say("%d entries, %d exits", entries, exits);
}

EXPORT(void, Java_ShortNatives_replace, JNIEnv *jni, jclass c)
{
    (void)c;
    JNINativeMethod row = {"sin", "(D)D", (void *)forty_two};
    jclass math = (*jni)->FindClass(jni, "java/lang/StrictMath");
    say("register: %d", (int)(*jni)->RegisterNatives(jni, math, &row, 1));
}

EXPORT(void, Java_ShortNatives_restore, JNIEnv *jni, jclass c)
{
    (void)c;
    say("unregister: %d",
        (int)(*jni)->UnregisterNatives(jni, (*jni)->FindClass(jni, "java/lang/StrictMath")));
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    ti = new_env(vm, JVMTI_VERSION_11);
    jvmtiCapabilities want = {.can_generate_method_entry_events = 1,
                              .can_generate_method_exit_events = 1,
                              .can_generate_native_method_bind_events = 1};
    MUST((*ti)->AddCapabilities(ti, &want));
    jvmtiEventCallbacks callbacks = {.MethodEntry = method_entry,
                                     .MethodExit = method_exit,
                                     .NativeMethodBind = native_bind};
    MUST((*ti)->SetEventCallbacks(ti, &callbacks, sizeof callbacks));
    enable(ti, JVMTI_EVENT_NATIVE_METHOD_BIND);
    return JNI_OK;
}
