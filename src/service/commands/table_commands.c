// SPDX-License-Identifier: Apache-2.0
// The diagnostic commands about how the VM's tables are filled: VM.stringtable,
// VM.symboltable, VM.systemdictionary.
#include <math.h>

#include "class/vm_classes.h"
#include "java/describe.h"
#include "java/string.h"
#include "service/commands/commands.h"

// How many entries each bucket has, and what they refer to.
typedef struct Filling {
    uint32_t *counts;
    size_t buckets, entries, literal_bytes;
    StrBuf *texts; // where each entry is written, NULL: not wanted
} Filling;

static void fill_add(Filling *f, size_t bucket, size_t bytes)
{
    if (bucket < f->buckets) // the table may have grown
        f->counts[bucket]++;
    f->entries++;
    f->literal_bytes += bytes;
}

static void add_filling(StrBuf *sb, const char *table, const Filling *f, size_t entry_bytes)
{
    size_t most = 0;
    double squares = 0, average = (double)f->entries / (double)f->buckets;
    for (size_t i = 0; i < f->buckets; i++) {
        most = MAX_OF(most, f->counts[i]);
        squares += (double)f->counts[i] * f->counts[i];
    }
    double variance = squares / (double)f->buckets - average * average;
    size_t bucket_bytes = f->buckets * sizeof(void *), all = f->entries * entry_bytes;
    sb_printf(sb, "%s statistics:\n", table);
    sb_printf(sb, "Number of buckets       : %9zu = %9zu bytes, each %zu\n", f->buckets,
              bucket_bytes, sizeof(void *));
    sb_printf(sb, "Number of entries       : %9zu = %9zu bytes, each %zu\n", f->entries, all,
              entry_bytes);
    sb_printf(sb, "Number of literals      : %9zu = %9zu bytes, avg %7.3f\n", f->entries,
              f->literal_bytes,
              f->entries ? (double)f->literal_bytes / (double)f->entries : 0.0);
    sb_printf(sb, "Total footprint         :           = %9zu bytes\n",
              bucket_bytes + all + f->literal_bytes);
    sb_printf(sb, "Average bucket size     : %9.3f\nVariance of bucket size : %9.3f\n", average,
              variance);
    sb_printf(sb, "Std. dev. of bucket size: %9.3f\nMaximum bucket size     : %9zu\n",
              sqrt(variance), most);
}

static void note_string(void *ctx, size_t bucket, Object *s)
{
    Filling *f = ctx;
    Object *value = object_get_ref(s, OFF(String, value));
    fill_add(f, bucket, object_size(s) + (value ? object_size(value) : 0));
    if (!f->texts)
        return;
    char *text = string_to_mutf8(s);
    sb_printf(f->texts, "%d: %s\n", string_length(s), text);
    vm_free(text);
}

static void note_symbol(void *ctx, size_t bucket, const Symbol *s)
{
    Filling *f = ctx;
    fill_add(f, bucket, sizeof *s + s->len + 1);
    if (f->texts)
        sb_printf(f->texts, "%d %d: %s\n", s->len, 1, s->s);
}

static Filling filling(size_t buckets, bool texts, StrBuf *out)
{
    if (texts)
        sb_add(out, "VERSION: 1.1\n");
    return (Filling){.counts = vm_calloc(buckets, sizeof(uint32_t)),
                     .buckets = buckets,
                     .texts = texts ? out : NULL};
}

static void string_table(Thread *self, const DiagnosticCall *call)
{
    (void)self;
    bool texts = diagnostic_boolean(call, 0);
    Filling f = filling(interned_strings_each(NULL, NULL), texts, call->out);
    interned_strings_each(note_string, &f);
    if (!texts)
        add_filling(call->out, "StringTable", &f, 2 * sizeof(void *) + 2 * sizeof(uint32_t));
    vm_free(f.counts);
}

static void symbol_table(Thread *self, const DiagnosticCall *call)
{
    (void)self;
    bool texts = diagnostic_boolean(call, 0);
    Filling f = filling(symbols_each(NULL, NULL), texts, call->out);
    symbols_each(note_symbol, &f);
    if (!texts)
        add_filling(call->out, "SymbolTable", &f, sizeof(void *));
    vm_free(f.counts);
}

// ---- classes of the loaders ----

typedef struct Dictionaries {
    StrBuf *out;
    bool entries;
} Dictionaries;

// A table whose buckets have one entry or none.
static void add_open_table(StrBuf *sb, const PtrMap *m)
{
    size_t bucket = sizeof(uintptr_t) + sizeof(void *);
    sb_printf(sb, "Number of buckets       : %9zu = %9zu bytes, each %zu\n", m->cap,
              m->cap * bucket, bucket);
    sb_printf(sb, "Number of entries       : %9zu\n", m->len);
    sb_printf(sb, "Total footprint         :           = %9zu bytes\n", m->cap * bucket);
    sb_printf(sb, "Average bucket size     : %9.3f\n",
              m->cap ? (double)m->len / (double)m->cap : 0.0);
}

static void add_dictionary(void *ctx, Loader *l)
{
    const Dictionaries *d = ctx;
    sb_add(d->out, "System Dictionary for ");
    describe_loader(d->out, l);
    sb_add(d->out, " class loader statistics:\n");
    add_open_table(d->out, &l->classes);
    if (l->constraints.len) {
        sb_add(d->out, "LoaderConstraints Table statistics:\n");
        add_open_table(d->out, &l->constraints);
    }
    uintptr_t key;
    void *c;
    for (size_t i = 0; d->entries && ptrmap_next(&l->classes, &i, &key, &c);) {
        char *text = class_external_name(c);
        sb_printf(d->out, "  %s%s\n", ((Class *)c)->loader == l ? "" : "^", text);
        vm_free(text);
    }
}

static void dictionaries(Thread *self, const DiagnosticCall *call)
{
    (void)self;
    Dictionaries d = {call->out, diagnostic_boolean(call, 0)};
    loaders_each(add_dictionary, &d);
}

static const DiagnosticArgument string_arguments[] = {
    {"-verbose", "Dump the content of each string in the table", "BOOLEAN", "false", true,
     false},
};
static const DiagnosticArgument symbol_arguments[] = {
    {"-verbose", "Dump the content of each symbol in the table", "BOOLEAN", "false", true,
     false},
};
static const DiagnosticArgument dictionary_arguments[] = {
    {"-verbose", "Dump the content of each dictionary entry for all class loaders", "BOOLEAN",
     "false", true, false},
};
static const DiagnosticCommand rows[] = {
    {.name = "VM.stringtable",
     .description = "Dump string table.",
     .impact = "Medium: Depends on Java content.",
     DIAGNOSTIC_MONITOR,
     DIAGNOSTIC_ARGUMENTS(string_arguments),
     .run = string_table},
    {.name = "VM.symboltable",
     .description = "Dump symbol table.",
     .impact = "Medium: Depends on Java content.",
     DIAGNOSTIC_MONITOR,
     DIAGNOSTIC_ARGUMENTS(symbol_arguments),
     .run = symbol_table},
    {.name = "VM.systemdictionary",
     .description = "Prints the statistics for dictionary hashtable sizes and bucket length",
     .impact = "Medium: Depends on Java content.",
     DIAGNOSTIC_MONITOR,
     DIAGNOSTIC_ARGUMENTS(dictionary_arguments),
     .run = dictionaries},
};
const DiagnosticRows table_commands = {rows, ARRAY_LEN(rows)};
