// SPDX-License-Identifier: Apache-2.0
// The interface tables, one for each agent, with functions that know whose they are.
#include "jvmpi/pi.h"
#include "options/options.h"

#define OF_SLOT(slot, name)  OF_SLOT_(slot, name)
#define OF_SLOT_(slot, name) slot_##slot##_##name

#define SLOT 0
#include "jvmpi/pi_slot.inc"
#undef SLOT
#define SLOT 1
#include "jvmpi/pi_slot.inc"
#undef SLOT
#define SLOT 2
#include "jvmpi/pi_slot.inc"
#undef SLOT
#define SLOT 3
#include "jvmpi/pi_slot.inc"
#undef SLOT
#define SLOT 4
#include "jvmpi/pi_slot.inc"
#undef SLOT
#define SLOT 5
#include "jvmpi/pi_slot.inc"
#undef SLOT
#define SLOT 6
#include "jvmpi/pi_slot.inc"
#undef SLOT
#define SLOT 7
#include "jvmpi/pi_slot.inc"
#undef SLOT

#define PI_FUNCTION(result, name, parameters, arguments, where) .name = OF_SLOT(SLOT, name),
const JVMPI_Interface pi_tables[PI_AGENTS] = {
#define SLOT 0
    {
        .version = JVMPI_VERSION_1_2,
#include "spec/jvmpi_functions.def"
    },
#undef SLOT
#define SLOT 1
    {
        .version = JVMPI_VERSION_1_2,
#include "spec/jvmpi_functions.def"
    },
#undef SLOT
#define SLOT 2
    {
        .version = JVMPI_VERSION_1_2,
#include "spec/jvmpi_functions.def"
    },
#undef SLOT
#define SLOT 3
    {
        .version = JVMPI_VERSION_1_2,
#include "spec/jvmpi_functions.def"
    },
#undef SLOT
#define SLOT 4
    {
        .version = JVMPI_VERSION_1_2,
#include "spec/jvmpi_functions.def"
    },
#undef SLOT
#define SLOT 5
    {
        .version = JVMPI_VERSION_1_2,
#include "spec/jvmpi_functions.def"
    },
#undef SLOT
#define SLOT 6
    {
        .version = JVMPI_VERSION_1_2,
#include "spec/jvmpi_functions.def"
    },
#undef SLOT
#define SLOT 7
    {
        .version = JVMPI_VERSION_1_2,
#include "spec/jvmpi_functions.def"
    },
#undef SLOT
};
#undef PI_FUNCTION
_Static_assert(PI_AGENTS == 8, "a table for each agent");
