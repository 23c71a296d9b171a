// SPDX-License-Identifier: Apache-2.0
// Nest hosts (JVMS 5.4.4). The answer is kept in Class.nest_host; why a wrong NestHost
// attribute is not believed is kept in Class.nest_host_error for the messages of later
// IllegalAccessErrors.
#include "class/loader_internal.h"
#include "class/vm_classes.h"
#include "java/describe.h"
#include "java/exception.h"
#include "java/string.h"
#include "link/resolve.h"

static bool lists_member(const Class *host, const Class *c)
{
    const ClassFile *cf = host->cf;
    for (int i = 0; i < cf->nest_member_count; i++)
        if (bytes_eq(cf_class_name(cf, cf->nest_members[i]), c->name->s))
            return true;
    return false;
}

static char *not_a_member(const Class *c, const Class *host, const char *reason)
{
    StrBuf a = {0}, b = {0};
    describe_loader(&a, c->loader);
    describe_loader(&b, host->loader);
    char *x = class_external_name(c), *y = class_external_name(host);
    char *text =
        vm_asprintf("Type %s (loader: %s) is not a nest member of type %s (loader: %s): %s", x,
                    a.s, y, b.s, reason);
    sb_free(&a);
    sb_free(&b);
    vm_free(x);
    vm_free(y);
    return text;
}

// Takes the pending exception; NULL, and it is pending still, when the failure is the VM's own trouble and says nothing about the
// attribute.
static char *resolution_failure(Thread *self, const Class *c)
{
    HANDLE_SCOPE(self);
    jobject e = exception_take(self);
    if (object_is_instance(deref(e), CLS(VirtualMachineError))
        || object_is_instance(deref(e), CLS(ThreadDeath))) {
        exception_set(self, e);
        return NULL;
    }
    char *x = class_external_name(c), *type = class_external_name(object_class(deref(e)));
    Object *detail = object_get_ref(deref(e), OFF(Throwable, detailMessage));
    char *message = detail ? string_to_mutf8(detail) : NULL;
    Bytes host = cf_class_name(c->cf, c->cf->nest_host);
    char *text = vm_asprintf("Nest host resolution of %s with host %.*s failed: %s%s%s", x,
                             (int)host.len, (const char *)host.p, type, message ? ": " : "",
                             message ? message : "");
    vm_free(x);
    vm_free(type);
    vm_free(message);
    return text;
}

static Class *keep(Class *c, Class *host, char *error)
{
    Class *seen = NULL;
    if (error)
        c->nest_host_error = error;
    return atomic_compare_exchange_strong(&c->nest_host, &seen, host) ? host : seen;
}

Class *class_nest_host(Thread *self, Class *c)
{
    ASSERT_NO_LOCKS();
    ASSERT_MAY_GC(self);
    Class *host = atomic_load_explicit(&c->nest_host, memory_order_acquire);
    if (host)
        return host;
    if (!c->cf || !c->cf->nest_host)
        return keep(c, c, NULL);
    host = resolve_class(self, c->pool, c->cf->nest_host);
    if (!host) {
        char *error = resolution_failure(self, c);
        return error ? keep(c, c, error) : NULL;
    }
    if (!class_same_package(host, c))
        return keep(c, c, not_a_member(c, host, "types are in different packages"));
    if (class_is_array(host))
        return keep(c, c, not_a_member(c, host, "host is not an instance class"));
    if (!lists_member(host, c))
        return keep(c, c, not_a_member(c, host, "current type is not listed as a nest member"));
    return keep(c, host, NULL);
}
