// SPDX-License-Identifier: Apache-2.0
// Rules of threads, stacks, monitors, classes, methods, tags, JNI interception and the general
// functions, checked while a program runs.
#include "ti_rules.h"

static jvmtiEnv *ti;
static jrawMonitorID lock;

static jint state_of(jthread t)
{
    jint state;
    MUST((*ti)->GetThreadState(ti, t, &state));
    return state;
}

static bool is_same(JNIEnv *jni, jobject a, jobject b)
{
    return (*jni)->IsSameObject(jni, a, b);
}

// ---- threads ----
enum {
    KNOWN_BITS = 0x1 | 0x2 | 0x4 | 0x10 | 0x20 | 0x40 | 0x80 | 0x100 | 0x200 | 0x400 | 0x100000
                 | 0x200000 | 0x400000 | 0x70000000,
    IN_NATIVE = JVMTI_THREAD_STATE_IN_NATIVE,
};

// The state of a thread, but for IN_NATIVE, which the waiting in VM code may show or not.
EXPORT(void, Java_RulesLive_expectState, JNIEnv *jni, jclass c, jstring number, jthread t,
       jint want)
{
    const char *n = (*jni)->GetStringUTFChars(jni, number, NULL);
    jint state = state_of(t);
    (void)c;
    if ((state & ~IN_NATIVE) == want && (state & ~KNOWN_BITS) == 0)
        say("%s ok", n);
    else
        say("%s FAILS: state %x, not %x", n, state, want);
    (*jni)->ReleaseStringUTFChars(jni, number, n);
}

// (state & JAVA_LANG_THREAD_STATE_MASK) is the one that Thread.getState gives.
EXPORT(jint, Java_RulesLive_javaState, JNIEnv *jni, jclass c, jthread t)
{
    (void)jni, (void)c;
    return state_of(t) & JVMTI_JAVA_LANG_THREAD_STATE_MASK;
}

EXPORT(jint, Java_RulesLive_suspend0, JNIEnv *jni, jclass c, jthread t)
{
    (void)jni, (void)c;
    return (jint)(*ti)->SuspendThread(ti, t);
}

EXPORT(jint, Java_RulesLive_resume0, JNIEnv *jni, jclass c, jthread t)
{
    (void)jni, (void)c;
    return (jint)(*ti)->ResumeThread(ti, t);
}

EXPORT(jint, Java_RulesLive_stop0, JNIEnv *jni, jclass c, jthread t, jobject exception)
{
    (void)jni, (void)c;
    return (jint)(*ti)->StopThread(ti, t, exception);
}

EXPORT(jint, Java_RulesLive_interrupt0, JNIEnv *jni, jclass c, jthread t)
{
    (void)jni, (void)c;
    return (jint)(*ti)->InterruptThread(ti, t);
}

EXPORT(void, Java_RulesLive_lists, JNIEnv *jni, jclass c, jthread running, jthread dead,
       jobject other)
{
    jthread list[3] = {running, dead, other};
    jvmtiError results[3] = {9, 9, 9};
    (void)jni, (void)c;
    jvmtiError all = (*ti)->SuspendThreadList(ti, 3, list, results);
    RULE("G15", all == JVMTI_ERROR_NONE && results[0] == JVMTI_ERROR_NONE
                    && results[1] == JVMTI_ERROR_THREAD_NOT_ALIVE
                    && results[2] == JVMTI_ERROR_INVALID_THREAD);
    RULE_ERROR("G14", THREAD_SUSPENDED, (*ti)->SuspendThread(ti, running));
    RULE("G6", (state_of(running) & 0x100005) == 0x100005);
    all = (*ti)->ResumeThreadList(ti, 3, list, results);
    RULE("G17", all == JVMTI_ERROR_NONE && results[0] == JVMTI_ERROR_NONE
                    && results[1] == JVMTI_ERROR_THREAD_NOT_ALIVE
                    && results[2] == JVMTI_ERROR_INVALID_THREAD);
    RULE_ERROR("G16", THREAD_NOT_SUSPENDED, (*ti)->ResumeThread(ti, running));
}

EXPORT(void, Java_RulesLive_threadInfo, JNIEnv *jni, jclass c, jthread unstarted, jthread dead)
{
    jvmtiThreadInfo info;
    jint count;
    jthread *threads;
    bool there = false, absent = true;
    jthread self;
    (void)c;
    MUST((*ti)->GetThreadInfo(ti, dead, &info));
    RULE("G19", info.thread_group == NULL && strcmp(info.name, "dead") == 0);
    release(ti, info.name);
    MUST((*ti)->GetCurrentThread(ti, &self));
    MUST((*ti)->GetAllThreads(ti, &count, &threads));
    for (jint i = 0; i < count; i++) {
        there |= is_same(jni, threads[i], self);
        absent &= !is_same(jni, threads[i], unstarted) && !is_same(jni, threads[i], dead);
    }
    RULE("G11", there && absent);
    release(ti, threads);
}

static jvmtiError agent_error;
static jthread agent_thread;
static volatile int agent_runs;

static void JNICALL agent_body(jvmtiEnv *env, JNIEnv *jni, void *arg)
{
    jthread self;
    agent_error = (*env)->GetCurrentThread(env, &self);
    if (arg == &agent_runs && is_same(jni, self, agent_thread))
        agent_runs = 1;
    MUST((*env)->RawMonitorEnter(env, lock));
    MUST((*env)->RawMonitorNotifyAll(env, lock));
    MUST((*env)->RawMonitorExit(env, lock));
}

EXPORT(void, Java_RulesLive_agentThread, JNIEnv *jni, jclass c, jthread t)
{
    (void)c;
    agent_thread = (*jni)->NewGlobalRef(jni, t);
    RULE("G22",
         (*ti)->RunAgentThread(ti, t, agent_body, NULL, 0) == JVMTI_ERROR_INVALID_PRIORITY
             && (*ti)->RunAgentThread(ti, t, agent_body, NULL, 11)
                    == JVMTI_ERROR_INVALID_PRIORITY);
    MUST((*ti)->RawMonitorEnter(ti, lock));
    MUST((*ti)->RunAgentThread(ti, t, agent_body, (void *)&agent_runs, 5));
    jvmtiThreadInfo info;
    MUST((*ti)->GetThreadInfo(ti, t, &info));
    RULE("G23",
         info.is_daemon && info.priority == 5 && (state_of(t) & JVMTI_THREAD_STATE_ALIVE));
    while (!agent_runs)
        MUST((*ti)->RawMonitorWait(ti, lock, 0));
    MUST((*ti)->RawMonitorExit(ti, lock));
    RULE("G22 (body)", agent_runs && agent_error == JVMTI_ERROR_NONE);
}

EXPORT(void, Java_RulesLive_groups, JNIEnv *jni, jclass c, jobject main_group,
       jthread unstarted)
{
    jint tops, count, groups;
    jthreadGroup *top, *subgroups;
    jthread *threads;
    bool none = true;
    (void)c;
    MUST((*ti)->GetTopThreadGroups(ti, &tops, &top));
    jvmtiThreadGroupInfo info;
    MUST((*ti)->GetThreadGroupInfo(ti, top[0], &info));
    MUST((*ti)->GetThreadGroupChildren(ti, main_group, &count, &threads, &groups, &subgroups));
    for (jint i = 0; i < count; i++)
        none &= !is_same(jni, threads[i], unstarted);
    RULE("G25", info.parent == NULL && none && count > 0);
}

// ---- monitors ----
EXPORT(void, Java_RulesLive_monitors, JNIEnv *jni, jclass c, jobject outer, jobject by_jni)
{
    jint count;
    jvmtiMonitorStackDepthInfo *infos;
    jint depth_outer = -9, depth_jni = -9;
    (void)c;
    (*jni)->MonitorEnter(jni, by_jni);
    MUST((*ti)->GetOwnedMonitorStackDepthInfo(ti, NULL, &count, &infos));
    for (jint i = 0; i < count; i++) {
        if (is_same(jni, infos[i].monitor, outer))
            depth_outer = infos[i].stack_depth;
        if (is_same(jni, infos[i].monitor, by_jni))
            depth_jni = infos[i].stack_depth;
    }
    (*jni)->MonitorExit(jni, by_jni);
    if (depth_outer == 2 && depth_jni == -1)
        say("G20 ok");
    else
        say("G20 FAILS: %d %d", depth_outer, depth_jni);
}

EXPORT(void, Java_RulesLive_contended, JNIEnv *jni, jclass c, jstring number, jthread t,
       jobject want)
{
    const char *n = (*jni)->GetStringUTFChars(jni, number, NULL);
    jobject monitor;
    (void)c;
    MUST((*ti)->GetCurrentContendedMonitor(ti, t, &monitor));
    RULE(n, want ? is_same(jni, monitor, want) : monitor == NULL);
}

EXPORT(void, Java_RulesLive_usage, JNIEnv *jni, jclass c, jobject o, jthread owner,
       jint entries, jint waiters, jint notify_waiters)
{
    jvmtiMonitorUsage u;
    (void)c;
    MUST((*ti)->GetObjectMonitorUsage(ti, o, &u));
    if (is_same(jni, u.owner, owner) && u.entry_count == entries && u.waiter_count == waiters
        && u.notify_waiter_count == notify_waiters)
        say("L20 ok");
    else
        say("L20 FAILS: %d %d %d", u.entry_count, u.waiter_count, u.notify_waiter_count);
}

// ---- stacks ----
EXPORT(void, Java_RulesLive_stack, JNIEnv *jni, jclass c, jthread unstarted, jthread dead)
{
    jvmtiFrameInfo all[64], some[64];
    jint depth, count;
    jmethodID m;
    jlocation at;
    (void)jni, (void)c;
    MUST((*ti)->GetFrameCount(ti, NULL, &depth));
    MUST((*ti)->GetStackTrace(ti, NULL, 0, 64, all, &count));
    RULE("H3", count == depth
                   && (*ti)->GetStackTrace(ti, NULL, 1, 2, some, &count) == JVMTI_ERROR_NONE
                   && count == (depth < 3 ? depth - 1 : 2) && some[0].method == all[1].method);
    RULE("H4", (*ti)->GetStackTrace(ti, NULL, -1, 5, some, &count) == JVMTI_ERROR_NONE
                   && count == 1 && some[0].method == all[depth - 1].method);
    RULE("H5 (range)",
         (*ti)->GetStackTrace(ti, NULL, depth, 1, some, &count) == JVMTI_ERROR_ILLEGAL_ARGUMENT
             && (*ti)->GetStackTrace(ti, NULL, -depth - 1, 1, some, &count)
                    == JVMTI_ERROR_ILLEGAL_ARGUMENT);
    MUST((*ti)->GetFrameLocation(ti, NULL, 0, &m, &at));
    RULE("H6", at == -1 && all[0].location == -1);
    RULE("H12", (*ti)->GetFrameLocation(ti, NULL, -1, &m, &at) == JVMTI_ERROR_ILLEGAL_ARGUMENT
                    && (*ti)->GetFrameLocation(ti, NULL, depth, &m, &at)
                           == JVMTI_ERROR_NO_MORE_FRAMES);
    jthread list[2] = {unstarted, dead};
    jvmtiStackInfo *infos;
    MUST((*ti)->GetThreadListStackTraces(ti, 2, list, 10, &infos));
    RULE("H10", infos[0].frame_count == 0 && infos[0].state == 0 && infos[1].frame_count == 0
                    && infos[1].state == JVMTI_THREAD_STATE_TERMINATED);
    RULE_ERROR("H9", NONE, (*ti)->Deallocate(ti, (unsigned char *)infos));
}

// ---- classes and methods ----
static bool class_status_is(jclass c, jint want)
{
    jint status;
    MUST((*ti)->GetClassStatus(ti, c, &status));
    return status == want;
}

EXPORT(void, Java_RulesLive_classes, JNIEnv *jni, jclass c, jclass primitive, jclass array,
       jclass unprepared, jobject instance)
{
    jint count, modifiers, minor, major;
    jmethodID *methods;
    char *text;
    jboolean flag, flag2;
    jobject loader;
    (void)instance;
    RULE("L4", strcmp(class_name(ti, primitive), "I") == 0
                   && strcmp(class_name(ti, array), "[[I") == 0);
    RULE("L5", class_status_is(primitive, JVMTI_CLASS_STATUS_PRIMITIVE)
                   && class_status_is(array, JVMTI_CLASS_STATUS_ARRAY)
                   && class_status_is(c, 7));
    RULE("L6", (*ti)->GetSourceFileName(ti, array, &text) == JVMTI_ERROR_ABSENT_INFORMATION
                   && (*ti)->GetSourceFileName(ti, primitive, &text)
                          == JVMTI_ERROR_ABSENT_INFORMATION);
    MUST((*ti)->GetClassModifiers(ti, primitive, &modifiers));
    RULE("L7", (modifiers & 0x11) == 0x11);
    MUST((*ti)->GetClassMethods(ti, array, &count, &methods));
    RULE("L8", count == 0
                   && (*ti)->GetClassMethods(ti, unprepared, &count, &methods)
                          == JVMTI_ERROR_CLASS_NOT_PREPARED);
    RULE("L11", (*ti)->GetClassVersionNumbers(ti, array, &minor, &major)
                    == JVMTI_ERROR_ABSENT_INFORMATION);
    MUST((*ti)->IsModifiableClass(ti, array, &flag));
    MUST((*ti)->IsModifiableClass(ti, primitive, &flag2));
    RULE("L14", !flag && !flag2);
    MUST((*ti)->GetClassLoader(ti, (*jni)->FindClass(jni, "java/lang/String"), &loader));
    RULE("L15", loader == NULL);
    RULE("C2",
         (*ti)->GetImplementedInterfaces(ti, c, &count, (jclass **)&methods) == JVMTI_ERROR_NONE
             && count == 0 && methods == NULL);
}

EXPORT(void, Java_RulesLive_methods, JNIEnv *jni, jclass c)
{
    jmethodID native = (*jni)->GetStaticMethodID(jni, c, "methods", "()V"),
              wide = (*jni)->GetMethodID(jni, c, "wide", "(JDI)V");
    jint n;
    jlocation a, b;
    jvmtiLineNumberEntry *lines;
    unsigned char *bytes;
    RULE("J6",
         (*ti)->GetMaxLocals(ti, native, &n) == JVMTI_ERROR_NATIVE_METHOD
             && (*ti)->GetArgumentsSize(ti, native, &n) == JVMTI_ERROR_NATIVE_METHOD
             && (*ti)->GetMethodLocation(ti, native, &a, &b) == JVMTI_ERROR_NATIVE_METHOD
             && (*ti)->GetLineNumberTable(ti, native, &n, &lines) == JVMTI_ERROR_NATIVE_METHOD
             && (*ti)->GetBytecodes(ti, native, &n, &bytes) == JVMTI_ERROR_NATIVE_METHOD);
    MUST((*ti)->GetArgumentsSize(ti, wide, &n));
    RULE("L18", n == 6);
    MUST((*ti)->GetMethodLocation(ti, wide, &a, &b));
    MUST((*ti)->GetBytecodes(ti, wide, &n, &bytes));
    RULE("L17", a == 0 && b == n - 1);
    release(ti, bytes);
    RULE("K1", (*ti)->SetBreakpoint(ti, wide, 0) == JVMTI_ERROR_NONE
                   && (*ti)->SetBreakpoint(ti, wide, 0) == JVMTI_ERROR_DUPLICATE
                   && (*ti)->ClearBreakpoint(ti, wide, 0) == JVMTI_ERROR_NONE
                   && (*ti)->ClearBreakpoint(ti, wide, 0) == JVMTI_ERROR_NOT_FOUND
                   && (*ti)->SetBreakpoint(ti, wide, 10000) == JVMTI_ERROR_INVALID_LOCATION);
    jfieldID field = (*jni)->GetStaticFieldID(jni, c, "watched", "I");
    RULE("K4", (*ti)->SetFieldAccessWatch(ti, c, field) == JVMTI_ERROR_NONE
                   && (*ti)->SetFieldAccessWatch(ti, c, field) == JVMTI_ERROR_DUPLICATE
                   && (*ti)->ClearFieldAccessWatch(ti, c, field) == JVMTI_ERROR_NONE
                   && (*ti)->ClearFieldAccessWatch(ti, c, field) == JVMTI_ERROR_NOT_FOUND);
}

EXPORT(void, Java_RulesLive_modules, JNIEnv *jni, jclass c, jobject unnamed,
       jobject not_a_loader)
{
    jobject module = unnamed;
    jboolean modifiable;
    jint count;
    jobject *all;
    bool there = false;
    (void)c;
    RULE("L22", (*ti)->GetNamedModule(ti, NULL, "no/such", &module) == JVMTI_ERROR_NONE
                    && !module
                    && (*ti)->GetNamedModule(ti, NULL, "java/lang", &module) == JVMTI_ERROR_NONE
                    && module
                    && (*ti)->GetNamedModule(ti, not_a_loader, "java/lang", &module)
                           == JVMTI_ERROR_ILLEGAL_ARGUMENT);
    MUST((*ti)->IsModifiableModule(ti, unnamed, &modifiable));
    RULE("L25", modifiable);
    MUST((*ti)->GetAllModules(ti, &count, &all));
    for (jint i = 0; i < count; i++)
        there |= is_same(jni, all[i], unnamed);
    RULE("L21", there);
    RULE_ERROR("L23", NONE, (*ti)->AddModuleReads(ti, unnamed, unnamed));
}

// ---- objects and tags ----
EXPORT(void, Java_RulesLive_objects, JNIEnv *jni, jclass c, jobject a, jobject b)
{
    jint first, again, count;
    jlong tags[] = {41, 42}, *found_tags;
    jobject *found;
    (void)c;
    MUST((*ti)->GetObjectHashCode(ti, a, &first));
    MUST((*ti)->ForceGarbageCollection(ti));
    MUST((*ti)->GetObjectHashCode(ti, a, &again));
    RULE("L19", first == again);
    MUST((*ti)->SetTag(ti, a, 41));
    MUST((*ti)->SetTag(ti, b, 42));
    MUST((*ti)->GetObjectsWithTags(ti, 2, tags, &count, &found, &found_tags));
    bool parallel = count == 2;
    for (jint i = 0; i < count; i++)
        parallel &= is_same(jni, found[i], found_tags[i] == 41 ? a : b);
    RULE("O21", parallel);
    RULE_ERROR("O21 (none)", NONE, (*ti)->GetObjectsWithTags(ti, 2, tags, &count, NULL, NULL));
}

// ---- JNI interception ----
static jint(JNICALL *real_version)(JNIEnv *jni);
static int version_calls;

static jint JNICALL counted_version(JNIEnv *jni)
{
    version_calls++;
    return real_version(jni);
}

EXPORT(void, Java_RulesLive_interception, JNIEnv *jni, jclass c)
{
    jniNativeInterface *table, *now;
    (void)c;
    MUST((*ti)->GetJNIFunctionTable(ti, &table));
    real_version = table->GetVersion;
    table->GetVersion = counted_version;
    MUST((*ti)->SetJNIFunctionTable(ti, table));
    table->GetVersion = NULL; // it was copied
    (*jni)->GetVersion(jni);
    RULE("S1", version_calls == 1);
    MUST((*ti)->GetJNIFunctionTable(ti, &now));
    RULE("S2", now->GetVersion == counted_version);
    now->GetVersion = real_version;
    MUST((*ti)->SetJNIFunctionTable(ti, now));
    release(ti, table);
    release(ti, now);
}

// ---- general ----
EXPORT(void, Java_RulesLive_general, JNIEnv *jni, jclass c)
{
    jvmtiTimerInfo info;
    jlong a, b;
    jint processors;
    (void)jni, (void)c;
    MUST((*ti)->GetTimerInfo(ti, &info));
    MUST((*ti)->GetTime(ti, &a));
    MUST((*ti)->GetTime(ti, &b));
    RULE("T1", info.max_value == -1 && b >= a);
    MUST((*ti)->GetAvailableProcessors(ti, &processors));
    RULE("T2", processors >= 1);
    RULE_ERROR("T6", ILLEGAL_ARGUMENT,
               (*ti)->AddToBootstrapClassLoaderSearch(ti, "/no/such/file.jar"));
    RULE_ERROR("T11", ILLEGAL_ARGUMENT,
               (*ti)->SetVerboseFlag(ti, (jvmtiVerboseFlag)77, JNI_TRUE));
    RULE("N8", (*ti)->SetNativeMethodPrefix(ti, "p_") == JVMTI_ERROR_NONE
                   && (*ti)->SetNativeMethodPrefix(ti, NULL) == JVMTI_ERROR_NONE);
    RULE_ERROR("N9", ILLEGAL_ARGUMENT, (*ti)->SetNativeMethodPrefixes(ti, -1, NULL));
}

EXPORT(jint, Agent_OnLoad, JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    ti = new_env(vm, JVMTI_VERSION_11);
    jvmtiCapabilities caps = {.can_suspend = 1,
                              .can_signal_thread = 1,
                              .can_tag_objects = 1,
                              .can_get_bytecodes = 1,
                              .can_get_line_numbers = 1,
                              .can_get_source_file_name = 1,
                              .can_get_owned_monitor_stack_depth_info = 1,
                              .can_get_current_contended_monitor = 1,
                              .can_get_monitor_info = 1,
                              .can_set_native_method_prefix = 1,
                              .can_generate_breakpoint_events = 1,
                              .can_generate_field_access_events = 1};
    MUST((*ti)->AddCapabilities(ti, &caps));
    MUST((*ti)->CreateRawMonitor(ti, "rules", &lock));
    return 0;
}
