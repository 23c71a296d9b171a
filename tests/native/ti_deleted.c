// SPDX-License-Identifier: Apache-2.0
// For tests/agents/Deleted.java: references that were deleted before, given to functions of JVM TI.
#include "ti_common.h"

static jvmtiEnv *ti;

static void tell(const char *what, jvmtiError error)
{
    say("%s %d", what, (int)error);
}

EXPORT(void, Java_Deleted_ask, JNIEnv *jni, jclass self, jobject o, jobject thread)
{
    jclass c = (*jni)->NewGlobalRef(jni, self);
    jobject g = (*jni)->NewGlobalRef(jni, o), t = (*jni)->NewGlobalRef(jni, thread);
    jweak w = (*jni)->NewWeakGlobalRef(jni, o);
    jfieldID field = (*jni)->GetStaticFieldID(jni, self, "field", "I");
    (*jni)->DeleteWeakGlobalRef(jni, w);
    (*jni)->DeleteGlobalRef(jni, t); // each that is deleted next has a free slot to follow
    (*jni)->DeleteGlobalRef(jni, g);
    (*jni)->DeleteGlobalRef(jni, c);
    char *name;
    jlong size;
    jint n;
    jvmtiThreadInfo info;
    tell("ClearFieldAccessWatch", (*ti)->ClearFieldAccessWatch(ti, c, field));
    tell("GetClassSignature", (*ti)->GetClassSignature(ti, c, &name, NULL));
    tell("GetObjectHashCode", (*ti)->GetObjectHashCode(ti, g, &n));
    tell("GetObjectSize", (*ti)->GetObjectSize(ti, w, &size));
    tell("SetTag", (*ti)->SetTag(ti, g, 7));
    tell("GetThreadInfo", (*ti)->GetThreadInfo(ti, t, &info));
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    ti = new_env(vm, JVMTI_VERSION_11);
    jvmtiCapabilities want = {.can_tag_objects = 1, .can_generate_field_access_events = 1};
    MUST((*ti)->AddCapabilities(ti, &want));
    return JNI_OK;
}
