// SPDX-License-Identifier: Apache-2.0
// The page as one file: its styles and fonts within, its modules as data: addresses of an import map, and the answers to what it would
// ask as JSON in #lens-data. A nonce and a policy keep other scripts out. Needs no server and no network.
#define _GNU_SOURCE
#include "export.h"

#include "page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

// What the page asks. `%s`: each kind of data that has samples.
static const char *const asked[] = {
    "/api/session",
    "/api/metrics",
    "/api/thread_cpu",
    "/api/costs",
    "/api/alloc",
    "/api/locks",
    "/api/threads",
    "/api/exceptions",
    "/api/watch",
    "/api/coverage",
    "/api/heap/snapshots",
    "/api/hot?data=%s",
    "/api/flame?data=%s&reverse=0",
    "/api/flame?data=%s&reverse=1",
};

// ---- text ----

static const char base64_digits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void put_base64(Bytes *out, const uint8_t *data, size_t length)
{
    for (size_t i = 0; i < length; i += 3) {
        uint32_t three = (uint32_t)data[i] << 16 | (i + 1 < length ? data[i + 1] << 8 : 0)
                         | (i + 2 < length ? data[i + 2] : 0);
        char digits[4] = {base64_digits[three >> 18], base64_digits[three >> 12 & 63],
                          base64_digits[three >> 6 & 63], base64_digits[three & 63]};
        digits[2] = i + 1 < length ? digits[2] : '=';
        digits[3] = i + 2 < length ? digits[3] : '=';
        bytes_put(out, digits, 4);
    }
}

static void put_text(Bytes *out, const char *text)
{
    bytes_put(out, text, strlen(text));
}

// The text with each `from` as `to`; to be freed.
static char *replace_all(const char *text, const char *from, const char *to)
{
    Bytes out = {0};
    for (const char *at; (at = strstr(text, from)) != NULL; text = at + strlen(from)) {
        bytes_put(&out, text, (size_t)(at - text));
        put_text(&out, to);
    }
    bytes_put(&out, text, strlen(text) + 1);
    return (char *)out.at;
}

// ---- the page's parts ----

static char *read_page_text(const char *name)
{
    size_t size;
    const char *type;
    return (char *)page_read(name, &size, &type);
}

// Modules name each other as "lens/x.js", which the import map knows.
static void put_module(Bytes *out, const char *name)
{
    char *text = read_page_text(name), *one, *two;
    if (text == NULL)
        return;
    one = replace_all(text, "from \"./", "from \"lens/");
    two = replace_all(one, "import \"./", "import \"lens/");
    free(one);
    one = replace_all(two, "import(\"./", "import(\"lens/");
    export_put(out, "\"lens/%s\":\"data:text/javascript;base64,", name);
    put_base64(out, (const uint8_t *)one, strlen(one));
    put_text(out, "\"");
    free(one);
    free(two);
    free(text);
}

static void put_import_map(Bytes *out, const char *nonce)
{
    bool first = true;
    export_put(out, "<script type=\"importmap\" nonce=\"%s\">{\"imports\":{", nonce);
    for (const PageFile *f = page_files; f->name != NULL; f++) {
        if (!text_ends_with(f->name, ".js"))
            continue;
        put_text(out, first ? "" : ",");
        put_module(out, f->name);
        first = false;
    }
    put_text(out, "}}</script>\n");
}

// url(x.woff2) becomes a data: address.
static void put_style(Bytes *out, const char *name, const char *nonce)
{
    char *css = read_page_text(name);
    export_put(out, "<style nonce=\"%s\">", nonce);
    for (const char *at = css, *url; at != NULL; at = url) {
        url = strstr(at, "url(");
        bytes_put(out, at, url ? (size_t)(url - at) : strlen(at));
        if (url == NULL)
            break;
        const char *from = url + 4 + strspn(url + 4, "\"'./"), *close = strchr(from, ')');
        char file[128];
        size_t length = close ? strcspn(from, "\"')") : 0, size;
        const char *type;
        snprintf(file, sizeof file, "%.*s",
                 (int)(length < sizeof file ? length : sizeof file - 1), from);
        uint8_t *data = strncmp(from, "data:", 5) != 0 ? page_read(file, &size, &type) : NULL;
        if (data == NULL) {
            put_text(out, "url(");
            url += 4;
            continue;
        }
        export_put(out, "url(data:%s;base64,", type);
        put_base64(out, data, size);
        put_text(out, ")");
        free(data);
        url = close + 1;
    }
    put_text(out, "</style>\n");
    free(css);
}

// ---- the answers ----

typedef struct Asked {
    Bytes *out;
    bool first;
    char key[128];
} Asked;

static void on_answer(void *context, Query *q)
{
    Asked *a = context;
    assert(q->status != 200 || q->type != NULL || json_is_whole(&q->out));
    if (q->status != 200 || q->out.length == 0)
        return;
    export_put(a->out, "%s\"GET %s\":", a->first ? "" : ",", a->key);
    bytes_put(a->out, q->out.text, q->out.length);
    a->first = false;
}

static void ask(Export *e, Asked *a, const char *address)
{
    static const char *const narrowing[] = {"from", "to", "threads"};
    assert(strlen(address) < sizeof a->key);
    Query *q = query_new(e->query->session, on_answer, a);
    text_copy(a->key, sizeof a->key, address);
    char *path = mem_text(address, strlen(address)), *question = strchr(path, '?');
    if (question != NULL) {
        *question = 0;
        query_add_params(q, question + 1);
    }
    for (size_t i = 0; i < sizeof narrowing / sizeof *narrowing; i++) {
        const char *value = query_param(e->query, narrowing[i]);
        if (value != NULL)
            query_add_param(q, narrowing[i], value);
    }
    query_run(q, "GET", path);
    free(path);
}

static bool has_weight(const Export *e, WeighData data)
{
    assert(data < WEIGH_KINDS);
    Weights w = {.data = data};
    weigh(e->model, e->brush, &w);
    bool any = w.samples != 0;
    weights_free(&w);
    return any;
}

// The view that the file opens with; "": the first one.
static const char *view_of(const Export *e)
{
    const char *view = query_param(e->query, "view");
    return view != NULL && view[strspn(view, "abcdefghijklmnopqrstuvwxyz")] == 0 ? view : "";
}

static void put_answers(Export *e, Bytes *out)
{
    Asked a = {.out = out, .first = true};
    export_put(out, "<script type=\"application/json\" data-view=\"%s\" id=\"lens-data\">{",
               view_of(e));
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        char *mark = strstr(asked[i], "%s");
        for (int data = 0; data < (mark ? WEIGH_KINDS : 1); data++) {
            if (mark != NULL && !has_weight(e, (WeighData)data))
                continue;
            char *address = mark ? replace_all(asked[i], "%s", weigh_names[data])
                                 : mem_text(asked[i], strlen(asked[i]));
            ask(e, &a, address);
            free(address);
        }
    }
    put_text(out, "}</script>\n");
}

// ---- the file ----

static void put_policy(Bytes *out, const char *nonce)
{
    export_put(out,
               "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
               "script-src 'nonce-%s' data:; "
               "style-src 'nonce-%s'; font-src data:; img-src data:; base-uri 'none'; "
               "form-action 'none'\">\n",
               nonce, nonce);
}

// A line of index.html: what it links is put in its place.
static void put_line(Export *e, const char *line, size_t length, const char *nonce)
{
    Bytes *out = &e->query->bytes;
    const char *style = memmem(line, length, "<link rel=\"stylesheet\" href=\"", 29);
    const char *script = memmem(line, length, "<script type=\"module\" src=\"", 27);
    char name[128];
    if (style != NULL && sscanf(style + 29, "%127[^\"]", name) == 1) {
        put_style(out, name, nonce);
    } else if (script != NULL && sscanf(script + 27, "%127[^\"]", name) == 1) {
        put_import_map(out, nonce);
        put_answers(e, out);
        export_put(out, "<script type=\"module\" nonce=\"%s\">import \"lens/%s\";</script>\n",
                   nonce, name);
    } else {
        bytes_put(out, line, length);
        put_text(out, "\n");
    }
    if (memmem(line, length, "<meta charset", 13) != NULL)
        put_policy(out, nonce);
}

bool export_html(Export *e)
{
    uint8_t random[16];
    char nonce[33];
    char *index = read_page_text("index.html");
    if (index == NULL || getrandom(random, sizeof random, 0) != sizeof random) {
        free(index);
        query_fail(e->query, 409, "Build lens with its page.",
                   "There is no page in this lens.");
        return false;
    }
    for (size_t i = 0; i < sizeof random; i++)
        snprintf(nonce + 2 * i, 3, "%02x", random[i]);
    for (const char *line = index; *line != 0;) {
        size_t length = strcspn(line, "\n");
        put_line(e, line, length, nonce);
        line += length + (line[length] != 0);
    }
    free(index);
    return true;
}
