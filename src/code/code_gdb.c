// SPDX-License-Identifier: Apache-2.0
// See code_gdb.h. A file is allocated with its image, the image with the symbol's name behind it.
#include "code/code_gdb.h"

#include "base/alloc.h"

#if CODE_IS_GENERATED
#    include <elf.h>

typedef struct GdbFile { // gdb's, as all that follows up to __jit_debug_register_code
    struct GdbFile *next, *previous;
    const void *image;
    uint64_t size;
} GdbFile;

typedef struct GdbDescriptor {
    uint32_t version, action;
    GdbFile *relevant, *first;
} GdbDescriptor;

enum { GDB_REGISTER = 1, GDB_UNREGISTER = 2 };
// gdb finds these two by their names; it stops where the function is called and reads the descriptor.
extern GdbDescriptor __jit_debug_descriptor;
void __jit_debug_register_code(void);
GdbDescriptor __jit_debug_descriptor = {.version = 1};
NOINLINE void __jit_debug_register_code(void)
{
    __asm__ volatile("" ::: "memory");
}

enum { NO_SECTION, TEXT, FRAMES, SYMBOLS, STRINGS, NAMES, SECTIONS };
static const char section_names[] = "\0.text\0.eh_frame\0.symtab\0.strtab\0.shstrtab";
enum { // offsets in there
    TEXT_NAME = 1,
    FRAMES_NAME = 7,
    SYMBOLS_NAME = 17,
    STRINGS_NAME = 25,
    NAMES_NAME = 33
};
enum { NO_SYMBOL, SYMBOL, SYMBOL_COUNT };

typedef struct GdbImage { // an ELF file; its text is where the code is
    Elf64_Ehdr head;
    Elf64_Shdr sections[SECTIONS];
    CodeUnwind frames;
    Elf64_Sym symbols[SYMBOL_COUNT];
    char names[sizeof section_names];
    char strings[]; // "", and the symbol's name
} GdbImage;

static bool names_pieces;

void code_gdb_name_pieces(void)
{
    VM_ASSERT(!__jit_debug_descriptor.first);
    names_pieces = true;
}

static void make_head(GdbImage *image)
{
    image->head = (Elf64_Ehdr){
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_EXEC,
        .e_machine = EM_X86_64,
        .e_version = EV_CURRENT,
        .e_shoff = offsetof(GdbImage, sections),
        .e_ehsize = sizeof(Elf64_Ehdr),
        .e_shentsize = sizeof(Elf64_Shdr),
        .e_shnum = SECTIONS,
        .e_shstrndx = NAMES};
}

static void make_sections(GdbImage *image, const void *start, size_t size, size_t string_bytes)
{
    Elf64_Shdr *s = image->sections;
    s[TEXT] = (Elf64_Shdr){.sh_name = TEXT_NAME,
                           .sh_type = SHT_NOBITS,
                           .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
                           .sh_addr = (uintptr_t)start,
                           .sh_size = size,
                           .sh_addralign = CODE_GRANULE};
    s[FRAMES] = (Elf64_Shdr){.sh_name = FRAMES_NAME,
                             .sh_type = SHT_PROGBITS,
                             .sh_flags = SHF_ALLOC,
                             .sh_addr = (uintptr_t)&image->frames,
                             .sh_offset = offsetof(GdbImage, frames),
                             .sh_size = sizeof image->frames,
                             .sh_addralign = 8};
    s[SYMBOLS] = (Elf64_Shdr){.sh_name = SYMBOLS_NAME,
                              .sh_type = SHT_SYMTAB,
                              .sh_offset = offsetof(GdbImage, symbols),
                              .sh_size = sizeof image->symbols,
                              .sh_link = STRINGS,
                              .sh_info = SYMBOL, // the first that is not local
                              .sh_entsize = sizeof *image->symbols,
                              .sh_addralign = 8};
    s[STRINGS] = (Elf64_Shdr){.sh_name = STRINGS_NAME,
                              .sh_type = SHT_STRTAB,
                              .sh_offset = offsetof(GdbImage, strings),
                              .sh_size = string_bytes};
    s[NAMES] = (Elf64_Shdr){.sh_name = NAMES_NAME,
                            .sh_type = SHT_STRTAB,
                            .sh_offset = offsetof(GdbImage, names),
                            .sh_size = sizeof section_names};
    memcpy(image->names, section_names, sizeof section_names);
}

static void notify(uint32_t action, GdbFile *file)
{
    __jit_debug_descriptor.action = action;
    __jit_debug_descriptor.relevant = file;
    __jit_debug_register_code();
}

// name NULL: no symbol.
static void add(const CodeUnwind *frames, const void *start, size_t size, const char *name)
{
    size_t string_bytes = 1 + (name ? strlen(name) + 1 : 0);
    size_t image_bytes = sizeof(GdbImage) + string_bytes;
    GdbFile *file = vm_calloc(1, sizeof *file + image_bytes);
    GdbImage *image = (GdbImage *)(file + 1);
    make_head(image);
    make_sections(image, start, size, string_bytes);
    image->frames = *frames;
    if (name) {
        memcpy(&image->strings[1], name, string_bytes - 1);
        image->symbols[SYMBOL] = (Elf64_Sym){.st_name = 1,
                                             .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                                             .st_shndx = TEXT,
                                             .st_value = (uintptr_t)start,
                                             .st_size = size};
    }
    GdbFile *next = __jit_debug_descriptor.first;
    *file = (GdbFile){.next = next, .image = image, .size = image_bytes};
    if (next)
        next->previous = file;
    __jit_debug_descriptor.first = file;
    notify(GDB_REGISTER, file);
}

void code_gdb_add_region(const CodeUnwind *frames, const void *start, size_t size)
{
    if (!names_pieces)
        add(frames, start, size, NULL);
}

void code_gdb_add(const CodeBlob *blob)
{
    if (!names_pieces)
        return;
    CodeUnwind frames;
    code_unwind_make(&frames, blob->start, blob->size);
    add(&frames, blob->start, blob->size, blob->name);
}

static bool is_of(const GdbFile *file, const void *start)
{
    const GdbImage *image = file->image;
    return image->sections[TEXT].sh_addr == (uintptr_t)start;
}

void code_gdb_remove(const void *start)
{
    GdbFile *file = __jit_debug_descriptor.first;
    while (file && !is_of(file, start))
        file = file->next;
    if (!file)
        return;
    if (file->next)
        file->next->previous = file->previous;
    if (file->previous)
        file->previous->next = file->next;
    else
        __jit_debug_descriptor.first = file->next;
    notify(GDB_UNREGISTER, file);
    vm_free(file);
}
#else
void code_gdb_name_pieces(void) {}

void code_gdb_add_region(const CodeUnwind *frames, const void *start, size_t size)
{
    (void)frames, (void)start, (void)size;
}

void code_gdb_add(const CodeBlob *blob)
{
    (void)blob;
}

void code_gdb_remove(const void *start)
{
    (void)start;
}
#endif
