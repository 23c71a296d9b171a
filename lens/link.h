// SPDX-License-Identifier: Apache-2.0
// The connection to an agent: its socket in the event loop. Gives whole blocks on, sends orders and heartbeats.
#ifndef LENS_LINK_H
#define LENS_LINK_H

#include "process.h"
#include "wire.h"

struct event_base;
typedef struct Link Link;

typedef struct LinkPair {
    const char *name, *value;
} LinkPair;

typedef struct LinkEvents {
    void (*block)(void *context, const LensBlock *block, const uint8_t *payload);
    // The connection is over: why is a sentence, or NULL where the other side just closed. The link is freed after this call.
    void (*closed)(void *context, const char *why);
    void *context;
} LinkEvents;

// Where the agent of this process listens, as seen from here; to be freed.
char *link_socket_path(const Process *process);
// Connects and looks at the owner. NULL: no agent listens there, or errno says what else.
Link *link_open(struct event_base *base, const Process *process, const LinkEvents *events);
// Sends an order. `fd` goes with it and is closed here; -1: none.
void link_order(Link *link, uint64_t id, const char *verb, const LinkPair *pairs,
                uint32_t count, int fd);
// Closes without telling `closed`.
void link_close(Link *link);

#endif
