// SPDX-License-Identifier: Apache-2.0
// The well-known classes, fields and methods of spec/vm_classes.def, loaded in that order
// before any Java code runs. java.lang.Object, String and Class come first, without mirrors;
// once Class is laid out the primitive classes and arrays are made and all of them get their
// mirrors. Read-only after vm_classes_load.
#include "class/vm_classes.h"
#include "base/log.h"
#include "class/loader_internal.h"
#include "java/exception.h"

Class *vm_classes[VM_CLASS_COUNT];
uint32_t vm_field_offsets[VM_FIELD_COUNT];
Method *vm_methods[VM_METHOD_COUNT];

typedef struct FieldRow {
    int cls, field;
    const char *name, *desc;
    bool is_static;
} FieldRow;
typedef struct MethodRow {
    int cls, method;
    const char *name, *desc;
} MethodRow;

#define VM_CLASS(id, name)
#define VM_INJECT(cls, field, kind)
#define VM_METHOD(cls, id, name, desc)
#define VM_FIELD(cls, field, desc)  {C_##cls, F_##cls##_##field, #field, desc, false},
#define VM_STATIC(cls, field, desc) {C_##cls, F_##cls##_##field, #field, desc, true},
static const FieldRow field_rows[] = {
#include "spec/vm_classes.def"
};
#undef VM_FIELD
#undef VM_STATIC
#undef VM_METHOD
#define VM_FIELD(cls, field, desc)
#define VM_STATIC(cls, field, desc)
#define VM_METHOD(cls, id, name, desc) {C_##cls, M_##cls##_##id, name, desc},
static const MethodRow method_rows[] = {
#include "spec/vm_classes.def"
};
#undef VM_CLASS
#undef VM_METHOD
#define VM_CLASS(id, name) name,
#define VM_METHOD(cls, id, name, desc)
static const char *const class_names[VM_CLASS_COUNT] = {
#include "spec/vm_classes.def"
};
#undef VM_CLASS
#undef VM_FIELD
#undef VM_STATIC
#undef VM_INJECT
#undef VM_METHOD

static bool missing(const Class *c, const char *name, const char *desc)
{
    char *text = class_external_name(c);
    vm_warning("Incompatible definition of %s: %s %s is missing", text, name, desc);
    vm_free(text);
    return false;
}

static bool fill_fields(int cls, bool is_static)
{
    for (size_t i = 0; i < ARRAY_LEN(field_rows); i++) {
        const FieldRow *r = &field_rows[i];
        if (r->cls != cls || r->is_static != is_static)
            continue;
        const Class *c = vm_classes[cls];
        const Field *f =
            class_declared_field(c, symbol_intern(r->name), symbol_intern(r->desc));
        if (!f || !(f->access & ACC_STATIC) == is_static)
            return missing(c, r->name, r->desc);
        vm_field_offsets[r->field] = f->offset;
    }
    return true;
}

static bool fill_methods(int cls)
{
    for (size_t i = 0; i < ARRAY_LEN(method_rows); i++) {
        const MethodRow *r = &method_rows[i];
        if (r->cls != cls)
            continue;
        const Class *c = vm_classes[cls];
        Method *m = class_declared_method(c, symbol_intern(r->name), symbol_intern(r->desc));
        if (!m)
            return missing(c, r->name, r->desc);
        vm_methods[r->method] = m;
    }
    return true;
}

static bool load_one(Thread *self, int cls)
{
    const char *name = class_names[cls];
    size_t len = strlen(name);
    bool optional = name[len - 1] == '?';
    Symbol *y = symbol_intern_n(name, len - optional);
    Class *c = loader_find_boot(self, y);
    if (!c) {
        if (exception_pending(self))
            return false;
        if (!optional)
            vm_warning("the class library does not fit: %s is missing", y->s);
        return optional;
    }
    vm_classes[cls] = c;
    return fill_fields(cls, false) && fill_methods(cls);
}

static bool make_mirrors(Thread *self)
{
    mirror_layout_offset = OFF(Class, vm_class);
    return primitives_init(self) && primitive_arrays_init(self) && mirrors_fix_up(self);
}

static void set_heap_offsets(void)
{
    ReferenceOffsets offsets = {.referent = OFF(Reference, referent),
                                .discovered = OFF(Reference, discovered),
                                .next = OFF(Reference, next),
                                .soft_timestamp = OFF(SoftReference, timestamp),
                                .soft_clock_mirror = handle_slot(CLS(SoftReference)->mirror),
                                .soft_clock = OFF(SoftReference, clock)};
    heap_set_reference_offsets(&offsets);
    loader_data_offset = OFF(ClassLoader, vm_loader);
}

// Objects of these classes may be made and called before anything initialises the class.
static bool finish(Thread *self)
{
    for (int i = 0; i < VM_CLASS_COUNT; i++) {
        if (!vm_classes[i])
            continue;
        if (!fill_fields(i, true) || !class_link(self, vm_classes[i]))
            return false;
    }
    set_heap_offsets();
    return true;
}

bool vm_classes_load(Thread *self)
{
    VM_ASSERT(!exception_pending(self));
    ASSERT_MAY_GC(self);
    for (int i = 0; i < VM_CLASS_COUNT; i++) {
        if (!load_one(self, i))
            return false;
        if (i == C_Class && !make_mirrors(self))
            return false;
    }
    return finish(self);
}
