// SPDX-License-Identifier: Apache-2.0
// Functions of every kind of signature for java/jni/Foreign: called from Java, and calling Java by
// function pointers.
#include <jni.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>

typedef struct Small {
    int32_t a, b;
} Small;
typedef struct Mixed {
    int64_t n;
    double d;
} Mixed;
typedef struct Floats {
    float x, y, z;
} Floats;
typedef struct Large {
    int64_t a, b, c;
    double d;
} Large;

// A function for Java to find; each is declared first.
#define FUNCTION(T, name, ...)     \
    JNIEXPORT T name(__VA_ARGS__); \
    T name(__VA_ARGS__)

FUNCTION(int64_t, narrow, int8_t b, int16_t s, uint16_t c, int32_t i)
{
    return b + s + c + i;
}
FUNCTION(int8_t, negative_byte, void)
{
    return -7;
}
FUNCTION(int16_t, negative_short, void)
{
    return -700;
}
FUNCTION(uint16_t, large_char, void)
{
    return 0xfffe;
}
FUNCTION(float, half, float f)
{
    return f / 2;
}
FUNCTION(double, many, int i1, double d1, int64_t l2, float f2, int i3, double d3, int i4,
         double d4, int i5, double d5, int i6, double d6, int i7, double d7, int8_t i8,
         double d8, float f9, int64_t i9, double d10)
{
    return i1 + d1 * 2 + (double)l2 * 3 + f2 * 4 + i3 * 5 + d3 * 6 + i4 * 7 + d4 * 8 + i5 * 9
           + d5 * 10 + i6 * 11 + d6 * 12 + i7 * 13 + d7 * 14 + i8 * 15 + d8 * 16 + f9 * 17
           + (double)i9 * 18 + d10 * 19;
}
FUNCTION(Small, swap_small, Small s)
{
    return (Small){s.b, s.a};
}
FUNCTION(Mixed, add_mixed, Mixed a, Mixed b)
{
    return (Mixed){a.n + b.n, a.d + b.d};
}
FUNCTION(Floats, double_floats, Floats f)
{
    return (Floats){f.x * 2, f.y * 2, f.z * 2};
}
FUNCTION(Large, next_large, Large l, int64_t by)
{
    return (Large){l.a + by, l.b + by, l.c + by, l.d + (double)by};
}
FUNCTION(double, sum_of, int count, ...)
{
    va_list args;
    double sum = 0;
    va_start(args, count);
    for (int i = 0; i < count; i++)
        sum += i % 2 ? va_arg(args, double) : va_arg(args, int);
    va_end(args);
    return sum;
}

FUNCTION(int64_t, call_simple, int64_t (*f)(int64_t, int), int64_t n, int times)
{
    for (int i = 0; i < times; i++)
        n = f(n, i);
    return n;
}
FUNCTION(double, call_many,
         double (*f)(int8_t, float, int64_t, double, int, int, int, int, int64_t, double,
                     double, double, double, double, double, double, float))
{
    return f(-1, 2.5f, 3, 4.5, 5, 6, 7, 8, 9, 10.5, 11.5, 12.5, 13.5, 14.5, 15.5, 16.5, 17.5f);
}
FUNCTION(int64_t, call_small, Small (*f)(Small, Mixed), int a, int b)
{
    Small s = f((Small){a, b}, (Mixed){10, 0.5});
    return s.a * 1000 + s.b;
}
FUNCTION(double, call_mixed, Mixed (*f)(Floats), float x)
{
    Mixed m = f((Floats){x, x + 1, x + 2});
    return (double)m.n + m.d;
}
FUNCTION(double, call_large, Large (*f)(Large), int64_t x)
{
    Large l = f((Large){x, x + 1, x + 2, 0.25});
    return (double)(l.a + l.b + l.c) + l.d;
}

typedef struct Job {
    int64_t (*f)(int64_t, int);
    int64_t result;
} Job;
static void *run_job(void *p)
{
    Job *job = p;
    job->result = call_simple(job->f, 1, 100);
    return NULL;
}
// Has threads of their own call f.
FUNCTION(int64_t, call_in_threads, int64_t (*f)(int64_t, int), int count)
{
    enum { MAX = 8 };
    pthread_t threads[MAX];
    Job jobs[MAX];
    int64_t sum = 0;
    count = count < MAX ? count : MAX;
    for (int i = 0; i < count; i++) {
        jobs[i] = (Job){f, 0};
        pthread_create(&threads[i], NULL, run_job, &jobs[i]);
    }
    for (int i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
        sum += jobs[i].result;
    }
    return sum;
}
