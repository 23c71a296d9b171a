// SPDX-License-Identifier: Apache-2.0
// jdk.internal.perf.Perf: counters live in C memory behind direct buffers. Other processes do
// not see them yet (no hsperfdata file).
#include "classlib/jvm.h"

// A direct ByteBuffer over zeroed memory that stays for the life of the VM.
static jobject new_counter(Thread *self, size_t size, void **memory)
{
    *memory = vm_calloc(1, ALIGN_UP(size, 8));
    Class *c = loader_load(self, loader_boot, symbol_intern("java/nio/DirectByteBuffer"), true);
    return c ? object_construct(self, c, "(JI)V",
                                (jvalue[]){{.j = (jlong)(uintptr_t)*memory}, {.i = (jint)size}})
             : NULL;
}

static jobject JNICALL createLong(JNIEnv *env, jobject perf, jstring name, jint variability,
                                  jint units, jlong value)
{
    (void)perf, (void)name, (void)variability, (void)units;
    IN_VM(env);
    void *memory;
    jobject buffer = new_counter(self, sizeof value, &memory);
    *(jlong *)memory = value;
    return buffer;
}
static jobject JNICALL createByteArray(JNIEnv *env, jobject perf, jstring name,
                                       jint variability, jint units, jbyteArray value, jint max)
{
    (void)perf, (void)name, (void)variability, (void)units;
    IN_VM(env);
    void *memory;
    jobject buffer = new_counter(self, (size_t)max + 1, &memory);
    memcpy(memory, array_data(deref(value)), (size_t)MIN_OF(max, array_length(deref(value))));
    return buffer;
}
static jobject JNICALL attach(JNIEnv *env, jobject perf, jstring user, jint pid, jint mode)
{
    (void)perf, (void)user, (void)mode;
    IN_VM(env);
    throw_new(self, "java/io/IOException", "no performance data of process %d: not supported",
              pid);
    return NULL;
}
static void JNICALL detach(JNIEnv *env, jobject perf, jobject buffer)
{
    (void)env, (void)perf, (void)buffer; // what attach would have mapped
}
static jlong JNICALL highResCounter(JNIEnv *env, jobject perf)
{
    (void)env, (void)perf;
    return os_nanos();
}
static jlong JNICALL highResFrequency(JNIEnv *env, jobject perf)
{
    (void)env, (void)perf;
    return 1000000000;
}
static void JNICALL registerNatives(JNIEnv *env, jclass c)
{
    (void)env, (void)c;
}

#define ROW(fn) {"jdk/internal/perf/Perf", #fn, NULL, (void *)fn},
static const VmNative rows[] = {ROW(createLong) ROW(createByteArray) ROW(attach) ROW(
    detach) ROW(highResCounter) ROW(highResFrequency) ROW(registerNatives)};
const NativeRows perf_natives = {rows, ARRAY_LEN(rows)};
