// SPDX-License-Identifier: Apache-2.0
// For tests/agents/Objects.java: tags, sizes, hashes, the heap walk; monitors and their events.
#include "ti_common.h"

#include <unistd.h>

static jvmtiEnv *ti, *other;
static volatile int freed, freed_sum;
static int telling;
static jclass test_class;
static volatile int enters; // contended ones that were told of

static void JNICALL object_free(jvmtiEnv *env, jlong tag)
{
    (void)env;
    freed_sum += (int)tag;
    freed++; // the other is awaited by it
}

static const char *own_class(JNIEnv *jni, jobject o)
{
    jclass c = (*jni)->GetObjectClass(jni, o);
    const char *name = class_name(ti, c);
    (*jni)->DeleteLocalRef(jni, c);
    return strncmp(name, "LObjects", 8) == 0 && !strchr(name, '.') ? name : NULL;
}

// Not that of a thread, which ends while another joins it.
static int is_own(JNIEnv *jni, jobject o)
{
    return own_class(jni, o) || (*jni)->IsSameObject(jni, o, test_class);
}

static void JNICALL contended_enter(jvmtiEnv *env, JNIEnv *jni, jthread thread, jobject o)
{
    if (telling && own_class(jni, o))
        say("contended enter %s in %s", own_class(jni, o), thread_name(env, jni, thread));
    enters += telling && is_own(jni, o);
}

// The monitor is owned already, by the frame that enters it: also one of a synchronized method.
static void say_depth(JNIEnv *jni, jthread thread, jobject o)
{
    jvmtiMonitorStackDepthInfo *infos;
    jobject *monitors;
    jint count, depths;
    MUST((*ti)->GetOwnedMonitorInfo(ti, thread, &count, &monitors));
    MUST((*ti)->GetOwnedMonitorStackDepthInfo(ti, thread, &depths, &infos));
    for (jint i = 0; i < depths; i++)
        if ((*jni)->IsSameObject(jni, infos[i].monitor, o))
            say("owned at depth %d, one of %d", infos[i].stack_depth, count);
    MUST((*ti)->Deallocate(ti, (unsigned char *)monitors));
    MUST((*ti)->Deallocate(ti, (unsigned char *)infos));
}

static void JNICALL contended_entered(jvmtiEnv *env, JNIEnv *jni, jthread thread, jobject o)
{
    if (telling && is_own(jni, o))
        say_depth(jni, thread, o);
    if (telling && own_class(jni, o))
        say("contended entered %s in %s", own_class(jni, o), thread_name(env, jni, thread));
}

static void JNICALL monitor_wait(jvmtiEnv *env, JNIEnv *jni, jthread thread, jobject o,
                                 jlong timeout)
{
    if (telling && own_class(jni, o))
        say("wait %s in %s for %d", own_class(jni, o), thread_name(env, jni, thread),
            (int)timeout);
}

static void JNICALL monitor_waited(jvmtiEnv *env, JNIEnv *jni, jthread thread, jobject o,
                                   jboolean timed_out)
{
    if (telling && own_class(jni, o))
        say("waited %s in %s timed out %d", own_class(jni, o), thread_name(env, jni, thread),
            timed_out);
}

static void JNICALL object_alloc(jvmtiEnv *env, JNIEnv *jni, jthread thread, jobject o,
                                 jclass c, jlong size)
{
    (void)env, (void)thread, (void)o, (void)jni;
    const char *name = class_name(ti, c);
    if (telling && strstr(name, "Objects"))
        say("VM allocates %s of %d", name, (int)size);
}

EXPORT(void, Java_Objects_telling, JNIEnv *jni, jclass c, jboolean value)
{
    if (!test_class)
        test_class = (*jni)->NewGlobalRef(jni, c);
    telling = value;
}

EXPORT(void, Java_Objects_tag, JNIEnv *jni, jclass c, jobject o, jlong tag)
{
    (void)jni, (void)c;
    MUST((*ti)->SetTag(ti, o, tag));
}

EXPORT(jlong, Java_Objects_tagOf, JNIEnv *jni, jclass c, jobject o)
{
    (void)jni, (void)c;
    jlong tag = -1, there = -1;
    MUST((*ti)->GetTag(ti, o, &tag));
    MUST((*other)->GetTag(other, o, &there));
    if (there != 0)
        say("another environment sees tag %d", (int)there);
    return tag;
}

EXPORT(jlong, Java_Objects_sizeOf, JNIEnv *jni, jclass c, jobject o)
{
    (void)jni, (void)c;
    jlong size;
    MUST((*ti)->GetObjectSize(ti, o, &size));
    return size;
}

EXPORT(jint, Java_Objects_hashOf, JNIEnv *jni, jclass c, jobject o)
{
    (void)jni, (void)c;
    jint hash;
    MUST((*ti)->GetObjectHashCode(ti, o, &hash));
    return hash;
}

EXPORT(void, Java_Objects_find, JNIEnv *jni, jclass c, jlong one, jlong two)
{
    (void)c;
    jlong tags[] = {one, two}, *found_tags;
    jint n;
    jobject *found;
    MUST((*ti)->GetObjectsWithTags(ti, 2, tags, &n, &found, &found_tags));
    jlong all = 0;
    for (jint i = 0; i < n; i++) {
        jlong tag;
        MUST((*ti)->GetTag(ti, found[i], &tag));
        all += found_tags[i];
        if (tag != found_tags[i])
            say("tags do not agree");
        (*jni)->DeleteLocalRef(jni, found[i]);
    }
    say("found %d with tags, sum %d", (int)n, (int)all);
    release(ti, found);
    release(ti, found_tags);
}

// HotSpot tells of freed objects some time after the collection.
EXPORT(void, Java_Objects_collect, JNIEnv *jni, jclass c, jint expected)
{
    (void)jni, (void)c;
    MUST((*ti)->ForceGarbageCollection(ti));
    for (int i = 0; i < 3000 && freed < expected; i++)
        usleep(10000);
    say("freed %d, tags %d", freed, freed_sum);
    freed = freed_sum = 0;
}

struct Count {
    int objects, abort_after;
    jlong bytes, tags, class_tag, length;
};

static jint JNICALL count_object(jlong class_tag, jlong size, jlong *tag, jint length,
                                 void *data)
{
    struct Count *count = data;
    count->objects++;
    count->bytes += size;
    count->tags += *tag;
    count->class_tag = class_tag;
    count->length += length;
    if (*tag == 7)
        *tag = 8;
    return count->objects == count->abort_after ? JVMTI_VISIT_ABORT : 0;
}

static jint JNICALL count_chars(jlong class_tag, jlong size, jlong *tag, const jchar *value,
                                jint length, void *data)
{
    (void)class_tag, (void)size;
    struct Count *count = data;
    if (*tag) {
        count->objects++;
        count->length += length;
        count->bytes += value[length - 1];
    }
    return 0;
}

static jint JNICALL count_array(jlong class_tag, jlong size, jlong *tag, jint length,
                                jvmtiPrimitiveType type, const void *elements, void *data)
{
    (void)class_tag, (void)size;
    struct Count *count = data;
    if (*tag && type == JVMTI_PRIMITIVE_TYPE_INT) {
        count->objects++;
        count->length += length;
        count->bytes += ((const jint *)elements)[length - 1];
    }
    return 0;
}

static void walk(const char *what, jint filter, jclass c, int abort_after)
{
    jvmtiHeapCallbacks calls = {.heap_iteration_callback = count_object};
    struct Count count = {.abort_after = abort_after};
    MUST((*ti)->IterateThroughHeap(ti, filter, c, &calls, &count));
    if (abort_after)
        count.tags = 0; // which objects come first is not said
    say("%s: %d objects %d bytes tags %d class %d length %d", what, count.objects,
        (int)count.bytes, (int)count.tags, (int)count.class_tag, (int)count.length);
}

EXPORT(void, Java_Objects_walk, JNIEnv *jni, jclass c, jclass item, jclass array)
{
    (void)jni, (void)c;
    MUST((*ti)->SetTag(ti, item, 1000));
    walk("items", 0, item, 0);
    walk("tagged items", JVMTI_HEAP_FILTER_UNTAGGED, item, 0);
    walk("untagged items", JVMTI_HEAP_FILTER_TAGGED, item, 0);
    walk("of tagged classes", JVMTI_HEAP_FILTER_CLASS_UNTAGGED, NULL, 0);
    walk("arrays", 0, array, 0);
    walk("two items", JVMTI_HEAP_FILTER_CLASS_UNTAGGED, NULL, 2);
    jvmtiHeapCallbacks calls = {.string_primitive_value_callback = count_chars,
                                .array_primitive_value_callback = count_array};
    struct Count count = {0};
    MUST((*ti)->IterateThroughHeap(ti, JVMTI_HEAP_FILTER_UNTAGGED, NULL, &calls, &count));
    say("values: %d objects, length %d, last %d", count.objects, (int)count.length,
        (int)count.bytes);
}

EXPORT(void, Java_Objects_usage, JNIEnv *jni, jclass c, jobject o)
{
    (void)c;
    jvmtiMonitorUsage u;
    MUST((*ti)->GetObjectMonitorUsage(ti, o, &u));
    say("monitor: owner %s entered %d waiters %d notify waiters %d",
        u.owner ? thread_name(ti, jni, u.owner) : "-", (int)u.entry_count, (int)u.waiter_count,
        (int)u.notify_waiter_count);
    for (jint i = 0; i < u.notify_waiter_count; i++)
        say("  waits for notify: %s", thread_name(ti, jni, u.notify_waiters[i]));
    release(ti, u.waiters);
    release(ti, u.notify_waiters);
}

// Whether a thread stands in one of its queues for good: who is about to wait for a notification still owns it, who is about to
// block is yet to be told of.
EXPORT(jboolean, Java_Objects_isAwaited, JNIEnv *jni, jclass c, jobject o)
{
    (void)jni, (void)c;
    jvmtiMonitorUsage u;
    MUST((*ti)->GetObjectMonitorUsage(ti, o, &u));
    release(ti, u.waiters);
    release(ti, u.notify_waiters);
    int queued = u.notify_waiter_count > 0 ? !u.owner : u.waiter_count > 0 && enters > 0;
    if (queued)
        enters = 0;
    return (jboolean)queued;
}

// The monitor of a static synchronized method is in no local variable.
EXPORT(void, Java_Objects_ownedClasses, JNIEnv *jni, jclass c, jthread thread)
{
    jint n;
    jobject *owned;
    MUST((*ti)->GetOwnedMonitorInfo(ti, thread, &n, &owned));
    for (jint i = 0; i < n; i++)
        if ((*jni)->IsSameObject(jni, owned[i], c))
            say("  owns its class");
    release(ti, owned);
    jvmtiMonitorStackDepthInfo *depths;
    MUST((*ti)->GetOwnedMonitorStackDepthInfo(ti, thread, &n, &depths));
    for (jint i = 0; i < n; i++)
        if ((*jni)->IsSameObject(jni, depths[i].monitor, c))
            say("  owns its class at depth %d", (int)depths[i].stack_depth);
    release(ti, depths);
}

EXPORT(void, Java_Objects_ownedInOrder, JNIEnv *jni, jclass c, jobject through)
{
    (void)c;
    jint n;
    jvmtiMonitorStackDepthInfo *depths;
    (*jni)->MonitorEnter(jni, through);
    MUST((*ti)->GetOwnedMonitorStackDepthInfo(ti, NULL, &n, &depths));
    for (jint i = 0; i < n; i++)
        say("  %d: %s at depth %d", (int)i, own_class(jni, depths[i].monitor),
            (int)depths[i].stack_depth);
    release(ti, depths);
    (*jni)->MonitorExit(jni, through);
}

EXPORT(void, Java_Objects_owned, JNIEnv *jni, jclass c, jthread thread)
{
    (void)c;
    jint n;
    jobject *owned, contended;
    int mine = 0;
    MUST((*ti)->GetOwnedMonitorInfo(ti, thread, &n, &owned));
    for (jint i = 0; i < n; i++)
        if (own_class(jni, owned[i])) {
            say("  owns %s", own_class(jni, owned[i]));
            mine++;
        }
    MUST((*ti)->GetCurrentContendedMonitor(ti, thread, &contended));
    jvmtiMonitorStackDepthInfo *depths;
    MUST((*ti)->GetOwnedMonitorStackDepthInfo(ti, thread, &n, &depths));
    for (jint i = 0; i < n; i++)
        if (own_class(jni, depths[i].monitor))
            say("  owns %s at depth %d", own_class(jni, depths[i].monitor),
                (int)depths[i].stack_depth);
    release(ti, depths);
    say("owned %d contended %s", mine, contended ? own_class(jni, contended) : "-");
    release(ti, owned);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    ti = new_env(vm, JVMTI_VERSION_11);
    other = new_env(vm, JVMTI_VERSION_1_0);
    jvmtiCapabilities want = {.can_tag_objects = 1,
                              .can_generate_object_free_events = 1,
                              .can_generate_vm_object_alloc_events = 1,
                              .can_get_owned_monitor_info = 1,
                              .can_get_owned_monitor_stack_depth_info = 1,
                              .can_get_current_contended_monitor = 1,
                              .can_get_monitor_info = 1,
                              .can_generate_monitor_events = 1};
    MUST((*ti)->AddCapabilities(ti, &want));
    jvmtiCapabilities tags = {.can_tag_objects = 1};
    MUST((*other)->AddCapabilities(other, &tags));
    jvmtiEventCallbacks calls = {.ObjectFree = object_free,
                                 .VMObjectAlloc = object_alloc,
                                 .MonitorContendedEnter = contended_enter,
                                 .MonitorContendedEntered = contended_entered,
                                 .MonitorWait = monitor_wait,
                                 .MonitorWaited = monitor_waited};
    MUST((*ti)->SetEventCallbacks(ti, &calls, sizeof calls));
    enable(ti, JVMTI_EVENT_OBJECT_FREE);
    enable(ti, JVMTI_EVENT_VM_OBJECT_ALLOC);
    enable(ti, JVMTI_EVENT_MONITOR_CONTENDED_ENTER);
    enable(ti, JVMTI_EVENT_MONITOR_CONTENDED_ENTERED);
    enable(ti, JVMTI_EVENT_MONITOR_WAIT);
    enable(ti, JVMTI_EVENT_MONITOR_WAITED);
    return JNI_OK;
}
