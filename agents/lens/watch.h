// SPDX-License-Identifier: Apache-2.0
// What the two sides of watch and log points share: watch.c makes and ends points, watch_hit.c is what
// happens in the program's threads when one is hit.
#ifndef LENS_WATCH_H
#define LENS_WATCH_H

#include "expr.h"
#include "points.h"

enum { WATCHES = 64 }; // orders at once

// Where a method of a point has breakpoints.
typedef enum WatchPlaceKind {
    WATCH_ENTRY,
    WATCH_LINE,
    WATCH_RETURN // an instruction that returns a value: asks for it, for a call that is watched
} WatchPlaceKind;

typedef struct WatchPlace {
    jlocation location;
    WatchPlaceKind kind;
    PointVariables variables; // not of WATCH_RETURN
} WatchPlace;

typedef struct WatchPlan {
    WatchPlace *places; // in order of location
    uint32_t len;
    struct WatchPlan *next; // among those that a redefinition has put out of use
} WatchPlan;

typedef struct WatchMethod {
    jmethodID method;
    char result; // first character of the descriptor of what it returns
    WatchPlan *_Atomic plan;
    struct WatchMethod *next;
} WatchMethod;

typedef struct Watch {
    LensOrder *order;
    unsigned slot;
    uint32_t point; // its definition
    LensPatterns *classes;
    const char *method, *signature; // of the order
    jint line;                      // 0: the method's calls
    bool shows_locals;
    ExprTemplate *log;      // NULL: it is no log point
    Expr *when;             // NULL: always
    uint64_t limit, max;    // hits a second, and in all (0: no end)
    AgentSharedMap methods; // jmethodID to WatchMethod
    WatchMethod *_Atomic all;
    WatchPlan *retired; // AGENT
    _Atomic uint32_t methods_len, classes_len;
    _Atomic uint64_t counted; // hits that were only counted since the last record
    _Atomic uint64_t hits;    // that were begun to be told
    _Atomic uint64_t ended;   // and those whose record is written
    _Atomic uint64_t told_at; // of the last record
    // What a second may cost: guarded by `lock`.
    pthread_mutex_t lock;
    uint64_t second;      // when it began
    uint64_t told, spent; // records and ns in it
} Watch;

extern Watch *_Atomic watch_active[WATCHES];

// Listeners of breakpoints, frame pops, method exits and ended threads.
void watch_listen(void);
// Frees what threads keep of calls, when no watch is left and no listener runs. AGENT.
void watch_forget_calls(void);
// A record without a call: how many hits were only counted. AGENT.
void watch_tell_counted(Watch *watch);

#endif
