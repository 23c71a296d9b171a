// SPDX-License-Identifier: Apache-2.0
// Function pointers made at run time. They are stubs in pages of code, all alike: a stub takes the
// address that lies one page behind it, its slot, into r10 and jumps to what stands there. So no page
// is ever both writable and executable. Pages are kept for further stubs.
#include "platform/upcall.h"

#if FOREIGN_CALLS
#    include <stddef.h>
#    include <string.h>
#    include <sys/mman.h>

#    include "arch/x86_64_foreign_call.h"
#    include "base/alloc.h"
#    include "platform/platform.h"

void upcall_enter(void); // not for C

typedef struct UpcallSlot {
    void (*enter)(void);
    Upcall *upcall;
    struct UpcallSlot *next_free;
    uint64_t unused; // a slot is as long as a stub
} UpcallSlot;

_Static_assert(offsetof(ForeignCall, vector_arguments) == CALL_VECTORS, "");
_Static_assert(offsetof(ForeignCall, results) == CALL_RESULTS, "");
_Static_assert(offsetof(ForeignCall, vector_results) == CALL_VECTOR_RESULTS, "");
_Static_assert(offsetof(ForeignCall, stack_arguments) == CALL_STACK, "");
_Static_assert(offsetof(ForeignCall, stack_size) == CALL_STACK_SIZE, "");
_Static_assert(offsetof(ForeignCall, target) == CALL_TARGET, "");
_Static_assert(sizeof(ForeignCall) == CALL_SIZE, "");
_Static_assert(offsetof(UpcallSlot, upcall) == SLOT_UPCALL, "");

typedef struct StubPages {
    struct StubPages *next;
    uint8_t *code; // a page; the page of slots follows
} StubPages;

enum { STUB_SIZE = sizeof(UpcallSlot), SLOT_ADDRESS_END = 11 };
// endbr64; lea r10, [rip + distance]; jmp [r10]
static const uint8_t stub_code[] = {0xf3, 0x0f, 0x1e, 0xfa, 0x4c, 0x8d, 0x15,
                                    0,    0,    0,    0,    0x41, 0xff, 0x22};
_Static_assert(sizeof stub_code == UPCALL_CODE_SIZE, "what tools are given");

static Mutex stubs_lock = MUTEX_INIT(RANK_CODE); // what follows
static StubPages *all_pages;
static UpcallSlot *free_slots;

static UpcallSlot *slot_of(uint8_t *stub)
{
    return (UpcallSlot *)(void *)(stub + os_page_size());
}

static bool add_pages(void)
{
    size_t page = os_page_size();
    int32_t distance = (int32_t)page - SLOT_ADDRESS_END;
    uint8_t *code =
        mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (code == MAP_FAILED)
        return false;
    for (uint8_t *stub = code; stub < code + page; stub += STUB_SIZE) {
        memcpy(stub, stub_code, sizeof stub_code);
        memcpy(stub + SLOT_ADDRESS_END - sizeof distance, &distance, sizeof distance);
    }
    if (mprotect(code, page, PROT_READ | PROT_EXEC) != 0) {
        munmap(code, 2 * page);
        return false;
    }
    for (uint8_t *stub = code + page; stub > code; stub -= STUB_SIZE) {
        slot_of(stub - STUB_SIZE)->next_free = free_slots;
        free_slots = slot_of(stub - STUB_SIZE);
    }
    StubPages *pages = vm_malloc(sizeof *pages);
    *pages = (StubPages){all_pages, code};
    all_pages = pages;
    return true;
}

void *upcall_make(Upcall *upcall)
{
    mutex_lock(&stubs_lock);
    UpcallSlot *slot = free_slots || add_pages() ? free_slots : NULL;
    if (slot) {
        free_slots = slot->next_free;
        *slot = (UpcallSlot){.enter = upcall_enter, .upcall = upcall};
    }
    mutex_unlock(&stubs_lock);
    return slot ? (uint8_t *)slot - os_page_size() : NULL;
}

static bool is_stub(const uint8_t *p)
{
    for (StubPages *pages = all_pages; pages; pages = pages->next)
        if (p >= pages->code && p < pages->code + os_page_size())
            return (size_t)(p - pages->code) % STUB_SIZE == 0;
    return false;
}

Upcall *upcall_free(void *function)
{
    Upcall *upcall = NULL;
    mutex_lock(&stubs_lock);
    if (is_stub(function)) {
        UpcallSlot *slot = slot_of(function);
        upcall = slot->upcall;
        if (upcall) {
            *slot = (UpcallSlot){.next_free = free_slots};
            free_slots = slot;
        }
    }
    mutex_unlock(&stubs_lock);
    return upcall;
}

void upcalls_each(void (*visit)(void *ctx, const void *function), void *ctx)
{
    mutex_lock(&stubs_lock);
    for (StubPages *pages = all_pages; pages; pages = pages->next)
        for (uint8_t *stub = pages->code; stub < pages->code + os_page_size();
             stub += STUB_SIZE)
            if (slot_of(stub)->upcall)
                visit(ctx, stub);
    mutex_unlock(&stubs_lock);
}
#endif
