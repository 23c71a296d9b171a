// SPDX-License-Identifier: Apache-2.0
// See ir.h: the table, nodes, blocks, constants, and the numbering of equal nodes of a block.
#include "jit/ir.h"

#include <math.h>

#include "class/class.h"
#include "code/compiled_code.h"
#include "interp/arith.h"

// ---- what follows from the table ----

const IrOpInfo ir_ops[IR_OP_COUNT] = {
    [IR_NONE] = {.name = "none", .inputs = ""},
#define IR(name, inputs, result, flags, aux) \
    [IR_##name] = {#name, inputs, flags, IRT_##result, AUX_##aux},
#include "spec/ir_ops.def"
#undef IR
};

static const uint16_t of_bytecode[BC_COUNT] = {
#define IR(...)
#define IR_COMPUTED(name, bytecode, ...) [BC_##bytecode] = IR_##name,
#include "spec/ir_ops.def"
#undef IR
#undef IR_COMPUTED
};

IrOp ir_op_of_bytecode(uint8_t op)
{
    VM_ASSERT(op < BC_COUNT);
    return (IrOp)of_bytecode[op];
}

// What stands for a method of the class library.
static bool compute_intrinsic(IrOp op, IrValue a, IrValue b, IrValue *result)
{
    uint32_t x = (uint32_t)a.I;
    uint64_t y = (uint64_t)a.L;
    switch (op) {
    case IR_BitCountI: result->I = __builtin_popcount(x); return true;
    case IR_BitCountL: result->I = __builtin_popcountll(y); return true;
    case IR_LeadingZerosI: result->I = x ? __builtin_clz(x) : 32; return true;
    case IR_LeadingZerosL: result->I = y ? __builtin_clzll(y) : 64; return true;
    case IR_TrailingZerosI: result->I = x ? __builtin_ctz(x) : 32; return true;
    case IR_TrailingZerosL: result->I = y ? __builtin_ctzll(y) : 64; return true;
    case IR_ReverseBytesI: result->I = (int32_t)__builtin_bswap32(x); return true;
    case IR_ReverseBytesL: result->L = (int64_t)__builtin_bswap64(y); return true;
    case IR_ExtendZero: result->bits = x; return true;
    case IR_MultiplyHigh: result->L = (int64_t)(((__int128)a.L * b.L) >> 64); return true;
    case IR_AbsD: result->D = fabs(a.D); return true;
    case IR_SqrtD: result->D = sqrt(a.D); return true;
    case IR_FloorD: result->D = floor(a.D); return true;
    case IR_CeilD: result->D = ceil(a.D); return true;
    case IR_RintD: result->D = rint(a.D); return true;
    case IR_BitsOfF:
    case IR_FOfBits: result->bits = x; return true;
    case IR_BitsOfD:
    case IR_DOfBits: result->bits = a.bits; return true;
    default: return false;
    }
}

bool ir_compute(IrOp op, IrValue a, IrValue b, IrValue *result)
{
    result->bits = 0;
    switch (op) {
#include "jit/generated/values.inc"
    default: return compute_intrinsic(op, a, b, result);
    }
}

bool ir_condition_holds(Condition condition, int32_t a, int32_t b)
{
    switch (condition) {
    case CONDITION_EQ: return a == b;
    case CONDITION_NE: return a != b;
    case CONDITION_LT: return a < b;
    case CONDITION_GE: return a >= b;
    case CONDITION_GT: return a > b;
    case CONDITION_LE: return a <= b;
    default: vm_fatal("no condition: %d", condition);
    }
}

IrType ir_type_of_kind(char kind)
{
    switch (kind) {
    case 'V': return IRT_V;
    case 'J': return IRT_L;
    case 'F': return IRT_F;
    case 'D': return IRT_D;
    case 'A':
    case 'L':
    case '[': return IRT_A;
    default: return IRT_I;
    }
}

const char *ir_refusal_text(IrRefusal r)
{
    static const char *const texts[] = {"",
#define X(name, text) text,
                                        IR_REFUSALS(X)
#undef X
    };
    VM_ASSERT(r < ARRAY_LEN(texts));
    return texts[r];
}

const char *ir_deopt_text(DeoptReason r)
{
    static const char *const texts[DEOPT_COUNT] = {"unresolved",   "check", "class",
                                                   "not compiled", "every", "monitor"};
    VM_ASSERT(r < DEOPT_COUNT);
    return texts[r];
}

// ---- graphs ----

IrSource ir_source(Method *m)
{
    VM_ASSERT(method_has_code(m));
    const ClassFile *cf = method_class_file(m);
    return (IrSource){.cf = cf,
                      .code = method_code(m),
                      .descriptor = cf_utf8(cf, m->info->descriptor),
                      .access = m->access,
                      .method = m};
}

enum {
    FIRST_TABLE = 256, // entries; a power of two
    FIRST_NODES = 32,  // beside those for the bytecodes
    ARENA_PER_BYTE = 64,
    LEAST_ARENA = 8 * 1024, // of the arena's blocks
    MOST_ARENA = 64 * 1024,
};

void ir_init(Graph *g, const IrSource *source)
{
    size_t length = source->code.code_len, block = length * ARENA_PER_BYTE;
    *g = (Graph){.source = source, .osr_bci = -1};
    g->arena.block = MIN_OF(MAX_OF(block, (size_t)LEAST_ARENA), (size_t)MOST_ARENA);
    vec_reserve(&g->nodes, FIRST_NODES + length);
    vec_reserve(&g->states, FIRST_NODES + length / 2);
    vec_reserve(&g->words, FIRST_NODES + 2 * length);
    vec_push(&g->nodes, (Node){0});
    vec_push(&g->blocks, (Block){0});
    vec_push(&g->states, (State){0});
    vec_push(&g->scopes, ((IrScope){.source = source}));
    vec_push(&g->words, 0);
    g->value_mask = g->numbered_mask = FIRST_TABLE - 1;
    g->value_table = vm_calloc(FIRST_TABLE, sizeof *g->value_table);
    g->numbered = vm_calloc(FIRST_TABLE, sizeof *g->numbered);
}

void ir_free(Graph *g)
{
    vec_free(&g->osr_locks);
    arena_free(&g->arena);
    vec_free(&g->nodes);
    vec_free(&g->blocks);
    vec_free(&g->states);
    vec_free(&g->scopes);
    vec_free(&g->unique);
    vec_free(&g->skipped);
    vec_free(&g->guessed);
    vec_free(&g->constants);
    vec_free(&g->boxes);
    vec_free(&g->folded);
    vec_free(&g->words);
    vec_free(&g->lists);
    vec_free(&g->values);
    vec_free(&g->keys);
    vec_free(&g->order);
    vm_free(g->value_table);
    vm_free(g->numbered);
    *g = (Graph){0};
}

void ir_list_push(Graph *g, IrList *list, uint32_t value)
{
    if (list->len == list->cap) {
        uint32_t cap = list->cap ? list->cap * 2 : 4;
        uint32_t *at = arena_alloc(&g->arena, cap * sizeof *at);
        if (list->len)
            memcpy(at, list->at, list->len * sizeof *at);
        list->at = at;
        list->cap = cap;
    }
    list->at[list->len++] = value;
}

BlockId ir_block(Graph *g, uint32_t bci)
{
    vec_push(&g->blocks, ((Block){.bci = bci}));
    g->flow_known = false;
    return (BlockId)g->blocks.len - 1;
}

void ir_edge(Graph *g, BlockId from, BlockId to)
{
    ir_list_push(g, &ir_at(g, from)->succs, to);
    ir_list_push(g, &ir_at(g, to)->preds, from);
    g->flow_known = false;
}

void ir_set_inputs(Graph *g, NodeId n, uint32_t count, const NodeId *in)
{
    Node *node = ir_node(g, n);
    if (count <= NODE_INPUTS) {
        node->count = (uint8_t)count;
        if (count)
            memcpy(node->in, in, count * sizeof *in);
        return;
    }
    node->count = NODE_LONG;
    node->in[0] = (uint32_t)g->lists.len;
    node->in[1] = count;
    for (uint32_t i = 0; i < count; i++)
        vec_push(&g->lists, in[i]);
}

NodeId ir_add(Graph *g, BlockId block, IrOp op, IrType type, uint32_t count, const NodeId *in,
              uint32_t aux)
{
    VM_ASSERT(op > IR_NONE && op < IR_OP_COUNT);
    const IrOpInfo *info = &ir_ops[op];
    Node node = {
        .op = (uint16_t)op, .block = block, .aux = aux, .bci = g->at_bci, .scope = g->at_scope};
    node.type = info->type == IRT_X ? (uint8_t)type : info->type;
    vec_push(&g->nodes, node);
    NodeId n = (NodeId)g->nodes.len - 1;
    ir_set_inputs(g, n, count, in);
    if (block)
        ir_list_push(g, &ir_at(g, block)->nodes, n);
    return n;
}

// ---- constants and equal nodes ----

static uint32_t mix(uint64_t x)
{
    x *= 0x9E3779B97F4A7C15ull;
    return (uint32_t)(x >> 32);
}

static void value_table_grow(Graph *g)
{
    uint32_t size = (g->value_mask + 1) * 2;
    vm_free(g->value_table);
    g->value_table = vm_calloc(size, sizeof *g->value_table);
    g->value_mask = size - 1;
    for (uint32_t i = 0; i < g->values.len; i++) {
        uint32_t h = mix(g->values.at[i]) & g->value_mask;
        while (g->value_table[h])
            h = (h + 1) & g->value_mask;
        g->value_table[h] = i + 1;
    }
}

uint32_t ir_intern(Graph *g, uint64_t bits)
{
    uint32_t h = mix(bits) & g->value_mask;
    for (; g->value_table[h]; h = (h + 1) & g->value_mask)
        if (g->values.at[g->value_table[h] - 1] == bits)
            return g->value_table[h] - 1;
    vec_push(&g->values, bits);
    g->value_table[h] = (uint32_t)g->values.len;
    uint32_t index = (uint32_t)g->values.len - 1;
    if (g->values.len * 2 > g->value_mask)
        value_table_grow(g);
    return index;
}

static uint32_t node_hash(IrOp op, IrType type, uint32_t count, const NodeId *in, uint32_t aux)
{
    uint64_t h = (uint64_t)op << 40 ^ (uint64_t)type << 36 ^ aux;
    for (uint32_t i = 0; i < count; i++)
        h = h * 31 + in[i];
    return mix(h);
}

static bool is_same(const Graph *g, NodeId n, IrOp op, IrType type, uint32_t count,
                    const NodeId *in, uint32_t aux)
{
    Node *node = ir_node(g, n);
    return node->op == op && node->aux == aux && node->type == type
           && ir_input_count(node) == count
           && (count == 0 || memcmp(ir_inputs(g, node), in, count * sizeof *in) == 0);
}

uint32_t ir_hash(const Graph *g, NodeId n)
{
    Node *node = ir_node(g, n);
    return node_hash((IrOp)node->op, (IrType)node->type, ir_input_count(node),
                     ir_inputs(g, node), node->aux);
}

bool ir_equal(const Graph *g, NodeId a, NodeId b)
{
    Node *node = ir_node(g, a);
    return is_same(g, b, (IrOp)node->op, (IrType)node->type, ir_input_count(node),
                   ir_inputs(g, node), node->aux);
}

bool ir_stores_whole(const Graph *g, const Node *store)
{
    VM_ASSERT(ir_info(store)->flags & IRF_STORE);
    char kind = store->op == IR_StoreElem ? (char)store->aux
                                          : ((const Field *)ir_pointer(g, store))->kind;
    return strchr("ZBCS", kind) == NULL;
}

static void numbered_grow(Graph *g)
{
    uint32_t size = (g->numbered_mask + 1) * 2;
    NodeId *old = g->numbered;
    uint32_t old_size = g->numbered_mask + 1;
    g->numbered = vm_calloc(size, sizeof *g->numbered);
    g->numbered_mask = size - 1;
    for (uint32_t i = 0; i < old_size; i++) {
        if (old[i])
            g->numbered[ir_hash(g, old[i]) & g->numbered_mask] = old[i];
    }
    vm_free(old);
}

// The table keeps the last node of each hash: one that is forgotten is made twice, and gvn.c finds that.
NodeId ir_number(Graph *g, BlockId block, IrOp op, IrType type, uint32_t count,
                 const NodeId *in, uint32_t aux)
{
    VM_ASSERT(ir_ops[op].flags & (IRF_PURE | IRF_CHECK));
    IrType known = ir_ops[op].type == IRT_X ? type : (IrType)ir_ops[op].type;
    uint32_t hash = node_hash(op, known, count, in, aux);
    NodeId found = g->numbered[hash & g->numbered_mask];
    if (found && ir_node(g, found)->block == block
        && is_same(g, found, op, known, count, in, aux))
        return found;
    NodeId n = ir_add(g, block, op, type, count, in, aux);
    g->numbered[hash & g->numbered_mask] = n;
    if (g->nodes.len > 2u * g->numbered_mask)
        numbered_grow(g);
    return n;
}

NodeId ir_const(Graph *g, IrType type, uint64_t bits)
{
    return ir_number(g, 0, IR_Const, type, 0, NULL, ir_intern(g, bits));
}

uint32_t ir_edge_from(const Graph *g, BlockId from, BlockId to)
{
    const IrList *preds = &ir_at(g, to)->preds;
    uint32_t i = 0;
    VM_ASSERT(preds->len > 0);
    while (preds->at[i] != from) {
        i++;
        VM_ASSERT(i < preds->len);
    }
    return i;
}

BlockId ir_split_edge(Graph *g, BlockId b, uint32_t k)
{
    BlockId to = ir_at(g, b)->succs.at[k], between = ir_block(g, ir_at(g, to)->bci);
    const Node *end = ir_node(g, ir_end(ir_at(g, b)));
    g->at_bci = end->bci;
    g->at_scope = end->scope;
    ir_at(g, between)->scope = ir_at(g, to)->scope;
    ir_add(g, between, IR_Goto, IRT_V, 0, NULL, 0);
    ir_list_push(g, &ir_at(g, between)->preds, b);
    ir_list_push(g, &ir_at(g, between)->succs, to);
    ir_at(g, b)->succs.at[k] = between;
    ir_at(g, to)->preds.at[ir_edge_from(g, b, to)] = between;
    return between;
}

static void visit_words(const NodeId *at, uint32_t count,
                        void (*visit)(void *ctx, NodeId value), void *ctx)
{
    for (uint32_t i = 0; i < count; i++)
        if (at[i])
            visit(ctx, at[i]);
}

const IrBox *ir_find_box(const Graph *g, NodeId n)
{
    for (size_t i = 0; i < g->boxes.len; i++)
        if (g->boxes.at[i].box == n)
            return &g->boxes.at[i];
    return NULL;
}

bool ir_virtual_fields(const Graph *g, const Node *n, const Field **out, uint32_t *count)
{
    return class_instance_fields(ir_pointer(g, n), CODE_VIRTUAL_FIELDS_MAX, out, count);
}

uint32_t ir_state_virtual_words(const Graph *g, const State *s)
{
    const Field *fields[CODE_VIRTUAL_FIELDS_MAX];
    uint32_t words = 0, count;
    for (uint32_t i = 0; i < s->virtual_count; i++) {
        bool known =
            ir_virtual_fields(g, ir_node(g, g->words.at[s->virtuals + words]), fields, &count);
        VM_ASSERT(known);
        words += 1 + count;
    }
    return words;
}

void ir_state_each_virtual(const Graph *g, const State *s,
                           void (*visit)(void *ctx, NodeId value), void *ctx)
{
    if (s->virtual_count)
        visit_words(g->words.at + s->virtuals, ir_state_virtual_words(g, s), visit, ctx);
    visit_words(g->words.at + s->made, 2 * s->made_count, visit, ctx);
}

void ir_state_each(const Graph *g, StateId id, void (*visit)(void *ctx, NodeId value),
                   void *ctx)
{
    if (id)
        ir_state_each_virtual(g, ir_state(g, id), visit, ctx);
    for (; id; id = ir_state_below(g, ir_state(g, id))) {
        const State *s = ir_state(g, id);
        const NodeId *locals, *operands;
        uint32_t count = ir_state_words(g, s, &locals, &operands);
        visit_words(locals, ir_state_locals(g, s), visit, ctx);
        visit_words(operands, count, visit, ctx);
    }
}

uint32_t ir_popped_words(const Graph *g, const State *s)
{
    const IrSource *source = g->scopes.at[s->scope].source;
    Instruction in;
    if (s->kind == STATE_AGAIN || s->kind == STATE_LEAVING)
        return 0;
    bool ok = instruction_read(source->code.code, source->code.code_len, s->bci, &in);
    VM_CHECK(ok);
    return instruction_pop_words(source->cf, &in);
}
