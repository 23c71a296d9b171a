// SPDX-License-Identifier: Apache-2.0
// java.lang.Class and ClassLoader: finding, defining, asking classes.
#include "class/vm_classes.h"
#include "classlib/jvm.h"
#include "java/describe.h"
#include "java/exception.h"
#include "java/java_object.h"
#include "java/reflect.h"
#include "java/string.h"
#include "redefine/class_version.h"

static Class *of(jclass c)
{
    return class_of_handle(c);
}

// ---- kinds ----

jboolean JNICALL JVM_IsInterface(JNIEnv *env, jclass c)
{
    IN_VM(env);
    return class_is_interface(of(c));
}
jboolean JNICALL JVM_IsArrayClass(JNIEnv *env, jclass c)
{
    IN_VM(env);
    return class_is_array(of(c));
}
jboolean JNICALL JVM_IsPrimitiveClass(JNIEnv *env, jclass c)
{
    IN_VM(env);
    return class_is_primitive(of(c));
}
jboolean JNICALL JVM_IsHiddenClass(JNIEnv *env, jclass c)
{
    IN_VM(env);
    return of(c)->hidden;
}
jboolean JNICALL JVM_IsRecord(JNIEnv *env, jclass c)
{
    IN_VM(env);
    return of(c)->is_record;
}
jint JNICALL JVM_GetClassModifiers(JNIEnv *env, jclass c)
{
    IN_VM(env);
    return of(c)->inner_access & ~ACC_SUPER;
}
jint JNICALL JVM_GetClassAccessFlags(JNIEnv *env, jclass c)
{
    IN_VM(env);
    return of(c)->access;
}
jstring JNICALL JVM_InitClassName(JNIEnv *env, jclass c)
{
    IN_VM(env);
    return class_name_string_reported(self, of(c));
}

// ---- finding ----

jclass JNICALL JVM_FindPrimitiveClass(JNIEnv *env, const char *name)
{
    static const struct {
        const char *name;
        char kind;
    } kinds[] = {
        {"boolean", 'Z'}, {"byte", 'B'},  {"char", 'C'},   {"short", 'S'}, {"int", 'I'},
        {"long", 'J'},    {"float", 'F'}, {"double", 'D'}, {"void", 'V'},
    };
    IN_VM(env);
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (strcmp(kinds[i].name, name) == 0)
            return mirror_handle(self, class_primitive(kinds[i].kind));
    throw_new(self, "java/lang/ClassNotFoundException", "%s", name);
    return NULL;
}
jclass JNICALL JVM_FindClassFromBootLoader(JNIEnv *env, const char *name)
{
    IN_VM(env);
    size_t len = strlen(name);
    Class *c = len && len <= 65535 ? loader_find_boot(self, symbol_intern_n(name, len)) : NULL;
    return c ? mirror_handle(self, c) : NULL;
}

static jclass find_class(Thread *self, const char *name, bool init, Loader *loader,
                         bool as_error)
{
    size_t len = name ? strlen(name) : 0;
    if (!name || len > 65535) {
        char *text = describe_long_name(name ? name : "");
        throw_new(self,
                  as_error ? "java/lang/NoClassDefFoundError"
                           : "java/lang/ClassNotFoundException",
                  "%s", text);
        vm_free(text);
        return NULL;
    }
    Class *c = loader_load(self, loader, symbol_intern_n(name, len), as_error);
    if (!c || (init && !class_initialize(self, c)))
        return NULL;
    return mirror_handle(self, c);
}
jclass JNICALL JVM_FindClassFromCaller(JNIEnv *env, const char *name, jboolean init,
                                       jobject loader, jclass caller)
{
    (void)caller;
    IN_VM(env);
    Loader *l = loader_constructed(self, loader);
    return l ? find_class(self, name, init, l, false) : NULL;
}
jclass JNICALL JVM_FindClassFromClass(JNIEnv *env, const char *name, jboolean init, jclass from)
{
    IN_VM(env);
    Class *c = from ? of(from) : NULL;
    if (c && c->cf && name && bytes_eq(cf_class_name(c->cf, c->cf->this_class), name))
        return mirror_handle(self, c); // its loader may not know a hidden class
    return find_class(self, name, init, c ? c->loader : loader_boot, true);
}
jclass JNICALL JVM_FindLoadedClass(JNIEnv *env, jobject loader, jstring name)
{
    IN_VM(env);
    Symbol *symbol = name ? string_to_symbol(deref(name), true, false) : NULL;
    Class *c = symbol ? loader_find_loaded(loader_of(self, loader), symbol) : NULL;
    return c ? mirror_handle(self, c) : NULL;
}

// ---- defining ----

static jclass define(Thread *self, jobject loader, const jbyte *bytes, jsize len,
                     const DefineOptions *options)
{
    Loader *l = loader_constructed(self, loader);
    Class *c = l ? class_define(self, l, (const uint8_t *)bytes, (size_t)len, options) : NULL;
    return c ? mirror_handle(self, c) : NULL;
}
jclass JNICALL JVM_DefineClassWithSource(JNIEnv *env, const char *name, jobject loader,
                                         const jbyte *bytes, jsize len,
                                         jobject protection_domain, const char *source)
{
    IN_VM(env);
    return define(self, loader, bytes, len,
                  &(DefineOptions){
                      .name = name, .protection_domain = protection_domain, .source = source});
}
jclass JNICALL JVM_DefineClass(JNIEnv *env, const char *name, jobject loader,
                               const jbyte *bytes, jsize len, jobject protection_domain)
{
    return JVM_DefineClassWithSource(env, name, loader, bytes, len, protection_domain, NULL);
}

enum { DEFINE_NESTMATE = 1, DEFINE_HIDDEN = 2, DEFINE_STRONG = 4, DEFINE_VM_ANNOTATIONS = 8 };

static bool check_lookup_options(Thread *self, int flags, jobject class_data)
{
    if (flags & DEFINE_HIDDEN)
        return true;
    const char *wrong =
        class_data                ? "classData is only applicable for hidden classes"
        : flags & DEFINE_NESTMATE ? "dynamic nestmate is only applicable for hidden classes"
        : !(flags & DEFINE_STRONG)
            ? "an ordinary class must be strongly referenced by its defining loader"
        : flags & DEFINE_VM_ANNOTATIONS ? "vm annotations only allowed for hidden classes"
        : flags != DEFINE_STRONG        ? "invalid flag"
                                        : NULL;
    if (wrong)
        throw_new(self, "java/lang/IllegalArgumentException", "%s", wrong);
    return !wrong;
}
jclass JNICALL JVM_LookupDefineClass(JNIEnv *env, jclass lookup, const char *name,
                                     const jbyte *bytes, jsize len, jobject protection_domain,
                                     jboolean init, int flags, jobject class_data)
{
    IN_VM(env);
    if (!lookup) {
        throw_new(self, "java/lang/IllegalArgumentException", "Lookup class is null");
        return NULL;
    }
    if (!check_lookup_options(self, flags, class_data))
        return NULL;
    DefineOptions options = {.name = name,
                             .protection_domain = protection_domain,
                             .source = "__JVM_LookupDefineClass__",
                             .hidden = flags & DEFINE_HIDDEN,
                             .nestmate = flags & DEFINE_NESTMATE,
                             .strong = flags & DEFINE_STRONG,
                             .vm_annotations = flags & DEFINE_VM_ANNOTATIONS,
                             .lookup = of(lookup),
                             .class_data = class_data};
    Class *c =
        class_define(self, of(lookup)->loader, (const uint8_t *)bytes, (size_t)len, &options);
    if (!c || !(init ? class_initialize(self, c) : class_link(self, c)))
        return NULL;
    return mirror_handle(self, c);
}

// ---- relations ----

// Class[] of `count` classes.
static jobjectArray class_array(Thread *self, Class *const *classes, size_t count)
{
    Class *array_class = class_array_of(self, CLS(Class));
    jobject a = array_class ? array_new(self, array_class, (int32_t)count) : NULL;
    for (size_t i = 0; a && i < count; i++)
        array_set_ref(deref(a), (int32_t)i, class_mirror(classes[i]));
    if (a)
        object_post_alloc(self, a);
    return a;
}
jobjectArray JNICALL JVM_GetClassInterfaces(JNIEnv *env, jclass c)
{
    IN_VM(env);
    (void)class_version(self, of(c)); // keeps the list
    return class_array(self, of(c)->interfaces, of(c)->interface_count);
}

// Resolves a CLASS entry; linkage failures other than VirtualMachineErrors are dropped: NULL
// without exception.
static Class *resolve_quietly(Thread *self, ConstantPool *pool, uint16_t index)
{
    Class *c = resolve_class(self, pool, index);
    if (!c && !object_is_instance(self->exception, CLS(VirtualMachineError)))
        self->exception = NULL;
    return c;
}

jclass JNICALL JVM_GetNestHost(JNIEnv *env, jclass c)
{
    IN_VM(env);
    Class *host = class_nest_host(self, of(c));
    return host ? mirror_handle(self, host) : NULL;
}
jobjectArray JNICALL JVM_GetNestMembers(JNIEnv *env, jclass c)
{
    IN_VM(env);
    Class *host = class_nest_host(self, of(c));
    if (!host)
        return NULL;
    ConstantPool *pool = class_version(self, host);
    const ClassFile *cf = pool ? pool->cf : NULL;
    size_t count = cf ? cf->nest_member_count : 0, n = 0;
    Class **members = vm_calloc(count + 1, sizeof *members);
    members[n++] = host;
    for (size_t i = 0; i < count && !exception_pending(self); i++) {
        Class *m = resolve_quietly(self, pool, cf->nest_members[i]);
        if (m && class_nest_host(self, m) == host)
            members[n++] = m;
    }
    jobject a = exception_pending(self) ? NULL : class_array(self, members, n);
    vm_free(members);
    return a;
}
jboolean JNICALL JVM_AreNestMates(JNIEnv *env, jclass a, jclass b)
{
    IN_VM(env);
    const Class *host = class_nest_host(self, of(a));
    return host && host == class_nest_host(self, of(b));
}
jobjectArray JNICALL JVM_GetPermittedSubclasses(JNIEnv *env, jclass c)
{
    IN_VM(env);
    ConstantPool *pool = class_version(self, of(c));
    if (!pool || !pool->cf->is_sealed)
        return NULL;
    size_t n = 0;
    Class **found = vm_calloc(pool->cf->permitted_count + 1u, sizeof *found);
    for (int i = 0; i < pool->cf->permitted_count && !exception_pending(self); i++) {
        Class *p = resolve_quietly(self, pool, pool->cf->permitted[i]);
        if (p)
            found[n++] = p;
    }
    jobject a = exception_pending(self) ? NULL : class_array(self, found, n);
    vm_free(found);
    return a;
}

// ---- InnerClasses and EnclosingMethod ----

static bool is_entry_of(const ClassFile *cf, uint16_t index, const Symbol *name)
{
    Bytes b = cf_class_name(cf, index);
    return b.len == name->len && memcmp(b.p, name->s, b.len) == 0;
}
// Whether an entry names the class whose file this is; a hidden class goes by the name in its file.
static bool is_own_name(const ClassFile *cf, uint16_t index)
{
    Bytes a = cf_class_name(cf, index), b = cf_class_name(cf, cf->this_class);
    return a.len == b.len && memcmp(a.p, b.p, a.len) == 0;
}
// The InnerClasses entry that describes the class itself; NULL when there is none.
static const InnerClassEntry *own_entry(const Class *c)
{
    for (int i = 0; c->cf && i < c->cf->inner_class_count; i++)
        if (c->cf->inner_classes[i].inner && is_own_name(c->cf, c->cf->inner_classes[i].inner))
            return &c->cf->inner_classes[i];
    return NULL;
}
// Both classes must agree that inner is a member of outer, or else a local class within it: the
// outer class's entry leads to this inner class and no namesake.
static bool check_inner(Thread *self, Class *outer, Class *inner, bool is_member)
{
    ConstantPool *pool = class_version(self, outer);
    for (int i = 0; pool && i < pool->cf->inner_class_count; i++) {
        const InnerClassEntry *e = &pool->cf->inner_classes[i];
        if (!e->inner || (e->outer != 0) != is_member
            || !is_entry_of(pool->cf, e->inner, inner->name)
            || (is_member && !is_own_name(pool->cf, e->outer)))
            continue;
        Class *found = resolve_class(self, pool, e->inner);
        if (!found || found == inner)
            return found;
    }
    char *o = class_external_name(outer), *n = class_external_name(inner);
    throw_new(self, "java/lang/IncompatibleClassChangeError",
              "%s and %s disagree on InnerClasses attribute", o, n);
    vm_free(o);
    vm_free(n);
    return false;
}
jclass JNICALL JVM_GetDeclaringClass(JNIEnv *env, jclass c)
{
    IN_VM(env);
    Class *cls = of(c);
    const InnerClassEntry *e = own_entry(cls);
    bool is_member = e && e->outer;
    uint16_t index = !e ? 0 : is_member ? e->outer : cls->cf->enclosing_class;
    Class *outer = index ? resolve_class(self, cls->pool, index) : NULL;
    if (!outer || !check_inner(self, outer, cls, is_member))
        return NULL;
    return is_member ? mirror_handle(self, outer) : NULL;
}
jobjectArray JNICALL JVM_GetDeclaredClasses(JNIEnv *env, jclass c)
{
    IN_VM(env);
    ConstantPool *pool = class_version(self, of(c));
    const ClassFile *cf = pool ? pool->cf : NULL;
    size_t n = 0, max = cf ? cf->inner_class_count : 0;
    Class **found = vm_calloc(max + 1, sizeof *found);
    for (size_t i = 0; i < max && !exception_pending(self); i++) {
        const InnerClassEntry *e = &cf->inner_classes[i];
        if (!e->inner || !e->outer || !is_own_name(cf, e->outer))
            continue;
        Class *inner = resolve_class(self, pool, e->inner);
        if (inner)
            found[n++] = inner;
    }
    jobject a = exception_pending(self) ? NULL : class_array(self, found, n);
    vm_free(found);
    return a;
}
static jstring utf8_string(Thread *self, const ClassFile *cf, uint16_t index)
{
    Bytes b = cf_utf8(cf, index);
    return string_from_mutf8_reported(self, (const char *)b.p, b.len);
}
jstring JNICALL JVM_GetSimpleBinaryName(JNIEnv *env, jclass c)
{
    IN_VM(env);
    const ConstantPool *pool = class_version(self, of(c));
    const InnerClassEntry *e = own_entry(of(c));
    if (!e || !e->name)
        return NULL;
    Bytes b = cf_utf8(pool->cf, e->name);
    return string_from_mutf8_n(self, (const char *)b.p, b.len); // unreported on HotSpot too
}
jobjectArray JNICALL JVM_GetEnclosingMethodInfo(JNIEnv *env, jclass c)
{
    IN_VM(env);
    ConstantPool *pool = class_version(self, of(c));
    if (!pool || !pool->cf->enclosing_class
        || !pool->cf->inner_class_count) // JVMS 4.7.7: InnerClasses must be there too
        return NULL;
    const ClassFile *cf = pool->cf;
    Class *outer = resolve_class(self, pool, cf->enclosing_class);
    Class *objects = outer ? class_array_of(self, CLS(Object)) : NULL;
    jobject a = objects ? array_new(self, objects, 3) : NULL;
    if (!a)
        return NULL;
    array_set_ref(deref(a), 0, class_mirror(outer));
    uint16_t method = cf->enclosing_method;
    if (method) {
        CpEntry nat = cf_entry(cf, method);
        jobject name = utf8_string(self, cf, nat.nat.name);
        jobject type = name ? utf8_string(self, cf, nat.nat.type) : NULL;
        if (!type)
            return NULL;
        array_set_ref(deref(a), 1, deref(name));
        array_set_ref(deref(a), 2, deref(type));
    }
    object_post_alloc(self, a);
    return a;
}

// ---- attributes ----

jstring JNICALL JVM_GetClassSignature(JNIEnv *env, jclass c)
{
    IN_VM(env);
    const ConstantPool *pool = class_version(self, of(c));
    uint16_t signature = pool ? pool->cf->attrs.signature : 0;
    return signature ? utf8_string(self, pool->cf, signature) : NULL;
}
jbyteArray JNICALL JVM_GetClassAnnotations(JNIEnv *env, jclass c)
{
    IN_VM(env);
    const ConstantPool *pool = class_version(self, of(c));
    return pool ? bytes_to_array(self, member_annotations(pool->cf, &pool->cf->attrs).plain)
                : NULL;
}
jbyteArray JNICALL JVM_GetClassTypeAnnotations(JNIEnv *env, jclass c)
{
    IN_VM(env);
    const ConstantPool *pool = class_version(self, of(c));
    return pool ? bytes_to_array(self, member_annotations(pool->cf, &pool->cf->attrs).types)
                : NULL;
}
jobject JNICALL JVM_GetProtectionDomain(JNIEnv *env, jclass c)
{
    IN_VM(env);
    if (!c) {
        throw_null(self, "java/lang/NullPointerException");
        return NULL;
    }
    return handle_new(self, object_get_ref(deref(c), OFF(Class, protection_domain)));
}
jobjectArray JNICALL JVM_GetClassSigners(JNIEnv *env, jclass c)
{
    IN_VM(env);
    jobject signers = handle_new(self, object_get_ref(deref(c), OFF(Class, signers)));
    return signers ? object_clone(self, signers) : NULL;
}
void JNICALL JVM_SetClassSigners(JNIEnv *env, jclass c, jobjectArray signers)
{
    IN_VM(env);
    if (of(c)->kind == 'L')
        object_set_ref(deref(c), OFF(Class, signers), deref(signers));
}
