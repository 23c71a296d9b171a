// SPDX-License-Identifier: Apache-2.0
// The -XX flags as tools see and change them while the VM runs: jinfo, VM.flags, VM.set_flag,
// HotSpotDiagnosticMXBean. The flags themselves are kept by flags.c, which registers here.
#ifndef OPTIONS_FLAG_ACCESS_H
#define OPTIONS_FLAG_ACCESS_H

#include "base/strbuf.h"

typedef enum FlagOrigin { // numbered as jmmVMGlobalOrigin
    FLAG_BY_DEFAULT = 1,
    FLAG_BY_COMMAND_LINE = 2,
    FLAG_BY_MANAGEMENT = 3,
    FLAG_BY_ERGONOMICS = 6,
    FLAG_BY_ATTACH = 7,
} FlagOrigin;
typedef struct FlagView {
    const char *name;
    const char *type; // "bool", "int", "uint", "intx", "uintx", "uint64_t", "size_t", "double",
                      // "ccstr", "ccstrlist"
    const char *kind; // "product", "manageable", "diagnostic", "experimental"
    bool is_locked;   // diagnostic or experimental, and not unlocked
    FlagOrigin origin;
    char value[1024]; // as text: "true", "67108864"; "" for a text that is not set
} FlagView;

typedef struct FlagAccess {
    size_t count; // of all known flags
    void (*at)(size_t i, FlagView *out);
    bool (*find)(const char *name, FlagView *out);
    // Sets a manageable flag. False with a line of text added to `why`. Thread-safe.
    bool (*set)(const char *name, const char *value, FlagOrigin by, StrBuf *why);
} FlagAccess;
extern const FlagAccess *flag_access; // set before Java runs

// "-XX:+Name", "-XX:Name=value".
void flag_add_option(StrBuf *sb, const FlagView *flag);
// "default", "command line" ... as the list of all flags has it.
const char *flag_origin_text(FlagOrigin origin);

#endif
