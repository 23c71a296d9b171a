// SPDX-License-Identifier: Apache-2.0
// Class unloading: what a full collection found dead leaves every table and is freed
// (docs/CLASSES.md, "What keeps a class alive").
#ifndef CLASS_UNLOAD_H
#define CLASS_UNLOAD_H

#include "class/class.h"

// A layer above that keeps something of a class or its methods forgets it. World stopped, no
// locks; the class can be read, its mirror is NULL. Not called for arrays. After the last class
// of a collection: NULL. At most five, registered before the first class is loaded.
void unload_add_hook(void (*forget)(Class *dead));

// HeapWorld.unload: takes the dead class loader data's classes off all tables. World stopped.
void unload_dead_classes(void);
// Frees them, unless CLASS_UNLOAD is to be posted before. World stopped, after the collection.
void unload_free(void);
// The lists, through next_in_loader, of those that are not freed yet. World stopped.
void unload_each_waiting(void (*visit)(Class *list));
// Whether classes wait for CLASS_UNLOAD to be posted. NO_GC.
bool unload_has_news(void);
// Posts it for all of them, and frees them. No lock held. MAY_GC.
MAY_GC void unload_post(Thread *self);

// Classes that were unloaded since the start, arrays not counted.
uint64_t class_unloaded_count(void);
uint64_t class_unloaded_bytes(void); // of their class files

#endif
