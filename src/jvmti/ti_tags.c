// SPDX-License-Identifier: Apache-2.0
// See ti_tags.h. tags_lock guards the maps against two writers; it is a leaf, and nobody reaches
// a safepoint with it. With the world stopped only its stopper looks.
#include "jvmti/ti_tags.h"

#include "jvmti/generated/decl.h"
#include "jvmti/ti_entry.h"

static Mutex tags_lock = MUTEX_INIT(RANK_GLOBAL_REFS);

void ti_tags_measure(TiEnv *env, size_t *count, size_t *bytes)
{
    mutex_lock(&tags_lock);
    *count = env->tags ? env->tags->map.count : 0;
    *bytes = env->tags ? sizeof *env->tags + tag_map_bytes(&env->tags->map) : 0;
    mutex_unlock(&tags_lock);
}

static void set_tag(TiEnv *env, Object *o, jlong tag)
{
    if (!env->tags)
        __atomic_store_n(&env->tags, vm_calloc(1, sizeof *env->tags), __ATOMIC_RELEASE);
    tag_map_set(&env->tags->map, o, tag);
}

void ti_tag_set(TiEnv *env, Object *o, jlong tag)
{
    if (world_is_stopped()) {
        set_tag(env, o, tag);
        return;
    }
    mutex_lock(&tags_lock);
    set_tag(env, o, tag);
    mutex_unlock(&tags_lock);
}

static void note_freed(void *tags, jlong tag)
{
    vec_push(&((TiTags *)tags)->freed, tag);
}

// WeakTable.
static void visit_all(WeakKeep keep, void *ctx)
{
    TI_ENV_EACH(env)
    if (env->tags)
        tag_map_keep(&env->tags->map, keep, ctx, note_freed, env->tags);
}

void ti_tags_init(void)
{
    heap_add_weak_table(visit_all);
    event_want(EVENT_GC_FINISH, 1); // to tell of the freed ones
}

void ti_tags_post_freed(Thread *self)
{
    TI_ENV_EACH(env)
    {
        if (!env->tags || !env->tags->freed.len)
            continue;
        jvmtiEventObjectFree callback =
            (jvmtiEventObjectFree)ti_event_callback(self, env, JVMTI_EVENT_OBJECT_FREE);
        for (size_t i = 0; callback && i < env->tags->freed.len; i++)
            TI_CALL_STOPPED(env, callback((jvmtiEnv *)env, env->tags->freed.at[i]));
        vec_free(&env->tags->freed);
    }
}

void ti_tags_dispose(Thread *self, TiEnv *env)
{
    (void)self;
    mutex_lock(&tags_lock);
    if (env->tags)
        tag_map_clear(&env->tags->map);
    mutex_unlock(&tags_lock);
}

// ---- functions ----
jvmtiError ti_GetTag(Thread *self, TiEnv *env, jobject object, jlong *tag_ptr)
{
    (void)self;
    *tag_ptr = ti_tag_get(env, deref(object));
    return JVMTI_ERROR_NONE;
}

jvmtiError ti_SetTag(Thread *self, TiEnv *env, jobject object, jlong tag)
{
    (void)self;
    ti_tag_set(env, deref(object), tag);
    return JVMTI_ERROR_NONE;
}

static bool is_among(jlong tag, const jlong *tags, jint count)
{
    for (jint i = 0; i < count; i++)
        if (tags[i] == tag)
            return true;
    return count == 0;
}

jvmtiError ti_GetObjectsWithTags(Thread *self, TiEnv *env, jint tag_count, const jlong *tags,
                                 jint *count_ptr, jobject **object_result_ptr,
                                 jlong **tag_result_ptr)
{
    for (jint i = 0; i < tag_count; i++)
        if (tags[i] == 0)
            return JVMTI_ERROR_ILLEGAL_ARGUMENT;
    TiHandles objects = {0};
    VEC(jlong) found = {0};
    const TiTags *all = env->tags;
    const TagTable *t =
        all ? atomic_load_explicit(&all->map.table, memory_order_acquire) : NULL;
    for (size_t i = 0; t && i < t->size; i++) {
        jlong tag = tag_table_get(t, i);
        if (tag == 0 || !is_among(tag, tags, tag_count))
            continue;
        vec_push(&found, tag);
        if (object_result_ptr)
            vec_push(&objects, handle_new(self, narrow_decode(tag_table_object(t, i))));
    }
    *count_ptr = (jint)found.len;
    jvmtiError error = JVMTI_ERROR_NONE;
    if (object_result_ptr)
        error = ti_give_list(&objects, count_ptr, object_result_ptr);
    if (error == JVMTI_ERROR_NONE && tag_result_ptr) {
        *tag_result_ptr = ti_alloc(found.len * sizeof(jlong));
        if (*tag_result_ptr)
            memcpy(*tag_result_ptr, found.at, found.len * sizeof(jlong));
        else if (found.len)
            error = JVMTI_ERROR_OUT_OF_MEMORY;
    }
    vec_free(&found);
    return error;
}
