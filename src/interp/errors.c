// SPDX-License-Identifier: Apache-2.0
// The exceptions that instructions throw, with HotSpot's texts.
#include "interp/interp.h"
#include "java/describe.h"
#include "java/exception.h"

void throw_index_of_length(Thread *self, int32_t index, int32_t length)
{
    ASSERT_MAY_GC(self);
    throw_new(self, "java/lang/ArrayIndexOutOfBoundsException",
              "Index %d out of bounds for length %d", index, length);
}

void throw_index(Thread *self, int32_t index, const Object *array)
{
    ASSERT_ARRAY(array);
    throw_index_of_length(self, index, array_length(array));
}

void throw_class_cast(Thread *self, Class *from, Class *to)
{
    ASSERT_MAY_GC(self);
    char *text = describe_cast_failure(from, to);
    throw_new(self, "java/lang/ClassCastException", "%s", text);
    vm_free(text);
}

void throw_array_store(Thread *self, Class *value)
{
    ASSERT_MAY_GC(self);
    char *name = class_external_name(value);
    throw_new(self, "java/lang/ArrayStoreException", "%s", name);
    vm_free(name);
}
