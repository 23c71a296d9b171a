// SPDX-License-Identifier: Apache-2.0
// What the VM's start needs of JVM TI: phases and agents.
#ifndef JVMTI_ENV_JVMTI_VM_H
#define JVMTI_ENV_JVMTI_VM_H

#include "class/loader.h"

// Registers the env provider and the event subscriber. Before agents are loaded.
void jvmti_init(void);
// Loads the agents of the command line in order and calls their Agent_OnLoad (JVM_OnLoad for
// -Xrun). False after one clear line on stderr.
bool agents_load(void);
// Loads an agent into the running VM and calls its Agent_OnAttach, whose result is *result
// (attach, jcmd). False: `error` says why it was not called. self is IN_VM.
MAY_GC bool agent_attach(Thread *self, const char *name, bool is_path, const char *options,
                         jint *result, char *error, size_t error_size);
// Phases: primordial and OnLoad pass by themselves; the two of the start phase post VM_START. The
// early one, optional, is for environments with can_generate_early_vmstart: as soon as bytecodes
// run, before the module system is there.
MAY_GC void jvmti_enter_early_start_phase(Thread *self);
MAY_GC void jvmti_enter_start_phase(Thread *self);
MAY_GC void jvmti_enter_live_phase(Thread *self);
// Posts VM_INIT, in the live phase. A handler may run for long (a debugger is awaited): what other
// processes may ask for must work before.
MAY_GC void jvmti_started(Thread *self);

#endif
