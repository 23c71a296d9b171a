// SPDX-License-Identifier: Apache-2.0
// The symbol table: open addressing over pointers to immortal symbols, which are bump-allocated
// from one arena. Lookups and inserts take symbols_lock (RANK_SYMBOLS), a leaf for everybody
// else; nothing here collects.
#include "runtime/symbol.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "platform/platform.h"

static Mutex symbols_lock = MUTEX_INIT(RANK_SYMBOLS);
static Arena symbol_arena;
static Symbol **table;
static size_t table_cap, table_len; // cap is a power of two

Symbol *vm_symbols[SYM_COUNT];

static const char *const vm_symbol_text[SYM_COUNT] = {
#define VM_SYMBOL(id, text) text,
#include "../../spec/vm_symbols.def"
#undef VM_SYMBOL
};

static Symbol **find_slot(const char *s, size_t len, uint32_t hash)
{
    size_t mask = table_cap - 1;
    size_t i = hash & mask;
    while (table[i]) {
        const Symbol *y = table[i];
        if (y->hash == hash && y->len == len && memcmp(y->s, s, len) == 0)
            break;
        i = (i + 1) & mask;
    }
    return &table[i];
}

static void grow(void)
{
    Symbol **old = table;
    size_t old_cap = table_cap;
    table_cap = old_cap ? old_cap * 2 : 1 << 15;
    table = vm_calloc(table_cap, sizeof *table);
    for (size_t i = 0; i < old_cap; i++) {
        if (!old[i])
            continue;
        size_t j = old[i]->hash & (table_cap - 1);
        while (table[j])
            j = (j + 1) & (table_cap - 1);
        table[j] = old[i];
    }
    vm_free(old);
}

static Symbol *make(const char *s, size_t len, uint32_t hash)
{
    Symbol *y = arena_alloc(&symbol_arena, sizeof *y + len + 1);
    y->hash = hash;
    y->len = (uint16_t)len;
    memcpy(y->s, s, len);
    y->s[len] = 0;
    return y;
}

Symbol *symbol_intern_n(const char *s, size_t len)
{
    VM_CHECK(len <= UINT16_MAX);
    uint32_t hash = hash_bytes(s, len);
    mutex_lock(&symbols_lock);
    if ((table_len + 1) * 2 > table_cap)
        grow();
    Symbol **slot = find_slot(s, len, hash);
    if (!*slot) {
        *slot = make(s, len, hash);
        table_len++;
    }
    Symbol *y = *slot;
    mutex_unlock(&symbols_lock);
    return y;
}

Symbol *symbol_intern(const char *s)
{
    return symbol_intern_n(s, strlen(s));
}

Symbol *symbol_find_n(const char *s, size_t len)
{
    if (len > UINT16_MAX)
        return NULL;
    uint32_t hash = hash_bytes(s, len);
    mutex_lock(&symbols_lock);
    Symbol *y = table_cap ? *find_slot(s, len, hash) : NULL;
    mutex_unlock(&symbols_lock);
    return y;
}

size_t symbols_each(void (*visit)(void *ctx, size_t bucket, const Symbol *s), void *ctx)
{
    mutex_lock(&symbols_lock);
    for (size_t i = 0; visit && i < table_cap; i++)
        if (table[i])
            visit(ctx, table[i]->hash & (table_cap - 1), table[i]);
    size_t buckets = table_cap;
    mutex_unlock(&symbols_lock);
    return buckets;
}

void symbols_init(void)
{
    for (int i = 0; i < SYM_COUNT; i++)
        vm_symbols[i] = symbol_intern(vm_symbol_text[i]);
}
