// SPDX-License-Identifier: Apache-2.0
// Sums up events of one thread: METHOD_ENTRY2 and METHOD_EXIT, INSTRUCTION_START, OBJECT_ALLOC. Methods and classes are known by the order
// in which they come first.
#include "pi_common.h"

static JNIEnv *watched;
static volatile int counts;
static uint32_t sum;
static int count;
static uintptr_t ids[1000];
static int known;

static uint32_t number_of(const void *id)
{
    int i = 0;
    while (i < known && ids[i] != (uintptr_t)id)
        i++;
    if (i == known && known < (int)(sizeof ids / sizeof *ids))
        ids[known++] = (uintptr_t)id;
    return (uint32_t)i;
}

static void mix(uint32_t x)
{
    sum = (sum ^ x) * 0x01000193u;
}

static void notify(JVMPI_Event *e)
{
    if (!counts || e->env_id != watched)
        return;
    mix((uint32_t)e->event_type);
    count++;
    switch (e->event_type) {
    case JVMPI_EVENT_METHOD_ENTRY2:
        mix(number_of(e->u.method_entry2.method_id));
        mix(e->u.method_entry2.obj_id != NULL);
        break;
    case JVMPI_EVENT_METHOD_EXIT: mix(number_of(e->u.method.method_id)); break;
    case JVMPI_EVENT_INSTRUCTION_START:
        mix(number_of(e->u.instruction.method_id));
        mix((uint32_t)e->u.instruction.offset);
        break;
    case JVMPI_EVENT_OBJECT_ALLOC:
        mix(number_of(e->u.obj_alloc.class_id));
        mix((uint32_t)e->u.obj_alloc.is_array);
        mix((uint32_t)e->u.obj_alloc.size);
        break;
    default: count--;
    }
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved);
JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    pi_start(vm, JVMPI_VERSION_1_1, notify);
    return JNI_OK;
}

PI_NATIVE(PiHot, void, watch, jint event, jboolean on)
{
    jint rc = on ? pi->EnableEvent(event, NULL) : pi->DisableEvent(event, NULL);
    if (rc != JVMPI_SUCCESS)
        printf("event %d: %d\n", (int)event, (int)rc);
}

PI_NATIVE(PiHot, void, count, jboolean on)
{
    watched = env;
    if (on) {
        count = known = 0;
        sum = 0;
    }
    counts = on;
}

PI_NATIVE(PiHot, jstring, seen)
{
    char text[60];
    snprintf(text, sizeof text, "%d %08x", count, (unsigned)sum);
    return (*env)->NewStringUTF(env, text);
}
