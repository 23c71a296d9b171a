// SPDX-License-Identifier: Apache-2.0
// A program with signal handlers of its own that creates a VM: they get what is not the
// VM's. argv[1] is the libjvm.so to open, argv[2]
// the class path with EmbedMain.
// @not asan signals of faults are left to the sanitizer
#define _GNU_SOURCE
#include <dlfcn.h>
#include <jni.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>

typedef jint (*CreateFn)(JavaVM **, void **, void *);

static char *volatile page;
static volatile int taken[65];

static void handle(int sig, siginfo_t *info, void *context)
{
    (void)context;
    if (sig == SIGSEGV && info->si_addr == page)
        mprotect(page, 4096, PROT_READ | PROT_WRITE);
    taken[sig]++;
}

static void install(int sig)
{
    struct sigaction a = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};
    sigaction(sig, &a, NULL);
}

static int is_ours(int sig)
{
    struct sigaction a;
    sigaction(sig, NULL, &a);
    return a.sa_sigaction == handle;
}

static void run(const char *library, const char *class_path)
{
    char path[4096];
    snprintf(path, sizeof path, "-Djava.class.path=%s", class_path);
    JavaVMOption option = {path, NULL};
    JavaVMInitArgs args = {.version = JNI_VERSION_10, .nOptions = 1, .options = &option};
    JavaVM *vm;
    JNIEnv *env;
    install(SIGSEGV);
    install(SIGPIPE);
    CreateFn create = (CreateFn)dlsym(dlopen(library, RTLD_NOW), "JNI_CreateJavaVM");
    printf("created %d\n", create(&vm, (void **)&env, &args));
    printf("SIGSEGV is %s\n", is_ours(SIGSEGV) ? "the program's" : "the VM's");
    for (int i = 0; i < 3; i++) {
        page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        *(volatile char *)page = 1;
    }
    raise(SIGPIPE);
    printf("faults %d, pipes %d\n", taken[SIGSEGV], taken[SIGPIPE]);
    printf("destroyed %d\n", (*vm)->DestroyJavaVM(vm));
    fflush(stdout);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    run(argv[1], argv[2]);
    return 0;
}
