// SPDX-License-Identifier: Apache-2.0
// Log outputs and the writing of lines. An output keeps its own level for each tag set, its own
// decorations and the widths seen so far (they are padded so that columns line up). One plain
// mutex guards all of it; log_level_of is the lock-free filter in front: stale values only cost
// a line more or less while the configuration changes.
#include "base/log.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/log_internal.h"
#include "base/output.h"

enum { MAX_OUTPUTS = 32 };

typedef struct LogOutput {
    const char *name; // "stdout", "stderr" or "file=<path>"
    char *path;       // NULL for the two streams
    FILE *file;
    uint32_t decorators;
    uint8_t levels[LOG_TAG_COUNT];
    uint8_t widths[DECO_COUNT];
    LogFileOptions options;
    uint64_t written;
    uint32_t next_archive;
} LogOutput;

const char *const log_decorator_text[DECO_COUNT][2] = {
#define D(id, name, abbr) {name, abbr},
    LOG_DECORATORS(D)
#undef D
};

uint8_t log_level_of[LOG_TAG_COUNT] = {[0 ... LOG_TAG_COUNT - 1] = LOG_WARNING};

const char *const log_tag_text[LOG_TAG_COUNT] = {
#define LOG_TAG(id, text) text,
#include "spec/log_tags.def"
#undef LOG_TAG
};
const char *const log_level_text[LOG_TRACE + 1] = {"off",  "error", "warning",
                                                   "info", "debug", "trace"};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static LogOutput outputs[MAX_OUTPUTS] = {
    {.name = "stdout",
     .decorators = LOG_DECO_DEFAULT,
     .levels = {[0 ... LOG_TAG_COUNT - 1] = LOG_WARNING}},
    {.name = "stderr", .decorators = LOG_DECO_DEFAULT},
};
static int output_count = 2;
static struct timespec start_monotonic, start_wall;

__attribute__((constructor)) static void remember_start(void)
{
    clock_gettime(CLOCK_MONOTONIC, &start_monotonic);
    clock_gettime(CLOCK_REALTIME, &start_wall);
}

void log_lock(void)
{
    pthread_mutex_lock(&lock);
}

void log_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

// ---- decorations ----

static int64_t nanos_of(struct timespec t)
{
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t log_uptime_nanos(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return nanos_of(now) - nanos_of(start_monotonic);
}

static void format_time(char *out, size_t size, bool utc)
{
    struct timespec now;
    struct tm parts;
    clock_gettime(CLOCK_REALTIME, &now);
    if (utc)
        gmtime_r(&now.tv_sec, &parts);
    else
        localtime_r(&now.tv_sec, &parts);
    size_t n = strftime(out, size, "%Y-%m-%dT%H:%M:%S", &parts);
    n += (size_t)snprintf(out + n, size - n, ".%03d", (int)(now.tv_nsec / 1000000));
    strftime(out + n, size - n, "%z", &parts);
}

static void format_tags(char *out, size_t size, LogTag tag)
{
    snprintf(out, size, "%s", log_tag_text[tag]);
    for (char *p = out; *p != '\0'; p++) {
        if (*p == '+')
            *p = ',';
    }
}

static void format_decoration(LogDecorator d, LogTag tag, LogLevel level, char *out,
                              size_t size)
{
    struct timespec wall;
    clock_gettime(CLOCK_REALTIME, &wall);
    int64_t up = log_uptime_nanos();
    switch (d) {
    case DECO_TIME: format_time(out, size, false); break;
    case DECO_UTCTIME: format_time(out, size, true); break;
    case DECO_UPTIME:
        snprintf(out, size, "%d.%03ds", (int)(up / 1000000000), (int)(up / 1000000 % 1000));
        break;
    case DECO_TIMEMILLIS:
        snprintf(out, size, "%lldms", (long long)nanos_of(wall) / 1000000);
        break;
    case DECO_UPTIMEMILLIS: snprintf(out, size, "%lldms", (long long)up / 1000000); break;
    case DECO_TIMENANOS: snprintf(out, size, "%lldns", (long long)nanos_of(wall)); break;
    case DECO_UPTIMENANOS: snprintf(out, size, "%lldns", (long long)up); break;
    case DECO_HOSTNAME:
        if (gethostname(out, size) != 0)
            out[0] = '\0';
        out[size - 1] = '\0';
        break;
    case DECO_PID: snprintf(out, size, "%d", (int)getpid()); break;
    case DECO_TID: snprintf(out, size, "%ld", (long)syscall(SYS_gettid)); break;
    case DECO_LEVEL: snprintf(out, size, "%s", log_level_text[level]); break;
    case DECO_TAGS: format_tags(out, size, tag); break;
    case DECO_COUNT: break;
    }
}

static void add_decorations(StrBuf *sb, LogOutput *o, LogTag tag, LogLevel level)
{
    char text[128];
    for (LogDecorator d = 0; d < DECO_COUNT; d++) {
        if (!(o->decorators & 1u << d))
            continue;
        format_decoration(d, tag, level, text, sizeof(text));
        size_t len = strlen(text);
        o->widths[d] = (uint8_t)MAX_OF(len, o->widths[d]);
        sb_printf(sb, "[%-*s]", (int)o->widths[d], text);
    }
    if (o->decorators != 0)
        sb_putc(sb, ' ');
}

// ---- outputs ----

static char *expand_path(const char *path)
{
    StrBuf sb = {0};
    for (const char *p = path; *p != '\0'; p++) {
        if (p[0] == '%' && p[1] == 'p') {
            sb_printf(&sb, "%d", (int)getpid());
            p++;
        } else if (p[0] == '%' && p[1] == 't') {
            char stamp[32];
            struct tm parts;
            localtime_r(&start_wall.tv_sec, &parts);
            strftime(stamp, sizeof(stamp), "%Y-%m-%d_%H-%M-%S", &parts);
            sb_add(&sb, stamp);
            p++;
        } else {
            sb_putc(&sb, *p);
        }
    }
    return sb.s;
}

// The number after the newest existing archive of `path`, so that the oldest is overwritten
// first.
static uint32_t first_archive(const char *path, uint32_t count)
{
    uint32_t oldest = 0;
    struct timespec oldest_time = {0};
    for (uint32_t i = 0; i < count; i++) {
        char *name = vm_asprintf("%s.%u", path, i);
        struct stat st;
        int rc = stat(name, &st);
        vm_free(name);
        if (rc != 0)
            return i;
        if (i == 0 || nanos_of(st.st_mtim) < nanos_of(oldest_time)) {
            oldest = i;
            oldest_time = st.st_mtim;
        }
    }
    return oldest;
}

// What fails here cannot be logged: stderr has it.
static void archive_file(LogOutput *o)
{
    char *name = vm_asprintf("%s.%u", o->path, o->next_archive);
    if (rename(o->path, name) != 0)
        fprintf(stderr, "Could not rename log file '%s' to '%s' (%s).\n", o->path, name,
                strerror(errno));
    vm_free(name);
    o->next_archive = (o->next_archive + 1) % o->options.filecount;
}

static void rotate(LogOutput *o)
{
    if (o->file == NULL || o->options.filecount == 0)
        return;
    fclose(o->file);
    archive_file(o);
    o->file = fopen(o->path, "w");
    if (o->file == NULL)
        fprintf(stderr, "Could not reopen file '%s' during log rotation (%s).\n", o->path,
                strerror(errno));
    o->written = 0;
}

static void rotate_when_full(LogOutput *o)
{
    if (o->options.filesize != 0 && o->written >= o->options.filesize)
        rotate(o);
}

void log_rotate(void)
{
    log_lock();
    for (int i = 0; i < output_count; i++)
        rotate(&outputs[i]);
    log_unlock();
}

static int find_output(const char *name)
{
    for (int i = 0; i < output_count; i++) {
        if (strcmp(outputs[i].name, name) == 0)
            return i;
    }
    return -1;
}

static bool open_file(LogOutput *o, char *error, size_t error_size)
{
    struct stat st;
    bool exists = stat(o->path, &st) == 0;
    if (exists && S_ISFIFO(st.st_mode))
        o->options.filecount = 0;
    bool rotates = o->options.filecount > 0;
    if (exists && rotates && !S_ISREG(st.st_mode)) {
        snprintf(error, error_size,
                 "Unable to log to file %s with log file rotation: %s is not a regular file",
                 o->path, o->path);
        return false;
    }
    if (exists && rotates) {
        o->next_archive = first_archive(o->path, o->options.filecount);
        archive_file(o);
    }
    o->file = fopen(o->path, "w");
    if (o->file == NULL)
        snprintf(error, error_size, "Error opening log file '%s': %s", o->path,
                 strerror(errno));
    return o->file != NULL;
}

static int numbered_output(const char *name, char *error, size_t error_size)
{
    char *end;
    unsigned long index = strtoul(name + 1, &end, 10);
    if (end != name + 1 && *end == '\0' && index < (unsigned long)output_count)
        return (int)index;
    snprintf(error, error_size, "Invalid output index '%s'", name);
    return -1;
}

int log_output_open(const char *name, const LogFileOptions *options, char *error,
                    size_t error_size)
{
    if (*name == '#')
        return numbered_output(name, error, error_size);
    bool prefixed = strncmp(name, "file=", 5) == 0;
    bool stream = strcmp(name, "stdout") == 0 || strcmp(name, "stderr") == 0;
    char *full = prefixed || stream ? vm_strdup(name) : vm_asprintf("file=%s", name);
    int found = find_output(full);
    if (found >= 0) {
        vm_free(full);
        return found;
    }
    if (output_count == MAX_OUTPUTS) {
        vm_free(full);
        snprintf(error, error_size, "Too many log outputs.");
        return -1;
    }
    LogOutput *o = &outputs[output_count];
    *o = (LogOutput){.name = full, .decorators = LOG_DECO_DEFAULT, .options = *options};
    o->path = expand_path(full + 5);
    if (o->path == NULL || !open_file(o, error, error_size)) {
        if (o->path == NULL)
            snprintf(error, error_size, "Error opening log file '': No such file or directory");
        vm_free(full);
        vm_free(o->path);
        return -1;
    }
    return output_count++;
}

static void refresh_filter(LogTag tag)
{
    uint8_t level = LOG_OFF;
    for (int i = 0; i < output_count; i++)
        level = MAX_OF(level, outputs[i].levels[tag]);
    log_level_of[tag] = level;
}

void log_output_set(int output, LogTag tag, LogLevel level)
{
    outputs[output].levels[tag] = (uint8_t)level;
    refresh_filter(tag);
}

void log_output_decorate(int output, uint32_t decorators)
{
    outputs[output].decorators = decorators;
}

void log_all_off(void)
{
    for (LogTag tag = 0; tag < LOG_TAG_COUNT; tag++) {
        for (int i = 0; i < output_count; i++)
            outputs[i].levels[tag] = LOG_OFF;
        refresh_filter(tag);
    }
}

void log_enable(LogTag tag, LogLevel level)
{
    log_lock();
    if (outputs[0].levels[tag] < level)
        log_output_set(0, tag, level);
    log_unlock();
}

void log_disable(LogTag tag)
{
    log_lock();
    log_output_set(0, tag, LOG_OFF);
    log_unlock();
}

bool log_on_stdout(LogTag tag, LogLevel level)
{
    log_lock();
    bool on = outputs[0].levels[tag] >= level;
    log_unlock();
    return on;
}

// ---- describing ----

static LogLevel most_frequent_level(const LogOutput *o)
{
    int counts[LOG_TRACE + 1] = {0};
    LogLevel most = LOG_OFF;
    for (LogTag tag = 0; tag < LOG_TAG_COUNT; tag++)
        counts[o->levels[tag]]++;
    for (LogLevel level = LOG_OFF; level <= LOG_TRACE; level++)
        most = counts[level] > counts[most] ? level : most;
    return most;
}

// In the largest unit of which there are a hundred, as HotSpot does.
static void describe_size(StrBuf *sb, uint64_t bytes)
{
    int unit = 0;
    while (unit < 3 && bytes >= 100 << 10) {
        bytes >>= 10;
        unit++;
    }
    sb_printf(sb, "%llu%c", (unsigned long long)bytes, "BKMG"[unit]);
}

static void describe_output(StrBuf *sb, const LogOutput *o)
{
    LogLevel base = most_frequent_level(o);
    sb_printf(sb, "%s all=%s", o->name, log_level_text[base]);
    for (LogTag tag = 0; tag < LOG_TAG_COUNT; tag++)
        if (o->levels[tag] != base)
            sb_printf(sb, ",%s=%s", log_tag_text[tag], log_level_text[o->levels[tag]]);
    const char *before = " ";
    for (LogDecorator d = 0; d < DECO_COUNT; d++) {
        if (o->decorators & 1u << d) {
            sb_printf(sb, "%s%s", before, log_decorator_text[d][0]);
            before = ",";
        }
    }
    sb_add(sb, o->decorators ? "" : " none");
    if (o->path) {
        sb_printf(sb, " filecount=%u,filesize=", o->options.filecount);
        describe_size(sb, o->options.filesize);
        sb_add(sb, ",async=false");
    }
    sb_putc(sb, '\n');
}

void log_describe(StrBuf *sb)
{
    sb_add(sb, "Available log levels: off, trace, debug, info, warning, error\n"
               "Available log decorators:");
    for (LogDecorator d = 0; d < DECO_COUNT; d++)
        sb_printf(sb, "%s %s (%s)", d == 0 ? "" : ",", log_decorator_text[d][0],
                  log_decorator_text[d][1]);
    sb_add(sb, "\nLog output configuration:\n");
    log_lock();
    for (int i = 0; i < output_count; i++) {
        sb_printf(sb, " #%d: ", i);
        describe_output(sb, &outputs[i]);
    }
    log_unlock();
}

// ---- writing ----

static void write_to(LogOutput *o, LogTag tag, LogLevel level, const char *text, size_t len)
{
    FILE *f = o == &outputs[0] ? stdout : o == &outputs[1] ? stderr : o->file;
    if (f == NULL)
        return;
    StrBuf line = {0};
    add_decorations(&line, o, tag, level);
    sb_add_n(&line, text, len);
    sb_putc(&line, '\n');
    fwrite(line.s, 1, line.len, f);
    fflush(f);
    o->written += line.len;
    sb_free(&line);
    rotate_when_full(o);
}

void log_write(LogTag tag, LogLevel level, const char *fmt, ...)
{
    StrBuf text = {0};
    va_list ap;
    va_start(ap, fmt);
    sb_vprintf(&text, fmt, ap);
    va_end(ap);
    log_lock();
    for (int i = 0; i < output_count; i++) {
        if (outputs[i].levels[tag] >= level)
            write_to(&outputs[i], tag, level, text.s == NULL ? "" : text.s, text.len);
    }
    log_unlock();
    sb_free(&text);
}

void vm_warning(const char *fmt, ...)
{
    StrBuf text = {0};
    sb_printf(&text, "%s warning: ", vm_name);
    va_list ap;
    va_start(ap, fmt);
    sb_vprintf(&text, fmt, ap);
    va_end(ap);
    sb_putc(&text, '\n');
    fwrite(text.s, 1, text.len, vm_stderr());
    fflush(vm_stderr());
    sb_free(&text);
}
