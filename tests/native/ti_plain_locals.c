// SPDX-License-Identifier: Apache-2.0
// For PlainLocals, LocalRanges and SwitchLocals: tries every kind of access to every slot of the caller.
#include "ti_common.h"

static jvmtiEnv *ti;

static void look(JNIEnv *jni, jstring where)
{
    const char *text = where ? (*jni)->GetStringUTFChars(jni, where, NULL) : NULL;
    if (text) {
        say("%s", text);
        (*jni)->ReleaseStringUTFChars(jni, where, text);
    }
    for (jint slot = -1; slot < 12; slot++) {
        jobject o = NULL;
        jint i = 0;
        jlong j = 0;
        jfloat f = 0;
        jdouble d = 0;
        say("  slot %d: L %d I %d J %d F %d D %d", (int)slot,
            (int)(*ti)->GetLocalObject(ti, NULL, 1, slot, &o),
            (int)(*ti)->GetLocalInt(ti, NULL, 1, slot, &i),
            (int)(*ti)->GetLocalLong(ti, NULL, 1, slot, &j),
            (int)(*ti)->GetLocalFloat(ti, NULL, 1, slot, &f),
            (int)(*ti)->GetLocalDouble(ti, NULL, 1, slot, &d));
    }
}

EXPORT(void, Java_PlainLocals_look, JNIEnv *jni, jclass c, jstring where)
{
    (void)c;
    look(jni, where);
}

EXPORT(void, Java_LocalRanges_look, JNIEnv *jni, jclass c, jstring where)
{
    (void)c;
    look(jni, where);
}

EXPORT(void, Java_LocalRanges_lookOn, JNIEnv *jni, jclass c)
{
    (void)c;
    look(jni, NULL);
}

EXPORT(void, Java_SwitchLocals_look, JNIEnv *jni, jclass c, jstring where)
{
    (void)c;
    look(jni, where);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    ti = new_env(vm, JVMTI_VERSION_11);
    jvmtiCapabilities want = {.can_access_local_variables = 1};
    MUST((*ti)->AddCapabilities(ti, &want));
    return JNI_OK;
}
