// SPDX-License-Identifier: Apache-2.0
// Field watches of one environment: what each kind of access reports, with which frame, object
// and value. A second environment, where it may (not on HotSpot), watches another field and is told
// of that one only.
#include <stdbool.h>

#include "ti_common.h"

static jvmtiEnv *ti, *other;
static bool other_watches;
static int other_events;

static const char *value_text(JNIEnv *jni, char kind, jvalue v)
{
    char *out = ring();
    switch (kind) {
    case 'Z': snprintf(out, 512, "%d", v.z); break;
    case 'B': snprintf(out, 512, "%d", v.b); break;
    case 'C': snprintf(out, 512, "%d", v.c); break;
    case 'S': snprintf(out, 512, "%d", v.s); break;
    case 'I': snprintf(out, 512, "%d", v.i); break;
    case 'J': snprintf(out, 512, "%lld", (long long)v.j); break;
    case 'F': snprintf(out, 512, "%g", (double)v.f); break;
    case 'D': snprintf(out, 512, "%g", v.d); break;
    default: return v.l ? class_name(ti, (*jni)->GetObjectClass(jni, v.l)) : "null";
    }
    return out;
}

static const char *field_name(jvmtiEnv *env, jclass c, jfieldID f)
{
    char *name, *out = ring();
    MUST((*env)->GetFieldName(env, c, f, &name, NULL, NULL));
    snprintf(out, 512, "%s%s", class_name(env, c), name);
    release(env, name);
    return out;
}

static void show(jvmtiEnv *env, JNIEnv *jni, const char *what, jmethodID method, jlocation at,
                 jclass c, jobject object, jfieldID field)
{
    jmethodID top = NULL;
    jlocation top_at = -7;
    (void)!(*env)->GetFrameLocation(env, NULL, 0, &top, &top_at);
    const char *name = field_name(ti, c, field);
    bool is_others = strstr(name, "unwatched") != NULL;
    if (is_others != (env == other))
        say("told the wrong environment");
    other_events += is_others;
    if (is_others)
        return;
    say("%s in %s at %d of %s, object %s, frame %s %d", what, method_name(ti, jni, method),
        (int)at, name, object ? class_name(ti, (*jni)->GetObjectClass(jni, object)) : "null",
        top == method ? "same" : "differs", (int)top_at);
}

static void JNICALL on_access(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method,
                              jlocation at, jclass c, jobject object, jfieldID field)
{
    (void)thread;
    show(env, jni, "access", method, at, c, object, field);
}

static void JNICALL on_modify(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method,
                              jlocation at, jclass c, jobject object, jfieldID field, char kind,
                              jvalue value)
{
    (void)thread;
    show(env, jni, "modification", method, at, c, object, field);
    if (env == ti)
        say("  %c %s", kind, value_text(jni, kind, value));
}

static jfieldID field_of(JNIEnv *jni, jclass c, jstring name, jstring desc, jboolean is_static)
{
    const char *n = (*jni)->GetStringUTFChars(jni, name, NULL),
               *d = (*jni)->GetStringUTFChars(jni, desc, NULL);
    jfieldID f =
        is_static ? (*jni)->GetStaticFieldID(jni, c, n, d) : (*jni)->GetFieldID(jni, c, n, d);
    (*jni)->ReleaseStringUTFChars(jni, name, n);
    (*jni)->ReleaseStringUTFChars(jni, desc, d);
    return f;
}

EXPORT(void, Java_Watch_watch, JNIEnv *jni, jclass unused, jclass c, jstring name, jstring desc,
       jboolean is_static)
{
    (void)unused;
    jfieldID f = field_of(jni, c, name, desc, is_static);
    jvmtiError access = (*ti)->SetFieldAccessWatch(ti, c, f),
               modify = (*ti)->SetFieldModificationWatch(ti, c, f);
    say("watch %s: %d %d, again %d %d", field_name(ti, c, f), access, modify,
        (*ti)->SetFieldAccessWatch(ti, c, f), (*ti)->SetFieldModificationWatch(ti, c, f));
}

EXPORT(void, Java_Watch_unwatch, JNIEnv *jni, jclass unused, jclass c, jstring name,
       jstring desc, jboolean is_static)
{
    (void)unused;
    jfieldID f = field_of(jni, c, name, desc, is_static);
    jvmtiError access = (*ti)->ClearFieldAccessWatch(ti, c, f),
               modify = (*ti)->ClearFieldModificationWatch(ti, c, f);
    say("unwatch %s: %d %d, again %d %d", field_name(ti, c, f), access, modify,
        (*ti)->ClearFieldAccessWatch(ti, c, f), (*ti)->ClearFieldModificationWatch(ti, c, f));
}

// Sets or clears the watch of accesses, or that of modifications.
EXPORT(void, Java_Watch_change, JNIEnv *jni, jclass unused, jclass c, jstring name,
       jstring desc, jboolean is_static, jboolean access, jboolean set)
{
    (void)unused;
    jfieldID f = field_of(jni, c, name, desc, is_static);
    if (access)
        MUST(set ? (*ti)->SetFieldAccessWatch(ti, c, f)
                 : (*ti)->ClearFieldAccessWatch(ti, c, f));
    else
        MUST(set ? (*ti)->SetFieldModificationWatch(ti, c, f)
                 : (*ti)->ClearFieldModificationWatch(ti, c, f));
}

// Only where two environments may watch at once.
EXPORT(void, Java_Watch_watchOther, JNIEnv *jni, jclass unused, jclass c, jstring name,
       jstring desc)
{
    (void)unused;
    if (!other_watches)
        return;
    jfieldID f = field_of(jni, c, name, desc, JNI_FALSE);
    MUST((*other)->SetFieldAccessWatch(other, c, f));
    MUST((*other)->SetFieldModificationWatch(other, c, f));
}

EXPORT(void, Java_Watch_watchAll, JNIEnv *jni, jclass unused, jclass c)
{
    (void)jni, (void)unused;
    jint count;
    jfieldID *fields;
    MUST((*ti)->GetClassFields(ti, c, &count, &fields));
    for (jint i = 0; i < count; i++) {
        MUST((*ti)->SetFieldAccessWatch(ti, c, fields[i]));
        MUST((*ti)->SetFieldModificationWatch(ti, c, fields[i]));
    }
    release(ti, fields);
}

EXPORT(void, Java_Watch_enable, JNIEnv *jni, jclass unused, jboolean on)
{
    (void)jni, (void)unused;
    jvmtiEventMode mode = on ? JVMTI_ENABLE : JVMTI_DISABLE;
    MUST((*ti)->SetEventNotificationMode(ti, mode, JVMTI_EVENT_FIELD_ACCESS, NULL));
    MUST((*ti)->SetEventNotificationMode(ti, mode, JVMTI_EVENT_FIELD_MODIFICATION, NULL));
}

EXPORT(void, Java_Watch_disposeOther, JNIEnv *jni, jclass unused)
{
    (void)jni, (void)unused;
    if (other_watches && other_events != 4)
        say("the other environment was told %d times", other_events);
    MUST((*other)->DisposeEnvironment(other));
}

// Every accessor of JNI, on a field of each type.
#define ACCESS(Type, type, name, desc)                       \
    {                                                        \
        jfieldID f = (*jni)->GetFieldID(jni, c, name, desc); \
        type v = (*jni)->Get##Type##Field(jni, o, f);        \
        (*jni)->Set##Type##Field(jni, o, f, v);              \
    }
EXPORT(void, Java_Watch_touch, JNIEnv *jni, jclass unused, jobject o)
{
    jclass c = (*jni)->GetObjectClass(jni, o);
    ACCESS(Boolean, jboolean, "z", "Z")
    ACCESS(Byte, jbyte, "b", "B")
    ACCESS(Char, jchar, "c", "C")
    ACCESS(Short, jshort, "s", "S")
    ACCESS(Int, jint, "i", "I")
    ACCESS(Long, jlong, "j", "J")
    ACCESS(Float, jfloat, "f", "F")
    ACCESS(Double, jdouble, "d", "D")
    ACCESS(Object, jobject, "l", "Ljava/lang/String;")
    ACCESS(Object, jobject, "a", "[I")
    jfieldID f = (*jni)->GetStaticFieldID(jni, c, "st", "J");
    (*jni)->SetStaticLongField(jni, c, f, (*jni)->GetStaticLongField(jni, c, f) + 1);
    (void)unused;
}

static jvmtiEnv *make_env(JavaVM *vm, bool *watches)
{
    jvmtiEnv *env = new_env(vm, JVMTI_VERSION_1_2);
    jvmtiCapabilities caps = {.can_generate_field_access_events = 1,
                              .can_generate_field_modification_events = 1};
    *watches = (*env)->AddCapabilities(env, &caps) == JVMTI_ERROR_NONE;
    jvmtiEventCallbacks callbacks = {.FieldAccess = on_access, .FieldModification = on_modify};
    MUST((*env)->SetEventCallbacks(env, &callbacks, sizeof callbacks));
    if (*watches) {
        enable(env, JVMTI_EVENT_FIELD_ACCESS);
        enable(env, JVMTI_EVENT_FIELD_MODIFICATION);
    }
    return env;
}

EXPORT(jint, Agent_OnLoad, JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    bool watches;
    ti = make_env(vm, &watches);
    other = make_env(vm, &other_watches);
    return watches ? 0 : 1;
}
