// SPDX-License-Identifier: Apache-2.0
// See intrinsic_table.h.
#include "jit/intrinsic_table.h"

#include <math.h>

#include "arch/cpu.h"
#include "arch/digests.h"
#include "base/java_math.h"
#include "class/loader.h"
#include "class/symbol.h"
#include "interp/breakpoint.h"
#include "jit/c_functions.h"
#include "platform/platform.h"

static const CompiledIntrinsic rows[] = {
#define INTRINSIC_NODE(cls, name, desc, node, needs) \
    {cls, name, desc, INTRINSIC_NODE, IR_##node, needs, 0, PLAIN, NULL, TAKES_ALL, NULL, NULL},
#define INTRINSIC_MEMORY(cls, name, desc, node, kind, order)        \
    {cls,  name,  desc, INTRINSIC_MEMORY, IR_##node, NEEDS_NOTHING, \
     kind, order, NULL, TAKES_ALL,        NULL,      NULL},
#define INTRINSIC_UTF16(cls, name, desc, node)                    \
    {cls, name,  desc, INTRINSIC_UTF16, IR_##node, NEEDS_NOTHING, \
     'C', PLAIN, NULL, TAKES_ALL,       NULL,      NULL},
#define INTRINSIC_C(cls, name, desc, function, how)            \
    {cls,         name,     desc,                              \
     INTRINSIC_C, IR_CallC, NEEDS_NOTHING,                     \
     0,           PLAIN,    (const void *)(uintptr_t)function, \
     how,         NULL,     NULL},
#define INTRINSIC_KNOWN(cls, name, desc, node, function) \
    {cls,                                                \
     name,                                               \
     desc,                                               \
     INTRINSIC_KNOWN,                                    \
     IR_##node,                                          \
     NEEDS_NOTHING,                                      \
     0,                                                  \
     PLAIN,                                              \
     (const void *)(uintptr_t)function,                  \
     TAKES_ALL,                                          \
     NULL,                                               \
     NULL},
#define INTRINSIC_C_OF(cls, field, field_desc, name, desc, function) \
    {cls,         name,     desc,                                    \
     INTRINSIC_C, IR_CallC, NEEDS_NOTHING,                           \
     0,           PLAIN,    (const void *)(uintptr_t)function,       \
     MAY_DECLINE, field,    field_desc},
#include "spec/intrinsics.def"
#undef INTRINSIC_KNOWN
#undef INTRINSIC_NODE
#undef INTRINSIC_MEMORY
#undef INTRINSIC_UTF16
#undef INTRINSIC_C
#undef INTRINSIC_C_OF
};

enum { BUCKETS = 512 }; // of an open hash; a power of two
_Static_assert(ARRAY_LEN(rows) < BUCKETS / 2, "few of which collide");

static struct { // written before Java runs
    const Symbol *cls, *name, *desc;
    const CompiledIntrinsic *row;
} table[BUCKETS];

static size_t bucket_of(const Symbol *cls, const Symbol *name, const Symbol *desc)
{
    return (cls->hash * 31 + name->hash * 7 + desc->hash) % BUCKETS;
}

static bool is_there(IntrinsicNeeds needs)
{
    switch (needs) {
    case NEEDS_BIT_COUNTS: return cpu_counts_bits();
    case NEEDS_ROUNDING: return cpu_rounds();
    default: return true;
    }
}

void intrinsics_init(void)
{
    digests_start();
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const CompiledIntrinsic *r = &rows[i];
        const Symbol *cls = symbol_intern(r->cls), *name = symbol_intern(r->name),
                     *desc = symbol_intern(r->desc);
        size_t at = bucket_of(cls, name, desc);
        if (!is_there(r->needs))
            continue;
        while (table[at].row)
            at = (at + 1) % BUCKETS;
        table[at].cls = cls;
        table[at].name = name;
        table[at].desc = desc;
        table[at].row = r;
    }
}

static const CompiledIntrinsic *find(const Method *m)
{
    size_t at = bucket_of(m->cls->name, m->name, m->desc);
    for (; table[at].row; at = (at + 1) % BUCKETS)
        if (table[at].cls == m->cls->name && table[at].name == m->name
            && table[at].desc == m->desc)
            return table[at].row;
    return NULL;
}

// Whether m does what it does in the class library's file.
static bool is_original(const Method *m)
{
    enum { OTHER = METHOD_OLD | METHOD_OBSOLETE | METHOD_DELETED };
    MethodEntry entry = method_entry_kind(m);
    if (entry == ENTRY_INTRINSIC || entry == ENTRY_ALWAYS_INTRINSIC)
        return true;
    return !(m->flags & OTHER) && method_has_code(m) && m->pool->version == 0
           && !m->pool->rewritten && !breakpoints_in(m);
}

const CompiledIntrinsic *intrinsic_of(const Method *m)
{
    if (m->cls->loader != loader_boot)
        return NULL;
    const CompiledIntrinsic *found = find(m);
    return found && is_original(m) ? found : NULL;
}
