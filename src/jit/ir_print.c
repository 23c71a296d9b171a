// SPDX-License-Identifier: Apache-2.0
// A graph as text:
//
//   b2 @5 <- b1 b4  loop header, depth 1
//     n7 I Phi n3 n12
//     n9 I RangeCheck n7 n8   {again @7 locals n1 . n7 operands n1 n7}
//     - Goto -> b3
#include <inttypes.h>

#include "class/class.h"
#include "jit/ir.h"

static const char *const conditions[] = {"", "==", "!=", "<", ">=", ">", "<="};
static const char *const fences[] = {"acquire", "release", "full"};
static const char *const kinds[] = {"again", "behind", "throwing", "leaving"};
_Static_assert(ARRAY_LEN(kinds) == STATE_LEAVING + 1, "one each");

static void print_name(const Graph *g, NodeId n, StrBuf *out)
{
    const Node *node = n ? ir_node(g, n) : NULL;
    if (!node)
        sb_add(out, " .");
    else if (node->op != IR_Const)
        sb_printf(out, " n%u", n);
    else if (node->type == IRT_A)
        sb_add(out, " null");
    else
        sb_printf(out, " %c:%" PRId64, "VILFDAX"[node->type],
                  node -> type == IRT_I ? (int32_t)ir_value(g, node)
                                        : (int64_t)ir_value(g, node));
}

static void print_names(const Graph *g, const NodeId *at, uint32_t count, StrBuf *out)
{
    for (uint32_t i = 0; i < count; i++)
        print_name(g, at[i], out);
}

static void print_pointer(const Graph *g, const Node *n, StrBuf *out)
{
    const void *p = ir_pointer(g, n);
    switch (n->op) {
    case IR_LoadField:
    case IR_StoreField:
    case IR_GetWatched:
    case IR_PutWatched: {
        const Field *f = p;
        sb_printf(out, " %s.%s", f->cls->name->s, f->name->s);
        break;
    }
    case IR_CallStatic:
    case IR_CallExact:
    case IR_CallVirtual:
    case IR_CallInterface:
    case IR_PostEntry:
    case IR_PostExit: {
        const Method *m = p;
        sb_printf(out, " %s.%s%s", m->cls->name->s, m->name->s, m->desc->s);
        break;
    }
    case IR_Object: sb_printf(out, " %p", p); break;
    default: sb_printf(out, " %s", ((const Class *)p)->name->s); break;
    }
}

void ir_print_aux(const Graph *g, const Node *n, StrBuf *out)
{
    switch ((IrAux)ir_info(n)->aux) {
    case AUX_NONE: break;
    case AUX_VALUE: sb_printf(out, " %#" PRIx64, ir_value(g, n)); break;
    case AUX_POINTER: print_pointer(g, n, out); break;
    case AUX_BYTECODE:
        sb_printf(out, " %s #%u", bytecode_info[ir_value(g, n) >> 16].name,
                  (unsigned)(ir_value(g, n) & 0xFFFF));
        break;
    case AUX_SLOT: sb_printf(out, " local %u", n->aux); break;
    case AUX_KIND: sb_printf(out, " %c", (char)n->aux); break;
    case AUX_CONDITION: sb_printf(out, " %s", conditions[n->aux]); break;
    case AUX_SWITCH: sb_printf(out, " keys from %d", g->keys.at[n->aux]); break;
    case AUX_BCI: sb_printf(out, " @%u", n->aux); break;
    case AUX_REASON: sb_printf(out, " %s", ir_deopt_text((DeoptReason)n->aux)); break;
    case AUX_FENCE: sb_printf(out, " %s", fences[n->aux]); break;
    }
}

const char *ir_state_text(const State *s)
{
    VM_ASSERT(s->kind < ARRAY_LEN(kinds));
    return kinds[s->kind];
}

static void print_virtual(void *ctx, NodeId n)
{
    sb_printf(ctx, " n%u", n);
}

static void print_virtuals(const Graph *g, const State *s, StrBuf *out)
{
    if (s->virtual_count || s->made_count)
        sb_add(out, " not made");
    ir_state_each_virtual(g, s, print_virtual, out);
}

static void print_state(const Graph *g, StateId id, StrBuf *out)
{
    const State *s = ir_state(g, id);
    const NodeId *locals, *operands;
    ir_state_words(g, s, &locals, &operands);
    const Method *m = s->scope ? g->scopes.at[s->scope].source->method : NULL;
    sb_printf(out, "   {%s %s@%u locals", ir_state_text(s), m ? m->name->s : "", s->bci);
    print_names(g, locals, ir_state_locals(g, s), out);
    sb_add(out, " operands");
    print_names(g, operands, s->depth, out);
    if (s->locks)
        sb_add(out, " locks");
    print_names(g, operands + s->depth, s->locks, out);
    print_virtuals(g, s, out);
    sb_putc(out, '}');
    if (ir_state_below(g, s))
        print_state(g, ir_state_below(g, s), out);
}

static void print_node(const Graph *g, NodeId id, StrBuf *out)
{
    Node *n = ir_node(g, id);
    if (n->type == IRT_V)
        sb_add(out, "  -");
    else
        sb_printf(out, "  n%u %c", id, "VILFDAX"[n->type]);
    sb_printf(out, " %s", ir_info(n)->name);
    ir_print_aux(g, n, out);
    print_names(g, ir_inputs(g, n), ir_input_count(n), out);
    if (n->state)
        print_state(g, n->state, out);
}

static void print_blocks(const IrList *blocks, const char *before, StrBuf *out)
{
    for (uint32_t i = 0; i < blocks->len; i++)
        sb_printf(out, "%s b%u", i == 0 ? before : "", blocks->at[i]);
}

void ir_print(const Graph *g, StrBuf *out)
{
    for (BlockId b = 1; b < g->blocks.len; b++) {
        const Block *block = ir_at(g, b);
        if (block->nodes.len == 0)
            continue; // nothing leads here any more
        sb_printf(out, "b%u @%u", b, block->bci);
        print_blocks(&block->preds, " <-", out);
        if (block->loop_depth)
            sb_printf(out, "  loop%s, depth %u", block->is_header ? " header" : "",
                      block->loop_depth);
        sb_add(out, block->cold ? "  cold\n" : "\n");
        for (uint32_t i = 0; i < block->nodes.len; i++) {
            print_node(g, block->nodes.at[i], out);
            if (i + 1 == block->nodes.len)
                print_blocks(&block->succs, " ->", out);
            sb_putc(out, '\n');
        }
    }
}
