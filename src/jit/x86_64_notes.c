// SPDX-License-Identifier: Apache-2.0
// What is written down of the code while it is emitted: states, sites, positions (code/compiled_code.h).
#include "jit/x86_64_emit.h"

static uint32_t constant_index(Notes *t, uint64_t bits)
{
    for (size_t i = t->constants.len; i-- > 0 && t->constants.len - i < 16;)
        if (t->constants.at[i] == bits)
            return (uint32_t)i;
    vec_push(&t->constants, bits);
    return (uint32_t)t->constants.len - 1;
}

static const uint8_t kinds[] = {[IRT_I] = VALUE_I,
                                [IRT_L] = VALUE_J,
                                [IRT_F] = VALUE_F,
                                [IRT_D] = VALUE_D,
                                [IRT_A] = VALUE_A};

static CodeValue value_of(Emitter *e, NodeId n, uint32_t position)
{
    if (!n)
        return (CodeValue){.place = PLACE_UNSET};
    n = e->m->value[n];
    const Node *node = ir_node(e->g, n);
    CodeValue v = {.kind = kinds[node->type]};
    Location at = location_at(e, n, position);
    v.index = at.index & 0xFFFFFF;
    switch (at.kind) {
    case AT_REGISTER: v.place = PLACE_REGISTER; break;
    case AT_SLOT: v.place = PLACE_SLOT; break;
    default:
        VM_ASSERT(at.kind == AT_CONSTANT);
        v.place = PLACE_CONSTANT;
        v.index = constant_index(&e->notes, ir_value(e->g, node)) & 0xFFFFFF;
    }
    return v;
}

static bool is_wide(const Emitter *e, NodeId n)
{
    uint8_t type = ir_node(e->g, n)->type;
    return type == IRT_L || type == IRT_D;
}

static void push_value(Emitter *e, NodeId n, uint32_t position)
{
    vec_push(&e->notes.values, value_of(e, n, position));
}

// The operands that the node has popped, as the interpreter's frame has them.
static uint32_t push_inputs(Emitter *e, NodeId n, uint32_t position, uint32_t words)
{
    uint32_t pushed = 0;
    for (uint32_t i = 0; pushed < words; i++) {
        NodeId in = ir_inputs(e->g, ir_node(e->g, n))[i];
        push_value(e, in, position);
        pushed++;
        if (is_wide(e, in)) {
            push_value(e, 0, position);
            pushed++;
        }
    }
    return pushed;
}

uint32_t note_state(Emitter *e, NodeId n, uint32_t position, StateUse use)
{
    const State *s = ir_state(e->g, ir_node(e->g, n)->state);
    const NodeId *locals, *operands;
    ir_state_words(e->g, s, &locals, &operands);
    CodeState state = {
        .bci = s->bci, .kind = s->kind, .locks = s->locks, .locals = (uint16_t)ir_locals(e->g)};
    state.locals_at = (uint32_t)e->notes.values.len;
    for (uint32_t i = 0; i < state.locals; i++)
        push_value(e, locals[i], position);
    state.operands_at = (uint32_t)e->notes.values.len;
    for (uint32_t i = 0; i < s->depth; i++)
        push_value(e, operands[i], position);
    state.depth = s->depth;
    if (use == STATE_BEFORE) {
        state.depth =
            (uint16_t)(state.depth + push_inputs(e, n, position, ir_popped_words(e->g, s)));
        state.kind = CODE_AGAIN;
    }
    VM_ASSERT(use != STATE_UNLOCKED || s->locks > 0);
    state.locks = (uint8_t)(s->locks + (use == STATE_LOCKED) - (use == STATE_UNLOCKED));
    for (uint32_t i = 0; i < MIN_OF(s->locks, state.locks); i++)
        push_value(e, operands[s->depth + i], position);
    if (use == STATE_LOCKED)
        push_value(e, ir_inputs(e->g, ir_node(e->g, n))[0], position);
    vec_push(&e->notes.states, state);
    return (uint32_t)e->notes.states.len - 1;
}

// ---- roots ----

static bool covers(const Machine *m, const Interval *i, uint32_t at)
{
    for (uint32_t r = i->ranges; r && m->ranges.at[r].from <= at; r = m->ranges.at[r].next)
        if (at < m->ranges.at[r].to)
            return true;
    return false;
}

static void note_root(Emitter *e, uint32_t *words, uint32_t *registers, const Interval *i)
{
    uint32_t slot = e->m->slot[i->value];
    if (slot != NO_SLOT)
        words[slot / 32] |= 1u << (slot % 32);
    if (i->reg != NO_REGISTER)
        *registers |= 1u << i->reg;
}

uint32_t note_roots(Emitter *e, uint32_t position, uint32_t *registers)
{
    uint32_t first = (uint32_t)e->notes.root_words.len;
    for (uint32_t i = 0; i < (e->m->slot_count + 31) / 32; i++)
        vec_push(&e->notes.root_words, 0);
    uint32_t *words = e->notes.root_words.at + first;
    *registers = 0;
    for (; e->next_reference < e->references.len
           && e->references.at[e->next_reference].from <= position;
         e->next_reference++)
        vec_push(&e->live, e->references.at[e->next_reference]);
    size_t kept = 0;
    for (size_t k = 0; k < e->live.len; k++) {
        const Interval *i = &e->m->intervals.at[e->live.at[k].interval];
        if (i->end <= position)
            continue;
        e->live.at[kept++] = e->live.at[k];
        if (covers(e->m, i, position))
            note_root(e, words, registers, i);
    }
    e->live.len = kept;
    return first;
}

// The landings of node n, which ends its block, as CodeSite has them.
static uint8_t note_landings(Emitter *e, NodeId n)
{
    const Block *block = ir_at(e->g, ir_node(e->g, n)->block);
    uint8_t count = 0;
    for (uint32_t i = 0; i < block->succs.len && count < UINT8_MAX; i++) {
        const Block *to = ir_at(e->g, block->succs.at[i]);
        if (ir_node(e->g, to->nodes.at[0])->op != IR_Landing)
            continue;
        vec_push(&e->notes.landings,
                 ((CodeLanding){.bci = to->bci, .offset = block->succs.at[i]}));
        count++;
    }
    return count;
}

void note_site(Emitter *e, CodeSiteKind kind, NodeId n, uint32_t state, uint32_t roots,
               uint32_t registers)
{
    uint8_t type = n ? ir_node(e->g, n)->type : IRT_V;
    CodeSite site = {.offset = (uint32_t)asm_size(&e->a),
                     .state = state,
                     .landings = (uint32_t)e->notes.landings.len,
                     .roots = roots,
                     .registers = registers,
                     .kind = (uint8_t)kind,
                     .result = type == IRT_V ? 0 : (uint8_t)(kinds[type] + 1)};
    if (n && n == ir_end(ir_at(e->g, ir_node(e->g, n)->block)))
        site.landing_count = note_landings(e, n);
    vec_push(&e->notes.sites, site);
}

void note_position(Emitter *e, NodeId n)
{
    const Node *node = ir_node(e->g, n);
    uint32_t bci =
        node->state ? ir_state(e->g, node->state)->bci : ir_at(e->g, node->block)->bci;
    uint32_t offset = (uint32_t)asm_size(&e->a);
    size_t count = e->notes.positions.len;
    bool knows = node->state || node->op == IR_Landing;
    if (count && (e->notes.positions.at[count - 1].bci == bci || !knows))
        return;
    if (count && e->notes.positions.at[count - 1].offset == offset)
        e->notes.positions.at[count - 1].bci = bci;
    else
        vec_push(&e->notes.positions, ((CodePosition){.offset = offset, .bci = bci}));
}
