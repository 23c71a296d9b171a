// SPDX-License-Identifier: Apache-2.0
// An agent that is linked into the program which creates the VM (JVM TI, Statically Linked Agents):
// its functions bear its name, those without it are not called, a library of its name is not
// opened; by -agentlib, by -agentpath and into the running VM.
#include <dlfcn.h>
#include <jvmti.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef jint (*CreateFn)(JavaVM **, void **, void *);

JNIEXPORT jint JNICALL Agent_OnLoad_linked(JavaVM *vm, char *options, void *reserved);
JNIEXPORT jint JNICALL Agent_OnLoad_linked(JavaVM *vm, char *options, void *reserved)
{
    jvmtiEnv *env;
    (void)reserved;
    printf("Agent_OnLoad_linked [%s], environment %d\n", options,
           (*vm)->GetEnv(vm, (void **)&env, JVMTI_VERSION_1_2));
    return JNI_OK;
}

JNIEXPORT jint JNICALL Agent_OnAttach_linked(JavaVM *vm, char *options, void *reserved);
JNIEXPORT jint JNICALL Agent_OnAttach_linked(JavaVM *vm, char *options, void *reserved)
{
    (void)vm, (void)reserved;
    printf("Agent_OnAttach_linked [%s]\n", options);
    return JNI_OK;
}

JNIEXPORT void JNICALL Agent_OnUnload_linked(JavaVM *vm);
JNIEXPORT void JNICALL Agent_OnUnload_linked(JavaVM *vm)
{
    (void)vm;
    printf("Agent_OnUnload_linked\n");
}

JNIEXPORT jint JNICALL Agent_OnLoad_bare(JavaVM *vm, char *options, void *reserved);
JNIEXPORT jint JNICALL Agent_OnLoad_bare(JavaVM *vm, char *options, void *reserved)
{
    (void)vm, (void)reserved;
    printf("Agent_OnLoad_bare [%s]\n", options);
    return JNI_OK;
}

// Not to be called: the agents have functions with their names.
JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved);
JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)vm, (void)reserved;
    printf("Agent_OnLoad of nobody [%s]\n", options);
    return JNI_OK;
}
JNIEXPORT void JNICALL Agent_OnUnload(JavaVM *vm);
JNIEXPORT void JNICALL Agent_OnUnload(JavaVM *vm)
{
    (void)vm;
    printf("Agent_OnUnload of nobody\n");
}

static void attach(JNIEnv *env, jclass c, const char *library, const char *options)
{
    jmethodID m =
        (*env)->GetStaticMethodID(env, c, "attach", "(Ljava/lang/String;Ljava/lang/String;)V");
    (*env)->CallStaticVoidMethod(env, c, m, (*env)->NewStringUTF(env, library),
                                 (*env)->NewStringUTF(env, options));
    if ((*env)->ExceptionCheck(env))
        (*env)->ExceptionDescribe(env);
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IONBF, 0);
    if (argc < 3)
        return 2;
    void *lib = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
    CreateFn create = lib ? (CreateFn)dlsym(lib, "JNI_CreateJavaVM") : NULL;
    if (!create)
        return 3;
    char path[4096];
    snprintf(path, sizeof path, "-Djava.class.path=%s", argv[2]);
    JavaVMOption options[] = {
        {.optionString = path},
        {.optionString = (char *)"-Xmx64m"},
        {.optionString = (char *)"-agentlib:linked=by name"},
        {.optionString = (char *)"-agentpath:/nowhere/liblinked.so=by path"},
        {.optionString = (char *)"-agentlib:bare=without an end"},
    };
    JavaVMInitArgs args = {.version = JNI_VERSION_10, .nOptions = 5, .options = options};
    JavaVM *vm;
    JNIEnv *env;
    jint rc = create(&vm, (void **)&env, &args);
    printf("create: %d\n", rc);
    if (rc != JNI_OK)
        return 4;
    jclass c = (*env)->FindClass(env, "EmbedMain");
    attach(env, c, "/nowhere/liblinked.so", "attached");
    printf("destroy: %d\n", (*vm)->DestroyJavaVM(vm));
    return 0;
}
