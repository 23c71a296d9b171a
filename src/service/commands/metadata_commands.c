// SPDX-License-Identifier: Apache-2.0
// The diagnostic command VM.metaspace. Its sizes are those of class/metadata.h, by kind and by
// loader; there are no chunks and no free lists as HotSpot has them. It works on a snapshot of the lists, made and
// printed without letting a collection in between.
#include <malloc.h>
#include <stdio.h>

#include "class/image_map.h"
#include "class/metadata.h"
#include "interp/profile.h"
#include "java/describe.h"
#include "java/engine.h"
#include "options/options.h"
#include "service/commands/commands.h"
#include "service/management/memory_pools.h"

// ---- sizes ----

typedef struct Scale {
    const char *name;
    double bytes; // 0: what suits the size
} Scale;
static const Scale scales[] = {{"dynamic", 0},
                               {"1", 1},
                               {"K", 1024},
                               {"KB", 1024},
                               {"M", 1024 * 1024},
                               {"MB", 1024 * 1024},
                               {"G", 1024.0 * 1024 * 1024},
                               {"GB", 1024.0 * 1024 * 1024}};

static const Scale *scale_of(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(scales); i++)
        if (strcmp(scales[i].name, name) == 0)
            return &scales[i];
    return NULL;
}

static void add_size(StrBuf *sb, const Scale *scale, int64_t bytes)
{
    static const char *const units[] = {"bytes", "KB", "MB", "GB"};
    size_t unit = 0;
    double unit_bytes = 1;
    while (unit + 1 < ARRAY_LEN(units)
           && (scale->bytes ? unit_bytes < scale->bytes : (double)bytes >= unit_bytes * 1024)) {
        unit++;
        unit_bytes *= 1024;
    }
    sb_printf(sb, unit ? "%9.2f %s" : "%6.0f %s", (double)bytes / unit_bytes, units[unit]);
}

static void add_line(StrBuf *sb, const Scale *scale, const char *what, int64_t bytes,
                     const char *state)
{
    sb_printf(sb, "%16s: ", what);
    add_size(sb, scale, bytes);
    sb_printf(sb, " %s\n", state);
}

// ---- usage ----

typedef struct Usage {
    const Loader *loader;
    VEC(Class *) classes; // arrays too
    int64_t native, space;
} Usage;
typedef VEC(Usage) Usages;

static void note_loader(void *ctx, Loader *l)
{
    vec_push((Usages *)ctx, ((Usage){.loader = l}));
}

static void note_class(void *ctx, Class *c)
{
    const Usages *all = ctx;
    size_t i = 0;
    while (i < all->len && all->at[i].loader != c->loader)
        i++;
    if (i == all->len)
        return;
    Usage *u = &all->at[i];
    vec_push(&u->classes, c);
    u->native += (int64_t)atomic_load(&c->native_bytes);
    u->space += (int64_t)sizeof *c;
}

static void add_usage(StrBuf *sb, const Scale *scale, int64_t native, int64_t space)
{
    add_line(sb, scale, "Non-class", native, "used");
    add_line(sb, scale, "Class", space, "used");
    add_line(sb, scale, "Both", native + space, "used");
}

static void add_classes(StrBuf *sb, const Usage *u)
{
    sb_add(sb, "      Loaded classes:\n");
    for (size_t i = 0; i < u->classes.len; i++) {
        char *name = class_external_name(u->classes.at[i]);
        sb_printf(sb, "      %4zu:    %s\n", i + 1, name);
        vm_free(name);
    }
}

static void add_loaders(StrBuf *sb, const Scale *scale, bool classes)
{
    Usages all = {0};
    size_t count = 0;
    loaders_each(note_loader, &all);
    classes_each(note_class, &all);
    sb_add(sb, "\nUsage per loader:\n");
    for (size_t i = 0; i < all.len; i++) {
        Usage *u = &all.at[i];
        sb_printf(sb, "\n%4zu: Loader %p: ", i + 1, (const void *)u->loader);
        describe_loader(sb, u->loader);
        sb_printf(sb, ", %zu class%s\n", u->classes.len, u->classes.len == 1 ? "" : "es");
        if (classes)
            add_classes(sb, u);
        add_usage(sb, scale, u->native, u->space);
        count += u->classes.len;
        vec_free(&u->classes);
    }
    sb_printf(sb, "\nTotal: %zu loaders, %zu classes\n", all.len, count);
    vec_free(&all);
}

// ---- kinds ----

typedef struct Kinds {
    size_t bytes[METADATA_KINDS];
    size_t mapped; // class files in lib/modules
} Kinds;

static void note_kinds(void *ctx, Class *c)
{
    Kinds *k = ctx;
    metadata_add_kinds(c, k->bytes);
    if (c->cf && image_map_contains(c->cf->bytes, c->cf->len))
        k->mapped += c->cf->len;
}

static void add_kind(StrBuf *sb, const Scale *scale, const char *what, size_t bytes)
{
    sb_printf(sb, "%32s: ", what);
    add_size(sb, scale, (int64_t)bytes);
    sb_putc(sb, '\n');
}

static void add_kinds(StrBuf *sb, const Scale *scale)
{
    static const char *const names[METADATA_KINDS] = {
        [METADATA_CLASS] = "Class structures",
        [METADATA_FILE] = "Class files",
        [METADATA_PARSED] = "Parsed of them",
        [METADATA_POOL] = "Resolved constants, call sites",
        [METADATA_MEMBERS] = "Methods and fields",
        [METADATA_TABLES] = "Method tables"};
    Kinds k = {0};
    classes_each(note_kinds, &k);
    struct mallinfo2 heap = mallinfo2();
    sb_add(sb, "\nUsage by kind:\n");
    for (int i = 0; i < METADATA_KINDS; i++)
        add_kind(sb, scale, names[i], k.bytes[i]);
    sb_add(sb, "\nNot counted above:\n");
    add_kind(sb, scale, "Class files mapped in lib/modules", k.mapped);
    add_kind(sb, scale, "Symbols", symbols_bytes().now);
    add_kind(sb, scale, "Decoded code", engine->code_bytes());
    add_kind(sb, scale, "Profiles of warm methods", profile_bytes());
    add_kind(sb, scale, "C heap in use, for all purposes", heap.uordblks + heap.hblkhd);
    add_kind(sb, scale, "C heap free", heap.fordblks);
}

// ---- the command ----

enum { BASIC, SHOW_LOADERS, SHOW_CLASSES, SCALE };
static const DiagnosticArgument arguments[] = {
    {"basic", "Prints a basic summary (does not need a safepoint).", "BOOLEAN", "false", true,
     false},
    {"show-loaders", "Shows usage by class loader.", "BOOLEAN", "false", true, false},
    {"show-classes", "If show-loaders is set, shows loaded classes for each loader.", "BOOLEAN",
     "false", true, false},
    {"scale",
     "Memory usage in which to scale. Valid values are: 1, KB, MB or GB (fixed scale) or "
     "\"dynamic\" for a dynamically chosen scale.",
     "STRING", "dynamic", true, false},
};

static void add_limit(StrBuf *sb, const Scale *scale, const char *what, size_t bytes)
{
    sb_printf(sb, "%s: ", what);
    if (bytes != SIZE_MAX)
        add_size(sb, scale, (int64_t)bytes);
    else
        sb_add(sb, "unlimited");
    sb_putc(sb, '\n');
}

static void metaspace(Thread *self, const DiagnosticCall *call)
{
    (void)self;
    StrBuf *sb = call->out;
    const Scale *scale = scale_of(diagnostic_text(call, SCALE));
    if (!scale)
        sb_printf(sb, "Invalid scale: \"%s\". Will use dynamic scaling.\n",
                  diagnostic_text(call, SCALE));
    scale = scale ? scale : scales;
    if (diagnostic_boolean(call, SHOW_LOADERS) && !diagnostic_boolean(call, BASIC))
        add_loaders(sb, scale, diagnostic_boolean(call, SHOW_CLASSES));
    PoolUsage pools[POOL_COUNT];
    pool_usages(pools);
    const PoolUsage *both = &pools[POOL_METASPACE], *space = &pools[POOL_CLASS_SPACE];
    sb_add(sb, "\nUsage:\n");
    add_usage(sb, scale, both->used - space->used, space->used);
    add_kinds(sb, scale);
    sb_add(sb, "\nVirtual space:\n");
    add_line(sb, scale, "Non-class space", both->committed - space->committed, "committed");
    add_line(sb, scale, "Class space", space->max, "reserved");
    add_line(sb, scale, "Class space", space->committed, "committed");
    PlacedRange range = class_space_range();
    sb_printf(sb, "%16s: 0x%016zx - 0x%016zx, compressed pointers count from 0x%zx\n",
              "Class space", range.start, range.end, range.base);
    sb_add(sb, "\nSettings:\n");
    add_limit(sb, scale, "MaxMetaspaceSize", metadata_max());
    add_limit(sb, scale, "CompressedClassSpaceSize", (size_t)space->max);
    add_limit(sb, scale, "Initial GC threshold", metadata_first_threshold());
    add_limit(sb, scale, "Current GC threshold", metadata_threshold());
    sb_add(sb, "CDS: off\n");
}

static const DiagnosticCommand rows[] = {
    {.name = "VM.metaspace",
     .description = "Prints the statistics for the metaspace",
     .impact = "Medium: Depends on number of classes loaded.",
     DIAGNOSTIC_MONITOR,
     DIAGNOSTIC_ARGUMENTS(arguments),
     .run = metaspace},
};
const DiagnosticRows metadata_commands = {rows, ARRAY_LEN(rows)};
