// SPDX-License-Identifier: Apache-2.0
// See call.h.
#include "java/call.h"
#include "class/loader.h"
#include "java/describe.h"
#include "java/engine.h"
#include "java/exception.h"
#include "link/link_method.h"

bool java_call(Thread *self, Method *m, const jvalue *args, jvalue *result)
{
    ASSERT_NO_LOCKS();
    ASSERT_MAY_GC(self);
    jvalue ignored;
    VM_ASSERT(!exception_pending(self) && locks_none_held());
    if (UNLIKELY(!engine_is_set())) {
        throw_new(self, "java/lang/InternalError", "no engine to run %s", m->name->s);
        return false;
    }
    return engine->call(self, m, args, result ? result : &ignored);
}

static void throw_other_receiver(Thread *self, const Class *receiver, const Class *iface)
{
    char *a = class_external_name(receiver), *b = class_external_name(iface),
         *places = describe_places(receiver, iface);
    throw_new(self, "java/lang/IncompatibleClassChangeError",
              "Receiver class %s does not implement the interface %s defining the method to be "
              "called (%s)",
              a, b, places);
    vm_free(a);
    vm_free(b);
    vm_free(places);
}

bool java_call_virtual(Thread *self, Method *m, const jvalue *args, jvalue *result)
{
    ASSERT_MAY_GC(self);
    Object *receiver = deref(args[0].l);
    if (!receiver) {
        throw_null(self, "java/lang/NullPointerException");
        return false;
    }
    Class *cls = object_class(receiver);
    if (method_is_selected(m)) {
        bool not_implemented = false;
        Method *selected = class_select_method(cls, m, &not_implemented);
        if (not_implemented) {
            throw_other_receiver(self, cls, m->cls);
            return false;
        }
        if (!selected || method_is_abstract(selected)) {
            throw_abstract_method(self, cls, m, selected, false);
            return false;
        }
        m = selected;
    }
    return java_call(self, m, args, result);
}

bool java_call_static(Thread *self, const char *cls, const char *name, const char *desc,
                      const jvalue *args, jvalue *result)
{
    ASSERT_MAY_GC(self);
    Class *c = loader_load(self, loader_boot, symbol_intern(cls), true);
    if (!c || !class_initialize(self, c))
        return false;
    Method *m = class_find_method(c, symbol_intern(name), symbol_intern(desc));
    if (!m || !method_is_static(m)) {
        throw_new(self, "java/lang/NoSuchMethodError", "%s.%s%s", cls, name, desc);
        return false;
    }
    return java_call(self, m, args, result);
}
