// SPDX-License-Identifier: Apache-2.0
// Where fields live. Instances: the superclass's fields, then longs and doubles, ints and
// floats, shorts and chars, bytes and booleans, then references, each aligned to its size; the
// gap in front of the longs is filled with smaller fields. Fields that the VM adds (VM_INJECT
// of spec/vm_classes.def) take part like declared ones. Statics follow the instance fields of
// java.lang.Class in the mirror, in the same order. Runs before a class is published: needs no
// lock.
#include "class/loader_internal.h"
#include "class/vm_classes.h"

typedef struct Place { // a field to be placed
    uint32_t *offset;
    uint8_t size;
    bool is_ref, placed;
    bool weak; // Reference.referent, discovered: not in the spans
} Place;
typedef VEC(Place) Places;

typedef struct Injected {
    int cls; // index in class_names
    int field;
    char kind;
} Injected;

#define VM_FIELD(cls, field, desc)
#define VM_STATIC(cls, field, desc)
#define VM_METHOD(cls, id, name, desc)
static const char *const class_names[VM_CLASS_COUNT] = {
#define VM_CLASS(id, name) name,
#define VM_INJECT(cls, field, kind)
#include "spec/vm_classes.def"
#undef VM_CLASS
#undef VM_INJECT
};
static const Injected injected[] = {
#define VM_CLASS(id, name)
#define VM_INJECT(cls, field, kind) {C_##cls, F_##cls##_##field, kind},
#include "spec/vm_classes.def"
#undef VM_CLASS
#undef VM_INJECT
};
#undef VM_FIELD
#undef VM_STATIC
#undef VM_METHOD

int layout_kind_size(char kind)
{
    switch (kind) {
    case 'J':
    case 'D': return 8;
    case 'S':
    case 'C': return 2;
    case 'B':
    case 'Z': return 1;
    default: return 4;
    }
}

static bool is_boot_class(const Class *c, const char *name)
{
    return c->loader == loader_boot && strcmp(c->name->s, name) == 0;
}

static bool has_injected(const Class *c)
{
    for (size_t i = 0; i < ARRAY_LEN(injected); i++)
        if (is_boot_class(c, class_names[injected[i].cls]))
            return true;
    return false;
}

// First byte behind the instance fields of c. Those that a redefinition added may lie behind those of a subclass.
static uint32_t fields_end(const Class *c)
{
    uint32_t end = OBJECT_HEADER;
    for (; c; c = c->super) {
        if (has_injected(c))
            return MAX_OF(end, c->layout.instance_size);
        for (uint32_t i = 0; i < class_field_slot_count(c); i++) {
            const Field *f = class_field_in_slot(c, i);
            if (!(f->access & ACC_STATIC))
                end = MAX_OF(end, f->offset + (uint32_t)layout_kind_size(f->kind));
        }
    }
    return end;
}

bool class_instance_fields(const Class *c, uint32_t max, const Field **out, uint32_t *count)
{
    *count = 0;
    for (; c; c = c->super) {
        if (has_injected(c))
            return false;
        FIELD_EACH (f, c) {
            if (f->access & ACC_STATIC)
                continue;
            if (*count == max)
                return false;
            out[(*count)++] = f;
        }
    }
    return true;
}

// ---- placing ----
static bool place_one(Places *p, uint32_t *at, uint8_t size, bool refs)
{
    for (size_t i = 0; i < p->len; i++) {
        Place *f = &p->at[i];
        if (f->placed || f->size != size || f->is_ref != refs)
            continue;
        *f->offset = *at;
        *at += size;
        f->placed = true;
        return true;
    }
    return false;
}

static bool place_in_gap(Places *p, uint32_t *at, uint32_t end)
{
    for (uint8_t size = 4; size; size /= 2)
        if (*at % size == 0 && *at + size <= end && place_one(p, at, size, false))
            return true;
    return *at % 4 == 0 && *at + 4 <= end && place_one(p, at, 4, true);
}

static void fill_gap(Places *p, uint32_t *at, uint32_t end)
{
    while (*at < end)
        if (!place_in_gap(p, at, end))
            ++*at;
}

static uint32_t largest(const Places *p)
{
    uint32_t size = 1;
    for (size_t i = 0; i < p->len; i++)
        size = MAX_OF(size, p->at[i].size);
    return size;
}

// Places all from `at` on; returns the end.
static uint32_t place_all(Places *p, uint32_t at)
{
    fill_gap(p, &at, ALIGN_UP(at, largest(p)));
    for (uint8_t size = 8; size; size /= 2) {
        while (place_one(p, &at, size, false))
            ;
    }
    for (size_t i = 0; i < p->len; i++) {
        if (p->at[i].placed)
            continue;
        at = ALIGN_UP(at, 4u);
        place_one(p, &at, 4, true);
    }
    return at;
}

// ---- spans ----
typedef VEC(RefSpan) Spans;

static void add_span(Spans *spans, uint32_t offset)
{
    size_t i = 0;
    while (i < spans->len && spans->at[i].offset < offset)
        i++;
    if (i && spans->at[i - 1].offset + spans->at[i - 1].count * 4 == offset) {
        spans->at[i - 1].count++;
        return;
    }
    RefSpan one = {offset, 1};
    vec_push(spans, one);
    memmove(&spans->at[i + 1], &spans->at[i], (spans->len - 1 - i) * sizeof one);
    spans->at[i] = one;
}

static void add_places(Spans *spans, const Places *p)
{
    for (size_t i = 0; i < p->len; i++)
        if (p->at[i].is_ref && !p->at[i].weak)
            add_span(spans, *p->at[i].offset);
}

static void push(Places *p, uint32_t *offset, char kind, bool weak)
{
    Place f = {offset, (uint8_t)layout_kind_size(kind), kind_is_reference(kind), false, weak};
    vec_push(p, f);
}

// ---- instances ----
static void collect_instance(Class *c, Places *p)
{
    bool is_reference = is_boot_class(c, "java/lang/ref/Reference");
    FIELD_EACH (f, c) {
        bool weak =
            is_reference
            && (strcmp(f->name->s, "referent") == 0 || strcmp(f->name->s, "discovered") == 0);
        if (!(f->access & ACC_STATIC))
            push(p, &f->offset, f->kind, weak);
    }
    for (size_t i = 0; i < ARRAY_LEN(injected); i++)
        if (is_boot_class(c, class_names[injected[i].cls]))
            push(p, &vm_field_offsets[injected[i].field], injected[i].kind, false);
}

static ReferenceKind kind_of_reference(const Class *c)
{
    static const struct {
        const char *name;
        ReferenceKind kind;
    } kinds[] = {{"java/lang/ref/SoftReference", REFERENCE_SOFT},
                 {"java/lang/ref/WeakReference", REFERENCE_WEAK},
                 {"java/lang/ref/FinalReference", REFERENCE_FINAL},
                 {"java/lang/ref/PhantomReference", REFERENCE_PHANTOM}};
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (is_boot_class(c, kinds[i].name))
            return kinds[i].kind;
    return c->super ? (ReferenceKind)c->super->layout.reference_kind : REFERENCE_NONE;
}

static Shape shape_of(const Class *c)
{
    if (is_boot_class(c, "java/lang/Class"))
        return SHAPE_MIRROR;
    if (is_boot_class(c, "java/lang/ClassLoader"))
        return SHAPE_LOADER;
    if (is_boot_class(c, "java/lang/ref/Reference"))
        return SHAPE_REFERENCE;
    return c->super ? (Shape)c->super->layout.shape : SHAPE_INSTANCE;
}

static bool needs_finalizer(const Class *c)
{
    if (!c->super || class_is_interface(c))
        return false;
    const Method *m = class_declared_method(c, SYM(finalize), SYM(void_sig));
    if (!m || method_is_static(m))
        return c->super->layout.has_finalizer;
    if (!method_has_code(m))
        return true;
    CodeInfo code = method_code(m);
    return !(code.code_len == 1 && code.code[0] == BC_return);
}

void layout_find_finalizer(Class *c)
{
    c->layout.has_finalizer = needs_finalizer(c);
}

void layout_instance(Class *c)
{
    VM_ASSERT(class_state(c) == CLASS_LOADED);
    vm_free((void *)(uintptr_t)c->layout.spans); // lay_out_again
    Places places = {0};
    collect_instance(c, &places);
    uint32_t start = c->super ? fields_end(c->super) : OBJECT_HEADER;
    uint32_t end = places.len ? place_all(&places, start) : start;
    Spans spans = {0};
    for (uint32_t i = 0; c->super && i < c->super->layout.span_count; i++)
        vec_push(&spans, c->super->layout.spans[i]);
    add_places(&spans, &places);
    c->layout.instance_size = ALIGN_UP(end, (uint32_t)OBJECT_ALIGN);
    c->layout.spans = spans.at;
    c->layout.span_count = (uint32_t)spans.len;
    c->layout.shape = (uint8_t)shape_of(c);
    c->layout.reference_kind = (uint8_t)kind_of_reference(c);
    layout_find_finalizer(c);
    vec_free(&places);
}

// ---- statics ----
void layout_statics(Class *c)
{
    Places places = {0};
    FIELD_EACH (f, c)
        if (f->access & ACC_STATIC)
            push(&places, &f->offset, f->kind, false);
    uint32_t base = CLS(Class)->layout.instance_size;
    uint32_t end = places.len ? place_all(&places, base) : base;
    Spans spans = {0};
    add_places(&spans, &places);
    c->layout.static_spans = spans.at;
    c->layout.static_span_count = (uint32_t)spans.len;
    c->layout.mirror_size = ALIGN_UP(end, (uint32_t)OBJECT_ALIGN);
    vec_free(&places);
}

// ---- fields that came by a redefinition ----
void layout_mark_used(const Class *c, bool statics, uint8_t *used)
{
    if (statics || has_injected(c))
        memset(used, 1, (statics ? CLS(Class) : c)->layout.instance_size);
    memset(used, 1, OBJECT_HEADER);
    for (uint32_t i = 0; i < class_field_slot_count(c); i++) {
        const Field *f = class_field_in_slot(c, i);
        if (((f->access & ACC_STATIC) != 0) == statics)
            memset(used + f->offset, 1, (size_t)layout_kind_size(f->kind));
    }
}

// The references of a class's own fields, those of deleted ones too: old code may go on writing to them.
static void add_slots(Spans *spans, const Class *c, bool statics)
{
    for (uint32_t i = 0; i < class_field_slot_count(c); i++) {
        const Field *f = class_field_in_slot(c, i);
        if (((f->access & ACC_STATIC) != 0) == statics && kind_is_reference(f->kind))
            add_span(spans, f->offset);
    }
}

void layout_renew(Class *c)
{
    ASSERT_WORLD_STOPPED();
    VM_ASSERT(c->super && !has_injected(c));
    Spans spans = {0};
    for (uint32_t i = 0; i < c->super->layout.span_count; i++) {
        const RefSpan *s = &c->super->layout.spans[i];
        for (uint32_t k = 0; k < s->count; k++)
            add_span(&spans, s->offset + k * (uint32_t)sizeof(Narrow));
    }
    add_slots(&spans, c, false);
    vm_free((void *)(uintptr_t)c->layout.spans);
    c->layout.spans = spans.at;
    c->layout.span_count = (uint32_t)spans.len;
}

void layout_renew_statics(Class *c)
{
    ASSERT_WORLD_STOPPED();
    Spans spans = {0};
    add_slots(&spans, c, true);
    vm_free((void *)(uintptr_t)c->layout.static_spans);
    c->layout.static_spans = spans.at;
    c->layout.static_span_count = (uint32_t)spans.len;
}
