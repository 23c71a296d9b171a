// SPDX-License-Identifier: Apache-2.0
// The invocation interface from within a handler of exit(3).
#include "jnitest.h"

static JavaVM *vm;

static void at_exit(void)
{
    void *env;
    JavaVM *found;
    jsize count;
    JavaVMInitArgs args = {.version = JNI_VERSION_10};
    printf("GetEnv %d\n", (*vm)->GetEnv(vm, &env, JNI_VERSION_10));
    printf("AttachCurrentThread %d\n", (*vm)->AttachCurrentThread(vm, &env, NULL));
    printf("AttachCurrentThreadAsDaemon %d\n",
           (*vm)->AttachCurrentThreadAsDaemon(vm, &env, NULL));
    printf("DetachCurrentThread %d\n", (*vm)->DetachCurrentThread(vm));
    printf("JNI_GetCreatedJavaVMs %d", JNI_GetCreatedJavaVMs(&found, 1, &count));
    printf(" of %d\n", count);
    printf("DestroyJavaVM %d\n", (*vm)->DestroyJavaVM(vm));
    printf("JNI_CreateJavaVM %d\n", JNI_CreateJavaVM(&found, &env, &args));
    fflush(stdout);
}

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *given, void *reserved)
{
    (void)reserved;
    vm = given;
    atexit(at_exit);
    return JNI_VERSION_10;
}
