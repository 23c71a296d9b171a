// SPDX-License-Identifier: Apache-2.0
// See class_fill.h.
#define _GNU_SOURCE
#include "class/class_fill.h"

#include "class/metadata.h"
#include "java/engine.h"
#include "link/native.h"
#include "redefine/class_version.h"

// ---- names ----
static uint16_t inner_access(const ClassFile *cf)
{
    Bytes name = cf_class_name(cf, cf->this_class);
    for (int i = 0; i < cf->inner_class_count; i++) {
        const InnerClassEntry *e = &cf->inner_classes[i];
        Bytes inner = e->inner ? cf_class_name(cf, e->inner) : (Bytes){0};
        if (inner.p && inner.len == name.len && memcmp(inner.p, name.p, name.len) == 0)
            return e->access;
    }
    return cf->access;
}

static Symbol *hidden_name(const Class *c, const Symbol *declared)
{
    char *s = vm_asprintf("%s+0x%016lx", declared->s, (unsigned long)(uintptr_t)c);
    Symbol *y = symbol_intern(s);
    vm_free(s);
    return y;
}

void class_fill_access(Class *c)
{
    c->access = c->cf->access;
    c->inner_access = inner_access(c->cf) & (uint16_t)~ACC_SUPER;
}

void class_fill_names(Class *c, Loader *l, ClassFile *cf, bool hidden, const char *given)
{
    Symbol *declared =
        hidden && given ? symbol_intern(given) : class_name_symbol(cf, cf->this_class);
    c->cf = cf;
    c->loader = l;
    c->layout.loader_data = &l->loader_data;
    c->hidden = hidden;
    c->name = hidden ? hidden_name(c, declared) : declared;
    class_fill_access(c);
    c->package = loader_package(l, class_package_name(declared), true);
    c->module = c->package->module;
    c->pool = constant_pool_new(c, cf);
}

// ---- members ----
static void fill_field(Class *c, Field *f, const FieldInfo *info, uint16_t slot)
{
    f->cls = c;
    f->name = class_utf8_symbol(c->cf, info->name);
    f->desc = class_utf8_symbol(c->cf, info->descriptor);
    f->info = info;
    f->access = info->access;
    f->slot = slot;
    f->kind = f->desc->s[0];
}

static MethodEntry entry_of(const Method *m)
{
    static const struct {
        int symbol;
        MethodEntry entry;
    } linkers[] = {{SYM_invokeBasic, ENTRY_INVOKE_BASIC},
                   {SYM_linkToVirtual, ENTRY_LINK_TO_VIRTUAL},
                   {SYM_linkToStatic, ENTRY_LINK_TO_STATIC},
                   {SYM_linkToSpecial, ENTRY_LINK_TO_SPECIAL},
                   {SYM_linkToInterface, ENTRY_LINK_TO_INTERFACE},
                   {SYM_linkToNative, ENTRY_LINK_TO_NATIVE}};
    if (method_is_abstract(m))
        return ENTRY_ABSTRACT;
    if (!method_is_native(m))
        return ENTRY_JAVA;
    if (!m->cls->loader->is_boot
        || strcmp(m->cls->name->s, "java/lang/invoke/MethodHandle") != 0)
        return ENTRY_NATIVE;
    for (size_t i = 0; i < ARRAY_LEN(linkers); i++)
        if (m->name == vm_symbols[linkers[i].symbol])
            return linkers[i].entry;
    return ENTRY_NATIVE;
}

void method_fill(Class *c, Method *m, const MethodInfo *info, uint32_t slot)
{
    m->cls = c;
    m->name = class_utf8_symbol(c->cf, info->name);
    m->desc = class_utf8_symbol(c->cf, info->descriptor);
    m->info = info;
    m->pool = c->pool;
    m->access = info->access;
    m->slot = slot;
    m->table_index = -1;
    MethodShape shape = descriptor_method_shape(m->desc->s, m->desc->len);
    m->param_count = shape.param_count;
    m->arg_words = (uint8_t)(shape.arg_words + !method_is_static(m));
    m->ret = shape.ret;
    m->max_stack = info->code ? code_info(info->code).max_stack : 0;
    m->max_locals = info->code ? code_info(info->code).max_locals : m->arg_words;
    MethodEntry entry = entry_of(m);
    if ((entry == ENTRY_JAVA || entry == ENTRY_NATIVE)
        && (m->intrinsic = native_always_intrinsic(m)))
        entry = ENTRY_ALWAYS_INTRINSIC;
    method_set_entry(m, entry);
    if (m->name == SYM(init) && c->name == SYM(java_lang_Object) && c->loader->is_boot)
        m->flags |= METHOD_OBJECT_INIT;
}

void class_fill_members(Class *c)
{
    const ClassFile *cf = c->cf;
    c->field_count = cf->field_count;
    c->fields = cf->field_count ? vm_calloc(cf->field_count, sizeof *c->fields) : NULL;
    for (uint16_t i = 0; i < cf->field_count; i++)
        fill_field(c, &c->fields[i], &cf->fields[i], i);
    c->method_count = c->first_method_count = cf->method_count;
    metadata_count(c,
                   cf->field_count * sizeof *c->fields + cf->method_count * sizeof *c->methods);
    c->methods = cf->method_count ? vm_calloc(cf->method_count, sizeof *c->methods) : NULL;
    for (uint16_t i = 0; i < cf->method_count; i++) {
        Method *m = &c->methods[i];
        method_fill(c, m, &cf->methods[i], i);
        if (class_is_interface(c) && !(m->access & (ACC_STATIC | ACC_ABSTRACT)))
            c->has_default_methods = true;
    }
}

// ---- hierarchy ----
static void add_interface(Class *c, Class *iface)
{
    for (int i = 0; i < c->all_interface_count; i++)
        if (c->all_interfaces[i] == iface)
            return;
    c->all_interfaces[c->all_interface_count++] = iface;
}

void class_fill_interfaces(Class *c)
{
    if (c->all_interfaces)
        metadata_uncount(c, c->all_interface_count * sizeof *c->all_interfaces);
    vm_free(c->all_interfaces);
    c->all_interfaces = NULL;
    c->all_interface_count = 0;
    size_t max = c->super ? c->super->all_interface_count : 0;
    for (int i = 0; i < c->interface_count; i++)
        max += 1u + c->interfaces[i]->all_interface_count;
    if (!max)
        return;
    c->all_interfaces = vm_malloc(max * sizeof *c->all_interfaces);
    for (int i = 0; c->super && i < c->super->all_interface_count; i++)
        add_interface(c, c->super->all_interfaces[i]);
    for (int i = 0; i < c->interface_count; i++) {
        const Class *iface = c->interfaces[i];
        for (int j = 0; j < iface->all_interface_count; j++)
            add_interface(c, iface->all_interfaces[j]);
        add_interface(c, c->interfaces[i]);
    }
    size_t bytes = c->all_interface_count * sizeof *c->all_interfaces;
    c->all_interfaces = vm_realloc(c->all_interfaces, bytes);
    metadata_count(c, bytes);
}

static void fill_display(Class *c)
{
    if (c->super) {
        memcpy(c->display, c->super->display, sizeof c->display);
        c->depth = c->super->depth == UINT8_MAX ? UINT8_MAX : (uint8_t)(c->super->depth + 1);
    }
    if (c->depth < ARRAY_LEN(c->display))
        c->display[c->depth] = c;
}

static bool is_boot_named(const Class *c, const char *name)
{
    return c->loader->is_boot && strcmp(c->name->s, name) == 0;
}

// Accessors of reflection are trusted where the class library defines them, and nowhere else.
static bool may_be_magic(const Loader *l)
{
    return l->is_boot || l->is_reflection;
}

void class_fill_superclass(Class *c)
{
    fill_display(c);
    const Class *s = c->super;
    c->is_record = c->cf->is_record && (c->access & ACC_FINAL) && s
                   && is_boot_named(s, "java/lang/Record");
    c->magic =
        may_be_magic(c->loader)
        && ((s && s->magic) || is_boot_named(c, "jdk/internal/reflect/MagicAccessorImpl"));
    c->accessor =
        (s && s->accessor) || is_boot_named(c, "jdk/internal/reflect/MethodAccessorImpl");
}

void class_fill_hierarchy(Class *c)
{
    class_fill_superclass(c);
    class_fill_interfaces(c);
    for (uint32_t i = 0; c->hidden && i < c->method_count; i++)
        c->methods[i].flags |= METHOD_HIDDEN; // stack traces leave hidden classes out
    FIELD_EACH (f, c) {
        f->trusted_final =
            (f->access & ACC_FINAL) && ((f->access & ACC_STATIC) || c->hidden || c->is_record);
    }
}
