// SPDX-License-Identifier: Apache-2.0
// See code_memory.h.
#ifndef _GNU_SOURCE
#    define _GNU_SOURCE
#endif
#include "platform/code_memory.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "platform/platform.h"

enum { GRANULE = 64 };

// Maps `size` bytes below 2 GiB if it can be had, from the top down: what programs put there begins at the bottom.
static uint8_t *map_low(size_t size, int protection, int flags, int fd)
{
    enum { STEPS = 24 };
    static const uintptr_t top = 0x7c000000, step = 0x4000000;
    for (int i = 0; i < STEPS && size < top - (uintptr_t)i * step; i++) {
        void *wanted = (void *)(top - (uintptr_t)i * step - size);
        void *p = mmap(wanted, size, protection, flags | MAP_FIXED_NOREPLACE, fd, 0);
        if (p == wanted)
            return p;
        if (p != MAP_FAILED) // a system that takes the address for a hint
            munmap(p, size);
    }
    void *p = mmap(NULL, size, protection, flags, fd, 0);
    return p == MAP_FAILED ? NULL : p;
}

static bool map_file(CodeMemory *m, int fd)
{
    if (ftruncate(fd, (off_t)m->size) != 0)
        return false;
    m->run = map_low(m->size, PROT_READ | PROT_EXEC, MAP_SHARED, fd);
    void *write =
        m->run ? mmap(NULL, m->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
    m->write = write == MAP_FAILED ? NULL : write;
    return m->write && madvise(m->write, m->size, MADV_DONTFORK) == 0;
}

// Linux 6.3 and later require a flag that says that the file is for code; earlier ones refuse what they do not know.
static int code_file(void)
{
    enum { FOR_CODE = 0x10 }; // MFD_EXEC
    static const char name[] = "pellucid-code";
    int fd = memfd_create(name, MFD_CLOEXEC | FOR_CODE);
    return fd < 0 && errno == EINVAL ? memfd_create(name, MFD_CLOEXEC) : fd;
}

static bool reserve_twice(CodeMemory *m)
{
    int fd = code_file();
    if (fd < 0)
        return false;
    bool ok = map_file(m, fd);
    close(fd);
    if (!ok)
        code_memory_release(m);
    return ok;
}

// A system that refuses executable memory may take the reservation all the same.
static bool may_be_executed(const CodeMemory *m)
{
    return mprotect(m->run, os_page_size(), PROT_READ | PROT_EXEC) == 0
           && mprotect(m->run, os_page_size(), PROT_NONE) == 0;
}

static bool reserve_switched(CodeMemory *m)
{
    m->run = map_low(m->size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
    m->write = m->run;
    if (m->run && !may_be_executed(m))
        code_memory_release(m);
    return m->run != NULL;
}

bool code_memory_reserve(CodeMemory *m, size_t size, CodeMapping mapping)
{
    VM_ASSERT(size > 0 && size % os_page_size() == 0);
    *m = (CodeMemory){.size = size};
    if (mapping != CODE_MAPPING_SWITCHED && reserve_twice(m))
        return true;
    *m = (CodeMemory){.size = size};
    return mapping != CODE_MAPPING_TWICE && reserve_switched(m);
}

void code_memory_release(CodeMemory *m)
{
    if (m->write && m->write != m->run)
        munmap(m->write, m->size);
    if (m->run)
        munmap(m->run, m->size);
    *m = (CodeMemory){0};
}

size_t code_memory_alignment(const CodeMemory *m)
{
    return m->write == m->run ? os_page_size() : GRANULE;
}

bool code_memory_write(const CodeMemory *m, size_t at, const void *code, size_t size)
{
    VM_ASSERT(at % code_memory_alignment(m) == 0 && size <= m->size && at <= m->size - size);
    if (m->write == m->run) {
        size_t pages = ALIGN_UP(size, os_page_size());
        if (mprotect(m->write + at, pages, PROT_READ | PROT_WRITE) != 0)
            return false;
        memcpy(m->write + at, code, size);
        return mprotect(m->write + at, pages, PROT_READ | PROT_EXEC) == 0;
    }
    memcpy(m->write + at, code, size);
    return true;
}
