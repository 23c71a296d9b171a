// SPDX-License-Identifier: Apache-2.0
// The latest events of some kinds (spec/recent_logs.def), for VM.events and the crash report. Each kind
// has a ring of its own, in which the oldest is overwritten. All functions are thread-safe, take no lock
// and never collect; the reading ones may be called in a signal handler.
#ifndef BASE_RECENT_H
#define BASE_RECENT_H

#include "base/common.h"

typedef enum RecentLog {
#define RECENT_LOG(id, name, title) RECENT_##id,
#include "spec/recent_logs.def"
#undef RECENT_LOG
    RECENT_LOGS
} RecentLog;

enum { RECENT_LINE = 600 }; // a line of text, with its end

// How many of each kind are kept; 0: none. Once, before there are threads; until then nothing is
// kept.
void recent_init(size_t entries);
// Adds an event of the current thread; a text that is too long is cut.
void recent_add(RecentLog log, const char *fmt, ...) PRINTF(2, 3);

// Of spec/recent_logs.def: the name that VM.events takes, the title above its events.
const char *recent_name(RecentLog log);
const char *recent_title(RecentLog log);
// How many are there.
size_t recent_count(RecentLog log);
// The line of event i, 0 being the oldest; false: it was overwritten meanwhile.
bool recent_line(RecentLog log, size_t i, char line[RECENT_LINE]);

#endif
