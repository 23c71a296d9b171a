// SPDX-License-Identifier: Apache-2.0
// Objects: IDs, what kind they are, OBJECT_ALLOC, the functions that deal in IDs.
#include "class/vm_classes.h"
#include "java/java_object.h"
#include "jvmpi/pi.h"

typedef struct PiUnreported {
    jobject object;
    struct PiUnreported *next;
} PiUnreported;

// ---- IDs ----
Object *pi_object(jobjectID id)
{
    Object *o = (Object *)(uintptr_t)id;
    if ((uintptr_t)o % OBJECT_ALIGN || !heap_contains(o) || o->klass == 0)
        return NULL;
    const Class *c = object_class(o);
    if (!class_space_contains(c) || !c->mirror || !heap_contains(class_mirror(c)))
        return NULL;
    return object_class(class_mirror(c)) == CLS(Class) ? o : NULL;
}

Class *pi_class_of_id(jobjectID id)
{
    const Object *o = pi_object(id);
    return o && object_class(o) == CLS(Class) ? class_of_mirror(o) : NULL;
}

// ---- kinds ----
jint pi_type_of_kind(char kind)
{
    switch (kind) {
    case 'Z': return JVMPI_BOOLEAN;
    case 'C': return JVMPI_CHAR;
    case 'F': return JVMPI_FLOAT;
    case 'D': return JVMPI_DOUBLE;
    case 'B': return JVMPI_BYTE;
    case 'S': return JVMPI_SHORT;
    case 'I': return JVMPI_INT;
    case 'J': return JVMPI_LONG;
    default: return JVMPI_CLASS;
    }
}

jint pi_type_of(const Object *o)
{
    const Class *c = object_class(o);
    return class_is_array(c) ? pi_type_of_kind(c->element->kind) : JVMPI_NORMAL_OBJECT;
}

// The class that OBJECT_ALLOC names; NULL for arrays of primitives, and for java.lang.Class itself,
// whose object would be of the class that it is: agents ask for an unknown class's object, and for
// the class of that.
static Class *class_named(const Object *o)
{
    Class *c = object_class(o);
    if (!class_is_array(c))
        return c == CLS(Class) && o == class_mirror(c) ? NULL : c;
    return class_is_primitive(c->element) ? NULL : c->element;
}

// ---- OBJECT_ALLOC ----
// A collection may come between the allocation and the event. Of an object that was not reported yet
// no move is posted: the event will have its new place.
static PiUnreported *unreported; // unreported_lock, or the world is stopped
static Mutex unreported_lock = MUTEX_INIT(RANK_GLOBAL_REFS);

static void unreported_add(PiUnreported *u)
{
    mutex_lock(&unreported_lock);
    u->next = unreported;
    unreported = u;
    mutex_unlock(&unreported_lock);
}

static void unreported_remove(const PiUnreported *u)
{
    mutex_lock(&unreported_lock);
    PiUnreported **at = &unreported;
    while (*at != u)
        at = &(*at)->next;
    *at = u->next;
    mutex_unlock(&unreported_lock);
}

bool pi_is_unreported(const Object *o)
{
    for (const PiUnreported *u = unreported; u; u = u->next)
        if (deref(u->object) == o)
            return true;
    return mirror_is_unreported(o);
}

void pi_send_alloc(Thread *self, jobject o, PiAgent *only)
{
    ASSERT_MAY_GC(self);
    Class *c = class_named(deref(o));
    PiUnreported u = {.object = o};
    if (!only)
        unreported_add(&u);
    if (c && !only)
        pi_report_class(self, c, false);
    pi_begin_gc_off(self);
    if (!only)
        unreported_remove(&u);
    Object *raw = deref(o);
    JVMPI_Event e = {.event_type = JVMPI_EVENT_OBJECT_ALLOC};
    e.u.obj_alloc.arena_id = heap_arena_of(raw);
    e.u.obj_alloc.class_id = c ? pi_id(class_mirror(c)) : NULL;
    e.u.obj_alloc.is_array = pi_type_of(raw);
    e.u.obj_alloc.size = (jint)object_size(raw);
    e.u.obj_alloc.obj_id = pi_id(raw);
    pi_send_gc_off(self, only, &e);
}

// ---- functions ----
jobjectID pi_GetMethodClass(jmethodID mid)
{
    PI_CALL;
    const Method *m = self ? method_of_id_checked(mid) : NULL;
    return m ? pi_id(class_mirror(m->cls)) : NULL;
}

jobject pi_jobjectID2jobject(jobjectID jid)
{
    PI_CALL;
    return self ? handle_new(self, pi_object(jid)) : NULL;
}

jobjectID pi_jobject2jobjectID(jobject jobj)
{
    PI_CALL;
    return self ? pi_id(deref(jobj)) : NULL;
}
