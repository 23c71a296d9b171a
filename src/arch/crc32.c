// SPDX-License-Identifier: Apache-2.0
// See crc32.h. The portable form takes eight bytes a step through eight tables: at[k][b] is what byte b contributes when k more
// bytes follow it.
#include "arch/crc32.h"

#include "arch/guarded.h"

enum { SLICES = 8 };
typedef struct CrcTables {
    uint32_t at[SLICES][256];
} CrcTables;

// Without its highest power, the lowest bit is that of x^31.
static const uint32_t zip_polynomial = 0xEDB88320, castagnoli_polynomial = 0x82F63B78;

static CrcTables zip_tables, castagnoli_tables;
static Crc32Update *zip_update = crc32_update_portable,
                   *castagnoli_update = crc32c_update_portable;

static void make_tables(CrcTables *t, uint32_t polynomial)
{
    for (uint32_t b = 0; b < 256; b++) {
        uint32_t crc = b;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? polynomial : 0);
        t->at[0][b] = crc;
    }
    for (uint32_t b = 0; b < 256; b++)
        for (int k = 1; k < SLICES; k++)
            t->at[k][b] = t->at[0][t->at[k - 1][b] & 0xFF] ^ t->at[k - 1][b] >> 8;
}

void crc32_start(void)
{
    Crc32Update *own = arch_crc32(zip_polynomial), *own_c = arch_crc32c();
    make_tables(&zip_tables, zip_polynomial);
    make_tables(&castagnoli_tables, castagnoli_polynomial);
    zip_update = own ? own : crc32_update_portable;
    castagnoli_update = own_c ? own_c : crc32c_update_portable;
}

static bool update_by_table(const CrcTables *t, uint32_t *crc, const uint8_t *p, size_t length)
{
    uint32_t c = *crc;
    uint64_t v;
    uint8_t b;
    VM_ASSERT(t->at[0][1] != 0); // crc32_start has been called
    for (; length >= SLICES; p += SLICES, length -= SLICES) {
        if (!guarded_load64(p, &v))
            return false;
        v ^= c;
        c = t->at[7][v & 0xFF] ^ t->at[6][v >> 8 & 0xFF] ^ t->at[5][v >> 16 & 0xFF]
            ^ t->at[4][v >> 24 & 0xFF] ^ t->at[3][v >> 32 & 0xFF] ^ t->at[2][v >> 40 & 0xFF]
            ^ t->at[1][v >> 48 & 0xFF] ^ t->at[0][v >> 56];
    }
    for (; length > 0; p++, length--) {
        if (!guarded_load8(p, &b))
            return false;
        c = t->at[0][(c ^ b) & 0xFF] ^ c >> 8;
    }
    *crc = c;
    return true;
}

bool crc32_update_portable(uint32_t *crc, const void *from, size_t length)
{
    return update_by_table(&zip_tables, crc, from, length);
}

bool crc32c_update_portable(uint32_t *crc, const void *from, size_t length)
{
    return update_by_table(&castagnoli_tables, crc, from, length);
}

bool crc32_update(uint32_t *crc, const void *from, size_t length)
{
    return zip_update(crc, from, length);
}

bool crc32c_update(uint32_t *crc, const void *from, size_t length)
{
    return castagnoli_update(crc, from, length);
}
