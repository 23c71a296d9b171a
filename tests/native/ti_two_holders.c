// SPDX-License-Identifier: Apache-2.0
// Holds a thread for some rounds: suspends it, reads and writes its frames, pops the youngest and resumes it, each of which another
// environment may have done or undone in between (INTERNAL: its pop is still due). What is read must be a value that the program has there.
#include "ti_common.h"

#include <stdbool.h>
#include <time.h>

enum {
    MARK = 9,
    TURN = 10,
    TURNS = 50
}; // slots of Worker.work, which no other method of the thread has

enum {
    LONGEST =
        50 // times as many rounds, while a busy machine lets the thread do few of the pops
};

static jvmtiEnv *holders[2];

static bool is_mark(jint v)
{
    return v == 7 || v == 11 || v == 13;
}

static bool is_one_of(jvmtiError e, const jvmtiError *others, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (e == others[i])
            return true;
    return e == JVMTI_ERROR_NONE;
}

// The call succeeds, or gives one of the errors.
#define EXPECT_OR(call, ...)                                           \
    do {                                                               \
        const jvmtiError others_[] = {__VA_ARGS__};                    \
        jvmtiError e_ = (call);                                        \
        if (!is_one_of(e_, others_, sizeof others_ / sizeof *others_)) \
            say("%s gave %d", #call, (int)e_), (*wrong)++;             \
    } while (0)

// GetLocal and SetLocal at any depth: only Worker.work has these slots.
static void use_locals(jvmtiEnv *ti, jthread t, jint depth, jint mark, int *wrong)
{
    jint v = 7;
    jvmtiError e = (*ti)->GetLocalInt(ti, t, depth, MARK, &v);
    if (e == JVMTI_ERROR_NONE && !is_mark(v))
        say("mark is %d", v), (*wrong)++;
    v = 0;
    e = (*ti)->GetLocalInt(ti, t, depth, TURN, &v);
    if (e == JVMTI_ERROR_NONE && (v < 0 || v > TURNS))
        say("turn is %d", v), (*wrong)++;
    EXPECT_OR((*ti)->SetLocalInt(ti, t, depth, MARK, mark), JVMTI_ERROR_INVALID_SLOT,
              JVMTI_ERROR_NO_MORE_FRAMES, JVMTI_ERROR_OPAQUE_FRAME, JVMTI_ERROR_TYPE_MISMATCH);
}

EXPORT(jint, Java_TwoHolders_hold, JNIEnv *jni, jclass unused, jthread t, jint rounds, jint me)
{
    (void)jni, (void)unused;
    jvmtiEnv *ti = holders[me];
    int failures = 0, pops = 0, *wrong = &failures;
    const int enough = rounds / 20;
    for (jint i = 0; i < rounds || (pops < enough && i < LONGEST * rounds); i++) {
        EXPECT_OR((*ti)->SuspendThread(ti, t), JVMTI_ERROR_THREAD_SUSPENDED);
        jint count;
        MUST((*ti)->GetFrameCount(ti, t, &count));
        if (count < 1 || count > 20)
            say("%d frames", count), (*wrong)++;
        for (jint depth = 0; depth < count; depth++)
            use_locals(ti, t, depth, me == 0 ? 11 : 13, wrong);
        jint monitors;
        jvmtiMonitorStackDepthInfo *infos;
        MUST((*ti)->GetOwnedMonitorStackDepthInfo(ti, t, &monitors, &infos));
        if (monitors > 1 || (monitors == 1 && infos[0].stack_depth < 0))
            say("%d monitors", monitors), (*wrong)++;
        release(ti, infos);
        if (i % 3 == 0) {
            jvmtiError e = (*ti)->PopFrame(ti, t);
            pops += e == JVMTI_ERROR_NONE;
            EXPECT_OR(e, JVMTI_ERROR_THREAD_NOT_SUSPENDED, JVMTI_ERROR_OPAQUE_FRAME,
                      JVMTI_ERROR_NO_MORE_FRAMES, JVMTI_ERROR_INTERNAL);
        }
        EXPECT_OR((*ti)->ResumeThread(ti, t), JVMTI_ERROR_THREAD_NOT_SUSPENDED);
        nanosleep(&(struct timespec){.tv_nsec = 200 * 1000}, NULL);
    }
    if (pops < enough)
        say("%d frames were popped", pops), failures++;
    return failures;
}

EXPORT(jint, Agent_OnLoad, JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    jvmtiCapabilities caps = {.can_access_local_variables = 1,
                              .can_pop_frame = 1,
                              .can_suspend = 1,
                              .can_get_owned_monitor_stack_depth_info = 1};
    for (int i = 0; i < 2; i++) {
        holders[i] = new_env(vm, JVMTI_VERSION_1_2);
        MUST((*holders[i])->AddCapabilities(holders[i], &caps));
    }
    return 0;
}
