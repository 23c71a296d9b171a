// SPDX-License-Identifier: Apache-2.0
// RedefineClasses and RetransformClasses (JVM TI, Class).
#include "redefine/redefine.h"

#include <stdlib.h>

#include "jvmti/env/ti_entry.h"
#include "jvmti/generated/decl.h"

static jvmtiError error_of(RedefineStatus status)
{
    static const jvmtiError errors[] = {
        [REDEFINE_OK] = JVMTI_ERROR_NONE,
        [REDEFINE_INVALID_CLASS] = JVMTI_ERROR_INVALID_CLASS,
        [REDEFINE_UNSUPPORTED_VERSION] = JVMTI_ERROR_UNSUPPORTED_VERSION,
        [REDEFINE_INVALID_FORMAT] = JVMTI_ERROR_INVALID_CLASS_FORMAT,
        [REDEFINE_CIRCULAR] = JVMTI_ERROR_CIRCULAR_CLASS_DEFINITION,
        [REDEFINE_FAILS_VERIFICATION] = JVMTI_ERROR_FAILS_VERIFICATION,
        [REDEFINE_NAMES_DONT_MATCH] = JVMTI_ERROR_NAMES_DONT_MATCH,
        [REDEFINE_HIERARCHY_CHANGED] = JVMTI_ERROR_UNSUPPORTED_REDEFINITION_HIERARCHY_CHANGED,
        [REDEFINE_ATTRIBUTE_CHANGED] =
            JVMTI_ERROR_UNSUPPORTED_REDEFINITION_CLASS_ATTRIBUTE_CHANGED,
        [REDEFINE_MODIFIERS_CHANGED] =
            JVMTI_ERROR_UNSUPPORTED_REDEFINITION_CLASS_MODIFIERS_CHANGED,
        [REDEFINE_SCHEMA_CHANGED] = JVMTI_ERROR_UNSUPPORTED_REDEFINITION_SCHEMA_CHANGED,
        [REDEFINE_METHOD_DELETED] = JVMTI_ERROR_UNSUPPORTED_REDEFINITION_METHOD_DELETED,
        [REDEFINE_METHOD_MODIFIERS_CHANGED] =
            JVMTI_ERROR_UNSUPPORTED_REDEFINITION_METHOD_MODIFIERS_CHANGED,
        [REDEFINE_METHOD_ADDED] = JVMTI_ERROR_UNSUPPORTED_REDEFINITION_METHOD_ADDED,
        [REDEFINE_OUT_OF_MEMORY] = JVMTI_ERROR_OUT_OF_MEMORY,
        [REDEFINE_INTERNAL] = JVMTI_ERROR_INTERNAL,
    };
    return errors[status];
}

static jvmtiError check_modifiable(jclass klass, Class **out)
{
    jvmtiError error = ti_check_class(klass, out);
    if (error != JVMTI_ERROR_NONE)
        return error;
    return class_is_modifiable(*out) ? JVMTI_ERROR_NONE : JVMTI_ERROR_UNMODIFIABLE_CLASS;
}

// Frees the requests.
static jvmtiError redefine(Thread *self, TiEnv *env, RedefineRequest *requests, jint count,
                           jvmtiError error)
{
    if (error == JVMTI_ERROR_NONE) {
        HANDLE_SCOPE(self);
        TiUpcall up;
        for (jint i = 0; i < count; i++)
            requests[i].free = atomic_load(&env->redefines_freely);
        ti_upcall_begin(self, &up);
        error = error_of(classes_redefine(self, requests, count, ti_breakpoints_clear));
        ti_upcall_end(self, &up);
    }
    vm_free(requests);
    return error;
}

static jvmtiError check_definition(const jvmtiClassDefinition *d, RedefineRequest *out)
{
    if (!d->klass)
        return JVMTI_ERROR_INVALID_CLASS;
    if (d->class_byte_count <= 0)
        return JVMTI_ERROR_INVALID_CLASS_FORMAT;
    if (!d->class_bytes)
        return JVMTI_ERROR_NULL_POINTER;
    out->bytes = d->class_bytes;
    out->len = (size_t)d->class_byte_count;
    return check_modifiable(d->klass, &out->cls);
}

jvmtiError ti_RedefineClasses(Thread *self, TiEnv *env, jint class_count,
                              const jvmtiClassDefinition *class_definitions)
{
    RedefineRequest *requests = calloc((size_t)class_count + 1, sizeof *requests);
    jvmtiError error = requests ? JVMTI_ERROR_NONE : JVMTI_ERROR_OUT_OF_MEMORY;
    for (jint i = 0; i < class_count && error == JVMTI_ERROR_NONE; i++)
        error = check_definition(&class_definitions[i], &requests[i]);
    return redefine(self, env, requests, class_count, error);
}

jvmtiError ti_RetransformClasses(Thread *self, TiEnv *env, jint class_count,
                                 const jclass *classes)
{
    RedefineRequest *requests = calloc((size_t)class_count + 1, sizeof *requests);
    jvmtiError error = requests ? JVMTI_ERROR_NONE : JVMTI_ERROR_OUT_OF_MEMORY;
    for (jint i = 0; i < class_count && error == JVMTI_ERROR_NONE; i++)
        error = check_modifiable(classes[i], &requests[i].cls);
    return redefine(self, env, requests, class_count, error);
}
