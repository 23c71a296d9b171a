// SPDX-License-Identifier: Apache-2.0
// Rules of the sending of events: in which phases, on which thread and in what state, from within
// handlers, while environments are disposed of, and what handlers may call.
#include <stdatomic.h>
#include <unistd.h>

#include "ti_rules.h"

static JavaVM *java_vm;
static jvmtiEnv *ti, *leaving, *collector;
static jrawMonitorID entered_early, gate;

static jvmtiPhase phase_of(jvmtiEnv *env)
{
    jvmtiPhase phase;
    MUST((*env)->GetPhase(env, &phase));
    return phase;
}

// ---- the start: D9, N3, R2 ----
static bool too_early, bound_with_jni; // against D9, N3
static int events_before_live;

// Events that are sent in the live phase alone.
static void live_only(const char *what)
{
    if (phase_of(ti) != JVMTI_PHASE_LIVE && !too_early)
        say("%s is sent too early", what);
    too_early |= phase_of(ti) != JVMTI_PHASE_LIVE;
}
static void from_start(void)
{
    events_before_live += phase_of(ti) != JVMTI_PHASE_LIVE;
}

static void JNICALL on_exception(jvmtiEnv *env, JNIEnv *jni, jthread t, jmethodID m,
                                 jlocation at, jobject e, jmethodID catcher, jlocation catch_at)
{
    (void)env, (void)jni, (void)t, (void)m, (void)at, (void)e, (void)catcher, (void)catch_at;
    live_only("on_exception");
}
static void JNICALL on_catch(jvmtiEnv *env, JNIEnv *jni, jthread t, jmethodID m, jlocation at,
                             jobject e)
{
    (void)env, (void)jni, (void)t, (void)m, (void)at, (void)e;
    live_only("on_catch");
}
static void JNICALL on_step(jvmtiEnv *env, JNIEnv *jni, jthread t, jmethodID m, jlocation at)
{
    (void)env, (void)jni, (void)t, (void)m, (void)at;
    live_only("on_step");
}
static void JNICALL on_alloc(jvmtiEnv *env, JNIEnv *jni, jthread t, jobject o, jclass c,
                             jlong size)
{
    (void)env, (void)jni, (void)t, (void)o, (void)c, (void)size;
    live_only("on_alloc");
}
static void JNICALL on_monitor(jvmtiEnv *env, JNIEnv *jni, jthread t, jobject o)
{
    (void)env, (void)jni, (void)t, (void)o;
    live_only("on_monitor");
}
static void JNICALL on_wait(jvmtiEnv *env, JNIEnv *jni, jthread t, jobject o, jlong timeout)
{
    (void)env, (void)jni, (void)t, (void)o, (void)timeout;
    live_only("on_wait");
}
static void JNICALL on_class(jvmtiEnv *env, JNIEnv *jni, jthread t, jclass c)
{
    (void)env, (void)jni, (void)t, (void)c;
    from_start();
}
static void JNICALL on_generated(jvmtiEnv *env, const char *name, const void *at, jint size)
{
    (void)env, (void)name, (void)at, (void)size;
}

static jint JNICALL other_body(JNIEnv *jni, jclass c)
{
    (void)jni, (void)c;
    return 2;
}

EXPORT(jint, Java_RulesEvents_bound, JNIEnv *jni, jclass c)
{
    (void)jni, (void)c;
    return 1;
}

static void JNICALL on_bind(jvmtiEnv *env, JNIEnv *jni, jthread t, jmethodID m, void *address,
                            void **new_address)
{
    (void)t, (void)address;
    from_start();
    if (phase_of(env) == JVMTI_PHASE_PRIMORDIAL) {
        bound_with_jni |= jni != NULL;
        return;
    }
    if (strcmp(method_name(env, jni, m), "LRulesEvents;.bound()I") == 0)
        *new_address = (void *)other_body;
}

static void JNICALL on_init(jvmtiEnv *env, JNIEnv *jni, jthread thread)
{
    (void)jni, (void)thread;
    RULE("D9", !too_early && events_before_live > 0);
    RULE("N3", !bound_with_jni);
    RULE("R2",
         (*env)->RawMonitorExit(env, entered_early) == JVMTI_ERROR_NONE
             && (*env)->RawMonitorExit(env, entered_early) == JVMTI_ERROR_NOT_MONITOR_OWNER);
    static const jvmtiEvent noisy[] = {JVMTI_EVENT_SINGLE_STEP, JVMTI_EVENT_VM_OBJECT_ALLOC,
                                       JVMTI_EVENT_EXCEPTION, JVMTI_EVENT_EXCEPTION_CATCH};
    for (size_t i = 0; i < sizeof noisy / sizeof *noisy; i++)
        disable(env, noisy[i]);
}

static void listen_from_the_start(void)
{
    static const jvmtiEvent events[] = {JVMTI_EVENT_VM_INIT,
                                        JVMTI_EVENT_CLASS_LOAD,
                                        JVMTI_EVENT_CLASS_PREPARE,
                                        JVMTI_EVENT_NATIVE_METHOD_BIND,
                                        JVMTI_EVENT_EXCEPTION,
                                        JVMTI_EVENT_EXCEPTION_CATCH,
                                        JVMTI_EVENT_SINGLE_STEP,
                                        JVMTI_EVENT_VM_OBJECT_ALLOC,
                                        JVMTI_EVENT_MONITOR_CONTENDED_ENTER,
                                        JVMTI_EVENT_MONITOR_CONTENDED_ENTERED,
                                        JVMTI_EVENT_MONITOR_WAIT};
    jvmtiEventCallbacks callbacks = {.VMInit = on_init,
                                     .ClassLoad = on_class,
                                     .ClassPrepare = on_class,
                                     .NativeMethodBind = on_bind,
                                     .Exception = on_exception,
                                     .ExceptionCatch = on_catch,
                                     .SingleStep = on_step,
                                     .VMObjectAlloc = on_alloc,
                                     .MonitorContendedEnter = on_monitor,
                                     .MonitorContendedEntered = on_monitor,
                                     .MonitorWait = on_wait};
    MUST((*ti)->SetEventCallbacks(ti, &callbacks, sizeof callbacks));
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        enable(ti, events[i]);
}

// ---- what a handler finds: F12 to F15 ----
static _Thread_local int prepare_depth, deepest;
static jclass found_class;
static jint state_in_handler;
static bool local_in_handler;

static void JNICALL on_prepare(jvmtiEnv *env, JNIEnv *jni, jthread thread, jclass c)
{
    const char *name = class_name(env, c);
    deepest = ++prepare_depth > deepest ? prepare_depth : deepest;
    if (strcmp(name, "LRulesEvents$First;") == 0) {
        MUST((*env)->GetThreadState(env, thread, &state_in_handler));
        local_in_handler = (*jni)->GetObjectRefType(jni, thread) == JNILocalRefType
                           && (*jni)->GetObjectRefType(jni, c) == JNILocalRefType;
        jclass next = (*jni)->FindClass(jni, "RulesEvents$Second");
        (*jni)->GetStaticFieldID(jni, next, "x", "I"); // initializes it
        found_class = (*jni)->NewGlobalRef(jni, next);
    }
    prepare_depth--;
}

EXPORT(jclass, Java_RulesEvents_watchPreparing, JNIEnv *jni, jclass c, jboolean on)
{
    jvmtiEventCallbacks callbacks = {.ClassPrepare = on_prepare};
    (void)jni, (void)c;
    MUST((*ti)->SetEventCallbacks(ti, &callbacks, sizeof callbacks));
    if (on) {
        enable(ti, JVMTI_EVENT_CLASS_PREPARE);
        return NULL;
    }
    disable(ti, JVMTI_EVENT_CLASS_PREPARE);
    // Interrupted before and now: neither suspended nor changed by the event.
    jint now;
    MUST((*ti)->GetThreadState(ti, NULL, &now));
    enum { BUT_NATIVE = ~JVMTI_THREAD_STATE_IN_NATIVE };
    RULE("F12", (state_in_handler & BUT_NATIVE) == 0x200005 && (now & BUT_NATIVE) == 0x200005);
    RULE("F13", local_in_handler);
    RULE("F15", deepest == 2);
    return found_class;
}

// ---- environments that go: B10 ----
static int seen_by_leaving;
static bool completed, waits;

static void JNICALL on_leaving(jvmtiEnv *env, JNIEnv *jni, jthread thread, jclass c)
{
    const char *name = class_name(ti, c);
    bool is_slow = strcmp(name, "LRulesEvents$Slow;") == 0;
    if (!is_slow && strcmp(name, "LRulesEvents$Last;") != 0
        && strcmp(name, "LRulesEvents$After;") != 0)
        return;
    seen_by_leaving++;
    if (is_slow) { // while another thread disposes
        MUST((*ti)->RawMonitorEnter(ti, gate));
        waits = true;
        MUST((*ti)->RawMonitorNotifyAll(ti, gate));
        while (waits)
            MUST((*ti)->RawMonitorWait(ti, gate, 0));
        MUST((*ti)->RawMonitorExit(ti, gate));
    } else {
        MUST((*env)->DisposeEnvironment(env));
    }
    // Its references and the other environment still work.
    completed = (*jni)->GetObjectRefType(jni, c) == JNILocalRefType
                && strlen(thread_name(ti, jni, thread)) > 0;
}

static void make_leaving(void)
{
    jvmtiEventCallbacks callbacks = {.ClassPrepare = on_leaving};
    seen_by_leaving = 0;
    completed = false;
    leaving = new_env(java_vm, JVMTI_VERSION_1_2);
    MUST((*leaving)->SetEventCallbacks(leaving, &callbacks, sizeof callbacks));
    enable(leaving, JVMTI_EVENT_CLASS_PREPARE);
}

EXPORT(void, Java_RulesEvents_makeLeaving, JNIEnv *jni, jclass c)
{
    (void)jni, (void)c;
    make_leaving();
}

// Another thread is in the handler.
EXPORT(void, Java_RulesEvents_disposeMeanwhile, JNIEnv *jni, jclass c)
{
    (void)jni, (void)c;
    MUST((*ti)->RawMonitorEnter(ti, gate));
    while (!waits)
        MUST((*ti)->RawMonitorWait(ti, gate, 0));
    MUST((*leaving)->DisposeEnvironment(leaving));
    waits = false;
    MUST((*ti)->RawMonitorNotifyAll(ti, gate));
    MUST((*ti)->RawMonitorExit(ti, gate));
}

EXPORT(jboolean, Java_RulesEvents_leftWell, JNIEnv *jni, jclass c)
{
    (void)jni, (void)c;
    return completed && seen_by_leaving == 1;
}

// ---- what a callback of the collector may call: C17 ----
static int good_calls, wrong_calls, collections;
static atomic_int in_callbacks;

static void count_call(jvmtiError error)
{
    good_calls += error == JVMTI_ERROR_NONE;
    wrong_calls += error != JVMTI_ERROR_NONE;
}

static void JNICALL on_collection(jvmtiEnv *env)
{
    unsigned char *memory;
    jrawMonitorID m;
    void *value;
    jlong nanos;
    jvmtiTimerInfo info;
    in_callbacks++;
    collections++;
    count_call((*env)->Allocate(env, 100, &memory));
    count_call((*env)->Deallocate(env, memory));
    count_call((*env)->CreateRawMonitor(env, "in a callback", &m));
    count_call((*env)->RawMonitorEnter(env, m));
    count_call((*env)->RawMonitorNotify(env, m));
    count_call((*env)->RawMonitorNotifyAll(env, m));
    count_call((*env)->RawMonitorWait(env, m, 1));
    count_call((*env)->RawMonitorExit(env, m));
    count_call((*env)->DestroyRawMonitor(env, m));
    count_call((*env)->SetEnvironmentLocalStorage(env, &collections));
    count_call((*env)->GetEnvironmentLocalStorage(env, &value));
    count_call((*env)->GetTime(env, &nanos));
    count_call((*env)->GetTimerInfo(env, &info));
    count_call((*env)->GetCurrentThreadCpuTime(env, &nanos));
    count_call((*env)->GetCurrentThreadCpuTimerInfo(env, &info));
    in_callbacks--;
}

EXPORT(void, Java_RulesEvents_collect, JNIEnv *jni, jclass c)
{
    jvmtiCapabilities caps = {.can_generate_garbage_collection_events = 1,
                              .can_get_current_thread_cpu_time = 1};
    jvmtiEventCallbacks callbacks = {.GarbageCollectionStart = on_collection,
                                     .GarbageCollectionFinish = on_collection};
    (void)jni, (void)c;
    collector = new_env(java_vm, JVMTI_VERSION_1_2);
    MUST((*collector)->AddCapabilities(collector, &caps));
    MUST((*collector)->SetEventCallbacks(collector, &callbacks, sizeof callbacks));
    enable(collector, JVMTI_EVENT_GARBAGE_COLLECTION_START);
    enable(collector, JVMTI_EVENT_GARBAGE_COLLECTION_FINISH);
    MUST((*collector)->ForceGarbageCollection(collector));
    disable(collector, JVMTI_EVENT_GARBAGE_COLLECTION_START);
    disable(collector, JVMTI_EVENT_GARBAGE_COLLECTION_FINISH);
    while (in_callbacks)
        usleep(1000); // of another thread's collection
    RULE("C17", collections >= 2 && good_calls == 15 * collections && wrong_calls == 0);
}

// ---- a class of a named module, changed on its way: L26 ----
static void JNICALL on_hook(jvmtiEnv *env, JNIEnv *jni, jclass redefined, jobject loader,
                            const char *name, jobject domain, jint length,
                            const unsigned char *bytes, jint *new_length,
                            unsigned char **new_bytes)
{
    (void)jni, (void)redefined, (void)loader, (void)domain;
    if (strcmp(name, "java/sql/Types") != 0)
        return;
    MUST((*env)->Allocate(env, length, new_bytes));
    memcpy(*new_bytes, bytes, (size_t)length);
    *new_length = length;
}

EXPORT(void, Java_RulesEvents_transform, JNIEnv *jni, jclass c)
{
    jvmtiEventCallbacks callbacks = {.ClassFileLoadHook = on_hook};
    (void)jni, (void)c;
    MUST((*ti)->SetEventCallbacks(ti, &callbacks, sizeof callbacks));
    enable(ti, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK);
}

// ---- redefinition: E11, E12, M20 ----
static int class_events, hooks;

static void JNICALL on_class_event(jvmtiEnv *env, JNIEnv *jni, jthread t, jclass c)
{
    (void)jni, (void)t;
    class_events += strcmp(class_name(env, c), "LRulesEvents$Last;") == 0;
}

static void JNICALL count_hook(jvmtiEnv *env, JNIEnv *jni, jclass redefined, jobject loader,
                               const char *name, jobject domain, jint length,
                               const unsigned char *bytes, jint *new_length,
                               unsigned char **new_bytes)
{
    (void)env, (void)jni, (void)loader, (void)name, (void)domain, (void)length, (void)bytes;
    (void)new_length, (void)new_bytes;
    hooks += redefined != NULL;
}

// An environment that gets the capability to retransform when its hook is on already stays
// incapable.
static void check_incapable(jclass of)
{
    jvmtiEnv *late = new_env(java_vm, JVMTI_VERSION_1_2);
    jvmtiEventCallbacks callbacks = {.ClassFileLoadHook = count_hook};
    jvmtiCapabilities any = {.can_redefine_any_class = 1, .can_retransform_any_class = 1},
                      caps = {.can_retransform_classes = 1};
    jvmtiClassDefinition definition = {of, 1, (const unsigned char *)""};
    MUST((*late)->AddCapabilities(late, &any));
    RULE("E11",
         (*late)->RedefineClasses(late, 1, &definition) == JVMTI_ERROR_MUST_POSSESS_CAPABILITY
             && (*late)->RetransformClasses(late, 1, &of)
                    == JVMTI_ERROR_MUST_POSSESS_CAPABILITY);
    MUST((*late)->SetEventCallbacks(late, &callbacks, sizeof callbacks));
    enable(late, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK);
    if ((*late)->AddCapabilities(late, &caps) == JVMTI_ERROR_NONE) // refused by HotSpot
        MUST((*late)->RetransformClasses(late, 1, &of));
    RULE("E12", hooks == 0);
    MUST((*late)->DisposeEnvironment(late));
}

EXPORT(void, Java_RulesEvents_redefine, JNIEnv *jni, jclass c, jclass of, jbyteArray bytes)
{
    jvmtiEventCallbacks callbacks = {.ClassLoad = on_class_event,
                                     .ClassPrepare = on_class_event};
    jvmtiClassDefinition definition = {of, (*jni)->GetArrayLength(jni, bytes), NULL};
    (void)c;
    definition.class_bytes =
        (const unsigned char *)(*jni)->GetByteArrayElements(jni, bytes, NULL);
    MUST((*ti)->SetEventCallbacks(ti, &callbacks, sizeof callbacks));
    enable(ti, JVMTI_EVENT_CLASS_LOAD);
    enable(ti, JVMTI_EVENT_CLASS_PREPARE);
    MUST((*ti)->RedefineClasses(ti, 1, &definition));
    MUST((*ti)->RetransformClasses(ti, 1, &of));
    RULE("M20", class_events == 0);
    check_incapable(of);
}

EXPORT(jint, Agent_OnLoad, JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    java_vm = vm;
    ti = new_env(vm, JVMTI_VERSION_11);
    jvmtiCapabilities all;
    MUST((*ti)->GetPotentialCapabilities(ti, &all));
    all.can_generate_early_vmstart = all.can_generate_early_class_hook_events = 0;
    MUST((*ti)->AddCapabilities(ti, &all));
    MUST((*ti)->CreateRawMonitor(ti, "entered early", &entered_early));
    MUST((*ti)->RawMonitorEnter(ti, entered_early));
    MUST((*ti)->CreateRawMonitor(ti, "gate", &gate));
    jvmtiEnv *poor = new_env(vm, JVMTI_VERSION_1_2); // no capability
    jvmtiEventCallbacks callbacks = {.DynamicCodeGenerated = on_generated};
    MUST((*poor)->SetEventCallbacks(poor, &callbacks, sizeof callbacks));
    RULE_ERROR("U4", NONE,
               (*poor)->SetEventNotificationMode(poor, JVMTI_ENABLE,
                                                 JVMTI_EVENT_DYNAMIC_CODE_GENERATED, NULL));
    listen_from_the_start();
    return JNI_OK;
}
