// SPDX-License-Identifier: Apache-2.0
// Walks along the references, from the roots or an object (JVM TI, Follow References and its
// forerunners of 1.0). Each object is expanded once; the callback is called for each reference.
// Objects seen stand in a bitmap, those to expand on a list.
#include <stdlib.h>

#include "jvmti/generated/decl.h"
#include "jvmti/tags/ti_edges.h"

typedef struct Graph {
    uint64_t *seen; // a bit for each 8 bytes of the heap, as far as objects were met
    size_t words;
    VEC(Object *) todo;
    bool no_memory; // for one of the two: the walk ends
} Graph;

static void graph_init(Graph *g)
{
    *g = (Graph){0};
    ti_edges_begin();
}

// At first for the whole heap, and a guard page before it: the system gives such memory when it is
// touched, and new objects lie at the heap's end.
static bool seen_grow(Graph *g, size_t word)
{
    HeapStats stats;
    heap_stats(&stats);
    size_t all = (stats.max + os_page_size()) / (OBJECT_ALIGN * 64) + 1;
    size_t words = MAX_OF(word + 1, g->words ? g->words * 2 : all);
    uint64_t *seen = calloc(words, sizeof *seen);
    if (!seen)
        return false;
    if (g->words)
        memcpy(seen, g->seen, g->words * sizeof *seen);
    vm_free(g->seen);
    g->seen = seen;
    g->words = words;
    return true;
}

static bool todo_grow(Graph *g)
{
    size_t cap = MAX_OF(g->todo.cap * 2, (size_t)1024);
    Object **at = realloc(g->todo.at, cap * sizeof *at);
    if (!at)
        return false;
    g->todo.at = at;
    g->todo.cap = cap;
    return true;
}

static void graph_free(Graph *g)
{
    vm_free(g->seen);
    vec_free(&g->todo);
    ti_edges_end();
}

static inline void graph_push(Graph *g, Object *o)
{
    size_t at = ((uintptr_t)o - heap_start) / OBJECT_ALIGN;
    if (UNLIKELY((at / 64 >= g->words && !seen_grow(g, at / 64))
                 || (g->todo.len == g->todo.cap && !todo_grow(g)))) {
        g->no_memory = true;
        return;
    }
    if (g->seen[at / 64] >> at % 64 & 1)
        return;
    g->seen[at / 64] |= 1ull << at % 64;
    vec_push(&g->todo, o);
}

// Tags around a callback: read before, stored after, one cell when both are of the same object.
typedef struct EdgeTags {
    jlong to, from, to_before, from_before;
    jlong *from_cell; // NULL: a root
} EdgeTags;

static inline void tags_read(TiEnv *env, const TiEdge *edge, EdgeTags *t)
{
    t->to = t->to_before = ti_tag_get(env, edge->to);
    t->from = t->from_before = edge->from ? ti_tag_get(env, edge->from) : 0;
    t->from_cell = !edge->from ? NULL : edge->from == edge->to ? &t->to : &t->from;
}

static inline void tags_store(TiTagger *tagger, const TiEdge *edge, const EdgeTags *t)
{
    ti_tag_update(tagger, edge->to, t->to_before, t->to);
    if (edge->from && edge->from != edge->to)
        ti_tag_update(tagger, edge->from, t->from_before, t->from);
}

// ---- FollowReferences ----
typedef struct Follow {
    TiWalk walk;
    Graph graph;
} Follow;

static bool has_info(jvmtiHeapReferenceKind kind)
{
    const uint32_t kinds =
        1u << JVMTI_HEAP_REFERENCE_FIELD | 1u << JVMTI_HEAP_REFERENCE_STATIC_FIELD
        | 1u << JVMTI_HEAP_REFERENCE_ARRAY_ELEMENT | 1u << JVMTI_HEAP_REFERENCE_CONSTANT_POOL
        | 1u << JVMTI_HEAP_REFERENCE_STACK_LOCAL | 1u << JVMTI_HEAP_REFERENCE_JNI_LOCAL;
    return kinds >> kind & 1;
}

static void add_thread_tag(TiEnv *env, TiEdge *edge)
{
    jlong tag = ti_tag_get(env, edge->thread);
    if (edge->kind == JVMTI_HEAP_REFERENCE_STACK_LOCAL)
        edge->info.stack_local.thread_tag = tag;
    else if (edge->kind == JVMTI_HEAP_REFERENCE_JNI_LOCAL)
        edge->info.jni_local.thread_tag = tag;
}

static jint call_reference(TiWalk *w, TiEdge *edge)
{
    EdgeTags tags;
    tags_read(w->tagger.env, edge, &tags);
    if (edge->thread)
        add_thread_tag(w->tagger.env, edge);
    jint rc = w->callbacks.heap_reference_callback(
        edge->kind, has_info(edge->kind) ? &edge->info : NULL,
        ti_tag_of_class(&w->tagger, edge->to),
        edge->from ? ti_tag_of_class(&w->tagger, edge->from) : 0, (jlong)object_size(edge->to),
        &tags.to, tags.from_cell, ti_length_of(edge->to), w->user_data);
    tags_store(&w->tagger, edge, &tags);
    return rc;
}

static bool follow_edge(void *ctx, TiEdge *edge)
{
    Follow *f = ctx;
    jint rc = JVMTI_VISIT_OBJECTS;
    if (f->walk.callbacks.heap_reference_callback && !ti_is_filtered(&f->walk, edge->to))
        rc = call_reference(&f->walk, edge);
    if ((rc & JVMTI_VISIT_ABORT) || f->walk.tagger.error)
        return false;
    if (rc & JVMTI_VISIT_OBJECTS)
        graph_push(&f->graph, edge->to);
    return !f->graph.no_memory;
}

static void follow_all(Follow *f)
{
    bool more = true;
    while (more && f->graph.todo.len > 0) {
        Object *o = f->graph.todo.at[--f->graph.todo.len];
        if (f->walk.values && !ti_is_filtered(&f->walk, o))
            more = ti_report_values(&f->walk, o);
        more = more && ti_each_edge(o, follow_edge, f);
    }
}

jvmtiError ti_FollowReferences(Thread *self, TiEnv *env, jint heap_filter, Class *klass,
                               jobject initial_object, const jvmtiHeapCallbacks *callbacks,
                               const void *user_data)
{
    if (initial_object && !deref(initial_object))
        return JVMTI_ERROR_INVALID_OBJECT;
    if (klass && class_is_primitive(klass))
        return JVMTI_ERROR_NONE;
    Follow f = {.walk = ti_walk(env, heap_filter, klass, callbacks, user_data)};
    world_stop(self);
    graph_init(&f.graph);
    bool more = frames_settle();
    f.graph.no_memory = !more;
    if (more && initial_object)
        graph_push(&f.graph, deref(initial_object));
    else if (more)
        more = ti_each_root(follow_edge, &f);
    if (more)
        follow_all(&f);
    graph_free(&f.graph);
    world_resume(self);
    return f.graph.no_memory ? JVMTI_ERROR_OUT_OF_MEMORY : f.walk.tagger.error;
}

// ---- version 1.0 ----
typedef struct OldFollow {
    TiTagger tagger;
    jvmtiHeapRootCallback root;
    jvmtiStackReferenceCallback stack;
    jvmtiObjectReferenceCallback object;
    void *user_data;
    Graph graph;
} OldFollow;

static jvmtiIterationControl call_old_stack(const OldFollow *f, const TiEdge *edge,
                                            EdgeTags *tags, jlong class_tag, jlong size)
{
    jlong thread_tag = edge->thread ? ti_tag_get(f->tagger.env, edge->thread) : 0;
    if (edge->kind == JVMTI_HEAP_REFERENCE_JNI_LOCAL)
        return f->stack(JVMTI_HEAP_ROOT_JNI_LOCAL, class_tag, size, &tags->to, thread_tag,
                        edge->info.jni_local.depth, edge->info.jni_local.method, -1,
                        f->user_data);
    return f->stack(JVMTI_HEAP_ROOT_STACK_LOCAL, class_tag, size, &tags->to, thread_tag,
                    edge->info.stack_local.depth, edge->info.stack_local.method,
                    edge->info.stack_local.slot, f->user_data);
}

static jvmtiIterationControl call_old_object(const OldFollow *f, const TiEdge *edge,
                                             EdgeTags *tags, jlong class_tag, jlong size)
{
    jint index = -1;
    jvmtiObjectReferenceKind kind = (jvmtiObjectReferenceKind)edge->kind;
    if (edge->kind == JVMTI_HEAP_REFERENCE_SUPERCLASS)
        kind = JVMTI_REFERENCE_CLASS; // there is no other; HotSpot says this one, too
    else if (edge->kind == JVMTI_HEAP_REFERENCE_ARRAY_ELEMENT)
        index = edge->info.array.index;
    else if (edge->kind == JVMTI_HEAP_REFERENCE_CONSTANT_POOL)
        index = edge->info.constant_pool.index;
    else if (has_info(edge->kind))
        index = edge->info.field.index;
    return f->object(kind, class_tag, size, &tags->to, tags->from, index, f->user_data);
}

// The kinds of roots are numbered alike in both versions, from 1 and from 21; those of
// references are the same, but for superclasses.
static jvmtiIterationControl call_old(OldFollow *f, const TiEdge *edge)
{
    EdgeTags tags;
    tags_read(f->tagger.env, edge, &tags);
    jlong class_tag = ti_tag_of_class(&f->tagger, edge->to),
          size = (jlong)object_size(edge->to);
    bool on_stack = edge->kind == JVMTI_HEAP_REFERENCE_STACK_LOCAL
                    || edge->kind == JVMTI_HEAP_REFERENCE_JNI_LOCAL;
    jvmtiIterationControl rc = JVMTI_ITERATION_CONTINUE;
    if (edge->from)
        rc = call_old_object(f, edge, &tags, class_tag, size);
    else if (!edge->from && on_stack && f->stack)
        rc = call_old_stack(f, edge, &tags, class_tag, size);
    else if (!edge->from && !on_stack && f->root)
        rc = f->root((jvmtiHeapRootKind)(edge->kind - JVMTI_HEAP_REFERENCE_JNI_GLOBAL
                                         + JVMTI_HEAP_ROOT_JNI_GLOBAL),
                     class_tag, size, &tags.to, f->user_data);
    tags.from = tags.from_before; // could not be changed
    tags_store(&f->tagger, edge, &tags);
    return rc;
}

static bool follow_old_edge(void *ctx, TiEdge *edge)
{
    OldFollow *f = ctx;
    jvmtiIterationControl rc = call_old(f, edge);
    if (rc == JVMTI_ITERATION_CONTINUE)
        graph_push(&f->graph, edge->to);
    return rc != JVMTI_ITERATION_ABORT && !f->tagger.error && !f->graph.no_memory;
}

static jvmtiError follow_old(Thread *self, OldFollow *f, jobject start)
{
    world_stop(self);
    graph_init(&f->graph);
    bool more = frames_settle();
    f->graph.no_memory = !more;
    if (more && start)
        graph_push(&f->graph, deref(start));
    else if (more)
        more = ti_each_root(follow_old_edge, f);
    while (more && f->object && f->graph.todo.len > 0)
        more = ti_each_edge(f->graph.todo.at[--f->graph.todo.len], follow_old_edge, f);
    graph_free(&f->graph);
    world_resume(self);
    return f->graph.no_memory ? JVMTI_ERROR_OUT_OF_MEMORY : f->tagger.error;
}

jvmtiError ti_IterateOverObjectsReachableFromObject(
    Thread *self, TiEnv *env, jobject object,
    jvmtiObjectReferenceCallback object_reference_callback, const void *user_data)
{
    OldFollow f = {.tagger = {.env = env},
                   .object = object_reference_callback,
                   .user_data = (void *)(uintptr_t)user_data};
    return follow_old(self, &f, object);
}

jvmtiError ti_IterateOverReachableObjects(Thread *self, TiEnv *env,
                                          jvmtiHeapRootCallback heap_root_callback,
                                          jvmtiStackReferenceCallback stack_ref_callback,
                                          jvmtiObjectReferenceCallback object_ref_callback,
                                          const void *user_data)
{
    OldFollow f = {{.env = env},        heap_root_callback,           stack_ref_callback,
                   object_ref_callback, (void *)(uintptr_t)user_data, {0}};
    return follow_old(self, &f, NULL);
}
