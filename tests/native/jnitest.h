// SPDX-License-Identifier: Apache-2.0
// What the native test libraries share: EXPORT declares and defines a JNI entry at once, and
// checked lookups which end the process with a message, so that a test never goes on with a
// NULL.
#ifndef JNITEST_H
#define JNITEST_H

#include <jni.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT(ret, name, ...)               \
    JNIEXPORT ret JNICALL name(__VA_ARGS__); \
    JNIEXPORT ret JNICALL name(__VA_ARGS__)

#define NEED(x)                                                             \
    ({                                                                      \
        __typeof__(x) need_ = (x);                                          \
        if (need_ == NULL) {                                                \
            fprintf(stderr, "%s:%d: %s is NULL\n", __FILE__, __LINE__, #x); \
            abort();                                                        \
        }                                                                   \
        need_;                                                              \
    })

#endif
