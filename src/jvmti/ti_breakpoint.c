// SPDX-License-Identifier: Apache-2.0
// Breakpoints (JVM TI, Breakpoint). Each environment has its own: it is their owner in the
// engine. Locations are bytecode indices at which an instruction starts.
#include "interp/breakpoint.h"

#include "jvmti/env/ti_departure.h"
#include "jvmti/generated/decl.h"
#include "redefine/class_version.h"

// Old versions that frames are in and that are equivalent have the same breakpoints.
static bool follows(const OldMethod *o, const Method *m)
{
    return o->method.slot == m->slot && !(o->method.flags & METHOD_OBSOLETE)
           && !(m->flags & METHOD_OLD);
}

static bool set_everywhere(Thread *self, TiEnv *env, Method *m, uint32_t bci)
{
    if (!breakpoint_set(self, m, bci, env))
        return false;
    for (OldMethod *o = m->cls->old_methods; o; o = o->next)
        if (follows(o, m))
            breakpoint_set(self, &o->method, bci, env);
    return true;
}

static bool clear_everywhere(TiEnv *env, Method *m, uint32_t bci)
{
    if (!breakpoint_clear(m, bci, env))
        return false;
    for (OldMethod *o = m->cls->old_methods; o; o = o->next)
        if (follows(o, m))
            breakpoint_clear(&o->method, bci, env);
    return true;
}

// ---- where no instruction starts ----
// Its place among env's, -1: none. World stopped.
static ptrdiff_t find_idle(const TiEnv *env, const Method *m, uint32_t bci)
{
    ASSERT_WORLD_STOPPED();
    for (size_t i = 0; i < env->idle.len; i++)
        if (env->idle.at[i].method == m && env->idle.at[i].bci == bci)
            return (ptrdiff_t)i;
    return -1;
}

static jvmtiError set_idle(TiEnv *env, const Method *m, uint32_t bci)
{
    if (ti_refuses(TI_ANY_INDEX))
        return JVMTI_ERROR_INVALID_LOCATION;
    if (find_idle(env, m, bci) >= 0)
        return JVMTI_ERROR_DUPLICATE;
    vec_push(&env->idle, ((TiIdleBreakpoint){m, bci}));
    return JVMTI_ERROR_NONE;
}

static bool clear_idle(TiEnv *env, const Method *m, uint32_t bci)
{
    ptrdiff_t i = find_idle(env, m, bci);
    if (i >= 0)
        env->idle.at[i] = env->idle.at[--env->idle.len];
    return i >= 0;
}

// Forgets those in the methods of a class. World stopped.
static void clear_idle_of(const Class *c)
{
    TI_ENV_EACH(env)
    for (size_t i = env->idle.len; i-- > 0;)
        if (env->idle.at[i].method->cls == c)
            env->idle.at[i] = env->idle.at[--env->idle.len];
}

// ---- all of a class or an environment ----
void ti_breakpoints_forget(const Class *dead)
{
    ASSERT_WORLD_STOPPED();
    clear_idle_of(dead);
}

void ti_breakpoints_clear(Class *c)
{
    clear_idle_of(c);
    METHOD_EACH (m, c) {
        breakpoints_clear_method(m);
    }
    for (OldMethod *o = c->old_methods; o; o = o->next)
        breakpoints_clear_method(&o->method);
}

void ti_breakpoints_dispose(Thread *self, TiEnv *env)
{
    if (!breakpoints_of(env) && !env->idle.len)
        return;
    world_stop(self);
    breakpoints_clear_owner(env);
    vec_free(&env->idle);
    world_resume(self);
}

static bool is_in_code(const Method *m, jlocation location)
{
    return method_has_code(m) && location >= 0 && location < method_code(m).code_len;
}

// Code is decoded once its class has been verified, which is when it is linked. A class that
// does not link never runs: its error stays its own.
static bool is_decodable(Thread *self, Class *c)
{
    HANDLE_SCOPE(self);
    TiUpcall up;
    ti_upcall_begin(self, &up);
    bool linked = class_link(self, c);
    return !ti_upcall_end(self, &up) && linked;
}

jvmtiError ti_SetBreakpoint(Thread *self, TiEnv *env, Method *method, jlocation location)
{
    HANDLE_SCOPE(self);
    method_pin(self, method);
    if (!is_in_code(method, location) || !is_decodable(self, method->cls))
        return JVMTI_ERROR_INVALID_LOCATION;
    jvmtiError error = JVMTI_ERROR_NONE;
    world_stop(self);
    if (breakpoint_is_set(method, (uint32_t)location, env))
        error = JVMTI_ERROR_DUPLICATE;
    else if (!set_everywhere(self, env, method, (uint32_t)location))
        error = set_idle(env, method, (uint32_t)location);
    world_resume(self);
    return error;
}

jvmtiError ti_ClearBreakpoint(Thread *self, TiEnv *env, Method *method, jlocation location)
{
    HANDLE_SCOPE(self);
    method_pin(self, method);
    if (!is_in_code(method, location))
        return JVMTI_ERROR_INVALID_LOCATION;
    world_stop(self);
    bool found = clear_everywhere(env, method, (uint32_t)location)
                 || clear_idle(env, method, (uint32_t)location);
    world_resume(self);
    return found ? JVMTI_ERROR_NONE : JVMTI_ERROR_NOT_FOUND;
}
