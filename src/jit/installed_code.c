// SPDX-License-Identifier: Apache-2.0
// See installed_code.h.
#include "jit/installed_code.h"

#include "class/unload.h"
#include "interp/breakpoint.h"
#include "jit/compiled_events.h"

#include "code/compiled_frame.h"
#include "jit/runtime.h"

static InstalledHooks hooks;
static Mutex lock = MUTEX_INIT(RANK_COMPILE);
static InstalledCode *live;    // under lock
static InstalledCode *retired; // likewise
static InstalledCode
    *unlinked;           // retired and found by nobody any more; changes with the world stopped
static bool posts_calls; // changes with the world stopped
static _Atomic size_t retired_bytes, sweep_from; // from so many bytes on it is worth a sweep

// A part of the cache, at most 1 MiB.
static size_t worth_a_sweep(void)
{
    enum { SHARE = 32, MOST = 1 << 20 };
    CodeCacheUse use;
    code_cache_use(&use);
    return MIN_OF(use.size / SHARE, (size_t)MOST);
}

// Code whose classes were unloaded is retired by now.
static void sweep_dead(Class *dead)
{
    if (!dead)
        installed_sweep();
}

void installed_init(const InstalledHooks *h)
{
    VM_ASSERT(h->switch_entry && h->has_code && h->retired && h->left_out);
    hooks = *h;
    atomic_store(&sweep_from, worth_a_sweep());
    unload_add_hook(sweep_dead);
}

static void list_add(InstalledCode *c)
{
    ASSERT_HELD(&lock);
    c->next = live;
    if (live)
        live->prev = c;
    live = c;
}

static void list_remove(InstalledCode *c)
{
    ASSERT_HELD(&lock);
    if (c->next)
        c->next->prev = c->prev;
    if (c->prev)
        c->prev->next = c->next;
    else
        live = c->next;
}

// ---- versions ----

// Whether it is of the version that calls enter.
static bool is_of_version(const InstalledCode *c)
{
    return c->code->posts_calls == posts_calls;
}

bool installed_posts_calls(void)
{
    return posts_calls;
}

// Nobody changes the list: who does is IN_VM.
void installed_set_posts_calls(bool posts)
{
    VM_ASSERT(world_is_stopped() || !thread_current()); // before there are threads
    if (posts == posts_calls)
        return;
    posts_calls = posts;
    for (InstalledCode *c = live; c; c = c->next)
        c->is_left = !is_of_version(c) && hooks.switch_entry(&c->task, NULL);
    for (const InstalledCode *c = live; c; c = c->next)
        if (is_of_version(c))
            (void)!hooks.switch_entry(&c->task, c->code); // false: as when it was published
    for (const InstalledCode *c = live; c; c = c->next)
        if (c->is_left && !hooks.has_code(&c->task))
            hooks.left_out(&c->task);
    if (thread_current())
        compiled_hook_others(posts);
}

// ---- retiring ----

static bool is_dead(const Method *m)
{
    return class_loader_data(m->cls)->dead;
}

// Of a record that is in no list.
static void add_retired(InstalledCode *c)
{
    atomic_fetch_add(&retired_bytes, c->code->blob->size);
    mutex_lock(&lock);
    c->is_retired = true;
    c->next = retired;
    retired = c;
    mutex_unlock(&lock);
}

UNUSED static bool is_entered(const InstalledCode *c)
{
    return atomic_load(&c->task.method->compiled_entry) == (const void *)c->code->blob->start;
}

// Likewise.
static void retire(InstalledCode *c, RetireReason why)
{
    const Method *m = c->task.method;
    if (!is_dead(m)) {
        if (is_of_version(c))
            (void)!hooks.switch_entry(&c->task,
                                      NULL); // false: a redefinition was there before
        VM_ASSERT(!is_entered(c));
    }
    c->id = atomic_load_explicit(&m->id, memory_order_acquire);
    hooks.retired(c, why);
    add_retired(c);
}

static bool scope_posts_breakpoint(const CompiledCode *code, uint32_t scope, uint32_t bci)
{
    for (uint32_t i = 0; i < code->site_count; i++) {
        uint32_t state = code->sites[i].state;
        const CodeState *s = state == CODE_NO_STATE ? NULL : &code->states[state];
        if (s && s->kind == CODE_PAST_BREAKPOINT && s->bci == bci && s->scope == scope)
            return true;
    }
    return false;
}

// Whether the code has nodes for a breakpoint in m wherever that is inlined: one that was cleared while the graph was built, and is set again,
// has them in some places alone. Of a method whose calls are left out there is no place.
static bool posts_breakpoint(const CompiledCode *code, const Method *m, uint32_t bci)
{
    bool any = false;
    for (uint32_t i = 0; i < code->scope_count; i++) {
        if (code->scopes[i].method != m)
            continue;
        if (!scope_posts_breakpoint(code, i, bci))
            return false;
        any = true;
    }
    return any;
}

// Whether it has them for all that are set in m.
static bool posts_breakpoints(const CompiledCode *code, const Method *m)
{
    const Insn *pc = NULL;
    while ((pc = breakpoint_from(m, pc)) != NULL)
        if (!posts_breakpoint(code, m, pc++->bci))
            return false;
    return true;
}

// The dependent's: it is registered with nothing any more. Of retired code it is for the frames that are still in it.
static bool invalidate(Dependent *d, AssumptionKind kind, const void *object)
{
    ASSERT_WORLD_STOPPED();
    InstalledCode *c = (InstalledCode *)(void *)d;
    if (kind == ASSUME_METHOD_BREAKPOINTS && posts_breakpoints(c->code, object))
        return true;
    compiled_hook_frames(c->code);
    if (c->is_retired)
        return false;
    mutex_lock(&lock);
    list_remove(c);
    mutex_unlock(&lock);
    retire(c, (RetireReason)kind);
    return false;
}

// Takes the record of the code, which nobody else finds from then on. NULL: it was retired.
static InstalledCode *take(const CompiledCode *code)
{
    mutex_lock(&lock);
    InstalledCode *c = live;
    while (c && c->code != code)
        c = c->next;
    if (c)
        list_remove(c);
    mutex_unlock(&lock);
    return c;
}

bool installed_retire(Thread *self, const CompiledCode *code)
{
    ASSERT_IN_VM(self);
    (void)self;
    InstalledCode *c = take(code);
    if (!c)
        return false;
    retire(c, RETIRED_DEOPTS); // it stays registered until it is unlinked
    return true;
}

// ---- freeing ----

void installed_discard(Thread *self, const CompiledCode *code)
{
    ASSERT_IN_VM(self);
    (void)self;
    InstalledCode *c = vm_calloc(1, sizeof *c);
    c->code = code;
    add_retired(c);
}

static void free_code(InstalledCode *c)
{
    VM_ASSERT(!c->dependent.first);
    for (uint32_t i = 0; i < c->code->cache_count; i++)
        interface_cache_free(c->code->caches[i]);
    compiled_free(c->code);
    vm_free(c);
}

static bool is_needed(InstalledCode *c)
{
    return c->code->is_run || !compiled_events_unload(c);
}

static void unlink_unneeded(void)
{
    for (InstalledCode **at = &retired, *c; (c = *at) != NULL;) {
        if (is_needed(c)) {
            at = &c->next;
            continue;
        }
        *at = c->next;
        atomic_fetch_sub(&retired_bytes, c->code->blob->size);
        dependent_remove(&c->dependent);
        code_unlink(c->code->blob);
        c->next = unlinked;
        unlinked = c;
    }
}

static void free_unlinked(void)
{
    if (!code_is_unread())
        return;
    for (InstalledCode **at = &unlinked, *c; (c = *at) != NULL;) {
        if (!atomic_load(&c->told)) {
            at = &c->next;
            continue;
        }
        *at = c->next;
        free_code(c);
    }
}

bool installed_needs_sweep(void)
{
    return atomic_load_explicit(&retired_bytes, memory_order_relaxed)
           > atomic_load_explicit(&sweep_from, memory_order_relaxed);
}

bool installed_may_free(void)
{
    return unlinked || atomic_load_explicit(&retired_bytes, memory_order_relaxed) > 0;
}

void installed_sweep(void)
{
    ASSERT_WORLD_STOPPED();
    if (retired) {
        for (const InstalledCode *c = retired; c; c = c->next)
            ((CompiledCode *)(uintptr_t)c->code)->is_run = false;
        compiled_find_run();
        unlink_unneeded();
    }
    free_unlinked();
    atomic_store(&sweep_from, atomic_load(&retired_bytes) + worth_a_sweep());
    if (hooks.swept)
        hooks.swept();
}

// ---- publishing ----

// All holds.
static void switch_on(Dependent *d)
{
    InstalledCode *c = (InstalledCode *)(void *)d;
    if (is_of_version(c) && !hooks.switch_entry(&c->task, c->code))
        c->code = NULL;
}

PublishResult installed_publish(Thread *self, const CompiledCode *code, const CompileTask *task,
                                const Assumptions *made_for)
{
    ASSERT_IN_VM(self);
    VM_ASSERT(code && made_for->len > 0 && made_for->at[0].kind == ASSUME_METHOD_BODY);
    InstalledCode *c = vm_calloc(1, sizeof *c);
    c->dependent.invalidate = invalidate;
    c->code = code;
    c->task = *task;
    if (!assume(self, &c->dependent, made_for->at, made_for->len, switch_on)) {
        vm_free(c);
        return PUBLISH_CHANGED;
    }
    if (!c->code) {
        dependent_remove(&c->dependent);
        vm_free(c);
        return PUBLISH_NO_ROOM;
    }
    mutex_lock(&lock);
    list_add(c);
    mutex_unlock(&lock);
    if (!is_of_version(c)) // the events of calls were switched while it was made
        hooks.left_out(task);
    compiled_events_loaded(self, code);
    return PUBLISHED;
}

void installed_each(Thread *self, void (*visit)(void *ctx, const InstalledCode *installed),
                    void *ctx)
{
    ASSERT_IN_VM(self);
    (void)self;
    mutex_lock(&lock);
    for (const InstalledCode *c = live; c; c = c->next)
        visit(ctx, c);
    mutex_unlock(&lock);
}
