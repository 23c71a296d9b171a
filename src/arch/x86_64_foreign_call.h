// SPDX-License-Identifier: Apache-2.0
// Offsets for x86_64_foreign_call.S: in a ForeignCall, and of UpcallSlot.upcall.
#ifndef ARCH_X86_64_FOREIGN_CALL_H
#define ARCH_X86_64_FOREIGN_CALL_H

#define CALL_VECTORS        64
#define CALL_RESULTS        192
#define CALL_VECTOR_RESULTS 208
#define CALL_STACK          240
#define CALL_STACK_SIZE     248
#define CALL_TARGET         256
#define CALL_SIZE           272
#define SLOT_UPCALL         8

#endif
