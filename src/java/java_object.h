// SPDX-License-Identifier: Apache-2.0
// Java objects and arrays made, cloned and copied by the VM. Unless said otherwise: MAY_GC, results are local handles (jobject) of the current
// scope, NULL (false) with the exception pending.
#ifndef JAVA_JAVA_OBJECT_H
#define JAVA_JAVA_OBJECT_H

#include "class/class.h"

void objects_init(void); // before any event is wanted
// raw; initialised class expected; throws OutOfMemoryError
NODISCARD MAY_GC Object *object_new_raw(Thread *self, Class *c);
// as handle; initialises c first; InstantiationException when abstract
NODISCARD MAY_GC jobject object_new(Thread *self, Class *c);
// False for abstract classes, interfaces, arrays and primitive types with InstantiationError or
// InstantiationException, for Class with IllegalAccessError or IllegalAccessException.
NODISCARD MAY_GC bool class_require_instantiable(Thread *self, Class *c, bool as_error);
NODISCARD MAY_GC jobject object_construct(Thread *self, Class *c, const char *desc,
                                          const jvalue *args /* without receiver */);
// throws NegativeArraySize, OutOfMemory
NODISCARD MAY_GC Object *array_new_raw(Thread *self, Class *array_class, int32_t length);
NODISCARD MAY_GC jobject array_new(Thread *self, Class *array_class, int32_t length);
NODISCARD MAY_GC Object *array_new_multi(Thread *self, Class *array_class, int dims,
                                         const int32_t *lengths);
NODISCARD MAY_GC jobject object_clone(Thread *self, jobject o); // CloneNotSupportedException
// The clone of an array, where the thread's buffer has room for it and nobody is told of new objects; NULL: it is to be made by
// object_clone, of what is no array, too. NO_GC.
Object *array_clone_fast(Thread *self, const Object *o);
// System.arraycopy with its exceptions; other threads may stop it in the midst (thread/slices.h).
MAY_GC bool array_copy(Thread *self, jobject src, int32_t src_pos, jobject dst, int32_t dst_pos,
                       int32_t length);
// Copies elements of arrays of one kind, within their bounds, at once. They may overlap. NO_GC.
void array_copy_elements(Object *src, int32_t src_pos, Object *dst, int32_t dst_pos,
                         int32_t length);
// java.lang.Class mirror of a class as a local handle.
static inline jobject mirror_handle(Thread *self, const Class *c)
{
    return handle_new(self, class_mirror(c));
}
static inline Class *class_of_handle(jobject mirror) // of a jclass
{
    return class_of_mirror(deref(mirror));
}
// OBJECT_ALLOC of a new object that is ready to be looked at. Gives it back, perhaps moved. Those
// of object_new_raw and array_new_raw are posted already.
NODISCARD MAY_GC Object *object_report_alloc(Thread *self, Object *o);
// One of the first class objects, all made before any is reported: OBJECT_ALLOC is still to come.
bool mirror_is_unreported(const Object *o);
// VM_OBJECT_ALLOC, for objects made by natives of the class library
MAY_GC void object_post_alloc(Thread *self, jobject o);
// The same of an array, of all that is in it and of the arrays which those hold, all made with it. NULL: none
MAY_GC void object_post_alloc_array(Thread *self, jobject array);

#endif
