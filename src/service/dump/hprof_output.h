// SPDX-License-Identifier: Apache-2.0
// The output of a heap dump: big-endian numbers, records, segments of the heap's part; plain or
// packed. The first failure is kept; what is written after it is dropped.
#ifndef SERVICE_DUMP_HPROF_OUTPUT_H
#define SERVICE_DUMP_HPROF_OUTPUT_H

#include "base/common.h"

enum { // tags of records
    HPROF_UTF8 = 0x01,
    HPROF_LOAD_CLASS = 0x02,
    HPROF_FRAME = 0x04,
    HPROF_TRACE = 0x05,
    HPROF_HEAP_SEGMENT = 0x1C,
    HPROF_HEAP_END = 0x2C,
};

typedef enum HprofPacking { HPROF_PLAIN, HPROF_GZIP, HPROF_ZSTD } HprofPacking;
typedef struct HprofTarget {
    const char *path; // of a file; NULL: `fd`, which stays open
    int fd;
    bool overwrite; // an existing file; else it is refused
    HprofPacking packing;
    int level; // of it
} HprofTarget;

typedef struct HprofOutput {
    int fd;
    int error; // errno of the first failure; 0: none
    char *buffer;
    size_t len;
    uint64_t written;           // bytes of the file
    bool in_segment;            // it begins at buffer[0]
    struct HprofPacker *packer; // NULL: plain
    bool holds;                 // hprof_hold
    char *held;
    size_t held_len, held_cap;
} HprofOutput;

// Creates the file, readable for its owner only. False: see out->error, and *why names what else failed (a static text, or NULL).
bool hprof_open(HprofOutput *out, const HprofTarget *target, const char **why);
// From here on nothing is written, which may block: what would be is kept in memory until hprof_release writes it.
void hprof_hold(HprofOutput *out);
void hprof_release(HprofOutput *out);
// What is in the buffer goes to the file.
void hprof_flush(HprofOutput *out);
// False when anything has failed.
bool hprof_close(HprofOutput *out);

void hprof_bytes(HprofOutput *out, const void *bytes, size_t len);
void hprof_u1(HprofOutput *out, uint8_t v);
void hprof_u2(HprofOutput *out, uint16_t v);
void hprof_u4(HprofOutput *out, uint32_t v);
void hprof_u8(HprofOutput *out, uint64_t v);
static inline void hprof_id(HprofOutput *out, const void *p) // of an object, a name, a frame
{
    hprof_u8(out, (uintptr_t)p);
}
// A record outside of segments; its body of exactly `len` bytes follows.
void hprof_record(HprofOutput *out, uint8_t tag, uint32_t len);
// The next `size` bytes are one piece of the heap's part: begins and ends segments as needed.
// size < 4 GB.
void hprof_piece(HprofOutput *out, uint8_t tag, uint64_t size);
// Ends the heap's part.
void hprof_end_heap(HprofOutput *out);

#endif
