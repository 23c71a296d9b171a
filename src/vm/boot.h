// SPDX-License-Identifier: Apache-2.0
// Bringing up Java inside a VM whose C parts are ready.
#ifndef VM_BOOT_H
#define VM_BOOT_H

#include "class/loader.h"

// Java-level initialisation: first classes, main thread, initPhase1 to 3. False with the
// exception pending.
NODISCARD MAY_GC bool boot_java(Thread *self);

#endif
