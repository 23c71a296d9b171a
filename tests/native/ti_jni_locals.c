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

EXPORT(void, Java_JniLocals_roots, JNIEnv *jni, jclass c, jstring where)
{
    (void)c;
    jvmtiHeapCallbacks calls = {.heap_reference_callback = reference};
    const char *text = (*jni)->GetStringUTFChars(jni, where, NULL);
    say("%s", text);
    (*jni)->ReleaseStringUTFChars(jni, where, text);
    seen_count = 0;
    MUST((*ti)->FollowReferences(ti, 0, NULL, NULL, &calls, NULL));
    qsort(seen, (size_t)seen_count, sizeof *seen, by_tag);
    for (int i = 0; i < seen_count; i++)
        say("  tag %d of thread %d depth %d %s", (int)seen[i].tag, (int)seen[i].thread,
            (int)seen[i].depth, method_name(ti, jni, seen[i].method));
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
