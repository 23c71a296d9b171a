// SPDX-License-Identifier: Apache-2.0
// For tests/agents/Intrinsics.java: names the methods of some classes that are entered while asked.
#include "ti_common.h"

static jvmtiEnv *ti;
static JNIEnv *watched; // of the thread that asked

static int is_of_interest(const char *name)
{
    static const char *const classes[] = {"Ljava/lang/Math;",      "Ljava/lang/StrictMath;",
                                          "Ljava/lang/FdLibm",     "Ljava/lang/Float;",
                                          "Ljava/lang/Double;",    "Ljava/lang/ref/Reference;",
                                          "Ljava/util/zip/CRC32;", "Ljava/util/zip/CRC32C;"};
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (strncmp(name, classes[i], strlen(classes[i])) == 0)
            return 1;
    return 0;
}

static void JNICALL method_entry(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID m)
{
    (void)env, (void)thread;
    if (jni != watched)
        return;
    const char *name = method_name(ti, jni, m);
    if (is_of_interest(name))
        say("  enters %s", name);
}

EXPORT(void, Java_Intrinsics_watch, JNIEnv *jni, jclass c, jboolean on)
{
    (void)c;
    watched = jni;
    jvmtiEventMode mode = on ? JVMTI_ENABLE : JVMTI_DISABLE;
    MUST((*ti)->SetEventNotificationMode(ti, mode, JVMTI_EVENT_METHOD_ENTRY, NULL));
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    ti = new_env(vm, JVMTI_VERSION_11);
    jvmtiCapabilities want = {.can_generate_method_entry_events = 1};
    MUST((*ti)->AddCapabilities(ti, &want));
    jvmtiEventCallbacks callbacks = {.MethodEntry = method_entry};
    MUST((*ti)->SetEventCallbacks(ti, &callbacks, sizeof callbacks));
    return JNI_OK;
}
