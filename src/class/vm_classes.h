// SPDX-License-Identifier: Apache-2.0
// Well-known classes, fields, methods: spec/vm_classes.def.
#ifndef CLASS_VM_CLASSES_H
#define CLASS_VM_CLASSES_H

#include "class/class.h"

// CLS(Object) is a Class *; OFF(Thread, eetop) a byte offset; MTH(Thread, run) a Method *.
// Filled by vm_classes_load; optional ones may be NULL.
enum {
#define VM_CLASS(id, name) C_##id,
#define VM_FIELD(cls, field, desc)
#define VM_STATIC(cls, field, desc)
#define VM_INJECT(cls, field, kind)
#define VM_METHOD(cls, id, name, desc)
#include "spec/vm_classes.def"
    VM_CLASS_COUNT
};
#undef VM_CLASS
#undef VM_FIELD
#undef VM_STATIC
#undef VM_INJECT
#undef VM_METHOD
enum {
#define VM_CLASS(id, name)
#define VM_FIELD(cls, field, desc)  F_##cls##_##field,
#define VM_STATIC(cls, field, desc) F_##cls##_##field,
#define VM_INJECT(cls, field, kind) F_##cls##_##field,
#define VM_METHOD(cls, id, name, desc)
#include "spec/vm_classes.def"
    VM_FIELD_COUNT
};
#undef VM_FIELD
#undef VM_STATIC
#undef VM_INJECT
#undef VM_METHOD
enum {
#define VM_FIELD(cls, field, desc)
#define VM_STATIC(cls, field, desc)
#define VM_INJECT(cls, field, kind)
#define VM_METHOD(cls, id, name, desc) M_##cls##_##id,
#include "spec/vm_classes.def"
    VM_METHOD_COUNT
};
#undef VM_CLASS
#undef VM_FIELD
#undef VM_STATIC
#undef VM_INJECT
#undef VM_METHOD
extern Class *vm_classes[VM_CLASS_COUNT];
extern uint32_t vm_field_offsets[VM_FIELD_COUNT];
extern Method *vm_methods[VM_METHOD_COUNT];
#define CLS(id)       (vm_classes[C_##id])
#define OFF(cls, fld) (vm_field_offsets[F_##cls##_##fld])
#define MTH(cls, id)  (vm_methods[M_##cls##_##id])

// Loads the well-known classes in order, makes mirrors, injects fields, fills the tables.
// Before any Java code runs.
NODISCARD MAY_GC bool vm_classes_load(Thread *self);

#endif
