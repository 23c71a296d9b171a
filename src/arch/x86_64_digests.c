// SPDX-License-Identifier: Apache-2.0
// See digests.h. The instructions want a state's words as A B E F and C D G H, the first of each highest.
#include <cpuid.h>
#include <immintrin.h>

#include "arch/digests.h"

#define SHA_TARGET __attribute__((target("sha,sse4.1,ssse3")))

enum { BLEND_UPPER = 0xF0, SWAP_PAIRS = 0xB1, REVERSE = 0x1B, UPPER_PAIR = 0x0E };

SHA_TARGET static inline __m128i load_words(const uint8_t *from)
{
    const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    return _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)from), swap);
}

SHA_TARGET static void add_block(uint32_t *state, const uint8_t *block)
{
    enum { ROUNDS_AT_ONCE = 4, LANE = sizeof(__m128i) };
    __m128i *words = (__m128i *)state, *constants = (__m128i *)sha256_constants;
    __m128i low = _mm_shuffle_epi32(_mm_loadu_si128(words), SWAP_PAIRS);
    __m128i high = _mm_shuffle_epi32(_mm_loadu_si128(words + 1), REVERSE);
    __m128i abef = _mm_alignr_epi8(low, high, 8),
            cdgh = _mm_blend_epi16(high, low, BLEND_UPPER);
    const __m128i abef_before = abef, cdgh_before = cdgh;
    __m128i w0 = load_words(block), w1 = load_words(block + LANE);
    __m128i w2 = load_words(block + 2 * LANE), w3 = load_words(block + 3 * LANE);
    for (int i = 0; i < 64 / ROUNDS_AT_ONCE; i++) { // w0: the words of these rounds
        __m128i sum = _mm_add_epi32(w0, _mm_loadu_si128(constants + i));
        cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
        abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, UPPER_PAIR));
        __m128i next = _mm_add_epi32(_mm_sha256msg1_epu32(w0, w1), _mm_alignr_epi8(w3, w2, 4));
        w0 = w1, w1 = w2, w2 = w3;
        w3 = _mm_sha256msg2_epu32(next, w3);
    }
    low = _mm_shuffle_epi32(_mm_add_epi32(abef, abef_before), REVERSE);
    high = _mm_shuffle_epi32(_mm_add_epi32(cdgh, cdgh_before), SWAP_PAIRS);
    _mm_storeu_si128(words, _mm_blend_epi16(low, high, BLEND_UPPER));
    _mm_storeu_si128(words + 1, _mm_alignr_epi8(high, low, 8));
}

static bool has_instructions(void)
{
    enum { STRUCTURED = 7, SHA = 1 << 29 };
    unsigned a, b, c, d;
    return __get_cpuid_count(STRUCTURED, 0, &a, &b, &c, &d) && b & SHA
           && __builtin_cpu_supports("sse4.1");
}

Sha256Block *arch_sha256(void)
{
    return has_instructions() ? add_block : NULL;
}
