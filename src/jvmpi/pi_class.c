// SPDX-License-Identifier: Apache-2.0
// CLASS_LOAD. A class is reported when it is loaded, or just before another thread's event names
// it: it can be found, and its objects made, before its loading thread has reported it. Class.tool_data
// says how far that is: NULL, the thread that reports it, or reported_mark.
#include "jvmpi/pi.h"

enum { WAIT_NANOS = 20 * 1000, WAIT_ROUNDS = 5000 };
static char reported_mark;
#define REPORTED ((void *)&reported_mark)
static bool reports_on_sight; // agents were there from the start: what is not reported is new

void pi_classes_start(bool from_the_start)
{
    reports_on_sight = from_the_start;
}

// ---- the event ----
static char *text(const Symbol *s)
{
    return (char *)(uintptr_t)s->s;
}

// Lines of the first and last instruction in the source, -1 when unknown.
static void find_lines(const Method *m, jint *start, jint *end)
{
    uint32_t count;
    LineEntry *lines = method_lines(m, &count);
    *start = *end = -1;
    for (uint32_t i = 0; i < count; i++) {
        jint line = lines[i].line;
        if (*start < 0 || line < *start)
            *start = line;
        *end = MAX_OF(*end, line);
    }
    vm_free(lines);
}

static JVMPI_Method *methods_of(const Class *c, jint *count)
{
    JVMPI_Method *list = vm_calloc(c->method_count + 1u, sizeof *list);
    *count = 0;
    METHOD_EACH (m, c) {
        JVMPI_Method *row = &list[(*count)++];
        row->method_name = text(m->name);
        row->method_signature = text(m->desc);
        find_lines(m, &row->start_lineno, &row->end_lineno);
        row->method_id = method_id(m);
    }
    return list;
}

// In the order in which dumps hold their values.
static JVMPI_Field *fields_of(const Class *c, bool is_static, jint *count)
{
    JVMPI_Field *list = vm_calloc(c->field_count + 1u, sizeof *list);
    *count = 0;
    FIELD_EACH (f, c)
        if (!(f->access & ACC_STATIC) != is_static)
            list[(*count)++] = (JVMPI_Field){text(f->name), text(f->desc)};
    return list;
}

static char *source_of(const Class *c)
{
    if (!c->cf || !c->cf->source_file)
        return NULL;
    Bytes name = cf_utf8(c->cf, c->cf->source_file);
    return vm_asprintf("%.*s", (int)name.len, (const char *)name.p);
}

void pi_send_class_load(Thread *self, Class *c, PiAgent *only)
{
    ASSERT_MAY_GC(self);
    JVMPI_Event e = {.event_type = JVMPI_EVENT_CLASS_LOAD};
    e.u.class_load.class_name = text(c->name);
    e.u.class_load.source_name = source_of(c);
    e.u.class_load.num_interfaces = c->interface_count;
    e.u.class_load.methods = methods_of(c, &e.u.class_load.num_methods);
    e.u.class_load.statics = fields_of(c, true, &e.u.class_load.num_static_fields);
    e.u.class_load.instances = fields_of(c, false, &e.u.class_load.num_instance_fields);
    pi_begin_gc_off(self);
    e.u.class_load.class_id = pi_id(class_mirror(c));
    pi_send_gc_off(self, only, &e);
    vm_free(e.u.class_load.source_name);
    vm_free(e.u.class_load.methods);
    vm_free(e.u.class_load.statics);
    vm_free(e.u.class_load.instances);
}

// ---- once ----
// Until the other thread has reported it, but not for long: it may need what self holds.
static void wait_reported(Thread *self, Class *c)
{
    if (heap_critical_depth() > 0)
        return;
    thread_leave_vm(self, THREAD_BLOCKED);
    for (int i = 0; i < WAIT_ROUNDS && atomic_load(&c->tool_data) != REPORTED; i++)
        os_sleep_nanos(WAIT_NANOS);
    thread_enter_vm(self);
}

static void report(Thread *self, Class *c)
{
    void *state = NULL;
    if (!atomic_compare_exchange_strong(&c->tool_data, &state, self)) {
        if (state != REPORTED && state != self)
            wait_reported(self, c);
        return;
    }
    if (pi_is_wanted(JVMPI_EVENT_CLASS_LOAD))
        pi_send_class_load(self, c, NULL);
    atomic_store(&c->tool_data, REPORTED);
}

bool pi_class_is_known(const Class *c)
{
    return !reports_on_sight || atomic_load(&c->tool_data) == REPORTED;
}

void pi_report_class(Thread *self, Class *c, bool is_new)
{
    ASSERT_MAY_GC(self);
    if (atomic_load_explicit(&c->tool_data, memory_order_acquire) != REPORTED
        && (is_new || reports_on_sight))
        report(self, c);
}
