// SPDX-License-Identifier: Apache-2.0
// The engine: pre-decoded code run by handler tables (docs/INTERPRETER.md).
#ifndef INTERP_INTERP_H
#define INTERP_INTERP_H

#include "class/loader.h"
#include "event/event.h"
#include "frame/frame_cursor.h"
#include "link/resolve.h"

typedef enum Op { // a Bytecode, or
    OP_FIRST_QUICK = BC_COUNT - 1,
#define QUICK(name, base) OP_##name,
#include "spec/quick_ops.def"
#undef QUICK
    OP_ENTER, // not an instruction: table entry that runs when a frame was pushed
#define FUSED(name, ...) OP_##name, // fuse.h
#include "spec/fused_ops.def"
#undef FUSED
    OP_COUNT
} Op;

typedef struct SwitchTable { // targets are relative to the switch, in Insns
    int32_t default_target;
    int32_t low, high; // tableswitch
    int32_t count;     // pairs of lookupswitch, sorted by key
    int32_t *keys;
    int32_t *targets;
} SwitchTable;

// Registers the engine with the layers below (java/engine.h, dispatch tables, frame visitor, event
// switches). Once, before any call.
void interp_init(void);

// ---- decode.c ----
// What a bytecode becomes where nothing but the bytecode decides; generated from spec/semantics.def.
extern const uint16_t decoded_op[BC_COUNT];
// The pre-decoded code of a method with bytecodes; made on the first call. NULL with
// OutOfMemoryError pending. Thread-safe, NO_GC.
Insn *method_decode(Thread *self, Method *m);
// Frees the code of a method that is unloaded, after its breakpoints.
void method_free_code(Method *m);
// The instruction at a bytecode index, NULL when none starts there.
Insn *method_insn_at(const Method *m, uint32_t bci);

// Bytes of all pre-decoded code. NO_GC.
size_t decoded_code_bytes(void);

// ---- single steps ----
// Until the end of the block self links an instruction: what runs for that is not stepped.
#define LINKING(self) \
    __attribute__((cleanup(linking_end))) UNUSED Thread *linking_ = linking_begin(self)
static inline Thread *linking_begin(Thread *self)
{
    uint32_t n = atomic_load_explicit(&self->linking, memory_order_relaxed);
    atomic_store_explicit(&self->linking, n + 1, memory_order_relaxed);
    return self;
}

static inline void linking_end(Thread *const *at)
{
    Thread *self = *at;
    uint32_t n = atomic_load_explicit(&self->linking, memory_order_relaxed) - 1;
    atomic_store_explicit(&self->linking, n, memory_order_relaxed);
    if (UNLIKELY(atomic_load_explicit(&self->linking_stepped, memory_order_relaxed) > n))
        atomic_store_explicit(&self->linking_stepped, n, memory_order_relaxed);
}

// The thread has gone on from where it stood when stepping began.
static inline void step_gone_on(Thread *self)
{
    atomic_store_explicit(&self->step_insn, NULL, memory_order_relaxed);
}

// Posts SINGLE_STEP: self, being stepped, comes to an instruction of its top frame. MAY_GC.
static inline void step_post(Thread *self, const Frame *f, const Insn *pc)
{
    bool stood = atomic_load_explicit(&self->step_insn, memory_order_relaxed) == pc
                 && atomic_load_explicit(&self->step_frame, memory_order_relaxed) == f->id;
    step_gone_on(self);
    if (stood
        || atomic_load_explicit(&self->linking, memory_order_relaxed)
               > atomic_load_explicit(&self->linking_stepped, memory_order_relaxed))
        return;
    event_post(self, SINGLE_STEP, .method = f->method, .bci = pc->bci);
    step_gone_on(self);
}

// ---- quicken.c: first runs ----
// The frame, self's youngest, is saved; all MAY_GC, may run Java; false with the exception pending. They replace
// `pc->op` by a quick form when that holds for all later runs, else leave it and give back what
// this run needs.
bool quicken_ldc(Thread *self, Frame *f, Insn *pc, jvalue *value, char *kind);
Field *quicken_field(Thread *self, Frame *f, Insn *pc, bool is_static, FieldUse use);
// The form of a field access (getfield ... putstatic) for a descriptor's kind, 'v' or 'w' (spec/quick_ops.def).
uint16_t quicken_field_form(uint8_t bytecode, char kind);
Method *quicken_invoke(Thread *self, Insn *pc, CallSite **site);
CallSite *quicken_invoke_dynamic(Thread *self, Frame *f, Insn *pc);
Class *quicken_new(Thread *self, Frame *f, Insn *pc);
Class *quicken_class(Thread *self, Frame *f, Insn *pc, uint16_t quick_op);

// ---- interp.c: the loop ----
typedef enum ResumeKind { // how a frame goes on in its middle
    RESUME_ENTERING, // with its monitor, if it holds that not yet, with METHOD_ENTRY, if it is wanted, then as AGAIN with its first instruction
    RESUME_AGAIN,    // with its instruction, and the polls and events before that
    RESUME_PAST_BREAKPOINT, // with its instruction, past polls, steps and its breakpoint
    RESUME_PAST_ACCESS,     // likewise, and past the report of an access to a watched field
    RESUME_BEHIND, // behind its call, whose arguments are off the stack: `result` is pushed
    // It returns `result`, or throws the pending exception where it returns to. What of leaving is still to come its flags say: its
    // monitors, METHOD_EXIT (FRAME_EXIT_POSTED: no more), FRAME_POP (FRAME_NOTIFY_POP).
    RESUME_LEAVING,
    RESUME_THROWING, // with the pending exception; self->exception_reported says whether EXCEPTION was posted
    RESUME_KINDS
} ResumeKind;
typedef struct Resume {
    ResumeKind kind;
    int result_words; // RESUME_BEHIND, RESUME_LEAVING: 0 to 2
    Slot result;      // a reference is raw: NO_GC until interp_resume is called
} Resume;
// Runs m, whose arguments lie below sp in the operands of the boundary frame self->frame, until that has the result
// or an exception is pending there. True: it came back before, to give its C frame up; self's youngest frame, not
// that boundary, is to go on as *how says, by interp_resume. m NULL: interp_resume. MAY_GC.
NODISCARD MAY_GC bool interp_run(Thread *self, Method *m, Slot *sp, Resume *how);
// Self's youngest frame, of a Java method, its pc and sp saved, goes on as *how says; with it those below, down to the
// first boundary. The result is interp_run's. So whoever calls it in turn with interp_run needs one C frame,
// however often the frames go on. Other frames of the thread below that boundary are untouched. MAY_GC.
NODISCARD MAY_GC static inline bool interp_resume(Thread *self, Resume *how)
{
    VM_ASSERT(self->frame->pc && how->kind < RESUME_KINDS);
    VM_ASSERT(how->kind == RESUME_LEAVING
              || (how->kind == RESUME_THROWING) == (self->exception != NULL));
    return interp_run(self, NULL, NULL, how);
}

// Whether METHOD_ENTRY or METHOD_EXIT is posted of self's calls. NO_GC.
static inline bool calls_post(const Thread *self, EventId id)
{
    return UNLIKELY(event_is_wanted(id))
           || UNLIKELY(atomic_load_explicit(&self->calls_watched, memory_order_relaxed));
}
// Posts METHOD_ENTRY of m, of self's youngest frame. MAY_GC.
MAY_GC static inline void call_entry_post(Thread *self, Method *m)
{
    if (calls_post(self, EVENT_METHOD_ENTRY))
        event_calls.entry(self, m);
}

// Makes f, above caller, self's youngest frame, the activation of m. NO_GC.
static inline void interp_push_frame(Thread *self, Frame *f, Frame *caller, Method *m,
                                     Insn *code, Slot *locals, uint32_t flags)
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

// The same of METHOD_EXIT; v may have a handle.
MAY_GC static inline void call_exit_post(Thread *self, Method *m, bool by_exception, jvalue v)
{
    if (calls_post(self, EVENT_METHOD_EXIT))
        event_calls.exit(self, m, by_exception, v);
}

// ---- invoke.c ----
// Engine.call.
bool interp_call(Thread *self, Method *m, const jvalue *args, jvalue *result);
// The method an interface call runs; NULL with the exception pending.
Method *interface_select(Thread *self, Frame *f, Object *receiver, Method *m);
// The same for a class, without what the thread remembers, of a call that names an interface. MAY_GC.
MAY_GC Method *interface_select_class(Thread *self, Class *c, Method *m);
// AbstractMethodError of a call from frame f, which is saved, that came to the abstract method m.
COLD MAY_GC void throw_abstract_call(Thread *self, const Frame *f, Method *m, Object *receiver);
// The interface that an invokeinterface of m names, once it is resolved. NO_GC.
Class *invoke_named_interface(const Method *m, const Insn *pc);
// Whether invokespecial in f's class, an interface, may have this receiver (NULL: it may), which has to
// implement it. False with IllegalAccessError pending.
NODISCARD MAY_GC bool invoke_check_special(Thread *self, const Frame *f, Object *receiver);
// What OP_invoke_checked at pc runs on a receiver; NULL with the exception pending. f is saved.
MAY_GC Method *invoke_checked(Thread *self, Frame *f, const Insn *pc, Object *receiver);
// What to run for m, which has no code of its own (ENTRY_THROWS): another one instead of a deleted
// method, or NULL with the exception pending. Self's youngest frame is the caller's, saved. MAY_GC.
MAY_GC Method *invoke_instead(Thread *self, Method *m);
// Forgets what interface_select remembers: classes were unloaded. World stopped.
void call_caches_clear(void);
// linkToVirtual and linkToInterface: selection by a MemberName. NULL with the exception pending.
Method *member_select(Thread *self, Object *receiver, Object *member, bool interface);

// A slot as tools and C get it; a reference through a new local handle.
static inline jvalue slot_to_jvalue(Thread *self, Slot s, char kind)
{
    jvalue v = {.j = s.l};
    if (kind_is_reference(kind))
        v.l = handle_new(self, s.ref);
    return v;
}
// Enters the monitor of the synchronized method of f, self's newest frame. False with the exception pending. interp.c
NODISCARD MAY_GC bool frame_lock(Thread *self, Frame *f);

// ---- unwind.c ----
// Posts EXCEPTION if it was not yet, and finds the handler of the pending exception in self's youngest frame.
// NULL: none. MAY_GC.
MAY_GC Insn *unwind_find_handler(Thread *self);
// The bci of m's handler for the pending exception, thrown at bci in a frame of m; -1: none. An exception that comes of the search, of a
// catch type that does not load, is pending instead. Self's youngest frame is saved. MAY_GC.
MAY_GC int32_t unwind_find_handler_bci(Thread *self, const Method *m, int32_t bci);
// Posts EXCEPTION if the exception that native method frame f leaves behind was not reported yet.
void unwind_native_exception(Thread *self, Frame *f);
// What must happen when self's youngest frame is left: monitors, events. May replace the pending exception:
// locking that is not structured becomes an IllegalMonitorStateException. MAY_GC.
MAY_GC void frame_leave(Thread *self, bool by_exception, jvalue result);
// monitorenter and monitorexit of the last operand of self's youngest frame, which stays; the frame is saved.
// False with the exception pending. When one came while it was entered (Thread.stop), the frame stands behind
// the instruction already, so that the handlers of the block exit it. MAY_GC.
MAY_GC bool frame_enter_monitor(Thread *self);
MAY_GC bool frame_exit_monitor(Thread *self);
// Throws IllegalMonitorStateException, in place of what is pending. MAY_GC.
COLD MAY_GC void throw_monitor_state(Thread *self);

// ---- oop_map.c ----
extern const FrameMaps interp_frame_maps;
void method_free_oop_maps(Method *m); // what was cached for a method that is unloaded
// Whether a local of an interpreted frame holds a reference where the frame stands. The frame's
// thread is in a safe state or self. NO_GC.
bool frame_local_is_ref(const Frame *f, uint32_t slot);
// What each local (of kinds[max_locals], SlotKind) holds where the instruction at bci begins, whatever path has led there. False: no path
// does, or those of subroutines differ. IN_VM; outside of attempts, or in a pause: what is found is kept. NO_GC.
bool method_locals_at(Method *m, uint32_t bci, uint8_t *kinds);
// The operands, in slots, that lie on the stack before the instruction where a frame stands. Same
// state.
uint32_t frame_depth(const Frame *f);

// ---- branch.c ----
// Posts INSTRUCTION for the instruction at pc, which is about to run; the frame is saved. MAY_GC.
MAY_GC void branch_post(Thread *self, Frame *f, const Insn *pc);

// ---- errors.c: cold throws of handlers ----
void throw_index(Thread *self, int32_t index, const Object *array);
void throw_index_of_length(Thread *self, int32_t index, int32_t length);
void throw_class_cast(Thread *self, Class *from, Class *to);
void throw_array_store(Thread *self, Class *value);

#endif
