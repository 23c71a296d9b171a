// SPDX-License-Identifier: Apache-2.0
// What Tools.java lets JVM TI do: callbacks that only count, and loops over one function. The agent's options name the capabilities to
// hold, separated by commas and without can_ and generate_..._events; `all` is what can be had. It is loaded as an agent and, by
// System.load, for its native methods.
#include <jvmti.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static jvmtiEnv *ti;
static volatile jlong event_count;

static void check(jvmtiError error, const char *what)
{
    if (error == JVMTI_ERROR_NONE)
        return;
    fprintf(stderr, "tools_agent: %s: error %d\n", what, (int)error);
    exit(1);
}
#define CALL(function, ...) check((*ti)->function(ti __VA_OPT__(, ) __VA_ARGS__), #function)

// ---- events ----
static void add_event(void)
{
    event_count = event_count + 1;
}
#define COUNTER(name, ...)                                       \
    static void JNICALL count_##name(jvmtiEnv *env, __VA_ARGS__) \
    {                                                            \
        (void)env;                                               \
        add_event();                                             \
    }
#define HEAD JNIEnv *jni, jthread thread
#pragma GCC diagnostic ignored "-Wunused-parameter"
COUNTER(thread, HEAD)
COUNTER(class_file, JNIEnv *jni, jclass redefined, jobject loader, const char *name,
        jobject domain, jint len, const unsigned char *bytes, jint *new_len,
        unsigned char **new_bytes)
COUNTER(exception, HEAD, jmethodID method, jlocation at, jobject exception, jmethodID catcher,
        jlocation catch_at)
COUNTER(catch, HEAD, jmethodID method, jlocation at, jobject exception)
COUNTER(location, HEAD, jmethodID method, jlocation at)
COUNTER(pop, HEAD, jmethodID method, jboolean by_exception)
COUNTER(access, HEAD, jmethodID method, jlocation at, jclass cls, jobject object,
        jfieldID field)
COUNTER(modification, HEAD, jmethodID method, jlocation at, jclass cls, jobject object,
        jfieldID field, char kind, jvalue now)
COUNTER(entry, HEAD, jmethodID method)
COUNTER(exit, HEAD, jmethodID method, jboolean by_exception, jvalue result)
COUNTER(free, jlong tag)
COUNTER(alloc, HEAD, jobject object, jclass cls, jlong size)

static const jvmtiEventCallbacks callbacks = {
    .ThreadStart = count_thread,
    .ThreadEnd = count_thread,
    .ClassFileLoadHook = count_class_file,
    .Exception = count_exception,
    .ExceptionCatch = count_catch,
    .SingleStep = count_location,
    .FramePop = count_pop,
    .Breakpoint = count_location,
    .FieldAccess = count_access,
    .FieldModification = count_modification,
    .MethodEntry = count_entry,
    .MethodExit = count_exit,
    .ObjectFree = count_free,
    .VMObjectAlloc = count_alloc,
    .SampledObjectAlloc = count_alloc,
};

// ---- capabilities ----
static void add_capability(jvmtiCapabilities *c, const char *name)
{
#define NAMED(text, field)         \
    if (strcmp(name, text) == 0) { \
        c->field = 1;              \
        return;                    \
    }
    NAMED("method_entry", can_generate_method_entry_events)
    NAMED("method_exit", can_generate_method_exit_events)
    NAMED("single_step", can_generate_single_step_events)
    NAMED("breakpoint", can_generate_breakpoint_events)
    NAMED("field_access", can_generate_field_access_events)
    NAMED("field_modification", can_generate_field_modification_events)
    NAMED("frame_pop", can_generate_frame_pop_events)
    NAMED("exception", can_generate_exception_events)
    NAMED("vm_object_alloc", can_generate_vm_object_alloc_events)
    NAMED("sampled_object_alloc", can_generate_sampled_object_alloc_events)
    NAMED("object_free", can_generate_object_free_events)
    NAMED("all_class_hooks", can_generate_all_class_hook_events)
    NAMED("tag_objects", can_tag_objects)
    NAMED("access_local_variables", can_access_local_variables)
    NAMED("redefine_classes", can_redefine_classes)
    NAMED("retransform_classes", can_retransform_classes)
    NAMED("suspend", can_suspend)
    NAMED("owned_monitor", can_get_owned_monitor_info)
    NAMED("owned_monitor_stack_depth", can_get_owned_monitor_stack_depth_info)
#undef NAMED
    fprintf(stderr, "tools_agent: no capability %s\n", name);
    exit(1);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    jvmtiCapabilities wanted = {0};
    if ((*vm)->GetEnv(vm, (void **)&ti, JVMTI_VERSION_11) != JNI_OK)
        return JNI_ERR;
    char *names = strdup(options ? options : ""), *state = NULL;
    for (char *name = strtok_r(names, ",", &state); name; name = strtok_r(NULL, ",", &state))
        if (strcmp(name, "all") == 0)
            CALL(GetPotentialCapabilities, &wanted);
        else
            add_capability(&wanted, name);
    free(names);
    CALL(AddCapabilities, &wanted);
    CALL(SetEventCallbacks, &callbacks, sizeof callbacks);
    return JNI_OK;
}

// ---- natives ----
#define NATIVE(type, name, ...) \
    JNIEXPORT type JNICALL Java_Tools_##name(JNIEnv *env, jclass cls __VA_OPT__(, ) __VA_ARGS__)

NATIVE(jlong, cpu)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (jlong)t.tv_sec * 1000000000 + t.tv_nsec;
}

NATIVE(jlong, events)
{
    return event_count;
}

NATIVE(void, enable, jint event, jthread thread, jboolean on)
{
    CALL(SetEventNotificationMode, on ? JVMTI_ENABLE : JVMTI_DISABLE, (jvmtiEvent)event,
         thread);
}

NATIVE(void, breakpoint, jclass of, jstring name, jlong location, jboolean on)
{
    const char *chars = (*env)->GetStringUTFChars(env, name, NULL);
    jmethodID m = (*env)->GetStaticMethodID(env, of, chars, "()V");
    (*env)->ReleaseStringUTFChars(env, name, chars);
    if (on)
        CALL(SetBreakpoint, m, location);
    else
        CALL(ClearBreakpoint, m, location);
}

NATIVE(void, watch, jclass of, jstring name, jboolean modification, jboolean on)
{
    const char *chars = (*env)->GetStringUTFChars(env, name, NULL);
    jfieldID f = (*env)->GetStaticFieldID(env, of, chars, "I");
    (*env)->ReleaseStringUTFChars(env, name, chars);
    if (modification && on)
        CALL(SetFieldModificationWatch, of, f);
    else if (modification)
        CALL(ClearFieldModificationWatch, of, f);
    else if (on)
        CALL(SetFieldAccessWatch, of, f);
    else
        CALL(ClearFieldAccessWatch, of, f);
}

NATIVE(void, notifyFramePop, jint depth)
{
    CALL(NotifyFramePop, NULL, depth);
}

NATIVE(void, samplingInterval, jint bytes)
{
    CALL(SetHeapSamplingInterval, bytes);
}

// ---- tags and heaps ----
static void set_tag(JNIEnv *env, jobjectArray objects, jsize i, jlong tag)
{
    jobject o = (*env)->GetObjectArrayElement(env, objects, i);
    CALL(SetTag, o, tag);
    (*env)->DeleteLocalRef(env, o);
}

NATIVE(void, tagAll, jobjectArray objects, jlong first, jlong step)
{
    for (jsize i = 0, n = (*env)->GetArrayLength(env, objects); i < n; i++)
        set_tag(env, objects, i, first + i * step);
}

// Local references of all elements: reading them is not what is measured.
static jobject *elements(JNIEnv *env, jobjectArray objects, jsize *count)
{
    *count = (*env)->GetArrayLength(env, objects);
    (*env)->EnsureLocalCapacity(env, *count);
    jobject *all = malloc((size_t)*count * sizeof *all);
    for (jsize i = 0; i < *count; i++)
        all[i] = (*env)->GetObjectArrayElement(env, objects, i);
    return all;
}

NATIVE(void, setTags, jobjectArray objects, jlong n)
{
    jsize count;
    jobject *all = elements(env, objects, &count);
    for (jlong i = 0, tag = 0; i < n;
         tag++) // gone through in turn: half of them get a tag, half lose it
        for (jsize k = 0; k < count && i < n; k++, i++)
            CALL(SetTag, all[k], (k + tag) % 2 ? i + 1 : 0);
    free(all);
}

NATIVE(void, getTags, jobjectArray objects, jlong n)
{
    jsize count;
    jlong tag;
    jobject *all = elements(env, objects, &count);
    for (jlong i = 0; i < n;)
        for (jsize k = 0; k < count && i < n; k++, i++)
            CALL(GetTag, all[k], &tag);
    free(all);
}

NATIVE(void, getObjectsWithTags, jlong tag, jlong n)
{
    for (jlong i = 0; i < n; i++) {
        jint count;
        jobject *objects;
        CALL(GetObjectsWithTags, 1, &tag, &count, &objects, NULL);
        if (count != 1)
            check(JVMTI_ERROR_INTERNAL, "GetObjectsWithTags found another number of objects");
        (*env)->DeleteLocalRef(env, objects[0]);
        CALL(Deallocate, (unsigned char *)objects);
    }
}

typedef struct Walk {
    jlong count;
    jboolean tag;
} Walk;

static jint visit(Walk *w, jlong *tag)
{
    w->count++;
    if (w->tag)
        *tag = w->count;
    return JVMTI_VISIT_OBJECTS;
}

static jint JNICALL visit_object(jlong class_tag, jlong size, jlong *tag, jint length,
                                 void *data)
{
    return visit(data, tag);
}

static jint JNICALL visit_reference(jvmtiHeapReferenceKind kind,
                                    const jvmtiHeapReferenceInfo *info, jlong class_tag,
                                    jlong from_class_tag, jlong size, jlong *tag,
                                    jlong *from_tag, jint length, void *data)
{
    return visit(data, tag);
}

NATIVE(jlong, iterateThroughHeap, jboolean tag)
{
    Walk w = {0, tag};
    CALL(IterateThroughHeap, 0, NULL,
         &(jvmtiHeapCallbacks){.heap_iteration_callback = visit_object}, &w);
    return w.count;
}

NATIVE(jlong, followReferences, jboolean tag)
{
    Walk w = {0, tag};
    CALL(FollowReferences, 0, NULL, NULL,
         &(jvmtiHeapCallbacks){.heap_reference_callback = visit_reference}, &w);
    return w.count;
}

// ---- threads and stacks ----
NATIVE(void, getStackTrace, jthread thread, jint depth, jlong n)
{
    jvmtiFrameInfo *frames = malloc((size_t)depth * sizeof *frames);
    for (jlong i = 0; i < n; i++) {
        jint count;
        CALL(GetStackTrace, thread, 0, depth, frames, &count);
    }
    free(frames);
}

// The current thread's monitors
NATIVE(void, ownedMonitors, jlong n)
{
    for (jlong i = 0; i < n; i++) {
        jobject *monitors;
        jint count;
        CALL(GetOwnedMonitorInfo, NULL, &count, &monitors);
        for (jint k = 0; k < count; k++)
            (*env)->DeleteLocalRef(env, monitors[k]);
        CALL(Deallocate, (unsigned char *)monitors);
    }
}

NATIVE(void, ownedMonitorDepths, jlong n)
{
    for (jlong i = 0; i < n; i++) {
        jvmtiMonitorStackDepthInfo *infos;
        jint count;
        CALL(GetOwnedMonitorStackDepthInfo, NULL, &count, &infos);
        for (jint k = 0; k < count; k++)
            (*env)->DeleteLocalRef(env, infos[k].monitor);
        CALL(Deallocate, (unsigned char *)infos);
    }
}

NATIVE(void, getAllStackTraces, jlong n)
{
    for (jlong i = 0; i < n; i++) {
        jvmtiStackInfo *infos;
        jint count;
        CALL(GetAllStackTraces, 100, &infos, &count);
        for (jint k = 0; k < count; k++)
            (*env)->DeleteLocalRef(env, infos[k].thread);
        CALL(Deallocate, (unsigned char *)infos);
    }
}

// The first frame whose slot 0 is an int, depth -1: none.
static jint depth_of_int(jthread thread)
{
    jint value;
    for (jint depth = 0; depth < 100; depth++)
        if ((*ti)->GetLocalInt(ti, thread, depth, 0, &value) == JVMTI_ERROR_NONE)
            return depth;
    check(JVMTI_ERROR_INTERNAL, "no frame has an int in slot 0");
    return -1;
}

NATIVE(void, getLocalInt, jthread thread, jlong n)
{
    jint depth = depth_of_int(thread), value;
    for (jlong i = 0; i < n; i++)
        CALL(GetLocalInt, thread, depth, 0, &value);
}

NATIVE(void, setLocalInt, jint depth, jint value)
{
    CALL(SetLocalInt, NULL, depth, 0, value);
}

NATIVE(void, suspendAndResume, jthread thread, jlong n)
{
    for (jlong i = 0; i < n; i++) {
        CALL(SuspendThread, thread);
        CALL(ResumeThread, thread);
    }
}

// ---- classes ----
NATIVE(void, redefine, jobjectArray classes, jbyteArray bytes, jlong n)
{
    jsize count = (*env)->GetArrayLength(env, classes),
          len = (*env)->GetArrayLength(env, bytes);
    jbyte *content = (*env)->GetByteArrayElements(env, bytes, NULL);
    jvmtiClassDefinition *definitions = malloc((size_t)count * sizeof *definitions);
    for (jsize i = 0; i < count; i++)
        definitions[i] = (jvmtiClassDefinition){(*env)->GetObjectArrayElement(env, classes, i),
                                                len, (unsigned char *)content};
    for (jlong i = 0; i < n; i++)
        CALL(RedefineClasses, count, definitions);
    free(definitions);
    (*env)->ReleaseByteArrayElements(env, bytes, content, JNI_ABORT);
}

NATIVE(void, retransform, jobjectArray classes, jlong n)
{
    jsize count;
    jobject *all = elements(env, classes, &count);
    for (jlong i = 0; i < n; i++)
        CALL(RetransformClasses, count, all);
    free(all);
}

// ---- the rest ----
NATIVE(void, rawMonitor, jlong n)
{
    jrawMonitorID monitor;
    CALL(CreateRawMonitor, "tools", &monitor);
    for (jlong i = 0; i < n; i++) {
        CALL(RawMonitorEnter, monitor);
        CALL(RawMonitorExit, monitor);
    }
    CALL(DestroyRawMonitor, monitor);
}

NATIVE(void, allocate, jint size, jlong n)
{
    for (jlong i = 0; i < n; i++) {
        unsigned char *memory;
        CALL(Allocate, size, &memory);
        CALL(Deallocate, memory);
    }
}
