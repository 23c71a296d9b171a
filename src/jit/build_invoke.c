// SPDX-License-Identifier: Apache-2.0
// Instructions that name a constant: by the form that the interpreter gave them once they had run. One that has its
// first form still never ran, or not to its end: it deoptimizes, or is done by a call of the runtime.
#include "jit/build.h"

#include "class/assumption.h"
#include "class/loader.h"
#include "class/vm_classes.h"
#include "interp/breakpoint.h"
#include "interp/interp.h"
#include "interp/profile.h"

enum { MAX_ARGUMENTS = 257 }; // a receiver, 255 words, an appendix

uint16_t build_form(const Builder *b)
{
    if (!b->insn)
        return b->in.op;
    os_widen_window(); // other threads may give it its quick form meanwhile, and its operand before that
    uint16_t form = profile_plain(breakpoint_original(b->insn));
    os_widen_window();
    return form;
}

static uint32_t pointer(const Builder *b, const void *p)
{
    return ir_intern(b->g, (uintptr_t)p);
}

static Bytes named_descriptor(const Builder *b)
{
    const ClassFile *cf = b->source->cf;
    return cf_utf8(cf, cf_name_and_type(cf, b->in.constant).nat.type);
}

static char constant_kind(const Builder *b)
{
    return instruction_constant_kind(b->source->cf, &b->in);
}

// The kinds of the arguments of the call, behind one another. How many.
static uint32_t argument_kinds(const Builder *b, char *kinds)
{
    Bytes desc = named_descriptor(b);
    uint32_t count = 0;
    DescriptorWalk w = descriptor_walk((const char *)desc.p, desc.len, 0);
    while (count < MAX_ARGUMENTS - 2 && descriptor_walk_next(&w))
        kinds[count++] = w.kind;
    return count;
}

// ---- what the runtime does ----

// The kinds of all that the instruction pops, by its row and its constant.
static uint32_t operand_kinds(const Builder *b, char *kinds)
{
    uint32_t count = 0;
    for (const char *p = b->in.info->pops; *p; p++) {
        if (*p == '(')
            count += argument_kinds(b, kinds + count);
        else if (*p == 'N')
            for (uint32_t i = 0; i < b->in.count; i++)
                kinds[count++] = 'I';
        else
            kinds[count++] = *p == 'V' ? constant_kind(b) : *p == 'x' ? 'A' : *p;
    }
    VM_ASSERT(count <= MAX_ARGUMENTS);
    return count;
}

static void finish_call(Builder *b, IrOp op, IrType type, uint32_t count, const NodeId *in,
                        uint32_t aux)
{
    NodeId result =
        build_effect(b, op, type, count, in, aux, build_state(b, b->in.bci, STATE_BEHIND));
    build_landings(b, false);
    build_push(b, result);
}

void build_call(Builder *b, IrOp op, IrType type, Method *m, uint32_t count, const NodeId *in)
{
    if (m->flags & METHOD_OBJECT_INIT) { // does nothing, but for a breakpoint
        vec_push(&b->g->skipped, m);
        b->g->calls_object_init |= breakpoints_in(m);
    }
    finish_call(b, op, type, count, in, pointer(b, m));
}

static void call_runtime(Builder *b)
{
    char kinds[MAX_ARGUMENTS];
    NodeId in[MAX_ARGUMENTS];
    uint32_t count = operand_kinds(b, kinds);
    build_pop_kinds(b, kinds, count, in);
    char result = b->in.info->pushes[0];
    if (result == 'V' || result == ')')
        result = constant_kind(b);
    IrType type = result ? ir_type_of_kind(result == 'x' ? 'A' : result) : IRT_V;
    finish_call(b, IR_CallRuntime, type, count, in,
                ir_intern(b->g, (uint64_t)b->in.op << 16 | b->in.constant));
}

void build_unresolved(Builder *b)
{
    if (b->options->link)
        call_runtime(b);
    else
        build_deopt(b, DEOPT_UNRESOLVED);
}

// ---- constants ----

void build_constant(Builder *b)
{
    CpEntry e = cf_entry(b->source->cf, b->in.constant);
    IrValue v = {0};
    switch (e.tag) {
    case CP_INTEGER: build_push(b, build_int(b, e.i)); return;
    case CP_FLOAT:
        v.F = e.f;
        build_push(b, ir_const(b->g, IRT_F, v.bits));
        return;
    case CP_LONG: build_push(b, ir_const(b->g, IRT_L, (uint64_t)e.l)); return;
    case CP_DOUBLE:
        v.D = e.d;
        build_push(b, ir_const(b->g, IRT_D, v.bits));
        return;
    default: break;
    }
    switch (build_form(b)) {
    case OP_ldc_ref:
        build_push(b, build_constant_object(b, b->insn->p, b->source->method->pool));
        break;
    case OP_ldc_null: build_push(b, ir_const(b->g, IRT_A, 0)); break;
    default: build_unresolved(b); break;
    }
}

// ---- fields ----

static NodeId field_holder(Builder *b, const Field *f)
{
    if (b->in.op == BC_getstatic || b->in.op == BC_putstatic)
        return build_value(b, IR_Mirror, IRT_A, 0, NULL, pointer(b, f->cls));
    return build_unary(b, IR_NullCheck, build_pop(b, IRT_A));
}

void build_fence(Builder *b, NodeId object, IrFence kind)
{
    bool is_alone = object && ir_node(b->g, object)->op != IR_Mirror;
    build_effect(b, IR_Fence, IRT_V, is_alone ? 1 : 0, &object, kind, 0);
}

static void fence(Builder *b, const Field *f, NodeId holder, IrFence kind)
{
    if (f->access & ACC_VOLATILE)
        build_fence(b, ir_unchecked(b->g, holder), kind);
}

static void get_field(Builder *b, const Field *f)
{
    NodeId holder = field_holder(b, f);
    IrType type = ir_type_of_kind(f->kind);
    NodeId known = f->watch & WATCH_ACCESS ? 0 : build_known_field(b, f, holder);
    if (known) {
        build_push(b, known);
        return;
    }
    NodeId value = f->watch & WATCH_ACCESS
                       ? build_watched(b, IR_GetWatched, type, 1, &holder, pointer(b, f))
                       : build_effect(b, IR_LoadField, type, 1, &holder, pointer(b, f), 0);
    fence(b, f, holder, FENCE_ACQUIRE);
    build_push(b, value);
}

static void put_field(Builder *b, const Field *f)
{
    NodeId value = build_pop(b, ir_type_of_kind(f->kind));
    NodeId holder = field_holder(b, f);
    const NodeId in[] = {holder, value};
    fence(b, f, holder, FENCE_RELEASE);
    if (f->watch & WATCH_MODIFY)
        build_watched(b, IR_PutWatched, IRT_V, 2, in, pointer(b, f));
    else
        build_effect(b, IR_StoreField, IRT_V, 2,
                     (NodeId[]){holder, build_stored(b, f->kind, value)}, pointer(b, f), 0);
    fence(b, f, holder, FENCE_FULL);
}

void build_field(Builder *b)
{
    uint16_t form = build_form(b);
    if (form == b->in.op) {
        build_unresolved(b);
    } else {
        const Field *f = resolved_field(b->source->method->pool, b->in.constant);
        if (!f) // a class was changed, and the instruction is about to be resolved anew
            build_unresolved(b);
        else if (b->in.op == BC_getfield || b->in.op == BC_getstatic)
            get_field(b, f);
        else
            put_field(b, f);
    }
}

// ---- calls ----

// Object.<init> of an object that was just made and has no finalizer.
static bool does_nothing(const Builder *b, const Method *m, const NodeId *in)
{
    if (!(m->flags & METHOD_OBJECT_INIT))
        return false;
    const Node *made = ir_node(b->g, ir_unchecked(b->g, in[0]));
    return made->op == IR_New && !((const Class *)ir_pointer(b->g, made))->layout.has_finalizer;
}

// Puts nodes, or none, in the place of the call of m, which is no other method whatever the receiver is. False: it is to be called.
static bool replace_call(Builder *b, Method *m, uint32_t count, const NodeId *in)
{
    if (!does_nothing(b, m, in))
        return build_inlined(b, m, count, in);
    if (b->options->posts_calls || breakpoints_in(m))
        return build_inlined_init(b, m, count, in);
    vec_push(&b->g->skipped, m);
    return true;
}

// A call of a method whose operands are all its arguments, of which the first is `checked` for null.
static void call_method(Builder *b, IrOp op, Method *m, bool has_receiver, bool checked,
                        jobject appendix)
{
    char kinds[MAX_ARGUMENTS];
    NodeId in[MAX_ARGUMENTS];
    uint32_t count = 0;
    if (has_receiver)
        kinds[count++] = 'A';
    count += argument_kinds(b, kinds + count);
    build_pop_kinds(b, kinds, count, in);
    if (checked) {
        if (!ir_is_not_null(b->g, in[0]))
            build_test_check(b, IR_NullCheck, 1, in, 0);
        in[0] = build_unary(b, IR_NullCheck, in[0]);
    }
    if (appendix)
        in[count++] = build_constant_object(b, appendix, b->source->method->pool);
    IrType type = ir_type_of_kind(constant_kind(b));
    m = build_linked(b, m, &op, &count, in);
    bool selects = op == IR_CallVirtual || op == IR_CallInterface;
    if (selects && b->options->inlines)
        m = build_target(b, m, in[0], &op);
    bool exact = op == IR_CallStatic || op == IR_CallExact;
    if (exact && b->options->intrinsics && build_intrinsic(b, op, m, count, in))
        return;
    if (exact && b->options->inlines && replace_call(b, m, count, in)) {
        if (count == 1)
            build_note_box(b, m, in[0]);
        return;
    }
    selects = op == IR_CallVirtual || op == IR_CallInterface;
    if (selects && b->options->inlines && build_guarded(b, op, type, m, count, in))
        return;
    build_call(b, op, type, m, count, in);
}

// A call whose receiver may be of a class that it must not have: it is checked here, the interpreter throws.
static void call_checked(Builder *b, Method *m)
{
    const Method *own = b->source->method;
    uint32_t below = m->arg_words - 1u;
    IrOp op = IR_CallExact;
    const Class *type = own->cls;
    if (b->in.op == BC_invokeinterface) {
        type = invoke_named_interface(own, b->insn);
        op = method_in_itable(m)   ? IR_CallInterface
             : method_in_vtable(m) ? IR_CallVirtual
                                   : IR_CallExact;
    }
    if (b->depth <= below) {
        build_refuse(b, REFUSED_CODE);
        return;
    }
    NodeId *receiver = b->words + build_locals(b) + b->depth - 1 - below;
    NodeId checked = build_unary(b, IR_NullCheck, *receiver);
    *receiver = build_value(b, IR_TypeCheck, IRT_A, 1, &checked, pointer(b, type));
    call_method(b, op, m, true, true, NULL);
}

void build_invoke(Builder *b)
{
    uint16_t form = build_form(b);
    if (form == b->in.op) {
        build_unresolved(b);
        return;
    }
    void *p = b->insn->p;
    const CallSite *site = p;
    switch (form) {
    case OP_invoke_static: call_method(b, IR_CallStatic, p, false, false, NULL); break;
    case OP_invoke_exact: call_method(b, IR_CallExact, p, true, true, NULL); break;
    case OP_invoke_vtable: call_method(b, IR_CallVirtual, p, true, true, NULL); break;
    case OP_invoke_interface: call_method(b, IR_CallInterface, p, true, true, NULL); break;
    case OP_invoke_dynamic:
        call_method(b, IR_CallStatic, site->adapter, false, false, site->appendix);
        break;
    case OP_invoke_handle:
        call_method(b, IR_CallStatic, site->adapter, true, true, site->appendix);
        break;
    default: call_checked(b, p); break; // invoke_checked
    }
}

// ---- objects ----

static void new_array(Builder *b, const Class *array)
{
    NodeId length = build_unary(b, IR_NegSizeCheck, build_pop(b, IRT_I));
    StateId behind = build_state(b, b->in.bci, STATE_BEHIND);
    build_push(b, build_effect(b, IR_NewArray, IRT_A, 1, &length, pointer(b, array), behind));
}

static void new_object(Builder *b, const Class *c)
{
    StateId behind = build_state(b, b->in.bci, STATE_BEHIND);
    build_push(b, build_effect(b, IR_New, IRT_A, 0, NULL, pointer(b, c), behind));
}

static void new_multi(Builder *b, const Class *array)
{
    char kinds[MAX_ARGUMENTS];
    NodeId in[MAX_ARGUMENTS];
    memset(kinds, 'I', b->in.count);
    build_pop_kinds(b, kinds, b->in.count, in);
    StateId behind = build_state(b, b->in.bci, STATE_BEHIND);
    build_push(b,
               build_effect(b, IR_NewMulti, IRT_A, b->in.count, in, pointer(b, array), behind));
}

// A cast that has met null alone so far needs no class for it.
static void cast_of_null(Builder *b)
{
    bool is_cast = b->in.op == BC_checkcast;
    NodeId in[2] = {build_pop(b, IRT_A), ir_const(b->g, IRT_A, 0)};
    BlockId from = b->block, other = build_new_block(b, b->in.bci);
    BlockId null = build_new_block(b, b->in.bci);
    if (b->g->refused)
        return;
    build_effect(b, IR_IfA, IRT_V, 2, in, CONDITION_EQ, 0);
    ir_edge(b->g, from, null);
    ir_edge(b->g, from, other);
    b->block = other;
    build_deopt(b, DEOPT_UNRESOLVED);
    b->block = null;
    build_push(b, is_cast ? in[1] : build_int(b, 0));
}

void build_object(Builder *b)
{
    static const char kinds[] = "ZCFDBSIJ"; // of newarray, from 4
    uint16_t form = build_form(b);
    const void *p = b->insn ? b->insn->p : NULL; // read behind the form: it is written before
    switch (form) {
    case OP_new_quick: new_object(b, p); break;
    case OP_anewarray_quick: new_array(b, p); break;
    case OP_checkcast_quick:
        build_push(b, build_value(b, IR_TypeCheck, IRT_A, 1, (NodeId[]){build_pop(b, IRT_A)},
                                  pointer(b, p)));
        break;
    case OP_instanceof_quick:
        build_push(b, build_value(b, IR_InstanceOf, IRT_I, 1, (NodeId[]){build_pop(b, IRT_A)},
                                  pointer(b, p)));
        break;
    case BC_newarray:
        if (b->insn)
            new_array(b, class_primitive_array(kinds[b->in.value - 4]));
        else
            call_runtime(b); // nothing is known of classes
        break;
    case BC_multianewarray: { // has no other form
        const Class *array =
            b->insn ? resolved_class(b->source->method->pool, b->in.constant) : NULL;
        if (array)
            new_multi(b, array);
        else
            build_unresolved(b);
        break;
    }
    case BC_checkcast:
    case BC_instanceof:
        if (!b->options->link) {
            cast_of_null(b);
            break;
        }
        build_unresolved(b);
        break;
    default: build_unresolved(b); break;
    }
}
