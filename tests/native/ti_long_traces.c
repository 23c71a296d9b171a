// SPDX-License-Identifier: Apache-2.0
// For tests/agents/LongTraces.java: whether a trace has what the frames have one by one.
#include "ti_common.h"

static jvmtiEnv *ti;
enum { MOST = 4096 };

static void one_by_one(jthread thread, jint count, jvmtiFrameInfo *out)
{
    for (jint depth = 0; depth < count; depth++)
        MUST((*ti)->GetFrameLocation(ti, thread, depth, &out[depth].method,
                                     &out[depth].location));
}

// Of at most `max` frames from `start` on.
static void compare(jthread thread, const jvmtiFrameInfo *frames, jint count, jint start,
                    jint max)
{
    static jvmtiFrameInfo trace[MOST];
    jint got, expected = max < count - start ? max : count - start;
    MUST((*ti)->GetStackTrace(ti, thread, start, max, trace, &got));
    if (got != expected) {
        say("from %d at most %d: %d frames, not %d", start, max, got, expected);
        return;
    }
    for (jint i = 0; i < got; i++)
        if (trace[i].method != frames[start + i].method
            || trace[i].location != frames[start + i].location) {
            say("from %d at most %d: frame %d differs", start, max, i);
            return;
        }
}

// Frames must not move meanwhile: the thread is the current one, or suspended.
static void compare_all(jthread thread)
{
    static const jint some[] = {1, 2, 63, 64, 65, 127, 128, 129, 500, MOST};
    static jvmtiFrameInfo frames[MOST];
    jvmtiStackInfo *info;
    jint count;
    MUST((*ti)->GetFrameCount(ti, thread, &count));
    one_by_one(thread, count, frames);
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        for (jint start = 0; start < count; start += 1 + start / 8)
            compare(thread, frames, count, start, some[i]);
    MUST((*ti)->GetThreadListStackTraces(ti, 1, &thread, MOST, &info));
    if (info->frame_count != count)
        say("%d frames in a list of one thread, not %d", info->frame_count, count);
    for (jint i = 0; i < info->frame_count && i < count; i++)
        if (info->frame_buffer[i].method != frames[i].method)
            say("frame %d differs in a list of one thread", i);
    release(ti, (void *)info);
}

static void notify_each(jthread thread, jint step)
{
    jint count;
    MUST((*ti)->GetFrameCount(ti, thread, &count));
    for (jint depth = 1; depth < count - 1; depth += step) {
        jvmtiError error = (*ti)->NotifyFramePop(ti, thread, depth);
        if (error != JVMTI_ERROR_NONE && error != JVMTI_ERROR_OPAQUE_FRAME
            && error != JVMTI_ERROR_DUPLICATE)
            say("NotifyFramePop gave %d", (int)error);
    }
}

EXPORT(void, Java_LongTraces_look, JNIEnv *jni, jclass c, jthread thread)
{
    (void)jni, (void)c;
    compare_all(thread);
    notify_each(thread, 37);
    compare_all(thread);
    notify_each(thread, 5);
    compare_all(thread);
}

EXPORT(void, Java_LongTraces_suspend, JNIEnv *jni, jclass c, jthread thread, jboolean on)
{
    (void)jni, (void)c;
    MUST(on ? (*ti)->SuspendThread(ti, thread) : (*ti)->ResumeThread(ti, thread));
}

EXPORT(jint, Java_LongTraces_up, JNIEnv *jni, jclass c, jint n)
{
    return (*jni)->CallStaticIntMethod(jni, c,
                                       (*jni)->GetStaticMethodID(jni, c, "even", "(I)I"), n);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    ti = new_env(vm, JVMTI_VERSION_11);
    jvmtiCapabilities want = {.can_suspend = 1, .can_generate_frame_pop_events = 1};
    MUST((*ti)->AddCapabilities(ti, &want));
    return JNI_OK;
}
