// SPDX-License-Identifier: Apache-2.0
// Snapshots of the heap (heaps.h).
//
// A Loading is shared by its thread and the loop: what both touch is atomic. The worker takes jobs under `lock` and gives them back
// in `answered`; a byte in the pipe wakes the loop.
#define _GNU_SOURCE
#include "heaps.h"

#include "query.h"

#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOOK_MS 100

// Names of the roots' threads and methods, by the ids that the walk has: made when the walk is over, then read by the worker.
typedef struct RootNames {
    Map threads, methods; // to index + 1 of texts
    ARRAY(const char *) texts;
} RootNames;

typedef struct Loading {
    struct Loading *next;
    Heaps *heaps;
    pthread_t thread;
    int fd;
    Order *order;  // shown
    uint64_t walk; // id of the agent's order; 0: a file
    uint32_t time;
    _Atomic(const char *) phase;
    _Atomic uint32_t permille;
    _Atomic uint64_t objects;
    _Atomic bool walking, cancelled, finished;
    _Atomic(RootNames *) names;
    HeapGraph *graph;
    HeapError error;
} Loading;

typedef struct Kept {
    HeapSnapshot snapshot;
    Loading *loading; // its context lives as long as the graph
} Kept;

struct Heaps {
    Session *session;
    Loading *loadings;
    ARRAY(Kept) kept;
    uint64_t next_id;
    struct event *look, *answer;
    pthread_t worker;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    HeapJob *jobs, *answered; // jobs: the first is next
    bool is_working, ends;
    int pipe[2];
    pthread_t loop; // the thread of the event loop
};
#define ASSERT_LOOP(h) assert(pthread_equal(pthread_self(), (h)->loop))

// ---- loading: in its own thread ----

static bool on_progress(void *context, const HeapProgress *p)
{
    Loading *l = context;
    assert(p->permille <= 1000 && p->permille >= atomic_load(&l->permille));
    atomic_store(&l->phase, p->phase);
    atomic_store(&l->permille, p->permille);
    atomic_store(&l->objects, p->objects);
    return !atomic_load(&l->cancelled);
}

static bool on_more(void *context)
{
    Loading *l = context;
    return atomic_load(&l->walking) && !atomic_load(&l->cancelled);
}

static const char *root_name(Loading *l, bool is_thread, uint64_t id)
{
    const RootNames *names = atomic_load(&l->names);
    uint32_t index = names ? map_get(is_thread ? &names->threads : &names->methods, id, 0) : 0;
    assert(index == 0 || index <= names->texts.count);
    return index ? names->texts.at[index - 1] : NULL;
}

static const char *thread_name(void *context, uint64_t id)
{
    return root_name(context, true, id);
}

static const char *method_name(void *context, uint64_t id)
{
    return root_name(context, false, id);
}

// The agent may not have begun to write when we begin to read: what a file is, its first bytes say.
static void await_first_bytes(Loading *l)
{
    struct stat st;
    while (on_more(l) && fstat(l->fd, &st) == 0 && st.st_size < (off_t)strlen(LENS_HEAP_MAGIC))
        poll(NULL, 0, 5);
}

static void *load(void *context)
{
    Loading *l = context;
    assert(!pthread_equal(pthread_self(), l->heaps->loop));
    await_first_bytes(l);
    HeapOptions options = {.progress = on_progress,
                           .more = l->walk ? on_more : NULL,
                           .thread_name = thread_name,
                           .method_name = method_name,
                           .context = l};
    l->graph = heap_load(l->fd, &options, &l->error);
    atomic_store(&l->finished, true);
    return NULL;
}

// ---- loading: the loop's side ----

static void add_name(RootNames *names, Map *map, uint64_t id, const char *text)
{
    *ARRAY_PUSH(&names->texts) = text; // texts of the model stay where they are
    *map_at(map, id) = names->texts.count;
}

static RootNames *copy_names(const Model *m)
{
    RootNames *names = mem_new(1, sizeof *names);
    for (uint32_t i = 1; i < m->threads.count; i++) {
        if (m->threads.at[i].wire != 0)
            add_name(names, &names->threads, m->threads.at[i].wire,
                     model_name(m, m->threads.at[i].name));
    }
    for (uint32_t i = 1; i < m->methods.count; i++) {
        if (m->methods.at[i].wire != 0)
            add_name(names, &names->methods, m->methods.at[i].wire,
                     model_name(m, m->methods.at[i].label));
    }
    return names;
}

static void free_loading(Loading *l)
{
    RootNames *names = atomic_load(&l->names);
    if (names != NULL) {
        map_free(&names->threads);
        map_free(&names->methods);
        free(names->texts.at);
        free(names);
    }
    free(l);
}

// What the agent says of its walk, on the order that is shown; the end of the walk.
static void follow_walk(Heaps *h, Loading *l)
{
    ASSERT_LOOP(h);
    Order *walk = l->walk ? session_find_order(h->session, l->walk) : NULL;
    if (l->order->stopping && !atomic_load(&l->cancelled)) {
        atomic_store(&l->cancelled, true);
        if (walk != NULL && !order_is_over(walk))
            session_stop_order(h->session, walk);
    }
    if (!atomic_load(&l->walking) || (walk != NULL && !order_is_over(walk)))
        return;
    for (uint32_t i = 0; walk != NULL && i < walk->values.count; i++)
        order_value(l->order, walk->values.at[i].name, walk->values.at[i].value);
    if (walk == NULL || walk->state == LENS_FAILED) {
        atomic_store(&l->cancelled, true);
        snprintf(l->error.text, sizeof l->error.text, "%s",
                 walk ? walk->text : "The connection to the program was lost.");
        order_set(h->session, l->order, LENS_FAILED, 0, 0, l->error.text);
    }
    atomic_store(&l->names, copy_names(h->session->model));
    atomic_store(&l->walking, false);
}

static void show_progress(Heaps *h, Loading *l)
{
    char text[160];
    const char *phase = atomic_load(&l->phase);
    snprintf(text, sizeof text, "%s: %s, %llu objects",
             atomic_load(&l->walking) ? "The program stands and is walked" : "Analysing",
             phase ? phase : "waiting", (unsigned long long)atomic_load(&l->objects));
    order_set(h->session, l->order, LENS_PROGRESS, atomic_load(&l->permille), 0, text);
}

static void keep_snapshot(Heaps *h, Loading *l)
{
    ASSERT_LOOP(h);
    assert(!order_is_over(l->order));
    char text[200], id[32];
    const HeapInfo *info = heap_info(l->graph);
    Kept *kept = ARRAY_PUSH(&h->kept);
    *kept = (Kept){.snapshot = {.id = ++h->next_id, .time = l->time, .graph = l->graph},
                   .loading = l};
    snprintf(id, sizeof id, "%llu", (unsigned long long)h->next_id);
    order_value(l->order, "snapshot", id);
    snprintf(text, sizeof text, "%llu objects, %.1f MB, analysed in %.1f s.%s%s",
             (unsigned long long)info->objects, (double)info->bytes / 1e6,
             (double)info->analysed_ns / 1e9, *info->lost ? " " : "", info->lost);
    order_set(h->session, l->order, LENS_DONE, 1000, 0, text);
}

static void finish_loading(Heaps *h, Loading *l)
{
    assert(atomic_load(&l->finished) && !atomic_load(&l->walking));
    pthread_join(l->thread, NULL);
    Order *order = l->order;
    if (l->graph != NULL && !order_is_over(order)) {
        keep_snapshot(h, l);
        return;
    }
    if (!order_is_over(order))
        order_set(h->session, order, LENS_FAILED, 0, 0,
                  l->error.cancelled ? "Stopped." : l->error.text);
    heap_free(l->graph);
    free_loading(l);
}

static void on_look(evutil_socket_t fd, short what, void *context)
{
    Heaps *h = context;
    (void)fd, (void)what;
    for (Loading **at = &h->loadings; *at != NULL;) {
        Loading *l = *at;
        follow_walk(h, l);
        if (atomic_load(&l->finished) && !atomic_load(&l->walking)) {
            *at = l->next;
            finish_loading(h, l);
        } else {
            if (!order_is_over(l->order))
                show_progress(h, l);
            at = &l->next;
        }
    }
    if (h->loadings == NULL)
        event_del(h->look);
}

static Order *begin(Heaps *h, int fd, const char *verb, uint64_t walk)
{
    ASSERT_LOOP(h);
    assert(fd >= 0);
    Loading *l = mem_new(1, sizeof *l);
    *l = (Loading){.next = h->loadings,
                   .heaps = h,
                   .fd = fd,
                   .walk = walk,
                   .time = session_now(h->session)};
    l->walking = walk != 0;
    l->order = session_local_order(h->session, verb);
    if (pthread_create(&l->thread, NULL, load, l) != 0) {
        close(fd);
        order_set(h->session, l->order, LENS_FAILED, 0, 0,
                  "No thread could be made to load it.");
        Order *order = l->order;
        free(l);
        return order;
    }
    h->loadings = l;
    event_add(h->look, &(struct timeval){0, LOOK_MS * 1000});
    return l->order;
}

// A file without a name in the recordings' folder, opened twice: the agent writes it while we read.
static bool open_walk_file(int *ours, int *theirs)
{
    char *folder = session_folder(), self[64];
    *theirs = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    free(folder);
    if (*theirs < 0)
        return false;
    snprintf(self, sizeof self, "/proc/self/fd/%d", *theirs);
    *ours = open(self, O_RDONLY | O_CLOEXEC);
    if (*ours < 0)
        close(*theirs);
    return *ours >= 0;
}

Order *heaps_walk(Heaps *h)
{
    int ours, theirs;
    if (h->session->link == NULL) {
        errno = ENOTCONN;
        return NULL;
    }
    if (!open_walk_file(&ours, &theirs))
        return NULL;
    LinkPair args[] = {{"confirm", "1"}, {"contents", "1"}};
    Order *walk = session_order(h->session, "heap", args, 2, theirs);
    walk->own = true;
    return begin(h, ours, "heap", walk->id);
}

Order *heaps_import(Heaps *h, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    return fd < 0 ? NULL : begin(h, fd, "import", 0);
}

const HeapSnapshot *heaps_at(const Heaps *h, uint32_t index)
{
    ASSERT_LOOP(h);
    return index < h->kept.count ? &h->kept.at[index].snapshot : NULL;
}

const HeapSnapshot *heaps_find(const Heaps *h, uint64_t id)
{
    ASSERT_LOOP(h);
    for (uint32_t i = 0; i < h->kept.count; i++) {
        if (h->kept.at[i].snapshot.id == id)
            return &h->kept.at[i].snapshot;
    }
    return NULL;
}

// ---- questions ----

static void run_job(HeapJob *job)
{
    assert(job->query->is_waiting && job->graph != NULL);
    HeapArena arena = {0};
    HeapError error = {0};
    if (!job->work(job, &arena, &error))
        query_fail(job->query, 409, "Take the snapshot again, or a smaller part of it.", "%s",
                   *error.text ? error.text : "There was not enough memory for the answer.");
    heap_arena_free(&arena);
}

static void *work(void *context)
{
    Heaps *h = context;
    pthread_mutex_lock(&h->lock);
    while (!h->ends) {
        HeapJob *job = h->jobs;
        if (job == NULL) {
            pthread_cond_wait(&h->wake, &h->lock);
            continue;
        }
        h->jobs = job->next;
        h->is_working = true;
        pthread_mutex_unlock(&h->lock);
        assert(!pthread_equal(pthread_self(), h->loop));
        run_job(job);
        pthread_mutex_lock(&h->lock);
        h->is_working = false;
        job->next = h->answered;
        h->answered = job;
        pthread_cond_broadcast(&h->wake);
        (void)!write(h->pipe[1], "", 1);
    }
    pthread_mutex_unlock(&h->lock);
    return NULL;
}

static void finish_jobs(HeapJob *job)
{
    while (job != NULL) {
        HeapJob *next = job->next;
        query_finish(job->query);
        free(job->class_name);
        free(job);
        job = next;
    }
}

static void take_answers(Heaps *h)
{
    ASSERT_LOOP(h);
    pthread_mutex_lock(&h->lock);
    HeapJob *answered = h->answered;
    h->answered = NULL;
    pthread_mutex_unlock(&h->lock);
    finish_jobs(answered);
}

static void on_answer(evutil_socket_t fd, short what, void *context)
{
    char bytes[64];
    (void)what;
    (void)!read(fd, bytes, sizeof bytes);
    take_answers(context);
}

void heaps_ask(Heaps *h, HeapJob *job)
{
    ASSERT_LOOP(h);
    assert(job->next == NULL && job->work != NULL);
    query_wait(job->query);
    pthread_mutex_lock(&h->lock);
    HeapJob **last = &h->jobs;
    while (*last != NULL)
        last = &(*last)->next;
    *last = job;
    pthread_cond_broadcast(&h->wake);
    pthread_mutex_unlock(&h->lock);
}

// ---- beginning and end ----

Heaps *heaps_new(Session *session)
{
    Heaps *h = mem_new(1, sizeof *h);
    h->session = session;
    h->loop = pthread_self();
    pthread_mutex_init(&h->lock, NULL);
    pthread_cond_init(&h->wake, NULL);
    if (pipe2(h->pipe, O_CLOEXEC | O_NONBLOCK) != 0
        || pthread_create(&h->worker, NULL, work, h) != 0) {
        perror("lens: no worker thread");
        exit(3);
    }
    h->look = event_new(session->base, -1, EV_PERSIST, on_look, h);
    h->answer = event_new(session->base, h->pipe[0], EV_READ | EV_PERSIST, on_answer, h);
    event_add(h->answer, NULL);
    return h;
}

static void end_jobs(Heaps *h)
{
    pthread_mutex_lock(&h->lock);
    HeapJob *jobs = h->jobs;
    h->jobs = NULL;
    while (h->is_working)
        pthread_cond_wait(&h->wake, &h->lock);
    pthread_mutex_unlock(&h->lock);
    for (HeapJob *job = jobs; job != NULL; job = job->next)
        query_fail(job->query, 409, "Reload the page.", "The snapshot is gone.");
    finish_jobs(jobs);
    take_answers(h);
}

void heaps_clear(Heaps *h)
{
    ASSERT_LOOP(h);
    end_jobs(h);
    for (Loading *l = h->loadings, *next; l != NULL; l = next) {
        next = l->next;
        atomic_store(&l->cancelled, true);
        pthread_join(l->thread, NULL);
        heap_free(l->graph);
        free_loading(l);
    }
    h->loadings = NULL;
    for (uint32_t i = 0; i < h->kept.count; i++) {
        heap_free(h->kept.at[i].snapshot.graph);
        free_loading(h->kept.at[i].loading);
    }
    h->kept.count = 0;
}

void heaps_free(Heaps *h)
{
    heaps_clear(h);
    pthread_mutex_lock(&h->lock);
    assert(h->jobs == NULL && h->answered == NULL && !h->is_working);
    h->ends = true;
    pthread_cond_broadcast(&h->wake);
    pthread_mutex_unlock(&h->lock);
    pthread_join(h->worker, NULL);
    event_free(h->look);
    event_free(h->answer);
    close(h->pipe[0]);
    close(h->pipe[1]);
    pthread_mutex_destroy(&h->lock);
    pthread_cond_destroy(&h->wake);
    free(h->kept.at);
    free(h);
}
