// SPDX-License-Identifier: Apache-2.0
// /api/export: which format is written by whom, and the recording itself.
#define _GNU_SOURCE
#include "export.h"

#include "flame.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

static const struct {
    const char *name, *type, *ending;
    bool (*write)(Export *export);
} formats[] = {
    {"collapsed", "text/plain; charset=utf-8", "collapsed.txt", export_collapsed},
    {"pprof", "application/octet-stream", "pb.gz", export_pprof},
    {"speedscope", "application/json", "speedscope.json", export_speedscope},
    {"firefox", "application/json", "firefox.json", export_firefox},
    {"chrome", "application/json", "trace.json", export_chrome},
    {"csv", "text/csv; charset=utf-8", "csv", export_csv},
    {"lcov", "text/plain; charset=utf-8", "info", export_lcov},
    {"jacoco", "application/xml", "jacoco.xml", export_jacoco},
    {"html", "text/html; charset=utf-8", "html", export_html},
    {"json", "application/json", "json", export_json},
};

const char *export_data_of(const char *view)
{
    WeighData data;
    return weigh_data(view, &data) ? view : "cpu";
}

void export_put(Bytes *bytes, const char *format, ...)
{
    char *text;
    va_list args;
    va_start(args, format);
    int length = vasprintf(&text, format, args);
    va_end(args);
    if (length >= 0) {
        bytes_put(bytes, text, (size_t)length);
        free(text);
    }
}

void export_gzip(Bytes *bytes)
{
    z_stream z = {0};
    if (deflateInit2(&z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return;
    Bytes packed = {.room = deflateBound(&z, bytes->length) + 64};
    packed.at = mem_new(packed.room, 1);
    z.next_in = bytes->at;
    z.avail_in = (uInt)bytes->length;
    z.next_out = packed.at;
    z.avail_out = (uInt)packed.room;
    (void)deflate(&z, Z_FINISH);
    packed.length = z.total_out;
    assert(packed.length <= packed.room);
    deflateEnd(&z);
    bytes_free(bytes);
    *bytes = packed;
}

// "Main-1234.pb.gz": what may stand in a file's name of the program's, and no more.
static char *file_name(const Session *s, const char *ending)
{
    char main[64];
    const char *slash = strrchr(s->jvm.main, '/');
    text_copy(main, sizeof main, slash ? slash + 1 : s->jvm.main);
    for (char *c = main; *c != 0; c++) {
        bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z')
                     || (*c >= '0' && *c <= '9') || *c == '.' || *c == '-' || *c == '_';
        *c = plain ? *c : '_';
    }
    return mem_format("%s-%d.%s", *main ? main : "lens", s->jvm.process.pid, ending);
}

static void export_recording(Query *q)
{
    Session *s = q->session;
    char *folder = session_folder();
    char *path =
        mem_format("%s/export-%llu.tmp", folder, (unsigned long long)clock_monotonic());
    free(folder);
    if (s->store == NULL) {
        query_fail(q, 409, "The file is where it was opened from.",
                   "This is a recording already: %s.", s->file ? s->file : "");
        free(path);
        return;
    }
    if (!store_copy(s->store, path)) {
        query_fail(q, 409, "Make room on the disk.", "The recording cannot be copied: %s.",
                   strerror(errno));
        unlink(path);
        free(path);
        return;
    }
    q->send_file = path;
    q->type = "application/octet-stream";
    q->file_name = file_name(s, "lens");
}

static void write_format(Query *q, size_t format)
{
    assert(format < sizeof formats / sizeof *formats);
    Brush brush;
    Weights weights = {.data = WEIGH_CPU};
    const char *data = query_param(q, "data");
    if (data != NULL && !weigh_data(data, &weights.data)) {
        query_fail(q, 400, "data is cpu, wall, alloc, live, locks, exceptions or exact.",
                   "There is no data \"%s\".", data);
        return;
    }
    brush_read(q, &brush);
    weigh(q->session->model, &brush, &weights);
    Export export = {q, q->session->model, &weights, &brush};
    if (formats[format].write(&export)) {
        q->type = formats[format].type;
        q->file_name = file_name(q->session, formats[format].ending);
    }
    weights_free(&weights);
    brush_free(&brush);
}

void query_export(Query *q)
{
    const char *name = query_param(q, "format");
    if (name != NULL && strcmp(name, "hprof") == 0) {
        query_heap_hprof(q);
        return;
    }
    if (!query_has_model(q))
        return;
    if (name != NULL && strcmp(name, "lens") == 0) {
        export_recording(q);
        return;
    }
    for (size_t i = 0; name != NULL && i < sizeof formats / sizeof *formats; i++) {
        if (strcmp(formats[i].name, name) == 0) {
            write_format(q, i);
            return;
        }
    }
    query_fail(q, 400,
               "Formats: collapsed, pprof, speedscope, firefox, chrome, html, hprof, csv, "
               "lcov, jacoco, json, lens.",
               "There is no format \"%s\".", name ? name : "");
}
