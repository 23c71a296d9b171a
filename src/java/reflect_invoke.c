// SPDX-License-Identifier: Apache-2.0
// Calls through java.lang.reflect: selection by receiver, unboxing and widening of arguments,
// wrapping of exceptions and results.
#include "class/loader.h"
#include "class/vm_classes.h"
#include "java/box.h"
#include "java/call.h"
#include "java/describe.h"
#include "java/exception.h"
#include "java/java_object.h"
#include "java/reflect.h"
#include "link/link_method.h"

// The pending exception becomes the target of an InvocationTargetException.
static void wrap_exception(Thread *self)
{
    HANDLE_SCOPE(self);
    jvalue arg = {.l = exception_take(self)};
    jobject e = object_construct(self, CLS(InvocationTargetException),
                                 "(Ljava/lang/Throwable;)V", &arg);
    if (e)
        throw_object(self, deref(e));
}

static bool illegal_argument(Thread *self, const char *message)
{
    throw_class(self, CLS(IllegalArgumentException), message);
    return false;
}

static bool check_receiver(Thread *self, Method *m, jobject receiver)
{
    Object *o = deref(receiver);
    if (!o) {
        throw_null(self, "java/lang/NullPointerException");
        return false;
    }
    return object_is_instance(o, m->cls)
           || illegal_argument(self, "object is not an instance of declaring class");
}

static Method *select_method(Thread *self, Method *m, jobject receiver)
{
    if (!method_is_selected(m))
        return m;
    Class *c = object_class(deref(receiver));
    Method *selected = class_select_method(c, m, NULL);
    if (selected && !method_is_abstract(selected))
        return selected;
    throw_abstract_method(self, c, m, selected, false);
    wrap_exception(self);
    return NULL;
}

// One argument: a box, unboxed and widened, or a reference of the parameter's class.
static bool convert_argument(Thread *self, Class *type, Object *arg, jvalue *out)
{
    if (!class_is_primitive(type)) {
        out->l = handle_new(self, arg);
        return !arg || object_is_instance(arg, type)
               || illegal_argument(self, "argument type mismatch");
    }
    char kind;
    if (!arg)
        return illegal_argument(self, NULL);
    if (!unbox_value(arg, &kind, out) || !widen_value(kind, type->kind, out))
        return illegal_argument(self, "argument type mismatch");
    return true;
}

static Class *parameter_class(Thread *self, Method *m, const char *start, size_t len)
{
    return len == 1 ? class_primitive(*start)
                    : class_from_descriptor(self, m->cls->loader, start, len);
}

static bool convert_arguments(Thread *self, Method *m, jobject array, jvalue *out)
{
    int32_t given = array ? array_length(deref(array)) : 0;
    if (given != m->param_count)
        return illegal_argument(self, "wrong number of arguments");
    DescriptorWalk w = descriptor_walk(m->desc->s, m->desc->len, 0);
    while (descriptor_walk_next(&w)) {
        Class *type = parameter_class(self, m, w.type, w.len);
        if (!type
            || !convert_argument(self, type, array_get_ref(deref(array), (int32_t)w.index),
                                 &out[w.index]))
            return false;
    }
    return true;
}

static bool stack_left(Thread *self)
{
    if (LIKELY((char *)__builtin_frame_address(0) > self->c_stack_limit))
        return true;
    throw_stack_overflow(self);
    return false;
}

static jobject invoke_inner(Thread *self, Method *m, jobject receiver, jobject array, bool *ok)
{
    jvalue args[256], result = {0};
    int first = method_is_static(m) ? 0 : 1;
    *ok = false;
    if (!stack_left(self) || !class_initialize(self, m->cls))
        return NULL;
    if (first) {
        if (!check_receiver(self, m, receiver))
            return NULL;
        args[0].l = receiver;
    }
    Method *target = first ? select_method(self, m, receiver) : m;
    if (!target || !convert_arguments(self, m, array, args + first))
        return NULL;
    if (!java_call(self, target, args, &result)) {
        wrap_exception(self);
        return NULL;
    }
    jobject boxed = box_value(self, m->ret, result);
    *ok = !exception_pending(self);
    return boxed;
}

jobject reflect_invoke(Thread *self, Method *m, jobject receiver, jobject args_array, bool *ok)
{
    ASSERT_MAY_GC(self);
    ASSERT_HANDLE(receiver);
    ASSERT_HANDLE(args_array);
    HANDLE_SCOPE(self);
    jobject result = invoke_inner(self, m, receiver, args_array, ok);
    SCOPE_RETURN(result);
}

jobject reflect_new_instance(Thread *self, Method *constructor, jobject args_array)
{
    ASSERT_MAY_GC(self);
    ASSERT_HANDLE(args_array);
    HANDLE_SCOPE(self);
    jvalue args[256];
    if (!stack_left(self))
        return NULL;
    args[0].l = object_new(self, constructor->cls);
    if (!args[0].l || !convert_arguments(self, constructor, args_array, args + 1))
        return NULL;
    if (!java_call(self, constructor, args, NULL)) {
        wrap_exception(self);
        return NULL;
    }
    object_post_alloc(self, args[0].l);
    SCOPE_RETURN(args[0].l);
}
