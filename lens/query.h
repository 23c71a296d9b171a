// SPDX-License-Identifier: Apache-2.0
// A question of the page or the command line, and its answer (API.md). The same for both: HTTP makes a Query of a request, the
// command line of its arguments. One thread, the loop's.
#ifndef LENS_QUERY_H
#define LENS_QUERY_H

#include "session.h"

typedef struct QueryParam {
    char *name, *value;
} QueryParam;

typedef struct Query Query;
struct Query {
    Session *session;
    ARRAY(QueryParam) params;
    const JsonValue *body; // of a POST, or NULL
    // The answer: JSON, or with `type` bytes of another kind, in `out` or `bytes`.
    Json out;
    Bytes bytes;
    const char *type; // NULL: application/json
    char *file_name;  // of a download, or NULL
    char
        *send_file; // a file on the disk that is the answer, or NULL; removed after it was sent
    int status;     // 200
    // Called once when the answer is there: in query_run or later from the loop. The query is freed after it.
    void (*done)(void *context, Query *query);
    void *context;
    // Of a query that waits for an order or a thread:
    void (*resume)(Query *query, Order *order);
    bool is_waiting;
    char *kept; // what a part keeps while it waits; freed with the query
};

typedef void QueryFunction(Query *query);
#define QUERY(method, path, function) QueryFunction function;
#include "query_parts.def"
#undef QUERY

Query *query_new(Session *session, void (*done)(void *context, Query *query), void *context);
void query_add_param(Query *query, const char *name, const char *value);
// "data=cpu&limit=5", without escapes.
void query_add_params(Query *query, const char *params);
// Answers "GET /api/hot" and the like; status 404 where there is no such call.
void query_run(Query *query, const char *method, const char *path);
// The one who asked has gone: nothing is told any more, the query is freed when its order is over or now.
void query_abandon(Query *query);

// ---- for the parts that answer ----

// A parameter of the URL or a member of the body; NULL: not given.
const char *query_param(const Query *query, const char *name);
uint64_t query_number(const Query *query, const char *name, uint64_t otherwise);
bool query_flag(const Query *query, const char *name);
// The answer is an error: what was already written is dropped.
void query_fail(Query *query, int status, const char *todo, const char *format, ...)
    LENS_PRINTF(4, 5);
// False: there is nothing to look at, and the query has failed.
bool query_has_model(Query *query);
// Sends an order of the front's own and goes on with `resume` when it is over. False: nothing is connected, the query has failed.
bool query_ask(Query *query, const char *verb, const LinkPair *args, uint32_t count,
               void (*resume)(Query *query, Order *order));
// Waits for something else; query_finish ends it.
void query_wait(Query *query);
void query_finish(Query *query);

#endif
