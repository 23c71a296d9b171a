// SPDX-License-Identifier: Apache-2.0
// src/code: the assembler for x86-64. Every form of spec/x86_64.def with all registers and all shapes of addresses is given to the
// GNU assembler and disassembler: these bytes must read as what the listing says, and the listing must assemble to these bytes.
#if defined(__x86_64__)
#    include <stdlib.h>
#    include <unistd.h>

#    include "code/x86_64_asm.h"
#    include "vmtest.h"

enum { SLOT = 16 }; // bytes that each instruction has for itself

typedef struct Sample {
    uint32_t form;
    X86Args args;
} Sample;

typedef struct Samples {
    Sample *at;
    size_t len, capacity;
} Samples;

static void add_sample(Samples *s, uint32_t form, X86Args args)
{
    if (s->len == s->capacity) {
        s->capacity = s->capacity ? 2 * s->capacity : 1024;
        s->at = realloc(s->at, s->capacity * sizeof *s->at);
    }
    s->at[s->len++] = (Sample){form, args};
}

static int place_of(const X86Form *f, X86Place place)
{
    for (int i = 0; i < f->operand_count; i++)
        if (f->operands[i].place == place)
            return i;
    return -1;
}

static bool has(const X86Form *f, X86Place place)
{
    return place_of(f, place) >= 0;
}

// A number that needs all the bits that the form has for it.
static int64_t some_immediate(const X86Form *f, size_t turn)
{
    int i = place_of(f, X86_IN_IMM);
    switch (i < 0 ? X86_OPERAND_NONE : f->operands[i].kind) {
    case X86_OPERAND_U8: return 2 + (int64_t)turn % 7;
    case X86_OPERAND_I8: return (int64_t[]){-128, 127, 1, -1}[turn % 4];
    case X86_OPERAND_I16: return (int64_t[]){0x1234, -0x1234}[turn % 2];
    case X86_OPERAND_I32: return (int64_t[]){0x12345678, -0x12345678}[turn % 2];
    case X86_OPERAND_I64: return (int64_t[]){0x123456789abcdef0, -0x123456789abcdef0}[turn % 2];
    default: return 0;
    }
}

static size_t all_addresses(X86Mem *out)
{
    static const int32_t disps[] = {0, 0x10, -0x80, 0x7f, 0x80, -0x12345678};
    size_t n = 0;
    for (int base = RAX; base <= R15; base++)
        for (size_t d = 0; d < ARRAY_LEN(disps); d++)
            out[n++] = x86_mem((X86Reg)base, disps[d]);
    for (int base = RAX; base <= X86_NO_REG; base++)
        for (int index = RAX; index <= R15; index++)
            if (index != RSP)
                out[n++] = x86_mem_index((X86Reg)base, (X86Reg)index, (X86Scale)(1 + index % 3),
                                         disps[(base + index) % (int)ARRAY_LEN(disps)]);
    out[n++] = x86_mem_index(RBX, RCX, X86_TIMES_1, 8);
    out[n++] = x86_mem_absolute(0x12345678);
    out[n++] = x86_mem_absolute(-0x12345678);
    return n;
}

// Each register in each place; each address; each condition.
static void add_samples_of(Samples *s, uint32_t id)
{
    static X86Mem addresses[600];
    const X86Form *f = &x86_forms[id];
    size_t regs = has(f, X86_IN_REG) ? 16 : 1, rms = has(f, X86_IN_RM) ? 16 : 1;
    size_t mems = has(f, X86_IN_MEM) ? all_addresses(addresses) : 1,
           conds = has(f, X86_IN_COND) ? 16 : 1;
    for (size_t rm = 0; rm < rms; rm++)
        for (size_t reg = 0; reg < regs; reg++)
            for (size_t cond = 0; cond < conds; cond += rm == 0 && reg < 2 ? 1 : 16) {
                X86Args args = {.rm = (uint8_t)rm, .reg = (uint8_t)reg, .cond = (uint8_t)cond};
                args.imm = some_immediate(f, rm + reg + cond);
                if (mems == 1)
                    add_sample(s, id, args);
            }
    for (size_t mem = 0; mem < mems && mems > 1; mem++) {
        X86Args args = {.mem = addresses[mem],
                        .reg = regs > 1 ? mem % 16 : 0,
                        .cond = conds > 1 ? mem % 16 : 0};
        args.imm = some_immediate(f, mem);
        add_sample(s, id, args);
    }
}

// Of forms without a label.
static Samples all_samples(void)
{
    Samples s = {0};
    for (uint32_t id = 0; id < X86_FORM_COUNT; id++)
        if (!has(&x86_forms[id], X86_IN_LABEL))
            add_samples_of(&s, id);
    return s;
}

static char folder[] = "/tmp/assembler_test_XXXXXX";

static void run(const char *format)
{
    char command[512];
    snprintf(command, sizeof command, format, folder, folder);
    EXPECT_INT(0, system(command));
}

static FILE *file_in(const char *name, const char *mode)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, mode);
    VM_CHECK(f);
    return f;
}

static bool has_binutils(void)
{
    return mkdtemp(folder)
           && system("as --version >/dev/null && objdump --version >/dev/null && objcopy "
                     "--version >/dev/null")
                  == 0;
}

static void assemble(const Sample *sample, uint8_t slot[SLOT], StrBuf *text, size_t *len)
{
    Asm a;
    asm_init(&a);
    a.keeps_listing = true;
    x86_emit(&a, sample->form, &sample->args);
    EXPECT_INT(ASM_OK, asm_finish(&a));
    memset(slot, 0, SLOT);
    *len = asm_size(&a);
    EXPECT(*len > 0 && *len < SLOT);
    memcpy(slot, asm_code(&a), *len);
    EXPECT(x86_print_one(&a, 0, 0, text));
    EXPECT(!x86_print_one(&a, 1, 0, text));
    asm_free(&a);
}

// The GNU assembler has shorter forms for rax and an immediate.
static bool may_be_shorter(const X86Form *f, const X86Args *args)
{
    return has(f, X86_IN_IMM) && has(f, X86_IN_RM) && args->rm == RAX && f->operand_count == 2;
}

static void compare_bytes(const Samples *s, const uint8_t *ours, const size_t *lengths,
                          char **texts)
{
    FILE *f = file_in("as.bin", "rb");
    uint8_t theirs[SLOT];
    for (size_t i = 0; i < s->len; i++) {
        memset(theirs, 0, SLOT);
        EXPECT(fread(theirs, 1, SLOT, f) > 0);
        bool same = memcmp(theirs, &ours[i * SLOT], SLOT) == 0;
        EXPECT_MSG(same
                       || (may_be_shorter(&x86_forms[s->at[i].form], &s->at[i].args)
                           && theirs[lengths[i] - 1] == 0),
                   "`%s` is encoded otherwise (%zu)", texts[i], i);
        if (test_failures > 20)
            break;
    }
    fclose(f);
}

// "  10:\tadd    eax,0x1        # comment" becomes "add eax,0x1".
static bool read_line(char *line, size_t *at, char *text)
{
    char *end, *p = line;
    *at = strtoul(line, &end, 16);
    if (end == line || *end != ':')
        return false;
    p = end + 1;
    size_t n = 0;
    for (; *p && *p != '#' && *p != '\n'; p++)
        if (*p != ' ' && *p != '\t')
            text[n++] = *p;
        else if (n > 0 && text[n - 1] != ' ')
            text[n++] = ' ';
    while (n > 0 && text[n - 1] == ' ')
        n--;
    text[n] = 0;
    return true;
}

static void compare_texts(size_t count, char **texts)
{
    FILE *f = file_in("objdump.txt", "r");
    char line[512], text[512];
    size_t at, seen = 0;
    while (fgets(line, sizeof line, f) && test_failures < 20) {
        if (!read_line(line, &at, text) || at % SLOT != 0)
            continue;
        VM_CHECK(at / SLOT < count);
        EXPECT_STR(texts[at / SLOT], text);
        seen++;
    }
    EXPECT_INT(count, seen);
    fclose(f);
}

TEST(every_form_is_what_binutils_take_it_for)
{
    if (!has_binutils())
        TEST_SKIP("no binutils");
    Samples s = all_samples();
    EXPECT(s.len > 20000);
    uint8_t *ours = calloc(s.len, SLOT);
    size_t *lengths = calloc(s.len, sizeof *lengths);
    char **texts = calloc(s.len, sizeof *texts);
    FILE *bin = file_in("ours.bin", "wb"), *source = file_in("as.s", "w");
    fprintf(source, ".intel_syntax noprefix\n");
    for (size_t i = 0; i < s.len; i++) {
        StrBuf text = {0};
        assemble(&s.at[i], &ours[i * SLOT], &text, &lengths[i]);
        texts[i] = text.s;
        fprintf(source, ".org %zu\n%s\n", i * SLOT, text.s);
        uint8_t padded[SLOT];
        memset(padded, 0x90, SLOT); // so that the next one is read from its first byte on
        memcpy(padded, &ours[i * SLOT], lengths[i]);
        fwrite(padded, SLOT, 1, bin);
    }
    fclose(bin);
    fclose(source);
    run("cd %s && as -W as.s -o as.o && objcopy -O binary -j .text as.o as.bin");
    run("cd %s && objdump -D -b binary -m i386:x86-64 -M intel --no-show-raw-insn -z ours.bin "
        ">objdump.txt");
    compare_bytes(&s, ours, lengths, texts);
    compare_texts(s.len, texts);
    run("rm -r %s");
    for (size_t i = 0; i < s.len; i++)
        free(texts[i]);
    free(texts);
    free(lengths);
    free(ours);
    free(s.at);
}

// ---- labels ----

static void fill(Asm *a, int count)
{
    for (int i = 0; i < count; i++)
        x86_nop(a);
}

static int32_t number_at(const Asm *a, size_t at)
{
    int32_t n;
    memcpy(&n, asm_code(a) + at, sizeof n);
    return n;
}

TEST(branches_reach_their_labels)
{
    Asm a;
    asm_init(&a);
    AsmLabel start = asm_label(&a), end = asm_label(&a);
    asm_bind(&a, start);
    x86_jcc(&a, X86_NE, end); // 6 bytes
    fill(&a, 100);
    x86_jmp(&a, start); // reaches: EB
    EXPECT_INT(0xEB, asm_code(&a)[106]);
    fill(&a, 100);
    x86_jmp(&a, start); // does not: E9
    EXPECT_INT(0xE9, asm_code(&a)[208]);
    x86_mov_r64_m64(&a, RAX, x86_mem_label(end));
    x86_cmp_m32_i32(&a, x86_mem_label(end), 7); // an immediate behind the distance
    asm_bind(&a, end);
    EXPECT_INT(ASM_OK, asm_finish(&a));
    size_t size = asm_size(&a);
    EXPECT_INT(213 + 7 + 10, size);
    EXPECT_INT(size - 6, number_at(&a, 2));
    EXPECT_INT(-108, (int8_t)asm_code(&a)[107]);
    EXPECT_INT(-213, number_at(&a, 209));
    EXPECT_INT(10, number_at(&a, 216));
    EXPECT_INT(0, number_at(&a, 222));
    asm_free(&a);
}

TEST(short_branches_that_are_too_short_are_told)
{
    for (int distance = 127; distance <= 128; distance++) {
        Asm a;
        asm_init(&a);
        AsmLabel end = asm_label(&a);
        x86_jmp_l8(&a, end);
        fill(&a, distance);
        asm_bind(&a, end);
        EXPECT_INT(distance == 127 ? ASM_OK : ASM_TOO_FAR, asm_finish(&a));
        asm_free(&a);
    }
    Asm a;
    asm_init(&a);
    x86_jmp_l32(&a, asm_label(&a));
    EXPECT_INT(ASM_UNBOUND, asm_finish(&a));
    asm_free(&a);
}

TEST(a_listing_names_targets)
{
    Asm a;
    asm_init(&a);
    a.keeps_listing = true;
    AsmLabel end = asm_label(&a);
    x86_j_cc_l8(&a, X86_LE, end);
    x86_lock_cmpxchg_m64_r64(&a, x86_mem_index(RBX, RCX, X86_TIMES_8, -16), RDX);
    asm_bind(&a, end);
    x86_ret(&a);
    EXPECT_INT(ASM_OK, asm_finish(&a));
    StrBuf text = {0};
    x86_print(&a, 0x1000, &text);
    EXPECT_STR(
        "  0x1000: 7e07                     jle 0x1009\n"
        "  0x1002: f0480fb154cbf0           lock cmpxchg QWORD PTR [rbx+rcx*8-0x10],rdx\n"
        "  0x1009: c3                       ret\n",
        text.s);
    sb_free(&text);
    asm_free(&a);
}

// The buffer moves many times meanwhile.
TEST(long_code_stays_whole)
{
    enum { COUNT = 100000 };
    Asm a;
    asm_init(&a);
    AsmLabel end = asm_label(&a);
    for (int i = 0; i < COUNT; i++)
        x86_jmp_l32(&a, end);
    asm_bind(&a, end);
    EXPECT_INT(ASM_OK, asm_finish(&a));
    EXPECT_INT(5 * COUNT, asm_size(&a));
    for (int i = 0; i < COUNT; i++)
        if (number_at(&a, 5 * (size_t)i + 1) != 5 * (COUNT - i - 1)) {
            EXPECT_INT(-1, i);
            break;
        }
    asm_free(&a);
}

TEST(no_memory_is_an_error_told_once)
{
    Asm a;
    asm_init(&a);
    AsmLabel end = asm_label(&a);
    static uint8_t zeros[1 << 20];
    for (int i = 0; i < 3000; i++) // more than an offset can say
        asm_emit(&a, zeros, sizeof zeros);
    x86_jmp(&a, end);
    asm_bind(&a, end);
    EXPECT_INT(ASM_NO_MEMORY, asm_finish(&a));
    asm_free(&a);
}
#else
#    include "vmtest.h"

TEST(assembler)
{
    TEST_SKIP("there is none for this processor");
}
#endif
