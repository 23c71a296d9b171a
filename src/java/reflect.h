// SPDX-License-Identifier: Apache-2.0
// Objects of java.lang.reflect and what they mean. Unless said otherwise: MAY_GC, results are local handles (jobject) of the current
// scope, NULL (false) with the exception pending.
#ifndef JAVA_REFLECT_H
#define JAVA_REFLECT_H

#include "class/class.h"

bool reflect_init(Thread *self);                                  // preallocates
NODISCARD MAY_GC jobject reflect_field(Thread *self, Field *f);   // java.lang.reflect.Field
NODISCARD MAY_GC jobject reflect_method(Thread *self, Method *m); // Method or Constructor
Field *reflect_field_of(Object *field);        // from java.lang.reflect.Field. NO_GC
Method *reflect_method_of(Object *executable); // from Method or Constructor. NO_GC
// Method.invoke semantics: boxes, unboxes, wraps in InvocationTargetException.
MAY_GC jobject reflect_invoke(Thread *self, Method *m, jobject receiver, jobject args_array,
                              bool *ok);
NODISCARD MAY_GC jobject reflect_new_instance(Thread *self, Method *constructor,
                                              jobject args_array);
// Class.name: the interned dotted name, made on first use. A local handle.
NODISCARD MAY_GC jobject class_name_string(Thread *self, Class *c);
// The same for natives of the class library: VM_OBJECT_ALLOC when it is new
NODISCARD MAY_GC jobject class_name_string_reported(Thread *self, Class *c);
// byte[]; NULL without exception when b.p is NULL
NODISCARD MAY_GC jobject bytes_to_array(Thread *self, Bytes b);

#endif
