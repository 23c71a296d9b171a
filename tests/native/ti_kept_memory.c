// SPDX-License-Identifier: Apache-2.0
// For KeptMemory: wrong uses of memory that was given back.
#include <stdbool.h>

#include "ti_common.h"

enum { SIZE = 40, BLOCKS = 6 };

static jvmtiEnv *ti;

static unsigned char *allocate(void)
{
    unsigned char *p;
    MUST((*ti)->Allocate(ti, SIZE, &p));
    return p;
}

// Blocks that are asked for from here on are all different.
static void look(const char *after)
{
    unsigned char *blocks[BLOCKS];
    bool differ = true;
    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = i % 2 ? allocate() : malloc(SIZE);
        memset(blocks[i], i, SIZE);
    }
    for (int i = 0; i < BLOCKS; i++)
        differ = differ && blocks[i][0] == i && blocks[i][SIZE - 1] == i;
    say("after %s: %s", after, differ ? "all blocks differ" : "a block was given twice");
    for (int i = 0; i < BLOCKS; i++)
        MUST((*ti)->Deallocate(ti, blocks[i]));
}

EXPORT(void, Java_KeptMemory_run, JNIEnv *jni, jclass self)
{
    (void)jni, (void)self;
    look("nothing");
    unsigned char *p = allocate();
    MUST((*ti)->Deallocate(ti, p));
    free(p);
    look("free as well");
    p = allocate();
    MUST((*ti)->Deallocate(ti, p));
    memset(p, -1, SIZE);
    look("writing");
    p = allocate();
    MUST((*ti)->Deallocate(ti, p));
    memset(p, -1, SIZE); // and the thread ends
}

EXPORT(jint, Agent_OnLoad, JavaVM *vm, char *options, void *reserved)
{
    (void)options, (void)reserved;
    ti = new_env(vm, JVMTI_VERSION_11);
    return JNI_OK;
}
