// SPDX-License-Identifier: Apache-2.0
// For tests/agents/SoleReceiver.java: one environment that receives the events of calls, and what its callbacks do.
#include "ti_common.h"

enum { NOTHING, COLLECT, REFERENCES, RUN_JAVA, FALL_SILENT };
enum { MANY = 3000 };

static jvmtiEnv *ti;
static int deed;
static jmethodID give, add, called;
static jobject expected;
static struct {
    long entries, exits, same, nulls, others, sum, deeds, strangers, not_local;
} seen;

static void JNICALL on_entry(jvmtiEnv *env, JNIEnv *jni, jthread t, jmethodID m);
static void JNICALL on_exit_of(jvmtiEnv *env, JNIEnv *jni, jthread t, jmethodID m,
                               jboolean thrown, jvalue v);

static void listen(int on)
{
    jvmtiEventCallbacks callbacks = {.MethodEntry = on ? on_entry : NULL,
                                     .MethodExit = on ? on_exit_of : NULL};
    MUST((*ti)->SetEventCallbacks(ti, &callbacks, sizeof callbacks));
}

static void act(JNIEnv *jni)
{
    seen.deeds++;
    switch (deed) {
    case COLLECT: MUST((*ti)->ForceGarbageCollection(ti)); break;
    case REFERENCES: // more than a part of the stack of local references has room for
        for (int i = 0; i < MANY; i++)
            (*jni)->NewLocalRef(jni, expected);
        break;
    case RUN_JAVA: {
        jclass c = (*jni)->GetObjectClass(jni, expected);
        (*jni)->CallStaticIntMethod(jni, c, called, 7);
        break;
    }
    case FALL_SILENT: listen(0); break;
    default: break;
    }
}

// The thread is named by a local reference to the current one, and stands in the method.
static void check(JNIEnv *jni, jthread t, jmethodID m)
{
    jthread current;
    jmethodID top;
    jlocation at;
    MUST((*ti)->GetCurrentThread(ti, &current));
    seen.strangers += !(*jni)->IsSameObject(jni, current, t);
    seen.not_local += (*jni)->GetObjectRefType(jni, t) != JNILocalRefType;
    MUST((*ti)->GetFrameLocation(ti, NULL, 0, &top, &at));
    seen.strangers += top != m;
}

static void JNICALL on_entry(jvmtiEnv *env, JNIEnv *jni, jthread t, jmethodID m)
{
    (void)env;
    if (m != give && m != add)
        return;
    check(jni, t, m);
    if (++seen.entries % 1500 == 0)
        act(jni);
}

static void JNICALL on_exit_of(jvmtiEnv *env, JNIEnv *jni, jthread t, jmethodID m,
                               jboolean thrown, jvalue v)
{
    (void)env, (void)thrown;
    if (m != give && m != add)
        return;
    check(jni, t, m);
    int acts = ++seen.exits % 1700 == 0;
    if (acts)
        act(jni);
    if (m == add)
        seen.sum += v.i;
    else if (!v.l)
        seen.nulls++;
    else if ((*jni)->IsSameObject(jni, v.l, expected))
        seen.same++;
    else
        seen.others++;
}

EXPORT(void, Java_SoleReceiver_begin, JNIEnv *jni, jclass c, jobject object, jint what)
{
    give = (*jni)->GetStaticMethodID(jni, c, "give", "(Ljava/lang/Object;)Ljava/lang/Object;");
    add = (*jni)->GetStaticMethodID(jni, c, "add", "(II)I");
    called = (*jni)->GetStaticMethodID(jni, c, "called", "(I)I");
    if (!expected)
        expected = (*jni)->NewGlobalRef(jni, object);
    memset(&seen, 0, sizeof seen);
    deed = what;
    listen(1);
}

EXPORT(void, Java_SoleReceiver_end, JNIEnv *jni, jclass c, jstring name)
{
    (void)c;
    listen(0);
    const char *text = (*jni)->GetStringUTFChars(jni, name, NULL);
    say("%s: %ld entries, %ld exits (%ld the object, %ld null, %ld others), sum %ld, %ld "
        "deeds, "
        "%ld strangers, %ld not local",
        text, seen.entries, seen.exits, seen.same, seen.nulls, seen.others, seen.sum,
        seen.deeds, seen.strangers, seen.not_local);
    (*jni)->ReleaseStringUTFChars(jni, name, text);
}

EXPORT(jint, Agent_OnLoad, JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    ti = new_env(vm, JVMTI_VERSION_11);
    jvmtiCapabilities wanted = {.can_generate_method_entry_events = 1,
                                .can_generate_method_exit_events = 1};
    MUST((*ti)->AddCapabilities(ti, &wanted));
    enable(ti, JVMTI_EVENT_METHOD_ENTRY);
    enable(ti, JVMTI_EVENT_METHOD_EXIT);
    return JNI_OK;
}
