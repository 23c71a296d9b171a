// SPDX-License-Identifier: Apache-2.0
// Agents: GetEnv gives each library that asks a table of its own, the same each time.
#include "base/log.h"
#include "jvmpi/jvmpi_vm.h"
#include "jvmpi/pi.h"
#include "platform/native_stack.h"

PiAgent pi_agents[PI_AGENTS];
_Atomic int pi_agent_count;
static Mutex agents_lock = MUTEX_INIT(RANK_AGENTS);

// agents_lock is held.
static PiAgent *find(const void *library)
{
    PI_AGENT_EACH(a)
    if (a->library == library)
        return a;
    return NULL;
}

// agents_lock is held. NULL: there are too many.
static PiAgent *add(const void *library)
{
    ASSERT_HELD(&agents_lock);
    int n = atomic_load(&pi_agent_count);
    if (n == PI_AGENTS)
        return NULL;
    pi_agents[n].table = pi_tables[n];
    pi_agents[n].library = library;
    atomic_store(&pi_agent_count, n + 1);
    return &pi_agents[n];
}

// JniEnvProvider.
static jint provide(void **env, jint version, const void *caller)
{
    if (version < JVMPI_VERSION_1 || version > JVMPI_VERSION_1_2)
        return JNI_EVERSION;
    const void *library = os_library_base(caller);
    mutex_lock(&agents_lock);
    PiAgent *a = find(library);
    bool first = !a && atomic_load(&pi_agent_count) == 0;
    if (!a)
        a = add(library);
    mutex_unlock(&agents_lock);
    if (!a) {
        vm_warning("JVMPI is given to %d libraries at most: not to %s", PI_AGENTS,
                   native_file_name(caller));
        return JNI_ERR;
    }
    if (first)
        pi_events_start();
    *env = &a->table;
    return JNI_OK;
}

// An agent whose code is unmapped gets no more events, and its place is not given to another:
// threads keep what it stored. No event is sent to it from before the closing on.
static void close_library(void *library)
{
    mutex_lock(&agents_lock);
    const void *base = native_library_base(library);
    PiAgent *a = base ? find(base) : NULL;
    mutex_unlock(&agents_lock);
    uint64_t enabled = 0;
    if (a) {
        PI_CALL;
        enabled = atomic_exchange(&a->enabled, 0);
        pi_events_changed();
    }
    os_library_close(library);
    if (!a)
        return;
    if (os_library_base(base) != base) {
        mutex_lock(&agents_lock);
        a->library = a; // no library lies there
        mutex_unlock(&agents_lock);
    } else { // somebody else has it too
        PI_CALL;
        atomic_fetch_or(&a->enabled, enabled);
        pi_events_changed();
    }
}

void jvmpi_init(void)
{
    jni_close_library = close_library;
    jni_add_env_provider(provide);
}
