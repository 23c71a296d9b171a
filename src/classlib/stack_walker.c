// SPDX-License-Identifier: Apache-2.0
// java.lang.StackWalker: batches of the current thread's frames, between callStackWalk and the
// end of its upcall doStackWalk.
//
// A walk lives in the C frame of JVM_CallStackWalk; its address is the anchor that Java hands
// back for further batches. The frames it still has to deliver are callers of that C frame: they are there as long
// as it is. Each thread lists its open walks.
#include "class/vm_classes.h"
#include "classlib/jvm.h"
#include "classlib/live_frames.h"
#include "frame/frame_cursor.h"
#include "java/call.h"
#include "java/exception.h"
#include "java/stacktrace.h"
#include "link/member_name.h"
#include "options/options.h"

enum { // as in StackStreamFactory
    WALK_CLASS_REFS_ONLY = 0x2,
    WALK_GET_CALLER_CLASS = 0x4,
    WALK_SHOW_HIDDEN = 0x20,
    WALK_LIVE_FRAMES = 0x100,
};

typedef struct StackWalk {
    struct StackWalk *outer;
    jobject stream;
    FrameCursor next; // to deliver; at the end behind the oldest frame
    FrameId next_id;
} StackWalk;

static _Thread_local StackWalk *open_walks;

// ---- which frames ----

// StackWalker's own frames: of StackWalker, AbstractStackWalker and its direct subclasses.
static bool is_walker_frame(const Method *m)
{
    const Class *base = CLS(AbstractStackWalker);
    return m->cls == CLS(StackWalker) || m->cls == base || m->cls->super == base;
}

static void set_next(StackWalk *walk, bool found)
{
    walk->next_id = found ? cursor_id(&walk->next) : 0;
}

static void find_first(StackWalk *walk, const Thread *self, jint skip)
{
    FrameCursor *f = &walk->next;
    bool found = cursor_first(f, self);
    while (found && is_walker_frame(f->method))
        found = cursor_older(f);
    for (jint i = 0; found && i < skip; i++)
        found = cursor_older(f);
    set_next(walk, found);
}

static bool is_skipped(const Method *m, jlong mode)
{
    bool show = vm_options.show_hidden_frames
                || ((mode & WALK_SHOW_HIDDEN) && !(mode & WALK_GET_CALLER_CLASS));
    return (m->flags & METHOD_HIDDEN) && !show;
}

// ---- filling the buffer ----

// bci of native methods is 0 here: Java answers -1 for them itself.
static bool fill_frame_info(Thread *self, jobject info, FrameCursor *f)
{
    HANDLE_SCOPE(self);
    Object *raw = deref(info);
    jobject mname =
        raw ? handle_new(self, object_get_ref(raw, OFF(StackFrameInfo, memberName))) : NULL;
    if (!mname) {
        throw_null(self, "java/lang/NullPointerException");
        return false;
    }
    FrameId id = cursor_id(f);
    if (!member_name_init_method(self, mname, f->method, NULL, true))
        return false;
    cursor_renew(f, id);
    object_set_int(deref(info), OFF(StackFrameInfo, bci), MAX_OF(f->bci, 0));
    object_set_int(deref(info), OFF(StackFrameInfo, version),
                   f->method->pool ? (int32_t)f->method->pool->version : 0);
    return true;
}

static bool fill_entry(Thread *self, jobjectArray frames, jint index, FrameCursor *f,
                       jlong mode)
{
    HANDLE_SCOPE(self);
    if (mode & WALK_CLASS_REFS_ONLY) {
        array_set_ref(deref(frames), index, class_mirror(f->method->cls));
        return true;
    }
    jobject info = handle_new(self, array_get_ref(deref(frames), index));
    return fill_frame_info(self, info, f)
           && (!(mode & WALK_LIVE_FRAMES) || live_frame_fill(self, info, f));
}

static bool reject_caller_sensitive(Thread *self, const Method *m)
{
    char *text = method_external_name(m);
    throw_new(self, "java/lang/UnsupportedOperationException",
              "StackWalker::getCallerClass called from @CallerSensitive '%s' method", text);
    vm_free(text);
    return false;
}

// Delivers at most `count` frames from `start` on; *end is the index behind the last one.
static bool fill_batch(Thread *self, StackWalk *walk, jlong mode, jint count, jint start,
                       jobjectArray frames, jint *end)
{
    *end = start;
    FrameCursor *f = &walk->next;
    while (walk->next_id && *end - start < count) {
        cursor_renew(f, walk->next_id);
        if (!is_skipped(f->method, mode)) {
            bool first_caller = (mode & WALK_GET_CALLER_CLASS) && *end == start;
            if (first_caller && (f->method->flags & METHOD_CALLER_SENSITIVE))
                return reject_caller_sensitive(self, f->method);
            if (!fill_entry(self, frames, *end, f, mode))
                return false;
            (*end)++;
        }
        cursor_renew(f, walk->next_id);
        set_next(walk, cursor_older(f));
    }
    return true;
}

// ---- the calls ----

static bool check_request(Thread *self, jint count, jint start, jobjectArray frames)
{
    if (!frames) {
        throw_new(self, "java/lang/NullPointerException", "frames_array is NULL");
        return false;
    }
    if (count < 0 || start < 0 || (int64_t)start + count > array_length(deref(frames))) {
        throw_new(self, "java/lang/IllegalArgumentException", "not enough space in buffers");
        return false;
    }
    return true;
}

static jobject consume(Thread *self, StackWalk *walk, jint skip, jint count, jint start,
                       jint end)
{
    jvalue args[] = {{.l = walk->stream}, {.j = (jlong)(uintptr_t)walk},
                     {.i = skip},         {.i = count},
                     {.i = start},        {.i = end}};
    jvalue result = {0};
    walk->outer = open_walks;
    open_walks = walk;
    bool ok = java_call(self, MTH(AbstractStackWalker, doStackWalk), args, &result);
    open_walks = walk->outer;
    return ok ? result.l : NULL;
}

jobject JNICALL JVM_CallStackWalk(JNIEnv *env, jobject stream, jlong mode, jint skip_frames,
                                  jint frame_count, jint start_index, jobjectArray frames)
{
    IN_VM(env);
    jint end;
    if (!check_request(self, frame_count, start_index, frames))
        return NULL;
    StackWalk walk = {.stream = stream};
    find_first(&walk, self, skip_frames);
    if (!fill_batch(self, &walk, mode, frame_count, start_index, frames, &end))
        return NULL;
    if (end == start_index) {
        throw_new(self, "java/lang/InternalError", "stack walk: decode failed");
        return NULL;
    }
    return consume(self, &walk, skip_frames, frame_count, start_index, end);
}

static StackWalk *find_walk(jlong anchor, jobject stream)
{
    for (StackWalk *w = open_walks; w; w = w->outer)
        if ((jlong)(uintptr_t)w == anchor && deref(w->stream) == deref(stream))
            return w;
    return NULL;
}

jint JNICALL JVM_MoreStackWalk(JNIEnv *env, jobject stream, jlong mode, jlong anchor,
                               jint frame_count, jint start_index, jobjectArray frames)
{
    IN_VM(env);
    jint end = start_index;
    if (!check_request(self, frame_count, start_index, frames))
        return 0;
    StackWalk *walk = find_walk(anchor, stream);
    if (!walk) {
        throw_new(self, "java/lang/InternalError", "doStackWalk: corrupted buffers");
        return 0;
    }
    return fill_batch(self, walk, mode, frame_count, start_index, frames, &end) ? end : 0;
}

// ---- StackFrameInfo to StackTraceElement ----

void JNICALL JVM_InitStackTraceElement(JNIEnv *env, jobject element, jobject info)
{
    IN_VM(env);
    if (!element || !info) {
        throw_null(self, "java/lang/NullPointerException");
        return;
    }
    Object *mname = object_get_ref(deref(info), OFF(StackFrameInfo, memberName));
    Method *m = mname ? member_name_target(mname) : NULL;
    if (!m) {
        throw_new(self, "java/lang/InternalError", "StackFrameInfo without a method");
        return;
    }
    TraceEntry e = {m, object_get_int(deref(info), OFF(StackFrameInfo, bci)),
                    (uint32_t)object_get_int(deref(info), OFF(StackFrameInfo, version))};
    int32_t bci;
    m = trace_find_method(&e, &bci);
    stack_trace_element_fill(self, element, m, bci);
}
