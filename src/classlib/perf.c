// SPDX-License-Identifier: Apache-2.0
// jdk.internal.perf.Perf: counters of the class library in the region of perf_data.h, behind
// direct buffers; and the regions of other processes.
#include <errno.h>
#include <sys/mman.h>

#include "classlib/jvm.h"
#include "java/exception.h"
#include "java/java_object.h"
#include "java/string.h"
#include "link/native.h"
#include "service/perf/perf_data.h"

enum { MODE_READ_ONLY = 0, MODE_READ_WRITE = 1 };

// A direct ByteBuffer over memory that nobody frees before the buffer is out of use.
static jobject buffer_over(Thread *self, void *memory, size_t size)
{
    Class *c = loader_load(self, loader_boot, symbol_intern("java/nio/DirectByteBuffer"), true);
    return c ? object_construct(self, c, "(JI)V",
                                (jvalue[]){{.j = (jlong)(uintptr_t)memory}, {.i = (jint)size}})
             : NULL;
}

static jobject buffer_or_exists(Thread *self, void *memory, size_t size)
{
    if (memory)
        return buffer_over(self, memory, size);
    throw_new(self, "java/lang/IllegalArgumentException", "PerfLong name already exists");
    return NULL;
}

static jobject JNICALL createLong(JNIEnv *env, jobject perf, jstring name, jint variability,
                                  jint units, jlong value)
{
    (void)perf;
    IN_VM(env);
    char *text = name ? string_to_mutf8(deref(name)) : NULL;
    if (!text) {
        throw_null(self, "java/lang/NullPointerException");
        return NULL;
    }
    int64_t *memory =
        perf_add_long(text, (PerfUnits)units, (PerfVariability)variability, value);
    vm_free(text);
    return buffer_or_exists(self, memory, sizeof value);
}
static jobject JNICALL createByteArray(JNIEnv *env, jobject perf, jstring name,
                                       jint variability, jint units, jbyteArray value, jint max)
{
    (void)perf;
    IN_VM(env);
    char *text = name ? string_to_mutf8(deref(name)) : NULL;
    if (!text || !value) {
        vm_free(text);
        throw_null(self, "java/lang/NullPointerException");
        return NULL;
    }
    if (units != PERF_STRING || (variability != PERF_CONSTANT && variability != PERF_VARIABLE)
        || max < 0) {
        vm_free(text);
        throw_null(self, "java/lang/IllegalArgumentException");
        return NULL;
    }
    size_t len = (size_t)array_length(deref(value)),
           size = (variability == PERF_CONSTANT ? len : (size_t)max) + 1;
    char *memory = perf_add_bytes(text, PERF_STRING, (PerfVariability)variability,
                                  array_data(deref(value)), MIN_OF(len, size - 1), size);
    vm_free(text);
    return buffer_or_exists(self, memory, size);
}

static jobject JNICALL attach(JNIEnv *env, jobject perf, jstring user, jint pid, jint mode)
{
    (void)perf;
    IN_VM(env);
    if (mode != MODE_READ_ONLY && mode != MODE_READ_WRITE) {
        throw_new(self, "java/lang/IllegalArgumentException", "invalid mode");
        return NULL;
    }
    char *name = user ? string_to_utf8(deref(user)) : NULL;
    const char *error;
    size_t size;
    void *memory = perf_map(name, pid, mode == MODE_READ_WRITE, &size, &error);
    int why = errno;
    vm_free(name);
    if (memory)
        return buffer_over(self, memory, size);
    if (error)
        throw_new(self, "java/lang/IllegalArgumentException", "%s", error);
    else
        throw_new(self, "java/io/IOException", "%s", strerror(why));
    return NULL;
}
static void JNICALL detach(JNIEnv *env, jobject perf, jobject buffer)
{
    (void)perf;
    void *memory = (*env)->GetDirectBufferAddress(env, buffer);
    if (memory)
        munmap(memory, (size_t)(*env)->GetDirectBufferCapacity(env, buffer));
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
