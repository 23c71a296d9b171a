// SPDX-License-Identifier: Apache-2.0
// The language of -Xlog (JEP 158): selections, output, decorators, output options. A whole
// option is checked before anything of it takes effect.
#ifndef _GNU_SOURCE
#    define _GNU_SOURCE
#endif
#include "base/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/log_internal.h"
#include "base/size.h"
#include "base/strbuf.h"

enum { MAX_SELECTIONS = 64, MAX_TAGS = 5 };

typedef struct Selection {
    char *tags[MAX_TAGS];
    int count;
    bool wildcard, all;
    LogLevel level;
} Selection;

typedef struct Config {
    Selection selections[MAX_SELECTIONS];
    int count;
    const char *output;
    bool decorate; // decorators were given
    uint32_t decorators;
    LogFileOptions options;
    const char *given_options; // as written, NULL when none
    char *error;
    size_t error_size;
} Config;

// Every tag a user of the JDK may name. A selection of tags that no message of this VM has is
// legal and matches nothing.
static const char known_tags[] =
    " add age alloc annotation arguments attach barrier biasedlocking blocks bot"
    " breakpoint bytecode cds census class classhisto cleanup codecache compaction"
    " compilation condy constantpool constraints container coops cpu cset data"
    " datacreation dcmd decoder defaultmethods director dump dynamic ergo event"
    " exceptions exit fingerprint free freelist gc handshake hashtables heap humongous"
    " ihop iklass indy init inlining install interpreter itables jfr jit jni jvmci"
    " jvmti lambda library liveness load loader logging malloc map mark marking"
    " membername memops metadata metaspace methodcomparator methodhandles mirror mmu"
    " module monitorinflation monitormismatch nestmates nmethod nmt normalize numa"
    " objecttagging obsolete oldobject oom oopmap oops oopstorage os owner pagesize"
    " parser patch path perf periodic phases plab placeholders preorder preview"
    " promotion protectiondomain ptrqueue purge record redefine ref refine region"
    " reloc remset resolve safepoint sampling scavenge sealed setting smr stackbarrier"
    " stackmap stacktrace stackwalk start startup startuptime state stats streaming"
    " stringdedup stringtable subclass survivor suspend sweep symboltable system table"
    " task thread throttle time timer tlab tracking trimnative unload unshareable"
    " update valuebasedclasses verification verify vmmutex vmoperation vmthread"
    " vtables vtablestubs workgang"
    " ";

static bool is_known_tag(const char *tag)
{
    size_t len = strlen(tag);
    if (len == 0)
        return false;
    for (const char *p = known_tags; (p = strcasestr(p, tag)) != NULL; p++) {
        if (p[-1] == ' ' && p[len] == ' ')
            return true;
    }
    return false;
}

// Says "Invalid <what> '<text>' in log selection.", and what of the words may have been meant.
static bool invalid(Config *c, const char *what, const char *text, const char *best,
                    double likeness)
{
    bool hint = best != NULL && likeness >= 0.5;
    snprintf(c->error, c->error_size, "Invalid %s '%s' in log selection.%s%s%s", what, text,
             hint ? " Did you mean '" : "", hint ? best : "", hint ? "'?" : "");
    return false;
}

static bool invalid_tag(Config *c, const char *text)
{
    char best[32] = "", tag[32];
    double found = 0;
    for (const char *p = known_tags + 1; *p != '\0';) {
        size_t len = strcspn(p, " ");
        snprintf(tag, sizeof(tag), "%.*s", (int)len, p);
        double d = text_likeness(tag, text);
        if (d > found) {
            found = d;
            memcpy(best, tag, sizeof(best));
        }
        p += len + strspn(p + len, " ");
    }
    return invalid(c, "tag", text, best, found);
}

static bool parse_level(Config *c, const char *text, LogLevel *level)
{
    const char *best = NULL;
    double found = 0;
    for (LogLevel l = LOG_OFF; l <= LOG_TRACE; l++) {
        if (strcasecmp(text, log_level_text[l]) == 0) {
            *level = l;
            return true;
        }
        double d = text_likeness(log_level_text[l], text);
        if (d > found) {
            found = d;
            best = log_level_text[l];
        }
    }
    return invalid(c, "level", text, best, found);
}

static bool parse_tags(Config *c, Selection *s, char *text)
{
    char *save = text;
    while (save != NULL) {
        char *tag = strsep(&save, "+");
        if (!is_known_tag(tag))
            return invalid_tag(c, tag);
        for (int i = 0; i < s->count; i++) {
            if (strcasecmp(s->tags[i], tag) == 0) {
                snprintf(c->error, c->error_size,
                         "Log selection contains duplicates of tag %s.", tag);
                return false;
            }
        }
        if (s->count == MAX_TAGS) {
            snprintf(c->error, c->error_size,
                     "Too many tags in log selection '%s' (can only have up to %d tags).",
                     s->tags[0], MAX_TAGS);
            return false;
        }
        s->tags[s->count++] = tag;
    }
    return true;
}

static bool parse_selection(Config *c, char *text)
{
    if (c->count == MAX_SELECTIONS) {
        snprintf(c->error, c->error_size, "Too many log selections.");
        return false;
    }
    Selection *s = &c->selections[c->count++];
    s->level = LOG_INFO;
    char *equals = strchr(text, '=');
    if (equals != NULL) {
        *equals = '\0';
        if (!parse_level(c, equals + 1, &s->level))
            return false;
    }
    if (strcasecmp(text, "all") == 0) {
        s->all = true;
        return true;
    }
    size_t len = strlen(text);
    if (len > 0 && text[len - 1] == '*') {
        s->wildcard = true;
        text[len - 1] = '\0';
    }
    return parse_tags(c, s, text);
}

static bool parse_selections(Config *c, char *text)
{
    if (text == NULL || *text == '\0') {
        c->selections[0] = (Selection){.all = true, .level = LOG_INFO};
        c->count = 1;
        return true;
    }
    while (text != NULL) {
        if (!parse_selection(c, strsep(&text, ",")))
            return false;
    }
    return true;
}

static bool parse_decorators(Config *c, char *text)
{
    if (text == NULL || *text == '\0')
        return true;
    c->decorate = true;
    if (strcasecmp(text, "none") == 0)
        return true;
    while (text != NULL) {
        char *name = strsep(&text, ",");
        int d = 0;
        while (d < DECO_COUNT && strcasecmp(name, log_decorator_text[d][0]) != 0
               && strcasecmp(name, log_decorator_text[d][1]) != 0)
            d++;
        if (d == DECO_COUNT) {
            snprintf(c->error, c->error_size, "Invalid decorator '%s'.", name);
            return false;
        }
        c->decorators |= 1u << d;
    }
    return true;
}

static void describe_option(Config *c, const char *name, bool has_value)
{
    if (has_value && strcmp(name, "filecount") == 0)
        snprintf(c->error, c->error_size,
                 "Invalid option: filecount must be in range [0, 1000]");
    else if (has_value && strcmp(name, "filesize") == 0)
        snprintf(c->error, c->error_size,
                 "Invalid option: filesize must be in range [0, 18446744073709551615]");
    else
        snprintf(c->error, c->error_size, "Invalid option '%s' for log file output.", name);
}

// The second line of what is wrong with a file.
static void describe_output(Config *c, const char *options)
{
    size_t len = strlen(c->error);
    bool prefixed = strncmp(c->output, "file=", 5) == 0;
    snprintf(c->error + len, c->error_size - len,
             "\nInitialization of output '%s%s' using options '%s' failed.",
             prefixed ? "" : "file=", c->output, options != NULL ? options : "(null)");
}

// An output that is there without being opened: a stream, or "#number".
static bool is_existing(const char *output)
{
    return strcmp(output, "stdout") == 0 || strcmp(output, "stderr") == 0 || *output == '#';
}

static bool parse_output_options(Config *c, char *text)
{
    c->options = (LogFileOptions){.filesize = 20u << 20, .filecount = 5};
    if (text == NULL || *text == '\0' || is_existing(c->output))
        return true;
    char *whole = vm_strdup(text);
    while (text != NULL) {
        char *value = strsep(&text, ",");
        char *name = strsep(&value, "=");
        uint64_t number = 0;
        bool ok = value != NULL && size_parse(value, &number);
        if (ok && strcmp(name, "filesize") == 0) {
            c->options.filesize = number;
        } else if (ok && strcmp(name, "filecount") == 0 && number <= 1000) {
            c->options.filecount = (uint32_t)number;
        } else {
            describe_option(c, name, value != NULL);
            describe_output(c, whole);
            vm_free(whole);
            return false;
        }
    }
    vm_free(whole);
    return true;
}

// Whether the tag set ("gc+heap") has all tags of the selection, and only those unless it has a
// wildcard.
static bool selection_matches(const Selection *s, const char *tag_set)
{
    if (s->all)
        return true;
    int in_set = 0, matched = 0;
    for (const char *p = tag_set; p != NULL; in_set++) {
        size_t len = strcspn(p, "+");
        for (int i = 0; i < s->count; i++)
            matched += strlen(s->tags[i]) == len && strncasecmp(s->tags[i], p, len) == 0;
        p = p[len] == '+' ? p + len + 1 : NULL;
    }
    return matched == s->count && (s->wildcard || in_set == s->count);
}

static bool apply(const Config *c)
{
    int output = log_output_open(c->output, &c->options, c->error, c->error_size);
    if (output < 0 && is_existing(c->output))
        return false;
    if (output < 0) {
        describe_output((Config *)(uintptr_t)c, c->given_options);
        return false;
    }
    for (LogTag tag = 0; tag < LOG_TAG_COUNT; tag++) {
        for (int i = 0; i < c->count; i++) {
            if (selection_matches(&c->selections[i], log_tag_text[tag]))
                log_output_set(output, tag, c->selections[i].level);
        }
    }
    if (c->decorate)
        log_output_decorate(output, c->decorators);
    return true;
}

// Cuts the next part at ':' (not inside double quotes, which are dropped). NULL at the end.
static char *next_part(char **rest)
{
    char *start = *rest, *out = start;
    if (start == NULL)
        return NULL;
    bool quoted = false;
    char *p = start;
    for (; *p != '\0' && (quoted || *p != ':'); p++) {
        if (*p == '"')
            quoted = !quoted;
        else
            *out++ = *p;
    }
    *rest = *p == ':' ? p + 1 : NULL;
    *out = '\0';
    return start;
}

// Whether the output that follows in the text names a type ("type=...", not quoted) other than a file's.
static bool has_unknown_type(const char *text)
{
    if (text == NULL)
        return false;
    size_t len = strcspn(text, "=:\"");
    return text[len] == '=' && strncmp(text, "file=", len + 1) != 0;
}

static void print_help(void)
{
    printf(
        "-Xlog Usage: -Xlog[:[selections][:[output][:[decorators][:output-options]]]]\n"
        "\t where 'selections' are combinations of tags and levels of the form "
        "tag1[+tag2...][*][=level][,...]\n"
        "\t NOTE: Unless wildcard (*) is specified, only log messages tagged with exactly the "
        "tags specified will be matched.\n\n"
        "Available log levels:\n off, trace, debug, info, warning, error\n\n"
        "Available log decorators: \n");
    for (int d = 0; d < DECO_COUNT; d++)
        printf("%s %s (%s)", d == 0 ? "" : ",", log_decorator_text[d][0],
               log_decorator_text[d][1]);
    printf("\n Decorators can also be specified as 'none' for no decoration.\n\n"
           "Available log tags:\n");
    for (const char *p = known_tags + 1; *p != '\0';) {
        size_t len = strcspn(p, " ");
        printf("%s %.*s", p == known_tags + 1 ? "" : ",", (int)len, p);
        p += len + strspn(p + len, " ");
    }
    printf("\n Specifying 'all' instead of a tag combination matches all tag combinations.\n\n"
           "Tag sets that messages of this VM carry:\n");
    for (LogTag tag = 0; tag < LOG_TAG_COUNT; tag++)
        printf("%s %s", tag == 0 ? "" : ",", log_tag_text[tag]);
    printf(
        "\n\nAvailable log outputs:\n stdout/stderr\n file=<filename>\n"
        "  If the filename contains %%p and/or %%t, they will expand to the JVM's PID and "
        "startup timestamp, respectively.\n"
        "  Additional output-options for file outputs:\n"
        "   filesize=..  - Target byte size for log rotation (supports K/M/G suffix); 0: "
        "none.\n"
        "   filecount=.. - Number of files to keep in rotation (not counting the active file); "
        "0: none.\n\n"
        "Some examples:\n"
        " -Xlog\n\t everything up to 'info', to stdout: "
        "-Xlog:all=info:stdout:uptime,level,tags\n\n"
        " -Xlog:gc*=debug:file=gc.txt:none\n\t the tag 'gc', alone or with others, up to "
        "'debug', "
        "to a file, without decorations\n\n"
        " -Xlog:gc,class+load::uptime,tid\n\t the tag sets 'gc' and 'class+load' to stdout, "
        "with two decorations\n\n"
        " -Xlog:safepoint=trace:file=safe.txt:pid:filecount=5,filesize=1m\n\t to a file of 1 "
        "MB "
        "and the five before it\n\n"
        " -Xlog:disable -Xlog:exceptions:stderr\n\t nothing, not even warnings, but exceptions "
        "on stderr\n");
    fflush(stdout);
}

bool log_configure(const char *spec, char *error, size_t error_size)
{
    if (*spec == ':')
        spec++;
    if (strcmp(spec, "help") == 0) {
        print_help();
        exit(0);
    }
    if (strcmp(spec, "async") == 0)
        return true;
    if (strcmp(spec, "disable") == 0) {
        log_lock();
        log_all_off();
        log_unlock();
        return true;
    }
    char *copy = vm_strdup(spec), *rest = copy;
    Config c = {.error = error, .error_size = error_size};
    char *selections = next_part(&rest);
    bool unknown_type = has_unknown_type(rest);
    char *output = next_part(&rest);
    char *decorators = next_part(&rest), *options = next_part(&rest);
    if (rest != NULL)
        LOG(LOG_LOGGING, LOG_WARNING, "Ignoring excess -Xlog options: \"%s\"", rest);
    c.output = output == NULL || *output == '\0' ? "stdout" : output;
    bool ok = parse_selections(&c, selections) && parse_decorators(&c, decorators);
    if (ok && unknown_type) {
        snprintf(error, error_size, "Unsupported log output type: %s", output);
        ok = false;
    }
    ok = ok && parse_output_options(&c, options);
    if (ok) {
        log_lock();
        ok = apply(&c);
        log_unlock();
    }
    if (ok && is_existing(c.output) && options != NULL && *options != '\0')
        LOG(LOG_LOGGING, LOG_WARNING, "Output options for existing outputs are ignored.");
    vm_free(copy);
    return ok;
}
