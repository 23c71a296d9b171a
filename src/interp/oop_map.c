// SPDX-License-Identifier: Apache-2.0
// What the slots of an interpreted frame hold where it stands: found by abstract interpretation of the
// method's bytecodes (classfile/flow.h), when a frame of the method is first looked at. Kept are the states
// in which blocks begin, and a map for each instruction that was asked for.
//
// A slot is UNSET (on every path), REF, WIDE (a long or double, the slot that holds it), NUMBER (any
// other, also the slot behind a wide one, and what differs between two paths), or the return address of a
// jsr. Where subroutines (class files before 51) give an instruction several states, a frame's state is
// the one whose return addresses the frame really has. Runs while the world is stopped or in the owning
// thread. Maps are added under a mutex and read without it.
#include "classfile/flow.h"
#include "interp/interp.h"

typedef struct PlaceMap {
    struct PlaceMap *next;  // of the same block
    const FlowState *state; // of the block
    uint16_t bci, depth;
    uint8_t kinds[]; // SlotKind; locals, then operands
} PlaceMap;

typedef struct MethodMaps { // Method.oop_maps
    Flow flow;
    PlaceMap *_Atomic at[]; // by block
} MethodMaps;

static Mutex maps_lock = MUTEX_INIT(RANK_CODE);

// ---- the lattice: words are SlotKinds ----

static FlowWord slot_kind_of(char kind)
{
    return kind_is_reference(kind) ? SLOT_REF : kind_is_wide(kind) ? SLOT_WIDE : SLOT_NUMBER;
}

static void put(FlowWord *at, FlowWord kind)
{
    at[0] = kind;
    if (kind == SLOT_WIDE)
        at[1] = SLOT_NUMBER;
}

static void push(FlowWord *at, const Instruction *in, char kind)
{
    (void)in;
    put(at, slot_kind_of(kind));
}

static void store(FlowWord *locals, const Instruction *in, FlowWord value)
{
    FlowWord kind = slot_kind_of(in->info->local.kind);
    if (in->local > 0 && locals[in->local - 1] == SLOT_WIDE)
        locals[in->local - 1] = SLOT_NUMBER;                  // its second half is overwritten
    put(&locals[in->local], kind == SLOT_REF ? value : kind); // what is no reference stays none
}

static const FlowLattice slot_kinds = {
    .push = push, .store = store, .caught = SLOT_REF, .mixed = SLOT_NUMBER};
_Static_assert(SLOT_UNSET == FLOW_UNSET, "a SlotKind is a FlowWord");

static SlotKind slot_kind(FlowWord word)
{
    return word & FLOW_RETURN ? SLOT_RETURN : (SlotKind)word;
}

static void set_arguments(FlowWord *locals, const Method *m)
{
    if (!method_is_static(m))
        locals[0] = SLOT_REF;
    DescriptorWalk w = descriptor_walk(m->desc->s, m->desc->len, !method_is_static(m));
    while (descriptor_walk_next(&w))
        put(&locals[w.slot], slot_kind_of(w.kind));
}

// ---- the maps of a method ----

static void maps_free(MethodMaps *maps)
{
    for (uint32_t i = 0; i < maps->flow.graph.block_count; i++)
        for (PlaceMap *p = maps->at[i], *next; p; p = next) {
            next = p->next;
            vm_free(p);
        }
    flow_free(&maps->flow);
    vm_free(maps);
}

static MethodMaps *maps_new(const Method *m)
{
    VM_ASSERT(mutex_held(&maps_lock));
    Flow flow;
    CodeInfo code = method_code(m);
    bool ok = flow_init(&flow, m->pool->cf, &code, &slot_kinds);
    if (ok) {
        set_arguments(flow.words, m);
        ok = flow_solve(&flow);
    }
    if (!ok)
        vm_fatal("no oop maps for %s.%s: its code makes no sense, or too many paths into "
                 "subroutines",
                 m->cls->name->s, m->name->s);
    MethodMaps *maps = vm_calloc(1, sizeof *maps + flow.graph.block_count * sizeof *maps->at);
    maps->flow = flow;
    return maps;
}

static MethodMaps *maps_of(Method *m)
{
    VM_ASSERT(method_has_code(m));
    MethodMaps *maps = atomic_load_explicit(&m->oop_maps, memory_order_acquire);
    if (UNLIKELY(!maps)) {
        mutex_lock(&maps_lock);
        maps = atomic_load_explicit(&m->oop_maps, memory_order_relaxed);
        if (!maps) {
            maps = maps_new(m);
            atomic_store_explicit(&m->oop_maps, maps, memory_order_release);
        }
        mutex_unlock(&maps_lock);
    }
    return maps;
}

void method_free_oop_maps(Method *m)
{
    if (!method_is_native(m) && m->oop_maps)
        maps_free(m->oop_maps);
}

// ---- the map of a frame ----

static void step_to(Flow *flow, const FlowState *s, const Frame *f)
{
    VM_ASSERT(mutex_held(&maps_lock)); // the frame that is stepped is the method's one
    if (!flow_step_to(flow, s, (uint32_t)frame_bci(f)))
        vm_fatal("no oop map for %s.%s at %d", f->method->cls->name->s, f->method->name->s,
                 frame_bci(f));
}

// Whether the frame has the return addresses of the words in flow.
static bool has_returns(const Frame *f, const Flow *flow)
{
    for (uint32_t i = 0; i < flow->locals + flow->depth; i++) {
        if (!(flow->words[i] & FLOW_RETURN))
            continue;
        const Slot *slot =
            i < flow->locals ? &f->locals[i] : frame_operands((Frame *)f) + (i - flow->locals);
        if (slot->p != method_insn_at(f->method, flow->words[i] & ~FLOW_RETURN))
            return false;
    }
    return true;
}

// The state of the block that the frame stands in; NULL: no path leads there.
static const FlowState *state_of(MethodMaps *maps, const Frame *f, uint32_t block)
{
    const FlowState *s = maps->flow.entry[block];
    if (LIKELY(!s || !s->next))
        return s;
    mutex_lock(&maps_lock);
    for (; s->next; s = s->next) {
        step_to(&maps->flow, s, f);
        if (has_returns(f, &maps->flow))
            break;
    }
    mutex_unlock(&maps_lock);
    return s;
}

static PlaceMap *find_map(PlaceMap *p, const FlowState *s, int32_t bci)
{
    while (p && (p->bci != bci || p->state != s))
        p = p->next;
    return p;
}

static PlaceMap *map_new(Flow *flow, const FlowState *s, const Frame *f)
{
    step_to(flow, s, f);
    uint32_t slots = flow->locals + flow->depth;
    VM_ASSERT(flow->locals == f->method->max_locals);
    PlaceMap *p = vm_malloc(sizeof *p + slots);
    *p = (PlaceMap){.state = s, .bci = (uint16_t)frame_bci(f), .depth = (uint16_t)flow->depth};
    for (uint32_t i = 0; i < slots; i++)
        p->kinds[i] = (uint8_t)slot_kind(flow->words[i]);
    return p;
}

// NULL: no path leads to where the frame stands.
static const PlaceMap *map_of(const Frame *f)
{
    MethodMaps *maps = maps_of(f->method);
    int32_t bci = frame_bci(f);
    VM_ASSERT(bci >= 0 && maps->flow.graph.cf == f->method->pool->cf);
    uint32_t block = flow_graph_block(&maps->flow.graph, (uint32_t)bci);
    const FlowState *s = state_of(maps, f, block);
    if (!s)
        return NULL;
    PlaceMap *p =
        find_map(atomic_load_explicit(&maps->at[block], memory_order_acquire), s, bci);
    if (LIKELY(p != NULL))
        return p;
    mutex_lock(&maps_lock);
    PlaceMap *newest = atomic_load_explicit(&maps->at[block], memory_order_relaxed);
    p = find_map(newest, s, bci);
    if (!p) {
        p = map_new(&maps->flow, s, f);
        p->next = newest;
        atomic_store_explicit(&maps->at[block], p,
                              memory_order_release); // pairs with the load above
    }
    mutex_unlock(&maps_lock);
    return p;
}

// ---- what is asked ----

static FrameMap frame_map_of(const Frame *f)
{
    const PlaceMap *p = map_of(f);
    return p ? (FrameMap){p->kinds, f->method->max_locals, p->depth} : (FrameMap){0};
}

bool frame_local_is_ref(const Frame *f, uint32_t slot)
{
    const FrameMap map = frame_map_of(f);
    return slot < map.locals && map.kinds[slot] == SLOT_REF;
}

bool method_locals_at(Method *m, uint32_t bci, uint8_t *kinds)
{
    MethodMaps *maps = maps_of(m);
    Flow *flow = &maps->flow;
    const FlowState *s = flow->entry[flow_graph_block(&flow->graph, bci)];
    if (!s || s->next)
        return false;
    mutex_lock(&maps_lock);
    bool found = flow_step_to(flow, s, bci);
    for (uint32_t i = 0; found && i < flow->locals; i++)
        kinds[i] = (uint8_t)slot_kind(flow->words[i]);
    mutex_unlock(&maps_lock);
    return found;
}

uint32_t frame_depth(const Frame *f)
{
    return frame_map_of(f).depth;
}

// ---- native methods ----

static void visit_arguments(Frame *f, void (*visit)(void *ctx, Object **slot, uint32_t index),
                            void *ctx)
{
    const Method *m = f->method;
    if (!method_is_static(m))
        visit(ctx, &f->locals[0].ref, 0);
    DescriptorWalk w = descriptor_walk(m->desc->s, m->desc->len, !method_is_static(m));
    while (descriptor_walk_next(&w))
        if (kind_is_reference(w.kind))
            visit(ctx, &f->locals[w.slot].ref, w.slot);
}

static const Object *class_argument(const Frame *f)
{
    return method_is_static(f->method) ? class_mirror(f->method->cls) : NULL;
}

static bool is_synchronized(const Method *m)
{
    return m->access & ACC_SYNCHRONIZED;
}

const FrameMaps interp_frame_maps = {frame_map_of, visit_arguments, class_argument,
                                     is_synchronized};
