// SPDX-License-Identifier: Apache-2.0
// The command line of lens (cli.h): options, help, the session of a command.
#define _GNU_SOURCE
#include "cli.h"

#include <errno.h>
#include <event2/event.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;

static const char help[] =
    "lens - look into a running Java program\n"
    "\n"
    "  lens                        list the Java programs of this user\n"
    "  lens PID                    open the page for a program; prints its address\n"
    "  lens open FILE.lens         open a recording (or FILE.hprof: a heap dump)\n"
    "  lens record PID -o FILE     record without a page (CPU, allocations, locks, threads, "
    "metrics)\n"
    "  lens PID VIEW               one view as text: top, cpu, alloc, locks, threads, heap,\n"
    "                              exceptions, trace, coverage, metrics\n"
    "  lens open FILE.lens VIEW    the same of a recording\n"
    "\n"
    "  -d, --duration SECONDS      how long to look (views: 5; record: until Ctrl-C or the "
    "program's end)\n"
    "  -o, --output FILE           where the recording or an export goes\n"
    "      --json                  a view's answer as JSON\n"
    "      --html FILE             a view as one self-contained page\n"
    "      --format NAME           a view as collapsed, pprof, speedscope, firefox, chrome, "
    "csv, lcov, jacoco, hprof (heap)\n"
    "      --hz N                  samples a second (100)\n"
    "      --include PATTERNS      packages or classes: com.acme.*,-com.acme.test.* "
    "(coverage)\n"
    "      --method CLASS.METHOD   what trace watches\n"
    "      --limit N               rows to print (20)\n"
    "      --source PATH           sources: a folder, jar or zip; may be given again\n"
    "      --port N                port of the page on 127.0.0.1 (any that is free)\n"
    "      --push URL              CPU profiles to a server that takes Pyroscope's /ingest\n"
    "      --otlp URL              metrics to a server that takes OTLP over http\n"
    "      --no-browser            print the address only\n"
    "  -h, --help, --version\n"
    "\n"
    "The page is for this machine and user alone: 127.0.0.1, behind an address that works "
    "once.\n"
    "docs/LENS.md and lens(1) say more.\n";

static int misused(const char *format, ...) LENS_PRINTF(1, 2);
static int misused(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("lens: ", stderr);
    vfprintf(stderr, format, args);
    fputs(" (lens --help)\n", stderr);
    va_end(args);
    return 2;
}

int cli_fail(char *text)
{
    fprintf(stderr, "lens: %s\n", text);
    free(text);
    return 1;
}

bool cli_interrupted(void)
{
    return interrupted != 0;
}

static void on_signal(int number)
{
    interrupted = number;
}

static void on_interrupt_check(evutil_socket_t fd, short what, void *context)
{
    (void)fd, (void)what;
    if (interrupted != 0)
        event_base_loopbreak(context);
}

Session *cli_session(const CliOptions *options, const char *record)
{
    assert((options->file != NULL) != (options->pid != 0));
    Session *s = session_new();
    for (uint32_t i = 0; i < options->sources.count; i++)
        *ARRAY_PUSH(&s->sources) =
            mem_text(options->sources.at[i], strlen(options->sources.at[i]));
    char *error = options->file ? session_open(s, options->file)
                                : session_attach(s, (pid_t)options->pid, record);
    if (error == NULL && s->mode == SESSION_LIVE)
        error = session_wait_hello(s);
    if (error == NULL)
        return s;
    cli_fail(error);
    session_free(s);
    return NULL;
}

bool cli_push(const CliOptions *options, Session *s, Push *pushes[2])
{
    const char *urls[2] = {options->push, options->otlp};
    for (int i = 0; i < 2; i++) {
        pushes[i] = urls[i] ? push_start(s, i ? PUSH_OTLP : PUSH_PYROSCOPE, urls[i]) : NULL;
        if (urls[i] != NULL && pushes[i] == NULL) {
            misused("\"%s\" is no address of the form http://host:port", urls[i]);
            push_stop(pushes[0]);
            return false;
        }
    }
    return true;
}

bool cli_run(Session *s, double seconds)
{
    uint64_t until = seconds > 0 ? clock_monotonic() + (uint64_t)(seconds * 1e9) : UINT64_MAX;
    struct event *check = event_new(s->base, -1, EV_PERSIST, on_interrupt_check, s->base);
    event_add(check, &(struct timeval){0, 50000});
    while (interrupted == 0 && !s->has_ended && clock_monotonic() < until)
        event_base_loop(s->base, EVLOOP_ONCE);
    event_free(check);
    return interrupted == 0;
}

enum {
    OPTION_JSON = 256,
    OPTION_HTML,
    OPTION_FORMAT,
    OPTION_HZ,
    OPTION_INCLUDE,
    OPTION_METHOD,
    OPTION_LIMIT,
    OPTION_SOURCE,
    OPTION_PORT,
    OPTION_PUSH,
    OPTION_OTLP,
    OPTION_NO_BROWSER,
    OPTION_VERSION
};

static const struct option long_options[] = {
    {"duration", required_argument, NULL, 'd'},
    {"output", required_argument, NULL, 'o'},
    {"json", no_argument, NULL, OPTION_JSON},
    {"html", required_argument, NULL, OPTION_HTML},
    {"format", required_argument, NULL, OPTION_FORMAT},
    {"hz", required_argument, NULL, OPTION_HZ},
    {"include", required_argument, NULL, OPTION_INCLUDE},
    {"method", required_argument, NULL, OPTION_METHOD},
    {"limit", required_argument, NULL, OPTION_LIMIT},
    {"source", required_argument, NULL, OPTION_SOURCE},
    {"port", required_argument, NULL, OPTION_PORT},
    {"push", required_argument, NULL, OPTION_PUSH},
    {"otlp", required_argument, NULL, OPTION_OTLP},
    {"no-browser", no_argument, NULL, OPTION_NO_BROWSER},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, OPTION_VERSION},
    {NULL, 0, NULL, 0},
};

static bool number_option(const char *name, uint64_t least, uint64_t most, uint64_t *value)
{
    assert(optarg != NULL && least <= most);
    if (text_number(optarg, value) && *value >= least && *value <= most)
        return true;
    misused("--%s takes a number from %llu to %llu", name, (unsigned long long)least,
            (unsigned long long)most);
    return false;
}

static bool take_option(int c, CliOptions *o)
{
    uint64_t number;
    char *end;
    switch (c) {
    case 'd':
        o->seconds = strtod(optarg, &end);
        if (*end == 0 && o->seconds > 0 && o->seconds < 1e8)
            return true;
        misused("--duration takes seconds");
        return false;
    case 'o': o->output = optarg; return true;
    case OPTION_JSON: o->json = true; return true;
    case OPTION_HTML: o->html = optarg; return true;
    case OPTION_FORMAT: o->format = optarg; return true;
    case OPTION_HZ: return number_option("hz", 1, 10000, &o->hz);
    case OPTION_INCLUDE: o->include = optarg; return true;
    case OPTION_METHOD: o->watch = optarg; return true;
    case OPTION_LIMIT: return number_option("limit", 1, 1000000, &o->limit);
    case OPTION_SOURCE: *ARRAY_PUSH(&o->sources) = optarg; return true;
    case OPTION_PORT:
        if (!number_option("port", 0, 65535, &number))
            return false;
        o->port = (uint16_t)number;
        return true;
    case OPTION_PUSH: o->push = optarg; return true;
    case OPTION_OTLP: o->otlp = optarg; return true;
    case OPTION_NO_BROWSER: o->no_browser = true; return true;
    default: return misused("it does not know that option"), false;
    }
}

// PID [VIEW], open FILE [VIEW], record PID.
static int take_words(CliOptions *o, char **words, int count)
{
    if (count == 0)
        return 0;
    bool opens = strcmp(words[0], "open") == 0, records = strcmp(words[0], "record") == 0;
    int at = opens || records;
    if (at == count)
        return misused("%s needs %s", words[0], opens ? "a file" : "a PID");
    if (opens)
        o->file = words[at];
    else if (!text_number(words[at], &o->pid) || o->pid == 0 || o->pid > INT32_MAX)
        return misused("\"%s\" is no PID; `lens` alone lists the programs", words[at]);
    o->verb = records ? "record" : count > at + 1 ? words[at + 1] : "";
    if (count > at + (records ? 1 : 2))
        return misused("\"%s\" is too much", words[count - 1]);
    if (*o->verb != 0 && !records && !cli_is_view(o->verb))
        return misused("there is no view \"%s\"", o->verb);
    return 0;
}

int cli_main(int argc, char **argv)
{
    CliOptions o = {.verb = "", .hz = 100, .limit = 20};
    for (int c; (c = getopt_long(argc, argv, "d:o:h", long_options, NULL)) != -1;) {
        if (c == 'h')
            return fputs(help, stdout) < 0;
        if (c == OPTION_VERSION)
            return printf("lens %d\n", LENS_VERSION) < 0;
        if (c == '?')
            return 2;
        if (!take_option(c, &o))
            return 2;
    }
    int code = take_words(&o, argv + optind, argc - optind);
    if (code != 0)
        return code;
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
    if (o.pid == 0 && o.file == NULL)
        code = cli_list(&o);
    else if (strcmp(o.verb, "record") == 0)
        code = cli_record(&o);
    else
        code = *o.verb ? cli_view(&o) : cli_serve(&o);
    free(o.sources.at);
    return code;
}
