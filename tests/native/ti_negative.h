// SPDX-License-Identifier: Apache-2.0
// The hand-written half of ti_negative.c: for tests/agents/Negative.java. Prints the error of
// each wrong call.
#include "ti_common.h"

enum {
    PHASE_onload = 1,
    PHASE_primordial = 2,
    PHASE_start = 4,
    PHASE_live = 8,
    PHASE_any = 15
};

struct Wrong {
    const char *name;
    int (*call)(jvmtiEnv *env, int mistake); // 0: all arguments NULL or 0
    int phases;
    int needs_capability, implemented;
    const char *mistakes[32];
};
extern const struct Wrong wrong_calls[];
extern const int wrong_count;

static struct {
    jobject string;
    jclass klass;
    jmethodID method;
    jfieldID field;
    jthread thread;
    jthreadGroup group;
    jobject module;
    jrawMonitorID monitor;
    long memory[512];
} good;
static struct {
    jobject string;
    jthread unstarted, dead;
    jmethodID native_method;
    long memory[512];
} bad;
static jvmtiEnv *plain, *full;

// Functions that are not allowed in this phase, and those of a capability that is not possessed.
static void refuse(const char *where, int phase)
{
    for (int i = 0; i < wrong_count; i++) {
        const struct Wrong *w = &wrong_calls[i];
        int allowed = (w->phases & phase) != 0;
        if (!allowed || w->needs_capability)
            say("%s %s: %d", where, w->name, w->call(plain, 0));
    }
}

// Every mistake in functions that are allowed now and whose capability is possessed.
static void mistake(const char *where, int phase)
{
    for (int i = 0; i < wrong_count; i++) {
        const struct Wrong *w = &wrong_calls[i];
        if (!(w->phases & phase) || !w->implemented)
            continue;
        for (int k = 0; w->mistakes[k]; k++)
            say("%s %s %s: %d", where, w->name, w->mistakes[k], w->call(full, k + 1));
    }
}

static void JNICALL vm_start(jvmtiEnv *env, JNIEnv *jni)
{
    (void)env, (void)jni;
    refuse("start", PHASE_start);
}

static void JNICALL vm_init(jvmtiEnv *env, JNIEnv *jni, jthread thread)
{
    (void)env, (void)jni, (void)thread;
    refuse("live", PHASE_live);
}

// Left out, as HotSpot deviates from the specification: reserved numbers, which it takes; wrong
// modes, which it takes as DISABLE; and events that it cannot enable for one thread.
static void event_modes(jvmtiEvent event)
{
    if (event == 72 || (event >= 77 && event <= 79) || event == 85)
        return;
    say("enable %d: %d", (int)event,
        (int)(*plain)->SetEventNotificationMode(plain, JVMTI_ENABLE, event, NULL));
    say("disable %d: %d", (int)event,
        (int)(*plain)->SetEventNotificationMode(plain, JVMTI_DISABLE, event, NULL));
    say("no thread %d: %d", (int)event,
        (int)(*plain)->SetEventNotificationMode(plain, JVMTI_ENABLE, event, bad.string));
    say("unstarted %d: %d", (int)event,
        (int)(*plain)->SetEventNotificationMode(plain, JVMTI_ENABLE, event, bad.unstarted));
    if (event == JVMTI_EVENT_CLASS_FILE_LOAD_HOOK || event == JVMTI_EVENT_NATIVE_METHOD_BIND
        || event >= JVMTI_EVENT_RESOURCE_EXHAUSTED)
        return;
    say("thread %d: %d", (int)event,
        (int)(*plain)->SetEventNotificationMode(plain, JVMTI_ENABLE, event, good.thread));
    say("unthread %d: %d", (int)event,
        (int)(*plain)->SetEventNotificationMode(plain, JVMTI_DISABLE, event, good.thread));
}

EXPORT(void, Java_Negative_run, JNIEnv *jni, jclass c, jobject text, jthread unstarted,
       jthread dead, jobject group, jobject module)
{
    good.string = bad.string = text;
    good.klass = c;
    good.group = group;
    good.module = module;
    bad.unstarted = unstarted;
    bad.dead = dead;
    good.method = (*jni)->GetStaticMethodID(jni, c, "plain", "(I)I");
    bad.native_method = (*jni)->GetStaticMethodID(jni, c, "nothing", "()V");
    good.field = (*jni)->GetStaticFieldID(jni, c, "number", "I");
    MUST((*full)->GetCurrentThread(full, &good.thread));
    MUST((*full)->CreateRawMonitor(full, "negative", &good.monitor));
    mistake("mistake", PHASE_live);
    char *name;
    for (int code = -1; code < 120; code++) {
        jvmtiError error = (*full)->GetErrorName(full, (jvmtiError)code, &name);
        if (error == JVMTI_ERROR_NONE)
            say("error %d is %s", code, name);
        else
            say("error %d: %d", code, (int)error);
    }
    for (int event = JVMTI_MIN_EVENT_TYPE_VAL; event <= JVMTI_MAX_EVENT_TYPE_VAL + 2; event++)
        event_modes((jvmtiEvent)event);
    MUST((*full)->DisposeEnvironment(full));
    jint number;
    say("disposed: %d", (int)(*full)->GetVersionNumber(full, &number));
}

EXPORT(void, Java_Negative_nothing, JNIEnv *jni, jclass c)
{
    (void)jni, (void)c;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    plain = new_env(vm, JVMTI_VERSION_11);
    full = new_env(vm, JVMTI_VERSION_11);
    jvmtiCapabilities all;
    MUST((*full)->GetPotentialCapabilities(full, &all));
    MUST((*full)->AddCapabilities(full, &all));
    refuse("onload", PHASE_onload);
    static const int versions[] = {
        0x30000000, 0x30010000, 0x30010100, 0x30010200, 0x30010300, 0x30020000, 0x30080000,
        0x30090000, 0x30090100, 0x300a0000, 0x300b0000, 0x300b0100, 0x300c0000, 0x300d0000,
        0x300e0000, 0x300f0000, 0x30100000, 0x30110000, 0x30110100, 0x30120000, 0x31010000};
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        jvmtiEnv *env = NULL;
        jint rc = (*vm)->GetEnv(vm, (void **)&env, versions[i]);
        say("version %x: %d", versions[i], (int)rc);
    }
    jvmtiEventCallbacks callbacks = {.VMStart = vm_start, .VMInit = vm_init};
    MUST((*full)->SetEventCallbacks(full, &callbacks, sizeof callbacks));
    enable(full, JVMTI_EVENT_VM_START);
    enable(full, JVMTI_EVENT_VM_INIT);
    return JNI_OK;
}

JNIEXPORT void JNICALL Agent_OnUnload(JavaVM *vm)
{
    (void)vm;
    refuse("dead", 0);
}
