// SPDX-License-Identifier: Apache-2.0
// JNI: references, local frames, exceptions, monitors.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/output.h"
#include "class/vm_classes.h"
#include "code/code_place.h"
#include "event/event.h"
#include "java/describe.h"
#include "java/exception.h"
#include "java/java_object.h"
#include "java/stacktrace.h"
#include "java/string.h"
#include "jni/jni_internal.h"
#include "options/options.h"
#include "thread/monitor.h"

// ---- references ----

static jobject posted_new(Thread *self, jobject o, jobject reference, bool weak)
{
    if (reference)
        event_post(self, GLOBAL_NEW, .object = o, .reference = reference, .weak = weak);
    return reference;
}
static jobject JNICALL NewGlobalRef(JNIEnv *env, jobject o)
{
    IN_VM(env);
    return posted_new(self, o, global_new_jni(deref(o)), false);
}
static void JNICALL DeleteGlobalRef(JNIEnv *env, jobject o)
{
    IN_VM(env);
    if (!o)
        return;
    event_post(self, GLOBAL_DELETE, .reference = o, .weak = false);
    global_delete(o);
}
static jweak JNICALL NewWeakGlobalRef(JNIEnv *env, jobject o)
{
    IN_VM(env);
    return posted_new(self, o, weak_new_jni(deref(o)), true);
}
static void JNICALL DeleteWeakGlobalRef(JNIEnv *env, jweak o)
{
    IN_VM(env);
    if (!o)
        return;
    event_post(self, GLOBAL_DELETE, .reference = o, .weak = true);
    weak_delete(o);
}
static jobject JNICALL NewLocalRef(JNIEnv *env, jobject o)
{
    IN_VM(env);
    return handle_new(self, deref(o));
}
static void JNICALL DeleteLocalRef(JNIEnv *env, jobject o)
{
    IN_VM(env);
    if (o && handle_is_local(self, o))
        handle_delete(self, o);
}
static jboolean JNICALL IsSameObject(JNIEnv *env, jobject a, jobject b)
{
    IN_VM(env);
    return deref(a) == deref(b);
}
jobjectRefType jni_reference_type(Thread *thread, jobject o)
{
    IN_VM(jni_env(thread));
    if (!o)
        return JNIInvalidRefType;
    switch ((uintptr_t)o & HANDLE_TAG) {
    case HANDLE_GLOBAL: return global_is_live(o) ? JNIGlobalRefType : JNIInvalidRefType;
    case HANDLE_WEAK: return global_is_live(o) ? JNIWeakGlobalRefType : JNIInvalidRefType;
    default: break;
    }
    bool in_stack = thread_stack_has(self, o); // an argument of the native method
    return (in_stack || handle_is_local(self, o)) && deref(o) ? JNILocalRefType
                                                              : JNIInvalidRefType;
}
static jobjectRefType JNICALL GetObjectRefType(JNIEnv *env, jobject o)
{
    return jni_reference_type(jni_thread(env), o);
}
// -XX:MaxJNILocalCapacity; 0 and less: any.
static bool is_capacity(jint capacity)
{
    int64_t most = vm_options.max_jni_local_capacity;
    return capacity >= 0 && (most <= 0 || capacity <= most);
}
static jint JNICALL EnsureLocalCapacity(JNIEnv *env, jint capacity)
{
    (void)env; // the handle stack grows by itself
    return is_capacity(capacity) ? JNI_OK : JNI_ERR;
}
static jint JNICALL PushLocalFrame(JNIEnv *env, jint capacity)
{
    IN_VM(env);
    if (!is_capacity(capacity))
        return JNI_ERR;
    vec_push(&self->jni_frames, handle_mark(self));
    return JNI_OK;
}
static jobject JNICALL PopLocalFrame(JNIEnv *env, jobject result)
{
    IN_VM(env);
    Object *o = deref(result);
    if (self->jni_frames.len)
        handle_pop(self, self->jni_frames.at[--self->jni_frames.len]);
    return handle_new(self, o);
}

// ---- exceptions ----

static jint JNICALL Throw(JNIEnv *env, jthrowable t)
{
    IN_VM(env);
    throw_object(self, deref(t));
    return JNI_OK;
}
static jint JNICALL ThrowNew(JNIEnv *env, jclass c, const char *message)
{
    IN_VM(env);
    HANDLE_SCOPE(self);
    Class *cls = class_of_handle(c);
    Symbol *desc = symbol_intern(message ? "(Ljava/lang/String;)V" : "()V");
    if (class_initialize(self, cls) && !class_declared_method(cls, SYM(init), desc)) {
        char *name = class_external_name(cls);
        throw_new(self, "java/lang/NoSuchMethodError", "%s: method 'void <init>(%s)' not found",
                  name, message ? "java.lang.String" : "");
        vm_free(name);
    } else if (!exception_pending(self)) {
        throw_class(self, cls, message);
    }
    return JNI_OK;
}
// What another thread stops this one with is found here too (JNI, Asynchronous Exceptions).
static jthrowable JNICALL ExceptionOccurred(JNIEnv *env)
{
    IN_VM(env);
    if (UNLIKELY(thread_async_is_due(self)))
        thread_poll(self);
    return handle_new(self, self->exception);
}
static jboolean JNICALL ExceptionCheck(JNIEnv *env)
{
    if (UNLIKELY(thread_async_is_due(jni_thread(env)))) {
        IN_VM(env);
        thread_poll(self);
    }
    return jni_thread(env)->exception != NULL; // a null test needs no entry
}
static void JNICALL ExceptionClear(JNIEnv *env)
{
    IN_VM(env);
    self->exception = NULL;
}
static void JNICALL ExceptionDescribe(JNIEnv *env)
{
    IN_VM(env);
    if (!exception_pending(self))
        return;
    HANDLE_SCOPE(self);
    jobject exception = exception_take(self);
    if (object_is_instance(deref(exception), CLS(ThreadDeath)))
        return; // as Thread says of one that ends a thread
    Object *thread = deref(self->java_thread);
    char *name = thread ? string_to_utf8(object_get_ref(thread, OFF(Thread, name))) : NULL;
    char *prefix = vm_asprintf("Exception in thread \"%s\" ", name ? name : "");
    exception_print(self, exception, prefix);
    vm_free(prefix);
    vm_free(name);
}
// The frames of C, innermost first: of a thread without a Java method on its stack.
static void add_native_frames(StrBuf *text)
{
    enum { FRAMES = 64, PLACE = 256 };
    static Mutex lock = MUTEX_INIT(RANK_LOG);
    static SymbolFile symbol_file;
    void *frames[FRAMES];
    int n = native_backtrace(frames, FRAMES);
    sb_add(text, "Native frames:\n");
    mutex_lock(&lock);
    for (int i = 1; i < n; i++) { // not this function
        char place[PLACE];
        code_place(&symbol_file, (uintptr_t)frames[i], true, place, sizeof place);
        sb_printf(text, "C %s\n", place);
    }
    mutex_unlock(&lock);
    sb_putc(text, '\n');
}

void jni_print_stack(Thread *self)
{
    enum { FRAMES = 256 };
    TraceEntry trace[FRAMES];
    StrBuf text = {0};
    int n = thread_trace(self, 0, FRAMES, trace, false);
    for (int i = 0; i < n; i++) {
        int32_t bci;
        Method *m = trace_find_method(&trace[i], &bci);
        describe_frame(&text, m, bci);
    }
    if (n == 0)
        add_native_frames(&text);
    fputs(text.s ? text.s : "", vm_stdout());
    fflush(vm_stdout());
    vm_free(text.s);
}

void jni_abort(void)
{
    fflush(NULL);
    if (vm_options.abort_hook)
        vm_options.abort_hook();
    if (!vm_options.core_on_crash)
        _exit(1);
    vm_abort_reported();
}

static void JNICALL FatalError(JNIEnv *env, const char *message)
{
    fprintf(vm_stdout(), "FATAL ERROR in native method: %s\n", message ? message : "");
    jni_print_stack(jni_thread(env));
    jni_abort();
}

// ---- monitors ----

static bool check_monitor(Thread *self, jobject o)
{
    if (o && deref(o))
        return true;
    throw_null(self, "java/lang/NullPointerException");
    return false;
}
static jint JNICALL MonitorEnter(JNIEnv *env, jobject o)
{
    IN_VM(env);
    if (!check_monitor(self, o))
        return JNI_ERR;
    monitor_jni_enter(self, o);
    return exception_pending(self) ? JNI_ERR : JNI_OK;
}
static jint JNICALL MonitorExit(JNIEnv *env, jobject o)
{
    IN_VM(env);
    if (!check_monitor(self, o))
        return JNI_ERR;
    if (monitor_jni_exit(self, o))
        return JNI_OK;
    throw_new(self, "java/lang/IllegalMonitorStateException", "current thread is not owner");
    return JNI_ERR;
}

void jni_fill_references(struct JNINativeInterface_ *t)
{
    t->Throw = Throw;
    t->ThrowNew = ThrowNew;
    t->ExceptionOccurred = ExceptionOccurred;
    t->ExceptionCheck = ExceptionCheck;
    t->ExceptionDescribe = ExceptionDescribe;
    t->ExceptionClear = ExceptionClear;
    t->FatalError = FatalError;
    t->PushLocalFrame = PushLocalFrame;
    t->PopLocalFrame = PopLocalFrame;
    t->NewGlobalRef = NewGlobalRef;
    t->DeleteGlobalRef = DeleteGlobalRef;
    t->NewWeakGlobalRef = NewWeakGlobalRef;
    t->DeleteWeakGlobalRef = DeleteWeakGlobalRef;
    t->NewLocalRef = NewLocalRef;
    t->DeleteLocalRef = DeleteLocalRef;
    t->EnsureLocalCapacity = EnsureLocalCapacity;
    t->IsSameObject = IsSameObject;
    t->GetObjectRefType = GetObjectRefType;
    t->MonitorEnter = MonitorEnter;
    t->MonitorExit = MonitorExit;
}
