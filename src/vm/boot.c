// SPDX-License-Identifier: Apache-2.0
// See boot.h. The order matters; each step says what it is for.
#include "vm/boot.h"

#include "base/log.h"
#include "class/vm_classes.h"
#include "classlib/classlib.h"
#include "java/call.h"
#include "java/exception.h"
#include "java/java_thread.h"
#include "java/reflect.h"
#include "java/shutdown.h"
#include "jit/jit.h"
#include "jni/jni_vm.h"
#include "jvmti/env/jvmti_vm.h"
#include "options/command_line.h"
#include "options/options.h"
#include "service/attach/attach.h"
#include "service/management/management.h"
#include "service/perf/perf_data.h"

static bool initialize_all(Thread *self, Class *const *classes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!class_initialize(self, classes[i]))
            return false;
    return true;
}

// String must know that the VM writes Latin-1 strings; Unsafe copies UnsafeConstants when it is
// initialised.
static bool write_constants(Thread *self)
{
    if (!class_initialize(self, CLS(UnsafeConstants)))
        return false;
    Object *m = class_mirror(CLS(UnsafeConstants));
    object_set_int(m, OFF(UnsafeConstants, ADDRESS_SIZE0), (int32_t)sizeof(void *));
    object_set_int(m, OFF(UnsafeConstants, PAGE_SIZE), (int32_t)os_page_size());
    object_set_boolean(m, OFF(UnsafeConstants, BIG_ENDIAN), 0);
    object_set_boolean(m, OFF(UnsafeConstants, UNALIGNED_ACCESS), 1);
    object_set_int(m, OFF(UnsafeConstants, DATA_CACHE_LINE_FLUSH_SIZE), 0);
    return true;
}

static bool first_classes(Thread *self)
{
    if (!class_initialize(self, CLS(String)))
        return false;
    object_set_boolean(class_mirror(CLS(String)), OFF(String, COMPACT_STRINGS),
                       vm_options.compact_strings);
    Class *const before_main[] = {CLS(System), CLS(Class), CLS(ThreadGroup), CLS(Thread)};
    if (!initialize_all(self, before_main, ARRAY_LEN(before_main))
        || !java_thread_create_main(self) || !class_initialize(self, CLS(Module))
        || !write_constants(self))
        return false;
    Class *const before_phase1[] = {CLS(ReflectMethod), CLS(Finalizer)};
    return initialize_all(self, before_phase1, ARRAY_LEN(before_phase1));
}

static bool error_classes(Thread *self)
{
    Class *const classes[] = {CLS(OutOfMemoryError),
                              CLS(NullPointerException),
                              CLS(ClassCastException),
                              CLS(ArrayStoreException),
                              CLS(ArithmeticException),
                              CLS(StackOverflowError),
                              CLS(IllegalMonitorStateException),
                              CLS(IllegalArgumentException)};
    return initialize_all(self, classes, ARRAY_LEN(classes));
}

static bool method_handle_classes(Thread *self)
{
    Class *const classes[] = {CLS(MethodHandle), CLS(ResolvedMethodName), CLS(MemberName),
                              CLS(MethodHandleNatives)};
    return initialize_all(self, classes, ARRAY_LEN(classes));
}

static bool module_system(Thread *self)
{
    jvalue result,
        args[] = {{.z = JNI_FALSE}, {.z = JNI_FALSE}}; // to stdout, as HotSpot; no stack trace
    if (!java_call(self, MTH(System, initPhase2), args, &result))
        return false;
    if (result.i != 0) // Java has printed why
        vm_exit(self, 1);
    loader_modules_ready();
    return true;
}

static bool class_loaders(Thread *self)
{
    HANDLE_SCOPE(self);
    jvalue system, platform;
    if (!java_call(self, MTH(ClassLoader, getSystemClassLoader), NULL, &system)
        || !java_call(self, MTH(ClassLoader, getPlatformClassLoader), NULL, &platform))
        return false;
    Loader *app = loader_of(self, system.l);
    app->is_app = app->loader_data.immortal = true;
    loader_of(self, platform.l)->is_platform = true;
    atomic_store(&loader_system, app);
    return true;
}

// It says itself what is wrong with its configuration.
static void management_agent(Thread *self)
{
    if (options_want_management_agent()
        && !java_call_static(self, "jdk/internal/agent/Agent", "startAgent", "()V", NULL,
                             NULL)) {
        self->exception = NULL;
        vm_exit(self, 1);
    }
}

// Logs how long a step of the start took, and begins the next one.
static void log_step(const char *step, int64_t *since)
{
    int64_t now = os_nanos();
    LOG(LOG_STARTUP, LOG_INFO, "%s, %.7f secs", step, (double)(now - *since) / 1e9);
    *since = now;
}

bool boot_java(Thread *self)
{
    ASSERT_MAY_GC(self);
    int64_t since = os_nanos();
    HANDLE_SCOPE(
        self); // else what is made here is a local reference of the launcher's for good
    if (!vm_classes_load(self))
        return false;
    jvmti_enter_early_start_phase(self);
    if (!exceptions_init(self) || !reflect_init(self) || !first_classes(self))
        return false;
    if (!java_call(self, MTH(System, initPhase1), NULL, NULL))
        return false;
    exceptions_started();
    if (!error_classes(self))
        return false;
    log_step("Initialize java.lang classes", &since);
    if (!vm_options.reduce_signals && !signals_start_dispatcher(self))
        return false;
    if (!method_handle_classes(self))
        return false;
    log_step("Initialize java.lang.invoke classes", &since);
    if (!module_system(self))
        return false;
    log_step("Initialize module system", &since);
    jni_set_vm_state(JNI_VM_ATTACHABLE);
    jvmti_enter_start_phase(self);
    if (exception_pending(self) || !java_call(self, MTH(System, initPhase3), NULL, NULL)
        || !class_loaders(self))
        return false;
    log_step("Initialize class loaders", &since);
    symbols_started();
    atomic_store(&vm_initialized, true);
    jvmti_enter_live_phase(self);
    jit_start(self);
    if (!perf_data_start(self) || !attach_enable(self))
        return false;
    jvmti_started(self);
    management_note_start();
    if (exception_pending(self))
        return false;
    management_agent(self);
    return true;
}
