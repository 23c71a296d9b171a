// SPDX-License-Identifier: Apache-2.0
// What the frames of the current thread hold: roots with depth, slot, method and location, owned monitors with their depths. Changes a
// constant of a class by RetransformClasses.
#include "ti_common.h"

#include <stdint.h>

enum { MOST = 64 };
static jvmtiEnv *ti;
static jclass changing; // to be changed
static jint from, to;

typedef struct Root {
    jlong tag;
    jint depth, slot;
    jmethodID method;
    jlocation at;
} Root;
typedef struct Roots {
    Root at[MOST];
    int count;
    jlong thread; // tag of the current one
} Roots;

static jint JNICALL on_reference(jvmtiHeapReferenceKind kind,
                                 const jvmtiHeapReferenceInfo *info, jlong class_tag,
                                 jlong referrer_class_tag, jlong size, jlong *tag,
                                 jlong *referrer_tag, jint length, void *data)
{
    (void)class_tag, (void)referrer_class_tag, (void)size, (void)referrer_tag, (void)length;
    Roots *r = data;
    if (kind == JVMTI_HEAP_REFERENCE_STACK_LOCAL && *tag > 0 && *tag < r->thread
        && info->stack_local.thread_tag == r->thread && r->count < MOST)
        r->at[r->count++] = (Root){*tag, info->stack_local.depth, info->stack_local.slot,
                                   info->stack_local.method, info->stack_local.location};
    return 0;
}

static int compare(const void *x, const void *y)
{
    const Root *a = x, *b = y;
    if (a->depth != b->depth)
        return a->depth - b->depth;
    return a->slot != b->slot ? a->slot - b->slot : (int)(a->tag - b->tag);
}

EXPORT(void, Java_HotRoots_tag, JNIEnv *jni, jclass unused, jobject o, jlong tag)
{
    (void)jni, (void)unused;
    MUST((*ti)->SetTag(ti, o, tag));
}

static int add(char *text, int at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    at += vsnprintf(text + at, (size_t)(4000 - at), format, args);
    va_end(args);
    return at < 3900 ? at : 3900;
}

// As text.
EXPORT(jstring, Java_HotRoots_look, JNIEnv *jni, jclass unused)
{
    enum { THREAD_TAG = 1000 };
    char text[4000];
    int at = 0;
    jthread self;
    Roots roots = {.thread = THREAD_TAG};
    jvmtiHeapCallbacks callbacks = {.heap_reference_callback = on_reference};
    (void)unused;
    MUST((*ti)->GetCurrentThread(ti, &self));
    MUST((*ti)->SetTag(ti, self, THREAD_TAG));
    MUST((*ti)->FollowReferences(ti, 0, NULL, NULL, &callbacks, &roots));
    qsort(roots.at, (size_t)roots.count, sizeof *roots.at, compare);
    for (int i = 0; i < roots.count; i++) {
        const Root *r = &roots.at[i];
        char *name;
        MUST((*ti)->GetMethodName(ti, r->method, &name, NULL, NULL));
        at = add(text, at, "%d at %d:%d in %s@%d; ", (int)r->tag, (int)r->depth, (int)r->slot,
                 name, (int)r->at);
        release(ti, name);
    }
    jint count;
    jvmtiMonitorStackDepthInfo *held;
    MUST((*ti)->GetOwnedMonitorStackDepthInfo(ti, NULL, &count, &held));
    for (jint i = 0; i < count; i++) {
        jlong tag;
        MUST((*ti)->GetTag(ti, held[i].monitor, &tag));
        at = add(text, at, "monitor %d at %d; ", (int)tag, (int)held[i].stack_depth);
    }
    release(ti, held);
    return (*jni)->NewStringUTF(jni, text);
}

static void put(unsigned char *at, jint v)
{
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)((uint32_t)v >> (24 - 8 * i));
}

// CONSTANT_Integer of the value is another one.
static void JNICALL on_class_file(jvmtiEnv *env, JNIEnv *jni, jclass redefined, jobject loader,
                                  const char *name, jobject domain, jint len,
                                  const unsigned char *bytes, jint *new_len,
                                  unsigned char **new_bytes)
{
    unsigned char is[5] = {3};
    (void)loader, (void)domain, (void)name;
    if (!redefined || !changing || !(*jni)->IsSameObject(jni, redefined, changing))
        return;
    MUST((*env)->Allocate(env, len, new_bytes));
    memcpy(*new_bytes, bytes, (size_t)len);
    *new_len = len;
    put(is + 1, from);
    for (jint i = 0; i + 5 <= len; i++)
        if (memcmp(*new_bytes + i, is, 5) == 0)
            put(*new_bytes + i + 1, to);
}

// The class file, as it was, with one constant for another.
EXPORT(void, Java_HotRoots_change, JNIEnv *jni, jclass unused, jclass c, jint old, jint now)
{
    (void)unused;
    changing = (*jni)->NewGlobalRef(jni, c);
    from = old;
    to = now;
    MUST((*ti)->RetransformClasses(ti, 1, &c));
    (*jni)->DeleteGlobalRef(jni, changing);
    changing = NULL;
}

EXPORT(jint, Agent_OnLoad, JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    ti = new_env(vm, JVMTI_VERSION_1_2);
    jvmtiCapabilities caps = {.can_tag_objects = 1,
                              .can_retransform_classes = 1,
                              .can_get_owned_monitor_stack_depth_info = 1};
    MUST((*ti)->AddCapabilities(ti, &caps));
    jvmtiEventCallbacks callbacks = {.ClassFileLoadHook = on_class_file};
    MUST((*ti)->SetEventCallbacks(ti, &callbacks, sizeof callbacks));
    enable(ti, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK);
    return 0;
}
