// SPDX-License-Identifier: Apache-2.0
// The HPROF format 1.0.2, for the reader and the writer: tags, types, and how roots are told.
#ifndef LENS_HPROF_FORMAT_H
#define LENS_HPROF_FORMAT_H

#include <stdint.h>

#define HPROF_MAGIC     "JAVA PROFILE 1.0."
#define HPROF_MAGIC_OUT "JAVA PROFILE 1.0.2"

enum { // records of the file: u1 tag, u4 time, u4 length
    HPROF_UTF8 = 0x01,
    HPROF_LOAD_CLASS = 0x02,
    HPROF_UNLOAD_CLASS = 0x03,
    HPROF_FRAME = 0x04,
    HPROF_TRACE = 0x05,
    HPROF_ALLOC_SITES = 0x06,
    HPROF_HEAP_SUMMARY = 0x07,
    HPROF_START_THREAD = 0x0a,
    HPROF_END_THREAD = 0x0b,
    HPROF_HEAP_DUMP = 0x0c,
    HPROF_CPU_SAMPLES = 0x0d,
    HPROF_CONTROL = 0x0e,
    HPROF_HEAP_SEGMENT = 0x1c,
    HPROF_HEAP_END = 0x2c,
    HPROF_HEADER = 9 // bytes of tag, time and length
};

enum { // pieces of the heap's part
    PIECE_CLASS = 0x20,
    PIECE_INSTANCE = 0x21,
    PIECE_OBJECTS = 0x22,
    PIECE_PRIMITIVES = 0x23
};

// A root's piece: its tag, an id, `more_ids` ids and `more_bytes` bytes. kind: jvmtiHeapReferenceKind.
typedef struct HprofRoot {
    uint8_t tag, more_ids, more_bytes;
    uint8_t has_thread, has_frame; // u4 each, the first of those bytes
    uint8_t kind;
} HprofRoot;

static const HprofRoot hprof_roots[] = {
    {0x01, 1, 0, 0, 0, 21}, // JNI global
    {0x02, 0, 8, 1, 1, 25}, // JNI local
    {0x03, 0, 8, 1, 1, 24}, // Java frame
    {0x08, 0, 8, 1, 0, 26}, // thread object; the last four bytes: its stack trace
    {0x04, 0, 4, 1, 0, 25}, // native stack
    {0x05, 0, 0, 0, 0, 22}, // sticky class
    {0x06, 0, 4, 1, 0, 24}, // thread block
    {0x07, 0, 0, 0, 0, 23}, // monitor used
    {0xff, 0, 0, 0, 0, 27}, // unknown
    {0x89, 0, 0, 0, 0, 27}, // of Android: interned string
    {0x8a, 0, 0, 0, 0, 27}, // finalizing
    {0x8b, 0, 0, 0, 0, 27}, // debugger
    {0x8d, 0, 0, 0, 0, 27}, // VM internal
    {0x8e, 0, 8, 1, 1, 23}, // JNI monitor
};
#define HPROF_ROOT_COUNT   (sizeof(hprof_roots) / sizeof(hprof_roots[0]))
#define HPROF_THREAD_ROOT  0x08
#define HPROF_UNKNOWN_ROOT 0xff

// Types of values: HPROF's number, the descriptor's letter, bytes (0: an id's).
typedef struct HprofType {
    uint8_t number;
    char letter;
    uint8_t width;
} HprofType;
static const HprofType hprof_types[] = {{2, 'L', 0}, {4, 'Z', 1},  {5, 'C', 2},
                                        {6, 'F', 4}, {7, 'D', 8},  {8, 'B', 1},
                                        {9, 'S', 2}, {10, 'I', 4}, {11, 'J', 8}};
#define HPROF_TYPE_COUNT (sizeof(hprof_types) / sizeof(hprof_types[0]))

#endif
