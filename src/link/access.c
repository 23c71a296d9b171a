// SPDX-License-Identifier: Apache-2.0
// Access control of classes and members (JVMS 5.4.4) with modules (readability, exports) and
// nests.
#include "link/access.h"

#include "class/loader.h"
#include "java/describe.h"
#include "java/exception.h"

static Class *base_of(Class *c)
{
    while (class_is_array(c))
        c = c->element;
    return c;
}

static AccessResult check_modules(const Class *from, const Class *to)
{
    const Module *a = from->module, *b = to->module;
    if (!a || !b || a == b)
        return ACCESS_OK;
    if (!module_can_read(a, b))
        return ACCESS_NOT_READABLE;
    if (!b->name)
        return ACCESS_OK;
    return to->package && package_is_exported(to->package, a) ? ACCESS_OK : ACCESS_NOT_EXPORTED;
}

AccessResult access_check_class(Thread *self, Class *from, Class *to)
{
    ASSERT_MAY_GC(self);
    (void)self;
    to = base_of(to);
    if (from == to || class_is_primitive(to) || class_same_package(from, to) || from->magic)
        return ACCESS_OK;
    return to->access & ACC_PUBLIC ? check_modules(from, to) : ACCESS_DENIED;
}

// JVMS 5.4.4 for protected members: the class in the reference must be related to the accessing
// one.
static bool protected_ok(const Class *from, const Class *named, const Class *owner,
                         uint16_t access)
{
    if (!class_is_subclass(from, owner))
        return false;
    return (access & ACC_STATIC) || class_is_subclass(named, from)
           || class_is_subclass(from, named);
}

AccessResult access_check_member(Thread *self, Class *from, Class *named, Class *owner,
                                 uint16_t access)
{
    ASSERT_MAY_GC(self);
    if (from == owner || (access & ACC_PUBLIC))
        return ACCESS_OK;
    if ((access & ACC_PROTECTED) && protected_ok(from, named, owner, access))
        return ACCESS_OK;
    if (!(access & ACC_PRIVATE) && class_same_package(from, owner))
        return ACCESS_OK;
    if (access & ACC_PRIVATE) {
        Class *a = class_nest_host(self, from);
        Class *b = a && !exception_pending(self) ? class_nest_host(self, owner) : NULL;
        if (exception_pending(self))
            return ACCESS_EXCEPTION;
        if (a == b)
            return ACCESS_OK;
    }
    return from->magic ? ACCESS_OK : ACCESS_DENIED;
}

// "package" of a class name with dots: up to the last dot.
static void add_package(StrBuf *sb, const char *name)
{
    const char *dot = strrchr(name, '.');
    sb_add_n(sb, name, dot ? (size_t)(dot - name) : 0);
}

char *access_message_class(const Class *from, const Class *to, AccessResult result)
{
    while (class_is_array(to))
        to = to->element;
    StrBuf sb = {0};
    char *a = class_external_name(from), *b = class_external_name(to);
    if (result != ACCESS_NOT_READABLE && result != ACCESS_NOT_EXPORTED) {
        char *places = describe_places(to, from);
        sb_printf(&sb, "failed to access class %s from class %s (%s)", b, a, places);
        vm_free(places);
    } else {
        sb_printf(&sb, "class %s (in ", a);
        describe_module(&sb, from->module);
        sb_printf(&sb, ") cannot access class %s (in ", b);
        describe_module(&sb, to->module);
        sb_add(&sb, ") because ");
        const Module *subject = result == ACCESS_NOT_READABLE ? from->module : to->module;
        describe_module(&sb, subject);
        if (result == ACCESS_NOT_READABLE) {
            sb_add(&sb, " does not read ");
            describe_module(&sb, to->module);
        } else {
            sb_add(&sb, " does not export ");
            add_package(&sb, b);
            sb_add(&sb, " to ");
            describe_module(&sb, from->module);
        }
    }
    vm_free(a);
    vm_free(b);
    return sb.s;
}

static void add_nest_reasons(StrBuf *sb, const Class *from, const Class *owner)
{
    const char *a = from->nest_host_error, *b = owner->nest_host_error;
    if (a || b)
        sb_printf(sb, ", (%s%s%s)", a ? a : "", a && b ? ", " : "", b ? b : "");
}

char *access_message_member(const Class *from, const Class *owner, uint16_t access,
                            const char *what, const char *text)
{
    StrBuf sb = {0};
    char *a = class_external_name(from), *places = describe_places(from, owner);
    const char *degree = access & ACC_PRIVATE     ? "private "
                         : access & ACC_PROTECTED ? "protected "
                                                  : "";
    sb_printf(&sb, "class %s tried to access %s%s %s (%s)", a, degree, what, text, places);
    if (access & ACC_PRIVATE)
        add_nest_reasons(&sb, from, owner);
    vm_free(a);
    vm_free(places);
    return sb.s;
}

bool access_require_class(Thread *self, Class *from, Class *to)
{
    ASSERT_MAY_GC(self);
    AccessResult r = access_check_class(self, from, to);
    if (LIKELY(r == ACCESS_OK))
        return true;
    if (r == ACCESS_EXCEPTION)
        return false;
    char *message = access_message_class(from, to, r);
    throw_new(self, "java/lang/IllegalAccessError", "%s", message);
    vm_free(message);
    return false;
}
