// SPDX-License-Identifier: Apache-2.0
// Offsets for foreign_call_x86_64.S: in a ForeignCall, and of UpcallSlot.upcall.
#ifndef PLATFORM_FOREIGN_CALL_X86_64_H
#define PLATFORM_FOREIGN_CALL_X86_64_H

#define CALL_VECTORS        64
#define CALL_RESULTS        192
#define CALL_VECTOR_RESULTS 208
#define CALL_STACK          240
#define CALL_STACK_SIZE     248
#define CALL_TARGET         256
#define CALL_SIZE           272
#define SLOT_UPCALL         8

#endif
