// SPDX-License-Identifier: Apache-2.0
// src/verify over whole trees of class files: every class that a compiler made must verify. The
// relations of classes come from a table that is built by parsing all of them, so no class
// loader is needed.
//
//   ./verify_test [test...] -- directory...     all *.class files below the directories
// @args -- $CLASSES
#ifndef _GNU_SOURCE
#    define _GNU_SOURCE
#endif
#include <ftw.h>

#include "base/hash.h"
#include "base/vec.h"
#include "read_whole.h"
#include "verify/verify.h"
#include "vmtest.h"

static StrMap classes; // name -> ClassFile
static VEC(char *) paths;

static ClassFile *find_class(Bytes name)
{
    return strmap_get_n(&classes, (const char *)name.p, name.len);
}

static bool same(Bytes a, Bytes b)
{
    return a.len == b.len && memcmp(a.p, b.p, a.len) == 0;
}

static ClassFile *super_of(const ClassFile *cf)
{
    return cf->super_class == 0 ? NULL : find_class(cf_class_name(cf, cf->super_class));
}

static uint64_t unknown_classes;

static int is_assignable(void *ctx, Bytes from, Bytes to)
{
    (void)ctx;
    const ClassFile *wanted = find_class(to);
    if (wanted == NULL || (wanted->access & ACC_INTERFACE)) {
        unknown_classes += wanted == NULL;
        return 1;
    }
    for (const ClassFile *c = find_class(from); c != NULL; c = super_of(c)) {
        if (c == wanted)
            return 1;
    }
    return 0;
}

static size_t package_length(Bytes name)
{
    const uint8_t *slash = memrchr(name.p, '/', name.len);
    return slash == NULL ? 0 : (size_t)(slash - name.p);
}

// 1 protected in another package than `self`, 0 not, -1 not declared here.
static int declared_protected(const ClassFile *c, const ClassFile *self, Bytes name, Bytes type,
                              bool method)
{
    uint32_t n = method ? c->method_count : c->field_count;
    for (uint32_t i = 0; i < n; i++) {
        uint16_t name_index = method ? c->methods[i].name : c->fields[i].name;
        uint16_t type_index = method ? c->methods[i].descriptor : c->fields[i].descriptor;
        uint16_t access = method ? c->methods[i].access : c->fields[i].access;
        if (!same(cf_utf8(c, name_index), name) || !same(cf_utf8(c, type_index), type))
            continue;
        Bytes a = cf_class_name(c, c->this_class), b = cf_class_name(self, self->this_class);
        size_t len = package_length(a);
        bool same_package = len == package_length(b) && memcmp(a.p, b.p, len) == 0;
        return (access & ACC_PROTECTED) && !same_package;
    }
    return -1;
}

static int is_protected_elsewhere(void *ctx, Bytes cls, Bytes name, Bytes type, bool method)
{
    const ClassFile *self = ctx;
    for (const ClassFile *c = super_of(self); c != NULL; c = super_of(c)) {
        if (!same(cf_class_name(c, c->this_class), cls))
            continue;
        for (; c != NULL; c = super_of(c)) {
            int found = declared_protected(c, self, name, type, method);
            if (found >= 0)
                return found;
        }
        break;
    }
    return 0;
}

static int visit(const char *path, const struct stat *st, int type, struct FTW *info)
{
    (void)st;
    (void)info;
    size_t len = strlen(path);
    if (type == FTW_F && len > 6 && strcmp(path + len - 6, ".class") == 0)
        vec_push(&paths, vm_strdup(path));
    return 0;
}

static ClassFile *parse_path(const char *path)
{
    size_t len;
    ClassFileError error;
    ClassFileOptions options = {.check_format = true};
    uint8_t *bytes = read_whole(path, &len);
    if (bytes == NULL)
        return NULL;
    ClassFile *cf = classfile_parse(bytes, len, &options, &error);
    free(bytes);
    if (cf == NULL)
        EXPECT_MSG(error.kind == CLASSFILE_NO_CLASS_DEF, "%s: %s", path, error.message);
    return cf;
}

static void load_all(void)
{
    if (paths.len > 0)
        return;
    for (int i = 0; i < test_argc; i++)
        nftw(test_argv[i], visit, 32, FTW_PHYS);
    for (size_t i = 0; i < paths.len; i++) {
        ClassFile *cf = parse_path(paths.at[i]);
        if (cf == NULL)
            continue;
        Bytes name = cf_class_name(cf, cf->this_class);
        if (find_class(name) == NULL)
            strmap_put_n(&classes, (const char *)name.p, name.len, cf);
        else
            classfile_free(cf);
    }
}

TEST(every_compiled_class_verifies)
{
    load_all();
    if (classes.len == 0)
        TEST_SKIP("no directory of class files given");
    const char *name;
    void *value;
    size_t verified = 0, old = 0;
    for (size_t i = 0; strmap_next(&classes, &i, &name, &value);) {
        ClassFile *cf = value;
        char message[8192];
        VerifyContext cx = {.ctx = cf,
                            .is_assignable = is_assignable,
                            .is_protected_elsewhere = is_protected_elsewhere};
        if (cf->major < 50) {
            old++;
            continue;
        }
        EXPECT_MSG(verify_class(cf, name, &cx, message, sizeof(message)) == VERIFY_OK, "%s: %s",
                   name, message);
        verified++;
    }
    printf("verified %zu classes (%zu too old), %zu asked about classes outside\n", verified,
           old, (size_t)unknown_classes);
}

// Every class with every byte of each method's code changed in turn, on a sample: no crash, and
// a status with its text.
static void break_code(const ClassFile *cf, const char *name)
{
    for (uint32_t i = 0; i < cf->method_count; i++) {
        const uint8_t *body = cf->methods[i].code;
        if (body == NULL || code_info(body).code_len > 400)
            continue;
        uint8_t *code = (uint8_t *)(uintptr_t)code_bytecodes(body);
        for (uint32_t at = 0, len = code_info(body).code_len; at < len; at++) {
            uint8_t old = code[at];
            char message[4096];
            code[at] = (uint8_t)(old * 37 + at * 11 + 1);
            VerifyContext cx = {.ctx = (void *)(uintptr_t)cf,
                                .is_assignable = is_assignable,
                                .is_protected_elsewhere = is_protected_elsewhere};
            VerifyStatus status = verify_class(cf, name, &cx, message, sizeof(message));
            EXPECT(status != VERIFY_PENDING && (status == VERIFY_OK) == (message[0] == '\0'));
            code[at] = old;
        }
    }
}

TEST(broken_code_is_survived)
{
    load_all();
    const char *name;
    void *value;
    size_t n = 0;
    for (size_t i = 0; strmap_next(&classes, &i, &name, &value); n++) {
        const ClassFile *cf = value;
        if (n % 400 == 0 && cf->major >= 50 && cf->method_count < 20)
            break_code(cf, name);
    }
    if (classes.len == 0)
        TEST_SKIP("no directory of class files given");
}

static int fails(void *ctx, Bytes from, Bytes to)
{
    (void)ctx;
    (void)from;
    (void)to;
    return -1;
}

TEST(a_pending_exception_ends_it)
{
    load_all();
    const char *name;
    void *value;
    int pending = 0;
    for (size_t i = 0; pending == 0 && strmap_next(&classes, &i, &name, &value);) {
        ClassFile *cf = value;
        char message[64];
        VerifyContext cx = {.ctx = cf,
                            .is_assignable = fails,
                            .is_protected_elsewhere = is_protected_elsewhere};
        VerifyStatus status =
            cf->major < 50 ? VERIFY_OK : verify_class(cf, name, &cx, message, sizeof(message));
        if (status == VERIFY_PENDING) {
            EXPECT_STR("", message);
            pending++;
        }
    }
    if (classes.len == 0)
        TEST_SKIP("no directory of class files given");
    EXPECT_INT(1, pending);
}
