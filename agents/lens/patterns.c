// SPDX-License-Identifier: Apache-2.0
// PATTERNS of lens_wire.h: names of classes with stars, separated by commas, those with a
// leading `-` exclude. Immutable once made.
#include "lens.h"

#include <stdlib.h>
#include <string.h>

struct LensPatterns {
    char *text; // the patterns, each ended by NUL
    size_t len;
    bool has_includes;
    struct {
        const char *pattern;
        bool excludes;
    } list[];
};

LensPatterns *lens_patterns_new(const char *text)
{
    size_t most = 1;
    for (const char *p = text; *p != '\0'; p++) {
        most += *p == ',' || *p == ' ';
    }
    LensPatterns *patterns = agent_alloc(sizeof *patterns + most * sizeof patterns->list[0]);
    char *copy = strdup(text);
    if (patterns == NULL || copy == NULL) {
        free(patterns);
        free(copy);
        return NULL;
    }
    patterns->text = copy;
    char *rest = NULL;
    for (char *p = strtok_r(copy, ", ", &rest); p != NULL; p = strtok_r(NULL, ", ", &rest)) {
        bool excludes = *p == '-';
        assert(patterns->len < most);
        patterns->list[patterns->len].pattern = p + excludes;
        patterns->list[patterns->len++].excludes = excludes;
        patterns->has_includes |= !excludes;
    }
    return patterns;
}

// `*` stands for any characters. On a mismatch the last star takes one character more.
static bool matches(const char *pattern, const char *name)
{
    const char *star = NULL, *after = NULL;
    while (*name != '\0') {
        if (*pattern == '*') {
            star = pattern++;
            after = name;
        } else if (*pattern == *name) {
            pattern++;
            name++;
        } else if (star != NULL) {
            pattern = star + 1;
            name = ++after;
        } else {
            return false;
        }
    }
    return pattern[strspn(pattern, "*")] == '\0';
}

bool lens_patterns_match(const LensPatterns *patterns, const char *class_name)
{
    bool included = !patterns->has_includes;
    for (size_t i = 0; i < patterns->len; i++) {
        if ((patterns->list[i].excludes || !included)
            && matches(patterns->list[i].pattern, class_name)) {
            if (patterns->list[i].excludes) {
                return false;
            }
            included = true;
        }
    }
    return included;
}

void lens_patterns_free(LensPatterns *patterns)
{
    if (patterns != NULL) {
        free(patterns->text);
        free(patterns);
    }
}
