// SPDX-License-Identifier: Apache-2.0
// A program that is not position-independent: beside a VM its brk area grows by half a GiB, and there is room for memory
// below 2 GiB (MAP_32BIT). argv[1] is the libjvm.so to open.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <jni.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

typedef jint (*CreateFn)(JavaVM **, void **, void *);

enum { ROOM = 1 << 29, LOW_ROOM = 512 << 20 };

int main(int argc, char **argv)
{
    JavaVM *vm;
    void *env;
    JavaVMInitArgs args = {.version = JNI_VERSION_10};
    CreateFn create =
        argc > 1 ? (CreateFn)dlsym(dlopen(argv[1], RTLD_NOW), "JNI_CreateJavaVM") : NULL;
    if (!create || create(&vm, &env, &args) != JNI_OK)
        return 2;
    printf("not position-independent: %d\n", (uintptr_t)&main < 1u << 31);
#ifdef MAP_32BIT
    void *p = mmap(NULL, LOW_ROOM, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    printf("room below 2 GiB: %d\n", p != MAP_FAILED);
    if (p != MAP_FAILED)
        munmap(p, LOW_ROOM);
#endif
    // It begins anywhere in the first GiB; generated code lies at the end of the second one.
    printf("brk grows: %d\n", sbrk(ROOM) != (void *)-1);
    return 0;
}
