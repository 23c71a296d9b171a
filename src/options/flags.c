// SPDX-License-Identifier: Apache-2.0
// See flags.h. The form and the range of every flag that HotSpot knows are checked; a flag that
// means nothing here is then left alone. Numbers are decimal or hexadecimal, with a unit k, m,
// g or t.
#define _GNU_SOURCE
#include "options/flags.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/log.h"
#include "base/output.h"
#include "base/size.h"
#include "base/strbuf.h"
#include "options/flag_limits.h"
#include "options/flags_internal.h"

static const char *const type_names[] = {"bool",     "int",    "uint",   "intx",  "uintx",
                                         "uint64_t", "size_t", "double", "ccstr", "ccstrlist"};
static const struct {
    FlagGroup group;
    const char *text;
} kinds[] = {
#define KIND(id, group, text) {FLAG_GROUP_##group, text},
    FLAG_KINDS(KIND)
#undef KIND
};

const KnownFlag known_flags[] = {
#define VM_FLAG(name, type, kind, range, value) \
    {#name, range, value, FLAG_##type, FLAG_KIND_##kind},
#include "spec/vm_flags.def"
#undef VM_FLAG
};
const size_t known_flags_count = ARRAY_LEN(known_flags);

typedef struct DebugFlag {
    const char *name, *kind;
    bool is_bool;
} DebugFlag;
#define DEVELOP    "develop"
#define NOTPRODUCT "notproduct"
#define BOOL       true
#define VALUE      false
static const DebugFlag debug_flags[] = {
#define DEBUG_FLAG(name, kind, type) {#name, kind, type},
#include "spec/debug_flags.def"
#undef DEBUG_FLAG
};
#undef DEVELOP
#undef NOTPRODUCT
#undef BOOL
#undef VALUE

static char *given[ARRAY_LEN(known_flags)];     // the value of a flag that was given, as text
static uint8_t origins[ARRAY_LEN(known_flags)]; // FlagOrigin of those; 0: by default

// What HotSpot makes of a machine with little memory: a heap of at least HEAP_SMALL, unless the share for
// such machines (MinRAMPercentage) is less.
enum { HEAP_STEP = 2 << 20, HEAP_INITIAL_LEAST = 8 << 20 };
#define HEAP_SMALL (124.8 * (1 << 20))

static bool unlock_diagnostic, unlock_experimental;
static bool ignore_unrecognized; // decided before any flag is read
static bool ignore_flag;         // IgnoreUnrecognizedVMOptions as given, to be shown
static FlagOrigin reading_from;  // where the flag that flags_set reads stands
FlagPrints flag_prints;
static double max_ram_percentage = 25.0, min_ram_percentage = 50.0,
              initial_ram_percentage = 100.0 / 64;
static size_t max_ram_fraction, min_ram_fraction, initial_ram_fraction; // 0: not given
static int64_t thread_stack_kilobytes;
static bool display_output = true, output_to_stderr, output_to_stdout;
static size_t soft_max_heap;          // 0: the greatest size of the heap
static size_t max_ram = 128ull << 30; // -XX:MaxRAM: the most that counts of the machine's

static const OurFlag our_flags[] = {
    {"MaxRAM", .size = &max_ram},
    {"MaxHeapSize", .size = &vm_options.heap_max, .ergonomic = true},
    {"InitialHeapSize", .size = &vm_options.heap_initial, .ergonomic = true},
    {"SoftMaxHeapSize", .size = &soft_max_heap, .shown = &vm_options.heap_max,
     .ergonomic = true},
    {"NewSize", .size = &vm_options.heap_young},
    {"MaxNewSize", .size = &vm_options.heap_young},
    {"MaxMetaspaceSize", .size = &vm_options.max_metaspace},
    {"MetaspaceSize", .size = &vm_options.metaspace_threshold},
    {"CompressedClassSpaceSize", .size = &vm_options.class_space},
    {"PrintStubCode", .boolean = &vm_options.print_stubs},
    {"ReservedCodeCacheSize", .size = &vm_options.code_cache},
    {"MaxDirectMemorySize", .size = &vm_options.max_direct},
    {"SoftRefLRUPolicyMSPerMB", .number = &vm_options.soft_ms_per_mb},
    {"ThreadStackSize", .number = &thread_stack_kilobytes},
    {"MaxJavaStackTraceDepth", .integer = &vm_options.max_trace_depth},
    {"MaxJNILocalCapacity", .number = &vm_options.max_jni_local_capacity},
    {"ActiveProcessorCount", .integer = &vm_options.cpu_count},
    {"MaxRAMPercentage", .real = &max_ram_percentage},
    {"MinRAMPercentage", .real = &min_ram_percentage},
    {"MaxRAMFraction", .size = &max_ram_fraction},
    {"MinRAMFraction", .size = &min_ram_fraction},
    {"InitialRAMFraction", .size = &initial_ram_fraction},
    {"InitialRAMPercentage", .real = &initial_ram_percentage},
    {"BytecodeVerificationLocal", .boolean = &vm_options.verify_local},
    {"BytecodeVerificationRemote", .boolean = &vm_options.verify_remote},
    {"AllowRedefinitionToAddDeleteMethods", .boolean = &vm_options.add_delete_methods},
    {"AllowEnhancedClassRedefinition", .live_boolean = &vm_options.enhanced_redefinition},
    {"ShowHiddenFrames", .boolean = &vm_options.show_hidden_frames},
    {"StackTraceInThrowable", .boolean = &vm_options.stack_trace_in_throwable},
    {"CompactStrings", .boolean = &vm_options.compact_strings},
    {"ShowCodeDetailsInExceptionMessages", .live_boolean = &vm_options.helpful_npe},
    {"DisableExplicitGC", .boolean = &vm_options.disable_explicit_gc},
    {"ClassUnloading", .boolean = &vm_options.class_unloading},
    {"UseTransparentHugePages", .boolean = &vm_options.transparent_huge_pages},
    {"HeapDumpSnapshot", .boolean = &vm_options.heap_dump_snapshot},
    {"JitAll", .boolean = &vm_options.jit_all},
    {"JitBisect", .number = &vm_options.jit_bisect},
    {"JitCompile", .boolean = &vm_options.jit_compile},
    {"JitDeoptEvery", .number = &vm_options.jit_deopt_every},
    {"JitHookAll", .boolean = &vm_options.jit_hook_all},
    {"JitInline", .boolean = &vm_options.jit_inline},
    {"JitInlineAll", .boolean = &vm_options.jit_inline_all},
    {"JitLayout", .text = &vm_options.jit_layout},
    {"UseContainerSupport", .boolean = &vm_options.use_container_support},
    {"HotSpotJVMTI", .boolean = &vm_options.hotspot_jvmti},
    {"EnableJVMPIInstructionStartEvent", .boolean = &vm_options.jvmpi_instructions},
    {"ReduceSignalUsage", .boolean = &vm_options.reduce_signals},
    {"DisableAttachMechanism", .boolean = &vm_options.disable_attach},
    {"StartAttachListener", .boolean = &vm_options.start_attach_listener},
    {"EnableDynamicAgentLoading", .boolean = &vm_options.dynamic_agents},
    {"HeapDumpOnOutOfMemoryError", .live_boolean = &vm_options.heap_dump_on_oom},
    {"HeapDumpBeforeFullGC", .live_boolean = &vm_options.heap_dump_before_full},
    {"HeapDumpAfterFullGC", .live_boolean = &vm_options.heap_dump_after_full},
    {"PrintClassHistogram", .live_boolean = &vm_options.print_class_histogram},
    {"HeapDumpPath", .live_text = &vm_options.heap_dump_path},
    {"HeapDumpGzipLevel", .live_integer = &vm_options.heap_dump_gzip},
    {"UseSignalChaining", .boolean = &vm_options.signal_chaining},
    {"AllowUserSignalHandlers", .boolean = &vm_options.allow_user_handlers},
    {"PrintConcurrentLocks", .live_boolean = &vm_options.print_concurrent_locks},
    {"UsePerfData", .boolean = &vm_options.use_perf_data},
    {"PerfDisableSharedMem", .boolean = &vm_options.perf_private},
    {"PerfDataSaveToFile", .boolean = &vm_options.perf_save},
    {"PerfDataSaveFile", .text = &vm_options.perf_save_file},
    {"PerfDataMemorySize", .number = &vm_options.perf_data_size},
    {"PerfDataSamplingInterval", .number = &vm_options.perf_interval},
    {"BackgroundCompilation", .boolean = &vm_options.background_compilation},
    {"CompileThresholdScaling", .real = &vm_options.threshold_scaling},
    {"PrintCompilation", .boolean = &vm_options.print_compilation},
    {"TieredStopAtLevel", .number = &vm_options.stop_at_level},
    {"UseCompiler", .boolean = &vm_options.use_compiler},
    {"UseInterpreter", .boolean = &vm_options.use_interpreter},
    {"CompileCommand", .text = &vm_options.compile_commands},
    {"CompileOnly", .text = &vm_options.compile_only},
    {"CompileCommandFile", .text = &vm_options.compile_command_file},
    {"JitEscape", .boolean = &vm_options.jit_escape},
    {"JitUnroll", .boolean = &vm_options.jit_unroll},
    {"JitGdb", .boolean = &vm_options.jit_gdb},
    {"JitPerfMap", .boolean = &vm_options.jit_perf_map},
    {"JitPrint", .text = &vm_options.jit_print},
    {"JitSync", .boolean = &vm_options.jit_sync},
    {"JitTrace", .text = &vm_options.jit_trace},
    {"JitVerify", .boolean = &vm_options.jit_verify},
    {"JitView", .text = &vm_options.jit_view},
    {"JitViewSource", .text = &vm_options.jit_view_source},
    {"OnOutOfMemoryError", .text = &vm_options.on_oom},
    {"OnError", .text = &vm_options.on_error},
    {"ErrorFile", .text = &vm_options.error_file},
    {"ErrorFileToStdout", .boolean = &vm_options.error_to_stdout},
    {"ErrorFileToStderr", .boolean = &vm_options.error_to_stderr},
    {"CreateCoredumpOnCrash", .boolean = &vm_options.core_on_crash},
    {"LogEvents", .boolean = &vm_options.log_events},
    {"LogEventsBufferEntries", .number = &vm_options.log_events_entries},
    {"PrintMethodData", .boolean = &vm_options.print_method_data},
    {"ProfileThreshold", .number = &vm_options.profile_threshold},
    {"LogTouchedMethods", .boolean = &vm_options.log_touched_methods},
    {"PrintTouchedMethodsAtExit", .boolean = &vm_options.print_touched_methods},
    {"ExitOnOutOfMemoryError", .boolean = &vm_options.exit_on_oom},
    {"CrashOnOutOfMemoryError", .boolean = &vm_options.crash_on_oom},
    {"UnlockDiagnosticVMOptions", .boolean = &unlock_diagnostic},
    {"UnlockExperimentalVMOptions", .boolean = &unlock_experimental},
    {"IgnoreUnrecognizedVMOptions", .boolean = &ignore_flag},
    {"PrintFlagsFinal", .boolean = &flag_prints.final},
    {"PrintFlagsRanges", .boolean = &flag_prints.ranges},
    {"PrintCommandLineFlags", .boolean = &flag_prints.command_line},
    {"PrintGC", .boolean = &flag_prints.gc},
    {"PrintGCDetails", .boolean = &flag_prints.gc_details},
    {"DisplayVMOutput", .boolean = &display_output},
    {"DisplayVMOutputToStderr", .boolean = &output_to_stderr},
    {"DisplayVMOutputToStdout", .boolean = &output_to_stdout},
};

typedef struct OldFlag {
    const char *name, *version, *now; // `now`: the flag that replaces it
} OldFlag;
static const OldFlag deprecated_flags[] = {
    {"AllowRedefinitionToAddDeleteMethods", "13.0", NULL},
    {"AlwaysLockClassLoader", "17.0", NULL},
    {"BiasedLockingBulkRebiasThreshold", "15.0", NULL},
    {"BiasedLockingBulkRevokeThreshold", "15.0", NULL},
    {"BiasedLockingDecayTime", "15.0", NULL},
    {"BiasedLockingStartupDelay", "15.0", NULL},
    {"CreateMinidumpOnCrash", "9.0", "CreateCoredumpOnCrash"},
    {"CriticalJNINatives", "16.0", NULL},
    {"DefaultMaxRAMFraction", "8.0", "MaxRAMFraction"},
    {"FlightRecorder", "13.0", NULL},
    {"InitialRAMFraction", "10.0", NULL},
    {"MaxRAMFraction", "10.0", NULL},
    {"MinRAMFraction", "10.0", NULL},
    {"MaxGCMinorPauseMillis", "8.0", NULL},
    {"PrintBiasedLockingStatistics", "15.0", NULL},
    {"PrintPreciseBiasedLockingStatistics", "15.0", NULL},
    {"TLABStats", "12.0", NULL},
    {"UseBiasedLocking", "15.0", NULL},
    {"UseOptoBiasInlining", "15.0", NULL},
};
static const char *const obsolete_flags[] = {
    // accepted in 17, without a meaning
    "AssertOnSuspendWaitFailure",
    "TraceSuspendWaitFailures",
    "SuspendRetryCount",
    "SuspendRetryDelay",
};

// Properties of this VM's heap, which no flag changes: programs that ask for the value of one get the value in force.
static const char *const fixed_flags[] = {
    "UseCompressedOops",
    "UseCompressedClassPointers",
    "ObjectAlignmentInBytes",
};

// ---- lookup ----

const KnownFlag *known_flag(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(known_flags); i++)
        if (strcmp(known_flags[i].name, name) == 0)
            return &known_flags[i];
    return NULL;
}

const OurFlag *our_flag(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(our_flags); i++)
        if (strcmp(our_flags[i].name, name) == 0)
            return &our_flags[i];
    return NULL;
}

static const DebugFlag *debug_flag(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(debug_flags); i++)
        if (strcmp(debug_flags[i].name, name) == 0)
            return &debug_flags[i];
    return NULL;
}

static void suggest(const char *name)
{
    const char *best = NULL;
    bool is_bool = false;
    double found = 0.7, d;
    for (size_t i = 0; i < ARRAY_LEN(known_flags); i++) {
        if ((d = text_likeness(known_flags[i].name, name)) > found) {
            best = known_flags[i].name;
            is_bool = known_flags[i].type == FLAG_BOOL;
            found = d;
        }
    }
    for (size_t i = 0; i < ARRAY_LEN(debug_flags); i++) {
        if ((d = text_likeness(debug_flags[i].name, name)) > found) {
            best = debug_flags[i].name;
            is_bool = debug_flags[i].is_bool;
            found = d;
        }
    }
    if (best)
        fprintf(vm_stderr(),
                is_bool ? "Did you mean '(+/-)%s'? " : "Did you mean '%s=<value>'? ", best);
}

static bool refuse_unknown(const char *name, const char *whole)
{
    const DebugFlag *debug = debug_flag(name);
    if (debug)
        return options_complain(
            "Error: VM option '%s' is %s and is available only in debug version of VM.", name,
            debug->kind);
    options_complain("Unrecognized VM option '%s'", whole);
    suggest(name);
    return false;
}

const char *flag_type_text(const KnownFlag *k)
{
    return type_names[k->type];
}

const char *flag_kind_text(const KnownFlag *k)
{
    return kinds[k->kind].text;
}

FlagGroup flag_group(const KnownFlag *k)
{
    return kinds[k->kind].group;
}

bool flag_is_locked(const KnownFlag *k)
{
    return (flag_group(k) == FLAG_GROUP_DIAGNOSTIC && !unlock_diagnostic)
           || (flag_group(k) == FLAG_GROUP_EXPERIMENTAL && !unlock_experimental);
}

static bool unlocks(const KnownFlag *k)
{
    const OurFlag *ours = our_flag(k->name);
    return ours
           && (ours->boolean == &unlock_diagnostic || ours->boolean == &unlock_experimental);
}

static bool refuse_locked(const KnownFlag *k)
{
    if (!flag_is_locked(k) || unlocks(k))
        return false;
    bool diagnostic = flag_group(k) == FLAG_GROUP_DIAGNOSTIC;
    options_complain(
        "Error: VM option '%s' is %s and must be enabled via -XX:+Unlock%sVMOptions.\n"
        "Error: The unlock option must precede '%s'.",
        k->name, diagnostic ? "diagnostic" : "experimental",
        diagnostic ? "Diagnostic" : "Experimental", k->name);
    return true;
}

// ---- values ----

// On the command line HotSpot has an option of its own for these, with its own errors and origin.
static bool is_word(const KnownFlag *k)
{
    return reading_from != FLAG_BY_FILE
           && (strcmp(k->name, "MaxHeapSize") == 0
               || strcmp(k->name, "ReservedCodeCacheSize") == 0);
}

static bool improper(const KnownFlag *k, const char *v)
{
    if (!is_word(k))
        return options_complain("Improperly specified VM option '%s=%s'", k->name, v);
    if (strcmp(k->name, "MaxHeapSize") == 0)
        return options_complain("Invalid maximum heap size: -XX:MaxHeapSize=%s", v);
    uint64_t n;
    if (!size_parse(v, &n) || n == 0)
        return options_complain("Invalid maximum code cache size: -XX:%s=%s.", k->name, v);
    return false; // its range was reported
}

// [-]digits[.digits]; the sign only with a fraction.
static bool parse_double(const char *s, double *out)
{
    const char *p = s + (*s == '-');
    size_t whole = strspn(p, "0123456789");
    bool fraction = p[whole] == '.';
    size_t part = fraction ? strspn(p + whole + 1, "0123456789") : 0;
    if (whole == 0 || (fraction ? part == 0 : *s == '-') || p[whole + fraction + part] != '\0')
        return false;
    *out = strtod(s, NULL);
    return true;
}

const char *flag_greatest(const KnownFlag *k)
{
    return strstr(k->range, " ... ") + 5;
}

// What may be read by other threads is stored with release: options_now pairs with it.
static void set_live_text(_Atomic(char *) *at, const char *value)
{
    atomic_store_explicit(at, vm_strdup(value), memory_order_release);
}

void flag_set_boolean(const KnownFlag *k, bool value)
{
    const OurFlag *ours = our_flag(k->name);
    if (ours && ours->live_boolean)
        atomic_store_explicit(ours->live_boolean, value, memory_order_release);
    else if (ours)
        *ours->boolean = value;
}

void flag_set_text(const KnownFlag *k, const char *value)
{
    const OurFlag *ours = our_flag(k->name);
    if (ours && ours->live_text)
        set_live_text(ours->live_text, value);
    else if (ours)
        *ours->text = vm_strdup(value);
}

void flag_set_signed(const KnownFlag *k, int64_t number)
{
    const OurFlag *ours = our_flag(k->name);
    if (ours && ours->live_integer)
        atomic_store_explicit(ours->live_integer, (int)number, memory_order_release);
    if (ours && ours->number)
        *ours->number = number;
    if (ours && ours->integer)
        *ours->integer = (int)number;
}

void flag_set_unsigned(const KnownFlag *k, uint64_t number)
{
    const OurFlag *ours = our_flag(k->name);
    if (ours && ours->size)
        *ours->size = number;
    if (ours && ours->number)
        *ours->number = (int64_t)number;
}

void flag_set_double(const KnownFlag *k, double number)
{
    const OurFlag *ours = our_flag(k->name);
    if (ours)
        *ours->real = number;
}

static bool read_double(const KnownFlag *k, const char *v)
{
    double d;
    if (!parse_double(v, &d))
        return improper(k, v);
    if (*k->range && (d < strtod(k->range, NULL) || d > strtod(flag_greatest(k), NULL))) {
        options_complain("double %s=%f is outside the allowed range [ %f ... %f ]", k->name, d,
                         strtod(k->range, NULL), strtod(flag_greatest(k), NULL));
        return improper(k, v);
    }
    flag_set_double(k, d);
    return true;
}

static bool read_signed(const KnownFlag *k, const char *v)
{
    uint64_t n;
    bool negative = *v == '-';
    if (!size_parse(v + negative, &n))
        return improper(k, v);
    int64_t number = negative ? (int64_t)-n : (int64_t)n;
    if (k->type == FLAG_INT)
        number = (int32_t)number;
    if (*k->range
        && (number < strtoll(k->range, NULL, 10)
            || number > strtoll(flag_greatest(k), NULL, 10))) {
        options_complain("%s %s=%" PRId64 " is outside the allowed range [ %s ]",
                         type_names[k->type], k->name, number, k->range);
        return improper(k, v);
    }
    if (!flag_limits_check_one(k->name, (uint64_t)number))
        return improper(k, v);
    flag_set_signed(k, number);
    return true;
}

static bool read_unsigned(const KnownFlag *k, const char *v)
{
    uint64_t n;
    if (!size_parse(v, &n))
        return improper(k, v);
    if (k->type == FLAG_UINT)
        n = (uint32_t)n;
    bool is_code_cache = strcmp(k->name, "ReservedCodeCacheSize") == 0;
    if (is_code_cache && is_word(k) && n == 0)
        return improper(k, v);
    if (*k->range
        && (n < strtoull(k->range, NULL, 10) || n > strtoull(flag_greatest(k), NULL, 10))) {
        options_complain("%s %s=%" PRIu64 " is outside the allowed range [ %s ]",
                         type_names[k->type], k->name, n, k->range);
        return improper(k, v);
    }
    if (!flag_limits_check_one(k->name, n))
        return improper(k, v);
    flag_set_unsigned(k, n);
    return true;
}

static bool set_value(const KnownFlag *k, const char *v)
{
    const OurFlag *ours = our_flag(k->name);
    switch ((FlagType)k->type) {
    case FLAG_DOUBLE: return read_double(k, v);
    case FLAG_INT:
    case FLAG_INTX: return read_signed(k, v);
    case FLAG_UINT:
    case FLAG_UINTX:
    case FLAG_UINT64_T:
    case FLAG_SIZE_T: return read_unsigned(k, v);
    case FLAG_BOOL: return true; // never comes here: it has no value
    case FLAG_CCSTR: flag_set_text(k, v); return true;
    case FLAG_CCSTRLIST: break;
    }
    if (ours) // one given again adds to it
        *ours->text = *ours->text ? vm_asprintf("%s\n%s", *ours->text, v) : vm_strdup(v);
    return true;
}

void flag_note(const KnownFlag *k, const char *value, FlagOrigin by)
{
    vm_free(given[k - known_flags]);
    given[k - known_flags] = vm_strdup(value);
    origins[k - known_flags] = (uint8_t)by;
}

void flags_note(const char *name)
{
    flag_note(known_flag(name), "", FLAG_BY_COMMAND_LINE);
}

// ---- one flag ----

// Warns of an old flag. Its new name where it has one; NULL when nothing is left to be done.
static const char *retire(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(obsolete_flags); i++) {
        if (strcmp(obsolete_flags[i], name) == 0) {
            vm_warning("Ignoring option %s; support was removed in 17.0", name);
            return NULL;
        }
    }
    for (size_t i = 0; i < ARRAY_LEN(deprecated_flags); i++) {
        const OldFlag *old = &deprecated_flags[i];
        if (strcmp(old->name, name) != 0)
            continue;
        vm_warning("Option %s was deprecated in version %s and will likely be removed in a "
                   "future release.%s%s%s",
                   name, old->version, old->now ? " Use option " : "", old->now ? old->now : "",
                   old->now ? " instead." : "");
        return old->now ? old->now : name;
    }
    return name;
}

// Whether a flag is given another value than the one it always has here.
static bool is_fixed(const KnownFlag *k, const char *value)
{
    bool fixed = false;
    for (size_t i = 0; i < ARRAY_LEN(fixed_flags); i++)
        fixed = fixed || strcmp(fixed_flags[i], k->name) == 0;
    return fixed && strcmp(value, k->value) != 0;
}

static void warn_of_fixed(const KnownFlag *k)
{
    vm_warning("%s cannot be changed in this VM: it remains %s", k->name, k->value);
}

static bool set_boolean(const KnownFlag *k, bool value)
{
    if (is_fixed(k, value ? "true" : "false")) {
        warn_of_fixed(k);
        return true;
    }
    flag_set_boolean(k, value);
    flag_note(k, value ? "true" : "false", reading_from);
    vm_output_redirect(!display_output, output_to_stderr, output_to_stdout);
    return true;
}

static bool set_named(const char *name, char sign, const char *value, const char *whole)
{
    const char *now = retire(name);
    if (!now)
        return true;
    const KnownFlag *k = known_flag(now);
    if (!k)
        return ignore_unrecognized || refuse_unknown(name, whole);
    if (refuse_locked(k))
        return false;
    if (k->type == FLAG_BOOL && value)
        return options_complain(sign ? "Improperly specified VM option '%s'"
                                     : "Missing +/- setting for VM option '%s'",
                                whole);
    if (k->type == FLAG_BOOL)
        return sign ? set_boolean(k, sign == '+')
                    : options_complain("Missing +/- setting for VM option '%s'", now);
    if (sign)
        return options_complain("Unexpected +/- setting in VM option '%s'",
                                value ? whole : now);
    if (strcmp(now, "StartFlightRecording") == 0)
        return options_complain(
            "VM option 'StartFlightRecording': this VM has no Flight Recorder");
    if (!value)
        return options_complain("Improperly specified VM option '%s'", whole);
    if (strcmp(now, "NativeMemoryTracking") == 0 && strcmp(value, "off")
        && strcmp(value, "summary") && strcmp(value, "detail")) {
        fputs("Syntax error, expecting -XX:NativeMemoryTracking=[off|summary|detail]",
              vm_stderr());
        return false;
    }
    bool fixed = is_fixed(k, value);
    if (!fixed)
        flag_note(k, value, is_word(k) ? FLAG_BY_COMMAND_LINE : reading_from);
    if (!set_value(k, value))
        return false;
    if (fixed)
        warn_of_fixed(k);
    return true;
}

// HotSpot's ":=" for texts.
static void strip_colon(char *name)
{
    size_t len = strlen(name);
    if (len < 2 || name[len - 1] != ':')
        return;
    name[len - 1] = '\0';
    const KnownFlag *k = known_flag(name);
    if (!k || (k->type != FLAG_CCSTR && k->type != FLAG_CCSTRLIST))
        name[len - 1] = ':';
}

bool flags_set(const char *text, FlagOrigin by)
{
    reading_from = by;
    char sign = *text == '+' || *text == '-' ? *text : 0;
    const char *whole = text + (sign != 0), *eq = strchr(whole, '=');
    size_t len = eq ? (size_t)(eq - whole) : strlen(whole);
    char *name = vm_strndup(whole, len);
    strip_colon(name);
    bool ok = set_named(name, sign, eq ? eq + 1 : NULL, whole);
    vm_free(name);
    if (ok && thread_stack_kilobytes > 0 && strncmp(whole, "ThreadStackSize=", 16) == 0)
        vm_options.stack_size = (size_t)thread_stack_kilobytes << 10;
    return ok;
}

void flags_ignore_unrecognized(bool ignore)
{
    ignore_unrecognized = ignore;
}

// A percentage; the fraction that it replaces counts when only that was given.
static double share_of(double memory, const char *percentage, double value, size_t fraction)
{
    bool given_value = given[known_flag(percentage) - known_flags] != NULL;
    return memory * (fraction && !given_value ? 100.0 / (double)fraction : value) / 100;
}

size_t flags_heap_share(uint64_t memory, bool initial)
{
    double usable = (double)MIN_OF(max_ram, memory);
    double most = share_of(usable, "MaxRAMPercentage", max_ram_percentage, max_ram_fraction);
    double small = share_of(usable, "MinRAMPercentage", min_ram_percentage, min_ram_fraction);
    double first =
        share_of(usable, "InitialRAMPercentage", initial_ram_percentage, initial_ram_fraction);
    double bytes = initial              ? MAX_OF(first, (double)HEAP_INITIAL_LEAST)
                   : small < HEAP_SMALL ? small
                                        : MAX_OF(most, HEAP_SMALL);
    return bytes < HEAP_STEP
               ? (size_t)bytes
               : ALIGN_UP((size_t)bytes, (size_t)HEAP_STEP); // too little is refused
}

bool flags_is_given(const char *name)
{
    return given[known_flag(name) - known_flags] != NULL;
}

bool flags_is(const char *name, const char *text)
{
    const char *v = given[known_flag(name) - known_flags];
    return v && strcmp(v, text) == 0;
}

int64_t flags_number(const char *name)
{
    const KnownFlag *k = known_flag(name);
    const char *text = given[k - known_flags] ? given[k - known_flags] : k->value;
    bool negative = *text == '-';
    uint64_t n = 0;
    bool ok = size_parse(text + negative, &n);
    return !ok ? 0 : negative ? (int64_t)-n : (int64_t)n;
}

int flags_collectors(void)
{
    static const char *const names[] = {"UseSerialGC", "UseParallelGC",   "UseG1GC",
                                        "UseZGC",      "UseShenandoahGC", "UseEpsilonGC"};
    int n = 0;
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        n += flags_is(names[i], "true");
    return n;
}

bool flag_is_noted(const KnownFlag *k)
{
    return given[k - known_flags] != NULL;
}

FlagOrigin flag_origin(const KnownFlag *k)
{
    uint8_t origin = origins[k - known_flags];
    const OurFlag *ours = our_flag(k->name);
    return origin                    ? (FlagOrigin)origin
           : ours && ours->ergonomic ? FLAG_BY_ERGONOMICS
                                     : FLAG_BY_DEFAULT;
}

// Numbers of 0 that were not given stand for the default.
static bool is_chosen(const OurFlag *ours)
{
    return (!ours->size || *ours->size) && (!ours->number || *ours->number)
           && (!ours->integer || *ours->integer);
}

// The flag has a place where its value is kept, or shown.
static bool has_place(const OurFlag *ours)
{
    return ours->boolean || ours->size || ours->number || ours->integer || ours->real
           || ours->live_boolean || ours->live_integer;
}

// A number as given, with its unit, in plain digits.
static void number_text(const KnownFlag *k, const char *text, char *out, size_t size)
{
    uint64_t n;
    bool negative = *text == '-';
    if (k->type == FLAG_DOUBLE)
        snprintf(out, size, "%f", strtod(text, NULL));
    else if (!size_parse(text + negative, &n))
        snprintf(out, size, "%s", text);
    else
        snprintf(out, size, "%s%" PRIu64, negative ? "-" : "", n);
}

void flag_value_text(const KnownFlag *k, char *out, size_t size)
{
    const OurFlag *ours = our_flag(k->name);
    const char *text = given[k - known_flags];
    bool is_text = k->type == FLAG_CCSTR || k->type == FLAG_CCSTRLIST || k->type == FLAG_BOOL;
    bool is_default = !text && (!ours || (!ours->shown && !is_chosen(ours)));
    if (is_default || (is_text && (!ours || k->type != FLAG_BOOL)))
        snprintf(out, size, "%s", text ? text : k->value);
    else if (!ours || !has_place(ours))
        number_text(k, text, out, size);
    else if (ours->shown && !*ours->size)
        snprintf(out, size, "%zu", *ours->shown);
    else if (ours->live_boolean)
        snprintf(out, size, "%s", options_now(*ours->live_boolean) ? "true" : "false");
    else if (ours->live_integer)
        snprintf(out, size, "%d", options_now(*ours->live_integer));
    else if (ours->boolean)
        snprintf(out, size, "%s", *ours->boolean ? "true" : "false");
    else if (ours->size)
        snprintf(out, size, "%zu", *ours->size);
    else if (ours->number)
        snprintf(out, size, "%" PRId64, *ours->number);
    else if (ours->integer)
        snprintf(out, size, "%d", *ours->integer);
    else
        snprintf(out, size, "%f", *ours->real);
}
