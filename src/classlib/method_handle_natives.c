// SPDX-License-Identifier: Apache-2.0
// java.lang.invoke.MethodHandleNatives, on top of link/member_name.h.
#include "class/assumption.h"
#include "class/vm_classes.h"
#include "classlib/jvm.h"
#include "frame/frame_cursor.h"
#include "java/box.h"
#include "java/exception.h"
#include "java/java_object.h"
#include "java/string.h"
#include "link/member_name.h"
#include "link/native.h"

static bool require(Thread *self, jobject o)
{
    if (o && deref(o))
        return true;
    throw_new(self, "java/lang/InternalError", "mname not resolved");
    return false;
}

static void JNICALL init(JNIEnv *env, jclass c, jobject mname, jobject member)
{
    (void)c;
    IN_VM(env);
    if (!mname || !member)
        throw_new(self, "java/lang/InternalError", !mname ? "mname is null" : "target is null");
    else
        (void)!member_name_init_reflected(self, mname, member);
}
static void JNICALL expand(JNIEnv *env, jclass c, jobject mname)
{
    (void)c;
    IN_VM(env);
    if (require(self, mname))
        (void)!member_name_expand(self, mname);
}
static jobject JNICALL resolve(JNIEnv *env, jclass c, jobject mname, jclass caller,
                               jint lookup_mode, jboolean speculative)
{
    (void)c;
    IN_VM(env);
    if (!require(self, mname))
        return NULL;
    return member_name_resolve(self, mname, caller ? class_of_handle(caller) : NULL,
                               lookup_mode, speculative);
}

// ---- offsets ----

static Field *field_of(Thread *self, jobject mname, bool is_static)
{
    Field *f = mname ? member_name_field(deref(mname)) : NULL;
    if (f && ((f->access & ACC_STATIC) != 0) == is_static)
        return f;
    throw_new(self, "java/lang/InternalError",
              is_static ? "static field required" : "non-static field required");
    return NULL;
}
static jlong JNICALL objectFieldOffset(JNIEnv *env, jclass c, jobject mname)
{
    (void)c;
    IN_VM(env);
    Field *f = field_of(self, mname, false);
    return f ? (jlong)f->offset : -1;
}
static jlong JNICALL staticFieldOffset(JNIEnv *env, jclass c, jobject mname)
{
    (void)c;
    IN_VM(env);
    Field *f = field_of(self, mname, true);
    return f ? (jlong)f->offset : -1;
}
static jobject JNICALL staticFieldBase(JNIEnv *env, jclass c, jobject mname)
{
    (void)c;
    IN_VM(env);
    Field *f = field_of(self, mname, true);
    return f ? mirror_handle(self, f->cls) : NULL;
}
static jobject JNICALL getMemberVMInfo(JNIEnv *env, jclass c, jobject mname)
{
    (void)c;
    IN_VM(env);
    if (!mname)
        return NULL;
    Class *objects = class_array_of(self, CLS(Object));
    jobject pair = objects ? array_new(self, objects, 2) : NULL;
    jobject index =
        pair ? box_value(self, 'J', (jvalue){.j = member_name_vmindex(deref(mname))}) : NULL;
    if (!index)
        return NULL;
    bool is_field = object_get_int(deref(mname), OFF(MemberName, flags)) & MN_IS_FIELD;
    array_set_ref(deref(pair), 0, deref(index));
    array_set_ref(deref(pair), 1,
                  is_field ? object_get_ref(deref(mname), OFF(MemberName, clazz))
                           : deref(mname));
    return pair;
}

// ---- call sites ----

static void JNICALL setCallSiteTargetNormal(JNIEnv *env, jclass c, jobject site, jobject target)
{
    (void)c;
    IN_VM(env);
    object_set_ref(deref(site), OFF(CallSite, target), deref(target));
    assumption_break_call_site(self, site);
}
static void JNICALL setCallSiteTargetVolatile(JNIEnv *env, jclass c, jobject site,
                                              jobject target)
{
    (void)c;
    IN_VM(env);
    object_set_ref_volatile(deref(site), OFF(CallSite, target), deref(target));
    assumption_break_call_site(self, site);
}
static void JNICALL clearCallSiteContext(JNIEnv *env, jclass c, jobject context)
{
    (void)env, (void)c, (void)context; // no code depends on call sites
}
static void JNICALL copyOutBootstrapArguments(JNIEnv *env, jclass c, jclass caller,
                                              jintArray indices, jint start, jint end,
                                              jobjectArray buffer, jint position,
                                              jboolean do_resolve, jobject if_not_available)
{
    (void)c, (void)caller, (void)indices, (void)start, (void)end, (void)buffer, (void)position,
        (void)do_resolve, (void)if_not_available;
    IN_VM(env); // the VM always pushes bootstrap arguments
    throw_new(self, "java/lang/UnsupportedOperationException", "copyOutBootstrapArguments");
}

// ---- members ----

typedef struct MemberSearch {
    Thread *self;
    Symbol *name, *type;
    jint flags, skip, count;
    jobjectArray results;
} MemberSearch;

static bool wanted(const MemberSearch *s, const Symbol *name, const Symbol *type)
{
    return (!s->name || s->name == name) && (!s->type || s->type == type);
}
// The next MemberName of the result array to fill, or NULL when it is full or the member is
// skipped.
static jobject next_slot(MemberSearch *s)
{
    jint at = s->count++ - s->skip;
    if (at < 0 || at >= array_length(deref(s->results)))
        return NULL;
    return handle_new(s->self, array_get_ref(deref(s->results), at));
}
static bool search_class(MemberSearch *s, Class *c)
{
    Thread *self = s->self;
    for (Field *f = s->flags & MN_IS_FIELD ? class_next_field(c, NULL) : NULL; f;
         f = class_next_field(c, f)) {
        HANDLE_SCOPE(self);
        jobject slot = wanted(s, f->name, f->desc) ? next_slot(s) : NULL;
        if (slot && !member_name_init_field(self, slot, f, false))
            return false;
    }
    if (!(s->flags & (MN_IS_METHOD | MN_IS_CONSTRUCTOR)))
        return true;
    METHOD_EACH (m, c) {
        HANDLE_SCOPE(self);
        jint kind = m->name == SYM(init) ? MN_IS_CONSTRUCTOR : MN_IS_METHOD;
        if (m->name == SYM(clinit) || !(s->flags & kind) || !wanted(s, m->name, m->desc))
            continue;
        jobject slot = next_slot(s);
        if (slot && !member_name_init_method(self, slot, m, NULL, true))
            return false;
    }
    return true;
}
static jint JNICALL getMembers(JNIEnv *env, jclass unused, jclass c, jstring name, jstring type,
                               jint flags, jclass caller, jint skip, jobjectArray results)
{
    (void)unused, (void)caller;
    IN_VM(env);
    MemberSearch s = {.self = self, .flags = flags, .skip = skip, .results = results};
    s.name = name ? string_to_symbol(deref(name), false, false) : NULL;
    s.type = type ? string_to_symbol(deref(type), false, false) : NULL;
    if (!c || !results || (name && !s.name) || (type && !s.type))
        return 0;
    Class *cls = class_of_handle(c);
    if (class_is_primitive(cls) || !class_link(self, cls))
        return exception_pending(self) ? -1 : 0;
    for (Class *at = cls; at; at = flags & MN_SEARCH_SUPERCLASSES ? at->super : NULL)
        if (!search_class(&s, at))
            return -1;
    for (int i = 0; flags & MN_SEARCH_INTERFACES && i < cls->all_interface_count; i++)
        if (!search_class(&s, cls->all_interfaces[i]))
            return -1;
    return s.count;
}

// ---- the rest ----

static jint JNICALL getNamedCon(JNIEnv *env, jclass c, jint which, jobjectArray box)
{
    (void)c;
    IN_VM(env);
    for (jint i = 0; member_name_constants[i].name; i++) {
        if (i != which)
            continue;
        jobject name = string_from_mutf8(self, member_name_constants[i].name);
        if (!name)
            return 0;
        if (box && array_length(deref(box)) > 0)
            array_set_ref(deref(box), 0, deref(name));
        return member_name_constants[i].value;
    }
    return 0;
}
static void JNICALL registerNatives(JNIEnv *env, jclass c)
{
    (void)env, (void)c;
}
static jobject JNICALL not_reflectively(JNIEnv *env, jobject handle, jobjectArray args)
{
    (void)handle, (void)args;
    IN_VM(env);
    const Method *m = cursor_youngest(self).method;
    throw_new(self, "java/lang/UnsupportedOperationException",
              "%s.%s cannot be invoked reflectively",
              m->cls == CLS(MethodHandle) ? "MethodHandle" : "VarHandle", m->name->s);
    return NULL;
}

#define ROW(fn) {"java/lang/invoke/MethodHandleNatives", #fn, NULL, (void *)fn},
static const VmNative rows[] = {
    ROW(init) ROW(expand) ROW(resolve) ROW(objectFieldOffset) ROW(staticFieldOffset)
        ROW(staticFieldBase) ROW(getMemberVMInfo) ROW(setCallSiteTargetNormal)
            ROW(setCallSiteTargetVolatile) ROW(clearCallSiteContext)
                ROW(copyOutBootstrapArguments) ROW(getMembers) ROW(getNamedCon)
                    ROW(registerNatives){"java/lang/invoke/MethodHandle", "invoke", NULL,
                                         (void *)not_reflectively},
    {"java/lang/invoke/MethodHandle", "invokeExact", NULL, (void *)not_reflectively},
};
const NativeRows method_handle_natives = {rows, ARRAY_LEN(rows)};
