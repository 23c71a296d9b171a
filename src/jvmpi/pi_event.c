// SPDX-License-Identifier: Apache-2.0
// The subscriber: makes JVMPI events of what the VM posts, and sends them. NotifyEvent runs
// IN_NATIVE in a frame of local references of its own, with no exception pending; what was
// pending is pending again afterwards. Events with object IDs are sent from within a section of
// heap_critical_enter, which ends before the thread comes back into the VM, so that a suspended
// thread keeps no collection away. The events of a collection are sent IN_VM: the world is
// stopped.
#include "class/method_id.h"
#include "code/compiled_code.h"
#include "frame/frame_cursor.h"
#include "jvmpi/pi.h"

#include <stdlib.h>

#include "java/exception.h"
#include "java/java_thread.h"
#include "options/options.h"

#define BIT(type) pi_bit(JVMPI_EVENT_##type)

_Atomic bool pi_initialized;
static _Atomic uint64_t wanted_types; // by all agents together
static _Atomic uint64_t wanted_core;  // what event_want knows of

// ---- who wants what ----
static const struct {
    jint type;
    uint64_t core; // bits of the core events
} rows[] = {
#define E(id)                        1ull << EVENT_##id |
#define PI_EVENT(number, name, core) {number, core 0},
#define PI_DUMP(number, name)
#include "spec/jvmpi_events.def"
#undef PI_EVENT
#undef PI_DUMP
#undef E
};
_Static_assert(EVENT_COUNT <= 64, "core events fit into a mask");

// Wanted as long as there is an agent: what this layer keeps depends on them.
static const uint64_t always_wanted = 1ull << EVENT_VM_INIT | 1ull << EVENT_THREAD_END
                                      | 1ull << EVENT_CLASS_LOAD | 1ull << EVENT_CLASS_MADE;

bool pi_is_wanted(jint type)
{
    return atomic_load_explicit(&wanted_types, memory_order_relaxed) & pi_bit(type);
}

void pi_events_changed(void)
{
    uint64_t types = 0, core = always_wanted;
    Thread *self = thread_current();
    thread_lock_undisturbed(self, &event_changes);
    PI_AGENT_EACH(a)
    types |= atomic_load(&a->enabled);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (types & pi_bit(rows[i].type))
            core |= rows[i].core;
    atomic_store(&wanted_types, types);
    uint64_t changed = core ^ atomic_exchange(&wanted_core, core);
    for (int id = 0; id < EVENT_COUNT; id++)
        if (changed >> id & 1)
            event_want((EventId)id, core >> id & 1 ? 1 : -1);
    thread_unlock_undisturbed(self, &event_changes);
}

// JVMPI_NOT_AVAILABLE for what can only be requested or does not exist.
static jint availability(jint type)
{
    if (type == JVMPI_EVENT_INSTRUCTION_START && !vm_options.jvmpi_instructions)
        return JVMPI_NOT_AVAILABLE;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (rows[i].type == type)
            return JVMPI_SUCCESS;
    return JVMPI_NOT_AVAILABLE;
}

// ---- sending ----
static void notify(PiAgent *a, JVMPI_Event *e)
{
    JVMPI_Event copy = *e;
    a->table.NotifyEvent(&copy);
}

// Arenas that the agent has not seen begin.
static void report_arenas(Thread *self, PiAgent *a)
{
    if (!pi_agent_wants(a, JVMPI_EVENT_ARENA_NEW)
        || atomic_exchange_explicit(&a->reported_arenas, true, memory_order_relaxed))
        return;
    for (int arena = ARENA_YOUNG; arena <= ARENA_OLD; arena++)
        notify(a, &(JVMPI_Event){
                      .event_type = JVMPI_EVENT_ARENA_NEW,
                      .env_id = jni_env(self),
                      .u.new_arena = {arena, (char *)(uintptr_t)heap_arena_name(arena)}});
}

// The thread is where handlers run.
static void notify_all(Thread *self, PiAgent *only, JVMPI_Event *e)
{
    e->env_id = jni_env(self);
    if (only) {
        e->event_type |= JVMPI_REQUESTED_EVENT;
        if (only->table.NotifyEvent)
            notify(only, e);
        return;
    }
    jint type = e->event_type;
    PI_AGENT_EACH(a)
    {
        report_arenas(self, a);
        if (pi_agent_wants(a, type))
            notify(a, e);
    }
}

void pi_send(Thread *self, PiAgent *only, JVMPI_Event *e)
{
    ASSERT_NO_LOCKS();
    if (world_is_stopped()) {
        notify_all(self, only, e);
        return;
    }
    thread_leave_vm(self, THREAD_IN_NATIVE);
    notify_all(self, only, e);
    thread_enter_vm(self);
}

void pi_begin_gc_off(Thread *self)
{
    ASSERT_MAY_GC(self);
    heap_critical_enter(self);
}

void pi_send_gc_off(Thread *self, PiAgent *only, JVMPI_Event *e)
{
    ASSERT_MAY_GC(self);
    bool stopped = world_is_stopped();
    if (!stopped)
        thread_leave_vm(self, THREAD_IN_NATIVE);
    notify_all(self, only, e);
    heap_critical_exit();
    if (!stopped)
        thread_enter_vm(self);
}

static void send_plain(Thread *self, jint type)
{
    if (pi_is_wanted(type))
        pi_send(self, NULL, &(JVMPI_Event){.event_type = type});
}

// An event about one object (or none) and perhaps a time.
static void send_object(Thread *self, jint type, jobject object, jlong timeout)
{
    if (!pi_is_wanted(type) || !pi_thread(self)) // what an ended thread does is not reported
        return;
    pi_begin_gc_off(self);
    JVMPI_Event e = {.event_type = type, .u.monitor_wait = {pi_id(deref(object)), timeout}};
    pi_send_gc_off(self, NULL, &e);
}

// ---- compiled code ----
typedef VEC(JVMPI_Lineno) Lines;

static void add_line(Lines *lines, const CompiledCode *code, const CodePosition *p)
{
    uint32_t scope = p->scope, bci = p->bci;
    while (compiled_caller(code, &scope, &bci))
        continue;
    jint line = method_line(code->method, (int32_t)bci);
    if (line > 0 && (!lines->len || lines->at[lines->len - 1].lineno != line))
        vec_push(lines, ((JVMPI_Lineno){(jint)p->offset, line}));
}

static void on_compiled(Thread *self, const void *payload)
{
    const CompiledCode *code = ((const struct Event_COMPILED_LOAD *)payload)->code;
    if (((const struct Event_COMPILED_LOAD *)payload)->only)
        return; // another interface's
    Lines lines = {0};
    for (uint32_t i = 0; i < code->position_count; i++)
        add_line(&lines, code, &code->positions[i]);
    pi_send(self, NULL,
            &(JVMPI_Event){.event_type = JVMPI_EVENT_COMPILED_METHOD_LOAD,
                           .u.compiled_method_load = {
                               method_id(code->method), (void *)(uintptr_t)code->blob->start,
                               (jint)code->blob->size, (jint)lines.len, lines.at}});
    vec_free(&lines);
}

static void on_compiled_unload(Thread *self, const void *payload)
{
    const struct Event_COMPILED_UNLOAD *e = payload;
    pi_send(self, NULL,
            &(JVMPI_Event){.event_type = JVMPI_EVENT_COMPILED_METHOD_UNLOAD,
                           .u.compiled_method_unload = {e->method}});
}

// ---- methods ----
static const Object *receiver_of(const Thread *self)
{
    FrameCursor f = cursor_youngest(self);
    cursor_settle(&f);
    return cursor_value(&f, 0).ref;
}

static void on_method_entry(Thread *self, const void *payload)
{
    Method *m = ((const struct Event_METHOD_ENTRY *)payload)->method;
    pi_report_class(self, m->cls, false);
    if (pi_is_wanted(JVMPI_EVENT_METHOD_ENTRY))
        pi_send(self, NULL,
                &(JVMPI_Event){.event_type = JVMPI_EVENT_METHOD_ENTRY,
                               .u.method.method_id = method_id(m)});
    if (!pi_is_wanted(JVMPI_EVENT_METHOD_ENTRY2))
        return;
    pi_begin_gc_off(self);
    const Object *receiver = method_is_static(m) ? NULL : receiver_of(self);
    pi_send_gc_off(self, NULL,
                   &(JVMPI_Event){.event_type = JVMPI_EVENT_METHOD_ENTRY2,
                                  .u.method_entry2 = {method_id(m), pi_id(receiver)}});
}

static void on_method_exit(Thread *self, const void *payload)
{
    Method *m = ((const struct Event_METHOD_EXIT *)payload)->method;
    pi_send(self, NULL,
            &(JVMPI_Event){.event_type = JVMPI_EVENT_METHOD_EXIT,
                           .u.method.method_id = method_id(m)});
}

static void on_instruction(Thread *self, const void *payload)
{
    const struct Event_INSTRUCTION *i = payload;
    JVMPI_Event e = {.event_type = JVMPI_EVENT_INSTRUCTION_START,
                     .u.instruction = {method_id(i->method), (jint)i->bci, {{0}}}};
    if (i->branch == 'i') {
        e.u.instruction.u.if_info.is_true = i->a != 0;
    } else if (i->branch == 't') {
        e.u.instruction.u.tableswitch_info.key = i->a;
        e.u.instruction.u.tableswitch_info.low = i->b;
        e.u.instruction.u.tableswitch_info.hi = i->c;
    } else if (i->branch == 'l') {
        e.u.instruction.u.lookupswitch_info.chosen_pair_index = i->a;
        e.u.instruction.u.lookupswitch_info.pairs_total = i->b;
    }
    pi_send(self, NULL, &e);
}

// ---- classes ----
static void *hook_malloc(unsigned int size)
{
    return malloc(size);
}

static void call_hook(PiAgent *a, Thread *self, const struct Event_CLASS_FILE_LOAD *l)
{
    unsigned char *bytes = (unsigned char *)(uintptr_t)*l->bytes;
    JVMPI_Event e = {
        .event_type = JVMPI_EVENT_CLASS_LOAD_HOOK,
        .env_id = jni_env(self),
        .u.class_load_hook = {bytes, (jint)*l->len, bytes, (jint)*l->len, hook_malloc}};
    thread_leave_vm(self, THREAD_IN_NATIVE);
    a->table.NotifyEvent(&e);
    thread_enter_vm(self);
    unsigned char *made = e.u.class_load_hook.new_class_data;
    if (!made || made == bytes)
        return;
    jint given = e.u.class_load_hook.new_class_data_len;
    size_t len = given > 0 ? (size_t)given : 0;
    uint8_t *copy = vm_malloc(len);
    memcpy(copy, made, len);
    free(made);
    if (*l->bytes != l->given)
        vm_free(bytes);
    *l->bytes = copy;
    *l->len = len;
}

static void on_class_file(Thread *self, const void *payload)
{
    const struct Event_CLASS_FILE_LOAD *l = payload;
    if (l->redefined)
        return;
    PI_AGENT_EACH(a)
    if (pi_agent_wants(a, JVMPI_EVENT_CLASS_LOAD_HOOK))
        call_hook(a, self, l);
}

static void on_class(Thread *self, const void *payload)
{
    pi_report_class(self, ((const struct Event_CLASS_LOAD *)payload)->cls, true);
}

static void on_class_dying(Thread *self, const void *payload)
{
    const Class *c = ((const struct Event_CLASS_DYING *)payload)->cls;
    if (pi_class_is_known(c))
        pi_send(self, NULL,
                &(JVMPI_Event){.event_type = JVMPI_EVENT_CLASS_UNLOAD,
                               .u.class_unload.class_id = pi_id(class_mirror(c))});
}

// ---- objects ----
static void on_alloc(Thread *self, const void *payload)
{
    pi_send_alloc(self, ((const struct Event_OBJECT_ALLOC *)payload)->object, NULL);
}

static void on_died(Thread *self, const void *payload)
{
    const struct Event_OBJECT_DIED *d = payload;
    pi_send(self, NULL,
            &(JVMPI_Event){.event_type = JVMPI_EVENT_OBJECT_FREE,
                           .u.obj_free.obj_id = pi_id(d->object)});
}

static void on_moved(Thread *self, const void *payload)
{
    const struct Event_OBJECT_MOVED *m = payload;
    if (pi_is_unreported(m->to))
        return;
    pi_send(self, NULL,
            &(JVMPI_Event){.event_type = JVMPI_EVENT_OBJECT_MOVE,
                           .u.obj_move = {m->from_arena, pi_id(m->from), heap_arena_of(m->to),
                                          pi_id(m->to)}});
}

static void on_arena_begin(Thread *self, const void *payload)
{
    int arena = ((const struct Event_ARENA_BEGIN *)payload)->arena;
    char *name = (char *)(uintptr_t)heap_arena_name(arena);
    pi_send(self, NULL,
            &(JVMPI_Event){.event_type = JVMPI_EVENT_ARENA_NEW, .u.new_arena = {arena, name}});
}

static void on_arena_end(Thread *self, const void *payload)
{
    pi_send(self, NULL,
            &(JVMPI_Event){.event_type = JVMPI_EVENT_ARENA_DELETE,
                           .u.delete_arena.arena_id =
                               ((const struct Event_ARENA_END *)payload)->arena});
}

static void on_global_new(Thread *self, const void *payload)
{
    const struct Event_GLOBAL_NEW *g = payload;
    jint type =
        g->weak ? JVMPI_EVENT_JNI_WEAK_GLOBALREF_ALLOC : JVMPI_EVENT_JNI_GLOBALREF_ALLOC;
    if (!pi_is_wanted(type))
        return;
    pi_begin_gc_off(self);
    JVMPI_Event e = {.event_type = type,
                     .u.jni_globalref_alloc = {pi_id(deref(g->object)), g->reference}};
    pi_send_gc_off(self, NULL, &e);
}

static void on_global_delete(Thread *self, const void *payload)
{
    const struct Event_GLOBAL_DELETE *g = payload;
    jint type = g->weak ? JVMPI_EVENT_JNI_WEAK_GLOBALREF_FREE : JVMPI_EVENT_JNI_GLOBALREF_FREE;
    if (pi_is_wanted(type))
        pi_send(
            self, NULL,
            &(JVMPI_Event){.event_type = type, .u.jni_globalref_free.ref_id = g->reference});
}

// ---- monitors ----
enum { NANOS_PER_MS = 1000 * 1000 };

static void begin_wait(Thread *self, jobject object, jlong timeout)
{
    PiThread *data = pi_thread(self);
    if (data)
        data->wait_began = os_nanos();
    send_object(self, JVMPI_EVENT_MONITOR_WAIT, object, timeout);
}

static void end_wait(Thread *self, jobject object)
{
    PiThread *data = pi_thread(self);
    jlong waited = data ? (os_nanos() - data->wait_began) / NANOS_PER_MS : 0;
    send_object(self, JVMPI_EVENT_MONITOR_WAITED, object, waited);
}

static void on_enter(Thread *self, const void *payload)
{
    send_object(self, JVMPI_EVENT_MONITOR_CONTENDED_ENTER,
                ((const struct Event_MONITOR_ENTER *)payload)->object, 0);
}

static void on_entered(Thread *self, const void *payload)
{
    send_object(self, JVMPI_EVENT_MONITOR_CONTENDED_ENTERED,
                ((const struct Event_MONITOR_ENTERED *)payload)->object, 0);
}

static void on_exit_contended(Thread *self, const void *payload)
{
    send_object(self, JVMPI_EVENT_MONITOR_CONTENDED_EXIT,
                ((const struct Event_MONITOR_EXIT *)payload)->object, 0);
}

static void on_wait(Thread *self, const void *payload)
{
    const struct Event_MONITOR_WAIT *w = payload;
    begin_wait(self, w->object, w->timeout_ms);
}

static void on_waited(Thread *self, const void *payload)
{
    end_wait(self, ((const struct Event_MONITOR_WAITED *)payload)->object);
}

static void on_sleep(Thread *self, const void *payload)
{
    begin_wait(self, NULL, ((const struct Event_SLEEP *)payload)->timeout_ms);
}

static void on_slept(Thread *self, const void *payload)
{
    (void)payload;
    end_wait(self, NULL);
}

// ---- collections ----
static void on_gc_prepare(Thread *self, const void *payload)
{
    (void)payload;
    PI_AGENT_EACH(a)
    a->in_collection = pi_agent_wants(a, JVMPI_EVENT_GC_START);
    send_plain(self, JVMPI_EVENT_GC_START);
}

static void count_object(void *ctx, Object *o)
{
    (void)o;
    ++*(jlong *)ctx;
}

// To the agents that got the event of its beginning, or do not want it.
static void on_gc_finish(Thread *self, const void *payload)
{
    (void)payload;
    if (!pi_is_wanted(JVMPI_EVENT_GC_FINISH))
        return;
    HeapStats stats;
    JVMPI_Event e = {.event_type = JVMPI_EVENT_GC_FINISH, .env_id = jni_env(self)};
    heap_stats(&stats);
    heap_each_object(count_object, &e.u.gc_info.used_objects);
    e.u.gc_info.used_object_space = (jlong)stats.used;
    e.u.gc_info.total_object_space = (jlong)stats.committed;
    PI_AGENT_EACH(a)
    {
        bool paired = a->in_collection || !pi_agent_wants(a, JVMPI_EVENT_GC_START);
        a->in_collection = false;
        if (paired && pi_agent_wants(a, JVMPI_EVENT_GC_FINISH))
            notify(a, &e);
    }
}

// ---- threads and life ----
static void on_thread_begin(Thread *self, const void *payload)
{
    (void)payload;
    pi_send_thread_start(self, self, self->java_thread, NULL);
}

static void on_thread_end(Thread *self, const void *payload)
{
    (void)payload;
    send_plain(self, JVMPI_EVENT_THREAD_END);
    pi_thread_forget(self);
}

static void on_init(Thread *self, const void *payload)
{
    (void)payload;
    atomic_store(&pi_initialized, true);
    pi_check_started();
    send_plain(self, JVMPI_EVENT_JVM_INIT_DONE);
}

static void on_death(Thread *self, const void *payload)
{
    (void)payload;
    send_plain(self, JVMPI_EVENT_JVM_SHUT_DOWN);
}

static void on_data_dump(Thread *self, const void *payload)
{
    (void)payload;
    send_plain(self, JVMPI_EVENT_DATA_DUMP_REQUEST);
    send_plain(self, JVMPI_EVENT_DATA_RESET_REQUEST);
}

// ---- the subscriber ----
typedef void (*Maker)(Thread *self, const void *payload);
static const Maker makers[EVENT_COUNT] = {
    [EVENT_METHOD_ENTRY] = on_method_entry,
    [EVENT_METHOD_EXIT] = on_method_exit,
    [EVENT_INSTRUCTION] = on_instruction,
    [EVENT_CLASS_FILE_LOAD] = on_class_file,
    [EVENT_CLASS_LOAD] = on_class,
    [EVENT_CLASS_MADE] = on_class,
    [EVENT_CLASS_DYING] = on_class_dying,
    [EVENT_OBJECT_ALLOC] = on_alloc,
    [EVENT_OBJECT_DIED] = on_died,
    [EVENT_OBJECT_MOVED] = on_moved,
    [EVENT_ARENA_BEGIN] = on_arena_begin,
    [EVENT_ARENA_END] = on_arena_end,
    [EVENT_GLOBAL_NEW] = on_global_new,
    [EVENT_GLOBAL_DELETE] = on_global_delete,
    [EVENT_MONITOR_ENTER] = on_enter,
    [EVENT_MONITOR_ENTERED] = on_entered,
    [EVENT_MONITOR_EXIT] = on_exit_contended,
    [EVENT_MONITOR_WAIT] = on_wait,
    [EVENT_MONITOR_WAITED] = on_waited,
    [EVENT_SLEEP] = on_sleep,
    [EVENT_SLEPT] = on_slept,
    [EVENT_GC_PREPARE] = on_gc_prepare,
    [EVENT_GC_FINISH] = on_gc_finish,
    [EVENT_THREAD_BEGIN] = on_thread_begin,
    [EVENT_THREAD_END] = on_thread_end,
    [EVENT_VM_INIT] = on_init,
    [EVENT_VM_DEATH] = on_death,
    [EVENT_DATA_DUMP] = on_data_dump,
    [EVENT_COMPILED_LOAD] = on_compiled,
    [EVENT_COMPILED_UNLOAD] = on_compiled_unload,
};

static void listen(Thread *self, EventId id, const void *payload)
{
    if (!self || !makers[id]
        || !(atomic_load_explicit(&wanted_core, memory_order_relaxed) >> id & 1))
        return;
    HANDLE_SCOPE(self);
    ExceptionAside pending = exception_put_aside(self);
    makers[id](self, payload);
    if (!exception_pending(self))
        exception_put_back(self, pending);
}

void pi_events_start(void)
{
    bool early = thread_current() == NULL;
    atomic_store(&pi_initialized, atomic_load(&vm_initialized));
    pi_classes_start(early);
    event_subscribe(listen);
    PI_CALL;
    pi_events_changed();
}

// ---- the agents' functions ----
jint pi_EnableEvent(PiAgent *agent, jint event_type, void *arg)
{
    (void)arg;
    jint available = availability(event_type);
    if (available != JVMPI_SUCCESS)
        return available;
    PI_CALL;
    atomic_fetch_or(&agent->enabled, pi_bit(event_type));
    pi_events_changed();
    if (self && !world_is_stopped()) {
        thread_leave_vm(self, THREAD_IN_NATIVE);
        report_arenas(self, agent);
        thread_enter_vm(self);
    }
    return JVMPI_SUCCESS;
}

jint pi_DisableEvent(PiAgent *agent, jint event_type, void *arg)
{
    (void)arg;
    jint available = availability(event_type);
    if (available != JVMPI_SUCCESS)
        return available;
    PI_CALL;
    atomic_fetch_and(&agent->enabled, ~pi_bit(event_type));
    pi_events_changed();
    return JVMPI_SUCCESS;
}
