// SPDX-License-Identifier: Apache-2.0
// `lens`, `lens PID`, `lens open FILE`, `lens record PID`: the list, the page, and recording without one.
#define _GNU_SOURCE
#include "cli.h"
#include "http.h"
#include "push.h"

#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

int cli_list(const CliOptions *options)
{
    uint32_t count;
    Jvm *jvms = discover_all(&count);
    (void)options;
    if (count == 0)
        puts("No Java program of this user runs. `lens open FILE.lens` opens a recording.");
    else
        printf("%7s  %-10s  %-28s  %s\n", "PID", "user", "VM", "program");
    for (uint32_t i = 0; i < count; i++) {
        const Jvm *j = &jvms[i];
        printf("%7d  %-10s  %-28s  %s%s%s\n", j->process.pid, j->user, j->vm, j->main,
               j->attachable ? "" : "  - ", j->attachable ? "" : j->why);
    }
    free(jvms);
    return 0;
}

// A browser is there where a display is, or a program that was named.
static void open_browser(const char *address)
{
    const char *named = getenv("BROWSER");
    if (named == NULL && getenv("DISPLAY") == NULL && getenv("WAYLAND_DISPLAY") == NULL)
        return;
    char *args[] = {"xdg-open", (char *)address, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    (void)posix_spawnp(&child, "xdg-open", &actions, NULL, args,
                       environ); // where there is none, the address was printed
    posix_spawn_file_actions_destroy(&actions);
}

static void print_address(Http *http, bool browser)
{
    char *address = http_address(http);
    printf("%s\n", address);
    fflush(stdout);
    if (browser)
        open_browser(address);
    free(address);
}

// Enter: a new address.
static void on_input(evutil_socket_t fd, short what, void *context)
{
    char buffer[256];
    (void)what;
    if (read(fd, buffer, sizeof buffer) > 0)
        print_address(context, false);
}

static void say_what_is_open(const Session *s)
{
    if (s->mode == SESSION_FILE)
        fprintf(stderr, "lens: %s: %s, %llu blocks%s%s\n", s->file, s->jvm.main,
                (unsigned long long)s->report.blocks,
                s->report.whole ? "" : "; it was cut off: what is whole is shown",
                s->report.damaged || s->report.skipped ? "; damaged parts were left out" : "");
    else
        fprintf(stderr, "lens: %d %s (%s), recorded in %s\n", s->jvm.process.pid, s->jvm.main,
                model_hello(s->model, "vm.name"), s->file);
}

static void on_check(evutil_socket_t fd, short what, void *context)
{
    (void)fd, (void)what;
    if (cli_interrupted())
        event_base_loopbreak(context);
    while (waitpid(-1, NULL, WNOHANG) > 0) // browsers
        continue;
}

int cli_serve(const CliOptions *options)
{
    Session *s = cli_session(options, options->output);
    if (s == NULL)
        return 1;
    Http *http = http_start(s, options->port);
    if (http == NULL) {
        session_free(s);
        return cli_fail(
            mem_format("cannot listen on 127.0.0.1 port %u: %s; take another --port",
                       options->port, strerror(errno)));
    }
    Push *pushes[2];
    if (!cli_push(options, s, pushes)) {
        http_stop(http);
        session_free(s);
        return 2;
    }
    struct event *check = event_new(s->base, -1, EV_PERSIST, on_check, s->base);
    struct event *input = isatty(STDIN_FILENO) ? event_new(s->base, STDIN_FILENO,
                                                           EV_READ | EV_PERSIST, on_input, http)
                                               : NULL;
    event_add(check, &(struct timeval){0, 100000});
    if (input != NULL)
        event_add(input, NULL);
    say_what_is_open(s);
    print_address(http, !options->no_browser);
    event_base_dispatch(s->base);
    event_free(check);
    if (input != NULL)
        event_free(input);
    push_stop(pushes[0]);
    push_stop(pushes[1]);
    http_stop(http);
    session_free(s);
    return 0;
}

int cli_record(const CliOptions *options)
{
    static const char *const verbs[] = {"metrics", "gc",      "cpu",       "alloc",
                                        "locks",   "threads", "exceptions"};
    char hz[32];
    snprintf(hz, sizeof hz, "%llu", (unsigned long long)options->hz);
    char *file = options->output ? mem_text(options->output, strlen(options->output))
                                 : mem_format("%llu.lens", (unsigned long long)options->pid);
    Session *s = cli_session(options, file);
    free(file);
    if (s == NULL)
        return 1;
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        LinkPair rate = {"hz", hz};
        bool is_cpu = strcmp(verbs[i], "cpu") == 0;
        session_order(s, verbs[i], &rate, is_cpu, -1);
    }
    fprintf(stderr, "lens: recording %d %s into %s; Ctrl-C ends it\n", s->jvm.process.pid,
            s->jvm.main, s->file);
    Push *pushes[2];
    if (!cli_push(options, s, pushes)) {
        session_free(s);
        return 2;
    }
    cli_run(s, options->seconds);
    push_stop(pushes[0]);
    push_stop(pushes[1]);
    for (uint32_t i = 0; i < s->orders.count; i++) {
        if (s->orders.at[i]->state == LENS_FAILED && !s->has_ended)
            fprintf(stderr, "lens: %s was not recorded: %s\n", s->orders.at[i]->verb,
                    s->orders.at[i]->text);
    }
    assert(s->store != NULL); // what was attached is recorded
    const char *failed = store_failed(s->store);
    int code = failed ? cli_fail(mem_format("%s is not whole: %s", s->file, failed)) : 0;
    if (s->has_ended)
        fprintf(stderr, "lens: %s\n", s->ended_why);
    if (code == 0)
        fprintf(stderr, "lens: %s, %llu bytes; `lens open %s` shows it\n", s->file,
                (unsigned long long)store_bytes(s->store), s->file);
    session_free(s);
    return code;
}
