// SPDX-License-Identifier: Apache-2.0
// The flame graph: the page of flame_template.html with the report in it as JSON, complete in
// one file. A tree goes out in preorder as four numbers a node, [method, self ns, calls,
// children], so that a reader needs one pass and no names are repeated. Contexts of less than
// 1/10000 of both all time and all calls are joined in one node of method -1 beside their
// siblings.
#include "calltrace.h"
#include "flame_template.h"

#include <stdlib.h>
#include <string.h>

enum { PRUNE = 10000 };

// What a node needs beyond the tree: sums over its subtree, its place among its siblings, and
// how many of its children are kept.
typedef struct Extent {
    uint64_t time, calls;
    uint32_t first, next; // children that are kept, as a list
    uint32_t kept, pruned;
    uint64_t pruned_time, pruned_calls;
} Extent;

typedef struct Flame {
    FILE *out;
    const Report *report;
    uint32_t *numbers; // method index -> number in the page + 1, 0 if not in it yet
    uint32_t *methods; // the way back
    uint32_t methods_len;
    uint64_t min_time, min_calls;
    uint64_t pruned;
} Flame;

static Extent *measure(Flame *flame, const CallTree *tree)
{
    assert(tree->len > 0); // the root
    Extent *extents = agent_alloc(tree->len * sizeof *extents);
    if (extents == NULL) {
        return NULL;
    }
    for (uint32_t n = tree->len; n-- > 0;) {
        Extent *e = &extents[n];
        e->time += tree->nodes[n].self;
        e->calls += tree->nodes[n].calls;
        if (n == 0) {
            break;
        }
        Extent *parent = &extents[tree->nodes[n].parent];
        parent->time += e->time;
        parent->calls += e->calls;
        bool other = tree->nodes[n].method == OTHER_METHOD;
        if (!other && (e->time >= flame->min_time || e->calls >= flame->min_calls)) {
            e->next = parent->first;
            parent->first = n;
            parent->kept++;
        } else {
            parent->pruned++;
            parent->pruned_time += e->time;
            parent->pruned_calls += e->calls;
        }
    }
    return extents;
}

static int number_of(Flame *flame, uint32_t method)
{
    if (method == NO_METHOD || method == OTHER_METHOD) {
        return method == NO_METHOD ? -2 : -1;
    }
    assert(method < methods_count());
    if (flame->numbers[method] == 0) {
        flame->methods[flame->methods_len++] = method;
        flame->numbers[method] = flame->methods_len;
    }
    return (int)flame->numbers[method] - 1;
}

static void write_node(Flame *flame, const CallTree *tree, const Extent *extents, uint32_t n)
{
    const Extent *e = &extents[n];
    fprintf(flame->out, "%s%d,%llu,%llu,%u", n == 0 ? "" : ",",
            number_of(flame, tree->nodes[n].method), (unsigned long long)tree->nodes[n].self,
            (unsigned long long)tree->nodes[n].calls, e->kept + (e->pruned > 0));
    if (e->pruned > 0) {
        flame->pruned += e->pruned;
        fprintf(flame->out, ",-1,%llu,%llu,0", (unsigned long long)e->pruned_time,
                (unsigned long long)e->pruned_calls);
    }
}

static void write_tree(Flame *flame, const CallTree *tree)
{
    Extent *extents = measure(flame, tree);
    if (extents == NULL) {
        fputs("-2,0,0,0", flame->out);
        return;
    }
    uint32_t n = 0;
    for (;;) {
        write_node(flame, tree, extents, n);
        if (extents[n].first != 0) {
            n = extents[n].first;
            continue;
        }
        while (n != 0 && extents[n].next == 0) {
            n = tree->nodes[n].parent;
        }
        if (n == 0) {
            break;
        }
        n = extents[n].next;
    }
    free(extents);
}

static void write_threads(Flame *flame)
{
    fputs(",\n\"threads\":[", flame->out);
    for (size_t i = 0; i < flame->report->threads_len; i++) {
        const Recorder *thread = flame->report->threads[i];
        fputs(i == 0 ? "\n{\"name\":" : ",\n{\"name\":", flame->out);
        agent_write_json(flame->out, thread->name);
        fputs(",\"nodes\":[", flame->out);
        write_tree(flame, &thread->tree);
        fputs("]}", flame->out);
    }
    fputs("]", flame->out);
}

static void write_methods(Flame *flame)
{
    fputs(",\n\"methods\":[", flame->out);
    for (uint32_t i = 0; i < flame->methods_len; i++) {
        fputs(i == 0 ? "\n" : ",\n", flame->out);
        agent_write_json(flame->out, method_name(flame->methods[i]));
    }
    fputs("]", flame->out);
}

// The exact figures of the methods above, [self ns, calls] each, whatever the graph leaves out.
static void write_rows(Flame *flame)
{
    fputs(",\n\"rows\":[", flame->out);
    for (uint32_t i = 0; i < flame->methods_len; i++) {
        const MethodRow *row = recorder_row(flame->report->all, flame->methods[i]);
        fprintf(flame->out, "%s%llu,%llu", i == 0 ? "" : ",", (unsigned long long)row->self,
                (unsigned long long)row->calls);
    }
    fputs("]", flame->out);
}

typedef struct Package {
    const char *name;
    uint64_t self, calls;
} Package;

// The package of "a.b.Class.method(…)…" into `out`; "" if it has none.
static void package_of(const char *method, char *out, size_t size)
{
    size_t end = strcspn(method, "(");
    for (int dots = 0; end > 0; end--) {
        dots += method[end - 1] == '.';
        if (dots == 2) {
            break;
        }
    }
    size_t len = end > 0 ? end - 1 : 0;
    len = len < size ? len : size - 1;
    memcpy(out, method, len);
    out[len] = '\0';
}

static int compare_packages(const void *a, const void *b)
{
    const Package *x = a;
    const Package *y = b;
    if (x->self != y->self) {
        return x->self < y->self ? 1 : -1;
    }
    return strcmp(x->name, y->name);
}

// Sums the rows of all methods by package. Returns how many packages there are.
static uint32_t sum_packages(const Report *report, AgentStringMap *map, Package *packages)
{
    uint32_t len = 0;
    char name[512];
    for (uint32_t m = 0; m < methods_count(); m++) {
        const MethodRow *row = recorder_row(report->all, m);
        if (row == NULL || row->calls == 0) {
            continue;
        }
        const char *copy = NULL;
        package_of(method_name(m), name, sizeof name);
        uint32_t at = agent_stringmap_add(map, name, len, &copy);
        if (at == UINT32_MAX) {
            continue;
        }
        if (at == len) {
            packages[len++].name = copy;
        }
        assert(at < len);
        packages[at].self += row->self;
        packages[at].calls += row->calls;
    }
    return len;
}

static void write_packages(Flame *flame)
{
    enum { MOST_PACKAGES = 16 };
    AgentStringMap map = {0};
    Package *packages = agent_alloc((methods_count() + 1) * sizeof *packages);
    uint32_t len = packages != NULL ? sum_packages(flame->report, &map, packages) : 0;
    if (len > 0) {
        qsort(packages, len, sizeof *packages, compare_packages);
    }
    fputs(",\n\"packages\":[", flame->out);
    for (uint32_t i = 0; i < len && i < MOST_PACKAGES; i++) {
        fputs(i == 0 ? "\n[" : ",\n[", flame->out);
        agent_write_json(flame->out, packages[i].name);
        fprintf(flame->out, ",%llu,%llu]", (unsigned long long)packages[i].self,
                (unsigned long long)packages[i].calls);
    }
    fputs("]", flame->out);
    agent_stringmap_free(&map);
    free(packages);
}

static void write_notes(Flame *flame)
{
    const Report *report = flame->report;
    fputs(",\n\"notes\":[", flame->out);
    for (size_t i = 0; i < report->notes_len; i++) {
        agent_write_json(flame->out, report->notes[i]);
        putc(',', flame->out);
    }
    char n[32];
    char note[128];
    snprintf(
        note, sizeof note,
        "%s contexts with less than 0.01%% of the time and of the calls are joined as (other)",
        agent_format_count(flame->pruned, n));
    agent_write_json(flame->out, note);
    fputs("]", flame->out);
}

static void write_data(Flame *flame)
{
    const Report *report = flame->report;
    fputs("{\"title\":", flame->out);
    agent_write_json(flame->out, report->title);
    fputs(",\"vm\":", flame->out);
    agent_write_json(flame->out, report->vm);
    fprintf(flame->out, ",\"elapsed\":%llu,\"calls\":%llu,\"time\":%llu,\"seen\":%llu",
            (unsigned long long)report->elapsed, (unsigned long long)report->all->calls,
            (unsigned long long)report->time, (unsigned long long)report->threads_seen);
    write_threads(flame);
    write_methods(flame);
    write_rows(flame);
    write_packages(flame);
    write_notes(flame);
    fputs("}\n", flame->out);
}

// Writes the template up to `marker`; returns what follows it.
static const char *write_until(FILE *out, const char *text, const char *marker)
{
    const char *at = strstr(text, marker);
    if (at == NULL) {
        return text;
    }
    fwrite(text, 1, (size_t)(at - text), out);
    return at + strlen(marker);
}

void flame_write(FILE *out, const Report *report)
{
    uint32_t count = methods_count();
    Flame flame = {.out = out,
                   .report = report,
                   .numbers = agent_alloc((count + 1) * sizeof(uint32_t)),
                   .methods = agent_alloc((count + 1) * sizeof(uint32_t)),
                   .min_time = report->time / PRUNE + 1,
                   .min_calls = report->all->calls / PRUNE + 1};
    if (flame.numbers != NULL && flame.methods != NULL) {
        const char *rest = write_until(out, FLAME_TEMPLATE, "@@TITLE@@");
        agent_write_html(out, report->title);
        rest = write_until(out, rest, "@@DATA@@");
        write_data(&flame);
        fputs(rest, out);
    }
    free(flame.numbers);
    free(flame.methods);
}
