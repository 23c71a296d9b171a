// SPDX-License-Identifier: Apache-2.0
// Shared by resolve.c, link.c(method selection), constant.c and call_site.c: recorded failures
// and published entries.
#ifndef LINK_RESOLVE_INTERNAL_H
#define LINK_RESOLVE_INTERNAL_H

#include "class/loader.h"
#include "link/resolve.h"
#include "redefine/class_version.h"

// A failure that is thrown again at each attempt (JVMS 5.4.3): class and message of the error
// and of its cause.
typedef struct ResolveError {
    Class *cls, *cause_cls;
    char *message, *cause_message; // NULL when none
} ResolveError;

static inline bool resolved_is_error(const void *p)
{
    return ((uintptr_t)p & 3) == 1;
}
// Ends an attempt to resolve what *slot of pool is for: `value`, or NULL with an exception pending, of
// which a LinkageError is recorded (with_cause: its cause too; `name` stands for a message it has not, may
// be NULL). The first attempt that ends decides for all (JVMS 5.4.3): the result is its value, or NULL
// with its error pending. Another exception than a LinkageError decides nothing and stays pending.
NODISCARD MAY_GC void *resolve_outcome(Thread *self, ConstantPool *pool, _Atomic(void *) *slot,
                                       void *value, bool with_cause, const Symbol *name);
COLD MAY_GC void resolve_throw_error(Thread *self, void *tagged);
// Throws with a message from vm_malloc, which is freed.
COLD MAY_GC void throw_owned(Thread *self, const char *cls, char *message);

// What earlier attempts left in a slot. True when there was one: *found is its result, or NULL
// after its error was thrown again. False: nothing yet, *found is NULL.
NODISCARD MAY_GC static inline bool resolved_before(Thread *self, _Atomic(void *) *slot,
                                                    void **found)
{
    void *p = atomic_load_explicit(slot, memory_order_acquire); // pairs with publish
    bool error = UNLIKELY(resolved_is_error(p));
    if (error)
        resolve_throw_error(self, p);
    *found = error ? NULL : p;
    return p != NULL;
}
// The same for the entry of a class, field or method.
NODISCARD MAY_GC static inline void *resolve_finish(Thread *self, ConstantPool *pool,
                                                    uint16_t index, void *value)
{
    return resolve_outcome(self, pool, pool_slot(pool, index), value, true, NULL);
}

static inline Symbol *cp_symbol(const ClassFile *cf, uint16_t index)
{
    Bytes b = cf_utf8(cf, index);
    return symbol_intern_n((const char *)b.p, b.len);
}
// Name and descriptor of a NAME_AND_TYPE entry.
static inline void cp_name_and_type(const ClassFile *cf, uint16_t nat, Symbol **name,
                                    Symbol **desc)
{
    CpEntry e = cf_entry(cf, nat);
    *name = cp_symbol(cf, e.nat.name);
    *desc = cp_symbol(cf, e.nat.type);
}
// What a FIELDREF, METHODREF or INTERFACE_METHODREF entry names.
typedef struct MemberRef {
    Class *cls;
    Symbol *name, *desc;
} MemberRef;
// Resolves the class of a member reference. False with the exception pending.
NODISCARD MAY_GC static inline bool resolve_member_ref(Thread *self, ConstantPool *pool,
                                                       uint16_t index, MemberRef *out)
{
    CpEntry e = cf_entry(pool->cf, index);
    out->cls = resolve_class(self, pool, e.ref.cls);
    if (!out->cls)
        return false;
    cp_name_and_type(pool->cf, e.ref.nat, &out->name, &out->desc);
    return true;
}
// MethodHandle.invoke, invokeExact or a VarHandle access mode: signature polymorphic and linked
// through Java (JVMS 2.9.3).
bool is_linked_polymorphic(const Class *cls, const Symbol *name);
// invokeBasic, linkTo*: ENTRY_* value, -1 for other names.
int method_handle_intrinsic_entry(const Symbol *name);
// False and StackOverflowError when C code that recurses into Java must stop.
NODISCARD MAY_GC bool c_stack_check(Thread *self);

#endif
