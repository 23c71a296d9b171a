// SPDX-License-Identifier: Apache-2.0
// A C program that creates a VM in its own process: options, a second VM that is refused,
// calls, exceptions, a string result, a second thread that attaches, hooks from JavaVMInitArgs,
// and DestroyJavaVM, which waits for user threads. argv[1] is the libjvm.so to open, argv[2]
// the class path with EmbedMain. Exits with what EmbedMain.main returned.
// @expect-exit 21
#include <dlfcn.h>
#include <jni.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef jint (*CreateFn)(JavaVM **, void **, void *);
typedef jint (*DefaultFn)(void *);
typedef jint (*CreatedFn)(JavaVM **, jsize, jsize *);

static JavaVM *vm;
static jclass main_class;
static char said[256];

static jint JNICALL on_print(FILE *f, const char *format, va_list args)
{
    (void)f;
    return vsnprintf(said + strlen(said), sizeof said - strlen(said), format, args);
}

static void *second_thread(void *arg)
{
    JNIEnv *env = NULL;
    JavaVMAttachArgs attach = {.version = JNI_VERSION_1_6, .name = (char *)"second"};
    (void)arg;
    printf("second: not attached %d\n",
           (*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_6) == JNI_EDETACHED);
    printf("second: attach %d\n", (*vm)->AttachCurrentThread(vm, (void **)&env, &attach));
    jmethodID m = (*env)->GetStaticMethodID(env, main_class, "twice", "(I)I");
    printf("second: twice(4) = %d\n", (*env)->CallStaticIntMethod(env, main_class, m, 4));
    printf("second: detach %d\n", (*vm)->DetachCurrentThread(vm));
    return NULL;
}

static void check_errors(CreateFn create, DefaultFn defaults)
{
    JavaVM *other = NULL;
    JNIEnv *env = NULL;
    JavaVMInitArgs args = {.version = 0x00770000};
    printf("default of an unknown version: %d\n", defaults(&args));
    args.version = JNI_VERSION_10;
    printf("default of 10: %d\n", defaults(&args));
    JavaVMOption bad = {.optionString = (char *)"-Xnonsense"};
    args = (JavaVMInitArgs){.version = JNI_VERSION_10,
                            .nOptions = 1,
                            .options = &bad,
                            .ignoreUnrecognized = JNI_FALSE};
    printf("second VM: %d\n", create(&other, (void **)&env, &args) == JNI_EEXIST);
}

static jint call_main(JNIEnv *env)
{
    jclass string = (*env)->FindClass(env, "java/lang/String");
    jobjectArray arguments = (*env)->NewObjectArray(env, 2, string, NULL);
    (*env)->SetObjectArrayElement(env, arguments, 0, (*env)->NewStringUTF(env, "one"));
    (*env)->SetObjectArrayElement(env, arguments, 1, (*env)->NewStringUTF(env, "two"));
    jmethodID m = (*env)->GetStaticMethodID(env, main_class, "start", "([Ljava/lang/String;)I");
    jint result = (*env)->CallStaticIntMethod(env, main_class, m, arguments);
    m = (*env)->GetStaticMethodID(env, main_class, "fails", "()V");
    (*env)->CallStaticVoidMethod(env, main_class, m);
    jthrowable t = (*env)->ExceptionOccurred(env);
    (*env)->ExceptionClear(env);
    jmethodID text = (*env)->GetMethodID(env, (*env)->GetObjectClass(env, t), "toString",
                                         "()Ljava/lang/String;");
    jstring s = (*env)->CallObjectMethod(env, t, text);
    const char *u = (*env)->GetStringUTFChars(env, s, NULL);
    printf("caught %s\n", u);
    (*env)->ReleaseStringUTFChars(env, s, u);
    return result;
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IONBF, 0);
    if (argc < 3) {
        fprintf(stderr, "usage: embed libjvm.so classpath\n");
        return 2;
    }
    void *lib = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
    if (lib == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 3;
    }
    CreateFn create = (CreateFn)dlsym(lib, "JNI_CreateJavaVM");
    DefaultFn defaults = (DefaultFn)dlsym(lib, "JNI_GetDefaultJavaVMInitArgs");
    CreatedFn created = (CreatedFn)dlsym(lib, "JNI_GetCreatedJavaVMs");
    char path[4096];
    snprintf(path, sizeof path, "-Djava.class.path=%s", argv[2]);
    JavaVMOption options[] = {
        {.optionString = path},
        {.optionString = (char *)"-Xmx64m"},
        {.optionString = (char *)"-Dembedded=yes"},
        {.optionString = (char *)"vfprintf", .extraInfo = (void *)on_print},
    };
    JavaVMInitArgs args = {.version = JNI_VERSION_10, .nOptions = 4, .options = options};
    JavaVM *found = NULL;
    jsize n = 7;
    created(&found, 1, &n);
    printf("before: %d VMs %d\n", n, found == NULL);
    JNIEnv *env = NULL;
    jint rc = create(&vm, (void **)&env, &args);
    printf("create: %d\n", rc);
    if (rc != JNI_OK) {
        return 4;
    }
    created(&found, 1, &n);
    printf("after: %d VMs, the same %d, version %x\n", n, found == vm,
           (unsigned)(*env)->GetVersion(env));
    check_errors(create, defaults);
    jclass c = (*env)->FindClass(env, "EmbedMain");
    if (c == NULL) {
        (*env)->ExceptionDescribe(env);
        return 5;
    }
    main_class = (*env)->NewGlobalRef(env, c);
    rc = call_main(env);
    pthread_t t;
    pthread_create(&t, NULL, second_thread, NULL);
    pthread_join(t, NULL);
    (*env)->CallStaticVoidMethod(
        env, main_class, (*env)->GetStaticMethodID(env, main_class, "destroying", "()V"));
    printf("destroy: %d\n", (*vm)->DestroyJavaVM(vm));
    printf("the VM printed %zu bytes\n", strlen(said));
    return rc;
}
