// SPDX-License-Identifier: Apache-2.0
// Making and throwing Java exceptions from C. Exceptions are constructed by their Java
// constructors, except OutOfMemoryError and StackOverflowError, which must be possible when
// neither memory nor stack is left, and everything thrown before the engine can run Java code;
// those get their fields set directly.
//
// A thread that keeps failing while it makes an exception (nesting deeper than NESTING_MAX)
// falls back to the direct way; while it loads the class, as when a tool spoils all class files,
// to the last resort.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/command_list.h"
#include "base/log.h"
#include "base/output.h"
#include "base/recent.h"
#include "class/loader.h"
#include "class/vm_classes.h"
#include "event/event.h"
#include "frame/frame_cursor.h"
#include "java/call.h"
#include "java/describe.h"
#include "java/engine.h"
#include "java/exception.h"
#include "java/java_object.h"
#include "java/shutdown.h"
#include "java/stacktrace.h"
#include "java/string.h"
#include "options/options.h"

enum { NESTING_MAX = 6 };
enum {
    EXHAUSTED_OOM = 1,
    EXHAUSTED_HEAP = 2,
    EXHAUSTED_THREADS = 4
}; // JVM TI ResourceExhausted

static const char *const oom_texts[] = {
    "Java heap space",
    "Metaspace",
    "Compressed class space",
    "Requested array size exceeds VM limit",
    "GC overhead limit exceeded",
};
static jobject oom_errors[ARRAY_LEN(oom_texts)]; // global; preallocated
static jobject last_resort;                      // global; a VirtualMachineError-like object
static bool
    started; // from here on a lack of memory for metadata can be thrown; by the main thread
static uint32_t suppressed_offset,
    sentinel_offset; // Throwable.suppressedExceptions, SUPPRESSED_SENTINEL
static _Thread_local int nesting;

static void log_thrown(Thread *self, Object *e)
{
    char *message = string_to_utf8(object_get_ref(e, OFF(Throwable, detailMessage)));
    FrameCursor f;
    Object *thread = self->java_thread ? deref(self->java_thread) : NULL;
    char *name = thread ? string_to_utf8(object_get_ref(thread, OFF(Thread, name))) : NULL;
    StrBuf sb = {0};
    sb_printf(&sb, "Exception <a '%s'{%p}%s%s>\n thrown", object_class(e)->name->s, (void *)e,
              message ? ": " : "", message ? message : "");
    if (cursor_first(&f, self))
        sb_printf(&sb, " in interpreter method <{method} {%p} '%s' '%s' in '%s'>\n at bci %d",
                  (void *)f.method, f.method->name->s, f.method->desc->s,
                  f.method->cls->name->s, f.bci);
    LOG(LOG_EXCEPTIONS, LOG_INFO, "%s for thread %p (%s)", sb.s, (void *)self,
        name ? name : "");
    sb_free(&sb);
    vm_free(message);
    vm_free(name);
}

// What the VM itself throws is kept for the crash report.
static void throw_own(Thread *self, Object *e)
{
    char *message = string_to_utf8(object_get_ref(e, OFF(Throwable, detailMessage)));
    FrameCursor f;
    bool in_method = cursor_first(&f, self);
    recent_add(RECENT_EXCEPTIONS, "Exception %s%s%s thrown in %s.%s at bci %d",
               object_class(e)->name->s, message ? ": " : "", message ? message : "",
               in_method ? f.method->cls->name->s : "?", in_method ? f.method->name->s : "?",
               in_method ? f.bci : -1);
    vm_free(message);
    throw_object(self, e);
}

void throw_object(Thread *self, Object *throwable)
{
    ASSERT_IN_VM(self);
    ASSERT_INSTANCE(throwable);
    if (self->exception != throwable)
        self->exception_reported = NULL; // thrown again it is reported again
    self->exception = throwable;
    if (log_on(LOG_EXCEPTIONS, LOG_INFO))
        log_thrown(self, throwable);
}

// State as the initialisers of Throwable leave it, without running Java.
static void set_fresh_fields(Object *e, Object *message)
{
    Object *statics = class_mirror(CLS(Throwable));
    object_set_ref(e, OFF(Throwable, detailMessage), message);
    object_set_ref(e, OFF(Throwable, cause), e);
    object_set_ref(e, OFF(Throwable, stackTrace),
                   object_get_ref(statics, OFF(Throwable, UNASSIGNED_STACK)));
    if (suppressed_offset && sentinel_offset)
        object_set_ref(e, suppressed_offset, object_get_ref(statics, sentinel_offset));
}

// Allocates without constructor and without throwing. NULL when the heap is exhausted.
static jobject exception_allocate(Thread *self, Class *cls, const char *message)
{
    HANDLE_SCOPE(self);
    Object *o = heap_alloc(self, &cls->layout, cls->layout.instance_size);
    if (!o)
        return NULL;
    jobject h = handle_new(self, object_report_alloc(self, o));
    jobject text = message ? string_from_mutf8(self, message) : NULL;
    self->exception = NULL;
    set_fresh_fields(deref(h), deref(text));
    throwable_fill_stack_trace(self, h);
    self->exception = NULL;
    SCOPE_RETURN(h);
}

static jobject exception_construct(Thread *self, Class *cls, const char *message)
{
    if (!message)
        return object_construct(self, cls, "()V", NULL);
    Symbol *desc = symbol_intern("(Ljava/lang/String;)V");
    if (!class_declared_method(cls, SYM(init), desc)) {
        jobject e = object_construct(self, cls, "()V", NULL);
        if (!e)
            return NULL;
        jobject text = string_from_mutf8(self, message);
        if (text)
            object_set_ref(deref(e), OFF(Throwable, detailMessage), deref(text));
        return text ? e : NULL;
    }
    jvalue arg = {.l = string_from_mutf8(self, message)};
    return arg.l ? object_construct(self, cls, desc->s, &arg) : NULL;
}

static jobject exception_make(Thread *self, Class *cls, const char *message)
{
    if (!engine_is_set() || nesting >= NESTING_MAX)
        return exception_allocate(self, cls, message);
    nesting++;
    jobject e = exception_construct(self, cls, message);
    nesting--;
    return e;
}

jobject exception_new(Thread *self, Class *cls, const char *message, jobject cause)
{
    ASSERT_MAY_GC(self);
    ASSERT_HANDLE(cause);
    HANDLE_SCOPE(self);
    jobject e = exception_make(self, cls, message);
    if (!e && !exception_pending(self))
        e = last_resort;
    if (!e)
        return NULL;
    if (cause)
        object_set_ref(deref(e), OFF(Throwable, cause), deref(cause));
    SCOPE_RETURN(e);
}

static void throw_made(Thread *self, Class *cls, const char *message, jobject cause)
{
    HANDLE_SCOPE(self);
    self->exception = NULL;
    jobject e = exception_new(self, cls, message, cause);
    if (e)
        throw_own(self, deref(e));
}

void throw_class(Thread *self, Class *cls, const char *message)
{
    ASSERT_MAY_GC(self);
    throw_made(self, cls, message, NULL);
}

// The class of an exception to throw; NULL when something else was thrown since there is none.
static Class *exception_class(Thread *self, const char *cls, const char *message)
{
    if (!CLS(Throwable)) {
        char text[256];
        snprintf(text, sizeof text, "%s%s%s", cls, message ? ": " : "", message ? message : "");
        vm_exit_during_initialization(self, text);
    }
    self->exception = NULL;
    Class *c = NULL;
    if (nesting < NESTING_MAX) {
        nesting++;
        c = loader_find_boot(self, symbol_intern(cls));
        nesting--;
    }
    if (c)
        return c;
    Class *error =
        exception_pending(self)
            ? NULL
            : loader_find_boot(self, symbol_intern("java/lang/NoClassDefFoundError"));
    if (error) {
        throw_class(self, error, cls);
    } else if (!exception_pending(self)) {
        VM_CHECK(last_resort);
        throw_own(self, deref(last_resort));
    }
    return NULL;
}

static void throw_text(Thread *self, const char *cls, const char *message, jobject cause)
{
    Class *c = exception_class(self, cls, message);
    if (c)
        throw_made(self, c, message, cause);
}

static char *format_message(const char *fmt, va_list ap)
{
    StrBuf sb = {0};
    if (!fmt)
        return NULL;
    sb_vprintf(&sb, fmt, ap);
    return sb.s ? sb.s : vm_strdup("");
}

static void throw_formatted(Thread *self, const char *cls, jobject cause, const char *fmt,
                            va_list ap)
{
    char *message = format_message(fmt, ap);
    throw_text(self, cls, message, cause);
    vm_free(message);
}

void throw_new(Thread *self, const char *cls, const char *fmt, ...)
{
    ASSERT_MAY_GC(self);
    va_list ap;
    va_start(ap, fmt);
    throw_formatted(self, cls, NULL, fmt, ap);
    va_end(ap);
}

void throw_cause(Thread *self, const char *cls, jobject cause, const char *fmt, ...)
{
    ASSERT_HANDLE(cause);
    va_list ap;
    va_start(ap, fmt);
    throw_formatted(self, cls, cause, fmt, ap);
    va_end(ap);
}

void throw_null(Thread *self, const char *cls)
{
    ASSERT_MAY_GC(self);
    throw_text(self, cls, NULL, NULL);
}

// ---- errors of exhaustion ----

static int exhausted_flags(const char *message)
{
    if (strcmp(message, "Java heap space") == 0 || strncmp(message, "GC overhead", 11) == 0)
        return EXHAUSTED_OOM | EXHAUSTED_HEAP;
    if (strstr(message, "native thread"))
        return EXHAUSTED_OOM | EXHAUSTED_THREADS;
    return EXHAUSTED_OOM;
}

// The preallocated error for a text, any for an unknown text.
static jobject oom_preallocated(const char *message)
{
    for (size_t i = 0; i < ARRAY_LEN(oom_texts); i++)
        if (strcmp(message, oom_texts[i]) == 0)
            return oom_errors[i];
    return oom_errors[0];
}

// The commands of -XX:OnOutOfMemoryError.
static void run_commands(const char *message)
{
    char command[4096];
    fprintf(vm_stdout(),
            "#\n# java.lang.OutOfMemoryError: %s\n# -XX:OnOutOfMemoryError=\"%s\"\n", message,
            vm_options.on_oom);
    for (const char *list = vm_options.on_oom;
         command_list_next(&list, command, sizeof command);) {
        fprintf(vm_stdout(), "#   Executing /bin/sh -c \"%s\"...\n", command);
        fflush(vm_stdout());
        if (system(command) == -1)
            fprintf(vm_stdout(), "%s\n", strerror(errno));
    }
    fflush(vm_stdout());
}

static void (*heap_dump)(Thread *self);

void exceptions_set_heap_dump(void (*dump)(Thread *self))
{
    heap_dump = dump;
}

// What -XX:+HeapDumpOnOutOfMemoryError, OnOutOfMemoryError, +ExitOnOutOfMemoryError and
// +CrashOnOutOfMemoryError ask for: at the first error that memory ran out, not threads.
static void act_when_asked(Thread *self, const char *message, int flags)
{
    static atomic_flag before = ATOMIC_FLAG_INIT;
    if ((flags & EXHAUSTED_THREADS) || atomic_flag_test_and_set(&before))
        return;
    if (options_now(vm_options.heap_dump_on_oom) && heap_dump && oom_errors[0]) {
        fprintf(vm_stdout(), "java.lang.OutOfMemoryError: %s\n", message);
        heap_dump(self);
    }
    if (vm_options.on_oom && *vm_options.on_oom)
        run_commands(message);
    if (vm_options.crash_on_oom) {
        fprintf(vm_stdout(), "Aborting due to java.lang.OutOfMemoryError: %s\n", message);
        fflush(vm_stdout());
        vm_fatal("OutOfMemory encountered: %s", message);
    }
    if (vm_options.exit_on_oom) {
        fprintf(vm_stdout(), "Terminating due to java.lang.OutOfMemoryError: %s\n", message);
        fflush(NULL);
        _exit(3);
    }
}

void exceptions_started(void)
{
    started = true;
}

static bool is_for_metadata(const char *message)
{
    return strcmp(message, "Metaspace") == 0 || strcmp(message, "Compressed class space") == 0;
}

// Before any can be thrown, the end; so also without memory for the classes of the first phase.
static void end_early(Thread *self, const char *message)
{
    if (CLS(OutOfMemoryError) && oom_errors[0] && (started || !is_for_metadata(message)))
        return;
    char *text = vm_asprintf("OutOfMemoryError: %s", message);
    vm_exit_during_initialization(self, text);
}

void throw_out_of_memory(Thread *self, const char *message)
{
    ASSERT_MAY_GC(self);
    HANDLE_SCOPE(self);
    self->exception = NULL;
    act_when_asked(self, message, exhausted_flags(message));
    end_early(self, message);
    if (nesting == 0)
        event_post(self, RESOURCE_EXHAUSTED, exhausted_flags(message), message);
    jobject e = NULL;
    if (nesting == 0) {
        nesting++; // making the text or the trace may run out of memory again
        e = exception_allocate(self, CLS(OutOfMemoryError), message);
        nesting--;
    }
    if (!e || !object_get_ref(deref(e), OFF(Throwable, detailMessage))) {
        e = oom_preallocated(message);
        Object *text = object_get_ref(deref(e), OFF(Throwable, detailMessage));
        set_fresh_fields(deref(e), text);
    }
    throw_own(self, deref(e));
}

void throw_stack_overflow(Thread *self)
{
    ASSERT_MAY_GC(self);
    HANDLE_SCOPE(self);
    self->exception = NULL;
    nesting++;
    jobject e = exception_allocate(self, CLS(StackOverflowError), NULL);
    nesting--;
    throw_own(self, deref(e ? e : oom_preallocated("Java heap space")));
}

bool exceptions_init(Thread *self)
{
    Field *suppressed =
        class_declared_field(CLS(Throwable), symbol_intern("suppressedExceptions"),
                             symbol_intern("Ljava/util/List;"));
    Field *sentinel = class_declared_field(CLS(Throwable), symbol_intern("SUPPRESSED_SENTINEL"),
                                           symbol_intern("Ljava/util/List;"));
    suppressed_offset = suppressed ? suppressed->offset : 0;
    sentinel_offset = sentinel ? sentinel->offset : 0;
    for (size_t i = 0; i < ARRAY_LEN(oom_texts); i++) {
        HANDLE_SCOPE(self);
        jobject e = exception_allocate(self, CLS(OutOfMemoryError), oom_texts[i]);
        if (!e)
            return false;
        oom_errors[i] = global_new(deref(e));
    }
    HANDLE_SCOPE(self);
    jobject e =
        exception_allocate(self, CLS(InternalError), "an exception class could not be loaded");
    if (!e)
        return false;
    last_resort = global_new(deref(e));
    return true;
}

// ---- printing ----

char *exception_text(Object *e)
{
    NO_GC_SCOPE();
    ASSERT_OBJECT_OR_NULL(e);
    StrBuf sb = {0};
    const char *prefix = "";
    for (Object *cause; e; e = cause, prefix = "Caused by: ") {
        char *name = class_external_name(object_class(e));
        char *message = string_to_utf8(object_get_ref(e, OFF(Throwable, detailMessage)));
        sb_printf(&sb, "%s%s%s%s\n", prefix, name, message ? ": " : "", message ? message : "");
        vm_free(name);
        vm_free(message);
        Method *m;
        int32_t bci;
        for (int i = 0; throwable_frame(e, i, &m, &bci); i++)
            describe_frame(&sb, m, bci);
        cause = object_get_ref(e, OFF(Throwable, cause));
        if (cause == e)
            break;
    }
    return sb.s;
}

static void print_plain(Object *e)
{
    char *text = exception_text(e);
    fputs(text, stderr);
    vm_free(text);
}

void exception_print(Thread *self, jobject throwable, const char *prefix)
{
    ASSERT_MAY_GC(self);
    ASSERT_HANDLE(throwable);
    HANDLE_SCOPE(self);
    jobject pending = exception_take(self);
    if (prefix)
        fputs(prefix, stderr);
    fflush(stderr);
    jvalue arg = {.l = throwable};
    if (!engine_is_set()
        || !java_call_virtual(self, MTH(Throwable, printStackTrace), &arg, NULL)) {
        self->exception = NULL;
        print_plain(deref(throwable));
    }
    exception_set(self, pending);
}
