// SPDX-License-Identifier: Apache-2.0
// How many bytes of compiled code there are: a counter of metrics, kept by events. While it is
// wanted the VM tells of what comes and goes, and first of all that there is. Compiled methods
// alone: nothing says when a stub goes.
#include "agent.h"
#include "verbs.h"

#include <stdlib.h>
#include <string.h>

static const jvmtiEvent EVENTS[] = {JVMTI_EVENT_COMPILED_METHOD_LOAD,
                                    JVMTI_EVENT_COMPILED_METHOD_UNLOAD};

typedef struct Piece {
    uintptr_t address;
    int64_t size;
} Piece;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Piece *pieces; // by address
static size_t pieces_len, pieces_cap;
static bool is_wanted;  // else a listener that was under way leaves nothing behind
static unsigned wanted; // AGENT

// Where the address stands or would stand.
static size_t place_of(uintptr_t address)
{
    ASSERT_HELD(&lock);
    size_t low = 0, high = pieces_len;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (pieces[middle].address < address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// False: no memory.
static bool insert(size_t at, Piece piece)
{
    ASSERT_HELD(&lock);
    assert(at == 0 || pieces[at - 1].address < piece.address);
    assert(at == pieces_len || piece.address < pieces[at].address);
    if (pieces_len == pieces_cap) {
        size_t cap = pieces_cap == 0 ? 1024 : 2 * pieces_cap;
        Piece *grown = agent_grow(pieces, pieces_cap * sizeof *pieces, cap * sizeof *pieces);
        if (grown == NULL) {
            return false;
        }
        pieces = grown;
        pieces_cap = cap;
    }
    memmove(pieces + at + 1, pieces + at, (pieces_len - at) * sizeof *pieces);
    pieces[at] = piece;
    pieces_len++;
    return true;
}

static void JNICALL on_load(jvmtiEnv *ti, jmethodID method, jint size, const void *address,
                            jint map_len, const jvmtiAddrLocationMap *map, const void *info)
{
    (void)ti, (void)method, (void)map_len, (void)map, (void)info;
    pthread_mutex_lock(&lock);
    size_t at = place_of((uintptr_t)address);
    bool is_known = at < pieces_len && pieces[at].address == (uintptr_t)address;
    int64_t before = is_known ? pieces[at].size : 0; // told twice, or its end was not
    if (is_known) {
        pieces[at].size = size;
    }
    if (is_known || (is_wanted && insert(at, (Piece){(uintptr_t)address, size}))) {
        lens_count(LENS_CODE_CACHE_USED, size - before);
    }
    pthread_mutex_unlock(&lock);
}

static void JNICALL on_unload(jvmtiEnv *ti, jmethodID method, const void *address)
{
    (void)ti, (void)method;
    pthread_mutex_lock(&lock);
    size_t at = place_of((uintptr_t)address);
    if (at < pieces_len && pieces[at].address == (uintptr_t)address) {
        lens_count(LENS_CODE_CACHE_USED, -pieces[at].size);
        pieces_len--;
        memmove(pieces + at, pieces + at + 1, (pieces_len - at) * sizeof *pieces);
    }
    pthread_mutex_unlock(&lock);
}

static void forget_all(void)
{
    pthread_mutex_lock(&lock);
    int64_t bytes = 0;
    for (size_t i = 0; i < pieces_len; i++) {
        bytes += pieces[i].size;
    }
    lens_count(LENS_CODE_CACHE_USED, -bytes);
    free(pieces);
    pieces = NULL;
    pieces_len = pieces_cap = 0;
    is_wanted = false;
    pthread_mutex_unlock(&lock);
}

void lens_part_code(void)
{
    LENS_LISTEN(JVMTI_EVENT_COMPILED_METHOD_LOAD, on_load);
    LENS_LISTEN(JVMTI_EVENT_COMPILED_METHOD_UNLOAD, on_unload);
}

bool lens_code_want(bool on)
{
    ASSERT_AGENT_THREAD();
    assert(on || wanted > 0);
    static const jvmtiCapabilities NEEDED = {.can_generate_compiled_method_load_events = 1};
    if (!on) {
        lens_want_events(EVENTS, sizeof EVENTS / sizeof EVENTS[0], false);
        if (--wanted == 0) {
            forget_all();
        }
        return true;
    }
    pthread_mutex_lock(&lock);
    is_wanted = true;
    pthread_mutex_unlock(&lock);
    // Refused: switching the events is, too
    (*lens.jvmti)->AddCapabilities(lens.jvmti, &NEEDED);
    if (!lens_want_events(EVENTS, sizeof EVENTS / sizeof EVENTS[0], true)) {
        if (wanted == 0) {
            forget_all();
        }
        return false;
    }
    if (wanted++ == 0) {
        lens_ask_for_events(JVMTI_EVENT_COMPILED_METHOD_LOAD);
    }
    return true;
}
