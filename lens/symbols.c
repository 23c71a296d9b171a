// SPDX-License-Identifier: Apache-2.0
// Names of native code (symbols.h). A file is read whole, its functions kept sorted by address; a debug file of the same build id
// below /usr/lib/debug adds what the file itself was stripped of.
#define _GNU_SOURCE
#include "symbols.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_ELF   (512u << 20)
#define MAX_FILES 4096

typedef struct SymbolFile {
    char *path;
    char build_id[41]; // in hex, "": it has none
    uint8_t *data, *debug;
    ElfSymbol *functions;
    size_t count;
} SymbolFile;

struct Symbols {
    ARRAY(SymbolFile) files;
};

static const Elf64_Shdr *section_table(const uint8_t *data, size_t size, size_t *count)
{
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)data;
    if (size < sizeof *head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0
        || head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_shentsize != sizeof(Elf64_Shdr)
        || head->e_shoff % 8 != 0 || head->e_shoff > size
        || head->e_shnum > (size - head->e_shoff) / sizeof(Elf64_Shdr))
        return NULL;
    *count = head->e_shnum;
    return (const Elf64_Shdr *)(data + head->e_shoff);
}

static bool is_inside(const Elf64_Shdr *s, size_t size)
{
    return s->sh_type != SHT_NOBITS && s->sh_offset <= size
           && s->sh_size <= size - s->sh_offset;
}

typedef ARRAY(ElfSymbol) ElfSymbols;

static void take_symbols(const uint8_t *data, const Elf64_Shdr *table, const Elf64_Shdr *names,
                         ElfSymbols *into)
{
    assert(table->sh_offset % 8 == 0);
    const Elf64_Sym *symbols = (const Elf64_Sym *)(data + table->sh_offset);
    const char *text = (const char *)data + names->sh_offset;
    for (size_t i = 0; i < table->sh_size / sizeof *symbols; i++) {
        const Elf64_Sym *s = &symbols[i];
        unsigned type = ELF64_ST_TYPE(s->st_info);
        if ((type != STT_FUNC && type != STT_GNU_IFUNC) || s->st_value == 0
            || s->st_name >= names->sh_size)
            continue;
        if (memchr(text + s->st_name, 0, names->sh_size - s->st_name) != NULL)
            *ARRAY_PUSH(into) = (ElfSymbol){s->st_value, s->st_size, text + s->st_name};
    }
}

static int by_address(const void *a, const void *b)
{
    const ElfSymbol *x = a, *y = b;
    return x->address != y->address ? (x->address > y->address) - (x->address < y->address)
                                    : (x->size < y->size) - (x->size > y->size);
}

size_t elf_functions(const uint8_t *data, size_t size, ElfSymbol **functions)
{
    ElfSymbols found = {0};
    size_t count = 0;
    const Elf64_Shdr *sections = section_table(data, size, &count);
    for (size_t i = 0; sections != NULL && i < count; i++) {
        const Elf64_Shdr *s = &sections[i];
        bool is_table = s->sh_type == SHT_SYMTAB || s->sh_type == SHT_DYNSYM;
        if (is_table && s->sh_link < count && s->sh_offset % 8 == 0 && is_inside(s, size)
            && is_inside(&sections[s->sh_link], size))
            take_symbols(data, s, &sections[s->sh_link], &found);
    }
    if (found.count != 0)
        qsort(found.at, found.count, sizeof *found.at, by_address);
    *functions = found.at;
    return found.count;
}

static uint8_t *read_elf(const char *path, size_t *size)
{
    struct stat st;
    uint8_t *data = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0
        && st.st_size <= MAX_ELF) {
        data = mem_resize(NULL, (size_t)st.st_size, 1);
        *size = 0;
        for (ssize_t n; *size < (size_t)st.st_size
                        && (n = read(fd, data + *size, (size_t)st.st_size - *size)) > 0;)
            *size += (size_t)n;
    }
    if (fd >= 0)
        close(fd);
    return data;
}

static void read_build_id(const uint8_t *data, size_t size, char hex[41])
{
    size_t count = 0;
    const Elf64_Shdr *sections = section_table(data, size, &count);
    for (size_t i = 0; sections != NULL && i < count; i++) {
        const Elf64_Shdr *s = &sections[i];
        if (s->sh_type != SHT_NOTE || !is_inside(s, size) || s->sh_size < 36)
            continue;
        const uint8_t *note = data + s->sh_offset;
        if (memcmp(note, "\4\0\0\0\24\0\0\0\3\0\0\0GNU", 16) != 0)
            continue;
        for (int k = 0; k < 20; k++)
            snprintf(hex + 2 * k, 3, "%02x", note[16 + k]);
        return;
    }
}

// Takes the functions of the separate debug file of the same build id, where it is installed.
static void load_debug(SymbolFile *file)
{
    assert(strlen(file->build_id) == 40);
    size_t size = 0;
    char *path = mem_format("/usr/lib/debug/.build-id/%.2s/%s.debug", file->build_id,
                            file->build_id + 2);
    file->debug = read_elf(path, &size);
    free(path);
    if (file->debug != NULL)
        file->count = elf_functions(file->debug, size, &file->functions);
}

static void load(SymbolFile *file)
{
    size_t size = 0;
    file->data = read_elf(file->path, &size);
    if (file->data == NULL)
        return;
    read_build_id(file->data, size, file->build_id);
    if (file->build_id[0] != 0)
        load_debug(file);
    if (file->count == 0)
        file->count = elf_functions(file->data, size, &file->functions);
}

Symbols *symbols_new(void)
{
    return mem_new(1, sizeof(Symbols));
}

void symbols_free(Symbols *symbols)
{
    for (uint32_t i = 0; i < symbols->files.count; i++) {
        SymbolFile *f = &symbols->files.at[i];
        free(f->path);
        free(f->data);
        free(f->debug);
        free(f->functions);
    }
    free(symbols->files.at);
    free(symbols);
}

static SymbolFile *file_of(Symbols *symbols, const char *path)
{
    for (uint32_t i = 0; i < symbols->files.count; i++) {
        if (strcmp(symbols->files.at[i].path, path) == 0)
            return &symbols->files.at[i];
    }
    if (symbols->files.count == MAX_FILES)
        return NULL;
    SymbolFile *file = ARRAY_PUSH(&symbols->files);
    file->path = mem_text(path, strlen(path));
    load(file);
    return file;
}

const char *symbols_find(Symbols *symbols, const char *path, const char *build_id,
                         uint64_t address)
{
    const SymbolFile *f = file_of(symbols, path);
    if (f != NULL && build_id != NULL && strcmp(f->build_id, build_id) != 0)
        return NULL;
    size_t low = 0, high = f ? f->count : 0;
    while (low < high) { // the last that begins at or before the address
        size_t middle = low + (high - low) / 2;
        if (f->functions[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    assert(f == NULL || low == f->count || f->functions[low].address > address);
    if (low == 0)
        return NULL;
    const ElfSymbol *s = &f->functions[low - 1];
    assert(s->address <= address);
    while (low > 1 && s->address + s->size <= address
           && f->functions[low - 2].address == s->address)
        s = &f->functions[--low - 1];
    return s->size == 0 || address < s->address + s->size ? s->name : NULL;
}
