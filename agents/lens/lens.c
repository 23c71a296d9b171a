// SPDX-License-Identifier: Apache-2.0
// The Lens agent: takes orders over a Unix socket and sends what they ask for (lens_wire.h), or
// records into a file from the start of a program. Here: how it is loaded, once or again and
// again, and how it ends. The library stays loaded and keeps its globals.
#define _GNU_SOURCE
#include "agent.h"
#include "verbs.h"

#include <dlfcn.h>
#include <time.h>

Lens lens;

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved);
JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *options, void *reserved);

uint64_t lens_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * LENS_SECOND + (uint64_t)t.tv_nsec;
}

JNIEnv *lens_jni(void)
{
    assert(lens.vm != NULL);
    JNIEnv *jni = NULL;
    return (*lens.vm)->GetEnv(lens.vm, (void **)&jni, JNI_VERSION_1_6) == JNI_OK ? jni : NULL;
}

static void JNICALL on_vm_init(jvmtiEnv *ti, JNIEnv *jni, jthread thread)
{
    (void)ti, (void)jni, (void)thread;
    atomic_store(&lens.is_live, true);
    lens_loop_start();
}

// The agent's thread ends here, while the VM still answers.
static void JNICALL on_vm_death(jvmtiEnv *ti, JNIEnv *jni)
{
    (void)ti, (void)jni;
    lens_loop_stop();
    atomic_store(&lens.is_live, false);
}

// The child has this one thread alone: nothing of the agent goes on in it.
static void forked(void)
{
    atomic_store(&lens.is_live, false);
    lens_samples_forked();
    lens_connections_forked();
}

// A signal or a timer may come late: the code must be there as long as the process.
static void stay_loaded(void)
{
    Dl_info self;
    if (dladdr(&lens, &self) != 0) {
        dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
    }
}

static void listen_to_parts(void)
{
    LENS_LISTEN(JVMTI_EVENT_VM_INIT, on_vm_init);
    LENS_LISTEN(JVMTI_EVENT_VM_DEATH, on_vm_death);
#define LENS_PART(name) lens_part_##name();
#include "parts.def"
#undef LENS_PART
}

static bool load(JavaVM *vm, const char *options)
{
    agent_set_name("lens");
    // The options come first: where they are refused nothing is loaded, and who attaches next
    // begins anew.
    if (!lens_record_option(options) || !lens_env_load(vm) || !lens_defs_init()) {
        return false;
    }
    stay_loaded();
    listen_to_parts();
    pthread_atfork(NULL, NULL, forked);
    return lens_events_load() && lens_want_event(JVMTI_EVENT_VM_DEATH, true);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    (void)reserved;
    if (!load(vm, options)) {
        return JNI_ERR;
    }
    lens_capabilities_at_load();
    return lens_want_event(JVMTI_EVENT_VM_INIT, true) ? JNI_OK : JNI_ERR;
}

// Options are for its first loading alone.
static bool stays_as_it_is(const char *options)
{
    if (options == NULL || *options == '\0') {
        return true;
    }
    agent_message(
        "it is in this program already, \"%s\" comes too late: use lens record PID -o "
        "FILE",
        options);
    return false;
}

// Comes again for each front that attaches: the agent is there already, then.
JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *options, void *reserved)
{
    (void)reserved;
    static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&one);
    bool is_there = lens.jvmti != NULL, good = !is_there || stays_as_it_is(options);
    if (!is_there) {
        lens.is_late = true;
        good = load(vm, options);
        atomic_store(&lens.is_live, good);
    }
    good = good && atomic_load(&lens.is_live) && lens_loop_start();
    pthread_mutex_unlock(&one);
    return good ? JNI_OK : JNI_ERR;
}
