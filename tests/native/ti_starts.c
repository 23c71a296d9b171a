// SPDX-License-Identifier: Apache-2.0
// An agent that tells which of its functions is called and with which options, and that fails when
// they begin with "fail". With "events" it counts the events that come; with "bare" it makes no environment.
#include <stdbool.h>

#include "ti_common.h"

static jvmtiEnv *ti;
static int events;

// The options with every byte that is not plain ASCII in hexadecimal.
static const char *shown(const char *options)
{
    char *out = ring(), *p = out;
    if (!options)
        return "NULL";
    for (; *options && p < out + 500; options++)
        p += sprintf(p, (unsigned char)*options < 0x80 ? "%c" : "<%02x>",
                     (unsigned char)*options);
    *p = 0;
    return out;
}

static void JNICALL on_event(jvmtiEnv *env, JNIEnv *jni)
{
    (void)env, (void)jni;
    events++;
}

static void JNICALL on_init(jvmtiEnv *env, JNIEnv *jni, jthread thread)
{
    (void)env, (void)jni, (void)thread;
    events++;
}

static void listen(void)
{
    jvmtiEventCallbacks callbacks = {
        .VMStart = on_event, .VMInit = on_init, .VMDeath = on_event};
    MUST((*ti)->SetEventCallbacks(ti, &callbacks, sizeof callbacks));
    enable(ti, JVMTI_EVENT_VM_START);
    enable(ti, JVMTI_EVENT_VM_INIT);
    enable(ti, JVMTI_EVENT_VM_DEATH);
}

// Without a VM no environment is made.
static jint start(const char *function, JavaVM *vm, const char *options)
{
    say("%s [%s]", function, shown(options));
    if (!options)
        options = "";
    if (vm && !strstr(options, "bare"))
        ti = new_env(vm, JVMTI_VERSION_1_2);
    if (strstr(options, "events"))
        listen();
    return strncmp(options, "fail", 4) == 0 ? JNI_ERR : JNI_OK;
}

EXPORT(jint, Agent_OnLoad, JavaVM *vm, char *options, void *reserved)
{
    (void)reserved;
    return start("Agent_OnLoad", vm, options);
}

// None are "" to a JVMPI agent here (docs/JVMPI.md) and NULL on HotSpot: printed alike.
EXPORT(jint, JVM_OnLoad, JavaVM *vm, char *options, void *reserved)
{
    (void)vm, (void)reserved;
    return start("JVM_OnLoad", NULL, options ? options : "");
}

EXPORT(jint, Agent_OnAttach, JavaVM *vm, char *options, void *reserved)
{
    jvmtiPhase phase;
    JNIEnv *jni;
    (void)reserved;
    jint rc = start("Agent_OnAttach", vm, options);
    MUST((*ti)->GetPhase(ti, &phase));
    say("phase %d, attached %d", (int)phase,
        (*vm)->GetEnv(vm, (void **)&jni, JNI_VERSION_1_6) == JNI_OK);
    return rc;
}

EXPORT(void, Agent_OnUnload, JavaVM *vm)
{
    jvmtiPhase phase = 0;
    (void)vm;
    if (ti)
        MUST((*ti)->GetPhase(ti, &phase));
    say("Agent_OnUnload: phase %d, %d events", (int)phase, events);
}
