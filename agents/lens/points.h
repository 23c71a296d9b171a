// SPDX-License-Identifier: Apache-2.0
// Breakpoints that several orders may want at one place, and what watching a method needs to know of it.
//
// Breakpoints are counted by place: the first who wants one sets it, the last clears it. A breakpoint
// event is heard by every listener; each asks whether the place is its own.
#ifndef LENS_POINTS_H
#define LENS_POINTS_H

#include "expr.h"
#include "lens.h"
#include "pellucid_jvmti.h"

// Sets or clears breakpoints, with few stops of the program where the VM has lists for it
// (SetBreakpoints of pellucid_jvmti.h). Places that do not exist any more are passed over. Holds a
// lock over the JVM TI calls that nothing else is done under, so that two changes of one place
// cannot pass each other. Gives how many could be set (all, for clearing). ATTACHED.
size_t points_change(const PellucidLocation *places, size_t len, bool on);
// Sets again what is wanted in a class whose breakpoints the VM has dropped as it was redefined.
// ATTACHED.
void points_restore(jmethodID method);
// Whether the VM has lists of breakpoints: else each one stops the program. ATTACHED.
bool points_has_lists(void);
// Says FAILED with the option and another tool where this VM gives breakpoints only from the start;
// else as lens_need with the capabilities of breakpoints. AGENT.
bool points_need(LensOrder *order, const char *what, jvmtiCapabilities more);

// ---- methods ----

// The methods of a class; freed by agent_deallocate. NULL with *len 0 where the class is not prepared.
jmethodID *points_methods(jclass class, jint *len);
// The name of a class as Class.getName has it, malloc'd UTF-8, NULL when memory ends.
char *points_class_name(jclass class);
// Whether `class` is prepared and no array: then it can have breakpoints.
bool points_is_prepared(jclass class);

// A variable that can be read at a place. The text lies in `names` of the list.
typedef struct PointVariable {
    const char *name;
    char type; // first character of its descriptor
    jint slot;
} PointVariable;
typedef struct PointVariables {
    PointVariable *list; // the arguments first, without `this`
    uint32_t len, args;
    bool has_this;
    char *names;
} PointVariables;
// The arguments of a method and, with `all`, the locals that hold a value at `location`. Without
// debug information the arguments are called arg0, arg1. False when memory ends or the method is gone.
bool points_variables(jmethodID method, jlocation location, bool all,
                      PointVariables *variables);
void points_variables_free(PointVariables *variables);

// ---- values (points_values.c) ----

// Reads a variable of the thread's innermost frame. False where the VM refuses. ATTACHED, in a callback
// of that thread.
bool points_local(jthread thread, const PointVariable *variable, ExprValue *value);

// Names and values for a record, as texts. What does not fit is left out.
enum { POINT_VALUES_BYTES = 3000, POINT_VALUE_BYTES = 900, POINT_VALUES_MAX = 24 };
typedef struct PointValues {
    uint32_t n;
    size_t len;
    uint8_t bytes[POINT_VALUES_BYTES]; // for each name and value: `u` length, bytes
} PointValues;
void points_values_text(PointValues *values, const char *name, const char *text);
void points_values_add(PointValues *values, ExprScope *scope, const char *name,
                       ExprValue value);
// The first `len` variables of the list.
void points_values_variables(PointValues *values, ExprScope *scope, jthread thread,
                             const PointVariables *variables, uint32_t len);
void points_values_put(const PointValues *values, LensRecord *record); // `u` n, n x (`s`, `s`)

#endif
