// SPDX-License-Identifier: Apache-2.0
// Natives of jdk.incubator.foreign. Java classes work out where each argument goes and fill a buffer
// that has a place for each register (BufferLayout); what is done here is to move between that
// buffer and a ForeignCall. Shared memory segments: a scope may be closed when no thread is in an access
// to memory of it.
#include "classlib/jvm.h"
#include "event/event.h"
#include "frame/frame_cursor.h"
#include "link/native.h"
#include "platform/upcall.h"

#define ABI     "jdk/internal/foreign/abi/"
#define INVOKER ABI "ProgrammableInvoker"
#define UPCALLS ABI "ProgrammableUpcallHandler"

#if FOREIGN_CALLS
// ---- the buffer's layout ----
enum {
    INTEGER,
    VECTOR,
    MOVES_MAX = 16
}; // the first two as in X86_64Architecture.StorageClasses

typedef struct Move {
    size_t buffer, call; // offsets of a register in the buffer and in a ForeignCall
    size_t size;
} Move;
typedef struct Moves {
    Move at[MOVES_MAX];
    int count;
} Moves;
typedef struct Adapter {
    size_t size, target, stack_size, stack; // of the buffer; of fields in it
    Moves arguments, results;
} Adapter;

// By Java's index of the register; -1: it is none that passes arguments, or results.
static ptrdiff_t place_in_call(bool result, jint storage_class, jint index)
{
    static const int8_t arguments[] = {6, 3, 2, -1, -1, -1, 1, 0, 4, 5}; // rax is 0, rcx 1 ...
    static const int8_t results[] = {0, -1, 1};
    jint vectors = result ? 2 : 8,
         integers = result ? ARRAY_LEN(results) : ARRAY_LEN(arguments);
    if (storage_class == VECTOR && index < vectors)
        return (result ? (ptrdiff_t)offsetof(ForeignCall, vector_results)
                       : (ptrdiff_t)offsetof(ForeignCall, vector_arguments))
               + index * (ptrdiff_t)sizeof(VectorRegister);
    if (storage_class != INTEGER || index >= integers)
        return -1;
    int8_t at = result ? results[index] : arguments[index];
    return at < 0 ? -1
                  : (result ? (ptrdiff_t)offsetof(ForeignCall, results)
                            : (ptrdiff_t)offsetof(ForeignCall, arguments))
                        + at * (ptrdiff_t)sizeof(uint64_t);
}

static jlong long_field(JNIEnv *env, jobject o, const char *name)
{
    jclass c = (*env)->GetObjectClass(env, o);
    return (*env)->GetLongField(env, o, (*env)->GetFieldID(env, c, name, "J"));
}
static jint int_field(JNIEnv *env, jobject o, const char *name)
{
    jclass c = (*env)->GetObjectClass(env, o);
    return (*env)->GetIntField(env, o, (*env)->GetFieldID(env, c, name, "I"));
}
static jobject object_field(JNIEnv *env, jobject o, const char *name, const char *desc)
{
    jclass c = (*env)->GetObjectClass(env, o);
    return (*env)->GetObjectField(env, o, (*env)->GetFieldID(env, c, name, desc));
}

// Adds the registers of one class, which stand one after the other in the buffer.
static bool add_moves(JNIEnv *env, jobjectArray registers, size_t buffer, bool result,
                      Moves *moves)
{
    jsize count = (*env)->GetArrayLength(env, registers);
    for (jsize i = 0; i < count; i++) {
        jobject reg = (*env)->GetObjectArrayElement(env, registers, i);
        jint storage_class = int_field(env, reg, "type");
        size_t size = storage_class == VECTOR ? sizeof(VectorRegister) : sizeof(uint64_t);
        ptrdiff_t call = place_in_call(result, storage_class, int_field(env, reg, "index"));
        if (call < 0 || moves->count == MOVES_MAX)
            return false;
        moves->at[moves->count++] = (Move){buffer + (size_t)i * size, (size_t)call, size};
        (*env)->DeleteLocalRef(env, reg);
    }
    return true;
}

// Results in the x87 stack have no place here: no layout of the class library has such.
static bool read_moves(JNIEnv *env, jobject abi, jobject layout, bool result, Moves *moves)
{
    jobjectArray classes = object_field(env, abi, result ? "outputStorage" : "inputStorage",
                                        "[[L" ABI "VMStorage;");
    jlongArray offsets =
        object_field(env, layout, result ? "output_type_offsets" : "input_type_offsets", "[J");
    jsize count = MIN_OF((*env)->GetArrayLength(env, classes), VECTOR + 1);
    for (jsize i = 0; i < count; i++) {
        jlong offset;
        (*env)->GetLongArrayRegion(env, offsets, i, 1, &offset);
        if (!add_moves(env, (*env)->GetObjectArrayElement(env, classes, i), (size_t)offset,
                       result, moves))
            return false;
    }
    return true;
}

static bool read_adapter(JNIEnv *env, jobject abi, jobject layout, Adapter *a)
{
    *a = (Adapter){.size = (size_t)long_field(env, layout, "size"),
                   .target = (size_t)long_field(env, layout, "arguments_next_pc"),
                   .stack_size = (size_t)long_field(env, layout, "stack_args_bytes"),
                   .stack = (size_t)long_field(env, layout, "stack_args")};
    if (read_moves(env, abi, layout, false, &a->arguments)
        && read_moves(env, abi, layout, true, &a->results))
        return true;
    jclass error = (*env)->FindClass(env, "java/lang/UnsupportedOperationException");
    (*env)->ThrowNew(env, error, "registers of another calling convention");
    return false;
}

static void move_to_call(const Moves *moves, const char *buffer, ForeignCall *call)
{
    for (int i = 0; i < moves->count; i++)
        memcpy((char *)call + moves->at[i].call, buffer + moves->at[i].buffer,
               moves->at[i].size);
}
static void move_to_buffer(const Moves *moves, const ForeignCall *call, char *buffer)
{
    for (int i = 0; i < moves->count; i++)
        memcpy(buffer + moves->at[i].buffer, (const char *)call + moves->at[i].call,
               moves->at[i].size);
}

// ---- downcalls ----

// Java keeps it for good, one for each calling convention.
static jlong JNICALL generate_adapter(JNIEnv *env, jclass c, jobject abi, jobject layout)
{
    (void)c;
    Adapter a;
    if (!read_adapter(env, abi, layout, &a))
        return 0;
    Adapter *kept = vm_malloc(sizeof *kept);
    *kept = a;
    return (jlong)(uintptr_t)kept;
}

static void JNICALL invoke_native(JNIEnv *env, jclass c, jlong adapter, jlong arguments)
{
    (void)env, (void)c;
    const Adapter *a = (const Adapter *)(uintptr_t)adapter;
    char *buffer = (char *)(uintptr_t)arguments;
    ForeignCall call = {0};
    memcpy(&call.target, buffer + a->target, sizeof call.target);
    memcpy(&call.stack_size, buffer + a->stack_size, sizeof call.stack_size);
    memcpy(&call.stack_arguments, buffer + a->stack, sizeof call.stack_arguments);
    move_to_call(&a->arguments, buffer, &call);
    foreign_call(&call);
    move_to_buffer(&a->results, &call, buffer);
}

// What it answers is only given back to a VM that compiles native method handles.
static jlong JNICALL storage_to_register(JNIEnv *env, jclass c, jint storage_class, jint index)
{
    (void)env, (void)c;
    return (jlong)storage_class << 32 | index;
}

// ---- upcalls ----
typedef struct JavaUpcall {
    Upcall upcall;
    Adapter adapter;
    jclass handler; // ProgrammableUpcallHandler
    jmethodID invoke;
    jobject method_handle;
} JavaUpcall;

static JNIEnv *attach_for_upcall(bool *attached)
{
    JavaVM *vm = jni_java_vm();
    JNIEnv *env;
    *attached = !thread_current();
    if ((*vm)->AttachCurrentThread(vm, (void **)&env, NULL) != JNI_OK)
        vm_fatal("a function pointer to Java was called when there is no Java to run");
    return env;
}

// The buffer is the thread's own, and so is the copy of `upcall`: Java may free it meanwhile.
static void run_upcall(Upcall *upcall, ForeignCall *call)
{
    JavaUpcall u = *(JavaUpcall *)upcall;
    bool attached;
    JNIEnv *env = attach_for_upcall(&attached);
    char *buffer = __builtin_alloca_with_align(u.adapter.size, 8 * sizeof(VectorRegister));
    memset(buffer, 0, u.adapter.size);
    memcpy(buffer + u.adapter.stack, &call->stack_arguments, sizeof call->stack_arguments);
    move_to_buffer(&u.adapter.arguments, call, buffer);
    (*env)->CallStaticVoidMethod(env, u.handler, u.invoke, u.method_handle,
                                 (jlong)(uintptr_t)buffer);
    if ((*env)->ExceptionCheck(env)) { // Java code catches all it can
        (*env)->ExceptionDescribe(env);
        vm_fatal("an exception in an upcall");
    }
    move_to_call(&u.adapter.results, buffer, call);
    if (attached)
        (*jni_java_vm())->DetachCurrentThread(jni_java_vm());
}

static void post_upcall(JNIEnv *env, const void *function)
{
    IN_VM(env);
    event_post(self, DYNAMIC_CODE, UPCALL_NAME, function, UPCALL_CODE_SIZE, NULL);
}

static jlong JNICALL allocate_upcall(JNIEnv *env, jclass c, jobject handle, jobject abi,
                                     jobject layout)
{
    JavaUpcall u = {.upcall.run = run_upcall};
    if (!read_adapter(env, abi, layout, &u.adapter))
        return 0;
    u.handler = (*env)->NewGlobalRef(env, c);
    u.method_handle = (*env)->NewGlobalRef(env, handle);
    u.invoke =
        (*env)->GetStaticMethodID(env, c, "invoke", "(Ljava/lang/invoke/MethodHandle;J)V");
    JavaUpcall *kept = vm_malloc(sizeof *kept);
    *kept = u;
    void *function = u.invoke ? upcall_make(&kept->upcall) : NULL;
    if (!function) {
        (*env)->DeleteGlobalRef(env, u.handler);
        (*env)->DeleteGlobalRef(env, u.method_handle);
        vm_free(kept);
        if (u.invoke)
            (*env)->ThrowNew(env, (*env)->FindClass(env, "java/lang/OutOfMemoryError"),
                             "Failed to allocate upcall stub");
        return 0;
    }
    post_upcall(env, function);
    return (jlong)(uintptr_t)function;
}

static jboolean JNICALL free_upcall(JNIEnv *env, jclass c, jlong address)
{
    (void)c;
    JavaUpcall *u = (JavaUpcall *)upcall_free((void *)(uintptr_t)address);
    if (!u)
        return JNI_FALSE;
    (*env)->DeleteGlobalRef(env, u->handler);
    (*env)->DeleteGlobalRef(env, u->method_handle);
    vm_free(u);
    return JNI_TRUE;
}

// "Optimized" ones are compiled code that Java would not have to fill a buffer for.
static jboolean JNICALL has_compiled_upcalls(JNIEnv *env, jclass c)
{
    (void)env, (void)c;
    return JNI_FALSE;
}
#endif

// ---- closing a scope ----

static bool holds(FrameCursor *f, const Object *scope)
{
    cursor_settle(f);
    for (uint32_t i = 0; i < cursor_local_count(f); i++)
        if (cursor_slot_kind(f, i) == SLOT_REF && cursor_value(f, i).ref == scope)
            return true;
    return false;
}

// An access is a method of ScopedMemoryAccess, marked so, that first looks whether the scope lives.
static bool is_accessing(const Thread *t, const Object *scope)
{
    FRAMES_EACH(f, t)
    if ((f.method->flags & METHOD_SCOPED) && holds(&f, scope))
        return true;
    return false;
}

// The scope is marked as closing already. A thread that is stopped outside of an access sees that in its
// next one. The error is what a VM may throw in the threads that are in one; to leave them alone
// and answer false is the other possibility, and Java says so to the caller.
static jboolean JNICALL close_scope(JNIEnv *env, jobject memory_access, jobject scope,
                                    jobject error)
{
    (void)memory_access, (void)error;
    IN_VM(env);
    bool found = false;
    world_stop(self);
    THREAD_EACH(t)
    found = found || (t != self && is_accessing(t, deref(scope)));
    world_resume(self);
    return !found;
}

static const VmNative rows[] = {
    {"jdk/internal/misc/ScopedMemoryAccess", "registerNatives", NULL,
     (void *)nothing_to_register},
    {"jdk/internal/misc/ScopedMemoryAccess", "closeScope0", NULL, (void *)close_scope},
#if FOREIGN_CALLS
    {"jdk/internal/invoke/NativeEntryPoint", "registerNatives", NULL,
     (void *)nothing_to_register},
    {"jdk/internal/invoke/NativeEntryPoint", "vmStorageToVMReg", NULL,
     (void *)storage_to_register},
    {INVOKER, "registerNatives", NULL, (void *)nothing_to_register},
    {INVOKER, "generateAdapter", NULL, (void *)generate_adapter},
    {INVOKER, "invokeNative", NULL, (void *)invoke_native},
    {UPCALLS, "registerNatives", NULL, (void *)nothing_to_register},
    {UPCALLS, "allocateUpcallStub", NULL, (void *)allocate_upcall},
    {UPCALLS, "supportsOptimizedUpcalls", NULL, (void *)has_compiled_upcalls},
    {ABI "UpcallStubs", "registerNatives", NULL, (void *)nothing_to_register},
    {ABI "UpcallStubs", "freeUpcallStub0", NULL, (void *)free_upcall},
#endif
};
const NativeRows foreign_natives = {rows, ARRAY_LEN(rows)};
