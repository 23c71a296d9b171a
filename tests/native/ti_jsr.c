// SPDX-License-Identifier: Apache-2.0
// For JsrTools: reads and writes locals, steps, stops, leaves frames and replaces classes while a method is in a subroutine.
#include "ti_common.h"

static jvmtiEnv *ti;
static jmethodID seen;             // the method that is stepped through or stopped in
static jvmtiError (*does)(jint n); // at the next breakpoint
static jint argument;

#define E (*ti)
enum {
    SUBROUTINE = 4
}; // depth of the method that calls JsrTools.probe, seen from a native called by JsrTools.inside

// The slots of a set of bits: errors as an object and as an int, and the int.
static const char *locals(jint depth, jint slots)
{
    char *out = ring();
    int n = 0;
    out[0] = '\0';
    for (jint slot = 0; slot < 32; slot++) {
        jobject o = NULL;
        jint i = 0;
        if (!(slots >> slot & 1))
            continue;
        jvmtiError as_object = E->GetLocalObject(ti, NULL, depth, slot, &o);
        jvmtiError as_int = E->GetLocalInt(ti, NULL, depth, slot, &i);
        n += snprintf(out + n, 512 - (size_t)n, " %d: L %d I %d %d", (int)slot, (int)as_object,
                      (int)as_int, as_int ? 0 : (int)i);
    }
    return out;
}

static void JNICALL step(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID m, jlocation at)
{
    (void)env, (void)jni, (void)thread;
    if (m == seen)
        say("    step %d:%s", (int)at, locals(0, 3));
}
static void JNICALL breakpoint(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID m,
                               jlocation at)
{
    (void)env, (void)jni, (void)thread, (void)m;
    say("    breakpoint %d", (int)at);
    if (does) {
        jvmtiError (*now)(jint) = does;
        does = NULL;
        say("    gives %d", (int)now(argument));
    }
}
static void JNICALL frame_pop(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID m,
                              jboolean by_exception)
{
    (void)jni, (void)thread;
    jlocation at = -1;
    jmethodID where;
    (void)env;
    E->GetFrameLocation(ti, NULL, 0, &where, &at);
    say("    frame pop %d at %d by exception %d", where == m, (int)at, by_exception);
}
static void JNICALL hook(jvmtiEnv *env, JNIEnv *jni, jclass old, jobject loader,
                         const char *name, jobject domain, jint length,
                         const unsigned char *data, jint *new_length, unsigned char **new_data)
{
    (void)env, (void)loader, (void)domain;
    if (!old || !name || strncmp(name, "Made", 4) != 0)
        return;
    jclass c = (*jni)->FindClass(jni, "JsrTools");
    jmethodID m = (*jni)->GetStaticMethodID(jni, c, "changed", "([B)[B");
    jbyteArray bytes = (*jni)->NewByteArray(jni, length);
    (*jni)->SetByteArrayRegion(jni, bytes, 0, length, (const jbyte *)data);
    jbyteArray result = (*jni)->CallStaticObjectMethod(jni, c, m, bytes);
    if (!result)
        return;
    *new_length = (*jni)->GetArrayLength(jni, result);
    MUST(E->Allocate(ti, *new_length, new_data));
    (*jni)->GetByteArrayRegion(jni, result, 0, *new_length, (jbyte *)*new_data);
}

EXPORT(jstring, Java_JsrTools_locals, JNIEnv *jni, jclass c, jint slots)
{
    (void)c;
    return (*jni)->NewStringUTF(jni, locals(SUBROUTINE, slots));
}
EXPORT(jint, Java_JsrTools_setInt, JNIEnv *jni, jclass c, jint slot, jint value)
{
    (void)jni, (void)c;
    return (jint)E->SetLocalInt(ti, NULL, SUBROUTINE, slot, value);
}
// What HotSpot lets one write over a return address is refused or does no harm when it is the same.
EXPORT(void, Java_JsrTools_setSame, JNIEnv *jni, jclass c, jint slot)
{
    (void)jni, (void)c;
    jint i = 0;
    if (E->GetLocalInt(ti, NULL, SUBROUTINE, slot, &i) == JVMTI_ERROR_NONE)
        (void)E->SetLocalInt(ti, NULL, SUBROUTINE, slot, i);
}
EXPORT(jint, Java_JsrTools_setObject, JNIEnv *jni, jclass c, jint slot, jobject value)
{
    (void)jni, (void)c;
    return (jint)E->SetLocalObject(ti, NULL, SUBROUTINE, slot, value);
}
EXPORT(jlong, Java_JsrTools_location, JNIEnv *jni, jclass c)
{
    (void)jni, (void)c;
    jmethodID m;
    jlocation at = -1;
    MUST(E->GetFrameLocation(ti, NULL, SUBROUTINE, &m, &at));
    return at;
}
EXPORT(void, Java_JsrTools_describe, JNIEnv *jni, jclass c, jclass of)
{
    (void)c;
    jint count;
    jmethodID *methods;
    MUST(E->GetClassMethods(ti, of, &count, &methods));
    for (jint i = 0; i < count; i++) {
        jint length, lines, variables;
        unsigned char *code;
        jvmtiLineNumberEntry *line = NULL;
        jvmtiLocalVariableEntry *variable = NULL;
        say("  %s", method_name(ti, jni, methods[i]));
        if (E->GetBytecodes(ti, methods[i], &length, &code) == JVMTI_ERROR_NONE) {
            char text[1024];
            int n = 0;
            for (jint k = 0; k < length; k++)
                n += snprintf(text + n, sizeof text - (size_t)n, "%02x", code[k]);
            say("    %s", text);
            release(ti, code);
        }
        jvmtiError e = E->GetLineNumberTable(ti, methods[i], &lines, &line);
        say("    lines %d", (int)e);
        for (jint k = 0; e == JVMTI_ERROR_NONE && k < lines; k++)
            say("      %d %d", (int)line[k].start_location, (int)line[k].line_number);
        e = E->GetLocalVariableTable(ti, methods[i], &variables, &variable);
        say("    variables %d", (int)e);
        for (jint k = 0; e == JVMTI_ERROR_NONE && k < variables; k++)
            say("      %d+%d %s %s %d", (int)variable[k].start_location,
                (int)variable[k].length, variable[k].name, variable[k].signature,
                (int)variable[k].slot);
    }
    release(ti, methods);
}
EXPORT(void, Java_JsrTools_steps, JNIEnv *jni, jclass c, jclass of, jstring name, jboolean on)
{
    (void)c;
    const char *text = (*jni)->GetStringUTFChars(jni, name, NULL);
    seen = (*jni)->GetStaticMethodID(jni, of, text, "(I)I");
    (*jni)->ReleaseStringUTFChars(jni, name, text);
    jthread self;
    MUST(E->GetCurrentThread(ti, &self));
    MUST(E->SetEventNotificationMode(ti, on ? JVMTI_ENABLE : JVMTI_DISABLE,
                                     JVMTI_EVENT_SINGLE_STEP, self));
}

static jvmtiError do_pop(jint n)
{
    (void)n;
    jthread self;
    MUST(E->GetCurrentThread(ti, &self));
    return E->PopFrame(ti, self);
}
static jvmtiError do_return(jint n)
{
    return E->ForceEarlyReturnInt(ti, NULL, n);
}
static jvmtiError do_return_twice(jint n)
{
    jvmtiError first = do_return(n);
    say("    first %d", (int)first);
    return do_return(n + 1);
}
static jvmtiError do_pop_twice(jint n)
{
    jvmtiError first = do_pop(n);
    say("    first %d", (int)first);
    return do_pop(n);
}
static jvmtiError do_notify(jint n)
{
    (void)n;
    return E->NotifyFramePop(ti, NULL, 0);
}
static jvmtiError do_nothing(jint n)
{
    (void)n;
    return JVMTI_ERROR_NONE;
}

// Sets a breakpoint at a location of name(I)I, or clears it (what < 0). At its first hit action `what` is done.
EXPORT(jint, Java_JsrTools_stop, JNIEnv *jni, jclass c, jclass of, jstring name, jlong at,
       jint what, jint n)
{
    (void)c;
    static jvmtiError (*const actions[])(jint) = {do_nothing, do_pop,          do_return,
                                                  do_notify,  do_return_twice, do_pop_twice};
    const char *text = (*jni)->GetStringUTFChars(jni, name, NULL);
    jmethodID m = (*jni)->GetStaticMethodID(jni, of, text, "(I)I");
    (*jni)->ReleaseStringUTFChars(jni, name, text);
    if (what < 0)
        return (jint)E->ClearBreakpoint(ti, m, at);
    does = actions[what];
    argument = n;
    return (jint)E->SetBreakpoint(ti, m, at);
}
EXPORT(jint, Java_JsrTools_redefine, JNIEnv *jni, jclass c, jclass of, jbyteArray file)
{
    (void)c;
    jbyte *bytes = (*jni)->GetByteArrayElements(jni, file, NULL);
    jvmtiClassDefinition d = {of, (*jni)->GetArrayLength(jni, file), (unsigned char *)bytes};
    jvmtiError e = E->RedefineClasses(ti, 1, &d);
    (*jni)->ReleaseByteArrayElements(jni, file, bytes, JNI_ABORT);
    return (jint)e;
}
EXPORT(jint, Java_JsrTools_retransform, JNIEnv *jni, jclass c, jclass of)
{
    (void)jni, (void)c;
    return (jint)E->RetransformClasses(ti, 1, &of);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    ti = new_env(vm, JVMTI_VERSION_11);
    jvmtiCapabilities want;
    MUST(E->GetPotentialCapabilities(ti, &want));
    want.can_generate_early_vmstart = want.can_generate_early_class_hook_events = 0;
    MUST(E->AddCapabilities(ti, &want));
    jvmtiEventCallbacks callbacks = {.SingleStep = step,
                                     .Breakpoint = breakpoint,
                                     .FramePop = frame_pop,
                                     .ClassFileLoadHook = hook};
    MUST(E->SetEventCallbacks(ti, &callbacks, sizeof callbacks));
    enable(ti, JVMTI_EVENT_BREAKPOINT);
    enable(ti, JVMTI_EVENT_FRAME_POP);
    enable(ti, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK);
    return JNI_OK;
}
