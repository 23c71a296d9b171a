// SPDX-License-Identifier: Apache-2.0
// Values as texts, and log texts with {expressions}.
#include "expr.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS_SHOWN = 8, ELEMENTS_SHOWN = 8, CHARS_SHOWN = 200 };

void expr_text_add(ExprText *t, const char *utf8)
{
    static const char more[] = "\xe2\x80\xa6"; // …
    size_t len = strlen(utf8);
    if (t->is_cut)
        return;
    if (t->len + len + sizeof more > t->cap) {
        t->is_cut = true;
        len = t->cap > t->len + sizeof more ? t->cap - t->len - sizeof more : 0;
        while (len && ((unsigned char)utf8[len] & 0xc0) == 0x80)
            len--;
    }
    memcpy(t->bytes + t->len, utf8, len);
    t->len += len;
    if (t->is_cut && t->len + sizeof more <= t->cap) {
        memcpy(t->bytes + t->len, more, sizeof more - 1);
        t->len += sizeof more - 1;
    }
    assert(t->len < t->cap);
    t->bytes[t->len] = '\0';
}

// The shortest text that is the same number again.
static void add_real(ExprText *t, double real)
{
    char text[40];
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, real);
        if (strtod(text, NULL) == real)
            break;
    }
    if (isfinite(real) && !strpbrk(text, ".e"))
        strcat(text, ".0");
    expr_text_add(t, text);
}

static void add_quoted(ExprText *t, const char *text, char quote, bool plain)
{
    char marks[] = {quote, '\0'};
    if (!plain)
        expr_text_add(t, marks);
    expr_text_add(t, text);
    if (!plain)
        expr_text_add(t, marks);
}

static void add_char(ExprText *t, jlong c, bool plain)
{
    char text[8];
    jchar unit = (jchar)c;
    text[expr_utf8(text, sizeof text - 1, &unit, 1)] = '\0';
    add_quoted(t, text, '\'', plain);
}

static void add_number(ExprText *t, jlong number)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)number);
    expr_text_add(t, text);
}

static void add_object(ExprText *t, ExprScope *scope, jobject object, bool plain, bool deep);

static void add_value(ExprText *t, ExprScope *scope, ExprValue v, bool plain, bool deep)
{
    switch (v.kind) {
    case EXPR_NULL: expr_text_add(t, "null"); break;
    case EXPR_BOOL: expr_text_add(t, v.number ? "true" : "false"); break;
    case EXPR_CHAR: add_char(t, v.number, plain); break;
    case EXPR_LONG: add_number(t, v.number); break;
    case EXPR_DOUBLE: add_real(t, v.real); break;
    case EXPR_TEXT: add_quoted(t, v.text, '"', plain); break;
    case EXPR_OBJECT: add_object(t, scope, v.object, plain, deep); break;
    }
}

static void add_elements(ExprText *t, ExprScope *scope, jobject array, jlong len)
{
    expr_text_add(t, " {");
    for (jlong i = 0; i < len && i < ELEMENTS_SHOWN; i++) {
        ExprValue v;
        expr_text_add(t, i ? ", " : "");
        if (expr_object_element(scope, array, i, &v))
            add_value(t, scope, v, false, false);
    }
    expr_text_add(t, len > ELEMENTS_SHOWN ? ", \xe2\x80\xa6}" : "}");
}

// "int[3]" of "int[]": the length goes into the first brackets.
static void add_array(ExprText *t, ExprScope *scope, jobject array, char *name, bool deep)
{
    char *brackets = strchr(name, '[');
    jlong len = 0;
    (void)expr_object_size(scope, array, &len);
    *brackets = '\0';
    expr_text_add(t, name);
    expr_text_add(t, "[");
    add_number(t, len);
    *brackets = '[';
    expr_text_add(t, brackets + 1);
    if (deep)
        add_elements(t, scope, array, len);
}

static void add_field(ExprText *t, ExprScope *scope, jobject object, jclass class, jfieldID id,
                      unsigned *shown)
{
    char *name = NULL;
    jint modifiers = 0;
    ExprValue v;
    (void)(*lens.jvmti)->GetFieldModifiers(lens.jvmti, class, id, &modifiers);
    if (modifiers & 0x0008) // ACC_STATIC
        return;
    if (*shown == FIELDS_SHOWN)
        expr_text_add(t, ", \xe2\x80\xa6");
    if ((*shown)++ >= FIELDS_SHOWN
        || (*lens.jvmti)->GetFieldName(lens.jvmti, class, id, &name, NULL, NULL)
               != JVMTI_ERROR_NONE)
        return;
    expr_text_add(t, *shown > 1 ? ", " : "");
    expr_text_add(t, name);
    expr_text_add(t, " = ");
    if (expr_object_field(scope, object, name, &v))
        add_value(t, scope, v, false, false);
    agent_deallocate(lens.jvmti, name);
}

// The fields of the object's own class.
static void add_fields(ExprText *t, ExprScope *scope, jobject object)
{
    jclass class = (*scope->jni)->GetObjectClass(scope->jni, object);
    jfieldID *ids = NULL;
    jint len = 0;
    unsigned shown = 0;
    if ((*lens.jvmti)->GetClassFields(lens.jvmti, class, &len, &ids) != JVMTI_ERROR_NONE)
        return;
    expr_text_add(t, " {");
    for (jint i = 0; i < len; i++)
        add_field(t, scope, object, class, ids[i], &shown);
    expr_text_add(t, "}");
    agent_deallocate(lens.jvmti, ids);
}

static void add_object(ExprText *t, ExprScope *scope, jobject object, bool plain, bool deep)
{
    char text[CHARS_SHOWN * 3 + 1], name[EXPR_NAME];
    jlong size;
    ExprValue v = expr_unbox(scope, (ExprValue){.kind = EXPR_OBJECT, .object = object});
    if (v.kind != EXPR_OBJECT) {
        add_value(t, scope, v, plain, false);
        return;
    }
    expr_class_name(scope, (*scope->jni)->GetObjectClass(scope->jni, object), name,
                    sizeof name);
    if (expr_object_text(scope, object, text, sizeof text)) {
        bool is_string = strcmp(name, "java.lang.String") == 0;
        add_quoted(t, text, '"', plain || !is_string);
    } else if (strchr(name, '[')) {
        add_array(t, scope, object, name, deep);
    } else {
        expr_text_add(t, name);
        bool is_collection =
            strncmp(name, "java.util.", 10) == 0 && expr_object_size(scope, object, &size);
        if (is_collection) {
            expr_text_add(t, " of ");
            add_number(t, size);
        } else if (deep) {
            add_fields(t, scope, object);
        }
    }
    scope->error[0] = '\0'; // what has no size is shown without
}

void expr_text_value(ExprText *text, ExprScope *scope, ExprValue value, bool plain)
{
    add_value(text, scope, value, plain, true);
}

// ---- log texts ----

typedef struct Piece {
    char *literal; // before the expression
    Expr *expr;    // NULL: none
} Piece;

struct ExprTemplate {
    Piece *pieces;
    size_t len;
};

// Copies a literal up to the next expression or the end; *at goes there.
static char *take_literal(const char **at)
{
    char *literal = malloc(strlen(*at) + 1), *to = literal;
    const char *p = *at;
    for (; literal && *p; p++) {
        if ((*p == '{' || *p == '}') && p[1] == *p)
            p++;
        else if (*p == '{')
            break;
        *to++ = *p;
    }
    if (literal)
        *to = '\0';
    *at = p;
    return literal;
}

// The end of an expression that begins behind a brace: the brace that closes it, not one in a text.
static const char *find_end(const char *p)
{
    for (char quote = 0; *p; p++) {
        if (quote && *p == '\\' && p[1])
            p++;
        else if (quote && *p == quote)
            quote = 0;
        else if (!quote && (*p == '"' || *p == '\''))
            quote = *p;
        else if (!quote && *p == '}')
            return p;
    }
    return NULL;
}

static bool take_expr(const char **at, Expr **expr, char *error)
{
    *expr = NULL;
    if (**at != '{')
        return true;
    const char *end = find_end(*at + 1);
    if (!end) {
        snprintf(error, EXPR_ERROR, "A } is missing.");
        return false;
    }
    char *text = strndup(*at + 1, (size_t)(end - *at - 1));
    *expr = text ? expr_parse(text, error) : NULL;
    free(text);
    *at = end + 1;
    return *expr != NULL;
}

ExprTemplate *expr_template_parse(const char *text, char error[EXPR_ERROR])
{
    ExprTemplate *t = calloc(1, sizeof *t);
    *error = '\0';
    for (const char *at = text; t && *at;) {
        Piece *grown = realloc(t->pieces, (t->len + 1) * sizeof *grown);
        if (!grown)
            snprintf(error, EXPR_ERROR, "There is no memory left.");
        else
            t->pieces = grown;
        Piece piece = {.literal = grown ? take_literal(&at) : NULL};
        bool ok = piece.literal && take_expr(&at, &piece.expr, error);
        if (!ok) {
            free(piece.literal);
            expr_template_free(t);
            return NULL;
        }
        t->pieces[t->len++] = piece;
    }
    return t;
}

void expr_template_free(ExprTemplate *t)
{
    for (size_t i = 0; t && i < t->len; i++) {
        free(t->pieces[i].literal);
        expr_free(t->pieces[i].expr);
    }
    if (t)
        free(t->pieces);
    free(t);
}

void expr_template_text(const ExprTemplate *t, ExprScope *scope, ExprText *text)
{
    for (size_t i = 0; i < t->len; i++) {
        ExprValue v;
        expr_text_add(text, t->pieces[i].literal);
        if (!t->pieces[i].expr)
            continue;
        if (expr_eval(t->pieces[i].expr, scope, &v)) {
            expr_text_value(text, scope, v, true);
        } else {
            expr_text_add(text, "{");
            expr_text_add(text, scope->error);
            expr_text_add(text, "}");
        }
    }
}
