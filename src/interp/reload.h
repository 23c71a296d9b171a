// SPDX-License-Identifier: Apache-2.0
// What interp_run does after a call that may have run Java code: frames that move (frame/move_stack.h) are elsewhere then.
// The macros are its own: they name its variables and labels. In a product build, which moves no frame, they do
// nothing; in others they also see that pc and sp were saved before the call.
#ifndef INTERP_RELOAD_H
#define INTERP_RELOAD_H

#include "frame/move_stack.h"
#include "interp/interp.h"

#ifdef PELLUCID_DEBUG
// What goes on to throw_pending or frame_exit needs it not.
#    define RELOAD()                                                                       \
        do {                                                                               \
            RELOAD_FRAME();                                                                \
            VM_ASSERT(move_stack_is_on() || (locals == frame->locals && sp == frame->sp)); \
            locals = frame->locals;                                                        \
            sp = frame->sp;                                                                \
        } while (0)
#    define RELOAD_FRAME()                                         \
        do {                                                       \
            VM_ASSERT(move_stack_is_on() || frame == self->frame); \
            frame = self->frame;                                   \
        } while (0)
// Before a call: sp is behind the arguments.
#    define MOVE_STACK()                  \
        do {                              \
            if (move_stack_is_on()) {     \
                frame->sp = sp;           \
                move_stack_at_call(self); \
                RELOAD();                 \
            }                             \
        } while (0)
#else
#    define RELOAD()       ((void)0)
#    define RELOAD_FRAME() ((void)0)
#    define MOVE_STACK()   ((void)0)
#endif
// Goes on after a call that failed, with the exception pending, unless `ok`.
#define CONTINUE_IF(ok)         \
    do {                        \
        if (UNLIKELY(!(ok)))    \
            goto throw_pending; \
        RELOAD();               \
    } while (0)

#endif
