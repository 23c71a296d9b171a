// SPDX-License-Identifier: Apache-2.0
// Finds the C functions of native methods: the VM's own table, libjava, ClassLoader.findNative,
// agents' libraries (JNI, Resolving Native Method Names), also with the prefixes of JVM TI
// stripped.
//
// The table and the prefixes are guarded by RANK_CODE; they change at start and by agents only.
#include "link/native.h"
#include "base/log.h"
#include "base/mutf8.h"
#include "class/assumption.h"
#include "class/loader.h"
#include "class/vm_classes.h"
#include "event/event.h"
#include "java/call.h"
#include "java/describe.h"
#include "java/engine.h"
#include "java/exception.h"
#include "java/string.h"

static Mutex native_lock = MUTEX_INIT(RANK_RESOLVE);
static StrMap vm_natives; // "class.name" and "class.name:desc" -> function
static StrMap intrinsics; // "class.name:desc" -> Intrinsic
static StrMap computed;   // the same of methods that are computed
static VEC(const Symbol *) always_intrinsic_classes;
static void *java_library;
static char **prefixes;
static int prefix_count;
static void *(*agent_lookup)(const char *name);

void native_register_vm(const VmNative *rows, size_t count)
{
    mutex_lock(&native_lock);
    for (size_t i = 0; i < count; i++) {
        const VmNative *r = &rows[i];
        char *key = r->desc ? vm_asprintf("%s.%s:%s", r->cls, r->name, r->desc)
                            : vm_asprintf("%s.%s", r->cls, r->name);
        strmap_put(&vm_natives, key, r->fn);
        vm_free(key);
    }
    mutex_unlock(&native_lock);
}

static void put_intrinsic(StrMap *map, const IntrinsicRow *row)
{
    char *key = vm_asprintf("%s.%s:%s", row->cls, row->name, row->desc);
    strmap_put(map, key, (void *)(uintptr_t)row->intrinsic);
    vm_free(key);
}

void native_register_intrinsics(const IntrinsicRow *rows, size_t count)
{
    mutex_lock(&native_lock);
    for (size_t i = 0; i < count; i++)
        put_intrinsic(&intrinsics, &rows[i]);
    mutex_unlock(&native_lock);
}

void native_register_always_intrinsic(const IntrinsicRow *rows, size_t count)
{
    mutex_lock(&native_lock);
    for (size_t i = 0; i < count; i++) {
        put_intrinsic(&computed, &rows[i]);
        if (i == 0 || strcmp(rows[i - 1].cls, rows[i].cls) != 0)
            vec_push(&always_intrinsic_classes, symbol_intern(rows[i].cls));
    }
    mutex_unlock(&native_lock);
}

void native_set_library(void *libjava)
{
    java_library = libjava;
}

void native_set_agent_lookup(void *(*lookup)(const char *name))
{
    agent_lookup = lookup;
}

void native_set_prefixes(const char *const *list, int count)
{
    char **copy = count ? vm_calloc((size_t)count, sizeof(*copy)) : NULL;
    for (int i = 0; i < count; i++)
        copy[i] = vm_strdup(list[i]);
    mutex_lock(&native_lock);
    char **old = prefixes;
    int old_count = prefix_count;
    prefixes = copy;
    prefix_count = count;
    mutex_unlock(&native_lock);
    for (int i = 0; i < old_count; i++)
        vm_free(old[i]);
    vm_free(old);
}

// ---- mangling ----

static bool is_plain(uint16_t c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// False when the text cannot be mangled without ambiguity: a part begins with 0..3, which would
// read as an escape.
static bool mangle(StrBuf *sb, const char *s, size_t len)
{
    bool latin1;
    size_t units = mutf8_utf16_length((const uint8_t *)s, len, &latin1);
    uint16_t *text = vm_malloc((units + 1) * sizeof(*text));
    mutf8_to_utf16((const uint8_t *)s, len, text);
    bool ok = true, part_start = true;
    for (size_t i = 0; i < units && ok; i++) {
        uint16_t c = text[i];
        ok = !(part_start && c >= '0' && c <= '3');
        part_start = c == '/';
        if (is_plain(c))
            sb_putc(sb, (char)c);
        else if (c == '/')
            sb_putc(sb, '_');
        else if (c == '_')
            sb_add(sb, "_1");
        else if (c == ';')
            sb_add(sb, "_2");
        else if (c == '[')
            sb_add(sb, "_3");
        else
            sb_printf(sb, "_0%04x", c);
    }
    vm_free(text);
    return ok;
}

// The short (or long) C name of a native method called `name`. NULL when there is none.
static char *c_name(const Method *m, const char *name, bool with_signature)
{
    StrBuf sb = {0};
    sb_add(&sb, "Java_");
    bool ok = mangle(&sb, m->cls->name->s, m->cls->name->len);
    sb_putc(&sb, '_');
    ok = ok && mangle(&sb, name, strlen(name));
    if (with_signature) {
        sb_add(&sb, "__");
        const char *end = strchr(m->desc->s, ')');
        ok = ok && mangle(&sb, m->desc->s + 1, (size_t)(end - m->desc->s - 1));
    }
    if (ok)
        return sb.s;
    sb_free(&sb);
    return NULL;
}

// ---- lookup ----

static void *find_vm_native(const Method *m, const char *name)
{
    char *key = vm_asprintf("%s.%s:%s", m->cls->name->s, name, m->desc->s);
    mutex_lock(&native_lock);
    void *fn = strmap_get(&vm_natives, key);
    if (!fn)
        fn = strmap_get_n(&vm_natives, key, strlen(m->cls->name->s) + 1 + strlen(name));
    mutex_unlock(&native_lock);
    vm_free(key);
    return fn;
}

static void *find_by_loader(Thread *self, Loader *loader, const char *symbol)
{
    HANDLE_SCOPE(self);
    if (!engine_is_set() || !MTH(ClassLoader, findNative)
        || !class_initialize(self, CLS(ClassLoader)))
        return NULL;
    jvalue args[2] = {{.l = handle_new(self, deref(loader->java_loader))},
                      {.l = string_from_mutf8(self, symbol)}};
    jvalue result = {0};
    if (!args[1].l || !java_call(self, MTH(ClassLoader, findNative), args, &result))
        return NULL;
    return (void *)(uintptr_t)result.j;
}

static void *find_symbol(Thread *self, const Method *m, const char *symbol)
{
    void *fn =
        m->cls->loader->is_boot && java_library ? os_library_find(java_library, symbol) : NULL;
    if (!fn)
        fn = find_by_loader(self, m->cls->loader, symbol);
    if (!fn && !exception_pending(self) && agent_lookup)
        fn = agent_lookup(symbol);
    return fn;
}

static void *find_named(Thread *self, const Method *m, const char *name)
{
    void *fn = m->cls->loader->is_boot ? find_vm_native(m, name) : NULL;
    for (int pass = 0; pass < 2 && !fn && !exception_pending(self); pass++) {
        char *symbol = c_name(m, name, pass == 1);
        if (symbol)
            fn = find_symbol(self, m, symbol);
        vm_free(symbol);
    }
    return fn;
}

// The method that an agent put in the place of a native one, to call it under a prefixed name.
static bool is_wrapper(const Method *m)
{
    return m && !method_is_native(m);
}

static bool has_wrapper(const Method *m, const char *wrapper)
{
    Symbol *name = symbol_find_n(wrapper, strlen(wrapper));
    return name && is_wrapper(class_declared_method(m->cls, name, m->desc));
}

// Strips prefixes that the name carries, outermost (last set) first; all, or as far as there is a
// wrapper for each.
static const char *strip(const Method *m, bool all)
{
    const char *rest = m->name->s;
    for (int i = prefix_count - 1; i >= 0; i--) {
        size_t n = strlen(prefixes[i]);
        if (n > 0 && strncmp(rest, prefixes[i], n) == 0 && rest[n]
            && (all || has_wrapper(m, rest + n)))
            rest += n;
    }
    return rest;
}

// The name without the prefixes it carries, NULL when it carries none (JVM TI, Set Native Method
// Prefix). As on HotSpot wrappers between the first and the last may be missing.
static char *strip_prefixes(const Method *m)
{
    mutex_lock(&native_lock);
    const char *rest = strip(m, true);
    if (!has_wrapper(m, rest))
        rest = strip(m, false);
    mutex_unlock(&native_lock);
    return rest == m->name->s ? NULL : vm_strdup(rest);
}

Method *native_find_prefixed(const Class *c, const Method *wrapper)
{
    char *name = vm_strdup(wrapper->name->s);
    Method *found = NULL;
    mutex_lock(&native_lock);
    for (int i = 0; i < prefix_count && !found; i++) {
        char *longer = vm_asprintf("%s%s", prefixes[i], name);
        Symbol *symbol = symbol_find_n(longer, strlen(longer));
        Method *m = symbol ? class_declared_method(c, symbol, wrapper->desc) : NULL;
        if (m && method_is_native(m))
            found = m;
        char *unused = is_wrapper(m) ? name : longer;
        name = is_wrapper(m) ? longer : name;
        vm_free(unused);
    }
    mutex_unlock(&native_lock);
    vm_free(name);
    return found;
}

static Method *find_stripped(const Class *c, const Method *left)
{
    const char *rest = left->name->s;
    Method *found = NULL;
    mutex_lock(&native_lock);
    for (int i = prefix_count - 1; i >= 0 && !found; i--) {
        size_t n = strlen(prefixes[i]);
        if (n == 0 || strncmp(rest, prefixes[i], n) != 0 || !rest[n])
            continue;
        rest += n;
        Symbol *name = symbol_find_n(rest, strlen(rest));
        Method *m = name ? class_declared_method(c, name, left->desc) : NULL;
        if (m && method_is_native(m))
            found = m;
    }
    mutex_unlock(&native_lock);
    return found;
}

Method *native_find_successor(const Class *c, const Method *left)
{
    Method *found = native_find_prefixed(c, left);
    return found ? found : find_stripped(c, left);
}

static void *find_native(Thread *self, const Method *m)
{
    void *fn = find_named(self, m, m->name->s);
    if (fn || exception_pending(self))
        return fn;
    char *stripped = strip_prefixes(m);
    if (stripped)
        fn = find_named(self, m, stripped);
    vm_free(stripped);
    return fn;
}

static bool is_own_function(const void *fn)
{
    const void *library = os_library_base(fn);
    return library
           && (library == os_library_base((void *)(uintptr_t)native_bind)
               || (java_library
                   && library == os_library_base(os_library_find(java_library, "JNI_OnLoad"))));
}

static Intrinsic *registered_intrinsic(const StrMap *map, const Method *m)
{
    if (!m->cls->loader->is_boot)
        return NULL;
    char *key = vm_asprintf("%s.%s:%s", m->cls->name->s, m->name->s, m->desc->s);
    mutex_lock(&native_lock);
    void *intrinsic = strmap_get(map, key);
    mutex_unlock(&native_lock);
    vm_free(key);
    return (Intrinsic *)(uintptr_t)intrinsic;
}

static Intrinsic *find_intrinsic(const Method *m, const void *fn)
{
    Intrinsic *intrinsic = fn ? registered_intrinsic(&intrinsics, m) : NULL;
    return intrinsic && is_own_function(fn) ? intrinsic : NULL;
}

Intrinsic *native_always_intrinsic(const Method *m)
{
    size_t i = 0;
    while (i < always_intrinsic_classes.len && always_intrinsic_classes.at[i] != m->cls->name)
        i++;
    return i < always_intrinsic_classes.len ? registered_intrinsic(&computed, m) : NULL;
}

// One thread at a time: what two bind at once is one's or the other's, its intrinsic with it.
static void bind(Method *m, void *fn, Intrinsic *intrinsic)
{
    mutex_lock(&native_lock);
    if (!intrinsic && method_entry_kind(m) != ENTRY_ALWAYS_INTRINSIC)
        method_set_entry(m, ENTRY_NATIVE);
    atomic_store_explicit(&m->native, fn, memory_order_release);
    if (intrinsic && method_entry_kind(m) != ENTRY_INTRINSIC) {
        m->intrinsic = intrinsic; // before the entry, which the engine loads with acquire
        method_set_entry(m, ENTRY_INTRINSIC);
    }
    mutex_unlock(&native_lock);
}

// Code that has the intrinsic in it is invalidated where that does not stand for the function any more.
static MAY_GC void bind_anew(Thread *self, Method *m, void *fn, Intrinsic *intrinsic)
{
    bool had_one = method_entry_kind(m) == ENTRY_INTRINSIC;
    bind(m, fn, intrinsic);
    if (had_one && method_entry_kind(m) == ENTRY_NATIVE)
        assumption_break(self, ASSUME_METHOD_BODY, m);
}

void *native_bind(Thread *self, Method *m, void *fn)
{
    VM_ASSERT(method_is_native(m));
    ASSERT_MAY_GC(self);
    void *replacement = fn;
    event_post(self, NATIVE_BIND, m, fn, &replacement);
    Intrinsic *intrinsic = find_intrinsic(m, replacement);
    if (method_is_deleted(m) || !method_is_native(m)) // its class was redefined meanwhile
        return replacement;
    bind_anew(self, m, replacement, intrinsic);
    return replacement;
}

void native_unbind(Thread *self, Method *m)
{
    ASSERT_MAY_GC(self);
    bind_anew(self, m, NULL, NULL);
}

static void log_linked(const Method *m)
{
    if (!log_on(LOG_JNI, LOG_DEBUG))
        return;
    char *cls = class_external_name(m->cls);
    log_write(LOG_JNI, LOG_DEBUG, "[Dynamic-linking native method %s.%s ... JNI]", cls,
              m->name->s);
    vm_free(cls);
}

void *native_link(Thread *self, Method *m)
{
    VM_ASSERT(method_is_native(m));
    ASSERT_MAY_GC(self);
    void *fn = atomic_load_explicit(&m->native, memory_order_acquire);
    if (fn)
        return fn;
    fn = find_native(self, m);
    if (fn) {
        log_linked(m);
        fn = native_bind(self, m, fn);
        return exception_pending(self) ? NULL : fn; // of a listener: it stays bound
    }
    if (!exception_pending(self)) {
        char *text = method_external_name(m);
        throw_new(self, "java/lang/UnsatisfiedLinkError", "'%s'", text);
        vm_free(text);
    }
    return NULL;
}
