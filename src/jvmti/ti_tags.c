// SPDX-License-Identifier: Apache-2.0
// See ti_tags.h. A hash map by identity hash, which does not change when objects move; its
// slots are weak (heap_add_weak_table). tags_lock guards the maps; it is a leaf, and nobody
// reaches a safepoint with it. With the world stopped only its stopper looks.
#include "jvmti/ti_tags.h"

#include "jvmti/generated/decl.h"
#include "jvmti/ti_entry.h"

typedef struct TagEntry {
    struct TagEntry *next;
    Object *object;
    uint32_t hash;
    jlong tag;
} TagEntry;
typedef struct TiTags {
    TagEntry **buckets;
    size_t count, size; // entries; buckets, a power of two
    VEC(jlong) freed;   // tags of objects that died in the collection under way
} TiTags;

enum { FIRST_SIZE = 256 };
static Mutex tags_lock = MUTEX_INIT(RANK_GLOBAL_REFS);

static TiTags *tags_of(TiEnv *env)
{
    if (!env->tags) {
        env->tags = vm_calloc(1, sizeof *env->tags);
        env->tags->size = FIRST_SIZE;
        env->tags->buckets = vm_calloc(FIRST_SIZE, sizeof(TagEntry *));
    }
    return env->tags;
}

// The link that leads to the entry of an object, or to the end of its chain.
static TagEntry **find(TiTags *tags, const Object *o, uint32_t hash)
{
    TagEntry **at = &tags->buckets[hash & (tags->size - 1)];
    while (*at && (*at)->object != o)
        at = &(*at)->next;
    return at;
}

static void grow(TiTags *tags)
{
    size_t size = tags->size * 2;
    TagEntry **buckets = vm_calloc(size, sizeof(TagEntry *));
    for (size_t i = 0; i < tags->size; i++)
        for (TagEntry *e = tags->buckets[i], *next; e; e = next) {
            next = e->next;
            e->next = buckets[e->hash & (size - 1)];
            buckets[e->hash & (size - 1)] = e;
        }
    vm_free(tags->buckets);
    tags->buckets = buckets;
    tags->size = size;
}

void ti_tags_measure(TiEnv *env, size_t *count, size_t *bytes)
{
    mutex_lock(&tags_lock);
    const TiTags *tags = env->tags;
    *count = tags ? tags->count : 0;
    *bytes = tags
                 ? sizeof *tags + tags->size * sizeof *tags->buckets + *count * sizeof(TagEntry)
                 : 0;
    mutex_unlock(&tags_lock);
}

jlong ti_tag_get(TiEnv *env, Object *o)
{
    uint32_t hash = MARK_HASH(atomic_load_explicit(&o->mark, memory_order_relaxed));
    if (!hash || !env->tags)
        return 0; // a tagged object has a hash
    mutex_lock(&tags_lock);
    TagEntry *e = *find(env->tags, o, hash);
    jlong tag = e ? e->tag : 0;
    mutex_unlock(&tags_lock);
    return tag;
}

static void remove_entry(TiTags *tags, TagEntry **at)
{
    TagEntry *e = *at;
    *at = e->next;
    vm_free(e);
    tags->count--;
}

void ti_tag_set(TiEnv *env, Object *o, jlong tag)
{
    uint32_t hash = object_identity_hash(o);
    mutex_lock(&tags_lock);
    TiTags *tags = tags_of(env);
    TagEntry **at = find(tags, o, hash);
    if (*at && tag) {
        (*at)->tag = tag;
    } else if (*at) {
        remove_entry(tags, at);
    } else if (tag) {
        TagEntry *e = vm_malloc(sizeof *e);
        *e = (TagEntry){NULL, o, hash, tag};
        *at = e;
        if (++tags->count > tags->size)
            grow(tags);
    }
    mutex_unlock(&tags_lock);
}

static void keep_alive_ones(TiTags *tags, WeakKeep keep, void *ctx)
{
    for (size_t i = 0; i < tags->size; i++)
        for (TagEntry **at = &tags->buckets[i]; *at;) {
            if (keep(ctx, &(*at)->object)) {
                at = &(*at)->next;
                continue;
            }
            vec_push(&tags->freed, (*at)->tag);
            remove_entry(tags, at);
        }
}

// WeakTable.
static void visit_all(WeakKeep keep, void *ctx)
{
    TI_ENV_EACH(env)
    if (env->tags)
        keep_alive_ones(env->tags, keep, ctx);
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
    for (size_t i = 0; env->tags && i < env->tags->size; i++)
        while (env->tags->buckets[i])
            remove_entry(env->tags, &env->tags->buckets[i]);
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
    mutex_lock(&tags_lock);
    for (size_t i = 0; env->tags && i < env->tags->size; i++)
        for (TagEntry *e = env->tags->buckets[i]; e; e = e->next)
            if (is_among(e->tag, tags, tag_count)) {
                vec_push(&found, e->tag);
                if (object_result_ptr)
                    vec_push(&objects, handle_new(self, e->object));
            }
    mutex_unlock(&tags_lock);
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
