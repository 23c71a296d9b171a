// SPDX-License-Identifier: Apache-2.0
// For OneShotBreakpoints: SetOneShotBreakpoints beside the other functions that change breakpoints, in two environments.
#include "pellucid_jvmti.h"
#include "ti_common.h"

enum { ENVS = 2 };
enum { NOTHING, CLEARS, SETS_AGAIN }; // what the callback does
enum { SET, SET_ONCE, CLEAR, SET_OF_TABLE };
static jvmtiEnv *envs[ENVS], *without; // without the capability
static int hits[ENVS], in_callback;
static PellucidSetBreakpoints set_many;
static PellucidSetOneShotBreakpoints set_once;
static PellucidClearBreakpoints clear_many;

static void find_functions(jvmtiEnv *ti)
{
    jint count;
    jvmtiExtensionFunctionInfo *all;
    MUST((*ti)->GetExtensionFunctions(ti, &count, &all));
    for (jint i = 0; i < count; i++) {
        void (*f)(void) = (void (*)(void))all[i].func;
        if (strcmp(all[i].id, PELLUCID_SET_BREAKPOINTS) == 0)
            set_many = (PellucidSetBreakpoints)f;
        else if (strcmp(all[i].id, PELLUCID_CLEAR_BREAKPOINTS) == 0)
            clear_many = (PellucidClearBreakpoints)f;
        else if (strcmp(all[i].id, PELLUCID_SET_ONE_SHOT_BREAKPOINTS) == 0)
            set_once = (PellucidSetOneShotBreakpoints)f;
        else
            continue;
        say("%s: %s, %d parameters", all[i].id, all[i].short_description, all[i].param_count);
    }
}

static jvmtiError change(jvmtiEnv *env, int how, jint count, const PellucidLocation *at,
                         jvmtiError *results)
{
    switch (how) {
    case SET: return set_many(env, count, at, results);
    case SET_ONCE: return set_once(env, count, at, results);
    case CLEAR: return clear_many(env, count, at, results);
    default:
        results[0] = (*env)->SetBreakpoint(env, at->method, at->location);
        return JVMTI_ERROR_NONE;
    }
}

static void JNICALL on_breakpoint(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method,
                                  jlocation location)
{
    (void)jni, (void)thread;
    __atomic_add_fetch(&hits[env == envs[1]], 1, __ATOMIC_RELAXED);
    if (in_callback == NOTHING)
        return;
    PellucidLocation at = {method, location};
    jvmtiError result;
    MUST(change(env, in_callback == CLEARS ? CLEAR : SET_ONCE, 1, &at, &result));
    say("from its callback: %d", (int)result);
}

// Locations of one method; the results.
EXPORT(jintArray, Java_OneShotBreakpoints_change, JNIEnv *jni, jclass c, jint index, jint how,
       jobject method, jlongArray at)
{
    (void)c;
    enum { MOST = 16 };
    PellucidLocation locations[MOST];
    jvmtiError results[MOST];
    jlong indices[MOST];
    jint out[MOST], count = (*jni)->GetArrayLength(jni, at);
    (*jni)->GetLongArrayRegion(jni, at, 0, count, indices);
    jmethodID id = (*jni)->FromReflectedMethod(jni, method);
    for (jint i = 0; i < count; i++)
        locations[i] = (PellucidLocation){id, indices[i]};
    MUST(change(envs[index], how, count, locations, results));
    for (jint i = 0; i < count; i++)
        out[i] = (jint)results[i];
    jintArray array = (*jni)->NewIntArray(jni, count);
    (*jni)->SetIntArrayRegion(jni, array, 0, count, out);
    return array;
}

EXPORT(void, Java_OneShotBreakpoints_refused, JNIEnv *jni, jclass c, jobject method)
{
    (void)c;
    PellucidLocation at = {(*jni)->FromReflectedMethod(jni, method), 0};
    jvmtiError result = (jvmtiError)-1;
    say("no capability %d, count -1 %d, no locations %d, none 0 %d, results untouched %d",
        (int)set_once(without, 1, &at, &result), (int)set_once(envs[0], -1, &at, &result),
        (int)set_once(envs[0], 1, NULL, &result), (int)set_once(envs[0], 0, NULL, NULL),
        result == (jvmtiError)-1);
}

EXPORT(void, Java_OneShotBreakpoints_tell, JNIEnv *jni, jclass c, jint index, jboolean on,
       jthread thread)
{
    (void)jni, (void)c;
    MUST((*envs[index])
             ->SetEventNotificationMode(envs[index], on ? JVMTI_ENABLE : JVMTI_DISABLE,
                                        JVMTI_EVENT_BREAKPOINT, thread));
}

EXPORT(void, Java_OneShotBreakpoints_inCallback, JNIEnv *jni, jclass c, jint what)
{
    (void)jni, (void)c;
    in_callback = what;
}

EXPORT(jint, Java_OneShotBreakpoints_takeHits, JNIEnv *jni, jclass c, jint index)
{
    (void)jni, (void)c;
    return __atomic_exchange_n(&hits[index], 0, __ATOMIC_RELAXED);
}

EXPORT(void, Java_OneShotBreakpoints_redefine, JNIEnv *jni, jclass c, jclass which,
       jbyteArray file)
{
    (void)c;
    jvmtiClassDefinition d = {
        .klass = which,
        .class_byte_count = (*jni)->GetArrayLength(jni, file),
        .class_bytes = (unsigned char *)(*jni)->GetByteArrayElements(jni, file, NULL)};
    MUST((*envs[0])->RedefineClasses(envs[0], 1, &d));
    (*jni)->ReleaseByteArrayElements(jni, file, (jbyte *)d.class_bytes, JNI_ABORT);
}

EXPORT(jint, Agent_OnLoad, JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    for (int i = 0; i < ENVS; i++) {
        jvmtiCapabilities capabilities = {.can_generate_breakpoint_events = 1,
                                          .can_redefine_classes = 1};
        jvmtiEventCallbacks callbacks = {.Breakpoint = on_breakpoint};
        envs[i] = new_env(vm, JVMTI_VERSION);
        MUST((*envs[i])->AddCapabilities(envs[i], &capabilities));
        MUST((*envs[i])->SetEventCallbacks(envs[i], &callbacks, sizeof callbacks));
    }
    find_functions(envs[0]);
    PellucidLocation at = {NULL, 0};
    without = new_env(vm, JVMTI_VERSION);
    say("before the live phase: %d", (int)set_once(envs[0], 1, &at, NULL));
    return JNI_OK;
}
