// SPDX-License-Identifier: Apache-2.0
// -Xcheck:jni: a function table whose every entry looks at its arguments and at the thread first. A
// misuse that cannot go on ends the process as FatalError does, others print a warning; both on
// stdout with the Java stack, in HotSpot's words.
#ifndef JNI_CHECK_H
#define JNI_CHECK_H

#include "jni/jni_internal.h"

// A table of checking functions in front of those of `real`, which stay in use. There is one: given it, it gives it back.
const struct JNINativeInterface_ *jni_check_table(const struct JNINativeInterface_ *real);
// The engine's hook for the return of a native method: what its caller did not check is forgotten.
void jni_check_return(Thread *self);

// Asked before each call when it is not NULL: does not return where JNI may not be used at all.
typedef void (*JniForbidden)(const char *function);
extern JniForbidden jni_forbidden;

// ---- what check.c offers the table ----

// The functions behind the checks.
extern const struct JNINativeInterface_ *jni_unchecked;

typedef enum CheckFlags {
    WITH_EXCEPTION = 1, // may be called while an exception is pending
    IN_CRITICAL = 2,    // may be called between Get… and Release…Critical
} CheckFlags;

// "FATAL ERROR in native method: …", the stack, abort.
NORETURN PRINTF(2, 3) void check_fail(JNIEnv *env, const char *format, ...);
// Before anything else: whether it is allowed at all, the thread, a critical section, pending and unchecked exceptions.
void check_call_of(const char *function, JNIEnv *env, CheckFlags flags);
#define check_call(env, flags) check_call_of(__func__, env, flags)
// After a call of Java: `function` may have left an exception that the program must ask for.
void check_later(const char *function);
void check_asked(void); // it has asked

void check_no_exception(JNIEnv *env);         // pending
void check_reference(JNIEnv *env, jobject o); // not NULL
void check_reference_or_null(JNIEnv *env, jobject o);
void check_class(JNIEnv *env, jclass c);
void check_throwable_class(JNIEnv *env, jclass c);
void check_throwable(JNIEnv *env, jthrowable o);
void check_string(JNIEnv *env, jstring s);
void check_array(JNIEnv *env, jarray a);
void check_object_array(JNIEnv *env, jobjectArray a);
void check_primitive_array(JNIEnv *env, jarray a, char kind); // 0: any
// `kind` is the first character of the field's descriptor, 'L' for all references.
void check_instance_field(JNIEnv *env, jobject o, jfieldID id, char kind);
void check_static_field(JNIEnv *env, jclass c, jfieldID id, char kind);
void check_method(JNIEnv *env, jmethodID id);
void check_method_of(JNIEnv *env, jclass c, jmethodID id); // of the class or one above it
void check_reference_type(JNIEnv *env, jobject o, jobjectRefType type, const char *function);
void check_descriptor(JNIEnv *env, const char *class_name);

void check_capacity(JNIEnv *env, jint capacity);

void check_critical_enter(void);
void check_critical_exit(void);

// A copy of `size` bytes at `real` between guards.
void *guard_new(void *real, size_t size);
// The bytes behind a guarded copy; NULL when the guards are not whole or `copy` is none.
void *guard_real(void *copy, size_t *size);
void guard_free(void *copy);

#endif
