// SPDX-License-Identifier: Apache-2.0
// See graph_assumptions.h.
#include "jit/graph_assumptions.h"

#include "class/loader.h"
#include "event/event.h"
#include "interp/breakpoint.h"
#include "java/java_object.h"
#include "redefine/class_version.h"

static void add(Assumptions *out, AssumptionKind kind, const void *object, const void *value)
{
    vec_push(out, ((Assumption){kind, object, value}));
}

// No breakpoint was set since the graph was begun: see let_world_stop.
static void add_body(const Method *m, Assumptions *out)
{
    add(out, ASSUME_METHOD_BODY, m, m->pool);
    add(out, ASSUME_METHOD_BREAKPOINTS, m, ASSUMED_NUMBER(breakpoints_set()));
}

static void add_of_node(const Graph *g, const Node *n, Assumptions *out)
{
    if (n->op == IR_LoadField)
        add(out, ASSUME_FIELD_UNWATCHED, ir_pointer(g, n), ASSUMED_NUMBER(WATCH_ACCESS));
    if (n->op == IR_StoreField)
        add(out, ASSUME_FIELD_UNWATCHED, ir_pointer(g, n), ASSUMED_NUMBER(WATCH_MODIFY));
}

// A final field of an object is trusted as the class library means it; one of a class may be written to by Unsafe or through JNI.
static void add_folded(const Field *f, Assumptions *out)
{
    add(out, ASSUME_FIELD_UNWATCHED, f, ASSUMED_NUMBER(WATCH_ACCESS));
    if (f->access & ACC_STATIC && f->access & ACC_FINAL)
        add(out, ASSUME_FIELD_FINAL, f, NULL);
}

// ---- what code names must not be freed ----

// The class that a node names, or that of the method or field. NULL: none. A handle of an object is a constant of a class whose method
// the code does.
static const Class *named_class(const Graph *g, const Node *n)
{
    if (ir_ops[n->op].aux != AUX_POINTER || n->op == IR_Object)
        return NULL;
    const void *p = ir_pointer(g, n);
    switch (n->op) {
    case IR_LoadField:
    case IR_StoreField:
    case IR_GetWatched:
    case IR_PutWatched: return ((const Field *)p)->cls;
    case IR_CallStatic:
    case IR_CallExact:
    case IR_CallVirtual:
    case IR_CallInterface:
    case IR_PostEntry:
    case IR_PostExit: return ((const Method *)p)->cls;
    default: return p; // a Class
    }
}

// All classes of a loader are unloaded at once.
static void add_alive(const Class *c, Assumptions *out)
{
    const ClassLoaderData *data = class_loader_data(c);
    if (data->immortal)
        return;
    for (size_t i = 0; i < out->len; i++)
        if (out->at[i].kind == ASSUME_CLASS_ALIVE
            && class_loader_data(out->at[i].object) == data)
            return;
    add(out, ASSUME_CLASS_ALIVE, c, NULL);
}

static void add_classes_of_methods(Assumptions *out)
{
    for (size_t i = 0; i < out->len; i++)
        if (out->at[i].kind == ASSUME_METHOD_BODY)
            add_alive(((const Method *)out->at[i].object)->cls, out);
}

void graph_bodies(const Graph *g, Assumptions *out)
{
    VM_ASSERT(g->source->method && out->len == 0);
    VM_ASSERT(g->source == g->scopes.at[0].source);
    for (size_t i = 0; i < g->scopes.len; i++)
        add_body(g->scopes.at[i].source->method, out);
    for (size_t i = 0; i < g->skipped.len; i++)
        add_body(g->skipped.at[i], out);
    add(out, ASSUME_TABLES, NULL, ASSUMED_NUMBER(class_tables_remade()));
}

static const EventId allocation_events[] = {EVENT_OBJECT_ALLOC, EVENT_SAMPLED_ALLOC};

bool graph_allocations_are_watched(void)
{
    bool watched = false;
    for (size_t i = 0; i < ARRAY_LEN(allocation_events); i++)
        watched |= event_is_wanted(allocation_events[i]);
    return watched;
}

void graph_assumptions(const Graph *g, Assumptions *out)
{
    VM_ASSERT(out->len > 0); // those of graph_bodies
    for (size_t i = 0; i < g->unique.len; i++)
        add(out, ASSUME_METHOD_UNIQUE, g->unique.at[i].called, g->unique.at[i].selected);
    for (size_t i = 0; i < g->folded.len; i++) {
        add_folded(g->folded.at[i], out);
        add_alive(g->folded.at[i]->cls, out);
    }
    for (NodeId i = 1; i < g->nodes.len;
         i++) // an access whose node was dropped may be watched, too
        add_of_node(g, ir_node(g, i), out);
    for (size_t i = 0; i < g->order.len; i++) {
        const IrList *nodes = &ir_at(g, g->order.at[i])->nodes;
        for (uint32_t k = 0; k < nodes->len; k++) {
            const Class *named = named_class(g, ir_node(g, nodes->at[k]));
            if (named)
                add_alive(named, out);
        }
    }
    for (size_t i = 0; g->virtualizes && i < ARRAY_LEN(allocation_events); i++)
        add(out, ASSUME_EVENT_OFF, ASSUMED_NUMBER(allocation_events[i]), NULL);
    add_classes_of_methods(out);
}

void graph_keep(Thread *self, const Graph *g)
{
    Assumptions alive = {0};
    attempt_pause(); // handles are the thread's
    for (NodeId n = 1; n < g->nodes.len; n++) {
        const Class *named = named_class(g, ir_node(g, n));
        if (named)
            add_alive(named, &alive);
    }
    for (size_t i = 0; i < g->scopes.len; i++) {
        const Method *m = g->scopes.at[i].source->method;
        add_alive(m->cls, &alive);
        method_pin(self, m);
    }
    for (size_t i = 0; i < g->skipped.len; i++)
        add_alive(g->skipped.at[i]->cls, &alive);
    for (size_t i = 0; i < g->guessed.len; i++)
        add_alive(g->guessed.at[i], &alive);
    for (size_t i = 0; i < g->folded.len; i++)
        add_alive(g->folded.at[i]->cls, &alive);
    for (size_t i = 0; i < alive.len; i++)
        (void)mirror_handle(self, alive.at[i].object);
    vec_free(&alive);
    attempt_resume();
}
