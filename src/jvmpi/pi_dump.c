// SPDX-License-Identifier: Apache-2.0
// Heap and object dumps: the record of each object at each level, and the events.
#include "jvmpi/pi_dump.h"

#include "base/vec.h"
#include "class/vm_classes.h"
#include "frame/frame_cursor.h"
#include "link/resolve.h"

// ---- bytes ----
static char *reserve(PiBytes *b, size_t more)
{
    while (b->cap - b->len < more) {
        b->cap = b->cap ? b->cap * 2 : 1 << 16;
        b->at = vm_realloc(b->at, b->cap);
    }
    char *p = b->at + b->len;
    b->len += more;
    return p;
}

void pi_put(PiBytes *b, int size, uint64_t value)
{
    char *p = reserve(b, (size_t)size);
    for (int i = size; i-- > 0; value >>= 8)
        p[i] = (char)value;
}

void pi_put_pointer(PiBytes *b, const void *p)
{
    memcpy(reserve(b, sizeof p), &p, sizeof p);
}

// ---- values ----
static int size_of_kind(char kind)
{
    switch (kind) {
    case 'Z':
    case 'B': return 1;
    case 'C':
    case 'S': return 2;
    case 'I':
    case 'F': return 4;
    default: return 8;
    }
}

static uint64_t bits_at(const Object *o, size_t offset, int size)
{
    switch (size) {
    case 1: return (uint8_t)object_get_byte(o, offset);
    case 2: return object_get_char(o, offset);
    case 4: return (uint32_t)object_get_int(o, offset);
    default: return (uint64_t)object_get_long(o, offset);
    }
}

// A field or element; level 1 leaves out what is no reference.
static void put_value(PiBytes *b, const Object *o, size_t offset, char kind, jint level)
{
    if (kind_is_reference(kind))
        pi_put_pointer(b, object_get_ref(o, offset));
    else if (level == JVMPI_DUMP_LEVEL_2)
        pi_put(b, size_of_kind(kind), bits_at(o, offset, size_of_kind(kind)));
}

static void put_fields(PiBytes *b, const Object *o, const Class *c, bool is_static, jint level)
{
    FIELD_EACH (f, c)
        if (!(f->access & ACC_STATIC) != is_static)
            put_value(b, o, f->offset, f->kind, level);
}

// ---- records ----
static void put_constants(PiBytes *b, const Class *c)
{
    size_t count_at = b->len;
    uint16_t count = 0;
    pi_put(b, 2, 0);
    for (uint32_t i = 1; c->cf && i < c->cf->cp_count; i++) {
        const Object *o = constant_object(c, i);
        if (!o)
            continue;
        count++;
        pi_put(b, 2, i);
        pi_put_u1(b, JVMPI_CLASS);
        pi_put_pointer(b, o);
    }
    b->at[count_at] = (char)(count >> 8);
    b->at[count_at + 1] = (char)count;
}

static void put_class(PiBytes *b, const Object *mirror, jint level)
{
    const Class *c = class_of_mirror(mirror);
    pi_put_u1(b, JVMPI_GC_CLASS_DUMP);
    pi_put_pointer(b, mirror);
    pi_put_pointer(b, c->super ? class_mirror(c->super) : NULL);
    pi_put_pointer(b, c->loader ? deref(c->loader->java_loader) : NULL);
    pi_put_pointer(b, object_get_ref(mirror, OFF(Class, signers)));
    pi_put_pointer(b, object_get_ref(mirror, OFF(Class, protection_domain)));
    pi_put_pointer(b, object_get_ref(mirror, OFF(Class, name)));
    pi_put_pointer(b, NULL);
    pi_put_u4(b, c->layout.instance_size);
    for (int i = 0; i < c->interface_count; i++)
        pi_put_pointer(b, class_mirror(c->interfaces[i]));
    put_constants(b, c);
    put_fields(b, mirror, c, true, level);
}

static void put_instance(PiBytes *b, const Object *o, jint level)
{
    const Class *c = object_class(o);
    pi_put_u1(b, JVMPI_GC_INSTANCE_DUMP);
    pi_put_pointer(b, o);
    pi_put_pointer(b, class_mirror(c));
    size_t size_at = b->len;
    pi_put_u4(b, 0);
    for (; c; c = c->super)
        put_fields(b, o, c, false, level);
    uint32_t size = (uint32_t)(b->len - size_at - 4);
    for (int i = 4; i-- > 0; size >>= 8)
        b->at[size_at + (size_t)i] = (char)size;
}

static void put_array(PiBytes *b, const Object *o, jint level)
{
    char kind = object_class(o)->element->kind;
    bool refs = class_is_reference_array(object_class(o));
    uint32_t length = (uint32_t)array_length(o);
    pi_put_u1(b, refs ? JVMPI_GC_OBJ_ARRAY_DUMP : JVMPI_GC_PRIM_ARRAY_DUMP);
    pi_put_pointer(b, o);
    pi_put_u4(b, length);
    if (refs)
        pi_put_pointer(b, class_mirror(object_class(o)->element));
    else
        pi_put_u1(b, pi_type_of_kind(kind));
    size_t step = (size_t)1 << object_layout(o)->elem_shift;
    for (uint32_t i = 0; i < length; i++)
        put_value(b, o, ARRAY_BASE + i * step, kind, level);
}

void pi_dump_object(PiBytes *b, const Object *o, jint level)
{
    if (object_class(o) == CLS(Class))
        put_class(b, o, level);
    else if (class_is_array(object_class(o)))
        put_array(b, o, level);
    else
        put_instance(b, o, level);
}

// ---- traces ----
static JVMPI_CallTrace trace_of(Thread *t)
{
    jint depth = frames_count(t, INT32_MAX);
    JVMPI_CallTrace trace = {.env_id = jni_env(t),
                             .frames = vm_calloc((size_t)depth + 1, sizeof *trace.frames)};
    trace.num_frames = pi_trace(t, trace.frames, depth);
    return trace;
}

PiTraces pi_traces_take(void)
{
    VEC(JVMPI_CallTrace) traces = {0};
    VEC(jint) status = {0};
    THREAD_EACH(t)
    {
        if (t->hidden)
            continue;
        vec_push(&traces, trace_of(t));
        vec_push(&status, pi_thread_status(t));
    }
    return (PiTraces){traces.at, status.at, (jint)traces.len};
}

void pi_traces_free(PiTraces *t)
{
    for (jint i = 0; i < t->count; i++)
        vm_free(t->at[i].frames);
    vm_free(t->at);
    vm_free(t->status);
}

// ---- the events ----
typedef struct HeapDump {
    PiBytes bytes;
    jint level;
} HeapDump;

static void dump_one(void *ctx, Object *o)
{
    HeapDump *d = ctx;
    if (d->level != JVMPI_DUMP_LEVEL_0) {
        // a class that another thread is about to report: without its event nobody can read the record
        if (object_class(o) == CLS(Class) && !pi_class_is_known(class_of_mirror(o)))
            return;
        pi_dump_object(&d->bytes, o, d->level);
        return;
    }
    pi_put_u1(&d->bytes, pi_type_of(o));
    pi_put_pointer(&d->bytes, o);
}

// False: there is no room in the heap for what compiled code has not made.
static bool dump_heap(Thread *self, HeapDump *d, PiTraces *traces)
{
    *traces = (PiTraces){0};
    world_stop(self);
    if (!frames_settle()) {
        world_resume(self);
        return false;
    }
    if (d->level != JVMPI_DUMP_LEVEL_0) {
        pi_dump_roots(&d->bytes);
        *traces = pi_traces_take();
    }
    heap_each_live(dump_one, d);
    world_resume(self);
    return true;
}

// Nothing moves: agents that have switched all events off, at the end, still know the IDs.
bool pi_request_heap_dump(Thread *self, PiAgent *agent, void *arg)
{
    ASSERT_MAY_GC(self);
    const JVMPI_HeapDumpArg *how = arg;
    HeapDump d = {.level = how ? how->heap_dump_level : JVMPI_DUMP_LEVEL_2};
    if (d.level < JVMPI_DUMP_LEVEL_0 || d.level > JVMPI_DUMP_LEVEL_2 || world_is_stopped())
        return false;
    pi_begin_gc_off(self);
    PiTraces traces;
    if (!dump_heap(self, &d, &traces)) {
        heap_critical_exit();
        return false;
    }
    JVMPI_Event e = {.event_type = JVMPI_EVENT_HEAP_DUMP,
                     .u.heap_dump = {d.level, d.bytes.at, d.bytes.at + d.bytes.len,
                                     traces.count, traces.at}};
    pi_send_gc_off(self, agent, &e);
    pi_traces_free(&traces);
    vm_free(d.bytes.at);
    return true;
}

bool pi_request_object_dump(Thread *self, PiAgent *agent, void *arg)
{
    ASSERT_MAY_GC(self);
    pi_begin_gc_off(self);
    const Object *o = pi_object(arg);
    if (!o) {
        heap_critical_exit();
        return false;
    }
    PiBytes b = {0};
    pi_dump_object(&b, o, JVMPI_DUMP_LEVEL_2);
    pi_send_gc_off(self, agent,
                   &(JVMPI_Event){.event_type = JVMPI_EVENT_OBJECT_DUMP,
                                  .u.object_dump = {(jint)b.len, b.at}});
    vm_free(b.at);
    return true;
}
