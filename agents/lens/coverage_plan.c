// SPDX-License-Identifier: Apache-2.0
// Where a method gets breakpoints, from its line table and its bytecodes.
#include "coverage.h"

#include <stdlib.h>
#include <string.h>

enum { IS_LINE = 1, IS_ALONE = 2, IS_GROUP = 4 };

typedef struct Code {
    uint8_t *bytes;
    jint size;
    jvmtiLineNumberEntry *lines;
    jint lines_len;
} Code;

static bool read_code(jmethodID method, Code *c)
{
    *c = (Code){0};
    if ((*lens.jvmti)->GetLineNumberTable(lens.jvmti, method, &c->lines_len, &c->lines)
        != JVMTI_ERROR_NONE)
        return false; // native, abstract, without debug information, or gone
    if ((*lens.jvmti)->GetBytecodes(lens.jvmti, method, &c->size, &c->bytes)
        == JVMTI_ERROR_NONE)
        return true;
    agent_deallocate(lens.jvmti, c->lines);
    return false;
}

static void free_code(Code *c)
{
    agent_deallocate(lens.jvmti, c->lines);
    agent_deallocate(lens.jvmti, c->bytes);
}

bool coverage_needs_group(const CoverPlan *plan, const CoverJump *jump)
{
    assert(jump->first + jump->len <= plan->ways_len);
    for (uint32_t i = 0; i < jump->len; i++)
        if (!plan->ways[jump->first + i].is_alone)
            return true;
    return false;
}

static bool copy_flow(CoverPlan *plan, const BytecodeFlow *flow)
{
    plan->jumps = calloc(flow->jumps_len + 1, sizeof *plan->jumps);
    plan->ways = calloc(flow->ways_len + 1, sizeof *plan->ways);
    if (!plan->jumps || !plan->ways)
        return false;
    plan->jumps_len = flow->jumps_len;
    plan->ways_len = flow->ways_len;
    for (uint32_t i = 0; i < flow->jumps_len; i++) {
        const BytecodeJump *j = &flow->jumps[i];
        plan->jumps[i].bci = j->bci;
        plan->jumps[i].first = j->first;
        plan->jumps[i].len = j->len;
    }
    for (uint32_t i = 0; i < flow->ways_len; i++) {
        plan->ways[i].target = flow->ways[i].target;
        plan->ways[i].is_alone = flow->ways[i].is_alone;
    }
    return true;
}

// What each bci is wanted for: one byte for each of the method's code.
static void mark_places(const CoverPlan *plan, const Code *c, uint8_t *marks)
{
    for (jint i = 0; i < c->lines_len; i++)
        if (c->lines[i].start_location >= 0 && c->lines[i].start_location < c->size)
            marks[c->lines[i].start_location] |= IS_LINE;
    for (uint32_t i = 0; i < plan->jumps_len; i++) {
        const CoverJump *j = &plan->jumps[i];
        bool group = coverage_needs_group(plan, j);
        if (group)
            marks[j->bci] |= IS_GROUP;
        for (uint32_t k = 0; k < j->len; k++) {
            const CoverWay *w = &plan->ways[j->first + k];
            marks[w->target] |=
                (uint8_t)((group ? IS_GROUP : 0) | (w->is_alone ? IS_ALONE : 0));
        }
    }
}

static bool make_places(CoverPlan *plan, const uint8_t *marks, jint size)
{
    uint32_t n = 0;
    for (jint i = 0; i < size; i++)
        n += marks[i] != 0;
    plan->places = calloc(n + 1, sizeof *plan->places);
    if (!plan->places)
        return false;
    for (jint i = 0; i < size; i++)
        if (marks[i]) {
            CoverPlace *p = &plan->places[plan->places_len++];
            p->bci = (uint32_t)i;
            p->is_line = marks[i] & IS_LINE;
        }
    assert(plan->places_len == n);
    return true;
}

static void tie_jumps(CoverPlan *plan)
{
    for (uint32_t i = 0; i < plan->jumps_len; i++) {
        CoverJump *j = &plan->jumps[i];
        CoverPlace *here = coverage_place(plan, j->bci);
        if (here)
            here->starts = i + 1;
        for (uint32_t k = 0; k < j->len; k++)
            if (plan->ways[j->first + k].is_alone)
                coverage_place(plan, plan->ways[j->first + k].target)->alone_of = i + 1;
        if (coverage_needs_group(plan, j))
            coverage_count_group(plan, j, 1);
    }
}

static bool fill_plan(CoverPlan *plan, const Code *c, bool branches)
{
    BytecodeFlow flow = {0};
    uint8_t *marks = calloc((size_t)c->size + 1, 1);
    bool ok = marks && (!branches || bytecode_flow(c->bytes, (uint32_t)c->size, &flow))
              && copy_flow(plan, &flow);
    if (ok) {
        mark_places(plan, c, marks);
        ok = make_places(plan, marks, c->size);
    }
    if (ok)
        tie_jumps(plan);
    bytecode_flow_free(&flow);
    free(marks);
    return ok;
}

CoverPlan *coverage_plan(jmethodID method, bool branches)
{
    Code c;
    if (!read_code(method, &c))
        return NULL;
    CoverPlan *plan = calloc(1, sizeof *plan);
    if (plan && !fill_plan(plan, &c, branches)) {
        coverage_plan_free(plan);
        plan = NULL;
    }
    free_code(&c);
    return plan;
}

void coverage_plan_free(CoverPlan *plan)
{
    free(plan->places);
    free(plan->jumps);
    free(plan->ways);
    free(plan);
}

CoverPlace *coverage_place(const CoverPlan *plan, uint32_t bci)
{
    uint32_t low = 0, high = plan->places_len;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (plan->places[middle].bci < bci)
            low = middle + 1;
        else
            high = middle;
    }
    return low < plan->places_len && plan->places[low].bci == bci ? &plan->places[low] : NULL;
}

CoverWay *coverage_way(const CoverPlan *plan, const CoverJump *jump, uint32_t target)
{
    assert(jump->first + jump->len <= plan->ways_len);
    for (uint32_t i = 0; i < jump->len; i++)
        if (plan->ways[jump->first + i].target == target)
            return &plan->ways[jump->first + i];
    return NULL;
}

void coverage_open(CoverJump *jump, bool open)
{
    bool is_open = atomic_load_explicit(&jump->opened, memory_order_relaxed) & 1;
    if (open)
        atomic_store_explicit(&jump->hits, 0, memory_order_relaxed);
    if (open != is_open) // acquired by who passes the jump
        atomic_fetch_add_explicit(&jump->opened, 1, memory_order_release);
}

static void count_place(CoverPlan *plan, uint32_t bci, int add)
{
    CoverPlace *place = coverage_place(plan, bci);
    assert(place && (add > 0 || place->groups > 0));
    place->groups += (uint32_t)add;
}

void coverage_count_group(CoverPlan *plan, const CoverJump *jump, int add)
{
    count_place(plan, jump->bci, add);
    for (uint32_t i = 0; i < jump->len; i++)
        count_place(plan, plan->ways[jump->first + i].target, add);
}
