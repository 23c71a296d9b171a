// SPDX-License-Identifier: Apache-2.0
// Breakpoints counted by place.
#include "points.h"

#include <stdlib.h>
#include <string.h>

#include "bytecode.h"

// A place that somebody wants. refs 0: the row is free.
typedef struct Place {
    PellucidLocation at;
    uint32_t refs;
} Place;

static pthread_mutex_t change_lock = PTHREAD_MUTEX_INITIALIZER; // all below
static Place *places;                                           // a hash table with open rows
static size_t places_cap, places_used;                          // a power of two
static bool has_looked;
static PellucidSetBreakpoints set_many, clear_many;

// ---- the table ----

static bool is_same(const PellucidLocation *a, const PellucidLocation *b)
{
    return a->method == b->method && a->location == b->location;
}

static size_t row_of(const PellucidLocation *at)
{
    uint64_t key = (uint64_t)(uintptr_t)at->method * 31 + (uint64_t)at->location;
    return (size_t)agent_mix(key) & (places_cap - 1);
}

// The row of a place, or the free one where it belongs. There is always a free one.
static Place *find_place(const PellucidLocation *at)
{
    ASSERT_HELD(&change_lock);
    assert(places_used < places_cap && (places_cap & (places_cap - 1)) == 0);
    size_t row = row_of(at);
    while (places[row].refs && !is_same(&places[row].at, at))
        row = (row + 1) & (places_cap - 1);
    return &places[row];
}

static bool grow_table(size_t more)
{
    if (places && (places_used + more) * 2 <= places_cap)
        return true;
    Place *old = places;
    size_t old_cap = places_cap, cap = places_cap ? places_cap : 1024;
    while ((places_used + more) * 2 > cap)
        cap *= 2;
    Place *grown = calloc(cap, sizeof *grown);
    if (!grown)
        return false;
    places = grown;
    places_cap = cap;
    for (size_t i = 0; i < old_cap; i++)
        if (old[i].refs)
            *find_place(&old[i].at) = old[i];
    free(old);
    return true;
}

// Takes a row out and moves those up that were pushed behind it.
static void remove_place(Place *place)
{
    assert(place->refs == 1 && places_used > 0);
    place->refs = 0;
    places_used--;
    size_t row = (size_t)(place - places);
    for (size_t i = (row + 1) & (places_cap - 1); places[i].refs;
         i = (i + 1) & (places_cap - 1)) {
        Place moved = places[i];
        places[i].refs = 0;
        *find_place(&moved.at) = moved;
    }
}

// Counts a place up or down; true where the VM has to be told.
static bool count_place(const PellucidLocation *at, bool on)
{
    Place *place = find_place(at);
    if (on) {
        if (!place->refs) {
            place->at = *at;
            places_used++;
        }
        return place->refs++ == 0;
    }
    if (!place->refs || --place->refs)
        return false;
    place->refs = 1; // as remove_place wants it: the row is in use
    remove_place(place);
    return true;
}

// ---- the VM ----

static void find_lists(void)
{
    jint len = 0;
    jvmtiExtensionFunctionInfo *list = NULL;
    if ((*lens.jvmti)->GetExtensionFunctions(lens.jvmti, &len, &list) != JVMTI_ERROR_NONE)
        return;
    for (jint i = 0; i < len; i++) {
        if (strcmp(list[i].id, PELLUCID_SET_BREAKPOINTS) == 0)
            set_many = (PellucidSetBreakpoints)list[i].func;
        else if (strcmp(list[i].id, PELLUCID_CLEAR_BREAKPOINTS) == 0)
            clear_many = (PellucidClearBreakpoints)list[i].func;
        for (jint k = 0; k < list[i].param_count; k++)
            agent_deallocate(lens.jvmti, list[i].params[k].name);
        agent_deallocate(lens.jvmti, list[i].id);
        agent_deallocate(lens.jvmti, list[i].short_description);
        agent_deallocate(lens.jvmti, list[i].params);
        agent_deallocate(lens.jvmti, list[i].errors);
    }
    agent_deallocate(lens.jvmti, list);
}

static void look_for_lists(void)
{
    if (!has_looked)
        find_lists();
    has_looked = true;
}

bool points_has_lists(void)
{
    pthread_mutex_lock(&change_lock);
    look_for_lists();
    bool has = set_many && clear_many;
    pthread_mutex_unlock(&change_lock);
    return has;
}

// Errors are of places that are gone or were never there: DUPLICATE cannot be.
static void tell_vm(const PellucidLocation *at, size_t len, bool on, jvmtiError *results)
{
    ASSERT_HELD(&change_lock);
    look_for_lists();
    jvmtiError error = JVMTI_ERROR_NOT_AVAILABLE;
    if (set_many && clear_many)
        error = (on ? set_many : clear_many)(lens.jvmti, (jint)len, at, results);
    if (error == JVMTI_ERROR_NONE)
        return;
    for (size_t i = 0; i < len; i++)
        results[i] =
            on ? (*lens.jvmti)->SetBreakpoint(lens.jvmti, at[i].method, at[i].location)
               : (*lens.jvmti)->ClearBreakpoint(lens.jvmti, at[i].method, at[i].location);
}

static size_t change_locked(const PellucidLocation *at, size_t len, bool on,
                            PellucidLocation *todo, jvmtiError *results)
{
    size_t todo_len = 0, failed = 0;
    for (size_t i = 0; i < len; i++)
        if (count_place(&at[i], on))
            todo[todo_len++] = at[i];
    tell_vm(todo, todo_len, on, results);
    for (size_t i = 0; i < todo_len && on; i++)
        if (results[i] != JVMTI_ERROR_NONE) {
            while (!count_place(&todo[i], false))
                failed++; // who wants the same place in the same list
            failed++;
        }
    return len - failed;
}

size_t points_change(const PellucidLocation *at, size_t len, bool on)
{
    if (len == 0)
        return 0;
    PellucidLocation *todo = malloc(len * sizeof *todo);
    jvmtiError *results = calloc(len, sizeof *results);
    size_t done = 0;
    pthread_mutex_lock(&change_lock);
    if (todo && results && grow_table(on ? len : 1))
        done = change_locked(at, len, on, todo, results);
    pthread_mutex_unlock(&change_lock);
    free(todo);
    free(results);
    return done;
}

void points_restore(jmethodID method)
{
    pthread_mutex_lock(&change_lock);
    size_t len = 0;
    PellucidLocation *todo = malloc((places_used + 1) * sizeof *todo);
    jvmtiError *results = calloc(places_used + 1, sizeof *results);
    for (size_t i = 0; i < places_cap && todo && results; i++)
        if (places[i].refs && places[i].at.method == method)
            todo[len++] = places[i].at;
    if (len)
        tell_vm(todo, len, true, results); // DUPLICATE: it is still there
    pthread_mutex_unlock(&change_lock);
    free(todo);
    free(results);
}

bool points_need(LensOrder *order, const char *what, jvmtiCapabilities more)
{
    more.can_generate_breakpoint_events = 1;
    more.can_get_line_numbers = 1;
    more.can_get_bytecodes = 1;
    return lens_need(order, &more, what);
}

// ---- methods ----

jmethodID *points_methods(jclass class, jint *len)
{
    jmethodID *methods = NULL;
    *len = 0;
    if ((*lens.jvmti)->GetClassMethods(lens.jvmti, class, len, &methods) != JVMTI_ERROR_NONE) {
        *len = 0;
        return NULL;
    }
    return methods;
}

char *points_class_name(jclass class)
{
    char *signature = NULL;
    if ((*lens.jvmti)->GetClassSignature(lens.jvmti, class, &signature, NULL)
        != JVMTI_ERROR_NONE)
        return NULL;
    char *name = agent_class_name(signature);
    agent_deallocate(lens.jvmti, signature);
    return name;
}

bool points_is_prepared(jclass class)
{
    jint status = 0;
    return (*lens.jvmti)->GetClassStatus(lens.jvmti, class, &status) == JVMTI_ERROR_NONE
           && (status & JVMTI_CLASS_STATUS_PREPARED) && !(status & JVMTI_CLASS_STATUS_ARRAY);
}

// ---- variables ----

// The character that follows a descriptor at `p`.
static const char *after_type(const char *p)
{
    while (*p == '[')
        p++;
    const char *end = *p == 'L' ? strchr(p, ';') : p;
    return end && *end ? end + 1 : p + strlen(p);
}

static jint width_of(char type)
{
    return type == 'J' || type == 'D' ? 2 : 1;
}

static uint32_t count_args(const char *descriptor)
{
    uint32_t n = 0;
    for (const char *p = descriptor + 1; *p && *p != ')'; p = after_type(p))
        n++;
    return n;
}

static bool holds_at(const jvmtiLocalVariableEntry *e, jlocation location)
{
    return e->start_location <= location && location < e->start_location + e->length;
}

typedef struct Table {
    jvmtiLocalVariableEntry *entries;
    jint len;
} Table;

static void free_table(Table *t)
{
    for (jint i = 0; i < t->len; i++) {
        agent_deallocate(lens.jvmti, t->entries[i].name);
        agent_deallocate(lens.jvmti, t->entries[i].signature);
        agent_deallocate(lens.jvmti, t->entries[i].generic_signature);
    }
    agent_deallocate(lens.jvmti, t->entries);
}

static Table read_table(jmethodID method)
{
    Table t = {0};
    jvmtiError error =
        (*lens.jvmti)->GetLocalVariableTable(lens.jvmti, method, &t.len, &t.entries);
    return error == JVMTI_ERROR_NONE ? t : (Table){0};
}

// Puts a variable with its name, which lies at *text; the next goes behind.
static void put_variable(PointVariables *v, char **text, const char *name, char type, jint slot)
{
    v->list[v->len++] = (PointVariable){*text, type, slot};
    *text = stpcpy(*text, name) + 1;
}

static const char *name_in(const Table *t, jint slot)
{
    for (jint i = 0; i < t->len; i++)
        if (t->entries[i].slot == slot && t->entries[i].start_location == 0)
            return t->entries[i].name;
    return NULL;
}

static void put_args(PointVariables *v, char **text, const Table *t, const char *descriptor)
{
    jint slot = v->has_this;
    for (const char *p = descriptor + 1; *p && *p != ')'; p = after_type(p)) {
        char numbered[16];
        const char *name = name_in(t, slot);
        snprintf(numbered, sizeof numbered, "arg%u", v->len);
        put_variable(v, text, name ? name : numbered, *p, slot);
        slot += width_of(*p);
    }
    v->args = v->len;
}

static void put_locals(PointVariables *v, char **text, const Table *t, jlocation location,
                       jint first_slot)
{
    for (jint i = 0; i < t->len; i++)
        if (t->entries[i].slot >= first_slot && holds_at(&t->entries[i], location))
            put_variable(v, text, t->entries[i].name, t->entries[i].signature[0],
                         t->entries[i].slot);
}

static bool fill_variables(PointVariables *v, const Table *t, const char *descriptor,
                           jlocation location, bool all)
{
    uint32_t args = count_args(descriptor);
    size_t bytes = args * 16 + 1;
    for (jint i = 0; i < t->len; i++)
        bytes += 2 * (strlen(t->entries[i].name) + 1); // as an argument, and as a local
    v->list = calloc(args + (size_t)t->len + 1, sizeof *v->list);
    v->names = malloc(bytes);
    if (!v->list || !v->names)
        return false;
    char *text = v->names;
    put_args(v, &text, t, descriptor);
    jint slots = v->has_this;
    for (uint32_t i = 0; i < v->args; i++)
        slots += width_of(v->list[i].type);
    if (all)
        put_locals(v, &text, t, location, slots);
    assert(text <= v->names + bytes && v->len <= args + (size_t)t->len);
    return true;
}

bool points_variables(jmethodID method, jlocation location, bool all, PointVariables *v)
{
    *v = (PointVariables){0};
    char *descriptor = NULL;
    jint modifiers = 0;
    if ((*lens.jvmti)->GetMethodModifiers(lens.jvmti, method, &modifiers) != JVMTI_ERROR_NONE
        || (*lens.jvmti)->GetMethodName(lens.jvmti, method, NULL, &descriptor, NULL)
               != JVMTI_ERROR_NONE)
        return false;
    v->has_this = !(modifiers & 0x0008); // ACC_STATIC
    Table t = read_table(method);
    bool ok = fill_variables(v, &t, descriptor, location, all);
    free_table(&t);
    agent_deallocate(lens.jvmti, descriptor);
    if (!ok)
        points_variables_free(v);
    return ok;
}

void points_variables_free(PointVariables *v)
{
    free(v->list);
    free(v->names);
    *v = (PointVariables){0};
}
