// SPDX-License-Identifier: Apache-2.0
// What x86-64's instructions ask of registers: Demand of machine.h. The code that relies on it is in x86_64_emit.c and its like.
#include "code/x86_64_asm.h"
#include "heap/object.h"
#include "jit/x86_64_emit.h"

const char *machine_register_name(uint32_t reg)
{
    static const char *const names[MACHINE_REGISTERS] = {
        "rax",  "rcx",  "rdx",   "rbx",   "rsp",   "rbp",   "rsi",   "rdi",
        "r8",   "r9",   "r10",   "r11",   "r12",   "r13",   "r14",   "r15",
        "xmm0", "xmm1", "xmm2",  "xmm3",  "xmm4",  "xmm5",  "xmm6",  "xmm7",
        "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"};
    VM_ASSERT(reg < MACHINE_REGISTERS);
    return names[reg];
}

uint32_t machine_available(void)
{
    uint32_t general = 0xFFFF & ~(1u << RSP | 1u << RBP | 1u << SCRATCH | 1u << THREAD);
    if (heap_base)
        general &= ~(1u << HEAP_BASE);
    return general
           | (0xFFFFu & ~(1u << (SCRATCH_FLOAT - MACHINE_FIRST_FLOAT))) << MACHINE_FIRST_FLOAT;
}

uint8_t machine_result_register(IrType type)
{
    if (type == IRT_V)
        return NO_REGISTER;
    return type == IRT_F || type == IRT_D ? MACHINE_FIRST_FLOAT : RAX;
}

static const uint8_t general_arguments[] = {RDI, RSI, RDX, RCX, R8, R9};
enum { FLOAT_ARGUMENTS = 8 };

ArgumentPlace machine_next_argument(ArgumentWalk *w, IrType type)
{
    if (type == IRT_F || type == IRT_D) {
        if (w->floats < FLOAT_ARGUMENTS)
            return (ArgumentPlace){(uint8_t)(MACHINE_FIRST_FLOAT + w->floats++), 0};
    } else if (w->generals < ARRAY_LEN(general_arguments)) {
        return (ArgumentPlace){general_arguments[w->generals++], 0};
    }
    return (ArgumentPlace){NO_REGISTER, w->stack++};
}

// By the convention of Java methods, which for arguments is that of C, too.
static bool passes_arguments(const Node *n)
{
    return n->op == IR_CallStatic || n->op == IR_CallExact || n->op == IR_CallVirtual
           || n->op == IR_CallInterface || n->op == IR_CallC;
}

uint8_t machine_argument_hint(const Machine *m, NodeId call, uint32_t i)
{
    Node *n = ir_node(m->g, call);
    if (!passes_arguments(n))
        return NO_REGISTER;
    ArgumentWalk w = {0};
    ArgumentPlace place = {NO_REGISTER, 0};
    for (uint32_t k = 0; k <= i && k < ir_input_count(n); k++)
        place = machine_next_argument(&w, (IrType)ir_node(m->g, ir_inputs(m->g, n)[k])->type);
    return place.reg;
}

enum {
    R_ = USE_REGISTER,
    A_ = USE_ANY,
    RL = USE_REGISTER | USE_LATE,
    AL = USE_ANY | USE_LATE,
    DIVIDES = 1u << RAX | 1u << RDX,
    SHIFTS = 1u << RCX,
};
#define NONE NO_REGISTER
#define TWO                                         \
    {                                               \
        .hint = NONE, .same = 1, .uses = { A_, AL } \
    }
#define TWO_COMMUTE                                 \
    {                                               \
        .hint = NONE, .same = 1, .uses = { A_, A_ } \
    }
#define ONE                                     \
    {                                           \
        .hint = NONE, .same = 1, .uses = { A_ } \
    }
#define ONE_READ                     \
    {                                \
        .hint = NONE, .uses = { A_ } \
    }
#define MOVE                         \
    {                                \
        .hint = NONE, .uses = { R_ } \
    }
#define LATE1                        \
    {                                \
        .hint = NONE, .uses = { RL } \
    }
#define COMPARE                          \
    {                                    \
        .hint = NONE, .uses = { RL, AL } \
    }
#define COMPARE_FLOAT                    \
    {                                    \
        .hint = NONE, .uses = { RL, RL } \
    }
#define DIVIDE(result)                                            \
    {                                                             \
        .hint = (result), .clobbers = DIVIDES, .uses = { A_, RL } \
    }
#define SHIFT                                                           \
    {                                                                   \
        .hint = NONE, .same = 1, .clobbers = SHIFTS, .uses = { A_, AL } \
    }
#define CALL(reads)                                                         \
    {                                                                       \
        .hint = NONE, .clobbers_all = true, .uses = { reads, reads, reads } \
    }

static const Demand demands[IR_OP_COUNT] = {
    [IR_Object] = {.hint = NONE},
    [IR_Mirror] = {.hint = NONE},
    [IR_AddI] = TWO_COMMUTE,
    [IR_AddL] = TWO_COMMUTE,
    [IR_AddF] = TWO,
    [IR_AddD] = TWO,
    [IR_SubI] = TWO,
    [IR_SubL] = TWO,
    [IR_SubF] = TWO,
    [IR_SubD] = TWO,
    [IR_MulI] = TWO_COMMUTE,
    [IR_MulL] = TWO_COMMUTE,
    [IR_MulF] = TWO,
    [IR_MulD] = TWO,
    [IR_DivF] = TWO,
    [IR_DivD] = TWO,
    [IR_AndI] = TWO_COMMUTE,
    [IR_AndL] = TWO_COMMUTE,
    [IR_OrI] = TWO_COMMUTE,
    [IR_OrL] = TWO_COMMUTE,
    [IR_XorI] = TWO_COMMUTE,
    [IR_XorL] = TWO_COMMUTE,
    [IR_DivI] = DIVIDE(RAX),
    [IR_DivL] = DIVIDE(RAX),
    [IR_RemI] = DIVIDE(RDX),
    [IR_RemL] = DIVIDE(RDX),
    [IR_RemF] = {.hint = MACHINE_FIRST_FLOAT, .clobbers_all = true, .uses = {A_, A_}},
    [IR_RemD] = {.hint = MACHINE_FIRST_FLOAT, .clobbers_all = true, .uses = {A_, A_}},
    [IR_NegI] = ONE,
    [IR_NegL] = ONE,
    [IR_NegF] = ONE,
    [IR_NegD] = ONE,
    [IR_ShlI] = SHIFT,
    [IR_ShlL] = SHIFT,
    [IR_ShrI] = SHIFT,
    [IR_ShrL] = SHIFT,
    [IR_UshrI] = SHIFT,
    [IR_UshrL] = SHIFT,
    [IR_ExtendZero] = ONE,
    [IR_I2L] = MOVE,
    [IR_I2F] = MOVE,
    [IR_I2D] = MOVE,
    [IR_L2I] = MOVE,
    [IR_L2F] = MOVE,
    [IR_L2D] = MOVE,
    [IR_F2D] = MOVE,
    [IR_D2F] = MOVE,
    [IR_I2B] = MOVE,
    [IR_I2C] = MOVE,
    [IR_I2S] = MOVE,
    [IR_F2I] = LATE1,
    [IR_F2L] = LATE1,
    [IR_D2I] = LATE1,
    [IR_D2L] = LATE1,
    [IR_CmpL] = COMPARE,
    [IR_CmpFl] = COMPARE_FLOAT,
    [IR_CmpFg] = COMPARE_FLOAT,
    [IR_CmpDl] = COMPARE_FLOAT,
    [IR_CmpDg] = COMPARE_FLOAT,
    [IR_BitCountI] = ONE_READ,
    [IR_BitCountL] = ONE_READ,
    [IR_LeadingZerosI] = ONE_READ,
    [IR_LeadingZerosL] = ONE_READ,
    [IR_TrailingZerosI] = ONE_READ,
    [IR_TrailingZerosL] = ONE_READ,
    [IR_ReverseBytesI] = ONE,
    [IR_ReverseBytesL] = ONE,
    [IR_MultiplyHigh] = DIVIDE(RDX),
    [IR_AbsD] = ONE,
    [IR_SqrtD] = MOVE,
    [IR_FloorD] = MOVE,
    [IR_CeilD] = MOVE,
    [IR_RintD] = MOVE,
    [IR_BitsOfF] = MOVE,
    [IR_BitsOfD] = MOVE,
    [IR_FOfBits] = MOVE,
    [IR_DOfBits] = MOVE,
    [IR_CurrentThread] = {.hint = NONE},
    [IR_MirrorOf] = LATE1,
    [IR_LoadAt] = {.hint = NONE, .uses = {R_, R_}},
    [IR_StoreAt] = {.hint = NONE, .temporaries = 1, .uses = {RL, RL, RL}},
    [IR_LoadRaw] = MOVE,
    [IR_StoreRaw] = {.hint = NONE, .temporaries = 1, .uses = {RL, RL}},
    [IR_CompareAndSetAt] = {.hint = RAX,
                            .clobbers = 1u << RAX | 1u << RCX | 1u << RDX | 1u << RSI},
    [IR_GetAndAddAt] = {.hint = NONE, .uses = {RL, RL, A_}},
    [IR_GetAndSetAt] = {.hint = NONE, .temporaries = 1, .uses = {RL, RL, A_}},
    [IR_CallC] = CALL(A_),
    [IR_NullCheck] = MOVE,
    [IR_ZeroCheckI] = MOVE,
    [IR_ZeroCheckL] = MOVE,
    [IR_NegSizeCheck] = MOVE,
    [IR_RangeCheck] = {.hint = NONE, .uses = {R_, A_}},
    [IR_TypeCheck] = {.hint = NONE, .temporaries = 2, .uses = {RL}},
    [IR_StoreCheck] = {.hint = NONE, .temporaries = 2, .uses = {RL, RL}},
    [IR_InstanceOf] = {.hint = NONE, .temporaries = 2, .uses = {RL}},
    [IR_HasClass] = {.hint = NONE, .uses = {RL}},
    [IR_LoadField] = MOVE,
    [IR_StoreField] = {.hint = NONE, .temporaries = 1, .uses = {RL, RL}},
    [IR_LoadElem] = {.hint = NONE, .uses = {R_, R_}},
    [IR_StoreElem] = {.hint = NONE, .temporaries = 1, .uses = {RL, RL, RL}},
    [IR_ArrayLength] = MOVE,
    [IR_IfI] = {.hint = NONE, .uses = {R_, A_}},
    [IR_IfA] = {.hint = NONE, .uses = {R_, A_}},
    [IR_TestI] = {.hint = NONE, .uses = {R_, A_}},
    [IR_TestA] = {.hint = NONE, .uses = {R_, A_}},
    [IR_Switch] = MOVE,
    [IR_Return] = {.hint = NONE, .uses = {A_}},
    [IR_New] = {.hint = NONE},
    [IR_Virtual] = {.hint = NONE},
    [IR_Boxed] = {.hint = NONE},
    [IR_NewMulti] = {.hint = NONE, .uses = {A_, A_, A_}},
    [IR_NewArray] = {.hint = NONE, .uses = {AL}},
    [IR_MonitorEnter] = {.hint = NONE, .clobbers = 1u << RAX, .temporaries = 1, .uses = {RL}},
    [IR_MonitorExit] = {.hint = NONE, .clobbers = 1u << RAX, .temporaries = 1, .uses = {RL}},
    [IR_HoldUnmade] = {.hint = NONE, .temporaries = 1, .uses = {USE_NONE}},
    [IR_ReleaseUnmade] = {.hint = NONE},
    [IR_CallStatic] = CALL(A_),
    [IR_CallExact] = CALL(A_),
    [IR_CallVirtual] = CALL(A_),
    [IR_CallInterface] = CALL(A_),
    [IR_CallRuntime] = CALL(A_),
    [IR_PostEntry] = CALL(A_),
    [IR_PostExit] = CALL(A_),
    [IR_Throw] = ONE_READ,
    [IR_ThrowIndex] = CALL(A_),
    [IR_ThrowSize] = CALL(A_),
    [IR_ThrowCast] = CALL(A_),
    [IR_ThrowNull] = {.hint = NONE},
    [IR_ThrowZero] = {.hint = NONE},
    [IR_Landing] = {.hint = NONE},
    [IR_Goto] = {.hint = NONE},
    [IR_Deopt] = {.hint = NONE},
    [IR_Poll] = {.hint = NONE},
    [IR_Trace] = {.hint = NONE},
    [IR_Breakpoint] = {.hint = NONE},
    [IR_GetWatched] = LATE1,
    [IR_PutWatched] = {.hint = NONE, .temporaries = 1, .uses = {RL, RL}},
    [IR_Fence] = {.hint = NONE, .uses = {A_}},
};

Demand machine_demand(const Machine *m, NodeId n)
{
    const Node *node = ir_node(m->g, n);
    Demand d = demands[node->op];
    bool shifts = d.clobbers == SHIFTS;
    if (shifts && ir_is_const(m->g, m->value[node->in[1]]))
        d.clobbers = 0;
    if (machine_tests_one_class(m->g, node))
        d.temporaries = 0;
    if (ir_throws(node))
        d.clobbers_all = ir_at(m->g, node->block)->succs.len > 0; // which are landings
    if (machine_exits_method(m, node))
        d = (Demand){.hint = NONE, .clobbers = 1u << RAX, .temporaries = 2, .uses = {AL}};
    if (passes_arguments(node))
        d.hint = machine_result_register((IrType)node->type);
    return d;
}
