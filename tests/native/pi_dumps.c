// SPDX-License-Identifier: Apache-2.0
// The dumps of JVMPI, byte by byte: every record of levels 1 and 2 against the layout that
// CLASS_LOAD tells, one object and its arrays against bytes written here, monitors against what
// the program does. Prints statements of the check list by number.
#include "pi_common.h"

#define NATIVE(type, name, ...) PI_NATIVE(PiDumps, type, name, ##__VA_ARGS__)

enum { WORD = sizeof(void *) };
typedef struct Layout { // of a class, by CLASS_LOAD
    int interfaces, static_count, field_count;
    char *statics, *fields; // first characters of signatures
    jobjectID super;
} Layout;
static PiMap layouts, globals; // globals: references that were told of and not freed
static int unknown_globals;
static JVMPI_RawMonitor globals_lock;
static Layout *requested;
static const uint8_t *object_data;
static int object_len;

static const uint8_t *at, *end;
static int broken, learning, objects[3], roots[256], level, levels_told, nested;
static jobjectID array_classes[2];
static int sticky_arrays;
static long level0_count, traces_total;

static uint64_t get(int size)
{
    uint64_t v = 0;
    for (int i = 0; i < size; i++)
        v = v << 8 | *at++;
    return v;
}

static jobjectID get_id(void)
{
    jobjectID id;
    memcpy(&id, at, WORD);
    at += WORD;
    return id;
}

static int size_of(char kind)
{
    switch (kind) {
    case 'Z':
    case 'B': return 1;
    case 'C':
    case 'S': return 2;
    case 'I':
    case 'F': return 4;
    default: return 8;
    }
}

static int is_reference(char kind)
{
    return kind == 'L' || kind == '[';
}

// Bytes of values at the level of the dump.
static size_t bytes_of(const char *kinds, int count)
{
    size_t sum = 0;
    for (int i = 0; i < count; i++)
        if (level == 2 || is_reference(kinds[i]))
            sum += (size_t)size_of(kinds[i]);
    return sum;
}

static char *kinds_of(const JVMPI_Field *fields, int count)
{
    char *kinds = calloc((size_t)count + 1, 1);
    for (int i = 0; i < count; i++)
        kinds[i] = fields[i].field_signature[0];
    return kinds;
}

static const Layout *layout_of(jobjectID id)
{
    struct PiEntry *e = pi_map_find(&layouts, (uintptr_t)id);
    if (e)
        return (Layout *)e->value;
    requested = NULL;
    if (pi->RequestEvent(JVMPI_EVENT_CLASS_LOAD, id) != JVMPI_SUCCESS || !requested)
        return NULL;
    nested++;
    pi_map_put(&layouts, (uintptr_t)id, (uintptr_t)requested);
    return requested;
}

static void class_record(void)
{
    jobjectID id = get_id();
    const Layout *l = layout_of(id);
    if (!l) {
        broken = 1;
        return;
    }
    ((Layout *)(uintptr_t)l)->super = get_id();
    at += 5 * WORD;
    get(4);
    at += l->interfaces * WORD;
    for (uint64_t n = get(2); n > 0; n--) {
        get(2);
        broken |= get(1) != JVMPI_CLASS;
        get_id();
    }
    at += bytes_of(l->statics, l->static_count);
}

static void instance_record(void)
{
    get_id();
    jobjectID id = get_id();
    uint32_t size = (uint32_t)get(4);
    size_t expected = 0;
    for (const Layout *l; id && (l = layout_of(id)); id = l->super)
        expected += bytes_of(l->fields, l->field_count);
    broken |= expected != size && !learning;
    at += size;
}

static void sticky_root(jobjectID id)
{
    for (int i = 0; i < 2; i++)
        sticky_arrays |= (id == array_classes[i]) << i;
}

static void record(void)
{
    int type = (int)get(1);
    uint32_t n;
    static const char kinds[] = "....ZCFDBSIJ";
    switch (type) {
    case JVMPI_GC_ROOT_UNKNOWN:
    case JVMPI_GC_ROOT_STICKY_CLASS: sticky_root(get_id()); break;
    case JVMPI_GC_ROOT_MONITOR_USED: at += WORD; break;
    case JVMPI_GC_ROOT_JNI_GLOBAL:
        get_id();
        unknown_globals += !pi_map_find(&globals, (uintptr_t)get_id());
        break;
    case JVMPI_GC_ROOT_NATIVE_STACK:
    case JVMPI_GC_ROOT_THREAD_BLOCK: at += 2 * WORD; break;
    case JVMPI_GC_ROOT_JNI_LOCAL:
    case JVMPI_GC_ROOT_JAVA_FRAME: at += 2 * WORD + 4; break;
    case JVMPI_GC_CLASS_DUMP: class_record(); break;
    case JVMPI_GC_INSTANCE_DUMP: instance_record(); break;
    case JVMPI_GC_OBJ_ARRAY_DUMP:
        get_id();
        n = (uint32_t)get(4);
        at += WORD + (size_t)n * WORD;
        break;
    case JVMPI_GC_PRIM_ARRAY_DUMP:
        get_id();
        n = (uint32_t)get(4);
        type = (int)get(1);
        at += level == 2 ? (size_t)n * (size_t)size_of(kinds[type]) : 0;
        type = JVMPI_GC_PRIM_ARRAY_DUMP;
        break;
    default: broken = 1;
    }
    roots[type]++;
    objects[level] += type >= JVMPI_GC_CLASS_DUMP && type <= JVMPI_GC_PRIM_ARRAY_DUMP;
}

// Superclasses stand in the records of classes: those first.
static void heap_dump(const JVMPI_Event *e)
{
    level = e->u.heap_dump.dump_level;
    levels_told |= 1 << level;
    at = (const uint8_t *)e->u.heap_dump.begin;
    end = (const uint8_t *)e->u.heap_dump.end;
    if (level == 0) {
        level0_count = (end - at) / (1 + WORD);
        broken |= (end - at) % (1 + WORD) != 0 || e->u.heap_dump.num_traces != 0;
        return;
    }
    memset(roots, 0, sizeof roots);
    objects[level] = 0;
    traces_total = e->u.heap_dump.num_traces;
    while (at < end && !broken)
        record();
    broken |= at != end;
}

static int main_entries, main_waiters, notify_waiters, raw_named, states_told;
static jobjectID lock_id, waited_id;

static void monitor_dump(const JVMPI_Event *e)
{
    at = (const uint8_t *)e->u.monitor_dump.begin;
    end = (const uint8_t *)e->u.monitor_dump.end;
    while (at < end) {
        int java = get(1) == JVMPI_MONITOR_JAVA;
        const char *name = java ? "" : (const char *)get_id();
        jobjectID id = get_id();
        JNIEnv *owner = (JNIEnv *)get_id();
        int entries = (int)get(4), entering = (int)get(4);
        at += entering * WORD;
        int notified = (int)get(4);
        at += notified * WORD;
        raw_named += strcmp(name, "_dumps") == 0 && owner == NULL;
        if (java && id == lock_id && owner == e->env_id) {
            main_entries = entries;
            main_waiters = entering;
        }
        if (java && id == waited_id)
            notify_waiters = notified;
    }
    for (jint i = 0; i < e->u.monitor_dump.num_traces; i++)
        states_told |= 1 << e->u.monitor_dump.threads_status[i];
    broken |= at != end;
}

static void notify(JVMPI_Event *e)
{
    switch (e->event_type & ~JVMPI_REQUESTED_EVENT) {
    case JVMPI_EVENT_CLASS_LOAD:
        requested = calloc(1, sizeof *requested);
        requested->interfaces = e->u.class_load.num_interfaces;
        requested->static_count = e->u.class_load.num_static_fields;
        requested->field_count = e->u.class_load.num_instance_fields;
        requested->statics = kinds_of(e->u.class_load.statics, requested->static_count);
        requested->fields = kinds_of(e->u.class_load.instances, requested->field_count);
        break;
    case JVMPI_EVENT_HEAP_DUMP: heap_dump(e); break;
    case JVMPI_EVENT_JNI_GLOBALREF_ALLOC:
        pi->RawMonitorEnter(globals_lock);
        pi_map_put(&globals, (uintptr_t)e->u.jni_globalref_alloc.ref_id, 1);
        pi->RawMonitorExit(globals_lock);
        break;
    case JVMPI_EVENT_JNI_GLOBALREF_FREE:
        pi->RawMonitorEnter(globals_lock);
        pi_map_remove(&globals, (uintptr_t)e->u.jni_globalref_free.ref_id);
        pi->RawMonitorExit(globals_lock);
        break;
    case JVMPI_EVENT_MONITOR_DUMP: monitor_dump(e); break;
    case JVMPI_EVENT_OBJECT_DUMP:
        object_len = e->u.object_dump.data_len;
        free((void *)(uintptr_t)object_data);
        object_data =
            memcpy(malloc((size_t)object_len), e->u.object_dump.data, (size_t)object_len);
        break;
    }
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved);
JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)reserved;
    pi_start(vm, JVMPI_VERSION_1, notify);
    check("9", options && !*options);
    pi->RawMonitorCreate("_dumps");
    globals_lock = pi->RawMonitorCreate("_globals");
    pi_enable(JVMPI_EVENT_JNI_GLOBALREF_ALLOC);
    pi_enable(JVMPI_EVENT_JNI_GLOBALREF_FREE);
    return JNI_OK;
}

static void forget(void)
{
    memset(&layouts, 0, sizeof layouts); // addresses are those of one dump
}

static long count_objects(void)
{
    JVMPI_HeapDumpArg how = {JVMPI_DUMP_LEVEL_0};
    return pi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, &how) == JVMPI_SUCCESS ? level0_count : -1;
}

// The records of level `wanted` are as many as live objects before and after, at least in one of
// some tries: other threads may run.
static int is_whole(int wanted)
{
    JVMPI_HeapDumpArg how = {wanted};
    for (int i = 0; i < 10; i++) {
        long before = count_objects();
        broken = 0;
        pi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, wanted == JVMPI_DUMP_LEVEL_2 ? NULL : &how);
        if (!broken && before == objects[wanted] && before == count_objects())
            return 1;
    }
    return 0;
}

NATIVE(void, heap)
{
    JVMPI_HeapDumpArg how = {JVMPI_DUMP_LEVEL_2};
    pi->RunGC();
    pi->DisableGC();
    array_classes[0] = pi->jobject2jobjectID((*env)->FindClass(env, "[[Ljava/lang/String;"));
    array_classes[1] = pi->jobject2jobjectID((*env)->FindClass(env, "[I"));
    check("47 161", count_objects() > 1000);
    learning = 1; // superclasses: a class may come after its objects
    pi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, &how);
    learning = 0;
    check("162", sticky_arrays == 3);
    check("162", is_whole(JVMPI_DUMP_LEVEL_2) && (levels_told & 4));
    check("163 166", nested > 100);
    check("194", traces_total >= 4 && roots[JVMPI_GC_ROOT_THREAD_BLOCK] == traces_total);
    check("162", roots[JVMPI_GC_ROOT_STICKY_CLASS] > 100 && roots[JVMPI_GC_ROOT_JAVA_FRAME] > 0
                     && roots[JVMPI_GC_ROOT_JNI_LOCAL] > 0
                     && roots[JVMPI_GC_ROOT_MONITOR_USED] > 0);
    check("162", is_whole(JVMPI_DUMP_LEVEL_1));
    check("170", roots[JVMPI_GC_ROOT_JNI_GLOBAL] > 0 && unknown_globals == 0);
    how.heap_dump_level = 3;
    check("161", pi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, &how) == JVMPI_FAIL);
    pi->EnableGC();
    forget();
}

static uint8_t expected[256];
static size_t expected_len;

static void add(uint64_t v, int size)
{
    for (int i = size; i-- > 0;)
        expected[expected_len++] = (uint8_t)(v >> i * 8);
}

static void add_id(jobject o)
{
    jobjectID id = pi->jobject2jobjectID(o);
    memcpy(expected + expected_len, &id, WORD);
    expected_len += WORD;
}

static int dump_is_expected(jobject o)
{
    int rc = pi->RequestEvent(JVMPI_EVENT_OBJECT_DUMP, pi->jobject2jobjectID(o));
    return rc == JVMPI_SUCCESS && (size_t)object_len == expected_len
           && memcmp(object_data, expected, expected_len) == 0;
}

NATIVE(void, object, jobject known, jclass type, jobject in, jobject chars, jobject array,
       jclass element)
{
    pi->DisableGC();
    add(JVMPI_GC_INSTANCE_DUMP, 1);
    add_id(known);
    add_id(type);
    add(1 + 2 + 1 + 2 + 4 + 8 + 4 + 8 + WORD, 4);
    add(1, 1);
    add('A', 2);
    add(0xFE, 1);
    add(0x1234, 2);
    add(0x01020304, 4);
    add(0x0102030405060708, 8);
    add(0x3F800000, 4);
    add(0x3FF0000000000000, 8);
    add_id(in);
    check("48 164", dump_is_expected(known));
    expected_len = 0;
    add(JVMPI_GC_PRIM_ARRAY_DUMP, 1);
    add_id(chars);
    add(2, 4);
    add(JVMPI_CHAR, 1);
    add('x', 2);
    add(0x20AC, 2);
    check("48 164", dump_is_expected(chars));
    expected_len = 0;
    add(JVMPI_GC_OBJ_ARRAY_DUMP, 1);
    add_id(array);
    add(2, 4);
    add_id(element);
    add_id(in);
    add_id(NULL);
    check("48 164", dump_is_expected(array));
    pi->RequestEvent(JVMPI_EVENT_OBJECT_DUMP, pi->jobject2jobjectID(type));
    check("48 164", object_data[0] == JVMPI_GC_CLASS_DUMP);
    pi->EnableGC();
}

NATIVE(void, afterUnloading, jobject left)
{
    pi->DisableGC();
    jint result = pi->RequestEvent(JVMPI_EVENT_OBJECT_DUMP, pi->jobject2jobjectID(left));
    check("48", result == JVMPI_SUCCESS && object_data[0] == JVMPI_GC_OBJ_ARRAY_DUMP);
    pi->EnableGC();
}

NATIVE(void, monitors, jobject lock, jobject waited)
{
    pi->DisableGC();
    lock_id = pi->jobject2jobjectID(lock);
    waited_id = pi->jobject2jobjectID(waited);
    broken = 0;
    check("165", pi->RequestEvent(JVMPI_EVENT_MONITOR_DUMP, NULL) == JVMPI_SUCCESS && !broken);
    check("165",
          main_entries == 2 && main_waiters == 1 && notify_waiters == 1 && raw_named == 1);
    check("165", states_told
                     == (1 << JVMPI_THREAD_RUNNABLE | 1 << JVMPI_THREAD_MONITOR_WAIT
                         | 1 << JVMPI_THREAD_CONDVAR_WAIT));
    pi->EnableGC();
}
