// SPDX-License-Identifier: Apache-2.0
// For tests/agents/CostsAgain.java: what an environment costs that lies where another one was.
#include "ti_common.h"

#include "pellucid_jvmti.h"

enum { IDLE = 20 };

static JavaVM *jvm;
static jvmtiEnv *idle[IDLE], *first, *ti;
static PellucidEnvironmentCosts costs;

static void JNICALL on_entry(jvmtiEnv *env, JNIEnv *jni, jthread t, jmethodID m)
{
    (void)env, (void)jni, (void)t, (void)m;
}

EXPORT(void, Java_CostsAgain_begin, JNIEnv *jni, jclass c)
{
    (void)jni, (void)c;
    for (int i = 0; i < IDLE && !ti; i++)
        idle[i] = new_env(jvm, JVMTI_VERSION_11);
    ti = new_env(jvm, JVMTI_VERSION_11);
    jvmtiCapabilities wanted = {.can_generate_method_entry_events = 1};
    jvmtiEventCallbacks callbacks = {.MethodEntry = on_entry};
    MUST((*ti)->AddCapabilities(ti, &wanted));
    MUST((*ti)->SetEventCallbacks(ti, &callbacks, sizeof callbacks));
    enable(ti, JVMTI_EVENT_METHOD_ENTRY);
}

// So many are disposed of that their memory is used again, that of the last one first.
EXPORT(void, Java_CostsAgain_end, JNIEnv *jni, jclass c)
{
    (void)jni, (void)c;
    disable(ti, JVMTI_EVENT_METHOD_ENTRY);
    for (int i = 0; i < IDLE; i++)
        MUST((*idle[i])->DisposeEnvironment(idle[i]));
    MUST((*ti)->DisposeEnvironment(ti));
}

EXPORT(jboolean, Java_CostsAgain_timed, JNIEnv *jni, jclass c)
{
    (void)jni, (void)c;
    jint count;
    PellucidEnvironmentCost *all;
    jboolean timed = JNI_FALSE;
    MUST(costs(first, &count, &all));
    for (int i = 0; i < count; i++)
        if (all[i].env == ti)
            timed = all[i].events > 100000 && all[i].callback_nanos > 0;
    release(first, all);
    return timed;
}

EXPORT(jint, Agent_OnLoad, JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    jint count;
    jvmtiExtensionFunctionInfo *functions;
    jvm = vm;
    first = new_env(vm, JVMTI_VERSION_11);
    MUST((*first)->GetExtensionFunctions(first, &count, &functions));
    for (int i = 0; i < count; i++)
        if (strcmp(functions[i].id, PELLUCID_ENVIRONMENT_COSTS) == 0)
            costs = (PellucidEnvironmentCosts)functions[i].func;
    jvmtiCapabilities wanted = {.can_generate_method_entry_events = 1};
    MUST((*first)->AddCapabilities(first, &wanted));
    return JNI_OK;
}
