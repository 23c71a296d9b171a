// SPDX-License-Identifier: Apache-2.0
// What Tags.java tags with: two environments, walks, and the tags that ObjectFree tells.
#include <stdatomic.h>

#include "ti_common.h"

static jvmtiEnv *envs[2];
static _Atomic jlong freed_tags;

static void JNICALL on_free(jvmtiEnv *env, jlong tag)
{
    (void)env;
    atomic_fetch_add(&freed_tags, tag);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    for (int i = 0; i < 2; i++) {
        envs[i] = new_env(vm, JVMTI_VERSION_11);
        jvmtiCapabilities wanted = {.can_tag_objects = 1, .can_generate_object_free_events = 1};
        MUST((*envs[i])->AddCapabilities(envs[i], &wanted));
    }
    jvmtiEventCallbacks callbacks = {.ObjectFree = on_free};
    MUST((*envs[0])->SetEventCallbacks(envs[0], &callbacks, sizeof callbacks));
    MUST((*envs[0])->SetEventNotificationMode(envs[0], JVMTI_ENABLE, JVMTI_EVENT_OBJECT_FREE,
                                              NULL));
    return JNI_OK;
}

EXPORT(void, Java_Tags_set, JNIEnv *jni, jclass cls, jint env, jobject o, jlong tag)
{
    (void)jni, (void)cls;
    MUST((*envs[env])->SetTag(envs[env], o, tag));
}

EXPORT(jlong, Java_Tags_get, JNIEnv *jni, jclass cls, jint env, jobject o)
{
    (void)jni, (void)cls;
    jlong tag;
    MUST((*envs[env])->GetTag(envs[env], o, &tag));
    return tag;
}

EXPORT(jint, Java_Tags_countWithTags, JNIEnv *jni, jclass cls, jint env, jlongArray array)
{
    (void)cls;
    jvmtiEnv *ti = envs[env];
    jsize tag_count = (*jni)->GetArrayLength(jni, array);
    jlong *tags = (*jni)->GetLongArrayElements(jni, array, NULL), *found_tags, tag;
    jobject *found;
    jint count, wrong = 0;
    MUST((*ti)->GetObjectsWithTags(ti, tag_count, tags, &count, &found, &found_tags));
    (*jni)->ReleaseLongArrayElements(jni, array, tags, JNI_ABORT);
    for (jint i = 0; i < count; i++) {
        MUST((*ti)->GetTag(ti, found[i], &tag));
        wrong += tag != found_tags[i];
        (*jni)->DeleteLocalRef(jni, found[i]);
    }
    release(ti, found);
    release(ti, found_tags);
    return wrong ? -1 : count;
}

typedef struct Walk {
    jlong next;
} Walk;

static jint JNICALL visit(jlong class_tag, jlong size, jlong *tag, jint length, void *data)
{
    (void)class_tag, (void)size, (void)length;
    *tag = ((Walk *)data)->next++;
    return 0;
}

EXPORT(jlong, Java_Tags_walk, JNIEnv *jni, jclass cls, jint env, jlong from)
{
    (void)cls;
    Walk w = {from};
    jvmtiHeapCallbacks callbacks = {.heap_iteration_callback = visit};
    jclass item = (*jni)->FindClass(jni, "Tags$Item");
    // What an earlier step left behind is not to be met.
    MUST((*envs[env])->ForceGarbageCollection(envs[env]));
    MUST((*envs[env])
             ->IterateThroughHeap(envs[env], JVMTI_HEAP_FILTER_TAGGED, item, &callbacks, &w));
    return w.next - from;
}

EXPORT(jlong, Java_Tags_freed, JNIEnv *jni, jclass cls)
{
    (void)jni, (void)cls;
    return atomic_load(&freed_tags);
}

// A class gets the next tag each time it is met.
static jint JNICALL tag_class(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info,
                              jlong class_tag, jlong from_class_tag, jlong size, jlong *tag,
                              jlong *from_tag, jint length, void *class_of_classes)
{
    (void)from_class_tag, (void)size, (void)from_tag, (void)length;
    if (kind != JVMTI_HEAP_REFERENCE_ARRAY_ELEMENT)
        return 0;
    say("element %d: class tag %d", info->array.index, (int)class_tag);
    if (class_tag == *(jlong *)class_of_classes)
        *tag += 100 + info->array.index;
    return 0;
}

EXPORT(void, Java_Tags_tagClassesAsMet, JNIEnv *jni, jclass cls, jobjectArray from)
{
    (void)cls;
    jlong class_of_classes = 9;
    jvmtiHeapCallbacks callbacks = {.heap_reference_callback = tag_class};
    MUST((*envs[0])->SetTag(envs[0], (*jni)->FindClass(jni, "java/lang/Class"),
                            class_of_classes));
    MUST((*envs[0])->FollowReferences(envs[0], 0, NULL, from, &callbacks, &class_of_classes));
}
