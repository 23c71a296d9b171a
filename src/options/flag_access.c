// SPDX-License-Identifier: Apache-2.0
// See flag_access.h.
#include "options/flag_access.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "options/flag_limits.h"
#include "options/flags_internal.h"
#include "platform/platform.h"

static Mutex change_lock = MUTEX_INIT(RANK_STARTUP); // guards values and origins

size_t flags_count(void)
{
    return known_flags_count;
}

static void view(const KnownFlag *k, FlagView *out)
{
    *out = (FlagView){.name = k->name,
                      .type = flag_type_text(k),
                      .kind = flag_kind_text(k),
                      .is_writeable = flag_group(k) == FLAG_GROUP_MANAGEABLE,
                      .is_locked = flag_is_locked(k)};
    mutex_lock(&change_lock);
    out->origin = flag_origin(k);
    flag_value_text(k, out->value, sizeof out->value);
    mutex_unlock(&change_lock);
}

void flag_view(size_t i, FlagView *out)
{
    view(&known_flags[i], out);
}

static const KnownFlag *visible_flag(const char *name)
{
    const KnownFlag *k = known_flag(name);
    return k && !flag_is_locked(k) ? k : NULL;
}

bool flag_view_named(const char *name, FlagView *out)
{
    const KnownFlag *k = visible_flag(name);
    if (k)
        view(k, out);
    return k != NULL;
}

// ---- changes ----

static bool refuse_form(const char *what, StrBuf *why)
{
    sb_printf(why, "flag value must be %s\n", what);
    return false;
}

static bool refuse_range(const KnownFlag *k, StrBuf *why)
{
    sb_printf(why, "%s error: must have value in range [%.*s...%s]\n", k->name,
              (int)strcspn(k->range, " "), k->range, flag_greatest(k));
    return false;
}

static bool keeps_limits(const KnownFlag *k, int64_t number, StrBuf *why)
{
    if (flag_limits_allow(k->name, number))
        return true;
    sb_printf(why, "%s error: value violates its flag's constraint.\n", k->name);
    return false;
}

static bool is_true(const char *value)
{
    return strcmp(value, "1") == 0 || strcasecmp(value, "true") == 0;
}

static bool change_boolean(const KnownFlag *k, const char *value, StrBuf *why)
{
    bool on = is_true(value);
    if (!on && strcmp(value, "0") != 0 && strcasecmp(value, "false") != 0)
        return refuse_form("a boolean (1/0 or true/false)", why);
    flag_set_boolean(k, on);
    return true;
}

// As in HotSpot a number is read as far as it is one: "1g" is 1.
static bool change_double(const KnownFlag *k, const char *value, StrBuf *why)
{
    char *end;
    double d = strtod(value, &end);
    if (end == value)
        return refuse_form("a double", why);
    if (*k->range && (d < strtod(k->range, NULL) || d > strtod(flag_greatest(k), NULL)))
        return refuse_range(k, why);
    flag_set_double(k, d);
    return true;
}

static bool change_signed(const KnownFlag *k, const char *value, StrBuf *why)
{
    char *end;
    int64_t n = strtoll(value, &end, 10);
    if (end == value)
        return refuse_form("an integer", why);
    if (*k->range
        && (n < strtoll(k->range, NULL, 10) || n > strtoll(flag_greatest(k), NULL, 10)))
        return refuse_range(k, why);
    if (!keeps_limits(k, n, why))
        return false;
    flag_set_signed(k, n);
    return true;
}

static bool change_unsigned(const KnownFlag *k, const char *value, StrBuf *why)
{
    char *end;
    uint64_t n = strtoull(value, &end, 10);
    if (end == value)
        return refuse_form("an unsigned integer", why);
    if (*k->range
        && (n < strtoull(k->range, NULL, 10) || n > strtoull(flag_greatest(k), NULL, 10)))
        return refuse_range(k, why);
    if (!keeps_limits(k, (int64_t)n, why))
        return false;
    flag_set_unsigned(k, n);
    return true;
}

static bool change_value(const KnownFlag *k, const char *value, StrBuf *why)
{
    switch ((FlagType)k->type) {
    case FLAG_BOOL: return change_boolean(k, value, why);
    case FLAG_DOUBLE: return change_double(k, value, why);
    case FLAG_INT:
    case FLAG_INTX: return change_signed(k, value, why);
    case FLAG_UINT:
    case FLAG_UINTX:
    case FLAG_UINT64_T:
    case FLAG_SIZE_T: return change_unsigned(k, value, why);
    case FLAG_CCSTR:
    case FLAG_CCSTRLIST: break;
    }
    flag_set_text(k, value);
    return true;
}

// What was understood of a value is noted, not what else it said.
static void note_change(const KnownFlag *k, const char *value, FlagOrigin by)
{
    char number[512]; // a double has up to 309 digits before its point
    switch ((FlagType)k->type) {
    case FLAG_BOOL: value = is_true(value) ? "true" : "false"; break;
    case FLAG_DOUBLE: snprintf(number, sizeof number, "%f", strtod(value, NULL)); break;
    case FLAG_INT:
    case FLAG_INTX:
        snprintf(number, sizeof number, "%" PRId64, (int64_t)strtoll(value, NULL, 10));
        break;
    case FLAG_UINT:
    case FLAG_UINTX:
    case FLAG_UINT64_T:
    case FLAG_SIZE_T:
        snprintf(number, sizeof number, "%" PRIu64, (uint64_t)strtoull(value, NULL, 10));
        break;
    case FLAG_CCSTR:
    case FLAG_CCSTRLIST: break;
    }
    bool is_text = k->type == FLAG_BOOL || k->type == FLAG_CCSTR || k->type == FLAG_CCSTRLIST;
    flag_note(k, is_text ? value : number, by);
}

bool flag_change(const char *name, const char *value, FlagOrigin by, StrBuf *why)
{
    const KnownFlag *k = visible_flag(name);
    if (!k || flag_group(k) != FLAG_GROUP_MANAGEABLE) {
        sb_printf(why, k ? "flag '%s' cannot be changed\n" : "flag %s does not exist\n", name);
        return false;
    }
    mutex_lock(&change_lock);
    bool ok = change_value(k, value, why);
    if (ok)
        note_change(k, value, by);
    mutex_unlock(&change_lock);
    return ok;
}

// ---- as text ----

void flag_add_option(StrBuf *sb, const FlagView *flag)
{
    if (strcmp(flag->type, "bool") == 0)
        sb_printf(sb, "-XX:%c%s", strcmp(flag->value, "true") == 0 ? '+' : '-', flag->name);
    else
        sb_printf(sb, "-XX:%s=%s", flag->name, flag->value);
}

void flag_add_row(StrBuf *sb, const FlagView *flag)
{
    char kind[32];
    snprintf(kind, sizeof kind, "{%s}", flag->kind);
    sb_printf(sb, "%9s %-40s = %-30s %20s {%s}\n", flag->type, flag->name, flag->value, kind,
              flag_origin_text(flag->origin));
}

const char *flag_origin_text(FlagOrigin origin)
{
    switch (origin) {
    case FLAG_BY_COMMAND_LINE: return "command line";
    case FLAG_BY_MANAGEMENT: return "management";
    case FLAG_BY_ENVIRONMENT: return "environment";
    case FLAG_BY_FILE: return "config file";
    case FLAG_BY_ERGONOMICS: return "ergonomic";
    case FLAG_BY_ATTACH: return "attach";
    case FLAG_BY_DEFAULT: break;
    }
    return "default";
}
