// SPDX-License-Identifier: Apache-2.0
// Subscribers and switches of the observable events. Both tables only grow: an entry is written
// first, the count that makes it visible after it, so that firing takes no lock. Subscribing is
// serialised by a spin flag, as it happens a few times in the life of a process.
#include "event/event.h"

enum {
    LISTENERS_MAX = 4,
    SWITCHES_MAX = 16
}; // Thread.tool_data has one place for each listener

_Atomic uint32_t event_wanted[EVENT_COUNT];

static EventListener listeners[LISTENERS_MAX];
static _Atomic uint32_t listener_count;
static EventSwitch switches[SWITCHES_MAX];
static _Atomic uint32_t switch_count;
static atomic_flag registering = ATOMIC_FLAG_INIT;

// The index of the next entry of a table of `max`, which register_end makes visible.
static uint32_t register_begin(const _Atomic uint32_t *count, uint32_t max)
{
    while (atomic_flag_test_and_set_explicit(&registering, memory_order_acquire))
        os_yield();
    uint32_t n = atomic_load_explicit(count, memory_order_relaxed);
    VM_CHECK(n < max);
    return n;
}

static void register_end(_Atomic uint32_t *count, uint32_t n)
{
    atomic_store_explicit(count, n + 1, memory_order_release);
    atomic_flag_clear_explicit(&registering, memory_order_release);
}

Mutex event_changes = MUTEX_INIT(RANK_EVENTS);

void event_subscribe(EventListener listener)
{
    uint32_t n = register_begin(&listener_count, LISTENERS_MAX);
    listeners[n] = listener;
    register_end(&listener_count, n);
}

void event_on_switch(EventSwitch hook)
{
    uint32_t n = register_begin(&switch_count, SWITCHES_MAX);
    switches[n] = hook;
    register_end(&switch_count, n);
}

void event_fire(Thread *self, EventId id, const void *payload)
{
    VM_ASSERT(locks_none_held());
    uint32_t n = atomic_load_explicit(&listener_count, memory_order_acquire);
    for (uint32_t i = 0; i < n; i++)
        listeners[i](self, id, payload);
}

void event_fire_entry(Thread *self, Method *m)
{
    event_fire(self, EVENT_METHOD_ENTRY, &(struct Event_METHOD_ENTRY){.method = m});
}

void event_fire_exit(Thread *self, Method *m, bool by_exception, jvalue result)
{
    event_fire(self, EVENT_METHOD_EXIT, &(struct Event_METHOD_EXIT){m, by_exception, result});
}

EventCalls event_calls = {event_fire_entry, event_fire_exit};

void event_want(EventId id, int delta)
{
    VM_ASSERT(id < EVENT_COUNT);
    VM_ASSERT(delta == 1 || delta == -1);
    uint32_t before = atomic_fetch_add(&event_wanted[id], (uint32_t)delta);
    uint32_t after = before + (uint32_t)delta;
    VM_CHECK(delta > 0 || before != 0);
    if ((before != 0) == (after != 0))
        return;
    uint32_t n = atomic_load_explicit(&switch_count, memory_order_acquire);
    for (uint32_t i = 0; i < n; i++)
        switches[i](id, event_is_wanted(id));
}
