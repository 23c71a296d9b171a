// SPDX-License-Identifier: Apache-2.0
// Limits of -XX flags that depend on other flags, or that are no simple range: most steer parts of
// HotSpot that this VM does not have, and a command line that is wrong there is wrong here.
#ifndef OPTIONS_FLAG_LIMITS_H
#define OPTIONS_FLAG_LIMITS_H

#include "base/common.h"

// The limits of one value that HotSpot checks as soon as it reads the flag. False when it breaks
// one, with HotSpot's words on stderr; the caller adds which option it was.
NODISCARD bool flag_limits_check_one(const char *name, uint64_t value);
// Whether a manageable flag may have the value, beside those of the others.
bool flag_limits_allow(const char *name, int64_t value);
// Once all options are read: every broken limit is reported on stderr. `interprets`: -Xint was given.
NODISCARD bool flag_limits_check_all(bool interprets);

#endif
