// SPDX-License-Identifier: Apache-2.0
// The verbs classes (names for completion) and source (what the VM knows of a class's source).
// Of the agent's thread alone.
#define _GNU_SOURCE
#include "agent.h"
#include "verbs.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// ---- loaded classes ----

typedef struct Loaded {
    jclass *classes;
    jint len;
} Loaded;

static bool get_loaded(LensOrder *order, Loaded *loaded)
{
    if ((*lens.jvmti)->GetLoadedClasses(lens.jvmti, &loaded->len, &loaded->classes)
        != JVMTI_ERROR_NONE) {
        lens_fail(order, "the VM does not list its classes");
        return false;
    }
    return true;
}

static void release_loaded(JNIEnv *jni, Loaded *loaded)
{
    for (jint i = 0; i < loaded->len; i++) {
        (*jni)->DeleteLocalRef(jni, loaded->classes[i]);
    }
    agent_deallocate(lens.jvmti, loaded->classes);
}

// The name as it would stand on the wire; NULL for arrays. Malloc'd.
static char *name_of(jclass class)
{
    char *signature = NULL, *name = NULL;
    if ((*lens.jvmti)->GetClassSignature(lens.jvmti, class, &signature, NULL)
        == JVMTI_ERROR_NONE) {
        name = signature[0] == 'L' ? lens_readable_class(signature) : NULL;
        agent_deallocate(lens.jvmti, signature);
    }
    return name;
}

// ---- methods of a class ----

static bool put_name(LensBuffer *to, jmethodID method)
{
    char *name = NULL, *signature = NULL;
    if ((*lens.jvmti)->GetMethodName(lens.jvmti, method, &name, &signature, NULL)
        != JVMTI_ERROR_NONE) {
        return false;
    }
    char *n = agent_utf8(name), *s = agent_utf8(signature);
    if (n != NULL && s != NULL) {
        lens_buffer_bytes(to, n, strlen(n));
        lens_buffer_bytes(to, s, strlen(s));
    }
    free(n);
    free(s);
    agent_deallocate(lens.jvmti, name);
    agent_deallocate(lens.jvmti, signature);
    return n != NULL && s != NULL;
}

static __attribute__((format(printf, 2, 3))) void print(LensBuffer *to, const char *format, ...)
{
    char text[64];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    assert(len > 0 && (size_t)len < sizeof text);
    lens_buffer_bytes(to, text, (size_t)len);
}

static void put_first_last(LensBuffer *to, jmethodID method)
{
    jint len = 0, least = INT32_MAX, most = 0;
    jvmtiLineNumberEntry *lines = NULL;
    if ((*lens.jvmti)->GetLineNumberTable(lens.jvmti, method, &len, &lines)
        != JVMTI_ERROR_NONE) {
        return;
    }
    for (jint i = 0; i < len; i++) {
        least = lines[i].line_number < least ? lines[i].line_number : least;
        most = lines[i].line_number > most ? lines[i].line_number : most;
    }
    agent_deallocate(lens.jvmti, lines);
    if (len > 0) {
        print(to, " %d-%d", (int)least, (int)most);
    }
}

static void put_methods(LensBuffer *to, jclass class)
{
    jint len = 0;
    jmethodID *methods = NULL;
    if ((*lens.jvmti)->GetClassMethods(lens.jvmti, class, &len, &methods) != JVMTI_ERROR_NONE) {
        return; // not prepared yet
    }
    for (jint i = 0; i < len; i++) {
        if (to->len > 0) {
            lens_buffer_bytes(to, "\n", 1);
        }
        if (put_name(to, methods[i])) {
            put_first_last(to, methods[i]);
        }
    }
    agent_deallocate(lens.jvmti, methods);
}

// ---- values that grow ----

enum { VALUES_MOST = 4096 };
typedef struct Values {
    LensValue *list;
    size_t len;
} Values;

// Takes over both texts (malloc'd); the value may be a buffer's bytes.
static void add_value(Values *values, char *name, LensBuffer *value)
{
    assert(values->list != NULL && values->len <= VALUES_MOST);
    lens_buffer_bytes(value, "", 1);
    if (name == NULL || value->failed || values->len == VALUES_MOST) {
        free(name);
        lens_buffer_free(value);
        return;
    }
    values->list[values->len++] = (LensValue){.name = name, .value = (char *)value->bytes};
}

static bool values_new(Values *values, LensOrder *order)
{
    *values = (Values){.list = agent_alloc(VALUES_MOST * sizeof *values->list)};
    if (values->list == NULL) {
        lens_fail(order, "out of memory in the target");
    }
    return values->list != NULL;
}

static void values_free(Values *values)
{
    for (size_t i = 0; i < values->len; i++) {
        free((char *)values->list[i].name);
        free((char *)values->list[i].value);
    }
    free(values->list);
}

// ---- classes ----

static LensStarted start_classes(LensOrder *order, JNIEnv *jni)
{
    uint64_t limit;
    const char *match = lens_arg(order, "match", "");
    Loaded loaded = {0};
    Values values;
    if (!lens_arg_number(order, "limit", 200, 1, VALUES_MOST, &limit)
        || !get_loaded(order, &loaded)) {
        return LENS_OVER;
    }
    if (values_new(&values, order)) {
        for (jint i = 0; i < loaded.len && values.len < limit; i++) {
            char *name = name_of(loaded.classes[i]);
            if (name == NULL || strcasestr(name, match) == NULL) {
                free(name);
                continue;
            }
            LensBuffer methods = {0};
            put_methods(&methods, loaded.classes[i]);
            add_value(&values, name, &methods);
        }
        lens_done(order, "", values.list, values.len);
        values_free(&values);
    }
    release_loaded(jni, &loaded);
    return LENS_OVER;
}

const LensVerb lens_verb_classes = {.name = "classes", .start = start_classes};

// ---- source ----

static void put_lines(LensBuffer *to, jmethodID method)
{
    jint len = 0;
    jvmtiLineNumberEntry *lines = NULL;
    if ((*lens.jvmti)->GetLineNumberTable(lens.jvmti, method, &len, &lines) != JVMTI_ERROR_NONE
        || len == 0) {
        lens_buffer_bytes(to, "-", 1);
        return;
    }
    for (jint i = 0; i < len; i++) {
        print(to, "%s%d:%d", i > 0 ? "," : "", (int)lines[i].start_location,
              (int)lines[i].line_number);
    }
    agent_deallocate(lens.jvmti, lines);
}

static void put_bytecodes(LensBuffer *to, jmethodID method)
{
    jint len = 0;
    unsigned char *code = NULL;
    if ((*lens.jvmti)->GetBytecodes(lens.jvmti, method, &len, &code) != JVMTI_ERROR_NONE
        || len == 0) {
        lens_buffer_bytes(to, "-", 1);
        return;
    }
    for (jint i = 0; i < len; i++) {
        print(to, "%02x", code[i]);
    }
    agent_deallocate(lens.jvmti, code);
}

static void add_method(Values *values, jmethodID method)
{
    LensBuffer name = {0}, value = {0};
    jint modifiers = 0;
    put_name(&name, method);
    lens_buffer_bytes(&name, "", 1);
    (*lens.jvmti)->GetMethodModifiers(lens.jvmti, method, &modifiers);
    print(&value, "%d ", (int)modifiers);
    put_lines(&value, method);
    lens_buffer_bytes(&value, " ", 1);
    put_bytecodes(&value, method);
    add_value(values, (char *)name.bytes, &value);
}

static void add_class(Values *values, jclass class)
{
    jint len = 0;
    jmethodID *methods = NULL;
    char *file = NULL;
    LensBuffer value = {0};
    if ((*lens.jvmti)->GetSourceFileName(lens.jvmti, class, &file) == JVMTI_ERROR_NONE) {
        lens_buffer_bytes(&value, file, strlen(file));
        agent_deallocate(lens.jvmti, file);
    } else {
        lens_buffer_bytes(&value, "-", 1);
    }
    add_value(values, strdup("source"), &value);
    if ((*lens.jvmti)->GetClassMethods(lens.jvmti, class, &len, &methods) == JVMTI_ERROR_NONE) {
        for (jint i = 0; i < len; i++) {
            add_method(values, methods[i]);
        }
        agent_deallocate(lens.jvmti, methods);
    }
}

static LensStarted start_source(LensOrder *order, JNIEnv *jni)
{
    static const jvmtiCapabilities CODE = {.can_get_bytecodes = 1};
    const char *wanted = lens_arg(order, "class", "");
    Loaded loaded = {0};
    Values values;
    if (!get_loaded(order, &loaded)) {
        return LENS_OVER;
    }
    (*lens.jvmti)->AddCapabilities(lens.jvmti, &CODE); // refused: bytecodes are missing
    if (values_new(&values, order)) {
        for (jint i = 0; i < loaded.len && values.len == 0; i++) {
            char *name = name_of(loaded.classes[i]);
            if (name != NULL && strcmp(name, wanted) == 0) {
                add_class(&values, loaded.classes[i]);
            }
            free(name);
        }
        if (values.len > 0) {
            lens_done(order, "", values.list, values.len);
        } else {
            lens_fail(order, "no class \"%s\" is loaded", wanted);
        }
        values_free(&values);
    }
    release_loaded(jni, &loaded);
    return LENS_OVER;
}

const LensVerb lens_verb_source = {.name = "source", .start = start_source};
