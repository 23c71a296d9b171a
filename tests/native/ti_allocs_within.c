// SPDX-License-Identifier: Apache-2.0
// For tests/agents/AllocsWithin.java: two environments with VMObjectAlloc. The handler of the first one allocates as it is asked to
// when it is called for an object of the test's class; each event of the test's thread is a line.
#include "ti_common.h"

static JNIEnv *watched; // NULL: nothing is printed
static jclass test;
static jboolean by_jni;
static int depth;
static jvmtiEnv *first;

static void allocate(JNIEnv *jni, jobject o)
{
    if (!by_jni) {
        jmethodID within = (*jni)->GetStaticMethodID(jni, test, "within", "()V");
        (*jni)->CallStaticVoidMethod(jni, test, within);
        return;
    }
    jclass c = (*jni)->GetObjectClass(jni, o);
    (*jni)->AllocObject(jni, test);
    (*jni)->NewStringUTF(jni, "made within");
    (*jni)->NewObjectArray(jni, 2, c, NULL);
    (*jni)->NewIntArray(jni, 2);
}

static void JNICALL allocated(jvmtiEnv *env, JNIEnv *jni, jthread thread, jobject object,
                              jclass c, jlong size)
{
    (void)thread, (void)size;
    if (jni != watched)
        return;
    say("  environment %d, depth %d: %s", env == first ? 1 : 2, depth, class_name(env, c));
    depth++;
    if (env == first && depth < 4 && (*jni)->IsSameObject(jni, c, test))
        allocate(jni, object);
    depth--;
}

EXPORT(void, Java_AllocsWithin_watch, JNIEnv *jni, jclass c, jboolean on, jboolean jni_alone)
{
    if (!test)
        test = (*jni)->NewGlobalRef(jni, c);
    by_jni = jni_alone;
    watched = on ? jni : NULL;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    jvmtiCapabilities want = {.can_generate_vm_object_alloc_events = 1};
    jvmtiEventCallbacks calls = {.VMObjectAlloc = allocated};
    for (int i = 0; i < 2; i++) {
        jvmtiEnv *env = new_env(vm, JVMTI_VERSION_11);
        MUST((*env)->AddCapabilities(env, &want));
        MUST((*env)->SetEventCallbacks(env, &calls, sizeof calls));
        enable(env, JVMTI_EVENT_VM_OBJECT_ALLOC);
        if (i == 0)
            first = env;
    }
    return JNI_OK;
}
