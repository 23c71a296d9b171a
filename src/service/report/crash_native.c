// SPDX-License-Identifier: Apache-2.0
// The processor's part of the crash report: registers, the C stack, alternate stacks.
#ifndef _GNU_SOURCE
#    define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <execinfo.h>
#include <sys/mman.h>

#include "arch/arch.h"
#include "code/code_cache.h"
#include "code/code_place.h"
#include "service/report/crash_internal.h"

enum {
    NATIVE_FRAMES = 256,  // shown at most
    CHAIN_MAX = 64 << 20, // bytes of C stack that frame pointers are followed over
};

static SymbolFile symbol_file;

void crash_print_place(void *pc)
{
    char place[512];
    uintptr_t at = *(uintptr_t *)pc;
    code_place(&symbol_file, at, at != crash.pc, place, sizeof place);
    crash_emit("%s", place);
}

// ---- the C stack ----

static void *native_frames[NATIVE_FRAMES];
static volatile int native_count;

static void add_native(uintptr_t pc)
{
    native_frames[native_count] = (void *)pc;
    native_count = native_count + 1;
}

// By the tables of the compiler, which exist for code without frame pointers too. The handler's
// own frames are dropped.
static void unwind(void *unused)
{
    (void)unused;
    int n = backtrace(native_frames, NATIVE_FRAMES), first = 0;
    while (first < n && (uintptr_t)native_frames[first] != crash.pc)
        first++;
    memmove(native_frames, native_frames + first, (size_t)(n - first) * sizeof *native_frames);
    native_count = n - first;
}

// By frame pointers, where the unwinder fails: after a jump into nowhere.
static void follow_frame_pointers(void *unused)
{
    (void)unused;
    Dl_info info;
    native_count = 0;
    add_native(crash.pc);
    if (!dladdr((void *)crash.pc, &info))
        add_native(crash.link ? crash.link : *(uintptr_t *)crash.sp);
    uintptr_t fp = crash.fp, low = crash.sp;
    while (native_count < NATIVE_FRAMES && fp >= low && fp - crash.sp < CHAIN_MAX
           && fp % sizeof fp == 0) {
        uintptr_t *frame = (uintptr_t *)fp;
        if (frame[1] == 0)
            break;
        add_native(frame[1]);
        low = fp + 1;
        fp = frame[0];
    }
}

void crash_print_native_stack(void *unused)
{
    (void)unused;
    Dl_info info;
    if (dladdr((void *)crash.pc, &info)
        || code_find(crash.pc)) // else the unwinder would read there and fault
        crash_attempt(unwind, NULL);
    if (native_count < 2)
        crash_attempt(follow_frame_pointers, NULL);
    for (int i = 0, same = 0; i < native_count; i++) {
        if (i + 1 < native_count && native_frames[i] == native_frames[i + 1]) {
            same++;
            continue;
        }
        crash_emit("0x%016zx", (size_t)native_frames[i]);
        crash_attempt(crash_print_place, &native_frames[i]);
        if (same)
            crash_emit(", and %d times more", same);
        crash_emit("\n");
        same = 0;
    }
    if (native_count == NATIVE_FRAMES)
        crash_emit("...\n");
}

// ---- registers ----

void crash_take_registers(const void *ucontext)
{
    ArchPlace place = arch_place(ucontext);
    crash.pc = place.pc, crash.sp = place.sp, crash.fp = place.fp, crash.link = place.link;
}

void crash_print_registers(void *unused)
{
    (void)unused;
    uintptr_t value;
    const char *name;
    for (int i = 0; (name = arch_register(crash.context, i, &value)); i++)
        crash_emit("%s 0x%016zx%s", name, (size_t)value, i % 3 == 2 ? "\n" : "   ");
}

// ---- alternate stacks ----

#ifndef UNDER_ASAN
static pthread_key_t stack_key;

static void stack_release(void *stack)
{
    stack_t now;
    if (sigaltstack(NULL, &now) == 0 && now.ss_sp == stack)
        sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
    munmap(stack, ALTERNATE_STACK);
}

// For thread_bound: the calling OS thread gets an alternate stack, which lives as long as it
// does, unless it has a sufficient one.
static void stack_prepare(Thread *self)
{
    (void)self;
    stack_t now;
    if (sigaltstack(NULL, &now) != 0
        || (!(now.ss_flags & SS_DISABLE) && now.ss_size >= ALTERNATE_STACK / 2))
        return;
    void *p = mmap(NULL, ALTERNATE_STACK, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (p == MAP_FAILED)
        return;
    sigaltstack(&(stack_t){.ss_sp = p, .ss_size = ALTERNATE_STACK}, NULL);
    pthread_setspecific(stack_key, p);
}
#endif

void crash_prepare_stacks(void)
{
    void *frame;
    backtrace(&frame, 1);
#ifndef UNDER_ASAN
    if (pthread_key_create(&stack_key, stack_release) == 0)
        thread_bound = stack_prepare;
#endif
}
