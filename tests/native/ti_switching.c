// SPDX-License-Identifier: Apache-2.0
// For tests/agents/Switching.java.
#include "ti_common.h"

static jvmtiEnv *ti;
static jmethodID probe;
static _Thread_local int exits;

static void JNICALL leave(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID m,
                          jboolean by_exception, jvalue value)
{
    (void)env, (void)jni, (void)thread, (void)by_exception, (void)value;
    exits += m == probe;
}

static void JNICALL popped(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID m,
                           jboolean by_exception)
{
    (void)env, (void)jni, (void)thread, (void)m, (void)by_exception;
}

// For the current thread only.
static void switch_both(JNIEnv *jni, jvmtiEventMode mode)
{
    jthread self;
    MUST((*ti)->GetCurrentThread(ti, &self));
    MUST((*ti)->SetEventNotificationMode(ti, mode, JVMTI_EVENT_METHOD_EXIT, self));
    MUST((*ti)->SetEventNotificationMode(ti, mode, JVMTI_EVENT_FRAME_POP, self));
    (*jni)->DeleteLocalRef(jni, self);
}

EXPORT(void, Java_Switching_begin, JNIEnv *jni, jclass c)
{
    if (!probe)
        probe = (*jni)->GetStaticMethodID(jni, c, "probe", "(I)I");
    exits = 0;
    switch_both(jni, JVMTI_ENABLE);
}

EXPORT(jint, Java_Switching_end, JNIEnv *jni, jclass c)
{
    (void)c;
    switch_both(jni, JVMTI_DISABLE);
    return exits;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    ti = new_env(vm, JVMTI_VERSION_11);
    jvmtiCapabilities want = {.can_generate_method_exit_events = 1,
                              .can_generate_frame_pop_events = 1};
    MUST((*ti)->AddCapabilities(ti, &want));
    jvmtiEventCallbacks calls = {.MethodExit = leave, .FramePop = popped};
    MUST((*ti)->SetEventCallbacks(ti, &calls, sizeof calls));
    return JNI_OK;
}
