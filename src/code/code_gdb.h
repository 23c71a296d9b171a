// SPDX-License-Identifier: Apache-2.0
// What gdb is told of generated code by its JIT interface (its manual, "JIT Compilation Interface"): in-memory ELF files. As a rule one
// for the whole region, with how its frames are left; with names (-XX:+JitGdb) one for each piece of code, which has its symbol, too. gdb
// stops the program for each of these, and reads them all when it attaches.
// Lock: the code cache's, which its callers hold, or there are no other threads.
#ifndef CODE_CODE_GDB_H
#define CODE_CODE_GDB_H

#include "code/code_unwind.h"

// Each piece is told with its name from now on, and no region. Before code_cache_init.
void code_gdb_name_pieces(void);

// The region, with its table of frames; does nothing when pieces are named.
void code_gdb_add_region(const CodeUnwind *frames, const void *start, size_t size);
// A piece that was installed; does nothing unless pieces are named. NO_GC.
void code_gdb_add(const CodeBlob *blob);
// What was added at this address, a region or a piece, is gone. Nothing was added: no effect. NO_GC.
void code_gdb_remove(const void *start);

#endif
