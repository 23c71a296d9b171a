// SPDX-License-Identifier: Apache-2.0
// Records steps (s) and breakpoints (b) in the methods of one class, with a sum over the locals at each.
#include <stdint.h>

#include "ti_common.h"

static jvmtiEnv *ti;
static jclass watched;

enum { EVENTS_MAX = 4000 };
static struct {
    char kind;
    int location;
    uint64_t locals;
} events[EVENTS_MAX];
static int event_count;

static uint64_t sum_of_locals(jmethodID method)
{
    uint64_t sum = 0;
    jint max;
    MUST((*ti)->GetMaxLocals(ti, method, &max));
    for (jint slot = 0; slot < max; slot++) {
        jint i;
        jlong j;
        jdouble d;
        if ((*ti)->GetLocalInt(ti, NULL, 0, slot, &i) == JVMTI_ERROR_NONE)
            sum = sum * 31 + (uint32_t)i;
        else if ((*ti)->GetLocalLong(ti, NULL, 0, slot, &j) == JVMTI_ERROR_NONE)
            sum = sum * 37 + (uint64_t)j;
        else if ((*ti)->GetLocalDouble(ti, NULL, 0, slot, &d) == JVMTI_ERROR_NONE)
            sum = sum * 41 + (uint64_t)(int64_t)(d * 1000);
    }
    return sum;
}

static void record(JNIEnv *jni, jmethodID method, jlocation location, char kind)
{
    jclass c;
    MUST((*ti)->GetMethodDeclaringClass(ti, method, &c));
    if (watched && (*jni)->IsSameObject(jni, c, watched) && event_count < EVENTS_MAX) {
        events[event_count].kind = kind;
        events[event_count].location = (int)location;
        events[event_count++].locals = sum_of_locals(method);
    }
    (*jni)->DeleteLocalRef(jni, c);
}

static void JNICALL on_breakpoint(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method,
                                  jlocation location)
{
    (void)env, (void)thread;
    record(jni, method, location, 'b');
}

static void JNICALL on_step(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method,
                            jlocation location)
{
    (void)env, (void)thread;
    record(jni, method, location, 's');
}

JNIEXPORT void JNICALL Java_Fused_watch(JNIEnv *jni, jclass c, jclass what);
JNIEXPORT void JNICALL Java_Fused_step(JNIEnv *jni, jclass c, jboolean on);
JNIEXPORT void JNICALL Java_Fused_breakAt(JNIEnv *jni, jclass c, jstring name, jint location);
JNIEXPORT void JNICALL Java_Fused_clearAt(JNIEnv *jni, jclass c, jstring name, jint location);
JNIEXPORT jstring JNICALL Java_Fused_events(JNIEnv *jni, jclass c);
JNIEXPORT jintArray JNICALL Java_Fused_locations(JNIEnv *jni, jclass c);

JNIEXPORT void JNICALL Java_Fused_watch(JNIEnv *jni, jclass c, jclass what)
{
    (void)c;
    watched = (*jni)->NewGlobalRef(jni, what);
}

JNIEXPORT void JNICALL Java_Fused_step(JNIEnv *jni, jclass c, jboolean on)
{
    (void)jni, (void)c;
    MUST((*ti)->SetEventNotificationMode(ti, on ? JVMTI_ENABLE : JVMTI_DISABLE,
                                         JVMTI_EVENT_SINGLE_STEP, NULL));
}

static jmethodID method_named(JNIEnv *jni, jstring name)
{
    jint count;
    jmethodID *methods, found = NULL;
    const char *wanted = (*jni)->GetStringUTFChars(jni, name, NULL);
    MUST((*ti)->GetClassMethods(ti, watched, &count, &methods));
    for (jint i = 0; i < count; i++) {
        char *n;
        MUST((*ti)->GetMethodName(ti, methods[i], &n, NULL, NULL));
        if (strcmp(n, wanted) == 0)
            found = methods[i];
        (*ti)->Deallocate(ti, (unsigned char *)n);
    }
    (*ti)->Deallocate(ti, (unsigned char *)methods);
    (*jni)->ReleaseStringUTFChars(jni, name, wanted);
    return found;
}

JNIEXPORT void JNICALL Java_Fused_breakAt(JNIEnv *jni, jclass c, jstring name, jint location)
{
    (void)c;
    MUST((*ti)->SetBreakpoint(ti, method_named(jni, name), location));
}

JNIEXPORT void JNICALL Java_Fused_clearAt(JNIEnv *jni, jclass c, jstring name, jint location)
{
    (void)c;
    MUST((*ti)->ClearBreakpoint(ti, method_named(jni, name), location));
}

JNIEXPORT jstring JNICALL Java_Fused_events(JNIEnv *jni, jclass c)
{
    static char text[EVENTS_MAX * 32];
    size_t length = 0;
    (void)c;
    text[0] = 0;
    for (int i = 0; i < event_count; i++)
        length +=
            (size_t)snprintf(text + length, sizeof text - length, " %c%d:%llx", events[i].kind,
                             events[i].location, (unsigned long long)events[i].locals);
    event_count = 0;
    return (*jni)->NewStringUTF(jni, text);
}

JNIEXPORT jintArray JNICALL Java_Fused_locations(JNIEnv *jni, jclass c)
{
    (void)c;
    jintArray result = (*jni)->NewIntArray(jni, event_count);
    for (int i = 0; i < event_count; i++) {
        jint location = events[i].location;
        (*jni)->SetIntArrayRegion(jni, result, i, 1, &location);
    }
    return result;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    jvmtiEventCallbacks callbacks = {.Breakpoint = on_breakpoint, .SingleStep = on_step};
    jvmtiCapabilities caps = {.can_access_local_variables = 1,
                              .can_generate_single_step_events = 1,
                              .can_generate_breakpoint_events = 1};
    ti = new_env(vm, JVMTI_VERSION_1_2);
    MUST((*ti)->AddCapabilities(ti, &caps));
    MUST((*ti)->SetEventCallbacks(ti, &callbacks, sizeof callbacks));
    enable(ti, JVMTI_EVENT_BREAKPOINT);
    return 0;
}
