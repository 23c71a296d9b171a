// SPDX-License-Identifier: Apache-2.0
// The order of events that fall on one instruction, and the stack that each of them sees.
#include "ti_rules.h"

static jvmtiEnv *ti;
static bool on;
static jmethodID break_method;
static int sequence, entry_at, step_at, break_at, access_at, exit_at, pop_at;

static bool is_ours(JNIEnv *jni, jmethodID m)
{
    return on && strstr(method_name(ti, jni, m), "LOrder;") != NULL;
}

// "method@location" of the youngest frames.
static void tell(JNIEnv *jni, const char *what, jmethodID method, jlocation at)
{
    jvmtiFrameInfo frames[3];
    jint count;
    MUST((*ti)->GetStackTrace(ti, NULL, 0, 3, frames, &count));
    char stack[1024] = "";
    for (jint i = 0; i < count; i++) {
        const char *name = strrchr(method_name(ti, jni, frames[i].method), '.');
        if (strstr(method_name(ti, jni, frames[i].method), "LOrder;"))
            snprintf(stack + strlen(stack), sizeof stack - strlen(stack), " %s@%d", name,
                     (int)frames[i].location);
    }
    say("%s %s at %d:%s", what, strrchr(method_name(ti, jni, method), '.'), (int)at, stack);
}

static void JNICALL on_entry(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method)
{
    (void)env, (void)thread;
    if (!is_ours(jni, method))
        return;
    entry_at = ++sequence;
    tell(jni, "entry", method, 0);
    jboolean native;
    MUST((*ti)->IsMethodNative(ti, method, &native));
    if (!native)
        MUST((*ti)->NotifyFramePop(ti, NULL, 0));
}

static void JNICALL on_exit_(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method,
                             jboolean by_exception, jvalue value)
{
    (void)env, (void)thread, (void)value;
    if (!is_ours(jni, method))
        return;
    exit_at = ++sequence;
    tell(jni, by_exception ? "exit by exception" : "exit", method, 0);
}

static void JNICALL on_pop(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method,
                           jboolean by_exception)
{
    (void)env, (void)thread;
    if (!is_ours(jni, method))
        return;
    pop_at = ++sequence;
    tell(jni, by_exception ? "pop by exception" : "pop", method, 0);
}

static void JNICALL on_step(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method,
                            jlocation at)
{
    (void)env, (void)thread;
    if (!is_ours(jni, method))
        return;
    if (method == break_method && step_at == 0) {
        step_at = ++sequence;
        RULE("F16", entry_at > 0 && entry_at < step_at);
        RULE("H22", at == 0);
        // Set from the step at its own location: it is still to come.
        MUST((*ti)->SetBreakpoint(ti, method, at));
    }
    tell(jni, "step", method, at);
}

static void JNICALL on_breakpoint(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method,
                                  jlocation at)
{
    (void)env, (void)thread;
    if (!is_ours(jni, method))
        return;
    tell(jni, "breakpoint", method, at);
    if (break_at == 0) {
        break_at = ++sequence;
        RULE("F18", step_at > 0 && step_at == break_at - 1);
        RULE("F20", at == 0);
    }
}

static void JNICALL on_access(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method,
                              jlocation at, jclass c, jobject object, jfieldID field)
{
    (void)env, (void)thread, (void)c, (void)object, (void)field;
    if (!is_ours(jni, method))
        return;
    access_at = ++sequence;
    tell(jni, "access", method, at);
}

static void JNICALL on_modify(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method,
                              jlocation at, jclass c, jobject object, jfieldID field, char kind,
                              jvalue value)
{
    (void)env, (void)thread, (void)c, (void)object, (void)field, (void)kind, (void)value;
    if (is_ours(jni, method))
        tell(jni, "modification", method, at);
}

static void JNICALL on_exception(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method,
                                 jlocation at, jobject exception, jmethodID catcher,
                                 jlocation catch_at)
{
    (void)env, (void)thread, (void)exception;
    if (!is_ours(jni, method))
        return;
    tell(jni, "exception", method, at);
    say("  caught in %s at %d", catcher ? strrchr(method_name(ti, jni, catcher), '.') : "none",
        (int)catch_at);
}

static void JNICALL on_catch(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method,
                             jlocation at, jobject exception)
{
    (void)env, (void)thread, (void)exception;
    if (is_ours(jni, method))
        tell(jni, "catch", method, at);
}

EXPORT(void, Java_Order_begin, JNIEnv *jni, jclass c)
{
    jthread self;
    break_method = (*jni)->GetStaticMethodID(jni, c, "read", "()I");
    jfieldID field = (*jni)->GetStaticFieldID(jni, c, "field", "I");
    MUST((*ti)->SetFieldAccessWatch(ti, c, field));
    MUST((*ti)->SetFieldModificationWatch(ti, c, field));
    MUST((*ti)->GetCurrentThread(ti, &self));
    on = true;
    MUST((*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, JVMTI_EVENT_SINGLE_STEP, self));
}

EXPORT(void, Java_Order_end, JNIEnv *jni, jclass c)
{
    (void)jni, (void)c;
    on = false;
    disable(ti, JVMTI_EVENT_SINGLE_STEP);
    RULE("F19", exit_at > 0 && pop_at > access_at);
}

// Throws, and clears: nothing of it is told.
EXPORT(void, Java_Order_quiet, JNIEnv *jni, jclass c)
{
    (void)c;
    (*jni)->ThrowNew(jni, (*jni)->FindClass(jni, "java/lang/IllegalStateException"), "quiet");
    (*jni)->ExceptionClear(jni);
}

EXPORT(void, Java_Order_loud, JNIEnv *jni, jclass c)
{
    (void)c;
    (*jni)->ThrowNew(jni, (*jni)->FindClass(jni, "java/lang/IllegalStateException"), "loud");
}

EXPORT(jint, Agent_OnLoad, JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    ti = new_env(vm, JVMTI_VERSION_11);
    jvmtiCapabilities caps = {.can_generate_single_step_events = 1,
                              .can_generate_breakpoint_events = 1,
                              .can_generate_method_entry_events = 1,
                              .can_generate_method_exit_events = 1,
                              .can_generate_frame_pop_events = 1,
                              .can_generate_field_access_events = 1,
                              .can_generate_field_modification_events = 1,
                              .can_generate_exception_events = 1};
    jvmtiEventCallbacks callbacks = {.MethodEntry = on_entry,
                                     .MethodExit = on_exit_,
                                     .FramePop = on_pop,
                                     .SingleStep = on_step,
                                     .Breakpoint = on_breakpoint,
                                     .FieldAccess = on_access,
                                     .FieldModification = on_modify,
                                     .Exception = on_exception,
                                     .ExceptionCatch = on_catch};
    MUST((*ti)->AddCapabilities(ti, &caps));
    MUST((*ti)->SetEventCallbacks(ti, &callbacks, sizeof callbacks));
    enable(ti, JVMTI_EVENT_METHOD_ENTRY);
    enable(ti, JVMTI_EVENT_METHOD_EXIT);
    enable(ti, JVMTI_EVENT_FRAME_POP);
    enable(ti, JVMTI_EVENT_BREAKPOINT);
    enable(ti, JVMTI_EVENT_FIELD_ACCESS);
    enable(ti, JVMTI_EVENT_FIELD_MODIFICATION);
    enable(ti, JVMTI_EVENT_EXCEPTION);
    enable(ti, JVMTI_EVENT_EXCEPTION_CATCH);
    return 0;
}
