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
#include "base/size.h"
#include "base/strbuf.h"
#include "options/flag_access.h"
#include "options/flag_limits.h"
#include "options/options.h"
#include "platform/platform.h"

typedef enum FlagType {
    FLAG_BOOL,
    FLAG_INT,
    FLAG_UINT,
    FLAG_INTX,
    FLAG_UINTX,
    FLAG_UINT64_T,
    FLAG_SIZE_T,
    FLAG_DOUBLE,
    FLAG_CCSTR,
    FLAG_CCSTRLIST,
} FlagType;
static const char *const type_names[] = {"bool",     "int",    "uint",   "intx",  "uintx",
                                         "uint64_t", "size_t", "double", "ccstr", "ccstrlist"};
typedef enum FlagKind {
    FLAG_PRODUCT,
    FLAG_MANAGEABLE,
    FLAG_DIAGNOSTIC,
    FLAG_EXPERIMENTAL
} FlagKind;
static const char *const kind_names[] = {"product", "manageable", "diagnostic", "experimental"};

typedef struct KnownFlag {
    const char *name, *range; // range: "least ... greatest", "" when there is none
    const char *value;        // by default, as text
    uint8_t type, kind;
} KnownFlag;
static const KnownFlag known_flags[] = {
#define VM_FLAG(name, type, kind, range, value) {#name, range, value, FLAG_##type, FLAG_##kind},
#include "../../spec/vm_flags.def"
#undef VM_FLAG
};
static char *given[ARRAY_LEN(known_flags)];     // the value of a flag that was given, as text
static uint8_t origins[ARRAY_LEN(known_flags)]; // FlagOrigin of those; 0: by default

// What HotSpot makes of a machine with little memory: a heap of at least HEAP_SMALL, unless the share for
// such machines (MinRAMPercentage) is less.
enum { HEAP_STEP = 2 << 20, HEAP_INITIAL_LEAST = 8 << 20 };
#define HEAP_SMALL (124.8 * (1 << 20))

static bool unlock_diagnostic, unlock_experimental, ignore_unrecognized;
static bool print_final, print_initial, print_ranges, print_command_line, print_gc,
    print_gc_details;
static double max_ram_percentage = 25.0, min_ram_percentage = 50.0,
              initial_ram_percentage = 100.0 / 64;
static size_t max_ram_fraction, min_ram_fraction, initial_ram_fraction; // 0: not given
static int64_t thread_stack_kilobytes;
static size_t max_ram; // -XX:MaxRAM, 0: what the machine has

typedef struct OurFlag { // flags that mean something here
    const char *name;
    bool *boolean;
    size_t *size;
    int64_t *number;
    int *integer;
    double *real;
    char **text;
    const size_t *shown; // a figure that the flag shows and does not set
    bool ergonomic;      // its default is chosen for the machine
} OurFlag;
static const OurFlag our_flags[] = {
    {"MaxRAM", .size = &max_ram},
    {"MaxHeapSize", .size = &vm_options.heap_max, .ergonomic = true},
    {"InitialHeapSize", .size = &vm_options.heap_initial, .ergonomic = true},
    {"SoftMaxHeapSize", .shown = &vm_options.heap_max, .ergonomic = true},
    {"NewSize", .size = &vm_options.heap_young},
    {"MaxNewSize", .size = &vm_options.heap_young},
    {"MaxMetaspaceSize", .size = &vm_options.max_metaspace},
    {"MetaspaceSize", .size = &vm_options.metaspace_threshold},
    {"CompressedClassSpaceSize", .size = &vm_options.class_space},
    {"MaxDirectMemorySize", .size = &vm_options.max_direct},
    {"SoftRefLRUPolicyMSPerMB", .number = &vm_options.soft_ms_per_mb},
    {"ThreadStackSize", .number = &thread_stack_kilobytes},
    {"MaxJavaStackTraceDepth", .integer = &vm_options.max_trace_depth},
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
    {"ShowHiddenFrames", .boolean = &vm_options.show_hidden_frames},
    {"StackTraceInThrowable", .boolean = &vm_options.stack_trace_in_throwable},
    {"CompactStrings", .boolean = &vm_options.compact_strings},
    {"ShowCodeDetailsInExceptionMessages", .boolean = &vm_options.helpful_npe},
    {"DisableExplicitGC", .boolean = &vm_options.disable_explicit_gc},
    {"ClassUnloading", .boolean = &vm_options.class_unloading},
    {"UseContainerSupport", .boolean = &vm_options.use_container_support},
    {"HotSpotJVMTI", .boolean = &vm_options.hotspot_jvmti},
    {"EnableJVMPIInstructionStartEvent", .boolean = &vm_options.jvmpi_instructions},
    {"ReduceSignalUsage", .boolean = &vm_options.reduce_signals},
    {"DisableAttachMechanism", .boolean = &vm_options.disable_attach},
    {"StartAttachListener", .boolean = &vm_options.start_attach_listener},
    {"EnableDynamicAgentLoading", .boolean = &vm_options.dynamic_agents},
    {"HeapDumpOnOutOfMemoryError", .boolean = &vm_options.heap_dump_on_oom},
    {"HeapDumpBeforeFullGC", .boolean = &vm_options.heap_dump_before_full},
    {"HeapDumpAfterFullGC", .boolean = &vm_options.heap_dump_after_full},
    {"PrintClassHistogram", .boolean = &vm_options.print_class_histogram},
    {"HeapDumpPath", .text = &vm_options.heap_dump_path},
    {"HeapDumpGzipLevel", .integer = &vm_options.heap_dump_gzip},
    {"UseSignalChaining", .boolean = &vm_options.signal_chaining},
    {"AllowUserSignalHandlers", .boolean = &vm_options.allow_user_handlers},
    {"PrintConcurrentLocks", .boolean = &vm_options.print_concurrent_locks},
    {"UsePerfData", .boolean = &vm_options.use_perf_data},
    {"PerfDisableSharedMem", .boolean = &vm_options.perf_private},
    {"PerfDataSaveToFile", .boolean = &vm_options.perf_save},
    {"PerfDataSaveFile", .text = &vm_options.perf_save_file},
    {"PerfDataMemorySize", .number = &vm_options.perf_data_size},
    {"PerfDataSamplingInterval", .number = &vm_options.perf_interval},
    {"CompileCommand", .text = &vm_options.compile_commands},
    {"CompileOnly", .text = &vm_options.compile_only},
    {"CompileCommandFile", .text = &vm_options.compile_command_file},
    {"OnOutOfMemoryError", .text = &vm_options.on_oom},
    {"OnError", .text = &vm_options.on_error},
    {"ErrorFile", .text = &vm_options.error_file},
    {"ErrorFileToStdout", .boolean = &vm_options.error_to_stdout},
    {"ErrorFileToStderr", .boolean = &vm_options.error_to_stderr},
    {"CreateCoredumpOnCrash", .boolean = &vm_options.core_on_crash},
    {"LogEvents", .boolean = &vm_options.log_events},
    {"LogEventsBufferEntries", .number = &vm_options.log_events_entries},
    {"LogTouchedMethods", .boolean = &vm_options.log_touched_methods},
    {"ExitOnOutOfMemoryError", .boolean = &vm_options.exit_on_oom},
    {"CrashOnOutOfMemoryError", .boolean = &vm_options.crash_on_oom},
    {"UnlockDiagnosticVMOptions", .boolean = &unlock_diagnostic},
    {"UnlockExperimentalVMOptions", .boolean = &unlock_experimental},
    {"IgnoreUnrecognizedVMOptions", .boolean = &ignore_unrecognized},
    {"PrintFlagsFinal", .boolean = &print_final},
    {"PrintFlagsInitial", .boolean = &print_initial},
    {"PrintFlagsRanges", .boolean = &print_ranges},
    {"PrintCommandLineFlags", .boolean = &print_command_line},
    {"PrintGC", .boolean = &print_gc},
    {"PrintGCDetails", .boolean = &print_gc_details},
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

// Properties of this VM's heap, which no flag changes: programs that ask for the value of one are told what is.
static const char *const fixed_flags[] = {
    "UseCompressedOops",
    "UseCompressedClassPointers",
    "ObjectAlignmentInBytes",
};

// ---- lookup ----

static const KnownFlag *known_flag(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(known_flags); i++)
        if (strcmp(known_flags[i].name, name) == 0)
            return &known_flags[i];
    return NULL;
}

static const OurFlag *our_flag(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(our_flags); i++)
        if (strcmp(our_flags[i].name, name) == 0)
            return &our_flags[i];
    return NULL;
}

static void suggest(const char *name)
{
    const KnownFlag *best = NULL;
    double found = 0.7;
    for (size_t i = 0; i < ARRAY_LEN(known_flags); i++) {
        double d = text_likeness(known_flags[i].name, name);
        if (d > found) {
            best = &known_flags[i];
            found = d;
        }
    }
    if (best)
        fprintf(stderr,
                best->type == FLAG_BOOL ? "Did you mean '(+/-)%s'? "
                                        : "Did you mean '%s=<value>'? ",
                best->name);
}

static bool is_locked(const KnownFlag *k)
{
    return (k->kind == FLAG_DIAGNOSTIC && !unlock_diagnostic)
           || (k->kind == FLAG_EXPERIMENTAL && !unlock_experimental);
}

static bool refuse_locked(const KnownFlag *k)
{
    if (!is_locked(k))
        return false;
    if (!ignore_unrecognized)
        options_complain(
            "Error: VM option '%s' is %s and must be enabled via -XX:+Unlock%sVMOptions.\n"
            "Error: The unlock option must precede '%s'.",
            k->name, kind_names[k->kind],
            k->kind == FLAG_DIAGNOSTIC ? "Diagnostic" : "Experimental", k->name);
    return true;
}

// ---- values ----

static bool improper(const KnownFlag *k, const char *v)
{
    if (strcmp(k->name, "MaxHeapSize") == 0)
        return options_complain("Invalid maximum heap size: -XX:MaxHeapSize=%s", v);
    return options_complain("Improperly specified VM option '%s=%s'", k->name, v);
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

static const char *greatest(const KnownFlag *k)
{
    return strstr(k->range, " ... ") + 5;
}

static bool set_double(const KnownFlag *k, const OurFlag *ours, const char *v)
{
    double d;
    if (!parse_double(v, &d))
        return improper(k, v);
    if (*k->range && (d < strtod(k->range, NULL) || d > strtod(greatest(k), NULL))) {
        options_complain("double %s=%f is outside the allowed range [ %f ... %f ]", k->name, d,
                         strtod(k->range, NULL), strtod(greatest(k), NULL));
        return improper(k, v);
    }
    if (ours)
        *ours->real = d;
    return true;
}

static bool set_signed(const KnownFlag *k, const OurFlag *ours, const char *v)
{
    uint64_t n;
    bool negative = *v == '-';
    if (!size_parse(v + negative, &n))
        return improper(k, v);
    int64_t number = negative ? (int64_t)-n : (int64_t)n;
    if (k->type == FLAG_INT)
        number = (int32_t)number;
    if (*k->range
        && (number < strtoll(k->range, NULL, 10) || number > strtoll(greatest(k), NULL, 10))) {
        options_complain("%s %s=%" PRId64 " is outside the allowed range [ %s ]",
                         type_names[k->type], k->name, number, k->range);
        return improper(k, v);
    }
    if (!flag_limits_check_one(k->name, (uint64_t)number))
        return improper(k, v);
    if (ours && ours->number)
        *ours->number = number;
    if (ours && ours->integer)
        *ours->integer = (int)number;
    return true;
}

static bool set_unsigned(const KnownFlag *k, const OurFlag *ours, const char *v)
{
    uint64_t n;
    if (!size_parse(v, &n))
        return improper(k, v);
    if (k->type == FLAG_UINT)
        n = (uint32_t)n;
    if (*k->range
        && (n < strtoull(k->range, NULL, 10) || n > strtoull(greatest(k), NULL, 10))) {
        options_complain("%s %s=%" PRIu64 " is outside the allowed range [ %s ]",
                         type_names[k->type], k->name, n, k->range);
        return improper(k, v);
    }
    if (!flag_limits_check_one(k->name, n))
        return improper(k, v);
    if (ours && ours->size)
        *ours->size = n;
    if (ours && ours->number)
        *ours->number = (int64_t)n;
    return true;
}

static bool set_value(const KnownFlag *k, const char *v)
{
    const OurFlag *ours = our_flag(k->name);
    switch ((FlagType)k->type) {
    case FLAG_DOUBLE: return set_double(k, ours, v);
    case FLAG_INT:
    case FLAG_INTX: return set_signed(k, ours, v);
    case FLAG_UINT:
    case FLAG_UINTX:
    case FLAG_UINT64_T:
    case FLAG_SIZE_T: return set_unsigned(k, ours, v);
    case FLAG_BOOL: return true; // never comes here: it has no value
    case FLAG_CCSTR:
        if (ours)
            *ours->text = vm_strdup(v);
        return true;
    case FLAG_CCSTRLIST: break;
    }
    if (ours) // one given again adds to it
        *ours->text = *ours->text ? vm_asprintf("%s\n%s", *ours->text, v) : vm_strdup(v);
    return true;
}

static void note(const KnownFlag *k, const char *value, FlagOrigin by)
{
    vm_free(given[k - known_flags]);
    given[k - known_flags] = vm_strdup(value);
    origins[k - known_flags] = (uint8_t)by;
}

void flags_note(const char *name)
{
    note(known_flag(name), "", FLAG_BY_COMMAND_LINE);
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

// Whether a flag that is given another value than it always has is left alone, with a warning.
static bool keep_fixed(const KnownFlag *k, const char *value)
{
    bool fixed = false;
    for (size_t i = 0; i < ARRAY_LEN(fixed_flags); i++)
        fixed = fixed || strcmp(fixed_flags[i], k->name) == 0;
    if (!fixed || strcmp(value, k->value) == 0)
        return false;
    vm_warning("%s cannot be changed in this VM: it remains %s", k->name, k->value);
    return true;
}

static bool set_boolean(const KnownFlag *k, bool value)
{
    if (keep_fixed(k, value ? "true" : "false"))
        return true;
    const OurFlag *ours = our_flag(k->name);
    if (ours)
        *ours->boolean = value;
    note(k, value ? "true" : "false", FLAG_BY_COMMAND_LINE);
    if (strcmp(k->name, "PrintGC") == 0 && value)
        LOG(LOG_GC, LOG_WARNING, "-XX:+PrintGC is deprecated. Will use -Xlog:gc instead.");
    if (strcmp(k->name, "PrintGCDetails") == 0 && value)
        LOG(LOG_GC, LOG_WARNING,
            "-XX:+PrintGCDetails is deprecated. Will use -Xlog:gc* instead.");
    return true;
}

static bool set_named(const char *name, char sign, const char *value, const char *whole)
{
    const char *now = retire(name);
    if (!now)
        return true;
    const KnownFlag *k = known_flag(now);
    if (!k) {
        if (ignore_unrecognized)
            return true;
        options_complain("Unrecognized VM option '%s'", whole);
        suggest(name);
        return false;
    }
    if (refuse_locked(k))
        return ignore_unrecognized;
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
        fputs("Syntax error, expecting -XX:NativeMemoryTracking=[off|summary|detail]", stderr);
        return false;
    }
    if (!keep_fixed(k, value))
        note(k, value, FLAG_BY_COMMAND_LINE);
    return set_value(k, value);
}

bool flags_set(const char *text)
{
    char sign = *text == '+' || *text == '-' ? *text : 0;
    const char *whole = text + (sign != 0), *eq = strchr(whole, '=');
    size_t len = eq ? (size_t)(eq - whole) : strlen(whole);
    if (len > 1 && eq && whole[len - 1] == ':') // HotSpot's ":=" for texts
        len--;
    char *name = vm_strndup(whole, len);
    bool ok = set_named(name, sign, eq ? eq + 1 : NULL, whole);
    vm_free(name);
    if (ok && thread_stack_kilobytes > 0 && strncmp(whole, "ThreadStackSize=", 16) == 0)
        vm_options.stack_size = (size_t)thread_stack_kilobytes << 10;
    return ok;
}

void flags_ignore_unrecognized(void)
{
    ignore_unrecognized = true;
}

// A percentage; the fraction that it replaces counts when only that was given.
static double share_of(double memory, const char *percentage, double value, size_t fraction)
{
    bool given_value = given[known_flag(percentage) - known_flags] != NULL;
    return memory * (fraction && !given_value ? 100.0 / (double)fraction : value) / 100;
}

size_t flags_heap_share(uint64_t memory, bool initial)
{
    double usable = (double)(max_ram && max_ram < memory ? max_ram : memory);
    double most = share_of(usable, "MaxRAMPercentage", max_ram_percentage, max_ram_fraction);
    double small = share_of(usable, "MinRAMPercentage", min_ram_percentage, min_ram_fraction);
    double first =
        share_of(usable, "InitialRAMPercentage", initial_ram_percentage, initial_ram_fraction);
    double bytes = initial              ? MAX_OF(first, (double)HEAP_INITIAL_LEAST)
                   : small < HEAP_SMALL ? small
                                        : MAX_OF(most, HEAP_SMALL);
    return ALIGN_UP((size_t)bytes, (size_t)HEAP_STEP);
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

// ---- printing ----

// Numbers of 0 that were not given stand for the default.
static bool is_chosen(const OurFlag *ours)
{
    return (!ours->size || *ours->size) && (!ours->number || *ours->number)
           && (!ours->integer || *ours->integer);
}

static void value_text(const KnownFlag *k, char *out, size_t size)
{
    const OurFlag *ours = our_flag(k->name);
    const char *text = given[k - known_flags];
    if (!ours || ours->text || (!text && !is_chosen(ours)))
        snprintf(out, size, "%s", text ? text : k->value);
    else if (ours->shown)
        snprintf(out, size, "%zu", *ours->shown);
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

static void print_table(void)
{
    printf("[Global flags]\n");
    for (size_t i = 0; i < ARRAY_LEN(known_flags); i++) {
        const KnownFlag *k = &known_flags[i];
        if (is_locked(k))
            continue;
        char value[256], kind[32];
        value_text(k, value, sizeof value);
        snprintf(kind, sizeof kind, "{%s}", kind_names[k->kind]);
        printf("%9s %-40s = %-30s%21s {%s}\n", type_names[k->type], k->name, value, kind,
               given[i] ? "command line" : "default");
    }
}

static void print_table_of_ranges(void)
{
    printf("[Global flags ranges]\n");
    for (size_t i = 0; i < ARRAY_LEN(known_flags); i++) {
        const KnownFlag *k = &known_flags[i];
        if (is_locked(k) || k->type == FLAG_BOOL || k->type == FLAG_CCSTR
            || k->type == FLAG_CCSTRLIST)
            continue;
        char kind[32];
        snprintf(kind, sizeof kind, "{%s}", kind_names[k->kind]);
        int least = (int)strcspn(k->range, " ");
        printf("%9s %-50s [ %-25.*s ... %25s ]%37s {%s}\n", type_names[k->type], k->name, least,
               k->range, *k->range ? greatest(k) : "", kind,
               given[i] ? "command line" : "default");
    }
}

static void print_as_options(void)
{
    for (size_t i = 0; i < ARRAY_LEN(known_flags); i++) {
        const KnownFlag *k = &known_flags[i];
        bool always =
            strcmp(k->name, "MaxHeapSize") == 0 || strcmp(k->name, "InitialHeapSize") == 0;
        if (!given[i] && !always)
            continue;
        char value[256];
        value_text(k, value, sizeof value);
        if (k->type == FLAG_BOOL)
            printf("-XX:%c%s ", strcmp(value, "true") == 0 ? '+' : '-', k->name);
        else
            printf("-XX:%s=%s ", k->name, value);
    }
    printf("\n");
}

void flags_print(void)
{
    if (print_command_line)
        print_as_options();
    if (print_ranges) // in place of the values
        print_table_of_ranges();
    else if (print_final || print_initial)
        print_table();
    fflush(stdout);
    if (print_gc || print_gc_details) {
        char error[64];
        if (!log_configure(print_gc_details ? ":gc*" : ":gc", error, sizeof error))
            fprintf(stderr, "%s\n", error);
    }
}

// ---- while the VM runs: flag_access.h ----

static Mutex change_lock = MUTEX_INIT(RANK_STARTUP);

static void view(const KnownFlag *k, FlagView *out)
{
    size_t i = (size_t)(k - known_flags);
    *out = (FlagView){.name = k->name,
                      .type = type_names[k->type],
                      .kind = kind_names[k->kind],
                      .is_locked = is_locked(k)};
    mutex_lock(&change_lock);
    const OurFlag *ours = our_flag(k->name);
    out->origin = origins[i]                ? (FlagOrigin)origins[i]
                  : ours && ours->ergonomic ? FLAG_BY_ERGONOMICS
                                            : FLAG_BY_DEFAULT;
    value_text(k, out->value, sizeof out->value);
    mutex_unlock(&change_lock);
}

static void view_at(size_t i, FlagView *out)
{
    view(&known_flags[i], out);
}

static bool view_named(const char *name, FlagView *out)
{
    const KnownFlag *k = known_flag(name);
    if (k)
        view(k, out);
    return k != NULL;
}

// Whether `text` is a number of the kind, in the range of the flag.
static bool check_number(const KnownFlag *k, const char *text, StrBuf *why)
{
    bool is_signed = k->type == FLAG_INT || k->type == FLAG_INTX, low, high;
    const char *most = *k->range ? greatest(k) : "";
    char *end;
    errno = 0;
    if (k->type == FLAG_DOUBLE) {
        double d = strtod(text, &end);
        low = d<strtod(k->range, NULL), high = d> strtod(most, NULL);
    } else if (is_signed) {
        int64_t n = strtoll(text, &end, 10);
        low = n<strtoll(k->range, NULL, 10), high = n> strtoll(most, NULL, 10);
    } else {
        uint64_t n = strtoull(text, &end, 10);
        low = n<strtoull(k->range, NULL, 10), high = n> strtoull(most, NULL, 10);
    }
    if (end == text || *end || errno) {
        sb_printf(why, "flag value must be a%s\n",
                  k->type == FLAG_DOUBLE ? " double"
                  : is_signed            ? "n integer"
                                         : "n unsigned integer");
        return false;
    }
    if (*k->range && (low || high))
        sb_printf(why, "%s error: must have value in range [%.*s...%s]\n", k->name,
                  (int)strcspn(k->range, " "), k->range, most);
    return !*k->range || (!low && !high);
}

static bool change_boolean(const KnownFlag *k, const char *value, FlagOrigin by, StrBuf *why)
{
    bool on = strcmp(value, "1") == 0 || strcmp(value, "true") == 0;
    if (!on && strcmp(value, "0") != 0 && strcmp(value, "false") != 0) {
        sb_add(why, "flag value must be a boolean (1/0 or true/false)\n");
        return false;
    }
    const OurFlag *ours = our_flag(k->name);
    if (ours)
        *ours->boolean = on;
    note(k, on ? "true" : "false", by);
    return true;
}

static bool change_text(const KnownFlag *k, const char *value, FlagOrigin by)
{
    const OurFlag *ours = our_flag(k->name);
    if (ours)
        *ours->text = vm_strdup(value); // the old one may just be read: it stays
    note(k, value, by);
    return true;
}

static bool change(const char *name, const char *value, FlagOrigin by, StrBuf *why)
{
    const KnownFlag *k = known_flag(name);
    if (!k || k->kind != FLAG_MANAGEABLE) {
        sb_printf(why, k ? "flag '%s' cannot be changed\n" : "flag %s does not exist\n", name);
        return false;
    }
    mutex_lock(&change_lock);
    bool ok = k->type == FLAG_BOOL    ? change_boolean(k, value, by, why)
              : k->type == FLAG_CCSTR ? change_text(k, value, by)
                                      : check_number(k, value, why) && set_value(k, value);
    if (ok && k->type != FLAG_BOOL && k->type != FLAG_CCSTR)
        note(k, value, by);
    mutex_unlock(&change_lock);
    return ok;
}

void flags_open_to_tools(void)
{
    static const FlagAccess access = {ARRAY_LEN(known_flags), view_at, view_named, change};
    flag_access = &access;
}
