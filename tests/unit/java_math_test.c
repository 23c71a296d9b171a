// SPDX-License-Identifier: Apache-2.0
// The functions of java.lang.Math that the VM computes (src/base/java_math.c), against the C library's of more bits: within 1 ulp over
// random and hard arguments, semi-monotonic where the results change. Some thousand arguments each; `java_math_test -- 10000000` takes
// so many.
#define _GNU_SOURCE
#include <float.h>
#include <math.h>

#include "base/java_math.h"
#include "vmtest.h"

#if defined(__SIZEOF_FLOAT128__) && defined(__HAVE_FLOAT128) && __HAVE_FLOAT128
typedef _Float128 Wide; // 113 bits
#    define WIDE(name) name##f128
#else
typedef long double Wide;
#    define WIDE(name) name##l
#endif

typedef double Function(double x);
typedef Wide WideFunction(Wide x);
typedef struct Tested {
    const char *name;
    Function *own;
    WideFunction *wide;
    double lo, hi; // arguments to try besides those of all magnitudes
} Tested;
static const Tested functions[] = {
    {"sin", java_sin, WIDE(sin), -100, 100}, {"cos", java_cos, WIDE(cos), -100, 100},
    {"tan", java_tan, WIDE(tan), -100, 100}, {"exp", java_exp, WIDE(exp), -746, 710},
    {"log", java_log, WIDE(log), 0, 4},      {"log10", java_log10, WIDE(log10), 0, 4},
};

static uint64_t seed = 88172645463325252u;
static uint64_t next_random(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static double of_bits(uint64_t bits)
{
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

static double within(double lo, double hi)
{
    return lo + (hi - lo) * (double)(next_random() >> 11) * 0x1p-53;
}

static long samples(long fewest)
{
    return test_argc > 0 ? atol(test_argv[0]) : fewest;
}

// Of the result that is nearest to an exact one, in units in its last place.
static double error_of(double result, Wide exact)
{
    double nearest = (double)exact;
    if (isnan(nearest) || isinf(nearest) || isinf(result) || isnan(result))
        return (isnan(nearest) && isnan(result)) || result == nearest ? 0
               : fabs(result) == DBL_MAX || fabs(nearest) == DBL_MAX  ? 0.9
                                                                      : HUGE_VAL;
    double ulp =
        fabs(nearest) >= DBL_MAX ? 0x1p971 : nextafter(fabs(nearest), INFINITY) - fabs(nearest);
    Wide off = (Wide)result - exact;
    return (double)((off < 0 ? -off : off) / (Wide)ulp);
}

typedef struct Worst {
    double error, x, y;
} Worst;

static void note(Worst *w, double error, double x, double y)
{
    if (error > w->error)
        *w = (Worst){error, x, y};
}

static void try_one(const Tested *f, Worst *w, double x)
{
    note(w, error_of(f->own(x), f->wide((Wide)x)), x, 0);
}

static void try_around(const Tested *f, Worst *w, double x)
{
    double below = nextafter(x, -INFINITY), above = nextafter(x, INFINITY);
    const double all[] = {x, below, above, -x, -below, -above};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        try_one(f, w, all[i]);
}

// The doubles n * 2^e that are nearest to multiples of pi/2: their n are the denominators of the convergents of the continued fraction
// of 2^e / (pi/2).
static void try_near_half_pi(const Tested *f, Worst *w)
{
    const Wide half_pi = WIDE(acos)(0);
    for (int e = -52; e <= 971; e++) {
        Wide x = (Wide)ldexp(1, e), part = WIDE(atan2)(WIDE(sin)(x), WIDE(cos)(x)) / half_pi;
        double n = 1, before = 0;
        part -= WIDE(floor)(part);
        while (part > 0 && n < 0x1p53) {
            try_around(f, w, ldexp(n, e));
            Wide term = WIDE(floor)(1 / part);
            part = 1 / part - term;
            double next = n * (double)term + before;
            before = n;
            n = next;
        }
    }
}

static void check_function(const Tested *f)
{
    Worst w = {0};
    for (long i = samples(30000); i > 0; i--) {
        try_one(f, &w, of_bits(next_random()));
        try_one(f, &w, within(1e7, 1e9));
        try_one(f, &w, within(f->lo, f->hi));
    }
    for (int e = -1074; e < 1024; e++)
        try_around(f, &w, ldexp(1, e));
    const double edges[] = {0.0,
                            INFINITY,
                            NAN,
                            DBL_MAX,
                            DBL_MIN,
                            DBL_TRUE_MIN,
                            1e8,
                            709.78271289338397,
                            745.13321910194111,
                            105414350,
                            0x1p52,
                            0.785398163397448};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        try_around(f, &w, edges[i]);
    try_near_half_pi(f, &w);
    EXPECT_MSG(w.error < 1, "%s is off by %g ulp at %a", f->name, w.error, w.x);
    printf("  %s: at most %.4f ulp\n", f->name, w.error);
}

TEST(functions_are_within_an_ulp)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        check_function(&functions[i]);
}

// pow: x of the left, y of the right.
static void try_pow(Worst *w, double x, double y)
{
    note(w, error_of(java_pow(x, y), WIDE(pow)((Wide)x, (Wide)y)), x, y);
}

TEST(pow_is_within_an_ulp)
{
    Worst w = {0};
    for (long i = samples(30000); i > 0; i--) {
        double x = of_bits(next_random() & INT64_MAX);
        if (isnan(x) || isinf(x) || x == 0)
            continue;
        try_pow(&w, x,
                within(-1, 1) * 745 / fmax(fabs(log(x)), 1)); // neither too small nor too large
        try_pow(&w, within(0, 2), within(-1000, 1000));
        try_pow(&w, 1 + within(-1, 1) * 0x1p-20, within(-1, 1) * 0x1p29);
        try_pow(&w, -(double)(next_random() % 1000), (double)(next_random() % 200) - 100);
    }
    EXPECT_MSG(w.error < 1, "pow is off by %g ulp at %a, %a", w.error, w.x, w.y);
    printf("  pow: at most %.4f ulp\n", w.error);
}

TEST(pow_has_the_special_cases_of_java)
{
    const double inf = INFINITY;
    EXPECT(java_pow(NAN, 0.0) == 1 && java_pow(NAN, -0.0) == 1 && java_pow(inf, 0) == 1);
    EXPECT(isnan(java_pow(1, NAN)) && isnan(java_pow(1, inf)) && isnan(java_pow(-1, -inf)));
    EXPECT(java_pow(2, inf) == inf && java_pow(0.5, inf) == 0 && java_pow(0.5, -inf) == inf);
    EXPECT(java_pow(-0.0, -3) == -inf && java_pow(-0.0, -2) == inf
           && signbit(java_pow(-0.0, 3)));
    EXPECT(isnan(java_pow(-2, 0.5)) && java_pow(-2, 3) == -8 && java_pow(-inf, 3) == -inf);
    EXPECT(java_pow(-inf, -3) == 0 && signbit(java_pow(-inf, -3)) && java_pow(-inf, 2) == inf);
}

TEST(whole_results_are_exact)
{
    for (int n = 0; n <= 22; n++) {
        double power = java_pow(10, n);
        char text[16];
        snprintf(text, sizeof text, "1e%d", n);
        EXPECT(power == strtod(text, NULL) && java_log10(power) == n);
    }
    for (int n = -1074; n < 1024; n++)
        EXPECT(java_pow(2, n) == ldexp(1, n));
}

// ---- semi-monotonic: where a result changes, no argument around has one that goes back ----

typedef struct
    Line { // a function of one argument that rises between lo and hi, in steps of an ulp
    const char *name;
    double (*of)(double x, double fixed);
    double fixed, lo, hi;
} Line;

static double sin_of(double x, double unused)
{
    (void)unused;
    return java_sin(x);
}
static double minus_cos_of(double x, double unused)
{
    (void)unused;
    return -java_cos(x);
}
static double tan_of(double x, double unused)
{
    (void)unused;
    return java_tan(x);
}
static double exp_of(double x, double unused)
{
    (void)unused;
    return java_exp(x);
}
static double log_of(double x, double unused)
{
    (void)unused;
    return java_log(x);
}
static double log10_of(double x, double unused)
{
    (void)unused;
    return java_log10(x);
}
static double pow_in_base(double x, double y)
{
    return java_pow(x, y);
}
static double pow_in_exponent(double y, double x)
{
    return java_pow(x, y);
}

static const Line lines[] = {
    {"sin", sin_of, 0, 0x1p-30, 1.5707963267948966},
    {"sin", sin_of, 0, 1.57079, 1.5707963267948966},
    {"cos", minus_cos_of, 0, 0x1p-30, 3.141592653589793},
    {"cos", minus_cos_of, 0, 0x1p-29, 0x1p-20},
    {"tan", tan_of, 0, 0x1p-30, 1.5707963267948966},
    {"tan", tan_of, 0, 0x1p-30, 0x1p-20},
    {"cos", minus_cos_of, 0, 99999998.1,
     100000001.1}, // over 1e8, where two ways of computing it meet
    {"exp", exp_of, 0, 0x1p-60, 700},
    {"exp", exp_of, 0, 0x1p-60, 0x1p-20},
    {"log", log_of, 0, 0x1p-1000, 0x1p1000},
    {"log", log_of, 0, 0.5, 2},
    {"log10", log10_of, 0, 0x1p-1000, 0x1p1000},
    {"log10", log10_of, 0, 0.5, 2},
    {"pow in the base", pow_in_base, 0x1p-20, 0x1p-1000, 0x1p1000},
    {"pow in the base", pow_in_base, 0.01, 0x1p-1000, 0x1p1000},
    {"pow in the base", pow_in_base, 0.5, 0.1, 10},
    {"pow in the base", pow_in_base, 3.7, 0.1, 10},
    {"pow in the exponent", pow_in_exponent, 1.0000001, 0x1p-20, 0x1p30},
    {"pow in the exponent", pow_in_exponent, 10, 0x1p-60, 300},
    {"pow in the exponent", pow_in_exponent, 1.0000000000000002, 1, 0x1p60},
};

static uint64_t bits_of(double d)
{
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    return bits;
}

// Arguments are positive, so that their bits as numbers rise with them. The first argument above `from` with another result, or the end.
static uint64_t next_change(const Line *l, uint64_t from, uint64_t end)
{
    double start = l->of(of_bits(from), l->fixed);
    uint64_t step = 1, lo = from, hi;
    while (lo + step < end && l->of(of_bits(lo + step), l->fixed) == start)
        lo += step, step *= 2;
    hi = lo + step < end ? lo + step : end;
    while (hi - lo > 1) {
        uint64_t middle = lo + (hi - lo) / 2;
        if (l->of(of_bits(middle), l->fixed) == start)
            lo = middle;
        else
            hi = middle;
    }
    return hi;
}

static void check_line(const Line *l)
{
    enum { AROUND = 100 };
    uint64_t lo = bits_of(l->lo) + AROUND, hi = bits_of(l->hi) - AROUND;
    long falls = 0;
    double where = 0;
    for (long i = samples(4000) / 20 + 100; i > 0; i--) {
        uint64_t change = next_change(l, lo + next_random() % (hi - lo), hi);
        double before = l->of(of_bits(change - AROUND), l->fixed);
        for (uint64_t at = change - AROUND + 1; at < change + AROUND; at++) {
            double value = l->of(of_bits(at), l->fixed);
            if (value < before)
                falls++, where = of_bits(at);
            before = value;
        }
    }
    EXPECT_MSG(falls == 0, "%s falls %ld times, at %a", l->name, falls, where);
}

TEST(functions_are_semi_monotonic)
{
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        check_line(&lines[i]);
}
