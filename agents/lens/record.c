// SPDX-License-Identifier: Apache-2.0
// Records: put together by whoever sees something, in any context, and handed to a ring. No
// state, no lock.
#include "agent.h"

#include <stdlib.h>
#include <string.h>

void lens_record_begin(LensRecord *record, LensBlockType type, const LensOrder *order)
{
    assert((unsigned)type < LENS_RAW_SAMPLE);
    record->time = lens_now();
    record->order = order != NULL ? order->uid : 0;
    record->type = (uint8_t)type;
    record->ids_len = 0;
    record->is_cut = false;
    record->len = 0;
}

void lens_put_u(LensRecord *record, uint64_t value)
{
    if (record->len + LENS_VARINT_MAX > LENS_RECORD_BYTES) {
        record->is_cut = true;
        return;
    }
    record->len += (uint32_t)lens_varint(record->bytes + record->len, value);
}

void lens_put_z(LensRecord *record, int64_t value)
{
    lens_put_u(record, lens_zigzag(value));
}

void lens_put_id(LensRecord *record, LensDef kind, uint32_t id)
{
    assert((unsigned)kind < LENS_KINDS && id == LENS_ID_NUMBER(id));
    lens_put_u(record, id);
    if (id == 0) {
        return;
    }
    if (record->ids_len == LENS_RECORD_IDS) {
        record->is_cut = true;
        return;
    }
    record->ids[record->ids_len++] = LENS_ID(kind, id);
}

void lens_put_s(LensRecord *record, const char *utf8, size_t len)
{
    enum { MOST = 1000, HEAD = 2 }; // MOST has a length of two bytes
    if (record->len + HEAD + MOST > LENS_RECORD_BYTES) {
        record->is_cut = true;
        return;
    }
    uint8_t *head = record->bytes + record->len;
    size_t used = lens_clean_utf8(head + HEAD, MOST, utf8, len);
    if (used < 0x80) {
        memmove(head + 1, head + HEAD, used);
    }
    record->len += (uint32_t)(lens_varint(head, used) + used);
    assert(record->len <= LENS_RECORD_BYTES);
}

bool lens_record_end(LensRecord *record)
{
    assert(record->len <= LENS_RECORD_BYTES && record->ids_len <= LENS_RECORD_IDS);
    LensRingRecord head = {.time = record->time,
                           .order = record->order,
                           .type = record->type,
                           .ids_len = record->ids_len,
                           .len = (uint16_t)record->len};
    if (record->is_cut) {
        lens_ring_lost(record->type);
        return false;
    }
    return lens_ring_write(&head, record->ids, record->bytes);
}

void lens_put_modified(LensRecord *record, const char *modified)
{
    char *utf8 = agent_utf8(modified);
    lens_put_s(record, utf8 != NULL ? utf8 : "?", utf8 != NULL ? strlen(utf8) : 1);
    free(utf8);
}
