// SPDX-License-Identifier: Apache-2.0
// Timers (JVM TI, Timers).
#include "jvmti/generated/decl.h"
#include "options/options.h"

static void describe_timer(jvmtiTimerInfo *info, jvmtiTimerKind kind)
{
    *info = (jvmtiTimerInfo){.max_value = -1,
                             .may_skip_forward = JNI_FALSE,
                             .may_skip_backward = JNI_FALSE,
                             .kind = kind};
}

jvmtiError ti_GetCurrentThreadCpuTimerInfo(Thread *self, TiEnv *env, jvmtiTimerInfo *info_ptr)
{
    (void)env;
    if (!self)
        return JVMTI_ERROR_UNATTACHED_THREAD;
    describe_timer(info_ptr, JVMTI_TIMER_TOTAL_CPU);
    return JVMTI_ERROR_NONE;
}

jvmtiError ti_GetCurrentThreadCpuTime(Thread *self, TiEnv *env, jlong *nanos_ptr)
{
    (void)env;
    if (!self)
        return JVMTI_ERROR_UNATTACHED_THREAD;
    *nanos_ptr = os_thread_cpu_nanos(pthread_self());
    return JVMTI_ERROR_NONE;
}

jvmtiError ti_GetThreadCpuTimerInfo(Thread *self, TiEnv *env, jvmtiTimerInfo *info_ptr)
{
    (void)self, (void)env;
    describe_timer(info_ptr, JVMTI_TIMER_TOTAL_CPU);
    return JVMTI_ERROR_NONE;
}

jvmtiError ti_GetThreadCpuTime(Thread *self, TiEnv *env, Thread *thread, jlong *nanos_ptr)
{
    (void)env;
    thread_handshake(self, thread); // it cannot end meanwhile
    uint32_t state = atomic_load(&thread->state);
    bool ended = state == THREAD_ENDED;
    *nanos_ptr = ended ? -1 : state == THREAD_NEW ? 0 : os_thread_cpu_nanos(thread->pthread);
    thread_handshake_end(self, thread);
    return ended ? JVMTI_ERROR_THREAD_NOT_ALIVE : JVMTI_ERROR_NONE;
}

jvmtiError ti_GetTimerInfo(Thread *self, TiEnv *env, jvmtiTimerInfo *info_ptr)
{
    (void)self, (void)env;
    describe_timer(info_ptr, JVMTI_TIMER_ELAPSED);
    return JVMTI_ERROR_NONE;
}

jvmtiError ti_GetTime(Thread *self, TiEnv *env, jlong *nanos_ptr)
{
    (void)self, (void)env;
    *nanos_ptr = os_nanos();
    return JVMTI_ERROR_NONE;
}

jvmtiError ti_GetAvailableProcessors(Thread *self, TiEnv *env, jint *processor_count_ptr)
{
    (void)self, (void)env;
    *processor_count_ptr = options_cpu_count();
    return JVMTI_ERROR_NONE;
}
