// SPDX-License-Identifier: Apache-2.0
// Methods by number. A jmethodID is looked up without a lock in a shared map; only the first
// call of a method asks JVM TI for its name and takes `lock` to give it a number. No JVM TI
// function is called under the lock. Names live as long as the process.
#define _GNU_SOURCE
#include "calltrace.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { METHODS_PER_PAGE = 4096, MAX_PAGES = 4096, ID_BITS = 16 };

typedef struct MethodInfo {
    const char *name;
    bool waiting;
} MethodInfo;

// Methods that do nothing but wait for something to happen, in JDK 8 to 25.
static const char *const WAITING[] = {
    "java.lang.Object.wait(J)V",
    "java.lang.Object.wait0(J)V",
    "java.lang.Thread.sleep(J)V",
    "java.lang.Thread.sleep0(J)V",
    "java.lang.Thread.sleepNanos0(J)V",
    "jdk.internal.misc.Unsafe.park(ZJ)V",
    "sun.misc.Unsafe.park(ZJ)V",
    "java.lang.ref.Reference.waitForReferencePendingList()V",
    "java.lang.ProcessHandleImpl.waitForProcessExit0(JZ)I",
    "sun.nio.ch.EPoll.wait(IJII)I",
    "sun.nio.ch.Net.poll(Ljava/io/FileDescriptor;IJ)I",
};

static AgentSharedMap ids; // jmethodID -> index + 1
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static AgentStringMap numbers;               // guarded by lock
static MethodInfo *_Atomic infos[MAX_PAGES]; // a page is published before an index into it
static _Atomic uint32_t count;
static const AgentList *included, *excluded;

bool methods_init(const AgentList *include, const AgentList *exclude)
{
    included = include;
    excluded = exclude;
    return agent_sharedmap_init(&ids, ID_BITS);
}

void methods_end(void)
{
    agent_sharedmap_free(&ids);
}

static MethodInfo *info_of(uint32_t index)
{
    return &atomic_load_explicit(&infos[index / METHODS_PER_PAGE],
                                 memory_order_acquire)[index % METHODS_PER_PAGE];
}

uint32_t methods_count(void)
{
    return atomic_load_explicit(&count, memory_order_acquire);
}

const char *method_name(uint32_t index)
{
    assert(index < methods_count());
    return info_of(index)->name;
}

bool method_is_waiting(uint32_t index)
{
    assert(index < methods_count());
    return info_of(index)->waiting;
}

// A pattern is a prefix of the class name: "com.acme" also matches "com.acmeTools", "com.acme."
// does not.
static bool list_matches(const AgentList *list, const char *name)
{
    for (size_t i = 0; i < list->len; i++) {
        if (strncmp(name, list->items[i], strlen(list->items[i])) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_followed(const char *name)
{
    assert(included != NULL && excluded != NULL);
    return (included->len == 0 || list_matches(included, name))
           && !list_matches(excluded, name);
}

static bool is_waiting_name(const char *name)
{
    for (size_t i = 0; i < sizeof WAITING / sizeof WAITING[0]; i++) {
        if (strcmp(name, WAITING[i]) == 0) {
            return true;
        }
    }
    return false;
}

static uint32_t append_method(const char *name)
{
    ASSERT_HELD(&lock);
    uint32_t index = atomic_load_explicit(&count, memory_order_relaxed);
    uint32_t page = index / METHODS_PER_PAGE;
    if (page == MAX_PAGES) {
        return NO_METHOD;
    }
    if (index % METHODS_PER_PAGE == 0) {
        MethodInfo *fresh = agent_alloc(METHODS_PER_PAGE * sizeof *fresh);
        if (fresh == NULL) {
            return NO_METHOD;
        }
        atomic_store_explicit(&infos[page], fresh, memory_order_release);
    }
    *info_of(index) = (MethodInfo){.name = name, .waiting = is_waiting_name(name)};
    atomic_store_explicit(&count, index + 1, memory_order_release);
    return index;
}

static uint32_t number_name(const char *name)
{
    pthread_mutex_lock(&lock);
    const char *copy = NULL;
    uint32_t next = atomic_load_explicit(&count, memory_order_relaxed);
    uint32_t index = agent_stringmap_add(&numbers, name, next, &copy);
    if (index == next) {
        index = append_method(copy);
    }
    pthread_mutex_unlock(&lock);
    return index;
}

static __attribute__((noinline)) uint32_t name_method(jvmtiEnv *jvmti, JNIEnv *jni,
                                                      jmethodID id)
{
    char *name = agent_method_name(jvmti, jni, id);
    uint32_t index = NO_METHOD;
    if (name == NULL) {
        index = number_name("?.unnamed()V");
    } else if (is_followed(name)) {
        index = number_name(name);
    }
    free(name);
    // NO_METHOD + 1 would be 0, which the map takes for absent: stored as UINTPTR_MAX.
    assert(index == NO_METHOD || index < methods_count());
    uintptr_t value = index == NO_METHOD ? UINTPTR_MAX : (uintptr_t)index + 1;
    agent_sharedmap_put(&ids, id, (void *)value);
    return index;
}

uint32_t method_index(jvmtiEnv *jvmti, JNIEnv *jni, jmethodID id)
{
    uintptr_t value = (uintptr_t)agent_sharedmap_get(&ids, id);
    if (LIKELY(value != 0)) {
        return value == UINTPTR_MAX ? NO_METHOD : (uint32_t)(value - 1);
    }
    return name_method(jvmti, jni, id);
}
