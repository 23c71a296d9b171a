// SPDX-License-Identifier: Apache-2.0
// C stacks with the names of functions: of the crash report and of what the checking modes
// report. Names come from the symbol tables of the files, because libjvm.so exports few of its
// own; where a file is stripped, from the dynamic linker.
#ifndef PLATFORM_NATIVE_STACK_H
#define PLATFORM_NATIVE_STACK_H

#include "base/common.h"

// The file whose symbols were read last, kept mapped. Zero at first; one user at a time.
typedef struct SymbolFile {
    const char *path, *image; // image NULL: it cannot be read
    size_t size;
} SymbolFile;

// The function and the file behind a code address, as " name+0x12 (libfoo.so+0x1234)"; "" when
// it is in no file. `at` is looked up by the byte before it where it is a return address.
// Allocates nothing; for signal handlers too.
void native_place(SymbolFile *file, uintptr_t at, bool is_return, char *out, size_t size);
// The name of the file that a code address lies in, without its folders; NULL: in none.
const char *native_file_name(const void *code);
// Where a library of os_library_open lies, as os_library_base says of its code; NULL: not known.
const void *native_library_base(void *library);
// Return addresses of the calling thread's frames, innermost first. Loads the unwinder at the
// first call, and takes its locks: not for signal handlers before that.
int native_backtrace(void **frames, int most);

#endif
