// SPDX-License-Identifier: Apache-2.0
// For tests/agents/References.java: the references between its tagged objects, their values,
// the roots that lead to them. The order in which references are reported is the VM's own:
// lines are sorted.
#include "ti_common.h"

static jvmtiEnv *ti;
static char *lines[2000];
static int line_count, visits, stop_at;
static jweak text;
enum { TEXT = 16, WORKER = 51 }; // tags

static void note(const char *format, ...)
{
    char line[300];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (line_count < 2000)
        lines[line_count++] = strdup(line);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void tell_notes(const char *title)
{
    qsort(lines, (size_t)line_count, sizeof *lines, by_text);
    say("%s", title);
    for (int i = 0; i < line_count; i++) {
        if (i == 0 || strcmp(lines[i], lines[i - 1]) != 0)
            say("  %s", lines[i]);
    }
    for (int i = 0; i < line_count; i++)
        free(lines[i]);
    line_count = 0;
}

// Whether the arguments of another thread's native method are such references is the VM's affair.
static void note_local(const jvmtiHeapReferenceInfoJniLocal *local, jlong tag)
{
    if (local->thread_tag == WORKER)
        note("JNI local: tag %d depth %d method %s", (int)tag, (int)local->depth,
             local->method ? "known" : "unknown");
}

static jint JNICALL reference(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info,
                              jlong class_tag, jlong referrer_class_tag, jlong size, jlong *tag,
                              jlong *referrer_tag, jint length, void *data)
{
    (void)data;
    visits++;
    if (visits == stop_at)
        return JVMTI_VISIT_ABORT;
    if (!*tag
        || (!referrer_tag && kind != JVMTI_HEAP_REFERENCE_STACK_LOCAL
            && kind != JVMTI_HEAP_REFERENCE_JNI_LOCAL && kind != JVMTI_HEAP_REFERENCE_THREAD))
        return JVMTI_VISIT_OBJECTS;
    int index = -1;
    if (kind == JVMTI_HEAP_REFERENCE_FIELD || kind == JVMTI_HEAP_REFERENCE_STATIC_FIELD)
        index = info->field.index;
    else if (kind == JVMTI_HEAP_REFERENCE_ARRAY_ELEMENT)
        index = info->array.index;
    else if (kind == JVMTI_HEAP_REFERENCE_CONSTANT_POOL || kind == JVMTI_HEAP_REFERENCE_CLASS)
        return JVMTI_VISIT_OBJECTS; // as far as resolved; from everywhere
    if (kind == JVMTI_HEAP_REFERENCE_STACK_LOCAL)
        note("stack: tag %d thread %d slot %d", (int)*tag, (int)info->stack_local.thread_tag,
             (int)info->stack_local.slot);
    else if (kind == JVMTI_HEAP_REFERENCE_JNI_LOCAL)
        note_local(&info->jni_local, *tag);
    else if (!referrer_tag)
        note("root %d: tag %d", (int)kind, (int)*tag);
    else if (*referrer_tag)
        note("kind %d index %d: %d -> %d class %d of %d size %d length %d %s", (int)kind, index,
             (int)*referrer_tag, (int)*tag, (int)class_tag, (int)referrer_class_tag,
             length >= 0 ? (int)size : -1, (int)length, tag == referrer_tag ? "itself" : "");
    return *tag == 13 ? 0 : JVMTI_VISIT_OBJECTS;
}

static jint JNICALL field(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info,
                          jlong class_tag, jlong *tag, jvalue value, jvmtiPrimitiveType type,
                          void *data)
{
    (void)data;
    if (!*tag || (class_tag == 0 && kind == JVMTI_HEAP_REFERENCE_FIELD))
        return 0;
    note("value kind %d index %d of %d class %d: %c %ld", (int)kind, (int)info->field.index,
         (int)*tag, (int)class_tag, (int)type,
         type == 'J'   ? (long)value.j
         : type == 'Z' ? value.z
         : type == 'D' ? (long)value.d
         : type == 'B' ? value.b
                       : value.i);
    return 0;
}

static jint JNICALL array(jlong class_tag, jlong size, jlong *tag, jint n,
                          jvmtiPrimitiveType type, const void *elements, void *data)
{
    (void)class_tag, (void)data, (void)elements;
    if (*tag)
        note("array %d of %d %c size %d", (int)*tag, (int)n, (int)type, (int)size);
    return 0;
}

static jint JNICALL string(jlong class_tag, jlong size, jlong *tag, const jchar *value, jint n,
                           void *data)
{
    (void)class_tag, (void)data;
    if (*tag)
        note("string %d of %d '%c%c' size %d", (int)*tag, (int)n, value[0], value[n - 1],
             (int)size);
    return 0;
}

static jvmtiHeapCallbacks calls = {.heap_reference_callback = reference,
                                   .primitive_field_callback = field,
                                   .array_primitive_value_callback = array,
                                   .string_primitive_value_callback = string};

EXPORT(void, Java_References_tag, JNIEnv *jni, jclass c, jobject o, jlong tag)
{
    (void)c;
    MUST((*ti)->SetTag(ti, o, tag));
    if (tag == TEXT)
        text = (*jni)->NewWeakGlobalRef(jni, o);
}

EXPORT(void, Java_References_follow, JNIEnv *jni, jclass c, jobject from, jclass klass,
       jint filter)
{
    (void)c;
    jobject local = (*jni)->NewLocalRef(jni, text);
    MUST((*ti)->FollowReferences(ti, filter, klass, from, &calls, NULL));
    (*jni)->DeleteLocalRef(jni, local);
    tell_notes("follow");
}

EXPORT(void, Java_References_values, JNIEnv *jni, jclass c)
{
    (void)jni, (void)c;
    MUST((*ti)->IterateThroughHeap(ti, JVMTI_HEAP_FILTER_UNTAGGED, NULL, &calls, NULL));
    tell_notes("values");
}

EXPORT(void, Java_References_abort, JNIEnv *jni, jclass c)
{
    (void)jni, (void)c;
    visits = 0;
    stop_at = 10;
    MUST((*ti)->FollowReferences(ti, 0, NULL, NULL, &calls, NULL));
    say("aborted after %d", visits);
    stop_at = 0;
    for (int i = 0; i < line_count; i++)
        free(lines[i]);
    line_count = 0;
}

// ---- version 1.0 ----
static jvmtiIterationControl JNICALL old_object(jvmtiObjectReferenceKind kind, jlong class_tag,
                                                jlong size, jlong *tag, jlong referrer_tag,
                                                jint index, void *data)
{
    (void)data, (void)size;
    enum {
        CLASSES = 100
    }; // tags of classes; of those references of this kind are superclasses
    if (*tag && referrer_tag && (kind != JVMTI_REFERENCE_CLASS || referrer_tag >= CLASSES)
        && kind != JVMTI_REFERENCE_CONSTANT_POOL)
        note("old kind %d index %d: %d -> %d class %d", (int)kind, (int)index,
             (int)referrer_tag, (int)*tag, (int)class_tag);
    return JVMTI_ITERATION_CONTINUE;
}

static jvmtiIterationControl JNICALL old_root(jvmtiHeapRootKind kind, jlong class_tag,
                                              jlong size, jlong *tag, void *data)
{
    (void)data, (void)size, (void)class_tag;
    if (*tag && kind == JVMTI_HEAP_ROOT_THREAD)
        note("old root %d: %d", (int)kind, (int)*tag);
    return JVMTI_ITERATION_CONTINUE;
}

static jvmtiIterationControl JNICALL old_stack(jvmtiHeapRootKind kind, jlong class_tag,
                                               jlong size, jlong *tag, jlong thread_tag,
                                               jint depth, jmethodID method, jint slot,
                                               void *data)
{
    (void)data, (void)size, (void)class_tag, (void)depth, (void)method;
    if (*tag && kind == JVMTI_HEAP_ROOT_STACK_LOCAL)
        note("old stack: %d thread %d slot %d", (int)*tag, (int)thread_tag, (int)slot);
    return JVMTI_ITERATION_CONTINUE;
}

static jvmtiIterationControl JNICALL old_heap(jlong class_tag, jlong size, jlong *tag,
                                              void *data)
{
    (void)data;
    (void)size; // instances are laid out otherwise
    note("object %d class %d", (int)*tag, (int)class_tag);
    return JVMTI_ITERATION_CONTINUE;
}

EXPORT(void, Java_References_old, JNIEnv *jni, jclass c, jobject from, jclass klass)
{
    (void)jni, (void)c;
    MUST((*ti)->IterateOverObjectsReachableFromObject(ti, from, old_object, NULL));
    tell_notes("reachable from");
    MUST((*ti)->IterateOverReachableObjects(ti, old_root, old_stack, old_object, NULL));
    tell_notes("reachable");
    MUST((*ti)->IterateOverHeap(ti, JVMTI_HEAP_OBJECT_TAGGED, old_heap, NULL));
    tell_notes("tagged in the heap");
    MUST((*ti)->IterateOverInstancesOfClass(ti, klass, JVMTI_HEAP_OBJECT_EITHER, old_heap,
                                            NULL));
    tell_notes("instances");
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    ti = new_env(vm, JVMTI_VERSION_1_2);
    jvmtiCapabilities want = {.can_tag_objects = 1};
    MUST((*ti)->AddCapabilities(ti, &want));
    return JNI_OK;
}
