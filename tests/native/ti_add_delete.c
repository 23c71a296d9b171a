// SPDX-License-Identifier: Apache-2.0
// For tests/agents/AddDeleteEvents and AddDeleteIds: what JVM TI and JNI tell of methods that redefinition
// added or deleted, by ids that the test keeps.
#include "ti_common.h"

enum { IDS = 8 };
static jvmtiEnv *ti;
static jmethodID ids[IDS];
static char prefix[64]; // of the classes whose events are told

EXPORT(jint, Java_AddDelete_redefine, JNIEnv *jni, jclass unused, jclass c, jbyteArray file)
{
    (void)unused;
    jbyte *bytes = (*jni)->GetByteArrayElements(jni, file, NULL);
    jvmtiClassDefinition d = {.klass = c,
                              .class_byte_count = (*jni)->GetArrayLength(jni, file),
                              .class_bytes = (unsigned char *)bytes};
    jvmtiError error = (*ti)->RedefineClasses(ti, 1, &d);
    (*jni)->ReleaseByteArrayElements(jni, file, bytes, JNI_ABORT);
    return error;
}

// ---- ids ----
EXPORT(void, Java_AddDelete_keep, JNIEnv *jni, jclass unused, jint i, jobject method)
{
    (void)unused;
    ids[i] = (*jni)->FromReflectedMethod(jni, method);
}
EXPORT(jobject, Java_AddDelete_call, JNIEnv *jni, jclass unused, jint i, jclass c)
{
    (void)unused;
    return (*jni)->CallStaticObjectMethod(jni, c, ids[i]);
}
EXPORT(jobject, Java_AddDelete_reflected, JNIEnv *jni, jclass unused, jint i, jclass c)
{
    (void)unused;
    return (*jni)->ToReflectedMethod(jni, c, ids[i], JNI_TRUE);
}
EXPORT(jboolean, Java_AddDelete_found, JNIEnv *jni, jclass unused, jint i, jclass c,
       jstring name, jstring desc)
{
    (void)unused;
    const char *n = (*jni)->GetStringUTFChars(jni, name, NULL);
    const char *d = (*jni)->GetStringUTFChars(jni, desc, NULL);
    jmethodID m = (*jni)->GetStaticMethodID(jni, c, n, d);
    (*jni)->ReleaseStringUTFChars(jni, name, n);
    (*jni)->ReleaseStringUTFChars(jni, desc, d);
    return m && m == ids[i];
}

static void say_code(jmethodID m)
{
    jint count = -1;
    jlocation start = -1, end = -1;
    unsigned char *code = NULL;
    jvmtiLineNumberEntry *lines = NULL;
    jvmtiLocalVariableEntry *locals = NULL;
    jvmtiError error = (*ti)->GetMaxLocals(ti, m, &count);
    say("  max locals: %d %d", error, count);
    error = (*ti)->GetLineNumberTable(ti, m, &count, &lines);
    say("  lines: %d %d %d", error, error ? -1 : count, error ? -1 : lines[0].line_number);
    error = (*ti)->GetLocalVariableTable(ti, m, &count, &locals);
    say("  locals: %d %d", error, error ? -1 : count);
    error = (*ti)->GetMethodLocation(ti, m, &start, &end);
    say("  location: %d %d-%d", error, error ? -1 : (int)start, error ? -1 : (int)end);
    error = (*ti)->GetBytecodes(ti, m, &count, &code);
    say("  bytecodes: %d %d", error, error ? -1 : count);
    jvmtiError set = (*ti)->SetBreakpoint(ti, m, 0), again = (*ti)->SetBreakpoint(ti, m, 0);
    say("  breakpoint: %d %d %d", set, again, (*ti)->ClearBreakpoint(ti, m, 0));
    release(ti, code);
    release(ti, lines);
    release(ti, locals);
}

EXPORT(void, Java_AddDelete_facts, JNIEnv *jni, jclass unused, jint i)
{
    (void)jni, (void)unused;
    jmethodID m = ids[i];
    char *name = NULL, *desc = NULL, *generic = NULL;
    jclass c = NULL;
    jint modifiers = -1, size = -1;
    jboolean is[3] = {9, 9, 9};
    jvmtiError error = (*ti)->GetMethodName(ti, m, &name, &desc, &generic);
    say("  name: %d %s%s %s", error, error ? "" : name, error ? "" : desc,
        error || !generic ? "-" : generic);
    release(ti, name);
    release(ti, desc);
    release(ti, generic);
    error = (*ti)->GetMethodDeclaringClass(ti, m, &c);
    say("  class: %d %s", error, class_name(ti, error ? NULL : c));
    jvmtiError sized = (*ti)->GetArgumentsSize(ti, m, &size);
    error = (*ti)->GetMethodModifiers(ti, m, &modifiers);
    say("  modifiers: %d %x, arguments: %d %d", error, (unsigned)modifiers, sized, size);
    jvmtiError native = (*ti)->IsMethodNative(ti, m, &is[0]),
               synthetic = (*ti)->IsMethodSynthetic(ti, m, &is[1]),
               obsolete = (*ti)->IsMethodObsolete(ti, m, &is[2]);
    say("  native: %d %d, synthetic: %d %d, obsolete: %d %d", native, is[0], synthetic, is[1],
        obsolete, is[2]);
    say_code(m);
}

EXPORT(void, Java_AddDelete_methods, JNIEnv *jni, jclass unused, jclass c)
{
    (void)unused;
    jint count;
    jmethodID *methods;
    MUST((*ti)->GetClassMethods(ti, c, &count, &methods));
    for (jint i = 0; i < count; i++)
        say("  %s", method_name(ti, jni, methods[i]));
    release(ti, methods);
}

// ---- events ----
// The method's name when it is one whose events are told, else NULL.
static const char *told(JNIEnv *jni, jmethodID m)
{
    const char *name = method_name(ti, jni, m);
    return prefix[0] && strncmp(name, prefix, strlen(prefix)) == 0 ? name : NULL;
}
static void JNICALL entered(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID m)
{
    (void)env, (void)thread;
    if (told(jni, m))
        say("    enter %s", told(jni, m));
}
static void JNICALL left(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID m,
                         jboolean thrown, jvalue value)
{
    (void)env, (void)thread, (void)value;
    if (told(jni, m))
        say("    exit %s%s", told(jni, m), thrown ? " by an exception" : "");
}
static void JNICALL stepped(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID m,
                            jlocation at)
{
    (void)env, (void)thread;
    if (told(jni, m))
        say("    step %s %d", told(jni, m), (int)at);
}
static void JNICALL stopped(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID m,
                            jlocation at)
{
    (void)env, (void)thread;
    jint count;
    jvmtiFrameInfo top;
    MUST((*ti)->GetStackTrace(ti, NULL, 0, 1, &top, &count));
    say("    breakpoint %s %d%s", method_name(ti, jni, m), (int)at,
        top.method == m ? "" : " with another id");
}
static void JNICALL accessed(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID m,
                             jlocation at, jclass c, jobject object, jfieldID field)
{
    (void)env, (void)thread, (void)c, (void)object, (void)field;
    say("    access by %s %d", method_name(ti, jni, m), (int)at);
}
static void JNICALL modified(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID m,
                             jlocation at, jclass c, jobject object, jfieldID field, char kind,
                             jvalue value)
{
    (void)env, (void)thread, (void)c, (void)object, (void)field, (void)kind;
    say("    modification by %s %d: %d", method_name(ti, jni, m), (int)at, value.i);
}

// Entries, exits and steps in methods of classes whose signatures begin like this; null: no more.
EXPORT(void, Java_AddDelete_events, JNIEnv *jni, jclass unused, jstring of)
{
    (void)unused;
    static const jvmtiEvent events[] = {JVMTI_EVENT_METHOD_ENTRY, JVMTI_EVENT_METHOD_EXIT,
                                        JVMTI_EVENT_SINGLE_STEP};
    prefix[0] = 0;
    if (of)
        (*jni)->GetStringUTFRegion(jni, of, 0, (*jni)->GetStringLength(jni, of), prefix);
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        MUST((*ti)->SetEventNotificationMode(ti, of ? JVMTI_ENABLE : JVMTI_DISABLE, events[i],
                                             NULL));
}
EXPORT(jint, Java_AddDelete_breakpoint, JNIEnv *jni, jclass unused, jint i, jint at,
       jboolean set)
{
    (void)jni, (void)unused;
    return set ? (*ti)->SetBreakpoint(ti, ids[i], at) : (*ti)->ClearBreakpoint(ti, ids[i], at);
}
EXPORT(void, Java_AddDelete_watch, JNIEnv *jni, jclass unused, jobject reflected)
{
    (void)unused;
    jfieldID field = (*jni)->FromReflectedField(jni, reflected);
    jclass c = (*jni)->FindClass(jni, "AddEvA");
    MUST((*ti)->SetFieldAccessWatch(ti, c, field));
    MUST((*ti)->SetFieldModificationWatch(ti, c, field));
}

// ---- a native method that is deleted while it is bound ----
EXPORT(jstring, Java_AddIdA_bound, JNIEnv *jni, jclass unused)
{
    (void)unused;
    return (*jni)->NewStringUTF(jni, "native code");
}
static void JNICALL binding(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID m,
                            void *address, void **new_address)
{
    (void)env, (void)thread, (void)address, (void)new_address;
    say("  binding %s", method_name(ti, jni, m));
    jclass c = (*jni)->FindClass(jni, "AddDeleteIds");
    (*jni)->CallStaticVoidMethod(jni, c,
                                 (*jni)->GetStaticMethodID(jni, c, "duringBind", "()V"));
}
EXPORT(void, Java_AddDelete_tellBinds, JNIEnv *jni, jclass unused, jboolean on)
{
    (void)jni, (void)unused;
    MUST((*ti)->SetEventNotificationMode(ti, on ? JVMTI_ENABLE : JVMTI_DISABLE,
                                         JVMTI_EVENT_NATIVE_METHOD_BIND, NULL));
}

EXPORT(jint, Agent_OnLoad, JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    ti = new_env(vm, JVMTI_VERSION_11);
    jvmtiCapabilities c = {.can_redefine_classes = 1,
                           .can_get_line_numbers = 1,
                           .can_get_bytecodes = 1,
                           .can_access_local_variables = 1,
                           .can_get_synthetic_attribute = 1,
                           .can_maintain_original_method_order = 1,
                           .can_generate_method_entry_events = 1,
                           .can_generate_method_exit_events = 1,
                           .can_generate_single_step_events = 1,
                           .can_generate_breakpoint_events = 1,
                           .can_generate_native_method_bind_events = 1,
                           .can_generate_field_access_events = 1,
                           .can_generate_field_modification_events = 1};
    MUST((*ti)->AddCapabilities(ti, &c));
    jvmtiEventCallbacks callbacks = {.MethodEntry = entered,
                                     .MethodExit = left,
                                     .SingleStep = stepped,
                                     .Breakpoint = stopped,
                                     .NativeMethodBind = binding,
                                     .FieldAccess = accessed,
                                     .FieldModification = modified};
    MUST((*ti)->SetEventCallbacks(ti, &callbacks, sizeof callbacks));
    enable(ti, JVMTI_EVENT_BREAKPOINT);
    enable(ti, JVMTI_EVENT_FIELD_ACCESS);
    enable(ti, JVMTI_EVENT_FIELD_MODIFICATION);
    return JNI_OK;
}
