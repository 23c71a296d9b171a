// SPDX-License-Identifier: Apache-2.0
// Walking: every object in address order, and every reference slot of an object.
#include "heap/heap_internal.h"

static void space_walk(const Space *s, void (*visit)(void *ctx, Object *o), void *ctx)
{
    char *p = s->start;
    while (p < s->top) {
        Object *o = (Object *)p;
        uint64_t mark = mark_load(o);
        if (MARK_IS_FILLER(mark)) {
            p += mark >> FILLER_SHIFT;
            continue;
        }
        p += object_size(o);
        visit(ctx, o);
    }
}

void heap_each_object(void (*visit)(void *ctx, Object *o), void *ctx)
{
    tlabs_retire_all();
    space_walk(&heap.old, visit, ctx);
    space_walk(&heap.eden, visit, ctx);
    space_walk(&heap.from, visit, ctx);
}

typedef void (*OffsetVisitor)(void *ctx, Object *holder, uint32_t offset);

static void spans_report(Object *o, const RefSpan *spans, uint32_t count, OffsetVisitor visit,
                         void *ctx)
{
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < spans[i].count; j++)
            visit(ctx, o, spans[i].offset + j * (uint32_t)sizeof(Narrow));
    }
}

void object_each_ref(Object *o, OffsetVisitor visit, void *ctx)
{
    const Layout *l = object_layout(o), *of;
    switch ((Shape)l->shape) {
    case SHAPE_PRIM_ARRAY: return;
    case SHAPE_REF_ARRAY: {
        RefSpan all = {ARRAY_BASE, (uint32_t)array_length(o)};
        spans_report(o, &all, 1, visit, ctx);
        return;
    }
    case SHAPE_INSTANCE:
    case SHAPE_LOADER: spans_report(o, l->spans, l->span_count, visit, ctx); return;
    case SHAPE_MIRROR:
        spans_report(o, l->spans, l->span_count, visit, ctx);
        of = mirror_layout(o);
        if (of)
            spans_report(o, of->static_spans, of->static_span_count, visit, ctx);
        return;
    case SHAPE_REFERENCE:
        spans_report(o, l->spans, l->span_count, visit, ctx);
        if (reference_offsets.referent) {
            visit(ctx, o, reference_offsets.referent);
            visit(ctx, o, reference_offsets.discovered);
        }
        return;
    }
}
