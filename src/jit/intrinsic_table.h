// SPDX-License-Identifier: Apache-2.0
// Methods of the class library that compiled code does not call: spec/intrinsics.def.
#ifndef JIT_INTRINSIC_TABLE_H
#define JIT_INTRINSIC_TABLE_H

#include "class/class.h"
#include "jit/ir.h"

typedef enum IntrinsicKind {
    INTRINSIC_NODE,
    INTRINSIC_MEMORY,
    INTRINSIC_UTF16,
    INTRINSIC_C,
    INTRINSIC_KNOWN
} IntrinsicKind;
typedef enum IntrinsicNeeds { NEEDS_NOTHING, NEEDS_BIT_COUNTS, NEEDS_ROUNDING } IntrinsicNeeds;
typedef enum IntrinsicOrder { PLAIN, ORDERED, VOLATILE } IntrinsicOrder;
typedef enum IntrinsicHow { TAKES_ALL, CHECKS_NULL, MAY_DECLINE, MAKES_OBJECT } IntrinsicHow;

typedef struct CompiledIntrinsic { // constant
    const char *cls, *name, *desc;
    IntrinsicKind kind;
    IrOp op;              // of a node
    IntrinsicNeeds needs; // INTRINSIC_NODE
    char memory_kind;     // INTRINSIC_MEMORY, INTRINSIC_UTF16: the kind of elements
    IntrinsicOrder order; // likewise
    const void *function; // INTRINSIC_C; INTRINSIC_KNOWN: or NULL
    IntrinsicHow how;     // likewise
    const char *field,
        *field_desc; // likewise: NULL, or what the function is given of the receiver in its place
} CompiledIntrinsic;

// Reads the table. Once, before Java runs.
void intrinsics_init(void);
// What stands for a call of m, as m is now; NULL: it is to be called. NO_GC.
const CompiledIntrinsic *intrinsic_of(const Method *m);

#endif
