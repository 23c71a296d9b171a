// SPDX-License-Identifier: Apache-2.0
// See c_functions.h: com.sun.crypto.provider. All is declined where the processor has no instructions for it.
#include "arch/ciphers.h"
#include "class/loader.h"
#include "jit/c_functions.h"

// ---- fields of classes of the class library, which are never unloaded ----

typedef struct CField {
    const char *cls, *name;
    _Atomic uint32_t offset; // 0: not known yet
} CField;

static CField key_words = {"com/sun/crypto/provider/AESCrypt", "K", 0},
              key_limit = {"com/sun/crypto/provider/AESCrypt", "limit", 0},
              cipher_of = {"com/sun/crypto/provider/FeedbackCipher", "embeddedCipher", 0},
              counter_of = {"com/sun/crypto/provider/CounterMode", "counter", 0},
              counter_used = {"com/sun/crypto/provider/CounterMode", "used", 0};

// In an object of the field's class or of a subclass.
static uint32_t offset_in(CField *f, const Object *o)
{
    uint32_t known = atomic_load_explicit(&f->offset, memory_order_relaxed);
    if (known)
        return known;
    const Class *c = object_class(o);
    while (c && strcmp(c->name->s, f->cls) != 0)
        c = c->super;
    VM_CHECK(c);
    FIELD_EACH (declared, c)
        if (strcmp(declared->name->s, f->name) == 0)
            known = declared->offset;
    atomic_store_explicit(&f->offset, known, memory_order_relaxed);
    return known;
}

static Object *reference_in(CField *f, const Object *o)
{
    uint32_t at = offset_in(f, o);
    return at ? object_get_ref(o, at) : NULL;
}

static int32_t int_in(CField *f, const Object *o)
{
    uint32_t at = offset_in(f, o);
    return at ? object_get_int(o, at) : 0;
}

// ---- AESCrypt ----

static bool key_of(const Object *cipher, AesKey *key)
{
    const Object *words = reference_in(&key_words, cipher);
    int32_t limit = int_in(&key_limit, cipher);
    if (!words || limit < 40 || limit > 4 * AES_MOST_ROUNDS || limit % 4 != 0
        || array_length(words) != limit + 4)
        return false;
    *key = (AesKey){array_data((Object *)(uintptr_t)words), (uint32_t)limit / 4};
    return true;
}

static bool in_bytes(const Object *bytes, int32_t from, int32_t count)
{
    return bytes && from >= 0 && count >= 0 && count <= C_MOST_BYTES
           && (int64_t)from + count <= array_length(bytes);
}

static uint8_t *byte_at(const Object *bytes, int32_t at)
{
    return (uint8_t *)array_data((Object *)(uintptr_t)bytes) + at;
}

int64_t c_aes_encrypt(const Object *cipher, const Object *in, int32_t from, Object *out,
                      int32_t to)
{
    const CipherFunctions *f = arch_ciphers();
    AesKey key;
    if (!f || !in_bytes(in, from, AES_BLOCK) || !in_bytes(out, to, AES_BLOCK)
        || !key_of(cipher, &key))
        return C_DECLINED;
    f->encrypt(key, byte_at(in, from), byte_at(out, to));
    return 0;
}

int64_t c_aes_decrypt(const Object *cipher, const Object *in, int32_t from, Object *out,
                      int32_t to)
{
    const CipherFunctions *f = arch_ciphers();
    AesKey key;
    if (!f || !in_bytes(in, from, AES_BLOCK) || !in_bytes(out, to, AES_BLOCK)
        || !key_of(cipher, &key))
        return C_DECLINED;
    f->decrypt(key, byte_at(in, from), byte_at(out, to));
    return 0;
}

// ---- CounterMode, GHASH ----

static bool is_aes(const Object *cipher)
{
    const Class *c = cipher ? object_class(cipher) : NULL;
    return c && c->loader == loader_boot && strcmp(c->name->s, key_words.cls) == 0;
}

// Where the bytes go to is another place, or the same.
static bool is_apart(const Object *in, int32_t from, const Object *out, int32_t to,
                     int32_t count)
{
    return in != out || from == to || from + (int64_t)count <= to
           || to + (int64_t)count <= from;
}

// Whole blocks, with nothing left of the one before.
int64_t c_counter_crypt(const Object *mode, const Object *in, int32_t from, int32_t count,
                        Object *out, int32_t to)
{
    const CipherFunctions *f = arch_ciphers();
    const Object *cipher = reference_in(&cipher_of, mode),
                 *counter = reference_in(&counter_of, mode);
    AesKey key;
    if (!f || !in_bytes(in, from, count) || !in_bytes(out, to, count) || count % AES_BLOCK != 0
        || int_in(&counter_used, mode) < AES_BLOCK || !is_apart(in, from, out, to, count)
        || !in_bytes(counter, 0, AES_BLOCK) || array_length(counter) != AES_BLOCK
        || in == counter || out == counter || !is_aes(cipher) || !key_of(cipher, &key))
        return C_DECLINED;
    f->count(key, byte_at(counter, 0), byte_at(in, from), byte_at(out, to),
             (size_t)count / AES_BLOCK);
    return count;
}

int64_t c_ghash(const Object *in, int32_t from, int32_t blocks, Object *state,
                const Object *factor)
{
    const CipherFunctions *f = arch_ciphers();
    if (!f || blocks < 0 || blocks > C_MOST_BYTES / AES_BLOCK
        || !in_bytes(in, from, blocks * AES_BLOCK) || !state || array_length(state) < 2
        || !factor || array_length(factor) < 2)
        return C_DECLINED;
    f->hash(array_data(state), array_data((Object *)(uintptr_t)factor), byte_at(in, from),
            (size_t)blocks);
    return 0;
}
