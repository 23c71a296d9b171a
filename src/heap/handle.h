// SPDX-License-Identifier: Apache-2.0
// Handles: references that a collection sees and updates. A JNI reference is a handle.
//   local   a slot in the thread's handle stack, or a slot of a Java frame (arguments of natives); low bits
//           00
//   weak    a slot of the weak table, low bits 01 (may read as NULL after a collection)
//   global  a slot of the global table, low bits 10
// Rules: docs/GC.md.
#ifndef HEAP_HANDLE_H
#define HEAP_HANDLE_H

#include <jni.h>

#include "heap/no_gc.h"
#include "heap/object.h"

enum {
    HANDLE_LOCAL = 0,
    HANDLE_WEAK = 1,
    HANDLE_GLOBAL = 2,
    HANDLE_TAG = 3,
    HANDLE_CHUNK_SLOTS = 254
};

typedef struct HandleChunk {
    struct HandleChunk *prev, *next;
    Object *slots[HANDLE_CHUNK_SLOTS];
} HandleChunk;
typedef struct HandleStack { // part of every thread's Mutator
    HandleChunk *chunk;      // current
    Object **top, **end;     // free slots of the current chunk
} HandleStack;
typedef struct HandleMark { // a position to pop to
    HandleChunk *chunk;
    Object **top;
} HandleMark;

// The part of a thread that the heap knows; first member of Thread.
typedef struct Mutator {
    char *tlab_top, *tlab_end; // eden buffer; top == end when there is none, or a sample is due
    uint64_t
        allocated_bytes; // of retired buffers and shared allocations, see heap_thread_allocated
    char *tlab_start, *tlab_limit; // where the buffer really ends
    uint64_t sample_at;            // of allocated bytes: SAMPLED_ALLOC is posted then
    HandleStack handles;
} Mutator;
static inline Mutator *mutator_of(Thread *self)
{
    return (Mutator *)(void *)self;
}

static inline Object **handle_slot(jobject h)
{
    return (Object **)((uintptr_t)h & ~(uintptr_t)HANDLE_TAG);
}
// The object a handle stands for; NULL for NULL. NO_GC.
static inline Object *deref(jobject h)
{
    return h ? *handle_slot(h) : NULL;
}

// Whether h is NULL or leads to an object, or to none any more (a weak one). For assertions. NO_GC.
bool handle_is_valid(jobject h);
#define ASSERT_HANDLE(h)     VM_ASSERT(handle_is_valid(h))
// The handle of something: neither it nor the object may be NULL.
#define ASSERT_HANDLE_SET(h) VM_ASSERT((h) && object_is_valid(deref(h)))

void handle_stack_extend(HandleStack *stack); // when it is full
// A new local handle in the current frame; NULL for a NULL object. Never fails, never collects.
NO_GC static inline jobject handle_new(Thread *self, Object *o)
{
    HandleStack *s = &mutator_of(self)->handles;
    if (!o)
        return NULL;
    if (UNLIKELY(s->top == s->end))
        handle_stack_extend(s);
    *s->top = o;
    return (jobject)s->top++;
}
static inline HandleMark handle_mark(Thread *self)
{
    const HandleStack *s = &mutator_of(self)->handles;
    HandleMark mark = {s->chunk, s->top};
    __asm__(
        ""
        : "+r"(
            mark.top)); // a load of its own: one of both would wait for the store of the last handle's
    return mark;
}
void handle_stack_pop(HandleStack *stack, HandleMark mark);
static inline void handle_pop(Thread *self, HandleMark mark) // frees all handles made since
{
    HandleStack *s = &mutator_of(self)->handles;
#ifndef PELLUCID_DEBUG
    if (LIKELY(s->chunk == mark.chunk && s->top >= mark.top)) {
        s->top = mark.top;
        return;
    }
#endif
    handle_stack_pop(s, mark);
}
// Notes something of a layer above, at an address p that is a multiple of 4, as in use until the
// next pop. It lies on the stack as a slot that is no handle (bit 0 set, bit 1 the kind), which
// the collector passes over. Never fails, never collects.
typedef enum PinKind {
    PIN_SYMBOL = 1,
    PIN_VERSION = 3, // a ConstantPool
} PinKind;
void handle_pin(Thread *self, void *p, PinKind kind);
// JNI PushLocalFrame/PopLocalFrame keep marks of their own in the handle stack's owner.
// DeleteLocalRef: clears the slot (and gives the top one back)
void handle_delete(Thread *self, jobject local);
bool handle_is_local(Thread *self, jobject h); // a live slot of this thread's handle stack

typedef struct HandleScope {
    Thread *self;
    HandleMark mark;
} HandleScope;
static inline void handle_scope_end(HandleScope *s)
{
    handle_pop(s->self, s->mark);
}
// All handles made after this line in the enclosing block die at its end, on every way out.
#define HANDLE_SCOPE(thread)                   \
    __attribute__((cleanup(handle_scope_end))) \
    UNUSED HandleScope handle_scope_ = {thread, handle_mark(thread)}

// For functions that make temporaries and hand one handle to the caller: inside HANDLE_SCOPE,
// `SCOPE_RETURN(h);` closes the scope and returns a new handle of the same object in the outer one.
static inline jobject scope_return(HandleScope *scope, jobject h)
{
    Object *raw = deref(h);
    handle_pop(scope->self, scope->mark);
    h = handle_new(scope->self, raw);
    scope->mark = handle_mark(scope->self);
    return h;
}
#define SCOPE_RETURN(h) return scope_return(&handle_scope_, (h))

// Globals and weaks. Thread-safe, never collect. NULL for a NULL object.
jobject global_new(Object *o);
// On behalf of native code, by JNI NewGlobalRef and NewWeakGlobalRef: NULL too where there is no memory.
jobject global_new_jni(Object *o);
jobject weak_new_jni(Object *o);
void global_delete(jobject g);
jobject weak_new(Object *o);
void weak_delete(jobject w);
bool global_is_live(jobject g); // a slot in use of either table
// For the collector.
typedef void (*RefVisitor)(void *ctx, Object **slot);
void globals_visit(RefVisitor visit, void *ctx);
void globals_visit_jni(RefVisitor visit, void *ctx); // those of native code alone
void globals_visit_own(RefVisitor visit, void *ctx); // the others
void weaks_visit(void (*visit)(void *ctx, Object **slot), void *ctx);
void handle_stack_visit(HandleStack *stack, RefVisitor visit, void *ctx);
// Only those made after one mark and before another, of the same stack; from.chunk NULL: from
// the bottom.
void handle_stack_visit_between(HandleMark from, HandleMark to, RefVisitor visit, void *ctx);
// The slot of the first handle made after a mark of this stack, which may have been deleted since.
Object **handle_stack_first_after(const HandleStack *stack, HandleMark mark);
// Each address that was pinned as of a kind. World stopped.
void handle_stack_visit_pins(const HandleStack *stack, PinKind kind,
                             void (*visit)(void *pinned));
void handle_stack_init(HandleStack *stack);
void handle_stack_free(HandleStack *stack);

#endif
