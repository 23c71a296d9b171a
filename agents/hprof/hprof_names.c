// SPDX-License-Identifier: Apache-2.0
// What the events name: classes, methods, threads; and the traces made of them. Methods and
// traces stay for ever, since reports name them later.
#include <stdlib.h>
#include <string.h>

#include "hprof/hprof.h"

ClassName *all_classes;
ThreadName *all_threads;
Trace **all_traces;
uint32_t trace_count;

enum { BUCKETS = 1 << 14 };
static Map classes, methods, threads;
static Map thread_objects; // jobjectID -> ThreadName
static Trace *buckets[BUCKETS];
static uint32_t class_serial, thread_serial, trace_max;

// ---- classes ----
static uint8_t type_of(const char *signature)
{
    static const char kinds[] = "ZCFDBSIJ"; // from JVMPI_BOOLEAN on
    const char *at = strchr(kinds, *signature);
    return at ? (uint8_t)(JVMPI_BOOLEAN + (at - kinds)) : (uint8_t)JVMPI_CLASS;
}

static FieldName *fields_copy(const JVMPI_Field *fields, int count)
{
    FieldName *copy = must_alloc((size_t)count * sizeof *copy);
    for (int i = 0; i < count; i++)
        copy[i] =
            (FieldName){must_copy(fields[i].field_name), type_of(fields[i].field_signature)};
    return copy;
}

void class_add(const JVMPI_Event *e)
{
    ASSERT_LOCKED();
    if (map_get(&classes, (uintptr_t)e->u.class_load.class_id))
        return;
    ClassName *c = must_alloc(sizeof *c);
    c->id = e->u.class_load.class_id;
    c->serial = ++class_serial;
    c->name = must_copy(e->u.class_load.class_name);
    c->source = e->u.class_load.source_name ? must_copy(e->u.class_load.source_name) : NULL;
    c->interfaces = e->u.class_load.num_interfaces;
    c->static_count = e->u.class_load.num_static_fields;
    c->field_count = e->u.class_load.num_instance_fields;
    c->statics = fields_copy(e->u.class_load.statics, c->static_count);
    c->fields = fields_copy(e->u.class_load.instances, c->field_count);
    c->next = all_classes;
    all_classes = c;
    map_put(&classes, (uintptr_t)c->id, c, 0);
    for (jint i = 0; i < e->u.class_load.num_methods; i++) {
        const JVMPI_Method *from = &e->u.class_load.methods[i];
        MethodName *m = must_alloc(sizeof *m);
        *m = (MethodName){c, must_copy(from->method_name), must_copy(from->method_signature)};
        map_put(&methods, (uintptr_t)from->method_id, m, 0);
    }
}

void class_remove(jobjectID id)
{
    ASSERT_LOCKED();
    ClassName *c = map_get(&classes, (uintptr_t)id);
    if (!c)
        return;
    write_class_end(c);
    c->id = NULL;
    map_remove(&classes, (uintptr_t)id);
    ClassName **at = &all_classes;
    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
}

void class_moved(jobjectID from, jobjectID to)
{
    ASSERT_LOCKED();
    ClassName *c = map_get(&classes, (uintptr_t)from);
    if (!c)
        return;
    map_remove(&classes, (uintptr_t)from);
    c->id = to;
    map_put(&classes, (uintptr_t)to, c, 0);
}

ClassName *class_find(jobjectID id)
{
    return map_get(&classes, (uintptr_t)id);
}

static bool is_array_name(const char *name, const char *element)
{
    size_t len = strlen(element);
    if (name[0] != '[')
        return false;
    if (element[0] == '[')
        return strcmp(name + 1, element) == 0;
    return name[1] == 'L' && strncmp(name + 2, element, len) == 0 && name[2 + len] == ';'
           && name[3 + len] == 0;
}

ClassName *class_of_array(ClassName *element)
{
    for (ClassName *c = all_classes; c && !element->array; c = c->next)
        if (c->loader == element->loader && is_array_name(c->name, element->name))
            element->array = c;
    return element->array;
}

const MethodName *method_find(jmethodID id)
{
    return map_get(&methods, (uintptr_t)id);
}

// ---- threads ----
ThreadName *thread_add(const JVMPI_Event *e)
{
    ASSERT_LOCKED();
    JNIEnv *env = e->u.thread_start.thread_env_id;
    ThreadName *known = thread_find(env);
    if (known)
        return known;
    ThreadName *t = must_alloc(sizeof *t);
    t->env = env;
    t->object = e->u.thread_start.thread_id;
    t->serial = ++thread_serial;
    const char *parent = e->u.thread_start.parent_name;
    t->name = must_copy(e->u.thread_start.thread_name ? e->u.thread_start.thread_name : "");
    t->group = must_copy(e->u.thread_start.group_name ? e->u.thread_start.group_name : "");
    t->parent = must_copy(parent ? parent : "");
    t->next = all_threads;
    all_threads = t;
    map_put(&threads, (uintptr_t)env, t, 0);
    map_put(&thread_objects, (uintptr_t)t->object, t, 0);
    write_thread(t);
    return t;
}

void thread_remove(JNIEnv *env)
{
    ASSERT_LOCKED();
    ThreadName *t = thread_find(env);
    if (!t)
        return;
    write_thread_end(t);
    map_remove(&threads, (uintptr_t)env);
    map_remove(&thread_objects, (uintptr_t)t->object);
    ThreadName **at = &all_threads;
    while (*at != t)
        at = &(*at)->next;
    *at = t->next;
    times_end(t);
    free(t->name);
    free(t->group);
    free(t->parent);
    free(t);
}

ThreadName *thread_find(JNIEnv *env)
{
    return map_get(&threads, (uintptr_t)env);
}

void thread_moved(jobjectID from, jobjectID to)
{
    ASSERT_LOCKED();
    ThreadName *t = map_get(&thread_objects, (uintptr_t)from);
    if (!t)
        return;
    map_remove(&thread_objects, (uintptr_t)from);
    t->object = to;
    map_put(&thread_objects, (uintptr_t)to, t, 0);
}

// ---- traces ----
int stack_take(JNIEnv *env, JVMPI_CallFrame *frames)
{
    assert(hprof.options.depth <= DEPTH_MAX); // so much room the frames have
    JVMPI_CallTrace trace = {env, 0, frames};
    if (hprof.options.depth > 0)
        hprof.vm->GetCallTrace(&trace, hprof.options.depth);
    return trace.num_frames;
}

static uint64_t hash_of(const TraceFrame *frames, int count, uint32_t thread)
{
    uint64_t h = thread + (uint64_t)count * 31;
    for (int i = 0; i < count; i++)
        h = (h ^ ((uintptr_t)frames[i].method >> 3) ^ (uint64_t)(uint32_t)frames[i].line << 40)
            * 0x9E3779B97F4A7C15u;
    return h ^ h >> 33;
}

static bool is_same(const Trace *t, const TraceFrame *frames, int count, uint32_t thread)
{
    if (t->count != count || t->thread != thread)
        return false;
    for (int i = 0; i < count; i++)
        if (t->frames[i].method != frames[i].method || t->frames[i].line != frames[i].line)
            return false;
    return true;
}

static void list_add(Trace *t)
{
    if (trace_count == trace_max) {
        trace_max = trace_max ? trace_max * 2 : FILENAME_MAX;
        Trace **grown = must_alloc(trace_max * sizeof *grown);
        if (trace_count)
            memcpy(grown, all_traces, trace_count * sizeof *grown);
        free(all_traces);
        all_traces = grown;
    }
    all_traces[trace_count++] = t;
    t->serial = trace_count;
}

static Trace *trace_with(const TraceFrame *frames, int count, uint32_t serial)
{
    ASSERT_LOCKED();
    assert(count <= DEPTH_MAX);
    Trace **bucket = &buckets[hash_of(frames, count, serial) % BUCKETS];
    for (Trace *t = *bucket; t; t = t->next)
        if (is_same(t, frames, count, serial))
            return t;
    Trace *made = must_alloc(sizeof *made + (size_t)count * sizeof *frames);
    made->thread = serial;
    made->count = count;
    for (int i = 0; i < count; i++)
        made->frames[i] = frames[i];
    made->next = *bucket;
    *bucket = made;
    list_add(made);
    return made;
}

Trace *trace_of_frames(const TraceFrame *frames, int count, const ThreadName *thread)
{
    return trace_with(frames, count, hprof.options.threads && thread ? thread->serial : 0);
}

static void name_frames(TraceFrame *named, const JVMPI_CallFrame *frames, int count)
{
    for (int i = 0; i < count; i++)
        named[i] = (TraceFrame){method_find(frames[i].method_id),
                                hprof.options.line_numbers ? frames[i].lineno : -1};
}

Trace *trace_of(const JVMPI_CallFrame *frames, int count, const ThreadName *thread)
{
    TraceFrame named[DEPTH_MAX];
    name_frames(named, frames, count);
    return trace_of_frames(named, count, thread);
}

Trace *trace_of_thread(const JVMPI_CallTrace *stack)
{
    TraceFrame named[DEPTH_MAX];
    const ThreadName *t = thread_find(stack->env_id);
    int count = stack->num_frames < DEPTH_MAX ? stack->num_frames : DEPTH_MAX;
    name_frames(named, stack->frames, count);
    return trace_with(named, count, t ? t->serial : 0);
}
