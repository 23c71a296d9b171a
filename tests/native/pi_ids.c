// SPDX-License-Identifier: Apache-2.0
// Enables every JVMPI event and follows all IDs: each is defined before it is used, not defined
// twice, undefined once; objects are followed through their moves. At the end what was allocated
// and not freed is compared with a heap dump of level 0. Prints what is wrong, and what was seen.
#include "pi_common.h"

enum { TRIES = 10 };
static JVMPI_RawMonitor lock;
static PiMap objects;      // -> arena
static PiMap classes;      // class object -> 1
static PiMap methods;      // -> 1
static PiMap threads;      // env -> thread object
static PiMap globals;      // reference -> 1
static PiMap arenas;       // id + 2 -> 1
static PiMap self_classed; // java.lang.Class, which is of its own class
static JNIEnv *collector;
static long counts[JVMPI_MAX_EVENT_TYPE_VAL + 1], errors;
static int main_started, done;

static void wrong(const char *what, const void *id)
{
    if (errors++ < 20)
        printf("wrong: %s %s\n", what, id ? "" : "(NULL)");
}

static void need(const PiMap *m, const void *id, const char *what)
{
    if (!pi_map_find(m, (uintptr_t)id))
        wrong(what, id);
}

static void define(PiMap *m, const void *id, uintptr_t value, const char *what)
{
    if (pi_map_find(m, (uintptr_t)id))
        wrong(what, id);
    pi_map_put(m, (uintptr_t)id, value);
}

static void undefine(PiMap *m, const void *id, const char *what)
{
    if (!pi_map_remove(m, (uintptr_t)id))
        wrong(what, id);
}

static void need_arena(jint id)
{
    need(&arenas, (void *)(uintptr_t)(id + 2), "unknown arena");
}

static void object_alloc(const JVMPI_Event *e)
{
    define(&objects, e->u.obj_alloc.obj_id, (uintptr_t)e->u.obj_alloc.arena_id,
           "object allocated at the place of a live one");
    need_arena(e->u.obj_alloc.arena_id);
    jint kind = e->u.obj_alloc.is_array;
    if (kind == JVMPI_NORMAL_OBJECT && !e->u.obj_alloc.class_id)
        define(&self_classed, &self_classed, 1, "second object without a class");
    else if (kind == JVMPI_NORMAL_OBJECT || kind == JVMPI_CLASS)
        need(&classes, e->u.obj_alloc.class_id, "object of an unknown class");
    if (e->u.obj_alloc.size < 16 || e->u.obj_alloc.size % 8)
        wrong("size of an object", e->u.obj_alloc.obj_id);
}

static void object_move(const JVMPI_Event *e)
{
    uintptr_t from = (uintptr_t)e->u.obj_move.obj_id, to = (uintptr_t)e->u.obj_move.new_obj_id;
    const struct PiEntry *was = pi_map_find(&objects, from);
    if (!was)
        wrong("move of an unknown object", (void *)from);
    else if (was->value != (uintptr_t)e->u.obj_move.arena_id)
        wrong("move from another arena", (void *)from);
    need_arena(e->u.obj_move.new_arena_id);
    pi_map_remove(&objects, from);
    define(&objects, (void *)to, (uintptr_t)e->u.obj_move.new_arena_id,
           "move onto a live object");
    if (pi_map_remove(&classes, from))
        pi_map_put(&classes, to, 1);
}

static void object_free(const JVMPI_Event *e)
{
    undefine(&objects, e->u.obj_free.obj_id, "free of an unknown object");
}

// The objects of the arena are gone, without events of their own.
static void arena_delete(const JVMPI_Event *e)
{
    undefine(&arenas, (void *)(uintptr_t)(e->u.delete_arena.arena_id + 2), "end of an arena");
    for (size_t i = 0; i < objects.size; i++)
        if (objects.at[i].key > 1
            && objects.at[i].value == (uintptr_t)e->u.delete_arena.arena_id)
            wrong("an object neither freed nor moved before its arena ended", NULL);
}

static void class_load(const JVMPI_Event *e)
{
    define(&classes, e->u.class_load.class_id, 1, "class loaded twice");
    need(&objects, e->u.class_load.class_id, "class without an object");
    for (jint i = 0; i < e->u.class_load.num_methods; i++)
        define(&methods, e->u.class_load.methods[i].method_id, 1, "method defined twice");
}

static void thread_start(const JVMPI_Event *e)
{
    define(&threads, e->u.thread_start.thread_env_id, (uintptr_t)e->u.thread_start.thread_id,
           "thread started twice");
    need(&objects, e->u.thread_start.thread_id, "thread without an object");
    main_started |= strcmp(e->u.thread_start.thread_name, "main") == 0;
}

// What was dropped since the last collection is still known, but not in the dump.
static int garbage;

static void compare_dump(const JVMPI_Event *e)
{
    long dumped = 0, unknown = 0;
    for (const char *p = e->u.heap_dump.begin; p < e->u.heap_dump.end;
         p += 1 + sizeof(void *)) {
        uintptr_t id;
        memcpy(&id, p + 1, sizeof id);
        dumped++;
        unknown += !pi_map_find(&objects, id);
    }
    if (unknown)
        wrong("objects in the dump that were never allocated", e);
    garbage = (size_t)dumped < objects.live;
}

static void handle(const JVMPI_Event *e)
{
    switch (e->event_type & ~JVMPI_REQUESTED_EVENT) {
    case JVMPI_EVENT_ARENA_NEW:
        define(&arenas, (void *)(uintptr_t)(e->u.new_arena.arena_id + 2), 1, "arena twice");
        break;
    case JVMPI_EVENT_ARENA_DELETE: arena_delete(e); break;
    case JVMPI_EVENT_OBJECT_ALLOC: object_alloc(e); break;
    case JVMPI_EVENT_OBJECT_MOVE: object_move(e); break;
    case JVMPI_EVENT_OBJECT_FREE: object_free(e); break;
    case JVMPI_EVENT_CLASS_LOAD: class_load(e); break;
    case JVMPI_EVENT_CLASS_UNLOAD:
        undefine(&classes, e->u.class_unload.class_id, "unload of an unknown class");
        break;
    case JVMPI_EVENT_THREAD_START: thread_start(e); break;
    case JVMPI_EVENT_THREAD_END:
        undefine(&threads, e->env_id, "end of an unknown thread");
        break;
    case JVMPI_EVENT_METHOD_ENTRY:
    case JVMPI_EVENT_METHOD_EXIT:
        need(&methods, e->u.method.method_id, "unknown method");
        break;
    case JVMPI_EVENT_INSTRUCTION_START:
        need(&methods, e->u.instruction.method_id, "instruction of an unknown method");
        break;
    case JVMPI_EVENT_METHOD_ENTRY2:
        if (e->u.method_entry2.obj_id)
            need(&objects, e->u.method_entry2.obj_id, "unknown receiver");
        break;
    case JVMPI_EVENT_MONITOR_CONTENDED_ENTER:
    case JVMPI_EVENT_MONITOR_CONTENDED_ENTERED:
    case JVMPI_EVENT_MONITOR_CONTENDED_EXIT:
        need(&objects, e->u.monitor.object, "unknown monitor");
        break;
    case JVMPI_EVENT_MONITOR_WAIT:
    case JVMPI_EVENT_MONITOR_WAITED:
        if (e->u.monitor_wait.object)
            need(&objects, e->u.monitor_wait.object, "unknown monitor waited on");
        break;
    case JVMPI_EVENT_JNI_GLOBALREF_ALLOC:
    case JVMPI_EVENT_JNI_WEAK_GLOBALREF_ALLOC:
        need(&objects, e->u.jni_globalref_alloc.obj_id, "reference to an unknown object");
        define(&globals, e->u.jni_globalref_alloc.ref_id, 1, "reference made twice");
        break;
    case JVMPI_EVENT_JNI_GLOBALREF_FREE:
    case JVMPI_EVENT_JNI_WEAK_GLOBALREF_FREE:
        undefine(&globals, e->u.jni_globalref_free.ref_id, "unknown reference deleted");
        break;
    case JVMPI_EVENT_HEAP_DUMP: compare_dump(e); break;
    default: break;
    }
}

// The lock is taken when a collection begins and given back when it ends, so that its events,
// whose handlers may not block, own it already.
static void bracket(const JVMPI_Event *e)
{
    jint type = e->event_type;
    if (type == JVMPI_EVENT_GC_START) {
        pi->RawMonitorEnter(lock);
        if (collector)
            wrong("a collection inside another", collector);
        collector = e->env_id;
        return;
    }
    if (collector != e->env_id)
        wrong("a collection ends on another thread", collector);
    if (e->u.gc_info.used_object_space > e->u.gc_info.total_object_space)
        wrong("more is used than there is", collector);
    collector = NULL;
    pi->RawMonitorExit(lock);
}

static int is_of_collection(jint type)
{
    return type == JVMPI_EVENT_OBJECT_FREE || type == JVMPI_EVENT_OBJECT_MOVE
           || type == JVMPI_EVENT_ARENA_DELETE;
}

static void at_end(void)
{
    done = 1;
    JVMPI_HeapDumpArg level = {JVMPI_DUMP_LEVEL_0};
    garbage = 1;
    for (int i = 0; i < TRIES && garbage; i++) { // threads of the class library may still run
        pi->RunGC();
        if (pi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, &level) != JVMPI_SUCCESS)
            printf("no heap dump\n");
    }
    if (garbage)
        wrong("allocated less freed is not what the dump holds", &level);
    static const struct {
        jint type;
        const char *name;
    } seen[] = {
        {JVMPI_EVENT_METHOD_ENTRY, "METHOD_ENTRY"},
        {JVMPI_EVENT_METHOD_ENTRY2, "METHOD_ENTRY2"},
        {JVMPI_EVENT_METHOD_EXIT, "METHOD_EXIT"},
        {JVMPI_EVENT_OBJECT_ALLOC, "OBJECT_ALLOC"},
        {JVMPI_EVENT_OBJECT_FREE, "OBJECT_FREE"},
        {JVMPI_EVENT_OBJECT_MOVE, "OBJECT_MOVE"},
        {JVMPI_EVENT_THREAD_START, "THREAD_START"},
        {JVMPI_EVENT_CLASS_LOAD, "CLASS_LOAD"},
        {JVMPI_EVENT_ARENA_NEW, "ARENA_NEW"},
        {JVMPI_EVENT_ARENA_DELETE, "ARENA_DELETE"},
        {JVMPI_EVENT_GC_START, "GC_START"},
        {JVMPI_EVENT_GC_FINISH, "GC_FINISH"},
        {JVMPI_EVENT_JVM_INIT_DONE, "JVM_INIT_DONE"},
    };
    for (size_t i = 0; i < sizeof seen / sizeof *seen; i++)
        printf("%s %s\n", seen[i].name, counts[seen[i].type] ? "seen" : "missing");
    pi->RawMonitorEnter(lock); // no collection is under way
    int paired = counts[JVMPI_EVENT_GC_START] == counts[JVMPI_EVENT_GC_FINISH];
    pi->RawMonitorExit(lock);
    printf("GC events paired: %s\n", paired ? "yes" : "no");
    printf("wrong: %ld\n", errors);
    fflush(stdout);
}

// Most are of the method of the one before: that one was looked up.
static int is_known_instruction(const JVMPI_Event *e)
{
    static _Thread_local jmethodID last;
    if (e->event_type != JVMPI_EVENT_INSTRUCTION_START)
        return 0;
    int known = last == e->u.instruction.method_id;
    last = e->u.instruction.method_id;
    return known;
}

// A thread that attaches itself makes its Thread object and its name first, and may have to
// collect for that.
static int may_come_before_start(const JVMPI_Event *e)
{
    return collector == e->env_id || e->event_type == JVMPI_EVENT_THREAD_START
           || e->event_type == JVMPI_EVENT_OBJECT_ALLOC;
}

static void notify(JVMPI_Event *e)
{
    jint type = e->event_type & ~JVMPI_REQUESTED_EVENT;
    if (is_known_instruction(e))
        return;
    if (type == JVMPI_EVENT_JVM_SHUT_DOWN) {
        at_end();
        return;
    }
    if (done && type == JVMPI_EVENT_HEAP_DUMP)
        done = 2;
    if (type == JVMPI_EVENT_GC_START)
        bracket(e);
    if (is_of_collection(type)) {
        if (collector != e->env_id)
            wrong("event of a collection outside of one", e->env_id);
        counts[type]++;
        handle(e);
        return;
    }
    pi->RawMonitorEnter(lock);
    counts[type]++;
    if (main_started && !may_come_before_start(e))
        need(&threads, e->env_id, "event of an unknown thread");
    handle(e);
    pi->RawMonitorExit(lock);
    if (type == JVMPI_EVENT_GC_FINISH)
        bracket(e);
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved);
JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)reserved;
    pi_start(vm, JVMPI_VERSION_1_2, notify);
    lock = pi->RawMonitorCreate("_ids");
    for (jint type = 1; type <= JVMPI_MAX_EVENT_TYPE_VAL; type++)
        if (type != JVMPI_EVENT_INSTRUCTION_START || strstr(options, "instructions"))
            pi->EnableEvent(type, NULL);
    if (strstr(options, "nomethods"))
        for (jint type = JVMPI_EVENT_METHOD_ENTRY; type <= JVMPI_EVENT_METHOD_EXIT; type++)
            pi->DisableEvent(type, NULL);
    return JNI_OK;
}
