// SPDX-License-Identifier: Apache-2.0
// Which objects escape analysis takes: by what their uses are. See escape.h.
#include "class/class.h"
#include "jit/escape.h"

// ---- what may be one ----

// The class of what may be a candidate.
static const Class *class_made(const Graph *g, NodeId n)
{
    const Node *node = ir_node(g, n);
    const IrBox *box = node->op == IR_Phi ? ir_find_box(g, n) : NULL;
    if (box)
        return box->cache ? box->cls : NULL;
    return node->op == IR_New ? ir_pointer(g, node) : NULL;
}

static void add_candidate(Escape *e, NodeId n)
{
    const Class *c = class_made(e->g, n);
    if (!c || (e->partial && ir_node(e->g, n)->op == IR_Phi) || e->count == CANDIDATES_MAX
        || c->layout.has_finalizer || c->layout.shape != SHAPE_INSTANCE)
        return;
    Candidate new = {.node = n, .block = ir_node(e->g, n)->block, .first = e->variables};
    const Field *fields[CODE_VIRTUAL_FIELDS_MAX];
    if (!class_instance_fields(c, CODE_VIRTUAL_FIELDS_MAX, fields, &new.count)
        || e->variables + new.count > VARIABLES_MAX)
        return;
    for (uint32_t i = 0; i < new.count; i++)
        e->fields[e->variables++] = fields[i];
    e->at[e->count++] = new;
    e->number[n] = (uint8_t)e->count;
}

// ---- uses ----

uint32_t escape_variable(const Escape *e, const Node *n)
{
    if (n->op != IR_LoadField && n->op != IR_StoreField)
        return VARIABLES_MAX;
    uint32_t number = n->in[0] < e->nodes ? e->number[n->in[0]] : 0;
    if (!number)
        return VARIABLES_MAX;
    const Candidate *c = &e->at[number - 1];
    const Field *f = ir_pointer(e->g, n);
    for (uint32_t i = 0; i < c->count; i++)
        if (e->fields[c->first + i] == f)
            return c->first + i;
    return VARIABLES_MAX;
}

bool escape_is_fence(const Escape *e, Node *n)
{
    return n->op == IR_Fence && ir_input_count(n) > 0
           && escape_bit(e, ir_inputs(e->g, n)[0]) != 0;
}

Candidate *escape_locked(Escape *e, const Node *n)
{
    if (n->op != IR_MonitorEnter && n->op != IR_MonitorExit)
        return NULL;
    return ir_find_box(e->g, n->in[0]) ? NULL : escape_candidate(e, n->in[0]);
}

// One that is made on some paths is there whenever its monitor is entered: it is none.
static bool is_lock(Escape *e, const Node *n)
{
    Candidate *c = escape_locked(e, n);
    if (c && n->op == IR_MonitorEnter)
        c->enters++;
    return c && !e->partial && c->enters < ENTERS_MAX;
}

// What is stored in a candidate is none itself yet: it may be one when that is not there any more.
static void take_away_stored(Escape *e, const Node *store)
{
    NodeId value = ir_unchecked(e->g, store->in[1]);
    if (value != store->in[0])
        e->number[value] = 0;
}

static bool is_access(Escape *e, Node *n)
{
    if (escape_variable(e, n) != VARIABLES_MAX) {
        if (n->op == IR_StoreField && ir_node(e->g, n->in[1])->type == IRT_A)
            take_away_stored(e, n);
        return true;
    }
    if (!escape_is_fence(e, n))
        return false;
    escape_candidate(e, ir_inputs(e->g, n)[0])->fenced = true;
    return true;
}

bool escape_is_rare(const Graph *g, BlockId b)
{
    const Block *block = ir_at(g, b);
    const Node *end = ir_node(g, ir_end(block));
    return end->op == IR_Deopt || (ir_throws(end) && block->succs.len == 0)
           || ir_node(g, block->nodes.at[0])->op == IR_Landing;
}

// Whether others come to see candidates by a node in a way that allows to make them right there.
static bool shows(Escape *e, Node *n)
{
    bool is_meeting = n->op == IR_Phi && ir_at(e->g, n->block)->state;
    if (!e->partial || (n->op != IR_Escape && !is_meeting))
        return false;
    for (uint32_t i = 0; i < ir_input_count(n); i++) {
        Candidate *c = escape_candidate(e, ir_inputs(e->g, n)[i]);
        if (!c)
            continue;
        c->shown++;
    }
    return true;
}

static bool may_be_another(const Escape *e, NodeId n)
{
    return escape_bit(e, n) && ir_node(e->g, n)->op == IR_Phi;
}

// An object that nobody sees is no other. A box may be one that others have.
static bool is_known_apart(const Escape *e, const Node *n)
{
    return escape_is_comparison(n) && !may_be_another(e, n->in[0])
           && !may_be_another(e, n->in[1]);
}

static void find_uses(Escape *e, NodeId id)
{
    Node *n = ir_node(e->g, id);
    if (shows(e, n) || is_known_apart(e, n))
        return;
    const NodeId *in = ir_inputs(e->g, n);
    for (uint32_t i = is_access(e, n) || is_lock(e, n) ? 1 : 0; i < ir_input_count(n); i++)
        e->number[in[i]] = 0;
}

static void each_node(Escape *e, void (*visit)(Escape *e, NodeId n))
{
    for (size_t i = 0; i < e->g->order.len; i++) {
        const IrList *nodes = &ir_at(e->g, e->g->order.at[i])->nodes;
        for (uint32_t k = 0; k < nodes->len; k++)
            visit(e, nodes->at[k]);
    }
}

// ---- paths on which nobody sees one ----

typedef struct Shown { // an Escape
    NodeId object;
    BlockId block;
} Shown;
typedef VEC(Shown) ShownList;

static bool is_shown_in(const ShownList *all, NodeId object, BlockId b)
{
    size_t i = 0;
    while (i < all->len && (all->at[i].object != object || all->at[i].block != b))
        i++;
    return i < all->len;
}

// Whether there is a path from where the object stands on which no node shows it. Rare ones do not count.
static bool may_be_spared(Graph *g, const ShownList *all, NodeId object)
{
    BlockId first = ir_node(g, object)->block;
    bool *seen = vm_calloc(g->blocks.len, sizeof *seen), spared = false;
    IrList work = {0};
    ir_list_push(g, &work, first);
    while (work.len && !spared) {
        BlockId b = work.at[--work.len];
        const IrList *succs = &ir_at(g, b)->succs;
        if (seen[b] || is_shown_in(all, object, b) || escape_is_rare(g, b))
            continue;
        seen[b] = true;
        spared = succs->len == 0 || !ir_dominates(g, first, b);
        for (uint32_t i = 0; i < succs->len; i++)
            ir_list_push(g, &work, succs->at[i]);
    }
    vm_free(seen);
    return spared;
}

void ir_prune_escapes(Graph *g)
{
    ShownList all = {0};
    bool spared = false;
    if (!g->has_escape)
        return;
    ir_find_loops(g);
    for (NodeId n = 1; n < g->nodes.len; n++) {
        const Node *node = ir_node(g, n);
        if (node->op == IR_Escape)
            vec_push(&all, ((Shown){ir_unchecked(g, n), node->block}));
    }
    for (size_t i = 0; i < all.len && !spared; i++)
        spared = (i == 0 || all.at[i].object != all.at[i - 1].object)
                 && may_be_spared(g, &all, all.at[i].object);
    vec_free(&all);
    if (!spared)
        escape_drop_all(g);
}

// ---- which are taken ----

void escape_keep(Escape *e)
{
    uint32_t kept = 0, variables = 0;
    for (uint32_t i = 0; i < e->count; i++) {
        Candidate c = e->at[i];
        if (!e->number[c.node])
            continue;
        memmove(e->fields + variables, e->fields + c.first, c.count * sizeof *e->fields);
        c.first = variables;
        variables += c.count;
        e->at[kept++] = c;
        e->number[c.node] = (uint8_t)kept;
    }
    VM_ASSERT(kept <= e->count && variables <= e->variables);
    e->count = kept;
    e->variables = variables;
}

bool escape_find(Escape *e)
{
    VM_ASSERT(e->g->flow_known && e->count == 0);
    each_node(e, add_candidate);
    if (e->count == 0)
        return false;
    each_node(e, find_uses);
    for (uint32_t i = 0; i < e->count && e->partial; i++)
        if (e->at[i].shown == 0 || e->at[i].shown > MAKES_MAX)
            e->number[e->at[i].node] = 0;
    escape_keep(e);
    return e->count > 0;
}

// ---- states ----

static uint32_t bits_of(const Escape *e, const NodeId *words, uint32_t count)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < count; i++)
        bits |= escape_bit(e, words[i]);
    return bits;
}

static uint32_t bits_of_state(const Escape *e, const State *s)
{
    const Graph *g = e->g;
    const NodeId *locals, *operands;
    uint32_t count = ir_state_words(g, s, &locals, &operands);
    return bits_of(e, locals, ir_state_locals(g, s)) | bits_of(e, operands, count)
           | bits_of(e, g->words.at + s->virtuals, ir_state_virtual_words(g, s))
           | bits_of(e, g->words.at + s->made, 2 * s->made_count);
}

uint32_t escape_mentions(Escape *e, StateId id)
{
    if (!id)
        return 0;
    const State *s = ir_state(e->g, id);
    if (id >= e->states) // made by escape.c
        return bits_of_state(e, s) | escape_mentions(e, ir_state_below(e->g, s));
    if (!e->asked[id]) {
        e->asked[id] = true;
        e->mentioned[id] = bits_of_state(e, s) | escape_mentions(e, ir_state_below(e->g, s));
    }
    return e->mentioned[id];
}
