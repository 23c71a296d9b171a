// SPDX-License-Identifier: Apache-2.0
// See redirect.h. The dynamic linker fills in the places of the relocations R_*_JUMP_SLOT and
// R_*_GLOB_DAT; where they are read-only by now, they are made writable.
#ifndef _GNU_SOURCE
#    define _GNU_SOURCE
#endif
#include "platform/redirect.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "arch/arch.h"

typedef struct Imports {
    uintptr_t bias;
    const ElfW(Sym) * symbols;
    const char *names;
    const ElfW(Rela) * tables[2]; // of the procedure linkage, and the others
    size_t sizes[2];              // bytes
} Imports;

static Imports read_imports(const struct link_map *map)
{
    Imports m = {.bias = map->l_addr};
    for (const ElfW(Dyn) *d = map->l_ld; d->d_tag != DT_NULL; d++) {
        void *p = (void *)d->d_un.d_ptr;
        switch (d->d_tag) {
        case DT_SYMTAB: m.symbols = p; break;
        case DT_STRTAB: m.names = p; break;
        case DT_JMPREL: m.tables[0] = p; break;
        case DT_PLTRELSZ: m.sizes[0] = d->d_un.d_val; break;
        case DT_RELA: m.tables[1] = p; break;
        case DT_RELASZ: m.sizes[1] = d->d_un.d_val; break;
        default: break;
        }
    }
    return m;
}

static bool write_place(uintptr_t place, const void *to)
{
    uintptr_t page = place & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
    if (mprotect((void *)page, place + sizeof to - page, PROT_READ | PROT_WRITE) != 0)
        return false;
    __atomic_store_n((const void **)place, to, __ATOMIC_RELEASE);
    return true;
}

bool os_library_redirect(void *library, const char *symbol, const void *to)
{
    struct link_map *map;
    bool done = false;
    if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0)
        return false;
    Imports m = read_imports(map);
    for (int t = 0; t < 2; t++)
        for (size_t i = 0; m.tables[t] && i < m.sizes[t] / sizeof *m.tables[t]; i++) {
            const ElfW(Rela) *r = &m.tables[t][i];
            int type = (int)ELF64_R_TYPE(r->r_info);
            const char *name = m.names + m.symbols[ELF64_R_SYM(r->r_info)].st_name;
            if ((type == RELOCATION_JUMP_SLOT || type == RELOCATION_GLOB_DAT)
                && strcmp(name, symbol) == 0)
                done |= write_place(m.bias + r->r_offset, to);
        }
    return done;
}
