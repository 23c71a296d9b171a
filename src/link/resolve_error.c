// SPDX-License-Identifier: Apache-2.0
// Failures of resolution: recorded once, thrown again each time with the same class, message
// and cause.
#include "class/vm_classes.h"
#include "java/exception.h"
#include "java/string.h"
#include "link/resolve_internal.h"

// In memory of the version; NULL when there is none.
static char *message_of(ConstantPool *pool, Object *e)
{
    char *text = string_to_mutf8(object_get_ref(e, OFF(Throwable, detailMessage)));
    if (!text)
        return NULL;
    char *copy = strcpy(pool_alloc(pool, strlen(text) + 1), text);
    vm_free(text);
    return copy;
}

// The pending LinkageError, tagged, in memory of the version; NULL when it is another exception.
static void *recorded(Thread *self, ConstantPool *pool, bool with_cause, const Symbol *name)
{
    Object *e = self->exception;
    if (!e || !object_is_instance(e, CLS(LinkageError)))
        return NULL;
    ResolveError *r = pool_alloc(pool, sizeof(*r));
    r->cls = object_class(e);
    pool_depend(pool, r->cls);
    r->message = message_of(pool, e);
    if (!r->message && name)
        r->message = strcpy(pool_alloc(pool, name->len + 1), name->s);
    Object *cause = object_get_ref(e, OFF(Throwable, cause));
    if (with_cause && cause && cause != e) {
        r->cause_cls = object_class(cause);
        pool_depend(pool, r->cause_cls);
        r->cause_message = message_of(pool, cause);
    }
    return (void *)((uintptr_t)r | 1);
}

// Puts `value` into an empty slot; what the slot holds afterwards.
static void *publish(_Atomic(void *) *slot, void *value)
{
    void *expected = atomic_load_explicit(slot, memory_order_acquire);
    if (!expected
        && atomic_compare_exchange_strong_explicit(slot, &expected, value, memory_order_release,
                                                   memory_order_acquire))
        return value;
    return expected;
}

void *resolve_outcome(Thread *self, ConstantPool *pool, _Atomic(void *) *slot, void *value,
                      bool with_cause, const Symbol *name)
{
    ASSERT_MAY_GC(self);
    VM_ASSERT((value != NULL) != exception_pending(self));
    void *mine = value ? value : recorded(self, pool, with_cause, name);
    void *p = mine ? publish(slot, mine) : NULL;
    if (p == mine)
        return value;
    self->exception = NULL; // another attempt ended first
    if (!resolved_is_error(p))
        return p;
    resolve_throw_error(self, p);
    return NULL;
}

// One of a user's class is, as on HotSpot, a NoClassDefFoundError with its name. What goes wrong
// is the result then.
static jobject error_again(Thread *self, Class *cls, const char *message, jobject cause)
{
    if (!cls->loader->is_boot) {
        throw_new(self, "java/lang/NoClassDefFoundError", "%s", cls->name->s);
        return exception_take(self);
    }
    jobject e = exception_new(self, cls, message, cause);
    return e ? e : exception_take(self);
}

void resolve_throw_error(Thread *self, void *tagged)
{
    VM_ASSERT(resolved_is_error(tagged));
    HANDLE_SCOPE(self);
    ResolveError *r = (ResolveError *)((uintptr_t)tagged & ~(uintptr_t)3);
    jobject cause =
        r->cause_cls ? error_again(self, r->cause_cls, r->cause_message, NULL) : NULL;
    throw_object(self, deref(error_again(self, r->cls, r->message, cause)));
}

void throw_owned(Thread *self, const char *cls, char *message)
{
    throw_new(self, cls, "%s", message);
    vm_free(message);
}

bool c_stack_check(Thread *self)
{
    ASSERT_MAY_GC(self);
    if (LIKELY((char *)__builtin_frame_address(0) > self->c_stack_limit))
        return true;
    throw_stack_overflow(self);
    return false;
}
