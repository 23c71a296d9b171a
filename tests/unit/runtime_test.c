// SPDX-License-Identifier: Apache-2.0
// src/runtime without Java code: symbols, field layout and virtual method tables of classes
// made by hand, and the loading of the well-known classes of the JDK that the tests are built
// against. The last one needs the whole VM's tables and comes last.

#include "class/loader_internal.h"
#include "class/vm_classes.h"
#include "java/engine.h"
#include "java/exception.h"
#include "java/string.h"
#include "thread/monitor.h"
#include "vmtest.h"

static Loader loader_a;
static Package package_p, package_q;

TEST(symbols)
{
    symbols_init();
    Symbol *a = symbol_intern("java/lang/Nothing");
    EXPECT(a == symbol_intern_n("java/lang/NothingElse", 17));
    EXPECT(symbol_find_n("java/lang/Nowhere", 17) == NULL);
    EXPECT_STR("<init>", SYM(init)->s);
    EXPECT_STR("java/lang", class_package_name(a)->s);
    EXPECT_STR("", class_package_name(symbol_intern("Nothing"))->s);
    char text[32];
    Symbol *first = symbol_intern("s0");
    for (int i = 0; i < 100000; i++) {
        snprintf(text, sizeof text, "s%d", i);
        symbol_intern(text);
    }
    EXPECT(first == symbol_find_n("s0", 2));
}

// ---- classes by hand ----
static Class *class_by_hand(const char *name, Class *super, Package *package,
                            const char *fields)
{
    Class *c = vm_calloc(1, sizeof *c);
    c->name = symbol_intern(name);
    c->kind = 'L';
    c->super = super;
    c->cf = vm_calloc(1, sizeof *c->cf);
    c->cf->major = 51;
    c->loader = &loader_a;
    c->package = package;
    c->field_count = (uint16_t)strlen(fields);
    c->fields = vm_calloc(c->field_count + 1u, sizeof *c->fields);
    for (int i = 0; i < c->field_count; i++) {
        c->fields[i].name = symbol_intern("f");
        c->fields[i].desc = symbol_intern("X");
        c->fields[i].kind = fields[i];
    }
    layout_instance(c);
    return c;
}

static void add_method(Class *c, const char *name, uint16_t access)
{
    if (!c->methods)
        c->methods = vm_calloc(8, sizeof *c->methods);
    Method *m = &c->methods[c->method_count];
    m->cls = c;
    m->slot = c->method_count++;
    c->first_method_count++;
    m->name = symbol_intern(name);
    m->desc = SYM(void_sig);
    m->access = access;
    m->table_index = -1;
}

TEST(layout)
{
    Class *object = class_by_hand("Top", NULL, &package_p, "");
    EXPECT_INT(16, object->layout.instance_size);
    Class *a = class_by_hand("A", object, &package_p, "BJLI");
    EXPECT_INT(24, a->fields[0].offset);
    EXPECT_INT(16, a->fields[1].offset);
    EXPECT_INT(28, a->fields[2].offset);
    EXPECT_INT(12, a->fields[3].offset);
    EXPECT_INT(32, a->layout.instance_size);
    Class *b = class_by_hand("B", a, &package_p, "LLS");
    EXPECT_INT(32, b->fields[2].offset);
    EXPECT_INT(36, b->fields[0].offset);
    EXPECT_INT(40, b->fields[1].offset);
    EXPECT_INT(48, b->layout.instance_size);
    EXPECT_INT(2, b->layout.span_count);
    EXPECT_INT(28, b->layout.spans[0].offset);
    EXPECT_INT(2, b->layout.spans[1].count);
    Class *bytes =
        class_by_hand("C", class_by_hand("D", object, &package_p, "B"), &package_p, "IB");
    EXPECT_INT(16, bytes->fields[0].offset);
    EXPECT_INT(13, bytes->fields[1].offset);
}

TEST(vtable_package_private)
{
    Class *a = class_by_hand("p/A", NULL, &package_p, "");
    add_method(a, "m", 0);
    add_method(a, "n", ACC_PUBLIC);
    add_method(a, "s", ACC_STATIC);
    EXPECT(vtable_build(NULL, a));
    EXPECT_INT(2, a->vtable_len);
    EXPECT_INT(-1, a->methods[2].table_index);
    Class *b = class_by_hand("q/B", a, &package_q, "");
    add_method(b, "m", ACC_PUBLIC);
    EXPECT(vtable_build(NULL, b));
    EXPECT_INT(3, b->vtable_len);
    EXPECT(b->vtable[0] == &a->methods[0]);
    Class *c = class_by_hand("p/C", b, &package_p, "");
    add_method(c, "m", ACC_PUBLIC);
    EXPECT(vtable_build(NULL, c));
    EXPECT_INT(3, c->vtable_len);
    EXPECT(c->vtable[0] == &c->methods[0] && c->vtable[2] == &c->methods[0]);
    Class *d = class_by_hand("q/D", c, &package_q, "");
    add_method(d, "m", ACC_PUBLIC);
    EXPECT(vtable_build(NULL, d));
    EXPECT(d->vtable[0] == &d->methods[0] && d->vtable[2] == &d->methods[0]);
}

// ---- the class library ----
static bool no_java(Thread *self, Method *m, const jvalue *args, jvalue *result)
{
    (void)self, (void)m, (void)args, (void)result;
    printf("Java code ran: %s\n", m->name->s);
    abort();
}

static Thread *start(void)
{
    char error[256] = "";
    HeapOptions heap = {.initial = 16 << 20, .max = 64 << 20, .soft_ms_per_mb = 1000};
    EXPECT(heap_init(&heap, error, sizeof error) && class_space_init(64 << 20, PLACEMENT_LOW));
    threads_init(0);
    monitors_init();
    strings_init();
    static const Engine no_engine = {.call = no_java};
    engine_set(&no_engine);
    Thread *self = thread_attach_current(0);
    EXPECT_MSG(loader_init(TEST_JDK_HOME, NULL, error, sizeof error), "%s", error);
    return self;
}

TEST(well_known_classes)
{
    Thread *self = start();
    HANDLE_SCOPE(self);
    EXPECT(vm_classes_load(self));
    EXPECT(class_of_mirror(class_mirror(CLS(Thread))) == CLS(Thread));
    EXPECT_INT(REFERENCE_WEAK, CLS(WeakReference)->layout.reference_kind);
    EXPECT_INT(SHAPE_REFERENCE, CLS(WeakReference)->layout.shape);
    Class *strings =
        loader_load(self, loader_boot, symbol_intern("[[Ljava/lang/String;"), true);
    Class *objects = loader_load(self, loader_boot, symbol_intern("[Ljava/lang/Object;"), true);
    EXPECT(class_is_subclass(strings, objects) && class_is_subclass(strings, CLS(Cloneable)));
    EXPECT(!class_is_subclass(objects, strings));
    EXPECT(!class_is_subclass(class_primitive_array('I'), objects));
    Class *list = loader_load(self, loader_boot, symbol_intern("java/util/ArrayList"), true);
    Class *iface = loader_load(self, loader_boot, symbol_intern("java/util/Collection"), true);
    EXPECT(class_link(self, list));
    Method *stream = class_declared_method(iface, symbol_intern("stream"),
                                           symbol_intern("()Ljava/util/stream/Stream;"));
    EXPECT(stream && class_select_method(list, stream, NULL) == stream);
    EXPECT(loader_find_boot(self, symbol_intern("java/sql/Connection")) == NULL);
    EXPECT(!exception_pending(self));
    heap_collect(self, GC_SYSTEM_GC, true);
    EXPECT(class_of_mirror(class_mirror(strings)) == strings);
}
