// SPDX-License-Identifier: Apache-2.0
// See compiled_events.h. A load that waits when its class is unloaded is dropped, and so is the unload: nobody heard of the code. A method
// without an id was named to nobody.
#include "jit/compiled_events.h"

#include "class/method_id.h"
#include "event/event.h"
#include "java/java_object.h"

typedef struct News {
    const CompiledCode *code; // NULL: it was unloaded
    jmethodID id;
    const void *start;
} News;

static Mutex lock = MUTEX_INIT(RANK_COMPILE);
static VEC(News) waiting; // under lock, the oldest first
static _Atomic bool any;
static void (*wake_poster)(void);

void compiled_events_set_wake(void (*wake)(void))
{
    wake_poster = wake;
}

static bool is_wanted(void)
{
    return event_is_wanted(EVENT_COMPILED_LOAD) || event_is_wanted(EVENT_COMPILED_UNLOAD);
}

static void add(const News *n)
{
    mutex_lock(&lock);
    vec_push(&waiting, *n);
    atomic_store(&any, true);
    mutex_unlock(&lock);
}

void compiled_events_loaded(Thread *self, const CompiledCode *code)
{
    ASSERT_IN_VM(self);
    (void)self;
    if (!is_wanted())
        return;
    (void)method_id(code->method); // for the unload
    add(&(News){.code = code});
    wake_poster();
}

// The load of the code, if it was not posted. Whether it was there.
static bool drop_load(const CompiledCode *code)
{
    bool found = false;
    size_t kept = 0;
    mutex_lock(&lock);
    for (size_t i = 0; i < waiting.len; i++) {
        if (waiting.at[i].code == code)
            found = true;
        else
            waiting.at[kept++] = waiting.at[i];
    }
    waiting.len = kept;
    mutex_unlock(&lock);
    return found;
}

void compiled_events_unloaded(const InstalledCode *c)
{
    ASSERT_WORLD_STOPPED();
    jmethodID id = atomic_load_explicit(&c->task.method->id, memory_order_acquire);
    if (!drop_load(c->code) && id && event_is_wanted(EVENT_COMPILED_UNLOAD))
        add(&(News){.id = id, .start = c->code->blob->start});
}

bool compiled_events_wait(void)
{
    return atomic_load(&any);
}

static bool take_first(News *out)
{
    mutex_lock(&lock);
    bool there = waiting.len > 0;
    if (there) {
        *out = waiting.at[0];
        memmove(waiting.at, waiting.at + 1, --waiting.len * sizeof *out);
    }
    atomic_store(&any, waiting.len > 0);
    mutex_unlock(&lock);
    return there;
}

// The class stays meanwhile.
static MAY_GC void post_load(Thread *self, const CompiledCode *code, const void *only)
{
    HANDLE_SCOPE(self);
    (void)mirror_handle(self, code->method->cls);
    event_post(self, COMPILED_LOAD, .code = code, .only = only);
}

void compiled_events_post(Thread *self)
{
    ASSERT_MAY_GC(self);
    for (News n; take_first(&n);) {
        if (n.code)
            post_load(self, n.code, NULL);
        else
            event_post(self, COMPILED_UNLOAD, .method = n.id, .code = n.start);
    }
}

typedef VEC(const CompiledCode *) Codes;

static void collect(void *ctx, const InstalledCode *c)
{
    vec_push((Codes *)ctx, c->code);
}

void compiled_events_generate(Thread *self, const void *only)
{
    ASSERT_MAY_GC(self);
    HANDLE_SCOPE(self);
    Codes codes = {0};
    installed_each(self, collect, &codes);
    for (size_t i = 0; i < codes.len; i++)
        (void)mirror_handle(self, codes.at[i]->method->cls); // the classes stay
    for (size_t i = 0; i < codes.len; i++)
        post_load(self, codes.at[i], only);
    vec_free(&codes);
}
