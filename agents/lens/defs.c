// SPDX-License-Identifier: Apache-2.0
// Definitions that are kept as bytes: classes, methods, loaders, threads, modules, points. Each
// has an id, what must be told before it, and its name. They are kept as long as the agent, but
// for threads that have ended; what is told to whom the connections know.
//
// Classes, loaders and Thread objects are known by their tags in lens.jvmti (the packed id),
// methods by their jmethodID: both VMs leave the id of an unloaded method empty and never use
// it again. Two threads that meet the same class at once may give it two ids; the later tag
// stays. `lock` guards the tables; no call of the VM is made under it.
#include "agent.h"

#include <stdlib.h>
#include <string.h>

typedef struct Def {
    uint8_t *bytes; // the fields after the id
    uint32_t len;
    uint32_t needs[2];
    char *name;
} Def;

enum { CHUNK = 1024, CHUNKS = 4096, METHOD_BITS = 15 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    _Atomic(Def *) chunks[CHUNKS];
    _Atomic uint32_t len;       // ids given; the first is 1
    uint16_t forgotten[CHUNKS]; // how many of each; a chunk of which all are is freed
} kinds[LENS_KINDS];
static AgentSharedMap methods; // jmethodID -> id
static jfieldID loader_name;   // ClassLoader.name, NULL: is not there

// ---- the tables ----

static Def *def_of(LensDef kind, uint32_t id)
{
    assert((unsigned)kind < LENS_KINDS && kind != LENS_DEF_STACK);
    if (id == 0 || id > atomic_load_explicit(&kinds[kind].len, memory_order_acquire)) {
        return NULL;
    }
    Def *chunk =
        atomic_load_explicit(&kinds[kind].chunks[(id - 1) / CHUNK], memory_order_acquire);
    return chunk != NULL ? &chunk[(id - 1) % CHUNK] : NULL;
}

static bool fill(Def *def, const LensBuffer *fields, const char *name)
{
    uint8_t *bytes = malloc(fields->len + 1);
    char *copy = strdup(name);
    if (fields->failed || bytes == NULL || copy == NULL) {
        free(bytes);
        free(copy);
        return false;
    }
    memcpy(bytes, fields->bytes, fields->len);
    def->bytes = bytes;
    def->len = (uint32_t)fields->len;
    def->name = copy;
    return true;
}

// Under the lock.
static uint32_t append(LensDef kind, const Def *def)
{
    ASSERT_HELD(&lock);
    uint32_t len = atomic_load(&kinds[kind].len);
    if (len == CHUNK * CHUNKS) {
        return 0;
    }
    if (len % CHUNK == 0) {
        Def *chunk = agent_alloc(CHUNK * sizeof *chunk);
        if (chunk == NULL) {
            return 0;
        }
        atomic_store_explicit(&kinds[kind].chunks[len / CHUNK], chunk, memory_order_release);
    }
    kinds[kind].chunks[len / CHUNK][len % CHUNK] = *def;
    atomic_store_explicit(&kinds[kind].len, len + 1, memory_order_release);
    return len + 1;
}

uint32_t lens_def_add(LensDef kind, const LensBuffer *fields, const char *name, uint32_t need,
                      uint32_t need_2)
{
    assert((need == 0) == (LENS_ID_NUMBER(need) == 0)); // packed
    assert((need_2 == 0) == (LENS_ID_NUMBER(need_2) == 0));
    Def def = {.needs = {need, need_2}};
    if (!fill(&def, fields, name)) {
        return 0;
    }
    pthread_mutex_lock(&lock);
    uint32_t id = append(kind, &def);
    pthread_mutex_unlock(&lock);
    if (id == 0) {
        free(def.bytes);
        free(def.name);
    }
    return id;
}

bool lens_def_replace(LensDef kind, uint32_t id, const LensBuffer *fields)
{
    uint8_t *bytes = malloc(fields->len + 1);
    Def *def = def_of(kind, id);
    if (fields->failed || bytes == NULL || def == NULL) {
        free(bytes);
        return false;
    }
    memcpy(bytes, fields->bytes, fields->len);
    pthread_mutex_lock(&lock);
    free(def->bytes);
    def->bytes = bytes;
    def->len = (uint32_t)fields->len;
    pthread_mutex_unlock(&lock);
    return true;
}

void lens_def_forget(LensDef kind, uint32_t id)
{
    ASSERT_AGENT_THREAD();
    Def *def = def_of(kind, id);
    if (def == NULL) {
        return;
    }
    uint32_t number = (id - 1) / CHUNK;
    pthread_mutex_lock(&lock);
    bool was_there = def->bytes != NULL;
    free(def->bytes);
    free(def->name);
    *def = (Def){0};
    if (was_there && ++kinds[kind].forgotten[number] == CHUNK) {
        free(atomic_exchange(&kinds[kind].chunks[number], NULL));
    }
    assert(kinds[kind].forgotten[number] <= CHUNK);
    pthread_mutex_unlock(&lock);
}

bool lens_def_write(LensDef kind, uint32_t id, LensBuffer *to, uint32_t needs[2])
{
    if (kind == LENS_DEF_STACK) {
        return lens_stack_write(id, to, needs);
    }
    const Def *def = def_of(kind, id);
    if (def == NULL) {
        return false;
    }
    pthread_mutex_lock(&lock);
    bool is_there = def->bytes != NULL;
    if (is_there) {
        lens_buffer_u(to, kind);
        lens_buffer_u(to, id);
        lens_buffer_bytes(to, def->bytes, def->len);
    }
    pthread_mutex_unlock(&lock);
    needs[0] = def->needs[0];
    needs[1] = def->needs[1];
    return is_there;
}

const char *lens_def_name(LensDef kind, uint32_t id)
{
    const Def *def = def_of(kind, id);
    return def != NULL && def->name != NULL ? def->name : "";
}

uint32_t lens_def_need(LensDef kind, uint32_t id)
{
    const Def *def = def_of(kind, id);
    return def != NULL ? def->needs[0] : 0;
}

const char *lens_class_name(uint32_t class)
{
    return lens_def_name(LENS_DEF_CLASS, class);
}

uint32_t lens_method_class(uint32_t method)
{
    return LENS_ID_NUMBER(lens_def_need(LENS_DEF_METHOD, method));
}

// ---- tags ----

uint32_t lens_tagged(jobject object, LensDef kind)
{
    jlong tag = 0;
    (*lens.jvmti)->GetTag(lens.jvmti, object, &tag);
    return tag > 0 && LENS_ID_KIND((uint32_t)tag) == kind ? LENS_ID_NUMBER((uint32_t)tag) : 0;
}

uint32_t lens_tag(jobject object, LensDef kind, uint32_t id)
{
    assert(id == LENS_ID_NUMBER(id));
    if (id != 0) {
        (*lens.jvmti)->SetTag(lens.jvmti, object, LENS_ID(kind, id));
    }
    return id;
}

// ---- loaders and classes ----

static void put_text_field(JNIEnv *jni, LensBuffer *to, jobject object, jfieldID field)
{
    jstring text = field != NULL ? (*jni)->GetObjectField(jni, object, field) : NULL;
    const char *modified = text != NULL ? (*jni)->GetStringUTFChars(jni, text, NULL) : NULL;
    char *utf8 = modified != NULL ? agent_utf8(modified) : NULL;
    lens_buffer_text(to, utf8 != NULL ? utf8 : "");
    free(utf8);
    if (modified != NULL) {
        (*jni)->ReleaseStringUTFChars(jni, text, modified);
    }
    if (text != NULL) {
        (*jni)->DeleteLocalRef(jni, text);
    }
}

static uint32_t class_id(JNIEnv *jni, jclass class, unsigned depth);

// The packed id of the loader of `class`, 0 for the boot loader. `depth`: loaders whose classes
// have loaders ... end somewhere.
static uint32_t loader_of(JNIEnv *jni, jclass class, unsigned depth)
{
    enum { DEEPEST = 16 };
    jobject loader = NULL;
    if ((*lens.jvmti)->GetClassLoader(lens.jvmti, class, &loader) != JVMTI_ERROR_NONE
        || loader == NULL) {
        return 0;
    }
    uint32_t id = lens_tagged(loader, LENS_DEF_LOADER);
    if (id == 0 && depth < DEEPEST) {
        jclass kind = (*jni)->GetObjectClass(jni, loader);
        uint32_t of = class_id(jni, kind, depth + 1);
        (*jni)->DeleteLocalRef(jni, kind);
        LensBuffer fields = {0};
        put_text_field(jni, &fields, loader, loader_name);
        lens_buffer_u(&fields, of);
        id = lens_tag(loader, LENS_DEF_LOADER,
                      lens_def_add(LENS_DEF_LOADER, &fields, "",
                                   of != 0 ? LENS_ID(LENS_DEF_CLASS, of) : 0, 0));
        lens_buffer_free(&fields);
    }
    (*jni)->DeleteLocalRef(jni, loader);
    return id != 0 ? LENS_ID(LENS_DEF_LOADER, id) : 0;
}

// "java.lang.String", "int[]", "Foo$$Lambda$14/0x8004" of a signature. Malloc'd.
char *lens_readable_class(const char *signature)
{
    static const char *const PRIMITIVES[][2] = {
        {"B", "byte"}, {"C", "char"},  {"D", "double"},  {"F", "float"}, {"I", "int"},
        {"J", "long"}, {"S", "short"}, {"Z", "boolean"}, {"V", "void"}};
    size_t dimensions = strspn(signature, "[");
    char *base = agent_utf8(signature + dimensions);
    if (base == NULL) {
        return NULL;
    }
    size_t len = strlen(base);
    char *name = malloc(len + dimensions * 2 + 16);
    if (name == NULL) {
        free(base);
        return NULL;
    }
    strcpy(name, base);
    if (base[0] == 'L') {
        memcpy(name, base + 1, len);
        name[len - 2] = '\0'; // without the `;`
        for (char *p = name; *p != '\0'; p++) {
            *p = *p == '/' ? '.' : *p == '.' ? '/' : *p;
        }
    }
    for (size_t i = 0; base[0] != 'L' && i < sizeof PRIMITIVES / sizeof PRIMITIVES[0]; i++) {
        if (strcmp(base, PRIMITIVES[i][0]) == 0) {
            strcpy(name, PRIMITIVES[i][1]);
        }
    }
    for (size_t i = 0; i < dimensions; i++) {
        strcat(name, "[]");
    }
    free(base);
    return name;
}

static char *name_of_class(jclass class)
{
    char *signature = NULL;
    if ((*lens.jvmti)->GetClassSignature(lens.jvmti, class, &signature, NULL)
        != JVMTI_ERROR_NONE) {
        return NULL;
    }
    char *name = lens_readable_class(signature);
    agent_deallocate(lens.jvmti, signature);
    return name;
}

static void put_modified(LensBuffer *to, const char *modified)
{
    char *utf8 = modified != NULL ? agent_utf8(modified) : NULL;
    lens_buffer_text(to, utf8 != NULL ? utf8 : "");
    free(utf8);
}

static uint32_t class_id(JNIEnv *jni, jclass class, unsigned depth)
{
    uint32_t id = lens_tagged(class, LENS_DEF_CLASS);
    char *name = id == 0 ? name_of_class(class) : NULL;
    if (name == NULL) {
        return id;
    }
    char *source = NULL;
    jint modifiers = 0;
    if ((*lens.jvmti)->GetSourceFileName(lens.jvmti, class, &source) != JVMTI_ERROR_NONE) {
        source = NULL;
    }
    (*lens.jvmti)->GetClassModifiers(lens.jvmti, class, &modifiers);
    uint32_t loader = loader_of(jni, class, depth);
    LensBuffer fields = {0};
    lens_buffer_text(&fields, name);
    put_modified(&fields, source);
    lens_buffer_u(&fields, LENS_ID_NUMBER(loader));
    lens_buffer_u(&fields, (uint32_t)modifiers);
    lens_tag(class, LENS_DEF_CLASS, lens_def_add(LENS_DEF_CLASS, &fields, name, loader, 0));
    lens_buffer_free(&fields);
    agent_deallocate(lens.jvmti, source);
    free(name);
    return lens_tagged(class, LENS_DEF_CLASS); // another thread may have been quicker
}

uint32_t lens_class_id(JNIEnv *jni, jclass class)
{
    return class != NULL ? class_id(jni, class, 0) : 0;
}

// ---- methods ----

static int compare_lines(const void *a, const void *b)
{
    const jvmtiLineNumberEntry *x = a, *y = b;
    return (x->start_location > y->start_location) - (x->start_location < y->start_location);
}

static void put_lines(LensBuffer *to, jmethodID method)
{
    jint len = 0;
    jvmtiLineNumberEntry *lines = NULL;
    if ((*lens.jvmti)->GetLineNumberTable(lens.jvmti, method, &len, &lines)
        != JVMTI_ERROR_NONE) {
        lens_buffer_u(to, 0);
        return;
    }
    qsort(lines, (size_t)len, sizeof *lines, compare_lines);
    lens_buffer_u(to, (uint64_t)len);
    jvmtiLineNumberEntry before = {0};
    for (jint i = 0; i < len; i++) {
        lens_buffer_u(to, (uint64_t)(lines[i].start_location - before.start_location));
        lens_buffer_z(to, lines[i].line_number - before.line_number);
        before = lines[i];
    }
    agent_deallocate(lens.jvmti, lines);
}

static uint64_t bytecode_length(jmethodID method)
{
    jlocation begin = 0, end = -1;
    bool known =
        (*lens.jvmti)->GetMethodLocation(lens.jvmti, method, &begin, &end) == JVMTI_ERROR_NONE;
    return known && end >= begin ? (uint64_t)(end + 1) : 0;
}

static uint32_t define_method(JNIEnv *jni, jmethodID method)
{
    jclass class = NULL;
    char *name = NULL, *signature = NULL;
    jint modifiers = 0;
    if ((*lens.jvmti)->GetMethodDeclaringClass(lens.jvmti, method, &class)
        != JVMTI_ERROR_NONE) {
        return 0;
    }
    uint32_t of = lens_class_id(jni, class), id = 0;
    (*jni)->DeleteLocalRef(jni, class);
    if (of != 0
        && (*lens.jvmti)->GetMethodName(lens.jvmti, method, &name, &signature, NULL)
               == JVMTI_ERROR_NONE) {
        (*lens.jvmti)->GetMethodModifiers(lens.jvmti, method, &modifiers);
        LensBuffer fields = {0};
        lens_buffer_u(&fields, of);
        put_modified(&fields, name);
        put_modified(&fields, signature);
        lens_buffer_u(&fields, (uint32_t)modifiers);
        lens_buffer_u(&fields, bytecode_length(method));
        put_lines(&fields, method);
        id = lens_def_add(LENS_DEF_METHOD, &fields, name, LENS_ID(LENS_DEF_CLASS, of), 0);
        lens_buffer_free(&fields);
        agent_deallocate(lens.jvmti, name);
        agent_deallocate(lens.jvmti, signature);
    }
    return id;
}

uint32_t lens_method_id(JNIEnv *jni, jmethodID method)
{
    if (method == NULL) {
        return 0;
    }
    _Atomic uint32_t *known = agent_sharedmap_get(&methods, method);
    if (known != NULL) {
        return atomic_load(known);
    }
    uint32_t id = define_method(jni, method);
    _Atomic uint32_t *fresh = id != 0 ? agent_alloc(sizeof *fresh) : NULL;
    if (fresh == NULL) {
        return 0;
    }
    atomic_store(fresh, id);
    known = agent_sharedmap_put(&methods, method, fresh);
    if (known != fresh) {
        free(fresh);
    }
    return known != NULL ? atomic_load(known) : 0;
}

void lens_method_changed(JNIEnv *jni, jmethodID method)
{
    _Atomic uint32_t *known = agent_sharedmap_get(&methods, method);
    uint32_t id = known != NULL ? define_method(jni, method) : 0;
    if (id != 0) {
        atomic_store(known, id);
    }
}

// ---- points ----

uint32_t lens_point_id(const LensOrder *order, const char *text)
{
    LensBuffer fields = {0};
    lens_buffer_u(&fields, order->id);
    lens_buffer_text(&fields, text);
    uint32_t id = lens_def_add(LENS_DEF_POINT, &fields, "", 0, 0);
    lens_buffer_free(&fields);
    return id;
}

// ---- begin and end ----

bool lens_defs_init(void)
{
    return agent_sharedmap_init(&methods, METHOD_BITS);
}

jfieldID lens_field(JNIEnv *jni, const char *class_name, const char *name, const char *type)
{
    ASSERT_AGENT_THREAD();
    jclass class = (*jni)->FindClass(jni, class_name);
    jfieldID field = class != NULL ? (*jni)->GetFieldID(jni, class, name, type) : NULL;
    (*jni)->ExceptionClear(jni);
    if (class != NULL) {
        (*jni)->DeleteLocalRef(jni, class);
    }
    return field;
}

bool lens_defs_begin(JNIEnv *jni)
{
    ASSERT_AGENT_THREAD();
    static const jvmtiCapabilities NEEDED = {
        .can_tag_objects = 1, .can_get_line_numbers = 1, .can_get_source_file_name = 1};
    if (!AGENT_CALL(lens.jvmti, AddCapabilities, &NEEDED)) {
        return false;
    }
    lens.at_start.can_tag_objects = 1; // tags of classes stay
    if (loader_name == NULL) {
        loader_name = lens_field(jni, "java/lang/ClassLoader", "name", "Ljava/lang/String;");
    }
    return lens_threads_begin(jni);
}

void lens_defs_idle(JNIEnv *jni)
{
    ASSERT_AGENT_THREAD();
    assert(!lens_orders_any()); // nobody names a stack any more
    (void)jni;
    lens_stack_idle();
    lens_threads_idle();
}
