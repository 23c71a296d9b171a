// SPDX-License-Identifier: Apache-2.0
// The functions of java.lang.Math that the VM computes itself, as their specification has them: special cases exact, other results
// within 1 ulp, semi-monotonic. Every engine calls these, so that a program sees the same result wherever it runs. Pure, no locks.
#ifndef BASE_JAVA_MATH_H
#define BASE_JAVA_MATH_H

double java_sin(double x);
double java_cos(double x);
double java_tan(double x);
double java_exp(double x);
double java_log(double x);
double java_log10(double x);
double java_pow(double x, double y);

#endif
