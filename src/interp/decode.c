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

static SwitchTable *decode_switch(const Decoder *d, uint32_t bci, bool lookup)
{
    const uint8_t *p = d->code.code + ((bci + 4) & ~3u);
    SwitchTable *t = vm_calloc(1, sizeof *t);
    t->default_target = target(d, bci, get_s4(p));
    if (lookup) {
        t->count = get_s4(p + 4);
        p += 8;
    } else {
        t->low = get_s4(p + 4);
        t->high = get_s4(p + 8);
        t->count = (int32_t)((int64_t)t->high - t->low + 1);
        p += 12;
    }
    t->targets = vm_calloc((size_t)t->count + 1, sizeof *t->targets);
    t->keys = lookup ? vm_calloc((size_t)t->count + 1, sizeof *t->keys) : NULL;
    for (int32_t i = 0; i < t->count; i++) {
        if (lookup) {
            t->keys[i] = get_s4(p);
            p += 4;
        }
        t->targets[i] = target(d, bci, get_s4(p));
        p += 4;
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

// One-byte forms that stand for a general one. True if `in` is done.
static bool decode_short_form(Insn *in, uint8_t op)
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
    } else if (op >= BC_iload_0 && op <= BC_aload_3) {
        int kind = (op - BC_iload_0) / 4;
        in->op = kind == 1 || kind == 3 ? OP_load2 : OP_load1;
        in->a = (op - BC_iload_0) % 4;
    } else if (op >= BC_istore_0 && op <= BC_astore_3) {
        int kind = (op - BC_istore_0) / 4;
        in->op = kind == 1 || kind == 3 ? OP_store2 : OP_store1;
        in->a = (op - BC_istore_0) % 4;
    } else {
        return false;
    }
    return true;
}

static void decode_local(Insn *in, uint8_t op, uint16_t index)
{
    in->a = index;
    switch (op) {
    case BC_iload:
    case BC_fload:
    case BC_aload: in->op = OP_load1; break;
    case BC_lload:
    case BC_dload: in->op = OP_load2; break;
    case BC_istore:
    case BC_fstore:
    case BC_astore: in->op = OP_store1; break;
    case BC_lstore:
    case BC_dstore: in->op = OP_store2; break;
    default: in->op = op; break; // ret
    }
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

static void decode_wide(Insn *in, const uint8_t *p)
{
    if (p[1] == BC_iinc) {
        in->op = BC_iinc;
        in->a = get_u2(p + 2);
        in->b = get_s2(p + 4);
    } else {
        decode_local(in, p[1], get_u2(p + 2));
    }
}

// By the operand format of the table.
static void decode_operands(const Decoder *d, Insn *in, uint32_t bci, const uint8_t *p)
{
    const char *format = bytecode_info[p[0]].format;
    switch (format[0]) {
    case 'b':
        in->op = OP_const_int;
        in->a = (int8_t)p[1];
        break;
    case 's':
        in->op = OP_const_int;
        in->a = get_s2(p + 1);
        break;
    case 'k': decode_constant(d, in, p[1]); break;
    case 'K':
        in->a = get_u2(p + 1);
        if (p[0] == BC_ldc_w || p[0] == BC_ldc2_w)
            decode_constant(d, in, get_u2(p + 1));
        if (p[0] == BC_multianewarray)
            in->b = p[3];
        break;
    case 'v':
        decode_local(in, p[0], p[1]);
        if (p[0] == BC_iinc) {
            in->op = BC_iinc;
            in->b = (int8_t)p[2];
        }
        break;
    case 'o': in->a = target(d, bci, get_s2(p + 1)); break;
    case 'O':
        in->op = p[0] == BC_goto_w ? BC_goto : BC_jsr;
        in->a = target(d, bci, get_s4(p + 1));
        break;
    case 't': in->a = p[1]; break;
    case 'T': in->p = decode_switch(d, bci, false); break;
    case 'L': in->p = decode_switch(d, bci, true); break;
    case 'W': decode_wide(in, p); break;
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

static void decode_one(const Decoder *d, Insn *in, uint32_t bci)
{
    const uint8_t *p = d->code.code + bci;
    in->op = without_kind(p[0]);
    in->bci = (uint16_t)bci;
    if (decode_short_form(in, p[0]))
        return;
    if (p[0] >= BC_ireturn && p[0] <= BC_return)
        decode_return(d, in, p[0]);
    else
        decode_operands(d, in, bci, p);
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
    (void)self;
    mutex_lock(&code_lock);
    Insn *code = atomic_load_explicit(&m->code, memory_order_acquire);
    if (!code) {
        Decoder d = {.m = m, .code = method_code(m)};
        d.index_of = vm_calloc(d.code.code_len + 1u, sizeof *d.index_of);
        uint32_t count = number_instructions(&d);
        code = d.out =
            vm_calloc(count + 1, sizeof *code); // a nop behind the last: no run goes there
        for (uint32_t bci = 0, i = 0; bci < d.code.code_len; i++) {
            decode_one(&d, &code[i], bci);
            bci += bytecode_length(d.code.code, d.code.code_len, bci);
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
