// SPDX-License-Identifier: Apache-2.0
// Trees of frames made of weighed stacks: flame graphs, callers, differences, and hot methods.
#ifndef LENS_FLAME_H
#define LENS_FLAME_H

#include "weigh.h"

typedef struct FlameNode {
    uint32_t parent;            // less than the own index; of node 0, "all": 0
    uint32_t name, group;       // names of the model
    uint64_t self[2], total[2]; // two sides, of a difference
} FlameNode;

typedef struct Flame {
    ARRAY(FlameNode) nodes;
    Map children; // parent and name, to the node
} Flame;

typedef struct FlameOptions {
    bool reverse; // the innermost frame above
    uint32_t
        callers_of; // name: only stacks with this method, turned upside down from there; 0: all
    int side;       // 0 or 1
} FlameOptions;

// Adds to a flame (zeroed at first). Names are those of `model`; weights of another model (`from`) are translated by their texts.
void flame_add(Flame *flame, Model *model, const Model *from, const Weights *weights,
               const FlameOptions *options);
// Sums up: to be called once after the last flame_add.
void flame_sum(Flame *flame);
void flame_free(Flame *flame);
// The columns of API.md: names, groups, parent, name, self, total (with sides 2: self2, total2 too); into an open object.
void flame_put(const Flame *flame, const Model *model, Json *json, int sides);

typedef struct HotRow {
    uint32_t name, group, class;
    uint64_t self, total;
} HotRow;
// Methods by self time, the largest first; to be freed.
HotRow *flame_hot(const Model *model, const Weights *weights, uint32_t *count);

#endif
