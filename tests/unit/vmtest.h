// SPDX-License-Identifier: Apache-2.0
// A small harness for unit tests in C. A test program includes this once, defines tests with
// TEST(name) { ... } and needs nothing else: main() runs all tests, or those named on the
// command line.
//
//   ./base_test [test...] [-- argument...]
//
// Prints one line for each failed expectation and each failed or skipped test, and a last line
// "N passed, N failed, N skipped". Exit status 1 when a test failed. Arguments after "--" are
// in test_argc/test_argv.
#ifndef TESTS_UNIT_VMTEST_H
#define TESTS_UNIT_VMTEST_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct TestCase {
    const char *name;
    void (*run)(void);
    struct TestCase *next;
} TestCase;

static TestCase *test_list, **test_list_end = &test_list;
static int test_failures;        // of the running test
static const char *test_skipped; // reason, when the running test skipped itself
__attribute__((unused)) static int test_argc;
__attribute__((unused)) static char **test_argv;

#define TEST(id)                                                 \
    static void test_##id(void);                                 \
    static TestCase test_case_##id = {#id, test_##id, NULL};     \
    __attribute__((constructor)) static void test_add_##id(void) \
    {                                                            \
        *test_list_end = &test_case_##id;                        \
        test_list_end = &test_case_##id.next;                    \
    }                                                            \
    static void test_##id(void)

// Ends the running test without failure.
#define TEST_SKIP(reason)        \
    do {                         \
        test_skipped = (reason); \
        return;                  \
    } while (0)

#define EXPECT(x) EXPECT_MSG(x, "%s", "")
#define EXPECT_MSG(x, ...)                                          \
    do {                                                            \
        if (!(x)) {                                                 \
            test_failures++;                                        \
            printf("%s:%d: not true: %s ", __FILE__, __LINE__, #x); \
            printf(__VA_ARGS__);                                    \
            printf("\n");                                           \
        }                                                           \
    } while (0)
#define EXPECT_INT(expected, actual)                                                       \
    do {                                                                                   \
        int64_t e_ = (int64_t)(expected), a_ = (int64_t)(actual);                          \
        if (e_ != a_) {                                                                    \
            test_failures++;                                                               \
            printf("%s:%d: %s is %" PRId64 ", expected %" PRId64 "\n", __FILE__, __LINE__, \
                   #actual, a_, e_);                                                       \
        }                                                                                  \
    } while (0)
#define EXPECT_STR(expected, actual)                                                      \
    do {                                                                                  \
        const char *e_ = (expected), *a_ = (actual);                                      \
        if (a_ == NULL || strcmp(e_, a_) != 0) {                                          \
            test_failures++;                                                              \
            printf("%s:%d: %s is \"%s\", expected \"%s\"\n", __FILE__, __LINE__, #actual, \
                   a_ == NULL ? "(null)" : a_, e_);                                       \
        }                                                                                 \
    } while (0)

static int test_is_wanted(const char *name, int count, char **names)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0)
            return 1;
    }
    return count == 0;
}

int main(int argc, char **argv)
{
    int names = 1, passed = 0, failed = 0, skipped = 0;
    while (names < argc && strcmp(argv[names], "--") != 0)
        names++;
    test_argc = names < argc ? argc - names - 1 : 0;
    test_argv = argv + argc - test_argc;
    for (TestCase *t = test_list; t != NULL; t = t->next) {
        if (!test_is_wanted(t->name, names - 1, argv + 1))
            continue;
        test_failures = 0;
        test_skipped = NULL;
        t->run();
        if (test_failures > 0) {
            printf("FAIL %s\n", t->name);
            failed++;
        } else if (test_skipped != NULL) {
            printf("SKIP %s: %s\n", t->name, test_skipped);
            skipped++;
        } else {
            passed++;
        }
        fflush(stdout);
    }
    printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
    return failed > 0;
}

#endif
