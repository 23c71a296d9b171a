// SPDX-License-Identifier: Apache-2.0
// Watched fields (JVM TI, Watched Field). Each environment has lists of its own; Field.watch,
// which the engine and JNI go by, is what any of them watches. Lists change while the world is
// stopped, so that code is rewritten as they are.
#include "interp/watch.h"

#include "jvmti/generated/decl.h"
#include "link/resolve.h"

// The index in env's list, -1: none. The caller is IN_VM, which keeps the list as it is.
static ptrdiff_t find(const TiEnv *env, const Field *f, int use)
{
    for (size_t i = 0; i < env->watches[use].len; i++)
        if (env->watches[use].at[i] == f)
            return (ptrdiff_t)i;
    return -1;
}

static void remove_at(TiEnv *env, int use, ptrdiff_t i)
{
    env->watches[use].at[i] = env->watches[use].at[env->watches[use].len - 1];
    env->watches[use].len--;
}

bool ti_watch_is_set(TiEnv *env, const Field *f, int use)
{
    return find(env, f, use) >= 0;
}

void ti_watches_forget(const Class *dead)
{
    ASSERT_WORLD_STOPPED();
    TI_ENV_EACH(env)
    for (int use = FIELD_GET; use <= FIELD_PUT; use++)
        for (size_t i = env->watches[use].len; i-- > 0;)
            if (env->watches[use].at[i]->cls == dead)
                remove_at(env, use, (ptrdiff_t)i);
}

// Makes the engine report what any environment watches. World stopped.
static void update(Thread *self, Field *f)
{
    ASSERT_WORLD_STOPPED();
    uint8_t watch = 0;
    TI_ENV_EACH(env)
    {
        watch |= find(env, f, FIELD_GET) >= 0 ? WATCH_ACCESS : 0;
        watch |= find(env, f, FIELD_PUT) >= 0 ? WATCH_MODIFY : 0;
    }
    if (watch != f->watch)
        watch_field(self, f, watch);
}

static jvmtiError change(Thread *self, TiEnv *env, Field *f, int use, bool set)
{
    world_stop(self);
    mutex_lock(&ti_lock);
    ptrdiff_t i = find(env, f, use);
    jvmtiError error = JVMTI_ERROR_NONE;
    if (set && i >= 0)
        error = JVMTI_ERROR_DUPLICATE;
    else if (!set && i < 0)
        error = JVMTI_ERROR_NOT_FOUND;
    else if (set)
        vec_push(&env->watches[use], f);
    else
        remove_at(env, use, i);
    update(self, f);
    mutex_unlock(&ti_lock);
    world_resume(self);
    return error;
}

void ti_watches_dispose(Thread *self, TiEnv *env)
{
    mutex_lock(&ti_lock);
    bool any = env->watches[FIELD_GET].len || env->watches[FIELD_PUT].len;
    mutex_unlock(&ti_lock);
    if (!any)
        return;
    world_stop(self);
    mutex_lock(&ti_lock);
    for (int use = FIELD_GET; use <= FIELD_PUT; use++) {
        while (env->watches[use].len > 0) {
            Field *f = env->watches[use].at[0];
            remove_at(env, use, 0);
            update(self, f);
        }
        vec_free(&env->watches[use]);
    }
    mutex_unlock(&ti_lock);
    world_resume(self);
}

#define WATCH(name, use)                                                                      \
    jvmtiError ti_SetField##name##Watch(Thread *self, TiEnv *env, Class *klass, Field *field) \
    {                                                                                         \
        (void)klass;                                                                          \
        return change(self, env, field, use, true);                                           \
    }                                                                                         \
    jvmtiError ti_ClearField##name##Watch(Thread *self, TiEnv *env, Class *klass,             \
                                          Field *field)                                       \
    {                                                                                         \
        (void)klass;                                                                          \
        return change(self, env, field, use, false);                                          \
    }
WATCH(Access, FIELD_GET)
WATCH(Modification, FIELD_PUT)
#undef WATCH
