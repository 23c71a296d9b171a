// SPDX-License-Identifier: Apache-2.0
// Objects that are constants of the code: those of the constant pool, what linking a call site gave, what final fields of these hold. By
// them calls of method handles become calls of methods. A handle is one of the constant pool that the first object of a chain of fields
// came from: so it keeps nothing longer than that pool does, as fields that are read here do not change.
#include "jit/build.h"

#include "class/loader.h"
#include "class/vm_classes.h"
#include "link/member_name.h"
#include "redefine/class_version.h"

// ---- constants ----

static IrConstant *find_constant(const Graph *g, const void *handle)
{
    for (size_t i = 0; i < g->constants.len; i++)
        if (g->constants.at[i].handle == handle)
            return &g->constants.at[i];
    return NULL;
}

NodeId build_constant_object(Builder *b, void *handle, ConstantPool *pool)
{
    const Class *c =
        object_class(deref(handle)) == CLS(Class) ? class_of_mirror(deref(handle)) : NULL;
    if (c && class_mirror(c) == deref(handle))
        return build_value(b, IR_Mirror, IRT_A, 0, NULL, ir_intern(b->g, (uintptr_t)c));
    if (!find_constant(b->g, handle))
        vec_push(&b->g->constants, ((IrConstant){handle, pool, false}));
    return build_value(b, IR_Object, IRT_A, 0, NULL, ir_intern(b->g, (uintptr_t)handle));
}

Object *build_object_of(const Builder *b, NodeId n)
{
    const Node *node = ir_node(b->g, n);
    if (node->op == IR_Object)
        return deref(ir_pointer(b->g, node));
    return node->op == IR_Mirror ? class_mirror(ir_pointer(b->g, node)) : NULL;
}

// Of what was found in an object that is the constant of `from`.
static NodeId found_object(Builder *b, NodeId from, Object *o, bool stable)
{
    const Node *node = ir_node(b->g, from);
    if (!o)
        return ir_const(b->g, IRT_A, 0);
    ConstantPool *pool = node->op == IR_Object
                             ? find_constant(b->g, ir_pointer(b->g, node))->pool
                             : b->source->method->pool;
    attempt_pause(); // it is the pool's
    jobject handle = pool_constant(pool, o);
    attempt_resume();
    NodeId n = build_constant_object(b, handle, pool);
    IrConstant *constant = find_constant(b->g, handle);
    if (constant)
        constant->stable |= stable;
    return n;
}

static uint64_t number_at(const Object *o, char kind, size_t offset)
{
    switch (kind) {
    case 'Z': return object_get_boolean(o, offset);
    case 'B': return (uint32_t)object_get_byte(o, offset);
    case 'C': return object_get_char(o, offset);
    case 'S': return (uint32_t)object_get_short(o, offset);
    case 'I':
    case 'F': return (uint32_t)object_get_int(o, offset);
    default: return (uint64_t)object_get_long(o, offset);
    }
}

static size_t element_size(char kind)
{
    switch (kind) {
    case 'B': return 1;
    case 'C':
    case 'S': return 2;
    case 'J':
    case 'D': return 8;
    default: return sizeof(int32_t); // a Narrow, too
    }
}

typedef enum Trust {
    CHANGES,
    STABLE, // once it is not 0 or null
    FINAL,
} Trust;

static NodeId value_at(Builder *b, NodeId from, char kind, size_t offset, Trust trust,
                       bool stable)
{
    const Object *o = build_object_of(b, from);
    if (kind_is_reference(kind)) {
        Object *found = object_get_ref(o, offset);
        return trust == FINAL || found ? found_object(b, from, found, stable) : 0;
    }
    uint64_t bits = number_at(o, kind, offset);
    return trust == FINAL || bits ? ir_const(b->g, ir_type_of_kind(kind), bits) : 0;
}

// ---- what does not change ----

static bool begins_with(const Symbol *s, const char *prefix)
{
    return strncmp(s->s, prefix, strlen(prefix)) == 0;
}

// Classes whose final fields nothing writes to behind their constructors, by no way.
static bool is_trusted(const Class *c)
{
    static const char *const names[] = {"java/lang/invoke/", "sun/invoke/",
                                        "jdk/internal/foreign/", "jdk/internal/vm/vector/"};
    if (c->hidden || c->is_record)
        return true;
    for (size_t i = 0; c->loader == loader_boot && i < ARRAY_LEN(names); i++)
        if (begins_with(c->name, names[i]))
            return true;
    return false;
}

// The target of a call site is set, but that of a constant one.
static bool is_settable_target(const Field *f, const Object *o)
{
    return f->cls == CLS(CallSite) && f->offset == OFF(CallSite, target)
           && strcmp(object_class(o)->name->s, "java/lang/invoke/ConstantCallSite") != 0;
}

static Trust trust_in(const Field *f, const Object *o)
{
    if (f->access & ACC_VOLATILE || is_settable_target(f, o))
        return CHANGES;
    if (f->access & ACC_FINAL && f->access & ACC_STATIC)
        return class_state(f->cls) == CLASS_INITIALIZED && !atomic_load(&f->final_changes)
                   ? FINAL
                   : CHANGES;
    if (f->stable)
        return STABLE;
    return f->access & ACC_FINAL && !(f->access & ACC_STATIC) && is_trusted(f->cls) ? FINAL
                                                                                    : CHANGES;
}

static void add_folded(Graph *g, const Field *f)
{
    for (size_t i = 0; i < g->folded.len; i++)
        if (g->folded.at[i] == f)
            return;
    vec_push(&g->folded, f);
}

// ---- boxes ----

// Whether the method is the valueOf of a class that boxes a primitive type.
static bool is_box_factory(const Method *m)
{
    static const char *const descriptors[] = {
        "(Z)Ljava/lang/Boolean;", "(B)Ljava/lang/Byte;",    "(C)Ljava/lang/Character;",
        "(S)Ljava/lang/Short;",   "(I)Ljava/lang/Integer;", "(J)Ljava/lang/Long;"};
    if (m->cls->loader != loader_boot || strcmp(m->name->s, "valueOf") != 0)
        return false;
    for (size_t i = 0; i < ARRAY_LEN(descriptors); i++)
        if (strcmp(m->desc->s, descriptors[i]) == 0)
            return begins_with(m->cls->name, "java/lang/");
    return false;
}

// The array that a box comes from, if it is not new.
static void *box_cache(const Builder *b, NodeId box, const Class *c)
{
    Node *phi = ir_node(b->g, box);
    if (phi->op != IR_Phi || ir_input_count(phi) != 2)
        return NULL;
    const Node *x = ir_node(b->g, ir_inputs(b->g, phi)[0]),
               *y = ir_node(b->g, ir_inputs(b->g, phi)[1]);
    const Node *old = x->op == IR_LoadElem ? x : y, *new = old == x ? y : x;
    if (old->op != IR_LoadElem || new->op != IR_New || ir_pointer(b->g, new) != c)
        return NULL;
    const Node *array = ir_node(b->g, ir_unchecked(b->g, old->in[0]));
    if (array->op != IR_Object)
        return NULL;
    const Object *o = deref(ir_pointer(b->g, array));
    bool fits = class_is_reference_array(object_class(o)) && object_class(o)->element == c
                && array_length(o) > 0;
    return fits ? ir_pointer(b->g, array) : NULL;
}

void build_note_box(Builder *b, const Method *m, NodeId value)
{
    if (!b->block || b->depth == 0 || !is_box_factory(m))
        return;
    IrBox box = {b->words[build_locals(b) + b->depth - 1], value, m->cls, NULL};
    box.cache = box_cache(b, box.box, m->cls);
    vec_push(&b->g->boxes, box);
    Node *n = ir_node(b->g, box.box);
    if (n->op == IR_Phi)
        n->aux = PHI_NOT_NULL;
}

const Class *build_box_class(const Builder *b, NodeId n)
{
    const IrBox *box = ir_find_box(b->g, n);
    return box ? box->cls : NULL;
}

// What a box holds, which was made of a value that is there.
static NodeId unboxed(Builder *b, const Field *f, NodeId holder)
{
    const IrBox *box = ir_find_box(b->g, ir_unchecked(b->g, holder));
    if (!box || f->cls != box->cls || strcmp(f->name->s, "value") != 0
        || ir_node(b->g, box->value)->type != ir_type_of_kind(f->kind))
        return 0;
    add_folded(b->g, f);
    return box->value;
}

NodeId build_known_field(Builder *b, const Field *f, NodeId holder)
{
    NodeId value = unboxed(b, f, holder);
    if (value)
        return value;
    const Object *o = build_object_of(b, holder);
    Trust trust = o ? trust_in(f, o) : CHANGES;
    if (trust == CHANGES || (!(f->access & ACC_STATIC) && !object_is_instance(o, f->cls)))
        return 0;
    NodeId known = value_at(b, holder, f->kind, f->offset, trust, f->stable);
    if (known)
        add_folded(b->g, f);
    return known;
}

NodeId build_known_element(Builder *b, NodeId array, NodeId index, char kind)
{
    const Node *a = ir_node(b->g, array), *i = ir_node(b->g, index);
    if (a->op != IR_Object || i->op != IR_Const
        || !find_constant(b->g, ir_pointer(b->g, a))->stable)
        return 0;
    const Object *o = build_object_of(b, array);
    uint64_t at = ir_value(b->g, i);
    bool references = class_is_reference_array(object_class(o));
    if (!class_is_array(object_class(o)) || references != kind_is_reference(kind)
        || at >= (uint64_t)array_length(o))
        return 0;
    size_t offset = ARRAY_BASE + (size_t)at * element_size(kind);
    return value_at(b, array, kind, offset, STABLE, false);
}

// ---- what is known by them ----

// An array of a class that is known may hold what its elements' class says.
static NodeId known_store(const Builder *b, const NodeId *in)
{
    const Class *array = build_exact_class(b, in[1]), *c = build_exact_class(b, in[0]);
    bool fits =
        array && class_is_array(array)
        && (array->element == CLS(Object) || (c && class_is_subclass(c, array->element)));
    return fits ? in[0] : 0;
}

NodeId build_known_value(Builder *b, IrOp op, const NodeId *in, uint32_t aux)
{
    if (op == IR_StoreCheck)
        return known_store(b, in);
    if (op != IR_TypeCheck && op != IR_InstanceOf && op != IR_HasClass && op != IR_MirrorOf
        && op != IR_ArrayLength)
        return 0;
    const Object *o = build_object_of(b, in[0]);
    const Class *c = o ? object_class(o) : build_exact_class(b, in[0]);
    if (!c)
        return 0;
    const Class *named = op == IR_MirrorOf || op == IR_ArrayLength
                             ? NULL
                             : (const Class *)(uintptr_t)b->g->values.at[aux];
    switch (op) {
    case IR_TypeCheck: return class_is_subclass(c, named) ? in[0] : 0;
    case IR_InstanceOf: return build_int(b, class_is_subclass(c, named));
    case IR_HasClass: return build_int(b, c == named);
    case IR_ArrayLength: return o && class_is_array(c) ? build_int(b, array_length(o)) : 0;
    default: return build_value(b, IR_Mirror, IRT_A, 0, NULL, ir_intern(b->g, (uintptr_t)c));
    }
}

static const Class *class_of_node(const Builder *b, NodeId n)
{
    const Node *node = ir_node(b->g, n);
    return node->op == IR_Mirror ? ir_pointer(b->g, node) : NULL;
}

// Methods that Reflection.getCallerClass may have to pass over.
static bool is_between(const Method *m)
{
    static const char *const names[] = {"java/lang/reflect/", "java/lang/invoke/",
                                        "jdk/internal/reflect/"};
    bool between = m->cls->accessor || m->flags & METHOD_LAMBDA_FORM_COMPILED;
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        between |= begins_with(m->cls->name, names[i]);
    return between;
}

// Whose code has called the method whose code this is, where both are part of the graph.
static const Class *caller_class(const Builder *b)
{
    const Builder *caller = b->caller;
    bool asks = b->source->method->flags & METHOD_CALLER_SENSITIVE;
    return asks && caller && !is_between(caller->source->method) ? caller->source->method->cls
                                                                 : NULL;
}

NodeId build_known_call(Builder *b, IrOp op, const NodeId *in)
{
    const Class *c;
    switch (op) {
    case IR_Mirror: // Reflection.getCallerClass
        c = caller_class(b);
        return c ? build_value(b, IR_Mirror, IRT_A, 0, NULL, ir_intern(b->g, (uintptr_t)c)) : 0;
    case IR_InstanceOf: // Class.isInstance
        c = class_of_node(b, in[0]);
        if (!c)
            return 0;
        return class_is_primitive(c) ? build_int(b, 0)
                                     : build_value(b, IR_InstanceOf, IRT_I, 1, in + 1,
                                                   ir_intern(b->g, (uintptr_t)c));
    case IR_HasClass: // Class.isPrimitive
        c = class_of_node(b, in[0]);
        return c ? build_int(b, class_is_primitive(c)) : 0;
    case IR_New: // Unsafe.allocateInstance
        c = class_of_node(b, in[1]);
        return c && class_makes_instances(c)
                   ? build_effect(b, IR_New, IRT_A, 0, NULL, ir_intern(b->g, (uintptr_t)c),
                                  build_state(b, b->in.bci, STATE_BEHIND))
                   : 0;
    default: // MethodHandleImpl.isCompileConstant
        return build_object_of(b, in[0]) || ir_is_const(b->g, in[0]) ? build_int(b, 1) : 0;
    }
}

// ---- method handles ----

// NULL: not prepared.
static Object *entry_of(Object *handle)
{
    Object *form = object_get_ref(handle, OFF(MethodHandle, form));
    return form ? object_get_ref(form, OFF(LambdaForm, vmentry)) : NULL;
}

static IrOp selecting(const Method *m, const Object *member, bool interface)
{
    if (object_get_long(member, OFF(MemberName, vmindex)) < 0 || !method_is_selected(m))
        return IR_CallExact;
    if (interface || class_is_interface(m->cls))
        return method_in_itable(m) ? IR_CallInterface : IR_NONE;
    return method_in_vtable(m) ? IR_CallVirtual : IR_NONE;
}

// The MemberName that says what is called; NULL: not known.
static Object *linked_member(const Builder *b, MethodEntry entry, uint32_t count,
                             const NodeId *in)
{
    const Class *type = entry == ENTRY_INVOKE_BASIC ? CLS(MethodHandle) : CLS(MemberName);
    Object *o = build_object_of(b, in[entry == ENTRY_INVOKE_BASIC ? 0 : count - 1]);
    if (!o || !object_is_instance(o, type))
        return NULL;
    return entry == ENTRY_INVOKE_BASIC ? entry_of(o) : o;
}

Method *build_linked(Builder *b, Method *m, IrOp *op, uint32_t *count, NodeId *in)
{
    MethodEntry entry = method_entry_kind(m);
    if (entry < ENTRY_INVOKE_BASIC || entry > ENTRY_LINK_TO_INTERFACE || *count == 0)
        return m;
    Object *member = linked_member(b, entry, *count, in);
    Method *target = member ? member_name_target(member) : NULL;
    if (!target)
        return m;
    bool is_static = entry == ENTRY_INVOKE_BASIC || entry == ENTRY_LINK_TO_STATIC;
    bool selects = entry == ENTRY_LINK_TO_VIRTUAL || entry == ENTRY_LINK_TO_INTERFACE;
    IrOp how = is_static ? IR_CallStatic
               : selects ? selecting(target, member, entry == ENTRY_LINK_TO_INTERFACE)
                         : IR_CallExact;
    if (is_static != method_is_static(target) || how == IR_NONE)
        return m;
    *count -= entry != ENTRY_INVOKE_BASIC;
    if (!is_static)
        in[0] = build_unary(b, IR_NullCheck, in[0]);
    *op = how;
    return target;
}
