// SPDX-License-Identifier: Apache-2.0
// Server-sent events: what changes is told to each page that listens (API.md, /api/events).
#ifndef LENS_EVENTS_H
#define LENS_EVENTS_H

#include "session.h"

struct evhttp_request;
typedef struct Events Events;

// Takes the session's `changed`. While a page listens to a live program, metrics and collections are recorded.
Events *events_new(Session *session);
void events_free(Events *events);
// Makes a stream of this request. False: there are too many already.
bool events_add(Events *events, struct evhttp_request *request);

#endif
