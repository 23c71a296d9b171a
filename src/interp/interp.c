// SPDX-License-Identifier: Apache-2.0
// The interpreter loop. One function on purpose: `pc`, `sp`, `locals`, `frame` live in
// registers, and each handler ends in its own indirect jump through the thread's handler table.
//
// Tables: `normal_table`; `event_table`, where frame entry and the returns report to listeners;
// `poll_table`, whose every entry serves the thread's requests first. Changing what a thread
// does costs the others nothing and it nothing when off.
//
// Invariants: self->frame == frame. Before anything that may collect, throw or look at the
// stack: SAVE() (pc and sp to memory, operands still on the stack). After it no raw reference
// in a C variable is valid; slots are. After what may have run Java code: RELOAD(). A handler that throws intrinsics pc
// at its instruction.
#include "interp/interp.h"
#include "arch/arch.h"
#include "class/unload.h"
#include "class/vm_classes.h"
#include "event/event.h"
#include "frame/held_monitors.h"
#include "interp/arith.h"
#include "interp/breakpoint.h"
#include "interp/field_access.h"
#include "interp/fuse.h"
#include "interp/leave.h"
#include "interp/reload.h"
#include "interp/watch.h"
#include "java/call.h"
#include "java/exception.h"
#include "java/java_object.h"
#include "redefine/class_version.h"

static const void *normal_table[OP_COUNT], *event_table[OP_COUNT], *poll_table[OP_COUNT];

#define TABLE(t) ((const void *const *)(t))
#define DISPATCH()              \
    goto *atomic_load_explicit( \
        &self->dispatch,        \
        memory_order_relaxed)[atomic_load_explicit(&pc->op, memory_order_acquire)]
#define NEXT()      \
    do {            \
        pc++;       \
        DISPATCH(); \
    } while (0)
// After a first run replaced the instruction: the same one again, and no run that begins with
// it, past its breakpoint and polls, which were served.
#define REDISPATCH()                                             \
    do {                                                         \
        LEAVE_IF_ASKED();                                        \
        goto *thread_normal_dispatch()[breakpoint_original(pc)]; \
    } while (0)
// After listeners ran, which may have asked for it; pc and sp are saved.
#define LEAVE_IF_ASKED()                          \
    do {                                          \
        if (UNLIKELY(frame->flags & FRAME_LEAVE)) \
            goto leave_early;                     \
    } while (0)
#define SAVE() (frame->pc = pc, frame->sp = sp)
#define JUMP(condition, pops)      \
    do {                           \
        bool taken_ = (condition); \
        sp -= (pops);              \
        if (!taken_)               \
            NEXT();                \
        pc += pc->a;               \
        DISPATCH();                \
    } while (0)
#define BINARY(field, words, expression)                                          \
    do {                                                                          \
        __typeof__(sp->field) x = sp[-2 * (words)].field, y = sp[-(words)].field; \
        sp -= (words);                                                            \
        slot_set_##field(&sp[-(words)], (__typeof__(sp->field))(expression));     \
        NEXT();                                                                   \
    } while (0)
#define SHIFT(field, words, type, operator, mask)                                       \
    do {                                                                                \
        sp--;                                                                           \
        slot_set_##field(                                                               \
            &sp[-(words)],                                                              \
            (__typeof__(sp->field))((type)sp[-(words)].field operator(sp->i &(mask)))); \
        NEXT();                                                                         \
    } while (0)
#define CONVERT(to, to_words, from, from_words, expression) \
    do {                                                    \
        __typeof__(sp->from) x = sp[-(from_words)].from;    \
        sp += (to_words) - (from_words);                    \
        slot_set_##to(&sp[-(to_words)], (expression));      \
        NEXT();                                             \
    } while (0)
#define COMPARE(field, words, expression)                                         \
    do {                                                                          \
        __typeof__(sp->field) x = sp[-2 * (words)].field, y = sp[-(words)].field; \
        sp -= 2 * (words)-1;                                                      \
        slot_set_i(&sp[-1], (expression));                                        \
        NEXT();                                                                   \
    } while (0)
// The checked array and index at sp[-depth], sp[-depth + 1].
#define ARRAY(depth)                                                  \
    Object *array = sp[-(depth)].ref;                                 \
    int32_t index = sp[-(depth) + 1].i;                               \
    if (UNLIKELY(!array))                                             \
        goto null_pointer;                                            \
    if (UNLIKELY((uint32_t)index >= (uint32_t)array_length(array))) { \
        SAVE();                                                       \
        throw_index(self, index, array);                              \
        goto throw_pending;                                           \
    }
#define ARRAY_LOAD(type, field, words)                                                   \
    do {                                                                                 \
        ARRAY(2);                                                                        \
        sp += (words)-2;                                                                 \
        slot_set_##field(&sp[-(words)], ((JAVA_SHARED type *)array_data(array))[index]); \
        NEXT();                                                                          \
    } while (0)
#define ARRAY_STORE(type, field, words)                                            \
    do {                                                                           \
        ARRAY(2 + (words));                                                        \
        ((JAVA_SHARED type *)array_data(array))[index] = (type)sp[-(words)].field; \
        sp -= 2 + (words);                                                         \
        NEXT();                                                                    \
    } while (0)
#define GETFIELD(type, field, words)                                            \
    do {                                                                        \
        Object *o = sp[-1].ref;                                                 \
        if (UNLIKELY(!o))                                                       \
            goto null_pointer;                                                  \
        sp += (words)-1;                                                        \
        slot_set_##field(&sp[-(words)], object_get_##type(o, (uint32_t)pc->b)); \
        NEXT();                                                                 \
    } while (0)
#define PUTFIELD(type, field, words, mask)                                                 \
    do {                                                                                   \
        Object *o = sp[-1 - (words)].ref;                                                  \
        if (UNLIKELY(!o))                                                                  \
            goto null_pointer;                                                             \
        object_set_##type(o, (uint32_t)pc->b,                                              \
                          (__typeof__(object_get_##type(o, 0)))(sp[-(words)].field mask)); \
        sp -= 1 + (words);                                                                 \
        NEXT();                                                                            \
    } while (0)
#define GETSTATIC(type, field, words)                                             \
    do {                                                                          \
        Field *f = pc->p;                                                         \
        slot_set_##field(sp, object_get_##type(class_mirror(f->cls), f->offset)); \
        sp += (words);                                                            \
        NEXT();                                                                   \
    } while (0)
#define RETURN(words)           \
    do {                        \
        result = sp[-(words)];  \
        result_words = (words); \
        goto leave;             \
    } while (0)

static int words_of(char kind)
{
    return (int)kind_words(kind);
}

static jvalue slot_to_jvalue(Thread *self, Slot s, char kind)
{
    jvalue v = {.j = s.l};
    if (kind_is_reference(kind))
        v.l = handle_new(self, s.ref);
    return v;
}

static int32_t switch_target(const SwitchTable *t, int32_t key)
{
    if (!t->keys) {
        int64_t i = (int64_t)key - t->low;
        return i >= 0 && i < t->count ? t->targets[i] : t->default_target;
    }
    int32_t lo = 0, hi = t->count;
    while (lo < hi) {
        int32_t mid = lo + (hi - lo) / 2;
        if (t->keys[mid] == key)
            return t->targets[mid];
        if (t->keys[mid] < key)
            lo = mid + 1;
        else
            hi = mid;
    }
    return t->default_target;
}

static int32_t narrow_result(int32_t v, char kind)
{
    switch (kind) {
    case 'Z': return v & 1;
    case 'B': return (int8_t)v;
    case 'C': return (uint16_t)v;
    case 'S': return (int16_t)v;
    default: return v;
    }
}

// Enters the monitor of a synchronized method.
NOINLINE static bool lock_frame(Thread *self, Frame *f)
{
    const Method *m = f->method;
    Object *o = method_is_static(m) ? class_mirror(m->cls) : f->locals[0].ref;
    if (!held_enter(self, o, FRAME_LOCKED))
        throw_stack_overflow(self);
    return !exception_pending(self);
}

static void push_frame(Thread *self, Frame *f, Frame *caller, Method *m, Insn *code,
                       Slot *locals, uint32_t flags)
{
    VM_ASSERT(caller == self->frame && caller->sp <= locals);
    f->prev = caller;
    f->method = m;
    f->pc = code;
    f->locals = locals;
    f->sp = frame_operands(f);
    f->flags = flags;
    f->id = self->last_frame_id += FRAME_ID_STEP;
    atomic_signal_fence(memory_order_release); // a profiler's signal handler may walk from here
    self->frame = f;
}

// Runs a whole native method; the result is left at f->locals[0]. False with the exception pending.
NOINLINE static bool run_native(Thread *self, Frame *f)
{
    Method *m = f->method;
    Slot result = {0};
    f->handles = handle_mark(self);
    bool ok = !(m->access & ACC_SYNCHRONIZED) || lock_frame(self, f);
    event_post(self, METHOD_ENTRY, .method = m);
    ok = ok && !exception_pending(self) && native_invoke(self, f, &result);
    if (UNLIKELY(!ok))
        unwind_native_exception(self, f);
    if (UNLIKELY(f->flags & (FRAME_MONITORS | FRAME_NOTIFY_POP)) || event_on(METHOD_EXIT)) {
        jvalue v = slot_to_jvalue(self, result, ok ? m->ret : 'V');
        frame_leave(self, !ok, v);
        if (ok && kind_is_reference(m->ret))
            result.ref = deref(v.l);
    }
    handle_pop(self, f->handles);
    f->locals[0] = result;
    return ok && !exception_pending(self);
}

NOINLINE static Object *new_multi_array(Thread *self, const Insn *pc)
{
    int32_t lengths[pc->b];
    LINKING(self);
    Class *c = resolve_class(self, self->frame->method->pool, (uint16_t)pc->a);
    for (int i = 0; i < pc->b; i++)
        lengths[i] = self->frame->sp[i - pc->b].i;
    return c ? array_new_multi(self, c, pc->b, lengths) : NULL;
}

static Object *lambda_entry(
    Object *method_handle) // MemberName of a MethodHandle's code; NULL: corrupted
{
    Object *form = object_get_ref(method_handle, OFF(MethodHandle, form));
    return form ? object_get_ref(form, OFF(LambdaForm, vmentry)) : NULL;
}

static Method *member_target(Object *member)
{
    Object *resolved = object_get_ref(member, OFF(MemberName, method));
    return resolved ? (Method *)(uintptr_t)object_get_long(resolved,
                                                           OFF(ResolvedMethodName, vmtarget))
                    : NULL;
}

void interp_run(Thread *self, Method *m, Slot *sp)
{
    static const void *const entries[] = {
        [ENTRY_JAVA] = &&enter_java,
        [ENTRY_NATIVE] = &&enter_native,
        [ENTRY_INTRINSIC] = &&enter_intrinsic,
        [ENTRY_ALWAYS_INTRINSIC] = &&enter_always_intrinsic,
        [ENTRY_ABSTRACT] = &&enter_abstract,
        [ENTRY_INVOKE_BASIC] = &&enter_invoke_basic,
        [ENTRY_LINK_TO_VIRTUAL] = &&enter_link_to_virtual,
        [ENTRY_LINK_TO_STATIC] = &&enter_link_to_static,
        [ENTRY_LINK_TO_SPECIAL] = &&enter_link_to_special,
        [ENTRY_LINK_TO_INTERFACE] = &&enter_link_to_interface,
        [ENTRY_LINK_TO_NATIVE] = &&enter_link_to_native,
        [ENTRY_THROWS] = &&enter_throws,
    };
    Frame *frame;
    Insn *pc = NULL;
    register Slot *locals LOCALS_REGISTER = NULL;
    Slot result;
    int result_words;

    if (UNLIKELY(!self)) { // interp_init wants the labels
        static const struct {
            uint16_t op;
            const void *label;
        } labels[] = {
#define H(op, label) {op, &&label}
            H(BC_nop, L_nop),
            H(BC_aconst_null, L_aconst_null),
            H(OP_const_int, L_const_int),
            H(OP_const_float, L_const_float),
            H(OP_const_long, L_const_long),
            H(BC_ldc, L_ldc),
            H(BC_ldc_w, L_ldc),
            H(BC_ldc2_w, L_ldc),
            H(OP_ldc_ref, L_ldc_ref),
            H(OP_ldc_null, L_aconst_null),
            H(OP_load1, L_load1),
            H(OP_load2, L_load2),
            H(OP_store1, L_store1),
            H(OP_store2, L_store2),
            H(BC_iaload, L_iaload),
            H(BC_laload, L_laload),
            H(BC_aaload, L_aaload),
            H(BC_baload, L_baload),
            H(BC_caload, L_caload),
            H(BC_saload, L_saload),
            H(BC_iastore, L_iastore),
            H(BC_lastore, L_lastore),
            H(BC_aastore, L_aastore),
            H(BC_bastore, L_bastore),
            H(BC_castore, L_castore),
            H(BC_pop, L_pop),
            H(BC_pop2, L_pop2),
            H(BC_dup, L_dup),
            H(BC_dup_x1, L_dup_x1),
            H(BC_dup_x2, L_dup_x2),
            H(BC_dup2, L_dup2),
            H(BC_dup2_x1, L_dup2_x1),
            H(BC_dup2_x2, L_dup2_x2),
            H(BC_swap, L_swap),
            H(BC_iadd, L_iadd),
            H(BC_ladd, L_ladd),
            H(BC_fadd, L_fadd),
            H(BC_dadd, L_dadd),
            H(BC_isub, L_isub),
            H(BC_lsub, L_lsub),
            H(BC_fsub, L_fsub),
            H(BC_dsub, L_dsub),
            H(BC_imul, L_imul),
            H(BC_lmul, L_lmul),
            H(BC_fmul, L_fmul),
            H(BC_dmul, L_dmul),
            H(BC_idiv, L_idiv),
            H(BC_ldiv, L_ldiv),
            H(BC_fdiv, L_fdiv),
            H(BC_ddiv, L_ddiv),
            H(BC_irem, L_irem),
            H(BC_lrem, L_lrem),
            H(BC_frem, L_frem),
            H(BC_drem, L_drem),
            H(BC_ineg, L_ineg),
            H(BC_lneg, L_lneg),
            H(BC_fneg, L_fneg),
            H(BC_dneg, L_dneg),
            H(BC_ishl, L_ishl),
            H(BC_lshl, L_lshl),
            H(BC_ishr, L_ishr),
            H(BC_lshr, L_lshr),
            H(BC_iushr, L_iushr),
            H(BC_lushr, L_lushr),
            H(BC_iand, L_iand),
            H(BC_land, L_land),
            H(BC_ior, L_ior),
            H(BC_lor, L_lor),
            H(BC_ixor, L_ixor),
            H(BC_lxor, L_lxor),
            H(BC_iinc, L_iinc),
            H(BC_i2l, L_i2l),
            H(BC_i2f, L_i2f),
            H(BC_i2d, L_i2d),
            H(BC_l2i, L_l2i),
            H(BC_l2f, L_l2f),
            H(BC_l2d, L_l2d),
            H(BC_f2i, L_f2i),
            H(BC_f2l, L_f2l),
            H(BC_f2d, L_f2d),
            H(BC_d2i, L_d2i),
            H(BC_d2l, L_d2l),
            H(BC_d2f, L_d2f),
            H(BC_i2b, L_i2b),
            H(BC_i2c, L_i2c),
            H(BC_i2s, L_i2s),
            H(BC_lcmp, L_lcmp),
            H(BC_fcmpl, L_fcmpl),
            H(BC_fcmpg, L_fcmpg),
            H(BC_dcmpl, L_dcmpl),
            H(BC_dcmpg, L_dcmpg),
            H(BC_ifeq, L_ifeq),
            H(BC_ifne, L_ifne),
            H(BC_iflt, L_iflt),
            H(BC_ifge, L_ifge),
            H(BC_ifgt, L_ifgt),
            H(BC_ifle, L_ifle),
            H(BC_if_icmpeq, L_if_icmpeq),
            H(BC_if_icmpne, L_if_icmpne),
            H(BC_if_icmplt, L_if_icmplt),
            H(BC_if_icmpge, L_if_icmpge),
            H(BC_if_icmpgt, L_if_icmpgt),
            H(BC_if_icmple, L_if_icmple),
            H(BC_if_acmpeq, L_if_acmpeq),
            H(BC_if_acmpne, L_if_acmpne),
            H(BC_goto, L_goto),
            H(BC_jsr, L_jsr),
            H(BC_ret, L_ret),
            H(BC_tableswitch, L_switch),
            H(BC_lookupswitch, L_switch),
            H(OP_return1, L_return1),
            H(OP_return2, L_return2),
            H(BC_return, L_return),
            H(OP_return_init, L_return_init),
            H(OP_ireturn_narrow, L_ireturn_narrow),
            H(BC_getstatic, L_getstatic),
            H(BC_putstatic, L_putstatic),
            H(BC_getfield, L_getfield),
            H(BC_putfield, L_putfield),
            H(OP_getfield_byte, L_getfield_byte),
            H(OP_getfield_char, L_getfield_char),
            H(OP_getfield_short, L_getfield_short),
            H(OP_getfield_int, L_getfield_int),
            H(OP_getfield_long, L_getfield_long),
            H(OP_getfield_ref, L_getfield_ref),
            H(OP_putfield_byte, L_putfield_byte),
            H(OP_putfield_bool, L_putfield_bool),
            H(OP_putfield_short, L_putfield_short),
            H(OP_putfield_int, L_putfield_int),
            H(OP_putfield_long, L_putfield_long),
            H(OP_putfield_ref, L_putfield_ref),
            H(OP_getfield_any, L_getfield_any),
            H(OP_putfield_any, L_putfield_any),
            H(OP_getstatic_byte, L_getstatic_byte),
            H(OP_getstatic_char, L_getstatic_char),
            H(OP_getstatic_short, L_getstatic_short),
            H(OP_getstatic_int, L_getstatic_int),
            H(OP_getstatic_long, L_getstatic_long),
            H(OP_getstatic_ref, L_getstatic_ref),
            H(OP_getstatic_any, L_getstatic_any),
            H(OP_putstatic_any, L_putstatic_any),
            H(OP_getfield_watched, L_getfield_watched),
            H(OP_putfield_watched, L_putfield_watched),
            H(OP_getstatic_watched, L_getstatic_watched),
            H(OP_putstatic_watched, L_putstatic_watched),
            H(BC_invokevirtual, L_invokevirtual),
            H(BC_invokespecial, L_invokespecial),
            H(BC_invokestatic, L_invokestatic),
            H(BC_invokeinterface, L_invokeinterface),
            H(BC_invokedynamic, L_invokedynamic),
            H(OP_invoke_static, L_invoke_static),
            H(OP_invoke_exact, L_invoke_exact),
            H(OP_invoke_vtable, L_invoke_vtable),
            H(OP_invoke_interface, L_invoke_interface),
            H(OP_invoke_checked, L_invoke_checked),
            H(OP_invoke_dynamic, L_invoke_dynamic),
            H(OP_invoke_handle, L_invoke_handle),
            H(BC_new, L_new),
            H(OP_new_quick, L_new_quick),
            H(BC_newarray, L_newarray),
            H(BC_anewarray, L_anewarray),
            H(OP_anewarray_quick, L_anewarray_quick),
            H(BC_arraylength, L_arraylength),
            H(BC_athrow, L_athrow),
            H(BC_checkcast, L_checkcast),
            H(OP_checkcast_quick, L_checkcast_quick),
            H(BC_instanceof, L_instanceof),
            H(OP_instanceof_quick, L_instanceof_quick),
            H(BC_monitorenter, L_monitorenter),
            H(BC_monitorexit, L_monitorexit),
            H(BC_multianewarray, L_multianewarray),
            H(BC_ifnull, L_ifnull),
            H(BC_ifnonnull, L_ifnonnull),
            H(OP_ENTER, L_enter),
            H(OP_breakpoint, L_breakpoint),
#define FUSED(name, ...) H(OP_##name, L_##name),
#include "spec/fused_ops.def"
#undef FUSED
#undef H
        };
        static const uint16_t returns[] = {OP_return1, OP_return2, BC_return, OP_return_init,
                                           OP_ireturn_narrow};
        for (size_t i = 0; i < OP_COUNT; i++) {
            normal_table[i] = event_table[i] = &&L_illegal;
            poll_table[i] = &&L_poll;
        }
        for (size_t i = 0; i < ARRAY_LEN(labels); i++)
            normal_table[labels[i].op] = event_table[labels[i].op] = labels[i].label;
        for (size_t i = 0; i < ARRAY_LEN(returns); i++)
            event_table[returns[i]] = &&L_return_event;
        for (uint16_t op = 0; op < OP_COUNT; op++) // a run that would return unseen falls apart
            if (fused_info(op) && event_table[fused_last(op)] == &&L_return_event)
                event_table[op] = &&apart;
        event_table[OP_ENTER] = poll_table[OP_ENTER] = &&L_enter_event;
        return;
    }
    frame = self->frame;
    goto enter;

L_illegal:
    vm_fatal("illegal instruction %u in %s.%s at %u", pc->op, frame->method->cls->name->s,
             frame->method->name->s, pc->bci);
L_poll:
    SAVE();
    thread_poll(self);
    CONTINUE_IF(!exception_pending(self));
    LEAVE_IF_ASKED();
    if (UNLIKELY(atomic_load_explicit(&self->poll, memory_order_relaxed) & POLL_LEAVE))
        thread_unrequest(self, POLL_LEAVE); // of a frame that is found when it is come back to
    if (UNLIKELY(atomic_load_explicit(&self->poll, memory_order_relaxed) & POLL_STEP)) {
        step_tell(self, frame, pc);
        CONTINUE_IF(!exception_pending(self));
        LEAVE_IF_ASKED();
    }
    if (event_on(INSTRUCTION)) {
        branch_post(self, frame, pc);
        CONTINUE_IF(!exception_pending(self));
    }
    goto *thread_normal_dispatch()[fused_first(pc->op)];
L_breakpoint:
    SAVE();
    event_post(self, BREAKPOINT, frame->method, pc->bci, breakpoint_at(pc));
    step_gone_on(self);
    CONTINUE_IF(!exception_pending(self));
    REDISPATCH();

    // ---- constants, locals, operand stack ----
L_nop:
    NEXT();
L_aconst_null:
    sp++->ref = NULL;
    NEXT();
L_const_int:
L_const_float:
    slot_set_i(sp++, pc->a);
    NEXT();
L_const_long:
    sp->l = pc->l;
    sp += 2;
    NEXT();
L_ldc : {
    jvalue v;
    char kind;
    SAVE();
    HandleMark mark = handle_mark(self);
    CONTINUE_IF(quicken_ldc(self, frame, pc, &v, &kind));
    sp->raw = 0;
    if (kind == 'L')
        sp->ref = deref(v.l);
    else if (words_of(kind) == 2 || kind == 'F')
        sp->l = v.j;
    else
        slot_set_i(sp, narrow_result(v.i, kind));
    handle_pop(self, mark);
    sp += words_of(kind);
    NEXT();
}
L_ldc_ref:
    sp++->ref = deref(pc->p);
    NEXT();
L_load1:
    *sp++ = locals[pc->a];
    NEXT();
L_load2:
    *sp = locals[pc->a];
    sp += 2;
    NEXT();
L_store1:
    locals[pc->a] = *--sp;
    NEXT();
L_store2:
    sp -= 2;
    locals[pc->a] = *sp;
    NEXT();
L_pop:
    sp--;
    NEXT();
L_pop2:
    sp -= 2;
    NEXT();
L_dup:
    sp[0] = sp[-1];
    sp++;
    NEXT();
L_dup_x1:
    sp[0] = sp[-1];
    sp[-1] = sp[-2];
    sp[-2] = sp[0];
    sp++;
    NEXT();
L_dup_x2:
    sp[0] = sp[-1];
    sp[-1] = sp[-2];
    sp[-2] = sp[-3];
    sp[-3] = sp[0];
    sp++;
    NEXT();
L_dup2:
    sp[0] = sp[-2];
    sp[1] = sp[-1];
    sp += 2;
    NEXT();
L_dup2_x1:
    sp[1] = sp[-1];
    sp[0] = sp[-2];
    sp[-1] = sp[-3];
    sp[-2] = sp[1];
    sp[-3] = sp[0];
    sp += 2;
    NEXT();
L_dup2_x2:
    sp[1] = sp[-1];
    sp[0] = sp[-2];
    sp[-1] = sp[-3];
    sp[-2] = sp[-4];
    sp[-3] = sp[1];
    sp[-4] = sp[0];
    sp += 2;
    NEXT();
L_swap : {
    Slot top = sp[-1];
    sp[-1] = sp[-2];
    sp[-2] = top;
    NEXT();
}

    // ---- arrays ----
L_iaload:
    ARRAY_LOAD(int32_t, i, 1);
L_laload:
    ARRAY_LOAD(int64_t, l, 2);
L_baload:
    ARRAY_LOAD(int8_t, i, 1);
L_caload:
    ARRAY_LOAD(uint16_t, i, 1);
L_saload:
    ARRAY_LOAD(int16_t, i, 1);
L_aaload : {
    ARRAY(2);
    sp--;
    sp[-1].ref = array_get_ref(array, index);
    NEXT();
}
L_iastore:
    ARRAY_STORE(int32_t, i, 1);
L_lastore:
    ARRAY_STORE(int64_t, l, 2);
L_castore:
    ARRAY_STORE(uint16_t, i, 1);
L_bastore : {
    ARRAY(3);
    int32_t v = sp[-1].i;
    if (object_class(array) == class_primitive_array('Z'))
        v &= 1;
    ((JAVA_SHARED int8_t *)array_data(array))[index] = (int8_t)v;
    sp -= 3;
    NEXT();
}
L_aastore : {
    ARRAY(3);
    Object *v = sp[-1].ref;
    if (v && UNLIKELY(!object_is_instance(v, object_class(array)->element))) {
        SAVE();
        throw_array_store(self, object_class(v));
        goto throw_pending;
    }
    array_set_ref(array, index, v);
    sp -= 3;
    NEXT();
}
L_arraylength:
    if (UNLIKELY(!sp[-1].ref))
        goto null_pointer;
    slot_set_i(&sp[-1], array_length(sp[-1].ref));
    NEXT();

    // ---- arithmetic ----
L_iadd:
    BINARY(i, 1, (uint32_t)x + (uint32_t)y);
L_isub:
    BINARY(i, 1, (uint32_t)x - (uint32_t)y);
L_imul:
    BINARY(i, 1, (uint32_t)x * (uint32_t)y);
L_iand:
    BINARY(i, 1, x & y);
L_ior:
    BINARY(i, 1, x | y);
L_ixor:
    BINARY(i, 1, x ^ y);
L_ladd:
    BINARY(l, 2, (uint64_t)x + (uint64_t)y);
L_lsub:
    BINARY(l, 2, (uint64_t)x - (uint64_t)y);
L_lmul:
    BINARY(l, 2, (uint64_t)x * (uint64_t)y);
L_land:
    BINARY(l, 2, x & y);
L_lor:
    BINARY(l, 2, x | y);
L_lxor:
    BINARY(l, 2, x ^ y);
L_fadd:
    BINARY(f, 1, x + y);
L_fsub:
    BINARY(f, 1, x - y);
L_fmul:
    BINARY(f, 1, x * y);
L_fdiv:
    BINARY(f, 1, x / y);
L_frem:
    BINARY(f, 1, fmodf(x, y));
L_dadd:
    BINARY(d, 2, x + y);
L_dsub:
    BINARY(d, 2, x - y);
L_dmul:
    BINARY(d, 2, x * y);
L_ddiv:
    BINARY(d, 2, x / y);
L_drem:
    BINARY(d, 2, fmod(x, y));
L_idiv:
    if (UNLIKELY(sp[-1].i == 0))
        goto divide_by_zero;
    BINARY(i, 1, java_idiv(x, y));
L_irem:
    if (UNLIKELY(sp[-1].i == 0))
        goto divide_by_zero;
    BINARY(i, 1, java_irem(x, y));
L_ldiv:
    if (UNLIKELY(sp[-2].l == 0))
        goto divide_by_zero;
    BINARY(l, 2, java_ldiv(x, y));
L_lrem:
    if (UNLIKELY(sp[-2].l == 0))
        goto divide_by_zero;
    BINARY(l, 2, java_lrem(x, y));
L_ineg:
    slot_set_i(&sp[-1], (int32_t)(0u - (uint32_t)sp[-1].i));
    NEXT();
L_lneg:
    sp[-2].l = (int64_t)(0ull - (uint64_t)sp[-2].l);
    NEXT();
L_fneg:
    slot_set_f(&sp[-1], -sp[-1].f);
    NEXT();
L_dneg:
    sp[-2].d = -sp[-2].d;
    NEXT();
L_ishl:
    SHIFT(i, 1, uint32_t, <<, 31);
L_ishr:
    SHIFT(i, 1, int32_t, >>, 31);
L_iushr:
    SHIFT(i, 1, uint32_t, >>, 31);
L_lshl:
    SHIFT(l, 2, uint64_t, <<, 63);
L_lshr:
    SHIFT(l, 2, int64_t, >>, 63);
L_lushr:
    SHIFT(l, 2, uint64_t, >>, 63);
L_iinc:
    slot_set_i(&locals[pc->a], (int32_t)((uint32_t)locals[pc->a].i + (uint32_t)pc->b));
    NEXT();
L_i2l:
    CONVERT(l, 2, i, 1, x);
L_i2f:
    CONVERT(f, 1, i, 1, (float)x);
L_i2d:
    CONVERT(d, 2, i, 1, x);
L_l2i:
    CONVERT(i, 1, l, 2, (int32_t)x);
L_l2f:
    CONVERT(f, 1, l, 2, (float)x);
L_l2d:
    CONVERT(d, 2, l, 2, (double)x);
L_f2i:
    CONVERT(i, 1, f, 1, java_d2i((double)x));
L_f2l:
    CONVERT(l, 2, f, 1, java_d2l((double)x));
L_f2d:
    CONVERT(d, 2, f, 1, (double)x);
L_d2i:
    CONVERT(i, 1, d, 2, java_d2i(x));
L_d2l:
    CONVERT(l, 2, d, 2, java_d2l(x));
L_d2f:
    CONVERT(f, 1, d, 2, (float)x);
L_i2b:
    slot_set_i(&sp[-1], (int8_t)sp[-1].i);
    NEXT();
L_i2c:
    slot_set_i(&sp[-1], (uint16_t)sp[-1].i);
    NEXT();
L_i2s:
    slot_set_i(&sp[-1], (int16_t)sp[-1].i);
    NEXT();
L_lcmp:
    COMPARE(l, 2, java_lcmp(x, y));
L_fcmpl:
    COMPARE(f, 1, java_dcmp((double)x, (double)y, -1));
L_fcmpg:
    COMPARE(f, 1, java_dcmp((double)x, (double)y, 1));
L_dcmpl:
    COMPARE(d, 2, java_dcmp(x, y, -1));
L_dcmpg:
    COMPARE(d, 2, java_dcmp(x, y, 1));

    // ---- branches ----
L_ifeq:
    JUMP(sp[-1].i == 0, 1);
L_ifne:
    JUMP(sp[-1].i != 0, 1);
L_iflt:
    JUMP(sp[-1].i < 0, 1);
L_ifge:
    JUMP(sp[-1].i >= 0, 1);
L_ifgt:
    JUMP(sp[-1].i > 0, 1);
L_ifle:
    JUMP(sp[-1].i <= 0, 1);
L_if_icmpeq:
    JUMP(sp[-2].i == sp[-1].i, 2);
L_if_icmpne:
    JUMP(sp[-2].i != sp[-1].i, 2);
L_if_icmplt:
    JUMP(sp[-2].i < sp[-1].i, 2);
L_if_icmpge:
    JUMP(sp[-2].i >= sp[-1].i, 2);
L_if_icmpgt:
    JUMP(sp[-2].i > sp[-1].i, 2);
L_if_icmple:
    JUMP(sp[-2].i <= sp[-1].i, 2);
L_if_acmpeq:
    JUMP(sp[-2].ref == sp[-1].ref, 2);
L_if_acmpne:
    JUMP(sp[-2].ref != sp[-1].ref, 2);
L_ifnull:
    JUMP(sp[-1].ref == NULL, 1);
L_ifnonnull:
    JUMP(sp[-1].ref != NULL, 1);
L_goto:
    pc += pc->a;
    DISPATCH();
L_jsr:
    sp++->p = pc + 1;
    pc += pc->a;
    DISPATCH();
L_ret:
    pc = locals[pc->a].p;
    DISPATCH();
L_switch : {
    int32_t key = (--sp)->i;
    pc += switch_target(pc->p, key);
    DISPATCH();
}

    // ---- returns ----
L_return_event:
    frame->flags |= FRAME_EVENT;
    goto *normal_table[breakpoint_original(pc)];
L_return_init:
    if (UNLIKELY(object_layout(locals[0].ref)->has_finalizer)) {
        SAVE();
        HandleMark mark = handle_mark(self);
        jvalue self_arg = {.l = handle_new(self, locals[0].ref)};
        if (!java_call(self, MTH(Finalizer, register), &self_arg, NULL))
            goto throw_pending;
        handle_pop(self, mark);
        RELOAD();
    }
L_return:
    RETURN(0);
L_ireturn_narrow:
    slot_set_i(&sp[-1], narrow_result(sp[-1].i, frame->method->ret));
L_return1:
    RETURN(1);
L_return2:
    RETURN(2);
leave:
    if (UNLIKELY(frame->flags & FRAME_ON_LEAVE)
        && !held_exit_method_fast(self, frame, FRAME_ON_LEAVE)) {
        SAVE();
        if (UNLIKELY(!held_is_structured(frame))) {
            throw_monitor_state(self); // the frame's own handlers come first
            goto throw_pending;
        }
        HandleMark mark = handle_mark(self);
        char kind = frame->method->ret;
        jvalue v = slot_to_jvalue(self, result, kind);
        frame_leave(self, false, v);
        if (kind_is_reference(kind))
            result.ref = deref(v.l);
        handle_pop(self, mark);
        RELOAD_FRAME();
        if (UNLIKELY(frame->flags & FRAME_LEAVE)) {
            self->exception = NULL;
            goto leave_early;
        }
        if (exception_pending(self)) {
            frame = self->frame = frame->prev;
            goto throw_pending;
        }
    }
    frame = self->frame = frame->prev;
pushed_result: // in `result`; back in the caller
    LEAVE_IF_ASKED();
    sp = frame->sp;
    *sp = result;
    sp += result_words;
    if (UNLIKELY(frame->flags & FRAME_ENTRY))
        return;
    pc = (Insn *)frame->pc;
    locals = frame->locals;
    NEXT();
leave_early: // frame->pc and frame->sp are saved
    RELOAD_FRAME();
    thread_unrequest(self, POLL_LEAVE);
    if (frame->flags & FRAME_POP)
        frame = leave_by_pop(self, frame);
    pc = (Insn *)frame->pc;
    sp = frame->sp;
    locals = frame->locals;
    if (!(frame->flags & FRAME_RETURN))
        DISPATCH();
    result = leave_take_result(self);
    RELOAD();
    result.i = narrow_result(result.i, frame->method->ret);
    result_words = words_of(frame->method->ret);
    goto leave;

    // ---- fields ----
L_getfield_byte:
    GETFIELD(byte, i, 1);
L_getfield_char:
    GETFIELD(char, i, 1);
L_getfield_short:
    GETFIELD(short, i, 1);
L_getfield_int:
    GETFIELD(int, i, 1);
L_getfield_long:
    GETFIELD(long, l, 2);
L_getfield_ref:
    GETFIELD(ref, ref, 1);
L_getfield_any : {
    Field *f = pc->p;
    Object *o = sp[-1].ref;
    if (UNLIKELY(!o))
        goto null_pointer;
    field_push(&sp[-1], o, f);
    sp += words_of(f->kind) - 1;
    NEXT();
}
L_putfield_byte:
    PUTFIELD(byte, i, 1, );
L_putfield_bool:
    PUTFIELD(byte, i, 1, &1);
L_putfield_short:
    PUTFIELD(short, i, 1, );
L_putfield_int:
    PUTFIELD(int, i, 1, );
L_putfield_long:
    PUTFIELD(long, l, 2, );
L_putfield_ref : {
    Object *o = sp[-2].ref;
    if (UNLIKELY(!o))
        goto null_pointer;
    object_set_ref(o, (uint32_t)pc->b, sp[-1].ref);
    sp -= 2;
    NEXT();
}
L_putfield_any : {
    Field *f = pc->p;
    int words = words_of(f->kind);
    Object *o = sp[-1 - words].ref;
    if (UNLIKELY(!o))
        goto null_pointer;
    field_store(o, f, sp[-words]);
    sp -= 1 + words;
    NEXT();
}
L_getstatic_byte:
    GETSTATIC(byte, i, 1);
L_getstatic_char:
    GETSTATIC(char, i, 1);
L_getstatic_short:
    GETSTATIC(short, i, 1);
L_getstatic_int:
    GETSTATIC(int, i, 1);
L_getstatic_long:
    GETSTATIC(long, l, 2);
L_getstatic_ref:
    GETSTATIC(ref, ref, 1);
L_getstatic_any : {
    Field *f = pc->p;
    field_push(sp, class_mirror(f->cls), f);
    sp += words_of(f->kind);
    NEXT();
}
L_putstatic_any : {
    Field *f = pc->p;
    int words = words_of(f->kind);
    field_store(class_mirror(f->cls), f, sp[-words]);
    sp -= words;
    NEXT();
}
L_getstatic : {
    SAVE();
    Field *f = quicken_field(self, frame, pc, true, FIELD_GET);
    CONTINUE_IF(f);
    if (UNLIKELY(f->watch & WATCH_ACCESS))
        goto L_getstatic_watched;
    field_push(sp, class_mirror(f->cls), f);
    sp += words_of(f->kind);
    NEXT();
}
L_putstatic : {
    SAVE();
    Field *f = quicken_field(self, frame, pc, true, FIELD_PUT);
    CONTINUE_IF(f);
    if (UNLIKELY(f->watch & WATCH_MODIFY))
        goto L_putstatic_watched;
    int words = words_of(f->kind);
    field_store(class_mirror(f->cls), f, sp[-words]);
    sp -= words;
    NEXT();
}
L_getfield : {
    SAVE();
    CONTINUE_IF(quicken_field(self, frame, pc, false, FIELD_GET));
    REDISPATCH();
}
L_putfield : {
    SAVE();
    CONTINUE_IF(quicken_field(self, frame, pc, false, FIELD_PUT));
    REDISPATCH();
}
L_getfield_watched : {
    if (UNLIKELY(!sp[-1].ref))
        goto null_pointer;
    SAVE();
    Field *f = watch_get(self, frame, pc, &sp[-1]);
    CONTINUE_IF(f);
    LEAVE_IF_ASKED();
    field_push(sp - 1, sp[-1].ref, f);
    sp += words_of(f->kind) - 1;
    NEXT();
}
L_putfield_watched : {
    Field *f = resolved_field(frame->method->pool, (uint16_t)pc->a);
    int words = words_of(f->kind);
    if (UNLIKELY(!sp[-1 - words].ref))
        goto null_pointer;
    SAVE();
    CONTINUE_IF(watch_put(self, frame, pc, &sp[-1 - words], &sp[-words]));
    LEAVE_IF_ASKED();
    field_store(sp[-1 - words].ref, f, sp[-words]);
    sp -= 1 + words;
    NEXT();
}
L_getstatic_watched : {
    SAVE();
    Field *f = watch_get(self, frame, pc, NULL);
    CONTINUE_IF(f);
    LEAVE_IF_ASKED();
    field_push(sp, class_mirror(f->cls), f);
    sp += words_of(f->kind);
    NEXT();
}
L_putstatic_watched : {
    Field *f = resolved_field(frame->method->pool, (uint16_t)pc->a);
    int words = words_of(f->kind);
    SAVE();
    CONTINUE_IF(watch_put(self, frame, pc, NULL, &sp[-words]));
    LEAVE_IF_ASKED();
    field_store(class_mirror(f->cls), f, sp[-words]);
    sp -= words;
    NEXT();
}

    // ---- calls: m and sp behind the arguments, then enter ----
L_invokevirtual:
L_invokespecial:
L_invokeinterface : {
    CallSite *site;
    SAVE();
    CONTINUE_IF(quicken_invoke(self, pc, &site));
    REDISPATCH();
}
L_invokestatic : { // may keep its slow form while the class is being initialised
    CallSite *site;
    SAVE();
    m = quicken_invoke(self, pc, &site);
    CONTINUE_IF(m);
    goto enter;
}
L_invokedynamic:
    SAVE();
    CONTINUE_IF(quicken_invoke_dynamic(self, frame, pc));
    REDISPATCH();
L_invoke_static:
    m = pc->p;
    goto enter;
L_invoke_exact:
    m = pc->p;
    if (UNLIKELY(!sp[-m->arg_words].ref))
        goto null_pointer;
    goto enter;
L_invoke_vtable : {
    m = pc->p;
    Object *receiver = sp[-m->arg_words].ref;
    if (UNLIKELY(!receiver))
        goto null_pointer;
    m = object_class(receiver)->vtable[m->table_index];
    goto enter;
}
L_invoke_interface : {
    m = pc->p;
    Object *receiver = sp[-m->arg_words].ref;
    if (UNLIKELY(!receiver))
        goto null_pointer;
    SAVE();
    m = interface_select(self, frame, receiver, m);
    CONTINUE_IF(m);
    goto enter;
}
L_invoke_checked : {
    m = pc->p;
    Object *receiver = sp[-m->arg_words].ref;
    if (UNLIKELY(!receiver))
        goto null_pointer;
    SAVE();
    m = invoke_checked(self, frame, pc, receiver);
    CONTINUE_IF(m);
    goto enter;
}
L_invoke_handle : { // its first argument is the MethodHandle or VarHandle
    const CallSite *site = pc->p;
    if (UNLIKELY(!sp[(site->appendix ? 1 : 0) - site->adapter->arg_words].ref))
        goto null_pointer;
}
L_invoke_dynamic : {
    CallSite *site = pc->p;
    m = site->adapter;
    if (site->appendix)
        sp++->ref = deref(site->appendix);
    goto enter;
}

enter:
    frame->pc = pc;
    MOVE_STACK();
    goto *entries[atomic_load_explicit(&m->entry, memory_order_acquire)]; // as bind() stores it
enter_java : {
    Insn *code = atomic_load_explicit(&m->code, memory_order_acquire);
    Slot *arguments = sp - m->arg_words;
    Frame *callee = (Frame *)(void *)(arguments + m->max_locals);
    if (UNLIKELY(frame_operands(callee) + m->max_stack > self->stack_limit))
        goto stack_overflow;
    if (UNLIKELY(!code)) {
        frame->sp = sp;
        code = method_decode(self, m);
    }
    frame->sp = arguments;
    push_frame(self, callee, frame, m, code, arguments, 0);
    frame = callee;
    pc = code;
    sp = frame_operands(callee);
    locals = arguments;
    CONTINUE_IF(LIKELY(!(m->access & ACC_SYNCHRONIZED)) || lock_frame(self, frame));
    goto *atomic_load_explicit(&self->dispatch, memory_order_relaxed)[OP_ENTER];
}
L_enter:
    DISPATCH();
L_enter_event:
    event_post(self, METHOD_ENTRY, .method = frame->method);
    CONTINUE_IF(!exception_pending(self));
    DISPATCH();
enter_always_intrinsic:
    frame->sp = sp - m->arg_words;
    if (UNLIKELY(!m->intrinsic(self, m, frame->sp))) {
        if (method_is_native(m))
            goto enter_native;
        goto enter_java;
    }
    result = *frame->sp;
    result_words = words_of(m->ret);
    goto pushed_result;
enter_intrinsic: // nobody listens to calls, nothing is asked of the thread
    if (LIKELY(atomic_load_explicit(&self->dispatch, memory_order_relaxed)
               == TABLE(normal_table))
        && !(frame->flags & FRAME_ENTRY) && m->intrinsic(self, m, sp - m->arg_words)) {
        sp += words_of(m->ret) - m->arg_words;
        NEXT();
    }
enter_native : {
    Slot *arguments = sp - m->arg_words;
    Frame *callee = (Frame *)(void *)(arguments + MAX_OF(m->arg_words, 1));
    if (UNLIKELY(frame_operands(callee) + 2 > self->stack_limit))
        goto stack_overflow;
    frame->sp = arguments;
    push_frame(self, callee, frame, m, NULL, arguments, FRAME_NATIVE);
    bool ok = run_native(self, callee);
    self->frame = callee->prev;
    RELOAD_FRAME();
    if (UNLIKELY(!ok))
        goto throw_pending;
    result = arguments[0];
    result_words = words_of(m->ret);
    if (UNLIKELY(thread_poll_wanted(self))) { // the result is not on the stack yet
        HandleMark mark = handle_mark(self);
        jvalue v = slot_to_jvalue(self, result, m->ret);
        thread_poll(self);
        if (kind_is_reference(m->ret))
            result.ref = deref(v.l);
        handle_pop(self, mark);
        if (exception_pending(self))
            goto throw_pending;
        RELOAD_FRAME();
    }
    goto pushed_result;
}
enter_abstract:
    frame->sp = sp;
    throw_abstract_call(self, frame, m, sp[-m->arg_words].ref);
    goto throw_pending;
enter_throws:
    frame->sp = sp;
    m = invoke_instead(self, m);
    CONTINUE_IF(m);
    goto enter;
enter_invoke_basic : {
    Object *handle = sp[-m->arg_words].ref;
    if (UNLIKELY(!handle))
        goto null_pointer_call;
    Object *member = lambda_entry(handle);
    m = member ? member_target(member) : NULL;
    VM_CHECK(m);
    goto enter;
}
enter_link_to_static:
    if (UNLIKELY(!sp[-1].ref))
        goto null_pointer_call;
    m = member_target((--sp)->ref);
    VM_CHECK(m);
    goto enter;
enter_link_to_special:
    if (UNLIKELY(!sp[-1].ref || !sp[-m->arg_words].ref))
        goto null_pointer_call;
    m = member_target((--sp)->ref);
    VM_CHECK(m);
    goto enter;
enter_link_to_virtual:
enter_link_to_interface : {
    Object *receiver = sp[-m->arg_words].ref;
    if (UNLIKELY(!sp[-1].ref || !receiver))
        goto null_pointer_call;
    frame->sp = sp;
    Method *selected =
        member_select(self, receiver, sp[-1].ref, m->entry == ENTRY_LINK_TO_INTERFACE);
    CONTINUE_IF(selected);
    sp--;
    m = selected;
    goto enter;
}
enter_link_to_native : { // its first argument is a handle that does the call in Java
    Object *handle = sp[-m->arg_words].ref;
    Object *member = handle ? lambda_entry(handle) : NULL;
    if (UNLIKELY(!member))
        goto null_pointer_call;
    sp--; // the NativeEntryPoint
    m = member_target(member);
    VM_CHECK(m);
    goto enter;
}

    // ---- objects ----
L_new : {
    SAVE();
    Class *c = quicken_new(self, frame, pc);
    Object *o = c ? object_new_raw(self, c) : NULL;
    CONTINUE_IF(o);
    sp++->ref = o;
    NEXT();
}
L_new_quick : {
    Class *c = pc->p;
    Object *o = heap_alloc_fast(self, &c->layout, c->layout.instance_size);
    if (UNLIKELY(!o)) {
        SAVE();
        o = object_new_raw(self, c);
        CONTINUE_IF(o);
    }
    sp++->ref = o;
    NEXT();
}
L_newarray : {
    static const char kinds[] = {'Z', 'C', 'F', 'D', 'B', 'S', 'I', 'J'};
    SAVE();
    Object *o = array_new_raw(self, class_primitive_array(kinds[pc->a - 4]), sp[-1].i);
    CONTINUE_IF(o);
    sp[-1].ref = o;
    NEXT();
}
L_anewarray:
    SAVE();
    CONTINUE_IF(quicken_class(self, frame, pc, OP_anewarray_quick));
    REDISPATCH();
L_anewarray_quick : {
    SAVE();
    Object *o = array_new_raw(self, pc->p, sp[-1].i);
    CONTINUE_IF(o);
    sp[-1].ref = o;
    NEXT();
}
L_multianewarray : {
    SAVE();
    Object *o = new_multi_array(self, pc);
    CONTINUE_IF(o);
    sp -= pc->b;
    sp++->ref = o;
    NEXT();
}
L_athrow:
    if (UNLIKELY(!sp[-1].ref))
        goto null_pointer;
    SAVE();
    throw_object(self, sp[-1].ref);
    goto throw_pending;
L_checkcast:
    if (!sp[-1].ref) // null needs no class (JVMS checkcast)
        NEXT();
    SAVE();
    CONTINUE_IF(quicken_class(self, frame, pc, OP_checkcast_quick));
    REDISPATCH();
L_checkcast_quick : {
    Object *o = sp[-1].ref;
    if (o && UNLIKELY(!object_is_instance(o, pc->p))) {
        SAVE();
        throw_class_cast(self, object_class(o), pc->p);
        goto throw_pending;
    }
    NEXT();
}
L_instanceof:
    if (!sp[-1].ref) {
        slot_set_i(&sp[-1], 0);
        NEXT();
    }
    SAVE();
    CONTINUE_IF(quicken_class(self, frame, pc, OP_instanceof_quick));
    REDISPATCH();
L_instanceof_quick : {
    Object *o = sp[-1].ref;
    slot_set_i(&sp[-1], o && object_is_instance(o, pc->p));
    NEXT();
}
L_monitorenter:
    if (UNLIKELY(!sp[-1].ref))
        goto null_pointer;
    if (UNLIKELY(!held_enter_fast(self, frame, sp[-1].ref))) {
        SAVE();
        CONTINUE_IF(frame_enter_monitor(self));
    }
    sp--;
    NEXT();
L_monitorexit:
    if (UNLIKELY(!sp[-1].ref))
        goto null_pointer;
    if (UNLIKELY(!held_exit_fast(self, frame, sp[-1].ref))) {
        SAVE();
        CONTINUE_IF(frame_exit_monitor(self));
    }
    sp--;
    NEXT();

#include "interp/fused.inc"

    // ---- exceptions ----
null_pointer:
    SAVE();
    throw_null(self, "java/lang/NullPointerException");
    goto throw_pending;
null_pointer_call:
    frame->sp = sp;
    throw_null(self, "java/lang/NullPointerException");
    goto throw_pending;
divide_by_zero:
    SAVE();
    throw_new(self, "java/lang/ArithmeticException", "/ by zero");
    goto throw_pending;
stack_overflow:
    frame->sp = sp;
    throw_stack_overflow(self);
throw_pending: // self->exception is set, frame->pc and frame->sp are saved
    RELOAD_FRAME();
    while (!(frame->flags & FRAME_ENTRY)) {
        Insn *handler = unwind_find_handler(self);
        RELOAD_FRAME();
        if (UNLIKELY(frame->flags & FRAME_LEAVE)) {
            self->exception = self->exception_reported = NULL;
            goto leave_early;
        }
        if (handler) {
            pc = handler;
            sp = frame_operands(frame);
            locals = frame->locals;
            sp++->ref = self->exception;
            self->exception = NULL;
            DISPATCH();
        }
        frame_leave(self, true, (jvalue){0});
        RELOAD_FRAME();
        if (UNLIKELY(frame->flags & FRAME_LEAVE)) {
            self->exception = NULL;
            goto leave_early;
        }
        frame = self->frame = frame->prev;
    }
}

static bool trace_wanted(void)
{
    return event_is_wanted(EVENT_INSTRUCTION);
}

static void on_event_switch(EventId id, bool on)
{
    (void)on;
    if (id == EVENT_INSTRUCTION)
        threads_request_all(trace_wanted, POLL_TRACE);
    if (id == EVENT_METHOD_ENTRY || id == EVENT_METHOD_EXIT) {
        bool any = event_is_wanted(EVENT_METHOD_ENTRY) || event_is_wanted(EVENT_METHOD_EXIT);
        thread_set_dispatch(TABLE(any ? event_table : normal_table), TABLE(poll_table));
    }
}

static void forget_code(Method *m)
{
    breakpoints_forget(m);
    method_free_oop_maps(m);
    method_free_code(m);
}

static void method_forget(Method *m)
{
    forget_code(m);
    vm_free(m->native_call);
}

// The engine's part of a class that is unloaded; its old versions are swept (class_version.h).
static void forget(Class *dead)
{
    if (!dead) {
        call_caches_clear();
        return;
    }
    for (uint32_t i = 0; i < dead->method_count; i++)
        method_forget(class_method(dead, i));
}

void interp_init(void)
{
    fuse_init();
    unload_add_hook(forget);
    version_set_forget_code(forget_code);
    interp_run(NULL, NULL, NULL);
    thread_set_dispatch(TABLE(normal_table), TABLE(poll_table));
    event_on_switch(on_event_switch);
    frame_set_maps(&interp_frame_maps);
    java_set_engine(interp_call);
}
