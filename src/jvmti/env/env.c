// SPDX-License-Identifier: Apache-2.0
// Environments: their creation through GetEnv, what they keep of threads, their disposal; and
// the helpers of the function bodies. The list is read without a lock: what is disposed of stays in it until a stop of the
// world finds no thread in a callback or in a function. Then its memory is kept for the next environment, and is never anything else,
// so that a stale pointer is known by its magic.
#include <stdlib.h>

#include "class/unload.h"
#include "interp/breakpoint.h"
#include "java/exception.h"
#include "jvmti/check/ti_check.h"
#include "jvmti/tags/ti_tags.h"
#include "link/resolve.h"
#include "options/options.h"
#include "redefine/class_version.h"

Mutex ti_lock = MUTEX_INIT(RANK_AGENTS);
TiEnv *_Atomic ti_envs;

static TiThread ended; // tool_data of a thread that ended; no environment's

// 1.0 to 1.2, 9.0, 11.0, and from 13 on every major version up to this one. Micro versions do
// not matter.
static bool version_is_supported(jint version)
{
    int major = (version & JVMTI_VERSION_MASK_MAJOR) >> JVMTI_VERSION_SHIFT_MAJOR;
    int minor = (version & JVMTI_VERSION_MASK_MINOR) >> JVMTI_VERSION_SHIFT_MINOR;
    if (major == 1)
        return minor <= 2;
    if (major == 9 || major == 11)
        return minor == 0;
    return major >= 13 && major <= 17;
}

// ---- disposed ones ----
enum { RECLAIM_AT = 16 };
static VEC(TiEnv *) spare;               // out of the list; ti_lock
static uint32_t disposed;                // in the list; ti_lock
static uint32_t reclaim_at = RECLAIM_AT; // how many of them are looked for; ti_lock

// World stopped.
static bool nobody_is_inside(void)
{
    ASSERT_WORLD_STOPPED();
    bool nobody = true;
    mutex_lock(&threads_lock);
    THREAD_EACH(t)
    nobody &= t->tool_depth == 0;
    mutex_unlock(&threads_lock);
    return nobody;
}

// What the threads keep of env is as if it were new, but for the blocks, which are the thread's own. World stopped, ti_lock.
static void threads_reset(const TiEnv *env)
{
    ASSERT_WORLD_STOPPED();
    ASSERT_HELD(&ti_lock);
    mutex_lock(&threads_lock);
    THREAD_EACH(t)
    {
        TiThread *data = ti_thread_find(t, env);
        if (!data)
            continue;
        vec_free(&data->pops);
        atomic_store(&data->enabled, 0);
        data->local_storage = NULL;
        data->cost = (TiCost){0};
        data->untimed_before = 0;
        data->sample_at = data->sample_random = data->sample_round = 0;
    }
    mutex_unlock(&threads_lock);
}

// A place that a removed tag had is something as well: the object that it names is not followed any more.
static bool holds_nothing(const TiEnv *env)
{
    return (!env->tags || !env->tags->map.used) && !breakpoints_of(env) && !env->idle.len
           && !env->watches[FIELD_GET].len && !env->watches[FIELD_PUT].len;
}

// World stopped, ti_lock. Who stands at one that is taken out finds the way back into the list by its `next`.
static void take_disposed(void)
{
    ASSERT_WORLD_STOPPED();
    ASSERT_HELD(&ti_lock);
    disposed = 0;
    TiEnv *_Atomic *at = &ti_envs;
    for (TiEnv *env; (env = atomic_load(at)) != NULL;) {
        if (ti_env_is_valid(env) || !holds_nothing(env)) {
            disposed += !ti_env_is_valid(env);
            at = &env->next;
            continue;
        }
        atomic_store(at, atomic_load(&env->next));
        threads_reset(env);
        vec_push(&spare, env);
    }
}

// What an environment holds elsewhere.
static void let_go(Thread *self, TiEnv *env)
{
    ti_tags_dispose(self, env);
    ti_breakpoints_dispose(self, env);
    ti_watches_dispose(self, env);
    ti_unload_listen(env, NULL);
    ti_prefixes_set(env, 0, NULL);
}

// A function that was on its way when its environment was disposed of may have left something.
static void let_go_again(Thread *self)
{
    self->tool_depth++;
    TI_ENV_EACH(env)
    if (!ti_env_is_valid(env))
        let_go(self, env);
    self->tool_depth--;
}

// Takes the disposed ones out of the list when there are many. Not under -Xcheck:jvmti, which recognizes them for good; nor
// where this thread cannot stop the world.
static void reclaim(Thread *self)
{
    if (!self || atomic_load(&self->state) != THREAD_IN_NATIVE || vm_options.check_jvmti)
        return;
    mutex_lock(&ti_lock);
    bool many = disposed >= reclaim_at;
    mutex_unlock(&ti_lock);
    if (!many)
        return;
    thread_enter_vm(self);
    let_go_again(self);
    world_stop(self);
    mutex_lock(&ti_lock);
    if (nobody_is_inside())
        take_disposed();
    reclaim_at = disposed + RECLAIM_AT;
    mutex_unlock(&ti_lock);
    world_resume(self);
    thread_leave_vm(self, THREAD_IN_NATIVE);
}

// Under ti_lock. Its table of tags is kept: it is empty.
static TiEnv *memory_of_env(void)
{
    ASSERT_HELD(&ti_lock);
    if (!spare.len)
        return vm_calloc(1, sizeof(TiEnv));
    TiEnv *env = spare.at[--spare.len];
    *env = (TiEnv){.tags = env->tags};
    return env;
}

static TiEnv *env_new(jint version)
{
    reclaim(thread_current());
    mutex_lock(&ti_lock);
    TiEnv *env = memory_of_env();
    env->functions = vm_options.check_jvmti ? &ti_checked_table : &ti_function_table;
    env->version = version;
    atomic_store(&env->sample_interval, TI_SAMPLE_INTERVAL);
    atomic_store(&env->magic, TI_MAGIC);
    atomic_store(&env->started, ti_phase() == JVMTI_PHASE_LIVE);
    TiEnv *_Atomic *at = &ti_envs;
    while (atomic_load(at))
        at = &atomic_load(at)->next;
    atomic_store(at, env);
    mutex_unlock(&ti_lock);
    return env;
}

// JniEnvProvider.
static jint provide(void **env, jint version, const void *caller)
{
    (void)caller;
    if ((version & JVMTI_VERSION_MASK_INTERFACE_TYPE) != JVMTI_VERSION_INTERFACE_JVMTI)
        return JNI_EVERSION;
    if (!version_is_supported(version))
        return JNI_EVERSION;
    jvmtiPhase phase = ti_phase();
    if (phase != JVMTI_PHASE_ONLOAD && phase != JVMTI_PHASE_LIVE)
        return JNI_EDETACHED;
    *env = env_new(version);
    return JNI_OK;
}

// What environments keep of a class that is unloaded.
static void forget(Class *dead)
{
    if (!dead)
        return;
    ti_watches_forget(dead);
    ti_breakpoints_forget(dead);
}

void ti_env_init(void)
{
    unload_add_hook(forget);
    jni_add_env_provider(provide);
}

TiThread *ti_thread_get(Thread *t, TiEnv *env)
{
    ASSERT_HELD(&ti_lock);
    TiThread *found = ti_thread_find(t, env);
    if (found || t->tool_data[TI_SLOT] == &ended)
        return found;
    TiThread *made = vm_calloc(1, sizeof *made);
    made->env = env;
    made->next = t->tool_data[TI_SLOT];
    __atomic_store_n(&t->tool_data[TI_SLOT], made, __ATOMIC_RELEASE);
    return made;
}

void ti_threads_recount(TiEnv *env)
{
    ASSERT_HELD(&ti_lock);
    uint64_t all = 0;
    mutex_lock(&threads_lock);
    THREAD_EACH(t)
    {
        TiThread *data = ti_thread_find(t, env);
        all |= data ? atomic_load(&data->enabled) : 0;
    }
    mutex_unlock(&threads_lock);
    atomic_store(&env->thread_enabled, all);
}

TiCounters ti_counters_make(Thread *self, TiEnv *env)
{
    mutex_lock(&ti_lock);
    ti_thread_get(self, env);
    mutex_unlock(&ti_lock);
    return ti_counters(self, env);
}

// What an ending thread has counted.
static void add_cost(const TiThread *t)
{
    TiCost *all = &t->env->cost;
    atomic_fetch_add(&all->events, atomic_load(&t->cost.events));
    atomic_fetch_add(&all->callback_ticks, atomic_load(&t->cost.callback_ticks));
    atomic_fetch_add(&all->agent_bytes, atomic_load(&t->cost.agent_bytes));
}

TiCosts ti_costs(TiEnv *env)
{
    mutex_lock(&ti_lock);
    TiCosts sum = {atomic_load(&env->cost.events), atomic_load(&env->cost.callback_ticks),
                   atomic_load(&env->cost.agent_bytes)};
    mutex_lock(&threads_lock);
    THREAD_EACH(t)
    {
        const TiThread *data = ti_thread_find(t, env);
        sum.events += data ? atomic_load(&data->cost.events) : 0;
        sum.callback_ticks += data ? atomic_load(&data->cost.callback_ticks) : 0;
        sum.agent_bytes += data ? atomic_load(&data->cost.agent_bytes) : 0;
    }
    mutex_unlock(&threads_lock);
    mutex_unlock(&ti_lock);
    return sum;
}

void ti_thread_forget(Thread *t)
{
    uint64_t enabled = 0;
    mutex_lock(&ti_lock);
    TiThread *at = t->tool_data[TI_SLOT];
    __atomic_store_n(&t->tool_data[TI_SLOT], &ended, __ATOMIC_RELEASE);
    for (TiThread *i = at; i && i != &ended; i = i->next) {
        enabled |= atomic_load(&i->enabled);
        add_cost(i);
        if (atomic_load(&i->enabled))
            ti_threads_recount(i->env);
    }
    mutex_unlock(&ti_lock);
    if (enabled)
        ti_events_changed();
    while (at && at != &ended) {
        TiThread *next = at->next;
        vec_free(&at->pops);
        ti_blocks_free(&at->blocks);
        vm_free(at);
        at = next;
    }
}

void ti_env_dispose(Thread *self, TiEnv *env)
{
    mutex_lock(&ti_lock);
    disposed += ti_env_is_valid(env);
    atomic_store(&env->magic, TI_MAGIC_DISPOSED);
    atomic_store(&env->enabled, 0);
    atomic_store(&env->thread_enabled, 0);
    for (int i = 0; i < TI_EVENT_COUNT; i++)
        atomic_store(&env->callbacks[i], NULL);
    mutex_unlock(&ti_lock);
    let_go(self, env);
    ti_events_changed();
}

// ---- helpers ----
__thread TiEnv *ti_calling;

bool ti_is_instance(jobject o, const Class *c)
{
    return deref(o) && object_is_instance(deref(o), c);
}

jvmtiError ti_give_handles(Thread *self, const jobject *handles, size_t count, jint *count_out,
                           jobject **out)
{
    jobject *array = ti_alloc(count * sizeof *array);
    if (count && !array)
        return JVMTI_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++)
        array[i] = handle_new(self, deref(handles[i]));
    *count_out = (jint)count;
    *out = array;
    return JVMTI_ERROR_NONE;
}

jvmtiError ti_give_list(TiHandles *list, jint *count_out, jobject **out)
{
    jobject *array = ti_alloc(list->len * sizeof *array);
    bool ok = array || !list->len;
    if (ok) {
        if (list->len)
            memcpy(array, list->at, list->len * sizeof *array);
        *count_out = (jint)list->len;
        *out = array;
    }
    vec_free(list);
    return ok ? JVMTI_ERROR_NONE : JVMTI_ERROR_OUT_OF_MEMORY;
}

void ti_upcall_begin(Thread *self, TiUpcall *u)
{
    u->pending = exception_put_aside(self);
    u->deferred = self->defers_async;
    self->defers_async = true;
}

bool ti_upcall_end(Thread *self, TiUpcall *u)
{
    bool threw = exception_pending(self);
    self->defers_async = u->deferred;
    exception_put_back(self, u->pending);
    return threw;
}
