// SPDX-License-Identifier: Apache-2.0
// For tests/agents/EventThrows.java and EventThrowsStart.java: callbacks that leave an exception, of ClassLoad, ClassPrepare and
// NativeMethodBind for what has "Victim" in its name, of ThreadStart for the thread of that name, and of VMStart with the option
// `start`.
#include <pthread.h>
#include <stdbool.h>

#include "ti_common.h"

static jvmtiEnv *ti;
static jclass to_throw;
static jint throwing; // the event that does
static bool at_start; // VMStart does

static void fail(JNIEnv *jni, jvmtiEvent event, const char *what)
{
    if ((jint)event != throwing || !strstr(what, "Victim"))
        return;
    say("    %s", what);
    (*jni)->ThrowNew(jni, to_throw, "from the callback");
}

static void JNICALL load(jvmtiEnv *env, JNIEnv *jni, jthread thread, jclass c)
{
    (void)thread;
    fail(jni, JVMTI_EVENT_CLASS_LOAD, class_name(env, c));
}

static void JNICALL prepare(jvmtiEnv *env, JNIEnv *jni, jthread thread, jclass c)
{
    (void)thread;
    fail(jni, JVMTI_EVENT_CLASS_PREPARE, class_name(env, c));
}

static void JNICALL bind(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method,
                         void *address, void **new_address)
{
    (void)thread, (void)address, (void)new_address;
    if (throwing == JVMTI_EVENT_NATIVE_METHOD_BIND)
        fail(jni, JVMTI_EVENT_NATIVE_METHOD_BIND, method_name(env, jni, method));
}

static void JNICALL start(jvmtiEnv *env, JNIEnv *jni, jthread thread)
{
    if (throwing == JVMTI_EVENT_THREAD_START)
        fail(jni, JVMTI_EVENT_THREAD_START, thread_name(env, jni, thread));
}

EXPORT(void, Java_EventThrows_expect, JNIEnv *jni, jclass c, jint event, jclass thrown)
{
    (void)c;
    to_throw = (*jni)->NewGlobalRef(jni, thrown);
    throwing = event;
}

EXPORT(jclass, Java_EventThrows_find, JNIEnv *jni, jclass c, jstring name)
{
    (void)c;
    return (*jni)->FindClass(jni, (*jni)->GetStringUTFChars(jni, name, NULL));
}

EXPORT(jint, Java_EventThrows_nativeVictim, JNIEnv *jni, jclass c)
{
    (void)c;
    say("    runs%s", (*jni)->ExceptionCheck(jni) ? ", pending" : "");
    return 5;
}

static void *attached(void *vm)
{
    JNIEnv *jni;
    JavaVMAttachArgs args = {JNI_VERSION_10, (char[]){"VictimAttached"}, NULL};
    jint error = (*(JavaVM *)vm)->AttachCurrentThread(vm, (void **)&jni, &args);
    say("    attached %d%s", error, (*jni)->ExceptionCheck(jni) ? ", pending" : "");
    (*jni)->ExceptionClear(jni);
    (*(JavaVM *)vm)->DetachCurrentThread(vm);
    return NULL;
}

EXPORT(void, Java_EventThrows_attach, JNIEnv *jni, jclass c)
{
    (void)c;
    JavaVM *vm;
    pthread_t thread;
    (*jni)->GetJavaVM(jni, &vm);
    pthread_create(&thread, NULL, attached, vm);
    pthread_join(thread, NULL);
}

static void JNICALL vm_start(jvmtiEnv *env, JNIEnv *jni)
{
    (void)env;
    if (at_start)
        (*jni)->ThrowNew(jni, (*jni)->FindClass(jni, "java/lang/IllegalStateException"),
                         "from VMStart");
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)reserved;
    at_start = options && strcmp(options, "start") == 0;
    ti = new_env(vm, JVMTI_VERSION_11);
    jvmtiCapabilities want = {.can_generate_native_method_bind_events = 1};
    MUST((*ti)->AddCapabilities(ti, &want));
    jvmtiEventCallbacks callbacks = {.ClassLoad = load,
                                     .ClassPrepare = prepare,
                                     .NativeMethodBind = bind,
                                     .ThreadStart = start,
                                     .VMStart = vm_start};
    MUST((*ti)->SetEventCallbacks(ti, &callbacks, sizeof callbacks));
    enable(ti, JVMTI_EVENT_CLASS_LOAD);
    enable(ti, JVMTI_EVENT_CLASS_PREPARE);
    enable(ti, JVMTI_EVENT_NATIVE_METHOD_BIND);
    enable(ti, JVMTI_EVENT_THREAD_START);
    enable(ti, JVMTI_EVENT_VM_START);
    return JNI_OK;
}
