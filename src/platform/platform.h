// SPDX-License-Identifier: Apache-2.0
// The whole operating system interface, on two screens. Implementation: linux.c (memory, time,
// libraries, machine facts) and sync.c (locks). All functions are thread-safe; none collects.
#ifndef PLATFORM_PLATFORM_H
#define PLATFORM_PLATFORM_H

#include <pthread.h>

#include "arch/arch.h"
#include "base/common.h"

// ---- memory; sizes are multiples of os_page_size() ----
size_t os_page_size(void);
void *os_reserve(size_t size, size_t align); // address space, inaccessible; NULL on failure
// The same at that very address, a multiple of the page size. False: it is in use or refused, and nothing is reserved.
NODISCARD bool os_reserve_at(uintptr_t address, size_t size);
bool os_commit(void *p, size_t size); // readable, writable, zero on first touch
// Gives the pages back, keeps the range reserved: inaccessible, unless the system has no memory to note that.
void os_decommit(void *p, size_t size);
// gives the pages back; reads as zero afterwards, still accessible
void os_discard(void *p, size_t size);
void os_protect_none(void *p, size_t size);
enum { OS_LARGE_PAGE = 2 << 20 };
void os_prefer_large_pages(void *p, size_t size); // a hint, for what is touched all over
// Moves the pages of a range, which begins and ends at multiples of OS_LARGE_PAGE, into large ones: takes seconds a GB. False: the
// system has not done all, errno says why.
bool os_gather_pages(void *p, size_t size);
void os_release(void *p, size_t size);
// Pages and what they hold go from one reserved range to another; the old range is given up. Both
// begin at multiples of OS_LARGE_PAGE for it to be quick.
bool os_move(void *from, void *to, size_t size);

// ---- time ----
int64_t os_nanos(void); // monotonic, ns
// The processor's counter of time, for what is measured often; in nanoseconds by the rate since
// the process began.
static inline uint64_t os_ticks(void)
{
    return cpu_ticks();
}
int64_t os_ticks_to_nanos(uint64_t ticks);
int64_t os_wall_millis(void); // since the epoch, ms
void os_wall_time(int64_t *seconds, int64_t *nanos);
int64_t os_thread_cpu_nanos(pthread_t t); // -1 when unknown
// In user mode only, of a thread of this process by its kernel id; in the system's ticks. -1 when
// unknown.
int64_t os_thread_user_nanos(uint64_t os_id);
int64_t os_process_cpu_nanos(void);

// ---- machine ----
// Limits of control groups count unless `ignore`: once, at the start.
void os_ignore_control_groups(bool ignore);
// Usable by this process: affinity mask and cgroup quota, >= 1; as they were at most 20 ms ago.
int os_cpu_count(void);
uint64_t os_physical_memory(void);     // bytes; the cgroup limit when that is lower
uint64_t os_available_memory(void);    // bytes that nobody uses
uint64_t os_address_space_limit(void); // bytes (ulimit -v); UINT64_MAX: none
uint64_t os_resident_memory(void);     // of this process, bytes
uint64_t os_peak_resident_memory(void);

// ---- threads ----
typedef struct OsStack {
    char *low, *high; // usable bounds of the C stack
    size_t guard;     // bytes below `low` that cannot be accessed; 0: none, or it is not known
} OsStack;
OsStack os_current_stack(void);
// Sees to it that there are inaccessible pages below the calling thread's stack. The primordial one's ends so even where
// `ulimit -s` is unlimited, if nothing is mapped there already. Others may have been made without (the java launcher's are): their
// last pages are taken, and stack->low goes up. Takes them away again, before the thread ends.
void os_guard_stack(OsStack *stack);
void os_unguard_stack(void);
// Starts a detached thread with at least `stack_size` bytes of C stack (0: default). False when
// the system refuses.
bool os_thread_start(pthread_t *out, size_t stack_size, void *(*run)(void *), void *arg);
void os_thread_set_name(const char *name); // the current one; cut to 15 bytes
uint64_t os_thread_id(void);               // kernel id
void os_yield(void);
void os_sleep_nanos(int64_t ns);
// In the stress build sleeps a millisecond now and then, so that others do something between two steps of the caller; else does nothing.
static inline void os_widen_window(void)
{
#ifdef PELLUCID_GC_STRESS
    enum { EVERY = 499, NANOS = 1000000 };
    static _Thread_local uint32_t passed;
    if (++passed % EVERY == 0)
        os_sleep_nanos(NANOS);
#endif
}

// Whether the next one can be had. It is asked of the system when this library is loaded: that is cheap only
// while the process has one thread.
bool os_has_process_barrier(void);
// All threads of the process pass a full memory barrier before this returns; costs about a microsecond.
void os_process_barrier(void);
// The same of one behind which no thread runs what its processor has read of code before: where code was replaced by other code.
bool os_has_code_barrier(void);
void os_code_barrier(void);

// ---- libraries ----
// RTLD_LAZY; NULL and text on failure
void *os_library_open(const char *path, char *error, size_t error_size);
void *os_library_find(void *library, const char *symbol); // NULL library: the whole process
void os_library_close(void *library);
// Where the library or program that `code` lies in begins; NULL: in none.
const void *os_library_base(const void *code);
// Maps a regular file whole, for reading; *len is its size. NULL: it cannot be.
const void *os_map_file(const char *path, size_t *len);

// ---- locks ----
// Ranks from spec/locks.def: LOCK(ENUM, "name"); a thread takes locks in the order of that
// table only (checked in debug builds). Holding one never spans a safepoint unless the table
// says so.
typedef enum LockRank {
#define LOCK(id, text) RANK_##id,
#include "spec/locks.def"
#undef LOCK
    RANK_COUNT
} LockRank;

typedef struct Mutex {
    pthread_mutex_t m;
    LockRank rank;
    _Atomic(uintptr_t) owner; // pthread_self() of the holder, 0 if free
} Mutex;
typedef struct Cond {
    pthread_cond_t c; // on the monotonic clock
} Cond;
#define MUTEX_INIT(r)                   \
    {                                   \
        PTHREAD_MUTEX_INITIALIZER, r, 0 \
    }
void mutex_init(Mutex *m, LockRank rank);
void mutex_destroy(Mutex *m);
// Debug builds abort where the order of ranks is broken. Who is IN_VM and may wait long takes
// thread_lock (thread/thread.h) instead.
void mutex_lock(Mutex *m);
bool mutex_try_lock(Mutex *m); // false: somebody has it
void mutex_unlock(Mutex *m);
bool mutex_held(Mutex *m);  // by the current thread
bool locks_none_held(void); // debug builds: this thread holds no ranked lock; release: true
// What functions ask of their callers' locks. ASSERT_HELD: of a function whose contract says "m is held".
#define ASSERT_HELD(m)     VM_ASSERT(mutex_held(m))
#define ASSERT_NOT_HELD(m) VM_ASSERT(!mutex_held(m))
#define ASSERT_NO_LOCKS()  VM_ASSERT(locks_none_held())
void cond_init(Cond *c);
void cond_destroy(Cond *c);
// m is held, given up while waiting. May return without a signal.
void cond_wait(Cond *c, Mutex *m);
// Waits at most `nanos` (< 0: forever). False on time-out.
bool cond_wait_nanos(Cond *c, Mutex *m, int64_t nanos);
void cond_signal(Cond *c);
void cond_broadcast(Cond *c);

#endif
