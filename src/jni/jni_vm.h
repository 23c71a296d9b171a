// SPDX-License-Identifier: Apache-2.0
// What the layers above need of JNI: its function table, the invocation interface, interface
// providers.
#ifndef JNI_JNI_VM_H
#define JNI_JNI_VM_H

#include "thread/thread.h"

// The function table every thread starts with (checked when -Xcheck:jni asked for it).
// jni_table_set replaces it for all threads by a copy (JVM TI SetJNIFunctionTable).
const struct JNINativeInterface_ *jni_table(void);
// What kind of reference o is, to the current thread; JNIInvalidRefType when it is not one that lives.
// self is IN_NATIVE.
jobjectRefType jni_reference_type(Thread *self, jobject o);
void jni_table_set(const struct JNINativeInterface_ *table);
// Whether that was done.
bool jni_table_was_set(void);
// The one VM of the process.
JavaVM *jni_java_vm(void);
// GetEnv for versions that are not JNI's asks the providers in order; JNI_EVERSION: not mine.
// caller: an address in the code that asks.
typedef jint (*JniEnvProvider)(void **env, jint version, const void *caller);
void jni_add_env_provider(JniEnvProvider provider);
// Closes a library of a class loader that goes; os_library_close, unless who gives environments
// has something to do around it. self is IN_NATIVE.
extern void (*jni_close_library)(void *library);
// DestroyJavaVM, implemented by src/vm.
void jni_set_destroy(jint (*destroy)(void));
// How far the VM is. From ATTACHABLE on (before VMStart is posted) other threads may attach
// themselves; only while it is CREATED does GetCreatedJavaVMs report it.
typedef enum JniVmState {
    JNI_VM_STARTING,
    JNI_VM_ATTACHABLE,
    JNI_VM_CREATED,
    JNI_VM_EXITING, // exit(3) runs: no thread counts as attached any more, but the VM is there
    JNI_VM_DESTROYED
} JniVmState;
void jni_set_vm_state(JniVmState state);
bool jni_is_destroyed(void);
// A JNI version a library may ask for (JVM_IsSupportedJNIVersion).
bool jni_version_is_supported(jint version);
static inline JNIEnv *jni_env(Thread *self)
{
    return (JNIEnv *)&self->jni;
}
static inline Thread *jni_thread(JNIEnv *env)
{
    return (Thread *)((char *)env - THREAD_OFFSET_jni);
}

#endif
