// SPDX-License-Identifier: Apache-2.0
// -Xcheck:jvmti: the raw monitors that the current thread has entered. More than are counted
// here at a time are not looked at.
#include "jvmti/check/ti_check.h"

#include <stdio.h>

enum { HELD_MAX = ARRAY_LEN(((CheckedMonitors *)0)->entries) };

static _Thread_local struct {
    const RawMonitor *monitor;
    AgentPlace place; // where it was entered first
    int entries;      // 0: not in use
} held[HELD_MAX];

static void count(const RawMonitor *m, int change)
{
    int free_place = -1;
    for (int i = 0; i < (int)HELD_MAX; i++) {
        if (held[i].entries > 0 && held[i].monitor == m) {
            held[i].entries += change;
            return;
        }
        if (held[i].entries == 0)
            free_place = i;
    }
    if (change > 0 && free_place >= 0) {
        held[free_place].monitor = m;
        agent_place_here(&held[free_place].place);
        held[free_place].entries = change;
    }
}

// Destroying a monitor exits it.
static void forget(const RawMonitor *m)
{
    for (int i = 0; i < (int)HELD_MAX; i++)
        if (held[i].monitor == m)
            held[i].entries = 0;
}

void checked_monitor_call(const CheckedCall *c)
{
    if (strcmp(c->name, "RawMonitorEnter") == 0)
        count(c->id, 1);
    else if (strcmp(c->name, "RawMonitorExit") == 0)
        count(c->id, -1);
    else if (strcmp(c->name, "DestroyRawMonitor") == 0)
        forget(c->id);
}

static const char *name_of(const RawMonitor *m)
{
    return raw_monitor_is_valid(m) ? raw_monitor_name(m) : "(destroyed)";
}

void checked_thread_end(void)
{
    for (int i = 0; i < (int)HELD_MAX; i++)
        if (held[i].entries > 0)
            check_report(RULE_HELD, &held[i].place, "RawMonitorEnter",
                         name_of(held[i].monitor));
}

void checked_monitors_note(CheckedMonitors *now)
{
    for (int i = 0; i < (int)HELD_MAX; i++)
        now->entries[i] = held[i].entries;
}

void checked_monitors_compare(const CheckedMonitors *before, const char *callback,
                              const AgentPlace *place)
{
    for (int i = 0; i < (int)HELD_MAX; i++)
        if (held[i].entries > before->entries[i])
            check_report(RULE_UNBALANCED, place, callback, name_of(held[i].monitor));
}
