// SPDX-License-Identifier: Apache-2.0
// For UntoldLocals.
#include "ti_common.h"

static jvmtiEnv *ti;

EXPORT(jint, Java_UntoldLocals_put, JNIEnv *jni, jclass self, jint slot, jobject o)
{
    (void)jni, (void)self;
    return (jint)(*ti)->SetLocalObject(ti, NULL, 1, slot, o);
}

EXPORT(jint, Agent_OnLoad, JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    jvmtiCapabilities capabilities = {.can_access_local_variables = 1};
    ti = new_env(vm, JVMTI_VERSION);
    MUST((*ti)->AddCapabilities(ti, &capabilities));
    return JNI_OK;
}
