// SPDX-License-Identifier: Apache-2.0
// Native half of CrashReport: ways to end a process.
#include "jnitest.h"

#include <pthread.h>
#include <unistd.h>

EXPORT(void, Java_CrashReport_readNull, JNIEnv *env, jclass c)
{
    (void)env, (void)c;
    (void)*(volatile int *)NULL;
}

EXPORT(void, Java_CrashReport_callNull, JNIEnv *env, jclass c)
{
    (void)env, (void)c;
    void (*volatile nowhere)(void) = NULL;
    nowhere();
    (void)*(volatile char *)env; // no tail call
}

EXPORT(void, Java_CrashReport_divide, JNIEnv *env, jclass c)
{
    (void)env, (void)c;
    volatile int zero = 0;
    zero = 100 / zero;
}

EXPORT(void, Java_CrashReport_abort, JNIEnv *env, jclass c)
{
    (void)env, (void)c;
    abort();
}

static int recurse(volatile char *above)
{
    volatile char here[1000];
    here[0] = above[0];
    return above[0] ? recurse(here) + here[0] : 0;
}

EXPORT(void, Java_CrashReport_overflow, JNIEnv *env, jclass c)
{
    (void)env, (void)c;
    char start = 1;
    recurse(&start);
}

EXPORT(void, Java_CrashReport_badReference, JNIEnv *env, jclass c)
{
    (void)c;
    volatile jclass got = (*env)->GetObjectClass(env, (jobject)(uintptr_t)0x10008);
    (void)got;
}

static void *fail(void *unused)
{
    (void)unused;
    abort();
}

EXPORT(void, Java_CrashReport_unattached, JNIEnv *env, jclass c)
{
    (void)env, (void)c;
    pthread_t t;
    pthread_create(&t, NULL, fail, NULL);
    pause();
}
