// SPDX-License-Identifier: Apache-2.0
// A library of JNI that asks for JVMPI in a VM that was started without -Xrun, beside an agent of
// JVM TI that has done so too. Prints statements of the check list by number, for PiLate.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>

#include "pi_late.h"

#define NATIVE(type, name, ...) PI_NATIVE(PiLate, type, name, ##__VA_ARGS__)

static int methods, early, unknown, allocs, others;
static JNIEnv *asking;
static char last_class[128];
static PiMap known; // classes by their IDs
// Of all this: a thread of the VM may just begin (Common-Cleaner), with events of its own.
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

// What begins before its class was told of: the class is asked for.
static void on_entry(const JVMPI_Event *e)
{
    methods++;
    pi->DisableGC();
    jobjectID of = pi->GetMethodClass(e->u.method.method_id);
    if (!pi_map_find(&known, (uintptr_t)of)) {
        early++;
        unknown += pi->RequestEvent(JVMPI_EVENT_CLASS_LOAD, of) != JVMPI_SUCCESS
                   || !pi_map_find(&known, (uintptr_t)of);
    }
    pi->EnableGC();
}

static void notify(JVMPI_Event *e)
{
    pthread_mutex_lock(&lock); // once more for the class that is asked for
    switch (e->event_type & ~JVMPI_REQUESTED_EVENT) {
    case JVMPI_EVENT_METHOD_ENTRY: on_entry(e); break;
    case JVMPI_EVENT_CLASS_LOAD:
        pi_map_put(&known, (uintptr_t)e->u.class_load.class_id, 1);
        snprintf(last_class, sizeof last_class, "%s", e->u.class_load.class_name);
        break;
    case JVMPI_EVENT_OBJECT_ALLOC: allocs += e->env_id == asking; break;
    default: others++; break;
    }
    pthread_mutex_unlock(&lock);
}

NATIVE(void, late)
{
    JavaVM *vm;
    (*env)->GetJavaVM(env, &vm);
    asking = env;
    pi_start(vm, JVMPI_VERSION_1, NULL);
    void *again = NULL;
    jint rc = (*vm)->GetEnv(vm, &again, JVMPI_VERSION_1_2);
    check("187 21 23", rc == JNI_OK && again == pi && pi->NotifyEvent == NULL);
    pi->DisableGC();
    jobjectID id = pi->jobject2jobjectID(cls);
    check("187", id && pi->RequestEvent(JVMPI_EVENT_CLASS_LOAD, id) == JVMPI_FAIL);
    pi->EnableGC();
    pi_enable(JVMPI_EVENT_OBJECT_ALLOC);
    (*env)->NewStringUTF(env, "nobody is told of it");
    pi->DisableEvent(JVMPI_EVENT_OBJECT_ALLOC, NULL);
    pi->NotifyEvent = notify;
    check("20 187", allocs == 0);
}

NATIVE(void, watch)
{
    pi_enable(JVMPI_EVENT_METHOD_ENTRY);
    pi->DisableGC(); // nothing moves while classes are known by their IDs
}

NATIVE(void, seen)
{
    pi->DisableEvent(JVMPI_EVENT_METHOD_ENTRY, NULL);
    pi->EnableGC();
    check("138 50", methods > early && early > 3 && unknown == 0);
    check("188", others == 0 && allocs == 0);
}

// The agent has another table and other wishes.
NATIVE(void, both, jint started)
{
    PiLateFind *find = (PiLateFind *)dlsym(RTLD_DEFAULT, "pi_late_agent");
    void *own = find ? NULL : dlopen("libpi_late_ti.so", RTLD_NOLOAD | RTLD_NOW);
    if (own)
        find = (PiLateFind *)dlsym(own, "pi_late_agent");
    const PiLateAgent *a = find ? find() : NULL;
    check("10", a && a->table && a->table != pi && a->table->NotifyEvent != pi->NotifyEvent);
    check("10 188", a && a->starts == started && a->others == 0);
    int x;
    pi->SetThreadLocalStorage(env, &x);
    check("10 111", a && a->table->GetThreadLocalStorage(env) == NULL
                        && pi->GetThreadLocalStorage(env) == &x);
}
