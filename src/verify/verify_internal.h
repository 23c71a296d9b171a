// SPDX-License-Identifier: Apache-2.0
// Shared by the files of the verifier. Nobody else includes it.
//
// All functions that return bool say false when verification is over: the status and the
// message are set then.
#ifndef VERIFY_VERIFY_INTERNAL_H
#define VERIFY_VERIFY_INTERNAL_H

#include "base/hash.h"
#include "base/vec.h"
#include "classfile/bytecode.h"
#include "verify/verify.h"

// A verification type in one word: the kind in the low byte; above it the id of the class name
// (OBJECT, also arrays) or the bci of the `new` (UNINIT). Equal types are equal words.
typedef uint32_t VType;
typedef enum VKind {
    VT_TOP,
    VT_INT,
    VT_FLOAT,
    VT_LONG,
    VT_LONG2,
    VT_DOUBLE,
    VT_DOUBLE2,
    VT_NULL,
    VT_UNINIT_THIS,
    VT_UNINIT,
    VT_OBJECT,
    // never the type of a value, only of an expectation
    VT_ANY_REFERENCE,
    VT_ANY_CATEGORY1,
    VT_ANY_CATEGORY2_2ND,
    VT_BOOLEAN, // these as the result that a descriptor names, in messages
    VT_BYTE,
    VT_SHORT,
    VT_CHAR,
} VKind;
#define VT_KIND(t)       ((VKind)((t)&0xFF))
#define VT_DATA(t)       ((t) >> 8)
#define VT_MAKE(k, data) ((VType)(k) | (VType)(data) << 8)

typedef enum VOriginKind {
    ORIGIN_NONE,
    ORIGIN_LOCAL,
    ORIGIN_STACK,
    ORIGIN_MAP_LOCAL,
    ORIGIN_MAP_STACK,
    ORIGIN_CP,
    ORIGIN_SIGNATURE
} VOriginKind;
typedef struct VOrigin { // where a type of an error message comes from
    VOriginKind kind;
    uint32_t index;
} VOrigin;

// One frame of StackMapTable, expanded. Locals beyond local_count are TOP.
typedef struct MapFrame {
    uint32_t bci;
    uint32_t local_count, stack_count; // slots
    const VType *locals, *stack;
    bool this_uninit;
} MapFrame;

typedef enum VReason {
    REASON_NONE,
    REASON_BAD_CODE,
    REASON_BAD_TYPE,
    REASON_BAD_LOCAL,
    REASON_UNDERFLOW,
    REASON_OVERFLOW,
    REASON_BAD_CP,
    REASON_FLAGS_DIFFER,
    REASON_LOCALS_DIFFER,
    REASON_STACK_DIFFERS,
    REASON_NO_FRAME,
    REASON_BAD_MAP,
    REASON_BAD_FLAGS,
    REASON_INVALID_TYPE
} VReason;

typedef struct VError { // what the next failure will say under "Reason:"
    VReason reason;
    uint32_t index; // of the local or constant pool entry
    VType from, to;
    VOrigin from_origin, to_origin;
    const MapFrame *map; // the frame that did not match
} VError;

enum { MAP_NONE, MAP_START, MAP_NEW }; // code_map: no instruction here, an instruction, a `new`

typedef struct Verifier {
    const ClassFile *cf;
    const VerifyContext *cx;
    const char *class_name;    // as given
    const char *external_name; // with '.'
    VerifyStatus status;
    char *message;
    size_t message_size;
    Arena class_arena, method_arena;
    // class names
    StrMap name_ids; // name -> id + 1
    VEC(Bytes) names;
    PtrMap assignable; // (from id, to id) -> 1 no, 2 yes
    VType this_type, object_type, throwable_type;
    // the method
    const MethodInfo *m;
    CodeInfo code; // of m
    const CodeInfo *c;
    Bytes stack_map; // of m
    bool is_init;
    VType return_type; // TOP for void
    uint8_t *code_map;
    MapFrame *maps;
    uint32_t map_count, next_map;
    uint32_t try_start, try_end; // hull of the exception ranges
    // the current frame and instruction
    VType *locals,
        *stack;           // room for one slot more on the stack: what a handler is entered with
    uint32_t local_count; // up to the highest that was ever set; those beyond are TOP
    uint32_t sp, sp_before; // now; when the instruction began
    bool this_uninit;       // flagThisUninit
    uint32_t bci, length;
    uint8_t op;
    bool falls_through;
    bool handlers_done; // by the instruction itself
} Verifier;

// ---- verify_types.c ----
VType vtype_of_name(Verifier *v, Bytes name);            // class or array name
VType vtype_of_class(Verifier *v, uint16_t class_index); // CP_CLASS
VType vtype_array_of(Verifier *v, VType component);      // of references
Bytes vtype_name(const Verifier *v, VType t);            // of OBJECT
bool vtype_is_array(const Verifier *v, VType t);
// The type of a descriptor's type as descriptor_walk_next gave it.
VType vtype_of_descriptor(Verifier *v, char kind, const char *start, size_t len);
// The component of a reference array as a type; null of null. False (no failure set) when it is
// no such array.
bool vtype_reference_component(Verifier *v, VType array, VType *component);
// 1, 0, -1 (status set to VERIFY_PENDING).
int vtype_assignable(Verifier *v, VType from, VType to);
static inline bool vtype_is_wide(VType t)
{
    return VT_KIND(t) == VT_LONG || VT_KIND(t) == VT_DOUBLE;
}

// ---- verify_frame.c ----
bool frame_push(Verifier *v, VType t);       // both halves of a wide type, or none
bool frame_push_value(Verifier *v, VType t); // slot by slot: as the value of a field, a result
bool frame_push_slot(Verifier *v, VType t);
bool frame_room_for(Verifier *v, uint32_t slots);
bool frame_pop(Verifier *v, VType expected, VType *popped); // `popped` may be NULL
bool frame_pop_value(Verifier *v, VType expected,
                     VType *popped);            // slot by slot: as an argument, a result
bool frame_pop_any(Verifier *v, VType *popped); // one slot
bool frame_local_is(Verifier *v, uint32_t index, VType expected);
bool frame_load(Verifier *v, uint32_t index, VType expected);
bool frame_store(Verifier *v, uint32_t index, VType t);
void frame_replace(Verifier *v, VType old, VType replacement); // everywhere
bool frame_set_initial(Verifier *v);
// Whether the current frame fits the map frame.
bool frame_match(Verifier *v, const MapFrame *map, const char *fmt, uint32_t target);
// The same with a stack that holds `thrown` alone.
bool frame_match_handler(Verifier *v, const MapFrame *map, VType thrown, const char *fmt,
                         uint32_t target);
void frame_adopt(Verifier *v, const MapFrame *map);

// ---- verify_stackmap.c ----
bool stackmap_read(Verifier *v);
const MapFrame *stackmap_at(const Verifier *v, uint32_t bci); // NULL when there is none

// ---- verify_instruction.c, verify_invoke.c ----
bool instruction_check(Verifier *v);
bool invoke_check(Verifier *v);
// The constant pool entry of an instruction: tags is a set of bits.
bool check_cp(Verifier *v, uint16_t index, uint32_t tags);
bool check_branch(Verifier *v, int64_t target, int64_t offset);
// The exception handlers that cover the current bci, against the current locals. verifier.c
bool check_handlers(Verifier *v);

// ---- verify_reserved.c ----
// Length of the instruction at bci, also of a reserved one; 0 when there is none.
uint32_t instruction_length(const CodeInfo *c, uint32_t bci);
// Its name, also of what is none.
const char *instruction_name(uint8_t op);

// ---- verify_message.c ----
bool verify_fail(Verifier *v, const VError *e, const char *fmt, ...) PRINTF(3, 4);
bool verify_format_fail(Verifier *v, const char *fmt, ...) PRINTF(2, 3);
bool verify_stackmap_fail(Verifier *v, const char *what);
#define bad_code(v, ...) verify_fail(v, &(VError){.reason = REASON_BAD_CODE}, __VA_ARGS__)
// The value popped last was `from`, where `to` was wanted.
bool invalid_stack_type(Verifier *v, VType t, const char *fmt, ...) PRINTF(3, 4);
bool bad_stack_type(Verifier *v, VType from, VType to, const char *fmt, ...) PRINTF(4, 5);

#endif
