// SPDX-License-Identifier: Apache-2.0
// Numbers of options: sizes with a unit.
#ifndef BASE_SIZE_H
#define BASE_SIZE_H

#include "base/common.h"

// "64m", "0x10g", "4096": bytes. False when it is no size or above UINT64_MAX.
NODISCARD bool size_parse(const char *s, uint64_t *out);

#endif
