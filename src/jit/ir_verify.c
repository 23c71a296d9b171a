// SPDX-License-Identifier: Apache-2.0
// The rules of a graph, made from spec/ir_ops.def: what each node has for inputs, that they are there before it on
// every path, that blocks end as they should and edges fit, that states are complete.
#include "code/compiled_code.h"
#include "jit/ir.h"

typedef struct Verifier {
    Graph *g;
    uint32_t *place; // of each node in its block, from 1; 0: in none
    StrBuf *wrong;
    BlockId block; // where it is
    NodeId node;
} Verifier;

PRINTF(2, 3) static bool wrong(Verifier *v, const char *fmt, ...)
{
    va_list ap;
    sb_printf(v->wrong, "b%u", v->block);
    if (v->node)
        sb_printf(v->wrong, ", n%u %s", v->node, ir_info(ir_node(v->g, v->node))->name);
    sb_add(v->wrong, ": ");
    va_start(ap, fmt);
    sb_vprintf(v->wrong, fmt, ap);
    va_end(ap);
    return false;
}

// ---- values are there where they are used ----

// Whether a value is there behind place `before` of block b.
static bool is_there(const Verifier *v, NodeId n, BlockId b, uint32_t before)
{
    const Node *node = ir_node(v->g, n);
    if (node->op == IR_Const)
        return node->block == 0;
    if (!v->place[n] || node->block == 0)
        return false;
    return node->block == b ? v->place[n] < before : ir_dominates(v->g, node->block, b);
}

static bool verify_phi(Verifier *v, Node *n)
{
    const Block *block = ir_at(v->g, v->block);
    const NodeId *in = ir_inputs(v->g, n);
    if (ir_input_count(n) != block->preds.len)
        return wrong(v, "%u inputs, %u predecessors", ir_input_count(n), block->preds.len);
    for (uint32_t i = 0; i < block->preds.len; i++) {
        if (!in[i] || ir_node(v->g, in[i])->type != n->type)
            return wrong(v, "input %u (n%u) is of another type", i, in[i]);
        if (!is_there(v, in[i], block->preds.at[i], UINT32_MAX))
            return wrong(v, "input %u (n%u) does not come from b%u", i, in[i],
                         block->preds.at[i]);
    }
    return true;
}

static bool verify_inputs(Verifier *v, Node *n)
{
    const char *letters = ir_info(n)->inputs;
    size_t len = strlen(letters);
    bool more = len && letters[len - 1] == '*';
    uint32_t fixed = (uint32_t)len - more, count = ir_input_count(n);
    if (more ? count < fixed : count != fixed)
        return wrong(v, "%u inputs", count);
    for (uint32_t i = 0; i < count; i++) {
        NodeId in = ir_inputs(v->g, n)[i];
        char letter = i < fixed ? letters[i] : 'X';
        if (!in || in >= v->g->nodes.len)
            return wrong(v, "input %u is none", i);
        uint8_t type = ir_node(v->g, in)->type;
        if (type == IRT_V || (letter != 'X' && letter != "VILFDA"[type]))
            return wrong(v, "input %u (n%u) is no %c", i, in, letter);
        if (!is_there(v, in, v->block, v->place[v->node]))
            return wrong(v, "input %u (n%u) is not there", i, in);
        if (ir_is_unmade(ir_node(v->g, in)) != (n->op == IR_HoldUnmade))
            return wrong(v, "input %u (n%u) is %s", i, in,
                         n->op == IR_HoldUnmade ? "made" : "not made");
    }
    return true;
}

// ---- states ----

static bool wants_state(const Node *n)
{
    return (ir_info(n)->flags & (IRF_CHECK | IRF_SAFEPOINT)) != 0;
}

// The words of a part of a frame: a wide value takes the next one, too.
static bool verify_words(Verifier *v, const NodeId *at, uint32_t count, bool gaps)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!at[i]) {
            if (!gaps)
                return wrong(v, "state: word %u is none", i);
            continue;
        }
        if (!is_there(v, at[i], v->block, v->place[v->node]))
            return wrong(v, "state: n%u is not there", at[i]);
        uint8_t type = ir_node(v->g, at[i])->type;
        if (type == IRT_V)
            return wrong(v, "state: n%u is no value", at[i]);
        if ((type == IRT_L || type == IRT_D) && (++i == count || at[i]))
            return wrong(v, "state: no room behind n%u", at[i - 1]);
    }
    return true;
}

static StateKind kind_of(const Node *n)
{
    uint16_t flags = ir_info(n)->flags;
    if (n->op == IR_Throw)
        return STATE_THROWING;
    if (ir_throws(n) || n->op == IR_PostEntry)
        return STATE_AGAIN;
    if (n->op == IR_PostExit)
        return STATE_LEAVING;
    return flags & (IRF_ONLY_CALL | IRF_ONLY_ALLOC) || n->op == IR_HoldUnmade ? STATE_BEHIND
                                                                              : STATE_AGAIN;
}

static bool verify_frame(Verifier *v, const State *s)
{
    const IrSource *source = v->g->scopes.at[s->scope].source;
    const NodeId *locals, *operands;
    ir_state_words(v->g, s, &locals, &operands);
    if (s->bci >= source->code.code_len || s->depth > source->code.max_stack)
        return wrong(v, "state at %u with %u operands", s->bci, s->depth);
    for (uint32_t i = 0; i < s->locks; i++)
        if (ir_node(v->g, operands[s->depth + i])->type != IRT_A)
            return wrong(v, "state: a lock is no reference");
    return verify_words(v, locals, source->code.max_locals, true)
           && verify_words(v, operands, s->depth, false)
           && verify_words(v, operands + s->depth, s->locks, false);
}

// The frames that the method is inlined in stand behind their calls.
static bool verify_frames_below(Verifier *v, const State *s)
{
    for (StateId id = ir_state_below(v->g, s); id; id = ir_state_below(v->g, s)) {
        s = ir_state(v->g, id);
        if (s->kind != STATE_BEHIND)
            return wrong(v, "a caller's state of kind %u", s->kind);
        if (!verify_frame(v, s))
            return false;
    }
    return true;
}

typedef struct VirtualSearch {
    Verifier *v;
    bool ok;
} VirtualSearch;

static void check_there(void *ctx, NodeId n)
{
    VirtualSearch *s = ctx;
    s->ok &= is_there(s->v, n, s->v->block, s->v->place[s->v->node]);
}

// Whether a state has the fields of an object that is not made, or what it has become.
static bool describes(const Graph *g, const State *s, NodeId unmade)
{
    const NodeId *words = g->words.at + s->virtuals, *made = g->words.at + s->made;
    const Field *fields[CODE_VIRTUAL_FIELDS_MAX];
    uint32_t count;
    for (uint32_t i = 0; i < s->virtual_count; i++) {
        if (*words == unmade)
            return true;
        bool known = ir_virtual_fields(g, ir_node(g, *words), fields, &count);
        VM_ASSERT(known);
        words += 1 + count;
    }
    for (uint32_t i = 0; i < s->made_count; i++)
        if (made[2 * i] == unmade)
            return true;
    return false;
}

// A word of a state.
static void verify_virtual(void *ctx, NodeId n)
{
    VirtualSearch *s = ctx;
    const Graph *g = s->v->g;
    if (!ir_is_unmade(ir_node(g, n)))
        return;
    const State *state = ir_state(g, ir_node(g, s->v->node)->state);
    s->ok &= describes(g, state, n);
    ir_state_each_virtual(g, state, check_there, s);
}

static bool verify_virtuals(Verifier *v, const Node *n)
{
    VirtualSearch all = {.v = v, .ok = true};
    if (v->g->virtualizes)
        ir_state_each(v->g, n->state, verify_virtual, &all);
    return all.ok || wrong(v, "state: the fields of an object are not there");
}

static bool verify_state(Verifier *v, const Node *n)
{
    if (!n->state)
        return !wants_state(n) || wrong(v, "no state");
    const State *s = ir_state(v->g, n->state);
    if (!wants_state(n) && n->op != IR_Return)
        return wrong(v, "a state");
    bool of_method = ((n->op == IR_MonitorEnter || n->op == IR_HoldUnmade)
                      && s->reported == REPORTED_NO_ENTRY)
                     || (n->op == IR_MonitorExit && (v->g->posts_calls || s->scope != 0)
                         && s->locks == 1 && s->kind == STATE_AGAIN) // by a return
                     || (n->op == IR_New && v->g->virtualizes
                         && s->kind == STATE_AGAIN); // which was to be made before
    if (s->kind != (of_method ? STATE_AGAIN : kind_of(n)))
        return wrong(v, "state of kind %u", s->kind);
    return verify_frame(v, s) && verify_frames_below(v, s) && verify_virtuals(v, n);
}

// ---- blocks ----

static bool verify_node(Verifier *v, bool first)
{
    Node *n = ir_node(v->g, v->node);
    uint8_t type = ir_info(n)->type;
    if (n->block != v->block)
        return wrong(v, "belongs to b%u", n->block);
    if (type != IRT_X && n->type != type)
        return wrong(v, "type %u", n->type);
    if (n->op == IR_Phi)
        return first ? verify_phi(v, n) : wrong(v, "behind other nodes");
    if (n->op == IR_Landing && (!first || ir_at(v->g, v->block)->preds.len != 1))
        return wrong(v, "not at the head of a block with one predecessor");
    return verify_inputs(v, n) && verify_state(v, n);
}

// How many successors the last node of a block has; landings apart.
static uint32_t successor_count(const Node *end, const Block *block)
{
    if (ir_throws(end))
        return 0;
    switch (end->op) {
    case IR_IfI:
    case IR_IfA: return 2;
    case IR_Switch:
        return MAX_OF(block->succs.len, 2u); // as many as it has keys, and the default
    case IR_Return:
    case IR_Deopt: return 0;
    default: return 1; // Goto, or a call
    }
}

static bool verify_end(Verifier *v)
{
    const Block *block = ir_at(v->g, v->block);
    v->node = ir_end(block);
    const Node *end = ir_node(v->g, v->node);
    bool lands = (ir_info(end)->flags & IRF_ONLY_CALL) != 0;
    if (!(ir_info(end)->flags & (IRF_END | IRF_ONLY_CALL)))
        return wrong(v, "ends no block");
    uint32_t out = successor_count(end, block);
    if (lands ? block->succs.len < out : block->succs.len != out)
        return wrong(v, "%u successors", block->succs.len);
    for (uint32_t i = out; i < block->succs.len; i++) {
        const Block *to = ir_at(v->g, block->succs.at[i]);
        if (to->nodes.len == 0 || ir_node(v->g, to->nodes.at[0])->op != IR_Landing)
            return wrong(v, "b%u is no landing", block->succs.at[i]);
    }
    return true;
}

static uint32_t times_in(const IrList *list, uint32_t value)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < list->len; i++)
        n += list->at[i] == value;
    return n;
}

static bool verify_edges(Verifier *v)
{
    const Block *block = ir_at(v->g, v->block);
    v->node = 0;
    for (uint32_t i = 0; i < block->succs.len; i++) {
        BlockId to = block->succs.at[i];
        if (times_in(&ir_at(v->g, to)->preds, v->block) != times_in(&block->succs, to))
            return wrong(v, "b%u does not know of all edges to it", to);
    }
    for (uint32_t i = 0; i < block->preds.len; i++)
        if (!times_in(&ir_at(v->g, block->preds.at[i])->succs, v->block))
            return wrong(v, "no edge from b%u leads here", block->preds.at[i]);
    return true;
}

static bool verify_block(Verifier *v)
{
    const Block *block = ir_at(v->g, v->block);
    bool first = true;
    if (block->nodes.len == 0)
        return wrong(v, "empty");
    for (uint32_t i = 0; i < block->nodes.len; i++) {
        v->node = block->nodes.at[i];
        const Node *n = ir_node(v->g, v->node);
        if (!verify_node(v, first))
            return false;
        first = first && n->op == IR_Phi;
        if ((ir_info(n)->flags & IRF_END) && i + 1 < block->nodes.len)
            return wrong(v, "in the middle of a block");
    }
    return verify_end(v) && verify_edges(v);
}

// What is known of dominators and loops is what can be found out. The order of the blocks, which may be that of the code already, stays.
static bool verify_flow(Verifier *v)
{
    Graph *g = v->g;
    if (!g->flow_known) {
        ir_find_loops(g);
        return true;
    }
    size_t count = g->order.len;
    BlockId *order = vm_malloc(count * sizeof *order);
    Block *known = vm_malloc(g->blocks.len * sizeof *known);
    memcpy(order, g->order.at, count * sizeof *order);
    memcpy(known, g->blocks.at, g->blocks.len * sizeof *known);
    g->flow_known = false;
    ir_find_loops(g);
    bool same = g->order.len == count;
    for (BlockId b = 1; b < g->blocks.len && same; b++) {
        const Block *block = ir_at(g, b);
        v->block = b;
        same = block->idom == known[b].idom && block->loop == known[b].loop
               && block->is_header == known[b].is_header;
    }
    if (same)
        memcpy(g->order.at, order, count * sizeof *order);
    vm_free(order);
    vm_free(known);
    return same || wrong(v, "the flow has changed");
}

bool ir_verify(Graph *g, StrBuf *out)
{
    Verifier v = {.g = g, .wrong = out};
    VM_ASSERT(!g->refused);
    if (!verify_flow(&v))
        return false;
    v.place = vm_calloc(g->nodes.len, sizeof *v.place);
    bool ok = true;
    for (size_t i = 0; i < g->order.len; i++) {
        const Block *block = ir_at(g, g->order.at[i]);
        for (uint32_t k = 0; k < block->nodes.len; k++)
            v.place[block->nodes.at[k]] = k + 1;
    }
    for (size_t i = 0; i < g->order.len && ok; i++) {
        v.block = g->order.at[i];
        ok = verify_block(&v);
    }
    vm_free(v.place);
    return ok;
}
