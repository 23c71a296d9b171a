// SPDX-License-Identifier: Apache-2.0
// Shared by log.c (outputs and writing) and log_config.c (the -Xlog language). Nobody else
// includes it.
#ifndef BASE_LOG_INTERNAL_H
#define BASE_LOG_INTERNAL_H

#include "base/log.h"

// LOG_DECORATOR(ENUM, "name", "short name"), in the order in which they are printed.
#define LOG_DECORATORS(D)                 \
    D(TIME, "time", "t")                  \
    D(UTCTIME, "utctime", "utc")          \
    D(UPTIME, "uptime", "u")              \
    D(TIMEMILLIS, "timemillis", "tm")     \
    D(UPTIMEMILLIS, "uptimemillis", "um") \
    D(TIMENANOS, "timenanos", "tn")       \
    D(UPTIMENANOS, "uptimenanos", "un")   \
    D(HOSTNAME, "hostname", "hn")         \
    D(PID, "pid", "p")                    \
    D(TID, "tid", "ti")                   \
    D(LEVEL, "level", "l")                \
    D(TAGS, "tags", "tg")
typedef enum LogDecorator {
#define D(id, name, abbr) DECO_##id,
    LOG_DECORATORS(D)
#undef D
        DECO_COUNT
} LogDecorator;

enum { LOG_DECO_DEFAULT = 1 << DECO_UPTIME | 1 << DECO_LEVEL | 1 << DECO_TAGS };

typedef struct LogFileOptions {
    uint64_t filesize; // bytes, 0: never rotate
    uint32_t filecount;
} LogFileOptions;

extern const char *const log_tag_text[LOG_TAG_COUNT];       // "gc+heap"
extern const char *const log_decorator_text[DECO_COUNT][2]; // name, short name
extern const char *const log_level_text[LOG_TRACE + 1];

// The index of the output `name` ("stdout", "stderr", "#number", "file=path" or a path), opened when it is
// new. -1 and a text on failure. The lock of the log must be held for this and the functions
// below.
int log_output_open(const char *name, const LogFileOptions *options, char *error,
                    size_t error_size);
void log_output_set(int output, LogTag tag, LogLevel level);
void log_output_decorate(int output, uint32_t decorators);
void log_all_off(void);
void log_lock(void);
void log_unlock(void);

#endif
