// SPDX-License-Identifier: Apache-2.0
// What the heap functions share (JVM TI, Heap): filters, the values inside objects, field
// indices. World stopped, NO_GC.
#ifndef JVMTI_TI_HEAP_H
#define JVMTI_TI_HEAP_H

#include "jvmti/ti_tags.h"

// A walk of an environment with the callbacks of version 1.1 and later.
typedef struct TiWalk {
    TiEnv *env;
    jint filter;
    Class *klass; // only its direct instances are reported; NULL: all
    const jvmtiHeapCallbacks *callbacks;
    void *user_data;
} TiWalk;

// The tag of the mirror of a class; of the class of an object.
jlong ti_class_tag(TiEnv *env, const Class *c);
jlong ti_tag_of_class(TiEnv *env, const Object *o);
// Whether klass and filter keep an object from being reported.
bool ti_is_filtered(const TiWalk *w, Object *o);
// Stores a tag that a callback may have changed.
void ti_tag_update(TiEnv *env, Object *o, jlong before, jlong now);
// The array length, -1 for other objects.
jint ti_length_of(const Object *o);
// Calls the callbacks for values: those of a string or an array, of an instance's fields, or,
// of a class, its static fields. False: a callback wants to abort.
bool ti_report_values(const TiWalk *w, Object *o);

// Fields with the index that jvmtiHeapReferenceInfoField defines: of an instance of c,
// inherited ones included; the static ones that c declares.
typedef void (*TiFieldVisitor)(void *ctx, const Field *f, jint index);
void ti_each_field(const Class *c, bool of_class, TiFieldVisitor visit, void *ctx);
// The class whose mirror o is; NULL for other objects, and for mirrors not filled in yet.
Class *ti_mirrored_class(const Object *o);

#endif
