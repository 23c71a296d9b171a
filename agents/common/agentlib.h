// SPDX-License-Identifier: Apache-2.0
// What every agent needs: options, checked JVM TI calls, maps, names of methods, text output.
// Plain C against jvmti.h: no part of any VM, so an agent built with it runs on every JVM.
// Each .c file beside this header implements one section. Nothing here exits the process.
#ifndef AGENTLIB_H
#define AGENTLIB_H

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes" // jvmti.h declares reserved slots as ()
#include <jvmti.h>
#pragma GCC diagnostic pop
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// ---- assertions (agentlib_check.c) ----------------------------------------------------------

// Whether the calling thread holds a mutex, for assertions; true where the C library does not
// tell.
bool agent_holds(const pthread_mutex_t *mutex);
#define ASSERT_HELD(mutex) assert(agent_holds(mutex))

// ---- messages and checked calls (agentlib_check.c) ------------------------------------------

// Sets the name that stands before every message of this agent. `name` must stay valid.
void agent_set_name(const char *name);
// Prints "<agent>: <message>" as one line on stderr.
void agent_message(const char *format, ...) __attribute__((format(printf, 1, 2)));
// True if `error` is JVMTI_ERROR_NONE; else prints "<agent>: <call>: JVMTI_ERROR_… (n)".
// Any thread, any phase.
bool agent_check(jvmtiEnv *jvmti, jvmtiError error, const char *call);
// AGENT_CALL(jvmti, GetThreadInfo, thread, &info): a JVM TI call through agent_check.
#define AGENT_CALL(jvmti, function, ...) \
    agent_check((jvmti), (*(jvmti))->function((jvmti), __VA_ARGS__), #function)
// Gives back what a JVM TI function allocated. NULL is allowed.
void agent_deallocate(jvmtiEnv *jvmti, void *memory);
// The JVM TI environment of the newest version from `version` down that the VM has; NULL with
// a message where there is none.
jvmtiEnv *agent_get_env(JavaVM *vm, jint version);
// malloc/realloc zeroing what is new, NULL on failure after a message (once).
void *agent_alloc(size_t bytes);
void *agent_grow(void *memory, size_t old_bytes, size_t new_bytes);

// ---- options (agentlib_options.c)
// -------------------------------------------------------------

typedef enum AgentOptionKind {
    AGENT_OPTION_TEXT,    // char **: malloc'd copy
    AGENT_OPTION_NUMBER,  // uint64_t *: decimal, optional suffix k, m or g (powers of 1000)
    AGENT_OPTION_SECONDS, // double *: decimal, 0 and up
    AGENT_OPTION_LIST,    // AgentList *: values separated by ':' or ';', added to what is there
    AGENT_OPTION_SWITCH   // bool *: yes/no, on/off, true/false; the key alone means yes
} AgentOptionKind;

typedef struct AgentList {
    char **items;
    size_t len;
} AgentList;

typedef struct AgentOption {
    const char *name;
    AgentOptionKind kind;
    void *value; // where the value goes; keeps its default when the option is not given
    const char *help;
} AgentOption;

// Parses "key=value,key=value" (NULL and "" are no options; "\," is a comma inside a value).
// An unknown key or a bad value gives one line and false; "help" prints all options and false.
bool agent_options_parse(const char *text, const AgentOption *options, size_t count);

// ---- maps (agentlib_map.c)
// --------------------------------------------------------------------

// A string (copied) to a 32-bit number. Not thread-safe.
typedef struct AgentStringMap {
    struct AgentStringEntry *entries;
    size_t len, cap;
} AgentStringMap;
// The value of `key`; if absent, puts `value` and returns that. `*key_copy` (may be NULL) gets
// the map's own copy of the key, valid until agent_stringmap_free. UINT32_MAX: out of memory.
uint32_t agent_stringmap_add(AgentStringMap *map, const char *key, uint32_t value,
                             const char **key_copy);
void agent_stringmap_free(AgentStringMap *map);

// A non-NULL pointer to a non-NULL pointer. Any number of threads may get and put at once
// without a lock; entries are never removed. The table does not grow: choose `bits` for the
// usual number.
typedef struct AgentSharedMap {
    struct AgentSharedEntry *_Atomic *buckets;
    unsigned bits;
} AgentSharedMap;
bool agent_sharedmap_init(AgentSharedMap *map, unsigned bits);
void *agent_sharedmap_get(const AgentSharedMap *map, const void *key); // NULL when absent
// Puts `value` unless another thread was first; returns the value that is in the map now, NULL
// when out of memory.
void *agent_sharedmap_put(AgentSharedMap *map, const void *key, void *value);
// When nobody uses it any more. The values are the caller's.
void agent_sharedmap_free(AgentSharedMap *map);

static inline uint64_t agent_mix(uint64_t x)
{
    x = (x ^ (x >> 32)) * 0x9E3779B97F4A7C15u;
    return x ^ (x >> 29);
}

// ---- names (agentlib_names.c)
// -------------------------------------------------------------------

// "java.util.Map$Entry" of "Ljava/util/Map$Entry;". A hidden class ("LFoo$$Lambda$14.0x8004;")
// loses the parts that differ from run to run: "Foo$$Lambda/hidden". Malloc'd UTF-8.
char *agent_class_name(const char *signature);
// "class.method(descriptor)", e.g. "java.lang.String.length()I", malloc'd, in UTF-8; NULL after
// a message when the VM refuses. Start or live phase, on a thread attached to the VM.
char *agent_method_name(jvmtiEnv *jvmti, JNIEnv *jni, jmethodID method);
// Writes such a name the way a reader wants it, "java.lang.String.equals(Object)", into `out`
// (always terminated, cut at `size`).
void agent_pretty_method(const char *name, char *out, size_t size);
// The name of a thread, malloc'd UTF-8; "?" where it has none.
char *agent_thread_name(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread);

// ---- text (agentlib_text.c)
// ---------------------------------------------------------------------

// Malloc'd UTF-8 of Java's modified UTF-8: supplementary characters in four bytes, NUL as
// U+FFFD.
char *agent_utf8(const char *modified);
// Writes `text` as a JSON string with its quotes, safe inside an HTML <script> element.
void agent_write_json(FILE *out, const char *text);
// Writes `text` escaped for HTML text and attribute values.
void agent_write_html(FILE *out, const char *text);
// "1,234,567" in `buffer` (at least 32 bytes), which it returns.
char *agent_format_count(uint64_t n, char *buffer);
// Whether agent_write_output can write there: false after a message that names the file and the
// reason. "-" is stdout.
bool agent_check_output(const char *path);
// Lets `write` make the content of a file. It is replaced in one step: who reads it finds the old
// content or the new one, also when the process dies meanwhile. What is no regular file (stdout,
// a device, a pipe) is written as it is. False after a message.
bool agent_write_output(const char *path, void (*write)(FILE *out, const void *data),
                        const void *data);
// The number of columns of the terminal behind `out`, `otherwise` if it is none.
unsigned agent_terminal_columns(FILE *out, unsigned otherwise);
// Nanoseconds of the monotonic clock.
uint64_t agent_now(void);

#endif
