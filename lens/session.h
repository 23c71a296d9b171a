// SPDX-License-Identifier: Apache-2.0
// What is looked at: a live program with its agent, or a recording. One session at a time; one thread, the loop's.
#ifndef LENS_SESSION_H
#define LENS_SESSION_H

#include "discover.h"
#include "json.h"
#include "link.h"
#include "model.h"
#include "store.h"

struct event_base;
typedef enum SessionMode { SESSION_NONE, SESSION_LIVE, SESSION_FILE } SessionMode;

typedef struct OrderPair {
    char *name, *value;
} OrderPair;

typedef struct Order Order;
struct Order {
    uint64_t id;
    char *verb;
    ARRAY(OrderPair) args;
    ARRAY(OrderPair) values;
    LensState state;
    uint32_t permille;
    uint64_t left_ms;
    char *text;
    uint32_t since; // tick
    bool own;       // the front's own (metrics, gc, questions): not shown
    bool
        stop_local; // not the agent's: an import or an analysis of the front; stopping sets `stopping`
    bool stopping;
    bool once; // its first answer is all
    // Called once, when the order is done or failed, or the connection is lost (state FAILED); may be NULL.
    void (*finished)(void *context, Order *order);
    void *context;
};

typedef enum SessionChange {
    CHANGED_SESSION,
    CHANGED_ORDER,
    CHANGED_METRICS,
    CHANGED_HIT
} SessionChange;

typedef struct Session Session;
struct Session {
    struct event_base *base;
    SessionMode mode;
    uint32_t number; // counts what was looked at: another number, another origin of ticks
    Jvm jvm;
    Link *link; // NULL: no program (any more)
    Model *model;
    StoreWriter *store;
    char *file; // of the recording
    StoreReport report;
    bool is_new_agent; // HELLO has not come yet
    // The end of the program or connection
    bool has_ended;
    uint32_t ended; // tick
    char *ended_why, *crash;
    ARRAY(Order *) orders;
    uint64_t next_order;
    uint32_t mark; // tick of "since mark"
    struct Heaps *heaps;
    struct Symbols *symbols;
    ARRAY(char *) sources; // folders and archives of --source
    // Told of changes: what = Order * (ORDER), const ModelHit * (HIT), uint32_t * time (METRICS).
    void (*changed)(void *context, SessionChange change, const void *what);
    void *context;
};

Session *session_new(void);          // with an event loop of its own
void session_free(Session *session); // closes the recording in order
// Finds the program, loads the agent where none listens yet, connects. NULL, or a sentence; to be freed.
// `record`: where the recording goes; NULL: to a file of its own below the user's cache.
char *session_attach(Session *session, pid_t pid, const char *record);
// Reads a recording. NULL, or a sentence; to be freed.
char *session_open(Session *session, const char *path);
// Waits in the loop until HELLO came. NULL, or a sentence; to be freed.
char *session_wait_hello(Session *session);
// Where recordings are kept, made if it is not there: to be freed.
char *session_folder(void);
// A recording in that folder: a page must not read any file by its name.
bool session_is_kept(const char *path);

// Sends an order and keeps it. `fd` goes with it (-1: none). NULL: nothing is connected.
Order *session_order(Session *session, const char *verb, const LinkPair *args, uint32_t count,
                     int fd);
// An order of the front's own work, shown like the others.
Order *session_local_order(Session *session, const char *verb);
void order_set(Session *session, Order *order, LensState state, uint32_t permille,
               uint64_t left_ms, const char *text);
void order_value(Order *order, const char *name, const char *value);
const char *order_get(const Order *order, const char *name); // of values, or NULL
const char *order_arg(const Order *order, const char *name); // of args, or NULL
void order_free(Order *order);                               // the list's owner alone
bool order_is_over(const Order *order);
Order *session_find_order(Session *session, uint64_t id);
Order *session_running(Session *session, const char *verb);
void session_stop_order(Session *session, Order *order);

// The present time as a tick: of a live program the clock, of a recording its end.
uint32_t session_now(const Session *session);

typedef struct ViewState {
    bool ok;
    const char *why;
} ViewState;
extern const char *const view_names[10];
ViewState session_view(const Session *session, int view); // index of view_names

// A hit of a watch as /api/watch shows it.
void session_put_hit(const Session *session, Json *json, const ModelHit *hit);
void session_put_order(const Session *session, Json *json, const Order *order);
void session_put(Session *session, Json *json); // the answer of /api/session

#endif
