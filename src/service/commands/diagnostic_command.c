// SPDX-License-Identifier: Apache-2.0
// See diagnostic_command.h: the list, the parsing of command lines, and the command `help`. The
// texts of errors are HotSpot's.
#include "service/commands/diagnostic_command.h"

#include <errno.h>
#include <stdlib.h>

#include "java/exception.h"
#include "service/commands/commands.h"

static VEC(const DiagnosticCommand *) commands; // by name

// ---- the list ----

// Upper case first, as HotSpot lists them: `help` is last.
static size_t place_of(const char *name)
{
    size_t i = 0;
    while (i < commands.len && strcmp(commands.at[i]->name, name) < 0)
        i++;
    return i;
}

void diagnostic_register(const DiagnosticCommand *rows, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        size_t at = place_of(rows[k].name);
        vec_push(&commands, NULL);
        memmove(commands.at + at + 1, commands.at + at,
                (commands.len - 1 - at) * sizeof *commands.at);
        commands.at[at] = &rows[k];
    }
}

size_t diagnostic_count(void)
{
    return commands.len;
}

const DiagnosticCommand *diagnostic_at(size_t i)
{
    return commands.at[i];
}

const DiagnosticCommand *diagnostic_find(const char *name)
{
    size_t i = place_of(name);
    return i < commands.len && strcmp(commands.at[i]->name, name) == 0 ? commands.at[i] : NULL;
}

// ---- arguments ----

#define ILLEGAL_ARGUMENT "java/lang/IllegalArgumentException"

enum { WORD_END, WORD_FOUND, WORD_BROKEN };

// Copies a word up to a blank, or to `stop`; one that begins with a quote up to the next, without
// them. NULL when there is none.
static const char *copy_part(const char *p, char stop, StrBuf *word)
{
    sb_add(word, "");
    if (*p == '"' || *p == '\'') {
        const char *end = strchr(p + 1, *p);
        if (!end)
            return NULL;
        sb_add_n(word, p + 1, (size_t)(end - p - 1));
        return end + 1;
    }
    for (; *p && *p != ' ' && *p != stop; p++)
        sb_putc(word, *p);
    return p;
}

// The next word at *at: its key, and what follows a '=' (else value->s is NULL).
static int next_word(const char **at, StrBuf *key, StrBuf *value)
{
    const char *p = *at + strspn(*at, " ");
    if (!*p)
        return WORD_END;
    p = copy_part(p, '=', key);
    if (p && *p == '=')
        p = copy_part(p + 1, '\0', value);
    if (!p)
        return WORD_BROKEN;
    *at = p;
    return WORD_FOUND;
}

static bool is_boolean(const char *text)
{
    return strcmp(text, "true") == 0 || strcmp(text, "false") == 0;
}

static bool is_integer(const char *text)
{
    char *end;
    errno = 0;
    strtoll(text, &end, 10);
    return *text && !*end && errno == 0;
}

// Stores the text of argument i after looking whether it is of the type.
static void take_value(Thread *self, const DiagnosticCall *call, int i, const char *text)
{
    const DiagnosticArgument *a = &call->command->arguments[i];
    if (strcmp(a->type, "BOOLEAN") == 0) {
        if (!text || !*text)
            text = "true";
        if (!is_boolean(text))
            throw_new(self, ILLEGAL_ARGUMENT,
                      "Boolean parsing error in command argument '%s'. Could not parse: %s.\n",
                      a->name, text);
    } else if (strcmp(a->type, "INT") == 0) {
        if (!text || !is_integer(text))
            throw_new(self, ILLEGAL_ARGUMENT,
                      "Integer parsing error in command argument '%s'. Could not parse: %s.\n",
                      a->name, text ? text : "");
    }
    vm_free(call->values[i]);
    call->values[i] = vm_strdup(text ? text : "");
}

static int option_of(const DiagnosticCommand *c, const char *key)
{
    for (int i = 0; i < c->argument_count; i++)
        if (c->arguments[i].is_option && strcmp(c->arguments[i].name, key) == 0)
            return i;
    return -1;
}

// The next argument by position that has no text yet; -1 when all have.
static int next_position(const DiagnosticCall *call)
{
    for (int i = 0; i < call->command->argument_count; i++)
        if (!call->command->arguments[i].is_option && !call->values[i])
            return i;
    return -1;
}

// What comes by position may have a '=' in it: the whole of it is meant (HotSpot takes what is before).
static void take_word(Thread *self, const DiagnosticCall *call, const char *key,
                      const char *value)
{
    int i = option_of(call->command, key);
    if (i >= 0 && call->values[i]) {
        throw_new(self, ILLEGAL_ARGUMENT, "Duplicates in diagnostic command arguments\n");
        return;
    }
    if (i >= 0) {
        take_value(self, call, i, value);
        return;
    }
    i = next_position(call);
    char *whole = value ? vm_asprintf("%s=%s", key, value) : vm_strdup(key);
    if (i >= 0)
        take_value(self, call, i, whole);
    else
        throw_new(self, ILLEGAL_ARGUMENT, "Unknown argument '%s' in diagnostic command.", key);
    vm_free(whole);
}

static bool take_words(Thread *self, const DiagnosticCall *call, const char *text)
{
    int found = WORD_FOUND;
    while (found == WORD_FOUND && !exception_pending(self)) {
        StrBuf key = {0}, value = {0};
        found = next_word(&text, &key, &value);
        if (found == WORD_FOUND && *key.s)
            take_word(self, call, key.s, value.s);
        else if (found == WORD_BROKEN)
            throw_new(self, ILLEGAL_ARGUMENT, "Format error in diagnostic command arguments");
        sb_free(&key);
        sb_free(&value);
    }
    return !exception_pending(self);
}

static bool has_mandatory(Thread *self, const DiagnosticCall *call)
{
    for (int i = 0; i < call->command->argument_count; i++) {
        const DiagnosticArgument *a = &call->command->arguments[i];
        if (a->is_mandatory && !a->default_value && !call->values[i]) {
            throw_new(self, ILLEGAL_ARGUMENT, "The argument '%s' is mandatory.", a->name);
            return false;
        }
    }
    return true;
}

const char *diagnostic_text(const DiagnosticCall *call, int i)
{
    return call->values[i] ? call->values[i] : call->command->arguments[i].default_value;
}

bool diagnostic_boolean(const DiagnosticCall *call, int i)
{
    const char *text = diagnostic_text(call, i);
    return text && strcmp(text, "true") == 0;
}

int64_t diagnostic_integer(const DiagnosticCall *call, int i)
{
    const char *text = diagnostic_text(call, i);
    return text ? strtoll(text, NULL, 10) : 0;
}

// ---- running ----

static bool run(Thread *self, const DiagnosticCommand *c, const char *arguments, StrBuf *out)
{
    if (c->argument_count == 0 && arguments[strspn(arguments, " \t")]) {
        throw_new(self, ILLEGAL_ARGUMENT,
                  "The argument list of this diagnostic command should be empty.");
        return false;
    }
    char **values = vm_calloc((size_t)c->argument_count + 1, sizeof *values);
    DiagnosticCall call = {c, values, out};
    if (take_words(self, &call, arguments) && has_mandatory(self, &call)) {
        HANDLE_SCOPE(self);
        c->run(self, &call);
    }
    for (int i = 0; i < c->argument_count; i++)
        vm_free(values[i]);
    vm_free(values);
    return !exception_pending(self);
}

static bool run_named(Thread *self, const char *name, const char *arguments, bool for_bean,
                      StrBuf *out)
{
    const DiagnosticCommand *c = diagnostic_find(name);
    if (c && !(for_bean && c->hidden_from_beans))
        return run(self, c, arguments, out);
    throw_new(self, ILLEGAL_ARGUMENT, "Unknown diagnostic command");
    return false;
}

bool diagnostic_execute(Thread *self, const char *text, bool for_bean, StrBuf *out)
{
    ASSERT_MAY_GC(self);
    bool ok = true, stop = false;
    while (ok && !stop && *text) {
        size_t len = strcspn(text, "\n"), skip = strspn(text, " \t");
        char *line = vm_strndup(text + MIN_OF(skip, len), len - MIN_OF(skip, len));
        size_t name_len = strcspn(line, " \t");
        char *name = vm_strndup(line, name_len);
        stop = strcmp(name, "stop") == 0;
        if (*name != '#' && !stop)
            ok = run_named(self, name, line + name_len, for_bean, out);
        vm_free(name);
        vm_free(line);
        text += len + (text[len] == '\n');
    }
    return ok;
}

// ---- help ----

static void add_argument(StrBuf *sb, const DiagnosticArgument *a)
{
    sb_printf(sb, "\t%s : %s %s (%s, ", a->name, a->is_mandatory ? "" : "[optional]",
              a->description, a->type);
    if (a->default_value)
        sb_printf(sb, "%s)\n", a->default_value);
    else
        sb_add(sb, "no default value)\n");
}

void diagnostic_add_syntax(StrBuf *sb, const DiagnosticCommand *c)
{
    int options = 0;
    for (int i = 0; i < c->argument_count; i++)
        options += c->arguments[i].is_option;
    sb_printf(sb, "Syntax : %s %s", c->name, options ? "[options]" : "");
    for (int i = 0; i < c->argument_count; i++)
        if (!c->arguments[i].is_option)
            sb_printf(sb, c->arguments[i].is_mandatory ? " <%s>" : " [<%s>]",
                      c->arguments[i].name);
    sb_putc(sb, '\n');
    if (options < c->argument_count)
        sb_add(sb, "\nArguments:\n");
    for (int i = 0; i < c->argument_count; i++)
        if (!c->arguments[i].is_option)
            add_argument(sb, &c->arguments[i]);
    if (options)
        sb_add(sb, "\nOptions: (options must be specified using the <key> or <key>=<value> "
                   "syntax)\n");
    for (int i = 0; i < c->argument_count; i++)
        if (c->arguments[i].is_option)
            add_argument(sb, &c->arguments[i]);
}

static void add_help(StrBuf *sb, const DiagnosticCommand *c)
{
    sb_printf(sb, "%s\n%s\n\nImpact: %s\n\n", c->name, c->description, c->impact);
    if (c->permission[0] && c->permission[2])
        sb_printf(sb, "Permission: %s(%s, %s)\n\n", c->permission[0], c->permission[1],
                  c->permission[2]);
    else if (c->permission[0])
        sb_printf(sb, "Permission: %s(%s)\n\n", c->permission[0], c->permission[1]);
    if (c->argument_count)
        diagnostic_add_syntax(sb, c);
    else
        sb_printf(sb, "Syntax: %s\n", c->name);
}

static void help(Thread *self, const DiagnosticCall *call)
{
    (void)self;
    StrBuf *sb = call->out;
    bool all = diagnostic_boolean(call, 1);
    const char *name = call->values[0];
    if (name && !all) {
        const DiagnosticCommand *c = diagnostic_find(name);
        if (c)
            add_help(sb, c);
        else
            sb_printf(sb, "Help unavailable : '%s' : No such command\n", name);
        return;
    }
    if (!all)
        sb_add(sb, "The following commands are available:\n");
    for (size_t i = 0; i < commands.len; i++) {
        sb_printf(sb, "%s\n", commands.at[i]->name);
        if (all)
            sb_printf(sb, "\t%s\n\n", commands.at[i]->description);
    }
    sb_add(sb, "\nFor more information about a specific command use 'help <command>'.\n");
}

static const DiagnosticArgument help_arguments[] = {
    {"command name", "The name of the command for which we want help", "STRING", NULL, false,
     false},
    {"-all", "Show help for all commands", "BOOLEAN", "false", true, false},
};
static const DiagnosticCommand help_rows[] = {
    {.name = "help",
     .description = "For more information about a specific command use 'help <command>'. With "
                    "no argument this will show a list of available commands. 'help all' will "
                    "show help for all commands.",
     .impact = "Low",
     DIAGNOSTIC_ARGUMENTS(help_arguments),
     .run = help},
};
const DiagnosticRows help_command = {help_rows, ARRAY_LEN(help_rows)};
