// SPDX-License-Identifier: Apache-2.0
// Shared by the files of the management interface (jmm.h). Each fills its part of the table.
#ifndef SERVICE_MANAGEMENT_MANAGEMENT_H
#define SERVICE_MANAGEMENT_MANAGEMENT_H

#include "jni/jni_internal.h"
#include "service/management/jmm.h"
#include "service/management/memory_pools.h"

// The table of the version that the class library asks for; NULL for others and when the thread that posts memory notices
// can't be started. From native code of an attached thread.
JmmInterface *management_table(Thread *self, int version);

// Each sets the entries of its chapter, once, at the start.
void management_fill_memory(JmmInterface *t);
void management_fill_threads(JmmInterface *t);
void management_fill_flags(JmmInterface *t);
void management_fill_commands(JmmInterface *t);

// The GarbageCollectorMXBean or MemoryManagerMXBean, as a local handle, made on first use.
NODISCARD MAY_GC jobject manager_bean(Thread *self, ManagerId manager);
// Times and counts of a collector; -1: no collector. NO_GC.
jlong collector_attribute(Thread *self, jobject bean, JmmLongAttribute attribute);
// The threads' part of the attributes and statistics.
jlong thread_attribute(JmmLongAttribute attribute);
extern _Atomic bool thread_cpu_time_enabled, thread_allocated_memory_enabled;
MAY_GC bool reset_contention(Thread *self, jlong thread_id, bool counts, bool times);
jlong management_flag_count(void); // of all that are shown
// A pool's peak; false: the bean is none of ours.
bool reset_pool_peak(Thread *self, jobject bean);
// The VM is initialised: what RuntimeMXBean calls its start.
void management_note_start(void);
// Around each collection, the world stopped: records for management, and notifies the threads that wait for it.
void management_gc_begin(void);
void management_gc_end(bool full);

#endif
