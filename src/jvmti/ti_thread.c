// SPDX-License-Identifier: Apache-2.0
// Threads: information, state, suspension, agent threads, thread-local storage (JVM TI,
// Thread). See ti_monitor.c for monitors.
#include "class/vm_classes.h"
#include "java/java_thread.h"
#include "jvmti/env/ti_entry.h"
#include "jvmti/generated/decl.h"

void ti_threads_list(Thread *self, TiHandles *out)
{
    mutex_lock(&threads_lock);
    THREAD_EACH(t)
    if (!t->hidden && t->java_thread && thread_of_java(deref(t->java_thread)) == t)
        vec_push(out, handle_new(self, deref(t->java_thread)));
    mutex_unlock(&threads_lock);
}

jvmtiError ti_GetAllThreads(Thread *self, TiEnv *env, jint *threads_count_ptr,
                            jthread **threads_ptr)
{
    (void)env;
    TiHandles threads = {0};
    ti_threads_list(self, &threads);
    return ti_give_list(&threads, threads_count_ptr, threads_ptr);
}

jvmtiError ti_GetCurrentThread(Thread *self, TiEnv *env, jthread *thread_ptr)
{
    (void)env;
    *thread_ptr = handle_new(self, deref(self->java_thread));
    return JVMTI_ERROR_NONE;
}

// Where other threads may be changing the fields, each is read once.
jvmtiError ti_GetThreadInfo(Thread *self, TiEnv *env, jthread thread, jvmtiThreadInfo *info_ptr)
{
    (void)env;
    Object *o = deref(thread);
    const Object *name = object_get_ref(o, OFF(Thread, name));
    info_ptr->name = NULL;
    if (name)
        info_ptr->name = ti_string_copy(name);
    else
        (void)!ti_copy_string("", &info_ptr->name); // no memory: NULL
    info_ptr->priority = object_get_int(o, OFF(Thread, priority));
    info_ptr->is_daemon = object_get_boolean(o, OFF(Thread, daemon));
    info_ptr->thread_group = handle_new(self, object_get_ref(o, OFF(Thread, group)));
    info_ptr->context_class_loader =
        handle_new(self, object_get_ref(o, OFF(Thread, contextClassLoader)));
    return info_ptr->name ? JVMTI_ERROR_NONE : JVMTI_ERROR_OUT_OF_MEMORY;
}

static jint state_of_running(Thread *self, Thread *t)
{
    jint state = 0;
    if (t->suspended)
        state |= JVMTI_THREAD_STATE_SUSPENDED;
    if (t != self && atomic_load(&t->state) == THREAD_IN_NATIVE)
        state |= JVMTI_THREAD_STATE_IN_NATIVE;
    return state;
}

jint ti_thread_state(Thread *self, jthread thread)
{
    Thread *t = thread_pin(thread);
    Object *o = deref(thread);
    jint state = object_get_int(o, OFF(Thread, threadStatus));
    if (t && object_get_boolean(o, OFF(Thread, interrupted)))
        state |= JVMTI_THREAD_STATE_INTERRUPTED;
    if (t) {
        state |= state_of_running(self, t);
        thread_unpin(t);
    }
    return state;
}

jvmtiError ti_GetThreadState(Thread *self, TiEnv *env, jthread thread, jint *thread_state_ptr)
{
    (void)env;
    *thread_state_ptr = ti_thread_state(self, thread);
    return JVMTI_ERROR_NONE;
}

// ---- suspension ----
jvmtiError ti_SuspendThread(Thread *self, TiEnv *env, Thread *thread)
{
    (void)env;
    if (thread_suspend(self, thread))
        return JVMTI_ERROR_NONE;
    return atomic_load(&thread->exiting) ? JVMTI_ERROR_THREAD_NOT_ALIVE
                                         : JVMTI_ERROR_THREAD_SUSPENDED;
}

jvmtiError ti_ResumeThread(Thread *self, TiEnv *env, Thread *thread)
{
    (void)env;
    return thread_resume(self, thread) ? JVMTI_ERROR_NONE : JVMTI_ERROR_THREAD_NOT_SUSPENDED;
}

typedef jvmtiError (*ThreadAction)(Thread *self, TiEnv *env, Thread *thread);

// Does the action to each thread of a list, self last, as it may stop there.
static void for_list(Thread *self, TiEnv *env, jint count, const jthread *list,
                     jvmtiError *results, ThreadAction action)
{
    jint own = -1;
    for (jint i = 0; i < count; i++) {
        TiCall call = {.self = self, .env = env};
        Thread *t = NULL;
        results[i] = ti_check_thread(&call, list[i], false, &t);
        if (results[i] == JVMTI_ERROR_NONE && t == self)
            own = i;
        else if (results[i] == JVMTI_ERROR_NONE)
            results[i] = action(self, env, t);
        if (call.pinned)
            thread_unpin(call.pinned);
    }
    if (own >= 0)
        results[own] = action(self, env, self);
}

jvmtiError ti_SuspendThreadList(Thread *self, TiEnv *env, jint request_count,
                                const jthread *request_list, jvmtiError *results)
{
    for_list(self, env, request_count, request_list, results, ti_SuspendThread);
    return JVMTI_ERROR_NONE;
}

jvmtiError ti_ResumeThreadList(Thread *self, TiEnv *env, jint request_count,
                               const jthread *request_list, jvmtiError *results)
{
    for_list(self, env, request_count, request_list, results, ti_ResumeThread);
    return JVMTI_ERROR_NONE;
}

// ---- interrupt and stop ----
jvmtiError ti_StopThread(Thread *self, TiEnv *env, Thread *thread, jobject exception)
{
    (void)env;
    if (!ti_is_instance(exception, CLS(Throwable)))
        return JVMTI_ERROR_INVALID_OBJECT;
    java_thread_stop(self, thread, exception);
    return JVMTI_ERROR_NONE;
}

// Runs no Java code: a debugger interrupts its own thread from within a callback, holding locks, and must not get events of steps
// in Thread.interrupt. So, as on HotSpot, what Thread.interrupt does beside is not done: no channel is closed, no selector woken.
jvmtiError ti_InterruptThread(Thread *self, TiEnv *env, jthread thread)
{
    (void)self, (void)env;
    Thread *t = thread_pin(thread);
    if (!t)
        return JVMTI_ERROR_THREAD_NOT_ALIVE;
    object_set_boolean(deref(thread), OFF(Thread, interrupted), 1);
    thread_interrupt(t);
    thread_unpin(t);
    return JVMTI_ERROR_NONE;
}

// ---- agent threads ----
typedef struct AgentThread {
    TiEnv *env;
    jvmtiStartFunction proc;
    const void *arg;
} AgentThread;

static void run_agent_thread(Thread *self, void *arg)
{
    AgentThread a = *(AgentThread *)arg;
    vm_free(arg);
    event_post(self, THREAD_BEGIN, .unused = 0);
    event_post(self, THREAD_START, .unused = 0);
    self->exception = NULL; // of a listener: nobody would take it
    thread_leave_vm(self, THREAD_IN_NATIVE);
    a.proc((jvmtiEnv *)a.env, jni_env(self), (void *)(uintptr_t)a.arg);
    thread_enter_vm(self);
    java_thread_exit(self);
}

jvmtiError ti_RunAgentThread(Thread *self, TiEnv *env, jthread thread, jvmtiStartFunction proc,
                             const void *arg, jint priority)
{
    if (priority < JVMTI_THREAD_MIN_PRIORITY || priority > JVMTI_THREAD_MAX_PRIORITY)
        return JVMTI_ERROR_INVALID_PRIORITY;
    if (thread_of_java(deref(thread)))
        return JVMTI_ERROR_INVALID_THREAD; // it runs already
    object_set_boolean(deref(thread), OFF(Thread, daemon), 1);
    object_set_int(deref(thread), OFF(Thread, priority), priority);
    AgentThread *a = vm_malloc(sizeof *a);
    *a = (AgentThread){env, proc, arg};
    Launch how = java_thread_launch(self, thread, 0, run_agent_thread, a);
    if (how == LAUNCHED)
        return JVMTI_ERROR_NONE;
    vm_free(a);
    return how == LAUNCHED_BEFORE ? JVMTI_ERROR_INVALID_THREAD : JVMTI_ERROR_OUT_OF_MEMORY;
}

// ---- storage ----
jvmtiError ti_GetThreadLocalStorage(Thread *self, TiEnv *env, Thread *thread, void **data_ptr)
{
    (void)self;
    mutex_lock(&ti_lock);
    TiThread *data = ti_thread_find(thread, env);
    *data_ptr = data ? data->local_storage : NULL;
    mutex_unlock(&ti_lock);
    return JVMTI_ERROR_NONE;
}

jvmtiError ti_SetThreadLocalStorage(Thread *self, TiEnv *env, Thread *thread, const void *value)
{
    (void)self;
    mutex_lock(&ti_lock);
    TiThread *data = ti_thread_get(thread, env);
    if (data)
        data->local_storage = (void *)(uintptr_t)value;
    mutex_unlock(&ti_lock);
    return data ? JVMTI_ERROR_NONE : JVMTI_ERROR_THREAD_NOT_ALIVE;
}
