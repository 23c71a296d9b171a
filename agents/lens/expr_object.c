// SPDX-License-Identifier: Apache-2.0
// Looking into objects without calling their code: by JNI's field and array functions, with the ids
// that JVM TI gives (GetFieldID would initialize a class).
#include "expr.h"

#include <stdlib.h>
#include <string.h>

enum { SIZE_DEPTH = 8 };

// ---- values ----

ExprValue expr_of_jvalue(char type, jvalue v)
{
    switch (type) {
    case 'Z': return (ExprValue){.kind = EXPR_BOOL, .number = v.z};
    case 'C': return (ExprValue){.kind = EXPR_CHAR, .number = v.c};
    case 'B': return (ExprValue){.kind = EXPR_LONG, .number = v.b};
    case 'S': return (ExprValue){.kind = EXPR_LONG, .number = v.s};
    case 'I': return (ExprValue){.kind = EXPR_LONG, .number = v.i};
    case 'J': return (ExprValue){.kind = EXPR_LONG, .number = v.j};
    case 'F': return (ExprValue){.kind = EXPR_DOUBLE, .real = v.f};
    case 'D': return (ExprValue){.kind = EXPR_DOUBLE, .real = v.d};
    default:
        return v.l ? (ExprValue){.kind = EXPR_OBJECT, .object = v.l}
                   : (ExprValue){.kind = EXPR_NULL};
    }
}

static ExprValue read_instance(JNIEnv *jni, jobject o, jfieldID id, char type)
{
    jvalue v = {0};
    switch (type) {
    case 'Z': v.z = (*jni)->GetBooleanField(jni, o, id); break;
    case 'C': v.c = (*jni)->GetCharField(jni, o, id); break;
    case 'B': v.b = (*jni)->GetByteField(jni, o, id); break;
    case 'S': v.s = (*jni)->GetShortField(jni, o, id); break;
    case 'I': v.i = (*jni)->GetIntField(jni, o, id); break;
    case 'J': v.j = (*jni)->GetLongField(jni, o, id); break;
    case 'F': v.f = (*jni)->GetFloatField(jni, o, id); break;
    case 'D': v.d = (*jni)->GetDoubleField(jni, o, id); break;
    default: v.l = (*jni)->GetObjectField(jni, o, id); break;
    }
    return expr_of_jvalue(type, v);
}

static ExprValue read_static(JNIEnv *jni, jclass c, jfieldID id, char type)
{
    jvalue v = {0};
    switch (type) {
    case 'Z': v.z = (*jni)->GetStaticBooleanField(jni, c, id); break;
    case 'C': v.c = (*jni)->GetStaticCharField(jni, c, id); break;
    case 'B': v.b = (*jni)->GetStaticByteField(jni, c, id); break;
    case 'S': v.s = (*jni)->GetStaticShortField(jni, c, id); break;
    case 'I': v.i = (*jni)->GetStaticIntField(jni, c, id); break;
    case 'J': v.j = (*jni)->GetStaticLongField(jni, c, id); break;
    case 'F': v.f = (*jni)->GetStaticFloatField(jni, c, id); break;
    case 'D': v.d = (*jni)->GetStaticDoubleField(jni, c, id); break;
    default: v.l = (*jni)->GetStaticObjectField(jni, c, id); break;
    }
    return expr_of_jvalue(type, v);
}

// ---- fields ----

typedef struct FoundField {
    jclass class; // whose it is
    jfieldID id;
    char type;
    bool is_static;
} FoundField;

static bool is_field_named(jclass class, jfieldID id, const char *name, char *type)
{
    char *found = NULL, *signature = NULL;
    bool is = (*lens.jvmti)->GetFieldName(lens.jvmti, class, id, &found, &signature, NULL)
                  == JVMTI_ERROR_NONE
              && strcmp(found, name) == 0;
    if (is)
        *type = signature[0];
    agent_deallocate(lens.jvmti, found);
    agent_deallocate(lens.jvmti, signature);
    return is;
}

static bool find_in_class(jclass class, const char *name, FoundField *field)
{
    jfieldID *ids = NULL;
    jint len = 0, modifiers = 0;
    if ((*lens.jvmti)->GetClassFields(lens.jvmti, class, &len, &ids) != JVMTI_ERROR_NONE)
        return false;
    bool found = false;
    for (jint i = 0; i < len && !found; i++) {
        found = is_field_named(class, ids[i], name, &field->type);
        if (found)
            field->id = ids[i];
    }
    agent_deallocate(lens.jvmti, ids);
    if (!found)
        return false;
    (void)(*lens.jvmti)->GetFieldModifiers(lens.jvmti, class, field->id, &modifiers);
    field->class = class;
    field->is_static = modifiers & 0x0008; // ACC_STATIC
    return true;
}

// In the class, then in its super classes.
static bool find_field(ExprScope *scope, jclass class, const char *name, FoundField *field)
{
    for (; class; class = (*scope->jni)->GetSuperclass(scope->jni, class))
        if (find_in_class(class, name, field))
            return true;
    return false;
}

static ExprValue read_field(ExprScope *scope, jobject object, const FoundField *f)
{
    return f->is_static ? read_static(scope->jni, f->class, f->id, f->type)
                        : read_instance(scope->jni, object, f->id, f->type);
}

bool expr_scope_field(ExprScope *scope, const char *name, ExprValue *value)
{
    FoundField f;
    jclass class =
        scope->self ? (*scope->jni)->GetObjectClass(scope->jni, scope->self) : scope->class;
    // What a subclass calls the same hides nothing here: the method's class comes first.
    if (!(scope->class && find_field(scope, scope->class, name, &f))
        && !find_field(scope, class, name, &f))
        return false;
    if (!f.is_static && !scope->self)
        return false;
    *value = read_field(scope, scope->self, &f);
    return true;
}

// ---- classes ----

void expr_class_name(ExprScope *scope, jclass class, char *name, size_t room)
{
    (void)scope;
    char *signature = NULL;
    *name = '\0';
    if ((*lens.jvmti)->GetClassSignature(lens.jvmti, class, &signature, NULL)
        != JVMTI_ERROR_NONE)
        return;
    char *pretty = agent_class_name(signature);
    snprintf(name, room, "%s", pretty ? pretty : signature);
    free(pretty);
    agent_deallocate(lens.jvmti, signature);
}

static bool is_class_named(jclass class, const char *signature)
{
    char *found = NULL;
    bool is =
        (*lens.jvmti)->GetClassSignature(lens.jvmti, class, &found, NULL) == JVMTI_ERROR_NONE
        && strcmp(found, signature) == 0;
    agent_deallocate(lens.jvmti, found);
    return is;
}

static bool is_instance(ExprScope *scope, jobject object, const char *signature)
{
    return is_class_named((*scope->jni)->GetObjectClass(scope->jni, object), signature);
}

static bool is_enum(ExprScope *scope, jobject object)
{
    jclass c = (*scope->jni)->GetObjectClass(scope->jni, object);
    for (; c; c = (*scope->jni)->GetSuperclass(scope->jni, c))
        if (is_class_named(c, "Ljava/lang/Enum;"))
            return true;
    return false;
}

ExprValue expr_unbox(ExprScope *scope, ExprValue value)
{
    static const char *const boxes[] = {"Integer",
                                        "Long",
                                        "Boolean",
                                        "Double",
                                        "Float",
                                        "Short",
                                        "Character",
                                        "Byte",
                                        "concurrent/atomic/AtomicInteger",
                                        "concurrent/atomic/AtomicLong"};
    FoundField f;
    if (value.kind != EXPR_OBJECT)
        return value;
    jclass class = (*scope->jni)->GetObjectClass(scope->jni, value.object);
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++) {
        char signature[64];
        snprintf(signature, sizeof signature, "Ljava/%s/%s;",
                 strchr(boxes[i], '/') ? "util" : "lang", boxes[i]);
        if (is_class_named(class, signature) && find_in_class(class, "value", &f))
            return read_field(scope, value.object, &f);
    }
    return value;
}

// ---- texts ----

static size_t put_point(char *to, uint32_t c)
{
    assert(c <= 0x10ffff);
    size_t len = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const uint8_t first[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = len - 1; i > 0; i--, c >>= 6)
        to[i] = (char)(0x80 | (c & 0x3f));
    to[0] = (char)(first[len] | c);
    return len;
}

// The code point at chars[*at], which goes on behind it.
static uint32_t next_point(const jchar *chars, size_t len, size_t *at)
{
    assert(*at < len);
    uint32_t c = chars[(*at)++];
    if (c == 0 || (c >= 0xdc00 && c < 0xe000))
        return 0xfffd;
    if (c < 0xd800 || c >= 0xe000)
        return c;
    if (*at == len || chars[*at] < 0xdc00 || chars[*at] >= 0xe000)
        return 0xfffd;
    return 0x10000 + ((c - 0xd800) << 10) + (chars[(*at)++] - 0xdc00u);
}

size_t expr_utf8(char *to, size_t room, const jchar *chars, size_t len)
{
    size_t used = 0;
    for (size_t at = 0; at < len;) {
        char point[4];
        size_t bytes = put_point(point, next_point(chars, len, &at));
        if (used + bytes > room)
            break;
        memcpy(to + used, point, bytes);
        used += bytes;
    }
    assert(used <= room);
    return used;
}

static void read_string(ExprScope *scope, jstring string, char *text, size_t room)
{
    assert(room > 0);
    jchar chars[512];
    jsize len = (*scope->jni)->GetStringLength(scope->jni, string);
    jsize most = (jsize)(sizeof chars / sizeof *chars);
    len = len < most ? len : most;
    (*scope->jni)->GetStringRegion(scope->jni, string, 0, len, chars);
    text[expr_utf8(text, room - 1, chars, (size_t)len)] = '\0';
}

bool expr_object_text(ExprScope *scope, jobject object, char *text, size_t room)
{
    FoundField f;
    jclass class = (*scope->jni)->GetObjectClass(scope->jni, object);
    if (is_class_named(class, "Ljava/lang/String;")) {
        read_string(scope, object, text, room);
        return true;
    }
    if (is_class_named(class, "Ljava/lang/Class;")) {
        expr_class_name(scope, object, text, room);
        return true;
    }
    if (!is_enum(scope, object) || !find_field(scope, class, "name", &f))
        return false;
    ExprValue name = read_field(scope, object, &f);
    if (name.kind == EXPR_OBJECT && is_instance(scope, name.object, "Ljava/lang/String;"))
        read_string(scope, name.object, text, room);
    return name.kind == EXPR_OBJECT;
}

// ---- arrays and collections ----

// How many elements the collections of java.util have, by their fields; and where lists keep them.
static const struct Collection {
    const char *class; // below java.util
    const char *size, *elements;
} collections[] = {
    {"ArrayList", "size", "elementData"},
    {"Vector", "elementCount", "elementData"},
    {"Arrays$ArrayList", "a.length", "a"},
    {"concurrent.CopyOnWriteArrayList", "array.length", "array"},
    {"concurrent.CopyOnWriteArraySet", "al.array.length", NULL},
    {"HashSet", "map.size", NULL},
    {"TreeSet", "m.size", NULL},
    {"Hashtable", "count", NULL},
    {"ArrayDeque", "(tail - head + elements.length) % elements.length", NULL},
    {"concurrent.LinkedBlockingQueue", "count.value", NULL},
    {"concurrent.LinkedBlockingDeque", "count", NULL},
    {"concurrent.ArrayBlockingQueue", "count", NULL},
    {"ImmutableCollections$ListN", "elements.length", "elements"},
    {"ImmutableCollections$List12", "e1.class == \"java.lang.Object\" ? 1 : 2", NULL},
    {"ImmutableCollections$Set12", "e1.class == \"java.lang.Object\" ? 1 : 2", NULL},
    {"ImmutableCollections$Map1", "1", NULL},
    {"Collections$EmptyList", "0", NULL},
    {"Collections$EmptySet", "0", NULL},
    {"Collections$EmptyMap", "0", NULL},
    {"Collections$SingletonList", "1", NULL},
    {"Collections$SingletonSet", "1", NULL},
    {"Collections$SingletonMap", "1", NULL},
    {"Collections$UnmodifiableCollection", "c.size", "list"},
    {"Collections$SynchronizedCollection", "c.size", "list"},
    {"Collections$UnmodifiableMap", "m.size", NULL},
    {"Collections$SynchronizedMap", "m.size", NULL},
    {"Collections$SetFromMap", "m.size", NULL},
};

static const struct Collection *find_collection(ExprScope *scope, jobject object)
{
    jclass class = (*scope->jni)->GetObjectClass(scope->jni, object);
    for (; class; class = (*scope->jni)->GetSuperclass(scope->jni, class)) {
        char name[EXPR_NAME];
        expr_class_name(scope, class, name, sizeof name);
        if (strncmp(name, "java.util.", 10) != 0)
            continue;
        for (size_t i = 0; i < sizeof collections / sizeof *collections; i++)
            if (strcmp(name + 10, collections[i].class) == 0)
                return &collections[i];
    }
    return NULL;
}

// An expression of the table, inside of `object`.
static bool eval_inside(ExprScope *scope, jobject object, const char *text, ExprValue *value)
{
    if (scope->depth == SIZE_DEPTH)
        return expr_fail(scope, "Collections are nested too deeply.");
    ExprScope inner = {.jni = scope->jni, .self = object, .depth = scope->depth + 1};
    Expr *e = expr_parse(text, inner.error);
    bool ok = e && expr_eval(e, &inner, value);
    if (!ok)
        expr_fail(scope, "%s", inner.error);
    expr_free(e);
    return ok;
}

// The number of all additions: what stands in the map itself, and in cells where threads met.
static bool concurrent_map_size(ExprScope *scope, jobject map, jlong *size)
{
    ExprValue base, cells;
    if (!expr_object_field(scope, map, "baseCount", &base)
        || !expr_object_field(scope, map, "counterCells", &cells))
        return false;
    *size = base.number;
    jsize len =
        cells.kind == EXPR_OBJECT ? (*scope->jni)->GetArrayLength(scope->jni, cells.object) : 0;
    for (jsize i = 0; i < len; i++) {
        ExprValue value;
        jobject cell = (*scope->jni)->GetObjectArrayElement(scope->jni, cells.object, i);
        if (cell && expr_object_field(scope, cell, "value", &value))
            *size += value.number;
    }
    return true;
}

static bool is_array(ExprScope *scope, jobject object, char *type)
{
    char *signature = NULL;
    jclass class = (*scope->jni)->GetObjectClass(scope->jni, object);
    bool is = (*lens.jvmti)->GetClassSignature(lens.jvmti, class, &signature, NULL)
                  == JVMTI_ERROR_NONE
              && signature[0] == '[';
    *type = is ? signature[1] : 0;
    agent_deallocate(lens.jvmti, signature);
    return is;
}

bool expr_object_size(ExprScope *scope, jobject object, jlong *size)
{
    char type;
    ExprValue value;
    FoundField f;
    jclass class = (*scope->jni)->GetObjectClass(scope->jni, object);
    if (is_array(scope, object, &type)) {
        *size = (*scope->jni)->GetArrayLength(scope->jni, object);
        return true;
    }
    if (is_class_named(class, "Ljava/lang/String;")) {
        *size = (*scope->jni)->GetStringLength(scope->jni, object);
        return true;
    }
    if (is_class_named(class, "Ljava/util/concurrent/ConcurrentHashMap;"))
        return concurrent_map_size(scope, object, size);
    const struct Collection *c = find_collection(scope, object);
    if (c) {
        if (!eval_inside(scope, object, c->size, &value))
            return false;
    } else if (find_field(scope, class, "size", &f) || find_field(scope, class, "count", &f)) {
        value = read_field(scope, object, &f);
    } else {
        return expr_fail(scope, "It has no size that could be read without calling it.");
    }
    *size = value.number;
    return value.kind == EXPR_LONG || expr_fail(scope, "Its size is no number.");
}

static bool read_element(ExprScope *scope, jarray array, jlong index, char type,
                         ExprValue *value)
{
    JNIEnv *jni = scope->jni;
    jvalue v = {0};
    jsize i = (jsize)index;
    if (index < 0 || index >= (*jni)->GetArrayLength(jni, array))
        return expr_fail(scope, "Index %lld is outside of the array.", (long long)index);
    switch (type) {
    case 'Z': (*jni)->GetBooleanArrayRegion(jni, array, i, 1, &v.z); break;
    case 'C': (*jni)->GetCharArrayRegion(jni, array, i, 1, &v.c); break;
    case 'B': (*jni)->GetByteArrayRegion(jni, array, i, 1, &v.b); break;
    case 'S': (*jni)->GetShortArrayRegion(jni, array, i, 1, &v.s); break;
    case 'I': (*jni)->GetIntArrayRegion(jni, array, i, 1, &v.i); break;
    case 'J': (*jni)->GetLongArrayRegion(jni, array, i, 1, &v.j); break;
    case 'F': (*jni)->GetFloatArrayRegion(jni, array, i, 1, &v.f); break;
    case 'D': (*jni)->GetDoubleArrayRegion(jni, array, i, 1, &v.d); break;
    default: v.l = (*jni)->GetObjectArrayElement(jni, array, i); break;
    }
    *value = expr_of_jvalue(type, v);
    return true;
}

bool expr_object_element(ExprScope *scope, jobject object, jlong index, ExprValue *value)
{
    char type;
    jlong size;
    ExprValue inner;
    if (is_array(scope, object, &type))
        return read_element(scope, object, index, type, value);
    const struct Collection *c = find_collection(scope, object);
    if (!c || !c->elements)
        return expr_fail(scope, "[] goes into arrays and lists that keep an array.");
    if (!expr_object_size(scope, object, &size))
        return false;
    if (index < 0 || index >= size)
        return expr_fail(scope, "Index %lld is outside of the list.", (long long)index);
    if (!expr_object_field(scope, object, c->elements, &inner) || inner.kind != EXPR_OBJECT)
        return expr_fail(scope, "The list has no elements.");
    return expr_object_element(scope, inner.object, index, value);
}

bool expr_object_field(ExprScope *scope, jobject object, const char *name, ExprValue *value)
{
    FoundField f;
    jclass class = (*scope->jni)->GetObjectClass(scope->jni, object);
    if (strcmp(name, "class") == 0) {
        *value = (ExprValue){.kind = EXPR_OBJECT, .object = class};
        return true;
    }
    if (find_field(scope, class, name, &f)) {
        *value = read_field(scope, object, &f);
        return true;
    }
    if (strcmp(name, "size") == 0 || strcmp(name, "length") == 0) {
        *value = (ExprValue){.kind = EXPR_LONG};
        return expr_object_size(scope, object, &value->number);
    }
    char class_name[EXPR_NAME];
    expr_class_name(scope, class, class_name, sizeof class_name);
    return expr_fail(scope, "%.80s has no field %.40s.", class_name, name);
}
