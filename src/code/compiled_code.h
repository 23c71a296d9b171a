// SPDX-License-Identifier: Apache-2.0
// What a compiled method's code means: its sites, the interpreter's frames that its states describe, its references. Made by
// the compiler, read by all who look at a compiled frame. Everything here is constant once it is published and lies outside the
// heap and the code cache: signal handlers may read it (docs/CODE.md, "Compiled frames").
//
// A compiled frame lies on the C stack:
//
//     arguments on the stack | return address | saved rbp | events word | slots | outgoing words   <- rsp
//                                               ^rbp
// Slot i is the 8 bytes at rbp - CODE_SLOTS_AT - 8 * i; outgoing word i those at rsp + 8 * i. The frame's size never changes.
#ifndef CODE_COMPILED_CODE_H
#define CODE_COMPILED_CODE_H

#include "code/code_cache.h"
#include "frame/frame.h"
#include "thread/slot.h"

enum {
    CODE_SLOTS_AT = 16, // from rbp down to slot 0
    CODE_EVENTS_AT = 8, // likewise to the events word
    CODE_REGISTERS =
        32, // 0 to 15 general registers by their number in instructions, 16 to 31 xmm0 to xmm15
    CODE_FIRST_XMM = 16,
    CODE_SCRATCH = 11, // the general register that no value is in
};

// What a stub has saved that may be looked at while it calls C: all registers, by their numbers; those for floating point are not there
// where the code has nothing in them (java_runtime_stub). It lies right below the return
// address that the site pushed: compiled_registers.
typedef struct SavedRegisters {
    uint64_t at[CODE_REGISTERS];
} SavedRegisters;

// ---- values ----
typedef enum ValuePlace {
    PLACE_UNSET,    // no instruction could read it
    PLACE_REGISTER, // index: its number
    PLACE_SLOT,     // index: the slot
    PLACE_CONSTANT, // index in CompiledCode.constants: the bits
    PLACE_HANDLE,   // index in CompiledCode.constants: the handle of an object
    PLACE_VIRTUAL,  // an object that was not made; index: its number among those of the state
} ValuePlace;
// Where a value of a state lies: I and F have 32 bits there, the others 64; a reference is a full pointer.
typedef struct CodeValue {
    unsigned place : 4; // ValuePlace
    unsigned kind : 4;  // ValueKind
    unsigned index : 24;
} CodeValue;
typedef enum ValueKind { VALUE_I, VALUE_J, VALUE_F, VALUE_D, VALUE_A } ValueKind;
_Static_assert(sizeof(CodeValue) == 4, "states are most of what a compiled method needs");

// ---- states ----
typedef enum CodeStateKind {
    CODE_AGAIN,    // goes on with the instruction, from its beginning
    CODE_BEHIND,   // behind it: its operands are gone; the result, if any, is to be pushed
    CODE_THROWING, // an exception is pending in it; its operands are gone
    CODE_LEAVING, // it returns: its result, if any, is the last operand. METHOD_EXIT was posted, and what is pending is thrown where it returns to
    CODE_PAST_BREAKPOINT, // as AGAIN, but for its breakpoint, which was reported
    CODE_PAST_ACCESS,     // likewise, and so was the access to a watched field
    CODE_ENTERING, // as AGAIN, with a method's first instruction: before it METHOD_ENTRY is still to come, and its monitor, if that is not
                   // among the locks
} CodeStateKind;
enum { CODE_NO_STATE = UINT32_MAX };
// The interpreter's frame at an instruction. Long and double values stand in their first word, the second is UNSET.
typedef struct CodeState {
    uint32_t scope; // index in CompiledCode.scopes
    uint16_t bci;
    uint8_t kind; // CodeStateKind
    uint8_t
        locks; // objects that are locked by it, the oldest first; that of a synchronized method included
    uint16_t locals; // words: max_locals
    uint16_t depth;  // words of operands
    uint32_t locals_at,
        operands_at; // in CompiledCode.values; the locks lie behind the operands
    // Likewise: how many objects were not made that this frame, or one that it is inlined in, has; of each its number, its class (both as
    // index; a HANDLE: the array of boxes that it comes from, if that has one of its value) and the values of its fields, in the order of class_instance_fields. 0: none. Of the state of a site alone.
    uint32_t virtuals_at;
} CodeState;
enum { CODE_VIRTUALS_MAX = 32, CODE_VIRTUAL_FIELDS_MAX = 16 };
typedef struct CodeScope { // a method whose bytecodes the code does
    struct Method *method;
    uint32_t
        caller; // a state: where the method that it is inlined in stands; CODE_NO_STATE: scope 0, the method itself
} CodeScope;

// ---- sites ----
typedef enum CodeSiteKind {
    SITE_CALL,    // of a Java method: all registers may be others afterwards
    SITE_RUNTIME, // of C code by a stub that keeps all registers: references in them are roots
    SITE_SELECT, // likewise, of C code that finds what to call, or answers what an object is; it polls at most when it throws
    SITE_DEOPT,  // the frame goes on in the interpreter with the state; does not come back
} CodeSiteKind;
// Where code goes on that catches what comes out of a site: the frame holds the monitors of the site's state, all registers may be
// others, the exception is still pending in the thread.
typedef struct CodeLanding {
    uint32_t scope, bci; // the handler
    uint32_t offset;
} CodeLanding;
typedef struct CodeSite { // a place where a frame may stand while others look at it
    uint32_t offset;      // of the return address, from the start of the code
    uint32_t state;       // CODE_NO_STATE: none (the entry poll: the frame is not there yet)
    uint32_t landings;    // index in CompiledCode.landings: of the first
    uint32_t
        roots; // index in CompiledCode.root_words: slot_words words of bits for slots that hold references
    uint32_t registers; // SITE_RUNTIME: bits for registers that do
    uint8_t kind;       // CodeSiteKind
    uint8_t result;     // of SITE_CALL, SITE_RUNTIME: ValueKind of the result + 1; 0: none
    uint8_t reason;     // of SITE_DEOPT, the compiler's
    uint8_t
        landing_count; // a handler without one is the interpreter's: the frame is deoptimized
    bool
        enters; // SITE_RUNTIME: enters the monitor that the state has as its last, but if the result is 0
    bool
        passes; // an exception that comes out goes on to the caller: no method here has a handler, or holds a monitor
} CodeSite;

typedef struct
    CodeGuard { // an access to memory that may be a mapped file which was cut; offsets
    uint32_t begin, end;
    uint32_t fault; // where the code goes on when the system refuses it
} CodeGuard;

typedef struct CodePosition { // from this offset on, code does this instruction
    uint32_t offset;
    uint32_t scope;
    uint32_t bci;
} CodePosition;

typedef struct CompiledCode {
    const CodeBlob *blob;
    struct Method *method;
    int32_t osr_bci;     // -1: the method's own entry; else that of a loop (JavaEnterLoop)
    bool posts_calls;    // a version that posts METHOD_ENTRY and METHOD_EXIT
    uint32_t frame_size; // bytes from the saved rbp down to rsp; a multiple of 16
    uint32_t slot_words; // words of 32 bits in a site's map of slots
    uint32_t site_count, state_count, value_count, scope_count, constant_count, position_count,
        root_count, landing_count, osr_lock_count, guard_count;
    const CodeSite *sites; // by offset
    const uint32_t *
        site_table; // of the installed code, for compiled_site: indices of sites + 1 by the hash of their offsets
    uint32_t site_shift; // 32 less the bits of those indices
    const CodeState *states;
    const CodeValue *values;
    const CodeScope *scopes;
    const uint64_t *constants;
    const CodePosition *positions; // by offset
    const uint32_t *root_words;
    const CodeLanding *landings;
    const CodeGuard *guards; // by offset
    _Atomic uint8_t *
        deopts; // by site, for the compiler: how often frames were deoptimized there; 0 at first
    const uint16_t *
        osr_locks; // of a loop: the local that holds each monitor of the frame, the oldest first
    void *const *caches; // what the code has of its own, made and freed by the compiler
    uint32_t cache_count;
    bool is_run; // compiled_find_run
} CompiledCode;
enum { CODE_LOCK_CLASS = UINT16_MAX }; // in osr_locks: that of the method's class

// Installs code and its description: copies both, but for `blob`, which it sets. NULL as code_install. The name is for people.
NODISCARD const CompiledCode *compiled_install(const CompiledCode *made, const void *code,
                                               size_t size, const char *name);

// Frees the description, and the code, which was unlinked, if it is in the cache.
void compiled_free(const CompiledCode *code);

// ---- reading; async-signal-safe ----
// The compiled code that pc lies in; NULL: none.
static inline const CompiledCode *compiled_find(uintptr_t pc)
{
    const CodeBlob *blob = code_find(pc);
    return blob ? atomic_load_explicit(&blob->compiled, memory_order_acquire)
                : NULL; // compiled_install
}
static inline uint32_t compiled_site_hash(const CompiledCode *code, uint32_t offset)
{
    return offset * 0x9E3779B1u >> code->site_shift;
}
// The site whose return address is `offset` bytes into the code; NULL: none.
static inline const CodeSite *compiled_site(const CompiledCode *code, uint32_t offset)
{
    uint32_t mask = UINT32_MAX >> code->site_shift, index;
    for (uint32_t h = compiled_site_hash(code, offset); (index = code->site_table[h]) != 0;
         h = (h + 1) & mask)
        if (code->sites[index - 1].offset == offset)
            return &code->sites[index - 1];
    return NULL;
}
// Moves on to the call by which the scope's method is inlined in another one; false: it is the method itself.
static inline bool compiled_caller(const CompiledCode *code, uint32_t *scope, uint32_t *bci)
{
    uint32_t state = code->scopes[*scope].caller;
    if (state == CODE_NO_STATE)
        return false;
    *scope = code->states[state].scope;
    *bci = code->states[state].bci;
    return true;
}
// What the instruction at an offset is part of. For a return address ask for that less one.
const CodePosition *compiled_position(const CompiledCode *code, uint32_t offset);
static inline uint64_t *compiled_slot(uintptr_t rbp, uint32_t slot)
{
    return (uint64_t *)(rbp - CODE_SLOTS_AT) - slot; // NOLINT: the address of a frame
}
// Of a frame that stands at a SITE_RUNTIME or SITE_DEOPT.
static inline SavedRegisters *compiled_registers(const CompiledCode *code, uintptr_t rbp)
{
    return (SavedRegisters *)(rbp - code->frame_size - sizeof(void *)) - 1;
}
// For the handler of SIGBUS, with its third argument: true when the signal came from a guarded access of compiled code, which goes on at
// its fault once the handler returns.
bool compiled_recover(void *context);
// Where the address lies to which what the frame has called returns.
static inline uintptr_t *compiled_return_address(const CompiledCode *code, uintptr_t rbp)
{
    return (uintptr_t *)(rbp - code->frame_size
                         - sizeof(void *)); // NOLINT: the address of a frame
}

// ---- hooks ----
// A frame is hooked when what it has called returns to JAVA_STUB_LAZY, where the frame is deoptimized. The true
// address is in its events word then. Both are stored in that order, so that a signal handler finds it.
//
// A frame is parked when it is hooked and has become frames as the interpreter has them already, although it is not the youngest of
// its thread, or that does not run: so that tools can change it. Its events word leads to a ParkedFrame then. All who look at frames
// look at that: the compiled frame's slots and registers hold nothing any more.
typedef struct ParkedFrame {
    uintptr_t pc;    // the true return address
    Frame *youngest; // of a frame for each inlined method
    Frame
        older; // the boundary of the rest of the stretch; the oldest of the frames lies right behind it, and has it as prev
} ParkedFrame;
// NULL: the frame is not parked.
ParkedFrame *compiled_parked(const CompiledCode *code, uintptr_t rbp);
// The frame is parked as p from now on. Its thread is self or held, or the world is stopped. NO_GC.
void compiled_set_parked(const CompiledCode *code, uintptr_t rbp, ParkedFrame *p);
extern uintptr_t compiled_lazy_pc; // JAVA_STUB_LAZY; 0: there is none
// What a hook has in place of pc, which is compiled_lazy_pc.
COLD uintptr_t compiled_hooked_pc(uintptr_t rbp);
// The true return address for one that was found on the stack; rbp is that of the frame to which it returns.
static inline uintptr_t compiled_true_pc(uintptr_t pc, uintptr_t rbp)
{
    return UNLIKELY(pc == compiled_lazy_pc && pc) ? compiled_hooked_pc(rbp) : pc;
}
bool compiled_is_hooked(const CompiledCode *code, uintptr_t rbp);
// The frame, which stands at a site with a state, is deoptimized when it would go on. Its thread is self, held, or stopped with the world. NO_GC.
void compiled_hook(const CompiledCode *code, uintptr_t rbp);

// The value as a slot of an interpreted frame has it, UNSET as 0. `registers` may be NULL where no value is in one. NO_GC.
Slot compiled_value(const CompiledCode *code, CodeValue v, uintptr_t rbp,
                    const SavedRegisters *registers);

#endif
