// SPDX-License-Identifier: Apache-2.0
// For tests/agents/HookThrows.java: two environments with a ClassFileLoadHook. The first one throws, for a class by name; the
// second one tells what it sees and may take the exception away, or throw another.
#include "ti_common.h"

enum {
    LEAVE,
    CLEAR,
    REPLACE,
    GARBAGE
}; // what the second one does; GARBAGE: the first one also gives back a wrong class file

static jvmtiEnv *first, *second;
static char victim[100];
static jclass to_throw, other;
static jint mode;

static void JNICALL throwing(jvmtiEnv *env, JNIEnv *jni, jclass redefined, jobject loader,
                             const char *name, jobject domain, jint len,
                             const unsigned char *bytes, jint *new_len,
                             unsigned char **new_bytes)
{
    (void)loader, (void)domain, (void)len, (void)bytes;
    if (!name || strcmp(name, victim) != 0)
        return;
    say("    first: %s%s", name, redefined ? " again" : "");
    if (mode == GARBAGE) {
        MUST((*env)->Allocate(env, 4, new_bytes));
        memset(*new_bytes, 0, 4);
        *new_len = 4;
    }
    (*jni)->ThrowNew(jni, to_throw, "from the hook");
}

static void JNICALL watching(jvmtiEnv *env, JNIEnv *jni, jclass redefined, jobject loader,
                             const char *name, jobject domain, jint len,
                             const unsigned char *bytes, jint *new_len,
                             unsigned char **new_bytes)
{
    (void)env, (void)redefined, (void)loader, (void)domain, (void)bytes, (void)new_len,
        (void)new_bytes;
    if (!name || strcmp(name, victim) != 0)
        return;
    say("    second: %s%s", (*jni)->ExceptionCheck(jni) ? "pending" : "nothing pending",
        len == 4 ? ", four bytes" : "");
    if (mode == CLEAR || mode == REPLACE)
        (*jni)->ExceptionClear(jni);
    if (mode == REPLACE)
        (*jni)->ThrowNew(jni, other, "from the second");
}

EXPORT(void, Java_HookThrows_expect, JNIEnv *jni, jclass c, jstring name, jclass thrown,
       jclass replacing, jint what)
{
    (void)c;
    const char *text = (*jni)->GetStringUTFChars(jni, name, NULL);
    snprintf(victim, sizeof victim, "%s", text);
    (*jni)->ReleaseStringUTFChars(jni, name, text);
    to_throw = (*jni)->NewGlobalRef(jni, thrown);
    other = (*jni)->NewGlobalRef(jni, replacing);
    mode = what;
}

EXPORT(jint, Java_HookThrows_retransform, JNIEnv *jni, jclass c, jclass what)
{
    (void)c;
    jvmtiError error = (*first)->RetransformClasses(first, 1, &what);
    return (*jni)->ExceptionCheck(jni) ? -1 : (jint)error;
}

EXPORT(jint, Java_HookThrows_redefine, JNIEnv *jni, jclass c, jclass what, jbyteArray file)
{
    (void)c;
    jbyte *bytes = (*jni)->GetByteArrayElements(jni, file, NULL);
    jvmtiClassDefinition d = {what, (*jni)->GetArrayLength(jni, file),
                              (const unsigned char *)bytes};
    jvmtiError error = (*first)->RedefineClasses(first, 1, &d);
    (*jni)->ReleaseByteArrayElements(jni, file, bytes, JNI_ABORT);
    return (*jni)->ExceptionCheck(jni) ? -1 : (jint)error;
}

EXPORT(jclass, Java_HookThrows_find, JNIEnv *jni, jclass c, jstring name)
{
    (void)c;
    const char *text = (*jni)->GetStringUTFChars(jni, name, NULL);
    return (*jni)->FindClass(jni, text);
}

static jvmtiEnv *listening(JavaVM *vm, jvmtiEventClassFileLoadHook hook)
{
    jvmtiEnv *env = new_env(vm, JVMTI_VERSION_11);
    jvmtiCapabilities want = {.can_retransform_classes = 1, .can_redefine_classes = 1};
    MUST((*env)->AddCapabilities(env, &want));
    jvmtiEventCallbacks callbacks = {.ClassFileLoadHook = hook};
    MUST((*env)->SetEventCallbacks(env, &callbacks, sizeof callbacks));
    enable(env, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK);
    return env;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    first = listening(vm, throwing);
    second = listening(vm, watching);
    return JNI_OK;
}
