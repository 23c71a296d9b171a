// SPDX-License-Identifier: Apache-2.0
// Cards of 512 bytes, and the crossing map: where the object starts that covers a card's first
// byte.
//
// Crossing entry of a card in old below old.top:
//   0..63     the object starts that many words before the card (0: exactly at it)
//   128+k     it starts earlier than the card 2^k before this one: look there
#include "heap/heap_internal.h"

enum { CARD_BYTES = 1 << CARD_SHIFT, CROSSING_SKIP = 128 };

static size_t card_index(const char *p)
{
    return ((uintptr_t)p - heap_start) >> CARD_SHIFT;
}

static char *card_start(size_t index)
{
    return (char *)heap_start + (index << CARD_SHIFT);
}

void crossing_record_slow(char *start, char *end)
{
    VM_ASSERT(start >= heap.old.start && end <= heap.old.end && start < end);
    size_t first = card_index(start + CARD_BYTES - 1), last = card_index(end - 1),
           more = last - first;
    uint8_t *entry = &heap_crossing[first];
    *entry = (uint8_t)((card_start(first) - start) / OBJECT_ALIGN);
    for (size_t k = 1, log = 0; k <= more; k <<= 1, log++)
        memset(entry + k, (int)(CROSSING_SKIP + log), MIN_OF(k, more - k + 1));
}

Object *crossing_find(char *start)
{
    VM_ASSERT((uintptr_t)start % (1u << CARD_SHIFT) == 0 && start < heap.old.top);
    size_t card = card_index(start);
    uint8_t entry;
    while ((entry = heap_crossing[card]) >= CROSSING_SKIP)
        card -= (size_t)1 << (entry - CROSSING_SKIP);
    return (Object *)(card_start(card) - (size_t)entry * OBJECT_ALIGN);
}

void cards_clear(char *from, char *to)
{
    if (from >= to)
        return;
    cards_set(from, to, CARD_CLEAN);
}

void heap_expect_stores(Object *o)
{
    NO_GC_SCOPE();
    if ((char *)o >= heap.old.end)
        return;
    cards_set((char *)o, (char *)o + object_size(o), CARD_DIRTY);
}

// The first card in [card, end) that is not clean; end if there is none.
static uint8_t *next_dirty(uint8_t *card, uint8_t *end)
{
    while (card < end && ((uintptr_t)card & 7) != 0) {
        if (*card != CARD_CLEAN)
            return card;
        card++;
    }
    for (; end - card >= 8; card += 8) {
        uint64_t eight;
        memcpy(&eight, card, sizeof eight);
        if (eight != 0)
            break;
    }
    while (card < end && *card == CARD_CLEAN)
        card++;
    return card;
}

void cards_take_dirty(char *from, char *to, void (*scan)(char *lo, char *hi))
{
    VM_ASSERT(from <= to);
    if (from >= to)
        return;
    uint8_t *card = heap_card(from);
    uint8_t *end = heap_card(to - 1) + 1;
    while ((card = next_dirty(card, end)) < end) {
        uint8_t *run = card;
        while (card < end && *card != CARD_CLEAN)
            *card++ = CARD_CLEAN;
        char *lo = (char *)(((uintptr_t)run - card_base) << CARD_SHIFT);
        char *hi = (char *)(((uintptr_t)card - card_base) << CARD_SHIFT);
        scan(lo < from ? from : lo, MIN_OF(hi, to));
    }
}
