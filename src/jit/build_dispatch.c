// SPDX-License-Identifier: Apache-2.0
// Calls that select by their receiver's class: what is known of it by the hierarchy of classes, by where the receiver comes from, and what
// the interpreter saw. Methods for classes that were seen are inlined behind a test of the class. Where all that was seen is
// inlined, what comes later deoptimizes, and other code is made when that was often; else it is called as ever.
#include "jit/build.h"

#include "class/assumption.h"
#include "class/loader.h"
#include "interp/profile.h"

enum {
    SEEN_LEAST = 20,    // calls that tell something
    SEEN_PER_CENT = 20, // of all, that make a class worth a test
    SEEN_SURE = 100,    // calls from which on no other class is expected
};

typedef struct Guess {
    const Class *cls;
    Method *selected;
} Guess;

// ---- one method ----

const Class *build_exact_class(const Builder *b, NodeId receiver)
{
    const Object *constant = build_object_of(b, ir_unchecked(b->g, receiver));
    if (constant)
        return object_class(constant);
    const Node *n = ir_node(b->g, ir_unchecked(b->g, receiver));
    const Class *box = build_box_class(b, ir_unchecked(b->g, receiver));
    if (box)
        return box;
    return n->op == IR_New || n->op == IR_NewArray ? ir_pointer(b->g, n) : NULL;
}

// NULL: the interpreter throws, or knows better; or none of class c gets there, as behind a cast that fails for it.
static Method *selected_by(const Class *c, Method *m)
{
    if (!class_is_subclass(c, m->cls))
        return NULL;
    if (!method_in_vtable(m) && !class_find_itable(c, m->cls))
        return NULL;
    Method *selected = class_select_method(c, m, NULL);
    bool good = selected && !(selected->access & ACC_ABSTRACT)
                && (!method_in_itable(m) || selected->access & ACC_PUBLIC);
    return good ? selected : NULL;
}

Method *build_target(Builder *b, Method *m, NodeId receiver, IrOp *op)
{
    VM_ASSERT(*op == IR_CallVirtual || *op == IR_CallInterface);
    const Class *exact = build_exact_class(b, receiver);
    Method *only = exact ? selected_by(exact, m) : NULL;
    if (!only && *op == IR_CallVirtual) {
        mutex_lock(&loader_lock);
        only = class_unique_implementation(m);
        mutex_unlock(&loader_lock);
        if (only)
            vec_push(&b->g->unique, ((IrUnique){m, only}));
    }
    if (!only)
        return m;
    *op = IR_CallExact;
    return only;
}

// ---- what was seen ----

static uint32_t seen(const _Atomic uint32_t *count)
{
    return atomic_load_explicit(count, memory_order_relaxed);
}

// The classes that are worth a test and whose methods can be inlined. How many; *all: no other is expected.
static uint32_t find_guesses(const Builder *b, Method *m, Guess *out, bool *all)
{
    const Method *own = b->source->method;
    const TypeSite *site = method_profile(own) ? profile_site(own, b->insn) : NULL;
    if (!site)
        return 0;
    uint64_t sum = seen(&site->others);
    for (uint32_t i = 0; i < PROFILE_CLASSES; i++)
        sum += seen(&site->counts[i]);
    uint32_t count = 0;
    uint64_t guessed = 0;
    for (uint32_t i = 0; i < PROFILE_CLASSES && sum >= SEEN_LEAST; i++) {
        const Class *c = atomic_load_explicit(&site->classes[i], memory_order_acquire);
        if (!c || (uint64_t)seen(&site->counts[i]) * 100 < sum * SEEN_PER_CENT)
            continue;
        Method *selected = selected_by(c, m);
        if (!selected || !build_is_inlined(b, selected))
            continue;
        out[count++] = (Guess){c, selected};
        guessed += seen(&site->counts[i]);
    }
    *all = guessed == sum && sum >= SEEN_SURE;
    return count;
}

// ---- tests ----

typedef struct Result {
    BlockId block; // which has no end yet
    NodeId value;  // 0: none
} Result;

// Goes on in a new block where the receiver is of class c. The block where it is not.
static BlockId test_class(Builder *b, NodeId receiver, const Class *c)
{
    NodeId has =
        build_value(b, IR_HasClass, IRT_I, 1, &receiver, ir_intern(b->g, (uintptr_t)c));
    BlockId from = b->block, yes = build_new_block(b, b->in.bci),
            no = build_new_block(b, b->in.bci);
    build_effect(b, IR_IfI, IRT_V, 2, (NodeId[]){has, build_int(b, 0)}, CONDITION_NE, 0);
    ir_edge(b->g, from, yes);
    ir_edge(b->g, from, no);
    b->block = yes;
    return no;
}

// What was done in the block ends there; its result is popped.
static void take_result(Builder *b, IrType type, Result *results, uint32_t *count)
{
    if (!b->block)
        return;
    NodeId value = type != IRT_V ? build_pop(b, type) : 0;
    results[(*count)++] = (Result){b->block, value};
}

static void meet(Builder *b, IrType type, const Result *results, uint32_t count)
{
    b->block = 0;
    if (count == 0 || b->g->refused)
        return;
    if (count == 1) { // what is known of its value stays known
        b->block = results[0].block;
        build_push(b, results[0].value);
        return;
    }
    NodeId in[PROFILE_CLASSES + 1];
    BlockId block = build_new_block(b, b->in.bci);
    for (uint32_t i = 0; i < count; i++) {
        in[i] = results[i].value;
        (void)ir_add(b->g, results[i].block, IR_Goto, IRT_V, 0, NULL, 0);
        ir_edge(b->g, results[i].block, block);
    }
    b->block = block;
    if (type != IRT_V)
        build_push(b, ir_add(b->g, block, IR_Phi, type, count, in, 0));
    build_meeting(b, b->in.bci + b->in.length);
}

bool build_guarded(Builder *b, IrOp op, IrType type, Method *m, uint32_t count,
                   const NodeId *in)
{
    Guess guesses[PROFILE_CLASSES];
    Result results[PROFILE_CLASSES + 1];
    bool all = false;
    uint32_t guess_count = find_guesses(b, m, guesses, &all), result_count = 0;
    if (all || build_sees_new(b, count, in))
        (void)build_state_again(b); // before results are pushed
    for (uint32_t i = 0; i < guess_count;
         i++) // the world may stop while those before are inlined
        vec_push(&b->g->guessed, guesses[i].cls);
    for (uint32_t i = 0; i < guess_count; i++) {
        BlockId other = test_class(b, in[0], guesses[i].cls);
        if (!build_inlined(b, guesses[i].selected, count, in))
            build_call(b, IR_CallExact, type, guesses[i].selected, count, in);
        take_result(b, type, results, &result_count);
        b->block = other;
    }
    if (guess_count == 0)
        return false;
    if (all) {
        build_deopt(b, DEOPT_CLASS);
    } else {
        build_call(b, op, type, m, count, in);
        take_result(b, type, results, &result_count);
    }
    meet(b, type, results, result_count);
    return true;
}
