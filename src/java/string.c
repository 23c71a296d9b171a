// SPDX-License-Identifier: Apache-2.0
// java.lang.String from C, and the table of interned strings.
//
// A String holds a byte[] in Latin-1 (coder 0) whenever all its chars fit, else UTF-16 in
// native order (coder 1), in which all are with -XX:-CompactStrings. The intern table is weak and keyed by contents; entries keep the
// hash, so that moving objects does not disturb it. Lock: RANK_STRINGS (never held while
// allocating); the collector visits the table with the world stopped and takes no lock.
#include "java/string.h"
#include "base/mutf8.h"
#include "class/loader.h"
#include "class/vm_classes.h"
#include "java/exception.h"
#include "java/java_object.h"
#include "options/options.h"

enum { CODER_LATIN1 = 0, CODER_UTF16 = 1, TABLE_START = 1 << 14 };

typedef struct InternEntry {
    struct InternEntry *next;
    Object *string;
    uint32_t hash;
} InternEntry;

static Mutex intern_lock = MUTEX_INIT(RANK_STRINGS);
static InternEntry **buckets;
static size_t bucket_count, intern_count;

// ---- making ----

// Of a String whose chars all fit in Latin-1, or do not.
static uint8_t coder_of(bool latin1)
{
    return latin1 && vm_options.compact_strings ? CODER_LATIN1 : CODER_UTF16;
}

// A String of `units` chars over a new byte[], contents still zero. NULL with OutOfMemoryError.
static jobject string_alloc(Thread *self, size_t units, uint8_t coder)
{
    size_t bytes = coder == CODER_UTF16 ? units * 2 : units;
    if (bytes > INT32_MAX) {
        throw_out_of_memory(self, "Requested array size exceeds VM limit");
        return NULL;
    }
    HANDLE_SCOPE(self);
    jobject value = array_new(self, class_primitive_array('B'), (int32_t)bytes);
    if (!value)
        return NULL;
    jobject s = handle_new(self, object_new_raw(self, CLS(String)));
    if (!s)
        return NULL;
    object_set_ref(deref(s), OFF(String, value), deref(value));
    object_set_byte(deref(s), OFF(String, coder), (int8_t)coder);
    SCOPE_RETURN(s);
}

// NULL: the String has no value yet, its constructor has still to set it.
static Object *string_value(const Object *s)
{
    return object_get_ref(s, OFF(String, value));
}

static void *string_bytes(const Object *s)
{
    Object *value = string_value(s);
    return value ? array_data(value) : NULL;
}

static bool is_utf16(const Object *s)
{
    return object_get_byte(s, OFF(String, coder)) == CODER_UTF16;
}

jobject string_from_mutf8_n(Thread *self, const char *s, size_t len)
{
    bool latin1 = true;
    size_t units = mutf8_utf16_length((const uint8_t *)s, len, &latin1);
    uint8_t coder = coder_of(latin1);
    jobject h = string_alloc(self, units, coder);
    if (!h)
        return NULL;
    if (coder == CODER_LATIN1)
        mutf8_to_latin1((const uint8_t *)s, len, string_bytes(deref(h)));
    else
        mutf8_to_utf16((const uint8_t *)s, len, string_bytes(deref(h)));
    return h;
}

jobject string_from_mutf8(Thread *self, const char *s)
{
    ASSERT_MAY_GC(self);
    return string_from_mutf8_n(self, s, strlen(s));
}

jobject string_from_utf16(Thread *self, const uint16_t *s, size_t len)
{
    bool latin1 = true;
    for (size_t i = 0; i < len && latin1; i++)
        latin1 = s[i] < 256;
    uint8_t coder = coder_of(latin1);
    jobject h = string_alloc(self, len, coder);
    if (!h)
        return NULL;
    uint8_t *out = string_bytes(deref(h));
    if (coder == CODER_UTF16)
        memcpy(out, s, len * 2);
    for (size_t i = 0; coder == CODER_LATIN1 && i < len; i++)
        out[i] = (uint8_t)s[i];
    return h;
}

jobject string_from_latin1(Thread *self, const uint8_t *s, size_t len)
{
    ASSERT_MAY_GC(self);
    uint8_t coder = coder_of(true);
    jobject h = string_alloc(self, len, coder);
    if (!h)
        return NULL;
    if (coder == CODER_LATIN1)
        memcpy(string_bytes(deref(h)), s, len);
    uint16_t *units = string_bytes(deref(h));
    for (size_t i = 0; coder == CODER_UTF16 && i < len; i++)
        units[i] = s[i];
    return h;
}

// Decodes one UTF-8 sequence; 0 bytes consumed when it is malformed.
static size_t utf8_decode(const uint8_t *p, size_t left, uint32_t *out)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t n = p[0] < 0x80   ? 1
               : p[0] < 0xC2 ? 0
               : p[0] < 0xE0 ? 2
               : p[0] < 0xF0 ? 3
               : p[0] < 0xF5 ? 4
                             : 0;
    if (n == 0 || n > left)
        return 0;
    uint32_t c = n == 1 ? p[0] : p[0] & (0x7Fu >> n);
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xC0) != 0x80)
            return 0;
        c = c << 6 | (p[i] & 0x3F);
    }
    if (c < least[n] || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000))
        return 0;
    *out = c;
    return n;
}

jobject string_from_platform(Thread *self, const char *s)
{
    ASSERT_MAY_GC(self);
    size_t len = strlen(s), units = 0;
    uint16_t *out = vm_malloc((len + 1) * sizeof(*out));
    for (size_t i = 0, n; i < len; i += n) {
        uint32_t c = 0;
        n = utf8_decode((const uint8_t *)s + i, len - i, &c);
        if (n == 0) {
            vm_free(out);
            return string_from_latin1(self, (const uint8_t *)s, len);
        }
        if (c >= 0x10000) {
            out[units++] = (uint16_t)(0xD800 + ((c - 0x10000) >> 10));
            c = 0xDC00 + ((c - 0x10000) & 0x3FF);
        }
        out[units++] = (uint16_t)c;
    }
    jobject h = string_from_utf16(self, out, units);
    vm_free(out);
    return h;
}

// ---- reading ----

bool string_has_value(const Object *s)
{
    ASSERT_INSTANCE(s);
    return string_value(s) != NULL;
}

int32_t string_length(const Object *s)
{
    ASSERT_INSTANCE(s);
    const Object *value = string_value(s);
    return value ? array_length(value) >> (is_utf16(s) ? 1 : 0) : 0;
}

uint16_t string_char_at(const Object *s, int32_t i)
{
    VM_ASSERT(i >= 0 && i < string_length(s));
    return is_utf16(s) ? ((uint16_t *)string_bytes(s))[i] : ((uint8_t *)string_bytes(s))[i];
}

void string_get_utf16(const Object *s, int32_t start, int32_t len, uint16_t *out)
{
    NO_GC_SCOPE();
    ASSERT_INSTANCE(s);
    VM_ASSERT(start >= 0 && len >= 0 && start <= string_length(s) - len);
    for (int32_t i = 0; i < len; i++)
        out[i] = string_char_at(s, start + i);
}

size_t string_mutf8_length(const Object *s)
{
    ASSERT_INSTANCE(s);
    size_t n = (size_t)string_length(s);
    return is_utf16(s) ? mutf8_length_of_utf16(string_bytes(s), n)
                       : mutf8_length_of_latin1(string_bytes(s), n);
}

void string_put_mutf8(const Object *s, char *out)
{
    ASSERT_INSTANCE(s);
    size_t n = (size_t)string_length(s);
    if (is_utf16(s))
        mutf8_from_utf16(string_bytes(s), n, out);
    else
        mutf8_from_latin1(string_bytes(s), n, out);
}

char *string_to_mutf8(const Object *s)
{
    NO_GC_SCOPE();
    ASSERT_OBJECT_OR_NULL(s);
    if (!s)
        return NULL;
    size_t len = string_mutf8_length(s);
    char *out = vm_malloc(len + 1);
    string_put_mutf8(s, out);
    out[len] = 0;
    return out;
}

static char *utf8_encode(char *p, uint32_t c)
{
    if (c < 0x80) {
        *p++ = (char)c;
        return p;
    }
    if (c < 0x800) {
        *p++ = (char)(0xC0 | c >> 6);
    } else {
        if (c < 0x10000) {
            *p++ = (char)(0xE0 | c >> 12);
        } else {
            *p++ = (char)(0xF0 | c >> 18);
            *p++ = (char)(0x80 | (c >> 12 & 0x3F));
        }
        *p++ = (char)(0x80 | (c >> 6 & 0x3F));
    }
    *p++ = (char)(0x80 | (c & 0x3F));
    return p;
}

char *string_to_utf8(const Object *s)
{
    NO_GC_SCOPE();
    ASSERT_OBJECT_OR_NULL(s);
    if (!s)
        return NULL;
    int32_t n = string_length(s);
    char *out = vm_malloc((size_t)n * 3 + 1), *p = out;
    for (int32_t i = 0; i < n; i++) {
        uint32_t c = string_char_at(s, i);
        if (c >= 0xD800 && c < 0xE000) {
            uint32_t low = c < 0xDC00 && i + 1 < n ? string_char_at(s, i + 1) : 0;
            if (low >= 0xDC00 && low < 0xE000) {
                c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
                i++;
            } else {
                c = '?';
            }
        }
        p = utf8_encode(p, c);
    }
    *p = 0;
    return out;
}

Symbol *string_to_symbol(const Object *s, bool dots_to_slashes, bool create)
{
    NO_GC_SCOPE();
    ASSERT_OBJECT_OR_NULL(s);
    char *text = string_to_mutf8(s);
    size_t len = strlen(text);
    for (char *p = text; dots_to_slashes && *p; p++)
        if (*p == '.')
            *p = '/';
    Symbol *symbol = NULL;
    if (len <= UINT16_MAX)
        symbol = create ? symbol_intern_n(text, len) : symbol_find_n(text, len);
    vm_free(text);
    return symbol;
}

// ---- interning ----

static uint32_t string_content_hash(const Object *s)
{
    uint32_t h = 0;
    int32_t n = string_length(s);
    for (int32_t i = 0; i < n; i++)
        h = h * 31 + string_char_at(s, i);
    return h;
}

static uint32_t utf16_hash(const uint16_t *s, size_t len)
{
    uint32_t h = 0;
    for (size_t i = 0; i < len; i++)
        h = h * 31 + s[i];
    return h;
}

static bool equals_string(const Object *a, const Object *b)
{
    int32_t length = string_length(a);
    size_t bytes = (size_t)length << (is_utf16(a) ? 1 : 0);
    return is_utf16(a) == is_utf16(b) && length == string_length(b)
           && (bytes == 0 || memcmp(string_bytes(a), string_bytes(b), bytes) == 0);
}

static bool equals_utf16(const Object *s, const uint16_t *text, size_t len)
{
    if ((size_t)string_length(s) != len)
        return false;
    for (size_t i = 0; i < len; i++)
        if (string_char_at(s, (int32_t)i) != text[i])
            return false;
    return true;
}

static InternEntry **bucket_of(uint32_t hash)
{
    return &buckets[(hash ^ hash >> 15) & (bucket_count - 1)];
}

static void grow_table(void)
{
    InternEntry **old = buckets;
    size_t old_count = bucket_count;
    bucket_count *= 2;
    buckets = vm_calloc(bucket_count, sizeof(*buckets));
    for (size_t i = 0; i < old_count; i++) {
        for (InternEntry *e = old[i], *next; e; e = next) {
            next = e->next;
            InternEntry **b = bucket_of(e->hash);
            e->next = *b;
            *b = e;
        }
    }
    vm_free(old);
}

jobject string_intern(Thread *self, jobject string)
{
    ASSERT_MAY_GC(self);
    ASSERT_HANDLE(string);
    Object *s = deref(string);
    uint32_t hash = string_content_hash(s);
    mutex_lock(&intern_lock);
    for (InternEntry *e = *bucket_of(hash); e; e = e->next) {
        if (e->hash == hash && equals_string(e->string, s)) {
            Object *found = e->string;
            mutex_unlock(&intern_lock);
            return handle_new(self, found);
        }
    }
    if (intern_count >= bucket_count)
        grow_table();
    InternEntry *e = vm_malloc(sizeof(*e));
    InternEntry **b = bucket_of(hash);
    *e = (InternEntry){*b, s, hash};
    *b = e;
    intern_count++;
    mutex_unlock(&intern_lock);
    return handle_new(self, s);
}

size_t interned_strings_each(void (*visit)(void *ctx, size_t bucket, Object *s), void *ctx)
{
    mutex_lock(&intern_lock);
    for (size_t i = 0; visit && i < bucket_count; i++)
        for (InternEntry *e = buckets[i]; e; e = e->next)
            visit(ctx, i, e->string);
    size_t count = bucket_count;
    mutex_unlock(&intern_lock);
    return count;
}

static Object *find_interned(const uint16_t *text, size_t len)
{
    uint32_t hash = utf16_hash(text, len);
    Object *found = NULL;
    mutex_lock(&intern_lock);
    for (InternEntry *e = *bucket_of(hash); e && !found; e = e->next)
        if (e->hash == hash && equals_utf16(e->string, text, len))
            found = e->string;
    mutex_unlock(&intern_lock);
    return found;
}

// *made: this call made the string.
static jobject intern_mutf8(Thread *self, const char *s, size_t len, bool *made)
{
    bool latin1;
    uint16_t small[256];
    size_t units = mutf8_utf16_length((const uint8_t *)s, len, &latin1);
    uint16_t *text = units <= ARRAY_LEN(small) ? small : vm_malloc(units * sizeof(*text));
    mutf8_to_utf16((const uint8_t *)s, len, text);
    Object *found = find_interned(text, units);
    jobject h;
    *made = false;
    if (found) {
        h = handle_new(self, found);
    } else {
        HANDLE_SCOPE(self);
        jobject fresh = string_from_utf16(self, text, units);
        h = fresh ? string_intern(self, fresh) : NULL;
        *made = h && deref(h) == deref(fresh);
        h = scope_return(&handle_scope_, h);
    }
    if (text != small)
        vm_free(text);
    return h;
}

jobject string_intern_mutf8_n(Thread *self, const char *s, size_t len)
{
    bool made;
    return intern_mutf8(self, s, len, &made);
}

static void post_alloc(Thread *self, jobject h)
{
    object_post_alloc(self, h);
    object_post_alloc(self, handle_new(self, object_get_ref(deref(h), OFF(String, value))));
}

jobject string_intern_reported(Thread *self, const char *s, size_t len)
{
    bool made;
    HANDLE_SCOPE(self);
    jobject h = intern_mutf8(self, s, len, &made);
    if (made)
        post_alloc(self, h);
    SCOPE_RETURN(h);
}

jobject string_from_mutf8_reported(Thread *self, const char *s, size_t len)
{
    ASSERT_MAY_GC(self);
    HANDLE_SCOPE(self);
    jobject h = string_from_mutf8_n(self, s, len);
    if (h)
        post_alloc(self, h);
    SCOPE_RETURN(h);
}

jobject string_intern_symbol(Thread *self, const Symbol *s)
{
    ASSERT_MAY_GC(self);
    return string_intern_mutf8_n(self, s->s, s->len);
}

static void visit_interned(WeakKeep keep, void *ctx)
{
    for (size_t i = 0; i < bucket_count; i++) {
        for (InternEntry **at = &buckets[i]; *at;) {
            InternEntry *e = *at;
            if (keep(ctx, &e->string)) {
                at = &e->next;
            } else {
                *at = e->next;
                vm_free(e);
                intern_count--;
            }
        }
    }
}

void strings_init(void)
{
    bucket_count = TABLE_START;
    buckets = vm_calloc(bucket_count, sizeof(*buckets));
    heap_add_weak_table(visit_interned);
}
