// SPDX-License-Identifier: Apache-2.0
// src/platform: memory, time, machine facts, locks.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arch/crc32.h"
#include "arch/digests.h"
#include "death.h"
#include "platform/platform.h"

TEST(memory_life_cycle)
{
    size_t page = os_page_size(), size = 64 * page;
    char *p = os_reserve(size, 1 << 20);
    EXPECT(p != NULL);
    EXPECT_INT(0, (uintptr_t)p % (1 << 20));
    EXPECT(os_commit(p, 4 * page));
    EXPECT_INT(0, p[0]);
    memset(p, 7, 4 * page);
    os_discard(p, page);
    EXPECT_INT(0, p[0]);
    EXPECT_INT(7, p[page]);
    os_decommit(p, 4 * page);
    EXPECT(os_commit(p, page));
    EXPECT_INT(0, p[0]);
    os_protect_none(p, page);
    os_release(p, size);
    EXPECT(os_reserve(SIZE_MAX - 8 * page, page) == NULL);
}

static bool dies(void (*body)(void))
{
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        close(2);
        body();
        _exit(0);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFSIGNALED(status);
}

static void touch_reserved(void)
{
    *(volatile char *)os_reserve(os_page_size(), 0) = 1;
}

TEST(reserved_memory_is_inaccessible)
{
    EXPECT(dies(touch_reserved));
}

TEST(time_goes_on)
{
    int64_t before = os_nanos();
    os_sleep_nanos(2000000);
    EXPECT(os_nanos() - before >= 2000000);
    int64_t seconds, nanos, earlier = os_wall_millis() / 1000;
    os_wall_time(&seconds, &nanos);
    EXPECT(earlier <= seconds && seconds <= os_wall_millis() / 1000 && nanos < 1000000000);
    EXPECT(os_thread_cpu_nanos(pthread_self()) > 0);
    EXPECT(os_process_cpu_nanos() > 0);
}

TEST(machine_facts)
{
    EXPECT(os_cpu_count() >= 1 && os_cpu_count() <= 4096);
    EXPECT(os_physical_memory() > 16u << 20);
    EXPECT(os_resident_memory() > 0);
    EXPECT(os_peak_resident_memory() >= os_resident_memory() / 2);
}

static Mutex mutex = MUTEX_INIT(RANK_HEAP);
static Mutex inner = MUTEX_INIT(RANK_LOG);
static Cond cond;
static int stage;

static void *partner(void *arg)
{
    OsStack s = os_current_stack();
    char here;
    *(bool *)arg = &here > s.low && &here < s.high && (size_t)(s.high - s.low) >= 256 * 1024
                   && os_thread_id() != (uint64_t)getpid();
    os_thread_set_name("a name longer than fifteen");
    mutex_lock(&mutex);
    stage = 1;
    cond_broadcast(&cond);
    while (stage != 2)
        cond_wait(&cond, &mutex);
    stage = 3;
    cond_signal(&cond);
    mutex_unlock(&mutex);
    return NULL;
}

TEST(threads_and_conditions)
{
    static bool stack_ok;
    cond_init(&cond);
    mutex_lock(&mutex);
    EXPECT(mutex_held(&mutex));
    pthread_t t;
    EXPECT(os_thread_start(&t, 256 * 1024, partner, &stack_ok));
    while (stage != 1)
        EXPECT(cond_wait_nanos(&cond, &mutex, 10000000000));
    stage = 2;
    cond_signal(&cond);
    while (stage != 3)
        cond_wait(&cond, &mutex);
    int64_t before = os_nanos();
    EXPECT(!cond_wait_nanos(&cond, &mutex, 3000000));
    EXPECT(os_nanos() - before >= 3000000);
    EXPECT(mutex_held(&mutex));
    mutex_unlock(&mutex);
    EXPECT(!mutex_held(&mutex));
    EXPECT(stack_ok);
    cond_destroy(&cond);
}

// The permissions of the page at an address, as in "r--p"; empty: nothing is mapped there.
static void permissions(const char *at, char out[5])
{
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "re");
    out[0] = 0;
    while (maps && fgets(line, sizeof line, maps)) {
        unsigned long begin, end;
        char mode[5];
        if (sscanf(line, "%lx-%lx %4s", &begin, &end, mode) == 3 && (uintptr_t)at >= begin
            && (uintptr_t)at < end)
            strcpy(out, mode);
    }
    if (maps)
        fclose(maps);
}

// A thread whose stack was made without inaccessible pages, as the java launcher makes it, has some while it is the VM's.
static void *without_guard(void *arg)
{
    char before[5], guarded[5], lowest[5], after[5];
    OsStack s = os_current_stack();
    char *low = s.low;
    permissions(low, before);
    os_guard_stack(&s);
    permissions(low, guarded);
    permissions(s.low, lowest);
    os_unguard_stack();
    permissions(low, after);
    *(bool *)arg = s.low > low && strcmp(before, "rw-p") == 0 && strcmp(guarded, "---p") == 0
                   && strcmp(lowest, "rw-p") == 0 && strcmp(after, "rw-p") == 0;
    return NULL;
}

TEST(stack_without_guard)
{
    pthread_t t;
    pthread_attr_t attr;
    bool ok = false;
    pthread_attr_init(&attr);
    pthread_attr_setguardsize(&attr, 0);
    EXPECT(pthread_create(&t, &attr, without_guard, &ok) == 0);
    pthread_join(t, NULL);
    pthread_attr_destroy(&attr);
    EXPECT(ok);
}

TEST(stack_of_the_first_thread)
{
    OsStack s = os_current_stack();
    char here;
    EXPECT(&here > s.low && &here < s.high);
}

static void wrong_order(void)
{
    mutex_lock(&inner);
    mutex_lock(&mutex);
}

static void same_rank(void)
{
    Mutex second = MUTEX_INIT(mutex.rank);
    mutex_lock(&mutex);
    mutex_lock(&second);
}

// The rank is held again after the wait.
static void wrong_order_after_wait(void)
{
    Cond never;
    cond_init(&never);
    mutex_lock(&inner);
    cond_wait_nanos(&never, &inner, 1);
    mutex_lock(&mutex);
}

static void unlock_free(void)
{
    Mutex own = MUTEX_INIT(RANK_LOG);
    mutex_unlock(&own);
}

TEST(lock_order)
{
    EXPECT(locks_none_held());
    mutex_lock(&mutex);
    mutex_lock(&inner);
    mutex_unlock(&inner);
    mutex_unlock(&mutex);
    EXPECT(mutex_try_lock(&mutex));
    EXPECT(!mutex_try_lock(&mutex));
    mutex_unlock(&mutex);
    EXPECT_CHECKED(wrong_order, "lock order: ");
    EXPECT_CHECKED(same_rank, "lock order: ");
    EXPECT_CHECKED(wrong_order_after_wait, "lock order: ");
    EXPECT_CHECKED(unlock_free, "mutex_held");
}

TEST(locks_held)
{
    mutex_lock(&mutex);
    mutex_lock(&inner);
    mutex_unlock(&mutex);
#ifdef PELLUCID_DEBUG
    EXPECT(!locks_none_held());
#else
    EXPECT(locks_none_held());
#endif
    EXPECT(mutex_held(&inner) && !mutex_held(&mutex));
    mutex_unlock(&inner);
    EXPECT(locks_none_held());
}

TEST(libraries)
{
    char error[256] = "";
    EXPECT(os_library_open("/nonexistent.so", error, sizeof(error)) == NULL);
    EXPECT(strstr(error, "nonexistent") != NULL);
    EXPECT(os_library_find(NULL, "malloc") != NULL);
    EXPECT(os_library_find(NULL, "no_such_symbol_at_all") == NULL);
    void *m = os_library_open("libm.so.6", error, sizeof(error));
    EXPECT(m != NULL && os_library_find(m, "cos") != NULL);
    os_library_close(m);
}

// ---- checksums ----

static uint32_t crc_by_definition(uint32_t crc, const uint8_t *p, size_t length,
                                  uint32_t polynomial)
{
    for (size_t i = 0; i < length * 8; i++) {
        uint32_t bit = (crc ^ p[i / 8] >> i % 8) & 1;
        crc = crc >> 1 ^ (bit ? polynomial : 0);
    }
    return crc;
}

TEST(checksums_by_every_way)
{
    typedef bool Update(uint32_t * crc, const void *from, size_t length);
    static Update *const ways[] = {crc32_update, crc32_update_portable, crc32c_update,
                                   crc32c_update_portable};
    static const uint32_t polynomials[] = {0xEDB88320, 0xEDB88320, 0x82F63B78, 0x82F63B78};
    uint8_t bytes[600];
    uint32_t seed = 1;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)((seed = seed * 1664525 + 1013904223) >> 24);
    crc32_start();
    for (size_t way = 0; way < 4; way++)
        for (size_t from = 0; from < 17; from++)
            for (size_t length = 0; length < 560; length += length < 200 ? 1 : 37) {
                uint32_t start = seed ^ (uint32_t)length, crc = start;
                EXPECT(ways[way](&crc, bytes + from, length));
                EXPECT_INT(crc_by_definition(start, bytes + from, length, polynomials[way]),
                           crc);
            }
}

// The instructions, where there are any, give what the portable form does.
TEST(sha256_of_both_ways)
{
    uint32_t state[SHA2_WORDS] = {0}, portable[SHA2_WORDS] = {0};
    uint8_t block[SHA256_BLOCK + 1] = {0};
    digests_start();
    for (unsigned i = 0; i < 1000; i++) {
        for (size_t k = 0; k < sizeof block; k++)
            block[k] = (uint8_t)(block[k] * 5 + k + i * 7 + (i >> 8));
        sha256_block(state, block + i % 2);
        sha256_portable(portable, block + i % 2);
        EXPECT(memcmp(state, portable, sizeof state) == 0);
    }
}
