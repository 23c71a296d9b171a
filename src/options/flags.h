// SPDX-License-Identifier: Apache-2.0
// The -XX flags: those of spec/vm_flags.def are known and checked, those that mean something
// here also set vm_options.
#ifndef OPTIONS_FLAGS_H
#define OPTIONS_FLAGS_H

#include "options/flag_access.h"

// What the last -XX:+IgnoreUnrecognizedVMOptions or -XX:-IgnoreUnrecognizedVMOptions of the command line
// says: with `ignore` flags that HotSpot's product build does not have are no error. Those in a file
// (-XX:Flags) do not count. Call before the first flags_set.
void flags_ignore_unrecognized(bool ignore);
// Takes what follows -XX: ("+Name", "Name=value"). `by`: where it stands, the command line, the
// environment or a file (-XX:Flags). False on a wrong flag, with HotSpot's words on stderr.
NODISCARD bool flags_set(const char *text, FlagOrigin by);
// The same for a flag that another option stands for (-Xmx, -XX:+PrintGC): what PrintFlagsFinal
// shows as given.
void flags_note(const char *name);
// The heap's share, in bytes, of a machine with so much memory; of the heap at first, or at most.
size_t flags_heap_share(uint64_t memory, bool initial);
// The number that a flag of numbers has: as given, or by default (what HotSpot chooses for the machine
// is 0). Whether it was given, and with that very text.
int64_t flags_number(const char *name);
bool flags_is_given(const char *name);
bool flags_is(const char *name, const char *text);
// The number of garbage collectors that were asked for.
int flags_collectors(void);
// Once all of vm_options is known: what -XX:+PrintFlagsFinal, PrintFlagsRanges and
// PrintCommandLineFlags ask for, on vm_stdout; turns on the log that -XX:+PrintGC stands for.
void flags_print(void);
// All flags but diagnostic and experimental ones with their defaults: -XX:+PrintFlagsInitial.
void flags_print_initial(void);

#endif
