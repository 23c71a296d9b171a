// SPDX-License-Identifier: Apache-2.0
// For tests/agents/AsyncTraceDisturbed.java: does to a running thread what tools do, and changes nothing of what it computes.
#include <stdbool.h>

#include "ti_common.h"

enum { ENTRY, EXIT, STEP, BREAKPOINT, EXCEPTION, CATCH, POP, COMPILED, KINDS };
static jvmtiEnv *ti;
static jmethodID work, deep; // of one int, in slot 0
static jint told[KINDS];

static void count(int kind)
{
    __atomic_add_fetch(&told[kind], 1, __ATOMIC_RELAXED);
}

// ---- events ----

static void JNICALL on_entry(jvmtiEnv *env, JNIEnv *jni, jthread t, jmethodID m)
{
    (void)env, (void)jni, (void)t, (void)m;
    count(ENTRY);
}
static void JNICALL on_leave(jvmtiEnv *env, JNIEnv *jni, jthread t, jmethodID m,
                             jboolean thrown, jvalue value)
{
    (void)env, (void)jni, (void)t, (void)m, (void)thrown, (void)value;
    count(EXIT);
}
static void JNICALL on_step(jvmtiEnv *env, JNIEnv *jni, jthread t, jmethodID m, jlocation at)
{
    (void)env, (void)jni, (void)t, (void)m, (void)at;
    count(STEP);
}
static void JNICALL on_breakpoint(jvmtiEnv *env, JNIEnv *jni, jthread t, jmethodID m,
                                  jlocation at)
{
    (void)env, (void)jni, (void)t, (void)m, (void)at;
    count(BREAKPOINT);
}
static void JNICALL on_exception(jvmtiEnv *env, JNIEnv *jni, jthread t, jmethodID m,
                                 jlocation at, jobject e, jmethodID by, jlocation by_at)
{
    (void)env, (void)jni, (void)t, (void)m, (void)at, (void)e, (void)by, (void)by_at;
    count(EXCEPTION);
}
static void JNICALL on_catch(jvmtiEnv *env, JNIEnv *jni, jthread t, jmethodID m, jlocation at,
                             jobject e)
{
    (void)env, (void)jni, (void)t, (void)m, (void)at, (void)e;
    count(CATCH);
}
static void JNICALL on_pop(jvmtiEnv *env, JNIEnv *jni, jthread t, jmethodID m, jboolean thrown)
{
    (void)env, (void)jni, (void)t, (void)m, (void)thrown;
    count(POP);
}
static void JNICALL on_compiled(jvmtiEnv *env, jmethodID m, jint size, const void *code,
                                jint length, const jvmtiAddrLocationMap *map, const void *info)
{
    (void)env, (void)size, (void)code, (void)length, (void)map, (void)info;
    if (m == deep || m == work)
        count(COMPILED);
}

// ---- what is done ----

// Frames are read, written and marked; the youngest may be popped, and its method begins again with the argument it had.
static void stop_and_look(jthread t, jint round)
{
    enum { MOST = 64 };
    jvmtiFrameInfo frames[MOST];
    jint n = 0, value;
    MUST((*ti)->SuspendThread(ti, t));
    MUST((*ti)->GetStackTrace(ti, t, 0, MOST, frames, &n));
    for (jint depth = round % 3; depth < n; depth += 1 + round % 4) {
        if (frames[depth].method != deep)
            continue;
        MUST((*ti)->GetLocalInt(ti, t, depth, 0, &value));
        MUST((*ti)->SetLocalInt(ti, t, depth, 0, value));
        if (round % 2)
            (void)(*ti)->NotifyFramePop(ti, t, depth); // it may be asked for already
    }
    if (round % 5 == 0 && n && frames[0].method == deep)
        (void)(*ti)->PopFrame(ti, t);
    MUST((*ti)->ResumeThread(ti, t));
}

static void switch_event(jvmtiEvent event, bool on, jthread t)
{
    MUST((*ti)->SetEventNotificationMode(ti, on ? JVMTI_ENABLE : JVMTI_DISABLE, event, t));
}

// The round's kind of events goes on, or off again, for the same thread.
static void switch_events(jthread t, jint round)
{
    bool on = round % 2 == 0;
    switch (round / 2 % 4) {
    case 0:
        switch_event(JVMTI_EVENT_METHOD_ENTRY, on, NULL);
        switch_event(JVMTI_EVENT_METHOD_EXIT, on, NULL);
        break;
    case 1: switch_event(JVMTI_EVENT_SINGLE_STEP, on, t); break;
    case 2:
        if (on)
            MUST((*ti)->SetBreakpoint(ti, deep, 0));
        else
            MUST((*ti)->ClearBreakpoint(ti, deep, 0));
        break;
    default:
        switch_event(JVMTI_EVENT_EXCEPTION, on, NULL);
        switch_event(JVMTI_EVENT_EXCEPTION_CATCH, on, NULL);
    }
}

EXPORT(void, Java_AsyncTraceDisturbed_disturb, JNIEnv *jni, jclass c, jthread t, jint round)
{
    (void)c;
    static jthread last; // global
    if (!last || round % 2 == 0) {
        (*jni)->DeleteGlobalRef(jni, last);
        last = (*jni)->NewGlobalRef(jni, t);
    }
    stop_and_look(t, round);
    switch_events(last, round);
}

EXPORT(jbooleanArray, Java_AsyncTraceDisturbed_told, JNIEnv *jni, jclass c)
{
    (void)c;
    jbooleanArray result = (*jni)->NewBooleanArray(jni, KINDS);
    for (int i = 0; i < KINDS; i++)
        (*jni)->SetBooleanArrayRegion(jni, result, i, 1, &(jboolean){told[i] > 0});
    return result;
}

EXPORT(void, Java_AsyncTraceDisturbed_start, JNIEnv *jni, jclass c, jclass worked)
{
    (void)c;
    work = (*jni)->GetStaticMethodID(jni, worked, "work", "(I)I");
    deep = (*jni)->GetStaticMethodID(jni, worked, "deep", "(I)I");
    switch_event(JVMTI_EVENT_FRAME_POP, true, NULL);
    switch_event(JVMTI_EVENT_BREAKPOINT, true, NULL);
    switch_event(JVMTI_EVENT_COMPILED_METHOD_LOAD, true, NULL);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    ti = new_env(vm, JVMTI_VERSION_1_2);
    jvmtiCapabilities can = {.can_access_local_variables = 1,
                             .can_generate_frame_pop_events = 1,
                             .can_generate_breakpoint_events = 1,
                             .can_generate_single_step_events = 1,
                             .can_generate_method_entry_events = 1,
                             .can_generate_method_exit_events = 1,
                             .can_generate_exception_events = 1,
                             .can_generate_compiled_method_load_events = 1,
                             .can_pop_frame = 1,
                             .can_suspend = 1};
    MUST((*ti)->AddCapabilities(ti, &can));
    jvmtiEventCallbacks callbacks = {.MethodEntry = on_entry,
                                     .MethodExit = on_leave,
                                     .SingleStep = on_step,
                                     .Breakpoint = on_breakpoint,
                                     .Exception = on_exception,
                                     .ExceptionCatch = on_catch,
                                     .FramePop = on_pop,
                                     .CompiledMethodLoad = on_compiled};
    MUST((*ti)->SetEventCallbacks(ti, &callbacks, sizeof callbacks));
    return JNI_OK;
}
