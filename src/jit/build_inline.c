// SPDX-License-Identifier: Apache-2.0
// Methods whose nodes stand in place of a call. The states of an inlined method have a scope of their own, whose caller's state is that
// behind the call; so wherever its code deoptimizes, throws or is looked at, all frames are there.
#include "jit/build.h"

#include "interp/interp.h"
#include "interp/profile.h"
#include "jit/compile_print.h"

enum {
    SMALL_BYTES = 35,
    MOST_DEPTH = 9,
    // What is larger but warm goes into small graphs alone.
    MEDIUM_BYTES = 100,
    MEDIUM_DEPTH = 3,
    MEDIUM_NODES = 1500,
    // So does what has become hot by itself.
    HOT_BYTES = 325,
    HOT_DEPTH = 2,
    HOT_NODES = 1000,
    MOST_RECURSION = 1, // of a method in itself
    // What the class library asks to be inlined, the code of method handles among it.
    FORCED_SCOPES = 40,
    FORCED_RECURSION = 8,
    MOST_NODES = 8000, // of the graph
    FRAME_WORDS = 12,  // of a frame of the interpreter, beside locals and operands
};

// ---- which ----

static bool runs_bytecodes(const Method *m)
{
    MethodEntry entry = method_entry_kind(m);
    return (entry == ENTRY_JAVA || entry == ENTRY_JAVA_COUNTED || entry == ENTRY_COMPILED)
           && atomic_load_explicit(&m->code, memory_order_acquire);
}

static uint32_t times_in(const Builder *b, const Method *m)
{
    uint32_t times = 0;
    for (; b; b = b->caller)
        times += b->source->method == m;
    return times;
}

// What is left to be called: what looks at its callers and is not to be inlined by force, or is no plain body.
static bool may_be_inlined(const Method *m)
{
    enum {
        APART = METHOD_OVERPASS | METHOD_OBSOLETE | METHOD_OBJECT_INIT | METHOD_HAS_JSR
                | METHOD_OLD | METHOD_DELETED
    };
    bool asks = m->flags & METHOD_CALLER_SENSITIVE && !(m->flags & METHOD_FORCE_INLINE);
    return !asks && !(m->flags & APART) && runs_bytecodes(m);
}

// -XX:CompileCommand=inline,<pattern> and dontinline,<pattern>
static bool is_told(const Method *m, const char *command)
{
    CompileSubject s = compile_subject(m);
    const char *said = compile_command_value(command, &s);
    return said && strcmp(said, "true") == 0;
}

static bool is_forced(const Method *m)
{
    return (m->flags & (METHOD_FORCE_INLINE | METHOD_LAMBDA_FORM_COMPILED))
           || is_told(m, "inline");
}

// An exception that leaves a method which is inlined and holds its monitor deoptimizes the frame.
static bool throws_with_monitor(const Builder *b, const Method *m)
{
    return m->access & ACC_SYNCHRONIZED && build_has_thrown(b, b->in.bci);
}

// `sees_new`: it is given an object that was just made, which need not be if no call sees it.
static bool is_wanted(const Builder *b, const Method *m, bool sees_new)
{
    const IrScope *scope = &b->g->scopes.at[b->scope];
    uint32_t bytes = method_code(m).code_len;
    if (is_told(m, "dontinline") || throws_with_monitor(b, m))
        return false;
    if (is_forced(m))
        return times_in(b, m) <= FORCED_RECURSION && scope->height < FORCED_SCOPES
               && b->g->nodes.len < MOST_NODES;
    if (scope->depth >= MOST_DEPTH || times_in(b, m) > MOST_RECURSION
        || b->g->nodes.len >= MOST_NODES)
        return false;
    bool hot = bytes <= HOT_BYTES && scope->depth < HOT_DEPTH && b->g->nodes.len < HOT_NODES
               && method_entry_kind(m) == ENTRY_COMPILED;
    bool medium = bytes <= MEDIUM_BYTES && (sees_new || scope->depth < MEDIUM_DEPTH)
                  && b->g->nodes.len < MEDIUM_NODES && method_profile(m);
    return bytes <= SMALL_BYTES || medium || hot || b->options->inlines_all;
}

bool build_is_inlined(const Builder *b, const Method *m)
{
    return may_be_inlined(m) && is_wanted(b, m, false) && !b->g->refused;
}

bool build_sees_new(const Builder *b, uint32_t count, const NodeId *in)
{
    for (uint32_t i = 0; i < count; i++)
        if (build_is_new(b, in[i]))
            return true;
    return false;
}

// ---- how ----

// The scope of m, called where b stands.
static uint32_t new_scope(Builder *b, const IrSource *source)
{
    IrScope scope = b->g->scopes.at[b->scope];
    scope.source = source;
    scope.caller = build_state(b, b->in.bci, STATE_BEHIND);
    scope.height++;
    scope.depth += !is_forced(source->method);
    scope.words += build_locals(b) + b->source->code.max_stack + FRAME_WORDS;
    vec_push(&b->g->scopes, scope);
    return (uint32_t)b->g->scopes.len - 1;
}

static void take_arguments(Builder *callee, uint32_t count, const NodeId *in)
{
    uint32_t slot = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint8_t type = ir_node(callee->g, in[i])->type;
        build_store(callee, slot, in[i]);
        slot += type == IRT_L || type == IRT_D ? 2 : 1;
    }
}

// Where the returns of the callee meet; its result, if any, is *value.
static BlockId join(Builder *callee, uint32_t bci, NodeId *value)
{
    const Builder *b = callee->caller;
    uint32_t count = (uint32_t)callee->returned.len;
    if (count == 0)
        return 0;
    *value = callee->returned.at[0].value;
    if (count == 1)
        return callee->returned.at[0].block;
    BlockId block = build_new_block(b, bci);
    NodeId *in = arena_alloc(&b->g->arena, count * sizeof *in);
    for (uint32_t i = 0; i < count; i++) {
        in[i] = callee->returned.at[i].value;
        (void)ir_add(b->g, callee->returned.at[i].block, IR_Goto, IRT_V, 0, NULL, 0);
        ir_edge(b->g, callee->returned.at[i].block, block);
    }
    if (*value)
        *value = ir_add(b->g, block, IR_Phi, (IrType)ir_node(b->g, *value)->type, count, in, 0);
    return block;
}

static bool build_body(Builder *b, Method *m, uint32_t count, const NodeId *in)
{
    IrSource *source = arena_alloc(&b->g->arena, sizeof *source);
    *source = ir_source(m);
    uint32_t words = b->g->scopes.at[b->scope].words + build_locals(b)
                     + b->source->code.max_stack + FRAME_WORDS;
    if (words + source->code.max_locals + source->code.max_stack > MAX_STATE_WORDS)
        return false;
    BuildOptions options = *b->options;
    options.enters_loop = false;
    Builder callee = {.g = b->g, .caller = b, .source = source, .options = &options};
    bool found = build_find_blocks(&callee);
    if (found) {
        NodeId value = 0;
        callee.scope = new_scope(b, source);
        build_words(&callee);
        take_arguments(&callee, count, in);
        callee.block = b->block;
        build_begin_method(&callee, true);
        build_blocks(&callee, 0);
        build_at(b, b->in.bci);
        b->block = b->g->refused ? 0 : join(&callee, b->in.bci, &value);
        build_push(b, value);
        if (b->block && callee.returned.len > 1)
            build_meeting(b, b->in.bci + b->in.length);
    } else {
        b->g->refused = REFUSED_NOT; // it is for its caller to do
    }
    build_free(&callee);
    return found;
}

// An access of memory of a scope stays a frame, which is looked for when the scope is closed: not where it is of none. Scopes come first.
static bool has_no_scope(const Builder *b, const Method *m, uint32_t count, const NodeId *in)
{
    uint32_t i = 1;
    for (const char *at = m->desc->s; (at = strstr(at, "$Scope;")) != NULL; at++, i++)
        if (i >= count || !ir_is_const(b->g, in[i]))
            return false;
    return true;
}

bool build_inlined(Builder *b, Method *m, uint32_t count, const NodeId *in)
{
    bool apart = m->flags & METHOD_SCOPED && !has_no_scope(b, m, count, in);
    return !apart && may_be_inlined(m) && is_wanted(b, m, build_sees_new(b, count, in))
           && !b->g->refused && build_body(b, m, count, in);
}

bool build_inlined_init(Builder *b, Method *m, uint32_t count, const NodeId *in)
{
    VM_ASSERT(m->flags & METHOD_OBJECT_INIT);
    return runs_bytecodes(m) && is_wanted(b, m, true) && !b->g->refused
           && build_body(b, m, count, in);
}
