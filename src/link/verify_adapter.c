// SPDX-License-Identifier: Apache-2.0
// Chooses and runs the verifier of a class (JVMS 4.10): our type checker from version 50 on,
// libverify.so of the JDK for older ones and for version 50 when the type checker says no.
// Answers the type checker's questions about other classes.
#include "base/log.h"
#include "class/loader_internal.h"
#include "class/vm_classes.h"
#include "classfile/flow.h"
#include "java/exception.h"
#include "java/java_object.h"
#include "options/options.h"
#include "verify/verify.h"

enum {
    MESSAGE_SIZE = 4096, // as libverify is given by HotSpot
    LONG_MESSAGE_SIZE =
        1
        << 20 // of the type checker, with all the bytecode of a method; pages not written to cost nothing
};
typedef jboolean (*OldVerifier)(JNIEnv *env, jclass cls, char *message, jint size, jint major);

typedef struct Asking {
    Thread *self;
    Class *cls;
} Asking;

typedef struct Planned {
    const PlannedSuper *at;
    uint32_t count;
} Planned;
static _Thread_local Planned planned; // by the redefinition that verifies

static Class *load(const Asking *a, Bytes name)
{
    // A hidden class has a name that no descriptor can say: its file's name is another class.
    if (bytes_eq(name, a->cls->name->s))
        return a->cls;
    Planned mine = planned; // Java code may redefine and verify other classes
    planned = (Planned){0};
    Class *c = loader_load(a->self, a->cls->loader,
                           symbol_intern_n((const char *)name.p, name.len), true);
    planned = mine;
    return c;
}

void class_plan_supers(const PlannedSuper *at, uint32_t count)
{
    planned.at = at;
    planned.count = count;
}

static const Class *super_of(const Class *c)
{
    for (uint32_t i = 0; i < planned.count; i++)
        if (planned.at[i].cls == c)
            return planned.at[i].super;
    return c->super;
}

static bool is_below(const Class *c, const Class *target)
{
    if (planned.count == 0 || class_is_array(c))
        return class_is_subclass(c, target);
    while (c && c != target)
        c = super_of(c);
    return c != NULL;
}

static int is_assignable(void *ctx, Bytes from, Bytes to)
{
    const Asking *a = ctx;
    Class *target = load(a, to);
    if (!target)
        return -1;
    if (from.p[0] == '[')
        return 0;
    if (class_is_interface(target))
        return 1;
    Class *source = load(a, from);
    return source ? is_below(source, target) : -1;
}

static const Class *super_named(const Class *c, Bytes name)
{
    for (const Class *s = super_of(c); s; s = super_of(s))
        if (bytes_eq(name, s->name->s))
            return s;
    return NULL;
}

static int is_protected_elsewhere(void *ctx, Bytes cls, Bytes name, Bytes descriptor,
                                  bool is_method)
{
    const Asking *a = ctx;
    const Class *s = super_named(a->cls, cls);
    const Symbol *n = symbol_find_n((const char *)name.p, name.len);
    const Symbol *d = symbol_find_n((const char *)descriptor.p, descriptor.len);
    if (!s || !n || !d)
        return 0;
    const Method *m = is_method ? class_find_method(s, n, d) : NULL;
    const Field *f = is_method ? NULL : class_find_field(s, n, d);
    if (m)
        return (m->access & ACC_PROTECTED) && !class_same_package(m->cls, a->cls);
    return f && (f->access & ACC_PROTECTED) && !class_same_package(f->cls, a->cls);
}

static bool throw_failure(Thread *self, VerifyStatus status, const char *message)
{
    if (status == VERIFY_ERROR)
        throw_new(self, "java/lang/VerifyError", "%s", message);
    else if (status == VERIFY_FORMAT_ERROR || status == VERIFY_MAP_ERROR)
        throw_new(self, "java/lang/ClassFormatError", "%s", message);
    return status == VERIFY_OK;
}

// ---- libverify ----
// libverify asks for the parts of a class by its mirror.
typedef struct InQuestion {
    const Class *cls;
    const ClassFile *cf;
    struct InQuestion *outer;
} InQuestion;
static _Thread_local InQuestion *in_question;

const ClassFile *class_file_in_question(const Class *c)
{
    for (const InQuestion *q = in_question; q; q = q->outer)
        if (q->cls == c)
            return q->cf;
    return c->cf;
}

static OldVerifier old_verifier(void)
{
    static _Atomic(void *) found;
    void *fn = atomic_load(&found);
    if (fn)
        return *(OldVerifier *)&fn;
    char error[256], *path = vm_asprintf("%s/lib/libverify.so", boot_path_java_home());
    void *lib = os_library_open(path, error, sizeof error);
    vm_free(path);
    fn = lib ? os_library_find(lib, "VerifyClassForMajorVersion") : NULL;
    atomic_store(&found, fn);
    return *(OldVerifier *)&fn;
}

// What is thrown says `said` when that is not NULL, else what libverify says.
static bool verify_old(Thread *self, Class *c, ClassFile *cf, const char *said)
{
    enum { IS_VERIFY_ERROR, IS_OK, IS_OUT_OF_MEMORY, IS_FORMAT_ERROR };
    OldVerifier verify = old_verifier();
    if (!verify) {
        throw_new(self, "java/lang/VerifyError", "Could not link verify library");
        return false;
    }
    HANDLE_SCOPE(self);
    jclass mirror = mirror_handle(self, c);
    char *message = vm_calloc(1, MESSAGE_SIZE);
    InQuestion here = {c, cf, in_question};
    in_question = &here;
    thread_leave_vm(self, THREAD_IN_NATIVE);
    int result = verify((JNIEnv *)&self->jni, mirror, message, MESSAGE_SIZE, cf->major);
    thread_enter_vm(self);
    in_question = here.outer;
    if (!exception_pending(self)) {
        if (result == IS_OUT_OF_MEMORY)
            throw_out_of_memory(self, "Java heap space");
        else if (result != IS_OK)
            throw_failure(self, result == IS_FORMAT_ERROR ? VERIFY_FORMAT_ERROR : VERIFY_ERROR,
                          said ? said : message);
    }
    vm_free(message);
    return !exception_pending(self);
}

// ---- choice ----
static bool is_wanted(const Class *c)
{
    static const int never[] = {C_Object, C_Class, C_String, C_Throwable};
    for (size_t i = 0; i < ARRAY_LEN(never); i++)
        if (vm_classes[never[i]] == c)
            return false;
    return (c->loader->is_boot ? vm_options.verify_local : vm_options.verify_remote)
           && !c->magic;
}

static bool verify_new(Thread *self, Class *c, ClassFile *cf)
{
    Asking asking = {self, c};
    VerifyContext context = {&asking, is_assignable, is_protected_elsewhere};
    char *message = vm_malloc(LONG_MESSAGE_SIZE);
    message[0] = '\0';
    VerifyStatus status = verify_class(cf, c->name->s, &context, message, LONG_MESSAGE_SIZE);
    bool ok;
    if (cf->major == 50 && (status == VERIFY_ERROR || status == VERIFY_FORMAT_ERROR)) {
        LOG(LOG_VERIFY, LOG_INFO, "Fail over class verification to old verifier for: %s",
            c->name->s);
        ok = verify_old(self, c, cf, message);
    } else {
        ok = throw_failure(self, status, message);
    }
    vm_free(message);
    return ok;
}

// ---- subroutines (class files before 51) ----

static void push_any(FlowWord *at, const Instruction *in, char kind)
{
    (void)in;
    at[0] = 1;
    if (kind_is_wide(kind))
        at[1] = 1;
}

static void store_any(FlowWord *locals, const Instruction *in, FlowWord value)
{
    (void)value;
    push_any(locals + in->local, in, in->info->local.kind);
}

static const FlowLattice return_addresses = {
    .push = push_any, .store = store_any, .caught = 1, .mixed = 1};

// Whether each way through the code's subroutines can be followed, as who looks at one of its frames does (interp/oop_map.c).
static bool has_few_ways(const ClassFile *cf, const MethodInfo *m)
{
    CodeInfo code = code_info(m->code);
    Flow flow;
    if (!flow_init(&flow, cf, &code, &return_addresses))
        return true; // no verifier has seen it
    bool few = !flow.graph.has_jsr || flow_solve(&flow) || !flow.gave_up;
    flow_free(&flow);
    return few;
}

static bool check_subroutines(Thread *self, const Class *c, const ClassFile *cf)
{
    for (int i = 0; cf->major < 51 && i < cf->method_count; i++) {
        const MethodInfo *m = &cf->methods[i];
        if (!m->code || has_few_ways(cf, m))
            continue;
        Bytes name = cf_utf8(cf, m->name);
        throw_new(self, "java/lang/VerifyError",
                  "(class: %s, method: %.*s) More than 4,096 ways through subroutines",
                  c->name->s, (int)name.len, (const char *)name.p);
        return false;
    }
    return true;
}

bool class_verify(Thread *self, Class *c, ClassFile *cf)
{
    VM_ASSERT(c->kind == 'L' && cf);
    ASSERT_MAY_GC(self);
    if (is_wanted(c)) {
        LOG(LOG_CLASS_INIT, LOG_INFO, "Start class verification for: %s", c->name->s);
        bool ok = cf->major < 50 ? verify_old(self, c, cf, NULL) : verify_new(self, c, cf);
        LOG(LOG_CLASS_INIT, LOG_INFO, "End class verification for: %s", c->name->s);
        if (!ok)
            return false;
    }
    if (!check_subroutines(self, c, cf))
        return false;
    c->verified = true;
    return true;
}
