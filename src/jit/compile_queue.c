// SPDX-License-Identifier: Apache-2.0
// See compile_queue.h.
#include "jit/compile_queue.h"

#include "class/unload.h"
#include "jit/compile.h"

static Mutex lock = MUTEX_INIT(RANK_COMPILE);
static Cond added;
static VEC(CompileTask) tasks; // under lock
static _Atomic uint32_t length;

static void note_length(void)
{
    ASSERT_HELD(&lock);
    atomic_store_explicit(&length, (uint32_t)tasks.len, memory_order_relaxed);
}

// Takes out those of dead classes. World stopped.
static void forget(Class *dead)
{
    ASSERT_WORLD_STOPPED();
    if (dead)
        return; // all at the end
    mutex_lock(&lock);
    size_t kept = 0;
    for (size_t i = 0; i < tasks.len; i++)
        if (!class_loader_data(tasks.at[i].method->cls)->dead)
            tasks.at[kept++] = tasks.at[i];
    tasks.len = kept;
    note_length();
    mutex_unlock(&lock);
}

void compile_queue_init(void)
{
    cond_init(&added);
    unload_add_hook(forget);
}

// The task for another loop of the same method, or NULL.
static CompileTask *other_loop(const CompileTask *task)
{
    ASSERT_HELD(&lock);
    for (size_t i = 0; task->osr_bci != JIT_NO_OSR && i < tasks.len; i++)
        if (tasks.at[i].method == task->method && tasks.at[i].osr_bci != JIT_NO_OSR
            && tasks.at[i].osr_bci != task->osr_bci)
            return &tasks.at[i];
    return NULL;
}

int32_t compile_queue_add(const CompileTask *task)
{
    VM_ASSERT(task->method && !(task->method->flags & METHOD_OLD));
    mutex_lock(&lock);
    CompileTask *other = other_loop(task);
    int32_t given_up = other ? other->osr_bci : JIT_NO_OSR;
    if (other)
        *other = *task;
    else
        vec_push(&tasks, *task);
    note_length();
    cond_signal(&added);
    mutex_unlock(&lock);
    return given_up;
}

bool compile_queue_take(Thread *self, CompileTask *out)
{
    ASSERT_IN_VM(self);
    (void)self;
    mutex_lock(&lock);
    size_t best = 0;
    for (size_t i = 1; i < tasks.len; i++)
        if (tasks.at[i].weight > tasks.at[best].weight)
            best = i;
    bool any = tasks.len > 0;
    if (any) {
        *out = tasks.at[best];
        memmove(&tasks.at[best], &tasks.at[best + 1], (--tasks.len - best) * sizeof *tasks.at);
        note_length();
    }
    mutex_unlock(&lock);
    return any;
}

void compile_queue_wait(Thread *self, int64_t nanos)
{
    ASSERT_MAY_GC(self);
    thread_leave_vm(self, THREAD_WAITING);
    mutex_lock(&lock);
    while (tasks.len == 0 && cond_wait_nanos(&added, &lock, nanos))
        ;
    mutex_unlock(&lock);
    thread_enter_vm(self);
}

uint32_t compile_queue_length(void)
{
    return atomic_load_explicit(&length, memory_order_relaxed);
}

void compile_queue_each(Thread *self, void (*visit)(void *ctx, const CompileTask *task),
                        void *ctx)
{
    ASSERT_IN_VM(self);
    (void)self;
    mutex_lock(&lock);
    for (size_t i = 0; i < tasks.len; i++)
        visit(ctx, &tasks.at[i]);
    mutex_unlock(&lock);
}
