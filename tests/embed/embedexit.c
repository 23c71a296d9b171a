// SPDX-License-Identifier: Apache-2.0
// A VM created on a thread that is not the first one; System.exit from inside ends the process
// through the exit hook. argv[1] is the libjvm.so to open, argv[2] the class path with
// EmbedMain.
// @expect-exit 33
#include <dlfcn.h>
#include <jni.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef jint (*CreateFn)(JavaVM **, void **, void *);
static char path[4096];
static const char *library;

static void JNICALL on_exit_hook(jint code)
{
    printf("exit hook %d\n", code);
    fflush(stdout);
    _Exit(code);
}

static void *run(void *arg)
{
    JavaVM *vm = NULL;
    JNIEnv *env = NULL;
    (void)arg;
    void *lib = dlopen(library, RTLD_NOW | RTLD_GLOBAL);
    if (lib == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(3);
    }
    CreateFn create = (CreateFn)dlsym(lib, "JNI_CreateJavaVM");
    JavaVMOption options[] = {
        {.optionString = path},
        {.optionString = (char *)"exit", .extraInfo = (void *)on_exit_hook},
        {.optionString = (char *)"-XX:NoSuchOption=5"},
    };
    JavaVMInitArgs args = {.version = JNI_VERSION_1_8, .nOptions = 2, .options = options};
    if (create(&vm, (void **)&env, &args) != JNI_OK) {
        exit(4);
    }
    jclass c = (*env)->FindClass(env, "EmbedMain");
    jmethodID m = (*env)->GetStaticMethodID(env, c, "leave", "(I)V");
    (*env)->CallStaticVoidMethod(env, c, m, 33);
    printf("not reached\n");
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t;
    if (argc < 3) {
        fprintf(stderr, "usage: embedexit libjvm.so classpath\n");
        return 2;
    }
    library = argv[1];
    snprintf(path, sizeof path, "-Djava.class.path=%s", argv[2]);
    pthread_create(&t, NULL, run, NULL);
    pthread_join(t, NULL);
    return 1;
}
