// SPDX-License-Identifier: Apache-2.0
// The verifier's walk: for each method one pass over the instructions in order, with the frames
// of StackMapTable at every place that is reached otherwise than by falling through (JVMS
// 4.10.1.6).
#include "verify/verify_internal.h"

#include <stdio.h>

// ---- static constraints ----

static bool map_code(Verifier *v)
{
    const CodeInfo *c = v->c;
    for (uint32_t bci = 0; bci < c->code_len;) {
        uint32_t length = instruction_length(c, bci);
        v->bci = bci;
        if (length == 0)
            return bad_code(v, "Bad instruction");
        v->code_map[bci] = c->code[bci] == BC_new ? MAP_NEW : MAP_START;
        bci += length;
    }
    return true;
}

static bool is_start(const Verifier *v, uint32_t bci)
{
    return bci < v->c->code_len && v->code_map[bci] != MAP_NONE;
}

static bool check_catch_type(Verifier *v, const ExceptionEntry *e)
{
    if (e->catch_type == 0)
        return true;
    VType t = vtype_of_class(v, e->catch_type);
    int fits = vtype_assignable(v, t, v->throwable_type);
    if (fits == 0) {
        v->bci = e->handler_pc;
        VError error = {.reason = REASON_BAD_TYPE,
                        .from = t,
                        .to = v->throwable_type,
                        .from_origin = {ORIGIN_CP, e->catch_type}};
        return verify_fail(v, &error,
                           "Catch type is not a subclass of Throwable in exception handler %d",
                           e->handler_pc);
    }
    return fits > 0;
}

static bool check_exception_table(Verifier *v)
{
    v->try_start = v->c->code_len;
    v->try_end = 0;
    for (uint32_t i = 0; i < v->c->exception_count; i++) {
        const ExceptionEntry entry = code_exception(v->c, i), *e = &entry;
        if (!is_start(v, e->start_pc))
            return verify_format_fail(v, "Illegal exception table start_pc %d", e->start_pc);
        if (e->end_pc != v->c->code_len && !is_start(v, e->end_pc))
            return verify_format_fail(v, "Illegal exception table end_pc %d", e->end_pc);
        if (!is_start(v, e->handler_pc))
            return verify_format_fail(v, "Illegal exception table handler_pc %d",
                                      e->handler_pc);
        if (!check_catch_type(v, e))
            return false;
        v->try_start = MIN_OF(v->try_start, (uint32_t)e->start_pc);
        v->try_end = MAX_OF(v->try_end, (uint32_t)e->end_pc);
    }
    return true;
}

static bool check_local(Verifier *v, const LocalVarEntry *e)
{
    uint32_t end = (uint32_t)e->start_pc + e->length;
    if (!is_start(v, e->start_pc))
        return verify_format_fail(v, "Illegal local variable table start_pc %d", e->start_pc);
    return end == v->c->code_len || is_start(v, end)
           || verify_format_fail(v, "Illegal local variable table length %d", e->length);
}

static bool check_local_table(Verifier *v)
{
    uint32_t count;
    LocalVarEntry *locals = code_locals(v->cf, v->c, &count);
    bool ok = true;
    for (uint32_t i = 0; ok && i < count; i++)
        ok = check_local(v, &locals[i]);
    vm_free(locals);
    return ok;
}

// ---- flow ----

bool check_branch(Verifier *v, int64_t target, int64_t offset)
{
    if (offset < -UINT16_MAX || offset > UINT16_MAX)
        return verify_fail(v, &(VError){.reason = REASON_BAD_MAP},
                           "Illegal target of jump or branch (bci %d + offset %d)", v->bci,
                           (int)offset);
    // a frame stands at an instruction, so a target that has one is right
    const MapFrame *map =
        target < 0 || target >= v->c->code_len ? NULL : stackmap_at(v, (uint32_t)target);
    if (map == NULL)
        return verify_fail(v, &(VError){.reason = REASON_NO_FRAME},
                           "Expecting a stackmap frame at branch target %d", (int)target);
    return frame_match(v, map, "Inconsistent stackmap frames at branch target %d",
                       (uint32_t)target);
}

bool check_handlers(Verifier *v)
{
    if (v->bci < v->try_start || v->bci >= v->try_end)
        return true;
    for (uint32_t i = 0; i < v->c->exception_count; i++) {
        const ExceptionEntry entry = code_exception(v->c, i), *e = &entry;
        if (v->bci < e->start_pc || v->bci >= e->end_pc)
            continue;
        VType thrown =
            e->catch_type == 0 ? v->throwable_type : vtype_of_class(v, e->catch_type);
        const MapFrame *map = stackmap_at(v, e->handler_pc);
        if (map == NULL)
            return verify_fail(v, &(VError){.reason = REASON_NO_FRAME},
                               "Expecting a stackmap frame at branch target %d", e->handler_pc);
        if (!frame_match_handler(v, map, thrown,
                                 "Stack map does not match the one at exception handler %d",
                                 e->handler_pc))
            return false;
    }
    return true;
}

// Takes the frame of StackMapTable for this bci, when there is one; there must be after an
// instruction that does not fall through.
static bool enter_instruction(Verifier *v)
{
    v->sp_before = v->sp;
    const MapFrame *map = v->next_map < v->map_count ? &v->maps[v->next_map] : NULL;
    if (map != NULL && map->bci < v->bci)
        return verify_format_fail(v, "Bad stack map offset %d", map->bci);
    if (map == NULL || map->bci != v->bci) {
        return v->falls_through
               || verify_fail(
                   v, &(VError){.reason = map == NULL ? REASON_BAD_CODE : REASON_NO_FRAME},
                   "Expecting a stack map frame");
    }
    v->next_map++;
    if (v->falls_through
        && !frame_match(v, map, "Instruction type does not match stack map", 0))
        return false;
    frame_adopt(v, map);
    return true;
}

// Handlers are entered with the locals as they were before the instruction. That is checked
// before those that change locals, and after the others, so that an error of the instruction
// itself is found first; invocations of <init> see to it themselves.
static bool handlers_before(uint8_t op)
{
    return (op >= BC_istore && op <= BC_astore_3) || op == BC_wide || op == BC_new;
}

static bool step(Verifier *v)
{
    bool before = handlers_before(v->op);
    v->sp_before = v->sp;
    v->handlers_done = false;
    if (before && !check_handlers(v))
        return false;
    return instruction_check(v) && (before || v->handlers_done || check_handlers(v));
}

static bool walk(Verifier *v)
{
    const CodeInfo *c = v->c;
    v->falls_through = true;
    for (v->bci = 0; v->bci < c->code_len; v->bci += v->length) {
        v->op = c->code[v->bci];
        v->length = instruction_length(c, v->bci);
        if (!enter_instruction(v) || !step(v))
            return false;
        v->falls_through = !(bytecode_info[v->op].flags & BCF_END);
    }
    return !v->falls_through || bad_code(v, "Control flow falls through code end");
}

static bool verify_method(Verifier *v, const MethodInfo *m)
{
    v->m = m;
    v->code = code_info(m->code);
    v->c = &v->code;
    v->stack_map = code_stack_map(v->cf, v->c);
    v->is_init = bytes_eq(cf_utf8(v->cf, m->name), "<init>");
    v->locals = arena_alloc(&v->method_arena, v->c->max_locals * sizeof(VType));
    v->stack = arena_alloc(&v->method_arena, (v->c->max_stack + 1u) * sizeof(VType));
    v->code_map = arena_alloc(&v->method_arena, v->c->code_len);
    bool ok =
        frame_set_initial(v) && map_code(v) && check_exception_table(v) && check_local_table(v);
    v->bci = 0;
    ok = ok && stackmap_read(v) && walk(v);
    arena_free(&v->method_arena);
    return ok;
}

static VType name_type(Verifier *v, const char *name)
{
    return vtype_of_name(v, (Bytes){(const uint8_t *)name, (uint32_t)strlen(name)});
}

// "p/Outer$In+0x01" is p.Outer$In/0x01 outside.
static char *external_name(Arena *a, const char *name)
{
    char *copy = memcpy(arena_alloc(a, strlen(name) + 1), name, strlen(name));
    for (char *p = copy; *p != '\0'; p++)
        *p = *p == '/' ? '.' : *p == '+' ? '/' : *p;
    return copy;
}

VerifyStatus verify_class(const ClassFile *cf, const char *class_name, const VerifyContext *cx,
                          char *message, size_t message_size)
{
    Verifier v = {.cf = cf,
                  .cx = cx,
                  .class_name = class_name,
                  .message = message,
                  .message_size = message_size};
    if (message_size > 0)
        message[0] = '\0';
    v.external_name = external_name(&v.class_arena, class_name);
    v.object_type = name_type(&v, "java/lang/Object");
    v.throwable_type = name_type(&v, "java/lang/Throwable");
    v.this_type = name_type(&v, class_name);
    bool ok = true;
    for (uint32_t i = 0; ok && i < cf->method_count; i++)
        ok = cf->methods[i].code == NULL || verify_method(&v, &cf->methods[i]);
    arena_free(&v.method_arena);
    arena_free(&v.class_arena);
    strmap_free(&v.name_ids);
    ptrmap_free(&v.assignable);
    vec_free(&v.names);
    if (!ok && v.status == VERIFY_OK)
        vm_fatal("verifier: failure without status in class %s", class_name);
    return v.status;
}
