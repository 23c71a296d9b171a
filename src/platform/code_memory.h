// SPDX-License-Identifier: Apache-2.0
// Memory for code made at run time: a range that is executed.
// No page is ever writable and executable at the same address. Two ways of having it:
//   twice    a file in memory, mapped a second time elsewhere for the writer. A child of fork has no such second mapping: it can
//            neither write there nor be written at.
//   switched one mapping, whose pages are made executable once they are written: for systems that refuse the former. Each piece
//            then begins with a page of its own.
// NO_GC; no locks: the caller's.
#ifndef PLATFORM_CODE_MEMORY_H
#define PLATFORM_CODE_MEMORY_H

#include "base/common.h"

typedef struct CodeMemory {
    uint8_t *run;   // to be executed and read
    uint8_t *write; // the same bytes for the writer; equal to `run`: switched
    size_t size;
} CodeMemory;

typedef enum CodeMapping {
    CODE_MAPPING_ANY, // twice, else switched
    CODE_MAPPING_TWICE,
    CODE_MAPPING_SWITCHED,
} CodeMapping;

// Reserves `size` bytes, a multiple of os_page_size(), below 2 GiB where there is room. Memory is used as it is written. False: the
// system refuses.
NODISCARD bool code_memory_reserve(CodeMemory *m, size_t size, CodeMapping mapping);
void code_memory_release(CodeMemory *m);
// Where a piece may begin: a multiple of that; at least 64.
size_t code_memory_alignment(const CodeMemory *m);
// Writes code where none is, or none that is executed; then it may be executed. `at` is a multiple of the alignment. False: no memory.
NODISCARD bool code_memory_write(const CodeMemory *m, size_t at, const void *code, size_t size);

#endif
