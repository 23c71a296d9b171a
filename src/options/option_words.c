// SPDX-License-Identifier: Apache-2.0
// See option_words.h. The texts of errors are HotSpot's.
#include "options/option_words.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/output.h"
#include "base/strbuf.h"
#include "options/command_line.h"
#include "options/options.h"

static const char options_file[] = "-XX:VMOptionsFile=";

typedef struct Source {
    const char *name;      // as messages say it
    const char *file_word; // the word that names its options file; NULL: none yet
    bool is_environment;
    OptionWords *words;
} Source;

char *option_file_read(const char *path, const char *complaint)
{
    FILE *f = fopen(path, "r");
    if (!f) {
        options_complain(complaint, path);
        return NULL;
    }
    StrBuf text = {0};
    sb_add(&text, "");
    char buffer[4096];
    size_t n;
    while ((n = fread(buffer, 1, sizeof buffer, f)) > 0)
        sb_add_n(&text, buffer, n);
    bool failed = ferror(f);
    fclose(f);
    if (!failed)
        return text.s;
    options_complain("Could not read options file '%s'", path);
    sb_free(&text);
    return NULL;
}

// Takes the next word from *at: up to white space, without single and double quotes. Changes the
// text. NULL: no more, or (with *unmatched set) a quote has no end.
static char *next_word(char **at, bool *unmatched)
{
    char *p = *at, quote = 0;
    while (isspace((unsigned char)*p))
        p++;
    if (!*p)
        return NULL;
    char *word = p, *out = p;
    for (; *p && (quote || !isspace((unsigned char)*p)); p++) {
        if (*p == quote)
            quote = 0;
        else if (!quote && (*p == '"' || *p == '\''))
            quote = *p;
        else
            *out++ = *p;
    }
    *unmatched = quote != 0;
    *at = *p ? p + 1 : p;
    *out = '\0';
    return quote ? NULL : word;
}

static bool add_words(Source *source, char *text, const char *where);

// The words of a source's options file in place of the word that names it.
static bool add_file(Source *source, const char *word)
{
    if (source->file_word)
        return options_complain("The option '%s' is already specified in the options container "
                                "'%s' so the specification of '%s' in the same options "
                                "container is an error.",
                                source->file_word, source->name, word);
    source->file_word = word;
    const char *path = word + sizeof options_file - 1;
    char *text = option_file_read(path, "Could not open options file '%s'");
    bool ok = text && add_words(source, text, path);
    vm_free(text);
    return ok;
}

static bool names_file(const char *word)
{
    return strncmp(word, options_file, sizeof options_file - 1) == 0;
}

static void add_word(Source *source, const char *text, const void *extra, bool is_argument)
{
    vec_push(source->words, ((OptionWord){.text = vm_strdup(text),
                                          .extra = extra,
                                          .is_environment = source->is_environment,
                                          .is_argument = is_argument}));
}

// The words of a text. `where` it was found, for messages.
static bool add_words(Source *source, char *text, const char *where)
{
    bool in_file = source->file_word != NULL, unmatched = false;
    for (char *word; (word = next_word(&text, &unmatched));) {
        if (!names_file(word))
            add_word(source, word, NULL, false);
        else if (in_file)
            return options_complain("A VM options file may not refer to a VM options file. "
                                    "Specification of '-XX:VMOptionsFile=<file-name>' in the "
                                    "options file '%s' in options container '%s' is an error.",
                                    source->file_word, source->name);
        else if (!add_file(source, word))
            return false;
    }
    return !unmatched || options_complain("Unmatched quote in %s", where);
}

static bool add_environment(const char *variable, OptionWords *words)
{
    const char *value = getenv(variable);
    if (!value)
        return true;
    fprintf(vm_stderr(), "Picked up %s: %s\n", variable, value);
    char *name = vm_asprintf("env_var='%s'", variable), *copy = vm_strdup(value);
    Source source = {.name = name, .is_environment = true, .words = words};
    bool ok = add_words(&source, copy, variable);
    vm_free(copy);
    vm_free(name);
    return ok;
}

static bool add_arguments(const JavaVMInitArgs *args, OptionWords *words)
{
    Source source = {.name = "cmd_line_args", .words = words};
    for (jint i = 0; i < args->nOptions; i++) {
        const JavaVMOption *option = &args->options[i];
        if (!names_file(option->optionString))
            add_word(&source, option->optionString, option->extraInfo, true);
        else if (!add_file(&source, option->optionString))
            return false;
    }
    return true;
}

bool option_words_collect(const JavaVMInitArgs *args, OptionWords *words)
{
    return add_environment("JAVA_TOOL_OPTIONS", words) && add_arguments(args, words)
           && add_environment("_JAVA_OPTIONS", words);
}

void option_words_free(OptionWords *words)
{
    for (size_t i = 0; i < words->len; i++)
        vm_free(words->at[i].text);
    vec_free(words);
}
