// SPDX-License-Identifier: Apache-2.0
// System properties as the VM knows them, which is before Java changes them (JVM TI, System
// Properties).
#include "jvmti/ti_property.h"
#include "jvmti/generated/decl.h"
#include "options/options.h"

static Property *find(const char *key)
{
    for (size_t i = vm_options.properties.len; i-- > 0;)
        if (strcmp(vm_options.properties.at[i].key, key) == 0)
            return &vm_options.properties.at[i];
    return NULL;
}

void ti_property_set(const char *key, const char *value)
{
    Property *p = find(key);
    if (p) {
        p->value = vm_strdup(value); // the old text may be in use
        return;
    }
    Property added = {.key = vm_strdup(key), .value = vm_strdup(value)};
    vec_push(&vm_options.properties, added);
}

jvmtiError ti_GetSystemProperties(Thread *self, TiEnv *env, jint *count_ptr,
                                  char ***property_ptr)
{
    (void)self, (void)env;
    size_t n = vm_options.properties.len;
    char **keys = ti_alloc(n * sizeof *keys);
    if (!keys)
        return JVMTI_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < n; i++)
        if (ti_copy_string(vm_options.properties.at[i].key, &keys[i]) != JVMTI_ERROR_NONE)
            return JVMTI_ERROR_OUT_OF_MEMORY;
    *count_ptr = (jint)n;
    *property_ptr = keys;
    return JVMTI_ERROR_NONE;
}

jvmtiError ti_GetSystemProperty(Thread *self, TiEnv *env, const char *property,
                                char **value_ptr)
{
    (void)self, (void)env;
    const char *value = options_property(property);
    return value ? ti_copy_string(value, value_ptr) : JVMTI_ERROR_NOT_AVAILABLE;
}

// Facts about the VM that an agent may not change.
static bool is_read_only(const char *key)
{
    static const char *const fixed[] = {"java.vm.specification.name",
                                        "java.vm.specification.vendor",
                                        "java.vm.specification.version",
                                        "java.vm.name",
                                        "java.vm.version",
                                        "java.vm.vendor",
                                        "jdk.boot.class.path.append",
                                        "jdk.debug"};
    for (size_t i = 0; i < ARRAY_LEN(fixed); i++)
        if (strcmp(fixed[i], key) == 0)
            return true;
    return false;
}

jvmtiError ti_SetSystemProperty(Thread *self, TiEnv *env, const char *property,
                                const char *value_ptr)
{
    (void)self, (void)env;
    Property *p = find(property);
    if (!p || is_read_only(property))
        return JVMTI_ERROR_NOT_AVAILABLE;
    if (value_ptr) // NULL asks whether it may be
        ti_property_set(property, value_ptr);
    return JVMTI_ERROR_NONE;
}
