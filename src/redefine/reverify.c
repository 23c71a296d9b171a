// SPDX-License-Identifier: Apache-2.0
// See reverify.h. Code that hands one class's object over as another's names both of them.
#define _GNU_SOURCE
#include "redefine/reverify.h"

#include "class/vm_classes.h"
#include "heap/handle.h"
#include "java/java_object.h"
#include "redefine/class_version.h"

static bool list_has(const ReverifiedClasses *l, const Class *c)
{
    for (size_t i = 0; i < l->len; i++)
        if (l->at[i] == c)
            return true;
    return false;
}

// ---- which code ----
static bool text_names(Bytes text, const ReverifiedClasses *any)
{
    for (size_t i = 0; i < any->len; i++) {
        const Symbol *name = any->at[i]->name;
        if (text.len >= name->len && memmem(text.p, text.len, name->s, name->len))
            return true;
    }
    return false;
}

static bool file_names(const ClassFile *cf, const ReverifiedClasses *any)
{
    for (uint32_t i = 1; i < cf->cp_count; i++)
        if (cf_tag(cf, (uint16_t)i) == CP_UTF8 && text_names(cf_utf8(cf, (uint16_t)i), any))
            return true;
    return false;
}

// The code of a hidden class of the boot loader is the class library's own, which hands over what it was given as objects.
static bool is_concerned(const Reverify *r, const Class *c)
{
    return c->kind == 'L' && c->cf && c->verified && !c->magic
           && !(c->hidden && c->loader->is_boot) && file_names(c->cf, &r->lost)
           && file_names(c->cf, &r->lose);
}

static ReverifiedClasses find_concerned(Thread *self, const Reverify *r)
{
    ReverifiedClasses found = {0};
    const Class *top = CLS(Object);
    mutex_lock(&loader_lock);
    for (const Class *c = top; c; c = class_next_below(c, top))
        if (!list_has(&r->seen, c) && is_concerned(r, c)) {
            vec_push(&found, c);
            (void)mirror_handle(self, c);
        }
    mutex_unlock(&loader_lock);
    return found;
}

// ---- which classes ----
static void find_losers(Thread *self, Reverify *r, const PlannedSuper *one)
{
    for (const Class *s = one->cls->super; s; s = s->super)
        if (!class_planned_below(one->cls, s) && !list_has(&r->lost, s))
            vec_push(&r->lost, s);
    if (class_planned_below(one->cls, one->cls->super))
        return;
    mutex_lock(&loader_lock);
    for (const Class *c = one->cls; c; c = class_next_below(c, one->cls)) {
        vec_push(&r->lose, c);
        (void)mirror_handle(self, c);
    }
    mutex_unlock(&loader_lock);
}

// ---- looking at it ----
static bool is_planned(const PlannedSuper *supers, uint32_t count, const Class *c)
{
    for (uint32_t i = 0; i < count; i++)
        if (supers[i].cls == c)
            return true;
    return false;
}

static char *look_at(Thread *self, const Class *c)
{
    HANDLE_SCOPE(self);
    Class *cls = (Class *)(uintptr_t)c;
    const ConstantPool *pool = class_version(self, cls);
    if (pool->cf->major < 50)
        return vm_strdup("the verifier of old class files cannot look at it again");
    return class_verify_again(self, cls, pool->cf);
}

static void tell(StrBuf *place, const Class *c, char *why)
{
    char *name = class_external_name(c);
    char *line = strchr(why, '\n'), *where = line ? strstr(line, "Location:\n") : NULL;
    int first = line ? (int)(line - why) : (int)strlen(why);
    where = where ? where + strlen("Location:\n") : NULL;
    while (where && *where == ' ')
        where++;
    int second = where ? (int)strcspn(where, "\n") : 0;
    sb_printf(place, "the code of %s would not be right any more: %.*s%s%.*s", name, first, why,
              where ? " in " : "", second, where ? where : "");
    vm_free(name);
    vm_free(why);
}

bool reverify(Thread *self, Reverify *r, const PlannedSuper *supers, uint32_t count,
              StrBuf *place)
{
    ASSERT_MAY_GC(self);
    r->verified = classes_verified();
    r->losses = classes_super_losses();
    r->lose.len = r->lost.len = 0;
    for (uint32_t i = 0; i < count; i++)
        find_losers(self, r, &supers[i]);
    ReverifiedClasses found = {0};
    if (r->lost.len)
        found = find_concerned(self, r);
    char *why = NULL;
    for (size_t i = 0; i < found.len && !why; i++) {
        if (!is_planned(supers, count, found.at[i])) // their new versions are verified
            why = look_at(self, found.at[i]);
        if (why)
            tell(place, found.at[i], why);
        vec_push(&r->seen, found.at[i]);
    }
    vec_free(&found);
    return !why;
}

bool reverify_is_current(const Reverify *r)
{
    ASSERT_WORLD_STOPPED();
    if (r->losses != classes_super_losses())
        return false;
    const Class *top = CLS(Object);
    bool current = true;
    if (r->lost.len && r->verified != classes_verified())
        for (const Class *c = top; c && current; c = class_next_below(c, top))
            current = list_has(&r->seen, c) || !is_concerned(r, c);
    return current;
}

void reverify_free(Reverify *r)
{
    vec_free(&r->lose);
    vec_free(&r->lost);
    vec_free(&r->seen);
}
