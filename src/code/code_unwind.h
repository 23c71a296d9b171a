// SPDX-License-Identifier: Apache-2.0
// Tells the C library's unwinder, and gdb (code_gdb.h), how to leave frames of generated code, so that stacks in crash reports, thread cancellation and
// debugging pass them. All generated code keeps a frame pointer: one rule fits the whole region wherever a call returns to. (Between the first
// instruction of a function and its frame, and after it, the rule is wrong; there only a signal looks.)
#ifndef CODE_CODE_UNWIND_H
#define CODE_CODE_UNWIND_H

#include "code/code_cache.h"

enum { CODE_UNWIND_BYTES = 80 };
typedef struct
    CodeUnwind { // a table as in a section .eh_frame (Linux Standard Base, Core, 10.6)
    _Alignas(8) uint8_t bytes[CODE_UNWIND_BYTES];
} CodeUnwind;

// Makes the table for the code in [start, start + size).
void code_unwind_make(CodeUnwind *u, const void *start, size_t size);
// Makes it and registers it with the C library's unwinder. For the code in [start, start + size), one region at a time. `u` stays where it is until it is deregistered. Before other threads.
void code_unwind_register(CodeUnwind *u, const void *start, size_t size);
void code_unwind_deregister(CodeUnwind *u);

#endif
