// SPDX-License-Identifier: Apache-2.0
// Linear scan. Intervals come by where they begin; each gets a register that is free until it ends, or as long as possible and is
// split there, or it takes one from others that are used later. What has no register is in its slot until the next use that
// needs one. What has to leave its register in a loop that does not need it leaves it before the loop. See machine.h.
#include <stdlib.h>

#include "jit/machine.h"

typedef VEC(uint32_t) Ids;
typedef struct Span { // a loop, but for those of its blocks that stand behind others
    uint32_t from, to;
    uint32_t outer; // index of the loop around it; 0: none
} Span;
typedef struct Scan {
    Machine *m;
    VEC(Span) spans;  // [0] is none
    uint32_t *within; // by node of the line: the innermost loop's span
    Ids heap;         // unhandled, a heap by position
    Ids active, inactive;
    uint32_t at;
    uint32_t free_until[MACHINE_REGISTERS], used_at[MACHINE_REGISTERS];
    uint32_t blocked_at[MACHINE_REGISTERS];
} Scan;

#define NEVER UINT32_MAX

static Interval *get(const Scan *s, uint32_t id)
{
    VM_ASSERT(id != 0 && id < s->m->intervals.len);
    return &s->m->intervals.at[id];
}

static uint32_t start_of(const Machine *m, const Interval *i)
{
    return m->ranges.at[i->ranges].from;
}

// ---- loops ----

static bool is_in_loop(const Graph *g, BlockId b, BlockId header)
{
    BlockId h = ir_at(g, b)->loop;
    while (h && h != header)
        h = ir_outer_loop(g, h);
    return h != 0;
}

// The loop whose header is block i of the order.
static Span span_of(const Machine *m, size_t i, uint32_t outer)
{
    const Graph *g = m->g;
    BlockId header = g->order.at[i];
    Span span = {m->from[header], m->to[header], outer};
    for (; i < g->order.len && is_in_loop(g, g->order.at[i], header); i++)
        span.to = m->to[g->order.at[i]];
    return span;
}

static void find_spans(Scan *s)
{
    const Machine *m = s->m;
    uint32_t now = 0;
    vec_push(&s->spans, (Span){0});
    s->within = vm_calloc(m->line.len + 1, sizeof *s->within);
    for (size_t i = 0; i < m->g->order.len; i++) {
        BlockId b = m->g->order.at[i];
        while (now && s->spans.at[now].to <= m->from[b])
            now = s->spans.at[now].outer;
        if (ir_at(m->g, b)->is_header) {
            Span span = span_of(m, i, now);
            vec_push(&s->spans, span);
            now = (uint32_t)s->spans.len - 1;
        }
        for (uint32_t at = m->from[b]; at < m->to[b]; at += POSITIONS)
            s->within[at / POSITIONS] = now;
    }
}

// ---- the heap ----

static bool comes_first(const Scan *s, uint32_t a, uint32_t b)
{
    uint32_t at = start_of(s->m, get(s, a)), bt = start_of(s->m, get(s, b));
    return at != bt ? at < bt : a < b;
}

static void heap_put(Scan *s, uint32_t id)
{
    vec_push(&s->heap, id);
    size_t i = s->heap.len - 1;
    for (; i > 0 && comes_first(s, id, s->heap.at[(i - 1) / 2]); i = (i - 1) / 2)
        s->heap.at[i] = s->heap.at[(i - 1) / 2];
    s->heap.at[i] = id;
}

static uint32_t heap_take(Scan *s)
{
    uint32_t first = s->heap.at[0], id = s->heap.at[--s->heap.len];
    size_t i = 0, child = 1;
    for (; child < s->heap.len; i = child, child = 2 * i + 1) {
        if (child + 1 < s->heap.len && comes_first(s, s->heap.at[child + 1], s->heap.at[child]))
            child++;
        if (!comes_first(s, s->heap.at[child], id))
            break;
        s->heap.at[i] = s->heap.at[child];
    }
    if (s->heap.len)
        s->heap.at[i] = id;
    return first;
}

// ---- ranges ----

bool machine_covers(const Machine *m, const Interval *i, uint32_t at)
{
    for (uint32_t r = i->ranges; r && m->ranges.at[r].from <= at; r = m->ranges.at[r].next)
        if (at < m->ranges.at[r].to)
            return true;
    return false;
}

// The first position that both have; NEVER.
static uint32_t meet(const Machine *m, const Interval *a, const Interval *b)
{
    uint32_t x = a->ranges, y = b->ranges;
    while (x && y) {
        const Range *p = &m->ranges.at[x], *q = &m->ranges.at[y];
        uint32_t from = MAX_OF(p->from, q->from);
        if (from < MIN_OF(p->to, q->to))
            return from;
        if (p->to < q->to)
            x = p->next;
        else
            y = q->next;
    }
    return NEVER;
}

static size_t first_from(const uint32_t *at, size_t count, uint32_t position)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (at[middle] < position)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// The first clobber of a list that a part of the interval from `from` on lives over. `length` of a clobber.
static uint32_t meets_clobber(const Machine *m, const Interval *i, const uint32_t *at,
                              size_t count, uint32_t length, uint32_t from)
{
    size_t k = first_from(at, count, from >= length - 1 ? from - (length - 1) : 0);
    for (uint32_t r = i->ranges; r && k < count; r = m->ranges.at[r].next) {
        const Range *range = &m->ranges.at[r];
        while (k < count && at[k] + length <= range->from)
            k++;
        if (k < count && at[k] < range->to)
            return MAX_OF(at[k], range->from);
    }
    return NEVER;
}

// Where all registers change, or this one alone.
static uint32_t all_clobbered_at(const Machine *m, const Interval *i)
{
    const Clobbers *c = &m->clobbers;
    return meets_clobber(m, i, c->all.at, c->all.len, 1, start_of(m, i));
}

static uint32_t clobbered_at(const Machine *m, const Interval *i, uint32_t reg)
{
    const Clobbers *c = &m->clobbers;
    return meets_clobber(m, i, c->some[reg].at, c->some[reg].len, 2, start_of(m, i));
}

// ---- splitting ----

// The next use at `from` or behind, that needs a register if `in_register`.
static uint32_t next_use(const Machine *m, const Interval *i, uint32_t from, bool in_register)
{
    for (uint32_t u = i->uses; u; u = m->uses.at[u].next)
        if (m->uses.at[u].at >= from && (!in_register || m->uses.at[u].in_register))
            return m->uses.at[u].at;
    return NEVER;
}

// Whether any part of the interval's value has a use that needs a register in [from, to).
static uint32_t use_between(const Scan *s, const Interval *i, uint32_t from, uint32_t to)
{
    for (uint32_t part = s->m->interval[i->value]; part; part = get(s, part)->next) {
        uint32_t use = next_use(s->m, get(s, part), from, true);
        if (use < to)
            return use;
    }
    return NEVER;
}

// How far the next use that needs a register is: of what is used again in the next turn of a loop, at the loop's end at the earliest.
static uint32_t next_use_by_turns(const Scan *s, const Interval *i, uint32_t from)
{
    uint32_t at = next_use(s->m, i, from, true);
    for (uint32_t loop = s->within[from / POSITIONS]; loop; loop = s->spans.at[loop].outer) {
        const Span *span = &s->spans.at[loop];
        uint32_t use = at < span->to ? NEVER : use_between(s, i, span->from, from);
        if (use != NEVER)
            return MIN_OF(at, span->to + (use - span->from));
    }
    return at;
}

// Cuts the ranges at `at`; gives those behind.
static uint32_t cut_ranges(Machine *m, Interval *i, uint32_t at)
{
    uint32_t *link = &i->ranges;
    while (*link && m->ranges.at[*link].to <= at)
        link = &m->ranges.at[*link].next;
    uint32_t rest = *link;
    VM_ASSERT(rest != 0);
    if (m->ranges.at[rest].from >= at) {
        *link = 0;
        return rest;
    }
    Range behind = {at, m->ranges.at[rest].to, m->ranges.at[rest].next};
    m->ranges.at[rest].to = at;
    m->ranges.at[rest].next = 0;
    vec_push(&m->ranges, behind);
    return (uint32_t)m->ranges.len - 1;
}

static uint32_t cut_uses(Machine *m, Interval *i, uint32_t at)
{
    uint32_t *link = &i->uses;
    while (*link && m->uses.at[*link].at < at)
        link = &m->uses.at[*link].next;
    uint32_t rest = *link;
    *link = 0;
    return rest;
}

static uint32_t last_end(const Machine *m, const Interval *i)
{
    uint32_t end = 0;
    for (uint32_t r = i->ranges; r; r = m->ranges.at[r].next)
        end = m->ranges.at[r].to;
    return end;
}

// The part of the interval from `at` on becomes one of its own, to be handled. There is some on both sides.
static uint32_t split(Scan *s, uint32_t id, uint32_t at)
{
    Machine *m = s->m;
    VM_ASSERT(at > start_of(m, get(s, id)) && at < get(s, id)->end);
    vec_push(&m->intervals, *get(s, id));
    uint32_t rest = (uint32_t)m->intervals.len - 1;
    Interval *i = get(s, id), *part = get(s, rest);
    part->ranges = cut_ranges(m, i, at);
    part->uses = cut_uses(m, i, at);
    part->is_part = true;
    part->reg = NO_REGISTER;
    i->next = rest;
    i->end = last_end(m, i);
    VM_ASSERT(i->ranges && part->ranges);
    if (i->hint == NO_REGISTER && i->reg != NO_REGISTER)
        part->hint = i->reg;
    return rest;
}

// From its beginning to the next use that needs a register it is in its slot.
static void spill(Scan *s, uint32_t id)
{
    Interval *i = get(s, id);
    VM_ASSERT(i->value != 0);
    i->reg = NO_REGISTER;
    s->m->slot[i->value] = 0; // numbered later
    uint32_t start = start_of(s->m, i), use = next_use(s->m, i, start, true);
    if (use == start) {
        s->m->failed = true; // more registers are needed at once than there are
        return;
    }
    if (use < i->end)
        heap_put(s, split(s, id, use));
}

// ---- allocation ----

static void retire(Scan *s)
{
    size_t kept = 0, before = s->inactive.len;
    for (size_t k = 0; k < s->active.len; k++) {
        const Interval *i = get(s, s->active.at[k]);
        if (i->end <= s->at)
            continue;
        if (machine_covers(s->m, i, s->at))
            s->active.at[kept++] = s->active.at[k];
        else
            vec_push(&s->inactive, s->active.at[k]);
    }
    s->active.len = kept;
    kept = 0;
    for (size_t k = 0; k < s->inactive.len; k++) {
        uint32_t id = s->inactive.at[k];
        if (k < before && get(s, id)->end <= s->at)
            continue;
        if (k < before && machine_covers(s->m, get(s, id), s->at))
            vec_push(&s->active, id);
        else
            s->inactive.at[kept++] = id;
    }
    s->inactive.len = kept;
}

// The registers that an interval may be in, as bits.
static uint32_t candidates(const Scan *s, const Interval *i)
{
    uint32_t general = (1u << MACHINE_FIRST_FLOAT) - 1;
    return s->m->available & (i->is_float ? ~general : general);
}

static uint8_t preferred(const Scan *s, const Interval *i)
{
    if (i->hint != NO_REGISTER)
        return i->hint;
    uint32_t like = i->like ? s->m->interval[i->like] : 0;
    for (; like; like = get(s, like)->next) // the part nearest before
        if (get(s, like)->reg != NO_REGISTER && get(s, like)->end >= s->at)
            return get(s, like)->reg;
    return NO_REGISTER;
}

// Until when each register may be the interval's if nothing else is in it. What a node has for its own time is not split.
static void find_usable(const Scan *s, const Interval *i, uint32_t *until)
{
    uint32_t all = all_clobbered_at(s->m, i);
    memset(until, 0, MACHINE_REGISTERS * sizeof *until);
    for (uint32_t left = candidates(s, i); left; left &= left - 1) {
        uint32_t reg = (uint32_t)__builtin_ctz(left), at = all;
        if (s->m->clobbers.some[reg].len)
            at = MIN_OF(all, clobbered_at(s->m, i, reg));
        until[reg] = i->value || at >= i->end ? at : 0;
    }
}

static void find_free(Scan *s, const Interval *i)
{
    find_usable(s, i, s->free_until);
    for (size_t k = 0; k < s->active.len; k++)
        s->free_until[get(s, s->active.at[k])->reg] = 0;
    for (size_t k = 0; k < s->inactive.len; k++) {
        const Interval *other = get(s, s->inactive.at[k]);
        if (!s->free_until[other->reg])
            continue;
        uint32_t at = meet(s->m, other, i);
        s->free_until[other->reg] = MIN_OF(s->free_until[other->reg], at);
    }
}

// Where to split for a register that is free until `until`: the rest may get another one, to which it is moved before a node;
// or none, if all are clobbered there.
static uint32_t split_before(const Scan *s, const Interval *i, uint32_t until)
{
    const Clobbers *c = &s->m->clobbers;
    size_t k = first_from(c->all.at, c->all.len, until);
    uint32_t node = until / POSITIONS * POSITIONS;
    bool all_clobbered = k < c->all.len && c->all.at[k] == until;
    return all_clobbered || node <= start_of(s->m, i) ? until : node;
}

// Whether a part that begins at `at`, inside a node, is needed in a register by that node: it could not get there any more.
static bool is_needed_within(const Scan *s, const Interval *i, uint32_t at)
{
    return at % POSITIONS != 0 && next_use(s->m, i, at, true) < ALIGN_UP(at, POSITIONS);
}

static bool take_free(Scan *s, uint32_t id)
{
    const Interval *i = get(s, id);
    find_free(s, i);
    uint8_t wish = preferred(s, i);
    uint32_t best = 0, reg = NO_REGISTER;
    for (uint32_t r = 0; r < MACHINE_REGISTERS; r++)
        if (s->free_until[r] > best) {
            best = s->free_until[r];
            reg = r;
        }
    if (reg == NO_REGISTER || best <= start_of(s->m, i) || (!i->value && best < i->end))
        return false;
    if (wish != NO_REGISTER && s->free_until[wish] >= MIN_OF(best, i->end))
        reg = wish;
    if (s->free_until[reg] < i->end) {
        uint32_t at = split_before(s, i, s->free_until[reg]);
        if (at <= start_of(s->m, i) || is_needed_within(s, i, at))
            return false;
        heap_put(s, split(s, id, at));
    }
    get(s, id)->reg = (uint8_t)reg;
    return true;
}

static void find_uses(Scan *s, const Interval *i)
{
    uint32_t start = start_of(s->m, i);
    find_usable(s, i, s->blocked_at);
    memcpy(s->used_at, s->blocked_at, sizeof s->used_at);
    for (size_t k = 0; k < s->active.len; k++) {
        const Interval *other = get(s, s->active.at[k]);
        bool is_read_late = next_use(s->m, other, start, false) == start;
        uint32_t at = other->value && !is_read_late ? next_use_by_turns(s, other, start) : 0;
        s->used_at[other->reg] = MIN_OF(s->used_at[other->reg], at);
        if (!other->value)
            s->blocked_at[other->reg] = 0;
    }
    for (size_t k = 0; k < s->inactive.len; k++) {
        const Interval *other = get(s, s->inactive.at[k]);
        if (meet(s->m, other, i) == NEVER)
            continue;
        uint32_t at = next_use(s->m, other, start, true);
        s->used_at[other->reg] = MIN_OF(s->used_at[other->reg], at);
    }
}

// Where an interval may leave its register so that it leaves it at `at`: before the loops that do not need it there before.
static uint32_t before_loops(const Scan *s, const Interval *i, uint32_t at)
{
    uint32_t best = at;
    for (uint32_t loop = s->within[at / POSITIONS]; loop; loop = s->spans.at[loop].outer) {
        uint32_t from = s->spans.at[loop].from;
        if (start_of(s->m, i) >= from || next_use(s->m, i, from, true) < at)
            break;
        best = from;
    }
    return best;
}

// Whether what begins in front of the node under way, in a register, may as well begin in its slot: the node does not need it.
static bool can_begin_in_slot(const Scan *s, const Interval *i)
{
    uint32_t start = start_of(s->m, i);
    return i->value && start == s->at && start % POSITIONS == 0
           && next_use(s->m, i, start, true) >= start + POSITIONS;
}

// What is in the register leaves it where `id` begins. A node's value begins inside the node, and may be written before the node calls
// what looks at roots and states: others are in their slots alone as soon as the inputs are read.
static void evict(Scan *s, uint32_t reg, uint32_t id)
{
    uint32_t at = s->at % POSITIONS == 0 ? s->at : s->at / POSITIONS * POSITIONS + 1;
    for (size_t k = 0; k < s->active.len; k++) {
        uint32_t other = s->active.at[k];
        if (get(s, other)->reg != reg)
            continue;
        s->active.at[k] = s->active.at[--s->active.len];
        k--;
        if (start_of(s->m, get(s, other)) >= at) { // it came a moment ago
            if (!can_begin_in_slot(s, get(s, other))) {
                s->m->failed = true;
                return;
            }
            spill(s, other);
            continue;
        }
        uint32_t before = before_loops(s, get(s, other), at), rest = split(s, other, before);
        s->m->slot[get(s, rest)->value] = 0;
        if (before < at)
            spill(s, rest);
        else
            heap_put(s, rest);
    }
    for (size_t k = 0; k < s->inactive.len; k++) {
        uint32_t other = s->inactive.at[k];
        if (get(s, other)->reg != reg || meet(s->m, get(s, other), get(s, id)) == NEVER)
            continue;
        s->inactive.at[k] = s->inactive.at[--s->inactive.len];
        k--;
        heap_put(s, split(s, other, s->at)); // in the hole
    }
}

static void take_used(Scan *s, uint32_t id)
{
    const Interval *i = get(s, id);
    uint32_t start = start_of(s->m, i), first = next_use(s->m, i, start, true);
    find_uses(s, i);
    uint32_t reg = NO_REGISTER, best = 0;
    for (uint32_t r = 0; r < MACHINE_REGISTERS; r++)
        if (s->used_at[r] > best) {
            best = s->used_at[r];
            reg = r;
        }
    if (reg == NO_REGISTER || best <= first) {
        if (i->value && first > start)
            spill(s, id);
        else
            s->m->failed = true;
        return;
    }
    if (s->blocked_at[reg] < i->end) {
        uint32_t at = split_before(s, i, s->blocked_at[reg]);
        if (at <= start) {
            s->m->failed = true;
            return;
        }
        heap_put(s, split(s, id, at));
    }
    get(s, id)->reg = (uint8_t)reg;
    evict(s, reg, id);
    vec_push(&s->active, id);
}

// A part that begins inside a node cannot be moved there: it begins in its slot.
static bool begins_in_slot(const Scan *s, const Interval *i)
{
    return i->is_part && start_of(s->m, i) % POSITIONS != 0;
}

static void handle(Scan *s, uint32_t id)
{
    s->at = start_of(s->m, get(s, id));
    retire(s);
    if (begins_in_slot(s, get(s, id))) {
        spill(s, id);
        return;
    }
    bool wants_none = get(s, id)->is_part && next_use(s->m, get(s, id), s->at, true) == NEVER;
    if (wants_none && s->m->slot[get(s, id)->value] != NO_SLOT) {
        spill(s, id);
        return;
    }
    if (take_free(s, id))
        vec_push(&s->active, id);
    else
        take_used(s, id);
}

// ---- slots ----

typedef struct Spilled {
    uint32_t from, to, value;
} Spilled;

static int by_start(const void *a, const void *b)
{
    const Spilled *x = a, *y = b;
    return x->from < y->from ? -1 : x->from > y->from;
}

static void number_slots(Machine *m)
{
    VEC(Spilled) spilled = {0};
    VEC(uint32_t) free_at = {0}; // by slot: from where on it is free
    for (size_t k = 1; k < m->numbered.len; k++) {
        NodeId v = m->numbered.at[k];
        if (m->slot[v] == NO_SLOT)
            continue;
        Spilled one = {start_of(m, &m->intervals.at[m->interval[v]]), 0, v};
        for (uint32_t i = m->interval[v]; i; i = m->intervals.at[i].next)
            one.to = m->intervals.at[i].end;
        vec_push(&spilled, one);
    }
    if (spilled.len)
        qsort(spilled.at, spilled.len, sizeof *spilled.at, by_start);
    for (size_t k = 0; k < spilled.len; k++) {
        uint32_t slot = 0;
        while (slot < free_at.len && free_at.at[slot] > spilled.at[k].from)
            slot++;
        if (slot == free_at.len)
            vec_push(&free_at, 0);
        free_at.at[slot] = spilled.at[k].to;
        m->slot[spilled.at[k].value] = slot;
    }
    m->slot_count = (uint32_t)free_at.len;
    vec_free(&spilled);
    vec_free(&free_at);
}

bool machine_allocate(Machine *m)
{
    Scan s = {.m = m};
    find_spans(&s);
    vec_reserve(&s.heap, m->intervals.len);
    for (uint32_t i = 1; i < m->intervals.len; i++)
        if (m->intervals.at[i].ranges)
            heap_put(&s, i);
    while (s.heap.len && !m->failed) {
        handle(&s, heap_take(&s));
        ir_between(m->g);
    }
    if (!m->failed)
        number_slots(m);
    vec_free(&s.spans);
    vm_free(s.within);
    vec_free(&s.heap);
    vec_free(&s.active);
    vec_free(&s.inactive);
    return !m->failed;
}

uint32_t machine_part_at(const Machine *m, NodeId value, uint32_t position)
{
    uint32_t whole = m->interval[value];
    if (!m->intervals.at[whole].next)
        return whole;
    uint32_t i = m->last_part[value]; // who asks goes along the code
    if (!i || start_of(m, &m->intervals.at[i]) > position)
        i = whole;
    while (i && m->intervals.at[i].next
           && start_of(m, &m->intervals.at[m->intervals.at[i].next]) <= position)
        i = m->intervals.at[i].next;
    m->last_part[value] = i;
    return i;
}
