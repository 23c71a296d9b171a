// SPDX-License-Identifier: Apache-2.0
// Interception of JNI functions (JVM TI, JNI Function Interception).
#include "jvmti/generated/decl.h"

jvmtiError ti_SetJNIFunctionTable(Thread *self, TiEnv *env,
                                  const jniNativeInterface *function_table)
{
    (void)self, (void)env;
    jni_table_set(function_table);
    return JVMTI_ERROR_NONE;
}

jvmtiError ti_GetJNIFunctionTable(Thread *self, TiEnv *env, jniNativeInterface **function_table)
{
    (void)self, (void)env;
    *function_table = ti_alloc(sizeof **function_table);
    if (!*function_table)
        return JVMTI_ERROR_OUT_OF_MEMORY;
    **function_table = *jni_table();
    return JVMTI_ERROR_NONE;
}
