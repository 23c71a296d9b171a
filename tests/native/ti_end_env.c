// SPDX-License-Identifier: Apache-2.0
// The thread of EndEnv.java: asks for its JNIEnv until the process is gone, which takes its time after
// the VM has ended.
#include <stdatomic.h>
#include <unistd.h>

#include "ti_common.h"

static JavaVM *java_vm;
static jvmtiEnv *ti;
static _Atomic int asking;

static void JNICALL ask(jvmtiEnv *env, JNIEnv *jni, void *arg)
{
    (void)env, (void)jni, (void)arg;
    jint rc;
    do {
        void *own;
        rc = (*java_vm)->GetEnv(java_vm, &own, JNI_VERSION_1_2);
        atomic_store(&asking, 1);
    } while (rc == JNI_OK);
    say("GetEnv: %d", rc);
}

EXPORT(void, Java_EndEnv_start, JNIEnv *jni, jclass cls, jthread thread)
{
    (void)jni, (void)cls;
    MUST((*ti)->RunAgentThread(ti, thread, ask, NULL, JVMTI_THREAD_NORM_PRIORITY));
    while (!atomic_load(&asking))
        usleep(1000);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    java_vm = vm;
    ti = new_env(vm, JVMTI_VERSION_11);
    return JNI_OK;
}

__attribute__((destructor)) static void linger(void)
{
    usleep(300000);
}
