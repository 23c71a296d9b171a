// SPDX-License-Identifier: Apache-2.0
// src/base: arena, arrays, maps, strings, modified UTF-8, log configuration, recent events, lists of
// commands.
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/block_pool.h"
#include "base/command_list.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/mutf8.h"
#include "base/recent.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "platform/fault.h"
#include "vmtest.h"

TEST(arena_is_zeroed_and_aligned)
{
    Arena a = {0};
    for (size_t i = 0; i < 2000; i++) {
        size_t size = i * 37 % 513 + (i % 100 == 0 ? 40000 : 0);
        uint8_t *p = arena_alloc(&a, size);
        EXPECT_INT(0, (uintptr_t)p % 8);
        for (size_t j = 0; j < size; j++) {
            if (p[j] != 0) {
                EXPECT_INT(0, p[j]);
                break;
            }
        }
        memset(p, 0xAA, size);
    }
    EXPECT(a.total > 800000);
    arena_free(&a);
    EXPECT(a.blocks == NULL && a.total == 0);
}

TEST(vec_grows)
{
    VEC(int) v = {0};
    for (int i = 0; i < 1000; i++)
        vec_push(&v, i * 3);
    EXPECT_INT(1000, v.len);
    for (int i = 0; i < 1000; i++)
        EXPECT_INT(i * 3, v.at[i]);
    vec_free(&v);
    EXPECT(v.at == NULL);
}

// The maps against a plain array, over a deterministic sequence of operations.
TEST(ptrmap_agrees_with_an_array)
{
    enum { KEYS = 500 };
    static void *model[KEYS + 1];
    PtrMap m = {0};
    uint32_t seed = 12345;
    for (int step = 0; step < 200000; step++) {
        seed = seed * 1664525 + 1013904223;
        uintptr_t key = 1 + (seed >> 8) % KEYS;
        if (seed & 1u << 30) {
            void *value = (void *)(uintptr_t)(seed | 1);
            ptrmap_put(&m, key * 64, value);
            model[key] = value;
        } else {
            EXPECT(ptrmap_remove(&m, key * 64) == model[key]);
            model[key] = NULL;
        }
    }
    size_t live = 0, seen = 0;
    for (uintptr_t key = 1; key <= KEYS; key++) {
        EXPECT(ptrmap_get(&m, key * 64) == model[key]);
        live += model[key] != NULL;
    }
    uintptr_t key;
    void *value;
    for (size_t i = 0; ptrmap_next(&m, &i, &key, &value); seen++)
        EXPECT(model[key / 64] == value);
    EXPECT_INT(live, m.len);
    EXPECT_INT(live, seen);
    ptrmap_free(&m);
    EXPECT(ptrmap_get(&m, 64) == NULL);
}

TEST(strmap_agrees_with_an_array)
{
    enum { KEYS = 300 };
    static void *model[KEYS];
    StrMap m = {0};
    uint32_t seed = 99;
    char name[32];
    for (int step = 0; step < 100000; step++) {
        seed = seed * 1664525 + 1013904223;
        uint32_t key = (seed >> 8) % KEYS;
        snprintf(name, sizeof(name), "java/lang/K%u", key);
        if (seed & 1u << 30) {
            model[key] = (void *)(uintptr_t)(seed | 1);
            strmap_put(&m, name, model[key]);
        } else {
            EXPECT(strmap_remove(&m, name) == model[key]);
            model[key] = NULL;
        }
    }
    for (uint32_t key = 0; key < KEYS; key++) {
        snprintf(name, sizeof(name), "java/lang/K%u", key);
        EXPECT(strmap_get(&m, name) == model[key]);
    }
    strmap_put_n(&m, "a\0b", 3, name);
    EXPECT(strmap_get_n(&m, "a\0b", 3) == name);
    EXPECT(strmap_get(&m, "a") == NULL);
    strmap_free(&m);
}

TEST(strbuf_formats)
{
    StrBuf sb = {0};
    sb_add(&sb, "a");
    sb_printf(&sb, "%d-%s", 42, "xyz");
    sb_putc(&sb, '!');
    EXPECT_STR("a42-xyz!", sb.s);
    EXPECT_INT(8, sb.len);
    for (int i = 0; i < 1000; i++)
        sb_printf(&sb, "%04d", i);
    EXPECT_INT(4008, sb.len);
    EXPECT_STR("0999", sb.s + 4004);
    sb_free(&sb);
}

TEST(mutf8_round_trip_of_every_unit)
{
    for (uint32_t u = 0; u <= 0xFFFF; u++) {
        uint16_t unit = (uint16_t)u, back = 0xDEAD;
        char text[3];
        size_t len = mutf8_from_utf16(&unit, 1, text);
        EXPECT_INT(mutf8_length_of_utf16(&unit, 1), len);
        EXPECT(mutf8_is_valid((uint8_t *)text, len));
        bool latin1;
        EXPECT_INT(1, mutf8_utf16_length((uint8_t *)text, len, &latin1));
        EXPECT_INT(u <= 0xFF, latin1);
        mutf8_to_utf16((uint8_t *)text, len, &back);
        EXPECT_INT(u, back);
        if (latin1) {
            uint8_t byte = 0;
            mutf8_to_latin1((uint8_t *)text, len, &byte);
            EXPECT_INT(u, byte);
            EXPECT_INT(len, mutf8_length_of_latin1(&byte, 1));
        }
    }
}

TEST(mutf8_rejects_what_a_class_file_may_not_hold)
{
    static const struct {
        const char *bytes;
        size_t len;
        bool valid;
    } cases[] = {
        {"", 0, true},
        {"abc", 3, true},
        {"a\0b", 3, false},
        {"\xC0\x80", 2, true},
        {"\xC1\x80", 2, false},
        {"\xC3\xA9", 2, true},
        {"\xC3", 1, false},
        {"\xC3\x29", 2, false},
        {"\xE2\x82", 2, false},
        {"\xE2\x82\xAC", 3, true},
        {"\xE0\x80\x80", 3, false},
        {"\x80", 1, false},
        {"\xF0\x9F\x98\x80", 4, false},
        {"\xED\xA0\xBD\xED\xB8\x80", 6, true},
        {"\xFF", 1, false},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        EXPECT_MSG(mutf8_is_valid((const uint8_t *)cases[i].bytes, cases[i].len)
                       == cases[i].valid,
                   "case %zu", i);
        uint16_t units[8];
        size_t n = mutf8_utf16_length((const uint8_t *)cases[i].bytes, cases[i].len, NULL);
        EXPECT(n <= cases[i].len);
        mutf8_to_utf16((const uint8_t *)cases[i].bytes, cases[i].len, units);
    }
}

// Runs `body` in a child with stdout in a file and gives what it wrote there.
static char *output_of(void (*body)(void))
{
    char path[] = "/tmp/pellucid_test_XXXXXX";
    int fd = mkstemp(path);
    static char text[4096];
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(fd, 1);
        body();
        fflush(stdout);
        _exit(0);
    }
    waitpid(pid, NULL, 0);
    ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
    text[n < 0 ? 0 : n] = '\0';
    close(fd);
    unlink(path);
    return text;
}

static char log_error[256];

static void write_each(void)
{
    LOG(LOG_GC, LOG_INFO, "gc info");
    LOG(LOG_GC, LOG_DEBUG, "gc debug");
    LOG(LOG_GC_HEAP, LOG_INFO, "heap %d", 7);
    LOG(LOG_GC_HEAP, LOG_DEBUG, "heap debug");
    LOG(LOG_CLASS_LOAD, LOG_INFO, "class");
    LOG(LOG_JVMTI, LOG_WARNING, "warn");
}

static const char *tried_spec;
static void try_spec(void)
{
    if (log_configure(tried_spec, log_error, sizeof(log_error)))
        write_each();
    else
        printf("%s\n", log_error);
}

TEST(log_selections)
{
    static const struct {
        const char *spec, *expected;
    } cases[] = {
        {":gc::none", "gc info\nwarn\n"},
        {":gc*::none", "gc info\nheap 7\nwarn\n"},
        {":gc*=debug::none", "gc info\ngc debug\nheap 7\nheap debug\nwarn\n"},
        {":heap+gc::none", "heap 7\nwarn\n"},
        {":heap*,gc=debug::none", "gc info\ngc debug\nheap 7\nwarn\n"},
        {":all::none", "gc info\nheap 7\nclass\nwarn\n"},
        {":all=off::none", ""},
        {":gc*,gc+heap=off::none", "gc info\nwarn\n"},
        {":disable", ""},
        {":class+load:stdout:level,tags",
         "[info][class,load] class\n[warning][jvmti     ] warn\n"},
        {":codecache::none", "warn\n"},
        {":foo", "Invalid tag 'foo' in log selection.\n"},
        {":gc=bar", "Invalid level 'bar' in log selection.\n"},
        {":gc::bad", "Invalid decorator 'bad'.\n"},
        {":gc+gc", "Log selection contains duplicates of tag gc.\n"},
        {":gc:file=/nonexistent/x",
         "Error opening log file '/nonexistent/x': No such file or directory\n"
         "Initialization of output 'file=/nonexistent/x' using options '(null)' failed.\n"},
        {":gc:file=/tmp/x.log::bad=1",
         "Invalid option 'bad' for log file output.\n"
         "Initialization of output 'file=/tmp/x.log' using options 'bad=1' failed.\n"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        tried_spec = cases[i].spec;
        const char *got = output_of(try_spec);
        for (const char *e; (e = strstr(got, "[error][logging] "))
                            != NULL;) // told in the log as well, with a time
            got = strchr(e, '\n') + 1;
        EXPECT_MSG(strcmp(got, cases[i].expected) == 0, "%s gives: %s", cases[i].spec, got);
    }
}

static void default_decorations(void)
{
    log_configure(":gc", log_error, sizeof(log_error));
    LOG(LOG_GC, LOG_INFO, "x");
}

TEST(log_default_decorations)
{
    double seconds;
    char rest[32];
    EXPECT_INT(2, sscanf(output_of(default_decorations), "[%lfs]%31s x", &seconds, rest));
    EXPECT_STR("[info][gc]", rest);
}

// ---- recent events ----

static void *add_many(void *number)
{
    char digit = *(const char *)number;
    for (int i = 0; i < 50000; i++)
        recent_add(RECENT_LOADED, "%.*s", 1 + i % 300, (const char[300]){[0 ... 299] = digit});
    return NULL;
}

// Every line that is read whole is one event's.
static void read_while_added(void)
{
    char line[RECENT_LINE];
    for (int n = 0; n < 20000; n++) {
        if (!recent_line(RECENT_LOADED, (size_t)n % recent_count(RECENT_LOADED), line))
            continue;
        const char *text = strchr(strstr(line, "Thread ") + 7, ' ') + 1;
        if (strspn(text, (const char[]){*text, '\0'}) != strlen(text))
            EXPECT_STR("one event", text);
    }
}

TEST(recent_events)
{
    char line[RECENT_LINE], text[32];
    recent_add(RECENT_GC, "before there is a ring");
    recent_init(4);
    EXPECT_INT(0, recent_count(RECENT_GC));
    for (int i = 0; i < 10; i++)
        recent_add(RECENT_GC, "event %d", i);
    EXPECT_INT(4, recent_count(RECENT_GC));
    for (int i = 0; i < 4; i++) {
        snprintf(text, sizeof text, " event %d", i + 6);
        EXPECT(recent_line(RECENT_GC, (size_t)i, line) && strstr(line, text)
               && strncmp(line, "Event: ", 7) == 0);
    }
    recent_add(RECENT_LOADED, "0");
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, add_many, (void *)(uintptr_t) & "abc"[i]);
    read_while_added();
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    EXPECT_INT(4, recent_count(RECENT_LOADED));
}

TEST(lists_of_commands)
{
    char command[16], process[16];
    const char *list = " one %% ;; %p;\tlast one is cut";
    snprintf(process, sizeof process, "%d", (int)getpid());
    EXPECT(command_list_next(&list, command, sizeof command));
    EXPECT_STR("one % ", command);
    EXPECT(command_list_next(&list, command, sizeof command));
    EXPECT_STR(process, command);
    EXPECT(command_list_next(&list, command, sizeof command));
    EXPECT_STR("\tlast one is cu", command);
    EXPECT(!command_list_next(&list, command, sizeof command));
}

// ---- attempts ----

#ifdef PELLUCID_FAULTS
static void expect_numbers(const int *at, size_t count)
{
    for (size_t i = 0; i < count; i++)
        EXPECT_INT((int)i, at[i]);
}

// Without memory what is allocated in a pause comes from the spare; it grows and is freed as any other, also when there is memory again.
TEST(a_pause_has_a_spare)
{
    enum { COUNT = 1000 };
    VEC(int) before = {0}, v = {0};
    for (int i = 0; i < COUNT; i++)
        vec_push(&before, i);
    EXPECT(attempt_is_possible());
    fault_arm(FAULT_MEMORY, 1, true);
    attempt_pause();
    char *zeroed = vm_calloc(3, 50), *text = vm_asprintf("%d %s", 17, "texts");
    for (int i = 0; i < COUNT; i++)
        vec_push(&v, i);
    for (int i = COUNT; i < 2 * COUNT; i++)
        vec_push(&before, i);
    attempt_resume();
    EXPECT(!attempt_is_possible());
    fault_arm(FAULT_MEMORY, 0, false);
    EXPECT(attempt_is_possible());
    EXPECT_STR("17 texts", text);
    for (int i = 0; i < 150; i++)
        EXPECT_INT(0, zeroed[i]);
    for (int i = COUNT; i < 100 * COUNT; i++)
        vec_push(&v, i);
    expect_numbers(v.at, v.len);
    expect_numbers(before.at, before.len);
    vec_free(&v);
    vec_free(&before);
    vm_free(zeroed);
    vm_free(text);
}
#endif

static void *kept;

// Of each kind some: what is freed, grows, stays.
static void take_memory(void *rounds)
{
    Arena arena = {0};
    VEC(int) v = {0};
    for (int i = 0; i < *(const int *)rounds; i++) {
        vm_free(vm_malloc(8));
        (void)arena_alloc(&arena, i % 2 ? 3000 : POOL_LARGEST + 1);
        vec_push(&v, i);
    }
    attempt_pause();
    if (!kept)
        kept = vm_malloc(1);
    attempt_resume();
    vm_free(attempt_result(8));
    VM_CHECK(*(const int *)rounds != 7);
    vec_free(&v);
    arena_free(&arena);
}

TEST(an_attempt_ends)
{
    int rounds = 200;
    EXPECT_INT(ATTEMPT_DONE, attempt(take_memory, &rounds));
    EXPECT(kept);
#ifdef PELLUCID_FAULTS
    AttemptEnd end = ATTEMPT_NO_MEMORY;
    for (uint64_t n = 1; end == ATTEMPT_NO_MEMORY;
         n++) { // each allocation, those of the attempt itself too
        fault_arm(FAULT_MEMORY, n, n % 2);
        end = attempt(take_memory, &rounds);
        fault_arm(FAULT_MEMORY, 0, false);
        EXPECT(end == ATTEMPT_NO_MEMORY || n > 100);
    }
#endif
#ifndef PELLUCID_DEBUG
    rounds = 7;
    EXPECT_INT(ATTEMPT_FAILED, attempt(take_memory, &rounds));
    rounds = 1;
    EXPECT_INT(ATTEMPT_DONE, attempt(take_memory, &rounds));
#endif
    vm_free(kept);
}

static void make_results(void *out)
{
    VEC(char) v = {0};
    for (int i = 0; i < 3 * POOL_LARGEST; i++) // leaves the pool on its way
        vec_push(&v, (char)i);
    for (int i = 0; i < 3 * POOL_LARGEST; i++)
        EXPECT(v.at[i] == (char)i);
    vec_free(&v);
    char **results = out;
    results[0] = attempt_result(100);
    results[1] = attempt_result(POOL_LARGEST + 100);
}

TEST(results_outlive_their_attempt)
{
    char *results[2];
    EXPECT_INT(ATTEMPT_DONE, attempt(make_results, (void *)results));
    for (int i = 0; i < 100; i++)
        EXPECT(results[0][i] == 0 && results[1][POOL_LARGEST + i] == 0);
    vm_free(results[0]);
    vm_free(results[1]);
}

#if BLOCK_POOL_HAS_BLOCKS
typedef struct Held {
    unsigned char *at;
    size_t size;
    unsigned char with;
} Held;

static void fill(Held *h, unsigned n)
{
    h->with = (unsigned char)n;
    memset(h->at, h->with, h->size);
}

static void expect_filled(const Held *h, size_t size)
{
    for (size_t i = 0; i < size; i++)
        EXPECT_INT(h->with, h->at[i]);
}

// Blocks keep what is written to them while others come, grow and go in any order.
TEST(block_pool_agrees_with_blocks)
{
    enum { MOST = 64 };
    BlockPool pool = {0};
    Held held[MOST] = {0};
    unsigned random = 1;
    for (unsigned n = 0; n < 20000; n++) {
        random = random * 1103515245u + 12345u;
        Held *h = &held[random >> 16 & (MOST - 1)];
        size_t size = (random >> 8 & 15) ? random % 600 : random % POOL_LARGEST;
        if (!h->at && (h->at = block_pool_alloc(&pool, size))) {
            EXPECT((uintptr_t)h->at % 16 == 0 && block_pool_has(&pool, h->at)
                   && block_pool_size(h->at) >= size);
            h->size = size;
            fill(h, n);
        } else if (h->at && n % 3 == 0 && block_pool_resize(&pool, h->at, size)) {
            expect_filled(h, MIN_OF(size, h->size));
            h->size = size;
            fill(h, n);
        } else if (h->at) {
            expect_filled(h, h->size);
            block_pool_free(&pool, h->at);
            h->at = NULL;
        }
    }
    for (int i = 0; i < MOST; i++)
        if (held[i].at)
            block_pool_free(&pool, held[i].at);
    EXPECT(block_pool_is_empty(&pool) && pool.count == 1);
    block_pool_end(&pool);
}

TEST(block_pool_has_its_limits)
{
    BlockPool pool = {0};
    EXPECT(!block_pool_alloc(&pool, POOL_LARGEST + 1));
    char *last = NULL;
    size_t count = 0;
    for (char *p; (p = block_pool_alloc(&pool, POOL_LARGEST)); count++)
        last = p;
    EXPECT(count == (POOL_CHUNK / POOL_LARGEST - 1) * POOL_CHUNKS);
    EXPECT(!block_pool_resize(&pool, last, POOL_LARGEST + 1)
           && block_pool_resize(&pool, last, 1));
    EXPECT(!block_pool_is_empty(&pool) && !block_pool_has(&pool, &pool));
    block_pool_end(&pool);
    EXPECT_INT(0, (int)pool.count);
}
#endif
