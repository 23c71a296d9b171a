// SPDX-License-Identifier: Apache-2.0
// See fields.h. One plan at a time: it is made and carried out in one stop of the world.
#include "redefine/fields.h"

#include "base/vec.h"
#include "class/class_fill.h"
#include "class/metadata.h"
#include "class/vm_classes.h"

typedef struct PlannedField {
    const FieldInfo *info;
    Symbol *name, *desc;
    const Class *
        type; // that values must have, below the dimensions of an array; NULL: a primitive one, or no class is loaded
    Field *field;          // that is there, or was; NULL: it is new
    Field *source;         // of another type, which has its value; NULL: none
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

static Field *find_source(const PlannedClass *k, const PlannedField *p)
{
    FIELD_EACH (f, k->cls)
        if (f->name == p->name && field_is_static(f) == p->is_static && !is_kept(k, f))
            return f;
    return NULL;
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
// Fields of a class that nobody has used yet may move.
static bool may_move(const Class *s)
{
    return class_state(s) == CLASS_LOADED || class_state(s) == CLASS_LINKED;
}

// Whether a place of s's own from `from` to below `to` is one that c, or a class below it, uses, too.
static bool overlaps(const Class *s, const Class *c, uint32_t from, uint32_t to)
{
    uint32_t bytes = s->layout.instance_size;
    bool found = false;
    for (const Class *b = c; b; b = class_next_below(b, c))
        bytes = MAX_OF(bytes, b->layout.instance_size);
    uint8_t *own = vm_calloc(bytes, 1), *used = vm_calloc(bytes, 1);
    layout_mark_used(s, false, own);
    for (const Class *b = c; b; b = class_next_below(b, c))
        layout_mark_used(b, false, used);
    for (uint32_t i = MAX_OF(from, (uint32_t)OBJECT_HEADER); i < MIN_OF(to, bytes); i++)
        found |= own[i] && used[i];
    vm_free(own);
    vm_free(used);
    return found;
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

// Old code may go on using their places.
static bool has_deleted_fields(const Class *s)
{
    for (uint32_t i = 0; i < class_field_slot_count(s); i++) {
        const Field *f = class_field_in_slot(s, i);
        if (f->deleted && !field_is_static(f))
            return true;
    }
    return false;
}

static const char *reason_against(const Restructured *all, int count, const Restructured *r,
                                  const Class *s)
{
    if (s->layout.shape != r->cls->layout.shape
        || s->layout.reference_kind != r->cls->layout.reference_kind)
        return "is known to the VM";
    for (int i = 0; i < count; i++)
        if (all[i].cls == s && has_instance_fields(s, all[i].to))
            return "has fields and is redefined in the same call";
    if (has_deleted_fields(s))
        return "had fields once, which a redefinition has taken away";
    if (!may_move(s) && overlaps(s, r->cls, 0, s->layout.instance_size))
        return "is in use already, and has its fields where that class has some";
    return NULL;
}

bool fields_can_be_gained(const Restructured *all, int count, StrBuf *reason)
{
    ASSERT_WORLD_STOPPED();
    for (int i = 0; i < count; i++) {
        const Restructured *r = &all[i];
        const Class *s = r->old_super ? r->super : NULL;
        for (; s && s != r->old_super; s = s->super) {
            const char *why = reason_against(all, count, r, s);
            if (!why)
                continue;
            char *of = class_external_name(r->cls), *super = class_external_name(s);
            sb_printf(reason, "superclass %s, which %s would get, %s", super, of, why);
            vm_free(of);
            vm_free(super);
            return false;
        }
    }
    return true;
}

static bool is_in_the_way(const Class *s, const Field *field)
{
    uint32_t end = field->offset + (uint32_t)layout_kind_size(field->kind);
    for (int i = 0; i < structure_count; i++)
        if (structure_gainer(&structure[i], 1, structure[i].cls, s)
            && overlaps(s, structure[i].cls, field->offset, end))
            return true;
    return false;
}

static void plan_gained(Class *s)
{
    PlannedClass k = {.cls = s, .gained = true, .changes = {[false] = true}};
    k.fields = vm_calloc(s->field_count + 1u, sizeof *k.fields);
    FIELD_EACH (f, s) {
        if (field_is_static(f))
            continue;
        k.fields[k.count++] = (PlannedField){.info = f->info,
                                             .name = f->name,
                                             .desc = f->desc,
                                             .type = named_type(s, f->desc),
                                             .field = f,
                                             .offset = is_in_the_way(s, f) ? 0 : f->offset,
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
        for (Class *s = r->old_super ? r->super : NULL; s && s != r->old_super; s = s->super)
            if (!is_planned(s))
                plan_gained(s);
    }
}

// ---- places ----
static bool are_related(const Class *a, const Class *b)
{
    return class_is_subclass(a, b) || class_is_subclass(b, a);
}

static void mark_planned(const Class *c, bool is_static, uint8_t *used)
{
    for (size_t i = 0; i < plan.len; i++) {
        const PlannedClass *k = &plan.at[i];
        if (is_static ? k->cls != c : !are_related(k->cls, c))
            continue;
        for (uint32_t f = 0; f < k->count; f++)
            if (k->fields[f].is_static == is_static && k->fields[f].offset)
                memset(used + k->fields[f].offset, 1, size_of(&k->fields[f]));
    }
}

static void mark_used(const Class *c, bool is_static, uint8_t *used)
{
    layout_mark_used(c, is_static, used);
    for (const Class *s = is_static ? NULL : c->super; s; s = s->super)
        layout_mark_used(s, false, used);
    for (const Class *s = is_static ? NULL : class_next_below(c, c); s;
         s = class_next_below(s, c))
        layout_mark_used(s, false, used);
    mark_planned(c, is_static, used);
}

// More bytes than any object has of the class, or of those below it, with all fields of the plan. A superclass that it gets may be larger.
static size_t bytes_at_most(const Class *c)
{
    size_t bytes = MAX_OF(c->layout.instance_size, c->layout.mirror_size);
    for (const Class *s = c->super; s; s = s->super)
        bytes = MAX_OF(bytes, s->layout.instance_size);
    for (const Class *s = class_next_below(c, c); s; s = class_next_below(s, c))
        bytes = MAX_OF(bytes, s->layout.instance_size);
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

// Of instances of `top` and of classes below it.
static void choose_instance_sizes(const PlannedClass *k, Class *top)
{
    uint32_t end = planned_end(k, false);
    bool converts = needs_conversion(k);
    for (Class *c = top; c; c = class_next_below(c, top)) {
        Layout *l = &c->layout;
        if (converts || end > l->instance_size)
            l->next_size = MAX_OF(l->next_size, MAX_OF(end, l->instance_size));
    }
}

static void choose_sizes(const PlannedClass *k)
{
    Class *top = k->cls;
    for (int i = 0; k->gained && i < structure_count; i++)
        if (structure_gainer(&structure[i], 1, structure[i].cls, top))
            choose_instance_sizes(k, structure[i].cls);
    if (!k->gained && k->changes[false])
        choose_instance_sizes(k, top);
    if (k->changes[true])
        top->layout.next_mirror_size = MAX_OF(planned_end(k, true), top->layout.mirror_size);
}

static bool objects_change(void)
{
    bool changes = false;
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
    fits = fits && (!objects_change() || heap_migration_fits());
    if (!fits)
        fields_forget();
    return fits;
}

static void forget_sizes(Class *top)
{
    top->layout.next_mirror_size = 0;
    for (Class *c = top; c; c = class_next_below(c, top))
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
        if (is_wider(source->kind, kind_of(p)))
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

static void convert_fields(const PlannedClass *k, bool is_static, Object *from, Object *to)
{
    for (uint32_t i = 0; i < k->count; i++) {
        const PlannedField *p = &k->fields[i];
        if (!p->comes || p->is_static != is_static)
            continue;
        clear(to, p->offset, kind_of(p));
        take_value(from, to, p);
    }
    for (size_t i = 0; i < k->goes.len; i++)
        if (field_is_static(k->goes.at[i]) == is_static)
            clear(to, k->goes.at[i]->offset, k->goes.at[i]->kind);
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
        clear(to, p->offset, kind_of(p));
        if (lost)
            copy_value(from, lost, to, p);
    }
}

static void convert(Object *from, Object *to)
{
    const Class *c = object_class(to);
    const Class *of = c->layout.shape == SHAPE_MIRROR ? class_of_mirror(from) : NULL;
    for (size_t i = 0; i < plan.len; i++) // before what goes is cleared
        if (!of && plan.at[i].gained)
            convert_gained(&plan.at[i], c, from, to);
    for (size_t i = 0; i < plan.len; i++) {
        const PlannedClass *k = &plan.at[i];
        if (!k->gained && (of ? of == k->cls : class_is_subclass(c, k->cls)))
            convert_fields(k, of != NULL, from, to);
    }
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
    for (Class *c = top; c; c = class_next_below(c, top)) {
        Layout *l = &c->layout;
        l->instance_size = MAX_OF(MAX_OF(l->instance_size, l->next_size), least);
        layout_renew(c);
    }
}

// Those that move have no instances of their own yet.
static void move_fields(const PlannedClass *k)
{
    bool moves = false;
    for (uint32_t i = 0; i < k->count; i++) {
        moves |= k->fields[i].offset != k->fields[i].field->offset;
        k->fields[i].field->offset = k->fields[i].offset;
    }
    VM_ASSERT(!moves || may_move(k->cls));
    if (moves)
        change_sizes(k->cls, planned_end(k, false));
    for (int i = 0; i < structure_count; i++)
        if (structure_gainer(&structure[i], 1, structure[i].cls, k->cls))
            change_sizes(structure[i].cls, 0);
}

static void change_layouts(void)
{
    for (size_t i = 0; i < plan.len; i++)
        if (!plan.at[i].gained)
            replace_fields(&plan.at[i]);
    for (size_t i = plan.len; i-- > 0;) // the uppermost of those that others get first
        if (plan.at[i].gained)
            move_fields(&plan.at[i]);
    for (size_t i = 0; i < plan.len; i++) {
        Class *c = plan.at[i].cls;
        if (!plan.at[i].gained && plan.at[i].changes[false])
            change_sizes(c, 0);
        if (!plan.at[i].changes[true])
            continue;
        c->layout.mirror_size = MAX_OF(c->layout.mirror_size, c->layout.next_mirror_size);
        layout_renew_statics(c);
    }
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
