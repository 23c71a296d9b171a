// SPDX-License-Identifier: Apache-2.0
// Assumptions: what code is made for although it can change (spec/assumptions.def). Code that is made for one is a
// Dependent, and is registered with it; what changes first makes it false and then breaks it, which invalidates the
// dependents. docs/ASSUMPTIONS.md says who breaks what, and when.
//
// Registering and looking whether all holds is one operation, under a lock (RANK_DEPS). Dependents are invalidated
// with the world stopped. A dependent and what it is registered with are freed in any order: unloading takes out what
// is about dead classes.
#ifndef CLASS_ASSUMPTION_H
#define CLASS_ASSUMPTION_H

#include "class/class.h"

typedef struct Assumption {
    AssumptionKind kind;
    const void *object; // what it is about
    const void *value;  // what it must be; by kind, else NULL
} Assumption;
// EVENT_OFF, FIELD_UNWATCHED and METHOD_BREAKPOINTS have numbers.
#define ASSUMED_NUMBER(n) ((const void *)(uintptr_t)(n))

// Registers d with all of a[0..count), if all of them hold; with none otherwise (false). Once for each kind and object,
// however often it is asked for. `publish` (or NULL) is called under the lock when they hold: what it makes visible is invalidated
// by whatever breaks one of them afterwards. self is IN_VM, loader_lock is not held. NO_GC.
NODISCARD bool assume(Thread *self, Dependent *d, const Assumption *a, size_t count,
                      void (*publish)(Dependent *d));
// Takes d out; its owner is IN_VM, or the world is stopped. NO_GC.
void dependent_remove(Dependent *d);

// Invalidates what depends on the assumption of this kind about object, which does not hold any more: that was made so before.
// Stops the world if there is anything, so no lock may be held that others wait for IN_VM, unless it is stopped already. MAY_GC
// unless it is. For CALL_SITE see assumption_break_call_site.
MAY_GC void assumption_break(Thread *self, AssumptionKind kind, const void *object);
// The target of a java.lang.invoke.CallSite was set. MAY_GC.
MAY_GC void assumption_break_call_site(Thread *self, jobject site);
// Something can write to the field, or has, that is not its class's initializer or a constructor. MAY_GC.
MAY_GC void assumption_break_final(Thread *self, Field *f);
// Unloading: invalidates what depends on classes that are dead, and takes out all that is about them. Inside a collection, the world
// stopped. NO_GC.
void assumptions_forget_dead(void);
// Registers with the switches of events. `breakpoints_set`: how many breakpoints were set in all methods, ever. Once.
void assumptions_init(uint64_t (*breakpoints_set)(void));

// How many registrations there are, and bytes of memory for them. NO_GC.
size_t assumptions_registered(void);
size_t assumptions_bytes(void);

// ---- the class hierarchy ----
// c has its tables and is about to be linked: assumptions about its superclasses are broken that do not hold with it. No lock is held.
MAY_GC void class_join_hierarchy(Thread *self, Class *c);
// What a call of a virtual method of a class selects for all receivers of the classes that are linked: NULL when there are several,
// none, or an abstract one, or when there are many subclasses. m is in the vtable of its class. Locks: loader_lock. NO_GC.
Method *class_unique_implementation(Method *m);

#endif
