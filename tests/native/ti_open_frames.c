// SPDX-License-Identifier: Apache-2.0
// For tests/agents/OpenFrames.java: a callback opens a frame of local references and leaves it open, above one of a native method.
#include "ti_common.h"

static jvmtiEnv *ti;
static jmethodID inner, outer, turns;
static jobject object;
static int within;

static void JNICALL on_entry(jvmtiEnv *env, JNIEnv *jni, jthread t, jmethodID m)
{
    (void)env, (void)t;
    if (m == inner && within)
        (*jni)->PushLocalFrame(jni, 4);
    if (m != outer)
        return;
    within = 1;
    for (int i = 0; i < 900; i++)
        (*jni)->NewLocalRef(jni, object);
    (*jni)->CallStaticIntMethod(jni, object, turns, 3);
    within = 0;
}

// Whether the native method's own frame is what its PopLocalFrame closes.
EXPORT(jboolean, Java_OpenFrames_nest, JNIEnv *jni, jclass c)
{
    object = (*jni)->NewGlobalRef(jni, c);
    inner = (*jni)->GetStaticMethodID(jni, c, "inner", "(I)I");
    turns = (*jni)->GetStaticMethodID(jni, c, "turns", "(I)I");
    outer = (*jni)->GetStaticMethodID(jni, c, "outer", "(I)I");
    (*jni)->PushLocalFrame(jni, 40);
    jobject kept = (*jni)->NewLocalRef(jni, object);
    (*jni)->CallStaticIntMethod(jni, c, outer, 1);
    jobject popped = (*jni)->PopLocalFrame(jni, kept);
    jboolean same = (*jni)->IsSameObject(jni, popped, object);
    for (int i = 0; i < 300; i++)
        (*jni)->NewLocalRef(jni, object);
    return same;
}

EXPORT(jint, Agent_OnLoad, JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    ti = new_env(vm, JVMTI_VERSION_11);
    jvmtiCapabilities wanted = {.can_generate_method_entry_events = 1};
    jvmtiEventCallbacks callbacks = {.MethodEntry = on_entry};
    MUST((*ti)->AddCapabilities(ti, &wanted));
    MUST((*ti)->SetEventCallbacks(ti, &callbacks, sizeof callbacks));
    enable(ti, JVMTI_EVENT_METHOD_ENTRY);
    return JNI_OK;
}
