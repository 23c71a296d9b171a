// SPDX-License-Identifier: Apache-2.0
// Watched fields: the instructions that access one are replaced by forms that report the access
// and then do it; code that touches other fields is left as it is. An instruction that runs for
// the first time gets that form at once (quicken.c). JNI looks at Field.watch.
#ifndef INTERP_WATCH_H
#define INTERP_WATCH_H

#include "link/resolve.h"

// Sets what of a field is watched (WATCH_*) and rewrites the code that accesses it. The world is
// stopped. NO_GC.
void watch_field(Thread *self, Field *f, uint8_t watch);
// Of ConstantPool.accesses.
Invalidate watch_accesses;
// Whether an instruction of `pool` may have a form that accesses the field without a look at its watches: whoever sets
// one finds it then. The class of a static field is initialized. NO_GC.
NODISCARD bool watch_allows(Thread *self, ConstantPool *pool, const Field *f, FieldUse use);

// Posts FIELD_ACCESS, or FIELD_MODIFY of a value, for the instruction at pc of m, whose field is watched: self is about to do it in its youngest
// frame. `object`, the receiver, is NULL of a static field; both are copied first. MAY_GC.
MAY_GC void watch_report(Thread *self, Method *m, const struct Insn *pc, Field *field,
                         const Slot *object, const Slot *value);
// The field of the watched instruction at pc, its access reported (FIELD_ACCESS): before the operand is taken. `object` is the slot of the
// receiver, NULL of a static field. NULL with what a listener threw pending. The frame is saved. MAY_GC.
MAY_GC Field *watch_get(Thread *self, Frame *f, const struct Insn *pc, const Slot *object);
// Reports the store into `field`, that of the instruction at pc (FIELD_MODIFY): likewise. False with what a listener threw pending. MAY_GC.
NODISCARD MAY_GC bool watch_put(Thread *self, Frame *f, const struct Insn *pc, Field *field,
                                const Slot *object, const Slot *value);
// The same of an access from C code, in the name of the native method on top of the stack; no
// report when there is none. `object` NULL: a static field.
MAY_GC void watch_get_native(Thread *self, Field *field, jobject object);
MAY_GC void watch_put_native(Thread *self, Field *field, jobject object, jvalue value);

#endif
