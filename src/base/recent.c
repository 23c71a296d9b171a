// SPDX-License-Identifier: Apache-2.0
#include "base/recent.h"

#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/log.h"

// An entry is valid while its number is that of the event the reader looks for, before and after it
// has copied the entry: number and text belong together as in a sequence lock. An event whose entry
// is just being written, by one that the others have run round meanwhile, is lost.
enum { TEXT_WORDS = 64 };
typedef union Text {
    char chars[TEXT_WORDS * sizeof(uint64_t)];
    uint64_t words[TEXT_WORDS];
} Text;
typedef struct Entry {
    atomic_flag busy;
    _Atomic uint64_t number; // of the event, counted from 1; 0: none, or one being written
    _Atomic int64_t nanos;   // of uptime
    _Atomic int thread;
    _Atomic uint64_t text[TEXT_WORDS]; // of a Text
} Entry;

static const struct {
    const char *name, *title;
} logs[RECENT_LOGS] = {
#define RECENT_LOG(id, name, title) {name, title},
#include "spec/recent_logs.def"
#undef RECENT_LOG
};
static Entry *rings[RECENT_LOGS];
static _Atomic uint64_t added[RECENT_LOGS];
static size_t capacity;

void recent_init(size_t entries)
{
    for (int i = 0; i < RECENT_LOGS && entries > 0; i++)
        rings[i] = vm_calloc(entries, sizeof(Entry));
    capacity = entries;
}

static int thread_number(void)
{
    static _Thread_local int number;
    if (number == 0)
        number = (int)syscall(SYS_gettid);
    return number;
}

void recent_add(RecentLog log, const char *fmt, ...)
{
    if (capacity == 0)
        return;
    Text text;
    va_list args;
    va_start(args, fmt);
    vsnprintf(text.chars, sizeof text.chars, fmt, args);
    va_end(args);
    uint64_t number = atomic_fetch_add_explicit(&added[log], 1, memory_order_relaxed) + 1;
    Entry *e = &rings[log][number % capacity];
    if (atomic_flag_test_and_set_explicit(&e->busy, memory_order_acquire))
        return;
    atomic_store_explicit(&e->number, 0, memory_order_relaxed);
    atomic_thread_fence(memory_order_release); // what follows is not seen with the old number
    atomic_store_explicit(&e->nanos, log_uptime_nanos(), memory_order_relaxed);
    atomic_store_explicit(&e->thread, thread_number(), memory_order_relaxed);
    for (size_t i = 0; i <= strlen(text.chars) / sizeof *text.words; i++)
        atomic_store_explicit(&e->text[i], text.words[i], memory_order_relaxed);
    atomic_store_explicit(&e->number, number, memory_order_release); // pairs with recent_line
    atomic_flag_clear_explicit(&e->busy, memory_order_release);
}

const char *recent_name(RecentLog log)
{
    return logs[log].name;
}
const char *recent_title(RecentLog log)
{
    return logs[log].title;
}

size_t recent_count(RecentLog log)
{
    uint64_t n = atomic_load_explicit(&added[log], memory_order_relaxed);
    return n < capacity ? (size_t)n : capacity;
}

bool recent_line(RecentLog log, size_t i, char line[RECENT_LINE])
{
    uint64_t n = atomic_load_explicit(&added[log], memory_order_relaxed);
    uint64_t number = n < capacity ? i + 1 : n - capacity + i + 1;
    const Entry *e = &rings[log][number % capacity];
    if (atomic_load_explicit(&e->number, memory_order_acquire)
        != number) // pairs with recent_add
        return false;
    int64_t nanos = atomic_load_explicit(&e->nanos, memory_order_relaxed);
    int thread = atomic_load_explicit(&e->thread, memory_order_relaxed);
    Text text;
    for (size_t at = 0; at < TEXT_WORDS; at++)
        text.words[at] = atomic_load_explicit(&e->text[at], memory_order_relaxed);
    snprintf(line, RECENT_LINE, "Event: %.3f Thread %d %.*s", (double)nanos / 1e9, thread,
             (int)sizeof text.chars - 1, text.chars);
    atomic_thread_fence(memory_order_acquire); // the copy is read before the number is again
    return atomic_load_explicit(&e->number, memory_order_relaxed) == number;
}
