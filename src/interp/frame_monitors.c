// SPDX-License-Identifier: Apache-2.0
// Which monitors a frame has entered. Nothing records it: the object of a synchronized method
// stands in the frame; those of synchronized blocks are found by following one way through the
// code from its start to where the frame stands, as locking is structured (JVMS 2.11.10): what
// it enters and does not exit is what any way leaves entered. The object stands in the local
// variable into which compilers store it just before they enter it.
#include "interp/interp.h"
#include "thread/monitor.h"

// ---- a way through the code ----
enum { NOT_REACHED = -1, START = -2 };
typedef struct Way {
    const Method *m;
    const Insn *code;
    int32_t *from;      // by instruction: the one before it, NOT_REACHED, or START
    bool *thrown;       // it was reached by an exception of the one before
    VEC(uint32_t) todo; // breadth first
} Way;

static uint8_t bytecode_at(const Way *w, uint32_t insn)
{
    const uint8_t *p = w->m->info->code->code + w->code[insn].bci;
    return p[0] == BC_wide ? p[1] : p[0];
}

static void reach(Way *w, uint32_t to, int32_t from, bool thrown)
{
    if (to >= w->m->insn_count || w->from[to] != NOT_REACHED)
        return;
    w->from[to] = from;
    w->thrown[to] = thrown;
    vec_push(&w->todo, to);
}

static void reach_handlers(Way *w, uint32_t insn)
{
    const CodeInfo *code = w->m->info->code;
    uint16_t bci = w->code[insn].bci;
    for (int i = 0; i < code->exception_count; i++) {
        const ExceptionEntry *e = &code->exceptions[i];
        const Insn *handler = method_insn_at(w->m, e->handler_pc);
        if (bci >= e->start_pc && bci < e->end_pc && handler)
            reach(w, (uint32_t)(handler - w->code), (int32_t)insn, true);
    }
}

static void reach_next(Way *w, uint32_t insn)
{
    const Insn *in = &w->code[insn];
    uint8_t bytecode = bytecode_at(w, insn);
    int32_t at = (int32_t)insn;
    if (bytecode == BC_tableswitch || bytecode == BC_lookupswitch) {
        const SwitchTable *t = in->p;
        for (int32_t i = 0; i < t->count; i++)
            reach(w, (uint32_t)(at + t->targets[i]), at, false);
        reach(w, (uint32_t)(at + t->default_target), at, false);
        return;
    }
    if (bytecode_info[bytecode].flags & BCF_BRANCH)
        reach(w, (uint32_t)(at + in->a), at, false);
    bool jsr = bytecode == BC_jsr || bytecode == BC_jsr_w; // comes back behind itself
    if (jsr || !(bytecode_info[bytecode].flags & BCF_END))
        reach(w, insn + 1, at, false);
    reach_handlers(w, insn);
}

static void find_way(Way *w, uint32_t target)
{
    w->from = vm_malloc(w->m->insn_count * sizeof *w->from);
    w->thrown = vm_calloc(w->m->insn_count, sizeof *w->thrown);
    for (uint32_t i = 0; i < w->m->insn_count; i++)
        w->from[i] = NOT_REACHED;
    reach(w, 0, START, false);
    for (size_t next = 0; next < w->todo.len && w->from[target] == NOT_REACHED; next++)
        reach_next(w, w->todo.at[next]);
}

// The local that an instruction stores a reference to or loads one from; -1: it does neither.
static int32_t local_of(const Way *w, uint32_t insn)
{
    uint8_t b = bytecode_at(w, insn);
    bool is = b == BC_astore || (b >= BC_astore_0 && b <= BC_astore_3) || b == BC_aload
              || (b >= BC_aload_0 && b <= BC_aload_3);
    return is ? w->code[insn].a : -1;
}

typedef VEC(int32_t) Locals;

// Follows the way back from `insn` and then does what it does to monitors.
static void follow(const Way *w, uint32_t insn, Locals *entered)
{
    VEC(uint32_t) path = {0};
    for (uint32_t at = insn; w->from[at] >= 0; at = (uint32_t)w->from[at])
        if (!w->thrown[at]) // what threw did nothing
            vec_push(&path, (uint32_t)w->from[at]);
    for (size_t i = path.len; i-- > 0;) {
        uint8_t bytecode = bytecode_at(w, path.at[i]);
        if (bytecode == BC_monitorenter)
            vec_push(entered, path.at[i] > 0 ? local_of(w, path.at[i] - 1) : -1);
        else if (bytecode == BC_monitorexit && entered->len > 0)
            entered->len--;
    }
    vec_free(&path);
}

static bool has_blocks(const Method *m)
{
    const CodeInfo *code = m->info->code;
    for (uint32_t bci = 0, len; bci < code->code_len; bci += len) {
        if (code->code[bci] == BC_monitorenter)
            return true;
        len = bytecode_length(code->code, code->code_len, bci);
        if (len == 0)
            break;
    }
    return false;
}

// The locals of the monitors of the blocks in which frame f stands, the outermost first.
static void entered_locals(const Frame *f, Locals *entered)
{
    const Method *m = f->method;
    if (!f->pc || !has_blocks(m))
        return;
    Way w = {.m = m, .code = atomic_load_explicit(&m->code, memory_order_acquire)};
    uint32_t insn = (uint32_t)(f->pc - w.code);
    find_way(&w, insn);
    if (w.from[insn] != NOT_REACHED)
        follow(&w, insn, entered);
    vec_free(&w.todo);
    vm_free(w.from);
    vm_free(w.thrown);
}

// ---- objects ----
static bool is_held(const Thread *t, Object *o)
{
    uint32_t count;
    return o
           && (monitor_owner(o, &count) == t
               || monitor_waiting_object((Thread *)(uintptr_t)t) == o);
}

static int add(const Thread *t, Object *o, Object **out, int count, int max)
{
    if (count < max && is_held(t, o))
        out[count++] = o;
    return count;
}

static Object *object_in(const Frame *f, int32_t local)
{
    return local >= 0 && frame_local_is_ref(f, (uint32_t)local) ? f->locals[local].ref : NULL;
}

int frame_monitor_entries(const Thread *t, const Frame *f, Object **out, int max)
{
    Locals entered = {0};
    int count = f->flags & FRAME_LOCKED ? add(t, f->sync, out, 0, max) : 0;
    entered_locals(f, &entered);
    for (size_t i = 0; i < entered.len; i++)
        count = add(t, object_in(f, entered.at[i]), out, count, max);
    vec_free(&entered);
    return count;
}

static bool is_among(Object *o, Object **objects, int count)
{
    for (int i = 0; i < count; i++)
        if (objects[i] == o)
            return true;
    return false;
}

int frame_monitors(const Thread *t, const Frame *f, Object **out, int max)
{
    int entries = frame_monitor_entries(t, f, out, max), count = 0;
    for (int i = 0; i < entries; i++)
        if (!is_among(out[i], out, count))
            out[count++] = out[i];
    return count;
}

void frame_exit_blocks(Thread *self, Frame *f)
{
    Locals entered = {0};
    entered_locals(f, &entered);
    while (entered.len > 0) {
        int32_t local = entered.at[--entered.len];
        if (object_in(f, local))
            (void)!monitor_exit(self, (jobject)&f->locals[local]);
    }
    vec_free(&entered);
}
