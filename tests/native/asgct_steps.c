// SPDX-License-Identifier: Apache-2.0
// AsyncGetCallTrace after each instruction of one thread, by the trap flag of x86-64; see AsyncTraceStubs.java. Where the stubs are is told
// by DynamicCodeGenerated.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <jvmti.h>
#include <signal.h>
#include <stdatomic.h>
#include <ucontext.h>

#include "jnitest.h"

typedef struct {
    jint lineno;
    jmethodID method_id;
} CallFrame;
typedef struct {
    JNIEnv *env_id;
    jint num_frames;
    CallFrame *frames;
} CallTrace;

enum { DEPTH = 64, STUBS = 4096, IN_NATIVE_METHOD = -3 };

static void (*async_get_call_trace)(CallTrace *, jint, void *);
static jvmtiEnv *ti;
static JNIEnv *stepped;
static struct {
    uintptr_t start;
    jint size;
    bool for_compiled; // it is compiled code that calls it
} stubs[STUBS];
static atomic_int stub_count;
static jmethodID calls, main_method;
static volatile sig_atomic_t over;
static jint steps, in_stubs, in_compiled_stubs, wrong_in_stubs, wrong_elsewhere;
static int last_stub;    // that the step before was in; -1: none
static jint called_from; // the instruction that has called it

static void JNICALL on_code(jvmtiEnv *env, const char *name, const void *code, jint size)
{
    (void)env;
    int i = strncmp(name, "native call", 11) == 0 ? atomic_fetch_add(&stub_count, 1) : STUBS;
    if (i < STUBS) {
        stubs[i].start = (uintptr_t)code;
        stubs[i].size = size;
        stubs[i].for_compiled = strstr(name, "from compiled code");
    }
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    (*vm)->GetEnv(vm, (void **)&ti, JVMTI_VERSION_1_2);
    jvmtiEventCallbacks callbacks = {.DynamicCodeGenerated = on_code};
    (*ti)->SetEventCallbacks(ti, &callbacks, sizeof callbacks);
    (*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, JVMTI_EVENT_DYNAMIC_CODE_GENERATED, NULL);
    *(void **)&async_get_call_trace = dlsym(RTLD_DEFAULT, "AsyncGetCallTrace");
    return async_get_call_trace ? JNI_OK : JNI_ERR;
}

#ifdef __x86_64__
enum { TRAP_FLAG = 0x100 };

static int stub_at(uintptr_t pc)
{
    for (int i = 0; i < stub_count && i < STUBS; i++)
        if (pc - stubs[i].start < (uintptr_t)stubs[i].size)
            return i;
    return -1;
}

// From the newest on: a native method, then what `calls` called.
static bool is_native_call(const CallTrace *trace)
{
    int n = trace->num_frames;
    return trace->frames[0].lineno == IN_NATIVE_METHOD
           && (n == 2 || (n > 2 && trace->frames[n - 2].method_id == calls));
}

// The native method is there or not yet, or not any more; `calls` stands at the same instruction all the time.
static bool is_compiled_call(const CallTrace *trace, int stub)
{
    int n = trace->num_frames;
    bool native = trace->frames[0].lineno == IN_NATIVE_METHOD;
    const CallFrame *caller = &trace->frames[native];
    if (n < 2 + native || trace->frames[n - 2].method_id != calls || caller->lineno < 0)
        return false;
    bool same = stub != last_stub || caller->lineno == called_from;
    called_from = caller->lineno;
    return same;
}

// All traces end with what main called.
static bool is_right(const CallTrace *trace, int stub)
{
    int n = trace->num_frames;
    if (n < 1 || trace->frames[n - 1].method_id != main_method)
        return false;
    return stub < 0
           || (stubs[stub].for_compiled ? is_compiled_call(trace, stub)
                                        : is_native_call(trace));
}

static void step(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info;
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    CallFrame frames[DEPTH];
    CallTrace trace = {stepped, 0, frames};
    int stub = stub_at((uintptr_t)registers[REG_RIP]);
    async_get_call_trace(&trace, DEPTH, context);
    bool right = is_right(&trace, stub);
    last_stub = stub;
    steps++;
    in_stubs += stub >= 0;
    in_compiled_stubs += stub >= 0 && stubs[stub].for_compiled;
    wrong_in_stubs += stub >= 0 && !right;
    wrong_elsewhere += stub < 0 && !right;
    if (over)
        registers[REG_EFL] &= ~TRAP_FLAG;
}

static void set_trap_flag(void)
{
    __asm__ volatile("lea -128(%%rsp), %%rsp\n" // past the red zone
                     "pushfq\n"
                     "orq $0x100, (%%rsp)\n"
                     "popfq\n"
                     "lea 128(%%rsp), %%rsp\n" ::
                         : "memory", "cc");
}
#endif

EXPORT(void, Java_AsyncTraceStubs_begin, JNIEnv *env, jclass c)
{
    jint n;
    jmethodID *methods; // all get ids
    (*ti)->GetClassMethods(ti, c, &n, &methods);
    (*ti)->Deallocate(ti, (unsigned char *)methods);
    calls = NEED((*env)->GetStaticMethodID(env, c, "calls", "(LAsyncTraceStubs;)V"));
    main_method = NEED((*env)->GetStaticMethodID(env, c, "main", "([Ljava/lang/String;)V"));
    stepped = env;
    over = 0;
    last_stub = -1;
    stub_count = 0;
    (*ti)->GenerateEvents(ti, JVMTI_EVENT_DYNAMIC_CODE_GENERATED);
#ifdef __x86_64__
    struct sigaction action = {.sa_sigaction = step, .sa_flags = SA_SIGINFO};
    sigaction(SIGTRAP, &action, NULL);
    set_trap_flag();
#endif
}

EXPORT(void, Java_AsyncTraceStubs_end, JNIEnv *env, jclass c)
{
    (void)env, (void)c;
    over = 1;
}

EXPORT(jlong, Java_AsyncTraceStubs_mixed, JNIEnv *env, jclass c, jint a, jdouble b, jobject d,
       jobject e, jlong f, jbyte g, jshort h, jfloat i, jint j, jint k)
{
    (void)env, (void)c, (void)d, (void)e;
    return a + (jlong)b + f + g + h + (jlong)i + j + k;
}

EXPORT(jobject, Java_AsyncTraceStubs_self, JNIEnv *env, jobject self, jobject o)
{
    (void)env, (void)self;
    return o;
}

EXPORT(jboolean, Java_AsyncTraceStubs_locked, JNIEnv *env, jclass c)
{
    (void)env, (void)c;
    return JNI_TRUE;
}

EXPORT(void, Java_AsyncTraceStubs_thrower, JNIEnv *env, jclass c)
{
    (void)c;
    (*env)->ThrowNew(env, NEED((*env)->FindClass(env, "java/lang/IllegalStateException")),
                     "thrown");
}

// Steps, those in stubs, in stubs for compiled code, wrong traces in stubs, and elsewhere.
EXPORT(jintArray, Java_AsyncTraceStubs_counts, JNIEnv *env, jclass c)
{
    (void)c;
    jintArray result = (*env)->NewIntArray(env, 5);
    (*env)->SetIntArrayRegion(
        env, result, 0, 5,
        (jint[]){steps, in_stubs, in_compiled_stubs, wrong_in_stubs, wrong_elsewhere});
    return result;
}
