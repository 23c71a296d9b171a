// SPDX-License-Identifier: Apache-2.0
// Names of native code: an ELF reader that knows .symtab and .dynsym. Files are hostile; limits are looked at before memory is taken.
#ifndef LENS_SYMBOLS_H
#define LENS_SYMBOLS_H

#include "base.h"

typedef struct Symbols Symbols;
Symbols *symbols_new(void);
void symbols_free(Symbols *symbols);
// The function that holds an address (in the file's own terms: as p_vaddr) of the file; NULL: none is known. Files are read once.
// The text lives as long as the table. `build_id` in hex: the file must be that one; NULL: it is not looked at.
const char *symbols_find(Symbols *symbols, const char *path, const char *build_id,
                         uint64_t address);

typedef struct ElfSymbol {
    uint64_t address, size;
    const char *name;
} ElfSymbol;
// The functions of an ELF file of 64 bits, by address; names point into the data. 0 if it is none. To be freed.
size_t elf_functions(const uint8_t *data, size_t size, ElfSymbol **functions);

#endif
