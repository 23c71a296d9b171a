// SPDX-License-Identifier: Apache-2.0
// C calls Java (interp_call), and the selections that need more than a vtable.
#include "class/vm_classes.h"
#include "frame/move_stack.h"
#include "interp/breakpoint.h"
#include "interp/interp.h"
#include "interp/profile.h"
#include "java/describe.h"
#include "java/exception.h"
#include "java/java_object.h"
#include "link/link_method.h"
#include "redefine/class_version.h"

static Slot *push_arguments(Method *m, const jvalue *args, Slot *sp)
{
    if (!method_is_static(m))
        sp++->ref = deref(args++->l);
    DescriptorWalk w = descriptor_walk(m->desc->s, m->desc->len, 0);
    for (; descriptor_walk_next(&w); args++) {
        switch (w.kind) {
        case 'Z': sp++->i = args->z != 0; break;
        case 'B': sp++->i = args->b; break;
        case 'C': sp++->i = args->c; break;
        case 'S': sp++->i = args->s; break;
        case 'I':
        case 'F': sp++->i = args->i; break;
        case 'J':
        case 'D':
            sp->l = args->j;
            sp += 2;
            break;
        default: sp++->ref = deref(args->l); break;
        }
    }
    return sp;
}

static void take_result(Thread *self, char kind, Slot s, jvalue *result)
{
    result->j = 0;
    switch (kind) {
    case 'V': break;
    case 'Z': result->z = (jboolean)(s.i & 1); break;
    case 'B': result->b = (jbyte)s.i; break;
    case 'C': result->c = (jchar)s.i; break;
    case 'S': result->s = (jshort)s.i; break;
    case 'I':
    case 'F': result->i = s.i; break;
    case 'J':
    case 'D': result->j = s.l; break;
    default: result->l = handle_new(self, s.ref); break;
    }
}

bool interp_call(Thread *self, Method *m, const jvalue *args, jvalue *result)
{
    ASSERT_MAY_GC(self);
    ASSERT_NO_LOCKS();
    VM_ASSERT(!exception_pending(self));
    move_stack_follow(self);
    Slot *top = self->frame ? self->frame->sp : self->stack_base;
    Frame *entry = (Frame *)(void *)top;
    bool c_room = (char *)__builtin_frame_address(0) > self->c_stack_limit;
    if (UNLIKELY(!c_room || frame_operands(entry) + m->arg_words + 2 > self->stack_limit)) {
        throw_stack_overflow(self);
        return false;
    }
    *entry = (Frame){.prev = self->frame, .flags = FRAME_ENTRY, .sp = frame_operands(entry)};
    entry->handles = handle_mark(self);
    char ret = m->ret; // an old version of a method may be freed when it returns
    Slot *sp = push_arguments(m, args, entry->sp);
    atomic_signal_fence(memory_order_release);
    self->frame = entry;
    self->upcall_depth++;
    Resume how;
    bool again = interp_run(self, m, sp, &how);
    while (UNLIKELY(again))
        again = interp_resume(self, &how);
    self->upcall_depth--;
    entry = self->frame; // which may have moved
    self->frame = entry->prev;
    if (UNLIKELY(self->frame && (self->frame->flags & FRAME_EXIT_REQUESTED)))
        thread_request(self, POLL_FRAME_EXIT);
    if (exception_pending(self))
        return false;
    if (result)
        take_result(self, ret, frame_operands(entry)[0], result);
    return true;
}

// ---- selection ----

enum { CALL_CACHE_SIZE = 512 };
struct CallCache { // per thread, so that no synchronisation is needed
    struct {
        Class *cls;
        Method *m, *selected;
    } entries[CALL_CACHE_SIZE];
};

// Whether f is at a call through a class, of a method that an interface declares.
static bool calls_by_class(const Frame *f)
{
    const Method *m = f->method;
    return m && m->info && m->info->code && !(f->flags & FRAME_NATIVE)
           && method_bytecodes(m)[f->pc->bci] == BC_invokevirtual;
}

void throw_abstract_call(Thread *self, const Frame *f, Method *m, Object *receiver)
{
    ASSERT_MAY_GC(self);
    ASSERT_OBJECT_OR_NULL(receiver);
    if (!f->method) { // JNI's nonvirtual calls
        throw_new(self, "java/lang/AbstractMethodError", "%s", m->name->s);
        return;
    }
    bool by_vtable = profile_plain(breakpoint_original(f->pc)) == OP_invoke_vtable;
    const Method *resolved = by_vtable ? f->pc->p : m;
    throw_abstract_method(self, object_class(receiver), resolved, m, false);
}

// `by_class`: the call names a class (calls_by_class).
static Method *select_checked(Thread *self, bool by_class, Class *c, Method *m)
{
    bool not_implemented = false;
    Method *selected = class_select_method(c, m, &not_implemented);
    if (not_implemented) {
        throw_not_implementing(self, c, m->cls);
        return NULL;
    }
    if (!selected || method_is_abstract(selected)) {
        throw_abstract_method(self, c, m, selected, by_class);
        return NULL;
    }
    if (!(selected->access & ACC_PUBLIC) && class_is_interface(m->cls)
        && !(m->access & ACC_PRIVATE)) {
        char *name = describe_method(c, selected->name, selected->desc);
        throw_new(self, "java/lang/IllegalAccessError", "'%s'", name);
        vm_free(name);
        return NULL;
    }
    return selected;
}

Method *interface_select(Thread *self, Frame *f, Object *receiver, Method *m)
{
    ASSERT_MAY_GC(self);
    ASSERT_OBJECT(receiver);
    Class *c = object_class(receiver);
    if (UNLIKELY(!self->call_cache))
        self->call_cache = vm_calloc(1, sizeof *self->call_cache);
    size_t i = (((uintptr_t)c >> 5) ^ ((uintptr_t)m >> 4)) % CALL_CACHE_SIZE;
    if (LIKELY(self->call_cache->entries[i].cls == c && self->call_cache->entries[i].m == m))
        return self->call_cache->entries[i].selected;
    Method *selected = select_checked(self, calls_by_class(f), c, m);
    if (selected) {
        self->call_cache->entries[i].cls = c;
        self->call_cache->entries[i].m = m;
        self->call_cache->entries[i].selected = selected;
    }
    return selected;
}

Method *interface_select_class(Thread *self, Class *c, Method *m)
{
    return select_checked(self, false, c, m);
}

Class *invoke_named_interface(const Method *m, const Insn *pc)
{
    ConstantPool *pool = m->pool;
    uint16_t index = cf_first_index(pool->cf, (uint16_t)pc->a);
    return pool_resolved(pool, index);
}

bool invoke_check_special(Thread *self, const Frame *f, Object *receiver)
{
    ASSERT_MAY_GC(self);
    Class *current = f->method->cls;
    VM_ASSERT(class_is_interface(current));
    if (!receiver || object_is_instance(receiver, current))
        return true;
    HANDLE_SCOPE(self);
    char *a = class_external_name(object_class(receiver)), *b = class_external_name(current);
    throw_new(self, "java/lang/IllegalAccessError",
              "Receiver class %s must be the current class or a subtype of interface %s", a, b);
    vm_free(a);
    vm_free(b);
    return false;
}

Method *invoke_checked(Thread *self, Frame *f, const Insn *pc, Object *receiver)
{
    ASSERT_MAY_GC(self);
    Method *m = pc->p;
    Class *c = object_class(receiver);
    if (method_bytecodes(f->method)[pc->bci] == BC_invokespecial)
        return invoke_check_special(self, f, receiver) ? m : NULL;
    Class *named = invoke_named_interface(f->method, pc);
    if (!class_is_subclass(c, named)) {
        throw_not_implementing(self, c, named);
        return NULL;
    }
    if (method_in_itable(m))
        return interface_select(self, f, receiver, m);
    return method_in_vtable(m) ? c->vtable[m->table_index] : m;
}

Method *invoke_instead(Thread *self, Method *m)
{
    ASSERT_MAY_GC(self);
    Frame *f = self->frame;
    if (!method_is_deleted(m) || !f->method || method_is_native(f->method)) {
        throw_for_method(self, m);
        return NULL;
    }
    Method *found = link_instead(self, f->method, f->pc->bci, m);
    if (!found)
        return NULL;
    f = self->frame;
    uint8_t op = method_bytecodes(f->method)[f->pc->bci];
    if (op == BC_invokespecial || (found->access & (ACC_PRIVATE | ACC_STATIC)))
        return found;
    return interface_select(self, f, f->sp[-m->arg_words].ref, found);
}

void call_caches_clear(void)
{
    ASSERT_WORLD_STOPPED();
    THREAD_EACH(t)
    if (t->call_cache)
        *t->call_cache = (struct CallCache){0};
}

Method *member_select(Thread *self, Object *receiver, Object *member, bool interface)
{
    ASSERT_MAY_GC(self);
    ASSERT_OBJECT(receiver);
    Object *resolved = object_get_ref(member, OFF(MemberName, method));
    Method *m =
        (Method *)(uintptr_t)object_get_long(resolved, OFF(ResolvedMethodName, vmtarget));
    int64_t index = object_get_long(member, OFF(MemberName, vmindex));
    if (index < 0
        || !method_is_selected(
            m)) // it was selected once: a redefinition made it private, or took it away
        return m;
    if (interface || class_is_interface(m->cls))
        return interface_select(self, self->frame, receiver, m);
    return object_class(receiver)->vtable[m->table_index];
}
