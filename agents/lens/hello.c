// SPDX-License-Identifier: Apache-2.0
// HELLO: what this process, its VM and the agent are, and what can be asked for. Of the agent's
// thread.
#define _GNU_SOURCE
#include "agent.h"
#include "allocated.h"
#include "pellucid_jvmti.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void put_pair(LensBuffer *to, const char *name, const char *value)
{
    lens_buffer_text(to, name);
    lens_buffer_text(to, value);
}

static void put_number(LensBuffer *to, const char *name, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    put_pair(to, name, text);
}

// What only java.lang.System knows. Malloc'd UTF-8, NULL where there is none.
static char *java_property(const char *name)
{
    JNIEnv *jni = lens_jni();
    jclass system = jni != NULL ? (*jni)->FindClass(jni, "java/lang/System") : NULL;
    jmethodID get = system != NULL ? (*jni)->GetStaticMethodID(
                        jni, system, "getProperty", "(Ljava/lang/String;)Ljava/lang/String;")
                                   : NULL;
    jstring key = get != NULL ? (*jni)->NewStringUTF(jni, name) : NULL;
    jstring value = key != NULL ? (*jni)->CallStaticObjectMethod(jni, system, get, key) : NULL;
    const char *modified = value != NULL ? (*jni)->GetStringUTFChars(jni, value, NULL) : NULL;
    char *utf8 = modified != NULL ? agent_utf8(modified) : NULL;
    if (modified != NULL) {
        (*jni)->ReleaseStringUTFChars(jni, value, modified);
    }
    if (jni != NULL) {
        (*jni)->ExceptionClear(jni);
    }
    return utf8;
}

static void put_properties(LensBuffer *to)
{
    static const struct {
        const char *name, *property;
    } PROPERTIES[] = {{"vm.name", "java.vm.name"},      {"vm.version", "java.vm.version"},
                      {"java.version", "java.version"}, {"java.command", "sun.java.command"},
                      {"java.home", "java.home"},       {"user", "user.name"}};
    for (size_t i = 0; i < sizeof PROPERTIES / sizeof PROPERTIES[0]; i++) {
        char *value = lens_property(PROPERTIES[i].property);
        value = value != NULL ? value : java_property(PROPERTIES[i].property);
        put_pair(to, PROPERTIES[i].name, value != NULL ? value : "");
        free(value);
    }
}

static uint64_t clock_nanos(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * LENS_SECOND + (uint64_t)t.tv_nsec;
}

// When the process began, in ms of the wall clock.
static uint64_t began(void)
{
    uint64_t ago = clock_nanos(CLOCK_BOOTTIME)
                   - lens_start_ticks() * (LENS_SECOND / (uint64_t)sysconf(_SC_CLK_TCK));
    return (clock_nanos(CLOCK_REALTIME) - ago) / LENS_MS;
}

void lens_hello_write(LensBuffer *to)
{
    ASSERT_AGENT_THREAD();
    put_number(to, "version", LENS_VERSION);
    put_properties(to);
    put_number(to, "pid", (uint64_t)getpid());
    put_number(to, "start.time", began());
    put_number(to, "monotonic", lens_now());
    put_number(to, "realtime", clock_nanos(CLOCK_REALTIME));
    put_number(to, "cores", (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
    put_number(to, "page.size", (uint64_t)sysconf(_SC_PAGESIZE));
    put_number(to, "agent.late", lens.is_late);
    put_number(to, "asgct", lens_has_async_trace());
    put_number(to, "costs", lens_extension(PELLUCID_ENVIRONMENT_COSTS) != NULL);
    put_pair(to, "allocated", lens_allocated_source());
    put_number(to, "list.breakpoints",
               lens_extension("org.pellucid.functions.SetBreakpoints") != NULL);
    put_number(to, "perf.events", lens_has_perf_events());
    lens_capabilities_write(to, put_pair);
}

void lens_clock_write(LensBuffer *to)
{
    lens_buffer_u(to, lens_now());
    lens_buffer_u(to, clock_nanos(CLOCK_REALTIME));
}
