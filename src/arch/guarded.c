// SPDX-License-Identifier: Apache-2.0
// See guarded.h. The linker gathers the rows of all files in one section and names its ends.
#include "arch/guarded.h"

#include <setjmp.h>

#include "arch/arch.h"

static _Thread_local sigjmp_buf *volatile body_under_way;

bool guarded_run(void (*body)(void *arg), void *arg)
{
    sigjmp_buf here;
    bool whole = sigsetjmp(here, 0) == 0; // the handler has nothing blocked
    if (whole) {
        body_under_way = &here;
        body(arg);
    }
    body_under_way = NULL;
    return whole;
}

typedef struct GuardedRow {
    int32_t access, fault; // distances of code from the fields themselves
} GuardedRow;
#define SECTION_END __attribute__((weak, visibility("hidden"))) // absent: nobody has rows
extern const GuardedRow __start_guarded_rows[] SECTION_END;
extern const GuardedRow __stop_guarded_rows[] SECTION_END;

static inline uintptr_t code_at(const int32_t *distance)
{
    return (uintptr_t)distance + (uintptr_t)(intptr_t)*distance;
}

static bool recover_access(void *context)
{
    uintptr_t pc = arch_place(context).pc;
    for (const GuardedRow *r = __start_guarded_rows; r < __stop_guarded_rows; r++)
        if (code_at(&r->access) == pc) {
            arch_set_pc(context, code_at(&r->fault));
            return true;
        }
    return false;
}

bool guarded_recover(void *context)
{
    if (body_under_way)
        siglongjmp(*body_under_way, 1);
    return recover_access(context);
}
