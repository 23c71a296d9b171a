// SPDX-License-Identifier: Apache-2.0
// Frames that go on in another activation of the loop, as those of compiled code that are deoptimized do. In
// every build but release, when the environment has PELLUCID_RESUME=n: where interp_run could be asked to resume a frame it
// gives its C frame up and is called again by interp_resume, each time after it has passed n such places of that
// kind. With PELLUCID_RESUME=n:m the process ends by an error when it has not done so m times, or not in each of the
// ways of ResumeKind but RESUME_PAST_ACCESS.
//
// The macros are interp_run's own: they name its variables. In a product build they do nothing.
#ifndef INTERP_RESUME_OFTEN_H
#define INTERP_RESUME_OFTEN_H

#include "interp/interp.h"

#ifdef PELLUCID_DEBUG
// Reads the setting. Before the first call.
void resume_often_init(void);
extern bool resume_often_on;
// Whether frame f is to go on in another activation, as `kind` says. NO_GC.
COLD bool resume_often_is_due(const Frame *f, ResumeKind kind);
// Whether an instruction with this op reports an access to a watched field. NO_GC.
COLD bool resume_often_is_watched(uint16_t op);
// The frame's pc and sp are saved.
#    define GIVE_UP_AS(as, ...)                                                  \
        do {                                                                     \
            if (UNLIKELY(resume_often_on) && resume_often_is_due(frame, (as))) { \
                *how = (Resume){.kind = (as), ##__VA_ARGS__};                    \
                return true;                                                     \
            }                                                                    \
        } while (0)
#    define GIVE_UP(as)        GIVE_UP_AS((as))
#    define GIVE_UP_RESULT(as) GIVE_UP_AS((as), .result_words = result_words, .result = result)
#    define GIVE_UP_RETURN()                \
        do {                                \
            if (resume_often_on)            \
                SAVE();                     \
            GIVE_UP_RESULT(RESUME_LEAVING); \
        } while (0)
// Past the instruction's breakpoint; the access to a watched field was reported, too, or is still to come.
#    define GIVE_UP_PAST(access_reported)                              \
        do {                                                           \
            if (!(access_reported))                                    \
                GIVE_UP(RESUME_PAST_BREAKPOINT);                       \
            else if (resume_often_is_watched(breakpoint_original(pc))) \
                GIVE_UP(RESUME_PAST_ACCESS);                           \
        } while (0)
#else
static inline void resume_often_init(void) {}
#    define GIVE_UP(as)                   ((void)0)
#    define GIVE_UP_RESULT(as)            ((void)0)
#    define GIVE_UP_RETURN()              ((void)0)
#    define GIVE_UP_PAST(access_reported) ((void)0)
#endif

#endif
