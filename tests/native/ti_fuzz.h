// SPDX-License-Identifier: Apache-2.0
// The hand-written half of ti_fuzz.c, for tests/agents/Fuzz.java: from several threads, in event
// callbacks, in heap callbacks and on a thread that the VM does not know, calls every function
// with random arguments: good ones, edges, wrong kinds, dead objects, NULL, numbers out of range.
// What may not happen: a crash, a hang, an error that the specification does not list for the
// function, memory that the agent cannot give back.
//
// A Fuzz is what one thread chooses by; its choices follow from the seed and its number alone. Its last
// call is in `doing`, for the debugger; FUZZ_LOG=1 in the environment prints each call before it is made.
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include "pellucid_jvmti.h"
#include "ti_common.h"

enum {
    OUTS = 8,
    OUT_SIZE = 16 * 1024, // of one result: a buffer of 1,024 frames
    LIST = 8,             // elements of arguments that are lists
    ENVS = 6,             // environments in use
    MONITORS = 8,
    POOL = 512,       // classes, methods, objects to choose from
    CONTEXTS = 64,    // that may be in callbacks at a time
    THREADS_MAX = 16, // that call at random
    SCOPE_CALLS = 16, // calls in one frame of local references
};

typedef struct Fuzz {
    uint64_t random;
    JNIEnv *jni; // NULL: may not be used here
    bool in_callback;
    const char *volatile doing;
    int out_count;
    void *memory[OUTS]; // results that are to be deallocated; NULL: not one
    char outs[OUTS][OUT_SIZE];
    int klass; // index of the class that was chosen last: whose fields to choose
    jvmtiCapabilities capabilities;
    jvmtiEventCallbacks callbacks;
    jvmtiHeapCallbacks heap_callbacks;
} Fuzz;

typedef struct FuzzRow {
    const char *name;
    jvmtiError (*call)(Fuzz *f, jvmtiEnv *env);
    void (*after)(Fuzz *f, jvmtiEnv *env); // gives back what the results contain
    bool callback_safe;
    jvmtiError allowed[24];
} FuzzRow;
extern const FuzzRow fuzz_rows[];
extern const int fuzz_row_count;

static struct {
    JavaVM *vm;
    jvmtiEnv *own; // not given to the random calls
    jvmtiEnv *_Atomic envs[ENVS];
    jvmtiEnv *_Atomic disposed;
    jrawMonitorID _Atomic monitors[MONITORS];
    _Atomic bool stopping, finished;
    _Atomic long calls, in_callbacks, wrong;
    _Atomic long successes[256]; // by row
    bool log, tags_only;
    jobject watchdog; // threads that must not be suspended
    jobject watched;  // Thread[] of the test: puppets first
    int puppets, threads;
    jclass thread_class, left;
    jmethodID thread_new;
    int class_count, method_count, field_count[POOL], object_count, module_count;
    jclass classes[POOL];
    jmethodID methods[POOL];
    jfieldID fields[POOL][LIST];
    jobject objects[POOL];
    jobject modules[LIST];
    jclass mutant;
    int mutant_size;
    unsigned char *mutant_bytes;
    uint64_t seed;
    _Atomic int contexts_made;
    pthread_mutex_t lock; // contexts
    Fuzz *contexts[CONTEXTS];
    int context_count;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local Fuzz *active; // of this thread
static _Thread_local bool is_watchdog;

// ---- random numbers ----

static uint64_t next(Fuzz *f)
{
    f->random += 0x9e3779b97f4a7c15u;
    uint64_t z = f->random;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}
static int below(Fuzz *f, int n)
{
    return (int)(next(f) % (uint64_t)n);
}
static bool one_in(Fuzz *f, int n)
{
    return below(f, n) == 0;
}

// ---- arguments ----

static jint pick_int(Fuzz *f)
{
    static const jint edges[] = {0,  1,  2,         3,         5,   10,   100,
                                 -1, -2, INT32_MAX, INT32_MIN, 255, 65536};
    return edges[below(f, sizeof edges / sizeof *edges)];
}
// At most what a result has room for: threads whose arguments were changed recurse deeper than that.
static jint pick_frames(Fuzz *f)
{
    const jint most = OUT_SIZE / sizeof(jvmtiFrameInfo);
    jint n = pick_int(f);
    return n < most ? n : most;
}
static jint pick_depth(Fuzz *f)
{
    return one_in(f, 16) ? pick_int(f) : below(f, 8);
}
static jlong pick_long(Fuzz *f)
{
    static const jlong edges[] = {0,       1,         -1,        7,         1000,
                                  1 << 20, INT64_MAX, INT64_MIN, 1ll << 62, UINT32_MAX};
    return edges[below(f, sizeof edges / sizeof *edges)];
}
static jlocation pick_location(Fuzz *f)
{
    return one_in(f, 8) ? pick_long(f) : below(f, 40);
}
static jfloat pick_float(Fuzz *f)
{
    return (jfloat)pick_int(f);
}
static jdouble pick_double(Fuzz *f)
{
    return (jdouble)pick_long(f);
}
static jboolean pick_bool(Fuzz *f)
{
    return (jboolean)below(f, 2);
}
static jvmtiEventMode pick_mode(Fuzz *f)
{
    return one_in(f, 16) ? (jvmtiEventMode)pick_int(f) : (jvmtiEventMode)below(f, 2);
}
static jint pick_event(Fuzz *f)
{
    return one_in(f, 16) ? pick_int(f) : 48 + below(f, 42);
}
static jvmtiError pick_error(Fuzz *f)
{
    return (jvmtiError)below(f, 130);
}
static jint pick_filter(Fuzz *f)
{
    return one_in(f, 8) ? pick_int(f) : below(f, 64);
}
static jvmtiHeapObjectFilter pick_object_filter(Fuzz *f)
{
    return (jvmtiHeapObjectFilter)below(f, 5);
}
static const char *pick_text(Fuzz *f)
{
    static _Thread_local char big[10000];
    const char *const texts[] = {"",
                                 "java.lang",
                                 "java/lang",
                                 "no.such.package",
                                 "\xff\xfe\x80",
                                 "%s%n",
                                 "java.vm.name",
                                 "Fuzz",
                                 big,
                                 NULL};
    if (!big[0])
        memset(big, 'x', sizeof big - 1);
    return texts[below(f, sizeof texts / sizeof *texts)];
}
static const char *pick_prefix(Fuzz *f)
{
    static const char *const texts[] = {"", "fuzz_", "$$", "\xff", NULL};
    return texts[below(f, sizeof texts / sizeof *texts)];
}
static const char *pick_path(Fuzz *f)
{
    static const char *const paths[] = {"",  "/nowhere.jar", "/dev/null", "/proc/self/exe",
                                        "/", "\xff\x80",     NULL};
    return paths[below(f, sizeof paths / sizeof *paths)];
}
static jvmtiVerboseFlag pick_verbose(Fuzz *f) // nothing that prints
{
    return one_in(f, 2) ? JVMTI_VERBOSE_OTHER : (jvmtiVerboseFlag)(5 + below(f, 100));
}
static const void *pick_data(Fuzz *f)
{
    return one_in(f, 4) ? NULL : (const void *)&f->outs[0];
}

// Where a result goes.
static void *pick_out(Fuzz *f)
{
    int i = f->out_count++;
    f->memory[i] = NULL;
    return one_in(f, 24) ? NULL : memset(f->outs[i], 0, 64);
}
static void *pick_memory(Fuzz *f)
{
    int i = f->out_count;
    void *out = pick_out(f);
    f->memory[i] = out;
    return out;
}

static jobject pick_object(Fuzz *f)
{
    return one_in(f, 16) ? NULL : all.objects[below(f, all.object_count)];
}
static jclass pick_class(Fuzz *f)
{
    f->klass = below(f, all.class_count);
    return one_in(f, 16) ? pick_object(f) : all.classes[f->klass];
}
static jclass pick_service(Fuzz *f)
{
    return one_in(f, 4) ? pick_object(f) : all.mutant;
}
static jmethodID pick_method(Fuzz *f)
{
    switch (below(f, 24)) {
    case 0: return NULL;
    case 1: return (jmethodID)f->outs[OUTS - 1];
    case 2: return (jmethodID)(uintptr_t)next(f);
    default: return all.methods[below(f, all.method_count)];
    }
}
static jfieldID pick_field(Fuzz *f)
{
    int at = one_in(f, 8) ? below(f, all.class_count) : f->klass;
    switch (below(f, 24)) {
    case 0: return NULL;
    case 1: return (jfieldID)f->outs[OUTS - 1];
    case 2: return (jfieldID)(uintptr_t)next(f);
    default: return all.field_count[at] ? all.fields[at][below(f, all.field_count[at])] : NULL;
    }
}
static jobject pick_module(Fuzz *f)
{
    return one_in(f, 8) ? pick_object(f) : all.modules[below(f, all.module_count)];
}
static jobject pick_group(Fuzz *f)
{
    return pick_object(f);
}
static jobject pick_loader(Fuzz *f)
{
    return pick_object(f);
}
static jrawMonitorID pick_monitor(Fuzz *f)
{
    switch (below(f, 16)) {
    case 0: return NULL;
    case 1: return (jrawMonitorID)f->outs[OUTS - 1];
    case 2: return (jrawMonitorID)(uintptr_t)next(f);
    default: return atomic_load(&all.monitors[below(f, MONITORS)]);
    }
}

static jthread thread_at(Fuzz *f, int i)
{
    return (*f->jni)->GetObjectArrayElement(f->jni, all.watched, i);
}
// One of those that are there to be interfered with.
static jthread pick_puppet(Fuzz *f)
{
    if (!f->jni || one_in(f, 8))
        return f->in_callback ? all.modules[0] : pick_object(f);
    return thread_at(f, below(f, all.puppets));
}
static jthread pick_thread(Fuzz *f)
{
    if (one_in(f, 8))
        return NULL;
    return !f->jni || one_in(f, 8) ? pick_object(f) : thread_at(f, below(f, all.threads));
}

static const jvmtiCapabilities *pick_capabilities(Fuzz *f)
{
    unsigned char *bytes = (unsigned char *)&f->capabilities;
    memset(bytes, 0, sizeof f->capabilities);
    if (one_in(f, 24))
        return NULL;
    for (int i = 0; i < 6; i++)
        bytes[i] = (unsigned char)(next(f) & next(f));
    if (one_in(f, 8))
        bytes[6 + below(f, 10)] = 255;
    else
        bytes[5] &= 15;
    return &f->capabilities;
}

// ---- calling ----

static bool is_universal(jvmtiError error)
{
    return error == JVMTI_ERROR_NONE || error == JVMTI_ERROR_NULL_POINTER
           || error == JVMTI_ERROR_OUT_OF_MEMORY || error == JVMTI_ERROR_ACCESS_DENIED
           || error == JVMTI_ERROR_WRONG_PHASE || error == JVMTI_ERROR_UNATTACHED_THREAD
           || error == JVMTI_ERROR_INVALID_ENVIRONMENT;
}
static bool is_allowed(const FuzzRow *row, jvmtiError error)
{
    for (int i = 0; row->allowed[i]; i++)
        if (row->allowed[i] == error)
            return true;
    if (error == JVMTI_ERROR_INTERNAL) // an earlier one is still to be done
        return strcmp(row->name, "PopFrame") == 0 || strncmp(row->name, "ForceEarly", 10) == 0;
    return is_universal(error);
}

static void judge(const FuzzRow *row, jvmtiError error)
{
    atomic_fetch_add(&all.calls, 1);
    if (error == JVMTI_ERROR_NONE)
        atomic_fetch_add(&all.successes[row - fuzz_rows], 1);
    if (is_allowed(row, error))
        return;
    if (atomic_fetch_add(&all.wrong, 1) < 20)
        say("%s gave %d, which is not among its errors", row->name, (int)error);
}

static void give_back(Fuzz *f, jvmtiEnv *env, const FuzzRow *row)
{
    if (row->after)
        row->after(f, env);
    for (int i = 0; i < f->out_count; i++)
        if (f->memory[i] && *(void **)f->memory[i])
            release(env, *(void **)f->memory[i]);
}

static jvmtiEnv *pick_env(Fuzz *f)
{
    jvmtiEnv *gone = atomic_load(&all.disposed);
    return gone && one_in(f, 200) ? gone : atomic_load(&all.envs[below(f, ENVS)]);
}

static void call_row(Fuzz *f, const FuzzRow *row)
{
    jvmtiEnv *env = pick_env(f);
    f->out_count = 0;
    f->doing = row->name;
    if (all.log)
        fprintf(stderr, "%p %d %s\n", (void *)f, (int)f->in_callback, row->name);
    jvmtiError error = row->call(f, env);
    if (f->in_callback)
        atomic_fetch_add(&all.in_callbacks, 1);
    judge(row, error);
    if (error == JVMTI_ERROR_NONE)
        give_back(f, all.own, row);
    f->doing = "-";
}

// Collections are slow, and so is what visits the heap or turns on events for all threads.
static bool is_rare(const char *name)
{
    return strncmp(name, "Iterate", 7) == 0 || strcmp(name, "ForceGarbageCollection") == 0
           || strcmp(name, "FollowReferences") == 0 || strcmp(name, "RunAgentThread") == 0
           || strcmp(name, "DisposeEnvironment") == 0 || strcmp(name, "AddModuleReads") == 0
           || strcmp(name, "SuspendThreadList") == 0;
}

// What runs code of the class library is left out in callbacks: they come on the puppets' threads too, whose frames
// are popped and left early, with any object; the library's own tables would not be sound after that.
static bool is_library(const char *name)
{
    return strncmp(name, "AddModule", 9) == 0
           || strcmp(name, "AddToSystemClassLoaderSearch") == 0;
}

// Where the test is about tags, only what has to do with them, and with the environments that have them.
static bool is_left_out(const char *name)
{
    static const char *const parts[] = {"Tag", "Iterate", "Follow", "Dispose", "ForceGarbage"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(name, parts[i]))
            return false;
    return all.tags_only;
}

static void call_any(Fuzz *f)
{
    const FuzzRow *row;
    do
        row = &fuzz_rows[below(f, fuzz_row_count)];
    while (is_left_out(row->name) || (is_rare(row->name) && !one_in(f, all.tags_only ? 3 : 20))
           || (f->in_callback && is_library(row->name)));
    call_row(f, row);
}

static void call_some(Fuzz *f)
{
    if ((*f->jni)->PushLocalFrame(f->jni, 64) != JNI_OK)
        return;
    for (int i = 0; i < SCOPE_CALLS && !atomic_load(&all.stopping); i++)
        call_any(f);
    (*f->jni)->ExceptionClear(f->jni);
    (*f->jni)->PopLocalFrame(f->jni, NULL);
}

static Fuzz *context_take(JNIEnv *jni)
{
    Fuzz *f = NULL;
    pthread_mutex_lock(&all.lock);
    if (all.context_count > 0)
        f = all.contexts[--all.context_count];
    pthread_mutex_unlock(&all.lock);
    if (!f) {
        f = calloc(1, sizeof *f);
        f->random = all.seed + (uint64_t)atomic_fetch_add(&all.contexts_made, 1) * 1000003u;
    }
    f->jni = jni;
    f->doing = "-";
    return f;
}
static void context_give(Fuzz *f)
{
    pthread_mutex_lock(&all.lock);
    if (all.context_count < CONTEXTS) {
        all.contexts[all.context_count++] = f;
        f = NULL;
    }
    pthread_mutex_unlock(&all.lock);
    free(f);
}

// ---- callbacks ----

// In a callback: now and then a call. jni NULL: the world is stopped.
static void meddle(JNIEnv *jni)
{
    static _Atomic unsigned count;
    if (active || is_watchdog || atomic_load(&all.stopping)
        || atomic_fetch_add(&count, 1) % 61 != 0)
        return;
    Fuzz *f = active = context_take(jni);
    f->in_callback = true;
    if (jni && (*jni)->PushLocalFrame(jni, 16) == JNI_OK) {
        call_any(f);
        if (one_in(f, 16)) // one that the agent forgets
            (*jni)->ThrowNew(jni, all.left, "left in a callback");
        (*jni)->PopLocalFrame(jni, NULL);
    } else if (!jni) {
        call_any(f);
    }
    f->in_callback = false;
    active = NULL;
    context_give(f);
}

static jint heap_control(void)
{
    Fuzz *f = active;
    if (!f || one_in(f, 4000))
        return f ? pick_int(f) : 0;
    JNIEnv *jni = f->jni;
    if (one_in(f, 500)) { // a call that is not allowed here, or one that is
        int outs = f->out_count;
        void *memory[OUTS];
        memcpy(memory, f->memory, sizeof memory);
        const char *doing = f->doing;
        f->jni = NULL;
        f->in_callback = true;
        call_any(f);
        f->in_callback = false;
        f->jni = jni;
        f->doing = doing;
        f->out_count = outs;
        memcpy(f->memory, memory, sizeof memory);
    }
    return JVMTI_VISIT_OBJECTS;
}
static void heap_tag(jlong *tag)
{
    if (active && tag && one_in(active, 16))
        *tag = pick_long(active);
}

static jint JNICALL on_heap_object(jlong class_tag, jlong size, jlong *tag, jint length,
                                   void *data)
{
    (void)class_tag, (void)size, (void)length, (void)data;
    heap_tag(tag);
    return heap_control();
}
static jint JNICALL on_reference(jvmtiHeapReferenceKind kind,
                                 const jvmtiHeapReferenceInfo *info, jlong class_tag,
                                 jlong referrer_class_tag, jlong size, jlong *tag,
                                 jlong *referrer_tag, jint length, void *data)
{
    (void)kind, (void)info, (void)class_tag, (void)referrer_class_tag, (void)size, (void)length,
        (void)data;
    heap_tag(tag);
    heap_tag(referrer_tag);
    return heap_control();
}
static jint JNICALL on_primitive(jvmtiHeapReferenceKind kind,
                                 const jvmtiHeapReferenceInfo *info, jlong class_tag,
                                 jlong *tag, jvalue value, jvmtiPrimitiveType type, void *data)
{
    (void)kind, (void)info, (void)class_tag, (void)value, (void)type, (void)data;
    heap_tag(tag);
    return heap_control();
}
static jint JNICALL on_array(jlong class_tag, jlong size, jlong *tag, jint count,
                             jvmtiPrimitiveType type, const void *elements, void *data)
{
    (void)class_tag, (void)size, (void)count, (void)type, (void)elements, (void)data;
    heap_tag(tag);
    return heap_control();
}
static jint JNICALL on_string(jlong class_tag, jlong size, jlong *tag, const jchar *value,
                              jint length, void *data)
{
    (void)class_tag, (void)size, (void)value, (void)length, (void)data;
    heap_tag(tag);
    return heap_control();
}
static const jvmtiHeapCallbacks *pick_heap_callbacks(Fuzz *f)
{
    f->heap_callbacks = (jvmtiHeapCallbacks){
        .heap_iteration_callback = one_in(f, 4) ? NULL : on_heap_object,
        .heap_reference_callback = one_in(f, 4) ? NULL : on_reference,
        .primitive_field_callback = one_in(f, 2) ? NULL : on_primitive,
        .array_primitive_value_callback = one_in(f, 2) ? NULL : on_array,
        .string_primitive_value_callback = one_in(f, 2) ? NULL : on_string};
    return one_in(f, 24) ? NULL : &f->heap_callbacks;
}

static jvmtiIterationControl old_control(void)
{
    jint control = heap_control();
    return control == JVMTI_VISIT_OBJECTS ? JVMTI_ITERATION_CONTINUE
                                          : (jvmtiIterationControl)control;
}
static jvmtiIterationControl JNICALL on_object(jlong class_tag, jlong size, jlong *tag,
                                               void *data)
{
    (void)class_tag, (void)size, (void)data;
    heap_tag(tag);
    return old_control();
}
static jvmtiIterationControl JNICALL on_root(jvmtiHeapRootKind kind, jlong class_tag,
                                             jlong size, jlong *tag, void *data)
{
    (void)kind, (void)class_tag, (void)size, (void)data;
    heap_tag(tag);
    return old_control();
}
static jvmtiIterationControl JNICALL on_stack(jvmtiHeapRootKind kind, jlong class_tag,
                                              jlong size, jlong *tag, jlong thread_tag,
                                              jint depth, jmethodID method, jint slot,
                                              void *data)
{
    (void)kind, (void)class_tag, (void)size, (void)thread_tag, (void)depth, (void)method,
        (void)slot, (void)data;
    heap_tag(tag);
    return old_control();
}
static jvmtiIterationControl JNICALL on_edge(jvmtiObjectReferenceKind kind, jlong class_tag,
                                             jlong size, jlong *tag, jlong referrer_tag,
                                             jint index, void *data)
{
    (void)kind, (void)class_tag, (void)size, (void)referrer_tag, (void)index, (void)data;
    heap_tag(tag);
    return old_control();
}
static jvmtiHeapObjectCallback pick_object_callback(Fuzz *f)
{
    return one_in(f, 16) ? NULL : on_object;
}
static jvmtiHeapRootCallback pick_root_callback(Fuzz *f)
{
    return one_in(f, 4) ? NULL : on_root;
}
static jvmtiStackReferenceCallback pick_stack_callback(Fuzz *f)
{
    return one_in(f, 4) ? NULL : on_stack;
}
static jvmtiObjectReferenceCallback pick_reference_callback(Fuzz *f)
{
    return one_in(f, 4) ? NULL : on_edge;
}

static void JNICALL on_unload(jvmtiEnv *env, ...)
{
    (void)env;
}
static jvmtiExtensionEvent pick_unload_callback(Fuzz *f)
{
    return one_in(f, 2) ? NULL : on_unload;
}

// The events whose callbacks begin with the same two parameters; further ones are not looked at.
static void JNICALL on_event(jvmtiEnv *env, JNIEnv *jni)
{
    (void)env;
    meddle(jni);
}
static void JNICALL on_stopped(jvmtiEnv *env)
{
    (void)env;
    meddle(NULL);
}
static void JNICALL on_freed(jvmtiEnv *env, jlong tag)
{
    (void)env, (void)tag;
    meddle(NULL);
}

static unsigned char *mutate(Fuzz *f, jvmtiEnv *env, int size)
{
    unsigned char *bytes;
    if ((*env)->Allocate(env, size, &bytes) != JVMTI_ERROR_NONE)
        return NULL;
    memcpy(bytes, all.mutant_bytes, (size_t)size);
    for (int changes = size ? below(f, 4) : 0; changes > 0; changes--)
        bytes[below(f, size)] = (unsigned char)next(f);
    return bytes;
}
static void JNICALL on_class_file(jvmtiEnv *env, JNIEnv *jni, jclass redefined, jobject loader,
                                  const char *name, jobject domain, jint size,
                                  const unsigned char *bytes, jint *new_size,
                                  unsigned char **new_bytes)
{
    (void)redefined, (void)loader, (void)domain, (void)size, (void)bytes;
    if (jni)
        meddle(jni);
    if (!name || strcmp(name, "Fuzz$Mutant") != 0 || atomic_load(&all.stopping))
        return;
    Fuzz *f = context_take(jni);
    *new_size = one_in(f, 8) ? below(f, all.mutant_size) : all.mutant_size;
    *new_bytes = one_in(f, 2) ? mutate(f, env, *new_size) : NULL;
    context_give(f);
}

static const jvmtiEventCallbacks *pick_callbacks(Fuzz *f)
{
    void **table = (void **)&f->callbacks;
    for (size_t i = 0; i < sizeof f->callbacks / sizeof *table; i++)
        table[i] = one_in(f, 4) ? NULL : (void *)on_event;
    f->callbacks.GarbageCollectionStart = on_stopped;
    f->callbacks.GarbageCollectionFinish = on_stopped;
    f->callbacks.DataDumpRequest = on_stopped;
    f->callbacks.DynamicCodeGenerated = NULL;
    f->callbacks.CompiledMethodLoad = NULL;
    f->callbacks.CompiledMethodUnload = NULL;
    f->callbacks.ObjectFree = on_freed;
    f->callbacks.ClassFileLoadHook = on_class_file;
    return one_in(f, 8) ? NULL : &f->callbacks;
}

// ---- calls by hand ----

static jvmtiError call_CreateRawMonitor(Fuzz *f, jvmtiEnv *env)
{
    jrawMonitorID made, none = NULL;
    jvmtiError error =
        (*env)->CreateRawMonitor(env, pick_text(f), one_in(f, 16) ? NULL : &made);
    _Atomic(jrawMonitorID) *place = &all.monitors[below(f, MONITORS)];
    if (error == JVMTI_ERROR_NONE && !atomic_compare_exchange_strong(place, &none, made))
        (*env)->DestroyRawMonitor(env, made);
    return error;
}
// Most ids stay where they were, stale.
static jvmtiError call_DestroyRawMonitor(Fuzz *f, jvmtiEnv *env)
{
    int at = below(f, MONITORS);
    jrawMonitorID m = one_in(f, 4) ? pick_monitor(f) : atomic_load(&all.monitors[at]);
    jvmtiError error = (*env)->DestroyRawMonitor(env, m);
    if (error == JVMTI_ERROR_NONE && one_in(f, 2))
        atomic_compare_exchange_strong(&all.monitors[at], &m, NULL);
    return error;
}
static jvmtiError call_RawMonitorExit(Fuzz *f, jvmtiEnv *env)
{
    return (*env)->RawMonitorExit(env, pick_monitor(f));
}
// One at a time and with nothing else done meanwhile, so that the test itself has no deadlock.
static jvmtiError enter(Fuzz *f, jvmtiEnv *env, bool waits)
{
    if (f->in_callback)
        return JVMTI_ERROR_NONE;
    jrawMonitorID m = pick_monitor(f);
    jvmtiError error = (*env)->RawMonitorEnter(env, m);
    if (error != JVMTI_ERROR_NONE)
        return error;
    int entries = 1;
    while (one_in(f, 2) && (*env)->RawMonitorEnter(env, m) == JVMTI_ERROR_NONE)
        entries++;
    if (one_in(f, 2))
        (*env)->RawMonitorNotifyAll(env, m);
    else
        (*env)->RawMonitorNotify(env, m);
    if (waits)
        error = (*env)->RawMonitorWait(env, m, 1 + below(f, 20));
    if (one_in(f, 16))
        (*env)->DestroyRawMonitor(env, m);
    while (entries-- > 0)
        (*env)->RawMonitorExit(env, m);
    return error;
}
static jvmtiError call_RawMonitorEnter(Fuzz *f, jvmtiEnv *env)
{
    return enter(f, env, false);
}
static jvmtiError call_RawMonitorWait(Fuzz *f, jvmtiEnv *env)
{
    return one_in(f, 4) ? (*env)->RawMonitorWait(env, pick_monitor(f), pick_long(f))
                        : enter(f, env, true);
}

static jvmtiEnv *make_env(Fuzz *f)
{
    jvmtiEnv *env = NULL;
    static const jint versions[] = {JVMTI_VERSION_1_0, JVMTI_VERSION_1_1, JVMTI_VERSION_1_2,
                                    JVMTI_VERSION_11, JVMTI_VERSION};
    jvmtiCapabilities tags = {.can_tag_objects = 1};
    (*all.vm)->GetEnv(all.vm, (void **)&env, versions[below(f, 5)]);
    if (all.tags_only)
        (*env)->AddCapabilities(env, &tags);
    return env;
}
// Another one takes its place.
static jvmtiError call_DisposeEnvironment(Fuzz *f, jvmtiEnv *env)
{
    (void)env;
    if (f->in_callback)
        return JVMTI_ERROR_NONE;
    jvmtiEnv *gone = atomic_exchange(&all.envs[below(f, ENVS)], make_env(f));
    atomic_store(&all.disposed, gone);
    return (*gone)->DisposeEnvironment(gone);
}
static jvmtiError call_SetJNIFunctionTable(Fuzz *f, jvmtiEnv *env)
{
    jniNativeInterface *table = NULL;
    if (one_in(f, 4))
        return (*env)->SetJNIFunctionTable(env, NULL);
    jvmtiError error = (*env)->GetJNIFunctionTable(env, &table);
    if (error == JVMTI_ERROR_NONE)
        error = (*env)->SetJNIFunctionTable(env, table);
    if (table)
        release(all.own, table);
    return error;
}
static void JNICALL agent_thread(jvmtiEnv *env, JNIEnv *jni, void *data)
{
    (void)env, (void)data;
    Fuzz *f = active = context_take(jni);
    call_some(f);
    active = NULL;
    context_give(f);
}
static jvmtiError call_RunAgentThread(Fuzz *f, jvmtiEnv *env)
{
    jobject thread = pick_object(f);
    if (f->jni && !f->in_callback && !one_in(f, 4))
        thread = (*f->jni)->NewObject(f->jni, all.thread_class, all.thread_new);
    if (f->jni)
        (*f->jni)->ExceptionClear(f->jni);
    jint priority = one_in(f, 4) ? pick_int(f) : 5;
    return (*env)->RunAgentThread(env, thread, one_in(f, 16) ? NULL : agent_thread, NULL,
                                  priority);
}

static int pick_count(Fuzz *f)
{
    return below(f, LIST + 2) - 1;
}
static jvmtiError call_RedefineClasses(Fuzz *f, jvmtiEnv *env)
{
    jvmtiClassDefinition definitions[LIST];
    int count = pick_count(f),
        size = one_in(f, 4) ? below(f, all.mutant_size) : all.mutant_size;
    unsigned char *bytes = mutate(f, all.own, size);
    for (int i = 0; i < LIST; i++) {
        definitions[i].klass = one_in(f, 4) ? pick_class(f) : all.mutant;
        definitions[i].class_byte_count = one_in(f, 16) ? below(f, 3) - 1 : size;
        definitions[i].class_bytes = one_in(f, 16) ? NULL : bytes;
    }
    if (one_in(f, 2))
        count = 1;
    jvmtiError error = (*env)->RedefineClasses(env, count, one_in(f, 24) ? NULL : definitions);
    release(all.own, bytes);
    return error;
}
static jvmtiError call_RetransformClasses(Fuzz *f, jvmtiEnv *env)
{
    jclass classes[LIST];
    for (int i = 0; i < LIST; i++)
        classes[i] = one_in(f, 2) ? all.mutant : pick_class(f);
    return (*env)->RetransformClasses(env, pick_count(f), one_in(f, 24) ? NULL : classes);
}

static const jthread *thread_list(Fuzz *f, jthread *list)
{
    for (int i = 0; i < LIST; i++)
        list[i] = pick_thread(f);
    return one_in(f, 24) ? NULL : list;
}
static jvmtiError call_SuspendThreadList(Fuzz *f, jvmtiEnv *env)
{
    jthread list[LIST];
    jvmtiError results[LIST];
    return (*env)->SuspendThreadList(env, pick_count(f), thread_list(f, list),
                                     one_in(f, 24) ? NULL : results);
}
static jvmtiError call_ResumeThreadList(Fuzz *f, jvmtiEnv *env)
{
    jthread list[LIST];
    jvmtiError results[LIST];
    return (*env)->ResumeThreadList(env, pick_count(f), thread_list(f, list),
                                    one_in(f, 24) ? NULL : results);
}
static jvmtiError call_GetThreadListStackTraces(Fuzz *f, jvmtiEnv *env)
{
    jthread list[LIST];
    int count = pick_count(f);
    const jthread *threads = thread_list(f, list);
    jint frames = pick_int(f);
    return (*env)->GetThreadListStackTraces(env, count, threads, frames, pick_memory(f));
}
static jvmtiError call_GetObjectsWithTags(Fuzz *f, jvmtiEnv *env)
{
    jlong tags[LIST];
    for (int i = 0; i < LIST; i++)
        tags[i] = pick_long(f);
    int count = pick_count(f);
    void *found = pick_out(f), *objects = pick_memory(f), *of = pick_memory(f);
    return (*env)->GetObjectsWithTags(env, count, one_in(f, 24) ? NULL : tags, found, objects,
                                      of);
}
static jvmtiError call_SetNativeMethodPrefixes(Fuzz *f, jvmtiEnv *env)
{
    const char *texts[LIST];
    for (int i = 0; i < LIST; i++)
        texts[i] = pick_prefix(f);
    return (*env)->SetNativeMethodPrefixes(env, pick_count(f),
                                           one_in(f, 24) ? NULL : (char **)texts);
}
static jvmtiError call_Deallocate(Fuzz *f, jvmtiEnv *env)
{
    unsigned char *memory = NULL;
    if (one_in(f, 2)
        && (*all.own)->Allocate(all.own, below(f, 1000), &memory) != JVMTI_ERROR_NONE)
        return JVMTI_ERROR_NONE;
    jvmtiError error = (*env)->Deallocate(env, memory);
    if (error != JVMTI_ERROR_NONE && memory)
        release(all.own, memory);
    return error;
}

// ---- what results contain ----

static void *result(Fuzz *f, int i)
{
    return f->outs[i];
}
static void free_text(jvmtiEnv *env, char *text)
{
    if (text)
        release(env, text);
}
static void after_GetThreadInfo(Fuzz *f, jvmtiEnv *env)
{
    free_text(env, ((jvmtiThreadInfo *)result(f, 0))->name);
}
static void after_GetThreadGroupInfo(Fuzz *f, jvmtiEnv *env)
{
    free_text(env, ((jvmtiThreadGroupInfo *)result(f, 0))->name);
}
static void after_GetLocalVariableTable(Fuzz *f, jvmtiEnv *env)
{
    jvmtiLocalVariableEntry *table = *(jvmtiLocalVariableEntry **)result(f, 1);
    for (int i = *(jint *)result(f, 0); i-- > 0;) {
        free_text(env, table[i].name);
        free_text(env, table[i].signature);
        free_text(env, table[i].generic_signature);
    }
}
static void after_GetSystemProperties(Fuzz *f, jvmtiEnv *env)
{
    char **names = *(char ***)result(f, 1);
    for (int i = *(jint *)result(f, 0); i-- > 0;)
        release(env, names[i]);
}
static void after_GetObjectMonitorUsage(Fuzz *f, jvmtiEnv *env)
{
    jvmtiMonitorUsage *usage = result(f, 0);
    if (usage->waiters)
        release(env, usage->waiters);
    if (usage->notify_waiters)
        release(env, usage->notify_waiters);
}
static void free_parameters(jvmtiEnv *env, jvmtiParamInfo *parameters, int count)
{
    for (int i = 0; i < count; i++)
        free_text(env, parameters[i].name);
    if (parameters)
        release(env, parameters);
}
static void after_GetExtensionEvents(Fuzz *f, jvmtiEnv *env)
{
    jvmtiExtensionEventInfo *infos = *(jvmtiExtensionEventInfo **)result(f, 1);
    for (int i = *(jint *)result(f, 0); i-- > 0;) {
        free_text(env, infos[i].id);
        free_text(env, infos[i].short_description);
        free_parameters(env, infos[i].params, infos[i].param_count);
    }
}
static jint JNICALL visit_nothing(jvmtiEnv *env, void *user_data)
{
    jvmtiHeapCallbacks none = {0};
    return (jint)(*env)->IterateThroughHeap(env, 0, NULL, &none, user_data);
}
// Those that make a process are not called as often as others.
static void call_snapshot(Fuzz *f, jvmtiEnv *env, const jvmtiExtensionFunctionInfo *info)
{
    PellucidSnapshotResult r;
    if (!one_in(f, 8))
        return;
    if (strstr(info->id, "Visit")) {
        info->func(env, one_in(f, 4) ? NULL : visit_nothing, NULL, -1, (jlong)below(f, 3) - 1,
                   one_in(f, 8) ? NULL : &r);
        return;
    }
    PellucidSnapshotOptions o = {.path = one_in(f, 4) ? NULL : "/dev/null",
                                 .fd = -1,
                                 .packing = below(f, 4),
                                 .level = below(f, 11) - 1,
                                 .live = one_in(f, 2),
                                 .overwrite = !one_in(f, 4)};
    info->func(env, one_in(f, 8) ? NULL : &o, one_in(f, 8) ? NULL : &r);
}
// Calls an extension function with what its parameters ask for. The two that take locations are told by their three.
static void call_extension(Fuzz *f, jvmtiEnv *env, const jvmtiExtensionFunctionInfo *info)
{
    void *a = NULL, *b = NULL;
    if (strstr(info->id, "Snapshot")) {
        call_snapshot(f, env, info);
        return;
    }
    if (strstr(info->id, "SetEnhancedRedefinition")) {
        info->func(env, (int)below(f, 2));
        return;
    }
    if (info->param_count == 3) {
        PellucidLocation locations[8];
        jvmtiError results[8];
        jint count = one_in(f, 16) ? -1 : below(f, 9);
        for (int i = 0; i < 8; i++)
            locations[i] = (PellucidLocation){pick_method(f), pick_location(f)};
        info->func(env, count, one_in(f, 16) ? NULL : locations, one_in(f, 4) ? NULL : results);
        return;
    }
    info->func(env, one_in(f, 4) ? NULL : (void *)&a, one_in(f, 4) ? NULL : (void *)&b);
    if (info->param_count == 2 && b)
        release(all.own, b);
    else if (info->param_count == 1 && strstr(info->id, "LastError") && a)
        release(all.own, a);
}
// Each function is called too.
static jvmtiError call_GetExtensionFunctions(Fuzz *f, jvmtiEnv *env)
{
    jint count = 0;
    jvmtiExtensionFunctionInfo *infos = NULL;
    jvmtiError error =
        (*env)->GetExtensionFunctions(env, &count, one_in(f, 16) ? NULL : &infos);
    for (int i = 0; error == JVMTI_ERROR_NONE && i < count; i++) {
        call_extension(f, env, &infos[i]);
        free_text(all.own, infos[i].id);
        free_text(all.own, infos[i].short_description);
        free_parameters(all.own, infos[i].params, infos[i].param_count);
        if (infos[i].errors)
            release(all.own, infos[i].errors);
    }
    if (infos)
        release(all.own, infos);
    return error;
}

// ---- the threads ----

static void nap(long ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}
static JNIEnv *attach(void)
{
    JNIEnv *jni = NULL;
    (*all.vm)->AttachCurrentThreadAsDaemon(all.vm, (void **)&jni, NULL);
    return jni;
}

static void *call_at_random(void *unused)
{
    (void)unused;
    JNIEnv *jni = attach();
    Fuzz *f = active = context_take(jni);
    while (!atomic_load(&all.stopping))
        call_some(f);
    active = NULL;
    context_give(f);
    (*all.vm)->DetachCurrentThread(all.vm);
    return NULL;
}

// A thread that the VM does not know.
static void *call_unattached(void *unused)
{
    (void)unused;
    Fuzz *f = active = context_take(NULL);
    f->in_callback = true;
    while (!atomic_load(&all.stopping)) {
        call_any(f);
        nap(1);
    }
    f->in_callback = false;
    active = NULL;
    context_give(f);
    return NULL;
}

static void resume_all(JNIEnv *jni)
{
    jint count;
    jthread *threads;
    if ((*all.own)->GetAllThreads(all.own, &count, &threads) != JVMTI_ERROR_NONE)
        return;
    for (int i = 0; i < count; i++) {
        (*all.own)->ResumeThread(all.own, threads[i]);
        (*jni)->DeleteLocalRef(jni, threads[i]);
    }
    release(all.own, threads);
}
static void *keep_going(void *unused)
{
    (void)unused;
    JNIEnv *jni = attach();
    is_watchdog = true;
    while (!atomic_load(&all.finished)) {
        resume_all(jni);
        nap(20);
    }
    (*all.vm)->DetachCurrentThread(all.vm);
    return NULL;
}
// Those that wait without a limit are notified.
static void *keep_notifying(void *unused)
{
    (void)unused;
    is_watchdog = true;
    while (!atomic_load(&all.finished)) {
        for (int i = 0; i < MONITORS; i++) {
            jrawMonitorID m = atomic_load(&all.monitors[i]);
            if ((*all.own)->RawMonitorEnter(all.own, m) != JVMTI_ERROR_NONE)
                continue;
            (*all.own)->RawMonitorNotifyAll(all.own, m);
            (*all.own)->RawMonitorExit(all.own, m);
        }
        nap(20);
    }
    return NULL;
}

// ---- the start ----

static void add_class(JNIEnv *jni, jclass c)
{
    jint count = 0;
    jmethodID *methods = NULL;
    jfieldID *fields = NULL;
    if (all.class_count == POOL)
        return;
    int at = all.class_count++;
    all.classes[at] = (*jni)->NewGlobalRef(jni, c);
    if ((*all.own)->GetClassMethods(all.own, c, &count, &methods) == JVMTI_ERROR_NONE) {
        for (int i = 0; i < count && i < 12 && all.method_count < POOL; i++)
            all.methods[all.method_count++] = methods[i];
        release(all.own, methods);
    }
    if ((*all.own)->GetClassFields(all.own, c, &count, &fields) == JVMTI_ERROR_NONE) {
        for (int i = 0; i < count && i < LIST; i++)
            all.fields[at][all.field_count[at]++] = fields[i];
        release(all.own, fields);
    }
}

static void add_objects(JNIEnv *jni, jobjectArray from, jobject *to, int *count, int most)
{
    jsize n = (*jni)->GetArrayLength(jni, from);
    for (int i = 0; i < n && *count < most; i++) {
        jobject o = (*jni)->GetObjectArrayElement(jni, from, i);
        to[(*count)++] = (*jni)->NewGlobalRef(jni, o);
        (*jni)->DeleteLocalRef(jni, o);
    }
}

EXPORT(void, Java_Fuzz_prepare, JNIEnv *jni, jclass cls, jobjectArray classes,
       jobjectArray objects, jobjectArray modules, jclass mutant, jbyteArray bytes)
{
    (void)cls;
    for (int i = 0; i < (*jni)->GetArrayLength(jni, classes); i++)
        add_class(jni, (*jni)->GetObjectArrayElement(jni, classes, i));
    add_objects(jni, objects, all.objects, &all.object_count, POOL);
    add_objects(jni, modules, all.modules, &all.module_count, LIST);
    if (all.object_count < POOL) // one that dies
        all.objects[all.object_count++] =
            (*jni)->NewWeakGlobalRef(jni, (*jni)->NewStringUTF(jni, "short-lived"));
    all.mutant = (*jni)->NewGlobalRef(jni, mutant);
    all.mutant_size = (*jni)->GetArrayLength(jni, bytes);
    all.mutant_bytes = malloc((size_t)all.mutant_size);
    (*jni)->GetByteArrayRegion(jni, bytes, 0, all.mutant_size, (jbyte *)all.mutant_bytes);
    all.thread_class = (*jni)->NewGlobalRef(jni, (*jni)->FindClass(jni, "java/lang/Thread"));
    all.left = (*jni)->NewGlobalRef(jni, (*jni)->FindClass(jni, "java/lang/RuntimeException"));
    all.thread_new = (*jni)->GetMethodID(jni, all.thread_class, "<init>", "()V");
    Fuzz *f = context_take(jni);
    for (int i = 0; i < ENVS; i++)
        atomic_store(&all.envs[i], make_env(f));
    context_give(f);
}

EXPORT(void, Java_Fuzz_tagsOnly, JNIEnv *jni, jclass cls)
{
    (void)jni, (void)cls;
    all.tags_only = true;
}

// Stops a thread that does not go on.
EXPORT(void, Java_Fuzz_stop, JNIEnv *jni, jclass cls, jthread thread, jobject with)
{
    (void)jni, (void)cls;
    (*all.own)->StopThread(all.own, thread, with);
}

static void report(void)
{
    for (int i = 0; i < fuzz_row_count; i++)
        if (atomic_load(&all.successes[i]) == 0)
            fprintf(stderr, "%s never succeeded\n", fuzz_rows[i].name);
    fprintf(stderr, "%ld calls, of them %ld in callbacks\n", atomic_load(&all.calls),
            atomic_load(&all.in_callbacks));
    say("wrong errors: %ld", atomic_load(&all.wrong));
}

// What the environments' agents were given and did not give back: only `own` gave back.
static void end_all(pthread_t *threads, int count)
{
    atomic_store(&all.stopping, true);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < ENVS; i++) {
        jvmtiEnv *env = atomic_load(&all.envs[i]);
        MUST((*env)->DisposeEnvironment(env));
    }
}

EXPORT(void, Java_Fuzz_run, JNIEnv *jni, jclass cls, jobjectArray watched, jint puppets,
       jint threads, jint millis)
{
    (void)cls;
    pthread_t callers[THREADS_MAX + 1], watchdogs[2];
    all.watched = (*jni)->NewGlobalRef(jni, watched);
    all.threads = (*jni)->GetArrayLength(jni, watched);
    all.puppets = puppets;
    pthread_create(&watchdogs[0], NULL, keep_going, NULL);
    pthread_create(&watchdogs[1], NULL, keep_notifying, NULL);
    for (int i = 0; i < threads; i++)
        pthread_create(&callers[i], NULL, call_at_random, NULL);
    pthread_create(&callers[threads], NULL, call_unattached, NULL);
    nap(millis);
    end_all(callers, threads + 1);
    report();
    atomic_store(&all.finished, true);
    for (int i = 0; i < 2; i++)
        pthread_join(watchdogs[i], NULL);
}

EXPORT(jint, Agent_OnLoad, JavaVM *vm, char *options, void *reserved)
{
    (void)reserved;
    jvmtiCapabilities capabilities = {.can_suspend = 1, .can_signal_thread = 1};
    all.vm = vm;
    all.own = new_env(vm, JVMTI_VERSION);
    all.log = getenv("FUZZ_LOG") != NULL;
    all.seed =
        getenv("FUZZ_SEED") ? strtoull(getenv("FUZZ_SEED"), NULL, 0) : (uint64_t)time(NULL);
    (void)options;
    fprintf(stderr, "FUZZ_SEED=%llu\n", (unsigned long long)all.seed);
    MUST((*all.own)->AddCapabilities(all.own, &capabilities));
    return JNI_OK;
}
