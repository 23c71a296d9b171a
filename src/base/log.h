// SPDX-License-Identifier: Apache-2.0
// Logging in the shape of -Xlog (JEP 158): tags, levels, outputs and decorations. Thread-safe.
// The tags stand in spec/log_tags.def: LOG_TAG(ENUM, "text").
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "base/common.h"
#include "base/strbuf.h"

typedef enum LogLevel {
    LOG_OFF,
    LOG_ERROR,
    LOG_WARNING,
    LOG_INFO,
    LOG_DEBUG,
    LOG_TRACE
} LogLevel;
typedef enum LogTag {
#define LOG_TAG(id, text) LOG_##id,
#include "spec/log_tags.def"
#undef LOG_TAG
    LOG_TAG_COUNT
} LogTag;

extern uint8_t log_level_of[LOG_TAG_COUNT]; // most verbose level any output wants

#define log_on(tag, level) UNLIKELY(log_level_of[tag] >= (level))
// Writes one line, with the decorations of each output that wants (tag, level).
#define LOG(tag, level, ...)                    \
    do {                                        \
        if (log_on(tag, level))                 \
            log_write(tag, level, __VA_ARGS__); \
    } while (0)
void log_write(LogTag tag, LogLevel level, const char *fmt, ...) PRINTF(3, 4);

// Parses what follows "-Xlog" ("" or ":gc*=debug:file=x.log:uptime,level,tags"). On error
// returns false and leaves what is wrong, a few lines, in `error`.
bool log_configure(const char *spec, char *error, size_t error_size);
// Turns a tag on for stdout at a level, as -verbose:class does.
void log_enable(LogTag tag, LogLevel level);
void log_disable(LogTag tag); // on stdout
// Whether stdout, by itself, wants (tag, level).
bool log_on_stdout(LogTag tag, LogLevel level);

// Begins a new file at each output to a file that keeps old ones.
void log_rotate(void);
// Levels and decorators that there are, and what each output has of them.
void log_describe(StrBuf *sb);

// Nanoseconds since the VM library was loaded.
int64_t log_uptime_nanos(void);
// "Pellucid 64-Bit Server VM warning: text" on vm_stderr.
void vm_warning(const char *fmt, ...) PRINTF(1, 2);

#endif
