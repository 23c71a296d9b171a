// SPDX-License-Identifier: Apache-2.0
// See flag_limits.h. The rules stand in the order in which HotSpot reports them.
#include "options/flag_limits.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/output.h"
#include "options/flags.h"
#include "options/options.h"

typedef enum LimitKind {
    AT_LEAST,      // `low`; `words` stand before the number
    AT_MOST,       // the same
    AT_MOST_FLAG,  // the flag `other`
    AT_LEAST_FLAG, // the flag `other`
    BETWEEN,       // `low` and `high`; `words` are a line before
    MULTIPLE,      // of `low`
    POWER,         // of two
} LimitKind;
typedef struct FlagLimit {
    const char *name;
    LimitKind kind;
    int64_t low, high;
    const char *other, *words;
} FlagLimit;

enum {
    TLAB_RESERVE = 576,  // bytes that HotSpot keeps free at an allocation buffer's end
    PLAB_LEAST = 256,    // words
    ENTRY_LEAST = 16,    // bytes
    CODE_ALIGNMENT = 32, // of compiled code, bytes
    CODE_CACHE_FIRST = 2496 << 10,
    CODE_CACHE_USUAL = 48 << 20,
    CODE_CACHE_MOST = 2048, // MB
};
static const FlagLimit limits[] = {
    {"ContendedPaddingWidth", MULTIPLE, .low = 8, .words = "a multiple of"},
    {"InteriorEntryAlignment", .kind = POWER},
    {"InteriorEntryAlignment", AT_LEAST, .low = ENTRY_LEAST},
    {"InteriorEntryAlignment", AT_MOST, .low = CODE_ALIGNMENT, .words = "CodeEntryAlignment "},
    {"InitArrayShortSize", MULTIPLE, .low = 8, .words = "a multiple of"},
    {"PerfDataSamplingInterval", MULTIPLE, .low = 10,
     .words = "evenly divisible by PeriodicTask::interval_gran"},
    {"CompileThreshold", BETWEEN, .low = 0, .high = (1 << 30) - 1,
     .words = "OnStackReplacePercentage cannot be validated because CompileThreshold value is "
              "invalid"},
    {"MinHeapFreeRatio", AT_MOST_FLAG, .other = "MaxHeapFreeRatio"},
    {"MaxHeapFreeRatio", AT_LEAST_FLAG, .other = "MinHeapFreeRatio"},
    {"MaxMetaspaceFreeRatio", AT_LEAST_FLAG, .other = "MinMetaspaceFreeRatio"},
    {"MinMetaspaceFreeRatio", AT_MOST_FLAG, .other = "MaxMetaspaceFreeRatio"},
    {"MarkStackSize", AT_MOST_FLAG, .other = "MarkStackSizeMax"},
    {"OptoLoopAlignment", .kind = POWER},
    {"G1MaxNewSizePercent", AT_LEAST_FLAG, .other = "G1NewSizePercent"},
    {"G1NewSizePercent", AT_MOST_FLAG, .other = "G1MaxNewSizePercent"},
    {"G1RSetRegionEntries", AT_LEAST, .low = 1},
    {"G1RSetSparseRegionEntries", AT_LEAST, .low = 1},
};

static const FlagLimit late_limits[] = {
    // checked when the others are kept
    {"AllocatePrefetchInstr", BETWEEN, .low = 0, .high = 3},
    {"AllocatePrefetchDistance", BETWEEN, .low = 0, .high = 512},
    {"MinTLABSize", AT_LEAST, .low = TLAB_RESERVE, .words = "reserved area in TLAB "},
    {"TLABSize", AT_LEAST_FLAG, .other = "MinTLABSize"},
    {"YoungPLABSize", AT_LEAST, .low = PLAB_LEAST, .words = "ergonomic PLAB minimum size "},
    {"OldPLABSize", AT_LEAST, .low = PLAB_LEAST, .words = "ergonomic PLAB minimum size "},
};

static bool is_power(int64_t n)
{
    return n > 0 && (n & (n - 1)) == 0;
}

static bool keeps(const FlagLimit *l, int64_t value)
{
    switch (l->kind) {
    case AT_LEAST: return value >= l->low;
    case AT_MOST: return value <= l->low;
    case AT_MOST_FLAG: return value <= flags_number(l->other);
    case AT_LEAST_FLAG: return value >= flags_number(l->other);
    case BETWEEN: return value >= l->low && value <= l->high;
    case MULTIPLE: return value % l->low == 0;
    case POWER: return is_power(value);
    }
    return true;
}

static bool complain(const FlagLimit *l, int64_t value)
{
    if (l->kind == BETWEEN && l->words)
        fprintf(vm_stderr(), "%s\n", l->words);
    fprintf(vm_stderr(), "%s (%" PRId64 ") must be ", l->name, value);
    switch (l->kind) {
    case AT_LEAST:
    case AT_MOST:
        fprintf(vm_stderr(),
                l->words ? "%s than or equal to %s(%" PRId64 ")\n"
                         : "%s than or equal to %s%" PRId64 "\n",
                l->kind == AT_MOST ? "less" : "greater", l->words ? l->words : "", l->low);
        break;
    case AT_MOST_FLAG:
    case AT_LEAST_FLAG:
        fprintf(vm_stderr(), "%s than or equal to %s (%" PRId64 ")\n",
                l->kind == AT_MOST_FLAG ? "less" : "greater", l->other, flags_number(l->other));
        break;
    case BETWEEN:
        fprintf(vm_stderr(), "between %" PRId64 " and %" PRId64 "\n", l->low, l->high);
        break;
    case MULTIPLE:
        fprintf(vm_stderr(), strchr(l->words, ':') ? "%s (%" PRId64 ")\n" : "%s %" PRId64 "\n",
                l->words, l->low);
        break;
    case POWER: fprintf(vm_stderr(), "a power of two\n"); break;
    }
    return false;
}

// Whether one flag of the rule was given: the defaults keep all rules, and so does 0, chosen by HotSpot.
static bool concerns(const FlagLimit *l)
{
    return flags_is_given(l->name)
           || (l->other && flags_is_given(l->other) && flags_number(l->name) != 0);
}

static bool check_table(const FlagLimit *table, size_t n)
{
    bool ok = true;
    const char *reported = ""; // one line of a flag is enough
    for (size_t i = 0; i < n; i++) {
        const FlagLimit *l = &table[i];
        if (!concerns(l) || keeps(l, flags_number(l->name)) || strcmp(reported, l->name) == 0)
            continue;
        ok = complain(l, flags_number(l->name));
        reported = l->name;
    }
    return ok;
}

// A compiler thread for each compiler, had HotSpot any; none when it only interprets.
static bool check_compilers(bool interprets)
{
    int64_t last = flags_number("TieredStopAtLevel");
    bool tiered = !flags_is("TieredCompilation", "false");
    int64_t least = interprets || (tiered && last == 0) ? 0 : tiered && last > 1 ? 2 : 1;
    int64_t count = flags_number("CICompilerCount");
    if (!flags_is_given("CICompilerCount") || count >= least)
        return true;
    return options_complain("CICompilerCount (%" PRId64 ") must be at least %" PRId64 " ",
                            count, least);
}

static bool check_compilation_mode(void)
{
    static const char *const modes[] = {"", "default", "quick-only", "high-only",
                                        "high-only-quick-internal"};
    if (!flags_is_given("CompilationMode"))
        return true;
    for (size_t i = 0; i < ARRAY_LEN(modes); i++)
        if (flags_is("CompilationMode", modes[i]))
            return true;
    FlagView given;
    return !flag_view_named("CompilationMode", &given)
           || options_complain("Unsupported compilation mode '%s', available modes are: "
                               "quick-only, high-only, high-only-quick-internal",
                               given.value);
}

static bool check_code_cache(void)
{
    bool first_given = flags_is_given("InitialCodeCacheSize");
    bool most_given = flags_is_given("ReservedCodeCacheSize");
    int64_t first = first_given ? flags_number("InitialCodeCacheSize") : CODE_CACHE_FIRST;
    int64_t most = most_given ? flags_number("ReservedCodeCacheSize") : CODE_CACHE_USUAL;
    int64_t segment = flags_number("CodeCacheSegmentSize");
    bool ok = !flags_is_given("CodeCacheSegmentSize") || segment >= CODE_ALIGNMENT
              || options_complain("CodeCacheSegmentSize  (%" PRId64
                                  ") must be larger than or equal to CodeEntryAlignment "
                                  "(%d) to align entry points",
                                  segment, CODE_ALIGNMENT);
    if (most < first)
        return options_complain("Invalid ReservedCodeCacheSize: %" PRId64
                                "K. Must be at least InitialCodeCacheSize=%" PRId64 "K.",
                                most / 1024, first / 1024);
    if (most > (int64_t)CODE_CACHE_MOST << 20)
        return options_complain("Invalid ReservedCodeCacheSize=%" PRId64
                                "M. Must be at most %dM.",
                                most >> 20, CODE_CACHE_MOST);
    return ok;
}

static bool check_profiling(void)
{
    int64_t profile = flags_number("InterpreterProfilePercentage");
    int64_t replace = flags_number("OnStackReplacePercentage");
    bool ok = true;
    if (flags_is_given("OnStackReplacePercentage") && replace <= profile)
        ok =
            options_complain("OnStackReplacePercentage (%" PRId64
                             ") must be larger than InterpreterProfilePercentage (%" PRId64 ")",
                             replace, profile);
    int64_t nodes = flags_number("MaxNodeLimit"), fudge = flags_number("NodeLimitFudgeFactor");
    if (fudge < nodes * 2 / 100 || fudge > nodes * 40 / 100)
        ok = options_complain(
            "NodeLimitFudgeFactor must be between 2%% and 40%% of MaxNodeLimit (%" PRId64 ")",
            nodes);
    return ok;
}

static bool check_pauses(void)
{
    int64_t pause = flags_number("MaxGCPauseMillis");
    int64_t interval = flags_number("GCPauseIntervalMillis");
    if (!flags_is_given("GCPauseIntervalMillis"))
        return true;
    if (interval < 1)
        return options_complain(
            "GCPauseIntervalMillis (%" PRId64 ") must be greater than or equal to 1", interval);
    if (!flags_is_given("MaxGCPauseMillis"))
        return options_complain(
            "GCPauseIntervalMillis cannot be set without setting MaxGCPauseMillis");
    if (pause < interval)
        return true;
    return options_complain("MaxGCPauseMillis (%" PRId64
                            ") must be less than GCPauseIntervalMillis (%" PRId64 ")\n"
                            "GCPauseIntervalMillis (%" PRId64
                            ") must be greater than MaxGCPauseMillis (%" PRId64 ")",
                            pause, interval, interval, pause);
}

// Threads of the collector: by default HotSpot chooses for the machine, which breaks no limit.
static bool check_collector_threads(void)
{
    int64_t parallel = flags_number("ParallelGCThreads");
    int64_t concurrent = flags_number("ConcGCThreads");
    if (!flags_is_given("ParallelGCThreads") || concurrent <= parallel)
        return true;
    return options_complain("ConcGCThreads (%" PRId64
                            ") must be less than or equal to ParallelGCThreads (%" PRId64 ")",
                            concurrent, parallel);
}

static bool check_vectors(void)
{
    int64_t threshold = flags_number("AVX3Threshold");
    return threshold == 0 || is_power(threshold)
           || options_complain("AVX3Threshold ( %" PRId64
                               " ) must be 0 or a power of two value between 0 and MAX_INT",
                               threshold);
}

static bool check_heap(void)
{
    bool given = flags_is_given("SoftMaxHeapSize");
    return !given || (uint64_t)flags_number("SoftMaxHeapSize") <= vm_options.heap_max
           || options_complain(
               "SoftMaxHeapSize must be less than or equal to the maximum heap size");
}

bool flag_limits_check_one(const char *name, uint64_t value)
{
    bool power = is_power((int64_t)value);
    if (strcmp(name, "ObjectAlignmentInBytes") == 0 && !power)
        return options_complain("%s (%" PRIu64 ") must be power of 2", name, value);
    if (strcmp(name, "MaxHeapSize") == 0)
        return value > 0; // the caller's words are enough
    if (strcmp(name, "LargePageSizeInBytes") == 0 && !power)
        return options_complain("%s ( %" PRIu64 " ) must be a power of 2", name, value);
    return true;
}

bool flag_limits_allow(const char *name, int64_t value)
{
    for (size_t i = 0; i < ARRAY_LEN(limits); i++)
        if (strcmp(limits[i].name, name) == 0 && !keeps(&limits[i], value))
            return false;
    return strcmp(name, "SoftMaxHeapSize") != 0 || (uint64_t)value <= vm_options.heap_max;
}

bool flag_limits_check_all(bool interprets)
{
    bool ok = check_table(limits, ARRAY_LEN(limits));
    ok = check_vectors() && ok;
    ok = check_compilers(interprets) && ok;
    ok = check_compilation_mode() && ok;
    ok = check_profiling() && ok;
    ok = check_pauses() && ok;
    ok = check_collector_threads() && ok;
    ok = check_code_cache() && ok;
    ok = check_heap() && ok;
    return ok && check_table(late_limits, ARRAY_LEN(late_limits));
}
