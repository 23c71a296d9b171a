// SPDX-License-Identifier: Apache-2.0
// Rules of agents, environments, phases, capabilities and event management: what is checked in
// the OnLoad phase, in the early events, while the program runs, and at its end.
#include <pthread.h>
#include <stddef.h>

#include "ti_rules.h"

static JavaVM *java_vm;
static jvmtiEnv *ti, *second, *third;
static jvmtiPhase phases[16];
static int phase_count, loads, deaths, after_death, thread_starts, order;
static int first_in_order, prepares, second_prepares;
static bool in_init, init_done;

static jvmtiPhase phase_of(jvmtiEnv *env)
{
    jvmtiPhase phase;
    MUST((*env)->GetPhase(env, &phase));
    return phase;
}

static void note_phase(void)
{
    jvmtiPhase now = phase_of(ti);
    if (phase_count == 0 || phases[phase_count - 1] != now)
        phases[phase_count++] = now;
}

// ---- the OnLoad phase ----
static void check_versions(void)
{
    static const jint good[] = {0x30010000, 0x30010200, 0x30090000, 0x300b0000, 0x30110000},
                      bad[] = {0x30010300, 0x30020000, 0x30080000, 0x30090100, 0x300a0000,
                               0x300b0100, 0x300c0000, 0x30120000, 0x30000000};
    jvmtiEnv *env;
    bool all_good = true, all_bad = true;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        all_good &= (*java_vm)->GetEnv(java_vm, (void **)&env, good[i]) == JNI_OK;
        MUST((*env)->DisposeEnvironment(env));
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        all_bad &= (*java_vm)->GetEnv(java_vm, (void **)&env, bad[i]) == JNI_EVERSION;
    RULE("B2", all_good && all_bad);
    jint version;
    MUST((*ti)->GetVersionNumber(ti, &version));
    RULE("T9", (version & JVMTI_VERSION_MASK_INTERFACE_TYPE) == JVMTI_VERSION_INTERFACE_JVMTI
                   && (version & JVMTI_VERSION_MASK_MAJOR) >> JVMTI_VERSION_SHIFT_MAJOR == 17);
}

static void check_table(void)
{
    static const int reserved[] = {1, 67, 105, 113, 117, 118, 119, 141};
    void *const *slots = (void *const *)*ti;
    bool empty = true, full = true;
    for (int i = 1; i <= 156; i++) {
        bool is_reserved = false;
        for (size_t k = 0; k < sizeof reserved / sizeof *reserved; k++)
            is_reserved |= reserved[k] == i;
        if (is_reserved)
            empty &= slots[i - 1] == NULL;
        else
            full &= slots[i - 1] != NULL;
    }
    RULE("B3", full && *ti == *second);
    RULE("C18", empty);
}

static void check_capabilities(void)
{
    jvmtiCapabilities all, have, add = {.can_tag_objects = 1};
    bool none = true;
    MUST((*second)->GetCapabilities(second, &have));
    for (int bit = 0; bit < 44; bit++)
        none &= !has_capability(&have, bit);
    RULE("E1", none);
    MUST((*second)->GetPotentialCapabilities(second, &all));
    RULE("E13", sizeof all == 16);
    bool every = true;
    for (int bit = 0; bit < 44; bit++)
        every &= has_capability(&all, bit);
    RULE("A9", every);
    RULE("E9", all.can_get_current_thread_cpu_time && all.can_get_thread_cpu_time);
    MUST((*second)->AddCapabilities(second, &add));
    add = (jvmtiCapabilities){.can_get_bytecodes = 1};
    MUST((*second)->AddCapabilities(second, &add));
    MUST((*second)->GetCapabilities(second, &have));
    RULE("E2", have.can_tag_objects && have.can_get_bytecodes);
    MUST((*second)->GetPotentialCapabilities(second, &all));
    RULE("E4", all.can_tag_objects && all.can_get_bytecodes);
    add = (jvmtiCapabilities){.can_get_bytecodes = 1, .can_suspend = 1};
    MUST((*second)->RelinquishCapabilities(second, &add));
    MUST((*second)->GetCapabilities(second, &have));
    RULE("E5", have.can_tag_objects && !have.can_get_bytecodes);
    RULE("E6", have.can_tag_objects);
}

// The capability to see VMStart early can no longer be had when it is over.
static void check_unobtainable(void)
{
    jvmtiCapabilities wrong = {.can_get_line_numbers = 1, .can_generate_early_vmstart = 1},
                      have;
    RULE_ERROR("E3", NOT_AVAILABLE, (*second)->AddCapabilities(second, &wrong));
    MUST((*second)->GetCapabilities(second, &have));
    RULE("X12", !have.can_get_line_numbers && !have.can_generate_early_vmstart);
    MUST((*second)->GetPotentialCapabilities(second, &have));
    RULE("E8", !have.can_generate_early_vmstart && !have.can_generate_early_class_hook_events);
}

static void check_memory(void)
{
    unsigned char *p = (unsigned char *)1;
    MUST((*ti)->Allocate(ti, 0, &p));
    RULE("C14", p == NULL && (*ti)->Allocate(ti, -1, &p) == JVMTI_ERROR_ILLEGAL_ARGUMENT
                    && (*ti)->Allocate(ti, 1LL << 62, &p) == JVMTI_ERROR_OUT_OF_MEMORY);
    RULE_ERROR("C15", NONE, (*ti)->Deallocate(ti, NULL));
}

static void check_event_management(void)
{
    jvmtiEventCallbacks callbacks = {0};
    RULE("F4",
         (*second)->SetEventCallbacks(second, &callbacks, -1) == JVMTI_ERROR_ILLEGAL_ARGUMENT
             && (*second)->SetEventCallbacks(second, NULL, 0) == JVMTI_ERROR_NONE);
    RULE_ERROR("F7 (capability)", MUST_POSSESS_CAPABILITY,
               (*second)->SetEventNotificationMode(second, JVMTI_ENABLE, JVMTI_EVENT_BREAKPOINT,
                                                   NULL));
    RULE_ERROR(
        "F7 (type)", INVALID_EVENT_TYPE,
        (*second)->SetEventNotificationMode(second, JVMTI_ENABLE, (jvmtiEvent)9999, NULL));
    RULE_ERROR("F9", INVALID_EVENT_TYPE,
               (*second)->SetEventNotificationMode(second, JVMTI_ENABLE, (jvmtiEvent)0, NULL));
}

static void check_properties(void)
{
    static const char *const wanted[] = {"java.vm.vendor",    "java.vm.version",
                                         "java.vm.name",      "java.vm.info",
                                         "java.library.path", "java.class.path"};
    jint count;
    char **names, *value;
    size_t found = 0;
    MUST((*ti)->GetSystemProperties(ti, &count, &names));
    for (jint i = 0; i < count; i++) {
        for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++)
            found += strcmp(names[i], wanted[k]) == 0;
        release(ti, names[i]);
    }
    release(ti, names);
    RULE("T3", found == sizeof wanted / sizeof *wanted);
    RULE("T4", (*ti)->GetSystemProperty(ti, "no.such", &value) == JVMTI_ERROR_NOT_AVAILABLE
                   && (*ti)->SetSystemProperty(ti, "rules.set", "seen") == JVMTI_ERROR_NONE);
}

static void check_errors(void)
{
    int defined = 0, others = 0;
    for (int code = 0; code < 130; code++) {
        char *name = NULL;
        if ((*ti)->GetErrorName(ti, (jvmtiError)code, &name) == JVMTI_ERROR_NONE) {
            defined += strncmp(name, "JVMTI_ERROR_", 12) == 0;
            release(ti, name);
        } else {
            others += (*ti)->GetErrorName(ti, (jvmtiError)code, &name)
                      == JVMTI_ERROR_ILLEGAL_ARGUMENT;
        }
    }
    RULE("T10", defined == 52 && others == 130 - 52);
}

static void check_disposal(void)
{
    jvmtiEnv *gone = new_env(java_vm, JVMTI_VERSION_1_2);
    unsigned char *p;
    jrawMonitorID monitor;
    jint version;
    MUST((*gone)->Allocate(gone, 64, &p));
    MUST((*gone)->CreateRawMonitor(gone, "kept", &monitor));
    MUST((*gone)->DisposeEnvironment(gone));
    memset(p, 1, 64);
    RULE("B7", (*ti)->RawMonitorEnter(ti, monitor) == JVMTI_ERROR_NONE
                   && (*ti)->RawMonitorExit(ti, monitor) == JVMTI_ERROR_NONE);
    release(ti, p);
    RULE_ERROR("B11", INVALID_ENVIRONMENT, (*gone)->GetVersionNumber(gone, &version));
    RULE("B12", true);
}

static void check_storage(void)
{
    void *value = ti;
    MUST((*ti)->GetEnvironmentLocalStorage(ti, &value));
    bool empty = value == NULL;
    MUST((*ti)->SetEnvironmentLocalStorage(ti, &ti));
    MUST((*second)->GetEnvironmentLocalStorage(second, &value));
    empty &= value == NULL;
    MUST((*ti)->GetEnvironmentLocalStorage(ti, &value));
    RULE("B13", empty && value == &ti);
}

static void check_raw_monitors(void)
{
    jrawMonitorID monitor;
    MUST((*ti)->CreateRawMonitor(ti, "rules", &monitor));
    MUST((*ti)->RawMonitorEnter(ti, monitor));
    MUST((*ti)->RawMonitorEnter(ti, monitor));
    MUST((*ti)->RawMonitorExit(ti, monitor));
    RULE_ERROR("R1", NONE, (*ti)->RawMonitorExit(ti, monitor));
    RULE("R5", (*ti)->RawMonitorExit(ti, monitor) == JVMTI_ERROR_NOT_MONITOR_OWNER
                   && (*ti)->RawMonitorWait(ti, monitor, 1) == JVMTI_ERROR_NOT_MONITOR_OWNER
                   && (*ti)->RawMonitorNotify(ti, monitor) == JVMTI_ERROR_NOT_MONITOR_OWNER
                   && (*ti)->RawMonitorNotifyAll(ti, monitor) == JVMTI_ERROR_NOT_MONITOR_OWNER);
    MUST((*ti)->RawMonitorEnter(ti, monitor));
    RULE_ERROR("R6", NONE, (*ti)->RawMonitorWait(ti, monitor, 5));
    RULE_ERROR("R3", NONE, (*ti)->DestroyRawMonitor(ti, monitor)); // exits it first
    RULE_ERROR("R4", NONE, (*ti)->CreateRawMonitor(ti, "again", &monitor));
}

static void check_wrong_phase(const char *number)
{
    jint count;
    jthread *threads;
    RULE_ERROR(number, WRONG_PHASE, (*ti)->GetAllThreads(ti, &count, &threads));
}

// ---- events ----
static void JNICALL on_start(jvmtiEnv *env, JNIEnv *jni)
{
    jclass c = (*jni)->FindClass(jni, "java/lang/String");
    note_phase();
    RULE("D3", phase_of(env) == JVMTI_PHASE_START);
    RULE("D10", c != NULL);
    jvmtiFrameInfo frame;
    jint count;
    RULE_ERROR("V-VMStart", WRONG_PHASE,
               (*env)->GetStackTrace(env, NULL, 0, 1, &frame, &count));
    RULE_ERROR(
        "F8", WRONG_PHASE,
        (*env)->SetEventNotificationMode(env, JVMTI_ENABLE, JVMTI_EVENT_CLASS_LOAD, NULL));
}

static void JNICALL on_init(jvmtiEnv *env, JNIEnv *jni, jthread thread)
{
    in_init = true;
    note_phase();
    RULE("D4", phase_of(env) == JVMTI_PHASE_LIVE);
    RULE("D15",
         (*jni)->GetVersion(jni) > 0 && strcmp(thread_name(env, jni, thread), "main") == 0);
    first_in_order = ++order;
    jint count;
    jvmtiFrameInfo frame;
    MUST((*env)->GetStackTrace(env, NULL, 0, 1, &frame, &count));
    RULE("H5", count == 0);
    in_init = false;
    init_done = true;
}

static void JNICALL on_second_init(jvmtiEnv *env, JNIEnv *jni, jthread thread)
{
    (void)env, (void)jni, (void)thread;
    RULE("F11", ++order == first_in_order + 1);
}

static void JNICALL on_thread_start(jvmtiEnv *env, JNIEnv *jni, jthread thread)
{
    thread_starts++;
    if (strcmp(thread_name(env, jni, thread), "main") == 0)
        RULE("D17", init_done);
}

static void JNICALL on_prepare(jvmtiEnv *env, JNIEnv *jni, jthread thread, jclass c)
{
    (void)jni, (void)thread, (void)c;
    prepares += env == ti;
    second_prepares += env == second;
    after_death += deaths > 0;
}

static void JNICALL on_death(jvmtiEnv *env, JNIEnv *jni)
{
    deaths++;
    RULE("D4 (death)", phase_of(env) == JVMTI_PHASE_LIVE && (*jni)->GetVersion(jni) > 0);
}

EXPORT(void, Agent_OnUnload, JavaVM *vm)
{
    (void)vm;
    RULE("A13", true);
    RULE("A15", deaths == 1);
    RULE("D18", after_death == 0);
    note_phase();
    static const jvmtiPhase expected[] = {JVMTI_PHASE_ONLOAD, JVMTI_PHASE_START,
                                          JVMTI_PHASE_LIVE, JVMTI_PHASE_DEAD};
    RULE("D1", phase_count == 4 && memcmp(phases, expected, sizeof expected) == 0);
    check_wrong_phase("C10");
}

// ---- the live phase ----
static void *unattached(void *result)
{
    jthread thread;
    *(jvmtiError *)result = (*ti)->GetCurrentThread(ti, &thread);
    return NULL;
}

static void check_unattached(void)
{
    pthread_t t;
    jvmtiError error = JVMTI_ERROR_NONE;
    pthread_create(&t, NULL, unattached, &error);
    pthread_join(t, NULL);
    RULE_ERROR("C11", UNATTACHED_THREAD, error);
}

static void check_pending(JNIEnv *jni)
{
    jclass c = (*jni)->FindClass(jni, "java/lang/IllegalStateException");
    jint count;
    jthread *threads;
    (*jni)->ThrowNew(jni, c, "kept");
    jthrowable before = (*jni)->ExceptionOccurred(jni);
    (*ti)->GetAllThreads(ti, &count, &threads);
    (*ti)->GetFrameCount(ti, (jthread)c, &count);
    jthrowable after = (*jni)->ExceptionOccurred(jni);
    (*jni)->ExceptionClear(jni);
    RULE("C6", before && (*jni)->IsSameObject(jni, before, after));
    RULE("C3", (*jni)->GetObjectRefType(jni, threads[0]) == JNILocalRefType);
    RULE_ERROR("C9", INVALID_THREAD, (*ti)->GetFrameCount(ti, (jthread)c, &count));
    release(ti, threads);
}

static void check_isolation(JNIEnv *jni, jobject o)
{
    jlong tag = 7;
    jvmtiCapabilities tags = {.can_tag_objects = 1};
    MUST((*ti)->AddCapabilities(ti, &tags));
    MUST((*ti)->SetTag(ti, o, 5));
    MUST((*second)->GetTag(second, o, &tag));
    bool own = tag == 0;
    MUST((*second)->SetTag(second, o, 6));
    MUST((*ti)->GetTag(ti, o, &tag));
    RULE("B4", own && tag == 5);
    MUST((*ti)->SetTag(ti, o, 0));
    MUST((*ti)->GetTag(ti, o, &tag));
    RULE("O1", tag == 0);
    (void)jni;
}

static void check_thread_storage(jthread unstarted)
{
    void *value = ti;
    MUST((*ti)->GetThreadLocalStorage(ti, NULL, &value));
    bool empty = value == NULL;
    MUST((*ti)->SetThreadLocalStorage(ti, NULL, &order));
    MUST((*second)->GetThreadLocalStorage(second, NULL, &value));
    empty &= value == NULL;
    MUST((*ti)->GetThreadLocalStorage(ti, NULL, &value));
    RULE("B14", empty && value == &order);
    RULE_ERROR("B15", THREAD_NOT_ALIVE, (*ti)->SetThreadLocalStorage(ti, unstarted, NULL));
}

static void check_modes(void)
{
    static const jvmtiEvent global_only[] = {
        JVMTI_EVENT_VM_INIT,
        JVMTI_EVENT_VM_START,
        JVMTI_EVENT_VM_DEATH,
        JVMTI_EVENT_THREAD_START,
        JVMTI_EVENT_COMPILED_METHOD_LOAD,
        JVMTI_EVENT_COMPILED_METHOD_UNLOAD,
        JVMTI_EVENT_DYNAMIC_CODE_GENERATED,
        JVMTI_EVENT_DATA_DUMP_REQUEST,
    };
    jthread self;
    bool refused = true;
    MUST((*ti)->GetCurrentThread(ti, &self));
    for (size_t i = 0; i < sizeof global_only / sizeof *global_only; i++)
        refused &= (*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, global_only[i], self)
                   == JVMTI_ERROR_ILLEGAL_ARGUMENT;
    RULE("F6", refused);
    RULE("F22",
         (*ti)->GenerateEvents(ti, JVMTI_EVENT_CLASS_LOAD) == JVMTI_ERROR_ILLEGAL_ARGUMENT
             && (*ti)->GenerateEvents(ti, JVMTI_EVENT_COMPILED_METHOD_LOAD)
                    == JVMTI_ERROR_MUST_POSSESS_CAPABILITY
             && (*ti)->GenerateEvents(ti, JVMTI_EVENT_DYNAMIC_CODE_GENERATED)
                    == JVMTI_ERROR_NONE);
}

static void load_one(JNIEnv *jni, int i)
{
    static const char *const names[] = {"java/util/concurrent/Phaser", "java/util/Formattable",
                                        "java/util/concurrent/Exchanger",
                                        "java/util/DuplicateFormatFlagsException",
                                        "java/util/concurrent/LinkedTransferQueue"};
    jclass c = (*jni)->FindClass(jni, names[i]);
    (*jni)->GetFieldID(jni, c, "none", "I"); // initializes it
    (*jni)->ExceptionClear(jni);
}

static void check_delivery(JNIEnv *jni)
{
    jthread self;
    jvmtiEventCallbacks callbacks = {.ClassPrepare = on_prepare}, none = {0};
    MUST((*ti)->GetCurrentThread(ti, &self));
    enable(second, JVMTI_EVENT_CLASS_PREPARE); // first the mode, then the callback
    prepares = second_prepares = 0;
    load_one(jni, 0);
    bool without = second_prepares == 0;
    MUST((*second)->SetEventCallbacks(second, &callbacks, sizeof callbacks));
    memset(&callbacks, 0xff, sizeof callbacks); // it was copied
    load_one(jni, 1);
    RULE("F1", without && second_prepares > 0 && prepares == 0);
    RULE("F2", true);
    MUST((*second)->SetEventNotificationMode(second, JVMTI_ENABLE, JVMTI_EVENT_CLASS_PREPARE,
                                             self));
    disable(second, JVMTI_EVENT_CLASS_PREPARE);
    int seen = second_prepares;
    load_one(jni, 2);
    bool by_thread = second_prepares > seen;
    MUST((*second)->SetEventNotificationMode(second, JVMTI_DISABLE, JVMTI_EVENT_CLASS_PREPARE,
                                             self));
    seen = second_prepares;
    load_one(jni, 3);
    RULE("F5", by_thread && second_prepares == seen);
    enable(second, JVMTI_EVENT_CLASS_PREPARE);
    MUST((*second)->SetEventCallbacks(second, &none,
                                      (jint)offsetof(jvmtiEventCallbacks, ClassPrepare)));
    load_one(jni, 4);
    RULE("F3", second_prepares == seen);
}

static void check_disposed_capability(JNIEnv *jni)
{
    jvmtiCapabilities suspend = {.can_suspend = 1};
    bool had = (*third)->AddCapabilities(third, &suspend) == JVMTI_ERROR_NONE;
    MUST((*third)->DisposeEnvironment(third));
    RULE("B9", had && (*second)->AddCapabilities(second, &suspend) == JVMTI_ERROR_NONE);
    (void)jni;
}

EXPORT(void, Java_RulesStart_live, JNIEnv *jni, jclass c, jthread unstarted, jstring property)
{
    const char *text = property ? (*jni)->GetStringUTFChars(jni, property, NULL) : "";
    (void)c;
    RULE("A22", true); // this function was found
    RULE("A6", loads == 1);
    RULE("A8", strcmp(text, "seen") == 0);
    check_raw_monitors();
    check_unobtainable();
    check_unattached();
    check_pending(jni);
    check_isolation(jni, unstarted);
    check_thread_storage(unstarted);
    check_modes();
    check_delivery(jni);
    check_disposed_capability(jni);
    RULE_ERROR("T4 (live)", WRONG_PHASE, (*ti)->SetSystemProperty(ti, "a", "b"));
    RULE("B5", thread_starts > 0);
}

EXPORT(jint, Agent_OnLoad, JavaVM *vm, char *options, void *reserved)
{
    (void)reserved;
    java_vm = vm;
    loads++;
    RULE("A3", strcmp(options, "a=b,c") == 0);
    ti = new_env(vm, JVMTI_VERSION_1_2);
    second = new_env(vm, JVMTI_VERSION_1_2);
    third = new_env(vm, JVMTI_VERSION_1_2);
    RULE("B1", ti != second && second != third);
    note_phase();
    RULE("D2", phase_of(ti) == JVMTI_PHASE_ONLOAD);
    check_versions();
    check_table();
    check_capabilities();
    check_memory();
    check_event_management();
    check_properties();
    check_errors();
    check_disposal();
    check_storage();
    check_wrong_phase("C10 (OnLoad)");
    jvmtiEventCallbacks callbacks = {.VMStart = on_start,
                                     .VMInit = on_init,
                                     .VMDeath = on_death,
                                     .ThreadStart = on_thread_start,
                                     .ClassPrepare = on_prepare};
    MUST((*ti)->SetEventCallbacks(ti, &callbacks, sizeof callbacks));
    enable(ti, JVMTI_EVENT_VM_START);
    enable(ti, JVMTI_EVENT_VM_INIT);
    enable(ti, JVMTI_EVENT_VM_DEATH);
    enable(ti, JVMTI_EVENT_THREAD_START);
    callbacks = (jvmtiEventCallbacks){.VMInit = on_second_init};
    MUST((*second)->SetEventCallbacks(second, &callbacks, sizeof callbacks));
    enable(second, JVMTI_EVENT_VM_INIT);
    return 0;
}
