// SPDX-License-Identifier: Apache-2.0
// For tests/agents/VmAllocs.java: counts the VMObjectAlloc events of one thread while it wants them, by class.
#include <stdbool.h>

#include "ti_common.h"

static jvmtiEnv *ti;
static struct {
    char name[64];
    int count;
} seen[64];
static int seen_count;
static JNIEnv *counting; // of the thread that asked: the VM allocates for others too

static void JNICALL allocated(jvmtiEnv *env, JNIEnv *jni, jthread thread, jobject object,
                              jclass c, jlong size)
{
    (void)thread;
    jlong again;
    if (jni != counting)
        return;
    MUST((*env)->GetObjectSize(env, object, &again));
    if (again != size || !(*jni)->IsInstanceOf(jni, object, c))
        say("a wrong size or class");
    const char *name = class_name(env, c);
    int i = 0;
    while (i < seen_count && strcmp(seen[i].name, name) != 0)
        i++;
    if (i == 64)
        return;
    snprintf(seen[i].name, sizeof seen[i].name, "%s", name);
    seen[i].count++;
    if (i == seen_count)
        seen_count++;
}

EXPORT(void, Java_VmAllocs_begin, JNIEnv *jni, jclass c)
{
    (void)jni, (void)c;
    memset(seen, 0, sizeof seen);
    seen_count = 0;
    counting = jni;
}

// How many of this class were told since.
EXPORT(jint, Java_VmAllocs_end, JNIEnv *jni, jclass c, jclass of)
{
    (void)jni, (void)c;
    counting = NULL;
    for (int i = 0; i < seen_count; i++)
        if (strcmp(seen[i].name, class_name(ti, of)) == 0)
            return seen[i].count;
    return 0;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    ti = new_env(vm, JVMTI_VERSION_11);
    jvmtiCapabilities want = {.can_generate_vm_object_alloc_events = 1};
    jvmtiEventCallbacks calls = {.VMObjectAlloc = allocated};
    MUST((*ti)->AddCapabilities(ti, &want));
    MUST((*ti)->SetEventCallbacks(ti, &calls, sizeof calls));
    enable(ti, JVMTI_EVENT_VM_OBJECT_ALLOC);
    return JNI_OK;
}
