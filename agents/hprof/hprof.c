// SPDX-License-Identifier: Apache-2.0
// The classic heap, CPU and monitor profiler: -Xrunhprof[:help]|[:option=value,...]. Options, and
// what each event means to the parts.
#include "hprof/hprof.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

Hprof hprof = {.options = {.dump_on_exit = true,
                           .line_numbers = true,
                           .depth = 4,
                           .cutoff = 0.0001,
                           .interval = 10}};

_Thread_local int hprof_held;

static void usage(void)
{
    fputs("HPROF usage: -Xrunhprof[:help]|[:option=value, ...]\n\n"
          "Option Name and Value   Description             Default\n"
          "---------------------   -----------             -------\n"
          "heap=dump|sites|all     heap profiling          all\n"
          "cpu=samples|times|old   CPU usage               off\n"
          "monitor=y|n             monitor contention      n\n"
          "format=a|b              ascii or binary output  a\n"
          "file=name               write data to file      java.hprof(.txt for ascii)\n"
          "net=host:port           send data over a socket write to file\n"
          "depth=size              stack trace depth       4\n"
          "interval=ms             between CPU samples     10\n"
          "cutoff=value            output cutoff point     0.0001\n"
          "lineno=y|n              line number in traces?  y\n"
          "thread=y|n              thread in traces?       n\n"
          "doe=y|n                 dump on exit?           y\n\n"
          "Example: java -Xrunhprof:cpu=samples,file=log.txt,depth=3 FooClass\n",
          stdout);
}

// ---- options ----
enum { PORT_MAX = 65535 };

// Ends the process.
static void refuse(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
static void refuse(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("HPROF ERROR: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    hprof.vm->ProfilerExit(1);
    abort();
}

static bool set_heap(const char *v)
{
    hprof.options.sites = strcmp(v, "sites") == 0 || strcmp(v, "all") == 0;
    hprof.options.dump = strcmp(v, "dump") == 0 || strcmp(v, "all") == 0;
    return hprof.options.sites || hprof.options.dump;
}

static bool set_cpu(const char *v)
{
    static const char *const modes[] = {"samples", "times", "old"};
    for (int i = 0; i < 3; i++)
        if (strcmp(v, modes[i]) == 0)
            hprof.options.cpu = (CpuMode)(CPU_SAMPLES + i);
    return hprof.options.cpu != CPU_OFF;
}

static bool set_format(const char *v)
{
    hprof.options.binary = strcmp(v, "b") == 0;
    return hprof.options.binary || strcmp(v, "a") == 0;
}

static bool set_number(int *to, const char *v, int min, int max)
{
    char *end;
    long number = strtol(v, &end, 10);
    *to = (int)number;
    return *v && !*end && number >= min && number <= max;
}

static bool set_file(const char *v)
{
    hprof.options.file = must_copy(v);
    return *v;
}

static bool set_net(const char *v)
{
    const char *colon = strrchr(v, ':');
    int port;
    hprof.options.net = must_copy(v);
    return colon && colon != v && set_number(&port, colon + 1, 1, PORT_MAX);
}

static bool set_depth(const char *v)
{
    return set_number(&hprof.options.depth, v, 0, DEPTH_MAX);
}

static bool set_interval(const char *v)
{
    return set_number(&hprof.options.interval, v, 1, INT32_MAX);
}

static bool set_cutoff(const char *v)
{
    char *end;
    hprof.options.cutoff = strtod(v, &end);
    return *v && !*end && hprof.options.cutoff >= 0 && hprof.options.cutoff <= 1;
}

static bool set_switch(bool *to, const char *v)
{
    *to = strcmp(v, "y") == 0;
    return *to || strcmp(v, "n") == 0;
}

static struct Option {
    const char *name, *values;
    bool (*set)(const char *value);
    bool *to; // y or n
    bool given;
} options[] = {
    {"heap", "dump, sites or all", set_heap, NULL, false},
    {"cpu", "samples, times or old", set_cpu, NULL, false},
    {"format", "a or b", set_format, NULL, false},
    {"file", "a file's name", set_file, NULL, false},
    {"net", "host:port, with a port of 1 to 65535", set_net, NULL, false},
    {"depth", "0 to 256 frames", set_depth, NULL, false},
    {"interval", "1 to 2147483647 ms", set_interval, NULL, false},
    {"cutoff", "0 to 1", set_cutoff, NULL, false},
    {"monitor", "y or n", NULL, &hprof.options.monitor, false},
    {"lineno", "y or n", NULL, &hprof.options.line_numbers, false},
    {"thread", "y or n", NULL, &hprof.options.threads, false},
    {"doe", "y or n", NULL, &hprof.options.dump_on_exit, false},
};
_Static_assert(DEPTH_MAX == 256, "as the table says");

static struct Option *option_named(const char *name, size_t len)
{
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (strlen(options[i].name) == len && memcmp(options[i].name, name, len) == 0)
            return &options[i];
    return NULL;
}

// "name=value". Does not come back when it is wrong.
static void parse_option(const char *text)
{
    size_t len = strcspn(text, "=");
    struct Option *o = option_named(text, len);
    if (!*text)
        refuse("empty hprof option; -Xrunhprof:help lists all");
    if (!o)
        refuse("unknown hprof option: %s; -Xrunhprof:help lists all", text);
    if (o->given)
        refuse("hprof option given twice: %s", text);
    o->given = true;
    const char *value = text[len] ? text + len + 1 : "";
    if (!(o->set ? o->set(value) : set_switch(o->to, value)))
        refuse("bad hprof option: %s; %s is %s", text, o->name, o->values);
}

static void help(void)
{
    usage();
    hprof.vm->ProfilerExit(0);
}

// Does not come back when one is wrong.
static void parse_options(const char *text)
{
    char *copy = must_copy(text), *rest = copy;
    for (char *one; *text && (one = strsep(&rest, ","));)
        strcmp(one, "help") == 0 ? help() : parse_option(one);
    free(copy);
    const Options *o = &hprof.options;
    if (o->file && o->net)
        refuse("hprof options file and net exclude each other");
    if (o->binary && (o->cpu == CPU_TIMES || o->cpu == CPU_OLD))
        refuse("cpu=times|old is not supported with format=b");
    if (o->binary && o->monitor)
        refuse("monitor=y is not supported with format=b");
}

static void complete_options(void)
{
    Options *o = &hprof.options;
    if (!o->sites && !o->dump && o->cpu == CPU_OFF && !o->monitor)
        o->sites = o->dump = true;
    if (!o->file)
        o->file = must_copy(o->binary ? "java.hprof" : "java.hprof.txt");
}

// ---- reports ----
static void write_tables(void)
{
    ASSERT_LOCKED();
    const Options *o = &hprof.options;
    if (o->sites)
        sites_write();
    if (o->cpu != CPU_OFF)
        cpu_write();
    if (o->monitor)
        monitors_write();
    output_flush(); // somebody waits for what SIGQUIT asked for
}

// Also of a signal that comes while the program ends.
static void write_reports(void)
{
    const Options *o = &hprof.options;
    if (o->dump)
        hprof.vm->RequestEvent(JVMPI_EVENT_HEAP_DUMP, NULL);
    if (o->monitor)
        hprof.vm->RequestEvent(JVMPI_EVENT_MONITOR_DUMP, NULL);
    hprof_enter();
    if (!hprof.ended)
        write_tables();
    hprof_exit();
}

static void end(void)
{
    if (hprof.options.dump_on_exit)
        write_reports();
    for (jint type = 1; type < JVMPI_EVENT_GC_START; type++)
        hprof.vm->DisableEvent(type, NULL); // a collection that has begun gives back the lock
    hprof_enter();
    hprof.ended = true;
    output_close();
    hprof_exit();
}

// ---- events ----
// The class of the monitor, told by the request's event on this thread.
static _Thread_local jobjectID requested_class;

static void on_locked(const JVMPI_Event *e, const JVMPI_CallFrame *frames, int count)
{
    ASSERT_LOCKED();
    switch (e->event_type & ~JVMPI_REQUESTED_EVENT) {
    case JVMPI_EVENT_CLASS_LOAD: class_add(e); break;
    case JVMPI_EVENT_CLASS_UNLOAD: class_remove(e->u.class_unload.class_id); break;
    case JVMPI_EVENT_THREAD_START: thread_add(e); break;
    case JVMPI_EVENT_THREAD_END: thread_remove(e->env_id); break;
    case JVMPI_EVENT_OBJECT_ALLOC: site_alloc(e, frames, count); break;
    case JVMPI_EVENT_MONITOR_CONTENDED_ENTER: monitor_enter(e, frames, count); break;
    case JVMPI_EVENT_MONITOR_CONTENDED_ENTERED: monitor_entered(e, requested_class); break;
    case JVMPI_EVENT_HEAP_DUMP: heap_dump_write(e); break;
    case JVMPI_EVENT_MONITOR_DUMP: monitor_dump_write(e); break;
    }
}

static void on_move(const JVMPI_Event *e)
{
    jobjectID from = e->u.obj_move.obj_id, to = e->u.obj_move.new_obj_id;
    site_moved(from, to);
    class_moved(from, to);
    thread_moved(from, to);
}

static bool wants_stack(jint type)
{
    return type == JVMPI_EVENT_OBJECT_ALLOC || type == JVMPI_EVENT_MONITOR_CONTENDED_ENTER;
}

static void notify(JVMPI_Event *e)
{
    JVMPI_CallFrame frames[DEPTH_MAX];
    switch (e->event_type) {
    case JVMPI_EVENT_JVM_INIT_DONE: cpu_start(); return;
    case JVMPI_EVENT_JVM_SHUT_DOWN: end(); return;
    case JVMPI_EVENT_DATA_DUMP_REQUEST: write_reports(); return;
    case JVMPI_EVENT_GC_START: hprof_enter(); return;
    case JVMPI_EVENT_GC_FINISH: hprof_exit(); return;
    case JVMPI_EVENT_OBJECT_MOVE: on_move(e); return;
    case JVMPI_EVENT_OBJECT_FREE: site_free(e->u.obj_free.obj_id); return;
    case JVMPI_EVENT_METHOD_ENTRY: times_enter(e->env_id, e->u.method.method_id); return;
    case JVMPI_EVENT_METHOD_EXIT: times_leave(e->env_id, e->u.method.method_id); return;
    case JVMPI_EVENT_OBJECT_ALLOC | JVMPI_REQUESTED_EVENT:
        requested_class = e->u.obj_alloc.class_id;
        return;
    case JVMPI_EVENT_MONITOR_CONTENDED_ENTERED:
        requested_class = NULL;
        hprof.vm->RequestEvent(JVMPI_EVENT_OBJECT_ALLOC, e->u.monitor.object);
        break;
    }
    int count = wants_stack(e->event_type) ? stack_take(e->env_id, frames) : 0;
    hprof_enter();
    if (!hprof.ended)
        on_locked(e, frames, count);
    hprof_exit();
}

static void enable_all(void)
{
    assert(hprof.lock != NULL);
    static const jint always[] = {JVMPI_EVENT_CLASS_LOAD,    JVMPI_EVENT_CLASS_UNLOAD,
                                  JVMPI_EVENT_THREAD_START,  JVMPI_EVENT_THREAD_END,
                                  JVMPI_EVENT_JVM_INIT_DONE, JVMPI_EVENT_JVM_SHUT_DOWN,
                                  JVMPI_EVENT_GC_START,      JVMPI_EVENT_DATA_DUMP_REQUEST,
                                  JVMPI_EVENT_OBJECT_MOVE,   JVMPI_EVENT_GC_FINISH};
    const Options *o = &hprof.options;
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        hprof.vm->EnableEvent(always[i], NULL);
    if (o->sites || o->dump) {
        hprof.vm->EnableEvent(JVMPI_EVENT_OBJECT_ALLOC, NULL);
        hprof.vm->EnableEvent(JVMPI_EVENT_OBJECT_FREE, NULL);
    }
    if (o->cpu == CPU_TIMES || o->cpu == CPU_OLD) {
        hprof.vm->EnableEvent(JVMPI_EVENT_METHOD_ENTRY, NULL);
        hprof.vm->EnableEvent(JVMPI_EVENT_METHOD_EXIT, NULL);
    }
    if (o->monitor) {
        hprof.vm->EnableEvent(JVMPI_EVENT_MONITOR_CONTENDED_ENTER, NULL);
        hprof.vm->EnableEvent(JVMPI_EVENT_MONITOR_CONTENDED_ENTERED, NULL);
    }
}

JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *given, void *reserved);
JNIEXPORT jint JNICALL JVM_OnLoad(JavaVM *vm, char *given, void *reserved)
{
    (void)reserved;
    if ((*vm)->GetEnv(vm, (void **)&hprof.vm, JVMPI_VERSION_1_2) < 0) {
        fprintf(stderr, "HPROF ERROR: this VM has no JVMPI\n");
        return JNI_ERR;
    }
    hprof.java_vm = vm;
    hprof.vm->NotifyEvent = notify;
    if (given)
        parse_options(given);
    complete_options();
    hprof.lock = hprof.vm->RawMonitorCreate("_hprof");
    if (!output_open())
        hprof.vm->ProfilerExit(1);
    enable_all();
    return JNI_OK;
}
