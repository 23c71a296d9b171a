// SPDX-License-Identifier: Apache-2.0
// See compile_print.h.
#include "jit/compile_print.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/log.h"
#include "base/output.h"
#include "jit/compile.h"
#include "options/options.h"

CompileSubject compile_subject(const Method *m)
{
    return (CompileSubject){m->cls->name->s, m->name->s, m->desc->s};
}

// "java.lang.Object::hashCode"
static void add_name(StrBuf *out, const Method *m)
{
    char *class_name = class_external_name(m->cls);
    sb_printf(out, "%s::%s", class_name, m->name->s);
    vm_free(class_name);
}

// A redefinition may have deleted the method since it was asked for.
static CodeInfo code_of(const Method *m)
{
    return method_has_code(m) ? method_code(m) : (CodeInfo){0};
}

static void add_size(StrBuf *out, const Method *m)
{
    sb_printf(out, " (%u bytes)", code_of(m).code_len);
}

void compile_print_line(StrBuf *out, const CompileTask *task, const char *message)
{
    const Method *m = task->method;
    bool is_loop = task->osr_bci != JIT_NO_OSR;
    sb_printf(out, "%4u %c%c%c%c  %u       ", task->id, is_loop ? '%' : ' ',
              m->access & ACC_SYNCHRONIZED ? 's' : ' ', code_of(m).exception_count ? '!' : ' ',
              task->blocking ? 'b' : ' ', task->level);
    add_name(out, m);
    if (is_loop)
        sb_printf(out, " @ %d", task->osr_bci);
    add_size(out, m);
    if (message)
        sb_printf(out, "   %s", message);
}

// At once: what the program prints does not go through C's buffer.
PRINTF(1, 2) static void say(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vfprintf(vm_stdout(), fmt, ap);
    va_end(ap);
    fflush(vm_stdout());
}

static int uptime_millis(void)
{
    return (int)(log_uptime_nanos() / 1000000);
}

void compile_print(const CompileTask *task, const char *message)
{
    if (!vm_options.print_compilation && !log_on(LOG_JIT, LOG_DEBUG))
        return;
    StrBuf line = {0};
    compile_print_line(&line, task, message);
    LOG(LOG_JIT, LOG_DEBUG, "%s", line.s);
    if (vm_options.print_compilation)
        say("%7d %s\n", uptime_millis(), line.s);
    sb_free(&line);
}

void compile_print_excluded(const CompileTask *task)
{
    const Method *m = task->method;
    if (compile_commands_are_quiet() || !vm_options.print_compilation)
        return;
    StrBuf name = {0};
    add_name(&name, m);
    say("### Excluding compile: %s%s\n", method_is_static(m) ? "static " : "", name.s);
    add_size(&name, m);
    say("made not compilable on level %u  %s   excluded by CompileCommand\n", task->level,
        name.s);
    sb_free(&name);
}

void compile_print_last(const CompileTask *task)
{
    StrBuf line = {0};
    compile_print_line(&line, task, NULL);
    say("JitBisect: the last one is %s\n", line.s);
    sb_free(&line);
}
