// SPDX-License-Identifier: Apache-2.0
// A library's calls of a function of another one, led elsewhere.
#ifndef PLATFORM_REDIRECT_H
#define PLATFORM_REDIRECT_H

#include "base/common.h"

// From here on what the library (of os_library_open) calls `symbol` is `to`: its relocations of
// that name are written again. False: it has none, or they cannot be written.
bool os_library_redirect(void *library, const char *symbol, const void *to);

#endif
