// SPDX-License-Identifier: Apache-2.0
// java.lang.Thread's natives and thread dumps.
#include "base/strbuf.h"
#include "base/vec.h"
#include "class/vm_classes.h"
#include "classlib/jvm.h"
#include "java/exception.h"
#include "java/java_object.h"
#include "java/java_thread.h"
#include "java/reflect.h"
#include "java/stacktrace.h"
#include "java/string.h"
#include "options/options.h"
#include "redefine/class_version.h"
#include "service/dump/thread_dump.h"
#include "thread/monitor.h"

jobject JNICALL JVM_CurrentThread(JNIEnv *env, jclass c)
{
    (void)c;
    IN_VM(env);
    return java_thread_current(self);
}
void JNICALL JVM_StartThread(JNIEnv *env, jobject thread)
{
    IN_VM(env);
    java_thread_start(self, thread);
}
void JNICALL JVM_Yield(JNIEnv *env, jclass c)
{
    (void)env, (void)c;
    os_yield();
}
bool may_throw_interrupted(Thread *self)
{
    ASSERT_MAY_GC(self);
    if (thread_async_is_due(self))
        thread_poll(self);
    return !exception_pending(self);
}
void JNICALL JVM_Sleep(JNIEnv *env, jclass c, jlong millis)
{
    (void)c;
    IN_VM(env);
    if (millis < 0) {
        throw_new(self, "java/lang/IllegalArgumentException", "timeout value is negative");
        return;
    }
    int64_t nanos = millis > INT64_MAX / 1000000 ? INT64_MAX : millis * 1000000;
    if (thread_sleep(self, nanos) == WAIT_INTERRUPTED && may_throw_interrupted(self))
        throw_new(self, "java/lang/InterruptedException", "sleep interrupted");
}
void JNICALL JVM_SetThreadPriority(JNIEnv *env, jobject thread, jint priority)
{
    IN_VM(
        env); // the system's scheduler decides alone, as on HotSpot without ThreadPriorityPolicy
    object_set_int(deref(thread), OFF(Thread, priority), priority);
}
void JNICALL JVM_SetNativeThreadName(JNIEnv *env, jobject thread, jstring name)
{
    IN_VM(env);
    if (deref(thread) != deref(self->java_thread) || !self->java_thread)
        return; // only the thread itself can
    char *text = string_to_utf8(deref(name));
    os_thread_set_name(text);
    vm_free(text);
}
void JNICALL JVM_Interrupt(JNIEnv *env, jobject thread)
{
    IN_VM(env);
    Thread *t = thread_pin(thread);
    if (t) {
        thread_interrupt(t);
        thread_unpin(t);
    }
}
void JNICALL JVM_StopThread(JNIEnv *env, jobject thread, jobject exception)
{
    IN_VM(env);
    Thread *t = thread_pin(thread);
    if (!t && object_get_int(deref(thread), OFF(Thread, threadStatus)) == STATUS_NEW)
        object_set_boolean(deref(thread), OFF(Thread, stillborn), 1); // start will not run it
    else if (t == self && t)
        throw_object(self, deref(exception));
    else if (t)
        java_thread_stop(self, t, exception);
    if (t)
        thread_unpin(t);
}
// Suspends or resumes a thread that is alive.
static void with_thread(JNIEnv *env, jobject thread, bool (*action)(Thread *self, Thread *t))
{
    IN_VM(env);
    Thread *t = thread_pin(thread);
    if (t) {
        action(self, t);
        thread_unpin(t);
    }
}
void JNICALL JVM_SuspendThread(JNIEnv *env, jobject thread)
{
    with_thread(env, thread, thread_suspend);
}
void JNICALL JVM_ResumeThread(JNIEnv *env, jobject thread)
{
    with_thread(env, thread, thread_resume);
}
jboolean JNICALL JVM_HoldsLock(JNIEnv *env, jclass c, jobject o)
{
    (void)c;
    IN_VM(env);
    if (o)
        return monitor_is_held(self, deref(o));
    throw_null(self, "java/lang/NullPointerException");
    return JNI_FALSE;
}

// ---- lists and dumps ----

// The java.lang.Thread objects of all threads that have one, oldest first.
jobjectArray JNICALL JVM_GetAllThreads(JNIEnv *env, jclass c)
{
    (void)c;
    IN_VM(env);
    VEC(jobject) found = {0};
    mutex_lock(&threads_lock);
    THREAD_EACH(t)
    if (!t->hidden && t->java_thread && thread_of_java(deref(t->java_thread)) == t)
        vec_push(&found, handle_new(self, deref(t->java_thread)));
    mutex_unlock(&threads_lock);
    int32_t n = (int32_t)found.len;
    Class *array_class = class_array_of(self, CLS(Thread));
    jobject array = array_class ? array_new(self, array_class, n) : NULL;
    for (int32_t i = 0; array && i < n; i++)
        array_set_ref(deref(array), i, deref(found.at[i]));
    vec_free(&found);
    if (array)
        object_post_alloc(self, array);
    return array;
}

// All frames of t, which stands still, oldest last; vm_free it. Handles keep their classes.
static TraceEntry *trace_all(Thread *self, Thread *t, int *count)
{
    enum { FIRST = 256 };
    TraceEntry *entries = NULL;
    int max = FIRST / 2;
    do {
        max *= 2;
        entries = vm_realloc(entries, (size_t)max * sizeof *entries);
        *count = thread_trace(t, 0, max, entries, true);
    } while (*count == max);
    for (int i = 0; i < *count; i++)
        handle_new(self, class_mirror(entries[i].method->cls));
    return entries;
}

// Makes the strings that an element for a frame will have, so that they are posted. Keeps them by handles.
static bool post_names(Thread *self, const TraceEntry *e)
{
    int32_t bci;
    Method *m = trace_find_method(e, &bci);
    method_pin(self, m);
    const ClassFile *cf = method_class_file(m);
    Bytes file = cf && cf->source_file ? cf_utf8(cf, cf->source_file) : (Bytes){0};
    return class_name_string_reported(self, m->cls)
           && string_intern_reported(self, m->name->s, m->name->len)
           && (!file.p || string_intern_reported(self, (const char *)file.p, file.len));
}

// NULL: not alive, or an exception is pending. Within a handle scope.
static jobject dump_one(Thread *self, jobject thread)
{
    Thread *t = thread_pin(thread);
    if (!t)
        return NULL;
    int n;
    thread_handshake(self, t);
    TraceEntry *entries = trace_all(self, t, &n);
    thread_handshake_end(self, t);
    thread_unpin(t);
    Class *array_class = class_array_of(self, CLS(StackTraceElement));
    jobject array = array_class ? array_new(self, array_class, n) : NULL;
    for (int i = 0; array && i < n; i++) {
        HANDLE_SCOPE(self);
        jobject element =
            post_names(self, &entries[i]) ? stack_trace_element(self, &entries[i]) : NULL;
        if (!element) {
            array = NULL;
            break;
        }
        array_set_ref(deref(array), i, deref(element));
    }
    vm_free(entries);
    return array;
}

jobjectArray JNICALL JVM_DumpThreads(JNIEnv *env, jclass c, jobjectArray threads)
{
    (void)c;
    IN_VM(env);
    if (!threads) {
        throw_null(self, "java/lang/NullPointerException");
        return NULL;
    }
    int32_t n = array_length(deref(threads));
    Class *row = class_array_of(self, CLS(StackTraceElement));
    Class *rows = row ? class_array_of(self, row) : NULL;
    jobject result = rows ? array_new(self, rows, n) : NULL;
    for (int32_t i = 0; result && i < n; i++) {
        HANDLE_SCOPE(self);
        jobject trace = dump_one(self, handle_new(self, array_get_ref(deref(threads), i)));
        if (self->exception)
            return NULL;
        array_set_ref(deref(result), i, deref(trace));
    }
    object_post_alloc_array(self, result);
    return result;
}

void JNICALL JVM_DumpAllStacks(JNIEnv *env, jclass c)
{
    (void)c;
    IN_VM(env);
    dump_threads_to_stdout(self);
}
