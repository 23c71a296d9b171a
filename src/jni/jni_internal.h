// SPDX-License-Identifier: Apache-2.0
// Shared by the files of the JNI layer. Each family of functions is a file; invocation.c puts
// them into the table by the lists below. A jmethodID is a cell that holds a Method *
// (class/method_id.h), a jfieldID a Field *.
// Every function enters the VM by IN_VM, which leaves it on every way out.
#ifndef JNI_JNI_INTERNAL_H
#define JNI_JNI_INTERNAL_H

#include "class/loader.h"
#include "class/method_id.h"
#include "jni/jni_vm.h"
#include "link/resolve.h"

static inline Thread *jni_enter(JNIEnv *env)
{
    Thread *self = jni_thread(env);
    thread_enter_vm(self);
    return self;
}
static inline void jni_leave(Thread **self)
{
    thread_leave_vm(*self, THREAD_IN_NATIVE);
}
#define IN_VM(env) __attribute__((cleanup(jni_leave))) UNUSED Thread *self = jni_enter(env)

// The kinds of values: JNI_KIND(name in function names, C type, jvalue member, descriptor char)
#define JNI_PRIMITIVES(K)        \
    K(Boolean, jboolean, z, 'Z') \
    K(Byte, jbyte, b, 'B')       \
    K(Char, jchar, c, 'C')       \
    K(Short, jshort, s, 'S')     \
    K(Int, jint, i, 'I')         \
    K(Long, jlong, j, 'J')       \
    K(Float, jfloat, f, 'F')     \
    K(Double, jdouble, d, 'D')

// Memory for a copy that native code frees by a function of JNI. NULL: OutOfMemoryError is pending. MAY_GC
MAY_GC void *jni_copy_memory(Thread *self, size_t size);
// The Java stack of a thread on stdout, in the form of an exception's.
void jni_print_stack(Thread *self);
// The end after a fatal error that has been reported in full: abort(), without a core dump (-XX:-CreateCoredumpOnCrash)
// exit code 1.
NORETURN COLD void jni_abort(void);

// Each file fills its part of the table.
void jni_fill_classes(struct JNINativeInterface_ *t);
void jni_fill_references(struct JNINativeInterface_ *t);
void jni_fill_calls(struct JNINativeInterface_ *t);
void jni_fill_fields(struct JNINativeInterface_ *t);
void jni_fill_strings(struct JNINativeInterface_ *t);
void jni_fill_arrays(struct JNINativeInterface_ *t);

#endif
