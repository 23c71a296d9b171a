// SPDX-License-Identifier: Apache-2.0
// Extension functions about snapshots of the heap: see include/pellucid_jvmti.h.
#ifndef JVMTI_TI_SNAPSHOT_H
#define JVMTI_TI_SNAPSHOT_H

#include <jvmti.h>

jvmtiError JNICALL ti_snapshot_heap(jvmtiEnv *jvmti, ...);
jvmtiError JNICALL ti_visit_snapshot(jvmtiEnv *jvmti, ...);

#endif
