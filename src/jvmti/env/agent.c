// SPDX-License-Identifier: Apache-2.0
// Agents: finding their libraries and calling Agent_OnLoad, Agent_OnAttach, JVM_OnLoad and
// Agent_OnUnload (JVM TI, Agents). -agentlib:name searches the image's library folder, then as
// the system does; an agent linked into the process has functions with _name appended, and no
// library of its name is opened. The list only grows; `agents_lock` guards it.
#include <stdio.h>

#include "base/mutf8.h"
#include "java/call.h"
#include "java/exception.h"
#include "java/shutdown.h"
#include "java/string.h"
#include "jvmti/check/ti_check.h"
#include "jvmti/env/jvmti_vm.h"
#include "options/options.h"

typedef jint(JNICALL *OnLoad)(JavaVM *vm, char *options, void *reserved);
typedef void(JNICALL *OnUnload)(JavaVM *vm);

typedef struct Agent {
    char *name;
    void *library; // NULL: linked into the process
    bool is_static;
    bool
        unloads; // Agent_OnUnload is due: a start function of JVM TI ran, and was content where
                 // the VM runs already
} Agent;

static VEC(Agent *) agents;
static Mutex agents_lock = MUTEX_INIT(RANK_AGENTS);

// A function of an agent; NULL when it has none.
static void *agent_function(const Agent *a, const char *function)
{
    if (!a->is_static)
        return os_library_find(a->library, function);
    char *name = vm_asprintf("%s_%s", function, a->name);
    void *f = os_library_find(NULL, name);
    vm_free(name);
    return f;
}

static void *open_library(const char *name, bool is_path, char *error, size_t error_size)
{
    if (is_path)
        return os_library_open(name, error, error_size);
    char *path = vm_asprintf("%s/lib%s.so", vm_options.library_dir, name);
    FILE *there = fopen(path, "rb");
    void *library = NULL;
    if (there) {
        fclose(there);
        library = os_library_open(path, error, error_size);
    }
    vm_free(path);
    if (there)
        return library;
    path = vm_asprintf("lib%s.so", name);
    library = os_library_open(path, error, error_size);
    vm_free(path);
    return library;
}

// The name of an agent: that of -agentlib, or the base name of a path without "lib" and ".so".
static char *agent_base_name(const char *name, bool is_path)
{
    const char *slash = is_path ? strrchr(name, '/') : NULL;
    char *base = vm_strdup(slash ? slash + 1 : name);
    size_t len = strlen(base);
    if (is_path && len > 6 && strncmp(base, "lib", 3) == 0
        && strcmp(base + len - 3, ".so") == 0) {
        memmove(base, base + 3, len - 6);
        base[len - 6] = 0;
    }
    return base;
}

// An agent that was not started.
static void agent_drop(Agent *a)
{
    if (a->library)
        os_library_close(a->library);
    vm_free(a->name);
    vm_free(a);
}

// The agent with its library open; NULL with a text in `error`.
static Agent *agent_open(const char *name, bool is_path, bool is_xrun, char *error,
                         size_t error_size)
{
    Agent *a = vm_calloc(1, sizeof *a);
    a->name = agent_base_name(name, is_path);
    a->is_static = true;
    if (agent_function(a, "Agent_OnLoad") || (is_xrun && agent_function(a, "JVM_OnLoad")))
        return a;
    a->is_static = false;
    a->library = open_library(name, is_path, error, error_size);
    if (a->library && vm_options.check_jvmti)
        checked_library(a->library);
    if (a->library)
        return a;
    agent_drop(a);
    return NULL;
}

static void agent_add(Agent *a)
{
    mutex_lock(&agents_lock);
    vec_push(&agents, a);
    mutex_unlock(&agents_lock);
}

static bool fail(const char *format, const char *name, const char *why)
{
    char message[1024];
    snprintf(message, sizeof message, format, name, why);
    vm_exit_during_initialization(NULL, message);
}

// Options as an agent gets them: in modified UTF-8, where a character outside the basic plane is
// a pair of surrogates of three bytes each. NULL without options, as on HotSpot: there are agents
// that refuse the empty string which the specification wants.
static char *options_for_agent(const char *options)
{
    if (!options)
        return NULL;
    const uint8_t *s = (const uint8_t *)options;
    char *copy = vm_malloc(2 * strlen((const char *)s) + 1), *out = copy;
    while (*s) {
        bool is_long = (*s & 0xf8) == 0xf0 && (s[1] & 0xc0) == 0x80 && (s[2] & 0xc0) == 0x80
                       && (s[3] & 0xc0) == 0x80;
        if (!is_long) {
            *out++ = (char)*s++;
            continue;
        }
        uint32_t c =
            (uint32_t)((s[0] & 7) << 18 | (s[1] & 63) << 12 | (s[2] & 63) << 6) | (s[3] & 63);
        uint16_t pair[2] = {(uint16_t)(0xd7c0 + (c >> 10)), (uint16_t)(0xdc00 | (c & 0x3ff))};
        out += mutf8_from_utf16(pair, 2, out);
        s += 4;
    }
    *out = 0;
    return copy;
}

static jint call_start(void *function, const char *options)
{
    char *copy = options_for_agent(options);
    jint rc = ((OnLoad)function)(jni_java_vm(), copy, NULL);
    vm_free(copy);
    return rc;
}

static const char *const not_found[] = {
    "Could not find agent library %s on the library path, with error: %s",
    "Could not find agent library %s in absolute path, with error: %s",
};

// -Xrun calls JVM_OnLoad, or Agent_OnLoad of a library without it.
static bool load_one(const AgentOption *option)
{
    char error[512];
    Agent *a = agent_open(option->name, option->is_path, option->is_xrun, error, sizeof error);
    if (!a)
        return fail(not_found[option->is_path], option->name, error);
    agent_add(a);
    void *start = option->is_xrun ? agent_function(a, "JVM_OnLoad") : NULL;
    bool is_profiler = start != NULL;
    if (!start)
        start = agent_function(a, "Agent_OnLoad");
    if (!start)
        return fail(option->is_xrun
                        ? "Could not find JVM_OnLoad function in -Xrun library: %s"
                        : "Could not find Agent_OnLoad function in the agent library: %s",
                    option->name, NULL);
    a->unloads = !is_profiler;
    const char *none = is_profiler ? "" : NULL; // docs/JVMPI.md, 9
    if (call_start(start, option->options ? option->options : none) == JNI_OK)
        return true;
    return fail(is_profiler ? "-Xrun library failed to init: %s"
                            : "agent library failed to init: %s",
                option->name, NULL);
}

bool agents_load(void)
{
    for (size_t i = 0; i < vm_options.agents.len; i++)
        if (!load_one(&vm_options.agents.at[i]))
            return false;
    ti_phase_set(JVMTI_PHASE_PRIMORDIAL);
    return true;
}

// The functions of java.lang.instrument need their module, which a program may run without.
static bool prepare_instrument(Thread *self)
{
    HANDLE_SCOPE(self);
    jobject name = string_from_mutf8(self, "java.instrument");
    jvalue module;
    return name
           && java_call_static(self, "jdk/internal/module/Modules", "loadModule",
                               "(Ljava/lang/String;)Ljava/lang/Module;",
                               (jvalue[]){{.l = name}}, &module);
}

bool agent_attach(Thread *self, const char *name, bool is_path, const char *options,
                  jint *result, char *error, size_t error_size)
{
    ASSERT_MAY_GC(self);
    if (!is_path && strcmp(name, "instrument") == 0 && !prepare_instrument(self)) {
        snprintf(error, error_size, "%s", exception_text(self->exception));
        self->exception = NULL;
        return false;
    }
    thread_leave_vm(self, THREAD_IN_NATIVE);
    char why[512];
    Agent *a = agent_open(name, is_path, false, why, sizeof why);
    void *start = a ? agent_function(a, "Agent_OnAttach") : NULL;
    if (!a) {
        snprintf(error, error_size, "%s was not loaded.\n%s", name, why);
    } else if (!start) {
        snprintf(error, error_size, "Agent_OnAttach is not available in %s", name);
        agent_drop(a);
    } else {
        agent_add(a);
        *result = call_start(start, options);
        a->unloads = *result == JNI_OK;
    }
    thread_enter_vm(self);
    self->exception = NULL; // of Agent_OnAttach: nobody is there to catch it
    return start != NULL;
}

void *ti_agents_find(const char *symbol)
{
    void *found = NULL;
    mutex_lock(&agents_lock);
    for (size_t i = 0; !found && i < agents.len; i++)
        if (!agents.at[i]->is_static)
            found = os_library_find(agents.at[i]->library, symbol);
    mutex_unlock(&agents_lock);
    return found;
}

bool ti_agent_find_function(const char *name, const char *function, void **found)
{
    bool loaded = false;
    mutex_lock(&agents_lock);
    for (size_t i = 0; !loaded && i < agents.len; i++) {
        loaded = strcmp(agents.at[i]->name, name) == 0;
        if (loaded)
            *found = agent_function(agents.at[i], function);
    }
    mutex_unlock(&agents_lock);
    return loaded;
}

static _Thread_local bool unloading;

bool ti_agents_are_unloading(void)
{
    return unloading;
}

void ti_agents_unload(void)
{
    unloading = true;
    for (size_t i = 0;; i++) {
        mutex_lock(&agents_lock);
        Agent *a = i < agents.len ? agents.at[i] : NULL;
        mutex_unlock(&agents_lock);
        if (!a)
            break;
        OnUnload unload = (OnUnload)agent_function(a, "Agent_OnUnload");
        if (a->unloads && unload)
            unload(jni_java_vm());
    }
    unloading = false;
}
