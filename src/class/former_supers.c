// SPDX-License-Identifier: Apache-2.0
// See former_supers.h.
#include "class/former_supers.h"

#include "class/vm_classes.h"

bool class_was_below(const Class *c, const Class *s)
{
    for (uint32_t i = 0; i < c->former_super_count; i++)
        if (c->former_supers[i] == s)
            return true;
    return false;
}

Class *class_next_with_places(const Class *at, const Class *c)
{
    ASSERT_WORLD_STOPPED();
    const Class *top = c->was_super ? CLS(Object) : c;
    Class *next = at ? class_next_below(at, top) : (Class *)(uintptr_t)top;
    while (next && !class_has_places_of(next, c))
        next = class_next_below(next, top);
    return next;
}
