// SPDX-License-Identifier: Apache-2.0
// The references of the heap and of its roots, one by one, with what JVM TI reports of them.
// World stopped, NO_GC.
#ifndef JVMTI_TAGS_TI_EDGES_H
#define JVMTI_TAGS_TI_EDGES_H

#include "jvmti/ti_heap.h"

typedef struct TiEdge {
    jvmtiHeapReferenceKind kind;
    Object *from;                // NULL: a root
    Object *to;                  // not NULL
    Object *thread;              // the java.lang.Thread of a stack reference, else NULL
    jvmtiHeapReferenceInfo info; // of the kinds that have one
} TiEdge;
// False: no more edges are wanted. The visitor may write the thread's tag into edge->info.
typedef bool (*TiEdgeVisitor)(void *ctx, TiEdge *edge);

// Around the edges of one walk.
void ti_edges_begin(void);
void ti_edges_end(void);

// References out of one object. False when the visitor said so.
bool ti_each_edge(Object *o, TiEdgeVisitor visit, void *ctx);
// References from the roots.
bool ti_each_root(TiEdgeVisitor visit, void *ctx);

#endif
