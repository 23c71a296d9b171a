// SPDX-License-Identifier: Apache-2.0
// For tests/agents/Trace.java: method and exception events of its own methods.
#include "ti_common.h"

static jvmtiEnv *ti;
static int on;

static int is_own(const char *name)
{
    return strncmp(name, "LTrace", 6) == 0;
}

static const char *value(JNIEnv *jni, jmethodID m, jvalue v)
{
    char *desc, *out = ring();
    MUST((*ti)->GetMethodName(ti, m, NULL, &desc, NULL));
    char kind = strchr(desc, ')')[1];
    release(ti, desc);
    switch (kind) {
    case 'V': return "";
    case 'I': snprintf(out, 100, "%d", (int)v.i); return out;
    case 'J': snprintf(out, 100, "%ldL", (long)v.j); return out;
    case 'D': snprintf(out, 100, "%gd", v.d); return out;
    case 'F': snprintf(out, 100, "%gf", (double)v.f); return out;
    case 'Z': return v.z ? "true" : "false";
    case 'B': snprintf(out, 100, "%db", v.b); return out;
    case 'S': snprintf(out, 100, "%ds", v.s); return out;
    case 'C': snprintf(out, 100, "'%c'", v.c); return out;
    default:
        if (!v.l)
            return "null";
        jclass c = (*jni)->GetObjectClass(jni, v.l);
        const char *name = class_name(ti, c);
        (*jni)->DeleteLocalRef(jni, c);
        return name;
    }
}

static int depth(jthread thread)
{
    jint n;
    MUST((*ti)->GetFrameCount(ti, thread, &n));
    return (int)n;
}

// The bytecode index at which a thread's topmost frame stands.
static int place(jthread thread)
{
    jmethodID top;
    jlocation at;
    MUST((*ti)->GetFrameLocation(ti, thread, 0, &top, &at));
    return (int)at;
}

static void JNICALL entry(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID m)
{
    const char *name = method_name(env, jni, m);
    jmethodID top;
    jlocation at;
    if (!on || !is_own(name))
        return;
    MUST((*env)->GetFrameLocation(env, thread, 0, &top, &at));
    say("enter %s depth %d at %d %s", name, depth(thread), (int)at,
        top == m ? "same" : "other");
}

static void JNICALL leave(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID m,
                          jboolean by_exception, jvalue v)
{
    const char *name = method_name(env, jni, m);
    if (on && is_own(name))
        say("leave %s depth %d at %d %s %s", name, depth(thread), place(thread),
            by_exception ? "by exception" : "with", by_exception ? "" : value(jni, m, v));
}

static void JNICALL exception(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID m,
                              jlocation at, jobject e, jmethodID catch_method,
                              jlocation catch_at)
{
    const char *name = method_name(env, jni, m);
    if (!on || !is_own(name))
        return;
    jclass c = (*jni)->GetObjectClass(jni, e);
    say("exception %s in %s at %d, stands at %d, caught in %s at %d", class_name(env, c), name,
        (int)at, place(thread), method_name(env, jni, catch_method), (int)catch_at);
}

static void JNICALL caught(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID m,
                           jlocation at, jobject e)
{
    const char *name = method_name(env, jni, m);
    if (!on || !is_own(name))
        return;
    jclass c = (*jni)->GetObjectClass(jni, e);
    say("catch %s in %s at %d, stands at %d", class_name(env, c), name, (int)at, place(thread));
}

EXPORT(void, Java_Trace_on, JNIEnv *jni, jclass c, jboolean value_)
{
    (void)jni, (void)c;
    on = value_;
}

// From now on only entries, of one thread.
EXPORT(void, Java_Trace_only, JNIEnv *jni, jclass c, jthread thread, jboolean wanted)
{
    (void)jni, (void)c;
    disable(ti, JVMTI_EVENT_METHOD_ENTRY);
    disable(ti, JVMTI_EVENT_METHOD_EXIT);
    disable(ti, JVMTI_EVENT_EXCEPTION);
    MUST((*ti)->SetEventNotificationMode(ti, wanted ? JVMTI_ENABLE : JVMTI_DISABLE,
                                         JVMTI_EVENT_METHOD_ENTRY, thread));
}

EXPORT(jint, Java_Trace_twice, JNIEnv *jni, jclass c, jint i)
{
    (void)jni, (void)c;
    return 2 * i;
}

EXPORT(void, Java_Trace_raise, JNIEnv *jni, jclass c)
{
    (void)c;
    (*jni)->ThrowNew(jni, (*jni)->FindClass(jni, "java/lang/IllegalStateException"), "native");
}

EXPORT(jint, Java_Trace_callBack, JNIEnv *jni, jclass c, jint i)
{
    jmethodID m = (*jni)->GetStaticMethodID(jni, c, "back", "(I)I");
    jint r = (*jni)->CallStaticIntMethod(jni, c, m, i);
    if ((*jni)->ExceptionCheck(jni)) {
        (*jni)->ExceptionClear(jni);
        return -1;
    }
    return r;
}

EXPORT(jint, Java_Trace_callBackAndThrow, JNIEnv *jni, jclass c, jint i)
{
    jmethodID m = (*jni)->GetStaticMethodID(jni, c, "back", "(I)I");
    jint r = (*jni)->CallStaticIntMethod(jni, c, m, i);
    jthrowable thrown = (*jni)->ExceptionOccurred(jni);
    (*jni)->ExceptionClear(jni);
    if (thrown)
        (*jni)->Throw(jni, thrown);
    return r;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    ti = new_env(vm, JVMTI_VERSION_1_1);
    jvmtiCapabilities want = {.can_generate_method_entry_events = 1,
                              .can_generate_method_exit_events = 1,
                              .can_generate_exception_events = 1};
    MUST((*ti)->AddCapabilities(ti, &want));
    jvmtiEventCallbacks calls = {.MethodEntry = entry,
                                 .MethodExit = leave,
                                 .Exception = exception,
                                 .ExceptionCatch = caught};
    MUST((*ti)->SetEventCallbacks(ti, &calls, sizeof calls));
    enable(ti, JVMTI_EVENT_METHOD_ENTRY);
    enable(ti, JVMTI_EVENT_METHOD_EXIT);
    enable(ti, JVMTI_EVENT_EXCEPTION);
    enable(ti, JVMTI_EVENT_EXCEPTION_CATCH);
    return JNI_OK;
}
