// SPDX-License-Identifier: Apache-2.0
// -XX:JitView=folder: one HTML page a compilation that shows what became of the method, and index.html that lists them (docs/VIEW.md).
// view.c gathers graphs, registers and code as JSON, view_source.c the methods' bytecodes and source, view_files.c writes. The page is
// jit/view.html with the JSON in it.
//
// A View belongs to the thread that compiles, which is IN_VM. All functions accept NULL: nobody looks. NO_GC.
#ifndef JIT_VIEW_H
#define JIT_VIEW_H

#include "jit/compile_queue.h"
#include "jit/machine.h"

typedef struct View View;

// Begins index.html, if the flag is given. What fails is said once, and nothing is written then. Once, before Java runs.
void view_init(void);

// NULL: nobody looks at this method.
View *view_begin(const CompileTask *task);
// Writes the page and frees the view. `refused` as in JitResult.
void view_end(View *v, const char *refused, uint64_t nanos);

// ---- what is shown, in this order ----
// A graph that is empty yet: what was shown before is forgotten, it was refused.
void view_restart(View *v, const Graph *g);
// The graph as it is after a pass that took so many nanoseconds of CPU.
void view_pass(View *v, Graph *g, const char *pass, uint64_t nanos);
// Where values live.
void view_machine(View *v, const Machine *m);
// An instruction, by offset; where code of a node or of a block begins, and in which part; a site that the notes have.
void view_instruction(View *v, size_t offset, const uint8_t *code, size_t size,
                      const char *text);
void view_mark(View *v, uint32_t offset, const char *part, NodeId node, BlockId block);
void view_site(View *v, uint32_t offset, const char *kind, uint32_t bci, const char *reason,
               uint32_t registers, const uint32_t *slot_words, uint32_t slot_count);
// The frame's size and that of the code.
void view_sizes(View *v, uint32_t frame_bytes, size_t code_bytes);

// ---- view_source.c ----
// The methods of the graph's scopes, "methods" and "scopes" of the page's object.
void view_add_methods(StrBuf *out, const Graph *g);
// "java.lang.Object.hashCode()I", not as JSON.
void view_method_name(StrBuf *out, const Method *m);

// ---- view_files.c ----
// Writes a page, and a line of the index that is `row` with the page's name.
void view_write(const CompileTask *task, const StrBuf *page, const StrBuf *row);
bool view_is_on(void);

#endif
