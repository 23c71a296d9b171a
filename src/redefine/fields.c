// SPDX-License-Identifier: Apache-2.0
// See fields.h. One plan at a time: it is made and carried out in one stop of the world.
#include "redefine/fields.h"

#include "base/vec.h"
#include "class/class_fill.h"
#include "class/former_supers.h"
#include "class/metadata.h"
#include "class/vm_classes.h"

typedef struct PlannedField {
    const FieldInfo *info;
    Symbol *name, *desc;
    const Class *
        type; // that values must have, below the dimensions of an array; NULL: a primitive one, or no class is loaded
    Field *field; // that is there, or was; NULL: it is new
    Field *
        source; // of another type, or of a superclass that goes, which has its value; NULL: none
    uint32_t offset;       // 0: not chosen yet
    bool is_static, comes; // it was not there, or not any more
} PlannedField;

typedef struct PlannedClass {
    Class *cls;
    const Restructured *to;
    PlannedField *fields; // in the order of the class file
    uint32_t count;
    VEC(Field *) goes;
    bool changes[2]; // whether instance fields, and statics, come or go
    bool
        gained; // a superclass that others get, which is not redefined itself: its instance fields come for them
} PlannedClass;

static VEC(PlannedClass) plan;
static const Restructured *structure; // what it is made for
static int structure_count;

static char kind_of(const PlannedField *f)
{
    return f->desc->s[0];
}
static uint32_t size_of(const PlannedField *f)
{
    return (uint32_t)layout_kind_size(kind_of(f));
}
static bool field_is_static(const Field *f)
{
    return (f->access & ACC_STATIC) != 0;
}

// ---- which come and go ----
static Field *find_slot(const Class *c, const PlannedField *p)
{
    for (uint32_t i = 0; i < class_field_slot_count(c); i++) {
        Field *f = class_field_in_slot(c, i);
        if (f->name == p->name && f->desc == p->desc && field_is_static(f) == p->is_static)
            return f;
    }
    return NULL;
}

static bool is_kept(const PlannedClass *k, const Field *f)
{
    for (uint32_t i = 0; i < k->count; i++)
        if (k->fields[i].field == f)
            return true;
    return false;
}

static Field *find_instance_field(const Class *c, const Symbol *name, const Symbol *desc)
{
    FIELD_EACH (f, c)
        if (f->name == name && (!desc || f->desc == desc) && !field_is_static(f))
            return f;
    return NULL;
}

static bool was_below(const Class *c, const Class *s)
{
    return structure_was_below(structure, structure_count, c, s);
}

// An instance field that c has lost with a superclass, the nearest one; any type: desc NULL.
static Field *find_lost_above(const Class *c, const Symbol *name, const Symbol *desc)
{
    Field *found = NULL;
    for (int i = 0; i < structure_count; i++)
        for (const Class *s = NULL; (s = structure_next_lost(&structure[i], s));) {
            if (!was_below(c, s) || class_is_subclass(c, s))
                continue;
            Field *f = find_instance_field(s, name, desc);
            if (f && (!found || was_below(s, found->cls)))
                found = f;
        }
    return found;
}

static Field *find_source(const PlannedClass *k, const PlannedField *p)
{
    FIELD_EACH (f, k->cls)
        if (f->name == p->name && field_is_static(f) == p->is_static && !is_kept(k, f))
            return f;
    return p->is_static ? NULL : find_lost_above(k->cls, p->name, NULL);
}

// The class that a descriptor names, as the loader of c knows it; NULL: no object can be an instance of it.
static const Class *named_type(const Class *c, const Symbol *desc)
{
    const char *p = desc->s + strspn(desc->s, "[");
    if (*p != 'L')
        return NULL;
    Symbol *name = symbol_intern_n(p + 1, strlen(p) - 2);
    const Class *type = loader_find_loaded(c->loader, name);
    return !type && strncmp(name->s, "java/", 5) == 0 ? loader_find_loaded(loader_boot, name)
                                                      : type;
}

static void plan_field(const PlannedClass *k, PlannedField *p, const FieldInfo *info)
{
    p->info = info;
    p->name = class_utf8_symbol(k->to->to, info->name);
    p->desc = class_utf8_symbol(k->to->to, info->descriptor);
    p->is_static = (info->access & ACC_STATIC) != 0;
    p->type = named_type(k->cls, p->desc);
    p->field = find_slot(k->cls, p);
    p->comes = !p->field || p->field->deleted;
    p->offset = p->field ? p->field->offset : 0;
}

// False: there would be more fields than slots.
static bool plan_class(PlannedClass *k)
{
    const ClassFile *cf = k->to->to;
    k->count = cf->field_count;
    k->fields = vm_calloc(k->count + 1, sizeof *k->fields);
    for (uint32_t i = 0; i < k->count; i++)
        plan_field(k, &k->fields[i], &cf->fields[i]);
    for (uint32_t i = 0; i < k->count; i++) {
        PlannedField *p = &k->fields[i];
        p->source = p->comes ? find_source(k, p) : NULL;
        k->changes[p->is_static] |= p->comes;
    }
    FIELD_EACH (f, k->cls)
        if (!is_kept(k, f)) {
            vec_push(&k->goes, f);
            k->changes[field_is_static(f)] = true;
        }
    return class_field_slot_count(k->cls) + k->count <= UINT16_MAX;
}

// ---- superclasses that come ----
// The places of c's own fields, and of those that it had from former superclasses.
static void mark_own(const Class *c, uint8_t *used)
{
    layout_mark_used(c, false, used);
    for (uint32_t i = 0; i < c->former_super_count; i++)
        layout_mark_used(c->former_supers[i], false, used);
}

static void mark_up_to(const Class *c, const Class *top, uint8_t *used)
{
    for (; c != top; c = c->super)
        mark_own(c, used);
}

// How many bytes the places of c's instances take, and of those below it, that other classes have in them, too.
static uint32_t bytes_of(const Class *c)
{
    uint32_t bytes = 0;
    WITH_PLACES_EACH(x, c)
    for (const Class *s = x; s; s = s->super) {
        bytes = MAX_OF(bytes, s->layout.instance_size);
        for (uint32_t i = 0; i < s->former_super_count; i++)
            bytes = MAX_OF(bytes, s->former_supers[i]->layout.instance_size);
    }
    return bytes;
}

// Whether a field of a superclass that c has got is where c, or a class below it, has one of its own.
static bool is_in_the_way(const Field *f, const Class *c)
{
    uint32_t size = (uint32_t)layout_kind_size(f->kind);
    uint32_t bytes = MAX_OF(bytes_of(c), f->offset + size);
    uint8_t *used = vm_calloc(bytes, 1);
    WITH_PLACES_EACH(x, c)
    mark_up_to(x, class_is_subclass(x, c) ? c->super : NULL, used);
    bool is = false;
    for (uint32_t i = f->offset; i < f->offset + size; i++)
        is |= used[i];
    vm_free(used);
    return is;
}

static bool has_instance_fields(const Class *s, const ClassFile *cf)
{
    bool has = false;
    for (uint32_t i = 0; i < class_field_slot_count(s); i++)
        has |= !field_is_static(class_field_in_slot(s, i));
    for (uint32_t i = 0; i < cf->field_count; i++)
        has |= !(cf->fields[i].access & ACC_STATIC);
    return has;
}

// A field moves out of the way of those of a new subclass unless code may know its place.
static bool is_fixed(const Field *f)
{
    return atomic_load(&f->offset_told) || f->cls->was_super || class_is_known_to_vm(f->cls);
}

static char *reason_of_field(const Restructured *r, const Class *s)
{
    for (uint32_t i = 0; i < class_field_slot_count(s); i++) {
        const Field *f = class_field_in_slot(s, i);
        if (!field_is_static(f) && is_fixed(f) && is_in_the_way(f, r->cls))
            return vm_asprintf("has the field %s where that class has one, and cannot move it:"
                               " some handle, Unsafe or the VM knows its place",
                               f->name->s);
    }
    return NULL;
}

// Allocated; NULL: there is none.
static char *reason_against(const Restructured *all, int count, const Restructured *r,
                            const Class *s)
{
    if (s->layout.shape != r->cls->layout.shape
        || s->layout.reference_kind != r->cls->layout.reference_kind)
        return vm_strdup("is known to the VM");
    for (int i = 0; i < count; i++)
        if (all[i].cls == s && has_instance_fields(s, all[i].to))
            return vm_strdup("has fields and is redefined in the same call");
    if (r->cls->was_super && has_instance_fields(s, s->cf))
        return vm_strdup("has fields, and classes were below that class once");
    return reason_of_field(r, s);
}

static void tell_reason(StrBuf *reason, const Restructured *r, const Class *s, const char *how,
                        char *why)
{
    char *of = class_external_name(r->cls), *super = class_external_name(s);
    sb_printf(reason, "superclass %s, which %s would %s, %s", super, of, how, why);
    vm_free(of);
    vm_free(super);
    vm_free(why);
}

static bool can_change_supers(const Restructured *all, int count, const Restructured *r,
                              StrBuf *reason)
{
    for (const Class *s = NULL; (s = structure_next_lost(r, s));)
        if (class_is_known_to_vm(s)) {
            tell_reason(reason, r, s, "lose", vm_strdup("is known to the VM"));
            return false;
        }
    for (const Class *s = NULL; (s = structure_next_gained(r, s));) {
        char *why = reason_against(all, count, r, s);
        if (!why)
            continue;
        tell_reason(reason, r, s, "get", why);
        return false;
    }
    return true;
}

bool fields_can_change_supers(const Restructured *all, int count, StrBuf *reason)
{
    ASSERT_WORLD_STOPPED();
    for (int i = 0; i < count; i++)
        if (!can_change_supers(all, count, &all[i], reason))
            return false;
    return true;
}

static bool is_in_some_way(const Class *s, const Field *f)
{
    for (int i = 0; i < structure_count; i++)
        if (structure_gainer(&structure[i], 1, structure[i].cls, s)
            && is_in_the_way(f, structure[i].cls))
            return true;
    return false;
}

// All fields, those too that were deleted: old code may go on using their places.
static void plan_gained(Class *s)
{
    uint32_t slots = class_field_slot_count(s);
    PlannedClass k = {.cls = s, .gained = true, .changes = {[false] = true}};
    k.fields = vm_calloc(slots + 1u, sizeof *k.fields);
    for (uint32_t i = 0; i < slots; i++) {
        Field *f = class_field_in_slot(s, i);
        if (field_is_static(f))
            continue;
        k.fields[k.count++] = (PlannedField){.info = f->info,
                                             .name = f->name,
                                             .desc = f->desc,
                                             .type = named_type(s, f->desc),
                                             .field = f,
                                             .offset = is_in_some_way(s, f) ? 0 : f->offset,
                                             .comes = true};
    }
    vec_push(&plan, k);
}

static bool is_planned(const Class *c)
{
    for (size_t i = 0; i < plan.len; i++)
        if (plan.at[i].cls == c)
            return true;
    return false;
}

static void plan_all_gained(void)
{
    for (int i = 0; i < structure_count; i++) {
        const Restructured *r = &structure[i];
        for (Class *s = NULL; (s = structure_next_gained(r, s));)
            if (!is_planned(s))
                plan_gained(s);
    }
}

// ---- places ----
// Whether some objects have places for the fields of both.
static bool share_objects(const Class *a, const Class *b)
{
    if (class_is_subclass(a, b) || class_is_subclass(b, a))
        return true;
    bool share = false;
    if (a->was_super || b->was_super)
        WITH_PLACES_EACH(x, a)
    share |= class_has_places_of(x, b);
    return share;
}

static void mark_planned(const Class *c, bool is_static, uint8_t *used)
{
    for (size_t i = 0; i < plan.len; i++) {
        const PlannedClass *k = &plan.at[i];
        if (is_static ? k->cls != c : !share_objects(k->cls, c))
            continue;
        for (uint32_t f = 0; f < k->count; f++)
            if (k->fields[f].is_static == is_static && k->fields[f].offset)
                memset(used + k->fields[f].offset, 1, size_of(&k->fields[f]));
    }
}

static void mark_used(const Class *c, bool is_static, uint8_t *used)
{
    if (is_static)
        layout_mark_used(c, true, used);
    else {
        mark_up_to(c, NULL, used);
        WITH_PLACES_EACH(x, c)
        mark_up_to(x, class_is_subclass(x, c) ? c : NULL, used);
    }
    mark_planned(c, is_static, used);
}

// More bytes than any object has that has places for c's fields, with all fields of the plan.
static size_t bytes_at_most(const Class *c)
{
    size_t bytes = MAX_OF(bytes_of(c), c->layout.mirror_size);
    for (size_t i = 0; i < plan.len; i++)
        bytes += 2 * sizeof(int64_t) * (plan.at[i].count + 1);
    return bytes;
}

static bool is_free(const uint8_t *used, uint32_t at, uint32_t size)
{
    while (size && !used[at])
        at++, size--;
    return size == 0;
}

static void choose_place(const Class *c, PlannedField *p)
{
    uint8_t *used = vm_calloc(bytes_at_most(c), 1);
    mark_used(c, p->is_static, used);
    uint32_t size = size_of(p), at = 0;
    while (!is_free(used, at, size))
        at += size;
    p->offset = at;
    vm_free(used);
    VM_ASSERT(at >= OBJECT_HEADER && at % size == 0);
}

static void choose_places(const PlannedClass *k)
{
    for (uint32_t i = 0; i < k->count; i++)
        if (!k->fields[i].offset)
            choose_place(k->cls, &k->fields[i]);
}

// ---- sizes ----
static uint32_t planned_end(const PlannedClass *k, bool is_static)
{
    uint32_t end = 0;
    for (uint32_t i = 0; i < k->count; i++)
        if (k->fields[i].is_static == is_static)
            end = MAX_OF(end, k->fields[i].offset + size_of(&k->fields[i]));
    return ALIGN_UP(end, (uint32_t)OBJECT_ALIGN);
}

// Whether objects that do not grow have to be changed: a field that is new finds zeros.
static bool needs_conversion(const PlannedClass *k)
{
    for (uint32_t i = 0; i < k->count; i++) {
        const PlannedField *p = &k->fields[i];
        if (!p->is_static && p->comes && (p->field || p->source))
            return true;
    }
    for (size_t i = 0; i < k->goes.len; i++)
        if (!field_is_static(k->goes.at[i]))
            return true;
    return false;
}

// Of instances of `top`, and of classes that have its fields, too.
static void choose_instance_sizes(const Class *top, uint32_t end, bool converts)
{
    WITH_PLACES_EACH(c, top)
    {
        Layout *l = &c->layout;
        if (converts || end > l->instance_size)
            l->next_size = MAX_OF(l->next_size, MAX_OF(end, l->instance_size));
    }
}

static bool has_moved(const PlannedField *p)
{
    return p->field && p->offset != p->field->offset;
}

static bool has_moving(const PlannedClass *k)
{
    for (uint32_t i = 0; i < k->count; i++)
        if (has_moved(&k->fields[i]))
            return true;
    return false;
}

static void choose_sizes(const PlannedClass *k)
{
    Class *top = k->cls;
    uint32_t end = planned_end(k, false);
    for (int i = 0; k->gained && i < structure_count; i++)
        if (structure_gainer(&structure[i], 1, structure[i].cls, top))
            choose_instance_sizes(structure[i].cls, end, true);
    if (k->gained ? has_moving(k) : k->changes[false])
        choose_instance_sizes(top, end, k->gained || needs_conversion(k));
    if (k->changes[true])
        top->layout.next_mirror_size = MAX_OF(planned_end(k, true), top->layout.mirror_size);
}

// Fields of superclasses that go are cleared.
static void choose_sizes_of_losers(void)
{
    for (int i = 0; i < structure_count; i++)
        if (structure_next_lost(&structure[i], NULL))
            choose_instance_sizes(structure[i].cls, 0, true);
}

static bool objects_change(void)
{
    bool changes = false;
    for (int i = 0; i < structure_count; i++)
        changes |= structure[i].old_super != NULL;
    for (size_t i = 0; i < plan.len; i++)
        changes |= plan.at[i].cls->layout.next_mirror_size || plan.at[i].changes[false];
    return changes;
}

bool fields_plan(const Restructured *all, int count)
{
    ASSERT_WORLD_STOPPED();
    VM_ASSERT(!plan.len);
    bool fits = true;
    structure = all;
    structure_count = count;
    for (int i = 0; i < count; i++) {
        PlannedClass k = {.cls = all[i].cls, .to = &all[i]};
        fits &= plan_class(&k);
        vec_push(&plan, k);
    }
    plan_all_gained();
    for (size_t i = 0; i < plan.len; i++)
        choose_places(&plan.at[i]);
    for (size_t i = 0; i < plan.len; i++)
        choose_sizes(&plan.at[i]);
    choose_sizes_of_losers();
    fits = fits && (!objects_change() || heap_migration_fits());
    if (!fits)
        fields_forget();
    return fits;
}

static void forget_sizes(Class *top)
{
    top->layout.next_mirror_size = 0;
    WITH_PLACES_EACH(c, top)
    c->layout.next_size = 0;
}

void fields_forget(void)
{
    ASSERT_WORLD_STOPPED();
    for (size_t i = 0; i < plan.len; i++) {
        forget_sizes(plan.at[i].cls);
        vm_free(plan.at[i].fields);
        vec_free(&plan.at[i].goes);
    }
    vec_free(&plan);
}

// ---- values ----
static double number_of(const Object *o, const Field *f, int64_t *integer)
{
    switch (f->kind) {
    case 'B': *integer = object_get_byte(o, f->offset); break;
    case 'S': *integer = object_get_short(o, f->offset); break;
    case 'C': *integer = object_get_char(o, f->offset); break;
    case 'I': *integer = object_get_int(o, f->offset); break;
    case 'J': *integer = object_get_long(o, f->offset); break;
    default: return (double)object_get_float(o, f->offset);
    }
    return (double)*integer;
}

static void copy_value(const Object *from, const Field *source, Object *to,
                       const PlannedField *p)
{
    switch (source->kind) {
    case 'L':
    case '[': object_set_ref(to, p->offset, object_get_ref(from, source->offset)); break;
    default:
        memcpy(object_at(to, p->offset), object_at((Object *)(uintptr_t)from, source->offset),
               size_of(p));
    }
}

// Whether a value may be assigned to a wider type (JLS 5.1.2).
static bool is_wider(char from, char to)
{
    static const char order[] = "BSIJFD";
    const char *a = strchr(order, from == 'C' ? 'S' : from), *b = strchr(order, to);
    return a && b && a < b;
}

static void widen(const Object *from, const Field *source, Object *to, const PlannedField *p)
{
    int64_t integer = 0;
    double number = number_of(from, source, &integer);
    switch (kind_of(p)) {
    case 'S': object_set_short(to, p->offset, (int16_t)integer); break;
    case 'I': object_set_int(to, p->offset, (int32_t)integer); break;
    case 'J': object_set_long(to, p->offset, integer); break;
    case 'F':
        object_set_float(to, p->offset, source->kind == 'J' ? (float)integer : (float)number);
        break;
    default: object_set_double(to, p->offset, number);
    }
}

static bool is_assignable(const Object *value, const PlannedField *p)
{
    const Class *c = object_class(value);
    const char *desc = p->desc->s;
    for (; *desc == '['; desc++) {
        if (!class_is_array(c))
            return false;
        c = c->element;
    }
    if (*desc != 'L')
        return c->kind == *desc;
    return p->type && !class_is_primitive(c) && class_is_subclass(c, p->type);
}

static void take_value(const Object *from, Object *to, const PlannedField *p)
{
    const Field *source = p->source;
    bool is_ref = kind_is_reference(kind_of(p));
    if (!source || kind_is_reference(source->kind) != is_ref)
        return;
    if (!is_ref) {
        if (source->kind == kind_of(p))
            copy_value(from, source, to, p);
        else if (is_wider(source->kind, kind_of(p)))
            widen(from, source, to, p);
        return;
    }
    Object *value = object_get_ref(from, source->offset);
    if (value && is_assignable(value, p))
        object_set_ref(to, p->offset, value);
}

static void clear(Object *o, uint32_t offset, char kind)
{
    memset(object_at(o, offset), 0, (size_t)layout_kind_size(kind));
}

static void take_values(const PlannedClass *k, bool is_static, const Object *from, Object *to)
{
    for (uint32_t i = 0; i < k->count; i++) {
        const PlannedField *p = &k->fields[i];
        if (!p->comes || p->is_static != is_static)
            continue;
        clear(to, p->offset, kind_of(p));
        take_value(from, to, p);
    }
}

static void clear_what_goes(const PlannedClass *k, bool is_static, Object *o)
{
    for (size_t i = 0; i < k->goes.len; i++)
        if (field_is_static(k->goes.at[i]) == is_static)
            clear(o, k->goes.at[i]->offset, k->goes.at[i]->kind);
}

// The field that the plan takes from class c, by name and type.
static const Field *find_lost(const Class *c, const PlannedField *p)
{
    for (size_t i = 0; i < plan.len; i++)
        for (size_t n = 0; plan.at[i].cls == c && n < plan.at[i].goes.len; n++) {
            const Field *f = plan.at[i].goes.at[n];
            if (f->name == p->name && f->desc == p->desc && !field_is_static(f))
                return f;
        }
    return NULL;
}

// An object of a class that gets a superclass: a field that moved up there has the value that it had.
static void convert_gained(const PlannedClass *k, const Class *c, const Object *from,
                           Object *to)
{
    const Restructured *r = structure_gainer(structure, structure_count, c, k->cls);
    for (uint32_t i = 0; r && i < k->count; i++) {
        const PlannedField *p = &k->fields[i];
        const Field *lost = find_lost(r->cls, p);
        if (!lost)
            lost = find_lost_above(r->cls, p->name, p->desc);
        clear(to, p->offset, kind_of(p));
        if (lost && was_below(c, lost->cls))
            copy_value(from, lost, to, p);
    }
}

// An object that had these fields before: some move out of the way of those of other objects.
static void convert_moving(const PlannedClass *k, const Object *from, Object *to)
{
    for (uint32_t i = 0; i < k->count; i++) {
        const PlannedField *p = &k->fields[i];
        if (!has_moved(p))
            continue;
        copy_value(from, p->field, to, p);
        clear(to, p->field->offset, p->field->kind);
    }
}

static void convert_super(const PlannedClass *k, const Class *c, const Object *from, Object *to)
{
    if (structure_gainer(structure, structure_count, c, k->cls))
        convert_gained(k, c, from, to);
    else if (class_is_subclass(c, k->cls))
        convert_moving(k, from, to);
}

static void clear_instance_fields(const Class *s, Object *o)
{
    for (uint32_t i = 0; i < class_field_slot_count(s); i++) {
        const Field *f = class_field_in_slot(s, i);
        if (!field_is_static(f))
            clear(o, f->offset, f->kind);
    }
}

static void clear_lost(const Class *c, Object *o)
{
    for (int i = 0; i < structure_count; i++)
        for (const Class *s = NULL; (s = structure_next_lost(&structure[i], s));)
            if (was_below(c, s) && !class_is_subclass(c, s))
                clear_instance_fields(s, o);
}

static bool has_fields_of(const PlannedClass *k, const Class *c, const Class *of)
{
    return !k->gained && (of ? of == k->cls : class_is_subclass(c, k->cls));
}

// What has a value to give may be `to` itself: what goes is cleared last.
static void convert(Object *from, Object *to)
{
    const Class *c = object_class(to);
    const Class *of = c->layout.shape == SHAPE_MIRROR ? class_of_mirror(from) : NULL;
    for (size_t i = 0; i < plan.len; i++) {
        const PlannedClass *k = &plan.at[i];
        if (!of && k->gained)
            convert_super(k, c, from, to);
        if (has_fields_of(k, c, of))
            take_values(k, of != NULL, from, to);
    }
    for (size_t i = 0; i < plan.len; i++)
        if (has_fields_of(&plan.at[i], c, of))
            clear_what_goes(&plan.at[i], of != NULL, to);
    if (!of)
        clear_lost(c, to);
}

// ---- carrying it out ----
static Field *make_field(Class *c, const PlannedField *p, uint32_t slot)
{
    Field *f = vm_calloc(1, sizeof *f);
    f->cls = c;
    f->name = p->name;
    f->desc = p->desc;
    f->offset = p->offset;
    f->slot = (uint16_t)slot;
    f->kind = kind_of(p);
    metadata_count(c, sizeof *f + 2 * sizeof(Field *));
    return f;
}

static void set_version(Field *f, const PlannedField *p)
{
    const Class *c = f->cls;
    bool is_final = (p->info->access & ACC_FINAL) != 0;
    if (f->info
        && f->access != p->info->access) // it may have been written to when it was not final
        atomic_store(&f->final_changes, true);
    f->info = p->info;
    f->access = p->info->access;
    f->deleted = false;
    f->trusted_final = is_final && (field_is_static(f) || c->hidden || c->is_record);
}

static FieldSlots *slots_of(Class *c)
{
    if (c->field_slots)
        return c->field_slots;
    FieldSlots *s = vm_calloc(1, sizeof *s);
    s->first_count = s->count = c->field_count;
    s->at = vm_calloc(s->count + 1u, sizeof *s->at);
    for (uint32_t i = 0; i < s->count; i++)
        s->at[i] = &c->fields[i];
    return s;
}

static void replace_fields(PlannedClass *k)
{
    Class *c = k->cls;
    FieldSlots *s = slots_of(c);
    s->at = vm_realloc(s->at, (s->count + k->count + 1) * sizeof *s->at);
    s->current = vm_realloc(s->current, (k->count + 1) * sizeof *s->current);
    for (size_t i = 0; i < k->goes.len; i++) {
        k->goes.at[i]->deleted = true;
        k->goes.at[i]->info = NULL;
    }
    for (uint32_t i = 0; i < k->count; i++) {
        PlannedField *p = &k->fields[i];
        if (!p->field) {
            p->field = make_field(c, p, s->count);
            s->at[s->count++] = p->field;
        }
        set_version(p->field, p);
        s->current[i] = p->field;
    }
    c->field_slots = s;
    c->field_count = (uint16_t)k->count;
}

static void change_sizes(Class *top, uint32_t least)
{
    WITH_PLACES_EACH(c, top)
    {
        Layout *l = &c->layout;
        l->instance_size = MAX_OF(MAX_OF(l->instance_size, l->next_size), least);
        layout_renew(c);
    }
}

static void move_fields(const PlannedClass *k)
{
    if (!has_moving(k))
        return;
    for (uint32_t i = 0; i < k->count; i++) {
        VM_ASSERT(!has_moved(&k->fields[i]) || !is_fixed(k->fields[i].field));
        k->fields[i].field->offset = k->fields[i].offset;
    }
    change_sizes(k->cls, planned_end(k, false));
}

#ifdef PELLUCID_DEBUG
enum { PLACE_TAKEN = 1, PLACE_REFERENCE = 2 };

static void claim_places(const Class *s, uint8_t *used)
{
    for (uint32_t i = 0; i < class_field_slot_count(s); i++) {
        const Field *f = class_field_in_slot(s, i);
        if (field_is_static(f))
            continue;
        for (uint32_t at = f->offset; at < f->offset + (uint32_t)layout_kind_size(f->kind);
             at++) {
            VM_ASSERT(!used[at]);
            used[at] = PLACE_TAKEN;
        }
        if (kind_is_reference(f->kind))
            used[f->offset] |= PLACE_REFERENCE;
    }
}

static void check_spans(const Class *c, uint8_t *used, uint32_t bytes)
{
    for (uint32_t i = 0; i < c->layout.span_count; i++)
        for (uint32_t k = 0; k < c->layout.spans[i].count; k++) {
            uint32_t at = c->layout.spans[i].offset + k * (uint32_t)sizeof(Narrow);
            VM_ASSERT(at < c->layout.instance_size && used[at] != PLACE_TAKEN);
            used[at] = PLACE_TAKEN;
        }
    for (uint32_t at = 0; at < bytes; at++)
        VM_ASSERT(!(used[at] & PLACE_REFERENCE));
}

// No two fields of c's instances have places in common, of superclasses that are there and that were; the collector knows all that are
// references.
static void check_places(const Class *c)
{
    uint32_t bytes = bytes_of(c);
    uint8_t *used = vm_calloc(bytes, 1);
    for (const Class *s = c; s; s = s->super)
        claim_places(s, used);
    for (uint32_t i = 0; i < c->former_super_count; i++)
        claim_places(c->former_supers[i], used);
    check_spans(c, used, bytes);
    vm_free(used);
}

static void check_all_places(void)
{
    for (size_t i = 0; i < plan.len; i++)
        WITH_PLACES_EACH(c, plan.at[i].cls)
    check_places(c);
}
#endif

static void change_layouts(void)
{
    for (size_t i = 0; i < plan.len; i++)
        if (!plan.at[i].gained)
            replace_fields(&plan.at[i]);
    for (size_t i = plan.len; i-- > 0;) // the uppermost of those that others get first
        if (plan.at[i].gained)
            move_fields(&plan.at[i]);
    for (int i = 0; i < structure_count; i++)
        if (structure[i].old_super)
            change_sizes(structure[i].cls, 0);
    for (size_t i = 0; i < plan.len; i++) {
        Class *c = plan.at[i].cls;
        if (!plan.at[i].gained && plan.at[i].changes[false])
            change_sizes(c, 0);
        if (!plan.at[i].changes[true])
            continue;
        c->layout.mirror_size = MAX_OF(c->layout.mirror_size, c->layout.next_mirror_size);
        layout_renew_statics(c);
    }
#ifdef PELLUCID_DEBUG
    check_all_places();
#endif
}

static void set_constants(const PlannedClass *k)
{
    for (uint32_t i = 0; i < k->count; i++) {
        const PlannedField *p = &k->fields[i];
        if (p->comes && p->is_static && p->info->constant_value)
            mirror_set_constant(k->cls, k->to->to, p->field, k->to->strings[i]);
    }
}

void fields_replace(Thread *self)
{
    ASSERT_WORLD_STOPPED();
    static const HeapMigration migration = {convert, change_layouts};
    if (objects_change())
        heap_migrate(self, &migration);
    else
        change_layouts();
    for (size_t i = 0; i < plan.len; i++)
        if (!plan.at[i].gained)
            set_constants(&plan.at[i]);
    fields_forget();
}
