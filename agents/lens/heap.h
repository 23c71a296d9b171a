// SPDX-License-Identifier: Apache-2.0
// The records of a heap walk (LensHeapRecord), written while the program stands.
//
// A stream is written by one thread at a time. Nothing of it calls the VM: all of it may be used in
// the callbacks of a walk.
#ifndef LENS_HEAP_H
#define LENS_HEAP_H

#include "lens.h"

typedef enum HeapEnd { HEAP_WHOLE, HEAP_STOPPED, HEAP_DISK_FULL } HeapEnd;

enum {
    HEAP_BUFFER = 1 << 18, // a piece: is written when it is nearly full, always whole records
    HEAP_RECORD_MAX = 1 << 13, // room that a record may need
    HEAP_STRING_CHARS = 1000,
    HEAP_ARRAY_BYTES = 4096
};

typedef struct HeapStream {
    int fd;
    uint8_t *buffer, *at, *limit;  // a record begins only below the limit
    uint32_t *pieces;              // lengths of what was written, for who sends it in blocks
    size_t pieces_len, pieces_cap; // pieces_cap 0: they are not kept
    HeapEnd end; // not HEAP_WHOLE: writing failed or is to stop; nothing is written any more
    const _Atomic bool *stopping;
    char why[128]; // in words
} HeapStream;

// A stream into a descriptor, which stays the caller's. False when memory ends.
bool heap_stream_open(HeapStream *stream, int fd, bool keeps_pieces,
                      const _Atomic bool *stopping);
void heap_stream_close(HeapStream *stream);
// Writes what is in the buffer. False when the stream has ended.
bool heap_stream_flush(HeapStream *stream);

// Room for a record: false when the stream has ended. Then any heap_put_... of one record.
static inline bool heap_record(HeapStream *stream)
{
    return LIKELY(stream->at < stream->limit) || heap_stream_flush(stream);
}
static inline void heap_put_u(HeapStream *stream, uint64_t value)
{
    assert(stream->at < stream->limit + HEAP_RECORD_MAX);
    uint8_t *at = stream->at;
    for (; value >= 0x80; value >>= 7)
        *at++ = (uint8_t)(value | 0x80);
    *at++ = (uint8_t)value;
    stream->at = at;
}
// UTF-8, at most 1,000 bytes of it.
void heap_put_s(HeapStream *stream, const char *utf8);
// The first HEAP_STRING_CHARS of UTF-16; unpaired surrogates become U+FFFD, NUL too.
void heap_put_chars(HeapStream *stream, const jchar *chars, size_t len);
void heap_put_bytes(HeapStream *stream, const void *bytes,
                    size_t len); // at most HEAP_ARRAY_BYTES

#endif
