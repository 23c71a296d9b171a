// SPDX-License-Identifier: Apache-2.0
// See tag_map.h.
#include "jvmti/tags/tag_map.h"

#include <stdlib.h>

#include "platform/platform.h"
#include "thread/thread.h"

enum { FIRST_SIZE = 256 };

static size_t table_bytes(size_t size)
{
    return size * (sizeof(TagKey) + sizeof(jlong));
}

static size_t ranges_count(size_t size)
{
    return (size + TAG_BLOCK - 1) / TAG_BLOCK;
}

static TagRange *ranges_new(size_t size)
{
    return vm_calloc(ranges_count(size), sizeof(TagRange));
}

// Large tables lie in large pages: most of the time would be spent on small ones otherwise.
static bool commit(void *p, size_t bytes)
{
    if (!os_commit(p, bytes))
        return false;
    os_prefer_large_pages(p, bytes);
    return true;
}

// Zeroed. NULL: the system refuses.
static void *table_memory(size_t bytes)
{
    if (bytes < OS_LARGE_PAGE)
        return calloc(1, bytes);
    void *p = os_reserve(bytes, OS_LARGE_PAGE);
    if (p && !commit(p, bytes)) {
        os_release(p, bytes);
        return NULL;
    }
    return p;
}

// NULL: no memory.
static TagTable *table_new(size_t size)
{
    void *memory = table_memory(table_bytes(size));
    if (!memory)
        return NULL;
    TagTable *t = vm_malloc(sizeof *t);
    t->size = size;
    t->tags = memory;
    t->keys = (TagKey *)(void *)(t->tags + size);
    t->ranges = ranges_new(size);
    return t;
}

static void table_free(TagTable *t)
{
    if (table_bytes(t->size) < OS_LARGE_PAGE)
        vm_free((void *)t->tags);
    else
        os_release((void *)t->tags, table_bytes(t->size));
    vm_free(t->ranges);
    vm_free(t);
}

static TagTable *table_of(const TagMap *m)
{
    return atomic_load_explicit(&m->table, memory_order_relaxed);
}

static void free_old(TagMap *m)
{
    for (size_t i = 0; i < m->old.len; i++)
        table_free(m->old.at[i]);
    m->old.len = 0;
}

static void replace(TagMap *m, TagTable *now)
{
    if (table_of(m))
        vec_push(&m->old, table_of(m));
    atomic_store_explicit(&m->table, now, memory_order_release);
    if (world_is_stopped())
        free_old(m);
}

static void widen(TagRange *r, jlong tag)
{
    jlong least = atomic_load_explicit(&r->least, memory_order_relaxed);
    jlong greatest = atomic_load_explicit(&r->greatest, memory_order_relaxed);
    bool first = !least && !greatest;
    if (first || tag < least)
        atomic_store_explicit(&r->least, tag, memory_order_relaxed);
    if (first || tag > greatest)
        atomic_store_explicit(&r->greatest, tag, memory_order_relaxed);
}

static void store_tag(TagTable *t, size_t i, jlong tag)
{
    if (tag)
        widen(&t->ranges[i / TAG_BLOCK], tag);
    atomic_store_explicit(&t->tags[i], tag, memory_order_relaxed);
}

static void fill(TagTable *t, size_t i, Narrow object, uint32_t hash, jlong tag)
{
    t->keys[i].hash = hash;
    store_tag(t, i, tag);
    atomic_store_explicit(&t->keys[i].object, object, memory_order_release);
}

static void put(TagTable *t, Narrow object, uint32_t hash, jlong tag)
{
    if (tag)
        fill(t, tag_table_find(t, object, hash), object, hash, tag);
}

// ---- growing where it is ----
// New pages cost more than all else. While nobody reads, the pages of a large table become half of
// one of twice the size, and only the other half is new.
static bool can_stretch(const TagTable *t, size_t size)
{
    return t && size == 2 * t->size && t->size * sizeof(jlong) >= OS_LARGE_PAGE
           && world_is_stopped();
}

// A part, moved to where there is room for two of it. What has been moved can't be left half done.
static void *stretch_part(char *from, char *to, size_t bytes)
{
    if (!os_move(from, to, bytes))
        vm_exhausted("out of native memory for tags");
    return to;
}

// Places are emptied one by one, from behind a free one on. An object's new place is in either half
// no further from the half's beginning than its old one was, so only places that had their turn lie
// on the way to it.
static void spread(TagTable *t, size_t old_size)
{
    size_t first = 0;
    while (tag_table_object(t, first) != 0)
        first++;
    for (size_t n = 1; n < old_size; n++) {
        size_t i = (first + n) & (old_size - 1);
        Narrow object = tag_table_object(t, i);
        jlong tag = tag_table_get(t, i);
        if (object == 0)
            continue;
        store_tag(t, i, 0);
        atomic_store_explicit(&t->keys[i].object, 0, memory_order_relaxed);
        put(t, object, t->keys[i].hash, tag);
    }
}

// False: no memory; nothing has changed.
static bool stretch(TagTable *t)
{
    size_t half = t->size * sizeof(jlong), bytes = 2 * table_bytes(t->size);
    char *to = os_reserve(bytes, OS_LARGE_PAGE);
    if (!to)
        return false;
    if (!commit(to + half, half) || !commit(to + 3 * half, half)) {
        os_release(to, bytes);
        return false;
    }
    _Static_assert(sizeof(jlong) == sizeof(TagKey), "both parts are as large");
    t->tags = stretch_part((char *)t->tags, to, half);
    t->keys = stretch_part((char *)t->keys, to + 2 * half, half);
    t->size *= 2;
    vm_free(t->ranges);
    t->ranges = ranges_new(t->size);
    spread(t, t->size / 2);
    return true;
}

// A table with room for as many tags again, of those that are there. False: no memory.
static bool make_room(TagMap *m)
{
    size_t size = FIRST_SIZE;
    while (size / 2 <= m->count)
        size *= 2;
    TagTable *from = table_of(m);
    if (can_stretch(from, size) && stretch(from)) {
        m->used = m->count;
        return true;
    }
    TagTable *to = table_new(size);
    if (!to)
        return false;
    for (size_t i = 0; from && i < from->size; i++)
        put(to, tag_table_object(from, i), from->keys[i].hash, tag_table_get(from, i));
    m->used = m->count;
    replace(m, to);
    return true;
}

bool tag_map_set(TagMap *m, Object *o, jlong tag)
{
    uint32_t hash = object_identity_hash(o);
    if ((!table_of(m) || m->used >= table_of(m)->size / 4 * 3) && !make_room(m))
        return false;
    TagTable *t = table_of(m);
    size_t i = tag_table_find(t, narrow_encode(o), hash);
    m->count = m->count - (tag_table_get(t, i) != 0) + (tag != 0);
    if (tag_table_object(t, i) != 0) {
        store_tag(t, i, tag);
    } else if (tag) {
        fill(t, i, narrow_encode(o), hash, tag);
        m->used++;
    }
    return true;
}

// Whether the object of a place lives.
static bool keep_place(TagTable *t, size_t i, WeakKeep keep, void *ctx)
{
    Object *o = narrow_decode(tag_table_object(t, i));
    bool lives = keep(ctx, &o);
    atomic_store_explicit(&t->keys[i].object, lives ? narrow_encode(o) : TAG_DEAD,
                          memory_order_relaxed);
    return lives;
}

void tag_map_keep(TagMap *m, WeakKeep keep, void *ctx, void (*died)(void *arg, jlong tag),
                  void *arg)
{
    TagTable *t = table_of(m);
    free_old(m);
    for (size_t i = 0; t && i < t->size; i++) {
        Narrow object = tag_table_object(t, i);
        if (object == 0 || object == TAG_DEAD || keep_place(t, i, keep, ctx)
            || !tag_table_get(t, i))
            continue;
        died(arg, tag_table_get(t, i));
        store_tag(t, i, 0);
        m->count--;
    }
    if (t && m->count == 0)
        tag_map_clear(m);
}

void tag_map_clear(TagMap *m)
{
    m->used = m->count = 0;
    replace(m, NULL);
}

size_t tag_map_bytes(const TagMap *m)
{
    const TagTable *t = table_of(m);
    return t ? table_bytes(t->size) + ranges_count(t->size) * sizeof(TagRange) : 0;
}
