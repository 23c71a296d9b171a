// SPDX-License-Identifier: Apache-2.0
// What the VM can: environments, capabilities, extension functions, properties. No lock:
// capabilities are asked for by the agent's thread alone.
#define _GNU_SOURCE
#include "agent.h"
#include "pellucid_jvmti.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

// What the agent knows how to use. `at_load`: some VMs give it only to agents that are there
// from the start.
static const struct {
    const char *name;
    jvmtiCapabilities bit;
    bool at_load;
} CAPABILITIES[] = {
#define CAPABILITY(name, load)          \
    {                                   \
#        name, {.can_##name = 1 }, load \
    }
    CAPABILITY(tag_objects, false),
    CAPABILITY(get_bytecodes, false),
    CAPABILITY(get_constant_pool, false),
    CAPABILITY(get_line_numbers, false),
    CAPABILITY(get_source_file_name, false),
    CAPABILITY(get_monitor_info, false),
    CAPABILITY(get_thread_cpu_time, false),
    CAPABILITY(suspend, false),
    CAPABILITY(generate_all_class_hook_events, false),
    CAPABILITY(generate_compiled_method_load_events, false),
    CAPABILITY(generate_garbage_collection_events, false),
    CAPABILITY(generate_monitor_events, false),
    CAPABILITY(generate_native_method_bind_events, false),
    CAPABILITY(generate_object_free_events, false),
    CAPABILITY(generate_sampled_object_alloc_events, false),
    CAPABILITY(access_local_variables, true),
    CAPABILITY(generate_breakpoint_events, true),
    CAPABILITY(generate_exception_events, true),
    CAPABILITY(generate_field_access_events, true),
    CAPABILITY(generate_field_modification_events, true),
    CAPABILITY(generate_frame_pop_events, true),
    CAPABILITY(generate_method_entry_events, true),
    CAPABILITY(generate_method_exit_events, true),
    CAPABILITY(generate_single_step_events, true),
    CAPABILITY(get_current_contended_monitor, true),
    CAPABILITY(get_owned_monitor_info, true),
    CAPABILITY(get_owned_monitor_stack_depth_info, true),
#undef CAPABILITY
};
enum { CAPABILITY_COUNT = sizeof CAPABILITIES / sizeof CAPABILITIES[0] };

// `a` and `b`, or `a` without `b`, bit by bit; returns whether any bit is left.
static bool combine(const jvmtiCapabilities *a, const jvmtiCapabilities *b, bool without,
                    jvmtiCapabilities *result)
{
    const uint8_t *x = (const uint8_t *)a, *y = (const uint8_t *)b;
    uint8_t *to = (uint8_t *)result, any = 0;
    for (size_t i = 0; i < sizeof *result; i++) {
        to[i] = (uint8_t)(x[i] & (without ? ~y[i] : y[i]));
        any |= to[i];
    }
    return any != 0;
}

static bool overlaps(const jvmtiCapabilities *a, const jvmtiCapabilities *b)
{
    jvmtiCapabilities both;
    return combine(a, b, false, &both);
}

bool lens_env_load(JavaVM *vm)
{
    lens.vm = vm;
    lens.jvmti = agent_get_env(vm, JVMTI_VERSION_11);
    return lens.jvmti != NULL;
}

// Environments of the agent beside lens.jvmti.
enum { OWN_MOST = 16 };
static _Atomic(jvmtiEnv *) own[OWN_MOST];

// Puts `to` where `from` stood.
static bool exchange_own(jvmtiEnv *from, jvmtiEnv *to)
{
    for (size_t i = 0; i < OWN_MOST; i++) {
        jvmtiEnv *expected = from;
        if (atomic_compare_exchange_strong(&own[i], &expected, to)) {
            return true;
        }
    }
    return false;
}

bool lens_env_is_own(const jvmtiEnv *env)
{
    for (size_t i = 0; i < OWN_MOST; i++) {
        if (atomic_load(&own[i]) == env) {
            return true;
        }
    }
    return env == lens.jvmti;
}

jvmtiEnv *lens_env_new(const jvmtiCapabilities *capabilities)
{
    jvmtiEnv *env = agent_get_env(lens.vm, JVMTI_VERSION_11);
    if (env == NULL) {
        return NULL;
    }
    if (!AGENT_CALL(env, AddCapabilities, capabilities) || !exchange_own(NULL, env)) {
        (*env)->DisposeEnvironment(env);
        return NULL;
    }
    return env;
}

void lens_env_dispose(jvmtiEnv *env)
{
    assert(env != lens.jvmti && lens_env_is_own(env));
    exchange_own(env, NULL);
    (*env)->DisposeEnvironment(env);
}

static jvmtiCapabilities had_now(void)
{
    jvmtiCapabilities had = {0};
    AGENT_CALL(lens.jvmti, GetCapabilities, &had);
    return had;
}

static jvmtiCapabilities can_be_had(void)
{
    jvmtiCapabilities can = {0};
    AGENT_CALL(lens.jvmti, GetPotentialCapabilities, &can);
    return can;
}

void lens_capabilities_at_load(void)
{
    if (lens_extension(PELLUCID_ENVIRONMENT_COSTS) != NULL) {
        return; // this VM gives all of it at any time
    }
    jvmtiCapabilities can = can_be_had();
    for (size_t i = 0; i < CAPABILITY_COUNT; i++) {
        if (CAPABILITIES[i].at_load && overlaps(&CAPABILITIES[i].bit, &can)) {
            AGENT_CALL(lens.jvmti, AddCapabilities, &CAPABILITIES[i].bit);
        }
    }
    lens.at_start = had_now();
}

void lens_capabilities_idle(void)
{
    ASSERT_AGENT_THREAD();
    jvmtiCapabilities had = had_now(), extra;
    if (combine(&had, &lens.at_start, true, &extra)) {
        AGENT_CALL(lens.jvmti, RelinquishCapabilities, &extra);
    }
}

void lens_capabilities_write(LensBuffer *to,
                             void (*put)(LensBuffer *to, const char *name, const char *value))
{
    jvmtiCapabilities had = had_now(), can = can_be_had();
    for (size_t i = 0; i < CAPABILITY_COUNT; i++) {
        char name[80];
        snprintf(name, sizeof name, "cap.%s", CAPABILITIES[i].name);
        put(to, name,
            overlaps(&CAPABILITIES[i].bit, &had)   ? "had"
            : overlaps(&CAPABILITIES[i].bit, &can) ? "can"
                                                   : "no");
    }
}

static const char *name_of(const jvmtiCapabilities *set)
{
    for (size_t i = 0; i < CAPABILITY_COUNT; i++) {
        if (overlaps(&CAPABILITIES[i].bit, set)) {
            return CAPABILITIES[i].name;
        }
    }
    return "a capability";
}

static void fail_without(LensOrder *order, const char *what, const jvmtiCapabilities *refused)
{
    Dl_info self;
    const char *path = dladdr(&CAPABILITIES, &self) != 0 ? self.dli_fname : "liblens.so";
    if (lens.is_late) {
        lens_fail(order,
                  "%s needs can_%s, which this VM gives only to agents that are there from the "
                  "start: start the program with "
                  "-agentpath:%s",
                  what, name_of(refused), path);
    } else {
        lens_fail(order,
                  "%s needs can_%s, which this VM does not give: another agent may hold it",
                  what, name_of(refused));
    }
}

bool lens_need(LensOrder *order, const jvmtiCapabilities *wanted, const char *what)
{
    ASSERT_AGENT_THREAD();
    jvmtiCapabilities had = had_now(), missing, can = can_be_had(), refused;
    if (!combine(wanted, &had, true, &missing)) {
        return true;
    }
    if (combine(&missing, &can, true, &refused)
        || (*lens.jvmti)->AddCapabilities(lens.jvmti, &missing) != JVMTI_ERROR_NONE) {
        fail_without(order, what, overlaps(&refused, &missing) ? &refused : &missing);
        return false;
    }
    return true;
}

jvmtiExtensionFunction lens_extension(const char *id)
{
    jint len = 0;
    jvmtiExtensionFunctionInfo *list = NULL;
    jvmtiExtensionFunction found = NULL;
    if ((*lens.jvmti)->GetExtensionFunctions(lens.jvmti, &len, &list) != JVMTI_ERROR_NONE) {
        return NULL;
    }
    for (jint i = 0; i < len; i++) {
        if (strcmp(list[i].id, id) == 0) {
            found = list[i].func;
        }
        for (jint k = 0; k < list[i].param_count; k++) {
            agent_deallocate(lens.jvmti, list[i].params[k].name);
        }
        agent_deallocate(lens.jvmti, list[i].id);
        agent_deallocate(lens.jvmti, list[i].short_description);
        agent_deallocate(lens.jvmti, list[i].params);
        agent_deallocate(lens.jvmti, list[i].errors);
    }
    agent_deallocate(lens.jvmti, list);
    return found;
}

char *lens_property(const char *name)
{
    char *value = NULL;
    if ((*lens.jvmti)->GetSystemProperty(lens.jvmti, name, &value) != JVMTI_ERROR_NONE) {
        return NULL;
    }
    char *copy = agent_utf8(value);
    agent_deallocate(lens.jvmti, value);
    return copy;
}
