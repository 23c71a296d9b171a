// SPDX-License-Identifier: Apache-2.0
// For SnapshotExtension: the extension functions SnapshotHeap and VisitSnapshot as natives.
#define _GNU_SOURCE // pipe2
#include "pellucid_jvmti.h"
#include "ti_common.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

static JavaVM *vm;
static jvmtiEnv *ti;
static PellucidSnapshotHeap snapshot_heap;
static PellucidVisitSnapshot visit_snapshot;

static void find_functions(void)
{
    jint count;
    jvmtiExtensionFunctionInfo *all;
    MUST((*ti)->GetExtensionFunctions(ti, &count, &all));
    for (jint i = 0; i < count; i++) {
        void (*function)(void) = (void (*)(void))all[i].func;
        if (strcmp(all[i].id, PELLUCID_SNAPSHOT_HEAP) == 0)
            snapshot_heap = (PellucidSnapshotHeap)function;
        if (strcmp(all[i].id, PELLUCID_VISIT_SNAPSHOT) == 0)
            visit_snapshot = (PellucidVisitSnapshot)function;
    }
}

static jstring describe(JNIEnv *jni, jvmtiError error, const PellucidSnapshotResult *r)
{
    char text[256];
    bool times = r->stopped_nanos > 0 && r->nanos >= r->stopped_nanos;
    snprintf(text, sizeof text, "%d%s%s%s", (int)error, r->bytes > 0 ? ", written" : "",
             error == JVMTI_ERROR_NONE && !times ? ", wrong times" : "",
             error == JVMTI_ERROR_INTERNAL ? ": " : "");
    strncat(text, r->error, sizeof text - strlen(text) - 1);
    return (*jni)->NewStringUTF(jni, text);
}

// ---- SnapshotHeap ----
EXPORT(jstring, Java_SnapshotExtension_toFile, JNIEnv *jni, jclass unused, jstring path,
       jint packing, jint level, jboolean overwrite)
{
    (void)unused;
    const char *name = path ? (*jni)->GetStringUTFChars(jni, path, NULL) : NULL;
    PellucidSnapshotOptions o = {
        .path = name, .fd = -1, .packing = packing, .level = level, .overwrite = overwrite};
    PellucidSnapshotResult r = {0};
    jvmtiError error = snapshot_heap(ti, &o, &r);
    if (name)
        (*jni)->ReleaseStringUTFChars(jni, path, name);
    return describe(jni, error, &r);
}

typedef struct Reader {
    int fd;
    size_t most, got; // it leaves after so many
    char head[4];
} Reader;

static void *read_all(void *ctx)
{
    Reader *r = ctx;
    static char piece[1 << 16];
    ssize_t n;
    while (r->got < r->most && (n = read(r->fd, piece, sizeof piece)) > 0) {
        if (r->got == 0)
            memcpy(r->head, piece, sizeof r->head);
        r->got += (size_t)n;
    }
    close(r->fd);
    return NULL;
}

// Through a pipe, of which another thread reads at most so many bytes.
EXPORT(jstring, Java_SnapshotExtension_toPipe, JNIEnv *jni, jclass unused, jlong most)
{
    (void)unused;
    int ends[2];
    pthread_t thread;
    PellucidSnapshotResult result = {0};
    if (pipe2(ends, O_CLOEXEC) != 0)
        return NULL;
    Reader r = {.fd = ends[0], .most = (size_t)most};
    pthread_create(&thread, NULL, read_all, &r);
    PellucidSnapshotOptions o = {.fd = ends[1]};
    jvmtiError error = snapshot_heap(ti, &o, &result);
    close(ends[1]);
    pthread_join(thread, NULL);
    jstring text = describe(jni, error, &result);
    bool whole = (jlong)r.got == result.bytes && memcmp(r.head, "JAVA", 4) == 0;
    return error != JVMTI_ERROR_NONE || whole ? text : (*jni)->NewStringUTF(jni, "not whole");
}

// ---- VisitSnapshot ----
typedef struct Counts { // shared with the process
    jlong reached, tagged, iterated, sum;
} Counts;
static Counts *counts;

static jint JNICALL on_reference(jvmtiHeapReferenceKind kind,
                                 const jvmtiHeapReferenceInfo *info, jlong class_tag,
                                 jlong referrer_class_tag, jlong size, jlong *tag,
                                 jlong *referrer_tag, jint length, void *user_data)
{
    (void)kind, (void)info, (void)class_tag, (void)referrer_class_tag, (void)size,
        (void)referrer_tag, (void)length, (void)user_data;
    counts->reached++;
    if (*tag >= 1000) {
        counts->tagged++;
        *tag = -*tag; // once; nobody else sees it
    }
    return JVMTI_VISIT_OBJECTS;
}

static jint JNICALL on_object(jlong class_tag, jlong size, jlong *tag, jint length,
                              void *user_data)
{
    (void)class_tag, (void)size, (void)length, (void)user_data;
    counts->iterated++;
    counts->sum -= *tag <= -1000 ? *tag : 0;
    return JVMTI_VISIT_OBJECTS;
}

enum { WALKS, RAISES, WRITES };

static jint JNICALL visit(jvmtiEnv *env, void *user_data)
{
    jint how = *(jint *)user_data;
    jvmtiHeapCallbacks callbacks = {.heap_reference_callback = on_reference,
                                    .heap_iteration_callback = on_object};
    if (how == RAISES)
        raise(SIGSEGV);
    if ((*env)->FollowReferences(env, 0, NULL, NULL, &callbacks, NULL) != JVMTI_ERROR_NONE)
        return -1;
    if ((*env)->IterateThroughHeap(env, 0, NULL, &callbacks, NULL) != JVMTI_ERROR_NONE)
        return -2;
    for (int fd = 0; how == WRITES && fd < 100; fd++) // whatever is open gets a word
        (void)!write(fd, "found", 5);
    return 42 + (jint)counts->tagged;
}

EXPORT(void, Java_SnapshotExtension_tag, JNIEnv *jni, jclass unused, jobject object, jlong tag)
{
    (void)jni, (void)unused;
    MUST((*ti)->SetTag(ti, object, tag));
}

EXPORT(jlong, Java_SnapshotExtension_tagOf, JNIEnv *jni, jclass unused, jobject object)
{
    (void)jni, (void)unused;
    jlong tag = 0;
    MUST((*ti)->GetTag(ti, object, &tag));
    return tag;
}

EXPORT(jstring, Java_SnapshotExtension_visit, JNIEnv *jni, jclass unused, jint how)
{
    (void)unused;
    char text[256], got[16] = "";
    int ends[2];
    PellucidSnapshotResult r = {0};
    if (pipe2(ends, O_CLOEXEC) != 0)
        return NULL;
    counts =
        mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    jvmtiError error = visit_snapshot(ti, visit, &how, how == WRITES ? ends[1] : -1, 0, &r);
    close(ends[1]);
    (void)!read(ends[0], got, sizeof got - 1);
    close(ends[0]);
    snprintf(text, sizeof text, "%d, value %d, tagged %d, sum %d, %s%s%s", (int)error,
             (int)r.value, (int)counts->tagged, (int)counts->sum,
             counts->iterated >= counts->reached / 10 && counts->reached > 0 ? "walked"
                                                                             : "not walked",
             got[0] ? ", wrote " : "", got);
    if (r.error[0]) {
        strncat(text, ": ", sizeof text - strlen(text) - 1);
        strncat(text, r.error, sizeof text - strlen(text) - 1);
    }
    munmap(counts, sizeof *counts);
    return (*jni)->NewStringUTF(jni, text);
}

EXPORT(jstring, Java_SnapshotExtension_wrong, JNIEnv *jni, jclass unused)
{
    (void)unused;
    char text[128];
    PellucidSnapshotResult r;
    PellucidSnapshotOptions none = {.fd = -1}, packing = {.fd = 1, .packing = 3},
                            level = {.fd = 1, .packing = PELLUCID_GZIP, .level = 10};
    snprintf(text, sizeof text, "%d %d %d %d %d %d", (int)snapshot_heap(ti, NULL, &r),
             (int)snapshot_heap(ti, &none, &r), (int)snapshot_heap(ti, &packing, &r),
             (int)snapshot_heap(ti, &level, &r), (int)visit_snapshot(ti, NULL, NULL, -1, 0, &r),
             (int)visit_snapshot(ti, visit, NULL, -1, 0, NULL));
    return (*jni)->NewStringUTF(jni, text);
}

// Runs r while the thread is in a JNI critical section of the array.
EXPORT(jstring, Java_SnapshotExtension_critical, JNIEnv *jni, jclass unused, jintArray array,
       jstring path)
{
    (void)unused;
    const char *name = (*jni)->GetStringUTFChars(jni, path, NULL);
    PellucidSnapshotOptions o = {.path = name, .fd = -1, .overwrite = JNI_TRUE};
    PellucidSnapshotResult r = {0};
    jint *elements = (*jni)->GetPrimitiveArrayCritical(jni, array, NULL);
    jvmtiError error = snapshot_heap(ti, &o, &r);
    elements[0]++;
    (*jni)->ReleasePrimitiveArrayCritical(jni, array, elements, 0);
    (*jni)->ReleaseStringUTFChars(jni, path, name);
    return describe(jni, error, &r);
}

EXPORT(jint, Agent_OnLoad, JavaVM *v, char *options, void *reserved)
{
    (void)options, (void)reserved;
    vm = v;
    if ((*vm)->GetEnv(vm, (void **)&ti, JVMTI_VERSION_11) != JNI_OK)
        return JNI_ERR;
    jvmtiCapabilities c = {.can_tag_objects = 1};
    MUST((*ti)->AddCapabilities(ti, &c));
    find_functions();
    return snapshot_heap && visit_snapshot ? JNI_OK : JNI_ERR;
}
