// SPDX-License-Identifier: Apache-2.0
// The tables of natives that the VM supplies, registered in one place; and the small classes
// among them.
#include "classlib/jvm.h"

// ---- jdk.internal.vm.vector, jdk.internal.misc.ScopedMemoryAccess, jdk.jfr: absent features answer as such ----

static jint JNICALL no_vector_natives(JNIEnv *env, jclass c)
{
    (void)env, (void)c;
    return 0;
}
static jint JNICALL no_lanes(JNIEnv *env, jclass c, jclass element)
{
    (void)env, (void)c, (void)element;
    return -1; // "not supported": Java falls back to its own shapes
}
static void JNICALL no_registration(JNIEnv *env, jclass c)
{
    (void)env, (void)c;
}
static jboolean JNICALL answer_false(JNIEnv *env, jobject o)
{
    (void)env, (void)o;
    return JNI_FALSE;
}
static void JNICALL unsupported(JNIEnv *env, jobject o)
{
    (void)o;
    IN_VM(env);
    Frame *f = frame_first(self->frame);
    throw_new(self, "java/lang/UnsupportedOperationException", "%s", f->method->name->s);
}

#define VECTOR  "jdk/internal/vm/vector/VectorSupport"
#define SCOPED  "jdk/internal/misc/ScopedMemoryAccess"
#define FOREIGN "jdk/internal/foreign/abi/"
static const VmNative rows[] = {
    {VECTOR, "registerNatives", NULL, (void *)no_vector_natives},
    {VECTOR, "getMaxLaneCount", NULL, (void *)no_lanes},
    {SCOPED, "registerNatives", NULL, (void *)no_registration},
    {SCOPED, "closeScope0", NULL, (void *)unsupported},
    {"jdk/internal/invoke/NativeEntryPoint", "registerNatives", NULL, (void *)no_registration},
    {"jdk/internal/invoke/NativeEntryPoint", "vmStorageToVMReg", NULL, (void *)unsupported},
    {FOREIGN "ProgrammableInvoker", "registerNatives", NULL, (void *)no_registration},
    {FOREIGN "ProgrammableInvoker", "invokeNative", NULL, (void *)unsupported},
    {FOREIGN "ProgrammableInvoker", "generateAdapter", NULL, (void *)unsupported},
    {FOREIGN "ProgrammableUpcallHandler", "registerNatives", NULL, (void *)no_registration},
    {FOREIGN "ProgrammableUpcallHandler", "allocateUpcallStub", NULL, (void *)unsupported},
    {FOREIGN "ProgrammableUpcallHandler", "allocateOptimizedUpcallStub", NULL,
     (void *)unsupported},
    {FOREIGN "ProgrammableUpcallHandler", "supportsOptimizedUpcalls", NULL,
     (void *)answer_false},
    {FOREIGN "UpcallStubs", "registerNatives", NULL, (void *)no_registration},
    {FOREIGN "UpcallStubs", "freeUpcallStub0", NULL, (void *)unsupported},
    {"jdk/jfr/internal/JVM", "registerNatives", NULL, (void *)no_registration},
    {"jdk/jfr/internal/JVM", "isAvailable", NULL, (void *)answer_false},
    {"jdk/jfr/internal/JVM", "isRecording", NULL, (void *)answer_false},
    {"jdk/jfr/internal/JVM", "createJFR", NULL, (void *)answer_false},
};
const NativeRows misc_natives = {rows, ARRAY_LEN(rows)};

void classlib_register_natives(void)
{
    static const NativeRows *const tables[] = {&object_natives, &unsafe_natives, &perf_natives,
                                               &method_handle_natives, &misc_natives};
    references_init();
    for (size_t i = 0; i < ARRAY_LEN(tables); i++)
        native_register_vm(tables[i]->rows, tables[i]->count);
}
