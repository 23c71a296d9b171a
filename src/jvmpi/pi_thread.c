// SPDX-License-Identifier: Apache-2.0
// Threads: what is kept of them, their suspension, status and stacks, THREAD_START, system
// threads. A thread that is suspended here stops where it next comes to the VM's attention, and
// never inside C code that holds a lock of the C library: what runs in the thread-suspended mode
// may allocate.
#include "class/vm_classes.h"
#include "frame/frame_cursor.h"
#include "java/java_thread.h"
#include "java/string.h"
#include "jvmpi/pi.h"

enum { STATUS_BITS_WAITING = 0x80 }; // of Thread.threadStatus: waits, sleeps or is parked
static char ended_mark;              // tool_data of a thread that ended
static _Thread_local bool
    has_suspended; // this thread: others, which may have been resumed since

// ---- what is kept ----
PiThread *pi_thread(Thread *t)
{
    void *at = __atomic_load_n(&t->tool_data[PI_SLOT], __ATOMIC_ACQUIRE);
    if (at == &ended_mark)
        return NULL;
    if (at)
        return at;
    PiThread *made = vm_calloc(1, sizeof *made);
    void *none = NULL;
    if (__atomic_compare_exchange_n(&t->tool_data[PI_SLOT], &none, made, false,
                                    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return made;
    vm_free(made);
    return none == &ended_mark ? NULL : none;
}

// Others look at it IN_VM without leaving: none does while the world is stopped.
void pi_thread_forget(Thread *self)
{
    world_stop(self);
    void *at = self->tool_data[PI_SLOT];
    __atomic_store_n(&self->tool_data[PI_SLOT], &ended_mark, __ATOMIC_RELEASE);
    world_resume(self);
    if (at != &ended_mark)
        vm_free(at);
}

Thread *pi_thread_pin(JNIEnv *env)
{
    Thread *t = env ? jni_thread(env) : NULL;
    return t && thread_pin_listed(t) ? t : NULL;
}

// ---- calls ----
PiCall pi_call_begin(void)
{
    Thread *self = thread_current();
    bool outside =
        self && atomic_load_explicit(&self->state, memory_order_relaxed) != THREAD_IN_VM;
    if (outside)
        thread_enter_vm(self);
    return (PiCall){self, outside};
}

void pi_call_end(PiCall *call)
{
    if (call->entered)
        thread_leave_vm(call->self, THREAD_IN_NATIVE);
}

// ---- storage ----
void pi_SetThreadLocalStorage(PiAgent *agent, JNIEnv *env_id, void *ptr)
{
    PI_CALL;
    Thread *t = self ? pi_thread_pin(env_id) : NULL;
    PiThread *data = t ? pi_thread(t) : NULL;
    if (data)
        atomic_store(&data->storage[agent - pi_agents], ptr);
    if (t)
        thread_unpin(t);
}

void *pi_GetThreadLocalStorage(PiAgent *agent, JNIEnv *env_id)
{
    Thread *own = thread_current();
    if (own && jni_env(own) == env_id) { // often asked for, in METHOD_ENTRY
        PiThread *data = pi_thread(own);
        return data ? atomic_load(&data->storage[agent - pi_agents]) : NULL;
    }
    PI_CALL;
    Thread *t = self ? pi_thread_pin(env_id) : NULL;
    PiThread *data = t ? pi_thread(t) : NULL;
    void *found = data ? atomic_load(&data->storage[agent - pi_agents]) : NULL;
    if (t)
        thread_unpin(t);
    return found;
}

// ---- suspension ----
static uint32_t count_suspended(const Thread *self)
{
    uint32_t count = 0;
    mutex_lock(&threads_lock);
    THREAD_EACH(t)
    {
        const PiThread *data = __atomic_load_n(&t->tool_data[PI_SLOT], __ATOMIC_ACQUIRE);
        count += data && (const char *)data != &ended_mark
                 && atomic_load(&data->suspended_by) == self->os_id;
    }
    mutex_unlock(&threads_lock);
    return count;
}

uint32_t pi_threads_suspended(void)
{
    if (!has_suspended)
        return 0;
    PI_CALL;
    uint32_t count = self ? count_suspended(self) : 0;
    has_suspended = count > 0;
    return count;
}

static bool suspend(Thread *self, JNIEnv *env)
{
    Thread *t = self ? pi_thread_pin(env) : NULL;
    if (!t)
        return false;
    PiThread *data = t == self ? NULL : pi_thread(t);
    uint64_t me = self->os_id, before = data ? atomic_exchange(&data->suspended_by, me) : 0;
    has_suspended |= data != NULL;
    bool ok = thread_freeze(self, t);
    data = pi_thread(t);
    if (!ok && data)
        atomic_compare_exchange_strong(&data->suspended_by, &me, before);
    if (ok && data) {
        data->cpu_before = data->cpu_last;
        data->cpu_last = os_thread_cpu_nanos(t->pthread);
    }
    thread_unpin(t);
    return ok;
}

static bool resume(JNIEnv *env)
{
    Thread *t = pi_thread_pin(env);
    bool ok = t && thread_thaw(t);
    PiThread *data = ok ? pi_thread(t) : NULL;
    if (data)
        atomic_store(&data->suspended_by, 0);
    if (t)
        thread_unpin(t);
    return ok;
}

void pi_SuspendThread(JNIEnv *env)
{
    PI_CALL;
    suspend(self, env);
}

void pi_ResumeThread(JNIEnv *env)
{
    PI_CALL;
    if (!resume(env))
        pi_report(PI_NOT_SUSPENDED, "ResumeThread");
}

// The calling thread last: it stops there.
void pi_SuspendThreadList(jint reqCount, JNIEnv **reqList, jint *results)
{
    PI_CALL;
    JNIEnv *own = self ? jni_env(self) : NULL;
    for (int own_turn = 0; own_turn <= 1; own_turn++)
        for (jint i = 0; i < reqCount; i++)
            if ((reqList[i] == own) == own_turn) {
                results[i] = 0; // no other thread can report it to self afterwards
                results[i] = suspend(self, reqList[i]) ? 0 : JVMPI_FAIL;
            }
}

void pi_ResumeThreadList(jint reqCount, JNIEnv **reqList, jint *results)
{
    PI_CALL;
    for (jint i = 0; i < reqCount; i++)
        results[i] = resume(reqList[i]) ? 0 : JVMPI_FAIL;
}

jboolean pi_ThreadHasRun(JNIEnv *env)
{
    PI_CALL;
    Thread *t = self ? pi_thread_pin(env) : NULL;
    PiThread *data = t ? pi_thread(t) : NULL;
    if (t && !t->frozen)
        pi_report(PI_NOT_SUSPENDED, "ThreadHasRun");
    bool has_run = data && data->cpu_last != data->cpu_before;
    if (t)
        thread_unpin(t);
    return has_run;
}

// ---- status and stacks ----
static jint what_it_does(const Thread *t, int status)
{
    if (atomic_load(&t->raw_blocked_on) && !atomic_load(&t->raw_waiting_on))
        return JVMPI_THREAD_MONITOR_WAIT;
    if (atomic_load(&t->raw_waiting_on))
        return JVMPI_THREAD_CONDVAR_WAIT;
    if (status == STATUS_BLOCKED)
        return JVMPI_THREAD_MONITOR_WAIT;
    if (status & STATUS_BITS_WAITING || atomic_load(&t->state) == THREAD_WAITING)
        return JVMPI_THREAD_CONDVAR_WAIT;
    return JVMPI_THREAD_RUNNABLE;
}

// An ending thread gives up its reference under this lock, and another may have it afterwards.
Object *pi_thread_object(const Thread *t)
{
    mutex_lock(&threads_lock);
    Object *o = deref(t->java_thread);
    mutex_unlock(&threads_lock);
    return o;
}

jint pi_thread_status(Thread *t)
{
    const Object *o = pi_thread_object(t);
    jint status = what_it_does(t, o ? object_get_int(o, OFF(Thread, threadStatus)) : 0);
    if (t->suspended)
        status |= JVMPI_THREAD_SUSPENDED;
    if (o && object_get_boolean(o, OFF(Thread, interrupted)))
        status |= JVMPI_THREAD_INTERRUPTED;
    return status;
}

jint pi_GetThreadStatus(JNIEnv *env)
{
    PI_CALL;
    Thread *t = self ? pi_thread_pin(env) : NULL;
    jint status = t ? pi_thread_status(t) : 0;
    if (t)
        thread_unpin(t);
    return status;
}

static void put_frame(void *ctx, const FrameCursor *f)
{
    JVMPI_CallFrame **next = ctx, *out = (*next)++;
    bool native = method_is_native(f->method);
    out->lineno = native ? PI_LINE_NATIVE : method_line(f->method, f->bci);
    out->method_id = method_id(f->method);
}

jint pi_trace(Thread *t, JVMPI_CallFrame *frames, jint depth)
{
    FrameCursor youngest;
    if (!cursor_first(&youngest, t))
        return 0;
    return (jint)frames_trace_methods(&youngest, (uint32_t)MAX_OF(depth, 0), NULL, put_frame,
                                      &frames);
}

void pi_GetCallTrace(JVMPI_CallTrace *trace, jint depth)
{
    PI_CALL;
    if (!trace)
        return;
    trace->num_frames = 0;
    Thread *t = self && trace->frames ? pi_thread_pin(trace->env_id) : NULL;
    if (!t)
        return;
    thread_handshake(self, t);
    trace->num_frames = pi_trace(t, trace->frames, depth);
    thread_handshake_end(self, t);
    thread_unpin(t);
}

jlong pi_GetCurrentThreadCpuTime(void)
{
    return os_thread_cpu_nanos(pthread_self());
}

jobjectID pi_GetThreadObject(JNIEnv *env)
{
    PI_CALL;
    Thread *t = self ? pi_thread_pin(env) : NULL;
    jobjectID id = t ? pi_id(pi_thread_object(t)) : NULL;
    if (t)
        thread_unpin(t);
    return id;
}

// ---- THREAD_START ----
// mUTF-8 of a String field, "" for null: vm_free it.
static char *text_of(const Object *o, uint32_t offset)
{
    char *text = o ? string_to_mutf8(object_get_ref(o, offset)) : NULL;
    return text ? text : vm_strdup("");
}

void pi_send_thread_start(Thread *self, Thread *t, jobject java_thread, PiAgent *only)
{
    ASSERT_MAY_GC(self);
    pi_begin_gc_off(self);
    const Object *thread = deref(java_thread);
    const Object *group = object_get_ref(thread, OFF(Thread, group));
    const Object *parent = group ? object_get_ref(group, OFF(ThreadGroup, parent)) : NULL;
    char *name = text_of(thread, OFF(Thread, name));
    char *group_name = text_of(group, OFF(ThreadGroup, name));
    char *parent_name = text_of(parent, OFF(ThreadGroup, name));
    pi_send_gc_off(self, only,
                   &(JVMPI_Event){.event_type = JVMPI_EVENT_THREAD_START,
                                  .u.thread_start = {name, group_name, parent_name,
                                                     pi_id(thread), jni_env(t)}});
    vm_free(name);
    vm_free(group_name);
    vm_free(parent_name);
}

// ---- system threads ----
static void run_system_thread(Thread *self, void *arg)
{
    void (*f)(void *) = *(void (**)(void *))arg;
    vm_free(arg);
    thread_leave_vm(self, THREAD_IN_NATIVE);
    f(NULL);
    thread_enter_vm(self);
}

jint pi_CreateSystemThread(char *name, jint priority, void (*f)(void *))
{
    if (!atomic_load(&pi_initialized))
        return JNI_ERR;
    PI_CALL;
    if (!self || !f || world_is_stopped())
        return JNI_ERR;
    void (**arg)(void *) = vm_malloc(sizeof *arg);
    *arg = f;
    jint at_least = MAX_OF(priority, JVMPI_MINIMUM_PRIORITY);
    if (java_thread_start_vm(self, name ? name : "", MIN_OF(at_least, JVMPI_MAXIMUM_PRIORITY),
                             run_system_thread, arg))
        return JNI_OK;
    self->exception = NULL;
    vm_free(arg);
    return JNI_ERR;
}
