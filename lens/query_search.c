// SPDX-License-Identifier: Apache-2.0
// /api/search: methods and classes whose name contains a text, for the find box.
#define _GNU_SOURCE
#include "query.h"

#include <stdlib.h>
#include <string.h>

#define MOST_FOUND 100

// The plain names first: those where the text begins a word.
static int rank_of(const char *name, const char *text)
{
    const char *at = strcasestr(name, text);
    if (at == NULL)
        return 0;
    return at == name || at[-1] == '.' || at[-1] == '$' ? 2 : 1;
}

static void put_labels(const Model *m, Json *json, const char *text)
{
    Map told = {0};
    uint32_t found = 0;
    for (int rank = 2; rank >= 1; rank--) {
        for (uint32_t i = 1; i < m->frames.count && found < MOST_FOUND; i++) {
            uint32_t label = m->frames.at[i].label, *known;
            if (rank_of(model_name(m, label), text) != rank
                || *(known = map_at(&told, label)) != 0)
                continue;
            *known = 1;
            found++;
            json_text(json, model_name(m, label));
        }
    }
    map_free(&told);
}

static void put_classes(const Model *m, Json *json, const char *text)
{
    Map told = {0};
    uint32_t found = 0;
    for (int rank = 2; rank >= 1; rank--) {
        for (uint32_t i = 1; i < m->classes.count && found < MOST_FOUND; i++) {
            uint32_t name = m->classes.at[i].name, *known;
            if (rank_of(model_name(m, name), text) != rank
                || *(known = map_at(&told, name)) != 0)
                continue;
            *known = 1;
            found++;
            json_text(json, model_name(m, name));
        }
    }
    map_free(&told);
}

void query_search(Query *q)
{
    const char *text = query_param(q, "q");
    if (!query_has_model(q))
        return;
    json_object(&q->out);
    json_put_array(&q->out, "methods");
    if (text != NULL && *text != 0)
        put_labels(q->session->model, &q->out, text);
    json_array_end(&q->out);
    json_put_array(&q->out, "classes");
    if (text != NULL && *text != 0)
        put_classes(q->session->model, &q->out, text);
    json_array_end(&q->out);
    json_end(&q->out);
}
