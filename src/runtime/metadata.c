// SPDX-License-Identifier: Apache-2.0
// See metadata.h. The threshold starts at the option's value and, after each collection for it,
// leaves as much room as MinMetaspaceFreeRatio's default of 40 % says.
#include "runtime/metadata.h"

#include "base/log.h"
#include "runtime/java.h"

enum { BYTES_A_CLASS_BYTE = 3, FREE_PERCENT = 40 };

static _Atomic size_t native_bytes, set_aside, threshold;
static size_t first_threshold, max_bytes;

void metadata_set_limits(size_t first, size_t max)
{
    first_threshold = max ? MIN_OF(first, max) : first;
    max_bytes = max;
    atomic_store(&threshold, first_threshold);
}

void metadata_count(Class *c, size_t bytes)
{
    atomic_fetch_add_explicit(&c->native_bytes, bytes, memory_order_relaxed);
    atomic_fetch_add_explicit(&native_bytes, bytes, memory_order_relaxed);
}

void metadata_uncount(Class *c, size_t bytes)
{
    atomic_fetch_sub_explicit(&c->native_bytes, bytes, memory_order_relaxed);
    atomic_fetch_sub_explicit(&native_bytes, bytes, memory_order_relaxed);
}

void metadata_count_off(const Class *c)
{
    atomic_fetch_sub(&native_bytes, atomic_load(&c->native_bytes));
}

size_t metadata_of(const Class *c)
{
    size_t bytes = 0;
    for (; c; c = atomic_load(&c->array_class))
        bytes += sizeof *c + atomic_load(&c->native_bytes);
    return bytes;
}

void metadata_set_aside(size_t bytes)
{
    atomic_fetch_add(&set_aside, bytes);
}

void metadata_take_back(size_t bytes)
{
    atomic_fetch_sub(&set_aside, bytes);
}

size_t metadata_used(void)
{
    return class_space_used() + atomic_load(&native_bytes) - atomic_load(&set_aside);
}

size_t metadata_committed(void)
{
    return class_space_committed() + atomic_load(&native_bytes);
}

size_t metadata_max(void)
{
    return max_bytes;
}

size_t metadata_threshold(void)
{
    return atomic_load(&threshold);
}

size_t metadata_first_threshold(void)
{
    return first_threshold;
}

static bool fits(size_t need)
{
    return !max_bytes || metadata_used() + need <= max_bytes;
}

static void collect(Thread *self, GcCause cause)
{
    size_t before = metadata_used();
    heap_collect(self, cause, true);
    size_t after = metadata_used(), wanted = after / (100 - FREE_PERCENT) * 100;
    atomic_store(&threshold, MAX_OF(first_threshold, wanted));
    LOG(LOG_GC_METASPACE, LOG_INFO, "Metaspace: %zuK->%zuK, next collection at %zuK",
        before >> 10, after >> 10, atomic_load(&threshold) >> 10);
}

bool metadata_reserve(Thread *self, size_t bytes)
{
    size_t need = sizeof(Class) + bytes * BYTES_A_CLASS_BYTE;
    if (metadata_used() + need > atomic_load(&threshold))
        collect(self, GC_METADATA);
    if (LIKELY(fits(need)))
        return true;
    collect(self, GC_METADATA_LAST_DITCH);
    if (fits(need))
        return true;
    throw_out_of_memory(self, "Metaspace");
    return false;
}
