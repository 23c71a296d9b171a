// SPDX-License-Identifier: Apache-2.0
// src/code: the code cache, frames of generated code under the unwinder, stubs of native methods.
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "code/code_cache.h"
#include "vmtest.h"

#if CODE_IS_GENERATED
#    include "code/code_gdb.h"
#    include "code/compiled_code.h"
#    include "code/native_stub.h"
#    include "code/x86_64_asm.h"
#    include "platform/native_stack.h"
#    include "platform/platform.h"

// A function that gives its number.
static const CodeBlob *install_number(int number)
{
    Asm a;
    asm_init(&a);
    x86_mov_r32_i32(&a, RAX, number);
    x86_ret(&a);
    char name[32];
    snprintf(name, sizeof name, "number %d", number);
    const CodeBlob *blob = asm_finish(&a) == ASM_OK ? code_install(asm_code(&a), asm_size(&a),
                                                                   CODE_NATIVE_STUB, name)
                                                    : NULL;
    asm_free(&a);
    return blob;
}

static int call_number(const CodeBlob *blob)
{
    return ((int (*)(void))(uintptr_t)blob->start)();
}

static void count_blob(void *ctx, const CodeBlob *blob)
{
    EXPECT(blob->size > 0);
    ++*(int *)ctx;
}

static void check_cache(CodeMapping mapping)
{
    enum { COUNT = 20 };
    const CodeBlob *blobs[COUNT];
    EXPECT(!code_find((uintptr_t)&check_cache));
    EXPECT(code_cache_init(1 << 20, mapping));
    for (int i = 0; i < COUNT; i++) {
        blobs[i] = install_number(i);
        EXPECT_INT(i, call_number(blobs[i]));
    }
    for (int i = 0; i < COUNT; i++) {
        uintptr_t start = (uintptr_t)blobs[i]->start;
        EXPECT_INT(0, start % CODE_GRANULE);
        EXPECT_INT(i, call_number(blobs[i]));
        EXPECT(code_find(start) == blobs[i]
               && code_find(start + blobs[i]->size - 1) == blobs[i]);
        EXPECT(code_find(start + blobs[i]->size) == NULL);
    }
    EXPECT_STR("number 7", blobs[7]->name);
    EXPECT(!code_find((uintptr_t)blobs[0]->start - 1));
    int seen = 0;
    code_each(count_blob, &seen);
    EXPECT_INT(COUNT, seen);
    code_cache_release();
    EXPECT(!install_number(1));
}

TEST(installed_code_runs_and_is_found)
{
    check_cache(CODE_MAPPING_TWICE);
    check_cache(CODE_MAPPING_SWITCHED);
}

TEST(a_full_cache_installs_nothing)
{
    EXPECT(code_cache_init(os_page_size(), CODE_MAPPING_ANY));
    size_t room = os_page_size() / CODE_GRANULE;
    for (size_t i = 0; i < room; i++)
        EXPECT(install_number((int)i));
    EXPECT(!install_number(0));
    code_cache_release();
}

// Executable or writable, not both.
TEST(no_page_is_writable_and_executable)
{
    EXPECT(code_cache_init(1 << 20, CODE_MAPPING_ANY));
    EXPECT(install_number(1));
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, maps))
        EXPECT_MSG(!strstr(line, " rwx"), "%s", line);
    fclose(maps);
    code_cache_release();
}

TEST(a_child_runs_code_and_installs_none)
{
    EXPECT(code_cache_init(1 << 20, CODE_MAPPING_TWICE));
    const CodeBlob *blob = install_number(42);
    pid_t child = fork();
    if (child == 0)
        _exit(call_number(blob) == 42 && !install_number(43)
                      && code_find((uintptr_t)blob->start) == blob
                  ? 0
                  : 1);
    int status;
    EXPECT(waitpid(child, &status, 0) == child);
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    EXPECT_INT(44, call_number(install_number(44)));
    code_cache_release();
}

// ---- stubs, with a Thread that is nothing but memory ----

static Thread thread;
static uint64_t seen[24];
static int returned_count;

TEST(compiled_code_is_described)
{
    EXPECT(code_cache_init(1 << 20, CODE_MAPPING_ANY));
    static const uint8_t code[40];
    static const CodeSite sites[] = {{.offset = 7}, {.offset = 12, .state = 1}, {.offset = 40}};
    static const CodePosition positions[] = {
        {.offset = 0, .bci = 5}, {.offset = 3, .bci = 1}, {.offset = 9, .bci = 2}};
    static const uint64_t constants[] = {0x8000000000000001};
    static const CodeScope scopes[] = {{.caller = CODE_NO_STATE}};
    const CompiledCode made = {.frame_size = 32,
                               .sites = sites,
                               .site_count = ARRAY_LEN(sites),
                               .positions = positions,
                               .position_count = ARRAY_LEN(positions),
                               .constants = constants,
                               .constant_count = 1,
                               .scopes = scopes,
                               .scope_count = 1};
    const CompiledCode *c = compiled_install(&made, code, sizeof code, "described");
    EXPECT(c && c->blob->kind == CODE_COMPILED_METHOD);
    EXPECT(compiled_find((uintptr_t)c->blob->start + 39) == c);
    EXPECT(!compiled_find((uintptr_t)c->blob->start + 40));
    EXPECT(compiled_site(c, 12) == &c->sites[1] && !compiled_site(c, 11));
    EXPECT_INT(5, compiled_position(c, 2)->bci);
    EXPECT_INT(1, compiled_position(c, 3)->bci);
    EXPECT_INT(2, compiled_position(c, 39)->bci);
    uint64_t frame[8] = {[7] = 1, [5] = 0xffffffff00000003, [4] = 44}; // rbp at [7]
    uintptr_t rbp = (uintptr_t)&frame[7];
    SavedRegisters registers = {.at = {[CODE_FIRST_XMM + 3] = 0xdeadbeef3f800000}};
    EXPECT_INT(3, compiled_value(c, (CodeValue){PLACE_SLOT, VALUE_I, 0}, rbp, NULL).l);
    EXPECT_INT(44, compiled_value(c, (CodeValue){PLACE_SLOT, VALUE_J, 1}, rbp, NULL).l);
    CodeValue in_xmm = {PLACE_REGISTER, VALUE_F, CODE_FIRST_XMM + 3};
    EXPECT(compiled_value(c, in_xmm, rbp, &registers).raw == 0x3f800000);
    CodeValue constant = {PLACE_CONSTANT, VALUE_D, 0};
    EXPECT(compiled_value(c, constant, rbp, NULL).raw == constants[0]);
    EXPECT(compiled_value(c, (CodeValue){PLACE_UNSET, VALUE_A, 0}, rbp, NULL).raw == 0);
    code_cache_release();
}

static void returned(Thread *self)
{
    EXPECT(self == &thread);
    EXPECT_INT(THREAD_IN_NATIVE, atomic_load(&thread.state));
    returned_count++;
}

static int64_t note(JNIEnv *env, jobject self, int8_t b, int16_t s, uint16_t c, uint8_t z,
                    int32_t i, int64_t l, jobject o, jobject null, float f, double d)
{
    EXPECT(env == (JNIEnv *)&thread.jni);
    EXPECT_INT(THREAD_IN_NATIVE, atomic_load(&thread.state));
    uint64_t values[] = {
        (uint64_t)b,  (uint64_t)s,     c,           z,           (uint64_t)i,    (uint64_t)l,
        (uintptr_t)o, (uintptr_t)null, (uint64_t)f, (uint64_t)d, (uintptr_t)self};
    memcpy(seen, values, sizeof values);
    return 0x123456789abcdeff;
}

static uint64_t call_stub(const char *shape, void (*after)(Thread *), Slot *locals, void *fn,
                          jobject cls)
{
    const CodeBlob *blob = native_stub_make(shape, after);
    VM_CHECK(blob);
    atomic_store(&thread.state, THREAD_IN_VM);
    uint64_t result = ((NativeStub *)(uintptr_t)blob->start)(&thread, locals, fn, cls);
    EXPECT_INT(THREAD_IN_VM, atomic_load(&thread.state));
    return result;
}

TEST(a_stub_passes_each_kind)
{
    EXPECT(code_cache_init(1 << 20, CODE_MAPPING_ANY));
    Slot locals[16] = {{.raw = 1},      {.i = -0x7e}, {.i = -0x7ffe},   {.i = 0xfffe},
                       {.i = 1},        {.i = -5},    {.l = INT64_MIN}, {.raw = 0},
                       {.raw = 0x1000}, {.raw = 0},   {.f = 3},         {.d = 4}};
    const uint64_t expected[] = {
        (uint64_t)-0x7e,      (uint64_t)-0x7ffe,     0xfffe, 1, (uint64_t)-5,
        (uint64_t)INT64_MIN,  (uintptr_t)&locals[8], 0,      3, 4,
        (uintptr_t)&locals[0]};
    EXPECT_INT(0x123456789abcdeff,
               call_stub("(BSCZIJLLFD)J", NULL, locals, (void *)(uintptr_t)note, NULL));
    for (size_t i = 0; i < ARRAY_LEN(expected); i++)
        EXPECT_INT(expected[i], seen[i]);
    EXPECT_INT(-1, call_stub("(BSCZIJLLFD)B", returned, locals, (void *)(uintptr_t)note, NULL));
    EXPECT_INT(1, returned_count);
    jobject cls = (jobject)&locals[15];
    EXPECT_INT((int32_t)0x9abcdeff, call_stub("static(BSCZIJLLFD)I", returned, locals + 1,
                                              (void *)(uintptr_t)note, cls));
    EXPECT_INT(2, returned_count);
    EXPECT_INT((uintptr_t)cls, seen[10]);
    code_cache_release();
}

static jobject give_back(JNIEnv *env, jobject o)
{
    (void)env;
    return o;
}

TEST(a_stub_takes_each_kind_of_result)
{
    EXPECT(code_cache_init(1 << 20, CODE_MAPPING_ANY));
    _Alignas(8) Slot slot = {.raw = 0x77};
    static const struct {
        char shape[10];
        uint64_t given, expected;
    } rows[] = {{"static()Z", 0x100, 0},
                {"static()Z", 0x102, 1},
                {"static()B", 0xff80, (uint64_t)-128},
                {"static()C", 0x1ffff, 0xffff},
                {"static()S", 0x18000, (uint64_t)-32768},
                {"static()I", 0x1ffffffff, (uint64_t)-1},
                {"static()J", 1ull << 63, 1ull << 63},
                {"static()L", 0, 0}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        EXPECT_INT(rows[i].expected,
                   call_stub(rows[i].shape, NULL, &slot, (void *)(uintptr_t)give_back,
                             (jobject)(uintptr_t)rows[i].given));
    for (uintptr_t tag = HANDLE_LOCAL; tag <= HANDLE_GLOBAL; tag++)
        EXPECT_INT(0x77, call_stub("static()L", NULL, &slot, (void *)(uintptr_t)give_back,
                                   (jobject)((uintptr_t)&slot | tag)));
    code_cache_release();
}

static int frames_seen;
static uintptr_t stub_seen;

static void look_at_stack(void)
{
    void *frames[64];
    frames_seen = native_backtrace(frames, 64);
    for (int i = 0; i < frames_seen; i++)
        if (code_find((uintptr_t)frames[i]))
            stub_seen = (uintptr_t)frames[i];
}

TEST(the_unwinder_passes_a_stub)
{
    EXPECT(code_cache_init(1 << 20, CODE_MAPPING_ANY));
    look_at_stack();
    int without = frames_seen;
    Slot none = {.raw = 0};
    call_stub("static(IIIIIIIIII)V", NULL, (Slot[10]){none}, (void *)(uintptr_t)look_at_stack,
              (jobject)&none);
    EXPECT(stub_seen);
    EXPECT(frames_seen >= without + 1); // its caller's frames follow
    code_cache_release();
}

// ---- gdb: runs this program as `code_test NAME -- stop` ----

static NOINLINE void gdb_stops_here(void)
{
    __asm__ volatile("" ::: "memory");
}

static NOINLINE void gdb_asks_here(const uint8_t *live, const uint8_t *freed)
{
    __asm__ volatile("" : : "r"(live), "r"(freed) : "memory");
}

static NOINLINE void call_for_gdb(void)
{
    EXPECT(code_cache_init(1 << 20, CODE_MAPPING_ANY));
    Slot none = {.raw = 0};
    call_stub("static()V", NULL, &none, (void *)(uintptr_t)gdb_stops_here, (jobject)&none);
    const CodeBlob *live = install_number(8), *freed = install_number(9);
    const uint8_t *start = freed->start;
    code_unlink(freed);
    code_free(freed);
    gdb_asks_here(live->start, start);
    code_cache_release();
}

// gdb's answer to the commands must have a line with each of the texts. Skips the test where gdb cannot run it.
static void expect_gdb_says(const char *test, const char *commands, const char *const *texts,
                            int count)
{
    char program[256] = "", command[1024], line[1024];
    bool stopped = false, said[4] = {0};
    if (system("gdb --version >/dev/null 2>&1") != 0
        || readlink("/proc/self/exe", program, sizeof program - 1) < 0)
        TEST_SKIP("no gdb");
    snprintf(command, sizeof command,
             "ASAN_OPTIONS=detect_leaks=0 gdb -q -batch -ex 'break gdb_stops_here' -ex run %s "
             "--args %s %s -- stop 2>&1",
             commands, program, test);
    FILE *gdb = popen(command, "r");
    while (fgets(line, sizeof line, gdb)) {
        stopped |= line[0] == '#' && strstr(line, "gdb_stops_here");
        for (int i = 0; i < count; i++)
            said[i] |= strstr(line, texts[i]) != NULL;
    }
    pclose(gdb);
    if (!stopped)
        TEST_SKIP("gdb may not trace here");
    for (int i = 0; i < count; i++)
        EXPECT_MSG(said[i], "%s", texts[i]);
}

TEST(gdb_passes_a_stub)
{
    static const char *const texts[] = {"call_for_gdb"};
    if (test_argc > 0)
        call_for_gdb();
    else
        expect_gdb_says("gdb_passes_a_stub", "-ex bt", texts, ARRAY_LEN(texts));
}

TEST(gdb_names_pieces)
{
    static const char *const texts[] = {"in native call static()V ()", "call_for_gdb",
                                        "number 8 in section .text",
                                        "No symbol matches freed."};
    if (test_argc > 0) {
        code_gdb_name_pieces();
        call_for_gdb();
    } else {
        expect_gdb_says("gdb_names_pieces",
                        "-ex bt -ex 'break gdb_asks_here' -ex continue "
                        "-ex 'info symbol live' -ex 'info symbol freed'",
                        texts, ARRAY_LEN(texts));
    }
}
#else
TEST(generated_code)
{
    EXPECT(!code_cache_init(1 << 20, CODE_MAPPING_ANY));
    EXPECT(!code_install("", 1, CODE_NATIVE_STUB, ""));
    TEST_SKIP("there is none for this processor or build");
}
#endif
