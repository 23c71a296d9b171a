// SPDX-License-Identifier: Apache-2.0
// See metadata.h. The next collection comes when what it could free has reached `wanted`, which is
// the option's value at first and after each collection leaves as much room as
// MinMetaspaceFreeRatio's default of 40 % says. Adding that up takes a walk over all classes, so it
// is done only when the metadata in all have reached `threshold`: earlier it can't be so much.
#include "class/metadata.h"

#include "base/log.h"
#include "class/image_map.h"
#include "class/loader.h"
#include "java/exception.h"

enum { BYTES_A_CLASS_BYTE = 2, FREE_PERCENT = 40, LEAST_STEP = 256 << 10 };

static _Atomic size_t native_bytes, set_aside, threshold, wanted;
static _Atomic size_t names_left; // bytes of names that a collection left, or fewer
static size_t first_threshold, max_bytes = SIZE_MAX;

void metadata_set_limits(size_t first, size_t max)
{
    first_threshold = MIN_OF(first, max);
    max_bytes = max;
    atomic_store(&threshold, first_threshold);
    atomic_store(&wanted, first_threshold);
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
    size_t used = metadata_used();
    return need <= max_bytes && used <= max_bytes - need;
}

void metadata_add_kinds(const Class *c, size_t bytes[METADATA_KINDS])
{
    bytes[METADATA_CLASS] += sizeof *c;
    size_t members = c->field_count * sizeof *c->fields + c->method_count * sizeof *c->methods;
    size_t pool = c->pool ? atomic_load(&c->pool->native_bytes) : 0;
    size_t all = atomic_load(&c->native_bytes); // after the pool's, which are a part of it
    if (c->pool) {
        const ClassFile *cf = c->cf;
        size_t file = image_map_contains(cf->bytes, cf->len) ? 0 : cf->len;
        bytes[METADATA_FILE] += file;
        bytes[METADATA_PARSED] += cf->arena.total - file;
        bytes[METADATA_POOL] += pool - cf->arena.total;
    }
    bytes[METADATA_MEMBERS] += members;
    bytes[METADATA_TABLES] += all - pool - members;
}

static void add_mortal(void *sum, Class *c)
{
    if (!class_loader_data(c)->immortal)
        *(size_t *)sum += sizeof *c + atomic_load(&c->native_bytes);
}

// Names that came since the last collection: any of them may be in no use any more. Those of classes
// that it found dead go some time after it.
static size_t new_names(void)
{
    size_t now = symbols_bytes().now;
    if (now < atomic_load(&names_left))
        atomic_store(&names_left, now);
    return now - MIN_OF(now, atomic_load(&names_left));
}

static size_t collectable(void)
{
    size_t bytes = 0;
    classes_each(add_mortal, &bytes);
    return bytes + new_names();
}

static void collect(Thread *self, GcCause cause)
{
    size_t before = metadata_used();
    heap_collect(self, cause, true);
    atomic_store(&names_left, symbols_bytes().now);
    atomic_store(&wanted, MAX_OF(first_threshold, collectable() / (100 - FREE_PERCENT) * 100));
    LOG(LOG_GC_METASPACE, LOG_INFO, "Metaspace: %zuK->%zuK", before >> 10,
        metadata_used() >> 10);
}

static void consider(Thread *self, size_t need)
{
    size_t there = collectable();
    if (there + need > atomic_load(&wanted)) {
        collect(self, GC_METADATA);
        there = collectable();
    }
    size_t goal = atomic_load(&wanted), room = goal > there ? goal - there : 0;
    atomic_store(&threshold, metadata_used() + new_names() + MAX_OF(room, (size_t)LEAST_STEP));
}

bool metadata_reserve(Thread *self, size_t bytes)
{
    ASSERT_MAY_GC(self);
    size_t need = sizeof(Class) + bytes * BYTES_A_CLASS_BYTE;
    if (symbols_have_started() // before, there is nothing that could be freed
        && metadata_used() + new_names() + need > atomic_load(&threshold))
        consider(self, need);
    if (LIKELY(fits(need)))
        return true;
    if (symbols_have_started()) {
        collect(self, GC_METADATA_LAST_DITCH);
        if (fits(need))
            return true;
    }
    throw_out_of_memory(self, "Metaspace");
    return false;
}
