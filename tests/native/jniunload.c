// SPDX-License-Identifier: Apache-2.0
// For tests/java/jni/JniUnload.java: a library that tells when it is loaded and unloaded.
#include <jni.h>
#include <stdio.h>

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved);
JNIEXPORT void JNICALL JNI_OnUnload(JavaVM *vm, void *reserved);
JNIEXPORT jint JNICALL Java_JniUnload_00024User_answer(JNIEnv *env, jclass self);

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved)
{
    (void)vm, (void)reserved;
    puts("OnLoad");
    fflush(stdout);
    return JNI_VERSION_10;
}

// Sets the property that the program waits for.
JNIEXPORT void JNICALL JNI_OnUnload(JavaVM *vm, void *reserved)
{
    (void)reserved;
    JNIEnv *env;
    jint rc = (*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_10);
    printf("OnUnload %d\n", (int)rc);
    fflush(stdout);
    jclass system = (*env)->FindClass(env, "java/lang/System");
    jmethodID set = (*env)->GetStaticMethodID(env, system, "setProperty",
                                              "(Ljava/lang/String;Ljava/lang/String;)"
                                              "Ljava/lang/String;");
    (*env)->CallStaticObjectMethod(env, system, set, (*env)->NewStringUTF(env, "jniunload"),
                                   (*env)->NewStringUTF(env, "done"));
}

JNIEXPORT jint JNICALL Java_JniUnload_00024User_answer(JNIEnv *env, jclass self)
{
    (void)env, (void)self;
    return 42;
}
