// SPDX-License-Identifier: Apache-2.0
// An agent of JVM TI that asks for JVMPI when the first class file is read, before any Java code can run. Nobody had it yet.
#include <jvmti.h>

#include "pi_common.h"

static JavaVM *java_vm;
static jint thread_made = JNI_OK, dumped = JVMPI_FAIL;
static int starts, inits, dumps, system_ran;

static void notify(JVMPI_Event *e)
{
    switch (e->event_type) {
    case JVMPI_EVENT_THREAD_START: __atomic_fetch_add(&starts, 1, __ATOMIC_SEQ_CST); break;
    case JVMPI_EVENT_JVM_INIT_DONE: inits++; break;
    case JVMPI_EVENT_HEAP_DUMP | JVMPI_REQUESTED_EVENT: dumps++; break;
    }
}

static void run_system(void *unused)
{
    (void)unused;
    __atomic_store_n(&system_ran, 1, __ATOMIC_SEQ_CST);
}

static void JNICALL class_file(jvmtiEnv *ti, JNIEnv *env, jclass redefined, jobject loader,
                               const char *name, jobject domain, jint len,
                               const unsigned char *data, jint *new_len,
                               unsigned char **new_data)
{
    (void)ti, (void)env, (void)redefined, (void)loader, (void)name, (void)domain, (void)len,
        (void)data, (void)new_len;
    (void)new_data;
    if (pi)
        return;
    pi_start(java_vm, JVMPI_VERSION_1_2, notify);
    pi_enable(JVMPI_EVENT_THREAD_START);
    pi_enable(JVMPI_EVENT_JVM_INIT_DONE);
    thread_made = pi->CreateSystemThread("early", JVMPI_NORMAL_PRIORITY, run_system);
    dumped = pi->RequestEvent(JVMPI_EVENT_HEAP_DUMP, NULL);
    pi->RunGC();
}

PI_NATIVE(PiEarly, void, seen)
{
    check("10 main, others are told", wait_until(&starts, 3) && inits == 1);
    check("47", dumped == JVMPI_SUCCESS && dumps == 1);
    check("108 before", thread_made == JNI_ERR && !system_ran);
    check("108", pi->CreateSystemThread("late", JVMPI_NORMAL_PRIORITY, run_system) == JNI_OK
                     && wait_until(&system_ran, 1));
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved);
JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    jvmtiEnv *ti;
    jvmtiCapabilities early = {.can_generate_early_class_hook_events = 1,
                               .can_generate_all_class_hook_events = 1};
    jvmtiEventCallbacks callbacks = {.ClassFileLoadHook = class_file};
    java_vm = vm;
    if ((*vm)->GetEnv(vm, (void **)&ti, JVMTI_VERSION_9) != JNI_OK)
        return JNI_ERR;
    (*ti)->AddCapabilities(ti, &early);
    (*ti)->SetEventCallbacks(ti, &callbacks, (jint)sizeof callbacks);
    (*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, NULL);
    return JNI_OK;
}
