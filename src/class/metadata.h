// SPDX-License-Identifier: Apache-2.0
// How much memory class metadata take, and their limits: a collection when those that it could free
// have grown (-XX:MetaspaceSize), OutOfMemoryError at -XX:MaxMetaspaceSize. Counted are class space,
// class files but those that lie in lib/modules, what is parsed of them, constant pools, members and
// method tables; not the pre-decoded code, as HotSpot counts no compiled code, so that its users'
// limits fit.
#ifndef CLASS_METADATA_H
#define CLASS_METADATA_H

#include "class/class.h"

// Bytes. `max` 0: no limit. Before the first class.
void metadata_set_limits(size_t first_threshold, size_t max);
// Counts native memory as c's; it is counted off when c is freed, if not before. NO_GC.
void metadata_count(Class *c, size_t bytes);
void metadata_uncount(Class *c, size_t bytes);
void metadata_count_off(const Class *c);
// The memory of an unloaded class, class space included, with its arrays' classes.
size_t metadata_of(const Class *c);
// `bytes` of unloaded classes wait for CLASS_UNLOAD to be posted and are not used any more; they wait no more. NO_GC.
void metadata_set_aside(size_t bytes);
void metadata_take_back(size_t bytes);
// What metadata_used consists of.
typedef enum MetadataKind {
    METADATA_CLASS,   // the Class structure, in class space
    METADATA_FILE,    // the bytes of the class file, where they are a copy
    METADATA_PARSED,  // what is parsed of it
    METADATA_POOL,    // what entries resolved to, and what was made for code
    METADATA_MEMBERS, // methods and fields
    METADATA_TABLES,  // vtable, itables, interfaces; replaced versions, too
    METADATA_KINDS
} MetadataKind;
// Adds what c takes, without its arrays' classes. NO_GC.
void metadata_add_kinds(const Class *c, size_t bytes[METADATA_KINDS]);
// Called before a class is made of `bytes` of class file: collects when classes that may be found
// dead, and names, have grown by the threshold. Classes of the immortal loaders do not count: a
// collection frees none. False with OutOfMemoryError pending when the limit is reached even then.
NODISCARD MAY_GC bool metadata_reserve(Thread *self, size_t bytes);

size_t metadata_used(void);            // bytes, class space included, without what is set aside
size_t metadata_committed(void);       // bytes obtained from the system
size_t metadata_max(void);             // SIZE_MAX: no limit
size_t metadata_threshold(void);       // bytes used, at which the next collection may come
size_t metadata_first_threshold(void); // -XX:MetaspaceSize

#endif
