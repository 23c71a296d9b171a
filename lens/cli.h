// SPDX-License-Identifier: Apache-2.0
// The command line of lens.
#ifndef LENS_CLI_H
#define LENS_CLI_H

#include "push.h"

typedef struct CliOptions {
    uint64_t pid;       // 0: none
    const char *verb;   // "", "record", "open", "top" ...
    const char *file;   // of open
    const char *output; // -o
    const char *html;   // --html
    bool json, no_browser, no_page;
    double seconds; // -d; 0: not said
    uint16_t port;
    uint64_t hz, limit;
    const char *include, *format, *watch;
    const char *push, *otlp; // addresses, or NULL
    ARRAY(const char *) sources;
} CliOptions;

int cli_main(int argc, char **argv);

// The commands; each answers with the exit code: 0 good, 1 it failed (one line was printed), 2 misused.
int cli_list(const CliOptions *options);
int cli_serve(const CliOptions *options);
int cli_record(const CliOptions *options);
int cli_view(const CliOptions *options); // verb: one of cli_views
bool cli_is_view(const char *verb);

// Begins to push where the options say so. False: an address is none (it was said).
bool cli_push(const CliOptions *options, Session *session, Push *pushes[2]);

// Prints "lens: ..." to standard error and answers 1; frees the text.
int cli_fail(char *text);
// A session of the options' program or recording, attached and greeted. NULL: it was said why.
Session *cli_session(const CliOptions *options, const char *record);
// Runs the loop for some seconds, until the program ends or the user presses Ctrl-C. False: Ctrl-C.
bool cli_run(Session *session, double seconds);
// Set by SIGINT and SIGTERM.
bool cli_interrupted(void);

#endif
