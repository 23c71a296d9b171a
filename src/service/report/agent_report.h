// SPDX-License-Identifier: Apache-2.0
// What the checking modes for agents report (-Xcheck:jvmti, :jvmpi): one form for all, on
// stderr. The same finding at the same place is reported once; -Xcheck:jvmti:limit=N bounds the
// number of reports, -Xcheck:jvmti:abort ends the process with the first. docs/CHECK.md
#ifndef SERVICE_REPORT_AGENT_REPORT_H
#define SERVICE_REPORT_AGENT_REPORT_H

#include "thread/thread.h"

// A place in an agent: code addresses, the innermost first.
enum { AGENT_PLACE_MAX = 4 };
typedef struct AgentPlace {
    const void *at[AGENT_PLACE_MAX];
    int count; // 0: none is known
} AgentPlace;

typedef struct AgentReport {
    const char *interface; // "JVM TI", "JVMPI"
    const char *wrong;     // what is wrong, with what; one line
    const char *call;      // the function or callback
    const char *rule;      // and its section of the specification
    const char *remedy;    // what to do
    // Where in the agent, if not where it is now: the function that was called back, or allocated.
    // NULL: the innermost frame outside of the VM; then the stack is shown.
    const AgentPlace *place;
} AgentReport;

// Any thread in any state, attached or not. Runs no Java and does not collect; may wait for a stop of
// the world to end (a thread in native code is asked its name).
void agent_report(const AgentReport *r);
// The innermost frames of this thread outside of the VM: whence an agent called.
void agent_place_here(AgentPlace *out);
// At the end: how many there were, those not shown included. Nothing when there were none.
void agent_reports_end(void);

#endif
