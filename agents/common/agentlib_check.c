// SPDX-License-Identifier: Apache-2.0
// Messages of an agent and checked JVM TI calls. A message is one write, so that lines of
// several threads do not mix.
#define _GNU_SOURCE
#include "agentlib.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

bool agent_holds(const pthread_mutex_t *mutex)
{
#ifdef __GLIBC__
    static __thread int self;
    self = self != 0 ? self : (int)syscall(SYS_gettid);
    return mutex->__data.__owner == self;
#else
    return mutex != NULL;
#endif
}

static const char *agent_name = "agent";

void agent_set_name(const char *name)
{
    assert(name != NULL);
    agent_name = name;
}

void agent_message(const char *format, ...)
{
    char line[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    fprintf(stderr, "%s: %s\n", agent_name, line);
}

bool agent_check(jvmtiEnv *jvmti, jvmtiError error, const char *call)
{
    if (error == JVMTI_ERROR_NONE) {
        return true;
    }
    char *name = NULL;
    if ((*jvmti)->GetErrorName(jvmti, error, &name) != JVMTI_ERROR_NONE) {
        name = NULL;
    }
    agent_message("%s: %s (%d)", call, name != NULL ? name : "unknown error", (int)error);
    agent_deallocate(jvmti, name);
    return false;
}

void agent_deallocate(jvmtiEnv *jvmti, void *memory)
{
    if (memory != NULL) {
        (*jvmti)->Deallocate(jvmti, memory);
    }
}

jvmtiEnv *agent_get_env(JavaVM *vm, jint version)
{
    static const jint VERSIONS[] = {JVMTI_VERSION_11, JVMTI_VERSION_9, JVMTI_VERSION_1_2,
                                    JVMTI_VERSION_1_1, JVMTI_VERSION_1_0};
    jvmtiEnv *jvmti = NULL;
    if ((*vm)->GetEnv(vm, (void **)&jvmti, version) == JNI_OK) {
        return jvmti;
    }
    for (size_t i = 0; i < sizeof VERSIONS / sizeof VERSIONS[0]; i++) {
        if (VERSIONS[i] < version
            && (*vm)->GetEnv(vm, (void **)&jvmti, VERSIONS[i]) == JNI_OK) {
            return jvmti;
        }
    }
    agent_message("this VM has no JVM TI");
    return NULL;
}

static void report_no_memory(void)
{
    static atomic_flag reported = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&reported)) {
        agent_message("out of memory: what is reported is incomplete");
    }
}

void *agent_alloc(size_t bytes)
{
    void *memory = calloc(1, bytes);
    if (memory == NULL) {
        report_no_memory();
    }
    return memory;
}

void *agent_grow(void *memory, size_t old_bytes, size_t new_bytes)
{
    assert((memory != NULL || old_bytes == 0) && new_bytes > 0); // 0 would free it
    char *grown = realloc(memory, new_bytes);
    if (grown == NULL) {
        report_no_memory();
        return NULL;
    }
    if (new_bytes > old_bytes) {
        memset(grown + old_bytes, 0, new_bytes - old_bytes);
    }
    return grown;
}
