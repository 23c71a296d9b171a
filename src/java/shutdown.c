// SPDX-License-Identifier: Apache-2.0
// See shutdown.h.
#include "java/shutdown.h"

#include <stdio.h>

#include "base/output.h"
#include "base/vec.h"
#include "class/loader.h"
#include "event/event.h"
#include "java/exception.h"
#include "options/options.h"

typedef void (*Action)(Thread *self);
static VEC(Action) actions;
static Action last;
static void (*failure)(void), (*exiting)(void);
static Thread *_Atomic ending; // the first that came

void shutdown_add(Action action)
{
    vec_push(&actions, action);
}

void shutdown_set_last(Action action)
{
    last = action;
}

void shutdown_set_failure(void (*action)(void))
{
    failure = action;
}

void shutdown_set_exiting(void (*action)(void))
{
    exiting = action;
}

void vm_shutdown(Thread *self)
{
    ASSERT_MAY_GC(self);
    Thread *first = NULL;
    if (!atomic_compare_exchange_strong(&ending, &first, self) && first != self) {
        thread_leave_vm(self, THREAD_WAITING);
        for (;;)
            os_sleep_nanos(1000000000);
    }
    if (!first) {
        event_post(self, VM_DEATH, .unused = 0);
        for (size_t i = actions.len; i-- > 0;)
            actions.at[i](self);
    } // else a handler or action of its own ends the VM
    threads_freeze_others(self);
    if (last)
        last(self);
}

void vm_exit(Thread *self, int code)
{
    vm_shutdown(self);
    thread_leave_vm(self, THREAD_IN_NATIVE);
    if (exiting)
        exiting();
    fflush(NULL);
    options_exit(code);
}

void vm_exit_during_initialization(Thread *self, const char *message)
{
    fprintf(vm_stdout(), "Error occurred during initialization of VM\n");
    if (message)
        fprintf(vm_stdout(), "%s\n", message);
    if (self && exception_pending(self))
        fprintf(vm_stdout(), "%s\n", exception_text(self->exception));
    fflush(NULL);
    if (self)
        thread_leave_vm(self, THREAD_IN_NATIVE);
    if (failure)
        failure();
    options_exit(1);
}
