// SPDX-License-Identifier: Apache-2.0
// Waits, between the two files of the verb locks.
#ifndef LENS_LOCKS_H
#define LENS_LOCKS_H

#include "agent.h"

typedef struct LensWait {
    uint64_t since; // lens_now(); 0: does not wait
    uint64_t monitor;
    uint32_t class, owner, owner_stack;
} LensWait;

// All ATTACHED.
void lens_wait_name(LensWait *wait, JNIEnv *jni, jobject object);     // sets monitor and class
void lens_wait_set_owner(LensWait *wait, JNIEnv *jni, jthread owner); // NULL: nothing is known
// Of a monitor; may stop the program for a moment
void lens_wait_find_owner(LensWait *wait, JNIEnv *jni, jobject object);
// What it waits for by the events. HEAP
bool lens_wait_pending(const LensThread *thread, LensWait *wait);
// Counts the waits that events told of, begins and ends: where two looks see the same, the
// thread is in one and the same wait, or in none. HEAP
uint32_t lens_wait_moves(const LensThread *thread);
void lens_wait_put(const LensWait *wait, LensLockKind kind, uint32_t thread, uint32_t stack,
                   uint64_t now, const LensOrder *order);

// locks_look.c. All AGENT
#define LENS_LOOK_EVERY (10 * LENS_MS)
typedef struct LensLook LensLook;
LensLook *lens_look_new(bool parks); // NULL when memory ends
void lens_look_begin(JNIEnv *jni);
void lens_look(LensLook *look, const LensOrder *order, JNIEnv *jni, uint64_t now);
// Parks that go on are told with the time so far
void lens_look_end(LensLook *look, const LensOrder *order, JNIEnv *jni);
void lens_look_free(LensLook *look);

#endif
