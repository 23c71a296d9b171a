// SPDX-License-Identifier: Apache-2.0
// Inside the model: the translation of the wire's ids, and what model.c and model_events.c share.
#ifndef LENS_MODEL_IDS_H
#define LENS_MODEL_IDS_H

#include "model.h"

typedef enum IdKind {
    ID_CLASS,
    ID_METHOD,
    ID_THREAD,
    ID_STACK,
    ID_MODULE,
    ID_POINT,
    ID_LOADER,
    ID_KINDS
} IdKind;

struct ModelIds {
    Map wire[ID_KINDS]; // of the present connection
    Map frame_owner;    // kind and owner, to a dense number
    Map frames;         // that number and bci or offset, to the frame
    Map stacks;         // parent and frame, to the stack
    Map symbols;        // module of the wire and offset, to a name
    Map objects;        // object that is followed, to index + 1 of allocs
    Map freed_early; // object whose end came before its allocation, of another processor's: to its time + 1
    Map covered; // hash of method, bci, target, to index + 1
    Map exact;   // stack, to index + 1
};

// Limits of what a hostile sender may make us keep.
#define MAX_DEFINITIONS (16u << 20)
#define MAX_EVENTS      (8u << 20)
#define MAX_CHUNKS      1600u
#define MAX_FOLLOW_ENDS 4096u
#define MAX_NAME_BYTES  (1u << 30)
#define MAX_VALUES      256u

typedef struct Decoding {
    Model *m;
    Wire wire;
    const LensBlock *block;
} Decoding;

// The model's id of a wire's id, 0 if it was not defined.
uint32_t decode_id(Decoding *d, IdKind kind);
uint32_t decode_name(Decoding *d);
uint32_t decode_time(Decoding *d);
// n x (name, value): into Model.values; gives where they begin.
uint32_t decode_values(Decoding *d, uint32_t *count);
// Room for one more of a kind, else counted as refused.
bool decode_has_room(Decoding *d, uint32_t count, uint32_t limit);

void decode_definitions(Decoding *d);
void decode_symbols(Decoding *d);
void decode_samples(Decoding *d);
void decode_metrics(Decoding *d);
void decode_threads(Decoding *d);
void decode_allocs(Decoding *d);
void decode_locks(Decoding *d);
void decode_gc(Decoding *d);
void decode_exceptions(Decoding *d);
void decode_watches(Decoding *d);
void decode_coverage(Decoding *d);
void decode_exact(Decoding *d);

#endif
