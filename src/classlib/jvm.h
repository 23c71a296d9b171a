// SPDX-License-Identifier: Apache-2.0
// The functions that libjvm.so exports to the JDK's own libraries (spec/jvm_functions.def).
// They are called in native state; each enters the VM by IN_VM. Meaning: the Java methods that
// end in them.
#ifndef CLASSLIB_JVM_H
#define CLASSLIB_JVM_H

#include <stdio.h>

#include "classlib/classlib.h"
#include "jni/jni_internal.h"
#include "link/native.h"

struct JvmExceptionTableEntry { // as libverify reads it
    jint start_pc, end_pc, handler_pc, catch_type;
};

#define JVM_FUNCTION(result, name, parameters) EXPORT result JNICALL name parameters;
#include "spec/jvm_functions.def"
#undef JVM_FUNCTION

EXPORT int jio_snprintf(char *str, size_t count, const char *fmt, ...) PRINTF(3, 4);
EXPORT int jio_vsnprintf(char *str, size_t count, const char *fmt, va_list args) PRINTF(3, 0);
EXPORT int jio_fprintf(FILE *f, const char *fmt, ...) PRINTF(2, 3);
EXPORT int jio_vfprintf(FILE *f, const char *fmt, va_list args) PRINTF(2, 0);
EXPORT int jio_printf(const char *fmt, ...) PRINTF(1, 2);

// Whether an interrupted wait ends in an InterruptedException: not when the thread was stopped
// (Thread.stop), which interrupts it too; that is pending then. IN_VM, MAY_GC.
MAY_GC bool may_throw_interrupted(Thread *self); // jvm_thread.c

// Tables of natives that the VM supplies, registered by classlib_register_natives.
typedef struct NativeRows {
    const VmNative *rows;
    size_t count;
} NativeRows;
// registerNatives of classes whose other natives stand in these tables.
void JNICALL nothing_to_register(JNIEnv *env, jclass c);
extern const NativeRows unsafe_natives, object_natives, perf_natives, method_handle_natives,
    foreign_natives, misc_natives;
void intrinsics_register(void); // intrinsics.c

#endif
