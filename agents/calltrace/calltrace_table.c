// SPDX-License-Identifier: Apache-2.0
// The report as text: tables for people, and the list of exact counts for programs.
#include "calltrace.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_NAME = 1024,
    FIGURES_WIDTH = 55,
    MIN_WIDTH = 96,
    NO_TERMINAL_WIDTH = 140,
    MAX_THROWN = 5
};

static uint64_t calls_of(const MethodRow *row)
{
    return row->calls;
}

static uint64_t self_of(const MethodRow *row)
{
    return row->self;
}

static uint64_t total_of(const MethodRow *row)
{
    return row->total;
}

static uint64_t thrown_of(const MethodRow *row)
{
    return row->thrown;
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : 100.0 * (double)part / (double)whole;
}

// Cuts a UTF-8 name down to `width` columns, the end replaced by "…".
static void fit(char *name, size_t width)
{
    assert(width > 0);
    size_t columns = 0;
    char *cut = NULL;
    for (char *p = name; *p != '\0'; p++) {
        if ((*p & 0xC0) != 0x80) {
            columns++;
            if (columns == width) {
                cut = p;
            }
        }
    }
    if (columns > width && cut != NULL) {
        strcpy(cut, "…");
    }
}

static void write_row(FILE *out, const Report *report, uint32_t method, size_t width)
{
    const MethodRow *row = recorder_row(report->all, method);
    char name[MAX_NAME];
    char calls[32];
    agent_pretty_method(method_name(method), name, sizeof name - 4);
    fit(name, width);
    fprintf(out, "%14s %5.1f%% %9.3f %5.1f%% %9.3f %5.1f%%  %s\n",
            agent_format_count(row->calls, calls), percent(row->calls, report->all->calls),
            (double)row->self / 1e9, percent(row->self, report->time), (double)row->total / 1e9,
            percent(row->total, report->time), name);
}

static void write_table(FILE *out, const Report *report, const char *heading, RowFigure figure,
                        size_t top, size_t width)
{
    size_t len;
    uint32_t *order = report_sort(report, figure, &len);
    fprintf(out, "\n%s\n%14s %6s %9s %6s %9s %6s  %s\n", heading, "calls", "", "self s", "",
            "total s", "", "method");
    for (size_t i = 0; i < len && i < top; i++) {
        write_row(out, report, order[i], width);
    }
    free(order);
}

static void write_thrown(FILE *out, const Report *report, size_t top, size_t width)
{
    size_t len;
    uint32_t *order = report_sort(report, thrown_of, &len);
    if (len > 0 && thrown_of(recorder_row(report->all, order[0])) > 0) {
        fprintf(out, "\nMost calls that ended by an exception\n%14s %6s  %s\n", "calls", "of",
                "method");
    }
    for (size_t i = 0; i < len && i < top; i++) {
        const MethodRow *row = recorder_row(report->all, order[i]);
        if (row->thrown == 0) {
            break;
        }
        char name[MAX_NAME];
        char n[32];
        agent_pretty_method(method_name(order[i]), name, sizeof name - 4);
        fit(name, width);
        fprintf(out, "%14s %5.1f%%  %s\n", agent_format_count(row->thrown, n),
                percent(row->thrown, row->calls), name);
    }
    free(order);
}

static void write_heading(FILE *out, const Report *report)
{
    char calls[32];
    char methods[32];
    size_t len;
    free(report_sort(report, calls_of, &len));
    fprintf(out, "\n%s: %s calls of %s methods in %llu threads, %.1f s, %s\n", report->title,
            agent_format_count(report->all->calls, calls), agent_format_count(len, methods),
            (unsigned long long)report->threads_seen, (double)report->elapsed / 1e9,
            report->vm);
}

void table_write(FILE *out, const Report *report, size_t top)
{
    unsigned columns = agent_terminal_columns(out, NO_TERMINAL_WIDTH);
    size_t width = (columns < MIN_WIDTH ? MIN_WIDTH : columns) - FIGURES_WIDTH;
    write_heading(out, report);
    write_table(out, report, "Most calls", calls_of, top, width);
    write_table(out, report, "Most time in itself", self_of, top, width);
    write_table(out, report, "Most time with all it calls", total_of, top, width);
    write_thrown(out, report, top < MAX_THROWN ? top : MAX_THROWN, width);
    if (report->notes_len > 0) {
        fputc('\n', out);
    }
    for (size_t i = 0; i < report->notes_len; i++) {
        fprintf(out, "Note: %s.\n", report->notes[i]);
    }
    fputc('\n', out);
}

static uint64_t same_for_all(const MethodRow *row)
{
    (void)row;
    return 0;
}

void counts_write(FILE *out, const Report *report)
{
    size_t len;
    uint32_t *order = report_sort(report, same_for_all, &len);
    for (size_t i = 0; i < len; i++) {
        fprintf(out, "%llu\t%s\n",
                (unsigned long long)recorder_row(report->all, order[i])->calls,
                method_name(order[i]));
    }
    free(order);
}
