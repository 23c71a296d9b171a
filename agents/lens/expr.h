// SPDX-License-Identifier: Apache-2.0
// Expressions over variables and fields, as conditions and log points have them:
//
//   order.items.size > 10 && !(name == "x" || flags[2] != 'c')
//   total / count >= 1.5 ? "slow" : "fast"
//
// Values are null, booleans, characters, whole numbers of 64 bits, doubles, texts and objects.
// Boxes and atomic numbers count as their numbers; Strings, enum constants and classes as texts where
// they are compared with one. A name is a variable, else a field of `this` or of the method's class. Besides its fields an
// object has `class` (which counts as its name), and, where it has no field of that name, `length` and `size`: of
// arrays, Strings and the collections of java.util. `[i]` goes into arrays and into lists that keep an
// array. size(), length() and getClass() may be written with their parentheses.
// Nothing of the program is called; what cannot be had without that is an error in words.
#ifndef LENS_EXPR_H
#define LENS_EXPR_H

#include "lens.h"

typedef enum ExprKind {
    EXPR_NULL,
    EXPR_BOOL,
    EXPR_CHAR,
    EXPR_LONG,
    EXPR_DOUBLE,
    EXPR_TEXT,
    EXPR_OBJECT
} ExprKind;

typedef struct ExprValue {
    ExprKind kind;
    union {
        jlong number; // also of booleans and characters
        jdouble real;
        const char *text; // UTF-8
        jobject object;   // a local reference
    };
} ExprValue;

enum { EXPR_ERROR = 160, EXPR_NAME = 256 };

// Where an expression is evaluated. What it makes of local references and texts lives until the
// caller's PopLocalFrame, or as long as the scope.
typedef struct ExprScope {
    JNIEnv *jni;
    jobject self; // NULL in static methods
    jclass class; // of the method
    // Gives the variable of that name; false where there is none. An error is said in scope->error.
    bool (*variable)(struct ExprScope *scope, const char *name, ExprValue *value);
    void *data;     // of `variable`
    unsigned depth; // of sizes that are read by expressions
    char error[EXPR_ERROR];
} ExprScope;

typedef struct Expr Expr;
// NULL with a sentence in `error` where `text` is no expression. Pure.
Expr *expr_parse(const char *text, char error[EXPR_ERROR]);
void expr_free(Expr *expr); // NULL is allowed
// False with scope->error. ATTACHED; calls no program code.
bool expr_eval(const Expr *expr, ExprScope *scope, ExprValue *value);
// Evaluates a condition: false with scope->error where it is no boolean.
bool expr_is_true(const Expr *expr, ExprScope *scope, bool *is);

// ---- text ----

// A text of limited size; what does not fit is left out, and ends with "…".
typedef struct ExprText {
    char *bytes;
    size_t len, cap;
    bool is_cut;
} ExprText;
void expr_text_add(ExprText *text, const char *utf8);
// Appends a value as a reader wants it: "text", 'c', 12, int[3] {1, 2, 3}, java.util.ArrayList of 4,
// com.acme.Order {id = 7, name = "x"}. `plain` is for log texts: strings and characters without quotes.
void expr_text_value(ExprText *text, ExprScope *scope, ExprValue value, bool plain);

// A log text with {expressions}; {{ and }} are braces.
typedef struct ExprTemplate ExprTemplate;
ExprTemplate *expr_template_parse(const char *text, char error[EXPR_ERROR]);
void expr_template_free(ExprTemplate *template);
// What could not be evaluated stands in it as {error in words}.
void expr_template_text(const ExprTemplate *template, ExprScope *scope, ExprText *text);

// ---- objects (expr_object.c) ----

// False with scope->error.
bool expr_object_field(ExprScope *scope, jobject object, const char *name, ExprValue *value);
// A static or, with `self`, any field that a name in the scope means. False with an empty error where there is none.
bool expr_scope_field(ExprScope *scope, const char *name, ExprValue *value);
bool expr_object_element(ExprScope *scope, jobject object, jlong index, ExprValue *value);
bool expr_object_size(ExprScope *scope, jobject object, jlong *size);
// The number or boolean of a box, or the value itself.
ExprValue expr_unbox(ExprScope *scope, ExprValue value);
// Whether the object is a String, an enum constant or a Class: then its text of at most `room` bytes.
bool expr_object_text(ExprScope *scope, jobject object, char *text, size_t room);
// The value of a field, variable or element by the first character of its descriptor.
ExprValue expr_of_jvalue(char type, jvalue value);
bool expr_fail(ExprScope *scope, const char *format, ...) __attribute__((format(printf, 2, 3)));
// The class's name as Class.getName has it, cut at `room`.
void expr_class_name(ExprScope *scope, jclass class, char *name, size_t room);
// UTF-8 of UTF-16: unpaired surrogates and NUL become U+FFFD. Whole characters only; the bytes used. Pure.
size_t expr_utf8(char *to, size_t room, const jchar *chars, size_t len);

#endif
