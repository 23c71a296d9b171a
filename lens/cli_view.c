// SPDX-License-Identifier: Apache-2.0
// `lens PID VIEW`: one view as text, JSON, a page, or another tool's format. Each view is a row of a table: what to record, what to ask,
// which columns to print.
#define _GNU_SOURCE
#include "cli.h"
#include "cli_text.h"
#include "export.h"
#include "heaps.h"
#include "query.h"

#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_SECONDS 5.0

typedef struct CliView {
    const char *name;
    const char *verb;   // what is recorded meanwhile; NULL: nothing
    const char *path;   // what is asked then
    const char *params; // "data=cpu"
    const char *rows;   // of the answer
    const char *empty;  // what is said when there are none
    TextColumn columns[7];
} CliView;

static const CliView views[] = {
    {"top",
     "metrics",
     "/api/thread_cpu",
     "",
     "threads",
     "No thread used the CPU.",
     {{"CPU", "cpu_ns", TEXT_NS, NULL},
      {"share", "share", TEXT_SHARE, NULL},
      {"thread", "name", TEXT_PLAIN, NULL}}},
    {"cpu",
     "cpu",
     "/api/hot",
     "data=cpu",
     "rows",
     "No sample was taken: the program did not use the CPU.",
     {{"self", "share_self", TEXT_SHARE, NULL},
      {"self", "self", TEXT_NS, "unit"},
      {"total", "share_total", TEXT_SHARE, NULL},
      {"total", "total", TEXT_NS, "unit"},
      {"method", "method", TEXT_PLAIN, NULL}}},
    {"alloc",
     "alloc",
     "/api/alloc",
     "",
     "rows",
     "No allocation was sampled.",
     {{"bytes", "bytes", TEXT_BYTES, NULL},
      {"objects", "count", TEXT_COUNT, NULL},
      {"living", "live_bytes", TEXT_BYTES, NULL},
      {"class", "class", TEXT_PLAIN, NULL}}},
    {"locks",
     "locks",
     "/api/locks",
     "",
     "rows",
     "No thread waited for a contended monitor.",
     {{"total", "total_ns", TEXT_NS, NULL},
      {"longest", "max_ns", TEXT_NS, NULL},
      {"waits", "waits", TEXT_COUNT, NULL},
      {"threads", "threads", TEXT_COUNT, NULL},
      {"monitor", "monitor", TEXT_COUNT, NULL},
      {"class", "class", TEXT_PLAIN, NULL}}},
    {"threads",
     "threads",
     "/api/threads",
     "",
     "threads",
     "No thread was seen.",
     {{"state", "state", TEXT_PLAIN, NULL},
      {"daemon", "daemon", TEXT_PLAIN, NULL},
      {"tid", "tid", TEXT_COUNT, NULL},
      {"thread", "name", TEXT_PLAIN, NULL}}},
    {"heap",
     NULL,
     "/api/heap/histogram",
     "",
     "rows",
     "No object was found.",
     {{"bytes", "bytes", TEXT_BYTES, NULL},
      {"retained", "retained", TEXT_BYTES, NULL},
      {"objects", "count", TEXT_COUNT, NULL},
      {"class", "class", TEXT_PLAIN, NULL}}},
    {"exceptions",
     "exceptions",
     "/api/exceptions",
     "",
     "rows",
     "No exception was thrown.",
     {{"count", "count", TEXT_COUNT, NULL},
      {"caught", "caught", TEXT_COUNT, NULL},
      {"class", "class", TEXT_PLAIN, NULL},
      {"line", "line", TEXT_COUNT, NULL},
      {"place", "place", TEXT_PLAIN, NULL},
      {"last message", "last_message", TEXT_PLAIN, NULL}}},
    {"trace",
     "watch",
     "/api/watch",
     "",
     "hits",
     "The method was not called.",
     {{NULL, NULL, TEXT_PLAIN, NULL}}},
    {"coverage",
     "coverage",
     "/api/coverage",
     "",
     "packages",
     "No line was reached.",
     {{NULL, NULL, TEXT_PLAIN, NULL}}},
    {"metrics",
     "metrics",
     "/api/metrics",
     "",
     "t",
     "Nothing was measured.",
     {{NULL, NULL, TEXT_PLAIN, NULL}}},
};

static const CliView *find_view(const char *name)
{
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        if (strcmp(views[i].name, name) == 0)
            return &views[i];
    }
    return NULL;
}

bool cli_is_view(const char *verb)
{
    return find_view(verb) != NULL;
}

// ---- asking ----

typedef struct Answer {
    bool there;
    int status;
    char *text; // or bytes
    size_t length;
    char *file; // on the disk, instead; NULL: there is none
} Answer;

static void on_answer(void *context, Query *q)
{
    Answer *a = context;
    const void *from = q->type ? (const void *)q->bytes.at : q->out.text;
    assert(!a->there); // it comes once
    assert(q->type != NULL || json_is_whole(&q->out));
    a->there = true;
    a->status = q->status;
    a->length = q->type ? q->bytes.length : q->out.length;
    a->text = mem_text(a->length ? from : "", a->length);
    a->file = q->send_file;
    q->send_file = NULL;
}

static Answer ask(Session *s, const char *method, const char *path, const char *params)
{
    Answer a = {0};
    Query *q = query_new(s, on_answer, &a);
    query_add_params(q, params);
    query_run(q, method, path);
    while (!a.there)
        event_base_loop(s->base, EVLOOP_ONCE);
    return a;
}

// ---- recording ----

static char *wait_for_order(Session *s, Order *o)
{
    while (!order_is_over(o) && !cli_interrupted())
        event_base_loop(s->base, EVLOOP_ONCE);
    if (cli_interrupted())
        session_stop_order(s, o);
    return o->state == LENS_DONE ? NULL : mem_format("%s", *o->text ? o->text : "stopped");
}

static char *walk_heap(Session *s)
{
    Order *import = session_running(s, "import");
    if (s->mode == SESSION_FILE)
        return import ? wait_for_order(s, import)
                      : mem_format("no heap is in this recording; open an HPROF file");
    Order *o = heaps_walk(s->heaps);
    return o ? wait_for_order(s, o)
             : mem_format("the heap cannot be walked: %s", strerror(errno));
}

// The class is cut off behind `class_name`, which is to be freed.
static char *watch_args(const CliOptions *options, LinkPair *pairs, uint32_t *count,
                        char **class_name)
{
    const char *dot = options->watch ? strrchr(options->watch, '.') : NULL;
    if (dot == NULL)
        return mem_format("trace needs --method CLASS.METHOD, as com.acme.Order.total");
    *class_name = mem_format("%.*s", (int)(dot - options->watch), options->watch);
    pairs[(*count)++] = (LinkPair){"class", *class_name};
    pairs[(*count)++] = (LinkPair){"method", dot + 1};
    return NULL;
}

// Records what the view needs. NULL, or what went wrong.
static char *record(Session *s, const CliView *view, const CliOptions *options)
{
    char hz[32];
    LinkPair pairs[2];
    uint32_t count = 0;
    char *error = NULL, *class_name = NULL;
    if (strcmp(view->name, "heap") == 0)
        return walk_heap(s);
    if (s->mode == SESSION_FILE || view->verb == NULL)
        return NULL;
    snprintf(hz, sizeof hz, "%llu", (unsigned long long)options->hz);
    if (strcmp(view->name, "cpu") == 0)
        pairs[count++] = (LinkPair){"hz", hz};
    else if (strcmp(view->name, "coverage") == 0)
        pairs[count++] = (LinkPair){"include", options->include ? options->include : "*"};
    else if (strcmp(view->name, "trace") == 0)
        error = watch_args(options, pairs, &count, &class_name);
    if (error != NULL)
        return error;
    Order *o = session_order(s, view->verb, pairs, count, -1);
    free(class_name);
    if (o == NULL) // it went away with its first words
        return mem_format("%s", s->ended_why);
    cli_run(s, options->seconds > 0 ? options->seconds : DEFAULT_SECONDS);
    if (o->state == LENS_FAILED && !s->has_ended)
        return mem_format("%s", o->text);
    if (s->link != NULL) {
        session_stop_order(s, o);
        cli_run(s, 0.3); // the last records
    }
    return NULL;
}

// ---- printing ----

static const char *text_of(const JsonValue *row, const char *member)
{
    const char *text = json_member_text(row, member);
    return text ? text : "";
}

static void print_hits(const JsonValue *answer)
{
    const JsonValue *hits = json_member(answer, "hits");
    for (const JsonValue *h = hits ? hits->first : NULL; h != NULL; h = h->next) {
        char time[32];
        const JsonValue *ns = json_member(h, "ns"), *values = json_member(h, "values");
        text_number_with_unit(time, sizeof time, ns ? ns->number : 0, TEXT_NS);
        printf("%10s ms  %-6s  %-16s  %9s ", text_of(h, "t"), text_of(h, "kind"),
               text_of(h, "thread_name"), ns && ns->number > 0 ? time : "");
        for (const JsonValue *v = values ? values->first : NULL; v != NULL; v = v->next)
            printf(" %s=%s", text_of(v, "name"), text_of(v, "value"));
        putchar('\n');
    }
}

static void print_coverage(const JsonValue *answer, uint64_t limit)
{
    static const TextColumn columns[] = {{"lines", "lines", TEXT_COUNT, NULL},
                                         {"hit", "hit", TEXT_COUNT, NULL},
                                         {"branches", "branches", TEXT_COUNT, NULL},
                                         {"taken", "taken", TEXT_COUNT, NULL},
                                         {"class", "name", TEXT_PLAIN, NULL}};
    const JsonValue *packages = json_member(answer, "packages");
    for (const JsonValue *p = packages ? packages->first : NULL; p != NULL; p = p->next) {
        printf("%s\n", *text_of(p, "name") ? text_of(p, "name") : "(no package)");
        text_table(p, "classes", columns, 5, limit);
    }
}

static void print_metrics(const JsonValue *answer)
{
    const JsonValue *series = json_member(answer, "series");
    for (const JsonValue *v = series ? series->first : NULL; v != NULL; v = v->next) {
        const JsonValue *last = NULL;
        char value[32];
        for (const JsonValue *x = v->first; x != NULL; x = x->next)
            last = x->kind == JSON_NUMBER ? x : last;
        bool bytes = strstr(v->key, "heap") || strstr(v->key, "resident")
                     || strstr(v->key, "cache") || strstr(v->key, "rate");
        bool ns = strstr(v->key, "nanos") != NULL;
        if (last == NULL)
            continue;
        text_number_with_unit(value, sizeof value, last->number,
                              bytes ? TEXT_BYTES
                              : ns  ? TEXT_NS
                                    : TEXT_PLAIN);
        printf("%-18s %14s%s\n", v->key, value,
               ns || strstr(v->key, "count") || strstr(v->key, "rate") ? " a second" : "");
    }
}

static void print_view(const CliView *view, const JsonValue *answer, uint64_t limit)
{
    const JsonValue *rows = json_member(answer, view->rows);
    size_t columns = 0;
    while (columns < 7 && view->columns[columns].title != NULL)
        columns++;
    if (rows == NULL || rows->first == NULL)
        puts(view->empty);
    else if (strcmp(view->name, "trace") == 0)
        print_hits(answer);
    else if (strcmp(view->name, "coverage") == 0)
        print_coverage(answer, limit);
    else if (strcmp(view->name, "metrics") == 0)
        print_metrics(answer);
    else
        text_table(answer, view->rows, view->columns, columns, limit);
    const char *how = json_member_text(answer, "how");
    if (how != NULL)
        fprintf(stderr, "%s\n", how);
}

static bool write_all(int fd, const char *data, size_t length)
{
    assert(fd >= 0);
    while (length > 0) {
        ssize_t n = write(fd, data, length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        data += n;
        length -= (size_t)n;
    }
    return true;
}

static bool copy_all(int fd, const char *from)
{
    char piece[1 << 16];
    int in = open(from, O_RDONLY | O_CLOEXEC);
    ssize_t n = -1;
    while (in >= 0 && (n = read(in, piece, sizeof piece)) > 0
           && write_all(fd, piece, (size_t)n))
        ;
    if (in >= 0)
        close(in);
    return n == 0;
}

// path NULL: to the terminal.
static int write_file(const char *path, const Answer *a)
{
    int fd =
        path ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644) : dup(STDOUT_FILENO);
    bool good =
        fd >= 0 && (a->file ? copy_all(fd, a->file) : write_all(fd, a->text, a->length));
    int why = errno;
    if (fd >= 0 && close(fd) != 0 && good) {
        why = errno;
        good = false;
    }
    return good ? 0
                : cli_fail(mem_format("cannot write %s: %s", path ? path : "the answer",
                                      strerror(why)));
}

static int answer_failed(const Answer *a)
{
    JsonValue *error = json_parse(a->text, a->length);
    int code = cli_fail(mem_format("%s %s", text_of(error, "error"), text_of(error, "do")));
    json_value_free(error);
    return code;
}

// The view of the page that shows the same.
static const char *page_view(const CliView *view)
{
    if (view->verb == NULL)
        return view->name;
    return strcmp(view->verb, "metrics") == 0 ? "overview" : view->verb;
}

static char *params_of(const CliView *view, const CliOptions *options)
{
    if (!options->format && !options->html)
        return mem_format("%s&limit=%llu", view->params, (unsigned long long)options->limit);
    char *data = *view->params ? mem_format("%s", view->params)
                               : mem_format("data=%s", export_data_of(view->name));
    char *params = mem_format("%s&format=%s&view=%s", data,
                              options->html ? "html" : options->format, page_view(view));
    free(data);
    return params;
}

static int print_answer(Session *s, const CliView *view, const CliOptions *options)
{
    char *params = params_of(view, options);
    Answer a =
        ask(s, "GET", options->format || options->html ? "/api/export" : view->path, params);
    free(params);
    int code = 0;
    if (a.status != 200) {
        code = answer_failed(&a);
    } else if (options->format || options->html) {
        code = write_file(options->html ? options->html : options->output, &a);
    } else if (options->json) {
        puts(a.text);
    } else {
        JsonValue *answer = json_parse(a.text, a.length);
        print_view(view, answer, options->limit);
        json_value_free(answer);
    }
    if (a.file != NULL)
        unlink(a.file);
    free(a.file);
    free(a.text);
    return code;
}

int cli_view(const CliOptions *options)
{
    const CliView *view = find_view(options->verb);
    assert(view != NULL); // cli_is_view was asked
    Session *s =
        cli_session(options, options->format || options->html ? NULL : options->output);
    if (s == NULL)
        return 1;
    char *error = record(s, view, options);
    int code = error ? cli_fail(error) : print_answer(s, view, options);
    session_free(s);
    return code;
}
