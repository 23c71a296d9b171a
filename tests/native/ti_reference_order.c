// SPDX-License-Identifier: Apache-2.0
// For tests/agents/ReferenceOrder.java: the references out of one object in the order in which they are reported.
#include "ti_common.h"

enum { SHOWN = 99 };

static jvmtiEnv *ti;
static char line[1000];

static void add(int kind, int index, int to)
{
    size_t len = strlen(line);
    snprintf(line + len, sizeof line - len, " %d[%d]=%d", kind, index, to);
}

static jint JNICALL reference(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info,
                              jlong class_tag, jlong referrer_class_tag, jlong size, jlong *tag,
                              jlong *referrer_tag, jint length, void *data)
{
    (void)class_tag, (void)referrer_class_tag, (void)size, (void)length, (void)data;
    if (!referrer_tag || *referrer_tag != SHOWN || !*tag)
        return JVMTI_VISIT_OBJECTS;
    add(kind,
        kind == JVMTI_HEAP_REFERENCE_ARRAY_ELEMENT ? info->array.index : info->field.index,
        (int)*tag);
    return JVMTI_VISIT_OBJECTS;
}

static jvmtiIterationControl JNICALL old_reference(jvmtiObjectReferenceKind kind,
                                                   jlong class_tag, jlong size, jlong *tag,
                                                   jlong referrer_tag, jint index, void *data)
{
    (void)class_tag, (void)size, (void)data;
    if (referrer_tag == SHOWN && *tag)
        add(kind, index, (int)*tag);
    return JVMTI_ITERATION_CONTINUE;
}

EXPORT(void, Java_ReferenceOrder_tag, JNIEnv *jni, jclass c, jobject o, jlong tag)
{
    (void)jni, (void)c;
    MUST((*ti)->SetTag(ti, o, tag));
}

// What is tagged alone.
EXPORT(void, Java_ReferenceOrder_show, JNIEnv *jni, jclass c, jobject o)
{
    (void)jni, (void)c;
    jvmtiHeapCallbacks calls = {.heap_reference_callback = reference};
    MUST((*ti)->SetTag(ti, o, SHOWN));
    line[0] = '\0';
    MUST((*ti)->FollowReferences(ti, 0, NULL, o, &calls, NULL));
    say("%s", line);
    line[0] = '\0';
    MUST((*ti)->IterateOverObjectsReachableFromObject(ti, o, old_reference, NULL));
    say("1.0:%s", line);
    MUST((*ti)->SetTag(ti, o, 0));
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    ti = new_env(vm, JVMTI_VERSION_11);
    jvmtiCapabilities want = {.can_tag_objects = 1};
    MUST((*ti)->AddCapabilities(ti, &want));
    return JNI_OK;
}
