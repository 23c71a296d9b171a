// SPDX-License-Identifier: Apache-2.0
// What the command line asked for. command_line.c and flags.c fill it before another thread runs; from
// then on it is read-only, but for the fields that manageable flags set.
#ifndef OPTIONS_OPTIONS_H
#define OPTIONS_OPTIONS_H

#include <stdatomic.h>

#include "base/vec.h"

typedef struct Property {
    char *key, *value; // platform encoding
} Property;
typedef struct AssertRule { // -ea:name, -da:package...
    char *name;             // dotted; "" for the unnamed package, NULL for all
    bool is_package, enable;
} AssertRule;
typedef struct AgentOption {
    char *name, *options; // options NULL when there is no '='
    bool is_path;         // -agentpath
    bool is_xrun;         // -Xrun
} AgentOption;

typedef struct VmOptions {
    char *java_home, *library_dir; // <home>, <home>/lib
    VEC(Property) properties;      // order of System.getProperties' making
    VEC(char *) args;              // VM arguments as given (RuntimeMXBean.getInputArguments)
    VEC(AssertRule) asserts;       // for application classes, in order
    bool assert_system;            // -esa
    VEC(AgentOption) agents;
    char *boot_append;                         // -Xbootclasspath/a
    VEC(Property) patches;                     // --patch-module, module -> path
    size_t heap_initial, heap_max, heap_young; // bytes; 0: by the machine
    size_t stack_size;                         // bytes, -Xss
    size_t max_metaspace;                      // SIZE_MAX: no limit
    size_t max_direct;                         // 0: no limit
    size_t metaspace_threshold, class_space;   // bytes
    size_t code_cache;                         // bytes
    int64_t soft_ms_per_mb;
    int max_trace_depth;
    int cpu_count;                    // -XX:ActiveProcessorCount, -1: the machine's
    bool reduce_signals;              // -Xrs
    bool check_jvmpi;                 // -Xcheck:jvmpi
    bool check_jvmti;                 // -Xcheck:jvmti
    int check_limit;                  // reports at most
    bool check_abort;                 // the first report ends the process
    bool jvmpi_instructions;          // -XX:+EnableJVMPIInstructionStartEvent
    bool hotspot_jvmti;               // -XX:+HotSpotJVMTI: at first; ti_departure.h
    bool verify_local, verify_remote; // classes of the boot loader, of all others
    bool allow_preview;               // --enable-preview
    bool show_hidden_frames, stack_trace_in_throwable;
    bool compact_strings;               // Latin-1 where all chars fit
    bool add_delete_methods;            // a redefinition may: see classfile_compare
    _Atomic bool enhanced_redefinition; // -XX:+AllowEnhancedClassRedefinition; by options_now
    bool disable_explicit_gc, class_unloading, transparent_huge_pages;
    bool check_jni; // -Xcheck:jni
    bool use_container_support;
    char *jit_layout; // -XX:JitLayout: name of a placement (heap/placement.h)
    bool disable_attach, start_attach_listener;
    bool dynamic_agents; // other processes may load agents
    bool signal_chaining, allow_user_handlers;
    bool use_perf_data, perf_private; // -XX:+PerfDisableSharedMem: no file
    bool perf_save;                   // -XX:+PerfDataSaveToFile, with its name or NULL
    char *perf_save_file;
    int64_t perf_data_size, perf_interval; // bytes, ms
    bool exit_on_oom, crash_on_oom;
    // What manageable flags set is changed by tools (flag_access.h) while other threads read it, by
    // options_now.
    _Atomic bool helpful_npe;            // -XX:+ShowCodeDetailsInExceptionMessages
    _Atomic bool print_concurrent_locks; // in the thread dump of SIGQUIT
    _Atomic bool print_class_histogram;  // with it
    _Atomic bool heap_dump_on_oom, heap_dump_before_full, heap_dump_after_full;
    _Atomic(char *) heap_dump_path; // a file or a folder; NULL: the current folder. Texts stay
    _Atomic int heap_dump_gzip;     // level, 0: plain
    bool heap_dump_snapshot;        // dumps that no command asks for are snapshots
    char *on_oom, *on_error;        // -XX:OnOutOfMemoryError, -XX:OnError: commands; NULL: none
    // Of a crash: where its report goes (NULL: a name of its own in the current folder), and
    // whether there is a core dump.
    char *error_file;
    bool error_to_stdout, error_to_stderr, core_on_crash;
    // -XX:LogEvents, LogEventsBufferEntries: the latest events are kept.
    bool log_events, log_touched_methods, print_touched_methods;
    bool print_method_data; // -XX:+PrintMethodData: profiles at the end
    int64_t
        profile_threshold; // -XX:ProfileThreshold: the weight from which a method is profiled
    int64_t log_events_entries;
    int64_t max_jni_local_capacity;
    void (*exit_hook)(int); // of the embedder
    void (*abort_hook)(void);
    int (*vfprintf_hook)(void *stream, const char *format, va_list args);
    char *compile_commands, *compile_only, *compile_command_file; // NULL: none
    bool print_stubs;                                             // -XX:+PrintStubCode
    char *jit_print;                                              // -XX:JitPrint, see jit/jit.h
    char *jit_view,
        *jit_view_source; // -XX:JitView, see jit/view.h; JitViewSource: folders, NULL: the class path
    char *jit_trace; // -XX:JitTrace, see interp/trace.h
    bool jit_verify; // -XX:+JitVerify
    bool jit_gdb,
        jit_perf_map; // -XX:+JitGdb, see code/code_gdb.h; JitPerfMap, see code/code_perf_map.h
    // Of the compiler; options_settle_compiler has the last word.
    bool use_compiler;           // something is compiled at all
    bool use_interpreter;        // false, or jit_all: each method before its first call
    bool background_compilation; // false, or jit_sync: by the thread that runs it
    bool print_compilation;
    int64_t stop_at_level;    // -XX:TieredStopAtLevel, 0: nothing is compiled
    double threshold_scaling; // -XX:CompileThresholdScaling, likewise
    bool jit_compile, jit_all, jit_sync, jit_hook_all, jit_inline, jit_inline_all, jit_escape,
        jit_unroll;
    int64_t jit_bisect, jit_deopt_every; // -1: no limit of compilations; 0: only where it must
    char *java_command;                  // -Dsun.java.command
} VmOptions;
extern VmOptions vm_options;
// A field that a manageable flag sets, as it is now. Pairs with the stores of flags.c.
#define options_now(field) atomic_load_explicit(&(field), memory_order_acquire)

// The value of a property, NULL when it is not set. One thread at a time, with the next.
const char *options_property(const char *key);
void options_set_property(const char *key, const char *value);
// Gives every option its default, as before the first was read.
void options_reset(void);
// Processors that the program may use: -XX:ActiveProcessorCount, or those of the process and its control groups, at the moment.
int options_cpu_count(void);
typedef enum CompileMode {
    COMPILE_WARM,    // -Xmixed
    COMPILE_NOTHING, // -Xint
    COMPILE_ALL,     // -Xcomp
} CompileMode;
// All options are read: what the compiler's come to together. Sets the properties that report it.
void options_settle_compiler(CompileMode mode);
// Prints a line on stderr. Returns false.
PRINTF(1, 2) bool options_complain(const char *fmt, ...);
// Calls the embedder's exit hook, or exit(3).
NORETURN void options_exit(int code);
// Prints "Error occurred during initialization of VM" and the message on stdout, and ends the process
// with 1: for options that HotSpot does so for.
NORETURN void options_end_process(const char *message);

// Version of this VM: "0.1.0".
extern const char vm_version[];

#endif
