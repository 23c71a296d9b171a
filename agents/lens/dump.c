// SPDX-License-Identifier: Apache-2.0
// The verbs dump (all threads as text) and stack (one thread's stack now). Of the agent's
// thread alone.
#define _GNU_SOURCE
#include "agent.h"
#include "verbs.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 512, TEXT_MOST = 900 << 10 };

// ---- text ----

static __attribute__((format(printf, 2, 3))) void print(LensBuffer *to, const char *format, ...)
{
    char *line = NULL;
    va_list args;
    va_start(args, format);
    int len = vasprintf(&line, format, args);
    va_end(args);
    if (len > 0) {
        lens_buffer_bytes(to, line, (size_t)len);
        free(line);
    }
}

static jint line_of(jmethodID method, jlocation at)
{
    jint len = 0, line = -1;
    jvmtiLineNumberEntry *lines = NULL;
    if ((*lens.jvmti)->GetLineNumberTable(lens.jvmti, method, &len, &lines)
        != JVMTI_ERROR_NONE) {
        return -1;
    }
    jlocation best = -1;
    for (jint i = 0; i < len; i++) {
        if (lines[i].start_location <= at && lines[i].start_location > best) {
            best = lines[i].start_location;
            line = lines[i].line_number;
        }
    }
    agent_deallocate(lens.jvmti, lines);
    return line;
}

static void print_frame(LensBuffer *to, JNIEnv *jni, const jvmtiFrameInfo *frame)
{
    uint32_t method = lens_method_id(jni, frame->method);
    const char *class = lens_class_name(lens_method_class(method)),
               *name = lens_def_name(LENS_DEF_METHOD, method);
    jint line = frame->location >= 0 ? line_of(frame->method, frame->location) : -1;
    if (frame->location < 0) {
        print(to, "\tat %s.%s(Native Method)\n", class, name);
    } else if (line >= 0) {
        print(to, "\tat %s.%s(line %d)\n", class, name, (int)line);
    } else {
        print(to, "\tat %s.%s\n", class, name);
    }
}

static void print_monitor(LensBuffer *to, JNIEnv *jni, const char *what, jobject monitor)
{
    jclass class = (*jni)->GetObjectClass(jni, monitor);
    jint hash = 0;
    (*lens.jvmti)->GetObjectHashCode(lens.jvmti, monitor, &hash);
    print(to, "\t- %s <%08x> (a %s)\n", what, (unsigned)hash,
          lens_class_name(lens_class_id(jni, class)));
    (*jni)->DeleteLocalRef(jni, class);
}

// Monitors that a thread holds, by depth of the frame; empty where the VM does not tell.
typedef struct Owned {
    jvmtiMonitorStackDepthInfo *list;
    jint len;
} Owned;

static Owned owned_by(jthread thread)
{
    Owned owned = {0};
    if ((*lens.jvmti)
            ->GetOwnedMonitorStackDepthInfo(lens.jvmti, thread, &owned.len, &owned.list)
        != JVMTI_ERROR_NONE) {
        return (Owned){0};
    }
    return owned;
}

static void print_owned(LensBuffer *to, JNIEnv *jni, const Owned *owned, jint depth)
{
    for (jint i = 0; i < owned->len; i++) {
        if (owned->list[i].stack_depth == depth) {
            print_monitor(to, jni, "locked", owned->list[i].monitor);
        }
    }
}

static void release_owned(JNIEnv *jni, Owned *owned)
{
    for (jint i = 0; i < owned->len; i++) {
        (*jni)->DeleteLocalRef(jni, owned->list[i].monitor);
    }
    agent_deallocate(lens.jvmti, owned->list);
}

static const char *state_name(LensThreadState state)
{
    static const char *const NAMES[] = {"unknown",        "running", "blocked",
                                        "waiting",        "parked",  "sleeping",
                                        "in native code", "new",     "ended"};
    assert((size_t)state < sizeof NAMES / sizeof NAMES[0]);
    return NAMES[state];
}

static void print_head(LensBuffer *to, JNIEnv *jni, const jvmtiStackInfo *info)
{
    jvmtiThreadInfo thread = {0};
    char *name = agent_thread_name(lens.jvmti, jni, info->thread);
    const LensThread *t = lens_thread(jni, info->thread);
    if ((*lens.jvmti)->GetThreadInfo(lens.jvmti, info->thread, &thread) == JVMTI_ERROR_NONE) {
        agent_deallocate(lens.jvmti, thread.name);
    }
    print(to, "\"%s\" #%u%s prio=%d tid=%d: %s\n", name != NULL ? name : "?",
          t != NULL ? t->id : 0, thread.is_daemon ? " daemon" : "", (int)thread.priority,
          t != NULL ? atomic_load(&t->tid) : 0, state_name(lens_state_of(info->state)));
    free(name);
}

static void print_thread(LensBuffer *to, JNIEnv *jni, const jvmtiStackInfo *info)
{
    print_head(to, jni, info);
    Owned owned = owned_by(info->thread);
    jobject wanted = NULL;
    if ((*lens.jvmti)->GetCurrentContendedMonitor(lens.jvmti, info->thread, &wanted)
        != JVMTI_ERROR_NONE) {
        wanted = NULL;
    }
    for (jint i = 0; i < info->frame_count; i++) {
        print_frame(to, jni, &info->frame_buffer[i]);
        if (i == 0 && wanted != NULL) {
            print_monitor(to, jni, "waits for", wanted);
        }
        print_owned(to, jni, &owned, i);
    }
    print(to, "\n");
    if (wanted != NULL) {
        (*jni)->DeleteLocalRef(jni, wanted);
    }
    release_owned(jni, &owned);
}

// ---- dump ----

static void add_what_helps(void)
{
    static const jvmtiCapabilities HELPFUL[] = {{.can_get_owned_monitor_stack_depth_info = 1},
                                                {.can_get_current_contended_monitor = 1}};
    for (size_t i = 0; i < sizeof HELPFUL / sizeof HELPFUL[0]; i++) {
        (*lens.jvmti)->AddCapabilities(lens.jvmti, &HELPFUL[i]); // refused: the dump says less
    }
}

static LensStarted start_dump(LensOrder *order, JNIEnv *jni)
{
    jint len = 0;
    jvmtiStackInfo *stacks = NULL;
    add_what_helps();
    if ((*lens.jvmti)->GetAllStackTraces(lens.jvmti, DEEPEST, &stacks, &len)
        != JVMTI_ERROR_NONE) {
        lens_fail(order, "the VM does not give the stacks of its threads");
        return LENS_OVER;
    }
    LensBuffer text = {0}, payload = {0};
    jint told = 0;
    for (; told < len && text.len < TEXT_MOST; told++) {
        print_thread(&text, jni, &stacks[told]);
    }
    if (told < len) {
        print(&text, "... and %d threads more\n", (int)(len - told));
    }
    for (jint i = 0; i < len; i++) {
        (*jni)->DeleteLocalRef(jni, stacks[i].thread);
    }
    agent_deallocate(lens.jvmti, stacks);
    lens_buffer_u(&payload, order->id);
    lens_buffer_s(&payload, (const char *)text.bytes, text.len);
    if (!payload.failed && payload.len <= LENS_MAX_PAYLOAD) {
        lens_connection_block(order->connection, LENS_DUMP, payload.bytes, payload.len);
        lens_done(order, "", NULL, 0);
    } else {
        lens_fail(order, "the dump is too large");
    }
    lens_buffer_free(&text);
    lens_buffer_free(&payload);
    return LENS_OVER;
}

const LensVerb lens_verb_dump = {.name = "dump", .start = start_dump};

// ---- stack ----

static bool put_stack(const LensOrder *order, JNIEnv *jni, const LensThreadList *list,
                      uint64_t id)
{
    for (jint i = 0; i < list->len; i++) {
        if (lens_thread_id(jni, list->threads[i]) != id) {
            continue;
        }
        LensRecord record;
        uint32_t stack = lens_stack_of(jni, list->threads[i], DEEPEST);
        lens_record_begin(&record, LENS_THREADS, order);
        lens_put_id(&record, LENS_DEF_THREAD, (uint32_t)id);
        lens_put_u(&record, lens_thread_state(list->threads[i]));
        lens_put_id(&record, LENS_DEF_STACK, stack);
        return lens_record_end(&record);
    }
    return false;
}

static LensStarted start_stack(LensOrder *order, JNIEnv *jni)
{
    uint64_t id;
    if (!lens_arg_number(order, "thread", 0, 1, UINT32_MAX, &id)) {
        return LENS_OVER;
    }
    LensThreadList list = lens_threads_get(jni);
    bool found = put_stack(order, jni, &list, id);
    lens_threads_release(jni, &list);
    if (found) {
        lens_drain(jni); // the record comes before the answer
        lens_done(order, "", NULL, 0);
    } else {
        lens_fail(order, "thread %llu does not live", (unsigned long long)id);
    }
    return LENS_OVER;
}

const LensVerb lens_verb_stack = {.name = "stack", .start = start_stack};
