// SPDX-License-Identifier: Apache-2.0
// See flow.h. States are kept where blocks begin; in between, a block is stepped again. A state goes on the
// list of work when a path into its block has changed it; as words only ever change to `mixed`, that ends.
#include "classfile/flow.h"

enum { STARTS = 1, LEADS = 2, BORDERS = 4 }; // an instruction; a block; the next block
enum { MAX_CODE = 65535 };
// States of a block. Subroutines that call others twice, level below level, have twice the states at each
// level: no compiler's code.
enum { MAX_STATES = 4096 };

// ---- basic blocks ----

typedef struct Marks {
    uint8_t *at; // by bci, the code's end included
    uint32_t code_len;
    bool ok;
} Marks;

// A block begins at the next instruction, if there is one.
static void mark_border(Marks *m, uint32_t bci)
{
    if (bci < m->code_len)
        m->at[bci] |= BORDERS;
}

static void mark_target(Marks *m, int64_t bci)
{
    if (bci < 0 || bci >= m->code_len)
        m->ok = false;
    else
        m->at[bci] |= LEADS;
}

static void mark_targets(Marks *m, const uint8_t *code, const Instruction *in)
{
    mark_border(m, in->bci + in->length);
    if ((in->info->flags & (BCF_BRANCH | BCF_RET)) != BCF_BRANCH)
        return;
    if (!(in->info->flags & BCF_SWITCH)) {
        mark_target(m, (int64_t)in->bci + in->offset);
        return;
    }
    SwitchOperands s = switch_read(code, in->bci);
    mark_target(m, (int64_t)in->bci + s.other);
    for (uint32_t i = 0; i < s.count; i++)
        mark_target(m, (int64_t)in->bci + switch_offset(&s, i));
}

static void mark_handlers(Marks *m, const CodeInfo *code)
{
    for (uint32_t i = 0; i < code->exception_count; i++) {
        ExceptionEntry e = code_exception(code, i);
        mark_border(m, e.start_pc);
        mark_border(m, e.end_pc);
        mark_target(m, e.handler_pc);
    }
}

static bool mark_instructions(FlowGraph *g, Marks *m)
{
    Instruction in;
    for (uint32_t bci = 0; bci < m->code_len; bci += in.length) {
        if (!instruction_read(g->code.code, m->code_len, bci, &in))
            return false;
        m->at[bci] |= STARTS;
        if (in.info->flags & (BCF_BRANCH | BCF_END))
            mark_targets(m, g->code.code, &in);
        g->has_jsr |= (in.info->flags & BCF_JSR) != 0;
    }
    mark_handlers(m, &g->code);
    return m->ok;
}

// A block must begin with an instruction; where a handler's range ends within one, the next one does.
static bool number_blocks(FlowGraph *g, Marks *m)
{
    uint32_t count = 0;
    uint8_t border = 0;
    for (uint32_t bci = 0; bci < m->code_len; bci++) {
        border |= m->at[bci] & BORDERS;
        if ((m->at[bci] & STARTS) && border) {
            m->at[bci] |= LEADS;
            border = 0;
        }
        if ((m->at[bci] & (STARTS | LEADS)) == LEADS)
            return false;
        count += (m->at[bci] & LEADS) != 0;
    }
    g->starts = vm_malloc((count + 1) * sizeof *g->starts);
    for (uint32_t bci = 0; bci < m->code_len; bci++)
        if (m->at[bci] & LEADS)
            g->starts[g->block_count++] = (uint16_t)bci;
    g->starts[g->block_count] = (uint16_t)m->code_len;
    return true;
}

bool flow_graph_init(FlowGraph *g, const ClassFile *cf, const CodeInfo *code)
{
    *g = (FlowGraph){.cf = cf, .code = *code};
    if (code->code_len == 0 || code->code_len > MAX_CODE)
        return false;
    Marks m = {vm_calloc(code->code_len + 1, 1), code->code_len, true};
    m.at[0] = LEADS;
    bool ok = mark_instructions(g, &m) && number_blocks(g, &m);
    vm_free(m.at);
    return ok;
}

void flow_graph_free(FlowGraph *g)
{
    vm_free(g->starts);
    g->starts = NULL;
}

uint32_t flow_graph_block(const FlowGraph *g, uint32_t bci)
{
    VM_ASSERT(bci < g->code.code_len);
    uint32_t low = 0, high = g->block_count;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (g->starts[middle] <= bci)
            low = middle;
        else
            high = middle;
    }
    return low;
}

// Handlers in the order of the exception table: *i begins at 0. False when there is none left.
static bool next_handler(const FlowGraph *g, uint32_t block, uint32_t *i, uint32_t *handler)
{
    while (*i < g->code.exception_count) {
        ExceptionEntry e = code_exception(&g->code, (*i)++);
        if (g->starts[block] < e.start_pc || g->starts[block] >= e.end_pc)
            continue;
        *handler = flow_graph_block(g, e.handler_pc);
        return true;
    }
    return false;
}

static Instruction last_instruction(const FlowGraph *g, uint32_t block)
{
    const CodeInfo *code = &g->code;
    uint32_t bci = g->starts[block], length = bytecode_length(code->code, code->code_len, bci);
    while (bci + length < g->starts[block + 1]) {
        bci += length;
        length = bytecode_length(code->code, code->code_len, bci);
    }
    Instruction in;
    bool ok = instruction_read(code->code, code->code_len, bci, &in);
    VM_CHECK(ok); // flow_graph_init has read all
    return in;
}

// The edges behind a block's last instruction.
static bool visit_targets(const FlowGraph *g, const Instruction *in, FlowEdgeVisitor visit,
                          void *ctx)
{
    uint8_t flags = in->info->flags;
    if (flags & BCF_SWITCH) {
        SwitchOperands s = switch_read(g->code.code, in->bci);
        visit(ctx, FLOW_CASE, flow_graph_block(g, in->bci + (uint32_t)s.other));
        for (uint32_t i = 0; i < s.count; i++)
            visit(ctx, FLOW_CASE,
                  flow_graph_block(g, in->bci + (uint32_t)switch_offset(&s, i)));
    } else if ((flags & (BCF_BRANCH | BCF_RET)) == BCF_BRANCH) {
        visit(ctx, flags & BCF_JSR ? FLOW_JSR : FLOW_BRANCH,
              flow_graph_block(g, in->bci + (uint32_t)in->offset));
    }
    if (flags & BCF_END)
        return true;
    uint32_t next = in->bci + in->length;
    if (next == g->code.code_len)
        return false;
    visit(ctx, FLOW_NEXT, flow_graph_block(g, next));
    return true;
}

bool flow_graph_edges(const FlowGraph *g, uint32_t block, FlowEdgeVisitor visit, void *ctx)
{
    Instruction last = last_instruction(g, block);
    bool ok = visit_targets(g, &last, visit, ctx);
    for (uint32_t i = 0, handler; next_handler(g, block, &i, &handler);)
        visit(ctx, FLOW_HANDLER, handler);
    return ok;
}

// ---- states ----

// Operands; a handler finds one whatever max_stack says.
static uint32_t room(const Flow *f)
{
    return f->graph.code.max_stack + 1u;
}

static bool same_returns(const FlowState *s, const Flow *f)
{
    if (s->depth != f->depth)
        return false;
    for (uint32_t i = 0; i < f->locals + f->depth; i++)
        if (s->words[i] != f->words[i] && (s->words[i] | f->words[i]) & FLOW_RETURN)
            return false;
    return true;
}

static FlowState *state_new(Flow *f, uint32_t block)
{
    uint32_t count = f->locals + f->depth;
    VM_ASSERT(block < f->graph.block_count && f->depth <= room(f));
    FlowState *s = vm_malloc(sizeof *s + count * sizeof *s->words);
    *s = (FlowState){
        .next = f->entry[block], .block = (uint16_t)block, .depth = (uint16_t)f->depth};
    memcpy(s->words, f->words, count * sizeof *s->words);
    f->entry[block] = s;
    return s;
}

// True when it changed.
static bool state_merge(FlowState *s, const Flow *f)
{
    bool changed = s->depth > f->depth; // no verified code
    s->depth = (uint16_t)MIN_OF(s->depth, f->depth);
    for (uint32_t i = 0; i < f->locals + s->depth; i++) {
        if (s->words[i] != f->words[i] && s->words[i] != f->lattice->mixed) {
            s->words[i] = f->lattice->mixed;
            changed = true;
        }
    }
    return changed;
}

// The frame as it is may come to the block.
static void flow_to(void *ctx, FlowEdge kind, uint32_t block)
{
    (void)kind;
    Flow *f = ctx;
    FlowState *s = f->entry[block];
    uint32_t others = 0;
    for (; s && f->graph.has_jsr && !same_returns(s, f); s = s->next)
        others++;
    f->gave_up |= others == MAX_STATES;
    bool changed = !s || state_merge(s, f);
    if (!s)
        s = state_new(f, block);
    if (changed && !s->queued) {
        s->queued = true;
        vec_push(&f->work, s);
    }
}

// An exception may come in the frame as it is.
static void flow_to_handlers(Flow *f, uint32_t block)
{
    if (f->graph.code.exception_count == 0)
        return;
    FlowWord bottom = f->words[f->locals];
    uint32_t depth = f->depth;
    f->words[f->locals] = f->lattice->caught;
    f->depth = 1;
    for (uint32_t i = 0, handler; next_handler(&f->graph, block, &i, &handler);)
        flow_to(f, FLOW_HANDLER, handler);
    f->words[f->locals] = bottom;
    f->depth = depth;
}

// ---- steps ----

static void move_words(Flow *f, const BytecodeInfo *info)
{
    VM_ASSERT(info->pop_words <= 4);
    FlowWord popped[4], *top = f->words + f->locals + f->depth - info->pop_words;
    memcpy(popped, top, info->pop_words * sizeof *popped);
    for (const char *p = info->pushes; *p; p++)
        *top++ = popped[strchr(info->pops, *p) - info->pops];
    f->depth += (uint32_t)info->push_words - info->pop_words;
}

static bool push(Flow *f, const Instruction *in, char letter)
{
    char kind =
        letter == 'V' || letter == ')' ? instruction_constant_kind(f->graph.cf, in) : letter;
    uint32_t words = kind_words(kind);
    if (f->depth + words > room(f))
        return false;
    FlowWord *at = f->words + f->locals + f->depth;
    if (kind == 'R')
        *at = FLOW_RETURN + in->bci + in->length;
    else if (words)
        f->lattice->push(at, in, kind);
    f->depth += words;
    return true;
}

// Of a value that is still on the stack, or of iinc's.
static bool store(Flow *f, const Instruction *in)
{
    uint32_t words = kind_words(in->info->local.kind);
    if (in->local + words > f->locals)
        return false;
    FlowWord value =
        in->info->pop_words ? f->words[f->locals + f->depth - words] : f->words[in->local];
    f->lattice->store(f->words, in, value);
    if (value & FLOW_RETURN)
        f->words[in->local] = value;
    return true;
}

static bool step(Flow *f, const Instruction *in)
{
    const BytecodeInfo *info = in->info;
    uint32_t pops = instruction_pop_words(f->graph.cf, in);
    if (f->depth < pops)
        return false;
    if (info->flags & BCF_WORDS) {
        if (f->depth - pops + info->push_words > room(f))
            return false;
        move_words(f, info);
        return true;
    }
    if ((info->local.use & LOCAL_WRITE) && !store(f, in))
        return false;
    f->depth -= pops;
    for (const char *p = info->pushes; *p; p++)
        if (!push(f, in, *p))
            return false;
    return true;
}

static bool flow_ret(Flow *f, const Instruction *in)
{
    FlowWord address = in->local < f->locals ? f->words[in->local] : FLOW_UNSET;
    uint32_t bci = address & ~FLOW_RETURN;
    if (!(address & FLOW_RETURN) || bci >= f->graph.code.code_len)
        return false;
    f->words[in->local] =
        FLOW_UNSET; // what called the subroutine makes no difference from here
    flow_to(f, FLOW_JSR, flow_graph_block(&f->graph, bci));
    return true;
}

static bool run_block(Flow *f, uint32_t block)
{
    const FlowGraph *g = &f->graph;
    uint32_t end = g->starts[block + 1];
    Instruction in;
    flow_to_handlers(f, block);
    for (uint32_t bci = g->starts[block]; bci < end; bci += in.length) {
        if (!instruction_read(g->code.code, g->code.code_len, bci, &in) || !step(f, &in))
            return false;
        if ((in.info->local.use & LOCAL_WRITE) && bci + in.length < end)
            flow_to_handlers(f, block);
    }
    if (in.info->flags & BCF_RET)
        return f->lattice->ret_ends || flow_ret(f, &in);
    return visit_targets(g, &in, flow_to, f);
}

static void load(Flow *f, const FlowState *s)
{
    memcpy(f->words, s->words, (f->locals + s->depth) * sizeof *f->words);
    f->depth = s->depth;
}

bool flow_init(Flow *f, const ClassFile *cf, const CodeInfo *code, const FlowLattice *lattice)
{
    *f = (Flow){.lattice = lattice, .locals = code->max_locals};
    if (!flow_graph_init(&f->graph, cf, code))
        return false;
    f->entry = vm_calloc(f->graph.block_count, sizeof(FlowState *));
    f->words = vm_calloc(f->locals + room(f), sizeof *f->words);
    return true;
}

bool flow_solve(Flow *f)
{
    bool ok = true;
    f->depth = 0;
    flow_to(f, FLOW_NEXT, 0);
    while (ok && f->work.len) {
        FlowState *s = f->work.at[--f->work.len];
        s->queued = false;
        load(f, s);
        ok = run_block(f, s->block) && !f->gave_up;
    }
    vec_free(&f->work);
    return ok;
}

bool flow_step_to(Flow *f, const FlowState *s, uint32_t bci)
{
    const FlowGraph *g = &f->graph;
    Instruction in;
    VM_ASSERT(f->entry[s->block] != NULL && bci < g->starts[s->block + 1]);
    load(f, s);
    uint32_t at = g->starts[s->block];
    for (; at < bci; at += in.length)
        if (!instruction_read(g->code.code, g->code.code_len, at, &in) || !step(f, &in))
            return false;
    return at == bci;
}

void flow_free(Flow *f)
{
    for (uint32_t i = 0; f->entry && i < f->graph.block_count; i++)
        for (FlowState *s = f->entry[i], *next; s; s = next) {
            next = s->next;
            vm_free(s);
        }
    vm_free(f->entry);
    vm_free(f->words);
    flow_graph_free(&f->graph);
}
