// SPDX-License-Identifier: Apache-2.0
// Threads of C come back into the VM all the time while others collect: once as the system is, and once in a process that
// may not use membarrier, as a sandbox may have it (the VM asks for it when it is loaded). argv[1] is the libjvm.so to
// open, argv[2] the class path.
// @quick
#include <dlfcn.h>
#include <errno.h>
#include <jni.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 2000, KEPT = 8, COLLECTIONS = 20 };

typedef jint (*CreateFn)(JavaVM **, void **, void *);

static JavaVM *vm;

// From here on membarrier is a system call that there is not.
static void forbid_membarrier(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof code / sizeof *code, code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
        || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        exit(4);
}

// Makes strings, lets others collect, and finds them as they were.
static void *make_strings(void *arg)
{
    JNIEnv *env = NULL;
    intptr_t wrong = 0;
    (void)arg;
    (*vm)->AttachCurrentThread(vm, (void **)&env, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        jstring kept[KEPT];
        char text[32], back[32];
        for (int k = 0; k < KEPT; k++) {
            snprintf(text, sizeof text, "%d of %d", k, i);
            kept[k] = (*env)->NewStringUTF(env, text);
        }
        for (int k = 0; k < KEPT; k++) {
            snprintf(text, sizeof text, "%d of %d", k, i);
            (*env)->GetStringUTFRegion(env, kept[k], 0, (*env)->GetStringLength(env, kept[k]),
                                       back);
            wrong += strcmp(text, back) != 0;
            (*env)->DeleteLocalRef(env, kept[k]);
        }
    }
    (*vm)->DetachCurrentThread(vm);
    return (void *)wrong;
}

static void collect(JNIEnv *env)
{
    jclass system = (*env)->FindClass(env, "java/lang/System");
    jmethodID gc = (*env)->GetStaticMethodID(env, system, "gc", "()V");
    for (int i = 0; i < COLLECTIONS; i++)
        (*env)->CallStaticVoidMethod(env, system, gc);
}

static int run(char **argv)
{
    static char path[4096];
    void *lib = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
    if (!lib) {
        fprintf(stderr, "%s\n", dlerror());
        return 3;
    }
    snprintf(path, sizeof path, "-Djava.class.path=%s", argv[2]);
    JavaVMOption option = {.optionString = path};
    JavaVMInitArgs args = {.version = JNI_VERSION_10, .nOptions = 1, .options = &option};
    JNIEnv *env = NULL;
    printf("create: %d\n",
           ((CreateFn)dlsym(lib, "JNI_CreateJavaVM"))(&vm, (void **)&env, &args));
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, make_strings, NULL);
    collect(env);
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        printf("wrong: %d\n", (int)(intptr_t)wrong);
    }
    printf("destroy: %d\n", (*vm)->DestroyJavaVM(vm));
    return 0;
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IONBF, 0);
    if (argc < 3) {
        fprintf(stderr, "usage: embedbarrier libjvm.so classpath\n");
        return 3;
    }
    if (argc > 3)
        return run(argv);
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        forbid_membarrier();
        execl(argv[0], argv[0], argv[1], argv[2], "without", (char *)NULL);
        _exit(5);
    }
    waitpid(child, &status, 0);
    printf("without membarrier: %d\n", status);
    return run(argv);
}
