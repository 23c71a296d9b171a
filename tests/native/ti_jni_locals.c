// SPDX-License-Identifier: Apache-2.0
// For tests/agents/JniLocals.java: prints the JNI local references to tagged objects.
#include "ti_common.h"

static jvmtiEnv *ti;
static struct Seen {
    jlong tag, thread;
    jint depth;
    jmethodID method;
} seen[100];
static int seen_count;

static jint JNICALL reference(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info,
                              jlong class_tag, jlong referrer_class_tag, jlong size, jlong *tag,
                              jlong *referrer_tag, jint length, void *data)
{
    (void)class_tag, (void)referrer_class_tag, (void)size, (void)referrer_tag, (void)length,
        (void)data;
    if (kind == JVMTI_HEAP_REFERENCE_JNI_LOCAL && *tag && seen_count < 100)
        seen[seen_count++] = (struct Seen){*tag, info->jni_local.thread_tag,
                                           info->jni_local.depth, info->jni_local.method};
    return JVMTI_VISIT_OBJECTS;
}

static int by_tag(const void *a, const void *b)
{
    const struct Seen *x = a, *y = b;
    return x->tag != y->tag ? (x->tag < y->tag ? -1 : 1) : x->depth - y->depth;
}

static void show_roots(JNIEnv *jni)
{
    jvmtiHeapCallbacks calls = {.heap_reference_callback = reference};
    seen_count = 0;
    MUST((*ti)->FollowReferences(ti, 0, NULL, NULL, &calls, NULL));
    qsort(seen, (size_t)seen_count, sizeof *seen, by_tag);
    for (int i = 0; i < seen_count; i++)
        say("  tag %d of thread %d depth %d %s", (int)seen[i].tag, (int)seen[i].thread,
            (int)seen[i].depth, method_name(ti, jni, seen[i].method));
}

// The same by the functions of version 1.0.
static jvmtiIterationControl JNICALL old_stack(jvmtiHeapRootKind kind, jlong class_tag,
                                               jlong size, jlong *tag, jlong thread_tag,
                                               jint depth, jmethodID method, jint slot,
                                               void *data)
{
    (void)class_tag, (void)size, (void)slot, (void)data;
    if (kind == JVMTI_HEAP_ROOT_JNI_LOCAL && *tag && seen_count < 100)
        seen[seen_count++] = (struct Seen){*tag, thread_tag, depth, method};
    return JVMTI_ITERATION_CONTINUE;
}

static void show_old_roots(JNIEnv *jni)
{
    seen_count = 0;
    MUST((*ti)->IterateOverReachableObjects(ti, NULL, old_stack, NULL, NULL));
    qsort(seen, (size_t)seen_count, sizeof *seen, by_tag);
    for (int i = 0; i < seen_count; i++)
        say("  of 1.0: tag %d depth %d %s", (int)seen[i].tag, (int)seen[i].depth,
            method_name(ti, jni, seen[i].method));
}

EXPORT(void, Java_JniLocals_roots, JNIEnv *jni, jclass c, jstring where)
{
    (void)c;
    const char *text = (*jni)->GetStringUTFChars(jni, where, NULL);
    say("%s", text);
    (*jni)->ReleaseStringUTFChars(jni, where, text);
    show_roots(jni);
}

static void with_arguments(JNIEnv *jni, const char *what, jobject receiver, jobject argument)
{
    say("%s", what);
    show_roots(jni);
    show_old_roots(jni);
    jobject own = (*jni)->NewLocalRef(jni, argument);
    say("%s, with a reference of its own", what);
    show_roots(jni);
    show_old_roots(jni);
    (*jni)->DeleteLocalRef(jni, own);
    (*jni)->DeleteLocalRef(jni, receiver);
    own = (*jni)->NewLocalRef(jni, argument);
    say("%s, without its first argument", what);
    show_roots(jni);
    (*jni)->DeleteLocalRef(jni, own);
}

EXPORT(void, Java_JniLocals_00024Given_ofClass, JNIEnv *jni, jclass c, jobject o)
{
    with_arguments(jni, "static", c, o);
}

EXPORT(void, Java_JniLocals_00024Given_ofObject, JNIEnv *jni, jobject self, jobject o)
{
    with_arguments(jni, "of an object", self, o);
}

EXPORT(void, Java_JniLocals_00024Given_calls, JNIEnv *jni, jobject self, jobject o)
{
    jclass c = (*jni)->GetObjectClass(jni, self);
    (*jni)->CallStaticVoidMethod(
        jni, c, (*jni)->GetStaticMethodID(jni, c, "called", "(Ljava/lang/Object;)V"), o);
}

EXPORT(void, Java_JniLocals_tag, JNIEnv *jni, jclass c, jobject o, jlong tag)
{
    (void)jni, (void)c;
    MUST((*ti)->SetTag(ti, o, tag));
}

EXPORT(void, Java_JniLocals_keep, JNIEnv *jni, jclass c, jlong tag)
{
    jstring own = (*jni)->NewStringUTF(jni, "own");
    jobject again = (*jni)->NewLocalRef(jni, own);
    MUST((*ti)->SetTag(ti, own, tag));
    (*jni)->DeleteLocalRef(jni, own);
    (*jni)->CallStaticVoidMethod(jni, c, (*jni)->GetStaticMethodID(jni, c, "between", "(J)V"),
                                 tag);
    (*jni)->DeleteLocalRef(jni, again);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    ti = new_env(vm, JVMTI_VERSION_11);
    jvmtiCapabilities want = {.can_tag_objects = 1};
    MUST((*ti)->AddCapabilities(ti, &want));
    return JNI_OK;
}
