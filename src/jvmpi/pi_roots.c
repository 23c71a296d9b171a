// SPDX-License-Identifier: Apache-2.0
// The roots of a heap dump: references of native code, the VM's own, classes of the boot loader,
// threads with their stacks and monitors.
#include "frame/frame_cursor.h"
#include "frame/frame_roots.h"
#include "frame/held_monitors.h"
#include "jvmpi/pi_dump.h"

enum { NO_FRAME = -1 };

static void put_root(PiBytes *b, int kind, const Object *o)
{
    pi_put_u1(b, kind);
    pi_put_pointer(b, o);
}

static void put_thread_root(PiBytes *b, int kind, const Object *o, Thread *t, int frame)
{
    put_root(b, kind, o);
    pi_put_pointer(b, jni_env(t));
    pi_put_u4(b, (uint32_t)frame);
}

// ---- globals ----
static void put_jni_global(void *ctx, Object **slot)
{
    put_root(ctx, JVMPI_GC_ROOT_JNI_GLOBAL, *slot);
    pi_put_pointer(ctx, (const char *)slot + HANDLE_GLOBAL);
}

static void put_own_global(void *ctx, Object **slot)
{
    put_root(ctx, JVMPI_GC_ROOT_UNKNOWN, *slot);
}

// A class that is never unloaded, and its arrays.
static void put_sticky(PiBytes *b, const Class *c)
{
    for (; c && c->mirror; c = atomic_load(&c->array_class))
        put_root(b, JVMPI_GC_ROOT_STICKY_CLASS, class_mirror(c));
}

// Classes of other loaders live by these.
static void put_boot_classes(PiBytes *b)
{
    for (const Class *c = loader_boot->defined; c; c = c->next_in_loader)
        put_sticky(b, c);
    for (const char *kind = "ZCFDBSIJV"; *kind; kind++)
        put_sticky(b, class_primitive(*kind));
}

// ---- stacks ----
typedef struct StackRoots {
    PiBytes *bytes;
    Thread *thread;
} StackRoots;

static void put_slot(void *ctx, Object **slot, const FrameRoot *root)
{
    const StackRoots *s = ctx;
    if (!*slot)
        return;
    int kind =
        root->kind == FRAME_ROOT_ARGUMENT ? JVMPI_GC_ROOT_JNI_LOCAL : JVMPI_GC_ROOT_JAVA_FRAME;
    put_thread_root(s->bytes, kind, *slot, s->thread, root->depth);
}

static void put_handle(void *ctx, Object **slot)
{
    const StackRoots *s = ctx;
    int frame = cursor_youngest(s->thread).method ? 0 : NO_FRAME;
    put_thread_root(s->bytes, JVMPI_GC_ROOT_JNI_LOCAL, *slot, s->thread, frame);
}

static void put_monitor(void *ctx, const HeldMonitor *m)
{
    put_root(ctx, JVMPI_GC_ROOT_MONITOR_USED, m->object);
}

static void put_thread(PiBytes *b, Thread *t)
{
    StackRoots s = {b, t};
    if (t->java_thread) {
        put_root(b, JVMPI_GC_ROOT_THREAD_BLOCK, deref(t->java_thread));
        pi_put_pointer(b, jni_env(t));
    }
    frames_visit_roots(t, put_slot, &s);
    handle_stack_visit(&t->mutator.handles, put_handle, &s);
    if (t->exception)
        put_root(b, JVMPI_GC_ROOT_UNKNOWN, t->exception);
    thread_monitors_each(t, put_monitor, b);
}

void pi_dump_roots(PiBytes *b)
{
    globals_visit_jni(put_jni_global, b);
    globals_visit_own(put_own_global, b);
    put_boot_classes(b);
    THREAD_EACH(t)
    if (!t->hidden)
        put_thread(b, t);
}
