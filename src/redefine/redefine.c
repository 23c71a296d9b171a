// SPDX-License-Identifier: Apache-2.0
// See redefine.h. Everything that can fail is done first, for all classes; what remains happens
// with the world stopped and can't. Lock: RANK_REDEFINE for the list of redefinitions under way.
#include "redefine/redefine.h"

#include "base/log.h"
#include "base/recent.h"
#include "class/assumption.h"
#include "class/class_fill.h"
#include "class/hierarchy_gate.h"
#include "class/metadata.h"
#include "class/method_id.h"
#include "class/vm_classes.h"
#include "classfile/compare.h"
#include "event/event.h"
#include "frame/frame_cursor.h"
#include "java/engine.h"
#include "link/native.h"
#include "options/options.h"
#include "redefine/class_version.h"
#include "redefine/fields.h"
#include "redefine/references.h"

typedef struct Replacement { // of one class
    Class *cls;
    ConstantPool *pool; // the new version
    uint32_t version;   // its number
    uint32_t compared;  // that of the version which it was compared with
    bool restructured;  // more than bodies of methods change: structure.h
    bool
        superseded; // the class stands in the list again, further behind, with another structure
    bool verifies;  // once all classes of the call are there
    Class *super;   // as in Restructured; else NULL
    Class **interfaces; // likewise
    jobject *strings;   // likewise
} Replacement;

typedef struct Redefinition { // one call
    Thread *thread;
    const RedefineRequest *requests;
    Replacement *replacements;
    int count;
    Restructured *structure; // those that are restructured
    int structure_count;
    struct Redefinition *next;
} Redefinition;

bool class_is_modifiable(const Class *c)
{
    return c->kind == 'L' && !c->hidden;
}

// ---- why one is refused ----
static _Thread_local char *refusal; // of the thread's last call; NULL: there is nothing to say

const char *redefine_refusal(void)
{
    return refusal ? refusal : "";
}

static void forget_refusal(void)
{
    vm_free(refusal);
    refusal = NULL;
}

// ---- one at a time for each class ----
static Mutex redefine_lock = MUTEX_INIT(RANK_REDEFINE);
static Cond redefine_cond = {PTHREAD_COND_INITIALIZER};
static Redefinition *under_way;

static bool names_class(const Redefinition *r, const Class *c)
{
    for (int i = 0; i < r->count; i++)
        if (r->requests[i].cls == c)
            return true;
    return false;
}

// Whether another thread redefines one of r's classes. A thread that comes back from within
// CLASS_FILE_LOAD waits neither for itself nor for others, which may wait for what it redefines,
// links or loads.
static bool must_wait(const Redefinition *r)
{
    if (class_file_hook_is_open())
        return false;
    for (const Redefinition *o = under_way; o; o = o->next)
        for (int i = 0; o->thread != r->thread && i < r->count; i++)
            if (names_class(o, r->requests[i].cls))
                return true;
    return false;
}

static void begin(Thread *self, Redefinition *r)
{
    thread_lock(self, &redefine_lock);
    while (must_wait(r))
        thread_cond_wait(self, &redefine_cond, &redefine_lock, -1);
    r->next = under_way;
    under_way = r;
    mutex_unlock(&redefine_lock);
}

static void end(Thread *self, Redefinition *r)
{
    thread_lock(self, &redefine_lock);
    Redefinition **p = &under_way;
    while (*p != r)
        p = &(*p)->next;
    *p = r->next;
    cond_broadcast(&redefine_cond);
    mutex_unlock(&redefine_lock);
}

// ---- new class files ----
static RedefineStatus status_of_parse(ClassFileErrorKind kind)
{
    switch (kind) {
    case CLASSFILE_UNSUPPORTED_VERSION: return REDEFINE_UNSUPPORTED_VERSION;
    case CLASSFILE_NO_CLASS_DEF: return REDEFINE_NAMES_DONT_MATCH;
    case CLASSFILE_FORMAT: return REDEFINE_INVALID_FORMAT;
    default: return REDEFINE_FAILS_VERIFICATION;
    }
}

static RedefineStatus status_of_change(ClassFileChange change)
{
    static const RedefineStatus by_change[] = {
        [CLASSFILE_COMPATIBLE] = REDEFINE_OK,
        [CLASSFILE_HIERARCHY_CHANGED] = REDEFINE_HIERARCHY_CHANGED,
        [CLASSFILE_ATTRIBUTE_CHANGED] = REDEFINE_ATTRIBUTE_CHANGED,
        [CLASSFILE_MODIFIERS_CHANGED] = REDEFINE_MODIFIERS_CHANGED,
        [CLASSFILE_SCHEMA_CHANGED] = REDEFINE_SCHEMA_CHANGED,
        [CLASSFILE_METHOD_DELETED] = REDEFINE_METHOD_DELETED,
        [CLASSFILE_METHOD_MODIFIERS_CHANGED] = REDEFINE_METHOD_MODIFIERS_CHANGED,
        [CLASSFILE_METHOD_ADDED] = REDEFINE_METHOD_ADDED,
    };
    return by_change[change];
}

// Takes the pending exception and says what it means for the step that left it.
static RedefineStatus take_failure(Thread *self, RedefineStatus otherwise)
{
    bool no_memory = object_is_instance(self->exception, CLS(OutOfMemoryError));
    self->exception = NULL;
    return no_memory ? REDEFINE_OUT_OF_MEMORY : otherwise;
}

// The same for what a listener threw, or the loading of a superclass.
static RedefineStatus take_load_failure(Thread *self)
{
    static const struct {
        const char *thrown;
        RedefineStatus status;
    } rows[] = {{"java/lang/UnsupportedClassVersionError", REDEFINE_UNSUPPORTED_VERSION},
                {"java/lang/ClassFormatError", REDEFINE_INVALID_FORMAT},
                {"java/lang/ClassCircularityError", REDEFINE_CIRCULAR},
                {"java/lang/NoClassDefFoundError", REDEFINE_NAMES_DONT_MATCH}};
    const char *thrown = object_class(self->exception)->name->s;
    RedefineStatus status = REDEFINE_FAILS_VERIFICATION;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (strcmp(rows[i].thrown, thrown) == 0)
            status = rows[i].status;
    return take_failure(self, status);
}

static bool is_named(const ClassFile *cf, const Class *c)
{
    return bytes_eq(cf_class_name(cf, cf->this_class), c->name->s);
}

// A superclass or superinterface of the new version that the class does not have: it must be there
// to be a change of the hierarchy.
static RedefineStatus check_super(Thread *self, const Class *c, const ClassFile *cf,
                                  uint16_t index)
{
    HANDLE_SCOPE(self);
    Symbol *name = class_name_symbol(cf, index);
    return loader_load(self, c->loader, name, true) ? REDEFINE_OK : take_load_failure(self);
}

static RedefineStatus check_supers(Thread *self, const Class *c, const ClassFile *cf)
{
    RedefineStatus status = REDEFINE_OK;
    if (cf->super_class)
        status = check_super(self, c, cf, cf->super_class);
    for (uint32_t i = 0; status == REDEFINE_OK && i < cf->interface_count; i++)
        status = check_super(self, c, cf, cf->interfaces[i]);
    return status;
}

static void refuse_super(const Class *c, const Class *super)
{
    char *of = class_external_name(c), *old = class_external_name(c->super),
         *new = class_external_name(super);
    refusal = vm_asprintf("superclass %s of %s is not below %s, the superclass that it has",
                          new, of, old);
    vm_free(of);
    vm_free(old);
    vm_free(new);
}

static RedefineStatus check_structure(Thread *self, Class *c, ClassFile *cf, Replacement *out)
{
    Restructured r = {.cls = c, .to = cf};
    out->restructured = true;
    if (!structure_load_super(self, &r))
        return take_load_failure(self);
    if (!class_is_subclass(r.super, c->super)) {
        refuse_super(c, r.super);
        return REDEFINE_HIERARCHY_CHANGED;
    }
    out->super = r.super;
    bool ok = structure_load_interfaces(self, &r) && structure_check_constraints(self, &r)
              && structure_make_strings(self, &r);
    out->interfaces = r.interfaces;
    out->strings = r.strings;
    return ok ? REDEFINE_OK : take_load_failure(self);
}

static RedefineStatus check(Thread *self, const RedefineRequest *request, ClassFile *cf,
                            Replacement *out)
{
    Class *c = request->cls;
    if (!is_named(cf, c))
        return REDEFINE_NAMES_DONT_MATCH;
    if (class_state(c) == CLASS_ERROR)
        return REDEFINE_INVALID_CLASS;
    RedefineStatus status = check_supers(self, c, cf);
    if (status != REDEFINE_OK)
        return status;
    if (!class_link(self, c))
        return take_failure(self, REDEFINE_INTERNAL);
    ClassFileFreedom freedom = structure_freedom(c, request->free);
    out->compared = c->pool->version;
    status = status_of_change(classfile_compare(c->cf, cf, freedom));
    if (status != REDEFINE_OK)
        return status;
    if (freedom == FREE_MEMBERS
        && classfile_compare(c->cf, cf, FREE_BODIES) != CLASSFILE_COMPATIBLE)
        status = check_structure(self, c, cf, out);
    out->verifies = freedom == FREE_MEMBERS;
    if (status != REDEFINE_OK || out->verifies)
        return status;
    return class_verify(self, c, cf) ? REDEFINE_OK
                                     : take_failure(self, REDEFINE_FAILS_VERIFICATION);
}

// What an agent transforms may call what it has put on the class path. Whether a hook changes the
// class does not matter here: the one that redefines it may have.
static void let_read(Thread *self, Module *m)
{
    m->default_reads = true;
    module_report_default_reads(self, m);
}

// The class file as the listeners of CLASS_FILE_LOAD leave it, parsed. NULL and *status.
static ClassFile *load(Thread *self, const RedefineRequest *request, HookedFile *file,
                       RedefineStatus *status)
{
    HANDLE_SCOPE(self);
    Class *c = request->cls;
    const ConstantPool *pool = class_version(self, c);
    HookedClass what = {.redefined = c,
                        .retransform = !request->bytes,
                        .loader = c->loader,
                        .name = c->name->s};
    what.protection_domain =
        handle_new(self, object_get_ref(class_mirror(c), OFF(Class, protection_domain)));
    if (!what.retransform)
        *file = (HookedFile){.bytes = request->bytes, .len = request->len};
    else if (pool->original)
        *file = (HookedFile){.bytes = pool->original, .len = pool->original_len};
    else
        *file = (HookedFile){.bytes = pool->cf->bytes, .len = pool->cf->len};
    if (event_is_wanted(EVENT_CLASS_FILE_LOAD))
        let_read(self, c->module);
    if (!class_file_hook(self, &what, file)) {
        *status = take_load_failure(self);
        return NULL;
    }
    ClassFileError error = {0};
    ClassFile *cf = class_file_parse(c->loader, c->name->s, file, &error);
    if (!cf)
        *status = status_of_parse(error.kind);
    return cf;
}

static void hooked_free(HookedFile *file)
{
    if (file->rewritten)
        vm_free((void *)(uintptr_t)file->bytes);
}

static RedefineStatus prepare(Thread *self, const RedefineRequest *request, Replacement *out)
{
    HookedFile file;
    RedefineStatus status = REDEFINE_OK;
    ClassFile *cf = load(self, request, &file, &status);
    hooked_free(&file);
    if (cf && status == REDEFINE_OK)
        status = check(self, request, cf, out);
    if (status != REDEFINE_OK) {
        vm_free(out->interfaces);
        vm_free(out->strings);
        vm_free(file.original);
        if (cf)
            classfile_free(cf);
        return status;
    }
    out->cls = request->cls;
    out->pool = constant_pool_new(request->cls, cf);
    out->pool->original = file.original;
    out->pool->original_len = file.original_len;
    return REDEFINE_OK;
}

// ---- frames of old versions ----
// The copy that frames in m go on with; the code is its own from then on.
static Method *old_version_of(Method *m)
{
    Class *c = m->cls;
    OldMethod *o = version_find_method(c, m->slot, m->pool->version);
    if (!o) {
        o = vm_malloc(sizeof *o);
        o->method = *m;
        o->method.flags |= METHOD_OLD;
        o->method.member_name = NULL;
        o->method.id = NULL;
        o->next = c->old_methods;
        c->old_methods = o;
        atomic_store(&m->code, NULL);
        atomic_store(&m->oop_maps, NULL);
    }
    return &o->method;
}

// Whether the method of a frame is about to be replaced.
static bool is_replaced(const Method *m)
{
    return m->pool && m->pool->replaced && !(m->flags & METHOD_OLD);
}

static Method *version_of(Method *m)
{
    return is_replaced(m) ? old_version_of(m) : m;
}

static void move_frames(void)
{
    THREAD_EACH(t)
    frames_set_methods(t, version_of);
}

static void mark_obsolete(const Class *c, uint32_t slot)
{
    for (OldMethod *o = c->old_methods; o; o = o->next)
        if (o->method.slot == slot)
            o->method.flags |= METHOD_OBSOLETE;
}

// ---- replacing; the world is stopped ----
// What the new version has for a slot; NULL: nothing.
static const MethodInfo *info_of(const ClassFile *cf, const Method *m, bool restructured)
{
    uint16_t fixed = restructured ? ACC_STATIC : (uint16_t)~ACC_NATIVE;
    Bytes name = {(const uint8_t *)m->name->s, m->name->len};
    Bytes desc = {(const uint8_t *)m->desc->s, m->desc->len};
    const MethodInfo *info = classfile_find_method(cf, name, desc, m->slot);
    return info && !((info->access ^ m->access) & fixed) ? info : NULL;
}

// The method may be a deleted one, or a new slot.
static void replace_method(Method *m, ConstantPool *pool, const MethodInfo *info)
{
    if (m->info && !method_is_equivalent(m->pool->cf, m->info, pool->cf, info))
        mark_obsolete(m->cls, m->slot);
    method_take_code(m);
    Method made = {0};
    method_fill(m->cls, &made, info, m->slot);
    made.table_index = m->table_index;
    made.native = method_is_native(&made) ? method_native(m) : NULL;
    made.member_name = m->member_name;
    made.id = m->id;
    *m = made;
}

// Its id goes on with the frames that are in it, if any.
static void delete_method(Method *m)
{
    OldMethod *left = version_find_method(m->cls, m->slot, m->pool->version);
    mark_obsolete(m->cls, m->slot);
    method_take_code(m);
    if (left)
        method_id_move(m, &left->method);
    m->info = NULL;
    m->pool = NULL;
    m->table_index = -1;
    m->flags = METHOD_DELETED;
    method_set_entry(m, ENTRY_THROWS);
    m->native = NULL;
}

static Method *add_slot(Class *c)
{
    Method *m = vm_calloc(1, sizeof *m);
    uint32_t added = c->method_count - c->first_method_count;
    m->cls = c;
    m->slot = c->method_count;
    m->table_index = -1;
    c->added_methods = vm_realloc(c->added_methods, (added + 1) * sizeof *c->added_methods);
    c->added_methods[added] = m;
    c->method_count++;
    metadata_count(c, sizeof *m + sizeof *c->added_methods);
    return m;
}

static void add_methods(Class *c, ConstantPool *pool)
{
    for (uint32_t i = 0; i < pool->cf->method_count; i++) {
        const MethodInfo *info = &pool->cf->methods[i];
        if (!class_declared_method(c, class_utf8_symbol(pool->cf, info->name),
                                   class_utf8_symbol(pool->cf, info->descriptor)))
            replace_method(add_slot(c), pool, info);
    }
}

typedef VEC(struct {
    Method *method;
    void *function;
}) BoundList;

static void note_bound(const Class *c, BoundList *bound)
{
    for (uint32_t i = 0; i < c->method_count; i++) {
        Method *m = class_method(c, i);
        void *function = method_native(m);
        if (!function)
            continue;
        vec_push(bound, ((__typeof__(*bound->at)){m, function}));
    }
}

// The function of a native method that an agent wraps, or unwraps again, goes on with the one that has
// its name with the prefix, or without. As on HotSpot that is no event (Set Native Method Prefix).
static void move_bound(const Class *c, BoundList *bound)
{
    for (size_t i = 0; i < bound->len; i++) {
        const Method *left = bound->at[i].method;
        if (method_is_native(left) && !method_is_deleted(left))
            continue;
        Method *next = native_find_successor(c, left);
        if (next && !method_native(next))
            atomic_store_explicit(&next->native, bound->at[i].function, memory_order_relaxed);
    }
    vec_free(bound);
}

static void replace_members(const Replacement *r)
{
    Class *c = r->cls;
    uint32_t found = 0;
    BoundList bound = {0};
    note_bound(c, &bound);
    for (uint32_t i = 0; i < c->method_count; i++) {
        Method *m = class_method(c, i);
        const MethodInfo *info = info_of(r->pool->cf, m, r->restructured);
        found += info != NULL;
        if (info)
            replace_method(m, r->pool, info);
        else if (!method_is_deleted(m))
            delete_method(m);
    }
    if (found < r->pool->cf->method_count)
        add_methods(c, r->pool);
    move_bound(c, &bound);
    uint32_t field = 0;
    for (Field *f = r->restructured ? NULL : class_next_field(c, NULL); f;
         f = class_next_field(c, f))
        f->info = &r->pool->cf->fields[field++];
}

// The old ones go with the old version: who goes through them has it pinned.
static void replace_interfaces(Class *c, const Replacement *r, ConstantPool *old)
{
    old->interfaces = c->interfaces;
    c->interfaces = r->interfaces;
    c->interface_count = r->pool->cf->interface_count;
}

// Of a class whose methods, or whose kind, are others now. Its tables are made anew later (structure_spread).
static void forget_structure(Class *c)
{
    class_fill_access(c);
    c->has_default_methods = false;
    METHOD_EACH (m, c) {
        m->table_index = -1;
        if (class_is_interface(c) && !(m->access & (ACC_STATIC | ACC_ABSTRACT)))
            c->has_default_methods = true;
    }
}

static void replace(Replacement *r)
{
    Class *c = r->cls;
    ConstantPool *old = c->pool;
    version_retire(old);
    r->version = r->pool->version = c->pool->version + 1;
    c->pool = r->pool;
    c->cf = r->pool->cf;
    replace_members(r);
    if (r->restructured) {
        replace_interfaces(c, r, old);
        forget_structure(c);
    }
    class_mark_jsr(c);
    if (loader_is_trusted(c->loader))
        class_read_vm_annotations(c);
}

static void count_below(const Class *top)
{
    for (const Class *c = top; c; c = class_next_below(c, top))
        version_count(c);
}

static void note_structure(Redefinition *r)
{
    r->structure = vm_calloc((size_t)r->count, sizeof *r->structure);
    for (int i = 0; i < r->count; i++)
        if (r->replacements[i].restructured && !r->replacements[i].superseded)
            r->structure[r->structure_count++] =
                (Restructured){.cls = r->replacements[i].cls,
                               .to = r->replacements[i].pool->cf,
                               .super = r->replacements[i].super,
                               .interfaces = r->replacements[i].interfaces,
                               .strings = r->replacements[i].strings};
}

// Bodies alone are replaced one after the other.
static void note_superseded(Redefinition *r)
{
    for (int i = 0; i < r->count; i++)
        for (int k = i + 1; k < r->count; k++) {
            Replacement *a = &r->replacements[i], *b = &r->replacements[k];
            a->superseded |= a->cls == b->cls && (a->restructured || b->restructured);
        }
}

static void replace_stopped(Thread *self, Redefinition *r, void (*replacing)(Class *c))
{
    ASSERT_WORLD_STOPPED();
    for (int i = 0; i < r->count; i++) {
        Class *c = r->requests[i].cls;
        replacing(c);
        c->pool->replaced = true;
        METHOD_EACH (m, c)
            assumption_break(self, ASSUME_METHOD_BODY, m);
    }
    move_frames();
    if (r->structure_count)
        fields_replace(self);
    for (int i = 0; i < r->count; i++)
        if (!r->replacements[i].superseded)
            replace(&r->replacements[i]);
    for (int i = 0; i < r->count; i++)
        count_below(r->replacements[i].cls);
    if (r->structure_count)
        structure_spread(self, r->structure, r->structure_count);
    versions_sweep();
}

// World stopped.
static bool check_references(const Redefinition *r)
{
    StrBuf place = {0};
    bool fit = references_fit(r->structure, r->structure_count, &place);
    if (!fit)
        refusal = vm_strdup(place.s);
    sb_free(&place);
    return fit;
}

// World stopped.
static RedefineStatus plan_fields(const Redefinition *r)
{
    StrBuf reason = {0};
    bool can = fields_can_be_gained(r->structure, r->structure_count, &reason);
    if (!can)
        refusal = vm_strdup(reason.s);
    sb_free(&reason);
    if (!can)
        return REDEFINE_HIERARCHY_CHANGED;
    return fields_plan(r->structure, r->structure_count) ? REDEFINE_OK : REDEFINE_OUT_OF_MEMORY;
}

// Whether the class has another structure than that which the new version was compared with: a hook of this call, or a thread within another
// hook, has redefined it meanwhile.
static bool is_stale(const Replacement *one, const RedefineRequest *request)
{
    const Class *c = one->cls;
    if (c->pool->version == one->compared)
        return false;
    ClassFileFreedom freedom = structure_freedom(c, request->free);
    return one->restructured
           || classfile_compare(c->cf, one->pool->cf,
                                freedom == FREE_MEMBERS ? FREE_BODIES : freedom)
                  != CLASSFILE_COMPATIBLE;
}

static bool check_versions(const Redefinition *r)
{
    for (int i = 0; i < r->count; i++)
        if (is_stale(&r->replacements[i], &r->requests[i])) {
            char *name = class_external_name(r->requests[i].cls);
            refusal = vm_asprintf("%s was redefined while this redefinition of it was prepared",
                                  name);
            vm_free(name);
            return false;
        }
    return true;
}

// World stopped.
static RedefineStatus try_to_replace(Thread *self, Redefinition *r, void (*replacing)(Class *c))
{
    if (!check_versions(r))
        return REDEFINE_INTERNAL;
    if (r->structure_count) {
        if (!structure_fits(r->structure, r->structure_count))
            return REDEFINE_FAILS_VERIFICATION;
        if (!frames_settle()) // what compiled code has not made has the fields that there were
            return REDEFINE_OUT_OF_MEMORY;
        if (!check_references(r))
            return REDEFINE_HIERARCHY_CHANGED;
        structure_link_supers(r->structure, r->structure_count);
        RedefineStatus status = plan_fields(r);
        if (status != REDEFINE_OK) {
            structure_unlink_supers(r->structure, r->structure_count);
            return status;
        }
    }
    replace_stopped(self, r, replacing);
    return REDEFINE_OK;
}

static RedefineStatus replace_in_stop(Thread *self, Redefinition *r,
                                      void (*replacing)(Class *c))
{
    world_stop(self);
    RedefineStatus status = try_to_replace(self, r, replacing);
    world_resume(self);
    return status;
}

static RedefineStatus replace_all(Thread *self, Redefinition *r, void (*replacing)(Class *c))
{
    note_structure(r);
    if (r->structure_count)
        hierarchy_begin_change(self);
    RedefineStatus status = replace_in_stop(self, r, replacing);
    if (status == REDEFINE_OUT_OF_MEMORY) {
        heap_collect(self, GC_ALLOCATION, true);
        status = replace_in_stop(self, r, replacing);
    }
    if (r->structure_count)
        hierarchy_end_change();
    vm_free(r->structure);
    return status;
}

// ---- the whole ----
// New versions that somebody will run are verified once all supers to come are known.
static RedefineStatus verify_all(Thread *self, const Redefinition *r)
{
    PlannedSuper *supers = vm_calloc((size_t)r->count, sizeof *supers);
    uint32_t count = 0;
    RedefineStatus status = REDEFINE_OK;
    for (int i = 0; i < r->count; i++)
        if (r->replacements[i].super && !r->replacements[i].superseded)
            supers[count++] = (PlannedSuper){r->replacements[i].cls, r->replacements[i].super};
    class_plan_supers(supers, count);
    for (int i = 0; i < r->count && status == REDEFINE_OK; i++) {
        const Replacement *one = &r->replacements[i];
        if (one->verifies && !one->superseded && !class_verify(self, one->cls, one->pool->cf))
            status = take_failure(self, REDEFINE_FAILS_VERIFICATION);
    }
    class_plan_supers(NULL, 0);
    vm_free(supers);
    return status;
}

// Superclasses that initialized classes have got. What their initializers throw stays with them, as if somebody else had been the first.
static void initialize_supers(Thread *self, const Redefinition *r)
{
    for (int i = 0; i < r->count; i++) {
        const Replacement *one = &r->replacements[i];
        HANDLE_SCOPE(self);
        if (one->super && !one->superseded && class_state(one->cls) == CLASS_INITIALIZED
            && class_state(one->super) < CLASS_INITIALIZING
            && !class_initialize(self, one->super))
            self->exception = NULL;
    }
}

static void log_redefined(const Replacement *r)
{
    recent_add(RECENT_REDEFINED, "redefined class name=%s, count=%u", r->cls->name->s,
               r->version);
    if (!log_on(LOG_REDEFINE_LOAD, LOG_INFO))
        return;
    char *name = class_external_name(r->cls);
    log_write(LOG_REDEFINE_LOAD, LOG_INFO, "redefined name=%s, count=%u (avail_mem=%luK)", name,
              r->version, (unsigned long)(os_available_memory() / 1024));
    vm_free(name);
}

RedefineStatus classes_redefine(Thread *self, const RedefineRequest *requests, int count,
                                void (*replacing)(Class *c))
{
    ASSERT_NO_LOCKS();
    ASSERT_MAY_GC(self);
    Redefinition r = {.thread = self, .requests = requests, .count = count};
    RedefineStatus status = REDEFINE_OK;
    int made = 0;
    if (count == 0)
        return REDEFINE_OK;
    forget_refusal();
    r.replacements = vm_calloc((size_t)count, sizeof *r.replacements);
    begin(self, &r);
    while (made < count && status == REDEFINE_OK) {
        status = prepare(self, &requests[made], &r.replacements[made]);
        made += status == REDEFINE_OK;
    }
    note_superseded(&r);
    if (status == REDEFINE_OK)
        status = verify_all(self, &r);
    if (status == REDEFINE_OK)
        status = replace_all(self, &r, replacing);
    end(self, &r);
    if (status == REDEFINE_OK)
        initialize_supers(self, &r);
    if (refusal)
        LOG(LOG_REDEFINE_LOAD, LOG_INFO, "refused: %s", refusal);
    for (int i = 0; i < made; i++) {
        Replacement *made_one = &r.replacements[i];
        vm_free(made_one->strings);
        if (status == REDEFINE_OK && !made_one->superseded) {
            log_redefined(made_one);
        } else {
            vm_free(made_one->interfaces);
            constant_pool_free(made_one->pool);
        }
    }
    vm_free(r.replacements);
    return status;
}
