// SPDX-License-Identifier: Apache-2.0
// The diagnostic commands about classes and their loaders: VM.class_hierarchy, VM.classloaders,
// VM.classloader_stats. Each works on a snapshot of the lists, made and printed without letting
// a collection in between, so nothing of it is unloaded meanwhile.
#include "class/vm_classes.h"
#include "java/string.h"
#include "service/commands/commands.h"

typedef VEC(Class *) Classes;
typedef VEC(Loader *) Loaders;

static void note_class(void *ctx, Class *c)
{
    if (!class_is_array(c))
        vec_push((Classes *)ctx, c);
}

static void note_loader(void *ctx, Loader *l)
{
    vec_push((Loaders *)ctx, l);
}

// All loaders, the oldest first.
static Loaders loaders_list(void)
{
    Loaders all = {0};
    loaders_each(note_loader, &all);
    for (size_t i = 0, k = all.len; i + 1 < k--; i++) {
        Loader *l = all.at[i];
        all.at[i] = all.at[k];
        all.at[k] = l;
    }
    return all;
}

// ---- VM.class_hierarchy ----

typedef struct Hierarchy {
    StrBuf *out;
    Classes classes;
    PtrMap wanted; // Class * -> itself: those to print
    bool interfaces;
} Hierarchy;

static void add_class_name(StrBuf *sb, const Class *c)
{
    char *name = class_external_name(c);
    sb_printf(sb, c->loader->is_boot ? "%s/null" : "%s/0x%016zx", name,
              (size_t)(uintptr_t)c->loader);
    vm_free(name);
}

static void add_indent(StrBuf *sb, int depth)
{
    for (int i = 0; i < depth; i++)
        sb_add(sb, "|  ");
}

static bool is_declared(const Class *c, const Class *iface)
{
    for (int i = 0; i < c->interface_count; i++)
        if (c->interfaces[i] == iface)
            return true;
    return false;
}

static void add_interfaces(const Hierarchy *h, const Class *c, int depth)
{
    for (int declared = 1; declared >= 0; declared--) {
        for (int i = 0; i < c->all_interface_count; i++) {
            const Class *iface = c->all_interfaces[i];
            if (iface == c || is_declared(c, iface) != (declared == 1))
                continue;
            add_indent(h->out, depth);
            sb_add(h->out, "implements ");
            add_class_name(h->out, iface);
            sb_printf(h->out, " (%s intf)\n", declared ? "declared" : "inherited");
        }
    }
}

static void add_tree(const Hierarchy *h, const Class *c, int depth)
{
    if (depth > 0) {
        add_indent(h->out, depth - 1);
        sb_add(h->out, "|--");
    }
    add_class_name(h->out, c);
    sb_add(h->out, class_is_interface(c) ? " (intf)\n" : "\n");
    if (h->interfaces)
        add_interfaces(h, c, depth);
    for (size_t i = h->classes.len; i-- > 0;) {
        const Class *sub = h->classes.at[i];
        if (sub->super == c && ptrmap_get(&h->wanted, (uintptr_t)sub))
            add_tree(h, sub, depth + 1);
    }
}

// The classes of a name with what stands above them, and below if asked for; all for NULL.
static void choose(Hierarchy *h, const char *name, bool subclasses)
{
    for (size_t i = 0; i < h->classes.len; i++) {
        Class *c = h->classes.at[i];
        char *text = class_external_name(c);
        bool chosen = !name || strcmp(text, name) == 0;
        vm_free(text);
        for (Class *k = c; chosen && k; k = k->super)
            ptrmap_put(&h->wanted, (uintptr_t)k, k);
        for (size_t k = 0; chosen && name && subclasses && k < h->classes.len; k++)
            for (Class *s = h->classes.at[k]; s; s = s->super)
                if (s == c)
                    ptrmap_put(&h->wanted, (uintptr_t)h->classes.at[k], h->classes.at[k]);
    }
}

static const DiagnosticArgument hierarchy_arguments[] = {
    {"classname",
     "Name of class whose hierarchy should be printed. If not specified, all class hierarchies "
     "are printed.",
     "STRING", NULL, false, false},
    {"-i", "Inherited interfaces should be printed.", "BOOLEAN", "false", true, false},
    {"-s",
     "If a classname is specified, print its subclasses. Otherwise only its superclasses are "
     "printed.",
     "BOOLEAN", "false", true, false},
};
static void class_hierarchy(Thread *self, const DiagnosticCall *call)
{
    (void)self;
    Hierarchy h = {.out = call->out, .interfaces = diagnostic_boolean(call, 1)};
    classes_each(note_class, &h.classes);
    choose(&h, call->values[0], diagnostic_boolean(call, 2));
    if (ptrmap_get(&h.wanted, (uintptr_t)CLS(Object)))
        add_tree(&h, CLS(Object), 0);
    ptrmap_free(&h.wanted);
    vec_free(&h.classes);
}

// ---- VM.classloaders ----

static Loader *parent_of(const Loaders *all, const Loader *l)
{
    Object *o = deref(l->java_loader),
           *parent = o ? object_get_ref(o, OFF(ClassLoader, parent)) : NULL;
    for (size_t i = 0; i < all->len; i++)
        if (deref(all->at[i]->java_loader) == parent && all->at[i] != l)
            return all->at[i];
    return NULL;
}

static void add_loader_name(StrBuf *sb, const Loader *l)
{
    Object *o = deref(l->java_loader);
    if (!o) {
        sb_add(sb, "<bootstrap>");
        return;
    }
    char *name = string_to_utf8(object_get_ref(o, OFF(ClassLoader, name))),
         *cls = class_external_name(object_class(o));
    if (name)
        sb_printf(sb, "\"%s\", ", name);
    sb_add(sb, cls);
    vm_free(name);
    vm_free(cls);
}

typedef struct LoaderTree {
    StrBuf *out;
    Loaders all;
    bool classes, verbose, fold;
} LoaderTree;

// The other children of `parent` after at[i] that look like it; counted when folded.
static size_t count_alike(const LoaderTree *t, size_t at, const Loader *parent, bool before)
{
    size_t n = 0;
    StrBuf own = {0};
    add_loader_name(&own, t->all.at[at]);
    for (size_t i = before ? 0 : at + 1; i < (before ? at : t->all.len); i++) {
        StrBuf other = {0};
        add_loader_name(&other, t->all.at[i]);
        n += parent_of(&t->all, t->all.at[i]) == parent && t->all.at[i] != parent
             && strcmp(own.s, other.s) == 0;
        sb_free(&other);
    }
    sb_free(&own);
    return n;
}

static void add_loader_classes(const LoaderTree *t, const Loader *l, const char *margin,
                               bool hidden)
{
    Classes found = {0};
    for (Class *c = l->defined; c; c = c->next_in_loader)
        if (c->hidden == hidden)
            vec_push(&found, c);
    for (size_t i = found.len; i-- > 0;) { // the list has the youngest first
        char *name = class_external_name(found.at[i]);
        sb_printf(t->out, "%s%19s%s\n", margin,
                  i + 1 < found.len ? ""
                  : hidden          ? "Hidden Classes: "
                                    : "Classes: ",
                  name);
        vm_free(name);
    }
    if (found.len)
        sb_printf(t->out, "%s%19s(%zu %sclass%s)\n%s\n", margin, "", found.len,
                  hidden ? "hidden " : "", found.len == 1 ? "" : "es", margin);
    vec_free(&found);
}

static void add_loader_details(const LoaderTree *t, const Loader *l, const char *margin)
{
    Object *o = deref(l->java_loader);
    sb_printf(t->out, "%s%19s0x%016zx\n", margin, "Loader Oop: ", (size_t)(uintptr_t)o);
    sb_printf(t->out, "%s%19s0x%016zx\n", margin, "Loader Data: ", (size_t)(uintptr_t)l);
    sb_printf(t->out, "%s%19s0x%016zx\n%s\n", margin,
              "Loader Klass: ", o ? (size_t)(uintptr_t)object_class(o) : 0, margin);
}

// `margin` stands before the line of the node, which is the last of its parent or not.
static void add_loader(const LoaderTree *t, size_t at, const char *margin, bool last,
                       size_t alike)
{
    const Loader *l = t->all.at[at];
    VEC(size_t) children = {0};
    for (size_t i = 0; i < t->all.len; i++)
        if (t->all.at[i] != l && parent_of(&t->all, t->all.at[i]) == l
            && !(t->fold && count_alike(t, i, l, true)))
            vec_push(&children, i);
    char *below = vm_asprintf("%s%s", margin, last ? "      " : "|     "),
         *line = vm_asprintf("%s%s", below, children.len ? "|     " : "      ");
    sb_printf(t->out, "%s+-- ", margin);
    add_loader_name(t->out, l);
    if (alike)
        sb_printf(t->out, " (+ %zu more)", alike);
    sb_printf(t->out, "\n%s\n", line);
    if (t->verbose)
        add_loader_details(t, l, line);
    if (t->classes) {
        add_loader_classes(t, l, line, false);
        add_loader_classes(t, l, line, true);
    }
    for (size_t i = 0; i < children.len; i++)
        add_loader(t, children.at[i], below, i + 1 == children.len,
                   t->fold ? count_alike(t, children.at[i], l, false) : 0);
    vm_free(below);
    vm_free(line);
    vec_free(&children);
}

static const DiagnosticArgument loaders_arguments[] = {
    {"show-classes", "Print loaded classes.", "BOOLEAN", "false", true, false},
    {"verbose", "Print detailed information.", "BOOLEAN", "false", true, false},
    {"fold", "Show loaders of the same name and class as one.", "BOOLEAN", "true", true, true},
};
static void class_loaders(Thread *self, const DiagnosticCall *call)
{
    (void)self;
    LoaderTree t = {.out = call->out,
                    .classes = diagnostic_boolean(call, 0),
                    .verbose = diagnostic_boolean(call, 1),
                    .fold = diagnostic_boolean(call, 2),
                    .all = loaders_list()};
    if (t.classes || t.verbose)
        t.fold = false;
    for (size_t i = 0; i < t.all.len; i++)
        if (t.all.at[i]->is_boot)
            add_loader(&t, i, "", true, 0);
    vec_free(&t.all);
}

// ---- VM.classloader_stats ----

static void add_loader_row(StrBuf *sb, const Loaders *all, const Loader *l, size_t sums[2])
{
    size_t classes = 0, bytes = 0;
    for (const Class *c = l->defined; c; c = c->next_in_loader) {
        classes++;
        bytes += c->cf ? c->cf->len : 0;
    }
    Object *o = deref(l->java_loader);
    const Loader *parent = o ? parent_of(all, l) : NULL;
    Object *parent_loader = parent ? deref(parent->java_loader) : NULL;
    sb_printf(sb, "0x%016zx  0x%016zx  0x%016zx  %6zu  %8zu  ", (size_t)(uintptr_t)o,
              (size_t)(uintptr_t)parent_loader, (size_t)(uintptr_t)l, classes, bytes);
    char *cls = o ? class_external_name(object_class(o)) : vm_strdup("<boot class loader>");
    sb_printf(sb, "%s\n", cls);
    vm_free(cls);
    sums[0] += classes;
    sums[1] += bytes;
}

static void loader_statistics(Thread *self, const DiagnosticCall *call)
{
    (void)self;
    Loaders all = loaders_list();
    size_t sums[2] = {0};
    sb_add(call->out, "ClassLoader         Parent              CLD*               Classes  "
                      "   Bytes  Type\n");
    for (size_t i = 0; i < all.len; i++)
        add_loader_row(call->out, &all, all.at[i], sums);
    sb_printf(call->out, "Total = %-49zu  %6zu  %8zu\nBytes: size of the class files\n",
              all.len, sums[0], sums[1]);
    vec_free(&all);
}

static const DiagnosticCommand rows[] = {
    {.name = "VM.class_hierarchy",
     .description = "Print a list of all loaded classes, indented to show the class hierarchy. "
                    "The name of each class is followed by the ClassLoaderData* of its "
                    "ClassLoader, or \"null\" if loaded by the bootstrap class loader.",
     .impact = "Medium: Depends on number of loaded classes.",
     DIAGNOSTIC_MONITOR,
     DIAGNOSTIC_ARGUMENTS(hierarchy_arguments),
     .run = class_hierarchy},
    {.name = "VM.classloader_stats",
     .description = "Print statistics about all ClassLoaders.",
     .impact = "Low",
     DIAGNOSTIC_MONITOR,
     .run = loader_statistics},
    {.name = "VM.classloaders",
     .description = "Prints classloader hierarchy.",
     .impact = "Medium: Depends on number of class loaders and classes loaded.",
     DIAGNOSTIC_MONITOR,
     DIAGNOSTIC_ARGUMENTS(loaders_arguments),
     .run = class_loaders},
};
const DiagnosticRows class_commands = {rows, ARRAY_LEN(rows)};
