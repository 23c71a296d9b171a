// SPDX-License-Identifier: Apache-2.0
// For tests/agents/Verbose.java.
#include "ti_common.h"

static jvmtiEnv *ti;

static void JNICALL bound(JNIEnv *jni, jclass c)
{
    (void)jni, (void)c;
}

static void bind(JNIEnv *jni, jclass c)
{
    JNINativeMethod method = {"bound", "()V", (void *)bound};
    say("bind %d", (int)(*jni)->RegisterNatives(jni, c, &method, 1));
}

static void verbose(jvmtiVerboseFlag flag, jboolean value)
{
    say("verbose %d %s: %d", (int)flag, value ? "on" : "off",
        (int)(*ti)->SetVerboseFlag(ti, flag, value));
}

EXPORT(void, Java_Verbose_run, JNIEnv *jni, jclass c)
{
    bind(jni, c);
    verbose(JVMTI_VERBOSE_JNI, JNI_TRUE);
    bind(jni, c);
    verbose(JVMTI_VERBOSE_JNI, JNI_FALSE);
    bind(jni, c);
    verbose(JVMTI_VERBOSE_CLASS, JNI_TRUE);
    say("found %d", (*jni)->FindClass(jni, "Verbose$First") != NULL);
    verbose(JVMTI_VERBOSE_CLASS, JNI_FALSE);
    say("found %d", (*jni)->FindClass(jni, "Verbose$Second") != NULL);
    verbose(JVMTI_VERBOSE_OTHER, JNI_TRUE);
    verbose(JVMTI_VERBOSE_GC, JNI_FALSE);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    ti = new_env(vm, JVMTI_VERSION_11);
    return JNI_OK;
}
