// SPDX-License-Identifier: Apache-2.0
// The one list of what can be observed (spec/events.def), its switches, and the way to
// subscribers. Core code says `event_post(self, METHOD_ENTRY, .method = m)` and knows nobody
// who listens; a tool interface is a subscriber. When nobody wants an event the cost is at most
// one relaxed load and branch; the engine watches the switches (event_on_switch) and changes
// its handler tables instead where even that would be too much.
#ifndef EVENT_EVENT_H
#define EVENT_EVENT_H

#include <jni.h>

#include "base/common.h"
#include "platform/platform.h"

typedef enum EventId {
#define EVENT(id, fields) EVENT_##id,
#include "spec/events.def"
#undef EVENT
    EVENT_COUNT
} EventId;

#define F(type, name) type name;
#define EVENT(id, fields) \
    struct Event_##id {   \
        fields            \
    };
#include "spec/events.def"
#undef EVENT
#undef F

extern _Atomic uint32_t event_wanted[EVENT_COUNT]; // number of subscribers that want it

static inline bool event_is_wanted(EventId id)
{
    return atomic_load_explicit(&event_wanted[id], memory_order_relaxed) != 0;
}
#define event_on(id) UNLIKELY(event_is_wanted(EVENT_##id))
#define event_post(self, id, ...)                                            \
    do {                                                                     \
        if (event_on(id))                                                    \
            event_fire(self, EVENT_##id, &(struct Event_##id){__VA_ARGS__}); \
    } while (0)

// Calls every subscriber in order of subscription. Asserts that no VM lock is held. MAY_GC
// unless the event says otherwise. `self` may be NULL only for events of the early start.
MAY_GC void event_fire(Thread *self, EventId id, const void *payload);

// How METHOD_ENTRY and METHOD_EXIT are posted where calls_post (interp.h) says so: by event_fire, or by functions of the subscriber
// that has a shorter way to a single receiver and itself gives to event_fire what cannot go it. Set before there are threads.
typedef struct EventCalls {
    void (*entry)(Thread *self, Method *m);
    void (*exit)(Thread *self, Method *m, bool by_exception, jvalue result);
} EventCalls;
extern EventCalls event_calls;
MAY_GC void event_fire_entry(Thread *self, Method *m);
MAY_GC void event_fire_exit(Thread *self, Method *m, bool by_exception, jvalue result);

// A subscriber: one function for all events. Registered once, for the life of the process.
typedef void (*EventListener)(Thread *self, EventId id, const void *payload);
void event_subscribe(EventListener listener);
// One more (+1) or one less (-1) wants the event. Thread-safe. Runs the switch hooks when it
// goes on or off.
void event_want(EventId id, int delta);
// A tool interface that finds anew what its agents want, and calls event_want for what differs,
// holds this meanwhile (thread_lock: the world may be stopped by a hook). So a change is in
// force when the agent's call returns, whatever else changes at the time.
extern Mutex event_changes; // RANK_EVENTS
// Called, after the count changed, whenever an event goes on or off; with no lock held here.
// Two threads may switch at once: a hook that changes code looks at event_is_wanted itself, the
// last call comes after the last change.
typedef void (*EventSwitch)(EventId id, bool on);
void event_on_switch(EventSwitch hook);

#endif
