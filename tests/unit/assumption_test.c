// SPDX-License-Identifier: Apache-2.0
// src/class/assumption.c: registering, breaking and forgetting assumptions of each kind, with classes, methods and
// objects by hand; what breaks one on its way (linking, events, JNI, constant pools that go); threads that register
// while another breaks.
#include "class/assumption.h"
#include "class/loader_internal.h"
#include "class/vm_classes.h"
#include "event/event.h"
#include "interp/breakpoint.h"
#include "interp/interp.h"
#include "jni/jni_vm.h"
#include "redefine/class_version.h"
#include "thread/monitor.h"
#include "vmtest.h"

enum { CONTENT = 16, MS = 1000 * 1000 }; // offset of the content of objects

static Thread *self;
static Loader loader_a;
static Package package_p;

static void start(void)
{
    static const HeapWorld world = {.stop = world_stop_to_collect,
                                    .resume = world_resume,
                                    .each_mutator = threads_each_mutator,
                                    .visit_roots = threads_visit_roots,
                                    .block = thread_block,
                                    .unblock = thread_unblock};
    static const void *handlers[1];
    char error[200];
    if (self)
        return;
    symbols_init();
    HeapOptions o = {.initial = 8 << 20, .max = 32 << 20, .young = 1 << 20};
    VM_CHECK(heap_init(&o, error, sizeof error) && class_space_init(64 << 20, PLACEMENT_LOW));
    heap_set_world(&world);
    threads_init(256 * 1024);
    monitors_init();
    thread_set_dispatch(handlers, handlers, handlers);
    thread_jni_table = jni_table();
    assumptions_init(breakpoints_set);
    self = thread_attach_current(0);
    VM_CHECK(self);
}

// ---- what depends ----
typedef struct Client {
    Dependent dependent; // first
    bool stays;
    int invalidated, published;
    AssumptionKind kind;
    const void *object;
} Client;

static bool client_invalidate(Dependent *d, AssumptionKind kind, const void *object)
{
    Client *c = (Client *)(void *)d;
    VM_CHECK(world_is_stopped());
    c->invalidated++;
    c->kind = kind;
    c->object = object;
    return c->stays;
}

static void client_publish(Dependent *d)
{
    ((Client *)(void *)d)->published++;
}

static Client client(void)
{
    return (Client){.dependent = {.invalidate = client_invalidate}};
}

static bool assume_one(Client *c, AssumptionKind kind, const void *object, const void *value)
{
    return assume(self, &c->dependent, &(Assumption){kind, object, value}, 1, client_publish);
}

// Fields that are watched or not are the simplest assumption.
static bool assume_unwatched(Client *c, const Field *f)
{
    return assume_one(c, ASSUME_FIELD_UNWATCHED, f, ASSUMED_NUMBER(WATCH_ACCESS));
}

static void break_watch(Field *f)
{
    f->watch = WATCH_ACCESS;
    assumption_break(self, ASSUME_FIELD_UNWATCHED, f);
    f->watch = 0;
}

// ---- the table ----
TEST(all_or_none_are_registered)
{
    start();
    Field free = {0}, watched = {.watch = WATCH_MODIFY};
    Client c = client();
    Assumption both[] = {{ASSUME_FIELD_UNWATCHED, &free, ASSUMED_NUMBER(WATCH_MODIFY)},
                         {ASSUME_FIELD_UNWATCHED, &watched, ASSUMED_NUMBER(WATCH_MODIFY)}};
    EXPECT(!assume(self, &c.dependent, both, 2, client_publish));
    EXPECT_INT(0, assumptions_registered());
    EXPECT_INT(0, c.published);
    both[1].value = ASSUMED_NUMBER(WATCH_ACCESS); // that one is off
    EXPECT(assume(self, &c.dependent, both, 2, client_publish));
    EXPECT(assume(self, &c.dependent, both, 2, NULL));
    EXPECT_INT(2, assumptions_registered());
    EXPECT_INT(1, c.published);
    dependent_remove(&c.dependent);
    EXPECT_INT(0, assumptions_registered());
}

TEST(each_dependent_is_invalidated_once)
{
    start();
    Field f = {0}, other = {0};
    Client goes = client(), stays = client();
    stays.stays = true;
    EXPECT(assume_unwatched(&goes, &f) && assume_unwatched(&goes, &other));
    EXPECT(assume_unwatched(&stays, &f) && assume_unwatched(&stays, &f));
    break_watch(&f);
    EXPECT(goes.invalidated == 1 && stays.invalidated == 1);
    EXPECT(stays.object == &f && stays.kind == ASSUME_FIELD_UNWATCHED);
    EXPECT(!world_is_stopped());
    break_watch(&f);
    break_watch(&other); // one that is invalid depends on nothing any more
    EXPECT(goes.invalidated == 1 && stays.invalidated == 2);
    EXPECT_INT(1, assumptions_registered());
    dependent_remove(&stays.dependent);
    break_watch(&f);
    EXPECT_INT(2, stays.invalidated);
}

enum { FIELDS = 700, MANY = 90 };
static bool assume_some(Client *c, const Field *fields, uint32_t from, uint32_t count)
{
    Assumption some[2 * MANY];
    for (uint32_t n = 0; n < 2 * count; n++)
        some[n] = (Assumption){ASSUME_FIELD_UNWATCHED, &fields[(from + n / 2) % FIELDS],
                               ASSUMED_NUMBER(WATCH_ACCESS)};
    return assume(self, &c->dependent, some, 2 * count, NULL);
}

TEST(a_large_table_is_as_a_simple_one)
{
    enum { CLIENTS = 60, STEPS = 60000 };
    start();
    static Client clients[CLIENTS];
    static Field fields[FIELDS];
    static bool model[CLIENTS][FIELDS];
    uint32_t random = 7, expected = 0, wrong = 0;
    for (int i = 0; i < CLIENTS; i++)
        clients[i] = client(), clients[i].stays = i % 2;
    for (int step = 0; step < STEPS; step++) {
        random = random * 1664525u + 1013904223u;
        uint32_t i = (random >> 8) % CLIENTS, k = (random >> 16) % FIELDS;
        if (random >> 28 == 0) {
            break_watch(&fields[k]);
            for (int j = 0; j < CLIENTS; j++) {
                wrong += clients[j].invalidated != model[j][k];
                clients[j].invalidated = 0;
                if (model[j][k] && !clients[j].stays)
                    memset(model[j], 0, sizeof model[j]);
            }
        } else {
            uint32_t count = random % 97 ? 1 : MANY; // some at once, each twice
            wrong += !assume_some(&clients[i], fields, k, count);
            for (uint32_t n = 0; n < count; n++)
                model[i][(k + n) % FIELDS] = true;
        }
    }
    for (int i = 0; i < CLIENTS * FIELDS; i++)
        expected += (&model[0][0])[i];
    EXPECT_INT(0, wrong);
    EXPECT(expected > 1000);
    EXPECT_INT(expected, assumptions_registered());
    EXPECT(assumptions_bytes() < 36 * 2 * CLIENTS * FIELDS);
    for (int i = 0; i < CLIENTS; i++)
        dependent_remove(&clients[i].dependent);
    EXPECT_INT(0, assumptions_registered());
}

// ---- classes by hand ----
static Class *class_by_hand(const char *name, Class *super, uint16_t access)
{
    Class *c = vm_calloc(1, sizeof *c);
    c->name = symbol_intern(name);
    c->kind = 'L';
    c->access = access;
    c->super = super;
    c->cf = vm_calloc(1, sizeof *c->cf);
    c->cf->major = 51;
    c->loader = &loader_a;
    c->package = &package_p;
    c->layout.loader_data = vm_calloc(1, sizeof *c->layout.loader_data);
    mutex_lock(&loader_lock);
    class_add_to_super(c);
    mutex_unlock(&loader_lock);
    return c;
}

static Method *add_method(Class *c, const char *name, uint16_t access)
{
    if (!c->methods)
        c->methods = vm_calloc(4, sizeof *c->methods);
    Method *m = &c->methods[c->method_count];
    *m = (Method){.cls = c,
                  .slot = c->method_count++,
                  .name = symbol_intern(name),
                  .desc = SYM(void_sig),
                  .access = access,
                  .table_index = -1};
    c->first_method_count++;
    return m;
}

static void join(Class *c)
{
    EXPECT(vtable_build(self, c));
    class_join_hierarchy(self, c);
}

static Method *unique(Method *m)
{
    mutex_lock(&loader_lock);
    Method *u = class_unique_implementation(m);
    mutex_unlock(&loader_lock);
    return u;
}

TEST(a_leaf_gets_a_subclass)
{
    start();
    Class *top = class_by_hand("Top", NULL, ACC_PUBLIC);
    Class *below = class_by_hand("Below", top, ACC_PUBLIC);
    Client c = client();
    join(top);
    EXPECT(assume_one(&c, ASSUME_CLASS_LEAF, top, NULL)); // below is loaded, not linked
    join(below);
    EXPECT(c.invalidated == 1 && c.object == top);
    EXPECT(!assume_one(&c, ASSUME_CLASS_LEAF, top, NULL));
    EXPECT(assume_one(&c, ASSUME_CLASS_LEAF, below, NULL));
    dependent_remove(&c.dependent);
}

TEST(a_method_gets_a_second_implementation)
{
    start();
    Class *top = class_by_hand("A", NULL, ACC_PUBLIC | ACC_ABSTRACT);
    Method *m = add_method(top, "m", ACC_PUBLIC | ACC_ABSTRACT);
    Method *n = add_method(top, "n", ACC_PUBLIC);
    Class *one = class_by_hand("B", top, ACC_PUBLIC);
    Method *m_of_one = add_method(one, "m", ACC_PUBLIC);
    Client on_m = client(), on_n = client(), on_one = client();
    join(top);
    EXPECT(unique(m) == NULL && unique(n) == NULL); // no receivers
    join(one);
    EXPECT(unique(m) == m_of_one && unique(n) == n);
    EXPECT(!assume_one(&on_m, ASSUME_METHOD_UNIQUE, m, n));
    EXPECT(assume_one(&on_m, ASSUME_METHOD_UNIQUE, m, m_of_one));
    EXPECT(assume_one(&on_n, ASSUME_METHOD_UNIQUE, n, n));
    EXPECT(assume_one(&on_one, ASSUME_METHOD_UNIQUE, m_of_one, m_of_one));
    join(class_by_hand("C", one, ACC_PUBLIC)); // inherits all
    EXPECT(!on_m.invalidated && !on_n.invalidated && !on_one.invalidated);
    Class *two = class_by_hand("D", one, ACC_PUBLIC);
    add_method(two, "m", ACC_PUBLIC);
    EXPECT(unique(m) == m_of_one); // not yet linked
    join(two);
    EXPECT(on_m.invalidated == 1 && on_m.object == m);
    EXPECT(on_one.invalidated == 1 && on_one.object == m_of_one);
    EXPECT(!on_n.invalidated && !unique(m) && !unique(m_of_one) && unique(n) == n);
    dependent_remove(&on_n.dependent);
}

// Calling m on one throws AbstractMethodError: no call may go to the implementation of the other.
TEST(a_class_lacks_the_implementation)
{
    start();
    Class *top = class_by_hand("A2", NULL, ACC_PUBLIC | ACC_ABSTRACT);
    Method *m = add_method(top, "m", ACC_PUBLIC | ACC_ABSTRACT);
    Class *one = class_by_hand("B2", top, ACC_PUBLIC);
    Method *m_of_one = add_method(one, "m", ACC_PUBLIC);
    Client c = client();
    join(top);
    join(one);
    EXPECT(assume_one(&c, ASSUME_METHOD_UNIQUE, m, m_of_one));
    join(class_by_hand("C2", top, ACC_PUBLIC | ACC_ABSTRACT));
    EXPECT_INT(0, c.invalidated);
    join(class_by_hand("D2", top, ACC_PUBLIC));
    EXPECT_INT(1, c.invalidated);
    EXPECT(unique(m) == NULL);
}

static void link(Class *c)
{
    join(c);
    atomic_store_explicit(&c->state, CLASS_LINKED, memory_order_release);
}

// An abstract class has no receivers: what it does itself was selected by none, until a class inherits it.
TEST(a_class_inherits_what_none_selected)
{
    start();
    Class *top = class_by_hand("A3", NULL, ACC_PUBLIC | ACC_ABSTRACT);
    Method *m = add_method(top, "m", ACC_PUBLIC), *n = add_method(top, "n", ACC_PUBLIC);
    Class *one = class_by_hand("B3", top, ACC_PUBLIC);
    Method *m_of_one = add_method(one, "m", ACC_PUBLIC);
    Client on_m = client(), on_n = client();
    link(top);
    link(one);
    EXPECT(assume_one(&on_m, ASSUME_METHOD_UNIQUE, m, m_of_one));
    EXPECT(assume_one(&on_n, ASSUME_METHOD_UNIQUE, n, n));
    Class *between = class_by_hand("C3", top, ACC_PUBLIC | ACC_ABSTRACT);
    add_method(between, "n", ACC_PUBLIC);
    link(between);
    EXPECT(!on_m.invalidated && !on_n.invalidated && unique(n) == n);
    link(class_by_hand("D3", top, ACC_PUBLIC));
    EXPECT_INT(1, on_m.invalidated);
    EXPECT(unique(m) == NULL);
    EXPECT_INT(0, on_n.invalidated); // as before
    link(class_by_hand("E3", between, ACC_PUBLIC));
    EXPECT_INT(1, on_n.invalidated);
    EXPECT(unique(n) == NULL);
}

TEST(too_many_subclasses_are_not_looked_at)
{
    start();
    Class *top = class_by_hand("Wide", NULL, ACC_PUBLIC);
    Method *m = add_method(top, "m", ACC_PUBLIC);
    join(top);
    for (int i = 0; i < 255; i++)
        join(class_by_hand("Narrow", top, ACC_PUBLIC));
    EXPECT(unique(m) == m);
    join(class_by_hand("Narrow", top, ACC_PUBLIC));
    EXPECT(unique(m) == NULL);
}

TEST(a_body_is_of_one_version)
{
    start();
    ConstantPool first = {0}, second = {0};
    Method m = {.pool = &first}, old = {.pool = &first, .flags = METHOD_OLD};
    Client c = client();
    EXPECT(assume_one(&c, ASSUME_METHOD_BODY, &m, &first));
    EXPECT(!assume_one(&c, ASSUME_METHOD_BODY, &m, &second));
    EXPECT(!assume_one(&c, ASSUME_METHOD_BODY, &old, &first));
    m.flags = METHOD_DELETED;
    EXPECT(!assume_one(&c, ASSUME_METHOD_BODY, &m, &first));
    assumption_break(self, ASSUME_METHOD_BODY, &m);
    EXPECT_INT(1, c.invalidated);
}

TEST(a_breakpoint_is_set)
{
    start();
    static const uint8_t code_attribute[16];
    MethodInfo info = {.code = code_attribute};
    ConstantPool pool = {0};
    Insn code[] = {{.op = BC_nop}, {.op = BC_nop, .bci = 1}, {.op = BC_return, .bci = 2}};
    Method m = {.pool = &pool, .info = &info, .code = code, .insn_count = ARRAY_LEN(code)};
    Client c = client();
    const void *before = ASSUMED_NUMBER(breakpoints_set());
    EXPECT(assume_one(&c, ASSUME_METHOD_BREAKPOINTS, &m, before));
    world_stop(self);
    EXPECT(breakpoint_set(self, &m, 1, &c));
    world_resume(self);
    EXPECT_INT(1, c.invalidated);
    EXPECT(!assume_one(&c, ASSUME_METHOD_BREAKPOINTS, &m, before));
    const void *then = ASSUMED_NUMBER(breakpoints_set());
    EXPECT(assume_one(&c, ASSUME_METHOD_BREAKPOINTS, &m, then));
    world_stop(self);
    EXPECT(breakpoint_clear(&m, 1, &c));
    world_resume(self);
    EXPECT(assume_one(&c, ASSUME_METHOD_BREAKPOINTS, &m, then));
    EXPECT_INT(1, c.invalidated);
    dependent_remove(&c.dependent);
}

TEST(an_event_is_switched_on)
{
    start();
    Client entry = client(), leave = client();
    EXPECT(assume_one(&entry, ASSUME_EVENT_OFF, ASSUMED_NUMBER(EVENT_METHOD_ENTRY), NULL));
    EXPECT(assume_one(&leave, ASSUME_EVENT_OFF, ASSUMED_NUMBER(EVENT_METHOD_EXIT), NULL));
    event_want(EVENT_METHOD_ENTRY, 1);
    EXPECT(entry.invalidated == 1 && leave.invalidated == 0);
    EXPECT(!assume_one(&entry, ASSUME_EVENT_OFF, ASSUMED_NUMBER(EVENT_METHOD_ENTRY), NULL));
    event_want(EVENT_METHOD_ENTRY, -1);
    EXPECT(assume_one(&entry, ASSUME_EVENT_OFF, ASSUMED_NUMBER(EVENT_METHOD_ENTRY), NULL));
    EXPECT_INT(1, entry.invalidated);
    dependent_remove(&entry.dependent);
    dependent_remove(&leave.dependent);
}

// ---- what is in the heap ----
static jobject new_object(void)
{
    static Layout *plain;
    if (!plain) {
        plain = class_space_alloc(sizeof *plain);
        VM_CHECK(plain);
        *plain = (Layout){.shape = SHAPE_INSTANCE, .instance_size = 32};
    }
    Object *o = heap_alloc(self, plain, plain->instance_size);
    VM_CHECK(o);
    return global_new(o);
}

TEST(a_call_site_gets_another_target)
{
    start();
    vm_field_offsets[F_CallSite_target] = CONTENT;
    jobject site = new_object(), target = new_object(), other = new_object();
    object_set_ref(deref(site), CONTENT, deref(target));
    Client c = client();
    EXPECT(!assume_one(&c, ASSUME_CALL_SITE, site, other));
    EXPECT(assume_one(&c, ASSUME_CALL_SITE, site, target));
    assumption_break_call_site(self, other); // of another site
    EXPECT_INT(0, c.invalidated);
    object_set_ref(deref(site), CONTENT, deref(other));
    assumption_break_call_site(self, site);
    EXPECT_INT(1, c.invalidated);
    EXPECT(!assume_one(&c, ASSUME_CALL_SITE, site, target));
    global_delete(site);
    global_delete(target);
    global_delete(other);
}

TEST(jni_writes_to_a_final)
{
    start();
    Class *holder = class_by_hand("Finals", NULL, ACC_PUBLIC);
    holder->mirror = new_object();
    Field constant = {
        .cls = holder, .offset = CONTENT, .kind = 'I', .access = ACC_STATIC | ACC_FINAL};
    Field plain = {.cls = holder, .offset = CONTENT + 4, .kind = 'I', .access = ACC_STATIC};
    Client c = client();
    EXPECT(!assume_one(&c, ASSUME_FIELD_FINAL, &plain, NULL));
    EXPECT(assume_one(&c, ASSUME_FIELD_FINAL, &constant, NULL));
    JNIEnv *env = jni_env(self);
    thread_leave_vm(self, THREAD_IN_NATIVE);
    (*env)->SetStaticIntField(env, NULL, (jfieldID)&plain, 1);
    EXPECT_INT(0, c.invalidated);
    (*env)->SetStaticIntField(env, NULL, (jfieldID)&constant, 7);
    thread_enter_vm(self);
    EXPECT_INT(1, c.invalidated);
    EXPECT_INT(7, object_get_int(deref(holder->mirror), CONTENT));
    EXPECT(!assume_one(&c, ASSUME_FIELD_FINAL, &constant, NULL));
    global_delete(holder->mirror);
}

// ---- unloading ----
TEST(classes_are_unloaded)
{
    start();
    Class *dying = class_by_hand("Dying", NULL, ACC_PUBLIC);
    Class *living = class_by_hand("Living", NULL, ACC_PUBLIC);
    Field of_dying = {.cls = dying}, of_living = {.cls = living};
    Method *body = add_method(dying, "m", ACC_PUBLIC);
    Client code = client(), names = client();
    EXPECT(assume_one(&code, ASSUME_CLASS_ALIVE, dying, NULL));
    EXPECT(assume_unwatched(&code, &of_living));
    EXPECT(assume_unwatched(&names, &of_dying) && assume_unwatched(&names, &of_living));
    EXPECT(assume_one(&names, ASSUME_METHOD_BODY, body, NULL));
    EXPECT_INT(5, assumptions_registered());
    class_loader_data(dying)->dead = true;
    world_stop(self);
    assumptions_forget_dead();
    world_resume(self);
    EXPECT(code.invalidated == 1 && code.kind == ASSUME_CLASS_ALIVE && code.object == dying);
    EXPECT_INT(0, names.invalidated);
    EXPECT_INT(1, assumptions_registered()); // names and of_living
    EXPECT(!assume_one(&code, ASSUME_CLASS_ALIVE, dying, NULL));
    break_watch(&of_living);
    EXPECT_INT(1, names.invalidated);
}

TEST(a_constant_pool_goes)
{
    start();
    Field f = {0};
    static const uint8_t bytes[] = {0};
    static uint16_t cp_near[] = {0};
    Class *c = class_by_hand("Pool", NULL, ACC_PUBLIC);
    c->cf->bytes = bytes;
    c->cf->cp_near = cp_near;
    c->cf->cp_count = 1;
    ConstantPool *pool = constant_pool_new(c, c->cf);
    pool->accesses.invalidate = client_invalidate;
    EXPECT(assume(self, &pool->accesses,
                  &(Assumption){ASSUME_FIELD_UNWATCHED, &f, ASSUMED_NUMBER(WATCH_ACCESS)}, 1,
                  NULL));
    EXPECT_INT(1, assumptions_registered());
    pool->cf = vm_calloc(1, sizeof *pool->cf);
    pool->cf->cp_count = 1;
    constant_pool_free(pool);
    EXPECT_INT(0, assumptions_registered());
}

// ---- threads ----
enum { THREADS = 4, BREAKS = 300 };
static Field contended;
static Client racing[THREADS];
static _Atomic bool go_on;
static _Atomic int ended, held;

// A client that was published and not invalidated is right for as long as its thread does not poll.
static void register_often(Thread *t, void *arg)
{
    Client *c = &racing[(intptr_t)arg];
    Assumption unwatched = {ASSUME_FIELD_UNWATCHED, &contended, ASSUMED_NUMBER(WATCH_ACCESS)};
    while (go_on) {
        int before = c->published - c->invalidated;
        bool holds = assume(t, &c->dependent, &unwatched, 1, before ? NULL : client_publish);
        VM_CHECK(holds == !contended.watch);
        VM_CHECK(c->published - c->invalidated == holds);
        held += holds;
        thread_poll(t);
        if (held % 3 == 0 && c->published > c->invalidated) {
            c->published--;
            dependent_remove(&c->dependent);
        }
    }
    dependent_remove(&c->dependent);
    ended++;
}

static void nap(void)
{
    thread_leave_vm(self, THREAD_IN_NATIVE);
    os_sleep_nanos(MS / 10);
    thread_enter_vm(self);
}

TEST(threads_register_while_one_breaks)
{
    start();
    go_on = true;
    for (intptr_t i = 0; i < THREADS; i++) {
        racing[i] = client();
        VM_CHECK(thread_start(self, NULL, 0, register_often, (void *)i));
    }
    for (int i = 0; i < BREAKS || (held < 1000 && i < 100 * BREAKS); i++) {
        world_stop(self);
        contended.watch = i % 2 ? 0 : WATCH_ACCESS;
        if (contended.watch)
            assumption_break(self, ASSUME_FIELD_UNWATCHED, &contended);
        for (int k = 0; k < THREADS; k++)
            EXPECT(!contended.watch || racing[k].published == racing[k].invalidated);
        world_resume(self);
        nap();
    }
    go_on = false;
    for (int i = 0; i < 200000 && ended < THREADS; i++)
        nap();
    EXPECT_INT(THREADS, ended);
    EXPECT(held >= 1000);
    EXPECT_INT(0, assumptions_registered());
}
