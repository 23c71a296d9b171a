// SPDX-License-Identifier: Apache-2.0
// Drives a fuzz target where libFuzzer is not linked: any compiler, same command line as far as it goes.
//
//   <target> [-max_total_time=SECONDS] [-seed=N] file-or-folder...
//
// Seeds are all files below the folders. Each seed runs whole, cut short at every length and, byte by byte, with single bits
// flipped; then random mutations of random seeds until the time is over. The input that is being tried lies in ./fuzz-input (a
// shared mapping), its size in the last 8 bytes, so that it is there after a crash: `<target> fuzz-input` runs it again.
// Without a time every input runs once.
#define _GNU_SOURCE
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    MAX_INPUT = 1 << 16,
    FILE_SIZE = MAX_INPUT + 8,
    MAX_SEEDS = 4096,
    SMALL_SEED = 3000,
    MUTATIONS = 8
};

typedef struct Seed {
    uint8_t *bytes;
    size_t size;
} Seed;

static Seed seeds[MAX_SEEDS];
static size_t seed_count;
static uint64_t runs, random_state = 1;
static uint8_t *input;       // MAX_INPUT bytes, mapped from ./fuzz-input
static uint64_t *input_size; // behind them
static double deadline;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static uint32_t random_below(uint32_t limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 32) % limit;
}

// Runs what `input` holds, from a copy of exactly that size so that a sanitizer sees the end.
static void run_input(size_t size)
{
    *input_size = size;
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy)
        abort();
    memcpy(copy, input, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
    runs++;
}

static void run_copy(const Seed *seed, size_t size)
{
    memcpy(input, seed->bytes, size);
    run_input(size);
}

static void run_systematic(const Seed *seed)
{
    run_copy(seed, seed->size);
    if (seed->size > SMALL_SEED)
        return;
    for (size_t size = 0; size < seed->size && now() < deadline; size++)
        run_copy(seed, size);
    for (size_t i = 0; i < seed->size && now() < deadline; i++) {
        memcpy(input, seed->bytes, seed->size);
        input[i] ^= (uint8_t)(1u << random_below(8));
        run_input(seed->size);
    }
}

static size_t mutate(size_t size)
{
    static const uint8_t edges[] = {0, 1, 0x7f, 0x80, 0xff, 0xfe};
    uint32_t at = random_below((uint32_t)size), n = 1 + random_below(16);
    switch (random_below(5)) {
    case 0: input[at] ^= (uint8_t)(1u << random_below(8)); return size;
    case 1: input[at] = edges[random_below(sizeof edges)]; return size;
    case 2: input[at] = (uint8_t)random_below(256); return size;
    case 3: // takes bytes away
        if (at + n >= size)
            return at + 1;
        memmove(input + at, input + at + n, size - at - n);
        return size - n;
    default: // doubles bytes
        if (size + n > MAX_INPUT || at + n > size)
            return size;
        memmove(input + at + n, input + at, size - at);
        return size + n;
    }
}

static void run_random(void)
{
    const Seed *seed = &seeds[random_below((uint32_t)seed_count)];
    size_t size = seed->size;
    memcpy(input, seed->bytes, size);
    for (uint32_t n = 1 + random_below(MUTATIONS); n > 0; n--)
        size = mutate(size);
    run_input(size);
}

static int add_seed(const char *path, const struct stat *info, int kind, struct FTW *walk)
{
    (void)walk;
    if (kind != FTW_F || seed_count == MAX_SEEDS || info->st_size <= 0
        || info->st_size > FILE_SIZE)
        return 0;
    FILE *in = fopen(path, "rb");
    if (!in)
        return 0;
    Seed *seed = &seeds[seed_count];
    seed->bytes = malloc((size_t)info->st_size);
    seed->size = seed->bytes ? fread(seed->bytes, 1, (size_t)info->st_size, in) : 0;
    fclose(in);
    if (seed->size == FILE_SIZE) { // a kept ./fuzz-input
        uint64_t size;
        memcpy(&size, seed->bytes + MAX_INPUT, sizeof size);
        seed->size = size <= MAX_INPUT ? size : 0;
    }
    if (seed->size > 0 && seed->size <= MAX_INPUT)
        seed_count++;
    return 0;
}

static bool map_input(void)
{
    int input_file = open("fuzz-input", O_RDWR | O_CREAT | O_TRUNC, 0644);
    if (input_file < 0 || ftruncate(input_file, FILE_SIZE) != 0)
        return false;
    input = mmap(NULL, FILE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, input_file, 0);
    input_size = (uint64_t *)(void *)(input + MAX_INPUT);
    return input != MAP_FAILED;
}

int main(int argc, char **argv)
{
    double seconds = 0;
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "-max_total_time=", 16) == 0)
            seconds = atof(argv[i] + 16);
        else if (strncmp(argv[i], "-seed=", 6) == 0)
            random_state = strtoull(argv[i] + 6, NULL, 10) | 1;
        else
            nftw(argv[i], add_seed, 16, FTW_PHYS);
    }
    if (seed_count == 0 || !map_input()) {
        fprintf(stderr, "%s: %s\n", argv[0],
                seed_count == 0 ? "no inputs" : "can't write ./fuzz-input");
        return 2;
    }
    deadline = now() + seconds;
    if (seconds == 0) {
        for (size_t i = 0; i < seed_count; i++)
            run_copy(&seeds[i], seeds[i].size);
    } else {
        while (now() < deadline) { // half of the time each way: seeds in random order
            run_systematic(&seeds[random_below((uint32_t)seed_count)]);
            for (int i = 0; i < 2000 && now() < deadline; i++)
                run_random();
        }
    }
    unlink("fuzz-input");
    printf("%llu runs of %zu inputs\n", (unsigned long long)runs, seed_count);
    return 0;
}
