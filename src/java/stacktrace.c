// SPDX-License-Identifier: Apache-2.0
// Stack traces of throwables and of threads.
//
// Throwable.backtrace is an Object[3]: a long[] of (Method *, place) pairs, youngest first, where a
// place is the bci and, from bit 32 on, the version of the class it belongs to; a
// Class[]-like Object[] of the mirrors of their classes, which keeps them alive; and the long[]
// again when the youngest frame was hidden (marker), else null.
#include "java/stacktrace.h"
#include "class/loader.h"
#include "class/vm_classes.h"
#include "java/exception.h"
#include "java/java_object.h"
#include "java/reflect.h"
#include "java/string.h"
#include "options/options.h"
#include "redefine/class_version.h"

typedef VEC(TraceEntry) Trace;

static bool is_hidden(const Method *m)
{
    return (m->flags & METHOD_HIDDEN) && !vm_options.show_hidden_frames;
}

static bool is_hidden_frame(const FrameCursor *f)
{
    return is_hidden(f->method);
}

TraceEntry trace_entry(const FrameCursor *f)
{
    const Method *m = f->method;
    return (TraceEntry){method_current(m), f->bci, m->pool ? m->pool->version : 0};
}

// The first frame that belongs to the trace: behind fillInStackTrace and the constructors of
// the throwable. False: there is none.
static bool skip_construction(FrameCursor *f, const Class *cls)
{
    bool found = f->method != NULL;
    while (found && strcmp(f->method->name->s, "fillInStackTrace") == 0
           && class_is_subclass(cls, f->method->cls))
        found = cursor_older(f);
    while (found && f->method->name == SYM(init) && class_is_subclass(cls, f->method->cls))
        found = cursor_older(f);
    return found;
}

static void push_entry(void *ctx, const FrameCursor *f)
{
    vec_push((Trace *)ctx, trace_entry(f));
}

static void collect(Thread *self, const Class *cls, Trace *trace, bool *top_hidden)
{
    FrameCursor f = cursor_youngest(self);
    *top_hidden = skip_construction(&f, cls) && is_hidden(f.method);
    uint32_t max =
        vm_options.max_trace_depth > 0 ? (uint32_t)vm_options.max_trace_depth : UINT32_MAX;
    frames_trace_methods(&f, max, is_hidden_frame, push_entry, trace);
}

static jobject backtrace_longs(Thread *self, const Trace *trace)
{
    jobject longs = array_new(self, class_primitive_array('J'), (int32_t)trace->len * 2);
    if (!longs)
        return NULL;
    int64_t *data = array_data(deref(longs));
    for (size_t i = 0; i < trace->len; i++) {
        const TraceEntry *e = &trace->at[i];
        data[i * 2] = (int64_t)(uintptr_t)e->method;
        data[i * 2 + 1] = (int64_t)((uint64_t)e->version << 32 | (uint32_t)e->bci);
    }
    return longs;
}

static jobject make_backtrace(Thread *self, const Trace *trace, bool top_hidden)
{
    HANDLE_SCOPE(self);
    Class *objects = class_array_of(self, CLS(Object));
    jobject longs = objects ? backtrace_longs(self, trace) : NULL;
    jobject mirrors = longs ? array_new(self, objects, (int32_t)trace->len) : NULL;
    jobject all = mirrors ? array_new(self, objects, 3) : NULL;
    if (!all)
        return NULL;
    for (size_t i = 0; i < trace->len; i++)
        array_set_ref(deref(mirrors), (int32_t)i, class_mirror(trace->at[i].method->cls));
    array_set_ref(deref(all), 0, deref(longs));
    array_set_ref(deref(all), 1, deref(mirrors));
    if (top_hidden)
        array_set_ref(deref(all), 2, deref(longs));
    SCOPE_RETURN(all);
}

void throwable_fill_stack_trace(Thread *self, jobject throwable)
{
    ASSERT_MAY_GC(self);
    ASSERT_HANDLE(throwable);
    HANDLE_SCOPE(self);
    if (!vm_options.stack_trace_in_throwable)
        return;
    Trace trace = {0};
    bool top_hidden = false;
    jobject pending = exception_take(self);
    object_set_ref(deref(throwable), OFF(Throwable, backtrace), NULL);
    collect(self, object_class(deref(throwable)), &trace, &top_hidden);
    jobject backtrace = make_backtrace(self, &trace, top_hidden);
    self->exception = NULL; // without memory there is no trace
    Object *t = deref(throwable);
    object_set_ref(t, OFF(Throwable, backtrace), deref(backtrace));
    object_set_int(t, OFF(Throwable, depth), backtrace ? (int32_t)trace.len : 0);
    object_set_ref(
        t, OFF(Throwable, stackTrace),
        object_get_ref(class_mirror(CLS(Throwable)), OFF(Throwable, UNASSIGNED_STACK)));
    vec_free(&trace);
    exception_set(self, pending);
}

static Object *backtrace_part(Object *throwable, int part)
{
    Object *b = object_get_ref(throwable, OFF(Throwable, backtrace));
    return b ? array_get_ref(b, part) : NULL;
}

int throwable_depth(Object *throwable)
{
    NO_GC_SCOPE();
    ASSERT_INSTANCE(throwable);
    Object *longs = backtrace_part(throwable, 0);
    return longs ? array_length(longs) / 2 : 0;
}

bool throwable_top_hidden(Object *throwable)
{
    return backtrace_part(throwable, 2) != NULL;
}

bool throwable_frame(Object *throwable, int i, Method **m, int32_t *bci)
{
    if (i < 0 || i >= throwable_depth(throwable))
        return false;
    const int64_t *data = array_data(backtrace_part(throwable, 0));
    uint64_t place = (uint64_t)data[i * 2 + 1];
    TraceEntry e = {(Method *)(uintptr_t)data[i * 2], (int32_t)place, (uint32_t)(place >> 32)};
    *m = trace_find_method(&e, bci);
    return true;
}

Method *trace_find_method(const TraceEntry *e, int32_t *bci)
{
    Method *then = method_of_version(e->method, e->version);
    *bci = then ? e->bci : TRACE_LOST;
    return then ? then : e->method;
}

// ---- StackTraceElement ----

static bool set_string(jobject element, uint32_t offset, jobject string)
{
    if (!string)
        return false;
    object_set_ref(deref(element), offset, deref(string));
    return true;
}

static bool set_file_name(Thread *self, jobject element, const ClassFile *cf)
{
    if (!cf || !cf->source_file)
        return true;
    Bytes b = cf_utf8(cf, cf->source_file);
    return set_string(element, OFF(StackTraceElement, fileName),
                      string_intern_mutf8_n(self, (const char *)b.p, b.len));
}

static bool set_module(Thread *self, jobject element, const Module *module)
{
    if (!module || !module->name)
        return true;
    if (!set_string(element, OFF(StackTraceElement, moduleName),
                    string_intern_symbol(self, module->name)))
        return false;
    return !module->version
           || set_string(element, OFF(StackTraceElement, moduleVersion),
                         string_intern_symbol(self, module->version));
}

bool stack_trace_element_fill(Thread *self, jobject element, Method *m, int32_t bci)
{
    ASSERT_MAY_GC(self);
    ASSERT_HANDLE(element);
    HANDLE_SCOPE(self);
    Class *c = m->cls;
    method_pin(self, m);
    object_set_ref(deref(element), OFF(StackTraceElement, declaringClassObject),
                   class_mirror(c));
    Object *loader = c->loader ? deref(c->loader->java_loader) : NULL;
    if (loader)
        object_set_ref(deref(element), OFF(StackTraceElement, classLoaderName),
                       object_get_ref(loader, OFF(ClassLoader, name)));
    object_set_int(deref(element), OFF(StackTraceElement, lineNumber),
                   method_is_native(m) ? -2 : method_line(m, bci));
    return set_string(element, OFF(StackTraceElement, declaringClass),
                      class_name_string(self, c))
           && set_string(element, OFF(StackTraceElement, methodName),
                         string_intern_symbol(self, m->name))
           && (bci == TRACE_LOST || set_file_name(self, element, method_class_file(m)))
           && set_module(self, element, c->module);
}

jobject stack_trace_element(Thread *self, const TraceEntry *e)
{
    ASSERT_MAY_GC(self);
    HANDLE_SCOPE(self);
    jobject element = object_new(self, CLS(StackTraceElement));
    int32_t bci;
    Method *m = trace_find_method(e, &bci);
    if (!element || !stack_trace_element_fill(self, element, m, bci))
        return NULL;
    SCOPE_RETURN(element);
}

static bool has_hidden_method(const FrameCursor *f)
{
    return f->method->flags & METHOD_HIDDEN;
}

static void put_entry(void *ctx, const FrameCursor *f)
{
    TraceEntry **next = ctx;
    *(*next)++ = trace_entry(f);
}

int thread_trace(Thread *t, int skip, int max, TraceEntry *out, bool show_hidden)
{
    NO_GC_SCOPE();
    ASSERT_STILL(t);
    FrameCursor f = cursor_youngest(t);
    bool (*skips)(const FrameCursor *) = show_hidden ? NULL : has_hidden_method;
    frames_trace_methods(&f, (uint32_t)MAX_OF(skip, 0), skips, NULL, NULL);
    return (int)frames_trace_methods(&f, (uint32_t)MAX_OF(max, 0), skips, put_entry, &out);
}
