// SPDX-License-Identifier: Apache-2.0
// Texts of IllegalAccessErrors. vm_malloc'ed. NO_GC.
#ifndef LINK_ACCESS_H
#define LINK_ACCESS_H

#include "class/loader.h"

// `result` is what access_check_class said.
char *access_message_class(const Class *from, const Class *to, AccessResult result);
// `what` is "method" or "field", `text` the member as shown ("'void B.m()'", "B.f"); owner
// declares it.
char *access_message_member(const Class *from, const Class *owner, uint16_t access,
                            const char *what, const char *text);
// Runs the check and throws IllegalAccessError. `to` may be an array.
NODISCARD MAY_GC bool access_require_class(Thread *self, Class *from, Class *to);

#endif
