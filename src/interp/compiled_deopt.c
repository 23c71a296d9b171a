// SPDX-License-Identifier: Apache-2.0
// Compiled frames that do not go on behind a call: exceptions, and deoptimization. See compiled_call.h.
//
// A frame that is deoptimized is decoded onto the Java stack, above the boundary of its stretch: a Frame for each method inlined in it.
// If compiled code called it, these go on in an interp_run that takes the dead frame's place on the C stack, and its result returns
// to that caller. If it is the oldest of its stretch, the boundary goes away, too: the interp_run that entered compiled code
// goes on with them, which lie where its frame was. So neither stack grows, however often a method, or a loop of one activation,
// is entered and left.
#include "event/event.h"
#include "interp/compiled_call.h"
#include "interp/compiled_decode.h"
#include "interp/frame_exit.h"
#include "java/exception.h"
#include "options/options.h"

static const void *return_address(uintptr_t rbp)
{
    return ((const void *const *)rbp)[1]; // NOLINT: the address of a frame
}

static uintptr_t saved_rbp(uintptr_t rbp)
{
    return *(const uintptr_t *)rbp; // NOLINT: likewise
}

static uintptr_t rsp_behind(uintptr_t rbp)
{
    return rbp + 2 * sizeof(void *);
}

// The frame at rbp, which called with the return address `from`. False: that is no compiled code's.
ALWAYS_INLINE bool find_frame(CompiledAt *l, const void *from, uintptr_t rbp)
{
    uintptr_t pc = compiled_true_pc((uintptr_t)from, rbp);
    const CompiledCode *code = compiled_find(pc - 1);
    if (!code)
        return false;
    uint32_t offset = (uint32_t)(pc - (uintptr_t)code->blob->start);
    *l = (CompiledAt){code, compiled_site(code, offset), rbp};
    VM_CHECK(l->site);
    return true;
}

// What the function of the VM has given that the frame has called.
static uint64_t *runtime_result(const CompiledAt *l)
{
    VM_ASSERT(l->site->kind == SITE_RUNTIME);
    return &compiled_registers(l->code, l->rbp)->at[CODE_SCRATCH];
}

// f's state counts a monitor that the site was to enter: it did not.
static void forget_monitor(const CompiledAt *l, Frame *f)
{
    if (!l->site->enters || *runtime_result(l))
        return;
    if (f->flags >= FRAME_BLOCK_MONITOR)
        f->flags -= FRAME_BLOCK_MONITOR;
    else
        f->flags &= ~(uint32_t)FRAME_LOCKED;
}

// The caller of a frame that is deoptimized is to be, too, while it is not the thread's to run compiled code. False: that is no
// compiled frame.
static bool hook_caller(const Thread *self, const CompiledAt *l)
{
    uintptr_t rbp = saved_rbp(l->rbp);
    uintptr_t pc = compiled_true_pc((uintptr_t)return_address(l->rbp), rbp);
    const CompiledCode *caller = compiled_find(pc - 1);
    if (caller && thread_jit_is_asked(self))
        compiled_hook(caller, rbp);
    return caller;
}

// Stepping has begun when the frame that is f now was compiled: it stands where it is done again.
static void begin_step(Thread *self, const Frame *f, ResumeKind how)
{
    if (atomic_load_explicit(&self->step_frame, memory_order_relaxed) != STEP_FROM_COMPILED)
        return;
    bool stands = how == RESUME_AGAIN || how == RESUME_ENTERING;
    atomic_store_explicit(&self->step_frame, stands ? f->id : 0, memory_order_relaxed);
    atomic_store_explicit(&self->step_insn, stands ? f->pc : NULL, memory_order_relaxed);
}

// What the frame returns, whose METHOD_EXIT was posted.
static void take_result(const Frame *f, Resume *how)
{
    how->result_words = (int)kind_words(f->method->ret);
    how->result = how->result_words ? f->sp[-how->result_words] : (Slot){0};
}

// The frame is deoptimized and goes on as `how` says.
static void deoptimize(Thread *self, const CompiledAt *l, Resume how, JavaPlace *to)
{
    NO_GC_SCOPE();
    Frame *boundary = self->frame;
    VM_ASSERT(boundary->flags & FRAME_COMPILED && l->site->state != CODE_NO_STATE);
    bool called_by_code = hook_caller(self, l);
    Frame *prev = called_by_code ? boundary : boundary->prev;
    self->frame = prev; // the place of a boundary that goes away is taken
    atomic_signal_fence(memory_order_release); // a profiler's signal handler may walk from here
    ParkedFrame *parked = compiled_parked(l->code, l->rbp);
    Frame *f = parked ? compiled_unpark(parked, prev) : compiled_decode(self, l, prev);
    VM_CHECK(frame_operands(f) + f->method->max_stack < self->stack_end);
    if (how.kind == RESUME_THROWING)
        forget_monitor(l, f);
    if (how.kind == RESUME_LEAVING)
        take_result(f, &how);
    const void *caller = return_address(l->rbp);
    *to = (JavaPlace){.pc = java_stub(called_by_code ? JAVA_STUB_RESUME : JAVA_STUB_LEFT),
                      .rsp = called_by_code ? l->rbp : rsp_behind(l->rbp),
                      .rbp = called_by_code ? l->rbp : saved_rbp(l->rbp),
                      .how = compiled_pack(how.kind, how.result_words),
                      .result = how.result.raw};
    if (called_by_code)
        frame_anchor_set(boundary, caller, saved_rbp(l->rbp));
    atomic_signal_fence(memory_order_release); // a profiler's signal handler may walk from here
    self->frame = f;
    begin_step(self, f, how.kind);
    if (heap_reserve_is_used())
        thread_request(self, POLL_COLLECT);
    if (parked && (f->flags & FRAME_EXIT_REQUESTED))
        thread_request(self, POLL_FRAME_EXIT);
    vm_free(parked);
}

// ---- who is told ----
static CompiledDeoptimized *deoptimized; // NULL: nobody asks

void compiled_on_deopt(CompiledDeoptimized *function)
{
    VM_ASSERT(function && !deoptimized);
    deoptimized = function;
}

// ---- exceptions ----

// Whether the frame's code is not to go on, or somebody wants to see where exceptions come by.
static bool is_watched(const Thread *self, const CompiledAt *l)
{
    return compiled_is_hooked(l->code, l->rbp) || thread_jit_is_asked(self)
           || event_on(EXCEPTION) || event_on(EXCEPTION_CATCH);
}

static const CodeLanding *find_landing(const CompiledAt *l, uint32_t scope, int32_t bci)
{
    for (uint32_t i = 0; i < l->site->landing_count; i++) {
        const CodeLanding *landing = &l->code->landings[l->site->landings + i];
        if (landing->scope == scope && landing->bci == (uint32_t)bci)
            return landing;
    }
    return NULL;
}

typedef enum Passage {
    PASSES,
    LANDS,
    LEAVES,
    LEAVES_MONITOR // as the frame of an inlined method holds one
} Passage;

// Whether the youngest method of the frame has returned already.
static bool is_leaving(const CompiledAt *l)
{
    return l->site->state != CODE_NO_STATE
           && l->code->states[l->site->state].kind == CODE_LEAVING;
}

// What the pending exception does to the frame, of which the methods are asked from the youngest on. It is deoptimized where
// that has to do something: where code has no landing for the handler, where monitors are to be given back, for listeners.
static MAY_GC Passage pass_frame(Thread *self, const CompiledAt *l, const CodeLanding **landing)
{
    uint32_t state = l->site->state;
    if (is_leaving(l))
        return LEAVES;
    while (state != CODE_NO_STATE) {
        const CodeState *s = &l->code->states[state];
        const CodeScope *scope = &l->code->scopes[s->scope];
        if (is_watched(self, l))
            return LEAVES;
        int32_t bci = unwind_find_handler_bci(self, scope->method, s->bci);
        if (bci >= 0) {
            *landing = find_landing(l, s->scope, bci);
            return *landing && !is_watched(self, l) ? LANDS : LEAVES;
        }
        if (s->locks > 0 && scope->caller != CODE_NO_STATE && !event_on(METHOD_EXIT))
            return LEAVES_MONITOR;
        if (s->locks > 0 || event_on(METHOD_EXIT))
            return LEAVES;
        state = scope->caller;
    }
    return is_watched(self, l) ? LEAVES : PASSES;
}

static void land(Thread *self, const CompiledAt *l, const CodeLanding *landing, JavaPlace *to)
{
    VM_ASSERT(exception_pending(self) && landing->offset < l->code->blob->size);
    *to = (JavaPlace){.pc = l->code->blob->start + landing->offset,
                      .rsp = l->rbp - l->code->frame_size,
                      .rbp = l->rbp};
    frame_anchor_clear(self->frame);
}

void compiled_throw(Thread *self, const void *from, uintptr_t rbp, uintptr_t rsp, JavaPlace *to)
{
    ASSERT_MAY_GC(self);
    VM_ASSERT(exception_pending(self));
    CompiledAt l;
    const CodeLanding *landing;
    while (find_frame(&l, from, rbp)) {
        Passage passage = PASSES;
        if (!l.site->passes || is_watched(self, &l) || event_on(METHOD_EXIT)) {
            frame_anchor_set(self->frame, from, rbp); // the stack may be looked at
            passage = pass_frame(self, &l, &landing);
        }
        switch (passage) {
        case LEAVES:
        case LEAVES_MONITOR:
            if (heap_reserve_is_used()) // many frames may be left before one polls
                heap_collect(self, GC_ALLOCATION, false);
            deoptimize(self, &l,
                       (Resume){.kind = is_leaving(&l) ? RESUME_LEAVING : RESUME_THROWING}, to);
            if (deoptimized && passage == LEAVES_MONITOR)
                deoptimized(self, l.code, l.site);
            return;
        case LANDS: land(self, &l, landing, to); return;
        case PASSES: break;
        }
        from = return_address(rbp);
        rsp = rsp_behind(rbp);
        rbp = saved_rbp(rbp);
    }
    frame_anchor_clear(self->frame);
    *to = (JavaPlace){.pc = from, .rsp = rsp, .rbp = rbp};
}

// ---- why a frame is deoptimized ----

// The result of a site as ValueKind + 1: how many words it has, 0: none.
static int result_words(const CodeSite *site)
{
    if (site->result == 0)
        return 0;
    ValueKind kind = (ValueKind)(site->result - 1);
    return kind == VALUE_J || kind == VALUE_D ? 2 : 1;
}

static MAY_GC void poll_with_result(Thread *self, const CodeSite *site, Slot *result)
{
    HANDLE_SCOPE(self);
    bool is_reference = site->result == VALUE_A + 1;
    jobject handle = is_reference ? handle_new(self, result->ref) : NULL;
    thread_poll(self);
    if (is_reference)
        result->ref = deref(handle);
}

bool compiled_serve(Thread *self, const void *from, uintptr_t rbp, Slot *result, JavaPlace *to)
{
    ASSERT_MAY_GC(self);
    CompiledAt l;
    if (!find_frame(&l, from, rbp))
        return false; // a JavaEnter: the interpreter polls
    poll_with_result(self, l.site, result);
    if (exception_pending(self)) {
        compiled_throw(self, from, rbp, 0, to);
        return true;
    }
    if (!thread_jit_is_asked(self) || l.site->state == CODE_NO_STATE)
        return false;
    deoptimize(self, &l, (Resume){RESUME_BEHIND, result_words(l.site), *result}, to);
    return true;
}

// A JavaEnter has called for the interpreter's frame below the boundary, which goes on as `how` says.
static void go_back(Thread *self, const uintptr_t *base, ResumeKind how, JavaPlace *to)
{
    *to = (JavaPlace){.pc = java_stub(JAVA_STUB_LEFT),
                      .rsp = (uintptr_t)(base + 2),
                      .rbp = base[0],
                      .how = compiled_pack(how, 0)};
    self->frame = self->frame->prev;
}

bool compiled_calls_no_more(Thread *self, const uintptr_t *base, JavaPlace *to)
{
    NO_GC_SCOPE();
    Frame *boundary = self->frame;
    VM_ASSERT(boundary->flags & FRAME_COMPILED);
    CompiledAt l;
    bool by_code = find_frame(&l, (const void *)base[1], base[0]);
    const ParkedFrame *parked = by_code ? compiled_parked(l.code, l.rbp) : NULL;
    const Frame *caller = by_code ? (parked ? parked->youngest : NULL) : boundary->prev;
    if (!caller || caller->flags & FRAME_ENTRY || !(caller->flags & FRAME_EXIT_REQUESTED))
        return false;
    boundary->sp = frame_operands(boundary);
    if (by_code)
        deoptimize(self, &l, (Resume){.kind = RESUME_BEHIND}, to);
    else
        go_back(self, base, RESUME_BEHIND, to);
    return true;
}

void compiled_call_again(Thread *self, const uintptr_t *base, JavaPlace *to)
{
    NO_GC_SCOPE();
    enum { MOST_ARGUMENTS = 255 }; // JVMS 4.3.3
    Frame *boundary = self->frame;
    Slot arguments[MOST_ARGUMENTS];
    uint32_t words = (uint32_t)(boundary->sp - frame_operands(boundary));
    VM_ASSERT(boundary->flags & FRAME_COMPILED && words <= MOST_ARGUMENTS);
    memcpy(arguments, frame_operands(boundary), words * sizeof *arguments);
    boundary->flags &= ~(uint32_t)FRAME_POP;
    boundary->sp = frame_operands(boundary);
    begin_step(self, NULL, RESUME_BEHIND); // it stood in what was popped: the call is a step
    CompiledAt l;
    if (find_frame(&l, (const void *)base[1], base[0])) {
        deoptimize(self, &l, (Resume){.kind = RESUME_AGAIN}, to);
    } else {
        go_back(self, base, RESUME_AGAIN, to);
    }
    restore_operands(self->frame, arguments, words);
}

void compiled_hook_all(Thread *self)
{
    enum { MOST = 32, HOOKED = 1, PARKED = 2, KINDS };
    static _Thread_local uint32_t turn;
    FrameCursor c = cursor_youngest(self);
    for (int n = 0; c.method && n < MOST; n++) {
        uint32_t what = c.kind == KIND_COMPILED ? turn++ % KINDS : 0;
        if (what == HOOKED)
            compiled_hook(c.compiled.code, c.compiled.rbp);
        else if (what == PARKED)
            cursor_own(&c);
        (void)!cursor_older(&c);
    }
}

// ---- behind stubs ----

static CompiledAt frame_at(const void *from, uintptr_t rbp)
{
    CompiledAt l;
    bool found = find_frame(&l, from, rbp);
    VM_CHECK(found);
    return l;
}

static uint64_t result_of(const CompiledAt *l)
{
    bool is_float = l->site->result == VALUE_F + 1 || l->site->result == VALUE_D + 1;
    if (l->site->kind == SITE_RUNTIME)
        return *runtime_result(l);
    return compiled_registers(l->code, l->rbp)->at[is_float ? CODE_FIRST_XMM : 0];
}

// As the state of the site says. All registers are saved.
static void deoptimize_at_state(Thread *self, const CompiledAt *l, JavaPlace *to)
{
    VM_ASSERT(l->site->state != CODE_NO_STATE && l->site->kind != SITE_SELECT);
    Resume how = {.kind = RESUME_AGAIN};
    switch ((CodeStateKind)l->code->states[l->site->state].kind) {
    case CODE_AGAIN: break;
    case CODE_THROWING: how.kind = RESUME_THROWING; break;
    case CODE_LEAVING: how.kind = RESUME_LEAVING; break;
    case CODE_PAST_BREAKPOINT: how.kind = RESUME_PAST_BREAKPOINT; break;
    case CODE_PAST_ACCESS: how.kind = RESUME_PAST_ACCESS; break;
    case CODE_ENTERING: how.kind = RESUME_ENTERING; break;
    case CODE_BEHIND:
        how = (Resume){RESUME_BEHIND, result_words(l->site), {.raw = result_of(l)}};
        break;
    }
    deoptimize(self, l, how, to);
}

bool compiled_at_deopt(Thread *self, const void *from, uintptr_t rbp, JavaPlace *to)
{
    ASSERT_IN_VM(self);
    CompiledAt l = frame_at(from, rbp);
    if (exception_pending(self)) { // of what a hooked frame has called
        compiled_throw(self, from, rbp, 0, to);
        return true;
    }
    deoptimize_at_state(self, &l, to);
    if (deoptimized && l.site->kind == SITE_DEOPT)
        deoptimized(self, l.code, l.site);
    return true;
}

bool compiled_at_athrow(Thread *self, const void *from, uintptr_t rbp, JavaPlace *to)
{
    ASSERT_IN_VM(self);
    CompiledAt l = frame_at(from, rbp);
    throw_object(self, (Object *)(uintptr_t)compiled_registers(l.code, rbp)->at[CODE_SCRATCH]);
    compiled_throw(self, from, rbp, 0, to);
    return true;
}

bool compiled_at_throw(Thread *self, const void *from, uintptr_t rbp, JavaPlace *to)
{
    ASSERT_IN_VM(self);
    compiled_throw(self, from, rbp, 0, to);
    return true;
}

bool compiled_at_poll(Thread *self, const void *from, uintptr_t rbp, JavaPlace *to)
{
    ASSERT_MAY_GC(self);
    CompiledAt l = frame_at(from, rbp);
    if (vm_options.jit_hook_all)
        compiled_hook_all(self);
    thread_poll(self);
    if (exception_pending(self))
        compiled_throw(self, from, rbp, 0, to);
    else if (thread_jit_is_asked(self))
        deoptimize_at_state(self, &l, to);
    else
        return false;
    return true;
}

bool compiled_behind_runtime(Thread *self, const void *from, uintptr_t rbp, JavaPlace *to)
{
    ASSERT_MAY_GC(self);
    CompiledAt l = frame_at(from, rbp);
    if (l.site->kind == SITE_SELECT || l.site->state == CODE_NO_STATE
        || exception_pending(self)) // which the code throws
        return false;
    if (vm_options.jit_hook_all)
        compiled_hook_all(self);
    Slot *result = (Slot *)(void *)runtime_result(&l);
    poll_with_result(self, l.site, result);
    if (exception_pending(self)) {
        compiled_throw(self, from, rbp, 0, to);
        return true;
    }
    if (thread_jit_is_asked(self)) {
        deoptimize_at_state(self, &l, to);
        return true;
    }
    // What was made may be old now: the code stores into it without a barrier.
    if (l.site->result == VALUE_A + 1 && result->ref)
        heap_expect_stores(result->ref);
    return false;
}

bool compiled_posted(Thread *self, const void *from, uintptr_t rbp, JavaPlace *to)
{
    ASSERT_MAY_GC(self);
    if (vm_options.jit_hook_all)
        compiled_hook_all(self);
    if (!exception_pending(self))
        thread_poll(self);
    if (exception_pending(self)) {
        compiled_throw(self, from, rbp, 0, to);
        return true;
    }
    if (!thread_jit_is_asked(self))
        return false;
    CompiledAt l = frame_at(from, rbp);
    deoptimize_at_state(self, &l, to);
    return true;
}

void compiled_post_reference(Thread *self, Method *m, bool by_exception, Object *result)
{
    ASSERT_MAY_GC(self);
    HandleMark mark = handle_mark(self);
    call_exit_post(self, m, by_exception, (jvalue){.l = handle_new(self, result)});
    handle_pop(self, mark);
}
