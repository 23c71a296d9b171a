// SPDX-License-Identifier: Apache-2.0
// Boxes, primitive widening (JLS 5.1.2), and typed memory access by descriptor char.
#include "java/box.h"
#include "class/loader.h"
#include "class/vm_classes.h"
#include "java/java_object.h"

Class *box_class(char kind)
{
    switch (kind) {
    case 'Z': return CLS(Boolean);
    case 'B': return CLS(Byte);
    case 'C': return CLS(Character);
    case 'S': return CLS(Short);
    case 'I': return CLS(Integer);
    case 'J': return CLS(Long);
    case 'F': return CLS(Float);
    case 'D': return CLS(Double);
    case 'V': return CLS(Void);
    default: return NULL;
    }
}

static uint32_t box_offset(char kind)
{
    switch (kind) {
    case 'Z': return OFF(Boolean, value);
    case 'B': return OFF(Byte, value);
    case 'C': return OFF(Character, value);
    case 'S': return OFF(Short, value);
    case 'I': return OFF(Integer, value);
    case 'J': return OFF(Long, value);
    case 'F': return OFF(Float, value);
    default: return OFF(Double, value);
    }
}

jobject box_value(Thread *self, char kind, jvalue v)
{
    ASSERT_MAY_GC(self);
    if (kind_is_reference(kind))
        return v.l;
    if (kind == 'V')
        return NULL;
    jobject box = object_new(self, box_class(kind));
    if (box)
        memory_set(deref(box), box_offset(kind), kind, v, false);
    return box;
}

bool unbox_value(Object *box, char *kind, jvalue *out)
{
    static const char kinds[] = "IZJCBSDF";
    if (!box)
        return false;
    for (const char *k = kinds; *k; k++) {
        if (object_class(box) != box_class(*k))
            continue;
        *kind = *k;
        *out = memory_get(NULL, box, box_offset(*k), *k, false);
        return true;
    }
    return false;
}

static bool widen_integral(char to, int64_t value, jvalue *v)
{
    switch (to) {
    case 'S': v->s = (jshort)value; return true;
    case 'I': v->i = (jint)value; return true;
    case 'J': v->j = value; return true;
    case 'F': v->f = (jfloat)value; return true;
    case 'D': v->d = (jdouble)value; return true;
    default: return false;
    }
}

bool widen_value(char from, char to, jvalue *v)
{
    if (from == to)
        return true;
    switch (from) {
    case 'B': return widen_integral(to, v->b, v);
    case 'S': return to != 'S' && widen_integral(to, v->s, v);
    case 'C': return to != 'S' && widen_integral(to, v->c, v);
    case 'I': return to != 'S' && widen_integral(to, v->i, v);
    case 'J': return (to == 'F' || to == 'D') && widen_integral(to, v->j, v);
    case 'F':
        if (to == 'D')
            v->d = v->f;
        return to == 'D';
    default: return false;
    }
}

static Object *get_ref(const Object *o, size_t offset, bool volatile_)
{
    return volatile_ ? object_get_ref_volatile(o, offset) : object_get_ref(o, offset);
}

#define LOAD(type)                                                 \
    (volatile_ ? atomic_load((_Atomic type *)object_at(o, offset)) \
               : *(volatile type *)object_at(o, offset))
#define STORE(type, value)                                             \
    do {                                                               \
        if (volatile_)                                                 \
            atomic_store((_Atomic type *)object_at(o, offset), value); \
        else                                                           \
            *(volatile type *)object_at(o, offset) = value;            \
    } while (0)

jvalue memory_get(Thread *self, const Object *o, size_t offset, char kind, bool volatile_)
{
    jvalue v = {0};
    switch (kind) {
    case 'Z': v.z = LOAD(uint8_t) & 1; break;
    case 'B': v.b = LOAD(int8_t); break;
    case 'C': v.c = LOAD(uint16_t); break;
    case 'S': v.s = LOAD(int16_t); break;
    case 'I': v.i = LOAD(int32_t); break;
    case 'J': v.j = LOAD(int64_t); break;
    case 'F': v.i = LOAD(int32_t); break; // by bits: a signalling NaN stays one
    case 'D': v.j = LOAD(int64_t); break;
    default: v.l = handle_new(self, get_ref(o, offset, volatile_)); break;
    }
    return v;
}

void memory_set(Object *o, size_t offset, char kind, jvalue v, bool volatile_)
{
    switch (kind) {
    case 'Z': STORE(uint8_t, v.z & 1); break;
    case 'B': STORE(int8_t, v.b); break;
    case 'C': STORE(uint16_t, v.c); break;
    case 'S': STORE(int16_t, v.s); break;
    case 'I':
    case 'F': STORE(int32_t, v.i); break;
    case 'J':
    case 'D': STORE(int64_t, v.j); break;
    default:
        if (volatile_)
            object_set_ref_volatile(o, offset, deref(v.l));
        else
            object_set_ref(o, offset, deref(v.l));
    }
}
