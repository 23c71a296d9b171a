// SPDX-License-Identifier: Apache-2.0
// Which stubs there are. See java_stubs.h.
#include "code/java_stubs.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "code/compiled_code.h"
#include "platform/platform.h"

static JavaStubTargets targets; // written before there are threads, as `fixed`
static const void *fixed[JAVA_STUB_COUNT];
static Mutex stubs_lock = MUTEX_INIT(RANK_STUBS); // what follows
static StrMap shapes;                             // shape -> JavaShape
static StrMap links;                              // kind and shape -> stub
static StrMap natives;                            // shape -> stub
static PtrMap runtime[2];                         // function -> stub; by keeps_floats
static const CodeBlob *loops['Z' + 1];            // by kind of result

static bool is_post(JavaStubKind kind)
{
    return kind >= JAVA_STUB_POST_ENTRY && kind <= JAVA_STUB_POST_REFERENCE;
}

// Those that post, or all others. False: there is no room for one.
static bool make_fixed(bool posts)
{
    for (JavaStubKind kind = 0; kind < JAVA_STUB_COUNT; kind++) {
        if (is_post(kind) != posts)
            continue;
        const CodeBlob *blob = java_stub_make(kind, &targets);
        if (!blob)
            return false;
        fixed[kind] = blob->start;
    }
    return true;
}

bool java_stubs_init(const JavaStubTargets *t)
{
    VM_ASSERT(!fixed[JAVA_STUB_ENTRY] && t->resolve && t->interpret);
    targets = *t;
    if (!make_fixed(false)) {
        memset(fixed, 0, sizeof fixed);
        return false;
    }
    compiled_lazy_pc = (uintptr_t)fixed[JAVA_STUB_LAZY];
    return true;
}

void java_stubs_init_posts(const JavaReceiver *receiver)
{
    VM_ASSERT(!fixed[JAVA_STUB_POST_ENTRY]);
    targets.receiver = receiver;
    if (fixed[JAVA_STUB_ENTRY])
        (void)!make_fixed(true);
}

const void *java_stub(JavaStubKind kind)
{
    VM_ASSERT(kind < JAVA_STUB_COUNT);
    return fixed[kind];
}

static JavaShape *make_shape(const char *shape)
{
    const CodeBlob *enter = java_enter_make(shape, &targets);
    const CodeBlob *interpret = enter ? java_interpret_make(shape, &targets) : NULL;
    if (!interpret)
        return NULL;
    JavaShape *made = vm_calloc(1, sizeof *made);
    made->enter = (JavaEnter *)(uintptr_t)enter->start;
    made->interpret = interpret->start;
    return made;
}

const JavaShape *java_shape(const char *shape)
{
    VM_ASSERT(shape && fixed[JAVA_STUB_ENTRY]);
    attempt_pause();
    mutex_lock(&stubs_lock);
    JavaShape *found = strmap_get(&shapes, shape);
    if (!found && (found = make_shape(shape)))
        strmap_put(&shapes, shape, found);
    mutex_unlock(&stubs_lock);
    attempt_resume();
    return found;
}

const void *java_link_stub(const char *shape, JavaLinkKind kind, const JavaLinks *offsets)
{
    const JavaShape *of_shape = java_shape(shape);
    if (!of_shape)
        return NULL;
    attempt_pause();
    char *key = vm_asprintf("%d %s", (int)kind, shape);
    mutex_lock(&stubs_lock);
    void *found = strmap_get(&links, key);
    if (!found) {
        const CodeBlob *blob =
            java_link_make(shape, kind, offsets, of_shape->interpret, &targets);
        found = blob ? (void *)(uintptr_t)blob->start : NULL;
        if (found)
            strmap_put(&links, key, found);
    }
    mutex_unlock(&stubs_lock);
    vm_free(key);
    attempt_resume();
    return found;
}

const void *java_native_stub(const char *shape, const JavaNatives *of)
{
    const JavaShape *of_shape = java_shape(shape);
    if (!of_shape)
        return NULL;
    attempt_pause();
    mutex_lock(&stubs_lock);
    void *found = strmap_get(&natives, shape);
    if (!found) {
        const CodeBlob *blob = java_native_make(shape, of, of_shape->interpret, &targets);
        found = blob ? (void *)(uintptr_t)blob->start : NULL;
        if (found)
            strmap_put(&natives, shape, found);
    }
    mutex_unlock(&stubs_lock);
    attempt_resume();
    return found;
}

JavaEnterLoop *java_enter_loop(char result)
{
    size_t kind = (size_t)(result == '[' ? 'L' : result);
    VM_ASSERT(kind < ARRAY_LEN(loops));
    attempt_pause();
    mutex_lock(&stubs_lock);
    if (!loops[kind])
        loops[kind] = java_enter_loop_make((char)kind);
    const CodeBlob *found = loops[kind];
    mutex_unlock(&stubs_lock);
    attempt_resume();
    return found ? (JavaEnterLoop *)(uintptr_t)found->start : NULL;
}

const void *java_runtime_stub(JavaRuntime *fn, bool keeps_floats)
{
    VM_ASSERT(fn && fixed[JAVA_STUB_ENTRY]);
    attempt_pause();
    mutex_lock(&stubs_lock);
    const void *found = ptrmap_get(&runtime[keeps_floats], (uintptr_t)fn);
    if (!found) {
        const CodeBlob *blob = java_runtime_make(fn, keeps_floats, &targets);
        found = blob ? blob->start : NULL;
        if (found)
            ptrmap_put(&runtime[keeps_floats], (uintptr_t)fn, (void *)(uintptr_t)found);
    }
    mutex_unlock(&stubs_lock);
    attempt_resume();
    return found;
}
