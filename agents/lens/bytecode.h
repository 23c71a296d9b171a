// SPDX-License-Identifier: Apache-2.0
// The ways through a method's bytecodes, as GetBytecodes gives them. Pure: no VM, any thread.
#ifndef LENS_BYTECODE_H
#define LENS_BYTECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Where an instruction with several successors may go on.
typedef struct BytecodeWay {
    uint32_t target;
    bool is_alone; // nothing but this jump leads to the target
} BytecodeWay;

// A conditional jump or a switch. Its ways are ways[first] to ways[first + len - 1], each target
// once, in the order in which the instruction names them; the next instruction comes first.
typedef struct BytecodeJump {
    uint32_t bci;
    uint32_t first, len;
} BytecodeJump;

typedef struct BytecodeFlow {
    BytecodeJump *jumps; // in order of bci
    BytecodeWay *ways;
    uint32_t jumps_len, ways_len;
} BytecodeFlow;

// Bytes of the instruction at `at` < `size` with its operands; 0 where it is none or does not fit.
uint32_t bytecode_length(const uint8_t *code, uint32_t size, uint32_t at);
// Whether the instruction ends the method in order: areturn, return and their like.
bool bytecode_is_return(uint8_t opcode);
// Finds all jumps with at least two targets. False where the code is damaged or memory ends; then
// there is nothing to free. Exception handlers do not count as ways in: one cannot be the target
// of a jump as well, as its stack holds the exception (JVMS 4.10).
bool bytecode_flow(const uint8_t *code, uint32_t size, BytecodeFlow *flow);
void bytecode_flow_free(BytecodeFlow *flow);

#endif
