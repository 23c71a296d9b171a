// SPDX-License-Identifier: Apache-2.0
// What the JVM TI test agents share. Each agent prints what it sees on stdout; the output is
// compared between HotSpot and Pellucid.
#ifndef TESTS_TI_COMMON_H
#define TESTS_TI_COMMON_H

#include <jvmti.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// EXPORT(result, name, parameters...): an exported function with its prototype.
#ifndef EXPORT
#    define EXPORT(type, name, ...)               \
        JNIEXPORT type JNICALL name(__VA_ARGS__); \
        JNIEXPORT type JNICALL name(__VA_ARGS__)
#endif

// A whole line, at once.
static inline void say(const char *format, ...)
{
    char line[4096];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line - 1, format, args);
    va_end(args);
    strcat(line, "\n");
    fputs(line, stdout);
    fflush(stdout);
}

// Ends the process when a call that must succeed does not.
#define MUST(call)                                                                      \
    do {                                                                                \
        jvmtiError must_error_ = (call);                                                \
        if (must_error_ != JVMTI_ERROR_NONE) {                                          \
            say("%s:%d: %s gave %d", __FILE_NAME__, __LINE__, #call, (int)must_error_); \
            exit(9);                                                                    \
        }                                                                               \
    } while (0)
#ifndef __FILE_NAME__
#    define __FILE_NAME__ "agent"
#endif

static inline jvmtiEnv *new_env(JavaVM *vm, jint version)
{
    jvmtiEnv *env = NULL;
    if ((*vm)->GetEnv(vm, (void **)&env, version) != JNI_OK) {
        say("no environment");
        exit(9);
    }
    return env;
}

static inline void release(jvmtiEnv *env, void *memory)
{
    (*env)->Deallocate(env, memory);
}

// Copies of names in a small ring: good for a line of output.
static inline char *ring(void)
{
    static _Thread_local char names[8][512];
    static _Thread_local unsigned next;
    return names[next++ % 8];
}

// "LFoo;" of a class; "-" for NULL.
static inline const char *class_name(jvmtiEnv *env, jclass c)
{
    char *signature, *out = ring();
    if (!c)
        return "-";
    MUST((*env)->GetClassSignature(env, c, &signature, NULL));
    snprintf(out, 512, "%s", signature);
    release(env, signature);
    return out;
}

// "LFoo;.name(I)V"; "-" for NULL.
static inline const char *method_name(jvmtiEnv *env, JNIEnv *jni, jmethodID m)
{
    char *name, *desc, *out = ring();
    jclass c;
    if (!m)
        return "-";
    MUST((*env)->GetMethodName(env, m, &name, &desc, NULL));
    MUST((*env)->GetMethodDeclaringClass(env, m, &c));
    snprintf(out, 512, "%s.%s%s", class_name(env, c), name, desc);
    (*jni)->DeleteLocalRef(jni, c);
    release(env, name);
    release(env, desc);
    return out;
}

static inline const char *thread_name(jvmtiEnv *env, JNIEnv *jni, jthread t)
{
    jvmtiThreadInfo info;
    char *out = ring();
    if ((*env)->GetThreadInfo(env, t, &info) != JVMTI_ERROR_NONE)
        return "?";
    snprintf(out, 512, "%s", info.name);
    release(env, info.name);
    (*jni)->DeleteLocalRef(jni, info.thread_group);
    (*jni)->DeleteLocalRef(jni, info.context_class_loader);
    return out;
}

static inline void enable(jvmtiEnv *env, jvmtiEvent event)
{
    MUST((*env)->SetEventNotificationMode(env, JVMTI_ENABLE, event, NULL));
}
static inline void disable(jvmtiEnv *env, jvmtiEvent event)
{
    MUST((*env)->SetEventNotificationMode(env, JVMTI_DISABLE, event, NULL));
}

#endif
