// SPDX-License-Identifier: Apache-2.0
// Which threads are stepped (SingleStep), of which the calls are watched (MethodEntry, MethodExit), and which frames' pops are posted
// (JVM TI, Notify Frame Pop). A stepped thread has POLL_STEP requested; the engine then posts before each instruction. A
// frame whose pop is wanted is marked; which environments want it stands in their
// TiThread, by the frame's id.
#include "jvmti/generated/decl.h"

// ---- stepping ----
// IN: ti_lock.
static bool wants_step(Thread *t)
{
    const uint64_t bit = TI_EVENT_BIT(JVMTI_EVENT_SINGLE_STEP);
    if (t->hidden)
        return false;
    TI_ENV_EACH(env)
    {
        if (!atomic_load(&env->callbacks[JVMTI_EVENT_SINGLE_STEP - JVMTI_MIN_EVENT_TYPE_VAL]))
            continue;
        if (atomic_load(&env->enabled) & bit)
            return true;
        TiThread *data = ti_thread_find(t, env);
        if (data && (atomic_load(&data->enabled) & bit))
            return true;
    }
    return false;
}

void ti_step_update(void)
{
    if (ti_phase() != JVMTI_PHASE_LIVE)
        return; // entering it comes here again
    mutex_lock(&ti_lock);
    threads_step_where(wants_step, frames_begin_step);
    mutex_unlock(&ti_lock);
}

// ---- calls ----
// Whether env, which may have data of a thread, wants an event of that thread alone.
static bool wants_of_thread(TiEnv *env, TiThread *data, jvmtiEvent event)
{
    return data && (atomic_load(&data->enabled) & TI_EVENT_BIT(event))
           && atomic_load(&env->callbacks[event - JVMTI_MIN_EVENT_TYPE_VAL]);
}

// IN: ti_lock.
static bool wants_calls(Thread *t)
{
    if (t->hidden)
        return false;
    TI_ENV_EACH(env)
    {
        TiThread *data = ti_thread_find(t, env);
        if (wants_of_thread(env, data, JVMTI_EVENT_METHOD_ENTRY)
            || wants_of_thread(env, data, JVMTI_EVENT_METHOD_EXIT))
            return true;
    }
    return false;
}

static bool
    any_thread_wanted; // calls were watched of some thread when it was looked at last; ti_lock

void ti_calls_update(void)
{
    bool any = false;
    mutex_lock(&ti_lock);
    TI_ENV_EACH(env)
    any |= (atomic_load(&env->thread_enabled) & TI_CALL_EVENTS) != 0;
    if (any || any_thread_wanted)
        threads_watch_calls_where(wants_calls);
    any_thread_wanted = any;
    mutex_unlock(&ti_lock);
}

// ---- frame pops ----
// Forgets frames that were left while nobody listened. IN: ti_lock; t is self or in a handshake.
static void drop_stale(const Thread *t, TiThread *data)
{
    size_t kept = 0;
    for (size_t i = 0; i < data->pops.len; i++)
        if (cursor_find(&(FrameCursor){0}, t, data->pops.at[i]))
            data->pops.at[kept++] = data->pops.at[i];
    data->pops.len = kept;
}

// The index of a frame's among the pops that are wanted; -1: it is not.
static ptrdiff_t find_pop(const TiThread *data, FrameId frame)
{
    for (size_t i = 0; i < data->pops.len; i++)
        if (data->pops.at[i] == frame)
            return (ptrdiff_t)i;
    return -1;
}

bool ti_frame_pop_take(Thread *self, TiEnv *env, FrameId frame)
{
    mutex_lock(&ti_lock);
    TiThread *data = ti_thread_find(self, env);
    ptrdiff_t i = data ? find_pop(data, frame) : -1;
    if (i >= 0)
        data->pops.at[i] = data->pops.at[--data->pops.len];
    mutex_unlock(&ti_lock);
    return i >= 0;
}

// IN: t is self or in a handshake.
static jvmtiError notify_pop(TiEnv *env, Thread *t, jint depth)
{
    FrameCursor f;
    if (!cursor_at(&f, t, depth))
        return JVMTI_ERROR_NO_MORE_FRAMES;
    if (f.kind == KIND_NATIVE)
        return JVMTI_ERROR_OPAQUE_FRAME;
    cursor_own(&f);
    mutex_lock(&ti_lock);
    TiThread *data = ti_thread_get(t, env);
    if (data) {
        drop_stale(t, data);
        if (find_pop(data, cursor_id(&f)) < 0)
            vec_push(&data->pops, cursor_id(&f));
        cursor_notify_pop(&f);
    }
    mutex_unlock(&ti_lock);
    return data ? JVMTI_ERROR_NONE : JVMTI_ERROR_THREAD_NOT_ALIVE;
}

jvmtiError ti_NotifyFramePop(Thread *self, TiEnv *env, Thread *thread, jint depth)
{
    thread_handshake(self, thread);
    bool still = thread == self || thread->suspended;
    jvmtiError error =
        still ? notify_pop(env, thread, depth) : JVMTI_ERROR_THREAD_NOT_SUSPENDED;
    thread_handshake_end(self, thread);
    return error;
}
