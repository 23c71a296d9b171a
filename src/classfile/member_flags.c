// SPDX-License-Identifier: Apache-2.0
// Which combinations of access flags are legal, by class file version (JVMS 4.1-B, 4.5-A,
// 4.6-A).
#include "classfile/parser_internal.h"

static bool has(uint16_t flags, uint16_t any)
{
    return (flags & any) != 0;
}

static bool one_visibility_at_most(uint16_t flags)
{
    uint16_t v = flags & (ACC_PUBLIC | ACC_PRIVATE | ACC_PROTECTED);
    return (v & (v - 1)) == 0;
}

bool class_flags_legal(uint16_t major, uint16_t flags)
{
    if (has(flags, ACC_ABSTRACT) && has(flags, ACC_FINAL))
        return false;
    if (!has(flags, ACC_INTERFACE))
        return major < JAVA_5 || !has(flags, ACC_ANNOTATION);
    return has(flags, ACC_ABSTRACT) && (major < JAVA_5 || !has(flags, ACC_SUPER | ACC_ENUM));
}

bool field_flags_legal(const ClassFile *cf, uint16_t flags)
{
    if (!has(cf->access, ACC_INTERFACE)) {
        return one_visibility_at_most(flags)
               && (flags & (ACC_FINAL | ACC_VOLATILE)) != (ACC_FINAL | ACC_VOLATILE);
    }
    uint16_t wanted = ACC_PUBLIC | ACC_STATIC | ACC_FINAL;
    uint16_t forbidden = ACC_PRIVATE | ACC_PROTECTED | ACC_VOLATILE | ACC_TRANSIENT;
    if (cf->major >= JAVA_5)
        forbidden |= ACC_ENUM;
    return (flags & wanted) == wanted && !has(flags, forbidden);
}

static bool interface_method_flags_legal(uint16_t major, uint16_t flags)
{
    if (major >= JAVA_8) {
        if (has(flags, ACC_PUBLIC) == has(flags, ACC_PRIVATE))
            return false;
        if (has(flags, ACC_NATIVE | ACC_PROTECTED | ACC_FINAL | ACC_SYNCHRONIZED))
            return false;
        bool strict = major < JAVA_17 && has(flags, ACC_STRICT);
        return !has(flags, ACC_ABSTRACT) || (!has(flags, ACC_PRIVATE | ACC_STATIC) && !strict);
    }
    uint16_t forbidden = ACC_STATIC | ACC_FINAL | ACC_NATIVE;
    if (major >= JAVA_5)
        forbidden |= ACC_PRIVATE | ACC_PROTECTED | ACC_SYNCHRONIZED | ACC_STRICT;
    return has(flags, ACC_PUBLIC) && has(flags, ACC_ABSTRACT) && !has(flags, forbidden);
}

bool method_flags_legal(const ClassFile *cf, uint16_t flags, bool is_init)
{
    uint16_t major = cf->major;
    if (has(cf->access, ACC_INTERFACE))
        return interface_method_flags_legal(major, flags);
    if (!one_visibility_at_most(flags))
        return false;
    if (is_init) {
        uint16_t forbidden =
            ACC_STATIC | ACC_FINAL | ACC_SYNCHRONIZED | ACC_NATIVE | ACC_ABSTRACT;
        if (major >= JAVA_5)
            forbidden |= ACC_BRIDGE;
        return !has(flags, forbidden);
    }
    if (!has(flags, ACC_ABSTRACT))
        return true;
    uint16_t forbidden = ACC_FINAL | ACC_NATIVE | ACC_PRIVATE | ACC_STATIC;
    if (major >= JAVA_5)
        forbidden |= ACC_SYNCHRONIZED;
    if (major >= JAVA_5 && major < JAVA_17)
        forbidden |= ACC_STRICT;
    return !has(flags, forbidden);
}
