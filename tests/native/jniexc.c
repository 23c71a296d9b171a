// SPDX-License-Identifier: Apache-2.0
// Native half of JniExceptions: throwing, checking, clearing, exceptions through upcalls,
// monitors, deep recursion.
#include "jnitest.h"

static jmethodID static_method(JNIEnv *env, jclass c, const char *n, const char *s)
{
    return NEED((*env)->GetStaticMethodID(env, c, n, s));
}

EXPORT(jint, Java_JniExceptions_throwNew, JNIEnv *env, jclass c, jclass ex, jstring msg)
{
    (void)c;
    const char *u = msg == NULL ? NULL : (*env)->GetStringUTFChars(env, msg, NULL);
    jint r = (*env)->ThrowNew(env, ex, u);
    if (u != NULL) {
        (*env)->ReleaseStringUTFChars(env, msg, u);
    }
    return r + 5;
}

EXPORT(void, Java_JniExceptions_rethrow, JNIEnv *env, jclass c, jthrowable t)
{
    (void)c;
    (*env)->Throw(env, t);
}

EXPORT(jobject, Java_JniExceptions_catching, JNIEnv *env, jclass c, jint i)
{
    (*env)->CallStaticVoidMethod(env, c, static_method(env, c, "thrower", "(I)V"), i);
    jthrowable t = (*env)->ExceptionOccurred(env);
    jboolean b = (*env)->ExceptionCheck(env);
    (*env)->ExceptionClear(env);
    if ((t != NULL) != b || (*env)->ExceptionCheck(env)
        || (*env)->ExceptionOccurred(env) != NULL) {
        return NULL;
    }
    return t;
}

EXPORT(jint, Java_JniExceptions_passing, JNIEnv *env, jclass c, jint i)
{
    (*env)->CallStaticVoidMethod(env, c, static_method(env, c, "thrower", "(I)V"), i);
    return 1;
}

EXPORT(jint, Java_JniExceptions_nested, JNIEnv *env, jclass c, jint depth)
{
    jint r =
        (*env)->CallStaticIntMethod(env, c, static_method(env, c, "down", "(I)I"), depth - 1);
    if ((*env)->ExceptionCheck(env) && depth == 3) {
        jthrowable t = (*env)->ExceptionOccurred(env);
        (*env)->ExceptionClear(env);
        jclass w = NEED((*env)->FindClass(env, "java/lang/IllegalStateException"));
        jmethodID k = NEED((*env)->GetMethodID(env, w, "<init>",
                                               "(Ljava/lang/String;Ljava/lang/Throwable;)V"));
        (*env)->Throw(env,
                      (*env)->NewObject(env, w, k, (*env)->NewStringUTF(env, "wrapped"), t));
    }
    return r + 1;
}

EXPORT(void, Java_JniExceptions_describe, JNIEnv *env, jclass c)
{
    (*env)->CallStaticVoidMethod(env, c, static_method(env, c, "thrower", "(I)V"), 3);
    (*env)->ExceptionDescribe(env);
    if ((*env)->ExceptionCheck(env)) {
        printf("describe did not clear\n");
        fflush(stdout);
        (*env)->ExceptionClear(env);
    }
}

EXPORT(jboolean, Java_JniExceptions_npeInit, JNIEnv *env, jclass c, jclass ex)
{
    (void)c;
    jmethodID k = (*env)->GetMethodID(env, ex, "<init>", "()V");
    if (k == NULL) {
        return JNI_FALSE;
    }
    return (*env)->NewObject(env, ex, k) != NULL;
}

EXPORT(jint, Java_JniExceptions_monitors, JNIEnv *env, jclass c, jobject o)
{
    jint r = (*env)->MonitorEnter(env, o);
    r += (*env)->MonitorEnter(env, o);
    if (!(*env)->CallStaticBooleanMethod(
            env, c, static_method(env, c, "held", "(Ljava/lang/Object;)Z"), o)) {
        return -100;
    }
    r += (*env)->MonitorExit(env, o);
    if (!(*env)->CallStaticBooleanMethod(
            env, c, static_method(env, c, "held", "(Ljava/lang/Object;)Z"), o)) {
        return -200;
    }
    return r + (*env)->MonitorExit(env, o);
}

EXPORT(jint, Java_JniExceptions_badExit, JNIEnv *env, jclass c, jobject o)
{
    (void)c;
    return (*env)->MonitorExit(env, o) != JNI_OK;
}

EXPORT(jint, Java_JniExceptions_recurse, JNIEnv *env, jclass c, jint n)
{
    return (*env)->CallStaticIntMethod(env, c, static_method(env, c, "recurseUp", "(I)I"), n);
}

EXPORT(jint, Java_JniExceptions_overflow, JNIEnv *env, jclass c)
{
    (*env)->CallStaticIntMethod(env, c, static_method(env, c, "forever", "(I)I"), 0);
    jthrowable t = (*env)->ExceptionOccurred(env);
    (*env)->ExceptionClear(env);
    return t != NULL
           && (*env)->IsInstanceOf(env, t,
                                   (*env)->FindClass(env, "java/lang/StackOverflowError"));
}

EXPORT(void, Java_JniExceptions_initFails, JNIEnv *env, jclass c)
{
    (void)c;
    jclass f = (*env)->FindClass(env, "JniExceptions$Failing");
    if (f != NULL) {
        (*env)->GetStaticFieldID(env, f, "x", "I");
    }
}

EXPORT(void, Java_JniExceptions_abstractCall, JNIEnv *env, jclass c, jobject o)
{
    (void)c;
    jclass a = NEED((*env)->FindClass(env, "JniExceptions$Abs"));
    jmethodID m = NEED((*env)->GetMethodID(env, a, "go", "()V"));
    (*env)->CallNonvirtualVoidMethod(env, o, a, m);
}

EXPORT(jobject, Java_JniExceptions_instantiate, JNIEnv *env, jclass c, jclass what)
{
    (void)c;
    return (*env)->AllocObject(env, what);
}

EXPORT(jobject, Java_JniExceptions_construct, JNIEnv *env, jclass c, jclass what)
{
    (void)c;
    jmethodID m = (*env)->GetMethodID(env, what, "<init>", "()V");
    if (!m) { // java.lang.Class
        (*env)->ExceptionClear(env);
        m = NEED((*env)->GetMethodID(env, what, "<init>",
                                     "(Ljava/lang/ClassLoader;Ljava/lang/Class;)V"));
    }
    return (*env)->NewObject(env, what, m, NULL, NULL);
}

// ---- JniPendingException ----
EXPORT(jboolean, Java_JniPendingException_find, JNIEnv *env, jclass c, jstring name,
       jobjectArray pending)
{
    (void)c;
    char text[256] = "";
    (*env)->GetStringUTFRegion(env, name, 0, (*env)->GetStringLength(env, name), text);
    jclass thrown = NEED((*env)->FindClass(env, "java/lang/IllegalStateException"));
    (*env)->ThrowNew(env, thrown, "was pending");
    jclass found = (*env)->FindClass(env, text);
    jthrowable after = (*env)->ExceptionOccurred(env);
    (*env)->ExceptionClear(env);
    (*env)->SetObjectArrayElement(env, pending, 0, after);
    return found != NULL;
}

EXPORT(jboolean, Java_JniPendingException_isInstance, JNIEnv *env, jclass c, jobject o,
       jclass cls)
{
    (void)c;
    return (*env)->IsInstanceOf(env, o, cls);
}
