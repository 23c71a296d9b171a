// SPDX-License-Identifier: Apache-2.0
// An agent of JVM TI that asks for JVMPI in the live phase, and wants THREAD_START alone.
#include <jvmti.h>

#include "pi_late.h"

static PiLateAgent agent;
static JavaVM *java_vm;

static void notify(JVMPI_Event *e)
{
    if (e->event_type == JVMPI_EVENT_THREAD_START)
        agent.starts += strncmp(e->u.thread_start.thread_name, "late", 4) == 0;
    else
        agent.others++;
}

static void JNICALL vm_init(jvmtiEnv *ti, JNIEnv *env, jthread thread)
{
    (void)ti, (void)env, (void)thread;
    pi_start(java_vm, JVMPI_VERSION_1, notify);
    agent.table = pi;
    pi_enable(JVMPI_EVENT_THREAD_START);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved);
JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    jvmtiEnv *ti;
    jvmtiEventCallbacks callbacks = {.VMInit = vm_init};
    java_vm = vm;
    if ((*vm)->GetEnv(vm, (void **)&ti, JVMTI_VERSION_1_2) != JNI_OK)
        return JNI_ERR;
    (*ti)->SetEventCallbacks(ti, &callbacks, (jint)sizeof callbacks);
    (*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL);
    return JNI_OK;
}

JNIEXPORT const PiLateAgent *pi_late_agent(void);
JNIEXPORT const PiLateAgent *pi_late_agent(void)
{
    return &agent;
}
