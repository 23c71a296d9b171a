// SPDX-License-Identifier: Apache-2.0
// Leaving the top frame early (JVM TI, Stack Frame: PopFrame; Force Early Return). The frame is
// flagged in a handshake with its thread or by itself; the engine does the rest.
#include "java/engine.h"

#include "jvmti/generated/decl.h"

// The frame that t may be made to leave. t is self or in a handshake. One that waits to enter a monitor would
// not leave its frame before it has it, and who waits for that (jdwp does) might be what it waits for.
static jvmtiError find_frame(Thread *self, Thread *t, FrameCursor *f)
{
    if (t != self && !t->suspended)
        return JVMTI_ERROR_THREAD_NOT_SUSPENDED;
    if (!cursor_first(f, t))
        return JVMTI_ERROR_NO_MORE_FRAMES;
    if (f->kind == KIND_NATIVE || !cursor_is_current(f) || (t != self && t->blocked_on))
        return JVMTI_ERROR_OPAQUE_FRAME;
    return engine->frame_exit_is_requested(t) ? JVMTI_ERROR_INTERNAL : JVMTI_ERROR_NONE;
}

jvmtiError ti_PopFrame(Thread *self, TiEnv *env, Thread *thread)
{
    (void)env;
    FrameCursor f;
    thread_handshake(self, thread);
    jvmtiError error = find_frame(self, thread, &f);
    if (error == JVMTI_ERROR_NONE && !cursor_older(&f))
        error = JVMTI_ERROR_NO_MORE_FRAMES;
    else if (error == JVMTI_ERROR_NONE && !engine->pop_frame(thread))
        error = JVMTI_ERROR_OPAQUE_FRAME;
    thread_handshake_end(self, thread);
    return error;
}

// I of a method that returns int, short, char, byte or boolean; L of one that returns references.
static char result_kind(const Method *m)
{
    switch (m->ret) {
    case 'Z':
    case 'B':
    case 'C':
    case 'S': return 'I';
    case '[': return 'L';
    default: return m->ret;
    }
}

static bool fits_result(const Method *m, char kind, jvalue value)
{
    if (result_kind(m) != kind)
        return false;
    const Object *o = kind == 'L' ? deref(value.l) : NULL;
    const char *type = strchr(m->desc->s, ')') + 1;
    return !o || class_fits_descriptor(object_class(o), type, strlen(type));
}

static jvmtiError force_return(Thread *self, Thread *thread, char kind, jvalue value)
{
    FrameCursor f;
    thread_handshake(self, thread);
    jvmtiError error = find_frame(self, thread, &f);
    if (error == JVMTI_ERROR_NONE && !fits_result(f.method, kind, value))
        error = JVMTI_ERROR_TYPE_MISMATCH;
    if (error == JVMTI_ERROR_NONE)
        engine->force_return(thread, value);
    thread_handshake_end(self, thread);
    return error;
}

#define FORCE(name, type, kind, member)                                                        \
    jvmtiError ti_ForceEarlyReturn##name(Thread *self, TiEnv *env, Thread *thread, type value) \
    {                                                                                          \
        (void)env;                                                                             \
        return force_return(self, thread, kind, (jvalue){.member = value});                    \
    }
FORCE(Object, jobject, 'L', l)
FORCE(Int, jint, 'I', i)
FORCE(Long, jlong, 'J', j)
FORCE(Float, jfloat, 'F', f)
FORCE(Double, jdouble, 'D', d)
#undef FORCE

jvmtiError ti_ForceEarlyReturnVoid(Thread *self, TiEnv *env, Thread *thread)
{
    (void)env;
    return force_return(self, thread, 'V', (jvalue){0});
}
