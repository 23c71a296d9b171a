// SPDX-License-Identifier: Apache-2.0
// See java_convention.h.
#include "code/java_convention.h"

#include "classfile/classfile.h"

static const int8_t integer_registers[] = {7, 6, 2, 1, 8, 9}; // rdi rsi rdx rcx r8 r9
enum { FIRST_XMM = 16, FLOAT_REGISTERS = 8 };

static char shape_kind(char kind)
{
    return kind == '[' ? 'L' : kind;
}

void java_put_shape(StrBuf *out, const char *descriptor, size_t len, bool is_static)
{
    VM_ASSERT(len > 2 && descriptor[0] == '(');
    sb_add(out, is_static ? "static(" : "(");
    DescriptorWalk w = descriptor_walk(descriptor, len, 0);
    while (descriptor_walk_next(&w))
        sb_putc(out, shape_kind(w.kind));
    sb_putc(out, ')');
    sb_putc(out, shape_kind(w.next[1]));
}

JavaArgument java_arguments(const char *shape)
{
    const char *first = strchr(shape, '(');
    VM_ASSERT(first && strchr(first, ')'));
    return (JavaArgument){.next = first == shape ? first : first + 1}; // '(' is the receiver
}

bool java_argument_next(JavaArgument *a)
{
    if (*a->next == ')')
        return false;
    a->kind = *a->next++;
    if (a->kind == '(')
        a->kind = 'L';
    a->reg = JAVA_NO_REGISTER;
    bool is_float = a->kind == 'F' || a->kind == 'D';
    if (is_float && a->floats < FLOAT_REGISTERS)
        a->reg = (int8_t)(FIRST_XMM + a->floats++);
    else if (!is_float && a->integers < ARRAY_LEN(integer_registers))
        a->reg = integer_registers[a->integers++];
    else
        a->stack_word = a->on_stack++;
    a->slot = a->next_slot;
    a->next_slot = (uint16_t)(a->slot + (a->kind == 'J' || a->kind == 'D' ? 2 : 1));
    return true;
}

static JavaArgument behind_last(const char *shape)
{
    JavaArgument a = java_arguments(shape);
    while (java_argument_next(&a)) {
    }
    return a;
}

uint32_t java_stack_words(const char *shape)
{
    return behind_last(shape).on_stack;
}

uint32_t java_argument_slots(const char *shape)
{
    return behind_last(shape).next_slot;
}

uint32_t java_register_slot(int reg)
{
    JavaArgument a = java_arguments(JAVA_ALL_REGISTERS);
    while (java_argument_next(&a))
        if (a.reg == reg)
            return a.slot;
    vm_fatal("register %d holds no argument", reg);
}
