// SPDX-License-Identifier: Apache-2.0
// For tests/agents/MonitorRoots.java: counts the monitors that FollowReferences tells, by the tags of their objects.
#include "ti_common.h"

static jvmtiEnv *ti;
enum { TAGS = 5 };
static int found[TAGS + 1];

static jint JNICALL reference(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info,
                              jlong class_tag, jlong referrer_class_tag, jlong size, jlong *tag,
                              jlong *referrer_tag, jint length, void *data)
{
    (void)info, (void)class_tag, (void)referrer_class_tag, (void)size, (void)referrer_tag,
        (void)length, (void)data;
    if (kind == JVMTI_HEAP_REFERENCE_MONITOR && *tag >= 1 && *tag <= TAGS)
        found[*tag]++;
    return JVMTI_VISIT_OBJECTS;
}

EXPORT(void, Java_MonitorRoots_roots, JNIEnv *jni, jclass c, jobject entered)
{
    (void)c;
    jvmtiHeapCallbacks calls = {.heap_reference_callback = reference};
    (*jni)->MonitorEnter(jni, entered);
    MUST((*ti)->FollowReferences(ti, 0, NULL, NULL, &calls, NULL));
    (*jni)->MonitorExit(jni, entered);
    say("monitors: %d %d %d %d %d", found[1], found[2], found[3], found[4], found[5]);
}

EXPORT(void, Java_MonitorRoots_tag, JNIEnv *jni, jclass c, jobject o, jlong tag)
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
