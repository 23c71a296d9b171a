// SPDX-License-Identifier: Apache-2.0
// From bytecodes to nodes, in one walk over the blocks in reverse post-order: all edges into a block but those
// back to a loop's header are known when it begins. A header gets a phi for each operand and for each local that
// its loop stores; the inputs from its latches are added when all is walked. A phi whose inputs differ in kind,
// or of which one is unset, is of a local that no instruction can read: it becomes unset in the states that name it.
#include "jit/build.h"

#include "interp/interp.h"
#include "interp/trace.h"

enum { MAX_CODE_BYTES = 8000, MAX_NODES = 200000 };

// ---- nodes ----

// A check in front of a call may be one of what is called instead, which throws by itself; but for its receiver's.
static bool is_call(const Instruction *in)
{
    return in->op >= BC_invokevirtual && in->op <= BC_invokedynamic;
}

NodeId build_value(Builder *b, IrOp op, IrType type, uint32_t count, const NodeId *in,
                   uint32_t aux)
{
    NodeId swapped[2];
    if ((ir_ops[op].flags & IRF_COMMUTES) && ir_is_const(b->g, in[0])) {
        swapped[0] = in[1]; // a constant stands on the right
        swapped[1] = in[0];
        in = swapped;
    }
    NodeId known = count > 0 ? build_known_value(b, op, in, aux) : 0;
    if (!known)
        known = ir_fold(b->g, op, count, in);
    if (!known && count == 2)
        known = build_reduced(b, op, in);
    if (known)
        return known;
    if ((ir_ops[op].flags & IRF_CHECK) && !is_call(&b->in))
        build_test_check(b, op, count, in, aux);
    NodeId n = ir_number(b->g, b->block, op, type, count, in, aux);
    if ((ir_ops[op].flags & IRF_CHECK) && !ir_node(b->g, n)->state) {
        StateId again = build_state_again(b);
        ir_node(b->g, n)->state = again;
    }
    return n;
}

bool build_is_new(const Builder *b, NodeId n)
{
    return ir_node(b->g, n)->type == IRT_A
           && ir_node(b->g, ir_unchecked(b->g, n))->op == IR_New;
}

// The first of a node's inputs that others may see from then on; UINT32_MAX: it shows none.
static uint32_t first_shown(const Builder *b, IrOp op)
{
    switch (op) {
    case IR_StoreField: return 1;
    case IR_StoreElem: return 2;
    case IR_StoreAt:
    case IR_CompareAndSetAt:
    case IR_GetAndSetAt:
    case IR_CallStatic:
    case IR_CallExact:
    case IR_CallVirtual:
    case IR_CallInterface:
    case IR_CallC:
    case IR_CallRuntime:
    case IR_Throw: return 0;
    case IR_Return: return b->options->posts_calls ? UINT32_MAX : 0; // METHOD_EXIT was posted
    default: return UINT32_MAX;
    }
}

NodeId build_escape(Builder *b, NodeId n)
{
    if (!build_is_new(b, n))
        return n;
    b->g->has_escape = true;
    NodeId escape = ir_number(b->g, b->block, IR_Escape, IRT_A, 1, &n, 0);
    if (!ir_node(b->g, escape)->state) {
        StateId again = build_state_again(b);
        ir_node(b->g, escape)->state = again;
    }
    return escape;
}

// The inputs of a node, where those that it shows to others are seen to escape.
static const NodeId *escape_inputs(Builder *b, IrOp op, uint32_t count, const NodeId *in)
{
    NodeId *shown = NULL;
    for (uint32_t i = first_shown(b, op); i < count; i++) {
        if (!build_is_new(b, in[i]))
            continue;
        if (!shown) {
            shown = arena_alloc(&b->g->arena, count * sizeof *shown);
            memcpy(shown, in, count * sizeof *shown);
        }
        shown[i] = build_escape(b, in[i]);
    }
    return shown ? shown : in;
}

NodeId build_effect(Builder *b, IrOp op, IrType type, uint32_t count, const NodeId *in,
                    uint32_t aux, StateId state)
{
    if (b->g->has_new)
        in = escape_inputs(b, op, count, in);
    b->g->has_new |= op == IR_New;
    NodeId n = ir_add(b->g, b->block, op, type, count, in, aux);
    ir_node(b->g, n)->state = state;
    return ir_node(b->g, n)->type == IRT_V ? 0 : n;
}

void build_deopt(Builder *b, DeoptReason reason)
{
    build_effect(b, IR_Deopt, IRT_V, 0, NULL, reason, build_state_again(b));
    b->block = 0;
}

// ---- edges ----

static bool same_locks(const Builder *b, const Env *env)
{
    if (env->locks != b->locks.len)
        return false;
    const NodeId *locks = env->words + build_locals(b) + env->depth;
    for (uint32_t i = 0; i < env->locks; i++)
        if (ir_unchecked(b->g, locks[i]) != ir_unchecked(b->g, b->locks.at[i]))
            return false;
    return true;
}

// The frame as it is comes to a code block, from the end of a block.
static void connect(Builder *b, BlockId from, uint32_t code_block)
{
    CodeBlock *to = &b->blocks[code_block];
    if (!to->block)
        to->block = build_new_block(b, b->flow.starts[code_block]);
    ir_edge(b->g, from, to->block);
    Edge *edge = arena_alloc(&b->g->arena, sizeof *edge);
    edge->env = build_env(b);
    *to->last_edge = edge;
    to->last_edge = &edge->next;
    if (to->edges->env->depth != b->depth)
        build_refuse(b, REFUSED_CODE);
    else if (!same_locks(b, to->edges->env))
        build_refuse(b, REFUSED_LOCKING);
}

static bool goes_back(const Builder *b, uint32_t code_block)
{
    return b->blocks[code_block].order <= b->at->order;
}

// Before the instruction at bci, which may be the one under way.
static StateId state_before(Builder *b, uint32_t bci)
{
    uint8_t reported = b->reported;
    b->reported = REPORTED_NOTHING;
    StateId state = build_state(b, bci, STATE_AGAIN);
    b->reported = reported;
    return state;
}

static void build_poll(Builder *b, uint32_t bci)
{
    build_effect(b, IR_Poll, IRT_V, 0, NULL, 0, state_before(b, bci));
}

void build_meeting(Builder *b, uint32_t bci)
{
    if (b->g->has_new && !b->g->refused)
        ir_at(b->g, b->block)->state = state_before(b, bci);
}

void build_go(Builder *b, BlockId from, uint32_t code_block)
{
    if (b->g->refused)
        return;
    b->block = from;
    if (goes_back(b, code_block))
        build_poll(b, b->flow.starts[code_block]);
    build_effect(b, IR_Goto, IRT_V, 0, NULL, 0, 0);
    b->block = 0;
    connect(b, from, code_block);
}

void build_branch(Builder *b, BlockId from, uint32_t code_block)
{
    if (b->g->refused)
        return;
    if (!goes_back(b, code_block)) {
        connect(b, from, code_block);
        return;
    }
    BlockId latch = build_new_block(b, b->flow.starts[code_block]);
    ir_edge(b->g, from, latch);
    build_go(b, latch, code_block);
}

// What `from` ends in comes to the handlers of b's block: b's own call or throw, or one of a method that is inlined in its call.
static void land(Builder *b, BlockId from)
{
    const IrList *handlers = &b->at->handlers;
    NodeId *bottom = b->words + build_locals(b), kept = *bottom;
    uint32_t depth = b->depth;
    BlockId block = b->block;
    for (uint32_t i = 0; i < handlers->len; i++) {
        BlockId landing = build_new_block(b, b->flow.starts[handlers->at[i]]);
        ir_edge(b->g, from, landing);
        *bottom = ir_add(b->g, landing, IR_Landing, IRT_A, 0, NULL, 0);
        b->depth = 1;
        build_go(b, landing, handlers->at[i]);
    }
    *bottom = kept;
    b->depth = depth;
    b->block = block;
}

// The first of b and its callers whose handlers an exception comes to; NULL: none. Past a method that holds a monitor it does not go
// by itself.
static Builder *next_to_land(Builder *b)
{
    while (b && b->at->handlers.len == 0)
        b = b->locks.len == 0 ? b->caller : NULL;
    return b;
}

bool build_handler_in_reach(Builder *b)
{
    return next_to_land(b) != NULL;
}

void build_landings(Builder *b, bool ends)
{
    BlockId from = b->block, next = 0;
    Builder *first = next_to_land(b);
    if (b->g->refused || (!first && !ends))
        return;
    if (!ends) {
        next = build_new_block(b, b->in.bci);
        ir_edge(b->g, from, next);
    }
    for (Builder *c = first; c; c = next_to_land(c->locks.len == 0 ? c->caller : NULL))
        land(c, from);
    b->block = b->g->refused ? 0 : next;
}

// ---- merging ----

static bool is_stored_in_loop(const CodeBlock *c, uint32_t slot)
{
    return c->stored[slot / 64] >> (slot % 64) & 1;
}

// Operands and what is stored in the loop are not what they were when it comes round; nor is a wide value whose second
// word is.
static bool needs_phi(const Builder *b, const CodeBlock *c, uint32_t word, NodeId n)
{
    if (!c->is_header || !n)
        return false;
    if (word >= build_locals(b) || is_stored_in_loop(c, word))
        return true;
    uint8_t type = ir_node(b->g, n)->type;
    return (type == IRT_L || type == IRT_D) && is_stored_in_loop(c, word + 1);
}

// What a word is where edges meet: what all bring, a phi, or 0.
static NodeId merge_word(Builder *b, CodeBlock *c, uint32_t word)
{
    NodeId first = c->edges->env->words[word];
    bool equal = true, typed = first != 0;
    uint32_t count = 0;
    for (const Edge *e = c->edges; e; e = e->next, count++) {
        NodeId n = e->env->words[word];
        equal &= n == first;
        typed = typed && n && ir_node(b->g, n)->type == ir_node(b->g, first)->type;
    }
    if (equal && !needs_phi(b, c, word, first))
        return first;
    if (!typed)
        return 0;
    NodeId *in = arena_alloc(&b->g->arena, count * sizeof *in);
    count = 0;
    for (const Edge *e = c->edges; e; e = e->next)
        in[count++] = e->env->words[word];
    return ir_add(b->g, b->block, IR_Phi, (IrType)ir_node(b->g, first)->type, count, in, 0);
}

static void begin(Builder *b, CodeBlock *c)
{
    VM_ASSERT(c->edges && !c->begun);
    c->begun = true;
    b->at = c;
    b->block = c->block;
    build_enter_env(b, c->edges->env);
    if (!c->edges->next && !c->is_header)
        return;
    uint32_t count = build_locals(b) + b->depth;
    if (c->is_header)
        c->phis = arena_alloc(&b->g->arena, MAX_OF(count, 1u) * sizeof *c->phis);
    for (uint32_t word = 0; word < count; word++) {
        NodeId n = b->words[word] = merge_word(b, c, word);
        if (c->is_header && n && ir_node(b->g, n)->op == IR_Phi
            && ir_node(b->g, n)->block == c->block)
            c->phis[word] = n;
    }
    build_meeting(b, b->flow.starts[c - b->blocks]);
}

// ---- phis of loops ----

static void add_latch_inputs(Builder *b, CodeBlock *c)
{
    uint32_t count = 0, words = build_locals(b) + c->edges->env->depth;
    for (const Edge *e = c->edges; e; e = e->next)
        count++;
    NodeId *in = arena_alloc(&b->g->arena, count * sizeof *in);
    for (uint32_t word = 0; word < words; word++) {
        if (!c->phis[word])
            continue;
        uint32_t i = 0;
        for (const Edge *e = c->edges; e; e = e->next)
            in[i++] = e->env->words[word];
        ir_set_inputs(b->g, c->phis[word], count, in);
    }
}

static bool is_unset_phi(const Graph *g, const bool *unset, Node *phi)
{
    const NodeId *in = ir_inputs(g, phi);
    for (uint32_t i = 0; i < ir_input_count(phi); i++)
        if (!in[i] || unset[in[i]] || ir_node(g, in[i])->type != phi->type)
            return true;
    return false;
}

// Marks the phis that hold no value of one kind, and those that these flow into. True if there are any.
static bool find_unset(const Graph *g, bool *unset)
{
    bool changed, any = false;
    do {
        changed = false;
        for (NodeId n = 1; n < g->nodes.len; n++) {
            Node *node = ir_node(g, n);
            if (node->op == IR_Phi && !unset[n] && is_unset_phi(g, unset, node))
                any = changed = unset[n] = true;
        }
    } while (changed);
    return any;
}

static void drop_unset(Builder *b, const bool *unset)
{
    Graph *g = b->g;
    for (size_t i = 0; i < g->words.len; i++)
        if (g->words.at[i] && unset[g->words.at[i]])
            g->words.at[i] = 0;
    for (BlockId id = 1; id < g->blocks.len; id++) {
        IrList *nodes = &ir_at(g, id)->nodes;
        uint32_t kept = 0;
        for (uint32_t i = 0; i < nodes->len; i++) {
            Node *n = ir_node(g, nodes->at[i]);
            if (unset[nodes->at[i]])
                continue;
            nodes->at[kept++] = nodes->at[i];
            for (uint32_t k = 0; k < ir_input_count(n); k++)
                if (unset[ir_inputs(g, n)[k]])
                    build_refuse(b, REFUSED_CODE); // reads it: no verifier has seen the code
        }
        nodes->len = kept;
    }
}

static void finish_phis(Builder *b)
{
    bool any = false;
    for (uint32_t i = 0; i < b->order.len; i++) {
        CodeBlock *c = &b->blocks[b->order.at[i]];
        any |= c->phis != NULL;
        if (c->phis)
            add_latch_inputs(b, c);
    }
    if (!any)
        return;
    bool *unset = vm_calloc(b->g->nodes.len, sizeof *unset);
    if (find_unset(b->g, unset))
        drop_unset(b, unset);
    vm_free(unset);
}

// ---- the walk ----

static void add_param(Builder *b, uint32_t slot, char kind)
{
    NodeId n = ir_add(b->g, b->block, IR_Param, ir_type_of_kind(kind), 0, NULL, slot);
    build_store(b, slot, n);
}

void build_words(Builder *b)
{
    const CodeInfo *code = &b->source->code;
    b->words =
        arena_alloc(&b->g->arena, (code->max_locals + code->max_stack + 2u) * sizeof *b->words);
}

// The monitor of a synchronized method, which the code enters, or who called it did.
static void hold_monitor(Builder *b, bool enters)
{
    const IrSource *s = b->source;
    uint32_t own = ir_intern(b->g, (uintptr_t)(s->method ? s->method->cls : NULL));
    NodeId lock =
        s->access & ACC_STATIC ? build_value(b, IR_Mirror, IRT_A, 0, NULL, own) : b->words[0];
    VM_ASSERT(b->in.bci == 0 && b->locks.len == 0);
    if (enters) {
        b->reported = REPORTED_NO_ENTRY;
        build_effect(b, IR_MonitorEnter, IRT_V, 1, &lock, 0, build_state(b, 0, STATE_AGAIN));
        b->reported = REPORTED_NOTHING;
    }
    vec_push(&b->locks, lock);
}

void build_begin_method(Builder *b, bool enters)
{
    build_at(b, 0);
    if (b->source->access & ACC_SYNCHRONIZED)
        hold_monitor(b, enters);
    if (b->options->posts_calls)
        build_post_entry(b);
}

// The entry block has the parameters; nothing leads back to it.
static void build_entry(Builder *b)
{
    const IrSource *s = b->source;
    bool is_static = (s->access & ACC_STATIC) != 0;
    b->block = build_new_block(b, 0);
    VM_ASSERT(b->block == 1);
    if (!is_static)
        add_param(b, 0, 'L');
    DescriptorWalk w =
        descriptor_walk((const char *)s->descriptor.p, s->descriptor.len, is_static ? 0 : 1);
    while (descriptor_walk_next(&w))
        add_param(b, w.slot, w.kind);
    build_begin_method(b, b->options->enters);
}

static void build_block(Builder *b, uint32_t code_block)
{
    uint32_t bci = b->flow.starts[code_block], end = b->flow.starts[code_block + 1];
    build_at(b, bci);
    begin(b, &b->blocks[code_block]);
    if (b->note_loop && bci == b->options->loop_bci)
        *b->note_loop = build_state(b, bci, STATE_AGAIN);
    const Method *m = b->source->method;
    b->insn = m ? method_insn_at(m, bci) : NULL;
    for (; b->block && bci < end; bci += b->in.length, b->insn += b->insn != NULL) {
        bool ok = instruction_read(b->flow.code.code, b->flow.code.code_len, bci, &b->in);
        VM_CHECK(ok); // flow_graph_init has read all
        b->again = 0;
        b->reported = REPORTED_NOTHING;
        b->start_depth = b->depth;
        build_at(b, bci);
        if (trace_is_on() && m && trace_wants(m, bci))
            build_effect(b, IR_Trace, IRT_V, 0, NULL, 0, build_state_again(b));
        build_breakpoint(b);
        build_step(b);
    }
    if (b->block)
        build_go(b, b->block, code_block + 1);
    if (b->g->nodes.len > MAX_NODES)
        build_refuse(b, REFUSED_NODES);
}

static void pause(Builder *b)
{
    if (b->options->pause && !b->options->pause(b->options->pause_ctx, b->g))
        build_refuse(b, REFUSED_CHANGED);
}

void build_blocks(Builder *b, uint32_t first)
{
    CodeBlock before = {0}; // comes before all in the order
    b->at = &before;
    build_go(b, b->block, first);
    b->at = NULL;
    for (uint32_t i = 0; i < b->order.len && !b->g->refused; i++)
        if (b->blocks[b->order.at[i]].edges) {
            build_block(b, b->order.at[i]);
            pause(b);
        }
    if (!b->g->refused)
        finish_phis(b);
}

void build_free(Builder *b)
{
    vec_free(&b->locks);
    vec_free(&b->returned);
    flow_graph_free(&b->flow);
}

void build_graph(Builder *b, const LoopFrame *loop)
{
    if (b->source->code.code_len > MAX_CODE_BYTES) {
        build_refuse(b, REFUSED_SIZE);
        return;
    }
    if (build_find_blocks(b)) {
        uint32_t first = loop ? flow_graph_block(&b->flow, b->options->loop_bci) : 0;
        build_words(b);
        if (loop)
            build_loop_entry(b, loop);
        else
            build_entry(b);
        build_blocks(b, first);
    }
    build_free(b);
}

bool ir_build(Graph *g, const BuildOptions *options)
{
    LoopFrame loop;
    Builder b = {.g = g, .source = g->source, .options = options};
    g->posts_calls = options->posts_calls;
    if (b.source->code.max_locals + b.source->code.max_stack > MAX_STATE_WORDS)
        build_refuse(
            &b,
            REFUSED_SLOTS); // its frame, which deoptimization makes, needs more of the Java stack than calls ask for
    else if (!options->enters_loop)
        build_graph(&b, NULL);
    else if (build_loop_frame(g, options, &loop))
        build_graph(&b, &loop);
    return !g->refused;
}
