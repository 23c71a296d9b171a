// SPDX-License-Identifier: Apache-2.0
// The option string of an agent: key=value,key=value. A table says what there is, where each
// value goes and what it means, so that parsing, the help text and the errors cannot differ.
#define _GNU_SOURCE
#include "agentlib.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool parse_number(const char *text, uint64_t *value)
{
    char *end = NULL;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    if (end == text || errno != 0 || text[0] == '-') {
        return false;
    }
    static const struct {
        char suffix;
        uint64_t factor;
    } UNITS[] = {{'k', 1000}, {'m', 1000000}, {'g', 1000000000}};
    uint64_t factor = 1;
    for (size_t i = 0; i < sizeof UNITS / sizeof UNITS[0]; i++) {
        if ((*end | 0x20) == UNITS[i].suffix) {
            factor = UNITS[i].factor;
            end++;
            break;
        }
    }
    return *end == '\0' && !__builtin_mul_overflow((uint64_t)n, factor, value);
}

static bool parse_seconds(const char *text, double *value)
{
    char *end = NULL;
    double seconds = strtod(text, &end);
    if (end == text || *end != '\0' || !(seconds >= 0) || isinf(seconds)) {
        return false;
    }
    *value = seconds;
    return true;
}

static bool parse_switch(const char *text, bool *value)
{
    static const char *const YES[] = {"", "yes", "on", "true"};
    static const char *const NO[] = {"no", "off", "false"};
    for (size_t i = 0; i < sizeof YES / sizeof YES[0]; i++) {
        if (strcasecmp(text, YES[i]) == 0) {
            *value = true;
            return true;
        }
    }
    for (size_t i = 0; i < sizeof NO / sizeof NO[0]; i++) {
        if (strcasecmp(text, NO[i]) == 0) {
            *value = false;
            return true;
        }
    }
    return false;
}

static bool parse_text(const char *text, char **value)
{
    char *copy = strdup(text);
    if (copy == NULL || *copy == '\0') {
        free(copy);
        return false;
    }
    *value = copy;
    return true;
}

static bool parse_list(const char *text, AgentList *list)
{
    while (*text != '\0') {
        size_t len = strcspn(text, ":;");
        if (len > 0) {
            char **items = realloc(list->items, (list->len + 1) * sizeof *items);
            char *item = strndup(text, len);
            if (items == NULL || item == NULL) {
                return false;
            }
            list->items = items;
            items[list->len++] = item;
        }
        text += len + (text[len] != '\0');
    }
    return list->len > 0;
}

static bool set_option(const AgentOption *option, const char *value)
{
    assert(option->value != NULL);
    switch (option->kind) {
    case AGENT_OPTION_TEXT: return parse_text(value, option->value);
    case AGENT_OPTION_NUMBER: return parse_number(value, option->value);
    case AGENT_OPTION_SECONDS: return parse_seconds(value, option->value);
    case AGENT_OPTION_LIST: return parse_list(value, option->value);
    case AGENT_OPTION_SWITCH: return parse_switch(value, option->value);
    }
    return false;
}

static void print_help(const AgentOption *options, size_t count)
{
    agent_message("options, separated by commas:");
    for (size_t i = 0; i < count; i++) {
        fprintf(stderr, "  %-12s %s\n", options[i].name, options[i].help);
    }
}

static bool parse_one(char *item, const AgentOption *options, size_t count)
{
    char *value = strchr(item, '=');
    if (value != NULL) {
        *value++ = '\0';
    }
    if (strcmp(item, "help") == 0) {
        print_help(options, count);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (strcmp(item, options[i].name) != 0) {
            continue;
        }
        if (!set_option(&options[i], value != NULL ? value : "")) {
            agent_message("bad value '%s' of option %s: %s", value != NULL ? value : "", item,
                          options[i].help);
            return false;
        }
        return true;
    }
    agent_message("unknown option '%s' ('help' lists them)", item);
    return false;
}

// Cuts the next item off `*text`, in place: a terminator for its comma, "\," made ",".
static char *next_item(char **text)
{
    char *item = *text;
    char *to = item;
    char *from = item;
    while (*from != '\0' && *from != ',') {
        if (from[0] == '\\' && from[1] == ',') {
            from++;
        }
        *to++ = *from++;
    }
    *text = from + (*from != '\0');
    *to = '\0';
    return item;
}

bool agent_options_parse(const char *text, const AgentOption *options, size_t count)
{
    if (text == NULL || *text == '\0') {
        return true;
    }
    char *copy = strdup(text);
    if (copy == NULL) {
        return false;
    }
    bool ok = true;
    for (char *rest = copy; ok && *rest != '\0';) {
        char *item = next_item(&rest);
        ok = *item == '\0' || parse_one(item, options, count);
    }
    free(copy);
    return ok;
}
