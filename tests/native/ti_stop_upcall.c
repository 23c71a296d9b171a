// SPDX-License-Identifier: Apache-2.0
// For StopInUpcall: an exception of StopThread is due before a JVM TI function runs Java code.
#include "ti_common.h"

static jvmtiEnv *ti;

static jvmtiError call(jint kind, jthread me, jclass self, jobject module, jobject other)
{
    switch (kind) {
    case 0: return (*ti)->AddModuleReads(ti, module, other);
    case 1: return (*ti)->AddModuleExports(ti, module, "java.lang", other);
    case 2: return (*ti)->AddModuleOpens(ti, module, "java.lang", other);
    case 3: return (*ti)->AddModuleUses(ti, module, self);
    case 4: return (*ti)->AddModuleProvides(ti, module, self, self);
    case 5: return (*ti)->InterruptThread(ti, me);
    default: return (*ti)->RetransformClasses(ti, 1, &self);
    }
}

// Stops the calling thread, then calls one of the functions.
EXPORT(void, Java_StopInUpcall_stopAndCall, JNIEnv *jni, jclass self, jint kind,
       jthrowable with, jobject module, jobject other)
{
    (void)jni;
    jthread me;
    MUST((*ti)->GetCurrentThread(ti, &me));
    MUST((*ti)->StopThread(ti, me, with));
    say("%d error %d", (int)kind, (int)call(kind, me, self, module, other));
}

EXPORT(jint, Agent_OnLoad, JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    ti = new_env(vm, JVMTI_VERSION_11);
    jvmtiCapabilities c = {.can_signal_thread = 1, .can_retransform_classes = 1};
    MUST((*ti)->AddCapabilities(ti, &c));
    return JNI_OK;
}
