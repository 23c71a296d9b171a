// SPDX-License-Identifier: Apache-2.0
// See options.h.
#include "options/options.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/alloc.h"
#include "base/output.h"
#include "platform/platform.h"

#ifndef PELLUCID_VERSION
#    define PELLUCID_VERSION "0.1.0"
#endif
const char vm_version[] = PELLUCID_VERSION;

// Valid before any option is read, too: a crash looks there.
#define DEFAULTS                                                                             \
    {                                                                                        \
        .stack_size = 1024 * 1024, .soft_ms_per_mb = 1000, .cpu_count = -1,                  \
        .metaspace_threshold = 64 << 20, .max_metaspace = SIZE_MAX, .class_space = 1 << 30,  \
        .code_cache = 96 << 20, .max_trace_depth = 1024, .stack_trace_in_throwable = true,   \
        .verify_remote = true, .helpful_npe = true, .compact_strings = true,                 \
        .class_unloading = true, .use_container_support = true, .signal_chaining = true,     \
        .core_on_crash = true, .log_events = true, .log_events_entries = 20,                 \
        .max_jni_local_capacity = 65536, .use_perf_data = true, .perf_data_size = 32 * 1024, \
        .perf_interval = 50, .dynamic_agents = true, .profile_threshold = 256,               \
        .use_interpreter = true, .background_compilation = true, .stop_at_level = 4,         \
        .threshold_scaling = 1.0, .jit_bisect = -1, .jit_inline = true, .jit_escape = true,  \
        .jit_unroll = true, .jit_compile = CODE_IS_GENERATED,                                \
    }
VmOptions vm_options = DEFAULTS;
static const VmOptions defaults = DEFAULTS;

void options_reset(void)
{
    vm_options = defaults;
}

int options_cpu_count(void)
{
    return vm_options.cpu_count > 0 ? vm_options.cpu_count : os_cpu_count();
}

const char *options_property(const char *key)
{
    for (size_t i = vm_options.properties.len; i-- > 0;)
        if (strcmp(vm_options.properties.at[i].key, key) == 0)
            return vm_options.properties.at[i].value;
    return NULL;
}

void options_set_property(const char *key, const char *value)
{
    for (size_t i = 0; i < vm_options.properties.len; i++) {
        Property *p = &vm_options.properties.at[i];
        if (strcmp(p->key, key) == 0) {
            vm_free(p->value);
            p->value = vm_strdup(value);
            return;
        }
    }
    Property added = {vm_strdup(key), vm_strdup(value)};
    vec_push(&vm_options.properties, added);
}

bool options_complain(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vfprintf(vm_stderr(), fmt, ap);
    va_end(ap);
    fputc('\n', vm_stderr());
    return false;
}

void options_end_process(const char *message)
{
    fprintf(vm_stdout(), "Error occurred during initialization of VM\n%s\n", message);
    fflush(NULL);
    options_exit(1);
}

void options_exit(int code)
{
    if (vm_options.exit_hook)
        vm_options.exit_hook(code);
    exit(code);
}
