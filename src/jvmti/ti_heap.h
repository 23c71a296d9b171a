// SPDX-License-Identifier: Apache-2.0
// What the heap functions share (JVM TI, Heap): filters, the values inside objects, field
// indices. World stopped, NO_GC.
#ifndef JVMTI_TI_HEAP_H
#define JVMTI_TI_HEAP_H

#include "jvmti/tags/ti_tags.h"

// The environment of a walk, with the tags of classes met lately.
enum { TI_CLASS_TAGS = 16 };
typedef struct TiClassTag {
    const Class *cls;
    jlong tag;
} TiClassTag;
typedef struct TiTagger {
    TiEnv *env;
    jvmtiError
        error; // OUT_OF_MEMORY: there was no room for a tag. The walk ends and returns it
    TiClassTag classes[TI_CLASS_TAGS];
} TiTagger;

// A walk with the callbacks of version 1.1 and later.
typedef struct TiWalk {
    TiTagger tagger;
    jint filter;
    Class *klass;                 // only its direct instances are reported; NULL: all
    jvmtiHeapCallbacks callbacks; // as they were when it began
    void *user_data;
    bool values; // some callback is for values
} TiWalk;
TiWalk ti_walk(TiEnv *env, jint filter, Class *klass, const jvmtiHeapCallbacks *callbacks,
               const void *user_data);

// Where the tag of a class stands when it was met lately.
static inline TiClassTag *ti_class_tag(TiTagger *t, const Class *c)
{
    return &t->classes[((uintptr_t)c / 64) % TI_CLASS_TAGS];
}
// The tag of the mirror of an object's class.
static inline jlong ti_tag_of_class(TiTagger *t, const Object *o)
{
    const Class *c = object_class(o);
    TiClassTag *known = ti_class_tag(t, c);
    if (UNLIKELY(known->cls != c))
        *known = (TiClassTag){c, c->mirror ? ti_tag_get(t->env, class_mirror(c)) : 0};
    return known->tag;
}
// Stores a tag that a callback may have changed.
void ti_tag_change(TiTagger *t, Object *o, jlong now);
static inline void ti_tag_update(TiTagger *t, Object *o, jlong before, jlong now)
{
    if (now != before)
        ti_tag_change(t, o, now);
}
// Whether klass and filter keep an object from being reported.
bool ti_fails_filter(TiWalk *w, Object *o);
static inline bool ti_is_filtered(TiWalk *w, Object *o)
{
    return (w->klass || w->filter) && ti_fails_filter(w, o);
}
// The array length, -1 for other objects.
static inline jint ti_length_of(const Object *o)
{
    return object_layout(o)->shape >= SHAPE_REF_ARRAY ? array_length(o) : -1;
}
// Calls the callbacks for values, of which there are some (TiWalk.values): those of a string or an array, of an instance's fields, or,
// of a class, its static fields. False: a callback wants to abort.
bool ti_report_values(TiWalk *w, Object *o);

// Fields with the index that jvmtiHeapReferenceInfoField defines: of an instance of c,
// inherited ones included; the static ones that c declares.
typedef void (*TiFieldVisitor)(void *ctx, const Field *f, jint index);
void ti_each_field(const Class *c, bool of_class, TiFieldVisitor visit, void *ctx);
// The class whose mirror o is; NULL for other objects, and for mirrors not filled in yet.
Class *ti_mirrored_class(const Object *o);

#endif
