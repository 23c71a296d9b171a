// SPDX-License-Identifier: Apache-2.0
// For tests/agents/Check.java and CheckJni.java: breaks each rule of -Xcheck:jvmti
// (spec/jvmti_check_rules.def) once. Reports go to stdout, to be compared.
#include <pthread.h>
#include <stdbool.h>
#include <unistd.h>

#include "ti_common.h"

static JavaVM *java_vm;
static jvmtiEnv *env, *poor; // poor: without capabilities
static jrawMonitorID monitor;
static jrawMonitorID across; // entered in Agent_OnLoad and exited in VMInit, which is right
static jobject kept;         // a local reference of a callback that has returned
static jarray array;         // of a critical section that a callback left open
static void *elements;
static bool use_jni; // in the callback of a collection
static void *forgotten[20];

// ---- callbacks ----

static void JNICALL on_start(jvmtiEnv *e, JNIEnv *jni, jthread thread)
{
    (void)jni;
    char *name = NULL;
    jvmtiThreadInfo info;
    if ((*e)->GetThreadInfo(e, thread, &info) == JVMTI_ERROR_NONE) {
        name = info.name;
        if (strcmp(name, "keeps") == 0)
            kept = thread;
        else if (strcmp(name, "enters") == 0)
            (*e)->RawMonitorEnter(e, monitor);
        else if (strcmp(name, "throws") == 0)
            (*jni)->FindClass(jni, "no/such/Class");
        else if (strcmp(name, "pushes") == 0)
            (*jni)->PushLocalFrame(jni, 4);
        else if (strcmp(name, "critical") == 0)
            elements = (*jni)->GetPrimitiveArrayCritical(
                jni, array = (*jni)->NewGlobalRef(jni, (*jni)->NewIntArray(jni, 1)), NULL);
        release(e, name);
    }
}

static void JNICALL on_init(jvmtiEnv *e, JNIEnv *jni, jthread thread)
{
    (void)jni, (void)thread;
    MUST((*e)->RawMonitorExit(e, across));
    MUST((*e)->DestroyRawMonitor(e, across));
}

static void JNICALL on_end(jvmtiEnv *e, JNIEnv *jni, jthread thread)
{
    (void)e, (void)thread;
    if (elements)
        (*jni)->ReleasePrimitiveArrayCritical(jni, array, elements, 0);
    elements = NULL;
}

static void JNICALL on_collection(jvmtiEnv *e)
{
    JNIEnv *jni;
    jint count;
    jthread *threads;
    if (use_jni && (*java_vm)->GetEnv(java_vm, (void **)&jni, JNI_VERSION_10) == JNI_OK)
        (*jni)->FindClass(jni, "java/lang/String");
    (*e)->GetAllThreads(e, &count, &threads);
}

static jint JNICALL on_object(jlong class_tag, jlong size, jlong *tag, jint length, void *data)
{
    (void)class_tag, (void)size, (void)tag, (void)length, (void)data;
    (*env)->ForceGarbageCollection(env);
    return JVMTI_VISIT_ABORT;
}

static void set_callbacks(jvmtiEnv *e)
{
    jvmtiEventCallbacks callbacks = {.VMInit = on_init,
                                     .ThreadStart = on_start,
                                     .ThreadEnd = on_end,
                                     .GarbageCollectionFinish = on_collection};
    MUST((*e)->SetEventCallbacks(e, &callbacks, sizeof callbacks));
}

// ---- what is wrong ----

EXPORT(void, Java_Check_calls, JNIEnv *jni, jclass cls)
{
    jlong tag;
    jvmtiEnv *gone = new_env(java_vm, JVMTI_VERSION), copy = *env;
    (void)jni;
    (*env)->SetSystemProperty(env, "a", "b");
    (*poor)->GetTag(poor, cls, &tag);
    (*poor)->SetEventNotificationMode(poor, JVMTI_ENABLE, JVMTI_EVENT_BREAKPOINT, NULL);
    (*gone)->DisposeEnvironment(gone);
    (*gone)->GetTag(gone, cls, &tag);
    copy->GetTag(&copy, cls, &tag);
}

static void *unattached(void *unused)
{
    jint count;
    jthread *threads;
    (*env)->GetAllThreads(env, &count, &threads);
    return unused;
}
EXPORT(void, Java_Check_threads, JNIEnv *jni, jclass cls)
{
    (void)jni, (void)cls;
    pthread_t thread;
    pthread_create(&thread, NULL, unattached, NULL);
    pthread_join(thread, NULL);
}

EXPORT(void, Java_Check_heap, JNIEnv *jni, jclass cls)
{
    (void)jni, (void)cls;
    jvmtiHeapCallbacks callbacks = {.heap_iteration_callback = on_object};
    MUST((*env)->IterateThroughHeap(env, 0, NULL, &callbacks, NULL));
    enable(env, JVMTI_EVENT_GARBAGE_COLLECTION_FINISH);
    MUST((*env)->ForceGarbageCollection(env));
    disable(env, JVMTI_EVENT_GARBAGE_COLLECTION_FINISH);
}

EXPORT(void, Java_Check_collectWithJni, JNIEnv *jni, jclass cls)
{
    use_jni = true;
    Java_Check_heap(jni, cls);
}

EXPORT(void, Java_Check_references, JNIEnv *jni, jclass cls)
{
    jint number;
    jobject local = (*jni)->NewLocalRef(jni, cls), global = (*jni)->NewGlobalRef(jni, cls);
    (*jni)->DeleteLocalRef(jni, local);
    (*jni)->DeleteGlobalRef(jni, global);
    (*env)->GetObjectHashCode(env, local, &number);
    (*env)->GetClassModifiers(env, global, &number);
    (*env)->GetMethodModifiers(env, (jmethodID)(void *)&number, &number);
    (*env)->GetFieldModifiers(env, cls, (jfieldID)(void *)&number, &number);
}

EXPORT(void, Java_Check_keptThread, JNIEnv *jni, jclass cls)
{
    (void)jni, (void)cls;
    jint state;
    (*env)->GetThreadState(env, kept, &state);
}

EXPORT(void, Java_Check_memory, JNIEnv *jni, jclass cls)
{
    (void)jni, (void)cls;
    unsigned char *memory, *other = malloc(100);
    char *name;
    MUST((*env)->Allocate(env, 100, &memory));
    (*env)->Deallocate(env, memory);
    (*env)->Deallocate(env, memory);
    memory[50] = 1;
    (*env)->Deallocate(env, other);
    free(other);
    MUST((*env)->GetErrorName(env, JVMTI_ERROR_NONE, &name));
    free(name);
    MUST((*env)->GetErrorName(env, JVMTI_ERROR_NONE, &name));
    free(realloc(name, 200));
}

// Gives a class file back: memory that is not the interface's, or its own but of an environment
// that is gone by then, which is no fault.
static void JNICALL class_file_load(jvmtiEnv *hooking, JNIEnv *jni, jclass redefined,
                                    jobject loader, const char *name, jobject domain, jint len,
                                    const unsigned char *bytes, jint *new_len,
                                    unsigned char **new_bytes)
{
    (void)jni, (void)redefined, (void)loader, (void)domain;
    if (!name || strncmp(name, "Check$Hooked", 12) != 0)
        return;
    bool is_last = strcmp(name, "Check$Hooked2") == 0;
    if (is_last)
        MUST((*hooking)->Allocate(hooking, len, new_bytes));
    else
        *new_bytes = malloc((size_t)len);
    memcpy(*new_bytes, bytes, (size_t)len);
    *new_len = len;
    if (is_last)
        MUST((*hooking)->DisposeEnvironment(hooking));
}

EXPORT(void, Java_Check_hook, JNIEnv *jni, jclass cls)
{
    (void)cls;
    JavaVM *vm;
    (*jni)->GetJavaVM(jni, &vm);
    jvmtiEnv *hooking = new_env(vm, JVMTI_VERSION_11);
    jvmtiEventCallbacks callbacks = {.ClassFileLoadHook = class_file_load};
    MUST((*hooking)->SetEventCallbacks(hooking, &callbacks, sizeof callbacks));
    enable(hooking, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK);
}

EXPORT(jlong, Java_Check_leak, JNIEnv *jni, jclass cls)
{
    (void)jni, (void)cls;
    for (int i = 0; i < 20; i++)
        MUST((*env)->Allocate(env, 1000 + i, (unsigned char **)&forgotten[i]));
    // The words of the stack that the last one has passed through have this one's address then.
    unsigned char *other;
    MUST((*env)->Allocate(env, 100, &other));
    MUST((*env)->Deallocate(env, other));
    return (jlong)(intptr_t)forgotten[1];
}
EXPORT(void, Java_Check_forget, JNIEnv *jni, jclass cls)
{
    (void)jni, (void)cls;
    // One is kept here, one by Java code.
    memset(forgotten + 1, 0, sizeof forgotten - sizeof *forgotten);
}

static volatile bool owned, done;

// Enters the monitor until `done`.
EXPORT(void, Java_Check_own, JNIEnv *jni, jclass cls)
{
    (void)jni, (void)cls;
    MUST((*env)->RawMonitorEnter(env, monitor));
    owned = true;
    while (!done)
        usleep(1000);
    MUST((*env)->RawMonitorExit(env, monitor));
}

EXPORT(void, Java_Check_monitors, JNIEnv *jni, jclass cls)
{
    (void)jni, (void)cls;
    jrawMonitorID gone;
    while (!owned)
        usleep(1000);
    MUST((*env)->CreateRawMonitor(env, "gone", &gone));
    MUST((*env)->DestroyRawMonitor(env, gone));
    (*env)->RawMonitorEnter(env, gone);
    (*env)->RawMonitorExit(env, monitor);
    (*env)->DestroyRawMonitor(env, monitor);
    done = true;
}

EXPORT(void, Java_Check_startEvents, JNIEnv *jni, jclass cls, jboolean on)
{
    (void)jni, (void)cls;
    MUST((*env)->SetEventNotificationMode(env, on ? JVMTI_ENABLE : JVMTI_DISABLE,
                                          JVMTI_EVENT_THREAD_START, NULL));
    MUST((*env)->SetEventNotificationMode(env, on ? JVMTI_ENABLE : JVMTI_DISABLE,
                                          JVMTI_EVENT_THREAD_END, NULL));
}

EXPORT(void, Java_Check_tables, JNIEnv *jni, jclass cls)
{
    (void)jni, (void)cls;
    jvmtiEventCallbacks callbacks = {.VMInit = on_start,
                                     .VMDeath = (jvmtiEventVMDeath)(void *)forgotten};
    MUST((*poor)->SetEventCallbacks(poor, &callbacks, sizeof &callbacks));
    MUST((*poor)->SetEventCallbacks(poor, &callbacks, sizeof callbacks));
}

EXPORT(jint, Agent_OnLoad, JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    jvmtiCapabilities capabilities;
    dup2(STDOUT_FILENO, STDERR_FILENO);
    java_vm = vm;
    env = new_env(vm, JVMTI_VERSION);
    poor = new_env(vm, JVMTI_VERSION);
    MUST((*env)->GetPotentialCapabilities(env, &capabilities));
    MUST((*env)->AddCapabilities(env, &capabilities));
    MUST((*env)->CreateRawMonitor(env, "checked", &monitor));
    MUST((*env)->CreateRawMonitor(env, "across", &across));
    MUST((*env)->RawMonitorEnter(env, across));
    set_callbacks(env);
    MUST((*env)->SetEventNotificationMode(env, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL));
    return JNI_OK;
}

EXPORT(void, Agent_OnUnload, JavaVM *vm)
{
    (void)vm;
    jint count;
    (*env)->GetTopThreadGroups(env, &count, NULL); // in the dead phase
}
