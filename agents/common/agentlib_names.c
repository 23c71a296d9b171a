// SPDX-License-Identifier: Apache-2.0
// Names of classes, methods and threads, from JVM TI to readable UTF-8. Local references that
// JVM TI hands out are deleted here: a callback may run in a native frame that lives for long.
#define _GNU_SOURCE
#include "agentlib.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    char code;
    const char *name;
} PRIMITIVES[] = {{'B', "byte"}, {'C', "char"},  {'D', "double"},  {'F', "float"}, {'I', "int"},
                  {'J', "long"}, {'S', "short"}, {'Z', "boolean"}, {'V', "void"}};

// Cuts "$14" off "Foo$$Lambda$14": a counter of the run, no part of the program.
static void cut_lambda_number(char *name)
{
    char *tail = strstr(name, "$$Lambda$");
    if (tail == NULL) {
        return;
    }
    char *number = tail + strlen("$$Lambda");
    if (number[1 + strspn(number + 1, "0123456789")] == '\0') {
        *number = '\0';
    }
}

char *agent_class_name(const char *signature)
{
    assert(signature != NULL);
    char *utf8 = agent_utf8(signature[0] == 'L' ? signature + 1 : signature);
    if (utf8 == NULL) {
        return NULL;
    }
    size_t len = strlen(utf8);
    if (len > 0 && utf8[len - 1] == ';') {
        utf8[len - 1] = '\0';
    }
    char *hidden = strchr(utf8, '.');
    if (hidden != NULL) {
        *hidden = '\0';
        cut_lambda_number(utf8);
    }
    for (char *p = utf8; *p != '\0'; p++) {
        if (*p == '/') {
            *p = '.';
        }
    }
    char *name = NULL;
    if (asprintf(&name, "%s%s", utf8, hidden != NULL ? "/hidden" : "") < 0) {
        name = NULL;
    }
    free(utf8);
    return name;
}

static char *declaring_class_name(jvmtiEnv *jvmti, JNIEnv *jni, jmethodID method)
{
    jclass class = NULL;
    char *signature = NULL;
    if (!AGENT_CALL(jvmti, GetMethodDeclaringClass, method, &class)) {
        return NULL;
    }
    char *name = NULL;
    if (AGENT_CALL(jvmti, GetClassSignature, class, &signature, NULL)) {
        name = agent_class_name(signature);
        agent_deallocate(jvmti, signature);
    }
    (*jni)->DeleteLocalRef(jni, class);
    return name;
}

char *agent_method_name(jvmtiEnv *jvmti, JNIEnv *jni, jmethodID method)
{
    char *class = declaring_class_name(jvmti, jni, method);
    if (class == NULL) {
        return NULL;
    }
    char *method_name = NULL;
    char *signature = NULL;
    char *full = NULL;
    if (AGENT_CALL(jvmti, GetMethodName, method, &method_name, &signature, NULL)) {
        char *m = agent_utf8(method_name);
        char *s = agent_utf8(signature);
        if (m == NULL || s == NULL || asprintf(&full, "%s.%s%s", class, m, s) < 0) {
            full = NULL;
        }
        free(m);
        free(s);
        agent_deallocate(jvmti, method_name);
        agent_deallocate(jvmti, signature);
    }
    free(class);
    return full;
}

static size_t append(char *out, size_t size, size_t at, const char *text, size_t len)
{
    for (size_t i = 0; i < len && at + 1 < size; i++) {
        out[at++] = text[i];
    }
    return at;
}

// The simple name of the type at `d`; returns where the next type begins.
static const char *append_type(const char *d, char *out, size_t size, size_t *at)
{
    size_t dimensions = strspn(d, "[");
    d += dimensions;
    if (*d == 'L') {
        size_t len = strcspn(d, ";");
        const char *slash = memrchr(d, '/', len);
        const char *simple = slash != NULL ? slash + 1 : d + 1;
        *at = append(out, size, *at, simple, (size_t)(d + len - simple));
        d += len + (d[len] == ';');
    } else if (*d != '\0') {
        for (size_t i = 0; i < sizeof PRIMITIVES / sizeof PRIMITIVES[0]; i++) {
            if (PRIMITIVES[i].code == *d) {
                *at = append(out, size, *at, PRIMITIVES[i].name, strlen(PRIMITIVES[i].name));
            }
        }
        d++;
    }
    while (dimensions-- > 0) {
        *at = append(out, size, *at, "[]", 2);
    }
    return d;
}

void agent_pretty_method(const char *name, char *out, size_t size)
{
    assert(size > 0); // the end of the text
    size_t head = strcspn(name, "(");
    size_t at = append(out, size, 0, name, head);
    if (name[head] == '(') {
        at = append(out, size, at, "(", 1);
        const char *first = name + head + 1;
        for (const char *d = first; *d != '\0' && *d != ')';) {
            if (d != first) {
                at = append(out, size, at, ", ", 2);
            }
            d = append_type(d, out, size, &at);
        }
        at = append(out, size, at, ")", 1);
    }
    out[at] = '\0';
}

char *agent_thread_name(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
    jvmtiThreadInfo info = {0};
    if ((*jvmti)->GetThreadInfo(jvmti, thread, &info) != JVMTI_ERROR_NONE) {
        return strdup("?");
    }
    char *name = info.name != NULL ? agent_utf8(info.name) : strdup("?");
    agent_deallocate(jvmti, info.name);
    if (info.thread_group != NULL) {
        (*jni)->DeleteLocalRef(jni, info.thread_group);
    }
    if (info.context_class_loader != NULL) {
        (*jni)->DeleteLocalRef(jni, info.context_class_loader);
    }
    return name;
}
