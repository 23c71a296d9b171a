// SPDX-License-Identifier: Apache-2.0
// Interned modified UTF-8 names: two equal names are one pointer. Thread-safe, never collect.
//
// A symbol stays as long as something that lives is named by it: a class, its members, a package, a
// module, an entry of a loader's tables (symbol_sweep.c). What the functions below return is also
// pinned on the handle stack of the calling thread, which is IN_VM: like a local handle it is good
// until the enclosing HANDLE_SCOPE or native method ends. What is interned before the VM has
// started, or by a thread that is not attached, stays for good.
#ifndef CLASS_SYMBOL_H
#define CLASS_SYMBOL_H

#include "base/common.h"

struct Symbol {
    uint32_t hash;
    uint16_t len;
    uint8_t keep; // SymbolKeep
    char s[];     // NUL-terminated
};
// The symbol of these bytes (modified UTF-8, copied), made where there is none. Good until the enclosing
// HANDLE_SCOPE or native method ends (docs/GC.md). NO_GC.
Symbol *symbol_intern_n(const char *s, size_t len);
Symbol *symbol_intern(const char *s);
Symbol *symbol_find_n(const char *s, size_t len); // NULL when nobody interned it
void symbol_keep(Symbol *y);                      // for good
// Calls visit (NULL: nobody) for each symbol, under the table's lock, with the bucket its hash
// belongs to. The number of buckets.
size_t symbols_each(void (*visit)(void *ctx, size_t bucket, const Symbol *s), void *ctx);
void symbols_init(void);    // and the well-known ones
void symbols_started(void); // from here on new ones are freed when nothing needs them
bool symbols_have_started(void);

// Bytes of all there are, and of those that the last sweep left (or were there at the end of the
// start).
typedef struct SymbolBytes {
    size_t now, left;
} SymbolBytes;
SymbolBytes symbols_bytes(void);

// ---- for the sweep, world stopped ----
typedef enum SymbolKeep { SYMBOL_UNMARKED, SYMBOL_MARKED, SYMBOL_PERMANENT } SymbolKeep;
static inline void symbol_mark(Symbol *y)
{
    if (y && y->keep == SYMBOL_UNMARKED)
        y->keep = SYMBOL_MARKED;
}
void symbols_free_unmarked(void); // and takes the marks off the others

// Well-known symbols: spec/vm_symbols.def, VM_SYMBOL(id, "text"); used as SYM(init).
enum {
#define VM_SYMBOL(id, text) SYM_##id,
#include "spec/vm_symbols.def"
#undef VM_SYMBOL
    SYM_COUNT
};
extern Symbol *vm_symbols[SYM_COUNT];
#define SYM(id) (vm_symbols[SYM_##id])

#endif
