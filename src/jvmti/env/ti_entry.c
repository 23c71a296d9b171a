// SPDX-License-Identifier: Apache-2.0
// See ti_entry.h.
#include "jvmti/env/ti_entry.h"
#include "class/vm_classes.h"
#include "java/java_object.h"

static bool in_set(jvmtiPhase phase, int phases)
{
    return (phases >> phase & 1) != 0;
}

static __thread TiFailure last_failure __attribute__((tls_model("initial-exec")));

const TiFailure *ti_last_failure(void)
{
    return &last_failure;
}

void ti_report(TiEnv *env, const TiFunction *function, const char *argument, jvmtiError error)
{
    if (error != JVMTI_ERROR_NONE)
        last_failure =
            (TiFailure){function, argument, error, ti_env_phase(env), ti_take_refusal()};
    LOG(LOG_JVMTI, LOG_TRACE, "%s -> %d", function->name, (int)error);
}

// Whether the call may begin. Of one IN_VM, *entered says whether it has come there.
static jvmtiError begin(Thread *self, TiEnv *env, const TiFunction *function, bool vm,
                        bool *entered)
{
    if (!*entered && !in_set(ti_env_phase(env), function->phases))
        return JVMTI_ERROR_WRONG_PHASE;
    if (!self && vm && !ti_before_threads())
        return JVMTI_ERROR_UNATTACHED_THREAD;
    if (self && vm && !*entered) {
        uint32_t state = atomic_load_explicit(&self->state, memory_order_relaxed);
        if (state != THREAD_IN_NATIVE)
            return JVMTI_ERROR_UNATTACHED_THREAD;
        thread_enter_vm(self);
        *entered = true;
    }
    if (!ti_env_is_valid(env))
        return JVMTI_ERROR_INVALID_ENVIRONMENT;
    ti_calling = env;
    if (!ti_env_has(env, function))
        return JVMTI_ERROR_MUST_POSSESS_CAPABILITY;
    if (*entered)
        self->tool_depth++;
    return JVMTI_ERROR_NONE;
}

jvmtiError ti_begin_slowly(Thread *self, TiEnv *env, const TiFunction *function, bool vm,
                           bool entered)
{
    jvmtiError error = begin(self, env, function, vm, &entered);
    if (error == JVMTI_ERROR_NONE)
        return error;
    if (entered)
        thread_leave_vm(self, THREAD_IN_NATIVE);
    ti_report(env, function, NULL, error);
    return error;
}

jvmtiError ti_check_thread(TiCall *call, jthread thread, bool null_is_current, Thread **out)
{
    if (!thread && null_is_current) {
        *out = call->self; // in the early start phase without a Thread object yet
        bool exists = call->self->java_thread || ti_phase() != JVMTI_PHASE_LIVE;
        return exists ? JVMTI_ERROR_NONE : JVMTI_ERROR_INVALID_THREAD;
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
    *out = NULL;
    for (const Class *at = c; at && !*out; at = at->super)
        *out = class_field_at(at, field);
    for (uint32_t i = 0; !*out && i < c->all_interface_count; i++)
        *out = class_field_at(c->all_interfaces[i], field);
    return *out ? JVMTI_ERROR_NONE : JVMTI_ERROR_INVALID_FIELDID;
}

jvmtiError ti_check_module(jobject module)
{
    if (!module)
        return JVMTI_ERROR_NULL_POINTER;
    return ti_is_instance(module, CLS(Module)) ? JVMTI_ERROR_NONE : JVMTI_ERROR_INVALID_MODULE;
}
