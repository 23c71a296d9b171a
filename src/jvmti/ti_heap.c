// SPDX-License-Identifier: Apache-2.0
// Collection and the walks through all objects (JVM TI, Heap); the reporting of values, which
// ti_graph.c uses too. Callbacks run with the world stopped, IN_VM.
#include "jvmti/ti_heap.h"

#include <stdlib.h>

#include "class/vm_classes.h"
#include "java/box.h"
#include "java/string.h"
#include "jvmti/generated/decl.h"

jvmtiError ti_ForceGarbageCollection(Thread *self, TiEnv *env)
{
    (void)env;
    heap_collect(self, GC_JVMTI_FORCE, true);
    return JVMTI_ERROR_NONE;
}

// ---- tags and filters ----
TiWalk ti_walk(TiEnv *env, jint filter, Class *klass, const jvmtiHeapCallbacks *callbacks,
               const void *user_data)
{
    return (TiWalk){.tagger = {.env = env},
                    .filter = filter,
                    .klass = klass,
                    .callbacks = *callbacks,
                    .user_data = (void *)(uintptr_t)user_data,
                    .values = callbacks->primitive_field_callback
                              || callbacks->array_primitive_value_callback
                              || callbacks->string_primitive_value_callback};
}

void ti_tag_change(TiTagger *t, Object *o, jlong now)
{
    if (!ti_tag_set(t->env, o, now)) {
        t->error = JVMTI_ERROR_OUT_OF_MEMORY;
        return;
    }
    const Class *c = ti_mirrored_class(o);
    if (c)
        *ti_class_tag(t, c) = (TiClassTag){c, now};
}

bool ti_fails_filter(TiWalk *w, Object *o)
{
    if (w->klass && object_class(o) != w->klass)
        return true;
    if (w->filter == 0)
        return false;
    bool tagged = ti_tag_get(w->tagger.env, o) != 0,
         of_tagged = ti_tag_of_class(&w->tagger, o) != 0;
    return (w->filter & (tagged ? JVMTI_HEAP_FILTER_TAGGED : JVMTI_HEAP_FILTER_UNTAGGED))
           || (w->filter
               & (of_tagged ? JVMTI_HEAP_FILTER_CLASS_TAGGED
                            : JVMTI_HEAP_FILTER_CLASS_UNTAGGED));
}

Class *ti_mirrored_class(const Object *o)
{
    if (object_layout(o)->shape != SHAPE_MIRROR)
        return NULL;
    Class *c = class_of_mirror(o);
    return c && c->mirror && class_mirror(c) == o ? c : NULL;
}

// ---- fields ----
static jint fields_before(const Class *c)
{
    jint n = 0;
    for (uint32_t i = 0; i < c->all_interface_count; i++)
        n += c->all_interfaces[i]->field_count;
    return n;
}

static jint visit_fields(const Class *c, bool of_class, jint index, TiFieldVisitor visit,
                         void *ctx)
{
    FIELD_EACH (f, c) {
        if (((f->access & ACC_STATIC) != 0) == of_class)
            visit(ctx, f, index);
        index++;
    }
    return index;
}

static jint visit_inherited(const Class *c, jint index, TiFieldVisitor visit, void *ctx)
{
    if (!c)
        return index;
    index = visit_inherited(c->super, index, visit, ctx);
    return visit_fields(c, false, index, visit, ctx);
}

void ti_each_field(const Class *c, bool of_class, TiFieldVisitor visit, void *ctx)
{
    jint index = fields_before(c);
    if (!of_class) {
        visit_inherited(c, index, visit, ctx);
        return;
    }
    for (const Class *s = c->super; s; s = s->super)
        index += s->field_count;
    visit_fields(c, true, index, visit, ctx);
}

// ---- values ----
typedef struct Values { // of one object
    const TiWalk *walk;
    Object *object;
    bool of_class;
    jlong tag, class_tag;
    bool aborted;
    jvmtiError error; // OUT_OF_MEMORY: no room for the characters of a string
} Values;

static void report_field(void *ctx, const Field *f, jint index)
{
    Values *v = ctx;
    if (v->aborted || kind_is_reference(f->kind))
        return;
    jvmtiHeapReferenceInfo info = {.field = {index}};
    jvmtiHeapReferenceKind kind =
        v->of_class ? JVMTI_HEAP_REFERENCE_STATIC_FIELD : JVMTI_HEAP_REFERENCE_FIELD;
    jvalue value = memory_get(NULL, v->object, f->offset, f->kind, false);
    jint rc = v->walk->callbacks.primitive_field_callback(kind, &info, v->class_tag, &v->tag,
                                                          value, (jvmtiPrimitiveType)f->kind,
                                                          v->walk->user_data);
    v->aborted = (rc & JVMTI_VISIT_ABORT) != 0;
}

static void report_fields(Values *v, const Class *c)
{
    const Class *mirrored = ti_mirrored_class(v->object);
    if (mirrored && (mirrored->kind != 'L' || class_state(mirrored) < CLASS_LINKED))
        return;
    v->of_class = mirrored != NULL;
    ti_each_field(mirrored ? mirrored : c, v->of_class, report_field, v);
}

static void report_string(Values *v)
{
    int32_t len = string_length(v->object);
    jchar *chars = malloc(((size_t)len + 1) * sizeof *chars);
    if (!chars) {
        v->error = JVMTI_ERROR_OUT_OF_MEMORY;
        return;
    }
    string_get_utf16(v->object, 0, len, chars);
    jint rc = v->walk->callbacks.string_primitive_value_callback(
        v->class_tag, (jlong)object_size(v->object), &v->tag, chars, len, v->walk->user_data);
    vm_free(chars);
    v->aborted = (rc & JVMTI_VISIT_ABORT) != 0;
}

static void report_array(Values *v, const Class *c)
{
    jint rc = v->walk->callbacks.array_primitive_value_callback(
        v->class_tag, (jlong)object_size(v->object), &v->tag, array_length(v->object),
        (jvmtiPrimitiveType)c->element->kind, array_data(v->object), v->walk->user_data);
    v->aborted = (rc & JVMTI_VISIT_ABORT) != 0;
}

bool ti_report_values(TiWalk *w, Object *o)
{
    const Class *c = object_class(o);
    const jvmtiHeapCallbacks *call = &w->callbacks;
    bool is_string =
        c == CLS(String) && call->string_primitive_value_callback && string_has_value(o);
    bool is_array = c->layout.shape == SHAPE_PRIM_ARRAY && call->array_primitive_value_callback;
    bool has_fields = !class_is_array(c) && call->primitive_field_callback;
    if (!is_string && !is_array && !has_fields)
        return true;
    jlong before = ti_tag_get(w->tagger.env, o);
    Values v = {
        .walk = w, .object = o, .tag = before, .class_tag = ti_tag_of_class(&w->tagger, o)};
    if (has_fields)
        report_fields(&v, c);
    if (is_string && !v.aborted)
        report_string(&v);
    if (v.error)
        w->tagger.error = v.error;
    if (is_array)
        report_array(&v, c);
    ti_tag_update(&w->tagger, o, before, v.tag);
    return !v.aborted && !w->tagger.error;
}

// ---- all objects ----
typedef struct AllObjects {
    TiWalk walk;
    bool aborted;
} AllObjects;

static void visit_object(void *ctx, Object *o)
{
    AllObjects *all = ctx;
    TiWalk *w = &all->walk;
    if (all->aborted || ti_is_filtered(w, o))
        return;
    if (w->callbacks.heap_iteration_callback) {
        jlong before = ti_tag_get(w->tagger.env, o), tag = before;
        jint rc = w->callbacks.heap_iteration_callback(ti_tag_of_class(&w->tagger, o),
                                                       (jlong)object_size(o), &tag,
                                                       ti_length_of(o), w->user_data);
        ti_tag_update(&w->tagger, o, before, tag);
        all->aborted = (rc & JVMTI_VISIT_ABORT) != 0 || w->tagger.error;
    }
    if (w->values && !all->aborted)
        all->aborted = !ti_report_values(w, o);
}

jvmtiError ti_IterateThroughHeap(Thread *self, TiEnv *env, jint heap_filter, Class *klass,
                                 const jvmtiHeapCallbacks *callbacks, const void *user_data)
{
    if (klass && class_is_primitive(klass))
        return JVMTI_ERROR_NONE;
    AllObjects all = {ti_walk(env, heap_filter, klass, callbacks, user_data), false};
    world_stop(self);
    bool settled = frames_settle();
    if (settled)
        heap_each_object(visit_object, &all);
    world_resume(self);
    return settled ? all.walk.tagger.error : JVMTI_ERROR_OUT_OF_MEMORY;
}

// ---- version 1.0 ----
typedef struct OldWalk {
    TiTagger tagger;
    Class *klass; // instances of it and its subclasses; NULL: all
    jvmtiHeapObjectFilter filter;
    jvmtiHeapObjectCallback callback;
    void *user_data;
    bool aborted;
} OldWalk;

static void visit_old(void *ctx, Object *o)
{
    OldWalk *w = ctx;
    if (w->aborted || (w->klass && !object_is_instance(o, w->klass)))
        return;
    jlong before = ti_tag_get(w->tagger.env, o), tag = before;
    if (!(w->filter & (before ? JVMTI_HEAP_OBJECT_TAGGED : JVMTI_HEAP_OBJECT_UNTAGGED)))
        return;
    jvmtiIterationControl rc =
        w->callback(ti_tag_of_class(&w->tagger, o), (jlong)object_size(o), &tag, w->user_data);
    ti_tag_update(&w->tagger, o, before, tag);
    w->aborted = rc == JVMTI_ITERATION_ABORT || w->tagger.error;
}

static jvmtiError walk_old(Thread *self, OldWalk walk)
{
    if (walk.filter < JVMTI_HEAP_OBJECT_TAGGED || walk.filter > JVMTI_HEAP_OBJECT_EITHER)
        return JVMTI_ERROR_ILLEGAL_ARGUMENT;
    world_stop(self);
    bool settled = frames_settle();
    if (settled)
        heap_each_object(visit_old, &walk);
    world_resume(self);
    return settled ? walk.tagger.error : JVMTI_ERROR_OUT_OF_MEMORY;
}

jvmtiError ti_IterateOverHeap(Thread *self, TiEnv *env, jvmtiHeapObjectFilter object_filter,
                              jvmtiHeapObjectCallback heap_object_callback,
                              const void *user_data)
{
    OldWalk walk = {
        {.env = env}, NULL, object_filter, heap_object_callback, (void *)(uintptr_t)user_data,
        false};
    return walk_old(self, walk);
}

jvmtiError ti_IterateOverInstancesOfClass(Thread *self, TiEnv *env, Class *klass,
                                          jvmtiHeapObjectFilter object_filter,
                                          jvmtiHeapObjectCallback heap_object_callback,
                                          const void *user_data)
{
    if (class_is_primitive(klass))
        return JVMTI_ERROR_NONE;
    OldWalk walk = {
        {.env = env}, klass, object_filter, heap_object_callback, (void *)(uintptr_t)user_data,
        false};
    return walk_old(self, walk);
}
