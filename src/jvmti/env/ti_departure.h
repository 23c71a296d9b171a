// SPDX-License-Identifier: Apache-2.0
// Where HotSpot departs from the specification and agents may depend on it (spec/jvmti_departures.def): by default the
// specification holds, with -XX:+HotSpotJVMTI or after the diagnostic command JVMTI.hotspot HotSpot's way.
#ifndef JVMTI_ENV_TI_DEPARTURE_H
#define JVMTI_ENV_TI_DEPARTURE_H

#include <stdatomic.h>
#include <stdbool.h>

typedef enum TiDeparture {
    TI_DEPARTURE_NONE,
#define TI_DEPARTURE(id, functions, specified, switched) TI_##id,
#include "spec/jvmti_departures.def"
#undef TI_DEPARTURE
} TiDeparture;

extern _Atomic bool ti_hotspot; // the switch; atomic, as it is changed in a running VM
static inline bool ti_as_hotspot(void)
{
    return atomic_load_explicit(&ti_hotspot, memory_order_relaxed);
}
// From -XX:+HotSpotJVMTI.
void ti_departures_init(void);
// Whether the call is refused for this reason. It then ends with an error, whose text names the switch.
bool ti_refuses(TiDeparture departure);
// The departure for which the calling thread's call was last refused, if it has not been asked for since.
TiDeparture ti_take_refusal(void);
// What is done with the switch on.
const char *ti_departure_text(TiDeparture departure);

#endif
