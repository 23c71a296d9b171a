// SPDX-License-Identifier: Apache-2.0
// Accesses to fields of any kind, for instructions that are not hot: volatile fields, statics, classes that
// are still being initialized. Volatile fields by docs/MEMORY_MODEL.md. self is IN_VM; NO_GC.
#ifndef INTERP_FIELD_ACCESS_H
#define INTERP_FIELD_ACCESS_H

#include "class/class.h"
#include "frame/frame.h"

// Writes the value of field f of o (the mirror, where f is static) to an operand of one or two slots.
void field_push(Slot *at, const Object *o, const Field *f);
// Stores an operand, narrowed to the field's kind.
void field_store(Object *o, const Field *f, Slot v);

#endif
