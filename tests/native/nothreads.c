// SPDX-License-Identifier: Apache-2.0
// To be preloaded: no thread can be started while the file that NO_THREADS names is there, as at the limit of the process or of its
// control group; each call of umask, which is the whole process's, is told on stderr.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

typedef int (*Create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
typedef mode_t (*Umask)(mode_t);

__attribute__((visibility("default"))) int pthread_create(pthread_t *thread,
                                                          const pthread_attr_t *attributes,
                                                          void *(*body)(void *), void *argument)
{
    const char *file = getenv("NO_THREADS");
    if (file && access(file, F_OK) == 0)
        return EAGAIN;
    Create create = (Create)dlsym(RTLD_NEXT, "pthread_create");
    return create(thread, attributes, body, argument);
}

__attribute__((visibility("default"))) mode_t umask(mode_t mask)
{
    fprintf(stderr, "umask(%o)\n", (unsigned)mask);
    return ((Umask)dlsym(RTLD_NEXT, "umask"))(mask);
}
