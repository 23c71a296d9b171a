// SPDX-License-Identifier: Apache-2.0
// AccessController: the protection domains on the stack of the current thread, down to the
// nearest privileged call, and the context a thread inherited.
// AccessController.executePrivileged is the boundary: its locals 1 and 2 are the context given
// and the class that asked for privileges; the engine keeps locals as long as their frame
// lives.
#include "base/vec.h"
#include "class/vm_classes.h"
#include "classlib/jvm.h"
#include "frame/frame_cursor.h"
#include "java/exception.h"
#include "java/java_object.h"

enum { PRIVILEGED_CONTEXT_LOCAL = 1, PRIVILEGED_CALLER_LOCAL = 2 };

typedef struct StackDomains {
    VEC(jobject) domains; // handles; no two neighbours are the same
    bool privileged;
    jobject context; // of the privileged call
} StackDomains;

static bool is_privileged_call(const Method *m)
{
    return m->cls == CLS(AccessController) && method_is_static(m)
           && strcmp(m->name->s, "executePrivileged") == 0;
}

static void add_domain(Thread *self, StackDomains *found, Object *mirror)
{
    Object *domain = mirror ? object_get_ref(mirror, OFF(Class, protection_domain)) : NULL;
    if (!domain)
        return;
    if (found->domains.len && deref(found->domains.at[found->domains.len - 1]) == domain)
        return;
    vec_push(&found->domains, handle_new(self, domain));
}

static void collect_domains(Thread *self, StackDomains *found)
{
    FRAMES_EACH(f, self)
    {
        if (is_privileged_call(f.method)) {
            found->privileged = true;
            cursor_settle(&f);
            found->context = handle_new(self, cursor_value(&f, PRIVILEGED_CONTEXT_LOCAL).ref);
            add_domain(self, found, cursor_value(&f, PRIVILEGED_CALLER_LOCAL).ref);
            return;
        }
        add_domain(self, found, class_mirror(f.method->cls));
    }
}

// ProtectionDomain[] of the domains found.
static jobject domain_array(Thread *self, const StackDomains *found)
{
    Class *array_class = class_array_of(self, CLS(ProtectionDomain));
    jobject a = array_class ? array_new(self, array_class, (int32_t)found->domains.len) : NULL;
    for (size_t i = 0; a && i < found->domains.len; i++)
        array_set_ref(deref(a), (int32_t)i, deref(found->domains.at[i]));
    if (a)
        object_post_alloc(self, a);
    return a;
}

static jobject make_context(Thread *self, const StackDomains *found)
{
    jobject domains = found->domains.len ? domain_array(self, found) : NULL;
    if (exception_pending(self))
        return NULL;
    jobject context = object_new(self, CLS(AccessControlContext));
    if (!context)
        return NULL;
    object_set_ref(deref(context), OFF(AccessControlContext, context), deref(domains));
    object_set_ref(deref(context), OFF(AccessControlContext, privilegedContext),
                   deref(found->context));
    object_set_boolean(deref(context), OFF(AccessControlContext, isPrivileged),
                       found->privileged);
    object_set_boolean(deref(context), OFF(AccessControlContext, isAuthorized), true);
    object_post_alloc(self, context);
    return context;
}

jobject JNICALL JVM_GetStackAccessControlContext(JNIEnv *env, jclass unused)
{
    (void)unused;
    IN_VM(env);
    HANDLE_SCOPE(self);
    StackDomains found = {0};
    collect_domains(self, &found);
    bool all_trusted = !found.domains.len && found.privileged && !found.context;
    jobject context = all_trusted ? NULL : make_context(self, &found);
    vec_free(&found.domains);
    SCOPE_RETURN(context);
}

jobject JNICALL JVM_GetInheritedAccessControlContext(JNIEnv *env, jclass unused)
{
    (void)unused;
    IN_VM(env);
    Object *thread = deref(self->java_thread);
    return thread ? handle_new(
               self, object_get_ref(thread, OFF(Thread, inheritedAccessControlContext)))
                  : NULL;
}
