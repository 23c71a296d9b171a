// SPDX-License-Identifier: Apache-2.0
// Java arithmetic (JVMS 6.5) where C's is undefined or different, and how values are put into slots. Pure.
#ifndef INTERP_ARITH_H
#define INTERP_ARITH_H

#include <math.h>

#include "base/common.h"
#include "frame/frame.h"

// ---- values into slots ----
// A slot is moved as a whole. A processor passes what was just stored on to a load only when that
// store wrote all the bytes: so an int or float is written with zeros above it.
static inline Slot slot_of_i(int32_t v)
{
    return (Slot){.raw = (uint32_t)v};
}
static inline Slot slot_of_l(int64_t v)
{
    return (Slot){.l = v};
}
static inline Slot slot_of_d(double v)
{
    return (Slot){.d = v};
}
static inline Slot slot_of_ref(Object *v)
{
    return (Slot){.ref = v};
}
static inline void slot_set_i(Slot *s, int32_t v)
{
    s->raw = (uint32_t)v;
}
static inline void slot_set_f(Slot *s, float v)
{
    slot_set_i(s, ((Slot){.f = v}).i);
}

// ---- arithmetic ----
static inline int32_t java_idiv(int32_t a, int32_t b) // b != 0
{
    return b == -1 ? (int32_t)(0u - (uint32_t)a) : a / b;
}
static inline int32_t java_irem(int32_t a, int32_t b)
{
    return b == -1 ? 0 : a % b;
}
static inline int64_t java_ldiv(int64_t a, int64_t b)
{
    return b == -1 ? (int64_t)(0ull - (uint64_t)a) : a / b;
}
static inline int64_t java_lrem(int64_t a, int64_t b)
{
    return b == -1 ? 0 : a % b;
}
// Float to integer conversions saturate; NaN is 0.
static inline int32_t java_d2i(double d)
{
    if (d != d)
        return 0;
    return d >= 2147483648.0 ? INT32_MAX : d <= -2147483649.0 ? INT32_MIN : (int32_t)d;
}
static inline int64_t java_d2l(double d)
{
    if (d != d)
        return 0;
    return d >= 9223372036854775808.0   ? INT64_MAX
           : d < -9223372036854775808.0 ? INT64_MIN
                                        : (int64_t)d;
}
static inline int32_t java_lcmp(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}
// fcmpl, dcmpl give -1 and fcmpg, dcmpg 1 for NaN.
static inline int32_t java_dcmp(double a, double b, int32_t nan)
{
    return a > b ? 1 : a == b ? 0 : a < b ? -1 : nan;
}

#endif
