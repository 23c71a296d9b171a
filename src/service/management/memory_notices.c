// SPDX-License-Identifier: Apache-2.0
// See memory_notices.h. notices_lock guards the sensors' state and the queue of collections; it
// is held for moments only: the thread that collects takes it too.
#include "service/management/memory_notices.h"

#include "class/vm_classes.h"
#include "event/event.h"
#include "java/box.h"
#include "java/call.h"
#include "java/java_object.h"
#include "java/java_thread.h"
#include "java/string.h"
#include "service/management/management.h"

#define USAGE_CLASS   "java/lang/management/MemoryUsage"
#define USAGE         "L" USAGE_CLASS ";"
#define GC_INFO_CLASS "com/sun/management/GcInfo"
#define GC_BUILDER    "Lcom/sun/management/internal/GcInfoBuilder;"

typedef struct Sensor {
    jobject sensor; // global; NULL: nobody listens
    int64_t high, low;
    bool on;              // as it will be once what is pending is delivered
    int triggers, clears; // pending
    PoolUsage usage;      // at the last trigger
} Sensor;
typedef struct GcNotice {
    ManagerId collector;
    const char *cause;
    int64_t wall_ms;
    GcRecord record;
} GcNotice;

static Mutex notices_lock = MUTEX_INIT(RANK_MANAGEMENT);
static Cond arrived;
static Sensor sensors[POOL_COUNT][SENSOR_KINDS];
static VEC(GcNotice) gc_notices;
static _Atomic bool gc_enabled[MANAGER_COUNT];
static bool thread_started, news; // news: something may be pending

// ---- what is noticed; notices_lock is held ----

static bool sensor_is_active(const Sensor *s)
{
    return s->sensor && s->high > 0;
}

static void sensor_trigger(Sensor *s, PoolUsage u)
{
    s->on = true;
    s->triggers++;
    s->clears = 0;
    s->usage = u;
}

// A usage sensor is triggered once when the threshold is crossed upwards.
static bool sensor_note_usage(Sensor *s, PoolUsage u)
{
    if (!sensor_is_active(s))
        return false;
    if (!s->on && u.used >= s->high) {
        sensor_trigger(s, u);
        return true;
    }
    if (!s->on || u.used >= s->low)
        return false;
    s->on = false;
    s->clears++;
    return true;
}

// A collection sensor is triggered by each collection that leaves too much.
static bool sensor_note_collection(Sensor *s, PoolUsage u)
{
    if (!sensor_is_active(s) || u.used < s->high)
        return sensor_note_usage(s, u);
    sensor_trigger(s, u);
    return true;
}

static void announce(void)
{
    news = true;
    cond_signal(&arrived);
}

static void note_usages(const PoolUsage *usages)
{
    for (int i = 0; i < POOL_COUNT; i++)
        if (sensor_note_usage(&sensors[i][SENSOR_USAGE], usages[i]))
            announce();
}

static void notice_usage(void)
{
    PoolUsage now[POOL_COUNT];
    pool_usages(now);
    mutex_lock(&notices_lock);
    note_usages(now);
    mutex_unlock(&notices_lock);
}

static void notice_class(Thread *self, EventId id, const void *payload)
{
    (void)self, (void)payload;
    if (id == EVENT_CLASS_PREPARE)
        notice_usage();
}

void notices_after_gc(bool full)
{
    ASSERT_WORLD_STOPPED();
    ManagerId collector = gc_collector(full);
    const GcRecord *r = gc_last_record(collector);
    mutex_lock(&notices_lock);
    for (int i = 0; i < POOL_COUNT; i++)
        if (pool_is_managed_by((PoolId)i, collector)
            && sensor_note_collection(&sensors[i][SENSOR_COLLECTION], r->after[i]))
            announce();
    note_usages(r->after);
    if (atomic_load(&gc_enabled[collector])) {
        GcNotice n = {collector, heap_gc_cause(), os_wall_millis(), *r};
        vec_push(&gc_notices, n);
        announce();
    }
    mutex_unlock(&notices_lock);
}

// ---- what is asked for ----

// Usage is looked at while somebody waits for a threshold: the heap's where it is allocated, that of
// class metadata where classes are prepared. notices_lock is held. Whether classes are to be watched.
static bool watch_choose(void)
{
    ASSERT_HELD(&notices_lock);
    bool heap = false, native = false;
    for (int i = 0; i < POOL_COUNT; i++)
        *(pool_specs[i].is_heap ? &heap : &native) |=
            sensor_is_active(&sensors[i][SENSOR_USAGE]);
    heap_watch(heap ? notice_usage : NULL);
    return native;
}

static void watch_update(void)
{
    static bool watching_classes, subscribed;
    mutex_lock(&notices_lock);
    bool native = watch_choose(), change = native != watching_classes;
    watching_classes = native;
    bool first = !subscribed && native;
    subscribed |= native;
    mutex_unlock(&notices_lock);
    if (first)
        event_subscribe(notice_class);
    if (change)
        event_want(EVENT_CLASS_PREPARE, native ? 1 : -1);
    notice_usage();
}

void sensor_set(Object *sensor, PoolId pool, SensorKind kind)
{
    jobject global = global_new(sensor);
    mutex_lock(&notices_lock);
    jobject old = sensors[pool][kind].sensor;
    sensors[pool][kind].sensor = global;
    mutex_unlock(&notices_lock);
    global_delete(old);
    watch_update();
}

int64_t sensor_set_threshold(PoolId pool, SensorKind kind, bool high, int64_t bytes)
{
    mutex_lock(&notices_lock);
    Sensor *s = &sensors[pool][kind];
    int64_t *threshold = high ? &s->high : &s->low, old = *threshold;
    *threshold = bytes;
    mutex_unlock(&notices_lock);
    watch_update();
    return old;
}

void gc_notices_enable(ManagerId collector, bool on)
{
    atomic_store(&gc_enabled[collector], on);
}

// ---- delivery ----

jobject memory_usage_object(Thread *self, PoolUsage u)
{
    ASSERT_MAY_GC(self);
    Class *c = loader_load(self, loader_boot, symbol_intern(USAGE_CLASS), true);
    return c ? object_construct(
               self, c, "(JJJJ)V",
               (jvalue[]){{.j = u.init}, {.j = u.used}, {.j = u.committed}, {.j = u.max}})
             : NULL;
}

// A method of the receiver's class, by names; a listener's exceptions are its own.
static jobject call_by_name(Thread *self, jobject receiver, const char *name, const char *desc,
                            jvalue *args)
{
    jvalue result = {.l = NULL};
    Method *m = class_find_method(object_class(deref(receiver)), symbol_intern(name),
                                  symbol_intern(desc));
    args[0].l = receiver;
    if (!m || !java_call(self, m, args, &result))
        self->exception = NULL;
    return result.l;
}

// Triggers that were cleared again before they were delivered only count.
static void deliver_sensor(Thread *self, const Sensor *s)
{
    if (s->clears) {
        call_by_name(self, s->sensor, "clear", "(I)V", (jvalue[]){{0}, {.i = s->triggers}});
        return;
    }
    jobject usage = memory_usage_object(self, s->usage);
    if (usage)
        call_by_name(self, s->sensor, "trigger", "(I" USAGE ")V",
                     (jvalue[]){{0}, {.i = s->triggers}, {.l = usage}});
    self->exception = NULL;
}

static jobject usage_array(Thread *self, const PoolUsage *usages)
{
    Class *c = loader_load(self, loader_boot, symbol_intern("[" USAGE), true);
    jobject array = c ? array_new(self, c, POOL_COUNT) : NULL;
    for (int i = 0; array && i < POOL_COUNT; i++) {
        jobject usage = memory_usage_object(self, usages[i]);
        if (!usage)
            return NULL;
        array_set_ref(deref(array), i, deref(usage));
    }
    return array;
}

static jobject gc_info(Thread *self, jobject builder, const GcRecord *r)
{
    Class *c = loader_load(self, loader_boot, symbol_intern(GC_INFO_CLASS), true);
    Class *objects = class_array_of(self, CLS(Object));
    jobject before = c ? usage_array(self, r->before) : NULL;
    jobject after = before ? usage_array(self, r->after) : NULL;
    jobject extra = after && objects ? array_new(self, objects, 1) : NULL;
    jobject threads = extra ? box_value(self, 'I', (jvalue){.i = 1}) : NULL;
    if (!threads)
        return NULL;
    array_set_ref(deref(extra), 0, deref(threads));
    return object_construct(self, c,
                            "(" GC_BUILDER "JJJ[" USAGE "[" USAGE "[Ljava/lang/Object;)V",
                            (jvalue[]){{.l = builder},
                                       {.j = (jlong)r->index},
                                       {.j = r->start_nanos / 1000000},
                                       {.j = r->end_nanos / 1000000},
                                       {.l = before},
                                       {.l = after},
                                       {.l = extra}});
}

static void deliver_gc(Thread *self, const GcNotice *n)
{
    bool full = n->collector == gc_collector(true);
    jobject bean = manager_bean(self, n->collector);
    jobject builder =
        bean ? call_by_name(self, bean, "getGcInfoBuilder", "()" GC_BUILDER, (jvalue[]){{0}})
             : NULL;
    jobject info = builder ? gc_info(self, builder, &n->record) : NULL;
    jobject name = info ? string_from_mutf8(self, manager_names[n->collector]) : NULL;
    jobject action =
        name ? string_from_mutf8(self, full ? "end of major GC" : "end of minor GC") : NULL;
    jobject cause = action ? string_from_mutf8(self, n->cause) : NULL;
    if (cause)
        call_by_name(
            self, bean, "createGCNotification",
            "(JLjava/lang/String;Ljava/lang/String;Ljava/lang/String;L" GC_INFO_CLASS ";)V",
            (jvalue[]){
                {0}, {.j = n->wall_ms}, {.l = name}, {.l = action}, {.l = cause}, {.l = info}});
    self->exception = NULL;
}

typedef struct Work { // one thing to deliver: sensor.sensor (a local handle) or gc.cause is set
    Sensor sensor;
    GcNotice gc;
} Work;

// notices_lock is held, self IN_VM. False: nothing is pending.
static bool work_take(Thread *self, Work *w)
{
    ASSERT_HELD(&notices_lock);
    ASSERT_IN_VM(self);
    *w = (Work){.sensor = {.sensor = NULL}};
    for (int i = 0; i < POOL_COUNT * SENSOR_KINDS; i++) {
        Sensor *s = &sensors[i / SENSOR_KINDS][i % SENSOR_KINDS];
        if (!s->triggers && !s->clears)
            continue;
        w->sensor = *s;
        w->sensor.sensor = handle_new(self, deref(s->sensor));
        s->triggers = s->clears = 0;
        if (w->sensor.sensor)
            return true;
    }
    if (gc_notices.len == 0)
        return false;
    w->gc = gc_notices.at[0];
    memmove(gc_notices.at, gc_notices.at + 1, --gc_notices.len * sizeof w->gc);
    return true;
}

static bool deliver_next(Thread *self)
{
    HANDLE_SCOPE(self);
    Work w;
    mutex_lock(&notices_lock);
    bool any = work_take(self, &w);
    mutex_unlock(&notices_lock);
    if (any && w.sensor.sensor)
        deliver_sensor(self, &w.sensor);
    else if (any)
        deliver_gc(self, &w.gc);
    return any;
}

static void run_notices(Thread *self, void *arg)
{
    (void)arg;
    for (;;) {
        if (deliver_next(self))
            continue;
        thread_leave_vm(self, THREAD_WAITING);
        mutex_lock(&notices_lock);
        while (!news)
            cond_wait(&arrived, &notices_lock);
        news = false;
        mutex_unlock(&notices_lock);
        thread_enter_vm(self);
    }
}

bool notices_start(Thread *self)
{
    ASSERT_MAY_GC(self);
    mutex_lock(&notices_lock);
    bool start = !thread_started;
    if (start)
        cond_init(&arrived);
    thread_started = true;
    mutex_unlock(&notices_lock);
    return !start || java_thread_start_vm(self, "Notification Thread", 9, run_notices, NULL);
}
