// SPDX-License-Identifier: Apache-2.0
// Native half of JniThreads: pthreads that attach, call up, throw, use monitors, allocate and
// detach.
#include "jnitest.h"
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static JavaVM *vm;
static jclass cls;
static atomic_int released; // the thread in blockNative

typedef struct {
    int id;
    bool daemon;
    char name[32];
    jobject group;
    int result;
} Job;

static void *worker(void *arg)
{
    Job *j = arg;
    JNIEnv *env = NULL;
    JavaVMAttachArgs a = {
        .version = JNI_VERSION_10, .name = j->name[0] ? j->name : NULL, .group = j->group};
    if ((*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_10) != JNI_EDETACHED) {
        j->result = -1;
        return NULL;
    }
    jint r = j->daemon ? (*vm)->AttachCurrentThreadAsDaemon(vm, (void **)&env, &a)
                       : (*vm)->AttachCurrentThread(vm, (void **)&env, &a);
    if (r != JNI_OK) {
        j->result = -2;
        return NULL;
    }
    JNIEnv *again = NULL;
    if ((*vm)->AttachCurrentThread(vm, (void **)&again, NULL) != JNI_OK || again != env) {
        j->result = -3;
    }
    jmethodID m =
        NEED((*env)->GetStaticMethodID(env, cls, "fromNative", "(ILjava/lang/String;)I"));
    for (int i = 0; i < 50; i++) {
        (*env)->PushLocalFrame(env, 10);
        j->result +=
            (*env)->CallStaticIntMethod(env, cls, m, j->id, (*env)->NewStringUTF(env, "arg"));
        if ((*env)->ExceptionCheck(env)) {
            (*env)->ExceptionClear(env);
            j->result += 1000;
        }
        (*env)->PopLocalFrame(env, NULL);
    }
    if ((*vm)->DetachCurrentThread(vm) != JNI_OK) {
        j->result = -4;
    }
    if ((*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_10) != JNI_EDETACHED) {
        j->result = -5;
    }
    return NULL;
}

EXPORT(jint, Java_JniThreads_run, JNIEnv *env, jclass c, jint n, jobject group, jboolean daemon)
{
    pthread_t t[64];
    Job j[64];
    (*env)->GetJavaVM(env, &vm);
    cls = (*env)->NewGlobalRef(env, c);
    jobject g = group == NULL ? NULL : (*env)->NewGlobalRef(env, group);
    for (int i = 0; i < n; i++) {
        j[i] = (Job){.id = i, .daemon = daemon, .group = g};
        if (i % 2 == 0) {
            snprintf(j[i].name, sizeof j[i].name, "native-%d", i);
        }
        pthread_create(&t[i], NULL, worker, &j[i]);
    }
    jint sum = 0;
    for (int i = 0; i < n; i++) {
        pthread_join(t[i], NULL);
        sum += j[i].result;
    }
    (*env)->DeleteGlobalRef(env, g);
    return sum;
}

static void *leaver(void *arg)
{
    JNIEnv *env;
    (void)arg;
    if ((*vm)->AttachCurrentThreadAsDaemon(vm, (void **)&env, NULL) == JNI_OK) {
        jmethodID m = NEED((*env)->GetStaticMethodID(env, cls, "blockForever", "()V"));
        (*env)->CallStaticVoidMethod(env, cls, m);
    }
    return NULL;
}

EXPORT(void, Java_JniThreads_leaveDaemon, JNIEnv *env, jclass c)
{
    pthread_t t;
    (void)env;
    (void)c;
    pthread_create(&t, NULL, leaver, NULL);
    pthread_detach(t);
}

static void *uncaught(void *arg)
{
    JNIEnv *env;
    (void)arg;
    JavaVMAttachArgs a = {.version = JNI_VERSION_1_6, .name = (char *)"thrower"};
    if ((*vm)->AttachCurrentThread(vm, (void **)&env, &a) == JNI_OK) {
        (*env)->ThrowNew(env, NEED((*env)->FindClass(env, "java/lang/IllegalStateException")),
                         "left pending");
        (*vm)->DetachCurrentThread(vm);
    }
    return NULL;
}

EXPORT(void, Java_JniThreads_pendingAtDetach, JNIEnv *env, jclass c)
{
    pthread_t t;
    (void)env;
    (void)c;
    pthread_create(&t, NULL, uncaught, NULL);
    pthread_join(t, NULL);
}

EXPORT(void, Java_JniThreads_blockNative, JNIEnv *env, jclass c)
{
    (void)env;
    (void)c;
    while (!released)
        usleep(1000);
}

EXPORT(void, Java_JniThreads_releaseNative, JNIEnv *env, jclass c)
{
    (void)env;
    (void)c;
    released = 1;
}
