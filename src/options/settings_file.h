// SPDX-License-Identifier: Apache-2.0
// The file that -XX:Flags names, with flags without their -XX:, and what -XX:+PrintVMOptions prints. When
// the VM starts; one thread.
#ifndef OPTIONS_SETTINGS_FILE_H
#define OPTIONS_SETTINGS_FILE_H

#include "base/common.h"
#include "options/option_words.h"

// Sets the flags of the file that the last -XX:Flags of the words names; they count as if they stood
// before all words. Prints on vm_stdout the flags that -XX:+PrintVMOptions asks for: each of the file
// while it is on, which the file may switch, then all of the words. False after a message for each wrong
// flag, or for a file that can't be read.
NODISCARD bool settings_read(const OptionWords *words);
// -XX:Flags was among the words of the last settings_read.
bool settings_are_given(void);
// What follows -XX: names such a file.
bool settings_is_name(const char *flag);

#endif
