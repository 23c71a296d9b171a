// SPDX-License-Identifier: Apache-2.0
// See compiled_frame.h.
#include "code/compiled_frame.h"

#include "code/compiled_code.h"
#include "code/java_stubs.h"
#include "frame/frame_cursor.h"

enum {
    WORD = sizeof(uintptr_t),
    ENTRY_BYTES = 64,  // at most, before a frame is made
    STUB_STACK = 4096, // bytes that a stub may have on the stack
};

// Also where the address sanitizer still has marks of C frames that are gone.
__attribute__((no_sanitize("address"))) static uintptr_t word_at(uintptr_t at)
{
    return *(const uintptr_t *)at; // NOLINT: the address of a frame
}

// Whether there may be a frame with this rbp, all of it at `low` or above. Of a thread that stands still it is so.
static bool may_be_frame(const CompiledPlace *p, uintptr_t low, uintptr_t rbp)
{
    return !p->end
           || (rbp % WORD == 0 && rbp >= MAX_OF(low, p->begin) && rbp <= p->end - 2 * WORD);
}

// The site of the frame with this rbp, to which what it has called returns at pc; NULL: there is none of compiled code.
ALWAYS_INLINE const CodeSite *site_at(const CompiledPlace *p, uintptr_t pc, uintptr_t rbp,
                                      const CompiledCode **code)
{
    *code = NULL;
    if (!may_be_frame(p, 0, rbp))
        return NULL;
    pc = compiled_true_pc(pc, rbp);
    *code = compiled_find(pc - 1); // a call may be the last instruction
    return *code ? compiled_site(*code, (uint32_t)(pc - (uintptr_t)(*code)->blob->start))
                 : NULL;
}

// Where the return address of what a frame has called lies.
static uintptr_t return_address_at(const CompiledCode *code, uintptr_t rbp)
{
    return (uintptr_t)compiled_return_address(code, rbp);
}

// Whether that is where pc, or a hook in its place, leads to.
static bool returns_to(const CompiledPlace *p, const CompiledCode *code, uintptr_t pc,
                       uintptr_t rbp)
{
    uintptr_t at = return_address_at(code, rbp);
    return may_be_frame(p, 0, at)
           && compiled_true_pc(word_at(at), rbp) == compiled_true_pc(pc, rbp);
}

// ---- one physical frame ----

static bool older(FrameCursor *c);

ALWAYS_INLINE void stand_in_scope(FrameCursor *c, uint32_t scope, uint32_t bci)
{
    const CompiledCode *code = c->compiled.code;
    VM_ASSERT(scope < code->scope_count);
    c->compiled.scope = scope;
    c->method = code->scopes[scope].method;
    c->bci = (int32_t)bci;
}

ALWAYS_INLINE void stand_at_state(FrameCursor *c, uint32_t state)
{
    VM_ASSERT(state < c->compiled.code->state_count);
    const CodeState *s = &c->compiled.code->states[state];
    c->compiled.state = state;
    stand_in_scope(c, s->scope, s->bci);
}

// The frame with this rbp, which stands behind a call that returns to pc; that address lies at `at` (0: known to fit). False: there is
// none of compiled code, or it is parked.
ALWAYS_INLINE bool stand_at_call(FrameCursor *c, uintptr_t pc, uintptr_t rbp, uintptr_t at)
{
    CompiledPlace *p = &c->compiled;
    p->site = site_at(p, pc, rbp, &p->code);
    VM_CHECK(p->site || !p->code || p->end); // a thread that stands still stands at sites
    if (!p->site || (at && return_address_at(p->code, rbp) != at))
        return false;
    // The address at `at` is pc; an anchor's may have a hook in its place since.
    p->parked = at && pc != compiled_lazy_pc ? NULL : compiled_parked(p->code, rbp);
    if (p->parked)
        return false;
    p->rbp = rbp;
    p->up_rbp = word_at(rbp);
    p->up_pc = word_at(rbp + WORD);
    p->scope = 0;
    if (p->site->state == CODE_NO_STATE) // the poll of its entry: for Java it is not there yet
        return older(c);
    stand_at_state(c, p->site->state);
    return true;
}

// From one physical frame to the next.
static bool stand_at_caller(FrameCursor *c)
{
    CompiledPlace *p = &c->compiled;
    uintptr_t returns_at = p->rbp + WORD;
    return may_be_frame(p, returns_at, p->up_rbp)
           && stand_at_call(c, p->up_pc, p->up_rbp, returns_at);
}

// There is no compiled frame: the cursor goes on with what comes behind.
static bool end_stretch(FrameCursor *c)
{
    c->compiled.code = NULL;
    c->frame = c->compiled.parked ? c->compiled.parked->youngest : c->frame->prev;
    return false;
}

static bool older(FrameCursor *c)
{
    CompiledPlace *p = &c->compiled;
    uint32_t caller = p->code->scopes[p->scope].caller;
    p->parked = NULL;
    if (caller == CODE_NO_STATE)
        return stand_at_caller(c) || end_stretch(c);
    stand_at_state(c, caller);
    return true;
}

// ---- traces ----

// From a physical frame of a thread that stands still to its caller, `*pc` being the return address that led to it. False: what comes next
// has to be looked at more closely.
ALWAYS_INLINE bool pass_to_caller(CompiledPlace *p, uintptr_t *pc)
{
    uintptr_t up_pc = word_at(p->rbp + WORD), up_rbp = word_at(p->rbp);
    if (up_pc != *pc) { // a recursion stands at one site again and again
        const CompiledCode *code = up_pc == compiled_lazy_pc ? NULL : compiled_find(up_pc - 1);
        if (!code)
            return false;
        p->code = code;
        p->site = compiled_site(code, (uint32_t)(up_pc - (uintptr_t)code->blob->start));
        VM_CHECK(p->site && p->site->state != CODE_NO_STATE); // it has called
        *pc = up_pc;
    }
    p->rbp = up_rbp;
    p->state = p->site->state;
    return true;
}

// To the next older frame. False, and p as it was: what comes next has to be looked at more closely.
ALWAYS_INLINE bool pass_on(CompiledPlace *p, uint32_t caller, uintptr_t *pc)
{
    if (caller == CODE_NO_STATE)
        return pass_to_caller(p, pc);
    p->state = caller;
    return true;
}

// For a thread that stands still. c is at a compiled frame afterwards if its depth has grown by what this gives, else at the last of them.
ALWAYS_INLINE uint32_t trace_still(FrameCursor *c, uint32_t max, FramePlace *out)
{
    CompiledPlace p = c->compiled; // in registers
    VM_ASSERT(p.code && p.site && !p.end && max > 0);
    uintptr_t pc = 0;
    uint32_t n = 0;
    const CodeScope *scope = &p.code->scopes[p.scope];
    FramePlace at = {c->method, c->bci};
    bool passed;
    do {
        out[n++] = at;
        passed = pass_on(&p, scope->caller, &pc);
        const CodeState *s = &p.code->states[p.state];
        scope = &p.code->scopes[s->scope];
        at = (FramePlace){scope->method, s->bci};
    } while (passed && n < max);
    if (n > 1 || passed) {
        p.up_pc = word_at(p.rbp + WORD);
        p.up_rbp = word_at(p.rbp);
        p.parked = NULL;
        c->compiled = p;
        stand_at_state(c, p.state);
    }
    c->depth += (int32_t)(passed ? n : n - 1);
    return n;
}

static uint32_t trace(FrameCursor *c, uint32_t max, FramePlace *out)
{
    uint32_t n = 1;
    int32_t depth = c->depth;
    if (c->compiled.site && !c->compiled.end)
        n = trace_still(c, max, out);
    else
        out[0] = (FramePlace){c->method, c->bci};
    if (c->depth < depth + (int32_t)n)
        (void)cursor_older(c);
    return n;
}

// ---- the youngest frame ----

// Whether a stub's next instruction is its first behind a hook, or jmp rcx, by which it goes to a JavaPlace: rsp is that of the frame.
static bool took_last_word(uintptr_t pc)
{
    static const uint8_t jump[] = {0xFF, 0xE1};
    return pc == (uintptr_t)java_stub(JAVA_STUB_LAZY)
           || memcmp((const void *)pc, jump, sizeof jump) == 0; // NOLINT: an address in a stub
}

// The youngest frame that has called what runs now, with rbp in the register or in a frame of a stub.
static bool find_caller(FrameCursor *c, const ArchPlace *place)
{
    const CompiledPlace *p = &c->compiled;
    const CompiledCode *code;
    uintptr_t sp = place->sp - (took_last_word(place->pc) ? WORD : 0), rbp = place->fp;
    if (!may_be_frame(p, sp, rbp) || sp % WORD)
        return false;
    for (uintptr_t at = sp; at < rbp && at < sp + STUB_STACK; at += WORD)
        if (site_at(p, word_at(at), rbp, &code) && return_address_at(code, rbp) == at)
            return stand_at_call(c, word_at(at), rbp, 0);
    // A stub has made a frame, on top of the return address or of a copy.
    uintptr_t up = word_at(rbp), pc = word_at(rbp + WORD);
    return may_be_frame(p, rbp + 2 * WORD, up) && site_at(p, pc, up, &code)
           && return_address_at(code, up) >= rbp && returns_to(p, code, pc, up)
           && stand_at_call(c, pc, up, 0);
}

// Where in code a frame is made, by push rbp; mov rbp, rsp. What is before that compares rsp with its limit.
static uint32_t offset_of_push(const CodeBlob *blob)
{
    static const uint8_t push[] = {0x55, 0x48, 0x89, 0xE5};
    uint32_t end = MIN_OF(blob->size - (uint32_t)sizeof push, ENTRY_BYTES);
    for (uint32_t at = 0; at < end; at++)
        if (memcmp(blob->start + at, push, sizeof push) == 0)
            return at;
    return 0;
}

// Whether an instruction comes behind leave, or is where code goes whose entry polls: ret, jmp [rip + x].
static bool is_last(const uint8_t *at)
{
    return at[0] == 0xC3 || (at[0] == 0xFF && at[1] == 0x25);
}

// In compiled code, at any instruction.
static bool stand_in_code(FrameCursor *c, const CompiledCode *code, const ArchPlace *at)
{
    CompiledPlace *p = &c->compiled;
    uint32_t offset = (uint32_t)(at->pc - (uintptr_t)code->blob->start);
    uint32_t push = offset_of_push(code->blob);
    bool has_frame = offset > push + 1 && !is_last(code->blob->start + offset);
    bool is_pushed = offset == push + 1;
    uintptr_t rbp =
        has_frame ? at->fp : at->sp - (is_pushed ? 0 : WORD); // where it is or would be
    if (!may_be_frame(p, at->sp - WORD, rbp))
        return false;
    const CodePosition *position = compiled_position(code, offset);
    p->code = code;
    p->site = NULL;
    p->state = CODE_NO_STATE;
    p->rbp = rbp;
    p->up_pc = word_at(rbp + WORD);
    p->up_rbp = has_frame ? word_at(rbp) : at->fp;
    stand_in_scope(c, position->scope, position->bci);
    return true;
}

// While a signal handler looks, the anchor may be of a frame that has gone.
static bool is_anchor(const CompiledPlace *p, uintptr_t pc, uintptr_t rbp)
{
    const CompiledCode *code;
    return site_at(p, pc, rbp, &code) && returns_to(p, code, pc, rbp);
}

static bool first(FrameCursor *c, const ArchPlace *at)
{
    const Frame *boundary = c->frame;
    const CodeBlob *blob = at ? code_find(at->pc) : NULL;
    bool found;
    c->compiled.parked = NULL;
    if (blob) {
        const CompiledCode *code = compiled_find(at->pc);
        found = code ? stand_in_code(c, code, at) : find_caller(c, at);
    } else {
        uintptr_t pc = (uintptr_t)boundary->anchor_pc;
        atomic_signal_fence(memory_order_acquire); // frame_anchor_set
        uintptr_t rbp = boundary->anchor_rbp;
        found = pc && (!c->compiled.end || is_anchor(&c->compiled, pc, rbp))
                && stand_at_call(c, pc, rbp, 0);
    }
    return found || end_stretch(c);
}

// ---- values ----

static const CodeState *state_of(const FrameCursor *c)
{
    VM_ASSERT(c->compiled.site && c->compiled.state < c->compiled.code->state_count);
    return &c->compiled.code->states[c->compiled.state];
}

static const SavedRegisters *registers_of(const FrameCursor *c)
{
    bool saved = c->compiled.site && c->compiled.site->kind != SITE_CALL;
    return saved ? compiled_registers(c->compiled.code, c->compiled.rbp) : NULL;
}

static CompiledShape shape(const FrameCursor *c)
{
    const CodeState *s = state_of(c);
    return (CompiledShape){s->locals, s->depth, s->locks};
}

// The place of a local or operand; it must be there.
static CodeValue value_place(const CompiledCode *code, const CodeState *s, uint32_t slot)
{
    VM_ASSERT(slot < (uint32_t)s->locals + s->depth);
    return code
        ->values[slot < s->locals ? s->locals_at + slot : s->operands_at + (slot - s->locals)];
}

static SlotKind slot_kind_of(const CompiledCode *code, const CodeState *s, uint32_t slot)
{
    CodeValue v = value_place(code, s, slot);
    if (v.place != PLACE_UNSET)
        return v.kind == VALUE_A                        ? SLOT_REF
               : v.kind == VALUE_J || v.kind == VALUE_D ? SLOT_WIDE
                                                        : SLOT_NUMBER;
    bool second =
        slot != 0 && slot != s->locals && slot_kind_of(code, s, slot - 1) == SLOT_WIDE;
    return second ? SLOT_NUMBER : SLOT_UNSET;
}

static SlotKind slot_kind(const FrameCursor *c, uint32_t slot)
{
    const CodeState *s = state_of(c);
    return slot < (uint32_t)s->locals + s->depth ? slot_kind_of(c->compiled.code, s, slot)
                                                 : SLOT_UNSET;
}

// What the frame has become, if it was parked since the cursor came to it.
static Frame *parked_frame(const FrameCursor *c)
{
    const CompiledPlace *p = &c->compiled;
    const ParkedFrame *parked = p->site ? compiled_parked(p->code, p->rbp) : NULL;
    if (!parked)
        return NULL;
    Frame *f = parked->youngest;
    for (uint32_t state = p->site->state; p->code->states[state].scope != p->scope; f = f->prev)
        state = p->code->scopes[p->code->states[state].scope].caller;
    return f;
}

static FrameParker *parker;
static UnmadeSizer *sizer;

static bool is_settled(const FrameCursor *c)
{
    const CompiledPlace *p = &c->compiled;
    bool has_state = p->site && p->site->state != CODE_NO_STATE;
    return !has_state || p->code->states[p->site->state].virtuals_at == 0;
}

static size_t unmade_bytes(const FrameCursor *c)
{
    const CompiledPlace *p = &c->compiled;
    if (is_settled(c) || p->code->states[p->site->state].scope != p->scope || parked_frame(c))
        return 0;
    return sizer(p->code, p->code->states[p->site->state].virtuals_at);
}

static Slot value(const FrameCursor *c, uint32_t slot)
{
    Frame *parked = parked_frame(c);
    uint32_t locals = state_of(c)->locals;
    if (parked)
        return slot < locals ? parked->locals[slot] : frame_operands(parked)[slot - locals];
    CodeValue v = value_place(c->compiled.code, state_of(c), slot);
    return compiled_value(c->compiled.code, v, c->compiled.rbp, registers_of(c));
}

// ---- roots ----

static void visit_values(const FrameCursor *c, SlotIndexVisitor visit, void *ctx)
{
    const CodeState *s = state_of(c);
    for (uint32_t i = 0; i < (uint32_t)s->locals + s->depth; i++) {
        if (slot_kind_of(c->compiled.code, s, i) != SLOT_REF)
            continue;
        Object *o = value(c, i).ref; // it may lie in no place of its own
        visit(ctx, &o, i);
    }
}

// The places that the bits of a map are set for.
static void visit_bits(uint32_t bits, void (*each)(void *ctx, uint32_t bit), void *ctx)
{
    for (; bits; bits &= bits - 1)
        each(ctx, (uint32_t)__builtin_ctz(bits));
}

typedef struct RootVisit {
    const CompiledPlace *place;
    uint32_t first; // slot of bit 0
    RefVisitor visit;
    void *ctx;
} RootVisit;

static void visit_slot(void *ctx, uint32_t bit)
{
    const RootVisit *v = ctx;
    v->visit(v->ctx, (Object **)(void *)compiled_slot(v->place->rbp, v->first + bit));
}

static void visit_register(void *ctx, uint32_t bit)
{
    const RootVisit *v = ctx;
    VM_ASSERT(bit < CODE_FIRST_XMM);
    SavedRegisters *saved = compiled_registers(v->place->code, v->place->rbp);
    v->visit(v->ctx, (Object **)(void *)&saved->at[bit]);
}

static void visit_frame_roots(const CompiledPlace *p, RefVisitor visit, void *ctx)
{
    RootVisit v = {p, 0, visit, ctx};
    for (uint32_t i = 0; i < p->code->slot_words; i++) {
        VM_ASSERT(p->site->roots + i < p->code->root_count);
        v.first = 32 * i;
        visit_bits(p->code->root_words[p->site->roots + i], visit_slot, &v);
    }
    if (p->site->kind == SITE_RUNTIME)
        visit_bits(p->site->registers, visit_register, &v);
}

static Frame *visit_roots(const Frame *boundary, RefVisitor visit, void *ctx)
{
    CompiledPlace p = {.rbp = boundary->anchor_rbp};
    uintptr_t pc = (uintptr_t)boundary->anchor_pc;
    while (pc && (p.site = site_at(&p, pc, p.rbp, &p.code)) != NULL) {
        const ParkedFrame *parked = compiled_parked(p.code, p.rbp);
        if (parked)
            return parked->youngest;
        if (visit)
            visit_frame_roots(&p, visit, ctx);
        pc = word_at(p.rbp + WORD);
        p.rbp = word_at(p.rbp);
    }
    VM_CHECK(!pc || !p.code); // a thread that stands still stands at sites
    return boundary->prev;
}

// ---- methods ----

static Method *method_at(const FrameCursor *c, uint32_t i)
{
    const CompiledCode *code = c->compiled.code;
    return i < code->scope_count ? code->scopes[i].method : NULL;
}

static Method *method(const FrameCursor *c)
{
    const Frame *parked = parked_frame(c);
    return parked ? parked->method : c->compiled.code->scopes[c->compiled.scope].method;
}

// All frames of the code get it: whoever gives it has seen to it that the code is not entered again.
static void set_method_at(const FrameCursor *c, uint32_t i, Method *m)
{
    VM_ASSERT(i < c->compiled.code->scope_count && m);
    ((CodeScope *)(uintptr_t)c->compiled.code->scopes)[i].method = m;
}

// ---- hooks ----

void compiled_hook_frames(const CompiledCode *code)
{
    ASSERT_WORLD_STOPPED();
    THREAD_EACH(t)
    FRAMES_EACH(c, t)
    {
        if (c.compiled.code == code && cursor_is_outermost(&c))
            compiled_hook(code, c.compiled.rbp);
    }
}

// Of a stretch, down to a parked frame, that one included. Gives what comes behind.
static const Frame *mark_stretch(const Frame *boundary)
{
    CompiledPlace p = {.rbp = boundary->anchor_rbp};
    uintptr_t pc = (uintptr_t)boundary->anchor_pc;
    while (pc && site_at(&p, pc, p.rbp, &p.code)) {
        ((CompiledCode *)(uintptr_t)p.code)->is_run = true;
        const ParkedFrame *parked = compiled_parked(p.code, p.rbp);
        if (parked)
            return parked->youngest;
        pc = word_at(p.rbp + WORD);
        p.rbp = word_at(p.rbp);
    }
    return boundary->prev;
}

void compiled_find_run(void)
{
    ASSERT_WORLD_STOPPED();
    THREAD_EACH(t)
    for (const Frame *f = t->frame; f;)
        f = f->flags & FRAME_COMPILED ? mark_stretch(f) : f->prev;
}

void compiled_hook_others(bool posts_calls)
{
    ASSERT_WORLD_STOPPED();
    THREAD_EACH(t)
    FRAMES_EACH(c, t)
    {
        const CompiledCode *code = c.compiled.code;
        if (code && code->posts_calls != posts_calls && cursor_is_outermost(&c))
            compiled_hook(code, c.compiled.rbp);
    }
}

// ---- parking ----
// Lock: parking_lock, while a frame of another thread is parked. Threads that hold one thread may do it at once; while it parks its own
// nobody holds it.

static Mutex parking_lock = MUTEX_INIT(RANK_PARKING);

// The boundary of what is older than the frame in its stretch.
static void set_older(const FrameCursor *c, Frame *older)
{
    uintptr_t up_pc = word_at(c->compiled.rbp + WORD), up_rbp = word_at(c->compiled.rbp);
    older->prev = c->frame->prev;
    if (compiled_find(compiled_true_pc(up_pc, up_rbp) - 1))
        frame_anchor_set(older, (const void *)up_pc, up_rbp); // NOLINT: a return address
}

static void park(const FrameCursor *c)
{
    const CompiledPlace *p = &c->compiled;
    if (compiled_parked(p->code, p->rbp))
        return;
    ParkedFrame *parked = parker((Thread *)(uintptr_t)c->thread, p->code, p->site, p->rbp);
    parked->pc = compiled_true_pc(*compiled_return_address(p->code, p->rbp), p->rbp);
    set_older(c, &parked->older);
    compiled_set_parked(p->code, p->rbp, parked);
}

static void own(FrameCursor *c)
{
    CompiledPlace *p = &c->compiled;
    VM_ASSERT(p->site && parker);
    if (c->thread == thread_current()) {
        park(c);
    } else {
        mutex_lock(&parking_lock);
        park(c);
        mutex_unlock(&parking_lock);
    }
    Frame *f = parked_frame(c);
    p->code = NULL;
    cursor_stand_at(c, f);
}

void compiled_frames_set_parker(FrameParker *p, UnmadeSizer *s)
{
    parker = p;
    sizer = s;
}

void compiled_frames_init(void)
{
    static const CompiledFrames frames = {
        .first = first,
        .older = older,
        .trace = trace,
        .method = method,
        .shape = shape,
        .slot_kind = slot_kind,
        .value = value,
        .visit_values = visit_values,
        .visit_roots = visit_roots,
        .own = own,
        .is_settled = is_settled,
        .unmade_bytes = unmade_bytes,
        .method_at = method_at,
        .set_method_at = set_method_at,
    };
    frame_set_compiled(&frames);
}
