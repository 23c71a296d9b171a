// SPDX-License-Identifier: Apache-2.0
// How many objects of each class there are, and how large they are together: jmap -histo,
// GC.class_histogram.
#ifndef SERVICE_DUMP_HEAP_HISTOGRAM_H
#define SERVICE_DUMP_HEAP_HISTOGRAM_H

#include "base/strbuf.h"
#include "thread/thread.h"

// Adds the table to `out`, largest sum first, in HotSpot's form. live: collects first, so that only
// what is reachable is counted. MAY_GC.
MAY_GC void heap_histogram_print(Thread *self, bool live, StrBuf *out);

#endif
