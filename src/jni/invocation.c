// SPDX-License-Identifier: Apache-2.0
// The invocation interface, and the function table put together. One VM a process.
#include "frame/frame_cursor.h"
#include "interp/native_call.h"
#include "java/java_thread.h"
#include "jni/check.h"
#include "jni/jni_internal.h"
#include "options/options.h"
#include "thread/monitor.h"

static struct JNINativeInterface_ table;
static const struct JNINativeInterface_ *_Atomic current_table;
static _Atomic JniVmState vm_state;
static jint (*destroy_vm)(void);
enum { PROVIDERS_MAX = 4 };
static JniEnvProvider providers[PROVIDERS_MAX];
static int provider_count;

void jni_set_destroy(jint (*destroy)(void))
{
    destroy_vm = destroy;
}
void jni_set_vm_state(JniVmState state)
{
    atomic_store(&vm_state, state);
}
static bool is_created(void)
{
    return atomic_load(&vm_state) == JNI_VM_CREATED;
}
bool jni_is_destroyed(void)
{
    return atomic_load(&vm_state) == JNI_VM_DESTROYED;
}
void (*jni_close_library)(void *library) = os_library_close;

void jni_add_env_provider(JniEnvProvider provider)
{
    VM_CHECK(provider_count < PROVIDERS_MAX);
    providers[provider_count++] = provider;
}

bool jni_version_is_supported(jint version)
{
    static const jint versions[] = {JNI_VERSION_1_1, JNI_VERSION_1_2, JNI_VERSION_1_4,
                                    JNI_VERSION_1_6, JNI_VERSION_1_8, JNI_VERSION_9,
                                    JNI_VERSION_10};
    for (size_t i = 0; i < ARRAY_LEN(versions); i++)
        if (versions[i] == version)
            return true;
    return false;
}

static jint JNICALL DestroyJavaVM(JavaVM *vm)
{
    (void)vm;
    return is_created() ? destroy_vm() : JNI_ERR;
}

// The process ends: handlers of exit(3) are not of Java any more.
static bool is_ending(void)
{
    return atomic_load(&vm_state) >= JNI_VM_EXITING;
}

// A thread that the VM started ends with it: it does not return from here. Of the debugger's back end one
// may come when its connection is closed at the end; it would take the answer for an error.
static void end_with_vm(Thread *self)
{
    if (!self || !self->started)
        return;
    thread_enter_vm(self);
    thread_leave_vm(self, THREAD_IN_NATIVE); // the one that ended it
}

static jint attach(void **env, const JavaVMAttachArgs *args, bool daemon)
{
    Thread *self = thread_current();
    if (is_ending()) {
        end_with_vm(self);
        return JNI_ERR;
    }
    if (self) {
        *env = jni_env(self);
        return JNI_OK;
    }
    if (!is_created() && atomic_load(&vm_state) != JNI_VM_ATTACHABLE)
        return JNI_ERR;
    self = thread_attach_current(0);
    if (!self)
        return JNI_ENOMEM;
    *env = jni_env(self);
    if (!java_thread_attach(self, args ? args->name : NULL, args ? args->group : NULL,
                            daemon)) {
        self->exception = NULL;
        thread_detach_current(self);
        return JNI_ERR;
    }
    thread_leave_vm(self, THREAD_IN_NATIVE);
    return JNI_OK;
}
static jint JNICALL AttachCurrentThread(JavaVM *vm, void **env, void *args)
{
    (void)vm;
    return attach(env, args, false);
}
static jint JNICALL AttachCurrentThreadAsDaemon(JavaVM *vm, void **env, void *args)
{
    (void)vm;
    return attach(env, args, true);
}

static jint JNICALL DetachCurrentThread(JavaVM *vm)
{
    (void)vm;
    Thread *self = thread_current();
    if (is_ending())
        return JNI_ERR;
    if (!self)
        return JNI_OK;
    if (cursor_youngest(self).method)
        return JNI_ERR; // Java methods below on the stack
    thread_enter_vm(self);
    monitors_release_all(self);
    java_thread_exit(self);
    thread_detach_current(self);
    return JNI_OK;
}

static jint JNICALL GetEnv(JavaVM *vm, void **env, jint version)
{
    (void)vm;
    *env = NULL;
    if (jni_is_destroyed()) {
        end_with_vm(thread_current());
        return JNI_EDETACHED;
    }
    for (int i = 0; i < provider_count; i++) {
        jint rc = providers[i](env, version, __builtin_return_address(0));
        if (rc != JNI_EVERSION)
            return rc;
    }
    Thread *self = thread_current();
    if (version & 0x70000000) // of a tool interface
        return JNI_EVERSION;
    bool ending = is_ending();
    if (ending)
        end_with_vm(self);
    if (!self || !self->java_thread || ending)
        return JNI_EDETACHED;
    if (!jni_version_is_supported(version))
        return JNI_EVERSION;
    *env = jni_env(self);
    return JNI_OK;
}

static const struct JNIInvokeInterface_ invocation = {
    .DestroyJavaVM = DestroyJavaVM,
    .AttachCurrentThread = AttachCurrentThread,
    .DetachCurrentThread = DetachCurrentThread,
    .GetEnv = GetEnv,
    .AttachCurrentThreadAsDaemon = AttachCurrentThreadAsDaemon,
};
static JavaVM java_vm = &invocation;

JavaVM *jni_java_vm(void)
{
    return &java_vm;
}

static jint JNICALL GetJavaVM(JNIEnv *env, JavaVM **vm)
{
    (void)env;
    *vm = &java_vm;
    return JNI_OK;
}

const struct JNINativeInterface_ *jni_table(void)
{
    const struct JNINativeInterface_ *t = atomic_load(&current_table);
    if (t)
        return t;
    jni_fill_classes(&table);
    jni_fill_references(&table);
    jni_fill_calls(&table);
    jni_fill_fields(&table);
    jni_fill_strings(&table);
    jni_fill_arrays(&table);
    table.GetJavaVM = GetJavaVM;
    t = &table;
    if (vm_options.check_jni) {
        t = jni_check_table(&table);
        native_returned = jni_check_return;
    }
    atomic_store(&current_table, t);
    return t;
}

static _Atomic bool table_was_set;

bool jni_table_was_set(void)
{
    return atomic_load(&table_was_set);
}

// There is one copy, for a thread may be reading it at any time: each function is replaced at once.
void jni_table_set(const struct JNINativeInterface_ *t)
{
    static struct JNINativeInterface_ set;
    void *const *from = (void *const *)(const void *)t;
    void **to = (void **)(void *)&set;
    mutex_lock(&threads_lock);
    for (size_t i = 0; i < sizeof set / sizeof *to; i++)
        __atomic_store_n(&to[i], from[i], __ATOMIC_RELEASE);
    atomic_store(&table_was_set, true);
    atomic_store(&current_table, &set);
    thread_jni_table = &set;
    THREAD_EACH(thread)
    thread->jni = &set;
    mutex_unlock(&threads_lock);
}

// What the launcher passes: the arguments structure of JDK 1.1, of which it reads javaStackSize.
typedef struct InitArgs11 {
    jint version;
    char **properties;
    jint checkSource, nativeStackSize, javaStackSize;
} InitArgs11;

EXPORT jint JNICALL JNI_GetDefaultJavaVMInitArgs(void *p)
{
    InitArgs11 *args = p;
    if (args->version == JNI_VERSION_1_1) {
        args->version = JNI_VERSION_1_2;
        args->javaStackSize = 8 * 1024 * 1024;
        return JNI_OK;
    }
    return jni_version_is_supported(args->version) ? JNI_OK : JNI_ERR;
}

EXPORT jint JNICALL JNI_GetCreatedJavaVMs(JavaVM **vms, jsize capacity, jsize *count)
{
    *count = is_created() || atomic_load(&vm_state) == JNI_VM_EXITING ? 1 : 0;
    if (*count && capacity > 0)
        vms[0] = &java_vm;
    return JNI_OK;
}
