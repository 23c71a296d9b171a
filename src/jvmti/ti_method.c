// SPDX-License-Identifier: Apache-2.0
// Methods and native method prefixes (JVM TI, Method).
#include <stdlib.h>

#include "java/java_object.h"
#include "jvmti/env/ti_departure.h"
#include "jvmti/generated/decl.h"
#include "jvmti/tags/ti_tags.h"
#include "link/native.h"

jvmtiError ti_GetMethodName(Thread *self, TiEnv *env, Method *method, char **name_ptr,
                            char **signature_ptr, char **generic_ptr)
{
    (void)self, (void)env;
    jvmtiError error = JVMTI_ERROR_NONE;
    if (name_ptr)
        error = ti_copy_string(method->name->s, name_ptr);
    if (error == JVMTI_ERROR_NONE && signature_ptr)
        error = ti_copy_string(method->desc->s, signature_ptr);
    if (error == JVMTI_ERROR_NONE && generic_ptr) {
        uint16_t at = method->info ? method->info->attrs.signature : 0;
        error = ti_copy_bytes(at ? cf_utf8(method->pool->cf, at) : (Bytes){0}, generic_ptr);
    }
    return error;
}

jvmtiError ti_GetMethodDeclaringClass(Thread *self, TiEnv *env, Method *method,
                                      jclass *declaring_class_ptr)
{
    (void)env;
    *declaring_class_ptr = mirror_handle(self, method->cls);
    return JVMTI_ERROR_NONE;
}

jvmtiError ti_GetMethodModifiers(Thread *self, TiEnv *env, Method *method, jint *modifiers_ptr)
{
    (void)self, (void)env;
    enum { MODIFIERS = 0x1DFF }; // all of JVMS 4.6
    *modifiers_ptr = method->access & MODIFIERS;
    return JVMTI_ERROR_NONE;
}

jvmtiError ti_GetMaxLocals(Thread *self, TiEnv *env, Method *method, jint *max_ptr)
{
    (void)self, (void)env;
    *max_ptr = method_has_code(method) ? method->max_locals : 0;
    return JVMTI_ERROR_NONE;
}

jvmtiError ti_GetArgumentsSize(Thread *self, TiEnv *env, Method *method, jint *size_ptr)
{
    (void)self, (void)env;
    *size_ptr = method->arg_words;
    return JVMTI_ERROR_NONE;
}

jvmtiError ti_GetLineNumberTable(Thread *self, TiEnv *env, Method *method,
                                 jint *entry_count_ptr, jvmtiLineNumberEntry **table_ptr)
{
    (void)self, (void)env;
    uint32_t count;
    LineEntry *lines = method_lines(method, &count);
    if (count == 0)
        return JVMTI_ERROR_ABSENT_INFORMATION;
    jvmtiLineNumberEntry *table = ti_alloc(count * sizeof *table);
    for (uint32_t i = 0; table && i < count; i++)
        table[i] = (jvmtiLineNumberEntry){lines[i].start_pc, lines[i].line};
    vm_free(lines);
    if (!table)
        return JVMTI_ERROR_OUT_OF_MEMORY;
    *entry_count_ptr = (jint)count;
    *table_ptr = table;
    return JVMTI_ERROR_NONE;
}

jvmtiError ti_GetMethodLocation(Thread *self, TiEnv *env, Method *method,
                                jlocation *start_location_ptr, jlocation *end_location_ptr)
{
    (void)self, (void)env;
    bool has_code = method_has_code(method);
    *start_location_ptr = has_code ? 0 : -1;
    *end_location_ptr = has_code ? (jlocation)method_code(method).code_len - 1 : -1;
    return JVMTI_ERROR_NONE;
}

static jvmtiError copy_local(const ClassFile *cf, const LocalVarEntry *from,
                             jvmtiLocalVariableEntry *to)
{
    *to = (jvmtiLocalVariableEntry){
        .start_location = from->start_pc, .length = from->length, .slot = from->slot};
    jvmtiError error = ti_copy_bytes(cf_utf8(cf, from->name), &to->name);
    if (error == JVMTI_ERROR_NONE)
        error = ti_copy_bytes(cf_utf8(cf, from->descriptor), &to->signature);
    if (error == JVMTI_ERROR_NONE)
        error = ti_copy_bytes(from->signature ? cf_utf8(cf, from->signature) : (Bytes){0},
                              &to->generic_signature);
    return error;
}

// A compiler leaves the table out where a method has no variables; only a class without any was
// compiled without them.
static bool has_local_tables(const ClassFile *cf)
{
    for (uint32_t i = 0; i < cf->method_count; i++) {
        const uint8_t *body = cf->methods[i].code;
        CodeInfo code = body ? code_info(body) : (CodeInfo){0};
        if (body && code_has_locals(cf, &code))
            return true;
    }
    return false;
}

jvmtiError ti_GetLocalVariableTable(Thread *self, TiEnv *env, Method *method,
                                    jint *entry_count_ptr, jvmtiLocalVariableEntry **table_ptr)
{
    (void)self, (void)env;
    const ClassFile *cf = method->pool->cf;
    if (!has_local_tables(cf))
        return JVMTI_ERROR_ABSENT_INFORMATION;
    uint32_t count;
    LocalVarEntry *locals = method_locals(method, &count); // an abstract method has none
    jvmtiLocalVariableEntry *table = ti_alloc(count * sizeof *table);
    jvmtiError error = table || count == 0 ? JVMTI_ERROR_NONE : JVMTI_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = 0; error == JVMTI_ERROR_NONE && i < count; i++)
        error = copy_local(cf, &locals[i], &table[i]);
    vm_free(locals);
    if (error == JVMTI_ERROR_NONE) {
        *entry_count_ptr = (jint)count;
        *table_ptr = table;
    }
    return error;
}

jvmtiError ti_GetBytecodes(Thread *self, TiEnv *env, Method *method, jint *bytecode_count_ptr,
                           unsigned char **bytecodes_ptr)
{
    (void)self, (void)env;
    uint32_t len = method_has_code(method) ? method_code(method).code_len : 0;
    unsigned char *copy = ti_alloc(len);
    if (len && !copy)
        return JVMTI_ERROR_OUT_OF_MEMORY;
    if (len)
        memcpy(copy, method_bytecodes(method), len);
    *bytecode_count_ptr = (jint)len;
    *bytecodes_ptr = copy;
    return JVMTI_ERROR_NONE;
}

jvmtiError ti_IsMethodNative(Thread *self, TiEnv *env, Method *method, jboolean *is_native_ptr)
{
    (void)self, (void)env;
    *is_native_ptr = method_is_native(method);
    return JVMTI_ERROR_NONE;
}

jvmtiError ti_IsMethodSynthetic(Thread *self, TiEnv *env, Method *method,
                                jboolean *is_synthetic_ptr)
{
    (void)self, (void)env;
    *is_synthetic_ptr = (method->access & ACC_SYNTHETIC) != 0
                        || (method->info && method->info->attrs.synthetic);
    return JVMTI_ERROR_NONE;
}

jvmtiError ti_IsMethodObsolete(Thread *self, TiEnv *env, Method *method,
                               jboolean *is_obsolete_ptr)
{
    (void)self, (void)env;
    *is_obsolete_ptr = (method->flags & METHOD_OBSOLETE) != 0;
    return JVMTI_ERROR_NONE;
}

// ---- native method prefixes ----
typedef VEC(const char *) Prefixes;

static void add_prefixes(Prefixes *all, const TiEnv *env)
{
    for (jint i = 0; i < env->prefix_count; i++)
        vec_push(all, env->prefixes[i]);
}

// All environments' prefixes in the order in which names were wrapped, outermost last: in that in
// which environments see class files, or as on HotSpot in that of their creation. ti_lock is held.
static void publish_prefixes(void)
{
    ASSERT_HELD(&ti_lock);
    Prefixes all = {0};
    bool by_creation = ti_as_hotspot();
    for (int capable = 0; capable <= !by_creation; capable++)
        TI_ENV_EACH(env)
    if (by_creation || ti_retransforms(env) == capable)
        add_prefixes(&all, env);
    native_set_prefixes(all.at, (int)all.len);
    vec_free(&all);
}

void ti_prefixes_order(void)
{
    mutex_lock(&ti_lock);
    publish_prefixes();
    mutex_unlock(&ti_lock);
}

void ti_prefixes_set(TiEnv *env, jint count, char *const *prefixes)
{
    char **copy = count ? vm_malloc((size_t)count * sizeof *copy) : NULL;
    for (jint i = 0; i < count; i++)
        copy[i] = vm_strdup(prefixes[i]);
    mutex_lock(&ti_lock);
    char **old = env->prefixes;
    jint old_count = env->prefix_count;
    env->prefixes = copy;
    env->prefix_count = count;
    if (old_count > 0 || count > 0)
        publish_prefixes();
    mutex_unlock(&ti_lock);
    for (jint i = 0; i < old_count; i++)
        vm_free(old[i]);
    vm_free(old);
}

jvmtiError ti_SetNativeMethodPrefix(Thread *self, TiEnv *env, const char *prefix)
{
    (void)self;
    ti_prefixes_set(env, prefix ? 1 : 0, (char *[]){(char *)(uintptr_t)prefix});
    return JVMTI_ERROR_NONE;
}

jvmtiError ti_SetNativeMethodPrefixes(Thread *self, TiEnv *env, jint prefix_count,
                                      char **prefixes)
{
    (void)self;
    for (jint i = 0; i < prefix_count; i++)
        if (!prefixes[i])
            return JVMTI_ERROR_NULL_POINTER;
    ti_prefixes_set(env, prefix_count, prefixes);
    return JVMTI_ERROR_NONE;
}
