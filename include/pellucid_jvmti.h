// SPDX-License-Identifier: Apache-2.0
// What Pellucid has beyond JVM TI. An agent finds these functions by their ids in what
// GetExtensionFunctions gives; each may be called in every phase, and from every callback but
// those of the heap and of the collector.
#ifndef PELLUCID_JVMTI_H
#define PELLUCID_JVMTI_H

#include <jvmti.h>

#ifdef __cplusplus
extern "C" {
#endif

// The last call of a JVM TI function on the calling thread that failed, in words: function, error,
// the parameter that was wrong or the capability that is missing, and the rule. *text_ptr is
// freed by Deallocate; NULL when no call has failed yet.
#define PELLUCID_LAST_ERROR "org.pellucid.functions.LastError"
typedef jvmtiError(JNICALL *PellucidLastError)(jvmtiEnv *env, char **text_ptr);

// What an environment has cost so far.
typedef struct PellucidEnvironmentCost {
    jvmtiEnv *env;
    jlong events; // callbacks that were called
    jlong
        callback_nanos; // time spent in them, by the clock on the wall; from the 1,000th on it
                        // is estimated from every 61st
    jlong tags;         // objects that have a tag now
    jlong vm_bytes;     // memory of the VM for tags, breakpoints and watches, now
    jlong agent_bytes;  // memory that its functions gave to the agent and that it did not
                        // Deallocate (through this environment)
} PellucidEnvironmentCost;

// One entry for each environment that is not disposed of, in the order of their creation.
// *costs_ptr is freed by Deallocate.
#define PELLUCID_ENVIRONMENT_COSTS "org.pellucid.functions.EnvironmentCosts"
typedef jvmtiError(JNICALL *PellucidEnvironmentCosts)(jvmtiEnv *env, jint *count_ptr,
                                                      PellucidEnvironmentCost **costs_ptr);

#ifdef __cplusplus
}
#endif
#endif
