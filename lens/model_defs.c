// SPDX-License-Identifier: Apache-2.0
// The model's definitions: classes, methods, threads, frames and stacks (model.h).
#define _GNU_SOURCE
#include "model_ids.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t model_package(Model *model, const char *class_name)
{
    const char *end = strrchr(class_name, '.');
    const char *slash =
        strchr(class_name, '/'); // of hidden classes: com.acme.Order$$Lambda/0x0000
    if (slash != NULL && end > slash)
        end = memrchr(class_name, '.', (size_t)(slash - class_name));
    return end ? names_add(&model->names, class_name, (size_t)(end - class_name)) : 0;
}

// The length of a class's name without what numbers lambdas and hidden classes.
static size_t plain_length(const char *name)
{
    const char *lambda = strstr(name, "$$Lambda");
    const char *slash = strchr(name, '/');
    if (lambda != NULL)
        return (size_t)(lambda - name) + 8;
    return slash ? (size_t)(slash - name) : strlen(name);
}

static uint32_t method_label(Model *m, const ModelMethod *method)
{
    ASSERT_INDEX(&m->classes, method->class);
    const char *class = model_name(m, m->classes.at[method->class].name);
    char *label =
        mem_format("%.*s.%s", (int)plain_length(class), class, model_name(m, method->name));
    uint32_t id = names_add(&m->names, label, strlen(label));
    free(label);
    return id;
}

static void define(Decoding *d, IdKind kind, uint64_t wire_id, uint32_t id)
{
    assert(id > 0); // 0 is "none" of each kind
    if (wire_id != 0)
        *map_at(&d->m->ids->wire[kind], wire_id) = id;
}

static void decode_class(Decoding *d)
{
    uint64_t id = wire_u(&d->wire);
    ModelClass c = {0};
    c.name = decode_name(d);
    c.source = decode_name(d);
    c.loader = decode_id(d, ID_LOADER);
    c.modifiers = wire_u32(&d->wire);
    c.package = model_package(d->m, model_name(d->m, c.name));
    if (d->wire.bad || !decode_has_room(d, d->m->classes.count, MAX_DEFINITIONS))
        return;
    define(d, ID_CLASS, id, d->m->classes.count);
    *ARRAY_PUSH(&d->m->classes) = c;
}

static void decode_lines(Decoding *d, ModelMethod *method)
{
    uint32_t n = wire_count(&d->wire, 2);
    uint64_t bci = 0;
    int64_t line = 0;
    method->lines = d->m->lines.count;
    for (uint32_t i = 0; i < n && !d->wire.bad; i++) {
        bci += wire_u(&d->wire);
        line += wire_z(&d->wire);
        if (bci > 65535 || line < 0 || line > 65535
            || !decode_has_room(d, d->m->lines.count, 4 * MAX_DEFINITIONS))
            continue;
        *ARRAY_PUSH(&d->m->lines) = (ModelLine){(uint32_t)bci, (uint32_t)line};
    }
    method->line_count = d->m->lines.count - method->lines;
}

static void decode_method(Decoding *d)
{
    uint64_t id = wire_u(&d->wire);
    ModelMethod m = {0};
    m.class = decode_id(d, ID_CLASS);
    m.name = decode_name(d);
    m.signature = decode_name(d);
    m.modifiers = wire_u32(&d->wire);
    m.bytes = wire_u32(&d->wire);
    decode_lines(d, &m);
    if (d->wire.bad || !decode_has_room(d, d->m->methods.count, MAX_DEFINITIONS))
        return;
    m.label = method_label(d->m, &m);
    m.wire = id;
    define(d, ID_METHOD, id, d->m->methods.count);
    *ARRAY_PUSH(&d->m->methods) = m;
}

// A thread is defined again when its name changes, and keeps its place.
static void decode_thread(Decoding *d)
{
    uint64_t id = wire_u(&d->wire);
    ModelThread t = {0};
    t.name = decode_name(d);
    t.flags = wire_u32(&d->wire);
    t.tid = wire_u32(&d->wire);
    t.group = decode_name(d);
    uint32_t known = map_get(&d->m->ids->wire[ID_THREAD], id, 0);
    if (d->wire.bad)
        return;
    t.wire = id;
    if (known != 0) {
        ModelThread *old = &d->m->threads.at[known];
        ASSERT_INDEX(&d->m->threads, known);
        t.first = old->first;
        t.last = old->last;
        t.state = old->state;
        *old = t;
    } else if (decode_has_room(d, d->m->threads.count, 1u << 24)) {
        t.first = t.last = model_tick(d->m, d->block->time);
        define(d, ID_THREAD, id, d->m->threads.count);
        *ARRAY_PUSH(&d->m->threads) = t;
    }
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static uint32_t native_label(Decoding *d, uint64_t wire_module, uint32_t module,
                             uint64_t offset)
{
    ASSERT_INDEX(&d->m->modules, module);
    Model *m = d->m;
    uint64_t key = wire_module << 32 | (uint32_t)offset;
    uint32_t known = map_get(&m->ids->symbols, key, 0);
    if (known != 0)
        return known;
    const char *path = model_name(m, m->modules.at[module].path);
    const char *build_id = model_name(m, m->modules.at[module].build_id);
    const char *name = m->symbol ? m->symbol(m->context, path, build_id, offset) : NULL;
    char *label = name ? mem_text(name, strlen(name)) : mem_format("[%s]", base_name(path));
    uint32_t id = names_add(&m->names, label, strlen(label));
    free(label);
    if (m->ids->symbols.count < MAX_DEFINITIONS) // beyond, it is looked up again
        *map_at(&m->ids->symbols, key) = id;
    if (name != NULL) {
        bytes_u(&m->new_symbols, wire_module);
        bytes_u(&m->new_symbols, offset);
        bytes_s(&m->new_symbols, name);
    }
    return id;
}

void decode_symbols(Decoding *d)
{
    while (wire_more(&d->wire)) {
        uint64_t module = wire_u(&d->wire), offset = wire_u(&d->wire);
        uint32_t name = decode_name(d);
        if (!d->wire.bad && decode_has_room(d, d->m->ids->symbols.count, MAX_DEFINITIONS))
            *map_at(&d->m->ids->symbols, module << 32 | (uint32_t)offset) = name;
    }
}

static bool decode_frame(Decoding *d, ModelFrame *f)
{
    Model *m = d->m;
    uint64_t kind = wire_u(&d->wire);
    f->kind = (uint8_t)kind;
    if (kind == LENS_FRAME_JAVA) {
        f->owner = decode_id(d, ID_METHOD);
        int64_t bci = wire_z(&d->wire);
        f->at = bci < -2 || bci > 65535 ? -2 : (int32_t)bci;
        ASSERT_INDEX(&m->methods, f->owner);
        const ModelMethod *method = &m->methods.at[f->owner];
        f->label = f->owner ? method->label : names_add(&m->names, "(unknown method)", 16);
        f->group = m->classes.at[method->class].package;
    } else if (kind == LENS_FRAME_NATIVE) {
        uint64_t wire_module = wire_u(&d->wire), offset = wire_u(&d->wire);
        f->owner = map_get(&m->ids->wire[ID_MODULE], wire_module, 0);
        f->at = (int32_t)(uint32_t)offset;
        f->label = native_label(d, wire_module, f->owner, offset);
        f->group = names_add(&m->names, "native", 6);
    } else if (kind == LENS_FRAME_NAMED) {
        f->owner = f->label = decode_name(d);
        f->group = names_add(&m->names, "vm", 2);
    } else {
        d->wire.bad = true;
    }
    return !d->wire.bad;
}

static uint32_t intern_frame(Decoding *d, const ModelFrame *f)
{
    struct ModelIds *ids = d->m->ids;
    uint32_t *owner = map_at(&ids->frame_owner, (uint64_t)f->kind << 32 | f->owner);
    if (*owner == 0)
        *owner = ids->frame_owner.count;
    uint32_t *at = map_at(&ids->frames, (uint64_t)*owner << 32 | (uint32_t)f->at);
    if (*at == 0) {
        *at = d->m->frames.count;
        *ARRAY_PUSH(&d->m->frames) = *f;
    }
    ASSERT_INDEX(&d->m->frames, *at);
    return *at;
}

static void decode_stack(Decoding *d)
{
    uint64_t id = wire_u(&d->wire);
    uint32_t parent = decode_id(d, ID_STACK);
    ModelFrame frame = {0};
    if (!decode_frame(d, &frame) || !decode_has_room(d, d->m->stacks.count, MAX_DEFINITIONS))
        return;
    uint32_t frame_id = intern_frame(d, &frame);
    uint32_t *known = map_at(&d->m->ids->stacks, (uint64_t)parent << 32 | frame_id);
    if (*known == 0) {
        *known = d->m->stacks.count;
        *ARRAY_PUSH(&d->m->stacks) = (ModelStack){parent, frame_id};
    }
    assert(parent < *known); // a caller comes before what it calls
    define(d, ID_STACK, id, *known);
}

static void decode_module(Decoding *d)
{
    uint64_t id = wire_u(&d->wire);
    ModelModule module = {0};
    module.path = decode_name(d);
    module.build_id = decode_name(d);
    if (d->wire.bad || !decode_has_room(d, d->m->modules.count, 1u << 20))
        return;
    define(d, ID_MODULE, id, d->m->modules.count);
    *ARRAY_PUSH(&d->m->modules) = module;
}

static void decode_point(Decoding *d)
{
    uint64_t id = wire_u(&d->wire);
    ModelPoint point = {0};
    point.order = wire_u32(&d->wire);
    point.text = decode_name(d);
    if (d->wire.bad || !decode_has_room(d, d->m->points.count, 1u << 20))
        return;
    define(d, ID_POINT, id, d->m->points.count);
    *ARRAY_PUSH(&d->m->points) = point;
}

static void decode_loader(Decoding *d)
{
    uint64_t id = wire_u(&d->wire);
    ModelLoader loader = {0};
    loader.name = decode_name(d);
    loader.class = decode_id(d, ID_CLASS);
    if (d->wire.bad || !decode_has_room(d, d->m->loaders.count, 1u << 20))
        return;
    define(d, ID_LOADER, id, d->m->loaders.count);
    *ARRAY_PUSH(&d->m->loaders) = loader;
}

void decode_definitions(Decoding *d)
{
    static void (*const decoders[])(Decoding * d) = {
        [LENS_DEF_CLASS] = decode_class,   [LENS_DEF_METHOD] = decode_method,
        [LENS_DEF_THREAD] = decode_thread, [LENS_DEF_STACK] = decode_stack,
        [LENS_DEF_MODULE] = decode_module, [LENS_DEF_POINT] = decode_point,
        [LENS_DEF_LOADER] = decode_loader,
    };
    while (wire_more(&d->wire)) {
        uint64_t kind = wire_u(&d->wire);
        if (kind == 0 || kind >= sizeof decoders / sizeof *decoders)
            d->wire.bad = true;
        else
            decoders[kind](d);
    }
}

uint32_t model_line(const Model *model, const ModelMethod *method, int32_t bci)
{
    assert(method->lines + method->line_count <= model->lines.count);
    uint32_t line = 0;
    if (bci < 0)
        return 0;
    for (uint32_t i = 0; i < method->line_count; i++) {
        const ModelLine *l = &model->lines.at[method->lines + i];
        if (l->bci > (uint32_t)bci)
            break;
        line = l->line;
    }
    return line;
}
