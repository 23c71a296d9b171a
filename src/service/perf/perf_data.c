// SPDX-License-Identifier: Apache-2.0
// The region of performance data: its layout, adding counters, walking them (see perf_data.h).
// Its file is made and removed in perf_file.c, its counters are sampled in perf_sample.c. `lock`
// guards the layout; values are plain aligned longs.
#include "service/perf/perf_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "options/options.h"
#include "platform/platform.h"
#include "service/perf/perf_file.h"

typedef struct Prologue {
    uint8_t magic[4];                             // ca fe c0 c0
    uint8_t byte_order, major, minor, accessible; // byte_order 1: little endian
    int32_t used, overflow;                       // bytes
    int64_t modified;                             // os_nanos() of the last change of the layout
    int32_t entry_offset, entry_count;
} Prologue;
typedef struct Entry {
    int32_t length, name_offset; // bytes from the entry's begin
    int32_t vector_length;       // 0: a single value
    uint8_t type;                // as in descriptors: 'J' or 'B'
    uint8_t flags, units, variability;
    int32_t data_offset;
} Entry;
_Static_assert(sizeof(Prologue) == 32 && sizeof(Entry) == 20, "the layout of format 2.0");
enum { FLAG_SUPPORTED = 1 }; // names a documented interface: java.* and com.sun.*

static Mutex lock = MUTEX_INIT(RANK_LOG);
static char *region; // begins with its Prologue
static size_t region_size;

void perf_data_init(void)
{
    region_size = ALIGN_UP((size_t)vm_options.perf_data_size, os_page_size());
    if (vm_options.use_perf_data && !vm_options.perf_private)
        region = perf_file_create(region_size);
    if (!region)
        region = vm_calloc(1, region_size);
    *(Prologue *)(void *)region = (Prologue){.magic = {0xca, 0xfe, 0xc0, 0xc0},
                                             .byte_order = 1,
                                             .major = 2,
                                             .used = (int32_t)sizeof(Prologue),
                                             .modified = os_nanos(),
                                             .entry_offset = (int32_t)sizeof(Prologue)};
    atomic_thread_fence(memory_order_seq_cst);
    ((Prologue *)(void *)region)->accessible = 1;
}

// ---- adding ----

static Entry *first_entry(void)
{
    return (Entry *)(void *)(region + sizeof(Prologue));
}

static Entry *entry_after(const Entry *e)
{
    return (Entry *)(void *)((char *)(uintptr_t)e + e->length);
}

static const char *entry_name(const Entry *e)
{
    return (const char *)e + e->name_offset;
}

static bool name_exists(const Prologue *p, const char *name)
{
    const Entry *e = first_entry();
    for (int i = 0; i < p->entry_count; i++, e = entry_after(e))
        if (strcmp(entry_name(e), name) == 0)
            return true;
    return false;
}

static bool is_supported(const char *name)
{
    return strncmp(name, "java.", 5) == 0 || strncmp(name, "com.sun.", 8) == 0;
}

// Room for a counter, its value still zero. NULL when the name exists. A region that is full
// says by how much; what does not fit lives in C memory. lock is held.
static void *add(const char *name, char type, PerfUnits units, PerfVariability variability,
                 size_t size)
{
    ASSERT_HELD(&lock);
    Prologue *p = (Prologue *)(void *)region;
    if (name_exists(p, name))
        return NULL;
    size_t data = sizeof(Entry) + strlen(name) + 1;
    data = type == 'J' ? ALIGN_UP(data, 8) : data;
    size_t length = ALIGN_UP(data + size, 8);
    if ((size_t)p->used + length > region_size) {
        p->overflow += (int32_t)length;
        return vm_calloc(1, size);
    }
    Entry *e = (Entry *)(void *)(region + p->used);
    *e = (Entry){.length = (int32_t)length,
                 .name_offset = (int32_t)sizeof(Entry),
                 .vector_length = type == 'J' ? 0 : (int32_t)size,
                 .type = (uint8_t)type,
                 .flags = is_supported(name) ? FLAG_SUPPORTED : 0,
                 .units = (uint8_t)units,
                 .variability = (uint8_t)variability,
                 .data_offset = (int32_t)data};
    strcpy((char *)(e + 1), name);
    return (char *)e + data;
}

// Readers see a counter with its value. lock is held.
static void publish(const void *value)
{
    ASSERT_HELD(&lock);
    Prologue *p = (Prologue *)(void *)region;
    if ((const char *)value < region || (const char *)value >= region + region_size)
        return;
    const Entry *e = (Entry *)(void *)(region + p->used);
    p->used += e->length;
    atomic_thread_fence(memory_order_seq_cst);
    p->entry_count++;
    p->modified = os_nanos();
}

int64_t *perf_add_long(const char *name, PerfUnits units, PerfVariability variability,
                       int64_t value)
{
    mutex_lock(&lock);
    int64_t *at = add(name, 'J', units, variability, sizeof value);
    if (at) {
        *at = value;
        publish(at);
    }
    mutex_unlock(&lock);
    return at;
}

char *perf_add_bytes(const char *name, PerfUnits units, PerfVariability variability,
                     const void *value, size_t len, size_t size)
{
    mutex_lock(&lock);
    char *at = add(name, 'B', units, variability, size);
    if (at) {
        memcpy(at, value, MIN_OF(len, size));
        publish(at);
    }
    mutex_unlock(&lock);
    return at;
}

char *perf_add_text(const char *name, PerfVariability variability, const char *value,
                    size_t max)
{
    size_t len = strlen(value), size = max ? max : len + 1;
    return perf_add_bytes(name, PERF_STRING, variability, value, MIN_OF(len, size - 1), size);
}

// ---- reading ----

void perf_each(void (*visit)(void *ctx, const char *name, int64_t value, const char *text),
               void *ctx)
{
    mutex_lock(&lock);
    int count = ((const Prologue *)(const void *)region)->entry_count;
    mutex_unlock(&lock);
    const Entry *e = first_entry();
    for (int i = 0; i < count; i++, e = entry_after(e)) {
        const void *data = (const char *)e + e->data_offset;
        visit(ctx, entry_name(e), e->type == 'J' ? *(const int64_t *)data : 0,
              e->type == 'J' ? NULL : data);
    }
}
