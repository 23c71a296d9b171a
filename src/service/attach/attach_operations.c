// SPDX-License-Identifier: Apache-2.0
// See attach_operations.h. The texts of answers and errors are HotSpot's, which tools read.
#include "service/attach/attach_operations.h"

#include <signal.h>

#include "class/vm_classes.h"
#include "java/exception.h"
#include "java/string.h"
#include "options/flag_access.h"
#include "options/options.h"
#include "service/commands/commands.h"
#include "service/dump/thread_dump.h"

typedef struct Row {
    const char *name;
    AttachOperation run;
} Row;
static VEC(Row) added;

void attach_register(const char *name, AttachOperation run)
{
    vec_push(&added, ((Row){name, run}));
}

// ---- properties ----

static int properties(Thread *self, char *const arguments[ATTACH_ARGUMENTS], StrBuf *out)
{
    (void)arguments;
    return add_vm_support_text(self, "serializePropertiesToByteArray", out) ? JNI_OK : JNI_ERR;
}

static int agent_properties(Thread *self, char *const arguments[ATTACH_ARGUMENTS], StrBuf *out)
{
    (void)arguments;
    return add_vm_support_text(self, "serializeAgentPropertiesToByteArray", out) ? JNI_OK
                                                                                 : JNI_ERR;
}

// ---- commands ----

static int jcmd(Thread *self, char *const arguments[ATTACH_ARGUMENTS], StrBuf *out)
{
    return diagnostic_execute(self, arguments[0], false, out) ? JNI_OK : JNI_ERR;
}

// Argument 0 has the letters of jstack's options.
static int thread_dump(Thread *self, char *const arguments[ATTACH_ARGUMENTS], StrBuf *out)
{
    ThreadDump what = {.synchronizers = strchr(arguments[0], 'l') != NULL,
                       .extended = strchr(arguments[0], 'e') != NULL};
    dump_threads(self, what, out);
    return JNI_OK;
}

// As if SIGQUIT had come: the dump goes to the VM's own stdout.
static int data_dump(Thread *self, char *const arguments[ATTACH_ARGUMENTS], StrBuf *out)
{
    (void)self, (void)arguments, (void)out;
    if (!vm_options.reduce_signals) // else nobody dispatches it, and it would end the process
        raise(SIGQUIT);
    return JNI_OK;
}

// ---- flags ----

static int set_flag(Thread *self, char *const arguments[ATTACH_ARGUMENTS], StrBuf *out)
{
    (void)self;
    return flag_change(arguments[0], arguments[1], FLAG_BY_ATTACH, out) ? JNI_OK : JNI_ERR;
}

static int print_flag(Thread *self, char *const arguments[ATTACH_ARGUMENTS], StrBuf *out)
{
    (void)self;
    FlagView flag;
    if (flag_view_named(arguments[0], &flag))
        flag_add_option(out, &flag);
    else
        sb_printf(out, "no such flag '%s'", arguments[0]);
    sb_putc(out, '\n');
    return JNI_OK;
}

// ---- all ----

static const Row rows[] = {
    {"agentProperties", agent_properties},
    {"datadump", data_dump},
    {"dumpheap", attach_dump_heap},
    {"inspectheap", attach_inspect_heap},
    {"jcmd", jcmd},
    {"printflag", print_flag},
    {"properties", properties},
    {"setflag", set_flag},
    {"threaddump", thread_dump},
};

static AttachOperation find(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (strcmp(rows[i].name, name) == 0)
            return rows[i].run;
    for (size_t i = 0; i < added.len; i++)
        if (strcmp(added.at[i].name, name) == 0)
            return added.at[i].run;
    return NULL;
}

// "java.lang.IllegalArgumentException: text".
static void add_exception(Thread *self, StrBuf *out)
{
    HANDLE_SCOPE(self);
    jobject throwable = exception_take(self);
    char *name = class_external_name(object_class(deref(throwable)));
    char *message =
        string_to_utf8(object_get_ref(deref(throwable), OFF(Throwable, detailMessage)));
    sb_printf(out, message ? "%s: %s\n" : "%s\n", name, message);
    vm_free(name);
    vm_free(message);
}

int attach_run(Thread *self, const char *name, char *const arguments[ATTACH_ARGUMENTS],
               StrBuf *out)
{
    ASSERT_MAY_GC(self);
    AttachOperation operation = find(name);
    if (!operation) {
        sb_printf(out, "Operation %s not recognized!", name);
        return JNI_ERR;
    }
    int code = operation(self, arguments, out);
    if (exception_pending(self)) {
        add_exception(self, out);
        code = JNI_ERR;
    }
    return code;
}
