// SPDX-License-Identifier: Apache-2.0
// Wording of types, methods, loaders and modules in error messages.
#include "java/describe.h"

#include "class/loader.h"
#include "class/vm_classes.h"
#include "java/stacktrace.h"
#include "java/string.h"

static const char *primitive_name(char kind)
{
    switch (kind) {
    case 'Z': return "boolean";
    case 'B': return "byte";
    case 'C': return "char";
    case 'S': return "short";
    case 'I': return "int";
    case 'J': return "long";
    case 'F': return "float";
    case 'D': return "double";
    default: return "void";
    }
}

void describe_type(StrBuf *sb, const char **p)
{
    int dims = 0;
    while (**p == '[') {
        dims++;
        (*p)++;
    }
    if (**p == 'L') {
        for ((*p)++; **p && **p != ';'; (*p)++)
            sb_putc(sb, **p == '/' ? '.' : **p);
        if (**p)
            (*p)++;
    } else {
        sb_add(sb, primitive_name(**p));
        if (**p)
            (*p)++;
    }
    while (dims-- > 0)
        sb_add(sb, "[]");
}

void describe_parameters(StrBuf *sb, const char *desc)
{
    const char *p = desc + 1;
    for (bool first = true; *p && *p != ')'; first = false) {
        if (!first)
            sb_add(sb, ", ");
        describe_type(sb, &p);
    }
}

char *describe_method(const Class *cls, const Symbol *name, const Symbol *desc)
{
    StrBuf sb = {0};
    const char *ret = strchr(desc->s, ')');
    if (ret) {
        ret++;
        describe_type(&sb, &ret);
        sb_putc(&sb, ' ');
    }
    if (cls) {
        char *c = class_external_name(cls);
        sb_add(&sb, c);
        sb_putc(&sb, '.');
        vm_free(c);
    }
    sb_add(&sb, name->s);
    sb_putc(&sb, '(');
    describe_parameters(&sb, desc->s);
    sb_putc(&sb, ')');
    return sb.s;
}

char *describe_class_name(const Symbol *name)
{
    char *s = vm_strndup(name->s, name->len);
    for (char *p = s; *p; p++)
        if (*p == '/')
            *p = '.';
    return s;
}

char *describe_long_name(const char *name)
{
    enum { TEXT_MAX = 1023 }; // as on HotSpot
    char *text = vm_asprintf("Class name exceeds maximum length of %d: %s", UINT16_MAX, name);
    if (strlen(text) > TEXT_MAX)
        text[TEXT_MAX] = '\0';
    return text;
}

char *describe_element(const Class *element, int32_t i)
{
    StrBuf sb = {0};
    char *base = class_external_name(class_base_element(element));
    sb_printf(&sb, "%s[%d]", base, i);
    vm_free(base);
    for (; class_is_array(element); element = element->element)
        sb_add(&sb, "[]");
    return sb.s;
}

void describe_loader(StrBuf *sb, const Loader *l)
{
    Object *java_loader = l ? deref(l->java_loader) : NULL;
    if (!java_loader) {
        sb_add(sb, "'bootstrap'");
        return;
    }
    char *name = string_to_utf8(object_get_ref(java_loader, OFF(ClassLoader, nameAndId)));
    if (name) {
        sb_add(sb, name);
    } else {
        char *cls = class_external_name(object_class(java_loader));
        sb_printf(sb, "%s @%x", cls, object_identity_hash(java_loader));
        vm_free(cls);
    }
    vm_free(name);
}

void describe_module(StrBuf *sb, const Module *m)
{
    if (m && m->name)
        sb_printf(sb, "module %s", m->name->s);
    else if (m && m->module)
        sb_printf(sb, "unnamed module @0x%x", object_identity_hash(deref(m->module)));
    else
        sb_add(sb, "unnamed module");
}

static const Class *base_class(const Class *c)
{
    while (class_is_array(c))
        c = c->element;
    return c;
}

static void add_parent_loader(StrBuf *sb, const Loader *l)
{
    Object *java_loader = l ? deref(l->java_loader) : NULL;
    if (!java_loader || l->is_app || l->is_platform)
        return;
    Object *parent = object_get_ref(java_loader, OFF(ClassLoader, parent));
    sb_add(sb, ", parent loader ");
    if (!parent) {
        sb_add(sb, "'bootstrap'");
        return;
    }
    char *name = string_to_utf8(object_get_ref(parent, OFF(ClassLoader, nameAndId)));
    sb_add(sb, name ? name : "?");
    vm_free(name);
}

// "in module m@1.0 of loader 'app'"
static void add_location(StrBuf *sb, const Class *c, bool parent)
{
    c = base_class(c);
    const Module *m = c->module;
    if (m && m->name) {
        sb_printf(sb, "in module %s", m->name->s);
        bool jdk = m->version && module_java_base && module_java_base->version
                   && m->version == module_java_base->version;
        if (m->version && !jdk)
            sb_printf(sb, "@%s", m->version->s);
    } else {
        sb_add(sb, c->module || c->kind == 'L' ? "in unnamed module" : "in module java.base");
    }
    sb_add(sb, " of loader ");
    describe_loader(sb, c->loader);
    if (parent)
        add_parent_loader(sb, c->loader);
}

static void add_place(StrBuf *sb, const Class *c, bool parent)
{
    char *name = class_external_name(c);
    sb_printf(sb, "%s is ", name);
    vm_free(name);
    add_location(sb, c, parent);
}

char *describe_place(const Class *c)
{
    StrBuf sb = {0};
    add_place(&sb, c, true);
    return sb.s;
}

char *describe_own_place(const Class *c)
{
    StrBuf sb = {0};
    add_place(&sb, c, false);
    return sb.s;
}

char *describe_places(const Class *a, const Class *b)
{
    StrBuf sb = {0};
    const Class *x = base_class(a), *y = base_class(b);
    if (x->module == y->module && x->loader == y->loader) {
        char *name = class_external_name(a), *other = class_external_name(b);
        sb_printf(&sb, "%s and %s are ", name, other);
        vm_free(name);
        vm_free(other);
        add_location(&sb, b, false);
        return sb.s;
    }
    add_place(&sb, a, false);
    sb_add(&sb, "; ");
    add_place(&sb, b, false);
    return sb.s;
}

char *describe_cast_failure(const Class *from, const Class *to)
{
    char *a = class_external_name(from), *b = class_external_name(to),
         *places = describe_places(from, to);
    char *text = vm_asprintf("class %s cannot be cast to class %s (%s)", a, b, places);
    vm_free(a);
    vm_free(b);
    vm_free(places);
    return text;
}

void describe_frame(StrBuf *sb, const Method *m, int32_t bci)
{
    char *cls = class_external_name(m->cls);
    int line = method_is_native(m) ? -2 : method_line(m, bci);
    const Module *module = m->cls->module;
    sb_printf(sb, "\tat %s.%s(", cls, m->name->s);
    if (module && module->name)
        sb_printf(sb, "%s%s%s/", module->name->s, module->version ? "@" : "",
                  module->version ? module->version->s : "");
    const ClassFile *cf = method_class_file(m);
    Bytes file =
        cf->source_file && bci != TRACE_LOST ? cf_utf8(cf, cf->source_file) : (Bytes){0};
    if (line == -2)
        sb_add(sb, "Native Method");
    else if (!file.p)
        sb_add(sb, "Unknown Source");
    else
        sb_printf(sb, line >= 0 ? "%.*s:%d" : "%.*s", (int)file.len, (const char *)file.p,
                  line);
    sb_add(sb, ")\n");
    vm_free(cls);
}
