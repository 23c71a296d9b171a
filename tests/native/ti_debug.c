// SPDX-License-Identifier: Apache-2.0
// What a debugger uses: breakpoints, locals by slot and type, single steps, frame pops; two
// environments, of which the second one only has a breakpoint of its own.
#include "ti_common.h"

static jvmtiEnv *ti, *other;

static const char *text_of(JNIEnv *jni, jobject o)
{
    char *out = ring();
    if (!o)
        return "null";
    jclass c = (*jni)->GetObjectClass(jni, o);
    jclass string = (*jni)->FindClass(jni, "java/lang/String");
    if (!(*jni)->IsSameObject(jni, c, string))
        return class_name(ti, c);
    const char *s = (*jni)->GetStringUTFChars(jni, o, NULL);
    snprintf(out, 512, "\"%s\"", s);
    (*jni)->ReleaseStringUTFChars(jni, o, s);
    return out;
}

static void show_slot(JNIEnv *jni, jint depth, jint slot)
{
    jobject o = NULL;
    jint i = 0;
    jlong j = 0;
    jfloat f = 0;
    jdouble d = 0;
    jvmtiError eo = (*ti)->GetLocalObject(ti, NULL, depth, slot, &o),
               ei = (*ti)->GetLocalInt(ti, NULL, depth, slot, &i);
    jvmtiError ej = (*ti)->GetLocalLong(ti, NULL, depth, slot, &j),
               ef = (*ti)->GetLocalFloat(ti, NULL, depth, slot, &f);
    jvmtiError ed = (*ti)->GetLocalDouble(ti, NULL, depth, slot, &d);
    say("    depth %d slot %d: errors %d %d %d %d %d", depth, slot, eo, ei, ej, ef, ed);
    if (!eo)
        say("      object %s", text_of(jni, o));
    if (!ei)
        say("      int %d", i);
    if (!ej)
        say("      long %lld", (long long)j);
    if (!ef)
        say("      float %g", f);
    if (!ed)
        say("      double %g", d);
}

static void set_locals(JNIEnv *jni)
{
    say("  set %d %d %d %d %d", (*ti)->SetLocalInt(ti, NULL, 0, 1, 100),
        (*ti)->SetLocalLong(ti, NULL, 0, 2, 1LL << 33),
        (*ti)->SetLocalFloat(ti, NULL, 0, 4, 0.5f), (*ti)->SetLocalDouble(ti, NULL, 0, 5, 0.25),
        (*ti)->SetLocalObject(ti, NULL, 0, 7, (*jni)->NewStringUTF(jni, "changed")));
    say("  set wrong type %d %d %d", (*ti)->SetLocalInt(ti, NULL, 0, 7, 1),
        (*ti)->SetLocalLong(ti, NULL, 0, 1, 1), (*ti)->SetLocalObject(ti, NULL, 0, 1, NULL));
    say("  set wrong class %d, null %d",
        (*ti)->SetLocalObject(ti, NULL, 0, 7, (*jni)->FindClass(jni, "java/lang/Object")),
        (*ti)->SetLocalObject(ti, NULL, 0, 8, NULL));
    say("  set wrong slot %d %d", (*ti)->SetLocalInt(ti, NULL, 0, 99, 1),
        (*ti)->SetLocalInt(ti, NULL, 0, -1, 1));
    say("  set wrong frame %d %d", (*ti)->SetLocalInt(ti, NULL, 99, 1, 1),
        (*ti)->SetLocalInt(ti, NULL, -1, 1, 1));
}

static void show_instance(JNIEnv *jni, jint depth)
{
    jobject self = NULL;
    jvmtiError e = (*ti)->GetLocalInstance(ti, NULL, depth, &self);
    say("  instance at %d: %d %s", depth, e, e ? "-" : text_of(jni, self));
}

static void JNICALL on_breakpoint(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method,
                                  jlocation location)
{
    jint max;
    (void)thread;
    say("breakpoint %s at %d%s", method_name(ti, jni, method), (int)location,
        env == other ? " (other)" : "");
    if (env == other)
        return;
    MUST((*ti)->GetMaxLocals(ti, method, &max));
    for (jint slot = -1; slot <= max; slot++)
        show_slot(jni, 0, slot);
    show_slot(jni, 1, 0);
    show_instance(jni, 0);
    show_instance(jni, 1);
    show_instance(jni, 99);
    if (location == 0) {
        set_locals(jni);
        say("  notify %d %d %d %d", (*ti)->NotifyFramePop(ti, NULL, 0),
            (*ti)->NotifyFramePop(ti, NULL, 1), (*ti)->NotifyFramePop(ti, NULL, 0),
            (*ti)->NotifyFramePop(ti, NULL, 99));
    }
}

static void JNICALL on_step(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method,
                            jlocation location)
{
    (void)thread;
    say("step %s at %d", method_name(env, jni, method), (int)location);
}

static void JNICALL on_pop(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method,
                           jboolean by_exception)
{
    jmethodID top;
    jlocation at;
    (void)thread;
    MUST((*env)->GetFrameLocation(env, NULL, 0, &top, &at));
    say("pop %s by exception %d, on top %d at %d", method_name(env, jni, method), by_exception,
        top == method, (int)at);
}

JNIEXPORT void JNICALL Java_Debug_breakAt(JNIEnv *jni, jclass c, jstring name,
                                          jstring signature, jboolean is_static, jint location);
JNIEXPORT void JNICALL Java_Debug_clearAt(JNIEnv *jni, jclass c, jstring name,
                                          jstring signature, jint location);
JNIEXPORT void JNICALL Java_Debug_step(JNIEnv *jni, jclass c, jboolean on);
JNIEXPORT void JNICALL Java_Debug_look(JNIEnv *jni, jobject self);
JNIEXPORT void JNICALL Java_Debug_lookAt(JNIEnv *jni, jclass c, jthread thread);

JNIEXPORT void JNICALL Java_Debug_breakAt(JNIEnv *jni, jclass c, jstring name,
                                          jstring signature, jboolean is_static, jint location)
{
    const char *n = (*jni)->GetStringUTFChars(jni, name, NULL),
               *s = (*jni)->GetStringUTFChars(jni, signature, NULL);
    jmethodID m =
        is_static ? (*jni)->GetStaticMethodID(jni, c, n, s) : (*jni)->GetMethodID(jni, c, n, s);
    jvmtiError first = (*ti)->SetBreakpoint(ti, m, location);
    say("break %s %d: %d, again %d", n, location, first, (*ti)->SetBreakpoint(ti, m, location));
    (void)!(*other)->SetBreakpoint(other, m, location); // on HotSpot it lacks the capability
}

JNIEXPORT void JNICALL Java_Debug_clearAt(JNIEnv *jni, jclass c, jstring name,
                                          jstring signature, jint location)
{
    const char *n = (*jni)->GetStringUTFChars(jni, name, NULL),
               *s = (*jni)->GetStringUTFChars(jni, signature, NULL);
    jmethodID m = (*jni)->GetMethodID(jni, c, n, s);
    say("clear %s %d: %d, again %d", n, location, (*ti)->ClearBreakpoint(ti, m, location),
        (*ti)->ClearBreakpoint(ti, m, location));
}

JNIEXPORT void JNICALL Java_Debug_step(JNIEnv *jni, jclass c, jboolean on)
{
    jthread thread;
    (void)jni, (void)c;
    MUST((*ti)->GetCurrentThread(ti, &thread));
    MUST((*ti)->SetEventNotificationMode(ti, on ? JVMTI_ENABLE : JVMTI_DISABLE,
                                         JVMTI_EVENT_SINGLE_STEP, thread));
}

// Locals of the caller, of this native method, and the pops of both.
JNIEXPORT void JNICALL Java_Debug_look(JNIEnv *jni, jobject self)
{
    (void)self;
    say("look");
    show_slot(jni, 0, 0);
    show_instance(jni, 0);
    show_slot(jni, 1, 1);
    say("  notify native %d, caller %d", (*ti)->NotifyFramePop(ti, NULL, 0),
        (*ti)->NotifyFramePop(ti, NULL, 1));
}

// A thread that is not suspended, and then is.
JNIEXPORT void JNICALL Java_Debug_lookAt(JNIEnv *jni, jclass c, jthread thread)
{
    (void)jni, (void)c;
    jint count;
    jvmtiError running = (*ti)->NotifyFramePop(ti, thread, 0);
    MUST((*ti)->SuspendThread(ti, thread));
    MUST((*ti)->GetFrameCount(ti, thread, &count));
    jint value = 0;
    jvmtiError local = (*ti)->GetLocalInt(ti, thread, count - 1, 1, &value);
    say("running %d, suspended %d, local %d %d, set %d", running,
        (*ti)->NotifyFramePop(ti, thread, count - 1), local, value,
        (*ti)->SetLocalInt(ti, thread, count - 1, 1, value + 1));
    MUST((*ti)->ResumeThread(ti, thread));
}

static jvmtiEnv *make_env(JavaVM *vm, const jvmtiEventCallbacks *callbacks)
{
    jvmtiEnv *env = new_env(vm, JVMTI_VERSION_1_2);
    jvmtiCapabilities caps = {.can_access_local_variables = 1,
                              .can_generate_single_step_events = 1,
                              .can_generate_frame_pop_events = 1,
                              .can_generate_breakpoint_events = 1,
                              .can_suspend = 1};
    if ((*env)->AddCapabilities(env, &caps)
        == JVMTI_ERROR_NOT_AVAILABLE) { // HotSpot gives these to one environment at a time
        caps = (jvmtiCapabilities){.can_access_local_variables = 1};
        MUST((*env)->AddCapabilities(env, &caps));
    }
    MUST((*env)->SetEventCallbacks(env, callbacks, sizeof *callbacks));
    return env;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    jvmtiEventCallbacks callbacks = {
        .Breakpoint = on_breakpoint, .SingleStep = on_step, .FramePop = on_pop};
    ti = make_env(vm, &callbacks);
    other = make_env(vm, &callbacks);
    enable(ti, JVMTI_EVENT_BREAKPOINT);
    enable(ti, JVMTI_EVENT_FRAME_POP);
    return 0;
}
