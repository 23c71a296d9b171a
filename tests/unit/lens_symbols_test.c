// SPDX-License-Identifier: Apache-2.0
// Names of native code, by this program's own file.
#define _GNU_SOURCE
#include "symbols.h"
#include "vmtest.h"

#include <elf.h>
#include <stdio.h>

void a_function_to_find(void);
__attribute__((noinline)) void a_function_to_find(void)
{
    __asm__ volatile("");
}

extern const char __executable_start[]; // where the file's own terms begin

// The program's build id, in hex; "" where it was linked without.
static void own_build_id(char hex[41])
{
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)__executable_start;
    const Elf64_Phdr *parts = (const Elf64_Phdr *)(__executable_start + head->e_phoff);
    hex[0] = 0;
    for (int i = 0; i < head->e_phnum; i++) {
        const char *at = __executable_start + parts[i].p_vaddr;
        const Elf64_Nhdr *note = (const Elf64_Nhdr *)at;
        if (parts[i].p_type != PT_NOTE || note->n_type != NT_GNU_BUILD_ID
            || note->n_descsz != 20 || note->n_namesz != 4)
            continue;
        for (int k = 0; k < 20; k++)
            snprintf(hex + 2 * k, 3, "%02x", (unsigned char)at[sizeof *note + 4 + k]);
    }
}

TEST(functions_by_address_and_build_id)
{
    char build_id[41];
    own_build_id(build_id);
    uint64_t address = (uintptr_t)a_function_to_find - (uintptr_t)__executable_start;
    Symbols *symbols = symbols_new();
    const char *name = symbols_find(symbols, "/proc/self/exe", NULL, address);
    EXPECT(name != NULL && strcmp(name, "a_function_to_find") == 0);
    EXPECT(build_id[0] != 0);
    EXPECT(symbols_find(symbols, "/proc/self/exe", build_id, address) == name);
    build_id[0] = build_id[0] == '0' ? '1' : '0';
    EXPECT(symbols_find(symbols, "/proc/self/exe", build_id, address) == NULL);
    EXPECT(symbols_find(symbols, "/nowhere", NULL, address) == NULL);
    symbols_free(symbols);
}
