// SPDX-License-Identifier: Apache-2.0
// See code_unwind.h.
#include "code/code_unwind.h"

#if CODE_IS_GENERATED
void __register_frame(void *table); // libgcc's
void __deregister_frame(void *table);

enum { DW_CFA_DEF_CFA = 0x0c, DW_CFA_OFFSET = 0x80, DW_RBP = 6, DW_RETURN = 16 };

// A common information entry: what holds for all of its frames. At each place the frame's end is rbp + 16, where the caller's rbp and
// the return address lie just below.
static const uint8_t common_entry[] = {
    1,         // version
    0,         // no augmentation
    1,         // unit of code offsets
    0x78,      // unit of data offsets: -8
    DW_RETURN, // the column of the return address
    DW_CFA_DEF_CFA,
    DW_RBP,
    16, // the frame's end is rbp + 16
    DW_CFA_OFFSET | DW_RBP,
    2, // the caller's rbp at its end - 16
    DW_CFA_OFFSET | DW_RETURN,
    1, // the return address at its end - 8
};

static uint8_t *put(uint8_t *at, const void *from, size_t size)
{
    memcpy(at, from, size);
    return at + size;
}

static uint8_t *put_u32(uint8_t *at, size_t n)
{
    uint32_t value = (uint32_t)n;
    return put(at, &value, sizeof value);
}

void code_unwind_make(CodeUnwind *u, const void *start, size_t size)
{
    enum { COMMON = 4 + sizeof common_entry, FRAME = 4 + 8 + 8 };
    *u = (CodeUnwind){.bytes = {0}}; // zeros are DW_CFA_nop, and the end
    uint64_t from = (uintptr_t)start, bytes = size;
    uint8_t *at = put_u32(u->bytes, ALIGN_UP(COMMON, 4));
    put(put_u32(at, 0), common_entry, sizeof common_entry);
    uint8_t *frame = at + ALIGN_UP(COMMON, 4);
    at = put_u32(frame, FRAME);
    at = put_u32(at, (size_t)(at - u->bytes)); // back to the common entry
    at = put(put(at, &from, sizeof from), &bytes, sizeof bytes);
    VM_ASSERT(at + 4 <= u->bytes + CODE_UNWIND_BYTES);
}

void code_unwind_register(CodeUnwind *u, const void *start, size_t size)
{
    code_unwind_make(u, start, size);
    __register_frame(u->bytes);
}

void code_unwind_deregister(CodeUnwind *u)
{
    __deregister_frame(u->bytes);
}
#else
void code_unwind_make(CodeUnwind *u, const void *start, size_t size)
{
    (void)u, (void)start, (void)size;
}

void code_unwind_register(CodeUnwind *u, const void *start, size_t size)
{
    (void)u, (void)start, (void)size;
}

void code_unwind_deregister(CodeUnwind *u)
{
    (void)u;
}
#endif
