// SPDX-License-Identifier: Apache-2.0
// For tests/agents/CompiledFrames.java.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>
#include <unistd.h>

#include "ti_common.h"

static JavaVM *vm_of_agent;
static jvmtiEnv *ti;
static jmethodID work, spin, stepped, fib;
enum { NOTHING, SET_LOCALS, NOTIFY_POPS, BREAK, STEP };
enum { WIDE = 1, HALF = 3, TEXT = 5, MINE = 7 }; // slots of `work`

// ---- events ----

static void JNICALL on_pop(jvmtiEnv *env, JNIEnv *jni, jthread t, jmethodID m, jboolean thrown)
{
    jint mine = -1;
    if (m == work)
        MUST((*env)->GetLocalInt(env, t, 0, MINE, &mine));
    say("  popped %s%s, %d", method_name(env, jni, m), thrown ? " by an exception" : "", mine);
}

static void JNICALL on_breakpoint(jvmtiEnv *env, JNIEnv *jni, jthread t, jmethodID m,
                                  jlocation at)
{
    jint n;
    (void)jni;
    MUST((*env)->GetLocalInt(env, t, 0, 0, &n));
    say("  breakpoint at %d, n %d", (int)at, n);
    MUST((*env)->ClearBreakpoint(env, m, at));
}

static jlocation last_step;
static int steps;
static _Atomic jlocation first_step;  // in `spin`; -1: none yet
static _Atomic jint first_depth = -1; // frames at the first step; 0: it is waited for
static jmethodID first_method;        // where that was
static jlocation first_location;
static void JNICALL on_step(jvmtiEnv *env, JNIEnv *jni, jthread t, jmethodID m, jlocation at)
{
    (void)jni;
    jint frames = 0;
    if (first_depth == 0) {
        MUST((*env)->GetFrameCount(env, t, &frames));
        first_method = m;
        first_location = at;
        first_depth = frames;
    }
    if (m == spin && first_step < 0)
        first_step = at;
    if (m != stepped)
        return;
    steps++;
    last_step = at;
}

static void JNICALL on_method_exit(jvmtiEnv *env, JNIEnv *jni, jthread t, jmethodID m,
                                   jboolean thrown, jvalue value)
{
    (void)jni, (void)thrown;
    if (m != stepped)
        return;
    say("  left with %d after %d steps, the last at %d", value.i, steps, (int)last_step);
    MUST((*env)->SetEventNotificationMode(env, JVMTI_DISABLE, JVMTI_EVENT_SINGLE_STEP, t));
    disable(env, JVMTI_EVENT_METHOD_EXIT);
}

// ---- the current thread ----

// Depths: 0 is `tool`, 1 `bottom`, 2 `work` with n 0.
static void set_locals(JNIEnv *jni)
{
    jint mine;
    jlong wide;
    jdouble half;
    jobject text;
    MUST((*ti)->GetLocalInt(ti, NULL, 3, MINE, &mine));
    MUST((*ti)->GetLocalLong(ti, NULL, 4, WIDE, &wide));
    MUST((*ti)->GetLocalDouble(ti, NULL, 5, HALF, &half));
    MUST((*ti)->GetLocalObject(ti, NULL, 6, TEXT, &text));
    say("  %d, %d, %g, %d", mine, (int)wide, half, (*jni)->GetStringLength(jni, text));
    MUST((*ti)->SetLocalInt(ti, NULL, 3, MINE, 100000));
    MUST((*ti)->SetLocalLong(ti, NULL, 4, WIDE, 200000));
    MUST((*ti)->SetLocalDouble(ti, NULL, 5, HALF, 400000));
    MUST((*ti)->SetLocalObject(ti, NULL, 6, TEXT, (*jni)->NewStringUTF(jni, "twelve chars")));
    MUST((*ti)->ForceGarbageCollection(ti));
    MUST((*ti)->GetLocalInt(ti, NULL, 3, MINE, &mine));
    MUST((*ti)->GetLocalObject(ti, NULL, 6, TEXT, &text));
    say("  %d, %d", mine, (*jni)->GetStringLength(jni, text));
}

static void show_monitors(void)
{
    jint count;
    jvmtiMonitorStackDepthInfo *info;
    MUST((*ti)->GetOwnedMonitorStackDepthInfo(ti, NULL, &count, &info));
    for (jint i = 0; i < count; i++)
        say("  a monitor at depth %d", info[i].stack_depth);
    release(ti, info);
}

static jlocation where(jmethodID m, jint line)
{
    jint count;
    jlocation at = 0;
    jvmtiLineNumberEntry *lines;
    MUST((*ti)->GetLineNumberTable(ti, m, &count, &lines));
    at = lines[line < count ? line : count - 1].start_location;
    release(ti, lines);
    return at;
}

EXPORT(jint, Java_CompiledFrames_tool, JNIEnv *jni, jclass c, jint what)
{
    (void)c;
    switch (what) {
    case SET_LOCALS: set_locals(jni); break;
    case NOTIFY_POPS:
        show_monitors();
        MUST((*ti)->NotifyFramePop(ti, NULL, 2));
        MUST((*ti)->NotifyFramePop(ti, NULL, 4));
        show_monitors();
        break;
    case BREAK: MUST((*ti)->SetBreakpoint(ti, work, where(work, 2))); break;
    case STEP: {
        jthread self;
        MUST((*ti)->GetCurrentThread(ti, &self));
        MUST((*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, JVMTI_EVENT_SINGLE_STEP, self));
        enable(ti, JVMTI_EVENT_METHOD_EXIT);
        break;
    }
    default: break;
    }
    return what;
}

// ---- a thread in a loop ----

static jmethodID top(jthread t)
{
    jmethodID m = NULL;
    jlocation at;
    return (*ti)->GetFrameLocation(ti, t, 0, &m, &at) == JVMTI_ERROR_NONE ? m : NULL;
}

// Suspended in `spin`.
static void suspend_spinning(jthread t)
{
    for (;;) {
        usleep(20000);
        MUST((*ti)->SuspendThread(ti, t));
        if (top(t) == spin)
            return;
        MUST((*ti)->ResumeThread(ti, t));
    }
}

EXPORT(jint, Java_CompiledFrames_pop, JNIEnv *jni, jclass c, jthread t, jint argument)
{
    (void)jni, (void)c;
    suspend_spinning(t);
    MUST((*ti)->SetLocalInt(ti, t, 0, 0, argument));
    jvmtiError error = (*ti)->PopFrame(ti, t);
    MUST((*ti)->ResumeThread(ti, t));
    if (error == JVMTI_ERROR_NONE)
        suspend_spinning(t); // it came back
    MUST((*ti)->ResumeThread(ti, t));
    return error;
}

// Whether the first step that is told is not from where the thread stood.
EXPORT(jint, Java_CompiledFrames_step, JNIEnv *jni, jclass c, jthread t)
{
    jmethodID m;
    jlocation at;
    (void)jni, (void)c;
    suspend_spinning(t);
    MUST((*ti)->GetFrameLocation(ti, t, 0, &m, &at));
    first_step = -1;
    MUST((*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, JVMTI_EVENT_SINGLE_STEP, t));
    MUST((*ti)->ResumeThread(ti, t));
    while (first_step < 0)
        usleep(100);
    MUST((*ti)->SetEventNotificationMode(ti, JVMTI_DISABLE, JVMTI_EVENT_SINGLE_STEP, t));
    return first_step != at;
}

EXPORT(jint, Java_CompiledFrames_force, JNIEnv *jni, jclass c, jthread t, jint result)
{
    (void)jni, (void)c;
    suspend_spinning(t);
    jvmtiError error = (*ti)->ForceEarlyReturnInt(ti, t, result);
    MUST((*ti)->ResumeThread(ti, t));
    return error;
}

EXPORT(jint, Java_CompiledFrames_stop, JNIEnv *jni, jclass c, jthread t, jthrowable e)
{
    (void)jni, (void)c;
    suspend_spinning(t);
    jvmtiError error = (*ti)->StopThread(ti, t, e);
    MUST((*ti)->ResumeThread(ti, t));
    usleep(20000); // it leaves its loop before that ends by itself
    return error;
}

// Until the thread has run code of its own: it is in no callback that began before.
static void await_turn(JNIEnv *jni, jclass c)
{
    jfieldID turns = (*jni)->GetStaticFieldID(jni, c, "turns", "I");
    for (jint before = (*jni)->GetStaticIntField(jni, c, turns);
         (*jni)->GetStaticIntField(jni, c, turns) == before;)
        usleep(100);
}

// Pops frames of a recursion that polls only where it calls. How often the first step behind was not that of the call
// that is done again.
EXPORT(jint, Java_CompiledFrames_unwound, JNIEnv *jni, jclass c, jthread t, jint times)
{
    jint wrong = 0;
    while (times > 0) {
        jint frames;
        jmethodID caller = NULL;
        jlocation call = -1;
        MUST((*ti)->SuspendThread(ti, t));
        MUST((*ti)->GetFrameCount(ti, t, &frames));
        (void)(*ti)->GetFrameLocation(ti, t, 1, &caller, &call);
        if (top(t) == fib && (*ti)->PopFrame(ti, t) == JVMTI_ERROR_NONE) {
            first_depth = 0;
            MUST((*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, JVMTI_EVENT_SINGLE_STEP, t));
            MUST((*ti)->ResumeThread(ti, t));
            while (first_depth == 0)
                usleep(100);
            MUST(
                (*ti)->SetEventNotificationMode(ti, JVMTI_DISABLE, JVMTI_EVENT_SINGLE_STEP, t));
            if (first_depth != frames - 1 || first_method != caller || first_location != call) {
                say("of %d frames %d are left, at %d in place of %d", (int)frames,
                    (int)first_depth, (int)first_location, (int)call);
                wrong++;
            }
            await_turn(jni, c);
            times--;
        } else {
            MUST((*ti)->ResumeThread(ti, t));
        }
        usleep(300);
    }
    return wrong;
}

// ---- two agents and a profiler ----

typedef struct {
    jint lineno;
    jmethodID method_id;
} CallFrame;
typedef struct {
    JNIEnv *env;
    jint count;
    CallFrame *frames;
} CallTrace;
static void (*get_call_trace)(CallTrace *trace, jint depth, void *context);
static pthread_barrier_t barrier;
static _Atomic int traces;

static void on_signal(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)info;
    CallFrame frames[64];
    JNIEnv *jni = NULL;
    if ((*vm_of_agent)->GetEnv(vm_of_agent, (void **)&jni, JNI_VERSION_1_8) != JNI_OK)
        return;
    CallTrace trace = {jni, 0, frames};
    get_call_trace(&trace, 64, context);
    traces += trace.count > 10;
}
static void profile(long micros)
{
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigaction(SIGPROF, &action, NULL);
    struct itimerval every = {{0, micros}, {0, micros}};
    setitimer(ITIMER_PROF, &every, NULL);
}

// Reads and writes what is there, and asks for pops.
static void disturb(jthread t, unsigned seed)
{
    jvmtiFrameInfo frames[32];
    jint count = 0, mine;
    MUST((*ti)->GetStackTrace(ti, t, 0, 32, frames, &count));
    for (jint i = 0; i < count; i++) {
        jint depth = (i * 7 + (jint)seed) % count;
        if (frames[depth].method != work
            || (*ti)->GetLocalInt(ti, t, depth, MINE, &mine) != JVMTI_ERROR_NONE)
            continue;
        jobject text;
        MUST((*ti)->GetLocalObject(ti, t, depth, TEXT, &text));
        MUST((*ti)->SetLocalInt(ti, t, depth, MINE, mine));
        MUST((*ti)->SetLocalObject(ti, t, depth, TEXT, text));
    }
}

EXPORT(void, Java_CompiledFrames_lead, JNIEnv *jni, jclass c, jthread t, jint rounds)
{
    (void)jni, (void)c;
    profile(500);
    for (jint i = 0; i < rounds; i++) {
        MUST((*ti)->SuspendThread(ti, t));
        pthread_barrier_wait(&barrier);
        (*jni)->PushLocalFrame(jni, 64);
        disturb(t, (unsigned)i);
        if (i % 10 == 0)
            MUST((*ti)->ForceGarbageCollection(ti));
        (*jni)->PopLocalFrame(jni, NULL);
        pthread_barrier_wait(&barrier);
        if (top(t) == work)
            (void)(*ti)->PopFrame(ti, t);
        MUST((*ti)->ResumeThread(ti, t));
        usleep(200);
    }
    // The kernel's clock may have met other threads alone, while this one was let go for moments.
    for (int waited = 0; traces == 0 && waited < 10000; waited++)
        usleep(1000);
    profile(0);
}

EXPORT(void, Java_CompiledFrames_follow, JNIEnv *jni, jclass c, jthread t, jint rounds)
{
    (void)c;
    for (jint i = 0; i < rounds; i++) {
        pthread_barrier_wait(&barrier);
        (*jni)->PushLocalFrame(jni, 64);
        disturb(t, (unsigned)i * 3);
        (*jni)->PopLocalFrame(jni, NULL);
        pthread_barrier_wait(&barrier);
    }
}

EXPORT(jboolean, Java_CompiledFrames_traced, JNIEnv *jni, jclass c)
{
    (void)jni, (void)c;
    return traces > 0;
}

// ---- start ----

static void JNICALL on_prepare(jvmtiEnv *env, JNIEnv *jni, jthread t, jclass c)
{
    (void)t;
    if (strcmp(class_name(env, c), "LCompiledFrames;") != 0)
        return;
    work = (*jni)->GetStaticMethodID(jni, c, "work", "(IJDLjava/lang/String;I)I");
    spin = (*jni)->GetStaticMethodID(jni, c, "spin", "(III)I");
    fib = (*jni)->GetStaticMethodID(jni, c, "fib", "(I)I");
    stepped = (*jni)->GetStaticMethodID(jni, c, "stepped", "(I)I");
    disable(env, JVMTI_EVENT_CLASS_PREPARE);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    vm_of_agent = vm;
    ti = new_env(vm, JVMTI_VERSION_1_2);
    *(void **)&get_call_trace = dlsym(RTLD_DEFAULT, "AsyncGetCallTrace");
    pthread_barrier_init(&barrier, NULL, 2);
    jvmtiCapabilities can = {.can_access_local_variables = 1,
                             .can_generate_frame_pop_events = 1,
                             .can_generate_breakpoint_events = 1,
                             .can_generate_single_step_events = 1,
                             .can_generate_method_exit_events = 1,
                             .can_get_owned_monitor_stack_depth_info = 1,
                             .can_get_line_numbers = 1,
                             .can_pop_frame = 1,
                             .can_force_early_return = 1,
                             .can_signal_thread = 1,
                             .can_suspend = 1};
    MUST((*ti)->AddCapabilities(ti, &can));
    jvmtiEventCallbacks callbacks = {.FramePop = on_pop,
                                     .Breakpoint = on_breakpoint,
                                     .SingleStep = on_step,
                                     .MethodExit = on_method_exit,
                                     .ClassPrepare = on_prepare};
    MUST((*ti)->SetEventCallbacks(ti, &callbacks, sizeof callbacks));
    enable(ti, JVMTI_EVENT_CLASS_PREPARE);
    enable(ti, JVMTI_EVENT_FRAME_POP);
    enable(ti, JVMTI_EVENT_BREAKPOINT);
    return JNI_OK;
}
