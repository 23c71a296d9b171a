// SPDX-License-Identifier: Apache-2.0
// See c_functions.h: java.math.BigInteger. An int[] has the highest word first; here the lowest of 64 bits comes first.
#include "jit/c_functions.h"

#include "class/class.h"

typedef unsigned __int128 Wide;
enum {
    MOST_WORDS = 512,
    MOST_LIMBS = MOST_WORDS / 2
}; // they lie on the stack (JIT_STACK_RESERVE); BigInteger's own limit

static uint32_t *words_of(const Object *a)
{
    return array_data(a);
}

static uint32_t limb_count(int32_t words)
{
    return ((uint32_t)words + 1) / 2;
}

static uint64_t limb_at(const uint32_t *words, int32_t count, uint32_t limb)
{
    int64_t i = count - 1 - 2 * (int64_t)limb;
    return words[i] | (i > 0 ? (uint64_t)words[i - 1] << 32 : 0);
}

static void load_limbs(uint64_t *to, const uint32_t *words, int32_t count)
{
    for (uint32_t i = 0; i < limb_count(count); i++)
        to[i] = limb_at(words, count, i);
}

static void store_limbs(uint32_t *to, const uint64_t *from, int32_t words)
{
    for (int32_t i = 0; i < words; i++)
        to[words - 1 - i] = (uint32_t)(from[i / 2] >> (i % 2 * 32));
}

// to += from * factor; the carry.
static uint64_t add_product(uint64_t *to, const uint64_t *from, uint32_t count, uint64_t factor)
{
    uint64_t carry = 0;
    for (uint32_t i = 0; i < count; i++) {
        Wide sum = (Wide)from[i] * factor + to[i] + carry;
        to[i] = (uint64_t)sum;
        carry = (uint64_t)(sum >> 64);
    }
    return carry;
}

// `to`, of twice as many limbs, = a * b.
static void multiply(uint64_t *to, const uint64_t *a, const uint32_t *b, int32_t words)
{
    uint32_t count = limb_count(words);
    memset(to, 0, count * sizeof *to);
    for (uint32_t i = 0; i < count; i++)
        to[i + count] = add_product(to + i, a, count, limb_at(b, words, i));
}

static bool is_below(const uint64_t *a, const uint64_t *b, uint32_t count)
{
    while (count-- > 0)
        if (a[count] != b[count])
            return a[count] < b[count];
    return false;
}

static void subtract(uint64_t *from, const uint64_t *b, uint32_t count)
{
    uint64_t borrow = 0;
    for (uint32_t i = 0; i < count; i++) {
        Wide difference = (Wide)from[i] - b[i] - borrow;
        from[i] = (uint64_t)difference;
        borrow = (uint64_t)(difference >> 64) & 1;
    }
}

// The upper half of t = t / 2^(64 * count) modulo n, where n * inverse is -1 modulo 2^64. False: t was too large for it.
static bool reduce(uint64_t *t, const uint64_t *n, uint32_t count, uint64_t inverse)
{
    uint64_t above = 0; // the limb behind those that were reduced
    for (uint32_t i = 0; i < count; i++) {
        Wide sum = (Wide)add_product(t + i, n, count, t[i] * inverse) + t[i + count] + above;
        t[i + count] = (uint64_t)sum;
        above = (uint64_t)(sum >> 64);
    }
    t += count;
    if (above || !is_below(t, n, count)) {
        bool borrows = is_below(t, n, count);
        subtract(t, n, count);
        above -= borrows;
    }
    return !above && is_below(t, n, count);
}

int64_t c_montgomery_multiply(const Object *a, const Object *b, const Object *n, int32_t words,
                              int64_t inverse, Object *product)
{
    uint64_t x[MOST_LIMBS], t[2 * MOST_LIMBS];
    if (!a || !b || !n || !product || words < 2 || words > MOST_WORDS || words % 2 != 0
        || words > array_length(a) || words > array_length(b) || words > array_length(n)
        || array_length(product) != 2 * words || product == a || product == b || product == n)
        return C_DECLINED;
    uint32_t count = limb_count(words);
    load_limbs(x, words_of(a), words);
    multiply(t, x, words_of(b), words);
    load_limbs(x, words_of(n), words);
    if (x[0] * (uint64_t)inverse != UINT64_MAX || !reduce(t, x, count, (uint64_t)inverse))
        return C_DECLINED;
    store_limbs(words_of(product), t + count, words);
    return 0;
}

int64_t c_montgomery_square(const Object *a, const Object *n, int32_t words, int64_t inverse,
                            Object *product)
{
    return c_montgomery_multiply(a, a, n, words, inverse, product);
}

int64_t c_square_to_len(const Object *x, int32_t words, Object *z, int32_t z_words)
{
    uint64_t limbs[MOST_LIMBS], t[2 * MOST_LIMBS];
    if (!x || !z || words < 1 || words > MOST_WORDS || z_words != 2 * words
        || words > array_length(x) || z_words != array_length(z) || x == z)
        return C_DECLINED;
    load_limbs(limbs, words_of(x), words);
    multiply(t, limbs, words_of(x), words);
    store_limbs(words_of(z), t, z_words);
    return 0;
}

int64_t c_mul_add(Object *out, const Object *in, int32_t offset, int32_t count, int32_t factor)
{
    if (!out || !in || count < 0 || count > array_length(in) || count > C_MOST_BYTES / 4
        || offset < 0 || (int64_t)offset + count > array_length(out))
        return C_DECLINED;
    uint32_t *to = words_of(out) + array_length(out) - offset;
    const uint32_t *from = words_of(in) + count;
    uint64_t carry = 0;
    for (int32_t i = 1; i <= count; i++) {
        carry += (uint64_t)from[-i] * (uint32_t)factor + to[-i];
        to[-i] = (uint32_t)carry;
        carry >>= 32;
    }
    return (int32_t)carry;
}
