// SPDX-License-Identifier: Apache-2.0
// What assemblers of all processors share: a buffer of code, labels, distances that are filled in when the labels are known.
// Code is addressed by its offset in the buffer, never by a pointer: the buffer moves when it grows.
//
// An Asm is used by one thread. NO_GC. No memory is an error that is kept and reported once, by asm_finish: the functions that emit do
// nothing from then on and need no check. So is a label out of reach, or one that stands nowhere.
//
//     Asm a;
//     asm_init(&a);
//     x86_...(&a, ...);
//     if (asm_finish(&a) == ASM_OK)
//         code_install(&a, ...);
//     asm_free(&a);
#ifndef CODE_ASM_H
#define CODE_ASM_H

#include "base/common.h"

typedef enum AsmError {
    ASM_OK,
    ASM_NO_MEMORY,
    ASM_TOO_FAR, // a short branch does not reach its label
    ASM_UNBOUND, // a label is used and stands nowhere
} AsmError;

typedef struct AsmLabel { // a place in the code, known now or later
    uint32_t index;
} AsmLabel;

typedef struct AsmList { // elements of one size each
    void *at;
    size_t len, capacity;
} AsmList;

typedef struct Asm {
    AsmList code;    // uint8_t
    AsmList labels;  // int32_t: offsets; -1: not bound
    AsmList fixups;  // AsmFixup
    AsmList records; // of the listing: the processor's own; empty unless keeps_listing
    bool keeps_listing;
    AsmError error;
} Asm;

typedef struct AsmRecord { // how each record begins
    uint32_t at;           // offset of the instruction
    uint32_t form;         // of the processor's table
} AsmRecord;

void asm_init(Asm *a);
// Gives all memory back.
void asm_free(Asm *a);
// Bytes emitted so far: the offset of what comes next.
static inline size_t asm_size(const Asm *a)
{
    return a->code.len;
}
static inline const uint8_t *asm_code(const Asm *a)
{
    return a->code.at;
}

// A label that stands nowhere yet.
AsmLabel asm_label(Asm *a);
// The label stands here, before what is emitted next. Once for each.
void asm_bind(Asm *a, AsmLabel label);
// The offset of a label; -1: not bound.
int32_t asm_label_at(const Asm *a, AsmLabel label);

// Fills in all distances. What is emitted is whole only if this gives ASM_OK; to be called once, last.
NODISCARD AsmError asm_finish(Asm *a);

// ---- for the processors' encoders ----
void asm_emit(Asm *a, const void *bytes, size_t count);
// Where the next `most` bytes stand; whoever writes less says so to asm_take. NULL: no memory.
uint8_t *asm_room(Asm *a, size_t most);
static inline void asm_take(Asm *a, size_t count)
{
    VM_ASSERT(a->code.len + count <= a->code.capacity);
    a->code.len += count;
}
// The signed number of `bytes` bytes at offset `at` becomes the label's offset less `end`.
void asm_fixup(Asm *a, AsmLabel label, size_t at, size_t bytes, size_t end);
// Adds `size` bytes, which begin with an AsmRecord, to the listing, which is kept.
void asm_record(Asm *a, const void *record, size_t size);

#endif
