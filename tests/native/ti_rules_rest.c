// SPDX-License-Identifier: Apache-2.0
// Rules of native method prefixes, disposed environments, exhausted resources, dump requests.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "ti_rules.h"

static JavaVM *java_vm;
static jvmtiEnv *ti, *second;
static volatile int dumps, exhausted;
static jint exhausted_flags;
static char exhausted_text[128];

static jint JNICALL registered(JNIEnv *jni, jclass c)
{
    (void)jni, (void)c;
    return 2;
}

EXPORT(jint, Java_RulesRest_linked, JNIEnv *jni, jclass c)
{
    (void)jni, (void)c;
    return 1;
}

EXPORT(jint, Java_RulesRest_later, JNIEnv *jni, jclass c)
{
    (void)jni, (void)c;
    return 3;
}

// Binds `registered`, of which the class only has a wrapped_registered.
EXPORT(jint, Java_RulesRest_register, JNIEnv *jni, jclass c)
{
    JNINativeMethod method = {(char *)"registered", (char *)"()I", (void *)registered};
    jint result = (*jni)->RegisterNatives(jni, c, &method, 1);
    (*jni)->ExceptionClear(jni);
    return result;
}

EXPORT(void, Java_RulesRest_dispose, JNIEnv *jni, jclass c)
{
    (void)jni, (void)c;
    MUST((*second)->DisposeEnvironment(second));
}

EXPORT(jint, Java_RulesRest_suspendBySecond, JNIEnv *jni, jclass c, jthread t)
{
    jvmtiCapabilities caps = {.can_suspend = 1};
    (void)jni, (void)c;
    MUST((*second)->AddCapabilities(second, &caps));
    return (jint)(*second)->SuspendThread(second, t);
}

EXPORT(jint, Java_RulesRest_resume, JNIEnv *jni, jclass c, jthread t)
{
    jvmtiCapabilities caps = {.can_suspend = 1};
    jint state;
    (void)jni, (void)c;
    MUST((*ti)->GetThreadState(ti, t, &state));
    RULE("B6", (state & JVMTI_THREAD_STATE_SUSPENDED) != 0);
    MUST((*ti)->AddCapabilities(ti, &caps));
    return (jint)(*ti)->ResumeThread(ti, t);
}

// The dump itself goes nowhere; it is complete when the event comes.
EXPORT(void, Java_RulesRest_dump, JNIEnv *jni, jclass c)
{
    (void)jni, (void)c;
    fflush(stdout);
    int kept = dup(1), null = open("/dev/null", O_WRONLY);
    dup2(null, 1);
    kill(getpid(), SIGQUIT);
    for (int i = 0; i < 2000 && !dumps; i++)
        usleep(5000);
    dup2(kept, 1);
    close(kept);
    close(null);
    RULE("DataDumpRequest", dumps == 1);
}

EXPORT(void, Java_RulesRest_outOfMemory, JNIEnv *jni, jclass c)
{
    (void)jni, (void)c;
    if (exhausted > 0 && exhausted_flags == 3 && strcmp(exhausted_text, "Java heap space") == 0)
        say("Q6 ok");
    else
        say("Q6 FAILS: %d, flags %d, %s", exhausted, exhausted_flags, exhausted_text);
}

static void JNICALL on_exhausted(jvmtiEnv *env, JNIEnv *jni, jint flags, const void *reserved,
                                 const char *description)
{
    (void)env, (void)jni, (void)reserved;
    exhausted_flags = flags;
    snprintf(exhausted_text, sizeof exhausted_text, "%s", description);
    exhausted++;
}

static void JNICALL on_dump(jvmtiEnv *env)
{
    (void)env;
    dumps++;
}

EXPORT(jint, Agent_OnLoad, JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    java_vm = vm;
    ti = new_env(vm, JVMTI_VERSION_11);
    second = new_env(vm, JVMTI_VERSION_11);
    jvmtiCapabilities caps = {.can_generate_resource_exhaustion_heap_events = 1},
                      prefix = {.can_set_native_method_prefix = 1};
    MUST((*ti)->AddCapabilities(ti, &caps));
    MUST((*second)->AddCapabilities(second, &prefix));
    MUST((*second)->SetNativeMethodPrefix(second, "wrapped_"));
    jvmtiEventCallbacks callbacks = {.ResourceExhausted = on_exhausted,
                                     .DataDumpRequest = on_dump};
    MUST((*ti)->SetEventCallbacks(ti, &callbacks, sizeof callbacks));
    enable(ti, JVMTI_EVENT_RESOURCE_EXHAUSTED);
    enable(ti, JVMTI_EVENT_DATA_DUMP_REQUEST);
    return 0;
}
