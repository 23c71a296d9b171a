// SPDX-License-Identifier: Apache-2.0
// The checks that the generated entries are made of. In the order of their use: phase, thread,
// environment, capability (ti_begin_*), parameters (ti_check_*), and at last ti_end_*.
#ifndef JVMTI_ENV_TI_ENTRY_H
#define JVMTI_ENV_TI_ENTRY_H

#include "base/log.h"
#include "jvmti/env/ti.h"
#include "jvmti/env/ti_departure.h"
#include "thread/raw_monitor.h"

enum { // sets of phases
    TI_PHASE_ONLOAD = 1 << JVMTI_PHASE_ONLOAD,
    TI_PHASE_PRIMORDIAL = 1 << JVMTI_PHASE_PRIMORDIAL,
    TI_PHASE_START = 1 << JVMTI_PHASE_START,
    TI_PHASE_LIVE = 1 << JVMTI_PHASE_LIVE,
    TI_PHASES_ANY = -1,
};
enum { // capability bits
    TI_CAP_NONE = -1,
#define CAPABILITY(bit, name, potential) TI_CAP_##name = bit,
#include "spec/jvmti_capabilities.def"
#undef CAPABILITY
};

typedef struct TiFunction { // of the table
    const char *name;
    int phases;
    int capability;
} TiFunction;

// A call under way.
typedef struct TiCall {
    Thread *self; // NULL in the OnLoad phase, and of _native on a thread that is not attached
    TiEnv *env;
    const TiFunction *function;
    const char *argument; // the parameter that is wrong, NULL: none alone
    Thread *pinned;       // a thread argument
    bool entered;         // the call went IN_VM and goes back
} TiCall;

// The last call of the current thread that failed; function NULL when there was none.
typedef struct TiFailure {
    const TiFunction *function;
    const char *argument;
    jvmtiError error;
    jvmtiPhase phase;
    TiDeparture departure; // that it was refused for
} TiFailure;
const TiFailure *ti_last_failure(void);
// The name with JVMTI_ERROR_ and the meaning of an error; NULL: there is none of that code.
const char *ti_error_name(jvmtiError error);
const char *ti_error_text(jvmtiError error);
const char *ti_capability_name(int capability); // "" when there is none of that number
int ti_event_capability(jvmtiEvent event);      // that enabling it needs, or TI_CAP_NONE

// Whether phase, environment and capability are as they mostly are. `function` is a constant, so that the
// compiler decides most of this.
static inline bool ti_in_usual_phase(const TiFunction *function)
{
    return function->phases == TI_PHASES_ANY
           || ((function->phases & TI_PHASE_LIVE) && ti_phase() == JVMTI_PHASE_LIVE);
}
static inline bool ti_env_has(TiEnv *env, const TiFunction *function)
{
    return ti_env_is_valid(env)
           && (function->capability == TI_CAP_NONE
               || ti_has_bit(&env->capabilities, function->capability));
}

// What follows keeps a TiCall in registers: nothing takes its address.
//
// Begins a call that is not a usual one, or ends it with the first error in the order below; `vm`: it goes IN_VM, and is
// already if `entered`.
jvmtiError ti_begin_slowly(Thread *self, TiEnv *env, const TiFunction *function, bool vm,
                           bool entered);
// What a call ends with that has failed, or is logged.
void ti_report(TiEnv *env, const TiFunction *function, const char *argument, jvmtiError error);

// WRONG_PHASE, UNATTACHED_THREAD, INVALID_ENVIRONMENT, MUST_POSSESS_CAPABILITY. After NONE the
// call must be ended. _native: a thread that is not attached may call too, as on HotSpot. _vm: self
// goes IN_VM (MAY_GC); in a heap or GC callback, where it may not, UNATTACHED_THREAD.
ALWAYS_INLINE jvmtiError ti_begin_native(TiCall *call, jvmtiEnv *jvmti,
                                         const TiFunction *function)
{
    Thread *self = thread_current();
    TiEnv *env = (TiEnv *)jvmti;
    *call = (TiCall){.self = self, .env = env, .function = function};
    if (UNLIKELY(!self || !ti_in_usual_phase(function) || !ti_env_has(env, function)))
        return ti_begin_slowly(self, env, function, false, false);
    ti_calling = env;
    return JVMTI_ERROR_NONE;
}

MAY_GC ALWAYS_INLINE jvmtiError ti_begin_vm(TiCall *call, jvmtiEnv *jvmti,
                                            const TiFunction *function)
{
    Thread *self = thread_current();
    TiEnv *env = (TiEnv *)jvmti;
    *call = (TiCall){.self = self, .env = env, .function = function, .entered = self != NULL};
    if (UNLIKELY(!self || !ti_in_usual_phase(function)
                 || atomic_load_explicit(&self->state, memory_order_relaxed)
                        != THREAD_IN_NATIVE))
        return ti_begin_slowly(self, env, function, true, false);
    thread_enter_vm(self);
    if (UNLIKELY(!ti_env_has(env, function)))
        return ti_begin_slowly(self, env, function, true, true);
    self->tool_depth++;
    ti_calling = env;
    return JVMTI_ERROR_NONE;
}

static inline void ti_end_native(const TiCall *call, jvmtiError error)
{
    if (UNLIKELY(error != JVMTI_ERROR_NONE || log_on(LOG_JVMTI, LOG_TRACE)))
        ti_report(call->env, call->function, call->argument, error);
}

static inline void ti_end_vm(const TiCall *call, jvmtiError error)
{
    if (call->pinned)
        thread_unpin(call->pinned);
    if (call->entered) {
        call->self->tool_depth--;
        thread_leave_vm(call->self, THREAD_IN_NATIVE);
    }
    ti_end_native(call, error);
}

// What each takes and gives stands in the head of spec/jvmti_functions.def.
jvmtiError ti_check_thread(TiCall *call, jthread thread, bool null_is_current, Thread **out);
jvmtiError ti_check_thread_object(TiCall *call, jthread thread, bool null_is_current,
                                  jthread *out);
jvmtiError ti_check_group(jthreadGroup group);
jvmtiError ti_check_class(jclass klass, Class **out);
jvmtiError ti_check_service(jclass klass);
jvmtiError ti_check_method(jmethodID method, Method **out);
jvmtiError ti_check_bytecode_method(jmethodID method, Method **out);
jvmtiError ti_check_field(Class *c, jfieldID field, Field **out);
static inline jvmtiError ti_check_object(jobject object)
{
    return deref(object) ? JVMTI_ERROR_NONE : JVMTI_ERROR_INVALID_OBJECT;
}
static inline jvmtiError ti_check_monitor(jrawMonitorID monitor, RawMonitor **out)
{
    *out = (RawMonitor *)monitor;
    return raw_monitor_is_valid(*out) ? JVMTI_ERROR_NONE : JVMTI_ERROR_INVALID_MONITOR;
}
jvmtiError ti_check_module(jobject module);

#endif
