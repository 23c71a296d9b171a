// SPDX-License-Identifier: Apache-2.0
// Java objects from C: calls, exceptions, strings, arrays, boxes, well-known classes and
// fields. Unless said otherwise: MAY_GC, results are local handles (jobject) of the current
// scope, NULL (false) with the exception pending.
#ifndef JAVA_JAVA_H
#define JAVA_JAVA_H

#include "class/loader.h"

// ---- well-known classes, fields, methods: spec/vm_classes.def ----
// CLS(Object) is a Class *; OFF(Thread, eetop) a byte offset; MTH(Thread, run) a Method *.
// Filled by vm_classes_load; optional ones may be NULL.
enum {
#define VM_CLASS(id, name) C_##id,
#define VM_FIELD(cls, field, desc)
#define VM_STATIC(cls, field, desc)
#define VM_INJECT(cls, field, kind)
#define VM_METHOD(cls, id, name, desc)
#include "spec/vm_classes.def"
    VM_CLASS_COUNT
};
#undef VM_CLASS
#undef VM_FIELD
#undef VM_STATIC
#undef VM_INJECT
#undef VM_METHOD
enum {
#define VM_CLASS(id, name)
#define VM_FIELD(cls, field, desc)  F_##cls##_##field,
#define VM_STATIC(cls, field, desc) F_##cls##_##field,
#define VM_INJECT(cls, field, kind) F_##cls##_##field,
#define VM_METHOD(cls, id, name, desc)
#include "spec/vm_classes.def"
    VM_FIELD_COUNT
};
#undef VM_FIELD
#undef VM_STATIC
#undef VM_INJECT
#undef VM_METHOD
enum {
#define VM_FIELD(cls, field, desc)
#define VM_STATIC(cls, field, desc)
#define VM_INJECT(cls, field, kind)
#define VM_METHOD(cls, id, name, desc) M_##cls##_##id,
#include "spec/vm_classes.def"
    VM_METHOD_COUNT
};
#undef VM_CLASS
#undef VM_FIELD
#undef VM_STATIC
#undef VM_INJECT
#undef VM_METHOD
extern Class *vm_classes[VM_CLASS_COUNT];
extern uint32_t vm_field_offsets[VM_FIELD_COUNT];
extern Method *vm_methods[VM_METHOD_COUNT];
#define CLS(id)       (vm_classes[C_##id])
#define OFF(cls, fld) (vm_field_offsets[F_##cls##_##fld])
#define MTH(cls, id)  (vm_methods[M_##cls##_##id])

// Loads the well-known classes in order, makes mirrors, injects fields, fills the tables.
// Before any Java code runs.
NODISCARD MAY_GC bool vm_classes_load(Thread *self);

// ---- calls ----
// The engine registers how Java code is run. args: receiver first (as .l), references as
// handles; the result's .l is a local handle.
typedef bool (*JavaCall)(Thread *self, Method *m, const jvalue *args, jvalue *result);
void java_set_engine(JavaCall call);
// Runs exactly `m`. False with the exception pending. result may be NULL.
NODISCARD MAY_GC bool java_call(Thread *self, Method *m, const jvalue *args, jvalue *result);
// Selects by the receiver args[0] first.
NODISCARD MAY_GC bool java_call_virtual(Thread *self, Method *m, const jvalue *args,
                                        jvalue *result);
// Loads, initialises, finds and calls a static method by names; for rare upcalls.
NODISCARD MAY_GC bool java_call_static(Thread *self, const char *cls, const char *name,
                                       const char *desc, const jvalue *args, jvalue *result);

// ---- exceptions ----
static inline bool exception_pending(Thread *self)
{
    return UNLIKELY(self->exception != NULL);
}
// Throws a new exception of a well-known or any boot class ("java/lang/…"); message may be
// NULL. No stack overflow, no lost error: if making it fails, what it failed with is pending. A
// pending exception is replaced.
COLD MAY_GC void throw_new(Thread *self, const char *cls, const char *fmt, ...) PRINTF(3, 4);
COLD MAY_GC void throw_null(Thread *self, const char *cls); // without message
COLD MAY_GC void throw_class(Thread *self, Class *cls,
                             const char *message /* mUTF-8 or NULL */);
COLD void throw_object(Thread *self, Object *throwable); // sets pending
// initCause
COLD MAY_GC void throw_cause(Thread *self, const char *cls, jobject cause, const char *fmt, ...)
    PRINTF(4, 5);
// "Java heap space" …: preallocated; posts RESOURCE_EXHAUSTED
COLD MAY_GC void throw_out_of_memory(Thread *self, const char *message);
// How the heap is dumped when -XX:+HeapDumpOnOutOfMemoryError asks for it. At start.
void exceptions_set_heap_dump(void (*dump)(Thread *self));
COLD MAY_GC void throw_stack_overflow(Thread *self);
static inline jobject exception_take(Thread *self) // clears; a local handle, NULL when none
{
    jobject h = self->exception ? handle_new(self, self->exception) : NULL;
    self->exception = NULL;
    return h;
}
static inline void exception_set(Thread *self, jobject h)
{
    self->exception = deref(h);
}
// A throwable, its frames and its causes as text, without running Java. NO_GC; vm_free it.
char *exception_text(Object *throwable);
// to stderr, by printStackTrace; never throws
MAY_GC void exception_print(Thread *self, jobject throwable, const char *prefix);
bool exceptions_init(Thread *self); // preallocates
// Until this is called, after System.initPhase1, a lack of memory for metadata ends the process with
// one line, as in HotSpot. By the main thread.
void exceptions_started(void);

// ---- objects ----
void objects_init(void); // before any event is wanted
// raw; initialised class expected; throws OutOfMemoryError
NODISCARD MAY_GC Object *object_new_raw(Thread *self, Class *c);
// as handle; initialises c first; InstantiationException when abstract
NODISCARD MAY_GC jobject object_new(Thread *self, Class *c);
// False for abstract classes, interfaces, arrays and primitive types with InstantiationError or
// InstantiationException, for Class with IllegalAccessError or IllegalAccessException.
NODISCARD MAY_GC bool class_require_instantiable(Thread *self, Class *c, bool as_error);
NODISCARD MAY_GC jobject object_construct(Thread *self, Class *c, const char *desc,
                                          const jvalue *args /* without receiver */);
// throws NegativeArraySize, OutOfMemory
NODISCARD MAY_GC Object *array_new_raw(Thread *self, Class *array_class, int32_t length);
NODISCARD MAY_GC jobject array_new(Thread *self, Class *array_class, int32_t length);
NODISCARD MAY_GC Object *array_new_multi(Thread *self, Class *array_class, int dims,
                                         const int32_t *lengths);
NODISCARD MAY_GC jobject object_clone(Thread *self, jobject o); // CloneNotSupportedException
// System.arraycopy with its exceptions.
MAY_GC bool array_copy(Thread *self, Object *src, int32_t src_pos, Object *dst, int32_t dst_pos,
                       int32_t length);
// java.lang.Class mirror of a class as a local handle.
static inline jobject mirror_handle(Thread *self, const Class *c)
{
    return handle_new(self, class_mirror(c));
}
static inline Class *class_of_handle(jobject mirror) // of a jclass
{
    return class_of_mirror(deref(mirror));
}

// ---- strings ----
NODISCARD MAY_GC jobject string_from_mutf8(Thread *self, const char *s);
NODISCARD MAY_GC jobject string_from_mutf8_n(Thread *self, const char *s, size_t len);
NODISCARD MAY_GC jobject string_from_utf16(Thread *self, const uint16_t *s, size_t len);
NODISCARD MAY_GC jobject string_from_latin1(Thread *self, const uint8_t *s, size_t len);
// bytes of the C locale (UTF-8 or Latin-1)
NODISCARD MAY_GC jobject string_from_platform(Thread *self, const char *s);
NODISCARD MAY_GC jobject string_intern(Thread *self, jobject string);
NODISCARD MAY_GC jobject string_intern_symbol(Thread *self, const Symbol *s);
NODISCARD MAY_GC jobject string_intern_mutf8_n(Thread *self, const char *s, size_t len);
// The same for natives of the class library: VM_OBJECT_ALLOC of the string and its bytes when they are new
NODISCARD MAY_GC jobject string_intern_told(Thread *self, const char *s, size_t len);
NODISCARD MAY_GC jobject string_from_mutf8_told(Thread *self, const char *s, size_t len);
// A String that no constructor has given a value (a debugger may stop there, JNI AllocObject makes
// one) is read as an empty one by all of these.
bool string_has_value(const Object *s);
int32_t string_length(const Object *s); // UTF-16 units
uint16_t string_char_at(const Object *s, int32_t i);
char *string_to_mutf8(const Object *s); // vm_malloc'ed, NUL-terminated; NULL for NULL. NO_GC
char *string_to_utf8(const Object *s);  // standard UTF-8 for files, environment. NO_GC
void string_get_utf16(const Object *s, int32_t start, int32_t len, uint16_t *out);
size_t string_mutf8_length(const Object *s);
void string_put_mutf8(const Object *s, char *out); // so many bytes, and no end. NO_GC
Symbol *string_to_symbol(const Object *s, bool dots_to_slashes, bool create); // NO_GC
// Calls visit (NULL: nobody) for each interned string, under the table's lock, with its bucket.
// The number of buckets. NO_GC, IN_VM.
size_t interned_strings_each(void (*visit)(void *ctx, size_t bucket, Object *s), void *ctx);
void strings_init(void); // intern table

// ---- primitives and boxes ----
// 'L','[': v.l itself; 'V': NULL without exception
NODISCARD MAY_GC jobject box_value(Thread *self, char kind, jvalue v);
bool unbox_value(Object *box, char *kind, jvalue *out); // false: not a box
bool widen_value(char from, char to, jvalue *v);        // JLS 5.1.2; false: not possible
Class *box_class(char kind);
// Memory of a field or array element of a kind, by jvalue; references as handles. `volatile_`
// gives seq_cst.
jvalue memory_get(Thread *self, const Object *o, size_t offset, char kind, bool volatile_);
void memory_set(Object *o, size_t offset, char kind, jvalue v, bool volatile_);

// ---- reflection, reflect.c ----
bool reflect_init(Thread *self);                                  // preallocates
NODISCARD MAY_GC jobject reflect_field(Thread *self, Field *f);   // java.lang.reflect.Field
NODISCARD MAY_GC jobject reflect_method(Thread *self, Method *m); // Method or Constructor
Field *reflect_field_of(Object *field);        // from java.lang.reflect.Field. NO_GC
Method *reflect_method_of(Object *executable); // from Method or Constructor. NO_GC
// Method.invoke semantics: boxes, unboxes, wraps in InvocationTargetException.
MAY_GC jobject reflect_invoke(Thread *self, Method *m, jobject receiver, jobject args_array,
                              bool *ok);
NODISCARD MAY_GC jobject reflect_new_instance(Thread *self, Method *constructor,
                                              jobject args_array);

// ---- stack traces, stacktrace.c ----
MAY_GC void throwable_fill_stack_trace(Thread *self, jobject throwable); // JVM_FillInStackTrace
// The method and bci of entry `i` of a throwable's backtrace; false when there is none. NO_GC.
bool throwable_frame(Object *throwable, int i, Method **m, int32_t *bci);
// The bci of a place in a version of a class that is gone: its line is unknown.
enum { TRACE_LOST = -2 };
// A place in code that stays good as long as the class does: the method's current version, and
// the version of the class that the bci is of.
typedef struct TraceEntry {
    Method *method;
    int32_t bci;
    uint32_t version;
} TraceEntry;
TraceEntry trace_entry(const Frame *f); // NO_GC
// The method of that version, or the current one with *bci TRACE_LOST. NO_GC.
Method *trace_find_method(const TraceEntry *e, int32_t *bci);
// a filled StackTraceElement
NODISCARD MAY_GC jobject stack_trace_element(Thread *self, const TraceEntry *e);
MAY_GC bool stack_trace_element_fill(Thread *self, jobject element, Method *m, int32_t bci);
// Copies the places of another thread's Java frames, youngest first, hidden ones skipped; the
// thread is held or is self. NO_GC.
int thread_trace(Thread *t, int skip, int max, TraceEntry *out, bool show_hidden);
char *npe_message(Method *m, int32_t bci); // JEP 358 text, vm_malloc'ed, or NULL

// ---- natives, native.c ----
// Finds the C function of a native method (JNI naming, libjava, ClassLoader.findNative, VM's own).
// UnsatisfiedLinkError when absent. Posts NATIVE_BIND.
NODISCARD MAY_GC void *native_link(Thread *self, Method *m);
// The VM's own natives: class, method, descriptor (NULL: any) -> function. Rows of spec tables;
// registered at start, found before dlsym.
typedef struct VmNative {
    const char *cls, *name, *desc;
    void *fn;
} VmNative;
void native_register_vm(const VmNative *rows, size_t count);
// What a short native of the class library does, on the slots of its arguments; the result goes to args[0]. NO_GC, does not throw or
// block. False: the native method is to be called instead (args are as they were).
typedef bool LeafFunction(Thread *self, const Method *m, Slot *args);
typedef struct NativeLeaf {
    const char *cls, *name, *desc;
    LeafFunction *leaf;
} NativeLeaf;
// Registered at start. A method gets its leaf when it is bound to a function of the VM or of libjava, and loses it when an agent or
// RegisterNatives puts another in its place.
void native_register_leaves(const NativeLeaf *rows, size_t count);
// Registered at start: methods of the class library, Java or native, that the VM always computes itself, as HotSpot's interpreter does.
// A call pushes no frame and posts no event, whatever an agent binds, unless the leaf declines.
void native_register_computed(const NativeLeaf *rows, size_t count);
// The leaf of such a method, NULL of others. Takes RANK_RESOLVE.
LeafFunction *native_computed(const Method *m);
// The native method of c that a method under its unprefixed name wraps, by the prefixes of agents;
// NULL: none. NO_GC.
Method *native_find_prefixed(const Class *c, const Method *wrapper);
// The native method of c that has the name of `left`, which is no native one any more, with the prefixes of agents or
// without; NULL: none. NO_GC.
Method *native_find_successor(const Class *c, const Method *left);
void native_set_library(void *libjava); // where boot natives are looked up first
// JVM TI SetNativeMethodPrefixes, outermost last
void native_set_prefixes(const char *const *prefixes, int count);

// ---- handle scopes ----
// For functions that make temporaries and hand one handle to the caller: inside HANDLE_SCOPE,
// `SCOPE_RETURN(h);` closes the scope and returns a new handle of the same object in the outer one.
static inline jobject scope_return(HandleScope *scope, jobject h)
{
    Object *raw = deref(h);
    handle_pop(scope->self, scope->mark);
    h = handle_new(scope->self, raw);
    scope->mark = handle_mark(scope->self);
    return h;
}
#define SCOPE_RETURN(h) return scope_return(&handle_scope_, (h))

// ---- more of the above ----
bool java_engine_ready(void);
// A new exception without throwing it; message and cause may be NULL.
NODISCARD MAY_GC jobject exception_new(Thread *self, Class *cls, const char *message,
                                       jobject cause);
// OBJECT_ALLOC of a new object that is ready to be looked at. Gives it back, perhaps moved. Those
// of object_new_raw and array_new_raw are told already.
NODISCARD MAY_GC Object *object_tell_alloc(Thread *self, Object *o);
// One of the first class objects, all made before any is told of: OBJECT_ALLOC is still to come.
bool mirror_is_untold(const Object *o);
// VM_OBJECT_ALLOC, for objects made by natives of the class library
MAY_GC void object_post_alloc(Thread *self, jobject o);
// The same of an array, of all that is in it and of the arrays which those hold, all made with it. NULL: none
MAY_GC void object_post_alloc_array(Thread *self, jobject array);
// Class.name: the interned dotted name, made on first use. A local handle.
NODISCARD MAY_GC jobject class_name_string(Thread *self, Class *c);
// The same for natives of the class library: VM_OBJECT_ALLOC when it is new
NODISCARD MAY_GC jobject class_name_string_told(Thread *self, Class *c);
// byte[]; NULL without exception when b.p is NULL
NODISCARD MAY_GC jobject bytes_to_array(Thread *self, Bytes b);
// its youngest frame was a hidden one: no helpful NPE message. NO_GC
bool throwable_top_hidden(Object *throwable);
int throwable_depth(Object *throwable); // entries of its backtrace. NO_GC
// Class c as a cause of "no implementation": AbstractMethodError, and
// IncompatibleClassChangeError of invokeinterface.
// A call of a deleted method, or of one that the VM made to throw.
COLD MAY_GC void throw_for_method(Thread *self, const Method *m);
// `selected` is what the call found instead of code, NULL: nothing. by_class: not through the interface that declares
// `resolved`.
COLD MAY_GC void throw_abstract_method(Thread *self, Class *receiver, const Method *resolved,
                                       const Method *selected, bool by_class);
COLD MAY_GC void throw_not_implementing(Thread *self, Class *receiver, Class *iface);

// Binds a native method to a function: posts NATIVE_BIND (a listener may replace it), stores
// and returns what is to be called. MAY_GC.
MAY_GC void *native_bind(Thread *self, Method *m, void *fn);
// The next call links it again. NO_GC.
void native_unbind(Method *m);
// Asked last, for names no library has: agents' libraries. NULL: not found.
void native_set_agent_lookup(void *(*lookup)(const char *name));

#endif
