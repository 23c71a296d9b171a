// SPDX-License-Identifier: Apache-2.0
// Graphs of methods that are entered in the middle of an activation, where a loop begins. What the frame holds there is found by building
// the whole method, for that alone: the state at that place says it.
#include "jit/build.h"

#include "class/class.h"
#include "code/compiled_code.h"
#include "frame/frame_cursor.h"
#include "interp/interp.h"

// The last local that holds what is locked, as on all paths to the loop; -1: none. Compilers keep what a block has to exit in a local
// of its own, behind those of the program.
static int32_t find_local(const Graph *g, const NodeId *locals, NodeId lock)
{
    for (uint32_t i = g->source->code.max_locals; i-- > 0;)
        if (locals[i] && ir_unchecked(g, locals[i]) == ir_unchecked(g, lock))
            return (int32_t)i;
    return -1;
}

static bool is_class(const IrSource *s, uint32_t lock)
{
    return lock == 0 && (s->access & ACC_SYNCHRONIZED) && (s->access & ACC_STATIC);
}

static uint8_t *take_types(const Graph *whole, const NodeId *words, uint32_t count, Graph *g)
{
    uint8_t *types = arena_alloc(&g->arena, MAX_OF(count, 1u));
    for (uint32_t i = 0; i < count; i++)
        types[i] = words[i] ? ir_node(whole, words[i])->type : IRT_V;
    return types;
}

// Whether a local that has the type on the paths of the graph holds a value of it on all others: those behind handlers that no
// instruction of the graph leads to, behind branches that it knows.
static bool is_always(IrType type, SlotKind kind)
{
    switch (type) {
    case IRT_A: return kind == SLOT_REF;
    case IRT_L:
    case IRT_D: return kind == SLOT_WIDE;
    default: return kind == SLOT_NUMBER;
    }
}

// What differs on other paths is none of the loop's locals: it reads none of those.
static IrRefusal forget_mixed(Graph *g, uint32_t bci, LoopFrame *frame)
{
    uint32_t count = g->source->code.max_locals;
    uint8_t *kinds = arena_alloc(&g->arena, MAX_OF(count, 1u));
    if (!g->source->method)
        return REFUSED_NOT; // nobody runs it
    attempt_pause();        // they are the method's
    bool found = method_locals_at(g->source->method, bci, kinds);
    attempt_resume();
    for (uint32_t i = 0; found && i < count; i++)
        if (!is_always((IrType)frame->types[i], (SlotKind)kinds[i]))
            frame->types[i] = IRT_V;
    for (uint32_t i = 0; i < frame->lock_count; i++)
        found &= frame->locks[i] == CODE_LOCK_CLASS || frame->types[frame->locks[i]] == IRT_A;
    return found ? REFUSED_NOT : REFUSED_LOOP;
}

static IrRefusal take_state(const Graph *whole, const State *s, Graph *g, LoopFrame *out)
{
    const NodeId *locals, *operands;
    ir_state_words(whole, s, &locals, &operands);
    out->types = take_types(whole, locals, g->source->code.max_locals, g);
    out->depth = s->depth;
    out->operand_types = take_types(whole, operands, s->depth, g);
    out->lock_count = s->locks;
    out->locks = arena_alloc(&g->arena, MAX_OF(s->locks, 1u) * sizeof *out->locks);
    for (uint32_t i = 0; i < s->locks; i++) {
        int32_t local = is_class(g->source, i)
                            ? CODE_LOCK_CLASS
                            : find_local(whole, locals, operands[s->depth + i]);
        if (local < 0)
            return REFUSED_LOOP;
        out->locks[i] = (uint16_t)local;
    }
    return REFUSED_NOT;
}

bool build_loop_frame(Graph *g, const BuildOptions *options, LoopFrame *out)
{
    Graph whole;
    StateId at_loop = 0;
    BuildOptions all = *options;
    all.enters_loop = false;
    all.link = true; // what never ran is no end
    all.inlines = all.intrinsics = false;
    all.posts_calls = false;
    ir_init(&whole, g->source);
    Builder b = {.g = &whole, .source = g->source, .options = &all, .note_loop = &at_loop};
    build_graph(&b, NULL);
    if (whole.refused)
        g->refused = whole.refused;
    else if (!at_loop)
        g->refused = REFUSED_LOOP;
    else
        g->refused = take_state(&whole, ir_state(&whole, at_loop), g, out);
    if (!g->refused)
        g->refused = forget_mixed(g, options->loop_bci, out);
    ir_free(&whole);
    return !g->refused;
}

// The frame lies between locals and operands (compiled_run_loop).
static void push_operands(Builder *b, const LoopFrame *frame)
{
    uint32_t first = build_locals(b) + (uint32_t)(sizeof(Frame) / sizeof(Slot));
    for (uint32_t i = 0; i < frame->depth; i++)
        if (frame->operand_types[i] != IRT_V) // the second half of the one before
            build_push(b, ir_add(b->g, b->block, IR_OsrLocal, (IrType)frame->operand_types[i],
                                 0, NULL, first + i));
}

void build_loop_entry(Builder *b, const LoopFrame *frame)
{
    uint32_t bci = b->options->loop_bci;
    const Method *m = b->source->method;
    uint32_t own = ir_intern(b->g, (uintptr_t)(m ? m->cls : NULL));
    b->block = build_new_block(b, bci);
    b->g->osr_bci = (int32_t)bci;
    for (uint32_t i = 0; i < build_locals(b); i++)
        if (frame->types[i] != IRT_V)
            build_store(
                b, i, ir_add(b->g, b->block, IR_OsrLocal, (IrType)frame->types[i], 0, NULL, i));
    push_operands(b, frame);
    for (uint32_t i = 0; i < frame->lock_count; i++) {
        uint16_t local = frame->locks[i];
        vec_push(&b->g->osr_locks, local);
        vec_push(&b->locks, local == CODE_LOCK_CLASS
                                ? build_value(b, IR_Mirror, IRT_A, 0, NULL, own)
                                : b->words[local]);
    }
}
