// SPDX-License-Identifier: Apache-2.0
// Primitive values and their boxes.
#ifndef JAVA_BOX_H
#define JAVA_BOX_H

#include "class/class.h"

// 'L','[': v.l itself; 'V': NULL without exception
NODISCARD MAY_GC jobject box_value(Thread *self, char kind, jvalue v);
bool unbox_value(Object *box, char *kind, jvalue *out); // false: not a box
bool widen_value(char from, char to, jvalue *v);        // JLS 5.1.2; false: not possible
Class *box_class(char kind);
// Memory of a field or array element of a kind, by jvalue; references as handles. `volatile_`
// gives seq_cst.
jvalue memory_get(Thread *self, const Object *o, size_t offset, char kind, bool volatile_);
void memory_set(Object *o, size_t offset, char kind, jvalue v, bool volatile_);

#endif
