// SPDX-License-Identifier: Apache-2.0
// Fields, elements, classes of objects. References in the heap have 32 bits (heap/object.h).
#include "class/class.h"
#include "class/loader.h"
#include "jit/runtime.h"
#include "jit/x86_64_emit.h"

// ---- references ----

void emit_widen(Emitter *e, X86Reg reg)
{
    x86_shl_r64_u8(&e->a, reg, 3);
    if (!heap_base)
        return;
    AsmLabel null = asm_label(&e->a);
    x86_j_cc_l8(&e->a, X86_E, null);
    x86_add_r64_r64(&e->a, reg, HEAP_BASE);
    asm_bind(&e->a, null);
}

void emit_narrow(Emitter *e, X86Reg from)
{
    Asm *a = &e->a;
    if (from != SCRATCH)
        x86_mov_r64_r64(a, SCRATCH, from);
    if (heap_base) {
        AsmLabel null = asm_label(a);
        x86_test_r64_r64(a, SCRATCH, SCRATCH);
        x86_j_cc_l8(a, X86_E, null);
        x86_sub_r64_r64(a, SCRATCH, HEAP_BASE);
        asm_bind(a, null);
    }
    x86_shr_r64_u8(a, SCRATCH, 3);
}

void emit_mark_card(Emitter *e, X86Mem at, X86Reg temporary)
{
    Asm *a = &e->a;
    uintptr_t cards = card_base;
    x86_lea_r64_m(a, temporary, at);
    x86_shr_r64_u8(a, temporary, CARD_SHIFT);
    if (cards <= INT32_MAX) {
        x86_mov_m8_i8(a, x86_mem(temporary, (int32_t)cards), CARD_DIRTY);
        return;
    }
    x86_movabs_r64_i64(a, SCRATCH, (int64_t)cards);
    x86_mov_m8_i8(a, x86_mem_index(SCRATCH, temporary, X86_TIMES_1, 0), CARD_DIRTY);
}

// ---- a value in memory, by the kind of its field or elements ----

void emit_load_kind(Emitter *e, char kind, uint8_t to, X86Mem from)
{
    Asm *a = &e->a;
    switch (kind) {
    case 'Z': x86_movzx_r32_m8(a, gpr(to), from); break;
    case 'B': x86_movsx_r32_m8(a, gpr(to), from); break;
    case 'C': x86_movzx_r32_m16(a, gpr(to), from); break;
    case 'S': x86_movsx_r32_m16(a, gpr(to), from); break;
    case 'I': x86_mov_r32_m32(a, gpr(to), from); break;
    case 'J': x86_mov_r64_m64(a, gpr(to), from); break;
    case 'F': x86_movss_x_m32(a, xmm(to), from); break;
    case 'D': x86_movsd_x_m64(a, xmm(to), from); break;
    default: x86_mov_r32_m32(a, gpr(to), from); emit_widen(e, gpr(to));
    }
}

// Whether node n stores into an object that was made before it in its block, with no safepoint in between: then it is young, or its cards
// are dirty (heap_expect_stores).
static bool stores_into_new(const Emitter *e, NodeId n)
{
    NodeId object = e->m->value[ir_inputs(e->g, ir_node(e->g, n))[0]];
    uint16_t op = ir_node(e->g, object)->op;
    if ((op != IR_New && op != IR_NewArray) || ir_info(ir_node(e->g, n))->flags & IRF_SAFEPOINT)
        return false;
    for (uint32_t at = e->m->position[n] / POSITIONS; at-- > 0 && e->m->line.at[at];) {
        if (e->m->line.at[at] == object)
            return true;
        if (ir_info(ir_node(e->g, e->m->line.at[at]))->flags & IRF_SAFEPOINT)
            return false;
    }
    return false;
}

static void store_register(Emitter *e, NodeId n, char kind, X86Mem to, uint8_t from)
{
    X86Reg temporary = gpr(temporary_register(e, n, 0));
    Asm *a = &e->a;
    switch (kind) {
    case 'B': x86_mov_m8_r8(a, to, gpr(from)); break;
    case 'C':
    case 'S': x86_mov_m16_r16(a, to, gpr(from)); break;
    case 'I': x86_mov_m32_r32(a, to, gpr(from)); break;
    case 'J': x86_mov_m64_r64(a, to, gpr(from)); break;
    case 'F': x86_movss_m32_x(a, to, xmm(from)); break;
    case 'D': x86_movsd_m64_x(a, to, xmm(from)); break;
    case 'Z':
        x86_mov_r32_r32(a, temporary, gpr(from));
        x86_and_r32_i8(a, temporary, 1);
        x86_mov_m8_r8(a, to, temporary);
        break;
    default:
        emit_narrow(e, gpr(from));
        x86_mov_m32_r32(a, to, SCRATCH);
        if (!stores_into_new(e, n))
            emit_mark_card(e, to, temporary);
    }
}

// null needs no card; a number that is stored whole needs no register.
static bool store_constant(Emitter *e, char kind, X86Mem to, NodeId constant)
{
    const Node *n = ir_node(e->g, constant);
    int64_t v = (int64_t)ir_value(e->g, n);
    Asm *a = &e->a;
    switch (kind) {
    case 'Z': x86_mov_m8_i8(a, to, v & 1); return true;
    case 'B': x86_mov_m8_i8(a, to, (int8_t)v); return true;
    case 'C':
    case 'S': x86_mov_m16_i16(a, to, (int16_t)v); return true;
    case 'I':
    case 'F': x86_mov_m32_i32(a, to, (int32_t)v); return true;
    case 'J':
    case 'D':
        if (v != (int32_t)v)
            return false;
        x86_mov_m64_i32(a, to, v);
        return true;
    default:
        VM_ASSERT(v == 0);
        x86_mov_m32_i32(a, to, 0);
        return true;
    }
}

void emit_store_input(Emitter *e, NodeId n, uint32_t i, char kind, X86Mem to)
{
    Location v = input_location(e, n, i);
    if (v.kind == AT_CONSTANT && store_constant(e, kind, to, v.index))
        return;
    store_register(e, n, kind, to, input_register(e, n, i));
}

// ---- fields ----

static char field_kind(const Field *f)
{
    return kind_is_reference(f->kind) ? 'A' : f->kind;
}

void emit_load_field(Emitter *e, NodeId n)
{
    const Field *f = ir_pointer(e->g, ir_node(e->g, n));
    X86Reg holder = gpr(input_register(e, n, 0));
    emit_load_kind(e, field_kind(f), result_register(e, n),
                   x86_mem(holder, (int32_t)f->offset));
}

void emit_store_field(Emitter *e, NodeId n)
{
    const Field *f = ir_pointer(e->g, ir_node(e->g, n));
    if (ir_is_const(e->g, input_of(e, n, 0))) { // null, behind a check that fails
        x86_ud2(&e->a);
        return;
    }
    emit_store_input(e, n, 1, field_kind(f),
                     x86_mem(gpr(input_register(e, n, 0)), (int32_t)f->offset));
}

// ---- elements ----

static X86Scale scale_of(char kind)
{
    switch (kind) {
    case 'B': return X86_TIMES_1;
    case 'C':
    case 'S': return X86_TIMES_2;
    case 'J':
    case 'D': return X86_TIMES_8;
    default: return X86_TIMES_4;
    }
}

// The index is known to be right: its upper bits are not, where it is in a register.
static X86Mem element(Emitter *e, NodeId n, char kind)
{
    X86Scale scale = scale_of(kind);
    X86Reg array = gpr(input_register(e, n, 0));
    Location index = input_location(e, n, 1);
    if (index.kind == AT_CONSTANT) {
        int32_t i = (int32_t)ir_value(e->g, ir_node(e->g, index.index));
        int64_t at = ARRAY_BASE + ((int64_t)(uint32_t)i << scale);
        if (i >= 0 && at == (int32_t)at)
            return x86_mem(array, (int32_t)at);
        if (i < 0)
            x86_ud2(&e->a); // behind a check that fails
        else
            emit_refuse(e, REFUSED_CODE);
        return x86_mem(array, 0);
    }
    return x86_mem_index(array, gpr((uint8_t)index.index), scale, ARRAY_BASE);
}

void emit_load_element(Emitter *e, NodeId n)
{
    char kind = (char)ir_node(e->g, n)->aux;
    if (ir_is_const(e->g, input_of(e, n, 0))) {
        x86_ud2(&e->a);
        return;
    }
    emit_load_kind(e, kind, result_register(e, n), element(e, n, kind));
}

// The declared type of a parameter, by the local that it comes in.
static Bytes type_of_param(const Graph *g, uint32_t slot)
{
    const IrSource *s = g->source;
    DescriptorWalk w = descriptor_walk((const char *)s->descriptor.p, s->descriptor.len,
                                       s->access & ACC_STATIC ? 0 : 1);
    while (descriptor_walk_next(&w))
        if (w.slot == slot)
            return (Bytes){(const uint8_t *)w.type, w.len};
    return (Bytes){0};
}

static bool is_byte_array_type(const char *type, size_t len)
{
    return len >= 2 && type[len - 2] == '[' && type[len - 1] == 'B'
           && (len == 2 || type[len - 3] == ')');
}

// Whether what a node gives is a byte[] or null, as it was made or is declared.
static bool is_byte_array(const Graph *g, NodeId id)
{
    const Node *n = ir_node(g, ir_unchecked(g, id));
    switch (n->op) {
    case IR_NewArray: return ir_pointer(g, n) == class_primitive_array('B');
    case IR_Param: {
        Bytes type = type_of_param(g, n->aux);
        return is_byte_array_type((const char *)type.p, type.len);
    }
    case IR_LoadField: {
        const Symbol *type = ((const Field *)ir_pointer(g, n))->desc;
        return is_byte_array_type(type->s, type->len);
    }
    case IR_CallStatic:
    case IR_CallExact:
    case IR_CallVirtual:
    case IR_CallInterface: {
        const Symbol *type = ((const Method *)ir_pointer(g, n))->desc;
        return is_byte_array_type(type->s, type->len);
    }
    default: return false;
    }
}

// A byte that goes into a boolean[] keeps its lowest bit. 0 and 1 have no other.
static void store_byte(Emitter *e, NodeId n, X86Mem to)
{
    Asm *a = &e->a;
    X86Reg value = gpr(temporary_register(e, n, 0));
    AsmLabel store = asm_label(a);
    int32_t constant;
    if (input_is_immediate(e, n, 2, &constant) && (constant & ~1) == 0) {
        x86_mov_m8_i8(a, to, constant);
        return;
    }
    if (is_byte_array(e->g, input_of(e, n, 0))) {
        emit_store_input(e, n, 2, 'B', to);
        return;
    }
    uint32_t boolean = layout_encode(&class_primitive_array('Z')->layout);
    emit_load(e, (uint8_t)value, input_location(e, n, 2));
    x86_cmp_m32_i32(a, x86_mem((X86Reg)to.base, offsetof(Object, klass)), (int32_t)boolean);
    x86_j_cc_l8(a, X86_NE, store);
    x86_and_r32_i8(a, value, 1);
    asm_bind(a, store);
    x86_mov_m8_r8(a, to, value);
}

void emit_store_element(Emitter *e, NodeId n)
{
    char kind = (char)ir_node(e->g, n)->aux;
    if (ir_is_const(e->g, input_of(e, n, 0))) {
        x86_ud2(&e->a);
        return;
    }
    X86Mem to = element(e, n, kind);
    if (kind == 'B')
        store_byte(e, n, to);
    else
        emit_store_input(e, n, 2, kind, to);
}

void emit_array_length(Emitter *e, NodeId n)
{
    X86Reg array = gpr(input_register(e, n, 0));
    x86_mov_r32_m32(&e->a, gpr(result_register(e, n)), x86_mem(array, ARRAY_LENGTH_OFFSET));
}

// ---- objects that the method names ----

void emit_handle(Emitter *e, NodeId n)
{
    const Node *node = ir_node(e->g, n);
    const void *p = ir_pointer(e->g, node);
    jobject handle = node->op == IR_Mirror ? ((const Class *)p)->mirror : (jobject)(uintptr_t)p;
    X86Reg to = gpr(result_register(e, n));
    uintptr_t slot = (uintptr_t)handle_slot(handle);
    if (slot <= INT32_MAX) {
        x86_mov_r64_m64(&e->a, to, x86_mem_absolute((int32_t)slot));
    } else {
        x86_movabs_r64_i64(&e->a, SCRATCH, (int64_t)slot);
        x86_mov_r64_m64(&e->a, to, x86_mem(SCRATCH, 0));
    }
}

// ---- classes ----

static void load_address(Emitter *e, X86Reg to, uintptr_t address)
{
    if (address <= UINT32_MAX)
        x86_mov_r32_i32(&e->a, to, (int32_t)(uint32_t)address);
    else
        x86_movabs_r64_i64(&e->a, to, (int64_t)address);
}

void emit_load_class(Emitter *e, X86Reg to, X86Reg object)
{
    if (class_space_base == 0) {
        x86_mov_r32_m32(&e->a, to, x86_mem(object, offsetof(Object, klass)));
        x86_shl_r64_u8(&e->a, to, 3);
        return;
    }
    x86_mov_r32_m32(&e->a, SCRATCH, x86_mem(object, offsetof(Object, klass)));
    load_address(e, to, class_space_base);
    x86_lea_r64_m(&e->a, to, x86_mem_index(to, SCRATCH, X86_TIMES_8, 0));
}

// Walks `count` classes at `list`, from the last on, until one is `wanted`; else to `no`.
static void search_list(Emitter *e, X86Reg wanted, X86Reg list, X86Reg count, AsmLabel no)
{
    Asm *a = &e->a;
    AsmLabel next = asm_label(a);
    asm_bind(a, next);
    x86_sub_r32_i8(a, count, 1);
    x86_j_cc_l32(a, X86_B, no);
    x86_cmp_m64_r64(a, x86_mem_index(list, count, X86_TIMES_8, 0), wanted);
    x86_jcc(a, X86_NE, next);
}

// Walks superclasses until one is in SCRATCH; else to `no`.
static void search_supers(Emitter *e, X86Reg from, AsmLabel no)
{
    Asm *a = &e->a;
    AsmLabel next = asm_label(a);
    asm_bind(a, next);
    x86_mov_r64_m64(a, from, x86_mem(from, offsetof(Class, super)));
    x86_test_r64_r64(a, from, from);
    x86_j_cc_l32(a, X86_E, no);
    x86_cmp_r64_r64(a, from, SCRATCH);
    x86_jcc(a, X86_NE, next);
}

static X86Mem in_display(X86Reg cls, const Class *c)
{
    return x86_mem(cls, (int32_t)(offsetof(Class, display) + c->depth * sizeof(Class *)));
}

static void load_interfaces(Emitter *e, X86Reg list, X86Reg count, X86Reg cls)
{
    x86_movzx_r32_m16(&e->a, count, x86_mem(cls, offsetof(Class, all_interface_count)));
    x86_mov_r64_m64(&e->a, list, x86_mem(cls, offsetof(Class, all_interfaces)));
}

// Goes on behind where the Class in `one` is c, which is no array, or a subclass or an implementation of it; else to `no`.
static void test_loaded_class(Emitter *e, const Class *c, X86Reg one, X86Reg other, AsmLabel no)
{
    Asm *a = &e->a;
    load_address(e, SCRATCH, (uintptr_t)c);
    if (c->depth < ARRAY_LEN(c->display) && !class_is_interface(c)) {
        x86_cmp_m64_r64(a, in_display(one, c), SCRATCH);
        x86_j_cc_l32(a, X86_NE, no);
        return;
    }
    AsmLabel yes = asm_label(a);
    x86_cmp_r64_r64(a, one, SCRATCH);
    x86_j_cc_l32(a, X86_E, yes);
    if (class_is_interface(c)) {
        load_interfaces(e, one, other, one);
        search_list(e, SCRATCH, one, other, no);
    } else {
        search_supers(e, one, no);
    }
    asm_bind(a, yes);
}

static void compare_class(Emitter *e, X86Reg object, const Class *c)
{
    x86_cmp_m32_i32(&e->a, x86_mem(object, offsetof(Object, klass)),
                    (int32_t)layout_encode(&c->layout));
}

// Goes on behind where the object, not null, is an instance of c; else to `no`.
static void test_class(Emitter *e, X86Reg object, const Class *c, X86Reg one, X86Reg other,
                       AsmLabel no)
{
    Asm *a = &e->a;
    if (!class_is_array(c)) {
        emit_load_class(e, one, object);
        test_loaded_class(e, c, one, other, no);
        return;
    }
    AsmLabel yes = asm_label(a);
    compare_class(e, object, c);
    x86_j_cc_l32(a, X86_E, yes);
    emit_load_class(e, one, object);
    for (; class_is_array(c); c = c->element) {
        x86_cmp_m8_i8(a, x86_mem(one, offsetof(Class, kind)), '[');
        x86_j_cc_l32(a, X86_NE, no);
        x86_mov_r64_m64(a, one, x86_mem(one, offsetof(Class, element)));
    }
    test_loaded_class(e, c, one, other, no);
    asm_bind(a, yes);
}

// Goes on behind where the input of node n, not null, is an instance of the class that n names; else to `no`.
static void test_input(Emitter *e, NodeId n, AsmLabel no)
{
    const Node *node = ir_node(e->g, n);
    const Class *c = ir_pointer(e->g, node);
    X86Reg object = gpr(input_register(e, n, 0));
    if (machine_tests_one_class(e->g, node)) {
        compare_class(e, object, c);
        x86_j_cc_l32(&e->a, X86_NE, no);
    } else {
        test_class(e, object, c, gpr(temporary_register(e, n, 0)),
                   gpr(temporary_register(e, n, 1)), no);
    }
}

void emit_type_check(Emitter *e, NodeId n)
{
    if (ir_is_const(e->g, input_of(e, n, 0)))
        return; // null is all
    X86Reg object = gpr(input_register(e, n, 0));
    AsmLabel null = asm_label(&e->a);
    if (!ir_is_not_null(e->g, ir_node(e->g, n)->in[0])) {
        x86_test_r64_r64(&e->a, object, object);
        x86_j_cc_l32(&e->a, X86_E, null);
    }
    test_input(e, n, emit_deopt_label(e, n));
    asm_bind(&e->a, null);
}

void emit_instance_of(Emitter *e, NodeId n)
{
    if (ir_is_const(e->g, input_of(e, n, 0))) { // null is none
        x86_xor_r32_r32(&e->a, gpr(result_register(e, n)), gpr(result_register(e, n)));
        return;
    }
    X86Reg object = gpr(input_register(e, n, 0)), to = gpr(result_register(e, n));
    AsmLabel no = asm_label(&e->a), done = asm_label(&e->a);
    x86_test_r64_r64(&e->a, object, object);
    x86_j_cc_l32(&e->a, X86_E, no);
    test_input(e, n, no);
    x86_mov_r32_i32(&e->a, to, 1);
    x86_jmp_l8(&e->a, done);
    asm_bind(&e->a, no);
    x86_xor_r32_r32(&e->a, to, to);
    asm_bind(&e->a, done);
}

void emit_has_class_flags(Emitter *e, NodeId n)
{
    compare_class(e, gpr(input_register(e, n, 0)), ir_pointer(e->g, ir_node(e->g, n)));
}

void emit_has_class(Emitter *e, NodeId n)
{
    X86Reg to = gpr(result_register(e, n));
    emit_has_class_flags(e, n);
    x86_set_cc_r8(&e->a, X86_E, to);
    x86_movzx_r32_r8(&e->a, to, to);
}

// The class of the array's elements is only known there: what is not found at once is searched for behind all else.
void emit_store_check(Emitter *e, NodeId n)
{
    Asm *a = &e->a;
    if (ir_is_const(e->g, input_of(e, n, 0)))
        return; // null fits
    X86Reg value = gpr(input_register(e, n, 0)), array = gpr(input_register(e, n, 1));
    X86Reg wanted = gpr(temporary_register(e, n, 0)), cls = gpr(temporary_register(e, n, 1));
    const Cold slow = {.kind = COLD_STORE_CHECK,
                       .label = asm_label(a),
                       .back = asm_label(a),
                       .node = n,
                       .at = e->at,
                       .state = note_state(e, n, e->at, STATE_AS_IT_IS)};
    vec_push(&e->cold, slow);
    x86_test_r64_r64(a, value, value);
    x86_j_cc_l32(a, X86_E, slow.back);
    emit_load_class(e, wanted, array);
    x86_mov_r64_m64(a, wanted, x86_mem(wanted, offsetof(Class, element)));
    emit_load_class(e, cls, value);
    x86_cmp_r64_r64(a, cls, wanted);
    x86_j_cc_l32(a, X86_E, slow.back);
    x86_movzx_r32_m8(a, SCRATCH, x86_mem(wanted, offsetof(Class, depth)));
    x86_cmp_r32_i8(a, SCRATCH, ARRAY_LEN(((Class *)NULL)->display));
    x86_j_cc_l32(a, X86_AE, slow.label);
    x86_cmp_m64_r64(a, x86_mem_index(cls, SCRATCH, X86_TIMES_8, offsetof(Class, display)),
                    wanted);
    x86_j_cc_l32(a, X86_NE, slow.label);
    asm_bind(a, slow.back);
}

// `wanted` may be an interface; what it is else the VM knows.
void emit_cold_store_check(Emitter *e, const Cold *c)
{
    Asm *a = &e->a;
    X86Reg wanted = gpr(temporary_register(e, c->node, 0)),
           cls = gpr(temporary_register(e, c->node, 1));
    AsmLabel ask = asm_label(a);
    x86_mov_m64_r64(a, x86_mem(RSP, 0), cls);
    x86_mov_m64_r64(a, x86_mem(RSP, WORD_BYTES), wanted);
    load_interfaces(e, cls, SCRATCH, cls);
    search_list(e, wanted, cls, SCRATCH, ask);
    x86_jmp(a, c->back);
    asm_bind(a, ask);
    emit_ask_runtime(e, c, runtime_is_subclass);
    x86_test_r64_r64(a, SCRATCH, SCRATCH);
    x86_jcc(a, X86_NE, c->back);
    emit_deopt_exit(e, c->state, DEOPT_CHECK);
}

void emit_fence(Emitter *e, NodeId n)
{
    if (ir_node(e->g, n)->aux
        == FENCE_FULL) // loads and stores are in order but for a store before a load
        x86_lock_add_m32_i8(&e->a, x86_mem(RSP, 0), 0);
}
