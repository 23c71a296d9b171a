// SPDX-License-Identifier: Apache-2.0
// What the libraries of PiLate share, each of which gets an interface table of its own.
#ifndef TESTS_PI_LATE_H
#define TESTS_PI_LATE_H

#include "pi_common.h"

// What pi_late_ti, an agent of JVM TI, got in its VMInit, and the events it was sent: of threads
// whose names begin with "late", and others.
typedef struct PiLateAgent {
    JVMPI_Interface *table;
    int starts, others;
} PiLateAgent;
typedef const PiLateAgent *PiLateFind(void);

#endif
