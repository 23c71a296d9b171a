// SPDX-License-Identifier: Apache-2.0
// See compile_command.h. A command is an option, a method pattern and values, separated by commas or
// blanks: "inline,java.util.List::add", "inline java/util/List.add (I)V false".
#define _GNU_SOURCE
#include "options/compile_command.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/common.h"
#include "base/output.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "options/options.h"

typedef enum ValueType {
    BOOL_VALUE,
    INTX_VALUE,
    UINTX_VALUE,
    DOUBLE_VALUE,
    LIST_VALUE
} ValueType;
static const char *const type_names[] = {"bool", "intx", "uintx", "double", "ccstrlist"};

typedef struct CompileOption {
    const char *name;
    ValueType type;
} CompileOption;
static const CompileOption compile_options[] = {
    {"log", BOOL_VALUE},
    {"print", BOOL_VALUE},
    {"inline", BOOL_VALUE},
    {"dontinline", BOOL_VALUE},
    {"blackhole", BOOL_VALUE},
    {"compileonly", BOOL_VALUE},
    {"exclude", BOOL_VALUE},
    {"break", BOOL_VALUE},
    {"BreakAtExecute", BOOL_VALUE},
    {"BreakAtCompile", BOOL_VALUE},
    {"PrintAssembly", BOOL_VALUE},
    {"PrintInlining", BOOL_VALUE},
    {"PrintIntrinsics", BOOL_VALUE},
    {"PrintNMethods", BOOL_VALUE},
    {"PrintOptoAssembly", BOOL_VALUE},
    {"PrintDebugInfo", BOOL_VALUE},
    {"PrintRelocations", BOOL_VALUE},
    {"PrintDependencies", BOOL_VALUE},
    {"BackgroundCompilation", BOOL_VALUE},
    {"RepeatCompilation", INTX_VALUE},
    {"ReplayInline", BOOL_VALUE},
    {"DumpReplay", BOOL_VALUE},
    {"DumpInline", BOOL_VALUE},
    {"CompileThresholdScaling", DOUBLE_VALUE},
    {"ControlIntrinsic", LIST_VALUE},
    {"DisableIntrinsic", LIST_VALUE},
    {"NoRTMLockEliding", BOOL_VALUE},
    {"UseRTMLockEliding", BOOL_VALUE},
    {"BlockLayoutByFrequency", BOOL_VALUE},
    {"TraceOptoPipelining", BOOL_VALUE},
    {"TraceOptoOutput", BOOL_VALUE},
    {"TraceSpilling", BOOL_VALUE},
    {"PrintIdeal", BOOL_VALUE},
    {"IGVPrintLevel", INTX_VALUE},
    {"Vectorize", BOOL_VALUE},
    {"VectorizeDebug", UINTX_VALUE},
    {"CloneMapDebug", BOOL_VALUE},
    {"IncrementalInlineForceCleanup", BOOL_VALUE},
    {"MaxNodeLimit", INTX_VALUE},
};

typedef struct Command {
    const char *at;       // what is not read yet
    char class_name[400]; // "package/Class", "*" first or last in it stands for any text
    char method[300];     // likewise
    char signature[300];  // what it begins with
    char wrong[256];      // "" while nothing is
} Command;
typedef struct Rule {
    const CompileOption *option;
    char *class_name, *method, *signature, *value;
} Rule;
static VEC(Rule) rules; // in the order in which they were given
static bool quiet;

static bool wrong(Command *c, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(c->wrong, sizeof c->wrong, fmt, ap);
    va_end(ap);
    return false;
}

static void skip_separators(Command *c)
{
    c->at += strspn(c->at, ", \t");
}

// The next word of letters and digits, at most; "" when there is none.
static void read_word(Command *c, char *out, size_t size)
{
    size_t n = 0;
    while (isalnum((unsigned char)c->at[n]) || c->at[n] == '_')
        n++;
    snprintf(out, size, "%.*s", (int)n, c->at);
    c->at += n;
}

static const CompileOption *find_option(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(compile_options); i++)
        if (strcasecmp(compile_options[i].name, name) == 0)
            return &compile_options[i];
    return NULL;
}

static const char *find_type(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(type_names); i++)
        if (strcmp(type_names[i], name) == 0)
            return type_names[i];
    return NULL;
}

// ---- the method ----

// With "::", dots belong to the package; else slashes do and the dot is before the method.
static bool check_style(Command *c, bool *colons)
{
    size_t len = strcspn(c->at, "(");
    size_t first = strcspn(c->at, "(, \t"); // values may have dots, too
    bool slash = false;
    int dots = 0, pairs = 0;
    for (size_t i = 0; i < len; i++) {
        slash |= c->at[i] == '/';
        dots += c->at[i] == '.' && i < first;
        if (c->at[i] == ':' && c->at[i + 1] == ':') {
            pairs++;
            i++;
        }
    }
    *colons = pairs > 0;
    if (pairs > 1)
        return wrong(c, "Method pattern only allows one '::' allowed");
    if (pairs && slash)
        return wrong(c, "Method pattern uses '/' together with '::'");
    if (!pairs && dots > 1)
        return wrong(c, "Method pattern uses multiple '.' in pattern");
    return true;
}

static bool check_name(Command *c, const char *name, bool is_method)
{
    size_t len = strlen(name);
    if (len == 0 || strpbrk(name, "[]:"))
        return wrong(c, "Could not parse method pattern");
    if (strcmp(name, "**") == 0)
        return wrong(c, "** Not a valid pattern");
    for (size_t i = 1; i + 1 < len; i++)
        if (name[i] == '*')
            return wrong(c, " Embedded * not allowed");
    if (is_method && strpbrk(name, "<>") && strcmp(name, "<init>") != 0
        && strcmp(name, "<clinit>") != 0)
        return wrong(c, "Chars '<' and '>' only allowed in <init> and <clinit>");
    return true;
}

static bool read_pattern(Command *c)
{
    bool colons;
    skip_separators(c);
    if (!*c->at)
        return wrong(c, "Method pattern missing from command");
    if (!check_style(c, &colons))
        return false;
    size_t n = strcspn(c->at, colons ? ", \t:" : ", \t.");
    snprintf(c->class_name, sizeof c->class_name, "%.*s", (int)n, c->at);
    for (char *p = c->class_name; colons && *p; p++)
        *p = *p == '.' ? '/' : *p;
    c->at += n + (c->at[n] == '.' ? 1 : colons && c->at[n] == ':' ? 2 : 0);
    skip_separators(c);
    n = strcspn(c->at, ", \t(");
    snprintf(c->method, sizeof c->method, "%.*s", (int)n, c->at);
    c->at += n;
    if (!check_name(c, c->class_name, false) || !check_name(c, c->method, true))
        return false;
    skip_separators(c);
    n = *c->at == '(' ? strcspn(c->at, ", \t") : 0;
    snprintf(c->signature, sizeof c->signature, "%.*s", (int)n, c->at);
    if (strchr(c->signature, '*'))
        return wrong(c, " Wildcard * not allowed in signature");
    c->at += n;
    return true;
}

// ---- values ----

static bool accept(Command *c, const CompileOption *o, const char *value)
{
    vec_push(&rules, ((Rule){o, vm_strdup(c->class_name), vm_strdup(c->method),
                             vm_strdup(c->signature), vm_strdup(value)}));
    if (strcmp(o->name, "log") == 0 && !quiet)
        fprintf(
            vm_stdout(),
            "Warning:  +LogCompilation must be enabled in order for individual methods to be "
            "logged with \n          CompileCommand=log,<method pattern>\n");
    if (!quiet && strcmp(o->name, "blackhole") != 0)
        fprintf(vm_stdout(), "CompileCommand: %s %s.%s%s %s %s = %s\n", o->name, c->class_name,
                c->method, c->signature,
                o->type == LIST_VALUE ? "const char*" : type_names[o->type], o->name, value);
    return true;
}

static bool read_number(const char *word, ValueType type, char *out, size_t size)
{
    char *end;
    if (type == DOUBLE_VALUE) {
        const char *point = word + strspn(word, "0123456789");
        if (point == word || *point != '.' || !isdigit((unsigned char)point[1]))
            return false;
        snprintf(out, size, "%f", strtod(word, NULL));
        return true;
    }
    int64_t n = strtoll(word, &end, 10);
    snprintf(out, size, type == INTX_VALUE ? "%" PRId64 : "%" PRIu64, n);
    return end != word;
}

static bool read_value(Command *c, const CompileOption *o)
{
    char word[256], value[300];
    if (o->type == LIST_VALUE) { // the rest, its commas as blanks
        snprintf(value, sizeof value, "'%s'", c->at);
        for (char *p = value; *p; p++)
            *p = *p == ',' ? ' ' : *p;
        c->at += strlen(c->at);
        return accept(c, o, value);
    }
    size_t n = strcspn(c->at, ", \t");
    snprintf(word, sizeof word, "%.*s", (int)n, c->at);
    c->at += n;
    bool ok = o->type == BOOL_VALUE
                  ? strcasecmp(word, "true") == 0 || strcasecmp(word, "false") == 0
                  : read_number(word, o->type, value, sizeof value);
    if (!ok)
        return wrong(c, "Value cannot be read for option '%s' of type '%s'", o->name,
                     type_names[o->type]);
    for (size_t i = 0; o->type == BOOL_VALUE && i <= n; i++)
        value[i] = (char)tolower((unsigned char)word[i]);
    return accept(c, o, value);
}

static bool read_plain(Command *c, const CompileOption *o)
{
    if (!read_pattern(c))
        return false;
    skip_separators(c);
    if (*c->at)
        return read_value(c, o);
    if (o->type == BOOL_VALUE)
        return accept(c, o, "true");
    return wrong(c, "  Option '%s' is not followed by a value", o->name);
}

// "option <pattern>" and then options, those with a value behind their type.
static bool read_typed(Command *c)
{
    if (!read_pattern(c))
        return false;
    for (skip_separators(c); *c->at; skip_separators(c)) {
        char word[64];
        read_word(c, word, sizeof word);
        const char *type = find_type(word);
        if (type) {
            skip_separators(c);
            read_word(c, word, sizeof word);
        }
        const CompileOption *o = find_option(word);
        if (!o)
            return wrong(c, "Unrecognized option '%s'", word);
        if (type && strcmp(type, type_names[o->type]) != 0)
            return wrong(c, "Option '%s' with type '%s' doesn't match supplied type '%s'",
                         o->name, type_names[o->type], type);
        if (!type && o->type != BOOL_VALUE)
            return wrong(c, "  Missing type '%s' before option '%s'", type_names[o->type],
                         o->name);
        skip_separators(c);
        bool has_value = type && (*c->at || o->type != BOOL_VALUE);
        if (has_value ? !read_value(c, o) : !accept(c, o, "true"))
            return false;
    }
    return true;
}

// ---- commands ----

static void print_help(void)
{
    fprintf(
        vm_stdout(),
        "-XX:CompileCommand=<option>,<method pattern>[,<value>] speaks to the compiler. Where "
        "it is on, it\n"
        "heeds exclude, compileonly, inline, dontinline, print, log, BackgroundCompilation; "
        "the others are\n"
        "read and mean nothing. -XX:CompileCommand=quiet: the VM does not say what it was "
        "told.\n\n"
        "Method patterns: package/Class.method, package.Class::method, with * first or last in "
        "a name,\nand a signature behind them: package/Class.method(I)V\n\nOptions:\n");
    for (size_t i = 0; i < ARRAY_LEN(compile_options); i++)
        fprintf(vm_stdout(), "    %s (%s)\n", compile_options[i].name,
                type_names[compile_options[i].type]);
    fprintf(vm_stdout(), "\n");
}

static bool read_command(Command *c)
{
    char name[128];
    read_word(c, name, sizeof name);
    if (strcasecmp(name, "help") == 0) {
        print_help();
        return true;
    }
    if (strcasecmp(name, "quiet") == 0) {
        quiet = true;
        return true;
    }
    if (strcasecmp(name, "option") == 0)
        return read_typed(c);
    const CompileOption *o = find_option(name);
    if (!o)
        return wrong(c, "Unrecognized option '%s'", name);
    c->at += *c->at == ':' || *c->at == '.';
    return read_plain(c, o);
}

static void read_line(const char *line)
{
    Command c = {.at = line};
    if (!*line || *line == '#' || read_command(&c))
        return;
    fprintf(vm_stdout(),
            "CompileCommand: An error occurred during parsing\nError: %s\nLine: '%s'\n\n"
            "Usage: '-XX:CompileCommand=<option>,<method pattern>' - to set boolean option to "
            "true\n"
            "Usage: '-XX:CompileCommand=<option>,<method pattern>,<value>'\n"
            "Use:   '-XX:CompileCommand=help' for more information and to list all option.\n\n",
            c.wrong, line);
}

static void read_lines(char *text)
{
    for (char *rest = text, *line; (line = strsep(&rest, "\n")) != NULL;)
        read_line(line);
}

static void read_file(const char *path)
{
    FILE *f = fopen(path, "r");
    char line[1024];
    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        read_line(line);
    }
    if (f)
        fclose(f);
}

// -XX:CompileOnly: classes ("a/B"), methods of any class (".m") or of one ("B.m", "B::m").
static void read_only(char *list)
{
    for (char *rest = list, *item; (item = strsep(&rest, ",\n")) != NULL;) {
        size_t n = strcspn(item, ".:");
        const char *last = strrchr(item, '.') ? strrchr(item, '.') : strrchr(item, ':');
        Command c = {0};
        snprintf(c.class_name, sizeof c.class_name, "%.*s", n ? (int)n : 1, n ? item : "*");
        snprintf(c.method, sizeof c.method, "%s", last ? last + 1 : "*");
        if (*item)
            accept(&c, find_option("compileonly"), "true");
    }
}

static void forget_rules(void)
{
    for (size_t i = 0; i < rules.len; i++) {
        Rule *r = &rules.at[i];
        vm_free(r->class_name);
        vm_free(r->method);
        vm_free(r->signature);
        vm_free(r->value);
    }
    rules.len = 0;
}

void compile_commands_read(void)
{
    forget_rules(); // of a creation that failed
    quiet = false;
    if (vm_options.compile_commands)
        read_lines(vm_options.compile_commands);
    if (vm_options.compile_only)
        read_only(vm_options.compile_only);
    if (vm_options.compile_command_file)
        read_file(vm_options.compile_command_file);
    fflush(vm_stdout());
}

// ---- asking ----

static bool matches(const char *pattern, const char *name)
{
    size_t len = strlen(pattern), have = strlen(name);
    bool first = *pattern == '*', last = len > 1 && pattern[len - 1] == '*';
    const char *text = pattern + first;
    len -= (size_t)first + last;
    if (len > have)
        return false;
    if (first && last)
        return memmem(name, have, text, len) != NULL;
    if (first)
        return memcmp(name + have - len, text, len) == 0;
    return (last || len == have) && memcmp(name, text, len) == 0;
}

static bool concerns(const Rule *r, const CompileSubject *s)
{
    return matches(r->class_name, s->class_name) && matches(r->method, s->method)
           && strncmp(r->signature, s->signature, strlen(r->signature)) == 0;
}

bool compile_command_is_given(const char *option)
{
    const CompileOption *o = find_option(option);
    for (size_t i = 0; i < rules.len; i++)
        if (rules.at[i].option == o)
            return true;
    return false;
}

const char *compile_command_value(const char *option, const CompileSubject *subject)
{
    if (rules.len == 0)
        return NULL;
    const CompileOption *o = find_option(option);
    VM_ASSERT(o);
    for (size_t i = rules.len; i-- > 0;)
        if (rules.at[i].option == o && concerns(&rules.at[i], subject))
            return rules.at[i].value;
    return NULL;
}

bool compile_commands_are_quiet(void)
{
    return quiet;
}
