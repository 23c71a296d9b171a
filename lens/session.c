// SPDX-License-Identifier: Apache-2.0
// What is looked at (session.h): attaching, blocks into model and recording, the end of the program.
#define _GNU_SOURCE
#include "session.h"

#include "attach.h"
#include "heaps.h"
#include "symbols.h"

#include <dirent.h>
#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define WAIT_FOR_AGENT_MS 5000
#define WAIT_FOR_END_MS   500
#define KEPT_RECORDINGS   20

static void tell(Session *s, SessionChange change, const void *what)
{
    if (s->changed != NULL)
        s->changed(s->context, change, what);
}

Session *session_new(void)
{
    Session *s = mem_new(1, sizeof *s);
    s->base = event_base_new();
    s->next_order = 1;
    s->symbols = symbols_new();
    s->heaps = heaps_new(s);
    return s;
}

// Who waits for an answer of the program that is left gets one.
static void fail_waiting(Session *s)
{
    for (uint32_t i = 0; i < s->orders.count; i++) {
        Order *o = s->orders.at[i];
        if (!order_is_over(o) && o->finished != NULL)
            order_set(s, o, LENS_FAILED, 0, 0, "Another program or recording was chosen.");
    }
}

// Back to a session of nothing.
static void reset(Session *s)
{
    link_close(s->link);
    s->link = NULL;
    fail_waiting(s);
    heaps_clear(s->heaps);
    for (uint32_t i = 0; i < s->orders.count; i++)
        order_free(s->orders.at[i]);
    s->orders.count = 0;
    if (s->store != NULL)
        store_close(s->store);
    s->store = NULL;
    model_free(s->model);
    s->model = NULL;
    free(s->file);
    free(s->ended_why);
    free(s->crash);
    s->file = s->ended_why = s->crash = NULL;
    s->has_ended = false;
    s->mark = s->ended = 0;
    s->report = (StoreReport){0};
    s->mode = SESSION_NONE;
    assert(heaps_at(s->heaps, 0) == NULL); // nothing of the old program is left
}

void session_free(Session *s)
{
    if (s == NULL)
        return;
    reset(s);
    heaps_free(s->heaps);
    symbols_free(s->symbols);
    free(s->orders.at);
    for (uint32_t i = 0; i < s->sources.count; i++)
        free(s->sources.at[i]);
    free(s->sources.at);
    event_base_free(s->base);
    free(s);
}

// ---- the model's callbacks ----

static void answer_values(Order *o, const ModelAnswer *answer, const Model *m)
{
    for (uint32_t i = 0; i < answer->values.count; i++)
        order_value(o, model_name(m, answer->values.at[i].name),
                    model_name(m, answer->values.at[i].value));
}

static void on_answer(void *context, const ModelAnswer *answer)
{
    Session *s = context;
    Order *o = session_find_order(s, answer->order);
    if (o == NULL || order_is_over(o) || answer->state < LENS_ACCEPTED
        || answer->state > LENS_FAILED)
        return;
    answer_values(o, answer, s->model);
    order_set(s, o, o->once && answer->state == LENS_ACCEPTED ? LENS_DONE : answer->state,
              answer->permille > 1000 ? 1000 : answer->permille, answer->left_ms,
              model_name(s->model, answer->text));
}

static void on_metrics(void *context, uint32_t time)
{
    tell(context, CHANGED_METRICS, &time);
}

static void on_hit(void *context, const ModelHit *hit)
{
    tell(context, CHANGED_HIT, hit);
}

// A recording's modules are looked for where they were, perhaps on another machine: the build id says whether they are the same.
static const char *on_symbol(void *context, const char *path, const char *build_id,
                             uint64_t offset)
{
    Session *s = context;
    if (s->mode != SESSION_LIVE)
        return build_id[0] ? symbols_find(s->symbols, path, build_id, offset) : NULL;
    char *here = process_path(&s->jvm.process, path);
    const char *name = symbols_find(s->symbols, here, NULL, offset);
    free(here);
    return name;
}

static void new_model(Session *s, bool live)
{
    assert(s->model == NULL);
    s->number++;
    s->model = model_new();
    s->model->context = s;
    s->model->symbol = on_symbol;
    if (!live)
        return;
    s->model->on_answer = on_answer;
    s->model->on_metrics = on_metrics;
    s->model->on_hit = on_hit;
}

// ---- live ----

static void write_symbols(Session *s)
{
    Bytes *symbols = &s->model->new_symbols;
    if (symbols->length == 0)
        return;
    if (symbols->length <= LENS_MAX_PAYLOAD && s->store != NULL) {
        LensBlock block = wire_block((LensBlockType)LENS_SYMBOLS, clock_monotonic(),
                                     symbols->at, symbols->length);
        store_write(s->store, &block, symbols->at);
    }
    symbols->length = 0;
}

static void on_block(void *context, const LensBlock *block, const uint8_t *payload)
{
    Session *s = context;
    assert(s->mode == SESSION_LIVE);
    model_take(s->model, block, payload);
    if (s->store != NULL) {
        bool was_good = store_failed(s->store) == NULL;
        write_symbols(s); // before the frames that they name
        if (block->type != LENS_HEAP && block->type != LENS_PING)
            store_write(s->store, block, payload);
        if (was_good && store_failed(s->store) != NULL)
            tell(s, CHANGED_SESSION, NULL);
    }
    if (block->type == LENS_HELLO) {
        s->is_new_agent = false;
        tell(s, CHANGED_SESSION, NULL);
    }
}

// hs_err_pidN.log or pellucid_err_pidN.log that is younger than the program.
static char *find_crash_report(Session *s)
{
    static const char *const formats[] = {"%s/hs_err_pid%d.log", "%s/pellucid_err_pid%d.log"};
    const char *folders[] = {model_hello(s->model, "user.dir"), ".", "/tmp"};
    for (size_t i = 0; i < 6; i++) {
        char path[4096];
        struct stat st;
        if (*folders[i / 2] == 0)
            continue;
        snprintf(path, sizeof path, i % 2 ? formats[1] : formats[0], folders[i / 2],
                 s->jvm.process.inner_pid);
        if (stat(path, &st) == 0 && (uint64_t)st.st_mtime * 1000 >= s->jvm.process.started)
            return realpath(path, NULL);
    }
    return NULL;
}

// A process that dies closes its sockets some time before it is gone.
static bool still_runs(const Process *process)
{
    for (int waited = 0; waited < WAIT_FOR_END_MS && process_is(process); waited += 10)
        poll(NULL, 0, 10);
    return process_is(process);
}

static char *end_sentence(Session *s, const char *why)
{
    time_t now = time(NULL);
    struct tm tm;
    char clock[16];
    localtime_r(&now, &tm);
    strftime(clock, sizeof clock, "%H:%M:%S", &tm);
    const char *bye = model_name(s->model, s->model->said_bye);
    if (s->model->said_bye != 0 && strcmp(bye, "VMDeath") == 0)
        return mem_format("the program ended at %s", clock);
    if (s->model->said_bye != 0)
        return mem_format("the agent went away at %s: %s", clock, bye);
    if (why != NULL)
        return mem_format("the connection to the agent was closed at %s: %s", clock, why);
    if (still_runs(&s->jvm.process))
        return mem_format("the agent closed the connection at %s; the program still runs",
                          clock);
    return mem_format("the program ended without farewell at %s", clock);
}

static void fail_orders(Session *s)
{
    for (uint32_t i = 0; i < s->orders.count; i++) {
        Order *o = s->orders.at[i];
        if (!order_is_over(o) && !o->stop_local)
            order_set(s, o, o->finished || o->own ? LENS_FAILED : LENS_DONE, 0, 0,
                      s->ended_why);
    }
}

static void on_closed(void *context, const char *why)
{
    Session *s = context;
    assert(s->mode == SESSION_LIVE && !s->has_ended);
    s->link = NULL;
    s->has_ended = true;
    s->ended = model_tick(s->model, clock_monotonic());
    free(s->ended_why);
    s->ended_why = end_sentence(s, why);
    free(s->crash);
    s->crash = s->model->said_bye ? NULL : find_crash_report(s);
    fail_orders(s);
    tell(s, CHANGED_SESSION, NULL);
}

static void prune_recordings(const char *folder)
{
    struct dirent **entries;
    int n = scandir(folder, &entries, NULL, alphasort), lens = 0;
    for (int i = n - 1; i >= 0; i--) { // names begin with the date: the last are the newest
        bool is_ours = text_ends_with(entries[i]->d_name, ".lens")
                       && strncmp(entries[i]->d_name, "auto-", 5) == 0;
        if (is_ours && ++lens > KEPT_RECORDINGS) {
            char *path = mem_format("%s/%s", folder, entries[i]->d_name);
            unlink(path);
            free(path);
        }
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
}

char *session_folder(void)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char *above = cache && *cache == '/'
                      ? mem_text(cache, strlen(cache))
                      : mem_format("%s/.cache", home && *home ? home : "/tmp");
    char *folder = mem_format("%s/lens", above);
    mkdir(above, 0700);
    mkdir(folder, 0700);
    free(above);
    return folder;
}

bool session_is_kept(const char *path)
{
    char *folder = session_folder(), *real = realpath(path, NULL),
         *real_folder = realpath(folder, NULL);
    bool kept = real != NULL && real_folder != NULL && text_ends_with(real, ".lens")
                && strncmp(real, real_folder, strlen(real_folder)) == 0
                && real[strlen(real_folder)] == '/';
    free(folder);
    free(real);
    free(real_folder);
    return kept;
}

static char *default_recording(const Session *s)
{
    assert(s->jvm.process.pid > 0);
    char *folder = session_folder();
    time_t now = time(NULL);
    struct tm tm;
    char stamp[32];
    localtime_r(&now, &tm);
    strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &tm);
    prune_recordings(folder);
    char *path = mem_format("%s/auto-%s-%d.lens", folder, stamp, s->jvm.process.pid);
    free(folder);
    return path;
}

static char *connect_or_load(Session *s)
{
    assert(s->link == NULL);
    LinkEvents events = {on_block, on_closed, s};
    s->link = link_open(s->base, &s->jvm.process, &events);
    if (s->link != NULL)
        return NULL;
    char *library = attach_find_agent();
    if (library == NULL)
        return mem_format(
            "liblens.so was not found beside lens (../lib, agents); name it in LENS_AGENT");
    char *error = s->jvm.attachable ? attach_load(&s->jvm, library, "")
                                    : mem_text(s->jvm.why, strlen(s->jvm.why));
    free(library);
    for (int waited = 0; error == NULL && s->link == NULL && waited < WAIT_FOR_AGENT_MS;
         waited += 10) {
        s->link = link_open(s->base, &s->jvm.process, &events);
        if (s->link == NULL)
            poll(NULL, 0, 10);
    }
    if (error == NULL && s->link == NULL) {
        char *path = link_socket_path(&s->jvm.process);
        error = mem_format("the agent was loaded, but does not listen at %s (%s)", path,
                           strerror(errno));
        free(path);
    }
    return error;
}

char *session_attach(Session *s, pid_t pid, const char *record)
{
    Jvm jvm;
    if (!discover_one(pid, &jvm))
        return mem_format("cannot look into process %d: %s", pid, jvm.why);
    reset(s);
    s->jvm = jvm;
    new_model(s, true);
    s->mode = SESSION_LIVE;
    s->is_new_agent = true;
    char *error = connect_or_load(s);
    if (error != NULL) {
        reset(s);
        return error;
    }
    s->file = record ? mem_text(record, strlen(record)) : default_recording(s);
    s->store = store_create(s->file);
    if (s->store == NULL) {
        error = mem_format("cannot write the recording %s: %s", s->file, strerror(errno));
        reset(s);
    }
    return error;
}

char *session_wait_hello(Session *s)
{
    assert(s->mode == SESSION_LIVE);
    uint64_t until = clock_monotonic() + WAIT_FOR_AGENT_MS * 1000000ull;
    while (s->link != NULL && s->is_new_agent && clock_monotonic() < until) {
        event_base_loop(s->base, EVLOOP_ONCE | EVLOOP_NONBLOCK);
        if (s->is_new_agent)
            poll(NULL, 0, 2);
    }
    if (!s->is_new_agent)
        return NULL;
    char *error = s->link != NULL ? mem_format(
                      "the agent does not say anything: the program is stopped, or another "
                      "order ends (HotSpot takes breakpoints away one by one); try again")
                                  : mem_format("%s", s->ended_why);
    return error;
}

// ---- a recording ----

static bool take_recorded(void *context, const LensBlock *block, const uint8_t *payload)
{
    Session *s = context;
    model_take(s->model, block, payload);
    return true;
}

static void jvm_of_recording(Session *s)
{
    uint64_t pid = 0;
    s->jvm = (Jvm){0};
    text_number(model_hello(s->model, "pid"), &pid);
    s->jvm.process.pid = (pid_t)pid;
    text_copy(s->jvm.main, sizeof s->jvm.main, model_hello(s->model, "java.command"));
    s->jvm.main[strcspn(s->jvm.main, " ")] = 0;
    text_copy(s->jvm.vm, sizeof s->jvm.vm, model_hello(s->model, "vm.name"));
    text_copy(s->jvm.version, sizeof s->jvm.version, model_hello(s->model, "vm.version"));
    text_copy(s->jvm.user, sizeof s->jvm.user, model_hello(s->model, "user"));
    text_number(model_hello(s->model, "start.time"), &s->jvm.process.started);
}

// HPROF, a walk of the agent, or one of them as gzip.
static bool is_heap_file(const char *path)
{
    static const char *const begins[] = {"JAVA PROFILE ", LENS_HEAP_MAGIC, "\x1f\x8b"};
    char head[16] = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return false;
    ssize_t n = read(fd, head, sizeof head - 1);
    close(fd);
    for (size_t i = 0; n > 0 && i < sizeof begins / sizeof *begins; i++) {
        if (strncmp(head, begins[i], strlen(begins[i])) == 0)
            return true;
    }
    return false;
}

static char *open_heap(Session *s, const char *path)
{
    if (heaps_import(s->heaps, path) == NULL) {
        reset(s);
        return mem_format("cannot open %s: %s", path, strerror(errno));
    }
    const char *slash = strrchr(path, '/');
    s->mode = SESSION_FILE;
    s->file = mem_text(path, strlen(path));
    s->jvm = (Jvm){0};
    text_copy(s->jvm.main, sizeof s->jvm.main, slash ? slash + 1 : path);
    s->has_ended = true;
    s->ended_why = mem_format("this is a heap dump, no recording");
    return NULL;
}

char *session_open(Session *s, const char *path)
{
    reset(s);
    new_model(s, false);
    if (is_heap_file(path))
        return open_heap(s, path);
    const char *error = store_read_file(path, take_recorded, s, &s->report);
    if (error != NULL) {
        char *sentence = mem_format("cannot open %s: %s", path, error);
        reset(s);
        return sentence;
    }
    s->mode = SESSION_FILE;
    s->file = mem_text(path, strlen(path));
    jvm_of_recording(s);
    s->has_ended = true;
    s->ended = s->model->now;
    s->ended_why =
        s->model->said_bye ? mem_format("the program said farewell: %s",
                                        model_name(s->model, s->model->said_bye))
        : s->report.whole
            ? mem_format("the recording was closed while the program ran")
            : mem_format("the recording was cut off: it ends without farewell and index");
    return NULL;
}

uint32_t session_now(const Session *s)
{
    if (s->model == NULL)
        return 0;
    if (s->mode != SESSION_LIVE)
        return s->model->now;
    if (s->has_ended)
        return s->ended;
    uint32_t clock = s->model->origin ? model_tick(s->model, clock_monotonic()) : 0;
    return clock > s->model->now ? clock : s->model->now;
}
