// SPDX-License-Identifier: Apache-2.0
// Sums up allocation events of one thread: what was allocated and where in the stack. With the option `all` each is a line.
#include "ti_common.h"

#include <stdbool.h>
#include <stdint.h>

enum { LOOKED_AT = 6, DEPTH = LOOKED_AT + 1 };
static jvmtiEnv *ti;
static int all;
static jthread watched;
static volatile jboolean
    counts_now; // HotSpot samples nothing where the event is on for a moment
static uint32_t sums[2];
static int counts[2]; // of SampledObjectAlloc, of VMObjectAlloc

// A name without what is another in each run: the numbers of hidden classes.
static uint32_t hash(uint32_t sum, const char *name)
{
    for (; *name && !(*name == '.' && name[1] == '0') && *name != '+'; name++)
        if (*name < '0' || *name > '9')
            sum = (sum ^ (unsigned char)*name) * 0x01000193u;
    return sum;
}

static void note(int kind, JNIEnv *jni, jclass cls, jlong size)
{
    jvmtiFrameInfo frames[DEPTH];
    jint count = 0;
    MUST((*ti)->GetStackTrace(ti, NULL, 0, DEPTH, frames, &count));
    uint32_t sum = hash(sums[kind] ^ (uint32_t)size, class_name(ti, cls));
    // Compiled code has no frame of Unsafe.allocateInstance (docs/STATUS.md).
    bool is_unsafe =
        count > 0
        && strstr(method_name(ti, jni, frames[0].method), "Unsafe;.allocateInstance(");
    for (jint i = is_unsafe; i < is_unsafe + LOOKED_AT && i < count; i++)
        sum = hash((sum ^ (uint32_t)frames[i].location) * 0x01000193u,
                   method_name(ti, jni, frames[i].method));
    sums[kind] = sum;
    counts[kind]++;
    if (!all)
        return;
    say("    %s %s of %d bytes", kind ? "by the VM" : "sampled", class_name(ti, cls),
        (int)size);
    for (jint i = 0; i < count; i++)
        say("        %s %d", method_name(ti, jni, frames[i].method), (int)frames[i].location);
}

static void JNICALL on_sampled(jvmtiEnv *env, JNIEnv *jni, jthread t, jobject o, jclass c,
                               jlong size)
{
    (void)env, (void)t, (void)o;
    if (counts_now)
        note(0, jni, c, size);
}

static void JNICALL on_vm_alloc(jvmtiEnv *env, JNIEnv *jni, jthread t, jobject o, jclass c,
                                jlong size)
{
    (void)env, (void)o;
    if (counts_now && (*jni)->IsSameObject(jni, t, watched))
        note(1, jni, c, size);
}

EXPORT(void, Java_HotAllocs_watch, JNIEnv *jni, jclass unused, jthread t, jboolean on)
{
    (void)unused;
    if (!watched) {
        watched = (*jni)->NewGlobalRef(jni, t);
        MUST((*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC,
                                             t));
        enable(ti, JVMTI_EVENT_VM_OBJECT_ALLOC);
    }
    counts_now = on;
}

// What was told since: "sampled n sum" or "by the VM n sum".
EXPORT(jstring, Java_HotAllocs_seen, JNIEnv *jni, jclass unused, jboolean by_vm)
{
    char text[100];
    int kind = by_vm ? 1 : 0;
    (void)unused;
    snprintf(text, sizeof text, "%s %d %08x", kind ? "by the VM" : "sampled", counts[kind],
             (unsigned)sums[kind]);
    counts[kind] = 0;
    sums[kind] = 0;
    return (*jni)->NewStringUTF(jni, text);
}

EXPORT(jint, Agent_OnLoad, JavaVM *vm, char *options, void *reserved)
{
    (void)reserved;
    all = options && strcmp(options, "all") == 0;
    ti = new_env(vm, JVMTI_VERSION_11);
    jvmtiCapabilities caps = {.can_generate_sampled_object_alloc_events = 1,
                              .can_generate_vm_object_alloc_events = 1};
    MUST((*ti)->AddCapabilities(ti, &caps));
    MUST((*ti)->SetHeapSamplingInterval(ti, 0));
    jvmtiEventCallbacks callbacks = {.SampledObjectAlloc = on_sampled,
                                     .VMObjectAlloc = on_vm_alloc};
    MUST((*ti)->SetEventCallbacks(ti, &callbacks, sizeof callbacks));
    return 0;
}
