// SPDX-License-Identifier: Apache-2.0
// For tests/agents/Prefixes.java.
#include "ti_common.h"

static jvmtiEnv *ti, *outer;

static jint JNICALL body(JNIEnv *jni, jclass c)
{
    (void)jni, (void)c;
    return 7;
}

EXPORT(void, Java_Prefixes_register, JNIEnv *jni, jclass c, jstring name, jobjectArray prefixes)
{
    char *list[4];
    jint count = (*jni)->GetArrayLength(jni, prefixes);
    for (jint i = 0; i < count; i++) {
        jstring s = (*jni)->GetObjectArrayElement(jni, prefixes, i);
        list[i] = (char *)(*jni)->GetStringUTFChars(jni, s, NULL);
    }
    MUST((*ti)->SetNativeMethodPrefixes(ti, count, list));
    const char *text = (*jni)->GetStringUTFChars(jni, name, NULL);
    JNINativeMethod row = {(char *)text, "()I", (void *)body};
    jint rc = (*jni)->RegisterNatives(jni, c, &row, 1);
    jthrowable thrown = (*jni)->ExceptionOccurred(jni);
    (*jni)->ExceptionClear(jni);
    say("register %s: %d %s", text, (int)rc,
        thrown ? class_name(ti, (*jni)->GetObjectClass(jni, thrown)) : "");
}

static void JNICALL native_bind(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID m,
                                void *address, void **new_address)
{
    (void)jni, (void)thread, (void)address, (void)new_address;
    char *name;
    MUST((*env)->GetMethodName(env, m, &name, NULL, NULL));
    if (strstr(name, "value"))
        say("bound %s", name);
    MUST((*env)->Deallocate(env, (unsigned char *)name));
}

EXPORT(void, Java_Prefixes_registerIn, JNIEnv *jni, jclass unused, jclass c, jstring name)
{
    (void)unused;
    enable(ti, JVMTI_EVENT_NATIVE_METHOD_BIND);
    JNINativeMethod row = {(char *)(*jni)->GetStringUTFChars(jni, name, NULL), "()I",
                           (void *)body};
    (*jni)->RegisterNatives(jni, c, &row, 1);
}

EXPORT(void, Java_Prefixes_unregister, JNIEnv *jni, jclass unused, jclass c)
{
    (void)unused;
    (*jni)->UnregisterNatives(jni, c);
}

EXPORT(jint, Java_Prefixes_redefine, JNIEnv *jni, jclass unused, jclass c, jbyteArray file)
{
    (void)unused;
    jint len = (*jni)->GetArrayLength(jni, file);
    jbyte *bytes = (*jni)->GetByteArrayElements(jni, file, NULL);
    jvmtiClassDefinition d = {c, len, (unsigned char *)bytes};
    jvmtiError error = (*ti)->RedefineClasses(ti, 1, &d);
    (*jni)->ReleaseByteArrayElements(jni, file, bytes, JNI_ABORT);
    return (jint)error;
}

// Found without RegisterNatives.
EXPORT(jint, Java_Prefixes_layered, JNIEnv *jni, jclass c)
{
    (void)jni, (void)c;
    return 1;
}
EXPORT(jint, Java_Prefixes_gap, JNIEnv *jni, jclass c)
{
    (void)jni, (void)c;
    return 2;
}
EXPORT(jint, Java_Prefixes_in_1own, JNIEnv *jni, jclass c)
{
    (void)jni, (void)c;
    return 3;
}
EXPORT(jint, Java_Prefixes_own, JNIEnv *jni, jclass c)
{
    (void)jni, (void)c;
    return 4;
}

// Two environments with a prefix each.
EXPORT(void, Java_Prefixes_layers, JNIEnv *jni, jclass c)
{
    (void)jni, (void)c;
    MUST((*ti)->SetNativeMethodPrefix(ti, "in_"));
    MUST((*outer)->SetNativeMethodPrefix(outer, "out_"));
}

// An environment that can retransform, made before one that can't: the second sees class files first.
static void JNICALL class_file_load(jvmtiEnv *env, JNIEnv *jni, jclass redefined,
                                    jobject loader, const char *name, jobject domain, jint len,
                                    const unsigned char *bytes, jint *new_len,
                                    unsigned char **new_bytes)
{
    (void)jni, (void)redefined, (void)loader, (void)domain, (void)len, (void)bytes;
    (void)new_len, (void)new_bytes;
    if (name && !strcmp(name, "PrefixOrder$Seen"))
        say("seen by the %s", env == ti ? "capable" : "incapable");
}

static void listen(jvmtiEnv *env)
{
    jvmtiEventCallbacks callbacks = {.ClassFileLoadHook = class_file_load};
    MUST((*env)->SetEventCallbacks(env, &callbacks, sizeof callbacks));
    enable(env, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK);
}

EXPORT(void, Java_PrefixOrder_listen, JNIEnv *jni, jclass c, jint step)
{
    (void)jni, (void)c;
    jvmtiCapabilities want = {.can_retransform_classes = 1};
    if (step == 0) {
        MUST((*ti)->SetNativeMethodPrefix(ti, "re_"));
        MUST((*outer)->SetNativeMethodPrefix(outer, "in_"));
        MUST((*ti)->AddCapabilities(ti, &want));
        listen(ti);
        listen(outer);
    } else { // settled for ever by the first enabling
        disable(outer, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK);
        MUST((*outer)->AddCapabilities(outer, &want));
        enable(outer, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK);
    }
}

EXPORT(jint, Java_PrefixOrder_first, JNIEnv *jni, jclass c)
{
    (void)jni, (void)c;
    return 1;
}
EXPORT(jint, Java_PrefixOrder_second, JNIEnv *jni, jclass c)
{
    (void)jni, (void)c;
    return 2;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    ti = new_env(vm, JVMTI_VERSION_11);
    jvmtiCapabilities want = {.can_set_native_method_prefix = 1,
                              .can_redefine_classes = 1,
                              .can_generate_native_method_bind_events = 1};
    MUST((*ti)->AddCapabilities(ti, &want));
    jvmtiEventCallbacks callbacks = {.NativeMethodBind = native_bind};
    MUST((*ti)->SetEventCallbacks(ti, &callbacks, sizeof callbacks));
    outer = new_env(vm, JVMTI_VERSION_11);
    MUST((*outer)->AddCapabilities(outer, &want));
    MUST((*outer)->SetNativeMethodPrefix(outer, "early_"));
    return JNI_OK;
}
