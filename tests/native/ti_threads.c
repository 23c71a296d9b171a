// SPDX-License-Identifier: Apache-2.0
// For tests/agents/Threads.java: threads, their states, stacks, groups and storage.
#include "ti_common.h"

static jvmtiEnv *ti;
static jrawMonitorID lock;
static int agent_done;

static const char *frames_text(JNIEnv *jni, const jvmtiFrameInfo *frames, jint n)
{
    static _Thread_local char text[3000];
    text[0] = 0;
    for (jint i = 0; i < n; i++) {
        const char *name = method_name(ti, jni, frames[i].method);
        char at[32];
        // Not where it spins, nor where it blocks: HotSpot gives the instruction behind
        // monitorenter.
        int known = strncmp(name, "LThreads", 8) == 0 && !strstr(name, ".spin(")
                    && !strstr(name, ".blocked(");
        snprintf(at, sizeof at, "@%d ", known ? (int)frames[i].location : -7);
        if (strlen(text) + strlen(name) + strlen(at) < sizeof text)
            strcat(strcat(text, name), at);
    }
    return text;
}

EXPORT(void, Java_Threads_tell, JNIEnv *jni, jclass c, jthread thread)
{
    (void)c;
    jvmtiThreadInfo info;
    jvmtiThreadGroupInfo group;
    jint state;
    MUST((*ti)->GetThreadInfo(ti, thread, &info));
    MUST((*ti)->GetThreadState(ti, thread, &state));
    say("thread %s priority %d daemon %d group %d loader %d state %x", info.name,
        (int)info.priority, info.is_daemon, info.thread_group != NULL,
        info.context_class_loader != NULL, (unsigned)state);
    if (info.thread_group) {
        MUST((*ti)->GetThreadGroupInfo(ti, info.thread_group, &group));
        say("  in group %s max %d daemon %d parent %d", group.name, (int)group.max_priority,
            group.is_daemon, group.parent != NULL);
        release(ti, group.name);
    }
    release(ti, info.name);
    jvmtiFrameInfo frames[30];
    jint n = 0, count = 0;
    jvmtiError error = (*ti)->GetStackTrace(ti, thread, 0, 30, frames, &n);
    (*ti)->GetFrameCount(ti, thread, &count);
    say("  stack %d %d %s: %s", (int)error, (int)n, n == count ? "all" : "part",
        error ? "" : frames_text(jni, frames, n));
}

EXPORT(void, Java_Threads_stack, JNIEnv *jni, jclass c)
{
    (void)c;
    jvmtiFrameInfo frames[10];
    for (jint start = -5; start < 6; start++)
        for (jint max = 0; max < 3; max++) {
            jint n = -1;
            jvmtiError error = (*ti)->GetStackTrace(ti, NULL, start, max, frames, &n);
            say("from %d max %d: %d %d %s", (int)start, (int)max, (int)error, (int)n,
                error ? "" : frames_text(jni, frames, n));
        }
    for (jint depth = 0; depth < 6; depth++) {
        jmethodID m = NULL;
        jlocation at = -9;
        jvmtiError error = (*ti)->GetFrameLocation(ti, NULL, depth, &m, &at);
        say("frame %d: %d %s %d", (int)depth, (int)error, error ? "" : method_name(ti, jni, m),
            (int)at);
    }
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void say_sorted(char **lines, int n)
{
    qsort(lines, (size_t)n, sizeof *lines, by_name);
    for (int i = 0; i < n; i++) {
        say("  %s", lines[i]);
        free(lines[i]);
    }
}

static int is_common(const char *name)
{
    static const char *const common[] = {"main", "Reference Handler", "Finalizer",
                                         "Signal Dispatcher"};
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        if (strcmp(name, common[i]) == 0)
            return 1;
    return strncmp(name, "worker", 6) == 0;
}

EXPORT(void, Java_Threads_all, JNIEnv *jni, jclass c)
{
    (void)c;
    jint n, groups;
    jthread *threads;
    jthreadGroup *top;
    jvmtiStackInfo *infos;
    char *lines[100];
    int count = 0;
    MUST((*ti)->GetAllThreads(ti, &n, &threads));
    say("all threads");
    for (jint i = 0; i < n && i < 100; i++)
        if (is_common(thread_name(ti, jni, threads[i])))
            lines[count++] = strdup(thread_name(ti, jni, threads[i]));
    say_sorted(lines, count);
    release(ti, threads);
    MUST((*ti)->GetAllStackTraces(ti, 20, &infos, &n));
    say("all stacks");
    count = 0;
    for (jint i = 0; i < n && i < 100; i++) {
        char name[100];
        snprintf(name, sizeof name, "%s", thread_name(ti, jni, infos[i].thread));
        if (strncmp(name, "worker", 6) != 0)
            continue;
        char line[4000];
        snprintf(line, sizeof line, "%s %x %s", name, (unsigned)infos[i].state,
                 frames_text(jni, infos[i].frame_buffer, infos[i].frame_count));
        lines[count++] = strdup(line);
    }
    say_sorted(lines, count);
    release(ti, infos);
    MUST((*ti)->GetAllStackTraces(ti, 0, &infos, &n));
    count = 0;
    for (jint i = 0; i < n; i++)
        count += infos[i].frame_buffer != NULL || infos[i].frame_count != 0;
    say("frames at depth 0: %d", (int)count);
    release(ti, infos);
    MUST((*ti)->GetTopThreadGroups(ti, &n, &top));
    for (jint i = 0; i < n; i++) {
        jvmtiThreadGroupInfo info;
        MUST((*ti)->GetThreadGroupInfo(ti, top[i], &info));
        say("top group %s max %d parent %d", info.name, (int)info.max_priority,
            info.parent != NULL);
        release(ti, info.name);
        jint inside;
        jthread *members;
        jthreadGroup *children;
        MUST((*ti)->GetThreadGroupChildren(ti, top[i], &inside, &members, &groups, &children));
        int finalizer = 0;
        for (jint k = 0; k < inside; k++)
            finalizer |= strcmp(thread_name(ti, jni, members[k]), "Finalizer") == 0;
        say("  Finalizer in it: %d", finalizer);
        for (jint k = 0; k < groups; k++) {
            MUST((*ti)->GetThreadGroupInfo(ti, children[k], &info));
            if (strcmp(info.name, "main") == 0)
                say("  child %s", info.name);
            release(ti, info.name);
        }
        release(ti, members);
        release(ti, children);
    }
    release(ti, top);
}

EXPORT(jint, Java_Threads_suspend, JNIEnv *jni, jclass c, jthread thread)
{
    (void)jni, (void)c;
    return (jint)(*ti)->SuspendThread(ti, thread);
}

EXPORT(jint, Java_Threads_resume, JNIEnv *jni, jclass c, jthread thread)
{
    (void)jni, (void)c;
    return (jint)(*ti)->ResumeThread(ti, thread);
}

EXPORT(void, Java_Threads_suspendList, JNIEnv *jni, jclass c, jthread one, jthread two,
       jthread unstarted)
{
    (void)jni, (void)c;
    jthread list[] = {one, NULL, two, unstarted, one};
    jvmtiError results[5];
    MUST((*ti)->SuspendThreadList(ti, 5, list, results));
    say("suspended %d %d %d %d %d", (int)results[0], (int)results[1], (int)results[2],
        (int)results[3], (int)results[4]);
    MUST((*ti)->ResumeThreadList(ti, 5, list, results));
    say("resumed %d %d %d %d %d", (int)results[0], (int)results[1], (int)results[2],
        (int)results[3], (int)results[4]);
}

EXPORT(jint, Java_Threads_interrupt, JNIEnv *jni, jclass c, jthread thread)
{
    (void)jni, (void)c;
    return (jint)(*ti)->InterruptThread(ti, thread);
}

EXPORT(jint, Java_Threads_stop, JNIEnv *jni, jclass c, jthread thread, jobject exception)
{
    (void)jni, (void)c;
    return (jint)(*ti)->StopThread(ti, thread, exception);
}

static void JNICALL agent_thread(jvmtiEnv *env, JNIEnv *jni, void *arg)
{
    jthread t;
    jint frames;
    MUST((*env)->GetCurrentThread(env, &t));
    MUST((*env)->GetFrameCount(env, t, &frames));
    say("agent thread %s arg %s frames %d", thread_name(env, jni, t), (const char *)arg,
        (int)frames);
    MUST((*env)->RawMonitorEnter(env, lock));
    agent_done = 1;
    MUST((*env)->RawMonitorNotifyAll(env, lock));
    MUST((*env)->RawMonitorExit(env, lock));
}

EXPORT(void, Java_Threads_agentThread, JNIEnv *jni, jclass c, jthread thread)
{
    (void)jni, (void)c;
    say("priority 0: %d", (int)(*ti)->RunAgentThread(ti, thread, agent_thread, "hello", 0));
    MUST((*ti)->RawMonitorEnter(ti, lock));
    MUST((*ti)->RunAgentThread(ti, thread, agent_thread, "hello", JVMTI_THREAD_MAX_PRIORITY));
    while (!agent_done)
        MUST((*ti)->RawMonitorWait(ti, lock, 0));
    MUST((*ti)->RawMonitorExit(ti, lock));
}

EXPORT(void, Java_Threads_storage, JNIEnv *jni, jclass c, jthread other, jthread dead)
{
    (void)jni, (void)c;
    void *p = &p;
    MUST((*ti)->GetThreadLocalStorage(ti, NULL, &p));
    say("storage of a new thread: %s", p ? "something" : "nothing");
    MUST((*ti)->SetThreadLocalStorage(ti, NULL, "mine"));
    MUST((*ti)->SetThreadLocalStorage(ti, other, "its"));
    MUST((*ti)->GetThreadLocalStorage(ti, NULL, &p));
    say("storage: %s", (char *)p);
    MUST((*ti)->GetThreadLocalStorage(ti, other, &p));
    say("storage of the other: %s", (char *)p);
    say("storage of the dead: %d", (int)(*ti)->GetThreadLocalStorage(ti, dead, &p));
    jvmtiTimerInfo timer;
    jlong nanos = -1, again = -1;
    MUST((*ti)->GetCurrentThreadCpuTimerInfo(ti, &timer));
    say("cpu timer kind %d skips %d %d max %d", (int)timer.kind, timer.may_skip_forward,
        timer.may_skip_backward, timer.max_value == -1);
    MUST((*ti)->GetCurrentThreadCpuTime(ti, &nanos));
    MUST((*ti)->GetThreadCpuTime(ti, NULL, &again));
    say("cpu time %d %d", nanos > 0, again >= nanos);
    MUST((*ti)->GetThreadCpuTime(ti, other, &nanos));
    say("cpu time of the other %d, of the dead %d", nanos >= 0,
        (int)(*ti)->GetThreadCpuTime(ti, dead, &nanos));
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    ti = new_env(vm, JVMTI_VERSION_1_2);
    jvmtiCapabilities want = {.can_suspend = 1,
                              .can_signal_thread = 1,
                              .can_get_current_thread_cpu_time = 1,
                              .can_get_thread_cpu_time = 1};
    MUST((*ti)->AddCapabilities(ti, &want));
    MUST((*ti)->CreateRawMonitor(ti, "agent", &lock));
    return JNI_OK;
}
