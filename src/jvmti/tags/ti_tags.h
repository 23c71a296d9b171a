// SPDX-License-Identifier: Apache-2.0
// Object tags of an environment (JVM TI, Heap): a map from objects to numbers that does not
// keep the objects alive.
#ifndef JVMTI_TAGS_TI_TAGS_H
#define JVMTI_TAGS_TI_TAGS_H

#include "jvmti/env/ti.h"
#include "jvmti/tags/tag_map.h"

typedef struct TiTags {
    TagMap map;
    VEC(jlong) freed; // tags of objects that died in the collection under way
} TiTags;

void ti_tags_init(void);
// The tag of an object, 0 when it has none. IN_VM or world stopped. NO_GC.
static inline jlong ti_tag_get(const TiEnv *env, const Object *o)
{
    const TiTags *tags = __atomic_load_n(&env->tags, __ATOMIC_ACQUIRE);
    return tags ? tag_map_get(&tags->map, o) : 0;
}
// Sets the tag, 0 removes it. False: there is no memory for another tag. NO_GC.
NODISCARD bool ti_tag_set(TiEnv *env, Object *o, jlong tag);
// Reports to the agents the tagged objects that died in the collection that just ended (world stopped).
void ti_tags_post_freed(Thread *self);
// How many objects have a tag, and the memory for that. NO_GC.
void ti_tags_measure(TiEnv *env, size_t *count, size_t *bytes);
void ti_tags_dispose(Thread *self, TiEnv *env);

// ---- ti_method.c ----
// Sets the native method prefixes of an environment (copied) and gives all of them to the linker.
void ti_prefixes_set(TiEnv *env, jint count, char *const *prefixes);
// Informs the linker again when the order in which environments see class files has changed.
void ti_prefixes_order(void);

#endif
