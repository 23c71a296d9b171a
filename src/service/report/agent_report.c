// SPDX-License-Identifier: Apache-2.0
// See agent_report.h.
#include "service/report/agent_report.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/strbuf.h"
#include "class/loader.h"
#include "class/vm_classes.h"
#include "code/code_place.h"
#include "java/string.h"
#include "options/options.h"

enum { FRAMES = 64, FRAMES_SHOWN = 12, PLACE = 512 };

static Mutex report_lock = MUTEX_INIT(RANK_LOG); // what follows, and the order on stderr
static PtrMap reported;                          // hashes of findings
static SymbolFile symbol_file;
static int report_count, shown_count;

typedef struct AgentStack {
    void *frames[FRAMES];
    int first, count; // those outside of the VM, from the innermost on
} AgentStack;

static void take_stack(AgentStack *s)
{
    const void *ours = os_library_base(__builtin_return_address(0));
    s->count = native_backtrace(s->frames, FRAMES);
    s->first = 0;
    while (s->first < s->count && os_library_base(s->frames[s->first]) != ours)
        s->first++; // a sanitizer's
    while (s->first < s->count && os_library_base(s->frames[s->first]) == ours)
        s->first++;
}

void agent_place_here(AgentPlace *out)
{
    AgentStack s;
    take_stack(&s);
    out->count = MIN_OF(s.count - s.first, AGENT_PLACE_MAX);
    for (int i = 0; i < out->count; i++)
        out->at[i] = s.frames[s.first + i];
}

// Where the agent is, or was: NULL when that is not known.
static const void *code_of(const AgentReport *r, const AgentStack *s)
{
    if (r->place)
        return r->place->count > 0 ? r->place->at[0] : NULL;
    return s->first < s->count ? s->frames[s->first] : NULL;
}

// The name of the current thread, vm_malloc'ed.
static char *thread_text(void)
{
    Thread *self = thread_current();
    if (!self || !self->java_thread)
        return vm_strdup("not attached");
    bool outside = atomic_load_explicit(&self->state, memory_order_relaxed) == THREAD_IN_NATIVE;
    if (outside)
        thread_enter_vm(self);
    Object *o = deref(self->java_thread);
    Object *name = o ? object_get_ref(o, OFF(Thread, name)) : NULL;
    char *text = name ? string_to_mutf8(name) : vm_strdup("");
    if (outside)
        thread_leave_vm(self, THREAD_IN_NATIVE);
    char *quoted = vm_asprintf("\"%s\"", text);
    vm_free(text);
    return quoted;
}

static bool is_new(const AgentReport *r, const void *place)
{
    struct {
        const void *place;
        uint32_t rule, call;
    } key = {place, hash_bytes(r->rule, strlen(r->rule)), hash_bytes(r->call, strlen(r->call))};
    uintptr_t hash = (uintptr_t)hash_bytes(&key, sizeof key) + 1;
    bool is = !ptrmap_get(&reported, hash);
    ptrmap_put(&reported, hash, &reported);
    return is;
}

// One line for each address, the title before the first.
static void append_places(StrBuf *sb, const char *title, const void *const *at, int count,
                          bool is_return)
{
    char place[PLACE];
    for (int i = 0; i < count; i++) {
        code_place(&symbol_file, (uintptr_t)at[i], is_return, place, sizeof place);
        sb_printf(sb, "    %-7s%s\n", i == 0 ? title : "", place);
    }
}

static void append_stack(StrBuf *sb, const AgentReport *r, const AgentStack *s)
{
    if (r->place)
        append_places(sb, "place:", r->place->at, r->place->count, r->place->count > 1);
    else
        append_places(sb, "stack:", (const void *const *)s->frames + s->first,
                      MIN_OF(s->count - s->first, FRAMES_SHOWN), true);
}

static void append_report(StrBuf *sb, const AgentReport *r, const AgentStack *s,
                          const char *thread)
{
    const void *code = code_of(r, s);
    const char *file = code ? native_file_name(code) : NULL;
    sb_printf(sb, "*** %s check: %s\n", r->interface, r->wrong);
    sb_printf(sb, "    agent:  %s\n    call:   %s\n", file ? file : "not known", r->call);
    sb_printf(sb, "    rule:   %s\n    thread: %s\n", r->rule, thread);
    append_stack(sb, r, s);
    sb_printf(sb, "    remedy: %s\n", r->remedy);
}

void agent_report(const AgentReport *r)
{
    AgentStack stack;
    take_stack(&stack);
    char *thread = thread_text();
    const void *place = code_of(r, &stack);
    mutex_lock(&report_lock);
    bool show = is_new(r, place) && shown_count < vm_options.check_limit;
    report_count++;
    if (show) {
        StrBuf sb = {0};
        append_report(&sb, r, &stack, thread);
        fputs(sb.s, stderr);
        sb_free(&sb);
        shown_count++;
    }
    mutex_unlock(&report_lock);
    vm_free(thread);
    if (show && vm_options.check_abort)
        abort();
}

void agent_reports_end(void)
{
    mutex_lock(&report_lock);
    if (report_count > 0)
        fprintf(stderr, "*** %d findings, %d of them shown\n", report_count, shown_count);
    mutex_unlock(&report_lock);
}
