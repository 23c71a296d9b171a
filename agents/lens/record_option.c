// SPDX-License-Identifier: Apache-2.0
// The agent's options: record=FILE and, behind it, what to record: verbs, each followed by its
// arguments. Of the agent's thread but for the parsing.
//   record=f.lens,cpu,hz=1000,alloc,locks,gc,metrics,threads
#define _GNU_SOURCE
#include "agent.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ORDERS_MOST = 16, ARGS_MOST = 16 };
#define BY_DEFAULT "metrics,gc,cpu,alloc,locks,threads"

typedef struct Asked {
    char *verb;
    char *names[ARGS_MOST], *values[ARGS_MOST];
    uint32_t len;
} Asked;

static char *path; // NULL: nothing is recorded
static Asked asked[ORDERS_MOST];
static uint32_t asked_len;

static bool take_argument(char *word, char *equals)
{
    Asked *last = asked_len > 0 ? &asked[asked_len - 1] : NULL;
    if (last == NULL || last->len == ARGS_MOST) {
        agent_message("%s stands behind no verb: record=FILE,verb,argument=value,...", word);
        return false;
    }
    *equals = '\0';
    last->names[last->len] = word;
    last->values[last->len++] = equals + 1;
    return true;
}

static bool take_word(char *word)
{
    char *equals = strchr(word, '=');
    if (strncmp(word, "record=", 7) == 0) {
        path = word + 7;
        return true;
    }
    if (equals != NULL) {
        return take_argument(word, equals);
    }
    if (!lens_verb_exists(word) || asked_len == ORDERS_MOST) {
        agent_message("there is nothing to record that is called \"%s\"", word);
        return false;
    }
    asked[asked_len++] = (Asked){.verb = word};
    return true;
}

// The words stay in a copy that is kept.
static bool take_words(const char *text)
{
    char *copy = strdup(text), *rest = NULL;
    for (char *word = copy != NULL ? strtok_r(copy, ",", &rest) : NULL; word != NULL;
         word = strtok_r(NULL, ",", &rest)) {
        if (!take_word(word)) {
            return false;
        }
    }
    return copy != NULL;
}

bool lens_record_option(const char *options)
{
    if (options == NULL || *options == '\0') {
        return true;
    }
    bool good = take_words(options);
    if (good && (path == NULL || *path == '\0')) {
        agent_message("the options begin with record=FILE");
        good = false;
    }
    if (!good) { // the next to attach may have others
        path = NULL;
        asked_len = 0;
        return false;
    }
    return asked_len > 0 || take_words(BY_DEFAULT);
}

void lens_record_start(JNIEnv *jni)
{
    ASSERT_AGENT_THREAD();
    if (path == NULL) {
        return;
    }
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    LensConnection *file = fd >= 0 ? lens_connection_new(fd, path) : NULL;
    if (file == NULL) {
        agent_message("%s: %s: nothing is recorded", path, strerror(errno));
        return;
    }
    assert(asked_len > 0);
    lens_connection_hello(file);
    for (uint32_t i = 0; i < asked_len; i++) {
        lens_order_begin(file, i + 1, asked[i].verb, asked[i].names, asked[i].values,
                         asked[i].len, jni);
    }
}
