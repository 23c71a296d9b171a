// SPDX-License-Identifier: Apache-2.0
// Loads the JDK's debugger back end, libjdwp, into a VM that runs already (see README.md).
//
// libjdwp can only start with the VM: its Agent_OnLoad asks for capabilities and sets callbacks,
// and the callback VMInit does the rest. So we call its Agent_OnLoad ourselves, take down the
// VMInit callback that it sets, and call that one too. To see what it sets it is given a JavaVM
// whose GetEnv hands out the environment with our own SetEventCallbacks in its table; the table
// is put right again before anything else happens. That JavaVM only forwards; libjdwp keeps it.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <netdb.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/agentlib.h"

typedef jint(JNICALL *OnLoad)(JavaVM *vm, char *options, void *reserved);

static atomic_flag loaded = ATOMIC_FLAG_INIT;
static JavaVM *real_vm;
static jvmtiEnv *debugger;               // libjdwp's environment
static jvmtiInterface_1 watched;         // its table while Agent_OnLoad runs
static const jvmtiInterface_1 *original; // and before and afterwards
static jvmtiEventVMInit vm_init;         // what it set

// ---- the environment and the JavaVM that libjdwp sees ----

static jvmtiError JNICALL set_event_callbacks(jvmtiEnv *env,
                                              const jvmtiEventCallbacks *callbacks, jint size)
{
    assert(original != NULL);
    if (callbacks && size > 0)
        vm_init = callbacks->VMInit; // the first of the struct
    return original->SetEventCallbacks(env, callbacks, size);
}

static jint JNICALL vm_get_env(JavaVM *vm, void **env, jint version)
{
    (void)vm;
    jint rc = (*real_vm)->GetEnv(real_vm, env, version);
    bool is_jvmti =
        (version & JVMTI_VERSION_MASK_INTERFACE_TYPE) == JVMTI_VERSION_INTERFACE_JVMTI;
    if (rc != JNI_OK || !is_jvmti || debugger)
        return rc;
    debugger = *env;
    original = *debugger;
    watched = *original;
    watched.SetEventCallbacks = set_event_callbacks;
    *debugger = &watched;
    return rc;
}
static jint JNICALL vm_destroy(JavaVM *vm)
{
    (void)vm;
    return (*real_vm)->DestroyJavaVM(real_vm);
}
static jint JNICALL vm_attach(JavaVM *vm, void **env, void *args)
{
    (void)vm;
    return (*real_vm)->AttachCurrentThread(real_vm, env, args);
}
static jint JNICALL vm_detach(JavaVM *vm)
{
    (void)vm;
    return (*real_vm)->DetachCurrentThread(real_vm);
}
static jint JNICALL vm_attach_daemon(JavaVM *vm, void **env, void *args)
{
    (void)vm;
    return (*real_vm)->AttachCurrentThreadAsDaemon(real_vm, env, args);
}
static const struct JNIInvokeInterface_ forwarding = {
    NULL, NULL, NULL, vm_destroy, vm_attach, vm_detach, vm_get_env, vm_attach_daemon,
};
static JavaVM forwarder = &forwarding;

// ---- options ----

// The value of an option of libjdwp in memory of malloc; NULL when it is not there.
static char *option(const char *options, const char *name)
{
    size_t len = strlen(name);
    for (const char *p = options; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
        if (strncmp(p, name, len) == 0 && p[len] == '=')
            return strndup(p + len + 1, strcspn(p + len + 1, ","));
    return NULL;
}

// The options, after what is usual for a process that shall run on: a server on a socket that
// suspends nothing. libjdwp wants the transport before the address.
static char *complete_options(const char *options)
{
    static const char *const usual[][2] = {
        {"transport", "dt_socket"}, {"server", "y"}, {"suspend", "n"}};
    size_t size = strlen(options) + 64;
    char *all = agent_alloc(size);
    if (!all)
        return NULL;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        char *given = option(options, usual[i][0]);
        if (!given)
            snprintf(all + strlen(all), size - strlen(all), "%s=%s,", usual[i][0], usual[i][1]);
        free(given);
    }
    assert(strlen(all) + strlen(options) < size);
    strcat(all, options);
    for (size_t len = strlen(all); len && all[len - 1] == ','; len--)
        all[len - 1] = '\0';
    return all;
}

// What libjdwp understands and what makes sense in a running VM. It ends the process at any
// other option, so we don't let one through.
static bool is_known(const char *text, size_t len)
{
    static const char *const known[] = {
        "transport=", "address=", "server=y", "server=n", "suspend=y", "suspend=n", "timeout=",
        "allow=",     "quiet=y",  "quiet=n",  "mutf8=y",  "mutf8=n",   "strict=y",  "strict=n"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t n = strlen(known[i]);
        bool takes_text = known[i][n - 1] == '=';
        if (len >= n && strncmp(text, known[i], n) == 0 && (takes_text ? len > n : len == n))
            return true;
    }
    return false;
}

static bool all_known(const char *options)
{
    for (const char *p = options; *p; p += strcspn(p, ",") + (p[strcspn(p, ",")] == ',')) {
        size_t len = strcspn(p, ",");
        if (!is_known(p, len)) {
            agent_message(
                "no such option: %.*s (transport=, address=, server=y|n, suspend=y|n, "
                "timeout=, allow=, quiet=y|n, mutf8=y|n, strict=y|n)",
                (int)len, p);
            return false;
        }
    }
    return true;
}

// A number of a port, as libjdwp takes it; it ends the process at another one.
static bool is_port(const char *text)
{
    size_t len = strlen(text);
    return len > 0 && len < 6 && strspn(text, "0123456789") == len && atoi(text) <= 65535;
}

// Whether a socket can be bound to "host:port", "port", "*:port", "[IPv6 address]:port": 0, an
// errno, or -1 where that is no address.
static int try_bind(const char *address)
{
    const char *colon = strrchr(address, ':'), *port = colon ? colon + 1 : address;
    bool six = colon > address && *address == '[' && colon[-1] == ']';
    char *host = colon ? strndup(address + six, (size_t)(colon - address) - 2 * six) : NULL;
    bool any = host && (!*host || strcmp(host, "*") == 0);
    struct addrinfo hints = {.ai_family = six ? AF_INET6 : AF_INET,
                             .ai_socktype = SOCK_STREAM,
                             .ai_flags = AI_PASSIVE},
                    *found = NULL;
    int rc = -1, on = 1;
    if (is_port(port)
        && getaddrinfo(any    ? NULL
                       : host ? host
                              : "localhost",
                       port, &hints, &found)
               == 0) {
        int fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        rc = bind(fd, found->ai_addr, found->ai_addrlen) == 0 ? 0 : errno;
        close(fd);
        freeaddrinfo(found);
    }
    free(host);
    return rc;
}

// libjdwp ends the process when it can't listen or call: find that out before. To call where
// the address is free is in vain. Whether somebody listens on another machine we can't know.
static bool check_address(const char *address, bool server)
{
    if (!address) {
        if (!server)
            agent_message("server=n needs the address of a debugger");
        return server;
    }
    int rc = try_bind(address);
    if (server ? rc == 0 : rc > 0)
        return true;
    agent_message(server ? "cannot listen at %s" : "nobody listens at %s", address);
    return false;
}

// "*", or addresses with or without the length of a prefix, joined by +.
static bool check_allowed(const char *list)
{
    if (!list || strcmp(list, "*") == 0)
        return true;
    for (const char *p = list; p; p = strchr(p, '+') ? strchr(p, '+') + 1 : NULL) {
        char *part = strndup(p, strcspn(p, "+")), *prefix = strchr(part, '/');
        struct in6_addr parsed;
        if (prefix)
            *prefix++ = '\0';
        int bits = inet_pton(AF_INET, part, &parsed) == 1    ? 32
                   : inet_pton(AF_INET6, part, &parsed) == 1 ? 128
                                                             : 0;
        bool ok =
            bits && (!prefix || (is_port(prefix) && atoi(prefix) > 0 && atoi(prefix) <= bits));
        free(part);
        if (!ok) {
            agent_message("no list of addresses: allow=%s", list);
            return false;
        }
    }
    return true;
}

// As libjdwp looks for it: in the folder of the JDK, then where the system's loader does.
static bool check_transport(const char *name)
{
    jvmtiEnv *jvmti = agent_get_env(real_vm, JVMTI_VERSION_11);
    char *folder = NULL, path[4096];
    if (!jvmti || !AGENT_CALL(jvmti, GetSystemProperty, "sun.boot.library.path", &folder))
        return false;
    snprintf(path, sizeof path, "%s/lib%s.so", folder, name);
    agent_deallocate(jvmti, folder);
    (void)(*jvmti)->DisposeEnvironment(jvmti);
    void *library = dlopen(path, RTLD_NOW);
    if (!library) {
        snprintf(path, sizeof path, "lib%s.so", name);
        library = dlopen(path, RTLD_NOW);
    }
    if (!library) {
        agent_message("no such transport: %s", name);
        return false;
    }
    dlclose(library);
    return true;
}

static bool check_options(const char *options)
{
    char *address = option(options, "address"), *transport = option(options, "transport"),
         *server = option(options, "server"), *allowed = option(options, "allow");
    bool ok = all_known(options) && check_transport(transport);
    if (ok && strcmp(transport, "dt_socket") == 0)
        ok = check_address(address, *server == 'y') && check_allowed(allowed);
    free(address);
    free(transport);
    free(server);
    free(allowed);
    return ok;
}

// ---- starting ----

// libjdwp ends the process where the VM does not offer these to it.
static bool has_capabilities(jvmtiEnv *jvmti)
{
    jvmtiCapabilities c = {0};
    if (!AGENT_CALL(jvmti, GetPotentialCapabilities, &c))
        return false;
    bool all = c.can_access_local_variables && c.can_generate_single_step_events
               && c.can_generate_exception_events && c.can_generate_frame_pop_events
               && c.can_generate_breakpoint_events && c.can_suspend
               && c.can_generate_method_entry_events && c.can_generate_method_exit_events
               && c.can_generate_garbage_collection_events
               && c.can_maintain_original_method_order && c.can_generate_monitor_events
               && c.can_tag_objects;
    if (!all)
        agent_message("this VM gives debugging capabilities only at its start: -agentlib:jdwp");
    return all;
}

static OnLoad find_jdwp(void)
{
    jvmtiEnv *jvmti = agent_get_env(real_vm, JVMTI_VERSION_11);
    char *folder = NULL, path[4096];
    if (!jvmti || !AGENT_CALL(jvmti, GetSystemProperty, "sun.boot.library.path", &folder))
        return NULL;
    snprintf(path, sizeof path, "%s/libjdwp.so", folder);
    agent_deallocate(jvmti, folder);
    bool possible = has_capabilities(jvmti);
    (void)(*jvmti)->DisposeEnvironment(jvmti);
    void *library = possible ? dlopen(path, RTLD_NOW) : NULL;
    if (!library) {
        if (possible)
            agent_message("%s", dlerror());
        return NULL;
    }
    return (OnLoad)dlsym(library, "Agent_OnLoad");
}

// What the VM would do later: the event VMInit, on this thread.
static jint tell_vm_init(void)
{
    JNIEnv *jni;
    jthread thread;
    if (!debugger || !vm_init) {
        agent_message("libjdwp waits for no VMInit: another version than this agent knows");
        return JNI_ERR;
    }
    if ((*real_vm)->GetEnv(real_vm, (void **)&jni, JNI_VERSION_10) != JNI_OK
        || !AGENT_CALL(debugger, GetCurrentThread, &thread))
        return JNI_ERR;
    assert(*debugger == original); // the table is right again
    vm_init(debugger, jni, thread);
    return JNI_OK;
}

static jint start(char *options)
{
    OnLoad on_load = find_jdwp();
    if (!on_load) {
        atomic_flag_clear(&loaded); // nothing was begun
        return JNI_ERR;
    }
    jint rc = on_load(&forwarder, options, NULL);
    if (debugger)
        *debugger = original;
    return rc == JNI_OK ? tell_vm_init() : rc;
}

JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *options, void *reserved)
{
    (void)reserved;
    agent_set_name("attachjdwp");
    real_vm = vm;
    char *all = complete_options(options ? options : "");
    jint rc = JNI_ERR;
    if (all && check_options(all)) {
        if (atomic_flag_test_and_set(&loaded)) {
            agent_message("the debugger back end is loaded already");
        } else {
            rc = start(all);
        }
    }
    free(all);
    return rc;
}

// At the start there is nothing to imitate: libjdwp is told of everything by the VM itself.
JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    agent_set_name("attachjdwp");
    real_vm = vm;
    char *all = complete_options(options ? options : "");
    OnLoad on_load = all && check_options(all) ? find_jdwp() : NULL;
    jint rc =
        on_load && !atomic_flag_test_and_set(&loaded) ? on_load(vm, all, reserved) : JNI_ERR;
    free(all);
    return rc;
}
