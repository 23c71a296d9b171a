// SPDX-License-Identifier: Apache-2.0
// Objects that nobody sees become values of their fields: those that are read and written here and named by states, and
// otherwise go nowhere. Such an object is a Virtual node, which has no code. Each state that names it says what its fields hold
// there: whoever looks at the frame, or deoptimizes it, makes the object first (docs/GRAPHS.md, "Objects that are not made").
//
// First come those that nobody sees at all; then those that are seen on some paths: on these the object is made in front of what shows it.
// States say from there on what object the Virtual node has become.
#include "jit/escape.h"

#include "class/class.h"

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
        return is ? n->in[0] : 0;
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

static void note_store(Escape *e, const Node *n)
{
    uint32_t variable = n->op == IR_StoreField ? escape_variable(e, n) : VARIABLES_MAX;
    if (variable == VARIABLES_MAX)
        return;
    for (BlockId h = ir_at(e->g, n->block)->loop; h; h = ir_outer_loop(e->g, h))
        e->stored[h] |= 1ull << variable;
}

static void note_stores(Escape *e)
{
    for (size_t i = 0; i < e->g->order.len; i++) {
        const IrList *nodes = &ir_at(e->g, e->g->order.at[i])->nodes;
        for (uint32_t k = 0; k < nodes->len; k++)
            note_store(e, ir_node(e->g, nodes->at[k]));
    }
}

// What a variable is at the end of a block, or the object that a candidate has become by then; 0: that comes later, or is never reached.
static NodeId value_behind(const Escape *e, BlockId b, uint32_t of)
{
    return e->out[b] ? e->out[b][of] : 0;
}

static NodeId new_phi(Escape *e, BlockId b, uint32_t of, IrType type)
{
    uint32_t preds = ir_at(e->g, b)->preds.len;
    NodeId *in = arena_alloc(&e->g->arena, preds * sizeof *in);
    NodeId phi =
        ir_add(e->g, b, IR_Phi, type, preds, in, of < VARIABLES_MAX ? 0 : PHI_NOT_NULL);
    vec_push(&e->pending, ((Pending){phi, b, of}));
    return phi;
}

// What it is where block b begins, if the loop that does there has not changed it; 0: that takes a phi.
static NodeId same_before(const Escape *e, BlockId b, uint32_t of)
{
    const IrList *preds = &ir_at(e->g, b)->preds;
    NodeId only = 0;
    for (uint32_t i = 0; i < preds->len; i++) {
        NodeId value = value_behind(e, preds->at[i], of);
        if (only && value && value != only)
            return 0;
        only = only ? only : value;
    }
    VM_ASSERT(only);
    return only;
}

// The variable where block b begins.
static NodeId value_at(Escape *e, BlockId b, uint32_t variable)
{
    bool changes = ir_at(e->g, b)->is_header && e->stored[b] >> variable & 1;
    NodeId same = changes ? 0 : same_before(e, b, variable);
    return same ? same : new_phi(e, b, variable, type_of(e, variable));
}

// The object that a candidate has become before block b, on all paths.
static NodeId object_before(Escape *e, BlockId b, uint32_t candidate)
{
    NodeId same = same_before(e, b, VARIABLES_MAX + candidate);
    return same ? same : new_phi(e, b, VARIABLES_MAX + candidate, IRT_A);
}

static void enter_block(Escape *e, BlockId b)
{
    for (uint32_t i = 0; i < e->count; i++) {
        const Candidate *c = &e->at[i];
        if (c->block == b || !ir_dominates(e->g, c->block, b))
            continue;
        e->made[i] = e->made_in && e->made_in[b] >> i & 1 ? object_before(e, b, i) : 0;
        for (uint32_t v = c->first; !e->made[i] && v < c->first + c->count; v++)
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
    e->made[e->number[id] - 1] = 0;
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

static void copy_words(Graph *g, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        NodeId word = g->words.at[first + i];
        vec_push(&g->words, word);
    }
}

static void describe_unmade(Escape *e, State *s, uint32_t bits)
{
    Graph *g = e->g;
    uint32_t at = (uint32_t)g->words.len;
    copy_words(g, s->virtuals, ir_state_virtual_words(g, s));
    for (; bits; bits &= bits - 1) {
        const Candidate *c = &e->at[__builtin_ctz(bits)];
        vec_push(&g->words, c->node);
        for (uint32_t v = c->first; v < c->first + c->count; v++)
            vec_push(&g->words, e->now[v]);
        s->virtual_count++;
    }
    s->virtuals = at;
}

static void describe_made(Escape *e, State *s, uint32_t bits)
{
    Graph *g = e->g;
    uint32_t at = (uint32_t)g->words.len;
    copy_words(g, s->made, 2 * s->made_count);
    for (; bits; bits &= bits - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(bits);
        vec_push(&g->words, e->at[i].node);
        vec_push(&g->words, e->made[i]);
        s->made_count++;
    }
    s->made = at;
}

// The state, which says what the objects hold now, too, or which they have become.
static StateId described(Escape *e, StateId id, uint32_t bits)
{
    State s = *ir_state(e->g, id);
    uint32_t made = 0;
    if (!bits)
        return id;
    for (uint32_t i = 0; i < e->count; i++)
        made |= (uint32_t)(e->made[i] != 0) << i;
    describe_unmade(e, &s, bits & ~made);
    describe_made(e, &s, bits & made);
    vec_push(&e->g->states, s);
    return (StateId)e->g->states.len - 1;
}

static StateId described_as_named(Escape *e, StateId id)
{
    return id ? described(e, id, escape_mentions(e, id)) : 0;
}

// The state of a block where paths meet, for the next time: edges to it are described by what is so where they come from. Those that are not
// there where the block begins are named by what nobody will ask for.
static void describe_block(Escape *e, BlockId b)
{
    StateId id = ir_at(e->g, b)->state;
    uint32_t known = 0;
    for (uint32_t i = 0; i < e->count; i++)
        known |= (uint32_t)(e->at[i].block != b && ir_dominates(e->g, e->at[i].block, b)) << i;
    if (id)
        e->meeting[b] = described(e, id, escape_mentions(e, id) & known);
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
    uint32_t bits = escape_mentions(e, n->state) | escape_bit(e, n->in[0]);
    n->op = IR_HoldUnmade;
    n->state = described(e, n->state, bits);
}

// ---- making objects ----

// What was just made and is put in one that is made now escapes as that does.
static NodeId stored_value(Escape *e, BlockId b, NodeId value, StateId state)
{
    if (ir_node(e->g, value)->op != IR_New)
        return value;
    NodeId escape = ir_add(e->g, b, IR_Escape, IRT_A, 1, &value, 0);
    ir_node(e->g, escape)->state = state;
    return escape;
}

static void fill(Escape *e, BlockId b, const Candidate *c, NodeId object, StateId state)
{
    Graph *g = e->g;
    for (uint32_t v = c->first; v < c->first + c->count; v++) {
        if (ir_is_const(g, e->now[v]) && ir_value(g, ir_node(g, e->now[v])) == 0)
            continue;
        NodeId in[] = {object, stored_value(e, b, e->now[v], state)};
        (void)ir_add(g, b, IR_StoreField, IRT_V, 2, in, ir_intern(g, (uintptr_t)e->fields[v]));
    }
    if (c->fenced)
        (void)ir_add(g, b, IR_Fence, IRT_V, 0, NULL, FENCE_RELEASE);
}

// At the end of block b as it is so far, with the frame of a state, which is AGAIN.
static void make(Escape *e, BlockId b, uint32_t candidate, StateId state)
{
    Graph *g = e->g;
    const Candidate *c = &e->at[candidate];
    VM_ASSERT(!e->made[candidate] && ir_state(g, state)->kind == STATE_AGAIN);
    g->at_bci = ir_state(g, state)->bci;
    g->at_scope = (uint16_t)ir_state(g, state)->scope;
    state = described_as_named(e, state);
    NodeId object = ir_add(g, b, IR_New, IRT_A, 0, NULL, ir_node(g, c->node)->aux);
    ir_node(g, object)->state = state;
    fill(e, b, c, object, state);
    e->made[candidate] = object;
}

// Before block b goes to where paths meet.
static void make_at_end(Escape *e, BlockId b)
{
    Graph *g = e->g;
    if (!e->made_at_end || !e->made_at_end[b])
        return;
    for (uint32_t i = 0; i < e->count; i++)
        if (e->made_at_end[b] >> i & 1 && !e->made[i])
            make(e, b, i, escape_state_on_edge(g, b));
    BlockId to = ir_at(g, b)->succs.at[0];
    const Block *block = ir_at(g, to);
    uint32_t edge = ir_edge_from(g, b, to);
    for (uint32_t k = 0; k < block->nodes.len && ir_node(g, block->nodes.at[k])->op == IR_Phi;
         k++) {
        NodeId *in = ir_inputs(g, ir_node(g, block->nodes.at[k])) + edge;
        if (escape_bit(e, *in))
            *in = e->made[e->number[*in] - 1];
    }
}

// ---- the walk ----

// What is read of a field is the object that was stored, shown to others or not.
static NodeId shown_object(const Graph *g, NodeId value)
{
    const Node *n = ir_node(g, value);
    return n->op == IR_Escape ? n->in[0] : value;
}

// An access to a candidate, which may have become an object. False: the node goes.
static bool pass_access(Escape *e, BlockId b, NodeId id, uint32_t variable)
{
    Node *n = ir_node(e->g, id);
    NodeId object = e->made[e->number[n->in[0]] - 1];
    if (object) {
        n->in[0] = object;
        return true;
    }
    if (n->op == IR_LoadField) {
        e->replaced[id] = e->now[variable];
    } else {
        e->g->at_bci = n->bci, e->g->at_scope = n->scope;
        e->now[variable] = narrowed(e, b, variable, shown_object(e->g, n->in[1]));
    }
    return false;
}

static bool pass_fence(Escape *e, Node *n)
{
    NodeId *object = ir_inputs(e->g, n);
    NodeId made = e->made[e->number[*object] - 1];
    if (made)
        *object = made;
    return made != 0;
}

// A comparison with a candidate that is not made yet has its answer. False: the node goes.
static bool pass_comparison(Escape *e, NodeId id)
{
    Graph *g = e->g;
    Node *n = ir_node(g, id);
    bool unmade = false, same = n->in[0] == n->in[1];
    for (uint32_t i = 0; i < 2; i++) {
        NodeId made = escape_bit(e, n->in[i]) ? e->made[e->number[n->in[i]] - 1] : n->in[i];
        unmade |= !made;
        n->in[i] = made ? made : n->in[i];
    }
    if (!unmade)
        return true;
    NodeId answer = ir_const(g, IRT_I, ir_condition_holds((Condition)n->aux, same ? 0 : 1, 0));
    NodeId zero = ir_const(g, IRT_I, 0);
    n = ir_node(g, id);
    if (n->op == IR_TestA) {
        e->replaced[id] = answer;
        return false;
    }
    n->op = IR_IfI; // branches.c does the rest
    n->aux = CONDITION_NE;
    n->in[0] = answer;
    n->in[1] = zero;
    return true;
}

static void pass_escape(Escape *e, BlockId b, NodeId id)
{
    uint32_t candidate = e->number[ir_node(e->g, id)->in[0]] - 1u;
    VM_ASSERT(e->partial && candidate < e->count);
    if (!e->made[candidate])
        make(e, b, candidate, ir_node(e->g, id)->state);
    e->replaced[id] = e->made[candidate];
}

// False: the node goes.
static bool pass(Escape *e, BlockId b, NodeId id)
{
    Node *n = ir_node(e->g, id);
    uint32_t variable = escape_variable(e, n);
    if (e->number[id]) {
        make_virtual(e, id);
    } else if (variable != VARIABLES_MAX) {
        return pass_access(e, b, id, variable);
    } else if (escape_is_fence(e, n)) {
        return pass_fence(e, n);
    } else if (escape_is_comparison(n)) {
        return pass_comparison(e, id);
    } else if (n->op == IR_Escape && escape_bit(e, n->in[0])) {
        pass_escape(e, b, id);
        return false;
    } else if (escape_locked(e, n)) {
        hold_unmade(e, n);
    } else {
        StateId state = described_as_named(e, n->state);
        ir_node(e->g, id)->state = state;
    }
    return true;
}

static void keep_node(Escape *e, BlockId b, NodeId n)
{
    ir_list_push(e->g, &ir_at(e->g, b)->nodes, n);
}

// Boxes stand behind the phis. Which of them stay as phis is known when all were looked at. How many of the nodes that were.
static uint32_t pass_phis(Escape *e, BlockId b, const IrList *old)
{
    IrList boxed = {0};
    uint32_t k = 0;
    for (; k < old->len && ir_node(e->g, old->at[k])->op == IR_Phi; k++) {
        if (e->number[old->at[k]])
            ir_list_push(e->g, &boxed, old->at[k]);
        else
            keep_node(e, b, old->at[k]);
    }
    describe_block(e, b);
    for (uint32_t i = 0; i < boxed.len; i++) {
        make_virtual(e, boxed.at[i]);
        keep_node(e, b, boxed.at[i]);
    }
    return k;
}

static void pass_block(Escape *e, BlockId b)
{
    IrList old = ir_at(e->g, b)->nodes;
    ir_at(e->g, b)->nodes = (IrList){0};
    enter_block(e, b);
    for (uint32_t k = pass_phis(e, b, &old); k < old.len; k++) {
        if (k + 1 == old.len)
            make_at_end(e, b);
        if (pass(e, b, old.at[k]))
            keep_node(e, b, old.at[k]);
    }
    NodeId *out = arena_alloc(&e->g->arena, (VARIABLES_MAX + e->count) * sizeof *out);
    memcpy(out, e->now, e->variables * sizeof *out);
    memcpy(out + VARIABLES_MAX, e->made, e->count * sizeof *out);
    e->out[b] = out;
}

static void finish_phis(Escape *e)
{
    for (size_t i = 0; i < e->pending.len; i++) {
        const Pending *p = &e->pending.at[i];
        IrType type = (IrType)ir_node(e->g, p->phi)->type;
        NodeId never = ir_const(e->g, type, 0);
        const Block *block = ir_at(e->g, p->block);
        NodeId *in = ir_inputs(e->g, ir_node(e->g, p->phi));
        for (uint32_t k = 0; k < block->preds.len; k++) {
            NodeId value = value_behind(e, block->preds.at[k], p->of);
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
    e->stored = vm_calloc(g->blocks.len, sizeof *e->stored);
    e->out = vm_calloc(g->blocks.len, sizeof *e->out);
    e->meeting = vm_calloc(g->blocks.len, sizeof *e->meeting);
    g->virtualizes = true;
    note_stores(e);
    for (size_t i = 0; i < g->order.len; i++)
        pass_block(e, g->order.at[i]);
    for (size_t i = 0; i < g->order.len; i++)
        ir_at(g, g->order.at[i])->state = e->meeting[g->order.at[i]];
    finish_phis(e);
    replace_loads(e);
    vm_free(e->replaced);
    vm_free(e->stored);
    vm_free(e->out);
    vm_free(e->meeting);
    vec_free(&e->pending);
}

// False: there are none.
static bool find_and_virtualize(Graph *g, bool partial)
{
    Escape e = {.g = g,
                .partial = partial,
                .nodes = (uint32_t)g->nodes.len,
                .states = (uint32_t)g->states.len};
    e.number = vm_calloc(e.nodes, sizeof *e.number);
    e.mentioned = vm_calloc(e.states, sizeof *e.mentioned);
    e.asked = vm_calloc(e.states, sizeof *e.asked);
    BlockId first = (BlockId)g->blocks.len;
    bool some = escape_find(&e);
    if (some && partial)
        escape_find_places(&e);
    some = e.count && e.variables * g->blocks.len <= VARIABLES_IN_BLOCKS_MAX;
    if (some)
        virtualize(&e);
    if (g->blocks.len > first)
        escape_join_edges(g, first);
    vm_free(e.number);
    vm_free(e.mentioned);
    vm_free(e.asked);
    return some;
}

// ---- Escape nodes ----

static void mark_used(const Graph *g, bool *used)
{
    for (size_t i = 0; i < g->order.len; i++) {
        const IrList *nodes = &ir_at(g, g->order.at[i])->nodes;
        for (uint32_t k = 0; k < nodes->len; k++) {
            Node *n = ir_node(g, nodes->at[k]);
            for (uint32_t j = 0; j < ir_input_count(n); j++)
                used[ir_inputs(g, n)[j]] = true;
        }
    }
}

// Those that show their object to nobody any more; `used` NULL: all.
static void drop_escapes(Graph *g, const bool *used)
{
    NodeId *replaced = vm_calloc(g->nodes.len, sizeof *replaced);
    bool any = false;
    for (NodeId n = 1; n < g->nodes.len; n++) {
        const Node *node = ir_node(g, n);
        if (node->op != IR_Escape || (used && used[n]))
            continue;
        replaced[n] = node->in[0];
        any = true;
    }
    if (any)
        ir_replace(g, replaced);
    vm_free(replaced);
}

static void drop_idle_escapes(Graph *g)
{
    bool *used = vm_calloc(g->nodes.len, sizeof *used);
    mark_used(g, used);
    drop_escapes(g, used);
    vm_free(used);
}

void escape_drop_all(Graph *g)
{
    drop_escapes(g, NULL);
    for (BlockId b = 1; b < g->blocks.len; b++)
        ir_at(g, b)->state = 0;
    g->has_escape = false;
}

void ir_drop_escapes(Graph *g)
{
    if (!g->has_escape)
        return;
    escape_drop_all(g);
    ir_dce(g); // what only the states of blocks named
}

// What only such an object holds is one itself, the next time.
void ir_escape(Graph *g)
{
    for (uint32_t times = 0; times < TIMES; times++) {
        ir_between(g);
        answer_tests(g);
        if (!find_and_virtualize(g, false) && !(g->has_escape && find_and_virtualize(g, true)))
            return;
        ir_dce(g); // fields that nobody reads
        ir_gvn(g); // what is plain now
        ir_branches(g);
        ir_dce(g);
        if (g->has_escape)
            drop_idle_escapes(g);
    }
}
