// SPDX-License-Identifier: Apache-2.0
// StackMapTable (JVMS 4.7.4): every frame expanded to slots, in ascending order of bci. Frames
// whose locals are those of the frame before, or fewer, share its array.
#include "verify/verify_internal.h"

enum {
    SAME_END = 63,
    ITEM_END = 127,
    ITEM_EXTENDED = 247,
    CHOP_START = 248,
    SAME_EXTENDED = 251,
    APPEND_END = 254
};
enum {
    ITEM_TOP,
    ITEM_INTEGER,
    ITEM_FLOAT,
    ITEM_DOUBLE,
    ITEM_LONG,
    ITEM_NULL,
    ITEM_UNINIT_THIS,
    ITEM_OBJECT,
    ITEM_UNINIT
};

typedef struct MapReader {
    const uint8_t *p, *end;
} MapReader;

static bool read_u1(Verifier *v, MapReader *r, uint32_t *out)
{
    if (r->p == r->end)
        return verify_stackmap_fail(v, "access beyond the end of attribute");
    *out = *r->p++;
    return true;
}

static bool read_u2(Verifier *v, MapReader *r, uint32_t *out)
{
    if (r->end - r->p < 2)
        return verify_stackmap_fail(v, "access beyond the end of attribute");
    *out = get_u2(r->p);
    r->p += 2;
    return true;
}

static bool read_object(Verifier *v, MapReader *r, VType *out)
{
    uint32_t index = 0;
    if (!read_u2(v, r, &index))
        return false;
    if (index >= v->cf->cp_count || cf_tag(v->cf, (uint16_t)index) != CP_CLASS)
        return verify_stackmap_fail(v, "bad class index");
    *out = vtype_of_class(v, (uint16_t)index);
    return true;
}

static bool read_uninit(Verifier *v, MapReader *r, VType *out)
{
    uint32_t bci = 0;
    if (!read_u2(v, r, &bci))
        return false;
    if (bci >= v->c->code_len || v->code_map[bci] != MAP_NEW) // fatal when all has been read
        verify_format_fail(v, "StackMapTable format error: bad offset for Uninitialized");
    *out = VT_MAKE(VT_UNINIT, bci);
    return true;
}

static bool read_type(Verifier *v, MapReader *r, VType *out)
{
    static const VType simple[] = {
        [ITEM_TOP] = VT_TOP,
        [ITEM_INTEGER] = VT_INT,
        [ITEM_FLOAT] = VT_FLOAT,
        [ITEM_DOUBLE] = VT_DOUBLE,
        [ITEM_LONG] = VT_LONG,
        [ITEM_NULL] = VT_NULL,
        [ITEM_UNINIT_THIS] = VT_UNINIT_THIS,
    };
    uint32_t tag = 0;
    if (!read_u1(v, r, &tag))
        return false;
    if (tag == ITEM_OBJECT)
        return read_object(v, r, out);
    if (tag == ITEM_UNINIT)
        return read_uninit(v, r, out);
    if (tag >= ARRAY_LEN(simple))
        return verify_stackmap_fail(v, "bad verification type");
    *out = simple[tag];
    return true;
}

// Reads n types as slots behind the `used` ones of `out`, which has room for 2 * n more; `max`
// in all are legal.
static bool read_types(Verifier *v, MapReader *r, uint32_t n, VType *out, uint32_t max,
                       uint32_t *used)
{
    for (uint32_t i = 0; i < n; i++) {
        VType t = VT_TOP;
        if (!read_type(v, r, &t))
            return false;
        out[(*used)++] = t;
        if (vtype_is_wide(t))
            out[(*used)++] = VT_KIND(t) == VT_LONG ? VT_LONG2 : VT_DOUBLE2;
    }
    return *used <= max
           || verify_format_fail(v, "StackMapTable format error: bad type array size");
}

static bool read_one_stack_item(Verifier *v, MapReader *r, MapFrame *f)
{
    VType *stack = arena_alloc(&v->method_arena, 2 * sizeof(VType));
    f->stack = stack;
    return read_types(v, r, 1, stack, v->c->max_stack, &f->stack_count);
}

// Drops the last `n` locals; a long or double is one.
static bool chop(Verifier *v, MapFrame *f, uint32_t n)
{
    for (; n > 0; n--) {
        if (f->local_count == 0)
            return verify_format_fail(v, "StackMapTable format error: bad type array size");
        VKind last = VT_KIND(f->locals[--f->local_count]);
        if ((last == VT_LONG2 || last == VT_DOUBLE2) && f->local_count > 0)
            f->local_count--;
    }
    return true;
}

static bool append(Verifier *v, MapReader *r, MapFrame *f, uint32_t n)
{
    VType *locals = arena_alloc(&v->method_arena, (f->local_count + 2 * n) * sizeof(VType));
    if (f->local_count > 0)
        memcpy(locals, f->locals, f->local_count * sizeof(VType));
    f->locals = locals;
    return read_types(v, r, n, locals, v->c->max_locals, &f->local_count);
}

// A u2 count and as many types. *out: the slots.
static bool read_type_list(Verifier *v, MapReader *r, uint32_t max, const VType **out,
                           uint32_t *count)
{
    uint32_t n = 0;
    if (!read_u2(v, r, &n))
        return false;
    if (n > (size_t)(r->end - r->p)) // a type has a byte at least
        n = (uint32_t)(r->end - r->p) + 1;
    VType *slots = arena_alloc(&v->method_arena, 2 * (size_t)n * sizeof(VType));
    *out = slots;
    *count = 0;
    return read_types(v, r, n, slots, max, count);
}

static bool read_full(Verifier *v, MapReader *r, MapFrame *f)
{
    return read_type_list(v, r, v->c->max_locals, &f->locals, &f->local_count)
           && read_type_list(v, r, v->c->max_stack, &f->stack, &f->stack_count);
}

// Reads one frame; f starts as the frame before it, without its stack. *delta: offset_delta.
static bool read_frame(Verifier *v, MapReader *r, MapFrame *f, uint32_t *delta)
{
    uint32_t type = 0;
    if (!read_u1(v, r, &type))
        return false;
    if (type <= SAME_END) {
        *delta = type;
        return true;
    }
    if (type <= ITEM_END) {
        *delta = type - SAME_END - 1;
        return read_one_stack_item(v, r, f);
    }
    if (!read_u2(v, r, delta))
        return false;
    if (type < ITEM_EXTENDED)
        return verify_stackmap_fail(v, "reserved frame type");
    if (type == ITEM_EXTENDED)
        return read_one_stack_item(v, r, f);
    if (type < SAME_EXTENDED)
        return chop(v, f, SAME_EXTENDED - type);
    if (type == SAME_EXTENDED)
        return true;
    if (type <= APPEND_END)
        return append(v, r, f, type - SAME_EXTENDED);
    return read_full(v, r, f);
}

static bool holds_uninit_this(const MapFrame *f)
{
    for (uint32_t i = 0; i < f->local_count; i++) {
        if (VT_KIND(f->locals[i]) == VT_UNINIT_THIS)
            return true;
    }
    return false;
}

// The implicit first frame: the locals on entry, without the unused ones behind the arguments.
static MapFrame entry_frame(Verifier *v)
{
    MapFrame f = {0};
    uint32_t n = v->c->max_locals;
    while (n > 0 && v->locals[n - 1] == VT_TOP)
        n--;
    VType *locals = arena_alloc(&v->method_arena, n * sizeof(VType));
    memcpy(locals, v->locals, n * sizeof(VType));
    f.locals = locals;
    f.local_count = n;
    return f;
}

bool stackmap_read(Verifier *v)
{
    v->map_count = v->next_map = 0;
    Bytes body = v->stack_map;
    if (body.p == NULL)
        return true;
    MapReader r = {body.p, body.p + body.len};
    uint32_t count = 0;
    if (!read_u2(v, &r, &count))
        return false;
    if (count > body.len)
        return verify_stackmap_fail(v, "access beyond the end of attribute");
    v->maps = arena_alloc(&v->method_arena, count * sizeof(MapFrame));
    MapFrame f = entry_frame(v);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t delta = 0;
        f.stack_count = 0;
        if (!read_frame(v, &r, &f, &delta))
            return false;
        f.bci = i == 0 ? delta : f.bci + delta + 1;
        f.this_uninit = holds_uninit_this(&f);
        v->maps[v->map_count++] = f;
        if (f.bci >= v->c->code_len || v->code_map[f.bci] == MAP_NONE)
            return v->status == VERIFY_OK
                   && verify_fail(v, &(VError){.reason = REASON_BAD_MAP, .map = &v->maps[i]},
                                  "StackMapTable error: bad offset");
    }
    if (r.p != r.end)
        return verify_stackmap_fail(v, "wrong attribute size");
    return v->status == VERIFY_OK;
}

const MapFrame *stackmap_at(const Verifier *v, uint32_t bci)
{
    uint32_t low = 0, high = v->map_count;
    while (low < high) {
        uint32_t mid = (low + high) / 2;
        if (v->maps[mid].bci < bci)
            low = mid + 1;
        else
            high = mid;
    }
    return low < v->map_count && v->maps[low].bci == bci ? &v->maps[low] : NULL;
}
