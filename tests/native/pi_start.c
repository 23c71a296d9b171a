// SPDX-License-Identifier: Apache-2.0
// Says how an agent of -Xrun is started: where it was loaded from, its options, what GetEnv gives.
// Options that begin so ask for more: "fail" gives JNI_ERR, "exit" ends the VM by ProfilerExit,
// "none" enables nothing, "late" ends the VM from its end, "spoil" makes no class file of each that
// is loaded once the VM runs; else threads are told.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <libgen.h>

#include "pi_common.h"

static char own_name[64];
static int told;
static int ends_late, spoils;

static void notify(JVMPI_Event *e)
{
    if (spoils && e->event_type == JVMPI_EVENT_JVM_INIT_DONE)
        pi_enable(JVMPI_EVENT_CLASS_LOAD_HOOK);
    if (e->event_type == JVMPI_EVENT_CLASS_LOAD_HOOK) {
        e->u.class_load_hook.new_class_data = e->u.class_load_hook.malloc_f(1);
        e->u.class_load_hook.new_class_data_len = -1;
        return;
    }
    if (ends_late && e->event_type == JVMPI_EVENT_JVM_SHUT_DOWN)
        pi->ProfilerExit(8);
    told++;
    if (e->event_type == JVMPI_EVENT_JVM_SHUT_DOWN)
        printf("%s: told of %s\n", own_name, told > 2 ? "threads and the end" : "too little");
    if (e->event_type == JVMPI_EVENT_THREAD_START
        && strcmp(e->u.thread_start.thread_name, "main") == 0)
        printf("%s: told of main\n", own_name);
    fflush(stdout);
}

static void __attribute__((destructor)) say_nothing(void)
{
    if (own_name[0] && !told)
        printf("%s: told of nothing\n", own_name);
    fflush(stdout);
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved);
JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    Dl_info info;
    void *table = NULL;
    dladdr((void *)(intptr_t)JVM_OnLoad, &info);
    char *path = strdup(info.dli_fname), *folder = strdup(info.dli_fname);
    snprintf(own_name, sizeof own_name, "%s", basename(path));
    jint rc = (*vm)->GetEnv(vm, &table, JVMPI_VERSION_1);
    printf("%s of %s: options \"%s\", %s, %s\n", own_name, basename(dirname(folder)), options,
           reserved ? "something" : "nothing reserved", rc == JNI_OK ? "JVMPI" : "no JVMPI");
    fflush(stdout);
    free(path);
    free(folder);
    if (rc != JNI_OK || strncmp(options, "fail", 4) == 0)
        return JNI_ERR;
    pi = table;
    pi->NotifyEvent = notify;
    if (strncmp(options, "exit", 4) == 0)
        pi->ProfilerExit(7);
    if (strncmp(options, "none", 4) == 0)
        return JNI_OK;
    ends_late = strncmp(options, "late", 4) == 0;
    spoils = strncmp(options, "spoil", 5) == 0;
    if (spoils)
        pi_enable(JVMPI_EVENT_JVM_INIT_DONE);
    pi_enable(JVMPI_EVENT_THREAD_START);
    pi_enable(JVMPI_EVENT_JVM_SHUT_DOWN);
    return JNI_OK;
}
