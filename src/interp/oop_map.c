// SPDX-License-Identifier: Apache-2.0
// Which slots of an interpreted frame hold references: found by abstract interpretation of the
// method's bytecodes, once a method, and kept as one bit a slot for each instruction that was
// asked for.
//
// A slot's abstract value is UNSET (on every way), REF, WIDE (a long or double, the slot that
// holds it), NUMBER (any other, also the slot behind a wide one, and what differs between two
// ways), or the return address of a jsr. Subroutines (class files before 51)
// are followed once for each jsr that enters them: a state belongs to (instruction, return
// addresses it holds), and a frame's state is the one whose return addresses the frame really
// has. Runs while the world is stopped or in the owning thread; the cache is guarded by a
// mutex.
#include "interp/oop_map.h"

// SlotKind, and RETURN + n: return address of the jsr before instruction n
enum {
    UNSET = SLOT_UNSET,
    NUMBER = SLOT_NUMBER,
    WIDE = SLOT_WIDE,
    REF = SLOT_REF,
    RETURN = SLOT_RETURN
};
typedef uint32_t Value;

typedef struct State {  // before an instruction
    struct State *next; // other contexts of the same instruction
    uint32_t insn;
    uint16_t depth;
    bool queued;
    Value values[]; // locals, then operands
} State;

typedef struct Analysis { // Method.oop_maps
    State **at;           // by instruction index
    uint32_t locals, width;
} Analysis;

typedef struct Flow {
    Method *m;
    Insn *code;
    Analysis *a;
    VEC(State *) work;
    Value *v; // values of the instruction being run
    uint32_t depth;
} Flow;

static Mutex maps_lock = MUTEX_INIT(RANK_CODE);

static bool same_context(const State *s, const Value *v, uint32_t width)
{
    for (uint32_t i = 0; i < width; i++)
        if ((s->values[i] >= RETURN || v[i] >= RETURN) && s->values[i] != v[i])
            return false;
    return true;
}

// Merges the current values into the state of instruction `to`.
static void flow_to(Flow *f, uint32_t to)
{
    uint32_t width = f->a->locals + f->depth;
    bool has_jsr = f->m->flags & METHOD_HAS_JSR;
    State *s = f->a->at[to];
    while (s && has_jsr && !(s->depth == f->depth && same_context(s, f->v, width)))
        s = s->next;
    bool changed = !s;
    if (!s) {
        s = vm_calloc(1, sizeof *s + f->a->width * sizeof(Value));
        s->insn = to;
        s->depth = (uint16_t)f->depth;
        memcpy(s->values, f->v, width * sizeof(Value));
        s->next = f->a->at[to];
        f->a->at[to] = s;
    } else {
        for (uint32_t i = 0; i < width; i++) {
            if (s->values[i] != f->v[i] && s->values[i] != NUMBER) {
                s->values[i] = NUMBER;
                changed = true;
            }
        }
    }
    if (changed && !s->queued) {
        s->queued = true;
        vec_push(&f->work, s);
    }
}

static void push(Flow *f, Value v)
{
    VM_CHECK(f->a->locals + f->depth < f->a->width);
    f->v[f->a->locals + f->depth++] = v;
}
static Value pop(Flow *f)
{
    VM_CHECK(f->depth > 0);
    return f->v[f->a->locals + --f->depth];
}
// What a value of a kind, of a descriptor or of bytecode_info's effects, makes of its slot.
static Value value_of_kind(char kind)
{
    if (kind == 'L' || kind == '[' || kind == 'A')
        return REF;
    return kind == 'J' || kind == 'D' || kind == 'W' ? WIDE : NUMBER;
}
static void push_value(Flow *f, Value v)
{
    push(f, v);
    if (v == WIDE)
        push(f, NUMBER);
}
static void push_kind(Flow *f, char kind)
{
    if (kind != 'V')
        push_value(f, value_of_kind(kind));
}
static void pop_kind(Flow *f, char kind)
{
    pop(f);
    if (value_of_kind(kind) == WIDE)
        pop(f);
}
static void set_local(Flow *f, int32_t i, Value v)
{
    if (i > 0 && f->v[i - 1] == WIDE)
        f->v[i - 1] = NUMBER; // its second half is overwritten
    f->v[i] = v;
    if (v == WIDE)
        f->v[i + 1] = NUMBER;
}

static Bytes member_descriptor(const ClassFile *cf, uint16_t index)
{
    return cf_utf8(cf, cf_name_and_type(cf, index).nat.type);
}

static void run_call(Flow *f, uint8_t bc, uint16_t index)
{
    Bytes desc = member_descriptor(f->m->pool->cf, index);
    MethodShape shape = descriptor_method_shape((const char *)desc.p, desc.len);
    uint32_t words = shape.arg_words + (bc != BC_invokestatic && bc != BC_invokedynamic);
    VM_CHECK(f->depth >= words);
    f->depth -= words;
    push_kind(f, shape.ret);
}

static void run_field(Flow *f, uint8_t bc, uint16_t index)
{
    char kind = (char)member_descriptor(f->m->pool->cf, index).p[0];
    if (bc == BC_putfield || bc == BC_putstatic)
        pop_kind(f, kind);
    if (bc == BC_getfield || bc == BC_putfield)
        pop(f);
    if (bc == BC_getfield || bc == BC_getstatic)
        push_kind(f, kind);
}

static void run_ldc(Flow *f, uint16_t index)
{
    const ClassFile *cf = f->m->pool->cf;
    switch (cf_tag(cf, index)) {
    case CP_INTEGER:
    case CP_FLOAT: push(f, NUMBER); break;
    case CP_LONG:
    case CP_DOUBLE: push_kind(f, 'J'); break;
    case CP_DYNAMIC: push_kind(f, (char)member_descriptor(cf, index).p[0]); break;
    default: push(f, REF); break;
    }
}

// dup_x and friends: inserts copies of the top `count` values below `below` more.
static void run_dup(Flow *f, uint32_t count, uint32_t below)
{
    Value taken[4];
    for (uint32_t i = 0; i < count + below; i++)
        taken[i] = pop(f); // taken[0] was on top
    for (uint32_t i = count; i-- > 0;)
        push(f, taken[i]);
    for (uint32_t i = count + below; i-- > count;)
        push(f, taken[i]);
    for (uint32_t i = count; i-- > 0;)
        push(f, taken[i]);
}

static void run_by_effect(Flow *f, uint8_t bc)
{
    const char *effect = bytecode_info[bc].effect, *arrow = strchr(effect, '>');
    for (const char *p = arrow; p-- > effect;)
        pop_kind(f, *p);
    for (const char *p = arrow + 1; *p; p++)
        push_kind(f, *p);
}

// The local an instruction addresses; its own bytes say it, since decoding folds forms.
static int32_t local_index(const uint8_t *p)
{
    if (p[0] == BC_wide)
        return get_u2(p + 2);
    if (p[0] >= BC_iload_0 && p[0] <= BC_aload_3)
        return (p[0] - BC_iload_0) % 4;
    if (p[0] >= BC_istore_0 && p[0] <= BC_astore_3)
        return (p[0] - BC_istore_0) % 4;
    return p[1];
}

static void run_local(Flow *f, uint8_t bc, const uint8_t *p)
{
    int32_t i = local_index(p);
    bool load = bc >= BC_iload && bc <= BC_aload_3;
    uint8_t kind =
        load ? (bc >= BC_iload_0 ? (uint8_t)((bc - BC_iload_0) / 4) : (uint8_t)(bc - BC_iload))
             : (bc >= BC_istore_0 ? (uint8_t)((bc - BC_istore_0) / 4)
                                  : (uint8_t)(bc - BC_istore));
    Value v = value_of_kind("IJFDA"[kind]);
    if (load) {
        push_value(f, v);
    } else {
        if (v == WIDE)
            pop(f);
        Value stored = pop(f);
        set_local(f, i, v == REF ? stored : v); // astore also moves return addresses
    }
}

static void run_switch(Flow *f, const Insn *in, uint32_t at)
{
    const SwitchTable *t = in->p;
    pop(f);
    for (int32_t i = 0; i < t->count; i++)
        flow_to(f, at + (uint32_t)t->targets[i]);
    flow_to(f, at + (uint32_t)t->default_target);
}

static void run_stack(Flow *f, uint8_t bc)
{
    switch (bc) {
    case BC_pop: pop(f); break;
    case BC_pop2:
        pop(f);
        pop(f);
        break;
    case BC_dup: run_dup(f, 1, 0); break;
    case BC_dup_x1: run_dup(f, 1, 1); break;
    case BC_dup_x2: run_dup(f, 1, 2); break;
    case BC_dup2: run_dup(f, 2, 0); break;
    case BC_dup2_x1: run_dup(f, 2, 1); break;
    case BC_dup2_x2: run_dup(f, 2, 2); break;
    default: { // swap
        Value x = pop(f), y = pop(f);
        push(f, x);
        push(f, y);
    }
    }
}

// Applies an instruction to the current values; false when it does not fall through.
static bool run_insn(Flow *f, uint32_t at)
{
    const Insn *in = &f->code[at];
    const uint8_t *p = method_bytecodes(f->m) + in->bci;
    uint8_t bc = p[0] == BC_wide ? p[1] : p[0];
    if ((bc >= BC_iload && bc <= BC_aload_3) || (bc >= BC_istore && bc <= BC_astore_3)) {
        run_local(f, bc, p);
    } else if (bc == BC_ldc || bc == BC_ldc_w || bc == BC_ldc2_w) {
        run_ldc(f, bc == BC_ldc ? p[1] : get_u2(p + 1));
    } else if (bc >= BC_pop && bc <= BC_swap) {
        run_stack(f, bc);
    } else if (bc >= BC_getstatic && bc <= BC_putfield) {
        run_field(f, bc, get_u2(p + 1));
    } else if (bytecode_info[bc].flags & BCF_CALL) {
        run_call(f, bc, get_u2(p + 1));
    } else if (bc == BC_multianewarray) {
        f->depth -= p[3];
        push(f, REF);
    } else if (bc == BC_tableswitch || bc == BC_lookupswitch) {
        run_switch(f, in, at);
        return false;
    } else if (bc == BC_jsr || bc == BC_jsr_w) {
        push(f, RETURN + at + 1);
        flow_to(f, at + (uint32_t)in->a);
        return false;
    } else if (bc == BC_ret) {
        Value address = f->v[local_index(p)];
        VM_CHECK(address >= RETURN);
        f->v[local_index(p)] = UNSET;
        flow_to(f, address - RETURN);
        return false;
    } else {
        run_by_effect(f, bc);
        if (bytecode_info[bc].flags & BCF_BRANCH)
            flow_to(f, at + (uint32_t)in->a);
    }
    return !(bytecode_info[bc].flags & BCF_END);
}

static void flow_to_handlers(Flow *f, const State *s)
{
    CodeInfo code = method_code(f->m);
    uint16_t bci = f->code[s->insn].bci;
    for (int i = 0; i < code.exception_count; i++) {
        ExceptionEntry e = code_exception(&code, (uint32_t)i);
        if (bci < e.start_pc || bci >= e.end_pc)
            continue;
        memcpy(f->v, s->values, f->a->locals * sizeof(Value));
        f->depth = 0;
        push(f, REF);
        flow_to(f, (uint32_t)(method_insn_at(f->m, e.handler_pc) - f->code));
    }
}

static void set_entry_values(Flow *f)
{
    uint32_t i = 0;
    if (!method_is_static(f->m))
        f->v[i++] = REF;
    const char *p = f->m->desc->s + 1, *start;
    size_t len;
    for (char kind; (kind = descriptor_next(&p, &start, &len)) != 0;
         i += kind == 'J' || kind == 'D' ? 2 : 1)
        set_local(f, (int32_t)i, value_of_kind(kind));
}

static Analysis *analyse(Method *m)
{
    Flow f = {.m = m, .code = atomic_load_explicit(&m->code, memory_order_acquire)};
    Analysis *a = f.a = vm_calloc(1, sizeof *a);
    a->locals = m->max_locals;
    a->width = m->max_locals + m->max_stack + 2u;
    a->at = vm_calloc(m->insn_count, sizeof *a->at);
    f.v = vm_calloc(a->width, sizeof *f.v);
    set_entry_values(&f);
    flow_to(&f, 0);
    while (f.work.len) {
        State *s = f.work.at[--f.work.len];
        s->queued = false;
        flow_to_handlers(&f, s);
        memcpy(f.v, s->values, (a->locals + s->depth) * sizeof(Value));
        f.depth = s->depth;
        if (run_insn(&f, s->insn))
            flow_to(&f, s->insn + 1);
    }
    vec_free(&f.work);
    vm_free(f.v);
    return a;
}

static const State *state_of(const Analysis *a, const Frame *f)
{
    const Insn *code = atomic_load_explicit(&f->method->code, memory_order_acquire);
    const State *s = a->at[f->pc - code];
    for (; s && s->next; s = s->next) {
        bool fits = true;
        for (uint32_t i = 0; i < a->locals + s->depth && fits; i++) {
            const Slot *slot =
                i < a->locals ? &f->locals[i] : frame_operands((Frame *)f) + (i - a->locals);
            fits = s->values[i] < RETURN || slot->p == code + (s->values[i] - RETURN);
        }
        if (fits)
            return s;
    }
    return s;
}

static Analysis *analysis_of(Method *m)
{
    Analysis *a = atomic_load_explicit(&m->oop_maps, memory_order_acquire);
    if (!a) {
        mutex_lock(&maps_lock);
        a = atomic_load_explicit(&m->oop_maps, memory_order_acquire);
        if (!a) {
            a = analyse(m);
            atomic_store_explicit(&m->oop_maps, a, memory_order_release);
        }
        mutex_unlock(&maps_lock);
    }
    return a;
}

static Value local_value(const Frame *f, uint32_t slot)
{
    const Analysis *a = analysis_of(f->method);
    const State *s = state_of(a, f);
    return s && slot < a->locals ? s->values[slot] : UNSET;
}

bool frame_local_is_ref(const Frame *f, uint32_t slot)
{
    return local_value(f, slot) == REF;
}

bool frame_local_is_set(const Frame *f, uint32_t slot)
{
    return local_value(f, slot) != UNSET;
}

SlotKind frame_slot_kind(const Frame *f, uint32_t slot)
{
    const Analysis *a = analysis_of(f->method);
    const State *s = state_of(a, f);
    if (!s || slot >= a->locals + s->depth)
        return SLOT_UNSET;
    return (SlotKind)MIN_OF(s->values[slot], (Value)SLOT_RETURN);
}

uint32_t frame_depth(const Frame *f)
{
    const State *s = state_of(analysis_of(f->method), f);
    return s ? s->depth : 0;
}

OopMap oop_map_of(const Frame *f)
{
    const Analysis *a = analysis_of(f->method);
    const State *s = state_of(a, f);
    if (!s)
        vm_fatal("no oop map for %s.%s at %d", f->method->cls->name->s, f->method->name->s,
                 frame_bci(f));
    return (OopMap){s->values, a->locals, s->depth};
}

void method_free_oop_maps(Method *m)
{
    Analysis *a = m->oop_maps;
    for (uint32_t i = 0; a && i < m->insn_count; i++)
        for (State *s = a->at[i], *next; s; s = next) {
            next = s->next;
            vm_free(s);
        }
    if (a)
        vm_free(a->at);
    vm_free(a);
}
