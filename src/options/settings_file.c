// SPDX-License-Identifier: Apache-2.0
// See settings_file.h. The file's form: a flag ends at white space, which quotes within it keep, but not
// beyond the line; a quote that begins it is a part of it. Where a flag could begin, # begins a comment.
#include "options/settings_file.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/output.h"
#include "options/flags.h"

static const char file_option[] = "Flags=";
static bool given;

// The text behind -XX:; NULL: no flag.
static const char *flag_of(const OptionWord *word)
{
    return strncmp(word->text, "-XX:", 4) == 0 ? word->text + 4 : NULL;
}

bool settings_is_name(const char *flag)
{
    return strncmp(flag, file_option, sizeof file_option - 1) == 0;
}

bool settings_are_given(void)
{
    return given;
}

static char *skip_to_flag(char *p)
{
    for (bool comment = false; *p && (comment || *p == '#' || isspace((unsigned char)*p)); p++)
        comment = *p != '\n' && (comment || *p == '#');
    return p;
}

// Takes the next flag from *at, which it changes. NULL: no more.
static char *next_flag(char **at)
{
    char *p = skip_to_flag(*at), *flag = p, *out = p, quote = 0;
    if (!*p)
        return NULL;
    *out++ = *p++;
    for (; *p && *p != '\n' && (quote || !isspace((unsigned char)*p)); p++) {
        if (*p == quote)
            quote = 0;
        else if (!quote && (*p == '"' || *p == '\''))
            quote = *p;
        else
            *out++ = *p;
    }
    *at = *p ? p + 1 : p;
    *out = '\0';
    return flag;
}

static void print_flag(const char *flag)
{
    fprintf(vm_stdout(), "VM option '%s'\n", flag);
    fflush(vm_stdout());
}

static bool is_printing(const char *flag, bool before)
{
    return *flag && strcmp(flag + 1, "PrintVMOptions") == 0 ? *flag == '+' : before;
}

// What is wrong does not keep the rest from being read.
static bool read_file(const char *path, bool *print)
{
    char *text = option_file_read(path, "Could not open settings file %s"), *rest = text;
    bool ok = text != NULL;
    for (const char *flag; rest && (flag = next_flag(&rest));) {
        if (*print)
            print_flag(flag);
        *print = is_printing(flag, *print);
        ok = flags_set(flag, FLAG_BY_FILE) && ok;
    }
    vm_free(text);
    return ok;
}

bool settings_read(const OptionWords *words)
{
    const char *path = NULL;
    bool print = false;
    for (size_t i = 0; i < words->len; i++) {
        const char *flag = flag_of(&words->at[i]);
        if (flag && settings_is_name(flag))
            path = flag + sizeof file_option - 1;
        print = flag ? is_printing(flag, print) : print;
    }
    given = path != NULL;
    if (path && !read_file(path, &print))
        return false;
    for (size_t i = 0; print && i < words->len; i++) {
        const char *flag = flag_of(&words->at[i]);
        if (flag)
            print_flag(flag);
    }
    return true;
}
