// SPDX-License-Identifier: Apache-2.0
// The symbol table: open addressing over pointers to symbols. Those of the start are permanent and
// bump-allocated from one arena, later ones each have memory of their own. Lookups and inserts take
// symbols_lock (RANK_SYMBOLS), a leaf for everybody else; nothing here collects.
#include "class/symbol.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "thread/thread.h"

static Mutex symbols_lock = MUTEX_INIT(RANK_SYMBOLS);
static Arena symbol_arena;
static Symbol **table;
static size_t table_cap, table_len; // cap is a power of two
static SymbolBytes bytes;
static _Atomic bool started;

enum { TABLE_MIN = 1 << 15 };

Symbol *vm_symbols[SYM_COUNT];

static const char *const vm_symbol_text[SYM_COUNT] = {
#define VM_SYMBOL(id, text) text,
#include "spec/vm_symbols.def"
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

static void resize(size_t cap)
{
    Symbol **old = table;
    size_t old_cap = table_cap;
    table_cap = cap;
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

static size_t size_of(size_t len)
{
    return offsetof(Symbol, s) + len + 1;
}

static Symbol *make(const char *s, size_t len, uint32_t hash, bool permanent)
{
    Symbol *y = permanent ? arena_alloc(&symbol_arena, size_of(len)) : vm_malloc(size_of(len));
    bytes.now += size_of(len);
    y->hash = hash;
    y->len = (uint16_t)len;
    y->keep = permanent ? SYMBOL_PERMANENT : SYMBOL_UNMARKED;
    memcpy(y->s, s, len);
    y->s[len] = 0;
    return y;
}

static Symbol *pinned(Thread *self, Symbol *y)
{
    if (y && self && y->keep != SYMBOL_PERMANENT) {
        VM_ASSERT(atomic_load(&self->state) == THREAD_IN_VM);
        handle_pin(self, y, PIN_SYMBOL);
    }
    return y;
}

Symbol *symbol_intern_n(const char *s, size_t len)
{
    VM_CHECK(len <= UINT16_MAX);
    Thread *self = thread_current();
    uint32_t hash = hash_bytes(s, len);
    mutex_lock(&symbols_lock);
    if ((table_len + 1) * 2 > table_cap)
        resize(table_cap ? table_cap * 2 : TABLE_MIN);
    Symbol **slot = find_slot(s, len, hash);
    if (!*slot) {
        *slot = make(s, len, hash, !self || !atomic_load(&started));
        table_len++;
    }
    Symbol *y = *slot;
    mutex_unlock(&symbols_lock);
    return pinned(self, y);
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
    return pinned(thread_current(), y);
}

void symbol_keep(Symbol *y)
{
    mutex_lock(&symbols_lock);
    y->keep = SYMBOL_PERMANENT;
    mutex_unlock(&symbols_lock);
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

void symbols_started(void)
{
    bytes.left = bytes.now;
    atomic_store(&started, true);
}

bool symbols_have_started(void)
{
    return atomic_load(&started);
}

SymbolBytes symbols_bytes(void)
{
    mutex_lock(&symbols_lock);
    SymbolBytes now = bytes;
    mutex_unlock(&symbols_lock);
    return now;
}

static void free_symbol(Symbol *y)
{
    bytes.now -= size_of(y->len);
    table_len--;
#if defined PELLUCID_DEBUG || defined PELLUCID_GC_STRESS
    memset(y, 0xAB, size_of(y->len));
#endif
    vm_free(y);
}

void symbols_free_unmarked(void)
{
    for (size_t i = 0; i < table_cap; i++) {
        Symbol *y = table[i];
        if (!y || y->keep == SYMBOL_PERMANENT)
            continue;
        if (y->keep == SYMBOL_UNMARKED) {
            free_symbol(y);
            table[i] = NULL;
        } else {
            y->keep = SYMBOL_UNMARKED;
        }
    }
    size_t cap = table_cap;
    while (cap > TABLE_MIN && table_len * 8 < cap)
        cap /= 2;
    resize(cap);
    bytes.left = bytes.now;
}
