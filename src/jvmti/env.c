// SPDX-License-Identifier: Apache-2.0
// Environments: their creation through GetEnv, what they keep of threads, their disposal; and
// the helpers of the function bodies. Environments are only added to the list and never freed,
// so that it is read without a lock.
#include <stdlib.h>

#include "jvmti/ti_check.h"
#include "jvmti/ti_tags.h"
#include "runtime/class_version.h"
#include "runtime/options.h"
#include "runtime/unload.h"

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

static TiEnv *env_new(jint version)
{
    TiEnv *env = vm_calloc(1, sizeof *env);
    env->functions = vm_options.check_jvmti ? &ti_checked_table : &ti_function_table;
    env->version = version;
    atomic_store(&env->sample_interval, TI_SAMPLE_INTERVAL);
    atomic_store(&env->magic, TI_MAGIC);
    atomic_store(&env->started, ti_phase() == JVMTI_PHASE_LIVE);
    mutex_lock(&ti_lock);
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
    ti_breakpoints_forget(dead);
    ti_watches_forget(dead);
}

void ti_env_init(void)
{
    unload_add_hook(forget);
    version_set_forget_method(ti_breakpoints_forget_method);
    jni_add_env_provider(provide);
}

TiThread *ti_thread_get(Thread *t, TiEnv *env)
{
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

TiMeter ti_meter_make(Thread *self, TiEnv *env)
{
    mutex_lock(&ti_lock);
    ti_thread_get(self, env);
    mutex_unlock(&ti_lock);
    return ti_meter(self, env);
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
    atomic_store(&env->magic, TI_MAGIC_DISPOSED);
    atomic_store(&env->enabled, 0);
    atomic_store(&env->thread_enabled, 0);
    for (int i = 0; i < TI_EVENT_COUNT; i++)
        atomic_store(&env->callbacks[i], NULL);
    mutex_unlock(&ti_lock);
    ti_tags_dispose(self, env);
    ti_breakpoints_dispose(env);
    ti_watches_dispose(self, env);
    ti_unload_listen(env, NULL);
    ti_prefixes_set(env, 0, NULL);
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
    u->pending = exception_take(self);
    u->deferred = self->defers_async;
    self->defers_async = true;
}

bool ti_upcall_end(Thread *self, TiUpcall *u)
{
    bool threw = exception_pending(self);
    self->defers_async = u->deferred;
    exception_set(self, u->pending);
    return threw;
}
