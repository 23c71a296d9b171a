// SPDX-License-Identifier: Apache-2.0
// The -XX flags as tools see and change them while the VM runs: jinfo, VM.flags, VM.set_flag,
// HotSpotDiagnosticMXBean. Thread-safe.
#ifndef OPTIONS_FLAG_ACCESS_H
#define OPTIONS_FLAG_ACCESS_H

#include "base/strbuf.h"

typedef enum FlagOrigin { // numbered as jmmVMGlobalOrigin
    FLAG_BY_DEFAULT = 1,
    FLAG_BY_COMMAND_LINE = 2,
    FLAG_BY_MANAGEMENT = 3,
    FLAG_BY_ENVIRONMENT = 4,
    FLAG_BY_FILE = 5, // -XX:Flags
    FLAG_BY_ERGONOMICS = 6,
    FLAG_BY_ATTACH = 7,
} FlagOrigin;
typedef struct FlagView {
    const char *name;
    const char *type; // "bool", "int", "uint", "intx", "uintx", "uint64_t", "size_t", "double",
                      // "ccstr", "ccstrlist"
    const char *kind; // "product", "C2 diagnostic" ...
    bool is_writeable; // manageable
    bool is_locked;    // diagnostic or experimental, and not unlocked
    FlagOrigin origin;
    char value[1024]; // as text: "true", "67108864"; "" for a text that is not set
} FlagView;

// The number of known flags; flag number i of them; the flag of a name, false when there is none or it is
// locked.
size_t flags_count(void);
void flag_view(size_t i, FlagView *out);
bool flag_view_named(const char *name, FlagView *out);
// Sets a manageable flag. False with a line of text added to `why`.
bool flag_change(const char *name, const char *value, FlagOrigin by, StrBuf *why);

// "-XX:+Name", "-XX:Name=value".
void flag_add_option(StrBuf *sb, const FlagView *flag);
// The line of the list of all flags (PrintFlagsFinal, VM.flags -all), with its end.
void flag_add_row(StrBuf *sb, const FlagView *flag);
// "default", "command line" ... as that list has it.
const char *flag_origin_text(FlagOrigin origin);

#endif
