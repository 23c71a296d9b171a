// SPDX-License-Identifier: Apache-2.0
// Functions that belong to no other file: garbage collection, requests, the end.
#include <stdio.h>
#include <stdlib.h>

#include "class/vm_classes.h"
#include "java/shutdown.h"
#include "jvmpi/pi_dump.h"
#include "options/options.h"

void pi_DisableGC(void)
{
    Thread *self = thread_current();
    bool in_vm =
        self && atomic_load_explicit(&self->state, memory_order_relaxed) == THREAD_IN_VM;
    heap_disable_gc(in_vm ? self : NULL);
}

void pi_EnableGC(void)
{
    if (heap_gc_disables() == 1 && pi_threads_suspended() > 0)
        pi_report(PI_STILL_SUSPENDED, "EnableGC");
    if (!heap_enable_gc())
        pi_report(PI_NOT_DISABLED, "EnableGC");
}

void pi_RunGC(void)
{
    PI_CALL;
    if (self)
        heap_collect(self, GC_PROFILER, true);
}

void pi_ProfilerExit(jint err_code)
{
    PI_CALL;
    if (self)
        vm_exit(self, err_code);
    fflush(NULL);
    options_exit(err_code);
}

// ---- requests ----
static bool request_class_load(Thread *self, PiAgent *agent, void *arg)
{
    Class *c = pi_class_of_id(arg);
    if (c)
        pi_send_class_load(self, c, agent);
    return c != NULL;
}

// The thread whose object o is, pinned. What once was one, or is not begun yet, is none.
static Thread *pin_thread_of(Object *o)
{
    Thread *t = o && object_is_instance(o, CLS(Thread)) ? thread_of_java(o) : NULL;
    if (!t || !thread_pin_listed(t))
        return NULL;
    if (pi_thread_object(t) == o)
        return t;
    thread_unpin(t);
    return NULL;
}

static bool request_thread_start(Thread *self, PiAgent *agent, void *arg)
{
    Object *o = pi_object(arg);
    Thread *t = pin_thread_of(o);
    if (!t)
        return false;
    pi_send_thread_start(self, t, handle_new(self, o), agent);
    thread_unpin(t);
    return true;
}

static bool request_alloc(Thread *self, PiAgent *agent, void *arg)
{
    Object *o = pi_object(arg);
    if (o)
        pi_send_alloc(self, handle_new(self, o), agent);
    return o != NULL;
}

static const struct {
    jint type;
    bool (*serve)(Thread *self, PiAgent *agent, void *arg);
    int where; // as in spec/jvmpi_functions.def
} requests[] = {
    {JVMPI_EVENT_CLASS_LOAD, request_class_load, GC_OFF},
    {JVMPI_EVENT_THREAD_START, request_thread_start, GC_OFF},
    {JVMPI_EVENT_OBJECT_ALLOC, request_alloc, GC_OFF},
    {JVMPI_EVENT_OBJECT_DUMP, pi_request_object_dump, GC_OFF},
    {JVMPI_EVENT_HEAP_DUMP, pi_request_heap_dump, OUTSIDE},
    {JVMPI_EVENT_MONITOR_DUMP, pi_request_monitor_dump, OUTSIDE},
};

jint pi_RequestEvent(PiAgent *agent, jint event_type, void *arg)
{
    for (size_t i = 0; i < ARRAY_LEN(requests); i++) {
        if (requests[i].type != event_type)
            continue;
        if (UNLIKELY(vm_options.check_jvmpi))
            pi_check("RequestEvent", requests[i].where);
        PI_CALL;
        if (!self || !agent->table.NotifyEvent)
            return JVMPI_FAIL;
        HANDLE_SCOPE(self);
        return requests[i].serve(self, agent, arg) ? JVMPI_SUCCESS : JVMPI_FAIL;
    }
    return JVMPI_NOT_AVAILABLE;
}
