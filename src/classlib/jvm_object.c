// SPDX-License-Identifier: Apache-2.0
// java.lang.Object's natives, System.arraycopy, String.intern, references, throwables.
#include "class/unload.h"
#include "class/vm_classes.h"
#include "classlib/jvm.h"
#include "java/exception.h"
#include "java/java_object.h"
#include "java/npe_message.h"
#include "java/stacktrace.h"
#include "java/string.h"
#include "jit/compiled_events.h"
#include "link/native.h"
#include "options/options.h"
#include "thread/monitor.h"

// ---- Object ----

jint JNICALL JVM_IHashCode(JNIEnv *env, jobject o)
{
    IN_VM(env);
    return o ? (jint)object_identity_hash(deref(o)) : 0;
}
jobject JNICALL JVM_Clone(JNIEnv *env, jobject o)
{
    IN_VM(env);
    return object_clone(self, o);
}
static void not_owner(Thread *self)
{
    throw_new(self, "java/lang/IllegalMonitorStateException", "current thread is not owner");
}
void JNICALL JVM_MonitorWait(JNIEnv *env, jobject o, jlong millis)
{
    IN_VM(env);
    if (millis < 0) {
        throw_new(self, "java/lang/IllegalArgumentException", "timeout value is negative");
        return;
    }
    WaitResult r = monitor_wait(self, o, millis);
    if (r == WAIT_NOT_OWNER)
        not_owner(self);
    else if (r == WAIT_INTERRUPTED && may_throw_interrupted(self))
        throw_null(self, "java/lang/InterruptedException");
}
void JNICALL JVM_MonitorNotify(JNIEnv *env, jobject o)
{
    IN_VM(env);
    if (!monitor_notify(self, o, false))
        not_owner(self);
}
void JNICALL JVM_MonitorNotifyAll(JNIEnv *env, jobject o)
{
    IN_VM(env);
    if (!monitor_notify(self, o, true))
        not_owner(self);
}

void JNICALL JVM_ArrayCopy(JNIEnv *env, jclass c, jobject src, jint src_pos, jobject dst,
                           jint dst_pos, jint length)
{
    (void)c;
    IN_VM(env);
    array_copy(self, src, src_pos, dst, dst_pos, length);
}

jstring JNICALL JVM_InternString(JNIEnv *env, jstring s)
{
    IN_VM(env);
    return s ? string_intern(self, s) : NULL;
}

// ---- references ----

static Mutex pending_lock = MUTEX_INIT(RANK_REFERENCE);
static Cond pending_cond;

void references_init(void)
{
    cond_init(&pending_cond);
    compiled_events_set_wake(references_notify);
}

void references_notify(void)
{
    mutex_lock(&pending_lock);
    cond_broadcast(&pending_cond);
    mutex_unlock(&pending_lock);
}
jobject JNICALL JVM_GetAndClearReferencePendingList(JNIEnv *env)
{
    IN_VM(env);
    return handle_new(self, heap_take_pending());
}
jboolean JNICALL JVM_HasReferencePendingList(JNIEnv *env)
{
    IN_VM(env);
    return heap_has_pending();
}
void JNICALL JVM_WaitForReferencePendingList(JNIEnv *env)
{
    IN_VM(env);
    thread_lock(self, &pending_lock);
    while (!heap_has_pending()) {
        if (!unload_has_news() && !compiled_events_wait()) {
            thread_cond_wait(self, &pending_cond, &pending_lock, 1000000000);
            continue;
        }
        mutex_unlock(&pending_lock);
        compiled_events_post(self);
        unload_post(self);
        thread_lock(self, &pending_lock);
    }
    mutex_unlock(&pending_lock);
}
void JNICALL JVM_ReferenceClear(JNIEnv *env, jobject reference)
{
    IN_VM(env);
    object_set_narrow(deref(reference), OFF(Reference, referent), 0);
}
jboolean JNICALL JVM_ReferenceRefersTo(JNIEnv *env, jobject reference, jobject o)
{
    IN_VM(env);
    return object_get_ref(deref(reference), OFF(Reference, referent)) == deref(o);
}
jboolean JNICALL JVM_PhantomReferenceRefersTo(JNIEnv *env, jobject reference, jobject o)
{
    return JVM_ReferenceRefersTo(env, reference, o);
}

// ---- throwables ----

void JNICALL JVM_FillInStackTrace(JNIEnv *env, jobject throwable)
{
    IN_VM(env);
    if (vm_options.stack_trace_in_throwable)
        throwable_fill_stack_trace(self, throwable);
}
void JNICALL JVM_InitStackTraceElementArray(JNIEnv *env, jobjectArray elements,
                                            jobject throwable)
{
    IN_VM(env);
    if (!elements || !throwable) {
        throw_null(self, "java/lang/NullPointerException");
        return;
    }
    int32_t n = array_length(deref(elements));
    if (n != object_get_int(deref(throwable), OFF(Throwable, depth))) {
        throw_null(self, "java/lang/IndexOutOfBoundsException");
        return;
    }
    for (int32_t i = 0; i < n; i++) {
        HANDLE_SCOPE(self);
        Method *m;
        int32_t bci;
        jobject element = handle_new(self, array_get_ref(deref(elements), i));
        if (!element) {
            throw_null(self, "java/lang/NullPointerException");
            return;
        }
        if (!throwable_frame(deref(throwable), i, &m, &bci)
            || !stack_trace_element_fill(self, element, m, bci))
            return;
    }
}
jstring JNICALL JVM_GetExtendedNPEMessage(JNIEnv *env, jthrowable throwable)
{
    IN_VM(env);
    Method *m;
    int32_t bci;
    if (!options_now(vm_options.helpful_npe) || throwable_top_hidden(deref(throwable))
        || !throwable_frame(deref(throwable), 0, &m, &bci))
        return NULL;
    char *text = npe_message(m, bci);
    jstring s = text ? string_from_mutf8(self, text) : NULL;
    vm_free(text);
    return s;
}

#define OBJECT "java/lang/Object"
static const VmNative rows[] = {
    {OBJECT, "hashCode", "()I", (void *)JVM_IHashCode},
    {OBJECT, "clone", "()Ljava/lang/Object;", (void *)JVM_Clone},
    {OBJECT, "notify", "()V", (void *)JVM_MonitorNotify},
    {OBJECT, "notifyAll", "()V", (void *)JVM_MonitorNotifyAll},
    {OBJECT, "wait", "(J)V", (void *)JVM_MonitorWait},
};
const NativeRows object_natives = {rows, ARRAY_LEN(rows)};
