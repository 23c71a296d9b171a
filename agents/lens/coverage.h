// SPDX-License-Identifier: Apache-2.0
// What coverage keeps of a method: the places where it has breakpoints, and the jumps whose ways it
// wants to know.
//
// A way whose target has no other way in is known by a breakpoint at the target. For the others the
// jump and all of its targets have breakpoints for a while (the jump's group is open): the next
// breakpoint that a thread meets after the jump's is at the way that it took.
#ifndef LENS_COVERAGE_H
#define LENS_COVERAGE_H

#include "lens.h"

#include "bytecode.h"

// A place with a breakpoint. What is not atomic belongs to the agent's thread once the plan is
// in the table.
typedef struct CoverPlace {
    uint32_t bci;
    uint32_t starts;   // 1 + the jump that is here, 0: none
    uint32_t alone_of; // 1 + the jump that alone leads here, 0: none
    uint32_t groups;   // open groups that want a breakpoint here
    bool is_line;      // a line of the line table begins here
    bool is_armed;
    bool was_hit;
    bool line_told, way_told;
    _Atomic uint32_t hits; // since the last look
} CoverPlace;

typedef struct CoverWay {
    uint32_t target;
    bool is_alone;
    bool is_told;
    _Atomic uint32_t taken; // since the last look; only where it is not alone
} CoverWay;

typedef struct CoverJump {
    uint32_t bci, first, len; // as BytecodeJump
    uint32_t rounds;          // how often its group was closed without an end
    bool is_known;            // all ways are
    _Atomic uint32_t hits;    // since its group was opened
    _Atomic uint32_t opened;  // counts openings; odd: it is open
} CoverJump;

typedef struct CoverPlan {
    CoverPlace *places; // in order of bci
    CoverJump *jumps;
    CoverWay *ways;
    uint32_t places_len, jumps_len, ways_len;
    struct CoverPlan *next; // among those that a redefinition has put out of use
} CoverPlan;

// Makes the plan of a method. NULL where it has no code or no lines, or memory ends. With
// `branches`, groups of all jumps that need one are marked open. ATTACHED.
CoverPlan *coverage_plan(jmethodID method, bool branches);
void coverage_plan_free(CoverPlan *plan);
// The place at a bci, NULL: none. SIGNAL.
CoverPlace *coverage_place(const CoverPlan *plan, uint32_t bci);
// The way of a jump to a target, NULL: none. SIGNAL.
CoverWay *coverage_way(const CoverPlan *plan, const CoverJump *jump, uint32_t target);
// Whether knowing all its ways takes a group. SIGNAL.
bool coverage_needs_group(const CoverPlan *plan, const CoverJump *jump);
// Opens or closes a group for those who pass: to be called after its breakpoints were set, and before
// they are cleared. SIGNAL.
void coverage_open(CoverJump *jump, bool open);
// Counts the group of a jump at its places.
void coverage_count_group(CoverPlan *plan, const CoverJump *jump, int add);

#endif
