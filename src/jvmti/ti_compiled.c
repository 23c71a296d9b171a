// SPDX-License-Identifier: Apache-2.0
// CompiledMethodLoad: the address map, and as compile_info a record (jvmticmlr.h) of the methods and their instructions that the code at each
// address does, the innermost first.
#include <jvmti.h>
#include <jvmticmlr.h>

#include "class/method_id.h"
#include "code/compiled_code.h"
#include "jvmti/env/ti.h"

typedef struct CodeMap {
    VEC(jvmtiAddrLocationMap) addresses; // by address: the method's own instructions
    VEC(PCStackInfo) stacks;
    VEC(jmethodID) methods; // of all stacks
    VEC(jint) bcis;         // likewise
} CodeMap;

static void add_frame(CodeMap *map, const CompiledCode *code, uint32_t scope, uint32_t bci)
{
    vec_push(&map->methods, method_id(code->scopes[scope].method));
    vec_push(&map->bcis, (jint)bci);
}

static void add_position(CodeMap *map, const CompiledCode *code, const CodePosition *p)
{
    const void *address = code->blob->start + p->offset;
    uint32_t scope = p->scope, bci = p->bci;
    jint depth = 1;
    add_frame(map, code, scope, bci);
    for (; compiled_caller(code, &scope, &bci); depth++)
        add_frame(map, code, scope, bci);
    vec_push(&map->stacks,
             ((PCStackInfo){.pc = (void *)(uintptr_t)address, .numstackframes = depth}));
    size_t count = map->addresses.len;
    if (!count || map->addresses.at[count - 1].location != (jlocation)bci)
        vec_push(&map->addresses, ((jvmtiAddrLocationMap){address, (jlocation)bci}));
}

// As soon as nothing is added any more: arrays move when they grow.
static void point_to_frames(CodeMap *map)
{
    size_t at = 0;
    for (size_t i = 0; i < map->stacks.len; i++) {
        PCStackInfo *s = &map->stacks.at[i];
        s->methods = map->methods.at + at;
        s->bcis = map->bcis.at + at;
        at += (size_t)s->numstackframes;
    }
    VM_ASSERT(at == map->methods.len);
}

static void free_map(CodeMap *map)
{
    vec_free(&map->addresses);
    vec_free(&map->stacks);
    vec_free(&map->methods);
    vec_free(&map->bcis);
}

static MAY_GC void call(Thread *self, TiEnv *env, jvmtiEventCompiledMethodLoad callback,
                        const CompiledCode *code, CodeMap *map)
{
    const CodeBlob *blob = code->blob;
    jmethodID id = method_id(code->method);
    const jvmtiCompiledMethodLoadInlineRecord record = {
        .header = {.kind = JVMTI_CMLR_INLINE_INFO,
                   .majorinfoversion = JVMTI_CMLR_MAJOR_VERSION,
                   .minorinfoversion = JVMTI_CMLR_MINOR_VERSION},
        .numpcs = (jint)map->stacks.len,
        .pcinfo = map->stacks.at};
    TI_CALL(self, env,
            callback((jvmtiEnv *)env, id, (jint)blob->size, blob->start,
                     (jint)map->addresses.len, map->addresses.at, &record));
}

void ti_compiled_post_load(Thread *self, const struct Event_COMPILED_LOAD *e)
{
    CodeMap map = {0};
    for (uint32_t i = 0; i < e->code->position_count; i++)
        add_position(&map, e->code, &e->code->positions[i]);
    point_to_frames(&map);
    TI_ENV_EACH(env)
    {
        jvmtiEventCompiledMethodLoad callback = (jvmtiEventCompiledMethodLoad)ti_event_callback(
            self, env, JVMTI_EVENT_COMPILED_METHOD_LOAD);
        if (callback && (!e->only || e->only == env))
            call(self, env, callback, e->code, &map);
    }
    free_map(&map);
}
