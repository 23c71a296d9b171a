// SPDX-License-Identifier: Apache-2.0
// See java_thread.h. Thread.eetop holds its thread_native: non-zero while the thread is alive.
#include "java/java_thread.h"

#include <stdio.h>

#include "base/log.h"
#include "class/vm_classes.h"
#include "event/event.h"
#include "frame/frame_roots.h"
#include "java/call.h"
#include "java/exception.h"
#include "java/java_object.h"
#include "java/string.h"
#include "thread/monitor.h"

jobject system_thread_group, main_thread_group;
_Atomic bool vm_initialized;

// ---- counts ----

static _Atomic int64_t started_count, live_count, peak_count, daemon_count;

static void count_begin(void)
{
    int64_t live = atomic_fetch_add(&live_count, 1) + 1, peak = atomic_load(&peak_count);
    atomic_fetch_add(&started_count, 1);
    while (peak < live && !atomic_compare_exchange_weak(&peak_count, &peak, live)) {
    }
}

void java_thread_reset_peak(void)
{
    atomic_store(&peak_count, atomic_load(&live_count));
}

void java_thread_counts(JavaThreadCounts *out)
{
    *out = (JavaThreadCounts){.started = atomic_load(&started_count),
                              .live = atomic_load(&live_count),
                              .peak = atomic_load(&peak_count),
                              .daemon = atomic_load(&daemon_count)};
}

// ---- hooks ----

static Thread *get_eetop(Object *java_thread)
{
    return thread_of_native(
        (void *)(uintptr_t)object_get_long(java_thread, OFF(Thread, eetop)));
}

static void set_eetop(Object *java_thread, Thread *t)
{
    if (t) {
        t->daemon = object_get_boolean(java_thread, OFF(Thread, daemon));
        count_begin();
        atomic_fetch_add(&daemon_count, t->daemon);
    } else {
        const Thread *ended = get_eetop(java_thread);
        atomic_fetch_sub(&live_count, 1);
        atomic_fetch_sub(&daemon_count, ended && ended->daemon);
    }
    object_set_long(java_thread, OFF(Thread, eetop), (int64_t)(uintptr_t)thread_native(t));
    atomic_thread_fence(memory_order_seq_cst);
}

static bool take_interrupt(Thread *self, bool clear)
{
    Object *o = deref(self->java_thread);
    if (!o || !object_get_boolean(o, OFF(Thread, interrupted)))
        return false;
    if (clear)
        object_set_boolean(o, OFF(Thread, interrupted), 0);
    return true;
}

void java_thread_stop(Thread *self, Thread *t, jobject exception)
{
    ASSERT_MAY_GC(self);
    ASSERT_HANDLE(exception);
    Object *o = deref(t->java_thread);
    if (o)
        object_set_boolean(o, OFF(Thread, interrupted), 1);
    thread_throw_async(self, t, exception);
}

static void set_status(Thread *self, int status)
{
    Object *o = deref(self->java_thread);
    if (o)
        object_set_int(o, OFF(Thread, threadStatus), status);
}

static char *type_name(const Object *o)
{
    return class_external_name(object_class(o));
}

typedef struct ClassVisit {
    void (*reach)(Layout *l);
} ClassVisit;

static void reach_class(void *ctx, Method *m)
{
    ((const ClassVisit *)ctx)->reach(&m->cls->layout);
}

static void visit_classes(Thread *t, void (*reach)(Layout *l))
{
    FRAMES_EACH(f, t)
    cursor_each_method(&f, reach_class, &(ClassVisit){reach});
}

void java_threads_init(void)
{
    thread_set_hooks(&(ThreadHooks){.visit_frames = frames_visit,
                                    .visit_classes = visit_classes,
                                    .set_eetop = set_eetop,
                                    .get_eetop = get_eetop,
                                    .take_interrupt = take_interrupt,
                                    .set_status = set_status,
                                    .type_name = type_name});
}

// Links a new Thread object with self before its constructor runs: the constructor asks for
// currentThread(). self is listed already, so others look at it under threads_lock.
static void link_object(Thread *self, jobject thread, int priority)
{
    jobject global = global_new(deref(thread));
    mutex_lock(&threads_lock);
    self->java_thread = global;
    set_eetop(deref(thread), self);
    mutex_unlock(&threads_lock);
    object_set_int(deref(thread), OFF(Thread, priority), priority);
}

// The constructor sets the same values later, or the name when there is none yet.
static void post_begin(Thread *self, jobject group, jobject name)
{
    Object *thread = deref(self->java_thread);
    object_set_ref(thread, OFF(Thread, group), deref(group));
    object_set_ref(thread, OFF(Thread, name), deref(name));
    event_post(self, THREAD_BEGIN, .unused = 0);
}

bool java_thread_create_main(Thread *self)
{
    ASSERT_MAY_GC(self);
    HANDLE_SCOPE(self);
    jobject system = object_construct(self, CLS(ThreadGroup), "()V", NULL);
    if (!system)
        return false;
    system_thread_group = global_new(deref(system));
    jobject name = string_from_mutf8(self, "main");
    jobject group = name ? object_construct(self, CLS(ThreadGroup),
                                            "(Ljava/lang/ThreadGroup;Ljava/lang/String;)V",
                                            (jvalue[]){{.l = system}, {.l = name}})
                         : NULL;
    if (!group)
        return false;
    main_thread_group = global_new(deref(group));
    jobject thread = object_new(self, CLS(Thread));
    if (!thread)
        return false;
    link_object(self, thread, 5);
    post_begin(self, group, name);
    if (!java_call(self, MTH(Thread, init),
                   (jvalue[]){{.l = thread}, {.l = group}, {.l = name}}, NULL))
        return false;
    set_status(self, STATUS_RUNNABLE);
    return true;
}

bool java_thread_attach(Thread *self, const char *name, jobject group, bool daemon)
{
    ASSERT_MAY_GC(self);
    ASSERT_HANDLE(group);
    HANDLE_SCOPE(self);
    jobject in = group ? group : main_thread_group;
    jobject thread = object_new(self, CLS(Thread));
    if (!thread)
        return false;
    link_object(self, thread, 5);
    self->daemon = daemon; // not yet in the new object
    atomic_fetch_add(&daemon_count, daemon);
    jobject text = name ? string_from_platform(self, name) : NULL;
    if (name && !text)
        return false;
    post_begin(self, in, text);
    Method *init = name ? MTH(Thread, init) : MTH(Thread, init_runnable);
    if (!java_call(self, init, (jvalue[]){{.l = thread}, {.l = in}, {.l = text}}, NULL))
        return false;
    object_set_boolean(deref(thread), OFF(Thread, daemon), daemon);
    if (!java_call(self, MTH(ThreadGroup, add), (jvalue[]){{.l = in}, {.l = thread}}, NULL))
        return false;
    set_status(self, STATUS_RUNNABLE);
    event_post(self, THREAD_START, .unused = 0);
    return true;
}

static void set_os_name(Thread *self)
{
    char *name = string_to_utf8(object_get_ref(deref(self->java_thread), OFF(Thread, name)));
    if (name)
        os_thread_set_name(name);
    vm_free(name);
}

static void run_java_thread(Thread *self, void *arg)
{
    (void)arg;
    set_os_name(self);
    event_post(self, THREAD_BEGIN, .unused = 0);
    event_post(self, THREAD_START, .unused = 0);
    jvalue receiver = {.l = self->java_thread};
    if (!exception_pending(self)
        && !object_get_boolean(deref(receiver.l), OFF(Thread, stillborn)))
        (void)!java_call_virtual(self, MTH(Thread, run), &receiver, NULL);
    java_thread_exit(self);
}

static void throw_no_thread(Thread *self, jobject thread)
{
    char *name = string_to_utf8(object_get_ref(deref(thread), OFF(Thread, name)));
    LOG(LOG_THREAD, LOG_WARNING,
        "Failed to start the native thread for java.lang.Thread \"%s\"", name ? name : "");
    vm_free(name);
    throw_out_of_memory(self, "unable to create native thread: possibly out of memory or "
                              "process/resource limits reached");
}

static Launch launch(Thread *self, jobject thread, size_t stack,
                     void (*body)(Thread *self, void *arg), void *arg)
{
    if (get_eetop(deref(thread)))
        return LAUNCHED_BEFORE;
    object_set_int(deref(thread), OFF(Thread, threadStatus), STATUS_RUNNABLE);
    if (thread_start(self, thread, stack, body, arg))
        return LAUNCHED;
    object_set_int(deref(thread), OFF(Thread, threadStatus), STATUS_NEW);
    atomic_fetch_sub(&started_count, 1);
    return LAUNCH_REFUSED;
}

Launch java_thread_launch(Thread *self, jobject thread, size_t stack,
                          void (*body)(Thread *self, void *arg), void *arg)
{
    static Mutex lock = MUTEX_INIT(RANK_CLASS_INIT); // one start of a Thread object at a time
    ASSERT_MAY_GC(self);
    ASSERT_HANDLE(thread);
    thread_lock_undisturbed(self, &lock);
    Launch how = launch(self, thread, stack, body, arg);
    thread_unlock_undisturbed(self, &lock);
    return how;
}

void java_thread_start(Thread *self, jobject thread)
{
    ASSERT_MAY_GC(self);
    ASSERT_HANDLE(thread);
    int64_t stack = object_get_long(deref(thread), OFF(Thread, stackSize));
    size_t bytes = stack > 0 ? (size_t)stack : 0;
    switch (java_thread_launch(self, thread, bytes, run_java_thread, NULL)) {
    case LAUNCHED: break;
    case LAUNCHED_BEFORE: throw_null(self, "java/lang/IllegalThreadStateException"); break;
    case LAUNCH_REFUSED: throw_no_thread(self, thread); break;
    }
}

typedef struct VmBody {
    void (*body)(Thread *self, void *arg);
    void *arg;
} VmBody;

static void run_vm_thread(Thread *self, void *arg)
{
    VmBody b = *(VmBody *)arg;
    vm_free(arg);
    set_os_name(self);
    event_post(self, THREAD_BEGIN, .unused = 0);
    event_post(self, THREAD_START, .unused = 0);
    self->exception = NULL; // of a listener: nobody would take it
    b.body(self, b.arg);
    java_thread_exit(self);
}

bool java_thread_start_vm(Thread *self, const char *name, int priority,
                          void (*body)(Thread *self, void *arg), void *arg)
{
    ASSERT_MAY_GC(self);
    HANDLE_SCOPE(self);
    jobject text = string_from_mutf8(self, name);
    jobject thread = text
                         ? object_construct(self, CLS(Thread),
                                            "(Ljava/lang/ThreadGroup;Ljava/lang/String;)V",
                                            (jvalue[]){{.l = system_thread_group}, {.l = text}})
                         : NULL;
    if (!thread)
        return false;
    object_set_boolean(deref(thread), OFF(Thread, daemon), 1);
    object_set_int(deref(thread), OFF(Thread, priority), priority);
    if (!java_call(self, MTH(ThreadGroup, add),
                   (jvalue[]){{.l = system_thread_group}, {.l = thread}}, NULL))
        return false;
    VmBody *b = vm_malloc(sizeof *b);
    *b = (VmBody){body, arg};
    if (java_thread_launch(self, thread, 0, run_vm_thread, b) == LAUNCHED)
        return true;
    vm_free(b);
    if (java_call(self, MTH(ThreadGroup, threadStartFailed),
                  (jvalue[]){{.l = system_thread_group}, {.l = thread}}, NULL))
        throw_no_thread(self, thread);
    return false;
}

static void dispatch_uncaught(Thread *self, jobject thread, jobject exception)
{
    if (java_call_virtual(self, MTH(Thread, dispatchUncaughtException),
                          (jvalue[]){{.l = thread}, {.l = exception}}, NULL))
        return;
    jobject second = exception_take(self);
    char *cls = class_external_name(object_class(deref(second)));
    char *name = string_to_utf8(object_get_ref(deref(thread), OFF(Thread, name)));
    fprintf(stderr,
            "\nException: %s thrown from the UncaughtExceptionHandler in thread \"%s\"\n", cls,
            name ? name : "");
    vm_free(cls);
    vm_free(name);
}

void java_thread_exit(Thread *self)
{
    ASSERT_MAY_GC(self);
    HANDLE_SCOPE(self);
    jobject thread = java_thread_current(self);
    if (exception_pending(self))
        dispatch_uncaught(self, thread, exception_take(self));
    for (int i = 0; i < 3 && object_get_ref(deref(thread), OFF(Thread, group)); i++) {
        if (!java_call_virtual(self, MTH(Thread, exit), (jvalue[]){{.l = thread}}, NULL))
            self->exception = NULL; // nothing can be reported any more
    }
    event_post(self, THREAD_END, .unused = 0);
    thread_begin_exit(self);
    monitor_enter(self, thread);
    set_status(self, STATUS_TERMINATED);
    set_eetop(deref(thread), NULL);
    monitor_notify(self, thread, true);
    monitor_exit(self, thread);
}
