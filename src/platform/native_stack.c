// SPDX-License-Identifier: Apache-2.0
// See native_stack.h.
#ifndef _GNU_SOURCE
#    define _GNU_SOURCE
#endif
#include "platform/native_stack.h"

#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef ElfW(Ehdr) ElfHead;
typedef ElfW(Sym) ElfSymbol;

// Finds the function at `at` in the symbol table of a mapped file: it knows static functions too.
static const ElfSymbol *file_symbol(const char *image, uintptr_t at, const char **name)
{
    const ElfHead *head = (const void *)image;
    const ElfW(Shdr) *sections = (const void *)(image + head->e_shoff);
    for (int i = 0; i < head->e_shnum; i++) {
        if (sections[i].sh_type != SHT_SYMTAB)
            continue;
        const ElfSymbol *s = (const void *)(image + sections[i].sh_offset);
        for (size_t n = sections[i].sh_size / sizeof *s; n > 0; n--, s++) {
            if (ELF64_ST_TYPE(s->st_info) == STT_FUNC && at - s->st_value < s->st_size) {
                *name = image + sections[sections[i].sh_link].sh_offset + s->st_name;
                return s;
            }
        }
    }
    return NULL;
}

// The file mapped for reading, kept until another one is asked for; NULL when it cannot be read.
static const char *file_image(SymbolFile *file, const char *path)
{
    if (file->path && strcmp(file->path, path) == 0)
        return file->image;
    if (file->image)
        munmap((void *)(uintptr_t)file->image, file->size);
    file->path = path;
    file->image = NULL;
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
        file->size = (size_t)st.st_size;
        void *p = mmap(NULL, file->size, PROT_READ, MAP_PRIVATE, fd, 0);
        file->image = p == MAP_FAILED || memcmp(p, ELFMAG, SELFMAG) != 0 ? NULL : p;
    }
    close(fd);
    return file->image;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

void native_place(SymbolFile *file, uintptr_t at, bool is_return, char *out, size_t size)
{
    uintptr_t look = at - is_return;
    Dl_info info, program;
    *out = '\0';
    if (!dladdr((void *)look, &info))
        return;
    uintptr_t base = (uintptr_t)info.dli_fbase, start = (uintptr_t)info.dli_saddr;
    bool main_program =
        dladdr((void *)getauxval(AT_ENTRY), &program) && program.dli_fbase == info.dli_fbase;
    const char *image = file_image(file, main_program ? "/proc/self/exe" : info.dli_fname),
               *name = info.dli_sname;
    if (image) {
        uintptr_t bias = ((const ElfHead *)(const void *)image)->e_type == ET_EXEC ? 0 : base;
        const ElfSymbol *symbol = file_symbol(image, look - bias, &name);
        start = symbol ? symbol->st_value + bias : start;
    }
    int n = name ? snprintf(out, size, " %s+0x%zx", name, (size_t)(at - start)) : 0;
    if (n >= 0 && (size_t)n < size)
        snprintf(out + n, size - (size_t)n, " (%s+0x%zx)", base_name(info.dli_fname),
                 (size_t)(at - base));
}

const char *native_file_name(const void *code)
{
    Dl_info info;
    return dladdr(code, &info) ? base_name(info.dli_fname) : NULL;
}

const void *native_library_base(void *library)
{
    const struct link_map *map = NULL;
    return dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 ? (const void *)map->l_addr : NULL;
}

int native_backtrace(void **frames, int most)
{
    return backtrace(frames, most);
}
