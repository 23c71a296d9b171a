// SPDX-License-Identifier: Apache-2.0
// What the VM says of a thread's state, in the wire's words, and which thread of the system it
// is.
#include "agent.h"

#include <stdlib.h>

LensThreadState lens_state_of(jint state)
{
    static const struct {
        jint bits;
        LensThreadState state;
    } STATES[] = {
        {JVMTI_THREAD_STATE_TERMINATED, LENS_ENDED},
        {JVMTI_THREAD_STATE_BLOCKED_ON_MONITOR_ENTER, LENS_BLOCKED},
        {JVMTI_THREAD_STATE_SLEEPING, LENS_SLEEPING},
        {JVMTI_THREAD_STATE_PARKED, LENS_PARKED},
        {JVMTI_THREAD_STATE_IN_OBJECT_WAIT, LENS_WAITING},
        {JVMTI_THREAD_STATE_WAITING, LENS_WAITING},
        {JVMTI_THREAD_STATE_RUNNABLE | JVMTI_THREAD_STATE_IN_NATIVE, LENS_IN_NATIVE},
        {JVMTI_THREAD_STATE_RUNNABLE, LENS_RUNNING},
    };
    for (size_t i = 0; i < sizeof STATES / sizeof STATES[0]; i++) {
        if ((state & STATES[i].bits) == STATES[i].bits) {
            return STATES[i].state;
        }
    }
    return state == 0 ? LENS_NEW : LENS_UNKNOWN;
}

LensThreadState lens_thread_state(jthread thread)
{
    jint state = 0;
    if ((*lens.jvmti)->GetThreadState(lens.jvmti, thread, &state) != JVMTI_ERROR_NONE) {
        return LENS_UNKNOWN;
    }
    return lens_state_of(state);
}

uint64_t lens_thread_cpu(const LensThread *thread, jthread java)
{
    assert(thread != NULL && java != NULL);
    int tid = atomic_load(&thread->tid);
    jlong nanos = 0;
    if (tid != 0) {
        return lens_clock_of(tid);
    }
    return (*lens.jvmti)->GetThreadCpuTime(lens.jvmti, java, &nanos) == JVMTI_ERROR_NONE
               ? (uint64_t)nanos
               : 0;
}

// ---- system ids ----

typedef struct Task {
    int tid;
    uint64_t clock;
} Task;

typedef struct Tasks {
    Task *list;
    size_t len, cap;
} Tasks;

static void gather(int tid, void *data)
{
    Tasks *tasks = data;
    if (tasks->len == tasks->cap) {
        size_t cap = tasks->cap == 0 ? 64 : tasks->cap * 2;
        Task *list = realloc(tasks->list, cap * sizeof *list);
        if (list == NULL) {
            return;
        }
        tasks->list = list;
        tasks->cap = cap;
    }
    tasks->list[tasks->len++] = (Task){.tid = tid, .clock = lens_clock_of(tid)};
}

// The one task whose clock stood at `nanos` between the gathering and now; 0 where there are
// none or several.
static int task_at(const Tasks *tasks, uint64_t nanos)
{
    int found = 0;
    for (size_t i = 0; i < tasks->len; i++) {
        if (tasks->list[i].clock <= nanos && nanos <= lens_clock_of(tasks->list[i].tid)) {
            if (found != 0) {
                return 0;
            }
            found = tasks->list[i].tid;
        }
    }
    return found;
}

void lens_threads_find_tids(JNIEnv *jni, const LensThreadList *list)
{
    ASSERT_OWN_THREAD();
    Tasks tasks = {0};
    for (jint i = 0; i < list->len; i++) {
        LensThread *t = lens_thread(jni, list->threads[i]);
        if (t == NULL || atomic_load(&t->tid) != 0) {
            continue;
        }
        if (tasks.len == 0) {
            lens_tasks_each(gather, &tasks);
        }
        jlong nanos = 0;
        if ((*lens.jvmti)->GetThreadCpuTime(lens.jvmti, list->threads[i], &nanos)
                == JVMTI_ERROR_NONE
            && nanos > 0) {
            lens_thread_set_tid(t, task_at(&tasks, (uint64_t)nanos));
        }
    }
    free(tasks.list);
}
