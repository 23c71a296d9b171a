// SPDX-License-Identifier: Apache-2.0
// Counts field accesses, modifications and breakpoints; sets watches and breakpoints, redefines classes.
#include "ti_common.h"

static jvmtiEnv *ti;
static jint reads, writes, stops;

static void JNICALL on_access(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method,
                              jlocation at, jclass c, jobject object, jfieldID field)
{
    (void)env, (void)jni, (void)thread, (void)method, (void)at, (void)c, (void)object;
    (void)field;
    reads++;
}

static void JNICALL on_modify(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method,
                              jlocation at, jclass c, jobject object, jfieldID field, char kind,
                              jvalue value)
{
    (void)env, (void)jni, (void)thread, (void)method, (void)at, (void)c, (void)object;
    (void)field, (void)kind, (void)value;
    writes++;
}

static void JNICALL on_breakpoint(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method,
                                  jlocation at)
{
    (void)env, (void)jni, (void)thread, (void)method, (void)at;
    stops++;
}

// The field `f` of a class.
EXPORT(void, Java_WatchCode_watch, JNIEnv *jni, jclass unused, jclass c, jboolean access,
       jboolean set)
{
    (void)unused;
    jfieldID f = (*jni)->GetFieldID(jni, c, "f", "I");
    if (access)
        MUST(set ? (*ti)->SetFieldAccessWatch(ti, c, f)
                 : (*ti)->ClearFieldAccessWatch(ti, c, f));
    else
        MUST(set ? (*ti)->SetFieldModificationWatch(ti, c, f)
                 : (*ti)->ClearFieldModificationWatch(ti, c, f));
}

// The static method `get` of a class.
EXPORT(void, Java_WatchCode_breakpoint, JNIEnv *jni, jclass unused, jclass c, jstring desc,
       jint bci, jboolean set)
{
    (void)unused;
    const char *d = (*jni)->GetStringUTFChars(jni, desc, NULL);
    jmethodID m = (*jni)->GetStaticMethodID(jni, c, "get", d);
    (*jni)->ReleaseStringUTFChars(jni, desc, d);
    MUST(set ? (*ti)->SetBreakpoint(ti, m, bci) : (*ti)->ClearBreakpoint(ti, m, bci));
}

EXPORT(void, Java_WatchCode_redefine, JNIEnv *jni, jclass unused, jclass c, jbyteArray bytes)
{
    (void)unused;
    jvmtiClassDefinition d = {.klass = c,
                              .class_byte_count = (*jni)->GetArrayLength(jni, bytes)};
    jbyte *b = (*jni)->GetByteArrayElements(jni, bytes, NULL);
    d.class_bytes = (const unsigned char *)b;
    MUST((*ti)->RedefineClasses(ti, 1, &d));
    (*jni)->ReleaseByteArrayElements(jni, bytes, b, JNI_ABORT);
}

EXPORT(jstring, Java_WatchCode_counts, JNIEnv *jni, jclass unused)
{
    char text[100];
    (void)unused;
    snprintf(text, sizeof text, "%d reads, %d writes, %d breakpoints", reads, writes, stops);
    reads = writes = stops = 0;
    return (*jni)->NewStringUTF(jni, text);
}

EXPORT(jint, Agent_OnLoad, JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    ti = new_env(vm, JVMTI_VERSION_1_2);
    jvmtiCapabilities caps = {.can_generate_field_access_events = 1,
                              .can_generate_field_modification_events = 1,
                              .can_generate_breakpoint_events = 1,
                              .can_redefine_classes = 1};
    MUST((*ti)->AddCapabilities(ti, &caps));
    jvmtiEventCallbacks callbacks = {
        .FieldAccess = on_access, .FieldModification = on_modify, .Breakpoint = on_breakpoint};
    MUST((*ti)->SetEventCallbacks(ti, &callbacks, sizeof callbacks));
    enable(ti, JVMTI_EVENT_FIELD_ACCESS);
    enable(ti, JVMTI_EVENT_FIELD_MODIFICATION);
    enable(ti, JVMTI_EVENT_BREAKPOINT);
    return 0;
}
