// SPDX-License-Identifier: Apache-2.0
// For tests/agents/Departures.java: what HotSpot takes and the specification does not, each with the error; where the VM has the
// extension for it, with the error in words.
#include <stdbool.h>

#include "pellucid_jvmti.h"
#include "ti_common.h"

enum { ONE = 5, OTHER = 6 };

static jvmtiEnv *ti;
static PellucidLastError last_error;

static void find_extension(void)
{
    jint n;
    jvmtiExtensionFunctionInfo *all;
    MUST((*ti)->GetExtensionFunctions(ti, &n, &all));
    for (jint i = 0; i < n; i++)
        if (strcmp(all[i].id, PELLUCID_LAST_ERROR) == 0)
            last_error = (PellucidLastError)(void (*)(void))all[i].func;
}

static void tell(const char *what, jvmtiError error, jboolean in_words)
{
    char *text = NULL;
    say("%s: %d", what, (int)error);
    if (error == JVMTI_ERROR_NONE || !in_words || !last_error)
        return;
    MUST(last_error(ti, &text));
    say("  %s", text);
    release(ti, text);
}

static void ask(const char *what, jint tag_count, const jlong *tags, jboolean in_words)
{
    jint count = -1;
    jlong *found = NULL;
    tell(what, (*ti)->GetObjectsWithTags(ti, tag_count, tags, &count, NULL, &found), in_words);
    if (count >= 0)
        say("  %d objects", (int)count);
    release(ti, found);
}

static void tags(jobject one, jobject other, jboolean in_words)
{
    const jlong zero_first[] = {0, ONE}, zero_last[] = {ONE, OTHER, 0},
                twice[] = {ONE, OTHER, ONE}, thrice[] = {OTHER, OTHER, OTHER};
    MUST((*ti)->SetTag(ti, one, ONE));
    MUST((*ti)->SetTag(ti, other, OTHER));
    ask("0 and a tag", 2, zero_first, in_words);
    ask("two tags and 0", 3, zero_last, in_words);
    ask("0 alone", 1, zero_first, in_words);
    ask("one tag twice, another once", 3, twice, in_words);
    ask("one tag three times", 3, thrice, in_words);
    ask("fewer than none", -1, twice, in_words);
    MUST((*ti)->SetTag(ti, one, 0));
    MUST((*ti)->SetTag(ti, other, 0));
}

// Code that is never run: HotSpot's breakpoint damages it. Index 1 lies within sipush.
static void breakpoints(JNIEnv *jni, jclass c, jboolean in_words)
{
    jmethodID m = (*jni)->GetStaticMethodID(jni, c, "neverCalled", "()I");
    tell("clear one that is not set", (*ti)->ClearBreakpoint(ti, m, 1), in_words);
    tell("breakpoint within an instruction", (*ti)->SetBreakpoint(ti, m, 1), in_words);
    tell("again", (*ti)->SetBreakpoint(ti, m, 1), in_words);
    tell("clear it", (*ti)->ClearBreakpoint(ti, m, 1), in_words);
    tell("clear it again", (*ti)->ClearBreakpoint(ti, m, 1), in_words);
    tell("behind the code", (*ti)->SetBreakpoint(ti, m, 1000), in_words);
    tell("where one starts", (*ti)->SetBreakpoint(ti, m, 0), in_words);
    tell("clear that", (*ti)->ClearBreakpoint(ti, m, 0), in_words);
}

static jvmtiError set_mode(int mode, int event)
{
    return (*ti)->SetEventNotificationMode(ti, (jvmtiEventMode)mode, (jvmtiEvent)event, NULL);
}

static void events(jboolean in_words)
{
    static const int reserved[] = {72, 77, 78, 79, 85, 49};
    for (int i = 0; i < 6; i++) {
        say("event %d", reserved[i]);
        tell("  enable", set_mode(JVMTI_ENABLE, reserved[i]), in_words && i == 0);
        tell("  disable", set_mode(JVMTI_DISABLE, reserved[i]), false);
        tell("  mode 5", set_mode(5, reserved[i]), false);
    }
    tell("event 48", set_mode(JVMTI_ENABLE, 48), in_words);
    tell("event 87", set_mode(JVMTI_ENABLE, 87), in_words);
    tell("mode 5", set_mode(5, JVMTI_EVENT_BREAKPOINT), in_words);
    tell("mode -1", set_mode(-1, JVMTI_EVENT_BREAKPOINT), false);
}

EXPORT(void, Java_Departures_all, JNIEnv *jni, jclass c, jobject one, jobject other,
       jboolean in_words)
{
    tags(one, other, in_words);
    breakpoints(jni, c, in_words);
    events(in_words);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    ti = new_env(vm, JVMTI_VERSION_11);
    jvmtiCapabilities want = {.can_tag_objects = 1, .can_generate_breakpoint_events = 1};
    MUST((*ti)->AddCapabilities(ti, &want));
    find_extension();
    return JNI_OK;
}
