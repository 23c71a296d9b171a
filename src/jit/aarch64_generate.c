// SPDX-License-Identifier: Apache-2.0
// See generate.h. There is no assembler for this processor, so nothing asks what its instructions demand of registers.
#include "jit/generate.h"
#include "jit/machine.h"

Demand machine_demand(const Machine *m, NodeId n)
{
    (void)m, (void)n;
    return (Demand){.hint = NO_REGISTER};
}

uint32_t machine_available(void)
{
    return 0;
}

const char *machine_register_name(uint32_t reg)
{
    (void)reg;
    return "";
}

uint8_t machine_argument_hint(const Machine *m, NodeId call, uint32_t i)
{
    (void)m, (void)call, (void)i;
    return NO_REGISTER;
}

const struct CompiledCode *jit_generate(Graph *g, const char *name, StrBuf *listing,
                                        const GenerateOptions *options, bool *no_room)
{
    (void)g, (void)name, (void)listing, (void)options;
    *no_room = true;
    return NULL;
}
