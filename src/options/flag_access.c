// SPDX-License-Identifier: Apache-2.0
// See flag_access.h.
#include "options/flag_access.h"

const FlagAccess *flag_access;

void flag_add_option(StrBuf *sb, const FlagView *flag)
{
    if (strcmp(flag->type, "bool") == 0)
        sb_printf(sb, "-XX:%c%s", strcmp(flag->value, "true") == 0 ? '+' : '-', flag->name);
    else
        sb_printf(sb, "-XX:%s=%s", flag->name, flag->value);
}

const char *flag_origin_text(FlagOrigin origin)
{
    switch (origin) {
    case FLAG_BY_COMMAND_LINE: return "command line";
    case FLAG_BY_MANAGEMENT: return "management";
    case FLAG_BY_ERGONOMICS: return "ergonomic";
    case FLAG_BY_ATTACH: return "attach";
    default: return "default";
    }
}
