// SPDX-License-Identifier: Apache-2.0
// See crc32.h. CRC-32C has an instruction in SSE 4.2. CRC-32 is done by multiplication without carry: 16 bytes are a polynomial whose
// product with x^128, modulo that of the checksum, is added to the next 16, which changes no checksum.
#include "arch/crc32.h"
#include "arch/guarded.h"

typedef long long Block __attribute__((vector_size(16))); // 16 bytes of a message
enum { LANES = 4 };

static Block fold_by_block, fold_by_lanes; // factors: over one block, over LANES of them

__attribute__((target("sse4.2"))) static bool update_by_instruction(uint32_t *crc,
                                                                    const void *from,
                                                                    size_t length)
{
    const uint8_t *p = from;
    uint64_t c = *crc, v;
    uint8_t b;
    for (; length >= sizeof v; p += sizeof v, length -= sizeof v) {
        if (!guarded_load64(p, &v))
            return false;
        c = __builtin_ia32_crc32di(c, v);
    }
    for (; length > 0; p++, length--) {
        if (!guarded_load8(p, &b))
            return false;
        c = __builtin_ia32_crc32qi((uint32_t)c, b);
    }
    *crc = (uint32_t)c;
    return true;
}

static inline bool load_block(const uint8_t *p, Block *block)
{
    uint64_t low, high;
    if (!guarded_load64(p, &low) || !guarded_load64(p + sizeof low, &high))
        return false;
    *block = (Block){(long long)low, (long long)high};
    return true;
}

__attribute__((target("pclmul"))) static inline Block fold(Block b, Block factor)
{
    return __builtin_ia32_pclmulqdq128(b, factor, 0x00)
           ^ __builtin_ia32_pclmulqdq128(b, factor, 0x11);
}

// All whole blocks are folded into one, whose checksum, begun with 0, is theirs.
__attribute__((target("pclmul"))) static bool update_by_folding(uint32_t *crc, const void *from,
                                                                size_t length)
{
    Block lanes[LANES], next;
    const uint8_t *p = from;
    if (length < 2 * sizeof lanes)
        return crc32_update_portable(crc, from, length);
    for (int i = 0; i < LANES; i++, p += sizeof next)
        if (!load_block(p, &lanes[i]))
            return false;
    lanes[0] ^= (Block){*crc, 0};
    for (length -= sizeof lanes; length >= sizeof lanes; length -= sizeof lanes)
        for (int i = 0; i < LANES; i++, p += sizeof next) {
            if (!load_block(p, &next))
                return false;
            lanes[i] = fold(lanes[i], fold_by_lanes) ^ next;
        }
    for (int i = 1; i < LANES; i++)
        lanes[i] ^= fold(lanes[i - 1], fold_by_block);
    uint32_t c = 0;
    if (!crc32_update_portable(&c, &lanes[LANES - 1], sizeof next)
        || !crc32_update_portable(&c, p, length))
        return false;
    *crc = c;
    return true;
}

// x^n modulo a polynomial, as a factor for products of numbers whose lowest bit is the highest power.
static long long power_of_x(int n, uint32_t polynomial)
{
    uint32_t c = 1u << 31;
    for (int i = 0; i < n; i++)
        c = c >> 1 ^ (c & 1 ? polynomial : 0);
    return (long long)((uint64_t)c << 1);
}

static Block factors(int bits, uint32_t polynomial)
{
    return (Block){power_of_x(bits + 32, polynomial), power_of_x(bits - 32, polynomial)};
}

Crc32Update *arch_crc32(uint32_t polynomial)
{
    enum { BLOCK_BITS = 8 * sizeof(Block) };
    fold_by_block = factors(BLOCK_BITS, polynomial);
    fold_by_lanes = factors(BLOCK_BITS * LANES, polynomial);
    return __builtin_cpu_supports("pclmul") ? update_by_folding : NULL;
}

Crc32Update *arch_crc32c(void)
{
    return __builtin_cpu_supports("sse4.2") ? update_by_instruction : NULL;
}
