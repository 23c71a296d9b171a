// SPDX-License-Identifier: Apache-2.0
// Opcodes beyond those of the specification: where the next instruction begins and how they are
// called, so that the same error is found first as on HotSpot.
#include "verify/verify_internal.h"

typedef struct ReservedOp {
    const char *name;
    uint8_t length;
} ReservedOp;
#define RESERVED_OP(op, text, length) [(op)-BC_COUNT] = {#text, length},
static const ReservedOp reserved[] = {
#include "spec/reserved_ops.def"
};
#undef RESERVED_OP

static const ReservedOp *find(uint8_t op)
{
    return op >= BC_COUNT && op - BC_COUNT < (int)ARRAY_LEN(reserved) ? &reserved[op - BC_COUNT]
                                                                      : NULL;
}

static uint32_t lookup_length(const CodeInfo *c, uint32_t bci)
{
    uint32_t at = (bci + 4) & ~3u;
    if (at + 8 > c->code_len)
        return 0;
    int32_t pairs = get_s4(c->code + at + 4);
    uint64_t end = at + 8 + (uint64_t)MAX_OF(pairs, 0) * 8;
    return pairs >= 0 && end <= c->code_len ? (uint32_t)end - bci : 0;
}

uint32_t instruction_length(const CodeInfo *c, uint32_t bci)
{
    const ReservedOp *r = find(c->code[bci]);
    if (r == NULL)
        return bytecode_length(c->code, c->code_len, bci);
    if (r->length == 0)
        return lookup_length(c, bci);
    return bci + r->length <= c->code_len ? r->length : 0;
}

const char *instruction_name(uint8_t op)
{
    const ReservedOp *r = find(op);
    return op < BC_COUNT ? bytecode_info[op].name : r != NULL ? r->name : "<illegal>";
}
