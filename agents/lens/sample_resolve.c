// SPDX-License-Identifier: Apache-2.0
// From a raw sample to a record: methods, native frames and threads get their ids while their
// classes and libraries are there. Of the agent's thread alone.
#include "sample.h"

#include <string.h>

enum { NATIVE_METHOD = -3 };

// What threads that run no Java are, by their names' beginnings.
static const char *system_kind(const LensThread *thread)
{
    static const char *const KINDS[][2] = {{"GC", "GC"},
                                           {"G1", "GC"},
                                           {"ParGC", "GC"},
                                           {"ZGC", "GC"},
                                           {"Shenandoah", "GC"},
                                           {"Collect", "GC"},
                                           {"C1 ", "Compiler"},
                                           {"C2 ", "Compiler"},
                                           {"Compiler", "Compiler"},
                                           {"Sweeper", "Compiler"},
                                           {"VM ", "VM"}};
    const char *name = lens_thread_name(thread);
    for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; i++) {
        if (strncmp(name, KINDS[i][0], strlen(KINDS[i][0])) == 0) {
            return KINDS[i][1];
        }
    }
    return "native thread";
}

static int32_t bci_on_wire(jint bci)
{
    return bci >= 0 ? bci : bci == NATIVE_METHOD ? -1 : -2;
}

// The place of the program counter on top of `stack`, if it lies in a library.
static uint32_t with_place(uint32_t stack, uint64_t pc)
{
    uint64_t offset = 0;
    uint32_t module = lens_module_of(pc, &offset);
    return module != 0 ? lens_stack_native(stack, module, offset) : stack;
}

static uint32_t java_stack(const LensRawSample *raw, const LensCallFrame *frames, JNIEnv *jni)
{
    assert(raw->frames > 0);
    uint32_t stack =
        (unsigned)raw->frames == lens_sampling()->depth ? lens_stack_named(0, LENS_DEEPER) : 0;
    for (int32_t i = raw->frames; i-- > 0;) {
        stack = lens_stack_frame(jni, stack, frames[i].method, bci_on_wire(frames[i].bci));
        if (stack == 0) {
            return 0; // the table is full
        }
    }
    return lens_sampling()->native && frames[0].bci == NATIVE_METHOD
               ? with_place(stack, raw->pc)
               : stack;
}

// Without Java frames: what kind of thread it is, and where it was.
static uint32_t other_stack(const LensRawSample *raw, const LensThread *thread)
{
    uint32_t stack =
        lens_thread_is_system(thread) ? lens_stack_named(0, system_kind(thread)) : 0;
    return with_place(stack, raw->pc);
}

bool lens_sample_resolve(const uint8_t *bytes, size_t len, uint64_t time, LensRecord *to,
                         JNIEnv *jni)
{
    ASSERT_AGENT_THREAD();
    assert(len >= sizeof(LensRawSample));
    LensRawSample raw;
    memcpy(&raw, bytes, sizeof raw);
    if (raw.frames > 0 && len < sizeof raw + (size_t)raw.frames * sizeof(LensCallFrame)) {
        return false;
    }
    const LensThread *thread = lens_thread_by_tid(jni, raw.tid, raw.env);
    if (thread == NULL) {
        return false;
    }
    bool has_java = raw.frames > 0;
    uint32_t stack = has_java
                         ? java_stack(&raw, (const LensCallFrame *)(bytes + sizeof raw), jni)
                         : other_stack(&raw, thread);
    bool is_whole = has_java ? stack != 0 : lens_thread_is_system(thread);
    uint32_t failure = is_whole                                 ? 0
                       : raw.frames == LENS_NO_ROOM || has_java ? 1000
                                                                : (uint32_t)(1 - raw.frames);
    lens_record_begin(to, LENS_SAMPLES, NULL);
    to->time = time;
    lens_put_id(to, LENS_DEF_THREAD, thread->id);
    lens_put_id(to, LENS_DEF_STACK, stack);
    lens_put_u(to, raw.kind);
    lens_put_u(to, raw.weight);
    lens_put_u(to, raw.state);
    lens_put_u(to, failure);
    return true;
}
