// SPDX-License-Identifier: Apache-2.0
// Rings of records: any thread writes, also in signal handlers; the agent's thread reads. One
// for each processor, so that writers seldom meet. A writer reserves its place by moving
// `head`, fills it, and stores the size last; the reader stops at a size of 0, and clears what
// it has read before it moves `tail`. So free memory is always zero.
#define _GNU_SOURCE
#include "agent.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { RING_BYTES = 2 << 20, RINGS_MAX = 16, ALIGN = 8, GOOD_PART = RING_BYTES / 8 };
#define IS_PADDING 0x80000000u // in a size

typedef struct Ring {
    _Alignas(64) _Atomic uint64_t head; // reserved up to here
    _Alignas(64) _Atomic uint64_t tail; // read up to here; positions only grow
    uint8_t *memory;
    _Atomic uint32_t writers; // that have seen the rings open
    _Atomic uint32_t lost[LENS_TYPES];
} Ring;

static Ring rings[RINGS_MAX];
static unsigned count;
static _Atomic bool is_open;

bool lens_rings_open(void)
{
    ASSERT_AGENT_THREAD();
    long processors = sysconf(_SC_NPROCESSORS_CONF);
    unsigned wanted = processors < 1           ? 1
                      : processors > RINGS_MAX ? RINGS_MAX
                                               : (unsigned)processors;
    for (; count < wanted; count++) {
        void *memory = mmap(NULL, RING_BYTES, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) {
            break;
        }
        rings[count].memory = memory;
    }
    atomic_store(&is_open, count > 0);
    return count > 0;
}

void lens_rings_idle(void)
{
    ASSERT_AGENT_THREAD();
    assert(!lens_orders_any());
    atomic_store(&is_open, false);
    for (unsigned i = 0; i < count; i++) {
        // Who counts itself from now on sees that they are closed.
        if (atomic_load(&rings[i].writers) == 0
            && atomic_load(&rings[i].head) == atomic_load(&rings[i].tail)) {
            madvise(rings[i].memory, RING_BYTES, MADV_DONTNEED);
        }
    }
}

unsigned lens_ring_count(void)
{
    return count;
}

// Rings are read one after the other. What is read as a series comes from one ring alone, so that it stays in the order of time.
static Ring *ring_for(unsigned type)
{
    int processor = type == LENS_METRICS || type == LENS_THREADS ? 0 : sched_getcpu();
    return &rings[processor < 0 ? 0 : (unsigned)processor % count];
}

static _Atomic uint32_t *size_at(Ring *ring, uint64_t position)
{
    return (_Atomic uint32_t *)(ring->memory + position % RING_BYTES);
}

// A place of `size` bytes in one piece; UINT64_MAX where there is no room.
static uint64_t reserve(Ring *ring, uint32_t size)
{
    assert(size % ALIGN == 0 && size < RING_BYTES);
    uint64_t at = atomic_load_explicit(&ring->head, memory_order_relaxed);
    for (;;) {
        uint32_t rest = (uint32_t)(RING_BYTES - at % RING_BYTES);
        uint32_t padding = rest < size ? rest : 0;
        // Pairs with the release in lens_ring_drain: the memory is clear.
        if (at + padding + size - atomic_load_explicit(&ring->tail, memory_order_acquire)
            > RING_BYTES) {
            uint64_t now = atomic_load_explicit(&ring->head, memory_order_relaxed);
            if (now == at) {
                return UINT64_MAX;
            }
            at = now; // others have written, and the reader has read past it
            continue;
        }
        if (atomic_compare_exchange_weak_explicit(&ring->head, &at, at + padding + size,
                                                  memory_order_relaxed, memory_order_relaxed)) {
            if (padding > 0) {
                atomic_store_explicit(size_at(ring, at), padding | IS_PADDING,
                                      memory_order_release);
            }
            return at + padding;
        }
    }
}

static bool write_into(Ring *ring, const LensRingRecord *head, const uint32_t *ids,
                       const void *bytes)
{
    assert(head->type < LENS_TYPES);
    uint32_t size = (uint32_t)(sizeof *head + head->ids_len * sizeof *ids + head->len);
    size = (size + ALIGN - 1) & ~(uint32_t)(ALIGN - 1);
    uint64_t at = reserve(ring, size);
    if (at == UINT64_MAX) {
        atomic_fetch_add_explicit(&ring->lost[head->type], 1, memory_order_relaxed);
        return false;
    }
    uint8_t *to = ring->memory + at % RING_BYTES;
    memcpy(to + sizeof head->size, (const uint8_t *)head + sizeof head->size,
           sizeof *head - sizeof head->size);
    if (head->ids_len > 0) {
        memcpy(to + sizeof *head, ids, head->ids_len * sizeof *ids);
    }
    memcpy(to + sizeof *head + head->ids_len * sizeof *ids, bytes, head->len);
    atomic_store_explicit((_Atomic uint32_t *)to, size,
                          memory_order_release); // pairs with the acquire in lens_ring_drain
    return true;
}

bool lens_ring_write(const LensRingRecord *head, const uint32_t *ids, const void *bytes)
{
    if (count == 0) {
        return false;
    }
    Ring *ring = ring_for(head->type);
    atomic_fetch_add(&ring->writers, 1);
    bool done = atomic_load(&is_open)
                && write_into(ring, head, ids, bytes); // pairs with lens_rings_idle
    atomic_fetch_sub(&ring->writers, 1);
    return done;
}

void lens_ring_lost(unsigned type)
{
    assert(type < LENS_TYPES);
    if (count > 0) {
        atomic_fetch_add_explicit(&ring_for(type)->lost[type], 1, memory_order_relaxed);
    }
}

bool lens_ring_drain(unsigned number, void (*each)(const LensRingRecord *record, void *data),
                     void *data)
{
    ASSERT_AGENT_THREAD();
    assert(number < count);
    Ring *ring = &rings[number];
    uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    uint64_t until = atomic_load_explicit(&ring->head, memory_order_relaxed), began = tail;
    assert(until - tail <= RING_BYTES);
    while (tail < until) {
        _Atomic uint32_t *place = size_at(ring, tail);
        uint32_t size = atomic_load_explicit(place, memory_order_acquire);
        if (size == 0) {
            break;
        }
        if ((size & IS_PADDING) == 0) {
            each((const LensRingRecord *)place, data);
        }
        size &= ~IS_PADDING;
        assert(size % ALIGN == 0 && tail + size <= until);
        memset((void *)place, 0, size);
        tail += size;
        atomic_store_explicit(&ring->tail, tail, memory_order_release);
    }
    return until - began > GOOD_PART;
}

uint32_t lens_ring_take_lost(unsigned number, unsigned type)
{
    ASSERT_AGENT_THREAD();
    assert(number < count && type < LENS_TYPES);
    return atomic_exchange_explicit(&rings[number].lost[type], 0, memory_order_relaxed);
}
