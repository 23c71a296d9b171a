// SPDX-License-Identifier: Apache-2.0
// For tests/agents/ClassEdges.java: what FollowReferences tells of one java.lang.Class object,
// from the roots and from the object itself; entries of the constant pool apart.
#include "ti_common.h"

enum { KINDS = 32, MARK = 7 };

static jvmtiEnv *ti;
static int edges[KINDS], primitives[KINDS];

static jint JNICALL reference(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info,
                              jlong class_tag, jlong from_class_tag, jlong size, jlong *tag,
                              jlong *from_tag, jint length, void *user)
{
    (void)info, (void)class_tag, (void)from_class_tag, (void)size, (void)tag, (void)length;
    (void)user;
    if (from_tag && *from_tag == MARK && kind != JVMTI_HEAP_REFERENCE_CONSTANT_POOL)
        edges[kind]++;
    return JVMTI_VISIT_OBJECTS;
}

static jint JNICALL primitive(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info,
                              jlong class_tag, jlong *tag, jvalue value,
                              jvmtiPrimitiveType type, void *user)
{
    (void)info, (void)class_tag, (void)value, (void)type, (void)user;
    if (*tag == MARK)
        primitives[kind]++;
    return 0;
}

static void follow(jclass c, jobject from)
{
    memset(edges, 0, sizeof edges);
    memset(primitives, 0, sizeof primitives);
    MUST((*ti)->SetTag(ti, c, MARK));
    jvmtiHeapCallbacks callbacks = {.heap_reference_callback = reference,
                                    .primitive_field_callback = primitive};
    MUST((*ti)->FollowReferences(ti, 0, NULL, from, &callbacks, NULL));
    MUST((*ti)->SetTag(ti, c, 0));
    say("  from %s", from ? "itself" : "the roots");
    for (int i = 0; i < KINDS; i++)
        if (edges[i] || primitives[i])
            say("    kind %d: %d references, %d primitive fields", i, edges[i], primitives[i]);
}

EXPORT(void, Java_ClassEdges_follow, JNIEnv *jni, jclass c, jclass what)
{
    (void)jni, (void)c;
    say("%s", class_name(ti, what));
    follow(what, NULL);
    follow(what, what);
}

// ---- constants ----
enum { FIRST_CLASS = 100 };
static jclass *classes;
static jint class_count;

static jint JNICALL constant(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info,
                             jlong class_tag, jlong from_class_tag, jlong size, jlong *tag,
                             jlong *from_tag, jint length, void *user)
{
    (void)from_class_tag, (void)size, (void)length;
    jlong *constants = user;
    if (!from_tag || *from_tag != MARK)
        return JVMTI_VISIT_OBJECTS;
    if (kind == JVMTI_HEAP_REFERENCE_CONSTANT_POOL)
        constants[info->constant_pool.index] = *tag ? *tag : -class_tag;
    return 0;
}

// What a tag stands for: a class, or, negative, an instance of one.
static void say_constant(jint index, jlong tag)
{
    if (tag == MARK)
        say("  %d: itself", (int)index);
    else
        say("  %d: %s%s", (int)index, tag < 0 ? "a " : "",
            class_name(ti, classes[(tag < 0 ? -tag : tag) - FIRST_CLASS]));
}

EXPORT(void, Java_ClassEdges_constants, JNIEnv *jni, jclass c, jclass what)
{
    (void)jni, (void)c;
    jlong constants[1000] = {0};
    MUST((*ti)->GetLoadedClasses(ti, &class_count, &classes));
    for (jint i = 0; i < class_count; i++)
        MUST((*ti)->SetTag(ti, classes[i], FIRST_CLASS + i));
    MUST((*ti)->SetTag(ti, what, MARK));
    jvmtiHeapCallbacks callbacks = {.heap_reference_callback = constant};
    MUST((*ti)->FollowReferences(ti, 0, NULL, what, &callbacks, constants));
    for (jint i = 0; i < 1000; i++)
        if (constants[i])
            say_constant(i, constants[i]);
    for (jint i = 0; i < class_count; i++)
        MUST((*ti)->SetTag(ti, classes[i], 0));
    release(ti, classes);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    ti = new_env(vm, JVMTI_VERSION_11);
    jvmtiCapabilities want = {.can_tag_objects = 1};
    MUST((*ti)->AddCapabilities(ti, &want));
    return JNI_OK;
}
