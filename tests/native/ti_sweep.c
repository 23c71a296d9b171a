// SPDX-License-Identifier: Apache-2.0
// For tests/soak/sweep.py: writes a line for each event of a kind into a file of the process.
// Option: KIND,FOLDER. It uses little of what it watches, so that both VMs have the same to tell.
#include <stdbool.h>
#include <unistd.h>

#include "ti_common.h"

static jvmtiEnv *ti;
static FILE *out;
static bool over; // VMDeath was told
static jrawMonitorID writing;

static void begin(void)
{
    MUST((*ti)->RawMonitorEnter(ti, writing));
}

static void end(const char *line)
{
    if (!over)
        fputs(line, out);
    MUST((*ti)->RawMonitorExit(ti, writing));
}

#define WRITE(...)                                  \
    do {                                            \
        char line_[2048];                           \
        snprintf(line_, sizeof line_, __VA_ARGS__); \
        begin();                                    \
        end(line_);                                 \
    } while (0)

// Of the program, not of the class library's boot loader.
static bool is_own(JNIEnv *jni, jclass c)
{
    jobject loader;
    MUST((*ti)->GetClassLoader(ti, c, &loader));
    (*jni)->DeleteLocalRef(jni, loader);
    return loader != NULL;
}

static bool is_own_method(JNIEnv *jni, jmethodID m)
{
    jclass c;
    MUST((*ti)->GetMethodDeclaringClass(ti, m, &c));
    bool own = is_own(jni, c);
    (*jni)->DeleteLocalRef(jni, c);
    return own;
}

static const char *class_of(JNIEnv *jni, jobject o)
{
    jclass c = (*jni)->GetObjectClass(jni, o);
    const char *name = class_name(ti, c);
    (*jni)->DeleteLocalRef(jni, c);
    return name;
}

// ---- allocations ----
static void JNICALL on_alloc(jvmtiEnv *env, JNIEnv *jni, jthread thread, jobject object,
                             jclass c, jlong size)
{
    (void)thread, (void)object, (void)size;
    jvmtiFrameInfo top;
    jint count;
    MUST((*env)->GetStackTrace(env, NULL, 0, 1, &top, &count));
    WRITE("%s in %s\n", class_name(env, c), count ? method_name(env, jni, top.method) : "-");
}

// ---- exceptions ----
static void JNICALL on_exception(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID m,
                                 jlocation at, jobject exception, jmethodID catcher,
                                 jlocation catch_at)
{
    (void)thread;
    WRITE("thrown %s in %s at %d, caught in %s at %d\n", class_of(jni, exception),
          method_name(env, jni, m), (int)at, method_name(env, jni, catcher), (int)catch_at);
}

static void JNICALL on_catch(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID m,
                             jlocation at, jobject exception)
{
    (void)thread;
    WRITE("caught %s in %s at %d\n", class_of(jni, exception), method_name(env, jni, m),
          (int)at);
}

// ---- steps: instructions, calls and fields of the program's classes ----
static void JNICALL on_step(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID m,
                            jlocation at)
{
    (void)thread;
    if (is_own_method(jni, m))
        WRITE("step %s at %d\n", method_name(env, jni, m), (int)at);
}

static void JNICALL on_entry(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID m)
{
    (void)thread;
    if (is_own_method(jni, m))
        WRITE("enter %s\n", method_name(env, jni, m));
}

static void JNICALL on_exit_(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID m,
                             jboolean by_exception, jvalue value)
{
    (void)thread, (void)value;
    if (is_own_method(jni, m))
        WRITE("leave %s%s\n", method_name(env, jni, m), by_exception ? " by exception" : "");
}

static const char *field_name(jclass c, jfieldID f)
{
    char *name, *text = ring();
    MUST((*ti)->GetFieldName(ti, c, f, &name, NULL, NULL));
    snprintf(text, 512, "%s.%s", class_name(ti, c), name);
    release(ti, name);
    return text;
}

static void JNICALL on_access(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID m,
                              jlocation at, jclass c, jobject object, jfieldID f)
{
    (void)thread, (void)object;
    WRITE("get %s in %s at %d\n", field_name(c, f), method_name(env, jni, m), (int)at);
}

static void JNICALL on_modify(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID m,
                              jlocation at, jclass c, jobject object, jfieldID f, char type,
                              jvalue value)
{
    (void)thread, (void)object, (void)value;
    WRITE("put %s, %c, in %s at %d\n", field_name(c, f), type, method_name(env, jni, m),
          (int)at);
}

static void JNICALL watch_fields(jvmtiEnv *env, JNIEnv *jni, jthread thread, jclass c)
{
    (void)thread;
    jint count;
    jfieldID *fields;
    if (!is_own(jni, c))
        return;
    MUST((*env)->GetClassFields(env, c, &count, &fields));
    for (jint i = 0; i < count; i++) {
        MUST((*env)->SetFieldAccessWatch(env, c, fields[i]));
        MUST((*env)->SetFieldModificationWatch(env, c, fields[i]));
    }
    release(env, fields);
}

// ---- objects: references from and to objects of the program's classes, at the end ----
static struct {
    const char *name;
    bool own;
} classes[1 << 16]; // by their tags

static const char *what(jlong tag, jlong class_tag)
{
    return tag ? classes[tag].name : class_tag ? classes[class_tag].name : "-";
}

static jint JNICALL on_reference(jvmtiHeapReferenceKind kind,
                                 const jvmtiHeapReferenceInfo *info, jlong class_tag,
                                 jlong from_class_tag, jlong size, jlong *tag, jlong *from_tag,
                                 jint length, void *data)
{
    (void)size, (void)data;
    jlong from = from_tag ? *from_tag : 0;
    if (classes[class_tag].own || classes[from_class_tag].own || classes[*tag].own
        || classes[from].own)
        fprintf(out, "kind %d index %d length %d: %s%s -> %s%s\n", (int)kind,
                kind == JVMTI_HEAP_REFERENCE_FIELD || kind == JVMTI_HEAP_REFERENCE_STATIC_FIELD
                    ? (int)info->field.index
                    : -1,
                (int)length, from ? "class " : "", what(from, from_class_tag),
                *tag ? "class " : "", what(*tag, class_tag));
    return JVMTI_VISIT_OBJECTS;
}

static void write_objects(JNIEnv *jni)
{
    jint count;
    jclass *loaded;
    MUST((*ti)->GetLoadedClasses(ti, &count, &loaded));
    for (jint i = 0; i < count && i + 1 < 1 << 16; i++) {
        classes[i + 1].name = strdup(class_name(ti, loaded[i]));
        classes[i + 1].own = is_own(jni, loaded[i]);
        MUST((*ti)->SetTag(ti, loaded[i], i + 1));
        (*jni)->DeleteLocalRef(jni, loaded[i]);
    }
    jvmtiHeapCallbacks calls = {.heap_reference_callback = on_reference};
    MUST((*ti)->ForceGarbageCollection(ti));
    MUST((*ti)->FollowReferences(ti, 0, NULL, NULL, &calls, NULL));
}

// ---- kinds ----
static const struct Kind {
    const char *name;
    jvmtiCapabilities capabilities;
    jvmtiEvent events[8]; // 0 ends them
    bool objects;
} kinds[] = {
    {"allocations",
     {.can_generate_vm_object_alloc_events = 1},
     {JVMTI_EVENT_VM_OBJECT_ALLOC},
     false},
    {"exceptions",
     {.can_generate_exception_events = 1},
     {JVMTI_EVENT_EXCEPTION, JVMTI_EVENT_EXCEPTION_CATCH},
     false},
    {"steps",
     {.can_generate_single_step_events = 1,
      .can_generate_method_entry_events = 1,
      .can_generate_method_exit_events = 1,
      .can_generate_field_access_events = 1,
      .can_generate_field_modification_events = 1},
     {JVMTI_EVENT_SINGLE_STEP, JVMTI_EVENT_METHOD_ENTRY, JVMTI_EVENT_METHOD_EXIT,
      JVMTI_EVENT_FIELD_ACCESS, JVMTI_EVENT_FIELD_MODIFICATION, JVMTI_EVENT_CLASS_PREPARE},
     false},
    {"objects", {.can_tag_objects = 1}, {0}, true},
};
static const struct Kind *kind;

static void JNICALL on_init(jvmtiEnv *env, JNIEnv *jni, jthread thread)
{
    (void)jni;
    for (const jvmtiEvent *e = kind->events; *e; e++)
        MUST((*env)->SetEventNotificationMode(env, JVMTI_ENABLE, *e,
                                              *e == JVMTI_EVENT_SINGLE_STEP ? thread : NULL));
}

static void JNICALL on_death(jvmtiEnv *env, JNIEnv *jni)
{
    (void)env;
    if (kind->objects)
        write_objects(jni);
    begin();
    over = true;
    fclose(out);
    end("");
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)reserved;
    char *folder = strchr(options, ','), path[512];
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(options, kinds[i].name, (size_t)(folder - options)) == 0)
            kind = &kinds[i];
    snprintf(path, sizeof path, "%s/%d", folder + 1, (int)getpid());
    out = fopen(path, "w");
    if (!kind || !out)
        return JNI_ERR;
    ti = new_env(vm, JVMTI_VERSION_11);
    jvmtiEventCallbacks calls = {.VMInit = on_init,
                                 .VMDeath = on_death,
                                 .VMObjectAlloc = on_alloc,
                                 .Exception = on_exception,
                                 .ExceptionCatch = on_catch,
                                 .SingleStep = on_step,
                                 .MethodEntry = on_entry,
                                 .MethodExit = on_exit_,
                                 .FieldAccess = on_access,
                                 .FieldModification = on_modify,
                                 .ClassPrepare = watch_fields};
    MUST((*ti)->CreateRawMonitor(ti, "sweep", &writing));
    MUST((*ti)->AddCapabilities(ti, &kind->capabilities));
    MUST((*ti)->SetEventCallbacks(ti, &calls, sizeof calls));
    enable(ti, JVMTI_EVENT_VM_INIT);
    enable(ti, JVMTI_EVENT_VM_DEATH);
    return JNI_OK;
}
