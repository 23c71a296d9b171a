// SPDX-License-Identifier: Apache-2.0
// src/classfile: descriptors, instruction lengths, the parser on small hand-made classes, and
// on given ones whole, cut and damaged.
//
//   ./classfile_test [test...] -- file.class...
#include "classfile/bytecode.h"
#include "classfile/classfile.h"
#include "read_whole.h"
#include "vmtest.h"

TEST(descriptors_of_fields)
{
    static const char *const good[] = {"I",    "Z",      "[[J", "Ljava/lang/String;",
                                       "[La;", "La/b$c;"};
    static const char *const bad[] = {
        "",      "V",    "[",  "[V",   "L;", "Ljava/lang/String", "Ljava//x;", "L/a;", "La/;",
        "La.b;", "L[a;", "II", "La;x", "X"};
    for (size_t i = 0; i < ARRAY_LEN(good); i++)
        EXPECT_MSG(descriptor_is_field(good[i], strlen(good[i])), "%s", good[i]);
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        EXPECT_MSG(!descriptor_is_field(bad[i], strlen(bad[i])), "%s", bad[i]);
    char dims[300];
    memset(dims, '[', 256);
    memcpy(dims + 255, "I", 2);
    EXPECT(descriptor_is_field(dims, 256));
    memcpy(dims + 255, "[I", 3);
    EXPECT(!descriptor_is_field(dims, 257));
}

TEST(descriptors_of_methods)
{
    static const struct {
        const char *text;
        int params, words;
        char ret;
    } good[] = {{"()V", 0, 0, 'V'},
                {"(IJ[DLa;)[I", 4, 5, '['},
                {"(DD)La/b;", 2, 4, 'L'},
                {"([[JZ)D", 2, 2, 'D'}};
    static const char *const bad[] = {"",     "()",  "(V)V",  "(I",  "I)V",
                                      "()VV", "(I)", "(La)V", "()[V"};
    for (size_t i = 0; i < ARRAY_LEN(good); i++) {
        size_t len = strlen(good[i].text);
        EXPECT_MSG(descriptor_is_method(good[i].text, len), "%s", good[i].text);
        MethodShape s = descriptor_method_shape(good[i].text, len);
        EXPECT_INT(good[i].params, s.param_count);
        EXPECT_INT(good[i].words, s.arg_words);
        EXPECT_INT(good[i].ret, s.ret);
    }
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        EXPECT_MSG(!descriptor_is_method(bad[i], strlen(bad[i])), "%s", bad[i]);
}

TEST(names)
{
    EXPECT(name_is_valid_class((const uint8_t *)"java/lang/String", 16));
    EXPECT(name_is_valid_class((const uint8_t *)"[[I", 3));
    EXPECT(!name_is_valid_class((const uint8_t *)"a.b", 3));
    EXPECT(!name_is_valid_class((const uint8_t *)"", 0));
    EXPECT(!name_is_valid_class((const uint8_t *)"a//b", 4));
    EXPECT(name_is_valid_field((const uint8_t *)"<x>", 3));
    EXPECT(!name_is_valid_field((const uint8_t *)"a/b", 3));
    EXPECT(name_is_valid_method((const uint8_t *)"<init>", 6));
    EXPECT(!name_is_valid_method((const uint8_t *)"<x>", 3));
}

TEST(instruction_lengths)
{
    static const uint8_t table[] = {0, 170, 0, 0, 0, 0, 0, 9, 0, 0, 0, 1,
                                    0, 0,   0, 2, 0, 0, 0, 0, 0, 0, 0, 0};
    EXPECT_INT(1, bytecode_length(table, sizeof(table), 0));
    EXPECT_INT(sizeof(table) - 1, bytecode_length(table, sizeof(table), 1));
    EXPECT_INT(0, bytecode_length(table, sizeof(table) - 1, 1));
    static const uint8_t lookup[] = {171, 0, 0, 0, 0, 0, 0, 9, 0, 0,
                                     0,   1, 0, 0, 0, 2, 0, 0, 0, 0};
    EXPECT_INT(sizeof(lookup), bytecode_length(lookup, sizeof(lookup), 0));
    static const uint8_t wide[] = {196, 132, 0, 1, 0, 1, 196, 21, 0, 1, 196, 0, 0, 0, 202};
    EXPECT_INT(6, bytecode_length(wide, sizeof(wide), 0));
    EXPECT_INT(4, bytecode_length(wide, sizeof(wide), 6));
    EXPECT_INT(0, bytecode_length(wide, sizeof(wide), 10));
    EXPECT_INT(0, bytecode_length(wide, sizeof(wide), 14));
    EXPECT_INT(5, bytecode_info[BC_invokeinterface].length);
    EXPECT_INT(4, bytecode_info[BC_multianewarray].length);
    EXPECT_INT(3, bytecode_info[BC_iinc].length);
    EXPECT_INT(5, bytecode_info[BC_goto_w].length);
    EXPECT_INT(2, bytecode_info[BC_ldc].length);
    EXPECT_STR("invokedynamic", bytecode_info[BC_invokedynamic].name);
}

// ---- hand-made classes ----

typedef struct Image {
    uint8_t bytes[1024];
    size_t len;
} Image;

static void u1(Image *im, uint32_t v)
{
    im->bytes[im->len++] = (uint8_t)v;
}
static void u2(Image *im, uint32_t v)
{
    u1(im, v >> 8);
    u1(im, v);
}
static void u4(Image *im, uint32_t v)
{
    u2(im, v >> 16);
    u2(im, v);
}
static void utf8(Image *im, const char *s)
{
    u1(im, CP_UTF8);
    u2(im, (uint32_t)strlen(s));
    memcpy(im->bytes + im->len, s, strlen(s));
    im->len += strlen(s);
}
static void ref(Image *im, uint8_t tag, uint16_t a)
{
    u1(im, tag);
    u2(im, a);
}

typedef struct Plan { // what a small class deviates in
    uint16_t major, minor, access;
    const char *name, *super, *field, *field_type;
    uint16_t field_access;
    uint8_t extra_tag;
    bool twice;
} Plan;

static Image build(Plan p)
{
    Image im = {.len = 0};
    u4(&im, 0xCAFEBABE);
    u2(&im, p.minor);
    u2(&im, p.major ? p.major : 61);
    u2(&im, p.extra_tag ? 8 : 7);
    utf8(&im, p.name ? p.name : "p/A"); // 1
    ref(&im, CP_CLASS, 1);
    utf8(&im, p.super ? p.super : "java/lang/Object"); // 3
    ref(&im, CP_CLASS, 3);
    utf8(&im, p.field ? p.field : "f"); // 5
    utf8(&im, p.field_type ? p.field_type : "I");
    if (p.extra_tag)
        ref(&im, p.extra_tag, 1);
    u2(&im, p.access ? p.access : ACC_SUPER | ACC_PUBLIC);
    u2(&im, 2);
    u2(&im, 4);
    u2(&im, 0);
    u2(&im, p.twice ? 2 : 1);
    for (int i = 0; i <= p.twice; i++) {
        u2(&im, p.field_access);
        u2(&im, 5);
        u2(&im, 6);
        u2(&im, 0);
    }
    u2(&im, 0);
    u2(&im, 0);
    return im;
}

static ClassFileError error;
static ClassFile *parse(Image im, const char *name)
{
    ClassFileOptions options = {.name = name, .check_format = true};
    return classfile_parse(im.bytes, im.len, &options, &error);
}

#define EXPECT_ERROR(error_kind, text, ...)                        \
    do {                                                           \
        ClassFile *cf_ = parse(build((Plan){__VA_ARGS__}), "p/A"); \
        EXPECT(cf_ == NULL);                                       \
        EXPECT_INT(error_kind, error.kind);                        \
        EXPECT_STR(text, error.message);                           \
        classfile_free(cf_);                                       \
    } while (0)

TEST(a_small_class)
{
    ClassFile *cf = parse(build((Plan){0}), NULL);
    EXPECT(cf != NULL);
    if (cf == NULL)
        return;
    EXPECT_INT(61, cf->major);
    EXPECT(bytes_eq(cf_class_name(cf, cf->this_class), "p/A"));
    EXPECT(bytes_eq(cf_class_name(cf, cf->super_class), "java/lang/Object"));
    EXPECT_INT(1, cf->field_count);
    EXPECT(bytes_eq(cf_utf8(cf, cf->fields[0].name), "f"));
    EXPECT_INT(0, cf->method_count);
    classfile_free(cf);
}

TEST(errors_have_their_words)
{
    EXPECT_ERROR(CLASSFILE_UNSUPPORTED_VERSION,
                 "p/A has been compiled by a more recent version of the Java Runtime (class "
                 "file version 62.0), this version of "
                 "the Java Runtime only recognizes class file versions up to 61.0",
                 .major = 62);
    EXPECT_ERROR(CLASSFILE_UNSUPPORTED_VERSION,
                 "p/A (class file version 44.0) was compiled with an invalid major version",
                 .major = 44);
    EXPECT_ERROR(CLASSFILE_UNSUPPORTED_VERSION,
                 "Preview features are not enabled for p/A (class file version 61.65535). Try "
                 "running with '--enable-preview'",
                 .minor = 65535);
    EXPECT_ERROR(
        CLASSFILE_UNSUPPORTED_VERSION,
        "p/A (class file version 61.3) was compiled with an invalid non-zero minor version",
        .minor = 3);
    EXPECT_ERROR(CLASSFILE_NO_CLASS_DEF,
                 "p/A is not a class because access_flag ACC_MODULE is set",
                 .access = ACC_MODULE);
    EXPECT_ERROR(CLASSFILE_NO_CLASS_DEF, "p/A (wrong name: p/B)", .name = "p/B");
    EXPECT_ERROR(CLASSFILE_FORMAT, "Illegal class modifiers in class p/A: 0x410",
                 .access = ACC_FINAL | ACC_ABSTRACT);
    EXPECT_ERROR(CLASSFILE_FORMAT, "Illegal class name \"p.A\" in class file p/A",
                 .name = "p.A");
    EXPECT_ERROR(CLASSFILE_FORMAT, "Bad superclass name in class file p/A", .super = "[I");
    EXPECT_ERROR(CLASSFILE_FORMAT,
                 "Interfaces must have java.lang.Object as superclass in class file p/A",
                 .access = ACC_INTERFACE | ACC_ABSTRACT, .super = "p/B",
                 .field_access = ACC_PUBLIC | ACC_STATIC | ACC_FINAL);
    EXPECT_ERROR(CLASSFILE_FORMAT, "Illegal field name \"a/b\" in class p/A", .field = "a/b");
    EXPECT_ERROR(CLASSFILE_FORMAT, "Field \"f\" in class p/A has illegal signature \"V\"",
                 .field_type = "V");
    EXPECT_ERROR(
        CLASSFILE_FORMAT,
        "Class name is empty or contains illegal character in descriptor in class file p/A",
        .field_type = "L;");
    EXPECT_ERROR(CLASSFILE_FORMAT, "Illegal field modifiers in class p/A: 0x50",
                 .field_access = ACC_FINAL | ACC_VOLATILE);
    EXPECT_ERROR(CLASSFILE_FORMAT,
                 "Duplicate field name \"f\" with signature \"I\" in class file p/A",
                 .twice = true);
    EXPECT_ERROR(CLASSFILE_FORMAT, "Unknown constant tag 2 in class file p/A", .extra_tag = 2);
    EXPECT_ERROR(CLASSFILE_FORMAT, "Unknown constant tag 19 in class file p/A",
                 .extra_tag = CP_MODULE);
    EXPECT_ERROR(CLASSFILE_FORMAT,
                 "Class file version does not support constant tag 16 in class file p/A",
                 .major = 50, .extra_tag = CP_METHOD_TYPE);
}

TEST(old_minors_are_ignored)
{
    ClassFile *cf = parse(build((Plan){.major = 52, .minor = 7}), "p/A");
    EXPECT(cf != NULL);
    classfile_free(cf);
}

TEST(small_class_cut_anywhere)
{
    Image im = build((Plan){0});
    size_t whole = im.len;
    for (im.len = 0; im.len < whole; im.len++) {
        EXPECT(parse(im, NULL) == NULL);
        EXPECT_STR("Truncated class file", error.message);
    }
    im.len = whole + 1;
    EXPECT(parse(im, NULL) == NULL);
    EXPECT_STR("Extra bytes at the end of class file p/A", error.message);
}

// ---- given classes ----

// A tight copy, so that an address sanitizer sees a read behind the end.
static bool parses(const uint8_t *bytes, size_t len, bool check)
{
    uint8_t *tight = malloc(len == 0 ? 1 : len);
    if (tight == NULL)
        return false;
    memcpy(tight, bytes, len);
    ClassFileOptions options = {.check_format = check};
    ClassFile *cf = classfile_parse(tight, len, &options, &error);
    free(tight);
    bool ok = cf != NULL;
    EXPECT(ok == (error.kind == CLASSFILE_OK));
    classfile_free(cf);
    return ok;
}

static void damage(const char *path)
{
    size_t len = 0;
    uint8_t *bytes = read_whole(path, &len);
    EXPECT_MSG(bytes != NULL, "%s", path);
    if (bytes == NULL)
        return;
    EXPECT_MSG(parses(bytes, len, true), "%s: %s", path, error.message);
    EXPECT_MSG(parses(bytes, len, false), "%s: %s", path, error.message);
    size_t step = len / 2000 + 1;
    for (size_t cut = 0; cut < len; cut += step)
        EXPECT(!parses(bytes, cut, cut & 1));
    for (size_t at = 0; at < len; at += step) {
        uint8_t old = bytes[at];
        bytes[at] = (uint8_t)(old ^ 1u << (at % 8));
        parses(bytes, len, true);
        bytes[at] = (uint8_t)(at * 31 + old);
        parses(bytes, len, false);
        bytes[at] = old;
    }
    free(bytes);
}

TEST(given_classes_cut_and_damaged)
{
    if (test_argc == 0)
        TEST_SKIP("no class files given");
    for (int i = 0; i < test_argc; i++)
        damage(test_argv[i]);
}
