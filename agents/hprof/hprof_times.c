// SPDX-License-Identifier: Apache-2.0
// Count and CPU time of calls (cpu=times, cpu=old). Each thread counts in a graph of its own, and
// takes the lock for what it meets the first time only. A node is a trace that the thread was in;
// its callees lead to the traces one call further. Reports add up what the threads have.
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "hprof/hprof.h"

enum { NANOS_PER_MS = 1000 * 1000, NANOS_PER_S = 1000 * NANOS_PER_MS, GAP_NANOS = 20 * 1000 };

enum { CALLS, SELF, TOTAL, COUNTERS }; // SELF, TOTAL: ns, without and with callees
typedef struct Node {
    Trace *trace;
    Map callees;                         // jmethodID -> Node
    _Atomic uint64_t counters[COUNTERS]; // written by the thread alone
    uint64_t told[COUNTERS];             // what of them is in the trace. The lock
    struct Node *next;
} Node;

typedef struct Call {
    jmethodID method;
    Node *node;
    uint64_t began, inside; // ns of CPU; inside: of callees
} Call;

struct CallGraph {
    const ThreadName *thread;
    Call *calls; // that have not returned, the youngest last
    int count, max;
    Node *root;         // of no frames
    Node *all;          // the lock
    Map nodes;          // Trace -> Node
    uint64_t wall, cpu; // when the clocks were read last
};
static _Thread_local CallGraph *own;

// ---- graphs ----
static Node *node_of(CallGraph *g, Trace *trace)
{
    ASSERT_LOCKED();
    Node *n = map_get(&g->nodes, (uintptr_t)trace);
    if (n)
        return n;
    n = must_alloc(sizeof *n);
    n->trace = trace;
    n->next = g->all;
    g->all = n;
    map_put(&g->nodes, (uintptr_t)trace, n, 0);
    return n;
}

static Node *callee_new(CallGraph *g, Node *caller, jmethodID method)
{
    TraceFrame frames[DEPTH_MAX];
    // The old format has a callee and its caller.
    int depth = hprof.options.cpu == CPU_OLD ? 2 : hprof.options.depth, count = 0;
    hprof_enter();
    if (depth > 0)
        frames[count++] = (TraceFrame){method_find(method), -1};
    for (int i = 0; i < caller->trace->count && count < depth; i++)
        frames[count++] = caller->trace->frames[i];
    Node *n = node_of(g, trace_of_frames(frames, count, g->thread));
    map_put(&caller->callees, (uintptr_t)method, n, 0);
    hprof_exit();
    return n;
}

// NULL: the thread has not begun or has ended.
static CallGraph *graph_begin(JNIEnv *env)
{
    hprof_enter();
    ThreadName *t = thread_find(env);
    if (t && !t->graph) {
        t->graph = must_alloc(sizeof *t->graph);
        t->graph->thread = t;
        t->graph->root = node_of(t->graph, trace_of_frames(NULL, 0, t));
    }
    own = t ? t->graph : NULL;
    hprof_exit();
    return own;
}

static void add_up(CallGraph *g)
{
    for (Node *n = g->all; n; n = n->next) {
        uint64_t *const sums[] = {&n->trace->calls, &n->trace->nanos, &n->trace->total_nanos};
        for (int i = 0; i < COUNTERS; i++) {
            uint64_t now = atomic_load_explicit(&n->counters[i], memory_order_relaxed);
            *sums[i] += now - n->told[i];
            n->told[i] = now;
        }
    }
}

void times_add_up(void)
{
    ASSERT_LOCKED();
    for (ThreadName *t = all_threads; t; t = t->next)
        if (t->graph)
            add_up(t->graph);
}

void times_end(ThreadName *t)
{
    ASSERT_LOCKED();
    CallGraph *g = t->graph;
    if (!g)
        return;
    add_up(g);
    for (Node *n = g->all, *next; n; n = next) {
        next = n->next;
        free(n->callees.entries);
        free(n);
    }
    free(g->nodes.entries);
    free(g->calls);
    free(g);
    if (own == g)
        own = NULL;
    t->graph = NULL;
}

// ---- calls ----
// The thread's CPU time. To ask the system takes longer than most calls do: between two events
// that are close to each other the thread ran all the time.
static uint64_t cpu_now(CallGraph *g)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t wall = (uint64_t)now.tv_sec * NANOS_PER_S + (uint64_t)now.tv_nsec;
    uint64_t passed = wall - g->wall;
    g->wall = wall;
    if (passed < GAP_NANOS)
        return g->cpu += passed;
    uint64_t asked = (uint64_t)hprof.vm->GetCurrentThreadCpuTime();
    if (asked > g->cpu)
        g->cpu = asked;
    return g->cpu;
}

static void grow(CallGraph *g)
{
    g->max = g->max ? g->max * 2 : 64;
    Call *grown = must_alloc((size_t)g->max * sizeof *grown);
    for (int i = 0; i < g->count; i++)
        grown[i] = g->calls[i];
    free(g->calls);
    g->calls = grown;
}

void times_enter(JNIEnv *env, jmethodID method)
{
    ASSERT_NOT_LOCKED();
    CallGraph *g = own ? own : graph_begin(env);
    if (!g)
        return;
    if (g->count == g->max)
        grow(g);
    Node *caller = g->count ? g->calls[g->count - 1].node : g->root;
    Node *n = map_get(&caller->callees, (uintptr_t)method);
    if (!n)
        n = callee_new(g, caller, method);
    g->calls[g->count++] = (Call){method, n, cpu_now(g), 0};
}

static void count(Node *n, int counter, uint64_t more)
{
    uint64_t sum = atomic_load_explicit(&n->counters[counter], memory_order_relaxed) + more;
    atomic_store_explicit(&n->counters[counter], sum, memory_order_relaxed);
}

// The call that ends is on top of the stack, but for those that began before the thread was known.
void times_leave(JNIEnv *env, jmethodID method)
{
    ASSERT_NOT_LOCKED();
    CallGraph *g = own ? own : graph_begin(env);
    while (g && g->count > 0 && g->calls[g->count - 1].method != method)
        g->count--;
    if (!g || g->count == 0)
        return;
    const Call *call = &g->calls[--g->count];
    uint64_t total = cpu_now(g) - call->began;
    assert(g->cpu >= call->began);
    count(call->node, CALLS, 1);
    count(call->node, SELF, total - (call->inside < total ? call->inside : total));
    count(call->node, TOTAL, total);
    if (g->count > 0)
        g->calls[g->count - 1].inside += total;
}

// ---- the old format ----
static void print_method_full(const MethodName *m)
{
    if (m)
        print("%s.%s%s ", m->cls->name, m->name, m->signature);
    else
        print("<unknown caller> ");
}

void times_print_old(void)
{
    print("count callee caller time\n");
    for (uint32_t i = 0; i < trace_count; i++) {
        const Trace *t = all_traces[i];
        if (!t->calls)
            continue;
        print("%llu ", (unsigned long long)t->calls);
        print_method_full(t->frames[0].method);
        print_method_full(t->count > 1 ? t->frames[1].method : NULL);
        print("%llu\n", (unsigned long long)(t->total_nanos / NANOS_PER_MS));
    }
}
