// SPDX-License-Identifier: Apache-2.0
// Native half of JniRefs: local frames, global and weak references, classes, reflection in both
// directions, RegisterNatives, DefineClass, lookups that fail.
#include "jnitest.h"

static jobject kept_global;
static jweak kept_weak;

EXPORT(jobject, Java_JniRefs_frames, JNIEnv *env, jclass c, jint n)
{
    (void)c;
    jobject res = NULL;
    for (jint i = 0; i < n; i++) {
        if ((*env)->PushLocalFrame(env, 20) != 0) {
            return NULL;
        }
        for (int k = 0; k < 20; k++) {
            char buf[32];
            snprintf(buf, sizeof buf, "s%d.%d", i, k);
            res = NEED((*env)->NewStringUTF(env, buf));
        }
        res = (*env)->PopLocalFrame(env, res);
        if (i < n - 1) {
            (*env)->DeleteLocalRef(env, res);
        }
    }
    return res;
}

EXPORT(jint, Java_JniRefs_many, JNIEnv *env, jclass c, jint n)
{
    (void)c;
    if ((*env)->EnsureLocalCapacity(env, n) != 0) {
        return -1;
    }
    jobject *all = calloc((size_t)n, sizeof *all);
    for (jint i = 0; i < n; i++) {
        all[i] = NEED((*env)->NewIntArray(env, i % 10));
    }
    jint sum = 0;
    for (jint i = 0; i < n; i++) {
        sum += (*env)->GetArrayLength(env, all[i]);
        (*env)->DeleteLocalRef(env, all[i]);
    }
    free(all);
    return sum;
}

// How many of these capacities are refused: more than MaxJNILocalCapacity, less than none.
EXPORT(jint, Java_JniRefs_refused, JNIEnv *env, jclass c)
{
    (void)c;
    static const jint capacities[] = {-1, 0, 65536, 65537, 1000000};
    jint refused = 0;
    for (int i = 0; i < 5; i++) {
        refused += (*env)->EnsureLocalCapacity(env, capacities[i]) != JNI_OK;
        (*env)->ExceptionClear(env);
        if ((*env)->PushLocalFrame(env, capacities[i]) == JNI_OK)
            (*env)->PopLocalFrame(env, NULL);
        else
            refused++;
        (*env)->ExceptionClear(env);
    }
    return refused;
}

// A boolean argument that is neither 0 nor 1 in its byte.
EXPORT(jint, Java_JniRefs_booleans, JNIEnv *env, jclass c)
{
    jmethodID m = NEED((*env)->GetStaticMethodID(env, c, "asInt", "(Z)I"));
    jvalue two = {.z = 2};
    return (*env)->CallStaticIntMethodA(env, c, m, &two) * 100
           + (*env)->CallStaticIntMethod(env, c, m, 2) * 10
           + (*env)->CallStaticIntMethod(env, c, m, 256);
}

// Prints nothing.
EXPORT(jboolean, Java_JniRefs_describe, JNIEnv *env, jclass c, jthrowable death)
{
    (void)c;
    (*env)->Throw(env, death);
    (*env)->ExceptionDescribe(env);
    return (*env)->ExceptionCheck(env);
}

EXPORT(void, Java_JniRefs_keep, JNIEnv *env, jclass c, jobject g, jobject w)
{
    (void)c;
    kept_global = NEED((*env)->NewGlobalRef(env, g));
    kept_weak = NEED((*env)->NewWeakGlobalRef(env, w));
}

EXPORT(jobject, Java_JniRefs_global, JNIEnv *env, jclass c)
{
    (void)c;
    return (*env)->NewLocalRef(env, kept_global);
}

EXPORT(jobject, Java_JniRefs_weak, JNIEnv *env, jclass c)
{
    (void)c;
    if ((*env)->IsSameObject(env, kept_weak, NULL)) {
        return NULL;
    }
    return (*env)->NewLocalRef(env, kept_weak);
}

EXPORT(void, Java_JniRefs_drop, JNIEnv *env, jclass c)
{
    (void)c;
    (*env)->DeleteGlobalRef(env, kept_global);
    (*env)->DeleteWeakGlobalRef(env, kept_weak);
    (*env)->DeleteLocalRef(env, NULL);
    (*env)->DeleteGlobalRef(env, NULL);
}

EXPORT(jstring, Java_JniRefs_kinds, JNIEnv *env, jclass c, jobject o)
{
    char buf[128];
    jobject l = (*env)->NewLocalRef(env, o);
    jobject g = (*env)->NewGlobalRef(env, o);
    jweak w = (*env)->NewWeakGlobalRef(env, o);
    (void)c;
    snprintf(buf, sizeof buf, "%d %d %d %d same %d %d %d null %p",
             (*env)->GetObjectRefType(env, o), (*env)->GetObjectRefType(env, l),
             (*env)->GetObjectRefType(env, g), (*env)->GetObjectRefType(env, w),
             (*env)->IsSameObject(env, l, g), (*env)->IsSameObject(env, g, w),
             (*env)->IsSameObject(env, l, NULL), (void *)(*env)->NewGlobalRef(env, NULL));
    (*env)->DeleteGlobalRef(env, g);
    (*env)->DeleteWeakGlobalRef(env, w);
    return (*env)->NewStringUTF(env, buf);
}

// What was deleted before stands for NULL where references are copied and compared.
EXPORT(jstring, Java_JniRefs_stale, JNIEnv *env, jclass c, jobject o)
{
    char buf[128];
    (void)c;
    jobject g = (*env)->NewGlobalRef(env, o), h = (*env)->NewGlobalRef(env, o);
    jweak w = (*env)->NewWeakGlobalRef(env, o), v = (*env)->NewWeakGlobalRef(env, o);
    (*env)->DeleteGlobalRef(env, h); // so that what is deleted next has a free slot to follow
    (*env)->DeleteGlobalRef(env, g);
    (*env)->DeleteWeakGlobalRef(env, v);
    (*env)->DeleteWeakGlobalRef(env, w);
    (*env)->PushLocalFrame(env, 4);
    jobject popped = (*env)->PopLocalFrame(env, g);
    snprintf(buf, sizeof buf, "stale %d %d same %d %d %d new %p %p %p %p popped %p",
             (*env)->GetObjectRefType(env, g), (*env)->GetObjectRefType(env, w),
             (*env)->IsSameObject(env, g, NULL), (*env)->IsSameObject(env, w, NULL),
             (*env)->IsSameObject(env, g, o), (void *)(*env)->NewLocalRef(env, g),
             (void *)(*env)->NewLocalRef(env, w), (void *)(*env)->NewGlobalRef(env, g),
             (void *)(*env)->NewWeakGlobalRef(env, w), (void *)popped);
    return (*env)->NewStringUTF(env, buf);
}

EXPORT(jobject, Java_JniRefs_find, JNIEnv *env, jclass c, jstring name)
{
    (void)c;
    const char *u = NEED((*env)->GetStringUTFChars(env, name, NULL));
    jclass r = (*env)->FindClass(env, u);
    (*env)->ReleaseStringUTFChars(env, name, u);
    return r;
}

EXPORT(jstring, Java_JniRefs_relations, JNIEnv *env, jclass c, jclass a, jclass b, jobject o)
{
    char buf[64];
    (void)c;
    snprintf(buf, sizeof buf, "%d %d %d super %d version %x",
             (*env)->IsAssignableFrom(env, a, b), (*env)->IsInstanceOf(env, o, a),
             (*env)->IsInstanceOf(env, NULL, a), (*env)->GetSuperclass(env, a) != NULL,
             (unsigned)(*env)->GetVersion(env));
    return (*env)->NewStringUTF(env, buf);
}

EXPORT(jobject, Java_JniRefs_reflect, JNIEnv *env, jclass c, jobject method, jobject field,
       jobject ctor)
{
    jmethodID m = NEED((*env)->FromReflectedMethod(env, method));
    jfieldID f = NEED((*env)->FromReflectedField(env, field));
    jmethodID k = NEED((*env)->FromReflectedMethod(env, ctor));
    jobject o = NEED((*env)->NewObject(env, c, k));
    jint v = (*env)->GetIntField(env, o, f);
    (*env)->SetIntField(env, o, f, v + (*env)->CallIntMethod(env, o, m, 5));
    jobjectArray r =
        NEED((*env)->NewObjectArray(env, 4, (*env)->FindClass(env, "java/lang/Object"), o));
    (*env)->SetObjectArrayElement(env, r, 1, (*env)->ToReflectedMethod(env, c, m, JNI_FALSE));
    (*env)->SetObjectArrayElement(env, r, 2, (*env)->ToReflectedField(env, c, f, JNI_FALSE));
    (*env)->SetObjectArrayElement(env, r, 3, (*env)->ToReflectedMethod(env, c, k, JNI_FALSE));
    return r;
}

EXPORT(jboolean, Java_JniRefs_lookup, JNIEnv *env, jclass c, jint kind, jclass where,
       jstring name, jstring sig)
{
    (void)c;
    const char *n = NEED((*env)->GetStringUTFChars(env, name, NULL));
    const char *s = NEED((*env)->GetStringUTFChars(env, sig, NULL));
    void *r = kind == 0   ? (void *)(*env)->GetMethodID(env, where, n, s)
              : kind == 1 ? (void *)(*env)->GetStaticMethodID(env, where, n, s)
              : kind == 2 ? (void *)(*env)->GetFieldID(env, where, n, s)
                          : (void *)(*env)->GetStaticFieldID(env, where, n, s);
    (*env)->ReleaseStringUTFChars(env, name, n);
    (*env)->ReleaseStringUTFChars(env, sig, s);
    return r != NULL;
}

static jint registered(JNIEnv *env, jclass c, jint i)
{
    (void)env;
    (void)c;
    return i * 3;
}

static jstring registered_too(JNIEnv *env, jobject o, jlong a, jdouble b)
{
    char buf[64];
    (void)o;
    snprintf(buf, sizeof buf, "reg %lld %g", (long long)a, b);
    return (*env)->NewStringUTF(env, buf);
}

EXPORT(jint, Java_JniRefs_register, JNIEnv *env, jclass c, jint what)
{
    JNINativeMethod good[] = {
        {(char *)"viaRegister", (char *)"(I)I", (void *)registered},
        {(char *)"viaRegister2", (char *)"(JD)Ljava/lang/String;", (void *)registered_too},
    };
    JNINativeMethod bad[] = {{(char *)"noSuch", (char *)"()V", (void *)registered}};
    JNINativeMethod nonnative[] = {{(char *)"plain", (char *)"(I)I", (void *)registered}};
    return what == 0   ? (*env)->RegisterNatives(env, c, good, 2)
           : what == 1 ? (*env)->RegisterNatives(env, c, bad, 1)
           : what == 2 ? (*env)->RegisterNatives(env, c, nonnative, 1)
                       : (*env)->UnregisterNatives(env, c);
}

EXPORT(jclass, Java_JniRefs_define, JNIEnv *env, jclass c, jstring name, jobject loader,
       jbyteArray b)
{
    (void)c;
    jsize n = (*env)->GetArrayLength(env, b);
    jbyte *e = NEED((*env)->GetByteArrayElements(env, b, NULL));
    const char *u = name == NULL ? NULL : (*env)->GetStringUTFChars(env, name, NULL);
    jclass r = (*env)->DefineClass(env, u, loader, e, n);
    (*env)->ReleaseByteArrayElements(env, b, e, JNI_ABORT);
    if (u != NULL) {
        (*env)->ReleaseStringUTFChars(env, name, u);
    }
    return r;
}

EXPORT(jstring, Java_JniRefs_module, JNIEnv *env, jclass c, jclass of)
{
    (void)c;
    jobject m = NEED((*env)->GetModule(env, of));
    jmethodID id = NEED((*env)->GetMethodID(env, (*env)->GetObjectClass(env, m), "getName",
                                            "()Ljava/lang/String;"));
    return (*env)->CallObjectMethod(env, m, id);
}

EXPORT(jint, JNI_OnLoad, JavaVM *vm, void *reserved)
{
    JNIEnv *env;
    (void)reserved;
    if ((*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_10) != JNI_OK) {
        return -1;
    }
    printf("OnLoad %d\n", (*vm)->GetEnv(vm, (void **)&env, 0x7fff0000) == JNI_EVERSION);
    fflush(stdout);
    return JNI_VERSION_1_8;
}
