// SPDX-License-Identifier: Apache-2.0
// See references.h. Most redefinitions take no interface away: then nothing is looked at. A class stays below
// each superclass that it has, so that declared types that are classes hold by themselves.
#include "redefine/references.h"

#include "base/vec.h"
#include "class/class_fill.h"
#include "class/vm_classes.h"
#include "frame/frame_cursor.h"

typedef struct Declared { // a type with an interface below its dimensions that some class loses
    const Field *field;
    const Class *interface;
    int dimensions;
} Declared;

// Of one look, by the one that has stopped the world.
static struct {
    const Restructured *all;
    int count;
    VEC(const Class *) lost; // interfaces that some class will not implement any more
    VEC(Declared) fields;    // of instances
    StrBuf *place;
    bool fits;
} look;

// ---- what will be ----
static bool is_lost(const Class *c)
{
    for (size_t i = 0; i < look.lost.len; i++)
        if (look.lost.at[i] == c)
            return true;
    return false;
}

static void find_lost(void)
{
    for (int i = 0; i < look.count; i++) {
        const Class *c = look.all[i].cls;
        for (uint32_t k = 0; k < c->all_interface_count; k++)
            if (!structure_will_be(look.all, look.count, c, c->all_interfaces[k])
                && !is_lost(c->all_interfaces[k]))
                vec_push(&look.lost, c->all_interfaces[k]);
    }
}

static const Class *element_at(const Class *c, int dimensions)
{
    for (; c && dimensions > 0; dimensions--)
        c = class_is_array(c) ? c->element : NULL;
    return c;
}

static bool stays_of_type(const Object *o, const Class *interface, int dimensions)
{
    const Class *c = element_at(object_class(o), dimensions);
    if (!c || c->kind != 'L') // what arrays implement no class gives or takes
        return true;
    return !class_is_subclass(c, interface)
           || structure_will_be(look.all, look.count, c, interface);
}

static void check(const Object *o, const Class *interface, int dimensions, const char *what,
                  const Class *holder, const char *member)
{
    if (!look.fits || !o || stays_of_type(o, interface, dimensions))
        return;
    char *of = class_external_name(object_class(o)), *type = class_external_name(interface),
         *in = class_external_name(holder);
    sb_printf(look.place, "%s %s%s%s holds an object of %s, which would not be of %s", what, in,
              member ? "." : "", member ? member : "", of, type);
    vm_free(of);
    vm_free(type);
    vm_free(in);
    look.fits = false;
}

// The lost interface that a descriptor names as the loader of c knows it; NULL: none.
static const Class *lost_in(const Class *c, const char *desc, size_t len, int *dimensions)
{
    size_t skip = 0;
    while (skip < len && desc[skip] == '[')
        skip++;
    *dimensions = (int)skip;
    if (skip == len || desc[skip] != 'L')
        return NULL;
    const Symbol *name = symbol_find_n(desc + skip + 1, len - skip - 2);
    for (size_t i = 0; name && i < look.lost.len; i++)
        if (look.lost.at[i]->name == name
            && loader_find_loaded(c->loader, (Symbol *)(uintptr_t)name) == look.lost.at[i])
            return look.lost.at[i];
    return NULL;
}

// ---- fields ----
static void look_at_fields(const Class *c)
{
    FIELD_EACH (f, c) {
        Declared d = {.field = f};
        d.interface = lost_in(c, f->desc->s, f->desc->len, &d.dimensions);
        if (!d.interface)
            continue;
        if (f->access & ACC_STATIC)
            check(object_get_ref(class_mirror(c), f->offset), d.interface, d.dimensions,
                  "static field", c, f->name->s);
        else
            vec_push(&look.fields, d);
    }
}

static void look_at_array(Object *a, const Class *c)
{
    int dimensions = 0;
    const Class *base = c->element;
    for (; class_is_array(base); base = base->element)
        dimensions++;
    for (int32_t i = 0; is_lost(base) && i < array_length(a); i++)
        check(array_get_ref(a, i), base, dimensions, "an element of", c, NULL);
}

static void look_at_object(void *ctx, Object *o)
{
    (void)ctx;
    const Class *c = object_class(o);
    if (class_is_reference_array(c))
        look_at_array(o, c);
    for (size_t i = 0; !class_is_array(c) && i < look.fields.len; i++) {
        const Declared *d = &look.fields.at[i];
        if (class_is_subclass(c, d->field->cls))
            check(object_get_ref(o, d->field->offset), d->interface, d->dimensions, "field",
                  d->field->cls, d->field->name->s);
    }
}

// ---- frames ----
static void look_at_slot(const FrameCursor *c, uint32_t slot, const Class *interface,
                         int dimensions)
{
    if (interface && cursor_slot_kind(c, slot) == SLOT_REF)
        check(cursor_value(c, slot).ref, interface, dimensions, "a frame of", c->method->cls,
              c->method->name->s);
}

static size_t one_type(const char *desc)
{
    size_t len = strspn(desc, "[");
    return desc[len] == 'L' ? (size_t)(strchr(desc, ';') - desc) + 1 : len + 1;
}

static void look_at_frame(const FrameCursor *c)
{
    const Method *m = c->method;
    uint32_t slot = 0;
    if (!method_is_static(m))
        look_at_slot(c, slot++, is_lost(m->cls) ? m->cls : NULL, 0);
    for (const char *p = m->desc->s + 1; *p != ')';) {
        size_t len = one_type(p);
        int dimensions = 0;
        const Class *interface = lost_in(m->cls, p, len, &dimensions);
        look_at_slot(c, slot, interface, dimensions);
        slot += *p == 'J' || *p == 'D' ? 2 : 1;
        p += len;
    }
}

static void look_at_frames(void)
{
    THREAD_EACH(t)
    FRAMES_EACH(c, t)
    {
        if (method_has_code(c.method))
            look_at_frame(&c);
    }
}

bool references_fit(const Restructured *all, int count, StrBuf *place)
{
    ASSERT_WORLD_STOPPED();
    look.all = all;
    look.count = count;
    look.place = place;
    look.fits = true;
    find_lost();
    const Class *top = CLS(Object);
    for (const Class *c = look.lost.len ? top : NULL; c; c = class_next_below(c, top))
        look_at_fields(c);
    if (look.lost.len && look.fits)
        look_at_frames();
    if (look.lost.len && look.fits)
        heap_each_live(look_at_object, NULL);
    vec_free(&look.lost);
    vec_free(&look.fields);
    return look.fits;
}
