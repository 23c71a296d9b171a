// SPDX-License-Identifier: Apache-2.0
// A word of the Java stack: a local variable or an operand. A long or double takes two, its value stands whole in
// the first one. References are full object pointers.
#ifndef THREAD_SLOT_H
#define THREAD_SLOT_H

#include "base/common.h"

typedef union Slot {
    uint64_t raw;
    int32_t i;
    int64_t l;
    float f;
    double d;
    Object *ref;
    void *p;
} Slot;

#endif
