// SPDX-License-Identifier: Apache-2.0
// See method_data.h. Other threads may go on counting meanwhile.
#include "service/report/method_data.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/output.h"
#include "class/loader.h"
#include "interp/profile.h"
#include "java/shutdown.h"
#include "options/options.h"

typedef struct Row {
    const Method *m;
    const MethodProfile *profile;
    uint32_t weight; // when the list was made
} Row;
typedef VEC(Row) RowList;

static uint32_t now(const _Atomic uint32_t *count)
{
    return atomic_load_explicit(count, memory_order_relaxed);
}

static void add_class(StrBuf *out, const Class *c, uint32_t count)
{
    char *name = class_external_name(c);
    sb_printf(out, " %s %u,", name, count);
    vm_free(name);
}

// "A 7, B 2, others 1, null 3".
static void add_site(StrBuf *out, const TypeSite *s)
{
    for (int i = 0; i < PROFILE_CLASSES; i++) {
        const Class *c = atomic_load_explicit(&s->classes[i], memory_order_relaxed);
        if (c)
            add_class(out, c, now(&s->counts[i]));
    }
    if (now(&s->others))
        sb_printf(out, " others %u,", now(&s->others));
    if (now(&s->nulls))
        sb_printf(out, " null %u,", now(&s->nulls));
}

static bool is_conditional(uint8_t bytecode)
{
    return bytecode_info[bytecode].condition != CONDITION_NONE;
}

// A line for an instruction of which something is known.
static void add_instruction(StrBuf *out, const Method *m, const Insn *pc, bool threw)
{
    uint8_t bytecode = method_bytecodes(m)[pc->bci];
    size_t start = out->len;
    sb_printf(out, "%8u %s:", pc->bci, bytecode_info[bytecode].name);
    size_t head = out->len;
    const TypeSite *site = profile_site(m, pc);
    if (site)
        add_site(out, site);
    if (is_conditional(bytecode) && profile_taken(pc) + profile_not_taken(pc) > 0)
        sb_printf(out, " taken %u, not taken %u,", profile_taken(pc), profile_not_taken(pc));
    if (threw)
        sb_add(out, " has thrown,");
    bool any = out->len > head;
    out->len = any ? out->len - 1 : start; // the comma, or all
    out->s[out->len] = '\0';
    if (any)
        sb_putc(out, '\n');
}

static void add_handler(StrBuf *out, const Method *m, uint32_t i, bool caught)
{
    CodeInfo code = method_code(m);
    ExceptionEntry e = code_exception(&code, i);
    sb_printf(out, "%8u handler for %u to %u: %s\n", e.handler_pc, e.start_pc, e.end_pc,
              caught ? "has caught" : "never caught");
}

static void add_method(StrBuf *out, const Row *row)
{
    const Method *m = row->m;
    const MethodProfile *p = row->profile;
    const Insn *code = atomic_load_explicit(&m->code, memory_order_acquire);
    sb_printf(out, "%s.%s%s: %u calls, %u loops, %u of one activation\n", m->cls->name->s,
              m->name->s, m->desc->s, profile_call_count(m), now(&p->loops), now(&p->longest));
    for (uint32_t i = 0; i < p->insn_count; i++)
        add_instruction(out, m, &code[i], profile_has_bit(p->thrown, i));
    for (uint32_t i = 0; i < p->handler_count; i++)
        add_handler(out, m, i, profile_has_bit(p->caught, i));
}

static void list_class(void *list, Class *c)
{
    METHOD_EACH (m, c) {
        const MethodProfile *p = method_profile(m);
        if (p)
            vec_push((RowList *)list, ((Row){m, p, profile_weight(m)}));
    }
}

static int by_name(const Method *a, const Method *b)
{
    int order = strcmp(a->cls->name->s, b->cls->name->s);
    return order ? order : (int)a->slot - (int)b->slot;
}

static int by_weight(const void *x, const void *y)
{
    const Row *a = x, *b = y;
    return a->weight != b->weight ? (a->weight < b->weight ? 1 : -1) : by_name(a->m, b->m);
}

void method_data_add(StrBuf *out)
{
    RowList list = {0};
    classes_each(list_class, &list);
    sb_printf(out, "Profiles of %zu methods, %zu bytes:\n", list.len, profile_bytes());
    if (list.len)
        qsort(list.at, list.len, sizeof *list.at, by_weight);
    for (size_t i = 0; i < list.len; i++)
        add_method(out, &list.at[i]);
    vec_free(&list);
}

static void print(Thread *self)
{
    ASSERT_IN_VM(self);
    StrBuf text = {0};
    method_data_add(&text);
    fputs(text.s, vm_stdout());
    fflush(vm_stdout());
    sb_free(&text);
}

void method_data_start(void)
{
    if (vm_options.print_method_data)
        shutdown_add(print);
}
