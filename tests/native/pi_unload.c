// SPDX-License-Identifier: Apache-2.0
// A JNI library that is an agent of JVMPI too, and goes with its class loader without a word.
#include "pi_common.h"

static volatile int told;

static void notify(JVMPI_Event *e)
{
    (void)e;
    told = 1;
}

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved)
{
    (void)reserved;
    pi_start(vm, JVMPI_VERSION_1, notify);
    for (jint type = 1; type <= JVMPI_MAX_EVENT_TYPE_VAL; type++)
        pi->EnableEvent(type, NULL);
    return JNI_VERSION_1_8;
}

PI_NATIVE(PiUnload_00024Agent, jboolean, told)
{
    return (jboolean)told;
}
