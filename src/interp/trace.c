// SPDX-License-Identifier: Apache-2.0
// See trace.h. A line a place that is come to, its fields separated by tabs:
//
//   thread  class.method(descriptor)  bci  line  l0=5 l2=1ff o0=java.lang.String#8f3c...
//
// l are locals, o operands, numbers in hexadecimal. Which slots there are follows from the method and bci alone, whatever the engine knows: those
// that have one kind on all ways. A reference is its class and a hash of contents that do not move: of arrays of primitive kinds,
// of strings and boxes, of the primitive fields of classes that the boot loader has not defined.
// Lock: trace_lock (RANK_COMPILE), a leaf: the file, and the table of places.
#include "interp/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/log.h"
#include "class/loader.h"
#include "class/unload.h"
#include "class/vm_classes.h"
#include "frame/frame_cursor.h"
#include "interp/interp.h"
#include "java/shutdown.h"
#include "options/compile_command.h"
#include "options/options.h"

static Mutex trace_lock = MUTEX_INIT(RANK_COMPILE);
static FILE *file; // NULL: nothing is traced

bool trace_is_on(void)
{
    return file != NULL;
}

// ---- places ----

typedef struct Places { // of a method
    struct Places *next;
    const uint8_t *code; // of the body that they are of
    uint8_t *at;         // by bci
} Places;

enum { BUCKETS = 1024 };
static Places *buckets[BUCKETS];

// A call, a return, or where a branch leads back to.
static void mark(Places *p, const CodeInfo *code, const Instruction *in)
{
    bool branches = in->info->flags & BCF_BRANCH && in->offset <= 0;
    if (in->op >= BC_invokevirtual && in->op <= BC_invokedynamic)
        p->at[in->bci] = 1;
    if (in->op >= BC_ireturn && in->op <= BC_return)
        p->at[in->bci] = 1;
    if (branches)
        p->at[(int32_t)in->bci + in->offset] = 1;
    if (in->op != BC_tableswitch && in->op != BC_lookupswitch)
        return;
    SwitchOperands s = switch_read(code->code, in->bci);
    for (uint32_t i = 0; i < s.count; i++)
        if (switch_offset(&s, i) <= 0)
            p->at[(int32_t)in->bci + switch_offset(&s, i)] = 1;
    if (s.other <= 0)
        p->at[(int32_t)in->bci + s.other] = 1;
}

static Places *places_new(const CodeInfo *code)
{
    Places *p = vm_calloc(1, sizeof *p);
    Instruction in;
    p->code = code->code;
    p->at = vm_calloc(code->code_len, 1);
    for (uint32_t bci = 0; instruction_read(code->code, code->code_len, bci, &in);
         bci += in.length)
        mark(p, code, &in);
    return p;
}

static const Places *places_of(const Method *m)
{
    CodeInfo code = method_code(m);
    Places **bucket = &buckets[((uintptr_t)code.code >> 3) % BUCKETS];
    attempt_pause(); // the compiler asks, too: the table stays
    mutex_lock(&trace_lock);
    Places *p = *bucket;
    while (p && p->code != code.code)
        p = p->next;
    if (!p) {
        p = places_new(&code);
        p->next = *bucket;
        *bucket = p;
    }
    mutex_unlock(&trace_lock);
    attempt_resume();
    return p;
}

// Classes are unloaded: their bytecodes' addresses may be others'.
static void forget(Class *dead)
{
    if (dead)
        return;
    for (size_t i = 0; i < BUCKETS; i++)
        for (Places *p = buckets[i], *next; p; p = next) {
            next = p->next;
            vm_free(p->at);
            vm_free(p);
        }
    memset(buckets, 0, sizeof buckets);
}

static bool is_wanted(const Method *m)
{
    CompileSubject s = {m->cls->name->s, m->name->s, m->desc->s};
    if (m->flags & (METHOD_HAS_JSR | METHOD_OVERPASS) || m->cls->hidden || !method_has_code(m))
        return false;
    if (!compile_command_is_given("log"))
        return m->cls->loader != loader_boot;
    const char *said = compile_command_value("log", &s);
    return said && strcmp(said, "true") == 0;
}

bool trace_wants(const Method *m, uint32_t bci)
{
    return file && is_wanted(m) && places_of(m)->at[bci];
}

// ---- values ----

#define HASH_BEGINS 0xcbf29ce484222325u // FNV-1a

static uint64_t add_hash(uint64_t h, const void *bytes, size_t count)
{
    const uint8_t *p = bytes;
    for (size_t i = 0; i < count; i++)
        h = (h ^ p[i]) * 0x100000001b3u;
    return h;
}

static uint64_t hash_array(uint64_t h, const Object *o, const Class *c)
{
    enum { MOST = 256 };
    int32_t length = array_length(o);
    h = add_hash(h, &length, sizeof length);
    if (kind_is_reference(c->name->s[1]))
        return h;
    size_t bytes = (size_t)length << c->layout.elem_shift;
    return add_hash(h, array_data(o), MIN_OF(bytes, MOST));
}

static uint64_t hash_object(uint64_t h, const Object *o, bool deep);

static uint64_t hash_field(uint64_t h, const Object *o, const Field *f, bool deep)
{
    enum { MOST = sizeof(uint64_t) };
    static const char sizes[] = "Z1B1C2S2I4J8F4D8";
    const char *size = strchr(sizes, f->kind);
    if (!size) // of references those of a string
        return deep ? hash_object(h, object_get_ref(o, f->offset), false) : h;
    uint8_t bytes[MOST];
    size_t count = (size_t)(size[1] - '0');
    memcpy(bytes, (const char *)o + f->offset, count);
    return add_hash(h, bytes, count);
}

// Of a class of the JDK only what a string or a box holds: the others have hashes, times and counts.
static uint64_t hash_object(uint64_t h, const Object *o, bool deep)
{
    if (!o)
        return h;
    const Class *c = object_class(o);
    if (c->kind == '[')
        return hash_array(h, o, c);
    for (; c; c = c->super)
        FIELD_EACH (f, c) {
            bool is_value = strcmp(f->name->s, "value") == 0;
            if (f->access & ACC_STATIC || (c->loader == loader_boot && !is_value))
                continue;
            h = hash_field(h, o, f, deep && is_value);
        }
    return h;
}

static void add_reference(StrBuf *out, const Object *o)
{
    if (!o) {
        sb_add(out, "null");
        return;
    }
    char *name = class_external_name(object_class(o));
    sb_printf(out, "%.*s#%" PRIx64, (int)strcspn(name, "/"), name,
              hash_object(HASH_BEGINS, o, true));
    vm_free(name);
}

static void add_slot(StrBuf *out, const FrameCursor *c, uint32_t slot, SlotKind kind,
                     uint32_t locals)
{
    bool is_local = slot < locals;
    Slot value = cursor_value(c, slot);
    sb_printf(out, " %c%u=", is_local ? 'l' : 'o', is_local ? slot : slot - locals);
    if (kind == SLOT_REF)
        add_reference(out, value.ref);
    else if (kind == SLOT_WIDE)
        sb_printf(out, "%" PRIx64, (uint64_t)value.l);
    else
        sb_printf(out, "%x", (uint32_t)value.i);
}

// What there is before the instruction, by the bytecodes alone.
static void add_slots(StrBuf *out, const FrameCursor *c)
{
    Frame place = {.method = c->method, .pc = method_insn_at(c->method, (uint32_t)c->bci)};
    FrameMap map = interp_frame_maps.map_of(&place);
    for (uint32_t i = 0; map.kinds && i < map.locals + map.depth; i++) {
        SlotKind kind = (SlotKind)map.kinds[i];
        if (kind != SLOT_UNSET && kind != SLOT_RETURN)
            add_slot(out, c, i, kind, map.locals);
        i += kind == SLOT_WIDE;
    }
}

// ---- lines ----

static int64_t thread_number(const Thread *self)
{
    const Object *o = self->java_thread ? deref(self->java_thread) : NULL;
    return o ? object_get_long(o, OFF(Thread, tid)) : 0;
}

void trace_youngest(Thread *self)
{
    FrameCursor c = cursor_youngest(self);
    if (!c.method || c.bci < 0 || !trace_wants(c.method, (uint32_t)c.bci))
        return;
    cursor_settle(&c);
    StrBuf line = {0};
    char *class_name = class_external_name(c.method->cls);
    sb_printf(&line, "%" PRId64 "\t%s.%s%s\t%d\t%d\t", thread_number(self), class_name,
              c.method->name->s, c.method->desc->s, c.bci, method_line(c.method, c.bci));
    vm_free(class_name);
    add_slots(&line, &c);
    sb_putc(&line, '\n');
    mutex_lock(&trace_lock);
    fputs(line.s, file);
    mutex_unlock(&trace_lock);
    sb_free(&line);
}

static void end(Thread *self)
{
    (void)self;
    mutex_lock(&trace_lock);
    errno = 0;
    if (fflush(file) != 0 || ferror(file))
        vm_warning("JitTrace: %s: %s; the trace is not whole", vm_options.jit_trace,
                   strerror(errno));
    mutex_unlock(&trace_lock);
}

void trace_init(void)
{
    if (!vm_options.jit_trace)
        return;
    file = fopen(vm_options.jit_trace, "we");
    if (!file) {
        vm_warning("JitTrace: %s: %s", vm_options.jit_trace, strerror(errno));
        return;
    }
    unload_add_hook(forget);
    shutdown_add(end);
}
