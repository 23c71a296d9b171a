// SPDX-License-Identifier: Apache-2.0
// Local variables (JVM TI, Local Variable). A handshake stops the frame's thread meanwhile. What a slot
// holds is checked twice: by the method's LocalVariableTable, where there is one, as the
// specification has it; and by the oop map of the place where the frame stands, so that a
// number is never taken for a reference nor written over one. Nor does an object come where the code, which was verified,
// has another kind: where there is no table, what it may be is found by the method's descriptor and the object it replaces.
#include "frame/frame_cursor.h"

#include "jvmti/generated/decl.h"

// One access under way: `kind` is I, J, F, D or L.
typedef struct Access {
    Thread *self, *thread;
    char kind;
    FrameCursor frame;
    SlotKind found;         // what the slot holds, by the oop map
    LocalVarEntry variable; // the table has it
    bool has_variable;      // else there is no table
} Access;

// The kind of accessor a variable of this descriptor is for.
static char accessor_kind(char first)
{
    switch (first) {
    case 'Z':
    case 'B':
    case 'C':
    case 'S': return 'I';
    case '[': return 'L';
    default: return first;
    }
}

static Bytes variable_type(const Access *a)
{
    return cf_utf8(a->frame.method->pool->cf, a->variable.descriptor);
}

static jvmtiError check_table(Access *a, jint slot)
{
    const Method *m = a->frame.method;
    VM_ASSERT(method_has_code(m)); // its frame has a map
    CodeInfo code = method_code(m);
    LocalFound found = code_find_local(m->pool->cf, &code, slot, a->frame.bci, &a->variable);
    a->has_variable = found == LOCAL_FOUND;
    if (!a->has_variable)
        return found == LOCAL_NO_TABLE ? JVMTI_ERROR_NONE : JVMTI_ERROR_INVALID_SLOT;
    return accessor_kind((char)variable_type(a).p[0]) == a->kind ? JVMTI_ERROR_NONE
                                                                 : JVMTI_ERROR_TYPE_MISMATCH;
}

static SlotKind kind_at(const Access *a, jint slot)
{
    return cursor_slot_kind(&a->frame, (uint32_t)slot);
}

static jvmtiError check_slot(Access *a, jint slot)
{
    const Method *m = a->frame.method;
    bool wide = kind_is_wide(a->kind);
    if (slot < 0 || slot >= m->max_locals - wide)
        return JVMTI_ERROR_INVALID_SLOT;
    a->found = kind_at(a, slot);
    bool is_ref = a->found == SLOT_REF;
    if (a->kind == 'L' && !is_ref)
        return JVMTI_ERROR_TYPE_MISMATCH;
    if (a->found == SLOT_UNSET)
        return JVMTI_ERROR_INVALID_SLOT;
    if (wide && kind_at(a, slot + 1) == SLOT_REF)
        return JVMTI_ERROR_INVALID_SLOT;
    if (a->kind != 'L' && is_ref)
        return JVMTI_ERROR_TYPE_MISMATCH;
    return check_table(a, slot);
}

// ---- what an object may be, where no table says it ----

// Whether the instruction stores into the slot, be it half of a value.
static bool stores_into(const Instruction *in, jint slot)
{
    return (in->info->local.use & LOCAL_WRITE) && slot >= in->local
           && slot < in->local + (jint)kind_words(in->info->local.kind);
}

static bool is_stored_into(const Method *m, jint slot)
{
    CodeInfo code = method_code(m);
    Instruction in;
    for (uint32_t bci = 0; bci < code.code_len; bci += in.length)
        if (!instruction_read(code.code, code.code_len, bci, &in) || stores_into(&in, slot))
            return true;
    return false;
}

// The descriptor of the parameter that comes in the slot; p NULL: none does, or `this`.
static Bytes parameter_type(const Method *m, uint32_t slot)
{
    DescriptorWalk w = descriptor_walk(m->desc->s, m->desc->len, !method_is_static(m));
    while (descriptor_walk_next(&w))
        if (w.slot == slot)
            return (Bytes){(const uint8_t *)w.type, w.len};
    return (Bytes){0};
}

// A parameter that stays what it was has its own type; any other variable at least that of the object which is there.
static bool fits_without_table(const FrameCursor *f, jint slot, const Object *o)
{
    const Method *m = f->method;
    if (method_has_code(m) && !is_stored_into(m, slot)) {
        if (slot == 0 && !method_is_static(m))
            return object_is_instance(o, m->cls);
        Bytes type = parameter_type(m, (uint32_t)slot);
        if (type.p)
            return class_fits_descriptor(object_class(o), (const char *)type.p, type.len);
    }
    const Object *now = cursor_value(f, (uint32_t)slot).ref;
    return now && object_is_instance(o, object_class(now));
}

static bool fits(const Access *a, jint slot, const Object *o)
{
    if (!a->has_variable)
        return fits_without_table(&a->frame, slot, o);
    Bytes type = variable_type(a);
    return class_fits_descriptor(object_class(o), (const char *)type.p, type.len);
}

// ---- access ----

static jvmtiError find_frame(Access *a, jint depth)
{
    if (atomic_load(&a->thread->state) == THREAD_ENDED)
        return JVMTI_ERROR_THREAD_NOT_ALIVE;
    return cursor_at(&a->frame, a->thread, depth) ? JVMTI_ERROR_NONE
                                                  : JVMTI_ERROR_NO_MORE_FRAMES;
}

static jvmtiError find_slot(Access *a, jint depth, jint slot)
{
    jvmtiError error = find_frame(a, depth);
    if (error != JVMTI_ERROR_NONE)
        return error;
    if (a->frame.kind == KIND_NATIVE)
        return JVMTI_ERROR_OPAQUE_FRAME;
    if (a->kind == 'L')
        cursor_settle(&a->frame);
    return check_slot(a, slot);
}

// An object is given as a local reference of self, the return address of a jsr as the location it leads to.
static jvmtiError read_slot(Access *a, jint depth, jint slot, jvalue *out)
{
    thread_handshake(a->self, a->thread);
    jvmtiError error = find_slot(a, depth, slot);
    if (error == JVMTI_ERROR_NONE) {
        Slot value = cursor_value(&a->frame, (uint32_t)slot);
        if (a->kind == 'L')
            out->l = handle_new(a->self, value.ref);
        else if (a->found == SLOT_RETURN)
            out->j = ((const Insn *)value.p)->bci;
        else if (kind_is_wide(a->kind))
            out->j = value.l;
        else
            out->i = value.i;
    }
    thread_handshake_end(a->self, a->thread);
    return error;
}

static jvmtiError write_slot(Access *a, jint depth, jint slot, jvalue value)
{
    thread_handshake(a->self, a->thread);
    jvmtiError error = find_slot(a, depth, slot);
    Object *o = a->kind == 'L' ? deref(value.l) : NULL;
    if (error == JVMTI_ERROR_NONE && ((o && !fits(a, slot, o)) || a->found == SLOT_RETURN))
        error = JVMTI_ERROR_TYPE_MISMATCH;
    if (error == JVMTI_ERROR_NONE) {
        Slot now = cursor_value(&a->frame, (uint32_t)slot);
        if (a->kind == 'L')
            now.ref = o;
        else if (kind_is_wide(a->kind))
            now.l = value.j;
        else
            now.i = value.i;
        cursor_own(&a->frame);
        cursor_set_value(&a->frame, (uint32_t)slot, now);
    }
    thread_handshake_end(a->self, a->thread);
    return error;
}

#define LOCAL(name, type, kind_, field)                                                        \
    jvmtiError ti_GetLocal##name(Thread *self, TiEnv *env, Thread *thread, jint depth,         \
                                 jint slot, type *value_ptr)                                   \
    {                                                                                          \
        (void)env;                                                                             \
        jvalue v = {0};                                                                        \
        jvmtiError error = read_slot(&(Access){.self = self, .thread = thread, .kind = kind_}, \
                                     depth, slot, &v);                                         \
        if (error == JVMTI_ERROR_NONE)                                                         \
            *value_ptr = v.field;                                                              \
        return error;                                                                          \
    }                                                                                          \
    jvmtiError ti_SetLocal##name(Thread *self, TiEnv *env, Thread *thread, jint depth,         \
                                 jint slot, type value)                                        \
    {                                                                                          \
        (void)env;                                                                             \
        jvalue v = {.field = value};                                                           \
        return write_slot(&(Access){.self = self, .thread = thread, .kind = kind_}, depth,     \
                          slot, v);                                                            \
    }
LOCAL(Object, jobject, 'L', l)
LOCAL(Int, jint, 'I', i)
LOCAL(Long, jlong, 'J', j)
LOCAL(Float, jfloat, 'F', f)
LOCAL(Double, jdouble, 'D', d)
#undef LOCAL

// `this` of a frame; native frames have it too. Java code may have reused its slot.
static jvmtiError read_instance(Access *a, jint depth, jobject *out)
{
    jvmtiError error = find_frame(a, depth);
    if (error != JVMTI_ERROR_NONE)
        return error;
    if (method_is_static(a->frame.method)
        || (a->frame.kind != KIND_NATIVE && kind_at(a, 0) != SLOT_REF))
        return JVMTI_ERROR_INVALID_SLOT;
    cursor_settle(&a->frame);
    *out = handle_new(a->self, cursor_value(&a->frame, 0).ref);
    return JVMTI_ERROR_NONE;
}

jvmtiError ti_GetLocalInstance(Thread *self, TiEnv *env, Thread *thread, jint depth,
                               jobject *value_ptr)
{
    (void)env;
    Access a = {.self = self, .thread = thread, .kind = 'L'};
    thread_handshake(self, thread);
    jvmtiError error = read_instance(&a, depth, value_ptr);
    thread_handshake_end(self, thread);
    return error;
}
