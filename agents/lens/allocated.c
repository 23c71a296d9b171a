// SPDX-License-Identifier: Apache-2.0
// How many bytes the program has allocated (allocated.h). Of the agent's thread.
#include "allocated.h"
#include "agent.h"
#include "pellucid_jvmti.h"

#include <stdlib.h>

#define THREAD_BEAN "com/sun/management/ThreadMXBean"
enum { LOCAL_REFERENCES = 8 };

// ---- by Pellucid's own count ----

static PellucidAllocatedBytes allocated_bytes(void)
{
    static PellucidAllocatedBytes function;
    static bool looked;
    if (!looked) {
        function = (PellucidAllocatedBytes)lens_extension(PELLUCID_ALLOCATED_BYTES);
        looked = true;
    }
    return function;
}

// ---- by the bean for threads ----

static jobject bean; // global
static jmethodID get_ids, get_bytes;
static jmethodID get_total; // NULL in older JDKs

static void find_methods(JNIEnv *jni, jclass class)
{
    get_ids = (*jni)->GetMethodID(jni, class, "getAllThreadIds", "()[J");
    get_bytes = get_ids != NULL
                    ? (*jni)->GetMethodID(jni, class, "getThreadAllocatedBytes", "([J)[J")
                    : NULL;
    get_total = get_bytes != NULL
                    ? (*jni)->GetMethodID(jni, class, "getTotalThreadAllocatedBytes", "()J")
                    : NULL;
}

static bool find_bean(JNIEnv *jni)
{
    static bool looked;
    if (looked || (*jni)->PushLocalFrame(jni, LOCAL_REFERENCES) != JNI_OK) {
        return bean != NULL;
    }
    looked = true;
    jclass class = (*jni)->FindClass(jni, THREAD_BEAN);
    jclass factory =
        class != NULL ? (*jni)->FindClass(jni, "java/lang/management/ManagementFactory") : NULL;
    jmethodID get = factory != NULL
                        ? (*jni)->GetStaticMethodID(jni, factory, "getThreadMXBean",
                                                    "()Ljava/lang/management/ThreadMXBean;")
                        : NULL;
    jobject found = get != NULL ? (*jni)->CallStaticObjectMethod(jni, factory, get) : NULL;
    if (found != NULL && (*jni)->IsInstanceOf(jni, found, class)) {
        find_methods(jni, class);
        bean = get_bytes != NULL ? (*jni)->NewGlobalRef(jni, found) : NULL;
    }
    (*jni)->ExceptionClear(jni);
    (*jni)->PopLocalFrame(jni, NULL);
    return bean != NULL;
}

static int by_id(const void *a, const void *b)
{
    const LensThreadBytes *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

// All threads in the order of their ids. NULL: the bean does not tell, or there is no memory.
static LensThreadBytes *read_threads(JNIEnv *jni, jsize *len)
{
    jlongArray ids = (*jni)->CallObjectMethod(jni, bean, get_ids);
    jlongArray bytes = ids != NULL ? (*jni)->CallObjectMethod(jni, bean, get_bytes, ids) : NULL;
    if ((*jni)->ExceptionCheck(jni) || bytes == NULL) {
        return NULL;
    }
    *len = (*jni)->GetArrayLength(jni, ids);
    LensThreadBytes *threads = agent_alloc((size_t)*len * sizeof *threads);
    for (jsize i = 0; threads != NULL && i < *len; i++) {
        (*jni)->GetLongArrayRegion(jni, ids, i, 1, &threads[i].id);
        (*jni)->GetLongArrayRegion(jni, bytes, i, 1, &threads[i].bytes);
    }
    if (threads != NULL) {
        qsort(threads, (size_t)*len, sizeof *threads, by_id);
    }
    return threads;
}

// What they have allocated since the last reading. A thread that has ended meanwhile has -1.
static int64_t growth_of(const LensAllocated *state, const LensThreadBytes *threads, jsize len)
{
    int64_t growth = 0;
    size_t k = 0;
    for (jsize i = 0; i < len; i++) {
        while (k < state->threads_len && state->threads[k].id < threads[i].id) {
            k++;
        }
        bool known = k < state->threads_len && state->threads[k].id == threads[i].id;
        jlong before = known ? state->threads[k].bytes : 0;
        growth += threads[i].bytes > before ? threads[i].bytes - before : 0;
    }
    assert(growth >= 0);
    return growth;
}

static bool read_bean(LensAllocated *state, JNIEnv *jni)
{
    if (!find_bean(jni) || (*jni)->PushLocalFrame(jni, LOCAL_REFERENCES) != JNI_OK) {
        (*jni)->ExceptionClear(jni);
        return false;
    }
    bool told;
    if (get_total != NULL) {
        jlong total = (*jni)->CallLongMethod(jni, bean, get_total);
        told = !(*jni)->ExceptionCheck(jni) && total >= 0;
        // HotSpot looks at one thread after the other: one that ends meanwhile may be missing once
        state->total = told && total > state->total ? total : state->total;
    } else {
        jsize len = 0;
        LensThreadBytes *threads = read_threads(jni, &len);
        told = threads != NULL;
        if (told) {
            state->total += growth_of(state, threads, len);
            free(state->threads);
            state->threads = threads;
            state->threads_len = (size_t)len;
        }
    }
    (*jni)->ExceptionClear(jni);
    (*jni)->PopLocalFrame(jni, NULL);
    return told;
}

// ---- by the growth of the heap ----

static void read_heap(LensAllocated *state, int64_t heap_used, int64_t collections)
{
    if (collections == state->collections && state->heap_used != 0
        && heap_used > state->heap_used) {
        state->total += heap_used - state->heap_used;
    }
    state->heap_used = heap_used;
    state->collections = collections;
}

// ---- which of the three ----

typedef enum Source { NOT_LOOKED, BY_VM, BY_THREADS, BY_HEAP } Source;

static Source look(void)
{
    JNIEnv *jni = lens_jni();
    if (allocated_bytes() != NULL) {
        return BY_VM;
    }
    jclass class = jni != NULL ? (*jni)->FindClass(jni, THREAD_BEAN) : NULL;
    if (class != NULL) {
        (*jni)->DeleteLocalRef(jni, class);
        return BY_THREADS;
    }
    if (jni != NULL) {
        (*jni)->ExceptionClear(jni);
    }
    return BY_HEAP;
}

static Source source(void)
{
    static Source found;
    if (found == NOT_LOOKED) {
        found = look();
    }
    return found;
}

const char *lens_allocated_source(void)
{
    static const char *const NAMES[] = {
        [BY_VM] = "vm", [BY_THREADS] = "threads", [BY_HEAP] = "heap"};
    return NAMES[source()];
}

bool lens_allocated_read(LensAllocated *state, JNIEnv *jni, int64_t heap_used,
                         int64_t collections, int64_t *bytes)
{
    ASSERT_AGENT_THREAD();
    bool told = true;
    if (source() == BY_VM) {
        jlong total = 0;
        told = allocated_bytes()(lens.jvmti, &total) == JVMTI_ERROR_NONE;
        state->total = total;
    } else if (source() == BY_THREADS) {
        told = read_bean(state, jni);
    } else {
        read_heap(state, heap_used, collections);
    }
    *bytes = state->total;
    return told;
}

void lens_allocated_free(LensAllocated *state)
{
    free(state->threads);
    *state = (LensAllocated){0};
}
