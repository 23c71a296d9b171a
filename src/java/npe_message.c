// SPDX-License-Identifier: Apache-2.0
// Helpful NullPointerException messages (JEP 358), computed from the bytecode of the method
// that failed.
//
// A data flow analysis finds for every stack slot at every instruction the bytecode index of
// the instruction that pushed the value (SOURCE_NONE where paths disagree). From the failing
// instruction and the source of its null operand the text is made. Pure: reads class files
// only.
#include "base/strbuf.h"
#include "base/vec.h"
#include "class/loader.h"
#include "java/describe.h"
#include "java/npe_message.h"

enum { SOURCE_NONE = -1, MAX_DETAIL = 5, MAX_STEPS = 200000 };

typedef struct StackState {
    uint64_t written; // locals 0..63 that were stored to
    uint32_t depth;
    int32_t source[]; // bottom first; long and double take two
} StackState;

typedef struct Analysis {
    const Method *method;
    const ClassFile *cf;
    CodeInfo code;
    StackState **at;  // by bci
    StackState *work; // the state being stepped
    VEC(uint32_t) todo;
    uint32_t steps;
} Analysis;

static size_t state_size(const Analysis *a)
{
    return sizeof(StackState) + (a->code.max_stack + 4u) * sizeof(int32_t);
}

// ---- the abstract machine ----

static void push(Analysis *a, int32_t source, uint32_t count)
{
    StackState *s = a->work;
    for (uint32_t i = 0; i < count && s->depth < a->code.max_stack; i++)
        s->source[s->depth++] = source;
}

static int32_t pop(Analysis *a)
{
    StackState *s = a->work;
    return s->depth ? s->source[--s->depth] : SOURCE_NONE;
}

static void pop_n(Analysis *a, uint32_t count)
{
    while (count--)
        pop(a);
}

static uint32_t kind_words(char kind)
{
    return kind == 'V' ? 0 : kind == 'J' || kind == 'D' || kind == 'W' ? 2 : 1;
}

// Class, name and descriptor that a member instruction names.
typedef struct MemberRef {
    Bytes cls, name, desc;
} MemberRef;

static MemberRef member_at(const Analysis *a, uint32_t bci)
{
    uint16_t index = get_u2(a->code.code + bci + 1);
    CpEntry nat = cf_name_and_type(a->cf, index);
    MemberRef r = {{NULL, 0}, {NULL, 0}, {NULL, 0}};
    if (cf_tag(a->cf, index) != CP_INVOKE_DYNAMIC)
        r.cls = cf_class_name(a->cf, cf_first_index(a->cf, index));
    r.name = cf_utf8(a->cf, nat.nat.name);
    r.desc = cf_utf8(a->cf, nat.nat.type);
    return r;
}

static uint32_t call_words(const MemberRef *r)
{
    return descriptor_method_shape((const char *)r->desc.p, r->desc.len).arg_words;
}

static void step_call(Analysis *a, uint32_t bci, uint8_t op)
{
    MemberRef r = member_at(a, bci);
    pop_n(a, call_words(&r));
    if (op != BC_invokestatic && op != BC_invokedynamic)
        pop(a);
    push(a, (int32_t)bci,
         kind_words(descriptor_method_shape((const char *)r.desc.p, r.desc.len).ret));
}

static void step_field(Analysis *a, uint32_t bci, uint8_t op)
{
    MemberRef r = member_at(a, bci);
    uint32_t words = kind_words((char)r.desc.p[0]);
    if (op == BC_putfield || op == BC_putstatic)
        pop_n(a, words);
    if (op == BC_putfield || op == BC_getfield)
        pop(a);
    if (op == BC_getfield || op == BC_getstatic)
        push(a, (int32_t)bci, words);
}

// dup and relatives: pops `count`, pushes the values numbered by `order` (from the top, 0 first
// popped).
static void shuffle(Analysis *a, int count, const char *order)
{
    int32_t v[4];
    for (int i = 0; i < count; i++)
        v[i] = pop(a);
    for (const char *p = order; *p; p++)
        push(a, v[*p - '0'], 1);
}

static bool step_stack_op(Analysis *a, uint8_t op)
{
    switch (op) {
    case BC_pop: pop(a); return true;
    case BC_pop2: pop_n(a, 2); return true;
    case BC_dup: shuffle(a, 1, "00"); return true;
    case BC_dup_x1: shuffle(a, 2, "010"); return true;
    case BC_dup_x2: shuffle(a, 3, "0210"); return true;
    case BC_dup2: shuffle(a, 2, "1010"); return true;
    case BC_dup2_x1: shuffle(a, 3, "10210"); return true;
    case BC_dup2_x2: shuffle(a, 4, "103210"); return true;
    case BC_swap: shuffle(a, 2, "01"); return true;
    default: return false;
    }
}

static void mark_written(Analysis *a, uint32_t slot, uint32_t words)
{
    for (uint32_t i = slot; i < slot + words && i < 64; i++)
        a->work->written |= 1ull << i;
}

// The local slot of a load or store at bci (not wide): op belongs to the group that starts at
// `base` with `base_0` forms.
static uint32_t local_slot(const Analysis *a, uint32_t bci, uint8_t op, uint8_t base,
                           uint8_t base_0)
{
    return op >= base_0 ? (uint32_t)(op - base_0) % 4 : op >= base ? a->code.code[bci + 1] : 0;
}

static void step_by_effect(Analysis *a, uint32_t bci, uint8_t op)
{
    const char *e = bytecode_info[op].effect;
    const char *arrow = strchr(e, '>');
    for (const char *p = e; p < arrow; p++)
        pop_n(a, kind_words(*p));
    for (const char *p = arrow + 1; *p; p++)
        push(a, (int32_t)bci, *p == '?' ? 1 : kind_words(*p));
}

static void step_store(Analysis *a, uint32_t bci, uint8_t op)
{
    static const char kinds[] = "IJFDA";
    char kind = op <= BC_astore ? kinds[op - BC_istore] : kinds[(op - BC_istore_0) / 4];
    mark_written(a, local_slot(a, bci, op, BC_istore, BC_istore_0), kind_words(kind));
    pop_n(a, kind_words(kind));
}

static void step_wide(Analysis *a, uint32_t bci)
{
    uint8_t op = a->code.code[bci + 1];
    uint16_t slot = get_u2(a->code.code + bci + 2);
    if (op == BC_iinc)
        mark_written(a, slot, 1);
    if (op == BC_iinc || op == BC_ret)
        return;
    const char *e = bytecode_info[op].effect;
    if (op >= BC_istore && op <= BC_astore) {
        mark_written(a, slot, kind_words(e[0]));
        pop_n(a, kind_words(e[0]));
    } else {
        push(a, (int32_t)bci, kind_words(e[1]));
    }
}

static void step(Analysis *a, uint32_t bci, uint8_t op)
{
    if (step_stack_op(a, op))
        return;
    if (op >= BC_istore && op <= BC_astore_3) {
        step_store(a, bci, op);
    } else if (op >= BC_getstatic && op <= BC_putfield) {
        step_field(a, bci, op);
    } else if (op >= BC_invokevirtual && op <= BC_invokedynamic) {
        step_call(a, bci, op);
    } else if (op == BC_multianewarray) {
        pop_n(a, a->code.code[bci + 3]);
        push(a, (int32_t)bci, 1);
    } else if (op == BC_wide) {
        step_wide(a, bci);
    } else if (op == BC_iinc) {
        mark_written(a, a->code.code[bci + 1], 1);
    } else if (op != BC_checkcast) { // a cast leaves the value and its source
        step_by_effect(a, bci, op);
    }
}

// ---- flow ----

// Merges the working state into the one at `bci`.
static void flow_to(Analysis *a, int64_t bci)
{
    if (bci < 0 || bci >= a->code.code_len)
        return;
    StackState *old = a->at[bci];
    bool changed = false;
    if (!old) {
        a->at[bci] = vm_malloc(state_size(a));
        memcpy(a->at[bci], a->work, state_size(a));
        changed = true;
    } else {
        uint32_t depth = MIN_OF(old->depth, a->work->depth);
        for (uint32_t i = 0; i < depth; i++) {
            if (old->source[i] != a->work->source[i] && old->source[i] != SOURCE_NONE) {
                old->source[i] = SOURCE_NONE;
                changed = true;
            }
        }
        changed = changed || depth != old->depth || (a->work->written & ~old->written);
        old->depth = depth;
        old->written |= a->work->written;
    }
    if (changed)
        vec_push(&a->todo, (uint32_t)bci);
}

static void flow_switch(Analysis *a, uint32_t bci, uint8_t op)
{
    const uint8_t *code = a->code.code;
    uint32_t p = (bci + 4) & ~3u;
    flow_to(a, (int64_t)bci + get_s4(code + p));
    if (op == BC_tableswitch) {
        int64_t count = (int64_t)get_s4(code + p + 8) - get_s4(code + p + 4) + 1;
        for (int64_t i = 0; i < count; i++)
            flow_to(a, (int64_t)bci + get_s4(code + p + 12 + i * 4));
    } else {
        for (int64_t i = 0; i < get_s4(code + p + 4); i++)
            flow_to(a, (int64_t)bci + get_s4(code + p + 12 + i * 8));
    }
}

static void flow_handlers(Analysis *a, uint32_t bci)
{
    for (uint16_t i = 0; i < a->code.exception_count; i++) {
        ExceptionEntry e = code_exception(&a->code, i);
        if (bci < e.start_pc || bci >= e.end_pc)
            continue;
        uint32_t depth = a->work->depth;
        int32_t bottom = a->work->source[0];
        a->work->depth = 0;
        push(a, SOURCE_NONE, 1);
        flow_to(a, e.handler_pc);
        a->work->source[0] = bottom;
        a->work->depth = depth;
    }
}

static void flow_on(Analysis *a, uint32_t bci, uint8_t op, uint32_t length)
{
    uint8_t flags = bytecode_info[op].flags;
    const uint8_t *code = a->code.code;
    if (op == BC_tableswitch || op == BC_lookupswitch)
        flow_switch(a, bci, op);
    else if (op == BC_goto_w || op == BC_jsr_w)
        flow_to(a, (int64_t)bci + get_s4(code + bci + 1));
    else if ((flags & BCF_BRANCH) && op != BC_ret)
        flow_to(a, (int64_t)bci + get_s2(code + bci + 1));
    if (op == BC_jsr
        || op == BC_jsr_w) { // the subroutine is taken to return with the stack it got
        pop(a);
        flow_to(a, (int64_t)bci + length);
    }
    if (!(flags & BCF_END))
        flow_to(a, (int64_t)bci + length);
}

static void analyse(Analysis *a)
{
    const CodeInfo *c = &a->code;
    a->at = vm_calloc(c->code_len, sizeof(*a->at));
    a->work = vm_calloc(1, state_size(a));
    flow_to(a, 0);
    while (a->todo.len && a->steps++ < MAX_STEPS) {
        uint32_t bci = a->todo.at[--a->todo.len];
        uint8_t op = c->code[bci];
        uint32_t length = bytecode_length(c->code, c->code_len, bci);
        if (!length)
            break;
        memcpy(a->work, a->at[bci], state_size(a));
        flow_handlers(a, bci);
        step(a, bci, op);
        flow_on(a, bci, op, length);
    }
}

static void analysis_free(Analysis *a)
{
    for (uint32_t i = 0; i < a->code.code_len; i++)
        vm_free(a->at[i]);
    vm_free(a->at);
    vm_free(a->work);
    vec_free(&a->todo);
}

// Source of the value `slot` words below the top before the instruction at bci.
static int32_t source_at(const Analysis *a, uint32_t bci, uint32_t slot)
{
    const StackState *s = a->at[bci];
    return s && slot < s->depth ? s->source[s->depth - 1 - slot] : SOURCE_NONE;
}

// ---- texts ----

// A type or class name; java.lang.Object and java.lang.String lose their package.
static void add_short(StrBuf *sb, char *name)
{
    const char *s = name;
    if (strncmp(s, "java.lang.Object", 16) == 0 && (!s[16] || s[16] == '['))
        s += 10;
    else if (strncmp(s, "java.lang.String", 16) == 0 && (!s[16] || s[16] == '['))
        s += 10;
    sb_add(sb, s);
}

static void add_class(StrBuf *sb, Bytes cls)
{
    char *name = vm_strndup((const char *)cls.p, cls.len);
    for (char *p = name; *p; p++)
        if (*p == '/')
            *p = '.';
    add_short(sb, name);
    vm_free(name);
}

static void add_parameters(StrBuf *sb, Bytes desc)
{
    char *text = vm_strndup((const char *)desc.p, desc.len);
    const char *p = text + 1;
    for (bool first = true; *p && *p != ')'; first = false) {
        StrBuf type = {0};
        describe_type(&type, &p);
        sb_add(sb, first ? "" : ", ");
        add_short(sb, type.s);
        sb_free(&type);
    }
    vm_free(text);
}

static void add_call(const Analysis *a, StrBuf *sb, uint32_t bci)
{
    MemberRef r = member_at(a, bci);
    add_class(sb, r.cls);
    sb_putc(sb, '.');
    sb_add_n(sb, (const char *)r.name.p, r.name.len);
    sb_putc(sb, '(');
    add_parameters(sb, r.desc);
    sb_putc(sb, ')');
}

static bool add_table_name(const Analysis *a, StrBuf *sb, uint32_t bci, uint32_t slot)
{
    uint32_t count;
    LocalVarEntry *locals = code_locals(a->cf, &a->code, &count);
    const LocalVarEntry *found = NULL;
    for (uint32_t i = 0; i < count && !found; i++) {
        const LocalVarEntry *v = &locals[i];
        if (v->slot == slot && bci >= v->start_pc && bci < (uint32_t)v->start_pc + v->length)
            found = v;
    }
    Bytes name = found ? cf_utf8(a->cf, found->name) : (Bytes){0};
    if (found)
        sb_add_n(sb, (const char *)name.p, name.len);
    vm_free(locals);
    return found != NULL;
}

// Number (from 1) of the parameter that starts in `slot`; 0: none.
static int parameter_of_slot(const Method *m, uint32_t slot)
{
    uint32_t at = method_is_static(m) ? 0 : 1;
    const char *p = m->desc->s + 1, *start;
    size_t len;
    int number = 1;
    for (char kind; (kind = descriptor_next(&p, &start, &len)) != 0; number++) {
        if (at == slot)
            return number;
        at += kind_words(kind);
    }
    return 0;
}

static bool add_local(const Analysis *a, StrBuf *sb, uint32_t bci, uint32_t slot)
{
    if (add_table_name(a, sb, bci, slot))
        return true;
    bool written = slot < 64 ? a->at[bci]->written >> slot & 1 : true;
    int parameter = parameter_of_slot(a->method, slot);
    if (!written && slot == 0 && !method_is_static(a->method))
        sb_add(sb, "this");
    else if (!written && parameter)
        sb_printf(sb, "<parameter%d>", parameter);
    else
        sb_printf(sb, "<local%u>", slot);
    return true;
}

static bool is_call(uint8_t op)
{
    return op >= BC_invokevirtual && op <= BC_invokeinterface;
}

static bool add_source(const Analysis *a, StrBuf *sb, int32_t source, int detail);

static bool add_field(const Analysis *a, StrBuf *sb, uint32_t bci, int detail)
{
    MemberRef r = member_at(a, bci);
    if (a->code.code[bci] == BC_getstatic) {
        add_class(sb, r.cls);
        sb_putc(sb, '.');
    } else if (add_source(a, sb, source_at(a, bci, 0), detail - 1)) {
        sb_putc(sb, '.');
    }
    sb_add_n(sb, (const char *)r.name.p, r.name.len);
    return true;
}

static bool add_element(const Analysis *a, StrBuf *sb, uint32_t bci, int detail)
{
    if (!add_source(a, sb, source_at(a, bci, 1), detail - 1))
        sb_add(sb, "<array>");
    sb_putc(sb, '[');
    if (!add_source(a, sb, source_at(a, bci, 0), detail))
        sb_add(sb, "...");
    sb_putc(sb, ']');
    return true;
}

static bool add_number(StrBuf *sb, int32_t value)
{
    sb_printf(sb, "%d", value);
    return true;
}

// What the instruction at `source` pushed. False when it cannot be said.
static bool add_source(const Analysis *a, StrBuf *sb, int32_t source, int detail)
{
    if (detail <= 0 || source < 0)
        return false;
    uint32_t bci = (uint32_t)source;
    const uint8_t *code = a->code.code;
    uint8_t op = code[bci];
    if (op == BC_aconst_null) {
        sb_add(sb, "null");
        return true;
    }
    if (op >= BC_iconst_m1 && op <= BC_iconst_5)
        return add_number(sb, op - BC_iconst_0);
    if (op == BC_bipush)
        return add_number(sb, (int8_t)code[bci + 1]);
    if (op == BC_sipush)
        return add_number(sb, get_s2(code + bci + 1));
    if (op == BC_iload || op == BC_aload)
        return add_local(a, sb, bci, code[bci + 1]);
    if (op >= BC_iload_0 && op <= BC_iload_3)
        return add_local(a, sb, bci, op - BC_iload_0);
    if (op >= BC_aload_0 && op <= BC_aload_3)
        return add_local(a, sb, bci, op - BC_aload_0);
    if (op == BC_wide)
        return add_local(a, sb, bci, get_u2(code + bci + 2));
    if (op == BC_getstatic || op == BC_getfield)
        return add_field(a, sb, bci, detail);
    if (op == BC_iaload || op == BC_aaload)
        return add_element(a, sb, bci, detail);
    if (!is_call(op))
        return false;
    add_call(a, sb, bci);
    return true;
}

static const char *array_kind(uint8_t op)
{
    static const char *const kinds[] = {"int",    "long",         "float", "double",
                                        "object", "byte/boolean", "char",  "short"};
    return kinds[op >= BC_iastore ? op - BC_iastore : op - BC_iaload];
}

static void add_quoted_member(const Analysis *a, StrBuf *sb, const char *what, uint32_t bci)
{
    MemberRef r = member_at(a, bci);
    sb_printf(sb, "Cannot %s field \"%.*s\"", what, (int)r.name.len, (const char *)r.name.p);
}

// What could not be done; false when no text is made for the instruction.
static bool add_action(const Analysis *a, StrBuf *sb, uint32_t bci)
{
    uint8_t op = a->code.code[bci];
    if (op >= BC_iaload && op <= BC_saload) {
        sb_printf(sb, "Cannot load from %s array", array_kind(op));
    } else if (op >= BC_iastore && op <= BC_sastore) {
        sb_printf(sb, "Cannot store to %s array", array_kind(op));
    } else if (op == BC_arraylength) {
        sb_add(sb, "Cannot read the array length");
    } else if (op == BC_athrow) {
        sb_add(sb, "Cannot throw exception");
    } else if (op == BC_monitorenter || op == BC_monitorexit) {
        sb_printf(sb, "Cannot %s synchronized block", op == BC_monitorenter ? "enter" : "exit");
    } else if (op == BC_getfield) {
        add_quoted_member(a, sb, "read", bci);
    } else if (op == BC_putfield) {
        add_quoted_member(a, sb, "assign", bci);
    } else if (is_call(op) && op != BC_invokestatic) {
        if (bytes_eq(member_at(a, bci).name, "<init>"))
            return false;
        sb_add(sb, "Cannot invoke \"");
        add_call(a, sb, bci);
        sb_putc(sb, '"');
    } else {
        return false;
    }
    return true;
}

// Words between the null operand and the top of the stack.
static uint32_t null_slot(const Analysis *a, uint32_t bci)
{
    uint8_t op = a->code.code[bci];
    if (op >= BC_iaload && op <= BC_saload)
        return 1;
    if (op == BC_lastore || op == BC_dastore)
        return 3;
    if (op >= BC_iastore && op <= BC_sastore)
        return 2;
    if (op != BC_putfield && !is_call(op))
        return 0;
    MemberRef r = member_at(a, bci);
    return op == BC_putfield ? kind_words((char)r.desc.p[0]) : call_words(&r);
}

static void add_reason(const Analysis *a, StrBuf *sb, uint32_t bci)
{
    StrBuf reason = {0};
    int32_t source = source_at(a, bci, null_slot(a, bci));
    if (add_source(a, &reason, source, MAX_DETAIL)) {
        bool call = is_call(a->code.code[source]);
        sb_printf(sb, " because %s\"%s\" is null", call ? "the return value of " : "",
                  reason.s);
    }
    sb_free(&reason);
}

char *npe_message(Method *m, int32_t bci)
{
    if (!method_has_code(m) || bci < 0 || (uint32_t)bci >= method_code(m).code_len)
        return NULL;
    Analysis a = {.method = m, .cf = m->pool->cf, .code = method_code(m)};
    StrBuf sb = {0};
    if (!add_action(&a, &sb, (uint32_t)bci)) {
        sb_free(&sb);
        return NULL;
    }
    analyse(&a);
    add_reason(&a, &sb, (uint32_t)bci);
    analysis_free(&a);
    return sb.s;
}
