// SPDX-License-Identifier: Apache-2.0
// JNI_CreateJavaVM and DestroyJavaVM: the one place that knows every part and the order in
// which they start. One VM a process.
#include <errno.h>
#include <gnu/libc-version.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "base/recent.h"
#include "class/metadata.h"
#include "class/symbol_sweep.h"
#include "class/unload.h"
#include "class/vm_classes.h"
#include "classlib/classlib.h"
#include "code/code_cache.h"
#include "code/code_gdb.h"
#include "code/code_perf_map.h"
#include "code/compiled_frame.h"
#include "event/event.h"
#include "frame/move_stack.h"
#include "heap/gc_log.h"
#include "interp/interp.h"
#include "interp/profile.h"
#include "java/call.h"
#include "java/exception.h"
#include "java/java_object.h"
#include "java/java_thread.h"
#include "java/shutdown.h"
#include "java/string.h"
#include "jit/jit.h"
#include "jni/jni_vm.h"
#include "jvmpi/jvmpi_vm.h"
#include "jvmti/env/jvmti_vm.h"
#include "link/native.h"
#include "options/command_line.h"
#include "options/flags.h"
#include "redefine/class_version.h"
#include "service/attach/attach.h"
#include "service/commands/diagnostic_command.h"
#include "service/dump/heap_dump.h"
#include "service/management/management.h"
#include "service/perf/perf_data.h"
#include "service/report/crash.h"
#include "service/report/method_data.h"
#include "thread/monitor.h"
#include "vm/boot.h"

enum { START_BLOCKS = 7 << 19 }; // bytes; the smallest program has 3.4 MiB in the end

static atomic_flag creation_begun = ATOMIC_FLAG_INIT;

static void before_collection(bool full)
{
    if (full && options_now(vm_options.heap_dump_before_full))
        heap_dump_by_flag(thread_current());
    management_gc_begin();
    perf_note_gc(heap_gc_cause());
    event_post(thread_current(), GC_START, .full = full);
}

static void after_collection(bool full)
{
    if (full) {
        versions_sweep();
        jit_collected();
    }
    unload_free();
    symbols_sweep(full);
    if (unload_has_news())
        references_notify(); // the reference handler posts CLASS_UNLOAD
    management_gc_end(full);
    perf_note_gc(NULL);
    if (full && options_now(vm_options.heap_dump_after_full))
        heap_dump_by_flag(thread_current());
    event_post(thread_current(), GC_FINISH, .full = full);
}

static void prepare_collection(Thread *self)
{
    event_post(self, GC_PREPARE, .unused = 0);
}

static bool find_placement(Placement *out)
{
    const char *name = vm_options.jit_layout;
    *out = PLACEMENT_LOW;
    if (!name || placement_find(name, out))
        return true;
    fprintf(
        stderr,
        "Error occurred during initialization of VM\n-XX:JitLayout=%s: not low, based or far\n",
        name);
    return false;
}

// What is asked for, or a part of a limited address space: the cache takes twice its size there.
static size_t code_cache_size(void)
{
    enum { SHARE = 32 };
    return MIN_OF(vm_options.code_cache, os_address_space_limit() / SHARE);
}

// The VM can do without generated code.
static void reserve_code(void)
{
    if (vm_options.jit_gdb)
        code_gdb_name_pieces();
    if (vm_options.jit_perf_map && !code_perf_map_begin())
        vm_warning("JitPerfMap: %s", strerror(errno));
    (void)code_cache_init(code_cache_size(), CODE_MAPPING_ANY);
}

static bool start_memory(void)
{
    char error[256];
    Placement placement;
    if (!find_placement(&placement))
        return false;
    HeapOptions heap = {.initial = vm_options.heap_initial,
                        .max = vm_options.heap_max,
                        .young = vm_options.heap_young,
                        .soft_ms_per_mb = vm_options.soft_ms_per_mb,
                        .keep_classes = !vm_options.class_unloading,
                        .large_pages = vm_options.transparent_huge_pages,
                        .placement = placement};
    if (!heap_init(&heap, error, sizeof error)) {
        fprintf(stderr, "Error occurred during initialization of VM\n%s\n", error);
        return false;
    }
    LOG(LOG_GC, LOG_INFO, "Using Pellucid");
    gc_log_start(vm_version);
    size_t class_space = MIN_OF(vm_options.class_space, vm_options.max_metaspace);
    metadata_set_limits(vm_options.metaspace_threshold, vm_options.max_metaspace);
    if (!class_space_init(class_space, placement)) {
        fprintf(stderr,
                "Error occurred during initialization of VM\nCould not allocate compressed "
                "class space: %zu bytes\n",
                class_space);
        return false;
    }
    reserve_code();
    compiled_frames_init();
    heap_set_world(&(HeapWorld){.stop = world_stop_to_collect,
                                .resume = world_resume,
                                .each_mutator = threads_each_mutator,
                                .block = thread_block,
                                .unblock = thread_unblock,
                                .unblock_to_collect = thread_unblock_undisturbed,
                                .collected = thread_undisturbed_end,
                                .prepare = prepare_collection,
                                .visit_roots = threads_visit_roots,
                                .references_pended = references_notify,
                                .visit_classes = threads_visit_classes,
                                .unload = unload_dead_classes,
                                .before = before_collection,
                                .after = after_collection});
    return true;
}

static bool start_libraries(void)
{
    char error[512];
    if (!loader_init(vm_options.java_home, vm_options.boot_append, error, sizeof error)) {
        fprintf(stderr, "Error occurred during initialization of VM\n%s\n", error);
        return false;
    }
    for (size_t i = 0; i < vm_options.patches.len; i++)
        loader_add_patch(vm_options.patches.at[i].key, vm_options.patches.at[i].value);
    char *path = vm_asprintf("%s/libjava.so", vm_options.library_dir);
    void *libjava = os_library_open(path, error, sizeof error);
    vm_free(path);
    if (!libjava)
        fprintf(stderr, "Error occurred during initialization of VM\n%s\n", error);
    native_set_library(libjava);
    return libjava != NULL;
}

static jint destroy(void)
{
    Thread *self = thread_current();
    if (!self) {
        self = thread_attach_last();
        if (!self || !java_thread_attach(self, "DestroyJavaVM", NULL, false)) {
            vm_warning("no memory for the thread that ends the VM: shutdown hooks do not run");
            return JNI_ERR;
        }
    } else {
        thread_enter_vm(self);
    }
    self->exception = NULL; // of the caller or of a listener: nobody takes it any more
    threads_wait_for_others(self);
    if (!java_call(self, MTH(Shutdown, shutdown), NULL, NULL))
        self->exception = NULL; // Shutdown reports what its hooks throw
    vm_shutdown(self);
    thread_leave_vm(self, THREAD_IN_NATIVE);
    jni_set_vm_state(JNI_VM_DESTROYED);
    return JNI_OK;
}

static void note_exit(void)
{
    jni_set_vm_state(JNI_VM_EXITING);
}

static void log_system(void)
{
    char threads[64] = "";
    confstr(_CS_GNU_LIBPTHREAD_VERSION, threads, sizeof threads);
    LOG(LOG_OS, LOG_DEBUG, "Initial active processor count set to %d", os_cpu_count());
    LOG(LOG_OS, LOG_INFO, "Pellucid is running with glibc %s, %s", gnu_get_libc_version(),
        threads);
}

static bool version_is_known(jint version)
{
    return version != JNI_VERSION_1_1 && jni_version_is_supported(version);
}

static bool profiles_are_asked_for(void)
{
    return vm_options.print_method_data || vm_options.profile_threshold < PROFILE_WARM;
}

EXPORT jint JNICALL JNI_CreateJavaVM(JavaVM **vm, void **env, void *init_args)
{
    const JavaVMInitArgs *args = init_args;
    if (!version_is_known(args->version))
        return JNI_EVERSION;
    if (atomic_flag_test_and_set(&creation_begun))
        return jni_is_destroyed() ? JNI_ERR : JNI_EEXIST;
    int64_t start = os_nanos();
    static bool crash_ready;
    if (!crash_ready)
        crash_init();
    crash_ready = true;
    jint rc = options_parse(args);
    if (rc != JNI_OK) {
        atomic_flag_clear(&creation_begun); // may be tried again with other options
        return rc;
    }
    vm_expect_blocks(START_BLOCKS);
    crash_apply_options();
    log_system();
    recent_init(vm_options.log_events ? (size_t)vm_options.log_events_entries : 0);
    signals_init();
    attach_init();
    symbols_init();
    move_stack_init();
    threads_init(vm_options.stack_size);
    monitors_init();
    if (!start_memory())
        return JNI_ENOMEM;
    strings_init();
    jni_set_destroy(destroy);
    shutdown_set_exiting(note_exit);
    profile_init((uint32_t)vm_options.profile_threshold, profiles_are_asked_for());
    interp_init();
    jit_init();
    java_threads_init();
    perf_data_init();
    exceptions_set_heap_dump(heap_dump_by_flag);
    classlib_register_natives();
    diagnostic_register_classlib();
    method_data_start();
    objects_init();
    jvmti_init();
    jvmpi_init();
    if (!start_libraries() || !agents_load())
        return JNI_ERR;
    thread_jni_table = jni_table();
    Thread *self = thread_attach_current(vm_options.stack_size);
    if (!self || !threads_keep_spare())
        return JNI_ENOMEM;
    if (!boot_java(self))
        vm_exit_during_initialization(self, NULL);
    jni_set_vm_state(JNI_VM_CREATED);
    LOG(LOG_STARTUP, LOG_INFO, "Create VM, %.7f secs", (double)(os_nanos() - start) / 1e9);
    *vm = jni_java_vm();
    *env = jni_env(self);
    thread_leave_vm(self, THREAD_IN_NATIVE);
    fflush(stdout); // what agents printed comes before what the program prints past C's buffers
    return JNI_OK;
}
