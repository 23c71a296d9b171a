// SPDX-License-Identifier: Apache-2.0
// For PiEnding: asks for the status and the object of threads that are about to end or have ended.
#include "pi_common.h"

#define NATIVE(type, name, ...) PI_NATIVE(PiEnding, type, name, ##__VA_ARGS__)

enum { THREADS = 4 };
static JNIEnv *_Atomic threads[THREADS];

static void notify(JVMPI_Event *e)
{
    (void)e;
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved);
JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    pi_start(vm, JVMPI_VERSION_1_1, notify);
    return JNI_OK;
}

// The thread is the one of this place from now on.
NATIVE(void, be, jint place)
{
    threads[place] = env;
}

// How many answers cannot be: nobody interrupts, and the object of a thread is a Thread.
NATIVE(jint, ask, jclass thread)
{
    jint wrong = 0;
    for (int i = 0; i < THREADS; i++) {
        JNIEnv *of = threads[i];
        pi->DisableGC();
        jint status = of ? pi->GetThreadStatus(of) : 0;
        jobjectID id = of ? pi->GetThreadObject(of) : NULL;
        jobject object = id ? pi->jobjectID2jobject(id) : NULL;
        wrong += (status & JVMPI_THREAD_INTERRUPTED) != 0;
        wrong += object && !(*env)->IsInstanceOf(env, object, thread);
        pi->EnableGC();
        (*env)->DeleteLocalRef(env, object);
    }
    return wrong;
}
