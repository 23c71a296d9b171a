// SPDX-License-Identifier: Apache-2.0
// See ti_edges.h. The VM holds some objects by global handles of its own: mirrors, loaders,
// modules, threads, constants. Those are distinguished from JNI global references by their handles.
#include "jvmti/tags/ti_edges.h"

#include "class/vm_classes.h"
#include "frame/frame_roots.h"
#include "frame/held_monitors.h"
#include "link/resolve.h"

typedef struct Edges {
    TiEdgeVisitor visit;
    void *ctx;
    bool ended;
    TiEdge edge; // the one under way; `from` and `thread` stay
} Edges;

static void emit(Edges *e, jvmtiHeapReferenceKind kind, Object *to)
{
    if (!to || e->ended)
        return;
    e->edge.kind = kind;
    e->edge.to = to;
    e->ended = !e->visit(e->ctx, &e->edge);
}

// ---- reference fields of classes met lately ----
typedef struct RefField {
    uint32_t offset;
    jint index;
} RefField;
typedef struct RefFields { // of instances
    const Class *cls;
    VEC(RefField) list;
} RefFields;

enum { REF_FIELDS = 64 };
static RefFields ref_fields[REF_FIELDS]; // of the walk under way, which stops the world

void ti_edges_begin(void)
{
    memset(ref_fields, 0, sizeof ref_fields);
}

void ti_edges_end(void)
{
    for (size_t i = 0; i < REF_FIELDS; i++)
        vec_free(&ref_fields[i].list);
}

static void add_ref_field(void *ctx, const Field *f, jint index)
{
    RefFields *r = ctx;
    if (kind_is_reference(f->kind))
        vec_push(&r->list, ((RefField){f->offset, index}));
}

static const RefFields *ref_fields_of(const Class *c)
{
    RefFields *r = &ref_fields[(uintptr_t)c / 64 % REF_FIELDS];
    if (r->cls != c) {
        r->cls = c;
        r->list.len = 0;
        ti_each_field(c, false, add_ref_field, r);
    }
    return r;
}

// ---- out of objects ----
static void emit_field(Edges *e, jvmtiHeapReferenceKind kind, uint32_t offset, jint index)
{
    e->edge.info.field.index = index;
    emit(e, kind, object_get_ref(e->edge.from, offset));
}

// Fields are reported from the last to the first, as on HotSpot: no order is specified, but agents that keep one
// reference of several to an object show that one.
static void emit_fields(Edges *e, jvmtiHeapReferenceKind kind, const RefFields *r)
{
    for (size_t i = r->list.len; i-- > 0;)
        emit_field(e, kind, r->list.at[i].offset, r->list.at[i].index);
}

static void emit_statics(Edges *e, const Class *c)
{
    RefFields r = {.cls = c};
    ti_each_field(c, true, add_ref_field, &r);
    emit_fields(e, JVMTI_HEAP_REFERENCE_STATIC_FIELD, &r);
    vec_free(&r.list);
}

static void emit_constants(Edges *e, const Class *c)
{
    for (uint32_t i = 1; c->cf && i < c->cf->cp_count; i++) {
        e->edge.info.constant_pool.index = (jint)i;
        emit(e, JVMTI_HEAP_REFERENCE_CONSTANT_POOL, constant_object(c, i));
    }
}

// Of a class that is linked. Others refer to nothing, and no class to the fields of its
// java.lang.Class object: tools (hprof of JDK 8) take it so.
static void emit_class(Edges *e, const Class *c)
{
    const Object *mirror = e->edge.from;
    if (c->super && c->super != CLS(Object))
        emit(e, JVMTI_HEAP_REFERENCE_SUPERCLASS, class_mirror(c->super));
    if (c->loader)
        emit(e, JVMTI_HEAP_REFERENCE_CLASS_LOADER, deref(c->loader->java_loader));
    emit(e, JVMTI_HEAP_REFERENCE_PROTECTION_DOMAIN,
         object_get_ref(mirror, OFF(Class, protection_domain)));
    emit(e, JVMTI_HEAP_REFERENCE_SIGNERS, object_get_ref(mirror, OFF(Class, signers)));
    emit_constants(e, c);
    for (uint32_t i = 0; i < c->interface_count; i++)
        emit(e, JVMTI_HEAP_REFERENCE_INTERFACE, class_mirror(c->interfaces[i]));
    emit_statics(e, c);
}

static void emit_elements(Edges *e, const Object *array)
{
    for (int32_t i = 0, n = array_length(array); i < n && !e->ended; i++) {
        e->edge.info.array.index = i;
        emit(e, JVMTI_HEAP_REFERENCE_ARRAY_ELEMENT, array_get_ref(array, i));
    }
}

bool ti_each_edge(Object *o, TiEdgeVisitor visit, void *ctx)
{
    Edges e;
    e.visit = visit;
    e.ctx = ctx;
    e.ended = false;
    e.edge.from = o;
    e.edge.thread = NULL;
    const Class *c = object_class(o);
    if (c->layout.shape == SHAPE_MIRROR) {
        const Class *mirrored = ti_mirrored_class(o);
        if (mirrored && mirrored->kind == 'L' && class_state(mirrored) >= CLASS_LINKED)
            emit_class(&e, mirrored);
        return !e.ended;
    }
    emit(&e, JVMTI_HEAP_REFERENCE_CLASS, class_mirror(c));
    if (class_is_reference_array(c)) {
        emit_elements(&e, o);
    } else if (c->layout.shape < SHAPE_REF_ARRAY) {
        emit_fields(&e, JVMTI_HEAP_REFERENCE_FIELD, ref_fields_of(c));
    }
    return !e.ended;
}

// ---- globals ----
typedef struct Roots {     // collected under locks, emitted later
    TiHandles builtin;     // loaders that are never unloaded, and their modules
    VEC(Object *) globals; // JNI global references, then those of the VM
} Roots;

// Other loaders live by what refers to them.
static void add_loader(void *ctx, Loader *l)
{
    if (l->loader_data.immortal)
        vec_push(&((Roots *)ctx)->builtin, l->java_loader);
}

static void add_module(void *ctx, Module *m)
{
    if (m->loader->loader_data.immortal)
        vec_push(&((Roots *)ctx)->builtin, m->module);
}

static void add_global(void *ctx, Object **slot)
{
    vec_push(&((Roots *)ctx)->globals, *slot);
}

// The VM's own, but for those by which it holds the threads: they are roots of their own kind.
static void add_own_global(void *ctx, Object **slot)
{
    THREAD_EACH(t)
    if (t->java_thread && handle_slot(t->java_thread) == slot)
        return;
    add_global(ctx, slot);
}

static void emit_globals(Edges *e)
{
    Roots r = {0};
    globals_visit_jni(add_global, &r);
    size_t jni = r.globals.len;
    globals_visit_own(add_own_global, &r);
    loaders_each(add_loader, &r);
    modules_each(add_module, &r);
    for (size_t i = 0; i < r.globals.len; i++)
        emit(e, i < jni ? JVMTI_HEAP_REFERENCE_JNI_GLOBAL : JVMTI_HEAP_REFERENCE_OTHER,
             r.globals.at[i]);
    for (size_t i = 0; i < r.builtin.len; i++)
        emit(e, JVMTI_HEAP_REFERENCE_OTHER, deref(r.builtin.at[i]));
    vec_free(&r.builtin);
    vec_free(&r.globals);
}

static const char primitive_kinds[] = "ZCFDBSIJV";

static void emit_system_classes(Edges *e)
{
    for (const Class *c = loader_boot->defined; c; c = c->next_in_loader)
        if (c->mirror)
            emit(e, JVMTI_HEAP_REFERENCE_SYSTEM_CLASS, class_mirror(c));
    for (const char *kind = primitive_kinds; *kind; kind++)
        emit(e, JVMTI_HEAP_REFERENCE_SYSTEM_CLASS, class_mirror(class_primitive(*kind)));
}

// ---- stacks ----
typedef struct StackRoots {
    Edges *edges;
    jlong id; // of the thread
} StackRoots;

// A native method's arguments, its class or receiver among them, are none, as on HotSpot: else every object
// that an agent's own native method is given would be held by the call that looks for who holds it.
static void emit_stack_root(void *ctx, Object **slot, const FrameRoot *root)
{
    const StackRoots *s = ctx;
    jvmtiHeapReferenceKind kind = JVMTI_HEAP_REFERENCE_STACK_LOCAL;
    jvmtiHeapReferenceInfo *info = &s->edges->edge.info;
    jmethodID method = root->method ? method_id(root->method) : NULL;
    switch (root->kind) {
    case FRAME_ROOT_ARGUMENT: return;
    case FRAME_ROOT_VM: kind = JVMTI_HEAP_REFERENCE_OTHER; break;
    case FRAME_ROOT_HANDLE:
        kind = JVMTI_HEAP_REFERENCE_JNI_LOCAL;
        info->jni_local =
            (jvmtiHeapReferenceInfoJniLocal){0, s->id, MAX_OF(root->depth, 0), method};
        break;
    default:
        info->stack_local = (jvmtiHeapReferenceInfoStackLocal){0,      s->id,     root->depth,
                                                               method, root->bci, root->index};
    }
    emit(s->edges, kind, *slot);
}

static void emit_monitor(void *ctx, const HeldMonitor *m)
{
    emit(ctx, JVMTI_HEAP_REFERENCE_MONITOR, m->object);
}

static void emit_thread(Edges *e, Thread *t)
{
    Object *java_thread = deref(t->java_thread);
    StackRoots s = {.edges = e,
                    .id = java_thread ? object_get_long(java_thread, OFF(Thread, tid)) : 0};
    e->edge.thread = java_thread;
    emit(e, JVMTI_HEAP_REFERENCE_THREAD, java_thread);
    frames_visit_roots(t, emit_stack_root, &s);
    frames_visit_handles(t, emit_stack_root, &s);
    emit(e, JVMTI_HEAP_REFERENCE_OTHER, t->exception);
    thread_monitors_each(t, emit_monitor, e);
    e->edge.thread = NULL;
}

bool ti_each_root(TiEdgeVisitor visit, void *ctx)
{
    Edges edges = {.visit = visit, .ctx = ctx};
    emit_system_classes(&edges);
    emit_globals(&edges);
    THREAD_EACH(t)
    emit_thread(&edges, t);
    return !edges.ended;
}
