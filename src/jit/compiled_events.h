// SPDX-License-Identifier: Apache-2.0
// COMPILED_LOAD and COMPILED_UNLOAD: of code that was published, and that is freed (docs/EVENTS.md). Code is published and retired
// where no tool may run, and by hidden threads; so it is written down in one order, and posted by the thread that posts CLASS_UNLOAD.
// Lock: RANK_COMPILE, a leaf.
#ifndef JIT_COMPILED_EVENTS_H
#define JIT_COMPILED_EVENTS_H

#include "jit/installed_code.h"

// The code was published. self is IN_VM. NO_GC.
void compiled_events_loaded(Thread *self, const CompiledCode *code);
// Nothing runs the retired code any more. It may be unlinked now, and freed when c->told. False: somebody is being told of it. World stopped.
bool compiled_events_unload(InstalledCode *c);

// Stubs between compiled code and all else are posted from now on (DYNAMIC_CODE) as they are made. Once, before there are threads.
void compiled_events_init(void);
// What wakes the thread that posts. Before methods are compiled; called IN_VM with no lock held, NO_GC.
void compiled_events_set_wake(void (*wake)(void));
// Whether something waits to be posted.
bool compiled_events_wait(void);
// Posts what waits. No lock held. MAY_GC.
MAY_GC void compiled_events_post(Thread *self);
// Posts COMPILED_LOAD of all code that calls may enter, to one listener. No lock held. MAY_GC.
MAY_GC void compiled_events_generate(Thread *self, const void *only);

#endif
