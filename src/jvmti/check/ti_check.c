// SPDX-License-Identifier: Apache-2.0
// -Xcheck:jvmti: reports, and what is looked at around each call. See ti_check.h.
#include "jvmti/check/ti_check.h"

#include <stdarg.h>
#include <stdio.h>

#include "jvmti/env/ti_entry.h"

static const struct {
    const char *wrong, *rule, *remedy;
} rules[] = {
#define CHECK_RULE(name, wrong, rule, remedy) {wrong, rule, remedy},
#include "spec/jvmti_check_rules.def"
#undef CHECK_RULE
};

_Thread_local CheckedCall *checked_call;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
void check_report(CheckRule rule, const AgentPlace *place, const char *call, ...)
{
    char wrong[512];
    va_list args;
    va_start(args, call);
    vsnprintf(wrong, sizeof wrong, rules[rule].wrong, args);
    va_end(args);
    agent_report(&(AgentReport){.interface = "JVM TI",
                                .wrong = wrong,
                                .call = call,
                                .rule = rules[rule].rule,
                                .remedy = rules[rule].remedy,
                                .place = place});
}
#pragma GCC diagnostic pop

#define REPORT(c, rule, ...)                                                   \
    do {                                                                       \
        (c)->reported = true;                                                  \
        check_report(RULE_##rule, NULL, (c)->name __VA_OPT__(, ) __VA_ARGS__); \
    } while (0)

// ---- before ----

static bool is_known(const jvmtiEnv *env)
{
    TI_ENV_EACH(known)
    if ((const jvmtiEnv *)known == env)
        return true;
    return false;
}

jvmtiError checked_begin(CheckedCall *c)
{
    c->self = thread_current();
    c->outer = checked_call;
    checked_call = c;
    if (!is_known(c->env)) {
        REPORT(c, FOREIGN, "the first argument");
        return JVMTI_ERROR_INVALID_ENVIRONMENT;
    }
    if (!ti_env_is_valid((TiEnv *)c->env))
        REPORT(c, DISPOSED);
    if (c->iterates_heap && c->self) {
        c->outer_stop = checked_stop;
        checked_stop = c->name;
        checked_jni_forbid(c->self);
    }
    return JVMTI_ERROR_NONE;
}

static bool is_live(const CheckedCall *c, jobject o)
{
    bool may_look =
        c->self
        && atomic_load_explicit(&c->self->state, memory_order_relaxed) == THREAD_IN_NATIVE;
    return !may_look || jni_reference_type(c->self, o) != JNIInvalidRefType;
}

jvmtiError checked_reference(CheckedCall *c, const char *parameter, jobject o, jvmtiError error)
{
    if (!o || is_live(c, o))
        return JVMTI_ERROR_NONE;
    REPORT(c, REFERENCE, parameter);
    return error;
}

jvmtiError checked_references(CheckedCall *c, const char *parameter, jint count,
                              const jobject *list, jvmtiError error)
{
    for (jint i = 0; list && i < count; i++)
        if (checked_reference(c, parameter, list[i], error) != JVMTI_ERROR_NONE)
            return error;
    return JVMTI_ERROR_NONE;
}

// ---- after ----

static const char *phase_name(jvmtiPhase phase)
{
    switch (phase) {
    case JVMTI_PHASE_ONLOAD: return "OnLoad";
    case JVMTI_PHASE_PRIMORDIAL: return "primordial";
    case JVMTI_PHASE_START: return "start";
    case JVMTI_PHASE_LIVE: return "live";
    default: return "dead";
    }
}

// A thread of the agent may be overtaken by the end of the VM: that is reported of Agent_OnUnload only.
static void report_phase(CheckedCall *c)
{
    jvmtiPhase phase = ti_env_phase((TiEnv *)c->env);
    if (phase != JVMTI_PHASE_DEAD || ti_agents_are_unloading())
        REPORT(c, PHASE, phase_name(phase));
}

static void report_capability(CheckedCall *c)
{
    int capability =
        c->event ? ti_event_capability(c->event) : ti_last_failure()->function->capability;
    REPORT(c, CAPABILITY, ti_capability_name(capability));
}

static void report_thread(CheckedCall *c)
{
    if (!c->self)
        REPORT(c, UNATTACHED);
    else
        REPORT(c, IN_CALLBACK, checked_stop ? checked_stop : "a callback that must not");
}

static void report_owner(CheckedCall *c)
{
    const char *name = raw_monitor_name(c->id);
    if (strcmp(c->name, "DestroyRawMonitor") == 0)
        REPORT(c, DESTROYED, name);
    else
        REPORT(c, OWNER, name);
}

// What the error says of the agent. Others are answers to a question that an agent may ask.
static void report_error(CheckedCall *c, jvmtiError error)
{
    const char *parameter = ti_last_failure()->argument;
    switch (error) {
    case JVMTI_ERROR_WRONG_PHASE: report_phase(c); break;
    case JVMTI_ERROR_MUST_POSSESS_CAPABILITY: report_capability(c); break;
    case JVMTI_ERROR_UNATTACHED_THREAD: report_thread(c); break;
    case JVMTI_ERROR_NOT_MONITOR_OWNER: report_owner(c); break;
    case JVMTI_ERROR_INVALID_METHODID:
        if (c->id)
            REPORT(c, METHOD, parameter ? parameter : "method");
        break;
    case JVMTI_ERROR_INVALID_FIELDID:
        if (c->id)
            REPORT(c, FIELD, parameter ? parameter : "field");
        break;
    case JVMTI_ERROR_INVALID_MONITOR:
        if (c->id)
            REPORT(c, MONITOR, parameter ? parameter : "monitor");
        break;
    default: break;
    }
}

jvmtiError checked_end(CheckedCall *c, jvmtiError error)
{
    if (c->iterates_heap && c->self && error != JVMTI_ERROR_INVALID_ENVIRONMENT) {
        checked_jni_allow(c->self);
        checked_stop = c->outer_stop;
    }
    if (error == JVMTI_ERROR_NONE)
        checked_monitor_call(c);
    else if (!c->reported)
        report_error(c, error);
    checked_call = c->outer;
    return error;
}
