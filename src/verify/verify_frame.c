// SPDX-License-Identifier: Apache-2.0
// The current frame: operand stack and locals in slots; a long or double takes two, the second
// of kind LONG2 or DOUBLE2 (the one nearer to the top of the stack).
#include "verify/verify_internal.h"

static VType second_half(VType t)
{
    return VT_KIND(t) == VT_LONG ? VT_LONG2 : VT_DOUBLE2;
}

bool frame_room_for(Verifier *v, uint32_t slots)
{
    return v->sp + slots <= v->c->max_stack
           || verify_fail(v, &(VError){.reason = REASON_OVERFLOW}, "Operand stack overflow");
}

bool frame_push_slot(Verifier *v, VType t)
{
    if (!frame_room_for(v, 1))
        return false;
    v->stack[v->sp++] = t;
    return true;
}

bool frame_push(Verifier *v, VType t)
{
    if (!vtype_is_wide(t))
        return frame_push_slot(v, t);
    return frame_room_for(v, 2) && frame_push_slot(v, t) && frame_push_slot(v, second_half(t));
}

bool frame_push_value(Verifier *v, VType t)
{
    return frame_push_slot(v, t) && (!vtype_is_wide(t) || frame_push_slot(v, second_half(t)));
}

static bool underflow(Verifier *v)
{
    return verify_fail(v, &(VError){.reason = REASON_UNDERFLOW}, "Operand stack underflow");
}

static bool slot_is(Verifier *v, uint32_t index, VType expected)
{
    VType t = v->stack[index];
    int fits = vtype_assignable(v, t, expected);
    if (fits == 0) {
        VError e = {.reason = REASON_BAD_TYPE,
                    .from = t,
                    .to = expected,
                    .from_origin = {ORIGIN_STACK, index}};
        return verify_fail(v, &e, "Bad type on operand stack");
    }
    return fits > 0;
}

static bool pop_slot(Verifier *v, VType expected, VType *popped)
{
    if (v->sp == 0)
        return underflow(v);
    if (!slot_is(v, v->sp - 1, expected))
        return false;
    v->sp--;
    if (popped != NULL)
        *popped = v->stack[v->sp];
    return true;
}

bool frame_pop_value(Verifier *v, VType expected, VType *popped)
{
    if (vtype_is_wide(expected) && !pop_slot(v, second_half(expected), NULL))
        return false;
    return pop_slot(v, expected, popped);
}

bool frame_pop(Verifier *v, VType expected, VType *popped)
{
    if (!vtype_is_wide(expected))
        return pop_slot(v, expected, popped);
    if (v->sp < 2)
        return underflow(v);
    if (!slot_is(v, v->sp - 2, expected) || !slot_is(v, v->sp - 1, second_half(expected)))
        return false;
    v->sp -= 2;
    if (popped != NULL)
        *popped = expected;
    return true;
}

bool frame_pop_any(Verifier *v, VType *popped)
{
    if (v->sp == 0)
        return underflow(v);
    *popped = v->stack[--v->sp];
    return true;
}

static bool bad_local(Verifier *v, uint32_t index, const char *what)
{
    return verify_fail(v, &(VError){.reason = REASON_BAD_LOCAL, .index = index}, "%s", what);
}

static bool local_in_range(Verifier *v, uint32_t index, uint32_t slots)
{
    return index + slots <= v->c->max_locals
           || bad_local(v, index, "Local variable table overflow");
}

static bool local_is(Verifier *v, uint32_t index, VType expected)
{
    VType t = v->locals[index];
    int fits = vtype_assignable(v, t, expected);
    if (fits == 0) {
        VError e = {.reason = REASON_BAD_TYPE,
                    .from = t,
                    .to = expected,
                    .from_origin = {ORIGIN_LOCAL, index}};
        return verify_fail(v, &e, "Bad local variable type");
    }
    return fits > 0;
}

bool frame_local_is(Verifier *v, uint32_t index, VType expected)
{
    if (!vtype_is_wide(expected))
        return local_in_range(v, index, 1) && local_is(v, index, expected);
    if (index + 2 > v->local_count) // never set
        return bad_local(v, index, "get long/double overflows locals");
    return local_is(v, index, expected) && local_is(v, index + 1, second_half(expected));
}

bool frame_load(Verifier *v, uint32_t index, VType expected)
{
    return frame_local_is(v, index, expected) && frame_push(v, v->locals[index]);
}

// A half of a long or double that is overwritten makes the other half unusable.
static void store_slot(Verifier *v, uint32_t index, VType t)
{
    VKind old = VT_KIND(v->locals[index]);
    if (old == VT_LONG2 || old == VT_DOUBLE2)
        v->locals[index - 1] = VT_TOP;
    else if ((old == VT_LONG || old == VT_DOUBLE) && index + 1 < v->c->max_locals)
        v->locals[index + 1] = VT_TOP;
    v->locals[index] = t;
}

bool frame_store(Verifier *v, uint32_t index, VType t)
{
    bool wide = vtype_is_wide(t);
    if (!local_in_range(v, index, wide ? 2 : 1))
        return false;
    v->local_count = MAX_OF(v->local_count, index + (wide ? 2 : 1));
    store_slot(v, index, t);
    if (wide) {
        store_slot(v, index + 1, VT_TOP); // drops what the second slot belonged to
        v->locals[index] = t;
        v->locals[index + 1] = second_half(t);
    }
    return true;
}

void frame_replace(Verifier *v, VType old, VType replacement)
{
    for (uint32_t i = 0; i < v->c->max_locals; i++) {
        if (v->locals[i] == old)
            v->locals[i] = replacement;
    }
    for (uint32_t i = 0; i < v->sp; i++) {
        if (v->stack[i] == old)
            v->stack[i] = replacement;
    }
}

bool frame_set_initial(Verifier *v)
{
    memset(v->locals, 0, v->c->max_locals * sizeof(VType)); // TOP
    v->sp = v->local_count = 0;
    v->this_uninit = false;
    uint32_t n = 0;
    if (!(v->m->access & ACC_STATIC)) {
        v->this_uninit = v->is_init && v->this_type != v->object_type;
        if (!frame_store(v, n++, v->this_uninit ? VT_MAKE(VT_UNINIT_THIS, 0) : v->this_type))
            return false;
    }
    Bytes type = cf_utf8(v->cf, v->m->descriptor);
    DescriptorWalk w = descriptor_walk((const char *)type.p, type.len, n);
    while (descriptor_walk_next(&w)) {
        if (!frame_store(v, w.slot, vtype_of_descriptor(v, w.kind, w.type, w.len)))
            return false;
    }
    const char *result = w.next + 1;
    v->return_type = vtype_of_descriptor(v, *result, result, (size_t)(w.end - result));
    return true;
}

// ---- against a frame of StackMapTable ----

static bool mismatch(Verifier *v, VError *e, const MapFrame *map, const char *fmt,
                     uint32_t target)
{
    e->map = map;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    return verify_fail(v, e, fmt, target);
#pragma GCC diagnostic pop
}

static bool match_slots(Verifier *v, const VType *from, const VType *to, uint32_t count,
                        const MapFrame *map, bool stack, const char *fmt, uint32_t target)
{
    for (uint32_t i = 0; i < count; i++) {
        if (from[i] == to[i])
            continue;
        int fits = vtype_assignable(v, from[i], to[i]);
        if (fits < 0)
            return false;
        if (!fits) {
            VError e = {.reason = REASON_BAD_TYPE,
                        .from = from[i],
                        .to = to[i],
                        .from_origin = {stack ? ORIGIN_STACK : ORIGIN_LOCAL, i},
                        .to_origin = {stack ? ORIGIN_MAP_STACK : ORIGIN_MAP_LOCAL, i}};
            return mismatch(v, &e, map, fmt, target);
        }
    }
    return true;
}

bool frame_match(Verifier *v, const MapFrame *map, const char *fmt, uint32_t target)
{
    if (v->sp != map->stack_count)
        return mismatch(v, &(VError){.reason = REASON_STACK_DIFFERS}, map, fmt, target);
    if (!match_slots(v, v->locals, map->locals, map->local_count, map, false, fmt, target)
        || !match_slots(v, v->stack, map->stack, v->sp, map, true, fmt, target))
        return false;
    if (v->this_uninit && !map->this_uninit)
        return mismatch(v, &(VError){.reason = REASON_FLAGS_DIFFER}, map, fmt, target);
    return true;
}

bool frame_match_handler(Verifier *v, const MapFrame *map, VType thrown, const char *fmt,
                         uint32_t target)
{
    VType bottom = v->stack[0];
    uint32_t sp = v->sp, sp_before = v->sp_before;
    v->stack[0] = thrown;
    v->sp = v->sp_before = 1;
    bool ok = frame_match(v, map, fmt, target);
    v->stack[0] = bottom;
    v->sp = sp;
    v->sp_before = sp_before;
    return ok;
}

static void copy_slots(VType *to, const VType *from, uint32_t count)
{
    if (count > 0)
        memcpy(to, from, count * sizeof(VType));
}

void frame_adopt(Verifier *v, const MapFrame *map)
{
    uint32_t n = map->local_count;
    copy_slots(v->locals, map->locals, n);
    memset(v->locals + n, 0, (v->c->max_locals - n) * sizeof(VType)); // TOP
    copy_slots(v->stack, map->stack, map->stack_count);
    v->sp = map->stack_count;
    v->local_count = n;
    v->this_uninit = map->this_uninit;
}
