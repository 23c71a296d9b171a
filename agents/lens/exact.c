// SPDX-License-Identifier: Apache-2.0
// The verb exact: every call of the chosen classes, counted and timed by entry and exit.
//
// Each thread has a tree of calls, made by itself: a node is a method called from its parent. What
// is not chosen has no node; its time belongs to the chosen method below it. The agent's thread
// reads the trees, which only grow, and tells sums by stack over all threads.
#include "agent.h"
#include "verbs.h"

#include <stdlib.h>
#include <string.h>

enum {
    TICK_MS = 500,
    CHUNK = 256,         // nodes
    NODES_MAX = 1 << 18, // of a thread
    DEPTH_MAX = LENS_DEPTH
};

typedef struct ExactNode {
    struct ExactNode *parent;
    uint32_t method; // its definition
    // Written by the tree's thread alone, read by the agent's.
    struct ExactNode *_Atomic first, *_Atomic next; // child, sibling
    _Atomic uint64_t calls, self, total;
    // The agent's thread's:
    uint32_t stack;
    uint64_t told_calls, told_self, told_total;
} ExactNode;

typedef struct ExactFrame {
    ExactNode *node; // NULL: beyond the limits
    jmethodID method;
    uint64_t begin, callees;
} ExactFrame;

typedef struct ExactTree {
    struct ExactTree *next;
    _Atomic bool has_ended;
    ExactNode root;
    uint32_t nodes, depth;
    uint64_t deeper; // entries at the greatest depth that have no frame
    struct ExactChunk {
        struct ExactChunk *next;
        ExactNode nodes[CHUNK];
    } * chunks;
    ExactFrame frames[DEPTH_MAX];
} ExactTree;

typedef struct ExactSum { // of all threads, for a stack
    uint32_t stack;       // 0: the row is free
    bool is_new;
    uint64_t calls, self, total;
} ExactSum;

typedef struct Exact {
    LensOrder *order;
    LensPatterns *include;
    AgentSharedMap methods; // jmethodID to TOLD(id of the definition); id 0: it is not chosen
    ExactTree *_Atomic trees;
    ExactSum *sums; // AGENT: a hash table with open rows
    size_t sums_len, sums_cap;
    bool has_begun; // the front knows
} Exact;

static Exact *_Atomic active;

// The map's values are pointers that are not NULL: a number and a bit.
#define TOLD(id)       ((void *)((uintptr_t)(id) << 1 | 1))
#define TOLD_ID(value) ((uint32_t)((uintptr_t)(value) >> 1))

// ---- methods ----

static uint32_t classify(Exact *e, JNIEnv *jni, jmethodID method)
{
    jclass class = NULL;
    uint32_t id = 0;
    if ((*lens.jvmti)->GetMethodDeclaringClass(lens.jvmti, method, &class) != JVMTI_ERROR_NONE)
        return 0;
    if (lens_patterns_match(e->include, lens_class_name(lens_class_id(jni, class))))
        id = lens_method_id(jni, method);
    (*jni)->DeleteLocalRef(jni, class);
    agent_sharedmap_put(&e->methods, method, TOLD(id));
    return id;
}

// The definition of a method that is chosen, else 0.
static uint32_t method_of(Exact *e, JNIEnv *jni, jmethodID method)
{
    void *told = agent_sharedmap_get(&e->methods, method);
    return LIKELY(told != NULL) ? TOLD_ID(told) : classify(e, jni, method);
}

// ---- trees ----

// The tree is of the order that made it: the slot is emptied when that ends.
static ExactTree *tree_of(Exact *e, JNIEnv *jni)
{
    LensThread *thread = lens_thread(jni, NULL);
    if (!thread)
        return NULL;
    ExactTree *tree = thread->slot[LENS_SLOT_EXACT];
    if (tree)
        return tree;
    tree = calloc(1, sizeof *tree);
    if (!tree)
        return NULL;
    thread->slot[LENS_SLOT_EXACT] = tree;
    tree->next = atomic_load_explicit(&e->trees, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&e->trees, &tree->next, tree,
                                                  memory_order_release, memory_order_relaxed))
        ;
    return tree;
}

static ExactNode *new_node(ExactTree *tree)
{
    unsigned in_chunk = tree->nodes % CHUNK;
    assert(tree->nodes <= NODES_MAX && (in_chunk == 0 || tree->chunks));
    if (tree->nodes == NODES_MAX)
        return NULL;
    if (in_chunk == 0) {
        struct ExactChunk *chunk = calloc(1, sizeof *chunk);
        if (!chunk)
            return NULL;
        chunk->next = tree->chunks;
        tree->chunks = chunk;
    }
    tree->nodes++;
    return &tree->chunks->nodes[in_chunk];
}

static ExactNode *child_of(ExactTree *tree, ExactNode *parent, uint32_t method)
{
    ExactNode *first = atomic_load_explicit(&parent->first, memory_order_relaxed);
    for (ExactNode *n = first; n; n = atomic_load_explicit(&n->next, memory_order_relaxed))
        if (n->method == method)
            return n;
    ExactNode *n = new_node(tree);
    if (!n)
        return NULL;
    n->parent = parent;
    n->method = method;
    atomic_store_explicit(&n->next, first, memory_order_relaxed);
    atomic_store_explicit(&parent->first, n, memory_order_release); // read by tell_tree
    return n;
}

// Only the tree's thread adds: no other writes.
static void add(_Atomic uint64_t *to, uint64_t value)
{
    atomic_store_explicit(to, atomic_load_explicit(to, memory_order_relaxed) + value,
                          memory_order_relaxed);
}

static void enter(ExactTree *tree, jmethodID method, uint32_t id)
{
    assert(id != 0 && tree->depth <= DEPTH_MAX);
    if (tree->depth == DEPTH_MAX) {
        tree->deeper++;
        return;
    }
    ExactNode *parent = tree->depth ? tree->frames[tree->depth - 1].node : &tree->root;
    ExactFrame *f = &tree->frames[tree->depth++];
    f->node = parent ? child_of(tree, parent, id) : NULL;
    f->method = method;
    f->callees = 0;
    f->begin = lens_now();
}

static void leave_top(ExactTree *tree, uint64_t now)
{
    assert(tree->depth > 0);
    ExactFrame *f = &tree->frames[--tree->depth];
    uint64_t total = now - f->begin;
    if (tree->depth)
        f[-1].callees += total;
    if (!f->node)
        return;
    add(&f->node->self, total > f->callees ? total - f->callees : 0);
    add(&f->node->total, total);
    add(&f->node->calls, 1);
}

// Frames above the one that is left were popped without an exit (PopFrame). What was entered before
// the order began has no frame; what was entered beyond the depth is left first.
static void leave(ExactTree *tree, jmethodID method)
{
    if (tree->deeper) {
        tree->deeper--;
        return;
    }
    uint32_t at = tree->depth;
    while (at && tree->frames[at - 1].method != method)
        at--;
    uint64_t now = lens_now();
    while (at && tree->depth >= at)
        leave_top(tree, now);
}

static void JNICALL on_enter(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jmethodID method)
{
    (void)jvmti, (void)thread;
    Exact *e = atomic_load_explicit(&active, memory_order_acquire);
    uint32_t id = e ? method_of(e, jni, method) : 0;
    ExactTree *tree = id ? tree_of(e, jni) : NULL;
    if (tree)
        enter(tree, method, id);
}

static void JNICALL on_leave(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jmethodID method,
                             jboolean popped, jvalue value)
{
    (void)jvmti, (void)thread, (void)popped, (void)value;
    Exact *e = atomic_load_explicit(&active, memory_order_acquire);
    ExactTree *tree = e && method_of(e, jni, method) ? tree_of(e, jni) : NULL;
    if (tree)
        leave(tree, method);
}

static void JNICALL on_thread_end(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
    (void)jvmti, (void)thread;
    Exact *e = atomic_load_explicit(&active, memory_order_acquire);
    LensThread *own = e ? lens_thread(jni, NULL) : NULL;
    ExactTree *tree = own ? own->slot[LENS_SLOT_EXACT] : NULL;
    if (!tree)
        return;
    own->slot[LENS_SLOT_EXACT] = NULL;
    atomic_store_explicit(&tree->has_ended, true, memory_order_release);
}

// ---- telling ----

static ExactSum *find_sum(Exact *e, uint32_t stack)
{
    assert(stack != 0);
    if ((e->sums_len + 1) * 2 > e->sums_cap) {
        ExactSum *old = e->sums;
        size_t old_cap = e->sums_cap, cap = old_cap ? old_cap * 2 : 1024;
        ExactSum *grown = calloc(cap, sizeof *grown);
        if (!grown)
            return NULL;
        e->sums = grown;
        e->sums_cap = cap;
        for (size_t i = 0; i < old_cap; i++)
            if (old[i].stack)
                *find_sum(e, old[i].stack) = old[i];
        free(old);
    }
    size_t row = (size_t)agent_mix(stack) & (e->sums_cap - 1);
    while (e->sums[row].stack && e->sums[row].stack != stack)
        row = (row + 1) & (e->sums_cap - 1);
    return &e->sums[row];
}

static void add_node(Exact *e, ExactNode *n)
{
    uint64_t calls = atomic_load_explicit(&n->calls, memory_order_relaxed);
    assert(calls >= n->told_calls);
    if (calls == n->told_calls)
        return;
    if (!n->stack)
        n->stack = lens_stack_java(n->parent->stack, n->method, -2);
    ExactSum *sum = n->stack ? find_sum(e, n->stack) : NULL;
    if (!sum)
        return;
    e->sums_len += !sum->stack;
    sum->stack = n->stack;
    uint64_t self = atomic_load_explicit(&n->self, memory_order_relaxed);
    uint64_t total = atomic_load_explicit(&n->total, memory_order_relaxed);
    sum->calls += calls - n->told_calls;
    sum->self += self - n->told_self;
    sum->total += total - n->told_total;
    sum->is_new = true;
    n->told_calls = calls;
    n->told_self = self;
    n->told_total = total;
}

// A caller that has not returned yet has no calls, but its stack is that of its callees.
static void give_stack(ExactNode *n)
{
    if (!n->stack && n->parent)
        n->stack = lens_stack_java(n->parent->stack, n->method, -2);
}

// All nodes, callers first, without recursion: depth is as the program's.
static void add_tree(Exact *e, ExactTree *tree)
{
    ExactNode *n = atomic_load_explicit(&tree->root.first, memory_order_acquire);
    while (n) {
        give_stack(n);
        add_node(e, n);
        ExactNode *down = atomic_load_explicit(&n->first, memory_order_acquire);
        if (down) {
            n = down;
            continue;
        }
        while (n && n != &tree->root && !atomic_load_explicit(&n->next, memory_order_acquire))
            n = n->parent;
        n = n && n != &tree->root ? atomic_load_explicit(&n->next, memory_order_acquire) : NULL;
    }
}

static bool tell_sum(const Exact *e, const ExactSum *s)
{
    LensRecord record;
    lens_record_begin(&record, LENS_EXACT, e->order);
    lens_put_id(&record, LENS_DEF_STACK, s->stack);
    lens_put_u(&record, s->calls);
    lens_put_u(&record, s->self);
    lens_put_u(&record, s->total);
    return lens_record_end(&record);
}

// What was told before is out first: the thread may be on another processor now, whose ring is not behind that one.
static void tell_sums(Exact *e, JNIEnv *jni)
{
    if (!e->has_begun)
        e->has_begun = tell_sum(e, &(ExactSum){0});
    lens_drain(jni);
    for (size_t i = 0; e->has_begun && i < e->sums_cap; i++)
        if (e->sums[i].is_new)
            e->sums[i].is_new = !tell_sum(e, &e->sums[i]);
}

static void free_tree(ExactTree *tree)
{
    for (struct ExactChunk *c = tree->chunks, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    free(tree);
}

// Those of ended threads go once they are summed up; the newest stays, as others are pushed on it.
static void free_ended(ExactTree *newest)
{
    for (ExactTree **at = &newest->next; *at;) {
        ExactTree *tree = *at;
        if (atomic_load_explicit(&tree->has_ended, memory_order_acquire) && tree->nodes == 0) {
            *at = tree->next;
            free_tree(tree);
        } else {
            at = &tree->next;
        }
    }
}

static void release_nodes(ExactTree *tree)
{
    assert(atomic_load(&tree->has_ended));
    for (struct ExactChunk *c = tree->chunks, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    tree->chunks = NULL;
    tree->nodes = 0;
    atomic_store_explicit(&tree->root.first, NULL, memory_order_relaxed);
}

static void tell(Exact *e, JNIEnv *jni)
{
    ASSERT_AGENT_THREAD();
    ExactTree *newest = atomic_load_explicit(&e->trees, memory_order_acquire);
    for (ExactTree *tree = newest; tree; tree = tree->next) {
        bool has_ended = atomic_load_explicit(&tree->has_ended, memory_order_acquire);
        add_tree(e, tree);
        if (has_ended) // all that it counted is in the sums
            release_nodes(tree);
    }
    if (newest)
        free_ended(newest);
    tell_sums(e, jni);
}

static void tick(LensOrder *order, JNIEnv *jni, uint64_t now)
{
    (void)now;
    tell(order->data, jni);
}

// ---- the order ----

static bool want_events(bool on)
{
    static const jvmtiEvent events[] = {JVMTI_EVENT_METHOD_ENTRY, JVMTI_EVENT_METHOD_EXIT,
                                        JVMTI_EVENT_THREAD_END};
    bool ok = true;
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        ok &= lens_want_event(events[i], on);
    return ok;
}

static void forget_tree(LensThread *thread, void *data)
{
    (void)data;
    thread->slot[LENS_SLOT_EXACT] = NULL;
}

static void exact_free(Exact *e)
{
    ExactTree *tree = atomic_load_explicit(&e->trees, memory_order_relaxed);
    while (tree) {
        ExactTree *next = tree->next;
        free_tree(tree);
        tree = next;
    }
    agent_sharedmap_free(&e->methods);
    if (e->include)
        lens_patterns_free(e->include);
    free(e->sums);
    free(e);
}

static void stop(LensOrder *order, JNIEnv *jni)
{
    Exact *e = order->data;
    assert(atomic_load_explicit(&active, memory_order_relaxed) == e);
    atomic_store_explicit(&active, NULL, memory_order_release);
    want_events(false);
    bool is_quiet = lens_wait_for_listeners();
    tell(e, jni);
    if (!is_quiet) // a listener is in it, and it stays
        return;
    lens_threads_each(forget_tree, NULL);
    exact_free(e);
}

static LensStarted start(LensOrder *order, JNIEnv *jni)
{
    static const jvmtiCapabilities wanted = {.can_generate_method_entry_events = 1,
                                             .can_generate_method_exit_events = 1};
    const char *include = lens_arg(order, "include", "");
    (void)jni;
    if (!*include) {
        lens_fail(order, "Say which packages: include=com.acme.*");
        return LENS_OVER;
    }
    if (atomic_load_explicit(&active, memory_order_relaxed)) {
        lens_fail(order, "Calls are timed exactly already: stop that first.");
        return LENS_OVER;
    }
    if (!lens_need(order, &wanted, "Timing each call"))
        return LENS_OVER;
    Exact *e = calloc(1, sizeof *e);
    if (e) {
        e->order = order;
        e->include = lens_patterns_new(include);
    }
    if (!e || !e->include || !agent_sharedmap_init(&e->methods, 16)) {
        lens_fail(order, "There is no memory left.");
        if (e)
            exact_free(e);
        return LENS_OVER;
    }
    order->data = e;
    order->every = TICK_MS * 1000000ull;
    atomic_store_explicit(&active, e, memory_order_release);
    if (!want_events(true)) {
        lens_fail(order, "The VM refuses events of calls.");
        stop(order, jni);
        return LENS_OVER;
    }
    return LENS_RUNS;
}

void lens_part_exact(void)
{
    LENS_LISTEN(JVMTI_EVENT_METHOD_ENTRY, on_enter);
    LENS_LISTEN(JVMTI_EVENT_METHOD_EXIT, on_leave);
    LENS_LISTEN(JVMTI_EVENT_THREAD_END, on_thread_end);
}

const LensVerb lens_verb_exact = {"exact", start, stop, tick, 0};
