// SPDX-License-Identifier: Apache-2.0
// Modules: the files whose code is mapped, found by dl_iterate_phdr, so that an address becomes
// (module, offset) before its library may go. Of the agent's thread alone.
#define _GNU_SOURCE
#include "agent.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Range {
    uint64_t begin, end, bias; // offset = address - bias
    uint32_t module;
} Range;

typedef struct Known {
    char *path;
    uint64_t bias;
    uint32_t module;
} Known;

#define REFRESH_REST LENS_SECOND

static Range *ranges; // by begin
static size_t ranges_len, ranges_cap;
static Known *known; // never forgotten: ids stay
static size_t known_len, known_cap;
static uint64_t refreshed;

static void put_build_id(LensBuffer *to, const struct dl_phdr_info *info)
{
    char hex[2 * 64 + 1] = "";
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_NOTE) {
            continue;
        }
        const uint8_t *at = (const uint8_t *)(info->dlpi_addr + p->p_vaddr),
                      *end = at + p->p_memsz;
        while (end - at >= (ptrdiff_t)sizeof(ElfW(Nhdr))) {
            const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
            const uint8_t *name = at + sizeof *note,
                          *desc = name + ((note->n_namesz + 3) & ~3u);
            if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4
                && memcmp(name, "GNU", 4) == 0 && note->n_descsz <= 64) {
                for (uint32_t k = 0; k < note->n_descsz; k++) {
                    snprintf(hex + 2 * k, 3, "%02x", desc[k]);
                }
            }
            at = desc + ((note->n_descsz + 3) & ~3u);
        }
    }
    lens_buffer_text(to, hex);
}

static const char *path_of(const struct dl_phdr_info *info, char *room, size_t size)
{
    if (info->dlpi_name != NULL && info->dlpi_name[0] != '\0') {
        return info->dlpi_name;
    }
    ssize_t len = readlink("/proc/self/exe", room, size - 1);
    room[len > 0 ? len : 0] = '\0';
    return room;
}

static bool make_room(void **list, size_t *cap, size_t len, size_t item)
{
    if (len < *cap) {
        return true;
    }
    size_t bigger = *cap == 0 ? 64 : *cap * 2;
    void *fresh = realloc(*list, bigger * item);
    if (fresh != NULL) {
        *list = fresh;
        *cap = bigger;
    }
    return fresh != NULL;
}

static uint32_t module_of(const struct dl_phdr_info *info)
{
    char room[4096];
    const char *path = path_of(info, room, sizeof room);
    for (size_t i = 0; i < known_len; i++) {
        if (known[i].bias == info->dlpi_addr && strcmp(known[i].path, path) == 0) {
            return known[i].module;
        }
    }
    char *copy = strdup(path);
    if (copy == NULL || !make_room((void **)&known, &known_cap, known_len, sizeof *known)) {
        free(copy);
        return 0;
    }
    LensBuffer fields = {0};
    lens_buffer_text(&fields, path);
    put_build_id(&fields, info);
    uint32_t id = lens_def_add(LENS_DEF_MODULE, &fields, path, 0, 0);
    lens_buffer_free(&fields);
    known[known_len++] = (Known){.path = copy, .bias = info->dlpi_addr, .module = id};
    return id;
}

static int take(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size, (void)unused;
    uint32_t module = module_of(info);
    for (size_t i = 0; i < info->dlpi_phnum && module != 0; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type == PT_LOAD && (p->p_flags & PF_X) != 0
            && make_room((void **)&ranges, &ranges_cap, ranges_len, sizeof *ranges)) {
            uint64_t begin = info->dlpi_addr + p->p_vaddr;
            ranges[ranges_len++] = (Range){begin, begin + p->p_memsz, info->dlpi_addr, module};
        }
    }
    return 0;
}

static int compare(const void *a, const void *b)
{
    const Range *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

static void refresh(void)
{
    ranges_len = 0;
    dl_iterate_phdr(take, NULL);
    qsort(ranges, ranges_len, sizeof *ranges, compare);
    refreshed = lens_now();
}

static const Range *find(uint64_t address)
{
    size_t low = 0, high = ranges_len;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (ranges[middle].end <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < ranges_len && ranges[low].begin <= address ? &ranges[low] : NULL;
}

uint32_t lens_module_of(uint64_t address, uint64_t *offset)
{
    ASSERT_AGENT_THREAD();
    const Range *range = find(address);
    if (range == NULL && lens_now() - refreshed > REFRESH_REST) {
        refresh();
        range = find(address);
    }
    if (range == NULL) {
        return 0;
    }
    assert(range->module != 0);
    *offset = address - range->bias;
    return range->module;
}
