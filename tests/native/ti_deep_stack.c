// SPDX-License-Identifier: Apache-2.0
// For tests/agents/DeepStack.java: counts the stack locals that refer to tagged objects.
#include "ti_common.h"

static jvmtiEnv *ti;
enum { TAGS = 2, SLOTS = 4 };
static struct Found {
    long slots[SLOTS];
    jlong depths; // their sum
    jint deepest;
} found[TAGS + 1];

static jint JNICALL reference(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info,
                              jlong class_tag, jlong referrer_class_tag, jlong size, jlong *tag,
                              jlong *referrer_tag, jint length, void *data)
{
    (void)class_tag, (void)referrer_class_tag, (void)size, (void)referrer_tag, (void)length,
        (void)data;
    if (kind != JVMTI_HEAP_REFERENCE_STACK_LOCAL || *tag < 1 || *tag > TAGS)
        return JVMTI_VISIT_OBJECTS;
    struct Found *f = &found[*tag];
    f->slots[info->stack_local.slot < SLOTS ? info->stack_local.slot : 0]++;
    f->depths += info->stack_local.depth;
    if (info->stack_local.depth > f->deepest)
        f->deepest = info->stack_local.depth;
    return JVMTI_VISIT_OBJECTS;
}

EXPORT(void, Java_DeepStack_roots, JNIEnv *jni, jclass c)
{
    (void)jni, (void)c;
    jvmtiHeapCallbacks calls = {.heap_reference_callback = reference};
    MUST((*ti)->FollowReferences(ti, 0, NULL, NULL, &calls, NULL));
    for (int i = 1; i <= TAGS; i++)
        say("tag %d: in slots 0 to 3 %ld %ld %ld %ld, depths %ld, deepest %d", i,
            found[i].slots[0], found[i].slots[1], found[i].slots[2], found[i].slots[3],
            (long)found[i].depths, (int)found[i].deepest);
}

EXPORT(void, Java_DeepStack_tag, JNIEnv *jni, jclass c, jobject o, jlong tag)
{
    (void)jni, (void)c;
    MUST((*ti)->SetTag(ti, o, tag));
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    ti = new_env(vm, JVMTI_VERSION_11);
    jvmtiCapabilities want = {.can_tag_objects = 1};
    MUST((*ti)->AddCapabilities(ti, &want));
    return JNI_OK;
}
