// SPDX-License-Identifier: Apache-2.0
// The extension functions SnapshotHeap and VisitSnapshot (include/pellucid_jvmti.h, docs/SNAPSHOTS.md).
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "frame/frame_cursor.h"
#include "jvmti/env/ti_entry.h"
#include "jvmti/ti_snapshot.h"
#include "pellucid_jvmti.h"
#include "service/dump/heap_dump.h"
#include "service/dump/heap_snapshot.h"

static jvmtiError fail(PellucidSnapshotResult *result, const char *why)
{
    snprintf(result->error, sizeof result->error, "%s", why);
    return JVMTI_ERROR_INTERNAL;
}

// ---- to a file ----

static bool is_possible(const PellucidSnapshotOptions *o)
{
    int most = o->packing == PELLUCID_GZIP ? 9 : 19;
    return o->packing >= PELLUCID_PLAIN && o->packing <= PELLUCID_ZSTD && o->level >= 0
           && o->level <= most && o->copied_most >= 0 && (o->path || o->fd >= 0);
}

static jvmtiError snapshot(Thread *self, const PellucidSnapshotOptions *o,
                           PellucidSnapshotResult *result)
{
    HeapDumpResult done = {0};
    const HeapDumpOptions options = {.to = {.path = o->path,
                                            .fd = o->fd,
                                            .overwrite = o->overwrite != 0,
                                            .packing = (HprofPacking)o->packing,
                                            .level = o->level ? o->level : 1},
                                     .live = o->live != 0,
                                     .snapshot = true,
                                     .copied_most = (uint64_t)o->copied_most};
    const char *why = heap_dump_write_as(self, &options, &done);
    result->stopped_nanos = (jlong)(done.stopped * 1e9);
    result->nanos = (jlong)(done.seconds * 1e9);
    result->bytes = (jlong)done.bytes;
    return why ? fail(result, why) : JVMTI_ERROR_NONE;
}

jvmtiError JNICALL ti_snapshot_heap(jvmtiEnv *jvmti, ...)
{
    static const TiFunction function = {"SnapshotHeap", TI_PHASE_LIVE, TI_CAP_NONE};
    va_list args;
    va_start(args, jvmti);
    const PellucidSnapshotOptions *options = va_arg(args, const PellucidSnapshotOptions *);
    PellucidSnapshotResult *result = va_arg(args, PellucidSnapshotResult *);
    va_end(args);
    TiCall call;
    jvmtiError error = ti_begin_vm(&call, jvmti, &function);
    if (error != JVMTI_ERROR_NONE)
        return error;
    if (!options || !result) {
        call.argument = options ? "result" : "options";
        error = JVMTI_ERROR_NULL_POINTER;
    } else if (!is_possible(options)) {
        call.argument = "options";
        error = JVMTI_ERROR_ILLEGAL_ARGUMENT;
    } else {
        memset(result, 0, sizeof *result);
        error = snapshot(call.self, options, result);
    }
    ti_end_vm(&call, error);
    return error;
}

// ---- by the agent's own code ----

typedef struct Visit {
    TiEnv *env;
    Thread *self;
    PellucidSnapshotVisitor visit;
    void *user_data;
} Visit;

// In the snapshot's process, whose world stays stopped: there is no other thread. Functions of JVM TI come IN_VM as ever.
static void run_visit(void *ctx, SnapshotEnd *end)
{
    const Visit *v = ctx;
    mutex_unlock(&ti_lock);
    atomic_store(&v->self->state, THREAD_IN_NATIVE);
    jint value = v->visit((jvmtiEnv *)v->env, v->user_data);
    end->bytes = (uint32_t)value;
}

// Threads outside of the VM may hold the lock of environments at any moment: it is free in the process.
static bool begin(Thread *self, Snapshot *s, int fd, Visit *v, int64_t *stopped)
{
    int64_t start = os_nanos();
    world_stop(self);
    bool settled = frames_settle();
    mutex_lock(&ti_lock);
    errno = ENOMEM; // where it is not settled
    bool begun = settled && snapshot_begin(s, fd, run_visit, v);
    int why = errno;
    mutex_unlock(&ti_lock);
    world_resume(self);
    *stopped = os_nanos() - start;
    errno = why;
    return begun;
}

static jvmtiError visit(Visit *v, jint fd, jlong copied_most, PellucidSnapshotResult *result)
{
    Snapshot s;
    SnapshotEnd end = {0};
    snapshot_prepare(v->self);
    int64_t start = os_nanos();
    if (!begin(v->self, &s, fd, v, &result->stopped_nanos))
        return fail(result, strerror(errno));
    const char *why = snapshot_await(v->self, &s, (uint64_t)copied_most, &end);
    result->nanos = os_nanos() - start;
    result->value = (jint)(uint32_t)end.bytes;
    return why ? fail(result, why) : JVMTI_ERROR_NONE;
}

jvmtiError JNICALL ti_visit_snapshot(jvmtiEnv *jvmti, ...)
{
    static const TiFunction function = {"VisitSnapshot", TI_PHASE_LIVE, TI_CAP_NONE};
    va_list args;
    va_start(args, jvmti);
    Visit v = {.visit = va_arg(args, PellucidSnapshotVisitor),
               .user_data = va_arg(args, void *)};
    jint fd = va_arg(args, jint);
    jlong copied_most = va_arg(args, jlong);
    PellucidSnapshotResult *result = va_arg(args, PellucidSnapshotResult *);
    va_end(args);
    TiCall call;
    jvmtiError error = ti_begin_vm(&call, jvmti, &function);
    if (error != JVMTI_ERROR_NONE)
        return error;
    v.env = call.env;
    v.self = call.self;
    if (!v.visit || !result) {
        call.argument = result ? "visit" : "result";
        error = JVMTI_ERROR_NULL_POINTER;
    } else {
        memset(result, 0, sizeof *result);
        error = visit(&v, fd, MAX_OF(copied_most, 0), result);
    }
    ti_end_vm(&call, error);
    return error;
}
