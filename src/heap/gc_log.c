// SPDX-License-Identifier: Apache-2.0
// See gc_log.h.
#include "heap/gc_log.h"

#include <sys/times.h>
#include <unistd.h>

#include "base/log.h"
#include "heap/heap_internal.h"

typedef struct SizeText {
    char text[32];
} SizeText;

// In HotSpot's way: the largest unit of which there are at least ten.
static SizeText size_text(size_t bytes)
{
    static const char units[] = "BKMG";
    SizeText s;
    int unit = 0;
    while (unit < 3 && bytes >= 10 * 1024) {
        bytes >>= 10;
        unit++;
    }
    snprintf(s.text, sizeof s.text, "%zu%c", bytes, units[unit]);
    return s;
}

static SizeText exact_text(size_t bytes)
{
    SizeText s;
    if (bytes % (1 << 20) == 0)
        snprintf(s.text, sizeof s.text, "%zuM", bytes >> 20);
    else if (bytes % 1024 == 0)
        snprintf(s.text, sizeof s.text, "%zuK", bytes >> 10);
    else
        snprintf(s.text, sizeof s.text, "%zuB", bytes);
    return s;
}

void gc_log_start(const char *version)
{
    LOG(LOG_GC_INIT, LOG_INFO, "Version: %s (release)", version);
    LOG(LOG_GC_INIT, LOG_INFO, "CPUs: %ld total, %d available", sysconf(_SC_NPROCESSORS_CONF),
        os_cpu_count());
    LOG(LOG_GC_INIT, LOG_INFO, "Memory: %zuM", (size_t)(os_physical_memory() >> 20));
    LOG(LOG_GC_INIT, LOG_INFO, "Large Page Support: Disabled");
    LOG(LOG_GC_INIT, LOG_INFO, "NUMA Support: Disabled");
    LOG(LOG_GC_INIT, LOG_INFO, "Compressed Oops: Enabled (%s based)",
        heap_base ? "Non-zero" : "Zero");
    LOG(LOG_GC_INIT, LOG_INFO, "Heap Initial Capacity: %s", size_text(heap.initial).text);
    LOG(LOG_GC_INIT, LOG_INFO, "Heap Max Capacity: %s", size_text(heap.max).text);
    LOG(LOG_GC_INIT, LOG_INFO, "Pre-touch: Disabled");
    LOG(LOG_PAGESIZE, LOG_INFO, "Large page support disabled.");
    LOG(LOG_PAGESIZE, LOG_INFO, "Heap:  min=%s max=%s base=0x%016zx page_size=%s size=%s",
        exact_text(heap.initial).text, exact_text(heap.max).text, (size_t)heap.old.start,
        exact_text(os_page_size()).text, exact_text(heap.max).text);
}

GcTimes gc_times_now(void)
{
    struct tms t;
    GcTimes now = {.nanos = os_nanos()};
    if (log_on(LOG_GC_CPU, LOG_INFO) && times(&t) != (clock_t)-1) {
        now.user = t.tms_utime;
        now.system = t.tms_stime;
    }
    return now;
}

void gc_log_cpu(int number, const GcTimes *start)
{
    if (!log_on(LOG_GC_CPU, LOG_INFO))
        return;
    GcTimes now = gc_times_now();
    double tick = 1.0 / (double)sysconf(_SC_CLK_TCK);
    log_write(LOG_GC_CPU, LOG_INFO, "GC(%d) User=%.2fs Sys=%.2fs Real=%.2fs", number,
              (double)(now.user - start->user) * tick,
              (double)(now.system - start->system) * tick,
              (double)(now.nanos - start->nanos) / 1e9);
}

int64_t gc_log_phase(const char *phase, int64_t start)
{
    int64_t now = os_nanos();
    LOG(LOG_GC_PHASES, LOG_INFO, "GC(%d) %s %.3fms", (int)heap.collections, phase,
        (double)(now - start) / 1e6);
    return now;
}
