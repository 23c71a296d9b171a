// SPDX-License-Identifier: Apache-2.0
// The tables of natives that the VM supplies, registered in one place; and the small classes
// among them.
#include "class/image_map.h"
#include "classlib/jvm.h"
#include "link/native.h"

// ---- jdk.internal.vm.vector, jdk.jfr: absent features answer as such ----

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
void JNICALL nothing_to_register(JNIEnv *env, jclass c)
{
    (void)env, (void)c;
}
static jboolean JNICALL answer_false(JNIEnv *env, jobject o)
{
    (void)env, (void)o;
    return JNI_FALSE;
}

// ---- jdk.internal.jimage: the VM's mapping of the image is the class library's, too ----

static jobject JNICALL image_map(JNIEnv *env, jclass c, jstring path)
{
    (void)c;
    const char *text = (*env)->GetStringUTFChars(env, path, NULL);
    if (!text)
        return NULL;
    const uint8_t *bytes;
    size_t size;
    bool same = image_map_file(text, &bytes, &size);
    (*env)->ReleaseStringUTFChars(env, path, text);
    return same ? (*env)->NewDirectByteBuffer(env, (void *)(uintptr_t)bytes, (jlong)size)
                : NULL;
}

#define VECTOR "jdk/internal/vm/vector/VectorSupport"
static const VmNative rows[] = {
    {VECTOR, "registerNatives", NULL, (void *)no_vector_natives},
    {VECTOR, "getMaxLaneCount", NULL, (void *)no_lanes},
    {"jdk/jfr/internal/JVM", "registerNatives", NULL, (void *)nothing_to_register},
    {"jdk/jfr/internal/JVM", "isAvailable", NULL, (void *)answer_false},
    {"jdk/jfr/internal/JVM", "isRecording", NULL, (void *)answer_false},
    {"jdk/jfr/internal/JVM", "createJFR", NULL, (void *)answer_false},
    {"jdk/internal/jimage/NativeImageBuffer", "getNativeMap", NULL, (void *)image_map},
};
const NativeRows misc_natives = {rows, ARRAY_LEN(rows)};

void classlib_register_natives(void)
{
    static const NativeRows *const tables[] = {&object_natives,  &unsafe_natives,
                                               &perf_natives,    &method_handle_natives,
                                               &foreign_natives, &misc_natives};
    references_init();
    for (size_t i = 0; i < ARRAY_LEN(tables); i++)
        native_register_vm(tables[i]->rows, tables[i]->count);
    intrinsics_register();
}
