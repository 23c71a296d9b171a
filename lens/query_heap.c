// SPDX-License-Identifier: Apache-2.0
// /api/heap/...: what the graph of heap/ answers, as JSON. The `work` functions run in the heaps' worker.
#define _GNU_SOURCE
#include "heaps.h"
#include "query.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_ROWS 10000

// ---- taking snapshots ----

static void put_order_id(Query *q, const Order *o)
{
    json_object(&q->out);
    json_put_uint(&q->out, "id", o->id);
    json_end(&q->out);
}

static void on_estimate(Query *q, Order *o)
{
    const char *ms = order_get(o, "stop.ms");
    if (o->state == LENS_FAILED || ms == NULL) {
        query_fail(q, 409, "See the order's text.", "The agent cannot walk the heap: %s",
                   o->text);
        return;
    }
    json_object(&q->out);
    json_put_uint(&q->out, "stop_ms", strtoull(ms, NULL, 10));
    json_put_text(&q->out, "text", o->text);
    json_end(&q->out);
}

void query_heap_snapshot(Query *q)
{
    LinkPair args[] = {{"confirm", "0"}, {"contents", "1"}};
    if (!query_has_model(q))
        return;
    if (!query_flag(q, "confirm")) {
        if (query_ask(q, "heap", args, 2, on_estimate))
            session_find_order(q->session, q->session->next_order - 1)->once = true;
        return;
    }
    Order *o = heaps_walk(q->session->heaps);
    if (o == NULL)
        query_fail(q, 409, "Is the program still there, and room on the disk?",
                   "The heap cannot be walked: %s.", strerror(errno));
    else
        put_order_id(q, o);
}

void query_heap_import(Query *q)
{
    const char *file = query_param(q, "file");
    Order *o = file && *file == '/' ? heaps_import(q->session->heaps, file) : NULL;
    if (o != NULL)
        put_order_id(q, o);
    else if (file == NULL || *file != '/')
        query_fail(q, 400, "Give the whole path of the file.", "No file was named.");
    else
        query_fail(q, 404, "Is the path right, and may you read it?", "Cannot open %s: %s.",
                   file, strerror(errno));
}

void query_heap_snapshots(Query *q)
{
    const HeapSnapshot *s;
    json_object(&q->out);
    json_put_array(&q->out, "snapshots");
    for (uint32_t i = 0; (s = heaps_at(q->session->heaps, i)) != NULL; i++) {
        const HeapInfo *info = heap_info(s->graph);
        json_object(&q->out);
        json_put_uint(&q->out, "id", s->id);
        json_put_real(&q->out, "t", tick_ms(s->time));
        json_put_uint(&q->out, "objects", info->objects);
        json_put_uint(&q->out, "references", info->references);
        json_put_uint(&q->out, "bytes", info->bytes);
        json_put_uint(&q->out, "unreachable_bytes", info->unreachable_bytes);
        json_put_uint(&q->out, "stop_ns", info->stop_ns);
        json_put_real(&q->out, "analysed_ms", (double)info->analysed_ns / 1e6);
        json_put_bool(&q->out, "whole", info->whole);
        json_put_text(&q->out, "lost", info->lost);
        json_put_text(&q->out, "from", info->from);
        json_put_text(&q->out, "how", info->how);
        json_end(&q->out);
    }
    json_array_end(&q->out);
    json_end(&q->out);
}

// ---- questions ----

static void ask(Query *q, bool (*work)(HeapJob *, HeapArena *, HeapError *),
                uint64_t default_limit)
{
    uint64_t id = query_number(q, "id", 0), base = query_number(q, "base", 0),
             object = query_number(q, "object", 0);
    const HeapSnapshot *latest = NULL, *s;
    for (uint32_t i = 0; (s = heaps_at(q->session->heaps, i)) != NULL; i++)
        latest = s;
    s = id ? heaps_find(q->session->heaps, id) : latest;
    const HeapSnapshot *other = base ? heaps_find(q->session->heaps, base) : NULL;
    const char *class_name = query_param(q, "class");
    if (s == NULL || (base != 0 && other == NULL)) {
        query_fail(q, 404, "Take a snapshot, or import an HPROF file.",
                   "There is no such snapshot.");
        return;
    }
    assert(s->graph != NULL && (other == NULL || other->graph != NULL));
    HeapJob *job = mem_new(1, sizeof *job);
    uint64_t limit = query_number(q, "limit", default_limit);
    *job = (HeapJob){.query = q,
                     .graph = s->graph,
                     .base = other ? other->graph : NULL,
                     .object = object > UINT32_MAX ? UINT32_MAX : (HeapObject)object,
                     .offset = query_number(q, "offset", 0),
                     .limit = limit > MOST_ROWS ? MOST_ROWS : limit,
                     .class_name = class_name ? mem_text(class_name, strlen(class_name)) : NULL,
                     .work = work};
    heaps_ask(q->session->heaps, job);
}

static void put_how(Json *json, const char *how)
{
    assert(json->depth == 1 && how != NULL);
    json_put_text(json, "how", how);
    json_end(json);
}

static bool work_histogram(HeapJob *job, HeapArena *arena, HeapError *error)
{
    HeapClassRow *rows;
    size_t count;
    Json *json = &job->query->out;
    if (!heap_histogram(job->graph, job->base, arena, &rows, &count, error))
        return false;
    json_object(json);
    json_put_array(json, "rows");
    for (size_t i = 0; i < count; i++) {
        json_object(json);
        json_put_text(json, "class", rows[i].name);
        json_put_text(json, "loader", rows[i].loader);
        json_put_uint(json, "count", rows[i].count);
        json_put_uint(json, "bytes", rows[i].bytes);
        json_put_uint(json, "retained", rows[i].retained);
        json_put_int(json, "d_count", rows[i].more_count);
        json_put_int(json, "d_bytes", rows[i].more_bytes);
        json_end(json);
    }
    json_array_end(json);
    put_how(json, heap_info(job->graph)->how);
    return true;
}

static void put_row(Json *json, const HeapRow *row)
{
    json_object(json);
    json_put_uint(json, "object", row->object);
    json_put_text(json, "class", row->class_name);
    json_put_text(json, "label", row->label);
    json_put_uint(json, "bytes", row->bytes);
    json_put_uint(json, "retained", row->retained);
    json_put_uint(json, "children", row->children);
    json_end(json);
}

static void put_rows(HeapJob *job, const HeapRow *rows, size_t count, uint64_t of)
{
    Json *json = &job->query->out;
    json_object(json);
    json_put_array(json, "rows");
    for (size_t i = 0; i < count; i++)
        put_row(json, &rows[i]);
    json_array_end(json);
    json_put_uint(json, "of", of);
    put_how(json, heap_info(job->graph)->how);
}

static bool work_dominators(HeapJob *job, HeapArena *arena, HeapError *error)
{
    HeapRow *rows;
    size_t count;
    uint64_t of;
    if (!heap_dominated(job->graph, job->object, job->offset, job->limit, arena, &rows, &count,
                        &of, error))
        return false;
    put_rows(job, rows, count, of);
    return true;
}

static bool work_instances(HeapJob *job, HeapArena *arena, HeapError *error)
{
    HeapRow *rows;
    size_t count;
    uint64_t of;
    uint32_t class_index = heap_find_class(job->graph, job->class_name ? job->class_name : "");
    if (!heap_instances(job->graph, class_index, job->offset, job->limit, arena, &rows, &count,
                        &of, error))
        return false;
    put_rows(job, rows, count, of);
    return true;
}

static bool work_object(HeapJob *job, HeapArena *arena, HeapError *error)
{
    HeapDetails d;
    Json *json = &job->query->out;
    if (!heap_object(job->graph, job->object, job->offset, job->limit, arena, &d, error))
        return false;
    json_object(json);
    json_put_uint(json, "object", d.row.object);
    json_put_text(json, "class", d.row.class_name);
    json_put_text(json, "loader", d.loader);
    json_put_text(json, "label", d.row.label);
    json_put_uint(json, "bytes", d.row.bytes);
    json_put_uint(json, "retained", d.row.retained);
    json_put_uint(json, "children", d.row.children);
    json_put_text(json, "root", d.root);
    json_put_bool(json, "reachable", d.reachable);
    json_put_array(json, "fields");
    for (size_t i = 0; i < d.field_count; i++) {
        json_object(json);
        json_put_text(json, "name", d.fields[i].name);
        json_put_text(json, "class", d.fields[i].class_name);
        json_put_text(json, "value", d.fields[i].value);
        json_put_uint(json, "object", d.fields[i].object);
        json_put_bool(json, "static", d.fields[i].is_static);
        json_end(json);
    }
    json_array_end(json);
    json_put_uint(json, "more",
                  d.of > job->offset + d.field_count ? d.of - job->offset - d.field_count : 0);
    json_put_uint(json, "dominator", d.dominator);
    json_end(json);
    return true;
}

static void put_link(Json *json, const HeapLink *link)
{
    json_object(json);
    json_put_uint(json, "object", link->object);
    json_put_text(json, "class", link->class_name);
    json_put_text(json, "label", link->label);
    json_put_text(json, "via", link->via);
    json_put_bool(json, "weak", link->weak);
    json_end(json);
}

static bool work_path(HeapJob *job, HeapArena *arena, HeapError *error)
{
    HeapPath *paths;
    size_t count;
    Json *json = &job->query->out;
    if (!heap_paths(job->graph, job->object, job->limit > 100 ? 100 : job->limit, arena, &paths,
                    &count, error))
        return false;
    json_object(json);
    json_put_array(json, "paths");
    for (size_t i = 0; i < count; i++) {
        json_array(json);
        for (size_t k = 0; k < paths[i].count; k++)
            put_link(json, &paths[i].steps[k]);
        json_object(json);
        json_put_object(json, "root");
        json_put_text(json, "kind", paths[i].root.kind);
        json_put_text(json, "thread", paths[i].root.thread);
        json_put_text(json, "method", paths[i].root.method);
        json_end(json);
        json_end(json);
        json_array_end(json);
    }
    json_array_end(json);
    json_end(json);
    return true;
}

static bool work_referrers(HeapJob *job, HeapArena *arena, HeapError *error)
{
    HeapLink *links;
    size_t count;
    uint64_t of;
    Json *json = &job->query->out;
    if (!heap_referrers(job->graph, job->object, job->offset, job->limit, arena, &links, &count,
                        &of, error))
        return false;
    json_object(json);
    json_put_array(json, "rows");
    for (size_t i = 0; i < count; i++)
        put_link(json, &links[i]);
    json_array_end(json);
    json_put_uint(json, "of", of);
    json_end(json);
    return true;
}

static bool work_strings(HeapJob *job, HeapArena *arena, HeapError *error)
{
    HeapStringRow *rows;
    size_t count;
    uint64_t wasted;
    Json *json = &job->query->out;
    if (!heap_duplicate_strings(job->graph, job->limit, arena, &rows, &count, &wasted, error))
        return false;
    json_object(json);
    json_put_array(json, "rows");
    for (size_t i = 0; i < count; i++) {
        json_object(json);
        json_put_text(json, "text", rows[i].text);
        json_put_uint(json, "length", rows[i].length);
        json_put_uint(json, "count", rows[i].count);
        json_put_uint(json, "bytes", rows[i].bytes);
        json_put_uint(json, "wasted", rows[i].wasted);
        json_put_uint(json, "object", rows[i].example);
        json_end(json);
    }
    json_array_end(json);
    json_put_uint(json, "wasted", wasted);
    put_how(json, "Exact for strings of up to 1,000 characters; longer ones count as equal "
                  "when their beginnings and lengths are.");
    return true;
}

static bool work_collections(HeapJob *job, HeapArena *arena, HeapError *error)
{
    HeapCollectionRow *rows;
    size_t count;
    Json *json = &job->query->out;
    if (!heap_collections(job->graph, arena, &rows, &count, error))
        return false;
    json_object(json);
    json_put_array(json, "rows");
    for (size_t i = 0; i < count; i++) {
        json_object(json);
        json_put_text(json, "class", rows[i].class_name);
        json_put_uint(json, "count", rows[i].count);
        json_put_uint(json, "capacity", rows[i].capacity);
        json_put_uint(json, "used", rows[i].used);
        json_put_uint(json, "empty", rows[i].empty);
        json_put_uint(json, "wasted", rows[i].wasted);
        json_put_uint(json, "object", rows[i].worst);
        json_end(json);
    }
    json_array_end(json);
    put_how(json,
            "Exact for the collections of java.util that Lens knows, and what extends them.");
    return true;
}

static bool work_suspects(HeapJob *job, HeapArena *arena, HeapError *error)
{
    HeapSuspect *rows;
    size_t count;
    Json *json = &job->query->out;
    if (!heap_suspects(job->graph, arena, &rows, &count, error))
        return false;
    json_object(json);
    json_put_array(json, "rows");
    for (size_t i = 0; i < count; i++) {
        json_object(json);
        json_put_uint(json, "object", rows[i].object);
        json_put_text(json, "class", rows[i].class_name);
        json_put_text(json, "label", rows[i].label);
        json_put_uint(json, "instances", rows[i].instances);
        json_put_uint(json, "retained", rows[i].retained);
        json_put_real(json, "share", rows[i].share);
        json_put_uint(json, "gathers", rows[i].gathers);
        json_put_text(json, "gathers_class", rows[i].gathers_class);
        json_put_text(json, "text", rows[i].text);
        json_end(json);
    }
    json_array_end(json);
    json_end(json);
    return true;
}

static bool work_hprof(HeapJob *job, HeapArena *arena, HeapError *error)
{
    (void)arena;
    char *folder = session_folder(), *path = mem_format("%s/heap-XXXXXX", folder);
    free(folder);
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0) {
        snprintf(error->text, sizeof error->text, "No file could be made for it: %s.",
                 strerror(errno));
        free(path);
        return false;
    }
    job->query->send_file = path;
    job->query->type = "application/octet-stream";
    job->query->file_name = mem_text("heap.hprof", 10);
    bool good = heap_write_hprof(job->graph, fd, NULL, error);
    close(fd);
    return good;
}

void query_heap_histogram(Query *q)
{
    ask(q, work_histogram, 0);
}

void query_heap_dominators(Query *q)
{
    ask(q, work_dominators, 100);
}

void query_heap_object(Query *q)
{
    ask(q, work_object, 200);
}

void query_heap_path(Query *q)
{
    ask(q, work_path, 5);
}

void query_heap_instances(Query *q)
{
    ask(q, work_instances, 100);
}

void query_heap_referrers(Query *q)
{
    ask(q, work_referrers, 100);
}

void query_heap_strings(Query *q)
{
    ask(q, work_strings, 200);
}

void query_heap_collections(Query *q)
{
    ask(q, work_collections, 0);
}

void query_heap_suspects(Query *q)
{
    ask(q, work_suspects, 0);
}

void query_heap_hprof(Query *q)
{
    ask(q, work_hprof, 0);
}
