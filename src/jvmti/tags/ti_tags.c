// SPDX-License-Identifier: Apache-2.0
// See ti_tags.h. tags_lock guards the maps against two writers; it is a leaf, and nobody reaches
// a safepoint with it. With the world stopped only its stopper looks.
#include "jvmti/tags/ti_tags.h"

#include "jvmti/env/ti_entry.h"
#include "jvmti/generated/decl.h"

static Mutex tags_lock = MUTEX_INIT(RANK_GLOBAL_REFS);

void ti_tags_measure(TiEnv *env, size_t *count, size_t *bytes)
{
    mutex_lock(&tags_lock);
    *count = env->tags ? env->tags->map.count : 0;
    *bytes = env->tags ? sizeof *env->tags + tag_map_bytes(&env->tags->map) : 0;
    mutex_unlock(&tags_lock);
}

static bool set_tag(TiEnv *env, Object *o, jlong tag)
{
    if (!env->tags)
        __atomic_store_n(&env->tags, vm_calloc(1, sizeof *env->tags), __ATOMIC_RELEASE);
    return tag_map_set(&env->tags->map, o, tag);
}

bool ti_tag_set(TiEnv *env, Object *o, jlong tag)
{
    if (world_is_stopped())
        return set_tag(env, o, tag);
    mutex_lock(&tags_lock);
    bool set = set_tag(env, o, tag);
    mutex_unlock(&tags_lock);
    return set;
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
    event_want(EVENT_GC_FINISH, 1); // to report the freed ones
}

void ti_tags_post_freed(Thread *self)
{
    ASSERT_WORLD_STOPPED();
    TI_ENV_EACH(env)
    {
        if (!env->tags || !env->tags->freed.len)
            continue;
        jvmtiEventObjectFree callback =
            (jvmtiEventObjectFree)ti_event_callback(self, env, JVMTI_EVENT_OBJECT_FREE);
        for (size_t i = 0; callback && i < env->tags->freed.len; i++)
            TI_CALL_STOPPED(self, env, callback((jvmtiEnv *)env, env->tags->freed.at[i]));
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
    return ti_tag_set(env, deref(object), tag) ? JVMTI_ERROR_NONE : JVMTI_ERROR_OUT_OF_MEMORY;
}

// How often an object with this tag is returned.
static jint times_asked(jlong tag, const jlong *tags, jint count)
{
    jint times = 0;
    for (jint i = 0; i < count && (!times || ti_as_hotspot()); i++)
        times += tags[i] == tag;
    return times;
}

// Whether the block of a place may hold one of the tags.
static bool may_have(const TagTable *t, size_t i, const jlong *tags, jint count)
{
    for (jint k = 0; k < count; k++)
        if (tag_table_may_have(t, i, tags[k]))
            return true;
    return false;
}

// Whether a group of places holds one of the tags: most do not.
enum { GROUP = 32 };
_Static_assert(TAG_BLOCK % GROUP == 0, "groups lie within blocks");
static bool group_has(const TagTable *t, size_t at, const jlong *tags, jint count)
{
    for (jint i = 0; i < count; i++) {
        uint32_t found = 0;
        for (size_t k = at; k < at + GROUP; k++)
            found |= tag_table_get(t, k) == tags[i];
        if (found)
            return true;
    }
    return false;
}

typedef struct Found {
    TiHandles objects;
    VEC(jlong) tags;
} Found;

// The object of a place that is being filled comes after its tag: then it is not tagged yet.
static void find_in_group(Thread *self, const TagTable *t, size_t at, const jlong *tags,
                          jint count, bool objects, Found *out)
{
    for (size_t i = at; i < at + GROUP; i++) {
        jlong tag = tag_table_get(t, i);
        Narrow object = tag_table_object(t, i);
        jint times = tag && object ? times_asked(tag, tags, count) : 0;
        for (; times > 0; times--) {
            vec_push(&out->tags, tag);
            if (objects)
                vec_push(&out->objects, handle_new(self, narrow_decode(object)));
        }
    }
}

static void find_tagged(Thread *self, const TagTable *t, const jlong *tags, jint count,
                        bool objects, Found *out)
{
    for (size_t i = 0; i < t->size;) {
        if (i % TAG_BLOCK == 0 && !may_have(t, i, tags, count)) {
            i += TAG_BLOCK;
            continue;
        }
        if (group_has(t, i, tags, count))
            find_in_group(self, t, i, tags, count, objects, out);
        i += GROUP;
    }
}

jvmtiError ti_GetObjectsWithTags(Thread *self, TiEnv *env, jint tag_count, const jlong *tags,
                                 jint *count_ptr, jobject **object_result_ptr,
                                 jlong **tag_result_ptr)
{
    for (jint i = 0; i < tag_count; i++)
        if (tags[i] == 0 && ti_refuses(TI_ZERO_TAG))
            return JVMTI_ERROR_ILLEGAL_ARGUMENT;
    Found found = {0};
    const TagTable *t =
        env->tags ? atomic_load_explicit(&env->tags->map.table, memory_order_acquire) : NULL;
    if (t)
        find_tagged(self, t, tags, tag_count, object_result_ptr != NULL, &found);
    *count_ptr = (jint)found.tags.len;
    jvmtiError error = JVMTI_ERROR_NONE;
    if (object_result_ptr)
        error = ti_give_list(&found.objects, count_ptr, object_result_ptr);
    if (error == JVMTI_ERROR_NONE && tag_result_ptr) {
        *tag_result_ptr = ti_alloc(found.tags.len * sizeof(jlong));
        if (*tag_result_ptr)
            memcpy(*tag_result_ptr, found.tags.at, found.tags.len * sizeof(jlong));
        else if (found.tags.len)
            error = JVMTI_ERROR_OUT_OF_MEMORY;
    }
    vec_free(&found.tags);
    return error;
}
