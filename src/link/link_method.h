// SPDX-License-Identifier: Apache-2.0
// Errors of calls that find no code.
#ifndef LINK_LINK_METHOD_H
#define LINK_LINK_METHOD_H

#include "class/class.h"

// A call of a deleted method, or of one that the VM made to throw.
COLD MAY_GC void throw_for_method(Thread *self, const Method *m);
// `selected` is what the call found instead of code, NULL: nothing. by_class: not through the interface that declares
// `resolved`.
COLD MAY_GC void throw_abstract_method(Thread *self, Class *receiver, const Method *resolved,
                                       const Method *selected, bool by_class);
// IncompatibleClassChangeError of invokeinterface.
COLD MAY_GC void throw_not_implementing(Thread *self, Class *receiver, Class *iface);

#endif
