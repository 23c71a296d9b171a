// SPDX-License-Identifier: Apache-2.0
// Breakpoints (JVM TI, Breakpoint). Each environment has its own: it is their owner in the
// engine. Locations are bytecode indices at which an instruction starts.
#include "interp/breakpoint.h"

#include "jvmti/env/ti_departure.h"
#include "jvmti/env/ti_entry.h"
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

// INVALID_LOCATION, or NONE: then the method's code is there and stays while the caller's handles do.
static jvmtiError prepare(Thread *self, Method *m, jlocation location)
{
    method_pin(self, m);
    if (!is_in_code(m, location))
        return JVMTI_ERROR_INVALID_LOCATION;
    if (atomic_load_explicit(&m->code, memory_order_acquire))
        return JVMTI_ERROR_NONE;
    if (!is_decodable(self, m->cls))
        return JVMTI_ERROR_INVALID_LOCATION;
    breakpoints_prepare(self, m);
    return JVMTI_ERROR_NONE;
}

static jvmtiError set(Thread *self, TiEnv *env, Method *m, uint32_t bci)
{
    ASSERT_WORLD_STOPPED();
    if (breakpoint_is_set(m, bci, env))
        return JVMTI_ERROR_DUPLICATE;
    return set_everywhere(self, env, m, bci) ? JVMTI_ERROR_NONE : set_idle(env, m, bci);
}

static jvmtiError clear(TiEnv *env, Method *m, uint32_t bci)
{
    ASSERT_WORLD_STOPPED();
    return clear_everywhere(env, m, bci) || clear_idle(env, m, bci) ? JVMTI_ERROR_NONE
                                                                    : JVMTI_ERROR_NOT_FOUND;
}

jvmtiError ti_SetBreakpoint(Thread *self, TiEnv *env, Method *method, jlocation location)
{
    HANDLE_SCOPE(self);
    jvmtiError error = prepare(self, method, location);
    if (error != JVMTI_ERROR_NONE)
        return error;
    world_stop(self);
    error = set(self, env, method, (uint32_t)location);
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
    jvmtiError error = clear(env, method, (uint32_t)location);
    world_resume(self);
    return error;
}

// ---- many at once ----
enum { SLICE_LOCATIONS = 8192, SLICE_NANOS = 3000000 };

// A location of a slice. What is wrong with it by itself is known before the world is stopped.
typedef struct Change {
    Method *method;
    jlocation location;
    jvmtiError result;
} Change;

static void prepare_change(Thread *self, Change *c, const PellucidLocation *l, bool sets)
{
    c->location = l->location;
    c->result = ti_check_method(l->method, &c->method);
    if (c->result != JVMTI_ERROR_NONE)
        return;
    if (sets) {
        c->result = prepare(self, c->method, l->location);
    } else {
        method_pin(self, c->method);
        if (!is_in_code(c->method, l->location))
            c->result = JVMTI_ERROR_INVALID_LOCATION;
    }
}

// Goes on until SLICE_NANOS have passed; gives how many were done.
static size_t make_changes(Thread *self, TiEnv *env, Change *c, size_t count, bool sets)
{
    ASSERT_WORLD_STOPPED();
    size_t i = 0;
    for (int64_t end = os_nanos() + SLICE_NANOS; i < count && os_nanos() < end; i++) {
        uint32_t bci = (uint32_t)c[i].location;
        if (c[i].result == JVMTI_ERROR_NONE)
            c[i].result =
                sets ? set(self, env, c[i].method, bci) : clear(env, c[i].method, bci);
    }
    return i;
}

static void change_slice(Thread *self, TiEnv *env, Change *c, const PellucidLocation *locations,
                         size_t count, bool sets)
{
    HANDLE_SCOPE(self);
    for (size_t i = 0; i < count; i++)
        prepare_change(self, &c[i], &locations[i], sets);
    for (size_t done = 0; done < count;) {
        world_stop_for(self, sets ? "SetBreakpoints" : "ClearBreakpoints");
        done += make_changes(self, env, c + done, count - done, sets);
        world_resume(self);
        thread_poll_within(self);
    }
}

jvmtiError ti_breakpoints_change(Thread *self, TiEnv *env, size_t count,
                                 const PellucidLocation *locations, jvmtiError *results,
                                 bool sets)
{
    size_t most = MIN_OF(count, SLICE_LOCATIONS);
    Change *changes = vm_realloc_or_null(NULL, most * sizeof *changes);
    if (!changes && most)
        return JVMTI_ERROR_OUT_OF_MEMORY;
    for (size_t done = 0; done < count; done += most) {
        size_t n = MIN_OF(count - done, most);
        change_slice(self, env, changes, locations + done, n, sets);
        for (size_t i = 0; i < n && results; i++)
            results[done + i] = changes[i].result;
    }
    vm_free(changes);
    return JVMTI_ERROR_NONE;
}
