// SPDX-License-Identifier: Apache-2.0
// Who holds whom: referrers, depth-first numbers, dominators by semi-NCA (Georgiadis), retained sizes, and retained sizes by class.
//
// Nothing here recurs: the depth of a heap is that of its longest list. Nodes are numbered from 1 in depth-first order, 0 is the root
// above all that refers to all roots; the arrays of Search are by number, those of the graph by object. What is not reached keeps
// number 0.
#include "heap_internal.h"

#include <stdlib.h>
#include <string.h>

enum { REPORT_EACH = 1 << 18 };

typedef struct Frame { // a node on the way down, and the next of its edges or children
    uint32_t node, next;
} Frame;
typedef struct Stack {
    Frame *frames;
    size_t count, capacity;
} Stack;

typedef struct Search {
    HeapLoad *load;
    HeapGraph *g;
    uint32_t count;              // nodes that were reached
    uint32_t *number;            // of an object
    uint32_t *vertex;            // the object of a number
    uint32_t *parent, *ancestor; // in the depth-first tree; the same, shortened while looking
    uint32_t *semi, *label, *idom;
    uint32_t *path; // of `evaluate`
    size_t path_capacity;
    Stack stack;
} Search;

static bool push(Stack *stack, uint32_t node, uint32_t next)
{
    if (!heap_grow((void **)&stack->frames, &stack->capacity, stack->count + 1, sizeof(Frame)))
        return false;
    stack->frames[stack->count++] = (Frame){node, next};
    return true;
}

static uint32_t *new_array(size_t count)
{
    return calloc(count, sizeof(uint32_t));
}

static void drop(uint32_t **array)
{
    free(*array);
    *array = NULL;
}

// ---- referrers -------------------------------------------------------------------------------------------------------

static uint32_t edges_of(const HeapGraph *g, HeapObject o, const uint32_t **edges)
{
    ASSERT_OBJECT(g, o);
    uint32_t at = g->out_at[o];
    *edges = g->edges + at + 1;
    return at == 0 ? 0 : g->edges[at];
}

// in_at[o] is first the number of referrers of o - 1, then where the next of o's is put, at last where they begin.
static bool find_referrers(HeapLoad *load)
{
    HeapGraph *g = load->g;
    const uint32_t *edges;
    g->in_at = new_array((size_t)g->count + 2);
    g->in = malloc((g->edge_count + 1) * sizeof(uint32_t));
    if (g->in_at == NULL || g->in == NULL)
        return heap_fail_memory(load->error);
    heap_phase(load, "ordering", 600, 750);
    for (uint32_t o = 1; o <= g->count; o++) {
        for (uint32_t i = 0, n = edges_of(g, o, &edges); i < n; i++)
            g->in_at[edges[i]]++;
        if (o % REPORT_EACH == 0 && !heap_report(load, o, 2ull * g->count))
            return false;
    }
    uint32_t sum = 0;
    for (uint32_t o = 0; o <= g->count + 1; o++) {
        uint32_t n = g->in_at[o];
        g->in_at[o] = sum;
        sum += n;
    }
    for (uint32_t o = 1; o <= g->count; o++) {
        for (uint32_t i = 0, n = edges_of(g, o, &edges); i < n; i++)
            g->in[g->in_at[edges[i]]++] = o;
        if (o % REPORT_EACH == 0 && !heap_report(load, g->count + (uint64_t)o, 2ull * g->count))
            return false;
    }
    assert(sum == g->edge_count); // each edge was counted at its end
    memmove(g->in_at + 1, g->in_at, ((size_t)g->count + 1) * sizeof(uint32_t));
    g->in_at[0] = 0;
    return true;
}

// ---- depth-first numbers ---------------------------------------------------------------------------------------------

static bool reach(Search *s, HeapObject o, uint32_t parent)
{
    assert(s->number[o] == 0 && parent <= s->count);
    uint32_t n = ++s->count;
    s->number[o] = n;
    s->vertex[n] = o;
    s->parent[n] = parent;
    return push(&s->stack, o, 0) || heap_fail_memory(s->load->error);
}

static bool number_from(Search *s, HeapObject root)
{
    HeapGraph *g = s->g;
    if (s->number[root] != 0)
        return true;
    if (!reach(s, root, 0))
        return false;
    while (s->stack.count > 0) {
        Frame *f = &s->stack.frames[s->stack.count - 1];
        const uint32_t *edges;
        uint32_t n = edges_of(g, f->node, &edges), i = f->next, parent = s->number[f->node];
        while (i < n && s->number[edges[i]] != 0)
            i++;
        f->next = i + 1;
        if (i >= n)
            s->stack.count--;
        else if (!reach(s, edges[i], parent))
            return false;
        if (s->count % REPORT_EACH == 0 && !heap_report(s->load, s->count, g->count))
            return false;
    }
    return true;
}

static bool number_nodes(Search *s)
{
    heap_phase(s->load, "dominators", 750, 850);
    for (size_t i = 0; i < s->g->root_count; i++) {
        if (!number_from(s, s->g->roots[i].object))
            return false;
    }
    free(s->stack.frames);
    s->stack = (Stack){0};
    return true;
}

// ---- semi-NCA --------------------------------------------------------------------------------------------------------

// The node with the least semidominator on the way from v up to what was linked before `linked`. UINT32_MAX: no memory.
static uint32_t evaluate(Search *s, uint32_t v, uint32_t linked)
{
    assert(v > 0 && v <= s->count);
    uint32_t *ancestor = s->ancestor, *label = s->label, *semi = s->semi;
    if (ancestor[v] < linked)
        return label[v];
    size_t depth = 0;
    do {
        if (!heap_grow((void **)&s->path, &s->path_capacity, depth + 1, sizeof(uint32_t)))
            return UINT32_MAX;
        s->path[depth++] = v;
        v = ancestor[v];
    } while (ancestor[v] >= linked);
    uint32_t top = v, best = label[v];
    while (depth > 0) {
        v = s->path[--depth];
        ancestor[v] = ancestor[top];
        if (semi[best] < semi[label[v]])
            label[v] = best;
        else
            best = label[v];
        top = v;
    }
    return label[v];
}

static bool find_semidominator(Search *s, uint32_t w)
{
    const HeapGraph *g = s->g;
    HeapObject o = s->vertex[w];
    uint32_t least = s->parent[w];
    for (uint32_t i = g->in_at[o]; i < g->in_at[o + 1] && least > 0; i++) {
        uint32_t v = s->number[g->in[i]];
        if (v == 0) // garbage refers to it
            continue;
        uint32_t u = evaluate(s, v, w + 1);
        if (u == UINT32_MAX)
            return heap_fail_memory(s->load->error);
        if (s->semi[u] < least)
            least = s->semi[u];
    }
    assert(least < w); // its parent at most
    s->semi[w] = least;
    return true;
}

static void mark_roots(Search *s)
{
    for (size_t i = 0; i < s->g->root_count; i++)
        s->parent[s->number[s->g->roots[i].object]] = 0;
}

// parent[] of a root is 0 from here on, though it may have been reached on another way: the root above all refers to it, and a
// semidominator cannot be less.
static bool find_idoms(Search *s)
{
    heap_phase(s->load, "dominators", 850, 930);
    memcpy(s->ancestor, s->parent, ((size_t)s->count + 1) * sizeof(uint32_t));
    for (uint32_t v = 0; v <= s->count; v++)
        s->semi[v] = s->label[v] = v;
    memcpy(s->idom, s->parent, ((size_t)s->count + 1) * sizeof(uint32_t));
    mark_roots(s);
    for (uint32_t w = s->count; w >= 1; w--) {
        if (!find_semidominator(s, w))
            return false;
        if (w % REPORT_EACH == 0 && !heap_report(s->load, s->count - w, s->count))
            return false;
    }
    for (uint32_t w = 1; w <= s->count; w++) {
        uint32_t candidate = s->idom[w];
        while (candidate > s->semi[w])
            candidate = s->idom[candidate];
        assert(candidate < w); // a dominator has a smaller number
        s->idom[w] = candidate;
    }
    return true;
}

// ---- sizes -----------------------------------------------------------------------------------------------------------

static bool find_retained(Search *s)
{
    HeapGraph *g = s->g;
    uint64_t reached = 0;
    g->retained = calloc((size_t)g->count + 1, sizeof(uint64_t));
    g->dominator = new_array((size_t)g->count + 1);
    if (g->retained == NULL || g->dominator == NULL)
        return heap_fail_memory(s->load->error);
    for (uint32_t w = s->count; w >= 1;
         w--) { // a dominator has a smaller number than what it dominates
        HeapObject o = s->vertex[w], d = s->idom[w] == 0 ? 0 : s->vertex[s->idom[w]];
        assert(d != o);
        g->dominator[o] = d;
        g->retained[o] += heap_bytes_of(g, o);
        g->retained[d] += g->retained[o];
        heap_class_of(g, o)->reachable++;
        reached += heap_bytes_of(g, o);
    }
    assert(g->retained[0] == reached && s->count <= g->count);
    g->info.unreachable_objects = g->count - s->count;
    g->info.unreachable_bytes = g->info.bytes - reached;
    return true;
}

static bool find_children(HeapLoad *load)
{
    HeapGraph *g = load->g;
    g->child_at = new_array((size_t)g->count + 3);
    g->children = new_array((size_t)g->count + 1);
    if (g->child_at == NULL || g->children == NULL)
        return heap_fail_memory(load->error);
    uint32_t *at =
        g->child_at + 2; // at[d - 1]: where d's begin, moved on while they are put there
    for (uint32_t o = 1; o <= g->count; o++) {
        if (g->retained[o] != 0)
            at[g->dominator[o]]++;
    }
    for (uint32_t d = 1; d <= g->count; d++)
        at[d] += at[d - 1];
    at--;
    for (uint32_t o = 1; o <= g->count; o++) {
        if (g->retained[o] != 0)
            g->children[at[g->dominator[o]]++] = o;
    }
    assert(g->child_at[g->count + 1] == g->count - g->info.unreachable_objects);
    return true;
}

// Adds what the instances of each class retain that no other instance of it retains, too: an instance counts if none of its
// dominators is of its class. inside[c]: how many instances of c the way down passes.
static bool find_class_retained(HeapLoad *load)
{
    HeapGraph *g = load->g;
    Stack stack = {0};
    uint32_t *inside = new_array(g->class_count + 1);
    bool ok = inside != NULL && push(&stack, 0, g->child_at[0]);
    uint64_t steps = 0;
    while (ok && stack.count > 0) {
        Frame *f = &stack.frames[stack.count - 1];
        if (f->next >= g->child_at[f->node + 1]) {
            if (f->node != 0)
                inside[g->class_of[f->node]]--;
            stack.count--;
            continue;
        }
        HeapObject child = g->children[f->next++];
        assert(g->dominator[child] == f->node);
        uint32_t c = g->class_of[child];
        if (inside[c] == 0)
            g->classes[c].retained += g->retained[child];
        if (g->child_at[child] < g->child_at[child + 1]) {
            inside[c]++;
            ok = push(&stack, child, g->child_at[child]);
        }
        if (++steps % REPORT_EACH == 0 && !heap_report(load, steps, g->count))
            break;
    }
    free(stack.frames);
    free(inside);
    if (!ok)
        heap_fail_memory(load->error);
    return load->error->text[0] == 0;
}

// ---- all -------------------------------------------------------------------------------------------------------------

static void free_search(Search *s)
{
    uint32_t **arrays[] = {&s->number, &s->vertex, &s->parent, &s->ancestor,
                           &s->semi,   &s->label,  &s->idom,   &s->path};
    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
        drop(arrays[i]);
    free(s->stack.frames);
}

static bool search(Search *s)
{
    size_t n = (size_t)s->g->count + 1;
    s->number = new_array(n);
    s->vertex = new_array(n);
    s->parent = new_array(n);
    if (s->number == NULL || s->vertex == NULL || s->parent == NULL)
        return heap_fail_memory(s->load->error);
    if (!number_nodes(s))
        return false;
    n = (size_t)s->count + 1;
    s->ancestor = new_array(n);
    s->semi = new_array(n);
    s->label = new_array(n);
    s->idom = new_array(n);
    if (s->ancestor == NULL || s->semi == NULL || s->label == NULL || s->idom == NULL)
        return heap_fail_memory(s->load->error);
    if (!find_idoms(s))
        return false;
    drop(&s->ancestor);
    drop(&s->label);
    drop(&s->parent);
    drop(&s->semi);
    drop(&s->number);
    drop(&s->path);
    heap_phase(s->load, "retained sizes", 930, 1000);
    return heap_report(s->load, 0, 1) && find_retained(s);
}

bool heap_find_dominators(HeapLoad *load)
{
    Search s = {.load = load, .g = load->g};
    bool ok = find_referrers(load) && search(&s);
    free_search(&s);
    load->g->info.how = "Retained sizes are exact over all objects that a root holds, by the "
                        "dominator tree; weak and phantom "
                        "references hold nothing.";
    if (ok && load->g->root_count == 0)
        heap_lost(load->g, "No roots are in the file: nothing is known to be reachable. ");
    return ok && find_children(load) && find_class_retained(load);
}
