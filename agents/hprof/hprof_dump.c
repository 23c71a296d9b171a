// SPDX-License-Identifier: Apache-2.0
// The heap dump: what the VM gives, record by record, as text or in the binary format. Those of
// classes tell the layout of the others, so they are read first.
#include <string.h>

#include "hprof/hprof_read.h"

enum { SEGMENT_BYTES = 64 << 20, CLASS_WORDS = 7 };

static int size_of(uint8_t type)
{
    static const int sizes[] = {1, 2, 4, 8, 1, 2, 4, 8}; // from JVMPI_BOOLEAN on
    return type < JVMPI_BOOLEAN ? (int)sizeof(void *) : sizes[type - JVMPI_BOOLEAN];
}

static unsigned long long number(const void *id)
{
    return (unsigned long long)(uintptr_t)id;
}

static uint32_t trace_serial(const void *id)
{
    return site_trace((jobjectID)(uintptr_t)id);
}

static ClassName *class_named(const void *id)
{
    return class_find((jobjectID)(uintptr_t)id);
}

static const char *name_of(const void *class_id)
{
    const ClassName *c = class_named(class_id);
    return c ? c->name : "<unknown>";
}

// ---- records, as they are read ----
typedef struct ClassRecord {
    const void *words[CLASS_WORDS]; // class, super, loader, signers, domain, name, reserved
    uint32_t instance_size, constant_count;
    const uint8_t *constants, *statics;
    ClassName *cls;
} ClassRecord;

// False: a class that no event told of; the rest of the dump cannot be read.
static bool get_class(Reader *r, ClassRecord *c)
{
    for (int i = 0; i < CLASS_WORDS; i++)
        c->words[i] = get_pointer(r);
    c->instance_size = (uint32_t)get(r, 4);
    c->cls = class_named(c->words[0]);
    if (!c->cls)
        return false;
    r->at += (size_t)c->cls->interfaces * sizeof(void *);
    c->constant_count = (uint32_t)get(r, 2);
    c->constants = r->at;
    r->at += c->constant_count * (3 + sizeof(void *));
    c->statics = r->at;
    for (int i = 0; i < c->cls->static_count; i++)
        r->at += size_of(c->cls->statics[i].type);
    return true;
}

// Skips a record that is not of a class. False: unknown.
static bool skip(Reader *r, uint8_t type)
{
    const size_t word = sizeof(void *);
    switch (type) {
    case JVMPI_GC_ROOT_UNKNOWN:
    case JVMPI_GC_ROOT_STICKY_CLASS:
    case JVMPI_GC_ROOT_MONITOR_USED: r->at += word; return true;
    case JVMPI_GC_ROOT_JNI_GLOBAL:
    case JVMPI_GC_ROOT_NATIVE_STACK:
    case JVMPI_GC_ROOT_THREAD_BLOCK: r->at += 2 * word; return true;
    case JVMPI_GC_ROOT_JNI_LOCAL:
    case JVMPI_GC_ROOT_JAVA_FRAME: r->at += 2 * word + 4; return true;
    case JVMPI_GC_INSTANCE_DUMP: r->at += 2 * word; break;
    case JVMPI_GC_OBJ_ARRAY_DUMP: {
        r->at += word;
        size_t n = get(r, 4);
        r->at += word + n * word;
        return true;
    }
    case JVMPI_GC_PRIM_ARRAY_DUMP: {
        r->at += word;
        size_t n = get(r, 4);
        uint8_t kind = *r->at++;
        r->at += n * (size_t)size_of(kind);
        return true;
    }
    default: return false;
    }
    size_t n = get(r, 4);
    r->at += n;
    return true;
}

// Classes get their superclass and loader.
static bool read_classes(Reader r)
{
    while (r.at < r.end) {
        uint8_t type = *r.at++;
        ClassRecord c;
        if (type != JVMPI_GC_CLASS_DUMP) {
            if (!skip(&r, type))
                return false;
            continue;
        }
        if (!get_class(&r, &c))
            return false;
        c.cls->super = (jobjectID)(uintptr_t)c.words[1];
        c.cls->loader = (jobjectID)(uintptr_t)c.words[2];
        c.cls->array = NULL;
    }
    return true;
}

// ---- binary ----
static void put_value(Reader *r, uint8_t type)
{
    if (type == JVMPI_CLASS) {
        put_id(get_pointer(r));
    } else {
        put_bytes(r->at, (size_t)size_of(type));
        r->at += size_of(type);
    }
}

static uint32_t thread_serial(const void *env)
{
    const ThreadName *t = thread_find((JNIEnv *)(uintptr_t)env);
    return t ? t->serial : 0;
}

static void put_root(Reader *r, uint8_t type)
{
    put_u1(type);
    put_id(get_pointer(r));
    if (type == JVMPI_GC_ROOT_JNI_GLOBAL) {
        put_id(get_pointer(r));
        return;
    }
    bool has_thread = type == JVMPI_GC_ROOT_NATIVE_STACK || type == JVMPI_GC_ROOT_THREAD_BLOCK
                      || type == JVMPI_GC_ROOT_JNI_LOCAL || type == JVMPI_GC_ROOT_JAVA_FRAME;
    if (has_thread)
        put_u4(thread_serial(get_pointer(r)));
    if (type == JVMPI_GC_ROOT_JNI_LOCAL || type == JVMPI_GC_ROOT_JAVA_FRAME)
        put_u4((uint32_t)get(r, 4));
}

static void put_constants(const ClassRecord *c)
{
    Reader r = {c->constants, c->statics};
    put_u2(c->constant_count);
    while (r.at < r.end) {
        put_u2((uint32_t)get(&r, 2));
        uint8_t type = *r.at++;
        put_u1(type);
        put_value(&r, type);
    }
}

static void put_class(const ClassRecord *c, const Reader *end)
{
    assert(c->cls != NULL); // read_classes has seen it
    put_u1(JVMPI_GC_CLASS_DUMP);
    put_id(c->words[0]);
    put_u4(trace_serial(c->words[0]));
    for (int i = 1; i <= 4; i++)
        put_id(c->words[i]);
    put_id(NULL);
    put_id(NULL);
    put_u4(c->instance_size);
    put_constants(c);
    Reader r = {c->statics, end->at};
    put_u2((uint32_t)c->cls->static_count);
    for (int i = 0; i < c->cls->static_count; i++) {
        put_id(string_id(c->cls->statics[i].name));
        put_u1(c->cls->statics[i].type);
        put_value(&r, c->cls->statics[i].type);
    }
    put_u2((uint32_t)c->cls->field_count);
    for (int i = 0; i < c->cls->field_count; i++) {
        put_id(string_id(c->cls->fields[i].name));
        put_u1(c->cls->fields[i].type);
    }
}

// Values: of the class, then of its superclasses, references turned to the file's byte order.
static void put_instance(Reader *r)
{
    const void *id = get_pointer(r), *class_id = get_pointer(r);
    uint32_t size = (uint32_t)get(r, 4);
    const uint8_t *end = r->at + size;
    put_u1(JVMPI_GC_INSTANCE_DUMP);
    put_id(id);
    put_u4(trace_serial(id));
    put_id(class_id);
    put_u4(size);
    for (const ClassName *c = class_named(class_id); c && r->at < end; c = class_find(c->super))
        for (int i = 0; i < c->field_count; i++)
            put_value(r, c->fields[i].type);
    r->at = end;
}

static void put_objects(Reader *r)
{
    const void *id = get_pointer(r);
    uint32_t n = (uint32_t)get(r, 4);
    const void *element = get_pointer(r);
    ClassName *e = class_named(element);
    const ClassName *array = e ? class_of_array(e) : NULL;
    put_u1(JVMPI_GC_OBJ_ARRAY_DUMP);
    put_id(id);
    put_u4(trace_serial(id));
    put_u4(n);
    put_id(array ? (const void *)array->id : element);
    for (uint32_t i = 0; i < n; i++)
        put_id(get_pointer(r));
}

static void put_primitives(Reader *r)
{
    const void *id = get_pointer(r);
    uint32_t n = (uint32_t)get(r, 4);
    uint8_t type = *r->at++;
    put_u1(JVMPI_GC_PRIM_ARRAY_DUMP);
    put_id(id);
    put_u4(trace_serial(id));
    put_u4(n);
    put_u1(type);
    put_bytes(r->at, n * (size_t)size_of(type));
    r->at += n * (size_t)size_of(type);
}

static void put_one(Reader *r, uint8_t type)
{
    ClassRecord c;
    switch (type) {
    case JVMPI_GC_CLASS_DUMP:
        get_class(r, &c);
        put_class(&c, r);
        break;
    case JVMPI_GC_INSTANCE_DUMP: put_instance(r); break;
    case JVMPI_GC_OBJ_ARRAY_DUMP: put_objects(r); break;
    case JVMPI_GC_PRIM_ARRAY_DUMP: put_primitives(r); break;
    default: put_root(r, type);
    }
}

// No record of names may come into the segments.
static void write_names(void)
{
    for (ClassName *c = all_classes; c; c = c->next) {
        write_class(c);
        for (int i = 0; i < c->static_count; i++)
            string_id(c->statics[i].name);
        for (int i = 0; i < c->field_count; i++)
            string_id(c->fields[i].name);
    }
    for (uint32_t i = 0; i < trace_count; i++)
        write_trace(all_traces[i]);
}

static void write_binary(Reader r, const JVMPI_Event *e)
{
    write_names();
    record_begin(TAG_HEAP_DUMP_SEGMENT);
    for (jint i = 0; i < e->u.heap_dump.num_traces; i++) {
        const ThreadName *t = thread_find(e->u.heap_dump.traces[i].env_id);
        if (!t)
            continue;
        put_u1(JVMPI_GC_ROOT_THREAD_OBJ);
        put_id(t->object);
        put_u4(t->serial);
        put_u4(trace_of_thread(&e->u.heap_dump.traces[i])->serial);
    }
    while (r.at < r.end) {
        uint8_t type = *r.at++;
        put_one(&r, type);
        if (record_size() >= SEGMENT_BYTES) {
            record_end();
            record_begin(TAG_HEAP_DUMP_SEGMENT);
        }
    }
    record_end();
    record_begin(TAG_HEAP_DUMP_END);
    record_end();
}

// ---- text ----
static const char *root_kind(uint8_t type)
{
    switch (type) {
    case JVMPI_GC_ROOT_JNI_GLOBAL: return "JNI global ref";
    case JVMPI_GC_ROOT_JNI_LOCAL: return "JNI local ref";
    case JVMPI_GC_ROOT_JAVA_FRAME: return "Java stack";
    case JVMPI_GC_ROOT_NATIVE_STACK: return "native stack";
    case JVMPI_GC_ROOT_STICKY_CLASS: return "system class";
    case JVMPI_GC_ROOT_THREAD_BLOCK: return "thread block";
    case JVMPI_GC_ROOT_MONITOR_USED: return "busy monitor";
    default: return "unknown";
    }
}

static void print_root(Reader *r, uint8_t type)
{
    Reader at = *r;
    const void *id = get_pointer(&at);
    skip(r, type);
    print("ROOT %llx (kind=<%s>)\n", number(id), root_kind(type));
}

static void print_fields(Reader *r, const FieldName *fields, int count, const char *prefix)
{
    for (int i = 0; i < count; i++) {
        if (fields[i].type != JVMPI_CLASS) {
            r->at += size_of(fields[i].type);
            continue;
        }
        const void *to = get_pointer(r);
        if (to)
            print("\t%s%s\t%llx\n", prefix, fields[i].name, number(to));
    }
}

static void print_class(Reader *r)
{
    static const char *const words[] = {NULL, "super", "loader", "signers", "domain"};
    ClassRecord c;
    get_class(r, &c);
    assert(c.cls != NULL);
    print("CLS %llx (name=%s, trace=%u)\n", number(c.words[0]), c.cls->name,
          trace_serial(c.words[0]));
    for (int i = 1; i <= 4; i++)
        if (c.words[i])
            print("\t%s\t\t%llx\n", words[i], number(c.words[i]));
    Reader constants = {c.constants, c.statics}, statics = {c.statics, r->at};
    while (constants.at < constants.end) {
        unsigned index = (unsigned)get(&constants, 2);
        constants.at++;
        print("\tconstant pool entry %u\t%llx\n", index, number(get_pointer(&constants)));
    }
    print_fields(&statics, c.cls->statics, c.cls->static_count, "static ");
}

static void print_instance(Reader *r)
{
    const void *id = get_pointer(r), *class_id = get_pointer(r);
    uint32_t size = (uint32_t)get(r, 4);
    const uint8_t *end = r->at + size;
    print("OBJ %llx (sz=%u, trace=%u, class=%s@%llx)\n", number(id), size, trace_serial(id),
          name_of(class_id), number(class_id));
    for (const ClassName *c = class_named(class_id); c && r->at < end; c = class_find(c->super))
        print_fields(r, c->fields, c->field_count, "");
    r->at = end;
}

static void print_array(Reader *r, uint8_t record)
{
    static const char *const kinds[] = {"boolean", "char",  "float", "double",
                                        "byte",    "short", "int",   "long"};
    const void *id = get_pointer(r);
    uint32_t n = (uint32_t)get(r, 4);
    if (record == JVMPI_GC_PRIM_ARRAY_DUMP) {
        uint8_t type = *r->at++;
        print("ARR %llx (sz=%llu, trace=%u, nelems=%u, elem type=%s)\n", number(id),
              (unsigned long long)n * (unsigned)size_of(type), trace_serial(id), n,
              kinds[type - JVMPI_BOOLEAN]);
        r->at += n * (size_t)size_of(type);
        return;
    }
    const void *element = get_pointer(r);
    print("ARR %llx (sz=%llu, trace=%u, nelems=%u, elem type=%s@%llx)\n", number(id),
          (unsigned long long)n * sizeof(void *), trace_serial(id), n, name_of(element),
          number(element));
    for (uint32_t i = 0; i < n; i++) {
        const void *to = get_pointer(r);
        if (to)
            print("\t[%u]\t\t%llx\n", i, number(to));
    }
}

static void print_one(Reader *r, uint8_t type)
{
    switch (type) {
    case JVMPI_GC_CLASS_DUMP: print_class(r); break;
    case JVMPI_GC_INSTANCE_DUMP: print_instance(r); break;
    case JVMPI_GC_OBJ_ARRAY_DUMP:
    case JVMPI_GC_PRIM_ARRAY_DUMP: print_array(r, type); break;
    default: print_root(r, type);
    }
}

static void print_all(Reader r, const JVMPI_Event *e)
{
    for (uint32_t i = 0; i < trace_count; i++)
        write_trace(all_traces[i]);
    print("HEAP DUMP BEGIN (%llu bytes) %s\n", (unsigned long long)(r.end - r.at),
          output_date());
    for (jint i = 0; i < e->u.heap_dump.num_traces; i++) {
        const ThreadName *t = thread_find(e->u.heap_dump.traces[i].env_id);
        if (t)
            print("ROOT %llx (kind=<thread>, id=%u, trace=%u)\n", number(t->object), t->serial,
                  trace_of_thread(&e->u.heap_dump.traces[i])->serial);
    }
    while (r.at < r.end) {
        uint8_t type = *r.at++;
        print_one(&r, type);
    }
    print("HEAP DUMP END\n");
}

void heap_dump_write(const JVMPI_Event *e)
{
    ASSERT_LOCKED();
    Reader r = {(const uint8_t *)e->u.heap_dump.begin, (const uint8_t *)e->u.heap_dump.end};
    if (!read_classes(r)) {
        fprintf(stderr, "HPROF ERROR: the heap dump can't be read\n");
        return;
    }
    for (jint i = 0; i < e->u.heap_dump.num_traces; i++)
        trace_of_thread(&e->u.heap_dump.traces[i]); // both formats write all traces first
    if (hprof.options.binary)
        write_binary(r, e);
    else
        print_all(r, e);
}
