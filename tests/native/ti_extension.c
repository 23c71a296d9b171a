// SPDX-License-Identifier: Apache-2.0
// The extension mechanism: HotSpot's function and event with their descriptions, wrong indices, and
// the event itself. Where our own functions are, they are called and what they say is checked;
// nothing is printed of them when all is well.
#include "pellucid_jvmti.h"
#include "ti_common.h"

static jvmtiEnv *ti;
static PellucidLastError last_error;
static PellucidEnvironmentCosts costs;
static PellucidAllocatedBytes allocated_bytes;
static int unloaded;

static void show_parameters(jint count, const jvmtiParamInfo *params)
{
    for (jint i = 0; i < count; i++)
        say("  parameter %s: kind %d type %d null %d", params[i].name, (int)params[i].kind,
            (int)params[i].base_type, params[i].null_ok);
}

static void release_parameters(jint count, jvmtiParamInfo *params)
{
    for (jint i = 0; i < count; i++)
        release(ti, params[i].name);
    release(ti, params);
}

static void show_functions(void)
{
    jint count;
    jvmtiExtensionFunctionInfo *all;
    MUST((*ti)->GetExtensionFunctions(ti, &count, &all));
    for (jint i = 0; i < count; i++) {
        if (strcmp(all[i].id, PELLUCID_LAST_ERROR) == 0) {
            last_error = (PellucidLastError)(void (*)(void))all[i].func;
        } else if (strcmp(all[i].id, PELLUCID_ENVIRONMENT_COSTS) == 0) {
            costs = (PellucidEnvironmentCosts)(void (*)(void))all[i].func;
        } else if (strcmp(all[i].id, PELLUCID_ALLOCATED_BYTES) == 0) {
            allocated_bytes = (PellucidAllocatedBytes)(void (*)(void))all[i].func;
        } else if (strncmp(all[i].id, "org.pellucid.", strlen("org.pellucid.")) != 0) {
            jboolean answer = 9;
            jvmtiError error = all[i].func(ti, &answer);
            say("function %s: %s, errors %d", all[i].id, all[i].short_description,
                all[i].error_count);
            show_parameters(all[i].param_count, all[i].params);
            say("  called %d: %d, NULL %d", error, answer, all[i].func(ti, NULL));
        }
        release(ti, all[i].id);
        release(ti, all[i].short_description);
        release_parameters(all[i].param_count, all[i].params);
        release(ti, all[i].errors);
    }
    release(ti, all);
}

static void JNICALL on_unload(jvmtiEnv *env, ...)
{
    va_list args;
    va_start(args, env);
    JNIEnv *jni = va_arg(args, JNIEnv *);
    const char *name = va_arg(args, const char *);
    va_end(args);
    if (strcmp(name, "probe/Probe") == 0 && env == ti && (*jni)->GetVersion(jni) > 0)
        __atomic_add_fetch(&unloaded, 1, __ATOMIC_SEQ_CST);
}

static void show_events(void)
{
    jint count;
    jvmtiExtensionEventInfo *all;
    MUST((*ti)->GetExtensionEvents(ti, &count, &all));
    for (jint i = 0; i < count; i++) {
        jint index = all[i].extension_event_index;
        say("event %d %s: %s", index, all[i].id, all[i].short_description);
        show_parameters(all[i].param_count, all[i].params);
        say("  set %d, unset %d, unset again %d, set %d",
            (*ti)->SetExtensionEventCallback(ti, index, on_unload),
            (*ti)->SetExtensionEventCallback(ti, index, NULL),
            (*ti)->SetExtensionEventCallback(ti, index, NULL),
            (*ti)->SetExtensionEventCallback(ti, index, on_unload));
        release(ti, all[i].id);
        release(ti, all[i].short_description);
        release_parameters(all[i].param_count, all[i].params);
    }
    release(ti, all);
    static const jint wrong[] = {0, -1, 1, 48, 50, 85, 99999};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        say("index %d: %d", wrong[i], (*ti)->SetExtensionEventCallback(ti, wrong[i], NULL));
}

static void expect_text(const char *call, const char *want)
{
    char *text;
    MUST(last_error(ti, &text));
    if (!text || strcmp(text, want) != 0)
        say("%s: the last error is \"%s\"", call, text ? text : "none");
    release(ti, text);
}

static void check_last_error(jthread thread)
{
    jint count;
    (*ti)->GetFrameCount(ti, NULL, NULL);
    expect_text("parameter",
                "GetFrameCount: JVMTI_ERROR_NULL_POINTER (100): parameter count_ptr: "
                "the pointer must not be NULL");
    MUST((*ti)->GetFrameCount(ti, NULL, &count)); // leaves it
    expect_text("success",
                "GetFrameCount: JVMTI_ERROR_NULL_POINTER (100): parameter count_ptr: "
                "the pointer must not be NULL");
    (*ti)->SuspendThread(ti, thread);
    expect_text("capability",
                "SuspendThread: JVMTI_ERROR_MUST_POSSESS_CAPABILITY (99): the environment must "
                "possess a capability: can_suspend");
    (*ti)->SetSystemProperty(ti, "a", "b");
    expect_text(
        "phase",
        "SetSystemProperty: JVMTI_ERROR_WRONG_PHASE (112): the function may not be called "
        "in this phase (now 4), but in: OnLoad");
    (*ti)->GetErrorName(ti, 5, NULL);
    (*ti)->GetFrameLocation(ti, NULL, 10000, (jmethodID *)&count, (jlocation *)&count);
    expect_text("body", "GetFrameLocation: JVMTI_ERROR_NO_MORE_FRAMES (31): the stack has no "
                        "frame at that depth");
}

static PellucidEnvironmentCost own_cost(void)
{
    jint count;
    PellucidEnvironmentCost *all, own = {0};
    MUST(costs(ti, &count, &all));
    for (jint i = 0; i < count; i++)
        if (all[i].env == ti)
            own = all[i];
    if (own.env != ti || count != 2)
        say("%d environments have costs", count);
    release(ti, all);
    return own;
}

static void check_costs(JNIEnv *jni, jobject o)
{
    unsigned char *memory;
    PellucidEnvironmentCost before = own_cost();
    MUST((*ti)->SetTag(ti, o, 5));
    MUST((*ti)->Allocate(ti, 100000, &memory));
    enable(ti, JVMTI_EVENT_CLASS_PREPARE);
    (void)(*jni)->FindClass(jni, "java/util/concurrent/Phaser");
    disable(ti, JVMTI_EVENT_CLASS_PREPARE);
    PellucidEnvironmentCost after = own_cost();
    if (after.tags != before.tags + 1 || after.vm_bytes <= before.vm_bytes
        || after.agent_bytes < before.agent_bytes + 100000)
        say("memory: tags %lld, bytes %lld and %lld", (long long)after.tags,
            (long long)after.vm_bytes, (long long)after.agent_bytes);
    if (after.events < before.events + 1 || after.callback_nanos <= before.callback_nanos)
        say("events %lld in %lld ns", (long long)after.events, (long long)after.callback_nanos);
    release(ti, memory);
    MUST((*ti)->SetTag(ti, o, 0));
    after = own_cost();
    if (after.tags != before.tags || after.agent_bytes > before.agent_bytes + 1000)
        say("given back: tags %lld, bytes %lld", (long long)after.tags,
            (long long)after.agent_bytes);
}

// Tags of objects that died are not counted any more.
static void check_costs_of_dead(JNIEnv *jni)
{
    PellucidEnvironmentCost before = own_cost();
    jobject kept = (*jni)->NewStringUTF(jni, "kept");
    MUST((*ti)->SetTag(ti, kept, 1));
    for (int i = 2; i <= 100; i++) {
        jobject o = (*jni)->NewStringUTF(jni, "dropped");
        MUST((*ti)->SetTag(ti, o, i));
        (*jni)->DeleteLocalRef(jni, o);
    }
    MUST((*ti)->ForceGarbageCollection(ti));
    PellucidEnvironmentCost after = own_cost();
    if (after.tags != before.tags + 1)
        say("after a collection: tags %lld", (long long)after.tags);
    MUST((*ti)->SetTag(ti, kept, 0));
}

static jlong allocated(void)
{
    jlong bytes = -1;
    MUST(allocated_bytes(ti, &bytes));
    return bytes;
}

// A collection does not make it less.
static void check_allocated_bytes(JNIEnv *jni)
{
    enum { ARRAYS = 64, LENGTH = 100000 };
    jlong before = allocated(), after;
    for (int i = 0; i < ARRAYS; i++) {
        jobject array = (*jni)->NewByteArray(jni, LENGTH);
        (*jni)->DeleteLocalRef(jni, array);
    }
    MUST((*ti)->ForceGarbageCollection(ti));
    after = allocated();
    if (after - before < ARRAYS * LENGTH || after - before > ARRAYS * LENGTH + 2000000)
        say("allocated %lld, then %lld bytes", (long long)before, (long long)after);
    if (allocated_bytes(ti, NULL) != JVMTI_ERROR_NULL_POINTER)
        say("AllocatedBytes took NULL");
    expect_text("AllocatedBytes",
                "AllocatedBytes: JVMTI_ERROR_NULL_POINTER (100): parameter bytes_ptr: "
                "the pointer must not be NULL");
}

EXPORT(void, Java_Extension_check, JNIEnv *jni, jclass c, jthread thread)
{
    (void)c;
    if (last_error)
        check_last_error(thread);
    if (costs) {
        check_costs(jni, thread);
        check_costs_of_dead(jni);
    }
    if (allocated_bytes)
        check_allocated_bytes(jni);
}

EXPORT(jint, Java_Extension_unloaded, JNIEnv *jni, jclass c)
{
    (void)jni, (void)c;
    return __atomic_load_n(&unloaded, __ATOMIC_SEQ_CST);
}

static void JNICALL on_prepare(jvmtiEnv *env, JNIEnv *jni, jthread thread, jclass c)
{
    (void)env, (void)jni, (void)thread, (void)c;
}

EXPORT(jint, Agent_OnLoad, JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    ti = new_env(vm, JVMTI_VERSION_11);
    new_env(vm, JVMTI_VERSION_11);
    jvmtiEnv *disposed = new_env(vm, JVMTI_VERSION_11);
    MUST((*disposed)->DisposeEnvironment(disposed));
    jvmtiCapabilities caps = {.can_tag_objects = 1};
    MUST((*ti)->AddCapabilities(ti, &caps));
    jvmtiEventCallbacks callbacks = {.ClassPrepare = on_prepare};
    MUST((*ti)->SetEventCallbacks(ti, &callbacks, sizeof callbacks));
    show_functions();
    show_events();
    jlong bytes = 7;
    if (allocated_bytes
        && (allocated_bytes(ti, &bytes) != JVMTI_ERROR_WRONG_PHASE || bytes != 7))
        say("AllocatedBytes before the live phase: %lld", (long long)bytes);
    return 0;
}
