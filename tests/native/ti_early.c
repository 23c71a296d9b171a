// SPDX-License-Identifier: Apache-2.0
// The start of the VM as two environments see it: one with the capabilities for early events, one
// without. Order and phases, the first class files, and when threads are told of.
#include "ti_rules.h"

static jvmtiEnv *early, *late;
static int early_hooks, late_hooks, early_hooks_before_start, hooks_in_primordial, replaced,
    too_early;
static bool early_started, late_started, initialized;

static jvmtiPhase phase_of(jvmtiEnv *env)
{
    jvmtiPhase phase;
    MUST((*env)->GetPhase(env, &phase));
    return phase;
}

// In the primordial phase one class file is handed back as it is, in new memory.
static void JNICALL on_hook(jvmtiEnv *env, JNIEnv *jni, jclass redefined, jobject loader,
                            const char *name, jobject domain, jint length,
                            const unsigned char *bytes, jint *new_length,
                            unsigned char **new_bytes)
{
    (void)redefined, (void)domain;
    if (env == late) {
        late_hooks++;
        if (!late_started)
            say("hook of the late environment before its start: %s", name);
        return;
    }
    if (early_hooks++ == 0)
        say("first class file: %s, loader %s, jni %d, phase %d", name, loader ? "some" : "none",
            jni != NULL, (int)phase_of(env));
    hooks_in_primordial += phase_of(env) == JVMTI_PHASE_PRIMORDIAL;
    early_hooks_before_start += !early_started;
    if (name && strcmp(name, "java/lang/Thread") == 0) {
        MUST((*env)->Allocate(env, length, new_bytes));
        memcpy(*new_bytes, bytes, (size_t)length);
        *new_length = length;
        replaced++;
    }
}

// Before there is a system class loader FindClass looks into the boot loader.
static void look_up(JNIEnv *jni, const char *name)
{
    jclass c = (*jni)->FindClass(jni, name);
    say("%s %s", name, c ? "found" : "not found");
    (*jni)->ExceptionClear(jni);
}

static void JNICALL on_start(jvmtiEnv *env, JNIEnv *jni)
{
    look_up(jni, "java/lang/String");
    look_up(jni, "java/util/List");
    look_up(jni, "[[I");
    if (env != early)
        look_up(jni, "Early");
    jthread thread = NULL;
    jvmtiError error = (*env)->GetCurrentThread(env, &thread);
    if (env == early)
        early_started = true;
    else
        late_started = true;
    say("%s start: phases %d and %d, version %x, thread %d %s", env == early ? "early" : "late",
        (int)phase_of(early), (int)phase_of(late), (*jni)->GetVersion(jni), error,
        thread ? "some" : "none");
}

// Events that may be sent in the live phase alone.
static void count_too_early(void)
{
    too_early += phase_of(early) != JVMTI_PHASE_LIVE;
}

static void JNICALL on_entry(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method)
{
    (void)env, (void)jni, (void)thread, (void)method;
    count_too_early();
}

static void JNICALL on_alloc(jvmtiEnv *env, JNIEnv *jni, jthread thread, jobject object,
                             jclass c, jlong size)
{
    (void)env, (void)jni, (void)thread, (void)object, (void)c, (void)size;
    count_too_early();
}

static void JNICALL on_init(jvmtiEnv *env, JNIEnv *jni, jthread thread)
{
    look_up(jni, "Early");
    initialized = true;
    say("%s init: phases %d and %d on %s", env == early ? "early" : "late",
        (int)phase_of(early), (int)phase_of(late), thread_name(env, jni, thread));
    if (env == early) {
        say("events of the live phase before it: %d", too_early);
        disable(env, JVMTI_EVENT_METHOD_ENTRY);
        disable(env, JVMTI_EVENT_VM_OBJECT_ALLOC);
        RULE("M7", hooks_in_primordial > 0 && late_hooks > 0 && early_hooks > late_hooks);
        RULE("D12", early_hooks_before_start > 0 && early_hooks_before_start < early_hooks);
        RULE("M4", replaced == 1);
    }
}

static void JNICALL on_thread(jvmtiEnv *env, JNIEnv *jni, jthread thread)
{
    const char *name = thread_name(env, jni, thread);
    bool is_allowed = phase_of(env) == JVMTI_PHASE_START || phase_of(env) == JVMTI_PHASE_LIVE;
    if (strcmp(name, "main") == 0
        || !is_allowed) // others may begin before they are told of, or not
        say("%s: thread %s, phase %d", env == early ? "early" : "late", name,
            (int)phase_of(env));
}

static jvmtiEnv *make_env(JavaVM *vm, bool is_early)
{
    jvmtiEnv *env = new_env(vm, JVMTI_VERSION_11);
    jvmtiCapabilities caps = {.can_generate_all_class_hook_events = 1,
                              .can_generate_method_entry_events = is_early,
                              .can_generate_vm_object_alloc_events = is_early,
                              .can_generate_early_vmstart = is_early,
                              .can_generate_early_class_hook_events = is_early};
    jvmtiEventCallbacks callbacks = {.VMStart = on_start,
                                     .VMInit = on_init,
                                     .ClassFileLoadHook = on_hook,
                                     .MethodEntry = on_entry,
                                     .VMObjectAlloc = on_alloc,
                                     .ThreadStart = on_thread};
    MUST((*env)->AddCapabilities(env, &caps));
    MUST((*env)->SetEventCallbacks(env, &callbacks, sizeof callbacks));
    enable(env, JVMTI_EVENT_VM_START);
    enable(env, JVMTI_EVENT_VM_INIT);
    enable(env, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK);
    enable(env, JVMTI_EVENT_THREAD_START);
    if (is_early) {
        enable(env, JVMTI_EVENT_METHOD_ENTRY);
        enable(env, JVMTI_EVENT_VM_OBJECT_ALLOC);
    }
    return env;
}

EXPORT(jint, Agent_OnLoad, JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    early = make_env(vm, true);
    late = make_env(vm, false);
    return 0;
}
