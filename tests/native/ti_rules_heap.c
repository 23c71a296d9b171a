// SPDX-License-Identifier: Apache-2.0
// Rules of walking the heap: what visit control leaves out, in which order values are reported, the
// roots of a thread, and collections that are asked for.
#include "ti_rules.h"

static jvmtiEnv *ti;

enum { CHAIN = 1, NEXT = 2, LAST = 3, NUMBERS = 4, TEXT = 5, THREAD = 6 };

typedef struct Walk {
    jint answer;      // to the reference to NEXT
    int visits[8];    // by tag of the referee
    int reported[8];  // values of the object with this tag
    bool value_first; // a value was reported before its object was visited
    int after_abort;
    bool aborted;
} Walk;

static void note_value(Walk *w, jlong tag)
{
    if (tag <= 0 || tag >= 8)
        return;
    w->reported[tag]++;
    w->value_first |= w->visits[tag] == 0;
    w->after_abort += w->aborted;
}

static jint JNICALL on_reference(jvmtiHeapReferenceKind kind,
                                 const jvmtiHeapReferenceInfo *info, jlong class_tag,
                                 jlong referrer_class_tag, jlong size, jlong *tag,
                                 jlong *referrer_tag, jint length, void *user)
{
    Walk *w = user;
    (void)kind, (void)info, (void)class_tag, (void)referrer_class_tag, (void)size;
    (void)referrer_tag, (void)length;
    w->after_abort += w->aborted;
    if (*tag <= 0 || *tag >= 8)
        return JVMTI_VISIT_OBJECTS;
    w->visits[*tag]++;
    if (*tag != NEXT)
        return JVMTI_VISIT_OBJECTS;
    w->aborted = w->answer == JVMTI_VISIT_ABORT;
    return w->answer;
}

static jint JNICALL on_field(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info,
                             jlong class_tag, jlong *tag, jvalue value, jvmtiPrimitiveType type,
                             void *user)
{
    (void)kind, (void)info, (void)class_tag, (void)value, (void)type;
    note_value(user, *tag);
    return JVMTI_VISIT_OBJECTS;
}
static jint JNICALL on_array(jlong class_tag, jlong size, jlong *tag, jint count,
                             jvmtiPrimitiveType type, const void *elements, void *user)
{
    (void)class_tag, (void)size, (void)count, (void)type, (void)elements;
    note_value(user, *tag);
    return JVMTI_VISIT_OBJECTS;
}
static jint JNICALL on_string(jlong class_tag, jlong size, jlong *tag, const jchar *value,
                              jint length, void *user)
{
    (void)class_tag, (void)size, (void)value, (void)length;
    note_value(user, *tag);
    return JVMTI_VISIT_OBJECTS;
}

static Walk walk(jint answer)
{
    Walk w = {.answer = answer};
    jvmtiHeapCallbacks calls = {.heap_reference_callback = on_reference,
                                .primitive_field_callback = on_field,
                                .array_primitive_value_callback = on_array,
                                .string_primitive_value_callback = on_string};
    MUST((*ti)->FollowReferences(ti, 0, NULL, NULL, &calls, &w));
    return w;
}

EXPORT(void, Java_RulesHeap_tag, JNIEnv *jni, jclass c, jobject o, jlong tag)
{
    (void)jni, (void)c;
    MUST((*ti)->SetTag(ti, o, tag));
}

EXPORT(void, Java_RulesHeap_follow, JNIEnv *jni, jclass c)
{
    (void)jni, (void)c;
    Walk all = walk(JVMTI_VISIT_OBJECTS), pruned = walk(0), cut = walk(JVMTI_VISIT_ABORT);
    RULE("O9", !all.value_first && all.reported[CHAIN] == 1 && all.reported[NUMBERS] == 1
                   && all.reported[TEXT] >= 1);
    RULE("O10", all.visits[LAST] == 1 && pruned.visits[NEXT] == 1 && pruned.visits[LAST] == 0
                    && pruned.visits[CHAIN] == 1);
    RULE("O10 (abort)", cut.visits[NEXT] == 1 && cut.visits[LAST] == 0 && cut.after_abort == 0);
}

// The roots that hold the thread which waits: as a thread, on its stack, by the class library.
static unsigned root_kinds;

static jint JNICALL on_root(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info,
                            jlong class_tag, jlong referrer_class_tag, jlong size, jlong *tag,
                            jlong *referrer_tag, jint length, void *user)
{
    (void)info, (void)class_tag, (void)referrer_class_tag, (void)size, (void)length, (void)user;
    if (*tag == THREAD && !referrer_tag)
        root_kinds |= 1u << kind;
    return 0;
}

EXPORT(void, Java_RulesHeap_roots, JNIEnv *jni, jclass c)
{
    jvmtiHeapCallbacks calls = {.heap_reference_callback = on_root};
    (void)jni, (void)c;
    MUST((*ti)->FollowReferences(ti, 0, NULL, NULL, &calls, NULL));
    say("kinds of roots of a thread: %x",
        root_kinds & ~(1u << JVMTI_HEAP_REFERENCE_JNI_GLOBAL)); // HotSpot holds it by one
}

static jint tagged(jlong tag)
{
    jint count;
    MUST((*ti)->GetObjectsWithTags(ti, 1, &tag, &count, NULL, NULL));
    return count;
}

EXPORT(jint, Java_RulesHeap_collect, JNIEnv *jni, jclass c, jlong tag)
{
    (void)jni, (void)c;
    MUST((*ti)->ForceGarbageCollection(ti));
    return tagged(tag);
}

EXPORT(jint, Agent_OnLoad, JavaVM *vm, char *options, void *reserved)
{
    jvmtiCapabilities caps = {.can_tag_objects = 1};
    (void)options, (void)reserved;
    ti = new_env(vm, JVMTI_VERSION_1_2);
    MUST((*ti)->AddCapabilities(ti, &caps));
    return JNI_OK;
}
