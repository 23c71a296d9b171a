// SPDX-License-Identifier: Apache-2.0
// What the interpreter counts of methods, for a compiler: calls and taken backward branches of all methods; of warm ones also the
// classes that calls and type checks see, the ways that branches go, and what threw and caught (docs/PROFILES.md).
//
// A warm method has a MethodProfile, which lives as long as its code. While profiling is on, the instructions that are of interest have
// profiling forms. The protocol:
//
// - A profiling form is the same instruction with another op. Nothing of an Insn that the plain form reads changes, so a thread
//   that dispatched on one form and then reads operands never sees those of another. What the form counts it finds by position:
//   MethodProfile.site_of; a branch counts in its own Insn, in b and c, which nothing else uses.
// - CodeHead.profile is published before the first profiling op (both release); a thread that dispatched on the op (acquire) finds
//   it. It is never taken away while the code lives, so a thread may still be in a profiling handler after profiling went off.
// - Whether profiling is on changes under the lock that orders breakpoints and quickening (breakpoint.c). Who writes an op there, a
//   first run above all, chooses the form under the same lock: no op of the wrong form is left behind. Superinstructions are chosen
//   again around each op that changes.
// - Counts are relaxed and not exact where threads meet; a class that was seen stays at its place. Who reads them expects no more.
// - An unloaded class leaves all profiles while the world is stopped.
// - Counts and profile belong to the code. A redefined method starts anew; the old code keeps its own while frames still run it.
#ifndef INTERP_PROFILE_H
#define INTERP_PROFILE_H

#include "class/class.h"
#include "frame/frame.h"

enum {
    PROFILE_WARM = 256, // the weight from which a method is profiled, if no flag says otherwise
    PROFILE_RIPE = 2048,      // plain forms again when the weight has grown by so much
    PROFILE_CALLS_MAX = 4096, // calls that are counted, of methods that no compiler waits for
    PROFILE_CALLS_WAITED = 1 << 16, // of those that one does
    PROFILE_CLASSES = 2,            // that a site distinguishes
    PROFILE_NO_SITE = 0xFFFF,
};

// What an instruction that looks at an object's class has seen: the receiver of a call through a table, the operand of checkcast or
// instanceof, the value of aastore.
typedef struct TypeSite {
    Class *_Atomic classes[PROFILE_CLASSES]; // the first ones that came; NULL: none yet
    _Atomic uint32_t counts[PROFILE_CLASSES];
    _Atomic uint32_t others, nulls; // null receivers throw and are not counted
} TypeSite;

// A loop of which one activation took many turns, by the bytecode index where it begins. Lives as long as the profile.
typedef struct HotLoop {
    struct HotLoop *next;
    int32_t bci;
    _Atomic uint32_t reported_from; // as of a method, by its weight
    _Atomic uint8_t in_vain;
    const struct CompiledCode *_Atomic code; // that enters there (interp/osr.h); NULL: none
} HotLoop;

typedef struct MethodProfile {
    struct MethodProfile *next, *prev; // all profiles
    uint32_t insn_count, site_count, handler_count;
    _Atomic uint32_t ripe;    // the weight at which profiling ends by itself; 0: it never began
    _Atomic bool on;          // the forms are there; changes under the lock of breakpoint.c
    _Atomic uint8_t in_vain;  // how often it was compiled in vain: profile_report_later
    _Atomic uint8_t compiled; // how often it was compiled: the compiler's
    _Atomic uint32_t
        reported_from; // the weight from which it is reported to the compiler again; 0: it never was
    HotLoop *_Atomic hot_loops; // added under profiles_lock
    _Atomic uint32_t loops;     // taken backward branches, as they were credited
    _Atomic uint32_t longest;   // the most that was credited to one activation
    _Atomic uint8_t *thrown;    // a bit for each instruction: an exception came out of it
    _Atomic uint8_t *caught;    // a bit for each entry of the exception table
    uint16_t *site_of;          // index in sites by instruction, or PROFILE_NO_SITE
    TypeSite sites[];
} MethodProfile;

// Stands in front of a method's code. Calls are counted down: calls is those granted less those left.
typedef struct CodeHead {
    MethodProfile *_Atomic profile; // NULL: the method is not warm
    _Atomic uint32_t calls_left;    // until profile_calls looks at the method
    _Atomic uint32_t calls_granted;
} CodeHead;
_Static_assert(sizeof(CodeHead) == sizeof(Insn), "code stays aligned");
static inline CodeHead *code_head(Insn *code)
{
    return (CodeHead *)(void *)code - 1;
}
// Of code that nobody runs yet.
void profile_init_head(CodeHead *head);

// Once, before Java code runs: the weight from which methods are profiled, 1 to PROFILE_WARM. 1: counts are exact. Without `wanted` and
// without a compiler nothing is counted: the first call of a method and the first branch of a thread see that, and no other looks.
void profile_init(uint32_t threshold, bool wanted);

// ---- for a compiler ----
enum { PROFILE_CALLS_ALONE = -1 };
#define PROFILE_NOT_AGAIN UINT32_MAX // MethodProfile.reported_from
// m, which has decoded code and profile p, is heavy; with `loop` not PROFILE_CALLS_ALONE, one activation took so many backward branches
// that it is worth leaving it at that bytecode index, the target of one. In the thread that runs m, IN_VM, between instructions or before
// m's first one, whose arguments are no roots yet: NO_GC, no poll. It is reported again with each grant of counts until it sets
// reported_from, of the profile or of the loop.
typedef void ProfileHeavy(Thread *self, Method *m, MethodProfile *p, uint32_t weight,
                          int32_t loop);
// Once, before Java code runs: reports methods from this weight on, at least 1: each method before its first call; of loops from
// `turns` of one activation on; again what was compiled in vain when its weight has grown by `again`.
void profile_set_compiler(ProfileHeavy *heavy, uint32_t weight, uint32_t turns, uint32_t again);

// m, which has a profile, or the loop of it, was compiled in vain: it is reported again, each time when m's weight has grown by twice as much,
// unless that is not to double. Thread-safe, NO_GC.
void profile_report_later(Method *m);
void profile_report_loop_later(const Method *m, HotLoop *loop, bool doubles);
// The same of one whose code was thrown away, and which was counted no more: it is counted again.
void profile_report_again(Method *m, bool doubles);

// m, or the loop, was compiled, but what was made is not entered for now: it is reported again soon, as what it was made of is heavy.
void profile_report_soon(Method *m);
void profile_report_loop_soon(HotLoop *loop);

// ---- for those who read profiles ----
// The loop at a bytecode index; NULL: none is hot there. NO_GC.
HotLoop *profile_hot_loop(const MethodProfile *p, int32_t bci);
// NULL: the method is not warm, or has no decoded code. It lives as long as the code. NO_GC.
static inline MethodProfile *method_profile(const Method *m)
{
    Insn *code = atomic_load_explicit(&m->code, memory_order_acquire);
    return code ? atomic_load_explicit(&code_head(code)->profile, memory_order_acquire) : NULL;
}
// Calls, of the first PROFILE_CALLS_MAX. NO_GC.
uint32_t profile_call_count(const Method *m);
// Calls and taken backward branches: about how much was done in a method. NO_GC.
uint32_t profile_weight(const Method *m);
// The site of an instruction of m, which has a profile; NULL: it has none. NO_GC.
const TypeSite *profile_site(const Method *m, const Insn *pc);
// A class that is none of those that a call there distinguishes came, while nothing was profiled. NO_GC.
void profile_count_other(const Method *m, const Insn *pc);
static inline bool profile_has_bit(const _Atomic uint8_t *bits, uint32_t i)
{
    return atomic_load_explicit(&bits[i / 8], memory_order_relaxed) >> i % 8 & 1;
}
// Of a conditional branch of a profiled method: how often it was taken, and not taken. NO_GC.
uint32_t profile_taken(const Insn *pc);
uint32_t profile_not_taken(const Insn *pc);
// Whether an exception came out of the instruction at bci. NO_GC.
bool profile_has_thrown(const Method *m, uint32_t bci);
// Bytes of all profiles. NO_GC.
size_t profile_bytes(void);

// ---- switching; m has decoded code, the caller is IN_VM; thread-safe, NO_GC ----
// Profiles m from now on.
void profile_on(Method *m);
// Gives m's instructions their plain forms; what was counted stays.
void profile_off(Method *m);
// Frees the profile of a method whose code is freed. World stopped.
void profile_free(const Method *m);
// Classes were unloaded: their names leave the profiles. World stopped.
void profiles_forget_dead(void);

// The form of an instruction with op `plain` in m's code as it is now. Under the lock of breakpoint.c.
uint16_t profile_form(const Method *m, uint16_t plain);
// The op of which `op` is the profiling form; others as they are.
uint16_t profile_plain(uint16_t op);

// ---- for the engine; self is IN_VM, NO_GC ----
// m, which has decoded code, is called by self.
COLD void profile_calls(Thread *self, Method *m);
ALWAYS_INLINE void profile_count_call(Thread *self, Method *m)
{
    Insn *code = atomic_load_explicit(&m->code, memory_order_relaxed);
    _Atomic uint32_t *at = &code_head(code)->calls_left;
    uint32_t left = atomic_load_explicit(at, memory_order_relaxed);
    if (LIKELY(left > 1))
        atomic_store_explicit(at, left - 1, memory_order_relaxed);
    else
        profile_calls(self, m);
}
// self's loop budget is used up: credits its youngest frame, which goes back to `target`. True: there may be code for the loop.
COLD bool profile_loops(Thread *self, const Insn *target);
// self takes a backward branch to `target` in its youngest frame. True: there may be code for the loop.
ALWAYS_INLINE bool profile_loop(Thread *self, const Insn *target)
{
    return UNLIKELY(--self->loop_budget < 0) && profile_loops(self, target);
}
static inline void profile_bump(_Atomic uint32_t *count)
{
    atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + 1,
                          memory_order_relaxed);
}
void profile_other_class(TypeSite *site, Class *c);
// The instruction at pc, of m, looks at `o`, which may be null.
static inline void profile_operand(const Method *m, const Insn *pc, const Object *o)
{
    Insn *code = atomic_load_explicit(&m->code, memory_order_relaxed);
    MethodProfile *p = atomic_load_explicit(&code_head(code)->profile, memory_order_acquire);
    TypeSite *site = &p->sites[p->site_of[pc - code]];
    Class *c = o ? object_class(o) : NULL;
    if (c == NULL)
        profile_bump(&site->nulls);
    else if (LIKELY(atomic_load_explicit(&site->classes[0], memory_order_relaxed) == c))
        profile_bump(&site->counts[0]);
    else
        profile_other_class(site, c);
}
// The call at pc, of m, selects by its receiver, below sp with the other arguments. If that is null, it throws.
static inline void profile_receiver(const Method *m, const Insn *pc, const Slot *sp)
{
    const Object *receiver = sp[-((const Method *)pc->p)->arg_words].ref;
    if (LIKELY(receiver))
        profile_operand(m, pc, receiver);
}
// The conditional branch at pc is taken, or not; which it is comes back.
static inline bool profile_branch(Insn *pc, bool taken)
{
    int32_t *count = taken ? &pc->b : &pc->c;
    int32_t n = __atomic_load_n(count, __ATOMIC_RELAXED);
    __atomic_store_n(count, (int32_t)((uint32_t)n + 1), __ATOMIC_RELAXED);
    return taken;
}
// An exception came out of the instruction at pc; entry `entry` of the exception table catches one.
void profile_throw(const Method *m, const Insn *pc);
void profile_catch(const Method *m, uint32_t entry);

#endif
