// SPDX-License-Identifier: Apache-2.0
// See unload.h. The dead of a collection are taken off the tables of the living while the world is
// stopped; nobody can find them afterwards. They are freed at the end of the stop, or by the
// thread that posts CLASS_UNLOAD of them. `waiting` and `posting` are guarded
// by waiting_lock (RANK_REFERENCE).
#include "class/unload.h"

#include "base/log.h"
#include "base/recent.h"
#include "class/assumption.h"
#include "class/loader_internal.h"
#include "class/metadata.h"
#include "class/method_id.h"
#include "event/event.h"
#include "redefine/class_version.h"

enum { HOOKS_MAX = 8 };
static void (*hooks[HOOKS_MAX])(Class *dead);
static int hook_count;

static DeadList dead; // of this collection
static Mutex waiting_lock = MUTEX_INIT(RANK_REFERENCE);
static DeadList waiting;
static DeadList posting; // taken from waiting by the thread that posts
static _Atomic bool has_news;
static _Atomic uint64_t unloaded, unloaded_bytes;

void unload_add_hook(void (*forget)(Class *dead))
{
    VM_CHECK(hook_count < HOOKS_MAX);
    hooks[hook_count++] = forget;
}

uint64_t class_unloaded_count(void)
{
    return atomic_load(&unloaded);
}

uint64_t class_unloaded_bytes(void)
{
    return atomic_load(&unloaded_bytes);
}

ClassLoaderData *loader_data_of_hidden(void)
{
    ClassLoaderData *u = vm_calloc(1, sizeof *u);
    u->pins = 1;
    loader_data_add(u);
    return u;
}

// ---- off the tables ----

static void note_unload(const Class *c)
{
    atomic_fetch_add(&unloaded, 1);
    atomic_fetch_add(&unloaded_bytes, c->cf ? c->cf->len : 0);
    recent_add(RECENT_UNLOADED, "Unloading class 0x%016lx '%s'", (unsigned long)(uintptr_t)c,
               c->name->s);
    if (!log_on(LOG_CLASS_UNLOAD, LOG_INFO))
        return;
    char *name = class_external_name(c);
    log_write(LOG_CLASS_UNLOAD, LOG_INFO, "unloading class %s 0x%016lx", name,
              (unsigned long)(uintptr_t)c);
    vm_free(name);
}

static void run_hooks(Class *c)
{
    for (int i = 0; i < hook_count; i++)
        hooks[i](c);
}

static void post_dying(Class *c)
{
    if (c->abandoned)
        return;
    for (Class *a = c; a; a = atomic_load(&a->array_class))
        if (a->mirror)
            event_post(thread_current(), CLASS_DYING, .cls = a);
}

void unload_dead_classes(void)
{
    ASSERT_WORLD_STOPPED();
    loaders_take_dead(&dead);
    for (Class *c = dead.classes; c; c = c->next_in_loader)
        post_dying(c);
    assumptions_forget_dead();
    modules_forget_dead();
    mirrors_forget_dead();
    for (Loader *l = dead.loaders; l; l = l->next)
        constraints_forget(l);
    for (Class *c = dead.classes; c; c = c->next_in_loader) {
        c->mirror = NULL;
        method_ids_forget(c);
        run_hooks(c);
        if (!c->abandoned) {
            class_remove_from_super(c);
            note_unload(c);
        }
    }
    run_hooks(NULL);
}

// ---- memory ----

static void extra_methods_free(Class *c)
{
    for (uint32_t i = 0; i < c->extra_method_count; i++) {
        Method *m = c->extra_methods[i];
        if (m->overpass)
            vm_free(m->overpass->message);
        vm_free(m->overpass);
        vm_free(m);
    }
    vm_free(c->extra_methods);
}

static void methods_free(Class *c)
{
    for (uint32_t i = c->first_method_count; i < c->method_count; i++)
        vm_free(class_method(c, i));
    vm_free(c->added_methods);
    vm_free(c->methods);
}

static void tables_free(Class *c)
{
    for (uint32_t i = 0; i < c->itable_len; i++)
        vm_free(c->itables[i].methods);
    vm_free(c->itables);
    vm_free(c->vtable);
    vm_free(c->interfaces);
    vm_free(c->all_interfaces);
}

static void structure_free(Class *c)
{
    metadata_count_off(c);
    class_space_free(c, sizeof *c);
}

// Their tables are those of java.lang.Object.
static void arrays_free(Class *c)
{
    for (Class *a = c->array_class, *next; a; a = next) {
        next = a->array_class;
        structure_free(a);
    }
}

static void fields_free(Class *c)
{
    FieldSlots *s = c->field_slots;
    for (uint32_t i = s ? s->first_count : 0; s && i < s->count; i++)
        vm_free(s->at[i]);
    if (s) {
        vm_free(s->at);
        vm_free(s->current);
    }
    vm_free(s);
    vm_free(c->fields);
}

static void class_free(Class *c)
{
    arrays_free(c);
    if (!class_is_array(c)) {
        extra_methods_free(c);
        tables_free(c);
        fields_free(c);
        methods_free(c);
        vm_free((void *)(uintptr_t)c->layout.spans);
        vm_free((void *)(uintptr_t)c->layout.static_spans);
        vm_free(c->nest_host_error);
        version_free_last(c);
    }
    if (class_loader_data(c) != &c->loader->loader_data) {
        loader_data_free_refs(class_loader_data(c));
        vm_free(class_loader_data(c));
    }
    structure_free(c);
}

static void loader_free(Loader *l)
{
    module_tables_free(l);
    ptrmap_free(&l->classes);
    loader_data_free_refs(&l->loader_data);
    vm_free(l);
}

// Those that were set aside count again one by one, each just before it is freed: all together they
// would bring the next collection for metadata, which found them in use.
static void list_free(DeadList *list, bool set_aside)
{
    for (Class *c = list->classes, *next; c; c = next) {
        next = c->next_in_loader;
        if (set_aside)
            metadata_take_back(metadata_of(c));
        class_free(c);
    }
    for (Loader *l = list->loaders, *next; l; l = next) {
        next = l->next;
        loader_free(l);
    }
    *list = (DeadList){0};
}

// ---- events ----

static size_t metadata_in(const DeadList *list)
{
    size_t bytes = 0;
    for (const Class *c = list->classes; c; c = c->next_in_loader)
        bytes += metadata_of(c);
    return bytes;
}

// The dead of this collection come before those of earlier ones.
static void wait_to_post(void)
{
    metadata_set_aside(metadata_in(&dead));
    Class **c = &dead.classes;
    Loader **l = &dead.loaders;
    while (*c)
        c = &(*c)->next_in_loader;
    while (*l)
        l = &(*l)->next;
    mutex_lock(&waiting_lock);
    *c = waiting.classes;
    *l = waiting.loaders;
    waiting = dead;
    atomic_store(&has_news, true);
    mutex_unlock(&waiting_lock);
    dead = (DeadList){0};
}

void unload_free(void)
{
    ASSERT_WORLD_STOPPED();
    if (dead.classes && event_is_wanted(EVENT_CLASS_UNLOAD))
        wait_to_post();
    else
        list_free(&dead, false);
}

void unload_each_waiting(void (*visit)(Class *list))
{
    ASSERT_WORLD_STOPPED();
    visit(dead.classes);
    visit(waiting.classes);
    visit(posting.classes);
}

bool unload_has_news(void)
{
    return atomic_load(&has_news);
}

void unload_post(Thread *self)
{
    ASSERT_MAY_GC(self);
    mutex_lock(&waiting_lock);
    DeadList list = posting = waiting;
    waiting = (DeadList){0};
    atomic_store(&has_news, false);
    mutex_unlock(&waiting_lock);
    for (Class *c = list.classes; c; c = c->next_in_loader)
        event_post(self, CLASS_UNLOAD, .cls = c);
    mutex_lock(&waiting_lock);
    posting = (DeadList){0};
    mutex_unlock(&waiting_lock);
    list_free(&list, true);
}
