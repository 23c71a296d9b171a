// SPDX-License-Identifier: Apache-2.0
// The phases of a VM's life (JVM TI, GetPhase) and what is posted when one begins. There is one
// phase for all environments, except that those with can_generate_early_vmstart are in the
// start phase earlier (ti_env_phase).
#include "java/shutdown.h"
#include "jvmti/check/ti_check.h"
#include "jvmti/env/jvmti_vm.h"
#include "jvmti/env/ti_departure.h"
#include "link/native.h"
#include "options/options.h"

_Atomic uint32_t ti_phase_now = JVMTI_PHASE_ONLOAD;
static _Atomic bool failed_in_onload;

void ti_phase_set(jvmtiPhase phase)
{
    mutex_lock(&ti_lock);
    ti_events_forget_sole(); // before: it is called without a look at the phase
    atomic_store(&ti_phase_now, (uint32_t)phase);
    mutex_unlock(&ti_lock);
}

bool ti_before_threads(void)
{
    return ti_phase() == JVMTI_PHASE_ONLOAD || atomic_load(&failed_in_onload);
}

// VM_DEATH has been posted, whoever listens to it.
static void end(Thread *self)
{
    ti_phase_set(JVMTI_PHASE_DEAD);
    thread_leave_vm(self, THREAD_IN_NATIVE);
    ti_agents_unload();
    thread_enter_vm(self);
}

// What agents leave behind is looked for when nothing runs any more: it takes a while, in which their
// threads would meet the dead phase.
static void look_back(Thread *self)
{
    (void)self;
    if (vm_options.check_jvmti)
        checked_finish();
}

// The VM does not come to run: no event is posted (JVM TI, GetPhase, Agent_OnUnload).
static void fail(void)
{
    atomic_store(&failed_in_onload, ti_phase() == JVMTI_PHASE_ONLOAD);
    ti_phase_set(JVMTI_PHASE_DEAD);
    ti_agents_unload();
    look_back(NULL);
}

void jvmti_init(void)
{
    ti_departures_init();
    ti_env_init();
    ti_events_init();
    native_set_agent_lookup(ti_agents_find);
    shutdown_add(end);
    shutdown_set_last(look_back);
    shutdown_set_failure(fail);
    ti_commands_init();
    if (vm_options.check_jvmti) {
        checked_callbacks_init();
        checked_memory_init();
    }
}

void jvmti_enter_early_start_phase(Thread *self)
{
    ASSERT_MAY_GC(self);
    ti_post_vm_start(self, true);
}

void jvmti_enter_start_phase(Thread *self)
{
    ti_phase_set(JVMTI_PHASE_START);
    ti_post_vm_start(self, false);
}

void jvmti_enter_live_phase(Thread *self)
{
    ASSERT_MAY_GC(self);
    ti_phase_set(JVMTI_PHASE_LIVE);
    ti_events_changed();
    ti_step_update();
    ti_sample_changed(self);
}

void jvmti_started(Thread *self)
{
    ASSERT_MAY_GC(self);
    ti_post_vm_init(self);
}
