// SPDX-License-Identifier: Apache-2.0
// For tests/agents/LeaveOnExit.java.
#include "ti_common.h"

static jvmtiEnv *ti;
static jmethodID work;
static int armed;

static void JNICALL leave(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID m,
                          jboolean by_exception, jvalue value)
{
    (void)jni, (void)by_exception, (void)value; // HotSpot's stay as they were in a frame before
    if (m != work)
        return;
    say("leaves");
    int how = armed;
    armed = 0;
    if (how == 1)
        say("pop %d", (int)(*env)->PopFrame(env, thread));
    if (how == 2)
        say("force %d", (int)(*env)->ForceEarlyReturnInt(env, thread, 42));
}

EXPORT(void, Java_LeaveOnExit_arm, JNIEnv *jni, jclass c, jint how)
{
    if (!work)
        work = (*jni)->GetStaticMethodID(jni, c, "work", "(ZI)I");
    armed = how;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    ti = new_env(vm, JVMTI_VERSION_11);
    jvmtiCapabilities want = {
        .can_generate_method_exit_events = 1, .can_pop_frame = 1, .can_force_early_return = 1};
    MUST((*ti)->AddCapabilities(ti, &want));
    jvmtiEventCallbacks calls = {.MethodExit = leave};
    MUST((*ti)->SetEventCallbacks(ti, &calls, sizeof calls));
    enable(ti, JVMTI_EVENT_METHOD_EXIT);
    return JNI_OK;
}
