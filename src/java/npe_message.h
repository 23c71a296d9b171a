// SPDX-License-Identifier: Apache-2.0
// Helpful texts of NullPointerException.
#ifndef JAVA_NPE_MESSAGE_H
#define JAVA_NPE_MESSAGE_H

#include "class/class.h"

// JEP 358 text of what the instruction there found to be null, vm_malloc'ed; NULL: nothing to say. NO_GC.
char *npe_message(Method *m, int32_t bci);

#endif
