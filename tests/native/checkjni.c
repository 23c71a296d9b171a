// SPDX-License-Identifier: Apache-2.0
// Native half of CheckJni: each case misuses JNI in one way, or is a right use that must not be complained of.
#include "jnitest.h"

#include <pthread.h>

typedef struct Given {
    JNIEnv *env;
    jobject object;
    jclass cls;
    jintArray ints;
    jstring text;
} Given;

#define E (*g->env)

static jmethodID method(Given *g, const char *name, const char *desc)
{
    return NEED(E->GetMethodID(g->env, g->cls, name, desc));
}
static jmethodID static_method(Given *g, const char *name, const char *desc)
{
    return NEED(E->GetStaticMethodID(g->env, g->cls, name, desc));
}
static jfieldID field(Given *g, const char *name, const char *desc)
{
    return NEED(E->GetFieldID(g->env, g->cls, name, desc));
}
static jfieldID static_field(Given *g, const char *name, const char *desc)
{
    return NEED(E->GetStaticFieldID(g->env, g->cls, name, desc));
}
static jclass find(Given *g, const char *name)
{
    return E->FindClass(g->env, name);
}
static void *other_thread(void *env)
{
    (*(JNIEnv *)env)->GetVersion(env);
    return NULL;
}

static void right(Given *g)
{
    E->CallStaticVoidMethod(g->env, g->cls, static_method(g, "thrower", "()V"));
    E->ExceptionClear(g->env);
    E->ReleaseStringChars(g->env, g->text, NULL); // what a string without a value gave
    E->ReleaseStringUTFChars(g->env, g->text, NULL);
    jmethodID m = method(g, "m", "(I)I");
    jint r = E->CallIntMethod(g->env, g->object, m, 3);
    E->ExceptionCheck(g->env);
    jint *p = E->GetIntArrayElements(g->env, g->ints, NULL);
    p[0] = r;
    E->ReleaseIntArrayElements(g->env, g->ints, p, JNI_COMMIT);
    p[1] = r + 1;
    E->ReleaseIntArrayElements(g->env, g->ints, p, 0);
    p = E->GetPrimitiveArrayCritical(g->env, g->ints, NULL);
    const jchar *c = E->GetStringCritical(g->env, g->text, NULL);
    p[2] = c[1];
    E->ReleaseStringCritical(g->env, g->text, c);
    E->ReleasePrimitiveArrayCritical(g->env, g->ints, p, 0);
    const char *utf = E->GetStringUTFChars(g->env, g->text, NULL);
    jint got[3];
    E->GetIntArrayRegion(g->env, g->ints, 0, 3, got);
    printf("%d %d %d %s %s\n", got[0], got[1], got[2], utf, utf + strlen(utf));
    E->ReleaseStringUTFChars(g->env, g->text, utf);
    E->SetIntField(g->env, g->object, field(g, "f", "I"), 5);
    E->SetStaticIntField(g->env, g->cls, static_field(g, "sf", "I"), 6);
    E->GetIntField(g->env, g->object, field(g, "inherited", "I"));
    jobject made =
        E->NewObject(g->env, g->cls, E->GetMethodID(g->env, g->cls, "<init>", "()V"));
    E->DeleteLocalRef(g->env, made);
    E->IsSameObject(g->env, NULL, g->object);
    jweak weak = E->NewWeakGlobalRef(g->env, g->object);
    E->DeleteWeakGlobalRef(g->env, weak);
    fflush(stdout);
}
static void pending(Given *g)
{
    E->CallStaticVoidMethod(g->env, g->cls, static_method(g, "thrower", "()V"));
    find(g, "java/lang/Object");
}
static void thrown(Given *g)
{
    E->ThrowNew(g->env, find(g, "java/lang/Error"), "e");
    E->NewStringUTF(g->env, "x");
}
static void unchecked(Given *g)
{
    E->CallStaticIntMethod(g->env, g->cls, static_method(g, "sm", "()I"));
    find(g, "java/lang/Object");
}
static void unchecked_new(Given *g)
{
    E->NewObject(g->env, g->cls, E->GetMethodID(g->env, g->cls, "<init>", "()V"));
    find(g, "java/lang/Object");
}
// Leaves a call unchecked; a second native method, called after this one, is not to blame.
static void unchecked_return(Given *g)
{
    E->CallStaticIntMethod(g->env, g->cls, static_method(g, "sm", "()I"));
}
static void garbage(Given *g)
{
    E->GetObjectClass(g->env, (jobject)(uintptr_t)0x1234568);
}
static void null_object(Given *g)
{
    E->GetIntField(g->env, NULL, field(g, "f", "I"));
}
static void field_type(Given *g)
{
    E->GetFloatField(g->env, g->object, field(g, "f", "I"));
}
static void field_not_static(Given *g)
{
    E->GetStaticIntField(g->env, g->cls, field(g, "f", "I"));
}
static void static_field_type(Given *g)
{
    E->GetStaticLongField(g->env, g->cls, static_field(g, "sf", "I"));
}
static void null_receiver(Given *g)
{
    E->CallIntMethod(g->env, NULL, method(g, "m", "(I)I"), 1);
}
static void not_class(Given *g)
{
    E->CallStaticIntMethod(g->env, (jclass)g->object, static_method(g, "sm", "()I"));
}
static void not_array(Given *g)
{
    E->GetArrayLength(g->env, (jarray)g->object);
}
static void array_type(Given *g)
{
    jfloat out[2];
    E->GetFloatArrayRegion(g->env, (jfloatArray)g->ints, 0, 2, out);
}
static void not_object_array(Given *g)
{
    E->GetObjectArrayElement(g->env, (jobjectArray)g->ints, 0);
}
static void not_string(Given *g)
{
    E->GetStringLength(g->env, (jstring)g->object);
}
static void null_string(Given *g)
{
    E->GetStringUTFChars(g->env, NULL, NULL);
}
static void in_critical(Given *g)
{
    jint *p = E->GetPrimitiveArrayCritical(g->env, g->ints, NULL);
    find(g, "java/lang/Object");
    E->ReleasePrimitiveArrayCritical(g->env, g->ints, p, 0);
}
static void array_overrun(Given *g)
{
    jint *p = E->GetIntArrayElements(g->env, g->ints, NULL);
    p[8] = 7;
    E->ReleaseIntArrayElements(g->env, g->ints, p, 0);
}
static void critical_overrun(Given *g)
{
    jint *p = E->GetPrimitiveArrayCritical(g->env, g->ints, NULL);
    p[8] = 7;
    E->ReleasePrimitiveArrayCritical(g->env, g->ints, p, 0);
}
static void string_overrun(Given *g)
{
    const char *p = E->GetStringUTFChars(g->env, g->text, NULL);
    ((char *)(uintptr_t)p)[5] = 'x';
    E->ReleaseStringUTFChars(g->env, g->text, p);
}
static void release_mode(Given *g)
{
    jint *p = E->GetIntArrayElements(g->env, g->ints, NULL);
    E->ReleaseIntArrayElements(g->env, g->ints, p, 9);
}
static void stale_local(Given *g)
{
    jobject o = E->NewLocalRef(g->env, g->object);
    E->DeleteLocalRef(g->env, o);
    E->GetObjectClass(g->env, o);
}
static jobject deleted_global(Given *g)
{
    jobject o = E->NewGlobalRef(g->env, g->object);
    E->DeleteGlobalRef(g->env, o);
    return o;
}
static void stale_global(Given *g)
{
    jobject o = deleted_global(g);
    E->GetObjectClass(g->env, o);
}
static void stale_weak(Given *g)
{
    jobject o = E->NewWeakGlobalRef(g->env, g->object);
    E->DeleteWeakGlobalRef(g->env, o);
    E->GetObjectClass(g->env, o);
}
static void stale_type(Given *g)
{
    jobject o = deleted_global(g);
    E->GetObjectRefType(g->env, o);
}
static void stale_frame_result(Given *g)
{
    jobject o = deleted_global(g);
    E->PushLocalFrame(g->env, 4);
    printf("%d\n", E->PopLocalFrame(g->env, o) == NULL);
    fflush(stdout);
}
static void delete_weak_twice(Given *g)
{
    jweak o = E->NewWeakGlobalRef(g->env, g->object);
    E->DeleteWeakGlobalRef(g->env, o);
    E->DeleteWeakGlobalRef(g->env, o);
}
static void delete_local_as_global(Given *g)
{
    E->DeleteGlobalRef(g->env, g->object);
}
static void foreign_thread(Given *g)
{
    pthread_t t;
    pthread_create(&t, NULL, other_thread, g->env);
    pthread_join(t, NULL);
}
static void descriptor(Given *g)
{
    find(g, "Ljava/lang/Object;");
}
static void not_throwable(Given *g)
{
    E->Throw(g->env, (jthrowable)g->object);
}
static void not_throwable_class(Given *g)
{
    E->ThrowNew(g->env, g->cls, "x");
}
static void monitor_null(Given *g)
{
    E->MonitorEnter(g->env, NULL);
}
static void null_class(Given *g)
{
    E->GetMethodID(g->env, NULL, "x", "()V");
}
static void other_class(Given *g)
{
    jclass string = find(g, "java/lang/String");
    E->CallNonvirtualIntMethod(g->env, g->object, string, method(g, "m", "(I)I"), 1);
}
static void constructor_of_other(Given *g)
{
    jclass string = find(g, "java/lang/String");
    E->NewObject(g->env, string, method(g, "<init>", "()V"));
}
static void negative_capacity(Given *g)
{
    E->EnsureLocalCapacity(g->env, -1);
}
static void negative_frame(Given *g)
{
    E->PushLocalFrame(g->env, -1);
}
static void fatal(Given *g)
{
    E->FatalError(g->env, "words of the library");
}

static void fatal_pending(Given *g)
{
    E->ThrowNew(g->env, find(g, "java/lang/Error"), "e");
    fatal(g);
}
static void fatal_unchecked(Given *g)
{
    E->CallStaticIntMethod(g->env, g->cls, static_method(g, "sm", "()I"));
    fatal(g);
}

static void bad_utf8(Given *g)
{
    find(g, "a\x18\xf8 b");
}
static void *fatal_thread_start(void *vm_given)
{
    JavaVM *vm = vm_given;
    JNIEnv *env;
    (*vm)->AttachCurrentThread(vm, (void **)&env, NULL);
    (*env)->FatalError(env, "of a thread without Java");
    return NULL;
}
static void fatal_without_java(Given *g)
{
    JavaVM *vm;
    pthread_t thread;
    E->GetJavaVM(g->env, &vm);
    pthread_create(&thread, NULL, fatal_thread_start, vm);
    pthread_join(thread, NULL);
}

#define CASE(name)  \
    {               \
#        name, name \
    }
static const struct {
    const char *name;
    void (*run)(Given *g);
} cases[] = {
    CASE(right),
    CASE(pending),
    CASE(thrown),
    CASE(unchecked),
    CASE(unchecked_new),
    CASE(unchecked_return),
    CASE(garbage),
    CASE(null_object),
    CASE(field_type),
    CASE(field_not_static),
    CASE(static_field_type),
    CASE(null_receiver),
    CASE(not_class),
    CASE(not_array),
    CASE(array_type),
    CASE(not_object_array),
    CASE(not_string),
    CASE(null_string),
    CASE(in_critical),
    CASE(array_overrun),
    CASE(critical_overrun),
    CASE(string_overrun),
    CASE(release_mode),
    CASE(stale_local),
    CASE(stale_global),
    CASE(stale_weak),
    CASE(stale_type),
    CASE(stale_frame_result),
    CASE(delete_weak_twice),
    CASE(delete_local_as_global),
    CASE(foreign_thread),
    CASE(descriptor),
    CASE(not_throwable),
    CASE(not_throwable_class),
    CASE(monitor_null),
    CASE(null_class),
    CASE(other_class),
    CASE(constructor_of_other),
    CASE(negative_capacity),
    CASE(negative_frame),
    CASE(fatal),
    CASE(fatal_pending),
    CASE(fatal_unchecked),
    CASE(bad_utf8),
    CASE(fatal_without_java),
};

EXPORT(jobjectArray, Java_CheckJni_names, JNIEnv *env, jclass c)
{
    (void)c;
    jsize n = sizeof cases / sizeof *cases;
    jobjectArray names =
        (*env)->NewObjectArray(env, n, (*env)->FindClass(env, "java/lang/String"), NULL);
    for (jsize i = 0; i < n; i++)
        (*env)->SetObjectArrayElement(env, names, i, (*env)->NewStringUTF(env, cases[i].name));
    return names;
}

EXPORT(void, Java_CheckJni_run, JNIEnv *env, jclass c, jint i, jobject o, jintArray ints,
       jstring text)
{
    cases[i].run(&(Given){env, o, c, ints, text});
}
