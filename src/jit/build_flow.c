// SPDX-License-Identifier: Apache-2.0
// The blocks of the bytecodes in reverse post-order, their loops, and which locals each loop stores: those alone
// need a phi at its header. A loop that can be entered elsewhere than at its header is refused.
#include "jit/build.h"

enum { UNSEEN, ON_STACK, DONE }; // CodeBlock.mark

typedef struct EdgeContext {
    Builder *b;
    CodeBlock *from;
} EdgeContext;

static void add_edge(void *ctx, FlowEdge kind, uint32_t to)
{
    EdgeContext *c = ctx;
    if (kind != FLOW_HANDLER)
        ir_list_push(c->b->g, &c->from->succs, to);
}

// Whether an instruction may become a call, is a throw, or has thrown: alone these lead to handlers. Other checks deoptimize.
static bool may_land(const Builder *b, const Instruction *in, uint32_t bci)
{
    bool names_constant = in->info->format[0] == 'k' || in->info->format[0] == 'K';
    return (names_constant && (in->info->flags & BCF_THROWS)) || in->op == BC_athrow
           || in->op == BC_newarray || build_has_thrown(b, bci);
}

static bool block_may_land(const Builder *b, uint32_t block)
{
    Instruction in;
    for (uint32_t bci = b->flow.starts[block]; bci < b->flow.starts[block + 1];
         bci += in.length) {
        bool ok = instruction_read(b->flow.code.code, b->flow.code.code_len, bci, &in);
        VM_CHECK(ok); // flow_graph_init has read all
        if (may_land(b, &in, bci))
            return true;
    }
    return false;
}

// The handlers of a block, each once; none comes behind one that catches all.
static void add_handlers(Builder *b, uint32_t block)
{
    const CodeInfo *code = &b->flow.code;
    CodeBlock *c = &b->blocks[block];
    bool all = false;
    for (uint32_t i = 0; i < code->exception_count && !all; i++) {
        ExceptionEntry e = code_exception(code, i);
        if (b->flow.starts[block] < e.start_pc || b->flow.starts[block] >= e.end_pc)
            continue;
        uint32_t handler = flow_graph_block(&b->flow, e.handler_pc);
        bool known = false;
        for (uint32_t k = 0; k < c->handlers.len; k++)
            known |= c->handlers.at[k] == handler;
        if (!known)
            ir_list_push(b->g, &c->handlers, handler);
        all = e.catch_type == 0;
    }
}

static uint32_t successor_count(const CodeBlock *c)
{
    return c->succs.len + c->handlers.len;
}
static uint32_t successor_at(const CodeBlock *c, uint32_t i)
{
    return i < c->succs.len ? c->succs.at[i] : c->handlers.at[i - c->succs.len];
}

typedef struct Step { // of the depth-first walk
    uint32_t block, next;
} Step;

typedef VEC(Step) Steps;

static void enter(Builder *b, Steps *steps, uint32_t block)
{
    b->blocks[block].mark = ON_STACK;
    vec_push(steps, ((Step){block, 0}));
}

static uint32_t first_block(const Builder *b)
{
    return b->options->enters_loop ? flow_graph_block(&b->flow, b->options->loop_bci) : 0;
}

// Orders the blocks that can be reached; an edge back to one that is on the stack makes it a header.
static void find_order(Builder *b)
{
    Steps steps = {0};
    IrList post = {0};
    enter(b, &steps, first_block(b));
    while (steps.len) {
        Step *s = &steps.at[steps.len - 1];
        CodeBlock *c = &b->blocks[s->block];
        if (s->next == successor_count(c)) {
            c->mark = DONE;
            ir_list_push(b->g, &post, s->block);
            steps.len--;
            continue;
        }
        uint32_t to = successor_at(c, s->next++);
        ir_list_push(b->g, &b->blocks[to].preds, s->block);
        b->blocks[to].is_header |= b->blocks[to].mark == ON_STACK;
        if (b->blocks[to].mark == UNSEEN)
            enter(b, &steps, to);
    }
    vec_free(&steps);
    for (uint32_t i = post.len; i-- > 0;) {
        ir_list_push(b->g, &b->order, post.at[i]);
        b->blocks[post.at[i]].order = b->order.len;
    }
}

static uint32_t stored_words(const Builder *b)
{
    return (build_locals(b) + 63) / 64;
}

static void mark_stored(uint64_t *stored, uint32_t slot)
{
    stored[slot / 64] |= 1ull << (slot % 64);
}

static void find_stores(Builder *b, uint32_t block)
{
    CodeBlock *c = &b->blocks[block];
    c->stored = arena_alloc(&b->g->arena, MAX_OF(stored_words(b), 1u) * sizeof *c->stored);
    Instruction in;
    for (uint32_t bci = b->flow.starts[block]; bci < b->flow.starts[block + 1];
         bci += in.length) {
        bool ok = instruction_read(b->flow.code.code, b->flow.code.code_len, bci, &in);
        VM_CHECK(ok); // flow_graph_init has read all
        if (!(in.info->local.use & LOCAL_WRITE))
            continue;
        uint32_t last = in.local + kind_words(in.info->local.kind) - 1;
        if (last >= build_locals(b)) {
            build_refuse(b, REFUSED_CODE);
            return;
        }
        for (uint32_t slot = in.local; slot <= last; slot++)
            mark_stored(c->stored, slot);
    }
}

// Adds to a header's stores those of the blocks from which its latches can be reached. Coming to the entry on
// the back edge, other than as the header, is a second entry.
static bool add_loop_stores(Builder *b, uint32_t header, uint32_t *seen)
{
    CodeBlock *h = &b->blocks[header];
    IrList work = {0};
    bool ok = true;
    seen[header] = h->order;
    for (uint32_t i = 0; i < h->preds.len; i++)
        if (b->blocks[h->preds.at[i]].order >= h->order)
            ir_list_push(b->g, &work, h->preds.at[i]);
    while (work.len && ok) {
        uint32_t block = work.at[--work.len];
        CodeBlock *c = &b->blocks[block];
        if (seen[block] == h->order)
            continue;
        seen[block] = h->order;
        ok = block != first_block(b);
        for (uint32_t w = 0; w < stored_words(b); w++)
            h->stored[w] |= c->stored[w];
        for (uint32_t i = 0; i < c->preds.len; i++)
            ir_list_push(b->g, &work, c->preds.at[i]);
    }
    return ok;
}

// Inner headers come later in the order: outer loops see their blocks one by one all the same.
static bool find_loops(Builder *b)
{
    bool any = false, ok = true;
    for (uint32_t i = 0; i < b->order.len; i++)
        any |= b->blocks[b->order.at[i]].is_header;
    if (!any)
        return true;
    for (uint32_t i = 0; i < b->order.len; i++)
        find_stores(b, b->order.at[i]);
    uint32_t *seen = vm_calloc(b->flow.block_count, sizeof *seen);
    for (uint32_t i = 0; i < b->order.len && ok && !b->g->refused; i++)
        if (b->blocks[b->order.at[i]].is_header)
            ok = add_loop_stores(b, b->order.at[i], seen);
    vm_free(seen);
    if (!ok)
        build_refuse(b, REFUSED_IRREDUCIBLE);
    return ok && !b->g->refused;
}

bool build_find_blocks(Builder *b)
{
    const CodeInfo *code = &b->source->code;
    if (!flow_graph_init(&b->flow, b->source->cf, code)) {
        build_refuse(b, REFUSED_CODE);
        return false;
    }
    if (b->flow.has_jsr) {
        build_refuse(b, REFUSED_SUBROUTINES);
        return false;
    }
    b->blocks = arena_alloc(&b->g->arena, b->flow.block_count * sizeof *b->blocks);
    for (uint32_t i = 0; i < b->flow.block_count; i++) {
        CodeBlock *c = &b->blocks[i];
        c->last_edge = &c->edges;
        EdgeContext ctx = {b, c};
        if (!flow_graph_edges(&b->flow, i, add_edge, &ctx)) {
            build_refuse(b, REFUSED_CODE);
            return false;
        }
        if (b->options->landings && code->exception_count && block_may_land(b, i))
            add_handlers(b, i);
    }
    find_order(b);
    return find_loops(b);
}
