// SPDX-License-Identifier: Apache-2.0
// See ti_departure.h.
#include "jvmti/env/ti_departure.h"

#include "options/options.h"

_Atomic bool ti_hotspot;

static __thread TiDeparture refusal __attribute__((tls_model("initial-exec")));

void ti_departures_init(void)
{
    atomic_store_explicit(&ti_hotspot, vm_options.hotspot_jvmti, memory_order_relaxed);
}

bool ti_refuses(TiDeparture departure)
{
    if (ti_as_hotspot())
        return false;
    refusal = departure;
    return true;
}

TiDeparture ti_take_refusal(void)
{
    TiDeparture last = refusal;
    refusal = TI_DEPARTURE_NONE;
    return last;
}

const char *ti_departure_text(TiDeparture departure)
{
    static const char *const texts[] = {
        [TI_DEPARTURE_NONE] = "",
#define TI_DEPARTURE(id, functions, specified, switched) [TI_##id] = switched,
#include "spec/jvmti_departures.def"
#undef TI_DEPARTURE
    };
    return texts[departure];
}
