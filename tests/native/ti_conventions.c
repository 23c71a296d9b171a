// SPDX-License-Identifier: Apache-2.0
// For tests/agents/Conventions.java: what native profilers rely on beside the specification. The
// function table can be written to and is that of all environments; a pthread key holds what
// Thread.eetop does, whose first word leads to the same functions for all threads and which is
// as far from the JNIEnv in all; C's output from the start is out before the program runs; the
// thread that ends the VM has its ThreadEnd; natives given to a class of the boot loader are
// worth a warning only in a module.
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "ti_common.h"

enum { KEYS = 1024, FUNCTIONS = 6 };

static jvmtiEnv *ti, *other;
static int calls, key = -1;
static ptrdiff_t distance;
static const void *functions[FUNCTIONS];
static jvmtiError(JNICALL *real_GetVersionNumber)(jvmtiEnv *env, jint *version);

static jvmtiError JNICALL hook(jvmtiEnv *env, jint *version)
{
    calls++;
    return real_GetVersionNumber(env, version);
}

static void hook_table(void)
{
    jvmtiInterface_1 *table = (jvmtiInterface_1 *)*ti;
    real_GetVersionNumber = table->GetVersionNumber;
    table->GetVersionNumber = hook;
    jint version;
    MUST((*ti)->GetVersionNumber(ti, &version));
    MUST((*other)->GetVersionNumber(other, &version));
    table->GetVersionNumber = real_GetVersionNumber;
    MUST((*ti)->GetVersionNumber(ti, &version));
    say("hooked calls: %d", calls);
}

static void *eetop_of(JNIEnv *jni, jthread thread)
{
    jfieldID eetop = (*jni)->GetFieldID(jni, (*jni)->GetObjectClass(jni, thread), "eetop", "J");
    return (void *)(intptr_t)(*jni)->GetLongField(jni, thread, eetop);
}

static void JNICALL vm_init(jvmtiEnv *env, JNIEnv *jni, jthread thread)
{
    (void)env;
    void *native = eetop_of(jni, thread);
    for (int i = 0; i < KEYS && key < 0; i++)
        if (pthread_getspecific((pthread_key_t)i) == native)
            key = i;
    distance = (char *)jni - (char *)native;
    memcpy(functions, *(void **)native, sizeof functions);
    say("a key holds eetop: %d, the JNIEnv is behind: %d", key >= 0, distance > 0);
    printf("unflushed\n");
}

EXPORT(void, Java_Conventions_look, JNIEnv *jni, jclass c, jthread thread)
{
    (void)c;
    void *native = eetop_of(jni, thread);
    const void **table = *(const void ***)native;
    say("in the key: %d, as far: %d, same functions: %d",
        pthread_getspecific((pthread_key_t)key) == native,
        (char *)jni - (char *)native == distance,
        table[1] == functions[1] && table[3] == functions[3] && table[5] == functions[5]);
}

static void *outside(void *vm_pointer)
{
    JavaVM *vm = vm_pointer;
    JNIEnv *jni;
    (*vm)->AttachCurrentThread(vm, (void **)&jni, NULL);
    void *inside = pthread_getspecific((pthread_key_t)key);
    (*vm)->DetachCurrentThread(vm);
    say("attached: %d, detached: %d", inside != NULL,
        pthread_getspecific((pthread_key_t)key) != NULL);
    return NULL;
}

EXPORT(void, Java_Conventions_attach, JNIEnv *jni, jclass c)
{
    (void)c;
    JavaVM *vm;
    (*jni)->GetJavaVM(jni, &vm);
    pthread_t thread;
    pthread_create(&thread, NULL, outside, vm);
    pthread_join(thread, NULL);
}

static void nothing(void) {}

static void give_native(JNIEnv *jni, jclass c, const char *name, const char *signature)
{
    JNINativeMethod method = {(char *)name, (char *)signature, (void *)nothing};
    say("register %s: %d", name, (int)(*jni)->RegisterNatives(jni, c, &method, 1));
}

// Of a class that the boot loader has defined from `bytes`, and of one of java.base.
EXPORT(void, Java_Conventions_register, JNIEnv *jni, jclass c, jbyteArray bytes)
{
    (void)c;
    jsize size = (*jni)->GetArrayLength(jni, bytes);
    jbyte *data = (*jni)->GetByteArrayElements(jni, bytes, NULL);
    jclass booted = (*jni)->DefineClass(jni, NULL, NULL, data, size);
    (*jni)->ReleaseByteArrayElements(jni, bytes, data, JNI_ABORT);
    give_native(jni, booted, "booted", "()V");
    give_native(jni, booted, "booted", "()V");
    give_native(jni, (*jni)->FindClass(jni, "java/util/zip/Adler32"), "update", "(II)I");
}

static int parks;
static jint JNICALL see_natives(JNIEnv *jni, jclass c, const JNINativeMethod *methods,
                                jint count)
{
    (void)jni, (void)c;
    for (jint i = 0; i < count; i++)
        parks += strcmp(methods[i].name, "park") == 0 && methods[i].fnPtr;
    return JNI_OK;
}

// Unsafe gives its natives to whoever is in the table of JNI.
EXPORT(void, Java_Conventions_unsafe, JNIEnv *jni, jclass c)
{
    (void)c;
    jniNativeInterface *table, *hooked;
    MUST((*ti)->GetJNIFunctionTable(ti, &table));
    MUST((*ti)->GetJNIFunctionTable(ti, &hooked));
    hooked->RegisterNatives = see_natives;
    jclass unsafe = (*jni)->FindClass(jni, "jdk/internal/misc/Unsafe");
    jmethodID again = (*jni)->GetStaticMethodID(jni, unsafe, "registerNatives", "()V");
    MUST((*ti)->SetJNIFunctionTable(ti, hooked));
    (*jni)->CallStaticVoidMethod(jni, unsafe, again);
    MUST((*ti)->SetJNIFunctionTable(ti, table));
    release(ti, table);
    release(ti, hooked);
    say("park registered: %d", parks);
}

static void JNICALL thread_end(jvmtiEnv *env, JNIEnv *jni, jthread thread)
{
    jvmtiThreadInfo info;
    MUST((*env)->GetThreadInfo(env, thread, &info));
    jint depth = -1;
    MUST((*env)->GetFrameCount(env, thread, &depth));
    say("ThreadEnd %s, %s", info.name, depth ? "in Java" : "ended");
    (*jni)->DeleteLocalRef(jni, info.thread_group);
    release(env, info.name);
}

static void JNICALL vm_death(jvmtiEnv *env, JNIEnv *jni)
{
    (void)env, (void)jni;
    say("VMDeath");
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    ti = new_env(vm, JVMTI_VERSION_11);
    other = new_env(vm, JVMTI_VERSION_11);
    hook_table();
    jvmtiEventCallbacks callbacks = {
        .VMInit = vm_init, .ThreadEnd = thread_end, .VMDeath = vm_death};
    MUST((*ti)->SetEventCallbacks(ti, &callbacks, sizeof callbacks));
    MUST((*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL));
    MUST((*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, JVMTI_EVENT_THREAD_END, NULL));
    MUST((*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, JVMTI_EVENT_VM_DEATH, NULL));
    return JNI_OK;
}
