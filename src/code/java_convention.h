// SPDX-License-Identifier: Apache-2.0
// How Java methods are called by compiled code.
//
// At the call instruction rsp is a multiple of 16, r15 the Thread and rbx the Method that is called; r14 is heap_base unless that is 0.
// r14 and r15 keep their values, all other registers may be others afterwards. References (full pointers), ints and longs are passed
// in rdi, rsi, rdx, rcx, r8, r9 in their order, floats and doubles in xmm0 to xmm7; what is left over goes on the stack in its
// order, a word each, the first one at [rsp]: [rbp + 16] in the callee, which owns these words from then on. What is narrower than
// a register leaves the rest of it undefined. The result comes in rax or xmm0. An exception comes out of a call as
// code/java_stubs.h says: the caller tests nothing.
//
// A shape is what matters of a method to this: a text, "static" or nothing, then a descriptor with all references as L:
// "static(IJL)V". Methods of one shape share stubs.
#ifndef CODE_JAVA_CONVENTION_H
#define CODE_JAVA_CONVENTION_H

#include "base/strbuf.h"

enum {
    JAVA_NO_REGISTER = -1,
    JAVA_STACK_AT = 16
}; // from rbp to the first argument on the stack

typedef struct JavaArgument { // a walk over the arguments of a shape, the receiver first
    // of the current one
    char kind; // as in the shape
    int8_t
        reg; // 0 to 15 a general register by its number in instructions, 16 to 31 xmm0 to xmm15; JAVA_NO_REGISTER
    uint16_t stack_word; // JAVA_NO_REGISTER: its number among those
    uint16_t slot;       // of the method's locals
    // private
    const char *next;
    uint8_t integers, floats;
    uint16_t on_stack, next_slot;
} JavaArgument;

// Adds the shape of a method to `out`. `len`: of the descriptor, which is valid.
void java_put_shape(StrBuf *out, const char *descriptor, size_t len, bool is_static);
// Before the first argument of a shape, which outlives the walk.
JavaArgument java_arguments(const char *shape);
// Moves to the next argument; false: there is none.
bool java_argument_next(JavaArgument *a);
// How many words a call passes on the stack.
uint32_t java_stack_words(const char *shape);
// Words of Slots that the arguments take.
uint32_t java_argument_slots(const char *shape);
// The static shape whose arguments lie in all registers that arguments can lie in, in as many slots.
#define JAVA_ALL_REGISTERS "static(LLLLLLDDDDDDDD)V"
enum { JAVA_REGISTER_SLOTS = 6 + 2 * 8 };
// The slot of JAVA_ALL_REGISTERS that is passed in a register, by its number.
uint32_t java_register_slot(int reg);
static inline char java_result(const char *shape)
{
    return strchr(shape, ')')[1];
}

#endif
