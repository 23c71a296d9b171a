// SPDX-License-Identifier: Apache-2.0
// From bytecodes to pre-decoded instructions: operands unpacked, constants loaded, branch
// targets relative in instructions. Which bytecodes become one instruction says spec/semantics.def. The result is published with release under RANK_CODE; it
// lives as long as its class.
#include "interp/fuse.h"
#include "interp/interp.h"
#include "interp/profile.h"

static Mutex code_lock = MUTEX_INIT(RANK_CODE);
static _Atomic size_t code_bytes;

typedef struct Decoder {
    Method *m;
    CodeInfo code;
    uint16_t *index_of; // instruction index by bci
    Insn *out;
} Decoder;

static int32_t target(const Decoder *d, uint32_t bci, int32_t offset)
{
    return (int32_t)d->index_of[(int32_t)bci + offset] - (int32_t)d->index_of[bci];
}

static SwitchTable *decode_switch(const Decoder *d, uint32_t bci)
{
    SwitchOperands s = switch_read(d->code.code, bci);
    SwitchTable *t = vm_calloc(1, sizeof *t);
    t->default_target = target(d, bci, s.other);
    t->low = s.low;
    t->high = (int32_t)(s.low + (int64_t)s.count - 1);
    t->count = (int32_t)s.count;
    t->targets = vm_calloc((size_t)s.count + 1, sizeof *t->targets);
    t->keys = s.keyed ? vm_calloc((size_t)s.count + 1, sizeof *t->keys) : NULL;
    for (uint32_t i = 0; i < s.count; i++) {
        if (s.keyed)
            t->keys[i] = switch_key(&s, i);
        t->targets[i] = target(d, bci, switch_offset(&s, i));
    }
    return t;
}

static void decode_constant(const Decoder *d, Insn *in, uint16_t index)
{
    CpEntry e = cf_entry(d->m->pool->cf, index);
    in->a = index;
    switch (e.tag) {
    case CP_INTEGER:
        in->op = OP_const_int;
        in->a = e.i;
        break;
    case CP_FLOAT:
        in->op = OP_const_float;
        memcpy(&in->a, &e.f, sizeof in->a);
        break;
    case CP_LONG:
        in->op = OP_const_long;
        in->l = e.l;
        break;
    case CP_DOUBLE:
        in->op = OP_const_long;
        in->d = e.d;
        break;
    default: break; // resolved on the first run
    }
}

// Constants that the opcode says.
static void decode_short_constant(Insn *in, uint8_t op)
{
    if (op >= BC_iconst_m1 && op <= BC_iconst_5)
        in->a = op - BC_iconst_0;
    else if (op == BC_lconst_0 || op == BC_lconst_1)
        in->l = op - BC_lconst_0;
    else if (op >= BC_fconst_0 && op <= BC_fconst_2)
        memcpy(&in->a, &(float){(float)(op - BC_fconst_0)}, sizeof in->a);
    else if (op == BC_dconst_0 || op == BC_dconst_1)
        in->d = op - BC_dconst_0;
}

// Returns that do more than others of their bytecode.
static void decode_return(const Decoder *d, Insn *in, uint8_t op)
{
    if (op == BC_return && (d->m->flags & METHOD_OBJECT_INIT))
        in->op = OP_return_init;
    else if (op == BC_ireturn && d->m->ret != 'I')
        in->op = OP_ireturn_narrow;
}

static void decode_branch(const Decoder *d, Insn *in, const Instruction *from)
{
    in->a = target(d, from->bci, from->offset);
    if (in->op == BC_goto && in->a <= 0)
        in->op = OP_goto_back;
}

// By the operand format of the table.
static void decode_operands(const Decoder *d, Insn *in, const Instruction *from)
{
    switch (from->info->format[0]) {
    case 'b':
    case 's':
    case 't': in->a = from->value; break;
    case 'k':
    case 'K':
        in->a = from->constant;
        if (from->op >= BC_ldc && from->op <= BC_ldc2_w)
            decode_constant(d, in, from->constant);
        if (from->op == BC_multianewarray)
            in->b = from->count;
        break;
    case 'o':
    case 'O': decode_branch(d, in, from); break;
    case 'T':
    case 'L': in->p = decode_switch(d, from->bci); break;
    default: break;
    }
}

static void decode_one(const Decoder *d, Insn *in, const Instruction *from)
{
    in->op = decoded_op[from->op];
    in->bci = (uint16_t)from->bci;
    if (from->info->local.use) {
        in->a = from->local;
        in->b = from->value; // iinc
    } else if (from->op >= BC_ireturn && from->op <= BC_return) {
        decode_return(d, in, from->op);
    } else if (from->info->format[0]) {
        decode_operands(d, in, from);
    } else {
        decode_short_constant(in, from->op);
    }
}

static uint32_t number_instructions(Decoder *d)
{
    uint32_t count = 0;
    for (uint32_t bci = 0; bci < d->code.code_len;) {
        d->index_of[bci] = (uint16_t)count++;
        uint32_t len = bytecode_length(d->code.code, d->code.code_len, bci);
        VM_CHECK(len != 0); // class_link refused such code
        bci += len;
    }
    return count;
}

// With its head in front, and a nop behind the last: no run goes there.
static Insn *code_new(uint32_t count)
{
    CodeHead *head = vm_calloc(1, sizeof *head + (count + 1) * sizeof(Insn));
    profile_init_head(head);
    return (Insn *)(void *)(head + 1);
}

Insn *method_decode(Thread *self, Method *m)
{
    VM_ASSERT(method_has_code(m));
    (void)self;
    mutex_lock(&code_lock);
    Insn *code = atomic_load_explicit(&m->code, memory_order_acquire);
    if (!code) {
        Decoder d = {.m = m, .code = method_code(m)};
        d.index_of = vm_calloc(d.code.code_len + 1u, sizeof *d.index_of);
        uint32_t count = number_instructions(&d);
        code = d.out = code_new(count);
        Instruction in;
        for (uint32_t bci = 0, i = 0; bci < d.code.code_len; bci += in.length, i++) {
            bool ok = instruction_read(d.code.code, d.code.code_len, bci, &in);
            VM_CHECK(ok);
            decode_one(&d, &code[i], &in);
        }
        fuse_code(code, count);
        vm_free(d.index_of);
        m->insn_count = count;
        atomic_fetch_add_explicit(&code_bytes, count * sizeof *code, memory_order_relaxed);
        atomic_store_explicit(&m->code, code, memory_order_release);
    }
    mutex_unlock(&code_lock);
    return code;
}

static void switch_free(SwitchTable *t)
{
    vm_free(t->targets);
    vm_free(t->keys);
    vm_free(t);
}

void method_free_code(Method *m)
{
    Insn *code = atomic_load(&m->code);
    for (uint32_t i = 0; code && i < m->insn_count; i++)
        if (code[i].op == BC_tableswitch || code[i].op == BC_lookupswitch)
            switch_free(code[i].p);
    if (!code)
        return;
    vm_free(code_head(code));
    atomic_fetch_sub_explicit(&code_bytes, m->insn_count * sizeof *code, memory_order_relaxed);
}

size_t decoded_code_bytes(void)
{
    return atomic_load_explicit(&code_bytes, memory_order_relaxed);
}

Insn *method_insn_at(const Method *m, uint32_t bci)
{
    Insn *code = atomic_load_explicit(&m->code, memory_order_acquire);
    uint32_t lo = 0, hi = m->insn_count;
    while (code && lo < hi) {
        uint32_t mid = (lo + hi) / 2;
        if (code[mid].bci == bci)
            return &code[mid];
        if (code[mid].bci < bci)
            lo = mid + 1;
        else
            hi = mid;
    }
    return NULL;
}
