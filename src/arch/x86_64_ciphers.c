// SPDX-License-Identifier: Apache-2.0
// See ciphers.h.
#include <immintrin.h>

#include "arch/ciphers.h"

#define TARGET __attribute__((target("aes,pclmul,sse4.1,ssse3")))
#define INLINE TARGET static inline __attribute__((always_inline))

enum { AT_ONCE = 8, HASHED_AT_ONCE = 4 }; // blocks that do not wait for each other

INLINE __m128i load(const void *from)
{
    return _mm_loadu_si128((const __m128i *)from);
}

INLINE void store(void *to, __m128i v)
{
    _mm_storeu_si128((__m128i *)to, v);
}

INLINE __m128i reversed(__m128i v)
{
    return _mm_shuffle_epi8(v, _mm_set_epi64x(0x0001020304050607, 0x08090a0b0c0d0e0f));
}

// ---- AES ----

INLINE __m128i round_key(AesKey key, uint32_t round)
{
    const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    return _mm_shuffle_epi8(load(key.words + (size_t)4 * round), swap);
}

TARGET static void encrypt(AesKey key, const uint8_t *from, uint8_t *to)
{
    __m128i v = _mm_xor_si128(load(from), round_key(key, 0));
    for (uint32_t i = 1; i < key.rounds; i++)
        v = _mm_aesenc_si128(v, round_key(key, i));
    store(to, _mm_aesenclast_si128(v, round_key(key, key.rounds)));
}

TARGET static void decrypt(AesKey key, const uint8_t *from, uint8_t *to)
{
    __m128i v = _mm_xor_si128(load(from), round_key(key, 1));
    for (uint32_t i = 2; i <= key.rounds; i++)
        v = _mm_aesdec_si128(v, round_key(key, i));
    store(to, _mm_aesdeclast_si128(v, round_key(key, 0)));
}

typedef struct Counter {
    uint64_t high, low;
} Counter;

INLINE __m128i next_block(Counter *c)
{
    __m128i v = reversed(_mm_set_epi64x((long long)c->high, (long long)c->low));
    c->high += ++c->low == 0;
    return v;
}

#define EACH(x) x(0) x(1) x(2) x(3) x(4) x(5) x(6) x(7)
INLINE void count_many(const __m128i *keys, uint32_t rounds, Counter *c, const uint8_t *from,
                       uint8_t *to)
{
    __m128i v[AT_ONCE];
#define BEGIN(i) v[i] = _mm_xor_si128(next_block(c), keys[0]);
    EACH(BEGIN)
    for (uint32_t r = 1; r < rounds; r++) {
        const __m128i k = keys[r];
#define ROUND(i) v[i] = _mm_aesenc_si128(v[i], k);
        EACH(ROUND)
    }
#define END(i)                                       \
    v[i] = _mm_aesenclast_si128(v[i], keys[rounds]); \
    store(to + AES_BLOCK * (i), _mm_xor_si128(v[i], load(from + AES_BLOCK * (i))));
    EACH(END)
}

TARGET static void count(AesKey key, uint8_t *counter, const uint8_t *from, uint8_t *to,
                         size_t blocks)
{
    __m128i keys[AES_MOST_ROUNDS + 1];
    uint64_t halves[2];
    for (uint32_t i = 0; i <= key.rounds; i++)
        keys[i] = round_key(key, i);
    store(halves, reversed(load(counter)));
    Counter c = {halves[1], halves[0]};
    for (; blocks >= AT_ONCE; blocks -= AT_ONCE) {
        count_many(keys, key.rounds, &c, from, to);
        from += AT_ONCE * AES_BLOCK;
        to += AT_ONCE * AES_BLOCK;
    }
    for (; blocks > 0; blocks--, from += AES_BLOCK, to += AES_BLOCK) {
        __m128i v = _mm_xor_si128(next_block(&c), keys[0]);
        for (uint32_t r = 1; r < key.rounds; r++)
            v = _mm_aesenc_si128(v, keys[r]);
        store(to, _mm_xor_si128(_mm_aesenclast_si128(v, keys[key.rounds]), load(from)));
    }
    store(counter, reversed(_mm_set_epi64x((long long)c.high, (long long)c.low)));
}

// ---- GCM: polynomials whose highest power is the lowest bit ----

typedef struct Product {
    __m128i low, middle, high;
} Product;

INLINE Product add_product(Product p, __m128i a, __m128i b)
{
    p.low = _mm_xor_si128(p.low, _mm_clmulepi64_si128(a, b, 0x00));
    p.high = _mm_xor_si128(p.high, _mm_clmulepi64_si128(a, b, 0x11));
    p.middle = _mm_xor_si128(p.middle, _mm_xor_si128(_mm_clmulepi64_si128(a, b, 0x01),
                                                     _mm_clmulepi64_si128(a, b, 0x10)));
    return p;
}

// Modulo x^128 + x^7 + x^2 + x + 1. The product of reflected numbers is to be shifted by one.
INLINE __m128i reduced(Product p)
{
    __m128i low = _mm_xor_si128(p.low, _mm_slli_si128(p.middle, 8));
    __m128i high = _mm_xor_si128(p.high, _mm_srli_si128(p.middle, 8));
    __m128i out_low = _mm_srli_epi32(low, 31), out_high = _mm_srli_epi32(high, 31);
    low = _mm_or_si128(_mm_slli_epi32(low, 1), _mm_slli_si128(out_low, 4));
    high = _mm_or_si128(_mm_slli_epi32(high, 1), _mm_slli_si128(out_high, 4));
    high = _mm_or_si128(high, _mm_srli_si128(out_low, 12));
    __m128i up = _mm_xor_si128(_mm_slli_epi32(low, 31), _mm_slli_epi32(low, 30));
    up = _mm_xor_si128(up, _mm_slli_epi32(low, 25));
    low = _mm_xor_si128(low, _mm_slli_si128(up, 12));
    __m128i down = _mm_xor_si128(_mm_srli_epi32(low, 1), _mm_srli_epi32(low, 2));
    down = _mm_xor_si128(down, _mm_srli_epi32(low, 7));
    down = _mm_xor_si128(down, _mm_srli_si128(up, 4));
    return _mm_xor_si128(high, _mm_xor_si128(low, down));
}

TARGET static void hash(uint64_t *state, const uint64_t *factor, const uint8_t *from,
                        size_t blocks)
{
    const Product none = {_mm_setzero_si128(), _mm_setzero_si128(), _mm_setzero_si128()};
    __m128i sum = _mm_set_epi64x((long long)state[0], (long long)state[1]);
    __m128i powers[HASHED_AT_ONCE];
    powers[0] = _mm_set_epi64x((long long)factor[0], (long long)factor[1]);
    for (int i = 1; i < HASHED_AT_ONCE && blocks >= HASHED_AT_ONCE; i++)
        powers[i] = reduced(add_product(none, powers[i - 1], powers[0]));
    for (; blocks >= HASHED_AT_ONCE; blocks -= HASHED_AT_ONCE) {
        Product p = add_product(none, _mm_xor_si128(sum, reversed(load(from))), powers[3]);
        p = add_product(p, reversed(load(from + AES_BLOCK)), powers[2]);
        p = add_product(p, reversed(load(from + 2 * AES_BLOCK)), powers[1]);
        p = add_product(p, reversed(load(from + 3 * AES_BLOCK)), powers[0]);
        sum = reduced(p);
        from += HASHED_AT_ONCE * AES_BLOCK;
    }
    for (; blocks > 0; blocks--, from += AES_BLOCK)
        sum = reduced(add_product(none, _mm_xor_si128(sum, reversed(load(from))), powers[0]));
    uint64_t halves[2];
    store(halves, sum);
    state[0] = halves[1];
    state[1] = halves[0];
}

const CipherFunctions *arch_ciphers(void)
{
    static const CipherFunctions functions = {encrypt, decrypt, count, hash};
    bool all = __builtin_cpu_supports("aes") && __builtin_cpu_supports("pclmul")
               && __builtin_cpu_supports("sse4.1") && __builtin_cpu_supports("ssse3");
    return all ? &functions : NULL;
}
