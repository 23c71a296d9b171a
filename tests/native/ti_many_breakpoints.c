// SPDX-License-Identifier: Apache-2.0
// For ManyBreakpoints: SetBreakpoints and ClearBreakpoints. The program says which methods and locations.
#include <stdbool.h>

#include "pellucid_jvmti.h"
#include "ti_common.h"

static jvmtiEnv *ti, *without; // an environment without the capability
static PellucidSetBreakpoints set_breakpoints;
static PellucidClearBreakpoints clear_breakpoints;
static int hits;
static bool clears; // the callback clears what it hits

static void find_functions(void)
{
    jint count;
    jvmtiExtensionFunctionInfo *all;
    MUST((*ti)->GetExtensionFunctions(ti, &count, &all));
    for (jint i = 0; i < count; i++) {
        bool sets = strcmp(all[i].id, PELLUCID_SET_BREAKPOINTS) == 0;
        if (!sets && strcmp(all[i].id, PELLUCID_CLEAR_BREAKPOINTS) != 0)
            continue;
        if (sets)
            set_breakpoints = (PellucidSetBreakpoints)(void (*)(void))all[i].func;
        else
            clear_breakpoints = (PellucidClearBreakpoints)(void (*)(void))all[i].func;
        say("%s: %s", all[i].id, all[i].short_description);
        for (jint k = 0; k < all[i].param_count; k++) {
            const jvmtiParamInfo *p = &all[i].params[k];
            say("  %s: kind %d type %d null %d", p->name, (int)p->kind, (int)p->base_type,
                p->null_ok);
        }
    }
}

static void JNICALL on_breakpoint(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method,
                                  jlocation location)
{
    (void)jni, (void)thread;
    __atomic_add_fetch(&hits, 1, __ATOMIC_RELAXED);
    if (!clears)
        return;
    PellucidLocation at = {method, location};
    jvmtiError result;
    MUST(clear_breakpoints(env, 1, &at, &result));
    if (result != JVMTI_ERROR_NONE)
        say("cleared from its callback: %d", (int)result);
}

static jvmtiError change(bool set, jvmtiEnv *env, jint count, const PellucidLocation *locations,
                         jvmtiError *results)
{
    return set ? set_breakpoints(env, count, locations, results)
               : clear_breakpoints(env, count, locations, results);
}

// Locations of one method, or of NULL where an index is below -1; the results, or NULL for the error of the call itself.
EXPORT(jintArray, Java_ManyBreakpoints_change, JNIEnv *jni, jclass c, jboolean set,
       jobject method, jlongArray at)
{
    (void)c;
    enum { MOST = 64 };
    PellucidLocation locations[MOST];
    jvmtiError results[MOST];
    jlong indices[MOST];
    jint out[MOST], count = (*jni)->GetArrayLength(jni, at);
    (*jni)->GetLongArrayRegion(jni, at, 0, count, indices);
    jmethodID id = (*jni)->FromReflectedMethod(jni, method);
    for (jint i = 0; i < count; i++)
        locations[i] = (PellucidLocation){indices[i] < -1 ? NULL : id, indices[i]};
    MUST(change(set, ti, count, locations, results));
    for (jint i = 0; i < count; i++)
        out[i] = (jint)results[i];
    jintArray array = (*jni)->NewIntArray(jni, count);
    (*jni)->SetIntArrayRegion(jni, array, 0, count, out);
    return array;
}

EXPORT(void, Java_ManyBreakpoints_refused, JNIEnv *jni, jclass c, jobject method)
{
    (void)c;
    PellucidLocation at = {(*jni)->FromReflectedMethod(jni, method), 0};
    jvmtiError result = (jvmtiError)-1;
    for (int set = 1; set >= 0; set--)
        say("no capability %d, count -1 %d, no locations %d, none 0 %d, results untouched %d",
            (int)change(set, without, 1, &at, &result), (int)change(set, ti, -1, &at, &result),
            (int)change(set, ti, 1, NULL, &result), (int)change(set, ti, 0, NULL, NULL),
            result == (jvmtiError)-1);
    jvmtiError set = change(true, ti, 1, &at, NULL);
    say("results not wanted: %d, then %d", (int)set,
        (int)(*ti)->ClearBreakpoint(ti, at.method, at.location));
}

// The first location of each line of each method of each class.
typedef struct Lines {
    PellucidLocation *at;
    jint len, cap;
} Lines;

static void add_lines(Lines *lines, jmethodID m)
{
    jint count;
    jvmtiLineNumberEntry *table;
    if ((*ti)->GetLineNumberTable(ti, m, &count, &table) != JVMTI_ERROR_NONE)
        return;
    if (lines->len + count > lines->cap) {
        lines->cap = 2 * (lines->len + count);
        lines->at = realloc(lines->at, (size_t)lines->cap * sizeof *lines->at);
    }
    for (jint i = 0; i < count; i++) {
        bool twice = false;
        for (jint k = 0; k < i; k++)
            twice |= table[k].start_location == table[i].start_location;
        if (!twice)
            lines->at[lines->len++] = (PellucidLocation){m, table[i].start_location};
    }
    release(ti, table);
}

static Lines all_lines(JNIEnv *jni)
{
    Lines lines = {0};
    jint classes, methods;
    jclass *all;
    jmethodID *ids;
    MUST((*ti)->GetLoadedClasses(ti, &classes, &all));
    for (jint i = 0; i < classes; i++) {
        if ((*ti)->GetClassMethods(ti, all[i], &methods, &ids) == JVMTI_ERROR_NONE) {
            for (jint k = 0; k < methods; k++)
                add_lines(&lines, ids[k]);
            release(ti, ids);
        }
        (*jni)->DeleteLocalRef(jni, all[i]);
    }
    release(ti, all);
    return lines;
}

// Sets or clears all lines of all classes that are loaded at the first call, with no hit told: {lines, not NONE, microseconds}.
EXPORT(jintArray, Java_ManyBreakpoints_all, JNIEnv *jni, jclass c, jboolean set)
{
    (void)c;
    static Lines lines;
    if (!lines.len)
        lines = all_lines(jni);
    jvmtiError *results = malloc((size_t)lines.len * sizeof *results);
    jlong before, after;
    MUST((*ti)->GetTime(ti, &before));
    MUST(change(set, ti, lines.len, lines.at, results));
    MUST((*ti)->GetTime(ti, &after));
    jint out[3] = {lines.len, 0, (jint)((after - before) / 1000)};
    for (jint i = 0; i < lines.len; i++)
        out[1] += results[i] != JVMTI_ERROR_NONE;
    free(results);
    jintArray array = (*jni)->NewIntArray(jni, 3);
    (*jni)->SetIntArrayRegion(jni, array, 0, 3, out);
    return array;
}

EXPORT(void, Java_ManyBreakpoints_tell, JNIEnv *jni, jclass c, jboolean on, jboolean clear)
{
    (void)jni, (void)c;
    clears = clear;
    MUST((*ti)->SetEventNotificationMode(ti, on ? JVMTI_ENABLE : JVMTI_DISABLE,
                                         JVMTI_EVENT_BREAKPOINT, NULL));
}

EXPORT(jint, Java_ManyBreakpoints_takeHits, JNIEnv *jni, jclass c)
{
    (void)jni, (void)c;
    return __atomic_exchange_n(&hits, 0, __ATOMIC_RELAXED);
}

EXPORT(jint, Agent_OnLoad, JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    ti = new_env(vm, JVMTI_VERSION_11);
    without = new_env(vm, JVMTI_VERSION_11);
    jvmtiCapabilities caps = {.can_generate_breakpoint_events = 1, .can_get_line_numbers = 1};
    MUST((*ti)->AddCapabilities(ti, &caps));
    jvmtiEventCallbacks callbacks = {.Breakpoint = on_breakpoint};
    MUST((*ti)->SetEventCallbacks(ti, &callbacks, sizeof callbacks));
    find_functions();
    PellucidLocation at = {NULL, 0};
    say("before the live phase: %d %d", (int)set_breakpoints(ti, 1, &at, NULL),
        (int)clear_breakpoints(ti, 1, &at, NULL));
    return JNI_OK;
}
