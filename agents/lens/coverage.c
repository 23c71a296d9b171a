// SPDX-License-Identifier: Apache-2.0
// The verb coverage: which lines were reached and which ways were taken, by breakpoints that are
// cleared after their first hit.
//
// A breakpoint's listener only counts and puts its method on a list. The agent's thread looks at that
// list each 20 ms, tells what is new and clears what is not needed any more, all at once. A method's
// plan is made when its class is prepared, in that thread, or by a worker for classes that are there
// already. Who is first to put a method into the table has it; methods stay in it until the order ends.
#include "coverage.h"
#include "agent.h"
#include "points.h"
#include "verbs.h"

#include <stdlib.h>
#include <string.h>

enum {
    COVERAGES = 4, // at once
    TICK_MS = 20,
    BATCH = 8192,          // places that a worker sets at once
    FRESH_BYTES = 1 << 18, // of a block that tells what there is
    GROUP_HITS = 16,       // a group is closed after so many passes, and opened again
    GROUP_SLEEP_MS = 40,   // first after this, then twice as long each time
    GROUP_ROUNDS = 9,
    RENEWALS = 4 // looks at a class that is being redefined
};
static const uint32_t renewal_ms[RENEWALS] = {20, 200, 1000, 4000};

typedef struct CoverMethod {
    jmethodID method;
    uint32_t id; // AGENT: its definition, 0 before it was told
    CoverPlan *_Atomic plan;
    _Atomic bool is_dirty, is_fresh; // on that list, and on it once
    struct CoverMethod *next, *next_dirty, *next_fresh;
} CoverMethod;

typedef struct Places {
    PellucidLocation *at;
    size_t len, cap;
} Places;

typedef struct Sleeper { // a jump whose group is closed for a while
    CoverMethod *method;
    CoverPlan *plan;
    CoverJump *jump;
    uint64_t until;
} Sleeper;

typedef struct Renewal { // a class that is being redefined
    jweak class;
    uint64_t since;
    uint32_t looks;
    struct Renewal *next;
} Renewal;

typedef struct Coverage {
    LensOrder *order;
    unsigned slot;
    bool branches, counts;
    LensPatterns *include, *exclude;
    AgentSharedMap methods; // jmethodID to CoverMethod
    CoverMethod *_Atomic all, *_Atomic dirty, *_Atomic fresh;
    Renewal *_Atomic redefined; // found by the listener; the rest is AGENT's
    Renewal *renewals;
    Sleeper *sleepers;
    size_t sleepers_len, sleepers_cap;
    CoverPlan *retired;
    _Atomic uint64_t classes, places;
    uint64_t told_places;
} Coverage;

static Coverage *_Atomic active[COVERAGES];

// The jump that a thread has just passed, if its group was open, for each coverage.
typedef struct Passed {
    uint32_t order; // its uid, 0: none; an earlier order's jumps are gone
    CoverPlan *plan;
    CoverJump *jump;
    uint32_t opened;
} Passed;
static __thread Passed passed[COVERAGES];

// ---- lists ----

static bool places_add(Places *list, jmethodID method, uint32_t bci)
{
    if (list->len == list->cap) {
        size_t cap = list->cap ? list->cap * 2 : 256;
        PellucidLocation *grown = realloc(list->at, cap * sizeof *grown);
        if (!grown)
            return false;
        list->at = grown;
        list->cap = cap;
    }
    list->at[list->len++] = (PellucidLocation){method, bci};
    return true;
}

static void places_flush(Places *list, bool on)
{
    points_change(list->at, list->len, on);
    list->len = 0;
}

// Pushes onto one of the lists; the release pairs with the exchange of who takes the list.
#define PUSH(head, node, link)                                                          \
    do {                                                                                \
        (node)->link = atomic_load_explicit((head), memory_order_relaxed);              \
        while (!atomic_compare_exchange_weak_explicit(                                  \
            (head), &(node)->link, (node), memory_order_release, memory_order_relaxed)) \
            ;                                                                           \
    } while (0)

static void mark_dirty(Coverage *c, CoverMethod *m)
{
    if (!atomic_exchange_explicit(&m->is_dirty, true, memory_order_acq_rel))
        PUSH(&c->dirty, m, next_dirty);
}

// It may be there still from its last version: a slow front has its list wait.
static void mark_fresh(Coverage *c, CoverMethod *m)
{
    if (!atomic_exchange_explicit(&m->is_fresh, true, memory_order_acq_rel))
        PUSH(&c->fresh, m, next_fresh);
}

// ---- what a breakpoint's listener does ----

// Whether the thread comes from a jump with an open group: then this is the way it took.
static void take_way(Coverage *c, CoverMethod *m, CoverPlan *plan, uint32_t bci)
{
    Passed from = passed[c->slot];
    passed[c->slot].order = 0;
    if (from.plan != plan
        || atomic_load_explicit(&from.jump->opened, memory_order_acquire) != from.opened)
        return;
    assert(from.jump >= plan->jumps && from.jump < plan->jumps + plan->jumps_len);
    CoverWay *way = coverage_way(plan, from.jump, bci);
    if (!way || way->is_alone) // an own way in counts at its place
        return;
    atomic_fetch_add_explicit(&way->taken, 1, memory_order_relaxed);
    mark_dirty(c, m);
}

static void pass_jump(Coverage *c, CoverPlan *plan, CoverJump *jump)
{
    uint32_t opened = atomic_load_explicit(&jump->opened, memory_order_acquire);
    if (!(opened & 1))
        return;
    atomic_fetch_add_explicit(&jump->hits, 1, memory_order_relaxed);
    passed[c->slot] = (Passed){c->order->uid, plan, jump, opened};
}

static void reach(Coverage *c, jmethodID method, uint32_t bci)
{
    ASSERT_LISTENER();
    CoverMethod *m = agent_sharedmap_get(&c->methods, method);
    if (!m) {
        passed[c->slot].order = 0;
        return;
    }
    CoverPlan *plan = atomic_load_explicit(&m->plan, memory_order_acquire);
    if (passed[c->slot].order == c->order->uid)
        take_way(c, m, plan, bci);
    CoverPlace *place = coverage_place(plan, bci);
    if (!place)
        return;
    atomic_fetch_add_explicit(&place->hits, 1, memory_order_relaxed);
    mark_dirty(c, m);
    assert(place->starts <= plan->jumps_len);
    if (place->starts)
        pass_jump(c, plan, &plan->jumps[place->starts - 1]);
}

static void JNICALL on_breakpoint(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread,
                                  jmethodID method, jlocation location)
{
    (void)jvmti, (void)jni, (void)thread;
    for (unsigned i = 0; i < COVERAGES; i++) {
        Coverage *c = atomic_load_explicit(&active[i], memory_order_acquire);
        if (c)
            reach(c, method, (uint32_t)location);
    }
}

// ---- arming ----

static bool is_wanted(const Coverage *c, jclass class)
{
    if (!points_is_prepared(class))
        return false;
    char *name = points_class_name(class);
    bool is = name && lens_patterns_match(c->include, name)
              && !(c->exclude && lens_patterns_match(c->exclude, name));
    free(name);
    return is;
}

static void arm_plan(Coverage *c, jmethodID method, CoverPlan *plan, Places *list)
{
    for (uint32_t i = 0; i < plan->jumps_len; i++)
        if (coverage_needs_group(plan, &plan->jumps[i]))
            coverage_open(&plan->jumps[i], true);
    for (uint32_t i = 0; i < plan->places_len; i++)
        plan->places[i].is_armed = places_add(list, method, plan->places[i].bci);
    atomic_fetch_add_explicit(&c->places, plan->places_len, memory_order_relaxed);
}

static void cover_method(Coverage *c, jmethodID method, Places *list)
{
    if (agent_sharedmap_get(&c->methods, method))
        return;
    CoverPlan *plan = coverage_plan(method, c->branches);
    CoverMethod *m = plan ? calloc(1, sizeof *m) : NULL;
    if (!m) {
        if (plan)
            coverage_plan_free(plan);
        return;
    }
    m->method = method;
    atomic_init(&m->plan, plan);
    if (agent_sharedmap_put(&c->methods, method, m) != m) { // another thread was first
        coverage_plan_free(plan);
        free(m);
        return;
    }
    arm_plan(c, method, plan, list);
    PUSH(&c->all, m, next);
    mark_fresh(c, m);
}

static void cover_class(Coverage *c, jclass class, Places *list)
{
    if (!is_wanted(c, class))
        return;
    jint len;
    jmethodID *methods = points_methods(class, &len);
    for (jint i = 0; i < len; i++)
        cover_method(c, methods[i], list);
    agent_deallocate(lens.jvmti, methods);
    atomic_fetch_add_explicit(&c->classes, 1, memory_order_relaxed);
}

static void JNICALL on_class_prepare(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jclass class)
{
    (void)jvmti, (void)jni, (void)thread;
    for (unsigned i = 0; i < COVERAGES; i++) {
        Coverage *c = atomic_load_explicit(&active[i], memory_order_acquire);
        Places list = {0};
        if (c)
            cover_class(c, class, &list);
        places_flush(&list, true);
        free(list.at);
    }
}

// Classes that are loaded already.
static void cover_loaded(LensOrder *order, JNIEnv *jni)
{
    Coverage *c = order->data;
    jint len = 0;
    jclass *classes = NULL;
    Places list = {0};
    if ((*lens.jvmti)->GetLoadedClasses(lens.jvmti, &len, &classes) != JVMTI_ERROR_NONE)
        len = 0;
    for (jint i = 0; i < len; i++) {
        if (!order->stopping)
            cover_class(c, classes[i], &list);
        (*jni)->DeleteLocalRef(jni, classes[i]);
        if (list.len < BATCH && i < len - 1)
            continue;
        places_flush(&list, true);
        lens_progress(order, (unsigned)(1000ull * (unsigned)(i + 1) / (unsigned)len), 0,
                      "Setting breakpoints in the classes that are loaded.");
    }
    agent_deallocate(lens.jvmti, classes);
    free(list.at);
}

// ---- groups ----

static bool is_known(const CoverPlan *plan, const CoverJump *jump)
{
    for (uint32_t i = 0; i < jump->len; i++)
        if (!plan->ways[jump->first + i].is_told)
            return false;
    return true;
}

static void put_to_sleep(Coverage *c, CoverMethod *m, CoverPlan *plan, CoverJump *jump)
{
    assert(!jump->is_known && !(atomic_load(&jump->opened) & 1));
    if (c->sleepers_len == c->sleepers_cap) {
        size_t cap = c->sleepers_cap ? c->sleepers_cap * 2 : 64;
        Sleeper *grown = realloc(c->sleepers, cap * sizeof *grown);
        if (!grown)
            return; // what is known of it stays as it is
        c->sleepers = grown;
        c->sleepers_cap = cap;
    }
    uint64_t ms = (uint64_t)GROUP_SLEEP_MS << jump->rounds;
    if (jump->rounds < GROUP_ROUNDS)
        jump->rounds++;
    c->sleepers[c->sleepers_len++] = (Sleeper){m, plan, jump, lens_now() + ms * 1000000};
}

static void close_group(Coverage *c, CoverMethod *m, CoverPlan *plan, CoverJump *jump)
{
    bool is_open = atomic_load_explicit(&jump->opened, memory_order_relaxed) & 1;
    uint32_t hits = atomic_load_explicit(&jump->hits, memory_order_relaxed);
    if (!is_open || c->counts)
        return;
    jump->is_known = is_known(plan, jump);
    if (!jump->is_known && hits < GROUP_HITS)
        return;
    coverage_open(jump, false);
    coverage_count_group(plan, jump, -1);
    if (!jump->is_known)
        put_to_sleep(c, m, plan, jump);
}

static void arm_group(CoverMethod *m, CoverPlan *plan, CoverJump *jump, Places *list)
{
    coverage_count_group(plan, jump, 1);
    for (uint32_t i = 0; i <= jump->len; i++) {
        uint32_t bci = i < jump->len ? plan->ways[jump->first + i].target : jump->bci;
        CoverPlace *place = coverage_place(plan, bci);
        if (!place->is_armed)
            place->is_armed = places_add(list, m->method, bci);
    }
}

// Opens the groups that have slept long enough.
static void wake_groups(Coverage *c, uint64_t now)
{
    ASSERT_AGENT_THREAD();
    Places list = {0};
    size_t kept = 0, woken = 0;
    Sleeper *awake = malloc((c->sleepers_len + 1) * sizeof *awake);
    if (!awake)
        return;
    for (size_t i = 0; i < c->sleepers_len; i++) {
        Sleeper s = c->sleepers[i];
        if (atomic_load_explicit(&s.method->plan, memory_order_relaxed) != s.plan)
            continue;
        if (s.until > now || list.len >= BATCH) {
            c->sleepers[kept++] = s;
            continue;
        }
        arm_group(s.method, s.plan, s.jump, &list);
        awake[woken++] = s;
    }
    c->sleepers_len = kept;
    places_flush(&list, true);
    for (size_t i = 0; i < woken; i++)
        coverage_open(awake[i].jump, true);
    free(awake);
    free(list.at);
}

// ---- telling ----

static bool tell_line(Coverage *c, const CoverMethod *m, uint32_t bci, uint32_t count)
{
    LensRecord record;
    lens_record_begin(&record, LENS_COVERAGE, c->order);
    lens_put_u(&record, 0);
    lens_put_id(&record, LENS_DEF_METHOD, m->id);
    lens_put_u(&record, bci);
    lens_put_u(&record, count);
    return lens_record_end(&record);
}

static bool tell_way(Coverage *c, const CoverMethod *m, const CoverJump *jump, uint32_t target,
                     uint32_t count)
{
    LensRecord record;
    lens_record_begin(&record, LENS_COVERAGE, c->order);
    lens_put_u(&record, 1);
    lens_put_id(&record, LENS_DEF_METHOD, m->id);
    lens_put_u(&record, jump->bci);
    lens_put_u(&record, target);
    lens_put_u(&record, count);
    return lens_record_end(&record);
}

// What is told is told for good, or counted on; false where the ring was full: it is told later.
static bool tell_place(Coverage *c, CoverMethod *m, CoverPlan *plan, CoverPlace *p)
{
    uint32_t hits = atomic_exchange_explicit(&p->hits, 0, memory_order_relaxed);
    if (!hits)
        return true;
    p->was_hit = true;
    uint32_t count = c->counts ? hits : 1;
    if (p->is_line && (c->counts || !p->line_told)) {
        p->line_told = tell_line(c, m, p->bci, count);
        if (!p->line_told) {
            atomic_fetch_add_explicit(&p->hits, hits, memory_order_relaxed);
            return false;
        }
    }
    if (!p->alone_of || (p->way_told && !c->counts))
        return true;
    assert(p->alone_of <= plan->jumps_len);
    CoverJump *jump = &plan->jumps[p->alone_of - 1];
    p->way_told = tell_way(c, m, jump, p->bci, count);
    if (p->way_told)
        coverage_way(plan, jump, p->bci)->is_told = true;
    else if (!c->counts)
        atomic_fetch_add_explicit(&p->hits, hits, memory_order_relaxed);
    return p->way_told;
}

static bool tell_jump(Coverage *c, CoverMethod *m, CoverPlan *plan, CoverJump *jump)
{
    bool all = true;
    for (uint32_t i = 0; i < jump->len; i++) {
        CoverWay *way = &plan->ways[jump->first + i];
        uint32_t taken = atomic_exchange_explicit(&way->taken, 0, memory_order_relaxed);
        if (!taken || (way->is_told && !c->counts))
            continue;
        if (tell_way(c, m, jump, way->target, c->counts ? taken : 1)) {
            way->is_told = true;
        } else {
            atomic_fetch_add_explicit(&way->taken, taken, memory_order_relaxed);
            all = false;
        }
    }
    return all;
}

static bool needs_place(const Coverage *c, const CoverPlace *p)
{
    return c->counts || p->groups || ((p->is_line || p->alone_of) && !p->was_hit);
}

static void look_at_method(Coverage *c, JNIEnv *jni, CoverMethod *m, Places *clear)
{
    CoverPlan *plan = atomic_load_explicit(&m->plan, memory_order_relaxed);
    bool all = true;
    if (!m->id)
        m->id = lens_method_id(jni, m->method);
    for (uint32_t i = 0; i < plan->places_len; i++)
        all &= tell_place(c, m, plan, &plan->places[i]);
    for (uint32_t i = 0; i < plan->jumps_len; i++) {
        all &= tell_jump(c, m, plan, &plan->jumps[i]);
        close_group(c, m, plan, &plan->jumps[i]);
    }
    for (uint32_t i = 0; i < plan->places_len; i++) {
        CoverPlace *p = &plan->places[i];
        if (p->is_armed && !needs_place(c, p))
            p->is_armed = !places_add(clear, m->method, p->bci);
    }
    if (!all)
        mark_dirty(c, m);
}

static void look(Coverage *c, JNIEnv *jni)
{
    ASSERT_AGENT_THREAD();
    Places clear = {0};
    CoverMethod *m = atomic_exchange_explicit(&c->dirty, NULL, memory_order_acquire);
    while (m) {
        CoverMethod *next = m->next_dirty;
        atomic_store_explicit(&m->is_dirty, false, memory_order_release); // before its counts
        look_at_method(c, jni, m, &clear);
        m = next;
    }
    places_flush(&clear, false);
    free(clear.at);
}

// Puts what there is to reach in a method into a block of records: each with the count 0.
static void put_plan(const CoverMethod *m, const CoverPlan *plan, LensBuffer *block)
{
    for (uint32_t i = 0; i < plan->places_len; i++) {
        if (!plan->places[i].is_line)
            continue;
        lens_buffer_u(block, 0);
        lens_buffer_u(block, m->id);
        lens_buffer_u(block, plan->places[i].bci);
        lens_buffer_u(block, 0);
    }
    for (uint32_t i = 0; i < plan->jumps_len; i++)
        for (uint32_t k = 0; k < plan->jumps[i].len; k++) {
            lens_buffer_u(block, 1);
            lens_buffer_u(block, m->id);
            lens_buffer_u(block, plan->jumps[i].bci);
            lens_buffer_u(block, plan->ways[plan->jumps[i].first + k].target);
            lens_buffer_u(block, 0);
        }
}

// Tells what is covered, before it is reached: so lines and ways that never are can be shown. What
// does not go now goes with the next tick.
static void tell_fresh(Coverage *c, JNIEnv *jni)
{
    ASSERT_AGENT_THREAD();
    if (!lens_connection_room(c->order->connection))
        return;
    LensBuffer block = {0};
    CoverMethod *m = atomic_exchange_explicit(&c->fresh, NULL, memory_order_acquire);
    while (m && block.len < FRESH_BYTES && !block.failed) {
        CoverMethod *next = m->next_fresh;
        atomic_store_explicit(&m->is_fresh, false, memory_order_release); // before its plan
        if (!m->id)
            m->id = lens_method_id(jni, m->method);
        if (m->id) {
            lens_tell(c->order, LENS_DEF_METHOD, m->id);
            put_plan(m, atomic_load_explicit(&m->plan, memory_order_relaxed), &block);
        }
        m = next;
    }
    if (block.len && !block.failed)
        (void)lens_send(c->order, LENS_COVERAGE, block.bytes, block.len);
    lens_buffer_free(&block);
    while (m) {
        CoverMethod *next = m->next_fresh;
        PUSH(&c->fresh, m, next_fresh);
        m = next;
    }
}

static void tell_places(Coverage *c)
{
    uint64_t places = atomic_load_explicit(&c->places, memory_order_relaxed);
    if (places == c->told_places || !c->order->worker_done)
        return;
    c->told_places = places;
    char text[160];
    snprintf(text, sizeof text, "%llu places of %llu classes are watched.",
             (unsigned long long)places,
             (unsigned long long)atomic_load_explicit(&c->classes, memory_order_relaxed));
    lens_progress(c->order, 1000, 0, text);
}

// ---- redefined classes ----

static void note_redefined(Coverage *c, JNIEnv *jni, jclass class)
{
    Renewal *r = calloc(1, sizeof *r);
    if (!r)
        return;
    r->class = (*jni)->NewWeakGlobalRef(jni, class);
    r->since = lens_now();
    PUSH(&c->redefined, r, next);
}

static void JNICALL on_class_file(jvmtiEnv *jvmti, JNIEnv *jni, jclass redefined,
                                  jobject loader, const char *name, jobject domain, jint len,
                                  const unsigned char *bytes, jint *new_len,
                                  unsigned char **new_bytes)
{
    (void)jvmti, (void)loader, (void)name, (void)domain;
    (void)len, (void)bytes, (void)new_len, (void)new_bytes;
    for (unsigned i = 0; redefined && i < COVERAGES; i++) {
        Coverage *c = atomic_load_explicit(&active[i], memory_order_acquire);
        if (c)
            note_redefined(c, jni, redefined);
    }
}

static bool is_same_plan(const CoverPlan *a, const CoverPlan *b)
{
    if (a->places_len != b->places_len || a->ways_len != b->ways_len)
        return false;
    for (uint32_t i = 0; i < a->places_len; i++)
        if (a->places[i].bci != b->places[i].bci
            || a->places[i].is_line != b->places[i].is_line)
            return false;
    for (uint32_t i = 0; i < a->ways_len; i++)
        if (a->ways[i].target != b->ways[i].target)
            return false;
    return true;
}

static void disarm_plan(jmethodID method, CoverPlan *plan, Places *list)
{
    for (uint32_t i = 0; i < plan->places_len; i++)
        if (plan->places[i].is_armed)
            plan->places[i].is_armed = !places_add(list, method, plan->places[i].bci);
}

// Another code, or the same without its breakpoints: as VMs drop them all in a redefined class.
static void renew_method(Coverage *c, JNIEnv *jni, CoverMethod *m)
{
    CoverPlan *old = atomic_load_explicit(&m->plan, memory_order_relaxed);
    CoverPlan *plan = coverage_plan(m->method, c->branches);
    if (!plan)
        return;
    if (is_same_plan(old, plan)) {
        coverage_plan_free(plan);
        points_restore(m->method);
        return;
    }
    Places list = {0};
    disarm_plan(m->method, old, &list);
    places_flush(&list, false);
    atomic_store_explicit(&m->plan, plan, memory_order_release);
    old->next = c->retired; // a listener may still be in it
    c->retired = old;
    lens_method_changed(jni, m->method);
    m->id = 0;
    arm_plan(c, m->method, plan, &list);
    places_flush(&list, true);
    free(list.at);
    mark_fresh(c, m);
}

static void renew_class(Coverage *c, JNIEnv *jni, jclass class)
{
    Places list = {0};
    jint len;
    jmethodID *methods = points_methods(class, &len);
    for (jint i = 0; i < len; i++) {
        CoverMethod *m = agent_sharedmap_get(&c->methods, methods[i]);
        if (m)
            renew_method(c, jni, m);
    }
    agent_deallocate(lens.jvmti, methods);
    cover_class(c, class, &list); // methods that are new
    places_flush(&list, true);
    free(list.at);
}

// The hook comes before the redefinition, which no event ends: so we look several times.
static void renew(Coverage *c, JNIEnv *jni, uint64_t now)
{
    ASSERT_AGENT_THREAD();
    Renewal *found = atomic_exchange_explicit(&c->redefined, NULL, memory_order_acquire);
    while (found) {
        Renewal *next = found->next;
        found->next = c->renewals;
        c->renewals = found;
        found = next;
    }
    for (Renewal **at = &c->renewals; *at;) {
        Renewal *r = *at;
        jclass class = (*jni)->NewLocalRef(jni, r->class);
        if (class && now - r->since >= renewal_ms[r->looks] * 1000000ull) {
            renew_class(c, jni, class);
            r->looks++;
        }
        if (class && r->looks < RENEWALS) {
            at = &r->next;
        } else {
            *at = r->next;
            (*jni)->DeleteWeakGlobalRef(jni, r->class);
            free(r);
        }
        (*jni)->DeleteLocalRef(jni, class);
    }
}

// ---- the order ----

static void free_methods(Coverage *c)
{
    CoverMethod *m = atomic_load_explicit(&c->all, memory_order_relaxed);
    while (m) {
        CoverMethod *next = m->next;
        coverage_plan_free(atomic_load_explicit(&m->plan, memory_order_relaxed));
        free(m);
        m = next;
    }
    while (c->retired) {
        CoverPlan *next = c->retired->next;
        coverage_plan_free(c->retired);
        c->retired = next;
    }
}

static void free_renewals(JNIEnv *jni, Renewal *r)
{
    while (r) {
        Renewal *next = r->next;
        (*jni)->DeleteWeakGlobalRef(jni, r->class);
        free(r);
        r = next;
    }
}

static void coverage_free(Coverage *c, JNIEnv *jni)
{
    free_methods(c);
    free_renewals(jni, c->renewals);
    free_renewals(jni, atomic_load_explicit(&c->redefined, memory_order_relaxed));
    agent_sharedmap_free(&c->methods);
    if (c->include)
        lens_patterns_free(c->include);
    if (c->exclude)
        lens_patterns_free(c->exclude);
    free(c->sleepers);
    free(c);
}

static Coverage *coverage_new(LensOrder *order)
{
    Coverage *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    const char *exclude = lens_arg(order, "exclude", "");
    c->order = order;
    c->told_places = UINT64_MAX; // so that none are told, too
    c->include = lens_patterns_new(lens_arg(order, "include", "*"));
    c->exclude = *exclude ? lens_patterns_new(exclude) : NULL;
    if (c->include && (c->exclude || !*exclude) && agent_sharedmap_init(&c->methods, 16))
        return c;
    coverage_free(c, lens_jni());
    return NULL;
}

static bool want_events(bool on)
{
    static const jvmtiEvent events[] = {JVMTI_EVENT_BREAKPOINT, JVMTI_EVENT_CLASS_PREPARE,
                                        JVMTI_EVENT_CLASS_FILE_LOAD_HOOK};
    bool ok = true;
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        ok &= lens_want_event(events[i], on);
    return ok;
}

// A slot among the active; false: all are taken.
static bool activate(Coverage *c)
{
    for (unsigned i = 0; i < COVERAGES; i++)
        if (!atomic_load_explicit(&active[i], memory_order_relaxed)) {
            c->slot = i;
            atomic_store_explicit(&active[i], c, memory_order_release);
            return true;
        }
    return false;
}

static void stop(LensOrder *order, JNIEnv *jni)
{
    Coverage *c = order->data;
    Places list = {0};
    lens_worker_join(order);
    tell_fresh(c, jni);
    look(c, jni);
    assert(atomic_load_explicit(&active[c->slot], memory_order_relaxed) == c);
    atomic_store_explicit(&active[c->slot], NULL, memory_order_release);
    want_events(false);
    bool is_quiet = lens_wait_for_listeners();
    CoverMethod *m = atomic_load_explicit(&c->all, memory_order_acquire);
    for (; m && !lens_loop_is_ending(); m = m->next)
        disarm_plan(m->method, atomic_load_explicit(&m->plan, memory_order_acquire), &list);
    places_flush(&list, false);
    free(list.at);
    if (is_quiet) // else a listener is in it, and it stays
        coverage_free(c, jni);
}

static void tick(LensOrder *order, JNIEnv *jni, uint64_t now)
{
    Coverage *c = order->data;
    renew(c, jni, now);
    tell_fresh(c, jni);
    look(c, jni);
    wake_groups(c, now);
    tell_places(c);
}

static bool can_cover(LensOrder *order)
{
    jvmtiCapabilities had = {0}, can = {0};
    (void)(*lens.jvmti)->GetCapabilities(lens.jvmti, &had);
    (void)(*lens.jvmti)->GetPotentialCapabilities(lens.jvmti, &can);
    if (!had.can_generate_breakpoint_events && !can.can_generate_breakpoint_events) {
        lens_fail(order, "Coverage needs breakpoints, which this VM gives only from the start: "
                         "start the program with -agentpath:.../liblens.so, or use JaCoCo, "
                         "which is faster there.");
        return false;
    }
    jvmtiCapabilities more = {.can_generate_all_class_hook_events = 1};
    return points_need(order, "Coverage", more);
}

static LensStarted start(LensOrder *order, JNIEnv *jni)
{
    bool branches, counts;
    if (!lens_arg_flag(order, "branches", false, &branches)
        || !lens_arg_flag(order, "counts", false, &counts) || !can_cover(order))
        return LENS_OVER;
    Coverage *c = coverage_new(order);
    if (!c) {
        lens_fail(order, "There is no memory left for coverage.");
        return LENS_OVER;
    }
    c->branches = branches;
    c->counts = counts;
    if (!activate(c)) {
        lens_fail(order, "%d coverages run already; stop one of them.", COVERAGES);
        coverage_free(c, jni);
        return LENS_OVER;
    }
    order->data = c;
    order->every = TICK_MS * 1000000ull;
    if (!want_events(true) || !lens_worker_start(order, cover_loaded)) {
        lens_fail(order, "The VM refuses the events that coverage needs.");
        stop(order, jni);
        return LENS_OVER;
    }
    lens_accept(order,
                points_has_lists()
                    ? ""
                    : "Methods with breakpoints are interpreted by this VM, 7 to 19 times "
                      "slower: JaCoCo is faster here.",
                NULL, 0);
    return LENS_RUNS;
}

void lens_part_coverage(void)
{
    LENS_LISTEN(JVMTI_EVENT_BREAKPOINT, on_breakpoint);
    LENS_LISTEN(JVMTI_EVENT_CLASS_PREPARE, on_class_prepare);
    LENS_LISTEN(JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, on_class_file);
}

const LensVerb lens_verb_coverage = {"coverage", start, stop, tick, 0};
