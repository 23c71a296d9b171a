// SPDX-License-Identifier: Apache-2.0
// The effect of each instruction on the frame (JVMS 4.10.1.9) but for invocations. Most follow
// from the stack effect in spec/bytecodes.def; the others have a function here.
#include "verify/verify_internal.h"

enum { MAX_DIMENSIONS = 255 };

static uint8_t operand_u1(const Verifier *v, uint32_t at)
{
    return v->c->code[v->bci + at];
}
static uint16_t operand_u2(const Verifier *v, uint32_t at)
{
    return get_u2(v->c->code + v->bci + at);
}

// The class at a constant pool index is not of the kind that the instruction wants.
#define wrong_class(type, index) \
    ((VError){                   \
        .reason = REASON_INVALID_TYPE, .from = (type), .from_origin = {ORIGIN_CP, (index)}})

bool check_cp(Verifier *v, uint16_t index, uint32_t tags)
{
    VError e = {.reason = REASON_BAD_CP, .index = index};
    if (index == 0 || index >= v->cf->cp_count)
        return verify_fail(v, &e, "Illegal constant pool index %d in class %s", index,
                           v->external_name);
    if (!(tags >> cf_tag(v->cf, index) & 1u))
        return verify_fail(v, &e, "Illegal type at constant pool entry %d in class %s", index,
                           v->external_name);
    return true;
}

// ---- by the table ----

static VType type_of_letter(char letter)
{
    switch (letter) {
    case 'I': return VT_INT;
    case 'J': return VT_LONG;
    case 'F': return VT_FLOAT;
    case 'D': return VT_DOUBLE;
    default: return VT_ANY_REFERENCE;
    }
}

static bool apply_effect(Verifier *v)
{
    const BytecodeInfo *info = &bytecode_info[v->op];
    for (const char *p = info->pops + strlen(info->pops); p > info->pops; p--) {
        if (!frame_pop(v, type_of_letter(p[-1]), NULL))
            return false;
    }
    for (const char *p = info->pushes; *p != '\0'; p++) {
        if (!frame_push(v, type_of_letter(*p)))
            return false;
    }
    return true;
}

// ---- constants and locals ----

static bool dynamic_type(Verifier *v, uint16_t index, VType *t)
{
    Bytes d = cf_utf8(v->cf, cf_name_and_type(v->cf, index).nat.type);
    *t = vtype_of_descriptor(v, (char)d.p[0], (const char *)d.p, d.len);
    bool wide = v->op == BC_ldc2_w;
    return vtype_is_wide(*t) == wide
           || verify_fail(v, &(VError){.reason = REASON_BAD_CP, .index = index},
                          "Illegal type at constant pool entry %d in class %s", index,
                          v->external_name);
}

static VType well_known(Verifier *v, const char *name)
{
    return vtype_of_name(v, (Bytes){(const uint8_t *)name, (uint32_t)strlen(name)});
}

static bool check_ldc(Verifier *v)
{
    uint32_t narrow = 1u << CP_INTEGER | 1u << CP_FLOAT | 1u << CP_STRING | 1u << CP_CLASS
                      | 1u << CP_METHOD_HANDLE | 1u << CP_METHOD_TYPE;
    uint32_t wide = 1u << CP_LONG | 1u << CP_DOUBLE;
    uint16_t index = v->op == BC_ldc ? operand_u1(v, 1) : operand_u2(v, 1);
    if (!check_cp(v, index, (v->op == BC_ldc2_w ? wide : narrow) | 1u << CP_DYNAMIC))
        return false;
    VType t = VT_INT;
    switch (cf_tag(v->cf, index)) {
    case CP_FLOAT: t = VT_FLOAT; break;
    case CP_LONG: t = VT_LONG; break;
    case CP_DOUBLE: t = VT_DOUBLE; break;
    case CP_STRING: t = well_known(v, "java/lang/String"); break;
    case CP_CLASS: t = well_known(v, "java/lang/Class"); break;
    case CP_METHOD_HANDLE: t = well_known(v, "java/lang/invoke/MethodHandle"); break;
    case CP_METHOD_TYPE: t = well_known(v, "java/lang/invoke/MethodType"); break;
    case CP_DYNAMIC:
        if (!dynamic_type(v, index, &t))
            return false;
        break;
    default: break;
    }
    return frame_push(v, t);
}

static const VType local_types[] = {VT_INT, VT_LONG, VT_FLOAT, VT_DOUBLE,
                                    VT_ANY_REFERENCE}; // order of the opcodes

static bool check_load(Verifier *v, uint8_t op, uint32_t index)
{
    return frame_load(v, index, local_types[op - BC_iload]);
}

static bool check_store(Verifier *v, uint8_t op, uint32_t index)
{
    VType t;
    return frame_pop(v, local_types[op - BC_istore], &t) && frame_store(v, index, t);
}

static bool check_iinc(Verifier *v, uint32_t index)
{
    return frame_local_is(v, index, VT_INT);
}

static bool check_wide(Verifier *v)
{
    uint8_t op = operand_u1(v, 1);
    uint16_t index = operand_u2(v, 2);
    v->op = op;
    if (op == BC_iinc)
        return check_iinc(v, index);
    if (op >= BC_iload && op <= BC_aload)
        return check_load(v, op, index);
    if (op >= BC_istore && op <= BC_astore)
        return check_store(v, op, index);
    return bad_code(v, "Bad instruction: %02x", op);
}

// ---- arrays ----

static bool array_is(const Verifier *v, VType t, const char *names)
{
    if (VT_KIND(t) == VT_NULL)
        return true;
    if (!vtype_is_array(v, t))
        return false;
    Bytes name = vtype_name(v, t);
    return name.len == 2 && strchr(names, name.p[1]) != NULL;
}

typedef struct ArrayOp {
    const char *elements; // descriptors
    VType value;
} ArrayOp;
static const ArrayOp array_ops[] = {{"I", VT_INT},    {"J", VT_LONG}, {"F", VT_FLOAT},
                                    {"D", VT_DOUBLE}, {NULL, 0},      {"BZ", VT_INT},
                                    {"C", VT_INT},    {"S", VT_INT}};

// `elements`: of the arrays that were wanted, NULL for references.
static bool bad_array(Verifier *v, VType t, const char *elements)
{
    const char *op = bytecode_info[v->op].name;
    if (elements == NULL)
        return bad_stack_type(v, t, VT_ANY_REFERENCE, "Bad type on operand stack in %s", op);
    if (elements[1] != '\0')
        return invalid_stack_type(v, t, "Bad type on operand stack in %s", op);
    char name[] = {'[', elements[0], '\0'};
    uint8_t *wanted = arena_alloc(&v->class_arena, sizeof(name));
    memcpy(wanted, name, sizeof(name));
    return bad_stack_type(v, t, vtype_of_name(v, (Bytes){wanted, 2}),
                          "Bad type on operand stack in %s", op);
}

static bool check_array_load(Verifier *v)
{
    VType array, component;
    if (!frame_pop(v, VT_INT, NULL) || !frame_pop(v, VT_ANY_REFERENCE, &array))
        return false;
    if (v->op == BC_aaload)
        return vtype_reference_component(v, array, &component) ? frame_push(v, component)
                                                               : bad_array(v, array, NULL);
    const ArrayOp *a = &array_ops[v->op - BC_iaload];
    return array_is(v, array, a->elements) ? frame_push(v, a->value)
                                           : bad_array(v, array, a->elements);
}

static bool check_array_store(Verifier *v)
{
    VType array, component;
    const ArrayOp *a = &array_ops[v->op - BC_iastore];
    if (!frame_pop(v, v->op == BC_aastore ? v->object_type : a->value, NULL)
        || !frame_pop(v, VT_INT, NULL) || !frame_pop(v, VT_ANY_REFERENCE, &array))
        return false;
    bool ok = v->op == BC_aastore ? vtype_reference_component(v, array, &component)
                                  : array_is(v, array, a->elements);
    return ok || bad_array(v, array, a->elements);
}

static bool check_newarray(Verifier *v)
{
    static const char *const names[] = {"[Z", "[C", "[F", "[D", "[B", "[S", "[I", "[J"};
    uint8_t type = operand_u1(v, 1);
    if (type < 4 || type > 11)
        return bad_code(v, "Illegal newarray instruction");
    return frame_pop(v, VT_INT, NULL) && frame_push(v, well_known(v, names[type - 4]));
}

static uint32_t dimensions(Bytes name)
{
    uint32_t n = 0;
    while (n < name.len && name.p[n] == '[')
        n++;
    return n;
}

static bool check_anewarray(Verifier *v)
{
    uint16_t index = operand_u2(v, 1);
    if (!check_cp(v, index, 1u << CP_CLASS))
        return false;
    VType component = vtype_of_class(v, index);
    if (dimensions(vtype_name(v, component)) >= MAX_DIMENSIONS)
        return bad_code(v, "Illegal anewarray instruction, array has more than 255 dimensions");
    return frame_pop(v, VT_INT, NULL) && frame_push(v, vtype_array_of(v, component));
}

static bool check_multianewarray(Verifier *v)
{
    uint16_t index = operand_u2(v, 1);
    uint8_t count = operand_u1(v, 3);
    if (!check_cp(v, index, 1u << CP_CLASS))
        return false;
    VType t = vtype_of_class(v, index);
    if (!vtype_is_array(v, t))
        return verify_fail(v, &wrong_class(t, index),
                           "Illegal constant pool index in multianewarray instruction");
    if (count < 1 || dimensions(vtype_name(v, t)) < count)
        return bad_code(v, "Illegal dimension in multianewarray instruction: %d", count);
    for (uint32_t i = 0; i < count; i++) {
        if (!frame_pop(v, VT_INT, NULL))
            return false;
    }
    return frame_push(v, t);
}

static bool check_arraylength(Verifier *v)
{
    VType t;
    if (!frame_pop(v, VT_ANY_REFERENCE, &t))
        return false;
    return VT_KIND(t) == VT_NULL || vtype_is_array(v, t) ? frame_push(v, VT_INT)
                                                         : bad_array(v, t, "**");
}

// ---- untyped words ----

// Takes two words: two values of category 1 or one of category 2. upper was nearer the top.
static bool pop_pair(Verifier *v, VType *upper, VType *lower)
{
    if (v->sp > 0 && vtype_assignable(v, v->stack[v->sp - 1], VT_ANY_CATEGORY2_2ND) == 1)
        return frame_pop_any(v, upper) && frame_pop_any(v, lower);
    return frame_pop(v, VT_ANY_CATEGORY1, upper) && frame_pop(v, VT_ANY_CATEGORY1, lower);
}

// Pushes words as they are.
static bool push_words(Verifier *v, const VType *words, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!frame_push_slot(v, words[i]))
            return false;
    }
    return true;
}

static bool push_pair(Verifier *v, VType lower, VType upper)
{
    return frame_room_for(v, 2) && push_words(v, (VType[]){lower, upper}, 2);
}

static bool check_dup(Verifier *v)
{
    VType a, b, c, d;
    switch (v->op) {
    case BC_pop: return frame_pop(v, VT_ANY_CATEGORY1, NULL);
    case BC_pop2: return pop_pair(v, &a, &b);
    case BC_dup: return frame_pop(v, VT_ANY_CATEGORY1, &a) && push_words(v, (VType[]){a, a}, 2);
    case BC_swap:
        return frame_pop(v, VT_ANY_CATEGORY1, &a) && frame_pop(v, VT_ANY_CATEGORY1, &b)
               && push_words(v, (VType[]){a, b}, 2);
    case BC_dup_x1:
        return frame_pop(v, VT_ANY_CATEGORY1, &a) && frame_pop(v, VT_ANY_CATEGORY1, &b)
               && push_words(v, (VType[]){a, b, a}, 3);
    case BC_dup_x2:
        return frame_pop(v, VT_ANY_CATEGORY1, &a) && pop_pair(v, &b, &c)
               && frame_push_slot(v, a) && push_pair(v, c, b) && frame_push_slot(v, a);
    case BC_dup2: return pop_pair(v, &a, &b) && push_pair(v, b, a) && push_pair(v, b, a);
    case BC_dup2_x1:
        return pop_pair(v, &a, &b) && frame_pop(v, VT_ANY_CATEGORY1, &c) && push_pair(v, b, a)
               && frame_push_slot(v, c) && push_pair(v, b, a);
    default: // dup2_x2
        return pop_pair(v, &a, &b) && pop_pair(v, &c, &d) && push_pair(v, b, a)
               && push_pair(v, d, c) && push_pair(v, b, a);
    }
}

// ---- control flow ----

static bool check_switch(Verifier *v)
{
    const uint8_t *code = v->c->code;
    uint32_t at = (v->bci + 4) & ~3u;
    for (uint32_t i = v->bci + 1; v->cf->major < 51 && i < at; i++) {
        if (code[i] != 0)
            return bad_code(v, "Nonzero padding byte in lookupswitch or tableswitch");
    }
    if (!frame_pop(v, VT_INT, NULL))
        return false;
    bool table = v->op == BC_tableswitch;
    uint32_t step = table ? 4 : 8, first = at + 12;
    uint32_t count = table ? (uint32_t)(get_s4(code + at + 8) - get_s4(code + at + 4)) + 1
                           : (uint32_t)get_s4(code + at + 4);
    for (uint32_t i = 1; !table && i < count; i++) {
        const uint8_t *pair = code + at + 8 + (size_t)i * 8;
        if (get_s4(pair - 8) >= get_s4(pair))
            return bad_code(v, "Bad lookupswitch instruction");
    }
    int32_t offset = get_s4(code + at);
    if (!check_branch(v, (int64_t)v->bci + offset, offset))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        offset = get_s4(code + first + (size_t)i * step);
        if (!check_branch(v, (int64_t)v->bci + offset, offset))
            return false;
    }
    return true;
}

static bool check_jump(Verifier *v)
{
    int32_t offset =
        v->op == BC_goto_w ? get_s4(v->c->code + v->bci + 1) : get_s2(v->c->code + v->bci + 1);
    return apply_effect(v) && check_branch(v, (int64_t)v->bci + offset, offset);
}

// The type of the result as a message names it.
static VType declared_result(const Verifier *v)
{
    Bytes type = cf_utf8(v->cf, v->m->descriptor);
    bool one_letter = type.p[type.len - 2] == ')';
    switch (one_letter ? type.p[type.len - 1] : 0) {
    case 'Z': return VT_BOOLEAN;
    case 'B': return VT_BYTE;
    case 'S': return VT_SHORT;
    case 'C': return VT_CHAR;
    default: return v->return_type;
    }
}

static bool check_return(Verifier *v)
{
    static const VType kinds[] = {VT_INT, VT_LONG, VT_FLOAT, VT_DOUBLE, VT_ANY_REFERENCE};
    if (v->op == BC_return) {
        if (v->return_type != VT_TOP)
            return bad_code(v, "Method expects a return value");
        if (v->is_init && v->this_uninit)
            return verify_fail(v, &(VError){.reason = REASON_BAD_CODE},
                               "Constructor must call super() or this() before return");
        return true;
    }
    VType t;
    if (!frame_pop_value(v, kinds[v->op - BC_ireturn], &t))
        return false;
    bool is_void = v->return_type == VT_TOP;
    int fits = is_void ? 0 : vtype_assignable(v, t, v->return_type);
    if (fits == 0) {
        VError e = {.reason = REASON_BAD_TYPE,
                    .from = t,
                    .to = declared_result(v),
                    .from_origin = {ORIGIN_STACK, v->sp},
                    .to_origin = {ORIGIN_SIGNATURE, 0}};
        return verify_fail(
            v, &e, is_void ? "Method does not expect a return value" : "Bad return type");
    }
    return fits > 0;
}

// ---- fields and objects ----

static bool declares_field(const Verifier *v, Bytes name, Bytes type)
{
    for (uint32_t i = 0; i < v->cf->field_count; i++) {
        Bytes n = cf_utf8(v->cf, v->cf->fields[i].name),
              t = cf_utf8(v->cf, v->cf->fields[i].descriptor);
        if (n.len == name.len && t.len == type.len && memcmp(n.p, name.p, n.len) == 0
            && memcmp(t.p, type.p, t.len) == 0)
            return true;
    }
    return false;
}

static bool check_protected_field(Verifier *v, VType cls, VType object, Bytes name, Bytes type)
{
    if (cls == v->this_type || object == v->this_type)
        return true;
    int found =
        v->cx->is_protected_elsewhere(v->cx->ctx, vtype_name(v, cls), name, type, false);
    if (found < 0)
        v->status = VERIFY_PENDING;
    if (found != 1)
        return found == 0;
    int fits = vtype_assignable(v, object, v->this_type);
    if (fits == 0)
        return bad_stack_type(v, object, v->this_type, "Bad access to protected data in %s",
                              bytecode_info[v->op].name);
    return fits > 0;
}

// The object of putfield: also an uninitialized this, for a field that the class itself
// declares.
static bool pop_putfield_object(Verifier *v, VType cls, Bytes name, Bytes type, VType *object)
{
    if (v->sp > 0 && VT_KIND(v->stack[v->sp - 1]) == VT_UNINIT_THIS && cls == v->this_type
        && declares_field(v, name, type)) {
        v->sp--;
        *object = v->this_type;
        return true;
    }
    if (!frame_pop_any(v, object))
        return false;
    int fits = vtype_assignable(v, *object, cls);
    if (fits == 0) {
        VError e = {.reason = REASON_BAD_TYPE,
                    .from = *object,
                    .to = cls,
                    .from_origin = {ORIGIN_STACK, v->sp},
                    .to_origin = {ORIGIN_CP, operand_u2(v, 1)}};
        return verify_fail(v, &e, "Bad type on operand stack in putfield");
    }
    return fits > 0;
}

static bool check_field(Verifier *v)
{
    uint16_t index = operand_u2(v, 1);
    if (!check_cp(v, index, 1u << CP_FIELDREF))
        return false;
    CpEntry nat = cf_name_and_type(v->cf, index);
    Bytes name = cf_utf8(v->cf, nat.nat.name), type = cf_utf8(v->cf, nat.nat.type);
    VType cls = vtype_of_class(v, cf_first_index(v->cf, index));
    if (vtype_is_array(v, cls) && (v->op == BC_getfield || v->op == BC_putfield))
        return verify_fail(v, &wrong_class(cls, index),
                           "Expecting reference to class in class %s at constant pool index %d",
                           v->external_name, index);
    VType value = vtype_of_descriptor(v, (char)type.p[0], (const char *)type.p, type.len),
          object;
    switch (v->op) {
    case BC_getstatic: return frame_push_value(v, value);
    case BC_putstatic: return frame_pop_value(v, value, NULL);
    case BC_getfield:
        return frame_pop(v, cls, &object) && check_protected_field(v, cls, object, name, type)
               && frame_push_value(v, value);
    default:
        return frame_pop_value(v, value, NULL)
               && pop_putfield_object(v, cls, name, type, &object)
               && check_protected_field(v, cls, object, name, type);
    }
}

static bool check_new(Verifier *v)
{
    uint16_t index = operand_u2(v, 1);
    if (!check_cp(v, index, 1u << CP_CLASS))
        return false;
    if (vtype_is_array(v, vtype_of_class(v, index)))
        return verify_fail(v, &wrong_class(vtype_of_class(v, index), index),
                           "Illegal new instruction");
    VType t = VT_MAKE(VT_UNINIT, v->bci);
    for (uint32_t i = 0; i < v->sp; i++) {
        if (v->stack[i] == t)
            return bad_code(v, "Illegal new instruction");
    }
    frame_replace(v, t, VT_TOP); // an object of this place that was never initialized
    return frame_push(v, t);
}

static bool check_type_test(Verifier *v)
{
    uint16_t index = operand_u2(v, 1);
    if (!check_cp(v, index, 1u << CP_CLASS) || !frame_pop(v, v->object_type, NULL))
        return false;
    return frame_push(v, v->op == BC_checkcast ? vtype_of_class(v, index) : (VType)VT_INT);
}

// ---- dispatch ----

typedef bool (*Check)(Verifier *v);
static const Check checks[BC_COUNT] = {
    [BC_ldc... BC_ldc2_w] = check_ldc,
    [BC_iaload... BC_saload] = check_array_load,
    [BC_iastore... BC_sastore] = check_array_store,
    [BC_pop... BC_swap] = check_dup,
    [BC_ifeq... BC_goto] = check_jump,
    [BC_ifnull... BC_goto_w] = check_jump,
    [BC_tableswitch... BC_lookupswitch] = check_switch,
    [BC_ireturn... BC_return] = check_return,
    [BC_getstatic... BC_putfield] = check_field,
    [BC_invokevirtual... BC_invokedynamic] = invoke_check,
    [BC_new] = check_new,
    [BC_newarray] = check_newarray,
    [BC_anewarray] = check_anewarray,
    [BC_multianewarray] = check_multianewarray,
    [BC_arraylength] = check_arraylength,
    [BC_checkcast... BC_instanceof] = check_type_test,
    [BC_wide] = check_wide,
};

bool instruction_check(Verifier *v)
{
    uint8_t op = v->op;
    if (op >= BC_COUNT)
        return bad_code(v, "Bad instruction: %02x", op);
    if (checks[op] != NULL)
        return checks[op](v);
    if (op >= BC_iload && op <= BC_aload)
        return check_load(v, op, operand_u1(v, 1));
    if (op >= BC_iload_0 && op <= BC_aload_3)
        return check_load(v, (uint8_t)(BC_iload + (op - BC_iload_0) / 4),
                          (op - BC_iload_0) % 4u);
    if (op >= BC_istore && op <= BC_astore)
        return check_store(v, op, operand_u1(v, 1));
    if (op >= BC_istore_0 && op <= BC_astore_3)
        return check_store(v, (uint8_t)(BC_istore + (op - BC_istore_0) / 4),
                           (op - BC_istore_0) % 4u);
    switch (op) {
    case BC_iinc: return check_iinc(v, operand_u1(v, 1));
    case BC_aconst_null: return frame_push(v, VT_NULL);
    case BC_athrow: return frame_pop(v, v->throwable_type, NULL);
    case BC_jsr:
    case BC_jsr_w:
    case BC_ret: return bad_code(v, "Bad instruction: %02x", op);
    default: return apply_effect(v);
    }
}
