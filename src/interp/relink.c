// SPDX-License-Identifier: Apache-2.0
// See relink.h. Operands of calls stay: an instruction that has its bytecode back writes its own when it is quickened. What a
// frame is in the midst of, a call that has not returned, is not done again.
#include "interp/relink.h"

#include "class/vm_classes.h"
#include "interp/breakpoint.h"
#include "interp/interp.h"
#include "link/resolve.h"
#include "redefine/class_version.h"

typedef bool IsAffected(const Class *c);

static bool names_affected(ConstantPool *pool, uint16_t index, IsAffected *is_affected)
{
    const Class *named = resolved_class(pool, cf_first_index(pool->cf, index));
    return named && is_affected(named);
}

// Failures go as well: the member may be there now.
static void relink_entries(ConstantPool *pool, IsAffected *is_affected)
{
    for (uint32_t i = 1; i < pool->cf->cp_count; i++) {
        uint16_t index = (uint16_t)i;
        uint8_t tag = cf_tag(pool->cf, index);
        bool names_member =
            tag == CP_FIELDREF || tag == CP_METHODREF || tag == CP_INTERFACE_METHODREF;
        if (names_member && pool_resolved(pool, index)
            && names_affected(pool, index, is_affected))
            atomic_store(pool_slot(pool, index), NULL);
    }
}

static bool is_affected_insn(const Method *m, const Insn *in, uint8_t bytecode,
                             IsAffected *is_affected)
{
    if (bytecode == BC_new) {
        const Class *made = resolved_class(m->pool, (uint16_t)in->a);
        return made && is_affected(made);
    }
    if (bytecode < BC_getstatic || bytecode > BC_invokeinterface)
        return false;
    return (bytecode == BC_invokespecial && is_affected(m->cls))
           || names_affected(m->pool, (uint16_t)in->a, is_affected);
}

static void relink_code(const Method *m, IsAffected *is_affected)
{
    Insn *code = atomic_load_explicit(&m->code, memory_order_acquire);
    for (uint32_t i = 0; code && i < m->insn_count; i++) {
        uint8_t bytecode = method_bytecodes(m)[code[i].bci];
        if (is_affected_insn(m, &code[i], bytecode, is_affected))
            breakpoint_publish(m, &code[i], bytecode);
    }
}

static void relink_class(const Class *c, IsAffected *is_affected)
{
    if (c->pool)
        relink_entries(c->pool, is_affected);
    METHOD_EACH (m, c)
        relink_code(m, is_affected);
    for (const OldMethod *o = c->old_methods; o; o = o->next) {
        relink_entries(o->method.pool, is_affected);
        relink_code(&o->method, is_affected);
    }
}

void relink(bool (*is_affected)(const Class *c))
{
    ASSERT_WORLD_STOPPED();
    const Class *top = CLS(Object);
    for (const Class *c = top; c; c = class_next_below(c, top))
        relink_class(c, is_affected);
    call_caches_clear();
}
