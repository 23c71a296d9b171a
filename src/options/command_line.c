// SPDX-License-Identifier: Apache-2.0
// See command_line.h. Every option stands in one of two tables, exact words and prefixes with a
// value; -XX flags are in flags.c. Later options win; their order is that of option_words.h.
#define _GNU_SOURCE
#include "options/command_line.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/log.h"
#include "base/output.h"
#include "base/size.h"
#include "options/compile_command.h"
#include "options/flag_limits.h"
#include "options/flags.h"
#include "options/option_words.h"
#include "options/settings_file.h"
#include "platform/platform.h"

static int module_options[6]; // counters of the numbered jdk.module properties
static jint error_code; // what creation returns for wrong options: JNI_EINVAL, for some JNI_ERR
static bool complain_unrecognized(const char *option)
{
    error_code = JNI_ERR;
    return options_complain("Unrecognized option: %s", option);
}

// Answers of the VM to a wrong value that HotSpot gives on stdout.
static bool complain_on_stdout(const char *text, const char *name, const char *value)
{
    fprintf(vm_stdout(), text, name, value);
    fflush(vm_stdout());
    return false;
}

// ---- options with a value ----

static bool wants_archive;     // -Xshare:dump
static bool reserved_property; // one of the VM's own was given and ignored

static bool opt_property(const char *v)
{
    const char *eq = strchr(v, '=');
    char *key = eq ? vm_strndup(v, (size_t)(eq - v)) : vm_strdup(v);
    const char *value = eq ? eq + 1 : "";
    if (*value && strcmp(key, "java.endorsed.dirs") == 0)
        return complain_on_stdout(
            "-D%s=%s is not supported. Endorsed standards and standalone APIs\n"
            "in modular form will be supported via the concept of upgradeable modules.\n",
            key, value);
    if (*value && strcmp(key, "java.ext.dirs") == 0)
        return complain_on_stdout("-D%s=%s is not supported.  Use -classpath instead.\n", key,
                                  value);
    static const char *const ours[] = {
        "jdk.module.addmods",      "jdk.module.addexports", "jdk.module.addopens",
        "jdk.module.addreads",     "jdk.module.patch",      "jdk.module.limitmods",
        "jdk.module.upgrade.path", "jdk.module.path",       "jdk.module.enable.native.access"};
    for (size_t i = 0; i < ARRAY_LEN(ours); i++) {
        size_t n = strlen(ours[i]);
        if (strncmp(key, ours[i], n) == 0 && (key[n] == '\0' || key[n] == '.')) {
            reserved_property = true;
            vm_free(key);
            return true;
        }
    }
    if (strcmp(key, "sun.java.command") == 0)
        vm_options.java_command = vm_strdup(value);
    options_set_property(key, value);
    vm_free(key);
    return true;
}

static bool add_numbered(int counter, const char *prefix, const char *value)
{
    char *key = vm_asprintf("%s.%d", prefix, module_options[counter]++);
    options_set_property(key, value);
    vm_free(key);
    return true;
}
static bool opt_add_modules(const char *v)
{
    return add_numbered(0, "jdk.module.addmods", v);
}
static bool opt_add_exports(const char *v)
{
    return add_numbered(1, "jdk.module.addexports", v);
}
static bool opt_add_opens(const char *v)
{
    return add_numbered(2, "jdk.module.addopens", v);
}
static bool opt_add_reads(const char *v)
{
    return add_numbered(3, "jdk.module.addreads", v);
}
static bool opt_native_access(const char *v)
{
    return add_numbered(5, "jdk.module.enable.native.access", v);
}
static bool opt_patch_module(const char *v)
{
    const char *eq = strchr(v, '=');
    if (!eq)
        return complain_on_stdout("Missing '=' in --patch-module specification\n", NULL, NULL);
    bool is_base = (size_t)(eq - v) == 9 && strncmp(v, "java.base", 9) == 0;
    for (size_t i = 0; is_base && i < vm_options.patches.len; i++)
        if (strcmp(vm_options.patches.at[i].key, "java.base") == 0)
            options_end_process("Cannot specify java.base more than once to --patch-module");
    Property p = {vm_strndup(v, (size_t)(eq - v)), vm_strdup(eq + 1)};
    vec_push(&vm_options.patches, p);
    return add_numbered(4, "jdk.module.patch", v);
}
static bool opt_limit_modules(const char *v)
{
    options_set_property("jdk.module.limitmods", v);
    return true;
}
static bool opt_module_path(const char *v)
{
    options_set_property("jdk.module.path", v);
    return true;
}
static bool opt_upgrade_path(const char *v)
{
    options_set_property("jdk.module.upgrade.path", v);
    return true;
}
static bool opt_illegal_access(const char *v)
{
    (void)v;
    vm_warning("Ignoring option --illegal-access=%s; support was removed in 17.0", v);
    return true;
}
static bool opt_agent(const char *v, bool is_path, bool is_xrun)
{
    const char *eq = strchr(v, is_xrun ? ':' : '=');
    AgentOption a = {.name = eq ? vm_strndup(v, (size_t)(eq - v)) : vm_strdup(v),
                     .options = eq ? vm_strdup(eq + 1) : NULL,
                     .is_path = is_path,
                     .is_xrun = is_xrun};
    vec_push(&vm_options.agents, a);
    return true;
}
static bool opt_agentlib(const char *v)
{
    return opt_agent(v, false, false);
}
static bool opt_agentpath(const char *v)
{
    return opt_agent(v, true, false);
}
static bool opt_xrun(const char *v)
{
    return opt_agent(v, false, true);
}
static bool opt_javaagent(const char *v)
{
    AgentOption a = {.name = vm_strdup("instrument"), .options = vm_strdup(v)};
    vec_push(&vm_options.agents, a);
    return opt_add_modules("java.instrument");
}
static bool opt_boot_append(const char *v)
{
    char *joined =
        vm_options.boot_append ? vm_asprintf("%s:%s", vm_options.boot_append, v) : vm_strdup(v);
    vm_free(vm_options.boot_append);
    vm_options.boot_append = joined;
    return true;
}
// Each of -Xms, -Xmx, -Xmn, -Xss: what HotSpot calls it, and the flag that it stands for.
static bool size_option(const char *v, const char *option, const char *what, const char *flag,
                        size_t *out)
{
    uint64_t n;
    if (!size_parse(v, &n))
        return options_complain("Invalid %s: %s%s", what, option, v);
    *out = n;
    flags_note(flag);
    return true;
}
static bool opt_code_cache(const char *v)
{
    uint64_t n;
    if (!size_parse(v, &n) || n == 0)
        return options_complain("Invalid maximum code cache size: -Xmaxjitcodesize%s.", v);
    char *flag = vm_asprintf("ReservedCodeCacheSize=%s", v);
    bool ok = flags_set(flag, FLAG_BY_COMMAND_LINE);
    vm_free(flag);
    return ok;
}
static bool opt_xms(const char *v)
{
    return size_option(v, "-Xms", "initial heap size", "InitialHeapSize",
                       &vm_options.heap_initial);
}
static bool opt_xmx(const char *v)
{
    return size_option(v, "-Xmx", "maximum heap size", "MaxHeapSize", &vm_options.heap_max)
           && (vm_options.heap_max > 0
               || options_complain("Invalid maximum heap size: -Xmx%s", v));
}
static bool opt_xmn(const char *v)
{
    return size_option(v, "-Xmn", "initial young generation size", "NewSize",
                       &vm_options.heap_young)
           && (vm_options.heap_young > 0
               || options_complain("Invalid initial young generation size: -Xmn%s", v));
}
static bool opt_xss(const char *v)
{
    size_t size = 0;
    if (!size_option(v, "-Xss", "thread stack size", "ThreadStackSize", &size))
        return false;
    if (size > 1ull << 30)
        return options_complain(
            "Invalid thread stack size: -Xss%s\nThe specified size exceeds the "
            "maximum representable size.",
            v);
    if (size > 0)
        vm_options.stack_size = size;
    return true;
}
// -Xminf, -Xmaxf: the share of the heap to be kept free, which is given as a percentage elsewhere.
static bool free_share(const char *v, const char *option, const char *what, const char *flag)
{
    char *end;
    double share = strtod(v, &end);
    if (end == v || *end)
        return options_complain("Bad %s heap free percentage size: %s%s", what, option, v);
    int percent = (int)(share * 100);
    if (percent < 0 || percent > 100)
        return options_complain("uintx %s=%d is outside the allowed range [ 0 ... 100 ]", flag,
                                percent);
    char *text = vm_asprintf("%s=%d", flag, percent);
    bool ok = flags_set(text, FLAG_BY_COMMAND_LINE);
    vm_free(text);
    return ok;
}
static bool opt_minf(const char *v)
{
    return free_share(v, "-Xminf", "min", "MinHeapFreeRatio");
}
static bool opt_maxf(const char *v)
{
    return free_share(v, "-Xmaxf", "max", "MaxHeapFreeRatio");
}
// What is wrong is logged.
static bool configure_log(const char *v)
{
    char error[256] = "";
    bool is_xlog = *v == '\0' || *v == ':'; // not -Xloggc
    if (is_xlog && log_configure(v, error, sizeof error))
        return true;
    for (char *rest = is_xlog ? error : NULL, *line; (line = strsep(&rest, "\n")) != NULL;)
        LOG(LOG_LOGGING, LOG_ERROR, "%s", line);
    return false;
}
static bool opt_log(const char *v)
{
    return configure_log(v)
           || options_complain("Invalid -Xlog option '-Xlog%s', see error log for details.", v);
}
static bool opt_loggc(const char *v)
{
    LOG(LOG_GC, LOG_WARNING, "-Xloggc is deprecated. Will use -Xlog:gc:%s instead.", v);
    char *spec = vm_asprintf(*v ? ":gc:file=%s" : ":gc:%s", v);
    bool ok = configure_log(spec);
    vm_free(spec);
    return ok;
}
static bool opt_verbose(const char *v)
{
    if (*v == '\0' || strcmp(v, ":class") == 0) {
        log_enable(LOG_CLASS_LOAD, LOG_INFO);
        log_enable(LOG_CLASS_UNLOAD, LOG_INFO);
    } else if (strcmp(v, ":gc") == 0) {
        log_enable(LOG_GC, LOG_INFO);
    } else if (strcmp(v, ":jni") == 0) {
        log_enable(LOG_JNI, LOG_DEBUG);
    } else if (strcmp(v, ":module") == 0) {
        log_enable(LOG_MODULE, LOG_INFO);
    }
    return true;
}
static bool assertion(const char *v, bool enable)
{
    AssertRule r = {.enable = enable};
    if (*v == ':') {
        size_t n = strlen(++v);
        r.is_package = n >= 3 && strcmp(v + n - 3, "...") == 0;
        r.name = vm_strndup(v, r.is_package ? n - 3 : n);
        for (char *p = r.name; *p; p++)
            *p = *p == '/' ? '.' : *p;
    } else if (*v) {
        return options_complain("Unrecognized option: -%s%s", enable ? "ea" : "da", v);
    }
    vec_push(&vm_options.asserts, r);
    return true;
}
static bool opt_ea(const char *v)
{
    return assertion(v, true);
}
static bool opt_da(const char *v)
{
    return assertion(v, false);
}
static bool opt_verify(const char *v)
{
    vm_options.verify_local = strcmp(v, ":all") == 0;
    vm_options.verify_remote = strcmp(v, ":none") != 0;
    if (*v && strcmp(v, ":all") && strcmp(v, ":none") && strcmp(v, ":remote"))
        return options_complain("Unrecognized verification option: -Xverify%s", v);
    if (strcmp(v, ":none") == 0)
        vm_warning("Options -Xverify:none and -noverify were deprecated in JDK 13 and will "
                   "likely be removed in a future release.");
    return true;
}
enum { CHECK_LIMIT = 100 }; // reports of -Xcheck:jvmti and :jvmpi unless said otherwise

// ":abort", ":limit=N", or both with a comma, behind them.
static bool check_suboptions(const char *v)
{
    for (bool more = *v == ':'; more; more = *v == ',') {
        char *end = NULL;
        if (strncmp(++v, "limit=", 6) == 0) {
            vm_options.check_limit = (int)strtol(v + 6, &end, 10);
        } else if (strncmp(v, "abort", 5) == 0) {
            vm_options.check_abort = true;
            end = (char *)(uintptr_t)v + 5;
        }
        if (!end || vm_options.check_limit <= 0)
            return false;
        v = end;
    }
    return *v == '\0';
}
static bool opt_check(const char *v)
{
    bool ok = true;
    if (strncmp(v, ":jvmti", 6) == 0) {
        vm_options.check_jvmti = true;
        vm_options.check_limit = CHECK_LIMIT;
        ok = check_suboptions(v + 6);
    } else if (strncmp(v, ":jvmpi", 6) == 0) {
        vm_options.check_jvmpi = vm_options.check_jni = true;
        vm_options.check_limit = CHECK_LIMIT;
        ok = check_suboptions(v + 6);
    } else {
        vm_options.check_jni = true;
        ok = strcmp(v, ":jni") == 0;
    }
    return ok || options_complain("Unrecognized check option: -Xcheck%s", v);
}
static bool opt_share(const char *v)
{
    wants_archive |= strcmp(v, "dump") == 0;
    return strcmp(v, "auto") == 0 || strcmp(v, "off") == 0 || strcmp(v, "on") == 0
           || strcmp(v, "dump") == 0 || options_complain("Unrecognized option: -Xshare:%s", v);
}
static bool opt_profile(const char *v)
{
    (void)v;
    vm_warning("Ignoring option -Xprof; support was removed in 10.0");
    return true;
}
static bool opt_batch(const char *v)
{
    vm_options.background_compilation = false;
    flags_note("BackgroundCompilation");
    if (*v == '\0')
        return true;
    char *option = vm_asprintf("-Xbatch%s", v);
    bool ok = complain_unrecognized(option);
    vm_free(option);
    return ok;
}
static bool opt_boot_prepend(const char *v)
{
    (void)v;
    return complain_on_stdout("-Xbootclasspath/p is no longer a supported option.\n", NULL,
                              NULL);
}
static bool opt_boot_path(const char *v)
{
    (void)v;
    return complain_on_stdout("-Xbootclasspath is no longer a supported option.\n", NULL, NULL);
}

typedef struct ValueOption {
    const char *prefix;
    bool (*set)(const char *value);
} ValueOption;
static const ValueOption value_options[] = {
    // the first prefix that fits
    {"-D", opt_property},
    {"--add-modules=", opt_add_modules},
    {"--add-exports=", opt_add_exports},
    {"--add-opens=", opt_add_opens},
    {"--add-reads=", opt_add_reads},
    {"--patch-module=", opt_patch_module},
    {"--enable-native-access=", opt_native_access},
    {"--limit-modules=", opt_limit_modules},
    {"--module-path=", opt_module_path},
    {"--upgrade-module-path=", opt_upgrade_path},
    {"--illegal-access=", opt_illegal_access},
    {"-agentlib:", opt_agentlib},
    {"-agentpath:", opt_agentpath},
    {"-javaagent:", opt_javaagent},
    {"-Xrun", opt_xrun},
    {"-Xbootclasspath/a:", opt_boot_append},
    {"-Xbootclasspath/p:", opt_boot_prepend},
    {"-Xbootclasspath:", opt_boot_path},
    {"-Xms", opt_xms},
    {"-Xmx", opt_xmx},
    {"-Xmn", opt_xmn},
    {"-Xmaxjitcodesize", opt_code_cache},
    {"-Xminf", opt_minf},
    {"-Xmaxf", opt_maxf},
    {"-Xss", opt_xss},
    {"-Xloggc:", opt_loggc},
    {"-Xlog", opt_log},
    {"-verbose", opt_verbose},
    {"-enableassertions", opt_ea},
    {"-disableassertions", opt_da},
    {"-ea", opt_ea},
    {"-da", opt_da},
    {"-Xverify", opt_verify},
    {"-Xcheck", opt_check},
    {"-Xshare:", opt_share},
    {"-Xprof", opt_profile},
    {"-Xbatch", opt_batch},
};

// ---- words ----

static CompileMode compile_mode; // of the words, the last one counts

typedef struct WordOption {
    const char *word;
    bool *flag; // NULL: accepted, means nothing here
    bool value;
} WordOption;
static const struct {
    const char *word;
    CompileMode mode;
} compile_modes[] = {
    {"-Xint", COMPILE_NOTHING}, {"-Xcomp", COMPILE_ALL}, {"-Xmixed", COMPILE_WARM}};
static const WordOption word_options[] = {
    {"-esa", &vm_options.assert_system, true},
    {"-dsa", &vm_options.assert_system, false},
    {"-enablesystemassertions", &vm_options.assert_system, true},
    {"-disablesystemassertions", &vm_options.assert_system, false},
    {"-Xrs", &vm_options.reduce_signals, true},
    {"--enable-preview", &vm_options.allow_preview, true},
    {"-Xnoclassgc", &vm_options.class_unloading, false},
    {"-Xdebug", NULL, false},
    {"-Xnoagent", NULL, false},
    {"-Xfuture", NULL, false},
    {"-Xdiag", NULL, false},
    {"-XshowSettings", NULL, false},
    {"exit", NULL, false},
    {"abort", NULL, false},
    {"vfprintf", NULL, false}, // hooks: extraInfo
};

// ---- the walk ----

static bool parse_flag(const OptionWord *word)
{
    const char *flag = word->text + sizeof "-XX:" - 1;
    return settings_is_name(flag)
           || flags_set(flag,
                        word->is_environment ? FLAG_BY_ENVIRONMENT : FLAG_BY_COMMAND_LINE);
}

static bool parse_option(const OptionWord *word, bool ignore_unknown)
{
    const char *option = word->text;
    for (size_t i = 0; i < ARRAY_LEN(word_options); i++) {
        if (strcmp(option, word_options[i].word) == 0) {
            if (word_options[i].flag)
                *word_options[i].flag = word_options[i].value;
            if (strcmp(option, "exit") == 0)
                vm_options.exit_hook = (void (*)(int))(uintptr_t)word->extra;
            if (strcmp(option, "abort") == 0)
                vm_options.abort_hook = (void (*)(void))(uintptr_t)word->extra;
            if (strcmp(option, "vfprintf") == 0)
                vm_options.vfprintf_hook =
                    (int (*)(void *, const char *, va_list))(uintptr_t)word->extra;
            return true;
        }
    }
    for (size_t i = 0; i < ARRAY_LEN(compile_modes); i++) {
        if (strcmp(option, compile_modes[i].word) == 0) {
            compile_mode = compile_modes[i].mode;
            return true;
        }
    }
    if (strncmp(option, "-XX:", 4) == 0)
        return parse_flag(word);
    for (size_t i = 0; i < ARRAY_LEN(value_options); i++) {
        size_t n = strlen(value_options[i].prefix);
        if (strncmp(option, value_options[i].prefix, n) == 0)
            return value_options[i].set(option + n);
    }
    return (ignore_unknown && (option[0] == '_' || strncmp(option, "-X", 2) == 0))
           || complain_unrecognized(option);
}

// ---- what the machine decides ----

static bool has_file(const char *dir, const char *file)
{
    char *path = vm_asprintf("%s/%s", dir, file);
    bool found = access(path, R_OK) == 0;
    vm_free(path);
    return found;
}

// <home> from this library's own path (<home>/lib/server/libjvm.so, links not followed), the
// executable's, or JAVA_HOME.
static char *find_home(void)
{
    Dl_info info;
    char path[PATH_MAX];
    if (dladdr((void *)(uintptr_t)options_parse, &info) && info.dli_fname) {
        snprintf(path, sizeof path, "%s", info.dli_fname);
        for (int i = 0; i < 3 && strrchr(path, '/'); i++)
            *strrchr(path, '/') = '\0';
        if (has_file(path, "lib/modules"))
            return vm_strdup(path[0] == '/' ? path : realpath(path, NULL));
    }
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    if (n > 0) {
        path[n] = '\0';
        for (int i = 0; i < 2 && strrchr(path, '/'); i++)
            *strrchr(path, '/') = '\0';
        if (has_file(path, "lib/modules"))
            return vm_strdup(path);
    }
    const char *home = getenv("JAVA_HOME");
    return home && has_file(home, "lib/modules") ? vm_strdup(home) : NULL;
}

static void set_library_path(void)
{
    static const char system_dirs[] =
        "/usr/java/packages/lib:/usr/lib/x86_64-linux-gnu/jni:/lib/x86_64-linux-gnu:"
        "/usr/lib/x86_64-linux-gnu:/usr/lib/jni:/lib:/usr/lib";
    const char *env = getenv("LD_LIBRARY_PATH");
    char *path = env && *env ? vm_asprintf("%s:%s", env, system_dirs) : vm_strdup(system_dirs);
    options_set_property("java.library.path", path);
    vm_free(path);
}

static void set_vm_properties(void)
{
    options_set_property("java.vm.specification.name", "Java Virtual Machine Specification");
    options_set_property("java.vm.version", vm_version);
    options_set_property("java.vm.name", vm_name);
    options_set_property("jdk.debug", "release");
    options_set_property("sun.boot.library.path", vm_options.library_dir);
    set_library_path();
    options_set_property("java.home", vm_options.java_home);
    options_set_property("java.class.path", "");
    options_set_property("java.vm.info", "interpreted mode");
    options_set_property("java.vm.specification.vendor", "Oracle Corporation");
    options_set_property("java.vm.specification.version", "17");
    options_set_property("java.vm.vendor", "Pellucid");
    options_set_property("java.vm.compressedOopsMode", "32-bit");
}

enum {
    HEAP_MAX_MIN = 2 << 20,   // less is refused
    HEAP_MAX_LEAST = 8 << 20, // what the VM chooses itself
};

static void size_heap(void)
{
    os_ignore_control_groups(!vm_options.use_container_support);
    uint64_t memory = os_physical_memory();
    VmOptions *o = &vm_options;
    bool given = o->heap_max != 0;
    if (!given) {
        uint64_t room = os_address_space_limit() / 2
                        >> 20 << 20; // stacks and libraries need the other half
        o->heap_max = MIN_OF(flags_heap_share(memory, false), MIN_OF(30ull << 30, room));
        o->heap_max = MAX_OF(o->heap_max, o->heap_initial);
    }
    if (!o->heap_initial)
        o->heap_initial = MIN_OF(flags_heap_share(memory, true), o->heap_max);
    if (!given && o->heap_max >= HEAP_MAX_MIN)
        o->heap_max = MAX_OF(o->heap_max, (size_t)HEAP_MAX_LEAST);
}

// Values that each alone are right, and together are not. HotSpot ends the process for most of
// them.
static bool check_sizes(void)
{
    enum { HEAP_INITIAL_MIN = 1 << 20, STACK_MIN = 136 << 10 };
    static const struct {
        const char *flag, *text;
        int least; // KB
    } stacks[] = {
        {"CompilerThreadStackSize",
         "\nThe CompilerThreadStackSize specified is too small. Specify at least 144k\n", 144},
        {"VMThreadStackSize",
         "\nThe VMThreadStackSize specified is too small. Specify at least 64k\n", 64},
    };
    const VmOptions *o = &vm_options;
    error_code = o->stack_size < STACK_MIN ? JNI_ERR : error_code;
    if (o->stack_size < STACK_MIN)
        return complain_on_stdout(
            "\nThe Java thread stack size specified is too small. Specify at least 136k\n",
            NULL, NULL);
    for (size_t i = 0; i < ARRAY_LEN(stacks); i++)
        if (flags_number(stacks[i].flag) > 0 && flags_number(stacks[i].flag) < stacks[i].least)
            return complain_on_stdout(stacks[i].text, NULL, NULL);
    uint64_t least = (uint64_t)flags_number("MinHeapSize");
    const char *wrong =
        flags_collectors() > 1 ? "Multiple garbage collectors selected"
        : o->heap_initial > o->heap_max
            ? "Initial heap size set to a larger value than the maximum heap size"
        : o->heap_max < HEAP_MAX_MIN        ? "Too small maximum heap"
        : least && least < HEAP_INITIAL_MIN ? "Too small minimum heap"
        : least > o->heap_max ? "Incompatible minimum and maximum heap sizes specified"
        : o->heap_initial < HEAP_INITIAL_MIN ? "Too small initial heap"
                                             : NULL;
    if (wrong)
        options_end_process(wrong);
    return true;
}

bool options_want_management_agent(void)
{
    for (size_t i = 0; i < vm_options.properties.len; i++)
        if (strncmp(vm_options.properties.at[i].key, "com.sun.management", 18) == 0)
            return true;
    return false;
}

// Files that HotSpot once read by itself.
static void warn_of_ignored_files(void)
{
    static const struct {
        const char *file, *flag;
    } files[] = {{".hotspotrc", "Flags"}, {".hotspot_compiler", "CompileCommandFile"}};
    bool given[] = {settings_are_given(), vm_options.compile_command_file != NULL};
    for (size_t i = 0; i < ARRAY_LEN(files); i++)
        if (!given[i] && access(files[i].file, F_OK) == 0)
            vm_warning("%s file is present but has been ignored.  Run with -XX:%s=%s to load "
                       "the file.",
                       files[i].file, files[i].flag, files[i].file);
}

static bool finish(void)
{
    if (reserved_property && !flags_is("PrintWarnings", "false"))
        vm_warning("Ignoring system property options whose names match the '-Djdk.module.*'. "
                   "names that are reserved for internal use.");
    size_heap();
    if (!flag_limits_check_all(compile_mode == COMPILE_NOTHING) || !check_sizes())
        return false;
    options_settle_compiler(compile_mode);
    if (options_want_management_agent())
        opt_add_modules("jdk.management.agent");
    flags_print();
    warn_of_ignored_files();
    if (wants_archive
        || flags_is("DumpSharedSpaces", "true")) // after all that is wrong otherwise
        return options_complain("-Xshare:dump: this VM has no class data archives");
    compile_commands_read();
    options_set_property("jdk.boot.class.path.append",
                         vm_options.boot_append ? vm_options.boot_append : "");
    if (vm_options.max_direct) {
        char *text = vm_asprintf("%zu", vm_options.max_direct);
        options_set_property("sun.nio.MaxDirectMemorySize", text);
        vm_free(text);
    }
    return true;
}

static void print_internal_version(void)
{
    fprintf(vm_stdout(), "%s (%s) for linux-amd64, built with %s\n", vm_name, vm_version,
            __VERSION__);
    fflush(vm_stdout());
    exit(0);
}

// Options that say how the others are read, wherever they stand.
static void read_ahead(const OptionWords *words)
{
    bool ignore = false;
    for (size_t i = 0; i < words->len; i++) {
        const char *text = words->at[i].text;
        if (strcmp(text, "-XX:+IgnoreUnrecognizedVMOptions") == 0)
            ignore = true;
        if (strcmp(text, "-XX:-IgnoreUnrecognizedVMOptions") == 0)
            ignore = false;
        if (strcmp(text, "-Xinternalversion") == 0)
            print_internal_version();
        if (words->at[i].is_argument && strcmp(text, "-XX:+PrintFlagsInitial") == 0) {
            flags_print_initial();
            options_exit(0);
        }
    }
    flags_ignore_unrecognized(ignore);
}

static bool parse_words(const OptionWords *words, bool ignore_unknown)
{
    for (size_t i = 0; i < words->len; i++) {
        const OptionWord *word = &words->at[i];
        if (!word->is_argument
            || (strncmp(word->text, "-Dsun.java.", 11) != 0
                && strncmp(word->text, "-Djava.class.path=", 18) != 0))
            vec_push(&vm_options.args, vm_strdup(word->text));
        if (!parse_option(word, ignore_unknown && word->is_argument))
            return false;
    }
    return true;
}

jint options_parse(const JavaVMInitArgs *args)
{
    options_reset();
    memset(module_options, 0, sizeof module_options);
    compile_mode = COMPILE_WARM;
    error_code = JNI_EINVAL;
    vm_options.java_home = find_home();
    if (!vm_options.java_home) {
        options_complain(
            "Error occurred during initialization of VM\nNo lib/modules beside libjvm.so, "
            "the launcher or in JAVA_HOME: put "
            "libjvm.so into <jdk>/lib/server of a JDK 17 image");
        return JNI_ERR;
    }
    vm_options.library_dir = vm_asprintf("%s/lib", vm_options.java_home);
    set_vm_properties();
    OptionWords words = {0};
    bool ok = option_words_collect(args, &words);
    if (ok) {
        read_ahead(&words);
        ok = settings_read(&words) && parse_words(&words, args->ignoreUnrecognized);
    }
    option_words_free(&words);
    ok = ok && finish();
    return ok ? JNI_OK : error_code;
}
