// SPDX-License-Identifier: Apache-2.0
// See view.h. What is gathered outlives an attempt (base/alloc.h) that is given up. Of each pass those nodes and states are written that are not as they were after the pass before: the page puts them together.
#include "jit/view.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/json.h"
#include "jit/compile.h"
#include "jit/compile_print.h"

typedef VEC(uint64_t) Hashes;

struct View {
    CompileTask task;
    StrBuf passes, methods, machine, instructions, marks, sites;
    Hashes nodes, states; // by number: of what was written last
    uint32_t bytes, attempts, inlined, node_count;
    uint32_t frame_bytes;
    size_t code_bytes;
};

// -XX:CompileCommand=log,pattern: of these methods alone.
static bool is_wanted(const CompileTask *task)
{
    CompileSubject s = compile_subject(task->method);
    const char *said = compile_command_value("log", &s);
    return !compile_command_is_given("log") || (said && strcmp(said, "true") == 0);
}

View *view_begin(const CompileTask *task)
{
    if (!view_is_on() || !is_wanted(task))
        return NULL;
    View *v = vm_calloc(1, sizeof *v);
    v->task = *task;
    v->bytes = method_code(task->method).code_len;
    return v;
}

static void forget(View *v)
{
    StrBuf *texts[] = {&v->passes,       &v->methods, &v->machine,
                       &v->instructions, &v->marks,   &v->sites};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        sb_free(texts[i]);
    vec_free(&v->nodes);
    vec_free(&v->states);
}

void view_restart(View *v, const Graph *g)
{
    if (!v)
        return;
    VM_ASSERT(g->nodes.len <= 1);
    attempt_pause();
    forget(v);
    v->attempts++;
    StrBuf *lists[] = {&v->passes, &v->instructions, &v->marks, &v->sites};
    for (size_t i = 0; i < ARRAY_LEN(lists); i++)
        sb_putc(lists[i], '[');
    v->inlined = 0;
    sb_add(&v->methods, "\"methods\":[],\"scopes\":[]");
    sb_add(&v->machine, "null");
    attempt_resume();
}

// ---- graphs ----

// Adds a row, unless it is the same that was added for this number before.
static void add_changed(StrBuf *out, Hashes *seen, uint32_t number, StrBuf *row)
{
    uint64_t hash = 0xcbf29ce484222325u; // FNV-1a
    for (size_t i = 0; i < row->len; i++)
        hash = (hash ^ (uint8_t)row->s[i]) * 0x100000001b3u;
    while (seen->len <= number)
        vec_push(seen, 0);
    if (seen->at[number] != hash) {
        seen->at[number] = hash;
        json_next(out);
        sb_add_n(out, row->s, row->len);
    }
    row->len = 0;
}

static void add_numbers(StrBuf *out, const uint32_t *at, uint32_t count)
{
    json_next(out);
    sb_putc(out, '[');
    for (uint32_t i = 0; i < count; i++)
        json_number(out, at[i]);
    sb_putc(out, ']');
}

// [number, operation, type, what else it is, inputs, state, scope, bci]
static void add_node(View *v, const Graph *g, NodeId id, StrBuf *row)
{
    Node *n = ir_node(g, id);
    StrBuf text = {0};
    ir_print_aux(g, n, &text);
    sb_printf(row, "[%u,\"%s\",\"%c\",", id, ir_info(n)->name, "VILFDAX"[n->type]);
    json_text(row, text.s ? text.s + 1 : ""); // behind a blank
    add_numbers(row, ir_inputs(g, n), ir_input_count(n));
    sb_printf(row, ",%u,%u,%u]", n->state, n->scope, n->bci);
    add_changed(&v->passes, &v->nodes, id, row);
    sb_free(&text);
}

static void add_nodes(View *v, const Graph *g)
{
    StrBuf row = {0};
    json_name(&v->passes, "nodes");
    sb_putc(&v->passes, '[');
    for (NodeId n = 1; n < g->nodes.len; n++)
        add_node(v, g, n, &row);
    sb_putc(&v->passes, ']');
    sb_free(&row);
}

// [number, kind, scope, bci, locals, operands, locks]
static void add_states(View *v, const Graph *g)
{
    StrBuf row = {0};
    json_name(&v->passes, "states");
    sb_putc(&v->passes, '[');
    for (StateId id = 1; id < g->states.len; id++) {
        const State *s = ir_state(g, id);
        const NodeId *locals, *operands;
        ir_state_words(g, s, &locals, &operands);
        sb_printf(&row, "[%u,\"%s\",%u,%u", id, ir_state_text(s), s->scope, s->bci);
        add_numbers(&row, locals, ir_state_locals(g, s));
        add_numbers(&row, operands, s->depth);
        add_numbers(&row, operands + s->depth, s->locks);
        sb_putc(&row, ']');
        add_changed(&v->passes, &v->states, id, &row);
    }
    sb_putc(&v->passes, ']');
    sb_free(&row);
}

// [number, bci, scope, predecessors, successors, loop, its depth, header?, cold?, dominator, nodes]
static void add_block(StrBuf *out, const Graph *g, BlockId id)
{
    const Block *b = ir_at(g, id);
    json_next(out);
    sb_printf(out, "[%u,%u,%u", id, b->bci, b->scope);
    add_numbers(out, b->preds.at, b->preds.len);
    add_numbers(out, b->succs.at, b->succs.len);
    sb_printf(out, ",%u,%u,%d,%d,%u", b->loop, b->loop_depth, b->is_header, b->cold, b->idom);
    add_numbers(out, b->nodes.at, b->nodes.len);
    sb_putc(out, ']');
}

void view_pass(View *v, Graph *g, const char *pass, uint64_t nanos)
{
    if (!v)
        return;
    if (!g->order.len)
        ir_find_loops(g); // no pass has done it yet
    attempt_pause();
    StrBuf *out = &v->passes;
    json_next(out);
    sb_printf(out, "{\"name\":\"%s\",\"nanos\":%" PRIu64 ",\"blocks\":[", pass, nanos);
    v->node_count = 0;
    for (size_t i = 0; i < g->order.len; i++) {
        add_block(out, g, g->order.at[i]);
        v->node_count += ir_at(g, g->order.at[i])->nodes.len;
    }
    sb_putc(out, ']');
    add_nodes(v, g);
    add_states(v, g);
    sb_putc(out, '}');
    sb_free(&v->methods);
    view_add_methods(&v->methods, g);
    if (v->inlined == 0) // later passes add copies of scopes
        v->inlined = (uint32_t)g->scopes.len - 1;
    attempt_resume();
}

// ---- registers ----

static int32_t slot_of(const Machine *m, const Interval *i)
{
    return i->value && i->reg == NO_REGISTER && m->slot[i->value] != NO_SLOT
               ? (int32_t)m->slot[i->value]
               : -1;
}

// [value or 0, a later part?, register or -1, slot or -1, from, to, from, to ... , uses]
static void add_interval(StrBuf *out, const Machine *m, const Interval *i)
{
    json_next(out);
    sb_printf(out, "[%u,%d,%d,%d,[", i->value, i->is_part,
              i->reg == NO_REGISTER ? -1 : (int)i->reg, slot_of(m, i));
    for (uint32_t r = i->ranges; r; r = m->ranges.at[r].next) {
        json_number(out, m->ranges.at[r].from);
        json_number(out, m->ranges.at[r].to);
    }
    sb_add(out, "],[");
    for (uint32_t u = i->uses; u; u = m->uses.at[u].next)
        json_number(out, m->uses.at[u].at);
    sb_add(out, "]]");
}

void view_machine(View *v, const Machine *m)
{
    if (!v)
        return;
    attempt_pause();
    StrBuf *out = &v->machine;
    sb_free(out);
    sb_add(out, "{\"registers\":[");
    for (uint32_t r = 0; r < MACHINE_REGISTERS; r++) {
        json_next(out);
        json_text(out, machine_register_name(r));
    }
    sb_add(out, "],\"line\":[");
    for (size_t i = 0; i < m->line.len; i++)
        json_number(out, m->line.at[i]);
    sb_add(out, "],\"same\":["); // [node, the node whose value it has]
    for (NodeId n = 1; n < m->g->nodes.len; n++)
        if (m->value[n] != n) {
            json_next(out);
            sb_printf(out, "[%u,%u]", n, m->value[n]);
        }
    sb_printf(out, "],\"slots\":%u", m->slot_count);
    json_name(out, "clobbers");
    add_numbers(out, m->clobbers.all.at, (uint32_t)m->clobbers.all.len);
    sb_add(out, ",\"intervals\":[");
    for (uint32_t i = 1; i < m->intervals.len; i++)
        if (m->intervals.at[i].ranges)
            add_interval(out, m, &m->intervals.at[i]);
    sb_add(out, "]}");
    attempt_resume();
}

// ---- code ----

void view_instruction(View *v, size_t offset, const uint8_t *code, size_t size,
                      const char *text)
{
    attempt_pause();
    json_next(&v->instructions);
    sb_printf(&v->instructions, "[%zu,\"", offset);
    for (size_t i = 0; i < size; i++)
        sb_printf(&v->instructions, "%02x", code[i]);
    sb_add(&v->instructions, "\",");
    json_text(&v->instructions, text);
    sb_putc(&v->instructions, ']');
    attempt_resume();
}

void view_mark(View *v, uint32_t offset, const char *part, NodeId node, BlockId block)
{
    if (!v)
        return;
    attempt_pause();
    json_next(&v->marks);
    sb_printf(&v->marks, "[%u,\"%s\",%u,%u]", offset, part, node, block);
    attempt_resume();
}

void view_site(View *v, uint32_t offset, const char *kind, uint32_t bci, const char *reason,
               uint32_t registers, const uint32_t *slot_words, uint32_t slot_count)
{
    attempt_pause();
    json_next(&v->sites);
    sb_printf(&v->sites, "[%u,\"%s\",%u,\"%s\",[", offset, kind, bci, reason);
    for (uint32_t r = 0; r < MACHINE_REGISTERS; r++)
        if (registers >> r & 1)
            json_number(&v->sites, r);
    sb_add(&v->sites, "],[");
    for (uint32_t i = 0; i < slot_count; i++)
        if (slot_words[i / 32] >> (i % 32) & 1)
            json_number(&v->sites, i);
    sb_add(&v->sites, "]]");
    attempt_resume();
}

void view_sizes(View *v, uint32_t frame_bytes, size_t code_bytes)
{
    v->frame_bytes = frame_bytes;
    v->code_bytes = code_bytes;
}

// ---- all ----

// What the page and its row of the index both begin with.
static void add_head(const View *v, StrBuf *out, const char *refused, uint64_t nanos)
{
    const Method *m = v->task.method;
    StrBuf name = {0};
    sb_printf(out, "{\"id\":%u,\"bci\":%d,\"level\":%u,\"bytes\":%u", v->task.id,
              v->task.osr_bci, v->task.level, v->bytes);
    json_name(out, "name");
    view_method_name(&name, m);
    json_text_n(out, name.s, name.len);
    sb_printf(out, ",\"attempts\":%u,\"inlined\":%u,\"nodes\":%u,\"nanos\":%" PRIu64,
              v->attempts, v->inlined, v->node_count, nanos);
    sb_printf(out, ",\"frame\":%u,\"code\":%zu", v->frame_bytes, v->code_bytes);
    json_name(out, "refused");
    json_text(out, refused ? refused : "");
    sb_free(&name);
}

static void add_ops(StrBuf *out)
{
    sb_add(out, ",\"ops\":{");
    for (int op = IR_NONE + 1; op < IR_OP_COUNT; op++) {
        json_name(out, ir_ops[op].name);
        sb_printf(out, "%u", ir_ops[op].flags);
    }
    sb_putc(out, '}');
}

void view_end(View *v, const char *refused, uint64_t nanos)
{
    if (!v)
        return;
    StrBuf page = {0}, row = {0};
    add_head(v, &row, refused, nanos);
    sb_add_n(&page, row.s, row.len);
    add_ops(&page);
    if (v->attempts)
        sb_printf(&page,
                  ",%s,\"passes\":%s],\"machine\":%s,\"instructions\":%s],\"marks\":%s],"
                  "\"sites\":%s]}",
                  v->methods.s, v->passes.s, v->machine.s, v->instructions.s, v->marks.s,
                  v->sites.s);
    else
        sb_add(&page, ",\"methods\":[],\"scopes\":[],\"passes\":[],\"machine\":null,"
                      "\"instructions\":[],\"marks\":[],\"sites\":[]}");
    view_write(&v->task, &page, &row);
    sb_free(&page);
    sb_free(&row);
    forget(v);
    vm_free(v);
}
