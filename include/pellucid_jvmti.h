// SPDX-License-Identifier: Apache-2.0
// What Pellucid has beyond JVM TI. An agent finds these functions by their ids in what
// GetExtensionFunctions gives; each may be called in every phase if it does not say otherwise, and from every callback but
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
                        // is estimated from every 61st, from the millionth on from every 127th
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

// Bytes that the threads of the program have allocated in the heap since the VM began, those that have ended included: exact, but for
// what a thread has in its hands. It only grows. All threads stop for some microseconds. Live phase; else WRONG_PHASE and nothing is
// written.
#define PELLUCID_ALLOCATED_BYTES "org.pellucid.functions.AllocatedBytes"
typedef jvmtiError(JNICALL *PellucidAllocatedBytes)(jvmtiEnv *env, jlong *bytes_ptr);

// SetBreakpoint and ClearBreakpoint for many locations. A single one stops all threads of the program; here one stop is for many
// of them, none longer than about 5 ms: so 100,000 are set in a fraction of a second beside busy threads. Threads run in between
// and see some breakpoints before others. Each location is dealt with in turn as the function of the table would, and has its
// own error: NONE, INVALID_METHODID, INVALID_LOCATION, DUPLICATE (also of one earlier in the same list), NOT_FOUND. `results` has
// room for `count` of them, or is NULL: then they are not told. The call itself ends with NONE whatever they are, or does nothing
// and ends with WRONG_PHASE (they belong to the live phase), MUST_POSSESS_CAPABILITY (can_generate_breakpoint_events),
// ILLEGAL_ARGUMENT (count below 0), NULL_POINTER (locations, with a count above 0), or an error of every function.
// As those of the table they may be called from the callback of a Breakpoint.
typedef struct PellucidLocation {
    jmethodID method;
    jlocation location;
} PellucidLocation;
#define PELLUCID_SET_BREAKPOINTS "org.pellucid.functions.SetBreakpoints"
typedef jvmtiError(JNICALL *PellucidSetBreakpoints)(jvmtiEnv *env, jint count,
                                                    const PellucidLocation *locations,
                                                    jvmtiError *results);
#define PELLUCID_CLEAR_BREAKPOINTS "org.pellucid.functions.ClearBreakpoints"
typedef jvmtiError(JNICALL *PellucidClearBreakpoints)(jvmtiEnv *env, jint count,
                                                      const PellucidLocation *locations,
                                                      jvmtiError *results);

// RedefineClasses and RetransformClasses of this environment take what -XX:+AllowEnhancedClassRedefinition lets all take
// (docs/REDEFINITION.md: methods, fields, interfaces that come or go), or do not any more; calls that have begun go on as they began. Where that flag is
// on it is so for all, whatever is said here. In every phase; NONE, or an error of every function.
#define PELLUCID_SET_ENHANCED_REDEFINITION "org.pellucid.functions.SetEnhancedRedefinition"
typedef jvmtiError(JNICALL *PellucidSetEnhancedRedefinition)(jvmtiEnv *env, jboolean on);

// What came of a snapshot of the heap. A process of its own, made in a short stop of the program, has the program's memory as it was at that
// moment; the pages that the program changes meanwhile are copied.
typedef struct PellucidSnapshotResult {
    jlong stopped_nanos; // for which the program stood still
    jlong nanos;         // until the process had ended
    jlong bytes;         // SnapshotHeap: written
    jint value;          // VisitSnapshot: what `visit` returned
    char error[128];     // what went wrong, in words; "": nothing
} PellucidSnapshotResult;

// Writes the heap as HPROF 1.0.2, to a file or a descriptor, while the program runs on. In the live phase, outside of stops of the world.
// NONE; ILLEGAL_ARGUMENT (packing, level, neither path nor fd); NULL_POINTER (options, result); INTERNAL: result->error says why:
// there may be a part of the file then. It takes as long as the writing does.
enum { PELLUCID_PLAIN, PELLUCID_GZIP, PELLUCID_ZSTD };
typedef struct PellucidSnapshotOptions {
    const char *path;    // NULL: `fd`
    jint fd;             // open for writing, a pipe, too; the call leaves it open
    jint packing, level; // level 1 to 9 of gzip, 1 to 19 of zstd; 0: 1
    jboolean live;       // collect garbage first
    jboolean overwrite;  // a file that exists; else it is refused
    jlong
        copied_most; // bytes of memory that may be copied, more end the snapshot; 0: half of what is available
} PellucidSnapshotOptions;
#define PELLUCID_SNAPSHOT_HEAP "org.pellucid.functions.SnapshotHeap"
typedef jvmtiError(JNICALL *PellucidSnapshotHeap)(jvmtiEnv *env,
                                                  const PellucidSnapshotOptions *options,
                                                  PellucidSnapshotResult *result);

// Calls `visit` in such a process, on the one thread that it has, and waits for its end. There FollowReferences, IterateThroughHeap, GetTag,
// GetObjectsWithTags without objects, GetObjectSize of what a callback is given, Allocate and Deallocate may be called, functions of the C library,
// and nothing else of JVM TI or JNI. What it changes, tags included, ends with the process: results come back as its value, through `fd`,
// which is the only descriptor that is open there (-1: none), or through memory that the agent has mapped MAP_SHARED before. In the live phase. NONE;
// NULL_POINTER (visit, result); INTERNAL: result->error says why: the process was ended, or there could be none.
typedef jint(JNICALL *PellucidSnapshotVisitor)(jvmtiEnv *env, void *user_data);
#define PELLUCID_VISIT_SNAPSHOT "org.pellucid.functions.VisitSnapshot"
typedef jvmtiError(JNICALL *PellucidVisitSnapshot)(jvmtiEnv *env, PellucidSnapshotVisitor visit,
                                                   void *user_data, jint fd, jlong copied_most,
                                                   PellucidSnapshotResult *result);

#ifdef __cplusplus
}
#endif
#endif
