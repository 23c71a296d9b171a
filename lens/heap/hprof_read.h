// SPDX-License-Identifier: Apache-2.0
// What the parts of the HPROF reader share: heap_hprof.c finds the objects of a file, hprof_contents.c reads what one holds.
//
// Ids of the file are addresses. Objects are numbered in the order of their ids, so that an id is found by searching `ids`.
#ifndef LENS_HPROF_READ_H
#define LENS_HPROF_READ_H

#include "heap_internal.h"
#include "hprof_format.h"

typedef struct HprofThread { // of a thread serial number
    uint64_t object;         // id of its java.lang.Thread
    uint32_t trace;          // serial number of its stack trace
} HprofThread;

typedef struct HprofData {
    uint32_t id_size;
    uint64_t size;     // of the file
    uint64_t *ids;     // of the object i + 1, ascending
    uint32_t *buckets; // the first of ids in each range of 1 << shift
    size_t id_count, id_capacity, bucket_count;
    unsigned shift;
    HeapMap names; // id to where its text lies; the length stands in the 4 bytes before its id
    HeapMap class_names;    // id of a class to the id of its name
    HeapMap class_serials;  // serial number to id
    HeapMap frames, traces; // id, serial number to where the record's contents lie
    HeapMap threads;        // serial number to place in thread_list + 1
    HprofThread *thread_list;
    size_t thread_count, thread_capacity;
    uint32_t primitive_class[16]; // of arrays, by type number
} HprofData;

typedef struct HprofPiece { // of the heap's part
    uint8_t tag;
    uint8_t type;    // PRIMITIVES: number of the elements' type
    uint64_t at;     // where its tag lies
    uint64_t length; // with the tag
    uint64_t id;
    uint64_t class_id;      // INSTANCE, OBJECTS
    uint64_t count;         // INSTANCE: bytes of fields; arrays: elements
    uint64_t contents;      // where fields or elements begin; CLASS: its super class's id
    const HprofRoot *root;  // NULL: it is none
    uint32_t thread, frame; // of roots; frame: UINT32_MAX none
    uint32_t trace;         // of a thread's root
} HprofPiece;

typedef enum HprofStep { PIECE_READ, PIECE_UNKNOWN, PIECE_CUT } HprofStep;
// The piece at the reader's place, which does not move.
HprofStep hprof_read_piece(const HprofData *h, HeapReader *r, HprofPiece *piece);

uint64_t hprof_id(const HprofData *h, const uint8_t *p);
const HprofType *hprof_type(uint8_t number);              // NULL: there is none of that number
HeapObject hprof_object(const HprofData *h, uint64_t id); // 0: not in the file
// A text of the file, in the graph's names; "?" where it has none. NULL: no memory.
const char *hprof_name(HeapGraph *g, uint64_t id);

// Visits what the piece's object holds. Ends where the file ends.
void hprof_visit_piece(HeapGraph *g, HeapReader *r, const HprofPiece *piece,
                       uint32_t class_index, HeapVisitor *visitor, void *context);
extern const HeapSource hprof_source;

#endif
