// SPDX-License-Identifier: Apache-2.0
// For the random programs (fuzz/jit), by the option `switching`: has all calls posted, and switches them off and on in the midst.
// For tests/agents/Calls.java: folds the events of calls of the test's methods into a hash, in order, with results, and does in the midst of
// them what an agent may do. Two environments.
#include <stdint.h>

#include "ti_common.h"

static jvmtiEnv *first, *second;
static _Thread_local int recording; // events of the thread count
static uint64_t hash;
static long entries, exits;
static int printing;
enum { METHODS = 500, MOST_PRINTED = 200 };
static struct {
    jmethodID id;
    char name[100];
    char result;
    int ours;
} methods[METHODS];
static int method_count;

// What is done when so many entries or exits were seen; 0: nothing.
enum { NOTHING, THROW, FORCE, BREAK, LOCAL, DISABLE };
static int switching;
static int deed, at_exit;
static long countdown;

static int method_of(jvmtiEnv *env, JNIEnv *jni, jmethodID m)
{
    for (int i = 0; i < method_count; i++)
        if (methods[i].id == m)
            return i;
    if (method_count == METHODS)
        exit(9);
    const char *name = method_name(env, jni, m);
    int i = method_count++;
    methods[i].id = m;
    const char *hidden = strstr(name, "$$Lambda"), *end = hidden ? strchr(name, ';') : name;
    snprintf(methods[i].name, sizeof methods[i].name, "%.*s%s",
             hidden ? (int)(hidden - name) : 0, name, end); // numbers of hidden classes differ
    methods[i].result = strchr(name, ')')[1];
    methods[i].ours =
        strncmp(name, "LCalls", 6) == 0 || strncmp(name, "Ljava/lang/Object;.<init>", 25) == 0;
    return i;
}

static void fold(uint64_t x)
{
    hash = (hash ^ x) * 1099511628211u;
}

static void fold_text(const char *s)
{
    for (; *s; s++)
        fold((unsigned char)*s);
}

// The last of an event: it may be that no more are recorded.
static void act(jvmtiEnv *env, JNIEnv *jni, jthread t, jmethodID m, char result)
{
    int what = deed;
    deed = NOTHING;
    jint value;
    switch (what) {
    case THROW:
        recording = recording && !at_exit; // HotSpot posts the exit again then
        (*jni)->ThrowNew(jni, (*jni)->FindClass(jni, "java/lang/IllegalStateException"),
                         "by the agent");
        break;
    case FORCE:
        if (result == 'I')
            MUST((*env)->ForceEarlyReturnInt(env, t, 4242));
        else
            deed = what; // at the next that fits
        break;
    case BREAK: MUST((*env)->SetBreakpoint(env, m, 0)); break;
    case LOCAL:
        if (result != 'I' || (*env)->GetLocalInt(env, t, 0, 0, &value) != JVMTI_ERROR_NONE) {
            deed = what;
            break;
        }
        fold((uint64_t)value);
        if (!at_exit)
            MUST((*env)->SetLocalInt(env, t, 0, 0, value + 1));
        break;
    case DISABLE:
        disable(first, JVMTI_EVENT_METHOD_ENTRY);
        disable(first, JVMTI_EVENT_METHOD_EXIT);
        break;
    default: break;
    }
}

static void tell(jvmtiEnv *env, int i, int way, const char *more, long value)
{
    if (printing && entries + exits < MOST_PRINTED)
        say("  %s%s %s%s %ld", env == second ? "second: " : "", way == 0 ? "to" : "from",
            methods[i].name, more, value);
}

static void mode(jvmtiEnv *env, int on, jthread t, int events);

// Of each 5,000 events the last 100 are not of entries; at one both are off for a moment.
static void switch_entries(void)
{
    static _Atomic unsigned seen;
    unsigned n = ++seen % 5000;
    if (n == 2500) {
        mode(first, 0, NULL, 3);
        mode(first, 1, NULL, 3);
    } else if (n == 4900)
        disable(first, JVMTI_EVENT_METHOD_ENTRY);
    else if (n == 0)
        enable(first, JVMTI_EVENT_METHOD_ENTRY);
}

// The index of a method whose event is recorded, else -1.
static int recorded(jvmtiEnv *env, JNIEnv *jni, jmethodID m)
{
    if (switching)
        switch_entries();
    if (!recording)
        return -1;
    int i = method_of(env, jni, m);
    return methods[i].ours ? i : -1;
}

static void JNICALL on_entry(jvmtiEnv *env, JNIEnv *jni, jthread t, jmethodID m)
{
    int i = recorded(env, jni, m);
    if (i < 0)
        return;
    tell(env, i, 0, "", 0);
    entries++;
    fold(env == second ? 3 : 1);
    fold_text(methods[i].name);
    if (deed && env == first && !at_exit && --countdown <= 0)
        act(env, jni, t, m, methods[i].result);
}

static void JNICALL on_exit_of(jvmtiEnv *env, JNIEnv *jni, jthread t, jmethodID m,
                               jboolean thrown, jvalue v)
{
    int i = recorded(env, jni, m);
    if (i < 0)
        return;
    uint64_t value = 0;
    switch (thrown ? 'V' : methods[i].result) {
    case 'Z': value = v.z; break;
    case 'B': value = (uint64_t)v.b; break;
    case 'C': value = v.c; break;
    case 'S': value = (uint64_t)v.s; break;
    case 'I': value = (uint64_t)(int64_t)v.i; break;
    case 'F': value = (uint64_t)(v.f * 16); break;
    case 'D': value = (uint64_t)(v.d * 16); break;
    case 'J': value = (uint64_t)v.j; break;
    case 'L':
    case '[': value = v.l != NULL; break;
    default: break;
    }
    tell(env, i, 1, thrown ? " by an exception" : "", (long)value);
    exits++;
    fold(env == second ? 4 : 2);
    fold_text(methods[i].name);
    fold(value);
    fold(thrown);
    if (deed && env == first && at_exit && --countdown <= 0)
        act(env, jni, t, m, methods[i].result);
}

static void JNICALL on_breakpoint(jvmtiEnv *env, JNIEnv *jni, jthread t, jmethodID m,
                                  jlocation at)
{
    (void)t;
    say("  breakpoint in %s at %d", method_name(env, jni, m), (int)at);
    MUST((*env)->ClearBreakpoint(env, m, at));
}

static void mode(jvmtiEnv *env, int on, jthread t, int events)
{
    jvmtiEventMode m = on ? JVMTI_ENABLE : JVMTI_DISABLE;
    if (events & 1)
        MUST((*env)->SetEventNotificationMode(env, m, JVMTI_EVENT_METHOD_ENTRY, t));
    if (events & 2)
        MUST((*env)->SetEventNotificationMode(env, m, JVMTI_EVENT_METHOD_EXIT, t));
}

// events: 1 entries, 2 exits
EXPORT(void, Java_Calls_enable, JNIEnv *jni, jclass c, jboolean on, jint which, jint events,
       jthread t)
{
    (void)jni, (void)c;
    mode(which == 1 ? first : second, on, t, events);
}

EXPORT(jint, Java_Calls_increment, JNIEnv *jni, jclass c, jint n)
{
    (void)jni, (void)c;
    return n + 1;
}

EXPORT(void, Java_Calls_record, JNIEnv *jni, jclass c, jboolean on, jboolean print)
{
    (void)jni, (void)c;
    printing = print;
    recording = on;
    hash = 14695981039346656037u;
    entries = exits = 0;
}

EXPORT(void, Java_Calls_plan, JNIEnv *jni, jclass c, jint what, jboolean exit, jlong count)
{
    (void)jni, (void)c;
    deed = what;
    at_exit = exit;
    countdown = count;
}

EXPORT(void, Java_Calls_report, JNIEnv *jni, jclass c, jstring name)
{
    (void)c;
    recording = 0;
    const char *text = (*jni)->GetStringUTFChars(jni, name, NULL);
    say("%s: %ld entries, %ld exits, %016llx", text, entries, exits, (unsigned long long)hash);
    (*jni)->ReleaseStringUTFChars(jni, name, text);
}

static jvmtiEnv *environment(JavaVM *vm)
{
    jvmtiEnv *env = new_env(vm, JVMTI_VERSION_11);
    jvmtiCapabilities wanted = {.can_generate_method_entry_events = 1,
                                .can_generate_method_exit_events = 1,
                                .can_generate_breakpoint_events = env != NULL && !first,
                                .can_access_local_variables = 1,
                                .can_force_early_return = !first};
    jvmtiEventCallbacks callbacks = {
        .MethodEntry = on_entry, .MethodExit = on_exit_of, .Breakpoint = on_breakpoint};
    MUST((*env)->AddCapabilities(env, &wanted));
    MUST((*env)->SetEventCallbacks(env, &callbacks, sizeof callbacks));
    return env;
}

EXPORT(jint, Agent_OnLoad, JavaVM *vm, char *options, void *reserved)
{
    (void)reserved;
    first = environment(vm);
    second = environment(vm);
    enable(first, JVMTI_EVENT_BREAKPOINT);
    switching = options && strcmp(options, "switching") == 0;
    if (switching)
        mode(first, 1, NULL, 3);
    return JNI_OK;
}
