// SPDX-License-Identifier: Apache-2.0
// Sampled allocation: at interval 0 every object of the driver's classes, with its stack, size and
// thread; at larger ones about as many as bytes were allocated. A second environment, where it
// may (not on HotSpot), samples at an interval of its own.
#include <stdbool.h>

#include "ti_common.h"

static jvmtiEnv *ti, *other;
static bool other_samples, recurse;
static int events, wrong, others, depth, deepest;
static char top_frames[16][256];

static void JNICALL on_sample(jvmtiEnv *env, JNIEnv *jni, jthread thread, jobject object,
                              jclass c, jlong size)
{
    const char *name = class_name(env, c);
    if (!strstr(name, "LSample$"))
        return;
    if (env == other) {
        others++;
        return;
    }
    jlong real_size;
    jthread current;
    jvmtiFrameInfo frames[2];
    jint count;
    MUST((*env)->GetObjectSize(env, object, &real_size));
    MUST((*env)->GetCurrentThread(env, &current));
    MUST((*env)->GetStackTrace(env, NULL, 0, 2, frames, &count));
    wrong += real_size != size || !(*jni)->IsSameObject(jni, current, thread)
             || !(*jni)->IsInstanceOf(jni, object, c);
    if (events < 16)
        snprintf(top_frames[events], sizeof *top_frames, "%s in %s at %d", name,
                 method_name(env, jni, frames[0].method), (int)frames[0].location);
    events++;
    deepest = ++depth > deepest ? depth : deepest;
    if (recurse && depth < 4)
        (*jni)->AllocObject(jni, c);
    depth--;
}

EXPORT(jint, Java_Sample_interval, JNIEnv *jni, jclass c, jint bytes)
{
    (void)jni, (void)c;
    return (jint)(*ti)->SetHeapSamplingInterval(ti, bytes);
}

EXPORT(void, Java_Sample_enable, JNIEnv *jni, jclass c, jboolean on, jthread thread)
{
    (void)jni, (void)c;
    MUST((*ti)->SetEventNotificationMode(ti, on ? JVMTI_ENABLE : JVMTI_DISABLE,
                                         JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, thread));
}

EXPORT(void, Java_Sample_recurse, JNIEnv *jni, jclass c, jboolean on)
{
    (void)jni, (void)c;
    recurse = on;
}

EXPORT(jint, Java_Sample_deepest, JNIEnv *jni, jclass c)
{
    (void)jni, (void)c;
    return deepest;
}

EXPORT(jint, Java_Sample_take, JNIEnv *jni, jclass c, jboolean show)
{
    int seen = events;
    for (int i = 0; show && i < seen && i < 16; i++)
        say("  %s", top_frames[i]);
    if (wrong)
        say("%d events are wrong", wrong);
    events = wrong = 0;
    (void)jni, (void)c;
    return seen;
}

// Whether the other environment, if it samples, was told of about `expected` objects.
EXPORT(void, Java_Sample_checkOther, JNIEnv *jni, jclass c, jint expected)
{
    if (other_samples && (others < expected / 2 || others > expected * 2))
        say("the other environment has %d samples", others);
    (void)jni, (void)c;
}

static bool make_env(JavaVM *vm, jvmtiEnv **env)
{
    *env = new_env(vm, JVMTI_VERSION_11);
    jvmtiCapabilities caps = {.can_generate_sampled_object_alloc_events = 1};
    jvmtiEventCallbacks callbacks = {.SampledObjectAlloc = on_sample};
    MUST((**env)->SetEventCallbacks(*env, &callbacks, sizeof callbacks));
    return (**env)->AddCapabilities(*env, &caps) == JVMTI_ERROR_NONE;
}

EXPORT(jint, Agent_OnLoad, JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    make_env(vm, &ti);
    other_samples = make_env(vm, &other);
    if (other_samples) {
        MUST((*other)->SetHeapSamplingInterval(other, 100000));
        enable(other, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC);
    }
    return 0;
}
