// SPDX-License-Identifier: Apache-2.0
// -Xcheck:jvmti, the checking mode for agents (docs/CHECK.md). When it is on, environments get another
// function table, whose entries (generated/checked.c) look at the call before and after those of
// the usual one; the agent's callbacks are called through functions that look at what they leave;
// memory that is given to the agent is known. When it is off, none of this is in the way.
// Rules stand in spec/jvmti_check_rules.def.
#ifndef JVMTI_CHECK_TI_CHECK_H
#define JVMTI_CHECK_TI_CHECK_H

#include "jvmti/env/ti.h"
#include "service/report/agent_report.h"
#include "thread/raw_monitor.h"

typedef enum CheckRule {
#define CHECK_RULE(name, wrong, rule, remedy) RULE_##name,
#include "spec/jvmti_check_rules.def"
#undef CHECK_RULE
} CheckRule;

// Reports a finding; what follows the call's name is put into the text of the rule. `place` as in
// AgentReport. Any state.
void check_report(CheckRule rule, const AgentPlace *place, const char *call, ...);

// ---- ti_check.c: calls ----

// The table of the environments under -Xcheck:jvmti; behind it the entries of ti_function_table.
extern struct jvmtiInterface_1_ ti_checked_table;

typedef struct CheckedCall { // under way
    const char *name;
    jvmtiEnv *env;
    const void *id;     // argument: a jmethodID, jfieldID or raw monitor
    jvmtiEvent event;   // argument, 0: none
    bool iterates_heap; // has heap callbacks
    Thread *self;
    bool reported;
    const char *outer_stop;
    struct CheckedCall *outer; // in whose callbacks this one is
} CheckedCall;

// The call under way on this thread, NULL: none.
extern _Thread_local CheckedCall *checked_call;
// Before the function and after it. An error of the first is the call's.
jvmtiError checked_begin(CheckedCall *c);
jvmtiError checked_end(CheckedCall *c, jvmtiError error);
// A reference among the arguments, and a list of them: `error` when one is dead. NULL passes.
jvmtiError checked_reference(CheckedCall *c, const char *parameter, jobject o,
                             jvmtiError error);
jvmtiError checked_references(CheckedCall *c, const char *parameter, jint count,
                              const jobject *list, jvmtiError error);

// ---- ti_check_callback.c: callbacks ----

// Where this thread is while the world is stopped around an agent's callback; NULL: it is not.
extern _Thread_local const char *checked_stop;
void checked_callbacks_init(void);
// While the agent may not use JNI on this thread.
void checked_jni_forbid(Thread *self);
void checked_jni_allow(Thread *self);
// In place of SetEventCallbacks.
jvmtiError checked_SetEventCallbacks(CheckedCall *c, const jvmtiEventCallbacks *callbacks,
                                     jint size);
// The references of an event are to lie where those of the last one did not: called before they are
// made, in their handle scope.
void checked_shift_references(Thread *self);

// ---- ti_check_monitor.c: raw monitors ----

// What this thread has entered: after a function of the chapter succeeded, when the thread ends,
// and around a callback.
void checked_monitor_call(const CheckedCall *c);
void checked_thread_end(void);
typedef struct CheckedMonitors {
    int entries[16];
} CheckedMonitors;
void checked_monitors_note(CheckedMonitors *now);
void checked_monitors_compare(const CheckedMonitors *before, const char *callback,
                              const AgentPlace *place);

// ---- ti_check_memory.c: memory ----

void checked_memory_init(void);
// In place of Deallocate.
jvmtiError checked_Deallocate(CheckedCall *c, unsigned char *mem);
// Gives back what the agent's callback for that event left to the VM. The environment may have been disposed of.
void checked_give_back(Thread *self, TiEnv *env, jvmtiEvent event, unsigned char *mem);
// An agent's library: its free and realloc are ours from here on.
void checked_library(void *library);
// After Agent_OnUnload: what is leaked, and the end of all reports.
void checked_finish(void);

#endif
