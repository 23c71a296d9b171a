// SPDX-License-Identifier: Apache-2.0
// Sampled allocation (JVM TI, Heap Monitoring). Each environment samples by itself: for each
// thread it chooses at random after how many more bytes the next sample is due, so that one falls
// on every `sample_interval` bytes in the mean and none can be predicted. The heap is given the
// nearest of them.
#include <math.h>

#include "java/java_object.h"
#include "jvmti/generated/decl.h"

// Exponentially distributed with the environment's interval for a mean.
static uint64_t next_distance(TiThread *t)
{
    uint64_t x = t->sample_random; // xorshift
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    t->sample_random = x;
    jint interval = atomic_load_explicit(&t->env->sample_interval, memory_order_relaxed);
    if (interval == 0)
        return 0;
    double uniform = (double)(x >> 11) * 0x1p-53; // [0, 1)
    return (uint64_t)(-log1p(-uniform) * interval);
}

static TiThread *data_of(Thread *self, TiEnv *env)
{
    TiThread *found = ti_thread_find(self, env);
    if (LIKELY(found))
        return found;
    ti_counters_make(self, env);
    return ti_thread_find(self, env);
}

// Chooses the first sample behind `from` when what it depends on has changed.
static void begin(TiThread *t, uint64_t from)
{
    uint32_t round = atomic_load(&t->env->sample_round);
    if (t->sample_random && t->sample_round == round)
        return;
    if (!t->sample_random)
        t->sample_random = ((uint64_t)os_nanos() ^ (uintptr_t)t) | 1;
    t->sample_round = round;
    t->sample_at = from + next_distance(t);
}

void ti_sample_post(Thread *self, JNIEnv *jni, jthread thread,
                    const struct Event_SAMPLED_ALLOC *e)
{
    ASSERT_MAY_GC(self);
    Mutator *m = mutator_of(self);
    uint64_t now = heap_thread_allocated(m), next = UINT64_MAX;
    heap_sample_at(m, next); // a callback's own allocations are no samples
    jclass cls = mirror_handle(self, e->cls);
    TI_ENV_EACH(env)
    {
        jvmtiEventSampledObjectAlloc callback = (jvmtiEventSampledObjectAlloc)ti_event_callback(
            self, env, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC);
        TiThread *t = callback ? data_of(self, env) : NULL;
        if (!t)
            continue;
        begin(t, now - (uint64_t)e->size);
        if (t->sample_at <= now) {
            t->sample_at = now + next_distance(t);
            TI_CALL(self, env, callback((jvmtiEnv *)env, jni, thread, e->object, cls, e->size));
        }
        bool changed = t->sample_round != atomic_load(&env->sample_round); // by the callback
        next = changed ? 0 : MIN_OF(next, t->sample_at);
    }
    heap_sample_at(m, next);
}

void ti_sample_changed(Thread *self)
{
    if (!self)
        return;
    TI_ENV_EACH(env)
    atomic_fetch_add(&env->sample_round, 1);
    world_stop(self);
    heap_sample_all();
    world_resume(self);
}

jvmtiError ti_SetHeapSamplingInterval(Thread *self, TiEnv *env, jint sampling_interval)
{
    atomic_store(&env->sample_interval, sampling_interval);
    ti_sample_changed(self);
    return JVMTI_ERROR_NONE;
}
