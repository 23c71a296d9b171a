// SPDX-License-Identifier: Apache-2.0
// Native half of JniArrays: elements, regions and critical access of every primitive type,
// object arrays, direct buffers.
#include "jnitest.h"

#define TYPES(X)               \
    X(Boolean, jboolean, "%d") \
    X(Byte, jbyte, "%d")       \
    X(Char, jchar, "%d")       \
    X(Short, jshort, "%d")     \
    X(Int, jint, "%d")         \
    X(Long, jlong, "%ld")      \
    X(Float, jfloat, "%g")     \
    X(Double, jdouble, "%g")

static void throw_new(JNIEnv *env, const char *cls, const char *msg)
{
    (*env)->ThrowNew(env, NEED((*env)->FindClass(env, cls)), msg);
}

#define ARRAY(N, T, F)                                                                         \
    EXPORT(jstring, Java_JniArrays_work##N, JNIEnv *env, jclass c, j##N##Array_ a)             \
    {                                                                                          \
        (void)c;                                                                               \
        char buf[512] = "";                                                                    \
        jsize n = (*env)->GetArrayLength(env, a);                                              \
        jboolean copy = 7;                                                                     \
        T *e = NEED((*env)->Get##N##ArrayElements(env, a, &copy));                             \
        for (jsize i = 0; i < n; i++) {                                                        \
            snprintf(buf + strlen(buf), sizeof buf - strlen(buf), F " ", e[i]);                \
        }                                                                                      \
        e[0] = (T)1;                                                                           \
        (*env)->Release##N##ArrayElements(env, a, e, JNI_COMMIT);                              \
        e[1] = (T)1;                                                                           \
        (*env)->Release##N##ArrayElements(env, a, e, 0);                                       \
        T r[3] = {0};                                                                          \
        (*env)->Get##N##ArrayRegion(env, a, 1, 3, r);                                          \
        r[2] = (T)(r[0] != 0);                                                                 \
        (*env)->Set##N##ArrayRegion(env, a, n - 2, 2, r + 1);                                  \
        T *k = NEED((*env)->GetPrimitiveArrayCritical(env, a, NULL));                          \
        k[2] = k[0];                                                                           \
        (*env)->ReleasePrimitiveArrayCritical(env, a, k, 0);                                   \
        j##N##Array_ fresh = NEED((*env)->New##N##Array(env, 4));                              \
        (*env)->Get##N##ArrayRegion(env, fresh, 0, 3, r);                                      \
        snprintf(buf + strlen(buf), sizeof buf - strlen(buf), "| " F " %d %d", r[2],           \
                 (*env)->GetArrayLength(env, fresh), copy == 0 || copy == 1);                  \
        return (*env)->NewStringUTF(env, buf);                                                 \
    }                                                                                          \
    EXPORT(void, Java_JniArrays_bad##N, JNIEnv *env, jclass c, j##N##Array_ a, jint s, jint n) \
    {                                                                                          \
        (void)c;                                                                               \
        T r[64];                                                                               \
        (*env)->Get##N##ArrayRegion(env, a, s, n, r);                                          \
        if ((*env)->ExceptionCheck(env)) {                                                     \
            return;                                                                            \
        }                                                                                      \
        (*env)->Set##N##ArrayRegion(env, a, s, n, r);                                          \
    }
#define jBooleanArray_ jbooleanArray
#define jByteArray_    jbyteArray
#define jCharArray_    jcharArray
#define jShortArray_   jshortArray
#define jIntArray_     jintArray
#define jLongArray_    jlongArray
#define jFloatArray_   jfloatArray
#define jDoubleArray_  jdoubleArray
TYPES(ARRAY)

EXPORT(void, Java_JniArrays_setRegion, JNIEnv *env, jclass c, jintArray a, jint s, jint n)
{
    (void)c;
    jint r[16] = {0};
    (*env)->SetIntArrayRegion(env, a, s, n, r);
}

EXPORT(void, Java_JniArrays_abortElements, JNIEnv *env, jclass c, jintArray a)
{
    (void)c;
    jboolean copy = 0;
    jint *e = NEED((*env)->GetIntArrayElements(env, a, &copy));
    if (copy) {
        e[0] = 12345;
    }
    (*env)->ReleaseIntArrayElements(env, a, e, JNI_ABORT);
}

EXPORT(jobjectArray, Java_JniArrays_objects, JNIEnv *env, jclass c, jobject init)
{
    (void)c;
    jclass str = NEED((*env)->FindClass(env, "java/lang/String"));
    jobjectArray a = NEED((*env)->NewObjectArray(env, 3, str, init));
    (*env)->SetObjectArrayElement(env, a, 1, NULL);
    jobject e = (*env)->GetObjectArrayElement(env, a, 0);
    if (!(*env)->IsSameObject(env, e, init)) {
        throw_new(env, "java/lang/Error", "element differs");
    }
    return a;
}

EXPORT(jobjectArray, Java_JniArrays_matrix, JNIEnv *env, jclass c, jint n)
{
    (void)c;
    jclass ia = NEED((*env)->FindClass(env, "[I"));
    jobjectArray a = NEED((*env)->NewObjectArray(env, n, ia, NULL));
    for (jint i = 0; i < n; i++) {
        jintArray row = NEED((*env)->NewIntArray(env, i));
        for (jint k = 0; k < i; k++) {
            (*env)->SetIntArrayRegion(env, row, k, 1, &k);
        }
        (*env)->SetObjectArrayElement(env, a, i, row);
        (*env)->DeleteLocalRef(env, row);
    }
    return a;
}

EXPORT(void, Java_JniArrays_store, JNIEnv *env, jclass c, jobjectArray a, jint i, jobject o)
{
    (void)c;
    (*env)->SetObjectArrayElement(env, a, i, o);
}

EXPORT(jobject, Java_JniArrays_load, JNIEnv *env, jclass c, jobjectArray a, jint i)
{
    (void)c;
    return (*env)->GetObjectArrayElement(env, a, i);
}

EXPORT(jobject, Java_JniArrays_negative, JNIEnv *env, jclass c, jint kind)
{
    (void)c;
    jclass str = NEED((*env)->FindClass(env, "java/lang/String"));
    return kind == 0 ? (jobject)(*env)->NewIntArray(env, -1)
                     : (jobject)(*env)->NewObjectArray(env, -3, str, NULL);
}

static char native_memory[64];

EXPORT(jobject, Java_JniArrays_buffer, JNIEnv *env, jclass c)
{
    (void)c;
    memset(native_memory, 3, sizeof native_memory);
    return (*env)->NewDirectByteBuffer(env, native_memory, sizeof native_memory);
}

EXPORT(jlong, Java_JniArrays_inspect, JNIEnv *env, jclass c, jobject b)
{
    (void)c;
    unsigned char *p = (*env)->GetDirectBufferAddress(env, b);
    jlong cap = (*env)->GetDirectBufferCapacity(env, b);
    if (p == NULL) {
        return -1000 + cap;
    }
    p[0]++;
    return p[1] * 1000 + cap;
}
