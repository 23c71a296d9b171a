// SPDX-License-Identifier: Apache-2.0
// See compiled_events.h. A load that waits when its class is unloaded is dropped, and so is the unload: nobody heard of the code. A method
// without an id was named to nobody.
#include "jit/compiled_events.h"

#include "class/method_id.h"
#include "event/event.h"
#include "java/java_object.h"

typedef struct News {
    const CompiledCode *loaded; // or:
    InstalledCode *unloaded;    // or:
    const CodeBlob *stub;
} News;

static Mutex lock = MUTEX_INIT(RANK_COMPILE);
static VEC(News) waiting; // under lock, the oldest first
static VEC(const CompiledCode *)
    told; // likewise: whose loads are being posted, by one thread or by several
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
    attempt_pause();
    mutex_lock(&lock);
    vec_push(&waiting, *n);
    atomic_store(&any, true);
    mutex_unlock(&lock);
    attempt_resume();
}

void compiled_events_loaded(Thread *self, const CompiledCode *code)
{
    ASSERT_IN_VM(self);
    (void)self;
    if (!is_wanted())
        return;
    (void)method_id(code->method); // for the unload
    add(&(News){.loaded = code});
    wake_poster();
}

// It may be made under locks, by who compiles: the thread that posts looks each second.
static void note_stub(const CodeBlob *stub)
{
    if (event_is_wanted(EVENT_DYNAMIC_CODE))
        add(&(News){.stub = stub});
}

void compiled_events_init(void)
{
    code_on_stub(note_stub);
}

// The load of the code, if it was not posted. Whether it was there.
static bool drop_load(const CompiledCode *code)
{
    bool found = false;
    size_t kept = 0;
    mutex_lock(&lock);
    for (size_t i = 0; i < waiting.len; i++) {
        if (waiting.at[i].loaded == code)
            found = true;
        else
            waiting.at[kept++] = waiting.at[i];
    }
    waiting.len = kept;
    mutex_unlock(&lock);
    return found;
}

// ---- codes whose loads are being posted ----

static void begin_to_tell(const CompiledCode *code)
{
    ASSERT_HELD(&lock);
    vec_push(&told, code);
}

static void end_to_tell(const CompiledCode *code)
{
    mutex_lock(&lock);
    size_t i = 0;
    while (told.at[i] != code)
        i++;
    told.at[i] = told.at[--told.len];
    mutex_unlock(&lock);
}

static bool is_told(const CompiledCode *code)
{
    bool found = false;
    mutex_lock(&lock);
    for (size_t i = 0; i < told.len; i++)
        found |= told.at[i] == code;
    mutex_unlock(&lock);
    return found;
}

bool compiled_events_unload(InstalledCode *c)
{
    ASSERT_WORLD_STOPPED();
    if (is_told(c->code))
        return false;
    bool posts = !drop_load(c->code) && c->id && event_is_wanted(EVENT_COMPILED_UNLOAD);
    atomic_store(&c->told, !posts);
    if (posts)
        add(&(News){.unloaded = c});
    return true;
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
        if (out->loaded)
            begin_to_tell(out->loaded);
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
        if (n.stub) {
            event_post(self, DYNAMIC_CODE, n.stub->name, n.stub->start, (int32_t)n.stub->size,
                       NULL);
        } else if (n.loaded) {
            post_load(self, n.loaded, NULL);
            end_to_tell(n.loaded);
        } else {
            event_post(self, COMPILED_UNLOAD, .method = n.unloaded->id,
                       .code = n.unloaded->code->blob->start);
            atomic_store(&n.unloaded->told, true);
        }
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
    mutex_lock(&lock);
    for (size_t i = 0; i < codes.len; i++) {
        (void)mirror_handle(self, codes.at[i]->method->cls); // the classes stay
        begin_to_tell(codes.at[i]);
    }
    mutex_unlock(&lock);
    for (size_t i = 0; i < codes.len; i++) {
        post_load(self, codes.at[i], only);
        end_to_tell(codes.at[i]);
    }
    vec_free(&codes);
}
