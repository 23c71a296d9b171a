// SPDX-License-Identifier: Apache-2.0
// What was reached, by class and line.
#ifndef LENS_COVERAGE_H
#define LENS_COVERAGE_H

#include "model.h"

typedef struct CoverageLine {
    uint32_t line;
    uint32_t places, hit;     // entries of the line table; those that were reached
    uint32_t branches, taken; // ways of conditional jumps and switches on the line
    uint64_t count;           // the largest of its places
} CoverageLine;

typedef struct CoverageMethod {
    uint32_t method;
    uint32_t line, places, hit, branches, taken; // line: the first
} CoverageMethod;

// One class (by name; of several loaders together).
typedef struct CoverageClass {
    uint32_t name, source, package; // names
    ARRAY(CoverageLine) lines;      // by line
    ARRAY(CoverageMethod) methods;
} CoverageClass;

typedef struct Coverage {
    ARRAY(CoverageClass) classes; // by package and name
} Coverage;

// All classes of which something is watched or was reached; `only`: a class's name, 0: all. What was first reached before `since`
// (a tick) does not count.
void coverage_read(const Model *model, uint32_t only, uint32_t since, Coverage *coverage);
void coverage_free(Coverage *coverage);
// What was reached is of what there is: of a line or a method.
#define ASSERT_COVERED(c) assert((c)->hit <= (c)->places && (c)->taken <= (c)->branches)
static inline const char *coverage_state(const CoverageLine *line)
{
    ASSERT_COVERED(line);
    return line->hit == 0 ? "missed" : line->taken < line->branches ? "part" : "hit";
}

#endif
