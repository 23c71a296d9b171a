// SPDX-License-Identifier: Apache-2.0
// Texts of error messages: types, methods and places of classes as HotSpot words them. Pure;
// NO_GC. Results are vm_malloc'ed.
#ifndef JAVA_DESCRIBE_H
#define JAVA_DESCRIBE_H

#include "base/strbuf.h"
#include "class/loader.h"

// "java.lang.String[]" of the descriptor at *p; moves *p behind it.
void describe_type(StrBuf *sb, const char **p);
// "int, java.lang.String[]" of a method descriptor.
void describe_parameters(StrBuf *sb, const char *desc);
// "int java.lang.String.indexOf(int)"; cls NULL: without class.
char *describe_method(const Class *cls, const Symbol *name, const Symbol *desc);
// "java.lang.String", "[Ljava.lang.String;" of the name of a class.
char *describe_class_name(const Symbol *name);
// What an error says of a class name that is longer than a class file can have: it quotes the beginning.
char *describe_long_name(const char *name);
// "java.lang.String[2][]": element i of an array of arrays of strings.
char *describe_element(const Class *element, int32_t i);
// "'app'", "com.X @1b2c", "'bootstrap'".
void describe_loader(StrBuf *sb, const Loader *l);
// "A and B are in unnamed module of loader 'app'" or "A is in …; B is in …".
char *describe_places(const Class *a, const Class *b);
// "A is in module m of loader 'app'", with ", parent loader …" for loaders of applications.
char *describe_place(const Class *c);
// The same without a parent loader.
char *describe_own_place(const Class *c);
// "\tat java.lang.String.indexOf(java.base@17.0.1/String.java:12)\n".
void describe_frame(StrBuf *sb, const Method *m, int32_t bci);
// "module java.base" or "unnamed module @0x1b2c".
void describe_module(StrBuf *sb, const Module *m);
// "class A cannot be cast to class B (A and B are …)".
char *describe_cast_failure(const Class *from, const Class *to);

#endif
