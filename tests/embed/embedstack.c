// SPDX-License-Identifier: Apache-2.0
// A VM on the primordial thread whose stack has no limit (ulimit -s unlimited): native recursion without end
// ends the process when it has used some megabytes, not when memory is used up. argv[1] is the libjvm.so to open.
#include <dlfcn.h>
#include <jni.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

typedef jint (*CreateFn)(JavaVM **, void **, void *);

static volatile int deepest = 1 << 30; // more than any stack has frames

static int endless(int n)
{
    volatile char pad[4096];
    pad[0] = (char)n;
    return n < deepest ? endless(n + 1) + pad[0] : 0;
}

static int recurse(const char *library)
{
    JavaVM *vm;
    void *env;
    JavaVMOption options[] = {{.optionString = (char *)"-XX:-CreateCoredumpOnCrash"},
                              {.optionString = (char *)"-XX:ErrorFile=/dev/null"},
                              {.optionString = (char *)"-Xmx64m"}};
    JavaVMInitArgs args = {.version = JNI_VERSION_10, .nOptions = 3, .options = options};
    CreateFn create = (CreateFn)dlsym(dlopen(library, RTLD_NOW), "JNI_CreateJavaVM");
    if (create(&vm, &env, &args) != JNI_OK)
        return 2;
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    if (!freopen("/dev/null", "w", stdout))
        return 2;
    return endless(0) & 1;
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[3], "recurse") == 0)
        return recurse(argv[1]);
    struct rlimit stack;
    getrlimit(RLIMIT_STACK, &stack);
    stack.rlim_cur = stack.rlim_max;
    setrlimit(RLIMIT_STACK, &stack);
    pid_t child = fork();
    if (child == 0) {
        execl("/proc/self/exe", argv[0], argv[1], argv[2], "recurse", (char *)NULL);
        _exit(3);
    }
    int status;
    struct rusage used;
    wait4(child, &status, 0, &used);
    printf("ended %d, with less than 512 MB: %d\n", status != 0 && status != 2 << 8,
           used.ru_maxrss < 512 << 10);
    return 0;
}
