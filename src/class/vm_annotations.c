// SPDX-License-Identifier: Apache-2.0
// Reads the annotations that the class library addresses to the VM from
// RuntimeVisibleAnnotations bodies (JVMS 4.7.16). Runs before the class is published. Malformed
// bodies are read as far as they make sense.
#include "class/loader_internal.h"

typedef struct Reader {
    const uint8_t *p, *end;
    bool bad;
} Reader;

static const struct {
    const char *type;
    uint16_t flag;
} method_annotations[] = {
    {"Ljdk/internal/reflect/CallerSensitive;", METHOD_CALLER_SENSITIVE},
    {"Ljdk/internal/vm/annotation/ForceInline;", METHOD_FORCE_INLINE},
    {"Ljdk/internal/vm/annotation/Hidden;", METHOD_HIDDEN},
    {"Ljdk/internal/misc/ScopedMemoryAccess$Scoped;", METHOD_SCOPED},
    {"Ljava/lang/invoke/LambdaForm$Compiled;", METHOD_LAMBDA_FORM_COMPILED | METHOD_HIDDEN},
};

static uint16_t u2(Reader *r)
{
    if (r->end - r->p < 2) {
        r->bad = true;
        return 0;
    }
    r->p += 2;
    return get_u2(r->p - 2);
}

static void skip_annotation(Reader *r, int depth);

static void skip_value(Reader *r, int depth)
{
    if (r->p == r->end || depth > 32) {
        r->bad = true;
        return;
    }
    switch (*r->p++) {
    case 'e':
        u2(r);
        u2(r);
        break;
    case '@':
        u2(r);
        skip_annotation(r, depth + 1);
        break;
    case '[':
        for (int n = u2(r); n > 0 && !r->bad; n--)
            skip_value(r, depth + 1);
        break;
    default: u2(r);
    }
}

// The element-value pairs of an annotation, its type already read.
static void skip_annotation(Reader *r, int depth)
{
    for (int n = u2(r); n > 0 && !r->bad; n--) {
        u2(r);
        skip_value(r, depth);
    }
}

static void each_annotation(const ClassFile *cf, Bytes body,
                            void (*visit)(void *ctx, Bytes type), void *ctx)
{
    if (!body.p)
        return;
    Reader r = {body.p, body.p + body.len, false};
    for (int n = u2(&r); n > 0 && !r.bad; n--) {
        uint16_t type = u2(&r);
        if (r.bad || type >= cf->cp_count || cf_tag(cf, type) != CP_UTF8)
            return;
        visit(ctx, cf_utf8(cf, type));
        skip_annotation(&r, 0);
    }
}

static void method_annotation(void *ctx, Bytes type)
{
    Method *m = ctx;
    for (size_t i = 0; i < ARRAY_LEN(method_annotations); i++)
        if (bytes_eq(type, method_annotations[i].type))
            m->flags |= method_annotations[i].flag;
}

static void field_annotation(void *ctx, Bytes type)
{
    Field *f = ctx;
    f->stable |= bytes_eq(type, "Ljdk/internal/vm/annotation/Stable;");
}

void class_read_vm_annotations(Class *c)
{
    FIELD_EACH (f, c)
        each_annotation(c->cf, member_annotations(c->cf, &f->info->attrs).plain,
                        field_annotation, f);
    METHOD_EACH (m, c) {
        each_annotation(c->cf, member_annotations(c->cf, &m->info->attrs).plain,
                        method_annotation, m);
    }
}
