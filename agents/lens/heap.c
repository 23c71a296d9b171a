// SPDX-License-Identifier: Apache-2.0
// The verb heap: all objects and references, from one walk over what is reachable.
//
// Objects are numbered by tags in an environment of the walk's own, which takes all of them away when
// it is disposed of. Classes and threads are tagged before the walk, with TOLD_BEFORE and an index: the
// callbacks may call nothing, so what they have to know of a class stands in a table. Roots of frames
// name a method; they are kept, and written after the walk with the method's definition.
#define _GNU_SOURCE
#include "heap.h"
#include "verbs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define TOLD_BEFORE \
    ((jlong)1 << 40) // in a tag: the rest is the index of a Known; else a number

typedef struct Field {
    char *name;
    char type;
    bool is_static;
} Field;

// A class or a thread that was tagged before the walk.
typedef struct Known {
    uint32_t number; // of the object, 0: not met yet
    uint32_t class;  // of the java.lang.Class: the id of the class, else 0
    uint32_t thread; // of a thread: its id, else 0
    // Of a class:
    uint32_t super;       // index of a Known, 0: none
    uint32_t *interfaces; // likewise
    uint32_t interfaces_len;
    Field *fields;
    uint32_t fields_len;
    uint32_t seen; // by count_interface_fields
    bool is_interface, is_told;
} Known;

typedef struct FrameRoot { // a root whose method is to be named
    uint32_t number, kind, thread, depth, slot;
    jmethodID method;
} FrameRoot;

typedef struct Walk {
    jvmtiEnv *env; // whose tags they are
    JNIEnv *jni;
    HeapStream stream;
    Known *known; // known[0] is not used
    uint32_t known_len, known_cap;
    uint32_t other_class; // the id for classes that were loaded after we asked
    uint64_t objects, references;
    FrameRoot *roots;
    size_t roots_len, roots_cap;
    bool contents, failed;
    uint64_t nanos;
} Walk;

// ---- the stop's length ----

// The last walk: how long a byte of the heap took. Before one, what was measured with small objects.
static double nanos_per_byte;
enum { NANOS_PER_OBJECT_LISTS = 220, NANOS_PER_OBJECT = 1050, BYTES_PER_OBJECT = 40 };

static uint64_t call_long(JNIEnv *jni, jclass class, jobject object, const char *name)
{
    jmethodID method = (*jni)->GetMethodID(jni, class, name, "()J");
    jlong value = method ? (*jni)->CallLongMethod(jni, object, method) : 0;
    (*jni)->ExceptionClear(jni);
    return value > 0 ? (uint64_t)value : 0;
}

// Bytes of the heap in use, from java.lang.Runtime; 0 where it does not say.
static uint64_t heap_used(JNIEnv *jni)
{
    jclass class = (*jni)->FindClass(jni, "java/lang/Runtime");
    jmethodID get =
        class ? (*jni)->GetStaticMethodID(jni, class, "getRuntime", "()Ljava/lang/Runtime;")
              : NULL;
    jobject runtime = get ? (*jni)->CallStaticObjectMethod(jni, class, get) : NULL;
    (*jni)->ExceptionClear(jni);
    if (!runtime)
        return 0;
    uint64_t total = call_long(jni, class, runtime, "totalMemory");
    uint64_t unused = call_long(jni, class, runtime, "freeMemory");
    (*jni)->DeleteLocalRef(jni, runtime);
    (*jni)->DeleteLocalRef(jni, class);
    return total > unused ? total - unused : 0;
}

static bool is_fast_vm(void)
{
    char *name = NULL;
    bool is =
        (*lens.jvmti)->GetSystemProperty(lens.jvmti, "java.vm.name", &name) == JVMTI_ERROR_NONE
        && strstr(name, "Pellucid");
    agent_deallocate(lens.jvmti, name);
    return is;
}

static uint64_t estimate_ms(uint64_t used)
{
    if (nanos_per_byte > 0)
        return (uint64_t)((double)used * nanos_per_byte / 1e6) + 1;
    uint64_t each = is_fast_vm() ? NANOS_PER_OBJECT_LISTS : NANOS_PER_OBJECT;
    return used / BYTES_PER_OBJECT * each / 1000000 + 1;
}

// ---- before the walk: classes and threads ----

static uint32_t index_of(const Walk *w, jobject object)
{
    jlong tag = 0;
    if (!object || (*w->env)->GetTag(w->env, object, &tag) != JVMTI_ERROR_NONE)
        return 0;
    return (uint32_t)(tag & (TOLD_BEFORE - 1));
}

// Tags an object with the index of a new row; NULL when memory ends. Rows move.
static Known *add_known(Walk *w, jobject object)
{
    if (w->known_len == w->known_cap) {
        uint32_t cap = w->known_cap ? w->known_cap * 2 : 4096;
        Known *grown = agent_grow(w->known, w->known_cap * sizeof *grown, cap * sizeof *grown);
        if (!grown)
            return NULL;
        w->known = grown;
        w->known_cap = cap;
    }
    if (w->known_len == 0)
        w->known_len = 1;
    Known *k = &w->known[w->known_len];
    if ((*w->env)->SetTag(w->env, object, TOLD_BEFORE | w->known_len) != JVMTI_ERROR_NONE)
        return NULL;
    w->known_len++;
    return k;
}

static void read_field(Walk *w, jclass class, jfieldID id, Field *field)
{
    char *name = NULL, *signature = NULL;
    jint modifiers = 0;
    if ((*w->env)->GetFieldName(w->env, class, id, &name, &signature, NULL)
        == JVMTI_ERROR_NONE) {
        (void)(*w->env)->GetFieldModifiers(w->env, class, id, &modifiers);
        field->name = agent_utf8(name);
        field->type = signature[0];
        field->is_static = modifiers & 0x0008; // ACC_STATIC
    }
    agent_deallocate(w->env, name);
    agent_deallocate(w->env, signature);
}

static void read_fields(Walk *w, jclass class, Known *k)
{
    jfieldID *ids = NULL;
    jint len = 0;
    if ((*w->env)->GetClassFields(w->env, class, &len, &ids) != JVMTI_ERROR_NONE)
        return; // not prepared: it has no instances
    k->fields = calloc((size_t)len + 1, sizeof *k->fields);
    k->fields_len = k->fields ? (uint32_t)len : 0;
    for (uint32_t i = 0; i < k->fields_len; i++)
        read_field(w, class, ids[i], &k->fields[i]);
    agent_deallocate(w->env, ids);
}

static void read_interfaces(Walk *w, jclass class, Known *k)
{
    jclass *list = NULL;
    jint len = 0;
    if ((*w->env)->GetImplementedInterfaces(w->env, class, &len, &list) != JVMTI_ERROR_NONE)
        return;
    k->interfaces = calloc((size_t)len + 1, sizeof *k->interfaces);
    k->interfaces_len = k->interfaces ? (uint32_t)len : 0;
    for (jint i = 0; i < len; i++) {
        if (k->interfaces)
            k->interfaces[i] = index_of(w, list[i]);
        (*w->jni)->DeleteLocalRef(w->jni, list[i]);
    }
    agent_deallocate(w->env, list);
}

static void read_class(Walk *w, jclass class)
{
    uint32_t index = index_of(w, class);
    if (!index)
        return;
    assert(index < w->known_len);
    Known *k = &w->known[index];
    jboolean is_interface = JNI_FALSE;
    (void)(*w->env)->IsInterface(w->env, class, &is_interface);
    k->is_interface = is_interface;
    jclass super = (*w->jni)->GetSuperclass(w->jni, class);
    k->super = index_of(w, super);
    (*w->jni)->DeleteLocalRef(w->jni, super);
    read_fields(w, class, k);
    read_interfaces(w, class, k);
}

// Fields of all interfaces of a class together, each once: JVM TI's field indexes begin behind them.
static uint32_t count_interface(Walk *w, uint32_t index, uint32_t of)
{
    assert(index > 0 && index < w->known_len);
    Known *k = &w->known[index];
    if (k->seen == of)
        return 0;
    k->seen = of;
    uint32_t n = k->fields_len;
    for (uint32_t i = 0; i < k->interfaces_len; i++)
        if (k->interfaces[i])
            n += count_interface(w, k->interfaces[i], of);
    return n;
}

static uint32_t count_interface_fields(Walk *w, uint32_t of)
{
    uint32_t n = 0;
    for (uint32_t at = of; at; at = w->known[at].is_interface ? 0 : w->known[at].super)
        for (uint32_t i = 0; i < w->known[at].interfaces_len; i++)
            if (w->known[at].interfaces[i])
                n += count_interface(w, w->known[at].interfaces[i], of);
    return n;
}

static void write_class(Walk *w, uint32_t index)
{
    assert(index > 0 && index < w->known_len);
    Known *k = &w->known[index];
    HeapStream *s = &w->stream;
    if (k->is_told || !k->class)
        return;
    k->is_told = true;
    if (k->super)
        write_class(w, k->super);
    uint32_t before = count_interface_fields(w, index);
    if (!heap_record(s))
        return;
    heap_put_u(s, LENS_HEAP_CLASS);
    heap_put_u(s, k->class);
    heap_put_s(s, lens_class_name(k->class));
    heap_put_u(s, w->known[k->super].class);
    // A record must fit into the buffer: of classes with more fields than that the rest has no names.
    uint32_t most = 0;
    for (size_t room = HEAP_RECORD_MAX - HEAP_STRING_CHARS - 64; most < k->fields_len; most++) {
        size_t need = k->fields[most].name ? strlen(k->fields[most].name) + 8 : 8;
        if (need > room)
            break;
        room -= need;
    }
    heap_put_u(s, most);
    for (uint32_t i = 0; i < most; i++) {
        heap_put_s(s, k->fields[i].name ? k->fields[i].name : "");
        heap_put_u(s, (uint8_t)k->fields[i].type);
        heap_put_u(s, k->fields[i].is_static);
    }
    heap_put_u(s, 0);
    heap_put_u(s, before);
}

static bool tag_classes(Walk *w, jclass *classes, jint len)
{
    for (jint i = 0; i < len; i++) {
        uint32_t id = lens_class_id(w->jni, classes[i]);
        Known *k = add_known(w, classes[i]);
        if (!k)
            return false;
        k->class = id;
    }
    return true;
}

static bool prepare_classes(Walk *w)
{
    jclass *classes = NULL;
    jint len = 0;
    if ((*w->env)->GetLoadedClasses(w->env, &len, &classes) != JVMTI_ERROR_NONE)
        return false;
    bool ok = tag_classes(w, classes, len);
    for (jint i = 0; i < len; i++) {
        if (ok)
            read_class(w, classes[i]);
        if (ok && w->known[index_of(w, classes[i])].class > w->other_class)
            w->other_class = w->known[index_of(w, classes[i])].class;
        (*w->jni)->DeleteLocalRef(w->jni, classes[i]);
    }
    agent_deallocate(w->env, classes);
    for (uint32_t i = 1; ok && i < w->known_len; i++)
        write_class(w, i);
    return ok;
}

// Classes that come between now and the walk share one more.
static void write_other_class(Walk *w)
{
    HeapStream *s = &w->stream;
    w->other_class++;
    if (!heap_record(s))
        return;
    heap_put_u(s, LENS_HEAP_CLASS);
    heap_put_u(s, w->other_class);
    heap_put_s(s, "(loaded while the walk began)");
    for (int zeros = 0; zeros < 4;
         zeros++) // no super class, fields, loader, fields of interfaces
        heap_put_u(s, 0);
}

static void prepare_threads(Walk *w)
{
    jthread *threads = NULL;
    jint len = 0;
    if ((*w->env)->GetAllThreads(w->env, &len, &threads) != JVMTI_ERROR_NONE)
        return;
    for (jint i = 0; i < len; i++) {
        uint32_t id = lens_thread_id(w->jni, threads[i]);
        Known *k = id ? add_known(w, threads[i]) : NULL;
        if (k)
            k->thread = id;
        (*w->jni)->DeleteLocalRef(w->jni, threads[i]);
    }
    agent_deallocate(w->env, threads);
}

// ---- the walk: callbacks ----

static void write_object(Walk *w, uint32_t number, jlong class_tag, jlong size, jint length)
{
    HeapStream *s = &w->stream;
    uint32_t class =
        class_tag & TOLD_BEFORE ? w->known[class_tag & (TOLD_BEFORE - 1)].class : 0;
    heap_put_u(s, LENS_HEAP_OBJECT);
    heap_put_u(s, number);
    heap_put_u(s, class ? class : w->other_class);
    heap_put_u(s, (uint64_t)size);
    heap_put_u(s, length > 0 ? (uint64_t)length : 0);
}

static void write_class_object(Walk *w, const Known *k)
{
    heap_put_u(&w->stream, LENS_HEAP_CLASS_OBJECT);
    heap_put_u(&w->stream, k->number);
    heap_put_u(&w->stream, k->class);
}

// The number of an object that was met now, perhaps for the first time.
static uint32_t meet(Walk *w, jlong *tag, jlong class_tag, jlong size, jint length)
{
    Known *k = *tag & TOLD_BEFORE ? &w->known[*tag & (TOLD_BEFORE - 1)] : NULL;
    assert(!k || (k > w->known && k < w->known + w->known_len));
    uint32_t number = k ? k->number : (uint32_t)*tag;
    if (number)
        return number;
    number = (uint32_t)++w->objects;
    write_object(w, number, class_tag, size, length);
    if (!k) {
        *tag = number;
        return number;
    }
    k->number = number;
    if (k->class)
        write_class_object(w, k);
    return number;
}

static uint32_t number_of(const Walk *w, jlong tag)
{
    return tag & TOLD_BEFORE ? w->known[tag & (TOLD_BEFORE - 1)].number : (uint32_t)tag;
}

static uint32_t thread_of(const Walk *w, jlong tag)
{
    return tag & TOLD_BEFORE ? w->known[tag & (TOLD_BEFORE - 1)].thread : 0;
}

static void write_root(Walk *w, const FrameRoot *root, uint32_t method)
{
    assert(root->number != 0);
    HeapStream *s = &w->stream;
    heap_put_u(s, LENS_HEAP_ROOT);
    heap_put_u(s, root->number);
    heap_put_u(s, root->kind);
    heap_put_u(s, root->thread);
    heap_put_u(s, root->depth);
    heap_put_u(s, method);
    heap_put_u(s, root->slot);
}

static bool keep_root(Walk *w, const FrameRoot *root)
{
    if (w->roots_len == w->roots_cap) {
        size_t cap = w->roots_cap ? w->roots_cap * 2 : 1024;
        FrameRoot *grown = realloc(w->roots, cap * sizeof *grown);
        if (!grown)
            return false;
        w->roots = grown;
        w->roots_cap = cap;
    }
    w->roots[w->roots_len++] = *root;
    return true;
}

static void meet_root(Walk *w, uint32_t number, jvmtiHeapReferenceKind kind,
                      const jvmtiHeapReferenceInfo *info, jlong tag)
{
    FrameRoot root = {.number = number, .kind = kind};
    if (kind == JVMTI_HEAP_REFERENCE_STACK_LOCAL) {
        root.thread = thread_of(w, info->stack_local.thread_tag);
        root.depth = (uint32_t)info->stack_local.depth;
        root.slot = (uint32_t)info->stack_local.slot;
        root.method = info->stack_local.method;
    } else if (kind == JVMTI_HEAP_REFERENCE_JNI_LOCAL) {
        root.thread = thread_of(w, info->jni_local.thread_tag);
        root.depth = (uint32_t)info->jni_local.depth;
        root.method = info->jni_local.method;
    } else if (kind == JVMTI_HEAP_REFERENCE_THREAD) {
        root.thread = thread_of(w, tag);
    }
    if (!root.method || !keep_root(w, &root))
        write_root(w, &root, 0);
}

static jint index_in(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info)
{
    switch (kind) {
    case JVMTI_HEAP_REFERENCE_FIELD:
    case JVMTI_HEAP_REFERENCE_STATIC_FIELD: return info->field.index;
    case JVMTI_HEAP_REFERENCE_ARRAY_ELEMENT: return info->array.index;
    case JVMTI_HEAP_REFERENCE_CONSTANT_POOL: return info->constant_pool.index;
    default: return 0;
    }
}

static jint JNICALL on_reference(jvmtiHeapReferenceKind kind,
                                 const jvmtiHeapReferenceInfo *info, jlong class_tag,
                                 jlong referrer_class_tag, jlong size, jlong *tag,
                                 jlong *referrer_tag, jint length, void *data)
{
    (void)referrer_class_tag;
    Walk *w = data;
    if (!heap_record(&w->stream))
        return JVMTI_VISIT_ABORT;
    uint32_t to = meet(w, tag, class_tag, size, length);
    if (!referrer_tag) {
        meet_root(w, to, kind, info, *tag);
        return JVMTI_VISIT_OBJECTS;
    }
    HeapStream *s = &w->stream;
    w->references++;
    heap_put_u(s, LENS_HEAP_REF);
    heap_put_u(s, number_of(w, *referrer_tag));
    heap_put_u(s, to);
    heap_put_u(s, kind);
    heap_put_u(s, (uint64_t)(uint32_t)index_in(kind, info));
    return JVMTI_VISIT_OBJECTS;
}

static uint64_t bits_of(jvmtiPrimitiveType type, jvalue value)
{
    switch (type) {
    case JVMTI_PRIMITIVE_TYPE_BOOLEAN: return value.z;
    case JVMTI_PRIMITIVE_TYPE_BYTE: return (uint8_t)value.b;
    case JVMTI_PRIMITIVE_TYPE_CHAR: return value.c;
    case JVMTI_PRIMITIVE_TYPE_SHORT: return (uint16_t)value.s;
    case JVMTI_PRIMITIVE_TYPE_INT:
    case JVMTI_PRIMITIVE_TYPE_FLOAT: return (uint32_t)value.i;
    default: return (uint64_t)value.j;
    }
}

static jint JNICALL on_primitive(jvmtiHeapReferenceKind kind,
                                 const jvmtiHeapReferenceInfo *info, jlong class_tag,
                                 jlong *tag, jvalue value, jvmtiPrimitiveType type, void *data)
{
    (void)kind, (void)class_tag;
    Walk *w = data;
    HeapStream *s = &w->stream;
    if (!heap_record(s))
        return JVMTI_VISIT_ABORT;
    heap_put_u(s, LENS_HEAP_PRIMITIVE);
    heap_put_u(s, number_of(w, *tag));
    heap_put_u(s, (uint64_t)info->field.index);
    heap_put_u(s, type);
    heap_put_u(s, bits_of(type, value));
    return JVMTI_VISIT_OBJECTS;
}

static jint JNICALL on_string(jlong class_tag, jlong size, jlong *tag, const jchar *chars,
                              jint len, void *data)
{
    (void)class_tag, (void)size;
    Walk *w = data;
    HeapStream *s = &w->stream;
    if (!heap_record(s))
        return JVMTI_VISIT_ABORT;
    heap_put_u(s, LENS_HEAP_STRING);
    heap_put_u(s, number_of(w, *tag));
    heap_put_u(s, (uint64_t)len);
    heap_put_chars(s, chars, (size_t)len);
    return JVMTI_VISIT_OBJECTS;
}

static size_t bytes_of(jvmtiPrimitiveType type)
{
    switch (type) {
    case JVMTI_PRIMITIVE_TYPE_BOOLEAN:
    case JVMTI_PRIMITIVE_TYPE_BYTE: return 1;
    case JVMTI_PRIMITIVE_TYPE_CHAR:
    case JVMTI_PRIMITIVE_TYPE_SHORT: return 2;
    case JVMTI_PRIMITIVE_TYPE_INT:
    case JVMTI_PRIMITIVE_TYPE_FLOAT: return 4;
    default: return 8;
    }
}

static jint JNICALL on_array(jlong class_tag, jlong size, jlong *tag, jint len,
                             jvmtiPrimitiveType type, const void *elements, void *data)
{
    (void)class_tag, (void)size;
    Walk *w = data;
    HeapStream *s = &w->stream;
    if (!heap_record(s))
        return JVMTI_VISIT_ABORT;
    size_t bytes = (size_t)len * bytes_of(type);
    if (bytes > HEAP_ARRAY_BYTES)
        bytes = HEAP_ARRAY_BYTES;
    heap_put_u(s, LENS_HEAP_ARRAY);
    heap_put_u(s, number_of(w, *tag));
    heap_put_u(s, type);
    heap_put_u(s, bytes);
    heap_put_bytes(s, elements, bytes);
    return JVMTI_VISIT_OBJECTS;
}

static jvmtiError follow(Walk *w)
{
    jvmtiHeapCallbacks callbacks = {.heap_reference_callback = on_reference};
    if (w->contents) {
        callbacks.primitive_field_callback = on_primitive;
        callbacks.string_primitive_value_callback = on_string;
        callbacks.array_primitive_value_callback = on_array;
    }
    uint64_t begin = lens_now();
    jvmtiError error = (*w->env)->FollowReferences(w->env, 0, NULL, NULL, &callbacks, w);
    w->nanos = lens_now() - begin;
    return error;
}

// ---- after the walk ----

static void write_frame_roots(Walk *w, LensOrder *order)
{
    for (size_t i = 0; i < w->roots_len && heap_record(&w->stream); i++) {
        uint32_t method = lens_method_id(w->jni, w->roots[i].method);
        lens_tell(order, LENS_DEF_METHOD, method);
        write_root(w, &w->roots[i], method);
    }
}

static void write_end(Walk *w)
{
    static const _Atomic bool never;
    HeapStream *s = &w->stream;
    if (s->end
        != HEAP_WHOLE) { // as much as still goes: the reader sees that the rest is missing
        s->at = s->buffer;
        s->stopping = &never;
    }
    HeapEnd end = s->end;
    heap_put_u(s, LENS_HEAP_END);
    heap_put_u(s, w->objects);
    heap_put_u(s, w->references);
    heap_put_u(s, w->nanos);
    heap_put_u(s, end);
    s->end = HEAP_WHOLE;
    (void)heap_stream_flush(s);
    s->end = end;
}

// The walk's classes are defined on the connection, so blocks can name them.
static bool send_pieces(Walk *w, LensOrder *order)
{
    static uint8_t piece[HEAP_BUFFER]; // one worker sends at a time: see only_walk
    for (uint32_t i = 1; i < w->known_len; i++)
        if (w->known[i].class)
            lens_tell(order, LENS_DEF_CLASS, w->known[i].class);
    off_t at = 0;
    for (size_t i = 0; i < w->stream.pieces_len && !order->stopping; i++) {
        uint32_t len = w->stream.pieces[i];
        if (pread(w->stream.fd, piece, len, at) != (ssize_t)len
            || !lens_send(order, LENS_HEAP, piece, len))
            return false;
        at += len;
        lens_progress(order, (unsigned)(500 + 500 * (i + 1) / w->stream.pieces_len), 0,
                      "Sending what was found.");
    }
    return true;
}

static void free_walk(Walk *w)
{
    for (uint32_t i = 1; i < w->known_len; i++) {
        for (uint32_t k = 0; k < w->known[i].fields_len; k++)
            free(w->known[i].fields[k].name);
        free(w->known[i].fields);
        free(w->known[i].interfaces);
    }
    free(w->known);
    free(w->roots);
    heap_stream_close(&w->stream);
    if (w->env)
        lens_env_dispose(w->env);
}

static void answer(LensOrder *order, const Walk *w, jvmtiError error, bool is_sent)
{
    char objects[24], references[24], stopped[24];
    snprintf(objects, sizeof objects, "%llu", (unsigned long long)w->objects);
    snprintf(references, sizeof references, "%llu", (unsigned long long)w->references);
    snprintf(stopped, sizeof stopped, "%llu", (unsigned long long)(w->nanos / 1000000));
    const LensValue values[] = {
        {"objects", objects}, {"references", references}, {"stopped.ms", stopped}};
    if (error != JVMTI_ERROR_NONE)
        lens_fail(order, "The VM did not walk the heap: JVM TI error %d.", error);
    else if (w->stream.end == HEAP_DISK_FULL)
        lens_fail(order, "The walk ended early: %s. Make room and walk again.", w->stream.why);
    else if (w->stream.end != HEAP_WHOLE)
        lens_fail(order, "The walk ended early: %s.", w->stream.why);
    else if (!is_sent)
        lens_fail(order, "The walk could not be sent.");
    else
        lens_done(order, "", values, sizeof values / sizeof *values);
}

static void walk_into(Walk *w, LensOrder *order, bool in_blocks)
{
    jvmtiError error = JVMTI_ERROR_OUT_OF_MEMORY;
    if (!in_blocks)
        heap_put_bytes(&w->stream, LENS_HEAP_MAGIC, strlen(LENS_HEAP_MAGIC));
    if (prepare_classes(w)) {
        write_other_class(w);
        prepare_threads(w);
        lens_progress(order, 100, 0, "The program stands while its heap is walked.");
        error = follow(w);
        write_frame_roots(w, order);
    }
    write_end(w);
    bool is_sent = !in_blocks || send_pieces(w, order);
    uint64_t used = heap_used(w->jni);
    if (error == JVMTI_ERROR_NONE && w->stream.end == HEAP_WHOLE && used)
        nanos_per_byte = (double)w->nanos / (double)used;
    answer(order, w, error, is_sent);
}

static pthread_mutex_t only_walk =
    PTHREAD_MUTEX_INITIALIZER; // one at a time: each stops the program

// False: the order was stopped while another walked.
static bool wait_for_turn(const LensOrder *order)
{
    static const struct timespec pause = {.tv_nsec = 20 * 1000 * 1000};
    while (pthread_mutex_trylock(&only_walk) != 0) {
        if (order->stopping)
            return false;
        nanosleep(&pause, NULL);
    }
    return true;
}

static void walk(LensOrder *order, JNIEnv *jni, int fd, bool in_blocks)
{
    ASSERT_HELD(&only_walk);
    jvmtiCapabilities wanted = {.can_tag_objects = 1};
    Walk w = {.jni = jni, .contents = strcmp(lens_arg(order, "contents", "1"), "0") != 0};
    w.env = lens_env_new(&wanted);
    if (!w.env)
        lens_fail(order, "The VM gives no environment that can tag objects.");
    else if (fd < 0 || !heap_stream_open(&w.stream, fd, in_blocks, &order->stopping))
        lens_fail(order, "There is no memory for the walk: %s.", strerror(errno));
    else
        walk_into(&w, order, in_blocks);
    free_walk(&w);
}

static void run(LensOrder *order, JNIEnv *jni)
{
    bool in_blocks = order->descriptor < 0;
    int fd = in_blocks ? memfd_create("lens-heap", MFD_CLOEXEC) : order->descriptor;
    if (wait_for_turn(order)) {
        walk(order, jni, fd, in_blocks);
        pthread_mutex_unlock(&only_walk);
    }
    if (in_blocks && fd >= 0)
        close(fd);
}

static void say_stop(LensOrder *order, JNIEnv *jni)
{
    char ms[24], text[200];
    uint64_t used = heap_used(jni), estimate = estimate_ms(used);
    snprintf(ms, sizeof ms, "%llu", (unsigned long long)estimate);
    snprintf(
        text, sizeof text,
        "The program will stand for about %.1f s (estimated from %llu MB of heap), and its "
        "tags take up to %llu MB of the program's memory until then.",
        (double)estimate / 1000, (unsigned long long)(used >> 20),
        (unsigned long long)(used / BYTES_PER_OBJECT * 24 >> 20));
    const LensValue values[] = {{"stop.ms", ms}};
    lens_accept(order, text, values, 1);
}

static void stop(LensOrder *order, JNIEnv *jni)
{
    (void)jni;
    lens_worker_join(order);
}

static LensStarted start(LensOrder *order, JNIEnv *jni)
{
    bool contents, confirm;
    if (!lens_arg_flag(order, "contents", true, &contents)
        || !lens_arg_flag(order, "confirm", false, &confirm))
        return LENS_OVER;
    say_stop(order, jni);
    if (!confirm || !lens_worker_start(order, run))
        return LENS_OVER;
    return LENS_RUNS;
}

const LensVerb lens_verb_heap = {"heap", start, stop, NULL, 0};
