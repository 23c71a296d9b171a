// SPDX-License-Identifier: Apache-2.0
// What threads keep alive: pending exceptions, the objects whose monitors frames have entered, the slots of
// frames (which only the engine can distinguish, by its hook), and monitors that are held or
// waited for. Handles are the heap's own matter.
#include "thread/thread_internal.h"

static void visit_thread(Thread *t, RefVisitor visit, void *ctx)
{
    if (t->exception)
        visit(ctx, &t->exception);
    for (Object **at = t->held.base; at < t->held.top; at++)
        if (!held_is_unmade(*at))
            visit(ctx, at);
    if (thread_hooks.visit_frames)
        thread_hooks.visit_frames(t, visit, ctx);
}

void threads_visit_classes(void (*reach)(Layout *l))
{
    THREAD_EACH(t)
    if (thread_hooks.visit_classes)
        thread_hooks.visit_classes(t, reach);
}

void threads_visit_roots(RefVisitor visit, void *ctx)
{
    NO_GC_SCOPE();
    ASSERT_WORLD_STOPPED();
    THREAD_EACH(t)
    visit_thread(t, visit, ctx);
    monitors_visit_roots(visit, ctx);
}
