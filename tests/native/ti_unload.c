// SPDX-License-Identifier: Apache-2.0
// For tests/agents/Unload.java: what an agent holds of a class whose loader is dropped. Tags die with
// ObjectFree, weak references are cleared, method ids become invalid, breakpoints and watches vanish.
#include "ti_common.h"

enum { MAX_METHODS = 16 };
static jvmtiEnv *ti;
static jweak weak;
static jint method_count;
static jmethodID methods[MAX_METHODS];
static int freed;
static jboolean breakpoints; // and watches: HotSpot keeps a class alive for a breakpoint in it

static void JNICALL object_free(jvmtiEnv *env, jlong tag)
{
    (void)env;
    if (tag == 77)
        freed++;
}

EXPORT(void, Java_DropAgent_hold, JNIEnv *jni, jclass self, jclass c)
{
    (void)self;
    jmethodID *list;
    weak = (*jni)->NewWeakGlobalRef(jni, c);
    MUST((*ti)->SetTag(ti, c, 77));
    MUST((*ti)->GetClassMethods(ti, c, &method_count, &list));
    jfieldID field = (*jni)->GetStaticFieldID(jni, c, "counter", "I");
    for (jint i = 0; i < method_count && i < MAX_METHODS; i++) {
        methods[i] = list[i];
        if (breakpoints)
            MUST((*ti)->SetBreakpoint(ti, list[i], 0));
    }
    release(ti, list);
    if (breakpoints)
        MUST((*ti)->SetFieldAccessWatch(ti, c, field));
    freed = 0;
}

EXPORT(jboolean, Java_DropAgent_wasFreed, JNIEnv *jni, jclass self)
{
    (void)self;
    return freed == 1 && (*jni)->IsSameObject(jni, weak, NULL);
}

static void tell(const char *what, jvmtiError error)
{
    say("%s %d", what, (int)error);
}

EXPORT(void, Java_DropAgent_askStale, JNIEnv *jni, jclass self)
{
    (void)self;
    char *name;
    jclass c;
    jint n;
    for (jint i = 0; i < method_count && i < MAX_METHODS; i++) {
        tell("GetMethodName", (*ti)->GetMethodName(ti, methods[i], &name, NULL, NULL));
        tell("GetMethodDeclaringClass", (*ti)->GetMethodDeclaringClass(ti, methods[i], &c));
        tell("GetMaxLocals", (*ti)->GetMaxLocals(ti, methods[i], &n));
        tell("ClearBreakpoint", (*ti)->ClearBreakpoint(ti, methods[i], 0));
    }
    tell("GetClassSignature", (*ti)->GetClassSignature(ti, weak, &name, NULL));
    (*jni)->DeleteWeakGlobalRef(jni, weak);
}

static void JNICALL breakpoint(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID m,
                               jlocation at)
{
    (void)thread;
    say("breakpoint in %s at %d", method_name(env, jni, m), (int)at);
}

static void JNICALL field_access(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID m,
                                 jlocation at, jclass c, jobject object, jfieldID field)
{
    (void)thread, (void)at, (void)object, (void)field;
    say("access of %s in %s", class_name(env, c), method_name(env, jni, m));
}

EXPORT(jint, Agent_OnLoad, JavaVM *vm, char *options, void *reserved)
{
    (void)reserved;
    breakpoints = options && strcmp(options, "breakpoints") == 0;
    ti = new_env(vm, JVMTI_VERSION_11);
    jvmtiCapabilities want = {.can_tag_objects = 1,
                              .can_generate_object_free_events = 1,
                              .can_generate_breakpoint_events = 1,
                              .can_generate_field_access_events = 1};
    MUST((*ti)->AddCapabilities(ti, &want));
    jvmtiEventCallbacks callbacks = {
        .ObjectFree = object_free, .Breakpoint = breakpoint, .FieldAccess = field_access};
    MUST((*ti)->SetEventCallbacks(ti, &callbacks, sizeof callbacks));
    enable(ti, JVMTI_EVENT_OBJECT_FREE);
    enable(ti, JVMTI_EVENT_BREAKPOINT);
    enable(ti, JVMTI_EVENT_FIELD_ACCESS);
    return JNI_OK;
}
