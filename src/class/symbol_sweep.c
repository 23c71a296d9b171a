// SPDX-License-Identifier: Apache-2.0
// See symbol_sweep.h. Marks every symbol that a class, a loader's tables or a thread's handle stack
// has, whether or not the class is alive, so that any collection can do it. Classes that are not
// in their loader's list yet have their names pinned by the thread that makes them.
#include "class/symbol_sweep.h"

#include "base/log.h"
#include "class/loader_internal.h"
#include "class/unload.h"

// Fewer new bytes than this, or than a quarter of the old ones, are not worth a sweep.
enum { NEW_BYTES = 512 << 10, NEW_FRACTION = 4 };

static void mark_method(const Method *m)
{
    symbol_mark(m->name);
    symbol_mark(m->desc);
}

static void mark_members(const Class *c)
{
    for (uint32_t i = 0; i < class_field_slot_count(c); i++) {
        symbol_mark(class_field_in_slot(c, i)->name);
        symbol_mark(class_field_in_slot(c, i)->desc);
    }
    for (uint32_t i = 0; i < c->method_count; i++)
        mark_method(class_method(c, i));
    for (uint32_t i = 0; i < c->extra_method_count; i++)
        mark_method(c->extra_methods[i]);
    for (const OldMethod *o = c->old_methods; o; o = o->next)
        mark_method(&o->method);
}

static void mark_class(Class *c)
{
    symbol_mark(c->source);
    mark_members(c);
    for (; c; c = atomic_load(&c->array_class))
        symbol_mark(c->name);
}

static void mark_classes(Class *list)
{
    for (Class *c = list; c; c = c->next_in_loader)
        mark_class(c);
}

// Of tables whose keys are symbols.
static void mark_keys(const PtrMap *table)
{
    uintptr_t key;
    void *value;
    for (size_t i = 0; ptrmap_next(table, &i, &key, &value);)
        symbol_mark((Symbol *)key);
}

static void mark_modules(const Loader *l)
{
    uintptr_t key;
    void *value;
    for (size_t i = 0; ptrmap_next(&l->packages, &i, &key, &value);)
        symbol_mark(((const Package *)value)->location);
    for (size_t i = 0; ptrmap_next(&l->modules, &i, &key, &value);) {
        symbol_mark(((const Module *)value)->version);
        symbol_mark(((const Module *)value)->location);
    }
}

static void mark_loader(void *ctx UNUSED, Loader *l)
{
    mark_classes(l->defined);
    mark_classes(l->abandoned);
    mark_keys(&l->classes);
    mark_keys(&l->packages);
    mark_keys(&l->modules);
    mark_keys(&l->constraints);
    mark_modules(l);
}

static void mark_pinned(void *symbol)
{
    symbol_mark(symbol);
}

static void mark_all(void)
{
    loaders_each(mark_loader, NULL);
    unload_each_waiting(mark_classes);
    for (const char *kind = "ZCFDBSIJ"; *kind; kind++)
        mark_class(class_primitive(*kind));
    THREAD_EACH(t)
    handle_stack_visit_pins(&t->mutator.handles, PIN_SYMBOL, mark_pinned);
}

static bool is_due(bool full)
{
#ifdef PELLUCID_GC_STRESS
    if (full)
        return true;
#endif
    (void)full;
    SymbolBytes b = symbols_bytes();
    return b.now - b.left > MAX_OF((size_t)NEW_BYTES, b.left / NEW_FRACTION);
}

void symbols_sweep(bool full)
{
    ASSERT_WORLD_STOPPED();
    if (!symbols_have_started() || !is_due(full))
        return;
    size_t before = symbols_bytes().now;
    mark_all();
    symbols_free_unmarked();
    LOG(LOG_GC_METASPACE, LOG_INFO, "Symbols: %zuK->%zuK", before >> 10,
        symbols_bytes().now >> 10);
}
