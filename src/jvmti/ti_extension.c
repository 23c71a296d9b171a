// SPDX-License-Identifier: Apache-2.0
// Extensions (JVM TI, Extension Mechanism): those of HotSpot under HotSpot's ids, and our own,
// which include/pellucid_jvmti.h describes.
#include <stdlib.h>

#include "base/strbuf.h"
#include "interp/breakpoint.h"
#include "jvmti/env/ti_entry.h"
#include "jvmti/generated/decl.h"
#include "jvmti/tags/ti_tags.h"
#include "jvmti/ti_snapshot.h"
#include "options/options.h"
#include "pellucid_jvmti.h"
#include "redefine/redefine.h"

enum { EXTENSION_UNLOAD = JVMTI_MIN_EVENT_TYPE_VAL - 1 }; // index of the event, HotSpot's
enum { PARAMETERS_MAX = 5 };

// ---- the functions ----
static jvmtiError JNICALL is_class_unloading_enabled(jvmtiEnv *jvmti, ...)
{
    va_list args;
    va_start(args, jvmti);
    jboolean *out = va_arg(args, jboolean *);
    va_end(args);
    if (!out)
        return JVMTI_ERROR_NULL_POINTER;
    *out = vm_options.class_unloading;
    return JVMTI_ERROR_NONE;
}

static void append_phases(StrBuf *sb, int phases)
{
    static const struct {
        int phase;
        const char *name;
    } names[] = {{TI_PHASE_ONLOAD, "OnLoad"},
                 {TI_PHASE_PRIMORDIAL, "primordial"},
                 {TI_PHASE_START, "start"},
                 {TI_PHASE_LIVE, "live"}};
    const char *separator = "";
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (phases & names[i].phase) {
            sb_printf(sb, "%s%s", separator, names[i].name);
            separator = ", ";
        }
}

const char *ti_capability_name(int capability)
{
    switch (capability) {
#define CAPABILITY(bit, name, potential) \
    case bit:                            \
        return #name;
#include "spec/jvmti_capabilities.def"
#undef CAPABILITY
    default: return "";
    }
}

static void describe(StrBuf *sb, const TiFailure *f)
{
    sb_printf(sb, "%s: %s (%d): ", f->function->name, ti_error_name(f->error), (int)f->error);
    if (f->argument)
        sb_printf(sb, "parameter %s: ", f->argument);
    const char *text = ti_error_text(f->error);
    sb_printf(sb, "%s", text ? text : "");
    if (f->error == JVMTI_ERROR_UNSUPPORTED_REDEFINITION_HIERARCHY_CHANGED
        && *redefine_refusal())
        sb_printf(sb, ": %s", redefine_refusal());
    if (f->error == JVMTI_ERROR_WRONG_PHASE) {
        sb_printf(sb, " (now %d), but in: ", (int)f->phase);
        append_phases(sb, f->function->phases);
    } else if (f->error == JVMTI_ERROR_MUST_POSSESS_CAPABILITY
               && f->function->capability >= 0) {
        sb_printf(sb, ": %s", ti_capability_name(f->function->capability));
    }
    if (f->departure)
        sb_printf(sb, "; with -XX:+HotSpotJVMTI, or after jcmd JVMTI.hotspot on, %s",
                  ti_departure_text(f->departure));
}

static jvmtiError JNICALL last_error(jvmtiEnv *jvmti, ...)
{
    va_list args;
    va_start(args, jvmti);
    char **out = va_arg(args, char **);
    va_end(args);
    if (!out)
        return JVMTI_ERROR_NULL_POINTER;
    *out = NULL;
    const TiFailure *f = ti_last_failure();
    if (!f->function)
        return JVMTI_ERROR_NONE;
    StrBuf sb = {0};
    describe(&sb, f);
    jvmtiError error = ti_copy_string(sb.s, out);
    sb_free(&sb);
    return error;
}

static PellucidEnvironmentCost cost_of(TiEnv *env)
{
    TiCosts costs = ti_costs(env);
    PellucidEnvironmentCost cost = {
        .env = (jvmtiEnv *)env,
        .events = (jlong)costs.events,
        .callback_nanos = os_ticks_to_nanos((uint64_t)costs.callback_ticks),
        .agent_bytes = (jlong)costs.agent_bytes,
    };
    size_t tags, bytes;
    ti_tags_measure(env, &tags, &bytes);
    bytes += breakpoints_of(env) * sizeof(Breakpoint);
    mutex_lock(&ti_lock);
    for (int use = 0; use < 2; use++)
        bytes += env->watches[use].cap * sizeof *env->watches[use].at;
    mutex_unlock(&ti_lock);
    cost.tags = (jlong)tags;
    cost.vm_bytes = (jlong)bytes;
    return cost;
}

static jvmtiError JNICALL environment_costs(jvmtiEnv *jvmti, ...)
{
    va_list args;
    va_start(args, jvmti);
    jint *count = va_arg(args, jint *);
    PellucidEnvironmentCost **out = va_arg(args, PellucidEnvironmentCost **);
    va_end(args);
    if (!count || !out)
        return JVMTI_ERROR_NULL_POINTER;
    VEC(PellucidEnvironmentCost) costs = {0};
    TI_ENV_EACH(env)
    if (ti_env_is_valid(env))
        vec_push(&costs, cost_of(env));
    *count = (jint)costs.len;
    *out = ti_alloc(costs.len * sizeof **out);
    if (*out)
        memcpy(*out, costs.at, costs.len * sizeof **out);
    bool ok = *out || costs.len == 0;
    vec_free(&costs);
    return ok ? JVMTI_ERROR_NONE : JVMTI_ERROR_OUT_OF_MEMORY;
}

static jvmtiError JNICALL allocated_bytes(jvmtiEnv *jvmti, ...)
{
    static const TiFunction function = {"AllocatedBytes", TI_PHASE_LIVE, TI_CAP_NONE};
    va_list args;
    va_start(args, jvmti);
    jlong *out = va_arg(args, jlong *);
    va_end(args);
    TiCall call;
    jvmtiError error = ti_begin_vm(&call, jvmti, &function);
    if (error != JVMTI_ERROR_NONE)
        return error;
    if (out) {
        *out = (jlong)threads_allocated(call.self);
    } else {
        call.argument = "bytes_ptr";
        error = JVMTI_ERROR_NULL_POINTER;
    }
    ti_end_vm(&call, error);
    return error;
}

// What the two have in common.
static jvmtiError change_breakpoints(jvmtiEnv *jvmti, const TiFunction *function, jint count,
                                     const PellucidLocation *locations, jvmtiError *results,
                                     bool sets)
{
    TiCall call;
    jvmtiError error = ti_begin_vm(&call, jvmti, function);
    if (error != JVMTI_ERROR_NONE)
        return error;
    if (count < 0) {
        call.argument = "count";
        error = JVMTI_ERROR_ILLEGAL_ARGUMENT;
    } else if (!locations && count > 0) {
        call.argument = "locations";
        error = JVMTI_ERROR_NULL_POINTER;
    } else {
        error =
            ti_breakpoints_change(call.self, call.env, (size_t)count, locations, results, sets);
    }
    ti_end_vm(&call, error);
    return error;
}

static jvmtiError JNICALL set_breakpoints(jvmtiEnv *jvmti, ...)
{
    static const TiFunction function = {"SetBreakpoints", TI_PHASE_LIVE,
                                        TI_CAP_can_generate_breakpoint_events};
    va_list args;
    va_start(args, jvmti);
    jint count = va_arg(args, jint);
    const PellucidLocation *locations = va_arg(args, const PellucidLocation *);
    jvmtiError *results = va_arg(args, jvmtiError *);
    va_end(args);
    return change_breakpoints(jvmti, &function, count, locations, results, true);
}

static jvmtiError JNICALL clear_breakpoints(jvmtiEnv *jvmti, ...)
{
    static const TiFunction function = {"ClearBreakpoints", TI_PHASE_LIVE,
                                        TI_CAP_can_generate_breakpoint_events};
    va_list args;
    va_start(args, jvmti);
    jint count = va_arg(args, jint);
    const PellucidLocation *locations = va_arg(args, const PellucidLocation *);
    jvmtiError *results = va_arg(args, jvmtiError *);
    va_end(args);
    return change_breakpoints(jvmti, &function, count, locations, results, false);
}

static jvmtiError JNICALL set_enhanced_redefinition(jvmtiEnv *jvmti, ...)
{
    va_list args;
    va_start(args, jvmti);
    int on = va_arg(args, int); // a jboolean is promoted
    va_end(args);
    TiEnv *env = (TiEnv *)jvmti;
    if (!env || !ti_env_is_valid(env))
        return JVMTI_ERROR_INVALID_ENVIRONMENT;
    atomic_store(&env->redefines_freely, on != 0);
    return JVMTI_ERROR_NONE;
}

// ---- their descriptions ----
typedef struct Parameter {
    const char *name;
    jvmtiParamKind kind;
    jvmtiParamTypes type;
    jboolean null_ok;
} Parameter;
typedef struct Extension {
    jvmtiExtensionFunction function; // NULL: an event
    const char *id, *description;
    int parameter_count;
    Parameter parameters[PARAMETERS_MAX];
} Extension;

#define CHANGE_PARAMETERS                                                  \
    {                                                                      \
        {"count", JVMTI_KIND_IN, JVMTI_TYPE_JINT, JNI_FALSE},              \
            {"locations", JVMTI_KIND_IN_BUF, JVMTI_TYPE_CVOID, JNI_FALSE}, \
        {                                                                  \
            "results", JVMTI_KIND_OUT_BUF, JVMTI_TYPE_JINT, JNI_TRUE       \
        }                                                                  \
    }
static const Extension functions[] = {
    {is_class_unloading_enabled,
     "com.sun.hotspot.functions.IsClassUnloadingEnabled",
     "Tell if class unloading is enabled (-noclassgc)",
     1,
     {{"IsClassUnloadingEnabled", JVMTI_KIND_OUT, JVMTI_TYPE_JBOOLEAN, JNI_FALSE}}},
    {last_error,
     PELLUCID_LAST_ERROR,
     "The last failed call of this thread in words",
     1,
     {{"text_ptr", JVMTI_KIND_ALLOC_BUF, JVMTI_TYPE_CCHAR, JNI_FALSE}}},
    {environment_costs,
     PELLUCID_ENVIRONMENT_COSTS,
     "What each environment has cost",
     2,
     {{"count_ptr", JVMTI_KIND_OUT, JVMTI_TYPE_JINT, JNI_FALSE},
      {"costs_ptr", JVMTI_KIND_ALLOC_BUF, JVMTI_TYPE_CVOID, JNI_FALSE}}},
    {allocated_bytes,
     PELLUCID_ALLOCATED_BYTES,
     "Bytes that all threads have allocated",
     1,
     {{"bytes_ptr", JVMTI_KIND_OUT, JVMTI_TYPE_JLONG, JNI_FALSE}}},
    {set_breakpoints, PELLUCID_SET_BREAKPOINTS, "Set breakpoints at many locations", 3,
     CHANGE_PARAMETERS},
    {clear_breakpoints, PELLUCID_CLEAR_BREAKPOINTS, "Clear breakpoints at many locations", 3,
     CHANGE_PARAMETERS},
    {set_enhanced_redefinition,
     PELLUCID_SET_ENHANCED_REDEFINITION,
     "Redefine members and interfaces of classes, or bodies alone",
     1,
     {{"on", JVMTI_KIND_IN, JVMTI_TYPE_JBOOLEAN, JNI_FALSE}}},
    {ti_snapshot_heap,
     PELLUCID_SNAPSHOT_HEAP,
     "Write the heap while the program runs on",
     2,
     {{"options", JVMTI_KIND_IN_PTR, JVMTI_TYPE_CVOID, JNI_FALSE},
      {"result", JVMTI_KIND_OUT, JVMTI_TYPE_CVOID, JNI_FALSE}}},
    {ti_visit_snapshot,
     PELLUCID_VISIT_SNAPSHOT,
     "Walk through the heap while the program runs on",
     5,
     {{"visit", JVMTI_KIND_IN_PTR, JVMTI_TYPE_CVOID, JNI_FALSE},
      {"user_data", JVMTI_KIND_IN_PTR, JVMTI_TYPE_CVOID, JNI_TRUE},
      {"fd", JVMTI_KIND_IN, JVMTI_TYPE_JINT, JNI_FALSE},
      {"copied_most", JVMTI_KIND_IN, JVMTI_TYPE_JLONG, JNI_FALSE},
      {"result", JVMTI_KIND_OUT, JVMTI_TYPE_CVOID, JNI_FALSE}}},
};
static const Extension class_unload = {
    NULL,
    "com.sun.hotspot.events.ClassUnload",
    "CLASS_UNLOAD event",
    2,
    {{"JNI Environment", JVMTI_KIND_IN_PTR, JVMTI_TYPE_JNIENV, JNI_FALSE},
     {"Class", JVMTI_KIND_IN_PTR, JVMTI_TYPE_CCHAR, JNI_FALSE}}};

static jvmtiError copy_parameters(const Extension *e, jvmtiParamInfo **out)
{
    jvmtiParamInfo *info = *out = ti_alloc((size_t)e->parameter_count * sizeof *info);
    jvmtiError error = info ? JVMTI_ERROR_NONE : JVMTI_ERROR_OUT_OF_MEMORY;
    for (int i = 0; i < e->parameter_count && error == JVMTI_ERROR_NONE; i++) {
        const Parameter *p = &e->parameters[i];
        info[i] = (jvmtiParamInfo){NULL, p->kind, p->type, p->null_ok};
        error = ti_copy_string(p->name, &info[i].name);
    }
    return error;
}

static jvmtiError copy_function(const Extension *e, jvmtiExtensionFunctionInfo *out)
{
    *out = (jvmtiExtensionFunctionInfo){.func = e->function, .param_count = e->parameter_count};
    jvmtiError error = ti_copy_string(e->id, &out->id);
    if (error == JVMTI_ERROR_NONE)
        error = ti_copy_string(e->description, &out->short_description);
    return error == JVMTI_ERROR_NONE ? copy_parameters(e, &out->params) : error;
}

jvmtiError ti_GetExtensionFunctions(Thread *self, TiEnv *env, jint *extension_count_ptr,
                                    jvmtiExtensionFunctionInfo **extensions)
{
    (void)self, (void)env;
    jvmtiExtensionFunctionInfo *infos = ti_alloc(ARRAY_LEN(functions) * sizeof *infos);
    jvmtiError error = infos ? JVMTI_ERROR_NONE : JVMTI_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < ARRAY_LEN(functions) && error == JVMTI_ERROR_NONE; i++)
        error = copy_function(&functions[i], &infos[i]);
    *extension_count_ptr = ARRAY_LEN(functions);
    *extensions = infos;
    return error;
}

jvmtiError ti_GetExtensionEvents(Thread *self, TiEnv *env, jint *extension_count_ptr,
                                 jvmtiExtensionEventInfo **extensions)
{
    (void)self, (void)env;
    const Extension *e = &class_unload;
    jvmtiExtensionEventInfo *info = ti_alloc(sizeof *info);
    if (!info)
        return JVMTI_ERROR_OUT_OF_MEMORY;
    *info = (jvmtiExtensionEventInfo){.extension_event_index = EXTENSION_UNLOAD,
                                      .param_count = e->parameter_count};
    *extension_count_ptr = 1;
    *extensions = info;
    jvmtiError error = ti_copy_string(e->id, &info->id);
    if (error == JVMTI_ERROR_NONE)
        error = ti_copy_string(e->description, &info->short_description);
    return error == JVMTI_ERROR_NONE ? copy_parameters(e, &info->params) : error;
}

// ---- the event ----
void ti_unload_listen(TiEnv *env, jvmtiExtensionEvent callback)
{
    Thread *self = thread_current();
    thread_lock_undisturbed(self, &event_changes);
    jvmtiExtensionEvent before = atomic_exchange(&env->class_unload, callback);
    if (!before != !callback)
        event_want(EVENT_CLASS_UNLOAD, callback ? 1 : -1);
    thread_unlock_undisturbed(self, &event_changes);
}

jvmtiError ti_SetExtensionEventCallback(Thread *self, TiEnv *env, jint extension_event_index,
                                        jvmtiExtensionEvent callback)
{
    (void)self;
    if (extension_event_index != EXTENSION_UNLOAD)
        return JVMTI_ERROR_ILLEGAL_ARGUMENT;
    ti_unload_listen(env, callback);
    return JVMTI_ERROR_NONE;
}
