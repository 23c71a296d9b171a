// SPDX-License-Identifier: Apache-2.0
// See field_access.h. `how` is nothing or _volatile.
#include "interp/field_access.h"

#include "interp/arith.h"

#define PUSH_FIELD(at, o, f, how)                                                 \
    do {                                                                          \
        switch ((f)->kind) {                                                      \
        case 'Z': slot_set_i(at, object_get_boolean##how(o, (f)->offset)); break; \
        case 'B': slot_set_i(at, object_get_byte##how(o, (f)->offset)); break;    \
        case 'C': slot_set_i(at, object_get_char##how(o, (f)->offset)); break;    \
        case 'S': slot_set_i(at, object_get_short##how(o, (f)->offset)); break;   \
        case 'I':                                                                 \
        case 'F': slot_set_i(at, object_get_int##how(o, (f)->offset)); break;     \
        case 'J':                                                                 \
        case 'D': (at)->l = object_get_long##how(o, (f)->offset); break;          \
        default: (at)->ref = object_get_ref##how(o, (f)->offset); break;          \
        }                                                                         \
    } while (0)
#define STORE_FIELD(o, f, v, how)                                               \
    do {                                                                        \
        switch ((f)->kind) {                                                    \
        case 'Z': object_set_boolean##how(o, (f)->offset, (v).i & 1); break;    \
        case 'B': object_set_byte##how(o, (f)->offset, (int8_t)(v).i); break;   \
        case 'C':                                                               \
        case 'S': object_set_short##how(o, (f)->offset, (int16_t)(v).i); break; \
        case 'I':                                                               \
        case 'F': object_set_int##how(o, (f)->offset, (v).i); break;            \
        case 'J':                                                               \
        case 'D': object_set_long##how(o, (f)->offset, (v).l); break;           \
        default: object_set_ref##how(o, (f)->offset, (v).ref); break;           \
        }                                                                       \
    } while (0)

void field_push(Slot *at, const Object *o, const Field *f)
{
    if (f->access & ACC_VOLATILE)
        PUSH_FIELD(at, o, f, _volatile);
    else
        PUSH_FIELD(at, o, f, );
}

void field_store(Object *o, const Field *f, Slot v)
{
    if (f->access & ACC_VOLATILE)
        STORE_FIELD(o, f, v, _volatile);
    else
        STORE_FIELD(o, f, v, );
}
