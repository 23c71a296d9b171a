// SPDX-License-Identifier: Apache-2.0
// The stack effect of an instruction where its operands decide on it: by the constant pool entry that it
// names, by its count. Pure; takes any code, verified or not.
#ifndef CLASSFILE_EFFECT_H
#define CLASSFILE_EFFECT_H

#include "classfile/classfile.h"

// The kind of what the constant pool entry that an instruction names stands for: of a constant, a
// field's value, a method's result ('V': none). 'A' where it names nothing that has a kind.
char instruction_constant_kind(const ClassFile *cf, const Instruction *in);
// How many words an instruction pops.
uint32_t instruction_pop_words(const ClassFile *cf, const Instruction *in);

#endif
