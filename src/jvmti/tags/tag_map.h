// SPDX-License-Identifier: Apache-2.0
// A map from objects to tags: open addressing, by the order in which objects got their identity
// hashes (object_hash_order). Objects that got them one after another, as in a walk that tags
// all, are neighbours here too. A place stays its object's, with tag 0 when the tag was removed,
// until the object dies or the table is made anew: so tag_map_get needs no lock. It is called
// IN_VM or with the world stopped; tables given up meanwhile are freed while the world is stopped.
// Whoever writes excludes others from writing, and is IN_VM too.
#ifndef JVMTI_TAGS_TAG_MAP_H
#define JVMTI_TAGS_TAG_MAP_H

#include <jni.h>

#include "base/vec.h"
#include "heap/heap.h"

#define TAG_DEAD UINT32_MAX // TagKey.object: its object has died

typedef struct TagKey {
    _Atomic Narrow object; // 0: free
    uint32_t hash;
} TagKey;

// What lies between the least and the greatest tag that a block of places ever had. Both 0: it had none.
enum { TAG_BLOCK = 1 << 12 };
typedef struct TagRange {
    _Atomic jlong least, greatest;
} TagRange;

// Tags stand together, as GetObjectsWithTags reads them. Most agents count their tags up as they walk,
// so most blocks need not be read for one.
typedef struct TagTable {
    size_t size; // a power of two
    TagKey *keys;
    _Atomic jlong *tags;
    TagRange *ranges;
} TagTable;

typedef struct TagMap {
    TagTable *_Atomic table; // NULL: nothing was tagged yet
    size_t used, count;      // places that are not free; those with a tag
    VEC(TagTable *) old;     // to be freed
} TagMap;

static inline jlong tag_table_get(const TagTable *t, size_t i)
{
    return atomic_load_explicit(&t->tags[i], memory_order_relaxed);
}

// Whether the block of a place may hold a tag.
static inline bool tag_table_may_have(const TagTable *t, size_t i, jlong tag)
{
    const TagRange *r = &t->ranges[i / TAG_BLOCK];
    return tag >= atomic_load_explicit(&r->least, memory_order_relaxed)
           && tag <= atomic_load_explicit(&r->greatest, memory_order_relaxed);
}

static inline Narrow tag_table_object(const TagTable *t, size_t i)
{
    return atomic_load_explicit(&t->keys[i].object, memory_order_acquire);
}

// The place of an object with a hash, or the free one where it would stand.
static inline size_t tag_table_find(const TagTable *t, Narrow object, uint32_t hash)
{
    for (size_t i = object_hash_order(hash);; i++) {
        Narrow at = tag_table_object(t, i & (t->size - 1));
        if (at == object || at == 0)
            return i & (t->size - 1);
    }
}

// The tag of an object, 0 when it has none. NO_GC.
static inline jlong tag_map_get(const TagMap *m, const Object *o)
{
    uint32_t hash = MARK_HASH(atomic_load_explicit(&o->mark, memory_order_relaxed));
    const TagTable *t = atomic_load_explicit(&m->table, memory_order_acquire);
    if (!hash || !t)
        return 0; // a tagged object has a hash
    return tag_table_get(t, tag_table_find(t, narrow_encode(o), hash));
}

// Sets the tag, 0 removes it. False: there is no memory for more places; nothing has changed. NO_GC.
NODISCARD bool tag_map_set(TagMap *m, Object *o, jlong tag);
// WeakTable: takes places along with their objects and calls `died` with the tags of the dead. World
// stopped.
void tag_map_keep(TagMap *m, WeakKeep keep, void *ctx, void (*died)(void *arg, jlong tag),
                  void *arg);
// Forgets all tags. What readers may still look at is freed by the next tag_map_keep.
void tag_map_clear(TagMap *m);
size_t tag_map_bytes(const TagMap *m);

#endif
