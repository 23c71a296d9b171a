// SPDX-License-Identifier: Apache-2.0
// Frames left early: at a breakpoint, an exception, a field access or a step of the current
// thread, or in a suspended one, what the driver planned is done: PopFrame, ForceEarlyReturn or StopThread.
#include <stdbool.h>

#include "ti_common.h"

static jvmtiEnv *ti;
static char plan[64]; // what to do at the next event
static jobject plan_value;
static bool silent;

static jvmtiError force(const char *kind, jthread thread, jobject value)
{
    if (strcmp(kind, "pop") == 0)
        return (*ti)->PopFrame(ti, thread);
    if (strcmp(kind, "stop") == 0)
        return (*ti)->StopThread(ti, thread, value);
    if (strcmp(kind, "small") == 0)
        return (*ti)->ForceEarlyReturnInt(ti, thread, 65);
    if (strcmp(kind, "int") == 0)
        return (*ti)->ForceEarlyReturnInt(ti, thread, 0x12345);
    if (strcmp(kind, "long") == 0)
        return (*ti)->ForceEarlyReturnLong(ti, thread, 0x123456789ALL);
    if (strcmp(kind, "float") == 0)
        return (*ti)->ForceEarlyReturnFloat(ti, thread, 0.5f);
    if (strcmp(kind, "double") == 0)
        return (*ti)->ForceEarlyReturnDouble(ti, thread, 0.25);
    if (strcmp(kind, "void") == 0)
        return (*ti)->ForceEarlyReturnVoid(ti, thread);
    return (*ti)->ForceEarlyReturnObject(ti, thread, value);
}

static const char *const kinds[] = {"int", "long", "float", "double", "void", "object"};

static void carry_out(JNIEnv *jni, const char *where)
{
    jthread self;
    char now[sizeof plan];
    if (!plan[0])
        return;
    strcpy(now, plan);
    plan[0] = 0;
    MUST((*ti)->GetCurrentThread(ti, &self));
    if (strncmp(now, "wrong-", 6) == 0) { // every other kind is refused
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
            if (strcmp(kinds[i], now + 6) != 0)
                say("  %s: %d", kinds[i], force(kinds[i], self, plan_value));
        return;
    }
    if (strncmp(now, "change-", 7) == 0) { // of the first argument
        MUST((*ti)->SetLocalInt(ti, NULL, 0, 0, 1000));
        memmove(now, now + 7, strlen(now + 7) + 1);
    }
    if (strncmp(now, "notify-", 7) == 0) {
        MUST((*ti)->NotifyFramePop(ti, NULL, 0));
        memmove(now, now + 7, strlen(now + 7) + 1);
    }
    say("  %s at %s: %d", now, where, force(now, self, plan_value));
    (void)jni;
}

static void JNICALL on_breakpoint(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method,
                                  jlocation location)
{
    (void)thread;
    say("breakpoint %s at %d", method_name(ti, jni, method), (int)location);
    (*env)->ClearBreakpoint(env, method, location);
    carry_out(jni, "breakpoint");
}

static void JNICALL on_exception(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method,
                                 jlocation location, jobject exception, jmethodID catcher,
                                 jlocation catch_location)
{
    (void)env, (void)thread, (void)exception, (void)catcher, (void)catch_location;
    if (strstr(method_name(ti, jni, method), "LControl;") && plan[0]) {
        say("exception in %s at %d", method_name(ti, jni, method), (int)location);
        carry_out(jni, "exception");
    }
}

static void JNICALL on_access(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method,
                              jlocation at, jclass c, jobject object, jfieldID field)
{
    (void)env, (void)thread, (void)method, (void)at, (void)c, (void)object, (void)field;
    carry_out(jni, "field access");
}

static void JNICALL on_exit_(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method,
                             jboolean by_exception, jvalue value)
{
    const char *name = method_name(env, jni, method);
    jboolean native;
    (void)thread;
    MUST((*env)->IsMethodNative(env, method, &native));
    if (silent || native || !strstr(name, "LControl") || strstr(name, "Lambda")
        || strstr(name, "canLock"))
        return;
    char result = strchr(name, ')')[1];
    say("exit %s by exception %d: %s", name, by_exception,
        by_exception ? "-"
        : result == 'L'
            ? value.l ? class_name(env, (*jni)->GetObjectClass(jni, value.l)) : "null"
        : result == 'I' ? value.i == 0x12345 ? "forced" : "own"
        : result == 'J' ? value.j == 0x123456789ALL ? "forced" : "own"
                        : "other");
}

static void JNICALL on_pop(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method,
                           jboolean by_exception)
{
    (void)thread;
    say("frame pop %s by exception %d", method_name(env, jni, method), by_exception);
}

EXPORT(void, Java_Control_plan, JNIEnv *jni, jclass c, jstring what, jobject value)
{
    const char *s = (*jni)->GetStringUTFChars(jni, what, NULL);
    snprintf(plan, sizeof plan, "%s", s);
    (*jni)->ReleaseStringUTFChars(jni, what, s);
    if (plan_value)
        (*jni)->DeleteGlobalRef(jni, plan_value);
    plan_value = (*jni)->NewGlobalRef(jni, value);
    (void)c;
}

EXPORT(void, Java_Control_breakAt, JNIEnv *jni, jclass unused, jclass c, jstring name,
       jstring desc, jboolean is_static, jint location)
{
    const char *n = (*jni)->GetStringUTFChars(jni, name, NULL),
               *s = (*jni)->GetStringUTFChars(jni, desc, NULL);
    jmethodID m =
        is_static ? (*jni)->GetStaticMethodID(jni, c, n, s) : (*jni)->GetMethodID(jni, c, n, s);
    MUST((*ti)->SetBreakpoint(ti, m, location));
    (void)unused;
}

EXPORT(void, Java_Control_watchField, JNIEnv *jni, jclass c, jstring name)
{
    const char *n = (*jni)->GetStringUTFChars(jni, name, NULL);
    MUST((*ti)->SetFieldAccessWatch(ti, c, (*jni)->GetStaticFieldID(jni, c, n, "I")));
}

EXPORT(void, Java_Control_silent, JNIEnv *jni, jclass c, jboolean on)
{
    (void)jni, (void)c;
    silent = on;
}

EXPORT(jint, Java_Control_force, JNIEnv *jni, jclass c, jthread thread, jstring kind,
       jobject value)
{
    const char *k = (*jni)->GetStringUTFChars(jni, kind, NULL);
    (void)c;
    return (jint)force(k, thread, value);
}

EXPORT(jint, Java_Control_suspendThread, JNIEnv *jni, jclass c, jthread thread)
{
    (void)jni, (void)c;
    return (jint)(*ti)->SuspendThread(ti, thread);
}

EXPORT(jint, Java_Control_resumeThread, JNIEnv *jni, jclass c, jthread thread)
{
    (void)jni, (void)c;
    return (jint)(*ti)->ResumeThread(ti, thread);
}

EXPORT(jstring, Java_Control_top, JNIEnv *jni, jclass c, jthread thread)
{
    jmethodID m;
    jlocation at;
    (void)c;
    MUST((*ti)->GetFrameLocation(ti, thread, 0, &m, &at));
    return (*jni)->NewStringUTF(jni, method_name(ti, jni, m));
}

EXPORT(void, Java_Control_call, JNIEnv *jni, jclass c, jstring name)
{
    const char *n = (*jni)->GetStringUTFChars(jni, name, NULL);
    (*jni)->CallStaticIntMethod(jni, c, (*jni)->GetStaticMethodID(jni, c, n, "(I)I"), 3);
}

EXPORT(jint, Agent_OnLoad, JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    ti = new_env(vm, JVMTI_VERSION_1_2);
    jvmtiCapabilities caps = {.can_pop_frame = 1,
                              .can_force_early_return = 1,
                              .can_access_local_variables = 1,
                              .can_generate_frame_pop_events = 1,
                              .can_generate_breakpoint_events = 1,
                              .can_generate_exception_events = 1,
                              .can_generate_method_exit_events = 1,
                              .can_generate_field_access_events = 1,
                              .can_signal_thread = 1,
                              .can_suspend = 1};
    MUST((*ti)->AddCapabilities(ti, &caps));
    jvmtiEventCallbacks callbacks = {.Breakpoint = on_breakpoint,
                                     .MethodExit = on_exit_,
                                     .FramePop = on_pop,
                                     .FieldAccess = on_access,
                                     .Exception = on_exception};
    MUST((*ti)->SetEventCallbacks(ti, &callbacks, sizeof callbacks));
    enable(ti, JVMTI_EVENT_BREAKPOINT);
    enable(ti, JVMTI_EVENT_METHOD_EXIT);
    enable(ti, JVMTI_EVENT_FRAME_POP);
    enable(ti, JVMTI_EVENT_EXCEPTION);
    enable(ti, JVMTI_EVENT_FIELD_ACCESS);
    return 0;
}
