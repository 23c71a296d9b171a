// SPDX-License-Identifier: Apache-2.0
// The subscriber: makes JVM TI events of what the VM posts. An event goes to an environment
// that has a callback for it and has it enabled, globally or for the thread, in a phase in
// which it may be sent (spec/jvmti_events.def). Environments are asked in the order of their
// creation. A callback runs IN_NATIVE in a frame of local references of its own, with no
// exception pending; what was pending is pending again afterwards unless the callback left
// another where that can be thrown. GC and ObjectFree callbacks run with the world stopped, IN_VM.
#include "base/log.h"
#include "code/java_stubs.h"
#include "interp/breakpoint.h"
#include "java/exception.h"
#include "java/java_object.h"
#include "java/java_thread.h"
#include "jvmti/check/ti_check.h"
#include "jvmti/env/ti_entry.h"
#include "jvmti/generated/decl.h"
#include "jvmti/tags/ti_tags.h"
#include "link/resolve.h"
#include "options/options.h"

enum { FROM_PRIMORDIAL, FROM_START, FROM_LIVE };
typedef struct EventRow {
    jvmtiEvent event;
    int core;  // EventId or -1
    int first; // FROM_*
} EventRow;
enum { EVENT_NONE = -1 };
static const EventRow rows[] = {
#define TI_EVENT(number, name, suffix, core, first, control, capability) \
    {JVMTI_EVENT_##suffix, EVENT_##core, FROM_##first},
#include "spec/jvmti_events.def"
#undef TI_EVENT
};
static uint8_t first_phase[TI_EVENT_COUNT];
static bool is_ours[EVENT_COUNT];    // has a row
static uint8_t sent_as[EVENT_COUNT]; // its jvmtiEvent, less JVMTI_MIN_EVENT_TYPE_VAL
static uint64_t wanted_events;       // what event_want knows of; ti_lock

// ---- who wants what ----
// Events that some environment can receive. Those of calls that are enabled for single threads alone are wanted of these
// (ti_calls_update): no other thread is to pay for them.
static uint64_t count_wanted(void)
{
    uint64_t all = 0;
    TI_ENV_EACH(env)
    {
        uint64_t enabled =
            atomic_load(&env->enabled) | (atomic_load(&env->thread_enabled) & ~TI_CALL_EVENTS);
        for (int i = 0; i < TI_EVENT_COUNT; i++)
            if ((enabled >> i & 1) && atomic_load(&env->callbacks[i]))
                all |= 1ull << i;
    }
    return all;
}

// Whether JVMPI wants the event as well. As wanted_events and event_wanted are before the change, if one is under way.
static bool is_shared(EventId id, jvmtiEvent event)
{
    uint32_t ours = wanted_events & TI_EVENT_BIT(event) ? 1 : 0;
    return atomic_load(&event_wanted[id]) > ours;
}

// The environment that alone may be sent the event; NULL: there is none, or several, or it wants it of some threads alone, or somebody else
// wants it, or this is not the live phase. Under event_changes and ti_lock.
static TiEnv *find_sole(EventId id, jvmtiEvent event)
{
    ASSERT_HELD(&event_changes);
    if (vm_options.check_jvmti || ti_phase() != JVMTI_PHASE_LIVE || is_shared(id, event))
        return NULL;
    uint64_t bit = TI_EVENT_BIT(event);
    TiEnv *found = NULL;
    TI_ENV_EACH(env)
    {
        if (!((atomic_load(&env->enabled) | atomic_load(&env->thread_enabled)) & bit))
            continue;
        if (found || (atomic_load(&env->thread_enabled) & bit))
            return NULL;
        found = env;
    }
    return found;
}

// Of METHOD_ENTRY and METHOD_EXIT.
static void *_Atomic sole_env[2];

static void update_sole(void)
{
    ASSERT_HELD(&ti_lock);
    atomic_store(&sole_env[0], find_sole(EVENT_METHOD_ENTRY, JVMTI_EVENT_METHOD_ENTRY));
    atomic_store(&sole_env[1], find_sole(EVENT_METHOD_EXIT, JVMTI_EVENT_METHOD_EXIT));
}

void ti_events_forget_sole(void)
{
    ASSERT_HELD(&ti_lock);
    atomic_store(&sole_env[0], NULL);
    atomic_store(&sole_env[1], NULL);
}

void ti_events_changed(void)
{
    Thread *self = thread_current();
    thread_lock_undisturbed(self, &event_changes);
    mutex_lock(&ti_lock);
    update_sole(); // before event_wanted changes: one that goes is not called any more, one that comes shares it with nobody
    uint64_t now = count_wanted();
    uint64_t changed = now ^ wanted_events;
    wanted_events = now;
    mutex_unlock(&ti_lock);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        uint64_t bit = TI_EVENT_BIT(rows[i].event);
        if ((changed & bit) && rows[i].core != EVENT_NONE)
            event_want((EventId)rows[i].core, now & bit ? 1 : -1);
    }
    if ((now | changed) & TI_EVENT_BIT(JVMTI_EVENT_SINGLE_STEP))
        ti_step_update();
    ti_calls_update();
    thread_unlock_undisturbed(self, &event_changes);
    if (changed & TI_EVENT_BIT(JVMTI_EVENT_SAMPLED_OBJECT_ALLOC))
        ti_sample_changed(self);
}

static bool phase_allows(const TiEnv *env, jvmtiEvent event)
{
    jvmtiPhase phase = ti_env_phase(env);
    if (phase == JVMTI_PHASE_LIVE)
        return true;
    int first = first_phase[event - JVMTI_MIN_EVENT_TYPE_VAL];
    if (phase == JVMTI_PHASE_START)
        return first <= FROM_START;
    if (phase != JVMTI_PHASE_PRIMORDIAL || first != FROM_PRIMORDIAL)
        return false;
    return event != JVMTI_EVENT_CLASS_FILE_LOAD_HOOK
           || (ti_has_bit(&env->capabilities, TI_CAP_can_generate_early_class_hook_events)
               && ti_has_bit(&env->capabilities, TI_CAP_can_generate_all_class_hook_events));
}

static bool is_enabled(Thread *self, TiEnv *env, uint64_t bit)
{
    if (atomic_load_explicit(&env->enabled, memory_order_relaxed) & bit)
        return true;
    if (!self || !(atomic_load_explicit(&env->thread_enabled, memory_order_relaxed) & bit))
        return false;
    TiThread *t = ti_thread_find(self, env);
    return t && (atomic_load_explicit(&t->enabled, memory_order_relaxed) & bit);
}

TiCallback ti_event_callback(Thread *self, TiEnv *env, jvmtiEvent event)
{
    if (!is_enabled(self, env, TI_EVENT_BIT(event)) || !phase_allows(env, event))
        return NULL;
    return atomic_load_explicit(&env->callbacks[event - JVMTI_MIN_EVENT_TYPE_VAL],
                                memory_order_acquire);
}

// ---- posting ----
// POST(VMInit, VM_INIT, jni, thread): calls the callbacks of that event with `env` and the
// arguments. In a function that has `self`.
#define CALLBACK_TYPE(name) jvmtiEvent##name
#define CALLBACK_OF(name, suffix) \
    (CALLBACK_TYPE(name)) ti_event_callback(self, env, JVMTI_EVENT_##suffix)
#define POST(name, suffix, ...)                                                       \
    TI_ENV_EACH(env)                                                                  \
    {                                                                                 \
        CALLBACK_TYPE(name) callback = CALLBACK_OF(name, suffix);                     \
        if (callback)                                                                 \
            TI_CALL(self, env, callback((jvmtiEnv *)env __VA_OPT__(, ) __VA_ARGS__)); \
    }
#define POST_STOPPED(name, suffix, ...)                                                       \
    TI_ENV_EACH(env)                                                                          \
    {                                                                                         \
        CALLBACK_TYPE(name) callback = CALLBACK_OF(name, suffix);                             \
        if (callback)                                                                         \
            TI_CALL_STOPPED(self, env, callback((jvmtiEnv *)env __VA_OPT__(, ) __VA_ARGS__)); \
    }

// A class file on its way from environment to environment.
typedef struct ClassFileChain {
    const struct Event_CLASS_FILE_LOAD *e;
    JNIEnv *jni;
    jclass redefined;
} ClassFileChain;

// What an agent made of the class file takes its place.
static void take_class_file(ClassFileChain *chain, bool capable, const uint8_t *bytes,
                            size_t len)
{
    const struct Event_CLASS_FILE_LOAD *e = chain->e;
    uint8_t *copy = vm_malloc(len);
    memcpy(copy, bytes, len);
    if (capable && !*e->original) {
        *e->original = vm_malloc(*e->len);
        memcpy(*e->original, *e->bytes, *e->len);
        *e->original_len = *e->len;
    }
    if (*e->bytes != e->given)
        vm_free((void *)(uintptr_t)*e->bytes);
    *e->bytes = copy;
    *e->len = len;
}

static void hook_class_file(Thread *self, ClassFileChain *chain, TiEnv *env, bool capable)
{
    const struct Event_CLASS_FILE_LOAD *e = chain->e;
    jvmtiEventClassFileLoadHook callback = (jvmtiEventClassFileLoadHook)ti_event_callback(
        self, env, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK);
    if (!callback)
        return;
    jint new_len = 0;
    unsigned char *new_bytes = NULL;
    TI_CALL(self, env,
            callback((jvmtiEnv *)env, chain->jni, chain->redefined, e->loader, e->name,
                     e->protection_domain, (jint)*e->len, *e->bytes, &new_len, &new_bytes));
    if (!new_bytes)
        return;
    take_class_file(chain, capable, new_bytes, (size_t)MAX_OF(new_len, 0));
    if (vm_options.check_jvmti)
        checked_give_back(self, env, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, new_bytes);
    else
        ti_Deallocate(self, env, new_bytes); // also when it was disposed of meanwhile
}

// First the environments that can't retransform, then those that can (JVM TI,
// RetransformClasses).
static void post_class_file_load(Thread *self, JNIEnv *jni,
                                 const struct Event_CLASS_FILE_LOAD *e)
{
    ClassFileChain chain = {e, jni, e->redefined ? mirror_handle(self, e->redefined) : NULL};
    for (int capable = e->retransform; capable <= 1; capable++)
        TI_ENV_EACH(env)
    if (ti_retransforms(env) == capable)
        hook_class_file(self, &chain, env, capable);
}

static void post_exception(Thread *self, JNIEnv *jni, jthread thread,
                           const struct Event_EXCEPTION *e)
{
    POST(Exception, EXCEPTION, jni, thread, method_id(e->method), e->bci, e->exception,
         method_id(e->catch_method), e->catch_method ? e->catch_bci : 0);
}

// What is allocated within a handler is not posted, to no environment: the handler would be called
// again for what it does. HotSpot posts two such allocations all the same, that of
// Constructor.newInstance and the box of Method.invoke's result.
static __thread bool posting_alloc __attribute__((tls_model("initial-exec")));

static void post_alloc(Thread *self, JNIEnv *jni, jthread thread,
                       const struct Event_VM_OBJECT_ALLOC *e)
{
    if (posting_alloc)
        return;
    jclass cls = mirror_handle(self, e->cls);
    posting_alloc = true;
    POST(VMObjectAlloc, VM_OBJECT_ALLOC, jni, thread, e->object, cls, e->size);
    posting_alloc = false;
}

static void post_native_bind(Thread *self, JNIEnv *jni, jthread thread,
                             const struct Event_NATIVE_BIND *e)
{
    POST(NativeMethodBind, NATIVE_METHOD_BIND,
         ti_env_phase(env) == JVMTI_PHASE_PRIMORDIAL ? NULL : jni, thread, method_id(e->method),
         *e->new_address, e->new_address);
}

// Payloads of two events that are read as one of them, as far as a field that both begin with.
#define SAME_FIRST(a, b, field)                                               \
    _Static_assert(offsetof(struct Event_##a, field) == 0                     \
                       && offsetof(struct Event_##b, field) == 0              \
                       && _Generic(((struct Event_##b *)0)->field,            \
                                   __typeof__(((struct Event_##a *)0)->field) \
                                   : true),                                   \
                   #a " and " #b " begin alike")

static void post_class(Thread *self, JNIEnv *jni, jthread thread, EventId id,
                       const struct Event_CLASS_LOAD *e)
{
    SAME_FIRST(CLASS_LOAD, CLASS_PREPARE, cls);
    jclass cls = mirror_handle(self, e->cls);
    if (id == EVENT_CLASS_LOAD)
        POST(ClassLoad, CLASS_LOAD, jni, thread, cls)
    else
        POST(ClassPrepare, CLASS_PREPARE, jni, thread, cls)
}

static void post_monitor(Thread *self, JNIEnv *jni, jthread thread, EventId id,
                         const void *payload)
{
    const struct Event_MONITOR_WAIT *wait = payload;
    const struct Event_MONITOR_WAITED *waited = payload;
    jobject object = ((const struct Event_MONITOR_ENTER *)payload)->object;
    SAME_FIRST(MONITOR_ENTER, MONITOR_ENTERED, object);
    SAME_FIRST(MONITOR_ENTER, MONITOR_WAIT, object);
    SAME_FIRST(MONITOR_ENTER, MONITOR_WAITED, object);
    if (id == EVENT_MONITOR_ENTER)
        POST(MonitorContendedEnter, MONITOR_CONTENDED_ENTER, jni, thread, object)
    else if (id == EVENT_MONITOR_ENTERED)
        POST(MonitorContendedEntered, MONITOR_CONTENDED_ENTERED, jni, thread, object)
    else if (id == EVENT_MONITOR_WAIT)
        POST(MonitorWait, MONITOR_WAIT, jni, thread, object, wait->timeout_ms)
    else
        POST(MonitorWaited, MONITOR_WAITED, jni, thread, object, waited->timed_out)
}

static void post_method(Thread *self, JNIEnv *jni, jthread thread, EventId id,
                        const void *payload)
{
    const struct Event_METHOD_EXIT *exit = payload;
    jmethodID method = method_id(((const struct Event_METHOD_ENTRY *)payload)->method);
    SAME_FIRST(METHOD_ENTRY, METHOD_EXIT, method);
    if (id == EVENT_METHOD_ENTRY)
        POST(MethodEntry, METHOD_ENTRY, jni, thread, method)
    else
        POST(MethodExit, METHOD_EXIT, jni, thread, method, exit->popped_by_exception,
             exit->result)
}

static void post_breakpoint(Thread *self, JNIEnv *jni, jthread thread,
                            const struct Event_BREAKPOINT *e)
{
    TI_ENV_EACH(env)
    {
        if (!breakpoint_is_of(e->at, env))
            continue;
        jvmtiEventBreakpoint callback =
            (jvmtiEventBreakpoint)ti_event_callback(self, env, JVMTI_EVENT_BREAKPOINT);
        if (!callback)
            continue;
        TI_CALL(self, env,
                callback((jvmtiEnv *)env, jni, thread, method_id(e->method), e->bci));
    }
}

static void post_field_access(Thread *self, JNIEnv *jni, jthread thread,
                              const struct Event_FIELD_ACCESS *e)
{
    jclass cls = mirror_handle(self, e->cls);
    TI_ENV_EACH(env)
    {
        if (!ti_watch_is_set(env, e->field, FIELD_GET))
            continue;
        jvmtiEventFieldAccess callback =
            (jvmtiEventFieldAccess)ti_event_callback(self, env, JVMTI_EVENT_FIELD_ACCESS);
        if (!callback)
            continue;
        TI_CALL(self, env,
                callback((jvmtiEnv *)env, jni, thread, method_id(e->method), e->bci, cls,
                         e->object, (jfieldID)e->field));
    }
}

// A reference of any type is passed as L.
static void post_field_modify(Thread *self, JNIEnv *jni, jthread thread,
                              const struct Event_FIELD_MODIFY *e)
{
    jclass cls = mirror_handle(self, e->cls);
    char kind = e->kind == '[' ? 'L' : e->kind;
    TI_ENV_EACH(env)
    {
        if (!ti_watch_is_set(env, e->field, FIELD_PUT))
            continue;
        jvmtiEventFieldModification callback = (jvmtiEventFieldModification)ti_event_callback(
            self, env, JVMTI_EVENT_FIELD_MODIFICATION);
        if (!callback)
            continue;
        TI_CALL(self, env,
                callback((jvmtiEnv *)env, jni, thread, method_id(e->method), e->bci, cls,
                         e->object, (jfieldID)e->field, kind, e->value));
    }
}

// The extension event of HotSpot: with the name of the class.
static void post_unload(Thread *self, JNIEnv *jni, const struct Event_CLASS_UNLOAD *e)
{
    TI_ENV_EACH(env)
    {
        jvmtiExtensionEvent callback = atomic_load(&env->class_unload);
        if (callback)
            TI_CALL(self, env, callback((jvmtiEnv *)env, jni, e->cls->name->s));
    }
}

static void post_frame_pop(Thread *self, JNIEnv *jni, jthread thread,
                           const struct Event_FRAME_POP *e)
{
    TI_ENV_EACH(env)
    {
        if (!ti_frame_pop_take(self, env, e->frame))
            continue;
        jvmtiEventFramePop callback =
            (jvmtiEventFramePop)ti_event_callback(self, env, JVMTI_EVENT_FRAME_POP);
        if (!callback)
            continue;
        TI_CALL(self, env,
                callback((jvmtiEnv *)env, jni, thread, method_id(e->method),
                         e->popped_by_exception));
    }
}

static void post_single_step(Thread *self, JNIEnv *jni, jthread thread,
                             const struct Event_SINGLE_STEP *e)
{
    POST(SingleStep, SINGLE_STEP, jni, thread, method_id(e->method), e->bci);
}

static void post_life(Thread *self, JNIEnv *jni, jthread thread, EventId id)
{
    switch ((int)id) {
    case EVENT_VM_INIT: POST(VMInit, VM_INIT, jni, thread); break;
    case EVENT_VM_DEATH:
        POST(ThreadEnd, THREAD_END, jni, thread); // as HotSpot: the thread that ends the VM
        POST(VMDeath, VM_DEATH, jni);
        ti_phase_set(JVMTI_PHASE_DEAD); // nothing is sent any more
        break;
    case EVENT_THREAD_START:
        ti_step_update();
        POST(ThreadStart, THREAD_START, jni, thread);
        break;
    case EVENT_THREAD_END:
        POST(ThreadEnd, THREAD_END, jni, thread);
        ti_thread_forget(self);
        break;
    default: POST(DataDumpRequest, DATA_DUMP_REQUEST);
    }
}

static void post_exhausted(Thread *self, JNIEnv *jni, const struct Event_RESOURCE_EXHAUSTED *e)
{
    LOG(LOG_JVMTI, LOG_ERROR, "Posting Resource Exhausted event: %s", e->description);
    POST(ResourceExhausted, RESOURCE_EXHAUSTED, jni, e->flags, NULL, e->description);
}

static void post_dynamic_code(Thread *self, const struct Event_DYNAMIC_CODE *e)
{
    TI_ENV_EACH(env)
    {
        jvmtiEventDynamicCodeGenerated callback =
            (jvmtiEventDynamicCodeGenerated)ti_event_callback(
                self, env, JVMTI_EVENT_DYNAMIC_CODE_GENERATED);
        if (callback && (!e->only || e->only == env))
            TI_CALL(self, env, callback((jvmtiEnv *)env, e->name, e->code, e->size));
    }
}

static void post_compiled_unload(Thread *self, const struct Event_COMPILED_UNLOAD *e)
{
    POST(CompiledMethodUnload, COMPILED_METHOD_UNLOAD, e->method, e->code);
}

static void post_catch(Thread *self, JNIEnv *jni, jthread thread,
                       const struct Event_EXCEPTION_CATCH *e)
{
    POST(ExceptionCatch, EXCEPTION_CATCH, jni, thread, method_id(e->method), e->bci,
         e->exception);
}

static void dispatch(Thread *self, JNIEnv *jni, jthread thread, EventId id, const void *payload)
{
    switch ((int)id) {
    case EVENT_METHOD_ENTRY:
    case EVENT_METHOD_EXIT: post_method(self, jni, thread, id, payload); break;
    case EVENT_SINGLE_STEP: post_single_step(self, jni, thread, payload); break;
    case EVENT_BREAKPOINT: post_breakpoint(self, jni, thread, payload); break;
    case EVENT_FIELD_ACCESS: post_field_access(self, jni, thread, payload); break;
    case EVENT_FIELD_MODIFY: post_field_modify(self, jni, thread, payload); break;
    case EVENT_FRAME_POP: post_frame_pop(self, jni, thread, payload); break;
    case EVENT_CLASS_FILE_LOAD: post_class_file_load(self, jni, payload); break;
    case EVENT_CLASS_UNLOAD: post_unload(self, jni, payload); break;
    case EVENT_CLASS_LOAD:
    case EVENT_CLASS_PREPARE: post_class(self, jni, thread, id, payload); break;
    case EVENT_EXCEPTION: post_exception(self, jni, thread, payload); break;
    case EVENT_EXCEPTION_CATCH: post_catch(self, jni, thread, payload); break;
    case EVENT_NATIVE_BIND: post_native_bind(self, jni, thread, payload); break;
    case EVENT_MONITOR_ENTER:
    case EVENT_MONITOR_ENTERED:
    case EVENT_MONITOR_WAIT:
    case EVENT_MONITOR_WAITED: post_monitor(self, jni, thread, id, payload); break;
    case EVENT_VM_OBJECT_ALLOC: post_alloc(self, jni, thread, payload); break;
    case EVENT_SAMPLED_ALLOC: ti_sample_post(self, jni, thread, payload); break;
    case EVENT_RESOURCE_EXHAUSTED: post_exhausted(self, jni, payload); break;
    case EVENT_DYNAMIC_CODE: post_dynamic_code(self, payload); break;
    case EVENT_COMPILED_LOAD: ti_compiled_post_load(self, payload); break;
    case EVENT_COMPILED_UNLOAD: post_compiled_unload(self, payload); break;
    default: post_life(self, jni, thread, id);
    }
}

static void post_collection(Thread *self, EventId id)
{
    if (id == EVENT_GC_FINISH)
        ti_tags_post_freed(self);
    if (id == EVENT_GC_START)
        POST_STOPPED(GarbageCollectionStart, GARBAGE_COLLECTION_START)
    else
        POST_STOPPED(GarbageCollectionFinish, GARBAGE_COLLECTION_FINISH)
}

// The events that have bodies above; VM_START is posted by phase.c alone.
static bool is_handled(EventId id)
{
    switch ((int)id) {
    case EVENT_VM_START:
    case EVENT_OBJECT_FREE: return false;
    case EVENT_CLASS_UNLOAD: return true; // the extension event
    default: return is_ours[id];
    }
}

// What becomes of what a callback throws.
typedef enum ThrownBy {
    THROWN_THERE, // where the program is at an instruction or in a native method; fails what a class file is for
    THROWN_LATER, // at the next safepoint: objects are allocated in the midst of what the VM does
    THROWN_NOWHERE, // nobody would take it
} ThrownBy;
static ThrownBy thrown_by(EventId id)
{
    switch ((int)id) {
    case EVENT_THREAD_END:
    case EVENT_VM_INIT:
    case EVENT_VM_DEATH:
    case EVENT_DATA_DUMP:
    case EVENT_CLASS_UNLOAD:
    case EVENT_DYNAMIC_CODE:
    case EVENT_COMPILED_LOAD:
    case EVENT_COMPILED_UNLOAD:
    case EVENT_RESOURCE_EXHAUSTED: return THROWN_NOWHERE;
    case EVENT_VM_OBJECT_ALLOC:
    case EVENT_SAMPLED_ALLOC: return THROWN_LATER;
    default: return THROWN_THERE;
    }
}

static void settle_exception(Thread *self, EventId id)
{
    ThrownBy by = thrown_by(id);
    if (by == THROWN_THERE || !exception_pending(self))
        return;
    jobject thrown = exception_take(self);
    if (by == THROWN_LATER)
        thread_throw_async(self, self, thrown);
}

// Of these something is noted as well, or more than one event is sent, or they are posted where an environment asked for.
static bool is_always_handled(EventId id)
{
    switch ((int)id) {
    case EVENT_THREAD_START:
    case EVENT_THREAD_END:
    case EVENT_VM_DEATH:
    case EVENT_FRAME_POP:
    case EVENT_BREAKPOINT:
    case EVENT_FIELD_ACCESS:
    case EVENT_FIELD_MODIFY:
    case EVENT_SAMPLED_ALLOC:
    case EVENT_CLASS_UNLOAD: return true;
    default: return false;
    }
}

// Whether some environment is to be sent the event on this thread. NO_GC.
static bool is_for_somebody(Thread *self, EventId id)
{
    if (is_always_handled(id))
        return true;
    jvmtiEvent event = (jvmtiEvent)(sent_as[id] + JVMTI_MIN_EVENT_TYPE_VAL);
    TI_ENV_EACH(env)
    if (ti_event_callback(self, env, event))
        return true;
    return false;
}

static void listen(Thread *self, EventId id, const void *payload)
{
    if (id == EVENT_GC_START || id == EVENT_GC_FINISH) {
        post_collection(self, id);
        return;
    }
    if (!self || self->hidden || !is_handled(id) || !is_for_somebody(self, id))
        return;
    HANDLE_SCOPE(self);
    ExceptionAside pending = exception_put_aside(self);
    size_t jni_frames = self->jni_frames.len;
    self->tool_depth++;
    dispatch(self, jni_env(self), handle_new(self, deref(self->java_thread)), id, payload);
    self->tool_depth--;
    jni_frames_close(self, jni_frames);
    settle_exception(self, id);
    if (!exception_pending(self))
        exception_put_back(self, pending);
}

// ---- METHOD_ENTRY and METHOD_EXIT for one environment ----
// What listen does, in fewer steps: there are so many of them. Compiled code does the same (code/x86_64_java_post.c).

typedef struct SoleCall {
    TiEnv *env;
    TiCallback callback;
    jmethodID method;
    jthread thread;
    HandleMark mark;
    size_t jni_frames; // how many were open before: the callback may leave its own open
    uint32_t
        depth; // tool_depth before: kept, as to add to it twice would be to wait for it twice
} SoleCall;

// Whether the clock is read for the n-th callback of the thread, which event_fire does. Finds anew how many there are without.
static COLD bool sole_is_timed(TiThread *t, int64_t n)
{
    int64_t every = ti_timed_every(n);
    if (every > 1)
        t->untimed_before = n - n % every + every;
    return ti_timing_weight(n) != 0;
}

// Enters the state of the callback. False: event_fire is to post it.
ALWAYS_INLINE bool sole_begin(Thread *self, EventId id, Method *m, SoleCall *c)
{
    VM_ASSERT(m);
    c->env = atomic_load_explicit(&sole_env[id - EVENT_METHOD_ENTRY], memory_order_acquire);
    if (UNLIKELY(!c->env) || UNLIKELY(self->hidden) || exception_pending(self)
        || atomic_load_explicit(&event_wanted[id], memory_order_relaxed)
               != 1) // JVMPI does, too
        return false;
    size_t sent =
        (id == EVENT_METHOD_ENTRY ? JVMTI_EVENT_METHOD_ENTRY : JVMTI_EVENT_METHOD_EXIT)
        - JVMTI_MIN_EVENT_TYPE_VAL;
    c->callback = atomic_load_explicit(&c->env->callbacks[sent], memory_order_acquire);
    TiThread *t = ti_thread_find(self, c->env);
    if (UNLIKELY(!c->callback || !t))
        return false;
    int64_t n = atomic_load_explicit(&t->cost.events, memory_order_relaxed);
    if (UNLIKELY(n >= t->untimed_before) && sole_is_timed(t, n))
        return false;
    atomic_store_explicit(&t->cost.events, n + 1, memory_order_relaxed);
    c->method = method_id(m);
    c->mark = handle_mark(self);
    c->thread = handle_new(self, *handle_slot(self->java_thread));
    c->jni_frames = self->jni_frames.len;
    c->depth = self->tool_depth;
    self->tool_depth = c->depth + 1;
    thread_leave_vm(self, THREAD_IN_NATIVE);
    return true;
}

ALWAYS_INLINE void sole_end(Thread *self, const SoleCall *c)
{
    thread_enter_vm(self);
    VM_ASSERT(self->tool_depth == c->depth + 1);
    self->tool_depth = c->depth;
    jni_frames_close(self, c->jni_frames);
    handle_pop(self, c->mark);
}

static void post_entry(Thread *self, Method *m)
{
    ASSERT_MAY_GC(self);
    SoleCall c;
    if (!sole_begin(self, EVENT_METHOD_ENTRY, m, &c)) {
        event_fire_entry(self, m);
        return;
    }
    ((jvmtiEventMethodEntry)c.callback)((jvmtiEnv *)c.env, jni_env(self), c.thread, c.method);
    sole_end(self, &c);
}

static void post_exit(Thread *self, Method *m, bool by_exception, jvalue result)
{
    ASSERT_MAY_GC(self);
    SoleCall c;
    if (!sole_begin(self, EVENT_METHOD_EXIT, m, &c)) {
        event_fire_exit(self, m, by_exception, result);
        return;
    }
    ((jvmtiEventMethodExit)c.callback)((jvmtiEnv *)c.env, jni_env(self), c.thread, c.method,
                                       by_exception, result);
    sole_end(self, &c);
}

#define CALLBACK_AT(event)               \
    (int32_t)(offsetof(TiEnv, callbacks) \
              + ((event)-JVMTI_MIN_EVENT_TYPE_VAL) * sizeof(TiCallback))
static const JavaReceiver sole_receiver = {
    .entry = &sole_env[0],
    .exit = &sole_env[1],
    .entry_callback = CALLBACK_AT(JVMTI_EVENT_METHOD_ENTRY),
    .exit_callback = CALLBACK_AT(JVMTI_EVENT_METHOD_EXIT),
    .of_thread = THREAD_OFFSET_tool_data + TI_SLOT * sizeof(void *),
    .owner = offsetof(TiThread, env),
    .posted = offsetof(TiThread, cost.events),
    .post_before = offsetof(TiThread, untimed_before),
};

// In the checking mode.
static void listen_shifted(Thread *self, EventId id, const void *payload)
{
    if (!self || id == EVENT_GC_START || id == EVENT_GC_FINISH) {
        listen(self, id, payload);
        return;
    }
    HANDLE_SCOPE(self);
    checked_shift_references(self);
    listen(self, id, payload);
    if (id == EVENT_THREAD_END)
        checked_thread_end();
}

void ti_events_init(void)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        first_phase[rows[i].event - JVMTI_MIN_EVENT_TYPE_VAL] = (uint8_t)rows[i].first;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (rows[i].core != EVENT_NONE) {
            is_ours[rows[i].core] = true;
            sent_as[rows[i].core] = (uint8_t)(rows[i].event - JVMTI_MIN_EVENT_TYPE_VAL);
        }
    event_subscribe(vm_options.check_jvmti ? listen_shifted : listen);
    event_calls = (EventCalls){post_entry, post_exit};
    java_stubs_init_posts(&sole_receiver);
    event_want(EVENT_THREAD_START, 1); // to step it
    event_want(EVENT_THREAD_END, 1);   // to free what is kept of the thread
    event_want(EVENT_VM_DEATH, 1);     // to post the end of the thread that ends the VM
    ti_tags_init();
}

void ti_post_vm_start(Thread *self, bool early)
{
    ASSERT_MAY_GC(self);
    HANDLE_SCOPE(self);
    JNIEnv *jni = jni_env(self);
    self->tool_depth++;
    TI_ENV_EACH(env)
    {
        if (atomic_load(&env->started)
            || (early && !ti_has_bit(&env->capabilities, TI_CAP_can_generate_early_vmstart)))
            continue;
        atomic_store(&env->started, true);
        jvmtiEventVMStart callback =
            (jvmtiEventVMStart)ti_event_callback(self, env, JVMTI_EVENT_VM_START);
        if (!callback)
            continue;
        TI_CALL(self, env, callback((jvmtiEnv *)env, jni));
    }
    self->tool_depth--;
}

void ti_post_vm_init(Thread *self)
{
    ASSERT_MAY_GC(self);
    event_post(self, VM_INIT, .unused = 0);
    event_post(self, THREAD_START, .unused = 0);
    self->exception = NULL; // nobody would take it
}
