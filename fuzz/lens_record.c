// SPDX-License-Identifier: Apache-2.0
// libFuzzer entry: any bytes as what the front of Lens takes from outside. The first byte chooses: a recording's file; blocks with good
// checksums (type, length of 2 bytes, payload: what a fuzzer cannot make by itself), after which all questions are asked; JSON; ELF.
#include "json.h"
#include "query.h"
#include "store.h"
#include "symbols.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool take(void *context, const LensBlock *block, const uint8_t *payload)
{
    model_take(context, block, payload);
    return true;
}

static void take_blocks(Model *model, const uint8_t *data, size_t size)
{
    for (uint64_t time = 1; size >= 3; time += 1000000) {
        size_t length = data[1] | (size_t)data[2] << 8;
        length = length > size - 3 ? size - 3 : length;
        LensBlock block = wire_block((LensBlockType)data[0], time, data + 3, length);
        model_take(model, &block, data + 3);
        data += 3 + length;
        size -= 3 + length;
    }
}

static void ask(Session *session, const char *path, const char *params)
{
    Query *q = query_new(session, NULL, NULL);
    query_add_params(q, params);
    query_run(q, "GET", path);
}

static void ask_all(Session *session)
{
    static const char *const asked[][2] = {
        {"/api/session", ""},
        {"/api/metrics", "points=7"},
        {"/api/thread_cpu", ""},
        {"/api/costs", ""},
        {"/api/alloc", ""},
        {"/api/alloc_sites", "class=a"},
        {"/api/locks", ""},
        {"/api/threads", ""},
        {"/api/stack", "thread=1&t=5"},
        {"/api/frames", "stack=1"},
        {"/api/exceptions", ""},
        {"/api/exception", "key=1-1"},
        {"/api/watch", ""},
        {"/api/classes", "match=a"},
        {"/api/coverage", ""},
        {"/api/search", "q=a"},
        {"/api/flame", "data=cpu"},
        {"/api/flame", "data=wall&by=thread"},
        {"/api/flame", "data=alloc"},
        {"/api/flame", "data=live"},
        {"/api/flame", "data=locks&reverse=1"},
        {"/api/flame", "data=exact"},
        {"/api/hot", "data=cpu"},
        {"/api/callers", "data=cpu&method=a.b"},
        {"/api/method", "data=cpu&method=a.b"},
        {"/api/flame_diff", "data=cpu&from1=0&to1=1"},
        {"/api/export", "format=pprof"},
        {"/api/export", "format=firefox"},
        {"/api/export", "format=chrome"},
        {"/api/export", "format=lcov"},
        {"/api/export", "format=jacoco"},
        {"/api/export", "format=speedscope"},
        {"/metrics", ""},
    };
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        ask(session, asked[i][0], asked[i][1]);
}

static void try_model(uint8_t kind, const uint8_t *data, size_t size)
{
    static Session *session;
    StoreReport report;
    if (session == NULL)
        session = session_new();
    session->model = model_new();
    session->mode = SESSION_FILE;
    if (kind == 0)
        (void)store_read_memory(data, size, take, session->model, &report);
    else
        take_blocks(session->model, data, size);
    ask_all(session);
    model_free(session->model);
    session->model = NULL;
    session->mode = SESSION_NONE;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ElfSymbol *functions;
    if (size == 0)
        return 0;
    switch (data[0] & 3) {
    case 2: json_value_free(json_parse((const char *)data + 1, size - 1)); break;
    case 3: {
        uint8_t *copy = mem_new(size, 1); // aligned as a file that was read is
        memcpy(copy, data + 1, size - 1);
        (void)elf_functions(copy, size - 1, &functions);
        free(functions);
        free(copy);
        break;
    }
    default: try_model(data[0] & 3, data + 1, size - 1);
    }
    return 0;
}
