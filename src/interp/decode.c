// SPDX-License-Identifier: Apache-2.0
// From bytecodes to pre-decoded instructions: operands unpacked, constants loaded, branch
// targets relative in instructions. The result is published with release under RANK_CODE; it
// lives as long as its class.
#include "interp/fuse.h"
#include "interp/interp.h"

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

static void decode_float_constant(Insn *in, float f)
{
    in->op = OP_const_float;
    memcpy(&in->a, &f, sizeof f);
}

// Constants that the opcode says. True if `in` is done.
static bool decode_short_constant(Insn *in, uint8_t op)
{
    if (op >= BC_iconst_m1 && op <= BC_iconst_5) {
        in->op = OP_const_int;
        in->a = op - BC_iconst_0;
    } else if (op == BC_lconst_0 || op == BC_lconst_1) {
        in->op = OP_const_long;
        in->l = op - BC_lconst_0;
    } else if (op >= BC_fconst_0 && op <= BC_fconst_2) {
        decode_float_constant(in, (float)(op - BC_fconst_0));
    } else if (op == BC_dconst_0 || op == BC_dconst_1) {
        in->op = OP_const_long;
        in->d = op - BC_dconst_0;
    } else {
        return false;
    }
    return true;
}

// All forms of loads and stores become one for each size; iinc and ret stay.
static void decode_local(Insn *in, const Instruction *from)
{
    bool wide = kind_is_wide(from->info->local.kind);
    in->a = from->local;
    in->b = from->value; // iinc
    if (from->info->local.use == LOCAL_WRITE)
        in->op = wide ? OP_store2 : OP_store1;
    else if (from->info->local.use == LOCAL_READ && from->op != BC_ret)
        in->op = wide ? OP_load2 : OP_load1;
}

static void decode_return(const Decoder *d, Insn *in, uint8_t op)
{
    switch (op) {
    case BC_return:
        in->op = (d->m->flags & METHOD_OBJECT_INIT) ? OP_return_init : BC_return;
        break;
    case BC_ireturn: in->op = d->m->ret != 'I' ? OP_ireturn_narrow : OP_return1; break;
    case BC_freturn:
    case BC_areturn: in->op = OP_return1; break;
    default: in->op = OP_return2; break;
    }
}

// By the operand format of the table.
static void decode_operands(const Decoder *d, Insn *in, const Instruction *from)
{
    switch (from->info->format[0]) {
    case 'b':
    case 's':
        in->op = OP_const_int;
        in->a = from->value;
        break;
    case 'k':
    case 'K':
        in->a = from->constant;
        if (from->op >= BC_ldc && from->op <= BC_ldc2_w)
            decode_constant(d, in, from->constant);
        if (from->op == BC_multianewarray)
            in->b = from->count;
        break;
    case 'o': in->a = target(d, from->bci, from->offset); break;
    case 'O':
        in->op = from->info->flags & BCF_JSR ? BC_jsr : BC_goto;
        in->a = target(d, from->bci, from->offset);
        break;
    case 't': in->a = from->value; break;
    case 'T':
    case 'L': in->p = decode_switch(d, from->bci); break;
    default: break;
    }
}

// Instructions that move a slot do not ask what is in it: float arrays are loaded like int ones.
static uint8_t without_kind(uint8_t op)
{
    switch (op) {
    case BC_faload: return BC_iaload;
    case BC_daload: return BC_laload;
    case BC_fastore: return BC_iastore;
    case BC_dastore: return BC_lastore;
    case BC_sastore: return BC_castore;
    default: return op;
    }
}

static void decode_one(const Decoder *d, Insn *in, const Instruction *from)
{
    in->op = without_kind(from->op);
    in->bci = (uint16_t)from->bci;
    if (from->info->local.use)
        decode_local(in, from);
    else if (from->op >= BC_ireturn && from->op <= BC_return)
        decode_return(d, in, from->op);
    else if (!decode_short_constant(in, from->op))
        decode_operands(d, in, from);
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
        code = d.out =
            vm_calloc(count + 1, sizeof *code); // a nop behind the last: no run goes there
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
    vm_free(code);
    if (code)
        atomic_fetch_sub_explicit(&code_bytes, m->insn_count * sizeof *code,
                                  memory_order_relaxed);
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
