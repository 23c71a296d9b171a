// SPDX-License-Identifier: Apache-2.0
// Exceptions thrown and reported by the VM. Unless said otherwise: MAY_GC, results are local handles (jobject) of the current
// scope, NULL (false) with the exception pending.
#ifndef JAVA_EXCEPTION_H
#define JAVA_EXCEPTION_H

#include "class/class.h"

static inline bool exception_pending(Thread *self)
{
    return UNLIKELY(self->exception != NULL);
}
// Throws a new exception of a well-known or any boot class ("java/lang/…"); message may be
// NULL. No stack overflow, no lost error: if making it fails, what it failed with is pending. A
// pending exception is replaced.
COLD MAY_GC void throw_new(Thread *self, const char *cls, const char *fmt, ...) PRINTF(3, 4);
COLD MAY_GC void throw_null(Thread *self, const char *cls); // without message
COLD MAY_GC void throw_class(Thread *self, Class *cls,
                             const char *message /* mUTF-8 or NULL */);
COLD void throw_object(Thread *self, Object *throwable); // sets pending
// initCause
COLD MAY_GC void throw_cause(Thread *self, const char *cls, jobject cause, const char *fmt, ...)
    PRINTF(4, 5);
// "Java heap space" …: preallocated; posts RESOURCE_EXHAUSTED
COLD MAY_GC void throw_out_of_memory(Thread *self, const char *message);
// Until this is called, after System.initPhase1, a lack of memory for metadata ends the process with
// one line, as in HotSpot. By the main thread.
void exceptions_started(void);
// How the heap is dumped when -XX:+HeapDumpOnOutOfMemoryError asks for it. At start.
void exceptions_set_heap_dump(void (*dump)(Thread *self));
COLD MAY_GC void throw_stack_overflow(Thread *self);
static inline jobject exception_take(Thread *self) // clears; a local handle, NULL when none
{
    jobject h = self->exception ? handle_new(self, self->exception) : NULL;
    self->exception = NULL;
    return h;
}
static inline void exception_set(Thread *self, jobject h)
{
    self->exception = deref(h);
}
// What was pending, whether EXCEPTION has been posted for it, while others may be thrown and caught.
typedef struct ExceptionAside {
    jobject exception; // NULL: nothing was
    bool is_reported;
} ExceptionAside;
static inline ExceptionAside exception_put_aside(Thread *self)
{
    bool is_reported = self->exception_reported == self->exception;
    return (ExceptionAside){exception_take(self), is_reported};
}
static inline void exception_put_back(Thread *self, ExceptionAside a)
{
    exception_set(self, a.exception);
    if (a.exception && a.is_reported)
        self->exception_reported = self->exception;
}
// A throwable, its frames and its causes as text, without running Java. NO_GC; vm_free it.
char *exception_text(Object *throwable);
// to stderr, by printStackTrace; never throws
MAY_GC void exception_print(Thread *self, jobject throwable, const char *prefix);
bool exceptions_init(Thread *self); // preallocates
// A new exception without throwing it; message and cause may be NULL.
NODISCARD MAY_GC jobject exception_new(Thread *self, Class *cls, const char *message,
                                       jobject cause);

#endif
