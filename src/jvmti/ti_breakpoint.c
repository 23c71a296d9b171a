// SPDX-License-Identifier: Apache-2.0
// Breakpoints (JVM TI, Breakpoint). Each environment has a list of its own; the engine's
// breakpoint is set as often as environments have one there. Locations are bytecode indices at
// which an instruction starts.
#include "interp/breakpoint.h"

#include "jvmti/generated/decl.h"
#include "runtime/class_version.h"

// The index in env's list, -1: none. ti_lock is held.
static ptrdiff_t find(const TiEnv *env, const Method *m, int64_t bci)
{
    for (size_t i = 0; i < env->breakpoints.len; i++)
        if (env->breakpoints.at[i].method == m && env->breakpoints.at[i].bci == bci)
            return (ptrdiff_t)i;
    return -1;
}

static void remove_at(TiEnv *env, ptrdiff_t i)
{
    env->breakpoints.at[i] = env->breakpoints.at[--env->breakpoints.len];
}

bool ti_breakpoint_is_set(TiEnv *env, const Method *m, int64_t bci)
{
    if (!(m->flags & METHOD_OBSOLETE))
        m = method_current(m);
    mutex_lock(&ti_lock);
    bool is_set = find(env, m, bci) >= 0;
    mutex_unlock(&ti_lock);
    return is_set;
}

void ti_breakpoints_forget(const Class *dead)
{
    TI_ENV_EACH(env)
    for (size_t i = env->breakpoints.len; i-- > 0;)
        if (env->breakpoints.at[i].method->cls == dead)
            remove_at(env, (ptrdiff_t)i);
}

void ti_breakpoints_forget_method(const Method *old)
{
    TI_ENV_EACH(env)
    for (size_t i = env->breakpoints.len; i-- > 0;)
        if (env->breakpoints.at[i].method == old)
            remove_at(env, (ptrdiff_t)i);
}

// Old versions that frames are in and that are equivalent have the same breakpoints.
static bool follows(const OldMethod *o, const Method *m)
{
    return o->method.slot == m->slot && !(o->method.flags & METHOD_OBSOLETE)
           && !(m->flags & METHOD_OLD);
}

static bool set_everywhere(Thread *self, Method *m, uint32_t bci)
{
    if (!breakpoint_set(self, m, bci))
        return false;
    for (OldMethod *o = m->cls->old_methods; o; o = o->next)
        if (follows(o, m))
            breakpoint_set(self, &o->method, bci);
    return true;
}

static void clear_everywhere(Method *m, uint32_t bci)
{
    breakpoint_clear(m, bci);
    for (OldMethod *o = m->cls->old_methods; o; o = o->next)
        if (follows(o, m))
            breakpoint_clear(&o->method, bci);
}

void ti_breakpoints_clear(Class *c)
{
    mutex_lock(&ti_lock);
    TI_ENV_EACH(env)
    for (size_t i = env->breakpoints.len; i-- > 0;) {
        TiLocation at = env->breakpoints.at[i];
        if (at.method->cls != c)
            continue;
        clear_everywhere(at.method, at.bci);
        remove_at(env, (ptrdiff_t)i);
    }
    mutex_unlock(&ti_lock);
}

void ti_breakpoints_dispose(TiEnv *env)
{
    mutex_lock(&ti_lock);
    for (size_t i = 0; i < env->breakpoints.len; i++)
        clear_everywhere(env->breakpoints.at[i].method, env->breakpoints.at[i].bci);
    vec_free(&env->breakpoints);
    mutex_unlock(&ti_lock);
}

static bool is_in_code(const Method *m, jlocation location)
{
    const CodeInfo *code = m->info ? m->info->code : NULL;
    return code && location >= 0 && location < code->code_len;
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
    mutex_lock(&ti_lock);
    if (find(env, method, location) >= 0)
        error = JVMTI_ERROR_DUPLICATE;
    else if (!set_everywhere(self, method, (uint32_t)location))
        error = JVMTI_ERROR_INVALID_LOCATION;
    else
        vec_push(&env->breakpoints, ((TiLocation){method, (uint32_t)location}));
    mutex_unlock(&ti_lock);
    return error;
}

jvmtiError ti_ClearBreakpoint(Thread *self, TiEnv *env, Method *method, jlocation location)
{
    (void)self;
    if (!is_in_code(method, location))
        return JVMTI_ERROR_INVALID_LOCATION;
    mutex_lock(&ti_lock);
    ptrdiff_t i = find(env, method, location);
    if (i >= 0) {
        clear_everywhere(method, (uint32_t)location);
        remove_at(env, i);
    }
    mutex_unlock(&ti_lock);
    return i >= 0 ? JVMTI_ERROR_NONE : JVMTI_ERROR_NOT_FOUND;
}
