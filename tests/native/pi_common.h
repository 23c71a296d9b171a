// SPDX-License-Identifier: Apache-2.0
// What the JVMPI test agents share: start-up, natives, checks by number, and a map from words to
// words.
#ifndef PI_COMMON_H
#define PI_COMMON_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "jvmpi.h"

#define PI_NATIVE(of, type, name, ...)                                                 \
    JNIEXPORT type JNICALL Java_##of##_##name(JNIEnv *env, jclass cls, ##__VA_ARGS__); \
    JNIEXPORT type JNICALL Java_##of##_##name(__attribute__((unused)) JNIEnv *env,     \
                                              __attribute__((unused)) jclass cls,      \
                                              ##__VA_ARGS__)

static JVMPI_Interface *pi;

// Asks for the interface of a version and sets the handler. Ends the process when that fails.
static inline void pi_start(JavaVM *vm, jint version, void (*notify)(JVMPI_Event *))
{
    void *table;
    if ((*vm)->GetEnv(vm, &table, version) < 0) {
        printf("no JVMPI\n");
        exit(1);
    }
    pi = table;
    pi->NotifyEvent = notify;
}

static inline void pi_enable(jint type)
{
    jint rc = pi->EnableEvent(type, NULL);
    if (rc != JVMPI_SUCCESS)
        printf("EnableEvent(%d) = %d\n", (int)type, (int)rc);
}

// Prints the numbers of statements and whether they hold.
static inline void check(const char *numbers, int good)
{
    printf("%s %s\n", numbers, good ? "ok" : "WRONG");
    fflush(stdout);
}

static inline void pause_ms(int ms)
{
    struct timespec t = {ms / 1000, ms % 1000 * 1000000L};
    nanosleep(&t, NULL);
}

// Whether another thread raises the flag to that; waits for some seconds.
static inline int wait_until(const int *flag, int least)
{
    for (int i = 0; i < 20000 && __atomic_load_n(flag, __ATOMIC_SEQ_CST) < least; i++)
        pause_ms(1);
    return __atomic_load_n(flag, __ATOMIC_SEQ_CST) >= least;
}

// ---- map: open addressing, keys other than 0 and 1 ----
typedef struct PiMap {
    struct PiEntry {
        uintptr_t key, value;
    } * at;
    size_t size, used, live; // size: power of two; used: with deleted ones (key 1)
} PiMap;

static inline struct PiEntry *pi_map_find(const PiMap *m, uintptr_t key)
{
    if (!m->size)
        return NULL;
    for (size_t i = (key >> 3) * 0x9E3779B97F4A7C15u >> 20;; i++) {
        struct PiEntry *e = &m->at[i & (m->size - 1)];
        if (e->key == key)
            return e;
        if (e->key == 0)
            return NULL;
    }
}

static inline void pi_map_put(PiMap *m, uintptr_t key, uintptr_t value);

static inline void pi_map_resize(PiMap *m)
{
    PiMap old = *m;
    m->size = old.live * 4 > 1024 ? old.size * (old.live * 2 > old.size ? 2 : 1) : 4096;
    m->at = calloc(m->size, sizeof *m->at);
    m->used = m->live = 0;
    for (size_t i = 0; i < old.size; i++)
        if (old.at[i].key > 1)
            pi_map_put(m, old.at[i].key, old.at[i].value);
    free(old.at);
}

static inline void pi_map_put(PiMap *m, uintptr_t key, uintptr_t value)
{
    struct PiEntry *found = pi_map_find(m, key);
    if (found) {
        found->value = value;
        return;
    }
    if (m->used * 4 >= m->size * 3)
        pi_map_resize(m);
    size_t i = (key >> 3) * 0x9E3779B97F4A7C15u >> 20;
    while (m->at[i & (m->size - 1)].key)
        i++;
    m->at[i & (m->size - 1)] = (struct PiEntry){key, value};
    m->used++;
    m->live++;
}

// False: it was not there.
static inline int pi_map_remove(PiMap *m, uintptr_t key)
{
    struct PiEntry *e = pi_map_find(m, key);
    if (!e)
        return 0;
    e->key = 1;
    m->live--;
    return 1;
}

#endif
