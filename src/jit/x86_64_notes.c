// SPDX-License-Identifier: Apache-2.0
// What is written down of the code while it is emitted: states, sites, positions (code/compiled_code.h).
#include "class/class.h"
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

// What an object that the code had not made has become where the state that is noted stands; itself: it is still not made.
static NodeId become(const Emitter *e, NodeId n)
{
    const State *s = ir_state(e->g, e->noted);
    const NodeId *made = e->g->words.at + s->made;
    for (uint32_t i = 0; i < s->made_count; i++)
        if (made[2 * i] == n)
            return become(e, e->m->value[made[2 * i + 1]]); // it may be made later still
    return n;
}

static CodeValue value_of(Emitter *e, NodeId n, uint32_t position)
{
    if (!n)
        return (CodeValue){.place = PLACE_UNSET};
    n = e->m->value[n];
    if (ir_is_unmade(ir_node(e->g, n)))
        n = become(e, n);
    const Node *node = ir_node(e->g, n);
    CodeValue v = {.kind = kinds[node->type]};
    if (ir_is_unmade(node)) {
        v.place = PLACE_VIRTUAL;
        v.index = n & 0xFFFFFF;
        return v;
    }
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

bool has_state_before(const Emitter *e, NodeId n)
{
    uint32_t words = 0;
    Node *node = ir_node(e->g, n);
    for (uint32_t i = 0; i < ir_input_count(node); i++)
        words += 1u + is_wide(e, ir_inputs(e->g, node)[i]);
    return words >= ir_popped_words(e->g, ir_state(e->g, node->state));
}

static uint32_t note_scope(Emitter *e, uint32_t scope, uint32_t position);

// How the interpreter goes on with what an instruction does again whose events were posted so far.
static uint8_t kind_again(const State *s)
{
    static const uint8_t again[] = {[REPORTED_NOTHING] = CODE_AGAIN,
                                    [REPORTED_BREAKPOINT] = CODE_PAST_BREAKPOINT,
                                    [REPORTED_ACCESS] = CODE_PAST_ACCESS,
                                    [REPORTED_NO_ENTRY] = CODE_ENTERING};
    return again[s->reported];
}

// The locals of state s and its operands; then come, if anybody asks, operands that were popped, and locks.
static CodeState begin_state(Emitter *e, const State *s, uint32_t position)
{
    const NodeId *locals, *operands;
    ir_state_words(e->g, s, &locals, &operands);
    CodeState state = {.scope = note_scope(e, s->scope, position),
                       .bci = s->bci,
                       .kind = s->kind == STATE_AGAIN ? kind_again(s) : s->kind,
                       .locals = (uint16_t)ir_state_locals(e->g, s),
                       .depth = s->depth};
    state.locals_at = (uint32_t)e->notes.values.len;
    for (uint32_t i = 0; i < state.locals; i++)
        push_value(e, locals[i], position);
    state.operands_at = (uint32_t)e->notes.values.len;
    for (uint32_t i = 0; i < s->depth; i++)
        push_value(e, operands[i], position);
    return state;
}

static void push_locks(Emitter *e, const State *s, CodeState *state, uint32_t count,
                       uint32_t position)
{
    const NodeId *locals, *operands;
    ir_state_words(e->g, s, &locals, &operands);
    state->locks = (uint8_t)count;
    for (uint32_t i = 0; i < MIN_OF(s->locks, count); i++)
        push_value(e, operands[s->depth + i], position);
}

// The class of an object that is not made, or the array that boxes of its value may come from.
static CodeValue origin_of(Emitter *e, NodeId n)
{
    const Node *node = ir_node(e->g, n);
    bool boxed = node->op == IR_Boxed;
    uint64_t bits = boxed ? (uintptr_t)ir_find_box(e->g, n)->cache : ir_value(e->g, node);
    return (CodeValue){.place = boxed ? PLACE_HANDLE : PLACE_CONSTANT,
                       .index = constant_index(&e->notes, bits) & 0xFFFFFF};
}

// What the code has not made of the objects that a state names.
static void push_virtuals(Emitter *e, const State *s, CodeState *state, uint32_t position)
{
    const Field *fields[CODE_VIRTUAL_FIELDS_MAX];
    const NodeId *words = e->g->words.at + s->virtuals;
    if (s->virtual_count == 0)
        return;
    state->virtuals_at = (uint32_t)e->notes.values.len;
    vec_push(&e->notes.values,
             ((CodeValue){.place = PLACE_UNSET, .index = s->virtual_count & 0xFFFFFF}));
    for (uint32_t i = 0; i < s->virtual_count; i++) {
        uint32_t count;
        bool known = ir_virtual_fields(e->g, ir_node(e->g, *words), fields, &count);
        VM_ASSERT(known && ir_is_unmade(ir_node(e->g, *words)));
        push_value(e, *words, position);
        vec_push(&e->notes.values, origin_of(e, *words++));
        for (uint32_t k = 0; k < count; k++)
            push_value(e, *words++, position);
    }
}

static bool same_values(const Notes *t, const CodeState *a, const CodeState *b)
{
    uint32_t count = a->operands_at - a->locals_at + a->depth + a->locks;
    return a->scope == b->scope && a->bci == b->bci
           && memcmp(t->values.at + a->locals_at, t->values.at + b->locals_at,
                     count * sizeof *t->values.at)
                  == 0;
}

void note_method(Emitter *e, uint32_t scope, uint32_t caller)
{
    const IrSource *source = e->g->scopes.at[scope].source;
    vec_push(&e->notes.scopes, ((CodeScope){source->method, caller}));
    vec_push(&e->notes.sources, source);
}

// The number of a scope in the notes, whose caller's values lie where they do at a position.
static uint32_t note_scope(Emitter *e, uint32_t scope, uint32_t position)
{
    Notes *t = &e->notes;
    if (scope == 0)
        return 0;
    const State *s = ir_state(e->g, e->g->scopes.at[scope].caller);
    CodeState caller = begin_state(e, s, position);
    push_locks(e, s, &caller, s->locks, position);
    uint32_t last = e->last_scope[scope];
    if (last && same_values(t, &caller, &t->states.at[t->scopes.at[last].caller])) {
        t->values.len = caller.locals_at;
        return last;
    }
    vec_push(&t->states, caller);
    note_method(e, scope, (uint32_t)t->states.len - 1);
    return e->last_scope[scope] = (uint32_t)t->scopes.len - 1;
}

uint32_t note_state(Emitter *e, NodeId n, uint32_t position, StateUse use)
{
    const State *s = ir_state(e->g, ir_node(e->g, n)->state);
    e->noted = ir_node(e->g, n)->state;
    CodeState state = begin_state(e, s, position);
    if (use == STATE_BEFORE) {
        VM_ASSERT(has_state_before(e, n));
        state.depth =
            (uint16_t)(state.depth + push_inputs(e, n, position, ir_popped_words(e->g, s)));
        state.kind = kind_again(s);
    }
    VM_ASSERT(use != STATE_UNLOCKED || s->locks > 0);
    push_locks(e, s, &state,
               s->locks + (uint32_t)(use == STATE_LOCKED) - (uint32_t)(use == STATE_UNLOCKED),
               position);
    if (use == STATE_LOCKED)
        push_value(e, ir_inputs(e->g, ir_node(e->g, n))[0], position);
    push_virtuals(e, s, &state, position);
    vec_push(&e->notes.states, state);
    return (uint32_t)e->notes.states.len - 1;
}

// ---- roots ----

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
        if (machine_covers(e->m, i, position))
            note_root(e, words, registers, i);
    }
    e->live.len = kept;
    return first;
}

// The number in the notes of a scope of the graph, whose method is among those of node n's frame; `state` is what was noted of that.
static uint32_t scope_in_state(const Emitter *e, NodeId n, uint32_t state, uint32_t scope)
{
    const Notes *t = &e->notes;
    const State *s = ir_state(e->g, ir_node(e->g, n)->state);
    for (; s->scope != scope; s = ir_state(e->g, ir_state_below(e->g, s)))
        state = t->scopes.at[t->states.at[state].scope].caller;
    return t->states.at[state].scope;
}

// The landings of node n, which ends its block, as CodeSite has them.
static uint8_t note_landings(Emitter *e, NodeId n, uint32_t state)
{
    const Block *block = ir_at(e->g, ir_node(e->g, n)->block);
    uint8_t count = 0;
    for (uint32_t i = 0; i < block->succs.len && count < UINT8_MAX; i++) {
        const Block *to = ir_at(e->g, block->succs.at[i]);
        if (ir_node(e->g, to->nodes.at[0])->op != IR_Landing)
            continue;
        vec_push(&e->notes.landings,
                 ((CodeLanding){.scope = scope_in_state(e, n, state, to->scope),
                                .bci = to->bci,
                                .offset = block->succs.at[i]}));
        count++;
    }
    return count;
}

// Whether an exception leaves all frames of a state, and none of them has anything to do.
static bool passes(const Notes *t, uint32_t state)
{
    bool nothing = state != CODE_NO_STATE;
    while (nothing && state != CODE_NO_STATE) {
        const CodeState *s = &t->states.at[state];
        nothing = s->locks == 0 && t->sources.at[s->scope]->code.exception_count == 0;
        state = t->scopes.at[s->scope].caller;
    }
    return nothing;
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
                     .passes = passes(&e->notes, state),
                     .result = type == IRT_V ? 0 : (uint8_t)(kinds[type] + 1)};
    if (n && n == ir_end(ir_at(e->g, ir_node(e->g, n)->block)))
        site.landing_count = note_landings(e, n, state);
    vec_push(&e->notes.sites, site);
}

void note_methods(Emitter *e)
{
    for (uint32_t i = 1; i < e->g->scopes.len; i++)
        if (!e->last_scope[i])
            note_method(e, i, CODE_NO_STATE);
}

// Who asks for a position asks no values: where the scope has none noted, those of its callers are not there either.
static uint32_t position_scope(Emitter *e, uint32_t scope)
{
    if (scope == 0 || e->last_scope[scope])
        return scope == 0 ? 0 : e->last_scope[scope];
    if (e->bare_scope[scope])
        return e->bare_scope[scope];
    const State *s = ir_state(e->g, e->g->scopes.at[scope].caller);
    uint32_t values = (uint32_t)e->notes.values.len;
    CodeState caller = {.scope = position_scope(e, s->scope),
                        .bci = s->bci,
                        .kind = s->kind,
                        .locals_at = values,
                        .operands_at = values};
    vec_push(&e->notes.states, caller);
    note_method(e, scope, (uint32_t)e->notes.states.len - 1);
    return e->bare_scope[scope] = (uint32_t)e->notes.scopes.len - 1;
}

// A node without a state is of the instruction that it was made for.
void note_position(Emitter *e, NodeId n)
{
    const Node *node = ir_node(e->g, n);
    const State *s = node->state ? ir_state(e->g, node->state) : NULL;
    const Block *block = ir_at(e->g, node->block);
    bool lands = !s && node->op == IR_Landing;
    Notes *t = &e->notes;
    CodePosition *last = t->positions.len ? &t->positions.at[t->positions.len - 1] : NULL;
    uint32_t scope = s ? s->scope : lands ? block->scope : node->scope;
    CodePosition here = {.offset = (uint32_t)asm_size(&e->a),
                         .scope = position_scope(e, scope),
                         .bci = s       ? s->bci
                                : lands ? block->bci
                                        : node->bci};
    if (last && last->bci == here.bci && last->scope == here.scope)
        return;
    if (last && last->offset == here.offset)
        *last = here;
    else
        vec_push(&t->positions, here);
}
