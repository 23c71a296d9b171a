// SPDX-License-Identifier: Apache-2.0
// The frame while the builder walks, and the states it makes of it. Operands that an instruction pops stay in their
// words until something is pushed: so the state before the instruction can be made as long as it has pushed nothing
// and stored no local, which is before its one effect.
#include "jit/build.h"

static bool is_wide(const Builder *b, NodeId n)
{
    uint8_t type = ir_node(b->g, n)->type;
    return type == IRT_L || type == IRT_D;
}

// A value of the right type; code that no verifier has seen may have none.
static NodeId expect(Builder *b, NodeId n, IrType type)
{
    if (n && ir_node(b->g, n)->type == type)
        return n;
    build_refuse(b, REFUSED_CODE);
    return ir_const(b->g, type, 0);
}

NodeId build_load(Builder *b, uint32_t slot, IrType type)
{
    return expect(b, slot < build_locals(b) ? b->words[slot] : 0, type);
}

void build_store(Builder *b, uint32_t slot, NodeId value)
{
    uint32_t words = is_wide(b, value) ? 2 : 1;
    if (slot + words > build_locals(b)) {
        build_refuse(b, REFUSED_CODE);
        return;
    }
    if (slot > 0 && b->words[slot - 1] && is_wide(b, b->words[slot - 1]))
        b->words[slot - 1] = 0; // its second half is gone
    if (words == 2)
        b->words[slot + 1] = 0;
    b->words[slot] = value;
    b->locals_at = 0;
}

NodeId build_pop(Builder *b, IrType type)
{
    uint32_t words = type == IRT_L || type == IRT_D ? 2 : 1;
    if (b->depth < words) {
        build_refuse(b, REFUSED_CODE);
        return ir_const(b->g, type, 0);
    }
    b->depth -= words;
    return expect(b, b->words[build_locals(b) + b->depth], type);
}

void build_push(Builder *b, NodeId value)
{
    if (!value)
        return;
    uint32_t words = is_wide(b, value) ? 2 : 1;
    if (b->depth + words > b->source->code.max_stack) {
        build_refuse(b, REFUSED_CODE);
        return;
    }
    NodeId *top = b->words + build_locals(b) + b->depth;
    top[0] = value;
    if (words == 2)
        top[1] = 0;
    b->depth += words;
}

void build_pop_kinds(Builder *b, const char *kinds, uint32_t count, NodeId *in)
{
    for (uint32_t i = count; i-- > 0;)
        in[i] = build_pop(b, ir_type_of_kind(kinds[i]));
}

static uint32_t add_words(Builder *b, const NodeId *at, size_t count)
{
    uint32_t first = (uint32_t)b->g->words.len;
    for (size_t i = 0; i < count; i++)
        vec_push(&b->g->words, at[i]);
    return first;
}

static StateId state_with(Builder *b, uint32_t bci, StateKind kind, uint32_t depth)
{
    VM_ASSERT(b->locks.len <= UINT8_MAX);
    if (b->g->scopes.at[b->scope].words + build_locals(b) + depth > MAX_STATE_WORDS)
        build_refuse(b, REFUSED_SLOTS);
    if (!b->locals_at)
        b->locals_at = add_words(b, b->words, build_locals(b));
    State s = {.bci = (uint16_t)bci,
               .kind = (uint8_t)kind,
               .depth = (uint16_t)depth,
               .locks = (uint8_t)b->locks.len,
               .reported = bci == b->in.bci ? b->reported : (uint8_t)REPORTED_NOTHING,
               .scope = b->scope,
               .locals = b->locals_at};
    s.operands = add_words(b, b->words + build_locals(b), depth);
    add_words(b, b->locks.at, b->locks.len);
    vec_push(&b->g->states, s);
    return (StateId)b->g->states.len - 1;
}

StateId build_state(Builder *b, uint32_t bci, StateKind kind)
{
    return state_with(b, bci, kind, b->depth);
}

StateId build_state_again(Builder *b)
{
    if (!b->again)
        b->again = state_with(b, b->in.bci, STATE_AGAIN, b->start_depth);
    return b->again;
}

const Env *build_env(Builder *b)
{
    uint32_t count = build_locals(b) + b->depth;
    Env *env =
        arena_alloc(&b->g->arena, sizeof *env + (count + b->locks.len) * sizeof *env->words);
    env->depth = b->depth;
    env->locks = (uint32_t)b->locks.len;
    memcpy(env->words, b->words, count * sizeof *env->words);
    if (b->locks.len)
        memcpy(env->words + count, b->locks.at, b->locks.len * sizeof *env->words);
    return env;
}

void build_enter_env(Builder *b, const Env *env)
{
    uint32_t count = build_locals(b) + env->depth;
    memcpy(b->words, env->words, count * sizeof *env->words);
    b->depth = env->depth;
    b->locks.len = 0;
    for (uint32_t i = 0; i < env->locks; i++)
        vec_push(&b->locks, env->words[count + i]);
    b->locals_at = 0;
    b->again = 0;
}
