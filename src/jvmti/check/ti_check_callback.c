// SPDX-License-Identifier: Apache-2.0
// -Xcheck:jvmti: callbacks. The agent's table is kept aside; the environment's own has the
// functions below, one for each event, which call the agent's and look at what it leaves behind.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "heap/heap.h"
#include "java/exception.h"
#include "jni/check.h"
#include "jvmti/check/ti_check.h"
#include "jvmti/env/ti_entry.h"

enum { RUNNING, IN_STOP };

// Versions before 11 ended with VMObjectAlloc.
enum {
    TABLE_LEAST = (JVMTI_EVENT_VM_OBJECT_ALLOC - JVMTI_MIN_EVENT_TYPE_VAL + 1) * sizeof(void *)
};

_Thread_local const char *checked_stop;

// ---- JNI while the world is stopped ----

static const struct JNINativeInterface_ *forbidding; // looks before it does anything

// JniForbidden. The call cannot be done, so it is the last one.
static void forbidden(const char *function)
{
    if (!checked_stop)
        return;
    check_report(RULE_JNI_IN_CALLBACK, NULL, function, checked_stop);
    abort();
}

void checked_callbacks_init(void)
{
    jni_forbidden = forbidden;
    forbidding = jni_check_table(jni_table());
}

void checked_jni_forbid(Thread *self)
{
    self->jni = forbidding;
}

void checked_jni_allow(Thread *self)
{
    self->jni = thread_jni_table;
}

// ---- around a callback ----

typedef struct CheckedCallback {
    const char *name;
    AgentPlace place; // the agent's function
    Thread *self;
    bool stopped;
    const char *outer_stop;
    CheckedMonitors monitors;
    uint32_t critical_depth;
    size_t local_frames;
} CheckedCallback;

static void begin(CheckedCallback *c, const char *name, TiCallback callback, bool stopped)
{
    *c = (CheckedCallback){.name = name,
                           .place = {{(const void *)(uintptr_t)callback}, 1},
                           .self = thread_current(),
                           .stopped = stopped,
                           .outer_stop = checked_stop};
    checked_monitors_note(&c->monitors);
    checked_stop = stopped ? name : NULL;
    if (!c->self)
        return;
    c->critical_depth = heap_critical_depth();
    c->local_frames = c->self->jni_frames.len;
    if (stopped)
        checked_jni_forbid(c->self);
}

static void compare_thread(const CheckedCallback *c)
{
    Thread *self = c->self;
    if (heap_critical_depth() != c->critical_depth)
        check_report(RULE_CRITICAL, &c->place, c->name,
                     heap_critical_depth() > c->critical_depth ? "open" : "closed");
    if (self->jni_frames.len > c->local_frames)
        check_report(RULE_LOCAL_FRAME, &c->place, c->name,
                     (int)(self->jni_frames.len - c->local_frames));
    thread_enter_vm(self);
    char *text = exception_pending(self) ? exception_text(self->exception) : NULL;
    thread_leave_vm(self, THREAD_IN_NATIVE);
    if (text)
        text[strcspn(text, "\n")] = '\0'; // without its causes
    if (text)
        check_report(RULE_EXCEPTION, &c->place, c->name, text);
    vm_free(text);
}

static void end(const CheckedCallback *c)
{
    if (c->stopped && c->self)
        checked_jni_allow(c->self);
    checked_stop = c->outer_stop;
    checked_monitors_compare(&c->monitors, c->name, &c->place);
    if (c->self && !c->stopped)
        compare_thread(c);
}

static TiCallback agents_callback(jvmtiEnv *env, int number)
{
    TiCallback _Atomic *all = ((TiEnv *)env)->agent_callbacks;
    return atomic_load_explicit(&all[number - JVMTI_MIN_EVENT_TYPE_VAL], memory_order_acquire);
}

#define TI_CALLBACK(name, number, parameters, arguments, where)                     \
    static void JNICALL on_##name parameters                                        \
    {                                                                               \
        jvmtiEvent##name callback = (jvmtiEvent##name)agents_callback(env, number); \
        if (!callback)                                                              \
            return;                                                                 \
        CheckedCallback c;                                                          \
        begin(&c, #name, (TiCallback)callback, where == IN_STOP);                   \
        callback arguments;                                                         \
        end(&c);                                                                    \
    }
#include "spec/jvmti_callbacks.def"
#undef TI_CALLBACK

// ---- the table ----

static const struct {
    const char *name;
    TiCallback checked;
} callbacks_of[TI_EVENT_COUNT] = {
#define TI_CALLBACK(name, number, parameters, arguments, where) \
    [number - JVMTI_MIN_EVENT_TYPE_VAL] = {#name, (TiCallback)on_##name},
#include "spec/jvmti_callbacks.def"
#undef TI_CALLBACK
};

static bool is_code(const void *p)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    uintptr_t from, to;
    char rights[5], line[512];
    bool is = !maps; // nothing is known
    while (maps && !is && fgets(line, sizeof line, maps))
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s", &from, &to, rights) == 3)
            is = (uintptr_t)p >= from && (uintptr_t)p < to && rights[2] == 'x';
    if (maps)
        fclose(maps);
    return is;
}

// The agent's callbacks as they can be used.
static void take_table(CheckedCall *c, const void *table, size_t size, TiCallback *out)
{
    memcpy(out, table, MIN_OF(size, TI_EVENT_COUNT * sizeof *out));
    for (int i = 0; i < TI_EVENT_COUNT; i++) {
        if (!out[i] || is_code((const void *)(uintptr_t)out[i]))
            continue;
        if (callbacks_of[i].name)
            check_report(RULE_TABLE_ENTRY, NULL, c->name, callbacks_of[i].name);
        out[i] = NULL;
    }
}

jvmtiError checked_SetEventCallbacks(CheckedCall *c, const jvmtiEventCallbacks *callbacks,
                                     jint size)
{
    TiEnv *env = (TiEnv *)c->env;
    TiCallback agents[TI_EVENT_COUNT] = {0}, ours[TI_EVENT_COUNT] = {0}, before[TI_EVENT_COUNT];
    if (callbacks
        && (size < (jint)TABLE_LEAST || size > (jint)sizeof *callbacks
            || size % sizeof(void *) != 0)) {
        check_report(RULE_TABLE_SIZE, NULL, c->name, (int)size);
        c->reported = true;
    }
    if (callbacks && size > 0)
        take_table(c, callbacks, (size_t)size, agents);
    if (!env->agent_callbacks)
        env->agent_callbacks = vm_calloc(TI_EVENT_COUNT, sizeof *env->agent_callbacks);
    for (int i = 0; i < TI_EVENT_COUNT; i++) {
        before[i] = atomic_exchange(&env->agent_callbacks[i], agents[i]);
        ours[i] = agents[i] ? callbacks_of[i].checked : NULL;
    }
    jvmtiError error = ti_function_table.SetEventCallbacks(
        c->env, callbacks ? (const jvmtiEventCallbacks *)(void *)ours : NULL,
        size < 0 ? size : (jint)sizeof ours);
    for (int i = 0; error && i < TI_EVENT_COUNT; i++)
        atomic_store(&env->agent_callbacks[i], before[i]);
    return error;
}

// ---- references ----

enum { SHIFTS = 61, SHIFT_SLOTS = 8 };

void checked_shift_references(Thread *self)
{
    static _Thread_local unsigned round;
    if (!self->java_thread)
        return;
    for (unsigned n = (1 + round++ % SHIFTS) * SHIFT_SLOTS; n > 0; n--)
        *handle_slot(handle_new(self, deref(self->java_thread))) = NULL;
}
