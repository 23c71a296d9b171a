// SPDX-License-Identifier: Apache-2.0
// Facts of the instruction set, unfolded from spec/bytecodes.def.
#include "classfile/bytecode.h"

// Length of an instruction whose operand format is the literal f, of at most three letters (the
// literal is padded so that each of the three can be read).
#define LETTER_LENGTH(c) \
    ((c) == 's' || (c) == 'K' || (c) == 'o' ? 2 : (c) == 'O' ? 4 : (c) == '\0' ? 0 : 1)
#define LETTER(f, i) ((f "\0\0\0")[i])
#define OPERAND_LENGTH(f)                                                \
    (LETTER(f, 0) == 'T' || LETTER(f, 0) == 'L' || LETTER(f, 0) == 'W'   \
         ? 0                                                             \
         : 1 + LETTER_LENGTH(LETTER(f, 0)) + LETTER_LENGTH(LETTER(f, 1)) \
               + LETTER_LENGTH(LETTER(f, 2)))

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

uint32_t bytecode_length(const uint8_t *code, uint32_t code_len, uint32_t bci)
{
    if (bci >= code_len)
        return 0;
    uint8_t op = code[bci];
    if (op >= BC_COUNT)
        return 0;
    if (op == BC_wide)
        return wide_length(code, code_len, bci);
    if (op == BC_tableswitch || op == BC_lookupswitch)
        return switch_length(code, code_len, bci);
    uint32_t length = bytecode_info[op].length;
    return bci + length <= code_len ? length : 0;
}

#define BYTECODE(op, text, operands, stack, bits) \
    [op] = {#text, operands, stack, OPERAND_LENGTH(operands), bits},
const BytecodeInfo bytecode_info[BC_COUNT] = {
#include "spec/bytecodes.def"
};
#undef BYTECODE
