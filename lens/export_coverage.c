// SPDX-License-Identifier: Apache-2.0
// Coverage as LCOV and as JaCoCo's XML. Instructions are not counted: `mi` and `ci` of a line are its entries in the line table.
#define _GNU_SOURCE
#include "coverage.h"
#include "export.h"
#include "source.h"

#include <stdlib.h>
#include <string.h>

typedef struct SourceFile {
    char *path;             // com/acme/Order.java
    const char *class_name; // of one in it
    Map lines;              // line, to index + 1
    ARRAY(CoverageLine) rows;
    ARRAY(CoverageMethod) methods;
} SourceFile;

static char *path_of(const Model *m, const CoverageClass *c)
{
    char *package = mem_text(model_name(m, c->package), strlen(model_name(m, c->package)));
    for (char *p = package; *p != 0; p++)
        *p = *p == '.' ? '/' : *p;
    const char *file = model_name(m, c->source);
    char *path = mem_format("%s%s%s", package, *package ? "/" : "",
                            *file ? file : model_name(m, c->name));
    free(package);
    return path;
}

typedef ARRAY(SourceFile) SourceFiles;

static SourceFile *file_of(SourceFiles *files, const Model *m, const CoverageClass *c)
{
    char *path = path_of(m, c);
    for (uint32_t i = files->count; i-- > 0;) { // classes of a file stand together
        if (strcmp(files->at[i].path, path) == 0) {
            free(path);
            return &files->at[i];
        }
        if (files->count - i > 1000)
            break;
    }
    SourceFile *file = ARRAY_PUSH(files);
    file->path = path;
    file->class_name = model_name(m, c->name);
    return file;
}

static void add_class(SourceFile *file, const CoverageClass *c)
{
    for (uint32_t i = 0; i < c->lines.count; i++) {
        const CoverageLine *l = &c->lines.at[i];
        uint32_t *at = map_at(&file->lines, l->line);
        if (l->line == 0)
            continue;
        if (*at == 0) {
            ARRAY_PUSH(&file->rows)->line = l->line;
            *at = file->rows.count;
        }
        CoverageLine *row = &file->rows.at[*at - 1];
        row->places += l->places;
        row->hit += l->hit;
        row->branches += l->branches;
        row->taken += l->taken;
        row->count = l->count > row->count ? l->count : row->count;
    }
    for (uint32_t i = 0; i < c->methods.count; i++)
        *ARRAY_PUSH(&file->methods) = c->methods.at[i];
}

static int by_line(const void *a, const void *b)
{
    const CoverageLine *x = a, *y = b;
    return (x->line > y->line) - (x->line < y->line);
}

static SourceFiles gather_files(const Model *m, const Coverage *coverage)
{
    SourceFiles files = {0};
    for (uint32_t i = 0; i < coverage->classes.count; i++)
        add_class(file_of(&files, m, &coverage->classes.at[i]), &coverage->classes.at[i]);
    for (uint32_t i = 0; i < files.count; i++) {
        if (files.at[i].rows.count != 0)
            qsort(files.at[i].rows.at, files.at[i].rows.count, sizeof(CoverageLine), by_line);
    }
    return files;
}

static void free_files(SourceFiles *files)
{
    for (uint32_t i = 0; i < files->count; i++) {
        free(files->at[i].path);
        map_free(&files->at[i].lines);
        free(files->at[i].rows.at);
        free(files->at[i].methods.at);
    }
    free(files->at);
}

// ---- LCOV ----

// A record is a line: names of classes may have anything in them.
static char *on_one_line(const char *first, const char *second)
{
    char *text = mem_format("%s%s", first, second);
    for (char *c = text; *c != 0; c++)
        *c = (unsigned char)*c < 0x20 ? '?' : *c;
    return text;
}

static char *name_of_method(const Model *m, const CoverageMethod *method)
{
    ASSERT_INDEX(&m->methods, method->method);
    const ModelMethod *known = &m->methods.at[method->method];
    return on_one_line(model_name(m, known->label), model_name(m, known->signature));
}

static void put_lcov_methods(Bytes *out, const Model *m, const SourceFile *f)
{
    uint32_t hit = 0;
    for (uint32_t i = 0; i < f->methods.count; i++) {
        char *name = name_of_method(m, &f->methods.at[i]);
        export_put(out, "FN:%u,%s\n", f->methods.at[i].line, name);
        free(name);
    }
    for (uint32_t i = 0; i < f->methods.count; i++) {
        char *name = name_of_method(m, &f->methods.at[i]);
        export_put(out, "FNDA:%u,%s\n", f->methods.at[i].hit != 0, name);
        free(name);
        hit += f->methods.at[i].hit != 0;
    }
    export_put(out, "FNF:%u\nFNH:%u\n", f->methods.count, hit);
}

// Where the source lies, as genhtml opens it: that is known of sources in folders. Else its path below a folder of sources.
static void put_source_path(Export *e, const SourceFile *f)
{
    Source source = {0};
    char *real = NULL;
    source_find(e->query->session, f->class_name, &source);
    if (source.text != NULL && strstr(source.path, "!/") == NULL)
        real = realpath(source.path, NULL);
    char *path = on_one_line(real ? real : f->path, "");
    export_put(&e->query->bytes, "TN:\nSF:%s\n", path);
    free(path);
    free(real);
    source_free(&source);
}

static void put_lcov_file(Export *e, const SourceFile *f)
{
    Bytes *out = &e->query->bytes;
    const Model *m = e->model;
    uint32_t lines = 0, hit = 0, branches = 0, taken = 0;
    put_source_path(e, f);
    put_lcov_methods(out, m, f);
    for (uint32_t i = 0; i < f->rows.count; i++) {
        const CoverageLine *l = &f->rows.at[i];
        for (uint32_t b = 0; b < l->branches; b++)
            export_put(out, l->hit ? "BRDA:%u,0,%u,%u\n" : "BRDA:%u,0,%u,-\n", l->line, b,
                       b < l->taken);
        branches += l->branches;
        taken += l->taken;
    }
    export_put(out, "BRF:%u\nBRH:%u\n", branches, taken);
    for (uint32_t i = 0; i < f->rows.count; i++) {
        const CoverageLine *l = &f->rows.at[i];
        if (l->places == 0)
            continue;
        export_put(out, "DA:%u,%llu\n", l->line, (unsigned long long)(l->hit ? l->count : 0));
        lines++;
        hit += l->hit != 0;
    }
    export_put(out, "LF:%u\nLH:%u\nend_of_record\n", lines, hit);
}

bool export_lcov(Export *e)
{
    Coverage coverage;
    coverage_read(e->model, 0, 0, &coverage);
    SourceFiles files = gather_files(e->model, &coverage);
    for (uint32_t i = 0; i < files.count; i++)
        put_lcov_file(e, &files.at[i]);
    free_files(&files);
    coverage_free(&coverage);
    return true;
}

// ---- JaCoCo's XML ----

typedef struct Counters {
    uint32_t line[2], branch[2], method[2], class[2]; // missed, covered
} Counters;

static void put_xml_text(Bytes *out, const char *text)
{
    for (; *text != 0; text++) {
        switch (*text) {
        case '&': bytes_put(out, "&amp;", 5); break;
        case '<': bytes_put(out, "&lt;", 4); break;
        case '>': bytes_put(out, "&gt;", 4); break;
        case '"': bytes_put(out, "&quot;", 6); break;
        default: bytes_put(out, (unsigned char)*text < 0x20 ? "?" : text, 1);
        }
    }
}

static void put_counter(Bytes *out, const char *type, const uint32_t *counts)
{
    if (counts[0] + counts[1] != 0)
        export_put(out, "<counter type=\"%s\" missed=\"%u\" covered=\"%u\"/>", type, counts[0],
                   counts[1]);
}

static void put_counters(Bytes *out, const Counters *c)
{
    put_counter(out, "BRANCH", c->branch);
    put_counter(out, "LINE", c->line);
    put_counter(out, "METHOD", c->method);
    put_counter(out, "CLASS", c->class);
}

static void add_counters(Counters *to, const Counters *from)
{
    for (int i = 0; i < 2; i++) {
        to->line[i] += from->line[i];
        to->branch[i] += from->branch[i];
        to->method[i] += from->method[i];
        to->class[i] += from->class[i];
    }
}

static void count_line(Counters *c, const CoverageLine *l)
{
    ASSERT_COVERED(l);
    c->line[l->hit != 0] += l->places != 0;
    c->branch[0] += l->branches - l->taken;
    c->branch[1] += l->taken;
}

static Counters put_class(Bytes *out, const Model *m, const CoverageClass *c)
{
    Counters all = {0};
    char *name = mem_text(model_name(m, c->name), strlen(model_name(m, c->name)));
    for (char *p = name; *p != 0; p++)
        *p = *p == '.' ? '/' : *p;
    export_put(out, "<class name=\"");
    put_xml_text(out, name);
    export_put(out, "\" sourcefilename=\"");
    put_xml_text(out, model_name(m, c->source));
    export_put(out, "\">");
    free(name);
    for (uint32_t i = 0; i < c->methods.count; i++) {
        const CoverageMethod *method = &c->methods.at[i];
        const ModelMethod *known = &m->methods.at[method->method];
        export_put(out, "<method name=\"");
        put_xml_text(out, model_name(m, known->name));
        export_put(out, "\" desc=\"");
        put_xml_text(out, model_name(m, known->signature));
        export_put(out, "\" line=\"%u\">", method->line);
        ASSERT_COVERED(method);
        uint32_t branch[2] = {method->branches - method->taken, method->taken},
                 one[2] = {method->hit == 0, method->hit != 0};
        put_counter(out, "BRANCH", branch);
        put_counter(out, "METHOD", one);
        export_put(out, "</method>");
        all.method[method->hit != 0]++;
    }
    for (uint32_t i = 0; i < c->lines.count; i++)
        count_line(&all, &c->lines.at[i]);
    all.class[all.line[1] != 0]++;
    put_counters(out, &all);
    export_put(out, "</class>");
    return all;
}

static void put_source_file(Bytes *out, const SourceFile *f)
{
    const char *slash = strrchr(f->path, '/');
    Counters all = {0};
    export_put(out, "<sourcefile name=\"");
    put_xml_text(out, slash ? slash + 1 : f->path);
    export_put(out, "\">");
    for (uint32_t i = 0; i < f->rows.count; i++) {
        const CoverageLine *l = &f->rows.at[i];
        export_put(out, "<line nr=\"%u\" mi=\"%u\" ci=\"%u\" mb=\"%u\" cb=\"%u\"/>", l->line,
                   l->places - l->hit, l->hit, l->branches - l->taken, l->taken);
        count_line(&all, l);
    }
    put_counters(out, &all);
    export_put(out, "</sourcefile>");
}

static uint32_t put_package(Bytes *out, const Model *m, const Coverage *coverage, uint32_t from,
                            Counters *report)
{
    ASSERT_INDEX(&coverage->classes, from);
    uint32_t package = coverage->classes.at[from].package, to = from;
    Counters all = {0};
    Coverage part = {0};
    char *name = mem_text(model_name(m, package), strlen(model_name(m, package)));
    for (char *p = name; *p != 0; p++)
        *p = *p == '.' ? '/' : *p;
    export_put(out, "<package name=\"");
    put_xml_text(out, name);
    export_put(out, "\">");
    free(name);
    for (; to < coverage->classes.count && coverage->classes.at[to].package == package; to++) {
        Counters class = put_class(out, m, &coverage->classes.at[to]);
        add_counters(&all, &class);
    }
    assert(to > from);
    part.classes.at = coverage->classes.at + from;
    part.classes.count = to - from;
    SourceFiles files = gather_files(m, &part);
    for (uint32_t i = 0; i < files.count; i++)
        put_source_file(out, &files.at[i]);
    free_files(&files);
    put_counters(out, &all);
    export_put(out, "</package>");
    add_counters(report, &all);
    return to;
}

bool export_jacoco(Export *e)
{
    Coverage coverage;
    Counters report = {0};
    const Session *s = e->query->session;
    Bytes *out = &e->query->bytes;
    coverage_read(e->model, 0, 0, &coverage);
    export_put(out, "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>"
                    "<!DOCTYPE report PUBLIC \"-//JACOCO//DTD Report 1.1//EN\" "
                    "\"report.dtd\"><report name=\"");
    put_xml_text(out, s->jvm.main);
    unsigned long long start = model_wall_ns(e->model, 0) / 1000000,
                       end = model_wall_ns(e->model, e->model->now) / 1000000;
    export_put(out, "\"><sessioninfo id=\"lens-%d\" start=\"%llu\" dump=\"%llu\"/>",
               s->jvm.process.pid, start, end);
    for (uint32_t i = 0; i < coverage.classes.count;)
        i = put_package(out, e->model, &coverage, i, &report);
    put_counters(out, &report);
    export_put(out, "</report>\n");
    coverage_free(&coverage);
    return true;
}
