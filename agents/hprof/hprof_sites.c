// SPDX-License-Identifier: Apache-2.0
// Allocation sites: a class and a trace, with what was allocated there and what of it lives. Each
// live object is known with its site.
#include <stdlib.h>
#include <string.h>

#include "hprof/hprof.h"

typedef struct Site {
    ClassName *cls; // NULL: an array of primitives, or unknown
    jint kind;      // JVMPI_NORMAL_OBJECT, JVMPI_CLASS, JVMPI_INT ...
    Trace *trace;
    uint64_t live_bytes, live_objects, all_bytes, all_objects;
    struct Site *next;
} Site;

enum { BUCKETS = 1 << 13 };
static Site *buckets[BUCKETS];
static size_t site_count;
static uint64_t live_bytes, live_objects, all_bytes, all_objects;
static Map objects; // -> Site, size

static Site *site_of(ClassName *cls, jint kind, Trace *trace)
{
    uint64_t h = ((uintptr_t)cls >> 4) * 31 + (uint64_t)kind * 7 + ((uintptr_t)trace >> 4);
    Site **bucket = &buckets[(h ^ h >> 13) % BUCKETS];
    for (Site *s = *bucket; s; s = s->next)
        if (s->cls == cls && s->kind == kind && s->trace == trace)
            return s;
    Site *made = must_alloc(sizeof *made);
    *made = (Site){.cls = cls, .kind = kind, .trace = trace, .next = *bucket};
    *bucket = made;
    site_count++;
    return made;
}

void site_alloc(const JVMPI_Event *e, const JVMPI_CallFrame *frames, int count)
{
    ASSERT_LOCKED();
    Trace *trace = trace_of(frames, count, thread_find(e->env_id));
    Site *s = site_of(class_find(e->u.obj_alloc.class_id), e->u.obj_alloc.is_array, trace);
    uint64_t size = (uint64_t)e->u.obj_alloc.size;
    s->live_bytes += size;
    s->all_bytes += size;
    s->live_objects++;
    s->all_objects++;
    live_bytes += size;
    all_bytes += size;
    live_objects++;
    all_objects++;
    map_put(&objects, (uintptr_t)e->u.obj_alloc.obj_id, s, size);
}

void site_moved(jobjectID from, jobjectID to)
{
    ASSERT_LOCKED();
    const MapEntry *e = map_find(&objects, (uintptr_t)from);
    if (!e)
        return;
    Site *s = e->value;
    uint64_t size = e->number;
    map_remove(&objects, (uintptr_t)from);
    map_put(&objects, (uintptr_t)to, s, size);
}

void site_free(jobjectID id)
{
    ASSERT_LOCKED();
    const MapEntry *e = map_find(&objects, (uintptr_t)id);
    if (!e)
        return;
    Site *s = e->value;
    assert(s->live_objects > 0 && s->live_bytes >= e->number);
    s->live_bytes -= e->number;
    s->live_objects--;
    live_bytes -= e->number;
    live_objects--;
    map_remove(&objects, (uintptr_t)id);
}

uint32_t site_trace(jobjectID id)
{
    const Site *s = map_get(&objects, (uintptr_t)id);
    return s ? s->trace->serial : 0;
}

// ---- the report ----
static int by_live_bytes(const void *a, const void *b)
{
    const Site *x = *(Site *const *)a, *y = *(Site *const *)b;
    if (x->live_bytes != y->live_bytes)
        return x->live_bytes < y->live_bytes ? 1 : -1;
    return x->all_bytes < y->all_bytes ? 1 : x->all_bytes > y->all_bytes ? -1 : 0;
}

// Sites above the cutoff, largest first.
static Site **sites_sorted(size_t *count)
{
    Site **list = must_alloc(site_count * sizeof *list);
    size_t n = 0;
    for (size_t i = 0; i < BUCKETS; i++)
        for (Site *s = buckets[i]; s; s = s->next)
            if ((double)s->live_bytes >= hprof.options.cutoff * (double)live_bytes)
                list[n++] = s;
    assert(n <= site_count);
    qsort(list, n, sizeof *list, by_live_bytes);
    *count = n;
    return list;
}

static const char *name_of(const Site *s)
{
    static const char *const kinds[] = {"boolean", "char",  "float", "double",
                                        "byte",    "short", "int",   "long"};
    if (s->kind >= JVMPI_BOOLEAN)
        return kinds[s->kind - JVMPI_BOOLEAN];
    return s->cls ? s->cls->name : "<unknown>";
}

static void print_sites(Site **list, size_t count)
{
    print("SITES BEGIN (ordered by live bytes) %s\n", output_date());
    print("          percent         live       alloc'ed  stack class\n");
    print(" rank   self  accum    bytes objs   bytes objs trace name\n");
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        const Site *s = list[i];
        double self = live_bytes ? 100.0 * (double)s->live_bytes / (double)live_bytes : 0;
        sum += self;
        print("%5zu %5.2f%% %5.2f%% %8llu %4llu %8llu %4llu %5u %s%s\n", i + 1, self, sum,
              (unsigned long long)s->live_bytes, (unsigned long long)s->live_objects,
              (unsigned long long)s->all_bytes, (unsigned long long)s->all_objects,
              s->trace->serial, name_of(s), s->kind == JVMPI_NORMAL_OBJECT ? "" : " []");
    }
    print("SITES END\n");
}

static uint32_t cutoff_bits(void)
{
    float cutoff = (float)hprof.options.cutoff;
    uint32_t bits;
    memcpy(&bits, &cutoff, sizeof bits);
    return bits;
}

static void write_sites(Site **list, size_t count)
{
    record_begin(TAG_ALLOC_SITES);
    put_u2(2); // complete, by allocation sorted by live bytes
    put_u4(cutoff_bits());
    put_u4((uint32_t)live_bytes);
    put_u4((uint32_t)live_objects);
    put_u8(all_bytes);
    put_u8(all_objects);
    put_u4((uint32_t)count);
    for (size_t i = 0; i < count; i++) {
        const Site *s = list[i];
        put_u1((uint32_t)s->kind);
        put_u4(s->cls ? s->cls->serial : 0);
        put_u4(s->trace->serial);
        put_u4((uint32_t)s->live_bytes);
        put_u4((uint32_t)s->live_objects);
        put_u4((uint32_t)s->all_bytes);
        put_u4((uint32_t)s->all_objects);
    }
    record_end();
}

void sites_write(void)
{
    ASSERT_LOCKED();
    size_t count;
    Site **list = sites_sorted(&count);
    for (size_t i = 0; i < count; i++) {
        write_trace(list[i]->trace);
        if (list[i]->cls)
            write_class(list[i]->cls);
    }
    if (hprof.options.binary)
        write_sites(list, count);
    else
        print_sites(list, count);
    free(list);
}
