// SPDX-License-Identifier: Apache-2.0
// Names of code addresses in stacks, for whatever wrote the code: a compiler of C, or this VM.
#ifndef CODE_CODE_PLACE_H
#define CODE_CODE_PLACE_H

#include "platform/native_stack.h"

// As native_place; for code that was generated " name+0x12 (generated)". Allocates nothing; for signal handlers too. NO_GC.
void code_place(SymbolFile *file, uintptr_t at, bool is_return, char *out, size_t size);

#endif
