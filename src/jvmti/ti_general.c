// SPDX-License-Identifier: Apache-2.0
// General functions, environment-local storage (JVM TI, General).
#include "base/log.h"
#include "jvmti/env/ti_entry.h"
#include "jvmti/generated/decl.h"

enum { TI_INTERFACE_VERSION = 0x30110000 }; // 17.0.0

jvmtiError ti_GetPhase(Thread *self, TiEnv *env, jvmtiPhase *phase_ptr)
{
    (void)self;
    *phase_ptr = ti_env_phase(env);
    return JVMTI_ERROR_NONE;
}

jvmtiError ti_DisposeEnvironment(Thread *self, TiEnv *env)
{
    ti_env_dispose(self, env);
    return JVMTI_ERROR_NONE;
}

jvmtiError ti_GetEnvironmentLocalStorage(Thread *self, TiEnv *env, void **data_ptr)
{
    (void)self;
    *data_ptr = __atomic_load_n(&env->local_storage, __ATOMIC_ACQUIRE);
    return JVMTI_ERROR_NONE;
}

jvmtiError ti_SetEnvironmentLocalStorage(Thread *self, TiEnv *env, const void *data)
{
    (void)self;
    __atomic_store_n(&env->local_storage, (void *)(uintptr_t)data, __ATOMIC_RELEASE);
    return JVMTI_ERROR_NONE;
}

jvmtiError ti_GetVersionNumber(Thread *self, TiEnv *env, jint *version_ptr)
{
    (void)self, (void)env;
    *version_ptr = TI_INTERFACE_VERSION;
    return JVMTI_ERROR_NONE;
}

static const struct {
    int code;
    const char *name, *text;
} errors[] = {
#define ERROR(code, name, text) {code, "JVMTI_ERROR_" #name, text},
#include "spec/jvmti_errors.def"
#undef ERROR
};

const char *ti_error_name(jvmtiError error)
{
    for (size_t i = 0; i < ARRAY_LEN(errors); i++)
        if (errors[i].code == (int)error)
            return errors[i].name;
    return NULL;
}

const char *ti_error_text(jvmtiError error)
{
    for (size_t i = 0; i < ARRAY_LEN(errors); i++)
        if (errors[i].code == (int)error)
            return errors[i].text;
    return NULL;
}

jvmtiError ti_GetErrorName(Thread *self, TiEnv *env, jvmtiError code, char **name_ptr)
{
    (void)self, (void)env;
    const char *name = ti_error_name(code);
    jvmtiError error = ti_copy_string(name, name_ptr);
    return name ? error : JVMTI_ERROR_ILLEGAL_ARGUMENT;
}

// The same as -verbose: of that kind.
jvmtiError ti_SetVerboseFlag(Thread *self, TiEnv *env, jvmtiVerboseFlag flag, jboolean value)
{
    (void)self, (void)env;
    char error[256];
    const char *on, *off;
    switch (flag) {
    case JVMTI_VERBOSE_GC: on = ":gc=info:stdout", off = ":gc=off:stdout"; break;
    case JVMTI_VERBOSE_CLASS:
        on = ":class+load=info,class+unload=info:stdout";
        off = ":class+load=off,class+unload=off:stdout";
        break;
    case JVMTI_VERBOSE_JNI:
        on = ":jni+resolve=debug:stdout", off = ":jni+resolve=off:stdout";
        break;
    case JVMTI_VERBOSE_OTHER: return JVMTI_ERROR_NONE; // nothing else is logged
    default: return JVMTI_ERROR_ILLEGAL_ARGUMENT;
    }
    return log_configure(value ? on : off, error, sizeof error) ? JVMTI_ERROR_NONE
                                                                : JVMTI_ERROR_INTERNAL;
}

jvmtiError ti_GetJLocationFormat(Thread *self, TiEnv *env, jvmtiJlocationFormat *format_ptr)
{
    (void)self, (void)env;
    *format_ptr = JVMTI_JLOCATION_JVMBCI;
    return JVMTI_ERROR_NONE;
}
