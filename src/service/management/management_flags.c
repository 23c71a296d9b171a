// SPDX-License-Identifier: Apache-2.0
// The management interface's part for -XX flags (HotSpotDiagnosticMXBean).
#include <stdlib.h>

#include "class/vm_classes.h"
#include "java/exception.h"
#include "java/java_object.h"
#include "java/string.h"
#include "options/flag_access.h"
#include "service/management/management.h"

#define ILLEGAL_ARGUMENT "java/lang/IllegalArgumentException"

static jobjectArray JNICALL GetVMGlobalNames(JNIEnv *env)
{
    IN_VM(env);
    FlagView f;
    VEC(size_t) shown = {0};
    for (size_t i = 0; i < flags_count(); i++) {
        flag_view(i, &f);
        if (!f.is_locked)
            vec_push(&shown, i);
    }
    Class *c = class_array_of(self, CLS(String));
    jobject names = c ? array_new(self, c, (int32_t)shown.len) : NULL;
    for (size_t i = 0; names && i < shown.len; i++) {
        HANDLE_SCOPE(self);
        flag_view(shown.at[i], &f);
        jobject name = string_from_mutf8(self, f.name);
        if (!name)
            break;
        array_set_ref(deref(names), (int32_t)i, deref(name));
    }
    vec_free(&shown);
    return exception_pending(self) ? NULL : names;
}

static JmmVmGlobalType global_type(const char *type)
{
    if (strcmp(type, "bool") == 0)
        return JMM_VMGLOBAL_JBOOLEAN;
    if (strcmp(type, "double") == 0)
        return JMM_VMGLOBAL_JDOUBLE;
    return strncmp(type, "ccstr", 5) == 0 ? JMM_VMGLOBAL_JSTRING : JMM_VMGLOBAL_JLONG;
}

// False with the exception pending.
static bool global_fill(Thread *self, JmmVmGlobal *g, const FlagView *f)
{
    *g = (JmmVmGlobal){.name = string_from_mutf8(self, f->name),
                       .type = global_type(f->type),
                       .origin = f->origin,
                       .writeable = f->is_writeable,
                       .external = f->is_writeable};
    switch (g->type) {
    case JMM_VMGLOBAL_JBOOLEAN: g->value.z = strcmp(f->value, "true") == 0; break;
    case JMM_VMGLOBAL_JDOUBLE: g->value.d = strtod(f->value, NULL); break;
    case JMM_VMGLOBAL_JSTRING: g->value.l = string_from_platform(self, f->value); break;
    default:
        g->value.j = *f->value == '-' ? strtoll(f->value, NULL, 10)
                                      : (jlong)strtoull(f->value, NULL, 10);
    }
    return !exception_pending(self);
}

// Entries without a name: there is no such flag, or it is locked.
static jint fill_named(Thread *self, jobjectArray names, JmmVmGlobal *globals, jint count)
{
    jint found = 0;
    for (jint i = 0; i < count && i < array_length(deref(names)); i++) {
        FlagView f;
        Object *o = array_get_ref(deref(names), i);
        globals[i].name = NULL;
        if (!o) {
            throw_null(self, "java/lang/NullPointerException");
            return 0;
        }
        char *name = string_to_utf8(o);
        bool known = flag_view_named(name, &f);
        vm_free(name);
        if (known && !global_fill(self, &globals[i], &f))
            return 0;
        found += known;
    }
    return found;
}

static jint JNICALL GetVMGlobals(JNIEnv *env, jobjectArray names, JmmVmGlobal *globals,
                                 jint count)
{
    IN_VM(env);
    if (names)
        return fill_named(self, names, globals, count);
    jint found = 0;
    for (size_t i = 0; i < flags_count() && found < count; i++) {
        FlagView f;
        flag_view(i, &f);
        if (f.is_locked)
            continue;
        if (!global_fill(self, &globals[found], &f))
            return 0;
        found++;
    }
    return found;
}

jlong management_flag_count(void)
{
    jlong count = 0;
    for (size_t i = 0; i < flags_count(); i++) {
        FlagView f;
        flag_view(i, &f);
        count += !f.is_locked;
    }
    return count;
}

// The text of a value; vm_free it.
static char *value_text(const FlagView *f, jvalue value)
{
    switch (global_type(f->type)) {
    case JMM_VMGLOBAL_JBOOLEAN: return vm_strdup(value.z ? "true" : "false");
    case JMM_VMGLOBAL_JDOUBLE: return vm_asprintf("%.17g", value.d);
    case JMM_VMGLOBAL_JSTRING: return string_to_utf8(deref(value.l));
    default: return vm_asprintf("%lld", (long long)value.j);
    }
}

static void JNICALL SetVMGlobal(JNIEnv *env, jstring flag_name, jvalue value)
{
    IN_VM(env);
    FlagView f;
    StrBuf why = {0};
    char *name = string_to_utf8(deref(flag_name));
    if (!flag_view_named(name, &f)) {
        throw_new(self, ILLEGAL_ARGUMENT, "Flag %s does not exist.", name);
    } else if (!f.is_writeable) {
        throw_new(self, ILLEGAL_ARGUMENT, "This flag is not writeable.");
    } else {
        char *text = value_text(&f, value);
        if (!text)
            throw_new(self, "java/lang/NullPointerException", "flag value is missing");
        else if (!flag_change(name, text, FLAG_BY_MANAGEMENT, &why))
            throw_new(self, ILLEGAL_ARGUMENT, "%.*s", (int)strcspn(why.s, "\n"), why.s);
        vm_free(text);
    }
    sb_free(&why);
    vm_free(name);
}

void management_fill_flags(JmmInterface *t)
{
    t->GetVMGlobalNames = GetVMGlobalNames;
    t->GetVMGlobals = GetVMGlobals;
    t->SetVMGlobal = SetVMGlobal;
}
