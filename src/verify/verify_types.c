// SPDX-License-Identifier: Apache-2.0
// Verification types: class names as small numbers, arrays, assignability (JVMS 4.10.1.2).
#include "verify/verify_internal.h"

VType vtype_of_name(Verifier *v, Bytes name)
{
    uintptr_t id = (uintptr_t)strmap_get_n(&v->name_ids, (const char *)name.p, name.len);
    if (id == 0) {
        vec_push(&v->names, name);
        id = v->names.len;
        strmap_put_n(&v->name_ids, (const char *)name.p, name.len, (void *)id);
    }
    return VT_MAKE(VT_OBJECT, (uint32_t)id - 1);
}

VType vtype_of_class(Verifier *v, uint16_t class_index)
{
    // Of a hidden class only this entry is the class; its name elsewhere is another class's.
    if (class_index == v->cf->this_class)
        return v->this_type;
    return vtype_of_name(v, cf_class_name(v->cf, class_index));
}

Bytes vtype_name(const Verifier *v, VType t)
{
    return v->names.at[VT_DATA(t)];
}

bool vtype_is_array(const Verifier *v, VType t)
{
    if (VT_KIND(t) != VT_OBJECT)
        return false;
    Bytes name = vtype_name(v, t);
    return name.len > 0 && name.p[0] == '[';
}

VType vtype_array_of(Verifier *v, VType component)
{
    Bytes name = vtype_name(v, component);
    bool nested = vtype_is_array(v, component);
    uint8_t *s = arena_alloc(&v->class_arena, (size_t)name.len + 3);
    Bytes array = {s, name.len + (nested ? 1 : 3)};
    *s++ = '[';
    if (!nested)
        *s++ = 'L';
    memcpy(s, name.p, name.len);
    if (!nested)
        s[name.len] = ';';
    return vtype_of_name(v, array);
}

VType vtype_of_descriptor(Verifier *v, char kind, const char *start, size_t len)
{
    switch (kind) {
    case 'J': return VT_LONG;
    case 'F': return VT_FLOAT;
    case 'D': return VT_DOUBLE;
    case 'L': return vtype_of_name(v, (Bytes){(const uint8_t *)start + 1, (uint32_t)len - 2});
    case '[': return vtype_of_name(v, (Bytes){(const uint8_t *)start, (uint32_t)len});
    case 'V': return VT_TOP;
    default: return VT_INT;
    }
}

bool vtype_reference_component(Verifier *v, VType array, VType *component)
{
    if (VT_KIND(array) == VT_NULL) {
        *component = VT_NULL;
        return true;
    }
    if (!vtype_is_array(v, array))
        return false;
    Bytes name = vtype_name(v, array);
    if (name.len < 2 || (name.p[1] != '[' && name.p[1] != 'L'))
        return false;
    *component =
        vtype_of_descriptor(v, (char)name.p[1], (const char *)name.p + 1, name.len - 1);
    return true;
}

static int ask_caller(Verifier *v, VType from, VType to)
{
    uintptr_t key = (uintptr_t)VT_DATA(from) << 32 | VT_DATA(to) | (uintptr_t)1 << 63;
    uintptr_t known = (uintptr_t)ptrmap_get(&v->assignable, key);
    if (known != 0)
        return (int)known - 1;
    int answer = v->cx->is_assignable(v->cx->ctx, vtype_name(v, from), vtype_name(v, to));
    if (answer < 0)
        v->status = VERIFY_PENDING;
    else
        ptrmap_put(&v->assignable, key, (void *)(uintptr_t)(answer + 1));
    return answer;
}

static int object_assignable(Verifier *v, VType from, VType to)
{
    while (from != to && to != v->object_type) {
        bool from_array = vtype_is_array(v, from);
        if (!vtype_is_array(v, to)) {
            Bytes name = vtype_name(v, to);
            if (from_array
                && (bytes_eq(name, "java/lang/Cloneable")
                    || bytes_eq(name, "java/io/Serializable")))
                return 1;
            return ask_caller(v, from, to);
        }
        VType from_component, to_component;
        if (!from_array || !vtype_reference_component(v, from, &from_component)
            || !vtype_reference_component(v, to, &to_component))
            return 0;
        from = from_component;
        to = to_component;
    }
    return 1;
}

int vtype_assignable(Verifier *v, VType from, VType to)
{
    VKind kind = VT_KIND(from);
    if (from == to)
        return 1;
    switch (VT_KIND(to)) {
    case VT_TOP: return 1;
    case VT_ANY_REFERENCE: return kind >= VT_NULL && kind <= VT_OBJECT;
    case VT_ANY_CATEGORY1:
        return kind == VT_INT || kind == VT_FLOAT || (kind >= VT_NULL && kind <= VT_OBJECT);
    case VT_ANY_CATEGORY2_2ND: return kind == VT_LONG2 || kind == VT_DOUBLE2;
    case VT_OBJECT:
        if (kind == VT_NULL)
            return 1;
        return kind == VT_OBJECT ? object_assignable(v, from, to) : 0;
    default: return 0;
    }
}
