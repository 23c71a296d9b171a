// SPDX-License-Identifier: Apache-2.0
// Event management: callbacks and enabling (JVM TI, Event Management).
#include "code/code_cache.h"
#include "jit/compiled_events.h"
#include "jvmti/env/ti_entry.h"
#include "jvmti/generated/decl.h"
#include "jvmti/tags/ti_tags.h"
#include "platform/upcall.h"

enum { GLOBAL_ONLY, PER_THREAD };
enum { TI_CAP_none = TI_CAP_NONE };
static const struct EventRule {
    jvmtiEvent event;
    int control, capability;
} rules[] = {
#define TI_EVENT(number, name, suffix, core, first, control, capability) \
    {JVMTI_EVENT_##suffix, control, TI_CAP_##capability},
#include "spec/jvmti_events.def"
#undef TI_EVENT
};

static const struct EventRule *rule_of(jvmtiEvent event)
{
    for (size_t i = 0; i < ARRAY_LEN(rules); i++)
        if (rules[i].event == event)
            return &rules[i];
    return NULL;
}

int ti_event_capability(jvmtiEvent event)
{
    const struct EventRule *rule = rule_of(event);
    return rule ? rule->capability : TI_CAP_NONE;
}

jvmtiError ti_SetEventCallbacks(Thread *self, TiEnv *env, const jvmtiEventCallbacks *callbacks,
                                jint size_of_callbacks)
{
    (void)self;
    TiCallback now[TI_EVENT_COUNT] = {0};
    size_t count = MIN_OF((size_t)size_of_callbacks / sizeof *now, ARRAY_LEN(now));
    if (callbacks) // of an older or newer header: shorter or longer than ours
        memcpy(now, callbacks, count * sizeof *now);
    mutex_lock(&ti_lock);
    for (size_t i = 0; i < TI_EVENT_COUNT; i++)
        atomic_store(&env->callbacks[i],
                     rule_of((jvmtiEvent)(i + JVMTI_MIN_EVENT_TYPE_VAL)) ? now[i] : NULL);
    mutex_unlock(&ti_lock);
    ti_events_changed();
    return JVMTI_ERROR_NONE;
}
_Static_assert(sizeof(jvmtiEventCallbacks) == TI_EVENT_COUNT * sizeof(TiCallback),
               "one callback an event");

static void set_mask(_Atomic uint64_t *mask, uint64_t bit, bool on)
{
    if (on)
        atomic_fetch_or(mask, bit);
    else
        atomic_fetch_and(mask, ~bit);
}

// For one thread.
static jvmtiError set_for_thread(TiEnv *env, Thread *t, uint64_t bit, bool on)
{
    mutex_lock(&ti_lock);
    TiThread *data = ti_thread_get(t, env);
    if (data) {
        set_mask(&data->enabled, bit, on);
        ti_threads_recount(env);
    }
    mutex_unlock(&ti_lock);
    return data ? JVMTI_ERROR_NONE : JVMTI_ERROR_THREAD_NOT_ALIVE;
}

// An event number that has no row.
static jvmtiError check_reserved(jvmtiEvent event, bool per_thread)
{
    // The first number is that of HotSpot's extension event.
    bool reserved = event >= JVMTI_MIN_EVENT_TYPE_VAL - 1 && event <= JVMTI_MAX_EVENT_TYPE_VAL;
    if (!reserved || ti_refuses(TI_RESERVED_EVENT))
        return JVMTI_ERROR_INVALID_EVENT_TYPE;
    return per_thread ? JVMTI_ERROR_ILLEGAL_ARGUMENT : JVMTI_ERROR_NONE;
}

static jvmtiError check_rule(const TiEnv *env, jvmtiEventMode mode, jvmtiEvent event,
                             bool per_thread)
{
    const struct EventRule *rule = rule_of(event);
    if (!rule)
        return check_reserved(event, per_thread);
    if (per_thread && rule->control == GLOBAL_ONLY)
        return JVMTI_ERROR_ILLEGAL_ARGUMENT;
    if (mode != JVMTI_ENABLE && mode != JVMTI_DISABLE && ti_refuses(TI_ANY_MODE))
        return JVMTI_ERROR_ILLEGAL_ARGUMENT;
    if (mode == JVMTI_ENABLE && rule->capability != TI_CAP_NONE
        && !ti_has_bit(&env->capabilities, rule->capability))
        return JVMTI_ERROR_MUST_POSSESS_CAPABILITY;
    return JVMTI_ERROR_NONE;
}

static void settle_hook_kind(TiEnv *env)
{
    bool capable = ti_has_bit(&env->capabilities, TI_CAP_can_retransform_classes);
    uint8_t unsettled = TI_HOOK_UNSETTLED;
    if (atomic_compare_exchange_strong(&env->hook_kind, &unsettled,
                                       capable ? TI_HOOK_CAPABLE : TI_HOOK_INCAPABLE)
        && capable)
        ti_prefixes_order();
}

jvmtiError ti_SetEventNotificationMode(Thread *self, TiEnv *env, jvmtiEventMode mode,
                                       jvmtiEvent event_type, jthread event_thread)
{
    TiCall call = {.self = self, .env = env};
    Thread *t = NULL;
    jvmtiError error =
        event_thread ? ti_check_thread(&call, event_thread, false, &t) : JVMTI_ERROR_NONE;
    if (error == JVMTI_ERROR_NONE)
        error = check_rule(env, mode, event_type, t != NULL);
    if (error == JVMTI_ERROR_NONE && !rule_of(event_type))
        return JVMTI_ERROR_NONE; // a number without an event: nothing is sent
    if (error == JVMTI_ERROR_NONE && mode == JVMTI_ENABLE
        && event_type == JVMTI_EVENT_CLASS_FILE_LOAD_HOOK)
        settle_hook_kind(env);
    if (error == JVMTI_ERROR_NONE && t)
        error = set_for_thread(env, t, TI_EVENT_BIT(event_type), mode == JVMTI_ENABLE);
    else if (error == JVMTI_ERROR_NONE)
        set_mask(&env->enabled, TI_EVENT_BIT(event_type), mode == JVMTI_ENABLE);
    if (call.pinned)
        thread_unpin(call.pinned);
    if (error != JVMTI_ERROR_NONE)
        return error;
    ti_events_changed();
    if (event_type == JVMTI_EVENT_SAMPLED_OBJECT_ALLOC)
        ti_sample_changed(self);
    return JVMTI_ERROR_NONE;
}

// All machine code made at run time that is no method's: function pointers for foreign code, and the code cache.
typedef struct CodePiece {
    const char *name; // constant
    const void *start;
    int32_t size;
} CodePiece;
typedef VEC(CodePiece) CodePieces;

#if FOREIGN_CALLS
static void add_upcall(void *pieces, const void *function)
{
    vec_push((CodePieces *)pieces, ((CodePiece){UPCALL_NAME, function, UPCALL_CODE_SIZE}));
}
#endif

static void add_blob(void *pieces, const CodeBlob *blob)
{
    if (blob->kind != CODE_COMPILED_METHOD)
        vec_push((CodePieces *)pieces,
                 ((CodePiece){blob->name, blob->start, (int32_t)blob->size}));
}

static void post_code(Thread *self, TiEnv *env)
{
    CodePieces code = {0};
#if FOREIGN_CALLS
    upcalls_each(add_upcall, &code);
#endif
    code_each(add_blob, &code);
    for (size_t i = 0; i < code.len; i++)
        event_post(self, DYNAMIC_CODE, code.at[i].name, code.at[i].start, code.at[i].size, env);
    vec_free(&code);
}

jvmtiError ti_GenerateEvents(Thread *self, TiEnv *env, jvmtiEvent event_type)
{
    if (event_type == JVMTI_EVENT_DYNAMIC_CODE_GENERATED) {
        post_code(self, env);
        return JVMTI_ERROR_NONE;
    }
    if (event_type != JVMTI_EVENT_COMPILED_METHOD_LOAD)
        return JVMTI_ERROR_ILLEGAL_ARGUMENT;
    if (!ti_has_bit(&env->capabilities, TI_CAP_can_generate_compiled_method_load_events))
        return JVMTI_ERROR_MUST_POSSESS_CAPABILITY;
    compiled_events_generate(self, env);
    return JVMTI_ERROR_NONE;
}
