// SPDX-License-Identifier: Apache-2.0
// What -XX:+PrintFlagsFinal, PrintFlagsInitial, PrintFlagsRanges and PrintCommandLineFlags print.
#include <stdio.h>

#include "base/log.h"
#include "base/output.h"
#include "options/flags.h"
#include "options/flags_internal.h"

static void print(StrBuf *sb)
{
    fputs(sb->s, vm_stdout());
    fflush(vm_stdout());
    sb_free(sb);
}

static void print_table(void)
{
    StrBuf sb = {0};
    sb_add(&sb, "[Global flags]\n");
    for (size_t i = 0; i < known_flags_count; i++) {
        FlagView f;
        flag_view(i, &f);
        if (!f.is_locked)
            flag_add_row(&sb, &f);
    }
    print(&sb);
}

void flags_print_initial(void)
{
    StrBuf sb = {0};
    sb_add(&sb, "[Global flags]\n");
    for (size_t i = 0; i < known_flags_count; i++) {
        const KnownFlag *k = &known_flags[i];
        if (flag_group(k) != FLAG_GROUP_PRODUCT && flag_group(k) != FLAG_GROUP_MANAGEABLE)
            continue;
        FlagView f = {.name = k->name,
                      .type = flag_type_text(k),
                      .kind = flag_kind_text(k),
                      .origin = FLAG_BY_DEFAULT};
        snprintf(f.value, sizeof f.value, "%s", k->value);
        flag_add_row(&sb, &f);
    }
    print(&sb);
}

static void print_table_of_ranges(void)
{
    StrBuf sb = {0};
    sb_add(&sb, "[Global flags ranges]\n");
    for (size_t i = 0; i < known_flags_count; i++) {
        const KnownFlag *k = &known_flags[i];
        if (flag_is_locked(k) || k->type == FLAG_BOOL || k->type == FLAG_CCSTR
            || k->type == FLAG_CCSTRLIST)
            continue;
        char kind[32];
        snprintf(kind, sizeof kind, "{%s}", flag_kind_text(k));
        int least = (int)strcspn(k->range, " ");
        sb_printf(&sb, "%9s %-50s [ %-25.*s ... %25s ]%37s {%s}\n", flag_type_text(k), k->name,
                  least, k->range, *k->range ? flag_greatest(k) : "", kind,
                  flag_origin_text(flag_origin(k)));
    }
    print(&sb);
}

// Those that were given, and those chosen for the machine that HotSpot always shows.
static void print_as_options(void)
{
    StrBuf sb = {0};
    for (size_t i = 0; i < known_flags_count; i++) {
        FlagView f;
        flag_view(i, &f);
        bool always =
            strcmp(f.name, "MaxHeapSize") == 0 || strcmp(f.name, "InitialHeapSize") == 0;
        if (!flag_is_noted(&known_flags[i]) && !always)
            continue;
        flag_add_option(&sb, &f);
        sb_putc(&sb, ' ');
    }
    sb_putc(&sb, '\n');
    print(&sb);
}

void flags_print(void)
{
    if (flag_prints.command_line)
        print_as_options();
    if (flag_prints.ranges) // in place of the values
        print_table_of_ranges();
    else if (flag_prints.final)
        print_table();
    if (flag_prints.gc || flag_prints.gc_details) {
        char error[64];
        if (flag_prints.gc)
            LOG(LOG_GC, LOG_WARNING, "-XX:+PrintGC is deprecated. Will use -Xlog:gc instead.");
        if (flag_prints.gc_details)
            LOG(LOG_GC, LOG_WARNING,
                "-XX:+PrintGCDetails is deprecated. Will use -Xlog:gc* instead.");
        if (!log_configure(flag_prints.gc_details ? ":gc*" : ":gc", error, sizeof error))
            fprintf(vm_stderr(), "%s\n", error);
    }
}
