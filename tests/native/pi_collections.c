// SPDX-License-Identifier: Apache-2.0
// JVMPI and collections: what their events tell, what handlers of them may do, who waits for
// whom. Prints statements of the check list by number, for PiCollections.
#include <pthread.h>

#include "pi_common.h"

#define NATIVE(type, name, ...) PI_NATIVE(PiCollections, type, name, ##__VA_ARGS__)

enum { ROUNDS = 20 };
static int starts, finishes;
static jlong used_objects, used_space, total_space;
static jobjectID watched; // followed by its moves
static jobjectID watched_before, watched_found;
static JNIEnv *promoter;
static int freed, move_from, move_to, in_alloc, mode;
static int moves, others_moved, moves_requested, requests, arenas_begun, arenas_ended,
    order_wrong;
static char arena_names[3][32];
static jobjectID requested;
static JNIEnv *holder;
static long dumped;
static JVMPI_RawMonitor lock;
static int locked; // by the collection that is under way
static FILE *nowhere;

enum { PLAIN, LOCKING, PRINTING }; // mode: what handlers of collections do

static void gc_start(void)
{
    __atomic_add_fetch(&starts, 1, __ATOMIC_SEQ_CST);
    locked = mode == LOCKING;
    if (locked)
        pi->RawMonitorEnter(lock);
}

static void gc_finish(const JVMPI_Event *e)
{
    used_objects = e->u.gc_info.used_objects;
    used_space = e->u.gc_info.used_object_space;
    total_space = e->u.gc_info.total_object_space;
    if (locked)
        pi->RawMonitorExit(lock);
    if (mode == PRINTING) {
        for (size_t size = 16; size < 1 << 20; size *= 2)
            free(memset(malloc(size), 1, size));
        fprintf(nowhere, "%ld objects\n", (long)used_objects);
        fflush(nowhere);
    }
    __atomic_add_fetch(&finishes, 1, __ATOMIC_SEQ_CST);
}

static void moved(const JVMPI_Event *e)
{
    moves++;
    others_moved |= e->env_id != promoter;
    requested = NULL;
    jobjectID to = e->u.obj_move.new_obj_id;
    moves_requested +=
        pi->RequestEvent(JVMPI_EVENT_OBJECT_ALLOC, to) == JVMPI_SUCCESS && requested == to;
    if (e->u.obj_move.obj_id == watched) {
        watched = to;
        move_from = e->u.obj_move.arena_id;
        move_to = e->u.obj_move.new_arena_id;
        order_wrong += arenas_ended > 0;
    }
}

static void notify(JVMPI_Event *e)
{
    switch (e->event_type) {
    case JVMPI_EVENT_GC_START: gc_start(); break;
    case JVMPI_EVENT_GC_FINISH: gc_finish(e); break;
    case JVMPI_EVENT_OBJECT_MOVE: moved(e); break;
    case JVMPI_EVENT_OBJECT_FREE: freed |= e->u.obj_free.obj_id == watched; break;
    case JVMPI_EVENT_ARENA_NEW:
        arenas_begun++;
        if (e->u.new_arena.arena_id >= 1 && e->u.new_arena.arena_id <= 2)
            snprintf(arena_names[e->u.new_arena.arena_id], sizeof arena_names[0], "%s",
                     e->u.new_arena.arena_name);
        break;
    case JVMPI_EVENT_ARENA_DELETE:
        arenas_ended++;
        others_moved |= e->env_id != promoter;
        order_wrong += e->u.delete_arena.arena_id != 1;
        break;
    case JVMPI_EVENT_OBJECT_ALLOC:
        if (e->env_id != holder)
            break;
        holder = NULL;
        pi->RawMonitorEnter(lock);
        __atomic_store_n(&in_alloc, 1, __ATOMIC_SEQ_CST);
        pause_ms(50);
        pi->RawMonitorExit(lock);
        break;
    case JVMPI_EVENT_OBJECT_ALLOC | JVMPI_REQUESTED_EVENT:
        requests++;
        requested = e->u.obj_alloc.obj_id;
        break;
    case JVMPI_EVENT_HEAP_DUMP | JVMPI_REQUESTED_EVENT:
        dumped = (e->u.heap_dump.end - e->u.heap_dump.begin) / (long)(1 + sizeof(void *));
        break;
    default: break;
    }
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved);
JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    pi_start(vm, JVMPI_VERSION_1_1, notify);
    lock = pi->RawMonitorCreate("_collections");
    nowhere = fopen("/dev/null", "w");
    return nowhere ? JNI_OK : JNI_ERR;
}

static void pair_on(void)
{
    pi_enable(JVMPI_EVENT_GC_START);
    pi_enable(JVMPI_EVENT_GC_FINISH);
}

static void all_off(void)
{
    mode = PLAIN;
    for (jint type = 1; type <= JVMPI_MAX_EVENT_TYPE_VAL; type++)
        pi->DisableEvent(type, NULL);
}

// ---- natives ----
NATIVE(void, arenas)
{
    pi->DisableGC();
    pi_enable(JVMPI_EVENT_ARENA_NEW);
    check("88 93", arenas_begun == 2 && arena_names[1][0] && arena_names[2][0]
                       && strcmp(arena_names[1], arena_names[2]) != 0);
    all_off();
    pi->EnableGC();
}

// A collection with a young object. False: another thread has collected as well.
static int promote(JNIEnv *env)
{
    pi->RunGC(); // the young generation is empty
    jobject young = (*env)->AllocObject(env, (*env)->FindClass(env, "java/lang/Object"));
    pi->DisableGC();
    pi_enable(JVMPI_EVENT_OBJECT_MOVE);
    pi_enable(JVMPI_EVENT_ARENA_NEW);
    pi_enable(JVMPI_EVENT_ARENA_DELETE);
    promoter = env;
    arenas_begun = arenas_ended = moves = moves_requested = requests = others_moved = 0;
    watched = watched_before = pi->jobject2jobjectID(young);
    pi->EnableGC();
    pi->RunGC();
    pi->DisableGC();
    all_off();
    watched_found = pi->jobject2jobjectID(young);
    pi->EnableGC();
    return !others_moved;
}

NATIVE(void, promotion)
{
    while (!promote(env))
        pause_ms(1);
    check("63", watched == watched_found && watched != watched_before);
    check("92", move_from == 1 && move_to == 2);
    check("59 64 89", arenas_ended == 1 && arenas_begun == 1 && order_wrong == 0);
    check("84", moves > 0 && moves_requested == moves && requests == moves);
}

// Other threads may allocate between the collection and the dump.
NATIVE(void, figures)
{
    JVMPI_HeapDumpArg level = {JVMPI_DUMP_LEVEL_0};
    int good = 0;
    pair_on();
    for (int i = 0; i < 100 && !good; i++) {
        pi->RunGC();
        pi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, &level);
        good = dumped == used_objects && used_space <= total_space
               && used_space >= used_objects * 16;
    }
    check("77 85", good);
    all_off();
}

NATIVE(void, hold)
{
    holder = env;
    pi_enable(JVMPI_EVENT_OBJECT_ALLOC);
}

NATIVE(void, collectLocking)
{
    pair_on();
    mode = LOCKING;
    int before = finishes;
    if (wait_until(&in_alloc, 1))
        pi->RunGC();
    check("81", finishes > before && in_alloc);
    all_off();
}

static int printing;

static void *print_always(void *unused)
{
    while (__atomic_load_n(&printing, __ATOMIC_SEQ_CST)) {
        void *p = malloc(4096);
        fprintf(nowhere, "%p\n", p);
        free(p);
    }
    return unused;
}

NATIVE(void, collectPrinting)
{
    pthread_t threads[3];
    printing = 1;
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, print_always, NULL);
    pair_on();
    mode = PRINTING;
    int before = finishes;
    for (int i = 0; i < ROUNDS; i++)
        pi->RunGC();
    check("82", finishes >= before + ROUNDS);
    all_off();
    __atomic_store_n(&printing, 0, __ATOMIC_SEQ_CST);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
}

NATIVE(void, watch, jobject o)
{
    pi_enable(JVMPI_EVENT_OBJECT_MOVE);
    pi_enable(JVMPI_EVENT_OBJECT_FREE);
    pi->DisableGC();
    watched = pi->jobject2jobjectID(o);
    freed = 0;
    pi->EnableGC();
}

NATIVE(jboolean, isFreed)
{
    return freed != 0;
}

NATIVE(void, reclaimed, jboolean not_before)
{
    check("87", not_before);
    all_off();
}

static JNIEnv *victim;

NATIVE(void, beVictim)
{
    __atomic_store_n(&victim, env, __ATOMIC_SEQ_CST);
}

NATIVE(void, suspend)
{
    while (!__atomic_load_n(&victim, __ATOMIC_SEQ_CST))
        pause_ms(1);
    pair_on();
    pi->DisableGC();
    pi->SuspendThread(victim);
}

NATIVE(void, resumeAfter)
{
    int before = finishes;
    pause_ms(100); // the other thread wants its collection
    int meanwhile = finishes;
    pi->ResumeThread(victim);
    pi->EnableGC();
    check("96", before == meanwhile && wait_until(&finishes, before + 1));
    all_off();
}

static int blocked;

NATIVE(void, blockOnRaw)
{
    __atomic_store_n(&blocked, 1, __ATOMIC_SEQ_CST);
    pi->RawMonitorEnter(lock);
    pi->RawMonitorExit(lock);
}

NATIVE(void, takeRaw)
{
    pi->RawMonitorEnter(lock);
}

NATIVE(void, collectBeside)
{
    pair_on();
    wait_until(&blocked, 1);
    pause_ms(20);
    int before = finishes;
    pi->RunGC();
    check("124", finishes > before);
    pi->RawMonitorExit(lock);
    all_off();
}
