// SPDX-License-Identifier: Apache-2.0
// java.lang.invoke.MemberName and ResolvedMethodName: filling, resolving, reading.
// MemberName.vmindex and ResolvedMethodName.vmtarget/vmholder are injected fields; vmtarget is
// a Method *.
#ifndef LINK_MEMBER_NAME_H
#define LINK_MEMBER_NAME_H

#include "class/loader.h"
#include "class/vm_classes.h"

enum {
    MN_IS_METHOD = 0x00010000,
    MN_IS_CONSTRUCTOR = 0x00020000,
    MN_IS_FIELD = 0x00040000,
    MN_IS_TYPE = 0x00080000,
    MN_CALLER_SENSITIVE = 0x00100000,
    MN_TRUSTED_FINAL = 0x00200000,
    MN_SEARCH_SUPERCLASSES = 0x00100000,
    MN_SEARCH_INTERFACES = 0x00200000, // in getMembers' flags only
    MN_REFERENCE_KIND_SHIFT = 24,
    MN_REFERENCE_KIND_MASK = 0x0F,
    LM_UNCONDITIONAL = 0x20,
    LM_MODULE = 0x10,
    LM_TRUSTED = -1,
    MN_VMINDEX_NONVIRTUAL = -2,
};
typedef enum RefKind {
    REF_getField = 1,
    REF_getStatic,
    REF_putField,
    REF_putStatic,
    REF_invokeVirtual,
    REF_invokeStatic,
    REF_invokeSpecial,
    REF_newInvokeSpecial,
    REF_invokeInterface,
} RefKind;
// Named constants for MethodHandleNatives.getNamedCon: NULL name ends the table.
typedef struct MemberNameConstant {
    const char *name;
    int32_t value;
} MemberNameConstant;
extern const MemberNameConstant member_name_constants[];

// Fills clazz, flags, method and vmindex for a direct (dispatch false) or dispatched call of m.
// `resolved` is the class the member was found through (NULL: m's own): a default or miranda
// method reached through a class becomes a virtual one of that class.
NODISCARD MAY_GC bool member_name_init_method(Thread *self, jobject mname, Method *m,
                                              Class *resolved, bool dispatch);
NODISCARD MAY_GC bool member_name_init_field(Thread *self, jobject mname, Field *f,
                                             bool is_put);
// From a java.lang.reflect.Field, Method or Constructor: MethodHandleNatives.init. Throws
// InternalError for other objects.
NODISCARD MAY_GC bool member_name_init_reflected(Thread *self, jobject mname, jobject member);
// MethodHandleNatives.resolve: the same MemberName, resolved; NULL without exception when
// speculative and not found, else NULL with the linkage error pending. `caller` NULL: no access
// checks.
NODISCARD MAY_GC jobject member_name_resolve(Thread *self, jobject mname, Class *caller,
                                             int lookup_mode, bool speculative);
// MethodHandleNatives.expand: completes clazz, name and type. IllegalArgumentException when
// unresolved.
NODISCARD MAY_GC bool member_name_expand(Thread *self, jobject mname);
// The method of a resolved MemberName; NULL for fields and unresolved ones. NO_GC.
Method *member_name_target(Object *mname);
// The field a resolved MemberName of a field stands for. NO_GC.
Field *member_name_field(Object *mname);
static inline int64_t member_name_vmindex(Object *mname)
{
    return object_get_long(mname, OFF(MemberName, vmindex));
}
static inline RefKind member_name_ref_kind(Object *mname)
{
    return (RefKind)(object_get_int(mname, OFF(MemberName, flags)) >> MN_REFERENCE_KIND_SHIFT
                     & MN_REFERENCE_KIND_MASK);
}
// The canonical ResolvedMethodName of a method. A local handle.
NODISCARD MAY_GC jobject resolved_method_name(Thread *self, Method *m);

#endif
