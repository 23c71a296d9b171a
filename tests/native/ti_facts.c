// SPDX-License-Identifier: Apache-2.0
// For tests/agents/Facts.java: everything that can be asked about a class, its methods and fields.
#include "ti_common.h"

static jvmtiEnv *ti;

static const char *orNone(char *s)
{
    return s ? s : "-";
}

static unsigned sum(const unsigned char *p, jint n)
{
    unsigned h = 0;
    for (jint i = 0; i < n; i++)
        h = h * 31 + p[i];
    return h;
}

static void tell_lines(jmethodID m)
{
    jint n;
    jvmtiLineNumberEntry *lines;
    jvmtiError error = (*ti)->GetLineNumberTable(ti, m, &n, &lines);
    if (error != JVMTI_ERROR_NONE) {
        say("    lines: %d", (int)error);
        return;
    }
    for (jint i = 0; i < n; i++)
        say("    line %d at %d", (int)lines[i].line_number, (int)lines[i].start_location);
    release(ti, lines);
}

static void tell_method(JNIEnv *jni, jmethodID m)
{
    char *name, *desc, *generic;
    jint modifiers, locals = -1, args = -1, len = -1;
    jboolean native, synthetic, obsolete;
    jlocation start = -9, end = -9;
    unsigned char *code = NULL;
    MUST((*ti)->GetMethodName(ti, m, &name, &desc, &generic));
    MUST((*ti)->GetMethodModifiers(ti, m, &modifiers));
    MUST((*ti)->IsMethodNative(ti, m, &native));
    MUST((*ti)->IsMethodSynthetic(ti, m, &synthetic));
    MUST((*ti)->IsMethodObsolete(ti, m, &obsolete));
    int e1 = (int)(*ti)->GetMaxLocals(ti, m, &locals),
        e2 = (int)(*ti)->GetArgumentsSize(ti, m, &args);
    int e3 = (int)(*ti)->GetMethodLocation(ti, m, &start, &end),
        e4 = (int)(*ti)->GetBytecodes(ti, m, &len, &code);
    say("  method %s %s %s modifiers %x%s%s%s", name, desc, orNone(generic),
        (unsigned)modifiers, native ? " native" : "", synthetic ? " synthetic" : "",
        obsolete ? " obsolete" : "");
    say("    locals %d %d args %d %d location %d %d..%d code %d %d %x", e1, (int)locals, e2,
        (int)args, e3, (int)start, (int)end, e4, (int)len, len > 0 ? sum(code, len) : 0);
    tell_lines(m);
    jclass declaring;
    MUST((*ti)->GetMethodDeclaringClass(ti, m, &declaring));
    say("    of %s", class_name(ti, declaring));
    (*jni)->DeleteLocalRef(jni, declaring);
    release(ti, name);
    release(ti, desc);
    release(ti, generic);
    release(ti, code);
}

static void tell_field(JNIEnv *jni, jclass c, jfieldID f)
{
    char *name, *desc, *generic;
    jint modifiers;
    jboolean synthetic;
    jclass declaring;
    MUST((*ti)->GetFieldName(ti, c, f, &name, &desc, &generic));
    MUST(
        (*ti)->GetFieldModifiers(ti, c, f, &modifiers)); // HotSpot leaves an internal bit in it
    MUST((*ti)->IsFieldSynthetic(ti, c, f, &synthetic));
    MUST((*ti)->GetFieldDeclaringClass(ti, c, f, &declaring));
    say("  field %s %s %s modifiers %x%s of %s", name, desc, orNone(generic),
        (unsigned)modifiers & 0x50DF, synthetic ? " synthetic" : "", class_name(ti, declaring));
    (*jni)->DeleteLocalRef(jni, declaring);
    release(ti, name);
    release(ti, desc);
    release(ti, generic);
}

static void tell_members(JNIEnv *jni, jclass c)
{
    jint n;
    jmethodID *methods;
    jfieldID *fields;
    jclass *interfaces;
    jvmtiError error = (*ti)->GetClassMethods(ti, c, &n, &methods);
    say("  methods: %d %d", (int)error, error ? -1 : (int)n);
    for (jint i = 0; !error && i < n; i++)
        tell_method(jni, methods[i]);
    error = (*ti)->GetClassFields(ti, c, &n, &fields);
    say("  fields: %d %d", (int)error, error ? -1 : (int)n);
    for (jint i = 0; !error && i < n; i++)
        tell_field(jni, c, fields[i]);
    error = (*ti)->GetImplementedInterfaces(ti, c, &n, &interfaces);
    say("  interfaces: %d %d", (int)error, error ? -1 : (int)n);
    for (jint i = 0; !error && i < n; i++)
        say("    %s", class_name(ti, interfaces[i]));
}

EXPORT(void, Java_Facts_tell, JNIEnv *jni, jclass self, jclass c)
{
    (void)self;
    char *signature, *generic, *text = NULL;
    jint status, modifiers, minor = -1, major = -1, count = -1, bytes = -1;
    jboolean interface, array, modifiable;
    jobject loader;
    unsigned char *pool = NULL;
    MUST((*ti)->GetClassSignature(ti, c, &signature, &generic));
    MUST((*ti)->GetClassStatus(ti, c, &status));
    MUST((*ti)->GetClassModifiers(ti, c, &modifiers));
    MUST((*ti)->IsInterface(ti, c, &interface));
    MUST((*ti)->IsArrayClass(ti, c, &array));
    MUST((*ti)->IsModifiableClass(ti, c, &modifiable));
    MUST((*ti)->GetClassLoader(ti, c, &loader));
    say("class %s %s status %d modifiers %x interface %d array %d modifiable %d loader %d",
        signature, orNone(generic), (int)status, (unsigned)modifiers, interface, array,
        modifiable, loader != NULL);
    jvmtiError error = (*ti)->GetSourceFileName(ti, c, &text);
    say("  source %d %s", (int)error, error ? "" : text);
    error = (*ti)->GetSourceDebugExtension(ti, c, &text);
    say("  debug extension %d", (int)error);
    if (!(status & JVMTI_CLASS_STATUS_ERROR)) { // HotSpot refuses these
        error = (*ti)->GetClassVersionNumbers(ti, c, &minor, &major);
        say("  version %d %d.%d", (int)error, (int)major, (int)minor);
        error = (*ti)->GetConstantPool(ti, c, &count, &bytes, &pool);
    }
    say("  pool %d entries known %d, bytes known %d", (int)error, count > 0,
        bytes > 0); // HotSpot adds entries of its own
    if (strncmp(signature, "LFacts", 6) == 0 || array || strlen(signature) == 1)
        tell_members(jni, c);
    release(ti, signature);
    release(ti, generic);
}

static void say_loaded(JNIEnv *jni, jint n, jclass *classes, const char *what)
{
    int own = 0, arrays = 0, objects = 0, primitives = 0;
    for (jint i = 0; i < n; i++) {
        const char *name = class_name(ti, classes[i]);
        if (strncmp(name, "LFacts", 6) == 0 && !strchr(name, '.'))
            own++;
        arrays += strncmp(name, "[LFacts", 7) == 0;
        objects += strcmp(name, "Ljava/lang/Object;") == 0;
        primitives += strcmp(name, "[I") == 0;
        (*jni)->DeleteLocalRef(jni, classes[i]);
    }
    say("%s: own %d own arrays %d Object %d int[] %d", what, own, arrays > 1, objects,
        primitives); // HotSpot makes arrays of supers too
    release(ti, classes);
}

EXPORT(void, Java_Facts_loaded, JNIEnv *jni, jclass self, jobject loader)
{
    (void)self;
    jint n;
    jclass *classes;
    MUST((*ti)->GetLoadedClasses(ti, &n, &classes));
    say_loaded(jni, n, classes, "loaded");
    MUST((*ti)->GetClassLoaderClasses(ti, loader, &n, &classes));
    say_loaded(jni, n, classes, "of the loader");
    MUST((*ti)->GetClassLoaderClasses(ti, NULL, &n, &classes));
    say_loaded(jni, n, classes, "of the boot loader");
}

EXPORT(void, Java_Facts_nothing, JNIEnv *jni, jobject o, jlong a, jint b)
{
    (void)jni, (void)o, (void)a, (void)b;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    ti = new_env(vm, JVMTI_VERSION_9);
    jvmtiCapabilities want = {.can_get_bytecodes = 1,
                              .can_get_synthetic_attribute = 1,
                              .can_get_source_file_name = 1,
                              .can_get_line_numbers = 1,
                              .can_get_source_debug_extension = 1,
                              .can_maintain_original_method_order = 1,
                              .can_get_constant_pool = 1};
    MUST((*ti)->AddCapabilities(ti, &want));
    return JNI_OK;
}
