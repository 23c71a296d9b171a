// SPDX-License-Identifier: Apache-2.0
// See code_unwind.h.
#include "code/code_unwind.h"

#if CODE_IS_GENERATED
#    include <elf.h>

void __register_frame(void *table); // libgcc's
void __deregister_frame(void *table);

enum { DW_CFA_DEF_CFA = 0x0c, DW_CFA_OFFSET = 0x80, DW_RBP = 6, DW_RETURN = 16 };

// A common information entry: what holds for all of its frames. At each place the frame's end is rbp + 16, where the caller's rbp and
// the return address lie just below.
static const uint8_t common_entry[] = {
    1,         // version
    0,         // no augmentation
    1,         // unit of code offsets
    0x78,      // unit of data offsets: -8
    DW_RETURN, // the column of the return address
    DW_CFA_DEF_CFA,
    DW_RBP,
    16, // the frame's end is rbp + 16
    DW_CFA_OFFSET | DW_RBP,
    2, // the caller's rbp at its end - 16
    DW_CFA_OFFSET | DW_RETURN,
    1, // the return address at its end - 8
};

static uint8_t *put(uint8_t *at, const void *from, size_t size)
{
    memcpy(at, from, size);
    return at + size;
}

static uint8_t *put_u32(uint8_t *at, size_t n)
{
    uint32_t value = (uint32_t)n;
    return put(at, &value, sizeof value);
}

static void make_table(CodeUnwind *u, const void *start, size_t size)
{
    enum { COMMON = 4 + sizeof common_entry, FRAME = 4 + 8 + 8 };
    *u = (CodeUnwind){.bytes = {0}}; // zeros are DW_CFA_nop, and the end
    uint64_t from = (uintptr_t)start, bytes = size;
    uint8_t *at = put_u32(u->bytes, ALIGN_UP(COMMON, 4));
    put(put_u32(at, 0), common_entry, sizeof common_entry);
    uint8_t *frame = at + ALIGN_UP(COMMON, 4);
    at = put_u32(frame, FRAME);
    at = put_u32(at, (size_t)(at - u->bytes)); // back to the common entry
    at = put(put(at, &from, sizeof from), &bytes, sizeof bytes);
    VM_ASSERT(at + 4 <= u->bytes + CODE_UNWIND_BYTES);
}

// ---- gdb (its manual, "JIT Compilation Interface") ----

typedef struct GdbFile {
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

enum { NO_SECTION, TEXT, FRAMES, NAMES, SECTIONS };
static const char section_names[] = "\0.text\0.eh_frame\0.shstrtab";
enum { TEXT_NAME = 1, FRAMES_NAME = 7, NAMES_NAME = 17 }; // offsets in there

static struct GdbImage { // an ELF file with the region and how its frames are left
    Elf64_Ehdr head;
    Elf64_Shdr sections[SECTIONS];
    CodeUnwind frames;
    char names[sizeof section_names];
} image;
static GdbFile file = {.image = &image, .size = sizeof image};

static void make_image(const CodeUnwind *u, const void *start, size_t size)
{
    image.head = (Elf64_Ehdr){
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_EXEC,
        .e_machine = EM_X86_64,
        .e_version = EV_CURRENT,
        .e_shoff = offsetof(struct GdbImage, sections),
        .e_ehsize = sizeof(Elf64_Ehdr),
        .e_shentsize = sizeof(Elf64_Shdr),
        .e_shnum = SECTIONS,
        .e_shstrndx = NAMES};
    image.sections[TEXT] = (Elf64_Shdr){.sh_name = TEXT_NAME,
                                        .sh_type = SHT_NOBITS,
                                        .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
                                        .sh_addr = (uintptr_t)start,
                                        .sh_size = size,
                                        .sh_addralign = CODE_GRANULE};
    image.sections[FRAMES] = (Elf64_Shdr){.sh_name = FRAMES_NAME,
                                          .sh_type = SHT_PROGBITS,
                                          .sh_flags = SHF_ALLOC,
                                          .sh_addr = (uintptr_t)&image.frames,
                                          .sh_offset = offsetof(struct GdbImage, frames),
                                          .sh_size = sizeof image.frames,
                                          .sh_addralign = 8};
    image.sections[NAMES] = (Elf64_Shdr){.sh_name = NAMES_NAME,
                                         .sh_type = SHT_STRTAB,
                                         .sh_offset = offsetof(struct GdbImage, names),
                                         .sh_size = sizeof section_names};
    image.frames = *u;
    memcpy(image.names, section_names, sizeof section_names);
}

static void notify_gdb(uint32_t action)
{
    __jit_debug_descriptor.action = action;
    __jit_debug_descriptor.relevant = &file;
    __jit_debug_descriptor.first = action == GDB_REGISTER ? &file : NULL;
    __jit_debug_register_code();
}

void code_unwind_register(CodeUnwind *u, const void *start, size_t size)
{
    make_table(u, start, size);
    __register_frame(u->bytes);
    make_image(u, start, size);
    notify_gdb(GDB_REGISTER);
}

void code_unwind_deregister(CodeUnwind *u)
{
    notify_gdb(GDB_UNREGISTER);
    __deregister_frame(u->bytes);
}
#else
void code_unwind_register(CodeUnwind *u, const void *start, size_t size)
{
    (void)u, (void)start, (void)size;
}

void code_unwind_deregister(CodeUnwind *u)
{
    (void)u;
}
#endif
