// SPDX-License-Identifier: Apache-2.0
// Bootstrap methods (JVMS 5.4.3.6): what call sites and dynamic constants share.
#ifndef LINK_CALL_SITE_H
#define LINK_CALL_SITE_H

#include "link/resolve.h"

typedef struct BootstrapCall { // local handles
    jobject method, name, type;
    jobject args; // NULL: none; a bare object: one that is no array; else Object[]
} BootstrapCall;
// For a DYNAMIC or INVOKE_DYNAMIC entry. False with the exception pending. MAY_GC, runs Java.
NODISCARD MAY_GC bool bootstrap_call_prepare(Thread *self, ConstantPool *pool, uint16_t index,
                                             BootstrapCall *out);
// A pending exception that is no Error becomes a BootstrapMethodError.
MAY_GC void bootstrap_wrap_failure(Thread *self);

#endif
