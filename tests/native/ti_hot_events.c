// SPDX-License-Identifier: Apache-2.0
// Sums up breakpoints, accesses to watched fields and steps with what the frames hold there, and does something at one of them.
#include "ti_common.h"

#include <stdbool.h>
#include <stdint.h>

enum { NOTHING, SET_LOCAL, THROW, RETURN, CLEAR, STEP, POP, MOVE, COLLECT };

static jvmtiEnv *ti;
static jclass work;
static jrawMonitorID monitor;
static volatile int hits, at_hit, action; // of the thread that works
static volatile uint32_t sum;
static volatile int steps_left;
static volatile int stands; // a thread waits to be popped

static void mix(uint32_t x)
{
    sum = (sum ^ x) * 0x01000193u;
}

static jmethodID find(JNIEnv *jni, const char *name)
{
    jint count;
    jmethodID *all, found = NULL;
    MUST((*ti)->GetClassMethods(ti, work, &count, &all));
    for (jint i = 0; i < count; i++) {
        char *n;
        MUST((*ti)->GetMethodName(ti, all[i], &n, NULL, NULL));
        if (strcmp(n, name) == 0)
            found = all[i];
        release(ti, n);
    }
    release(ti, all);
    (void)jni;
    return found;
}

// The ints of the youngest frames.
static void mix_locals(void)
{
    static const struct {
        jint depth, slot;
    } at[] = {{0, 1}, {0, 2}, {1, 1}};
    for (int i = 0; i < 3; i++) {
        jint v;
        if ((*ti)->GetLocalInt(ti, NULL, at[i].depth, at[i].slot, &v) == JVMTI_ERROR_NONE)
            mix((uint32_t)v);
    }
}

static void wait_to_be_popped(void)
{
    MUST((*ti)->RawMonitorEnter(ti, monitor));
    stands = 1;
    MUST((*ti)->RawMonitorNotifyAll(ti, monitor));
    while (stands)
        MUST((*ti)->RawMonitorWait(ti, monitor, 0));
    MUST((*ti)->RawMonitorExit(ti, monitor));
}

static void set_first_int(void)
{
    for (jint slot = 0; slot < 4; slot++)
        if ((*ti)->SetLocalInt(ti, NULL, 0, slot, 12345) == JVMTI_ERROR_NONE)
            return;
}

static void act(JNIEnv *jni, jmethodID m, jlocation at, bool is_breakpoint)
{
    jmethodID add;
    switch (action) {
    case SET_LOCAL: set_first_int(); break;
    case THROW:
        (*jni)->ThrowNew(jni, (*jni)->FindClass(jni, "java/lang/IllegalStateException"),
                         "here");
        break;
    case RETURN: mix((uint32_t)(*ti)->ForceEarlyReturnInt(ti, NULL, 77)); break;
    case CLEAR:
        if (is_breakpoint)
            MUST((*ti)->ClearBreakpoint(ti, m, at));
        else
            action = NOTHING;
        break;
    case STEP:
        steps_left = 40;
        MUST((*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, JVMTI_EVENT_SINGLE_STEP, NULL));
        break;
    case POP: wait_to_be_popped(); break;
    case MOVE: // to the next instruction of add, and back at its hit
        add = find(jni, "add");
        if (m != add)
            break;
        (void)!(*ti)->SetBreakpoint(ti, add, 1);
        break;
    case COLLECT: MUST((*ti)->ForceGarbageCollection(ti)); break;
    default: break;
    }
}

static void hit(JNIEnv *jni, jmethodID m, jlocation at, bool is_breakpoint)
{
    jmethodID top;
    jlocation location;
    hits++;
    MUST((*ti)->GetFrameLocation(ti, NULL, 0, &top, &location));
    if (top != m || location != at)
        say("the frame stands elsewhere");
    mix((uint32_t)at);
    mix_locals();
    if (hits == at_hit)
        act(jni, m, at, is_breakpoint);
}

static void JNICALL on_breakpoint(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID m,
                                  jlocation at)
{
    (void)env, (void)thread;
    hit(jni, m, at, true);
}

static void JNICALL on_step(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID m,
                            jlocation at)
{
    (void)env, (void)thread, (void)m, (void)jni;
    if (steps_left == 0)
        return;
    mix((uint32_t)at + 1000);
    if (--steps_left == 0)
        MUST((*ti)->SetEventNotificationMode(ti, JVMTI_DISABLE, JVMTI_EVENT_SINGLE_STEP, NULL));
}

static void mix_object(JNIEnv *jni, jobject o)
{
    mix(!o ? 1 : (*jni)->IsInstanceOf(jni, o, work) ? 2 : 3);
}

static void JNICALL on_access(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID m,
                              jlocation at, jclass c, jobject object, jfieldID field)
{
    (void)env, (void)thread, (void)field, (void)c;
    mix_object(jni, object);
    hit(jni, m, at, false);
}

static void JNICALL on_modify(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID m,
                              jlocation at, jclass c, jobject object, jfieldID field, char kind,
                              jvalue v)
{
    (void)env, (void)thread, (void)field, (void)c;
    mix_object(jni, object);
    mix((uint32_t)kind);
    switch (kind) {
    case 'L': mix_object(jni, v.l); break;
    case 'D':
    case 'J':
        mix((uint32_t)v.j);
        mix((uint32_t)(v.j >> 32));
        break;
    case 'B': mix((uint32_t)v.b); break;
    default: mix((uint32_t)v.i); break;
    }
    hit(jni, m, at, false);
}

#define NATIVE(type, name, ...) \
    EXPORT(type, Java_HotEvents_##name, JNIEnv *jni, jclass unused __VA_OPT__(, ) __VA_ARGS__)

static jmethodID named(JNIEnv *jni, jstring name)
{
    const char *chars = (*jni)->GetStringUTFChars(jni, name, NULL);
    if (!work)
        work = (*jni)->NewGlobalRef(jni, (*jni)->FindClass(jni, "HotEvents$Work"));
    jmethodID m = find(jni, chars);
    (*jni)->ReleaseStringUTFChars(jni, name, chars);
    return m;
}

static jint length_of(unsigned char op)
{
    if (op == 0x10 || op == 0x12 || (op >= 0x15 && op <= 0x19) || (op >= 0x36 && op <= 0x3a)
        || op == 0xbc) // bipush, ldc, loads, stores, newarray
        return 2;
    if (op == 0xb9) // invokeinterface
        return 5;
    bool three = op == 0x11 || op == 0x13 || op == 0x14 || op == 0x84
                 || (op >= 0x99 && op <= 0xa7) || (op >= 0xb2 && op <= 0xc1);
    return three && op != 0xbe && op != 0xbf ? 3 : 1;
}

// Where the instructions of a method of Work begin.
NATIVE(jintArray, places, jstring method)
{
    (void)unused;
    jint length, count = 0, starts[300];
    unsigned char *bytes;
    MUST((*ti)->GetBytecodes(ti, named(jni, method), &length, &bytes));
    for (jint at = 0; at < length; at += length_of(bytes[at]))
        starts[count++] = at;
    release(ti, bytes);
    jintArray a = (*jni)->NewIntArray(jni, count);
    (*jni)->SetIntArrayRegion(jni, a, 0, count, starts);
    return a;
}

NATIVE(void, breakAt, jstring method, jint at, jboolean on)
{
    (void)unused;
    jmethodID m = named(jni, method);
    jvmtiError error = on ? (*ti)->SetBreakpoint(ti, m, at) : (*ti)->ClearBreakpoint(ti, m, at);
    if (error != JVMTI_ERROR_NOT_FOUND) // what the agent has cleared
        MUST(error);
}

NATIVE(void, breakInit, jboolean on)
{
    (void)unused;
    jclass object = (*jni)->FindClass(jni, "java/lang/Object");
    jmethodID m = (*jni)->GetMethodID(jni, object, "<init>", "()V");
    MUST(on ? (*ti)->SetBreakpoint(ti, m, 0) : (*ti)->ClearBreakpoint(ti, m, 0));
}

NATIVE(void, watch, jstring name, jboolean modification, jboolean on)
{
    (void)unused;
    const char *chars = (*jni)->GetStringUTFChars(jni, name, NULL);
    jint count;
    jfieldID *all;
    MUST((*ti)->GetClassFields(ti, work, &count, &all));
    for (jint i = 0; i < count; i++) {
        char *n;
        MUST((*ti)->GetFieldName(ti, work, all[i], &n, NULL, NULL));
        if (strcmp(n, chars) == 0 && modification)
            MUST(on ? (*ti)->SetFieldModificationWatch(ti, work, all[i])
                    : (*ti)->ClearFieldModificationWatch(ti, work, all[i]));
        else if (strcmp(n, chars) == 0)
            MUST(on ? (*ti)->SetFieldAccessWatch(ti, work, all[i])
                    : (*ti)->ClearFieldAccessWatch(ti, work, all[i]));
        release(ti, n);
    }
    release(ti, all);
    (*jni)->ReleaseStringUTFChars(jni, name, chars);
}

NATIVE(void, act, jint what, jint at)
{
    (void)unused;
    action = what;
    at_hit = at;
    if (what == NOTHING) {
        (void)!(*ti)->ClearBreakpoint(ti, find(jni, "add"), 1);
        (void)!(*ti)->SetEventNotificationMode(ti, JVMTI_DISABLE, JVMTI_EVENT_SINGLE_STEP,
                                               NULL);
    }
}

NATIVE(jstring, seen)
{
    char text[100];
    (void)unused;
    snprintf(text, sizeof text, "%d times, %08x", hits, (unsigned)sum);
    hits = 0;
    sum = 0;
    return (*jni)->NewStringUTF(jni, text);
}

NATIVE(void, pop, jthread t)
{
    (void)jni, (void)unused;
    MUST((*ti)->RawMonitorEnter(ti, monitor));
    while (!stands)
        MUST((*ti)->RawMonitorWait(ti, monitor, 0));
    MUST((*ti)->SuspendThread(ti, t));
    MUST((*ti)->PopFrame(ti, t));
    stands = 0;
    MUST((*ti)->RawMonitorNotifyAll(ti, monitor));
    MUST((*ti)->RawMonitorExit(ti, monitor));
    MUST((*ti)->ResumeThread(ti, t));
}

EXPORT(jint, Agent_OnLoad, JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    ti = new_env(vm, JVMTI_VERSION_1_2);
    jvmtiCapabilities caps = {.can_generate_field_access_events = 1,
                              .can_generate_field_modification_events = 1,
                              .can_generate_breakpoint_events = 1,
                              .can_generate_single_step_events = 1,
                              .can_access_local_variables = 1,
                              .can_force_early_return = 1,
                              .can_pop_frame = 1,
                              .can_suspend = 1,
                              .can_get_bytecodes = 1};
    MUST((*ti)->AddCapabilities(ti, &caps));
    MUST((*ti)->CreateRawMonitor(ti, "pop", &monitor));
    jvmtiEventCallbacks callbacks = {.FieldAccess = on_access,
                                     .FieldModification = on_modify,
                                     .Breakpoint = on_breakpoint,
                                     .SingleStep = on_step};
    MUST((*ti)->SetEventCallbacks(ti, &callbacks, sizeof callbacks));
    enable(ti, JVMTI_EVENT_FIELD_ACCESS);
    enable(ti, JVMTI_EVENT_FIELD_MODIFICATION);
    enable(ti, JVMTI_EVENT_BREAKPOINT);
    return 0;
}
