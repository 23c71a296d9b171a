// SPDX-License-Identifier: Apache-2.0
// Agents for a process that was started without any: each load of this library, with a name and
// what it is to do, makes an environment with all capabilities. See tests/agents/Visitors.java.
#include <stdbool.h>

#include "ti_common.h"

typedef struct Visitor {
    char name[16];
    jvmtiEnv *env;
    long entries, exits, steps, breaks, accesses, changes, samples, pops;
    long foreign; // events of a thread, method or field that others asked for
    jthread stepped;
    jmethodID stop_at;
    jfieldID watched;
    jlong tag;
} Visitor;

static JavaVM *java_vm;
static Visitor visitors[8];
static jclass program;

// Some thread may be on its way into a callback while another one disposes of the environment.
static Visitor *of(jvmtiEnv *env)
{
    static Visitor gone;
    Visitor *v;
    jvmtiError error = (*env)->GetEnvironmentLocalStorage(env, (void **)&v);
    if (error == JVMTI_ERROR_INVALID_ENVIRONMENT)
        return &gone;
    MUST(error);
    return v;
}

static Visitor *named(const char *name)
{
    for (size_t i = 0; i < sizeof visitors / sizeof *visitors; i++)
        if (strcmp(visitors[i].name, name) == 0)
            return &visitors[i];
    say("nobody is called %s", name);
    exit(9);
}

// ---- events ----
static void JNICALL on_entry(jvmtiEnv *env, JNIEnv *jni, jthread t, jmethodID m)
{
    (void)jni, (void)t, (void)m;
    __atomic_add_fetch(&of(env)->entries, 1, __ATOMIC_RELAXED);
}
static void JNICALL on_leave(jvmtiEnv *env, JNIEnv *jni, jthread t, jmethodID m,
                             jboolean thrown, jvalue value)
{
    (void)jni, (void)t, (void)m, (void)thrown, (void)value;
    __atomic_add_fetch(&of(env)->exits, 1, __ATOMIC_RELAXED);
}
static void JNICALL on_step(jvmtiEnv *env, JNIEnv *jni, jthread t, jmethodID m, jlocation at)
{
    Visitor *v = of(env);
    (void)m, (void)at;
    v->steps++;
    v->foreign += !(*jni)->IsSameObject(jni, t, v->stepped);
}
static void JNICALL on_break(jvmtiEnv *env, JNIEnv *jni, jthread t, jmethodID m, jlocation at)
{
    Visitor *v = of(env);
    (void)jni, (void)t, (void)at;
    v->breaks++;
    v->foreign += m != v->stop_at;
}
static void JNICALL on_access(jvmtiEnv *env, JNIEnv *jni, jthread t, jmethodID m, jlocation at,
                              jclass c, jobject o, jfieldID f)
{
    Visitor *v = of(env);
    (void)jni, (void)t, (void)m, (void)at, (void)c, (void)o;
    v->accesses++;
    v->foreign += f != v->watched;
}
static void JNICALL on_change(jvmtiEnv *env, JNIEnv *jni, jthread t, jmethodID m, jlocation at,
                              jclass c, jobject o, jfieldID f, char type, jvalue value)
{
    Visitor *v = of(env);
    (void)jni, (void)t, (void)m, (void)at, (void)c, (void)o, (void)type, (void)value;
    v->changes++;
    v->foreign += f != v->watched;
}
static void JNICALL on_sample(jvmtiEnv *env, JNIEnv *jni, jthread t, jobject o, jclass c,
                              jlong size)
{
    (void)jni, (void)t, (void)o, (void)size;
    Visitor *v = of(env);
    v->samples += strcmp(class_name(env, c), "LVisitors$Item;") == 0;
}
static void JNICALL on_pop(jvmtiEnv *env, JNIEnv *jni, jthread t, jmethodID m, jboolean thrown)
{
    Visitor *v = of(env);
    v->pops++;
    say("%s: pop of %s in %s, exception %d", v->name, method_name(env, jni, m),
        thread_name(env, jni, t), thrown);
}

// ---- what visitors do ----
static void ask(const Visitor *v, jvmtiEvent event, jthread thread)
{
    MUST((*v->env)->SetEventNotificationMode(v->env, JVMTI_ENABLE, event, thread));
}

static void trace(Visitor *v)
{
    ask(v, JVMTI_EVENT_METHOD_ENTRY, NULL);
    ask(v, JVMTI_EVENT_METHOD_EXIT, NULL);
}

static void watch(Visitor *v, JNIEnv *jni, const char *field)
{
    v->watched = (*jni)->GetStaticFieldID(jni, program, field, "I");
    MUST((*v->env)->SetFieldAccessWatch(v->env, program, v->watched));
    MUST((*v->env)->SetFieldModificationWatch(v->env, program, v->watched));
    ask(v, JVMTI_EVENT_FIELD_ACCESS, NULL);
    ask(v, JVMTI_EVENT_FIELD_MODIFICATION, NULL);
}

static void step(Visitor *v, JNIEnv *jni, const char *thread)
{
    jfieldID f = (*jni)->GetStaticFieldID(jni, program, thread, "Ljava/lang/Thread;");
    v->stepped = (*jni)->NewGlobalRef(jni, (*jni)->GetStaticObjectField(jni, program, f));
    ask(v, JVMTI_EVENT_SINGLE_STEP, v->stepped);
}

static jint JNICALL tag_all(jlong class_tag, jlong size, jlong *tag, jint length, void *v)
{
    (void)class_tag, (void)size, (void)length;
    *tag = ++((Visitor *)v)->tag;
    return 0;
}

static void tag_heap(Visitor *v)
{
    jvmtiHeapCallbacks calls = {.heap_iteration_callback = tag_all};
    MUST((*v->env)->IterateThroughHeap(v->env, 0, NULL, &calls, v));
}

// A breakpoint in `method`, watches of `field`, steps of `thread`, samples, a tag.
static void hold(Visitor *v, JNIEnv *jni, const char *method, const char *field,
                 const char *thread, jint interval)
{
    jfieldID shared = (*jni)->GetStaticFieldID(jni, program, "shared", "Ljava/lang/Object;");
    v->stop_at = (*jni)->GetStaticMethodID(jni, program, method, "(I)I");
    MUST((*v->env)->SetBreakpoint(v->env, v->stop_at, 0));
    ask(v, JVMTI_EVENT_BREAKPOINT, NULL);
    watch(v, jni, field);
    step(v, jni, thread);
    MUST((*v->env)->SetHeapSamplingInterval(v->env, interval));
    ask(v, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, NULL);
    v->tag = interval + 100;
    MUST((*v->env)->SetTag(v->env, (*jni)->GetStaticObjectField(jni, program, shared), v->tag));
}

static void add_capabilities(jvmtiEnv *env)
{
    jvmtiCapabilities all;
    int bits = 0;
    MUST((*env)->GetPotentialCapabilities(env, &all));
    for (int i = 0; i < 44; i++)
        bits += ((const unsigned char *)&all)[i / 8] >> i % 8 & 1;
    if (bits != 42 || all.can_generate_early_vmstart
        || all.can_generate_early_class_hook_events)
        say("%d capabilities", bits);
    MUST((*env)->AddCapabilities(env, &all));
}

EXPORT(jint, Agent_OnAttach, JavaVM *vm, char *options, void *reserved)
{
    char words[6][16] = {{0}};
    jvmtiEventCallbacks callbacks = {.MethodEntry = on_entry,
                                     .MethodExit = on_leave,
                                     .SingleStep = on_step,
                                     .Breakpoint = on_break,
                                     .FieldAccess = on_access,
                                     .FieldModification = on_change,
                                     .FramePop = on_pop,
                                     .SampledObjectAlloc = on_sample};
    JNIEnv *jni;
    (void)reserved;
    java_vm = vm;
    sscanf(options, "%15s %15s %15s %15s %15s %15s", words[0], words[1], words[2], words[3],
           words[4], words[5]);
    (*vm)->GetEnv(vm, (void **)&jni, JNI_VERSION_10);
    Visitor *v = visitors;
    while (v->name[0])
        v++;
    strcpy(v->name, words[0]);
    v->env = new_env(vm, JVMTI_VERSION_11);
    add_capabilities(v->env);
    MUST((*v->env)->SetEnvironmentLocalStorage(v->env, v));
    MUST((*v->env)->SetEventCallbacks(v->env, &callbacks, sizeof callbacks));
    if (strcmp(words[1], "trace") == 0)
        trace(v);
    else if (strcmp(words[1], "watch") == 0)
        watch(v, jni, words[2]);
    else if (strcmp(words[1], "step") == 0)
        step(v, jni, words[2]);
    else if (strcmp(words[1], "tag") == 0)
        tag_heap(v);
    else if (strcmp(words[1], "hold") == 0)
        hold(v, jni, words[2], words[3], words[4], atoi(words[5]));
    return JNI_OK;
}

// ---- for the program ----
EXPORT(void, Java_Visitors_setProgram, JNIEnv *jni, jclass c)
{
    program = (*jni)->NewGlobalRef(jni, c);
}

static const char *text(JNIEnv *jni, jstring s)
{
    return (*jni)->GetStringUTFChars(jni, s, NULL);
}

// breakpoint hits, accesses, changes, samples, whether steps came, foreign events, the tag
EXPORT(jlongArray, Java_Visitors_seen, JNIEnv *jni, jclass c, jstring name)
{
    const Visitor *v = named(text(jni, name));
    jfieldID shared = (*jni)->GetStaticFieldID(jni, c, "shared", "Ljava/lang/Object;");
    jlong tag;
    MUST((*v->env)->GetTag(v->env, (*jni)->GetStaticObjectField(jni, c, shared), &tag));
    jlong values[] = {v->breaks,  v->accesses, v->changes, v->samples,   v->steps,
                      v->foreign, v->entries,  v->exits,   tag == v->tag};
    jsize n = sizeof values / sizeof *values;
    jlongArray a = (*jni)->NewLongArray(jni, n);
    (*jni)->SetLongArrayRegion(jni, a, 0, n, values);
    return a;
}

EXPORT(jlong, Java_Visitors_tagged, JNIEnv *jni, jclass c, jstring name, jobject o)
{
    jlong tag;
    Visitor *v = named(text(jni, name));
    (void)c;
    MUST((*v->env)->GetTag(v->env, o, &tag));
    return tag;
}

EXPORT(void, Java_Visitors_dispose, JNIEnv *jni, jclass c, jstring name)
{
    Visitor *v = named(text(jni, name));
    (void)c;
    MUST((*v->env)->DisposeEnvironment(v->env));
    memset(v, 0, sizeof *v);
}

static jint local_int(const Visitor *v, jthread t, jint depth, jint slot)
{
    jint value;
    MUST((*v->env)->GetLocalInt(v->env, t, depth, slot, &value));
    return value;
}

// What can be had of frames that were entered before the agent came; t is waiting in two frames
// of `waiting`, under `await`.
EXPORT(void, Java_Visitors_inspect, JNIEnv *jni, jclass c, jstring name, jthread t)
{
    const Visitor *v = named(text(jni, name));
    jvmtiMonitorStackDepthInfo *monitors;
    jvmtiFrameInfo frames[16];
    jint count, owned, outer = 0;
    jobject o;
    (void)c;
    MUST((*v->env)->SuspendThread(v->env, t));
    MUST((*v->env)->GetStackTrace(v->env, t, 0, 16, frames, &count));
    while (!strstr(method_name(v->env, jni, frames[outer].method), ".waiting("))
        outer++;
    for (jint d = outer; d < outer + 2; d++) {
        MUST((*v->env)->GetLocalObject(v->env, t, d, 1, &o));
        say("%s: n %d, monitor %s", method_name(v->env, jni, frames[d].method),
            local_int(v, t, d, 0), class_name(v->env, (*jni)->GetObjectClass(jni, o)));
    }
    MUST((*v->env)->SetLocalInt(v->env, t, outer + 1, 0, 1000));
    MUST((*v->env)->GetOwnedMonitorStackDepthInfo(v->env, t, &owned, &monitors));
    for (jint i = 0; i < owned; i++)
        say("owns %s at %d",
            class_name(v->env, (*jni)->GetObjectClass(jni, monitors[i].monitor)),
            (int)monitors[i].stack_depth - outer);
    release(v->env, monitors);
    ask(v, JVMTI_EVENT_FRAME_POP, NULL);
    MUST((*v->env)->NotifyFramePop(v->env, t, outer));
    MUST((*v->env)->NotifyFramePop(v->env, t, outer + 1));
    MUST((*v->env)->ResumeThread(v->env, t));
}
