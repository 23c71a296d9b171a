// SPDX-License-Identifier: Apache-2.0
// Invocations (JVMS 4.10.1.9): arguments, receivers, constructors and protected methods.
#include "verify/verify_internal.h"

typedef struct Call {
    uint16_t index; // constant pool
    uint8_t tag;
    VType cls;
    Bytes name, type;
    VType args[255];
    uint32_t arg_count, arg_words;
    VType ret; // TOP for void
} Call;

static bool call_tag_allowed(Verifier *v, uint16_t index)
{
    uint32_t either =
        1u << CP_METHODREF | (v->cf->major >= 52 ? 1u << CP_INTERFACE_METHODREF : 0);
    switch (v->op) {
    case BC_invokevirtual: return check_cp(v, index, 1u << CP_METHODREF);
    case BC_invokeinterface: return check_cp(v, index, 1u << CP_INTERFACE_METHODREF);
    case BC_invokedynamic: return check_cp(v, index, 1u << CP_INVOKE_DYNAMIC);
    default: return check_cp(v, index, either);
    }
}

static void call_types(Verifier *v, Call *call)
{
    DescriptorWalk w = descriptor_walk((const char *)call->type.p, call->type.len, 0);
    while (descriptor_walk_next(&w)) {
        VType t = vtype_of_descriptor(v, w.kind, w.type, w.len);
        if (call->arg_count < ARRAY_LEN(call->args))
            call->args[call->arg_count] = t;
        call->arg_count++;
        call->arg_words += vtype_is_wide(t) ? 2 : 1;
    }
    const char *result = w.next + 1;
    call->ret = vtype_of_descriptor(v, *result, result, (size_t)(w.end - result));
}

static bool read_call(Verifier *v, Call *call)
{
    call->index = get_u2(v->c->code + v->bci + 1);
    if (!call_tag_allowed(v, call->index))
        return false;
    CpEntry nat = cf_name_and_type(v->cf, call->index);
    call->tag = cf_tag(v->cf, call->index);
    call->name = cf_utf8(v->cf, nat.nat.name);
    call->type = cf_utf8(v->cf, nat.nat.type);
    if (call->tag != CP_INVOKE_DYNAMIC)
        call->cls = vtype_of_class(v, cf_first_index(v->cf, call->index));
    call_types(v, call);
    return call->arg_count <= ARRAY_LEN(call->args) || bad_code(v, "Bad instruction");
}

static bool check_operands(Verifier *v, const Call *call)
{
    const uint8_t *code = v->c->code + v->bci;
    if (v->op == BC_invokeinterface) {
        if (code[3] != call->arg_words + 1)
            return bad_code(v, "Inconsistent args count operand in invokeinterface");
        if (code[4] != 0)
            return bad_code(v, "Fourth operand byte of invokeinterface must be zero");
    }
    if (v->op == BC_invokedynamic && (code[3] != 0 || code[4] != 0))
        return bad_code(v, "Third and fourth operand bytes of invokedynamic must be zero");
    if (call->name.len > 0 && call->name.p[0] == '<'
        && (v->op != BC_invokespecial || !bytes_eq(call->name, "<init>")))
        return bad_code(v, "Illegal call to internal method");
    return true;
}

// ---- <init> ----

static bool protected_elsewhere(Verifier *v, const Call *call, bool *yes)
{
    int found = v->cx->is_protected_elsewhere(v->cx->ctx, vtype_name(v, call->cls), call->name,
                                              call->type, true);
    if (found < 0)
        v->status = VERIFY_PENDING;
    *yes = found == 1;
    return found >= 0;
}

static bool init_this(Verifier *v, const Call *call)
{
    Bytes super =
        v->cf->super_class == 0 ? (Bytes){NULL, 0} : cf_class_name(v->cf, v->cf->super_class);
    Bytes name = vtype_name(v, call->cls);
    bool is_super =
        super.p != NULL && super.len == name.len && memcmp(super.p, name.p, name.len) == 0;
    if (call->cls != v->this_type && !is_super) {
        VError e = {.reason = REASON_BAD_TYPE, .from = call->cls, .to = v->this_type};
        return verify_fail(v, &e, "Bad <init> method call");
    }
    if (!check_handlers(
            v)) // they are reached with `this` uninitialized, and never with it initialized
        return false;
    v->handlers_done = true;
    frame_replace(v, VT_UNINIT_THIS, v->this_type);
    v->this_uninit = false;
    return true;
}

static bool init_new(Verifier *v, const Call *call, VType uninit)
{
    uint32_t bci = VT_DATA(uninit);
    if (bci + 3 > v->c->code_len || v->c->code[bci] != BC_new)
        return bad_code(v, "Expecting new instruction");
    if (!check_cp(v, get_u2(v->c->code + bci + 1), 1u << CP_CLASS)) // it may come behind
        return false;
    VType made = vtype_of_class(v, get_u2(v->c->code + bci + 1));
    if (made != call->cls) {
        VError e = {.reason = REASON_BAD_TYPE,
                    .from = made,
                    .to = call->cls,
                    .from_origin = {ORIGIN_CP, get_u2(v->c->code + bci + 1)},
                    .to_origin = {ORIGIN_CP, call->index}};
        return verify_fail(v, &e, "Call to wrong <init> method");
    }
    bool is_protected = false;
    if (made != v->this_type && !protected_elsewhere(v, call, &is_protected))
        return false;
    if (is_protected)
        return bad_stack_type(v, made, v->this_type, "Bad access to protected <init> method");
    if (!check_handlers(
            v)) // after the instruction they are checked again, with the object initialized
        return false;
    frame_replace(v, uninit, made);
    return true;
}

static bool call_init(Verifier *v, const Call *call)
{
    VType object;
    if (!frame_pop(v, VT_ANY_REFERENCE, &object))
        return false;
    bool ok;
    switch (VT_KIND(object)) {
    case VT_UNINIT_THIS: ok = init_this(v, call); break;
    case VT_UNINIT: ok = init_new(v, call, object); break;
    default: ok = invalid_stack_type(v, object, "Bad operand type when invoking <init>"); break;
    }
    return ok
           && (call->ret == VT_TOP || bad_code(v, "Return type must be void in <init> method"));
}

// ---- other receivers ----

static bool is_direct_interface(Verifier *v, VType cls)
{
    for (uint32_t i = 0; i < v->cf->interface_count; i++) {
        if (vtype_of_class(v, v->cf->interfaces[i]) == cls)
            return true;
    }
    return false;
}

// invokespecial names the class itself, a superclass or a direct superinterface (JVMS 4.9.2).
static bool check_special_class(Verifier *v, const Call *call)
{
    if (call->cls == v->this_type || is_direct_interface(v, call->cls))
        return true;
    if (v->cf->super_class != 0 && vtype_of_class(v, v->cf->super_class) == call->cls)
        return true;
    int fits = vtype_assignable(v, v->this_type, call->cls);
    if (fits == 0)
        return bad_code(v, "Bad invokespecial instruction: current class isn't assignable to "
                           "reference class.");
    if (fits > 0 && call->tag == CP_INTERFACE_METHODREF)
        return bad_code(v, "Bad invokespecial instruction: interface method reference is in an "
                           "indirect superinterface.");
    return fits > 0;
}

static bool check_protected_method(Verifier *v, const Call *call, VType object)
{
    bool is_protected;
    if (object == v->this_type || call->cls == v->this_type || vtype_is_array(v, call->cls))
        return true;
    if (!protected_elsewhere(v, call, &is_protected))
        return false;
    // arrays have a public clone()
    bool array_clone = call->cls == v->object_type && vtype_is_array(v, object)
                       && bytes_eq(call->name, "clone");
    if (!is_protected || array_clone)
        return true;
    int fits = vtype_assignable(v, object, v->this_type);
    if (fits == 0)
        return bad_stack_type(v, object, v->this_type,
                              "Bad access to protected data in invokevirtual");
    return fits > 0;
}

static bool pop_receiver(Verifier *v, const Call *call)
{
    VType object;
    switch (v->op) {
    case BC_invokespecial:
        if (bytes_eq(call->name, "<init>"))
            return call_init(v, call);
        return frame_pop(v, v->this_type, NULL);
    case BC_invokevirtual:
        return frame_pop(v, call->cls, &object) && check_protected_method(v, call, object);
    case BC_invokeinterface: return frame_pop(v, call->cls, NULL);
    default: return true;
    }
}

bool invoke_check(Verifier *v)
{
    Call call = {0};
    if (!read_call(v, &call) || !check_operands(v, &call))
        return false;
    if (v->op == BC_invokespecial && !bytes_eq(call.name, "<init>")
        && !check_special_class(v, &call))
        return false;
    for (uint32_t i = call.arg_count; i > 0; i--) {
        if (!frame_pop_value(v, call.args[i - 1], NULL))
            return false;
    }
    return pop_receiver(v, &call) && (call.ret == VT_TOP || frame_push_value(v, call.ret));
}
