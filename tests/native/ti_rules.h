// SPDX-License-Identifier: Apache-2.0
// Statements of the specification, by their numbers in docs/BEHAVIOURS.md: each is checked and a
// line says whether it holds.
#ifndef TESTS_TI_RULES_H
#define TESTS_TI_RULES_H

#include <stdbool.h>

#include "ti_common.h"

#define RULE(number, holds) say("%s %s", number, (holds) ? "ok" : "FAILS")
// The call gives the error of this name.
#define RULE_ERROR(number, name, call)                               \
    do {                                                             \
        int rule_error_ = (int)(call);                               \
        if (rule_error_ == (int)JVMTI_ERROR_##name)                  \
            say("%s ok", number);                                    \
        else                                                         \
            say("%s FAILS: %s gave %d", number, #call, rule_error_); \
    } while (0)

static inline bool has_capability(const jvmtiCapabilities *c, int bit)
{
    return (((const unsigned char *)c)[bit / 8] >> bit % 8 & 1) != 0;
}

#endif
