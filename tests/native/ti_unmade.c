// SPDX-License-Identifier: Apache-2.0
// For tests/agents/UnmadeObjects.java.
#include "ti_common.h"

#include <stdatomic.h>
#include <stdint.h>
#include <unistd.h>

static jvmtiEnv *ti;
static jclass point;
static jfieldID x, next;
static jmethodID work;
static _Atomic int sampled, accessed;
enum { NOTHING, READ, WRITE, FOLLOW, ITERATE, SAMPLE, WATCH, TRACE, INSTANCE };
enum { POINT = 2, OTHER = 3, SAME = 4 }; // slots of `work`, which is at depth 1

static jobject local(jthread t, jint depth, jint slot)
{
    jobject o = NULL;
    MUST((*ti)->GetLocalObject(ti, t, depth, slot, &o));
    return o;
}

static void show_points(JNIEnv *jni, jthread t, jint depth)
{
    jobject p = local(t, depth, POINT), q = local(t, depth, OTHER),
            same = local(t, depth, SAME);
    say("  %d %d, next %d", (*jni)->GetIntField(jni, p, x), (*jni)->GetIntField(jni, q, x),
        (*jni)->IsSameObject(jni, (*jni)->GetObjectField(jni, q, next), p));
    say("  same %d, again %d", (*jni)->IsSameObject(jni, p, same),
        (*jni)->IsSameObject(jni, p, local(t, depth, POINT)));
}

static void write_points(JNIEnv *jni)
{
    jobject p = local(NULL, 1, POINT);
    (*jni)->SetIntField(jni, p, x, 1000);
    MUST((*ti)->SetLocalObject(ti, NULL, 1, OTHER, p));
    MUST((*ti)->ForceGarbageCollection(ti));
}

static jint JNICALL on_reference(jvmtiHeapReferenceKind kind,
                                 const jvmtiHeapReferenceInfo *info, jlong class_tag,
                                 jlong referrer_class_tag, jlong size, jlong *tag,
                                 jlong *referrer_tag, jint length, void *counts)
{
    (void)class_tag, (void)referrer_class_tag, (void)size, (void)tag, (void)referrer_tag,
        (void)length;
    if (kind == JVMTI_HEAP_REFERENCE_STACK_LOCAL && info->stack_local.method == work
        && info->stack_local.slot < 8)
        ((int *)counts)[info->stack_local.slot]++;
    return JVMTI_VISIT_OBJECTS;
}

static void follow(void)
{
    int counts[8] = {0};
    const jvmtiHeapCallbacks callbacks = {.heap_reference_callback = on_reference};
    MUST((*ti)->FollowReferences(ti, 0, point, NULL, &callbacks, counts));
    say("  points in slots: %d %d %d", counts[POINT], counts[OTHER], counts[SAME]);
}

static jint JNICALL on_object(jlong class_tag, jlong size, jlong *tag, jint length, void *count)
{
    (void)class_tag, (void)size, (void)tag, (void)length;
    ++*(int *)count;
    return JVMTI_VISIT_OBJECTS;
}

static void iterate(void)
{
    int count = 0;
    const jvmtiHeapCallbacks callbacks = {.heap_iteration_callback = on_object};
    MUST((*ti)->IterateThroughHeap(ti, 0, point, &callbacks, &count));
    say("  points in the heap: %s", count >= 2 ? "yes" : "no");
}

static void JNICALL on_sampled(jvmtiEnv *env, JNIEnv *jni, jthread t, jobject o, jclass c,
                               jlong size)
{
    (void)env, (void)t, (void)o, (void)size;
    sampled += (*jni)->IsSameObject(jni, c, point);
}

static void JNICALL on_access(jvmtiEnv *env, JNIEnv *jni, jthread t, jmethodID m, jlocation at,
                              jclass c, jobject o, jfieldID f)
{
    (void)env, (void)jni, (void)t, (void)m, (void)at, (void)c, (void)o, (void)f;
    accessed++;
}

static void show_trace(JNIEnv *jni)
{
    jvmtiFrameInfo frames[2];
    jint count;
    MUST((*ti)->GetStackTrace(ti, NULL, 0, 2, frames, &count));
    say("  %s at %d", method_name(ti, jni, frames[1].method), (int)frames[1].location);
}

EXPORT(jint, Java_UnmadeObjects_tool, JNIEnv *jni, jclass c, jint what)
{
    jobject mine;
    (void)c;
    switch (what) {
    case READ: show_points(jni, NULL, 1); break;
    case WRITE: write_points(jni); break;
    case FOLLOW: follow(); break;
    case ITERATE: iterate(); break;
    case SAMPLE:
        MUST((*ti)->SetHeapSamplingInterval(ti, 0));
        enable(ti, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC);
        break;
    case WATCH: MUST((*ti)->SetFieldAccessWatch(ti, point, x)); break;
    case TRACE: show_trace(jni); break;
    case INSTANCE:
        MUST((*ti)->GetLocalInstance(ti, NULL, 1, &mine));
        say("  mine %d", (*jni)->GetIntField(jni, mine, x));
        (*jni)->SetIntField(jni, mine, x, 50);
        break;
    default: break;
    }
    return what;
}

// Tells what was counted, and ends the counting.
EXPORT(jint, Java_UnmadeObjects_counted, JNIEnv *jni, jclass c, jint what)
{
    (void)jni, (void)c;
    if (what == SAMPLE)
        disable(ti, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC);
    else
        MUST((*ti)->ClearFieldAccessWatch(ti, point, x));
    return what == SAMPLE ? sampled : accessed;
}

EXPORT(void, Java_UnmadeObjects_look, JNIEnv *jni, jclass c, jthread t)
{
    (void)c;
    MUST((*ti)->SuspendThread(ti, t));
    jint depth = 0;
    jmethodID m = NULL;
    jlocation at;
    while (m != work)
        MUST((*ti)->GetFrameLocation(ti, t, depth++, &m, &at));
    show_points(jni, t, depth - 1);
    MUST((*ti)->ResumeThread(ti, t));
}

EXPORT(void, Java_UnmadeObjects_begin, JNIEnv *jni, jclass c, jclass of)
{
    point = (*jni)->NewGlobalRef(jni, of);
    x = (*jni)->GetFieldID(jni, point, "x", "I");
    next = (*jni)->GetFieldID(jni, point, "next", "Ljava/lang/Object;");
    work = (*jni)->GetStaticMethodID(jni, c, "work", "(II)I");
}

EXPORT(jint, Agent_OnLoad, JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    (*vm)->GetEnv(vm, (void **)&ti, JVMTI_VERSION_11);
    jvmtiCapabilities caps = {.can_access_local_variables = 1,
                              .can_tag_objects = 1,
                              .can_suspend = 1,
                              .can_generate_sampled_object_alloc_events = 1,
                              .can_generate_field_access_events = 1};
    MUST((*ti)->AddCapabilities(ti, &caps));
    const jvmtiEventCallbacks callbacks = {.SampledObjectAlloc = on_sampled,
                                           .FieldAccess = on_access};
    MUST((*ti)->SetEventCallbacks(ti, &callbacks, sizeof callbacks));
    enable(ti, JVMTI_EVENT_FIELD_ACCESS);
    return JNI_OK;
}
