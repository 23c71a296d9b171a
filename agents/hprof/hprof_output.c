// SPDX-License-Identifier: Apache-2.0
// The output, a file or a socket, as text or in the binary format "JAVA PROFILE 1.0.2": what both
// tell of classes, threads and traces, and binary records. A record is put together in memory,
// since its length stands before it.
#include <errno.h>
#include <netdb.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "hprof/hprof.h"

enum { SETTING_ALLOC_TRACES = 1, SETTING_CPU_SAMPLING = 2 };
static FILE *out;
static int write_error; // errno of the first write that failed
static uint64_t start_micros;
static struct {
    uint8_t tag;
    char *at;
    size_t len, max;
} record;
static Map strings;   // hash of the text -> a list of Text
static Map frame_ids; // hash of a frame -> a list of Frame
typedef struct Text {
    struct Text *next;
    char text[];
} Text;
typedef struct Frame {
    struct Frame *next;
    TraceFrame frame;
} Frame;

static uint64_t micros(void)
{
    struct timeval now;
    gettimeofday(&now, NULL);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_usec;
}

const char *output_date(void)
{
    static char text[32];
    time_t now = time(NULL);
    strftime(text, sizeof text, "%a %b %e %H:%M:%S %Y", localtime(&now));
    return text;
}

static void note(bool written)
{
    if (!written && write_error == 0)
        write_error = errno;
}

static void write_bytes(const void *bytes, size_t size)
{
    assert(out != NULL);
    note(fwrite(bytes, 1, size, out) == size);
}

void print(const char *format, ...)
{
    assert(out != NULL);
    va_list args;
    va_start(args, format);
    note(vfprintf(out, format, args) >= 0);
    va_end(args);
}

// ---- opening ----
// NULL with *why when nobody is reached there.
static FILE *connect_to(const char *host_port, const char **why)
{
    char *host = must_copy(host_port);
    char *colon = strrchr(host, ':');
    struct addrinfo *found = NULL, how = {.ai_socktype = SOCK_STREAM};
    FILE *stream = NULL;
    *why = "host:port is asked for";
    if (colon) {
        *colon = 0;
        bool bracketed = *host == '[' && colon[-1] == ']'; // as addresses of IPv6 are
        if (bracketed)
            colon[-1] = 0;
        int error = getaddrinfo(host + bracketed, colon + 1, &how, &found);
        *why = error ? gai_strerror(error) : NULL;
        if (error)
            found = NULL;
    }
    for (struct addrinfo *a = found; a && !stream; a = a->ai_next) {
        int fd = socket(a->ai_family, a->ai_socktype, a->ai_protocol);
        if (fd >= 0 && connect(fd, a->ai_addr, a->ai_addrlen) == 0)
            stream = fdopen(fd, "wb");
        else
            *why = strerror(errno);
        if (fd >= 0 && !stream)
            close(fd);
    }
    if (found)
        freeaddrinfo(found);
    free(host);
    return stream;
}

static void write_head(void)
{
    const Options *o = &hprof.options;
    if (!o->binary) {
        print("JAVA PROFILE 1.0.2, created %s\n\n", output_date());
        return;
    }
    static const char name[] = "JAVA PROFILE 1.0.2";
    write_bytes(name, sizeof name);
    record.tag = 0;
    put_u4(sizeof(void *));
    put_u8(start_micros / 1000);
    write_bytes(record.at, record.len);
    record.len = 0;
    record_begin(TAG_CONTROL_SETTINGS);
    put_u4((o->sites || o->dump ? SETTING_ALLOC_TRACES : 0)
           | (o->cpu == CPU_SAMPLES ? SETTING_CPU_SAMPLING : 0));
    put_u2((uint32_t)o->depth);
    record_end();
}

bool output_open(void)
{
    const char *to = hprof.options.net ? hprof.options.net : hprof.options.file;
    const char *why = NULL;
    out = hprof.options.net ? connect_to(to, &why) : fopen(to, "wb");
    if (!out) {
        fprintf(stderr, "HPROF ERROR: can't %s %s: %s\n",
                hprof.options.net ? "connect to" : "write profile file", to,
                why ? why : strerror(errno));
        return false;
    }
    start_micros = micros();
    write_head();
    return true;
}

void output_flush(void)
{
    note(fflush(out) == 0);
}

void output_close(void)
{
    ASSERT_LOCKED();
    note(fclose(out) == 0);
    if (write_error != 0)
        fprintf(stderr, "HPROF ERROR: writing failed: %s\n", strerror(write_error));
}

// ---- binary records ----
static void add(const void *bytes, size_t size)
{
    if (record.len + size > record.max) {
        record.max = (record.len + size) * 2;
        char *grown = must_alloc(record.max);
        if (record.len)
            memcpy(grown, record.at, record.len);
        free(record.at);
        record.at = grown;
    }
    memcpy(record.at + record.len, bytes, size);
    record.len += size;
}

static void add_big_endian(uint64_t v, int size)
{
    uint8_t bytes[8];
    for (int i = size; i-- > 0; v >>= 8)
        bytes[i] = (uint8_t)v;
    add(bytes, (size_t)size);
}

void put_u1(uint32_t v)
{
    add_big_endian(v, 1);
}

void put_u2(uint32_t v)
{
    add_big_endian(v, 2);
}

void put_u4(uint32_t v)
{
    add_big_endian(v, 4);
}

void put_u8(uint64_t v)
{
    add_big_endian(v, 8);
}

void put_id(const void *id)
{
    add_big_endian((uintptr_t)id, sizeof id);
}

void put_bytes(const void *bytes, size_t size)
{
    add(bytes, size);
}

size_t record_size(void)
{
    return record.len;
}

void record_begin(uint8_t tag)
{
    assert(hprof.options.binary && record.len == 0); // not inside another record
    record.tag = tag;
    record.len = 0;
}

void record_end(void)
{
    size_t len = record.len;
    put_u1(record.tag);
    put_u4((uint32_t)(micros() - start_micros));
    put_u4((uint32_t)len);
    write_bytes(record.at + len, record.len - len);
    write_bytes(record.at, len);
    record.len = 0;
}

static uintptr_t hash_text(const char *text)
{
    uint64_t h = 14695981039346656037u;
    for (; *text; text++)
        h = (h ^ (uint8_t)*text) * 1099511628211u;
    return (uintptr_t)h | 2; // 0 and 1 are no keys
}

const void *string_id(const char *text)
{
    ASSERT_LOCKED();
    uintptr_t hash = hash_text(text);
    Text *first = map_get(&strings, hash);
    for (Text *t = first; t; t = t->next)
        if (strcmp(t->text, text) == 0)
            return t;
    Text *t = must_alloc(sizeof *t + strlen(text) + 1);
    strcpy(t->text, text);
    t->next = first;
    map_put(&strings, hash, t, 0);
    record_begin(TAG_STRING);
    put_id(t);
    put_bytes(text, strlen(text));
    record_end();
    return t;
}

// ---- classes, threads ----
void write_class(ClassName *c)
{
    ASSERT_LOCKED();
    const void *id = c->id ? (const void *)c->id : c; // unloaded: no address of an object
    if (!hprof.options.binary || c->written == id)
        return;
    c->written = id;
    const void *name = string_id(c->name);
    record_begin(TAG_LOAD_CLASS);
    put_u4(c->serial);
    put_id(id);
    put_u4(0);
    put_id(name);
    record_end();
}

void write_class_end(ClassName *c)
{
    if (!hprof.options.binary || !c->written)
        return;
    record_begin(TAG_UNLOAD_CLASS);
    put_u4(c->serial);
    record_end();
}

void write_thread(const ThreadName *t)
{
    ASSERT_LOCKED();
    if (!hprof.options.binary) {
        print("THREAD START (obj=%llx, id = %u, name=\"%s\", group=\"%s\")\n",
              (unsigned long long)(uintptr_t)t->object, t->serial, t->name, t->group);
        return;
    }
    const void *name = string_id(t->name), *group = string_id(t->group),
               *parent = string_id(t->parent);
    record_begin(TAG_START_THREAD);
    put_u4(t->serial);
    put_id(t->object);
    put_u4(0);
    put_id(name);
    put_id(group);
    put_id(parent);
    record_end();
}

void write_thread_end(const ThreadName *t)
{
    if (!hprof.options.binary) {
        print("THREAD END (id = %u)\n", t->serial);
        return;
    }
    record_begin(TAG_END_THREAD);
    put_u4(t->serial);
    record_end();
}

// ---- traces ----
static void print_frame(const TraceFrame *f)
{
    if (!f->method) {
        print("\t<unknown>\n");
        return;
    }
    const ClassName *c = f->method->cls;
    print("\t%s.%s(%s", c->name, f->method->name, c->source ? c->source : "<Unknown>");
    if (f->line == -3)
        print(":Native method)\n");
    else if (f->line > 0)
        print(":%d)\n", (int)f->line);
    else
        print(hprof.options.line_numbers ? ":Unknown line)\n" : ")\n");
}

static const void *frame_id(const TraceFrame *f)
{
    uintptr_t key = ((uintptr_t)f->method ^ (uintptr_t)(uint32_t)f->line << 32) | 2;
    Frame *first = map_get(&frame_ids, key);
    for (Frame *known = first; known; known = known->next)
        if (known->frame.method == f->method && known->frame.line == f->line)
            return known;
    Frame *made = must_alloc(sizeof *made);
    *made = (Frame){first, *f};
    map_put(&frame_ids, key, made, 0);
    const MethodName *m = f->method;
    if (m)
        write_class(m->cls);
    const void *name = string_id(m ? m->name : "<unknown>");
    const void *signature = string_id(m ? m->signature : "()V");
    const void *source = m && m->cls->source ? string_id(m->cls->source) : NULL;
    record_begin(TAG_FRAME);
    put_id(made);
    put_id(name);
    put_id(signature);
    put_id(source);
    put_u4(m ? m->cls->serial : 0);
    put_u4((uint32_t)f->line);
    record_end();
    return made;
}

static void write_trace_record(const Trace *t)
{
    assert(t->count <= DEPTH_MAX);
    const void *ids[DEPTH_MAX];
    for (int i = 0; i < t->count; i++)
        ids[i] = frame_id(&t->frames[i]);
    record_begin(TAG_TRACE);
    put_u4(t->serial);
    put_u4(t->thread);
    put_u4((uint32_t)t->count);
    for (int i = 0; i < t->count; i++)
        put_id(ids[i]);
    record_end();
}

void write_trace(Trace *t)
{
    ASSERT_LOCKED();
    assert(t->serial > 0);
    if (t->written)
        return;
    t->written = true;
    if (hprof.options.binary) {
        write_trace_record(t);
        return;
    }
    print("TRACE %u:", t->serial);
    if (t->thread)
        print(" (thread=%u)", t->thread);
    print("\n");
    for (int i = 0; i < t->count; i++)
        print_frame(&t->frames[i]);
    if (t->count == 0)
        print("\t<empty>\n");
}

void print_method(const Trace *t)
{
    const MethodName *m = t->count ? t->frames[0].method : NULL;
    if (m)
        print("%s.%s\n", m->cls->name, m->name);
    else
        print("<empty>\n");
}
