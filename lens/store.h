// SPDX-License-Identifier: Apache-2.0
// Recordings: files of blocks as lens_wire.h describes them. The writer compresses each block that becomes smaller by it, and puts the
// index at the end: of each block, or of each second, fourth ... where there are many. The reader takes any bytes: what is damaged is skipped
// and counted, what is whole is given on.
#ifndef LENS_STORE_H
#define LENS_STORE_H

#include "wire.h"

typedef struct StoreWriter StoreWriter;

// Makes the file (mode 0600, replaces one that is there). NULL: errno says why.
StoreWriter *store_create(const char *path);
// Appends a block as it came from the agent. After an error of the disk nothing is written any more (store_failed).
void store_write(StoreWriter *store, const LensBlock *block, const uint8_t *payload);
uint64_t store_bytes(const StoreWriter *store);
// NULL, or what the system said when the file could not be written ("No space left on device").
const char *store_failed(const StoreWriter *store);
const char *store_path(const StoreWriter *store);
// A whole recording (with its index) of all that was written so far, as another file. False: errno says why.
bool store_copy(StoreWriter *store, const char *path);
// Writes the index and closes. The writer is gone afterwards.
void store_close(StoreWriter *store);

typedef struct StoreReport {
    uint64_t bytes;   // of the file
    uint64_t blocks;  // given on
    uint64_t skipped; // bytes that belong to no whole block
    uint64_t damaged; // blocks whose checksum or contents were wrong
    bool whole;       // an index was at the end
} StoreReport;

// Given each block with its payload uncompressed; false ends the reading.
typedef bool StoreEach(void *context, const LensBlock *block, const uint8_t *payload);

// Reads a recording in memory. False: it has no LENS_FILE_MAGIC and no block at all.
bool store_read_memory(const uint8_t *data, size_t size, StoreEach *each, void *context,
                       StoreReport *report);
// Reads a file. NULL, or a sentence that says why it cannot be.
const char *store_read_file(const char *path, StoreEach *each, void *context,
                            StoreReport *report);

#endif
