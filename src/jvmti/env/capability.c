// SPDX-License-Identifier: Apache-2.0
// Capabilities (JVM TI, Capability). Potential is what is implemented
// (spec/jvmti_capabilities.def), in every phase and for any number of environments; nothing is
// decided at start, so they can be added and given up at any time. Only those that change what is
// given before the live phase mean nothing any more in it.
#include "jvmti/env/ti_entry.h"
#include "jvmti/generated/decl.h"

static const struct {
    int bit, potential;
} capabilities[] = {
#define CAPABILITY(bit, name, potential) {bit, potential},
#include "spec/jvmti_capabilities.def"
#undef CAPABILITY
};

static void set_bit(jvmtiCapabilities *set, int bit)
{
    ((uint8_t *)set)[bit / 8] |= ti_bit_mask(bit);
}

static bool is_potential(const TiEnv *env, int bit)
{
    bool early = bit == TI_CAP_can_generate_early_vmstart
                 || bit == TI_CAP_can_generate_early_class_hook_events;
    return !early || ti_phase() == JVMTI_PHASE_ONLOAD || ti_has_bit(&env->capabilities, bit);
}

static void potential(const TiEnv *env, jvmtiCapabilities *out)
{
    *out = (jvmtiCapabilities){0};
    for (size_t i = 0; i < ARRAY_LEN(capabilities); i++)
        if (capabilities[i].potential && is_potential(env, capabilities[i].bit))
            set_bit(out, capabilities[i].bit);
}

jvmtiError ti_GetPotentialCapabilities(Thread *self, TiEnv *env,
                                       jvmtiCapabilities *capabilities_ptr)
{
    (void)self;
    potential(env, capabilities_ptr);
    return JVMTI_ERROR_NONE;
}

jvmtiError ti_GetCapabilities(Thread *self, TiEnv *env, jvmtiCapabilities *capabilities_ptr)
{
    (void)self;
    mutex_lock(&ti_lock);
    *capabilities_ptr = env->capabilities;
    mutex_unlock(&ti_lock);
    return JVMTI_ERROR_NONE;
}

// Readers take no lock.
static void store(uint8_t *of, size_t i, uint8_t bits)
{
    __atomic_store_n(&of[i], bits, __ATOMIC_RELAXED);
}

jvmtiError ti_AddCapabilities(Thread *self, TiEnv *env,
                              const jvmtiCapabilities *capabilities_ptr)
{
    (void)self;
    jvmtiCapabilities all;
    potential(env, &all);
    const uint8_t *wanted = (const uint8_t *)capabilities_ptr, *have = (const uint8_t *)&all;
    for (size_t i = 0; i < sizeof all; i++)
        if (wanted[i] & ~have[i])
            return JVMTI_ERROR_NOT_AVAILABLE;
    uint8_t *owned = (uint8_t *)&env->capabilities;
    mutex_lock(&ti_lock);
    for (size_t i = 0; i < sizeof all; i++)
        store(owned, i, owned[i] | wanted[i]);
    mutex_unlock(&ti_lock);
    return JVMTI_ERROR_NONE;
}

jvmtiError ti_RelinquishCapabilities(Thread *self, TiEnv *env,
                                     const jvmtiCapabilities *capabilities_ptr)
{
    (void)self;
    const uint8_t *unwanted = (const uint8_t *)capabilities_ptr;
    uint8_t *owned = (uint8_t *)&env->capabilities;
    mutex_lock(&ti_lock);
    for (size_t i = 0; i < sizeof env->capabilities; i++)
        store(owned, i, owned[i] & (uint8_t)~unwanted[i]);
    mutex_unlock(&ti_lock);
    return JVMTI_ERROR_NONE;
}
