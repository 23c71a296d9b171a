// SPDX-License-Identifier: Apache-2.0
// For the tests about redefinition: the functions under test as natives of tests/agents/Redefiner.java,
// and environments whose ClassFileLoadHook prints what it sees and replaces text in class files.
#include "pellucid_jvmti.h"
#include "ti_common.h"

enum { HOOKS = 4, MAX_CLASSES = 64 };
static JavaVM *vm;
static jvmtiEnv *ti;

typedef struct Hook { // one environment
    jvmtiEnv *env;
    char only[64];         // name of the class it looks at
    char from[64], to[64]; // of one length; empty: it changes nothing
    int quiet;
} Hook;
static Hook hooks[HOOKS];

// ---- hooks ----
static int count_of(const unsigned char *bytes, jint len, const char *text)
{
    int n = 0, size = (int)strlen(text);
    for (jint i = 0; size > 0 && i + size <= len; i++)
        n += memcmp(bytes + i, text, (size_t)size) == 0;
    return n;
}

static void patch(Hook *h, const unsigned char *bytes, jint len, jint *new_len,
                  unsigned char **new_bytes)
{
    size_t size = strlen(h->from);
    MUST((*h->env)->Allocate(h->env, len, new_bytes));
    memcpy(*new_bytes, bytes, (size_t)len);
    for (size_t i = 0; i + size <= (size_t)len; i++)
        if (memcmp(*new_bytes + i, h->from, size) == 0)
            memcpy(*new_bytes + i, h->to, size);
    *new_len = len;
}

static void JNICALL class_file_load(jvmtiEnv *env, JNIEnv *jni, jclass redefined,
                                    jobject loader, const char *name, jobject domain, jint len,
                                    const unsigned char *bytes, jint *new_len,
                                    unsigned char **new_bytes)
{
    (void)jni, (void)loader, (void)domain;
    Hook *h = NULL;
    for (int i = 0; i < HOOKS; i++)
        if (hooks[i].env == env)
            h = &hooks[i];
    if (!h || !name || strcmp(name, h->only) != 0)
        return;
    if (!h->quiet)
        say("hook %d: %s %s sees %s %d times", (int)(h - hooks), name,
            redefined ? class_name(env, redefined) : "load", h->from,
            count_of(bytes, len, h->from));
    if (h->from[0] && count_of(bytes, len, h->from))
        patch(h, bytes, len, new_len, new_bytes);
}

// Environment number i looks at a class from now on. Retransformation capable if it is to be.
EXPORT(void, Java_Redefiner_hook, JNIEnv *jni, jclass unused, jint i, jboolean capable,
       jstring only, jstring from, jstring to, jboolean quiet)
{
    (void)unused;
    Hook *h = &hooks[i];
    if (!h->env) {
        h->env = new_env(vm, JVMTI_VERSION_11);
        jvmtiCapabilities c = {.can_generate_all_class_hook_events = 1,
                               .can_retransform_classes = capable != 0};
        MUST((*h->env)->AddCapabilities(h->env, &c));
        jvmtiEventCallbacks callbacks = {.ClassFileLoadHook = class_file_load};
        MUST((*h->env)->SetEventCallbacks(h->env, &callbacks, sizeof callbacks));
    }
    disable(h->env, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK);
    if (!only)
        return;
    h->quiet = quiet;
    (*jni)->GetStringUTFRegion(jni, only, 0, (*jni)->GetStringLength(jni, only), h->only);
    (*jni)->GetStringUTFRegion(jni, from, 0, (*jni)->GetStringLength(jni, from), h->from);
    (*jni)->GetStringUTFRegion(jni, to, 0, (*jni)->GetStringLength(jni, to), h->to);
    enable(h->env, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK);
}

// ---- the two functions ----
EXPORT(jint, Java_Redefiner_redefine, JNIEnv *jni, jclass unused, jobjectArray classes,
       jobjectArray files)
{
    (void)unused;
    jvmtiClassDefinition all[MAX_CLASSES];
    jint count = (*jni)->GetArrayLength(jni, classes);
    for (jint i = 0; i < count; i++) {
        jbyteArray file = (*jni)->GetObjectArrayElement(jni, files, i);
        all[i].klass = (*jni)->GetObjectArrayElement(jni, classes, i);
        all[i].class_byte_count = file ? (*jni)->GetArrayLength(jni, file) : 10;
        all[i].class_bytes =
            file ? (unsigned char *)(*jni)->GetByteArrayElements(jni, file, NULL) : NULL;
    }
    jvmtiError error = (*ti)->RedefineClasses(ti, count, all);
    for (jint i = 0; i < count; i++)
        if (all[i].class_bytes)
            (*jni)->ReleaseByteArrayElements(jni, (*jni)->GetObjectArrayElement(jni, files, i),
                                             (jbyte *)all[i].class_bytes, JNI_ABORT);
    return error;
}

EXPORT(jint, Java_Redefiner_retransform, JNIEnv *jni, jclass unused, jobjectArray classes)
{
    (void)unused;
    jclass all[MAX_CLASSES];
    jint count = (*jni)->GetArrayLength(jni, classes);
    for (jint i = 0; i < count; i++)
        all[i] = (*jni)->GetObjectArrayElement(jni, classes, i);
    return (*ti)->RetransformClasses(ti, count, all);
}

EXPORT(jint, Java_Redefiner_wrong, JNIEnv *jni, jclass unused, jint kind, jobject other)
{
    (void)jni, (void)unused;
    jvmtiClassDefinition d = {.klass = other, .class_byte_count = 0, .class_bytes = NULL};
    switch (kind) {
    case 0: return (*ti)->RedefineClasses(ti, -1, &d);
    case 1: return (*ti)->RedefineClasses(ti, 1, NULL);
    case 2: return (*ti)->RedefineClasses(ti, 0, &d);
    case 3: return (*ti)->RedefineClasses(ti, 1, &d);
    case 4: return (*ti)->RetransformClasses(ti, -1, &d.klass);
    case 5: return (*ti)->RetransformClasses(ti, 1, NULL);
    case 6: return (*ti)->RetransformClasses(ti, 0, &d.klass);
    default: return (*ti)->RetransformClasses(ti, 1, &d.klass);
    }
}

EXPORT(jboolean, Java_Redefiner_modifiable, JNIEnv *jni, jclass unused, jclass c)
{
    (void)jni, (void)unused;
    jboolean is = JNI_FALSE;
    MUST((*ti)->IsModifiableClass(ti, c, &is));
    return is;
}

// ---- frames ----
static jint line_of(jmethodID m, jlocation at)
{
    jint count, line = -1;
    jvmtiLineNumberEntry *table;
    jvmtiError error = (*ti)->GetLineNumberTable(ti, m, &count, &table);
    if (error)
        return -(jint)error;
    for (jint i = 0; i < count && table[i].start_location <= at; i++)
        line = table[i].line_number;
    release(ti, table);
    return line;
}

// The frames of a thread that are of a class.
EXPORT(void, Java_Redefiner_frames, JNIEnv *jni, jclass unused, jthread thread, jclass of)
{
    (void)unused;
    jvmtiFrameInfo frames[64];
    jint count;
    MUST((*ti)->GetStackTrace(ti, thread, 0, 64, frames, &count));
    for (jint i = 0; i < count; i++) {
        jclass c = NULL;
        jboolean obsolete = JNI_FALSE;
        jint len = -1;
        unsigned char *code = NULL;
        jlocation start = -2, end = -2;
        jmethodID m = frames[i].method;
        jvmtiError error = (*ti)->GetMethodDeclaringClass(ti, m, &c);
        if (error || !(*jni)->IsSameObject(jni, c, of))
            continue;
        MUST((*ti)->IsMethodObsolete(ti, m, &obsolete));
        jvmtiError bytes = (*ti)->GetBytecodes(ti, m, &len, &code);
        jvmtiError where = (*ti)->GetMethodLocation(ti, m, &start, &end);
        say("%s at %d line %d%s, location %d %d-%d, bytecodes %d %d", method_name(ti, jni, m),
            (int)frames[i].location, (int)line_of(m, frames[i].location),
            obsolete ? " obsolete" : "", (int)where, (int)start, (int)end, (int)bytes,
            (int)len);
        release(ti, code);
    }
}

// ---- breakpoints ----
static _Atomic int hits;
static void JNICALL breakpoint(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID m,
                               jlocation at)
{
    (void)env, (void)jni, (void)thread, (void)m, (void)at;
    hits++;
}
EXPORT(jint, Java_Redefiner_breakpoint, JNIEnv *jni, jclass unused, jobject method,
       jboolean set)
{
    (void)unused;
    jmethodID m = (*jni)->FromReflectedMethod(jni, method);
    return set ? (*ti)->SetBreakpoint(ti, m, 0) : (*ti)->ClearBreakpoint(ti, m, 0);
}
EXPORT(jint, Java_Redefiner_hits, JNIEnv *jni, jclass unused)
{
    (void)jni, (void)unused;
    return hits;
}

// ---- JNI ----
static jmethodID kept;
EXPORT(void, Java_Redefiner_keep, JNIEnv *jni, jclass unused, jobject method)
{
    (void)unused;
    kept = (*jni)->FromReflectedMethod(jni, method);
}
EXPORT(jobject, Java_Redefiner_callKept, JNIEnv *jni, jclass unused, jclass c)
{
    (void)unused;
    return (*jni)->CallStaticObjectMethod(jni, c, kept);
}

// The method id of the caller's frame, and what it is good for afterwards: 0, or 23 once its
// version is gone.
EXPORT(void, Java_Redefiner_keepFrame, JNIEnv *jni, jclass unused)
{
    (void)jni, (void)unused;
    jlocation at;
    MUST((*ti)->GetFrameLocation(ti, NULL, 1, &kept, &at));
}
EXPORT(jint, Java_Redefiner_breakpointInKept, JNIEnv *jni, jclass unused)
{
    (void)jni, (void)unused;
    return (*ti)->SetBreakpoint(ti, kept, 0);
}
// The last failed call in words.
EXPORT(jstring, Java_Redefiner_lastError, JNIEnv *jni, jclass unused)
{
    (void)unused;
    jint count;
    jvmtiExtensionFunctionInfo *all;
    char *text = NULL;
    MUST((*ti)->GetExtensionFunctions(ti, &count, &all));
    for (jint i = 0; i < count; i++)
        if (strcmp(all[i].id, PELLUCID_LAST_ERROR) == 0)
            MUST(((PellucidLastError)(void (*)(void))all[i].func)(ti, &text));
    return (*jni)->NewStringUTF(jni, text ? text : "none");
}

// PELLUCID_SET_ENHANCED_REDEFINITION of the environment that redefines, or of another one.
EXPORT(jint, Java_Redefiner_free, JNIEnv *jni, jclass unused, jboolean other, jboolean on)
{
    (void)jni, (void)unused;
    static jvmtiEnv *second;
    jint count;
    jvmtiExtensionFunctionInfo *all;
    jvmtiError error = JVMTI_ERROR_NOT_AVAILABLE;
    if (!second)
        (*vm)->GetEnv(vm, (void **)&second, JVMTI_VERSION_11);
    MUST((*ti)->GetExtensionFunctions(ti, &count, &all));
    for (jint i = 0; i < count; i++)
        if (strcmp(all[i].id, PELLUCID_SET_ENHANCED_REDEFINITION) == 0)
            error = ((PellucidSetEnhancedRedefinition)(void (*)(void))all[i].func)(
                other ? second : ti, on);
    return (jint)error;
}

// ---- what agents and native code keep of objects and fields ----
static jweak kept_object;
static jfieldID kept_field;

EXPORT(void, Java_Redefiner_keepObject, JNIEnv *jni, jclass unused, jobject object, jlong tag,
       jstring int_field)
{
    (void)unused;
    const char *name = (*jni)->GetStringUTFChars(jni, int_field, NULL);
    kept_object = (*jni)->NewWeakGlobalRef(jni, object);
    kept_field = (*jni)->GetFieldID(jni, (*jni)->GetObjectClass(jni, object), name, "I");
    (*jni)->ReleaseStringUTFChars(jni, int_field, name);
    MUST((*ti)->SetTag(ti, object, tag));
}

// "size tag value error": of the kept object, if it is this one; the error is what JVM TI says of the kept field.
EXPORT(jstring, Java_Redefiner_kept, JNIEnv *jni, jclass unused, jobject object)
{
    (void)unused;
    char text[128], *name = NULL;
    jlong tag = 0, size = 0;
    jint found = 0;
    if (!(*jni)->IsSameObject(jni, object, kept_object))
        return (*jni)->NewStringUTF(jni, "another object");
    MUST((*ti)->GetTag(ti, object, &tag));
    MUST((*ti)->GetObjectSize(ti, object, &size));
    MUST((*ti)->GetObjectsWithTags(ti, 1, &tag, &found, NULL, NULL));
    jvmtiError error = (*ti)->GetFieldName(ti, (*jni)->GetObjectClass(jni, object), kept_field,
                                           &name, NULL, NULL);
    snprintf(text, sizeof text, "%d bytes, tag %d of %d, value %d, error %d", (int)size,
             (int)tag, (int)found, (int)(*jni)->GetIntField(jni, object, kept_field),
             (int)error);
    return (*jni)->NewStringUTF(jni, text);
}

EXPORT(jboolean, Java_Redefiner_isKeptGone, JNIEnv *jni, jclass unused)
{
    (void)jni, (void)unused;
    char *name = NULL;
    jint len;
    unsigned char *code = NULL;
    jvmtiError error = (*ti)->GetMethodName(ti, kept, &name, NULL, NULL),
               bytes = (*ti)->GetBytecodes(ti, kept, &len, &code);
    if (error != bytes || (error && error != JVMTI_ERROR_INVALID_METHODID))
        say("the id of an old version: %d %d", (int)error, (int)bytes);
    release(ti, (unsigned char *)name);
    release(ti, code);
    return error != 0;
}

EXPORT(jint, Agent_OnLoad, JavaVM *java_vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    vm = java_vm;
    ti = new_env(vm, JVMTI_VERSION_11);
    jvmtiCapabilities c = {.can_redefine_classes = 1,
                           .can_retransform_classes = 1,
                           .can_tag_objects = 1,
                           .can_get_line_numbers = 1,
                           .can_get_bytecodes = 1,
                           .can_generate_breakpoint_events = 1};
    MUST((*ti)->AddCapabilities(ti, &c));
    jvmtiEventCallbacks callbacks = {.Breakpoint = breakpoint};
    MUST((*ti)->SetEventCallbacks(ti, &callbacks, sizeof callbacks));
    enable(ti, JVMTI_EVENT_BREAKPOINT);
    return JNI_OK;
}
