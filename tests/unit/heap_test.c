// SPDX-License-Identifier: Apache-2.0
// src/heap under a world of one thread whose roots are an array. The heap is one for a process,
// so each scenario runs in a child. Everything is deterministic. With "-- bench" the speed of
// both collections is printed.
// @timeout 180
#include <sys/wait.h>
#include <unistd.h>

#include "heap/heap.h"
#include "platform/platform.h"
#include "vmtest.h"

enum {
    ROOTS = 64,
    MIRROR_FIELD = 16,
    REFERENT = 12,
    DISCOVERED = 16,
    NEXT = 20,
    STAMP = 24,
    CLOCK = 32
};
#ifdef PELLUCID_GC_STRESS
enum { COLLECTS_ANYTIME = 1 };
#else
enum {
    COLLECTS_ANYTIME = 0
}; // a collection between two allocations breaks what some scenarios count on
#endif
static struct {
    Mutator mutator;
    Object *roots[ROOTS];
} thread;
static Thread *const self = (Thread *)(void *)&thread;

// ---- world ----

static int stops, pended_calls, before_calls, after_calls, last_full;

static void world_stop(Thread *t)
{
    EXPECT(t == self);
    EXPECT_INT(0, stops++);
}

static void world_resume(Thread *t)
{
    EXPECT(t == self);
    EXPECT_INT(0, --stops);
}

static void world_each_mutator(void (*visit)(void *ctx, Mutator *m), void *ctx)
{
    visit(ctx, &thread.mutator);
}

static void world_visit_roots(RefVisitor visit, void *ctx)
{
    for (int i = 0; i < ROOTS; i++) {
        if (thread.roots[i])
            visit(ctx, &thread.roots[i]);
    }
}

static void world_pended(void)
{
    pended_calls++;
}

static void world_before(bool full)
{
    (void)full;
    before_calls++;
}

static void world_after(bool full)
{
    after_calls++;
    last_full = full;
}

static Placement placement; // of the scenario that runs

// ---- classes ----

static Layout *small_class, *wide_class, *refs_class, *ints_class, *bytes_class, *mirror_class;
static Layout *soft_class, *weak_class, *final_class, *phantom_class;
static const RefSpan small_spans[] = {{16, 3}};
static const RefSpan wide_spans[] = {{16, 2}, {32, 1}};
static const RefSpan mirror_spans[] = {{12, 1}};
static const RefSpan static_spans[] = {{40, 2}, {56, 1}};
static const RefSpan reference_spans[] = {{NEXT, 1}};

static Layout *class_new(Layout l)
{
    Layout *p = class_space_alloc(sizeof l);
    VM_CHECK(p);
    *p = l;
    return p;
}

static Layout *reference_class(ReferenceKind kind)
{
    return class_new((Layout){.shape = SHAPE_REFERENCE,
                              .reference_kind = (uint8_t)kind,
                              .instance_size = 32,
                              .span_count = 1,
                              .spans = reference_spans});
}

static void classes_init(void)
{
    VM_CHECK(class_space_init(1 << 30, placement));
    small_class = class_new((Layout){.shape = SHAPE_INSTANCE,
                                     .instance_size = 32,
                                     .span_count = 1,
                                     .spans = small_spans,
                                     .mirror_size = 64,
                                     .static_span_count = 2,
                                     .static_spans = static_spans});
    wide_class = class_new((Layout){
        .shape = SHAPE_INSTANCE, .instance_size = 48, .span_count = 2, .spans = wide_spans});
    refs_class = class_new((Layout){.shape = SHAPE_REF_ARRAY, .elem_shift = 2});
    ints_class = class_new((Layout){.shape = SHAPE_PRIM_ARRAY, .elem_shift = 2});
    bytes_class = class_new((Layout){.shape = SHAPE_PRIM_ARRAY});
    mirror_class = class_new((Layout){
        .shape = SHAPE_MIRROR, .instance_size = 40, .span_count = 1, .spans = mirror_spans});
    soft_class = reference_class(REFERENCE_SOFT);
    weak_class = reference_class(REFERENCE_WEAK);
    final_class = reference_class(REFERENCE_FINAL);
    phantom_class = reference_class(REFERENCE_PHANTOM);
    mirror_layout_offset = MIRROR_FIELD;
}

static jobject clock_handle;

// The stress build collects at every n-th allocation of the scenario, which calls this first. Without, it does at each,
// which scenarios of many allocations cannot afford.
static void stress_each(int n)
{
    char text[16];
    snprintf(text, sizeof text, "%d", n);
    VM_CHECK(setenv("PELLUCID_GC_STRESS", text, true) == 0);
}

static void world_start(size_t initial_kb, size_t max_kb, size_t young_kb, bool stress)
{
    static const HeapWorld world = {.stop = world_stop,
                                    .resume = world_resume,
                                    .each_mutator = world_each_mutator,
                                    .visit_roots = world_visit_roots,
                                    .references_pended = world_pended,
                                    .before = world_before,
                                    .after = world_after};
    HeapOptions o = {.initial = initial_kb << 10,
                     .max = max_kb << 10,
                     .young = young_kb << 10,
                     .stress = stress,
                     .soft_ms_per_mb = 1000,
                     .placement = placement};
    char error[200];
    VM_CHECK(heap_init(&o, error, sizeof error));
    classes_init();
    handle_stack_init(&thread.mutator.handles);
    heap_set_world(&world);
    Object *mirror = heap_alloc(self, mirror_class, 40);
    VM_CHECK(mirror);
    clock_handle = global_new(mirror);
    ReferenceOffsets offsets = {REFERENT, DISCOVERED, NEXT, STAMP, handle_slot(clock_handle),
                                CLOCK - 8};
    heap_set_reference_offsets(&offsets);
}

static void in_child_placed(void (*scenario)(void), Placement p)
{
    placement = p;
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        scenario();
        fflush(stdout);
        _exit(test_failures > 0 ? 1 : 0);
    }
    int status = 0;
    EXPECT(waitpid(pid, &status, 0) == pid);
    EXPECT_MSG(WIFEXITED(status) && WEXITSTATUS(status) == 0, "child status %x", status);
}
// Each scenario runs with a heap of base 0, where the system has room for one, and with one that has a base.
static void in_child(void (*scenario)(void))
{
    in_child_placed(scenario, PLACEMENT_LOW);
    in_child_placed(scenario, PLACEMENT_FAR);
}
#define CHILD_TEST(id)            \
    static void child_##id(void); \
    TEST(id)                      \
    {                             \
        in_child(child_##id);     \
    }                             \
    static void child_##id(void)

static uint32_t seed = 12345;
static uint32_t rnd(uint32_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return (uint32_t)(((uint64_t)seed * n) >> 32);
}

static Object *make_small(int32_t id)
{
    Object *o = heap_alloc(self, small_class, 32);
    VM_CHECK(o);
    object_set_int(o, 12, id);
    return o;
}

static bool object_is_zero(const Object *o, size_t from, size_t size);

static void count_small(void *ctx, Object *o)
{
    *(int *)ctx += object_layout(o) == small_class;
}

// More objects than eden has room for are made without a collection, and are there, those that are held also after some.
CHILD_TEST(objects_are_made_while_nothing_moves)
{
    enum { OBJECTS = 20000, HELD_EACH = 500 };
    stress_each(1000000);
    world_start(2048, 2048, 512, false);
    HeapStats before, after;
    jobject held[OBJECTS / HELD_EACH];
    int there = 0;
    make_small(0); // a buffer is in use
    heap_stats(&before);
    for (int i = 0; i < OBJECTS; i++) {
        Object *o = heap_alloc_still(&thread.mutator, small_class);
        EXPECT(object_is_zero(o, 12, 32) && object_layout(o) == small_class);
        object_set_int(o, 12, i);
        if (i % HELD_EACH == 0)
            held[i / HELD_EACH] = handle_new(self, o);
    }
    heap_stats(&after);
    EXPECT(after.young_count == before.young_count && after.full_count == before.full_count);
    EXPECT((int64_t)(after.used - before.used) >= OBJECTS * 32);
    heap_each_object(count_small, &there);
    EXPECT_INT(OBJECTS + 1, there);
    heap_collect(self, GC_SYSTEM_GC, false);
    heap_collect(self, GC_SYSTEM_GC, true);
    for (int i = 0; i < OBJECTS / HELD_EACH; i++)
        EXPECT_INT(i * HELD_EACH, object_get_int(deref(held[i]), 12));
}

// To the last place: in survivors' space, too, which was fuller once, with objects that had hashes.
CHILD_TEST(objects_are_made_while_all_is_full)
{
    enum { SURVIVORS = 1500 };
    stress_each(1000000);
    world_start(2048, 2048, 512, false);
    {
        HANDLE_SCOPE(self);
        for (int i = 0; i < SURVIVORS; i++)
            (void)object_identity_hash(deref(handle_new(self, make_small(i))));
        heap_collect(self, GC_SYSTEM_GC, false);
    }
    heap_collect(self, GC_SYSTEM_GC, false);
    heap_collect(self, GC_SYSTEM_GC, false);
    int made = 0, there = 0;
    for (; heap_room_still() > 0; made++) {
        Object *o = heap_alloc_still(&thread.mutator, small_class);
        EXPECT(object_is_zero(o, 0, 8) && object_is_zero(o, 12, 32)
               && object_layout(o) == small_class);
    }
    EXPECT(made > 1000);
    heap_each_object(count_small, &there);
    EXPECT(there >= made);
    heap_collect(self, GC_SYSTEM_GC, true);
}

// ---- random graphs against a shadow ----

typedef enum Kind { KIND_SMALL, KIND_WIDE, KIND_MIRROR, KIND_REFS, KIND_INTS } Kind;
typedef struct Node {
    Kind kind;
    int32_t id, count; // references, or ints
    uint32_t hash;     // 0: not asked yet
    struct Node **refs;
    Object *at;
    int seen;
} Node;
static Node *node_roots[ROOTS];
static int32_t node_count;
static int pass;
static long bad;

static size_t slot_offset(const Node *n, int32_t i)
{
    static const uint8_t wide[] = {16, 20, 32}, mirror[] = {12, 40, 44, 56};
    switch (n->kind) {
    case KIND_SMALL: return 16 + (size_t)i * 4;
    case KIND_WIDE: return wide[i];
    case KIND_MIRROR: return mirror[i];
    default: return ARRAY_BASE + (size_t)i * 4;
    }
}

static Layout *kind_class(Kind kind)
{
    Layout *classes[] = {small_class, wide_class, mirror_class, refs_class, ints_class};
    return classes[kind];
}

static int32_t kind_count(Kind kind)
{
    if (kind == KIND_REFS || kind == KIND_INTS)
        return (int32_t)rnd(rnd(100) == 0 ? 3000 : 12);
    return kind == KIND_MIRROR ? 4 : 3;
}

static void object_fill(Object *o, const Node *n)
{
    switch (n->kind) {
    case KIND_SMALL: object_set_int(o, 12, n->id); break;
    case KIND_WIDE:
        object_set_int(o, 12, n->id);
        object_set_long(o, 24, n->id * 77ll);
        object_set_long(o, 40, ~0ll);
        break;
    case KIND_MIRROR:
        memcpy(object_at(o, MIRROR_FIELD), &small_class, sizeof small_class);
        object_set_int(o, 60, n->id);
        break;
    case KIND_INTS:
        for (int32_t i = 0; i < n->count; i++)
            object_set_int(o, ARRAY_BASE + (size_t)i * 4, n->id + i);
        break;
    case KIND_REFS: break;
    }
}

static bool object_is_zero(const Object *o, size_t from, size_t size)
{
    for (size_t i = from; i < size; i++) {
        if (((const char *)o)[i])
            return false;
    }
    return true;
}

static Node *node_new(Object **out)
{
    Node *n = calloc(1, sizeof *n);
    n->kind = (Kind)rnd(5);
    n->id = ++node_count;
    n->count = kind_count(n->kind);
    bool array = n->kind >= KIND_REFS;
    size_t size = n->kind == KIND_SMALL ? 32 : n->kind == KIND_WIDE ? 48 : 64;
    Object *o = array ? heap_alloc_array(self, kind_class(n->kind), n->count)
                      : heap_alloc(self, kind_class(n->kind), size);
    VM_CHECK(o);
    EXPECT(array ? array_length(o) == n->count : true);
    EXPECT(object_is_zero(o, array ? ARRAY_BASE : 12, array ? object_size(o) : size));
    EXPECT_INT(0, atomic_load(&o->mark));
    if (n->kind != KIND_INTS)
        n->refs = calloc((size_t)n->count + 1, sizeof *n->refs);
    object_fill(o, n);
    *out = o;
    return n;
}

static bool data_is_right(const Object *o, const Node *n)
{
    switch (n->kind) {
    case KIND_SMALL: return object_get_int(o, 12) == n->id;
    case KIND_WIDE:
        return object_get_int(o, 12) == n->id && object_get_long(o, 24) == n->id * 77ll
               && object_get_long(o, 40) == ~0ll;
    case KIND_MIRROR: return object_get_int(o, 60) == n->id && object_size(o) == 64;
    case KIND_INTS:
        for (int32_t i = 0; i < n->count; i++) {
            if (object_get_int(o, ARRAY_BASE + (size_t)i * 4) != n->id + i)
                return false;
        }
        return array_length(o) == n->count;
    case KIND_REFS: return array_length(o) == n->count;
    }
    return false;
}

static Node **todo;
static size_t todo_len, todo_cap;

static void compare(Object *o, Node *n)
{
    if (!o || !n) {
        bad += o != NULL || n != NULL;
        return;
    }
    if (n->seen == pass) {
        bad += n->at != o;
        return;
    }
    n->seen = pass;
    n->at = o;
    if (todo_len == todo_cap)
        todo = realloc(todo, (todo_cap = todo_cap * 2 + 1000) * sizeof(Node *));
    todo[todo_len++] = n;
}

static void compare_contents(const Node *n)
{
    const Object *o = n->at;
    if (object_layout(o) != kind_class(n->kind) || !data_is_right(o, n) || !heap_contains(o)) {
        bad++;
        return;
    }
    bad += n->hash && object_identity_hash((Object *)o) != n->hash;
    for (int32_t i = 0; n->refs && i < n->count; i++)
        compare(object_get_ref(o, slot_offset(n, i)), n->refs[i]);
}

static size_t verify(void)
{
    size_t count = 0;
    pass++;
    bad = 0;
    for (int i = 0; i < ROOTS; i++)
        compare(thread.roots[i], node_roots[i]);
    while (todo_len > 0) {
        compare_contents(todo[--todo_len]);
        count++;
    }
    EXPECT_INT(0, bad);
    return count;
}

// A random object reached from a random root.
static Node *walk(Object **out)
{
    uint32_t r = rnd(ROOTS);
    Node *n = node_roots[r];
    Object *o = thread.roots[r];
    for (uint32_t steps = rnd(40); n && n->refs && n->count > 0 && steps > 0; steps--) {
        int32_t i = (int32_t)rnd((uint32_t)n->count);
        if (!n->refs[i])
            break;
        o = object_get_ref(o, slot_offset(n, i));
        n = n->refs[i];
    }
    *out = o;
    return n;
}

static uint32_t keep_links = 30; // large: graphs grow

static void step_link(Node *to, Object *target)
{
    Object *o;
    Node *n = walk(&o);
    if (!n || !n->refs || n->count == 0)
        return;
    int32_t i = (int32_t)rnd((uint32_t)n->count);
    if (n->refs[i] && rnd(keep_links) > 0)
        return;
    n->refs[i] = to;
    object_set_ref(o, slot_offset(n, i), target);
}

static void step(void)
{
    Object *o;
    uint32_t what = rnd(100), r = rnd(ROOTS);
    if (what < 55) {
        Node *n = node_new(&o);
        if (rnd(300) == 0) {
            node_roots[r] = n;
            thread.roots[r] = o;
        } else {
            step_link(n, o);
        }
    } else if (what < 85) {
        Node *n = walk(&o);
        step_link(n, o);
    } else if (what < 90) {
        Node *n = walk(&o);
        if (n && !n->hash) {
            n->hash = object_identity_hash(o);
            EXPECT(n->hash != 0 && n->hash >> 31 == 0);
        }
    } else if (what < 91 && rnd(30) == 0) {
        node_roots[r] = NULL;
        thread.roots[r] = NULL;
    } else if (what < 93) {
        step_link(NULL, NULL);
    }
}

static int last_full_count(void)
{
    HeapStats s;
    heap_stats(&s);
    return (int)s.full_count;
}

static void random_graph(int steps, int verify_each)
{
    size_t most = 0;
    for (int i = 0; i < steps; i++) {
        step();
        if (i % verify_each == 0) {
            size_t n = verify();
            most = n > most ? n : most;
        }
    }
    HeapStats s;
    heap_stats(&s);
    EXPECT(verify() > 50 && most > 100);
    EXPECT(s.young_count > 0);
    EXPECT_INT(before_calls, after_calls);
    EXPECT_INT(s.young_count + s.full_count, before_calls);
    EXPECT(s.used <= s.committed && s.committed <= s.max);
}

CHILD_TEST(random_graph_in_a_small_heap)
{
    stress_each(10000);
    world_start(2048, 8192, 0, false);
    random_graph(4000000, 20000);
    EXPECT(last_full_count() > 5);
}

CHILD_TEST(random_graph_in_a_growing_heap)
{
    stress_each(100);
    world_start(2048, 256 << 10, 512, false);
    for (int i = 0; i < 20; i++) {
        keep_links = i % 5 == 4 ? 1 : 100;
        random_graph(50000, 5000);
        heap_collect(self, i % 2 ? GC_SYSTEM_GC : GC_JVMTI_FORCE, i % 3 == 0);
        verify();
    }
}

CHILD_TEST(random_graph_under_stress)
{
    stress_each(1);
    world_start(4096, 64 << 10, 0, true);
    random_graph(40000, 50);
    EXPECT(last_full_count() > 300);
}

// ---- cards ----

CHILD_TEST(old_to_young_through_cards)
{
    enum { N = 200000 };
    world_start(16 << 10, 64 << 10, 2048, false);
    thread.roots[0] = heap_alloc_array(self, refs_class, N); // 800 KB: directly old
    heap_collect(self, GC_SYSTEM_GC, true);
    for (int round = 0; round < 40; round++) {
        for (int i = 0; i < 500; i++) {
            int32_t at = (int32_t)rnd(N);
            Object *o = make_small(at);
            array_set_ref(thread.roots[0], at, o);
        }
        heap_collect(self, GC_SYSTEM_GC, false);
        EXPECT(!last_full);
    }
    int found = 0;
    for (int32_t i = 0; i < N; i++) {
        Object *o = array_get_ref(thread.roots[0], i);
        if (o && ++found)
            EXPECT_INT(i, object_get_int(o, 12));
    }
    EXPECT(found > 15000);
}

CHILD_TEST(a_chain_promoted_and_extended)
{
    stress_each(1000);
    world_start(16 << 10, 64 << 10, 512, false);
    thread.roots[0] = thread.roots[1] = make_small(0);
    for (int i = 1; i < 300000; i++) {
        Object *o = make_small(i);
        object_set_ref(thread.roots[1], 16, o);
        thread.roots[1] = o;
    }
    Object *o = thread.roots[0];
    int i = 0;
    for (; o; o = object_get_ref(o, 16), i++) {
        if (object_get_int(o, 12) != i)
            break;
    }
    EXPECT_INT(300000, i);
    heap_collect(self, GC_SYSTEM_GC, true);
    for (i = 0, o = thread.roots[0]; o && object_get_int(o, 12) == i; i++)
        o = object_get_ref(o, 16);
    EXPECT_INT(300000, i);
}

CHILD_TEST(array_copy_overlaps)
{
    enum { N = 1000 };
    world_start(4096, 16384, 0, false);
    thread.roots[0] = heap_alloc_array(self, refs_class, N);
    for (int i = 0; i < N; i++) {
        Object *o = make_small(i);
        array_set_ref(thread.roots[0], i, o);
    }
    array_copy_refs(thread.roots[0], 0, thread.roots[0], 10, N - 10);
    heap_collect(self, GC_SYSTEM_GC, false);
    for (int i = 10; i < N; i++)
        EXPECT_INT(i - 10, object_get_int(array_get_ref(thread.roots[0], i), 12));
    array_copy_refs(thread.roots[0], 10, thread.roots[0], 0, N - 10);
    for (int i = 0; i < N - 10; i++)
        EXPECT_INT(i, object_get_int(array_get_ref(thread.roots[0], i), 12));
    Object *a = array_get_ref(thread.roots[0], 1), *b = array_get_ref(thread.roots[0], 2),
           *seen = NULL;
    EXPECT(!object_cas_ref(thread.roots[0], ARRAY_BASE, a, b, &seen)
           && object_get_int(seen, 12) == 0);
    EXPECT(object_cas_ref(thread.roots[0], ARRAY_BASE, seen, b, &seen));
    EXPECT(object_get_ref_volatile(thread.roots[0], ARRAY_BASE) == b);
}

// ---- references ----

// A Reference with a fresh referent that nothing else holds; both ids are `id`.
static jobject make_reference(Layout *cls, int32_t id)
{
    jobject h = handle_new(self, heap_alloc(self, cls, 32));
    Object *o = make_small(id);
    object_set_ref(deref(h), REFERENT, o);
    object_set_long(deref(h), STAMP, object_get_long(deref(clock_handle), CLOCK - 8));
    return h;
}

static Object *referent_of(jobject h)
{
    return object_get_ref(deref(h), REFERENT);
}

static int count_pending(void)
{
    int n = 0;
    for (Object *o = heap_take_pending(); o; n++) {
        Object *next = object_get_ref(o, DISCOVERED);
        object_set_ref(o, DISCOVERED, NULL);
        o = next;
    }
    EXPECT(!heap_has_pending());
    return n;
}

static void check_references(bool full)
{
    HANDLE_SCOPE(self);
    int calls = pended_calls;
    jobject soft = make_reference(soft_class, 1), weak = make_reference(weak_class, 2);
    jobject fin = make_reference(final_class, 3), phantom = make_reference(phantom_class, 4);
    jobject held = make_reference(weak_class, 5), held_by = handle_new(self, referent_of(held));
    // a weak, a phantom and a weak global reference to what the finalizable object holds
    jobject weak2 = make_reference(weak_class, 6), phantom2 = make_reference(phantom_class, 7);
    Object *inner = make_small(8);
    object_set_ref(referent_of(fin), 16, inner);
    object_set_ref(deref(weak2), REFERENT, inner);
    object_set_ref(deref(phantom2), REFERENT, inner);
    jobject global = weak_new(inner), dead = weak_new(referent_of(phantom));
    heap_collect(self, GC_SYSTEM_GC, full);
    EXPECT_INT(1, object_get_int(referent_of(soft), 12));
    EXPECT(!referent_of(weak) && !referent_of(phantom) && !referent_of(weak2));
    EXPECT(referent_of(held) == deref(held_by) && object_get_int(deref(held_by), 12) == 5);
    EXPECT_INT(3, object_get_int(referent_of(fin), 12));
    EXPECT(object_get_ref(deref(fin), NEXT) == deref(fin));
    EXPECT(object_get_ref(referent_of(fin), 16) == referent_of(phantom2));
    EXPECT(deref(global) == referent_of(phantom2) && !deref(dead) && global_is_live(dead));
    EXPECT_INT(calls + 1, pended_calls);
    heap_collect(self, GC_SYSTEM_GC, !full);
    EXPECT_INT(4, count_pending()); // weak, weak2, fin, phantom
    object_set_ref(deref(fin), REFERENT, NULL);
    heap_collect(self, GC_SYSTEM_GC, true);
    EXPECT(!referent_of(phantom2) && !deref(global) && count_pending() == 1);
    weak_delete(global);
    weak_delete(dead);
    EXPECT(!global_is_live(global) && !global_is_live(dead));
}

CHILD_TEST(references_of_all_kinds)
{
    if (COLLECTS_ANYTIME)
        return;
    world_start(4096, 16384, 0, false);
    for (int i = 0; i < 20; i++)
        check_references(i % 2 == 0);
}

CHILD_TEST(references_from_old_to_young)
{
    world_start(4096, 16384, 0, false);
    HANDLE_SCOPE(self);
    jobject refs[200];
    for (int i = 0; i < 200; i++)
        refs[i] = make_reference(weak_class, i);
    heap_collect(self, GC_SYSTEM_GC, true);
    EXPECT_INT(200, count_pending());
    thread.roots[0] = heap_alloc_array(self, refs_class, 100);
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < 200; i++) {
            Object *o = make_small(i);
            object_set_ref(deref(refs[i]), REFERENT, o);
            if (i % 2)
                array_set_ref(thread.roots[0], i / 2, o);
        }
        for (int again = 0; again < 3; again++) {
            heap_collect(self, GC_SYSTEM_GC, false);
            EXPECT_INT(again ? 0 : 100, count_pending());
        }
        for (int i = 0; i < 200; i++)
            EXPECT(i % 2 ? object_get_int(referent_of(refs[i]), 12) == i
                         : !referent_of(refs[i]));
    }
}

CHILD_TEST(soft_references_go_before_exhaustion)
{
    world_start(4096, 16384, 0, false);
    HANDLE_SCOPE(self);
    jobject soft = make_reference(soft_class, 1);
    heap_collect(self, GC_SYSTEM_GC, true);
    EXPECT(referent_of(soft) != NULL);
    Object *big = heap_alloc_array(self, bytes_class, 8 << 20);
    object_set_ref(deref(soft), REFERENT, big);
    EXPECT(heap_alloc_array(self, bytes_class, 9 << 20) != NULL);
    EXPECT(referent_of(soft) == NULL);
    EXPECT(heap_alloc_array(self, bytes_class, 64 << 20) == NULL);
    EXPECT(heap_alloc_array(self, bytes_class, INT32_MAX) == NULL);
}

// An old timestamp and a full heap: the policy gives it up without need.
CHILD_TEST(soft_references_age)
{
    world_start(4096, 16384, 0, false);
    HANDLE_SCOPE(self);
    jobject soft = make_reference(soft_class, 1);
    object_set_long(deref(soft), STAMP,
                    object_get_long(deref(clock_handle), CLOCK - 8) - 10000);
    heap_collect(self, GC_SYSTEM_GC, true);
    EXPECT(referent_of(soft) != NULL);
    object_set_long(deref(soft), STAMP,
                    object_get_long(deref(clock_handle), CLOCK - 8) - 20000);
    heap_collect(self, GC_SYSTEM_GC, true);
    EXPECT(referent_of(soft) == NULL);
}

// ---- weak tables, handles ----

enum { TABLE = 1000 };
static Object *table[TABLE];
static int table_calls, died;

static void weak_table(WeakKeep keep, void *ctx)
{
    table_calls++;
    for (int i = 0; i < TABLE; i++) {
        if (table[i] && !keep(ctx, &table[i])) {
            EXPECT(!table[i]);
            died++;
        }
    }
}

CHILD_TEST(weak_tables)
{
    world_start(4096, 32768, 0, false);
    heap_add_weak_table(weak_table);
    thread.roots[0] = heap_alloc_array(self, refs_class, TABLE);
    for (int round = 0; round < 12; round++) {
        died = 0;
        for (int i = 0; i < TABLE; i++) {
            Object *o = make_small(i);
            table[i] = o;
            array_set_ref(thread.roots[0], i, i % 3 ? o : NULL);
        }
        heap_collect(self, GC_SYSTEM_GC, round % 3 == 0);
        EXPECT_INT((TABLE + 2) / 3, died);
        for (int i = 0; i < TABLE; i++)
            EXPECT(i % 3 ? array_get_ref(thread.roots[0], i) == table[i] : !table[i]);
    }
    EXPECT(COLLECTS_ANYTIME || table_calls == 12);
}

CHILD_TEST(local_handles)
{
    world_start(4096, 16384, 0, false);
    jobject kept[1500];
    HandleMark mark = handle_mark(self);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 1500; i++)
            kept[i] = handle_new(self, make_small(i));
        EXPECT(handle_new(self, NULL) == NULL && deref(NULL) == NULL);
        handle_delete(self, kept[7]);
        EXPECT(!handle_is_local(self, kept[7]) && handle_is_local(self, kept[8])
               && handle_is_local(self, kept[1499]));
        handle_delete(self, kept[1499]);
        jobject again = handle_new(self, make_small(1499));
        EXPECT(again == kept[1499]);
        heap_collect(self, GC_SYSTEM_GC, round == 1);
        for (int i = 0; i < 1500; i++)
            EXPECT(i == 7 ? !deref(kept[i]) : object_get_int(deref(kept[i]), 12) == i);
        {
            HANDLE_SCOPE(self);
            jobject inner = handle_new(self, deref(kept[0]));
            EXPECT(handle_is_local(self, inner));
        }
        handle_pop(self, mark);
        EXPECT(!handle_is_local(self, kept[0]) && thread.mutator.handles.top == mark.top);
    }
    handle_stack_free(&thread.mutator.handles);
    handle_stack_init(&thread.mutator.handles);
}

// A handle older than a mark is deleted from the top; its slot is used and popped; then the
// mark is popped.
CHILD_TEST(handle_deleted_below_mark)
{
    world_start(4096, 16384, 0, false);
    jobject first = handle_new(self, make_small(1)), outer = handle_new(self, make_small(2));
    HandleMark mark = handle_mark(self);
    handle_delete(self, outer);
    {
        HANDLE_SCOPE(self);
        EXPECT(handle_new(self, make_small(3)) == outer);
    }
    handle_pop(self, mark);
    EXPECT(thread.mutator.handles.top == mark.top && !deref(outer));
    heap_collect(self, GC_SYSTEM_GC, true);
    EXPECT_INT(1, object_get_int(deref(first), 12));
}

CHILD_TEST(global_handles)
{
    enum { N = 5000 };
    world_start(4096, 16384, 0, false);
    static jobject g[N], w[N];
    for (int i = 0; i < N; i++) {
        g[i] = global_new(make_small(i));
        w[i] = weak_new(deref(g[i]));
        EXPECT(((uintptr_t)g[i] & HANDLE_TAG) == HANDLE_GLOBAL
               && ((uintptr_t)w[i] & HANDLE_TAG) == HANDLE_WEAK);
    }
    for (int i = 0; i < N; i += 2) {
        global_delete(g[i]);
        global_delete(g[i]);
        EXPECT(!global_is_live(g[i]) && global_is_live(g[i + 1]));
    }
    heap_collect(self, GC_SYSTEM_GC, COLLECTS_ANYTIME);
    for (int i = 0; i < N; i++) {
        EXPECT(global_is_live(w[i]));
        EXPECT(i % 2 ? object_get_int(deref(g[i]), 12) == i && deref(w[i]) == deref(g[i])
                     : !deref(w[i]));
    }
    EXPECT(!global_is_live(NULL) && !global_is_live((jobject)(uintptr_t)0x12342));
    EXPECT(!global_is_live((jobject)((uintptr_t)g[1] + 1)));
}

// ---- sizes and exhaustion ----

CHILD_TEST(exhaustion_and_recovery)
{
    stress_each(50000);
    world_start(4096, 32768, 0, false);
    for (int round = 0; round < 3; round++) {
        size_t n = 0;
        Object *o;
        while ((o = heap_alloc(self, small_class, 32)) != NULL) {
            object_set_ref(o, 16, thread.roots[0]);
            thread.roots[0] = o;
            n++;
        }
        EXPECT_MSG(n * 32 > 31 << 20, "%zu objects", n);
        EXPECT(heap_alloc(self, small_class, 32) == NULL);
        size_t m = 0;
        for (o = thread.roots[0]; o; o = object_get_ref(o, 16))
            m++;
        EXPECT_INT(n, m);
        o = NULL;
        thread.roots[0] = NULL;
        EXPECT(heap_alloc_array(self, bytes_class, 20 << 20) != NULL);
    }
    HeapStats s;
    heap_stats(&s);
    EXPECT_MSG(COLLECTS_ANYTIME || s.full_count < 100, "%d full collections",
               (int)s.full_count);
}

CHILD_TEST(large_arrays)
{
    stress_each(50);
    world_start(4096, 65536, 0, false);
    for (int i = 0; i < 3000; i++) {
        int32_t n = (int32_t)rnd(4 << 20);
        Object *a = heap_alloc_array(self, bytes_class, n);
        VM_CHECK(a);
        if (i % 16 == 0)
            EXPECT(object_is_zero(a, ARRAY_BASE, object_size(a)));
        memset(array_data(a), i, (size_t)n);
        thread.roots[rnd(8)] = a;
    }
    for (int i = 0; i < 8; i++) {
        const char *p = array_data(thread.roots[i]);
        for (int32_t j = 0; j < array_length(thread.roots[i]); j++) {
            if (p[j] != p[0]) {
                EXPECT_MSG(false, "array %d changed at %d", i, j);
                break;
            }
        }
    }
}

CHILD_TEST(memory_is_given_back)
{
    world_start(8192, 256 << 10, 0, false);
    uint64_t start = os_resident_memory();
    thread.roots[0] = heap_alloc_array(self, bytes_class, 200 << 20);
    memset(array_data(thread.roots[0]), 1, 200 << 20);
    EXPECT(os_resident_memory() > start + (190 << 20));
    thread.roots[0] = NULL;
    heap_collect(self, GC_SYSTEM_GC, true);
#ifndef __SANITIZE_THREAD__ // which keeps pages of its own for what is given back
    EXPECT(os_resident_memory() < start + (40 << 20));
#endif
    HeapStats s;
    heap_stats(&s);
    EXPECT(s.committed < 32 << 20 && s.pools[2].peak_used > 200 << 20);
}

CHILD_TEST(churn_stays_small)
{
    stress_each(10000);
    world_start(65536, 65536, 0, false);
    uint64_t start = os_resident_memory();
    for (int i = 0; i < 4000000; i++)
        (void)make_small(i);
    for (int i = 0; i < 2000; i++)
        EXPECT(heap_alloc_array(self, bytes_class, 1 << 20) != NULL);
    EXPECT(os_resident_memory() < start + (100 << 20));
    EXPECT_INT(4000000ll * 32 + 2000ll * ((1 << 20) + 16) + 40,
               heap_thread_allocated(&thread.mutator));
}

// ---- places ----

#ifdef __SANITIZE_ADDRESS__ // its shadow takes all below 16 TiB but the first 2 GiB
enum { HAS_LOW_ROOM = false };
#else
enum { HAS_LOW_ROOM = true };
#endif
#define GIB ((size_t)1 << 30)

static bool is_low(PlacedRange r)
{
    EXPECT(r.base == 0 || r.base == r.start);
    return r.base == 0;
}

TEST(an_address_in_use_is_refused)
{
    char *p = os_reserve(1 << 20, os_page_size());
    EXPECT(p && !os_reserve_at((uintptr_t)p, os_page_size()));
    os_release(p, 1 << 20);
    EXPECT(os_reserve_at((uintptr_t)p, 1 << 20));
    os_release(p, 1 << 20);
}

CHILD_TEST(heaps_lie_low_until_there_is_no_room)
{
    PlacedRange r;
    int low = 0;
    while (placement_reserve_heap(placement, 2 * GIB, &r) && is_low(r)) {
        EXPECT(r.start >= 4 * GIB && r.end - r.start == 2 * GIB && r.end < 32 * GIB);
        low++;
    }
    EXPECT(r.start >= 32 * GIB && r.end - r.start == 2 * GIB);
    EXPECT((low > 0) == (HAS_LOW_ROOM && placement == PLACEMENT_LOW));
}

CHILD_TEST(a_heap_too_large_for_low_addresses_has_a_base)
{
    PlacedRange r;
    EXPECT(placement_reserve_heap(placement, 28 * GIB, &r) && !is_low(r));
}

CHILD_TEST(classes_lie_between_2_and_4_GiB)
{
    PlacedRange r;
    EXPECT(placement_reserve_classes(placement, 3 * GIB, &r) && !is_low(r));
    EXPECT(placement_reserve_classes(placement, GIB, &r));
    EXPECT(is_low(r) == (HAS_LOW_ROOM && placement != PLACEMENT_FAR));
    EXPECT(!is_low(r) || (r.start >= 2 * GIB && r.end <= 4 * GIB));
    EXPECT(placement_reserve_classes(PLACEMENT_BASED, GIB / 4, &r)
           && is_low(r) == HAS_LOW_ROOM);
}

TEST(placements_have_names)
{
    for (Placement p = 0; p < PLACEMENT_COUNT; p++) {
        Placement found = PLACEMENT_COUNT;
        EXPECT(placement_find(placement_name(p), &found) && found == p);
    }
    Placement none = PLACEMENT_COUNT;
    EXPECT(!placement_find("lo", &none) && none == PLACEMENT_COUNT);
}

// ---- walking, critical sections ----

static size_t walked, walked_bytes;
static void count_object(void *ctx, Object *o)
{
    (void)ctx;
    walked++;
    walked_bytes += object_size(o);
}

static void count_slot(void *ctx, Object *holder, uint32_t offset)
{
    (void)holder;
    uint64_t *mask = ctx;
    *mask |= 1ull << offset;
}

CHILD_TEST(walking)
{
    world_start(4096, 32768, 0, false);
    for (int i = 0; i < 10000; i++) {
        Object *o = make_small(i);
        object_set_ref(o, 16, thread.roots[0]);
        thread.roots[0] = o;
    }
    thread.roots[1] = heap_alloc_array(self, ints_class, 1001);
    heap_each_object(count_object, NULL);
    EXPECT_INT(10002, walked);
    EXPECT_INT(10000 * 32 + 40 + 4024, walked_bytes);
    (void)make_small(1);
    heap_collect(self, GC_HEAP_DUMP, true);
    walked = 0;
    heap_each_object(count_object, NULL);
    EXPECT_INT(10002, walked);
    uint64_t mask = 0;
    Object *mirror = heap_alloc(self, mirror_class, 64);
    memcpy(object_at(mirror, MIRROR_FIELD), &small_class, sizeof small_class);
    object_each_ref(mirror, count_slot, &mask);
    EXPECT(mask == (1ull << 12 | 1ull << 40 | 1ull << 44 | 1ull << 56));
    mask = 0;
    object_each_ref(heap_alloc(self, weak_class, 32), count_slot, &mask);
    EXPECT(mask == (1ull << REFERENT | 1ull << DISCOVERED | 1ull << NEXT));
}

CHILD_TEST(critical_sections)
{
    if (COLLECTS_ANYTIME)
        return;
    world_start(4096, 16384, 0, false);
    Object *o = thread.roots[0] = heap_alloc_array(self, ints_class, 10);
    heap_critical_enter(self);
    heap_critical_enter(self);
    heap_collect(self, GC_SYSTEM_GC, true);
    EXPECT(thread.roots[0] == o && before_calls == 0);
    int n = 0;
    while (heap_alloc(self, small_class, 32))
        n++;
    EXPECT(n > 50000 && before_calls == 0);
    heap_critical_exit();
    heap_critical_exit();
    heap_collect(self, GC_SYSTEM_GC, true);
    EXPECT(thread.roots[0] != o && before_calls == 1);
}

CHILD_TEST(long_list_and_wide_array)
{
    enum { N = 1000000 };
    stress_each(50000);
    world_start(65536, 256 << 10, 0, false);
    thread.roots[1] = heap_alloc_array(self, refs_class, N);
    for (int i = 0; i < N; i++) {
        Object *o = make_small(i);
        object_set_ref(o, 16, thread.roots[0]);
        thread.roots[0] = o;
        if (i % 2)
            array_set_ref(thread.roots[1], i, o);
    }
    heap_collect(self, GC_SYSTEM_GC, true);
    Object *o = thread.roots[0];
    for (int i = N; i-- > 0; o = object_get_ref(o, 16)) {
        if (!o || object_get_int(o, 12) != i
            || (i % 2 && array_get_ref(thread.roots[1], i) != o)) {
            EXPECT_INT(-1, i);
            break;
        }
    }
}

// ---- several threads ----

enum { THREADS = 4, LIST = 200 };
typedef struct Worker {
    Mutator mutator;
    bool safe; // under gate
    int number;
    long wrong, sections;
    pthread_t id;
} Worker;
static Worker workers[THREADS];
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t gate_changed = PTHREAD_COND_INITIALIZER;
static _Atomic bool stopping;

static void gate_set_safe(Worker *w, bool safe)
{
    pthread_mutex_lock(&gate);
    while (!safe && atomic_load(&stopping))
        pthread_cond_wait(&gate_changed, &gate);
    w->safe = safe;
    pthread_cond_broadcast(&gate_changed);
    pthread_mutex_unlock(&gate);
}

static void gate_block(Thread *t)
{
    gate_set_safe((Worker *)(void *)t, true);
}

static void gate_unblock(Thread *t)
{
    gate_set_safe((Worker *)(void *)t, false);
}

static bool gate_all_safe(void)
{
    bool all = true;
    for (int i = 0; i < THREADS; i++)
        all = all && workers[i].safe;
    return all;
}

static void gate_stop(Thread *t)
{
    Worker *w = (Worker *)(void *)t;
    pthread_mutex_lock(&gate);
    w->safe = true;
    pthread_cond_broadcast(&gate_changed);
    while (atomic_load(&stopping))
        pthread_cond_wait(&gate_changed, &gate);
    atomic_store(&stopping, true);
    while (!gate_all_safe())
        pthread_cond_wait(&gate_changed, &gate);
    pthread_mutex_unlock(&gate);
}

static void gate_resume(Thread *t)
{
    pthread_mutex_lock(&gate);
    ((Worker *)(void *)t)->safe = false;
    atomic_store(&stopping, false);
    pthread_cond_broadcast(&gate_changed);
    pthread_mutex_unlock(&gate);
}

static void gate_poll(Worker *w)
{
    if (atomic_load(&stopping)) {
        gate_set_safe(w, true);
        gate_set_safe(w, false);
    }
}

static void gate_each_mutator(void (*visit)(void *ctx, Mutator *m), void *ctx)
{
    for (int i = 0; i < THREADS; i++)
        visit(ctx, &workers[i].mutator);
}

static void gate_visit_roots(RefVisitor visit, void *ctx)
{
    (void)visit, (void)ctx;
}

static Object *worker_alloc(Worker *w, int32_t id)
{
    Object *o = heap_alloc((Thread *)(void *)w, small_class, 32);
    VM_CHECK(o && object_is_zero(o, 12, 32));
    object_set_int(o, 12, id);
    return o;
}

// A section in which an array stays where it is although others collect.
static void worker_section(Worker *w)
{
    Thread *t = (Thread *)(void *)w;
    HANDLE_SCOPE(t);
    jobject a = handle_new(t, heap_alloc_array(t, ints_class, 8));
    heap_critical_enter(t);
    Object *at = deref(a);
    gate_block(t); // as a native does
    for (int i = 0; i < 8; i++)
        object_set_int(at, ARRAY_BASE + (size_t)i * 4, w->number + i);
    os_yield();
    for (int i = 0; i < 8; i++)
        w->wrong += object_get_int(at, ARRAY_BASE + (size_t)i * 4) != w->number + i;
    gate_unblock(t);
    w->wrong += at != deref(a);
    heap_critical_exit();
    w->sections++;
}

static void worker_list(Worker *w)
{
    Thread *t = (Thread *)(void *)w;
    HANDLE_SCOPE(t);
    jobject head = handle_new(t, worker_alloc(w, 0));
    for (int i = 1; i < LIST; i++) {
        Object *o = worker_alloc(w, i);
        object_set_ref(o, 16, deref(head));
        *handle_slot(head) = o;
        gate_poll(w);
    }
    Object *o = deref(head);
    for (int i = LIST; i-- > 0; o = object_get_ref(o, 16))
        w->wrong += object_get_int(o, 12) != i;
}

static void *worker_run(void *arg)
{
    Worker *w = arg;
    gate_unblock((Thread *)(void *)w);
    for (int i = 0; i < 1500; i++) {
        worker_list(w);
        if (i % 8 == w->number)
            worker_section(w);
        if (i % 100 == 0)
            heap_collect((Thread *)(void *)w, GC_SYSTEM_GC, i % 200 == 0);
    }
    heap_thread_detach(&w->mutator);
    gate_block((Thread *)(void *)w);
    return NULL;
}

static void several_threads(bool with_blocking)
{
    HeapWorld world = {.stop = gate_stop,
                       .resume = gate_resume,
                       .each_mutator = gate_each_mutator,
                       .visit_roots = gate_visit_roots};
    if (with_blocking) {
        world.block = gate_block;
        world.unblock = gate_unblock;
    }
    stress_each(10);
    world_start(2048, 16384, 512, false);
    global_delete(clock_handle);
    ReferenceOffsets none = {0};
    heap_set_reference_offsets(&none);
    heap_thread_detach(&thread.mutator);
    heap_set_world(&world);
    for (int i = 0; i < THREADS; i++) {
        workers[i].number = i;
        workers[i].safe = true;
        handle_stack_init(&workers[i].mutator.handles);
    }
    uint64_t ended_before = heap_ended_allocated();
    for (int i = 0; i < THREADS; i++)
        VM_CHECK(pthread_create(&workers[i].id, NULL, worker_run, &workers[i]) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(workers[i].id, NULL);
    for (int i = 0; i < THREADS; i++) {
        EXPECT_INT(0, workers[i].wrong);
        EXPECT(workers[i].sections > 100);
        EXPECT_INT(0, heap_thread_allocated(&workers[i].mutator)); // it has ended: that counts
    }
    EXPECT(heap_ended_allocated() - ended_before > THREADS * 1500ull * LIST * 32);
    EXPECT(last_full_count() >= 32);
}

CHILD_TEST(several_threads_that_block)
{
    several_threads(true);
}

CHILD_TEST(several_threads_that_poll)
{
    several_threads(false);
}

// ---- speed ----

static void bench_report(const char *what, int64_t from, size_t bytes)
{
    double s = (double)(os_process_cpu_nanos() - from) / 1e9;
    printf("%s: %.1f MB in %.1f ms, %.0f MB/s\n", what, (double)bytes / 1e6, s * 1e3,
           (double)bytes / 1e6 / s);
}

static void bench_build(int n)
{
    thread.roots[0] = heap_alloc_array(self, refs_class, n);
    for (int i = 0; i < n; i++) {
        Object *o = make_small(i);
        if (i)
            object_set_ref(o, 16,
                           array_get_ref(thread.roots[0],
                                         i - 1 - (int32_t)rnd((uint32_t)MIN_OF(i, 1000))));
        array_set_ref(thread.roots[0], i, o);
    }
}

CHILD_TEST(bench)
{
    if (test_argc == 0)
        return;
    world_start(1 << 20, 2 << 20, 256 << 10, false);
    int n = 2000000;
    bench_build(n);
    int64_t t = os_process_cpu_nanos();
    heap_collect(self, GC_SYSTEM_GC, false);
    bench_report("young copy", t, (size_t)n * 36);
    t = os_process_cpu_nanos();
    heap_collect(self, GC_SYSTEM_GC, true);
    bench_report("full", t, (size_t)n * 36);
    t = os_process_cpu_nanos();
    heap_collect(self, GC_SYSTEM_GC, true);
    bench_report("full, nothing moves", t, (size_t)n * 36);
    t = os_process_cpu_nanos();
    for (int i = 0; i < 30000000; i++)
        (void)make_small(i);
    bench_report("allocation of garbage", t, 30000000ull * 32);
    heap_collect(self, GC_SYSTEM_GC, true);
    bench_build(n / 4);
    t = os_process_cpu_nanos();
    heap_collect(self, GC_SYSTEM_GC, false);
    bench_report("young copy, memory in use before", t, (size_t)n / 4 * 36);
    for (int i = 0; i < 10; i++)
        heap_collect(self, GC_SYSTEM_GC, false);
    t = os_process_cpu_nanos();
    for (int i = 0; i < 1000; i++)
        heap_collect(self, GC_SYSTEM_GC, false);
    bench_report("1000 empty young collections", t, 0);
}
