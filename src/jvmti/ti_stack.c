// SPDX-License-Identifier: Apache-2.0
// Stack frames (JVM TI, Stack Frame). A handshake stops another thread while its frames are read; for
// several threads at one moment the world is stopped.
#include "jvmti/env/ti_entry.h"
#include "jvmti/generated/decl.h"

static bool has_ended(const Thread *t)
{
    return atomic_load(&t->state) == THREAD_ENDED;
}

jvmtiError ti_GetFrameCount(Thread *self, TiEnv *env, Thread *thread, jint *count_ptr)
{
    (void)env;
    thread_handshake(self, thread);
    bool ended = has_ended(thread);
    *count_ptr = ended ? 0 : frames_count(thread, INT32_MAX);
    thread_handshake_end(self, thread);
    return ended ? JVMTI_ERROR_THREAD_NOT_ALIVE : JVMTI_ERROR_NONE;
}

jvmtiError ti_GetFrameLocation(Thread *self, TiEnv *env, Thread *thread, jint depth,
                               jmethodID *method_ptr, jlocation *location_ptr)
{
    (void)env;
    thread_handshake(self, thread);
    bool ended = has_ended(thread);
    FrameCursor f;
    bool found = !ended && cursor_at(&f, thread, depth);
    if (found) {
        *method_ptr = method_id(f.method);
        *location_ptr = f.bci;
    }
    thread_handshake_end(self, thread);
    if (ended)
        return JVMTI_ERROR_THREAD_NOT_ALIVE;
    return found ? JVMTI_ERROR_NONE : JVMTI_ERROR_NO_MORE_FRAMES;
}

static void copy_frame(void *ctx, const FrameCursor *f)
{
    jvmtiFrameInfo **next = ctx;
    *(*next)++ = (jvmtiFrameInfo){method_id(f->method), f->bci};
}

static jint copy_frames(FrameCursor *from, jint max, jvmtiFrameInfo *out)
{
    return (jint)frames_trace_methods(from, (uint32_t)max, NULL, copy_frame, &out);
}

// start < 0 counts from the oldest frame; else no frame older than those that are wanted is looked at. IN:
// the thread is self or in a handshake.
static jvmtiError copy_trace(const Thread *t, jint start, jint max, jvmtiFrameInfo *out,
                             jint *count_out)
{
    ASSERT_STILL(t);
    jint depth = start < 0 ? frames_count(t, INT32_MAX) : 0;
    if (-(jlong)start > depth)
        return JVMTI_ERROR_ILLEGAL_ARGUMENT;
    FrameCursor first;
    if (!cursor_at(&first, t, depth + start) && start > 0)
        return JVMTI_ERROR_ILLEGAL_ARGUMENT;
    *count_out = copy_frames(&first, max, out);
    return JVMTI_ERROR_NONE;
}

jvmtiError ti_GetStackTrace(Thread *self, TiEnv *env, Thread *thread, jint start_depth,
                            jint max_frame_count, jvmtiFrameInfo *frame_buffer, jint *count_ptr)
{
    (void)env;
    thread_handshake(self, thread);
    jvmtiError error = has_ended(thread) ? JVMTI_ERROR_THREAD_NOT_ALIVE
                                         : copy_trace(thread, start_depth, max_frame_count,
                                                      frame_buffer, count_ptr);
    thread_handshake_end(self, thread);
    return error;
}

// ---- several threads ----
typedef struct Traces {
    VEC(jvmtiFrameInfo) frames; // of all threads
    VEC(jint) depths;           // how many are each one's
} Traces;

static void push_frame(void *ctx, const FrameCursor *f)
{
    Traces *traces = ctx;
    vec_push(&traces->frames, ((jvmtiFrameInfo){method_id(f->method), f->bci}));
}

// Threads that are not alive have no frames. World stopped.
static void trace_each(const jthread *threads, jint count, jint max, Traces *out)
{
    ASSERT_WORLD_STOPPED();
    for (jint i = 0; i < count; i++) {
        const Thread *t = thread_of_java(deref(threads[i]));
        FrameCursor youngest;
        bool has_frames = t && cursor_first(&youngest, t);
        vec_push(&out->depths, has_frames ? (jint)frames_trace_methods(&youngest, (uint32_t)max,
                                                                       NULL, push_frame, out)
                                          : 0);
    }
}

// One block of memory for the agent: the infos, then all frames; `threads` are handles that
// become the agent's. World stopped.
static jvmtiError trace_all(Thread *self, const jthread *threads, jint count, jint max,
                            jvmtiStackInfo **out)
{
    Traces traces = {0};
    trace_each(threads, count, max, &traces);
    size_t head = (size_t)count * sizeof(jvmtiStackInfo);
    size_t bytes = traces.frames.len * sizeof(jvmtiFrameInfo);
    jvmtiStackInfo *infos = ti_alloc(head + bytes);
    if (infos) {
        jvmtiFrameInfo *frames = (jvmtiFrameInfo *)(void *)(infos + count);
        if (bytes)
            memcpy(frames, traces.frames.at, bytes);
        for (jint i = 0; i < count; i++) {
            jint depth = traces.depths.at[i];
            infos[i] = (jvmtiStackInfo){.thread = threads[i],
                                        .state = ti_thread_state(self, threads[i]),
                                        .frame_buffer = depth ? frames : NULL,
                                        .frame_count = depth};
            frames += depth;
        }
    }
    vec_free(&traces.frames);
    vec_free(&traces.depths);
    *out = infos;
    return infos || count == 0 ? JVMTI_ERROR_NONE : JVMTI_ERROR_OUT_OF_MEMORY;
}

jvmtiError ti_GetAllStackTraces(Thread *self, TiEnv *env, jint max_frame_count,
                                jvmtiStackInfo **stack_info_ptr, jint *thread_count_ptr)
{
    (void)env;
    TiHandles threads = {0};
    world_stop(self);
    ti_threads_list(self, &threads);
    jvmtiError error =
        trace_all(self, threads.at, (jint)threads.len, max_frame_count, stack_info_ptr);
    world_resume(self);
    *thread_count_ptr = (jint)threads.len;
    vec_free(&threads);
    return error;
}

jvmtiError ti_GetThreadListStackTraces(Thread *self, TiEnv *env, jint thread_count,
                                       const jthread *thread_list, jint max_frame_count,
                                       jvmtiStackInfo **stack_info_ptr)
{
    TiCall call = {.self = self, .env = env};
    for (jint i = 0; i < thread_count; i++) {
        jthread checked;
        jvmtiError error = ti_check_thread_object(&call, thread_list[i], false, &checked);
        if (error != JVMTI_ERROR_NONE)
            return error;
    }
    TiHandles threads = {0};
    for (jint i = 0; i < thread_count; i++)
        vec_push(&threads, handle_new(self, deref(thread_list[i])));
    world_stop(self);
    jvmtiError error =
        trace_all(self, threads.at, thread_count, max_frame_count, stack_info_ptr);
    world_resume(self);
    vec_free(&threads);
    return error;
}
