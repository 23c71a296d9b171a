// SPDX-License-Identifier: Apache-2.0
// Fields (JVM TI, Field).
#include "java/java_object.h"
#include "jvmti/generated/decl.h"

jvmtiError ti_GetFieldName(Thread *self, TiEnv *env, Class *klass, Field *field,
                           char **name_ptr, char **signature_ptr, char **generic_ptr)
{
    (void)self, (void)env, (void)klass;
    jvmtiError error = JVMTI_ERROR_NONE;
    if (name_ptr)
        error = ti_copy_string(field->name->s, name_ptr);
    if (error == JVMTI_ERROR_NONE && signature_ptr)
        error = ti_copy_string(field->desc->s, signature_ptr);
    if (error == JVMTI_ERROR_NONE && generic_ptr) {
        uint16_t at = field->info ? field->info->attrs.signature : 0;
        error = ti_copy_bytes(at ? cf_utf8(field->cls->cf, at) : (Bytes){0}, generic_ptr);
    }
    return error;
}

jvmtiError ti_GetFieldDeclaringClass(Thread *self, TiEnv *env, Class *klass, Field *field,
                                     jclass *declaring_class_ptr)
{
    (void)env, (void)klass;
    *declaring_class_ptr = mirror_handle(self, field->cls);
    return JVMTI_ERROR_NONE;
}

jvmtiError ti_GetFieldModifiers(Thread *self, TiEnv *env, Class *klass, Field *field,
                                jint *modifiers_ptr)
{
    (void)self, (void)env, (void)klass;
    enum { MODIFIERS = 0x50DF }; // all of JVMS 4.5
    *modifiers_ptr = field->access & MODIFIERS;
    return JVMTI_ERROR_NONE;
}

jvmtiError ti_IsFieldSynthetic(Thread *self, TiEnv *env, Class *klass, Field *field,
                               jboolean *is_synthetic_ptr)
{
    (void)self, (void)env, (void)klass;
    *is_synthetic_ptr =
        (field->access & ACC_SYNTHETIC) != 0 || (field->info && field->info->attrs.synthetic);
    return JVMTI_ERROR_NONE;
}
