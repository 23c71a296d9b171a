// SPDX-License-Identifier: Apache-2.0
// Interned modified UTF-8 names: two equal names are one pointer. Never freed. Thread-safe,
// never collect.
#ifndef RUNTIME_SYMBOL_H
#define RUNTIME_SYMBOL_H

#include "base/common.h"

struct Symbol {
    uint32_t hash;
    uint16_t len;
    char s[]; // NUL-terminated
};
Symbol *symbol_intern_n(const char *s, size_t len);
Symbol *symbol_intern(const char *s);
Symbol *symbol_find_n(const char *s, size_t len); // NULL when nobody interned it
// Calls visit (NULL: nobody) for each symbol, under the table's lock, with the bucket its hash
// belongs to. The number of buckets.
size_t symbols_each(void (*visit)(void *ctx, size_t bucket, const Symbol *s), void *ctx);
void symbols_init(void); // and the well-known ones

// Well-known symbols: spec/vm_symbols.def, VM_SYMBOL(id, "text"); used as SYM(init).
enum {
#define VM_SYMBOL(id, text) SYM_##id,
#include "../../spec/vm_symbols.def"
#undef VM_SYMBOL
    SYM_COUNT
};
extern Symbol *vm_symbols[SYM_COUNT];
#define SYM(id) (vm_symbols[SYM_##id])

#endif
