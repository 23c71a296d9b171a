// SPDX-License-Identifier: Apache-2.0
// Expressions: parsed by precedence climbing into an array of nodes, and evaluated.
#include "expr.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { NODES_MAX = 200, DEPTH_MAX = 50, TEXT_MAX = 2000 };

typedef enum Op {
    OP_VALUE,
    OP_NAME,
    OP_FIELD,
    OP_INDEX,
    OP_NOT,
    OP_NEGATE,
    OP_CHOOSE,
    OP_OR,
    OP_AND,
    OP_EQUAL,
    OP_UNEQUAL,
    OP_LESS,
    OP_LESS_EQUAL,
    OP_GREATER,
    OP_GREATER_EQUAL,
    OP_ADD,
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_REMAINDER
} Op;

typedef struct Node {
    Op op;
    uint32_t a, b, c; // nodes
    ExprValue value;  // OP_VALUE
    const char *name; // in expr->names
} Node;

struct Expr {
    Node nodes[NODES_MAX];
    uint32_t len, root;
    char names[TEXT_MAX + NODES_MAX]; // names and texts, each ended by NUL
    size_t names_len;
};

typedef struct Parser {
    Expr *expr;
    const char *at;
    char *error;
    unsigned depth;
} Parser;

// In the order in which they are tried: a longer one before its beginning.
static const struct {
    const char *text;
    Op op;
    int precedence;
} binaries[] = {{"||", OP_OR, 1},      {"&&", OP_AND, 2},        {"==", OP_EQUAL, 3},
                {"!=", OP_UNEQUAL, 3}, {"<=", OP_LESS_EQUAL, 4}, {">=", OP_GREATER_EQUAL, 4},
                {"<", OP_LESS, 4},     {">", OP_GREATER, 4},     {"+", OP_ADD, 5},
                {"-", OP_SUBTRACT, 5}, {"*", OP_MULTIPLY, 6},    {"/", OP_DIVIDE, 6},
                {"%", OP_REMAINDER, 6}};

static uint32_t parse_choice(Parser *p);

// ---- parsing: 0 is no node, the error has been said ----

static uint32_t refuse(Parser *p, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!*p->error)
        vsnprintf(p->error, EXPR_ERROR, format, args);
    va_end(args);
    return 0;
}

static void skip_space(Parser *p)
{
    while (isspace((unsigned char)*p->at))
        p->at++;
}

static bool accept(Parser *p, const char *text)
{
    skip_space(p);
    size_t len = strlen(text);
    if (strncmp(p->at, text, len) != 0)
        return false;
    p->at += len;
    return true;
}

static uint32_t add_node(Parser *p, Node node)
{
    if (p->expr->len == NODES_MAX)
        return refuse(p, "The expression is too long.");
    p->expr->nodes[p->expr->len] = node;
    return p->expr->len++;
}

static bool is_name_start(char c)
{
    return isalpha((unsigned char)c) || c == '_' || c == '$' || (c & 0x80);
}

static const char *keep(Expr *e, const char *text, size_t len)
{
    char *kept = e->names + e->names_len;
    memcpy(kept, text, len);
    kept[len] = '\0';
    e->names_len += len + 1;
    assert(e->names_len <= sizeof e->names);
    return kept;
}

static const char *parse_name(Parser *p)
{
    skip_space(p);
    const char *begin = p->at;
    if (!is_name_start(*begin))
        return NULL;
    while (is_name_start(*p->at) || isdigit((unsigned char)*p->at))
        p->at++;
    return keep(p->expr, begin, (size_t)(p->at - begin));
}

static uint32_t add_value(Parser *p, ExprValue value)
{
    return add_node(p, (Node){.op = OP_VALUE, .value = value});
}

static uint32_t parse_number(Parser *p)
{
    char *end_whole, *end_real;
    jlong whole = strtoll(p->at, &end_whole, 0);
    double real = strtod(p->at, &end_real);
    bool is_hex = p->at[0] == '0' && (p->at[1] == 'x' || p->at[1] == 'X');
    bool is_real = !is_hex && end_real > end_whole;
    p->at = is_real ? end_real : end_whole;
    if (*p->at && strchr("lLfFdD", *p->at)) {
        is_real |= !strchr("lL", *p->at);
        p->at++;
    }
    if (is_real)
        return add_value(p, (ExprValue){.kind = EXPR_DOUBLE, .real = real});
    return add_value(p, (ExprValue){.kind = EXPR_LONG, .number = whole});
}

static char unescape(char c)
{
    switch (c) {
    case 'n': return '\n';
    case 't': return '\t';
    case 'r': return '\r';
    default: return c;
    }
}

static uint32_t parse_text(Parser *p)
{
    char *kept = p->expr->names + p->expr->names_len;
    size_t len = 0;
    for (p->at++; *p->at && *p->at != '"'; p->at++) {
        if (*p->at == '\\' && p->at[1])
            kept[len++] = unescape(*++p->at);
        else
            kept[len++] = *p->at;
    }
    if (*p->at++ != '"')
        return refuse(p, "A text does not end: \" is missing.");
    kept[len] = '\0';
    p->expr->names_len += len + 1;
    assert(p->expr->names_len <= sizeof p->expr->names);
    return add_value(p, (ExprValue){.kind = EXPR_TEXT, .text = kept});
}

static uint32_t parse_char(Parser *p)
{
    const char *c = ++p->at;
    jlong value = *c == '\\' ? unescape(*++c) : *c;
    if (!*c || (*c & 0x80) || c[1] != '\'')
        return refuse(p, "A character is written 'c', of ASCII.");
    p->at = c + 2;
    return add_value(p, (ExprValue){.kind = EXPR_CHAR, .number = value});
}

static uint32_t parse_word(Parser *p)
{
    static const struct {
        const char *text;
        ExprValue value;
    } words[] = {{"true", {.kind = EXPR_BOOL, .number = 1}},
                 {"false", {.kind = EXPR_BOOL}},
                 {"null", {.kind = EXPR_NULL}}};
    const char *name = parse_name(p);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(name, words[i].text) == 0)
            return add_value(p, words[i].value);
    if (accept(p, "("))
        return refuse(p, "%.60s(...) would run code of the program: name fields only.", name);
    return add_node(p, (Node){.op = OP_NAME, .name = name});
}

static uint32_t parse_primary(Parser *p)
{
    skip_space(p);
    if (isdigit((unsigned char)*p->at))
        return parse_number(p);
    if (*p->at == '"')
        return parse_text(p);
    if (*p->at == '\'')
        return parse_char(p);
    if (is_name_start(*p->at))
        return parse_word(p);
    if (!accept(p, "("))
        return refuse(p,
                      *p->at ? "A value is missing before \"%.20s\"."
                             : "The expression ends where a value is missing.%s",
                      p->at);
    uint32_t inner = parse_choice(p);
    if (inner && !accept(p, ")"))
        return refuse(p, "A ) is missing.");
    return inner;
}

static uint32_t parse_member(Parser *p, uint32_t object)
{
    const char *name = parse_name(p);
    if (!name)
        return refuse(p, "The name of a field is missing after the point.");
    if (accept(p, "(")) {
        bool is_getter = strcmp(name, "getClass") == 0;
        if (!is_getter && strcmp(name, "size") != 0 && strcmp(name, "length") != 0)
            return refuse(p, "%.60s() would run code of the program: name the field.", name);
        if (!accept(p, ")"))
            return refuse(p, "A ) is missing.");
        name = is_getter ? "class" : name;
    }
    return add_node(p, (Node){.op = OP_FIELD, .a = object, .name = name});
}

static uint32_t parse_postfix(Parser *p)
{
    uint32_t node = parse_primary(p);
    while (node) {
        if (accept(p, ".")) {
            node = parse_member(p, node);
        } else if (accept(p, "[")) {
            uint32_t index = parse_choice(p);
            if (index && !accept(p, "]"))
                return refuse(p, "A ] is missing.");
            node = index ? add_node(p, (Node){.op = OP_INDEX, .a = node, .b = index}) : 0;
        } else {
            break;
        }
    }
    return node;
}

static uint32_t parse_unary(Parser *p)
{
    Op op;
    skip_space(p);
    if (*p->at == '!' && p->at[1] != '=')
        op = OP_NOT;
    else if (*p->at == '-')
        op = OP_NEGATE;
    else
        return parse_postfix(p);
    p->at++;
    if (++p->depth > DEPTH_MAX)
        return refuse(p, "The expression is nested too deeply.");
    uint32_t operand = parse_unary(p);
    p->depth--;
    return operand ? add_node(p, (Node){.op = op, .a = operand}) : 0;
}

static int find_binary(const Parser *p)
{
    for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++)
        if (strncmp(p->at, binaries[i].text, strlen(binaries[i].text)) == 0)
            return (int)i;
    return -1;
}

static uint32_t parse_binary(Parser *p, int precedence)
{
    uint32_t left = parse_unary(p);
    while (left) {
        skip_space(p);
        int found = find_binary(p);
        if (found < 0 || binaries[found].precedence < precedence)
            break;
        p->at += strlen(binaries[found].text);
        uint32_t right = parse_binary(p, binaries[found].precedence + 1);
        left = right ? add_node(p, (Node){.op = binaries[found].op, .a = left, .b = right}) : 0;
    }
    return left;
}

static uint32_t parse_choice(Parser *p)
{
    if (++p->depth > DEPTH_MAX)
        return refuse(p, "The expression is nested too deeply.");
    uint32_t node = parse_binary(p, 1);
    if (node && accept(p, "?")) {
        uint32_t yes = parse_choice(p);
        if (yes && !accept(p, ":"))
            return refuse(p, "A : is missing after the ?.");
        uint32_t no = yes ? parse_choice(p) : 0;
        node = no ? add_node(p, (Node){.op = OP_CHOOSE, .a = node, .b = yes, .c = no}) : 0;
    }
    p->depth--;
    return node;
}

Expr *expr_parse(const char *text, char error[EXPR_ERROR])
{
    *error = '\0';
    if (strlen(text) > TEXT_MAX) {
        snprintf(error, EXPR_ERROR, "The expression is too long.");
        return NULL;
    }
    Expr *e = calloc(1, sizeof *e);
    if (!e) {
        snprintf(error, EXPR_ERROR, "There is no memory left.");
        return NULL;
    }
    e->len = 1;
    Parser p = {.expr = e, .at = text, .error = error};
    e->root = parse_choice(&p);
    skip_space(&p);
    if (e->root && *p.at)
        e->root = refuse(&p, "\"%.40s\" is not understood.", p.at);
    if (e->root)
        return e;
    free(e);
    return NULL;
}

void expr_free(Expr *expr)
{
    free(expr);
}

// ---- evaluating ----

bool expr_fail(ExprScope *scope, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!*scope->error)
        vsnprintf(scope->error, sizeof scope->error, format, args);
    va_end(args);
    return false;
}

static bool eval(const Expr *e, ExprScope *scope, uint32_t at, ExprValue *value);

static bool eval_bool(const Expr *e, ExprScope *scope, uint32_t at, bool *is)
{
    ExprValue v;
    if (!eval(e, scope, at, &v))
        return false;
    v = expr_unbox(scope, v);
    *is = v.number != 0;
    return v.kind == EXPR_BOOL || expr_fail(scope, "A condition must be true or false.");
}

static bool eval_name(ExprScope *scope, const char *name, ExprValue *value)
{
    if (strcmp(name, "this") == 0 && scope->self) {
        *value = (ExprValue){.kind = EXPR_OBJECT, .object = scope->self};
        return true;
    }
    if (scope->variable && scope->variable(scope, name, value))
        return true;
    if (*scope->error)
        return false;
    return expr_scope_field(scope, name, value)
           || expr_fail(scope, "There is no variable or field %.60s here.", name);
}

static bool eval_object(const Expr *e, ExprScope *scope, const Node *node, jobject *object)
{
    ExprValue v;
    if (!eval(e, scope, node->a, &v))
        return false;
    *object = v.object;
    if (v.kind == EXPR_NULL)
        return expr_fail(scope, "It is null: .%.60s", node->name ? node->name : "[]");
    return v.kind == EXPR_OBJECT || expr_fail(scope, "A number or text has no fields.");
}

static bool eval_index(const Expr *e, ExprScope *scope, const Node *node, ExprValue *value)
{
    jobject object;
    ExprValue index;
    if (!eval_object(e, scope, node, &object) || !eval(e, scope, node->b, &index))
        return false;
    index = expr_unbox(scope, index);
    if (index.kind != EXPR_LONG && index.kind != EXPR_CHAR)
        return expr_fail(scope, "An index is a whole number.");
    return expr_object_element(scope, object, index.number, value);
}

static bool is_number(const ExprValue *v)
{
    return v->kind == EXPR_LONG || v->kind == EXPR_CHAR || v->kind == EXPR_DOUBLE;
}

static double real_of(const ExprValue *v)
{
    return v->kind == EXPR_DOUBLE ? v->real : (double)v->number;
}

// The text of a text, String or enum constant.
static const char *text_of(ExprScope *scope, const ExprValue *v, char *room, size_t size)
{
    if (v->kind == EXPR_TEXT)
        return v->text;
    return v->kind == EXPR_OBJECT && expr_object_text(scope, v->object, room, size) ? room
                                                                                    : NULL;
}

static bool are_equal_texts(ExprScope *scope, const ExprValue *a, const ExprValue *b)
{
    char room_a[1024], room_b[1024];
    const char *text_a = text_of(scope, a, room_a, sizeof room_a);
    const char *text_b = text_of(scope, b, room_b, sizeof room_b);
    return text_a && text_b && strcmp(text_a, text_b) == 0;
}

// Values of kinds that cannot be equal are not.
static bool are_equal(ExprScope *scope, ExprValue a, ExprValue b)
{
    if (a.kind == EXPR_OBJECT && b.kind == EXPR_OBJECT)
        return (*scope->jni)->IsSameObject(scope->jni, a.object, b.object);
    if (a.kind == EXPR_TEXT || b.kind == EXPR_TEXT)
        return are_equal_texts(scope, &a, &b);
    a = expr_unbox(scope, a);
    b = expr_unbox(scope, b);
    if (is_number(&a) && is_number(&b))
        return a.kind == EXPR_DOUBLE || b.kind == EXPR_DOUBLE ? real_of(&a) == real_of(&b)
                                                              : a.number == b.number;
    return a.kind == b.kind && (a.kind == EXPR_NULL || a.number == b.number);
}

static ExprValue of_bool(bool is)
{
    return (ExprValue){.kind = EXPR_BOOL, .number = is};
}

static bool compute_real(Op op, double a, double b, ExprValue *value)
{
    *value = (ExprValue){.kind = EXPR_DOUBLE};
    switch (op) {
    case OP_LESS: *value = of_bool(a < b); break;
    case OP_LESS_EQUAL: *value = of_bool(a <= b); break;
    case OP_GREATER: *value = of_bool(a > b); break;
    case OP_GREATER_EQUAL: *value = of_bool(a >= b); break;
    case OP_ADD: value->real = a + b; break;
    case OP_SUBTRACT: value->real = a - b; break;
    case OP_MULTIPLY: value->real = a * b; break;
    case OP_DIVIDE: value->real = a / b; break;
    default: value->real = fmod(a, b); break;
    }
    return true;
}

// Whole numbers wrap around, as Java's long does.
static bool compute_long(ExprScope *scope, Op op, jlong a, jlong b, ExprValue *value)
{
    *value = (ExprValue){.kind = EXPR_LONG};
    if ((op == OP_DIVIDE || op == OP_REMAINDER) && b == 0)
        return expr_fail(scope, "It divides by 0.");
    switch (op) {
    case OP_LESS: *value = of_bool(a < b); break;
    case OP_LESS_EQUAL: *value = of_bool(a <= b); break;
    case OP_GREATER: *value = of_bool(a > b); break;
    case OP_GREATER_EQUAL: *value = of_bool(a >= b); break;
    case OP_ADD: value->number = (jlong)((uint64_t)a + (uint64_t)b); break;
    case OP_SUBTRACT: value->number = (jlong)((uint64_t)a - (uint64_t)b); break;
    case OP_MULTIPLY: value->number = (jlong)((uint64_t)a * (uint64_t)b); break;
    case OP_DIVIDE: value->number = b == -1 ? (jlong)(0 - (uint64_t)a) : a / b; break;
    default: value->number = b == -1 ? 0 : a % b; break;
    }
    return true;
}

static bool eval_binary(const Expr *e, ExprScope *scope, const Node *node, ExprValue *value)
{
    ExprValue a, b;
    if (!eval(e, scope, node->a, &a) || !eval(e, scope, node->b, &b))
        return false;
    if (node->op == OP_EQUAL || node->op == OP_UNEQUAL) {
        *value = of_bool(are_equal(scope, a, b) == (node->op == OP_EQUAL));
        return true;
    }
    a = expr_unbox(scope, a);
    b = expr_unbox(scope, b);
    if (!is_number(&a) || !is_number(&b))
        return expr_fail(scope, "Only numbers can be compared by size or computed with.");
    if (a.kind == EXPR_DOUBLE || b.kind == EXPR_DOUBLE)
        return compute_real(node->op, real_of(&a), real_of(&b), value);
    return compute_long(scope, node->op, a.number, b.number, value);
}

// && and || look at their right side only where the left one has not decided.
static bool eval_logical(const Expr *e, ExprScope *scope, const Node *node, ExprValue *value)
{
    bool is;
    if (!eval_bool(e, scope, node->a, &is))
        return false;
    if (is == (node->op == OP_AND) && !eval_bool(e, scope, node->b, &is))
        return false;
    *value = of_bool(is);
    return true;
}

static bool eval_unary(const Expr *e, ExprScope *scope, const Node *node, ExprValue *value)
{
    bool is;
    if (node->op == OP_NOT) {
        if (!eval_bool(e, scope, node->a, &is))
            return false;
        *value = of_bool(!is);
        return true;
    }
    if (!eval(e, scope, node->a, value))
        return false;
    *value = expr_unbox(scope, *value);
    if (!is_number(value))
        return expr_fail(scope, "Only a number can be negated.");
    if (value->kind == EXPR_DOUBLE)
        value->real = -value->real;
    else
        *value = (ExprValue){.kind = EXPR_LONG, .number = (jlong)(0 - (uint64_t)value->number)};
    return true;
}

static bool eval_choice(const Expr *e, ExprScope *scope, const Node *node, ExprValue *value)
{
    bool is;
    return eval_bool(e, scope, node->a, &is) && eval(e, scope, is ? node->b : node->c, value);
}

static bool eval(const Expr *e, ExprScope *scope, uint32_t at, ExprValue *value)
{
    assert(at > 0 && at < e->len);
    const Node *node = &e->nodes[at];
    jobject object;
    switch (node->op) {
    case OP_VALUE: *value = node->value; return true;
    case OP_NAME: return eval_name(scope, node->name, value);
    case OP_FIELD:
        return eval_object(e, scope, node, &object)
               && expr_object_field(scope, object, node->name, value);
    case OP_INDEX: return eval_index(e, scope, node, value);
    case OP_NOT:
    case OP_NEGATE: return eval_unary(e, scope, node, value);
    case OP_CHOOSE: return eval_choice(e, scope, node, value);
    case OP_OR:
    case OP_AND: return eval_logical(e, scope, node, value);
    default: return eval_binary(e, scope, node, value);
    }
}

bool expr_eval(const Expr *expr, ExprScope *scope, ExprValue *value)
{
    scope->error[0] = '\0';
    return eval(expr, scope, expr->root, value);
}

bool expr_is_true(const Expr *expr, ExprScope *scope, bool *is)
{
    scope->error[0] = '\0';
    return eval_bool(expr, scope, expr->root, is);
}
