// SPDX-License-Identifier: Apache-2.0
// The verbs debugger and debugger.stop: a port for jdb and IDEs in a program that was started without one.
//
// The JDK's back end is loaded once, by the attachjdwp agent (its README says how), with this library
// as its transport; from then on the port is opened and closed there.
#define _GNU_SOURCE
#include "debugger.h"
#include "lens.h"
#include "verbs.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef jint(JNICALL *OnAttach)(JavaVM *vm, char *options, void *reserved);

// Of the library that the back end has as its transport: ours, or the same in the JDK's folder.
static int (*open_port)(int port);
static void (*close_port)(void);
static LensOrder *opened_by; // AGENT: NULL when the port is closed

// The library where the back end looks for it: in the JDK's folder, then where the loader knows it.
static void *open_library(const char *name)
{
    char path[4096], *folder = NULL;
    (void)(*lens.jvmti)->GetSystemProperty(lens.jvmti, "sun.boot.library.path", &folder);
    snprintf(path, sizeof path, "%s/%s", folder ? folder : "", name);
    agent_deallocate(lens.jvmti, folder);
    void *library = dlopen(path, RTLD_NOW);
    return library ? library : dlopen(name, RTLD_NOW);
}

// attachjdwp: where the back end looks, or beside this library.
static void *open_attachjdwp(void)
{
    static const char name[] = "libattachjdwp.so";
    char path[4096];
    Dl_info self;
    void *library = open_library(name);
    if (library || !dladdr((void *)&open_port, &self))
        return library;
    const char *slash = strrchr(self.dli_fname, '/');
    if (!slash)
        return NULL;
    snprintf(path, sizeof path, "%.*s/%s", (int)(slash - self.dli_fname), self.dli_fname, name);
    return dlopen(path, RTLD_NOW);
}

static bool can_debug(LensOrder *order)
{
    jvmtiCapabilities can = {0}, had = {0};
    (void)(*lens.jvmti)->GetPotentialCapabilities(lens.jvmti, &can);
    (void)(*lens.jvmti)->GetCapabilities(lens.jvmti, &had);
    if (can.can_generate_breakpoint_events || had.can_generate_breakpoint_events)
        return true;
    lens_fail(order, "This VM gives a running program no debugger: start it with "
                     "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,"
                     "address=localhost:8000.");
    return false;
}

// Loads the back end; false after answering.
static bool load_back_end(LensOrder *order)
{
    char options[] = "transport=lens,server=y,suspend=n,address=lens";
    if (open_port)
        return true;
    void *transport = open_library("liblens.so"), *agent = open_attachjdwp();
    OnAttach attach = agent ? (OnAttach)dlsym(agent, "Agent_OnAttach") : NULL;
    int (*open)(int) = transport ? (int (*)(int))dlsym(transport, "lens_debugger_open") : NULL;
    void (*shut)(void) =
        transport ? (void (*)(void))dlsym(transport, "lens_debugger_close") : NULL;
    if (!attach || !open || !shut) {
        lens_fail(order, "%s was not found beside the VM's libraries.",
                  attach ? "liblens.so" : "libattachjdwp.so");
        return false;
    }
    if (attach(lens.vm, options, NULL) != JNI_OK) {
        lens_fail(order, "The JDK's debugger back end could not be loaded: it is there already "
                         "(-agentlib:jdwp), or this VM takes it from the start alone.");
        return false;
    }
    open_port = open;
    close_port = shut;
    return true;
}

static void shut_port(void)
{
    ASSERT_AGENT_THREAD();
    assert(!opened_by || close_port);
    if (opened_by)
        close_port();
    opened_by = NULL;
}

static void stop(LensOrder *order, JNIEnv *jni)
{
    (void)jni;
    if (opened_by == order)
        shut_port();
}

static void accept_port(LensOrder *order, int port)
{
    assert(port > 0);
    char number[12], text[160];
    snprintf(number, sizeof number, "%d", port);
    snprintf(text, sizeof text, "The program listens for a debugger: jdb -attach localhost:%d",
             port);
    const LensValue values[] = {{"port", number}};
    lens_accept(order, text, values, 1);
}

static LensStarted start(LensOrder *order, JNIEnv *jni)
{
    uint64_t wanted;
    (void)jni;
    if (!lens_arg_number(order, "port", 0, 0, 65535, &wanted))
        return LENS_OVER;
    if (opened_by) {
        lens_fail(order, "A port is open already: close it first.");
        return LENS_OVER;
    }
    if (!can_debug(order) || !load_back_end(order))
        return LENS_OVER;
    int port = open_port((int)wanted);
    if (port < 0) {
        lens_fail(order, "Port %d cannot be opened: %s.", (int)wanted, strerror(-port));
        return LENS_OVER;
    }
    opened_by = order;
    accept_port(order, port);
    return LENS_RUNS;
}

// Closes the port whoever opened it: that order then ends, too.
static LensStarted start_stop(LensOrder *order, JNIEnv *jni)
{
    (void)jni;
    if (!opened_by) {
        lens_fail(order, "No port is open.");
        return LENS_OVER;
    }
    LensOrder *ended = opened_by;
    shut_port();
    lens_done(ended, "The port was closed.", NULL, 0);
    lens_done(order, "", NULL, 0);
    return LENS_OVER;
}

const LensVerb lens_verb_debugger = {"debugger", start, stop, NULL, 0};
const LensVerb lens_verb_debugger_stop = {"debugger.stop", start_stop, NULL, NULL, 0};
