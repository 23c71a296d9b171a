// SPDX-License-Identifier: Apache-2.0
// Local handle stacks, and the tables of global and weak references.
//
// A local stack is a list of chunks; every chunk before the current one is full (deleted
// handles read NULL, pins have bit 0 set). One chunk after the current is kept for reuse. A table is a set of
// page-sized, page-aligned blocks, never freed. A slot in use holds an object (a weak one may
// hold NULL); a free one holds NULL, so that a reference that was deleted reads as one of NULL.
// Guarded by ref_lock (RANK_GLOBAL_REFS).
#include "heap/handle.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "heap/heap_internal.h"

#ifdef PELLUCID_DEBUG
__thread const char *no_gc_scope;
#endif

bool handle_is_valid(jobject h)
{
    if (((uintptr_t)h & HANDLE_TAG) == HANDLE_TAG
        || (uintptr_t)handle_slot(h) % sizeof(Object *))
        return false;
    const Object *o = deref(h);
    return !o || object_is_valid(o);
}

// ---- local handles ----

static HandleChunk *chunk_new(HandleChunk *prev)
{
    HandleChunk *c = vm_malloc(sizeof *c);
    c->prev = prev;
    c->next = NULL;
    return c;
}

static void stack_enter_chunk(HandleStack *s, HandleChunk *c)
{
    s->chunk = c;
    s->top = c->slots;
    s->end = c->slots + HANDLE_CHUNK_SLOTS;
}

void handle_stack_init(HandleStack *stack)
{
    stack_enter_chunk(stack, chunk_new(NULL));
}

static void chunks_free_from(HandleChunk *c)
{
    while (c) {
        HandleChunk *next = c->next;
        vm_free(c);
        c = next;
    }
}

void handle_stack_free(HandleStack *stack)
{
    HandleChunk *c = stack->chunk;
    while (c && c->prev)
        c = c->prev;
    chunks_free_from(c);
    *stack = (HandleStack){0};
}

void handle_stack_extend(HandleStack *s)
{
    if (!s->chunk->next)
        s->chunk->next = chunk_new(s->chunk);
    stack_enter_chunk(s, s->chunk->next);
}

static bool is_pin(const Object *slot)
{
    return ((uintptr_t)slot & 1) != 0;
}

void handle_pin(Thread *self, void *p, PinKind kind)
{
    (void)handle_new(self, (Object *)((uintptr_t)p | kind));
}

#ifdef PELLUCID_DEBUG
// What is left in the chunks when a stack is popped is poisoned: a handle that outlives its
// scope crashes its first user.
static void stack_poison(const HandleStack *s, HandleMark mark)
{
    Object **from = mark.top,
           **end = s->chunk == mark.chunk ? s->top : mark.chunk->slots + HANDLE_CHUNK_SLOTS;
    if (from < end)
        memset(from, 0xAB, (size_t)((char *)end - (char *)from));
    if (s->chunk != mark.chunk && mark.chunk->next)
        memset(mark.chunk->next->slots, 0xAB, sizeof mark.chunk->next->slots);
}
#endif

void handle_stack_pop(HandleStack *s, HandleMark mark)
{
#ifdef PELLUCID_DEBUG
    stack_poison(s, mark);
#endif
    // A handle older than the mark may have been deleted at the top since: what used its slot
    // afterwards is over.
    for (Object **slot = s->top; UNLIKELY(slot < mark.top) && s->chunk == mark.chunk; slot++)
        *slot = NULL;
    if (UNLIKELY(s->chunk != mark.chunk)) {
        s->chunk = mark.chunk;
        s->end = mark.chunk->slots + HANDLE_CHUNK_SLOTS;
        if (s->chunk->next) {
            chunks_free_from(s->chunk->next->next);
            s->chunk->next->next = NULL;
        }
    }
    s->top = mark.top;
}

void handle_delete(Thread *self, jobject local)
{
    HandleStack *s = &mutator_of(self)->handles;
    if (!local)
        return;
    Object **slot = handle_slot(local);
    *slot = NULL;
    if (slot + 1 == s->top && slot >= s->chunk->slots)
        s->top = slot;
}

bool handle_is_local(Thread *self, jobject h)
{
    HandleStack *s = &mutator_of(self)->handles;
    if (!h || ((uintptr_t)h & 7) != HANDLE_LOCAL)
        return false;
    Object **slot = handle_slot(h), **end = s->top;
    for (HandleChunk *c = s->chunk; c; c = c->prev) {
        if (slot >= c->slots && slot < end)
            return *slot != NULL && !is_pin(*slot);
        if (c->prev)
            end = c->prev->slots + HANDLE_CHUNK_SLOTS;
    }
    return false;
}

void handle_stack_visit_between(HandleMark from, HandleMark to, RefVisitor visit, void *ctx)
{
    Object **end = to.top;
    for (HandleChunk *c = to.chunk; c; c = c->prev) {
        for (Object **slot = c == from.chunk ? from.top : c->slots; slot < end; slot++) {
            if (*slot && !is_pin(*slot))
                visit(ctx, slot);
        }
        if (c == from.chunk)
            return;
        if (c->prev)
            end = c->prev->slots + HANDLE_CHUNK_SLOTS;
    }
}

Object **handle_stack_first_after(const HandleStack *stack, HandleMark mark)
{
    if (mark.chunk && mark.top < mark.chunk->slots + HANDLE_CHUNK_SLOTS)
        return mark.top;
    HandleChunk *c = stack->chunk;
    while (c->prev && c->prev != mark.chunk)
        c = c->prev;
    return c->slots;
}

void handle_stack_visit(HandleStack *stack, RefVisitor visit, void *ctx)
{
    handle_stack_visit_between((HandleMark){0}, (HandleMark){stack->chunk, stack->top}, visit,
                               ctx);
}

void handle_stack_visit_pins(const HandleStack *stack, PinKind kind,
                             void (*visit)(void *pinned))
{
    Object *const *end = stack->top;
    for (const HandleChunk *c = stack->chunk; c; c = c->prev) {
        for (Object *const *slot = c->slots; slot < end; slot++)
            if (((uintptr_t)*slot & 3) == kind)
                visit((void *)((uintptr_t)*slot & ~(uintptr_t)3));
        if (c->prev)
            end = c->prev->slots + HANDLE_CHUNK_SLOTS;
    }
}

// ---- globals and weaks ----

enum { REF_BLOCK_BYTES = 4096, REF_BLOCK_SLOTS = 406, SLOT_IN_USE = 0xffff, NO_SLOT = 0xfffe };
typedef struct RefBlock {
    struct RefBlock *next, *next_free; // of the table's; of those with a free slot
    struct RefTable *table;
    uint16_t free;                   // the first free slot, or NO_SLOT
    uint16_t links[REF_BLOCK_SLOTS]; // of a free slot the next one or NO_SLOT; else SLOT_IN_USE
    Object *slots[REF_BLOCK_SLOTS];
} RefBlock;
_Static_assert(sizeof(RefBlock) <= REF_BLOCK_BYTES, "a block of references is a page");
typedef struct RefTable {
    RefBlock *blocks, *free;
    int tag;
} RefTable;

static Mutex ref_lock = MUTEX_INIT(RANK_GLOBAL_REFS);
static RefTable globals = {.tag = HANDLE_GLOBAL};
static RefTable jni_globals = {.tag = HANDLE_GLOBAL};
static RefTable weaks = {.tag = HANDLE_WEAK};
static PtrMap ref_blocks; // address of a block -> its table

static RefBlock *block_of(Object **slot)
{
    return (RefBlock *)((uintptr_t)slot & ~(uintptr_t)(REF_BLOCK_BYTES - 1));
}

// False: no memory.
static bool table_add_block(RefTable *t)
{
    RefBlock *b = aligned_alloc(REF_BLOCK_BYTES, REF_BLOCK_BYTES);
    if (!b)
        return false;
    b->table = t;
    b->next = t->blocks;
    t->blocks = b;
    for (unsigned i = 0; i < REF_BLOCK_SLOTS; i++) {
        b->slots[i] = NULL;
        b->links[i] = (uint16_t)(i + 1 < REF_BLOCK_SLOTS ? i + 1 : NO_SLOT);
    }
    b->free = 0;
    b->next_free = t->free;
    t->free = b;
    ptrmap_put(&ref_blocks, (uintptr_t)b, t);
    return true;
}

// ref_lock held, and the table has a free slot.
static Object **table_take_slot(RefTable *t)
{
    RefBlock *b = t->free;
    unsigned i = b->free;
    VM_ASSERT(i < REF_BLOCK_SLOTS && b->links[i] != SLOT_IN_USE && !b->slots[i]);
    b->free = b->links[i];
    b->links[i] = SLOT_IN_USE;
    if (b->free == NO_SLOT)
        t->free = b->next_free;
    return &b->slots[i];
}

// NULL: of NULL, or no memory.
static jobject table_try_new(RefTable *t, Object *o)
{
    if (!o)
        return NULL;
    mutex_lock(&ref_lock);
    if (!t->free && !table_add_block(t)) {
        mutex_unlock(&ref_lock);
        return NULL;
    }
    Object **slot = table_take_slot(t);
    *slot = o;
    mutex_unlock(&ref_lock);
    return (jobject)((uintptr_t)slot | (uintptr_t)t->tag);
}

static jobject table_new(RefTable *t, Object *o)
{
    jobject made = table_try_new(t, o);
    if (o && !made)
        vm_exhausted("out of native memory for references");
    return made;
}

// ref_lock held: the table in which the handle is a slot in use; NULL: none.
static RefTable *table_of(jobject h)
{
    uintptr_t tag = (uintptr_t)h & 7;
    if (tag != HANDLE_GLOBAL && tag != HANDLE_WEAK)
        return NULL;
    Object **slot = handle_slot(h);
    RefBlock *b = block_of(slot);
    RefTable *t = ptrmap_get(&ref_blocks, (uintptr_t)b);
    if (!t || (uintptr_t)t->tag != tag || slot < b->slots || slot >= b->slots + REF_BLOCK_SLOTS)
        return NULL;
    return b->links[slot - b->slots] == SLOT_IN_USE ? t : NULL;
}

// ref_lock held.
static void table_free_slot(RefTable *t, Object **slot)
{
    RefBlock *b = block_of(slot);
    ptrdiff_t i = slot - b->slots;
    VM_ASSERT(b->table == t && b->links[i] == SLOT_IN_USE);
    *slot = NULL;
    if (b->free == NO_SLOT) {
        b->next_free = t->free;
        t->free = b;
    }
    b->links[i] = b->free;
    b->free = (uint16_t)i;
}

// Unknown and already deleted handles are left alone.
static void table_delete(int tag, jobject h)
{
    if (!h)
        return;
    mutex_lock(&ref_lock);
    RefTable *t = table_of(h);
    if (t && t->tag == tag) {
        table_free_slot(t, handle_slot(h));
    }
    mutex_unlock(&ref_lock);
}

static void table_visit(RefTable *t, RefVisitor visit, void *ctx)
{
    mutex_lock(&ref_lock);
    for (RefBlock *b = t->blocks; b; b = b->next) {
        for (int i = 0; i < REF_BLOCK_SLOTS; i++) {
            if (b->slots[i])
                visit(ctx, &b->slots[i]);
        }
    }
    mutex_unlock(&ref_lock);
}

jobject global_new(Object *o)
{
    return table_new(&globals, o);
}

jobject global_new_jni(Object *o)
{
    return table_try_new(&jni_globals, o);
}

void global_delete(jobject g)
{
    table_delete(HANDLE_GLOBAL, g);
}

jobject weak_new(Object *o)
{
    return table_new(&weaks, o);
}

jobject weak_new_jni(Object *o)
{
    return table_try_new(&weaks, o);
}

void weak_delete(jobject w)
{
    table_delete(HANDLE_WEAK, w);
}

bool global_is_live(jobject g)
{
    mutex_lock(&ref_lock);
    bool live = table_of(g) != NULL;
    mutex_unlock(&ref_lock);
    return live;
}

void globals_visit(RefVisitor visit, void *ctx)
{
    table_visit(&globals, visit, ctx);
    table_visit(&jni_globals, visit, ctx);
}

void globals_visit_own(RefVisitor visit, void *ctx)
{
    table_visit(&globals, visit, ctx);
}

void globals_visit_jni(RefVisitor visit, void *ctx)
{
    table_visit(&jni_globals, visit, ctx);
}

void weaks_visit(void (*visit)(void *ctx, Object **slot), void *ctx)
{
    table_visit(&weaks, visit, ctx);
}
