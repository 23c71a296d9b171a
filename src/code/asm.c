// SPDX-License-Identifier: Apache-2.0
// Buffers, labels and fixups of assemblers. See asm.h. No memory is an error of the Asm: who makes code can do
// without it.
#include "code/asm.h"

#include "base/alloc.h"

typedef struct AsmFixup {
    uint32_t at, bytes, end;
    AsmLabel label;
} AsmFixup;

enum { UNBOUND = -1, FIRST_CAPACITY = 64, CODE_MAX = INT32_MAX };

void asm_init(Asm *a)
{
    *a = (Asm){.error = ASM_OK};
}

void asm_free(Asm *a)
{
    vm_free(a->code.at);
    vm_free(a->labels.at);
    vm_free(a->fixups.at);
    vm_free(a->records.at);
    asm_init(a);
}

// Room for `count` more elements at the end, which are counted in; NULL: there is no memory, or was none before.
static void *extend(Asm *a, AsmList *list, size_t size, size_t count)
{
    VM_ASSERT(size > 0 && list->len <= list->capacity);
    if (a->error != ASM_OK)
        return NULL;
    size_t wanted = list->len + count;
    if (wanted > list->capacity) {
        size_t capacity = MAX_OF(MAX_OF(wanted, 2 * list->capacity), (size_t)FIRST_CAPACITY);
        void *grown =
            capacity * size <= CODE_MAX ? vm_realloc_or_null(list->at, capacity * size) : NULL;
        if (!grown) {
            a->error = ASM_NO_MEMORY;
            return NULL;
        }
        list->at = grown;
        list->capacity = capacity;
    }
    void *place = (char *)list->at + list->len * size;
    list->len = wanted;
    return place;
}

AsmLabel asm_label(Asm *a)
{
    int32_t *offset = extend(a, &a->labels, sizeof *offset, 1);
    if (!offset)
        return (AsmLabel){0};
    *offset = UNBOUND;
    return (AsmLabel){(uint32_t)a->labels.len - 1};
}

void asm_bind(Asm *a, AsmLabel label)
{
    if (a->error != ASM_OK)
        return;
    VM_ASSERT(label.index < a->labels.len && asm_label_at(a, label) == UNBOUND);
    ((int32_t *)a->labels.at)[label.index] = (int32_t)a->code.len;
}

int32_t asm_label_at(const Asm *a, AsmLabel label)
{
    return label.index < a->labels.len ? ((const int32_t *)a->labels.at)[label.index] : UNBOUND;
}

uint8_t *asm_room(Asm *a, size_t most)
{
    size_t len = a->code.len;
    bool has_room = a->error == ASM_OK && a->code.capacity - len >= most;
    uint8_t *place = has_room ? (uint8_t *)a->code.at + len : extend(a, &a->code, 1, most);
    a->code.len = len;
    return place;
}

void asm_emit(Asm *a, const void *bytes, size_t count)
{
    uint8_t *place = asm_room(a, count);
    if (!place)
        return;
    memcpy(place, bytes, count);
    asm_take(a, count);
}

void asm_fixup(Asm *a, AsmLabel label, size_t at, size_t bytes, size_t end)
{
    VM_ASSERT(bytes == 1 || bytes == 4);
    AsmFixup *fixup = extend(a, &a->fixups, sizeof *fixup, 1);
    if (fixup)
        *fixup = (AsmFixup){(uint32_t)at, (uint32_t)bytes, (uint32_t)end, label};
}

void asm_record(Asm *a, const void *record, size_t size)
{
    VM_ASSERT(a->keeps_listing);
    void *place = extend(a, &a->records, size, 1);
    if (place)
        memcpy(place, record, size);
}

static AsmError fill_in(Asm *a, const AsmFixup *fixup)
{
    VM_ASSERT(fixup->at + fixup->bytes <= a->code.len);
    int32_t target = asm_label_at(a, fixup->label);
    if (target == UNBOUND)
        return ASM_UNBOUND;
    int32_t distance = target - (int32_t)fixup->end;
    if (fixup->bytes == 1 && distance != (int8_t)distance)
        return ASM_TOO_FAR;
    memcpy((uint8_t *)a->code.at + fixup->at, &distance, fixup->bytes); // little-endian
    return ASM_OK;
}

AsmError asm_finish(Asm *a)
{
    const AsmFixup *fixups = a->fixups.at;
    for (size_t i = 0; i < a->fixups.len && a->error == ASM_OK; i++)
        a->error = fill_in(a, &fixups[i]);
    return a->error;
}
