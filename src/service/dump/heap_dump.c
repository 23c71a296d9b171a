// SPDX-License-Identifier: Apache-2.0
// See heap_dump.h. Order of the file: names, classes, stacks of the threads, then in segments a
// description of each class, all objects, all roots. An object's id is its address, a class's that
// of its mirror, a name's that of its Symbol.
#include "service/dump/heap_dump.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/output.h"
#include "class/loader.h"
#include "class/vm_classes.h"
#include "frame/frame_cursor.h"
#include "frame/frame_roots.h"
#include "frame/held_monitors.h"
#include "options/options.h"
#include "service/dump/deadlock.h"
#include "service/dump/heap_snapshot.h"
#include "service/dump/hprof_output.h"

enum { // tags of the heap's pieces
    PIECE_ROOT_JNI_GLOBAL = 0x01,
    PIECE_ROOT_JNI_LOCAL = 0x02,
    PIECE_ROOT_JAVA_FRAME = 0x03,
    PIECE_ROOT_STICKY_CLASS = 0x05,
    PIECE_ROOT_MONITOR = 0x07,
    PIECE_ROOT_THREAD = 0x08,
    PIECE_CLASS = 0x20,
    PIECE_INSTANCE = 0x21,
    PIECE_OBJECT_ARRAY = 0x22,
    PIECE_PRIMITIVE_ARRAY = 0x23,
    PIECE_ROOT_UNKNOWN = 0xFF,
};
enum { ID = 8, TAG = 1, U4 = 4, NO_TRACE = 1, FIRST_THREAD_TRACE = 2, LINE_NATIVE = -3 };
// Longer arrays are cut: the length of a record has 32 bits.
#define ARRAY_BYTES_MAX ((uint64_t)UINT32_MAX - 64)

typedef struct Dump {
    HprofOutput out;
    PtrMap names;   // Symbols that are written
    PtrMap serials; // Class * -> its number + 1
    Threads
        threads; // thread i has the serial number i + 1 and the trace FIRST_THREAD_TRACE + i
    uint64_t frames; // ids given so far
    const Symbol
        *resolved_field_name; // name of the fields for what the VM refers to for a class
    VEC(Class *) classes;
    VEC(Object **) globals; // slots of JNI global references
    VEC(Loader *) immortal; // loaders that are never unloaded
    Snapshot snapshot;
    bool begun; // the snapshot
    int error;  // errno: there is no snapshot
} Dump;

// ---- names ----

static void put_name(Dump *d, const Symbol *s)
{
    if (!s || ptrmap_get(&d->names, (uintptr_t)s))
        return;
    ptrmap_put(&d->names, (uintptr_t)s, d);
    hprof_record(&d->out, HPROF_UTF8, ID + (uint32_t)s->len);
    hprof_id(&d->out, s);
    hprof_bytes(&d->out, s->s, s->len);
}

static const Symbol *source_of(const Class *c)
{
    if (!c->cf || !c->cf->source_file)
        return NULL;
    Bytes b = cf_utf8(c->cf, c->cf->source_file);
    return symbol_intern_n((const char *)b.p, b.len);
}

// ---- kinds of values ----

static uint8_t type_of(char kind)
{
    switch (kind) {
    case 'Z': return 4;
    case 'C': return 5;
    case 'F': return 6;
    case 'D': return 7;
    case 'B': return 8;
    case 'S': return 9;
    case 'I': return 10;
    case 'J': return 11;
    default: return 2; // a reference
    }
}

static uint32_t size_of(char kind)
{
    switch (kind) {
    case 'Z':
    case 'B': return 1;
    case 'C':
    case 'S': return 2;
    case 'F':
    case 'I': return 4;
    default: return 8; // references are written as ids
    }
}

static void put_value(Dump *d, const Object *o, const Field *f)
{
    switch (size_of(f->kind)) {
    case 1: hprof_u1(&d->out, (uint8_t)object_get_byte(o, f->offset)); break;
    case 2: hprof_u2(&d->out, object_get_char(o, f->offset)); break;
    case 4: hprof_u4(&d->out, (uint32_t)object_get_int(o, f->offset)); break;
    default:
        if (type_of(f->kind) == type_of('L'))
            hprof_id(&d->out, object_get_ref(o, f->offset));
        else
            hprof_u8(&d->out, (uint64_t)object_get_long(o, f->offset));
    }
}

// ---- classes ----

static void put_load_class(Dump *d, Class *c)
{
    uint32_t serial = (uint32_t)d->classes.len + 1;
    vec_push(&d->classes, c);
    ptrmap_put(&d->serials, (uintptr_t)c, (void *)(uintptr_t)serial);
    put_name(d, c->name);
    FIELD_EACH (f, c)
        put_name(d, f->name);
    hprof_record(&d->out, HPROF_LOAD_CLASS, U4 + ID + U4 + ID);
    hprof_u4(&d->out, serial);
    hprof_id(&d->out, class_mirror(c));
    hprof_u4(&d->out, NO_TRACE);
    hprof_id(&d->out, c->name);
}

static void visit_class(void *ctx, Class *c)
{
    if (class_mirror(c))
        put_load_class(ctx, c);
}

typedef struct FieldTotals {
    uint16_t count;
    uint32_t bytes;
} FieldTotals;

static FieldTotals field_totals(const Class *c, bool of_class)
{
    FieldTotals t = {0};
    FIELD_EACH (f, c) {
        if (((f->access & ACC_STATIC) != 0) != of_class)
            continue;
        t.count++;
        t.bytes += size_of(f->kind);
    }
    return t;
}

static uint32_t instance_bytes(const Class *c)
{
    uint32_t bytes = 0;
    for (; c && !class_is_array(c); c = c->super)
        bytes += field_totals(c, false).bytes;
    return bytes;
}

static void put_class_fields(Dump *d, const Class *c, bool of_class)
{
    FIELD_EACH (f, c) {
        if (((f->access & ACC_STATIC) != 0) != of_class)
            continue;
        hprof_id(&d->out, f->name);
        hprof_u1(&d->out, type_of(f->kind));
        if (of_class)
            put_value(d, class_mirror(c), f);
    }
}

// What the VM refers to for classes that can be unloaded: written as fields of one of them, so that it
// is found through their loader and not as a root. NULL: another class has it, or it is a root.
static ClassLoaderData *loader_data_dumped_with(const Class *c)
{
    ClassLoaderData *u = class_loader_data(c);
    if (u->immortal || class_is_array(c))
        return NULL;
    const Class *first = u == &c->loader->loader_data ? c->loader->defined : c;
    while (first && first != c && (!first->mirror || class_loader_data(first) != u))
        first = first->next_in_loader;
    return first == c ? u : NULL;
}

static void count_loader_data_ref(void *ctx, Object **slot)
{
    uint32_t *count = ctx;
    *count += *slot != NULL;
}

typedef struct LoaderDataRefs {
    Dump *dump;
    uint32_t left;
} LoaderDataRefs;

static void put_loader_data_ref(void *ctx, Object **slot)
{
    LoaderDataRefs *r = ctx;
    if (!*slot || r->left == 0)
        return;
    r->left--;
    hprof_id(&r->dump->out, r->dump->resolved_field_name);
    hprof_u1(&r->dump->out, type_of('L'));
    hprof_id(&r->dump->out, *slot);
}

static void put_class(Dump *d, const Class *c)
{
    Object *mirror = class_mirror(c);
    ClassLoaderData *data = loader_data_dumped_with(c);
    LoaderDataRefs refs = {d, 0};
    if (data)
        loader_data_visit_of(data, OWNER_METADATA, count_loader_data_ref, &refs.left);
    bool has_statics = class_state(c) >= CLASS_LINKED; // else they have no values yet
    FieldTotals statics = has_statics ? field_totals(c, true) : (FieldTotals){0};
    FieldTotals fields = field_totals(c, false);
    refs.left = MIN_OF(refs.left, (uint32_t)UINT16_MAX - statics.count);
    statics.count = (uint16_t)(statics.count + refs.left);
    statics.bytes += refs.left * ID;
    hprof_piece(&d->out, PIECE_CLASS,
                TAG + ID + U4 + 6 * ID + U4 + 3 * 2 + statics.count * (ID + 1u) + statics.bytes
                    + fields.count * (ID + 1u));
    hprof_id(&d->out, mirror);
    hprof_u4(&d->out, NO_TRACE);
    hprof_id(&d->out, c->super && c->super->mirror ? class_mirror(c->super) : NULL);
    hprof_id(&d->out, c->loader ? deref(c->loader->java_loader) : NULL);
    hprof_id(&d->out, object_get_ref(mirror, OFF(Class, signers)));
    hprof_id(&d->out, object_get_ref(mirror, OFF(Class, protection_domain)));
    hprof_id(&d->out, NULL);
    hprof_id(&d->out, NULL);
    hprof_u4(&d->out, instance_bytes(c));
    hprof_u2(&d->out, 0); // constants
    hprof_u2(&d->out, statics.count);
    if (has_statics)
        put_class_fields(d, c, true);
    if (data)
        loader_data_visit_of(data, OWNER_METADATA, put_loader_data_ref, &refs);
    hprof_u2(&d->out, fields.count);
    put_class_fields(d, c, false);
}

// ---- objects ----

static void put_instance(Dump *d, Object *o)
{
    uint32_t bytes = instance_bytes(object_class(o));
    hprof_piece(&d->out, PIECE_INSTANCE, TAG + ID + U4 + ID + U4 + (uint64_t)bytes);
    hprof_id(&d->out, o);
    hprof_u4(&d->out, NO_TRACE);
    hprof_id(&d->out, class_mirror(object_class(o)));
    hprof_u4(&d->out, bytes);
    for (const Class *c = object_class(o); c; c = c->super)
        FIELD_EACH (f, c)
            if (!(f->access & ACC_STATIC))
                put_value(d, o, f);
}

static uint32_t array_head(Dump *d, uint8_t tag, Object *a, uint32_t head, uint32_t elem_bytes)
{
    uint32_t length = (uint32_t)array_length(a);
    if ((uint64_t)length * elem_bytes > ARRAY_BYTES_MAX) {
        length = (uint32_t)(ARRAY_BYTES_MAX / elem_bytes);
        vm_warning("cannot dump array of type %s with length %d; truncating to length %u",
                   object_class(a)->name->s, array_length(a), length);
    }
    hprof_piece(&d->out, tag, head + (uint64_t)length * elem_bytes);
    hprof_id(&d->out, a);
    hprof_u4(&d->out, NO_TRACE);
    hprof_u4(&d->out, length);
    return length;
}

static void put_object_array(Dump *d, Object *a)
{
    uint32_t length = array_head(d, PIECE_OBJECT_ARRAY, a, TAG + ID + U4 + U4 + ID, ID);
    hprof_id(&d->out, class_mirror(object_class(a)));
    for (uint32_t i = 0; i < length; i++)
        hprof_id(&d->out, array_get_ref(a, (int32_t)i));
}

static void put_primitive_array(Dump *d, Object *a)
{
    char kind = object_class(a)->element->kind;
    uint32_t bytes = size_of(kind);
    uint32_t length = array_head(d, PIECE_PRIMITIVE_ARRAY, a, TAG + ID + U4 + U4 + 1, bytes);
    hprof_u1(&d->out, type_of(kind));
    if (bytes == 1) {
        hprof_bytes(&d->out, array_data(a), length);
        return;
    }
    for (uint32_t i = 0; i < length; i++) {
        if (bytes == 2)
            hprof_u2(&d->out, ((uint16_t *)array_data(a))[i]);
        else if (bytes == 4)
            hprof_u4(&d->out, ((uint32_t *)array_data(a))[i]);
        else
            hprof_u8(&d->out, ((uint64_t *)array_data(a))[i]);
    }
}

// The mirror of a class stands for the class itself; those of primitives are plain objects.
static bool is_class_object(const Dump *d, const Object *o)
{
    if (object_layout(o)->shape != SHAPE_MIRROR)
        return false;
    const Class *c = class_of_mirror(o);
    return c && ptrmap_get(&d->serials, (uintptr_t)c) && class_mirror(c) == o;
}

static void put_object(void *ctx, Object *o)
{
    Dump *d = ctx;
    switch ((Shape)object_layout(o)->shape) {
    case SHAPE_REF_ARRAY: put_object_array(d, o); break;
    case SHAPE_PRIM_ARRAY: put_primitive_array(d, o); break;
    default:
        if (!is_class_object(d, o))
            put_instance(d, o);
    }
}

// ---- stacks ----

static void put_frame(void *ctx, const FrameCursor *f)
{
    Dump *d = ctx;
    const Method *m = f->method;
    const Symbol *source = source_of(m->cls);
    put_name(d, m->name);
    put_name(d, m->desc);
    put_name(d, source);
    hprof_record(&d->out, HPROF_FRAME, 4 * ID + 2 * U4);
    hprof_u8(&d->out, ++d->frames);
    hprof_id(&d->out, m->name);
    hprof_id(&d->out, m->desc);
    hprof_id(&d->out, source);
    hprof_u4(&d->out, (uint32_t)(uintptr_t)ptrmap_get(&d->serials, (uintptr_t)m->cls));
    hprof_u4(&d->out, (uint32_t)(method_is_native(m) ? LINE_NATIVE : method_line(m, f->bci)));
}

static void put_trace_head(Dump *d, uint32_t trace, uint32_t thread, uint32_t frames)
{
    hprof_record(&d->out, HPROF_TRACE, 3 * U4 + frames * ID);
    hprof_u4(&d->out, trace);
    hprof_u4(&d->out, thread);
    hprof_u4(&d->out, frames);
}

static void put_traces(Dump *d)
{
    put_trace_head(d, NO_TRACE, 0, 0);
    for (size_t i = 0; i < d->threads.len; i++) {
        uint64_t before = d->frames;
        FrameCursor f = cursor_youngest(d->threads.at[i]);
        frames_trace(&f, UINT32_MAX, NULL, put_frame, d);
        put_trace_head(d, FIRST_THREAD_TRACE + (uint32_t)i, (uint32_t)i + 1,
                       (uint32_t)(d->frames - before));
        for (uint64_t id = before; id < d->frames; id++)
            hprof_u8(&d->out, id + 1);
    }
}

// ---- roots ----

static void put_root(Dump *d, uint8_t tag, const Object *o)
{
    if (!o)
        return;
    hprof_piece(&d->out, tag, TAG + ID);
    hprof_id(&d->out, o);
}

static void add_global(void *ctx, Object **slot)
{
    Dump *d = ctx;
    if (*slot)
        vec_push(&d->globals, slot);
}

static void put_global(Dump *d, Object **slot)
{
    hprof_piece(&d->out, PIECE_ROOT_JNI_GLOBAL, TAG + 2 * ID);
    hprof_id(&d->out, *slot);
    hprof_id(&d->out, slot);
}

typedef struct ThreadRoots {
    Dump *dump;
    uint32_t serial;
} ThreadRoots;

static void put_thread_root(const ThreadRoots *r, uint8_t tag, const Object *o, uint32_t where)
{
    if (!o)
        return;
    HprofOutput *out = &r->dump->out;
    hprof_piece(out, tag, TAG + ID + 2 * U4);
    hprof_id(out, o);
    hprof_u4(out, r->serial);
    hprof_u4(out,
             where); // the frame's number, the youngest 0, no frame -1; a thread object's trace
}

// Without the arguments of native methods, as HotSpot.
static void put_slot(void *ctx, Object **slot, const FrameRoot *root)
{
    const ThreadRoots *r = ctx;
    if (root->kind == FRAME_ROOT_VM)
        put_root(r->dump, PIECE_ROOT_UNKNOWN, *slot);
    else if (root->kind == FRAME_ROOT_HANDLE)
        put_thread_root(r, PIECE_ROOT_JNI_LOCAL, *slot, (uint32_t)root->depth);
    else if (root->kind != FRAME_ROOT_ARGUMENT)
        put_thread_root(r, PIECE_ROOT_JAVA_FRAME, *slot, (uint32_t)root->depth);
}

static void put_monitor(void *ctx, const HeldMonitor *m)
{
    put_root(ctx, PIECE_ROOT_MONITOR, m->object);
}

static void put_thread_roots(Dump *d, Thread *t, uint32_t serial)
{
    ThreadRoots r = {d, serial};
    put_thread_root(&r, PIECE_ROOT_THREAD, deref(t->java_thread),
                    serial - 1 + FIRST_THREAD_TRACE);
    frames_visit_roots(t, put_slot, &r);
    frames_visit_handles(t, put_slot, &r);
    thread_monitors_each(t, put_monitor, d);
}

// What classes that are never unloaded refer to; they themselves are other roots.
static void put_immortal_ref(void *ctx, Object **slot)
{
    if (*slot && !is_class_object(ctx, *slot))
        put_root(ctx, PIECE_ROOT_UNKNOWN, *slot);
}

static void add_immortal(void *ctx, Loader *l)
{
    Dump *d = ctx;
    if (l->loader_data.immortal)
        vec_push(&d->immortal, l);
}

static void put_class_root(Dump *d, const Class *c)
{
    bool sticky = !c->loader || c->loader->is_boot;
    if (class_loader_data(c)->immortal)
        put_root(d, sticky ? PIECE_ROOT_STICKY_CLASS : PIECE_ROOT_UNKNOWN, class_mirror(c));
}

static void put_roots(Dump *d)
{
    for (size_t i = 0; i < d->threads.len; i++)
        put_thread_roots(d, d->threads.at[i], (uint32_t)i + 1);
    for (size_t i = 0; i < d->globals.len; i++)
        put_global(d, d->globals.at[i]);
    for (size_t i = 0; i < d->immortal.len; i++)
        loader_data_visit_of(&d->immortal.at[i]->loader_data, OWNER_METADATA, put_immortal_ref,
                             d);
    for (size_t i = 0; i < d->classes.len; i++)
        put_class_root(d, d->classes.at[i]);
}

// ---- the whole ----

// All that comes before the heap's part, and what else is found under locks. False: there is no room in the heap for what compiled code has not
// made, as the dump says.
static bool put_head(Dump *d)
{
    ASSERT_WORLD_STOPPED();
    if (!frames_settle()) {
        d->error = ENOMEM;
        return false;
    }
    static const char magic[] = "JAVA PROFILE 1.0.2";
    d->threads = threads_with_java();
    globals_visit(add_global, d);
    loaders_each(add_immortal, d);
    hprof_bytes(&d->out, magic, sizeof magic);
    hprof_u4(&d->out, ID);
    hprof_u8(&d->out, (uint64_t)os_wall_millis());
    d->resolved_field_name = symbol_intern("<resolved_references>");
    put_name(d, d->resolved_field_name);
    classes_each(visit_class, d);
    put_traces(d);
    return true;
}

static void put_heap(Dump *d)
{
    for (size_t i = 0; i < d->classes.len; i++)
        put_class(d, d->classes.at[i]);
    heap_each_object(put_object, d);
    put_roots(d);
    hprof_end_heap(&d->out);
}

static void put_all(void *ctx)
{
    if (put_head(ctx))
        put_heap(ctx);
}

// In the snapshot's process.
static void finish_snapshot(void *ctx, SnapshotEnd *end)
{
    Dump *d = ctx;
    hprof_release(&d->out);
    put_heap(d);
    (void)!hprof_close(&d->out);
    end->error = d->out.error;
    end->bytes = d->out.written;
}

static void begin_snapshot(void *ctx)
{
    Dump *d = ctx;
    hprof_hold(&d->out); // a reader may be slow, or stand still with the world
    if (!put_head(d))
        return;
    hprof_flush(&d->out);
    d->begun = snapshot_begin(&d->snapshot, d->out.fd, finish_snapshot, d);
    if (!d->begun)
        d->error = errno;
}

static void dump_free(Dump *d)
{
    ptrmap_free(&d->names);
    ptrmap_free(&d->serials);
    vec_free(&d->classes);
    vec_free(&d->globals);
    vec_free(&d->immortal);
    vec_free(&d->threads);
}

static double seconds_since(int64_t nanos)
{
    return (double)(os_nanos() - nanos) / 1e9;
}

// Does it in a stopped world; `live`: behind a collection, where one is possible.
static MAY_GC void do_stopped(Thread *self, Dump *d, bool live, void (*work)(void *ctx))
{
    if (live && heap_collect_then(self, GC_HEAP_DUMP, work, d))
        return;
    world_stop(self);
    work(d);
    world_resume(self);
}

static const char *why_not_begun(int error)
{
    return error == ENOMEM
               ? "no memory for the process that is to write it"
               : "the system refuses the process that is to write it (fork); a dump without "
                 "-snapshot needs none";
}

// Returns what heap_dump_write_as does.
static const char *write_snapshot(Thread *self, Dump *d, const HeapDumpOptions *options,
                                  HeapDumpResult *result)
{
    snapshot_prepare(self);
    int64_t start = os_nanos();
    do_stopped(self, d, options->live, begin_snapshot);
    result->stopped = seconds_since(start);
    SnapshotEnd end = {0};
    const char *why = d->begun ? snapshot_await(self, &d->snapshot, options->copied_most, &end)
                               : why_not_begun(d->error);
    bool closed = hprof_close(&d->out);
    result->bytes = end.bytes;
    result->seconds = seconds_since(start);
    int error = d->error ? d->error : end.error ? end.error : closed ? 0 : d->out.error;
    return why ? why : error ? strerror(error) : NULL;
}

static const char *write_stopped(Thread *self, Dump *d, const HeapDumpOptions *options,
                                 HeapDumpResult *result)
{
    int64_t start = os_nanos();
    do_stopped(self, d, options->live, put_all);
    bool closed = hprof_close(&d->out);
    result->bytes = d->out.written;
    result->seconds = seconds_since(start);
    if (d->error)
        return "no room in the heap for the objects that compiled code has not made yet";
    return closed ? NULL : strerror(d->out.error);
}

const char *heap_dump_write_as(Thread *self, const HeapDumpOptions *options,
                               HeapDumpResult *result)
{
    ASSERT_MAY_GC(self);
    Dump d = {.frames = 0};
    const char *why;
    if (!hprof_open(&d.out, &options->to, &why))
        return why ? why : strerror(d.out.error);
    result->created = true;
    why = options->snapshot ? write_snapshot(self, &d, options, result)
                            : write_stopped(self, &d, options, result);
    dump_free(&d);
    return why;
}

const char *heap_dump_write(Thread *self, const char *path, bool live)
{
    ASSERT_MAY_GC(self);
    HeapDumpResult unused = {0};
    const HeapDumpOptions options = {
        .to = {.path = path}, .live = live, .snapshot = vm_options.heap_dump_snapshot};
    return heap_dump_write_as(self, &options, &unused);
}

void heap_dump_describe(const char *path, const char *error, const HeapDumpResult *result,
                        StrBuf *out)
{
    if (!error)
        sb_printf(out, "Heap dump file created [%llu bytes in %.3f secs]\n",
                  (unsigned long long)result->bytes, result->seconds);
    else if (!result->created)
        sb_printf(out, "Unable to create %s: %s\n", path, error);
    else
        sb_printf(out, "Dump file is incomplete: %s\n", error);
    if (result->stopped > 0)
        sb_printf(out, "The program stood still for %.3f secs\n", result->stopped);
}

// ---- dumps that flags ask for ----

// vm_free it. The first dump of a path that names a file goes to that file, later ones beside it.
static char *flag_path(void)
{
    static _Atomic int count;
    const char *given = options_now(vm_options.heap_dump_path),
               *suffix = options_now(vm_options.heap_dump_gzip) ? ".gz" : "";
    struct stat st;
    bool folder = !given || !*given || (stat(given, &st) == 0 && S_ISDIR(st.st_mode));
    const char *slash = given && *given && given[strlen(given) - 1] != '/' ? "/" : "";
    char *base = folder ? vm_asprintf("%s%sjava_pid%d.hprof%s", given ? given : "", slash,
                                      (int)getpid(), suffix)
                        : vm_strdup(given);
    int n = atomic_fetch_add(&count, 1);
    if (n == 0)
        return base;
    char *numbered = vm_asprintf("%s.%d", base, n);
    vm_free(base);
    return numbered;
}

void heap_dump_by_flag(Thread *self)
{
    ASSERT_MAY_GC(self);
    char *path = flag_path();
    HeapDumpResult result = {0};
    fprintf(vm_stdout(), "Dumping heap to %s ...\n", path);
    fflush(vm_stdout());
    int gzip = options_now(vm_options.heap_dump_gzip);
    const HeapDumpOptions options = {
        .to = {.path = path, .packing = gzip ? HPROF_GZIP : HPROF_PLAIN, .level = gzip},
        .snapshot = vm_options.heap_dump_snapshot};
    const char *error = heap_dump_write_as(self, &options, &result);
    StrBuf text = {0};
    heap_dump_describe(path, error, &result, &text);
    fputs(text.s, vm_stdout());
    sb_free(&text);
    fflush(vm_stdout());
    vm_free(path);
}
