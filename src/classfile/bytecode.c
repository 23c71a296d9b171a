// SPDX-License-Identifier: Apache-2.0
// See bytecode.h.
#include "classfile/bytecode.h"

#define BYTECODE(...) +1
_Static_assert(
#include "spec/bytecodes.def"
    == BC_COUNT, "one row an opcode");
#undef BYTECODE

static uint32_t switch_length(const uint8_t *code, uint32_t code_len, uint32_t bci)
{
    uint32_t at = (bci + 4) & ~3u;
    if (at + 8 > code_len)
        return 0;
    uint64_t end;
    if (code[bci] == BC_tableswitch) {
        if (at + 12 > code_len)
            return 0;
        int64_t low = get_s4(code + at + 4), high = get_s4(code + at + 8);
        if (low > high)
            return 0;
        end = at + 12 + (uint64_t)(high - low + 1) * 4;
    } else {
        int32_t pairs = get_s4(code + at + 4);
        if (pairs < 0)
            return 0;
        end = at + 8 + (uint64_t)pairs * 8;
    }
    return end <= code_len ? (uint32_t)end - bci : 0;
}

static uint32_t wide_length(const uint8_t *code, uint32_t code_len, uint32_t bci)
{
    if (bci + 1 >= code_len)
        return 0;
    uint8_t op = code[bci + 1];
    if (op == BC_iinc)
        return bci + 6 <= code_len ? 6 : 0;
    bool ok = (op >= BC_iload && op <= BC_aload) || (op >= BC_istore && op <= BC_astore)
              || op == BC_ret;
    return ok && bci + 4 <= code_len ? 4 : 0;
}

uint32_t bytecode_varying_length(const uint8_t *code, uint32_t code_len, uint32_t bci)
{
    VM_ASSERT(bci < code_len && code[bci] < BC_COUNT && !bytecode_info[code[bci]].length);
    return code[bci] == BC_wide ? wide_length(code, code_len, bci)
                                : switch_length(code, code_len, bci);
}

// Operands of the instruction at `at`; those under wide stand behind its opcode and are twice as long.
static void read_operands(const uint8_t *at, bool wide, Instruction *out)
{
    const uint8_t *p = at + 1 + wide;
    for (const char *f = out->info->format; *f; f++) {
        switch (*f) {
        case 'v':
            out->local = wide ? get_u2(p) : p[0];
            p += wide;
            break;
        case 'b': out->value = wide ? get_s2(p) : (int8_t)p[0]; break;
        case 's': out->value = get_s2(p); break;
        case 't': out->value = p[0]; break;
        case 'k': out->constant = p[0]; break;
        case 'K':
            out->constant = get_u2(p);
            p++;
            break;
        case 'c': out->count = p[0]; break;
        case 'o': out->offset = get_s2(p); break;
        case 'O': out->offset = get_s4(p); break;
        default: break; // zeros; switches
        }
        p++;
    }
}

bool instruction_read(const uint8_t *code, uint32_t code_len, uint32_t bci, Instruction *out)
{
    uint32_t length = bytecode_length(code, code_len, bci);
    if (!length)
        return false;
    bool wide = code[bci] == BC_wide;
    uint8_t op = code[bci + wide];
    *out = (Instruction){.info = &bytecode_info[op], .bci = bci, .length = length, .op = op};
    if (out->info->local.use && out->info->local.index != BY_OPERAND)
        out->local = out->info->local.index;
    read_operands(code + bci, wide, out);
    return true;
}

SwitchOperands switch_read(const uint8_t *code, uint32_t bci)
{
    const uint8_t *p = code + ((bci + 4) & ~3u);
    if (code[bci] == BC_lookupswitch)
        return (SwitchOperands){
            .other = get_s4(p), .count = get_u4(p + 4), .keyed = true, .at = p + 8};
    int32_t low = get_s4(p + 4), high = get_s4(p + 8);
    return (SwitchOperands){.other = get_s4(p),
                            .low = low,
                            .count = (uint32_t)((int64_t)high - low + 1),
                            .at = p + 12};
}
