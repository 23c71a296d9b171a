// SPDX-License-Identifier: Apache-2.0
// See java_math.h. These are the C library's functions where it keeps to the bounds: its double functions round a result that is
// off by some hundredths of an ulp. It does not for two: log10, and the trigonometric ones of arguments so large that it reduces them
// by a product that is cut too early (near a multiple of pi/2 its results are off by up to some thousand ulp). There, the functions
// of long double are rounded: they have 11 more bits and reduce every argument exactly.
#include "base/java_math.h"

#include <math.h>
#include <stdbool.h>

// Up to here the C library reduces by a subtraction, accurate near multiples of pi/2, too.
static const double subtracted_max = 1e8;

double java_sin(double x)
{
    return fabs(x) < subtracted_max ? sin(x) : (double)sinl(x);
}

double java_cos(double x)
{
    return fabs(x) < subtracted_max ? cos(x) : (double)cosl(x);
}

double java_tan(double x)
{
    return fabs(x) < subtracted_max ? tan(x) : (double)tanl(x);
}

double java_exp(double x)
{
    return exp(x);
}

double java_log(double x)
{
    return log(x);
}

double java_log10(double x)
{
    return (double)log10l(x);
}

double java_pow(double x, double y)
{
    bool undefined = isnan(y) || (fabs(x) == 1 && isinf(y)); // in Java; 1 in C
    return undefined ? (double)NAN : pow(x, y);
}
