// SPDX-License-Identifier: Apache-2.0
// See ti_entry.h.
#include "jvmti/ti_entry.h"

#include "base/log.h"

static bool in_set(jvmtiPhase phase, int phases)
{
    return (phases >> phase & 1) != 0;
}

static jvmtiError check_env(const TiCall *call, int capability)
{
    if (!ti_env_is_valid(call->env))
        return JVMTI_ERROR_INVALID_ENVIRONMENT;
    ti_calling = call->env;
    if (capability != TI_CAP_NONE && !ti_has_bit(&call->env->capabilities, capability))
        return JVMTI_ERROR_MUST_POSSESS_CAPABILITY;
    return JVMTI_ERROR_NONE;
}

static __thread TiFailure last_failure __attribute__((tls_model("initial-exec")));

const TiFailure *ti_last_failure(void)
{
    return &last_failure;
}

// What every call ends with.
static void report(const TiCall *call, jvmtiError error)
{
    if (error != JVMTI_ERROR_NONE)
        last_failure =
            (TiFailure){call->function, call->argument, error, ti_env_phase(call->env)};
    LOG(LOG_JVMTI, LOG_TRACE, "%s -> %d", call->function->name, (int)error);
}

static jvmtiError begin_native(TiCall *call)
{
    const TiFunction *function = call->function;
    if (!in_set(ti_env_phase(call->env), function->phases))
        return JVMTI_ERROR_WRONG_PHASE;
    if (!call->self && !ti_before_threads())
        return JVMTI_ERROR_UNATTACHED_THREAD;
    return check_env(call, function->capability);
}

jvmtiError ti_begin_native(TiCall *call, jvmtiEnv *env, const TiFunction *function)
{
    *call = (TiCall){.self = thread_current(), .env = (TiEnv *)env, .function = function};
    jvmtiError error = begin_native(call);
    if (error != JVMTI_ERROR_NONE)
        report(call, error);
    return error;
}

void ti_end_native(TiCall *call, jvmtiError error)
{
    report(call, error);
}

static jvmtiError begin_vm(TiCall *call)
{
    if (!in_set(ti_env_phase(call->env), call->function->phases))
        return JVMTI_ERROR_WRONG_PHASE;
    if (call->self) {
        uint32_t state = atomic_load_explicit(&call->self->state, memory_order_relaxed);
        if (state != THREAD_IN_NATIVE)
            return JVMTI_ERROR_UNATTACHED_THREAD;
        thread_enter_vm(call->self);
        call->entered = true;
    } else if (!ti_before_threads()) {
        return JVMTI_ERROR_UNATTACHED_THREAD;
    }
    return check_env(call, call->function->capability);
}

jvmtiError ti_begin_vm(TiCall *call, jvmtiEnv *env, const TiFunction *function)
{
    *call = (TiCall){.self = thread_current(), .env = (TiEnv *)env, .function = function};
    jvmtiError error = begin_vm(call);
    if (error != JVMTI_ERROR_NONE)
        ti_end_vm(call, error);
    return error;
}

void ti_end_vm(TiCall *call, jvmtiError error)
{
    if (call->pinned)
        thread_unpin(call->pinned);
    if (call->entered)
        thread_leave_vm(call->self, THREAD_IN_NATIVE);
    report(call, error);
}

jvmtiError ti_check_thread(TiCall *call, jthread thread, bool null_is_current, Thread **out)
{
    if (!thread && null_is_current) {
        *out = call->self;
        return call->self->java_thread ? JVMTI_ERROR_NONE : JVMTI_ERROR_INVALID_THREAD;
    }
    if (!ti_is_instance(thread, CLS(Thread)))
        return JVMTI_ERROR_INVALID_THREAD;
    *out = call->pinned = thread_pin(thread);
    return *out ? JVMTI_ERROR_NONE : JVMTI_ERROR_THREAD_NOT_ALIVE;
}

jvmtiError ti_check_thread_object(TiCall *call, jthread thread, bool null_is_current,
                                  jthread *out)
{
    *out = !thread && null_is_current ? call->self->java_thread : thread;
    return ti_is_instance(*out, CLS(Thread)) ? JVMTI_ERROR_NONE : JVMTI_ERROR_INVALID_THREAD;
}

jvmtiError ti_check_group(jthreadGroup group)
{
    return ti_is_instance(group, CLS(ThreadGroup)) ? JVMTI_ERROR_NONE
                                                   : JVMTI_ERROR_INVALID_THREAD_GROUP;
}

jvmtiError ti_check_class(jclass klass, Class **out)
{
    if (!ti_is_instance(klass, CLS(Class)))
        return JVMTI_ERROR_INVALID_CLASS;
    *out = class_of_handle(klass);
    return JVMTI_ERROR_NONE;
}

jvmtiError ti_check_service(jclass klass)
{
    Class *c;
    return klass ? ti_check_class(klass, &c) : JVMTI_ERROR_NULL_POINTER;
}

static bool is_id(const void *p)
{
    return (uintptr_t)p >= 4096 && (uintptr_t)p % _Alignof(void *) == 0;
}

jvmtiError ti_check_method(jmethodID method, Method **out)
{
    *out = method_of_id_checked(method);
    return *out ? JVMTI_ERROR_NONE : JVMTI_ERROR_INVALID_METHODID;
}

jvmtiError ti_check_bytecode_method(jmethodID method, Method **out)
{
    jvmtiError error = ti_check_method(method, out);
    return error == JVMTI_ERROR_NONE && method_is_native(*out) ? JVMTI_ERROR_NATIVE_METHOD
                                                               : error;
}

jvmtiError ti_check_field(Class *c, jfieldID field, Field **out)
{
    Field *f = (Field *)field;
    for (const Class *at = c; at && is_id(f); at = at->super)
        if (f >= at->fields && f < at->fields + at->field_count) {
            *out = f;
            return JVMTI_ERROR_NONE;
        }
    for (uint32_t i = 0; is_id(f) && i < c->all_interface_count; i++) {
        const Class *at = c->all_interfaces[i];
        if (f >= at->fields && f < at->fields + at->field_count) {
            *out = f;
            return JVMTI_ERROR_NONE;
        }
    }
    return JVMTI_ERROR_INVALID_FIELDID;
}

jvmtiError ti_check_object(jobject object)
{
    return deref(object) ? JVMTI_ERROR_NONE : JVMTI_ERROR_INVALID_OBJECT;
}

jvmtiError ti_check_monitor(jrawMonitorID monitor, RawMonitor **out)
{
    *out = (RawMonitor *)monitor;
    return raw_monitor_is_valid(*out) ? JVMTI_ERROR_NONE : JVMTI_ERROR_INVALID_MONITOR;
}

jvmtiError ti_check_module(jobject module)
{
    if (!module)
        return JVMTI_ERROR_NULL_POINTER;
    return ti_is_instance(module, CLS(Module)) ? JVMTI_ERROR_NONE : JVMTI_ERROR_INVALID_MODULE;
}
