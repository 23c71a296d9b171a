// SPDX-License-Identifier: Apache-2.0
// How much each stack weighs in a range of time: what flame graphs, hot methods and exports are made of.
#ifndef LENS_WEIGH_H
#define LENS_WEIGH_H

#include "query.h"

// A range of time and threads; all where nothing was said.
typedef struct Brush {
    uint32_t from, to; // ticks, both within
    bool *chosen;      // by thread; NULL: all
    uint32_t chosen_count;
} Brush;
void brush_read(const Query *query, Brush *brush); // from, to, threads
void brush_read_named(const Query *query, const char *from, const char *to, Brush *brush);
void brush_free(Brush *brush);
static inline bool brush_takes(const Brush *brush, uint32_t time, uint32_t thread)
{
    return time >= brush->from && time <= brush->to
           && (brush->chosen == NULL
               || (thread < brush->chosen_count && brush->chosen[thread]));
}

typedef enum WeighData {
    WEIGH_CPU,
    WEIGH_WALL,
    WEIGH_ALLOC,
    WEIGH_LIVE,
    WEIGH_LOCKS,
    WEIGH_EXCEPTIONS,
    WEIGH_EXACT,
    WEIGH_KINDS
} WeighData;
extern const char *const weigh_names[WEIGH_KINDS];
bool weigh_data(const char *name, WeighData *data);

typedef struct WeightEntry {
    uint32_t thread; // 0 unless they are told apart
    uint32_t stack;
    uint64_t weight, count;
} WeightEntry;

typedef struct Weights {
    WeighData data;
    ARRAY(WeightEntry) entries;
    uint64_t sum, samples, failed;
    double rate;      // samples a second of what is measured; 0: has none
    const char *unit; // "ns", "bytes", "calls"
    char how[400];    // a sentence
    bool by_thread;
    uint32_t class_name; // allocations of classes of this name alone; 0: all
    // while adding
    uint32_t *slots; // by stack, index + 1
    Map pairs;
} Weights;
// `weights` is zeroed but for data, by_thread and the restrictions.
void weigh(const Model *model, const Brush *brush, Weights *weights);
void weights_free(Weights *weights);

#endif
