// SPDX-License-Identifier: Apache-2.0
// At VMDeath, after collections: writes how many objects of each class IterateThroughHeap finds,
// to the file that the option names, "count<TAB>signature". Objects of a class that was not loaded
// when the classes were listed count as of "?". What a collection finds dead the cleaner's thread
// lets go of later, so it counts until the figures stay.
#include <unistd.h>

#include "ti_common.h"

enum { ROUNDS = 50, PAUSE_MICROS = 40000 };

static jvmtiEnv *ti;
static FILE *out;

static jint JNICALL count_one(jlong class_tag, jlong size, jlong *tag, jint length,
                              void *counts)
{
    (void)size, (void)tag, (void)length;
    ((long *)counts)[class_tag]++;
    return 0;
}

static void count_all(long *counts, size_t size)
{
    jvmtiHeapCallbacks calls = {.heap_iteration_callback = count_one};
    memset(counts, 0, size);
    MUST((*ti)->ForceGarbageCollection(ti));
    MUST((*ti)->IterateThroughHeap(ti, 0, NULL, &calls, counts));
}

static void JNICALL vm_death(jvmtiEnv *env, JNIEnv *jni)
{
    (void)env, (void)jni;
    jint n;
    jclass *classes;
    MUST((*ti)->GetLoadedClasses(ti, &n, &classes));
    for (jint i = 0; i < n; i++)
        MUST((*ti)->SetTag(ti, classes[i], i + 1));
    size_t size = ((size_t)n + 1) * sizeof(long);
    long *counts = malloc(size), *before = malloc(size);
    count_all(counts, size);
    for (int same = 0, i = 0; i < ROUNDS && same < 2; i++) {
        memcpy(before, counts, size);
        usleep(PAUSE_MICROS);
        count_all(counts, size);
        same = memcmp(before, counts, size) == 0 ? same + 1 : 0;
    }
    fprintf(out, "%ld\t?\n", counts[0]);
    for (jint i = 0; i < n; i++) {
        char *signature;
        MUST((*ti)->GetClassSignature(ti, classes[i], &signature, NULL));
        if (counts[i + 1])
            fprintf(out, "%ld\t%s\n", counts[i + 1], signature);
        release(ti, signature);
    }
    fclose(out);
    free(counts);
    free(before);
    release(ti, classes);
}

EXPORT(jint, Agent_OnLoad, JavaVM *vm, char *options, void *reserved)
{
    (void)reserved;
    jvmtiCapabilities can = {.can_tag_objects = 1};
    jvmtiEventCallbacks calls = {.VMDeath = vm_death};
    ti = new_env(vm, JVMTI_VERSION_1_2);
    out = fopen(options, "w");
    if (!out)
        return JNI_ERR;
    MUST((*ti)->AddCapabilities(ti, &can));
    MUST((*ti)->SetEventCallbacks(ti, &calls, (jint)sizeof calls));
    MUST((*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, JVMTI_EVENT_VM_DEATH, NULL));
    return JNI_OK;
}
