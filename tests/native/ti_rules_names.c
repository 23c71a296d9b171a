// SPDX-License-Identifier: Apache-2.0
// Rules of names and ids: strings in modified UTF-8, method ids that are kept, local variables, and
// references that failed once.
#include "ti_rules.h"

static jvmtiEnv *ti;
static jmethodID kept;

// In hexadecimal where it is not plain ASCII.
static const char *shown(const char *s)
{
    char *out = ring(), *p = out;
    for (; *s && p < out + 500; s++)
        p += sprintf(p, (unsigned char)*s < 0x80 ? "%c" : "<%02x>", (unsigned char)*s);
    *p = 0;
    return out;
}

EXPORT(void, Java_RulesNames_names, JNIEnv *jni, jclass c, jclass odd, jthread thread)
{
    char *text;
    jint count;
    jmethodID *methods;
    jfieldID *fields;
    jvmtiThreadInfo info;
    bool ascii = true;
    (void)jni, (void)c;
    MUST((*ti)->GetClassSignature(ti, odd, &text, NULL));
    say("C16 class %s", shown(text));
    MUST((*ti)->GetClassMethods(ti, odd, &count, &methods));
    for (jint i = 0; i < count; i++) {
        char *name, *desc;
        MUST((*ti)->GetMethodName(ti, methods[i], &name, &desc, NULL));
        if (name[0] != '<')
            say("C16 method %s%s", shown(name), shown(desc));
    }
    MUST((*ti)->GetClassFields(ti, odd, &count, &fields));
    for (jint i = 0; i < count; i++) {
        MUST((*ti)->GetFieldName(ti, odd, fields[i], &text, NULL, NULL));
        say("C16 field %s", shown(text));
    }
    MUST((*ti)->GetThreadInfo(ti, thread, &info));
    say("C16 thread %s", shown(info.name));
    for (int code = 0; code < 130; code++)
        if ((*ti)->GetErrorName(ti, (jvmtiError)code, &text) == JVMTI_ERROR_NONE)
            for (const char *p = text; *p; p++)
                ascii &= (unsigned char)*p < 0x80;
    RULE("C16", ascii);
}

EXPORT(void, Java_RulesNames_variables, JNIEnv *jni, jclass c)
{
    jmethodID m = (*jni)->GetStaticMethodID(jni, c, "variables", "(JLjava/util/List;)I");
    jvmtiLocalVariableEntry *table;
    jint count, generic = 0;
    MUST((*ti)->GetLocalVariableTable(ti, m, &count, &table));
    for (jint i = 0; i < count; i++) {
        const jvmtiLocalVariableEntry *v = &table[i];
        say("J5 %s %s %s at %d+%d in %d", shown(v->name), v->signature,
            v->generic_signature ? v->generic_signature : "-", (int)v->start_location,
            (int)v->length, (int)v->slot);
        generic += v->generic_signature != NULL;
    }
    RULE("J5", count == 4 && generic == 1);
}

// An id outlives the reference to its class, and is told when the class has gone.
EXPORT(void, Java_RulesNames_keep, JNIEnv *jni, jclass c, jclass of)
{
    (void)c;
    kept = (*jni)->GetStaticMethodID(jni, of, "text", "()Ljava/lang/String;");
}

EXPORT(jboolean, Java_RulesNames_isValid, JNIEnv *jni, jclass c)
{
    char *name;
    (void)jni, (void)c;
    return (*ti)->GetMethodName(ti, kept, &name, NULL, NULL) == JVMTI_ERROR_NONE;
}

EXPORT(void, Java_RulesNames_addJar, JNIEnv *jni, jclass c, jstring path)
{
    const char *text = (*jni)->GetStringUTFChars(jni, path, NULL);
    (void)c;
    MUST((*ti)->AddToSystemClassLoaderSearch(ti, text));
}

EXPORT(jint, Agent_OnLoad, JavaVM *vm, char *options, void *reserved)
{
    jvmtiCapabilities caps = {.can_access_local_variables = 1};
    (void)options, (void)reserved;
    ti = new_env(vm, JVMTI_VERSION_1_2);
    MUST((*ti)->AddCapabilities(ti, &caps));
    return JNI_OK;
}
