// SPDX-License-Identifier: Apache-2.0
// What TagsMany.java tags with. Tags are -1, 2, -3, 4 ...; what each item has is kept beside.
#include <stdlib.h>

#include "ti_common.h"

enum { ITEMS = 2000000, TAGS = 4 * ITEMS, ASKED = 500 };
static jvmtiEnv *ti;
static jlong tag_of[ITEMS], given, missed;
static char met[TAGS];

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    ti = new_env(vm, JVMTI_VERSION_11);
    MUST((*ti)->AddCapabilities(ti, &(jvmtiCapabilities){.can_tag_objects = 1}));
    return JNI_OK;
}

static jint JNICALL visit(jlong class_tag, jlong size, jlong *tag, jint length, void *seed)
{
    (void)class_tag, (void)size, (void)length;
    unsigned *s = seed;
    *s = *s * 1664525 + 1013904223;
    if (*s >> 31) {
        given++;
        *tag = given % 2 ? -given : given;
        missed++;
    }
    return 0;
}

EXPORT(void, Java_TagsMany_walk, JNIEnv *jni, jclass cls)
{
    (void)cls;
    unsigned seed = (unsigned)given;
    jvmtiHeapCallbacks callbacks = {.heap_iteration_callback = visit};
    jclass item = (*jni)->FindClass(jni, "TagsMany$Item");
    MUST((*ti)->IterateThroughHeap(ti, JVMTI_HEAP_FILTER_TAGGED, item, &callbacks, &seed));
}

EXPORT(void, Java_TagsMany_untag, JNIEnv *jni, jclass cls, jobjectArray items, jint step)
{
    (void)cls;
    for (jsize i = 0; i < ITEMS; i += step) {
        jobject o = (*jni)->GetObjectArrayElement(jni, items, i);
        MUST((*ti)->SetTag(ti, o, 0));
        (*jni)->DeleteLocalRef(jni, o);
        met[labs(tag_of[i])] = 0;
        tag_of[i] = 0;
    }
}

static int is_wrong(jsize i, jlong tag)
{
    if (tag == tag_of[i])
        return 0;
    jlong number = labs(tag);
    if (tag_of[i] || number < 1 || number > given || met[number])
        return 1;
    met[number] = 1;
    tag_of[i] = tag;
    missed--;
    return 0;
}

// Of some items' tags, those by which not that item alone is found.
EXPORT(jlong, Java_TagsMany_notFound, JNIEnv *jni, jclass cls, jobjectArray items)
{
    (void)cls;
    jlong count = 0;
    for (jsize i = 0; i < ITEMS; i += ITEMS / ASKED) {
        jobject o = (*jni)->GetObjectArrayElement(jni, items, i), *found;
        jint n;
        if (o && tag_of[i]) {
            MUST((*ti)->GetObjectsWithTags(ti, 1, &tag_of[i], &n, &found, NULL));
            count += n != 1 || !(*jni)->IsSameObject(jni, o, found[0]);
            for (jint k = 0; k < n; k++)
                (*jni)->DeleteLocalRef(jni, found[k]);
            MUST((*ti)->Deallocate(ti, (unsigned char *)found));
        }
        (*jni)->DeleteLocalRef(jni, o);
    }
    return count;
}

// Tags that were given and that no item has are wrong too.
EXPORT(jlong, Java_TagsMany_wrong, JNIEnv *jni, jclass cls, jobjectArray items)
{
    (void)cls;
    jlong count = 0, tag;
    for (jsize i = 0; i < ITEMS; i++) {
        jobject o = (*jni)->GetObjectArrayElement(jni, items, i);
        if (!o)
            continue;
        MUST((*ti)->GetTag(ti, o, &tag));
        count += is_wrong(i, tag);
        (*jni)->DeleteLocalRef(jni, o);
    }
    return count + missed;
}
