// SPDX-License-Identifier: Apache-2.0
// The hot path: one call entered, one call left, on the thread's own recorder. A call costs a
// look at the caller's most recent child and at the one that came after it the last time (the
// index of the tree where it is neither), a row of the method, a reading of the clock. The
// recorder's clock stands still while the thread waits and while the agent does something slow
// (names a method, grows a table), so that neither counts as time of the program.
#include "calltrace.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_FRAMES = 256 };

RecordLimits record_limits = {.depth = 1024};

Recorder *recorder_new(JNIEnv *jni, char *name, uint64_t nodes)
{
    Recorder *r = agent_alloc(sizeof *r);
    if (r == NULL) {
        return NULL;
    }
    r->jni = jni;
    r->name = name;
    r->frames = agent_alloc(FIRST_FRAMES * sizeof *r->frames);
    r->frames_cap = FIRST_FRAMES;
    if (r->frames == NULL || !tree_init(&r->tree, nodes)) {
        recorder_free(r);
        return NULL;
    }
    return r;
}

static void *copy_memory(const void *from, size_t bytes)
{
    void *to = agent_alloc(bytes);
    if (to != NULL) {
        memcpy(to, from, bytes);
    }
    return to;
}

static bool copy_pages(Recorder *to, const Recorder *from)
{
    to->pages = agent_alloc((from->pages_len + 1) * sizeof *to->pages);
    bool ok = to->pages != NULL;
    to->pages_len = ok ? from->pages_len : 0;
    for (uint32_t i = 0; ok && i < from->pages_len; i++) {
        if (from->pages[i] != NULL) {
            to->pages[i] = copy_memory(from->pages[i], ROWS_PER_PAGE * sizeof **to->pages);
            ok = to->pages[i] != NULL;
        }
    }
    return ok;
}

Recorder *recorder_copy(const Recorder *r)
{
    Recorder *copy = copy_memory(r, sizeof *r);
    if (copy == NULL) {
        return NULL;
    }
    copy->name = strdup(r->name);
    copy->frames = r->frames != NULL
                       ? copy_memory(r->frames, (r->depth + 1) * sizeof *copy->frames)
                       : NULL;
    copy->tree.nodes = copy_memory(r->tree.nodes, r->tree.len * sizeof *r->tree.nodes);
    copy->tree.index = NULL;
    if (!copy_pages(copy, r) || copy->name == NULL || copy->tree.nodes == NULL
        || (copy->frames == NULL && r->frames != NULL)) {
        recorder_free(copy);
        return NULL;
    }
    return copy;
}

void recorder_clear(Recorder *r)
{
    for (uint32_t i = 0; i < r->pages_len; i++) {
        free(r->pages[i]);
    }
    free(r->pages);
    r->pages = NULL;
    r->pages_len = 0;
    free(r->frames);
    r->frames = NULL;
    tree_free(&r->tree);
}

void recorder_free(Recorder *r)
{
    if (r != NULL) {
        recorder_clear(r);
        free(r->name);
        free(r);
    }
}

static __attribute__((noinline)) MethodRow *add_row(Recorder *r, uint32_t method)
{
    assert(method < methods_count());
    uint32_t page = method / ROWS_PER_PAGE;
    if (page >= r->pages_len) {
        uint32_t len = page + 1 + page / 2;
        MethodRow **pages =
            agent_grow(r->pages, r->pages_len * sizeof *pages, len * sizeof *pages);
        if (pages == NULL) {
            return NULL;
        }
        r->pages = pages;
        r->pages_len = len;
    }
    r->pages[page] = agent_alloc(ROWS_PER_PAGE * sizeof *r->pages[page]);
    return r->pages[page] == NULL ? NULL : &r->pages[page][method % ROWS_PER_PAGE];
}

static inline MethodRow *row_of(Recorder *r, uint32_t method)
{
    uint32_t page = method / ROWS_PER_PAGE;
    if (LIKELY(page < r->pages_len && r->pages[page] != NULL)) {
        return &r->pages[page][method % ROWS_PER_PAGE];
    }
    return add_row(r, method);
}

MethodRow *recorder_row(Recorder *r, uint32_t method)
{
    return row_of(r, method);
}

// Makes room in a tree that is at its limit; the calls on the stack keep their contexts.
static bool prune(Recorder *r)
{
    bool *kept = agent_alloc(r->tree.len * sizeof *kept);
    if (kept == NULL) {
        return false;
    }
    for (uint32_t i = 0; i <= r->depth; i++) {
        assert(r->frames[i].node < r->tree.len);
        kept[r->frames[i].node] = true;
    }
    uint32_t *place = tree_prune(&r->tree, kept);
    for (uint32_t i = 0; place != NULL && i <= r->depth; i++) {
        r->frames[i].node = place[r->frames[i].node];
    }
    free(kept);
    free(place);
    return place != NULL;
}

// Gives the new frame its context where the caller's tree does not have it yet.
static __attribute__((noinline)) void add_context(Recorder *r, Frame *f, const Frame *caller)
{
    uint32_t node = 0;
    bool wanted = !caller->lost && r->depth < record_limits.depth && !r->tree.full;
    if (wanted && (!tree_is_at_limit(&r->tree) || prune(r))) {
        node = tree_add(&r->tree, caller->node, (uintptr_t)f->id, f->method);
    }
    f->lost = node == 0;
    f->node = node == 0 ? caller->node : node;
}

static __attribute__((noinline)) bool grow_frames(Recorder *r)
{
    Frame *frames = agent_grow(r->frames, r->frames_cap * sizeof *frames,
                               (size_t)r->frames_cap * 2 * sizeof *frames);
    if (frames == NULL) {
        r->broken = true;
        return false;
    }
    r->frames = frames;
    r->frames_cap *= 2;
    return true;
}

// Pushes a call whose context the tree does not have. False if the method is filtered out.
static __attribute__((noinline)) bool enter_new(Recorder *r, jvmtiEnv *jvmti, JNIEnv *jni,
                                                Frame *f)
{
    uint64_t began = agent_now();
    f->method = method_index(jvmti, jni, f->id);
    MethodRow *row = f->method != NO_METHOD ? row_of(r, f->method) : NULL;
    if (row != NULL) {
        row->waiting = method_is_waiting(f->method) && !record_limits.count_waiting;
        add_context(r, f, f - 1);
    }
    r->skipped += agent_now() - began;
    return row != NULL;
}

// The context of calling `id` from `caller`, as the tree has it; 0 if it does not.
static inline uint32_t find_context(Recorder *r, const Frame *caller, jmethodID id)
{
    assert(caller->node < r->tree.len);
    Node *nodes = r->tree.nodes;
    uint32_t last = nodes[caller->node].last;
    if (nodes[last].key == (uintptr_t)id) {
        return last;
    }
    uint32_t node = nodes[last].then;
    if (UNLIKELY(nodes[node].key != (uintptr_t)id)) {
        node = tree_find(&r->tree, caller->node, (uintptr_t)id);
        if (node == 0) {
            return 0;
        }
        nodes[last].then = last != 0 ? node : 0;
    }
    nodes[caller->node].last = node;
    return node;
}

void recorder_enter(Recorder *r, jvmtiEnv *jvmti, JNIEnv *jni, jmethodID id)
{
    assert(atomic_load_explicit(&r->busy, memory_order_relaxed)); // nobody copies it now
    if (UNLIKELY(r->depth + 1 >= r->frames_cap) && !grow_frames(r)) {
        return;
    }
    Frame *caller = &r->frames[r->depth];
    Frame *f = caller + 1;
    f->id = id;
    f->lost = false;
    f->node = caller->lost ? 0 : find_context(r, caller, id);
    if (UNLIKELY(f->node == 0)) {
        bool out = record_limits.filtering && method_index(jvmti, jni, id) == NO_METHOD;
        if (out || !enter_new(r, jvmti, jni, f)) {
            return;
        }
    }
    if (LIKELY(!f->lost)) {
        Node *node = &r->tree.nodes[f->node];
        f->method = node->method;
        node->calls++;
    } else {
        r->lost++;
    }
    MethodRow *row = row_of(r, f->method);
    row->calls++;
    row->active++;
    uint64_t calls = atomic_load_explicit(&r->calls, memory_order_relaxed);
    atomic_store_explicit(&r->calls, calls + 1, memory_order_relaxed);
    f->inside = 0;
    r->depth++;
    f->start = agent_now() - r->skipped;
}

// Ends the topmost call at time `now` of the recorder's clock.
static inline void pop(Recorder *r, uint64_t now, bool thrown)
{
    assert(r->depth > 0);
    Frame *f = &r->frames[r->depth--];
    uint64_t elapsed = now - f->start;
    MethodRow *row = row_of(r, f->method);
    assert(elapsed >= f->inside && row->active > 0);
    uint64_t self = elapsed - f->inside;
    row->self += self;
    row->thrown += thrown;
    if (--row->active == 0) {
        row->total += elapsed;
    }
    r->tree.nodes[f->node].self += self;
    f[-1].inside += elapsed;
}

// An exit that is not of the topmost call. Filtered methods and calls entered before recording
// began have no frame; frames above the right one are calls whose exits the VM did not report.
static __attribute__((noinline)) void exit_other(Recorder *r, jvmtiEnv *jvmti, JNIEnv *jni,
                                                 jmethodID id, uint64_t now, bool thrown)
{
    if (method_index(jvmti, jni, id) == NO_METHOD) {
        return;
    }
    uint32_t at = r->depth;
    while (at > 0 && r->frames[at].id != id) {
        at--;
    }
    if (at == 0) {
        r->unmatched++;
        return;
    }
    while (r->depth >= at) {
        pop(r, now, thrown);
    }
}

void recorder_exit(Recorder *r, jvmtiEnv *jvmti, JNIEnv *jni, jmethodID id, bool thrown)
{
    assert(atomic_load_explicit(&r->busy, memory_order_relaxed)); // nobody copies it now
    uint64_t now = agent_now() - r->skipped;
    Frame *f = &r->frames[r->depth];
    if (UNLIKELY(r->depth == 0 || f->id != id)) {
        exit_other(r, jvmti, jni, id, now, thrown);
        return;
    }
    if (UNLIKELY(row_of(r, f->method)->waiting)) {
        uint64_t end = f->start + f->inside; // what it called did not wait
        r->skipped += now - end;
        r->waited += now - end;
        now = end;
    }
    pop(r, now, thrown);
}

uint32_t recorder_finish(Recorder *r, uint64_t when)
{
    assert(r->frames != NULL);
    uint64_t now = when - r->skipped;
    uint32_t open = r->depth;
    const Frame *top = &r->frames[open];
    if (open > 0 && row_of(r, top->method)->waiting) {
        uint64_t end = top->start + top->inside;
        r->waited += now - end;
        now = end;
    }
    while (r->depth > 0) {
        pop(r, now, false);
    }
    return open;
}

bool recorder_add_rows(Recorder *to, const Recorder *from)
{
    to->calls += from->calls;
    to->waited += from->waited;
    to->unmatched += from->unmatched;
    to->lost += from->lost;
    to->tree.full |= from->tree.full;
    to->tree.dropped += from->tree.dropped;
    to->broken |= from->broken;
    for (uint32_t p = 0; p < from->pages_len; p++) {
        for (uint32_t i = 0; from->pages[p] != NULL && i < ROWS_PER_PAGE; i++) {
            const MethodRow *a = &from->pages[p][i];
            MethodRow *b = a->calls != 0 ? row_of(to, p * ROWS_PER_PAGE + i) : NULL;
            if (b != NULL) {
                b->calls += a->calls;
                b->self += a->self;
                b->total += a->total;
                b->thrown += a->thrown;
            } else if (a->calls != 0) {
                return false;
            }
        }
    }
    return true;
}
