// SPDX-License-Identifier: Apache-2.0
// The checks that the generated entries are made of. In the order of their use: phase, thread,
// environment, capability (ti_begin_*), parameters (ti_check_*), and at last ti_end_*.
#ifndef JVMTI_TI_ENTRY_H
#define JVMTI_TI_ENTRY_H

#include "jvmti/ti.h"
#include "thread/raw_monitor.h"

enum { // sets of phases
    TI_PHASE_ONLOAD = 1 << JVMTI_PHASE_ONLOAD,
    TI_PHASE_PRIMORDIAL = 1 << JVMTI_PHASE_PRIMORDIAL,
    TI_PHASE_START = 1 << JVMTI_PHASE_START,
    TI_PHASE_LIVE = 1 << JVMTI_PHASE_LIVE,
    TI_PHASES_ANY = -1,
};
enum { // capability bits
    TI_CAP_NONE = -1,
#define CAPABILITY(bit, name, potential) TI_CAP_##name = bit,
#include "../../spec/jvmti_capabilities.def"
#undef CAPABILITY
};

typedef struct TiFunction { // of the table
    const char *name;
    int phases;
    int capability;
} TiFunction;

// A call under way.
typedef struct TiCall {
    Thread *self; // NULL in the OnLoad phase
    TiEnv *env;
    const TiFunction *function;
    const char *argument; // the parameter that is wrong, NULL: none alone
    Thread *pinned;       // a thread argument
    bool entered;         // the call went IN_VM and goes back
} TiCall;

// The last call of the current thread that failed; function NULL when there was none.
typedef struct TiFailure {
    const TiFunction *function;
    const char *argument;
    jvmtiError error;
    jvmtiPhase phase;
} TiFailure;
const TiFailure *ti_last_failure(void);
// The name with JVMTI_ERROR_ and the meaning of an error; NULL: there is none of that code.
const char *ti_error_name(jvmtiError error);
const char *ti_error_text(jvmtiError error);
const char *ti_capability_name(int capability); // "" when there is none of that number
int ti_event_capability(jvmtiEvent event);      // that enabling it needs, or TI_CAP_NONE

// WRONG_PHASE, UNATTACHED_THREAD, INVALID_ENVIRONMENT, MUST_POSSESS_CAPABILITY. After NONE the
// call must be ended. _vm: self goes IN_VM (MAY_GC); in a heap or GC callback, where it may
// not, UNATTACHED_THREAD.
MAY_GC jvmtiError ti_begin_vm(TiCall *call, jvmtiEnv *env, const TiFunction *function);
jvmtiError ti_begin_native(TiCall *call, jvmtiEnv *env, const TiFunction *function);
void ti_end_vm(TiCall *call, jvmtiError error);
void ti_end_native(TiCall *call, jvmtiError error);

// What each takes and gives stands in the head of spec/jvmti_functions.def.
jvmtiError ti_check_thread(TiCall *call, jthread thread, bool null_is_current, Thread **out);
jvmtiError ti_check_thread_object(TiCall *call, jthread thread, bool null_is_current,
                                  jthread *out);
jvmtiError ti_check_group(jthreadGroup group);
jvmtiError ti_check_class(jclass klass, Class **out);
jvmtiError ti_check_service(jclass klass);
jvmtiError ti_check_method(jmethodID method, Method **out);
jvmtiError ti_check_bytecode_method(jmethodID method, Method **out);
jvmtiError ti_check_field(Class *c, jfieldID field, Field **out);
jvmtiError ti_check_object(jobject object);
jvmtiError ti_check_monitor(jrawMonitorID monitor, RawMonitor **out);
jvmtiError ti_check_module(jobject module);

#endif
