// SPDX-License-Identifier: Apache-2.0
// src/frame over frames made by hand: walking, identity, values; frames that move, which
// cursors and whoever kept a pointer notice.
#include <stdlib.h>

#include "death.h"
#include "frame/frame_roots.h"
#include "frame/move_stack.h"

enum { LOCALS = 2, OPERANDS = 3 };

static Thread *self;
static const Insn code[4] = {{.bci = 0}, {.bci = 3}, {.bci = 5}, {.bci = 6}};

static FrameMap all_numbers(const Frame *f)
{
    static const uint8_t kinds[LOCALS + OPERANDS] = {SLOT_NUMBER, SLOT_NUMBER, SLOT_NUMBER,
                                                     SLOT_NUMBER, SLOT_REF};
    (void)f;
    return (FrameMap){kinds, LOCALS, OPERANDS};
}

static void visit_second(Frame *f, void (*visit)(void *ctx, Object **slot, uint32_t index),
                         void *ctx)
{
    visit(ctx, &f->locals[1].ref, 1);
}

static Method *method(int n) // never looked into here
{
    return (Method *)(uintptr_t)(0x1000 + 16 * n);
}

// A frame with two locals and three operands, all with a value of their own.
static Frame *push(Method *m, uint32_t flags)
{
    Frame *prev = self->frame;
    Slot *at = prev ? prev->sp : self->stack_base;
    bool boundary = flags & FRAME_ENTRY;
    Frame *f = (Frame *)(void *)(boundary ? at : at + LOCALS);
    *f = (Frame){.prev = prev, .method = m, .flags = flags, .sp = frame_operands(f)};
    if (!boundary) {
        f->id = self->last_frame_id += FRAME_ID_STEP;
        f->locals = at;
        for (int i = 0; i < LOCALS; i++)
            f->locals[i].l = (int64_t)f->id + i;
    }
    if (!(flags & (FRAME_ENTRY | FRAME_NATIVE))) {
        f->pc = &code[1];
        for (int i = 0; i < OPERANDS; i++)
            (f->sp++)->l = (int64_t)f->id + LOCALS + i;
    }
    self->frame = f;
    return f;
}

// From C: Java, Java, a native method, and Java that it called.
static void start(void)
{
    static const FrameMaps maps = {.map_of = all_numbers, .visit_arguments = visit_second};
    static const void *const handlers[1];
    if (!self) {
        HeapOptions o = {.initial = 8 << 20, .max = 32 << 20, .young = 1 << 20};
        char error[200];
        VM_CHECK(setenv("PELLUCID_MOVE_STACK", "2", 1) == 0);
        move_stack_init();
        VM_CHECK(heap_init(&o, error, sizeof error)
                 && class_space_init(1 << 30, PLACEMENT_LOW));
        threads_init(64 * 1024);
        thread_set_dispatch(handlers, handlers, handlers);
        frame_set_maps(&maps);
        self = thread_attach_current(0);
    }
    self->frame = NULL;
    push(NULL, FRAME_ENTRY);
    push(method(1), 0);
    push(method(2), 0);
    push(method(3), FRAME_NATIVE);
    push(NULL, FRAME_ENTRY);
    push(method(4), 0);
}

// All that a cursor tells is as start() made it.
static void expect_frames(void)
{
    int n = 4;
    FRAMES_EACH(f, self)
    {
        EXPECT(f.method == method(n));
        EXPECT_INT(4 - n, f.depth);
        EXPECT_INT(n == 3 ? -1 : 3, f.bci);
        EXPECT_INT(n == 3 ? KIND_NATIVE : KIND_INTERPRETED, f.kind);
        EXPECT_INT(LOCALS, cursor_local_count(&f));
        EXPECT_INT(n == 3 ? 0 : OPERANDS, cursor_operand_count(&f));
        for (uint32_t i = 0; i < (n == 3 ? LOCALS : LOCALS + OPERANDS); i++)
            EXPECT_INT((int64_t)cursor_id(&f) + i, cursor_value(&f, i).l);
        n--;
    }
    EXPECT_INT(0, n);
    EXPECT_INT(4, frames_count(self, 100));
    EXPECT_INT(3, frames_count(self, 3));
}

TEST(a_cursor_tells_frames)
{
    start();
    expect_frames();
    FrameCursor f;
    EXPECT(cursor_at(&f, self, 2) && f.method == method(2));
    EXPECT(!cursor_is_current(&f) && cursor_first(&f, self) && cursor_is_current(&f));
    EXPECT(!cursor_at(&f, self, 4));
    push(NULL, FRAME_ENTRY); // C called from the youngest method
    EXPECT(cursor_first(&f, self) && f.method == method(4) && !cursor_is_current(&f));
    self->frame = NULL;
    EXPECT(!cursor_first(&f, self) && !f.method);
}

TEST(an_id_is_of_one_frame)
{
    start();
    FrameCursor f, again;
    EXPECT(cursor_at(&f, self, 1));
    FrameId native = cursor_id(&f);
    EXPECT(cursor_find(&again, self, native) && again.method == method(3) && again.depth == 1);
    EXPECT(!cursor_find(&again, self, native + 1) && !cursor_find(&again, self, 0));
    FrameId youngest = self->frame->id;
    self->frame = self->frame->prev;
    push(method(5), 0); // at the same place
    EXPECT(!cursor_find(&again, self, youngest));
}

TEST(values_are_written)
{
    start();
    FrameCursor f;
    EXPECT(cursor_at(&f, self, 3));
    cursor_set_value(&f, 1, (Slot){.l = 77});
    cursor_set_value(&f, LOCALS, (Slot){.l = 78});
    EXPECT_INT(77, cursor_value(&f, 1).l);
    EXPECT_INT(78, cursor_value(&f, LOCALS).l);
    EXPECT_INT((int64_t)cursor_id(&f), cursor_value(&f, 0).l);
}

static bool is_native(const FrameCursor *f)
{
    return f->kind == KIND_NATIVE;
}

static void note_method(void *ctx, const FrameCursor *f)
{
    Method ***next = ctx;
    *(*next)++ = f->method;
}

TEST(a_trace_skips_and_ends)
{
    start();
    Method *seen[4] = {NULL}, **next = seen;
    FrameCursor f = cursor_youngest(self);
    EXPECT_INT(2, frames_trace(&f, 2, is_native, note_method, &next));
    EXPECT(seen[0] == method(4) && seen[1] == method(2));
    EXPECT(f.method == method(1));
    EXPECT_INT(1, frames_trace(&f, 9, NULL, note_method, &next));
    EXPECT(seen[2] == method(1) && !f.method);
}

static void note_root(void *ctx, Object **slot, const FrameRoot *root)
{
    char **at = ctx;
    *at += sprintf(*at, "%d:%d:%d ", root->depth, root->kind, root->index);
    (void)slot;
}

TEST(roots_are_told_with_their_place)
{
    start();
    char text[200], *end = text;
    frames_visit_roots(self, note_root, &end);
    EXPECT_STR("-1:4:0 0:1:4 1:2:1 2:1:4 3:1:4 ", text);
}

#ifdef PELLUCID_DEBUG
// The youngest frame is a boundary: a call from C.
static void call_from_c(void)
{
    push(NULL, FRAME_ENTRY);
    move_stack_at_call(self);
    self->frame = self->frame->prev;
    move_stack_follow(self);
}

TEST(frames_move_at_a_call)
{
    start();
    const Frame *young = self->frame, *native = young->prev->prev, *old = native->prev;
    Slot *kept = young->locals;
    uint64_t was = kept->raw;
    uint32_t epoch = self->stack_epoch;
    for (int round = 1; round <= 300; round++) { // some of them move all frames
        call_from_c();
        EXPECT_INT(epoch + (uint32_t)round, self->stack_epoch);
        expect_frames();
    }
    call_from_c();
    EXPECT(self->frame != young && self->frame->prev->prev == native && native->prev != old);
    EXPECT(kept->raw != was && kept->raw == 0xABABABABABABABAB);
    EXPECT((Slot *)(void *)self->frame > self->stack_base && self->frame->sp < self->stack_end);
    EXPECT(thread_stack_has(self, native) && thread_stack_has(self, self->frame));
}

TEST(frames_move_at_each_second_call_of_java)
{
    start();
    uint32_t epoch = self->stack_epoch;
    for (int i = 0; i < 10; i++)
        move_stack_at_call(self);
    EXPECT_INT(epoch + 5, self->stack_epoch);
    expect_frames();
}

TEST(a_cursor_is_renewed)
{
    start();
    FrameCursor f;
    EXPECT(cursor_at(&f, self, 2));
    FrameId id = cursor_id(&f);
    call_from_c();
    cursor_renew(&f, id);
    EXPECT(f.method == method(2) && f.depth == 2 && cursor_id(&f) == id);
    EXPECT_INT((int64_t)id + 1, cursor_value(&f, 1).l);
    EXPECT(cursor_older(&f) && f.method == method(1) && !cursor_older(&f));
}

static void use_stale_cursor(void)
{
    FrameCursor f = cursor_youngest(self);
    call_from_c();
    cursor_value(&f, 0);
}

TEST(a_stale_cursor_is_noticed)
{
    start();
    EXPECT_CHECKED(use_stale_cursor, "stack_epoch");
}

// Who keeps a Frame over a call finds poison: a pointer that leads nowhere.
static void use_stale_frame(void)
{
    const Frame *f = self->frame;
    call_from_c();
    _exit((uintptr_t)f->method == 0xABABABABABABABAB && frame_operands(self->frame) != f->sp
              ? 0
              : 1);
}

TEST(a_stale_frame_is_poisoned)
{
    start();
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        use_stale_frame();
    waitpid(child, &status, 0);
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
#endif
