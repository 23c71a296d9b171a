// SPDX-License-Identifier: Apache-2.0
// Objects (JVM TI, Object).
#include "jvmti/generated/decl.h"

jvmtiError ti_GetObjectSize(Thread *self, TiEnv *env, jobject object, jlong *size_ptr)
{
    (void)self, (void)env;
    *size_ptr = (jlong)object_size(deref(object));
    return JVMTI_ERROR_NONE;
}

jvmtiError ti_GetObjectHashCode(Thread *self, TiEnv *env, jobject object, jint *hash_code_ptr)
{
    (void)self, (void)env;
    *hash_code_ptr = (jint)object_identity_hash(deref(object));
    return JVMTI_ERROR_NONE;
}
