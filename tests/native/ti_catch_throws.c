// SPDX-License-Identifier: Apache-2.0
// For tests/agents/CatchThrows.java: prints Exception and ExceptionCatch of what the test throws. The callback of ExceptionCatch leaves
// another exception; that of MethodExit, or FramePop, calls Java code that catches one.
#include <stdbool.h>

#include "ti_common.h"

static jvmtiEnv *ti;
static jclass test, to_throw;
static jmethodID catches;
static bool catch_throws, prints;

static const char *place(JNIEnv *jni, jmethodID method, jlocation at)
{
    char *out = ring();
    snprintf(out, 512, "%s:%d", method_name(ti, jni, method), (int)at);
    return out;
}

static void JNICALL exception(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method,
                              jlocation at, jobject e, jmethodID catch_method,
                              jlocation catch_at)
{
    (void)env, (void)thread, (void)catch_at;
    if (prints)
        say("  Exception %s at %s, to be caught by %s",
            class_name(ti, (*jni)->GetObjectClass(jni, e)), place(jni, method, at),
            method_name(ti, jni, catch_method));
}

static void JNICALL caught(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method,
                           jlocation at, jobject e)
{
    (void)env, (void)thread;
    if (!prints)
        return;
    say("  ExceptionCatch %s at %s", class_name(ti, (*jni)->GetObjectClass(jni, e)),
        place(jni, method, at));
    if (catch_throws) {
        catch_throws = false;
        (*jni)->ThrowNew(jni, to_throw, "from the callback");
    }
}

static void call_java(JNIEnv *jni, jmethodID method, const char *event)
{
    if (!prints || !strstr(method_name(ti, jni, method), "left"))
        return;
    say("  %s", event);
    prints = false;
    (*jni)->CallStaticVoidMethod(jni, test, catches);
    prints = true;
}

static void JNICALL method_exit(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method,
                                jboolean by_exception, jvalue value)
{
    (void)env, (void)thread, (void)value;
    call_java(jni, method, by_exception ? "MethodExit by an exception" : "MethodExit");
}

static void JNICALL frame_pop(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method,
                              jboolean by_exception)
{
    (void)env, (void)thread;
    call_java(jni, method, by_exception ? "FramePop by an exception" : "FramePop");
}

EXPORT(void, Java_CatchThrows_begin, JNIEnv *jni, jclass c, jclass thrown, jint event)
{
    test = (*jni)->NewGlobalRef(jni, c);
    catches = (*jni)->GetStaticMethodID(jni, c, "catches", "()V");
    catch_throws = thrown != NULL;
    to_throw = (*jni)->NewGlobalRef(jni, thrown);
    enable(ti, JVMTI_EVENT_EXCEPTION);
    enable(ti, JVMTI_EVENT_EXCEPTION_CATCH);
    if (event)
        enable(ti, (jvmtiEvent)event);
    prints = true;
}

EXPORT(void, Java_CatchThrows_notifyPop, JNIEnv *jni, jclass c)
{
    (void)jni, (void)c;
    MUST((*ti)->NotifyFramePop(ti, NULL, 1));
}

EXPORT(void, Java_CatchThrows_end, JNIEnv *jni, jclass c, jint event)
{
    (void)jni, (void)c;
    prints = false;
    disable(ti, JVMTI_EVENT_EXCEPTION);
    disable(ti, JVMTI_EVENT_EXCEPTION_CATCH);
    if (event)
        disable(ti, (jvmtiEvent)event);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    ti = new_env(vm, JVMTI_VERSION_11);
    jvmtiCapabilities want = {.can_generate_exception_events = 1,
                              .can_generate_frame_pop_events = 1,
                              .can_generate_method_exit_events = 1};
    MUST((*ti)->AddCapabilities(ti, &want));
    jvmtiEventCallbacks callbacks = {.Exception = exception,
                                     .ExceptionCatch = caught,
                                     .MethodExit = method_exit,
                                     .FramePop = frame_pop};
    MUST((*ti)->SetEventCallbacks(ti, &callbacks, sizeof callbacks));
    return JNI_OK;
}
