// SPDX-License-Identifier: Apache-2.0
// What gcc calls before volatile accesses in the tsan build (--param=tsan-distinguish-volatile=1). Those are the accesses to
// objects that Java code may let race (object.h), so they are not looked at. A reference is read to be followed: what was
// written before its release store is there then, as hardware keeps the order of dependent reads.
#include "base/common.h"

#ifdef __SANITIZE_THREAD__

#    define NOT_LOOKED_AT(access)               \
        void __tsan_volatile_##access(void *p); \
        void __tsan_volatile_##access(void *p)  \
        {                                       \
            (void)p;                            \
        }
NOT_LOOKED_AT(read1)
NOT_LOOKED_AT(read2)
NOT_LOOKED_AT(read8)
NOT_LOOKED_AT(write1)
NOT_LOOKED_AT(write2)
NOT_LOOKED_AT(write4)
NOT_LOOKED_AT(write8)

void __tsan_acquire(void *p);
void __tsan_volatile_read4(void *p);
void __tsan_volatile_read4(void *p)
{
    __tsan_acquire(p);
}

#endif
