// SPDX-License-Identifier: Apache-2.0
// Stacks: a tree of frames, each with its caller, so that stacks that begin alike share what
// they have in common. Found by a hash of (caller, frame). All of it is forgotten when the
// agent is idle; ids go on counting. `lock` guards all; no call of the VM is made under it.
#include "agent.h"

#include <stdlib.h>
#include <string.h>

typedef struct Node {
    uint32_t caller; // id
    uint32_t what;   // kind << 28 | method, module or name
    uint64_t where;  // bci (signed) or offset
} Node;

enum { NODES_MOST = 2 << 20, NAMES_MOST = 256 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Node *nodes; // of ids from base + 1 on
static uint32_t len, cap, base;
static uint32_t *slots; // index + 1 of a node; open addressing
static uint32_t slots_cap;
static char *names[NAMES_MOST]; // never forgotten
static uint32_t names_len;

static uint64_t hash(const Node *n)
{
    return agent_mix(agent_mix((uint64_t)n->caller << 32 | n->what) ^ n->where);
}

static uint32_t *slot_of(const Node *n)
{
    assert(len < slots_cap && (slots_cap & (slots_cap - 1)) == 0);
    for (uint64_t i = hash(n);; i++) {
        uint32_t *slot = &slots[i & (slots_cap - 1)];
        if (*slot == 0 || memcmp(&nodes[*slot - 1], n, sizeof *n) == 0) {
            return slot;
        }
    }
}

static bool grow_slots(void)
{
    uint32_t bigger = slots_cap == 0 ? 4096 : slots_cap * 2;
    uint32_t *fresh = agent_alloc(bigger * sizeof *fresh);
    if (fresh == NULL) {
        return false;
    }
    free(slots);
    slots = fresh;
    slots_cap = bigger;
    for (uint32_t i = 0; i < len; i++) {
        *slot_of(&nodes[i]) = i + 1;
    }
    return true;
}

static bool grow_nodes(void)
{
    uint32_t bigger = cap == 0 ? 2048 : cap * 2;
    Node *fresh = bigger <= NODES_MOST ? realloc(nodes, bigger * sizeof *fresh) : NULL;
    if (fresh == NULL) {
        return false;
    }
    nodes = fresh;
    cap = bigger;
    return true;
}

static uint32_t add(const Node *n)
{
    ASSERT_HELD(&lock);
    if (n->caller != 0 && n->caller <= base) {
        return 0; // of a time before
    }
    if (len * 2 >= slots_cap && !grow_slots()) {
        return 0;
    }
    uint32_t *slot = slot_of(n);
    if (*slot == 0) {
        if (len == cap && !grow_nodes()) {
            return 0;
        }
        nodes[len++] = *n;
        *slot = len;
    }
    assert(*slot <= len && len <= cap);
    return base + *slot;
}

static uint32_t add_locked(const Node *n)
{
    pthread_mutex_lock(&lock);
    uint32_t id = add(n);
    pthread_mutex_unlock(&lock);
    return id;
}

uint32_t lens_stack_java(uint32_t caller, uint32_t method, int32_t bci)
{
    assert(method != 0);
    return add_locked(&(Node){caller, LENS_ID(LENS_FRAME_JAVA, method), (uint64_t)bci});
}

uint32_t lens_stack_native(uint32_t caller, uint32_t module, uint64_t offset)
{
    assert(module != 0);
    return add_locked(&(Node){caller, LENS_ID(LENS_FRAME_NATIVE, module), offset});
}

// NAMES_MOST: there is no room.
static uint32_t name_index(const char *text)
{
    ASSERT_HELD(&lock);
    for (uint32_t i = 0; i < names_len; i++) {
        if (strcmp(names[i], text) == 0) {
            return i;
        }
    }
    char *copy = names_len < NAMES_MOST ? strdup(text) : NULL;
    if (copy == NULL) {
        return NAMES_MOST;
    }
    names[names_len] = copy;
    return names_len++;
}

uint32_t lens_stack_named(uint32_t caller, const char *text)
{
    pthread_mutex_lock(&lock);
    uint32_t name = name_index(text);
    uint32_t id =
        name < NAMES_MOST ? add(&(Node){caller, LENS_ID(LENS_FRAME_NAMED, name), 0}) : 0;
    pthread_mutex_unlock(&lock);
    return id;
}

static void write_node(uint32_t id, const Node *n, LensBuffer *to, uint32_t needs[2])
{
    ASSERT_HELD(&lock);
    LensFrameKind kind = (LensFrameKind)LENS_ID_KIND(n->what);
    uint32_t number = LENS_ID_NUMBER(n->what);
    lens_buffer_u(to, LENS_DEF_STACK);
    lens_buffer_u(to, id);
    lens_buffer_u(to, n->caller);
    lens_buffer_u(to, kind);
    needs[0] = n->caller != 0 ? LENS_ID(LENS_DEF_STACK, n->caller) : 0;
    switch (kind) {
    case LENS_FRAME_JAVA:
        lens_buffer_u(to, number);
        lens_buffer_z(to, (int64_t)n->where);
        needs[1] = LENS_ID(LENS_DEF_METHOD, number);
        break;
    case LENS_FRAME_NATIVE:
        lens_buffer_u(to, number);
        lens_buffer_u(to, n->where);
        needs[1] = number != 0 ? LENS_ID(LENS_DEF_MODULE, number) : 0;
        break;
    case LENS_FRAME_NAMED:
        assert(number < names_len);
        lens_buffer_text(to, names[number]);
        break;
    }
}

bool lens_stack_write(uint32_t id, LensBuffer *to, uint32_t needs[2])
{
    pthread_mutex_lock(&lock);
    bool known = id > base && id <= base + len;
    if (known) {
        write_node(id, &nodes[id - base - 1], to, needs);
    }
    pthread_mutex_unlock(&lock);
    return known;
}

void lens_stack_idle(void)
{
    ASSERT_AGENT_THREAD();
    pthread_mutex_lock(&lock);
    base += len;
    len = cap = slots_cap = 0;
    free(nodes);
    free(slots);
    nodes = NULL;
    slots = NULL;
    pthread_mutex_unlock(&lock);
}

// ---- stacks of JVM TI ----

uint32_t lens_stack_frame(JNIEnv *jni, uint32_t caller, jmethodID method, int32_t bci)
{
    uint32_t id = lens_method_id(jni, method);
    return id != 0 ? lens_stack_java(caller, id, bci)
                   : lens_stack_named(caller, "a method of an unloaded class");
}

static uint32_t add_frames(JNIEnv *jni, uint32_t id, const jvmtiFrameInfo *frames, jint count)
{
    for (jint i = count < LENS_DEPTH ? count : LENS_DEPTH; i-- > 0;) {
        id = lens_stack_frame(jni, id, frames[i].method, (int32_t)frames[i].location);
        if (id == 0) {
            break; // the table is full
        }
    }
    return id;
}

uint32_t lens_stack_id(JNIEnv *jni, const jvmtiFrameInfo *frames, jint count)
{
    return add_frames(jni, 0, frames, count);
}

uint32_t lens_stack_of(JNIEnv *jni, jthread thread, jint depth)
{
    assert(depth > 0);
    enum { AT_ONCE = 512 };
    jvmtiFrameInfo frames[AT_ONCE];
    jint count = 0;
    jint most = depth < AT_ONCE ? depth : AT_ONCE;
    if ((*lens.jvmti)->GetStackTrace(lens.jvmti, thread, 0, most, frames, &count)
        != JVMTI_ERROR_NONE) {
        return 0;
    }
    return add_frames(jni, count == most ? lens_stack_named(0, LENS_DEEPER) : 0, frames, count);
}
