// SPDX-License-Identifier: Apache-2.0
// For tests/agents/RedefineNested.java: a ClassFileLoadHook that retransforms the other of two classes when both are on their
// way; then, in the verification of a class that another thread redefines, one that this thread redefines too.
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

#include "ti_common.h"

static jvmtiEnv *ti;
static jclass first, second;
static _Atomic int inside;           // threads in the hook, of the classes that were asked for
static _Thread_local bool is_nested; // in the hook, of the other class

static void await(int threads)
{
    while (inside < threads)
        usleep(100);
}

static void JNICALL class_file_load(jvmtiEnv *env, JNIEnv *jni, jclass redefined,
                                    jobject loader, const char *name, jobject domain, jint len,
                                    const unsigned char *bytes, jint *new_len,
                                    unsigned char **new_bytes)
{
    (void)loader, (void)domain, (void)len, (void)bytes, (void)new_len, (void)new_bytes;
    if (redefined && strcmp(name, "Linked") == 0) {
        inside = 4;
    } else if (!redefined && name && strcmp(name, "NeededByLinked") == 0) {
        inside = 3;
        await(4);
        MUST((*env)->RetransformClasses(env, 1, &first));
    }
    bool is_first = (*jni)->IsSameObject(jni, redefined, first);
    if (is_nested || inside > 2 || (!is_first && !(*jni)->IsSameObject(jni, redefined, second)))
        return;
    inside++;
    await(2);
    is_nested = true;
    MUST((*env)->RetransformClasses(env, 1, is_first ? &second : &first));
    is_nested = false;
}

EXPORT(void, Java_RedefineNested_listen, JNIEnv *jni, jclass c, jclass one, jclass other)
{
    (void)c;
    first = (*jni)->NewGlobalRef(jni, one);
    second = (*jni)->NewGlobalRef(jni, other);
    enable(ti, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK);
}

EXPORT(jint, Java_RedefineNested_retransform, JNIEnv *jni, jclass c, jclass what)
{
    (void)jni, (void)c;
    return (*ti)->RetransformClasses(ti, 1, &what);
}

// When the other thread is about to link it.
EXPORT(jint, Java_RedefineNested_retransformLinking, JNIEnv *jni, jclass c, jclass linked)
{
    (void)jni, (void)c;
    jclass both[] = {first, linked};
    await(3);
    return (*ti)->RetransformClasses(ti, 2, both);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    ti = new_env(vm, JVMTI_VERSION_11);
    jvmtiCapabilities want = {.can_retransform_classes = 1};
    MUST((*ti)->AddCapabilities(ti, &want));
    jvmtiEventCallbacks callbacks = {.ClassFileLoadHook = class_file_load};
    MUST((*ti)->SetEventCallbacks(ti, &callbacks, sizeof callbacks));
    return JNI_OK;
}
