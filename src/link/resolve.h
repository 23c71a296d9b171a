// SPDX-License-Identifier: Apache-2.0
// Resolution (JVMS 5.4.3) of constant pool entries. Results are kept in
// the slot of the entry (pool_slot), published with release; failures too (low bit 1: a ResolveError), so that the same error is
// thrown each time.
//   CLASS: Class *    FIELDREF: Field *    METHODREF, INTERFACE_METHODREF: Method * (or CallSite * for
//   signature-polymorphic calls, which are kept apart: see resolve_invoke_handle)
//   STRING, METHOD_HANDLE, METHOD_TYPE, DYNAMIC: a handle of the class loader data (low bits 10)
// All MAY_GC, may run Java; NULL (false) with the exception pending.
#ifndef LINK_RESOLVE_H
#define LINK_RESOLVE_H

#include "class/class.h"

// The class of a CLASS entry, loaded but not initialized, which class `pool->cls` may access.
NODISCARD MAY_GC Class *resolve_class(Thread *self, ConstantPool *pool, uint16_t index);
// The class that an entry was resolved to; NULL: not yet, or it failed. NO_GC.
Class *resolved_class(ConstantPool *pool, uint16_t index);
typedef enum FieldUse { FIELD_GET = 0, FIELD_PUT = 1 } FieldUse;
// Also checks static-ness and writes to finals (IncompatibleClassChangeError,
// IllegalAccessError). `from` is the accessing method.
NODISCARD MAY_GC Field *resolve_field(Thread *self, Method *from, uint16_t index,
                                      bool is_static, FieldUse use);
// The field that an entry was resolved to; NULL: not yet, or it failed. NO_GC.
Field *resolved_field(ConstantPool *pool, uint16_t index);
typedef enum InvokeKind {
    INVOKE_VIRTUAL,
    INVOKE_SPECIAL,
    INVOKE_STATIC,
    INVOKE_INTERFACE
} InvokeKind;
// The resolved method (not yet selected), with the checks of the instruction.
NODISCARD MAY_GC Method *resolve_method(Thread *self, Method *from, uint16_t index,
                                        InvokeKind kind);
// What invokespecial in `from` selects for the method its entry resolved to (JVMS 6.5). NULL with the exception
// pending.
NODISCARD MAY_GC Method *resolve_special(Thread *self, Method *from, uint16_t index,
                                         Method *resolved);
// Whether a Methodref names MethodHandle.invoke/invokeExact or a VarHandle access mode, to be
// linked by resolve_invoke_handle.
MAY_GC bool resolve_is_invoke_handle(Thread *self, ConstantPool *pool, uint16_t index);

// invokedynamic, one per instruction; and MethodHandle.invoke, one per constant pool entry
typedef struct CallSite {
    Method *adapter;  // static; receives the operands, then the appendix if there is one
    jobject appendix; // pool_ref of the version that has the site, or NULL
} CallSite;
NODISCARD MAY_GC CallSite *resolve_invoke_handle(Thread *self, ConstantPool *pool,
                                                 uint16_t index);
// `slot` is where the instruction keeps the result: the first publisher wins. Errors are
// recorded there too.
NODISCARD MAY_GC CallSite *resolve_invoke_dynamic(Thread *self, Method *from, uint16_t index,
                                                  _Atomic(void *) *slot);
// ldc: a handle (global) of the String, Class, MethodType, MethodHandle or Dynamic of reference
// type; for CONSTANT_Dynamic of primitive type the boxed value. A null constant is *is_null
// with a NULL result and no exception.
NODISCARD MAY_GC jobject resolve_constant(Thread *self, ConstantPool *pool, uint16_t index,
                                          bool *is_null);

// The handle of the class loader data that an entry was resolved to; NULL: none. NO_GC.
jobject constant_handle(ConstantPool *pool, uint32_t index);
// What a resolved entry of a constant pool refers to, raw; NULL: not resolved, or no object. An entry of a class that the
// loader has, as initiating loader and no array, counts for resolved. NO_GC.
Object *constant_object(const Class *c, uint32_t index);

// Linking by name, as JNI, reflection and MethodHandleNatives need it. `caller` NULL: no access
// checks. `constrained`: loader constraints between the caller and the method's class. Throws NoSuchMethodError etc.
NODISCARD MAY_GC Method *link_method(Thread *self, Class *cls, Symbol *name, Symbol *desc,
                                     InvokeKind kind, Class *caller, bool interface_ref,
                                     bool constrained);
NODISCARD MAY_GC Field *link_field(Thread *self, Class *cls, Symbol *name, Symbol *desc,
                                   Class *caller);
// The loader constraint of f's type between its class and the caller's. False with LinkageError pending.
NODISCARD MAY_GC bool link_constrain_field(Thread *self, Class *caller, Field *f);
// What a call that was resolved to a deleted method resolves to now: the instruction of `caller` at
// bci, which may reach `deleted` in another way too. NULL with the exception pending.
NODISCARD MAY_GC Method *link_instead(Thread *self, Method *caller, uint32_t bci,
                                      const Method *deleted);
// Whether invokespecial by `current` may name the interface that m was found from: a direct superinterface. False with the exception pending.
NODISCARD MAY_GC bool link_check_indirect(Thread *self, Class *current, Class *named,
                                          Method *m);
// Selection for invokespecial by `current` class (JVMS 6.5). NULL with the exception pending.
NODISCARD MAY_GC Method *link_special(Thread *self, Class *current, Class *named,
                                      Method *resolved);
// The VM-made method for MethodHandle.invokeBasic and linkTo* with an erased descriptor; one
// per (name, descriptor). NULL: no such intrinsic.
MAY_GC Method *method_handle_intrinsic(Thread *self, Symbol *name, Symbol *desc);
// java.lang.invoke.MethodType of a descriptor, classes loaded through holder's loader. A local
// handle.
NODISCARD MAY_GC jobject method_type_of(Thread *self, Class *holder, const char *desc,
                                        size_t len);

#endif
