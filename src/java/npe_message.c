// SPDX-License-Identifier: Apache-2.0
// Helpful NullPointerException messages (JEP 358), computed from the bytecode of the method
// that failed.
//
// Abstract interpretation (classfile/flow.h) finds for each operand which instruction pushed it, and
// which locals may have been written. From the failing instruction and the source of its null operand
// the text is made. Pure: reads class files only.
#include "java/npe_message.h"
#include "base/strbuf.h"
#include "class/loader.h"
#include "classfile/flow.h"
#include "java/describe.h"

enum { MAX_DETAIL = 5 };
// An operand is the bytecode index of the instruction that pushed it, or unknown where paths differ. A
// local is FLOW_UNSET until it is written.
#define SOURCE_UNKNOWN (FLOW_RETURN - 1)
#define WRITTEN        SOURCE_UNKNOWN

typedef struct Analysis {
    const Method *method;
    const ClassFile *cf;
    CodeInfo code;
    Flow flow;
} Analysis;

static void push(FlowWord *at, const Instruction *in, char kind)
{
    for (uint32_t i = 0; i < kind_words(kind); i++)
        at[i] = in->bci;
}

static void store(FlowWord *locals, const Instruction *in, FlowWord value)
{
    (void)value;
    for (uint32_t i = 0; i < kind_words(in->info->local.kind); i++)
        locals[in->local + i] = WRITTEN;
}

// HotSpot knows nothing of what lies behind a subroutine.
static const FlowLattice sources = {.push = push,
                                    .store = store,
                                    .caught = SOURCE_UNKNOWN,
                                    .mixed = SOURCE_UNKNOWN,
                                    .ret_ends = true};

typedef enum Place { LOCAL, OPERAND } Place;

// What a local, or the operand so many words below the top, is before the instruction at bci.
static FlowWord word_at(Analysis *a, uint32_t bci, Place place, uint32_t i)
{
    Flow *f = &a->flow;
    FlowWord found = SOURCE_UNKNOWN;
    const FlowState *first = f->entry[flow_graph_block(&f->graph, bci)];
    for (const FlowState *s = first; s; s = s->next) {
        if (!flow_step_to(f, s, bci) || i >= (place == LOCAL ? f->locals : f->depth))
            return SOURCE_UNKNOWN;
        FlowWord word = f->words[place == LOCAL ? i : f->locals + f->depth - 1 - i];
        if (s != first && word != found)
            return SOURCE_UNKNOWN;
        found = word;
    }
    return found;
}

static FlowWord source_at(Analysis *a, uint32_t bci, uint32_t below_top)
{
    return word_at(a, bci, OPERAND, below_top);
}

static Instruction instruction_at(const Analysis *a, uint32_t bci)
{
    Instruction in;
    bool ok = instruction_read(a->code.code, a->code.code_len, bci, &in);
    VM_CHECK(ok);
    return in;
}

// Class, name and descriptor that a member instruction names.
typedef struct MemberRef {
    Bytes cls, name, desc;
} MemberRef;

static MemberRef member_of(const Analysis *a, const Instruction *in)
{
    CpEntry nat = cf_name_and_type(a->cf, in->constant);
    MemberRef r = {.name = cf_utf8(a->cf, nat.nat.name), .desc = cf_utf8(a->cf, nat.nat.type)};
    if (cf_tag(a->cf, in->constant) != CP_INVOKE_DYNAMIC)
        r.cls = cf_class_name(a->cf, cf_first_index(a->cf, in->constant));
    return r;
}

// ---- texts ----

// "java.lang.", and that with "Object" or "String".
enum { PACKAGE_LEN = 10, SHORTENED_LEN = 16 };

// Whether it is java.lang.Object or java.lang.String, or begins like that. Of parameter types HotSpot shortens these, too:
// java.lang.StringBuilder.
static bool begins_short(const char *name)
{
    return strncmp(name, "java.lang.Object", SHORTENED_LEN) == 0
           || strncmp(name, "java.lang.String", SHORTENED_LEN) == 0;
}

// A class name; java.lang.Object and java.lang.String lose their package.
static void add_short(StrBuf *sb, const char *name)
{
    bool is_short = begins_short(name) && (!name[SHORTENED_LEN] || name[SHORTENED_LEN] == '[');
    sb_add(sb, name + (is_short ? PACKAGE_LEN : 0));
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
        sb_add(sb, type.s + (begins_short(type.s) ? PACKAGE_LEN : 0));
        sb_free(&type);
    }
    vm_free(text);
}

static void add_call(const Analysis *a, StrBuf *sb, const Instruction *in)
{
    MemberRef r = member_of(a, in);
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
    DescriptorWalk w = descriptor_walk(m->desc->s, m->desc->len, !method_is_static(m));
    while (descriptor_walk_next(&w))
        if (w.slot == slot)
            return (int)w.index + 1;
    return 0;
}

static bool add_local(Analysis *a, StrBuf *sb, uint32_t bci, uint32_t slot)
{
    enum { FOLLOWED = 64 }; // locals that HotSpot looks at
    if (add_table_name(a, sb, bci, slot))
        return true;
    bool written = slot >= FOLLOWED || word_at(a, bci, LOCAL, slot) != FLOW_UNSET;
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

static bool add_source(Analysis *a, StrBuf *sb, FlowWord source, int detail);

static bool add_field(Analysis *a, StrBuf *sb, const Instruction *in, int detail)
{
    MemberRef r = member_of(a, in);
    if (in->op == BC_getstatic) {
        add_class(sb, r.cls);
        sb_putc(sb, '.');
    } else if (add_source(a, sb, source_at(a, in->bci, 0), detail - 1)) {
        sb_putc(sb, '.');
    }
    sb_add_n(sb, (const char *)r.name.p, r.name.len);
    return true;
}

static bool add_element(Analysis *a, StrBuf *sb, uint32_t bci, int detail)
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
static bool add_source(Analysis *a, StrBuf *sb, FlowWord source, int detail)
{
    if (detail <= 0 || source >= SOURCE_UNKNOWN)
        return false;
    Instruction in = instruction_at(a, source);
    if (in.op == BC_aconst_null) {
        sb_add(sb, "null");
        return true;
    }
    if (in.op >= BC_iconst_m1 && in.op <= BC_iconst_5)
        return add_number(sb, in.op - BC_iconst_0);
    if (in.op == BC_bipush || in.op == BC_sipush)
        return add_number(sb, in.value);
    if (in.info->local.use == LOCAL_READ)
        return add_local(a, sb, in.bci, in.local);
    if (in.op == BC_getstatic || in.op == BC_getfield)
        return add_field(a, sb, &in, detail);
    if (in.op == BC_iaload || in.op == BC_aaload)
        return add_element(a, sb, in.bci, detail);
    if (!is_call(in.op))
        return false;
    add_call(a, sb, &in);
    return true;
}

static const char *array_kind(uint8_t op)
{
    static const char *const kinds[] = {"int",    "long",         "float", "double",
                                        "object", "byte/boolean", "char",  "short"};
    return kinds[op >= BC_iastore ? op - BC_iastore : op - BC_iaload];
}

static void add_quoted_member(const Analysis *a, StrBuf *sb, const char *what,
                              const Instruction *in)
{
    Bytes name = member_of(a, in).name;
    sb_printf(sb, "Cannot %s field \"%.*s\"", what, (int)name.len, (const char *)name.p);
}

// What could not be done; false when no text is made for the instruction.
static bool add_action(const Analysis *a, StrBuf *sb, const Instruction *in)
{
    uint8_t op = in->op;
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
        add_quoted_member(a, sb, "read", in);
    } else if (op == BC_putfield) {
        add_quoted_member(a, sb, "assign", in);
    } else if (is_call(op) && op != BC_invokestatic) {
        if (bytes_eq(member_of(a, in).name, "<init>"))
            return false;
        sb_add(sb, "Cannot invoke \"");
        add_call(a, sb, in);
        sb_putc(sb, '"');
    } else {
        return false;
    }
    return true;
}

// The null operand is the first that the instruction takes, the lowest.
static void add_reason(Analysis *a, StrBuf *sb, const Instruction *in)
{
    StrBuf reason = {0};
    FlowWord source = source_at(a, in->bci, instruction_pop_words(a->cf, in) - 1);
    if (add_source(a, &reason, source, MAX_DETAIL)) {
        bool call = is_call(a->code.code[source]);
        sb_printf(sb, " because %s\"%s\" is null", call ? "the return value of " : "",
                  reason.s);
    }
    sb_free(&reason);
}

char *npe_message(Method *m, int32_t bci)
{
    if (!method_has_code(m) || bci < 0)
        return NULL;
    Analysis a = {.method = m, .cf = m->pool->cf, .code = method_code(m)};
    Instruction in;
    StrBuf sb = {0};
    if (!instruction_read(a.code.code, a.code.code_len, (uint32_t)bci, &in)
        || !add_action(&a, &sb, &in)) {
        sb_free(&sb);
        return NULL;
    }
    if (flow_init(&a.flow, a.cf, &a.code, &sources) && flow_solve(&a.flow))
        add_reason(&a, &sb, &in);
    flow_free(&a.flow);
    return sb.s;
}
