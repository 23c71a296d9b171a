// SPDX-License-Identifier: Apache-2.0
// Threads of C in a VM of C: options that creation refuses or lets pass, attaching twice, as a
// daemon and with a name and group, an exception that is pending when a thread detaches,
// DestroyJavaVM from another thread while an attached one still runs, and what the VM answers
// when it is gone. argv[1] is the libjvm.so to open, argv[2] the class path with EmbedMain.
#include <dlfcn.h>
#include <jni.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef jint (*CreateFn)(JavaVM **, void **, void *);
typedef jint (*CreatedFn)(JavaVM **, jsize, jsize *);

static JavaVM *vm;
static jclass main_class;
static pthread_barrier_t barrier;

static void call(JNIEnv *env, const char *name)
{
    jmethodID m = (*env)->GetStaticMethodID(env, main_class, name, "()V");
    (*env)->CallStaticVoidMethod(env, main_class, m);
}

static void twice(JNIEnv *env)
{
    jmethodID m = (*env)->GetStaticMethodID(env, main_class, "twice", "(I)I");
    printf("twice(3) = %d\n", (*env)->CallStaticIntMethod(env, main_class, m, 3));
}

static void run_thread(void *(*body)(void *))
{
    pthread_t t;
    pthread_create(&t, NULL, body, NULL);
    pthread_join(t, NULL);
}

static void *attach_twice(void *arg)
{
    JNIEnv *a = NULL, *b = NULL, *c = NULL;
    JavaVMAttachArgs args = {.version = JNI_VERSION_1_8, .name = (char *)"twice attached"};
    (void)arg;
    printf("attach %d", (*vm)->AttachCurrentThread(vm, (void **)&a, &args));
    args.name = (char *)"another name";
    printf(" %d", (*vm)->AttachCurrentThread(vm, (void **)&b, &args));
    printf(" %d %d\n", (*vm)->GetEnv(vm, (void **)&c, JNI_VERSION_1_2), a == b && b == c);
    printf("GetEnv of a version unknown: %d\n", (*vm)->GetEnv(vm, (void **)&c, 0x7fff0000));
    twice(a);
    printf("detach %d", (*vm)->DetachCurrentThread(vm));
    printf(" %d\n", (*vm)->DetachCurrentThread(vm));
    printf("GetEnv %d\n", (*vm)->GetEnv(vm, (void **)&c, JNI_VERSION_1_2));
    return NULL;
}

static void *attach_wrong_version(void *arg)
{
    JNIEnv *env = NULL;
    JavaVMAttachArgs args = {.version = 0x12345678};
    (void)arg;
    printf("attach with a version unknown: %d",
           (*vm)->AttachCurrentThread(vm, (void **)&env, &args));
    printf(" %d\n", (*vm)->DetachCurrentThread(vm));
    return NULL;
}

static void *attach_in_group(void *arg)
{
    JNIEnv *env = NULL;
    (void)arg;
    JavaVMAttachArgs args = {
        .version = JNI_VERSION_1_8, .name = (char *)"in a group", .group = NULL};
    (*vm)->AttachCurrentThreadAsDaemon(vm, (void **)&env, &args);
    jclass c = (*env)->FindClass(env, "java/lang/Thread");
    jobject t = (*env)->CallStaticObjectMethod(
        env, c, (*env)->GetStaticMethodID(env, c, "currentThread", "()Ljava/lang/Thread;"));
    printf("a daemon: %d\n",
           (*env)->CallBooleanMethod(env, t, (*env)->GetMethodID(env, c, "isDaemon", "()Z")));
    twice(env);
    (*vm)->DetachCurrentThread(vm);
    return NULL;
}

static void *detach_with_exception(void *arg)
{
    JNIEnv *env = NULL;
    JavaVMAttachArgs args = {.version = JNI_VERSION_1_8, .name = (char *)"failing"};
    (void)arg;
    (*vm)->AttachCurrentThread(vm, (void **)&env, &args);
    call(env, "fails");
    printf("pending %d\n", (*env)->ExceptionCheck(env));
    printf("detach %d\n", (*vm)->DetachCurrentThread(vm));
    return NULL;
}

static void *still_attached(void *arg)
{
    JNIEnv *env = NULL;
    (void)arg;
    (*vm)->AttachCurrentThread(vm, (void **)&env, NULL);
    pthread_barrier_wait(&barrier);
    usleep(200000);
    printf("the attached thread ends\n");
    (*vm)->DetachCurrentThread(vm);
    return NULL;
}

static void *destroy(void *arg)
{
    JNIEnv *env = NULL;
    (void)arg;
    printf("destroy %d\n", (*vm)->DestroyJavaVM(vm));
    printf("GetEnv after: %d\n", (*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_8));
    return NULL;
}

static jint create_vm(CreateFn create, char *path, JNIEnv **env)
{
    JavaVMOption options[] = {
        {.optionString = path},
        {.optionString = (char *)"-Xunknown"},
        {.optionString = (char *)"_unknown"},
    };
    JavaVMInitArgs args = {.version = 0x00090009,
                           .nOptions = 3,
                           .options = options,
                           .ignoreUnrecognized = JNI_TRUE};
    printf("create with a version unknown: %d\n", create(&vm, (void **)env, &args));
    args.version = JNI_VERSION_10;
    return create(&vm, (void **)env, &args);
}

int main(int argc, char **argv)
{
    static char path[4096];
    setvbuf(stdout, NULL, _IONBF, 0);
    void *lib = argc < 3 ? NULL : dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
    if (lib == NULL) {
        fprintf(stderr, "%s\n",
                argc < 3 ? "usage: embedthreads libjvm.so classpath" : dlerror());
        return 3;
    }
    CreateFn create = (CreateFn)dlsym(lib, "JNI_CreateJavaVM");
    CreatedFn created = (CreatedFn)dlsym(lib, "JNI_GetCreatedJavaVMs");
    JNIEnv *env = NULL;
    snprintf(path, sizeof path, "-Djava.class.path=%s", argv[2]);
    printf("create: %d\n", create_vm(create, path, &env));
    main_class = (*env)->NewGlobalRef(env, (*env)->FindClass(env, "EmbedMain"));
    run_thread(attach_twice);
    run_thread(attach_wrong_version);
    run_thread(attach_in_group);
    run_thread(detach_with_exception);
    printf("detach of the main thread: %d", (*vm)->DetachCurrentThread(vm));
    printf(" %d\n", (*vm)->AttachCurrentThread(vm, (void **)&env, NULL));
    twice(env);
    (*vm)->DetachCurrentThread(vm);
    pthread_t t;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&t, NULL, still_attached, NULL);
    pthread_barrier_wait(&barrier);
    run_thread(destroy);
    pthread_join(t, NULL);
    jsize n = 7;
    JavaVM *found = NULL;
    created(&found, 1, &n);
    printf("VMs: %d\n", n);
    JavaVMInitArgs again = {.version = JNI_VERSION_10};
    printf("create again: %d\n", create(&vm, (void **)&env, &again));
    return 0;
}
