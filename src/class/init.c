// SPDX-License-Identifier: Apache-2.0
// Initialisation of classes (JVMS 5.5).
//
// Class.init_lock guards state and init_thread. It is never held while Java code runs: the
// state INITIALIZING and init_thread keep others out, who wait on init_cond in a safe state.
#include "base/log.h"
#include "class/loader.h"
#include "class/vm_classes.h"
#include "java/call.h"
#include "java/describe.h"
#include "java/exception.h"
#include "java/java_object.h"
#include "java/string.h"

typedef enum InitTurn { TURN_MINE, TURN_DONE, TURN_ERROR } InitTurn;

// Steps 1-6: waits for other initialisers and takes the turn.
static InitTurn take_turn(Thread *self, Class *c)
{
    InitTurn turn = TURN_MINE;
    thread_lock(self, &c->init_lock);
    while (class_state(c) == CLASS_INITIALIZING && c->init_thread != self) {
        self->initializing = c; // for thread dumps
        thread_cond_wait(self, &c->init_cond, &c->init_lock, -1);
    }
    self->initializing = NULL;
    ClassState s = class_state(c);
    if (s == CLASS_INITIALIZED || s == CLASS_INITIALIZING) {
        turn = TURN_DONE;
    } else if (s == CLASS_ERROR) {
        turn = TURN_ERROR;
    } else {
        c->init_thread = self;
        atomic_store_explicit(&c->state, CLASS_INITIALIZING, memory_order_release);
    }
    mutex_unlock(&c->init_lock);
    return turn;
}

static void end_turn(Thread *self, Class *c, ClassState s)
{
    thread_lock(self, &c->init_lock);
    c->init_thread = NULL;
    atomic_store_explicit(&c->state, s, memory_order_release);
    cond_broadcast(&c->init_cond);
    mutex_unlock(&c->init_lock);
}

static bool throw_erroneous(Thread *self, Class *c)
{
    char *name = class_external_name(c);
    throw_cause(self, "java/lang/NoClassDefFoundError", c->init_error,
                "Could not initialize class %s", name);
    vm_free(name);
    return false;
}

static char *current_thread_name(Thread *self)
{
    Object *t = deref(self->java_thread);
    char *name = t ? string_to_mutf8(object_get_ref(t, OFF(Thread, name))) : NULL;
    return name ? name : vm_strdup("main");
}

static void copy_trace(Object *from, Object *to)
{
    object_set_ref(to, OFF(Throwable, backtrace),
                   object_get_ref(from, OFF(Throwable, backtrace)));
    object_set_ref(to, OFF(Throwable, stackTrace),
                   object_get_ref(from, OFF(Throwable, stackTrace)));
    object_set_int(to, OFF(Throwable, depth), object_get_int(from, OFF(Throwable, depth)));
}

// Keeps a copy of the failure, to be the cause of later NoClassDefFoundErrors.
static void record_failure(Thread *self, Class *c, jobject failure)
{
    char *name = class_external_name(object_class(deref(failure)));
    char *message =
        string_to_mutf8(object_get_ref(deref(failure), OFF(Throwable, detailMessage)));
    char *thread = current_thread_name(self);
    char *text = vm_asprintf("Exception %s%s%s [in thread \"%s\"]", name, message ? ": " : "",
                             message ? message : "", thread);
    jobject copy = exception_new(self, CLS(ExceptionInInitializerError), text, NULL);
    if (copy) {
        object_set_ref(deref(copy), OFF(Throwable, cause), NULL);
        copy_trace(deref(failure), deref(copy));
        c->init_error = loader_data_ref(class_loader_data(c), deref(copy));
    }
    self->exception = NULL;
    vm_free(name);
    vm_free(message);
    vm_free(thread);
    vm_free(text);
}

// Steps 7, 10, 11 on failure: the exception pending is what the caller sees.
static bool fail(Thread *self, Class *c, bool wrap)
{
    HANDLE_SCOPE(self);
    jobject failure = exception_take(self);
    record_failure(self, c, failure);
    if (wrap && !object_is_instance(deref(failure), CLS(Error))) {
        jvalue arg = {.l = failure};
        jobject wrapped = object_construct(self, CLS(ExceptionInInitializerError),
                                           "(Ljava/lang/Throwable;)V", &arg);
        failure = wrapped ? wrapped : exception_take(self);
    }
    end_turn(self, c, CLASS_ERROR);
    throw_object(self, deref(failure));
    return false;
}

// Superinterfaces that declare default methods, supers first, in declaration order.
static bool initialize_interfaces(Thread *self, Class *c)
{
    for (uint16_t i = 0; i < c->interface_count; i++) {
        Class *iface = c->interfaces[i];
        if (!initialize_interfaces(self, iface))
            return false;
        if (iface->has_default_methods && !class_ready(self, iface)
            && !class_initialize(self, iface))
            return false;
    }
    return true;
}

static bool initialize_supers(Thread *self, Class *c)
{
    if (class_is_interface(c))
        return true;
    if (c->super && !class_ready(self, c->super) && !class_initialize(self, c->super))
        return false;
    return initialize_interfaces(self, c);
}

bool class_initialize(Thread *self, Class *c)
{
    ASSERT_NO_LOCKS();
    ASSERT_MAY_GC(self);
    if (class_ready(self, c))
        return true;
    HANDLE_SCOPE(self);
    if (class_state(c) == CLASS_LOADED && !class_link(self, c))
        return false;
    switch (take_turn(self, c)) {
    case TURN_DONE: return true;
    case TURN_ERROR: return throw_erroneous(self, c);
    case TURN_MINE: break;
    }
    if (c->kind == 'L') {
        static _Atomic int count;
        LOG(LOG_CLASS_INIT, LOG_INFO, "%d Initializing '%s'%s (%p)", count++, c->name->s,
            class_declared_method(c, SYM(clinit), SYM(void_sig)) ? "" : "(no method)",
            (void *)c);
        if (!initialize_supers(self, c))
            return fail(self, c, false);
        Method *clinit = class_declared_method(c, SYM(clinit), SYM(void_sig));
        if (clinit && method_is_static(clinit) && !java_call(self, clinit, NULL, NULL))
            return fail(self, c, true);
    }
    end_turn(self, c, CLASS_INITIALIZED);
    return true;
}
