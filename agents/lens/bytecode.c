// SPDX-License-Identifier: Apache-2.0
// Instructions of the Java virtual machine (JVMS 6.5): their lengths, and where they go on.
#include "bytecode.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    IFEQ = 0x99,
    IF_ACMPNE = 0xa6,
    GOTO = 0xa7,
    JSR = 0xa8,
    RET = 0xa9,
    TABLESWITCH = 0xaa,
    LOOKUPSWITCH = 0xab,
    IRETURN = 0xac,
    RETURN = 0xb1,
    ATHROW = 0xbf,
    IINC = 0x84,
    WIDE = 0xc4,
    IFNULL = 0xc6,
    IFNONNULL = 0xc7,
    GOTO_W = 0xc8,
    JSR_W = 0xc9
};

// 0: none, or it depends on the operands.
static const uint8_t lengths[256] = {
    [0x00 ... 0x0f] = 1, [0x10] = 2,          [0x11] = 3,          [0x12] = 2,
    [0x13 ... 0x14] = 3, [0x15 ... 0x19] = 2, [0x1a ... 0x35] = 1, [0x36 ... 0x3a] = 2,
    [0x3b ... 0x83] = 1, [0x84] = 3,          [0x85 ... 0x98] = 1, [0x99 ... 0xa8] = 3,
    [0xa9] = 2,          [0xac ... 0xb1] = 1, [0xb2 ... 0xb8] = 3, [0xb9 ... 0xba] = 5,
    [0xbb] = 3,          [0xbc] = 2,          [0xbd] = 3,          [0xbe ... 0xbf] = 1,
    [0xc0 ... 0xc1] = 3, [0xc2 ... 0xc3] = 1, [0xc5] = 4,          [0xc6 ... 0xc7] = 3,
    [0xc8 ... 0xc9] = 5,
};

static int32_t s2(const uint8_t *p)
{
    return (int16_t)(p[0] << 8 | p[1]);
}

static int32_t s4(const uint8_t *p)
{
    return (int32_t)((uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3]);
}

// A switch: where its table begins, how many rows of how many bytes it has. The default stands
// in the four bytes at the first multiple of four.
typedef struct Switch {
    uint32_t fallback, table, step;
    uint64_t rows;
} Switch;

static bool read_switch(const uint8_t *code, uint32_t size, uint32_t at, Switch *s)
{
    bool is_table = code[at] == TABLESWITCH;
    s->fallback = (at + 4) & ~3u;
    s->table = s->fallback + (is_table ? 12 : 8);
    s->step = is_table ? 4 : 8;
    if (s->table > size)
        return false;
    int64_t low = s4(code + s->fallback + 4);
    int64_t rows = is_table ? s4(code + s->fallback + 8) - low + 1 : low;
    if (rows < 0 || rows > (size - s->table) / s->step)
        return false;
    s->rows = (uint64_t)rows;
    return true;
}

uint32_t bytecode_length(const uint8_t *code, uint32_t size, uint32_t at)
{
    assert(at < size);
    uint8_t opcode = code[at];
    uint64_t len = lengths[opcode];
    Switch s;
    if (opcode == WIDE)
        len = at + 1 < size && code[at + 1] == IINC ? 6 : 4;
    else if (opcode == TABLESWITCH || opcode == LOOKUPSWITCH)
        len = read_switch(code, size, at, &s) ? s.table + s.rows * s.step - at : 0;
    return len <= size - at ? (uint32_t)len : 0;
}

bool bytecode_is_return(uint8_t opcode)
{
    return opcode >= IRETURN && opcode <= RETURN;
}

// ---- successors ----

typedef struct Finder {
    const uint8_t *code;
    uint32_t size;
    uint32_t *ways_in; // by bci: how many instructions lead there
    uint32_t *seen_by; // by bci: 1 + bci of the instruction that named it last
    BytecodeFlow *flow;
    uint32_t jumps_cap, ways_cap;
    bool failed;
} Finder;

// Room for one more of `len` elements; false where memory ends.
static bool make_room(void **array, uint32_t *cap, uint32_t len, size_t size)
{
    if (len < *cap)
        return true;
    uint32_t more = *cap ? *cap * 2 : 16;
    void *grown = realloc(*array, more * size);
    if (!grown)
        return false;
    *array = grown;
    *cap = more;
    return true;
}

static void add_way(Finder *f, uint32_t at, int64_t target)
{
    if (target < 0 || target >= f->size) {
        f->failed = true;
        return;
    }
    if (f->seen_by[target] == at + 1)
        return;
    f->seen_by[target] = at + 1;
    f->ways_in[target]++;
    if (!make_room((void **)&f->flow->ways, &f->ways_cap, f->flow->ways_len,
                   sizeof *f->flow->ways)) {
        f->failed = true;
        return;
    }
    f->flow->ways[f->flow->ways_len++] = (BytecodeWay){.target = (uint32_t)target};
}

static bool goes_on(uint8_t opcode)
{
    return !(opcode == GOTO || opcode == GOTO_W || opcode == RET || opcode == TABLESWITCH
             || opcode == LOOKUPSWITCH || opcode == ATHROW || bytecode_is_return(opcode));
}

static bool has_target(uint8_t opcode)
{
    return (opcode >= IFEQ && opcode <= JSR) || opcode == IFNULL || opcode == IFNONNULL;
}

static void add_switch(Finder *f, uint32_t at)
{
    Switch s;
    if (!read_switch(f->code, f->size, at, &s)) {
        f->failed = true;
        return;
    }
    for (uint64_t i = 0; i < s.rows; i++) // the offset is the last of a row's words
        add_way(f, at, (int64_t)at + s4(f->code + s.table + i * s.step + (s.step - 4)));
    add_way(f, at, (int64_t)at + s4(f->code + s.fallback));
}

// The ways out of one instruction. Those of a jump stay in the flow, the others are only counted.
static void add_instruction(Finder *f, uint32_t at, uint32_t len)
{
    assert(len > 0 && len <= f->size - at);
    uint8_t opcode = f->code[at];
    uint32_t first = f->flow->ways_len;
    bool is_wide = opcode == WIDE && f->code[at + 1] == RET;
    if (goes_on(opcode) && !is_wide && (at + len < f->size || has_target(opcode)))
        add_way(f, at, (int64_t)at + len);
    if (has_target(opcode))
        add_way(f, at, (int64_t)at + s2(f->code + at + 1));
    else if (opcode == GOTO_W || opcode == JSR_W)
        add_way(f, at, (int64_t)at + s4(f->code + at + 1));
    else if (opcode == TABLESWITCH || opcode == LOOKUPSWITCH)
        add_switch(f, at);
    uint32_t ways = f->flow->ways_len - first;
    bool is_jump = ways > 1 && opcode != JSR && opcode != JSR_W;
    if (!is_jump || f->failed) {
        f->flow->ways_len = first;
        return;
    }
    if (!make_room((void **)&f->flow->jumps, &f->jumps_cap, f->flow->jumps_len,
                   sizeof *f->flow->jumps)) {
        f->failed = true;
        return;
    }
    f->flow->jumps[f->flow->jumps_len++] = (BytecodeJump){at, first, ways};
}

bool bytecode_flow(const uint8_t *code, uint32_t size, BytecodeFlow *flow)
{
    *flow = (BytecodeFlow){0};
    Finder f = {.code = code, .size = size, .flow = flow};
    f.ways_in = calloc(size, sizeof *f.ways_in);
    f.seen_by = calloc(size, sizeof *f.seen_by);
    f.failed = !f.ways_in || !f.seen_by || size == 0;
    if (!f.failed)
        f.ways_in[0] = 1; // the call
    for (uint32_t at = 0, len; at < size && !f.failed; at += len) {
        len = bytecode_length(code, size, at);
        if (len == 0)
            f.failed = true;
        else
            add_instruction(&f, at, len);
    }
    for (uint32_t i = 0; i < flow->ways_len && !f.failed; i++)
        flow->ways[i].is_alone = f.ways_in[flow->ways[i].target] == 1;
    free(f.ways_in);
    free(f.seen_by);
    if (f.failed)
        bytecode_flow_free(flow);
    return !f.failed;
}

void bytecode_flow_free(BytecodeFlow *flow)
{
    free(flow->jumps);
    free(flow->ways);
    *flow = (BytecodeFlow){0};
}
