// SPDX-License-Identifier: Apache-2.0
// Objects that nobody sees become values of their fields: those that are read and written here and named by states, and
// otherwise go nowhere. Such an object is a Virtual node, which has no code. Each state that names it says what its fields hold
// there: whoever looks at the frame, or deoptimizes it, makes the object first (docs/GRAPHS.md, "Objects that are not made").
//
// All or nothing: what one path stores, passes on or joins with another object at a phi is made as the bytecodes say.
#include "class/class.h"
#include "code/compiled_code.h"
#include "jit/ir.h"

enum {
    VARIABLES_MAX = 64, // fields of all objects together
    VARIABLES_IN_BLOCKS_MAX = 1 << 18,
    TIMES = 3,
    CANDIDATES_MAX = CODE_VIRTUALS_MAX / TIMES,
    ENTERS_MAX = THIN_RECURSION_MAX, // each is entered once at most at a time
};

typedef struct Candidate {
    NodeId node; // a New, or the phi of a box
    BlockId block;
    uint32_t first, count; // of its fields among all variables
    uint32_t enters;       // places where its monitor is entered
} Candidate;

typedef struct Pending { // a phi without inputs yet
    NodeId phi;
    BlockId block;
    uint32_t variable;
} Pending;

typedef struct Escape {
    Graph *g;
    Candidate at[CANDIDATES_MAX];
    uint32_t count;
    const Field *fields[VARIABLES_MAX];
    uint32_t variables;
    uint32_t nodes;      // those that were there before
    uint8_t *number;     // by node: of the candidate + 1
    uint32_t *mentioned; // by state: bits of the candidates that it, or one below it, names
    bool *asked;         // by state: whether that is known
    uint64_t *stored;    // by loop header: variables that the loop stores to
    NodeId **out;        // by block: the variables at its end
    NodeId now[VARIABLES_MAX];
    VEC(Pending) pending;
    NodeId *replaced; // by node that was there before
} Escape;

// ---- tests of an object's class ----

// What a test of an object that was just made says; 0: the node is none.
static NodeId test_result(Graph *g, const Node *n)
{
    uint16_t op = n->op;
    if (op != IR_InstanceOf && op != IR_HasClass && op != IR_TypeCheck)
        return 0;
    NodeId object = ir_unchecked(g, n->in[0]);
    const Node *made = ir_node(g, object);
    if (made->op != IR_New)
        return 0;
    const Class *c = ir_pointer(g, made), *tested = ir_pointer(g, n);
    bool is = op == IR_HasClass ? c == tested : class_is_subclass(c, tested);
    if (op == IR_TypeCheck)
        return is ? object : 0;
    return ir_const(g, IRT_I, is);
}

static void answer_tests(Graph *g)
{
    size_t nodes = g->nodes.len;
    NodeId *results = vm_calloc(nodes, sizeof *results);
    bool any = false;
    for (size_t i = 0; i < g->order.len; i++) {
        const IrList *list = &ir_at(g, g->order.at[i])->nodes;
        for (uint32_t k = 0; k < list->len; k++) {
            NodeId result = test_result(g, ir_node(g, list->at[k]));
            results[list->at[k]] = result;
            any |= result != 0;
        }
    }
    if (any) {
        NodeId *replaced = vm_calloc(g->nodes.len, sizeof *replaced); // constants were made
        memcpy(replaced, results, nodes * sizeof *replaced);
        ir_replace(g, replaced);
        vm_free(replaced);
    }
    vm_free(results);
}

// ---- which objects ----

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
    if (!c || e->count == CANDIDATES_MAX || c->layout.has_finalizer
        || c->layout.shape != SHAPE_INSTANCE)
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

// Which variable a field access means; VARIABLES_MAX: the node is none, of no candidate.
static uint32_t variable_of(const Escape *e, const Node *n)
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

// Whether a node orders accesses of a candidate, which no other thread makes: it has nothing to do.
static bool is_fence_of_candidate(Escape *e, Node *n)
{
    if (n->op != IR_Fence || ir_input_count(n) == 0)
        return false;
    NodeId object = ir_inputs(e->g, n)[0];
    return object < e->nodes && e->number[object] != 0;
}

// The candidate whose monitor a node enters or exits; NULL: the node does not, or of none. A box may be one that others see.
static Candidate *locked_candidate(Escape *e, const Node *n)
{
    if (n->op != IR_MonitorEnter && n->op != IR_MonitorExit)
        return NULL;
    uint32_t number = n->in[0] < e->nodes ? e->number[n->in[0]] : 0;
    return number && !ir_find_box(e->g, n->in[0]) ? &e->at[number - 1] : NULL;
}

static bool is_lock(Escape *e, const Node *n)
{
    Candidate *c = locked_candidate(e, n);
    if (c && n->op == IR_MonitorEnter)
        c->enters++;
    return c && c->enters < ENTERS_MAX;
}

static void find_uses(Escape *e, NodeId id)
{
    Node *n = ir_node(e->g, id);
    const NodeId *in = ir_inputs(e->g, n);
    bool is_access = variable_of(e, n) != VARIABLES_MAX || is_fence_of_candidate(e, n);
    for (uint32_t i = is_access || is_lock(e, n) ? 1 : 0; i < ir_input_count(n); i++)
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

// Those of which find_uses has left the number.
static void keep_candidates(Escape *e)
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
    e->count = kept;
    e->variables = variables;
}

static void find_candidates(Escape *e)
{
    each_node(e, add_candidate);
    if (e->count)
        each_node(e, find_uses);
    keep_candidates(e);
}

// ---- values ----

static IrType type_of(const Escape *e, uint32_t variable)
{
    return ir_type_of_kind(e->fields[variable]->kind);
}

// What a load gives back of a value that was stored.
static NodeId narrowed(Escape *e, BlockId b, uint32_t variable, NodeId value)
{
    Graph *g = e->g;
    switch (e->fields[variable]->kind) {
    case 'B': return ir_add(g, b, IR_I2B, IRT_I, 1, &value, 0);
    case 'C': return ir_add(g, b, IR_I2C, IRT_I, 1, &value, 0);
    case 'S': return ir_add(g, b, IR_I2S, IRT_I, 1, &value, 0);
    case 'Z':
        return ir_add(g, b, IR_AndI, IRT_I, 2, (NodeId[]){value, ir_const(g, IRT_I, 1)}, 0);
    default: return value;
    }
}

static void note_store(Escape *e, NodeId id)
{
    const Node *n = ir_node(e->g, id);
    uint32_t variable = n->op == IR_StoreField ? variable_of(e, n) : VARIABLES_MAX;
    if (variable == VARIABLES_MAX)
        return;
    for (BlockId h = ir_at(e->g, n->block)->loop; h; h = ir_outer_loop(e->g, h))
        e->stored[h] |= 1ull << variable;
}

// At the end of a block; 0: that comes later, or is never reached.
static NodeId value_behind(const Escape *e, BlockId b, uint32_t variable)
{
    return e->out[b] ? e->out[b][variable] : 0;
}

static NodeId new_phi(Escape *e, BlockId b, uint32_t variable)
{
    uint32_t preds = ir_at(e->g, b)->preds.len;
    NodeId *in = arena_alloc(&e->g->arena, preds * sizeof *in);
    NodeId phi = ir_add(e->g, b, IR_Phi, type_of(e, variable), preds, in, 0);
    vec_push(&e->pending, ((Pending){phi, b, variable}));
    return phi;
}

// The variable where block b begins.
static NodeId value_at(Escape *e, BlockId b, uint32_t variable)
{
    const IrList *preds = &ir_at(e->g, b)->preds;
    NodeId only = 0;
    if (ir_at(e->g, b)->is_header && e->stored[b] >> variable & 1)
        return new_phi(e, b, variable);
    for (uint32_t i = 0; i < preds->len; i++) {
        NodeId value = value_behind(e, preds->at[i], variable);
        if (only && value && value != only)
            return new_phi(e, b, variable);
        only = only ? only : value;
    }
    VM_ASSERT(only);
    return only;
}

static void enter_block(Escape *e, BlockId b)
{
    for (uint32_t i = 0; i < e->count; i++) {
        const Candidate *c = &e->at[i];
        if (c->block == b || !ir_dominates(e->g, c->block, b))
            continue;
        for (uint32_t v = c->first; v < c->first + c->count; v++)
            e->now[v] = value_at(e, b, v);
    }
}

static void begin_fields(Escape *e, const Candidate *c)
{
    const IrBox *box = ir_find_box(e->g, c->node);
    VM_ASSERT(!box || c->count == 1);
    for (uint32_t v = c->first; v < c->first + c->count; v++)
        e->now[v] = box ? box->value : ir_const(e->g, type_of(e, v), 0);
}

static void make_virtual(Escape *e, NodeId id)
{
    const Candidate *c = &e->at[e->number[id] - 1];
    begin_fields(e, c);
    Node *n = ir_node(e->g, id);
    if (n->op == IR_Phi) {
        uint32_t aux = ir_intern(e->g, (uintptr_t)ir_find_box(e->g, id)->cls);
        ir_set_inputs(e->g, id, 0, NULL);
        n->op = IR_Boxed;
        n->aux = aux;
    } else {
        n->op = IR_Virtual;
        n->state = 0;
    }
}

// ---- states ----

static uint32_t bits_of(const Escape *e, const NodeId *words, uint32_t count)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < count; i++)
        if (words[i] < e->nodes && e->number[words[i]])
            bits |= 1u << (e->number[words[i]] - 1);
    return bits;
}

static uint32_t mentions(Escape *e, StateId id)
{
    if (!id || e->asked[id])
        return id ? e->mentioned[id] : 0;
    const State *s = ir_state(e->g, id);
    const NodeId *locals, *operands;
    uint32_t count = ir_state_words(e->g, s, &locals, &operands);
    e->asked[id] = true;
    e->mentioned[id] =
        bits_of(e, locals, ir_state_locals(e->g, s)) | bits_of(e, operands, count)
        | bits_of(e, e->g->words.at + s->virtuals, ir_state_virtual_words(e->g, s));
    return e->mentioned[id] |= mentions(e, ir_state_below(e->g, s));
}

// A state of the node's own, which says what the objects hold now, too.
static void describe(Escape *e, Node *n, uint32_t bits)
{
    Graph *g = e->g;
    State s = *ir_state(g, n->state);
    uint32_t old = s.virtuals, old_words = ir_state_virtual_words(g, &s);
    s.virtuals = (uint32_t)g->words.len;
    s.virtual_count += (uint32_t)__builtin_popcount(bits);
    for (uint32_t i = 0; i < old_words; i++) {
        NodeId word = g->words.at[old + i];
        vec_push(&g->words, word);
    }
    for (; bits; bits &= bits - 1) {
        const Candidate *c = &e->at[__builtin_ctz(bits)];
        vec_push(&g->words, c->node);
        for (uint32_t v = c->first; v < c->first + c->count; v++)
            vec_push(&g->words, e->now[v]);
    }
    vec_push(&g->states, s);
    n->state = (StateId)g->states.len - 1;
}

// ---- monitors ----

// Nobody else can want the monitor of such an object: that the frame holds it is recorded alone.
static void hold_unmade(Escape *e, Node *n)
{
    if (n->op == IR_MonitorExit) {
        n->op = IR_ReleaseUnmade;
        n->count = 0;
        n->state = 0;
        return;
    }
    n->op = IR_HoldUnmade;
    describe(e, n, mentions(e, n->state) | 1u << (e->number[n->in[0]] - 1));
}

// ---- the walk ----

// False: the node goes.
static bool pass(Escape *e, BlockId b, NodeId id)
{
    Node *n = ir_node(e->g, id);
    uint32_t variable = variable_of(e, n);
    if (e->number[id]) {
        make_virtual(e, id);
    } else if (variable != VARIABLES_MAX && n->op == IR_StoreField) {
        e->g->at_bci = n->bci, e->g->at_scope = n->scope;
        e->now[variable] = narrowed(e, b, variable, n->in[1]);
        return false;
    } else if (variable != VARIABLES_MAX) {
        e->replaced[id] = e->now[variable];
        return false;
    } else if (is_fence_of_candidate(e, n)) {
        return false;
    } else if (locked_candidate(e, n)) {
        hold_unmade(e, n);
    } else if (n->state) {
        uint32_t bits = mentions(e, n->state);
        if (bits)
            describe(e, n, bits);
    }
    return true;
}

static void pass_block(Escape *e, BlockId b)
{
    IrList old = ir_at(e->g, b)->nodes, boxed = {0}; // which stand behind the phis
    ir_at(e->g, b)->nodes = (IrList){0};
    enter_block(e, b);
    uint32_t k = 0;
    for (; k < old.len && ir_node(e->g, old.at[k])->op == IR_Phi; k++) {
        (void)pass(e, b, old.at[k]);
        bool stays = ir_node(e->g, old.at[k])->op == IR_Phi;
        ir_list_push(e->g, stays ? &ir_at(e->g, b)->nodes : &boxed, old.at[k]);
    }
    for (uint32_t i = 0; i < boxed.len; i++)
        ir_list_push(e->g, &ir_at(e->g, b)->nodes, boxed.at[i]);
    for (; k < old.len; k++)
        if (pass(e, b, old.at[k]))
            ir_list_push(e->g, &ir_at(e->g, b)->nodes, old.at[k]);
    e->out[b] = arena_alloc(&e->g->arena, (e->variables + 1) * sizeof *e->out[b]);
    memcpy(e->out[b], e->now, e->variables * sizeof *e->out[b]);
}

static void finish_phis(Escape *e)
{
    for (size_t i = 0; i < e->pending.len; i++) {
        const Pending *p = &e->pending.at[i];
        NodeId never = ir_const(e->g, type_of(e, p->variable), 0);
        const Block *block = ir_at(e->g, p->block);
        NodeId *in = ir_inputs(e->g, ir_node(e->g, p->phi));
        for (uint32_t k = 0; k < block->preds.len; k++) {
            NodeId value = value_behind(e, block->preds.at[k], p->variable);
            in[k] = value ? value : never;
        }
    }
}

static void replace_loads(Escape *e)
{
    NodeId *replaced = vm_calloc(e->g->nodes.len, sizeof *replaced);
    memcpy(replaced, e->replaced, e->nodes * sizeof *replaced);
    ir_replace(e->g, replaced);
    vm_free(replaced);
}

static void virtualize(Escape *e)
{
    Graph *g = e->g;
    e->replaced = vm_calloc(e->nodes, sizeof *e->replaced);
    e->mentioned = vm_calloc(g->states.len, sizeof *e->mentioned);
    e->asked = vm_calloc(g->states.len, sizeof *e->asked);
    e->stored = vm_calloc(g->blocks.len, sizeof *e->stored);
    e->out = vm_calloc(g->blocks.len, sizeof *e->out);
    g->virtualizes = true;
    each_node(e, note_store);
    for (size_t i = 0; i < g->order.len; i++)
        pass_block(e, g->order.at[i]);
    finish_phis(e);
    replace_loads(e);
    vm_free(e->replaced);
    vm_free(e->mentioned);
    vm_free(e->asked);
    vm_free(e->stored);
    vm_free(e->out);
    vec_free(&e->pending);
}

// False: there are none.
static bool find_and_virtualize(Graph *g)
{
    Escape e = {.g = g, .nodes = (uint32_t)g->nodes.len};
    e.number = vm_calloc(e.nodes, sizeof *e.number);
    find_candidates(&e);
    bool some = e.count && e.variables * g->blocks.len <= VARIABLES_IN_BLOCKS_MAX;
    if (some)
        virtualize(&e);
    vm_free(e.number);
    return some;
}

// What only such an object holds is one itself, the next time.
void ir_escape(Graph *g)
{
    for (uint32_t times = 0; times < TIMES; times++) {
        answer_tests(g);
        if (!find_and_virtualize(g))
            return;
        ir_dce(g); // fields that nobody reads
        ir_gvn(g); // what is plain now
        ir_branches(g);
        ir_dce(g);
    }
}
