// SPDX-License-Identifier: Apache-2.0
// See compiled_decode.h.
#include "interp/compiled_decode.h"

#include "base/alloc.h"
#include "frame/held_monitors.h"
#include "heap/heap.h"
#include "interp/field_access.h"

static const SavedRegisters *registers_of(const CompiledAt *at)
{
    return at->site->kind == SITE_CALL ? NULL : compiled_registers(at->code, at->rbp);
}

// ---- objects that the code has not made ----

typedef struct Made {
    uint32_t count;
    uint32_t numbers[CODE_VIRTUALS_MAX];
    Object *objects[CODE_VIRTUALS_MAX];
} Made;

static Object *find_made(const Made *made, uint32_t number)
{
    uint32_t i = 0;
    while (i < made->count && made->numbers[i] != number)
        i++;
    VM_CHECK(i < made->count);
    return made->objects[i];
}

static Slot slot_of(const CompiledAt *at, const Made *made, CodeValue v)
{
    if (v.place == PLACE_VIRTUAL)
        return (Slot){.ref = find_made(made, v.index)};
    return compiled_value(at->code, v, at->rbp, registers_of(at));
}

// An object in the values of the code, from `at` on: its number, its class, its fields.
typedef struct Unmade {
    uint32_t at;
    const Class *cls;
    const Object *cache; // of boxes; NULL: it is none
    const Field *fields[CODE_VIRTUAL_FIELDS_MAX];
    uint32_t count;
} Unmade;

static Unmade read_unmade(const CompiledCode *code, uint32_t at)
{
    VM_ASSERT(code->values[at].place == PLACE_VIRTUAL);
    Unmade u = {.at = at};
    uint64_t origin = code->constants[code->values[at + 1].index];
    u.cache =
        code->values[at + 1].place == PLACE_HANDLE ? deref((jobject)(uintptr_t)origin) : NULL;
    u.cls = u.cache ? object_class(u.cache)->element : (const Class *)(uintptr_t)origin;
    bool known = class_instance_fields(u.cls, CODE_VIRTUAL_FIELDS_MAX, u.fields, &u.count);
    VM_CHECK(known);
    return u;
}

static int64_t boxed_value(const Object *box, const Field *value)
{
    Slot at[2] = {0};
    field_push(at, box, value);
    return kind_is_wide(value->kind) ? at[0].l : at[0].i;
}

// What valueOf gives of a value for which there is a box already, of consecutive values.
static Object *old_box(const CompiledAt *at, const Unmade *u)
{
    VM_ASSERT(u->count == 1);
    Slot v = compiled_value(at->code, at->code->values[u->at + 2], at->rbp, registers_of(at));
    int64_t first = boxed_value(array_get_ref(u->cache, 0), u->fields[0]);
    int64_t index = (kind_is_wide(u->fields[0]->kind) ? v.l : v.i) - first;
    return index >= 0 && index < array_length(u->cache)
               ? array_get_ref(u->cache, (int32_t)index)
               : NULL;
}

static void make_object(Thread *t, const CompiledAt *at, const Unmade *u, Made *made)
{
    Object *o = u->cache ? old_box(at, u) : NULL;
    made->numbers[made->count] = at->code->values[u->at].index;
    made->objects[made->count++] =
        o ? o : heap_alloc_still(mutator_of(t), (Layout *)(uintptr_t)&u->cls->layout);
}

static void fill_object(Thread *t, const CompiledAt *at, const Unmade *u, Made *made)
{
    (void)t;
    Object *o = find_made(made, at->code->values[u->at].index);
    for (uint32_t i = 0; i < u->count; i++)
        field_store(o, u->fields[i], slot_of(at, made, at->code->values[u->at + 2 + i]));
}

// What the state of the frame's site says of them, each made before one is filled: they may hold one another. NO_GC: nobody but `made`
// knows of them.
static void make_objects(Thread *t, const CompiledAt *at, Made *made)
{
    static void (*const passes[])(Thread *, const CompiledAt *, const Unmade *,
                                  Made *) = {make_object, fill_object};
    const CompiledCode *code = at->code;
    uint32_t first = code->states[at->site->state].virtuals_at;
    uint32_t count = first ? code->values[first].index : 0;
    VM_ASSERT(count <= CODE_VIRTUALS_MAX);
    made->count = 0;
    for (size_t pass = 0; pass < ARRAY_LEN(passes); pass++)
        for (uint32_t i = 0, v = first + 1; i < count; i++) {
            const Unmade u = read_unmade(code, v);
            passes[pass](t, at, &u, made);
            v += 2 + u.count;
        }
}

size_t compiled_unmade_bytes(const CompiledCode *code, uint32_t first)
{
    size_t bytes = 0;
    for (uint32_t i = 0, v = first + 1; i < code->values[first].index; i++) {
        const Unmade u = read_unmade(code, v);
        bytes += u.cls->layout.instance_size;
        v += 2 + u.count;
    }
    return bytes;
}

// The monitors of those that the frame holds, from the newest on.
static void hold_made(Thread *t, const CompiledAt *at, const Made *made)
{
    for (uint32_t state = at->site->state; state != CODE_NO_STATE;) {
        const CodeState *s = &at->code->states[state];
        const CodeValue *locks = &at->code->values[s->operands_at + s->depth];
        for (uint32_t i = s->locks; i-- > 0;)
            if (locks[i].place == PLACE_VIRTUAL)
                held_made(t, at->rbp, find_made(made, locks[i].index));
        state = at->code->scopes[s->scope].caller;
    }
}

// ---- frames ----

static void decode_slots(const CompiledAt *at, const Made *made, uint32_t first, uint32_t count,
                         Slot *to)
{
    for (uint32_t i = 0; i < count; i++)
        to[i] = slot_of(at, made, at->code->values[first + i]);
}

static uint32_t lock_flags(const Method *m, uint32_t locks)
{
    uint32_t method = m->access & ACC_SYNCHRONIZED && locks > 0;
    return method * FRAME_LOCKED + (locks - method) * FRAME_BLOCK_MONITOR;
}

static Method *method_of(const CompiledCode *code, const CodeState *s)
{
    return code->scopes[s->scope].method;
}

// The frame of a state above `prev`.
static Frame *decode_state(Thread *t, const CompiledAt *at, const Made *made,
                           const CodeState *s, Frame *prev)
{
    Method *m = method_of(at->code, s);
    VM_ASSERT(s->locals == m->max_locals && s->depth <= m->max_stack);
    Slot *locals = prev->sp;
    Frame *f = (Frame *)(void *)(locals + s->locals);
    Slot *operands = frame_operands(f);
    decode_slots(at, made, s->locals_at, s->locals, locals);
    decode_slots(at, made, s->operands_at, s->depth, operands);
    *f = (Frame){.prev = prev,
                 .method = m,
                 .pc = method_insn_at(m, s->bci),
                 .flags = lock_flags(m, s->locks)
                          | (s->kind == CODE_LEAVING ? FRAME_EXIT_POSTED : 0u),
                 .locals = locals,
                 .sp = operands + s->depth,
                 .id = t->last_frame_id += FRAME_ID_STEP};
    VM_ASSERT(f->pc);
    return f;
}

// With those that it is inlined in, the oldest first.
static Frame *decode_from(Thread *t, const CompiledAt *at, const Made *made, uint32_t state,
                          Frame *prev)
{
    const CodeState *s = &at->code->states[state];
    uint32_t caller = at->code->scopes[s->scope].caller;
    if (caller != CODE_NO_STATE)
        prev = decode_from(t, at, made, caller, prev);
    return decode_state(t, at, made, s, prev);
}

Frame *compiled_decode(Thread *t, const CompiledAt *at, Frame *prev)
{
    VM_ASSERT(at->site->state != CODE_NO_STATE && !compiled_parked(at->code, at->rbp));
    Made made;
    make_objects(t, at, &made);
    hold_made(t, at, &made);
    return decode_from(t, at, &made, at->site->state, prev);
}

// ---- parked frames ----

// Bytes of the frames of a state and of those that it is inlined in.
static size_t bytes_from(const CompiledCode *code, uint32_t state)
{
    size_t bytes = 0;
    while (state != CODE_NO_STATE) {
        const CodeState *s = &code->states[state];
        bytes += sizeof(Frame) + (s->locals + s->depth) * sizeof(Slot);
        state = code->scopes[s->scope].caller;
    }
    return bytes;
}

static FrameId id_in_code(const CompiledAt *at, uint32_t scope)
{
    FrameCursor c = {.compiled = {.code = at->code, .scope = scope, .rbp = at->rbp}};
    return compiled_frame_id(&c);
}

ParkedFrame *compiled_park(Thread *t, const CompiledCode *code, const CodeSite *site,
                           uintptr_t rbp)
{
    ASSERT_STILL(t);
    CompiledAt at = {code, site, rbp};
    ParkedFrame *p = vm_malloc(sizeof *p + bytes_from(code, site->state));
    *p = (ParkedFrame){
        .older = {.flags = FRAME_ENTRY | FRAME_COMPILED, .sp = frame_operands(&p->older)}};
    p->youngest = compiled_decode(t, &at, &p->older);
    uint32_t state = site->state;
    for (Frame *f = p->youngest; f != &p->older; f = f->prev) {
        f->id |= PARKED_ID;
        f->compiled_id = id_in_code(&at, code->states[state].scope);
        state = code->scopes[code->states[state].scope].caller;
    }
    return p;
}

Frame *compiled_unpark(const ParkedFrame *parked, Frame *prev)
{
    const char *from = (const char *)(&parked->older + 1);
    ptrdiff_t by = (char *)prev->sp - from;
    memcpy(prev->sp, from, (size_t)((const char *)parked->youngest->sp - from));
    Frame *youngest = (Frame *)(void *)((char *)parked->youngest + by), *f = youngest;
    for (;;) {
        bool is_oldest = f->prev == &parked->older;
        f->locals = (Slot *)(void *)((char *)f->locals + by);
        f->sp = (Slot *)(void *)((char *)f->sp + by);
        f->prev = is_oldest ? prev : (Frame *)(void *)((char *)f->prev + by);
        if (is_oldest)
            break;
        f = f->prev;
    }
    return youngest;
}
